"""Number Drop: rules, generators, random play and static evaluation.

A turn of one player is two decisions in a row: a drop, then a claim (or none). The players of a round decide one
after the other; what they do to each other (letters, the end of the game) is settled when the round ends, so no
decision depends on another one of the same round.

A state is one flat `State`. Rule options are part of it. Sets of cells are 128-bit words, see numberdrop.h; the
cells of an action are their bit numbers there.

Actions, from the lowest bit up: 3 bits of tag, then
  WRITE   column;  TILE  piece;  SLIDE  letter
  ROLL    four numbers of 4 bits in ascending order (10 is the star), 4 bits of shape (5 is the star)
  BLOCK   piece (4 bits), orientation (3), column (3); piece 15: the tile fits nowhere
  DROP    the same, at bit 16 four digits of 4 bits in the order of the orientation's cells
  CLAIM   kind (1 bit: 0 identical, 1 straight), size (4; 0: no claim), eight cells of 7 bits in ascending order
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport INT32_MIN, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from game cimport (
    BW_CHANCE,
    BW_DECISION,
    BW_GAME_ABI,
    BW_GAME_CAPSULE,
    BW_NO_ACTION,
    BW_TERMINAL,
    BW_UNIT,
    BW_WIDE,
    action_of,
    bw_action,
    bw_game,
    bw_value,
)
from learn cimport BW_LINEAR_ABI, BW_LINEAR_CAPSULE, BW_WEIGHT_UNIT, bw_get_weight, bw_linear, bw_put_weight
from rng cimport bw_rng, bw_rng_below, bw_rng_seed, bw_splitmix


cdef extern from "numberdrop.h" nogil:
    # 128 bits in C; Cython only has to know that it is an unsigned number.
    ctypedef unsigned long long nd_set
    const int ND_ROWS
    const int ND_COLUMNS
    const int ND_LINE
    const nd_set ND_ALL
    nd_set nd_bit(int cell)
    int nd_has(nd_set cells, int cell)
    int nd_low(nd_set cells)
    nd_set nd_drop_low(nd_set cells)
    int nd_count64(uint64_t x)
    int nd_count(nd_set cells)
    nd_set nd_near(nd_set cells)
    nd_set nd_flood(nd_set seed, nd_set within)
    nd_set nd_row(int row)
    nd_set nd_above(int column, int height)


cdef enum:
    MAX_PLAYERS = 6
    LETTERS = 5
    NOTCHES = 4
    STAR = 10
    STAR_SHAPE = 5
    PIECES = 10
    NO_PIECE = 15
    NO_LETTER = 255
    BONUS = 11  # the group number of the bonus box; 1..5 identical 3..7, 6..10 straights 3..7
    MAX_PLACEMENTS = 128

# More than any list of turns has, and far from where 64 bits overflow.
cdef int64_t FAR_BEYOND = <int64_t>1 << 60

cdef enum:
    TAG_WRITE = 0
    TAG_TILE = 1
    TAG_ROLL = 2
    TAG_SLIDE = 3
    TAG_BLOCK = 4
    TAG_DROP = 5
    TAG_CLAIM = 6

cdef enum:
    PHASE_TILE = 0
    PHASE_WRITE = 1
    PHASE_ROLL = 2
    PHASE_SLIDE = 3
    PHASE_BLOCK = 4
    PHASE_DROP = 5
    PHASE_CLAIM = 6
    PHASE_OVER = 7

# How tiles come to the letters.
cdef enum:
    TILES_GIVEN = 0
    TILES_POOL = 1
    TILES_EXTRA = 2
    TILES_SHAPES = 3


cdef struct Sheet:
    nd_set digit[10]
    nd_set block  # X cells
    nd_set used  # cells of a claim
    nd_set group[4]  # bit b of every used cell's group number; no rule looks at it, drawings do
    uint8_t height[7]  # first free row above everything in the column
    uint8_t claimed[2]  # bit k - 3 for identical and straights of size k
    uint8_t bonus
    uint8_t circled  # bit 0 is letter A
    uint8_t unused[5]  # nothing is left to the compiler: equal states are equal bytes


cdef struct State:
    Sheet sheet[6]
    uint8_t players
    uint8_t solo
    uint8_t over_row  # points lost for each row touched above the line
    uint8_t autocross
    uint8_t straight_set
    uint8_t end_now
    uint8_t tile_mode
    uint8_t dice[4][6]
    uint8_t tile[5]  # piece of each letter, NO_PIECE while not drawn
    uint8_t notch[5]
    uint8_t crossed
    uint8_t phase
    uint8_t active
    uint8_t turn  # who decides
    uint8_t fired  # the letter whose tile is dropped in PHASE_BLOCK
    uint8_t slides  # slides made in this round
    uint8_t number[4]  # ascending
    uint8_t shape
    uint8_t unused[12]


# ---------------------------------------------------------------- pieces

cdef struct Orientation:
    int8_t cells
    int8_t width
    int8_t height
    int8_t row[5]  # cells in reading order: the top row first, each row from the left
    int8_t column[5]
    int8_t bottom[5]  # lowest row of the piece in each of its columns
    int8_t top[5]  # highest row
    int8_t touching  # pairs of cells side by side
    int8_t first[5]
    int8_t second[5]

cdef Orientation ORIENTATION[10][8]
cdef int ORIENTATIONS[10]
# Cells as (row, column). Pieces 0..4 are the shapes of the die in the die's order.
_PIECES = (
    ("I4", ((0, 0), (0, 1), (0, 2), (0, 3))),
    ("O4", ((0, 0), (0, 1), (1, 0), (1, 1))),
    ("T4", ((0, 0), (0, 1), (0, 2), (1, 1))),
    ("L4", ((0, 0), (0, 1), (0, 2), (1, 0))),
    ("S4", ((0, 0), (0, 1), (1, 1), (1, 2))),
    ("I3", ((0, 0), (0, 1), (0, 2))),
    ("V3", ((0, 0), (0, 1), (1, 0))),
    ("U5", ((0, 0), (0, 2), (1, 0), (1, 1), (1, 2))),
    ("X5", ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1))),
    ("T5", ((0, 0), (0, 1), (0, 2), (1, 1), (2, 1))),
)


cdef list orientations_of(tuple cells):
    """Distinct orientations of a piece: four clockwise quarter turns, then the same of its mirror image."""
    found = []
    for mirrored in (False, True):
        turned = [(row, -column if mirrored else column) for row, column in cells]
        for _ in range(4):
            low = min(row for row, _ in turned)
            left = min(column for _, column in turned)
            placed = sorted(((row - low, column - left) for row, column in turned),
                            key=lambda cell: (-cell[0], cell[1]))
            if placed not in found:
                found.append(placed)
            turned = [(-column, row) for row, column in turned]
    return found


cdef void fill_pieces():
    cdef int piece, index, i, j, column
    cdef Orientation *o
    for piece, (_, cells) in enumerate(_PIECES):
        found = orientations_of(cells)
        ORIENTATIONS[piece] = len(found)
        for index, placed in enumerate(found):
            o = &ORIENTATION[piece][index]
            o.cells = len(placed)
            o.width = 1 + max(column for _, column in placed)
            o.height = 1 + max(row for row, _ in placed)
            for i, (row, column) in enumerate(placed):
                o.row[i] = row
                o.column[i] = column
            for column in range(o.width):
                rows = [row for row, other in placed if other == column]
                o.bottom[column] = min(rows)
                o.top[column] = max(rows)
            for i, (row, column) in enumerate(placed):
                for j, (row_j, column_j) in enumerate(placed[:i]):
                    if abs(row - row_j) + abs(column - column_j) == 1:
                        o.first[o.touching] = j
                        o.second[o.touching] = i
                        o.touching += 1


# ---------------------------------------------------------------- fillings
# The distinct ways to write four numbers on the four cells of a shape, stars standing for any digit, for each of
# the 1,001 multisets of numbers: digit i of a filling is 4 bits at 4 * i. Ascending as digit strings.

cdef enum:
    FILLING_CODES = 14641  # 11 ** 4
    FILLING_TOTAL = 137840

cdef int32_t FILLING_START[FILLING_CODES]
cdef int32_t FILLING_COUNT[FILLING_CODES]
cdef uint16_t FILLING[FILLING_TOTAL]


cdef inline int filling_code(const uint8_t *number) noexcept nogil:
    return ((number[0] * 11 + number[1]) * 11 + number[2]) * 11 + number[3]


cdef int fill_from(int start, int *left, int stars, int position, int prefix) noexcept nogil:
    """Write all fillings with this prefix from FILLING[start] on; returns the end."""
    cdef int digit
    if position == 4:
        FILLING[start] = <uint16_t>prefix
        return start + 1
    for digit in range(10):
        # A digit that a die shows is taken from that die: which die gave it makes no other filling.
        if left[digit]:
            left[digit] -= 1
            start = fill_from(start, left, stars, position + 1, prefix | digit << (4 * position))
            left[digit] += 1
        elif stars:
            start = fill_from(start, left, stars - 1, position + 1, prefix | digit << (4 * position))
    return start


cdef int fill_fillings() noexcept nogil:
    """Make the table; returns its length, which has to be FILLING_TOTAL."""
    cdef int a, b, c, d, code, end, total = 0
    cdef int left[11]
    memset(FILLING_COUNT, 0, sizeof(FILLING_COUNT))
    for a in range(11):
        for b in range(a, 11):
            for c in range(b, 11):
                for d in range(c, 11):
                    memset(left, 0, sizeof(left))
                    left[a] += 1
                    left[b] += 1
                    left[c] += 1
                    left[d] += 1
                    code = ((a * 11 + b) * 11 + c) * 11 + d
                    end = fill_from(total, left, left[STAR], 0, 0)
                    FILLING_START[code] = total
                    FILLING_COUNT[code] = end - total
                    total = end
    return total


# ---------------------------------------------------------------- placements

cdef struct Placement:
    int8_t piece
    int8_t orientation
    int8_t column
    int8_t base


cdef inline int landing(const Sheet *sheet, const Orientation *o, int column) noexcept nogil:
    """Row on which the piece's row 0 comes to rest; -1 when it would not fit within the sheet."""
    cdef int base = 0, j, rest
    for j in range(o.width):
        rest = sheet.height[column + j] - o.bottom[j]
        if rest > base:
            base = rest
    return base if base + o.height <= ND_ROWS else -1


cdef int placements_of(const Sheet *sheet, int piece, Placement *out) noexcept nogil:
    """All placements of one piece by orientation and column; at most 44."""
    cdef int o, column, base, count = 0
    for o in range(ORIENTATIONS[piece]):
        for column in range(ND_COLUMNS - ORIENTATION[piece][o].width + 1):
            base = landing(sheet, &ORIENTATION[piece][o], column)
            if base >= 0:
                out[count].piece = <int8_t>piece
                out[count].orientation = <int8_t>o
                out[count].column = <int8_t>column
                out[count].base = <int8_t>base
                count += 1
    return count


cdef int placements(const Sheet *sheet, int shape, Placement *out) noexcept nogil:
    """All placements for a face of the shape die; at most 105."""
    cdef int piece, count = 0
    if shape != STAR_SHAPE:
        return placements_of(sheet, shape, out)
    for piece in range(STAR_SHAPE):
        count += placements_of(sheet, piece, out + count)
    return count


cdef inline bw_action placed_action(int tag, const Placement *p) noexcept nogil:
    return <bw_action>tag | <bw_action>p.piece << 3 | <bw_action>p.orientation << 7 | <bw_action>p.column << 10


cdef inline int action_tag(bw_action action) noexcept nogil:
    return <int>(action & 7)


cdef inline int action_piece(bw_action action) noexcept nogil:
    return <int>(action >> 3 & 15)


cdef inline const Orientation *action_orientation(bw_action action) noexcept nogil:
    return &ORIENTATION[action >> 3 & 15][action >> 7 & 7]


cdef inline int action_column(bw_action action) noexcept nogil:
    return <int>(action >> 10 & 7)


cdef void settle(Sheet *sheet, const Orientation *o, int column, int base) noexcept nogil:
    cdef int j
    for j in range(o.width):
        sheet.height[column + j] = <uint8_t>(base + o.top[j] + 1)


cdef void drop_piece(Sheet *sheet, bw_action action) noexcept nogil:
    """Write the cells of a DROP or BLOCK action that fits."""
    cdef const Orientation *o = action_orientation(action)
    cdef int column = action_column(action), base = landing(sheet, o, column), i
    cdef nd_set cell
    for i in range(o.cells):
        cell = nd_bit(8 * (base + o.row[i]) + column + o.column[i])
        if action_tag(action) == TAG_BLOCK:
            sheet.block |= cell
        else:
            sheet.digit[action >> (16 + 4 * i) & 15] |= cell
    settle(sheet, o, column, base)


# ---------------------------------------------------------------- claims

cdef struct Emit:
    # A list under construction: actions number skip to skip + cap are kept, all are counted.
    bw_action *out
    int64_t skip
    int64_t cap
    int64_t count


cdef inline void emit(Emit *e, bw_action action) noexcept nogil:
    if e.count >= e.skip and e.count - e.skip < e.cap:
        e.out[e.count - e.skip] = action
    e.count += 1


cdef inline bw_action claim_action(int kind, int size, nd_set cells) noexcept nogil:
    cdef bw_action action = <bw_action>TAG_CLAIM | <bw_action>kind << 3 | <bw_action>size << 4
    cdef int shift = 8
    while cells:
        action |= <bw_action>nd_low(cells) << shift
        cells = nd_drop_low(cells)
        shift += 7
    return action


cdef inline int claim_kind(bw_action action) noexcept nogil:
    return <int>(action >> 3 & 1)


cdef inline int claim_size(bw_action action) noexcept nogil:
    return <int>(action >> 4 & 15)


cdef nd_set claim_cells(bw_action action) noexcept nogil:
    cdef nd_set cells = 0
    cdef int i
    for i in range(claim_size(action)):
        cells |= nd_bit(<int>(action >> (8 + 7 * i) & 127))
    return cells


