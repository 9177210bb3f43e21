"""What every game looks like from Python: options, a game, an immutable position.

The protocol, the searchers' driver and the command line speak to these classes and know no game by name. The
rules themselves are compiled; a module of this package adds notation, drawing and checks around them.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from blockwit.errors import MoveError, OptionError, quote
from blockwit.games.svg import slides

if TYPE_CHECKING:
    from rich.console import RenderableType

    from blockwit._bridge import Table

OptionValue = str | int | bool
Options = Mapping[str, OptionValue]


class Kind(enum.IntEnum):
    """What a position waits for; the numbers are those of `enum bw_kind` in ext/include/game.h."""

    DECISION = 0
    CHANCE = 1
    TERMINAL = 2


def won_by(returns: Sequence[float]) -> str:
    """Name the winners as the protocol does: `p1win`, `p1p3win` where two share the win, `draw` where all do."""
    best = max(returns)
    won = [player for player, value in enumerate(returns, 1) if value == best]
    if len(won) == len(returns) > 1:
        return "draw"
    return "".join(f"p{player}" for player in won) + "win"


@dataclass(frozen=True)
class OptionSpec:
    """One rule option: its UCI type, default and range.

    `kind` is one of UCI's `check`, `spin`, `combo` and `string`; `choices` belongs to a combo, `low` and
    `high` to a spin.
    """

    name: str
    kind: str
    default: OptionValue
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    help: str = ""

    def uci(self) -> str:
        """Return the line that announces this option, without the leading word `option`."""
        default = str(self.default).lower() if self.kind == "check" else str(self.default) or "<empty>"
        line = f"name {self.name} type {self.kind} default {default}"
        if self.kind == "spin":
            line += f" min {self.low} max {self.high}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def read(self, value: OptionValue) -> OptionValue:
        """Return `value` (text or already typed) as this option's own type.

        Raises:
            OptionError: the value is not one of the choices, not a number in range, or not true/false.
        """
        text = str(value).strip()
        if self.kind == "check":
            if text.lower() in ("true", "false"):
                return text.lower() == "true"
            raise OptionError(f"option {self.name}: expected true or false, got {quote(text)}")
        if self.kind == "spin":
            # int() takes digits of every script and underscores: only plain ones are meant here.
            plain = text.removeprefix("-")
            if plain.isascii() and plain.isdigit() and len(plain) < 20 and self.low <= int(text) <= self.high:
                return int(text)
            raise OptionError(
                f"option {self.name}: expected a whole number from {self.low} to {self.high}, got {quote(text)}"
            )
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise OptionError(f"option {self.name}: expected one of {', '.join(self.choices)}, got {quote(text)}")
        return "" if text == "<empty>" else text


class Oracle(Protocol):
    """Endgame tables: exact values of some positions."""

    def capsule(self) -> object:
        """Return a PyCapsule of a `bw_oracle` (ext/include/game.h), alive as long as this object."""

    def probe(self, state: bytes) -> int | None:
        """Return n > 0 for a win in n plies of the player to move, n < 0 for a loss in -n, 0 for neither.

        `state` is a position's `raw()`; None: it is not in the tables.
        """

    def trouble(self) -> str:
        """Return why some of the tables have been given up since they were opened; empty if none were."""


class Position(ABC):
    """One position of one game, rule options included. Immutable: `play` returns a new one.

    A *token* is a move or a chance outcome in the protocol's notation; an *action* is the compiled game's
    number for it. One token may stand for several actions in a row (a drop and its claim).
    """

    game: ClassVar[Game]

    @abstractmethod
    def fen(self) -> str:
        """Return the position string; `game.parse` reads it back to an equal position."""

    @abstractmethod
    def kind(self) -> Kind:
        """Tell whether a decision, a roll of chance or nothing comes next (draw rules included)."""

    @abstractmethod
    def player(self) -> int:
        """Return the 0-based index of the player to move."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of legal moves, or of outcomes at a chance node; 0 when the game is over."""

    @abstractmethod
    def tokens(self, start: int = 0, count: int | None = None) -> list[str]:
        """Return the legal moves (or outcomes) number `start` to `start + count`, in a fixed order."""

    @abstractmethod
    def chances(self) -> dict[str, float]:
        """Return the outcomes at a chance node with their probabilities, in a fixed order; else nothing."""

    @abstractmethod
    def play(self, token: str) -> Self:
        """Return the position after a move or outcome.

        Raises:
            MoveError: the token cannot be read, or is not legal here; the message says why.
        """

    @abstractmethod
    def roll(self, seed: int) -> str:
        """Return the token of an outcome drawn at random from `seed` at a chance node."""

    @abstractmethod
    def result(self) -> str | None:
        """Return how the game ended, in a few words (`South wins`), or None while it goes on."""

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """Return each player's result so far in the game's unit (final at a terminal node)."""

    @abstractmethod
    def evaluate(self) -> tuple[float, ...]:
        """Return the static evaluation for each player in the game's unit."""

    def is_setup(self) -> bool:
        """Tell whether this decision belongs to the set-up rather than to the play."""
        return False

    def choices(self) -> list[tuple[str, list[str]]]:
        """Return the legal moves in groups for a person to choose from: a heading and its tokens."""
        return [("", self.tokens())]

    def facts(self, player: int) -> dict[str, int | str]:
        """Return what is worth saying of a player's position, by name: what tells two moves apart for a person."""
        return {}

    @abstractmethod
    def text(self) -> str:
        """Draw the position as plain text, several lines."""

    def picture(self) -> RenderableType:
        """Draw the position for a terminal with colours."""
        return self.text()

    @abstractmethod
    def svg(self, move: str | None = None) -> str:
        """Draw the position as one SVG document; a move or outcome is drawn in it.

        Raises:
            MoveError: the move is not legal here.
        """

    def animation(self, line: Sequence[str]) -> str:
        """Draw a line of moves and outcomes from here as one animated SVG document.

        Raises:
            MoveError: a move cannot be read, or is not legal where it comes.
        """
        return slides(self.frames(line), f"{self.game.title}: {len(line)} moves, animated")

    def frames(self, line: Sequence[str]) -> list[str]:
        """Draw every position of a line, each with the move that comes next, and the last one. Raises MoveError."""
        pictures = []
        position = self
        for token in line:
            pictures.append(position.svg(token))
            position = position.play(token)
        return [*pictures, position.svg()]

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return all that a front end needs to draw the position, ready for JSON."""

    @abstractmethod
    def raw(self) -> bytes:
        """Return the compiled game's state, for a searcher."""

    def history(self) -> Sequence[int]:
        """Return the keys of the positions before this one that can still recur, oldest first."""
        return ()

    @abstractmethod
    def actions(self, token: str) -> tuple[int, ...]:
        """Return the action or actions behind a legal token. Raises MoveError like `play`."""

    def outcome_actions(self, tokens: Sequence[str]) -> list[int]:
        """Return the actions of chance events that come up one after the other, with moves between them.

        Raises:
            MoveError: a token is no chance event or cannot come up, or the game knows no such lists.
        """
        raise MoveError(f"{self.game.title} takes no list of chance events")

    @abstractmethod
    def line(self, actions: Sequence[int]) -> list[str]:
        """Return a searcher's line of actions from here as tokens."""

    def perft(self, depth: int, stop: bytearray | None = None) -> int:
        """Count the move sequences of `depth` plies; setting `stop[0]` from another thread ends it early."""
        if depth <= 0 or (stop and stop[0]):
            return 1
        if depth == 1:
            return self.count()
        return sum(count for _, count in self.divide(depth, stop))

    def divide(self, depth: int, stop: bytearray | None = None) -> Iterator[tuple[str, int]]:
        """Yield each move with the number of sequences of `depth` plies that begin with it (depth at least 1)."""
        for token in self.tokens():
            yield token, self.play(token).perft(depth - 1, stop)


