"""Rules and move generator of Deblockle on bitboards.

Squares are bits of a 64-bit word, `rank * 8 + file` (both from 0): the unused eighth file keeps shifts from
running over the edge. All tables are made at import from the six roll rules and the one printed orientation.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport tanh
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from blocks cimport (
    BW_BLOCKS_ABI, BW_BLOCKS_CAPSULE, BW_EXIT, bw_blocks, bw_placed,
)
from game cimport (
    BW_CHANCE, BW_DECISION, BW_GAME_ABI, BW_GAME_CAPSULE, BW_TERMINAL, BW_UNIT, BW_WIN_LOSS, BW_ZERO_SUM,
    action_of, bw_action, bw_game, bw_value,
)
from rng cimport bw_rng, bw_rng_below, bw_rng_next, bw_rng_seed, bw_splitmix


cdef extern from "deblockle_weights.h" nogil:
    const int16_t DB_WEIGHTS[3][2][1]


cdef extern from *:
    """
    #define bw_popcount(x) __builtin_popcountll(x)
    /* Bits set in x, 3 for more: most masks here have few, and not every processor counts bits in one step. */
    static inline int bw_few(uint64_t x) {
        int n = x != 0;
        n += (x &= x - (x != 0)) != 0;
        n += (x &= x - (x != 0)) != 0;
        return n;
    }
    #define bw_lsb(x) __builtin_ctzll(x)
    """
    int bw_popcount(uint64_t x) noexcept nogil
    int bw_few(uint64_t x) noexcept nogil
    int bw_lsb(uint64_t x) noexcept nogil


cdef enum:
    SOUTH = 0
    NORTH = 1
    BLOCKS = 4
    SQUARES = 56
    ORIENTATIONS = 24
    OFF = 255

cdef enum:
    STAR = 0
    STOP = 1
    CROSS = 2
    DIAGONAL = 3
    SLIDER = 4
    HOOPS = 5
    FACES = 6

cdef enum:
    PLAY = 0
    ROLL_DICE = 1
    PLACE = 2

cdef enum:
    FREE = 0
    FULL = 1
    FULL_OR_BESIDE_STAR = 2

# Types of an action, from bit TYPE_SHIFT up. A move is from | tip << 6 | final << 12, a placement
# square | orientation << 6, a roll three bits of count for each face.
cdef enum:
    TYPE_SHIFT = 20
    MOVE = 0
    PLACEMENT = 1
    ROLLED = 2
    PASS = 3

cdef enum:
    MAX_ACTIONS = 1024  # 4 blocks x 4 tips x 45 targets at most; a set-up lists at most 4 x 4 x 4 placements
    MAX_ROLLS = 126     # multisets of 4 of 6 faces
    FAR = 99            # a lone block that can never exit
    MAX_PERFT = 64      # plies; each takes some kilobytes of stack


ctypedef struct Board:
    uint64_t key            # blocks and side to move; `position_key` adds the set-up
    uint64_t occupied[2]
    uint8_t square[2][BLOCKS]       # rising, so that equal positions are equal bytes
    uint8_t orientation[2][BLOCKS]
    uint8_t count[2]
    uint8_t side
    uint8_t phase
    uint8_t slider
    uint8_t nohop_ends_turn
    uint8_t no_touch
    uint8_t repetition
    uint8_t unplaced[FACES]  # rolled faces still to be placed
    uint8_t handicap[2]     # blocks of each side that the set-up deals
    uint16_t halfmove
    uint16_t unused[3]      # nothing is left to the compiler: equal positions are equal bytes


# What a block alone on the board would do next, and which squares matter to it; a cache line each.
ctypedef struct Lone:
    uint64_t slowed         # squares where one more block would cost it a turn or more,
    uint64_t stopped        # or two turns or more
    uint64_t reach          # where it can end its next turn
    uint64_t progress[4]    # by direction of the tip: where it can end a turn that brings it nearer to the exit
    uint8_t turns           # to exit


FACE_LETTERS = "STCXLH"

cdef uint8_t UP[ORIENTATIONS]
cdef uint8_t ROLLED_OVER[ORIENTATIONS][4]
cdef uint8_t TURNED[ORIENTATIONS]           # seen after half a turn of the board
cdef uint8_t WITH_UP[FACES][4]
cdef uint8_t NEXT[SQUARES][4]
cdef uint64_t ORTHOGONAL[SQUARES]
cdef uint64_t DIAGONALS[SQUARES]
cdef uint64_t HOOP_AREA[SQUARES]
cdef uint8_t LINE[7][128]                   # squares of a line reached from one, by the line's occupancy
cdef uint8_t LINE_ENDS[7][128]
cdef uint64_t COLUMN[128]                   # a line's seven bits spread up a file
cdef uint64_t FULL_BOARD, STARS, BESIDE_STAR
cdef uint64_t HOME_STAR[2]
cdef uint64_t START[2][BLOCKS + 1]
cdef uint64_t ZOBRIST[2][SQUARES][ORIENTATIONS]
cdef uint64_t ZOBRIST_SIDE
cdef uint64_t ZOBRIST_RULES[3][2][2]        # slider, nohop, no_touch: other rules, other values
cdef int32_t WIN_ESTIMATE[256]              # by the race in half turns, see `evaluate`
cdef uint8_t TURNS[3][2][2][SQUARES][ORIENTATIONS]  # slider, nohop, side: turns a lone block needs to exit
cdef Lone LONE[3][2][2][SQUARES][ORIENTATIONS]      # the same, and what can be in its way

cdef uint8_t WORST_TURNS[3][2][2][FACES]    # most of them on a start square with that face up
cdef uint8_t MEAN_HALF_TURNS[3][2][2]       # twice the mean of WORST_TURNS over the faces

ORIENTATION_NAMES = []  # up, north and east face of each orientation


# --- tables -------------------------------------------------------------------------------------------------

cdef tuple roll(tuple cube, int direction):
    """Roll (up, north, east, south, west, down) one step; 0 north, 1 east, 2 south, 3 west."""
    u, n, e, s, w, d = cube
    if direction == 0:
        return s, u, e, d, w, n
    if direction == 1:
        return w, n, u, s, d, e
    if direction == 2:
        return n, d, e, u, w, s
    return e, n, d, s, u, w


cdef void make_orientations():
    cdef dict known = {}
    cdef int i, d
    start = ("S", "L", "X", "H", "C", "T")
    todo = [start]
    known[start] = None
    while todo:
        cube = todo.pop()
        for d in range(4):
            turned = roll(cube, d)
            if turned not in known:
                known[turned] = None
                todo.append(turned)
    cubes = sorted(known, key=lambda c: [FACE_LETTERS.index(face) for face in c])
    index = {cube: i for i, cube in enumerate(cubes)}
    filled = [0] * FACES
    for i, cube in enumerate(cubes):
        face = FACE_LETTERS.index(cube[0])
        UP[i] = face
        WITH_UP[face][filled[face]] = i
        filled[face] += 1
        for d in range(4):
            ROLLED_OVER[i][d] = index[roll(cube, d)]
        u, n, e, s, w, down = cube
        TURNED[i] = index[(u, s, w, n, e, down)]
        ORIENTATION_NAMES.append("".join(cube[:3]))


cdef uint64_t bit_of(str name):
    return <uint64_t>1 << ((ord(name[1]) - 49) * 8 + ord(name[0]) - 97)


cdef void make_board():
    global FULL_BOARD, STARS, BESIDE_STAR, ZOBRIST_SIDE
    cdef int r, f, d, square, bits, i
    cdef uint64_t seed = 0x6465626c6f636b  # any constant: the hash must be the same on every machine
    FULL_BOARD = 0
    for r in range(7):
        for f in range(7):
            FULL_BOARD |= <uint64_t>1 << (r * 8 + f)
    for square in range(SQUARES):
        ORTHOGONAL[square] = DIAGONALS[square] = HOOP_AREA[square] = 0
        for d in range(4):
            NEXT[square][d] = OFF
        if not FULL_BOARD >> square & 1:
            continue
        r, f = square >> 3, square & 7
        for d, (dr, df) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            if 0 <= r + dr < 7 and 0 <= f + df < 7:
                NEXT[square][d] = (r + dr) * 8 + f + df
                ORTHOGONAL[square] |= <uint64_t>1 << NEXT[square][d]
        for dr, df in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            if 0 <= r + dr < 7 and 0 <= f + df < 7:
                DIAGONALS[square] |= <uint64_t>1 << ((r + dr) * 8 + f + df)
    HOME_STAR[SOUTH] = bit_of("d2")
    HOME_STAR[NORTH] = bit_of("d6")
    STARS = HOME_STAR[SOUTH] | HOME_STAR[NORTH]
    BESIDE_STAR = ORTHOGONAL[bw_lsb(HOME_STAR[SOUTH])] | ORTHOGONAL[bw_lsb(HOME_STAR[NORTH])]
    starts = (
        (("d1",), ("c1", "e1"), ("c1", "e1", "d3"), ("c1", "e1", "c3", "e3")),
        (("d7",), ("c7", "e7"), ("c7", "e7", "d5"), ("c5", "e5", "c7", "e7")),
    )
    for side in range(2):
        START[side][0] = 0
        for names in starts[side]:
            START[side][len(names)] = 0
            for name in names:
                START[side][len(names)] |= bit_of(name)
    for i in range(7):
        for bits in range(128):
            reached = ends = 0
            for step in (-1, 1):
                at = i + step
                last = -1
                while 0 <= at < 7 and not bits >> at & 1:
                    reached |= 1 << at
                    last = at
                    at += step
                if last >= 0:
                    ends |= 1 << last
            LINE[i][bits] = reached
            LINE_ENDS[i][bits] = ends
    for bits in range(128):
        COLUMN[bits] = 0
        for i in range(7):
            if bits >> i & 1:
                COLUMN[bits] |= <uint64_t>1 << (i * 8)
    for side in range(2):
        for square in range(SQUARES):
            for i in range(ORIENTATIONS):
                ZOBRIST[side][square][i] = bw_splitmix(&seed)
    ZOBRIST_SIDE = bw_splitmix(&seed)
    for i in range(3):
        for bits in range(4):
            ZOBRIST_RULES[i][bits >> 1][bits & 1] = bw_splitmix(&seed)
    for i in range(256):
        # Half a turn ahead in the race is worth about a sixth of the way to a sure win.
        WIN_ESTIMATE[i] = <int32_t>round(9000 * tanh((i - 128) * 0.16))
    for i in range(2 * SQUASH):
        EXPECTED[i] = <int16_t>round(BW_UNIT * tanh((i - SQUASH) / 512.0))
    memcpy(WEIGHTS, DB_WEIGHTS, sizeof(WEIGHTS))


# --- moves --------------------------------------------------------------------------------------------------

cdef inline uint64_t spread(uint64_t squares) noexcept nogil:
    """Squares one orthogonal step away from any of `squares`; the caller masks what is off the board."""
    return squares << 8 | squares >> 8 | squares << 1 | squares >> 1


cdef inline uint64_t slides(int square, uint64_t occupied, uint8_t (*lines)[128]) noexcept nogil:
    cdef int r = square >> 3
    cdef int f = square & 7
    cdef uint64_t row = lines[f][occupied >> (8 * r) & 0x7F]
    # The product brings the file's bits 0, 8, .. 48 to bits 56 .. 62: no two partial products meet.
    cdef uint64_t line = (occupied >> f & 0x0001010101010101ULL) * 0x0102040810204080ULL >> 56
    cdef uint64_t column = COLUMN[lines[r][line]]
    return row << (8 * r) | column << f


cdef inline uint64_t hop_targets(const Board *s, int side, int i, int direction) noexcept nogil:
    """Final squares of block `i` of `side` tipped in a direction; for stop and exit the tip square itself."""
    cdef int origin = s.square[side][i]
    cdef int tip = NEXT[origin][direction]
    cdef int face
    cdef uint64_t tipped, occupied, free_squares, found
    if tip == OFF:
        return 0
    tipped = <uint64_t>1 << tip
    occupied = s.occupied[0] | s.occupied[1]
    if occupied & tipped:
        return 0
    face = UP[ROLLED_OVER[s.orientation[side][i]][direction]]
    if face == STAR:
        return tipped & HOME_STAR[side ^ 1]
    if tipped & STARS:
        return 0
    if face == STOP:
        found = tipped
    else:
        occupied ^= <uint64_t>1 << origin
        free_squares = FULL_BOARD & ~occupied
        if face == CROSS:
            found = ORTHOGONAL[tip] & free_squares
        elif face == DIAGONAL:
            found = DIAGONALS[tip] & free_squares
        elif face == HOOPS:
            found = spread(spread(ORTHOGONAL[tip] & free_squares) & free_squares) & free_squares
        elif s.slider == FREE:
            found = slides(tip, occupied, LINE)
        elif s.slider == FULL:
            found = slides(tip, occupied, LINE_ENDS)
        else:
            found = slides(tip, occupied, LINE_ENDS) | slides(tip, occupied, LINE) & BESIDE_STAR
        found &= ~STARS
        if found == 0 and s.nohop_ends_turn:
            found = tipped
    if s.no_touch:
        found &= ~spread(s.occupied[side ^ 1])
    return found


cdef inline bint can_move(const Board *s, int side) noexcept nogil:
    cdef int i, d
    for i in range(s.count[side]):
        for d in range(4):
            if hop_targets(s, side, i, d):
                return True
    return False


cdef inline int count_moves(const Board *s) noexcept nogil:
    """Moves of the side to move, a forced pass counted as one; 0 in a finished game."""
    cdef int i, d, n = 0
    if s.count[0] == 0 or s.count[1] == 0:
        return 0
    for i in range(s.count[s.side]):
        for d in range(4):
            n += bw_popcount(hop_targets(s, s.side, i, d))
    return n if n else 1


cdef inline int write_moves(const Board *s, bw_action *out) noexcept nogil:
    cdef int i, d, n = 0
    cdef uint64_t found
    cdef bw_action start
    for i in range(s.count[s.side]):
        for d in range(4):
            found = hop_targets(s, s.side, i, d)
            start = s.square[s.side][i] | <uint64_t>NEXT[s.square[s.side][i]][d] << 6
            while found:
                out[n] = start | <uint64_t>bw_lsb(found) << 12
                found &= found - 1
                n += 1
    if n == 0:
        out[0] = <bw_action>PASS << TYPE_SHIFT
        n = 1
    return n


cdef inline void insert(Board *s, int side, int square, int orientation) noexcept nogil:
    cdef int i = s.count[side]
    while i > 0 and s.square[side][i - 1] > square:
        s.square[side][i] = s.square[side][i - 1]
        s.orientation[side][i] = s.orientation[side][i - 1]
        i -= 1
    s.square[side][i] = square
    s.orientation[side][i] = orientation
    s.count[side] += 1
    s.occupied[side] |= <uint64_t>1 << square
    s.key ^= ZOBRIST[side][square][orientation]


cdef inline void remove_block(Board *s, int side, int i) noexcept nogil:
    cdef int square = s.square[side][i]
    s.key ^= ZOBRIST[side][square][s.orientation[side][i]]
    s.occupied[side] ^= <uint64_t>1 << square
    s.count[side] -= 1
    while i < s.count[side]:
        s.square[side][i] = s.square[side][i + 1]
        s.orientation[side][i] = s.orientation[side][i + 1]
        i += 1
    s.square[side][i] = 0
    s.orientation[side][i] = 0


cdef inline int tipped_over(const Board *s, bw_action action, int *block) noexcept nogil:
    """Orientation after the tip of a move of the side to move, and which of its blocks is moved."""
    cdef int origin = action & 63
    cdef int delta = <int>(action >> 6 & 63) - origin
    cdef int direction = 0 if delta == 8 else 1 if delta == 1 else 2 if delta == -8 else 3
    cdef int i = 0
    while s.square[s.side][i] != origin:
        i += 1
    block[0] = i
    return ROLLED_OVER[s.orientation[s.side][i]][direction]


cdef inline void make_move(Board *s, bw_action action) noexcept nogil:
    cdef int side = s.side
    cdef int i, orientation
    if action >> TYPE_SHIFT != PASS:
        orientation = tipped_over(s, action, &i)
        remove_block(s, side, i)
        if UP[orientation] != STAR:
            insert(s, side, action >> 12 & 63, orientation)
    s.side ^= 1
    s.key ^= ZOBRIST_SIDE
    s.halfmove += s.halfmove < 65535


# --- what is a position -------------------------------------------------------------------------------------

cdef uint64_t key_of(const Board *s) noexcept nogil:
    """The key that belongs to the blocks, the side to move and the rules."""
    cdef uint64_t key = ZOBRIST_RULES[s.slider][s.nohop_ends_turn][s.no_touch]
    cdef int side, i
    for side in range(2):
        for i in range(s.count[side]):
            key ^= ZOBRIST[side][s.square[side][i]][s.orientation[side][i]]
    return key ^ ZOBRIST_SIDE if s.side else key


cdef const char *fault_of_blocks(const Board *s) noexcept nogil:
    """What is wrong with where the blocks lie; NULL: nothing."""
    cdef uint64_t taken = STARS, own
    cdef int side, i
    for side in range(2):
        if s.count[side] > BLOCKS:
            return "a side has at most 4 blocks"
        own = 0
        for i in range(BLOCKS):
            if i >= s.count[side]:
                if s.square[side][i] or s.orientation[side][i]:
                    return "a block that is off the board has a square"
                continue
            if s.square[side][i] >= SQUARES or not FULL_BOARD >> s.square[side][i] & 1:
                return "a block lies off the board"
            if s.orientation[side][i] >= ORIENTATIONS:
                return "an orientation is not in 0..23"
            if taken >> s.square[side][i] & 1:
                return "a block lies on a star or on another block"
            if i and s.square[side][i] < s.square[side][i - 1]:
                return "the blocks are not in the order of their squares"
            own |= <uint64_t>1 << s.square[side][i]
            taken |= own
        if own != s.occupied[side]:
            return "the squares in use are not those of the blocks"
    return NULL


cdef const char *fault_of_setup(const Board *s) noexcept nogil:
    """What is wrong with the dice and blocks still to come; NULL: nothing."""
    cdef int i, left = 0, placed = s.side ^ 1
    for i in range(FACES):
        if s.unplaced[i] > BLOCKS:
            return "at most 4 faces are left to place"
        left += s.unplaced[i]
    for i in range(2):
        if s.handicap[i] > BLOCKS:
            return "each side has at most 4 blocks"
        if s.phase == PLAY and s.handicap[i] or s.phase != PLAY and not s.handicap[i]:
            return "a set-up deals blocks to both sides, and only a set-up does"
        if s.phase != PLAY and s.occupied[i] & ~START[i][s.handicap[i]]:
            return "a block of the set-up is not on a start square"
    if s.phase == PLAY:
        if left:
            return "nothing is left to place once the game is in play"
        return NULL
    # South places all blocks of North first; then it is the other way round.
    if s.count[s.side] != (s.handicap[NORTH] if s.side == NORTH else 0):
        return "the blocks of North are placed first, all of them"
    if s.phase == ROLL_DICE and (s.count[placed] or left):
        return "blocks are rolled before the first of them is placed"
    if s.phase == PLACE and (left == 0 or s.count[placed] + left != s.handicap[placed]):
        return "placed blocks and faces left do not add up to the blocks of the set-up"
    return NULL


cdef const char *fault_of(const Board *s) noexcept nogil:
    """Why this is no position of the game; NULL: it is one. Any bytes may be asked about."""
    cdef const char *fault
    cdef int i
    if s.slider > 2 or s.nohop_ends_turn > 1 or s.no_touch > 1:
        return "a rule is out of range"
    if s.side > 1 or s.phase > PLACE:
        return "side or phase is out of range"
    for i in range(3):
        if s.unused[i]:
            return "bytes that mean nothing are not 0"
    fault = fault_of_blocks(s)
    if fault == NULL:
        fault = fault_of_setup(s)
    if fault == NULL and s.key != key_of(s):
        fault = "the key is not that of the blocks"
    return fault


# --- the table of a game ------------------------------------------------------------------------------------

cdef const char *game_fault(const void *state) noexcept nogil:
    return fault_of(<const Board *>state)


cdef int game_legal(const void *state, bw_action action) noexcept nogil:
    cdef bw_action listed[MAX_ACTIONS]
    cdef double probability[MAX_ROLLS]
    cdef int64_t i, n = 0
    cdef int kind = game_kind(state)
    if kind == BW_DECISION:
        n = game_actions(state, listed, MAX_ACTIONS)
    elif kind == BW_CHANCE:
        n = game_outcomes(state, listed, probability, MAX_ROLLS)
    for i in range(n):
        if listed[i] == action:
            return True
    return False


cdef int game_players(const void *state) noexcept nogil:
    return 2


cdef int game_kind(const void *state) noexcept nogil:
    cdef const Board *s = <const Board *>state
    if s.phase != PLAY:
        return BW_CHANCE if s.phase == ROLL_DICE else BW_DECISION
    if s.count[0] == 0 or s.count[1] == 0:
        return BW_TERMINAL
    if not can_move(s, s.side) and not can_move(s, s.side ^ 1):
        return BW_TERMINAL
    return BW_DECISION


cdef int game_player(const void *state) noexcept nogil:
    return (<const Board *>state).side


cdef int write_placements(const Board *s, bw_action *out) noexcept nogil:
    cdef int n = 0
    cdef int square, face, yaw
    cdef int placed = s.side ^ 1
    cdef uint64_t squares = START[placed][s.handicap[placed]] & ~s.occupied[placed]
    while squares:
        square = bw_lsb(squares)
        squares &= squares - 1
        for face in range(FACES):
            if s.unplaced[face]:
                for yaw in range(4):
                    out[n] = <bw_action>PLACEMENT << TYPE_SHIFT | <uint64_t>WITH_UP[face][yaw] << 6 | square
                    n += 1
    return n


cdef int64_t game_actions(const void *state, bw_action *out, int64_t cap) noexcept nogil:
    cdef const Board *s = <const Board *>state
    cdef bw_action all_actions[MAX_ACTIONS]
    cdef bw_action *buffer = out if cap >= MAX_ACTIONS else all_actions
    cdef int64_t n = write_moves(s, buffer) if s.phase == PLAY else write_placements(s, buffer)
    if buffer != out and cap > 0:
        memcpy(out, buffer, min(n, cap) * sizeof(bw_action))
    return n


cdef void game_apply(void *state, bw_action action) noexcept nogil:
    cdef Board *s = <Board *>state
    cdef int i, left
    if s.phase == PLAY:
        make_move(s, action)
    elif s.phase == ROLL_DICE:
        for i in range(FACES):
            s.unplaced[i] = action >> (3 * i) & 7
        s.phase = PLACE
    else:
        insert(s, s.side ^ 1, action & 63, action >> 6 & 31)
        s.unplaced[UP[action >> 6 & 31]] -= 1
        left = 0
        for i in range(FACES):
            left += s.unplaced[i]
        if left == 0:
            # South places first and North second; then South opens the game.
            s.phase = ROLL_DICE if s.side == SOUTH else PLAY
            if s.phase == PLAY:
                s.handicap[0] = s.handicap[1] = 0
            s.side ^= 1
            s.key ^= ZOBRIST_SIDE


cdef inline bw_action random_action(const Board *s, bw_rng *rng) noexcept nogil:
    cdef bw_action out[MAX_ACTIONS]
    cdef int64_t n = write_moves(s, out) if s.phase == PLAY else write_placements(s, out)
    return out[bw_rng_below(rng, n)]


cdef bw_action game_sample(const void *state, bw_rng *rng) noexcept nogil:
    cdef const Board *s = <const Board *>state
    cdef bw_action rolled
    cdef int _die
    if s.phase != ROLL_DICE:
        return random_action(s, rng)
    rolled = <bw_action>ROLLED << TYPE_SHIFT
    for _die in range(s.handicap[s.side ^ 1]):
        rolled += <bw_action>1 << (3 * bw_rng_below(rng, FACES))
    return rolled


cdef int64_t game_outcomes(const void *state, bw_action *out, double *probability,
                           int64_t cap) noexcept nogil:
    cdef const Board *s = <const Board *>state
    cdef int dice = s.handicap[s.side ^ 1]
    cdef int c0, c1, c2, c3, c4, c5
    cdef int64_t n = 0
    cdef double total = FACTORIAL[dice] / SIXES[dice]
    for c0 in range(dice + 1):
        for c1 in range(dice - c0 + 1):
            for c2 in range(dice - c0 - c1 + 1):
                for c3 in range(dice - c0 - c1 - c2 + 1):
                    for c4 in range(dice - c0 - c1 - c2 - c3 + 1):
                        c5 = dice - c0 - c1 - c2 - c3 - c4
                        if n < cap:
                            out[n] = (<bw_action>ROLLED << TYPE_SHIFT | c0 | c1 << 3 | c2 << 6 | c3 << 9
                                      | c4 << 12 | c5 << 15)
                            probability[n] = total / (
                                FACTORIAL[c0] * FACTORIAL[c1] * FACTORIAL[c2]
                                * FACTORIAL[c3] * FACTORIAL[c4] * FACTORIAL[c5])
                        n += 1
    return n


cdef double[5] FACTORIAL = [1, 1, 2, 6, 24]
cdef double[5] SIXES = [1, 6, 36, 216, 1296]


cdef uint64_t game_key(const void *state) noexcept nogil:
    cdef const Board *s = <const Board *>state
    cdef uint64_t mixed
    cdef int i
    if s.phase == PLAY:
        return s.key
    mixed = s.phase
    for i in range(FACES):
        mixed = mixed << 3 | s.unplaced[i]
    mixed = mixed << 6 | s.handicap[0] << 3 | s.handicap[1]
    return s.key ^ bw_splitmix(&mixed)


cdef int game_repetition(const void *state) noexcept nogil:
    return (<const Board *>state).repetition


cdef void game_returns(const void *state, bw_value *out) noexcept nogil:
    cdef const Board *s = <const Board *>state
    out[0] = out[1] = 0
    if s.phase == PLAY and (s.count[0] == 0 or s.count[1] == 0):
        out[0] = BW_UNIT if s.count[0] == 0 else -BW_UNIT
        out[1] = -out[0]


cdef inline int turns_left(const Board *s, int side) noexcept nogil:
    """Turns the side's blocks would need to exit, each alone on the board."""
    cdef int i, total = 0
    for i in range(s.count[side]):
        total += TURNS[s.slider][s.nohop_ends_turn][side][s.square[side][i]][s.orientation[side][i]]
    return total


