from cpython.bytes cimport PyBytes_AS_STRING
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rng cimport bw_rng


cdef extern from "game.h" nogil:
    const uint32_t BW_GAME_ABI
    const char *BW_GAME_CAPSULE
    const int BW_MAX_PLAYERS
    const int BW_UNIT
    const uint64_t BW_NO_ACTION
    const uint32_t BW_ZERO_SUM
    const uint32_t BW_WIN_LOSS
    const uint32_t BW_WIDE
    const int BW_DECISION
    const int BW_CHANCE
    const int BW_TERMINAL

    ctypedef uint64_t bw_action
    ctypedef int32_t bw_value

    ctypedef struct bw_game:
        uint32_t abi
        uint32_t flags
        uint32_t state_size
        uint32_t state_align
        int32_t max_players
        int64_t max_actions
        int64_t max_outcomes
        const char *name
        int (*players)(const void *state) noexcept nogil
        int (*kind)(const void *state) noexcept nogil
        int (*player)(const void *state) noexcept nogil
        int64_t (*actions)(const void *state, bw_action *out, int64_t cap) noexcept nogil
        int64_t (*top)(const void *state, int64_t k, bw_action *out, bw_value *value) noexcept nogil
        bw_action (*sample)(const void *state, bw_rng *rng) noexcept nogil
        void (*apply)(void *state, bw_action action) noexcept nogil
        void (*playout_step)(void *state, bw_rng *rng) noexcept nogil
        int64_t (*outcomes)(const void *state, bw_action *out, double *probability,
                            int64_t cap) noexcept nogil
        uint64_t (*key)(const void *state) noexcept nogil
        int (*repetition)(const void *state) noexcept nogil
        void (*returns)(const void *state, bw_value *out) noexcept nogil
        void (*evaluate)(const void *state, bw_value *out) noexcept nogil
        void (*bounds)(const void *state, int player, bw_value *low, bw_value *high) noexcept nogil
        int32_t (*order)(const void *state, bw_action action) noexcept nogil
        const char *(*fault)(const void *state) noexcept nogil
        int (*legal)(const void *state, bw_action action) noexcept nogil

    const uint32_t BW_ORACLE_ABI
    const char *BW_ORACLE_CAPSULE

    ctypedef struct bw_oracle:
        uint32_t abi
        const bw_game *game
        const void *self
        int (*probe)(const void *self, const void *state, int *plies) noexcept nogil


cdef inline void *pointer_of(object capsule, const char *name) except NULL:
    """What a capsule of this name points to. Raises ValueError for anything else."""
    if not PyCapsule_CheckExact(capsule):
        raise ValueError(f"expected a PyCapsule named {name.decode()}, got {type(capsule).__name__}")
    if not PyCapsule_IsValid(capsule, name):
        raise ValueError(f"expected a PyCapsule named {name.decode()}, got one of another name")
    return PyCapsule_GetPointer(capsule, name)


cdef inline const bw_game *game_of(object capsule) except NULL:
    """The game of a capsule, as whole as game.h wants it. Keep the capsule as long as the game is used."""
    cdef const bw_game *game = <const bw_game *>pointer_of(capsule, BW_GAME_CAPSULE)
    if game.abi != BW_GAME_ABI:
        raise ValueError(f"the game speaks version {game.abi} of the interface, expected {BW_GAME_ABI}")
    if (game.name == NULL or game.players == NULL or game.kind == NULL or game.player == NULL or game.actions == NULL
            or game.sample == NULL or game.apply == NULL or game.playout_step == NULL or game.outcomes == NULL
            or game.key == NULL or game.repetition == NULL or game.returns == NULL or game.evaluate == NULL
            or game.bounds == NULL):
        raise ValueError("the game lacks a name or a function other than top, order, fault and legal")
    if (not 1 <= game.max_players <= BW_MAX_PLAYERS or game.max_actions < 1 or game.max_outcomes < 0
            or game.state_size < 1 or game.state_align < 1 or game.state_align > 16
            or game.state_size % game.state_align):
        raise ValueError("the game's numbers of players, actions or bytes are out of range")
    return game


