"""The games, by name. A game's module is imported when it is first asked for, so that start-up stays short.

A game is the `GAME` of a package in this folder, or what another package names in the entry-point group
`blockwit.games`.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path

from blockwit.errors import OptionError, PositionError, quote
from blockwit.games.base import Game, Kind, Options, OptionSpec, OptionValue, Position

__all__ = ["NAMES", "Game", "Kind", "OptionSpec", "OptionValue", "Options", "Position", "get", "names", "of_position"]

NAMES = ("deblockle", "numberdrop", "nmbr9")
"""The games of this package."""

GROUP = "blockwit.games"


@cache
def _brought() -> dict[str, str]:
    """Return the games of other packages: by name, `module:object`."""
    # To import importlib.metadata takes as long as all else that an engine begins with, and few have more games.
    folders = (Path(folder or ".") for folder in sys.path)
    if not any(_names_games(path) for folder in folders for path in folder.glob("*-info/entry_points.txt")):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP) if point.name not in NAMES}


def _names_games(path: Path) -> bool:
    try:
        return f"[{GROUP}]".encode() in path.read_bytes()
    except OSError:
        return False


def names() -> tuple[str, ...]:
    """Return the names of all games: those of this package first, then those that others bring."""
    return (*NAMES, *sorted(_brought()))


@cache
def get(name: str) -> Game:
    """Return the game called `name`.

    Raises:
        OptionError: there is no such game, or the package that brings it brings something else.
    """
    where = f"blockwit.games.{name}:GAME" if name in NAMES else _brought().get(name)
    if where is None:
        raise OptionError(f"unknown game {quote(name)}, expected one of {', '.join(names())}")
    module, _, attribute = where.partition(":")
    game = getattr(importlib.import_module(module), attribute, None)
    if not isinstance(game, Game) or game.name != name:
        raise OptionError(f"{where} is no game called {name}, expected a Game with this name")
    return game


def planned() -> str:
    """Return the name of the first game whose chance can be given beforehand."""
    return next(name for name in names() if get(name).planned)


def of_position(text: str) -> Game:
    """Return the game that a position string belongs to: the one whose form it has.

    Raises:
        PositionError: no game's position looks so, or more than one's.
    """
    fields = text.split()
    games = [game for game in map(get, names()) if game.fits(fields)]
    if len(games) == 1:
        return games[0]
    if games:
        raise PositionError(f"{quote(text)} may be of {' or '.join(game.name for game in games)}: name the game")
    forms = "; ".join(f"{name}: {get(name).form}" for name in names())
    raise PositionError(f"{quote(text)} is no position: {len(fields)} fields, expected {forms}")