cdef inline int unplaced_turns(const Board *s, int side) noexcept nogil:
    """Half turns that the side's blocks still to be placed will need: the other side places them badly."""
    cdef int face, total = 0
    if s.phase == ROLL_DICE or s.side == side:
        return (s.handicap[side] - s.count[side]) * MEAN_HALF_TURNS[s.slider][s.nohop_ends_turn][side]
    for face in range(FACES):
        total += s.unplaced[face] * 2 * WORST_TURNS[s.slider][s.nohop_ends_turn][side][face]
    return total


# The features of a position in play, each a weight in units of 1/WEIGHT_UNIT of the logarithm of the odds. All are
# seen by the side to move; those of a block come once for the side to move and once for the other side.
cdef enum:
    WEIGHT_UNIT = 1024
    SQUASH = 2048           # entries of EXPECTED on either side of nothing, 1/256 of a logarithm each
    MAX_TURNS = 7           # of a lone block, longer ways counted as this
    MAX_OPEN = 5
    MAX_SLOW = 3            # as far as bw_few counts
    MAX_TIPS = 12
    MAX_RACE = 12
    MAX_LEFT = 15

    # One side's:
    AT_OPEN = 0                                                         # blocks left, turns, moves nearer to the exit
    AT_SLOWED = AT_OPEN + BLOCKS * (MAX_TURNS + 1) * (MAX_OPEN + 1)   # turns, other and own blocks in the way
    AT_STOPPED = AT_SLOWED + (MAX_TURNS + 1) * (MAX_SLOW + 1) * (MAX_SLOW + 1)
    AT_THREAT = AT_STOPPED + (MAX_TURNS + 1) * 2 * 2                   # turns, squares the other side can block
    AT_TIPS = AT_THREAT + (MAX_TURNS + 1) * (MAX_SLOW + 1)            # open squares beside all blocks
    ONE_SIDE = AT_TIPS + MAX_TIPS + 1
    # Both sides':
    AT_RACE = 2 * ONE_SIDE                                              # lead in turns, turns left
    AT_COUNTS = AT_RACE + (2 * MAX_RACE + 1) * (MAX_LEFT + 1)         # blocks left of both
    FEATURES = AT_COUNTS + (BLOCKS + 1) * (BLOCKS + 1)
    MAX_ACTIVE = 2 * (4 * BLOCKS + 1) + 2