cdef inline int is_open(const Sheet *sheet, int kind, int size) noexcept nogil:
    if size == 8:
        return not sheet.bonus
    return not (sheet.claimed[kind] >> (size - 3) & 1)


# Connected sets, each once: Redelmeier's enumeration of lattice animals (D. H. Redelmeier, Counting polyominoes,
# Discrete Mathematics 36, 1981) inside a mask. A set grows from its lowest cell; a cell that was offered once is
# not offered again in the same branch.

cdef void grow_identical(Emit *e, int size, nd_set chosen, nd_set untried, nd_set seen, nd_set within,
                         int left) noexcept nogil:
    cdef nd_set cell, fresh
    while untried:
        cell = untried & ~(untried - 1)
        untried ^= cell
        if left == 1:
            emit(e, claim_action(0, size, chosen | cell))
        else:
            fresh = nd_near(cell) & within & ~seen
            grow_identical(e, size, chosen | cell, untried | fresh, seen | fresh, within, left - 1)


cdef void identical_claims(const Sheet *sheet, int size, Emit *e) noexcept nogil:
    """All connected sets of `size` free equal digits."""
    cdef int digit
    cdef nd_set free, part, root, fresh
    for digit in range(10):
        free = sheet.digit[digit] & ~sheet.used
        free &= nd_near(free)
        while free:
            part = nd_flood(free & ~(free - 1), free)
            free ^= part
            if nd_count(part) < size:
                continue
            while part:
                root = part & ~(part - 1)
                part ^= root
                fresh = nd_near(root) & part
                grow_identical(e, size, root, fresh, fresh | root, part, size - 1)


cdef void grow_path(Emit *e, const nd_set *reach, int size, int index, nd_set chosen, nd_set last) noexcept nogil:
    cdef nd_set following, cell
    if index == size:
        emit(e, claim_action(1, size, chosen))
        return
    following = nd_near(last) & reach[index]
    while following:
        cell = following & ~(following - 1)
        following ^= cell
        grow_path(e, reach, size, index + 1, chosen | cell, cell)


cdef void path_claims(const Sheet *sheet, int size, Emit *e) noexcept nogil:
    """All paths of `size` free digits, +1 each step. The digits order the cells: a set of cells is one path."""
    cdef int low, i
    cdef nd_set reach[8]
    cdef nd_set first, cell
    for low in range(11 - size):
        reach[size - 1] = sheet.digit[low + size - 1] & ~sheet.used
        for i in range(size - 2, -1, -1):
            if not reach[i + 1]:
                reach[0] = 0
                break
            reach[i] = sheet.digit[low + i] & ~sheet.used & nd_near(reach[i + 1])
        first = reach[0]
        while first:
            cell = first & ~(first - 1)
            first ^= cell
            grow_path(e, reach, size, 1, cell, cell)


cdef int digit_at(const Sheet *sheet, nd_set cell) noexcept nogil:
    """The digit in a cell, -1 for none."""
    cdef int digit
    for digit in range(10):
        if sheet.digit[digit] & cell:
            return digit
    return -1


cdef void grow_set(Emit *e, const Sheet *sheet, int size, int low, int high, nd_set chosen, nd_set untried,
                   nd_set seen, nd_set within, int left) noexcept nogil:
    cdef nd_set cell, fresh, inside
    cdef int digit, other, floor_digit, top_digit
    while untried:
        cell = untried & ~(untried - 1)
        untried ^= cell
        digit = digit_at(sheet, cell)
        floor_digit = min(low, digit)
        top_digit = max(high, digit)
        if left == 1:
            emit(e, claim_action(1, size, chosen | cell))
            continue
        # No digit twice, and none too far from the others: both only ever shrink what may still be added.
        inside = within & ~sheet.digit[digit]
        for other in range(10):
            if other <= top_digit - size or other >= floor_digit + size:
                inside &= ~sheet.digit[other]
        fresh = nd_near(cell) & inside & ~seen
        grow_set(e, sheet, size, floor_digit, top_digit, chosen | cell, (untried & inside) | fresh, seen | fresh,
                 inside, left - 1)


cdef void set_claims(const Sheet *sheet, int size, Emit *e) noexcept nogil:
    """All connected sets of `size` free cells that hold consecutive digits once each."""
    cdef int digit
    cdef nd_set rest = 0, root
    for digit in range(10):
        rest |= sheet.digit[digit]
    rest &= ~sheet.used
    while rest:
        root = rest & ~(rest - 1)
        rest ^= root
        # grow_set picks the root itself, being the only cell offered.
        grow_set(e, sheet, size, 9, 0, 0, root, root, rest | root, size)


cdef void claims_of(const Sheet *sheet, int straight_set, int kind, int size, Emit *e) noexcept nogil:
    if not is_open(sheet, kind, size):
        return
    if kind == 0:
        identical_claims(sheet, size, e)
    elif straight_set:
        set_claims(sheet, size, e)
    else:
        path_claims(sheet, size, e)


cdef int largest_group(const Sheet *sheet) noexcept nogil:
    """Cells of the largest connected group of free equal digits, as far as it matters: at most 8; 0 below 3."""
    cdef nd_set free, part
    cdef int digit, most = 0
    for digit in range(10):
        free = sheet.digit[digit] & ~sheet.used
        free &= nd_near(free)
        while nd_count(free) > max(most, 2):
            part = nd_flood(free & ~(free - 1), free)
            free ^= part
            if nd_count(part) > max(most, 2):
                most = nd_count(part)
    return min(most, 8)


cdef int longest_path(const Sheet *sheet) noexcept nogil:
    """Cells of the longest path of free digits, +1 each step; at most 8."""
    cdef nd_set reached
    cdef int low, digit, most = 0
    for low in range(8):
        reached = sheet.digit[low] & ~sheet.used
        digit = low + 1
        while reached and digit < 10:
            reached = nd_near(reached) & sheet.digit[digit] & ~sheet.used
            if reached:
                digit += 1
        most = max(most, digit - low)
    return min(most, 8)


cdef void all_claims(const Sheet *sheet, int straight_set, Emit *e) noexcept nogil:
    """No claim, then all claims by falling size, identical before straights."""
    cdef int size
    # Most sheets hold nothing to claim: two quick bounds save most of the enumeration.
    cdef int group = largest_group(sheet)
    cdef int path = 8 if straight_set else longest_path(sheet)
    emit(e, <bw_action>TAG_CLAIM)
    for size in range(max(group, path), 2, -1):
        if size <= group:
            claims_of(sheet, straight_set, 0, size, e)
        if size <= path:
            claims_of(sheet, straight_set, 1, size, e)


cdef void claim_on_sheet(const State *s, Sheet *sheet, bw_action action) noexcept nogil:
    cdef int kind = claim_kind(action), size = claim_size(action), number, i
    cdef nd_set cells
    if not size:
        return
    cells = claim_cells(action)
    sheet.used |= cells
    if size == 8:
        sheet.bonus = 1
        number = BONUS
    else:
        number = 1 + 5 * kind + size - 3
        sheet.claimed[kind] |= <uint8_t>(1 << (size - 3))
        # Circling a letter that is crossed has no effect any more.
        sheet.circled |= sheet.claimed[0] & sheet.claimed[1] & ~s.crossed & <uint8_t>(1 << (size - 3))
    for i in range(4):
        if number >> i & 1:
            sheet.group[i] |= cells


# ---------------------------------------------------------------- scores

cdef inline nd_set filled(const Sheet *sheet) noexcept nogil:
    cdef nd_set cells = sheet.block
    cdef int digit
    for digit in range(10):
        cells |= sheet.digit[digit]
    return cells


cdef inline int crosses_line(const Sheet *sheet) noexcept nogil:
    cdef int column
    for column in range(ND_COLUMNS):
        if sheet.height[column] > ND_LINE:
            return 1
    return 0


cdef int full_rows(nd_set cells) noexcept nogil:
    cdef int row, count = 0
    for row in range(ND_LINE):
        if (cells & nd_row(row)) == nd_row(row):
            count += 1
    return count


cdef inline int touched_rows(nd_set cells) noexcept nogil:
    """Rows above the line that hold a cell."""
    cdef int row, count = 0
    for row in range(ND_LINE, ND_ROWS):
        if cells & nd_row(row):
            count += 1
    return count


cdef int claim_points(const Sheet *sheet) noexcept nogil:
    cdef int kind, k, points = 8 * sheet.bonus
    for kind in range(2):
        for k in range(5):
            if sheet.claimed[kind] >> k & 1:
                points += k + 3
        if sheet.claimed[kind] == 31:
            points += 10
    return points


cdef int score(const State *s, int player) noexcept nogil:
    cdef const Sheet *sheet = &s.sheet[player]
    cdef nd_set cells = filled(sheet)
    return 2 * full_rows(cells) - s.over_row * touched_rows(cells) + claim_points(sheet)


# ---------------------------------------------------------------- the course of the game

cdef inline int any_star(const State *s) noexcept nogil:
    return s.number[3] == STAR or s.shape == STAR_SHAPE


cdef int all_at_bottom(const State *s) noexcept nogil:
    cdef int letter
    for letter in range(LETTERS):
        if s.notch[letter] < NOTCHES:
            return 0
    return 1


cdef void forget_roll(State *s) noexcept nogil:
    # One form for every position: what is over leaves no trace.
    memset(s.number, 0, 4)
    s.shape = 0
    s.slides = 0
    s.fired = NO_LETTER


cdef void end_round(State *s) noexcept nogil:
    cdef int player, over = 0
    cdef uint8_t everyone = 31
    for player in range(s.players):
        over |= crosses_line(&s.sheet[player])
        everyone &= s.sheet[player].circled
    if s.solo:
        over |= all_at_bottom(s)
    elif s.autocross:
        s.crossed |= everyone
    forget_roll(s)
    if over:
        s.phase = PHASE_OVER
    else:
        s.phase = PHASE_ROLL
        s.active = <uint8_t>((s.active + 1) % s.players)
    s.turn = s.active


cdef void begin_drops(State *s) noexcept nogil:
    s.phase = PHASE_DROP
    s.fired = NO_LETTER
    s.slides = 0
    s.turn = s.active


cdef int next_slides(const State *s, uint8_t *out) noexcept nogil:
    """Letters that may slide now; none when no slide is due."""
    cdef int letter, count = 0
    if s.slides > 1 or (s.slides == 1 and not any_star(s)):
        return 0
    for letter in range(LETTERS):
        if s.notch[letter] == NOTCHES:
            continue
        if s.slides == 1 and s.shape != STAR_SHAPE and s.tile[letter] != s.shape:
            continue
        out[count] = <uint8_t>letter
        count += 1
    return count


cdef void after_slide(State *s) noexcept nogil:
    """Go on in the solo game once a slide and the tile it set free are done with."""
    cdef uint8_t letters[5]
    if s.end_now and all_at_bottom(s):
        end_round(s)
    elif next_slides(s, letters):
        s.phase = PHASE_SLIDE
        s.fired = NO_LETTER
    else:
        begin_drops(s)


cdef void block_from(State *s, int offset) noexcept nogil:
    """Let the next player who has not circled the letter drop its tile, or end the block.

    `offset` counts players in turn order from the active one.
    """
    cdef int player
    while offset < s.players:
        player = (s.active + offset) % s.players
        if not s.sheet[player].circled >> s.fired & 1:
            s.phase = PHASE_BLOCK
            s.turn = <uint8_t>player
            return
        offset += 1
    s.crossed |= <uint8_t>(1 << s.fired)
    if s.solo:
        after_slide(s)
    else:
        end_round(s)


cdef void begin_block(State *s) noexcept nogil:
    """After the roll of a game that is not solo: the first letter that is circled and not crossed fires."""
    cdef int letter, player
    cdef uint8_t someone = 0
    for player in range(s.players):
        someone |= s.sheet[player].circled
    someone &= ~s.crossed
    if not someone or not any_star(s):
        begin_drops(s)
        return
    letter = 0
    while not someone >> letter & 1:
        letter += 1
    s.fired = <uint8_t>letter
    block_from(s, 0)


cdef void apply(void *state, bw_action action) noexcept nogil:
    cdef State *s = <State *>state
    cdef Sheet *sheet = &s.sheet[s.turn]
    cdef int i, tag = action_tag(action), letter
    cdef uint8_t letters[5]
    if tag == TAG_CLAIM:
        claim_on_sheet(s, sheet, action)
        s.turn = <uint8_t>((s.turn + 1) % s.players)
        s.phase = PHASE_DROP
        if s.turn == s.active:
            end_round(s)
    elif tag == TAG_DROP:
        if action_piece(action) != NO_PIECE:
            drop_piece(sheet, action)
        s.phase = PHASE_CLAIM
    elif tag == TAG_ROLL:
        for i in range(4):
            s.number[i] = <uint8_t>(action >> (3 + 4 * i) & 15)
        s.shape = <uint8_t>(action >> 19 & 15)
        s.slides = 0
        s.turn = s.active
        if not s.solo:
            begin_block(s)
        elif next_slides(s, letters):
            s.phase = PHASE_SLIDE
        else:
            begin_drops(s)
    elif tag == TAG_BLOCK:
        if action_piece(action) != NO_PIECE:
            drop_piece(sheet, action)
        block_from(s, (s.turn - s.active + s.players) % s.players + 1)
    elif tag == TAG_SLIDE:
        letter = <int>(action >> 3)
        s.notch[letter] += 1
        s.slides += 1
        if s.notch[letter] == NOTCHES and not sheet.circled >> letter & 1:
            s.fired = <uint8_t>letter
            s.phase = PHASE_BLOCK
        else:
            after_slide(s)
    elif tag == TAG_WRITE:
        sheet.digit[s.turn + 1] = nd_bit(<int>(action >> 3))
        sheet.height[action >> 3] = 1
        s.turn = <uint8_t>((s.turn + 1) % s.players)
        if s.turn == 0:
            s.phase = PHASE_ROLL
    else:
        letter = 0
        while s.tile[letter] != NO_PIECE:
            letter += 1
        s.tile[letter] = <uint8_t>(action >> 3)
        if letter == LETTERS - 1:
            s.phase = PHASE_WRITE


# ---------------------------------------------------------------- what is legal

