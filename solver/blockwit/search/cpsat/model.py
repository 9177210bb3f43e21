"""The exact constraint model (CP-SAT): one boolean for every tile, place and level.

Three facts keep it small. Support is a statement about squares: an occupied square of level l needs an
occupied square of level l-1 beneath. A supported tile rests on one tile only exactly when that tile contains
it, so the rule of two tiles is a conflict between few pairs of placements. And in a free problem connectivity
is rarely violated, so its constraints are added only when a solution breaks them. In a known order every
placement needs its support and its neighbour among earlier cards, which settles connectivity as well: one more
boolean for every square and number of cards says that the square is covered by then.

Some tiles may be fixed: that is the neighbourhood of a large-neighbourhood search.
"""

from __future__ import annotations

import random
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from blockwit.games.nmbr9.position import SHAPES, Tile
from blockwit.search.cpsat.problem import Counts
from blockwit.search.cpsat.solving import Stopped, never, solve

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Cell = tuple[int, int]
Window = tuple[int, int, int, int]
"""Columns low..high-1 and rows low..high-1: (left, bottom, right, top)."""

TIE = 64
"""Weight of a point against the random preferences that break ties."""

SLICE = 64
"""Constraints or places that are made between two questions whether to stop: less than a millisecond."""

REST = 8
"""The whole model takes up to so many times as long as the list of its places."""


@dataclass(frozen=True)
class Outcome:
    """What a solve brought: the best tiles, or None, the upper bound, and whether all was searched."""

    tiles: tuple[Tile, ...] | None
    bound: int
    exhausted: bool


NO_BOUND = 10**6
"""The bound of an `Outcome` that has proven nothing."""


