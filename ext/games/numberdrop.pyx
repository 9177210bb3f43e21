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


include "numberdrop/rules.pxi"
include "numberdrop/evaluation.pxi"
include "numberdrop/checks.pxi"

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
