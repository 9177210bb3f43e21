/* The optimum of a free problem: a best-first search over (tiles used, lowest layout), from the top level down.
 *
 * docs/nmbr9-bound.md proves each step. In short: each further level lifts all above it by one, so a stack whose levels
 * from the top use M_1 < M_2 < ... < M_h < all (each a multiset of tiles) is worth digits(M_1) + ... + digits(M_h).
 * Neighbouring levels alone are tied by the rules, so all that the levels above leave behind is (M, lowest layout).
 *
 * The work is cut into batches of independent tasks: bf_prepare makes the next batch, any number of threads call
 * bf_work until it is done. Stages: layouts of at most three tiles; which of them carries which; the relaxation G; and
 * the search, by falling value + G and then by tiles used.
 */
#ifndef BLOCKWIT_FREEORDER_H
#define BLOCKWIT_FREEORDER_H

#include "levels.h"

enum {
    BF_TILES = 20,
    BF_SMALL = 3,     /* levels of at most so many tiles are in tables */
    BF_CHUNK = 32,    /* layouts of one task */
    BF_AREA = 201,
    BF_VALUES = 1024, /* more than any score */
    BF_HORIZON = 12,  /* transitions are listed for so many points below the bound at a time */
    BF_FLUSH = 4096,
    BF_PLACES = 512,  /* places of single tiles on three */
    BF_PARTS = 4096
};

typedef enum { BF_READY, BF_BOUND, BF_FOUND, BF_EMPTY, BF_FULL, BF_UNDECIDED, BF_FAULT, BF_NO_MEMORY } bf_status;
typedef enum { BF_LAYOUTS, BF_PAIRS, BF_REST, BF_SEARCH } bf_stage;

/* The layouts of one set of at most three tiles. */
typedef struct bf_set {
    int32_t code;
    int32_t tiles;
    int32_t area;
    int32_t count;
    bl_spot *spots; /* `tiles` a layout */
    int32_t *slots; /* open addressing, -1 is empty */
    uint32_t mask;
    /* Pairs (layout of another set, layout of this set that carries it), by the other set. */
    uint32_t *pairs; /* upper << 16 | lower */
    int64_t *begin;  /* by the other set's index */
    uint8_t *loads;  /* by area: whether it carries a connected level of four tiles of that area */
} bf_set;

/* Stacks of one value that use the tiles `used` and have the set `set` lowest. */
typedef struct bf_group {
    int32_t used;
    int32_t set;
    int32_t value;
    int32_t worth; /* value + G */
    int32_t levels;
    int32_t small; /* index of the set, -1 when it has four tiles and more */
    int32_t next;  /* another group of the same used and set */
    int32_t tiles; /* of `set` */
    int32_t ready;
    int64_t count;
    int64_t room;
    uint64_t *bits;  /* small: which layouts of the set */
    bl_spot *spots;  /* else the layouts */
} bf_group;

typedef struct bf_list {
    int64_t *item;
    int64_t count;
    int64_t room;
} bf_list;

typedef struct bf_task {
    int32_t kind;
    int32_t done;
    int32_t group;
    int32_t last;
    int64_t first;
    int64_t end;
} bf_task;

typedef struct bf_slot {
    int32_t group;
    int32_t index;
} bf_slot;

/* Part of the hash table of large layouts: so many parts that none is large when it has to grow. */
typedef struct bf_part {
    bf_slot *slot;
    uint32_t mask;
    uint32_t count;
} bf_part;

typedef struct bf_move {
    int64_t item;
    int32_t worth;
    int32_t size;
} bf_move;

typedef struct bf_out {
    int32_t group;
    bl_spot spots[BL_MAX_TILES];
} bf_out;

typedef struct bf_solver {
    const bl_shapes *shapes;
    bw_control *control;
    int32_t pool[BL_DIGITS];
    int32_t cards;
    int32_t columns, rows, most_levels;
    int64_t memory; /* bytes that layouts may take */
    int64_t bytes;

    /* Multisets of the pool as numbers in mixed radix. */
    int32_t unit[BL_DIGITS];
    int32_t codes;
    uint8_t (*counts)[BL_DIGITS];
    uint8_t *tiles;
    uint8_t *area;
    uint8_t *digits;
    int16_t *small_of;
    int32_t pool_tiles, pool_digits;

    bf_set *sets;
    int32_t set_count;
    int32_t large_area; /* the least area of a level of four tiles */
    int32_t classes;
    int32_t layers;
    int16_t *rest; /* G by levels left, tiles left, class of the last set; -1: nothing can be finished */

    bf_stage stage;
    int32_t step; /* of the stage: number of tiles */
    int32_t part;
    int32_t bound; /* no stack is worth more */
    int32_t floor; /* stacks worth no more are not looked for */
    int32_t skip;  /* worth above which no table is tried: refuted before */
    int32_t horizon;
    int32_t undecided;

    bf_group *groups;
    int64_t group_count, group_room;
    int32_t *heads; /* hash of (used, set) -> group, -1 empty */
    uint32_t head_mask;
    bf_part *seen; /* large layouts */
    bf_list waiting[BF_VALUES][BF_TILES + 1]; /* groups by worth and tiles used */
    bf_list moves[BF_VALUES][BF_TILES + 1];   /* group << 32 | set below, or -1 for the table */

    bf_task *tasks;
    int64_t task_count, task_room;
    int64_t next_task;
    bf_list wanted; /* sets of the batch's families */

    /* What was found. */
    int32_t found;
    int32_t found_group;
    int32_t found_count;
    bl_spot found_spots[BL_MAX_TILES];

    int32_t fault, full, no_memory;
    int64_t nodes, pairs_count, layouts_count, covers;
} bf_solver;

typedef struct bf_worker {
    bf_solver *f;
    bl_search s;
    int32_t *touched;
    int32_t touched_count;
    int32_t *marks;
    bf_out *out;
    int32_t out_count;
    int64_t covers;
    void (*flush)(struct bf_worker *w); /* hands `out` over, one thread at a time */
    void *owner;
    /* Room for the pairs under one set. */
    uint32_t *pairs;
    int32_t *upper;
    int64_t pair_count, pair_room;
    int32_t no_memory;
    /* Moves listed by the task under way. */
    bf_move *moves;
    int64_t move_count, move_room;
} bf_worker;

static int bf_grow(void **block, int64_t *room, int64_t need, size_t size) {
    if (need <= *room)
        return 1;
    int64_t more = *room ? *room * 2 : 64;
    while (more < need)
        more *= 2;
    void *grown = realloc(*block, (size_t)more * size);
    if (!grown)
        return 0;
    *block = grown;
    *room = more;
    return 1;
}

static int bf_push(bf_list *list, int64_t item) {
    if (!bf_grow((void **)&list->item, &list->room, list->count + 1, sizeof(int64_t)))
        return 0;
    list->item[list->count++] = item;
    return 1;
}

/* --- sets --------------------------------------------------------------------------------------------------------- */

