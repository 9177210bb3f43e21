"""Drives the compiled expectimax searcher for the protocol."""

from __future__ import annotations

from collections.abc import Callable

from solver import _expectimax
from solver.games.base import Game, Position
from solver.search import clock
from solver.search.compiled import UNIT, Compiled
from solver.search.types import Info, Limits, Result, Settings

ROOT_WIDTH = 24
"""Turns that are compared at the root."""

MARGIN = 3 * UNIT
"""A turn whose static evaluation is so far below the best is not looked at (never in a win-or-lose game)."""


class Expectimax(Compiled):
    """A `Searcher` over solver._expectimax."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._searcher = _expectimax.Searcher(game.capsule())
        super().__init__(self._searcher, settings)

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search a decision of `position`; see `Searcher`. Raises MoveError for an illegal searchmove."""
        roots = [list(position.actions(token)) for token in dict.fromkeys(limits.searchmoves)]
        self._begin(limits)
        depth = 1 if clock.at_once(limits) else limits.depth or 0
        found: dict[int, Info] = {}
        lines = self._searcher.search(
            position.raw(),
            roots,
            depth,
            limits.nodes or 0,
            self._teller(position, report, found),
            multipv=self._lines,
            seed=self._settings.seed,
            root_width=ROOT_WIDTH,
            margin=MARGIN,
        )
        return self._end(position, lines, found)


def make(game: Game, settings: Settings) -> Expectimax:
    """Return a new searcher of `game`."""
    return Expectimax(game, settings)
