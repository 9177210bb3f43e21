# Number Drop: the static evaluation, and the best few moves by it.
# A part of numberdrop.pyx, which includes it.

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


cdef struct Shown:
    # What several features of a sheet are read from.
    nd_set free[10]  # digits that no claim has used
    nd_set cells  # filled ones
    nd_set landing  # the cells on top of the columns, below the line
    nd_set reachable  # all above the columns
    int stage
    int rounds  # left, at most 20
    int own  # room below the line
    int heights  # of all columns together
    int highest
    int top_size[3]  # of the largest groups
    int length[2]  # of the longest runs


cdef inline void look(const Sheet *sheet, const Setting *c, Shown *v) noexcept nogil:
    """Fill in what the features share, groups and runs left out."""
    cdef int digit, column, height
    v.cells = sheet.block
    v.landing = v.reachable = 0
    v.heights = v.highest = 0
    for digit in range(10):
        v.cells |= sheet.digit[digit]
        v.free[digit] = sheet.digit[digit] & ~sheet.used
    for column in range(ND_COLUMNS):
        height = sheet.height[column]
        v.heights += height
        v.highest = max(v.highest, height)
        v.reachable |= nd_above(column, height)
        if height < ND_LINE:
            v.landing |= nd_bit(8 * height + column)
    v.own = room(sheet)
    v.stage = c.stage
    if c.table:
        # The game ends with whoever is first at the line.
        v.stage = min(v.stage, min(STAGES - 1, v.own // 11))
    v.rounds = min(20, min(c.rounds, v.own // 4) if c.table else c.rounds)


cdef inline int box_features(const Sheet *sheet, const Shown *v, int32_t *out) noexcept nogil:
    """Rounds left and boxes filled; returns how many were written, as all of these do."""
    out[0] = F_STAGE + v.rounds
    out[1] = F_BOXES + (sheet.claimed[0] * 32 + sheet.claimed[1]) * 21 + v.rounds
    out[2] = F_IDENTICAL + sheet.claimed[0] * STAGES + v.stage
    out[3] = F_STRAIGHT + sheet.claimed[1] * STAGES + v.stage
    out[4] = F_BONUS + sheet.bonus * STAGES + v.stage
    return 5


cdef inline int group_features(const Sheet *sheet, Shown *v, int32_t *out) noexcept nogil:
    """The three largest groups of equal digits, and how many more there are. Fills in their sizes."""
    cdef nd_set part, near, around, neighbour
    cdef int top_open[3]
    cdef int top_kind[3]
    cdef int n = 0, digit, count, open_code, kind, rank, i, j, pairs = 0
    for i in range(3):
        v.top_size[i] = 1
        top_open[i] = 0
        top_kind[i] = 0
    for digit in range(10):
        near = v.free[digit] & nd_near(v.free[digit])
        while near:
            part = nd_flood(near & ~(near - 1), near)
            near ^= part
            count = min(8, nd_count(part))
            around = nd_near(part)
            neighbour = around & v.landing
            # A group of 0, 8 or 9 grows by stars alone.
            kind = 4 if 1 <= digit <= 7 else 0
            if neighbour:
                i = min(3, nd_count(neighbour))
                open_code = 2 + (i > 1)
                kind += i
            else:
                open_code = (around & v.reachable) != 0
            pairs += 1
            for i in range(3):
                if count > v.top_size[i] or (count == v.top_size[i] and open_code > top_open[i]):
                    for j in range(2, i, -1):
                        v.top_size[j] = v.top_size[j - 1]
                        top_open[j] = top_open[j - 1]
                        top_kind[j] = top_kind[j - 1]
                    v.top_size[i] = count
                    top_open[i] = open_code
                    top_kind[i] = kind
                    break
    for rank in range(3):
        i = (rank * 9 + v.top_size[rank]) * 4 + top_open[rank]
        out[n] = F_GROUP + i * 32 + sheet.claimed[0]
        out[n + 1] = F_GROUP_STAGE + i * STAGES + v.stage
        i = ((rank * 2 + top_kind[rank] // 4) * 9 + v.top_size[rank]) * 4 + top_kind[rank] % 4
        out[n + 2] = F_KIND + i * STAGES + v.stage
        n += 3
    out[n] = F_PAIRS + min(7, max(0, pairs - 3)) * STAGES + v.stage
    return n + 1


cdef inline int run_features(const Sheet *sheet, Shown *v, int32_t *out) noexcept nogil:
    """The two longest runs with their ends, and both with the groups. Fills in their lengths."""
    cdef nd_set seen[10]
    cdef nd_set path, near
    cdef int n = 0, digit, rank, count, low, open_code, down, up, i
    for digit in range(10):
        seen[digit] = v.free[digit]
    for rank in range(2):
        path = 0
        low = 0
        count = longest_run(seen, &path, &low) if rank == 0 or v.length[0] else 0
        v.length[rank] = count
        open_code = down = up = 0
        if count:
            if low > 0:
                near = nd_near(path & v.free[low])
                down = 2 if near & v.landing else (near & v.reachable) != 0
            if low + count <= 9:
                near = nd_near(path & v.free[low + count - 1])
                up = 2 if near & v.landing else (near & v.reachable) != 0
            open_code = 3 if down + up == 4 else max(down, up)
            for i in range(count):
                seen[low + i] &= ~path
        i = (rank * 9 + count) * 4 + open_code
        out[n] = F_RUN + i * 32 + sheet.claimed[1]
        out[n + 1] = F_RUN_STAGE + i * STAGES + v.stage
        i = (((rank * 10 + low) * 9 + count) * 3 + down) * 3 + up
        out[n + 2] = F_SPAN + i * 32 + sheet.claimed[1]
        out[n + 3] = F_SPAN_STAGE + i * STAGES + v.stage
        n += 4
    i = ((v.top_size[0] * 9 + v.top_size[1]) * 9 + v.length[0]) * 9 + v.length[1]
    out[n] = F_HAND + i * STAGES + v.stage
    return n + 1


cdef inline void write_around(const Shown *v, nd_set near, int8_t *around) noexcept nogil:
    """Write the free digit of each filled cell in `near` to `around`, at the cell's number and 8 more."""
    cdef nd_set path = v.cells & near, part
    cdef int digit
    memset(around, EMPTY_CELL, 120)
    for digit in range(10):
        part = v.free[digit] & near
        path ^= part
        while part:
            around[8 + nd_low(part)] = <int8_t>digit
            part = nd_drop_low(part)
    while path:
        around[8 + nd_low(path)] = SPENT_CELL
        path = nd_drop_low(path)


cdef inline int landing_features(const Sheet *sheet, const Shown *v, int32_t *out) noexcept nogil:
    """What lies around each landing cell, and what one more digit there would make: digits of the dice, 1..7."""
    cdef nd_set neighbour, path
    cdef int8_t around[120]
    cdef int size[10]
    cdef int below[10]
    cdef int above[10]
    cdef int beside[3]
    cdef int reach[2][9]
    cdef int n = 0, column, height, down, low, up, digit, kind, i, j
    write_around(v, nd_near(v.landing), around)
    memset(reach, 0, sizeof(reach))
    for column in range(ND_COLUMNS):
        height = sheet.height[column]
        if height >= ND_LINE:
            continue
        down = around[8 * height + column] if height else WALL
        low = around[8 * height + column + 7] if column else WALL
        up = around[8 * height + column + 9] if column < ND_COLUMNS - 1 else WALL
        out[n] = F_WELL + ((down * 13 + min(low, up)) * 13 + max(low, up)) * STAGES + v.stage
        n += 1
        if down > 9 and low > 9 and up > 9:
            continue
        beside[0] = down
        beside[1] = low
        beside[2] = up
        neighbour = nd_near(nd_bit(8 * height + column))
        memset(size, 0, sizeof(size))
        memset(below, 0, sizeof(below))
        memset(above, 0, sizeof(above))
        for j in range(3):
            digit = beside[j]
            # Neighbours of one digit are taken together.
            if not 0 <= digit <= 9 or (j > 0 and digit == down) or (j == 2 and digit == low):
                continue
            path = neighbour & v.free[digit]
            if 1 <= digit <= 7:
                size[digit] = nd_count(nd_flood(path, v.free[digit]))
            if digit <= 6:
                below[digit + 1] = run_length(v.free, path, digit, -1)
            if 2 <= digit <= 8:
                above[digit - 1] = run_length(v.free, path, digit, 1)
        for digit in range(1, 8):
            reach[0][min(8, size[digit] + 1)] += 1
            reach[1][min(8, below[digit] + above[digit] + 1)] += 1
    for kind in range(2):
        for i in range(7, 2, -1):
            # Who reaches more reaches this as well.
            reach[kind][i] += reach[kind][i + 1]
        for i in range(3, 9):
            if is_open(sheet, kind, i):
                out[n] = F_SHORT + ((kind * 6 + i - 3) * 6 + min(5, reach[kind][i])) * STAGES + v.stage
                n += 1
    return n


cdef inline int heap_features(const Sheet *sheet, const Setting *c, const Shown *v, int32_t *out) noexcept nogil:
    """The shape of the heap: rows, steps between columns, room, holes; and each letter with its boxes."""
    cdef nd_set path
    cdef int step[6]
    cdef int n = 0, row, column, missing, i, j, boxes, before = 9, level = v.heights // ND_COLUMNS
    for row in range(ND_LINE):
        path = nd_row(row) & ~v.cells
        if not path:
            before = 0
            continue
        missing = 8 if path & ~v.reachable else nd_count(path)
        i = min(4, max(0, row - level + 2))
        out[n] = F_ROW + (missing * 5 + i) * STAGES + v.stage
        out[n + 1] = F_ROWS + ((before * 10 + missing) * 5 + i) * STAGES + v.stage
        n += 2
        if row > v.highest:
            break
        before = missing
    for column in range(ND_COLUMNS - 1):
        i = sheet.height[column + 1] - sheet.height[column]
        out[n] = F_STEP + (min(4, max(-4, i)) + 4) * STAGES + v.stage
        n += 1
        step[column] = min(3, max(-3, i))
    for column in range(ND_COLUMNS - 3):
        i = (step[column] * 7 + step[column + 1]) * 7 + step[column + 2]
        # The mirror image is worth the same.
        j = -(step[column + 2] * 7 + step[column + 1]) * 7 - step[column]
        out[n] = F_PROFILE + (max(i, j) + 171) * STAGES + v.stage
        n += 1
    boxes = 10 - nd_count64(sheet.claimed[0] | sheet.claimed[1] << 5)
    out[n] = F_LEVEL + ((v.own // 4) * 21 + v.rounds) * 11 + boxes
    n += 1
    for i in range(LETTERS):
        out[n] = F_LETTER + c.letter[i] * 4 + (sheet.claimed[0] >> i & 1) + 2 * (sheet.claimed[1] >> i & 1)
        n += 1
    out[n] = F_TOP + v.highest * STAGES + v.stage
    out[n + 1] = F_ROOM + (v.own // 4) * STAGES + v.stage
    out[n + 2] = F_HOLES + min(15, v.heights - nd_count(v.cells)) * STAGES + v.stage
    return n + 3


cdef inline int tile_features(const Setting *c, const Shown *v, int32_t *out) noexcept nogil:
    """Tiles that may still fall."""
    cdef int i
    if c.table:
        out[0] = F_THREAT + c.threats * STAGES + v.stage
        return 1
    for i in range(4):
        out[i] = F_NOTCH + (i * 6 + c.notch[i]) * STAGES + v.stage
    return 4


cdef int features(const Sheet *sheet, const Setting *c, int32_t *out, Potential *p) noexcept nogil:
    """Numbers of the active features (without the table's offset); at most MAX_ACTIVE. Fills `p` as well."""
    cdef Shown v
    cdef int n
    look(sheet, c, &v)
    n = box_features(sheet, &v, out)
    n += group_features(sheet, &v, out + n)
    n += run_features(sheet, &v, out + n)
    n += landing_features(sheet, &v, out + n)
    n += heap_features(sheet, c, &v, out + n)
    n += tile_features(c, &v, out + n)
    p.group = v.top_size[0]
    p.run = v.length[0]
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
