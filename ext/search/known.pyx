"""NMBR 9 with a known order of cards: a bound by level assignments, and exact solutions, from the top down.

An *assignment* says on which level each card lies; it fixes the score. What ties neighbouring levels together is kept
by layouts that carry the number of the card on each tile: a tile lies on tiles of earlier cards only, and touches an
earlier tile of its level. Going down from the top, all that the levels above leave is the set of cards used and the
layout of the lowest level so far. docs/nmbr9-bound.md has the argument, sentence by sentence.

A set of cards is a mask; card 0 is played first. Layouts stand in a window of 64 x 64 squares.
"""

from cpython.pythread cimport (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
)
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from clock cimport bw_control, bw_is_over, bw_load, bw_now, bw_set_time, bw_store


cdef extern from *:
    int ctz "__builtin_ctzll"(unsigned long long x) noexcept nogil
    int ctz32 "__builtin_ctz"(unsigned int x) noexcept nogil
    int clz32 "__builtin_clz"(unsigned int x) noexcept nogil
    int popcount "__builtin_popcountll"(unsigned long long x) noexcept nogil


cdef enum:
    DIGITS = 10
    CELLS = 10
    CARDS = 20
    LEVELS = 10
    SIDE = 64
    MIDDLE = 28
    LIST = 1024        # layouts of one level that are worked on at once
    SEEN_BITS = 16
    LOOK = 255         # nodes between two looks at the clock, as a mask
    NEVER = -10000     # worth of what cannot be
    EARLY = 5          # cards on the table before the last one of level 1, for all placements to be tried
    HELD_SIDE = 40     # squares that tiles which lie already span at most
    PAIR_UPPER = 2     # pairs of more cards than these are hardly ever refuted within the limit
    PAIR_LOWER = 5
    PRICES = 12        # sets of multipliers of the areas
    SCALE = 64         # parts of a point they are counted in
    MAX_SET = 10       # tiles of a layout that is remembered
    BANDS = 65536
    DEAD = 1 << 18
    WAITING = 4096


cdef struct Worker
cdef struct Task


ctypedef struct Shape:
    int32_t cells
    int32_t width
    int32_t height
    int8_t x[CELLS]
    int8_t y[CELLS]
    uint64_t rows[4]


ctypedef struct Piece:
    uint8_t card
    uint8_t o          # digit * 4 + rotation
    uint8_t x
    uint8_t y


ctypedef struct Lay:
    Piece piece[CARDS]
    int32_t count
    uint32_t floats    # cards of the level that lie somewhere beside


ctypedef struct Seen:
    # Layouts met, exact keys; emptied by another stamp.
    uint64_t *low
    uint64_t *high
    uint32_t *stamp
    uint32_t now
    int64_t count


ctypedef struct Choice:
    uint32_t cards
    int32_t most


ctypedef struct Choices:
    Choice *item
    int64_t count
    int64_t room


ctypedef struct Deck:
    Shape shape[40]
    int32_t rotations[DIGITS]
    uint8_t overlap[40][40][7][7]
    uint8_t contact[40][40][9][9]
    int32_t cards
    uint32_t all_cards
    int32_t held                    # cards whose tiles lie already, the first ones
    Piece held_piece[CARDS]
    int32_t held_level[CARDS]
    int32_t held_top
    int32_t digit[CARDS]
    int32_t area[CARDS]
    int32_t most_level[CARDS]
    uint32_t twins                  # cards whose next one has the same digit
    uint32_t allowed[LEVELS + 1]    # cards that may lie on a level
    int32_t levels                  # levels there may be
    int32_t areas[2][1024]
    int32_t digits[2][1024]
    int32_t prices                  # sets of multipliers in use
    # For each: what a card brings on a level, the most of that on this level or a lower one, and what it asks of
    # the level below, in 1/SCALE point.
    int32_t brings[PRICES][CARDS][LEVELS]
    int32_t best_brings[PRICES][CARDS][LEVELS]
    int32_t asks[PRICES][CARDS][LEVELS]
    uint64_t *memo                  # of rest_of
    uint64_t memo_mask
    uint64_t *pairs                 # of carries
    uint64_t pair_mask
    bw_control control


cdef struct Cover:
    Worker *worker
    int32_t kind
    int32_t level
    const Lay *above
    uint64_t occupied[SIDE]
    uint64_t early[CARDS][SIDE]     # squares of the layout above owned by cards earlier than this one
    int32_t sorted_above[CARDS]     # pieces above in playing order
    uint32_t cards                  # not yet laid
    uint32_t all_cards
    Lay lay
    int64_t nodes
    int64_t limit
    int32_t laid_beside             # tiles left over are laid, not left floating
    int32_t laid_on_top             # tiles of a top level that are laid, the first ones
    int32_t found
    int32_t cut                     # the limit was met, or the window too small


cdef struct Worker:
    Deck *deck
    Task *task
    Cover cover[2 * LEVELS + 4]
    Lay *list[LEVELS + 1]
    int32_t listed[LEVELS + 1]
    Seen seen[LEVELS + 1]
    Seen built[LEVELS + 1]
    Choices down[LEVELS + 1]        # of the search over sets
    Choices next_sets[LEVELS + 1]   # of the search over layouts
    uint32_t sets[LEVELS + 1]       # the assignment under way
    uint32_t used[LEVELS + 1]
    int32_t points[LEVELS + 1]      # of the levels so far
    int32_t top
    int32_t partial[LEVELS + 1]     # the layouts of a level were worked on in several lots
    Lay stack[LEVELS + 1]
    int32_t floats_left             # tries at places for tiles left over
    int64_t nodes
    int32_t over
    # counts of the proof
    int64_t assignments
    int64_t bands
    int64_t layouts
    int64_t undecided


ctypedef struct Job:
    uint32_t top_set
    uint32_t next_set
    int32_t top
    int32_t most


ctypedef struct Band:
    # Levels of the first cards, 4 bits each and one more than the level; the answer, and the effort it took.
    uint64_t low
    uint32_t high
    int16_t answer
    int16_t effort


ctypedef struct Assignment:
    uint8_t level[CARDS]
    int32_t points
    int32_t closed


cdef struct Task:
    Job *jobs
    int64_t count
    int64_t room
    int64_t taken
    int64_t target                  # only assignments of so many points
    int64_t open_most               # of assignments that were neither built nor refuted
    int64_t effort
    PyThread_type_lock lock
    Band *bands                     # BANDS of them
    int64_t band_count
    Band *dead                      # runs of levels from the top that leave no layout: DEAD of them
    int64_t dead_count
    Assignment *waiting             # met, neither built nor refuted: WAITING of them
    int64_t waiting_count
    int32_t best
    int32_t best_count
    Piece best_piece[CARDS]
    int32_t best_level[CARDS]


# --- sets -----------------------------------------------------------------------------------------

cdef inline int area_of(const Deck *d, uint32_t cards) noexcept nogil:
    return d.areas[0][cards & 1023] + d.areas[1][cards >> 10]


cdef inline int digits_of(const Deck *d, uint32_t cards) noexcept nogil:
    return d.digits[0][cards & 1023] + d.digits[1][cards >> 10]


cdef inline uint32_t before(int card) noexcept nogil:
    return ((<uint32_t>1) << card) - 1


cdef inline int last_of(uint32_t cards) noexcept nogil:
    return 31 - clz32(cards)


cdef inline int look(Worker *w) noexcept nogil:
    """Count a node, and look at the clock now and then; returns whether the search is over."""
    w.nodes += 1
    if w.nodes & LOOK == 0 and bw_is_over(&w.deck.control, bw_now()):
        w.over = 1
    return w.over


cdef int may_carry(const Deck *d, uint32_t lower, uint32_t upper) noexcept nogil:
    """Test two earlier cards below each, and areas at every moment."""
    cdef uint32_t rest = upper, earlier
    cdef int card, area = 0
    while rest:
        card = ctz32(rest)
        rest &= rest - 1
        earlier = lower & before(card)
        area += d.area[card]
        if popcount(earlier) < 2 or area_of(d, earlier) < area:
            return 0
    return 1


cdef inline uint64_t mixed(uint64_t k) noexcept nogil:
    k *= <uint64_t>0x9E3779B97F4A7C15ULL
    k ^= k >> 29
    k *= <uint64_t>0xBF58476D1CE4E5B9ULL
    return k ^ k >> 32


# --- layouts --------------------------------------------------------------------------------------

cdef inline int overlapping(const Deck *d, const Piece *a, const Piece *b) noexcept nogil:
    cdef int dx = <int>b.x - <int>a.x
    cdef int dy = <int>b.y - <int>a.y
    if dx < -3 or dx > 3 or dy < -3 or dy > 3:
        return 0
    return d.overlap[a.o][b.o][dy + 3][dx + 3]


cdef inline int touching(const Deck *d, const Piece *a, const Piece *b) noexcept nogil:
    cdef int dx = <int>b.x - <int>a.x
    cdef int dy = <int>b.y - <int>a.y
    if dx < -4 or dx > 4 or dy < -4 or dy > 4:
        return 0
    return d.contact[a.o][b.o][dy + 4][dx + 4]


