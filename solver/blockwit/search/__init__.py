"""Searching: the vocabulary, time management, and the choice of an algorithm."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable

from blockwit.errors import OptionError, quote
from blockwit.games.base import Game, Position
from blockwit.search.types import Info, Limits, Result, Score, Searcher, Settings

__all__ = ["ALGORITHMS", "Auto", "Info", "Limits", "Result", "Score", "Searcher", "Settings", "make"]

ALGORITHMS = ("auto", "alphabeta", "expectimax", "mcts", "cpsat")

_MODULES = {name: f"blockwit.search.{name}" for name in ("alphabeta", "expectimax", "mcts")} | {
    "cpsat": "blockwit.search.cpsat.searcher"
}


def _factory(name: str) -> Callable[[Game, Settings], Searcher]:
    made: Callable[[Game, Settings], Searcher] = importlib.import_module(_MODULES[name]).make
    return made


def _made(game: Game, name: str, settings: Settings) -> Searcher:
    if name not in game.algorithms:
        raise OptionError(
            f"algorithm {quote(name)} does not play {game.name}, expected auto or {', '.join(game.algorithms)}"
        )
    return _factory(name)(game, settings)


class Auto:
    """A `Searcher` that hands each position to the algorithm that the game names for it."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._game = game
        self._settings = settings
        # The usual one is made at once, so that what cannot be had (memory for its table) is known at once.
        self._searchers = {game.algorithms[0]: _made(game, game.algorithms[0], settings)}
        self._lock = threading.Lock()
        self._stopped = False
        self._hit = False

    def prepare(self, position: Position) -> None:
        """Load what the algorithms need that may be chosen."""
        for name in self._game.algorithms:
            _factory(name)
        for searcher in self._searchers.values():
            searcher.prepare(position)

    def arm(self) -> None:
        """Forget earlier stops."""
        with self._lock:
            self._stopped = self._hit = False
            for searcher in self._searchers.values():
                searcher.arm()

    def stop(self) -> None:
        """End the search under way, or the next one if it has not begun."""
        with self._lock:
            self._stopped = True
            for searcher in self._searchers.values():
                searcher.stop()

    def ponderhit(self) -> None:
        """Start the clock of a search that pondered."""
        with self._lock:
            self._hit = True
            for searcher in self._searchers.values():
                searcher.ponderhit()

    def clear(self) -> None:
        """Forget everything learned in earlier searches."""
        with self._lock:
            for searcher in self._searchers.values():
                searcher.clear()

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search with the algorithm that the game names for `position`."""
        name = self._game.algorithm(position)
        with self._lock:
            searcher = self._searchers.get(name)
            if searcher is None:
                searcher = self._searchers[name] = _made(self._game, name, self._settings)
                searcher.arm()
                if self._hit:
                    searcher.ponderhit()
                if self._stopped:
                    searcher.stop()
        return searcher.search(position, limits, report)


def make(game: Game, algorithm: str, settings: Settings) -> Searcher:
    """Return a new searcher of `game`; `auto` leaves the choice to the game at every position.

    Raises:
        OptionError: there is no such algorithm, or it cannot play this game.
    """
    return Auto(game, settings) if algorithm == "auto" else _made(game, algorithm, settings)
