# Number Drop: the rules. Pieces, placements, claims, scores, the course of a game, what is legal.
# A part of numberdrop.pyx, which includes it.

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
