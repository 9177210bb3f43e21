"""Iterative deepening principal variation search for two-player zero-sum games.

Knows ext/include/game.h and no game. Whose turn it is comes from the game, never from the parity of the ply: where one
side moves twice in a row, the window and the sign stay. A chance node is a horizon: it is evaluated, not
searched.

Moves late in the order are searched less deep at first (late move reduction); close to the horizon some are left out
(late move pruning) and nodes are given up by their static value (futility pruning). Such a search finds a win later
than at the depth of its length, but never announces a win or loss that is not proven: what is left out or cut short
counts as its static value, which is neither. A search for a mate reduces nothing: there a win in n plies is found at
depth n.

Several threads search the same tree and share the transposition table ("lazy SMP"). Each puts off the actions that
another one is searching (ABDADA), so that they do not do the same work twice. What the first of them finds is the
result, or what another has found at a greater depth when time is up; one thread is deterministic.

Sources: principal variation search (Marsland and Campbell 1982), iterative deepening with aspiration windows
(Slate and Atkin 1977), killer and history ordering (Akl and Newborn 1977, Schaeffer 1983), a transposition
table whose entries check themselves against torn writes (Hyatt and Mann 2002), late move reductions and futility
pruning (Heinz, Scalable search in computer chess, 2000), threads that share a table and
put off what others search (Weill, The ABDADA distributed minimax search algorithm, 1996; the marks outside of the
table after T. Kerrigan, Simplified ABDADA, 2017).
"""

from libc.math cimport log, tanh
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memmove, memset

from clock cimport BW_SECOND, bw_control, bw_is_late, bw_is_over, bw_load, bw_now, bw_set_time, bw_store
from game cimport (
    BW_CHANCE, BW_DECISION, BW_MAX_PLAYERS, BW_NO_ACTION, BW_ORACLE_ABI, BW_ORACLE_CAPSULE, BW_TERMINAL, BW_UNIT,
    BW_WIN_LOSS, BW_ZERO_SUM, action_of, bw_action, bw_game, bw_oracle, bw_value, check_state, game_of, pointer_of,
    refuse_if,
)
from memory cimport bw_zero


cdef extern from *:
    """
    static uint64_t bw_scale(uint64_t x, uint64_t n) { return (uint64_t)(((__uint128_t)x * n) >> 64); }
    """
    uint64_t bw_scale(uint64_t x, uint64_t n) noexcept nogil


# Threads as Python itself makes them, but they run no Python: a thread that cannot be had is a number, not an exception
# from the middle of a queue, and a search does not wait for the interpreter's lock. The locks serve as signals: one is
# taken, and who releases it, in whatever thread, wakes up who waits for it.
cdef extern from "pythread.h" nogil:
    ctypedef void *PyThread_type_lock
    const int WAIT_LOCK
    unsigned long PyThread_start_new_thread(void (*work)(void *), void *argument)
    PyThread_type_lock PyThread_allocate_lock()
    void PyThread_free_lock(PyThread_type_lock lock)
    int PyThread_acquire_lock(PyThread_type_lock lock, int mode)
    void PyThread_release_lock(PyThread_type_lock lock)


cdef enum:
    MAX_PLY = 128
    DEEPEST = 100
    INFINITE = 32000
    WIN = 30000           # a win n plies from the root is worth WIN - n
    PROVEN = 29000        # beyond this a value speaks of a forced win or loss
    ASPIRATION = 400
    HISTORY = 4096
    CLUSTER = 4           # entries a key may lie in
    SEEN = 4096
    TICK = 1024           # nodes between two looks at the clock
    MAX_ACTIONS = 4096
    MAX_THREADS = 64
    RESERVE = 4           # threads that are given back where there are not enough
    UNDER_WAY = 8192      # slots of the list of actions that some thread is searching
    DEFER_FROM = 3        # ABDADA: plies to the horizon from which threads keep out of each other's way
    SHALLOW = 3           # futility: plies to the horizon up to which the static value gives up nodes and moves
    REDUCED_FROM = 3      # late move reduction: plies to the horizon from which late moves are searched less deep
    LATE = 3              # moves that are never late

cdef enum Bound:
    LOWER = 1
    UPPER = 2
    EXACT = 3


ctypedef struct Entry:
    uint64_t check        # key ^ action ^ data: a torn write does not match
    bw_action action
    uint64_t data         # value + 32768 | depth << 16 | bound << 24 | generation << 32


# What the threads of a search share.
ctypedef struct Shared:
    const bw_oracle *oracle   # null: none
    Entry *table
    uint64_t clusters
    uint8_t generation
    int past                  # keys that lie before the root
    uint8_t seen[SEEN]        # whether a key with these low bits is among them
    int repetition
    bint full                 # nothing is reduced or left out
    bw_control control        # what ends the search from outside
    int64_t halt              # the first thread has ended
    int64_t depth             # of the first thread's iteration
    int64_t under_way[UNDER_WAY]  # keys of actions that some thread is searching


ctypedef struct RootMove:
    bw_action action
    int value
    int depth                 # of the iteration that found the value
    bint waiting              # put off: another thread was searching it
    int length
    bw_action line[MAX_PLY + 2]