static int bf_code_sets(bf_solver *f) {
    int32_t codes = 1;
    for (int d = 0; d < BL_DIGITS; d++) {
        f->unit[d] = codes;
        codes *= f->pool[d] + 1;
        f->pool_tiles += f->pool[d];
        f->pool_digits += d * f->pool[d];
    }
    f->codes = codes;
    f->counts = calloc((size_t)codes, sizeof *f->counts);
    f->tiles = calloc((size_t)codes, 1);
    f->area = calloc((size_t)codes, 1);
    f->digits = calloc((size_t)codes, 1);
    f->small_of = calloc((size_t)codes, sizeof *f->small_of);
    if (!f->counts || !f->tiles || !f->area || !f->digits || !f->small_of)
        return 0;
    f->large_area = BF_AREA;
    for (int32_t c = 0; c < codes; c++) {
        int area = 0, tiles = 0, digits = 0;
        for (int d = 0; d < BL_DIGITS; d++) {
            const int n = c / f->unit[d] % (f->pool[d] + 1);
            f->counts[c][d] = (uint8_t)n;
            tiles += n;
            area += n * f->shapes->area[d];
            digits += n * d;
        }
        f->tiles[c] = (uint8_t)tiles;
        f->area[c] = (uint8_t)area;
        f->digits[c] = (uint8_t)digits;
        f->small_of[c] = -1;
        if (tiles >= 1 && tiles <= BF_SMALL)
            f->set_count++;
        if (tiles > BF_SMALL && area < f->large_area)
            f->large_area = area;
    }
    f->sets = calloc((size_t)f->set_count, sizeof *f->sets);
    if (!f->sets)
        return 0;
    int32_t at = 0;
    for (int tiles = 1; tiles <= BF_SMALL; tiles++)
        for (int32_t c = 0; c < codes; c++)
            if (f->tiles[c] == tiles) {
                f->sets[at].code = c;
                f->sets[at].tiles = tiles;
                f->sets[at].area = f->area[c];
                f->small_of[c] = (int16_t)at++;
            }
    const int last = f->area[codes - 1] / 2 - f->large_area + 1;
    f->classes = f->set_count + (last > 0 ? last : 0);
    return 1;
}

static inline int bf_contains(const bf_solver *f, int32_t a, int32_t b) {
    for (int d = 0; d < BL_DIGITS; d++)
        if (f->counts[a][d] < f->counts[b][d])
            return 0;
    return 1;
}

/* The next submultiset of `most` in the order of codes; returns 0 after the last. */
static inline int bf_next(const bf_solver *f, const uint8_t *most, uint8_t *at, int32_t *code) {
    for (int d = 0; d < BL_DIGITS; d++) {
        if (at[d] < most[d]) {
            at[d]++;
            *code += f->unit[d];
            return 1;
        }
        *code -= at[d] * f->unit[d];
        at[d] = 0;
    }
    return 0;
}

static int32_t bf_most_area(const bf_solver *f, int32_t of, int n) {
    int32_t left[BL_DIGITS];
    int area = 0;
    for (int d = 0; d < BL_DIGITS; d++)
        left[d] = f->counts[of][d];
    for (int a = BL_CELLS; a > 0 && n > 0; a--)
        for (int d = 0; d < BL_DIGITS && n > 0; d++)
            if (f->shapes->area[d] == a) {
                const int k = left[d] < n ? left[d] : n;
                area += k * a;
                n -= k;
            }
    return area;
}

/* --- layouts of at most three tiles ------------------------------------------------------------------------------- */

