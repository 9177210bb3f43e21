"""Depth-limited expectimax over turns and chance nodes, for any number of players.

Knows ext/include/game.h and no game. A *turn* is all that one player decides in a row: in some games a move is several
decisions, and a static evaluation means most between turns. A turn node has as children the states after whole
turns, the best few by static evaluation (a beam over the turn's decisions); depth counts turns.

 - One player, or two with values that add up to nothing: alpha-beta between turns, and at chance nodes the bounds
   of Star1 and Star2 (B. W. Ballard, The *-minimax search procedure for trees containing chance nodes, Artificial
   Intelligence 21, 1983; T. Hauk, M. Buro, J. Schaeffer, Rediscovering *-minimax search, Computers and Games 2004).
   Star2 probes one turn of each outcome first.
 - Otherwise max^n without pruning (C. Luckhardt, K. Irani, AAAI 1986): each player takes what is best for itself.
   Depth counts the turns of the root's player; the others answer with their best turn by static evaluation.

Chance nodes with more outcomes than samples are sampled systematically (one random offset, then equal steps of
probability along the list of outcomes). The offset depends on the iteration and the level alone, so that siblings
meet the same outcomes: common random numbers.

At the root the candidates are compared by successive halving (Z. Karnin, T. Koren, O. Somekh, Almost optimal
exploration in multi-armed bandits, ICML 2013): the worse half leaves, the others get twice the samples.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from clock cimport bw_begin, bw_count, bw_is_late, bw_now, bw_set_time, bw_store, bw_work
from game cimport (
    BW_CHANCE,
    BW_DECISION,
    BW_MAX_PLAYERS,
    BW_TERMINAL,
    BW_ZERO_SUM,
    action_of,
    best_first,
    bw_action,
    bw_game,
    bw_value,
    check_decision,
    check_state,
    game_of,
    is_legal,
    refuse_if,
    static_values,
)
from rng cimport bw_rng, bw_rng_seed, bw_rng_unit


cdef enum:
    LEVELS = 24  # turn and chance nodes on a path
    TURN = 12  # decisions of one turn
    ROOT_WIDTH = 64
    INNER_WIDTH = 16
    MAX_ACTIONS = 65536  # of a game without top()
    MAX_SAMPLES = 1000000  # they double a few times in an iteration

cdef double FAR = 1e18


cdef struct Line:
    # A turn, or a part of one, of the player to move.
    bw_action action[TURN]
    int length
    bint ended
    bw_value value  # static evaluation for that player


cdef struct Level:
    Line *line  # 2 * width
    char *state  # 2 * width states
    char *child  # the state that is searched next
    bw_action *outcome
    double *chance
    double *low
    double *high


cdef struct Context:
    const bw_game *game
    Level level[LEVELS]
    bw_action *listed  # all actions of a game without top()
    bw_action *best
    bw_value *worth
    int players
    int root_player
    bint scalar  # alpha-beta is possible
    int star
    int width  # turns kept at an inner node
    int others  # turns kept of another player than the root's, outside two-player games
    int samples  # outcomes at the first chance node of a path
    int inner  # and at the later ones
    uint64_t seed
    bint sampled  # some chance node was not listed in full
    bint cut  # some node was evaluated statically
    bw_work work
    int deepest
    void *owner


cdef void tick(Context *c) noexcept with gil:
    (<Searcher>c.owner).tick()


cdef void look_around(Context *c) noexcept nogil:
    """Count a node; end the search when a limit is reached, once a second let Python report."""
    if bw_count(&c.work, 4):
        tick(c)


# --- turns ----------------------------------------------------------------------------------------------------

cdef int best_actions(Context *c, const char *state, int width, char *scratch) noexcept nogil:
    """Fill c.best and c.worth with at most `width` actions by falling static evaluation; returns how many."""
    cdef int64_t count
    if c.game.top != NULL:
        return <int>c.game.top(state, width, c.best, c.worth)
    count = min(c.game.actions(state, c.listed, MAX_ACTIONS), <int64_t>MAX_ACTIONS)
    return <int>best_first(c.game, state, c.listed, count, width, scratch, c.best, c.worth)


cdef bint turn_goes_on(const Context *c, const char *state, int player) noexcept nogil:
    return c.game.kind(state) == BW_DECISION and c.game.player(state) == player


cdef int expand_turn(Context *c, int at, const char *state, int width) noexcept nogil:
    """The best turns from a decision node, by falling static evaluation of the states they lead to.

    Fills the first entries of the level's lines and states; returns how many. Lines that reach the length TURN
    stay unfinished: the search goes on from there as from any node.
    """
    cdef Level *level = &c.level[at]
    cdef int player = c.game.player(state), size = <int>c.game.state_size
    cdef int count = 1, found, n, i, j, _step
    cdef bint open_lines = True
    cdef Line *line
    cdef Line *into
    level.line[0].length = 0
    level.line[0].ended = False
    memcpy(level.state, state, size)
    for _step in range(TURN):
        if not open_lines:
            break
        # The next lines are gathered behind the present ones, in the second half.
        found = 0
        for i in range(count):
            line = &level.line[i]
            if line.ended:
                found = insert_line(level, width, found, line, i, 0, line.value, size)
                continue
            n = best_actions(c, level.state + i * size, width, level.child)
            for j in range(n):
                found = insert_line(level, width, found, line, i, c.best[j], c.worth[j], size)
        open_lines = False
        for i in range(found):
            into = &level.line[width + i]
            if into.ended:
                continue
            c.game.apply(level.state + (width + i) * size, into.action[into.length - 1])
            if not turn_goes_on(c, level.state + (width + i) * size, player):
                into.ended = True
            else:
                open_lines = True
        count = found
        memcpy(level.line, level.line + width, count * sizeof(Line))
        memcpy(level.state, level.state + width * size, <int64_t>count * size)
    return count


cdef int insert_line(Level *level, int width, int found, const Line *parent, int number, bw_action action,
                     bw_value value, int size) noexcept nogil:
    """Insert a line into the second half by falling value; an ended parent is taken over as it is."""
    cdef Line *second = level.line + width
    cdef char *states = level.state + <int64_t>width * size
    cdef int i
    if found == width:
        if value <= second[found - 1].value:
            return found
        found -= 1
    i = found
    while i > 0 and second[i - 1].value < value:
        second[i] = second[i - 1]
        memcpy(states + <int64_t>i * size, states + <int64_t>(i - 1) * size, size)
        i -= 1
    second[i] = parent[0]
    second[i].value = value
    if not parent.ended:
        second[i].action[parent.length] = action
        second[i].length = parent.length + 1
    memcpy(states + <int64_t>i * size, level.state + <int64_t>number * size, size)
    return found + 1


# --- chance ---------------------------------------------------------------------------------------------------

cdef int64_t draw_outcomes(Context *c, int at, const char *state, int chances) noexcept nogil:
    """Fill the level's outcomes and their probabilities: all of them, or an equally weighted sample."""
    cdef Level *level = &c.level[at]
    cdef int64_t count, kept = 0, i
    cdef int wanted = c.samples if chances == 0 else c.inner
    cdef double offset, reached = 0, total = 0
    cdef bw_rng rng
    count = c.game.outcomes(state, level.outcome, level.chance, c.game.max_outcomes)
    if count <= wanted:
        return count
    c.sampled = True
    bw_rng_seed(&rng, c.seed + 0x9e3779b97f4a7c15ULL * <uint64_t>(chances + 1))
    offset = bw_rng_unit(&rng)
    for i in range(count):
        total += level.chance[i]
    for i in range(count):
        reached += level.chance[i] / total * wanted
        # An outcome of more than one step of probability is taken several times.
        while kept < wanted and offset + kept < reached:
            level.outcome[kept] = level.outcome[i]
            kept += 1
    while kept < wanted:
        level.outcome[kept] = level.outcome[count - 1]
        kept += 1
    for i in range(kept):
        level.chance[i] = 1.0 / wanted
    return kept


