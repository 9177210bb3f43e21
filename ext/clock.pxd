from libc.stdint cimport int64_t


cdef extern from "clock.h" nogil:
    int64_t bw_now()
    int64_t bw_deadline(int64_t now, int64_t ms)
    int64_t bw_load(const int64_t *p)
    void bw_store(int64_t *p, int64_t v)
