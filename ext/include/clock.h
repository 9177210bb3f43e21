/* A monotonic clock, and numbers that one thread sets while another one searches. */
#ifndef BLOCKWIT_CLOCK_H
#define BLOCKWIT_CLOCK_H

#include <stdint.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <time.h>
#endif

/* Nanoseconds since some moment in the past. */
static inline int64_t bw_now(void) {
#ifdef _WIN32
    LARGE_INTEGER ticks, rate;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    /* In two parts: ticks times a thousand million would overflow. */
    return ticks.QuadPart / rate.QuadPart * 1000000000 + ticks.QuadPart % rate.QuadPart * 1000000000 / rate.QuadPart;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
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

/* What ends a search from outside: set by any thread, read by the one that searches. Moments in nanoseconds, 0: none. */
typedef struct bw_control {
    int64_t stop;
    int64_t soft; /* nothing new is begun from here on */
    int64_t hard; /* the end */
} bw_control;

/* Limits from now on in milliseconds, negative for none. */
static inline void bw_set_time(bw_control *c, int64_t soft_ms, int64_t hard_ms) {
    const int64_t now = bw_now();
    bw_store(&c->soft, bw_deadline(now, soft_ms));
    bw_store(&c->hard, bw_deadline(now, hard_ms));
}

/* Whether the search has to end. */
static inline int bw_is_over(const bw_control *c, int64_t now) {
    const int64_t hard = bw_load(&c->hard);
    return bw_load(&c->stop) || (hard && now >= hard);
}

/* Whether it should begin nothing new. */
static inline int bw_is_late(const bw_control *c, int64_t now) {
    const int64_t soft = bw_load(&c->soft);
    return bw_load(&c->stop) || (soft && now >= soft);
}

#define BW_SECOND 1000000000

/* What one thread has searched, and what ends its search. */
typedef struct bw_work {
    bw_control control;
    int64_t nodes;
    int64_t most; /* nodes, 0 for no limit */
    int64_t next_tick;
    int aborted;
} bw_work;

/* Begins a search of at most `most` nodes, 0 for no limit. What ends it from outside stays as it is. */
static inline void bw_begin(bw_work *w, int64_t most, int64_t now) {
    w->nodes = 0;
    w->most = most;
    w->next_tick = now + BW_SECOND;
    w->aborted = 0;
}

/* Counts a node and ends the search when a limit is reached. The clock is looked at once in `every` nodes, a power of
 * two. Returns whether it is time to report: once a second. */
static inline int bw_count(bw_work *w, int64_t every) {
    int64_t now;
    w->nodes++;
    if (w->most && w->nodes >= w->most) {
        w->aborted = 1;
        return 0;
    }
    if (w->nodes & (every - 1))
        return 0;
    now = bw_now();
    if (bw_is_over(&w->control, now)) {
        w->aborted = 1;
        return 0;
    }
    if (now < w->next_tick)
        return 0;
    w->next_tick = now + BW_SECOND;
    return 1;
}

#endif
