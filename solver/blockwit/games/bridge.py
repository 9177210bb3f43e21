"""A position of any compiled game, for games that need nothing of their own between the table and the words.

A subclass says how actions are written and how a position is written and drawn; all else comes from the compiled game
(`bw_game` of ext/include/game.h) through `blockwit._bridge`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from blockwit._bridge import Table
from blockwit.errors import MoveError, quote
from blockwit.games.base import Kind, Position


class CompiledPosition(Position):
    """A state of a compiled game, and the keys of the states before it that can still recur.

    Args:
        raw: the state.
        past: keys of earlier states, oldest first; only read where the game draws by repetition.
    """

    table: ClassVar[Table]

    def __init__(self, raw: bytes, past: tuple[int, ...] = ()) -> None:
        self._raw = raw
        self._past = past

    @abstractmethod
    def write(self, action: int) -> str:
        """Return an action, or an outcome of chance, as a token."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (self._raw, self._past) == (other._raw, other._past)

    def __hash__(self) -> int:
        return hash((self._raw, self._past))

    def __repr__(self) -> str:
        return f"<{self.game.title} {self.fen()}>"

    @cached_property
    def _words(self) -> dict[str, int]:
        """The legal tokens with their actions, in the game's order."""
        if self.kind() is Kind.TERMINAL:
            return {}
        return {self.write(action): action for action in self.table.actions(self._raw)}

    @cached_property
    def occurrences(self) -> int:
        """How many times this state has come up, this one included; 1 where repetition does not matter."""
        if not self.table.repetition(self._raw):
            return 1
        return 1 + self._past.count(self.table.key(self._raw))

    @cached_property
    def _kind(self) -> Kind:
        draws = self.table.repetition(self._raw)
        return Kind.TERMINAL if draws and self.occurrences >= draws else Kind(self.table.kind(self._raw))

    def kind(self) -> Kind:
        """Tell what comes next."""
        return self._kind

    def player(self) -> int:
        """Return the index of the player to move."""
        return self.table.player(self._raw)

    def count(self) -> int:
        """Return the number of legal moves, or of outcomes."""
        return len(self._words)

    def tokens(self, start: int = 0, count: int | None = None) -> list[str]:
        """Return the legal moves, or outcomes."""
        return list(self._words)[start : None if count is None else start + count]

    def chances(self) -> dict[str, float]:
        """Return the outcomes with their probabilities."""
        return {self.write(action): chance for action, chance in self.table.outcomes(self._raw)}

    def play(self, token: str) -> Self:
        """Return the position after a move or outcome. Raises MoveError."""
        (action,) = self.actions(token)
        past = (*self._past, self.table.key(self._raw)) if self.table.repetition(self._raw) else ()
        return type(self)(self.table.play(self._raw, action), past)

    def actions(self, token: str) -> tuple[int, ...]:
        """Return the action behind a legal token. Raises MoveError."""
        if self._kind is Kind.TERMINAL:
            raise MoveError(f"{quote(token)}: the game is over ({self.result()})")
        if token not in self._words:
            raise MoveError(f"{quote(token)} is not legal here, expected one of {quote(' '.join(self._words))}")
        return (self._words[token],)

    def roll(self, seed: int) -> str:
        """Return an outcome drawn from `seed`. Raises MoveError where chance has no part."""
        if self._kind is not Kind.CHANCE:
            raise MoveError("nothing is left to chance here")
        return self.write(self.table.sample(self._raw, seed % 2**64))

    def returns(self) -> tuple[float, ...]:
        """Return each player's result, zeros while the game goes on."""
        if self.table.kind(self._raw) == Kind.TERMINAL:
            return self.table.returns(self._raw)
        return (0.0,) * self.table.players(self._raw)

    def evaluate(self) -> tuple[float, ...]:
        """Return the static evaluation for each player."""
        return self.table.evaluate(self._raw)

    def state(self) -> dict[str, Any]:
        """Return what every game has, ready for JSON; a subclass adds its board."""
        return {
            "game": self.game.name,
            "fen": self.fen(),
            "kind": self._kind.name.lower(),
            "turn": self.game.turn(self.player()),
            "legal": self.tokens() if self._kind is Kind.DECISION else [],
            "result": self.result(),
            "returns": list(self.returns()),
        }

    def raw(self) -> bytes:
        """Return the compiled state."""
        return self._raw

    def history(self) -> Sequence[int]:
        """Return the keys of the states before this one."""
        return self._past

    def line(self, actions: Sequence[int]) -> list[str]:
        """Return a line of actions as tokens."""
        return [self.write(action) for action in actions]

    def perft(self, depth: int, stop: bytearray | None = None) -> int:
        """Count the sequences of `depth` plies by the compiled rules alone; `stop[0] = 1` ends it early."""
        return self.table.perft(self._raw, depth, stop)
