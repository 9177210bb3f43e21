/* A small seeded generator: xoshiro256** by Blackman and Vigna, seeded by splitmix64 (both in the public
 * domain, prng.di.unimi.it). Every random choice of the engine comes from one of these, so that a search of
 * one thread can be repeated to the node. */
#ifndef BLOCKWIT_RNG_H
#define BLOCKWIT_RNG_H

#include <stdint.h>

typedef struct bw_rng {
    uint64_t s[4];
} bw_rng;

/* One step of splitmix64: also a good mixer for hash tables made at import. */
static inline uint64_t bw_splitmix(uint64_t *x) {
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void bw_rng_seed(bw_rng *r, uint64_t seed) {
    for (int i = 0; i < 4; i++)
        r->s[i] = bw_splitmix(&seed);
}

static inline uint64_t bw_rng_next(bw_rng *r) {
    uint64_t x = r->s[1] * 5;
    uint64_t result = ((x << 7) | (x >> 57)) * 9;
    uint64_t t = r->s[1] << 17;
    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = (r->s[3] << 45) | (r->s[3] >> 19);
    return result;
}

/* Uniform in 0..n-1, n > 0 (Lemire's multiplication with rejection, so without bias). */
static inline uint64_t bw_rng_below(bw_rng *r, uint64_t n) {
    __uint128_t m = (__uint128_t)bw_rng_next(r) * n;
    if ((uint64_t)m < n) {
        uint64_t t = -n % n;
        while ((uint64_t)m < t)
            m = (__uint128_t)bw_rng_next(r) * n;
    }
    return (uint64_t)(m >> 64);
}

/* Uniform in [0, 1). */
static inline double bw_rng_unit(bw_rng *r) {
    return (double)(bw_rng_next(r) >> 11) * 0x1.0p-53;
}

#endif
