"""The exact constraint model (CP-SAT): one boolean for every tile, place and level.

Three facts keep it small. Support is a statement about squares: an occupied square of level l needs an
occupied square of level l-1 beneath. A supported tile rests on one tile only exactly when that tile contains
it, so the rule of two tiles is a conflict between few pairs of placements. And in a free problem connectivity
is rarely violated, so its constraints are added only when a solution breaks them. In a known order every
placement needs its support and its neighbour among earlier cards, which settles connectivity as well.

Some tiles may be fixed: that is the neighbourhood of a large-neighbourhood search.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blockwit.games.nmbr9.position import SHAPES, Tile
from blockwit.search.cpsat.problem import Counts

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Cell = tuple[int, int]
Window = tuple[int, int, int, int]
"""Columns low..high-1 and rows low..high-1: (left, bottom, right, top)."""

TIE = 64
"""Weight of a point against the random preferences that break ties."""


@dataclass(frozen=True)
class Outcome:
    """What a solve brought: the best tiles, or None, the upper bound, and whether all was searched."""

    tiles: tuple[Tile, ...] | None
    bound: int
    exhausted: bool


@dataclass
class StackModel:
    """A (partial) stack to be completed with the best placements of `pool`.

    `fixed` tiles stay; tiles of `pool` (counts by digit) go on the levels of `levels` inside `window`;
    exactly `cards` of them are placed. `deck`: None for free choice, else the digits of the pool in playing
    order, with `ranks` their places among all cards, and `fixed_ranks` those of the fixed tiles.
    """

    pool: Counts
    cards: int
    levels: Sequence[int]
    window: Window
    fixed: Sequence[Tile] = ()
    deck: Sequence[int] | None = None
    ranks: Sequence[int] = ()
    fixed_ranks: Sequence[int] = ()
    at_least: int | None = None
    at_most: int | None = None
    hint: Sequence[Tile] = ()
    seed: int | None = None
    _solver: Any = field(default=None, init=False)
    _stopped: bool = field(default=False, init=False)

    def stop(self) -> None:
        """End the solve under way, from any thread."""
        self._stopped = True
        if self._solver is not None:
            self._solver.stop_search()

    def solve(
        self,
        seconds: float,
        workers: int,
        on_tiles: Callable[[tuple[Tile, ...]], None] | None = None,
        on_bound: Callable[[int], None] | None = None,
    ) -> Outcome:
        """Search until the optimum is proven or `seconds` are over; reports every legal stack."""
        from ortools.sat.python import cp_model

        build = _Build(self, cp_model.CpModel())
        best: tuple[Tile, ...] | None = None
        best_value = -1
        bound = 10**6
        clock = _Clock(seconds)
        while not self._stopped and clock.left() > 0:
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = workers
            solver.parameters.max_time_in_seconds = clock.left()
            if self.seed is not None:
                solver.parameters.random_seed = self.seed % 2**31
            if on_bound is not None:
                report = on_bound
                solver.best_bound_callback = _rounded(report, build.scale)
            self._solver = solver
            status = solver.Solve(build.model)
            if status == cp_model.INFEASIBLE:
                return Outcome(best, max(best_value, -1), True)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                break
            bound = min(bound, int(solver.best_objective_bound + 1e-6) // build.scale)
            tiles = build.tiles(solver)
            if build.cut_loose_parts(tiles):
                continue
            value = sum(tile.digit * tile.level for tile in tiles)
            if value > best_value:
                best, best_value = tiles, value
                if on_tiles is not None:
                    on_tiles(tiles)
            if status == cp_model.OPTIMAL:
                return Outcome(best, bound, True)
            break
        return Outcome(best, bound, False)


def _rounded(report: Callable[[int], None], scale: int) -> Callable[[float], None]:
    """Turn a bound of the scaled objective into points."""
    return lambda value: report(int(value + 1e-6) // scale)


class _Clock:
    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        return self._end - time.monotonic()


class _Build:
    """The variables and constraints of one StackModel."""

    def __init__(self, spec: StackModel, model: cp_model.CpModel) -> None:
        self.spec = spec
        self.model = model
        self.free = spec.deck is None
        self.places: list[tuple[Tile, int]] = []
        self.literals: list[Any] = []
        self.at: dict[tuple[int, Cell], list[int]] = {}
        self.of_level: dict[int, list[int]] = {}
        self.fixed_at: dict[tuple[int, Cell], int] = {}
        for index, tile in enumerate(spec.fixed):
            for cell in tile.cells():
                self.fixed_at[tile.level, cell] = index
        self._list_places()
        self._at_most_one_tile_a_square()
        self._use_the_cards()
        if self.free:
            self._support_squares()
        else:
            self._support_in_order()
        self._two_tiles_below()
        self._level_by_level()
        self.scale = 1
        self._objective()

    def _list_places(self) -> None:
        """Create a literal for each place that the fixed tiles do not rule out."""
        spec = self.spec
        left, bottom, right, top = spec.window
        digits = enumerate(spec.deck) if spec.deck is not None else ((d, d) for d in range(10) if spec.pool[d])
        jobs = list(digits)
        open_levels = set(spec.levels)
        for level in sorted(open_levels):
            for who, digit in jobs:
                for rotation, cells in enumerate(SHAPES[digit]):
                    width = 1 + max(x for x, _ in cells)
                    height = 1 + max(y for _, y in cells)
                    for y in range(bottom, top - height + 1):
                        for x in range(left, right - width + 1):
                            tile = Tile(digit, rotation, x, y, level)
                            if self._possible(tile, open_levels):
                                self._add_place(tile, who)

    def _possible(self, tile: Tile, open_levels: set[int]) -> bool:
        for cell in tile.cells():
            if (tile.level, cell) in self.fixed_at:
                return False
            below = (tile.level - 1, cell)
            if tile.level > 0 and below not in self.fixed_at and not self.at.get(below):
                return False
        return True

    def _add_place(self, tile: Tile, who: int) -> None:
        index = len(self.places)
        self.places.append((tile, who))
        self.literals.append(self.model.new_bool_var(""))
        self.of_level.setdefault(tile.level, []).append(index)
        for cell in tile.cells():
            self.at.setdefault((tile.level, cell), []).append(index)

    def _at_most_one_tile_a_square(self) -> None:
        for indices in self.at.values():
            if len(indices) > 1:
                self.model.add_at_most_one(self.literals[i] for i in indices)

    def _use_the_cards(self) -> None:
        by_who: dict[int, list[Any]] = {}
        for (_, who), literal in zip(self.places, self.literals, strict=True):
            by_who.setdefault(who, []).append(literal)
        if self.spec.deck is not None:
            for who in range(len(self.spec.deck)):
                self.model.add_exactly_one(by_who.get(who, []))
            return
        for digit in range(10):
            self.model.add(sum(by_who.get(digit, [])) <= self.spec.pool[digit])
        self.model.add(sum(self.literals) == self.spec.cards)

    def _support_squares(self) -> None:
        """Ask for an occupied square beneath each occupied one, for free and fixed tiles alike."""
        squares = {square for square in self.at if square[0] > 0}
        squares |= {(level, cell) for level, cell in self.fixed_at if level > 0}
        for level, cell in sorted(squares):
            below = (level - 1, cell)
            if below in self.fixed_at:
                continue
            beneath = [self.literals[i] for i in self.at.get(below, ())]
            if (level, cell) in self.fixed_at:
                self.model.add_exactly_one(beneath)
            else:
                self.model.add(sum(self.literals[i] for i in self.at[level, cell]) <= sum(beneath))

    def _rank(self, index: int) -> int:
        return self.spec.ranks[self.places[index][1]]

    def _support_in_order(self) -> None:
        """Each tile, fixed ones too, needs its squares beneath and its neighbour among earlier cards."""
        spec = self.spec
        for index, (tile, _) in enumerate(self.places):
            self._support_one(tile, self._rank(index), self.literals[index])
        for tile, rank in zip(spec.fixed, spec.fixed_ranks, strict=True):
            self._support_one(tile, rank, None)

    def _support_one(self, tile: Tile, rank: int, literal: cp_model.IntVar | None) -> None:
        only_if = [] if literal is None else [literal.Not()]
        for cell in tile.cells() if tile.level > 0 else ():
            below = (tile.level - 1, cell)
            if below in self.fixed_at and self.spec.fixed_ranks[self.fixed_at[below]] < rank:
                continue
            earlier = [self.literals[i] for i in self.at.get(below, ()) if self._rank(i) < rank]
            self.model.add_bool_or([*only_if, *earlier])
        near = _beside(tile)
        if any(
            (tile.level, cell) in self.fixed_at and self.spec.fixed_ranks[self.fixed_at[tile.level, cell]] < rank
            for cell in near
        ):
            return
        touching = {i for cell in near for i in self.at.get((tile.level, cell), ()) if self._rank(i) < rank}
        first = self._first(tile.level, rank)
        self.model.add_bool_or([*only_if, first, *(self.literals[i] for i in sorted(touching))])

    def _first(self, level: int, rank: int) -> cp_model.IntVar:
        """Return a literal that implies: no card earlier than `rank` lies on this level."""
        literal = self.model.new_bool_var("")
        if any(t.level == level and r < rank for t, r in zip(self.spec.fixed, self.spec.fixed_ranks, strict=True)):
            self.model.add(literal == 0)
        for i in self.of_level.get(level, ()):
            if self._rank(i) < rank:
                self.model.add_implication(literal, self.literals[i].Not())
        return literal

    def _two_tiles_below(self) -> None:
        """Forbid that a tile lies within one tile of the level below."""
        for index, (tile, _) in enumerate(self.places):
            cells = set(tile.cells())
            inside = self._containing(tile.level - 1, cells)
            for other in inside:
                self.model.add_implication(self.literals[index], self.literals[other].Not())
            for other_tile in self.spec.fixed:
                if other_tile.level == tile.level - 1 and cells <= set(other_tile.cells()):
                    self.model.add(self.literals[index] == 0)
        for tile in self.spec.fixed:
            for other in self._containing(tile.level - 1, set(tile.cells())):
                self.model.add(self.literals[other] == 0)

    def _containing(self, level: int, cells: set[Cell]) -> list[int]:
        some = next(iter(cells))
        return [i for i in self.at.get((level, some), ()) if cells <= set(self.places[i][0].cells())]

    def _level_by_level(self) -> None:
        """Say what follows for whole levels: two tiles below any tile, and areas that do not grow upward."""
        spec = self.spec
        highest = max([*spec.levels, *(tile.level for tile in spec.fixed)])
        for level in range(1, highest + 1):
            upper, lower = (self.of_level.get(at, []) for at in (level, level - 1))
            fixed_upper, fixed_lower = ([t for t in spec.fixed if t.level == at] for at in (level, level - 1))
            area_of = self._area_of
            self.model.add(area_of(upper, fixed_upper) <= area_of(lower, fixed_lower))
            tiles_below = sum(self.literals[i] for i in lower) + len(fixed_lower)
            if fixed_upper:
                self.model.add(tiles_below >= 2)
            elif upper:
                used = self.model.new_bool_var("")
                for i in upper:
                    self.model.add_implication(self.literals[i], used)
                self.model.add(tiles_below >= 2 * used)

    def _area_of(self, indices: list[int], fixed: list[Tile]) -> cp_model.LinearExprT:
        free: cp_model.LinearExprT = sum(len(self.places[i][0].cells()) * self.literals[i] for i in indices)
        return free + sum(len(tile.cells()) for tile in fixed)

    def _objective(self) -> None:
        spec = self.spec
        points = [tile.digit * tile.level for tile, _ in self.places]
        base = sum(tile.digit * tile.level for tile in spec.fixed)
        total = sum(p * literal for p, literal in zip(points, self.literals, strict=True)) + base
        if spec.at_least is not None:
            self.model.add(total >= spec.at_least)
        if spec.at_most is not None:
            self.model.add(total <= spec.at_most)
        if spec.seed is None:
            self.model.maximize(total)
        else:
            # Among stacks of equal score a random one: a search that moves on plateaus gets further.
            self.scale = TIE
            rng = random.Random(spec.seed)
            ties = sum(rng.randrange(3) * literal for literal in self.literals)
            self.model.maximize(TIE * total + ties)
        hinted = set(spec.hint)
        if hinted:
            for (tile, _), literal in zip(self.places, self.literals, strict=True):
                self.model.add_hint(literal, int(tile in hinted))

    def tiles(self, solver: cp_model.CpSolver) -> tuple[Tile, ...]:
        """Return all tiles of the solution, the fixed ones first; in a known order, in that order."""
        chosen = [i for i, literal in enumerate(self.literals) if solver.boolean_value(literal)]
        if self.spec.deck is None:
            return (*self.spec.fixed, *(self.places[i][0] for i in chosen))
        ranked = [(self._rank(i), self.places[i][0]) for i in chosen]
        ranked += list(zip(self.spec.fixed_ranks, self.spec.fixed, strict=True))
        return tuple(tile for _, tile in sorted(ranked))

    def cut_loose_parts(self, tiles: Iterable[Tile]) -> bool:
        """Forbid what is disconnected in a solution; returns whether anything was.

        A part and a tile elsewhere on its level may stay only if some tile touches the part.
        """
        if not self.free:
            return False
        stack = list(tiles)
        index_of = {tile: i for i, (tile, _) in enumerate(self.places)}
        loose = False
        for level in {tile.level for tile in stack}:
            parts = _parts([tile for tile in stack if tile.level == level])
            if len(parts) < 2:
                continue
            loose = True
            for part, other in zip(parts, parts[1:] + parts[:1], strict=True):
                near = {cell for tile in part for cell in _beside(tile)}
                near -= {cell for tile in part for cell in tile.cells()}
                touching = {i for cell in near for i in self.at.get((level, cell), ())}
                keep = [self.literals[index_of[t]].Not() for t in (*part, other[0]) if t in index_of]
                self.model.add_bool_or([*keep, *(self.literals[i] for i in sorted(touching))])
        return loose


def _beside(tile: Tile) -> set[Cell]:
    own = set(tile.cells())
    return {(x + dx, y + dy) for x, y in own for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))} - own


def _parts(tiles: Sequence[Tile]) -> list[list[Tile]]:
    """Split the tiles of one level into its connected parts."""
    waiting = list(tiles)
    parts = []
    while waiting:
        part = [waiting.pop()]
        for tile in part:
            near = _beside(tile)
            for other in [t for t in waiting if near & set(t.cells())]:
                waiting.remove(other)
                part.append(other)
        parts.append(part)
    return parts
