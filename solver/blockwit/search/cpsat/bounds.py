"""Upper bounds that hold for the whole problem, from a master over the sets of tiles on the levels.

docs/nmbr9-bound.md explains why each constraint of the master is valid.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from blockwit.search.cpsat.problem import AREAS, Counts, Problem
from blockwit.search.cpsat.solving import Solved, Stopped, never, solve
from blockwit.search.cpsat.stacks import COVERER

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

LEVELS = 10
SMALL = 3
"""Levels of at most so many tiles are described exactly: which sets they carry."""

MOST_LAYOUTS = 300_000
MOST_LOWER = 6
MOST_NODES = 20_000_000

Question = Callable[[], bool]
"""Whether to stop."""


def most_levels(problem: Problem) -> int:
    """Return the number of levels that so many cards can have: two lie below any tile, on each level."""
    limit = LEVELS if problem.levels is None else problem.levels
    return max(1, min(limit, (problem.cards + 1) // 2))


def sets_of(pool: Counts, size: int) -> Iterator[Counts]:
    """List the multisets of `size` tiles of a pool."""
    for digits in itertools.combinations_with_replacement(range(10), size):
        counts = tuple(digits.count(d) for d in range(10))
        if all(n <= m for n, m in zip(counts, pool, strict=True)):
            yield counts


class Tables:
    """For every set of two or three tiles of a pool: the sets of up to four tiles that it can carry.

    `loads[lower]` holds multisets as counts; `build` goes on where it was stopped.
    """

    def __init__(self, pool: Counts) -> None:
        self.pool = pool
        self.loads: dict[Counts, frozenset[Counts]] = {}

    def build(self, stopped: Question) -> bool:
        """Fill the tables; returns False when it was stopped before the end."""
        for size in range(2, SMALL + 1):
            for lower in sets_of(self.pool, size):
                if stopped():
                    return False
                if lower in self.loads:
                    continue
                layouts, complete = COVERER.all_layouts(lower, stopped=stopped)
                if stopped():
                    return False
                if complete:
                    found = COVERER.carried(layouts, self.pool, stopped)
                    if found is None:
                        return False
                    self.loads[lower] = frozenset(tuple(f.count(d) for d in range(10)) for f in found)
        return True


class Master:
    """Which tiles lie on which level: two tiles under any tile, areas that do not grow upward.

    With `tables`, what lies on a level of at most three tiles is one of the sets that it can carry.

    Raises Stopped when `stopped()` says so while it is made.
    """

    def __init__(self, problem: Problem, tables: Tables | None = None, stopped: Question = never) -> None:
        from ortools.sat.python import cp_model

        self._stopped = stopped
        self.problem = problem
        self.model = cp_model.CpModel()
        self.levels = most_levels(problem)
        self._last = Solved(None)
        self._names: list[dict[Counts, Any]] = []
        self._large: list[Any] = []
        self._exceeds: dict[tuple[int, int, int], cp_model.IntVar] = {}
        self._layouts: dict[tuple[Counts, ...], list[bytes] | None] = {}
        pool = problem.pool
        self.counts = [[self.model.new_int_var(0, n, "") for n in pool] for _ in range(self.levels)]
        self.used = [self.model.new_bool_var("") for _ in range(self.levels)]
        self.model.add(sum(n for level in self.counts for n in level) == problem.cards)
        for d in range(10):
            self.model.add(sum(level[d] for level in self.counts) <= pool[d])
        self.tiles = [sum(level) for level in self.counts]
        self.areas = [sum(a * n for a, n in zip(AREAS, level, strict=True)) for level in self.counts]
        for level in range(self.levels):
            self.model.add(self.tiles[level] == 0).only_enforce_if(self.used[level].Not())
            self.model.add(self.tiles[level] >= 1).only_enforce_if(self.used[level])
            if level > 0:
                self.model.add(self.tiles[level - 1] >= 2 * self.used[level])
                self.model.add(self.areas[level] <= self.areas[level - 1])
        if tables is not None:
            self._use(tables)
        highest = (self.levels - 1) * sum(d * n for d, n in enumerate(pool))
        self._score = self.model.new_int_var(0, highest, "")
        self.model.add(
            self._score == sum(level * d * self.counts[level][d] for level in range(self.levels) for d in range(10))
        )
        self.model.maximize(self._score)

    def _use(self, tables: Tables) -> None:
        """Give each level the name of its set if it is small, and tie neighbouring names."""
        pool = self.problem.pool
        small = [s for size in range(SMALL + 1) for s in sets_of(pool, size)]
        names: list[dict[Counts, Any]] = []
        large: list[Any] = []
        for level in range(self.levels):
            self._look()
            own = {s: self.model.new_bool_var("") for s in small}
            is_large = self.model.new_bool_var("")
            self.model.add_exactly_one([*own.values(), is_large])
            for d in range(10):
                self._look()
                # A small level has exactly the tiles of its set.
                total = sum(s[d] * literal for s, literal in own.items() if s[d])
                self.model.add(self.counts[level][d] >= total)
                self.model.add(self.counts[level][d] <= total + pool[d] * is_large)
            self.model.add(self.tiles[level] >= SMALL + 1).only_enforce_if(is_large)
            names.append(own)
            large.append(is_large)
        self._names, self._large = names, large
        for level in range(self.levels - 1):
            for lower, literal in names[level].items():
                self._look()
                loads = tables.loads.get(lower)
                if loads is None:
                    continue
                fits = [names[level + 1][s] for s in small if s in loads or sum(s) == 0]
                if any(sum(load) > SMALL for load in loads):
                    fits.append(large[level + 1])
                self.model.add_bool_or([literal.Not(), *fits])

    def _look(self) -> None:
        if self._stopped():
            raise Stopped

    @property
    def optimal(self) -> bool:
        """Tell whether the last `bound` was solved to its end."""
        return self._last.optimal

    def between(self, incumbent: int, bound: int) -> None:
        """Say what is known of the best score: at least the incumbent, at most the bound proven before."""
        domain = self._score.proto.domain
        domain[0], domain[1] = max(0, incumbent), max(0, incumbent, bound)
        self.model.proto.solution_hint.vars.clear()
        self.model.proto.solution_hint.values.clear()
        if self._last.found:
            for level, sets in zip(self.counts, self.sets(), strict=True):
                for variable, number in zip(level, sets, strict=True):
                    self.model.add_hint(variable, number)

    def bound(self, seconds: float, workers: int, on_bound: Callable[[int], None], stopped: Question) -> int:
        """Return a valid upper bound on the score, the best that `seconds` bring; reports each on the way."""
        self._last = solve(self.model, seconds, workers, stopped, on_bound=lambda value: on_bound(int(value + 1e-6)))
        if self._last.found:
            return int(self._last.solver.best_objective_bound + 1e-6)
        digits = sorted((d for d in range(10) for _ in range(self.problem.pool[d])), reverse=True)
        return (self.levels - 1) * sum(digits[: self.problem.cards])

    def sets(self) -> list[Counts]:
        """Return the level sets of the best solution of the last `bound`, table first."""
        return [tuple(self._last.solver.value(n) for n in level) for level in self.counts]

    def cut(self, stopped: Question) -> bool:
        """Forbid levels of the last solution that cannot lie on each other; returns whether there were any.

        Goes down from the top through levels of at most SMALL tiles, with all layouts of each that carry
        those above. The first level that cannot carry a run of them is cut, for the shortest run that proves
        it, and wherever in a stack that run may be.
        """
        if not self._last.found:
            return False
        sets = [s for s in self.sets() if sum(s)]
        for level in range(len(sets) - 2, -1, -1):
            for length in range(1, len(sets) - level):
                run = tuple(reversed(sets[level + 1 : level + 1 + length]))
                if any(sum(s) > SMALL for s in run):
                    break
                layouts = self._run_layouts(run, stopped)
                if stopped() or layouts is None:
                    return False
                found, complete = COVERER.below(layouts, sets[level], table=True, stopped=stopped)
                if not found and complete:
                    self._forbid(run, layouts, sets[level], stopped)
                    return True
        return False

    def _run_layouts(self, run: tuple[Counts, ...], stopped: Question) -> list[bytes] | None:
        """Return all layouts of the last set of a run that carry the sets before it, None if too many."""
        if run not in self._layouts:
            if len(run) == 1:
                raws, complete = COVERER.all_layouts(run[0], stopped=stopped)
            else:
                above = self._run_layouts(run[:-1], stopped)
                if above is None:
                    return None
                pairs, complete = COVERER.below(above, run[-1], cap=MOST_LAYOUTS, stopped=stopped)
                raws = [raw for raw, _ in pairs]
            if stopped():
                return None
            self._layouts[run] = raws if complete else None
        return self._layouts[run]

    def _forbid(self, run: tuple[Counts, ...], layouts: list[bytes], lower: Counts, stopped: Question) -> None:
        """Add: below this run lies no part of `lower`, made as large as the enumeration still refutes."""
        grown = list(lower)
        for d in sorted(range(10), key=lambda d: AREAS[d]):
            while grown[d] < self.problem.pool[d] and sum(grown) < MOST_LOWER and not stopped():
                grown[d] += 1
                found, complete = COVERER.below(layouts, grown, table=True, max_nodes=MOST_NODES, stopped=stopped)
                if found or not complete:
                    grown[d] -= 1
                    break
        for level in range(self.levels - len(run)):
            above = [self._names[level + len(run) - i][s].Not() for i, s in enumerate(run)]
            more = [self._more(level, d, grown[d]) for d in range(10) if grown[d] < self.problem.pool[d]]
            self.model.add_bool_or([*above, *more])

    def _more(self, level: int, digit: int, number: int) -> cp_model.IntVar:
        """Return a literal that implies more than `number` tiles of a digit on a level."""
        key = (level, digit, number)
        if key not in self._exceeds:
            literal = self.model.new_bool_var("")
            self.model.add(self.counts[level][digit] > number).only_enforce_if(literal)
            self._exceeds[key] = literal
        return self._exceeds[key]
