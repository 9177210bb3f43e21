/* The C interface of a value function that can be learned, beside the game's own table (game.h).
 *
 * The value of a state for a player is what is settled (`base`) plus the sum of the weights of the features that
 * are active in it. The game's evaluate() and top() read the same array of weights: whoever changes it changes
 * what they say. Several threads may do so at the same time, see bw_get and bw_put.
 */
#ifndef BLOCKWIT_LEARN_H
#define BLOCKWIT_LEARN_H

#include <stdint.h>

#include "game.h"

#define BW_LINEAR_ABI 2
#define BW_LINEAR_CAPSULE "blockwit.linear"
/* Weights are in units of 1/BW_WEIGHT_UNIT of the game's unit. */
#define BW_WEIGHT_UNIT 1000

typedef struct bw_linear {
    uint32_t abi;        /* BW_LINEAR_ABI */
    const bw_game *game; /* whose states it values */
    int32_t most_active; /* active() never writes more */
    int64_t count;       /* weights */
    int16_t *weight;
    /* Whether the values of a state are those that are learned. */
    int (*is_learned)(const void *state);
    /* Numbers of the weights that are active for a player in a learned state, each at most once; returns how
     * many. `base` is the part of the value that is settled, in 1/BW_UNIT. */
    int (*active)(const void *state, int player, int32_t *out, bw_value *base);
} bw_linear;

/* Learning threads share their numbers without locks (F. Niu, B. Recht, C. Re, S. Wright, Hogwild!, NIPS 2011):
 * an update that another thread overwrites is lost, a number is never torn. */
static inline float bw_get(const float *at) {
    float value;
    __atomic_load(at, &value, __ATOMIC_RELAXED);
    return value;
}

static inline void bw_put(float *at, float value) {
    __atomic_store(at, &value, __ATOMIC_RELAXED);
}

static inline int16_t bw_get_weight(const int16_t *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void bw_put_weight(int16_t *at, int16_t value) {
    __atomic_store(at, &value, __ATOMIC_RELAXED);
}

#endif
