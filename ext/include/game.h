/* The C interface of a game.
 *
 * A game is one constant bw_game, handed from the module that defines it to the module that searches it in a
 * PyCapsule named BW_GAME_CAPSULE. A searcher knows this file and no game. Whoever writes a game in C, Rust
 * or numba can fill the same struct and have it searched.
 *
 * Rules for every function of the table:
 *  - it never needs the Python interpreter, never allocates, never keeps a pointer it was given;
 *  - a state is `state_size` bytes without pointers: copying is memcpy, no undo exists. The rule options of a
 *    game are part of its state;
 *  - only fault() may be given bytes from anywhere, and only legal() an action from anywhere: the others rely on
 *    states without a fault and on legal actions;
 *  - values are in units of 1/BW_UNIT of the game's unit (the result -1..1 in a win-or-lose game, a point
 *    elsewhere), seen by the player with that index.
 */
#ifndef BLOCKWIT_GAME_H
#define BLOCKWIT_GAME_H

#include <stdint.h>

#include "rng.h"

#define BW_GAME_ABI 2
#define BW_GAME_CAPSULE "blockwit.game"
#define BW_MAX_PLAYERS 6
#define BW_UNIT 10000

/* An action: a decision, or an outcome of chance. Its bits are the game's own. */
typedef uint64_t bw_action;
#define BW_NO_ACTION UINT64_MAX

typedef int32_t bw_value;

enum bw_kind { BW_DECISION = 0, BW_CHANCE = 1, BW_TERMINAL = 2 };

/* Flags. */
#define BW_ZERO_SUM 1u /* two players, values add up to nothing */
#define BW_WIN_LOSS 2u /* returns are -BW_UNIT, 0 or BW_UNIT: a searcher may speak of mates */
#define BW_WIDE 4u     /* some decision nodes have far too many actions to list: use top() and sample() */

typedef struct bw_game {
    uint32_t abi; /* BW_GAME_ABI */
    uint32_t flags;
    uint32_t state_size; /* bytes */
    uint32_t state_align;
    int32_t max_players;
    int64_t max_actions;  /* actions() never returns more at any node */
    int64_t max_outcomes; /* outcomes() never returns more */
    const char *name;

    /* Number of players of this state, 1..max_players. */
    int (*players)(const void *state);
    /* One of enum bw_kind. */
    int (*kind)(const void *state);
    /* Who decides (decision node), or for whom chance acts (chance node); 0-based. */
    int (*player)(const void *state);

    /* Legal actions at a decision node, in a fixed order: writes the first `cap` and returns how many there
     * are in all. A forced pass is an action. */
    int64_t (*actions)(const void *state, bw_action *out, int64_t cap);
    /* At most k legal actions by falling static evaluation of the state they lead to, with that evaluation
     * for the player to move; returns how many were written. Null where actions() is cheap. */
    int64_t (*top)(const void *state, int64_t k, bw_action *out, bw_value *value);
    /* One legal action (decision) or outcome (chance, by its probability) at random. */
    bw_action (*sample)(const void *state, bw_rng *rng);
    /* Makes a legal action or an outcome. */
    void (*apply)(void *state, bw_action action);
    /* Makes one move of a random playout; the game chooses how greedy. Does nothing at a terminal node. */
    void (*playout_step)(void *state, bw_rng *rng);

    /* Outcomes of a chance node with their probabilities: writes the first `cap`, returns how many in all. */
    int64_t (*outcomes)(const void *state, bw_action *out, double *probability, int64_t cap);

    /* 64-bit hash of all that decides the future, the player to move included. */
    uint64_t (*key)(const void *state);
    /* How many occurrences of one key make a draw; 0: repetition does not matter. */
    int (*repetition)(const void *state);

    /* Results of a terminal node, one for each player; elsewhere what the game would be worth if it ended here. */
    void (*returns)(const void *state, bw_value *out);
    /* Static evaluation of any node, one for each player. */
    void (*evaluate)(const void *state, bw_value *out);
    /* Bounds on what `player` can still end with, whatever happens. */
    void (*bounds)(const void *state, int player, bw_value *low, bw_value *high);
    /* Ordering hint for an action: larger is tried earlier. Null: no hint. */
    int32_t (*order)(const void *state, bw_action action);

    /* Why these `state_size` bytes cannot be given to the other functions, in a few words; null when they can be. What
     * comes from outside (a file, Python) is asked about once, before anything else. Null: all bytes are states. */
    const char *(*fault)(const void *state);
    /* Whether a number from outside is a legal action (decision node) or a possible outcome (chance node). Null: the
     * lists of actions() and outcomes() are searched for it. */
    int (*legal)(const void *state, bw_action action);
} bw_game;

/* Exact values of some states of one game, looked up rather than searched: an endgame table. Handed over in a PyCapsule
 * named BW_ORACLE_CAPSULE. */
#define BW_ORACLE_ABI 2
#define BW_ORACLE_CAPSULE "blockwit.oracle"

typedef struct bw_oracle {
    uint32_t abi; /* BW_ORACLE_ABI */
    const bw_game *game; /* whose states it knows */
    const void *self;
    /* Whether the state is known; then *plies tells what it is worth to the player to move: n > 0 a win in n plies,
     * n < 0 a loss in -n, 0 that neither can force a win. Draws by repetition are left out of account. Any thread
     * may call it at any time. */
    int (*probe)(const void *self, const void *state, int *plies);
} bw_oracle;

#endif