# --- one player, or two against each other: values are those of player 0 -----------------------------------------

cdef double leaf(Context *c, const char *state) noexcept nogil:
    cdef bw_value value[BW_MAX_PLAYERS]
    static_values(c.game, state, value)
    return value[0]


cdef double search(Context *c, int at, const char *state, int depth, int chances, double alpha, double beta,
                   int width) noexcept nogil:
    """Value of a node within (alpha, beta), or a bound outside of it."""
    cdef int kind = c.game.kind(state), n, i, player
    cdef double best, value
    cdef Level *level
    look_around(c)
    c.deepest = max(c.deepest, at)
    if c.work.aborted:
        return 0
    if kind == BW_TERMINAL:
        return leaf(c, state)
    if depth <= 0 or at == LEVELS - 1:
        c.cut = True
        return leaf(c, state)
    if kind == BW_CHANCE:
        return search_chance(c, at, state, depth, chances, alpha, beta)
    level = &c.level[at]
    player = c.game.player(state)
    # The last turn is decided by the static evaluation: its best line is its value.
    n = expand_turn(c, at, state, min(width, c.width) if depth > 1 else 1)
    best = -FAR if player == 0 else FAR
    for i in range(n):
        value = search(c, at + 1, level.state + <int64_t>i * c.game.state_size, depth - 1, chances, alpha, beta,
                       c.width)
        if c.work.aborted:
            return 0
        if player == 0:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