cdef int drawable(const State *s, uint8_t *out) noexcept nogil:
    """Pieces that may still be drawn for the next letter."""
    cdef int piece, letter, taken, count = 0
    cdef int first = 5 if s.tile_mode == TILES_EXTRA else 0
    cdef int last = 5 if s.tile_mode == TILES_SHAPES else PIECES
    for piece in range(first, last):
        taken = 0
        for letter in range(LETTERS):
            taken |= s.tile[letter] == piece
        if not taken:
            out[count] = <uint8_t>piece
            count += 1
    return count


cdef void list_drops(const State *s, Emit *e) noexcept nogil:
    cdef Placement place[MAX_PLACEMENTS]
    cdef int count = placements(&s.sheet[s.turn], s.shape, place), i, j
    cdef int code = filling_code(s.number), fillings = FILLING_COUNT[code]
    cdef const uint16_t *filling = &FILLING[FILLING_START[code]]
    cdef bw_action action
    if not count:
        emit(e, <bw_action>TAG_DROP | <bw_action>NO_PIECE << 3)
    for i in range(count):
        if e.count + fillings <= e.skip or e.count >= e.skip + e.cap:
            e.count += fillings
            continue
        action = placed_action(TAG_DROP, &place[i])
        for j in range(fillings):
            emit(e, action | <bw_action>filling[j] << 16)


cdef void list_blocks(const State *s, Emit *e) noexcept nogil:
    cdef Placement place[MAX_PLACEMENTS]
    cdef int count = placements_of(&s.sheet[s.turn], s.tile[s.fired], place), i
    if not count:
        emit(e, <bw_action>TAG_BLOCK | <bw_action>NO_PIECE << 3)
    for i in range(count):
        emit(e, placed_action(TAG_BLOCK, &place[i]))


cdef void list_actions(const State *s, Emit *e) noexcept nogil:
    cdef int i, count
    cdef uint8_t letters[5]
    if s.phase == PHASE_DROP:
        list_drops(s, e)
    elif s.phase == PHASE_CLAIM:
        all_claims(&s.sheet[s.turn], s.straight_set, e)
    elif s.phase == PHASE_BLOCK:
        list_blocks(s, e)
    elif s.phase == PHASE_SLIDE:
        count = next_slides(s, letters)
        for i in range(count):
            emit(e, <bw_action>TAG_SLIDE | <bw_action>letters[i] << 3)
    elif s.phase == PHASE_WRITE:
        for i in range(ND_COLUMNS):
            emit(e, <bw_action>TAG_WRITE | <bw_action>i << 3)


cdef int64_t actions(const void *state, bw_action *out, int64_t cap) noexcept nogil:
    cdef Emit e
    e.out = out
    e.skip = 0
    e.cap = cap
    e.count = 0
    list_actions(<const State *>state, &e)
    return e.count


cdef int64_t roll_outcomes(const State *s, bw_action *out, double *probability, int64_t cap) noexcept nogil:
    cdef int a, b, c, d, shape, i, j, code
    cdef int64_t count = 0
    cdef uint8_t n[4]
    cdef bw_action action
    cdef int32_t ways[FILLING_CODES]
    memset(ways, 0, sizeof(ways))
    for i in range(1296):
        code = i
        for j in range(4):
            n[j] = s.dice[j][code % 6]
            code //= 6
        sort_numbers(n)
        ways[filling_code(n)] += 1
    for a in range(11):
        for b in range(a, 11):
            for c in range(b, 11):
                for d in range(c, 11):
                    code = ((a * 11 + b) * 11 + c) * 11 + d
                    if not ways[code]:
                        continue
                    action = roll_action(a, b, c, d)
                    for shape in range(6):
                        if count < cap:
                            out[count] = action | <bw_action>shape << 19
                            probability[count] = ways[code] / (1296.0 * 6)
                        count += 1
    return count


cdef inline bw_action roll_action(int a, int b, int c, int d) noexcept nogil:
    return (<bw_action>TAG_ROLL | <bw_action>a << 3 | <bw_action>b << 7 | <bw_action>c << 11
            | <bw_action>d << 15)


cdef inline void order_pair(uint8_t *n, int i, int j) noexcept nogil:
    cdef uint8_t low
    if n[i] > n[j]:
        low = n[j]
        n[j] = n[i]
        n[i] = low


cdef inline void sort_numbers(uint8_t *n) noexcept nogil:
    order_pair(n, 0, 1)
    order_pair(n, 2, 3)
    order_pair(n, 0, 2)
    order_pair(n, 1, 3)
    order_pair(n, 1, 2)


cdef int64_t outcomes(const void *state, bw_action *out, double *probability, int64_t cap) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef uint8_t pieces[10]
    cdef int count, i
    if s.phase == PHASE_ROLL:
        return roll_outcomes(s, out, probability, cap)
    count = drawable(s, pieces)
    for i in range(count):
        if i < cap:
            out[i] = <bw_action>TAG_TILE | <bw_action>pieces[i] << 3
            probability[i] = 1.0 / count
    return count


cdef bw_action sample_roll(const State *s, bw_rng *rng) noexcept nogil:
    cdef uint8_t n[4]
    cdef int j, draw = <int>bw_rng_below(rng, 7776)
    for j in range(4):
        n[j] = s.dice[j][draw % 6]
        draw //= 6
    sort_numbers(n)
    return roll_action(n[0], n[1], n[2], n[3]) | <bw_action>draw << 19