# A thread.
ctypedef struct Context:
    const bw_game *game
    Shared *shared
    int64_t tbhits
    char *states              # MAX_PLY + 2 states, one a ply
    bw_action *actions        # MAX_PLY + 2 lists of game.max_actions
    int32_t *scores           # their ordering scores
    bw_action pv[MAX_PLY + 2][MAX_PLY + 2]
    int pv_length[MAX_PLY + 2]
    bw_action killers[MAX_PLY + 2][2]
    int32_t history[BW_MAX_PLAYERS][HISTORY]
    uint64_t *keys            # keys of the game so far, then of the path from the root
    int64_t nodes
    int64_t node_limit
    int64_t next_tick
    bint aborted
    bint cut                  # some line was ended by a static value or made shorter
    int seldepth
    int depth                 # of the iteration
    bint overtaken            # by the first thread, which is done with this iteration: the next needs help
    bint crowded              # other threads search along
    void *owner               # NULL in all threads but the first
    RootMove *moves           # what a thread that is not the first gets to do,
    int move_count
    int most
    bint ended                # or that it is to end for good
    PyThread_type_lock begun  # released when there is something to do
    PyThread_type_lock done   # and when it is done


cdef uint8_t REDUCTION[64][64]      # of late moves, by plies to the horizon and number of the move
cdef int MARGIN[SHALLOW + 1]        # of futility: what the static value may change by, as a speed (see `shifted`)


cdef void make_reductions():
    cdef int depth, i
    for depth in range(64):
        for i in range(64):
            REDUCTION[depth][i] = <uint8_t>(0.4 + log(depth) * log(i) / 2.2) if depth and i else 0
    for depth in range(SHALLOW + 1):
        MARGIN[depth] = <int>(BW_UNIT * tanh(0.3 + 0.3 * depth))


# --- transposition table ------------------------------------------------------------------------------------

cdef inline Entry *cluster_of(const Context *c, uint64_t key) noexcept nogil:
    return c.shared.table + bw_scale(key, c.shared.clusters) * CLUSTER


cdef inline void read_entry(const Entry *e, Entry *copy) noexcept nogil:
    """Copies an entry that another thread may write to at any time."""
    copy.check = <uint64_t>bw_load(<const int64_t *>&e.check)
    copy.action = <bw_action>bw_load(<const int64_t *>&e.action)
    copy.data = <uint64_t>bw_load(<const int64_t *>&e.data)


cdef inline bint probe(const Context *c, uint64_t key, Entry *found) noexcept nogil:
    """Copies the entry of a key, if there is one."""
    cdef Entry *e = cluster_of(c, key)
    cdef int i
    for i in range(CLUSTER):
        read_entry(&e[i], found)
        if found.data and found.check == (key ^ found.action ^ found.data):
            return True
    return False


cdef inline void store(const Context *c, uint64_t key, bw_action action, int value, int depth, int bound,
                       int ply) noexcept nogil:
    cdef Entry *e = cluster_of(c, key)
    cdef Entry *oldest = e
    cdef Entry held
    cdef uint64_t data
    cdef int i, worth, least = 1 << 30
    for i in range(CLUSTER):
        read_entry(&e[i], &held)
        if held.data == 0 or held.check == (key ^ held.action ^ held.data):
            oldest = &e[i]
            break
        # A shallow entry of an earlier search goes first.
        worth = <int>(held.data >> 16 & 0xFF) - 8 * <int>(
            <uint8_t>(c.shared.generation - (held.data >> 32 & 0xFF)))
        if worth < least:
            least = worth
            oldest = &e[i]
    if value > PROVEN:
        value += ply
    elif value < -PROVEN:
        value -= ply
    data = <uint64_t>(value + 32768) | <uint64_t>depth << 16 | <uint64_t>bound << 24 | (
        <uint64_t>c.shared.generation << 32)
    bw_store(<int64_t *>&oldest.action, <int64_t>action)
    bw_store(<int64_t *>&oldest.data, <int64_t>data)
    bw_store(<int64_t *>&oldest.check, <int64_t>(key ^ action ^ data))


cdef inline int entry_value(const Entry *e, int ply) noexcept nogil:
    cdef int value = <int>(e.data & 0xFFFF) - 32768
    return value - ply if value > PROVEN else value + ply if value < -PROVEN else value


# --- search -------------------------------------------------------------------------------------------------

cdef void tick(Context *c) noexcept with gil:
    (<Searcher>c.owner).tick()


cdef void improved(Context *c, RootMove *move) noexcept with gil:
    (<Searcher>c.owner).improved(move)


cdef inline void look_around(Context *c) noexcept nogil:
    """Ends the search when a limit is reached; once a second lets Python report."""
    cdef int64_t now
    if c.node_limit and c.nodes >= c.node_limit:
        c.aborted = True
    elif c.nodes % TICK == 0:
        now = bw_now()
        if bw_load(&c.shared.halt) or bw_is_over(&c.shared.control, now):
            c.aborted = True
        elif c.owner == NULL and bw_load(&c.shared.depth) > c.depth:
            c.aborted = c.overtaken = True
        elif c.owner != NULL and now >= c.next_tick:
            c.next_tick = now + BW_SECOND
            tick(c)


cdef inline bint repeats(const Context *c, uint64_t key, int ply) noexcept nogil:
    """Whether the node at `ply` is a draw by repetition; once on the path from the root is enough."""
    cdef int i, met = 1
    for i in range(c.shared.past + ply - 1, c.shared.past - 1, -1):
        if c.keys[i] == key:
            return True
    if c.shared.seen[key % SEEN]:
        for i in range(c.shared.past):
            met += c.keys[i] == key
    return met >= c.shared.repetition