cdef double search_chance(Context *c, int at, const char *state, int depth, int chances, double alpha,
                          double beta) noexcept nogil:
    """Expected value over the outcomes, cut as soon as the bounds of what is left settle the window."""
    cdef Level *level = &c.level[at]
    cdef int64_t n = draw_outcomes(c, at, state, chances), i
    cdef double low_sum = 0, high_sum = 0, value, child_alpha = -FAR, child_beta = FAR, p, total = 0
    cdef bw_value low, high
    if not c.star:
        for i in range(n):
            memcpy(level.child, state, c.game.state_size)
            c.game.apply(level.child, level.outcome[i])
            total += level.chance[i] * search(c, at + 1, level.child, depth, chances + 1, -FAR, FAR, c.width)
            if c.work.aborted:
                return 0
        return total
    for i in range(n):
        memcpy(level.child, state, c.game.state_size)
        c.game.apply(level.child, level.outcome[i])
        c.game.bounds(level.child, 0, &low, &high)
        level.low[i] = low
        level.high[i] = high
        low_sum += level.chance[i] * low
        high_sum += level.chance[i] * high
    if low_sum >= beta:
        return low_sum
    if high_sum <= alpha:
        return high_sum
    if c.star > 1 and (alpha > -FAR or beta < FAR):
        for i in range(n):
            memcpy(level.child, state, c.game.state_size)
            c.game.apply(level.child, level.outcome[i])
            if c.game.kind(level.child) != BW_DECISION:
                continue
            # One turn of whoever moves: a bound on that side.
            p = level.chance[i]
            value = search(c, at + 1, level.child, depth, chances + 1, -FAR, FAR, 1)
            if c.work.aborted:
                return 0
            if c.game.player(level.child) == 0:
                value = max(value, level.low[i])
                low_sum += p * (value - level.low[i])
                level.low[i] = value
                if low_sum >= beta:
                    return low_sum
            else:
                value = min(value, level.high[i])
                high_sum += p * (value - level.high[i])
                level.high[i] = value
                if high_sum <= alpha:
                    return high_sum
    for i in range(n):
        p = level.chance[i]
        # What this outcome has to be worth at least (at most) for the sum to leave the window.
        if alpha > -FAR:
            child_alpha = (alpha - (high_sum - p * level.high[i])) / p
        if beta < FAR:
            child_beta = (beta - (low_sum - p * level.low[i])) / p
        memcpy(level.child, state, c.game.state_size)
        c.game.apply(level.child, level.outcome[i])
        value = search(c, at + 1, level.child, depth, chances + 1, child_alpha, child_beta, c.width)
        if c.work.aborted:
            return 0
        total += p * value
        low_sum += p * (value - level.low[i])
        high_sum += p * (value - level.high[i])
        if i + 1 < n:
            if value >= child_beta:
                return low_sum
            if value <= child_alpha:
                return high_sum
    return total


# --- several players -------------------------------------------------------------------------------------------

