/* Levels of polyominoes: tiles, layouts up to translation and quarter turns, and the search for a level under a level.
 *
 * A layout is one connected level: at most BL_MAX_TILES, each a shape (digit * 4 + rotation) with the lower left corner
 * of its bounding box. It knows shapes and no game: the caller passes the cells of every digit and rotation.
 */
#ifndef BLOCKWIT_LEVELS_H
#define BLOCKWIT_LEVELS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum {
    BL_DIGITS = 10,
    BL_CELLS = 10,
    BL_SHAPES = 40,
    BL_MAX_TILES = 12, /* tiles of one level */
    BL_COLUMNS = 32,  /* window in which a level is covered */
    BL_ROWS = 64,
    BL_MARGIN = 3,    /* how far a tile may stick out beyond what it covers */
    BL_SIDE = 64,     /* window in which tiles are laid beside */
    BL_PLACES = 48000, /* 36 shapes x 10 cells x the squares of the largest level, rounded up */
    BL_LOOK = 4096,   /* work between two looks at the clock: about a millisecond */
    BL_HEAVY = 64     /* work of laying one tile beside, in nodes of the cover */
};

typedef struct bl_spot {
    uint8_t o; /* digit * 4 + rotation */
    uint8_t x;
    uint8_t y;
} bl_spot;

typedef struct bl_shape {
    int32_t cells; /* 0: no such shape */
    int32_t width;
    int32_t height;
    int32_t turned; /* the shape after a quarter turn clockwise */
    int8_t x[BL_CELLS];
    int8_t y[BL_CELLS];
    uint32_t rows[4];
    uint32_t mask16; /* the four rows of four columns in one word */
} bl_shape;

typedef struct bl_shapes {
    bl_shape shape[BL_SHAPES];
    int32_t rotations[BL_DIGITS]; /* 0: no such digit */
    int32_t area[BL_DIGITS];
    uint8_t overlap[BL_SHAPES][BL_SHAPES][7][7]; /* of b at (dx, dy) with a: [a][b][dy + 3][dx + 3] */
    uint8_t inside[BL_SHAPES][BL_SHAPES][7][7];  /* all of b lies on a */
    uint8_t contact[BL_SHAPES][BL_SHAPES][9][9]; /* they share an edge: [a][b][dy + 4][dx + 4] */
    uint8_t count16[65536];
} bl_shapes;

/* Complete the tables once the cells, `rotations` and `area` are there. Returns 0 when a quarter turn of some shape is
 * none of its digit's. */
static int bl_finish(bl_shapes *t) {
    for (int i = 1; i < 65536; i++)
        t->count16[i] = (uint8_t)(t->count16[i >> 1] + (i & 1));
    for (int a = 0; a < BL_SHAPES; a++) {
        bl_shape *s = &t->shape[a];
        s->width = s->height = 0;
        s->mask16 = 0;
        memset(s->rows, 0, sizeof s->rows);
        for (int i = 0; i < s->cells; i++) {
            s->width = s->x[i] + 1 > s->width ? s->x[i] + 1 : s->width;
            s->height = s->y[i] + 1 > s->height ? s->y[i] + 1 : s->height;
            s->rows[s->y[i]] |= (uint32_t)1 << s->x[i];
            s->mask16 |= (uint32_t)1 << (4 * s->y[i] + s->x[i]);
        }
    }
    for (int a = 0; a < BL_SHAPES; a++) {
        bl_shape *s = &t->shape[a];
        uint32_t turned = 0;
        if (!s->cells)
            continue;
        for (int i = 0; i < s->cells; i++)
            turned |= (uint32_t)1 << (4 * (s->width - 1 - s->x[i]) + s->y[i]);
        s->turned = -1;
        for (int r = 0; r < t->rotations[a >> 2]; r++)
            if (t->shape[(a & ~3) + r].mask16 == turned)
                s->turned = (a & ~3) + r;
        if (s->turned < 0)
            return 0;
    }
    for (int a = 0; a < BL_SHAPES; a++)
        for (int b = 0; b < BL_SHAPES; b++)
            for (int dy = -4; dy <= 4; dy++)
                for (int dx = -4; dx <= 4; dx++) {
                    int over = 0, touch = 0;
                    for (int i = 0; i < t->shape[a].cells; i++)
                        for (int j = 0; j < t->shape[b].cells; j++) {
                            const int ex = t->shape[b].x[j] + dx - t->shape[a].x[i];
                            const int ey = t->shape[b].y[j] + dy - t->shape[a].y[i];
                            over += ex == 0 && ey == 0;
                            touch |= ex * ex + ey * ey == 1;
                        }
                    t->contact[a][b][dy + 4][dx + 4] = (uint8_t)touch;
                    if (dx >= -3 && dx <= 3 && dy >= -3 && dy <= 3) {
                        t->overlap[a][b][dy + 3][dx + 3] = over > 0;
                        t->inside[a][b][dy + 3][dx + 3] = over > 0 && over == t->shape[b].cells;
                    }
                }
    return 1;
}

