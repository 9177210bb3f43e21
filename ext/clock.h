/* A monotonic clock, and numbers that one thread sets while another one searches. */
#ifndef BLOCKWIT_CLOCK_H
#define BLOCKWIT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment in the past. */
static inline int64_t bw_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t bw_load(const int64_t *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void bw_store(int64_t *p, int64_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

#endif
