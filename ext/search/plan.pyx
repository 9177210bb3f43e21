"""Planning with all chance known: the best decisions of one player for a given list of outcomes.

Knows ext/include/game.h and no game. `beam` keeps the best states by static evaluation after each decision (beam
search, B. Lowerre 1976), equal states once; `exact` tries everything, leaving out what game.bounds() rules out
(depth-first branch and bound), and says whether it came to its end.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport INT32_MIN, int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from clock cimport bw_load, bw_store
from game cimport (
    BW_CHANCE,
    BW_DECISION,
    BW_MAX_PLAYERS,
    BW_TERMINAL,
    action_of,
    bw_action,
    bw_game,
    bw_value,
    check_state,
    game_of,
    is_legal,
)


cdef enum:
    MAX_BRANCHES = 256
    MAX_WIDTH = 100000
    LONGEST = 4096  # decisions and outcomes of a plan
    DEEPEST = 64  # of an exact search


cdef struct Step:
    # One decision or outcome of some line, with the step before it.
    int32_t before
    bw_action action


cdef struct Item:
    int32_t step  # the last one
    int32_t used  # outcomes met so far
    bint still  # at the end, or before the next outcome


cdef struct Child:
    bw_value value
    int32_t parent
    bw_action action  # of an item that is still: none
    bint still


cdef int by_value(const void *a, const void *b) noexcept nogil:
    """Falling value, then the order of the beam and of the actions: sorting is repeatable."""
    cdef const Child *x = <const Child *>a
    cdef const Child *y = <const Child *>b
    if x.value != y.value:
        return 1 if x.value < y.value else -1
    if x.parent != y.parent:
        return 1 if x.parent > y.parent else -1
    return 1 if x.action > y.action else (-1 if x.action < y.action else 0)


cdef struct Dig:
    const bw_game *game
    const bw_action *outcome
    int outcomes
    int player
    char *state  # DEEPEST + 1 of them
    bw_action path[DEEPEST + 1]
    bw_action best_path[DEEPEST + 1]
    int best_length
    int64_t best
    int64_t nodes
    int64_t limit
    bint cut
    int wrong  # number of an outcome that was not possible where it came, from 1; 0: none
    int64_t *stop


cdef void dig(Dig *d, int at, int used) noexcept nogil:
    cdef const char *state = d.state + <int64_t>at * d.game.state_size
    cdef char *child = d.state + <int64_t>(at + 1) * d.game.state_size
    cdef bw_value value[BW_MAX_PLAYERS]
    cdef bw_value low, high
    cdef int kind = d.game.kind(state)
    cdef int64_t count, i
    cdef bw_action *listed
    d.nodes += 1
    if (d.limit and d.nodes > d.limit) or (d.nodes % 4096 == 0 and bw_load(d.stop)):
        d.cut = True
    if d.cut:
        return
    if kind == BW_TERMINAL or (kind == BW_CHANCE and used == d.outcomes):
        d.game.returns(state, value)
        if value[d.player] > d.best:
            d.best = value[d.player]
            d.best_length = at
            memcpy(d.best_path, d.path, at * sizeof(bw_action))
        return
    if at == DEEPEST:
        d.cut = True
        return
    if kind == BW_CHANCE:
        if not is_legal(d.game, state, d.outcome[used]):
            d.wrong = used + 1
            d.cut = True
            return
        memcpy(child, state, d.game.state_size)
        d.path[at] = d.outcome[used]
        d.game.apply(child, d.outcome[used])
        dig(d, at + 1, used + 1)
        return
    count = d.game.actions(state, NULL, 0)
    listed = <bw_action *>malloc(count * sizeof(bw_action))
    if listed == NULL:
        d.cut = True
        return
    d.game.actions(state, listed, count)
    for i in range(count):
        memcpy(child, state, d.game.state_size)
        d.game.apply(child, listed[i])
        d.game.bounds(child, d.player, &low, &high)
        if high <= d.best:
            continue
        d.path[at] = listed[i]
        dig(d, at + 1, used)
        if d.cut:
            break
    free(listed)


cdef class Planner:
    """Plans for the only player of a game. A second plan while one is under way raises RuntimeError.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h), with top() for `beam`.
    """

    cdef const bw_game *game
    cdef object capsule
    cdef int64_t stopped
    cdef Step *steps
    cdef int64_t step_count
    cdef int64_t step_room
    cdef bint busy
    cdef readonly int64_t nodes

    def __cinit__(self, object capsule):
        self.game = game_of(capsule)
        self.capsule = capsule  # keeps the table of functions alive

    def __dealloc__(self):
        free(self.steps)

    def stop(self):
        """End the plan under way with what it has. From any thread."""
        bw_store(&self.stopped, 1)

    cdef list check(self, bytes state, list outcomes):
        """Return the outcomes as numbers, in a list of our own. Raises for what cannot be planned."""
        check_state(self.game, state)
        if self.game.players(PyBytes_AS_STRING(state)) != 1:
            raise ValueError("a plan needs a game of one player")
        given = [action_of(outcome) for outcome in outcomes]
        if len(given) > LONGEST // 4:
            raise ValueError(f"at most {LONGEST // 4} outcomes, got {len(given)}")
        if self.busy:
            raise RuntimeError("a plan is under way")
        return given

    def exact(self, bytes state, list outcomes, int64_t limit=0, int64_t at_least=INT32_MIN):
        """Try all decisions.

        Args:
            state: where to begin.
            outcomes: what chance brings, in order; each has to be possible where it comes.
            limit: most nodes, 0 for no limit.
            at_least: only what is worth more, in 1/10000 of the game's unit, is looked for.

        Returns:
            (value, line of decisions and outcomes, whether everything was tried); value None and an empty line when
            nothing better than `at_least` was found.

        Raises:
            ValueError: no state of the game, several players, too many outcomes or one that is not possible.
        """
        cdef Dig *d
        cdef bw_action *given
        cdef const char *raw
        cdef int i
        cdef list checked = self.check(state, outcomes)
        if limit < 0:
            raise ValueError(f"limit: expected 0 or more nodes, got {limit}")
        raw = state
        bw_store(&self.stopped, 0)
        d = <Dig *>calloc(1, sizeof(Dig))
        given = <bw_action *>malloc((len(checked) + 1) * sizeof(bw_action))
        if d != NULL:
            d.state = <char *>malloc((DEEPEST + 1) * <int64_t>self.game.state_size)
        if d == NULL or given == NULL or d.state == NULL:
            if d != NULL:
                free(d.state)
            free(d)
            free(given)
            raise MemoryError
        self.busy = True
        try:
            for i in range(len(checked)):
                given[i] = checked[i]
            d.game = self.game
            d.outcome = given
            d.outcomes = len(checked)
            d.best = at_least
            d.limit = limit
            d.stop = &self.stopped
            memcpy(d.state, raw, self.game.state_size)
            with nogil:
                dig(d, 0, 0)
            self.nodes = d.nodes
            if d.wrong:
                raise ValueError(f"outcome {d.wrong} of {len(checked)} is not possible where it comes")
            found = d.best > at_least
            line = [d.best_path[i] for i in range(d.best_length)] if found else []
            return (d.best if found else None), line, not d.cut
        finally:
            self.busy = False
            free(d.state)
            free(d)
            free(given)

    cdef int32_t add_step(self, int32_t before, bw_action action) except -1:
        cdef Step *more
        if self.step_count == self.step_room:
            more = <Step *>realloc(self.steps, (2 * self.step_room + 1024) * sizeof(Step))
            if more == NULL:
                raise MemoryError
            self.steps = more
            self.step_room = 2 * self.step_room + 1024
        self.steps[self.step_count].before = before
        self.steps[self.step_count].action = action
        self.step_count += 1
        return <int32_t>(self.step_count - 1)

    def beam(self, bytes state, list outcomes, int width, int branch=32):
        """Keep the best `width` states after each decision.

        Args:
            state: where to begin.
            outcomes: what chance brings, in order; each has to be possible where it comes.
            width: states kept, 1 to 100,000.
            branch: actions tried in a state, the best by static evaluation, 1 to 256.

        Returns:
            (value in 1/10000 of the game's unit, line of decisions and outcomes): of the game when it is over, else
            of the results so far when the outcomes are used up.

        Raises:
            ValueError: no state of the game, several players, a number out of range, an outcome that is not possible,
                or a game without top().
        """
        cdef const bw_game *game = self.game
        cdef int64_t size = game.state_size
        cdef const char *raw
        cdef list checked
        cdef char *states = NULL
        cdef char *following = NULL
        cdef Item *items = NULL
        cdef Item *next_items = NULL
        cdef Child *children = NULL
        cdef uint64_t *seen = NULL
        cdef uint64_t slots = 1, key, slot
        cdef bw_action best[MAX_BRANCHES]
        cdef bw_value worth[MAX_BRANCHES]
        cdef bw_value value[BW_MAX_PLAYERS]
        cdef int64_t count = 1, made, i, kept, j, n
        cdef Child *child
        cdef bint moving = True
        cdef int32_t step
        cdef bw_action outcome
        checked = self.check(state, outcomes)
        raw = state
        if game.top == NULL:
            raise ValueError("a beam needs a game with top()")
        if not 1 <= width <= MAX_WIDTH or not 1 <= branch <= MAX_BRANCHES:
            raise ValueError(f"expected a width of 1 to {MAX_WIDTH} and 1 to {MAX_BRANCHES} branches")
        bw_store(&self.stopped, 0)
        self.busy = True
        while slots < <uint64_t>(4 * width):
            slots *= 2
        states = <char *>malloc(width * size)
        following = <char *>malloc(width * size)
        items = <Item *>malloc(width * sizeof(Item))
        next_items = <Item *>malloc(width * sizeof(Item))
        children = <Child *>malloc(<int64_t>width * branch * sizeof(Child))
        seen = <uint64_t *>malloc(slots * sizeof(uint64_t))
        try:
            if (states == NULL or following == NULL or items == NULL or next_items == NULL or children == NULL
                    or seen == NULL):
                raise MemoryError
            self.nodes = 0
            self.step_count = 0
            memcpy(states, raw, size)
            items[0].step = -1
            items[0].used = 0
            items[0].still = False
            while True:
                # Outcomes first, all states at once, so that all have met as many.
                if not moving or game.kind(states) != BW_DECISION:
                    moving = False
                    for i in range(count):
                        if game.kind(states + i * size) == BW_CHANCE and items[i].used < len(checked):
                            outcome = checked[items[i].used]
                            if not is_legal(game, states + i * size, outcome):
                                raise ValueError(f"outcome {items[i].used + 1} of {len(checked)} is not possible where "
                                                 "it comes")
                            items[i].step = self.add_step(items[i].step, outcome)
                            game.apply(states + i * size, self.steps[items[i].step].action)
                            items[i].used += 1
                            items[i].still = False
                            moving = True
                    if not moving:
                        break
                made = 0
                moving = False
                for i in range(count):
                    if game.kind(states + i * size) != BW_DECISION:
                        game.evaluate(states + i * size, value)
                        if game.kind(states + i * size) == BW_TERMINAL or items[i].used == len(checked):
                            game.returns(states + i * size, value)
                        self.add_child(children, &made, i, value[0], 0, True)
                        continue
                    moving = True
                    with nogil:
                        n = game.top(states + i * size, branch, best, worth)
                    self.nodes += n
                    for j in range(n):
                        self.add_child(children, &made, i, worth[j], best[j], False)
                    if bw_load(&self.stopped):
                        # No time for the others: the first states are the best ones.
                        break
                with nogil:
                    qsort(children, made, sizeof(Child), by_value)
                memset(seen, 0, slots * sizeof(uint64_t))
                kept = 0
                for i in range(made):
                    if kept == width:
                        break
                    child = &children[i]
                    memcpy(following + kept * size, states + child.parent * size, size)
                    if not child.still:
                        game.apply(following + kept * size, child.action)
                    key = game.key(following + kept * size) | 1
                    slot = key * <uint64_t>0x9e3779b97f4a7c15ULL % slots
                    while seen[slot] and seen[slot] != key:
                        slot = (slot + 1) % slots
                    if seen[slot]:
                        continue
                    seen[slot] = key
                    step = items[child.parent].step
                    next_items[kept].step = step if child.still else self.add_step(step, child.action)
                    next_items[kept].used = items[child.parent].used
                    next_items[kept].still = child.still
                    kept += 1
                count = kept
                states, following = following, states
                items, next_items = next_items, items
                if bw_load(&self.stopped):
                    width = 1
                    count = 1
            return self.best_line(states, items, count)
        finally:
            self.busy = False
            free(states)
            free(following)
            free(items)
            free(next_items)
            free(children)
            free(seen)

    cdef void add_child(self, Child *children, int64_t *made, int64_t parent, bw_value value, bw_action action,
                        bint still) noexcept:
        cdef Child *child = &children[made[0]]
        child.parent = <int32_t>parent
        child.value = value
        child.action = action
        child.still = still
        made[0] += 1

    cdef tuple best_line(self, const char *states, const Item *items, int64_t count):
        cdef bw_value value[BW_MAX_PLAYERS]
        cdef int64_t i, first = 0
        cdef bw_value most = INT32_MIN
        cdef int32_t step
        for i in range(count):
            self.game.returns(states + i * self.game.state_size, value)
            if value[0] > most:
                most = value[0]
                first = i
        line = []
        step = items[first].step
        while step >= 0:
            line.append(self.steps[step].action)
            step = self.steps[step].before
        return most, line[::-1]
