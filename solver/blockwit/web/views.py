"""What the page draws: a position with all that its game's view says about it, ready for JSON."""

from __future__ import annotations

from typing import Any

from blockwit import games
from blockwit.games.base import Game, Position
from blockwit.games.facets import View


def catalogue() -> dict[str, Any]:
    """Return what never changes of every game that has a view: its rule options, and the shapes of its pieces."""
    shown = (game for game in map(games.get, games.names()) if View.known_to(game))
    return {game.name: _entry(game) for game in shown}


def _entry(game: Game) -> dict[str, Any]:
    options = [
        {
            "name": spec.name,
            "kind": spec.kind,
            "default": spec.default,
            "choices": list(spec.choices),
            "low": spec.low,
            "high": spec.high,
            "help": spec.help,
        }
        for spec in game.options
    ]
    return {"title": game.title, "options": options, **View.of(game).catalogue()}


def view(position: Position) -> dict[str, Any]:
    """Return all that the page needs to draw a position and to offer its moves."""
    return {
        **position.state(),
        "kind": position.kind().name.lower(),
        "player": position.player(),
        "seats": len(position.returns()),
        "setup": position.is_setup(),
        "result": position.result(),
        "returns": list(position.returns()),
        **View.of(position.game).extras(position),
    }


def claims(position: Position, drop: str) -> dict[str, Any]:
    """Return what can follow the beginning of a move. Raises MoveError."""
    return View.of(position.game).continuations(position, drop)


def words(before: Position, token: str) -> str:
    """Return a legal move or roll in words, for the list of moves and for a screen reader. Raises MoveError."""
    return View.of(before.game).words(before, token)