cdef void search_all(Context *c, int at, const char *state, int depth, int chances, double *out) noexcept nogil:
    """Values of a node for all players."""
    cdef bw_value value[BW_MAX_PLAYERS]
    cdef double child[BW_MAX_PLAYERS]
    cdef int kind = c.game.kind(state), player, n, i, p, left
    cdef int64_t outcomes, j
    cdef Level *level = &c.level[at]
    look_around(c)
    c.deepest = max(c.deepest, at)
    memset(out, 0, BW_MAX_PLAYERS * sizeof(double))
    if c.work.aborted:
        return
    if kind == BW_TERMINAL or depth <= 0 or at == LEVELS - 1:
        c.cut |= kind != BW_TERMINAL
        static_values(c.game, state, value)
        for p in range(c.players):
            out[p] = value[p]
        return
    if kind == BW_CHANCE:
        outcomes = draw_outcomes(c, at, state, chances)
        for j in range(outcomes):
            memcpy(level.child, state, c.game.state_size)
            c.game.apply(level.child, level.outcome[j])
            search_all(c, at + 1, level.child, depth, chances + 1, child)
            if c.work.aborted:
                return
            for p in range(c.players):
                out[p] += level.chance[j] * child[p]
        return
    player = c.game.player(state)
    left = depth - (player == c.root_player)
    if player != c.root_player:
        n = expand_turn(c, at, state, c.others)
    else:
        n = expand_turn(c, at, state, c.width if left else 1)
    for i in range(n):
        search_all(c, at + 1, level.state + <int64_t>i * c.game.state_size, left, chances, child)
        if c.work.aborted:
            return
        if i == 0 or child[player] > out[player]:
            memcpy(out, child, sizeof(child))


# --- root ------------------------------------------------------------------------------------------------------

cdef struct Candidate:
    Line line
    double sum  # samples times value, at the present depth
    double weight
    double value
    double fresh  # value of the round under way
    bint failed  # it is only a bound: others are better


cdef void insert_falling(double *values, int count, double value) noexcept nogil:
    cdef int i = count - 1
    if value <= values[i]:
        return
    while i > 0 and values[i - 1] < value:
        values[i] = values[i - 1]
        i -= 1
    values[i] = value