cdef inline int static_value(const Context *c, const void *state) noexcept nogil:
    cdef bw_value values[BW_MAX_PLAYERS]
    c.game.evaluate(state, values)
    return values[c.game.player(state)]


cdef inline int shifted(int value, int margin) noexcept nogil:
    """A static value, raised by a margin.

    Static values are expected results, so a step means more near a sure win. Both are tanh of a logarithm of odds, and
    those add up as speeds do in relativity: the result stays within -BW_UNIT..BW_UNIT.
    """
    return <int>((<int64_t>(value + margin) * BW_UNIT * BW_UNIT) // (
        <int64_t>BW_UNIT * BW_UNIT + <int64_t>value * margin))


cdef inline int terminal_value(const Context *c, const void *state, int ply) noexcept nogil:
    cdef bw_value values[BW_MAX_PLAYERS]
    cdef int value
    c.game.returns(state, values)
    value = values[c.game.player(state)]
    if c.game.flags & BW_WIN_LOSS and value:
        return WIN - ply if value > 0 else ply - WIN
    return value


cdef inline bint known(Context *c, const void *state, int ply, int *value) noexcept nogil:
    """Probe the endgame tables (tablebases): whether they know the state, and what it is worth to who moves."""
    cdef int plies = 0
    if c.shared.oracle == NULL or not c.shared.oracle.probe(c.shared.oracle.self, state, &plies):
        return False
    bw_store(&c.tbhits, c.tbhits + 1)
    value[0] = WIN - ply - plies if plies > 0 else ply - plies - WIN if plies < 0 else 0
    return True


cdef inline int history_slot(bw_action action) noexcept nogil:
    return <int>(action * <uint64_t>0x9E3779B97F4A7C15ULL >> 52)


cdef inline void score_actions(const Context *c, const void *state, int64_t n, int ply,
                               bw_action best) noexcept nogil:
    cdef bw_action *list_ = c.actions + ply * c.game.max_actions
    cdef int32_t *scores = c.scores + ply * c.game.max_actions
    cdef int player = c.game.player(state)
    cdef int64_t i
    for i in range(n):
        if list_[i] == best:
            scores[i] = 1 << 30
        else:
            scores[i] = c.history[player][history_slot(list_[i])]
            if list_[i] == c.killers[ply][0]:
                scores[i] += 1 << 22
            elif list_[i] == c.killers[ply][1]:
                scores[i] += 1 << 21
            if c.game.order != NULL:
                scores[i] += c.game.order(state, list_[i]) * 4096


cdef inline void pick(const Context *c, int64_t i, int64_t n, int ply) noexcept nogil:
    """Brings the best of the actions i..n-1 to place i."""
    cdef bw_action *list_ = c.actions + ply * c.game.max_actions
    cdef int32_t *scores = c.scores + ply * c.game.max_actions
    cdef int64_t j, best = i
    cdef bw_action action
    cdef int32_t score
    for j in range(i + 1, n):
        if scores[j] > scores[best]:
            best = j
    action, score = list_[best], scores[best]
    list_[best], scores[best] = list_[i], scores[i]
    list_[i], scores[i] = action, score


cdef inline void reward(Context *c, int player, bw_action action, int depth, int ply) noexcept nogil:
    """Note an action that refuted a node: killer of its ply, and more history."""
    cdef int32_t *slot = &c.history[player][history_slot(action)]
    cdef int i, j
    if action != c.killers[ply][0]:
        c.killers[ply][1] = c.killers[ply][0]
        c.killers[ply][0] = action
    slot[0] += depth * depth
    if slot[0] > 1 << 20:
        for i in range(BW_MAX_PLAYERS):
            for j in range(HISTORY):
                c.history[i][j] //= 2


cdef inline void adopt_line(Context *c, int ply, bw_action action) noexcept nogil:
    c.pv[ply][0] = action
    memcpy(&c.pv[ply][1], &c.pv[ply + 1][0], c.pv_length[ply + 1] * sizeof(bw_action))
    c.pv_length[ply] = c.pv_length[ply + 1] + 1


# --- several threads: ABDADA ---------------------------------------------------------------------------------

cdef inline int64_t *slot_of(const Context *c, uint64_t key, bw_action action, int64_t *mark) noexcept nogil:
    """Where a thread that searches an action of a position says so, and the mark it leaves there; never 0."""
    cdef uint64_t mixed = (key ^ <uint64_t>action * 0x9E3779B97F4A7C15ULL) * 0xD6E8FEB86659FD93ULL
    mark[0] = <int64_t>(mixed | 1)
    return &c.shared.under_way[mixed >> 51]


cdef inline bint searched_elsewhere(const Context *c, uint64_t key, bw_action action) noexcept nogil:
    """ABDADA: whether another thread is searching the action, so that this one had better put it off."""
    cdef int64_t mark
    cdef int64_t *slot = slot_of(c, key, action, &mark)
    return bw_load(slot) == mark


cdef inline void begin_action(const Context *c, uint64_t key, bw_action action) noexcept nogil:
    cdef int64_t mark
    cdef int64_t *slot = slot_of(c, key, action, &mark)
    bw_store(slot, mark)


cdef inline void end_action(const Context *c, uint64_t key, bw_action action) noexcept nogil:
    cdef int64_t mark
    cdef int64_t *slot = slot_of(c, key, action, &mark)
    if bw_load(slot) == mark:
        bw_store(slot, 0)


