from libc.stdint cimport int64_t


cdef extern from "clock.h" nogil:
    int64_t bw_now()
    int64_t bw_load(const int64_t *p)
    void bw_store(int64_t *p, int64_t v)

    ctypedef struct bw_control:
        int64_t stop

    const int64_t BW_SECOND

    ctypedef struct bw_work:
        bw_control control
        int64_t nodes
        int64_t most
        int64_t next_tick
        bint aborted

    void bw_begin(bw_work *w, int64_t most, int64_t now)
    bint bw_count(bw_work *w, int64_t every)
    void bw_set_time(bw_control *c, int64_t soft_ms, int64_t hard_ms)
    bint bw_is_over(const bw_control *c, int64_t now)
    bint bw_is_late(const bw_control *c, int64_t now)
