"""Drives the compiled tree search for the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from blockwit import _mcts
from blockwit._bridge import UNIT
from blockwit.games.base import Game, Position
from blockwit.search import clock
from blockwit.search.compiled import Compiled, Found
from blockwit.search.types import Info, Limits, Result, Settings


class Mcts(Compiled):
    """A `Searcher` over blockwit._mcts."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._tree = _mcts.Searcher(game.capsule(), settings.hash_mb)
        super().__init__(self._tree, settings)

    def clear(self) -> None:
        """Forget the tree."""
        self._tree.clear()

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search a decision of `position`; see `Searcher`. Raises MoveError for an illegal searchmove.

        A search by nodes alone begins with an empty tree, so that it comes out the same whatever was searched
        before. Of `searchmoves` the first action counts: drops that differ in the claim alone are one.
        """
        roots = list(dict.fromkeys(position.actions(token)[0] for token in limits.searchmoves))
        self._begin(limits)
        if limits.nodes and limits.movetime is None and limits.clock is None:
            self._tree.clear()
        found: dict[int, Info] = {}

        def with_pool(info: Info) -> None:
            report(replace(info, hashfull=self._tree.hashfull()))

        lines = self._tree.search(
            position.raw(),
            roots,
            1 if clock.at_once(limits) else limits.nodes or 0,
            self._teller(position, with_pool, found),
            depth=limits.depth or 0,
            multipv=self._lines,
            seed=self._settings.seed,
        )
        wins = position.game.table.zero_sum
        chosen = [
            # The tree knows no distance: a line that ends in a proven win shows one.
            Found(value, actions, round(value / UNIT) * len(actions) if wins and certain else 0)
            for value, actions, certain in lines
        ]
        return self._end(position, chosen, found)


def make(game: Game, settings: Settings) -> Mcts:
    """Return a new searcher of `game`."""
    return Mcts(game, settings)
