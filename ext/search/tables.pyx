"""Endgame tables of Deblockle: one block against one, and one against two, solved exactly.

Every position gets a byte (ext/include/tiles.h): how many turns a side needs to win if nobody errs, or that neither can
force a win. The tables ignore the draw by repetition: a shortest win never repeats a position, and what never
ends is a draw either way.

The method is value iteration over whole families at once. What a block can do depends on the squares of the
others and on its own orientation alone, so positions that differ in the other blocks' orientations are updated
together as runs of bytes: the worst value an opponent can be left with is a minimum of runs. A value loses one
with every two steps back, so whatever the bytes held at the start is gone after 254 steps: the equations have
exactly one solution, and a pass over everything without a change proves that it was reached, in whatever order,
from whatever start and after however many interruptions the passes were made. (Value iteration: Shapley 1953;
retrograde analysis: Stroehlein 1970.)

The lone block is South; where it is North's, the board is given half a turn. Squares are numbered 0..46, stars
left out; two blocks of one side are a pair i < j of squares with the number j * (j - 1) / 2 + i.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetContext, PyCapsule_New, PyCapsule_SetContext
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, intptr_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcpy, memset

from blocks cimport (
    BW_BLOCKS_ABI, BW_BLOCKS_CAPSULE, BW_BLOCKS_RULES, BW_EXIT, BW_MAX_TARGETS, BW_TURNED_SQUARE, bw_blocks,
    bw_placed,
)
from clock cimport bw_load, bw_store
from game cimport BW_ORACLE_ABI, BW_ORACLE_CAPSULE, bw_oracle, check_state, pointer_of


cdef extern from "tiles.h" nogil:
    void bw_min(uint8_t *worst, const uint8_t *value, size_t n)
    void bw_min24(uint8_t *worst, const uint8_t *value)
    void bw_answer(uint8_t *line, size_t n)
    void bw_transpose(uint8_t *to, const uint8_t *origin, size_t rows, size_t columns)
    int64_t bw_replace(uint8_t *to, const uint8_t *origin, size_t n)
    uint64_t bw_big_endian(uint64_t x)

cdef extern from "tilefile.h" nogil:
    ctypedef struct bw_tilefile:
        intptr_t handle
        int64_t start
        uint32_t *offsets
        uint32_t *sums
        uint8_t *state
        uint8_t *place
        int64_t failed

    void bw_crc_begin()
    uint32_t bw_crc(const uint8_t *p, size_t n)
    const uint8_t *bw_tile(bw_tilefile *f, int number)


cpdef enum:
    TILES = 50807           # USED * PAIRS; those with two blocks on one square stay unused
    ONES_SIZE = 1272384     # USED * USED * NN: a table of one against one, in bytes
    TWOS_SIZE = 702355968   # TILES * NNN: one against two


cdef enum:
    SOUTH = 0
    NORTH = 1
    N = 24                  # orientations
    NN = 576
    NNN = 13824             # a tile: three blocks on given squares in all their orientations
    USED = 47               # squares
    PAIRS = 1081            # USED * (USED - 1) / 2
    NEITHER = 128
    LOST = 1                # a loss in no plies: the opponent's last block is off
    UNBOUNDED = 255


cdef inline int pair_of(int i, int j) noexcept nogil:
    return j * (j - 1) // 2 + i


cdef check_sizes(const uint8_t[::1] pair_moves, const uint8_t[::1] lone_moves, const uint8_t[::1] pair_news,
                 const uint8_t[::1] lone_news):
    if pair_moves.shape[0] != TWOS_SIZE or lone_moves.shape[0] != TWOS_SIZE:
        raise ValueError(f"a table has {TWOS_SIZE} bytes, got {pair_moves.shape[0]} and {lone_moves.shape[0]}")
    if pair_news.shape[0] != TILES or lone_news.shape[0] != TILES:
        raise ValueError(f"news has {TILES} bytes, got {pair_news.shape[0]} and {lone_news.shape[0]}")


cdef const bw_blocks *blocks_of(object capsule, int rules) except NULL:
    """The rules block by block in a capsule. Raises ValueError for another one, or for rules that do not exist."""
    cdef const bw_blocks *blocks = <const bw_blocks *>pointer_of(capsule, BW_BLOCKS_CAPSULE)
    if blocks.abi != BW_BLOCKS_ABI:
        raise ValueError(f"the rules speak version {blocks.abi} of the interface, expected {BW_BLOCKS_ABI}")
    if not 0 <= rules < BW_BLOCKS_RULES:
        raise ValueError(f"rules {rules} are not in 0..{BW_BLOCKS_RULES - 1}")
    return blocks


cdef class Solver:
    """Solves the positions of one reading of the rules.

    Args:
        capsule: PyCapsule of `bw_blocks` (ext/include/blocks.h).
        rules: slider + 3 * nohop_ends_turn + 6 * no_touch.
    """

    cdef const bw_blocks *blocks
    cdef object owner
    cdef int rules
    cdef uint8_t square[USED]
    cdef uint8_t index[64]
    cdef uint8_t first[PAIRS]
    cdef uint8_t second[PAIRS]

    def __cinit__(self, object capsule, int rules):
        cdef int q, i, j, n = 0
        self.blocks = blocks_of(capsule, rules)
        self.owner = capsule
        self.rules = rules
        for q in range(64):
            if self.blocks.usable >> q & 1:
                if n == USED:
                    raise ValueError(f"the rules have more than {USED} squares")
                self.square[n] = q
                self.index[q] = n
                n += 1
        if n != USED:
            raise ValueError(f"the rules have {n} squares, expected {USED}")
        for j in range(USED):
            for i in range(j):
                self.first[pair_of(i, j)] = i
                self.second[pair_of(i, j)] = j

    def one_against_one(self) -> bytes:
        """Solve one block each.

        Returns:
            bytes of length 47 * 47 * 576, indexed [South's square][North's square][South's orientation][North's
            orientation], South to move.
        """
        cdef uint8_t *south = <uint8_t *>malloc(ONES_SIZE)
        cdef uint8_t *north = <uint8_t *>malloc(ONES_SIZE)
        cdef int *news = <int *>malloc(USED * USED * N * sizeof(int))
        try:
            if south == NULL or north == NULL or news == NULL:
                raise MemoryError
            with nogil:
                memset(south, NEITHER, ONES_SIZE)
                memset(north, NEITHER, ONES_SIZE)
                while self.one_pass(south, north, news):
                    pass
            return PyBytes_FromStringAndSize(<char *>south, ONES_SIZE)
        finally:
            free(south)
            free(north)
            free(news)

    cdef int one_pass(self, uint8_t *south, uint8_t *north, int *news) noexcept nogil:
        """Looks one ply further with South to move; returns how many lines got news.

        Pass n decides what is won or lost in n plies, for good: lines without an open position are skipped, and
        the news are told to North's table, half a turn away, only when the pass is over.
        """
        cdef int a, b, o, n, k, at, found = 0
        cdef const uint8_t *turned = self.blocks.turned
        cdef uint8_t line[N]
        cdef uint16_t out[BW_MAX_TARGETS]
        for a in range(USED):
            for b in range(USED):
                if a == b:
                    continue
                for o in range(N):
                    at = ((a * USED + b) * N + o) * N
                    if memchr(south + at, NEITHER, N) == NULL:
                        continue
                    n = self.blocks.reach(self.rules, SOUTH, self.square[a], o, 0,
                                          <uint64_t>1 << self.square[b], out)
                    memset(line, UNBOUNDED, N)
                    if n == 0:
                        bw_min24(line, north + at)
                    for k in range(n):
                        if out[k] == BW_EXIT:
                            memset(line, LOST, N)
                        else:
                            bw_min24(line, north + (self.index[out[k] >> 8] * USED + b) * NN + (out[k] & 31) * N)
                    bw_answer(line, N)
                    if bw_replace(south + at, line, N):
                        news[found] = at
                        found += 1
        for n in range(found):
            at = news[n]
            o = at // N % N
            # Squares are numbered by rising value, so half a turn takes number i to 46 - i.
            a = USED - 1 - at // NN // USED
            b = USED - 1 - at // NN % USED
            for k in range(N):
                north[(b * USED + a) * NN + turned[k] * N + turned[o]] = south[at + k]
        return found

    def lone_pass(self, const uint8_t[::1] pair_moves not None, uint8_t[::1] lone_moves not None,
                  const uint8_t[::1] pair_news not None, uint8_t[::1] lone_news not None, int low, int high) -> int:
        """Bring positions with the lone block to move up to date, for the pairs of squares low..high-1.

        The arrays are tables of TWOS_SIZE bytes, indexed [lone square][pair of squares], and then: `pair_moves`
        (values with the pair to move) by [lone block's orientation][first of the pair's][second's], `lone_moves`
        by [first of the pair's][second's][lone block's]. `pair_news` tells which of the TILES tiles of
        `pair_moves` changed since the last call: only what hangs on them is looked at. `lone_news` is told the
        same of `lone_moves`. Returns how many positions changed.
        """
        cdef int pair
        cdef int64_t changed = 0
        check_sizes(pair_moves, lone_moves, pair_news, lone_news)
        if not 0 <= low <= high <= PAIRS:
            raise ValueError(f"pairs {low}..{high} are not in 0..{PAIRS}")
        with nogil:
            for pair in range(low, high):
                changed += self.lone_tiles(&pair_moves[0], &lone_moves[0], &pair_news[0], &lone_news[0], pair)
        return changed

    def pair_pass(self, const uint8_t[::1] lone_moves not None, uint8_t[::1] pair_moves not None,
                  const uint8_t[::1] lone_news not None, uint8_t[::1] pair_news not None,
                  const uint8_t[::1] ones not None, int low, int high) -> int:
        """Bring positions with the pair to move up to date, for the tiles low..high-1; see `lone_pass`.

        `ones` is what `one_against_one` returned for the same rules.
        """
        cdef int tile
        cdef int64_t changed = 0
        check_sizes(pair_moves, lone_moves, pair_news, lone_news)
        if ones.shape[0] != ONES_SIZE:
            raise ValueError(f"the table of one against one has {ones.shape[0]} bytes, expected {ONES_SIZE}")
        if not 0 <= low <= high <= TILES:
            raise ValueError(f"tiles {low}..{high} are not in 0..{TILES}")
        with nogil:
            for tile in range(low, high):
                changed += self.pair_tile(&lone_moves[0], &pair_moves[0], &lone_news[0], &pair_news[0], &ones[0],
                                          tile // PAIRS, tile % PAIRS)
        return changed

    cdef int64_t lone_tiles(self, const uint8_t *pair_moves, uint8_t *lone_moves, const uint8_t *pair_news,
                            uint8_t *lone_news, int pair) noexcept nogil:
        cdef uint8_t worst[NNN]
        cdef uint8_t turned[NNN]
        cdef uint16_t out[BW_MAX_TARGETS]
        cdef uint8_t *line
        cdef int a, o, n, k
        cdef int64_t news, changed = 0
        cdef uint64_t other = <uint64_t>1 << self.square[self.first[pair]] | <uint64_t>1 << self.square[
            self.second[pair]]
        cdef bint stale = False
        for a in range(USED):
            stale = stale or pair_news[a * PAIRS + pair]
        for a in range(USED):
            lone_news[a * PAIRS + pair] = 0
            if not stale or other >> self.square[a] & 1:
                continue
            for o in range(N):
                line = worst + o * NN
                n = self.blocks.reach(self.rules, SOUTH, self.square[a], o, 0, other, out)
                memset(line, UNBOUNDED, NN)
                if n == 0:
                    bw_min(line, pair_moves + (<size_t>a * PAIRS + pair) * NNN + o * NN, NN)
                for k in range(n):
                    if out[k] == BW_EXIT:
                        memset(line, LOST, NN)
                        break
                    bw_min(line, pair_moves + (<size_t>self.index[out[k] >> 8] * PAIRS + pair) * NNN
                           + (out[k] & 31) * NN, NN)
            bw_answer(worst, NNN)
            bw_transpose(turned, worst, N, NN)
            news = bw_replace(lone_moves + (<size_t>a * PAIRS + pair) * NNN, turned, NNN)
            lone_news[a * PAIRS + pair] = news != 0
            changed += news
        return changed

    cdef int64_t pair_tile(self, const uint8_t *lone_moves, uint8_t *pair_moves, const uint8_t *lone_news,
                           uint8_t *pair_news, const uint8_t *ones, int a, int pair) noexcept nogil:
        cdef uint8_t worst[NNN]
        cdef uint8_t turned[NNN]
        cdef uint8_t alone[NN]
        cdef uint16_t out[BW_MAX_TARGETS]
        cdef bint stuck[N]
        cdef int i = self.first[pair]
        cdef int j = self.second[pair]
        cdef int o, other, n, k, t, to
        cdef uint64_t lone = <uint64_t>1 << self.square[a]
        cdef const uint8_t *row = lone_moves + <size_t>a * PAIRS * NNN  # all pairs against this lone square
        cdef const uint8_t *tile
        cdef int64_t changed
        cdef bint stale = False
        pair_news[a * PAIRS + pair] = 0
        if a == i or a == j:
            return 0
        for t in range(USED):
            if t != i:
                stale = stale or lone_news[a * PAIRS + (pair_of(t, i) if t < i else pair_of(i, t))]
            if t != j:
                stale = stale or lone_news[a * PAIRS + (pair_of(t, j) if t < j else pair_of(j, t))]
        if not stale:
            return 0
        memset(worst, UNBOUNDED, NNN)
        bw_transpose(alone, ones + (a * USED + j) * NN, N, N)
        for o in range(N):
            n = self.blocks.reach(self.rules, NORTH, self.square[i], o, <uint64_t>1 << self.square[j], lone, out)
            stuck[o] = n == 0
            for k in range(n):
                if out[k] == BW_EXIT:
                    bw_min(worst + o * NN, alone, NN)
                    continue
                t, to = self.index[out[k] >> 8], out[k] & 31
                if t < j:
                    bw_min(worst + o * NN, row + pair_of(t, j) * NNN + to * NN, NN)
                else:
                    tile = row + pair_of(j, t) * NNN
                    for other in range(N):
                        bw_min24(worst + o * NN + other * N, tile + other * NN + to * N)
        bw_transpose(alone, ones + (a * USED + i) * NN, N, N)
        for o in range(N):
            n = self.blocks.reach(self.rules, NORTH, self.square[j], o, <uint64_t>1 << self.square[i], lone, out)
            if n == 0:
                for other in range(N):
                    if stuck[other]:
                        memcpy(worst + other * NN + o * N, row + pair * NNN + other * NN + o * N, N)
            for k in range(n):
                if out[k] == BW_EXIT:
                    for other in range(N):
                        bw_min24(worst + other * NN + o * N, alone + other * N)
                    continue
                t, to = self.index[out[k] >> 8], out[k] & 31
                if t > i:
                    tile = row + pair_of(i, t) * NNN
                    for other in range(N):
                        bw_min24(worst + other * NN + o * N, tile + other * NN + to * N)
                else:
                    tile = row + pair_of(t, i) * NNN + to * NN
                    for other in range(N):
                        bw_min24(worst + other * NN + o * N, tile + other * N)
        bw_answer(worst, NNN)
        bw_transpose(turned, worst, NN, N)
        changed = bw_replace(pair_moves + (<size_t>a * PAIRS + pair) * NNN, turned, NNN)
        pair_news[a * PAIRS + pair] = changed != 0
        return changed


# --- packing ------------------------------------------------------------------------------------------------
#
# A tile is packed by a canonical Huffman code of its own (Huffman 1952; Schwartz and Kallick 1964), so that one
# value can be read without unpacking the rest: its 24 rows start at bits of their own, and so does every BLOCK-th
# value of a row. A packed tile: for each row the uint32 bit it starts at, then for each block the uint16 bits from
# there, then how many codes there are of each length 1..LONGEST, then the values in the order of their codes, then
# the bits, highest first. Numbers have their low byte first.

cdef enum:
    BLOCK = 64
    BLOCKS = 9              # NN / BLOCK
    LONGEST = 15
    STARTS = N * 4
    LENGTHS = 528           # STARTS + N * BLOCKS * 2
    VALUES = 543            # LENGTHS + LONGEST
    MAX_PACKED = 28000      # VALUES + 256 + NNN * LONGEST / 8 and a little; BW_TILE_MAX
    SPARE = 8               # bytes in memory that may be read beyond the last bit


cdef inline void write_number(uint8_t *at, uint32_t value, int width) noexcept nogil:
    cdef int i
    for i in range(width):
        at[i] = value >> (8 * i) & 0xFF


cdef inline uint32_t read_number(const uint8_t *at, int width) noexcept nogil:
    cdef uint32_t value = 0
    cdef int i
    for i in range(width):
        value |= <uint32_t>at[i] << (8 * i)
    return value


cdef void code_lengths(const int *counts, uint8_t *lengths) noexcept nogil:
    """Lengths of a Huffman code for values that occur so often; a rare one counts double until none is too long."""
    cdef int weight[256]
    cdef int parent[512]
    cdef int64_t sums[512]
    cdef bint used[512]
    cdef int i, k, n, one, two, deepest, floor = 1
    while True:
        for i in range(256):
            weight[i] = max(counts[i], floor) if counts[i] else 0
            sums[i] = weight[i]
            used[i] = weight[i] == 0
            lengths[i] = 0
        n = 256
        while True:
            one = two = -1
            for i in range(n):
                if used[i]:
                    continue
                if one < 0 or sums[i] < sums[one]:
                    two = one
                    one = i
                elif two < 0 or sums[i] < sums[two]:
                    two = i
            if two < 0:
                break
            used[one] = used[two] = True
            used[n] = False
            parent[one] = parent[two] = n
            sums[n] = sums[one] + sums[two]
            n += 1
        deepest = 0
        for i in range(256):
            if weight[i]:
                k = i
                while k != one:
                    k = parent[k]
                    lengths[i] += 1
                # A single value still needs a bit.
                lengths[i] = max(lengths[i], 1)
                deepest = max(deepest, lengths[i])
        if deepest <= LONGEST:
            return
        floor *= 2


cdef int pack_tile(const uint8_t *tile, uint8_t *out) noexcept nogil:
    """Packs a tile into at most MAX_PACKED bytes; returns how many."""
    cdef int counts[256]
    cdef uint8_t lengths[256]
    cdef uint32_t codes[256]
    cdef uint32_t code = 0
    cdef uint8_t *bits
    cdef int i, k, row, values = 0
    cdef uint32_t at = 0, start = 0
    memset(counts, 0, sizeof(counts))
    for i in range(NNN):
        counts[tile[i]] += 1
    code_lengths(counts, lengths)
    memset(out, 0, MAX_PACKED)
    for k in range(1, LONGEST + 1):
        code <<= 1
        for i in range(256):
            if lengths[i] == k:
                out[LENGTHS + k - 1] += 1
                out[VALUES + values] = i
                codes[i] = code
                code += 1
                values += 1
    bits = out + VALUES + values
    for i in range(NNN):
        if i % NN == 0:
            start = at
            write_number(out + i // NN * 4, start, 4)
        if i % NN % BLOCK == 0:
            write_number(out + STARTS + (i // NN * BLOCKS + i % NN // BLOCK) * 2, at - start, 2)
        row = tile[i]
        for k in range(lengths[row] - 1, -1, -1):
            bits[at >> 3] |= (codes[row] >> k & 1) << (7 - (at & 7))
            at += 1
    return VALUES + values + (at + 7) // 8


cdef int unpack_one(const uint8_t *packed, uint32_t size, int row, int column) noexcept nogil:
    """A value of a packed tile of `size` bytes; 0, which is none, where they make no sense. Reads SPARE bytes more."""
    cdef const uint8_t *bits
    cdef uint64_t window
    cdef uint32_t at, end, code, first, counted
    cdef int _before, k, index, values = 0
    if size < VALUES:
        return 0
    for k in range(LONGEST):
        values += packed[LENGTHS + k]
    if VALUES + <uint32_t>values > size:
        return 0
    bits = packed + VALUES + values
    end = 8 * (size - VALUES - values)
    at = read_number(packed + row * 4, 4) + read_number(packed + STARTS + (row * BLOCKS + column // BLOCK) * 2, 2)
    index = 0
    for _before in range(column % BLOCK + 1):
        if at >= end:
            return 0
        memcpy(&window, bits + (at >> 3), 8)
        window = bw_big_endian(window) << (at & 7)
        code = first = 0
        index = 0
        for k in range(LONGEST + 1):
            if k == LONGEST:
                return 0
            code = code << 1 | <uint32_t>(window >> 63)
            window <<= 1
            counted = packed[LENGTHS + k]
            at += 1
            if code - first < counted:
                index += code - first
                break
            index += counted
            first = first + counted << 1
    return packed[VALUES + index]


def pack(const uint8_t[::1] tile not None) -> bytes:
    """Pack the NNN = 24**3 values of a tile, each of them 1 to 254."""
    cdef uint8_t out[MAX_PACKED]
    cdef uint8_t values[NNN]  # a copy: they are checked, and nobody else may change them meanwhile
    cdef int i, n
    if tile.shape[0] != NNN:
        raise ValueError(f"a tile has {NNN} values, got {tile.shape[0]}")
    memcpy(values, &tile[0], NNN)
    for i in range(NNN):
        if values[i] == 0 or values[i] == UNBOUNDED:
            # With 256 kinds of values the number of codes of one length might not fit its byte.
            raise ValueError(f"values are 1 to 254, got {values[i]}")
    with nogil:
        n = pack_tile(values, out)
    return PyBytes_FromStringAndSize(<char *>out, n)


# --- lookup -------------------------------------------------------------------------------------------------

bw_crc_begin()


def checksum(const uint8_t[::1] data not None) -> int:
    """The CRC-32 of bytes, as zlib has it."""
    return bw_crc(&data[0], data.shape[0]) if data.shape[0] else 0


cdef void let_go(object capsule) noexcept:
    """The end of a capsule: its tables may go."""
    Py_DECREF(<object>PyCapsule_GetContext(capsule))


cdef int oracle_probe(const void *self, const void *state, int *plies) noexcept nogil:
    return (<Oracle>self).look_up(state, plies)


cdef class Oracle:
    """Endgame tables of one reading of the rules, to be looked up from any thread.

    Args:
        capsule: PyCapsule of `bw_blocks` (ext/include/blocks.h).
        rules: slider + 3 * nohop_ends_turn + 6 * no_touch.
        ones: what `Solver.one_against_one` returned for these rules.
        handle: a file with the packed tiles of one block against two with the pair to move: its descriptor, on
            Windows its HANDLE. It has to stay open as long as this object is used. -1: no such table.
        start: the byte of the file where they begin.
        offsets: where each of the 50,807 tiles begins from there, and where the last one ends.
        sums: the CRC-32 of each tile.
    """

    cdef const bw_blocks *blocks
    cdef object owner
    cdef int rules
    cdef uint8_t index[64]
    cdef uint8_t square[USED]
    cdef const uint8_t[::1] ones
    cdef bw_tilefile twos
    cdef bw_oracle oracle

    def __cinit__(self, object capsule, int rules, const uint8_t[::1] ones not None, intptr_t handle=-1,
                  int64_t start=0, const uint32_t[::1] offsets=None, const uint32_t[::1] sums=None):
        cdef const uint32_t *at
        cdef int q, n = 0
        cdef Py_ssize_t i
        self.blocks = blocks_of(capsule, rules)
        if ones.shape[0] != ONES_SIZE:
            raise ValueError(f"the table of one against one has {ones.shape[0]} bytes, expected {ONES_SIZE}")
        self.twos.handle = handle
        if handle >= 0:
            if start < 0:
                raise ValueError(f"the tiles begin at byte {start}, expected 0 or more")
            if offsets is None or offsets.shape[0] != TILES + 1 or sums is None or sums.shape[0] != TILES:
                raise ValueError(f"one against two needs {TILES + 1} offsets and {TILES} checksums")
            self.twos.start = start
            self.twos.offsets = <uint32_t *>malloc((TILES + 1) * sizeof(uint32_t))
            self.twos.sums = <uint32_t *>malloc(TILES * sizeof(uint32_t))
            self.twos.state = <uint8_t *>calloc(TILES, 1)
            if not (self.twos.offsets and self.twos.sums and self.twos.state):
                raise MemoryError("no room for the index of a table")
            # Copies: they are checked, and nobody else may change them meanwhile.
            memcpy(self.twos.offsets, &offsets[0], (TILES + 1) * sizeof(uint32_t))
            memcpy(self.twos.sums, &sums[0], TILES * sizeof(uint32_t))
            at = self.twos.offsets
            for i in range(TILES):
                if not at[i] <= at[i + 1] <= at[i] + MAX_PACKED:
                    raise ValueError(f"tile {i} goes from byte {at[i]} to {at[i + 1]}, expected 0 to {MAX_PACKED} of "
                                     "them")
            # Pages that no tile is read into cost nothing.
            self.twos.place = <uint8_t *>calloc(<size_t>at[TILES] + SPARE, 1)
            if not self.twos.place:
                raise MemoryError(f"no room for a table of {at[TILES]} bytes")
        self.owner = capsule
        self.rules = rules
        for q in range(64):
            if self.blocks.usable >> q & 1 and n < USED:
                self.square[n] = q
                self.index[q] = n
                n += 1
        self.ones = ones
        self.oracle.abi = BW_ORACLE_ABI
        self.oracle.game = self.blocks.game
        self.oracle.self = <const void *>self
        self.oracle.probe = oracle_probe

    def __dealloc__(self):
        free(self.twos.offsets)
        free(self.twos.sums)
        free(self.twos.state)
        free(self.twos.place)

    @property
    def failed(self) -> int | None:
        """The number of a tile that could not be read or was damaged: from then on no three blocks are known."""
        cdef int64_t number = bw_load(&self.twos.failed)
        return number - 1 if number else None

    def capsule(self) -> object:
        """These tables as a PyCapsule of a `bw_oracle` (ext/include/game.h); it keeps this object alive."""
        made = PyCapsule_New(&self.oracle, BW_ORACLE_CAPSULE, let_go)
        PyCapsule_SetContext(made, <void *>self)
        Py_INCREF(self)
        return made

    def probe(self, bytes state) -> int | None:
        """What a state is worth to the player to move: n > 0 a win in n plies, n < 0 a loss in -n, 0 neither.

        None: the tables do not hold it. Raises ValueError for no state of the game of these tables.
        """
        cdef int plies = 0
        cdef const unsigned char *raw
        check_state(self.blocks.game, state)
        raw = state
        if not self.look_up(raw, &plies):
            return None
        return plies

    cdef int look_up(self, const void *state, int *plies) noexcept nogil:
        cdef bw_placed p
        cdef uint8_t square[3]
        cdef uint8_t orientation[3]
        cdef int lone, i, s, value
        if not self.blocks.placed(state, &p) or p.rules != self.rules or p.count[0] + p.count[1] > 3:
            return 0
        if p.count[0] + p.count[1] == 3 and (self.twos.handle < 0 or bw_load(&self.twos.failed)):
            return 0
        # The lone block first, as South's; of two single blocks the one that moves, as the table has it.
        lone = p.side if p.count[0] == p.count[1] else SOUTH if p.count[SOUTH] == 1 else NORTH
        for i in range(p.count[0] + p.count[1]):
            s = lone if i == 0 else lone ^ 1
            square[i] = p.square[s][max(i - 1, 0)]
            orientation[i] = p.orientation[s][max(i - 1, 0)]
            if lone == NORTH:
                square[i] = BW_TURNED_SQUARE - square[i]
                orientation[i] = self.blocks.turned[orientation[i]]
            square[i] = self.index[square[i]]
        if p.count[0] + p.count[1] == 2:
            value = self.ones[(square[0] * USED + square[1]) * NN + orientation[0] * N + orientation[1]]
        elif p.side == lone:
            value = self.lone_value(square, orientation)
        else:
            value = self.pair_value(square, orientation)
        if value == 0:
            return 0
        plies[0] = 2 * (255 - value) - 1 if value > NEITHER else -2 * (value - 1) if value < NEITHER else 0
        return 1

    cdef int pair_value(self, const uint8_t *square, const uint8_t *orientation) noexcept nogil:
        """Value with the pair to move, its two blocks in any order; 0 where the table fails."""
        cdef int i = 1 if square[1] < square[2] else 2
        cdef int tile = square[0] * PAIRS + pair_of(square[i], square[3 - i])
        cdef const uint8_t *packed = bw_tile(&self.twos, tile)
        cdef int value = 0
        if packed != NULL:
            value = unpack_one(packed, self.twos.offsets[tile + 1] - self.twos.offsets[tile], orientation[0],
                               orientation[i] * N + orientation[3 - i])
        if value == 0 or value == UNBOUNDED:
            bw_store(&self.twos.failed, tile + 1)
            return 0
        return value

    cdef int lone_value(self, uint8_t *square, uint8_t *orientation) noexcept nogil:
        """Value with the lone block to move: the table holds the other half, a ply away. 0 where it fails."""
        cdef uint16_t out[BW_MAX_TARGETS]
        cdef int k, n, worst = UNBOUNDED
        cdef uint8_t value
        n = self.blocks.reach(self.rules, SOUTH, self.square[square[0]], orientation[0], 0,
                              <uint64_t>1 << self.square[square[1]] | <uint64_t>1 << self.square[square[2]], out)
        if n == 0:
            worst = self.pair_value(square, orientation)
        for k in range(n):
            if out[k] == BW_EXIT:
                worst = LOST
                break
            square[0] = self.index[out[k] >> 8]
            orientation[0] = out[k] & 31
            worst = min(worst, self.pair_value(square, orientation))
        if worst == 0:
            return 0
        value = worst
        bw_answer(&value, 1)
        return value
