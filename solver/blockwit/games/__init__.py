"""The games, by name. A game's module is imported when it is first asked for, so that start-up stays short."""

from __future__ import annotations

import importlib
from functools import cache

from blockwit.errors import OptionError, PositionError, quote
from blockwit.games.base import Game, Kind, Options, OptionSpec, OptionValue, Position

__all__ = ["NAMES", "Game", "Kind", "OptionSpec", "OptionValue", "Options", "Position", "get", "of_position"]

NAMES = ("deblockle", "numberdrop", "nmbr9")


@cache
def get(name: str) -> Game:
    """Return the game called `name`.

    Raises:
        OptionError: there is no such game.
    """
    if name not in NAMES:
        raise OptionError(f"unknown game {quote(name)}, expected one of {', '.join(NAMES)}")
    game: Game = importlib.import_module(f"blockwit.games.{name}").GAME
    return game


def of_position(text: str) -> Game:
    """Return the game that a position string belongs to: each game's has its own number of fields.

    Raises:
        PositionError: no game's position has so many.
    """
    fields = len(text.split())
    if fields == 2:
        return get("nmbr9")
    if 3 <= fields <= 5:
        return get("deblockle")
    if fields >= 7:
        return get("numberdrop")
    raise PositionError(
        f"{quote(text)} is no position: {fields} fields, expected 2 (nmbr9), 3 to 5 (deblockle) or more (numberdrop)"
    )