static inline int bl_overlap(const bl_shapes *t, const bl_spot *a, const bl_spot *b) {
    const int dx = b->x - a->x, dy = b->y - a->y;
    return dx >= -3 && dx <= 3 && dy >= -3 && dy <= 3 && t->overlap[a->o][b->o][dy + 3][dx + 3];
}

/* Whether all of b lies on a. */
static inline int bl_inside(const bl_shapes *t, const bl_spot *a, const bl_spot *b) {
    const int dx = b->x - a->x, dy = b->y - a->y;
    return dx >= -3 && dx <= 3 && dy >= -3 && dy <= 3 && t->inside[a->o][b->o][dy + 3][dx + 3];
}

static inline int bl_touch(const bl_shapes *t, const bl_spot *a, const bl_spot *b) {
    const int dx = b->x - a->x, dy = b->y - a->y;
    return dx >= -4 && dx <= 4 && dy >= -4 && dy <= 4 && t->contact[a->o][b->o][dy + 4][dx + 4];
}

/* --- layouts up to translation and quarter turns ------------------------------------------------------------------ */

static inline uint32_t bl_order(const bl_spot *s) {
    /* No spot is 0: a key says how many there are. */
    return (uint32_t)(s->o + 1) << 16 | (uint32_t)s->x << 8 | s->y;
}

static void bl_extent(const bl_shapes *t, const bl_spot *spots, int n, int *width, int *height) {
    int w = 0, h = 0, low_x = 255, low_y = 255;
    for (int i = 0; i < n; i++) {
        const bl_shape *s = &t->shape[spots[i].o];
        low_x = spots[i].x < low_x ? spots[i].x : low_x;
        low_y = spots[i].y < low_y ? spots[i].y : low_y;
        w = spots[i].x + s->width > w ? spots[i].x + s->width : w;
        h = spots[i].y + s->height > h ? spots[i].y + s->height : h;
    }
    *width = w - low_x;
    *height = h - low_y;
}

/* Turn a layout clockwise by quarters, its corner to (0, 0). `out` may be `spots`. */
static void bl_turn(const bl_shapes *t, const bl_spot *spots, int n, int quarters, bl_spot *out) {
    int x[BL_MAX_TILES], y[BL_MAX_TILES], o[BL_MAX_TILES], low_x = 1 << 20, low_y = 1 << 20;
    for (int i = 0; i < n; i++) {
        x[i] = spots[i].x;
        y[i] = spots[i].y;
        o[i] = spots[i].o;
        for (int q = 0; q < quarters; q++) {
            const int old = x[i];
            x[i] = y[i];
            y[i] = -(old + t->shape[o[i]].width - 1);
            o[i] = t->shape[o[i]].turned;
        }
        low_x = x[i] < low_x ? x[i] : low_x;
        low_y = y[i] < low_y ? y[i] : low_y;
    }
    for (int i = 0; i < n; i++) {
        out[i].o = (uint8_t)o[i];
        out[i].x = (uint8_t)(x[i] - low_x);
        out[i].y = (uint8_t)(y[i] - low_y);
    }
}

/* Bring a layout to the form that all its translations and turns share: the corner at (0, 0), tiles sorted, the least
 * of the four turns. */
