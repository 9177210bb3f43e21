"""The games, by name. A game's module is imported when it is first asked for, so that start-up stays short."""

from __future__ import annotations

import importlib
from functools import cache

from solver.errors import OptionError, quote
from solver.games.base import Game, Kind, Options, OptionSpec, OptionValue, Position

__all__ = ["NAMES", "Game", "Kind", "OptionSpec", "OptionValue", "Options", "Position", "get"]

NAMES = ("deblockle", "numberdrop", "nmbr9")


@cache
def get(name: str) -> Game:
    """Return the game called `name`.

    Raises:
        OptionError: there is no such game.
    """
    if name not in NAMES:
        raise OptionError(f"unknown game {quote(name)}, expected one of {', '.join(NAMES)}")
    game: Game = importlib.import_module(f"solver.games.{name}").GAME
    return game