@dataclass
class StackModel:
    """A (partial) stack to be completed with the best placements of `pool`.

    `fixed` tiles stay; free ones lie on any level of `levels` inside `window`;
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

    def solve(self, seconds: float, workers: int, over: Callable[[], bool] = never) -> Outcome:
        """Search until the optimum is proven, `seconds` are over or `over()` says so.

        The model takes time to build as well, which counts: one that would not be ready in time is given up.
        """
        end = time.monotonic() + seconds
        best: tuple[Tile, ...] | None = None
        bound = NO_BOUND
        try:
            build = _Build(self, end, over)
            while True:
                solved = solve(build.model, end - time.monotonic(), workers, over, seed=self.seed)
                if solved.refuted:
                    return Outcome(best, -1, True)
                if not solved.found:
                    break
                bound = min(bound, int(solved.solver.best_objective_bound + 1e-6) // build.scale)
                tiles = build.tiles(solved.solver)
                if build.cut_loose_parts(tiles):
                    continue
                best = tiles
                if solved.optimal:
                    return Outcome(best, bound, True)
                break
        except Stopped:
            pass
        return Outcome(best, bound, False)


class _Build:
    """The variables and constraints of one StackModel. Raises Stopped when `over()` says so or `end` is too near."""

    def __init__(self, spec: StackModel, end: float, over: Callable[[], bool]) -> None:
        from ortools.sat.python import cp_model

        self._sum: Callable[[list[Any], list[int]], cp_model.LinearExprT] = cp_model.LinearExpr.weighted_sum
        self.spec = spec
        self.model = cp_model.CpModel()
        self.free = spec.deck is None
        self.places: list[tuple[Tile, int]] = []
        self.literals: list[Any] = []
        self.at: dict[tuple[int, Cell], list[int]] = {}
        self.of_level: dict[int, list[int]] = {}
        self.of_tile: dict[Tile, list[int]] = {}
        self.fixed_at: dict[tuple[int, Cell], int] = {}
        self._end = end
        self._over = over
        self._looks = 0
        self._covers: dict[tuple[int, Cell], list[tuple[int, Any]]] = {}
        self._empties: dict[int, list[tuple[int, Any]]] = {}
        for index, tile in enumerate(spec.fixed):
            for cell in tile.cells():
                self.fixed_at[tile.level, cell] = index
        began = time.monotonic()
        self._list_places()
        now = time.monotonic()
        if now + REST * (now - began) > end:
            raise Stopped
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

    def _look(self) -> None:
        """Take note of one piece of work; now and then ask whether to go on."""
        self._looks += 1
        if self._looks % SLICE == 0 and (self._over() or time.monotonic() >= self._end):
            raise Stopped

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
                            self._look()
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
        self.of_tile.setdefault(tile, []).append(index)
        for cell in tile.cells():
            self.at.setdefault((tile.level, cell), []).append(index)

    def _at_most_one_tile_a_square(self) -> None:
        for indices in self.at.values():
            self._look()
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
            own = by_who.get(digit, [])
            self.model.add(self._sum(own, [1] * len(own)) <= self.spec.pool[digit])
        self.model.add(self._sum(self.literals, [1] * len(self.literals)) == self.spec.cards)

    def _support_squares(self) -> None:
        """Ask for an occupied square beneath each occupied one, for free and fixed tiles alike."""
        squares = {square for square in self.at if square[0] > 0}
        squares |= {(level, cell) for level, cell in self.fixed_at if level > 0}
        for level, cell in sorted(squares):
            self._look()
            below = (level - 1, cell)
            if below in self.fixed_at:
                continue
            beneath = [self.literals[i] for i in self.at.get(below, ())]
            if (level, cell) in self.fixed_at:
                self.model.add_exactly_one(beneath)
            else:
                above = [self.literals[i] for i in self.at[level, cell]]
                self.model.add(self._sum([*above, *beneath], [1] * len(above) + [-1] * len(beneath)) <= 0)

    def _rank(self, index: int) -> int:
        return self.spec.ranks[self.places[index][1]]

    def _support_in_order(self) -> None:
        """Each tile, fixed ones too, needs its squares beneath and its neighbour among earlier cards."""
        spec = self.spec
        for level, places in self.of_level.items():
            self._empties[level] = self._chain(places, self._one_more_empty)
        for square, places in self.at.items():
            self._look()
            self._covers[square] = self._chain(places, self._one_more_cover)
        for index, (tile, _) in enumerate(self.places):
            self._look()
            self._support_one(tile, self._rank(index), self.literals[index])
        for tile, rank in zip(spec.fixed, spec.fixed_ranks, strict=True):
            self._support_one(tile, rank, None)

    def _chain(
        self, places: Sequence[int], add: Callable[[Any, list[int]], cp_model.IntVar]
    ) -> list[tuple[int, cp_model.IntVar]]:
        """Return (card, literal) for each card with a place among `places`: what holds once that card is played.

        `add` makes the next literal from the one before, None for the first, and the places of the card.
        """
        by_who: dict[int, list[int]] = {}
        for i in places:
            by_who.setdefault(self.places[i][1], []).append(i)
        chain: list[tuple[int, cp_model.IntVar]] = []
        for who in sorted(by_who):
            chain.append((who, add(chain[-1][1] if chain else None, by_who[who])))
        return chain

    def _one_more_cover(self, before: Any, places: list[int]) -> cp_model.IntVar:
        """Return a literal that implies: one of these places is taken, or the literal before holds."""
        if before is None and len(places) == 1:
            taken: cp_model.IntVar = self.literals[places[0]]
            return taken
        literal = self.model.new_bool_var("")
        earlier = [] if before is None else [before]
        self.model.add_bool_or([literal.Not(), *earlier, *(self.literals[i] for i in places)])
        return literal

    def _one_more_empty(self, before: Any, places: list[int]) -> cp_model.IntVar:
        """Return a literal that implies: none of these places is taken, and the literal before holds."""
        literal = self.model.new_bool_var("")
        if before is not None:
            self.model.add_implication(literal, before)
        for i in places:
            self._look()
            self.model.add_implication(literal, self.literals[i].Not())
        return literal

    def _before(self, chain: Sequence[tuple[int, Any]], rank: int) -> Any:
        """Return the literal of a chain as it stands before the card of this rank, None before its first one."""
        card = bisect_left(self.spec.ranks, rank)
        at = bisect_left(chain, card, key=lambda link: link[0])
        return chain[at - 1][1] if at else None

    def _support_one(self, tile: Tile, rank: int, literal: cp_model.IntVar | None) -> None:
        spec = self.spec
        only_if: list[Any] = [] if literal is None else [literal.Not()]
        for cell in tile.cells() if tile.level > 0 else ():
            below = (tile.level - 1, cell)
            if below in self.fixed_at and spec.fixed_ranks[self.fixed_at[below]] < rank:
                continue
            covered = self._before(self._covers.get(below, ()), rank)
            self.model.add_bool_or(only_if if covered is None else [*only_if, covered])
        near = _beside(tile)
        lying = [(self.fixed_at.get((tile.level, cell)), cell) for cell in near]
        if any(index is not None and spec.fixed_ranks[index] < rank for index, _ in lying):
            return
        if not any(t.level == tile.level and r < rank for t, r in zip(spec.fixed, spec.fixed_ranks, strict=True)):
            empty = self._before(self._empties.get(tile.level, ()), rank)
            if empty is None:
                # No card before this one can lie on the level: it needs no neighbour.
                return
            only_if.append(empty)
        touching = [self._before(self._covers.get((tile.level, cell), ()), rank) for cell in sorted(near)]
        self.model.add_bool_or([*only_if, *(covered for covered in touching if covered is not None)])

    def _two_tiles_below(self) -> None:
        """Forbid that a tile lies within one tile of the level below."""
        kept = set(self.spec.fixed)
        for index, (tile, _) in enumerate(self.places):
            self._look()
            for larger in _holding(tile):
                for other in self.of_tile.get(larger, ()):
                    self.model.add_implication(self.literals[index], self.literals[other].Not())
                if larger in kept:
                    self.model.add(self.literals[index] == 0)
        for tile in self.spec.fixed:
            for larger in _holding(tile):
                for other in self.of_tile.get(larger, ()):
                    self.model.add(self.literals[other] == 0)

    def _level_by_level(self) -> None:
        """Say what follows for whole levels: two tiles below any tile, and areas that do not grow upward."""
        spec = self.spec
        highest = max([*spec.levels, *(tile.level for tile in spec.fixed)])
        for level in range(1, highest + 1):
            upper, lower = (self.of_level.get(at, []) for at in (level, level - 1))
            fixed_upper, fixed_lower = ([t for t in spec.fixed if t.level == at] for at in (level, level - 1))
            area_of = self._area_of
            self.model.add(area_of(upper, fixed_upper) <= area_of(lower, fixed_lower))
            self._look()
            tiles_below = self._sum([self.literals[i] for i in lower], [1] * len(lower)) + len(fixed_lower)
            if fixed_upper:
                self.model.add(tiles_below >= 2)
            elif upper:
                used = self.model.new_bool_var("")
                for i in upper:
                    self._look()
                    self.model.add_implication(self.literals[i], used)
                self.model.add(tiles_below >= 2 * used)

    def _area_of(self, indices: list[int], fixed: list[Tile]) -> cp_model.LinearExprT:
        areas = [len(self.places[i][0].cells()) for i in indices]
        return self._sum([self.literals[i] for i in indices], areas) + sum(len(tile.cells()) for tile in fixed)

    def _objective(self) -> None:
        spec = self.spec
        points = [tile.digit * tile.level for tile, _ in self.places]
        base = sum(tile.digit * tile.level for tile in spec.fixed)
        total = self._sum(self.literals, points) + base
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
            wishes = [TIE * p + rng.randrange(3) for p in points]
            self.model.maximize(self._sum(self.literals, wishes) + TIE * base)
        hinted = set(spec.hint)
        if hinted:
            for (tile, _), literal in zip(self.places, self.literals, strict=True):
                self._look()
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
                keep = [self.literals[self.of_tile[t][0]].Not() for t in (*part, other[0]) if t in self.of_tile]
                self.model.add_bool_or([*keep, *(self.literals[i] for i in sorted(touching))])
        return loose


def _beside(tile: Tile) -> set[Cell]:
    own = set(tile.cells())
    return {(x + dx, y + dy) for x, y in own for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))} - own


@cache
def _around() -> dict[tuple[int, int], list[tuple[int, int, int, int]]]:
    """For each (digit, rotation): (digit, rotation, x, y) of the tiles that contain it, x and y relative to its own."""
    shapes = [(digit, turn, set(cells)) for digit, turns in enumerate(SHAPES) for turn, cells in enumerate(turns)]
    moves = [(x, y) for x in range(-3, 1) for y in range(-3, 1)]
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for digit, turn, small in shapes:
        found[digit, turn] = [
            (other, its, x, y)
            for other, its, large in shapes
            if len(large) >= len(small)
            for x, y in moves
            if all((u - x, v - y) in large for u, v in small)
        ]
    return found


def prepare() -> None:
    """Compute what every model needs."""
    _around()


def _holding(tile: Tile) -> Iterator[Tile]:
    """List the places one level below whose tile would contain this one."""
    for digit, turn, x, y in _around()[tile.digit, tile.rotation]:
        yield Tile(digit, turn, tile.x + x, tile.y + y, tile.level - 1)


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
