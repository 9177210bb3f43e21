"""Monte Carlo tree search for any number of players, with chance nodes.

Knows ext/include/game.h and no game.

 - UCT (L. Kocsis, C. Szepesvari, 2006) with max^n backups: every node keeps the sum of the results of all players, and
   whoever decides picks by its own. The exploration term is scaled by the spread of the results seen so far, so that
   no constant depends on a game's unit.
 - What the static evaluation says of an action is its value before the first visit, worth some visits (S. Gelly,
   D. Silver, Combining online and offline knowledge in UCT, 2007), and orders the actions for progressive widening
   (G. Chaslot and others, 2008; R. Coulom, 2007): a node visited n times looks at the first few only.
 - Chance nodes are explicit. With few outcomes all are children, visited by their probabilities; with many the
   children are samples, and more of them come as the visits do (A. Couetoux and others, Continuous upper confidence
   trees, 2011). Samples number i below sibling nodes come from one stream: common random numbers. With `open_loop` an
   outcome is drawn anew in every visit and makes no branch of its own.
 - Nodes whose value is certain are marked and not searched again (MCTS-Solver: M. Winands, Y. Bjornsson,
   J. Saito, 2008), here for any number of players and through chance nodes that are listed in full.
 - A leaf is worth the static evaluation, where the game has top() once the turn under way is finished by it; or,
   with `playouts`, the result of a random playout.
 - Nodes come from a pool of fixed size: when it is full, the tree stops growing. The part of the tree below the
   next root is kept for the next search.
"""

from operator import itemgetter