static inline uint64_t bf_mix(uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

static inline uint64_t bf_hash(const bl_spot *spots, int n, uint64_t h) {
    for (int i = 0; i < n; i++)
        h = bf_mix(h ^ bl_order(&spots[i]));
    return h;
}

/* The index of a canonical layout among those of its set, -1 if it is none. */
static int32_t bf_find(const bf_set *set, const bl_spot *spots) {
    const size_t size = (size_t)set->tiles * sizeof(bl_spot);
    for (uint32_t at = (uint32_t)bf_hash(spots, set->tiles, 1) & set->mask;; at = (at + 1) & set->mask) {
        const int32_t i = set->slots[at];
        if (i < 0 || !memcmp(set->spots + (size_t)i * (size_t)set->tiles, spots, size))
            return i;
    }
}

static int bf_add(bf_set *set, const bl_spot *spots, int32_t *room) {
    const size_t size = (size_t)set->tiles * sizeof(bl_spot);
    if (2 * (uint32_t)(set->count + 1) > set->mask + 1) {
        const uint32_t slots = set->mask ? 4 * (set->mask + 1) : 256;
        int32_t *grown = malloc(slots * sizeof(int32_t));
        if (!grown)
            return 0;
        memset(grown, -1, slots * sizeof(int32_t));
        for (int32_t i = 0; i < set->count; i++) {
            uint32_t at = (uint32_t)bf_hash(set->spots + (size_t)i * (size_t)set->tiles, set->tiles, 1) & (slots - 1);
            while (grown[at] >= 0)
                at = (at + 1) & (slots - 1);
            grown[at] = i;
        }
        free(set->slots);
        set->slots = grown;
        set->mask = slots - 1;
    }
    uint32_t at = (uint32_t)bf_hash(spots, set->tiles, 1) & set->mask;
    for (; set->slots[at] >= 0; at = (at + 1) & set->mask)
        if (!memcmp(set->spots + (size_t)set->slots[at] * (size_t)set->tiles, spots, size))
            return 1;
    if (set->count == *room) {
        *room = *room ? 2 * *room : 256;
        bl_spot *grown = realloc(set->spots, (size_t)*room * size);
        if (!grown)
            return 0;
        set->spots = grown;
    }
    set->slots[at] = set->count;
    memcpy(set->spots + (size_t)set->count * (size_t)set->tiles, spots, size);
    set->count++;
    return 1;
}

/* All connected layouts of a set: those of the set without one tile, and that tile beside in every way. */
static int bf_list_layouts(bf_worker *w, bf_set *set) {
    const bf_solver *f = w->f;
    const bl_shapes *t = f->shapes;
    int32_t room = 0;
    set->count = 0;
    set->mask = 0;
    if (set->tiles == 1) {
        for (int d = 0; d < BL_DIGITS; d++)
            if (f->unit[d] == set->code && f->pool[d]) {
                const bl_shape *shape = &t->shape[4 * d];
                bl_spot spot = {(uint8_t)(4 * d), 0, 0};
                bl_canonical(t, &spot, 1);
                if (f->columns && !((shape->width <= f->columns && shape->height <= f->rows) ||
                                    (shape->width <= f->rows && shape->height <= f->columns)))
                    break;
                return bf_add(set, &spot, &room);
            }
        return bf_add(set, &(bl_spot){0, 0, 0}, &room) && (set->count = 0, 1);
    }
    for (int d = 0; d < BL_DIGITS; d++) {
        if (!f->counts[set->code][d])
            continue;
        const bf_set *core = &f->sets[f->small_of[set->code - f->unit[d]]];
        for (int32_t i = 0; i < core->count; i++) {
            bl_spot a[BF_SMALL];
            int width, height;
            if (i % 8 == 0 && bw_is_over(f->control, bw_now()))
                return 1;
            for (int j = 0; j < core->tiles; j++) {
                a[j] = core->spots[i * core->tiles + j];
                a[j].x = (uint8_t)(a[j].x + 4);
                a[j].y = (uint8_t)(a[j].y + 4);
            }
            bl_extent(t, a, core->tiles, &width, &height);
            for (int r = 0; r < t->rotations[d]; r++)
                for (int y = 0; y <= height + 4; y++)
                    for (int x = 0; x <= width + 4; x++) {
                        const bl_spot spot = {(uint8_t)(4 * d + r), (uint8_t)x, (uint8_t)y};
                        int touches = 0, overlaps = 0;
                        for (int j = 0; j < core->tiles; j++) {
                            touches |= bl_touch(t, &a[j], &spot);
                            overlaps |= bl_overlap(t, &a[j], &spot);
                        }
                        if (!touches || overlaps)
                            continue;
                        bl_spot whole[BF_SMALL];
                        int wide, high;
                        memcpy(whole, a, sizeof whole);
                        whole[core->tiles] = spot;
                        bl_extent(t, whole, set->tiles, &wide, &high);
                        if (f->columns && !((wide <= f->columns && high <= f->rows) ||
                                            (wide <= f->rows && high <= f->columns)))
                            continue;
                        bl_canonical(t, whole, set->tiles);
                        if (!bf_add(set, whole, &room))
                            return 0;
                    }
        }
    }
    if (!set->slots) {
        /* Nothing fits the grid: an empty table to look things up in. */
        set->slots = malloc(sizeof(int32_t));
        if (!set->slots)
            return 0;
        set->slots[0] = -1;
    }
    return 1;
}

/* --- which of them carries which ---------------------------------------------------------------------------------- */

static int bf_note_pair(bf_worker *w, const bl_spot *places, const int *which, int n, int32_t lower) {
    bf_solver *f = w->f;
    bl_spot u[4];
    int32_t code = 0;
    for (int i = 0; i < n; i++) {
        u[i] = places[which[i]];
        code += f->unit[u[i].o >> 2];
    }
    const int32_t index = f->small_of[code];
    bl_canonical(f->shapes, u, n);
    const int32_t upper = bf_find(&f->sets[index], u);
    if (upper < 0)
        return 0;
    /* The same layout may lie on this one in several places. */
    for (int64_t i = w->pair_count - 1; i >= 0 && (w->pairs[i] & 0xffff) == (uint32_t)lower; i--)
        if (w->upper[i] == index && w->pairs[i] >> 16 == (uint32_t)upper)
            return 1;
    if (w->pair_count == w->pair_room) {
        int64_t room = w->pair_room;
        if (!bf_grow((void **)&w->pairs, &room, w->pair_count + 1, sizeof(uint32_t)) ||
            !bf_grow((void **)&w->upper, &w->pair_room, w->pair_count + 1, sizeof(int32_t))) {
            w->no_memory = 1;
            return 0;
        }
    }
    w->pairs[w->pair_count] = (uint32_t)upper << 16 | (uint32_t)lower;
    w->upper[w->pair_count++] = index;
    return 1;
}

/* All connected levels of at most three tiles on the layouts of a set, each tile on at least two; and which areas
 * connected levels of four can have. Returns 0 when something is wrong, else 1; w->s.over when it was ended. */
static int bf_list_pairs(bf_worker *w, bf_set *set) {
    bf_solver *f = w->f;
    const bl_shapes *t = f->shapes;
    int32_t free_of[BL_DIGITS], least = 0;
    w->pair_count = 0;
    for (int d = 0; d < BL_DIGITS; d++)
        free_of[d] = f->pool[d] - f->counts[set->code][d];
    {
        int n = 4;
        for (int a = 1; a <= BL_CELLS && n > 0; a++)
            for (int d = 0; d < BL_DIGITS && n > 0; d++)
                if (t->area[d] == a) {
                    const int k = free_of[d] < n ? free_of[d] : n;
                    least += k * a;
                    n -= k;
                }
        if (n > 0)
            least = BF_AREA;
    }
    for (int32_t i = 0; i < set->count; i++) {
        const bl_spot *b = set->spots + (size_t)i * (size_t)set->tiles;
        uint16_t rows[24] = {0};
        bl_spot places[BF_PLACES];
        uint64_t apart[BF_PLACES][BF_PLACES / 64], near[BF_PLACES][BF_PLACES / 64];
        int n = 0, which[4];
        if (i % 16 == 0 && bw_is_over(f->control, bw_now())) {
            w->s.over = 1;
            return 1;
        }
        for (int j = 0; j < set->tiles; j++)
            for (int r = 0; r < t->shape[b[j].o].height; r++)
                rows[b[j].y + r] |= (uint16_t)(t->shape[b[j].o].rows[r] << b[j].x);
        for (int d = 0; d < BL_DIGITS; d++) {
            if (!free_of[d])
                continue;
            for (int o = 4 * d; o < 4 * d + t->rotations[d]; o++) {
                const bl_shape *shape = &t->shape[o];
                uint16_t fit[16];
                memset(fit, -1, sizeof fit);
                for (int c = 0; c < shape->cells; c++)
                    for (int y = 0; y < 16; y++)
                        fit[y] &= (uint16_t)(rows[y + shape->y[c]] >> shape->x[c]);
                for (int y = 0; y < 12; y++)
                    for (uint32_t row = fit[y]; row; row &= row - 1) {
                        const bl_spot spot = {(uint8_t)o, (uint8_t)__builtin_ctz(row), (uint8_t)y};
                        int single = 0;
                        for (int j = 0; j < set->tiles; j++)
                            single |= bl_inside(t, &b[j], &spot);
                        if (single)
                            continue;
                        if (n == BF_PLACES)
                            return 0;
                        places[n++] = spot;
                    }
            }
        }
        const int words = (n + 63) / 64;
        for (int j = 0; j < n; j++) {
            memset(apart[j], 0, sizeof(uint64_t) * (size_t)words);
            memset(near[j], 0, sizeof(uint64_t) * (size_t)words);
            for (int k = j + 1; k < n; k++) {
                const int d = places[j].o >> 2;
                if (bl_overlap(t, &places[j], &places[k]) || (places[k].o >> 2 == d && free_of[d] < 2))
                    continue;
                apart[j][k / 64] |= (uint64_t)1 << k % 64;
                if (bl_touch(t, &places[j], &places[k]))
                    near[j][k / 64] |= (uint64_t)1 << k % 64;
            }
        }
        for (int j = 0; j < n; j++) {
            which[0] = j;
            if (!bf_note_pair(w, places, which, 1, i))
                return 0;
            for (int k = j + 1; k < n; k++) {
                if (!(apart[j][k / 64] >> k % 64 & 1))
                    continue;
                const int joined = (int)(near[j][k / 64] >> k % 64 & 1);
                which[1] = k;
                if (joined && !bf_note_pair(w, places, which, 2, i))
                    return 0;
                for (int v = k / 64; v < words; v++) {
                    uint64_t both = apart[j][v] & apart[k][v];
                    for (; both; both &= both - 1) {
                        const int l = 64 * v + __builtin_ctzll(both);
                        const int links = joined + (int)(near[j][v] >> l % 64 & 1) + (int)(near[k][v] >> l % 64 & 1);
                        const int d = places[l].o >> 2;
                        /* A third copy of a digit is none of the pool's. */
                        if ((d == places[j].o >> 2) + (d == places[k].o >> 2) >= free_of[d])
                            continue;
                        which[2] = l;
                        if (links >= 2 && !bf_note_pair(w, places, which, 3, i))
                            return 0;
                        if (least > set->area)
                            continue;
                        for (int m = l + 1; m < n; m++) {
                            const int e = places[m].o >> 2;
                            bl_spot four[4] = {places[j], places[k], places[l], places[m]};
                            uint32_t seen = 1;
                            int same = 0, area = 0;
                            for (int q = 0; q < 3; q++)
                                same += four[q].o >> 2 == e;
                            if (same >= free_of[e] || !(apart[j][m / 64] >> m % 64 & 1) ||
                                !(apart[k][m / 64] >> m % 64 & 1) || !(apart[l][m / 64] >> m % 64 & 1))
                                continue;
                            for (int round = 0; round < 3; round++)
                                for (int p = 0; p < 4; p++)
                                    for (int q = 0; q < 4; q++)
                                        if (seen >> p & 1 && bl_touch(t, &four[p], &four[q]))
                                            seen |= (uint32_t)1 << q;
                            for (int q = 0; q < 4; q++)
                                area += t->shape[four[q].o].cells;
                            if (seen == 15)
                                set->loads[area] = 1;
                        }
                    }
                }
            }
        }
    }
    return 1;
}

/* Sort the pairs found under a set by the upper set and keep them. */
static int bf_keep_pairs(bf_worker *w, bf_set *set) {
    bf_solver *f = w->f;
    free(set->pairs);
    free(set->begin);
    set->pairs = malloc((size_t)(w->pair_count + 1) * sizeof(uint32_t));
    set->begin = calloc((size_t)f->set_count + 2, sizeof(int64_t));
    if (!set->pairs || !set->begin)
        return 0;
    for (int64_t i = 0; i < w->pair_count; i++)
        set->begin[w->upper[i] + 2]++;
    for (int32_t u = 0; u < f->set_count; u++)
        set->begin[u + 2] += set->begin[u + 1];
    for (int64_t i = 0; i < w->pair_count; i++)
        set->pairs[set->begin[w->upper[i] + 1]++] = w->pairs[i];
    return 1;
}

static inline int bf_small_carries(const bf_solver *f, int upper, int lower) {
    const bf_set *set = &f->sets[lower];
    return set->begin && set->begin[upper + 1] > set->begin[upper];
}

/* Whether the relaxation lets a set lie under another one. */
static inline int bf_may_carry(const bf_solver *f, int32_t upper, int32_t lower) {
    const int u = f->small_of[upper], b = f->small_of[lower];
    if (f->area[upper] > f->area[lower])
        return 0;
    if (b < 0)
        return 1;
    return u >= 0 ? bf_small_carries(f, u, b) : f->sets[b].loads[f->area[upper]];
}

/* --- G: what can still come below --------------------------------------------------------------------------------- */

static inline int bf_class(const bf_solver *f, int32_t set) {
    if (f->small_of[set] >= 0)
        return f->small_of[set];
    const int at = f->set_count + f->area[set] - f->large_area;
    return at < f->classes ? at : -1;
}

/* The best sum still to come below a set with the tiles `left` to choose from; -1: nothing can be finished. */
static inline int bf_rest(const bf_solver *f, int levels, int32_t left, int class) {
    const int layer = f->most_levels ? f->most_levels - levels - 1 : 0;
    if (class < 0 || (f->most_levels && layer < 0))
        return -1;
    return f->rest[((int64_t)layer * f->codes + left) * f->classes + class];
}

/* Fill G for one multiset of tiles left. With a limit on levels, layer n is for n + 1 levels more at most. */
static void bf_fill_rest(bf_solver *f, int32_t left) {
    const int32_t used = f->codes - 1 - left;
    const int t = f->cards - f->tiles[used];
    const int gain = f->digits[used];
    for (int layer = 0; layer < f->layers; layer++) {
        int16_t *out = f->rest + ((int64_t)layer * f->codes + left) * f->classes;
        int wide[BF_AREA + 1];
        uint8_t at[BL_DIGITS] = {0};
        int32_t code = 0;
        for (int c = 0; c < f->classes; c++)
            out[c] = -1;
        if (t < 2)
            continue;
        for (int a = 0; a <= BF_AREA; a++)
            wide[a] = -1;
        const int most = bf_most_area(f, left, t);
        if (t > BF_SMALL)
            wide[most] = 0;
        while (bf_next(f, f->counts[left], at, &code)) {
            int below;
            const int n = f->tiles[code];
            if (n < 2 || n > t || n == t - 1 || (n < t && 2 * f->area[code] > most))
                continue;
            if (n == t) {
                if (n > BF_SMALL)
                    continue;
                below = 0;
            } else {
                const int class = bf_class(f, code);
                if (class < 0 || (f->most_levels && layer == 0))
                    continue;
                below = f->rest[((int64_t)(f->most_levels ? layer - 1 : 0) * f->codes + left - code) * f->classes +
                                class];
                if (below < 0)
                    continue;
            }
            if (n > BF_SMALL) {
                if (below > wide[f->area[code]])
                    wide[f->area[code]] = below;
                continue;
            }
            const bf_set *set = &f->sets[f->small_of[code]];
            for (int u = 0; u < f->set_count; u++)
                if (set->begin[u + 1] > set->begin[u] && out[u] < below + gain)
                    out[u] = (int16_t)(below + gain);
            for (int c = f->set_count; c < f->classes; c++)
                if (set->loads[f->large_area + c - f->set_count] && out[c] < below + gain)
                    out[c] = (int16_t)(below + gain);
        }
        for (int a = BF_AREA - 1; a >= 0; a--)
            wide[a] = wide[a + 1] > wide[a] ? wide[a + 1] : wide[a];
        for (int c = 0; c < f->classes; c++) {
            const int area = c < f->set_count ? f->sets[c].area : f->large_area + c - f->set_count;
            if (wide[area] >= 0 && out[c] < wide[area] + gain)
                out[c] = (int16_t)(wide[area] + gain);
        }
    }
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

static inline uint32_t bf_head_at(const bf_solver *f, int32_t used, int32_t set) {
    return (uint32_t)bf_mix((uint64_t)used << 32 | (uint32_t)set) & f->head_mask;
}

/* Where the head of the groups of (used, set) is or belongs. */
static uint32_t bf_head(const bf_solver *f, int32_t used, int32_t set) {
    uint32_t at = bf_head_at(f, used, set);
    while (f->heads[at] >= 0) {
        const bf_group *g = &f->groups[f->heads[at]];
        if (g->used == used && g->set == set)
            break;
        at = (at + 1) & f->head_mask;
    }
    return at;
}

/* The group with these properties, made if there is none; -1 without memory. */
static int32_t bf_group_of(bf_solver *f, int32_t used, int32_t set, int32_t value, int32_t worth, int32_t levels) {
    uint32_t at = bf_head(f, used, set);
    for (int32_t i = f->heads[at]; i >= 0; i = f->groups[i].next)
        if (f->groups[i].value == value && f->groups[i].levels == levels)
            return i;
    if (!bf_grow((void **)&f->groups, &f->group_room, f->group_count + 1, sizeof(bf_group)))
        return -1;
    const int32_t index = (int32_t)f->group_count;
    bf_group *g = &f->groups[index];
    memset(g, 0, sizeof *g);
    g->used = used;
    g->set = set;
    g->value = value;
    g->worth = worth;
    g->levels = levels;
    g->small = f->small_of[set];
    g->tiles = f->tiles[set];
    g->next = f->heads[at];
    if (g->small >= 0) {
        const size_t words = (size_t)f->sets[g->small].count / 64 + 1;
        g->bits = calloc(words, sizeof(uint64_t));
        if (!g->bits)
            return -1;
        f->bytes += (int64_t)(words * sizeof(uint64_t));
    }
    f->bytes += (int64_t)sizeof *g;
    if (!bf_push(&f->waiting[worth][f->tiles[used]], index))
        return -1;
    f->heads[at] = index;
    f->group_count++;
    if (2 * (uint64_t)f->group_count > f->head_mask) {
        const uint32_t slots = 4 * (f->head_mask + 1);
        int32_t *grown = malloc(slots * sizeof(int32_t)), *old = f->heads;
        const uint32_t before = f->head_mask;
        if (!grown)
            return -1;
        memset(grown, -1, slots * sizeof(int32_t));
        f->heads = grown;
        f->head_mask = slots - 1;
        for (uint32_t i = 0; i <= before; i++)
            if (old[i] >= 0)
                f->heads[bf_head(f, f->groups[old[i]].used, f->groups[old[i]].set)] = old[i];
        free(old);
    }
    return index;
}

static inline uint64_t bf_seen_hash(const bf_group *g, const bl_spot *spots) {
    return bf_hash(spots, g->tiles, bf_mix((uint64_t)g->used << 32 | (uint32_t)g->set) + (uint64_t)g->levels);
}

static int bf_grow_part(bf_solver *f, bf_part *part) {
    const uint32_t slots = part->slot ? 2 * (part->mask + 1) : 16;
    bf_slot *grown = malloc(slots * sizeof(bf_slot));
    if (!grown)
        return 0;
    memset(grown, -1, slots * sizeof(bf_slot));
    for (uint32_t i = 0; part->slot && i <= part->mask; i++) {
        if (part->slot[i].group < 0)
            continue;
        const bf_group *g = &f->groups[part->slot[i].group];
        uint32_t to = (uint32_t)bf_seen_hash(g, g->spots + (size_t)part->slot[i].index * (size_t)g->tiles);
        while (grown[to & (slots - 1)].group >= 0)
            to++;
        grown[to & (slots - 1)] = part->slot[i];
    }
    f->bytes += (int64_t)(slots * sizeof(bf_slot)) / (part->slot ? 2 : 1);
    free(part->slot);
    part->slot = grown;
    part->mask = slots - 1;
    return 1;
}

/* Keep a layout of four tiles or more in its group, unless a group of the same tiles and no less value has it. */
static int bf_keep(bf_solver *f, int32_t group, const bl_spot *spots) {
    bf_group *g = &f->groups[group];
    const size_t size = (size_t)g->tiles * sizeof(bl_spot);
    const uint64_t hash = bf_seen_hash(g, spots);
    bf_part *part = &f->seen[hash >> 32 & (BF_PARTS - 1)];
    if (2 * part->count >= part->mask && !bf_grow_part(f, part))
        return 0;
    uint32_t at = (uint32_t)hash & part->mask;
    for (; part->slot[at].group >= 0; at = (at + 1) & part->mask) {
        const bf_group *o = &f->groups[part->slot[at].group];
        if (o->used == g->used && o->set == g->set && o->levels == g->levels &&
            !memcmp(o->spots + (size_t)part->slot[at].index * (size_t)o->tiles, spots, size))
            return 1;
    }
    const int64_t room = g->room;
    if (!bf_grow((void **)&g->spots, &g->room, g->count + 1, size))
        return 0;
    f->bytes += (g->room - room) * (int64_t)size;
    memcpy(g->spots + g->count * g->tiles, spots, size);
    part->slot[at] = (bf_slot){group, (int32_t)g->count};
    part->count++;
    g->count++;
    f->layouts_count++;
    return 1;
}

static int bf_move_add(bf_worker *w, int64_t item, int worth, int size) {
    if (!bf_grow((void **)&w->moves, &w->move_room, w->move_count + 1, sizeof(bf_move)))
        return 0;
    w->moves[w->move_count++] = (bf_move){item, worth, size};
    return 1;
}

/* List what may come below a group and is worth at least `low` and less than `high`. */
static int bf_list_moves(bf_worker *w, int32_t index, int low, int high) {
    bf_solver *f = w->f;
    const bf_group *g = &f->groups[index];
    const int32_t left = f->codes - 1 - g->used;
    const int t = f->cards - f->tiles[g->used];
    const int value = g->value + f->digits[g->used];
    const int most = bf_most_area(f, left, t);
    const int size = f->tiles[g->used];
    uint8_t at[BL_DIGITS] = {0};
    int32_t code = 0;
    int table = t > BF_SMALL && most >= f->area[g->set];
    if (f->most_levels && g->levels + 1 >= f->most_levels + 1)
        return 1;
    while (bf_next(f, f->counts[left], at, &code)) {
        const int n = f->tiles[code];
        if (n == t && n <= BF_SMALL)
            table |= bf_may_carry(f, g->set, code);
        if (n < 2 || n > t - 2 || 2 * f->area[code] > most)
            continue;
        const int rest = bf_rest(f, g->levels + 1, left - code, bf_class(f, code));
        if (rest < 0 || value + rest < low || value + rest >= high || !bf_may_carry(f, g->set, code))
            continue;
        if (value + rest > g->worth)
            f->fault = 1;
        if (!bf_move_add(w, (int64_t)index << 32 | (uint32_t)code, value + rest, size))
            return 0;
    }
    return !table || value < low || value >= high || value >= f->skip ||
           bf_move_add(w, (int64_t)index << 32 | 0xffffffff, value, size);
}

/* All layouts of a group are there: drop those that a group of no less value has. */
static void bf_settle(bf_solver *f, int32_t index) {
    bf_group *g = &f->groups[index];
    if (g->small >= 0) {
        const int32_t words = f->sets[g->small].count / 64 + 1;
        for (int32_t i = f->heads[bf_head(f, g->used, g->set)]; i >= 0; i = f->groups[i].next) {
            const bf_group *o = &f->groups[i];
            if (i == index || !o->ready || o->value < g->value || o->levels > g->levels)
                continue;
            for (int32_t w = 0; w < words; w++)
                g->bits[w] &= ~o->bits[w];
        }
        g->count = 0;
        for (int32_t w = 0; w < words; w++)
            for (uint64_t bits = g->bits[w]; bits; bits &= bits - 1)
                g->count++;
    }
    g->ready = 1;
}

/* --- tasks -------------------------------------------------------------------------------------------------------- */

enum { BF_DO_LAYOUTS, BF_DO_PAIRS, BF_DO_REST, BF_DO_GROW, BF_DO_MOVES, BF_DO_SMALL, BF_DO_FAMILY, BF_DO_TABLE };

static int bf_task_add(bf_solver *f, int kind, int32_t group, int32_t last, int64_t first, int64_t end) {
    if (!bf_grow((void **)&f->tasks, &f->task_room, f->task_count + 1, sizeof(bf_task)))
        return 0;
    f->tasks[f->task_count++] = (bf_task){kind, 0, group, last, first, end};
    return 1;
}

static void bf_collect(void *context, int32_t name, const bl_spot *spots, int n) {
    bf_worker *w = context;
    bf_out *out = &w->out[w->out_count];
    const bf_group *to = &w->f->groups[name];
    out->group = name;
    memcpy(out->spots, spots, sizeof(bl_spot) * (size_t)n);
    bl_canonical(w->f->shapes, out->spots, n);
    if (to->small >= 0) {
        const int32_t i = bf_find(&w->f->sets[to->small], out->spots);
        if (i < 0)
            w->f->fault = 1;
        else
            __atomic_fetch_or(&to->bits[i / 64], (uint64_t)1 << i % 64, __ATOMIC_RELAXED);
    } else if (++w->out_count == BF_FLUSH)
        w->flush(w);
}

/* Add what a worker found; one thread at a time. */
static void bf_merge(bf_worker *w) {
    bf_solver *f = w->f;
    for (int i = 0; i < w->out_count && !f->no_memory; i++)
        if (!bf_keep(f, w->out[i].group, w->out[i].spots))
            f->no_memory = 1;
    for (int64_t i = 0; i < w->move_count && !f->no_memory; i++)
        if (!bf_push(&f->moves[w->moves[i].worth][w->moves[i].size], w->moves[i].item))
            f->no_memory = 1;
    f->bytes += w->move_count * (int64_t)sizeof(int64_t);
    if (f->bytes > f->memory)
        f->full = 1;
    w->out_count = 0;
    w->move_count = 0;
}

/* Name the wanted sets of a family: `wanted` holds pairs (set, group). */
static void bf_want(bf_worker *w, const int64_t *wanted, int64_t count) {
    const bf_solver *f = w->f;
    for (int64_t i = 0; i < count; i++) {
        const int32_t set = (int32_t)(wanted[i] >> 32);
        uint8_t at[BL_DIGITS] = {0};
        int32_t code = 0;
        do {
            if (!w->marks[code]) {
                w->marks[code] = 1;
                w->touched[w->touched_count++] = code;
            }
            if (f->area[set] > w->s.reach[code])
                w->s.reach[code] = f->area[set];
            if (code != set)
                w->s.more[code] = 1;
        } while (bf_next(f, f->counts[set], at, &code));
        w->s.member[set] = (int32_t)wanted[i];
    }
}

static void bf_want_nothing(bf_worker *w) {
    for (int32_t i = 0; i < w->touched_count; i++) {
        const int32_t code = w->touched[i];
        w->marks[code] = 0;
        w->s.reach[code] = 0;
        w->s.more[code] = 0;
        w->s.member[code] = -1;
    }
    w->touched_count = 0;
}

static void bf_left(bf_worker *w, int32_t left) {
    for (int d = 0; d < BL_DIGITS; d++)
        w->s.left[d] = w->f->counts[left][d];
}

/* Look under one layout of a group: for the family, or for a table. */
static int bf_look_under(bf_worker *w, const bf_task *task, const bl_spot *spots) {
    bf_solver *f = w->f;
    bl_search *s = &w->s;
    const bf_group *g = &f->groups[task->group];
    const int area = f->area[g->set];
    const int32_t left = f->codes - 1 - g->used;
    bf_left(w, left);
    w->covers++;
    if (task->kind == BF_DO_TABLE) {
        s->table = 1;
        s->most = f->cards - f->tiles[g->used];
        s->done = 0;
        bl_under(s, spots, g->tiles, bf_most_area(f, left, s->most) - area);
        s->table = 0;
        if (s->done) {
            s->done = 0;
            return 1;
        }
        return 0;
    }
    bl_under(s, spots, g->tiles, s->reach[0] - area);
    return 0;
}

static int bf_do_layouts(bf_worker *w, const bf_task *task) {
    bf_solver *f = w->f;
    bl_search *s = &w->s;
    const bf_group *g = &f->groups[task->group];
    const bf_set *set = g->small >= 0 ? &f->sets[g->small] : NULL;
    if (task->kind == BF_DO_FAMILY)
        bf_want(w, f->wanted.item + task->last, f->wanted.item[task->last - 1]);
    for (int64_t i = task->first; i < task->end; i++) {
        const bl_spot *spots = set ? set->spots + i * g->tiles : g->spots + i * g->tiles;
        if (set && !(g->bits[i / 64] >> i % 64 & 1))
            continue;
        if (f->full || f->no_memory || bw_load(&f->control->stop))
            s->over = 1;
        if (s->over || __atomic_load_n(&f->found, __ATOMIC_RELAXED))
            break;
        if (bf_look_under(w, task, spots)) {
            int32_t none = 0;
            if (__atomic_compare_exchange_n(&f->found, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
                f->found_group = task->group;
                f->found_count = s->count;
                memcpy(f->found_spots, s->spots, sizeof f->found_spots);
            }
            break;
        }
    }
    bf_want_nothing(w);
    return !s->over;
}

/* All layouts of a top level of four tiles or more: from the connected sets of three with the lowest digit. */
static int bf_do_grow(bf_worker *w, const bf_task *task) {
    bf_solver *f = w->f;
    bl_search *s = &w->s;
    const bf_group *g = &f->groups[task->group];
    const bf_set *core = &f->sets[task->last];
    const int64_t wanted = (int64_t)g->set << 32 | (uint32_t)task->group;
    bf_want(w, &wanted, 1);
    for (int64_t i = task->first; i < task->end && !s->over; i++) {
        if (f->full || f->no_memory || bw_load(&f->control->stop))
            s->over = 1;
        bf_left(w, g->set - core->code);
        memcpy(s->spots, core->spots + i * core->tiles, sizeof(bl_spot) * (size_t)core->tiles);
        s->count = core->tiles;
        bl_from(s, core->code);
    }
    bf_want_nothing(w);
    return !s->over;
}

static void bf_do_small(bf_solver *f, const bf_task *task) {
    const bf_group *g = &f->groups[task->group], *to = &f->groups[task->last];
    const bf_set *set = &f->sets[to->small];
    for (int64_t i = set->begin[g->small]; i < set->begin[g->small + 1]; i++) {
        const uint32_t upper = set->pairs[i] >> 16, lower = set->pairs[i] & 0xffff;
        if (g->bits[upper / 64] >> upper % 64 & 1)
            __atomic_fetch_or(&to->bits[lower / 64], (uint64_t)1 << lower % 64, __ATOMIC_RELAXED);
    }
}

/* List the moves worth `group` and more but less than `last` of some groups: of those just settled when `last` is no
 * limit. */
static int bf_do_moves(bf_worker *w, const bf_task *task) {
    bf_solver *f = w->f;
    const bf_list *fresh = task->last == BF_VALUES ? &f->waiting[f->bound][f->step] : NULL;
    for (int64_t i = task->first; i < task->end; i++) {
        const int32_t index = fresh ? (int32_t)fresh->item[i] : (int32_t)i;
        if (bw_is_over(f->control, bw_now())) {
            w->move_count = 0;
            return 0;
        }
        if (f->groups[index].ready && f->groups[index].count &&
            !bf_list_moves(w, index, task->group, task->last)) {
            f->no_memory = 1;
            return 0;
        }
    }
    return 1;
}

/* Do one task; returns whether it was done to its end. */
static int bf_do(bf_worker *w, const bf_task *task) {
    bf_solver *f = w->f;
    switch (task->kind) {
    case BF_DO_LAYOUTS:
        if (!bf_list_layouts(w, &f->sets[task->first])) {
            f->no_memory = 1;
            return 0;
        }
        if (f->sets[task->first].count > 0xffff)
            f->fault = 1;
        return !bw_is_over(f->control, bw_now());
    case BF_DO_PAIRS:
        if (!bf_list_pairs(w, &f->sets[task->first]) || (!w->s.over && !bf_keep_pairs(w, &f->sets[task->first]))) {
            if (w->no_memory)
                f->no_memory = 1;
            else
                f->fault = 1;
            return 0;
        }
        return !w->s.over;
    case BF_DO_REST:
        for (int64_t i = task->first; i < task->end; i++)
            if (f->tiles[i] == f->step) {
                if (bw_is_over(f->control, bw_now()))
                    return 0;
                bf_fill_rest(f, (int32_t)i);
            }
        return 1;
    case BF_DO_GROW:
        return bf_do_grow(w, task);
    case BF_DO_MOVES:
        return bf_do_moves(w, task);
    case BF_DO_SMALL:
        bf_do_small(f, task);
        return 1;
    default:
        return bf_do_layouts(w, task);
    }
}

/* Do tasks of the batch until none is left or the search has to end. */
static void bf_work(bf_worker *w) {
    bf_solver *f = w->f;
    w->s.over = 0;
    while (!bw_is_over(f->control, bw_now()) && !f->full && !f->no_memory && !f->fault) {
        const int64_t i = __atomic_fetch_add(&f->next_task, 1, __ATOMIC_RELAXED);
        if (i >= f->task_count)
            break;
        if (f->tasks[i].done)
            continue;
        const int64_t nodes = w->s.nodes, overflow = w->s.overflow;
        const int done = bf_do(w, &f->tasks[i]);
        if (w->out_count || w->move_count)
            w->flush(w);
        if (w->s.overflow > overflow)
            __atomic_store_n(&f->undecided, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&f->nodes, w->s.nodes - nodes, __ATOMIC_RELAXED);
        f->tasks[i].done = done;
    }
    __atomic_fetch_add(&f->covers, w->covers, __ATOMIC_RELAXED);
    w->covers = 0;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static int bf_open(bf_solver *f) {
    if (!bf_code_sets(f))
        return 0;
    f->layers = f->most_levels ? f->most_levels : 1;
    f->rest = malloc((size_t)f->layers * (size_t)f->codes * (size_t)f->classes * sizeof(int16_t) + 2);
    f->head_mask = 4095;
    f->heads = malloc(4096 * sizeof(int32_t));
    f->seen = calloc(BF_PARTS, sizeof(bf_part));
    if (!f->rest || !f->heads || !f->seen)
        return 0;
    f->bytes = (int64_t)f->layers * f->codes * f->classes * 2;
    memset(f->heads, -1, 4096 * sizeof(int32_t));
    f->step = 1;
    f->skip = BF_VALUES;
    f->bound = BF_VALUES - 1;
    for (int32_t i = 0; i < f->set_count; i++) {
        f->sets[i].loads = calloc(BF_AREA, 1);
        f->sets[i].begin = calloc((size_t)f->set_count + 2, sizeof(int64_t));
        if (!f->sets[i].loads || !f->sets[i].begin)
            return 0;
    }
    for (int32_t c = 0; c < f->codes; c++) {
        /* No level that another one lies under may have more tiles than a layout holds. */
        if (f->tiles[c] > BL_MAX_TILES && bf_class(f, c) >= 0)
            f->fault = 1;
        /* Four tiles on three are looked up; more tiles of so little area there are none of, or they are allowed. */
        for (int32_t i = 0; f->tiles[c] > 4 && f->area[c] <= BF_SMALL * BL_CELLS && i < f->set_count; i++)
            if (f->area[c] <= f->sets[i].area)
                f->sets[i].loads[f->area[c]] = 1;
    }
    return 1;
}

static void bf_close(bf_solver *f) {
    free(f->counts);
    free(f->tiles);
    free(f->area);
    free(f->digits);
    free(f->small_of);
    for (int32_t i = 0; f->sets && i < f->set_count; i++) {
        free(f->sets[i].spots);
        free(f->sets[i].slots);
        free(f->sets[i].pairs);
        free(f->sets[i].begin);
        free(f->sets[i].loads);
    }
    free(f->sets);
    free(f->rest);
    for (int64_t i = 0; i < f->group_count; i++) {
        free(f->groups[i].bits);
        free(f->groups[i].spots);
    }
    free(f->groups);
    free(f->heads);
    for (int i = 0; f->seen && i < BF_PARTS; i++)
        free(f->seen[i].slot);
    free(f->seen);
    for (int v = 0; v < BF_VALUES; v++)
        for (int n = 0; n <= BF_TILES; n++) {
            free(f->waiting[v][n].item);
            free(f->moves[v][n].item);
        }
    free(f->tasks);
    free(f->wanted.item);
}

/* The search begins: every set of tiles may be the top level. */
static int bf_begin(bf_solver *f) {
    int32_t bound = f->floor;
    for (int32_t set = 1; set < f->codes; set++) {
        const int n = f->tiles[set];
        if (n > f->cards - 2 || bf_class(f, set) < 0)
            continue;
        const int rest = bf_rest(f, 1, f->codes - 1 - set, bf_class(f, set));
        if (rest <= f->floor)
            continue;
        const int32_t index = bf_group_of(f, set, set, 0, rest, f->most_levels ? 1 : 0);
        if (index < 0)
            return 0;
        bf_group *g = &f->groups[index];
        if (g->small >= 0)
            for (int32_t i = 0; i < f->sets[g->small].count; i++)
                g->bits[i / 64] |= (uint64_t)1 << i % 64;
        bound = rest > bound ? rest : bound;
    }
    /* Others may read the bound as soon as this stage has begun. */
    __atomic_store_n(&f->bound, bound, __ATOMIC_RELEASE);
    f->horizon = f->bound - BF_HORIZON > f->floor ? f->bound - BF_HORIZON : f->floor + 1;
    return 1;
}

/* The tasks that list the moves of so many groups. */
static int bf_list_all(bf_solver *f, int64_t count, int low, int high) {
    for (int64_t at = 0; at < count; at += BF_CHUNK)
        if (!bf_task_add(f, BF_DO_MOVES, low, high, at, at + BF_CHUNK < count ? at + BF_CHUNK : count))
            return 0;
    return 1;
}

/* Settle the groups that are whole now; tasks lay top levels of four tiles and more first, and list moves after. */
static int bf_settle_all(bf_solver *f, int size, int grown) {
    const bf_list *list = &f->waiting[f->bound][size];
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t index = (int32_t)list->item[i];
        const bf_group *g = &f->groups[index];
        if (g->ready)
            continue;
        if (!grown && g->small < 0 && g->used == g->set) {
            int low = 0;
            while (!f->counts[g->set][low])
                low++;
            for (int32_t c = 0; c < f->set_count; c++) {
                const bf_set *core = &f->sets[c];
                if (core->tiles != BF_SMALL || !f->counts[core->code][low] || !bf_contains(f, g->set, core->code))
                    continue;
                for (int64_t at = 0; at < core->count; at += BF_CHUNK) {
                    const int64_t end = at + BF_CHUNK < core->count ? at + BF_CHUNK : core->count;
                    if (!bf_task_add(f, BF_DO_GROW, index, c, at, end))
                        return 0;
                }
            }
        }
        if (grown)
            bf_settle(f, index);
    }
    return !grown || bf_list_all(f, list->count, f->horizon, BF_VALUES);
}

static int bf_by_group(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int bf_chunks(bf_solver *f, int kind, int32_t group, int32_t last) {
    const bf_group *g = &f->groups[group];
    const int64_t end = g->small >= 0 ? f->sets[g->small].count : g->count;
    const int64_t chunk = g->small >= 0 ? 256 : BF_CHUNK;
    for (int64_t at = 0; at < end; at += chunk)
        if (!bf_task_add(f, kind, group, last, at, at + chunk < end ? at + chunk : end))
            return 0;
    return 1;
}

/* The tasks of all moves worth `bound` from groups of so many tiles. */
static int bf_list_tasks(bf_solver *f, int size) {
    bf_list *list = &f->moves[f->bound][size];
    if (list->count)
        qsort(list->item, (size_t)list->count, sizeof(int64_t), bf_by_group);
    f->wanted.count = 0;
    for (int64_t i = 0; i < list->count;) {
        const int32_t index = (int32_t)(list->item[i] >> 32);
        const int64_t head = f->wanted.count;
        if (!bf_push(&f->wanted, 0))
            return 0;
        int table = 0;
        for (; i < list->count && list->item[i] >> 32 == index; i++) {
            const int32_t set = (int32_t)list->item[i];
            const bf_group g = f->groups[index];
            if (set < 0) {
                table = 1;
                continue;
            }
            const int32_t to = bf_group_of(f, g.used + set, set, g.value + f->digits[g.used], f->bound,
                                           f->most_levels ? g.levels + 1 : 0);
            if (to < 0)
                return 0;
            if (f->groups[to].ready)
                f->fault = 1;
            if (f->small_of[set] >= 0 && g.small >= 0) {
                if (!bf_task_add(f, BF_DO_SMALL, index, to, 0, 0))
                    return 0;
            } else if (!bf_push(&f->wanted, (int64_t)set << 32 | (uint32_t)to))
                return 0;
        }
        f->wanted.item[head] = f->wanted.count - head - 1;
        if (f->wanted.item[head] && !bf_chunks(f, BF_DO_FAMILY, index, (int32_t)head + 1))
            return 0;
        if (table && !bf_chunks(f, BF_DO_TABLE, index, 0))
            return 0;
    }
    return 1;
}

/* Whether all tasks of the batch are done; if not, they are there to be gone on with. */
static int bf_batch_done(const bf_solver *f) {
    for (int64_t i = 0; i < f->task_count; i++)
        if (!f->tasks[i].done)
            return 0;
    return 1;
}

/* Make the next batch, or say why there is none. The tasks of an ended batch come again until they are done. */
static bf_status bf_prepare(bf_solver *f) {
    if (f->no_memory)
        return BF_NO_MEMORY;
    if (f->fault)
        return BF_FAULT;
    if (f->full)
        return BF_FULL;
    if (f->found)
        return BF_FOUND;
    f->next_task = 0;
    for (;;) {
        if (f->task_count && !bf_batch_done(f))
            return BF_READY;
        const int after = f->task_count > 0;
        f->task_count = 0;
        if (f->stage < BF_SEARCH) {
            if (after || f->part) {
                f->step++;
                f->part = 0;
            }
            if (f->stage == BF_LAYOUTS && f->step > BF_SMALL) {
                f->stage = BF_PAIRS;
                f->step = 1;
            }
            if (f->stage == BF_PAIRS && f->step > 1) {
                f->stage = BF_REST;
                f->step = 0;
            }
            if (f->stage == BF_REST && f->step > f->pool_tiles) {
                if (!bf_begin(f))
                    return BF_NO_MEMORY;
                f->step = 1;
                f->part = 0;
                __atomic_store_n(&f->stage, BF_SEARCH, __ATOMIC_RELEASE);
                return BF_BOUND;
            }
            for (int32_t i = 0; i < f->set_count && f->stage != BF_REST; i++)
                if (f->stage == BF_LAYOUTS ? f->sets[i].tiles == f->step : f->sets[i].tiles > 1)
                    if (!bf_task_add(f, f->stage == BF_LAYOUTS ? BF_DO_LAYOUTS : BF_DO_PAIRS, 0, 0, i, i))
                        return BF_NO_MEMORY;
            for (int32_t at = 0; at < f->codes && f->stage == BF_REST; at += 256)
                if (!bf_task_add(f, BF_DO_REST, 0, 0, at, at + 256 < f->codes ? at + 256 : f->codes))
                    return BF_NO_MEMORY;
            f->part = 1;
            continue;
        }
        /* Parts of a step: lay top levels, settle, list what may come below, look for it. */
        if (f->bound <= f->floor)
            return BF_EMPTY;
        if (f->undecided)
            return BF_UNDECIDED;
        if (f->part == 0) {
            if (!bf_settle_all(f, f->step, 0))
                return BF_NO_MEMORY;
            f->part = 1;
        } else if (f->part == 1) {
            if (!bf_settle_all(f, f->step, 1))
                return BF_NO_MEMORY;
            f->part = 2;
        } else if (f->part == 2) {
            if (!bf_list_tasks(f, f->step))
                return BF_NO_MEMORY;
            f->part = 3;
        } else {
            f->part = 0;
            if (++f->step <= f->cards)
                continue;
            f->step = 1;
            for (int n = 0; n <= BF_TILES; n++) {
                free(f->moves[f->bound][n].item);
                memset(&f->moves[f->bound][n], 0, sizeof(bf_list));
            }
            f->bound--;
            if (f->bound < f->horizon && f->bound > f->floor) {
                const int low = f->bound - BF_HORIZON > f->floor ? f->bound - BF_HORIZON : f->floor + 1;
                if (!bf_list_all(f, f->group_count, low, f->horizon))
                    return BF_NO_MEMORY;
                f->horizon = low;
            }
            return BF_BOUND;
        }
    }
}

/* --- the stack that was found ------------------------------------------------------------------------------------- */

/* Find a stack of groups above a level: `spots` lies under the groups that use `used` without it, for a stack of this
 * value. Writes the layout as it lies above and returns its group, -1 if there is none. */
static int32_t bf_above(const bf_solver *f, const bl_spot *spots, int n, int32_t used, int32_t value, int32_t levels,
                        bl_spot *out) {
    int width, height;
    bl_extent(f->shapes, spots, n, &width, &height);
    for (int64_t i = 0; i < f->group_count; i++) {
        const bf_group *g = &f->groups[i];
        if (!g->ready || g->used != used || g->value + f->digits[used] != value || g->levels != levels)
            continue;
        const int64_t end = g->small >= 0 ? f->sets[g->small].count : g->count;
        for (int64_t j = 0; j < end; j++) {
            if (g->small >= 0 && !(g->bits[j / 64] >> j % 64 & 1))
                continue;
            const bl_spot *u = g->small >= 0 ? f->sets[g->small].spots + j * g->tiles : g->spots + j * g->tiles;
            for (int q = 0; q < 4; q++) {
                bl_spot turned[BL_MAX_TILES], moved[BL_MAX_TILES];
                int wide, high, low_x = 255, low_y = 255;
                bl_turn(f->shapes, u, g->tiles, q, turned);
                bl_extent(f->shapes, turned, g->tiles, &wide, &high);
                for (int k = 0; k < n; k++) {
                    low_x = spots[k].x < low_x ? spots[k].x : low_x;
                    low_y = spots[k].y < low_y ? spots[k].y : low_y;
                }
                for (int y = 0; y + high <= height; y++)
                    for (int x = 0; x + wide <= width; x++) {
                        for (int k = 0; k < g->tiles; k++) {
                            moved[k] = turned[k];
                            moved[k].x = (uint8_t)(moved[k].x + x + low_x);
                            moved[k].y = (uint8_t)(moved[k].y + y + low_y);
                        }
                        if (bl_carries(f->shapes, spots, n, moved, g->tiles)) {
                            memcpy(out, moved, sizeof(bl_spot) * (size_t)g->tiles);
                            return (int32_t)i;
                        }
                    }
            }
        }
    }
    return -1;
}

#endif