cdef bw_action sample_drop(const State *s, bw_rng *rng) noexcept nogil:
    cdef Placement place[MAX_PLACEMENTS]
    cdef int count = placements(&s.sheet[s.turn], s.shape, place), code, fillings
    cdef uint64_t draw
    if not count:
        return <bw_action>TAG_DROP | <bw_action>NO_PIECE << 3
    code = filling_code(s.number)
    fillings = FILLING_COUNT[code]
    draw = bw_rng_below(rng, <uint64_t>count * fillings)
    return (placed_action(TAG_DROP, &place[draw // fillings])
            | <bw_action>FILLING[FILLING_START[code] + <int>(draw % fillings)] << 16)


cdef bw_action sample_listed(const State *s, int64_t first, bw_rng *rng) noexcept nogil:
    """One of the listed actions from number `first` on, or the last one if there are no more."""
    cdef bw_action few[64]
    cdef Emit e
    cdef int64_t pick
    e.out = few
    e.skip = 0
    e.cap = 64
    e.count = 0
    list_actions(s, &e)
    first = min(first, e.count - 1)
    pick = first + <int64_t>bw_rng_below(rng, e.count - first)
    if pick >= 64:
        # A longer list is walked again to the one that was drawn.
        e.skip = pick
        e.cap = 1
        e.count = 0
        list_actions(s, &e)
        pick = 0
    return few[pick]


cdef bw_action sample(const void *state, bw_rng *rng) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef uint8_t pieces[10]
    cdef int count
    if s.phase == PHASE_ROLL:
        return sample_roll(s, rng)
    if s.phase == PHASE_DROP:
        return sample_drop(s, rng)
    if s.phase == PHASE_TILE:
        count = drawable(s, pieces)
        return <bw_action>TAG_TILE | <bw_action>pieces[bw_rng_below(rng, count)] << 3
    if s.phase == PHASE_OVER:
        return BW_NO_ACTION
    return sample_listed(s, 0, rng)


cdef void playout_step(void *state, bw_rng *rng) noexcept nogil:
    """Uniformly random, but for this: whoever can claim, claims."""
    cdef const State *s = <const State *>state
    if s.phase == PHASE_CLAIM:
        apply(state, sample_listed(s, 1, rng))
    elif s.phase != PHASE_OVER:
        apply(state, sample(s, rng))


cdef int players(const void *state) noexcept nogil:
    return (<const State *>state).players


cdef int kind(const void *state) noexcept nogil:
    cdef int phase = (<const State *>state).phase
    if phase == PHASE_OVER:
        return BW_TERMINAL
    return BW_CHANCE if phase == PHASE_ROLL or phase == PHASE_TILE else BW_DECISION


cdef int player(const void *state) noexcept nogil:
    return (<const State *>state).turn


cdef int repetition(const void *state) noexcept nogil:
    return 0


cdef inline uint64_t mixed(uint64_t hash, uint64_t word) noexcept nogil:
    # A multiply-rotate step of the wyhash and FxHash family; the result is finished by splitmix64.
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL
    return hash ^ (hash >> 29)


cdef uint64_t key(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef const Sheet *sheet
    cdef int p, d, i
    cdef uint64_t hash = 0
    for p in range(s.players):
        sheet = &s.sheet[p]
        for d in range(10):
            hash = mixed(mixed(hash, <uint64_t>sheet.digit[d]), <uint64_t>(sheet.digit[d] >> 64))
        hash = mixed(mixed(hash, <uint64_t>sheet.block), <uint64_t>(sheet.block >> 64))
        hash = mixed(mixed(hash, <uint64_t>sheet.used), <uint64_t>(sheet.used >> 64))
        hash = mixed(hash, sheet.claimed[0] | sheet.claimed[1] << 8 | sheet.bonus << 16 | sheet.circled << 24)
    for i in range(LETTERS):
        hash = mixed(hash, s.tile[i] | s.notch[i] << 8)
    hash = mixed(hash, s.phase | s.active << 8 | s.turn << 16 | <uint64_t>s.crossed << 24)
    hash = mixed(hash, filling_code(s.number) | <uint64_t>s.shape << 16 | <uint64_t>s.fired << 24
                 | <uint64_t>s.slides << 32)
    hash = mixed(hash, s.over_row | s.autocross << 8 | s.straight_set << 16 | <uint64_t>s.end_now << 24
                 | <uint64_t>s.solo << 32 | <uint64_t>s.tile_mode << 40)
    for i in range(4):
        for d in range(6):
            hash = mixed(hash, s.dice[i][d])
    return bw_splitmix(&hash)


cdef void returns(const void *state, bw_value *out) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int p
    for p in range(s.players):
        out[p] = BW_UNIT * score(s, p)


# ---------------------------------------------------------------- bounds

cdef int claims_left(const State *s, int player) noexcept nogil:
    """At most so many claims are still to come for a player."""
    cdef const Sheet *sheet = &s.sheet[player]
    cdef int column, letter, rounds, free = 0, slides = 0
    # Whether this round's claim is still to come, with its drop already made.
    cdef int pending = s.phase == PHASE_CLAIM and s.turn == player
    for column in range(ND_COLUMNS):
        free += max(0, ND_LINE - sheet.height[column])
    # Each round but the last leaves four more cells below the line.
    rounds = free // 4 + 1
    if s.solo:
        for letter in range(LETTERS):
            slides += NOTCHES - s.notch[letter]
        # The round under way has paid for its slide already.
        if s.phase == PHASE_DROP or s.phase == PHASE_BLOCK or (s.phase == PHASE_SLIDE and s.slides):
            slides += 1
        # A drop that fits nowhere is skipped, its claim is not: only the slides count then.
        rounds = min(rounds, slides) if not crosses_line(sheet) else slides
    return rounds + pending


cdef void bounds(const void *state, int player, bw_value *low, bw_value *high) noexcept nogil:
    """What a sheet has for certain, and what it could get if every further claim and row came off."""
    cdef const State *s = <const State *>state
    cdef const Sheet *sheet = &s.sheet[player]
    cdef nd_set cells = filled(sheet), reachable = cells
    cdef int column, kind_index, k, left, missing, points, touched, best, taken
    low[0] = high[0] = BW_UNIT * score(s, player)
    if s.phase == PHASE_OVER:
        return
    touched = touched_rows(cells)
    points = claim_points(sheet)
    low[0] = BW_UNIT * (points + 2 * full_rows(cells) - 3 * s.over_row)
    for column in range(ND_COLUMNS):
        reachable |= nd_above(column, sheet.height[column])
    best = points + 2 * full_rows(reachable) - s.over_row * touched
    left = claims_left(s, player)
    for kind_index in range(2):
        missing = 0
        for k in range(5):
            missing += not (sheet.claimed[kind_index] >> k & 1)
        if 0 < missing <= left:
            best += 10
    # The dearest open boxes first.
    taken = 0
    if not sheet.bonus and taken < left:
        best += 8
        taken += 1
    for k in range(4, -1, -1):
        for kind_index in range(2):
            if taken < left and not sheet.claimed[kind_index] >> k & 1:
                best += k + 3
                taken += 1
    high[0] = BW_UNIT * best


# ---------------------------------------------------------------- static evaluation
# The value of a sheet is its score so far plus the sum of the weights of the features it shows: an estimate of the
# points still to come. ext/search/td.pyx learns the weights by temporal differences over afterstates. Every table is
# there twice, for the solo game and for several players.

cdef enum:
    STAGES = 7
    F_STAGE = 0  # [rounds left, 21]
    F_IDENTICAL = F_STAGE + 21  # [boxes filled, 32][stage]
    F_STRAIGHT = F_IDENTICAL + 32 * STAGES
    F_BONUS = F_STRAIGHT + 32 * STAGES  # [filled][stage]
    F_GROUP = F_BONUS + 2 * STAGES  # [rank, 3][size 0..8][openness, 4][boxes filled]
    F_GROUP_STAGE = F_GROUP + 3 * 9 * 4 * 32  # [rank][size][openness][stage]
    F_RUN = F_GROUP_STAGE + 3 * 9 * 4 * STAGES  # [rank, 2][length 0..8][open ends, 4][boxes filled]
    F_RUN_STAGE = F_RUN + 2 * 9 * 4 * 32
    F_SHORT = F_RUN_STAGE + 2 * 9 * 4 * STAGES  # [kind][k - 3][single digits that reach k, 0..5][stage]
    F_ROW = F_SHORT + 2 * 6 * 6 * STAGES  # [cells missing 0..7, 8: never full][height over the mean, 5][stage]
    F_STEP = F_ROW + 9 * 5 * STAGES  # [difference of neighbouring heights -4..4][stage]
    F_TOP = F_STEP + 9 * STAGES  # [highest column, 15][stage]
    F_ROOM = F_TOP + 15 * STAGES  # [free cells below the line / 4, 20][stage]
    F_HOLES = F_ROOM + 20 * STAGES  # [covered empty cells 0..15][stage]
    F_NOTCH = F_HOLES + 16 * STAGES  # [notch 0..3][letters there, not circled 0..5][stage]
    F_THREAT = F_NOTCH + 4 * 6 * STAGES  # [letters that can still fire at this player 0..5][stage]
    F_PAIRS = F_THREAT + 6 * STAGES  # [further groups of two 0..7][stage]
    F_BOXES = F_PAIRS + 8 * STAGES  # [identical boxes filled, 32][straights, 32][rounds left, 21]
    F_HAND = F_BOXES + 32 * 32 * 21  # [sizes of the two largest groups, 9 * 9][of the two longest runs][stage]
    F_SPAN = F_HAND + 9 * 9 * 9 * 9 * STAGES  # [rank, 2][low digit][length][open below, 3][open above][filled]
    F_SPAN_STAGE = F_SPAN + 2 * 10 * 9 * 9 * 32
    F_KIND = F_SPAN_STAGE + 2 * 10 * 9 * 9 * STAGES  # [rank, 3][digit of the dice or not][size][ways on, 4][stage]
    F_WELL = F_KIND + 3 * 2 * 9 * 4 * STAGES  # [below a landing cell, 13][beside it, 13 * 13][stage]
    F_PROFILE = F_WELL + 13 * 13 * 13 * STAGES  # [three steps between four columns, each -3..3][stage]
    F_LEVEL = F_PROFILE + 7 * 7 * 7 * STAGES  # [free cells below the line / 4, 20][rounds left, 21][boxes open, 11]
    F_LETTER = F_LEVEL + 20 * 21 * 11  # [letter][tile, 10][notch or threat, 5][its boxes filled, 4]
    F_ROWS = F_LETTER + 5 * 10 * 5 * 4  # [cells missing in a row, 10][in the next one][height over the mean, 5][stage]
    FEATURES = F_ROWS + 10 * 10 * 5 * STAGES
    MAX_ACTIVE = 128
    # What is next to a landing cell, beside a free digit.
    SPENT_CELL = 10  # claimed or X
    WALL = 11
    EMPTY_CELL = 12

# In thousandths of a point; all 0 until set_weights() is called. Half the bytes of what a value needs: most of a
# table that large lies outside of the fastest cache.
cdef int16_t WEIGHT[2 * FEATURES]
# Changes whenever a number above means something else, so that no file of weights is read for another set.
FEATURE_SET = "numberdrop-2"


cdef struct Setting:
    # What a sheet's value depends on beside the sheet.
    int table  # offset of the weights
    int stage
    int rounds
    int notch[4]  # letters not circled at each notch, the bottom left out
    int letter[5]  # number of the letter's tile and its notch (solo) or whether it may fire at this player
    int threats
    int over_row
    int straight_set
    int last  # the game ends with this round, whatever is done


cdef struct Potential:
    # The largest sizes that claims could have at once.
    int group
    int run


cdef inline int room(const Sheet *sheet) noexcept nogil:
    """Cells below the line that a drop could still fill."""
    cdef int column, free = 0
    for column in range(ND_COLUMNS):
        free += max(0, ND_LINE - sheet.height[column])
    return free


cdef void setting_of(const State *s, int player, const Sheet *sheet, Setting *c) noexcept nogil:
    """The setting of a player whose sheet is, or is about to be, `sheet`."""
    cdef int letter, other, free, least = 77
    cdef uint8_t others = 0
    memset(c, 0, sizeof(Setting))
    c.over_row = s.over_row
    c.straight_set = s.straight_set
    if s.solo:
        for letter in range(LETTERS):
            c.rounds += NOTCHES - s.notch[letter]
            c.letter[letter] = (letter * PIECES + s.tile[letter] % PIECES) * 5 + s.notch[letter]
            if s.notch[letter] < NOTCHES and not sheet.circled >> letter & 1:
                c.notch[s.notch[letter]] += 1
        c.stage = (c.rounds + 2) // 3
        c.last = c.rounds == 0
        return
    c.table = FEATURES
    for other in range(s.players):
        if other == player:
            continue
        free = room(&s.sheet[other])
        least = min(least, free)
        others |= s.sheet[other].circled
        c.last |= crosses_line(&s.sheet[other])
    c.rounds = least // 4
    c.stage = min(STAGES - 1, least // 11)
    others &= ~(s.crossed | sheet.circled)
    for letter in range(LETTERS):
        c.threats += others >> letter & 1
        c.letter[letter] = (letter * PIECES + s.tile[letter] % PIECES) * 5 + (others >> letter & 1)
        if s.crossed >> letter & 1:
            c.letter[letter] += 2


cdef int run_length(const nd_set *free, nd_set cell, int digit, int step) noexcept nogil:
    """Cells on the longest path from `cell` on, the cell included, its digits going by `step` (1 or -1)."""
    cdef int length = 0
    while cell:
        length += 1
        digit += step
        if digit < 0 or digit > 9:
            break
        cell = nd_near(cell) & free[digit]
    return length


cdef int longest_run(const nd_set *free, nd_set *path, int *low) noexcept nogil:
    """Length (at most 8), cells and lowest digit of a longest run of at least two cells; 0 if there is none."""
    cdef nd_set layer[8][10]
    cdef nd_set cell
    cdef int length = 0, digit, last = 0
    cdef int ends, here = 0, grown  # digits as bits: only their layers are filled in
    for digit in range(10):
        layer[0][digit] = free[digit]
        here |= (free[digit] != 0) << digit
    ends = here
    while length < 7:
        grown = 0
        ends = ends << 1 & here
        while ends:
            digit = nd_low(ends)
            ends &= ends - 1
            layer[length + 1][digit] = free[digit] & nd_near(layer[length][digit - 1])
            if layer[length + 1][digit]:
                grown |= 1 << digit
                last = digit
        if not grown:
            break
        length += 1
        ends = grown
    if not length:
        return 0
    cell = layer[length][last]
    cell &= ~(cell - 1)
    path[0] = cell
    for digit in range(length):
        cell = nd_near(cell) & layer[length - 1 - digit][last - 1 - digit]
        cell &= ~(cell - 1)
        path[0] |= cell
    low[0] = last - length
    return length + 1


cdef int features(const Sheet *sheet, const Setting *c, int32_t *out, Potential *p) noexcept nogil:
    """Numbers of the active features (without the table's offset); at most MAX_ACTIVE. Fills `p` as well."""
    cdef nd_set free[10]
    cdef nd_set seen[10]
    cdef int size[10]
    cdef int below[10]
    cdef int above[10]
    cdef nd_set cells = sheet.block, landing_cells = 0, reachable = 0, part, near, path
    cdef nd_set neighbour
    cdef int8_t around[120]
    cdef int top_size[3]
    cdef int top_open[3]
    cdef int top_kind[3]
    cdef int length[2]
    cdef int step[6]
    cdef int beside[3]
    cdef int reach[2][9]
    cdef int n = 0, stage = c.stage, digit, column, count, row, missing, level, open_code, rank, i, j, low
    cdef int highest = 0, heights = 0, holes, pairs = 0, kind_index, own, rounds, down, up, boxes, before, kind
    for digit in range(10):
        cells |= sheet.digit[digit]
        free[digit] = sheet.digit[digit] & ~sheet.used
    for column in range(ND_COLUMNS):
        i = sheet.height[column]
        heights += i
        highest = max(highest, i)
        reachable |= nd_above(column, i)
        if i < ND_LINE:
            landing_cells |= nd_bit(8 * i + column)
    own = room(sheet)
    if c.table:
        # The game ends with whoever is first at the line.
        stage = min(stage, min(STAGES - 1, own // 11))
    rounds = min(20, min(c.rounds, own // 4) if c.table else c.rounds)
    out[n] = F_STAGE + rounds
    n += 1
    out[n] = F_BOXES + (sheet.claimed[0] * 32 + sheet.claimed[1]) * 21 + rounds
    n += 1
    out[n] = F_IDENTICAL + sheet.claimed[0] * STAGES + stage
    n += 1
    out[n] = F_STRAIGHT + sheet.claimed[1] * STAGES + stage
    n += 1
    out[n] = F_BONUS + sheet.bonus * STAGES + stage
    n += 1

    # Groups of equal digits.
    for i in range(3):
        top_size[i] = 1
        top_open[i] = 0
        top_kind[i] = 0
    for digit in range(10):
        near = free[digit] & nd_near(free[digit])
        while near:
            part = nd_flood(near & ~(near - 1), near)
            near ^= part
            count = min(8, nd_count(part))
            path = nd_near(part)
            neighbour = path & landing_cells
            # A group of 0, 8 or 9 grows by stars alone.
            kind = 4 if 1 <= digit <= 7 else 0
            if neighbour:
                i = min(3, nd_count(neighbour))
                open_code = 2 + (i > 1)
                kind += i
            else:
                open_code = (path & reachable) != 0
            pairs += 1
            for i in range(3):
                if count > top_size[i] or (count == top_size[i] and open_code > top_open[i]):
                    for j in range(2, i, -1):
                        top_size[j] = top_size[j - 1]
                        top_open[j] = top_open[j - 1]
                        top_kind[j] = top_kind[j - 1]
                    top_size[i] = count
                    top_open[i] = open_code
                    top_kind[i] = kind
                    break
    p.group = top_size[0]
    for rank in range(3):
        i = (rank * 9 + top_size[rank]) * 4 + top_open[rank]
        out[n] = F_GROUP + i * 32 + sheet.claimed[0]
        out[n + 1] = F_GROUP_STAGE + i * STAGES + stage
        i = ((rank * 2 + top_kind[rank] // 4) * 9 + top_size[rank]) * 4 + top_kind[rank] % 4
        out[n + 2] = F_KIND + i * STAGES + stage
        n += 3
    out[n] = F_PAIRS + min(7, max(0, pairs - 3)) * STAGES + stage
    n += 1

    # Runs.
    for digit in range(10):
        seen[digit] = free[digit]
    p.run = 1
    for rank in range(2):
        path = 0
        low = 0
        count = longest_run(seen, &path, &low) if rank == 0 or length[0] else 0
        length[rank] = count
        open_code = down = up = 0
        if count:
            if low > 0:
                near = nd_near(path & free[low])
                down = 2 if near & landing_cells else (near & reachable) != 0
            if low + count <= 9:
                near = nd_near(path & free[low + count - 1])
                up = 2 if near & landing_cells else (near & reachable) != 0
            open_code = 3 if down + up == 4 else max(down, up)
            for i in range(count):
                seen[low + i] &= ~path
        if rank == 0:
            p.run = count
        i = (rank * 9 + count) * 4 + open_code
        out[n] = F_RUN + i * 32 + sheet.claimed[1]
        out[n + 1] = F_RUN_STAGE + i * STAGES + stage
        i = (((rank * 10 + low) * 9 + count) * 3 + down) * 3 + up
        out[n + 2] = F_SPAN + i * 32 + sheet.claimed[1]
        out[n + 3] = F_SPAN_STAGE + i * STAGES + stage
        n += 4
    out[n] = F_HAND + (((top_size[0] * 9 + top_size[1]) * 9 + length[0]) * 9 + length[1]) * STAGES + stage
    n += 1

    # What one more digit on a landing cell would make: digits of the dice, 1..7.
    near = nd_near(landing_cells)
    memset(around, EMPTY_CELL, sizeof(around))
    path = cells & near
    for digit in range(10):
        part = free[digit] & near
        path ^= part
        while part:
            around[8 + nd_low(part)] = <int8_t>digit
            part = nd_drop_low(part)
    while path:
        around[8 + nd_low(path)] = SPENT_CELL
        path = nd_drop_low(path)
    memset(reach, 0, sizeof(reach))
    for column in range(ND_COLUMNS):
        i = sheet.height[column]
        if i >= ND_LINE:
            continue
        down = around[8 * i + column] if i else WALL
        low = around[8 * i + column + 7] if column else WALL
        up = around[8 * i + column + 9] if column < ND_COLUMNS - 1 else WALL
        out[n] = F_WELL + ((down * 13 + min(low, up)) * 13 + max(low, up)) * STAGES + stage
        n += 1
        if down > 9 and low > 9 and up > 9:
            continue
        beside[0] = down
        beside[1] = low
        beside[2] = up
        neighbour = nd_near(nd_bit(8 * i + column))
        memset(size, 0, sizeof(size))
        memset(below, 0, sizeof(below))
        memset(above, 0, sizeof(above))
        for j in range(3):
            digit = beside[j]
            # Neighbours of one digit are taken together.
            if not 0 <= digit <= 9 or (j > 0 and digit == down) or (j == 2 and digit == low):
                continue
            path = neighbour & free[digit]
            if 1 <= digit <= 7:
                size[digit] = nd_count(nd_flood(path, free[digit]))
            if digit <= 6:
                below[digit + 1] = run_length(free, path, digit, -1)
            if 2 <= digit <= 8:
                above[digit - 1] = run_length(free, path, digit, 1)
        for digit in range(1, 8):
            reach[0][min(8, size[digit] + 1)] += 1
            reach[1][min(8, below[digit] + above[digit] + 1)] += 1
    for kind_index in range(2):
        for i in range(7, 2, -1):
            # Who reaches more reaches this as well.
            reach[kind_index][i] += reach[kind_index][i + 1]
        for i in range(3, 9):
            if is_open(sheet, kind_index, i):
                out[n] = F_SHORT + ((kind_index * 6 + i - 3) * 6 + min(5, reach[kind_index][i])) * STAGES + stage
                n += 1

    # The shape of the heap.
    level = heights // ND_COLUMNS
    before = 9
    for row in range(ND_LINE):
        path = nd_row(row) & ~cells
        if not path:
            before = 0
            continue
        missing = 8 if path & ~reachable else nd_count(path)
        i = min(4, max(0, row - level + 2))
        out[n] = F_ROW + (missing * 5 + i) * STAGES + stage
        out[n + 1] = F_ROWS + ((before * 10 + missing) * 5 + i) * STAGES + stage
        n += 2
        if row > highest:
            break
        before = missing
    for column in range(ND_COLUMNS - 1):
        i = sheet.height[column + 1] - sheet.height[column]
        out[n] = F_STEP + (min(4, max(-4, i)) + 4) * STAGES + stage
        n += 1
        step[column] = min(3, max(-3, i))
    for column in range(ND_COLUMNS - 3):
        i = (step[column] * 7 + step[column + 1]) * 7 + step[column + 2]
        # The mirror image is worth the same.
        j = -(step[column + 2] * 7 + step[column + 1]) * 7 - step[column]
        out[n] = F_PROFILE + (max(i, j) + 171) * STAGES + stage
        n += 1
    boxes = 10 - nd_count64(sheet.claimed[0] | sheet.claimed[1] << 5)
    out[n] = F_LEVEL + ((own // 4) * 21 + rounds) * 11 + boxes
    n += 1
    for i in range(LETTERS):
        out[n] = F_LETTER + c.letter[i] * 4 + (sheet.claimed[0] >> i & 1) + 2 * (sheet.claimed[1] >> i & 1)
        n += 1
    out[n] = F_TOP + highest * STAGES + stage
    out[n + 1] = F_ROOM + (own // 4) * STAGES + stage
    holes = heights - nd_count(cells)
    out[n + 2] = F_HOLES + min(15, holes) * STAGES + stage
    n += 3

    # Tiles that may still fall.
    if c.table:
        out[n] = F_THREAT + c.threats * STAGES + stage
        n += 1
    else:
        for i in range(4):
            out[n] = F_NOTCH + (i * 6 + c.notch[i]) * STAGES + stage
            n += 1
    return n


cdef bw_value sheet_value(const Sheet *sheet, const Setting *c, Potential *p) noexcept nogil:
    """Expected final points of a sheet between rounds, without a claim that is due."""
    cdef int32_t active[MAX_ACTIVE]
    cdef nd_set cells = filled(sheet)
    cdef bw_value value, expected = 0
    cdef int n, i
    value = BW_UNIT * (claim_points(sheet) + 2 * full_rows(cells) - c.over_row * touched_rows(cells))
    n = features(sheet, c, active, p)
    if c.last or crosses_line(sheet):
        return value
    for i in range(n):
        expected += bw_get_weight(&WEIGHT[c.table + active[i]])
    return value + expected * (BW_UNIT // BW_WEIGHT_UNIT)


cdef enum:
    CLAIM_TRIES = 24


cdef bw_value value_with_claim(const State *s, int player, const Sheet *sheet, const Setting *c,
                               bw_action claim) noexcept nogil:
    """The value of a sheet with one claim made on it."""
    cdef Sheet after = sheet[0]
    cdef Setting changed
    cdef Potential p
    claim_on_sheet(s, &after, claim)
    if after.circled == sheet.circled:
        return sheet_value(&after, c, &p)
    setting_of(s, player, &after, &changed)
    return sheet_value(&after, &changed, &p)


cdef bw_value value_before_claim(const State *s, int player, const Sheet *sheet, const Setting *c) noexcept nogil:
    """The value of a sheet whose claim is due, the best one made: of a long list CLAIM_TRIES are tried."""
    cdef Potential p
    cdef bw_value best = sheet_value(sheet, c, &p)
    cdef bw_action tries[CLAIM_TRIES]
    cdef Emit e
    cdef int size, i
    if p.group < 3 and p.run < 3:
        return best
    e.out = tries
    e.skip = 0
    e.cap = CLAIM_TRIES
    e.count = 0
    for size in range(8, 2, -1):
        if size <= p.group:
            claims_of(sheet, s.straight_set, 0, size, &e)
        if size <= p.run:
            claims_of(sheet, s.straight_set, 1, size, &e)
    for i in range(<int>min(e.count, <int64_t>CLAIM_TRIES)):
        best = max(best, value_with_claim(s, player, sheet, c, tries[i]))
    return best


cdef bw_value value_before_block(const State *s, int player, const Setting *c) noexcept nogil:
    """The value of a sheet that has a tile to drop, at the best place."""
    cdef Placement place[MAX_PLACEMENTS]
    cdef int count = placements_of(&s.sheet[player], s.tile[s.fired], place), i
    cdef bw_value best, value
    cdef Sheet after
    cdef Potential p
    if not count:
        return sheet_value(&s.sheet[player], c, &p)
    best = INT32_MIN
    for i in range(count):
        after = s.sheet[player]
        drop_piece(&after, placed_action(TAG_BLOCK, &place[i]))
        value = sheet_value(&after, c, &p)
        best = max(best, value)
    return best


cdef bw_value evaluate_player(const State *s, int player) noexcept nogil:
    cdef Setting c
    cdef Potential p
    if s.phase == PHASE_OVER:
        return BW_UNIT * score(s, player)
    setting_of(s, player, &s.sheet[player], &c)
    if s.turn == player and s.phase == PHASE_BLOCK:
        # A solo game goes on with a drop after the block, even after the last slide.
        c.last &= not s.solo
        return value_before_block(s, player, &c)
    if s.turn == player and s.phase == PHASE_CLAIM:
        return value_before_claim(s, player, &s.sheet[player], &c)
    return sheet_value(&s.sheet[player], &c, &p)


cdef void evaluate(const void *state, bw_value *out) noexcept nogil:
    cdef int p
    for p in range((<const State *>state).players):
        out[p] = evaluate_player(<const State *>state, p)


# ---------------------------------------------------------------- the best few

cdef inline int64_t keep_best(bw_action *out, bw_value *value, int64_t kept, int64_t k, bw_action action,
                              bw_value v) noexcept nogil:
    """Insert into a list by falling value, earlier ones first among equals; returns its new length."""
    cdef int64_t i
    if kept == k:
        if v <= value[k - 1]:
            return kept
        kept -= 1
    i = kept
    while i > 0 and value[i - 1] < v:
        out[i] = out[i - 1]
        value[i] = value[i - 1]
        i -= 1
    out[i] = action
    value[i] = v
    return kept + 1


cdef struct Links:
    # For every cell, if it holds a free digit: the size of its group and the runs that start at it.
    int8_t digit[112]
    int8_t group[112]
    int8_t up[112]
    int8_t down[112]


cdef void find_links(const Sheet *sheet, Links *links) noexcept nogil:
    cdef nd_set free[10]
    cdef nd_set rest, part, cell
    cdef int digit, i, count
    memset(links.digit, -1, sizeof(links.digit))
    for digit in range(10):
        free[digit] = sheet.digit[digit] & ~sheet.used
    for digit in range(10):
        rest = free[digit]
        while rest:
            part = nd_flood(rest & ~(rest - 1), free[digit])
            rest ^= part
            count = nd_count(part)
            while part:
                i = nd_low(part)
                cell = nd_bit(i)
                part ^= cell
                links.digit[i] = <int8_t>digit
                links.group[i] = <int8_t>count
                links.up[i] = <int8_t>run_length(free, cell, digit, 1)
                links.down[i] = <int8_t>run_length(free, cell, digit, -1)


cdef void draft_worth(const Links *links, const Orientation *o, int column, int base,
                      int32_t worth[4][10]) noexcept nogil:
    """Rough worth of each digit on each cell of a placement, from what is written beside the cell."""
    cdef int i, at, other, digit, side, run
    cdef int step[4]
    cdef int group[10]
    cdef int below[10]
    cdef int above[10]
    step[0] = 1
    step[1] = -1
    step[2] = 8
    step[3] = -8
    for i in range(4):
        at = 8 * (base + o.row[i]) + column + o.column[i]
        memset(group, 0, sizeof(group))
        memset(below, 0, sizeof(below))
        memset(above, 0, sizeof(above))
        for side in range(4):
            other = at + step[side]
            if other < 0 or other >= 112:
                continue
            digit = links.digit[other]
            if digit < 0:
                continue
            group[digit] += links.group[other]
            if digit < 9:
                below[digit + 1] = max(below[digit + 1], links.down[other])
            if digit > 0:
                above[digit - 1] = max(above[digit - 1], links.up[other])
        for digit in range(10):
            run = below[digit] + above[digit]
            worth[i][digit] = GROUP_WORTH * group[digit] * (group[digit] + 1) + RUN_WORTH * run * (run + 1)


cdef int draft_fillings(const Orientation *o, int32_t worth[4][10], const uint16_t *filling, int count,
                        bw_action *out, bw_value *value, int kept) noexcept nogil:
    """The `kept` fillings of roughly the most worth; returns how many there are."""
    cdef int i, j, a, b, rough
    cdef int64_t n = 0
    cdef int digit[4]
    for i in range(count):
        rough = 0
        for j in range(4):
            digit[j] = filling[i] >> (4 * j) & 15
            rough += worth[j][digit[j]]
        for j in range(o.touching):
            a = digit[o.first[j]]
            b = digit[o.second[j]]
            if a == b:
                rough += 2 * GROUP_WORTH
            elif a - b == 1 or b - a == 1:
                rough += 2 * RUN_WORTH
        n = keep_best(out, value, n, kept, filling[i], rough)
    return <int>n


cdef enum:
    GROUP_WORTH = 4
    RUN_WORTH = 3
    # What top() looks at: so many drops, and more the more it is asked for; all of them if there are no more.
    TOP_BASE = 256
    TOP_EACH = 64
    MAX_FILLINGS = 256


cdef int64_t top_drops(const State *s, int64_t k, bw_action *out, bw_value *value) noexcept nogil:
    """The best drops, each with its best claim.

    Stars make hundreds of thousands of drops. Placements and fillings are independent: of each placement's
    fillings a table lookup for each cell (its group and run with what lies around it) finds the few that are
    worth a full evaluation.
    """
    cdef Placement place[MAX_PLACEMENTS]
    cdef bw_action filling[MAX_FILLINGS]
    cdef bw_value rough[MAX_FILLINGS]
    cdef int32_t worth[4][10]
    cdef Links links
    cdef Setting c
    cdef Sheet after
    cdef const Sheet *sheet = &s.sheet[s.turn]
    cdef const Orientation *o
    cdef int count = placements(sheet, s.shape, place), code = filling_code(s.number), i, j, cell, kept
    cdef int fillings = FILLING_COUNT[code]
    cdef nd_set cells[4]
    cdef int64_t found = 0
    if not count:
        out[0] = <bw_action>TAG_DROP | <bw_action>NO_PIECE << 3
        value[0] = evaluate_player(s, s.turn)
        return 1
    kept = <int>min(<int64_t>MAX_FILLINGS, max(<int64_t>3, (TOP_BASE + TOP_EACH * k) // count))
    setting_of(s, s.turn, sheet, &c)
    if fillings > kept:
        find_links(sheet, &links)
    for i in range(count):
        o = &ORIENTATION[place[i].piece][place[i].orientation]
        if fillings > kept:
            draft_worth(&links, o, place[i].column, place[i].base, worth)
            kept = draft_fillings(o, worth, &FILLING[FILLING_START[code]], fillings, filling, rough, kept)
        else:
            kept = fillings
            for j in range(fillings):
                filling[j] = FILLING[FILLING_START[code] + j]
        after = sheet[0]
        settle(&after, o, place[i].column, place[i].base)
        for cell in range(4):
            cells[cell] = nd_bit(8 * (place[i].base + o.row[cell]) + place[i].column + o.column[cell])
        for j in range(kept):
            for cell in range(4):
                after.digit[filling[j] >> (4 * cell) & 15] ^= cells[cell]
            found = keep_best(out, value, found, k, placed_action(TAG_DROP, &place[i]) | filling[j] << 16,
                              value_before_claim(s, s.turn, &after, &c))
            for cell in range(4):
                after.digit[filling[j] >> (4 * cell) & 15] ^= cells[cell]
    return found


cdef enum:
    TOP_LISTED = 512


cdef int64_t top(const void *state, int64_t k, bw_action *out, bw_value *value) noexcept nogil:
    """At most k actions by falling value; of more than TOP_LISTED claims only the first (the largest) count."""
    cdef const State *s = <const State *>state
    cdef bw_action listed[TOP_LISTED]
    cdef State after
    cdef Setting c
    cdef Potential p
    cdef int64_t count, i, found = 0
    cdef bw_value v
    if k < 1:
        return 0
    if s.phase == PHASE_DROP:
        return top_drops(s, k, out, value)
    count = min(actions(state, listed, TOP_LISTED), <int64_t>TOP_LISTED)
    if s.phase == PHASE_CLAIM:
        setting_of(s, s.turn, &s.sheet[s.turn], &c)
    for i in range(count):
        if s.phase == PHASE_CLAIM:
            if claim_size(listed[i]):
                v = value_with_claim(s, s.turn, &s.sheet[s.turn], &c, listed[i])
            else:
                v = sheet_value(&s.sheet[s.turn], &c, &p)
        else:
            after = s[0]
            apply(&after, listed[i])
            v = evaluate_player(&after, s.turn)
        found = keep_best(out, value, found, k, listed[i], v)
    return found


# ---------------------------------------------------------------- what a caller may not do

FAULTS = (
    "",
    "it does not belong to this phase",
    "there is no such piece, orientation or column",
    "the shape is not the one rolled",
    "the digits are not those rolled",
    "it does not fit below the top of the sheet",
    "a drop is possible, so it may not be skipped",
    "that tile may not slide now",
    "that tile may not be drawn",
    "the dice cannot show that",
    "that box is filled already, or there is no such box",
    "a cell is listed twice, out of order or lies off the sheet",
    "a cell holds no digit",
    "a cell belongs to another claim",
    "the digits are not equal",
    "the digits do not follow one another",
    "the cells are not connected",
)

cdef enum:
    FAULT_PHASE = 1
    FAULT_PLACE = 2
    FAULT_SHAPE = 3
    FAULT_DIGITS = 4
    FAULT_FIT = 5
    FAULT_SKIP = 6
    FAULT_SLIDE = 7
    FAULT_DRAW = 8
    FAULT_DICE = 9
    FAULT_BOX = 10
    FAULT_CELLS = 11
    FAULT_EMPTY = 12
    FAULT_USED = 13
    FAULT_EQUAL = 14
    FAULT_FOLLOW = 15
    FAULT_CONNECTED = 16


cdef int fault_of_placed(const State *s, bw_action action, int cells) noexcept nogil:
    """Check piece, orientation, column and fit of a drop, or of a block when `cells` is 0."""
    cdef int piece = action_piece(action), orientation = <int>(action >> 7 & 7)
    cdef Placement place[MAX_PLACEMENTS]
    cdef const Sheet *sheet = &s.sheet[s.turn]
    if piece == NO_PIECE:
        if action >> 7:
            return FAULT_PLACE
        if cells:
            return FAULT_SKIP if placements(sheet, s.shape, place) else 0
        return FAULT_SKIP if placements_of(sheet, s.tile[s.fired], place) else 0
    if piece >= PIECES or orientation >= ORIENTATIONS[piece] or action >> 13 & 7:
        return FAULT_PLACE
    if action_column(action) + ORIENTATION[piece][orientation].width > ND_COLUMNS:
        return FAULT_PLACE
    if cells and (piece >= STAR_SHAPE or (s.shape != STAR_SHAPE and s.shape != piece)):
        return FAULT_SHAPE
    if not cells and piece != s.tile[s.fired]:
        return FAULT_SHAPE
    if landing(sheet, &ORIENTATION[piece][orientation], action_column(action)) < 0:
        return FAULT_FIT
    return 0


cdef int fault_of_drop(const State *s, bw_action action) noexcept nogil:
    cdef int fault = fault_of_placed(s, action, 1), i, digit, stars = 0
    cdef int left[11]
    if fault or action_piece(action) == NO_PIECE:
        return fault
    if action >> 32:
        return FAULT_DIGITS
    memset(left, 0, sizeof(left))
    for i in range(4):
        left[s.number[i]] += 1
    for i in range(4):
        digit = <int>(action >> (16 + 4 * i) & 15)
        if digit > 9:
            return FAULT_DIGITS
        if left[digit]:
            left[digit] -= 1
        else:
            stars += 1
    return FAULT_DIGITS if stars != left[STAR] else 0


cdef int fault_of_claim(const State *s, bw_action action) noexcept nogil:
    cdef const Sheet *sheet = &s.sheet[s.turn]
    cdef int size = claim_size(action), kind_index = claim_kind(action), i, digit, low = 9
    cdef nd_set cells, cell, rest
    cdef nd_set at[10]
    if not size:
        return FAULT_BOX if action >> 3 else 0
    if size < 3 or size > 8 or not is_open(sheet, kind_index, size):
        return FAULT_BOX
    cells = claim_cells(action)
    if cells & ~ND_ALL or nd_count(cells) != size or claim_action(kind_index, size, cells) != action:
        return FAULT_CELLS
    memset(at, 0, sizeof(at))
    rest = cells
    while rest:
        cell = rest & ~(rest - 1)
        rest ^= cell
        digit = digit_at(sheet, cell)
        if digit < 0:
            return FAULT_EMPTY
        if sheet.used & cell:
            return FAULT_USED
        at[digit] |= cell
        low = min(low, digit)
    if kind_index == 0:
        if at[low] != cells:
            return FAULT_EQUAL
    elif low + size > 10:
        return FAULT_FOLLOW
    else:
        for i in range(size):
            if nd_count(at[low + i]) != 1:
                return FAULT_FOLLOW
            if i and not s.straight_set and not at[low + i] & nd_near(at[low + i - 1]):
                return FAULT_CONNECTED
    if nd_flood(cells & ~(cells - 1), cells) != cells:
        return FAULT_CONNECTED
    return 0


cdef int fault_of_roll(const State *s, bw_action action) noexcept nogil:
    """Whether the dice can show a roll: some assignment of its numbers to the dice, of the 24, must do."""
    cdef int a, b, c, d, i, face
    cdef int n[4]
    cdef uint8_t can[4][4]
    if action >> 23 or (action >> 19 & 15) > STAR_SHAPE:
        return FAULT_DICE
    for i in range(4):
        n[i] = <int>(action >> (3 + 4 * i) & 15)
        if n[i] > STAR or (i and n[i] < n[i - 1]):
            return FAULT_DICE
    memset(can, 0, sizeof(can))
    for i in range(4):
        for a in range(4):
            for face in range(6):
                can[i][a] |= s.dice[i][face] == n[a]
    for a in range(4):
        for b in range(4):
            for c in range(4):
                d = 6 - a - b - c
                if a == b or a == c or b == c or d < 0 or d > 3 or d == a or d == b or d == c:
                    continue
                if can[0][a] and can[1][b] and can[2][c] and can[3][d]:
                    return 0
    return FAULT_DICE


cdef int fault_of(const State *s, bw_action action) noexcept nogil:
    """Number of the fault of an action in FAULTS, 0 for a legal one."""
    cdef int tag = action_tag(action), count, i
    cdef uint8_t listed[10]
    cdef uint8_t phase_of[7]
    phase_of[TAG_WRITE] = PHASE_WRITE
    phase_of[TAG_TILE] = PHASE_TILE
    phase_of[TAG_ROLL] = PHASE_ROLL
    phase_of[TAG_SLIDE] = PHASE_SLIDE
    phase_of[TAG_BLOCK] = PHASE_BLOCK
    phase_of[TAG_DROP] = PHASE_DROP
    phase_of[TAG_CLAIM] = PHASE_CLAIM
    if tag > TAG_CLAIM or phase_of[tag] != s.phase:
        return FAULT_PHASE
    if tag == TAG_DROP:
        return fault_of_drop(s, action)
    if tag == TAG_CLAIM:
        return fault_of_claim(s, action)
    if tag == TAG_ROLL:
        return fault_of_roll(s, action)
    if tag == TAG_BLOCK:
        return FAULT_PLACE if action >> 16 else fault_of_placed(s, action, 0)
    if tag == TAG_WRITE:
        return FAULT_PLACE if action >> 3 >= <uint64_t>ND_COLUMNS else 0
    count = next_slides(s, listed) if tag == TAG_SLIDE else drawable(s, listed)
    for i in range(count):
        if listed[i] == action >> 3:
            return 0
    return FAULT_SLIDE if tag == TAG_SLIDE else FAULT_DRAW


# ---------------------------------------------------------------- what is a state

cdef const char *fault_of_claims(const State *s, const Sheet *sheet) noexcept nogil:
    """What is wrong with the claims of a sheet whose cells are right; NULL: nothing."""
    cdef State bare  # a copy in which this sheet has no claims yet
    cdef Sheet *left = &bare.sheet[0]
    cdef nd_set cells, rest = sheet.used
    cdef int number, i, kind_index, size, first
    if sheet.bonus > 1 or sheet.claimed[0] > 31 or sheet.claimed[1] > 31:
        return "a claim that is none"
    if sheet.circled & ~(sheet.claimed[0] & sheet.claimed[1]):
        return "a letter is circled whose two boxes are not both filled"
    bare.straight_set = s.straight_set
    bare.turn = 0
    left[0] = sheet[0]
    left.used = 0
    left.claimed[0] = left.claimed[1] = left.bonus = 0
    for number in range(1, 16):
        cells = sheet.used
        for i in range(4):
            cells &= sheet.group[i] if number >> i & 1 else ~sheet.group[i]
        rest ^= cells
        kind_index = (number - 1) // 5
        size = 3 + (number - 1) % 5
        if number > BONUS:
            if cells:
                return "a cell belongs to a claim that is none"
            continue
        if number == BONUS:
            size = 8
            first = digit_at(sheet, cells & ~(cells - 1)) if cells else 0
            # Either kind fills the bonus box: the digits tell which.
            kind_index = first >= 0 and (cells & ~sheet.digit[first]) != 0
        if nd_count(cells) != (size if not is_open(sheet, kind_index, size) else 0):
            return "a claim has not the cells of its box"
        if cells and fault_of_claim(&bare, claim_action(kind_index, size, cells)):
            return "a claim breaks a rule"
    for i in range(4):
        if sheet.group[i] & ~sheet.used:
            return "a cell that is not used belongs to a claim"
    if rest:
        return "a cell is used by no claim"
    return NULL


cdef const char *fault_of_sheet(const State *s, const Sheet *sheet) noexcept nogil:
    """What is wrong with a sheet; NULL: nothing."""
    cdef nd_set cells = sheet.block
    cdef int digit, column, top
    for digit in range(10):
        if cells & sheet.digit[digit]:
            return "a cell holds two things"
        cells |= sheet.digit[digit]
    if cells & ~ND_ALL:
        return "a cell lies off the sheet"
    if nd_flood(cells & nd_row(0), cells) != cells:
        return "a cell is written that nothing holds up"
    for column in range(ND_COLUMNS):
        top = sheet.height[column]
        if top > ND_ROWS or cells & nd_above(column, top) or (top and not nd_has(cells, 8 * (top - 1) + column)):
            return "a column has not the height of its cells"
    if sheet.used & ~(cells ^ sheet.block):
        return "a cell is used that holds no digit"
    if not sheet.used:
        for digit in range(4):
            if sheet.group[digit]:
                return "a cell that is not used belongs to a claim"
        if sheet.claimed[0] or sheet.claimed[1] or sheet.bonus or sheet.circled:
            return "a claim without cells"
        return NULL
    return fault_of_claims(s, sheet)


cdef const char *fault_of_numbers(const State *s) noexcept nogil:
    """What is wrong with the numbers of a state beside its sheets; NULL: nothing."""
    cdef int i, j, drawn = 0
    if not 1 <= s.players <= MAX_PLAYERS or s.turn >= s.players or s.active >= s.players or s.phase > PHASE_OVER:
        return "players or phase out of range"
    if (s.solo > 1 or s.autocross > 1 or s.straight_set > 1 or s.end_now > 1 or s.over_row > 50
            or s.tile_mode > TILES_SHAPES or (s.solo and s.players > 1)):
        return "a rule is out of range"
    if s.shape > STAR_SHAPE or s.crossed > 31 or s.slides > 2:
        return "shape, crossed letters or slides out of range"
    if s.fired >= LETTERS if s.phase == PHASE_BLOCK else s.fired != NO_LETTER:
        return "a letter fires in the block phase, and only there"
    for i in range(4):
        if s.number[i] > STAR or (i and s.number[i] < s.number[i - 1]):
            return "the numbers of the roll are not ascending"
        for j in range(6):
            if s.dice[i][j] > STAR:
                return "a face of a die is out of range"
    for i in range(LETTERS):
        if s.notch[i] > (NOTCHES if s.solo else 0):
            return "a notch is out of range"
        if s.tile[i] != NO_PIECE and (s.tile[i] >= PIECES or drawn != i):
            return "a tile is out of range, or drawn out of turn"
        drawn += s.tile[i] != NO_PIECE
    if (drawn == LETTERS) == (s.phase == PHASE_TILE):
        return "all tiles are drawn before the game begins, and none later"
    if s.phase == PHASE_SLIDE and not s.solo:
        return "slides belong to the solo game"
    return NULL


cdef const char *fault_of_state(const State *s) noexcept nogil:
    """Why this is no state of the game; NULL: it is one. Any bytes may be asked about."""
    cdef uint8_t letters[10]
    cdef int i, player
    cdef const char *why = fault_of_numbers(s)
    if why != NULL:
        return why
    for i in range(sizeof(s.unused)):
        if s.unused[i]:
            return "bytes that mean nothing are not 0"
    for player in range(MAX_PLAYERS):
        for i in range(sizeof(s.sheet[player].unused)):
            if s.sheet[player].unused[i]:
                return "bytes that mean nothing are not 0"
        why = fault_of_sheet(s, &s.sheet[player])
        if why != NULL:
            return why
        if player >= s.players and filled(&s.sheet[player]):
            return "a sheet without a player is not empty"
    if s.phase <= PHASE_WRITE:
        if s.active or (s.turn and s.phase == PHASE_TILE):
            return "the set-up has no active player"
        for player in range(s.turn, s.players):
            if filled(&s.sheet[player]):
                return "a sheet is not empty in the set-up"
    elif s.turn != s.active and (s.phase == PHASE_ROLL or s.phase == PHASE_OVER):
        return "between rounds it is the active player's turn"
    if s.phase == PHASE_SLIDE and not next_slides(s, letters):
        return "no slide is due"
    if s.phase == PHASE_TILE and not drawable(s, letters):
        return "no tile is left to draw"
    return NULL


cdef const char *fault_from_outside(const void *state) noexcept nogil:
    return fault_of_state(<const State *>state)


cdef int is_legal_here(const void *state, bw_action action) noexcept nogil:
    return action != BW_NO_ACTION and fault_of(<const State *>state, action) == 0


# ---------------------------------------------------------------- the table

cdef bw_game GAME
GAME.abi = BW_GAME_ABI
GAME.flags = BW_WIDE
GAME.state_size = sizeof(State)
GAME.state_align = 16
GAME.max_players = MAX_PLAYERS
# Four stars and a star shape: 105 placements of 10,000 fillings. Claims stay below: all 3 to 8 cells large
# connected sets of a full sheet number fewer than 371,322 (3,789 fixed shapes at 98 cells).
GAME.max_actions = 1050000
GAME.max_outcomes = 7776
GAME.name = b"numberdrop"
GAME.players = players
GAME.kind = kind
GAME.player = player
GAME.actions = actions
GAME.top = top
GAME.sample = sample
GAME.apply = apply
GAME.playout_step = playout_step
GAME.outcomes = outcomes
GAME.key = key
GAME.repetition = repetition
GAME.returns = returns
GAME.evaluate = evaluate
GAME.bounds = bounds
GAME.order = NULL
GAME.fault = fault_from_outside
GAME.legal = is_legal_here


cdef void prepare():
    fill_pieces()
    if fill_fillings() != FILLING_TOTAL:
        raise SystemError("the table of fillings has not the size it must have")


prepare()


# ---------------------------------------------------------------- Python

STATE_SIZE = sizeof(State)
PIECE_NAMES = tuple(name for name, _ in _PIECES)
TILES_FROM = {"given": TILES_GIVEN, "pool10": TILES_POOL, "extra5": TILES_EXTRA, "shapes": TILES_SHAPES}


cdef int read_state(bytes state, State *s) except -1:
    cdef const char *why
    if len(state) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(state)}")
    memcpy(s, PyBytes_AS_STRING(state), sizeof(State))
    why = fault_of_state(s)
    if why != NULL:
        raise ValueError(f"these bytes are no state of Number Drop: {why.decode()}")
    return 0


cdef bytes write_state(const State *s):
    return PyBytes_FromStringAndSize(<const char *>s, sizeof(State))


def capsule():
    """The game's table for a searcher: a PyCapsule with a bw_game of game.h."""
    return PyCapsule_New(&GAME, BW_GAME_CAPSULE, NULL)


def orientation_cells(int piece, int orientation):
    """Cells (row, column) of an orientation of a piece, the top row first and each row from the left.

    Raises:
        IndexError: there is no such piece or orientation.
    """
    cdef const Orientation *o
    if not 0 <= piece < PIECES or not 0 <= orientation < ORIENTATIONS[piece]:
        raise IndexError(f"no orientation {orientation} of piece {piece}")
    o = &ORIENTATION[piece][orientation]
    return tuple((o.row[i], o.column[i]) for i in range(o.cells))


def orientation_count(int piece):
    """The number of distinct orientations of a piece. Raises IndexError if there is no such piece."""
    if not 0 <= piece < PIECES:
        raise IndexError(f"no piece {piece}")
    return ORIENTATIONS[piece]


def new_state(int players, bint solo, int over_row, bint autocross, bint straight_set, bint end_now,
              str tiles, bytes dice, bytes given):
    """The state before the first tile is drawn, or before the first player writes if the tiles are given.

    Args:
        players: 1..6; 1 in the solo game.
        over_row: points lost for each row touched above the line, 0..50.
        tiles: a name of TILES_FROM.
        dice: 24 faces, six for each number die: 0..9, 10 the star.
        given: with tiles "given" five pieces 0..9 for the letters A to E, else empty.

    Raises:
        ValueError: an argument is out of range.
    """
    cdef State s
    cdef int i
    memset(&s, 0, sizeof(State))
    if not 1 <= players <= (1 if solo else MAX_PLAYERS):
        raise ValueError(f"players: expected 1 to {1 if solo else MAX_PLAYERS}, got {players}")
    if not 0 <= over_row <= 50:
        raise ValueError(f"over_row: expected 0 to 50, got {over_row}")
    if len(dice) != 24 or max(dice) > STAR:
        raise ValueError("dice: expected 24 faces 0 to 10")
    if tiles not in TILES_FROM:
        raise ValueError(f"tiles: expected one of {', '.join(TILES_FROM)}, got {tiles!r}")
    s.tile_mode = TILES_FROM[tiles]
    if len(given) != (LETTERS if s.tile_mode == TILES_GIVEN else 0) or (given and max(given) >= PIECES):
        raise ValueError("given: expected five pieces 0 to 9 with tiles given, else none")
    s.players = players
    s.solo = solo
    s.over_row = over_row
    s.autocross = autocross
    s.straight_set = straight_set
    s.end_now = end_now
    for i in range(24):
        s.dice[i // 6][i % 6] = dice[i]
    for i in range(LETTERS):
        s.tile[i] = given[i] if given else NO_PIECE
    s.phase = PHASE_WRITE if given else PHASE_TILE
    s.fired = NO_LETTER
    return write_state(&s)


cdef void read_sheet(State *s, int player, bytes cells, bytes groups, int circled) except *:
    """Fill one sheet from 98 cells and 98 group numbers, row 1 first; see pack()."""
    cdef Sheet *sheet = &s.sheet[player]
    cdef nd_set group[12]
    cdef nd_set cell
    cdef int i, value, number, fault, claim_kind_index, size
    cdef bw_action action
    memset(sheet, 0, sizeof(Sheet))
    memset(group, 0, sizeof(group))
    if len(cells) != 98 or len(groups) != 98:
        raise ValueError("expected 98 cells and 98 group numbers")
    for i in range(98):
        value = cells[i]
        number = groups[i]
        cell = nd_bit(8 * (i // 7) + i % 7)
        if value < 10:
            sheet.digit[value] |= cell
        elif value == 10:
            sheet.block |= cell
        elif value != 255:
            raise ValueError(f"cell {cell_name(i)}: expected 0 to 10 or 255, got {value}")
        if value != 255:
            sheet.height[i % 7] = <uint8_t>(i // 7 + 1)
        if number > BONUS:
            raise ValueError(f"cell {cell_name(i)}: expected a group 0 to 11, got {number}")
        group[number] |= cell
    cell = filled(sheet)
    if nd_flood(cell & nd_row(0), cell) != cell:
        raise ValueError("a cell is written that nothing holds up")
    for number in range(1, BONUS + 1):
        if not group[number]:
            continue
        size = 8 if number == BONUS else 3 + (number - 1) % 5
        claim_kind_index = 0 if number <= 5 else 1
        if nd_count(group[number]) != size:
            raise ValueError(f"the claim of size {size} has {nd_count(group[number])} cells")
        if number == BONUS and digit_at(sheet, group[number] & ~(group[number] - 1)) >= 0:
            # Either kind fills the bonus box: the digits tell which.
            value = digit_at(sheet, group[number] & ~(group[number] - 1))
            claim_kind_index = (group[number] & ~sheet.digit[value]) != 0
        action = claim_action(claim_kind_index, size, group[number])
        s.turn = <uint8_t>player
        fault = fault_of_claim(s, action)
        if fault:
            raise ValueError(f"the claim {'IS'[claim_kind_index]}{size} is not one: {FAULTS[fault]}")
        claim_on_sheet(s, sheet, action)
    if circled & ~(sheet.claimed[0] & sheet.claimed[1]):
        raise ValueError("a letter is circled whose two boxes are not both filled")
    sheet.circled = <uint8_t>circled


def cell_name(int index):
    """Name of cell number `index` (7 * row + column, both from 0): a1 to g14. Raises IndexError for no such cell."""
    if not 0 <= index < ND_ROWS * ND_COLUMNS:
        raise IndexError(f"no cell {index}, expected 0 to {ND_ROWS * ND_COLUMNS - 1}")
    return f"{'abcdefg'[index % 7]}{index // 7 + 1}"


def pack(bytes start, bytes tiles, bytes notches, int crossed, int phase, int active, int turn, int fired,
         int slides, bytes numbers, int shape, list sheets):
    """A state from its parts, checked against the rules.

    Args:
        start: a state whose rule options are taken over.
        tiles: five pieces, 15 where none is drawn yet.
        notches: five notches 0..4.
        crossed: bit 0 for letter A.
        phase: 0 tile, 1 write, 2 roll, 3 slide, 4 block, 5 drop, 6 claim, 7 over.
        fired: letter 0..4 whose tile is dropped in phase 4, else 255.
        slides: slides made in this round, in phases 3 and 4 of a solo game.
        numbers: four ascending numbers of the roll (10 the star) in phases 3 to 6, else zeros.
        shape: of the roll, 5 the star; else 0.
        sheets: for each player (cells, groups, circled): 98 bytes from row 1 up, digits, 10 for X, 255 for empty;
            98 group numbers (0 none, 1..5 identical 3..7, 6..10 straights 3..7, 11 the bonus box); a bit set.

    Raises:
        ValueError: with what is wrong, for what no play of the rules could leave.
    """
    cdef State s
    cdef int i, player
    cdef uint8_t letters[5]
    read_state(start, &s)
    sheets = list(sheets)
    if len(sheets) != s.players:
        raise ValueError(f"expected {s.players} sheets, got {len(sheets)}")
    if len(tiles) != LETTERS or len(notches) != LETTERS or len(numbers) != 4:
        raise ValueError("expected five tiles, five notches and four numbers")
    if not 0 <= phase <= PHASE_OVER or not 0 <= active < s.players or not 0 <= turn < s.players:
        raise ValueError("phase or player out of range")
    if not 0 <= crossed < 32 or not 0 <= slides <= 2 or not 0 <= shape <= STAR_SHAPE:
        raise ValueError("crossed letters, slides or shape out of range")
    if not (fired < LETTERS if phase == PHASE_BLOCK else fired == NO_LETTER) or fired < 0:
        raise ValueError("a letter fires in the block phase, and only there")
    s.crossed = 0
    for player, (written, groups, circled) in enumerate(sheets):
        try:
            read_sheet(&s, player, written, groups, circled)
        except ValueError as error:
            raise ValueError(f"sheet {player + 1}: {error}") from None
    for i in range(LETTERS):
        if tiles[i] != NO_PIECE and tiles[i] >= PIECES:
            raise ValueError(f"letter {'ABCDE'[i]}: no such tile")
        if phase != PHASE_TILE and tiles[i] == NO_PIECE:
            raise ValueError(f"letter {'ABCDE'[i]} has no tile yet")
        if notches[i] > (NOTCHES if s.solo else 0):
            raise ValueError(f"letter {'ABCDE'[i]}: notch out of range")
        s.tile[i] = tiles[i]
        s.notch[i] = notches[i]
    s.crossed = <uint8_t>crossed
    check_letters(&s)
    check_tiles(&s)
    s.phase = <uint8_t>phase
    s.active = <uint8_t>active
    s.turn = <uint8_t>turn
    s.fired = <uint8_t>fired
    s.slides = <uint8_t>slides
    for i in range(4):
        s.number[i] = numbers[i]
    s.shape = <uint8_t>shape
    if phase == PHASE_TILE or phase == PHASE_WRITE:
        check_setup(&s)
    else:
        for player in range(s.players):
            if not filled(&s.sheet[player]) & nd_row(0):
                raise ValueError(f"sheet {player + 1}: row 1 is empty, but the game is under way")
    if phase < PHASE_SLIDE or phase == PHASE_OVER:
        if filling_code(s.number) or shape or slides:
            raise ValueError("dice or slides outside a round")
        if phase != PHASE_WRITE and turn != active:
            raise ValueError("between rounds it is the active player's turn")
    elif fault_of_roll(&s, roll_action(s.number[0], s.number[1], s.number[2], s.number[3])
                       | <bw_action>shape << 19):
        raise ValueError("the dice cannot show that roll")
    check_end(&s)
    if phase == PHASE_SLIDE:
        if not s.solo or not next_slides(&s, letters):
            raise ValueError("no slide is due")
    elif phase == PHASE_BLOCK:
        if s.crossed >> fired & 1 or s.sheet[turn].circled >> fired & 1:
            raise ValueError(f"letter {'ABCDE'[fired]} cannot fire at player {turn + 1}")
        if (slides == 0) == s.solo:
            raise ValueError("slides belong to the solo game")
        if s.solo:
            check_solo_firing(&s)
        else:
            check_firing(&s)
            check_order(&s)
    elif slides:
        raise ValueError("slides are only counted in the slide and block phases")
    elif not s.solo and (phase == PHASE_DROP or phase == PHASE_CLAIM):
        check_no_block(&s)
    return write_state(&s)


cdef void check_letters(const State *s) except *:
    """A letter is circled when its second box is filled, unless it is crossed by then."""
    cdef int player, letter
    cdef uint8_t open_
    cdef const Sheet *sheet
    for player in range(s.players):
        sheet = &s.sheet[player]
        open_ = sheet.claimed[0] & sheet.claimed[1] & ~(sheet.circled | s.crossed)
        for letter in range(LETTERS):
            if open_ >> letter & 1:
                raise ValueError(f"sheet {player + 1}: both boxes of letter {'ABCDE'[letter]} are filled, so it is "
                                 "circled or crossed")


cdef void check_tiles(const State *s) except *:
    """Tiles are drawn without putting any back: none comes twice, and none but those of the draw."""
    cdef int letter, i, count
    cdef uint8_t left[10]
    cdef State before = s[0]
    if s.tile_mode == TILES_GIVEN:
        return
    for letter in range(LETTERS):
        before.tile[letter] = NO_PIECE
    for letter in range(LETTERS):
        if s.tile[letter] == NO_PIECE:
            continue
        count = drawable(&before, left)
        if s.tile[letter] not in [left[i] for i in range(count)]:
            raise ValueError(f"letter {'ABCDE'[letter]} cannot have got that tile")
        before.tile[letter] = s.tile[letter]


cdef void check_solo_firing(const State *s) except *:
    """A tile fires in the slide that takes it to the bottom; the second slide takes a star and the shape rolled."""
    name = "ABCDE"[s.fired]
    if s.notch[s.fired] != NOTCHES:
        raise ValueError(f"letter {name} fires, but its tile is not at the bottom")
    if s.slides > 1 and not (any_star(s) and (s.shape == STAR_SHAPE or s.tile[s.fired] == s.shape)):
        raise ValueError(f"letter {name} fires in a second slide that the dice do not give")


cdef void check_order(const State *s) except *:
    """In a block players drop in turn order: those before the one to drop hold the X cells of the tile."""
    cdef int offset, player
    for offset in range(s.players):
        player = (s.active + offset) % s.players
        if player == s.turn:
            return
        if not s.sheet[player].circled >> s.fired & 1 and \
                nd_count(s.sheet[player].block) < ORIENTATION[s.tile[s.fired]][0].cells:
            raise ValueError(f"it is player {player + 1} who drops the tile of {'ABCDE'[s.fired]} first")


cdef void check_no_block(const State *s) except *:
    """Where a letter fires nobody drops a shape. Players before the one to drop may have circled one just now."""
    cdef int offset, letter
    cdef uint8_t due = 0
    if not any_star(s):
        return
    for offset in range((s.turn - s.active + s.players) % s.players, s.players):
        due |= s.sheet[(s.active + offset) % s.players].circled & ~s.crossed
    for letter in range(LETTERS):
        if due >> letter & 1:
            raise ValueError(f"letter {'ABCDE'[letter]} fires at this roll, so nobody drops a shape")


cdef void check_firing(const State *s) except *:
    """Outside the solo game it takes a star, and the first letter that is circled and not crossed fires."""
    cdef int letter, player
    cdef uint8_t circled = 0
    if not any_star(s):
        raise ValueError("no letter fires without a star")
    for player in range(s.players):
        circled |= s.sheet[player].circled
    for letter in range(s.fired + 1):
        if (circled & ~s.crossed) >> letter & 1 and letter < s.fired:
            raise ValueError(f"letter {'ABCDE'[letter]} fires before {'ABCDE'[s.fired]}")
    if not circled >> s.fired & 1:
        raise ValueError(f"no sheet has circled letter {'ABCDE'[s.fired]}")


cdef void check_setup(const State *s) except *:
    cdef int letter, player, drawn = 0
    cdef nd_set cells
    for letter in range(LETTERS):
        if s.tile[letter] == NO_PIECE:
            break
        drawn += 1
    if s.phase == PHASE_TILE:
        if s.tile_mode == TILES_GIVEN or drawn == LETTERS:
            raise ValueError("no tile is to be drawn")
        for letter in range(drawn, LETTERS):
            if s.tile[letter] != NO_PIECE:
                raise ValueError("tiles are drawn for A first, then B and so on")
    if s.active or s.crossed:
        raise ValueError("the set-up has no active player and no crossed letters")
    for player in range(s.players):
        cells = filled(&s.sheet[player])
        if s.phase == PHASE_TILE or player >= s.turn:
            if cells:
                raise ValueError(f"sheet {player + 1} is not empty in the set-up")
        elif nd_count(cells) != 1 or not s.sheet[player].digit[player + 1] & nd_row(0):
            raise ValueError(f"sheet {player + 1} has to hold {player + 1} in row 1 alone")
    for letter in range(LETTERS):
        if s.notch[letter]:
            raise ValueError("no tile has slid in the set-up")


cdef void check_end(const State *s) except *:
    cdef int player, letter, over = s.solo and all_at_bottom(s)
    for player in range(s.players):
        over |= crosses_line(&s.sheet[player])
    if s.phase == PHASE_OVER and not over:
        raise ValueError("the game is not over: no sheet crosses the line")
    if s.phase == PHASE_ROLL and over:
        raise ValueError("the game is over, so there is no further round")
    for letter in range(LETTERS):
        if s.notch[letter] == NOTCHES and not (s.crossed | s.sheet[0].circled) >> letter & 1 and s.fired != letter:
            raise ValueError(f"letter {'ABCDE'[letter]} is at the bottom, so it is circled or crossed")


def unpack(bytes state):
    """The parts of a state in the order of pack(), without `start`. Raises ValueError for other bytes."""
    cdef State s
    cdef int player, i, b, value, number
    cdef nd_set cell
    cdef const Sheet *sheet
    read_state(state, &s)
    sheets = []
    for player in range(s.players):
        sheet = &s.sheet[player]
        cells = bytearray(98)
        groups = bytearray(98)
        for i in range(98):
            cell = nd_bit(8 * (i // 7) + i % 7)
            value = digit_at(sheet, cell)
            if value < 0:
                value = 10 if sheet.block & cell else 255
            cells[i] = value
            number = 0
            for b in range(4):
                if sheet.group[b] & cell:
                    number |= 1 << b
            groups[i] = number
        sheets.append((bytes(cells), bytes(groups), sheet.circled))
    return (bytes([s.tile[i] for i in range(LETTERS)]), bytes([s.notch[i] for i in range(LETTERS)]), s.crossed,
            s.phase, s.active, s.turn, s.fired, s.slides, bytes([s.number[i] for i in range(4)]), s.shape, sheets)


def fault(bytes state, action):
    """Why an action is not legal in a state, in a few words; "" for a legal one."""
    cdef State s
    cdef bw_action asked
    read_state(state, &s)
    try:
        asked = action
    except OverflowError:
        return FAULTS[FAULT_PHASE]
    return FAULTS[fault_of(&s, asked)]


def play(bytes state, action):
    """The state after a legal action or outcome. Raises ValueError with the fault of another one."""
    cdef State s
    cdef bw_action asked = action_of(action)
    cdef int why
    read_state(state, &s)
    why = fault_of(&s, asked)
    if why:
        raise ValueError(FAULTS[why])
    apply(&s, asked)
    return write_state(&s)


def can_roll(bytes state, uint64_t action):
    """Whether the dice of a state's game can show the roll of a ROLL action."""
    cdef State s
    read_state(state, &s)
    return action_tag(action) == TAG_ROLL and fault_of_roll(&s, action) == 0


def state_kind(bytes state):
    """Return 0 for a decision, 1 for chance, 2 when the game is over."""
    cdef State s
    read_state(state, &s)
    return kind(&s)


def is_solo(bytes state):
    """Whether a state belongs to the solo game."""
    cdef State s
    read_state(state, &s)
    return bool(s.solo)


def state_key(bytes state):
    """The 64-bit hash of all that decides the future."""
    cdef State s
    read_state(state, &s)
    return key(&s)


def count_actions(bytes state):
    """The number of legal actions at a decision node, 0 elsewhere."""
    cdef State s
    read_state(state, &s)
    return actions(&s, NULL, 0)


def list_range(bytes state, int64_t start, int64_t count):
    """Legal actions number `start` to `start + count` of a decision node."""
    cdef State s
    cdef Emit e
    cdef int64_t i
    read_state(state, &s)
    start = max(0, start)
    count = min(max(0, count), actions(&s, NULL, 0) - start)
    if count <= 0:
        return []
    buffer = bytearray(8 * count)
    e.out = <bw_action *><char *>buffer
    e.skip = start
    e.cap = count
    e.count = 0
    list_actions(&s, &e)
    return [e.out[i] for i in range(count)]


def list_places(bytes state):
    """The places for the shape of a drop phase: drops whose digits are all 0. Empty where nothing can be dropped."""
    cdef State s
    cdef Placement place[MAX_PLACEMENTS]
    read_state(state, &s)
    if s.phase != PHASE_DROP:
        return []
    return [placed_action(TAG_DROP, &place[i]) for i in range(placements(&s.sheet[s.turn], s.shape, place))]


def count_turns(bytes state, int64_t stop=-1):
    """The number of (drop, claim) pairs of a drop phase; stops counting at `stop` if that is not negative."""
    cdef State s
    cdef TurnList turns
    read_state(state, &s)
    turns.out = NULL
    turns.skip = 0
    turns.cap = 0
    turns.stop = stop
    with nogil:
        list_turns(&s, &turns)
    return turns.count


def turns_range(bytes state, int64_t start, int64_t count):
    """The (drop, claim) pairs number `start` to `start + count` of a drop phase; claim 0 stands for none."""
    cdef State s
    cdef TurnList turns
    cdef int64_t i
    read_state(state, &s)
    start = min(max(0, start), FAR_BEYOND)
    if count <= 0:
        return []
    turns.skip = start
    turns.stop = start + min(count, FAR_BEYOND)
    turns.out = NULL
    turns.cap = 0
    with nogil:
        list_turns(&s, &turns)
    count = min(count, turns.count - start)
    if count <= 0:
        return []
    buffer = bytearray(16 * count)
    turns.out = <bw_action *><char *>buffer
    turns.cap = count
    with nogil:
        list_turns(&s, &turns)
    return [(turns.out[2 * i], turns.out[2 * i + 1]) for i in range(count)]


cdef struct TurnList:
    bw_action *out  # pairs
    int64_t skip
    int64_t cap
    int64_t stop
    int64_t count


cdef void list_turns(const State *s, TurnList *turns) noexcept nogil:
    """Walk through drops and, after each, its claims; drops before `skip` are only counted."""
    cdef Placement place[MAX_PLACEMENTS]
    cdef bw_action claim[256]
    cdef Emit e
    cdef int count, i, j, code, fillings
    cdef int64_t k, listed
    cdef bw_action drop
    cdef Sheet after
    turns.count = 0
    if s.phase != PHASE_DROP:
        return
    count = placements(&s.sheet[s.turn], s.shape, place)
    code = filling_code(s.number)
    fillings = FILLING_COUNT[code] if count else 1
    for i in range(max(1, count)):
        for j in range(fillings):
            after = s.sheet[s.turn]
            if count:
                drop = placed_action(TAG_DROP, &place[i]) | <bw_action>FILLING[FILLING_START[code] + j] << 16
                drop_piece(&after, drop)
            else:
                drop = <bw_action>TAG_DROP | <bw_action>NO_PIECE << 3
            e.out = claim
            e.skip = 0
            e.cap = 256
            e.count = 0
            all_claims(&after, s.straight_set, &e)
            listed = 0
            while turns.cap and listed < e.count:
                # Claims come in blocks of what the buffer holds.
                if listed:
                    e.skip = listed
                    e.count = 0
                    all_claims(&after, s.straight_set, &e)
                for k in range(min(e.count - listed, <int64_t>256)):
                    if turns.skip <= turns.count + listed + k < turns.skip + turns.cap:
                        turns.out[2 * (turns.count + listed + k - turns.skip)] = drop
                        turns.out[2 * (turns.count + listed + k - turns.skip) + 1] = (
                            claim[k] if claim_size(claim[k]) else 0)
                listed += 256
            turns.count += e.count
            if 0 <= turns.stop <= turns.count:
                return


def draw(bytes state, uint64_t seed):
    """An action or outcome drawn at random (outcomes by their probability). Raises ValueError at the end."""
    cdef State s
    cdef bw_rng rng
    read_state(state, &s)
    if s.phase == PHASE_OVER:
        raise ValueError("the game is over")
    bw_rng_seed(&rng, seed)
    return sample(&s, &rng)


def list_outcomes(bytes state):
    """The outcomes of a chance node as (action, probability). Raises ValueError elsewhere."""
    cdef State s
    cdef int64_t count, i
    cdef double *probability
    read_state(state, &s)
    if kind(&s) != BW_CHANCE:
        raise ValueError("no chance event is due")
    listed = bytearray(8 * GAME.max_outcomes)
    weights = bytearray(8 * GAME.max_outcomes)
    probability = <double *><char *>weights
    count = outcomes(&s, <bw_action *><char *>listed, probability, GAME.max_outcomes)
    return [((<bw_action *><char *>listed)[i], probability[i]) for i in range(count)]


def best(bytes state, int64_t k):
    """At most k actions of a decision node by falling static evaluation, as (action, 1/10000 points)."""
    cdef State s
    cdef int64_t count, i
    cdef bw_action *action
    cdef bw_value *value
    read_state(state, &s)
    if kind(&s) != BW_DECISION or k < 1:
        return []
    k = min(k, <int64_t>65536)
    listed = bytearray(8 * k)
    values = bytearray(4 * k)
    action = <bw_action *><char *>listed
    value = <bw_value *><char *>values
    with nogil:
        count = top(&s, k, action, value)
    return [(action[i], value[i]) for i in range(count)]


def scores(bytes state):
    """For each player the parts of the score.

    A tuple of points (full rows, rows touched above the line, identical, straights, columns, bonus box, total): the
    parts add up to the total.
    """
    cdef State s
    cdef int player, kind_index, k
    cdef nd_set cells
    cdef const Sheet *sheet
    read_state(state, &s)
    result = []
    for player in range(s.players):
        sheet = &s.sheet[player]
        cells = filled(sheet)
        claims = [sum(k + 3 for k in range(5) if sheet.claimed[kind_index] >> k & 1) for kind_index in range(2)]
        columns = 10 * ((sheet.claimed[0] == 31) + (sheet.claimed[1] == 31))
        result.append((2 * full_rows(cells), -s.over_row * touched_rows(cells), claims[0], claims[1], columns,
                       8 * sheet.bonus, score(&s, player)))
    return result


def estimates(bytes state):
    """The static evaluation for each player, in 1/10000 points."""
    cdef State s
    cdef bw_value value[MAX_PLAYERS]
    cdef int i
    read_state(state, &s)
    evaluate(&s, value)
    return [value[i] for i in range(s.players)]


def limits(bytes state, int player):
    """Bounds (low, high) on a player's final score, in 1/10000 points. Raises ValueError for no such player."""
    cdef State s
    cdef bw_value low, high
    read_state(state, &s)
    if not 0 <= player < s.players:
        raise ValueError(f"expected a player 0 to {s.players - 1}, got {player}")
    bounds(&s, player, &low, &high)
    return low, high


WEIGHT_COUNT = 2 * FEATURES


def set_weights(bytes values):
    """Make `values`, WEIGHT_COUNT little-endian 16-bit numbers in thousandths of a point, the weights in use.

    Raises:
        ValueError: there are more or fewer of them.
    """
    cdef int i
    cdef const unsigned char *raw = values
    if len(values) != 2 * WEIGHT_COUNT:
        raise ValueError(f"expected {WEIGHT_COUNT} weights of 2 bytes, got {len(values)} bytes")
    for i in range(2 * FEATURES):
        bw_put_weight(&WEIGHT[i], <int16_t>(raw[2 * i] | raw[2 * i + 1] << 8))


def get_weights():
    """The weights in use, as for set_weights()."""
    cdef int i
    values = bytearray(2 * WEIGHT_COUNT)
    for i in range(2 * FEATURES):
        values[2 * i] = WEIGHT[i] & 255
        values[2 * i + 1] = WEIGHT[i] >> 8 & 255
    return bytes(values)


cdef int is_learned(const void *state) noexcept nogil:
    return (<const State *>state).phase == PHASE_ROLL


cdef int active_weights(const void *state, int player, int32_t *out, bw_value *base) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef Setting c
    cdef Potential p
    cdef int n, i
    setting_of(s, player, &s.sheet[player], &c)
    n = features(&s.sheet[player], &c, out, &p)
    for i in range(n):
        out[i] += c.table
    base[0] = BW_UNIT * score(s, player)
    return n


cdef bw_linear LINEAR
LINEAR.abi = BW_LINEAR_ABI
LINEAR.game = &GAME
LINEAR.count = 2 * FEATURES
LINEAR.most_active = MAX_ACTIVE
LINEAR.weight = WEIGHT
LINEAR.is_learned = is_learned
LINEAR.active = active_weights


def linear():
    """The value function for a learner: a PyCapsule with a bw_linear of learn.h."""
    return PyCapsule_New(&LINEAR, BW_LINEAR_CAPSULE, NULL)
