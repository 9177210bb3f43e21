"""Any compiled game from Python: states as bytes, actions as numbers.

A `Table` speaks to the `bw_game` of a capsule (ext/include/game.h). What it is given is checked before the game sees
it: the length of a state, by the game itself what is in it, and whether an action is legal.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from game cimport (
    BW_CHANCE, BW_DECISION, BW_MAX_PLAYERS, BW_TERMINAL, BW_UNIT, BW_WIDE, BW_WIN_LOSS,
    BW_ZERO_SUM, bw_action, bw_game, bw_value, check_state, game_of, is_legal,
)
from rng cimport bw_rng, bw_rng_seed

cdef enum:
    MAX_DEPTH = 64

# Values as searchers see them are in 1/UNIT of the game's unit.
UNIT = BW_UNIT


cdef int64_t leaves(const bw_game *game, const void *state, int depth, const char *stop, void *scratch) noexcept nogil:
    """Count the sequences of `depth` decisions and outcomes from `state`; -1 when there is no memory left.

    `scratch` holds a state for each ply still to come.
    """
    cdef int64_t n, i, more, total = 0
    cdef int kind
    cdef bw_action *list_
    cdef double *chances
    if stop[0]:
        return 0
    if depth == 0:
        return 1
    kind = game.kind(state)
    if kind == BW_TERMINAL:
        return 0
    n = game.actions(state, NULL, 0) if kind == BW_DECISION else game.outcomes(state, NULL, NULL, 0)
    if depth == 1:
        return n
    list_ = <bw_action *>malloc(n * sizeof(bw_action) + 1)
    chances = <double *>malloc(n * sizeof(double) + 1)
    if list_ == NULL or chances == NULL:
        free(list_)
        free(chances)
        return -1
    if kind == BW_DECISION:
        game.actions(state, list_, n)
    else:
        game.outcomes(state, list_, chances, n)
    for i in range(n):
        memcpy(scratch, state, game.state_size)
        game.apply(scratch, list_[i])
        more = leaves(game, scratch, depth - 1, stop, <char *>scratch + stride(game))
        if more < 0:
            total = -1
            break
        total += more
    free(list_)
    free(chances)
    return total


cdef inline size_t stride(const bw_game *game) noexcept nogil:
    """Bytes from one state to the next in a row of them."""
    return (game.state_size + game.state_align - 1) // game.state_align * game.state_align


cdef inline void *aligned(void *block, const bw_game *game) noexcept nogil:
    """Return the first address in `block` where a state may stand."""
    return <void *>((<uintptr_t>block + game.state_align - 1) // game.state_align * game.state_align)


cdef class Table:
    """A compiled game.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h); it is kept.

    Raises:
        ValueError: no such capsule, or one of another version of the interface.
    """

    cdef const bw_game *game
    cdef object capsule

    def __cinit__(self, capsule):
        self.game = game_of(capsule)
        self.capsule = capsule

    @property
    def name(self):
        """The name that the game gives itself."""
        return self.game.name.decode()

    @property
    def state_size(self):
        """Bytes of a state."""
        return self.game.state_size

    @property
    def max_players(self):
        """The most players of a state."""
        return self.game.max_players

    @property
    def zero_sum(self):
        """Whether there are two players whose results add up to nothing."""
        return bool(self.game.flags & BW_ZERO_SUM)

    @property
    def win_loss(self):
        """Whether a game is won, drawn or lost, nothing else."""
        return bool(self.game.flags & BW_WIN_LOSS)

    @property
    def wide(self):
        """Whether some decisions have far too many actions to list them all."""
        return bool(self.game.flags & BW_WIDE)

    cdef void *held(self, bytes raw, void **block) except NULL:
        """Return a copy of `raw` where a state may stand; `block` is to be freed.

        Raises ValueError if it is no state of this game.
        """
        cdef void *state
        check_state(self.game, raw)
        block[0] = malloc(self.game.state_size + self.game.state_align)
        if block[0] == NULL:
            raise MemoryError
        state = aligned(block[0], self.game)
        memcpy(state, PyBytes_AS_STRING(raw), self.game.state_size)
        return state

    def kind(self, bytes raw):
        """Return 0 at a decision, 1 where chance comes next, 2 at the end."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            return self.game.kind(state)
        finally:
            free(block)

    def players(self, bytes raw):
        """Return the number of players."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            return self.game.players(state)
        finally:
            free(block)

    def player(self, bytes raw):
        """Return who decides, or for whom chance acts; 0-based."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            return self.game.player(state)
        finally:
            free(block)

    def key(self, bytes raw):
        """Return the 64-bit hash of all that decides the future."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            return self.game.key(state)
        finally:
            free(block)

    def repetition(self, bytes raw):
        """Return how many occurrences of one key make a draw, 0 where repetition does not matter."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            return self.game.repetition(state)
        finally:
            free(block)

    def count(self, bytes raw):
        """Return the number of legal actions at a decision, of outcomes where chance comes next, else 0."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            return self.counted(state)
        finally:
            free(block)

    cdef int64_t counted(self, const void *state) noexcept:
        cdef int kind = self.game.kind(state)
        if kind == BW_TERMINAL:
            return 0
        return self.game.actions(state, NULL, 0) if kind == BW_DECISION else self.game.outcomes(state, NULL, NULL, 0)

    def actions(self, bytes raw):
        """Return the legal actions at a decision, the outcomes where chance comes next, in a fixed order."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        cdef bw_action *out = NULL
        cdef double *chances = NULL
        cdef int64_t n, i
        try:
            n = self.counted(state)
            out = <bw_action *>malloc(n * sizeof(bw_action) + 1)
            chances = <double *>malloc(n * sizeof(double) + 1)
            if out == NULL or chances == NULL:
                raise MemoryError
            if self.game.kind(state) == BW_CHANCE:
                self.game.outcomes(state, out, chances, n)
            elif n:
                self.game.actions(state, out, n)
            return [out[i] for i in range(n)]
        finally:
            free(out)
            free(chances)
            free(block)

    def outcomes(self, bytes raw):
        """Return what chance can bring with its probabilities, nothing where no chance comes next."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        cdef bw_action *out = NULL
        cdef double *chances = NULL
        cdef int64_t n, i
        try:
            if self.game.kind(state) != BW_CHANCE:
                return []
            n = self.game.outcomes(state, NULL, NULL, 0)
            out = <bw_action *>malloc(n * sizeof(bw_action) + 1)
            chances = <double *>malloc(n * sizeof(double) + 1)
            if out == NULL or chances == NULL:
                raise MemoryError
            self.game.outcomes(state, out, chances, n)
            return [(out[i], chances[i]) for i in range(n)]
        finally:
            free(out)
            free(chances)
            free(block)

    def play(self, bytes raw, bw_action action):
        """Return the state after a legal action or a possible outcome. Raises ValueError for any other."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            if not is_legal(self.game, state, action):
                raise ValueError(f"action {action} is not legal here")
            self.game.apply(state, action)
            return PyBytes_FromStringAndSize(<char *>state, self.game.state_size)
        finally:
            free(block)

    def sample(self, bytes raw, uint64_t seed):
        """Return a legal action or an outcome drawn from `seed`. Raises ValueError at the end of a game."""
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        cdef bw_rng rng
        try:
            if self.game.kind(state) == BW_TERMINAL:
                raise ValueError("the game is over")
            bw_rng_seed(&rng, seed)
            return self.game.sample(state, &rng)
        finally:
            free(block)

    def returns(self, bytes raw):
        """Return each player's result in the game's unit. Raises ValueError before the end."""
        cdef bw_value out[BW_MAX_PLAYERS]
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        cdef int i
        try:
            if self.game.kind(state) != BW_TERMINAL:
                raise ValueError("the game is not over")
            self.game.returns(state, out)
            return tuple(out[i] / <double>BW_UNIT for i in range(self.game.players(state)))
        finally:
            free(block)

    def evaluate(self, bytes raw):
        """Return the static evaluation for each player in the game's unit."""
        cdef bw_value out[BW_MAX_PLAYERS]
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        cdef int i
        try:
            self.game.evaluate(state, out)
            return tuple(out[i] / <double>BW_UNIT for i in range(self.game.players(state)))
        finally:
            free(block)

    def bounds(self, bytes raw, int player):
        """Return (low, high): what a player can still end with, in the game's unit. Raises ValueError for no player."""
        cdef bw_value low, high
        cdef void *block = NULL
        cdef void *state = self.held(raw, &block)
        try:
            if not 0 <= player < self.game.players(state):
                raise ValueError(f"player {player}, expected 0 to {self.game.players(state) - 1}")
            self.game.bounds(state, player, &low, &high)
            return low / <double>BW_UNIT, high / <double>BW_UNIT
        finally:
            free(block)

    def perft(self, bytes raw, int depth, stop=None):
        """Count the sequences of `depth` actions and outcomes by the rules alone.

        Args:
            raw: where they begin.
            depth: 0 to 64.
            stop: a buffer of one byte; setting it from another thread ends the count early.

        Raises:
            ValueError: a depth out of range, or a buffer of another size.
        """
        cdef char[::1] flag = bytearray(1) if stop is None else stop
        cdef void *block = NULL
        cdef void *rows = NULL
        cdef void *state
        cdef int64_t total
        if not 0 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth {depth}, expected 0 to {MAX_DEPTH}")
        if flag.shape[0] != 1:
            raise ValueError(f"a stop of {flag.shape[0]} bytes, expected 1")
        state = self.held(raw, &block)
        try:
            rows = malloc((depth + 1) * stride(self.game) + self.game.state_align)
            if rows == NULL:
                raise MemoryError
            with nogil:
                total = leaves(self.game, state, depth, &flag[0], aligned(rows, self.game))
            if total < 0:
                raise MemoryError
            return total
        finally:
            free(rows)
            free(block)
