"""What a game may bring beside its rules. Faces ask a game for a facet; one that it lacks is refused by name."""

from __future__ import annotations

import importlib
import importlib.resources
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from blockwit.errors import MoveError, OptionError, TableError, quote
from blockwit.games import get, names
from blockwit.games.base import Game, Options, Position
from blockwit.jobs import Stop


class Facet(ABC):
    """Something that a game may have: `name` is its key in `Game.facets`, `noun` what a refusal calls it."""

    name: ClassVar[str]
    noun: ClassVar[str]

    @classmethod
    def known_to(cls, game: Game) -> bool:
        """Tell whether a game has this facet."""
        return cls.name in game.facets

    @classmethod
    def games(cls) -> list[Game]:
        """Return all games that have this facet."""
        return [game for game in map(get, names()) if cls.known_to(game)]

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


class TableFile(Protocol):
    """A file of endgame tables that was found: what is asked of it for people."""

    @property
    def path(self) -> Path:
        """Where it lies."""

    def check(self) -> None:
        """Read it whole, and compare its checksums. Raises TableError."""


class Tablebase(Facet):
    """Endgame tables that are built once, into files."""

    name = "tablebase"
    noun = "endgame tables to build"

    @abstractmethod
    def build(
        self, options: Options, folder: Path, jobs: int, report: Callable[[float, str], None], stop: Stop
    ) -> Path | None:
        """Build the table for some rules; the same call goes on after a stop, or after the process was killed.

        Args:
            options: rule options, all of them.
            folder: where to write.
            jobs: threads.
            report: called often, with the share of the present step that is done and what that step is.
            stop: ends the build.

        Returns:
            The file, None after a stop.

        Raises:
            BusyFileError: another process builds this table.
            TableError: something else stands where a file should.
            OSError: the files cannot be written.
        """

    @abstractmethod
    def found(self, folder: Path) -> Sequence[TableFile | TableError]:
        """Return the tables of a folder, and what is wrong with those that cannot be opened. Raises TableError."""

    @abstractmethod
    def example(self) -> str:
        """Return what a file of tables may be called."""


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