static void bl_canonical(const bl_shapes *t, bl_spot *spots, int n) {
    bl_spot turned[BL_MAX_TILES];
    uint32_t best[BL_MAX_TILES], own[BL_MAX_TILES];
    for (int q = 0; q < 4; q++) {
        bl_turn(t, spots, n, q, turned);
        for (int i = 0; i < n; i++) {
            const uint32_t key = bl_order(&turned[i]);
            int j = i - 1;
            while (j >= 0 && own[j] > key) {
                own[j + 1] = own[j];
                j--;
            }
            own[j + 1] = key;
        }
        int less = q == 0;
        for (int i = 0; i < n && !less; i++) {
            if (own[i] > best[i])
                break;
            less = own[i] < best[i];
        }
        if (less)
            memcpy(best, own, sizeof(uint32_t) * (size_t)n);
    }
    for (int i = 0; i < n; i++) {
        spots[i].o = (uint8_t)((best[i] >> 16) - 1);
        spots[i].x = (uint8_t)(best[i] >> 8);
        spots[i].y = (uint8_t)best[i];
    }
}

/* Whether u, as it lies, lies wholly on b, each of its tiles on at least two. */
static int bl_carries(const bl_shapes *t, const bl_spot *b, int bn, const bl_spot *u, int un) {
    for (int i = 0; i < un; i++) {
        int covered = 0;
        for (int j = 0; j < bn; j++) {
            if (!bl_overlap(t, &b[j], &u[i]))
                continue;
            if (bl_inside(t, &b[j], &u[i]))
                return 0;
            const int dx = u[i].x - b[j].x, dy = u[i].y - b[j].y;
            for (int c = 0; c < t->shape[u[i].o].cells; c++) {
                const int x = t->shape[u[i].o].x[c] + dx, y = t->shape[u[i].o].y[c] + dy;
                covered += x >= 0 && x < 4 && y >= 0 && y < 4 && (t->shape[b[j].o].mask16 >> (4 * y + x) & 1);
            }
        }
        if (covered != t->shape[u[i].o].cells)
            return 0;
    }
    return 1;
}

/* --- a level under a layout --------------------------------------------------------------------------------------- */

typedef struct bl_place {
    uint64_t low; /* rows y and y + 1 of the window */
    uint64_t high; /* rows y + 2 and y + 3 */
    uint8_t o, x, y, waste;
} bl_place;

/* Everything one thread needs to look for levels. */
typedef struct bl_search {
    const bl_shapes *shapes;
    const bw_control *control;
    int64_t nodes;
    int32_t work;     /* since the last look at the clock */
    int32_t over;     /* asked to end */
    int64_t overflow; /* placements that left the window: the answer may not be whole */

    /* What is looked for. A family: exactly one of some sets; sets are numbers in mixed radix, `unit` that of one
     * tile. On the table: `most` tiles or fewer of `left`, any tile left over may lie beside. */
    int table;
    int32_t unit[BL_DIGITS];
    int32_t left[BL_DIGITS];
    int32_t most;
    uint8_t *reach;  /* by code: the greatest area of a wanted set that has these tiles, 0 for none */
    uint8_t *more;   /* whether some wanted set has these tiles and others */
    int32_t *member; /* the wanted set's name, -1 for none */
    int32_t columns, rows; /* extent that the level may have, either way round; 0: no limit */

    /* The layout above, and the level so far. */
    uint32_t target[BL_ROWS + 4];
    uint32_t occupied[BL_ROWS + 4];
    int16_t cell[BL_ROWS * BL_COLUMNS];
    int32_t area_above;
    int32_t last_row;
    bl_place *places;
    int32_t start[BL_MAX_TILES * BL_CELLS][BL_DIGITS + 1];
    bl_place *unsorted;
    int16_t *first;
    bl_spot spots[BL_MAX_TILES];
    int32_t count;
    uint64_t wide[BL_SIDE + 8];

    /* What was found: on the table the first level, else each goes to `found`. */
    int done;
    void (*found)(void *context, int32_t name, const bl_spot *spots, int n);
    void *context;
} bl_search;

static int bl_open(bl_search *s, const bl_shapes *shapes, const bw_control *control) {
    memset(s, 0, sizeof *s);
    s->shapes = shapes;
    s->control = control;
    s->places = malloc(BL_PLACES * sizeof *s->places);
    s->unsorted = malloc(BL_PLACES * sizeof *s->unsorted);
    s->first = malloc(BL_PLACES * sizeof *s->first);
    return s->places && s->unsorted && s->first;
}