cdef class Searcher:
    """An expectimax searcher of one game. It remembers nothing between searches.

    A second search while one is under way raises RuntimeError.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h).
    """

    cdef Context *c
    cdef object capsule
    cdef object report
    cdef object failure
    cdef Candidate *candidate
    cdef char *state  # states after the candidates
    cdef int64_t started
    cdef bint busy  # a search is under way
    cdef int depth

    def __cinit__(self, object capsule):
        cdef const bw_game *game = game_of(capsule)
        cdef int i, width
        cdef Level *level
        cdef int64_t size
        if game.top == NULL and game.max_actions > MAX_ACTIONS:
            raise ValueError(f"a game without top() may have at most {MAX_ACTIONS} actions a node")
        self.c = <Context *>calloc(1, sizeof(Context))
        if self.c == NULL:
            raise MemoryError
        self.capsule = capsule  # keeps the table of functions alive
        self.c.game = game
        self.c.owner = <void *>self
        size = game.state_size
        self.c.listed = <bw_action *>malloc((MAX_ACTIONS if game.top == NULL else 1) * sizeof(bw_action))
        self.c.best = <bw_action *>malloc(ROOT_WIDTH * sizeof(bw_action))
        self.c.worth = <bw_value *>malloc(ROOT_WIDTH * sizeof(bw_value))
        self.candidate = <Candidate *>calloc(ROOT_WIDTH + 1, sizeof(Candidate))
        self.state = <char *>malloc((ROOT_WIDTH + 1) * size)
        if (self.c.listed == NULL or self.c.best == NULL or self.c.worth == NULL or self.candidate == NULL
                or self.state == NULL):
            raise MemoryError
        for i in range(LEVELS):
            level = &self.c.level[i]
            width = ROOT_WIDTH if i == 0 else INNER_WIDTH
            level.line = <Line *>calloc(2 * width, sizeof(Line))
            level.state = <char *>malloc(2 * width * size)
            level.child = <char *>malloc(size)
            level.outcome = <bw_action *>malloc(game.max_outcomes * sizeof(bw_action))
            level.chance = <double *>malloc(game.max_outcomes * sizeof(double))
            level.low = <double *>malloc(game.max_outcomes * sizeof(double))
            level.high = <double *>malloc(game.max_outcomes * sizeof(double))
            if (level.line == NULL or level.state == NULL or level.child == NULL or level.outcome == NULL
                    or level.chance == NULL or level.low == NULL or level.high == NULL):
                raise MemoryError

    def __dealloc__(self):
        cdef int i
        if self.c == NULL:
            return
        for i in range(LEVELS):
            free(self.c.level[i].line)
            free(self.c.level[i].state)
            free(self.c.level[i].child)
            free(self.c.level[i].outcome)
            free(self.c.level[i].chance)
            free(self.c.level[i].low)
            free(self.c.level[i].high)
        free(self.c.listed)
        free(self.c.best)
        free(self.c.worth)
        free(self.c)
        free(self.candidate)
        free(self.state)

    def arm(self):
        """Forget a stop that came too late for the search before."""
        bw_store(&self.c.work.control.stop, 0)

    def stop(self):
        """End the search under way as soon as possible. From any thread."""
        bw_store(&self.c.work.control.stop, 1)

    def set_time(self, int64_t soft_ms, int64_t hard_ms):
        """Limits from now on in milliseconds, -1 for none: no new round after `soft`, the end at `hard`.

        From any thread, also during a search. More than 10**12 is read as that.
        """
        bw_set_time(&self.c.work.control, soft_ms, hard_ms)

    @property
    def nodes(self) -> int:
        """Nodes of the latest search."""
        return self.c.work.nodes

    def search(self, bytes state, list roots, int depth, int64_t nodes, object report, *, int multipv=1,
               uint64_t seed=0, int width=4, int others=1, int root_width=24, int samples=0, int inner=8,
               int star=2, double margin=0.0) -> list:
        """Compare the turns of a decision node until a limit is reached.

        Args:
            state: the game's state, at a decision node.
            roots: lines of actions to compare; the best turns by static evaluation when empty.
            depth: turns to look ahead, 0 for no limit: then time, nodes or stop() end the search.
            nodes: most nodes, 0 for no limit.
            report: called with (depth, levels, line, value, nodes, nanoseconds, actions, final) after each round
                for each line, and once a second with `final` false.
            multipv: number of lines to report.
            seed: decides which outcomes are sampled.
            width: turns kept at inner nodes, 1 to 16; `others`: for players other than the root's.
            root_width: turns compared at the root, 1 to 64.
            samples: outcomes at the first chance node in the first round, at most 1,000,000, 0 for 4 times as many in
                each iteration; `inner`: at later chance nodes. Nodes with no more outcomes are listed in full.
            star: 0 plain expectimax, 1 Star1, 2 Star2; all find the same value.
            margin: leave out turns whose static evaluation is this much below the best, 0 for none.

        Returns:
            (value, actions) for each reported line, best first: value in 1/10000 of the game's unit for the player
            to move, actions of one turn.

        Raises:
            ValueError: no state of the game at a decision, a root line that is not legal, or a number out of range.
            RuntimeError: a search is under way.
        """
        cdef Context *c = self.c
        cdef const bw_game *game = c.game
        cdef const char *raw
        cdef int i, count, iteration, now_depth, stage_samples
        cdef bint exact
        check_decision(game, state)
        raw = state
        if not (1 <= width <= INNER_WIDTH and 1 <= others <= INNER_WIDTH and 1 <= root_width <= ROOT_WIDTH):
            raise ValueError(f"widths: expected 1 to {INNER_WIDTH}, at the root 1 to {ROOT_WIDTH}")
        if not 0 <= samples <= MAX_SAMPLES or not 1 <= inner <= MAX_SAMPLES:
            raise ValueError(f"samples and inner: expected at most {MAX_SAMPLES}, got {samples} and {inner}")
        if not 0 <= star <= 2 or depth < 0 or nodes < 0 or multipv < 1:
            raise ValueError("star, depth, nodes or multipv out of range")
        refuse_if(self.busy)
        c.players = game.players(raw)
        c.root_player = game.player(raw)
        c.scalar = c.players == 1 or (c.players == 2 and (game.flags & BW_ZERO_SUM) != 0)
        c.star = star
        c.width = width
        c.others = others
        c.inner = inner
        c.deepest = 0
        self.report = report
        self.failure = None
        self.started = bw_now()
        bw_begin(&c.work, nodes, self.started)
        self.depth = 1
        self.busy = True
        try:
            # At least one round has to end, or there is no move: the limits count from here.
            count = self.read_roots(state, roots) if roots else self.find_roots(state, root_width, margin)
            multipv = min(multipv, count)
            self.emit(multipv)
            for iteration in range(1, 1000):
                # With a depth to reach every iteration goes deeper; else the samples grow for a while first.
                now_depth = iteration + 1 if depth else 2 + (iteration - 1) // 4
                stage_samples = samples if samples else (8 if depth else 4 << (iteration - 1) % 4)
                if (depth and now_depth > depth) or (count == 1 and not depth) or c.work.aborted or self.overtime():
                    break
                exact = self.halve(count, now_depth, stage_samples, seed + iteration, multipv,
                                   now_depth != self.depth)
                if self.failure is not None or exact:
                    break
            if self.failure is not None:
                raise self.failure
            return [self.described(i) for i in range(multipv)]
        finally:
            self.busy = False
            self.report = None

    cdef bint overtime(self):
        return bw_is_late(&self.c.work.control, bw_now())

    cdef int find_roots(self, bytes state, int root_width, double margin):
        """The best turns by static evaluation."""
        cdef Context *c = self.c
        cdef const char *raw = state
        cdef int count, i
        with nogil:
            count = expand_turn(c, 0, raw, root_width)
        for i in range(count):
            if margin > 0 and c.level[0].line[i].value < c.level[0].line[0].value - margin:
                count = i
                break
            self.candidate[i].line = c.level[0].line[i]
            self.candidate[i].value = c.level[0].line[i].value
            self.candidate[i].sum = self.candidate[i].weight = 0
            c.work.nodes += 1
        memcpy(self.state, c.level[0].state, <int64_t>count * c.game.state_size)
        return count

    cdef int read_roots(self, bytes state, list roots) except -1:
        """Lines given by the caller, checked; the first ROOT_WIDTH by static evaluation."""
        cdef Context *c = self.c
        cdef const char *raw = state
        cdef int count = 0, j
        cdef char *at
        cdef bw_value value[BW_MAX_PLAYERS]
        cdef Candidate *root
        for given in list(roots):
            # Asked for once, and in a list of our own: that of the caller may change under our hands.
            line = [action_of(action) for action in given]
            if not 1 <= len(line) <= TURN:
                raise ValueError(f"a root line has 1 to {TURN} actions, got {len(line)}")
            root = &self.candidate[count]
            at = self.state + <int64_t>count * c.game.state_size
            memcpy(at, raw, c.game.state_size)
            for j, action in enumerate(line):
                if c.game.kind(at) != BW_DECISION or c.game.player(at) != c.root_player:
                    raise ValueError("a root line goes beyond the turn")
                if not is_legal(c.game, at, action):
                    raise ValueError(f"root action {action} is not legal")
                root.line.action[j] = action
                c.game.apply(at, root.line.action[j])
            root.line.length = len(line)
            root.line.ended = True
            static_values(c.game, at, value)
            root.line.value = value[c.root_player]
            root.value = root.line.value
            root.sum = root.weight = 0
            c.work.nodes += 1
            count += 1
            if count > ROOT_WIDTH:
                self.sort(count)
                count = ROOT_WIDTH
        self.sort(count)
        return count

    cdef bint halve(self, int count, int depth, int samples, uint64_t seed, int multipv, bint anew):
        """One iteration; returns whether nothing could change the result any more."""
        cdef Context *c = self.c
        cdef int i, alive = count, rounds = 0, keep
        cdef double values[BW_MAX_PLAYERS]
        cdef double leading[ROOT_WIDTH]
        cdef double value, least
        cdef Candidate *root
        cdef const char *after
        cdef bint sampled = False, cut = False
        if anew:
            for i in range(count):
                self.candidate[i].sum = self.candidate[i].weight = 0
        while alive >= 1:
            c.samples = samples
            c.seed = seed * 1000 + rounds
            c.sampled = c.cut = False
            # Who cannot come among the first `keep` needs no exact value.
            keep = max(max(2, multipv), (alive + 1) // 2) if alive > max(2, multipv) else multipv
            for i in range(keep):
                leading[i] = -FAR
            for i in range(alive):
                after = self.state + <int64_t>i * c.game.state_size
                root = &self.candidate[i]
                least = leading[keep - 1]
                if least > -FAR:
                    # Samples of earlier rounds count as well.
                    least = min(least, (least * (root.weight + samples) - root.sum) / samples)
                with nogil:
                    if c.scalar:
                        value = self.root_value(after, depth - 1, least)
                    else:
                        search_all(c, 1, after, depth - 1, 0, values)
                        value = values[c.root_player]
                if c.work.aborted:
                    return False
                root.fresh = value
                root.failed = c.scalar and value <= least
                if not root.failed:
                    insert_falling(leading, keep, (root.sum + value * samples) / (root.weight + samples)
                                   if c.sampled else value)
            for i in range(alive):
                root = &self.candidate[i]
                if root.failed:
                    root.value = min(root.value, root.fresh)
                elif c.sampled:
                    root.sum += root.fresh * samples
                    root.weight += samples
                    root.value = root.sum / root.weight
                else:
                    root.value = root.fresh
            sampled |= c.sampled
            cut |= c.cut
            self.depth = depth
            self.sort(alive)
            self.emit(multipv)
            if not c.sampled or alive <= max(2, multipv) or self.overtime():
                break
            alive = keep
            samples *= 2
            rounds += 1
        return not sampled and not cut

    cdef double root_value(self, const char *after, int depth, double least) noexcept nogil:
        """Value for the root's player, or a bound that is not above `least`."""
        cdef Context *c = self.c
        if c.root_player == 0:
            return search(c, 1, after, depth, 0, least, FAR, c.width)
        return -search(c, 1, after, depth, 0, -FAR, -least, c.width)

    cdef void sort(self, int count):
        """Order the first `count` candidates by falling value, stable."""
        cdef int i, j
        cdef Candidate moved
        cdef int64_t size = self.c.game.state_size
        cdef char *spare = self.c.level[0].child
        for i in range(1, count):
            moved = self.candidate[i]
            memcpy(spare, self.state + i * size, size)
            j = i
            while j > 0 and self.candidate[j - 1].value < moved.value:
                self.candidate[j] = self.candidate[j - 1]
                memcpy(self.state + j * size, self.state + (j - 1) * size, size)
                j -= 1
            self.candidate[j] = moved
            memcpy(self.state + j * size, spare, size)

    cdef tuple described(self, int i):
        cdef Candidate *root = &self.candidate[i]
        return root.value, [root.line.action[j] for j in range(root.line.length)]

    cdef void say(self, int i, bint final):
        if self.report is None or self.failure is not None:
            return
        value, actions = self.described(i)
        try:
            self.report(self.depth, self.c.deepest, i + 1, value, self.c.work.nodes, bw_now() - self.started, actions,
                        final)
        except Exception as error:
            self.failure = error
            bw_store(&self.c.work.control.stop, 1)

    cdef void emit(self, int multipv):
        cdef int i
        for i in range(multipv):
            self.say(i, True)

    cdef void tick(self):
        self.say(0, False)


def play_out(object capsule, bytes state, uint64_t seed, int width=1):
    """Play a game to its end by the best static evaluation at every decision, chance by its probabilities.

    Args:
        capsule: PyCapsule of a `bw_game` with top().
        state: where the game begins.
        seed: decides all chance.
        width: how many actions top() is asked for: some games look closer when more are wanted. 1 to 64.

    Returns:
        (the results for each player in 1/10000 of the game's unit, chance events, decisions).

    Raises:
        ValueError: no state of the game, a width out of range, or a game without top().
    """
    cdef const bw_game *game = game_of(capsule)
    cdef bw_action best[ROOT_WIDTH]
    cdef bw_value worth[ROOT_WIDTH]
    cdef bw_value result[BW_MAX_PLAYERS]
    cdef const char *raw
    cdef char *at
    cdef int kind
    cdef int64_t chances = 0, decisions = 0
    cdef bw_rng rng
    check_state(game, state)
    raw = state
    if game.top == NULL or not 1 <= width <= ROOT_WIDTH:
        raise ValueError(f"expected a game with top() and a width of 1 to {ROOT_WIDTH}")
    at = <char *>malloc(game.state_size)
    if at == NULL:
        raise MemoryError
    memcpy(at, raw, game.state_size)
    bw_rng_seed(&rng, seed)
    with nogil:
        while True:
            kind = game.kind(at)
            if kind == BW_TERMINAL:
                break
            if kind == BW_CHANCE:
                chances += 1
                game.apply(at, game.sample(at, &rng))
            else:
                decisions += 1
                game.top(at, width, best, worth)
                game.apply(at, best[0])
        game.returns(at, result)
    players = game.players(at)
    free(at)
    return [result[i] for i in range(players)], chances, decisions