# --- nodes --------------------------------------------------------------------------------------------------

cdef inline int child_value(Context *c, const void *state, bw_action action, int depth, int alpha, int beta,
                            int ply) noexcept nogil:
    """Value of an action for the player of `state`, searched with the window of that player."""
    cdef char *child = c.states + (ply + 1) * c.game.state_size
    memcpy(child, state, c.game.state_size)
    c.game.apply(child, action)
    if c.game.player(child) == c.game.player(state):
        return search(c, depth, alpha, beta, ply + 1)
    return -search(c, depth, -beta, -alpha, ply + 1)


cdef int search(Context *c, int depth, int alpha, int beta, int ply) noexcept nogil:
    cdef const char *state = c.states + ply * c.game.state_size
    cdef bw_action *list_ = c.actions + ply * c.game.max_actions
    cdef int32_t *scores = c.scores + ply * c.game.max_actions
    cdef int kind = c.game.kind(state)
    cdef bint pv_node = beta - alpha > 1
    cdef bint full = c.shared.full
    cdef bw_action best_action = BW_NO_ACTION
    cdef int best = -INFINITE
    cdef int first_alpha = alpha
    cdef int estimate = 0
    cdef bint shallow = False
    cdef int value, next_depth, reduction
    cdef uint64_t key
    cdef Entry entry
    cdef bw_action action
    cdef bint crowded
    cdef int64_t i, n, step = 0, waiting = 0
    c.pv_length[ply] = 0
    # The thread that reports adds up those of all.
    bw_store(&c.nodes, c.nodes + 1)
    look_around(c)
    if c.aborted:
        return 0
    if ply > c.seldepth:
        c.seldepth = ply
    if kind == BW_TERMINAL:
        return terminal_value(c, state, ply)
    key = c.game.key(state)
    c.keys[c.shared.past + ply] = key
    if c.shared.repetition and repeats(c, key, ply):
        return 0
    if known(c, state, ply, &value):
        return value
    if kind == BW_CHANCE or depth <= 0 or ply >= MAX_PLY:
        c.cut = True
        return static_value(c, state)
    # No line from here can be better than winning at the next ply, or worse than having lost already.
    alpha = max(alpha, ply - WIN)
    beta = min(beta, WIN - ply - 1)
    if alpha >= beta:
        return alpha
    # What a reduced search could not find says nothing to a search for a mate: each has entries of its own.
    if full:
        key = ~key
    if probe(c, key, &entry):
        best_action = entry.action
        value = entry_value(&entry, ply)
        if not pv_node and <int>(entry.data >> 16 & 0xFF) >= depth:
            if (entry.data >> 24 & LOWER and value >= beta) or (entry.data >> 24 & UPPER and value <= alpha):
                return value
    if depth <= SHALLOW and not pv_node and not full and -PROVEN < alpha and beta < PROVEN:
        # Reverse futility pruning: what is so far above the window stays above it.
        shallow = True
        estimate = static_value(c, state)
        if shifted(estimate, -MARGIN[depth]) >= beta:
            c.cut = True
            return estimate
    n = c.game.actions(state, list_, c.game.max_actions)
    # A forced action costs no depth: a side that must pass does not shorten the other's plans.
    next_depth = depth if n == 1 else depth - 1
    score_actions(c, state, n, ply, best_action)
    best_action = BW_NO_ACTION
    crowded = c.crowded and depth >= DEFER_FROM
    while step < n + waiting:
        if step < n:
            i = step
            pick(c, i, n, ply)
            action = list_[i]
        else:
            action = list_[step - n + 1]
            i = scores[step - n + 1]
        step += 1
        if crowded and i and step <= n and searched_elsewhere(c, key, action):
            # It comes after all others, when its result is likely to be in the table.
            waiting += 1
            list_[waiting] = action
            scores[waiting] = <int32_t>i
            continue
        if shallow and i >= LATE * depth * depth and best > -PROVEN and shifted(estimate, MARGIN[depth]) <= alpha:
            # Late move pruning, where futility says that no more is to be hoped for.
            c.cut = True
            step = max(step, n)  # none of the later ones is better; some that wait may be earlier ones
            continue
        if crowded:
            begin_action(c, key, action)
        if i == 0:
            value = child_value(c, state, action, next_depth, alpha, beta, ply)
        else:
            # Late move reduction, then the full depth, both with a null window; only what lies in the window of a PV
            # node is searched with all of it.
            reduction = 0
            if not full and depth >= REDUCED_FROM and i >= LATE and best > -PROVEN:
                reduction = min(REDUCTION[min(depth, 63)][min(i, 63)] - pv_node, next_depth - 1)
            value = alpha + 1
            if reduction > 0:
                c.cut = True
                value = child_value(c, state, action, next_depth - reduction, alpha, alpha + 1, ply)
            if value > alpha and not c.aborted:
                value = child_value(c, state, action, next_depth, alpha, alpha + 1, ply)
            if alpha < value < beta and not c.aborted:
                value = child_value(c, state, action, next_depth, alpha, beta, ply)
        if crowded:
            end_action(c, key, action)
        if c.aborted:
            return 0
        if value > best:
            best = value
            best_action = action
            if value > alpha:
                alpha = value
                if pv_node:
                    adopt_line(c, ply, action)
                if alpha >= beta:
                    reward(c, c.game.player(state), action, depth, ply)
                    break
    store(c, key, best_action, best, depth,
          LOWER if best >= beta else EXACT if best > first_alpha else UPPER, ply)
    return best