cdef int in_order(const Deck *d, const Lay *a) noexcept nogil:
    """Tell whether each tile touches an earlier one, or may yet through one that floats."""
    cdef int i, j, card, fine, first = CARDS
    if a.floats:
        first = ctz32(a.floats)
    for i in range(a.count):
        if a.piece[i].card < first:
            first = a.piece[i].card
    for i in range(a.count):
        card = a.piece[i].card
        fine = card == first or (a.floats & before(card)) != 0
        j = 0
        while not fine and j < a.count:
            fine = a.piece[j].card < card and touching(d, &a.piece[j], &a.piece[i])
            j += 1
        if not fine:
            return 0
    return 1


cdef int rests_on_two(const Deck *d, const Piece *upper, const Lay *a) noexcept nogil:
    cdef int i, n = 0
    for i in range(a.count):
        n += overlapping(d, upper, &a.piece[i])
        if n == 2:
            return 1
    return 0


cdef void turn(const Deck *d, Lay *a, int quarters) noexcept nogil:
    """Turn a layout clockwise about some point."""
    cdef int i, _, x, y, digit, rotation
    for i in range(a.count):
        digit = a.piece[i].o >> 2
        for _ in range(quarters):
            x = a.piece[i].x
            y = a.piece[i].y
            rotation = a.piece[i].o & 3
            a.piece[i].x = y
            a.piece[i].y = 128 - (x + d.shape[a.piece[i].o].width)
            a.piece[i].o = digit * 4 + (rotation + 1) % d.rotations[digit]


cdef int normalise(const Deck *d, const Lay *from_lay, Lay *a) noexcept nogil:
    """Copy a layout with its first card upright and its corner in the middle; returns 0 if it is too large.

    Coordinates go through a byte: 64 squares fit whichever way they are turned.
    """
    cdef int i, first = 0, low_x = 255, low_y = 255, quarters, n
    a[0] = from_lay[0]
    for i in range(1, a.count):
        if a.piece[i].card < a.piece[first].card:
            first = i
    n = d.rotations[a.piece[first].o >> 2]
    quarters = (n - (a.piece[first].o & 3)) % n
    if quarters:
        turn(d, a, quarters)
    for i in range(a.count):
        if a.piece[i].x < low_x:
            low_x = a.piece[i].x
        if a.piece[i].y < low_y:
            low_y = a.piece[i].y
    for i in range(a.count):
        if a.piece[i].x - low_x > 24 or a.piece[i].y - low_y > 24:
            return 0
        a.piece[i].x += 20 - low_x
        a.piece[i].y += 20 - low_y
    return 1


cdef int is_new(Seen *seen, const Lay *a, uint32_t cards) noexcept nogil:
    """Remember a normalised layout of these cards; returns 0 if it was there."""
    cdef uint64_t low = 0, high = 0, code, at
    cdef uint64_t mask = ((<uint64_t>1) << SEEN_BITS) - 1
    cdef int i, rank
    if popcount(cards) > MAX_SET:
        return 1
    for i in range(a.count):
        # Every tile its own twelve bits, by the rank of its card: 0 is a tile that floats.
        rank = popcount(cards & before(a.piece[i].card))
        code = 1 + ((a.piece[i].o & 3) | <uint64_t>(a.piece[i].x - 20) << 2 | <uint64_t>(a.piece[i].y - 20) << 7)
        if rank < 5:
            low |= code << 12 * rank
        else:
            high |= code << 12 * (rank - 5)
    at = mixed(low ^ mixed(high + 0x51)) & mask
    while seen.stamp[at] == seen.now:
        if seen.low[at] == low and seen.high[at] == high:
            return 0
        at = (at + 1) & mask
    if 4 * seen.count < 3 * <int64_t>mask:
        seen.low[at] = low
        seen.high[at] = high
        seen.stamp[at] = seen.now
        seen.count += 1
    return 1


cdef void forget(Seen *seen) noexcept nogil:
    seen.now += 1
    seen.count = 0
    if seen.now == 0:
        memset(seen.stamp, 0, (<size_t>1 << SEEN_BITS) * sizeof(uint32_t))
        seen.now = 1


# --- one level under another ----------------------------------------------------------------------

cdef enum:
    LISTED = 0     # a found layout goes into the list of its level
    EXISTS = 1     # the first one ends the search
    PAIRED = 2     # the upper layout of a pair: the lower one is looked for
    BUILT = 3      # the stack goes on below it
    LAZY = 4       # as well, and tiles left over find their places when the table is reached


cdef void begin(Cover *s, Worker *w, int kind, int level, uint32_t cards, int64_t limit) noexcept nogil:
    s.worker = w
    s.kind = kind
    s.level = level
    s.above = NULL
    s.cards = cards
    s.all_cards = cards
    s.lay.count = 0
    s.lay.floats = 0
    s.nodes = 0
    s.limit = limit
    s.laid_beside = 0
    s.laid_on_top = 2 if kind == LISTED or kind == LAZY else CARDS
    s.found = 0
    s.cut = 0


cdef void aim(Cover *s, const Lay *above) noexcept nogil:
    """Make a layout the one to be carried; nothing lies below it yet."""
    cdef const Deck *d = s.worker.deck
    cdef int i, j, r, card
    cdef const Piece *p
    cdef const Shape *shape
    cdef uint32_t rest
    s.above = above
    s.cards = s.all_cards
    s.lay.count = 0
    s.lay.floats = 0
    memset(s.occupied, 0, sizeof(s.occupied))
    rest = s.all_cards
    while rest:
        card = ctz32(rest)
        rest &= rest - 1
        memset(s.early[card], 0, sizeof(s.early[card]))
    for i in range(above.count):
        p = &above.piece[i]
        shape = &d.shape[p.o]
        rest = s.all_cards & ~before(p.card)
        while rest:
            card = ctz32(rest)
            rest &= rest - 1
            for r in range(shape.height):
                s.early[card][p.y + r] |= shape.rows[r] << p.x
        j = i
        while j > 0 and above.piece[s.sorted_above[j - 1]].card > p.card:
            s.sorted_above[j] = s.sorted_above[j - 1]
            j -= 1
        s.sorted_above[j] = i


cdef inline int put_piece(Cover *s, int card, int o, int x, int y) noexcept nogil:
    """Lay a tile if it fits and covers no earlier one; returns whether it was laid."""
    cdef const Shape *shape = &s.worker.deck.shape[o]
    cdef int r
    cdef Piece *p
    if x < 1 or y < 1 or x + shape.width > SIDE - 1 or y + shape.height > SIDE - 1:
        s.cut = 1
        return 0
    if s.above != NULL:
        for r in range(shape.height):
            if (s.occupied[y + r] | s.early[card][y + r]) & shape.rows[r] << x:
                return 0
    else:
        for r in range(shape.height):
            if s.occupied[y + r] & shape.rows[r] << x:
                return 0
    for r in range(shape.height):
        s.occupied[y + r] |= shape.rows[r] << x
    p = &s.lay.piece[s.lay.count]
    p.card = card
    p.o = o
    p.x = x
    p.y = y
    s.lay.count += 1
    s.cards &= ~((<uint32_t>1) << card)
    return 1


cdef inline void take_piece(Cover *s) noexcept nogil:
    cdef const Piece *p = &s.lay.piece[s.lay.count - 1]
    cdef const Shape *shape = &s.worker.deck.shape[p.o]
    cdef int r
    for r in range(shape.height):
        s.occupied[p.y + r] ^= shape.rows[r] << p.x
    s.lay.count -= 1
    s.cards |= (<uint32_t>1) << p.card


cdef inline int cover_over(Cover *s) noexcept nogil:
    if s.nodes > s.limit:
        s.cut = 1
    return s.found or s.nodes > s.limit or s.worker.over


cdef void lay_beside(Cover *s, int in_turn) noexcept nogil:
    """Lay the cards left over beside the level in all ways; `in_turn`: each after those before it."""
    cdef const Deck *d = s.worker.deck
    cdef int card, rotation, o, x, y, i, digit, low, high
    cdef uint64_t fit, touch, near
    cdef uint64_t beside[SIDE]
    cdef uint32_t rest = s.cards
    cdef const Shape *shape
    s.nodes += 1
    look(s.worker)
    if cover_over(s):
        return
    s.lay.floats = s.cards
    if not in_turn and not in_order(d, &s.lay):
        return
    if not s.cards or (in_turn and s.lay.count >= s.laid_on_top):
        emit(s)
        return
    memset(beside, 0, sizeof(beside))
    low = SIDE
    high = 0
    for y in range(1, SIDE - 1):
        near = s.occupied[y] << 1 | s.occupied[y] >> 1 | s.occupied[y - 1] | s.occupied[y + 1]
        beside[y] = near & ~s.occupied[y]
        if beside[y]:
            if y < low:
                low = y
            high = y
    while rest:
        card = ctz32(rest)
        rest &= rest - 1
        digit = d.digit[card]
        for rotation in range(d.rotations[digit]):
            o = digit * 4 + rotation
            shape = &d.shape[o]
            for y in range(max(1, low - shape.height + 1), min(SIDE - 1 - shape.height, high) + 1):
                touch = 0
                for i in range(shape.cells):
                    touch |= beside[y + shape.y[i]] >> shape.x[i]
                if not touch:
                    continue
                fit = touch
                for i in range(shape.cells):
                    fit &= ~(s.occupied[y + shape.y[i]] >> shape.x[i])
                while fit:
                    x = ctz(fit)
                    fit &= fit - 1
                    if put_piece(s, card, o, x, y):
                        lay_beside(s, in_turn)
                        take_piece(s)
                        if cover_over(s):
                            return
        if in_turn:
            return


