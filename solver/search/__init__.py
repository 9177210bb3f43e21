"""Searching: the vocabulary, time management, and the choice of an algorithm."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from solver.errors import OptionError, quote
from solver.games.base import Game
from solver.search.types import Info, Limits, Result, Score, Searcher, Settings

__all__ = ["ALGORITHMS", "Info", "Limits", "Result", "Score", "Searcher", "Settings", "make"]

ALGORITHMS = ("auto", "alphabeta", "expectimax", "mcts", "cpsat")

_MODULES = {name: f"solver.search.{name}" for name in ("alphabeta", "expectimax", "mcts")}


def make(game: Game, algorithm: str, settings: Settings) -> Searcher:
    """Return a new searcher of `game`.

    Raises:
        OptionError: there is no such algorithm, or it cannot play this game.
    """
    name = game.algorithms[0] if algorithm == "auto" else algorithm
    if name not in game.algorithms:
        raise OptionError(
            f"algorithm {quote(algorithm)} does not play {game.name}, expected auto or {', '.join(game.algorithms)}"
        )
    factory: Callable[[Game, Settings], Searcher] = importlib.import_module(_MODULES[name]).make
    return factory(game, settings)
