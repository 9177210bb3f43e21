"""Learns a linear value function by temporal differences over greedy self-play.

Knows game.h and learn.h and no game. A game is played by top(): every decision is the best by the present weights.
When it is over, each player's states that are learned are gone through backwards: each value moves towards its
lambda-return (R. S. Sutton, Learning to predict by the methods of temporal differences, Machine Learning 3, 1988),
an estimate of the final result.

Step sizes are those of temporal coherence learning (D. F. Beal, M. C. Smith, Temporal coherence and prediction decay
in TD learning, IJCAI 1999), as W. Jaskowski used them for 2048 (Mastering 2048 with delayed temporal coherence
learning, multi-stage weight promotion, redundant encoding and carousel shaping, IEEE Transactions on Games 10, 2018):
each weight has its own, the sum of its errors divided by the sum of their sizes. A weight whose errors keep their sign
moves fast, one whose errors cancel out hardly moves.

Any number of threads may play with one Learner at the same time: they share the numbers without locks, see learn.h.
With a single thread all comes out the same each time.
"""

from libc.math cimport fabs, isfinite, lrint
from libc.stdint cimport INT16_MAX, INT64_MAX, int16_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from clock cimport bw_load, bw_store
from game cimport (
    BW_CHANCE,
    BW_MAX_PLAYERS,
    BW_TERMINAL,
    BW_UNIT,
    bw_action,
    bw_game,
    bw_value,
    check_state,
    game_of,
    pointer_of,
)
from learn cimport (
    BW_LINEAR_ABI,
    BW_LINEAR_CAPSULE,
    BW_WEIGHT_UNIT,
    bw_get,
    bw_linear,
    bw_put,
    bw_put_weight,
)
from rng cimport bw_rng, bw_rng_seed, bw_rng_unit, bw_splitmix


cdef enum:
    MAX_STARTS = 16
    LONGEST = 256  # learned states of one game that are kept; the later ones are left out
    MAX_GAMES = 10000000  # of one call


cdef struct Step:
    # One learned state of one player: its active weights are `active` numbers from `at` on in the pool.
    double base
    int64_t at
    int32_t active
    int32_t player


cdef struct Table:
    # What a thread needs for itself.
    char *state
    Step *step
    int32_t *pool
    double decay
    double rate


