"""The optimum of free problems: a best-first search over (tiles used, lowest layout), from the top level down.

The work is in ext/include/freeorder.h and levels.h; docs/nmbr9-bound.md says why each step is valid. A solver knows
shapes and digits and no other game. Its bound falls by one whenever everything worth more was shown not to be
buildable, until a stack is found or the floor is reached.
"""

from concurrent.futures import ThreadPoolExecutor

from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock, PyThread_type_lock,
    WAIT_LOCK,
)
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from clock cimport bw_control, bw_is_over, bw_now, bw_set_time, bw_store


cdef extern from "levels.h" nogil:
    enum:
        BL_DIGITS
        BL_CELLS
        BL_MAX_TILES

    ctypedef struct bl_spot:
        uint8_t o
        uint8_t x
        uint8_t y

    ctypedef struct bl_shape:
        int32_t cells
        int8_t x[10]
        int8_t y[10]

    ctypedef struct bl_shapes:
        bl_shape shape[40]
        int32_t rotations[10]
        int32_t area[10]

    ctypedef struct bl_search:
        int32_t unit[10]
        uint8_t *reach
        uint8_t *more
        int32_t *member
        int32_t columns
        int32_t rows
        void (*found)(void *context, int32_t name, const bl_spot *spots, int n) noexcept nogil
        void *context

    int bl_finish(bl_shapes *t)
    void bl_canonical(const bl_shapes *t, bl_spot *spots, int n)
    int bl_open(bl_search *s, const bl_shapes *shapes, const bw_control *control)
    void bl_close(bl_search *s)


cdef extern from "freeorder.h" nogil:
    ctypedef enum bf_status:
        BF_READY
        BF_BOUND
        BF_FOUND
        BF_EMPTY
        BF_FULL
        BF_UNDECIDED
        BF_FAULT
        BF_NO_MEMORY

    enum:
        BF_FLUSH
        BF_SEARCH
        BF_SMALL

    ctypedef struct bf_set:
        int32_t tiles
        int32_t count
        bl_spot *spots
        uint32_t *pairs
        int64_t *begin

    ctypedef struct bf_group:
        int32_t used
        int32_t set
        int32_t value
        int32_t levels
        int32_t tiles
        int64_t count

    ctypedef struct bf_out:
        pass

    ctypedef struct bf_solver:
        const bl_shapes *shapes
        bw_control *control
        int32_t pool[10]
        int32_t cards
        int32_t columns
        int32_t rows
        int32_t most_levels
        int64_t memory
        int64_t bytes
        int32_t codes
        int32_t unit[10]
        int16_t *small_of
        bf_set *sets
        int stage
        int32_t bound
        int32_t floor
        int32_t skip
        int32_t step
        bf_group *groups
        int64_t group_count
        int64_t task_count
        int32_t found_group
        int32_t found_count
        bl_spot found_spots[12]
        int32_t fault
        int64_t nodes
        int64_t covers
        int64_t layouts_count

    ctypedef struct bf_worker:
        bf_solver *f
        bl_search s
        int32_t *touched
        int32_t *marks
        bf_out *out
        void (*flush)(bf_worker *w) noexcept nogil
        void *owner
        void *pairs
        void *upper
        void *moves

    int bf_open(bf_solver *f)
    void bf_close(bf_solver *f)
    bf_status bf_prepare(bf_solver *f)
    void bf_work(bf_worker *w)
    void bf_merge(bf_worker *w)
    void bf_collect(void *context, int32_t name, const bl_spot *spots, int n)
    int bf_may_carry(const bf_solver *f, int32_t upper, int32_t lower)
    int bf_class(const bf_solver *f, int32_t set)
    int bf_rest(const bf_solver *f, int levels, int32_t left, int class_)
    int32_t bf_above(const bf_solver *f, const bl_spot *spots, int n, int32_t used, int32_t value, int32_t levels,
                     bl_spot *out)


cdef void hand_over(bf_worker *w) noexcept nogil:
    PyThread_acquire_lock(<PyThread_type_lock>w.owner, WAIT_LOCK)
    bf_merge(w)
    PyThread_release_lock(<PyThread_type_lock>w.owner)


cdef tuple spots_of(const bl_spot *spots, int n):
    return tuple((spots[i].o >> 2, spots[i].o & 3, spots[i].x, spots[i].y) for i in range(n))