cdef void finish(Cover *s) noexcept nogil:
    """All squares above are covered."""
    cdef const Deck *d = s.worker.deck
    cdef int i
    for i in range(s.above.count):
        if not rests_on_two(d, &s.above.piece[i], &s.lay):
            return
    if s.cards and s.laid_beside:
        lay_beside(s, 0)
        return
    s.lay.floats = s.cards
    if in_order(d, &s.lay):
        emit(s)
    s.lay.floats = 0


cdef void cover(Cover *s) noexcept nogil:
    """Cover an open square of the earliest tile that has one, in every way: there the fewest cards will do."""
    cdef const Deck *d = s.worker.deck
    cdef int i, r, x = 0, row = 0, o, card, rotation, digit, own, total = 0, owner = -1
    cdef uint64_t bits
    cdef const Shape *shape
    cdef const Piece *p
    cdef uint32_t rest
    s.nodes += 1
    look(s.worker)
    if cover_over(s):
        return
    for i in range(s.above.count):
        p = &s.above.piece[s.sorted_above[i]]
        shape = &d.shape[p.o]
        own = 0
        for r in range(shape.height):
            bits = shape.rows[r] << p.x & ~s.occupied[p.y + r]
            if bits:
                own += popcount(bits)
                if owner < 0:
                    owner = p.card
                    row = p.y + r
                    x = ctz(bits)
        if own:
            total += own
            if total > area_of(d, s.cards & before(p.card)):
                return
        elif not rests_on_two(d, p, &s.lay):
            return
    if not total:
        finish(s)
        return
    rest = s.cards & before(owner)
    while rest:
        card = last_of(rest)
        rest ^= (<uint32_t>1) << card
        digit = d.digit[card]
        for rotation in range(d.rotations[digit]):
            o = digit * 4 + rotation
            shape = &d.shape[o]
            for i in range(shape.cells):
                if put_piece(s, card, o, x - shape.x[i], row - shape.y[i]):
                    cover(s)
                    take_piece(s)
                    if cover_over(s):
                        return


cdef void all_layouts(Cover *s) noexcept nogil:
    """Lay a top level in all ways, the first card upright."""
    cdef int card = ctz32(s.all_cards)
    memset(s.occupied, 0, sizeof(s.occupied))
    s.above = NULL
    put_piece(s, card, s.worker.deck.digit[card] * 4, MIDDLE, MIDDLE)
    lay_beside(s, 1)
    take_piece(s)


cdef void emit(Cover *s) noexcept nogil:
    """Hand a found layout on."""
    cdef Worker *w = s.worker
    cdef Cover *lower
    cdef Lay lay
    cdef int lev = s.level
    if s.kind == EXISTS:
        s.found = 1
        return
    if not normalise(w.deck, &s.lay, &lay):
        s.cut = 1
        return
    if s.kind == LISTED:
        if not is_new(&w.seen[lev], &lay, s.all_cards):
            return
        w.layouts += 1
        w.list[lev][w.listed[lev]] = lay
        w.listed[lev] += 1
        if w.listed[lev] == LIST:
            w.partial[lev] = 1
            go_down(w, lev, 0)
            w.listed[lev] = 0
    elif s.kind == PAIRED:
        lower = &w.cover[2 * LEVELS + 3]
        lower.limit = s.limit - s.nodes
        lower.nodes = 0
        aim(lower, &lay)
        cover(lower)
        s.nodes += lower.nodes
        s.cut |= lower.cut
        s.found = lower.found
    else:
        if not is_new(&w.built[lev], &lay, s.all_cards):
            return
        w.stack[lev] = s.lay
        w.floats_left = 2000
        build_below(w, s)


# --- what can be carried --------------------------------------------------------------------------

cdef enum:
    REFUTED = 1
    POSSIBLE = 2


cdef int carries(Worker *w, uint32_t lower, uint32_t upper) noexcept nogil:
    """Test by two levels alone whether a set may carry another: 0 is a proof that it cannot.

    Cards later than all above play no part. Small sets are laid out in all ways, up to a limit of nodes.
    """
    cdef Deck *d = w.deck
    cdef Cover *s
    cdef uint64_t key, entry, at
    cdef int answer, i
    cdef uint32_t rest
    if not may_carry(d, lower, upper):
        return 0
    lower &= before(last_of(upper))
    if popcount(upper) > 1:
        rest = upper ^ (<uint32_t>1) << last_of(upper)
        if not carries(w, lower, rest):
            return 0
    if popcount(upper) > PAIR_UPPER or popcount(lower) > PAIR_LOWER:
        return 1
    key = (<uint64_t>lower << 20 | upper) + 1
    at = mixed(key) & d.pair_mask
    for i in range(4):
        entry = d.pairs[at ^ <uint64_t>i]
        if entry >> 8 == key:
            answer = entry & 3
            if answer or <int64_t>(entry >> 2 & 63) >= w.task.effort:
                return answer != REFUTED
            break
    s = &w.cover[2 * LEVELS + 2]
    begin(s, w, PAIRED, 0, upper, (<int64_t>2000) << 2 * w.task.effort)
    begin(&w.cover[2 * LEVELS + 3], w, EXISTS, 0, lower, s.limit)
    all_layouts(s)
    if w.over:
        return 1
    answer = POSSIBLE if s.found else (0 if s.cut else REFUTED)
    w.bands += answer == REFUTED
    i = 0
    while i < 3 and d.pairs[at ^ <uint64_t>i] and d.pairs[at ^ <uint64_t>i] >> 8 != key:
        i += 1
    d.pairs[at ^ <uint64_t>i] = key << 8 | <uint64_t>(w.task.effort << 2) | answer
    return answer != REFUTED


# --- sets of levels -------------------------------------------------------------------------------

cdef int compare_choices(const void *a, const void *b) noexcept nogil:
    cdef const Choice *x = <const Choice *>a
    cdef const Choice *y = <const Choice *>b
    if x.most != y.most:
        return -1 if x.most > y.most else 1
    return -1 if x.cards < y.cards else (1 if x.cards > y.cards else 0)


cdef int add_choice(Choices *list_of, uint32_t cards, int most) noexcept nogil:
    cdef Choice *more
    if list_of.count == list_of.room:
        more = <Choice *>realloc(list_of.item, (2 * list_of.room + 256) * sizeof(Choice))
        if more == NULL:
            return 0
        list_of.item = more
        list_of.room = 2 * list_of.room + 256
    list_of.item[list_of.count].cards = cards
    list_of.item[list_of.count].most = most
    list_of.count += 1
    return 1


ctypedef struct Listing:
    Worker *worker
    Choices *out
    uint32_t free_cards
    uint32_t upper
    int32_t level
    int32_t need
    int32_t sums[CARDS + 1][PRICES]    # bound of all cards by each set of multipliers, so many of them decided


