/* Kernels over runs of table bytes, plain loops with restrict so that the compiler can use vectors.
 *
 * A byte tells what a position is worth to the player to move: 255 - m for a win in m own turns (2 m - 1 plies), 1 + m
 * for a loss after m own turns (2 m plies), 128 where neither side can force a win.
 */
#ifndef BLOCKWIT_TILES_H
#define BLOCKWIT_TILES_H

#include <stddef.h>
#include <stdint.h>

/* worst[i] = min(worst[i], value[i]) over n bytes. */
static inline void bw_min(uint8_t *restrict worst, const uint8_t *restrict value, size_t n) {
    for (size_t i = 0; i < n; i++)
        worst[i] = value[i] < worst[i] ? value[i] : worst[i];
}

/* The same over 24 bytes: as many as there are orientations. */
static inline void bw_min24(uint8_t *restrict worst, const uint8_t *restrict value) {
    for (size_t i = 0; i < 24; i++)
        worst[i] = value[i] < worst[i] ? value[i] : worst[i];
}

/* From the worst an opponent can be left with to what that is worth, a ply earlier, to who moves: a loss after m turns
 * becomes a win in m + 1, a win in m turns a loss after m, 128 stays. */
static inline void bw_answer(uint8_t *line, size_t n) {
    for (size_t i = 0; i < n; i++)
        line[i] = (uint8_t)(line[i] < 128 ? 255 - line[i] : 256 - line[i]);
}

/* to[c * rows + r] = from[r * columns + c]. */
static inline void bw_transpose(uint8_t *restrict to, const uint8_t *restrict from, size_t rows, size_t columns) {
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            to[c * rows + r] = from[r * columns + c];
}

/* Copies n bytes and returns how many of them were different before. */
static inline int64_t bw_replace(uint8_t *restrict to, const uint8_t *restrict from, size_t n) {
    int64_t changed = 0;
    for (size_t i = 0; i < n; i++)
        changed += to[i] != from[i];
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    return changed;
}

/* A word read from memory as if its first byte were the highest. */
static inline uint64_t bw_big_endian(uint64_t x) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
}

#endif