cdef int search_root(Context *c, RootMove *moves, int first, int n, int depth, int alpha,
                     int beta) noexcept nogil:
    """Searches the root moves first..n-1 in their order and brings the best to place `first`."""
    cdef const char *state = c.states
    cdef int i, step, value, best = -INFINITE
    cdef int next_depth = depth if n == 1 else depth - 1
    cdef uint64_t key = c.game.key(state)
    cdef bint crowded = c.crowded and depth >= DEFER_FROM
    cdef RootMove moved
    c.keys[c.shared.past] = key
    for i in range(first, n):
        moves[i].waiting = False
    for step in range(first, 2 * n - first):
        i = step if step < n else step - n + first
        if step >= n and not moves[i].waiting:
            continue
        if step < n and crowded and i > first and searched_elsewhere(c, key, moves[i].action):
            moves[i].waiting = True
            continue
        moves[i].waiting = False
        if crowded:
            begin_action(c, key, moves[i].action)
        if i == first:
            value = child_value(c, state, moves[i].action, next_depth, alpha, beta, 0)
        else:
            value = child_value(c, state, moves[i].action, next_depth, alpha, alpha + 1, 0)
            if alpha < value < beta and not c.aborted:
                value = child_value(c, state, moves[i].action, next_depth, alpha, beta, 0)
        if crowded:
            end_action(c, key, moves[i].action)
        if c.aborted:
            return best
        if value > best:
            best = value
            if value > alpha or i == first:
                moves[i].value = value
                moves[i].depth = depth
                adopt_line(c, 0, moves[i].action)
                memcpy(moves[i].line, c.pv[0], c.pv_length[0] * sizeof(bw_action))
                moves[i].length = c.pv_length[0]
                if i > first:
                    # The best so far moves to the front, so that an interrupted iteration keeps it.
                    moved = moves[i]
                    memmove(&moves[first + 1], &moves[first], (i - first) * sizeof(RootMove))
                    moves[first] = moved
                    if value < beta and c.owner != NULL:
                        improved(c, &moves[first])
            alpha = max(alpha, value)
            if alpha >= beta:
                break
    return best


cdef void follow_tables(Context *c, RootMove *move) noexcept nogil:
    """Lengthens a decided line with the moves that the endgame tables call best."""
    cdef char *state = c.states + c.game.state_size
    cdef char *child = state + c.game.state_size
    cdef bw_action *list_ = c.actions + c.game.max_actions
    cdef int i, n, value, best, chosen, player
    if -PROVEN <= move.value <= PROVEN:
        return
    memcpy(state, c.states, c.game.state_size)
    for i in range(move.length):
        c.game.apply(state, move.line[i])
    while move.length < MAX_PLY and c.game.kind(state) == BW_DECISION:
        player = c.game.player(state)
        n = <int>c.game.actions(state, list_, c.game.max_actions)
        best = -INFINITE
        chosen = 0
        for i in range(n):
            memcpy(child, state, c.game.state_size)
            c.game.apply(child, list_[i])
            if c.game.kind(child) == BW_TERMINAL:
                value = terminal_value(c, child, move.length)
            elif not known(c, child, move.length, &value):
                return
            if c.game.player(child) != player:
                value = -value
            if value > best:
                best = value
                chosen = i
        c.game.apply(state, list_[chosen])
        move.line[move.length] = list_[chosen]
        move.length += 1


cdef int iterate(Context *c, RootMove *moves, int line, int n, int depth) noexcept nogil:
    """One iteration for the line `line`, in a window around its value that is widened as need be."""
    cdef int value
    cdef int window = ASPIRATION
    cdef int alpha = -INFINITE
    cdef int beta = INFINITE
    if depth >= 4 and -PROVEN < moves[line].value < PROVEN:
        alpha = moves[line].value - window
        beta = moves[line].value + window
    while True:
        value = search_root(c, moves, line, n, depth, alpha, beta)
        if c.aborted:
            return value
        window *= 4
        if value <= alpha and alpha > -INFINITE:
            alpha = value - window if value - window > -PROVEN else -INFINITE
        elif value >= beta and beta < INFINITE:
            beta = value + window if value + window < PROVEN else INFINITE
        else:
            return value


cdef void help_search(Context *c, RootMove *moves, int n, int most) noexcept nogil:
    """What a thread does that is not the first: the first one's iteration, or the next ones when it is faster."""
    cdef int depth = 1
    while depth <= most:
        c.depth = depth
        iterate(c, moves, 0, n, depth)
        if c.aborted:
            if not c.overtaken:
                break
            c.aborted = c.overtaken = False
        else:
            depth += 1
        depth = max(depth, <int>bw_load(&c.shared.depth))


cdef void help(void *argument) noexcept nogil:
    """A thread that is not the first, from its start to its end: it waits, searches along, and waits again."""
    cdef Context *c = <Context *>argument
    cdef bint ended = False
    while not ended:
        PyThread_acquire_lock(c.begun, WAIT_LOCK)
        ended = c.ended
        if not ended:
            help_search(c, c.moves, c.move_count, c.most)
        # The last time it looks at what others free after that.
        PyThread_release_lock(c.done)


