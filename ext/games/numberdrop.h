/* Sets of cells of a Number Drop sheet as 128-bit words.
 *
 * A sheet has 14 rows of 7 cells; cell (row, column), both from 0 with row 0 at the bottom, is bit 8 * row +
 * column. The eighth bit of every row stays 0, so that a shift never runs from one row into the next.
 */
#ifndef BLOCKWIT_NUMBERDROP_H
#define BLOCKWIT_NUMBERDROP_H

#include <stdint.h>

typedef unsigned __int128 nd_set;

#define ND_ROWS 14
#define ND_COLUMNS 7
/* Rows 0..10 lie below the game-over line. */
#define ND_LINE 11

#define ND_PAIR(high, low) (((nd_set)(high) << 64) | (nd_set)(low))
#define ND_ALL ND_PAIR(0x00007f7f7f7f7f7full, 0x7f7f7f7f7f7f7f7full)

static inline nd_set nd_bit(int cell) {
    return (nd_set)1 << cell;
}

static inline int nd_has(nd_set set, int cell) {
    return (int)(set >> cell) & 1;
}

/* Index of the lowest cell of a set that is not empty. */
static inline int nd_low(nd_set set) {
    uint64_t low = (uint64_t)set;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

static inline nd_set nd_drop_low(nd_set set) {
    return set & (set - 1);
}

/* Population count without a library call: the machine flags are those of every x86-64 and ARM machine. */
static inline int nd_count64(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (int)((x * 0x0101010101010101ull) >> 56);
}

static inline int nd_count(nd_set set) {
    return nd_count64((uint64_t)set) + nd_count64((uint64_t)(set >> 64));
}

/* Cells orthogonally next to a cell of the set. */
static inline nd_set nd_near(nd_set set) {
    return ((set << 1) | (set >> 1) | (set << 8) | (set >> 8)) & ND_ALL;
}

/* The cells of `within` connected to `seed` inside `within` (seed included). */
static inline nd_set nd_flood(nd_set seed, nd_set within) {
    for (;;) {
        nd_set grown = (seed | nd_near(seed)) & within;
        if (grown == seed)
            return seed;
        seed = grown;
    }
}

/* The seven cells of a row. */
static inline nd_set nd_row(int row) {
    return (nd_set)0x7f << (8 * row);
}

/* The cells of a column at `height` and above. */
static inline nd_set nd_above(int column, int height) {
    nd_set whole = ND_PAIR(0x0000010101010101ull, 0x0101010101010101ull) << column;
    return height >= ND_ROWS ? 0 : (whole >> (8 * height)) << (8 * height);
}

#endif