cdef void list_sets(Listing *g, uint32_t chosen, uint32_t open_cards, uint32_t waiting, int points, int most,
                    int depth) noexcept nogil:
    """List the sets of a level, card by card from the first.

    `waiting` are the cards above that may still lack what they lie on; `most` bounds the open cards' points.
    """
    cdef const Deck *d = g.worker.deck
    cdef int card, above, below, k, upper, bound
    cdef uint32_t bit, earlier
    cdef const int32_t *sums = g.sums[depth]
    if look(g.worker) or points + most < g.need:
        return
    bound = points + most
    for k in range(d.prices):
        if sums[k] < SCALE * g.need:
            return
        bound = min(bound, sums[k] // SCALE)
    card = ctz32(open_cards) if open_cards else CARDS
    # Above cards whose earlier cards are all decided.
    while waiting and ctz32(waiting) <= card:
        upper = ctz32(waiting)
        waiting &= waiting - 1
        earlier = chosen & before(upper)
        if popcount(earlier) < 2 or area_of(d, earlier) < area_of(d, g.upper & before(upper + 1)):
            return
    if not open_cards:
        if popcount(chosen) < (2 if g.upper else 1) or popcount(g.free_cards & ~chosen) < 2 * g.level:
            return
        # Of two equal cards in a row the first lies no higher than the second: else they may change places.
        if (chosen & d.twins) << 1 & g.free_cards & ~chosen:
            return
        add_choice(g.out, chosen, bound)
        return
    bit = (<uint32_t>1) << card
    open_cards ^= bit
    if card < d.held and d.held_level[card] > g.level:
        return
    below = d.digit[card] * min(d.most_level[card], g.level - 1) if g.level else 0
    above = d.digit[card] * g.level if d.allowed[g.level] & bit else below
    most -= max(above, below)
    if d.allowed[g.level] & bit:
        for k in range(d.prices):
            g.sums[depth + 1][k] = sums[k] - d.best_brings[k][card][g.level] + d.brings[k][card][g.level]
        list_sets(g, chosen | bit, open_cards, waiting, points + above, most, depth + 1)
    if g.level and not (card < d.held and d.held_level[card] == g.level):
        # The table takes all that is left.
        for k in range(d.prices):
            g.sums[depth + 1][k] = sums[k] - d.best_brings[k][card][g.level] + d.best_brings[k][card][g.level - 1]
        list_sets(g, chosen, open_cards, waiting, points + below, most, depth + 1)


cdef void fill_choices(Worker *w, Choices *out, int level, uint32_t free_cards, uint32_t upper,
                       int need) noexcept nogil:
    """List the sets for `level` that may carry `upper` (0: the top), with a bound on all cards from there down."""
    cdef const Deck *d = w.deck
    cdef Listing g
    cdef uint32_t rest = free_cards
    cdef int card, k, most = 0
    out.count = 0
    g.worker = w
    g.out = out
    g.free_cards = free_cards
    g.upper = upper
    g.level = level
    g.need = need
    for k in range(d.prices):
        g.sums[0][k] = 0
    while rest:
        card = ctz32(rest)
        rest &= rest - 1
        most += d.digit[card] * min(d.most_level[card], level)
        for k in range(d.prices):
            g.sums[0][k] += d.best_brings[k][card][level]
    rest = upper
    while rest:
        card = ctz32(rest)
        rest &= rest - 1
        for k in range(d.prices):
            g.sums[0][k] -= d.asks[k][card][level + 1]
    list_sets(&g, 0, free_cards, upper, 0, most, 0)
    qsort(out.item, out.count, sizeof(Choice), compare_choices)


cdef int rest_of(Worker *w, int level, uint32_t used, uint32_t own, int need) noexcept nogil:
    """Bound the points of the cards below `own` on `level`, exactly as far as `carries` knows.

    At least `need`: the best sum. Less: no more than what is returned. NEVER: there is no way down.
    """
    cdef Deck *d = w.deck
    cdef uint64_t key, entry, at
    cdef int best = NEVER, value, i, points, known = 0
    cdef int64_t k
    cdef uint32_t rest = d.all_cards & ~used
    cdef Choices *choices = &w.down[level]
    cdef Choice c
    if level == 0:
        return 0 if rest == 0 else NEVER
    if level == 1:
        return 0 if carries(w, rest, own) else NEVER
    key = <uint64_t>level << 40 | <uint64_t>used << 20 | own
    at = mixed(key) & d.memo_mask & ~<uint64_t>3
    for i in range(4):
        entry = d.memo[at + i]
        if entry >> 16 == key:
            value = <int>(entry & 0x7FF) - 1
            if value < 0:
                value = NEVER
            if entry & 0x800 or value < need:
                return value
            known = 1
            break
    if not known:
        i = <int>(mixed(key + 7) & 3)
        for k in range(4):
            if d.memo[at + <uint64_t>k] == 0:
                i = <int>k
                break
    fill_choices(w, choices, level - 1, rest, own, max(need, 0))
    k = 0
    while k < choices.count and not w.over:
        c = choices.item[k]
        k += 1
        if c.most < need or c.most <= best:
            break
        if not carries(w, c.cards, own):
            continue
        points = (level - 1) * digits_of(d, c.cards)
        value = rest_of(w, level - 1, used | c.cards, c.cards, max(need, best + 1) - points)
        if value >= 0 and points + value > best:
            best = points + value
    if w.over:
        return max(best, need - 1)
    if best >= need:
        d.memo[at + i] = key << 16 | 0x800 | <uint64_t>(best + 1)
        return best
    # Nothing reaches what is needed.
    value = need - 1 if need > 0 else NEVER
    d.memo[at + i] = key << 16 | <uint64_t>(value + 1 if value >= 0 else 0)
    return value


# --- assignments with layouts ---------------------------------------------------------------------

cdef inline int points_needed(const Worker *w) noexcept nogil:
    return <int>bw_load(&w.task.target)


cdef void leave_open(Worker *w, int most) noexcept nogil:
    """Note that assignments of up to `most` points were not refuted."""
    w.undecided += 1
    PyThread_acquire_lock(w.task.lock, 1)
    if most > w.task.open_most:
        w.task.open_most = most
    PyThread_release_lock(w.task.lock)


cdef Band *find_band(Band *table, uint64_t size, int64_t *count, uint64_t low, uint32_t high) noexcept nogil:
    """Find or make a record; NULL when there is no room."""
    cdef uint64_t at = mixed(low ^ mixed(high + 1)) & (size - 1)
    while table[at].low:
        if table[at].low == low and table[at].high == high:
            return &table[at]
        at = (at + 1) & (size - 1)
    if 4 * count[0] > 3 * <int64_t>size:
        return NULL
    count[0] += 1
    table[at].low = low
    table[at].high = high
    table[at].answer = 0
    table[at].effort = -1
    return &table[at]


cdef void run_of(const Worker *w, int level, uint64_t *low, uint32_t *high) noexcept nogil:
    """Code the sets from the top down to `level`, of each the cards that can lie under the ones above.

    A card later than all that above it plays a part always floats: it plays none. Of the top level the first two
    cards are laid.
    """
    cdef uint32_t part = w.sets[w.top], rest
    cdef int lev, card
    low[0] = 0
    high[0] = 0
    rest = part & (part - 1)
    if rest:
        part &= before(ctz32(rest) + 1)
    for lev in range(w.top, level - 1, -1):
        if lev < w.top:
            part = w.sets[lev] & before(last_of(part))
        rest = part
        while rest:
            card = ctz32(rest)
            rest &= rest - 1
            if card < 16:
                low[0] |= <uint64_t>(w.top - lev + 1) << 4 * card
            else:
                high[0] |= <uint32_t>(w.top - lev + 1) << 4 * (card - 16)


cdef int is_dead(Worker *w, int level) noexcept nogil:
    """Tell whether the sets from the top down to `level` are known to leave no layout."""
    cdef uint64_t low
    cdef uint32_t high
    cdef Band *band
    cdef int answer
    run_of(w, level, &low, &high)
    PyThread_acquire_lock(w.task.lock, 1)
    band = find_band(w.task.dead, DEAD, &w.task.dead_count, low, high)
    answer = band != NULL and band.answer == REFUTED
    PyThread_release_lock(w.task.lock)
    return answer


cdef void bury(Worker *w, int level) noexcept nogil:
    """Remember that the sets from the top down to `level` leave no layout."""
    cdef uint64_t low
    cdef uint32_t high
    cdef Band *band
    run_of(w, level, &low, &high)
    w.bands += 1
    PyThread_acquire_lock(w.task.lock, 1)
    band = find_band(w.task.dead, DEAD, &w.task.dead_count, low, high)
    if band != NULL:
        band.answer = REFUTED
    PyThread_release_lock(w.task.lock)


cdef int64_t drop_dead(Worker *w, int level) noexcept nogil:
    """Drop from the sets that may come below `level` those known to lead nowhere; returns how many are left."""
    cdef Choices *choices = &w.next_sets[level]
    cdef int64_t k, kept = 0
    cdef Choice c
    for k in range(choices.count):
        c = choices.item[k]
        w.sets[level - 1] = c.cards
        if is_dead(w, level - 1):
            continue
        if level > 1 and not w.over:
            w.used[level - 1] = w.used[level] | c.cards
            w.points[level - 1] = w.points[level] + (level - 1) * digits_of(w.deck, c.cards)
            choose_next(w, level - 1)
            if not drop_dead(w, level - 1):
                continue
        choices.item[kept] = c
        kept += 1
    choices.count = kept
    return kept


cdef void go_down(Worker *w, int level, int whole) noexcept nogil:
    """Put every set that may come next under the layouts listed for `level`; `whole`: these are all it has."""
    cdef Choices *choices = &w.next_sets[level]
    cdef Cover *s = &w.cover[level - 1]
    cdef int64_t k
    cdef int i, most
    cdef uint32_t c
    for k in range(choices.count):
        if w.over:
            return
        c = choices.item[k].cards
        most = choices.item[k].most
        if most < points_needed(w):
            break
        if c == 0:
            continue
        w.sets[level - 1] = c
        if level == 1:
            if is_dead(w, 0):
                choices.item[k].cards = 0
                continue
            begin(s, w, EXISTS, 0, c, (<int64_t>20000) << 2 * w.task.effort)
            for i in range(w.listed[level]):
                aim(s, &w.list[level][i])
                cover(s)
                if s.found or s.cut or w.over:
                    break
            if w.over and not s.found:
                return
            if s.found or s.cut:
                # A stack if tiles left over find room: build it with all of them.
                build(w, most)
                choices.item[k].cards = 0
            elif whole:
                bury(w, 0)
            continue
        open_below(w, level, c)
        if not drop_dead(w, level - 1):
            if whole:
                choices.item[k].cards = 0
            continue
        begin(s, w, LISTED, level - 1, c, (<int64_t>200000) << 2 * w.task.effort)
        w.partial[level - 1] = 0
        for i in range(w.listed[level]):
            aim(s, &w.list[level][i])
            cover(s)
            if w.over:
                return
            if s.cut:
                break
        if s.cut:
            leave_open(w, most)
            choices.item[k].cards = 0
            w.listed[level - 1] = 0
            continue
        if w.listed[level - 1]:
            go_down(w, level - 1, whole and not w.partial[level - 1])
            w.listed[level - 1] = 0
        elif whole and not w.partial[level - 1]:
            w.sets[level - 1] = c
            bury(w, level - 1)


cdef void walk(Worker *w, int level) noexcept nogil:
    """Settle every assignment that goes on below `level` where tiles lie already: they decide more than layouts do."""
    cdef Choices *choices = &w.next_sets[level]
    cdef int64_t k
    cdef uint32_t c
    for k in range(choices.count):
        if w.over or choices.item[k].most < points_needed(w):
            return
        c = choices.item[k].cards
        if level == 1:
            w.sets[0] = c
            build(w, choices.item[k].most)
        else:
            open_below(w, level, c)
            walk(w, level - 1)


cdef void open_below(Worker *w, int level, uint32_t c) noexcept nogil:
    """Make `c` the set of `level` - 1 and list what may come under it."""
    cdef int lev = level - 1
    w.sets[lev] = c
    w.used[lev] = w.used[level] | c
    w.points[lev] = w.points[level] + lev * digits_of(w.deck, c)
    w.listed[lev] = 0
    forget(&w.seen[lev])
    choose_next(w, lev)


cdef void choose_next(Worker *w, int level) noexcept nogil:
    """List the sets that may lie under the set of `level`, with the most points of the whole assignment."""
    cdef Deck *d = w.deck
    cdef Choices *choices = &w.next_sets[level]
    cdef int64_t k, kept = 0
    cdef int value, points
    cdef uint32_t c
    cdef int need = points_needed(w) - w.points[level]
    fill_choices(w, choices, level - 1, d.all_cards & ~w.used[level], w.sets[level], need)
    for k in range(choices.count):
        if w.over:
            break
        c = choices.item[k].cards
        if choices.item[k].most < need or not carries(w, c, w.sets[level]):
            continue
        points = (level - 1) * digits_of(d, c)
        value = rest_of(w, level - 1, w.used[level] | c, c, need - points)
        if value < 0 or points + value < need:
            continue
        choices.item[kept].cards = c
        choices.item[kept].most = w.points[level] + points + value
        kept += 1
    choices.count = kept
    qsort(choices.item, kept, sizeof(Choice), compare_choices)


# --- stacks ---------------------------------------------------------------------------------------

cdef void build_below(Worker *w, Cover *upper) noexcept nogil:
    """Go on below the level just laid; the table ends it."""
    cdef int level = upper.level
    cdef Cover *s
    if level == 0:
        upper.found = upper.kind == BUILT or lay_floats(w, 0, &w.floats_left)
        return
    s = &w.cover[LEVELS + level]
    begin(s, w, upper.kind, level - 1, w.sets[level - 1], upper.limit - upper.nodes)
    s.laid_beside = upper.kind == BUILT
    aim(s, &w.stack[level])
    cover(s)
    upper.nodes += s.nodes
    upper.cut |= s.cut
    upper.found = s.found


cdef int lay_floats(Worker *w, int level, int32_t *tries) noexcept nogil:
    """Lay the floating tiles of `level` and above in the stack so far, from the table up, first cards first."""
    cdef const Deck *d = w.deck
    cdef Lay *own = &w.stack[level]
    cdef Lay *under = NULL
    cdef uint64_t base[SIDE]
    cdef uint64_t full[SIDE]
    cdef uint64_t near[SIDE]
    cdef uint64_t fit, touch
    cdef int card, i, r, x, y, o, digit, rotation, first, n
    cdef const Shape *shape
    cdef Piece *p
    cdef uint32_t bit
    while not own.floats:
        if not in_order(d, own):
            return 0
        if level == w.top:
            return 1
        level += 1
        own = &w.stack[level]
    card = ctz32(own.floats)
    bit = (<uint32_t>1) << card
    digit = d.digit[card]
    memset(base, 0 if level else 255, sizeof(base))
    memset(full, 0, sizeof(full))
    first = 1
    for i in range(own.count):
        first = first and own.piece[i].card > card
    for i in range(own.count):
        p = &own.piece[i]
        shape = &d.shape[p.o]
        for r in range(shape.height):
            full[p.y + r] |= shape.rows[r] << p.x
    memset(near, 0, sizeof(near))
    for i in range(own.count):
        p = &own.piece[i]
        if p.card > card and not first:
            continue
        shape = &d.shape[p.o]
        for r in range(shape.height):
            fit = shape.rows[r] << p.x
            near[p.y + r] |= fit << 1 | fit >> 1
            near[p.y + r - 1] |= fit
            near[p.y + r + 1] |= fit
    if level:
        under = &w.stack[level - 1]
        for i in range(under.count):
            p = &under.piece[i]
            if p.card < card:
                shape = &d.shape[p.o]
                for r in range(shape.height):
                    base[p.y + r] |= shape.rows[r] << p.x
    n = own.count
    for rotation in range(d.rotations[digit]):
        o = digit * 4 + rotation
        shape = &d.shape[o]
        for y in range(1, SIDE - 1 - shape.height):
            fit = ~<uint64_t>0
            touch = 0
            for i in range(shape.cells):
                r = y + shape.y[i]
                fit &= (base[r] & ~full[r]) >> shape.x[i]
                touch |= near[r] >> shape.x[i]
            fit &= touch & (((<uint64_t>1) << (SIDE - 1 - shape.width)) - 2)
            while fit:
                x = ctz(fit)
                fit &= fit - 1
                tries[0] -= 1
                if tries[0] < 0 or look(w):
                    return 0
                p = &own.piece[n]
                p.card = card
                p.o = o
                p.x = x
                p.y = y
                if level and not rests_on_two(d, p, under):
                    continue
                own.count = n + 1
                own.floats ^= bit
                if lay_floats(w, level, tries):
                    return 1
                own.count = n
                own.floats ^= bit
    return 0


ctypedef struct Play:
    # All placements of the first cards, card by card, each on its level.
    Worker *worker
    const uint8_t *levels
    int32_t cards
    uint32_t late                   # on the table, and nothing later lies on level 1: they float
    int64_t nodes
    int64_t limit
    int32_t found
    int32_t cut


cdef void play_on(Play *g, int card) noexcept nogil:
    """Place `card` and those after it in all ways."""
    cdef Worker *w = g.worker
    cdef const Deck *d = w.deck
    cdef Lay *own
    cdef Lay *under = NULL
    cdef uint64_t base[SIDE]
    cdef uint64_t near[SIDE]
    cdef uint64_t fit, touch
    cdef int i, r, x, y, o, digit, rotation, n, level, low, high
    cdef const Shape *shape
    cdef Piece *p
    while card < g.cards and g.late >> card & 1:
        card += 1
    if card == g.cards:
        w.floats_left = 100000
        g.found = lay_floats(w, 0, &w.floats_left)
        # Tiles that anything carries find a place: if not within so many tries, nothing is claimed.
        g.cut |= not g.found
        return
    g.nodes += 1
    if look(w) or g.nodes > g.limit:
        g.cut = 1
        return
    level = g.levels[card]
    own = &w.stack[level]
    n = own.count
    digit = d.digit[card]
    p = &own.piece[n]
    p.card = card
    if level == 0 and n == 0:
        # Turning the whole gives the other rotations.
        p.o = digit * 4
        p.x = MIDDLE
        p.y = MIDDLE
        own.count = 1
        play_on(g, card + 1)
        if not g.found:
            own.count = 0
        return
    memset(base, 0 if level else 255, sizeof(base))
    memset(near, 0, sizeof(near))
    low = 1
    high = SIDE - 2
    if level:
        under = &w.stack[level - 1]
        low = SIDE
        high = 0
        for i in range(under.count):
            shape = &d.shape[under.piece[i].o]
            y = under.piece[i].y
            low = min(low, y)
            high = max(high, y + shape.height)
            for r in range(shape.height):
                base[y + r] |= shape.rows[r] << under.piece[i].x
    for i in range(n):
        shape = &d.shape[own.piece[i].o]
        y = own.piece[i].y
        for r in range(shape.height):
            fit = shape.rows[r] << own.piece[i].x
            base[y + r] &= ~fit
            near[y + r] |= fit << 1 | fit >> 1
            near[y + r - 1] |= fit
            near[y + r + 1] |= fit
    for rotation in range(d.rotations[digit]):
        o = digit * 4 + rotation
        shape = &d.shape[o]
        for y in range(low, min(SIDE - 1, high) - shape.height + 1):
            fit = ~<uint64_t>0
            touch = 0
            for i in range(shape.cells):
                fit &= base[y + shape.y[i]] >> shape.x[i]
                touch |= near[y + shape.y[i]] >> shape.x[i]
            if n:
                fit &= touch
            fit &= ((<uint64_t>1) << (SIDE - 1 - shape.width)) - 2
            while fit:
                x = ctz(fit)
                fit &= fit - 1
                if x < 4 or y < 4 or x > SIDE - 8 or y > SIDE - 8:
                    g.cut = 1
                p = &own.piece[n]
                p.card = card
                p.o = o
                p.x = x
                p.y = y
                if level and not rests_on_two(d, p, under):
                    continue
                own.count = n + 1
                play_on(g, card + 1)
                if g.found:
                    return
                own.count = n
                if g.nodes > g.limit or w.over:
                    g.cut = 1
                    return


cdef int play_out(Worker *w, const uint8_t *levels, int cards, int64_t limit) noexcept nogil:
    """As `stack_up`, from the first card on: where few cards lie on the table early, there is little choice."""
    cdef const Deck *d = w.deck
    cdef Play g
    cdef int lev, card, last = -1, early = 0
    w.top = 0
    g.late = 0
    for card in range(cards):
        if levels[card] == 1:
            last = card
        w.top = max(w.top, levels[card])
    for card in range(d.held, cards):
        if levels[card] == 0:
            if card > last:
                g.late |= (<uint32_t>1) << card
            else:
                early += 1
    if early > EARLY and not d.held:
        return 0
    for lev in range(w.top + 1):
        w.stack[lev].count = 0
        w.stack[lev].floats = 0
    for card in range(d.held):
        lev = d.held_level[card]
        w.stack[lev].piece[w.stack[lev].count] = d.held_piece[card]
        w.stack[lev].count += 1
    w.stack[0].floats = g.late
    g.worker = w
    g.levels = levels
    g.cards = cards
    g.nodes = 0
    g.limit = limit
    g.found = 0
    g.cut = 0
    play_on(&g, d.held)
    if g.found:
        return POSSIBLE
    return 0 if g.cut or w.over else REFUTED


cdef int stack_up(Worker *w, const uint8_t *levels, int cards, int64_t limit, int kind) noexcept nogil:
    """Lay the first cards out on these levels, every tile of them, and leave the result in w.stack.

    Returns POSSIBLE when it was built, REFUTED when all ways were tried (which LAZY never does), 0 when the limit
    came first.
    """
    cdef Cover *s = &w.cover[2 * LEVELS + 1]
    cdef int lev, card
    w.top = 0
    for lev in range(w.deck.levels):
        w.sets[lev] = 0
        forget(&w.built[lev])
    for card in range(cards):
        w.sets[levels[card]] |= (<uint32_t>1) << card
        if levels[card] > w.top:
            w.top = levels[card]
    begin(s, w, kind, w.top, w.sets[w.top], limit)
    all_layouts(s)
    if s.found:
        return POSSIBLE
    return 0 if s.cut or w.over or kind == LAZY else REFUTED


cdef Band *band_of(Task *task, const uint8_t *levels, int cards) noexcept nogil:
    """Find or make the record of what is known of the first cards on these levels; NULL when there is no room."""
    cdef uint64_t low = 0
    cdef uint32_t high = 0
    cdef int card
    for card in range(cards):
        if card < 16:
            low |= <uint64_t>(levels[card] + 1) << 4 * card
        else:
            high |= <uint32_t>(levels[card] + 1) << 4 * (card - 16)
    return find_band(task.bands, BANDS, &task.band_count, low, high)


cdef int test_band(Worker *w, const uint8_t *levels, int cards, int effort) noexcept nogil:
    """As `stack_up`, with what was found out before; the limit of nodes goes with the effort."""
    cdef Task *task = w.task
    cdef Band *band
    cdef int answer = 0, tried = -1
    PyThread_acquire_lock(task.lock, 1)
    band = band_of(task, levels, cards)
    if band != NULL:
        answer = band.answer
        tried = band.effort
    PyThread_release_lock(task.lock)
    if answer or tried >= effort:
        return answer
    if w.deck.held == 0:
        answer = stack_up(w, levels, cards, (<int64_t>20000) << 2 * effort, LAZY)
    if answer == 0 and not w.over:
        answer = play_out(w, levels, cards, (<int64_t>10000) << 2 * effort)
    if answer == 0 and not w.over and w.deck.held == 0:
        answer = stack_up(w, levels, cards, (<int64_t>20000) << 2 * effort, BUILT)
    if w.over and answer == 0:
        return 0
    w.assignments += answer == REFUTED
    PyThread_acquire_lock(task.lock, 1)
    if band != NULL:
        band.answer = answer
        band.effort = effort
    PyThread_release_lock(task.lock)
    return answer


cdef int settle(Worker *w, const uint8_t *levels, int points, int effort) noexcept nogil:
    """Build an assignment or refute it: a part of it, the cards up to some moment, may be enough for that."""
    cdef Deck *d = w.deck
    cdef Task *task = w.task
    cdef int k, e, lev, i, answer = 0
    for e in range(effort + 1):
        if d.held == 0:
            answer = test_band(w, levels, d.cards, e)
            if answer or w.over:
                break
        # Where tiles lie already the first cards to come are settled soonest, and for many assignments at once.
        for k in range(max(3, d.held + 1), d.cards + 1 if d.held else d.cards):
            if levels[k - 1] or k == d.cards:
                answer = test_band(w, levels, k, e)
                if answer == REFUTED or w.over:
                    break
                if k < d.cards:
                    answer = 0
        if answer or w.over:
            break
    if answer == POSSIBLE:
        # It lies there already when it was built just now, by whichever way.
        if (d.held or stack_up(w, levels, d.cards, (<int64_t>20000) << 2 * e, LAZY) != POSSIBLE) and \
                play_out(w, levels, d.cards, (<int64_t>10000) << 2 * e) != POSSIBLE and \
                (d.held or stack_up(w, levels, d.cards, (<int64_t>1) << 60, BUILT) != POSSIBLE):
            return 0
        PyThread_acquire_lock(task.lock, 1)
        if points > task.best:
            task.best = points
            task.best_count = d.cards
            for lev in range(w.top + 1):
                for i in range(w.stack[lev].count):
                    task.best_piece[w.stack[lev].piece[i].card] = w.stack[lev].piece[i]
                    task.best_level[w.stack[lev].piece[i].card] = lev
        if points + 1 > bw_load(&task.target):
            bw_store(&task.target, points + 1)
        PyThread_release_lock(task.lock)
    return answer


cdef void build(Worker *w, int points) noexcept nogil:
    """Settle the assignment in w.sets, or put it among those that wait."""
    cdef Deck *d = w.deck
    cdef Task *task = w.task
    cdef Assignment a
    cdef uint32_t sets[LEVELS + 1]
    cdef int lev, card, top = w.top
    cdef int64_t i
    memset(&a, 0, sizeof(a))
    memcpy(sets, w.sets, sizeof(sets))
    for card in range(d.cards):
        for lev in range(top + 1):
            if sets[lev] >> card & 1:
                a.level[card] = lev
    a.points = points
    if settle(w, a.level, points, <int>task.effort) == 0 and not w.over:
        PyThread_acquire_lock(task.lock, 1)
        for i in range(task.waiting_count):
            if not task.waiting[i].closed:
                card = 0
                while card < d.cards and task.waiting[i].level[card] == a.level[card]:
                    card += 1
                if card == d.cards:
                    break
        else:
            if task.waiting_count < WAITING:
                task.waiting[task.waiting_count] = a
                task.waiting_count += 1
            elif points > task.open_most:
                task.open_most = points
        PyThread_release_lock(task.lock)
    memcpy(w.sets, sets, sizeof(sets))
    w.top = top


cdef void run_job(Worker *w, const Job *job) noexcept nogil:
    """Refute or build all assignments with these two sets at the top."""
    cdef Cover *s = &w.cover[LEVELS]
    cdef int lev = job.top
    w.top = lev
    w.sets[lev] = job.top_set
    w.used[lev] = job.top_set
    w.points[lev] = lev * digits_of(w.deck, job.top_set)
    w.listed[lev] = 0
    forget(&w.seen[lev])
    w.next_sets[lev].count = 0
    add_choice(&w.next_sets[lev], job.next_set, job.most)
    if w.deck.held:
        walk(w, lev)
        return
    if not drop_dead(w, lev):
        return
    begin(s, w, LISTED, lev, job.top_set, (<int64_t>1) << 60)
    w.partial[lev] = 0
    all_layouts(s)
    if w.listed[lev]:
        go_down(w, lev, not w.partial[lev])
        w.listed[lev] = 0


cdef void work(Worker *w) noexcept nogil:
    cdef Task *task = w.task
    cdef int64_t at
    while not w.over:
        PyThread_acquire_lock(task.lock, 1)
        at = task.taken
        task.taken += 1
        PyThread_release_lock(task.lock)
        if at >= task.count or task.jobs[at].most < bw_load(&task.target):
            return
        run_job(w, &task.jobs[at])


cdef int compare_jobs(const void *a, const void *b) noexcept nogil:
    cdef const Job *x = <const Job *>a
    cdef const Job *y = <const Job *>b
    if x.most != y.most:
        return -1 if x.most > y.most else 1
    if x.top != y.top:
        return -1 if x.top > y.top else 1
    if x.top_set != y.top_set:
        return -1 if x.top_set < y.top_set else 1
    return -1 if x.next_set < y.next_set else (1 if x.next_set > y.next_set else 0)


cdef int add_job(Task *task, int top, uint32_t top_set, uint32_t next_set, int most) noexcept nogil:
    cdef Job *more
    cdef Job *job
    if task.count == task.room:
        more = <Job *>realloc(task.jobs, (2 * task.room + 1024) * sizeof(Job))
        if more == NULL:
            return 0
        task.jobs = more
        task.room = 2 * task.room + 1024
    job = &task.jobs[task.count]
    job.top = top
    job.top_set = top_set
    job.next_set = next_set
    job.most = most
    task.count += 1
    return 1


cdef int set_bound(Worker *w, int need) noexcept nogil:
    """Return the most points by sets alone; at least `need`, or less than it if nothing reaches it."""
    cdef Deck *d = w.deck
    cdef int top, value, points, best = need - 1
    cdef int64_t k
    cdef Choices *choices
    for top in range(d.levels - 1, max(d.held_top, 1) - 1, -1):
        choices = &w.next_sets[top]
        fill_choices(w, choices, top, d.all_cards, 0, best + 1)
        for k in range(choices.count):
            if w.over or choices.item[k].most <= best:
                break
            points = top * digits_of(d, choices.item[k].cards)
            value = rest_of(w, top, choices.item[k].cards, choices.item[k].cards, best + 1 - points)
            if value >= 0 and points + value > best:
                best = points + value
    return best


cdef void list_jobs(Worker *w, int need) noexcept nogil:
    """List the pairs of sets at the top of all assignments of at least `need` points."""
    cdef Deck *d = w.deck
    cdef Task *task = w.task
    cdef int top, value, points
    cdef int64_t k, j
    cdef Choices *choices
    cdef uint32_t c
    task.count = 0
    task.taken = 0
    for top in range(d.levels - 1, max(d.held_top, 1) - 1, -1):
        choices = &w.down[LEVELS]
        fill_choices(w, choices, top, d.all_cards, 0, need)
        for k in range(choices.count):
            if w.over or choices.item[k].most < need:
                break
            c = choices.item[k].cards
            points = top * digits_of(d, c)
            value = rest_of(w, top, c, c, need - points)
            if value < 0 or points + value < need:
                continue
            w.sets[top] = c
            w.used[top] = c
            w.points[top] = points
            choose_next(w, top)
            for j in range(w.next_sets[top].count):
                add_job(task, top, c, w.next_sets[top].item[j].cards, w.next_sets[top].item[j].most)
    qsort(task.jobs, task.count, sizeof(Job), compare_jobs)


cdef int chain_down(Worker *w, int level, uint32_t upper, uint32_t free_cards) noexcept nogil:
    """Tell whether sets of `free_cards` may lie one below the other under `upper` down to the table."""
    cdef Deck *d = w.deck
    cdef Choices *choices = &w.down[level]
    cdef Listing g
    cdef int64_t k
    if level == 0:
        return 1
    if look(w):
        return 1
    choices.count = 0
    g.worker = w
    g.out = choices
    g.free_cards = free_cards
    g.upper = upper
    g.level = level - 1
    g.need = 0
    list_small(&g, 0, free_cards & d.allowed[level - 1])
    k = 0
    while k < choices.count:
        if chain_down(w, level - 1, choices.item[k].cards, free_cards & ~choices.item[k].cards):
            return 1
        k += 1
    return 0


cdef void list_small(Listing *g, uint32_t chosen, uint32_t open_cards) noexcept nogil:
    """List the sets that may carry g.upper and no longer do without one of their cards."""
    cdef const Deck *d = g.worker.deck
    cdef uint32_t bit, rest
    if may_carry(d, chosen, g.upper):
        rest = chosen
        while rest:
            bit = rest & (~rest + 1)
            rest ^= bit
            if may_carry(d, chosen ^ bit, g.upper):
                return
        add_choice(g.out, chosen, 0)
        return
    while open_cards:
        bit = (<uint32_t>1) << last_of(open_cards)
        open_cards ^= bit
        list_small(g, chosen | bit, open_cards)


# --- from Python ----------------------------------------------------------------------------------

cdef void free_worker(Worker *w) noexcept:
    cdef int lev
    if w == NULL:
        return
    for lev in range(LEVELS + 1):
        free(w.list[lev])
        free(w.seen[lev].low)
        free(w.seen[lev].high)
        free(w.seen[lev].stamp)
        free(w.built[lev].low)
        free(w.built[lev].high)
        free(w.built[lev].stamp)
        free(w.down[lev].item)
        free(w.next_sets[lev].item)
    free(w)


cdef int open_seen(Seen *seen) noexcept:
    seen.low = <uint64_t *>malloc((<size_t>1 << SEEN_BITS) * sizeof(uint64_t))
    seen.high = <uint64_t *>malloc((<size_t>1 << SEEN_BITS) * sizeof(uint64_t))
    seen.stamp = <uint32_t *>calloc(<size_t>1 << SEEN_BITS, sizeof(uint32_t))
    return seen.low != NULL and seen.high != NULL and seen.stamp != NULL


cdef Worker *new_worker(Deck *deck, Task *task) noexcept:
    cdef Worker *w = <Worker *>calloc(1, sizeof(Worker))
    cdef int lev, fine = 1
    if w == NULL:
        return NULL
    w.deck = deck
    w.task = task
    for lev in range(deck.levels + 1):
        w.list[lev] = <Lay *>malloc(LIST * sizeof(Lay))
        fine &= w.list[lev] != NULL and open_seen(&w.seen[lev]) and open_seen(&w.built[lev])
    if not fine:
        free_worker(w)
        return NULL
    return w


cdef class Assignments:
    """Bounds and solves one known deck.

    Args:
        shapes: shapes[digit][rotation] are cells (x, y) with the lower left corner of the bounding box at (0, 0).
        deck: the digits in playing order, 1 to 20.
        threads: how many may call `work` at once.
        memory_mb: size of the tables of sets.
        held: (digit, rotation, x, y, level) of the tiles that lie already, legal in this order; `deck` begins with
            their digits. They fit into 40 x 40 squares.

    Raises:
        ValueError: something out of range.
    """

    cdef Deck deck
    cdef Task task
    cdef Worker **workers
    cdef int threads

    def __cinit__(self, shapes, deck, int threads=1, int memory_mb=64, held=()):
        cdef int card, i, half, top
        cdef int64_t slots = 1024
        cdef Deck *d = &self.deck
        if not 1 <= len(deck) <= CARDS:
            raise ValueError(f"expected 1 to {CARDS} cards, got {len(deck)}")
        if not 1 <= threads <= 64 or not 1 <= memory_mb <= 65536:
            raise ValueError(f"{threads} threads or {memory_mb} MiB are out of range")
        if len(shapes) != DIGITS:
            raise ValueError(f"expected the shapes of {DIGITS} digits, got {len(shapes)}")
        for digit, rotations in enumerate(shapes):
            if not 1 <= len(rotations) <= 4:
                raise ValueError(f"digit {digit}: 1 to 4 rotations, got {len(rotations)}")
            d.rotations[digit] = len(rotations)
            for rotation, cells in enumerate(rotations):
                self.add_shape(digit * 4 + rotation, cells)
        self.compare_shapes()
        d.cards = len(deck)
        d.all_cards = ((<uint32_t>1) << d.cards) - 1
        for card, digit in enumerate(deck):
            if not 0 <= digit < DIGITS:
                raise ValueError(f"card {card}: digit must be 0..9, got {digit}")
            d.digit[card] = digit
            d.area[card] = d.shape[4 * d.digit[card]].cells
            if card > len(held) and d.digit[card] == d.digit[card - 1]:
                d.twins |= (<uint32_t>1) << (card - 1)
        for half in range(2):
            for i in range(1024):
                for card in range(10):
                    if i >> card & 1 and 10 * half + card < d.cards:
                        d.areas[half][i] += d.area[10 * half + card]
                        d.digits[half][i] += d.digit[10 * half + card]
        d.levels = min(LEVELS, (d.cards + 1) // 2)
        self.hold(list(held))
        while slots * 16 < memory_mb * <int64_t>1048576 and slots < <int64_t>1 << 2 * d.cards:
            slots *= 2
        d.memo = <uint64_t *>calloc(slots, sizeof(uint64_t))
        d.memo_mask = slots - 1
        d.pairs = <uint64_t *>calloc(slots, sizeof(uint64_t))
        d.pair_mask = slots - 1
        self.task.lock = PyThread_allocate_lock()
        self.task.bands = <Band *>calloc(BANDS, sizeof(Band))
        self.task.dead = <Band *>calloc(DEAD, sizeof(Band))
        self.task.waiting = <Assignment *>calloc(WAITING, sizeof(Assignment))
        self.workers = <Worker **>calloc(threads, sizeof(Worker *))
        if d.memo == NULL or d.pairs == NULL or self.workers == NULL or self.task.lock == NULL \
                or self.task.bands == NULL or self.task.dead == NULL or self.task.waiting == NULL:
            raise MemoryError
        self.threads = threads
        for i in range(threads):
            self.workers[i] = new_worker(d, &self.task)
            if self.workers[i] == NULL:
                raise MemoryError
        for top in range(LEVELS + 1):
            d.allowed[top] = 0
        d.allowed[0] = d.all_cards
        for card in range(d.held):
            d.most_level[card] = d.held_level[card]
            d.allowed[0] &= ~((<uint32_t>1) << card)
            d.allowed[d.held_level[card]] |= (<uint32_t>1) << card
        for card in range(d.held, d.cards):
            for top in range(1, d.levels):
                if 2 * top > card or not chain_down(self.workers[0], top, (<uint32_t>1) << card, before(card)):
                    break
                d.most_level[card] = top
                d.allowed[top] |= (<uint32_t>1) << card

    def __dealloc__(self):
        cdef int i
        if self.workers != NULL:
            for i in range(self.threads):
                free_worker(self.workers[i])
        free(self.workers)
        free(self.deck.memo)
        free(self.deck.pairs)
        free(self.task.jobs)
        free(self.task.bands)
        free(self.task.dead)
        free(self.task.waiting)
        if self.task.lock != NULL:
            PyThread_free_lock(self.task.lock)

    cdef void hold(self, list held) except *:
        """Take over tiles that lie already, in the middle of the window."""
        cdef Deck *d = &self.deck
        cdef int card, left, low
        if not held:
            return
        if len(held) > d.cards:
            raise ValueError(f"{len(held)} tiles lie already, the deck has {d.cards} cards")
        left = min(x for _, _, x, _, _ in held)
        low = min(y for _, _, _, y, _ in held)
        for card, (digit, rotation, x, y, level) in enumerate(held):
            if (digit != d.digit[card] or not 0 <= rotation < d.rotations[digit] or not 0 <= level < d.levels
                    or x - left > HELD_SIDE - 4 or y - low > HELD_SIDE - 4):
                raise ValueError(f"tile {card} that lies already is out of range")
            d.held_piece[card].card = card
            d.held_piece[card].o = 4 * digit + rotation
            d.held_piece[card].x = x - left + (SIDE - HELD_SIDE) // 2
            d.held_piece[card].y = y - low + (SIDE - HELD_SIDE) // 2
            d.held_level[card] = level
            d.held_top = max(d.held_top, level)
        d.held = len(held)

    cdef void add_shape(self, int o, object cells) except *:
        cdef Shape *shape = &self.deck.shape[o]
        if not 1 <= len(cells) <= CELLS or any(not (0 <= x < 4 and 0 <= y < 4) for x, y in cells):
            raise ValueError(f"shape {o}: 1 to {CELLS} cells within 4 x 4, got {cells}")
        shape.cells = len(cells)
        shape.width = 1 + max(x for x, _ in cells)
        shape.height = 1 + max(y for _, y in cells)
        for i, (x, y) in enumerate(cells):
            shape.x[i] = x
            shape.y[i] = y
            shape.rows[y] |= <uint64_t>1 << <int>x

    cdef void compare_shapes(self):
        cdef int a, b, dx, dy, i, j, ex, ey
        cdef Deck *t = &self.deck
        for a in range(40):
            for b in range(40):
                for dy in range(-4, 5):
                    for dx in range(-4, 5):
                        for i in range(t.shape[a].cells):
                            for j in range(t.shape[b].cells):
                                ex = t.shape[b].x[j] + dx - t.shape[a].x[i]
                                ey = t.shape[b].y[j] + dy - t.shape[a].y[i]
                                if ex == 0 and ey == 0:
                                    t.overlap[a][b][dy + 3][dx + 3] = 1
                                elif ex * ex + ey * ey == 1:
                                    t.contact[a][b][dy + 4][dx + 4] = 1

    def arm(self):
        """Forget a stop and the limits of time."""
        cdef int i
        bw_store(&self.deck.control.stop, 0)
        bw_set_time(&self.deck.control, -1, -1)
        for i in range(self.threads):
            self.workers[i].over = 0

    def stop(self):
        """End what is under way. From any thread."""
        bw_store(&self.deck.control.stop, 1)

    def set_time(self, int64_t hard_ms):
        """Set the end from now on in milliseconds, -1 for none. From any thread."""
        bw_set_time(&self.deck.control, -1, hard_ms)

    def set_prices(self, prices):
        """Take over multipliers of the limits on areas: prices[k][level][card], at least 0, in points a square.

        That of (level, card) belongs to the limit that, once the card has been played, the cards up to it on `level`
        take no more room than the cards before it on the level below. Any multipliers are valid; good ones save time.
        """
        cdef Deck *d = &self.deck
        cdef int k, lev, card
        if not 0 <= len(prices) <= PRICES:
            raise ValueError(f"expected at most {PRICES} sets of multipliers, got {len(prices)}")
        d.prices = 0
        for k, levels in enumerate(prices):
            if len(levels) <= LEVELS or any(
                len(row) != d.cards or not all(0 <= x <= 1000 for x in row) for row in levels
            ):
                raise ValueError(f"expected multipliers of {LEVELS + 1} levels and {d.cards} cards, each 0 to 1000")
            for card in range(d.cards):
                for lev in range(LEVELS):
                    asked = d.area[card] * sum(levels[lev][card:]) if lev else 0
                    given = d.area[card] * sum(levels[lev + 1][card + 1:])
                    # Rounded to the safe side.
                    d.asks[k][card][lev] = <int32_t>(SCALE * asked)
                    brought = lev * d.digit[card] + given - asked
                    d.brings[k][card][lev] = <int32_t>(SCALE * (brought + 100000) + 2) - 100000 * SCALE
                    d.best_brings[k][card][lev] = d.brings[k][card][lev]
                    if card < d.held:
                        if lev > d.held_level[card]:
                            d.best_brings[k][card][lev] = d.best_brings[k][card][lev - 1]
                    elif lev and (d.best_brings[k][card][lev - 1] > d.best_brings[k][card][lev]
                                  or lev > d.most_level[card]):
                        d.best_brings[k][card][lev] = d.best_brings[k][card][lev - 1]
        d.prices = len(prices)

    @property
    def most_levels(self):
        """The highest level that each card can lie on by areas."""
        return tuple(self.deck.most_level[card] for card in range(self.deck.cards))

    @property
    def counts(self):
        """(nodes, assignments built or refuted with all tiles, sets refuted below others, layouts, left open)."""
        cdef int i
        sums = [0] * 5
        for i in range(self.threads):
            sums[0] += self.workers[i].nodes
            sums[1] += self.workers[i].assignments
            sums[2] += self.workers[i].bands
            sums[3] += self.workers[i].layouts
            sums[4] += self.workers[i].undecided
        return tuple(sums)

    def by_sets(self, int effort, int need=1):
        """Return (most points by sets alone, whether it was finished); need - 1 where nothing reaches `need`."""
        cdef int value
        self.check(effort)
        self.task.effort = effort
        with nogil:
            value = set_bound(self.workers[0], need)
        return value, not self.workers[0].over

    def check(self, int effort):
        if not 0 <= effort <= 12:
            raise ValueError(f"effort must be 0 to 12, got {effort}")

    def open(self, int target, int effort):
        """Begin a pass over all assignments of at least `target` points; returns the number of jobs.

        `work` does them. Tests give up after some nodes: four times as many with each unit of `effort`.
        """
        self.check(effort)
        if target < 1:
            raise ValueError(f"target must be at least 1, got {target}")
        self.task.effort = effort
        self.task.open_most = 0
        self.task.best = -1
        bw_store(&self.task.target, target)
        with nogil:
            list_jobs(self.workers[0], target)
        return self.task.count

    def work(self, int thread):
        """Do jobs of the open pass until none is left or it is stopped; one call a thread at once."""
        if not 0 <= thread < self.threads:
            raise ValueError(f"thread must be 0 to {self.threads - 1}, got {thread}")
        with nogil:
            work(self.workers[thread])

    def settle_waiting(self, int effort, int thread=0):
        """Try again to build or refute the assignments that wait, the most points first; returns how many still do."""
        cdef Worker *w
        cdef int64_t i, at, left = 0
        cdef int most
        self.check(effort)
        if not 0 <= thread < self.threads:
            raise ValueError(f"thread must be 0 to {self.threads - 1}, got {thread}")
        w = self.workers[thread]
        with nogil:
            while not w.over:
                at = -1
                most = -1
                for i in range(self.task.waiting_count):
                    if self.task.waiting[i].closed == 0 and self.task.waiting[i].points > most:
                        most = self.task.waiting[i].points
                        at = i
                if at < 0 or most < bw_load(&self.task.target):
                    break
                if settle(w, self.task.waiting[at].level, most, effort) or w.over:
                    self.task.waiting[at].closed = 1 if not w.over else 0
                else:
                    self.task.waiting[at].closed = 2
            for i in range(self.task.waiting_count):
                if self.task.waiting[i].closed == 2:
                    self.task.waiting[i].closed = 0
                left += self.task.waiting[i].closed == 0 and self.task.waiting[i].points >= bw_load(&self.task.target)
        return left

    def refuted_by(self, levels, int effort):
        """Return the test that refutes these levels of the first cards, "" if none does: for the tests of the tests.

        "levels": a card lies too high; "areas", "pairs": a level cannot carry the next; "sets": the bound of what the
        levels below can add; "places": all ways to lay the tiles were tried.
        """
        cdef Worker *w = self.workers[0]
        cdef uint8_t level_of[CARDS]
        cdef uint32_t sets[LEVELS + 1]
        cdef uint32_t used = 0
        cdef int card, lev, top = 0, points = 0
        self.check(effort)
        if not 1 <= len(levels) <= self.deck.cards or any(not 0 <= lev < LEVELS for lev in levels):
            raise ValueError(f"expected the levels of 1 to {self.deck.cards} cards, got {levels}")
        self.task.effort = effort
        memset(sets, 0, sizeof(sets))
        for card, lev in enumerate(levels):
            level_of[card] = lev
            sets[lev] |= (<uint32_t>1) << card
            top = max(top, lev)
            points += lev * self.deck.digit[card]
            if lev > self.deck.most_level[card]:
                return "levels"
        for lev in range(1, top + 1):
            if not may_carry(&self.deck, sets[lev - 1], sets[lev]):
                return "areas"
            if not carries(w, sets[lev - 1], sets[lev]):
                return "pairs"
        if len(levels) == self.deck.cards:
            for lev in range(top, 0, -1):
                used |= sets[lev]
                points -= lev * digits_of(&self.deck, sets[lev])
                if rest_of(w, lev, used, sets[lev], points) < points:
                    return "sets"
        if test_band(w, level_of, len(levels), effort) == REFUTED:
            return "places"
        return ""

    def waiting(self):
        """The most points of an assignment that waits, -1 for none."""
        cdef int64_t i
        most = -1
        for i in range(self.task.waiting_count):
            if not self.task.waiting[i].closed:
                most = max(most, self.task.waiting[i].points)
        return most

    def outcome(self):
        """Return (finished, most points of an assignment left open, points of the best stack, its tiles).

        Tiles are (digit, rotation, x, y, level) in playing order; -1 and none if no stack was built.
        """
        cdef int i
        cdef Piece *p
        tiles = []
        if self.task.best >= 0:
            for i in range(self.task.best_count):
                p = &self.task.best_piece[i]
                tiles.append((p.o >> 2, p.o & 3, p.x, p.y, self.task.best_level[i]))
        finished = not any(self.workers[i].over for i in range(self.threads))
        return finished, self.task.open_most, self.task.best, tiles