cdef class Searcher:
    """A searcher of one game with its own transposition table. One search at a time.

    What would disturb a search under way (another one, `resize`, `clear`) raises RuntimeError.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h) of two players with values that add up to nothing.
        hash_mb: size of the transposition table in MiB, 1 to 65536.
        threads: how many search at the same time, 1 to 64; fewer when the system gives no more (see `threads`).
    """

    cdef Shared *shared
    cdef Context *crew[MAX_THREADS]  # one for each thread
    cdef Context *c          # that of the first
    cdef readonly int threads
    cdef object report
    cdef object failure
    cdef object capsule
    cdef object tables       # the capsule of the oracle: it keeps the oracle alive
    cdef int64_t started
    cdef list last
    cdef bw_action best      # the move of the latest report of the first line
    cdef int depth           # of the iteration and
    cdef int line            # the line under way
    cdef bint busy           # a search or a clearing is under way
    cdef readonly int hash_mb

    def __cinit__(self, object capsule, int hash_mb=16, int threads=1):
        cdef const bw_game *game = game_of(capsule)
        if not game.flags & BW_ZERO_SUM or game.max_players != 2 or game.max_actions > MAX_ACTIONS:
            raise ValueError("alpha-beta needs a game of two players and at most 4096 actions a node")
        if not 1 <= threads <= MAX_THREADS:
            raise ValueError(f"threads must be 1 to {MAX_THREADS}, got {threads}")
        self.capsule = capsule  # keeps the table of functions alive
        self.shared = <Shared *>calloc(1, sizeof(Shared))
        if self.shared == NULL or not self.add_context(game):
            raise MemoryError
        self.c = self.crew[0]
        self.c.owner = <void *>self
        self.resize(hash_mb)
        while self.threads < threads and self.add_thread(game):
            pass
        if self.threads < threads:
            # The last of what the system gives is not for us: somebody has to start this search, and to hear its stop.
            self.dismiss(max(1, self.threads - RESERVE))

    cdef bint add_context(self, const bw_game *game) noexcept:
        """Make what a further thread needs; False when there is no memory for it."""
        cdef Context *c = <Context *>calloc(1, sizeof(Context))
        if c == NULL:
            return False
        c.game = game
        c.shared = self.shared
        c.states = <char *>malloc((MAX_PLY + 2) * <size_t>game.state_size)
        c.actions = <bw_action *>malloc((MAX_PLY + 2) * game.max_actions * sizeof(bw_action))
        c.scores = <int32_t *>malloc((MAX_PLY + 2) * game.max_actions * sizeof(int32_t))
        self.crew[self.threads] = c
        self.threads += 1
        if c.states == NULL or c.actions == NULL or c.scores == NULL:
            self.drop_context()
            return False
        return True

    cdef void drop_context(self) noexcept:
        """Free what the last thread needed."""
        cdef Context *c
        self.threads -= 1
        c = self.crew[self.threads]
        free(c.states)
        free(c.actions)
        free(c.scores)
        free(c.keys)
        if c.begun != NULL:
            PyThread_free_lock(c.begun)
        if c.done != NULL:
            PyThread_free_lock(c.done)
        free(c)

    cdef bint add_thread(self, const bw_game *game) noexcept:
        """Start one more thread; False when the system does not give it."""
        cdef Context *c
        if not self.add_context(game):
            return False
        c = self.crew[self.threads - 1]
        c.begun = PyThread_allocate_lock()
        c.done = PyThread_allocate_lock()
        if c.begun != NULL and c.done != NULL:
            PyThread_acquire_lock(c.begun, WAIT_LOCK)
            PyThread_acquire_lock(c.done, WAIT_LOCK)
            if PyThread_start_new_thread(help, c) != <unsigned long>-1:
                return True
        self.drop_context()
        return False

    cdef void dismiss(self, int left) noexcept:
        """End all threads from number `left` on and free what they needed."""
        cdef Context *c
        while self.threads > left:
            c = self.crew[self.threads - 1]
            if c.begun != NULL:
                c.ended = True
                PyThread_release_lock(c.begun)
                with nogil:
                    PyThread_acquire_lock(c.done, WAIT_LOCK)
            self.drop_context()

    def __dealloc__(self):
        self.dismiss(0)
        if self.shared != NULL:
            free(self.shared.table)
            free(self.shared)

    def resize(self, int hash_mb):
        """Give the transposition table another size in MiB (1..65536) and forget its contents."""
        cdef uint64_t clusters
        cdef Entry *table
        if not 1 <= hash_mb <= 65536:
            raise ValueError(f"hash must be 1 to 65536 MiB, got {hash_mb}")
        refuse_if(self.busy)
        clusters = (<uint64_t>hash_mb << 20) // (CLUSTER * sizeof(Entry))
        table = <Entry *>calloc(clusters * CLUSTER, sizeof(Entry))
        if table == NULL:
            raise MemoryError(f"no room for a hash of {hash_mb} MiB")
        free(self.shared.table)
        self.shared.table = table
        self.shared.clusters = clusters
        self.hash_mb = hash_mb

    def clear(self):
        """Forget everything learned in earlier searches."""
        refuse_if(self.busy)
        self.busy = True
        with nogil:
            bw_zero(self.shared.table, self.shared.clusters * CLUSTER * sizeof(Entry))
        self.shared.generation = 0
        self.busy = False

    def consult(self, object tables):
        """Use endgame tables from now on: their `capsule()` is a PyCapsule of a `bw_oracle` (ext/include/game.h).

        None: no tables. Not during a search. What was learned from other tables is not forgotten.
        Raises ValueError for tables of another game or another version of the interface.
        """
        cdef const bw_oracle *oracle = NULL
        capsule = None
        if tables is not None:
            if not hasattr(tables, "capsule"):
                raise TypeError(f"expected tables with a capsule(), got {type(tables).__name__}")
            capsule = tables.capsule()
            oracle = <const bw_oracle *>pointer_of(capsule, BW_ORACLE_CAPSULE)
            if oracle.abi != BW_ORACLE_ABI:
                raise ValueError(f"the tables speak version {oracle.abi} of the interface, expected {BW_ORACLE_ABI}")
            if oracle.game != self.c.game:
                raise ValueError(f"the tables are those of {oracle.game.name.decode()}, "
                                 f"the game is {self.c.game.name.decode()}")
        refuse_if(self.busy)
        self.tables = capsule
        self.shared.oracle = oracle

    def arm(self):
        """Forget a stop that came too late for the search before."""
        bw_store(&self.shared.control.stop, 0)

    def stop(self):
        """End the search under way as soon as possible. From any thread."""
        bw_store(&self.shared.control.stop, 1)

    def set_time(self, int64_t soft_ms, int64_t hard_ms):
        """Limits from now on in milliseconds, -1 for none: no new iteration after `soft`, the end at `hard`.

        From any thread, also during a search. More than 10**12 is read as that.
        """
        bw_set_time(&self.shared.control, soft_ms, hard_ms)

    def hashfull(self) -> int:
        """Thousandths of the transposition table that the latest search has filled, from a sample."""
        cdef int i, full = 0
        cdef int n = <int>min(<uint64_t>1000, self.shared.clusters * CLUSTER)
        cdef Entry e
        for i in range(n):
            read_entry(&self.shared.table[i], &e)
            full += e.data != 0 and (e.data >> 32 & 0xFF) == self.shared.generation
        return full * 1000 // n

    def search(self, bytes state, list history, list roots, int depth, int64_t nodes, int multipv, int mate,
               object report) -> list:
        """Search until a limit is reached.

        Args:
            state: the game's state, at a decision node.
            history: keys of earlier positions that can still recur.
            roots: actions to search; all legal ones when empty.
            depth: deepest iteration, 0 for no limit.
            nodes: most nodes, 0 for no limit; the count stops exactly there.
            multipv: number of lines to find.
            mate: end once a win in this many turns is found; 0: never for that reason.
            report: called with (depth, seldepth, line, value, mate, nodes, nanoseconds, actions, final) after
                each line of each depth, when a better move turns up within one, and, with `final` false, once
                a second; value and mate as in the result.

        Returns:
            A list of (value, mate, actions), best first: value in 1/10000 of the game's unit; mate in plies
            to the forced win (negative: loss), 0 where none is proven.

        Raises:
            ValueError: no state of the game at a decision, or root actions that are not legal or not distinct.
            RuntimeError: a search is under way.
        """
        cdef const bw_game *game = self.c.game
        cdef int i, j, n, line, d, lines, value
        cdef int most = min(depth, DEEPEST) if depth > 0 else DEEPEST
        cdef int past, crew = self.threads
        cdef int begun = 1
        cdef Context *c
        cdef RootMove *moves = NULL
        cdef const unsigned char *raw
        cdef bint solved
        check_state(game, state)
        # Each number is asked for once, and in lists of our own: those of the caller may change under our hands.
        keys = [<uint64_t>key for key in history]
        chosen = [action_of(action) for action in roots]
        past = <int>len(keys)
        mate = min(max(mate, 0), DEEPEST)
        raw = state
        refuse_if(self.busy)
        self.busy = True
        try:
            memcpy(self.c.states, raw, game.state_size)
            if game.kind(self.c.states) != BW_DECISION:
                raise ValueError("only a decision can be searched")
            n = <int>game.actions(self.c.states, self.c.actions, game.max_actions)
            legal = [self.c.actions[i] for i in range(n)]
            for action in chosen:
                if action not in legal:
                    raise ValueError(f"root action {action} is not legal")
            if len(chosen) > len(set(chosen)):
                raise ValueError(f"expected each root action once, got {len(chosen)}")
            chosen = chosen or legal
            n = len(chosen)
            lines = min(max(multipv, 1), n)
            moves = <RootMove *>calloc(<size_t>n * crew, sizeof(RootMove))
            if moves == NULL:
                # The other threads are help: without room for them the first one goes alone.
                crew = 1
                moves = <RootMove *>calloc(n, sizeof(RootMove))
            if moves == NULL:
                raise MemoryError
            memset(self.shared.seen, 0, sizeof(self.shared.seen))
            for j in range(self.threads):
                self.crew[j].nodes = self.crew[j].tbhits = 0
            for j in range(crew):
                c = self.crew[j]
                free(c.keys)
                c.keys = <uint64_t *>malloc((past + MAX_PLY + 2) * sizeof(uint64_t))
                if c.keys == NULL:
                    raise MemoryError
                for i in range(past):
                    c.keys[i] = keys[i]
                    self.shared.seen[c.keys[i] % SEEN] = 1
                for i in range(n):
                    c.actions[i] = chosen[i]
                memcpy(c.states, raw, game.state_size)
                memset(c.killers, 0xFF, sizeof(c.killers))
                memset(c.history, 0, sizeof(c.history))
                score_actions(c, c.states, n, 0, BW_NO_ACTION)
                for i in range(n):
                    pick(c, i, n, 0)
                    moves[j * n + i].action = c.actions[i]
                    moves[j * n + i].line[0] = c.actions[i]
                    moves[j * n + i].length = 1
                # Each thread counts for itself; a number below that of the threads still is a limit.
                c.node_limit = max(nodes // crew, 1) if nodes > 0 else 0
                c.aborted = c.overtaken = False
                c.crowded = crew > 1
                c.seldepth = 0
                c.moves = &moves[j * n]
                c.move_count = n
                c.most = most
            self.shared.past = past
            self.shared.repetition = game.repetition(self.c.states)
            self.shared.full = mate > 0
            self.shared.generation += 1
            memset(self.shared.under_way, 0, sizeof(self.shared.under_way))
            bw_store(&self.shared.depth, 1)
            bw_store(&self.shared.halt, 0)
            self.report = report
            self.failure = None
            self.started = bw_now()
            self.c.next_tick = self.started + BW_SECOND
            self.last = []
            self.best = BW_NO_ACTION
            solved = known(self.c, self.c.states, 0, &value)
            while begun < crew:
                PyThread_release_lock(self.crew[begun].begun)
                begun += 1
            for d in range(1, most + 1):
                self.c.cut = False
                bw_store(&self.shared.depth, d)
                for line in range(lines):
                    self.depth, self.line = d, line
                    with nogil:
                        iterate(self.c, moves, line, n, d)
                    if self.c.aborted:
                        break
                    # A table that fails meanwhile knows it no more, and one ply is not enough.
                    solved = solved and known(self.c, raw, 0, &value)
                    if solved:
                        with nogil:
                            follow_tables(self.c, &moves[line])
                    self.improved(&moves[line])
                if self.failure is not None:
                    raise self.failure
                # Where the tables know the position they know all that follow: one ply tells everything.
                if self.c.aborted or solved or self.finished(d, mate, moves, lines):
                    break
            self.join(&begun)
            if self.c.aborted and lines == 1:
                self.take_deepest(moves, n, crew)
            if self.c.aborted and self.best != moves[0].action:
                # A move that came to the front just before the end: the answer has to be the one reported.
                self.line = 0
                self.improved(&moves[0])
                if self.failure is not None:
                    raise self.failure
            return [self.described(&moves[i]) for i in range(lines)]
        finally:
            self.join(&begun)
            free(moves)
            self.report = None
            self.busy = False

    cdef void join(self, int *begun) noexcept:
        """Let the threads up to number `begun` end their search, and wait for them."""
        bw_store(&self.shared.halt, 1)
        with nogil:
            while begun[0] > 1:
                begun[0] -= 1
                PyThread_acquire_lock(self.crew[begun[0]].done, WAIT_LOCK)

    cdef void take_deepest(self, RootMove *moves, int n, int crew):
        """Where time ends an iteration another thread may have come further, or found a better move in its share."""
        cdef RootMove *found
        cdef int j
        for j in range(1, crew):
            found = &moves[j * n]
            if found.depth > moves[0].depth or (found.depth == moves[0].depth and found.value > moves[0].value):
                moves[0] = found[0]
                self.depth = found.depth

    cdef bint finished(self, int depth, int mate, RootMove *moves, int lines):
        """Whether a deeper iteration is of no use, or not wanted."""
        cdef int i
        cdef bint proven = True
        if self.c.seldepth < depth and not self.c.cut:
            return True  # no line was cut short: the whole tree has been seen
        if bw_is_late(&self.shared.control, bw_now()):
            return True
        if mate and moves[0].value > PROVEN and WIN - moves[0].value <= 2 * mate - 1:
            return True
        for i in range(lines):
            # Iteration n sees every win and loss in n plies: a shorter one cannot turn up later.
            proven = proven and (moves[i].value > PROVEN or moves[i].value < -PROVEN)
            proven = proven and WIN - abs(moves[i].value) <= depth
        return proven

    cdef tuple described(self, RootMove *move):
        cdef int value = move.value
        cdef int mate = 0
        if value > PROVEN:
            mate, value = WIN - value, BW_UNIT
        elif value < -PROVEN:
            mate, value = -WIN - value, -BW_UNIT
        return value, mate, [move.line[i] for i in range(move.length)]

    cdef void improved(self, RootMove *move):
        value, mate, actions = self.described(move)
        self.last = [self.depth, self.line + 1, value, mate, actions]
        if self.line == 0:
            self.best = move.action
        self.send(True)

    cdef void send(self, bint final):
        if not self.last:
            return
        depth, line, value, mate, actions = self.last
        try:
            self.report(depth, self.c.seldepth, line, value, mate, self.nodes, bw_now() - self.started,
                        actions, final)
        except BaseException as failure:
            self.failure = failure
            bw_store(&self.shared.control.stop, 1)

    cdef void tick(self):
        self.send(False)

    @property
    def nodes(self) -> int:
        """Nodes of the latest search, those of all threads."""
        cdef int i
        cdef int64_t total = 0
        for i in range(self.threads):
            total += bw_load(&self.crew[i].nodes)
        return total

    @property
    def tbhits(self) -> int:
        """Positions of the latest search that the endgame tables knew, those of all threads."""
        cdef int i
        cdef int64_t total = 0
        for i in range(self.threads):
            total += bw_load(&self.crew[i].tbhits)
        return total

    @property
    def elapsed(self) -> int:
        """Nanoseconds since the latest search began."""
        return bw_now() - self.started


make_reductions()
