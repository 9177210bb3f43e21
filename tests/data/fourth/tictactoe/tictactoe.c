/* Tic-tac-toe as a table of functions. The state: nine squares from the upper left, 0 empty, 1 for x, 2 for o. */
#include "game.h"

#include <string.h>

typedef struct {
    uint8_t square[9];
    uint8_t moves; /* made so far: x moves when even */
} Board;

static const uint8_t LINES[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                    {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

/* 1 or 2 for whoever has three in a row, else 0. */
static int winner(const Board *b) {
    for (int i = 0; i < 8; i++) {
        uint8_t first = b->square[LINES[i][0]];
        if (first && first == b->square[LINES[i][1]] && first == b->square[LINES[i][2]])
            return first;
    }
    return 0;
}

static int players(const void *state) { return (void)state, 2; }

static int kind(const void *state) {
    const Board *b = state;
    return winner(b) || b->moves == 9 ? BW_TERMINAL : BW_DECISION;
}

static int player(const void *state) { return ((const Board *)state)->moves & 1; }

static int64_t actions(const void *state, bw_action *out, int64_t cap) {
    const Board *b = state;
    int64_t n = 0;
    if (kind(state) != BW_DECISION)
        return 0;
    for (int i = 0; i < 9; i++)
        if (!b->square[i]) {
            if (n < cap)
                out[n] = (bw_action)i;
            n++;
        }
    return n;
}

static bw_action sample(const void *state, bw_rng *rng) {
    bw_action legal[9];
    int64_t n = actions(state, legal, 9);
    return legal[bw_rng_below(rng, (uint32_t)n)];
}

static void apply(void *state, bw_action action) {
    Board *b = state;
    b->square[action] = 1 + (b->moves & 1);
    b->moves++;
}

static void playout_step(void *state, bw_rng *rng) {
    if (kind(state) == BW_DECISION)
        apply(state, sample(state, rng));
}

static int64_t outcomes(const void *state, bw_action *out, double *probability, int64_t cap) {
    return (void)state, (void)out, (void)probability, (void)cap, 0;
}

static uint64_t key(const void *state) {
    const Board *b = state;
    uint64_t digits = 0;
    for (int i = 0; i < 9; i++)
        digits = digits * 3 + b->square[i];
    return bw_splitmix(&digits);
}

static int repetition(const void *state) { return (void)state, 0; }

static void returns(const void *state, bw_value *out) {
    int won = winner(state);
    out[0] = won == 1 ? BW_UNIT : won == 2 ? -BW_UNIT : 0;
    out[1] = -out[0];
}

static void evaluate(const void *state, bw_value *out) { returns(state, out); }

static void bounds(const void *state, int who, bw_value *low, bw_value *high) {
    (void)state, (void)who;
    *low = -BW_UNIT;
    *high = BW_UNIT;
}

static const char *fault(const void *state) {
    const Board *b = state;
    int count[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++) {
        if (b->square[i] > 2)
            return "a square holds neither x nor o";
        count[b->square[i]]++;
    }
    if (count[1] + count[2] != b->moves || count[1] - count[2] != (b->moves & 1))
        return "x and o did not move in turn";
    return NULL;
}

const bw_game TICTACTOE = {
    BW_GAME_ABI, BW_ZERO_SUM | BW_WIN_LOSS, sizeof(Board), 1, 2, 9, 1, "tictactoe",
    players, kind, player, actions, NULL, sample, apply, playout_step, outcomes, key, repetition,
    returns, evaluate, bounds, NULL, fault, NULL,
};
