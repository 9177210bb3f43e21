"""What a game may bring beside its rules. Faces ask a game for a facet; one that it lacks is refused by name."""

from __future__ import annotations

import importlib
import importlib.resources
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from blockwit.errors import MoveError, OptionError, quote
from blockwit.games.base import Game, Position


class Facet(ABC):
    """Something that a game may have: `name` is its key in `Game.facets`, `noun` what a refusal calls it."""

    name: ClassVar[str]
    noun: ClassVar[str]

    @classmethod
    def known_to(cls, game: Game) -> bool:
        """Tell whether a game has this facet."""
        return cls.name in game.facets

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return this facet of a game.

        Raises:
            OptionError: the game has none.
        """
        if not cls.known_to(game):
            raise OptionError(f"{game.title} has no {cls.noun}")
        module, _, name = game.facets[cls.name].partition(":")
        found = getattr(importlib.import_module(module), name)
        assert isinstance(found, cls)
        return found


class View(Facet):
    """What a page needs to draw a position and to offer its moves, ready for JSON; it knows no rules itself."""

    name = "view"
    noun = "view for a page"

    def catalogue(self) -> dict[str, Any]:
        """Return what never changes, the shapes of pieces for example."""
        return {}

    def extras(self, position: Position) -> dict[str, Any]:
        """Return what is to be shown of a position beside its `state()`."""
        return {}

    def continuations(self, position: Position, head: str) -> dict[str, Any]:
        """Return what can follow the beginning of a move.

        Raises:
            MoveError: it begins no legal move, or no move of the game has parts.
        """
        raise MoveError(f"{quote(head)}: moves of {position.game.title} have no parts")

    def rules(self, game: Game) -> str:
        """Return the rules as Markdown: the file `rules.md` beside the game's modules.

        Raises:
            OptionError: there is none.
        """
        page = importlib.resources.files(type(game).__module__.rpartition(".")[0] or type(game).__module__) / "rules.md"
        if not page.is_file():
            raise OptionError(f"{game.title} has no page of rules")
        return page.read_text(encoding="utf-8")

    @abstractmethod
    def words(self, before: Position, token: str) -> str:
        """Return a legal move or outcome in words, for a list of moves and for a screen reader. Raises MoveError."""
