# Number Drop: what a caller may not do, and what is a state: for all that comes from outside.
# A part of numberdrop.pyx, which includes it.

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