static void bl_close(bl_search *s) {
    free(s->places);
    free(s->unsorted);
    free(s->first);
    s->places = s->unsorted = NULL;
    s->first = NULL;
}

static inline int bl_ended(bl_search *s, int work) {
    s->nodes++;
    s->work += work;
    if (s->work >= BL_LOOK) {
        s->work = 0;
        if (bw_is_over(s->control, bw_now()))
            s->over = 1;
    }
    return s->over || s->done;
}

/* Whether the level so far fits the grid, lying or standing. */
static int bl_fits(const bl_search *s) {
    int width, height;
    if (!s->columns)
        return 1;
    bl_extent(s->shapes, s->spots, s->count, &width, &height);
    return (width <= s->columns && height <= s->rows) || (width <= s->rows && height <= s->columns);
}

static void bl_take(bl_search *s) {
    if (s->table)
        s->done = 1;
}

/* Lay the tiles left over beside the level, in all ways. */
static void bl_beside(bl_search *s, int32_t code) {
    const bl_shapes *t = s->shapes;
    uint64_t beside[BL_SIDE + 8];
    int low = BL_SIDE, high = 0;
    if (bl_ended(s, BL_HEAVY))
        return;
    if (s->table) {
        if (s->count == s->most) {
            bl_take(s);
            return;
        }
    } else {
        if (s->member[code] >= 0)
            s->found(s->context, s->member[code], s->spots, s->count);
        if (!s->more[code])
            return;
    }
    memset(beside, 0, sizeof beside);
    for (int y = 0; y < BL_SIDE; y++)
        if (s->wide[y]) {
            low = y < low ? y : low;
            high = y;
            if (s->wide[y] & ((uint64_t)0xF | (uint64_t)0xF << 60))
                s->overflow++;
        }
    if (low < 4 || high > BL_SIDE - 5) {
        s->overflow++;
        return;
    }
    for (int y = low - 1; y <= high + 1; y++)
        beside[y] = (s->wide[y] << 1 | s->wide[y] >> 1 | s->wide[y - 1] | s->wide[y + 1]) & ~s->wide[y];
    for (int d = 0; d < BL_DIGITS; d++) {
        if (!s->left[d] || (!s->table && !s->reach[code + s->unit[d]]))
            continue;
        for (int r = 0; r < t->rotations[d]; r++) {
            const bl_shape *shape = &t->shape[4 * d + r];
            for (int y = low - shape->height; y <= high + 1; y++) {
                uint64_t touch = 0, fit = ~(uint64_t)0 >> (shape->width - 1);
                for (int i = 0; i < shape->cells; i++) {
                    touch |= beside[y + shape->y[i]] >> shape->x[i];
                    fit &= ~(s->wide[y + shape->y[i]] >> shape->x[i]);
                }
                for (fit &= touch; fit; fit &= fit - 1) {
                    const int x = __builtin_ctzll(fit);
                    s->spots[s->count] = (bl_spot){(uint8_t)(4 * d + r), (uint8_t)x, (uint8_t)y};
                    s->count++;
                    if (bl_fits(s)) {
                        for (int i = 0; i < shape->height; i++)
                            s->wide[y + i] |= (uint64_t)shape->rows[i] << x;
                        s->left[d]--;
                        bl_beside(s, code + s->unit[d]);
                        s->left[d]++;
                        if (s->done)
                            return;
                        for (int i = 0; i < shape->height; i++)
                            s->wide[y + i] ^= (uint64_t)shape->rows[i] << x;
                    }
                    s->count--;
                    if (s->over)
                        return;
                }
            }
        }
    }
}

