"""NMBR 9: tiles, placements, the compiled game (source of the rules: docs/rules/nmbr9.md).

A state is the list of placed tiles and what is still to come; boards (one row of bits for every row of every
level) are built from it on the stack when moves are wanted, since a list of 20 tiles is far smaller to copy
than ten levels of an unbounded grid. A row has 128 bits: 19 tiles in one line span 76 columns, and the next
tile may reach 4 further on either side.

Actions: bits 0-3 digit, 4-5 rotation, 6-9 level, 16-31 column and 32-47 row of the lower left corner (two's
complement); a drawn card is the bit 60 and the digit.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from game cimport (
    BW_CHANCE,
    BW_DECISION,
    BW_GAME_ABI,
    BW_GAME_CAPSULE,
    BW_NO_ACTION,
    BW_TERMINAL,
    BW_UNIT,
    action_of,
    bw_action,
    bw_game,
    bw_value,
)
from rng cimport bw_rng, bw_rng_below, bw_rng_seed, bw_splitmix


cdef extern from *:
    """
    typedef unsigned __int128 bw_row;
    static inline int bw_row_lowest(bw_row r) {
        uint64_t low = (uint64_t)r;
        return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(r >> 64));
    }
    """
    # The real width is 128 bits; Cython only has to know that it is an unsigned integer.
    ctypedef unsigned long long bw_row
    int bw_row_lowest(bw_row r) noexcept nogil
    int popcount "__builtin_popcountll"(unsigned long long x) noexcept nogil


cdef enum:
    DIGITS = 10
    COPIES = 2
    TILES = 20
    ONE_DIGIT = 6156   # placements of one digit: 4 rotations x 19 tiles x 81 offsets
    LEVELS = 10        # level 9 needs two tiles on each of the nine levels below it: 19 tiles
    CELLS = 10         # of the largest tiles
    SPAN = 88          # rows of a board: 76 + 4 on either side, rounded up
    MARGIN = 4
    FAR = 10000        # largest coordinate of the first tile
    REACH = 80         # how far from it another can lie: 19 tiles of at most 4 cells
    KNOWN = 0
    FREE = 1
    UNKNOWN = 2
    PATIENCE = 16      # states that a beam looks at without asking whether it shall stop: less than a millisecond
    SIFTS = 0x7FFF     # steps put into their heap without asking, as a mask: a millisecond
    MAX_ACTIONS = 64800  # 20 tiles x 40 digits and rotations x 81 offsets at which two tiles touch or overlap

cdef uint64_t DRAW = <uint64_t>1 << 60

PRINTED = (
    ("###", "#.#", "#.#", "###"),
    ("##", ".#", ".#", ".#"),
    (".##", ".##", "##.", "###"),
    ("###", "..#", ".##", "###"),
    (".##", ".#.", "###", ".##"),
    ("###", "###", "..#", "###"),
    ("##.", "#..", "###", "###"),
    ("###", ".#.", "##.", "#.."),
    (".##", ".##", "##.", "##."),
    ("###", "###", "##.", "##."),
)


ctypedef struct Shape:
    int32_t cells
    int32_t width
    int32_t height
    int8_t x[CELLS]
    int8_t y[CELLS]


ctypedef struct Placed:
    int16_t x
    int16_t y
    int8_t digit
    int8_t rotation
    int8_t level
    int8_t unused


ctypedef struct State:
    Placed placed[TILES]
    int8_t deck[TILES]     # KNOWN: the cards to come, in order; the rest is 0
    int8_t pool[DIGITS]    # FREE, UNKNOWN: tiles neither placed nor in hand, by digit
    int8_t mode
    int8_t count           # tiles placed
    int8_t left            # cards still to be played, the one in hand included
    int8_t hand            # UNKNOWN: the digit drawn and not yet placed, or -1


ctypedef struct Board:
    int32_t x0             # column of bit 0 and row of index 0, in the coordinates of the tiles
    int32_t y0
    int32_t width
    int32_t height
    int32_t levels         # levels that hold a tile
    int32_t tiles[LEVELS + 1]
    bw_row full
    bw_row rows[LEVELS][SPAN]


cdef Shape SHAPES[DIGITS][4]
cdef int32_t ROTATIONS[DIGITS]
cdef uint8_t OVERLAP[40][40][7][7]  # [a][b][dy + 3][dx + 3]: b moved by (dx, dy) shares a cell with a
cdef uint8_t CONTACT[40][40][9][9]  # [a][b][dy + 4][dx + 4]: edges shared
cdef uint64_t MIX[40][LEVELS]


cdef void make_shape(object rows, int digit):
    """Fill the four rotations of one printed shape, each a quarter turn clockwise from the one before."""
    cdef int height = len(rows)
    cells = [(x, height - 1 - r) for r, row in enumerate(rows) for x, c in enumerate(row) if c == "#"]
    seen = []
    for rotation in range(4):
        cells.sort(key=lambda cell: (cell[1], cell[0]))
        if cells not in seen:
            seen.append(list(cells))
        shape = &SHAPES[digit][rotation]
        shape.cells = len(cells)
        shape.width = 1 + max(x for x, _ in cells)
        shape.height = 1 + max(y for _, y in cells)
        for i, (x, y) in enumerate(cells):
            shape.x[i] = x
            shape.y[i] = y
        width = shape.width
        cells = [(y, width - 1 - x) for x, y in cells]
    ROTATIONS[digit] = len(seen)


cdef void make_pairs():
    """Fill OVERLAP and CONTACT for every pair of digits and rotations and every offset that matters."""
    cdef int a, b, dx, dy, i, j, ex, ey
    cdef Shape *p
    cdef Shape *q
    memset(OVERLAP, 0, sizeof(OVERLAP))
    memset(CONTACT, 0, sizeof(CONTACT))
    for a in range(40):
        p = &SHAPES[a >> 2][a & 3]
        for b in range(40):
            q = &SHAPES[b >> 2][b & 3]
            for dy in range(-4, 5):
                for dx in range(-4, 5):
                    for i in range(p.cells):
                        for j in range(q.cells):
                            ex = q.x[j] + dx - p.x[i]
                            ey = q.y[j] + dy - p.y[i]
                            if ex == 0 and ey == 0:
                                OVERLAP[a][b][dy + 3][dx + 3] = 1
                            elif ex * ex + ey * ey == 1:
                                CONTACT[a][b][dy + 4][dx + 4] += 1


cdef void make_tables():
    cdef uint64_t seed = 0x4e4d4252
    for digit in range(DIGITS):
        make_shape(PRINTED[digit], digit)
    make_pairs()
    for shape in range(40):
        for level in range(LEVELS):
            MIX[shape][level] = bw_splitmix(&seed)


make_tables()


# --- the rules ------------------------------------------------------------------------------------

cdef inline bint is_near(int x, int y, int most) noexcept nogil:
    """Whether no coordinate is larger than this."""
    return -most <= x <= most and -most <= y <= most


cdef inline int overlaps(const Placed *a, int digit, int rotation, int x, int y) noexcept nogil:
    cdef int dx = x - a.x
    cdef int dy = y - a.y
    if dx < -3 or dx > 3 or dy < -3 or dy > 3:
        return 0
    return OVERLAP[a.digit * 4 + a.rotation][digit * 4 + rotation][dy + 3][dx + 3]


cdef inline int contacts(const Placed *a, int digit, int rotation, int x, int y) noexcept nogil:
    cdef int dx = x - a.x
    cdef int dy = y - a.y
    if dx < -4 or dx > 4 or dy < -4 or dy > 4:
        return 0
    return CONTACT[a.digit * 4 + a.rotation][digit * 4 + rotation][dy + 4][dx + 4]


cdef inline int carriers(const State *s, int digit, int rotation, int x, int y, int level) noexcept nogil:
    """Count the tiles of the level below that the tile would rest on."""
    cdef int i, n = 0
    for i in range(s.count):
        if s.placed[i].level == level - 1:
            n += overlaps(&s.placed[i], digit, rotation, x, y)
    return n


cdef inline int touching(const State *s, int digit, int rotation, int x, int y, int level) noexcept nogil:
    """Count the edges that the tile would share with tiles of its own level."""
    cdef int i, n = 0
    for i in range(s.count):
        if s.placed[i].level == level:
            n += contacts(&s.placed[i], digit, rotation, x, y)
    return n


cdef void build(const State *s, Board *b) noexcept nogil:
    """Lay the tiles of a state out as bits; the window leaves MARGIN cells free on every side."""
    cdef int i, j, low_x = 0, low_y = 0, high_x = 0, high_y = 0, level
    cdef const Placed *p
    cdef const Shape *shape
    memset(b.tiles, 0, sizeof(b.tiles))
    b.levels = 0
    for i in range(s.count):
        p = &s.placed[i]
        shape = &SHAPES[p.digit][p.rotation]
        if i == 0 or p.x < low_x:
            low_x = p.x
        if i == 0 or p.y < low_y:
            low_y = p.y
        if i == 0 or p.x + shape.width > high_x:
            high_x = p.x + shape.width
        if i == 0 or p.y + shape.height > high_y:
            high_y = p.y + shape.height
        b.tiles[p.level] += 1
        if p.level >= b.levels:
            b.levels = p.level + 1
    b.x0 = low_x - MARGIN
    b.y0 = low_y - MARGIN
    b.width = high_x - low_x + 2 * MARGIN
    b.height = high_y - low_y + 2 * MARGIN
    b.full = ((<bw_row>1) << b.width) - 1
    for level in range(b.levels):
        memset(b.rows[level], 0, b.height * sizeof(bw_row))
    for i in range(s.count):
        p = &s.placed[i]
        shape = &SHAPES[p.digit][p.rotation]
        for j in range(shape.cells):
            b.rows[p.level][p.y - b.y0 + shape.y[j]] |= (<bw_row>1) << (p.x - b.x0 + shape.x[j])


cdef inline bw_action encode(int digit, int rotation, int x, int y, int level) noexcept nogil:
    return (<uint64_t>digit | <uint64_t>rotation << 4 | <uint64_t>level << 6
            | <uint64_t><uint16_t><int16_t>x << 16 | <uint64_t><uint16_t><int16_t>y << 32)


cdef inline Placed decode(bw_action action) noexcept nogil:
    cdef Placed p
    p.digit = action & 15
    p.rotation = action >> 4 & 3
    p.level = action >> 6 & 15
    p.x = <int16_t><uint16_t>(action >> 16 & 0xffff)
    p.y = <int16_t><uint16_t>(action >> 32 & 0xffff)
    p.unused = 0
    return p


cdef int64_t placements(const State *s, const Board *b, int digit, bw_action *out, int64_t cap,
                        int64_t n) noexcept nogil:
    """Append the legal placements of a digit to out[n..cap), high levels first; return the new count."""
    cdef int level, rotation, y, i, x
    cdef bw_row fit, touch
    cdef bw_row allowed[SPAN]
    cdef bw_row near[SPAN]
    cdef const Shape *shape
    if s.count == 0:
        # Anywhere is the same place: the list offers the origin, apply takes any.
        for rotation in range(ROTATIONS[digit]):
            if n < cap:
                out[n] = encode(digit, rotation, 0, 0, 0)
            n += 1
        return n
    for level in range(b.levels, -1, -1):
        if level == LEVELS or (level > 0 and b.tiles[level - 1] < 2):
            continue
        for y in range(b.height):
            allowed[y] = b.full if level == 0 else b.rows[level - 1][y]
            near[y] = 0
            if level < b.levels:
                allowed[y] &= ~b.rows[level][y]
                near[y] = b.rows[level][y] << 1 | b.rows[level][y] >> 1
                if y > 0:
                    near[y] |= b.rows[level][y - 1]
                if y + 1 < b.height:
                    near[y] |= b.rows[level][y + 1]
        for rotation in range(ROTATIONS[digit]):
            shape = &SHAPES[digit][rotation]
            for y in range(b.height - shape.height + 1):
                fit = b.full
                touch = 0
                for i in range(shape.cells):
                    fit &= allowed[y + shape.y[i]] >> shape.x[i]
                    if not fit:
                        break
                if not fit:
                    continue
                if level < b.levels:
                    for i in range(shape.cells):
                        touch |= near[y + shape.y[i]] >> shape.x[i]
                    fit &= touch
                while fit:
                    x = bw_row_lowest(fit)
                    fit &= fit - 1
                    if level > 0 and carriers(s, digit, rotation, b.x0 + x, b.y0 + y, level) < 2:
                        continue
                    if n < cap:
                        out[n] = encode(digit, rotation, b.x0 + x, b.y0 + y, level)
                    n += 1
    return n


cdef int legal_digit(const State *s, int digit) noexcept nogil:
    """Tell whether this digit may be placed now."""
    if s.left == 0:
        return 0
    if s.mode == KNOWN:
        return s.deck[0] == digit
    if s.mode == FREE:
        return s.pool[digit] > 0
    return s.hand == digit


cdef int legal_place(const State *s, const Placed *p) noexcept nogil:
    """Tell whether the rules of building allow this placement (not whether it is the digit's turn)."""
    cdef int i, j, k, x, y, under, own = 0
    cdef const Shape *shape = &SHAPES[p.digit][p.rotation]
    cdef const Shape *other
    if p.rotation >= ROTATIONS[p.digit]:
        return 0
    if s.count == 0:
        return p.level == 0 and is_near(p.x, p.y, FAR)
    for i in range(s.count):
        if s.placed[i].level == p.level:
            own += 1
            if overlaps(&s.placed[i], p.digit, p.rotation, p.x, p.y):
                return 0
    if own and not touching(s, p.digit, p.rotation, p.x, p.y, p.level):
        return 0
    if p.level == 0:
        return 1
    if carriers(s, p.digit, p.rotation, p.x, p.y, p.level) < 2:
        return 0
    for j in range(shape.cells):
        x = p.x + shape.x[j]
        y = p.y + shape.y[j]
        under = 0
        for i in range(s.count):
            if s.placed[i].level != p.level - 1:
                continue
            other = &SHAPES[s.placed[i].digit][s.placed[i].rotation]
            for k in range(other.cells):
                if s.placed[i].x + other.x[k] == x and s.placed[i].y + other.y[k] == y:
                    under = 1
        if not under:
            return 0
    return 1


cdef int score_of(const State *s) noexcept nogil:
    cdef int i, total = 0
    for i in range(s.count):
        total += s.placed[i].digit * s.placed[i].level
    return total


cdef void place(State *s, const Placed *p) noexcept nogil:
    cdef int i
    s.placed[s.count] = p[0]
    s.count += 1
    s.left -= 1
    if s.mode == KNOWN:
        for i in range(s.left):
            s.deck[i] = s.deck[i + 1]
        s.deck[s.left] = 0
    elif s.mode == FREE:
        s.pool[p.digit] -= 1
    else:
        s.hand = -1


cdef int pool_size(const State *s) noexcept nogil:
    cdef int d, n = 0
    for d in range(DIGITS):
        n += s.pool[d]
    return n


# --- what is a state ------------------------------------------------------------------------------

cdef int is_built(const State *s) noexcept nogil:
    """Whether the placed tiles, their fields in range, could have been placed in their order by the rules."""
    cdef bw_row rows[LEVELS][SPAN]
    cdef int i, j, n, x, y, own, met, below, low_x = 0, low_y = 0, high_x = 0, high_y = 0, top = 0
    cdef const Placed *p
    cdef const Shape *shape
    for i in range(s.count):
        p = &s.placed[i]
        low_x = p.x if i == 0 or p.x < low_x else low_x
        low_y = p.y if i == 0 or p.y < low_y else low_y
        high_x = p.x if i == 0 or p.x > high_x else high_x
        high_y = p.y if i == 0 or p.y > high_y else high_y
        top = max(top, p.level)
    # Tiles that touch reach no further than this.
    if high_x - low_x > 4 * TILES or high_y - low_y > 4 * TILES:
        return 0
    memset(rows, 0, (top + 1) * sizeof(rows[0]))
    for n in range(s.count):
        p = &s.placed[n]
        shape = &SHAPES[p.digit][p.rotation]
        own = met = below = 0
        for i in range(n):
            if s.placed[i].level == p.level:
                own += 1
                met += contacts(&s.placed[i], p.digit, p.rotation, p.x, p.y)
            elif s.placed[i].level == p.level - 1:
                below += overlaps(&s.placed[i], p.digit, p.rotation, p.x, p.y)
        if (own and not met) or (p.level and below < 2) or (n == 0 and p.level):
            return 0
        for j in range(shape.cells):
            x = p.x - low_x + shape.x[j]
            y = p.y - low_y + shape.y[j]
            if rows[p.level][y] >> x & 1 or (p.level and not rows[p.level - 1][y] >> x & 1):
                return 0
            rows[p.level][y] |= (<bw_row>1) << x
    return 1


cdef const char *fault_of_numbers(const State *s) noexcept nogil:
    """What is wrong with the numbers of a state, each for itself; NULL: nothing."""
    cdef int i
    cdef const Placed *p
    if s.mode < KNOWN or s.mode > UNKNOWN:
        return "the mode is out of range"
    if s.count < 0 or s.left < 0 or s.count + s.left > TILES or s.hand < -1 or s.hand >= DIGITS:
        return "the numbers of tiles are out of range"
    for i in range(TILES):
        p = &s.placed[i]
        if p.unused:
            return "bytes that mean nothing are not 0"
        if (p.digit < 0 or p.digit >= DIGITS or p.rotation < 0 or p.rotation >= ROTATIONS[p.digit] or p.level < 0
                or p.level >= LEVELS
                or not is_near(p.x, p.y, FAR if i == 0 else FAR + REACH)):
            return "a placed tile is out of range"
        if i >= s.count and (p.digit or p.rotation or p.level or p.x or p.y):
            return "a tile that is not placed has a place"
        if s.deck[i] < 0 or s.deck[i] >= DIGITS or (s.deck[i] and (s.mode != KNOWN or i >= s.left)):
            return "a card is out of range"
    for i in range(DIGITS):
        if s.pool[i] < 0 or s.pool[i] > COPIES or (s.pool[i] and s.mode == KNOWN):
            return "a number of tiles of the pool is out of range"
    if s.hand >= 0 and (s.mode != UNKNOWN or s.left == 0):
        return "a card in hand belongs to a deck that nobody knows, with cards left to play"
    return NULL


cdef const char *fault_of(const State *s) noexcept nogil:
    """Why this is no state of the game; NULL: it is one. Any bytes may be asked about."""
    cdef int tiles[DIGITS]
    cdef int i, held
    cdef const char *fault = fault_of_numbers(s)
    if fault != NULL:
        return fault
    held = s.hand >= 0
    for i in range(DIGITS):
        tiles[i] = s.pool[i] + (s.hand == i)
    for i in range(s.count):
        tiles[s.placed[i].digit] += 1
    for i in range(s.left if s.mode == KNOWN else 0):
        tiles[s.deck[i]] += 1
    for i in range(DIGITS):
        if tiles[i] > COPIES:
            return "there are more than 2 tiles of a digit"
    if s.mode != KNOWN and pool_size(s) + held < s.left:
        return "there are fewer tiles than cards to play"
    if not is_built(s):
        return "the placed tiles break a rule of building"
    return NULL


# --- the table of the game ------------------------------------------------------------------------

cdef const char *g_fault(const void *state) noexcept nogil:
    return fault_of(<const State *>state)


cdef int g_legal(const void *state, bw_action action) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef Placed p
    cdef int kind = g_kind(state)
    if kind == BW_CHANCE:
        return action & ~<uint64_t>15 == DRAW and action & 15 < DIGITS and s.pool[action & 15] > 0
    if kind != BW_DECISION or action & DRAW:
        return False
    p = decode(action)
    if p.digit >= DIGITS or p.rotation >= ROTATIONS[p.digit] or p.level >= LEVELS:
        return False
    if encode(p.digit, p.rotation, p.x, p.y, p.level) != action or not is_near(p.x, p.y, FAR + REACH):
        return False
    return legal_digit(s, p.digit) and legal_place(s, &p)


cdef int g_players(const void *state) noexcept nogil:
    return 1


cdef int g_kind(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    if s.left == 0:
        return BW_TERMINAL
    return BW_CHANCE if s.mode == UNKNOWN and s.hand < 0 else BW_DECISION


cdef int g_player(const void *state) noexcept nogil:
    return 0


cdef int64_t g_actions(const void *state, bw_action *out, int64_t cap) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef Board b
    cdef int digit
    cdef int64_t n = 0
    if g_kind(state) != BW_DECISION:
        return 0
    build(s, &b)
    for digit in range(DIGITS):
        if legal_digit(s, digit):
            n = placements(s, &b, digit, out, cap, n)
    return n


cdef int64_t g_outcomes(const void *state, bw_action *out, double *probability, int64_t cap) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int digit, total
    cdef int64_t n = 0
    if g_kind(state) != BW_CHANCE:
        return 0
    total = pool_size(s)
    for digit in range(DIGITS):
        if s.pool[digit]:
            if n < cap:
                out[n] = DRAW | digit
                probability[n] = <double>s.pool[digit] / total
            n += 1
    return n


cdef int draw_card(const State *s, bw_rng *rng) noexcept nogil:
    """Return a digit of the pool by its number of tiles."""
    cdef int digit, at = <int>bw_rng_below(rng, pool_size(s))
    for digit in range(DIGITS):
        at -= s.pool[digit]
        if at < 0:
            break
    return digit


cdef bw_action g_sample(const void *state, bw_rng *rng) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef bw_action out[ONE_DIGIT]
    cdef int64_t n
    cdef int digit, kind = g_kind(state)
    cdef Board b
    if kind == BW_TERMINAL:
        return BW_NO_ACTION
    if kind == BW_CHANCE:
        return DRAW | draw_card(s, rng)
    if s.mode == KNOWN:
        digit = s.deck[0]
    elif s.mode == FREE:
        digit = draw_card(s, rng)
    else:
        digit = s.hand
    build(s, &b)
    n = placements(s, &b, digit, out, ONE_DIGIT, 0)
    return out[bw_rng_below(rng, n)]


cdef void g_apply(void *state, bw_action action) noexcept nogil:
    cdef State *s = <State *>state
    cdef Placed p
    if action & DRAW:
        s.hand = action & 15
        s.pool[s.hand] -= 1
    else:
        p = decode(action)
        place(s, &p)


cdef uint64_t g_key(const void *state) noexcept nogil:
    """Hash the stack up to translation and order, and all that is still to come."""
    cdef const State *s = <const State *>state
    cdef uint64_t h = 0, x
    cdef int i, low_x = 0, low_y = 0
    for i in range(s.count):
        if i == 0 or s.placed[i].x < low_x:
            low_x = s.placed[i].x
        if i == 0 or s.placed[i].y < low_y:
            low_y = s.placed[i].y
    for i in range(s.count):
        x = MIX[s.placed[i].digit * 4 + s.placed[i].rotation][s.placed[i].level]
        x ^= <uint64_t>(s.placed[i].x - low_x) << 32 | <uint64_t>(s.placed[i].y - low_y)
        h += bw_splitmix(&x)
    x = h ^ (<uint64_t>s.mode << 56 | <uint64_t>s.left << 48 | <uint64_t>(s.hand + 1) << 40)
    h = bw_splitmix(&x)
    for i in range(s.left if s.mode == KNOWN else DIGITS):
        x = h ^ <uint64_t>(s.deck[i] if s.mode == KNOWN else s.pool[i])
        h = bw_splitmix(&x)
    return h


cdef int g_repetition(const void *state) noexcept nogil:
    return 0


cdef void g_returns(const void *state, bw_value *out) noexcept nogil:
    out[0] = score_of(<const State *>state) * BW_UNIT


cdef void g_bounds(const void *state, int player, bw_value *low, bw_value *high) noexcept nogil:
    """Every tile to come counts at the highest level it can reach when two of each level carry the next one.

    Where the order is open the highest digits come last, where the levels are highest.
    """
    cdef const State *s = <const State *>state
    cdef int score = score_of(s), d, i, top = -1, on_top = 0, first, level, last = s.left, promised = 0, copies
    cdef int held = 1 if s.mode != KNOWN and s.hand >= 0 else 0
    for i in range(s.count):
        if s.placed[i].level > top:
            top = s.placed[i].level
            on_top = 0
        on_top += s.placed[i].level == top
    # Half levels: the card after `first` of them lies on level (first + its number) / 2.
    first = 2 * top + (2 if on_top >= 2 else 1) if top >= 0 else 0
    if s.mode == KNOWN:
        for i in range(s.left):
            level = (first + i) // 2
            promised += s.deck[i] * (level if level < LEVELS else LEVELS - 1)
    else:
        if held:
            level = first // 2
            promised = s.hand * (level if level < LEVELS else LEVELS - 1)
        for d in range(DIGITS - 1, -1, -1):
            copies = s.pool[d]
            while copies and last > held:
                copies -= 1
                last -= 1
                level = (first + last) // 2
                promised += d * (level if level < LEVELS else LEVELS - 1)
    low[0] = score * BW_UNIT
    high[0] = (score + promised) * BW_UNIT


# --- evaluation -----------------------------------------------------------------------------------
#
# What a stack promises: a free 2x2 square is one whose four cells lie on level l and under no tile. A number
# of them carries a tile on level l + 1. The cards to come are dealt to the platforms from the top down, each
# worth the mean digit to come times the level.

cdef struct Weights:
    int32_t squares        # free squares that carry one tile
    int32_t promise        # worth of a promised point, in 1/256 point
    int32_t contact        # worth of an edge shared with the own level, in 1/256 point

cdef Weights WEIGHTS
WEIGHTS.squares = 5
WEIGHTS.promise = 128
WEIGHTS.contact = 40


cdef inline int bits(bw_row r) noexcept nogil:
    return popcount(<uint64_t>r) + popcount(<uint64_t>(r >> 64))


cdef inline int squares_between(const bw_row *own, const bw_row *above, int low, int high) noexcept nogil:
    """Count the free squares with their lower row in low..high-1; `above` may be null."""
    cdef int y, n = 0
    cdef bw_row upper, lower = own[low]
    if above != NULL:
        lower &= ~above[low]
    for y in range(low, high):
        upper = own[y + 1]
        if above != NULL:
            upper &= ~above[y + 1]
        n += bits(lower & lower >> 1 & upper & upper >> 1)
        lower = upper
    return n


cdef int promise(const int32_t *squares, const int32_t *tiles, int levels, int left,
                 int total) noexcept nogil:
    """Return the worth of the platforms in 1/256 point for `left` cards that add up to `total`."""
    cdef int level, room, free_cards = left
    cdef int64_t sum_levels = 0  # of the cards dealt, in units of one free square
    if left == 0:
        return 0
    free_cards *= WEIGHTS.squares
    for level in range(levels - 1, -1, -1):
        if tiles[level] < 2:
            continue
        room = squares[level]
        if room > free_cards:
            room = free_cards
        sum_levels += room * (level + 1)
        free_cards -= room
    return <int>(sum_levels * total * WEIGHTS.promise // (left * WEIGHTS.squares))


cdef void cards_to_come(const State *s, int *left, int *total) noexcept nogil:
    """Number of cards to come and the sum of their digits, as expected (UNKNOWN) or at best (FREE)."""
    cdef int d, i, n, copies, of_pool
    left[0] = s.left
    total[0] = 0
    if s.mode == KNOWN:
        for i in range(s.left):
            total[0] += s.deck[i]
        return
    n = s.left - (1 if s.hand >= 0 else 0)
    if s.mode == FREE:
        for d in range(DIGITS - 1, -1, -1):
            copies = s.pool[d] if s.pool[d] < n else n
            total[0] += copies * d
            n -= copies
        return
    of_pool = pool_size(s)
    for d in range(DIGITS):
        total[0] += s.pool[d] * d
    if of_pool:
        total[0] = total[0] * n // of_pool
    if s.hand >= 0:
        total[0] += s.hand


cdef int value_of(const State *s, const Board *b) noexcept nogil:
    """Return the static evaluation in 1/256 point."""
    cdef int32_t squares[LEVELS]
    cdef int level, left, total
    for level in range(b.levels):
        squares[level] = squares_between(
            b.rows[level], b.rows[level + 1] if level + 1 < b.levels else NULL, 0, b.height - 1)
    cards_to_come(s, &left, &total)
    return 256 * score_of(s) + promise(squares, b.tiles, b.levels, left, total)


cdef inline int worth_of(const int32_t *squares, int levels, const int32_t *worth) noexcept nogil:
    cdef int level, total = 0
    for level in range(levels):
        total += squares[level] * worth[level]
    return total


cdef void value_moves(const State *s, Board *b, const bw_action *moves, int64_t n, const int32_t *worth,
                      int32_t *out) noexcept nogil:
    """Fill out[0..n) with the evaluation after each placement, in 1/256 point; the board is unchanged after.

    Free squares count by the promise, or where `worth` is given, by what one of them is worth on each level.

    Only the rows near the placement, on its level and the one below, can gain or lose free squares.
    """
    cdef int32_t squares[LEVELS + 1]
    cdef int level, left, total, low, high, i, base, levels, was_own, was_under
    cdef int64_t m
    cdef Placed p
    cdef const Shape *shape
    cdef bw_row *own
    cdef bw_row *under
    cdef bw_row *above
    if s.count == 0:
        for m in range(n):
            out[m] = 0
        return
    memset(squares, 0, sizeof(squares))
    for level in range(b.levels):
        squares[level] = squares_between(
            b.rows[level], b.rows[level + 1] if level + 1 < b.levels else NULL, 0, b.height - 1)
    cards_to_come(s, &left, &total)
    base = 256 * score_of(s)
    for m in range(n):
        p = decode(moves[m])
        shape = &SHAPES[p.digit][p.rotation]
        low = p.y - b.y0 - 1
        high = p.y - b.y0 + shape.height
        if low < 0:
            low = 0
        if high > b.height - 1:
            high = b.height - 1
        levels = b.levels
        own = b.rows[p.level]
        if p.level == b.levels:
            memset(own, 0, b.height * sizeof(bw_row))
            levels += 1
        above = b.rows[p.level + 1] if p.level + 1 < b.levels else NULL
        under = b.rows[p.level - 1] if p.level > 0 else NULL
        was_own = squares_between(own, above, low, high)
        was_under = squares_between(under, own, low, high) if under != NULL else 0
        for i in range(shape.cells):
            own[p.y - b.y0 + shape.y[i]] ^= (<bw_row>1) << (p.x - b.x0 + shape.x[i])
        squares[p.level] += squares_between(own, above, low, high) - was_own
        if under != NULL:
            squares[p.level - 1] += squares_between(under, own, low, high) - was_under
        b.tiles[p.level] += 1
        out[m] = (
            base
            + 256 * p.digit * p.level
            + WEIGHTS.contact * touching(s, p.digit, p.rotation, p.x, p.y, p.level)
            + (promise(squares, b.tiles, levels, left - 1, total - p.digit) if worth == NULL
               else worth_of(squares, levels, worth))
        )
        b.tiles[p.level] -= 1
        squares[p.level] -= squares_between(own, above, low, high) - was_own
        if under != NULL:
            squares[p.level - 1] -= squares_between(under, own, low, high) - was_under
        for i in range(shape.cells):
            own[p.y - b.y0 + shape.y[i]] ^= (<bw_row>1) << (p.x - b.x0 + shape.x[i])


cdef void g_evaluate(const void *state, bw_value *out) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef Board b
    build(s, &b)
    out[0] = <bw_value>(<int64_t>value_of(s, &b) * BW_UNIT // 256)


cdef int32_t g_order(const void *state, bw_action action) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef Board b
    cdef int32_t value = 0
    if action & DRAW:
        return 0
    build(s, &b)
    value_moves(s, &b, &action, 1, NULL, &value)
    return value


cdef bw_action best_placement(const State *s, bw_rng *rng) noexcept nogil:
    """Return the placement with the best evaluation, ties broken at random."""
    cdef Board b
    cdef bw_action moves[ONE_DIGIT]
    cdef int32_t values[ONE_DIGIT]
    cdef int64_t n = 0, m, best = 0, ties = 0
    build(s, &b)
    if s.mode == FREE:
        n = placements(s, &b, draw_card(s, rng), moves, ONE_DIGIT, 0)
    else:
        n = placements(s, &b, s.deck[0] if s.mode == KNOWN else s.hand, moves, ONE_DIGIT, 0)
    value_moves(s, &b, moves, n, NULL, values)
    for m in range(n):
        if values[m] > values[best]:
            best = m
            ties = 1
        elif values[m] == values[best]:
            ties += 1
            if bw_rng_below(rng, ties) == 0:
                best = m
    return moves[best]


cdef void g_playout_step(void *state, bw_rng *rng) noexcept nogil:
    cdef State *s = <State *>state
    cdef int kind = g_kind(state)
    if kind == BW_CHANCE:
        g_apply(state, DRAW | draw_card(s, rng))
    elif kind == BW_DECISION:
        g_apply(state, best_placement(s, rng))


cdef bw_game TABLE
TABLE.abi = BW_GAME_ABI
TABLE.flags = 0
TABLE.state_size = sizeof(State)
TABLE.state_align = sizeof(int16_t)
TABLE.max_players = 1
TABLE.max_actions = MAX_ACTIONS
TABLE.max_outcomes = DIGITS
TABLE.name = "nmbr9"
TABLE.players = g_players
TABLE.kind = g_kind
TABLE.player = g_player
TABLE.actions = g_actions
TABLE.top = NULL
TABLE.sample = g_sample
TABLE.apply = g_apply
TABLE.playout_step = g_playout_step
TABLE.outcomes = g_outcomes
TABLE.key = g_key
TABLE.repetition = g_repetition
TABLE.returns = g_returns
TABLE.evaluate = g_evaluate
TABLE.bounds = g_bounds
TABLE.order = g_order
TABLE.fault = g_fault
TABLE.legal = g_legal


# --- beam -----------------------------------------------------------------------------------------

ctypedef struct Step:
    int32_t value
    int32_t parent
    bw_action action


cdef inline bint is_better(const Step *x, const Step *y) noexcept nogil:
    """Order by falling value, then by parent and action: the order is the same on every machine."""
    if x.value != y.value:
        return x.value > y.value
    if x.parent != y.parent:
        return x.parent < y.parent
    return x.action < y.action


cdef void sift(Step *heap, int64_t n, int64_t at) noexcept nogil:
    """Let the step at `at` sink to where none of the steps below it is better."""
    cdef Step sinking = heap[at]
    cdef int64_t child = 2 * at + 1
    while child < n:
        if child + 1 < n and is_better(&heap[child + 1], &heap[child]):
            child += 1
        if not is_better(&heap[child], &sinking):
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = sinking


cdef int64_t list_steps(const State *s, int parent, int noise, const int32_t *worth, bw_rng *rng,
                        bw_action *moves, int32_t *values, Step *out) noexcept nogil:
    """Fill out with every placement of a state and its value; returns how many."""
    cdef Board b
    cdef int digit
    cdef int64_t n, m, total = 0
    build(s, &b)
    for digit in range(DIGITS):
        if not legal_digit(s, digit):
            continue
        n = placements(s, &b, digit, moves, ONE_DIGIT, 0)
        value_moves(s, &b, moves, n, worth, values)
        for m in range(n):
            out[total].value = values[m]
            if noise:
                out[total].value += <int32_t>bw_rng_below(rng, noise)
            out[total].parent = parent
            out[total].action = moves[m]
            total += 1
    return total


cdef int64_t best_steps(const State *states, Step *steps, int64_t n, State *out, uint64_t *keys,
                        uint64_t slot_mask, int64_t width, void *stopped) except -1 nogil:
    """Apply the best steps that lead to different stacks; returns how many states were written, 0 when `stopped`.

    Few of the steps are wanted: a heap is a tenth of the work of sorting them all.
    """
    cdef int64_t i, kept = 0
    cdef uint64_t key, at
    cdef State after
    for i in range(n // 2 - 1, -1, -1):
        sift(steps, n, i)
        if stopped != NULL and i & SIFTS == 0:
            with gil:
                if (<object>stopped)():
                    return 0
    while n > 0 and kept < width:
        after = states[steps[0].parent]
        g_apply(&after, steps[0].action)
        n -= 1
        steps[0] = steps[n]
        sift(steps, n, 0)
        key = g_key(&after) | 1  # 0 marks an empty slot
        at = key >> 1 & slot_mask
        while keys[at] != 0 and keys[at] != key:
            at = (at + 1) & slot_mask
        if keys[at] == key:
            continue
        keys[at] = key
        out[kept] = after
        kept += 1
    return kept


# --- from Python ----------------------------------------------------------------------------------

cdef const State *checked(bytes raw) except NULL:
    """Return the state behind `raw`. Raises ValueError, with what is wrong, for bytes that are none."""
    cdef const State *s
    cdef const char *fault
    if len(raw) != sizeof(State):
        raise ValueError(f"an NMBR 9 state has {sizeof(State)} bytes, got {len(raw)}")
    s = <const State *>PyBytes_AS_STRING(raw)
    fault = fault_of(s)
    if fault != NULL:
        raise ValueError(f"these bytes are no state of NMBR 9: {fault.decode()}")
    return s


cdef Placed checked_placement(int digit, int rotation, int x, int y, int level) except *:
    cdef Placed p
    if not (0 <= digit < DIGITS and 0 <= rotation < ROTATIONS[digit] and 0 <= level < LEVELS
            and is_near(x, y, FAR + REACH)):
        raise ValueError(f"placement {digit} {rotation} {x} {y} {level} is out of range")
    p.digit = digit
    p.rotation = rotation
    p.level = level
    p.x = x
    p.y = y
    p.unused = 0
    return p


def capsule():
    """Return the table of the game (bw_game of ext/include/game.h) in a capsule."""
    return PyCapsule_New(<void *>&TABLE, BW_GAME_CAPSULE, NULL)


def shapes():
    """Return the cells (x, y) of every digit and distinct rotation: shapes()[digit][rotation]."""
    return tuple(
        tuple(
            tuple((SHAPES[d][r].x[i], SHAPES[d][r].y[i]) for i in range(SHAPES[d][r].cells))
            for r in range(ROTATIONS[d])
        )
        for d in range(DIGITS)
    )


def start(int mode, list deck, int left):
    """Return the state before the first placement.

    `deck` lists digits: in order for mode 0 (known), as a multiset for 1 (free) and 2 (unknown); `left` cards
    of it will be played. Raises ValueError for a digit out of range, more than two of one, or too few cards.
    """
    cdef State s
    cdef int digit, i
    cdef int cards[TILES]
    memset(&s, 0, sizeof(s))
    if mode < KNOWN or mode > UNKNOWN:
        raise ValueError(f"mode must be 0, 1 or 2, got {mode}")
    if left < 0 or left > len(deck) or len(deck) > TILES or (mode == KNOWN and left != len(deck)):
        raise ValueError(f"{left} cards cannot be played from a deck of {len(deck)}")
    s.mode = mode
    s.left = left
    s.hand = -1
    # A copy: what a card is, is asked for once only, and nobody else may change the list meanwhile.
    for i, digit in enumerate(list(deck)):
        if digit < 0 or digit >= DIGITS:
            raise ValueError(f"card {i}: digit must be 0..9, got {digit}")
        cards[i] = digit
        s.pool[digit] += 1
        if s.pool[digit] > COPIES:
            raise ValueError(f"card {i}: more than {COPIES} tiles of digit {digit}")
    if mode == KNOWN:
        memset(s.pool, 0, sizeof(s.pool))
        for i in range(left):
            s.deck[i] = cards[i]
    return PyBytes_FromStringAndSize(<char *>&s, sizeof(State))


def encode_placement(int digit, int rotation, int x, int y, int level):
    """Return the action number of a placement. Raises ValueError for a field out of range."""
    cdef Placed p = checked_placement(digit, rotation, x, y, level)
    return encode(p.digit, p.rotation, p.x, p.y, p.level)


def encode_draw(int digit):
    """Return the action number of a drawn card."""
    if not 0 <= digit < DIGITS:
        raise ValueError(f"digit must be 0..9, got {digit}")
    return DRAW | <uint64_t>digit


def decode_action(uint64_t action):
    """Return (digit, rotation, x, y, level) of a placement, or (digit,) of a drawn card.

    Raises ValueError for a number that stands for neither.
    """
    cdef Placed p = decode(action)
    if (action & ~<uint64_t>15 != DRAW and encode(p.digit, p.rotation, p.x, p.y, p.level) != action) or (
            p.digit >= DIGITS):
        raise ValueError(f"{action} is not an action")
    if action & DRAW:
        return (action & 15,)
    return (p.digit, p.rotation, p.x, p.y, p.level)


def placed(bytes raw):
    """Return the placed tiles in playing order as (digit, rotation, x, y, level)."""
    cdef const State *s = checked(raw)
    return tuple(
        (s.placed[i].digit, s.placed[i].rotation, s.placed[i].x, s.placed[i].y, s.placed[i].level)
        for i in range(s.count)
    )


def coming(bytes raw):
    """Return (mode, deck or pool as digits, cards left to play, digit in hand or -1)."""
    cdef const State *s = checked(raw)
    if s.mode == KNOWN:
        deck = tuple(s.deck[i] for i in range(s.left))
    else:
        deck = tuple(d for d in range(DIGITS) for _ in range(s.pool[d]))
    return s.mode, deck, s.left, s.hand


def legal(bytes raw, int digit, int rotation, int x, int y, int level):
    """Tell whether this placement is legal now. Raises ValueError for a field out of range."""
    cdef const State *s = checked(raw)
    cdef Placed p = checked_placement(digit, rotation, x, y, level)
    return bool(g_kind(s) == BW_DECISION and legal_digit(s, digit) and legal_place(s, &p))


def play(bytes raw, uint64_t action):
    """Return the state after a legal action. Raises ValueError if it is not legal."""
    cdef const State *s = checked(raw)
    cdef State after
    if not g_legal(s, action):
        if action & DRAW:
            raise ValueError(f"drawing {action & 15} is not possible here")
        raise ValueError(f"placement {decode_action(action)} is not legal here")
    after = s[0]
    g_apply(&after, action)
    return PyBytes_FromStringAndSize(<char *>&after, sizeof(State))


def actions(bytes raw):
    """Return all legal actions in a fixed order: placements, or draws at a chance node."""
    cdef const State *s = checked(raw)
    cdef int64_t n, i
    cdef bw_action *out
    cdef double probability[DIGITS]
    cdef bw_action draws[DIGITS]
    if g_kind(s) == BW_CHANCE:
        n = g_outcomes(s, draws, probability, DIGITS)
        return [draws[i] for i in range(n)]
    n = g_actions(s, NULL, 0)
    out = <bw_action *>malloc(max(n, 1) * sizeof(bw_action))
    if out == NULL:
        raise MemoryError
    try:
        g_actions(s, out, n)
        return [out[i] for i in range(n)]
    finally:
        free(out)


def count(bytes raw):
    """Return the number of legal actions."""
    cdef const State *s = checked(raw)
    cdef double probability[DIGITS]
    cdef bw_action draws[DIGITS]
    if g_kind(s) == BW_CHANCE:
        return g_outcomes(s, draws, probability, DIGITS)
    return g_actions(s, NULL, 0)


def kind(bytes raw):
    """Return 0 for a decision, 1 for a card to be drawn, 2 for the end."""
    return g_kind(checked(raw))


def score(bytes raw):
    """Return the points of the stack: the sum of level times digit."""
    return score_of(checked(raw))


def key(bytes raw):
    """Return the 64-bit hash of the stack, up to translation, and of all that is to come."""
    return g_key(checked(raw))


def evaluate(bytes raw):
    """Return the static evaluation in points."""
    cdef bw_value out
    g_evaluate(checked(raw), &out)
    return out / <double>BW_UNIT


def bounds(bytes raw):
    """Return (low, high): what the final score lies between, in points."""
    cdef bw_value low, high
    g_bounds(checked(raw), 0, &low, &high)
    return low // BW_UNIT, high // BW_UNIT


def roll(bytes raw, uint64_t seed):
    """Return the action of a card drawn at random. Raises ValueError where none is drawn."""
    cdef const State *s = checked(raw)
    cdef bw_rng rng
    if g_kind(s) != BW_CHANCE:
        raise ValueError("no card is drawn here")
    bw_rng_seed(&rng, seed)
    return DRAW | <uint64_t>draw_card(s, &rng)


def beam_step(list raws, int width, int noise, uint64_t seed, stopped=None, worth=None):
    """Return at most `width` states one placement further, the best by evaluation, no two of them alike.

    Every placement of every state is valued; `noise` (in 1/256 point) is added at random. All states must
    wait for a decision and have the same number of tiles; raises ValueError otherwise. Returns no state as soon as
    `stopped()` says so. `worth` is what a free square of each level is worth, in 1/256 point; None: the promise
    of the static evaluation.
    """
    cdef int32_t per_level[LEVELS]
    cdef bint valued = worth is not None
    cdef int64_t i, n, total = 0, kept = 0
    cdef State *states = NULL
    cdef State *out = NULL
    cdef Step *steps = NULL
    cdef bw_action *moves = NULL
    cdef int32_t *values = NULL
    cdef uint64_t *keys = NULL
    cdef uint64_t slots = 16
    cdef bint polled = stopped is not None, ended = False
    cdef bw_rng rng
    n = len(raws)
    if not 1 <= width <= 1 << 22 or not 0 <= noise <= 1 << 20 or n == 0 or n > 1 << 22:
        raise ValueError(f"width {width}, noise {noise} or {n} states out of range")
    if valued:
        if len(worth) != LEVELS or any(not 0 <= each <= 1 << 16 for each in worth):
            raise ValueError(f"expected the worth of a square on {LEVELS} levels, 0 to 65536, got {worth}")
        for i in range(LEVELS):
            per_level[i] = worth[i]
    bw_rng_seed(&rng, seed)
    while slots < <uint64_t>(2 * width):
        slots *= 2
    try:
        states = <State *>malloc(n * sizeof(State))
        if states == NULL:
            raise MemoryError
        for i in range(n):
            states[i] = checked(raws[i])[0]
            if g_kind(&states[i]) != BW_DECISION or states[i].count != states[0].count:
                raise ValueError(f"state {i} is not like the first one")
        with nogil:
            for i in range(n):
                total += g_actions(&states[i], NULL, 0)
        out = <State *>malloc(width * sizeof(State))
        steps = <Step *>malloc(total * sizeof(Step))
        moves = <bw_action *>malloc(ONE_DIGIT * sizeof(bw_action))
        values = <int32_t *>malloc(ONE_DIGIT * sizeof(int32_t))
        keys = <uint64_t *>calloc(slots, sizeof(uint64_t))
        if out == NULL or steps == NULL or moves == NULL or values == NULL or keys == NULL:
            raise MemoryError
        with nogil:
            total = 0
            for i in range(n):
                if polled and i % PATIENCE == 0:
                    with gil:
                        ended = stopped()
                    if ended:
                        break
                total += list_steps(&states[i], <int>i, noise, per_level if valued else NULL, &rng, moves, values,
                                    steps + total)
            if not ended:
                kept = best_steps(states, steps, total, out, keys, slots - 1, width,
                                  <void *>stopped if polled else NULL)
        return [PyBytes_FromStringAndSize(<char *>&out[i], sizeof(State)) for i in range(kept)]
    finally:
        free(states)
        free(out)
        free(steps)
        free(moves)
        free(values)
        free(keys)


def ranked(bytes raw):
    """Return every placement with its evaluation in points, (action, value), best first."""
    cdef State s = checked(raw)[0]
    cdef Board b
    cdef int64_t n, i
    cdef int32_t *values = NULL
    cdef bw_action *moves = NULL
    n = g_actions(&s, NULL, 0)
    try:
        moves = <bw_action *>malloc(max(n, 1) * sizeof(bw_action))
        values = <int32_t *>malloc(max(n, 1) * sizeof(int32_t))
        if moves == NULL or values == NULL:
            raise MemoryError
        g_actions(&s, moves, n)
        build(&s, &b)
        value_moves(&s, &b, moves, n, NULL, values)
        return sorted([(moves[i], values[i] / 256.0) for i in range(n)], key=lambda pair: (-pair[1], pair[0]))
    finally:
        free(moves)
        free(values)


def deal_out(bytes raw, action, uint64_t seed):
    """Return the final points after `action` (None: from here) when each card goes to its best valued place.

    The cards still unknown are drawn in the order that `seed` gives: the same for every action compared.
    """
    cdef State s = checked(raw)[0]
    cdef bw_rng cards, ties
    cdef bw_action move
    if action is not None:
        move = action_of(action)
        raw = play(raw, move)
        s = checked(raw)[0]
    bw_rng_seed(&cards, seed)
    bw_rng_seed(&ties, ~seed)
    with nogil:
        while s.left > 0:
            if g_kind(&s) == BW_CHANCE:
                g_apply(&s, DRAW | draw_card(&s, &cards))
            else:
                g_apply(&s, best_placement(&s, &ties))
    return score_of(&s)
