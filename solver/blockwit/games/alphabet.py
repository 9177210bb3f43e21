"""The moves of a game spelt in small decisions numbered from 0, and its positions as vectors of numbers.

A move of the protocol is spelt in one or several *steps*. The number of a step means the same throughout a game
(docs/adapters.md lists them), so a network can learn it, and there are few of them: a turn with up to 361,095
drops, each with its claims, is spelt with 471. Steps that have been made of a move are its *prefix*.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from blockwit.games.base import Position
from blockwit.games.facets import Facet

Vector = npt.NDArray[np.float32]


class Alphabet(Facet):
    """The steps of one game, numbered from 0 to `size`.

    Attributes:
        size: how many different steps there are.
        outcomes: the most outcomes that a chance event can have.
        longest: the most steps of one move.
        length: of the vectors of `observe`.
    """

    name = "alphabet"
    noun = "alphabet of steps"

    size: int
    outcomes: int
    longest: int
    length: int

    def for_position(self, position: Position) -> Alphabet:
        """Return the alphabet for games like that of `position`: this one, unless the number of players matters."""
        return self

    @abstractmethod
    def steps(self, position: Position, prefix: Sequence[int]) -> list[int]:
        """Return the steps that can follow `prefix` at a decision, ascending."""

    @abstractmethod
    def token(self, position: Position, prefix: Sequence[int]) -> str | None:
        """Return the move that `prefix` spells, None as long as it is not complete."""

    @abstractmethod
    def spell(self, position: Position, token: str) -> tuple[int, ...]:
        """Return the steps of a legal move. Raises MoveError like `Position.play`."""

    @abstractmethod
    def label(self, step: int) -> str:
        """Return what a step stands for, in a few characters."""

    @abstractmethod
    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return all that decides the future as numbers from -1 to 1, seen by `player`."""

    @abstractmethod
    def bounds(self, position: Position) -> tuple[float, float]:
        """Return the least and the most that a player can end with."""


def one_hot(length: int, hot: Iterable[int]) -> Vector:
    """Return zeros with ones at the places in `hot`."""
    vector = np.zeros(length, np.float32)
    vector[list(hot)] = 1
    return vector


class Spelt(Alphabet):
    """An alphabet in which all legal moves can be spelt out: few enough, none the beginning of another."""

    @abstractmethod
    def legal(self, position: Position) -> list[int]:
        """Return the legal actions of the compiled game at a decision."""

    @abstractmethod
    def write(self, position: Position, action: int) -> tuple[int, ...]:
        """Return the steps of a legal action."""

    # A search or an environment asks about one position several times in a row.
    @lru_cache(maxsize=64)  # noqa: B019  (alphabets live as long as the program)
    def _words(self, position: Position) -> dict[tuple[int, ...], int]:
        return {self.write(position, action): action for action in self.legal(position)}

    def steps(self, position: Position, prefix: Sequence[int]) -> list[int]:
        """Return the steps that can follow."""
        made, count = tuple(prefix), len(prefix)
        return sorted({word[count] for word in self._words(position) if word[:count] == made})

    def token(self, position: Position, prefix: Sequence[int]) -> str | None:
        """Return the move spelt."""
        action = self._words(position).get(tuple(prefix))
        return None if action is None else position.line([action])[0]

    def spell(self, position: Position, token: str) -> tuple[int, ...]:
        """Return the steps of a move."""
        return self.write(position, position.actions(token)[0])