from libc.math cimport log, pow, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from clock cimport bw_begin, bw_count, bw_now, bw_set_time, bw_store, bw_work
from game cimport (
    BW_CHANCE,
    BW_DECISION,
    BW_MAX_PLAYERS,
    BW_TERMINAL,
    BW_WIN_LOSS,
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
from rng cimport bw_rng, bw_rng_seed


cdef enum:
    PATH = 200
    DEEPEST = 100  # that a search can be limited to
    MAX_CHILDREN = 1024
    LISTED = 64  # chance nodes with so many outcomes or fewer are listed in full
    TURN = 12
    PLAYOUT = 20000  # moves of a playout: one that comes to no end is worth what its last state is
    NONE = -1

# Beyond any use, and far from where numbers of visits overflow.
cdef double MAX_CONSTANT = 1e6

cdef enum Mark:
    PROVEN = 1  # `sum` holds the certain values
    COMPLETE = 2  # every action or outcome is a child
    EXPANDED = 4


cdef struct Node:
    uint64_t key
    bw_action action  # that leads here
    double sum[6]
    double chance  # probability, or times drawn, below a chance node
    float prior  # static evaluation for the player who decides above
    int32_t first
    int32_t next
    uint32_t visits
    uint32_t draws  # outcomes drawn at a sampled chance node
    uint32_t marks


cdef struct Context:
    const bw_game *game
    Node *pool
    Node *spare  # the subtree that is kept moves here, then the two change places
    int32_t size
    int32_t used
    char *root  # state
    char *state  # of the node that a simulation has come to
    char *scratch
    bw_action *listed
    bw_value *worth
    double *chance
    int players
    int width
    bint open_loop
    bint playouts
    double explore
    double trust  # visits that a static evaluation counts for
    double widen_base
    double widen_power
    double sample_base
    double sample_power
    uint64_t seed
    bw_rng rng
    bw_work work
    bint full  # the pool had no room for a node
    int deepest
    double mean  # of the results for the root's player, and the sum of squared differences
    double squares
    int root_player
    void *owner


cdef void tick(Context *c) noexcept with gil:
    (<Searcher>c.owner).tick()


cdef void look_around(Context *c) noexcept nogil:
    """Count a simulation; end the search when a limit is reached, once a second let Python report."""
    if bw_count(&c.work, 8):
        tick(c)


cdef int32_t new_node(Context *c, bw_action action, double prior, double chance) noexcept nogil:
    """A fresh node, NONE when the pool is full."""
    cdef Node *node
    if c.used == c.size:
        c.full = True
        return NONE
    node = &c.pool[c.used]
    memset(node, 0, sizeof(Node))
    node.action = action
    node.prior = <float>prior
    node.chance = chance
    node.first = NONE
    node.next = NONE
    c.used += 1
    return c.used - 1


cdef inline double value_of(const Node *node, int player) noexcept nogil:
    if node.marks & PROVEN:
        return node.sum[player]
    return node.sum[player] / node.visits if node.visits else node.prior


# --- actions -----------------------------------------------------------------------------------------------------

cdef int64_t ranked(Context *c, const char *state, bint *complete) noexcept nogil:
    """Fill c.listed and c.worth with actions by falling static evaluation; returns how many."""
    cdef int64_t count
    if c.game.top != NULL:
        count = c.game.top(state, c.width, c.listed, c.worth)
        complete[0] = c.game.actions(state, NULL, 0) == count
        return count
    count = c.game.actions(state, c.listed, MAX_CHILDREN)
    complete[0] = count <= MAX_CHILDREN
    count = min(count, <int64_t>MAX_CHILDREN)
    return best_first(c.game, state, c.listed, count, count, c.scratch, c.listed, c.worth)


cdef bint expand(Context *c, int32_t at) noexcept nogil:
    """Give a decision node its children; returns whether the pool had room for them."""
    cdef bint complete = False
    cdef int64_t count = ranked(c, c.state, &complete), i
    cdef int32_t child, last = NONE
    if c.used + count > c.size:
        c.full = True
        return False
    for i in range(count):
        child = new_node(c, c.listed[i], c.worth[i], 0)
        if last == NONE:
            c.pool[at].first = child
        else:
            c.pool[last].next = child
        last = child
    c.pool[at].marks |= EXPANDED | (COMPLETE if complete else 0)
    return True


cdef int32_t find_child(Context *c, int32_t at, bw_action action) noexcept nogil:
    cdef int32_t child = c.pool[at].first
    while child != NONE and c.pool[child].action != action:
        child = c.pool[child].next
    return child


cdef int32_t add_child(Context *c, int32_t at, bw_action action, double prior, double chance) noexcept nogil:
    cdef int32_t child = new_node(c, action, prior, chance)
    if child != NONE:
        c.pool[child].next = c.pool[at].first
        c.pool[at].first = child
    return child


cdef double spread(const Context *c) noexcept nogil:
    return sqrt(c.squares / c.work.nodes) if c.work.nodes > 1 else 0


cdef int32_t choose(Context *c, int32_t at, int player) noexcept nogil:
    """The child to visit: best by upper confidence bound among those that widening admits.

    A certain child teaches nothing more: when it is the best, every other visit goes to the best of the others.
    """
    cdef const Node *node = &c.pool[at]
    cdef const Node *child
    cdef int32_t index = node.first, best = NONE, best_open = NONE
    cdef double best_open_bound = -1e300
    cdef int64_t open_children = 1 + <int64_t>(c.widen_base * pow(node.visits, c.widen_power)), rank = 0
    cdef double bound, best_bound = -1e300, weight
    cdef double explore = c.explore * spread(c) * sqrt(log(node.visits + 1.0))
    while index != NONE and rank < open_children:
        child = &c.pool[index]
        if child.marks & PROVEN:
            bound = child.sum[player]
        else:
            weight = c.trust + child.visits
            bound = (c.trust * child.prior + child.sum[player]) / weight + explore / sqrt(weight)
            if bound > best_open_bound:
                best_open_bound = bound
                best_open = index
        if bound > best_bound:
            best_bound = bound
            best = index
        rank += 1
        index = child.next
    return best_open if best_open != NONE and node.visits & 1 else best


cdef int32_t choose_open(Context *c, int32_t at, int player) noexcept nogil:
    """The same where the legal actions change from visit to visit: only those of now count."""
    cdef bint complete = False
    cdef int64_t count = ranked(c, c.state, &complete), i
    cdef int64_t open_children = 1 + <int64_t>(c.widen_base * pow(c.pool[at].visits, c.widen_power))
    cdef int32_t index, best = NONE
    cdef double bound, best_bound = -1e300, weight
    cdef double explore = c.explore * spread(c) * sqrt(log(c.pool[at].visits + 1.0))
    for i in range(min(count, open_children)):
        index = find_child(c, at, c.listed[i])
        if index == NONE:
            index = add_child(c, at, c.listed[i], c.worth[i], 0)
            if index == NONE:
                break
        weight = c.trust + c.pool[index].visits
        bound = (c.trust * c.worth[i] + c.pool[index].sum[player]) / weight + explore / sqrt(weight)
        if bound > best_bound:
            best_bound = bound
            best = index
    return best


# --- chance ------------------------------------------------------------------------------------------------------

cdef bint list_outcomes(Context *c, int32_t at) noexcept nogil:
    """Make every outcome a child, if they are few."""
    cdef int64_t count = c.game.outcomes(c.state, c.listed, c.chance, LISTED), i
    if count > LISTED or c.used + count > c.size:
        return False
    for i in range(count):
        add_child(c, at, c.listed[i], 0, c.chance[i])
    c.pool[at].marks |= COMPLETE
    return True


cdef int32_t draw(Context *c, int32_t at, int chances) noexcept nogil:
    """The outcome to visit; NONE if it makes no node."""
    cdef Node *node = &c.pool[at]
    cdef const Node *child
    cdef int32_t index, best = NONE
    cdef double due, most = -1e300
    cdef bw_action action
    cdef bw_rng rng
    if not node.marks & EXPANDED:
        node.marks |= EXPANDED
        list_outcomes(c, at)
    if not node.marks & COMPLETE and node.draws < 1 + c.sample_base * pow(node.visits, c.sample_power):
        bw_rng_seed(&rng, c.seed + 0x9e3779b97f4a7c15ULL * (<uint64_t>node.draws * 64 + chances + 1))
        node.draws += 1
        action = c.game.sample(c.state, &rng)
        index = find_child(c, at, action)
        if index == NONE:
            return add_child(c, at, action, 0, 1)
        c.pool[index].chance += 1
        return index
    # The outcome that is furthest behind its share of the visits.
    index = node.first
    while index != NONE:
        child = &c.pool[index]
        due = child.chance * (node.visits + 1) / (1 if node.marks & COMPLETE else node.draws) - child.visits
        if due > most:
            most = due
            best = index
        index = child.next
    return best


# --- one simulation ----------------------------------------------------------------------------------------------

cdef void leaf_values(Context *c, double *out) noexcept nogil:
    """Value of c.state for all players; changes c.state."""
    cdef bw_value value[BW_MAX_PLAYERS]
    cdef bw_action action
    cdef int player, steps = 0, p
    if c.playouts:
        while c.game.kind(c.state) != BW_TERMINAL and steps < PLAYOUT:
            c.game.playout_step(c.state, &c.rng)
            steps += 1
    elif c.game.top != NULL and c.game.kind(c.state) == BW_DECISION:
        # Before a turn is over, its gain does not show.
        player = c.game.player(c.state)
        while steps < TURN and c.game.kind(c.state) == BW_DECISION and c.game.player(c.state) == player:
            c.game.top(c.state, 1, &action, value)
            c.game.apply(c.state, action)
            steps += 1
    static_values(c.game, c.state, value)
    for p in range(c.players):
        out[p] = value[p]


cdef void prove(Context *c, int32_t at, int kind, int player, const char *state) noexcept nogil:
    """Mark a node whose children settle its value."""
    cdef Node *node = &c.pool[at]
    cdef const Node *child
    cdef int32_t index = node.first, best = NONE
    cdef bint every = (node.marks & COMPLETE) != 0 and index != NONE
    cdef double total[6]
    cdef int p
    memset(total, 0, sizeof(total))
    while index != NONE:
        child = &c.pool[index]
        if not child.marks & PROVEN:
            every = False
        elif kind == BW_CHANCE:
            for p in range(c.players):
                total[p] += child.chance * child.sum[p]
        elif best == NONE or child.sum[player] > c.pool[best].sum[player]:
            best = index
        index = child.next
    if kind == BW_CHANCE:
        if every:
            memcpy(node.sum, total, sizeof(total))
            node.marks |= PROVEN
        return
    # A certain win needs no second look at the other actions.
    if best != NONE and (every or (c.game.flags & BW_WIN_LOSS and c.pool[best].sum[player] > 0)):
        memcpy(node.sum, c.pool[best].sum, sizeof(node.sum))
        node.marks |= PROVEN


cdef void simulate(Context *c) noexcept nogil:
    cdef int32_t path[PATH]
    cdef int kinds[PATH]
    cdef int movers[PATH]
    cdef int depth = 0, chances = 0, kind, i, p
    cdef int32_t at = 0, child
    cdef double value[6]
    cdef double difference
    cdef bw_value result[BW_MAX_PLAYERS]
    cdef bint grown = True, certain = False
    memcpy(c.state, c.root, c.game.state_size)
    while True:
        kind = c.game.kind(c.state)
        path[depth] = at
        kinds[depth] = kind
        movers[depth] = c.game.player(c.state)
        if c.pool[at].marks & PROVEN:
            for p in range(c.players):
                value[p] = c.pool[at].sum[p]
            certain = True
            break
        if kind == BW_TERMINAL:
            c.game.returns(c.state, result)
            for p in range(c.players):
                value[p] = result[p]
            if not (c.open_loop and chances):
                for p in range(c.players):
                    c.pool[at].sum[p] = result[p]
                c.pool[at].marks |= PROVEN
                certain = True
            break
        if not c.pool[at].key:
            c.pool[at].key = c.game.key(c.state)
        if depth == PATH - 1 or (depth and not c.pool[at].visits) or not grown:
            leaf_values(c, value)
            break
        if kind == BW_CHANCE:
            if c.open_loop:
                child = c.pool[at].first
                if child == NONE:
                    child = add_child(c, at, 0, 0, 1)
                if child != NONE:
                    c.game.apply(c.state, c.game.sample(c.state, &c.rng))
            else:
                child = draw(c, at, chances)
                if child != NONE:
                    c.game.apply(c.state, c.pool[child].action)
            chances += 1
        elif c.open_loop and chances:
            child = choose_open(c, at, movers[depth])
            if child != NONE:
                c.game.apply(c.state, c.pool[child].action)
        else:
            if not c.pool[at].marks & EXPANDED:
                grown = expand(c, at)
            child = choose(c, at, movers[depth]) if grown else NONE
            if child != NONE:
                c.game.apply(c.state, c.pool[child].action)
        if child == NONE:
            leaf_values(c, value)
            break
        at = child
        depth += 1
    c.deepest = max(c.deepest, depth)
    look_around(c)
    difference = value[c.root_player] - c.mean
    c.mean += difference / c.work.nodes
    c.squares += difference * (value[c.root_player] - c.mean)
    for i in range(depth, -1, -1):
        at = path[i]
        c.pool[at].visits += 1
        if c.pool[at].marks & PROVEN:
            continue
        for p in range(c.players):
            c.pool[at].sum[p] += value[p]
        if certain and i < depth:
            prove(c, at, kinds[i], movers[i], c.root)
            certain = (c.pool[at].marks & PROVEN) != 0


# --- keeping a part of the tree ------------------------------------------------------------------------------------

cdef void keep_subtree(Context *c, int32_t top) noexcept nogil:
    """Move the tree below `top` to the front of the pool: a breadth-first copy."""
    cdef int32_t done = 0, made = 1, child, last
    cdef Node *node
    cdef Node *swap
    c.spare[0] = c.pool[top]
    c.spare[0].next = NONE
    while done < made:
        node = &c.spare[done]
        child = node.first
        last = NONE
        node.first = NONE
        while child != NONE:
            c.spare[made] = c.pool[child]
            if last == NONE:
                node.first = made
            else:
                c.spare[last].next = made
            last = made
            child = c.spare[made].next
            c.spare[made].next = NONE
            made += 1
        done += 1
    swap = c.pool
    c.pool = c.spare
    c.spare = swap
    c.used = made


cdef class Searcher:
    """A tree searcher of one game. One search at a time.

    What would disturb a search under way (another one, `clear`) raises RuntimeError.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h).
        hash_mb: size of the pool of nodes in MiB, 1 to 65536.
    """

    cdef Context *c
    cdef object capsule
    cdef object report
    cdef object failure
    cdef int64_t started
    cdef bint busy  # a search is under way
    cdef int multipv
    cdef bint keeps  # the tree holds for its states, whatever chance brought
    cdef bint narrow  # but its root has the actions that were asked for alone

    def __cinit__(self, object capsule, int hash_mb=16):
        cdef const bw_game *game = game_of(capsule)
        cdef int64_t outcomes, size
        if not 1 <= hash_mb <= 65536:
            raise ValueError(f"hash must be 1 to 65536 MiB, got {hash_mb}")
        self.c = <Context *>calloc(1, sizeof(Context))
        if self.c == NULL:
            raise MemoryError
        self.capsule = capsule  # keeps the table of functions alive
        self.c.game = game
        self.c.owner = <void *>self
        outcomes = max(<int64_t>MAX_CHILDREN, <int64_t>LISTED)
        size = (<int64_t>hash_mb << 20) // (2 * sizeof(Node))
        self.c.size = <int32_t>min(size, <int64_t>0x7fffffff)
        self.c.pool = <Node *>malloc(self.c.size * sizeof(Node))
        self.c.spare = <Node *>malloc(self.c.size * sizeof(Node))
        self.c.root = <char *>malloc(game.state_size)
        self.c.state = <char *>malloc(game.state_size)
        self.c.scratch = <char *>malloc(game.state_size)
        self.c.listed = <bw_action *>malloc(outcomes * sizeof(bw_action))
        self.c.worth = <bw_value *>malloc(outcomes * sizeof(bw_value))
        self.c.chance = <double *>malloc(outcomes * sizeof(double))
        if (self.c.pool == NULL or self.c.spare == NULL or self.c.root == NULL or self.c.state == NULL
                or self.c.scratch == NULL or self.c.listed == NULL or self.c.worth == NULL
                or self.c.chance == NULL):
            raise MemoryError(f"no room for a pool of {hash_mb} MiB")

    def __dealloc__(self):
        if self.c == NULL:
            return
        free(self.c.pool)
        free(self.c.spare)
        free(self.c.root)
        free(self.c.state)
        free(self.c.scratch)
        free(self.c.listed)
        free(self.c.worth)
        free(self.c.chance)
        free(self.c)

    def arm(self):
        """Forget a stop that came too late for the search before."""
        bw_store(&self.c.work.control.stop, 0)

    def stop(self):
        """End the search under way as soon as possible. From any thread."""
        bw_store(&self.c.work.control.stop, 1)

    def clear(self):
        """Forget the tree."""
        refuse_if(self.busy)
        self.c.used = 0

    def set_time(self, int64_t soft_ms, int64_t hard_ms):
        """Limits from now on in milliseconds, -1 for none; the earlier one ends the search.

        From any thread, also during a search. More than 10**12 is read as that.
        """
        bw_set_time(&self.c.work.control, -1, hard_ms if soft_ms < 0 or 0 <= hard_ms < soft_ms else soft_ms)

    @property
    def nodes(self) -> int:
        """Simulations of the latest search."""
        return self.c.work.nodes

    def hashfull(self) -> int:
        """Thousandths of the pool in use."""
        return <int64_t>self.c.used * 1000 // self.c.size

    def kept(self) -> int:
        """Visits of the present root: after a search, and with what an earlier search left there."""
        return self.c.pool[0].visits if self.c.used else 0

    def search(self, bytes state, list roots, int64_t nodes, object report, *, int depth=0, int multipv=1,
               uint64_t seed=0, int width=16, bint open_loop=False, bint playouts=False, bint reuse=True,
               double explore=0.5, double trust=2.0, double widen_base=1.0, double widen_power=0.5,
               double sample_base=1.0, double sample_power=1.0) -> list:
        """Search a decision node until a limit is reached, or its value is certain.

        Args:
            state: the game's state, at a decision node.
            roots: first actions to choose from; the best `width` by static evaluation when empty.
            nodes: most simulations, 0 for no limit.
            report: called with (depth of the best line, deepest, line, value, simulations, nanoseconds, actions,
                final) whenever the simulations have doubled and once a second, with `final` at the end.
            depth: end once the best line is so long, or as long as it can get without chance in a tree that is so
                deep, or when the pool is full; 0: never for that reason. More than 100 is read as that.
            multipv: number of lines to report.
            width: children of a decision node in a game with top(), 1 to 1024.
            reuse: keep what the last search knows of this state.
            explore, trust, widen_base, widen_power, sample_base, sample_power: constants, see the module; 0 to a
                million, powers to 1, trust above 0.

        Returns:
            (value, actions, certain) for each line, the most visited first: value in 1/10000 of the game's unit
            for the player to move.

        Raises:
            ValueError: no state of the game at a decision, roots that are not legal, or a number out of range.
            RuntimeError: a search is under way.
        """
        cdef Context *c = self.c
        cdef const bw_game *game = c.game
        cdef const char *raw
        cdef int64_t target = 16
        check_decision(game, state)
        raw = state
        if not 1 <= width <= MAX_CHILDREN or nodes < 0 or depth < 0 or multipv < 1:
            raise ValueError("width, nodes, depth or multipv out of range")
        for constant in (explore, trust, widen_base, sample_base):
            if not 0 <= constant <= MAX_CONSTANT:
                raise ValueError(f"explore, trust, widen_base and sample_base are 0 to {MAX_CONSTANT}, got {constant}")
        if trust == 0 or not 0 <= widen_power <= 1 or not 0 <= sample_power <= 1:
            raise ValueError("trust, widen_power or sample_power out of range: expected above 0, and 0 to 1")
        # Asked for once, and in a list of our own: that of the caller may change under our hands.
        first = list(dict.fromkeys([action_of(action) for action in roots]))
        for action in first:
            if not is_legal(game, raw, action):
                raise ValueError(f"root action {action} is not legal")
        refuse_if(self.busy)
        c.width = width
        c.open_loop = open_loop
        c.playouts = playouts
        c.explore = explore
        c.trust = trust
        c.widen_base = widen_base
        c.widen_power = widen_power
        c.sample_base = sample_base
        c.sample_power = sample_power
        c.players = game.players(raw)
        c.root_player = game.player(raw)
        c.seed = seed
        bw_rng_seed(&c.rng, seed)
        self.busy = True
        try:
            self.plant(state, reuse and not first and not open_loop)
            self.keeps = not open_loop
            self.narrow = bool(first)
            memcpy(c.state, raw, game.state_size)
            if first:
                self.set_roots(first)
            elif not c.pool[0].marks & EXPANDED and not expand(c, 0):
                raise ValueError("the pool of nodes is too small for one node's children")
            c.full = False
            c.deepest = 0
            c.mean = c.squares = 0
            self.report = report
            self.failure = None
            self.multipv = multipv
            self.started = bw_now()
            bw_begin(&c.work, nodes, self.started)
            while True:
                with nogil:
                    while not c.work.aborted and c.work.nodes < target and not c.pool[0].marks & PROVEN:
                        simulate(c)
                if c.work.aborted or c.pool[0].marks & PROVEN:
                    break
                target *= 2
                self.tell(False)
                if depth and (c.full or self.reaches(min(depth, DEEPEST))):
                    break
                if self.failure is not None:
                    raise self.failure
            self.tell(True)
            if self.failure is not None:
                raise self.failure
            return [self.line(i) for i in range(min(multipv, self.children()))]
        finally:
            self.busy = False
            self.report = None

    cdef void plant(self, bytes state, bint reuse):
        """Make node 0 the root of `state`: a node of the old tree if there is one."""
        cdef Context *c = self.c
        cdef const char *raw = state
        cdef uint64_t key = c.game.key(raw)
        cdef int32_t i, child
        if reuse and self.keeps and c.used:
            # The other half of the pool is free until the subtree moves there: it notes who is whose parent.
            c.spare[0].first = NONE
            for i in range(c.used):
                child = c.pool[i].first
                while child != NONE:
                    c.spare[child].first = i
                    child = c.pool[child].next
            for i in range(1 if self.narrow else 0, c.used):
                if c.pool[i].key == key and not c.pool[i].marks & PROVEN and self.leads_to(i, raw):
                    keep_subtree(c, i)
                    memcpy(c.root, raw, c.game.state_size)
                    return
        memcpy(c.root, raw, c.game.state_size)
        c.used = 0
        new_node(c, 0, 0, 0)

    cdef bint leads_to(self, int32_t at, const char *state) noexcept:
        """Whether the way from the old root to a node leads to this very state.

        Equal keys are not enough: what is equal up to translation has other actions.
        """
        cdef Context *c = self.c
        cdef int32_t path[PATH]
        cdef int depth = 0
        while at:
            path[depth] = at
            depth += 1
            at = c.spare[at].first
        memcpy(c.state, c.root, c.game.state_size)
        while depth:
            depth -= 1
            c.game.apply(c.state, c.pool[path[depth]].action)
        return memcmp(c.state, state, c.game.state_size) == 0

    cdef int set_roots(self, list roots) except -1:
        cdef Context *c = self.c
        cdef bw_value value[BW_MAX_PLAYERS]
        cdef bw_action action
        worth = []
        if len(roots) > MAX_CHILDREN or c.used + len(roots) > c.size:
            raise ValueError(f"at most {MAX_CHILDREN} root actions, got {len(roots)}")
        for root in roots:
            action = root
            memcpy(c.scratch, c.root, c.game.state_size)
            c.game.apply(c.scratch, action)
            static_values(c.game, c.scratch, value)
            worth.append((value[c.root_player], root))
        # Children are pushed to the front: the worst first.
        for prior, root in sorted(worth, key=itemgetter(0)):
            action = root
            add_child(c, 0, action, prior, 0)
        c.pool[0].marks |= EXPANDED
        return 0

    cdef int children(self):
        cdef int32_t child = self.c.pool[0].first
        cdef int count = 0
        while child != NONE:
            count += 1
            child = self.c.pool[child].next
        return count

    cdef int32_t best_child(self, int32_t at, int player, list leave_out):
        """A proven best child, or the one with the most visits (by value among equals)."""
        cdef Context *c = self.c
        cdef int32_t child = c.pool[at].first, best = NONE
        cdef double rank, top = -1e300
        while child != NONE:
            if child not in leave_out:
                rank = c.pool[child].visits + 1e-9 * value_of(&c.pool[child], player)
                if c.pool[at].marks & PROVEN:
                    rank = c.pool[child].sum[player] if c.pool[child].marks & PROVEN else -1e200
                elif c.pool[child].marks & PROVEN and c.game.flags & BW_WIN_LOSS:
                    rank = 1e200 if c.pool[child].sum[player] > 0 else -1e200 + rank
                if rank > top:
                    top = rank
                    best = child
            child = c.pool[child].next
        return best

    cdef tuple line(self, int number):
        """Value, actions and certainty of the line at a place in the order of the root's children."""
        cdef Context *c = self.c
        cdef int32_t at = 0, child = NONE
        cdef bw_action action
        cdef bw_value worth
        cdef int kind, player
        cdef list taken = []
        cdef list actions = []
        for _ in range(number + 1):
            child = self.best_child(0, c.root_player, taken)
            taken.append(child)
        if child == NONE:
            return 0.0, [], False
        value = value_of(&c.pool[child], c.root_player)
        certain = bool(c.pool[child].marks & PROVEN)
        actions.append(c.pool[child].action)
        memcpy(c.state, c.root, c.game.state_size)
        c.game.apply(c.state, c.pool[child].action)
        at = child
        while len(actions) < PATH:
            kind = c.game.kind(c.state)
            if kind != BW_DECISION:
                break
            player = c.game.player(c.state)
            child = self.best_child(at, player, []) if at != NONE else NONE
            if child != NONE and (c.pool[child].visits or c.pool[at].marks & PROVEN):
                action = c.pool[child].action
            elif player == c.root_player and c.game.top != NULL and len(actions) < TURN:
                # A turn is told to its end.
                c.game.top(c.state, 1, &action, &worth)
                child = NONE
            else:
                break
            actions.append(action)
            c.game.apply(c.state, action)
            at = child
        return value, actions, certain

    cdef bint reaches(self, int depth):
        """Whether the best line has `depth` actions, or ends before them for good."""
        cdef Context *c = self.c
        length = len(self.line(0)[1])
        return length >= depth or (c.deepest >= depth and c.game.kind(c.state) != BW_DECISION)

    cdef void tell(self, bint final):
        cdef int i
        if self.report is None or self.failure is not None:
            return
        try:
            for i in range(min(self.multipv, self.children())):
                value, actions, _ = self.line(i)
                self.report(len(actions), self.c.deepest, i + 1, value, self.c.work.nodes,
                            bw_now() - self.started, actions, final)
        except Exception as error:
            self.failure = error
            bw_store(&self.c.work.control.stop, 1)

    cdef void tick(self):
        self.tell(False)


def random_games(object capsule, bytes state, uint64_t seed, int64_t games):
    """Random playouts by the game's playout_step(), each ended after 20,000 moves at the latest.

    Args:
        capsule: PyCapsule of a `bw_game` (ext/include/game.h).
        state: where each game begins.
        seed: decides everything.
        games: how many, 0 or more.

    Returns:
        (for each player the sum of the results in 1/10000 of the game's unit, chance events, decisions).

    Raises:
        ValueError: no state of the game, or a negative number of games.
    """
    cdef const bw_game *game = game_of(capsule)
    cdef const char *raw
    cdef char *at
    cdef int64_t _game, chances = 0, decisions = 0
    cdef int64_t total[6]
    cdef bw_value result[BW_MAX_PLAYERS]
    cdef int kind, p, players, _step
    cdef bw_rng rng
    check_state(game, state)
    if games < 0:
        raise ValueError(f"expected 0 or more games, got {games}")
    raw = state
    at = <char *>malloc(game.state_size)
    if at == NULL:
        raise MemoryError
    memset(total, 0, sizeof(total))
    bw_rng_seed(&rng, seed)
    players = game.players(raw)
    with nogil:
        for _game in range(games):
            memcpy(at, raw, game.state_size)
            for _step in range(PLAYOUT):
                kind = game.kind(at)
                if kind == BW_TERMINAL:
                    break
                if kind == BW_CHANCE:
                    chances += 1
                else:
                    decisions += 1
                game.playout_step(at, &rng)
            game.returns(at, result)
            for p in range(players):
                total[p] += result[p]
    free(at)
    return [total[p] for p in range(players)], chances, decisions
