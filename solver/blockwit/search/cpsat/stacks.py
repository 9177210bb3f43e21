"""Complete stacks: from levels to a legal plan, replayed by the rules before anybody sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blockwit import _cover, _nmbr9
from blockwit.errors import MoveError
from blockwit.games.nmbr9.position import SHAPES, Nmbr9Position, Tile
from blockwit.search.cpsat.problem import Counts, Problem, building_order

COVERER = _cover.Coverer(SHAPES)
"""The enumeration of levels over the tiles of NMBR 9."""


@dataclass(frozen=True)
class Plan:
    """A legal way to play a problem to its end: the tiles in playing order, and the points."""

    tiles: tuple[Tile, ...]
    score: int


def counts_of(tiles: Sequence[Tile]) -> Counts:
    """Return the number of tiles of each digit."""
    digits = [tile.digit for tile in tiles]
    return tuple(digits.count(d) for d in range(10))


def tiles_of(layouts: Sequence[bytes]) -> list[Tile]:
    """Return the tiles of a stack whose levels are given from the table up."""
    return [Tile(*spot, level) for level, raw in enumerate(layouts) for spot in COVERER.spots(raw)]


def within(problem: Problem, tiles: Sequence[Tile]) -> bool:
    """Tell whether the tiles keep the limits of the problem, moved or turned by a quarter as a whole."""
    cells = [cell for tile in tiles for cell in tile.cells()]
    width = 1 + max(x for x, _ in cells) - min(x for x, _ in cells)
    height = 1 + max(y for _, y in cells) - min(y for _, y in cells)
    columns, rows = problem.columns or 10**6, problem.rows or 10**6
    levels = problem.levels or 10**6
    fits = (width <= columns and height <= rows) or (width <= rows and height <= columns)
    return fits and max(tile.level for tile in tiles) < levels


def replay(problem: Problem, tiles: Sequence[Tile]) -> Plan | None:
    """Play `tiles` by the rules, in this order (known deck) or in some legal order (free choice).

    The tiles of `problem.start` come first. Returns None if the rules refuse any of it, if cards are missing,
    or if a limit of the problem is broken.
    """
    held = len(problem.start)
    if tuple(tiles[:held]) != problem.start or len(tiles) != held + problem.cards or not within(problem, tiles):
        return None
    position = problem.position()
    rest = list(tiles[held:]) if problem.kind == "K" else building_order(tiles[held:], problem.start)
    try:
        for tile in rest:
            position = position.play(str(tile))
    except MoveError:
        return None
    return Plan(position.tiles, position.score)


def complete(problem: Problem, tiles: Sequence[Tile]) -> Plan | None:
    """Add the cards that `tiles` leaves over to a free problem, each where it scores most, and replay."""
    position = problem.position()
    try:
        for tile in building_order(tiles):
            position = position.play(str(tile))
    except MoveError:
        return None
    while position.left:
        position = position.play(str(_best_move(problem, position)))
    return replay(problem, position.tiles)


def _best_move(problem: Problem, position: Nmbr9Position) -> Tile:
    moves = [Tile(*_nmbr9.decode_action(a)) for a in _nmbr9.actions(position.raw())]
    if problem.limited:
        moves = [m for m in moves if within(problem, [*position.tiles, m])] or moves
    return max(moves, key=lambda move: move.digit * move.level)