cdef int16_t WEIGHTS[3][2][FEATURES]  # by slider and no_touch
cdef int16_t EXPECTED[2 * SQUASH]     # the result that a sum of weights stands for


cdef inline int active(const Board *s, uint16_t *out) noexcept nogil:
    """Indices of the features of a position in play; returns how many."""
    cdef uint64_t occupied = s.occupied[0] | s.occupied[1]
    cdef uint64_t reach[2]
    cdef uint64_t open_squares, around
    cdef int left[2]
    cdef const Lone *lone
    cdef const Lone *lones[2][BLOCKS]
    cdef int r, side, base, i, d, tips, turns, others, own, n = 0
    for side in range(2):
        reach[side] = 0
        left[side] = 0
        for i in range(s.count[side]):
            lone = &LONE[s.slider][s.nohop_ends_turn][side][s.square[side][i]][s.orientation[side][i]]
            lones[side][i] = lone
            reach[side] |= lone.reach
            left[side] += lone.turns
    for r in range(2):
        side = s.side ^ r
        base = r * ONE_SIDE
        around = 0
        for i in range(s.count[side]):
            lone = lones[side][i]
            turns = min(lone.turns, MAX_TURNS)
            around |= ORTHOGONAL[s.square[side][i]]
            others = 0
            for d in range(4):
                open_squares = lone.progress[d] & ~occupied
                if open_squares and not occupied >> NEXT[s.square[side][i]][d] & 1:
                    others += bw_popcount(open_squares)
            out[n] = base + AT_OPEN + ((s.count[side] - 1) * (MAX_TURNS + 1) + turns) * (MAX_OPEN + 1) + min(
                others, MAX_OPEN)
            others = bw_few(lone.slowed & s.occupied[side ^ 1])
            own = bw_few(lone.slowed & s.occupied[side])
            out[n + 1] = base + AT_SLOWED + (turns * (MAX_SLOW + 1) + others) * (MAX_SLOW + 1) + own
            others = (lone.stopped & s.occupied[side ^ 1]) != 0
            own = (lone.stopped & s.occupied[side]) != 0
            out[n + 2] = base + AT_STOPPED + (turns * 2 + others) * 2 + own
            others = bw_few(lone.slowed & reach[side ^ 1] & ~occupied)
            out[n + 3] = base + AT_THREAT + turns * (MAX_SLOW + 1) + others
            n += 4
        tips = bw_popcount(around & ~occupied)
        out[n] = base + AT_TIPS + min(tips, MAX_TIPS)
        n += 1
    side = s.side
    out[n] = AT_RACE + (min(max(left[side ^ 1] - left[side], -MAX_RACE), MAX_RACE) + MAX_RACE) * (
        MAX_LEFT + 1) + min(min(left[0], left[1]), MAX_LEFT)
    out[n + 1] = AT_COUNTS + s.count[side] * (BLOCKS + 1) + s.count[side ^ 1]
    return n + 2