cdef class FreeOrder:
    """The search for the best stack of `cards` tiles of a pool, level by level from the top.

    `shapes[digit][rotation]` are cells (x, y) as in `_cover.Coverer`; `pool` counts each digit 0..9, at most two;
    `columns`, `rows` and `levels` limit the stack (0: no limit); `memory` bounds the bytes of tables and layouts.

    Raises ValueError for shapes, counts or limits out of range.
    """

    cdef bl_shapes tables
    cdef bf_solver *solver
    cdef bw_control control
    cdef bf_worker *workers
    cdef int worker_count
    cdef object executor
    cdef PyThread_type_lock lock

    def __cinit__(self):
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError

    def __init__(self, shapes, pool, int cards, int columns=0, int rows=0, int levels=0, int64_t memory=1 << 30):
        if self.solver != NULL:
            raise RuntimeError("a solver is made once")
        if len(pool) != BL_DIGITS or any(not 0 <= n <= 2 for n in pool):
            raise ValueError(f"expected {BL_DIGITS} counts of 0 to 2 tiles, got {pool}")
        if not 1 <= cards <= sum(pool):
            raise ValueError(f"cards must be 1..{sum(pool)}, got {cards}")
        if columns < 0 or rows < 0 or levels < 0 or (columns == 0) != (rows == 0):
            raise ValueError(f"limits are positive, or 0 for none, got {columns} x {rows} x {levels}")
        self.read_shapes(shapes, pool)
        self.solver = <bf_solver *>calloc(1, sizeof(bf_solver))
        if self.solver == NULL:
            raise MemoryError
        for digit in range(BL_DIGITS):
            self.solver.pool[digit] = pool[digit]
        self.solver.shapes = &self.tables
        self.solver.control = &self.control
        self.solver.cards = cards
        self.solver.columns = columns
        self.solver.rows = rows
        # More levels than cards allow are no limit.
        self.solver.most_levels = levels if levels < (cards + 1) // 2 else 0
        self.solver.memory = memory
        if not bf_open(self.solver):
            raise MemoryError
        if self.solver.fault:
            raise ValueError("levels of so many tiles are out of reach")

    def __dealloc__(self):
        cdef int i
        for i in range(self.worker_count):
            self.close_worker(&self.workers[i])
        free(self.workers)
        if self.solver != NULL:
            bf_close(self.solver)
            free(self.solver)
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    cdef void read_shapes(self, object shapes, object pool) except *:
        cdef int i
        if len(shapes) > BL_DIGITS:
            raise ValueError(f"at most {BL_DIGITS} digits, got {len(shapes)}")
        for digit, rotations in enumerate(shapes):
            if not 1 <= len(rotations) <= 4:
                raise ValueError(f"digit {digit}: 1 to 4 rotations, got {len(rotations)}")
            self.tables.rotations[digit] = len(rotations)
            self.tables.area[digit] = len(rotations[0])
            for rotation, cells in enumerate(rotations):
                if not 1 <= len(cells) <= BL_CELLS or any(not (0 <= x < 4 and 0 <= y < 4) for x, y in cells):
                    raise ValueError(f"digit {digit}: 1 to {BL_CELLS} cells within 4 x 4, got {cells}")
                self.tables.shape[4 * digit + rotation].cells = len(cells)
                for i, (x, y) in enumerate(cells):
                    self.tables.shape[4 * digit + rotation].x[i] = x
                    self.tables.shape[4 * digit + rotation].y[i] = y
        if not bl_finish(&self.tables):
            raise ValueError("a quarter turn of each shape must be the next of its digit's rotations")
        for digit in range(BL_DIGITS):
            if pool[digit] and not self.tables.rotations[digit]:
                raise ValueError(f"digit {digit} has no shape")

    cdef int open_worker(self, bf_worker *w) except -1:
        cdef int i
        memset(w, 0, sizeof(bf_worker))
        if not bl_open(&w.s, &self.tables, &self.control):
            raise MemoryError
        w.f = self.solver
        w.owner = <void *>self.lock
        w.flush = hand_over
        for i in range(BL_DIGITS):
            w.s.unit[i] = self.solver.unit[i]
        w.s.columns = self.solver.columns
        w.s.rows = self.solver.rows
        w.s.found = bf_collect
        w.s.context = w
        w.s.reach = <uint8_t *>calloc(self.solver.codes, 1)
        w.s.more = <uint8_t *>calloc(self.solver.codes, 1)
        w.s.member = <int32_t *>malloc(self.solver.codes * sizeof(int32_t))
        w.marks = <int32_t *>calloc(self.solver.codes, sizeof(int32_t))
        w.touched = <int32_t *>malloc(self.solver.codes * sizeof(int32_t))
        w.out = <bf_out *>malloc(BF_FLUSH * sizeof(bf_out))
        if (w.s.reach == NULL or w.s.more == NULL or w.s.member == NULL or w.marks == NULL or w.touched == NULL
                or w.out == NULL):
            raise MemoryError
        memset(w.s.member, -1, self.solver.codes * sizeof(int32_t))
        return 0

    cdef void close_worker(self, bf_worker *w) noexcept:
        bl_close(&w.s)
        free(w.s.reach)
        free(w.s.more)
        free(w.s.member)
        free(w.marks)
        free(w.touched)
        free(w.out)
        free(w.pairs)
        free(w.upper)
        free(w.moves)

    cdef void use(self, int threads) except *:
        """Have room for so many threads."""
        cdef int i
        if threads == self.worker_count:
            return
        for i in range(self.worker_count):
            self.close_worker(&self.workers[i])
        free(self.workers)
        self.worker_count = 0
        self.workers = <bf_worker *>calloc(threads, sizeof(bf_worker))
        if self.workers == NULL:
            raise MemoryError
        self.worker_count = threads
        for i in range(threads):
            self.open_worker(&self.workers[i])
        self.executor = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def _work(self, int index):
        with nogil:
            bf_work(&self.workers[index])

    def stop(self):
        """End the call of `advance` under way, and later ones at once until `go`; from any thread."""
        bw_store(&self.control.stop, 1)

    def go(self):
        """Let `advance` search again."""
        bw_store(&self.control.stop, 0)

    def advance(self, int threads=1, int64_t ms=-1):
        """Search until there is news, or `ms` milliseconds are over (negative: no limit); returns what ended it.

        `bound`: it fell by one. `found`: a stack of `bound` points, which is the optimum. `empty`: no stack is worth
        more than the floor. `full`, `undecided`: the memory or a window did not suffice, the bound stays where it
        is. `over`: stopped, or out of time; the search goes on with the next call.
        """
        cdef bf_status status
        cdef bint over
        if not 1 <= threads <= 1024:
            raise ValueError(f"threads must be 1..1024, got {threads}")
        self.use(threads)
        bw_set_time(&self.control, -1, ms)
        while True:
            with nogil:
                over = bw_is_over(&self.control, bw_now())
                if not over:
                    status = bf_prepare(self.solver)
            if over:
                return "over"
            if status == BF_READY:
                if threads == 1 or self.solver.task_count == 1:
                    self._work(0)
                else:
                    others = [self.executor.submit(self._work, i) for i in range(1, threads)]
                    self._work(0)
                    for other in others:
                        other.result()
                continue
            if status == BF_NO_MEMORY:
                raise MemoryError
            if status == BF_FAULT:
                raise RuntimeError("the search contradicts itself")
            return {
                BF_BOUND: "bound", BF_FOUND: "found", BF_EMPTY: "empty", BF_FULL: "full", BF_UNDECIDED: "undecided",
            }[status]

    @property
    def ready(self) -> bool:
        """Whether the tables are there and `bound` is one."""
        return self.solver.stage == BF_SEARCH

    @property
    def bound(self) -> int:
        """No stack is worth more, once `ready`."""
        return self.solver.bound

    @property
    def floor(self) -> int:
        """Stacks worth no more are not looked for."""
        return self.solver.floor

    @floor.setter
    def floor(self, int points):
        if points > self.solver.floor:
            self.solver.floor = points

    def refuted(self, int points):
        """Say that no stack is worth more than `points`: such are not looked for, but all ways down are."""
        if points + 1 < self.solver.skip:
            self.solver.skip = points + 1

    @property
    def counts(self) -> dict[str, int]:
        """How much was searched: groups, layouts of four tiles and more, layouts looked under, nodes, bytes."""
        return {
            "groups": self.solver.group_count,
            "layouts": self.solver.layouts_count,
            "covers": self.solver.covers,
            "nodes": self.solver.nodes,
            "bytes": self.solver.bytes,
        }

    cdef int code_of(self, object counts) except -1:
        if len(counts) != BL_DIGITS or any(
                not 0 <= counts[d] <= self.solver.pool[d] for d in range(BL_DIGITS)):
            raise ValueError(f"expected {BL_DIGITS} counts of tiles within the pool, got {counts}")
        return sum(counts[d] * self.solver.unit[d] for d in range(BL_DIGITS))

    cdef bf_set *set_of(self, object counts) except NULL:
        """The set with these counts, once the tables are there."""
        cdef int index = self.solver.small_of[self.code_of(counts)]
        if self.solver.stage != BF_SEARCH or index < 0:
            raise ValueError(f"expected 1 to {BF_SMALL} tiles and tables that are complete, got {counts}")
        return &self.solver.sets[index]

    def canonical(self, spots):
        """Return the form that a layout of at most 12 tiles shares with all its translations and quarter turns."""
        cdef bl_spot own[12]
        cdef int i, n = len(spots)
        if not 1 <= n <= BL_MAX_TILES:
            raise ValueError(f"a layout has 1 to {BL_MAX_TILES} tiles, got {n}")
        for i, (digit, rotation, x, y) in enumerate(spots):
            if not (0 <= digit < BL_DIGITS and 0 <= rotation < self.tables.rotations[digit]
                    and 0 <= x < 200 and 0 <= y < 200):
                raise ValueError(f"tile {i} of the layout is out of range")
            own[i].o = 4 * digit + rotation
            own[i].x = x
            own[i].y = y
        bl_canonical(&self.tables, own, n)
        return spots_of(own, n)

    def layouts(self, counts):
        """Return all layouts of a set of at most three tiles, each in its canonical form."""
        cdef bf_set *s = self.set_of(counts)
        cdef int i
        return [spots_of(s.spots + i * s.tiles, s.tiles) for i in range(s.count)]

    def pairs(self, upper, lower):
        """Return all (layout of `upper`, layout of `lower`), as indices into `layouts`, where the second carries the
        first. The two sets have no tile in common."""
        cdef bf_set *u = self.set_of(upper)
        cdef bf_set *b = self.set_of(lower)
        cdef int64_t i, at = u - self.solver.sets
        return [(b.pairs[i] >> 16, b.pairs[i] & 0xFFFF) for i in range(b.begin[at], b.begin[at + 1])]

    def may_carry(self, upper, lower):
        """Tell whether the relaxation lets the set `lower` lie under `upper`."""
        return bool(bf_may_carry(self.solver, self.code_of(upper), self.code_of(lower)))

    def rest(self, used, lowest, int levels=0):
        """Return G: the most that levels below `lowest` still add, `used` being all tiles down to it; -1 for nothing.

        `levels` counts those so far, where their number is limited.
        """
        cdef int32_t code = self.code_of(lowest), left = self.solver.codes - 1 - self.code_of(used)
        if self.solver.stage != BF_SEARCH:
            raise ValueError("the tables are not complete")
        return bf_rest(self.solver, levels, left, bf_class(self.solver, code))

    def stack(self):
        """Return the stack that was found: levels from the table up, each a tuple of (digit, rotation, x, y).

        Tiles that may lie anywhere on the table are not in it.
        """
        cdef bl_spot spots[12]
        cdef bl_spot above[12]
        cdef int n = self.solver.found_count, i
        cdef int32_t group = self.solver.found_group, used, value, height
        cdef bf_group *g
        if n == 0:
            raise ValueError("no stack was found")
        g = &self.solver.groups[group]
        for i in range(n):
            spots[i] = self.solver.found_spots[i]
        levels = [spots_of(spots, n)]
        used = g.used
        value = self.solver.bound
        height = g.levels
        while True:
            with nogil:
                group = bf_above(self.solver, spots, n, used, value, height, above)
            if group < 0:
                raise RuntimeError("the stack that was found cannot be built again")
            g = &self.solver.groups[group]
            n = g.tiles
            for i in range(n):
                spots[i] = above[i]
            levels.append(spots_of(spots, n))
            if g.used == g.set:
                return levels
            used = g.used - g.set
            value = g.value
            if self.solver.most_levels:
                height -= 1
