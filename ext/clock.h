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

/* The moment `ms` milliseconds after `now` in nanoseconds; 0, which stands for never, where ms is negative. More than
 * 10^12 milliseconds are read as that: further would overflow. */
static inline int64_t bw_deadline(int64_t now, int64_t ms) {
    const int64_t most = 1000000000000;
    return ms < 0 ? 0 : now + (ms < most ? ms : most) * 1000000;
}

static inline int64_t bw_load(const int64_t *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void bw_store(int64_t *p, int64_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

#endif