cdef void game_evaluate(const void *state, bw_value *out) noexcept nogil:
    """In play the learned weights of what the position shows; in the set-up the race of the lone blocks."""
    cdef const Board *s = <const Board *>state
    cdef uint16_t features[MAX_ACTIVE]
    cdef const int16_t *weights
    cdef int race, i, n, total
    if s.phase == PLAY:
        if s.count[0] == 0 or s.count[1] == 0:
            game_returns(state, out)
            return
        weights = WEIGHTS[s.slider][s.no_touch]
        n = active(s, features)
        total = 0
        for i in range(n):
            total += weights[features[i]]
        out[s.side] = EXPECTED[min(max((total >> 2) + SQUASH, 0), 2 * SQUASH - 1)]
        out[s.side ^ 1] = -out[s.side]
        return
    # South opens the game whoever places the last block.
    race = 1 + 2 * (turns_left(s, NORTH) - turns_left(s, SOUTH))
    race += unplaced_turns(s, NORTH) - unplaced_turns(s, SOUTH)
    out[0] = WIN_ESTIMATE[min(max(race, -127), 127) + 128]
    out[1] = -out[0]


cdef void game_bounds(const void *state, int player, bw_value *low, bw_value *high) noexcept nogil:
    cdef bw_value out[2]
    low[0] = -BW_UNIT
    high[0] = BW_UNIT
    if game_kind(state) == BW_TERMINAL:
        game_returns(state, out)
        low[0] = high[0] = out[player]


