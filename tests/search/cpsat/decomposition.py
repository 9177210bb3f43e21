"""A second way to a proof: which tiles lie on which level first, where they lie second.

It shares the enumeration `_cover` with the beam and nothing with the search that it checks. Slow, for small problems.

The score depends only on the sets of tiles on the levels (S_h on top, ..., S_0 on the table), and whether
such a tuple can be built is a chain of questions between neighbouring levels. So the master is a depth-first
search over the sets, from the top level down. Each node holds *all* layouts of its lowest set that carry the
sets above it; a node without a layout is cut, with everything below. A node is also cut when its points plus
an upper bound on the rest cannot beat the incumbent. That bound is exact for the relaxed problem in which a
set of at most two tiles lies on one of at most three as the enumeration says, and any other pair of sets only
has to have areas that do not grow upward.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache, cached_property, lru_cache

from blockwit.games.nmbr9.position import Tile
from blockwit.search.cpsat.problem import AREAS, Counts, Problem, area, contains, minus, points
from blockwit.search.cpsat.solving import Stopped
from blockwit.search.cpsat.stacks import COVERER, tiles_of

NOTHING = -(10**6)
"""The bound of a branch in which nothing can be built."""

MAX_SETS = 4000
MAX_LAYOUTS = 2_000_000


@cache
def can_carry(upper: Counts, lower: Counts) -> bool:
    """Tell whether some connected layout of `upper` lies on some connected layout of exactly `lower`.

    Small questions alone: at most two tiles on at most three take some milliseconds.
    """
    layouts, all_of = COVERER.all_layouts(upper)
    found, complete = COVERER.below(layouts, lower, table=True)
    return bool(found) or not (all_of and complete)


class Decomposition:
    """The search for one problem of free choice, limits included.

    `on_plan(tiles)` gets every stack that beats the incumbent, leftover tiles not yet placed;
    `on_bound(score)` the proven upper bound whenever it falls; `stopped()` is asked often.
    """

    def __init__(
        self,
        problem: Problem,
        incumbent: int,
        on_plan: Callable[[list[Tile], int], None],
        on_bound: Callable[[int], None],
        stopped: Callable[[], bool],
    ) -> None:
        self.problem = problem
        self.incumbent = incumbent
        self.on_plan = on_plan
        self.on_bound = on_bound
        self.stopped = stopped
        self.tuples = 0
        self.columns = problem.columns or 0
        self.rows = problem.rows or 0
        self._rest = lru_cache(maxsize=None)(self._rest_uncached)
        self._choices = lru_cache(maxsize=None)(self._choices_uncached)

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Tell whether the problem is small enough for this search."""
        sets = 1
        for number in problem.pool:
            sets *= number + 1
        return problem.kind != "U" and not problem.start and problem.cards <= 12 and sets <= MAX_SETS

    @cached_property
    def sets(self) -> list[Counts]:
        """Every set of tiles that could be a level."""
        ranges = [range(number + 1) for number in self.problem.pool]
        return [s for s in itertools.product(*ranges) if 1 <= sum(s) <= self.problem.cards]

    def _choices_uncached(self, remaining: Counts, least_area: int, most: int) -> list[Counts]:
        self._look()
        return [s for s in self.sets if 2 <= sum(s) <= most and area(s) >= least_area and contains(remaining, s)]

    def _look(self) -> None:
        if self.stopped():
            raise Stopped

    def carries(self, upper: Counts, lower: Counts) -> bool:
        """Answer from the exact tables where they reach, else by area."""
        if sum(upper) <= 2 and sum(lower) <= 3:
            return can_carry(upper, lower)
        return area(lower) >= area(upper)

    def _rest_uncached(self, level: int, upper: Counts, remaining: Counts, left: int) -> int:
        """Bound the points of levels `level`..0 below `upper` with at most `left` of the remaining tiles."""
        if level == 0:
            areas = sorted((AREAS[d] for d in range(10) for _ in range(remaining[d])), reverse=True)
            return 0 if left >= 2 and sum(areas[:left]) >= area(upper) else NOTHING
        self._look()
        best = NOTHING
        for lower in self._choices(remaining, area(upper), left - 2 * level):
            if self.carries(upper, lower):
                below = self._rest(level - 1, lower, minus(remaining, lower), left - sum(lower))
                best = max(best, level * points(lower) + below)
        return best

    def run(self) -> bool:
        """Search everything; returns whether the incumbent is proven optimal.

        Raises nothing when stopped: it returns False, and the bounds reported so far stand.
        """
        cards, pool = self.problem.cards, self.problem.pool
        highest = min((cards - 1) // 2, (self.problem.levels or cards) - 1)
        branches = []
        try:
            for level in range(highest, -1, -1):
                for top in self.sets:
                    self._look()
                    if sum(top) <= cards - 2 * level and (level > 0 or sum(top) == cards):
                        bound = level * points(top)
                        if level > 0:
                            bound += self._rest(level - 1, top, minus(pool, top), cards - sum(top))
                        if bound >= 0:
                            branches.append((bound, level, top))
            branches.sort(reverse=True)
            for bound, level, top in branches:
                if bound <= self.incumbent:
                    break
                self.on_bound(bound)
                layouts, complete = COVERER.all_layouts(top, MAX_LAYOUTS, self.columns, self.rows, self.stopped)
                if not complete:
                    return False
                levels = [[(raw, 0) for raw in layouts]]
                remaining = minus(pool, top)
                if not self._descend(level - 1, top, levels, remaining, cards - sum(top), level * points(top)):
                    return False
        except Stopped:
            return False
        self.on_bound(self.incumbent)
        return True

    def _descend(
        self,
        level: int,
        upper: Counts,
        levels: list[list[tuple[bytes, int]]],
        remaining: Counts,
        left: int,
        score: int,
    ) -> bool:
        """Search all ways to build levels `level`..0; returns whether nothing was left out."""
        self._look()
        layouts = [raw for raw, _ in levels[-1]]
        if level < 0:
            self._found(levels, score)
            return True
        if level == 0:
            self.tuples += 1
            whole = True
            for lower in self._tables(remaining, left, area(upper)):
                found, complete = self._below(layouts, lower, table=True)
                if found:
                    self._found([*levels, found], score)
                    return True
                whole &= complete
            return whole
        branches = []
        for lower in self._choices(remaining, area(upper), left - 2 * level):
            self._look()
            if self.carries(upper, lower):
                own = score + level * points(lower)
                bound = own + self._rest(level - 1, lower, minus(remaining, lower), left - sum(lower))
                if bound > self.incumbent:
                    branches.append((bound, own, lower))
        branches.sort(reverse=True)
        whole = True
        for bound, own, lower in branches:
            if bound <= self.incumbent:
                break
            found, complete = self._below(layouts, lower, table=False)
            whole &= complete
            if found:
                whole &= self._descend(
                    level - 1, lower, [*levels, found], minus(remaining, lower), left - sum(lower), own
                )
        return whole

    def _below(self, layouts: list[bytes], lower: Counts, *, table: bool) -> tuple[list[tuple[bytes, int]], bool]:
        return COVERER.below(
            layouts,
            lower,
            table=table,
            cap=MAX_LAYOUTS,
            columns=self.columns,
            rows=self.rows,
            stopped=self.stopped,
        )

    def _tables(self, remaining: Counts, left: int, least_area: int) -> list[Counts]:
        """List the sets that could lie on the table: all that is left, or every choice of `left` tiles."""
        if sum(remaining) <= left:
            return [remaining]
        return [s for s in self.sets if sum(s) == left and contains(remaining, s) and area(s) >= least_area]

    def _found(self, levels: list[list[tuple[bytes, int]]], score: int) -> None:
        if score <= self.incumbent:
            return
        chain = []
        index = 0
        for found in reversed(levels):
            raw, parent = found[index]
            chain.append(raw)
            index = parent
        self.incumbent = score
        self.on_plan(tiles_of(chain), score)