/* Lay tiles beside the tiles of `spots`, which stand for the level so far, in the middle of the wide window. */
static void bl_from(bl_search *s, int32_t code) {
    int width, height, low_x = 255, low_y = 255;
    bl_extent(s->shapes, s->spots, s->count, &width, &height);
    for (int i = 0; i < s->count; i++) {
        low_x = s->spots[i].x < low_x ? s->spots[i].x : low_x;
        low_y = s->spots[i].y < low_y ? s->spots[i].y : low_y;
    }
    if (width > BL_SIDE || height > BL_SIDE) {
        s->overflow++;
        return;
    }
    memset(s->wide, 0, sizeof s->wide);
    for (int i = 0; i < s->count; i++) {
        bl_spot *spot = &s->spots[i];
        spot->x = (uint8_t)(spot->x - low_x + (BL_SIDE - width) / 2);
        spot->y = (uint8_t)(spot->y - low_y + (BL_SIDE - height) / 2);
        for (int r = 0; r < s->shapes->shape[spot->o].height; r++)
            s->wide[spot->y + r] |= (uint64_t)s->shapes->shape[spot->o].rows[r] << spot->x;
    }
    bl_beside(s, code);
}

/* All squares above are covered: the level is one piece, because what it covers is. */
static void bl_covered(bl_search *s, int32_t code) {
    bl_spot kept[BL_MAX_TILES];
    if (s->table && (!s->columns || s->count == s->most)) {
        bl_take(s);
        return;
    }
    if (!s->table && !s->more[code]) {
        if (s->member[code] >= 0)
            s->found(s->context, s->member[code], s->spots, s->count);
        return;
    }
    memcpy(kept, s->spots, sizeof kept);
    bl_from(s, code);
    if (!s->done)
        memcpy(s->spots, kept, sizeof kept);
}

/* The greatest area of `n` more tiles. */
static int bl_room(const bl_search *s, int n, const int32_t *left) {
    int area = 0;
    for (int a = BL_CELLS; a > 0 && n > 0; a--)
        for (int d = 0; d < BL_DIGITS && n > 0; d++)
            if (s->shapes->area[d] == a) {
                const int k = left[d] < n ? left[d] : n;
                area += k * a;
                n -= k;
            }
    return area;
}

/* Cover the first square above that is not yet covered. `area` is that of the level so far. */
static void bl_cover(bl_search *s, int row, int32_t code, int area, int uncovered) {
    int budget[BL_DIGITS];
    uint32_t rest;
    if (bl_ended(s, 1))
        return;
    if (!uncovered) {
        bl_covered(s, code);
        return;
    }
    if (s->table && s->count == s->most)
        return;
    while (!(rest = s->target[row] & ~s->occupied[row]))
        row++;
    const int16_t cell = s->cell[row * BL_COLUMNS + __builtin_ctz(rest)];
    for (int d = 0; d < BL_DIGITS; d++) {
        budget[d] = -1;
        if (!s->left[d])
            continue;
        if (s->table) {
            s->left[d]--;
            budget[d] = s->shapes->area[d] + bl_room(s, s->most - s->count - 1, s->left) - uncovered;
            s->left[d]++;
        } else if (s->reach[code + s->unit[d]])
            budget[d] = s->reach[code + s->unit[d]] - area - uncovered;
    }
    for (int d = 0; d < BL_DIGITS; d++) {
        if (budget[d] < 0)
            continue;
        const bl_place *end = s->places + s->start[cell][d + 1];
        for (const bl_place *p = s->places + s->start[cell][d]; p < end && p->waste <= budget[d]; p++) {
            uint64_t low, high, now;
            memcpy(&low, &s->occupied[p->y], 8);
            memcpy(&high, &s->occupied[p->y + 2], 8);
            if ((low & p->low) | (high & p->high))
                continue;
            s->spots[s->count] = (bl_spot){p->o, p->x, p->y};
            s->count++;
            if (bl_fits(s)) {
                now = low | p->low;
                memcpy(&s->occupied[p->y], &now, 8);
                now = high | p->high;
                memcpy(&s->occupied[p->y + 2], &now, 8);
                s->left[d]--;
                bl_cover(s, row, code + s->unit[d], area + s->shapes->area[d],
                         uncovered - s->shapes->area[d] + p->waste);
                s->left[d]++;
                if (s->done)
                    return;
                memcpy(&s->occupied[p->y], &low, 8);
                memcpy(&s->occupied[p->y + 2], &high, 8);
            }
            s->count--;
            if (s->over)
                return;
        }
    }
}

/* List the places that cover some square above: by the first one they cover, then digit, then squares wasted. No tile
 * may hold a whole tile above, which would rest on it alone. Returns 0 when the layout is too large for the window. */