cdef int32_t game_order(const void *state, bw_action action) noexcept nogil:
    """Turns that the moved block gains on its way out; an exit first of all."""
    cdef const Board *s = <const Board *>state
    cdef int i, orientation
    cdef uint8_t (*turns)[ORIENTATIONS]
    if s.phase != PLAY or action >> TYPE_SHIFT == PASS:
        return 0
    orientation = tipped_over(s, action, &i)
    if UP[orientation] == STAR:
        return 100
    turns = &TURNS[s.slider][s.nohop_ends_turn][s.side][0]
    return turns[action & 63][s.orientation[s.side][i]] - turns[action >> 12 & 63][orientation]


cdef void game_playout_step(void *state, bw_rng *rng) noexcept nogil:
    """Three times in four the move that gains most turns on the way out, else any move."""
    cdef const Board *s = <const Board *>state
    cdef bw_action out[MAX_ACTIONS]
    cdef bw_action chosen
    cdef int64_t i, n, ties = 0
    cdef int32_t gain, best = -1000
    cdef int kind = game_kind(state)
    if kind == BW_TERMINAL:
        return
    if s.phase != PLAY or bw_rng_next(rng) & 3 == 0:
        game_apply(state, game_sample(state, rng))
        return
    n = write_moves(s, out)
    chosen = out[0]
    for i in range(n):
        gain = game_order(state, out[i])
        if gain > best:
            best = gain
            ties = 0
        if gain == best:
            ties += 1
            if bw_rng_below(rng, ties) == 0:
                chosen = out[i]
    game_apply(state, chosen)


cdef bw_game GAME


cdef void make_game():
    GAME.abi = BW_GAME_ABI
    GAME.flags = BW_ZERO_SUM | BW_WIN_LOSS
    GAME.state_size = sizeof(Board)
    GAME.state_align = sizeof(uint64_t)
    GAME.max_players = 2
    GAME.max_actions = MAX_ACTIONS
    GAME.max_outcomes = MAX_ROLLS
    GAME.name = "deblockle"
    GAME.players = game_players
    GAME.kind = game_kind
    GAME.player = game_player
    GAME.actions = game_actions
    GAME.top = NULL
    GAME.sample = game_sample
    GAME.apply = game_apply
    GAME.playout_step = game_playout_step
    GAME.outcomes = game_outcomes
    GAME.key = game_key
    GAME.repetition = game_repetition
    GAME.returns = game_returns
    GAME.evaluate = game_evaluate
    GAME.bounds = game_bounds
    GAME.order = game_order
    GAME.fault = game_fault
    GAME.legal = game_legal


