from libc.stdint cimport uint64_t


cdef extern from "rng.h" nogil:
    ctypedef struct bw_rng:
        uint64_t s[4]

    uint64_t bw_splitmix(uint64_t *x)
    void bw_rng_seed(bw_rng *r, uint64_t seed)
    uint64_t bw_rng_next(bw_rng *r)
    uint64_t bw_rng_below(bw_rng *r, uint64_t n)
    double bw_rng_unit(bw_rng *r)
