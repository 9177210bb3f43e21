/* Tiles of a file that is larger than what is ever needed of it: each is read when it is first asked for, into its place
 * in memory, and its checksum compared. From then on it is memory like any other. The file is read and not mapped: one
 * that is cut, replaced or damaged meanwhile gives a tile that fails, never a signal. */
#ifndef BLOCKWIT_TILEFILE_H
#define BLOCKWIT_TILEFILE_H

#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <errno.h>
#include <sched.h>
#include <unistd.h>
#endif

#define BW_TILE_MAX 28000 /* bytes of the longest tile */

/* CRC-32 as in zlib and PNG, eight bytes at a time (Kounavis and Berry 2008). bw_crc_begin() fills the table. */
static uint32_t bw_crc_table[8][256];

static inline void bw_crc_begin(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
        bw_crc_table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) {
            const uint32_t c = bw_crc_table[k - 1][i];
            bw_crc_table[k][i] = c >> 8 ^ bw_crc_table[0][c & 255];
        }
}

static inline uint32_t bw_crc(const uint8_t *p, size_t n) {
    uint32_t c = 0xFFFFFFFFu;
    for (; n >= 8; n -= 8, p += 8) {
        const uint32_t low = c ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        c = bw_crc_table[7][low & 255] ^ bw_crc_table[6][low >> 8 & 255] ^ bw_crc_table[5][low >> 16 & 255]
            ^ bw_crc_table[4][low >> 24] ^ bw_crc_table[3][p[4]] ^ bw_crc_table[2][p[5]] ^ bw_crc_table[1][p[6]]
            ^ bw_crc_table[0][p[7]];
    }
    for (; n > 0; n--, p++)
        c = c >> 8 ^ bw_crc_table[0][(c ^ *p) & 255];
    return ~c;
}

/* Whether `n` bytes could be read from byte `at` on. `handle` is a file descriptor, on Windows a HANDLE. */
static inline int bw_read_at(intptr_t handle, uint8_t *to, size_t n, int64_t at) {
    while (n > 0) {
#ifdef _WIN32
        OVERLAPPED where;
        DWORD got = 0;
        memset(&where, 0, sizeof where);
        where.Offset = (DWORD)at;
        where.OffsetHigh = (DWORD)(at >> 32);
        if (!ReadFile((HANDLE)handle, to, (DWORD)n, &got, &where) || got == 0)
            return 0;
#else
        const ssize_t got = pread((int)handle, to, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
#endif
        to += got;
        at += got;
        n -= (size_t)got;
    }
    return 1;
}

static inline void bw_yield(void) {
#ifdef _WIN32
    SwitchToThread();
#else
    sched_yield();
#endif
}

typedef struct bw_tilefile {
    intptr_t handle;
    int64_t start;     /* byte of the file where the tiles begin */
    uint32_t *offsets; /* from there: where each tile begins, and where the last one ends */
    uint32_t *sums;    /* CRC-32 of each tile */
    uint8_t *state;    /* of each tile, see below */
    uint8_t *place;    /* room for all tiles */
    int64_t failed;    /* number of a tile that could not be had, plus one; 0: none */
} bw_tilefile;

enum { BW_TILE_UNREAD, BW_TILE_BUSY, BW_TILE_READ };

/* What bw_tile() does when a tile is first asked for. Not inline: its buffer would be on everyone's stack. */
__attribute__((noinline)) static const uint8_t *bw_read_tile(bw_tilefile *f, int number) {
    uint8_t buffer[BW_TILE_MAX];
    uint8_t *own = f->place + f->offsets[number], unread = BW_TILE_UNREAD;
    const size_t size = f->offsets[number + 1] - f->offsets[number];
    if (__atomic_load_n(&f->failed, __ATOMIC_RELAXED))
        return NULL;
    if (!bw_read_at(f->handle, buffer, size, f->start + f->offsets[number]) || bw_crc(buffer, size) != f->sums[number]) {
        __atomic_store_n(&f->failed, (int64_t)number + 1, __ATOMIC_RELAXED);
        return NULL;
    }
    if (__atomic_compare_exchange_n(&f->state[number], &unread, BW_TILE_BUSY, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        memcpy(own, buffer, size);
        __atomic_store_n(&f->state[number], BW_TILE_READ, __ATOMIC_RELEASE);
    } else {
        /* Another thread has it in its buffer, and is about to have copied it. */
        while (__atomic_load_n(&f->state[number], __ATOMIC_ACQUIRE) != BW_TILE_READ)
            bw_yield();
    }
    return own;
}

/* A tile, or null where it could not be had; after that no other one is read. Any thread may call it at any time. */
static inline const uint8_t *bw_tile(bw_tilefile *f, int number) {
    if (__atomic_load_n(&f->state[number], __ATOMIC_ACQUIRE) == BW_TILE_READ)
        return f->place + f->offsets[number];
    return bw_read_tile(f, number);
}

#endif