cdef inline int check_state(const bw_game *game, bytes state) except -1:
    """Raise ValueError, with what is wrong, unless these bytes are a state of the game (TypeError: no bytes at all)."""
    cdef const char *fault = NULL
    if state is None:
        raise TypeError("a state is bytes, got None")
    if len(state) != <Py_ssize_t>game.state_size:
        raise ValueError(f"a state of {game.name.decode()} has {game.state_size} bytes, got {len(state)}")
    if game.fault != NULL:
        fault = game.fault(PyBytes_AS_STRING(state))
    if fault != NULL:
        raise ValueError(f"these bytes are no state of {game.name.decode()}: {fault.decode()}")
    return 0


cdef inline int check_decision(const bw_game *game, bytes state) except -1:
    """Raise ValueError unless these bytes are a state of the game at a decision (TypeError: no bytes at all)."""
    check_state(game, state)
    if game.kind(PyBytes_AS_STRING(state)) != BW_DECISION:
        raise ValueError("only a decision can be searched")
    return 0


cdef inline int refuse_if(bint busy) except -1:
    """Raise RuntimeError for what would disturb a search under way."""
    if busy:
        raise RuntimeError("a search is under way")
    return 0


cdef inline void static_values(const bw_game *game, const void *state, bw_value *out) noexcept nogil:
    """What a state is worth to each player without a search: its result where the game is over."""
    if game.kind(state) == BW_TERMINAL:
        game.returns(state, out)
    else:
        game.evaluate(state, out)


cdef inline int64_t best_first(const bw_game *game, const void *state, const bw_action *listed, int64_t count,
                               int64_t width, void *scratch, bw_action *best, bw_value *worth) noexcept nogil:
    """Keep at most `width` of the actions of a decision node by falling static value of what they lead to.

    Fills `best` (which may be `listed` itself) and `worth`, with values for who decides; equal ones stay in their
    order. `scratch` has room for a state. Returns how many are kept.
    """
    cdef bw_value value[BW_MAX_PLAYERS]
    cdef int64_t i, j, found = 0
    cdef int player = game.player(state)
    cdef bw_action action
    for i in range(count):
        action = listed[i]
        memcpy(scratch, state, game.state_size)
        game.apply(scratch, action)
        static_values(game, scratch, value)
        if found == width:
            if value[player] <= worth[found - 1]:
                continue
            found -= 1
        j = found
        while j > 0 and worth[j - 1] < value[player]:
            worth[j] = worth[j - 1]
            best[j] = best[j - 1]
            j -= 1
        worth[j] = value[player]
        best[j] = action
        found += 1
    return found


cdef inline bint is_legal(const bw_game *game, const void *state, bw_action action) noexcept nogil:
    """Whether any number is a legal action, or a possible outcome, of a state without a fault.

    Where there is no memory to find out it counts as illegal.
    """
    cdef int64_t i, n
    cdef int kind = game.kind(state)
    cdef bint found = False
    cdef bw_action *listed
    cdef double *chances
    if kind == BW_TERMINAL:
        return False
    if game.legal != NULL:
        return game.legal(state, action) != 0
    n = game.actions(state, NULL, 0) if kind == BW_DECISION else game.outcomes(state, NULL, NULL, 0)
    listed = <bw_action *>malloc(n * sizeof(bw_action) + 1)
    chances = <double *>malloc(n * sizeof(double) + 1)
    if listed != NULL and chances != NULL:
        if kind == BW_DECISION:
            game.actions(state, listed, n)
        else:
            game.outcomes(state, listed, chances, n)
        for i in range(n):
            found = found or listed[i] == action
    free(listed)
    free(chances)
    return found


cdef inline bw_action action_of(object number) except? 0:
    """A Python number as an action. Raises ValueError for one that no action can be, TypeError for no number."""
    cdef bw_action action
    try:
        action = number
    except OverflowError:
        raise ValueError(f"{number} is not an action") from None
    return action
