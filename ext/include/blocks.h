/* Deblockle block by block, for whoever tabulates whole families of positions.
 *
 * A constant bw_blocks in a PyCapsule named BW_BLOCKS_CAPSULE. Squares are `rank * 8 + file`, orientations 0..23 and
 * faces as in the game; half a turn of the board takes square q to BW_TURNED_SQUARE - q.
 */
#ifndef BLOCKWIT_BLOCKS_H
#define BLOCKWIT_BLOCKS_H

#include <stdint.h>

#include "game.h"

#define BW_BLOCKS_ABI 2
#define BW_BLOCKS_CAPSULE "blockwit.blocks"
#define BW_BLOCKS_RULES 12 /* readings of the rules: slider + 3 * nohop_ends_turn + 6 * no_touch */
#define BW_TURNED_SQUARE 54
#define BW_MAX_TARGETS 192
#define BW_EXIT 0xFFFFu /* a move that takes the block off the board */

/* A position in play without its history. Squares of a side rise. */
typedef struct bw_placed {
    uint8_t rules;
    uint8_t side;
    uint8_t count[2];
    uint8_t square[2][4];
    uint8_t orientation[2][4];
} bw_placed;

typedef struct bw_blocks {
    uint32_t abi; /* BW_BLOCKS_ABI */
    const bw_game *game; /* whose states `placed` takes apart */
    uint64_t usable; /* squares on which a block can lie */
    const uint8_t *turned; /* each orientation after half a turn of the board */
    /* Moves of a block of `side`, `own` and `other` being the squares of its friends and its opponents: writes
     * square << 8 | orientation, or BW_EXIT, at most BW_MAX_TARGETS; returns how many. */
    int (*reach)(int rules, int side, int square, int orientation, uint64_t own, uint64_t other, uint16_t *out);
    /* Whether the state is in play and its game not over: then it is written to `out`. */
    int (*placed)(const void *state, bw_placed *out);
} bw_blocks;

#endif