cdef class Learner:
    """Weights with their step sizes, and games that change them.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h) with top().
        linear: PyCapsule of the same game's `bw_linear` (ext/include/learn.h). Its weights follow those of the learner.
    """

    cdef const bw_game *game
    cdef const bw_linear *linear
    cdef tuple capsules
    cdef float *numbers  # weights in the game's unit, then sums of errors, then sums of their sizes
    cdef int64_t stopped
    cdef int playing  # calls of play() under way

    def __cinit__(self, object capsule, object linear):
        self.game = game_of(capsule)
        self.linear = <const bw_linear *>pointer_of(linear, BW_LINEAR_CAPSULE)
        if self.linear.abi != BW_LINEAR_ABI:
            raise ValueError(f"the value function speaks version {self.linear.abi} of the interface, "
                             f"expected {BW_LINEAR_ABI}")
        if self.linear.game != self.game:
            raise ValueError(f"the value function is that of {self.linear.game.name.decode()}, "
                             f"the game is {self.game.name.decode()}")
        if self.linear.count < 1 or self.linear.most_active < 0:
            raise ValueError("the value function's numbers of weights are out of range")
        if self.game.top == NULL:
            raise ValueError("learning needs a game with top()")
        self.capsules = (capsule, linear)
        self.numbers = <float *>calloc(3 * self.linear.count, sizeof(float))
        if self.numbers == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.numbers)

    @property
    def count(self) -> int:
        """Number of weights."""
        return self.linear.count

    def get(self):
        """A copy of all numbers as bytes: weights, sums of errors, sums of their sizes, each `count` floats."""
        return <bytes>(<char *>self.numbers)[:3 * self.linear.count * sizeof(float)]

    def set(self, const float[::1] numbers not None):
        """Take over numbers as get() gives them.

        Raises:
            ValueError: there are more or fewer of them, or one that is not finite.
            RuntimeError: games are under way.
        """
        cdef int64_t i
        cdef float number
        if self.playing:
            raise RuntimeError("games are under way")
        if numbers.shape[0] != 3 * self.linear.count:
            raise ValueError(f"expected {3 * self.linear.count} numbers, got {numbers.shape[0]}")
        # What comes in a message of a cluster may begin at any address: it is no array of floats for C.
        for i in range(3 * self.linear.count):
            memcpy(&number, <const char *>&numbers[0] + i * sizeof(float), sizeof(float))
            if not isfinite(number):
                raise ValueError(f"number {i} is not finite")
        memcpy(self.numbers, &numbers[0], 3 * self.linear.count * sizeof(float))
        for i in range(self.linear.count):
            self.publish(i, self.numbers[i])

    def stop(self):
        """Let all threads end after the game that each is playing. From any thread; holds for good."""
        bw_store(&self.stopped, 1)

    cdef void publish(self, int64_t i, float weight) noexcept nogil:
        """Round a weight to what the game reads."""
        cdef double rounded = max(-1.0 * INT16_MAX, min(1.0 * INT16_MAX, weight * BW_WEIGHT_UNIT))
        bw_put_weight(&self.linear.weight[i], <int16_t>lrint(rounded))

    def play(self, list starts, list shares, uint64_t seed, int64_t first, int64_t count, *, double decay,
             double rate):
        """Play games number `first` to `first + count` and learn from each.

        Args:
            starts: 1 to 16 states in which games begin.
            shares: the share of the games that begins in each, together 1.
            seed: with the number of a game decides all its chance, its beginning included.
            first, count: 0 or more; at most ten million games.
            decay: lambda, 0 to 1.
            rate: factor of all step sizes, above 0.

        Returns:
            For each game (number of its start, results of all players in the game's unit).

        Raises:
            ValueError: no state of the game, or a number out of range.
        """
        cdef Table t
        cdef char *begin = NULL
        cdef double *result = NULL
        cdef double until[MAX_STARTS]
        cdef int32_t *chosen = NULL
        cdef const char *raw
        cdef int64_t i, size = self.game.state_size, done = 0
        cdef int p, kinds
        # Asked for once, and in lists of our own: those of the caller may change under our hands.
        beginnings = list(starts)
        parts = [float(share) for share in shares]
        kinds = <int>len(beginnings)
        if not 1 <= kinds <= MAX_STARTS or len(parts) != kinds:
            raise ValueError(f"expected 1 to {MAX_STARTS} starts with a share each")
        if not all(share >= 0 for share in parts):
            raise ValueError("a share is 0 or more")
        if not 0 <= count <= MAX_GAMES or not 0 <= first <= INT64_MAX - MAX_GAMES:
            raise ValueError(f"expected 0 to {MAX_GAMES} games from number 0 up, got {count} from {first}")
        if not 0 <= decay <= 1 or not 0 < rate <= 1:
            raise ValueError("decay or rate out of range")
        for state in beginnings:
            if not isinstance(state, bytes):
                raise TypeError(f"a state is bytes, got {type(state).__name__}")
            check_state(self.game, state)
        t.decay = decay
        t.rate = rate
        t.state = <char *>malloc(size)
        t.step = <Step *>malloc(LONGEST * sizeof(Step))
        t.pool = <int32_t *>malloc(LONGEST * self.linear.most_active * sizeof(int32_t))
        begin = <char *>malloc(kinds * size)
        result = <double *>malloc((count + 1) * BW_MAX_PLAYERS * sizeof(double))
        chosen = <int32_t *>malloc((count + 1) * sizeof(int32_t))
        self.playing += 1
        try:
            if t.state == NULL or t.step == NULL or t.pool == NULL or begin == NULL or result == NULL or chosen == NULL:
                raise MemoryError
            total = 0.0
            for i in range(kinds):
                raw = <bytes>beginnings[i]
                memcpy(begin + i * size, raw, size)
                total += parts[i]
                until[i] = total
            with nogil:
                for i in range(count):
                    if bw_load(&self.stopped):
                        break
                    chosen[i] = self.play_game(&t, begin, until, kinds, seed, first + i, result + i * BW_MAX_PLAYERS)
                    done += 1
            played = []
            for i in range(done):
                seats = self.game.players(begin + chosen[i] * size)
                played.append((chosen[i], tuple([result[i * BW_MAX_PLAYERS + p] for p in range(seats)])))
            return played
        finally:
            self.playing -= 1
            free(t.state)
            free(t.step)
            free(t.pool)
            free(begin)
            free(result)
            free(chosen)

    cdef int play_game(self, Table *t, const char *begin, const double *until, int kinds, uint64_t seed,
                       int64_t number, double *result) noexcept nogil:
        """Play one game and learn from it; returns the number of its start."""
        cdef bw_rng rng
        cdef bw_action action
        cdef bw_value worth, base
        cdef bw_value final[BW_MAX_PLAYERS]
        cdef int start = 0, kind, player, players
        cdef int64_t steps = 0, used = 0
        cdef uint64_t mixed = seed
        cdef double draw
        # The generators of neighbouring games must have nothing in common.
        mixed = bw_splitmix(&mixed) + <uint64_t>number
        bw_rng_seed(&rng, bw_splitmix(&mixed))
        draw = bw_rng_unit(&rng)
        while start < kinds - 1 and draw >= until[start]:
            start += 1
        memcpy(t.state, begin + start * <int64_t>self.game.state_size, self.game.state_size)
        players = self.game.players(t.state)
        while True:
            kind = self.game.kind(t.state)
            if kind == BW_TERMINAL:
                break
            if self.linear.is_learned(t.state) and steps + players <= LONGEST:
                for player in range(players):
                    t.step[steps].at = used
                    t.step[steps].player = player
                    t.step[steps].active = self.linear.active(t.state, player, t.pool + used, &base)
                    t.step[steps].base = <double>base / BW_UNIT
                    used += t.step[steps].active
                    steps += 1
            if kind == BW_CHANCE:
                action = self.game.sample(t.state, &rng)
            else:
                self.game.top(t.state, 1, &action, &worth)
            self.game.apply(t.state, action)
        self.game.returns(t.state, final)
        for player in range(players):
            result[player] = <double>final[player] / BW_UNIT
            self.learn(t, steps, player, result[player])
        return start

    cdef void learn(self, Table *t, int64_t steps, int player, double final) noexcept nogil:
        """Move one player's values towards their lambda-returns, the last one first."""
        cdef float *weight = self.numbers
        cdef float *errors = weight + self.linear.count
        cdef float *sizes = errors + self.linear.count
        cdef double ahead = final, value, delta, size
        cdef float moved
        cdef const Step *step
        cdef const int32_t *active
        cdef int64_t i
        cdef int j
        for i in range(steps - 1, -1, -1):
            step = &t.step[i]
            if step.player != player or not step.active:
                continue
            active = t.pool + step.at
            value = step.base
            for j in range(step.active):
                value += bw_get(&weight[active[j]])
            delta = ahead - value
            for j in range(step.active):
                size = bw_get(&sizes[active[j]])
                moved = bw_get(&weight[active[j]])
                moved += <float>(t.rate * delta / step.active
                                 * (fabs(bw_get(&errors[active[j]])) / size if size > 0 else 1.0))
                bw_put(&weight[active[j]], moved)
                bw_put(&errors[active[j]], bw_get(&errors[active[j]]) + <float>delta)
                bw_put(&sizes[active[j]], <float>(size + fabs(delta)))
                self.publish(active[j], moved)
            ahead = t.decay * ahead + (1 - t.decay) * value