static int bl_aim(bl_search *s, const bl_spot *above, int n, int budget) {
    const bl_shapes *t = s->shapes;
    bl_spot u[BL_MAX_TILES];
    int width, height, cells = 0, listed = 0;
    int32_t fill[BL_MAX_TILES * BL_CELLS][BL_DIGITS][BL_CELLS + 1];
    bl_extent(t, above, n, &width, &height);
    bl_turn(t, above, n, width > height, u);
    if (width > height) {
        const int swap = width;
        width = height;
        height = swap;
    }
    if (width + 2 * BL_MARGIN > BL_COLUMNS || height + 2 * BL_MARGIN > BL_ROWS) {
        s->overflow++;
        return 0;
    }
    const int left = (BL_COLUMNS - width) / 2, bottom = BL_MARGIN;
    memset(s->target, 0, sizeof s->target);
    memset(s->occupied, 0, sizeof s->occupied);
    s->area_above = 0;
    for (int i = 0; i < n; i++) {
        u[i].x = (uint8_t)(u[i].x + left);
        u[i].y = (uint8_t)(u[i].y + bottom);
        s->area_above += t->shape[u[i].o].cells;
        for (int r = 0; r < t->shape[u[i].o].height; r++)
            s->target[u[i].y + r] |= t->shape[u[i].o].rows[r] << u[i].x;
    }
    for (int y = 0; y < BL_ROWS; y++)
        for (uint32_t row = s->target[y]; row; row &= row - 1)
            s->cell[y * BL_COLUMNS + __builtin_ctz(row)] = (int16_t)cells++;
    memset(fill, 0, sizeof(fill[0]) * (size_t)cells);
    for (int y = 0; y < bottom + height; y++)
        for (int x = left - BL_MARGIN; x < left + width; x++) {
            uint32_t window = 0;
            for (int r = 0; r < 4; r++)
                window |= (s->target[y + r] >> x & 15) << (4 * r);
            if (!window)
                continue;
            for (int d = 0; d < BL_DIGITS; d++) {
                if (!s->left[d])
                    continue;
                for (int o = 4 * d; o < 4 * d + t->rotations[d]; o++) {
                    const bl_shape *shape = &t->shape[o];
                    const uint32_t hit = window & shape->mask16;
                    const int waste = shape->cells - t->count16[hit];
                    const bl_spot spot = {(uint8_t)o, (uint8_t)x, (uint8_t)y};
                    int holds = 0;
                    if (!hit || waste > budget)
                        continue;
                    for (int i = 0; i < n && !holds; i++)
                        holds = bl_inside(t, &spot, &u[i]);
                    if (holds)
                        continue;
                    const int bit = __builtin_ctz(hit);
                    const int first = s->cell[(y + bit / 4) * BL_COLUMNS + x + bit % 4];
                    bl_place *p = &s->unsorted[listed];
                    p->low = p->high = 0;
                    uint32_t rows[4];
                    for (int r = 0; r < 4; r++)
                        rows[r] = shape->rows[r] << x;
                    memcpy(&p->low, rows, 8);
                    memcpy(&p->high, rows + 2, 8);
                    p->o = (uint8_t)o;
                    p->x = (uint8_t)x;
                    p->y = (uint8_t)y;
                    p->waste = (uint8_t)waste;
                    s->first[listed++] = (int16_t)first;
                    fill[first][d][waste]++;
                }
            }
        }
    int at = 0;
    for (int c = 0; c < cells; c++) {
        for (int d = 0; d < BL_DIGITS; d++) {
            s->start[c][d] = at;
            for (int w = 0; w <= BL_CELLS; w++) {
                const int k = fill[c][d][w];
                fill[c][d][w] = at;
                at += k;
            }
        }
        s->start[c][BL_DIGITS] = at;
    }
    for (int i = 0; i < listed; i++) {
        const bl_place *p = &s->unsorted[i];
        s->places[fill[s->first[i]][p->o >> 2][p->waste]++] = *p;
    }
    s->count = 0;
    return 1;
}

/* Look for the wanted levels under a layout, wasting at most `budget` squares. */
static void bl_under(bl_search *s, const bl_spot *above, int n, int budget) {
    if (budget >= 0 && bl_aim(s, above, n, budget))
        bl_cover(s, 0, 0, 0, s->area_above);
}

#endif