def capsule() -> object:
    """The compiled game as a PyCapsule of a `bw_game` (see ext/include/game.h)."""
    return PyCapsule_New(&GAME, BW_GAME_CAPSULE, NULL)


# --- block by block, for endgame tables ---------------------------------------------------------------------

cdef int blocks_reach(int rules, int side, int square, int orientation, uint64_t own, uint64_t other,
                      uint16_t *out) noexcept nogil:
    cdef Board s
    cdef int d, n = 0
    cdef int after
    cdef uint64_t found
    s.slider = rules % 3
    s.nohop_ends_turn = rules // 3 & 1
    s.no_touch = rules // 6
    s.occupied[side] = own | <uint64_t>1 << square
    s.occupied[side ^ 1] = other
    s.square[side][0] = square
    s.orientation[side][0] = orientation
    for d in range(4):
        found = hop_targets(&s, side, 0, d)
        after = ROLLED_OVER[orientation][d]
        while found:
            out[n] = BW_EXIT if UP[after] == STAR else <uint16_t>(bw_lsb(found) << 8 | after)
            found &= found - 1
            n += 1
    return n


cdef int blocks_placed(const void *state, bw_placed *out) noexcept nogil:
    cdef const Board *s = <const Board *>state
    if s.phase != PLAY or s.count[0] == 0 or s.count[1] == 0:
        return 0
    out.rules = s.slider + 3 * s.nohop_ends_turn + 6 * s.no_touch
    out.side = s.side
    memcpy(out.count, s.count, sizeof(s.count))
    memcpy(out.square, s.square, sizeof(s.square))
    memcpy(out.orientation, s.orientation, sizeof(s.orientation))
    return 1


cdef bw_blocks BLOCKS_TABLE


cdef void make_blocks():
    BLOCKS_TABLE.abi = BW_BLOCKS_ABI
    BLOCKS_TABLE.game = &GAME
    BLOCKS_TABLE.usable = FULL_BOARD & ~STARS
    BLOCKS_TABLE.turned = TURNED
    BLOCKS_TABLE.reach = blocks_reach
    BLOCKS_TABLE.placed = blocks_placed


def blocks_capsule() -> object:
    """The rules block by block as a PyCapsule of a `bw_blocks` (see ext/include/blocks.h)."""
    return PyCapsule_New(&BLOCKS_TABLE, BW_BLOCKS_CAPSULE, NULL)


# --- turns of a lone block ----------------------------------------------------------------------------------

cdef uint64_t turned_squares(uint64_t squares) noexcept nogil:
    """The squares seen after half a turn of the board."""
    cdef uint64_t turned = 0
    while squares:
        turned |= <uint64_t>1 << (54 - bw_lsb(squares))
        squares &= squares - 1
    return turned


cdef void measure_turns(int slider, int nohop, int obstacle, uint64_t (*moves)[ORIENTATIONS][4],
                        uint8_t (*turns)[ORIENTATIONS]) noexcept nogil:
    """Moves of a lone South block, and its turns to exit, breadth first from the exits.

    A motionless block may lie on the square `obstacle`, OFF for none.
    """
    cdef Board s
    cdef uint64_t near[ORIENTATIONS]   # squares from which fewer turns suffice
    cdef uint64_t found[ORIENTATIONS]
    cdef uint64_t todo
    cdef int square, orientation, d, after, n
    cdef bint changed = True
    memset(turns, FAR, SQUARES * ORIENTATIONS)
    memset(moves, 0, SQUARES * ORIENTATIONS * 4 * sizeof(uint64_t))
    memset(near, 0, sizeof(near))
    for square in range(SQUARES):
        if square == obstacle or not (FULL_BOARD & ~STARS) >> square & 1:
            continue
        for orientation in range(ORIENTATIONS):
            memset(&s, 0, sizeof(Board))
            s.slider = slider
            s.nohop_ends_turn = nohop
            insert(&s, SOUTH, square, orientation)
            if obstacle != OFF:
                insert(&s, NORTH, obstacle, 0)
            for d in range(4):
                moves[square][orientation][d] = hop_targets(&s, SOUTH, 0, d)
    n = 1
    while changed:
        changed = False
        for orientation in range(ORIENTATIONS):
            found[orientation] = 0
            todo = FULL_BOARD & ~near[orientation]
            while todo:
                square = bw_lsb(todo)
                todo &= todo - 1
                for d in range(4):
                    after = ROLLED_OVER[orientation][d]
                    if moves[square][orientation][d] & (HOME_STAR[NORTH] if UP[after] == STAR else near[after]):
                        turns[square][orientation] = n
                        found[orientation] |= <uint64_t>1 << square
                        changed = True
                        break
        for orientation in range(ORIENTATIONS):
            near[orientation] |= found[orientation]
        n += 1


cdef void make_turns() noexcept nogil:
    """Turns a block alone on the board needs to exit, and where a second block would cost it turns."""
    cdef uint64_t moves[SQUARES][ORIENTATIONS][4]
    cdef uint64_t blocked_moves[SQUARES][ORIENTATIONS][4]
    cdef uint8_t turns[SQUARES][ORIENTATIONS]
    cdef uint8_t blocked[SQUARES][ORIENTATIONS]
    cdef int slider, nohop, square, orientation, obstacle, d, after
    cdef uint64_t left
    cdef Lone *lone
    cdef Lone *turned
    memset(TURNS, FAR, sizeof(TURNS))
    for slider in range(3):
        for nohop in range(2):
            measure_turns(slider, nohop, OFF, moves, turns)
            for square in range(SQUARES):
                if not (FULL_BOARD & ~STARS) >> square & 1:
                    continue
                for orientation in range(ORIENTATIONS):
                    lone = &LONE[slider][nohop][SOUTH][square][orientation]
                    lone.turns = turns[square][orientation]
                    for d in range(4):
                        after = ROLLED_OVER[orientation][d]
                        left = moves[square][orientation][d]
                        lone.reach |= left
                        if UP[after] == STAR:
                            lone.progress[d] = left
                            continue
                        while left:
                            if turns[bw_lsb(left)][after] < lone.turns:
                                lone.progress[d] |= left & -left
                            left &= left - 1
            for obstacle in range(SQUARES):
                if not (FULL_BOARD & ~STARS) >> obstacle & 1:
                    continue
                measure_turns(slider, nohop, obstacle, blocked_moves, blocked)
                for square in range(SQUARES):
                    for orientation in range(ORIENTATIONS):
                        if square == obstacle or turns[square][orientation] == FAR:
                            continue
                        lone = &LONE[slider][nohop][SOUTH][square][orientation]
                        if blocked[square][orientation] > lone.turns:
                            lone.slowed |= <uint64_t>1 << obstacle
                        if blocked[square][orientation] > lone.turns + 1:
                            lone.stopped |= <uint64_t>1 << obstacle
            for square in range(SQUARES):
                if not (FULL_BOARD & ~STARS) >> square & 1:
                    continue
                for orientation in range(ORIENTATIONS):
                    lone = &LONE[slider][nohop][SOUTH][square][orientation]
                    turned = &LONE[slider][nohop][NORTH][54 - square][TURNED[orientation]]
                    turned[0] = lone[0]
                    turned.slowed = turned_squares(lone.slowed)
                    turned.stopped = turned_squares(lone.stopped)
                    turned.reach = turned_squares(lone.reach)
                    for d in range(4):
                        turned.progress[d ^ 2] = turned_squares(lone.progress[d])
                    TURNS[slider][nohop][SOUTH][square][orientation] = lone.turns
                    TURNS[slider][nohop][NORTH][54 - square][TURNED[orientation]] = lone.turns


