"""Levels of polyominoes under levels of polyominoes: exact enumeration and a beam, from the top down.

A *layout* is one connected level. Whether a stack exists is a chain of questions between neighbours: does
this set of tiles have a layout that covers the layout above, so that every tile above rests on at least two
different ones? The enumeration takes the lowest, leftmost uncovered square, tries every tile and rotation on
it, and counts area: what is wasted beside the layout above cannot exceed the difference of areas. It knows
shapes and no game: the caller passes the cells of every digit and rotation.

Layouts of one stack share one window of 64 x 64 squares; a placement that would leave it is counted in
`overflow`, and an enumeration with overflow does not claim to be complete.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

from rng cimport bw_rng, bw_rng_below, bw_rng_seed, bw_splitmix


cdef extern from *:
    int ctz "__builtin_ctzll"(unsigned long long x) noexcept nogil
    int popcount "__builtin_popcountll"(unsigned long long x) noexcept nogil


cdef enum:
    DIGITS = 10
    CELLS = 10
    MAX_TILES = 12     # tiles of one level
    SIDE = 64
    MIDDLE = 30
    LAYOUTS = 64       # looked at between two questions whether to stop
    LOOK = 1_000       # nodes likewise: a few milliseconds
    EACH = 10          # nodes that beginning with another layout is worth
    PACKED = 4096      # layouts handed to Python likewise


ctypedef struct Spot:
    uint8_t o          # digit * 4 + rotation
    uint8_t x
    uint8_t y


ctypedef struct Layout:
    Spot spots[MAX_TILES]   # sorted by row, column, shape
    uint8_t count
    uint8_t unused[3]


ctypedef struct Shape:
    int32_t cells
    int32_t width
    int32_t height
    int8_t x[CELLS]
    int8_t y[CELLS]
    uint64_t rows[4]


ctypedef struct Shapes:
    Shape shape[40]
    int32_t rotations[DIGITS]
    int32_t area[DIGITS]
    uint8_t overlap[40][40][7][7]
    uint8_t contact[40][40][9][9]


ctypedef struct Sink:
    # Where found layouts go: distinct up to translation, with the parent each came from.
    Layout *layouts
    int32_t *parents
    int32_t *slots     # open addressing, -1 is empty; `slot_mask` + 1 of them
    uint64_t slot_mask
    int64_t count
    int64_t cap
    int full


ctypedef struct Search:
    const Shapes *shapes
    const Layout *above
    uint64_t occupied[SIDE]
    uint64_t target[SIDE]       # squares of the layout above not yet covered
    int32_t uncovered
    int32_t area_left
    int32_t tiles_left
    int32_t counts[DIGITS]
    Layout layout
    int64_t nodes
    int64_t max_nodes
    int64_t overflow
    int32_t table            # this level is the table: tiles left over may lie anywhere beside it
    int32_t one              # the first layout ends the search
    int32_t columns          # largest extent of the level and the one above, either way round; 0: no limit
    int32_t rows
    int32_t found
    int32_t parent
    Sink *sink
    int64_t next_look        # nodes at which `stopped` is asked again
    void *stopped            # what says whether to stop; NULL: nothing does
    void *failure            # the exception that it raised, a reference of its own
    int32_t ended            # it said so


# --- layouts --------------------------------------------------------------------------------------

cdef inline uint32_t order_of(const Spot *s) noexcept nogil:
    return <uint32_t>s.y << 16 | <uint32_t>s.x << 8 | s.o


cdef void sort_spots(Layout *a) noexcept nogil:
    cdef int i, j
    cdef Spot spot
    for i in range(1, a.count):
        spot = a.spots[i]
        j = i - 1
        while j >= 0 and order_of(&a.spots[j]) > order_of(&spot):
            a.spots[j + 1] = a.spots[j]
            j -= 1
        a.spots[j + 1] = spot


cdef void corner_of(const Layout *a, int *x, int *y) noexcept nogil:
    cdef int i
    x[0] = SIDE
    y[0] = SIDE
    for i in range(a.count):
        if a.spots[i].x < x[0]:
            x[0] = a.spots[i].x
        if a.spots[i].y < y[0]:
            y[0] = a.spots[i].y


cdef uint64_t hash_of(const Layout *a) noexcept nogil:
    """Hash a sorted layout up to translation."""
    cdef int i, x, y
    cdef uint64_t h = a.count, k
    corner_of(a, &x, &y)
    for i in range(a.count):
        k = h ^ (<uint64_t>a.spots[i].o << 16 | <uint64_t>(a.spots[i].x - x) << 8
                 | <uint64_t>(a.spots[i].y - y))
        h = bw_splitmix(&k)
    return h


cdef int same(const Layout *a, const Layout *b) noexcept nogil:
    """Tell whether two sorted layouts are equal up to translation."""
    cdef int i, ax, ay, bx, by
    if a.count != b.count:
        return 0
    corner_of(a, &ax, &ay)
    corner_of(b, &bx, &by)
    for i in range(a.count):
        if (
            a.spots[i].o != b.spots[i].o
            or a.spots[i].x - ax != b.spots[i].x - bx
            or a.spots[i].y - ay != b.spots[i].y - by
        ):
            return 0
    return 1


cdef void put(Sink *sink, const Layout *layout, int32_t parent) noexcept nogil:
    """Add a layout unless it is there already; sets `full` when there is no room."""
    cdef Layout a = layout[0]
    cdef uint64_t at
    sort_spots(&a)
    at = hash_of(&a) & sink.slot_mask
    while sink.slots[at] >= 0:
        if same(&sink.layouts[sink.slots[at]], &a):
            return
        at = (at + 1) & sink.slot_mask
    if sink.count == sink.cap:
        sink.full = 1
        return
    sink.slots[at] = <int32_t>sink.count
    sink.layouts[sink.count] = a
    sink.parents[sink.count] = parent
    sink.count += 1


cdef inline int spots_overlap(const Shapes *t, const Spot *a, const Spot *b) noexcept nogil:
    cdef int dx = b.x - a.x
    cdef int dy = b.y - a.y
    if dx < -3 or dx > 3 or dy < -3 or dy > 3:
        return 0
    return t.overlap[a.o][b.o][dy + 3][dx + 3]


cdef inline int spots_touch(const Shapes *t, const Spot *a, const Spot *b) noexcept nogil:
    cdef int dx = b.x - a.x
    cdef int dy = b.y - a.y
    if dx < -4 or dx > 4 or dy < -4 or dy > 4:
        return 0
    return t.contact[a.o][b.o][dy + 4][dx + 4]


cdef int connected(const Shapes *t, const Layout *a) noexcept nogil:
    cdef int i, j
    cdef uint32_t seen = 1, edge = 1, all_of = ((<uint32_t>1) << a.count) - 1
    while edge:
        i = ctz(edge)
        edge &= edge - 1
        for j in range(a.count):
            if not seen >> j & 1 and spots_touch(t, &a.spots[i], &a.spots[j]):
                seen |= (<uint32_t>1) << j
                edge |= (<uint32_t>1) << j
    return seen == all_of


cdef int supported(const Shapes *t, const Layout *above, const Layout *a) noexcept nogil:
    """Tell whether every tile above rests on at least two tiles of `a`."""
    cdef int i, j, n
    for i in range(above.count):
        n = 0
        for j in range(a.count):
            n += spots_overlap(t, &above.spots[i], &a.spots[j])
            if n == 2:
                break
        if n < 2:
            return 0
    return 1


# --- enumeration of one level ---------------------------------------------------------------------

cdef void stretch(const Shapes *t, const Layout *a, int *box) noexcept nogil:
    """Widen box = (low x, low y, high x, high y) to hold a layout."""
    cdef int i
    cdef const Shape *shape
    for i in range(a.count):
        shape = &t.shape[a.spots[i].o]
        if a.spots[i].x < box[0]:
            box[0] = a.spots[i].x
        if a.spots[i].y < box[1]:
            box[1] = a.spots[i].y
        if a.spots[i].x + shape.width > box[2]:
            box[2] = a.spots[i].x + shape.width
        if a.spots[i].y + shape.height > box[3]:
            box[3] = a.spots[i].y + shape.height


cdef int within_grid(const Search *s) noexcept nogil:
    """Tell whether the level so far and the one above fit the grid, lying or standing."""
    cdef int box[4]
    cdef int width, height
    box[0] = SIDE
    box[1] = SIDE
    box[2] = 0
    box[3] = 0
    stretch(s.shapes, &s.layout, box)
    if s.above != NULL:
        stretch(s.shapes, s.above, box)
    width = box[2] - box[0]
    height = box[3] - box[1]
    return (width <= s.columns and height <= s.rows) or (width <= s.rows and height <= s.columns)


cdef inline int try_put(Search *s, int o, int x, int y) noexcept nogil:
    """Place a tile if it fits the window and overlaps nothing; returns whether it was placed."""
    cdef const Shape *shape = &s.shapes.shape[o]
    cdef int r
    if x < 0 or y < 0 or x + shape.width > SIDE or y + shape.height > SIDE:
        s.overflow += 1
        return 0
    for r in range(shape.height):
        if s.occupied[y + r] & shape.rows[r] << x:
            return 0
    for r in range(shape.height):
        s.occupied[y + r] |= shape.rows[r] << x
        s.uncovered -= popcount(s.target[y + r] & shape.rows[r] << x)
    s.layout.spots[s.layout.count].o = o
    s.layout.spots[s.layout.count].x = x
    s.layout.spots[s.layout.count].y = y
    s.layout.count += 1
    s.counts[o >> 2] -= 1
    s.area_left -= shape.cells
    s.tiles_left -= 1
    if s.columns and not within_grid(s):
        take_back(s)
        return 0
    return 1


cdef inline void take_back(Search *s) noexcept nogil:
    cdef const Spot *spot = &s.layout.spots[s.layout.count - 1]
    cdef const Shape *shape = &s.shapes.shape[spot.o]
    cdef int r
    for r in range(shape.height):
        s.occupied[spot.y + r] ^= shape.rows[r] << spot.x
        s.uncovered += popcount(s.target[spot.y + r] & shape.rows[r] << spot.x)
    s.layout.count -= 1
    s.counts[spot.o >> 2] += 1
    s.area_left += shape.cells
    s.tiles_left += 1


cdef void ask(Search *s) noexcept with gil:
    """Let the caller end the search: no more nodes are allowed then."""
    s.next_look = s.nodes + LOOK
    try:
        s.ended = bool((<object>s.stopped)())
    except BaseException as failure:
        s.ended = True
        Py_INCREF(failure)
        s.failure = <void *>failure
    if s.ended:
        s.max_nodes = 0


cdef inline void count_node(Search *s) noexcept nogil:
    s.nodes += 1
    if s.nodes >= s.next_look and s.stopped != NULL:
        ask(s)


cdef int search_over(Search *s) noexcept nogil:
    return s.nodes > s.max_nodes or s.sink.full or (s.one and s.found)


cdef void place_beside(Search *s) noexcept nogil:
    """All squares above are covered: place the tiles left over next to the level."""
    cdef int digit, rotation, o, x, y, i
    cdef uint64_t fit, touch, near
    cdef const Shape *shape
    cdef uint64_t beside[SIDE]
    count_node(s)
    if search_over(s):
        return
    if s.tiles_left == 0 or s.table:
        if connected(s.shapes, &s.layout):
            s.found = 1
            put(s.sink, &s.layout, s.parent)
            return
        if s.tiles_left == 0:
            return
    for y in range(SIDE):
        near = s.occupied[y] << 1 | s.occupied[y] >> 1
        if y > 0:
            near |= s.occupied[y - 1]
        if y + 1 < SIDE:
            near |= s.occupied[y + 1]
        beside[y] = near & ~s.occupied[y]
    if s.occupied[0] or s.occupied[SIDE - 1]:
        s.overflow += 1
    for y in range(SIDE):
        if s.occupied[y] & ((<uint64_t>1) | (<uint64_t>1) << 63):
            s.overflow += 1
    for digit in range(DIGITS):
        if not s.counts[digit]:
            continue
        for rotation in range(s.shapes.rotations[digit]):
            o = digit * 4 + rotation
            shape = &s.shapes.shape[o]
            for y in range(SIDE - shape.height + 1):
                touch = 0
                fit = ~<uint64_t>0 >> (shape.width - 1)
                for i in range(shape.cells):
                    touch |= beside[y + shape.y[i]] >> shape.x[i]
                if not touch:
                    continue
                for i in range(shape.cells):
                    fit &= ~(s.occupied[y + shape.y[i]] >> shape.x[i])
                fit &= touch
                while fit:
                    x = ctz(fit)
                    fit &= fit - 1
                    if try_put(s, o, x, y):
                        place_beside(s)
                        take_back(s)
                        if search_over(s):
                            return


cdef void cover(Search *s, int row) noexcept nogil:
    """Cover the first uncovered square from `row` on with every tile that is left."""
    cdef int digit, rotation, o, x, i
    cdef const Shape *shape
    count_node(s)
    if search_over(s) or s.area_left < s.uncovered:
        return
    if s.uncovered == 0:
        if supported(s.shapes, s.above, &s.layout):
            place_beside(s)
        return
    while not s.target[row] & ~s.occupied[row]:
        row += 1
    x = ctz(s.target[row] & ~s.occupied[row])
    for digit in range(DIGITS):
        if not s.counts[digit]:
            continue
        for rotation in range(s.shapes.rotations[digit]):
            o = digit * 4 + rotation
            shape = &s.shapes.shape[o]
            for i in range(shape.cells):
                if try_put(s, o, x - shape.x[i], row - shape.y[i]):
                    cover(s, row)
                    take_back(s)
                    if search_over(s):
                        return


cdef void aim(Search *s, const Layout *above) noexcept nogil:
    """Make the squares of a layout the target; the level below it is empty."""
    cdef int i, r
    cdef const Shape *shape
    memset(s.occupied, 0, sizeof(s.occupied))
    memset(s.target, 0, sizeof(s.target))
    s.above = above
    s.uncovered = 0
    s.layout.count = 0
    for i in range(above.count):
        shape = &s.shapes.shape[above.spots[i].o]
        s.uncovered += shape.cells
        for r in range(shape.height):
            s.target[above.spots[i].y + r] |= shape.rows[r] << above.spots[i].x


# --- what a layout can carry ----------------------------------------------------------------------

cdef enum:
    CARRIED = 4          # tiles above one layout that are looked for
    CODES = 14641        # 11^4: up to four digits, each + 1
    PLACES = 2048
    PACKINGS = 1_000_000_000  # looked at on one layout: some seconds


cdef int places_on(const Shapes *t, const Layout *a, const int32_t *counts, Spot *out) noexcept nogil:
    """List the places of single tiles on a layout and on at least two of its tiles, by rising digit."""
    cdef uint64_t rows[SIDE]
    cdef int digit, rotation, o, x, y, r, i, on, n = 0
    cdef uint64_t fit
    cdef const Shape *shape
    cdef Spot spot
    memset(rows, 0, sizeof(rows))
    for i in range(a.count):
        shape = &t.shape[a.spots[i].o]
        for r in range(shape.height):
            rows[a.spots[i].y + r] |= shape.rows[r] << a.spots[i].x
    for digit in range(DIGITS):
        if not counts[digit]:
            continue
        for rotation in range(t.rotations[digit]):
            o = digit * 4 + rotation
            shape = &t.shape[o]
            for y in range(SIDE - shape.height + 1):
                fit = rows[y]
                if not fit:
                    continue
                fit = ~<uint64_t>0
                for i in range(shape.cells):
                    fit &= rows[y + shape.y[i]] >> shape.x[i]
                    if not fit:
                        break
                while fit:
                    x = ctz(fit)
                    fit &= fit - 1
                    spot.o = o
                    spot.x = x
                    spot.y = y
                    on = 0
                    for i in range(a.count):
                        on += spots_overlap(t, &a.spots[i], &spot)
                    if on >= 2 and n < PLACES:
                        out[n] = spot
                        n += 1
    return n


cdef void mark_packings(const Shapes *t, const Spot *places, const int16_t *open_places, int n, int depth,
                        int code, int32_t *counts, uint8_t *marks, int64_t *budget) noexcept nogil:
    """Mark the code of every multiset of disjoint places, digits in rising order; ends when the budget is used up."""
    cdef int16_t rest[PLACES]
    cdef int i, j, m, digit, next_code
    for i in range(n):
        digit = places[open_places[i]].o >> 2
        if not counts[digit]:
            continue
        next_code = code * 11 + digit + 1
        marks[next_code] = 1
        budget[0] -= 1
        if budget[0] < 0:
            return
        if depth + 1 == CARRIED:
            continue
        m = 0
        for j in range(i + 1, n):
            if not spots_overlap(t, &places[open_places[i]], &places[open_places[j]]):
                rest[m] = open_places[j]
                m += 1
        if m:
            counts[digit] -= 1
            mark_packings(t, places, rest, m, depth + 1, next_code, counts, marks, budget)
            counts[digit] += 1


# --- beam -----------------------------------------------------------------------------------------

cdef enum:
    LOCAL = 8192       # children of one node looked at
    CHOICES = 512      # placements over one square: 10 digits x 4 rotations x 10 cells, rounded up


ctypedef struct Node:
    Layout layout
    int8_t counts[DIGITS]   # tiles not yet used
    int16_t score           # points of the levels built, at their final heights
    int32_t value           # score, estimate of the rest and shape, in 1/16 point
    int32_t parent
    uint64_t key            # of the layout up to translation and of the tiles used


ctypedef struct Choice:
    int32_t rank
    uint8_t o
    int8_t x
    int8_t y


ctypedef struct BeamSearch:
    Search s
    int32_t level
    int32_t waste           # squares that may still be wasted
    int32_t slack           # squares a level is expected to waste
    int32_t perimeter       # cost of an edge of the outline, in 1/16 point
    int32_t noise           # random part of the order of choices
    int32_t parent
    int32_t score
    int64_t found
    bw_rng rng
    Node *children          # LOCAL of them


cdef int compare_nodes(const void *a, const void *b) noexcept nogil:
    """Order by falling value, then by key: the order is the same on every machine."""
    cdef const Node *x = <const Node *>a
    cdef const Node *y = <const Node *>b
    if x.value != y.value:
        return -1 if x.value > y.value else 1
    if x.key != y.key:
        return -1 if x.key < y.key else 1
    return 0


cdef int compare_choices(const void *a, const void *b) noexcept nogil:
    return (<const Choice *>a).rank - (<const Choice *>b).rank


cdef int outline(const uint64_t *rows) noexcept nogil:
    """Count the edges between covered and free squares."""
    cdef int y, n = popcount(rows[0]) + popcount(rows[SIDE - 1])
    for y in range(SIDE):
        n += popcount(rows[y] ^ rows[y] << 1) + (rows[y] >> 63)
        if y > 0:
            n += popcount(rows[y] ^ rows[y - 1])
    return n


cdef int estimate(const Shapes *t, const int32_t *counts, int level, int area, int slack) noexcept nogil:
    """Estimate the points of levels `level`..1 below a level of this area.

    Each takes the highest digits left until it is `slack` squares larger than the level above. What lies on
    the table must be large enough too: every missing square costs a point.
    """
    cdef int32_t left[DIGITS]
    cdef int digit, have, tiles, points = 0
    memcpy(left, counts, sizeof(left))
    while level >= 0:
        have = 0
        tiles = 0
        digit = DIGITS - 1
        while digit >= 0 and (level == 0 or have < area + slack or tiles < 2):
            if left[digit]:
                left[digit] -= 1
                have += t.area[digit]
                tiles += 1
                points += level * digit
            else:
                digit -= 1
        if have < area or tiles < 2:
            return points - (area - have if have < area else 0) - 10 * (level + 1)
        area = have
        level -= 1
    return points


cdef void emit(BeamSearch *b) noexcept nogil:
    """Keep the finished level as a child of the node under expansion."""
    cdef Search *s = &b.s
    cdef Node *child
    cdef int digit, area = 0, i
    cdef uint64_t k
    if b.found == LOCAL or not supported(s.shapes, s.above, &s.layout) or not connected(s.shapes, &s.layout):
        return
    child = &b.children[b.found]
    child.layout = s.layout
    sort_spots(&child.layout)
    child.score = b.score
    for i in range(s.layout.count):
        child.score += b.level * (s.layout.spots[i].o >> 2)
        area += s.shapes.shape[s.layout.spots[i].o].cells
    child.key = hash_of(&child.layout)
    for digit in range(DIGITS):
        child.counts[digit] = s.counts[digit]
        k = child.key ^ <uint64_t>s.counts[digit]
        child.key = bw_splitmix(&k)
    child.value = (
        16 * (child.score + estimate(s.shapes, s.counts, b.level - 1, area, b.slack))
        - b.perimeter * outline(s.occupied)
    )
    child.parent = b.parent
    b.found += 1


cdef void cover_best(BeamSearch *b, int row) noexcept nogil:
    """As `cover`, with a budget of waste and tiles, likely choices first."""
    cdef Search *s = &b.s
    cdef Choice choices[CHOICES]
    cdef int digit, rotation, o, x, i, n = 0, covered, r, px, py, fits, waste
    cdef const Shape *shape
    count_node(s)
    if s.nodes > s.max_nodes or b.found == LOCAL:
        return
    if s.uncovered == 0:
        emit(b)
        return
    if s.tiles_left == 0 or s.uncovered > s.tiles_left * CELLS:
        return
    while not s.target[row] & ~s.occupied[row]:
        row += 1
    x = ctz(s.target[row] & ~s.occupied[row])
    for digit in range(DIGITS):
        if not s.counts[digit]:
            continue
        for rotation in range(s.shapes.rotations[digit]):
            o = digit * 4 + rotation
            shape = &s.shapes.shape[o]
            for i in range(shape.cells):
                px = x - shape.x[i]
                py = row - shape.y[i]
                if px < 0 or py < 0 or px + shape.width > SIDE or py + shape.height > SIDE:
                    continue
                fits = 1
                covered = 0
                for r in range(shape.height):
                    if s.occupied[py + r] & shape.rows[r] << px:
                        fits = 0
                        break
                    covered += popcount(s.target[py + r] & shape.rows[r] << px)
                waste = shape.cells - covered
                if not fits or waste > b.waste:
                    continue
                choices[n].rank = 16 * waste - 2 * digit
                if b.noise:
                    choices[n].rank += <int32_t>bw_rng_below(&b.rng, b.noise)
                choices[n].o = o
                choices[n].x = px
                choices[n].y = py
                n += 1
    qsort(choices, n, sizeof(Choice), compare_choices)
    for i in range(n):
        shape = &s.shapes.shape[choices[i].o]
        waste = s.uncovered
        if not try_put(s, choices[i].o, choices[i].x, choices[i].y):
            continue
        waste = shape.cells - (waste - s.uncovered)
        b.waste -= waste
        cover_best(b, row)
        b.waste += waste
        take_back(s)
        if s.nodes > s.max_nodes or b.found == LOCAL:
            return


cdef int64_t keep_children(BeamSearch *b, int per_set, Node *out, int64_t n, int64_t cap) noexcept nogil:
    """Append the best children of one node, at most `per_set` of each set of tiles; return the new count."""
    cdef int64_t i, j, k
    cdef int alike
    qsort(b.children, b.found, sizeof(Node), compare_nodes)
    k = n
    for i in range(b.found):
        if n == cap:
            break
        alike = 0
        for j in range(k, n):
            if out[j].key == b.children[i].key:
                alike = per_set
                break
            if out[j].score == b.children[i].score and same_counts(&out[j], &b.children[i]):
                alike += 1
                if alike == per_set:
                    break
        if alike < per_set:
            out[n] = b.children[i]
            n += 1
    return n


cdef inline int same_counts(const Node *a, const Node *b) noexcept nogil:
    cdef int d
    for d in range(DIGITS):
        if a.counts[d] != b.counts[d]:
            return 0
    return 1


# --- from Python ----------------------------------------------------------------------------------

cdef enum:
    # Beyond any use, and far from where numbers overflow.
    MAX_SCORE = 10000
    MAX_LEVEL = 100
    MAX_NUMBER = 100000


cdef list read_counts(object counts):
    """How many tiles of each digit; a copy: what is asked for twice may come out in two ways."""
    cdef list numbers = [<int>n for n in counts]
    if len(numbers) != DIGITS or min(numbers) < 0 or max(numbers) > MAX_TILES:
        raise ValueError(f"expected {DIGITS} counts of 0 to {MAX_TILES} tiles, got {numbers}")
    return numbers


cdef class Coverer:
    """Enumerates levels for one set of shapes.

    `shapes[digit][rotation]` are cells (x, y) with the lower left corner of the bounding box at (0, 0), at
    most 10 digits, 4 rotations and 10 cells within 4 x 4. Layouts cross the boundary as opaque bytes; `spots`
    takes one apart. Every method says how much it searched and whether that was everything.
    """

    cdef Shapes tables
    cdef readonly int64_t nodes
    cdef readonly int64_t overflow

    def __cinit__(self, shapes):
        memset(&self.tables, 0, sizeof(Shapes))
        # Copies, here and below: what is asked for twice may come out in two ways.
        digits = [[[(<int>x, <int>y) for x, y in cells] for cells in rotations] for rotations in shapes]
        if len(digits) > DIGITS:
            raise ValueError(f"at most {DIGITS} digits, got {len(digits)}")
        for digit, rotations in enumerate(digits):
            if not 1 <= len(rotations) <= 4:
                raise ValueError(f"digit {digit}: 1 to 4 rotations, got {len(rotations)}")
            self.tables.rotations[digit] = len(rotations)
            self.tables.area[digit] = len(rotations[0])
            for rotation, cells in enumerate(rotations):
                if len(cells) != len(rotations[0]):
                    raise ValueError(f"digit {digit}: rotations of {len(rotations[0])} and {len(cells)} cells")
                self.add_shape(digit * 4 + rotation, cells)
        self.compare_shapes()

    cdef void add_shape(self, int o, list cells) except *:
        cdef Shape *shape = &self.tables.shape[o]
        if not 1 <= len(cells) <= CELLS or any([not (0 <= x < 4 and 0 <= y < 4) for x, y in cells]):
            raise ValueError(f"shape {o}: 1 to {CELLS} cells within 4 x 4, got {cells}")
        if len(set(cells)) < len(cells) or min([x for x, _ in cells]) or min([y for _, y in cells]):
            raise ValueError(f"shape {o}: different cells in the lower left corner, got {cells}")
        shape.cells = len(cells)
        shape.width = 1 + max(x for x, _ in cells)
        shape.height = 1 + max(y for _, y in cells)
        for i, (x, y) in enumerate(cells):
            shape.x[i] = x
            shape.y[i] = y
            shape.rows[y] |= <uint64_t>1 << <int>x

    cdef void compare_shapes(self):
        cdef int a, b, dx, dy, i, j, ex, ey
        cdef Shapes *t = &self.tables
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

    cdef void prepare(self, Search *s, object counts, int64_t max_nodes, int columns, int rows) except *:
        cdef int digit
        cdef list numbers = read_counts(counts)
        if not 1 <= sum(numbers) <= MAX_TILES:
            raise ValueError(f"expected counts of tiles that add up to 1..{MAX_TILES}, got {numbers}")
        if max_nodes < 0:
            raise ValueError(f"max_nodes: expected 0 or more, got {max_nodes}")
        memset(s, 0, sizeof(Search))
        s.shapes = &self.tables
        s.max_nodes = max_nodes
        if columns < 0 or rows < 0 or (columns == 0) != (rows == 0):
            raise ValueError(f"columns and rows are both positive or both 0, got {columns} and {rows}")
        s.columns = columns
        s.rows = rows
        for digit in range(DIGITS):
            if numbers[digit] and not self.tables.rotations[digit]:
                raise ValueError(f"digit {digit} has no shape")
            s.counts[digit] = numbers[digit]
            s.tiles_left += s.counts[digit]
            s.area_left += s.counts[digit] * self.tables.area[digit]

    cdef Layout checked(self, bytes raw) except *:
        cdef Layout a
        if len(raw) != sizeof(Layout):
            raise ValueError(f"a layout has {sizeof(Layout)} bytes, got {len(raw)}")
        memcpy(&a, PyBytes_AS_STRING(raw), sizeof(Layout))
        self.check(&a)
        return a

    cdef int check(self, Layout *a) except -1:
        """Raise ValueError unless the tiles exist, lie in the window and on each other nowhere; sorts them."""
        cdef uint64_t rows[SIDE]
        cdef const Shape *shape
        cdef int i, r
        if not 1 <= a.count <= MAX_TILES:
            raise ValueError(f"a layout has 1 to {MAX_TILES} tiles, got {a.count}")
        memset(rows, 0, sizeof(rows))
        for i in range(a.count):
            if (
                a.spots[i].o >= 40
                or self.tables.shape[a.spots[i].o].cells == 0
                or a.spots[i].x + self.tables.shape[a.spots[i].o].width > SIDE
                or a.spots[i].y + self.tables.shape[a.spots[i].o].height > SIDE
            ):
                raise ValueError(f"tile {i} of the layout is out of range")
            shape = &self.tables.shape[a.spots[i].o]
            for r in range(shape.height):
                if rows[a.spots[i].y + r] & shape.rows[r] << a.spots[i].x:
                    raise ValueError(f"tile {i} of the layout lies on another one")
                rows[a.spots[i].y + r] |= shape.rows[r] << a.spots[i].x
        sort_spots(a)
        return 0

    def layout(self, spots):
        """Return the layout with these (digit, rotation, x, y), coordinates within the window of 64 x 64."""
        cdef Layout a
        cdef int o
        tiles = [(<int>digit, <int>rotation, <int>x, <int>y) for digit, rotation, x, y in spots]
        memset(&a, 0, sizeof(Layout))
        if not 1 <= len(tiles) <= MAX_TILES:
            raise ValueError(f"a layout has 1 to {MAX_TILES} tiles, got {len(tiles)}")
        for i, (digit, rotation, x, y) in enumerate(tiles):
            if not (0 <= digit < DIGITS and 0 <= rotation < 4 and 0 <= x < SIDE and 0 <= y < SIDE):
                raise ValueError(f"tile {i} of the layout is out of range")
            o = digit * 4 + rotation
            a.spots[i].o = o
            a.spots[i].x = x
            a.spots[i].y = y
        a.count = len(tiles)
        self.check(&a)
        return self.pack(&a)

    cdef bytes pack(self, const Layout *a):
        return PyBytes_FromStringAndSize(<const char *>a, sizeof(Layout))

    def spots(self, bytes raw):
        """Return the tiles of a layout as (digit, rotation, x, y)."""
        cdef Layout a = self.checked(raw)
        return tuple(
            (a.spots[i].o >> 2, a.spots[i].o & 3, a.spots[i].x, a.spots[i].y) for i in range(a.count)
        )

    cdef void heed(self, Search *s, object stopped):
        """Let `stopped()`, where it is given, end a search; it has to live as long as the search."""
        s.next_look = LOOK
        s.stopped = NULL if stopped is None else <void *>stopped

    cdef int heard(self, Search *s) except -1:
        """Return whether the search was stopped; raises what `stopped()` raised."""
        if s.failure != NULL:
            failure = <object>s.failure
            Py_DECREF(failure)
            s.failure = NULL
            raise failure
        return s.ended

    def all_layouts(self, counts, int64_t cap=1_000_000, int columns=0, int rows=0, stopped=None):
        """Return (layouts, complete): every connected layout of a set of tiles, up to translation.

        The first tile keeps its first rotation: turning the whole stack gives the others. `columns` and
        `rows` limit the extent, either way round. When `stopped()` says so it ends, with part of them; what that
        raises is raised.
        """
        cdef Search s
        cdef Sink sink
        cdef int digit, i
        self.prepare(&s, counts, <int64_t>1 << 62, columns, rows)
        self.heed(&s, stopped)
        self.open_sink(&sink, cap)
        s.sink = &sink
        try:
            for digit in range(DIGITS):
                if s.counts[digit]:
                    break
            try_put(&s, digit * 4, MIDDLE, MIDDLE)
            with nogil:
                place_beside(&s)
            complete = not self.heard(&s) and not sink.full and s.overflow == 0
            layouts = []
            for i in range(sink.count):
                if stopped is not None and i % PACKED == PACKED - 1 and stopped():
                    complete = False
                    break
                layouts.append(self.pack(&sink.layouts[i]))
            return layouts, complete
        finally:
            self.close_sink(&sink)

    def below(
        self,
        layouts,
        counts,
        bint table=False,
        int64_t cap=100_000,
        int64_t max_nodes=1 << 40,
        int columns=0,
        int rows=0,
        stopped=None,
    ):
        """Return (found, complete): layouts of exactly this set of tiles that carry one of `layouts`.

        `found` lists (layout, index of the layout that it carries), distinct up to translation. On the table
        (`table`) the first layout ends the search; without a limit of columns and rows, tiles left over may
        lie anywhere beside and are not placed.
        `complete` is false when `cap` layouts or `max_nodes` nodes ended it, when `stopped()` said so (what that
        raises is raised), or when the window was too small.
        """
        cdef Search s
        cdef Sink sink
        cdef Layout above
        cdef int i
        cdef int64_t nodes = 0, overflow = 0, next_look = LOOK
        cdef bint ended = False
        self.open_sink(&sink, 1 if table else cap)
        try:
            for i, raw in enumerate(layouts):
                above = self.checked(raw)
                self.prepare(&s, counts, max_nodes - nodes, columns, rows)
                s.table = table and not columns
                s.one = table
                s.sink = &sink
                s.parent = i
                self.heed(&s, stopped)
                # The nodes of all layouts count together, and each layout as some.
                s.next_look = next_look - nodes
                with nogil:
                    aim(&s, &above)
                    cover(&s, 0)
                next_look = nodes + s.next_look - EACH
                nodes += s.nodes
                overflow += s.overflow
                ended = self.heard(&s)
                if ended or sink.full or nodes > max_nodes or (table and sink.count):
                    break
            self.nodes += nodes
            self.overflow += overflow
            found = []
            for i in range(sink.count):
                if stopped is not None and i % PACKED == PACKED - 1 and stopped():
                    ended = True
                    break
                found.append((self.pack(&sink.layouts[i]), sink.parents[i]))
            return found, not sink.full and not ended and nodes <= max_nodes and overflow == 0
        finally:
            self.close_sink(&sink)

    def carried(self, layouts, counts, stopped=None):
        """Return every multiset of at most four tiles of `counts` that some of the layouts carries.

        Each tile lies wholly on the layout and on at least two of its tiles; they are disjoint and need *not*
        be connected, so with a multiset every part of it is there too. Multisets are sorted tuples of digits.
        None when `stopped()` said so before all layouts were looked at.
        """
        cdef uint8_t marks[CODES]
        cdef int32_t left[DIGITS]
        cdef Spot places[PLACES]
        cdef int16_t every[PLACES]
        cdef Layout a
        cdef int i, n, looked
        cdef int64_t budget
        numbers = read_counts(counts)
        memset(marks, 0, sizeof(marks))
        for i in range(DIGITS):
            left[i] = numbers[i] if self.tables.rotations[i] else 0
        for i in range(PLACES):
            every[i] = i
        for looked, raw in enumerate(layouts):
            if stopped is not None and looked % LAYOUTS == 0 and stopped():
                return None
            a = self.checked(raw)
            with nogil:
                n = places_on(&self.tables, &a, left, places)
                budget = PACKINGS
                if n < PLACES:
                    mark_packings(&self.tables, places, every, n, 0, 0, left, marks, &budget)
            if n == PLACES or budget < 0:
                raise ValueError("the layout is too large for this question")
        found = set()
        for i in range(CODES):
            if marks[i]:
                digits = []
                n = i
                while n:
                    digits.append(n % 11 - 1)
                    n //= 11
                found.add(tuple(reversed(digits)))
        return found

    def make_node(self, bytes layout, counts, int score):
        """Return a beam node: a top level, the tiles left over, the points of that level."""
        cdef Node node
        cdef uint64_t k
        cdef list numbers = read_counts(counts)
        if not 0 <= score <= MAX_SCORE:
            raise ValueError(f"score: expected 0 to {MAX_SCORE}, got {score}")
        memset(&node, 0, sizeof(Node))
        node.layout = self.checked(layout)
        node.score = score
        node.value = 16 * score
        node.parent = -1
        node.key = hash_of(&node.layout)
        for d in range(DIGITS):
            node.counts[d] = numbers[d]
            k = node.key ^ <uint64_t>node.counts[d]
            node.key = bw_splitmix(&k)
        return PyBytes_FromStringAndSize(<const char *>&node, sizeof(Node))

    def node(self, bytes raw):
        """Return (layout, tiles left by digit, points, value in 1/16 point, parent's index, key).

        The key is a hash of the layout, up to translation, and of the tiles left.
        """
        cdef Node node = self.checked_node(raw)
        return (
            self.pack(&node.layout),
            tuple([node.counts[d] for d in range(DIGITS)]),
            node.score,
            node.value,
            node.parent,
            node.key,
        )

    cdef Node checked_node(self, bytes raw) except *:
        cdef Node node
        if len(raw) != sizeof(Node):
            raise ValueError(f"a node has {sizeof(Node)} bytes, got {len(raw)}")
        memcpy(&node, PyBytes_AS_STRING(raw), sizeof(Node))
        self.check(&node.layout)
        read_counts([node.counts[d] for d in range(DIGITS)])
        if not 0 <= node.score <= MAX_SCORE:
            raise ValueError(f"a node's score is 0 to {MAX_SCORE}, got {node.score}")
        return node

    def expand(
        self,
        bytes raw,
        int index,
        int level,
        int tiles,
        int waste,
        int slack,
        int perimeter,
        int noise,
        int per_set,
        int64_t max_nodes,
        uint64_t seed,
        object stopped=None,
    ):
        """Return the children of a beam node: levels of number `level` that carry its layout.

        At most `tiles` tiles that waste at most `waste` squares, `per_set` children for each set of tiles,
        `max_nodes` placements tried. `slack` (squares), `perimeter` (1/16 point an edge) and `noise` shape
        the value and the order. `index` is stored as the parent of each child. Ends early, with the children found
        so far, when `stopped()` says so; what that raises is raised.
        """
        cdef BeamSearch b
        cdef Node node = self.checked_node(raw)
        cdef Node *out = NULL
        cdef int64_t n = 0, i
        memset(&b, 0, sizeof(b))
        b.s.shapes = &self.tables
        b.s.max_nodes = max_nodes
        if not (1 <= tiles <= MAX_TILES and 1 <= per_set and 0 <= noise <= MAX_NUMBER):
            raise ValueError(f"tiles {tiles}, per_set {per_set} or noise {noise} is out of range")
        if not 0 <= level <= MAX_LEVEL or max(abs(<int64_t>waste), abs(<int64_t>slack), abs(<int64_t>perimeter)) > (
                MAX_NUMBER):
            raise ValueError(f"level {level}, waste {waste}, slack {slack} or perimeter {perimeter} is out of range")
        for d in range(DIGITS):
            b.s.counts[d] = node.counts[d]
        if not any([b.s.counts[d] for d in range(DIGITS)]):
            raise ValueError("no tiles are left")
        b.s.tiles_left = tiles
        b.level = level
        b.waste = waste
        b.slack = slack
        b.perimeter = perimeter
        b.noise = noise
        b.parent = index
        b.score = node.score
        self.heed(&b.s, stopped)
        bw_rng_seed(&b.rng, seed)
        b.children = <Node *>malloc(LOCAL * sizeof(Node))
        out = <Node *>malloc(LOCAL * sizeof(Node))
        try:
            if b.children == NULL or out == NULL:
                raise MemoryError
            with nogil:
                aim(&b.s, &node.layout)
                cover_best(&b, 0)
                n = keep_children(&b, per_set, out, 0, LOCAL)
            self.nodes += b.s.nodes
            self.heard(&b.s)
            return [PyBytes_FromStringAndSize(<const char *>&out[i], sizeof(Node)) for i in range(n)]
        finally:
            free(b.children)
            free(out)

    cdef void open_sink(self, Sink *sink, int64_t cap) except *:
        cdef uint64_t slots = 16
        if not 1 <= cap <= 1 << 28:
            raise ValueError(f"cap must be 1..{1 << 28}, got {cap}")
        while slots < <uint64_t>(2 * cap):
            slots *= 2
        memset(sink, 0, sizeof(Sink))
        sink.cap = cap
        sink.slot_mask = slots - 1
        sink.layouts = <Layout *>malloc(cap * sizeof(Layout))
        sink.parents = <int32_t *>malloc(cap * sizeof(int32_t))
        sink.slots = <int32_t *>malloc(slots * sizeof(int32_t))
        if sink.layouts == NULL or sink.parents == NULL or sink.slots == NULL:
            self.close_sink(sink)
            raise MemoryError
        memset(sink.slots, -1, slots * sizeof(int32_t))

    cdef void close_sink(self, Sink *sink):
        free(sink.layouts)
        free(sink.parents)
        free(sink.slots)