class Game(ABC):
    """A game: names, rule options, positions, and the compiled table behind them."""

    name: ClassVar[str]
    title: ClassVar[str]
    players: ClassVar[tuple[str, ...]]
    unit: ClassVar[str]
    options: ClassVar[tuple[OptionSpec, ...]]
    algorithms: ClassVar[tuple[str, ...]]
    """The searchers that can play it, by the names of the option Algorithm, the usual choice first."""
    form: ClassVar[str]
    """The fields of a position string, as they are written in an error message."""
    bench: ClassVar[tuple[tuple[str, int], ...]]
    """Position strings and depths whose searched nodes are the fingerprint of the search."""
    solo: ClassVar[Options | None] = None
    """The rule options under which it is played alone, None where that is not possible."""
    planned: ClassVar[bool] = False
    """Whether all chance can be given beforehand (`Position.outcome_actions`), to plan a game or to compare players."""
    facets: ClassVar[Mapping[str, str]] = {}
    """What it brings beside its rules (games/facets.py): by name, `module:object`, imported when first asked for."""

    @abstractmethod
    def fits(self, fields: Sequence[str]) -> bool:
        """Tell whether a position string of these fields looks like this game's: who reads it is decided by that."""

    @abstractmethod
    def start(self, options: Options) -> Position:
        """Return the position that `position startpos` means under these options."""

    @abstractmethod
    def parse(self, text: str, options: Options) -> Position:
        """Read a position string.

        Raises:
            PositionError: it cannot be read, or the rules forbid it; the message says what and where.
        """

    @abstractmethod
    def capsule(self) -> object:
        """Return the PyCapsule with the compiled game (`bw_game` of ext/include/game.h)."""

    @cached_property
    def table(self) -> Table:
        """The compiled game, to be asked about any state: what it is worth, whether its results add up to nothing."""
        from blockwit._bridge import Table

        return Table(self.capsule())

    def algorithm(self, position: Position) -> str:
        """Return which of `algorithms` suits a position best: what `auto` takes."""
        return self.algorithms[0]

    def oracle(self, position: Position, folder: str) -> Oracle | None:
        """Return the endgame tables that can matter in a search of `position`, None where there are none.

        Args:
            position: where the search begins.
            folder: where tables lie that were built before; empty for none.

        Raises:
            TableError: a table that cannot be used.
        """
        return None

    def prepare(self, position: Position, folder: str) -> None:  # noqa: B027 - most games have nothing to load
        """Load what `oracle` returns later in a game that begins with `position`, so that it answers at once then.

        Raises:
            TableError: a table that cannot be used.
        """

    def tables(self, folder: str) -> tuple[list[str], list[str]]:
        """Return the names of the endgame tables in a folder, and one line for each that cannot be used.

        Raises:
            TableError: there is no such folder.
        """
        return [], []

    def turn(self, player: int) -> str:
        """Return how the protocol names the player to move."""
        return str(player + 1)

    def read_options(self, values: Options) -> dict[str, OptionValue]:
        """Check `values` and return all options of the game, defaults filled in.

        Raises:
            OptionError: an unknown name or a value out of range.
        """
        specs = {spec.name: spec for spec in self.options}
        for name in values:
            if name not in specs:
                raise OptionError(f"unknown option {quote(name)} of {self.name}, expected one of {', '.join(specs)}")
        return {name: spec.read(values.get(name, spec.default)) for name, spec in specs.items()}