cdef void make_worst_turns() noexcept nogil:
    cdef int slider, nohop, side, face, yaw, square, worst, total
    for slider in range(3):
        for nohop in range(2):
            for side in range(2):
                total = 0
                for face in range(FACES):
                    worst = 0
                    for yaw in range(4):
                        for square in range(SQUARES):
                            if START[side][BLOCKS] >> square & 1:
                                worst = max(worst, TURNS[slider][nohop][side][square][WITH_UP[face][yaw]])
                    WORST_TURNS[slider][nohop][side][face] = worst
                    total += worst
                MEAN_HALF_TURNS[slider][nohop][side] = (2 * total + FACES // 2) // FACES


# --- perft --------------------------------------------------------------------------------------------------

cdef int64_t perft(const Board *s, int depth, const unsigned char *stop) noexcept nogil:
    cdef bw_action out[MAX_ACTIONS]
    cdef Board child
    cdef int64_t total = 0
    cdef int i, n
    if s.count[0] == 0 or s.count[1] == 0:
        return 0
    if depth == 1:
        return count_moves(s)
    n = write_moves(s, out)
    for i in range(n):
        if stop[0]:
            break
        child = s[0]
        make_move(&child, out[i])
        total += perft(&child, depth - 1, stop)
    return total


# --- Python's side ------------------------------------------------------------------------------------------

cdef int checked_square(object value) except -1:
    cdef int square = value
    if not 0 <= square < SQUARES or not FULL_BOARD >> square & 1:
        raise ValueError(f"square {value} is not on the board")
    return square


cdef int checked_orientation(object value) except -1:
    cdef int orientation = value
    if not 0 <= orientation < ORIENTATIONS:
        raise ValueError(f"orientation {value} is not in 0..23")
    return orientation


cdef class State:
    """One position of Deblockle, rule options included; immutable from Python.

    Args:
        slider: 0 free, 1 full, 2 full or beside a star.
        nohop_ends_turn: whether a tip without a hop ends the turn instead of being illegal.
        no_touch: whether a move may not end beside an opponent's block.
        repetition: occurrences of a position that make a draw, 0 for never.
    """

    cdef Board s

    def __cinit__(self, int slider=0, bint nohop_ends_turn=False, bint no_touch=False, int repetition=3):
        if not 0 <= slider <= 2 or not 0 <= repetition <= 255:
            raise ValueError("slider must be in 0..2 and repetition in 0..255")
        memset(&self.s, 0, sizeof(Board))
        self.s.slider = slider
        self.s.nohop_ends_turn = nohop_ends_turn
        self.s.no_touch = no_touch
        self.s.repetition = repetition
        self.s.key = key_of(&self.s)

    def set_up(self, south: int, north: int):
        """This state's options before the first roll of a game of `south` against `north` blocks (1..4)."""
        if not 1 <= south <= BLOCKS or not 1 <= north <= BLOCKS:
            raise ValueError("each side has 1 to 4 blocks")
        return self.replaced([], [], SOUTH, 0, ROLL_DICE, [0] * FACES, (south, north))

    def replaced(self, south, north, int side, int halfmove, int phase=PLAY, unplaced=(0,) * FACES,
                 handicap=(0, 0)):
        """This state's options with other contents: blocks as (square, orientation), square = rank * 8 + file.

        Raises:
            ValueError: a square off the board, on a star or taken twice, an orientation, side, phase or count
                out of range.
        """
        cdef State new = State.__new__(State)
        cdef const char *fault
        cdef int owner, square, orientation, i
        new.s = self.s
        memset(new.s.square, 0, sizeof(new.s.square))
        memset(new.s.orientation, 0, sizeof(new.s.orientation))
        new.s.count[0] = new.s.count[1] = 0
        new.s.occupied[0] = new.s.occupied[1] = 0
        if side not in (SOUTH, NORTH) or not 0 <= phase <= PLACE or not 0 <= halfmove <= 65535:
            raise ValueError("side, phase or halfmove out of range")
        for owner, blocks in enumerate((south, north)):
            for at, turned in blocks:
                square = checked_square(at)
                orientation = checked_orientation(turned)
                if (STARS | new.s.occupied[0] | new.s.occupied[1]) >> square & 1:
                    raise ValueError(f"square {square} is a star or taken")
                if new.s.count[owner] == BLOCKS:
                    raise ValueError("a side has at most 4 blocks")
                insert(&new.s, owner, square, orientation)
        new.s.side = side
        new.s.phase = phase
        new.s.halfmove = halfmove
        # Copies: a number may be asked for once only, and nobody else may change the list meanwhile.
        faces, dealt = list(unplaced), list(handicap)
        if len(faces) != FACES or len(dealt) != 2:
            raise ValueError("unplaced counts six faces, handicap the blocks of two sides")
        for i, number in enumerate(faces + dealt):
            owner = number
            if not 0 <= owner <= BLOCKS:
                raise ValueError(f"faces left and blocks dealt are 0 to {BLOCKS}, got {number}")
            if i < FACES:
                new.s.unplaced[i] = owner
            else:
                new.s.handicap[i - FACES] = owner
        new.s.key = key_of(&new.s)
        fault = fault_of(&new.s)
        if fault != NULL:
            raise ValueError(fault.decode())
        return new

    def raw(self) -> bytes:
        """The state as bytes, for a searcher."""
        return PyBytes_FromStringAndSize(<char *>&self.s, sizeof(Board))

    @staticmethod
    def from_raw(bytes raw):
        """Inverse of `raw`. Raises ValueError, with what is wrong, for bytes that are no state."""
        cdef State new = State.__new__(State)
        cdef const char *fault
        if len(raw) != sizeof(Board):
            raise ValueError(f"a state has {sizeof(Board)} bytes, got {len(raw)}")
        memcpy(&new.s, PyBytes_AS_STRING(raw), sizeof(Board))
        fault = fault_of(&new.s)
        if fault != NULL:
            raise ValueError(f"these bytes are no state: {fault.decode()}")
        return new

    def __eq__(self, other) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return memcmp(&self.s, &(<State>other).s, sizeof(Board)) == 0

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> int:
        """64-bit hash of the position, the side to move and the rules, not of the move number."""
        return game_key(&self.s)

    @property
    def kind(self) -> int:
        """0 decision, 1 chance, 2 terminal (repetition not seen)."""
        return game_kind(&self.s)

    @property
    def side(self) -> int:
        """0 South, 1 North: whose turn, roll or placement it is."""
        return self.s.side

    @property
    def phase(self) -> int:
        """0 play, 1 a roll of the set-up, 2 a placement of the set-up."""
        return self.s.phase

    @property
    def rules(self) -> int:
        """The reading of the rules as ext/include/blocks.h numbers it: slider + 3 * nohop_ends_turn + 6 * no_touch."""
        return self.s.slider + 3 * self.s.nohop_ends_turn + 6 * self.s.no_touch

    @property
    def repetition(self) -> int:
        """Occurrences of a position that make a draw; 0: never."""
        return self.s.repetition

    @property
    def halfmove(self) -> int:
        """Turns played so far, forced passes included."""
        return self.s.halfmove

    @property
    def handicap(self) -> tuple[int, int]:
        """Blocks that the set-up deals to South and North."""
        return self.s.handicap[0], self.s.handicap[1]

    @property
    def unplaced(self) -> tuple[int, ...]:
        """How often each face STCXLH is still to be placed."""
        cdef int i
        return tuple([self.s.unplaced[i] for i in range(FACES)])

    def blocks(self, int side) -> list[tuple[int, int]]:
        """The (square, orientation) of each block of a side, squares rising."""
        if side not in (SOUTH, NORTH):
            raise ValueError("side is 0 or 1")
        return [(self.s.square[side][i], self.s.orientation[side][i]) for i in range(self.s.count[side])]

    def actions(self) -> list[int]:
        """Legal actions, a forced pass included; empty at a chance node or when the game is over."""
        cdef bw_action out[MAX_ACTIONS]
        cdef int64_t n
        if game_kind(&self.s) != BW_DECISION:
            return []
        n = game_actions(&self.s, out, MAX_ACTIONS)
        return [out[i] for i in range(n)]

    def outcomes(self) -> list[tuple[int, float]]:
        """Rolls with their probabilities at a chance node, else empty."""
        cdef bw_action out[MAX_ROLLS]
        cdef double probability[MAX_ROLLS]
        cdef int64_t n
        if self.s.phase != ROLL_DICE:
            return []
        n = game_outcomes(&self.s, out, probability, MAX_ROLLS)
        return [(out[i], probability[i]) for i in range(n)]

    def roll(self, uint64_t seed) -> int:
        """An outcome drawn from `seed` at a chance node. Raises ValueError elsewhere."""
        cdef bw_rng rng
        if self.s.phase != ROLL_DICE:
            raise ValueError("no dice are to be rolled here")
        bw_rng_seed(&rng, seed)
        return game_sample(&self.s, &rng)

    def can_move(self, int side) -> bool:
        """Whether a side would have a move (not a pass) if it were its turn."""
        if side not in (SOUTH, NORTH):
            raise ValueError("side is 0 or 1")
        return can_move(&self.s, side)

    def apply(self, action: int):
        """The state after a legal action or outcome. Raises ValueError when it is not legal here."""
        cdef State new
        cdef bw_action wanted = action_of(action)
        if not game_legal(&self.s, wanted):
            raise ValueError(f"{action} is not a legal action here")
        new = State.__new__(State)
        new.s = self.s
        game_apply(&new.s, wanted)
        return new

    def evaluate(self) -> tuple[float, float]:
        """Static evaluation for South and North: expected result, -1 to 1."""
        cdef bw_value out[2]
        game_evaluate(&self.s, out)
        return out[0] / <double>BW_UNIT, out[1] / <double>BW_UNIT

    def features(self) -> list[int]:
        """Indices of the features that the static evaluation adds up in play. Raises ValueError elsewhere."""
        cdef uint16_t out[MAX_ACTIVE]
        cdef int i, n
        if self.s.phase != PLAY or self.s.count[0] == 0 or self.s.count[1] == 0:
            raise ValueError("only a position in play has features")
        n = active(&self.s, out)
        return [out[i] for i in range(n)]

    def turns_left(self, int side) -> int:
        """Turns the side's blocks would need to exit, each alone on the board."""
        if side not in (SOUTH, NORTH):
            raise ValueError("side is 0 or 1")
        return turns_left(&self.s, side)

    def count(self) -> int:
        """Number of legal actions, without listing them (a finished or both-blocked game: 0)."""
        if game_kind(&self.s) != BW_DECISION:
            return 0
        return count_moves(&self.s) if self.s.phase == PLAY else game_actions(&self.s, NULL, 0)

    def moves(self) -> list[int]:
        """Moves by the rules alone: where both sides are blocked the pass is one; none in a finished game.

        Raises ValueError during the set-up.
        """
        cdef bw_action out[MAX_ACTIONS]
        cdef int n
        if self.s.phase != PLAY:
            raise ValueError("perft counts moves of the game, not of the set-up")
        if self.s.count[0] == 0 or self.s.count[1] == 0:
            return []
        n = write_moves(&self.s, out)
        return [out[i] for i in range(n)]

    def perft(self, int depth, const unsigned char[::1] stop not None=b"\0", move=None) -> int:
        """Move sequences of `depth` plies by the rules alone: neither draw rule ends a game.

        With `move`, one of `moves`, the sequences after it. The GIL is released. Set the first byte of `stop`
        from another thread to end the count early; the result is then meaningless.

        Raises:
            ValueError: during the set-up, a depth outside 0..64, or another move.
        """
        cdef int64_t total
        cdef bw_action first
        cdef Board s = self.s
        moves = self.moves()
        if not 0 <= depth <= MAX_PERFT or stop.shape[0] < 1:
            raise ValueError(f"perft counts 0 to {MAX_PERFT} plies, and stop needs one byte")
        if move is not None:
            first = action_of(move)
            if first not in moves:
                raise ValueError(f"{move} is not a legal action here")
            make_move(&s, first)
        if depth == 0:
            return 1
        with nogil:
            total = perft(&s, depth, &stop[0])
        return total


def tip(int orientation, int direction) -> int:
    """Orientation after one roll; directions 0 north, 1 east, 2 south, 3 west."""
    if not 0 <= direction < 4:
        raise ValueError("direction is 0..3")
    return ROLLED_OVER[checked_orientation(orientation)][direction]


def feature_count() -> int:
    """Number of features of the static evaluation, for each reading of the rules."""
    return FEATURES


def weights(int slider, bint no_touch):
    """The weights in use for a reading of the rules, in 1/1024 of the logarithm of the odds; writable."""
    if not 0 <= slider <= 2:
        raise ValueError(f"slider must be in 0..2, got {slider}")
    return <int16_t[:FEATURES]>&WEIGHTS[slider][no_touch][0]


def race_weights() -> list[int]:
    """Weights that know the lead in turns alone, each turn and the move worth what they are in the set-up."""
    cdef int lead, left
    made = [0] * FEATURES
    for lead in range(-MAX_RACE, MAX_RACE + 1):
        for left in range(MAX_LEFT + 1):
            # Half a turn of lead is 0.16 in WIN_ESTIMATE's tanh, which is 0.32 in the logarithm of the odds.
            made[AT_RACE + (lead + MAX_RACE) * (MAX_LEFT + 1) + left] = round(0.32 * (2 * lead + 1) * WEIGHT_UNIT)
    return made


make_orientations()
make_board()
make_turns()
make_worst_turns()
make_game()
make_blocks()
