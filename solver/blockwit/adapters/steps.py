"""A game as what libraries for learning expect: small numbered decisions, one after the other, and vectors.

The steps and vectors of a game are its alphabet (`blockwit.games.alphabet`); this module walks
through a game with them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from blockwit import games
from blockwit.errors import MoveError
from blockwit.games.alphabet import Alphabet, Vector
from blockwit.games.base import Kind, Options, Position

__all__ = ["LONGEST", "Alphabet", "Node", "Vector", "start"]

LONGEST = 2000
"""Moves and chance events after which a game ends with what the players have by then: random play of Deblockle moves
to and fro for thousands of moves."""


class Node:
    """A position and the steps made of its next move. Immutable: `after` and `played` return a new one.

    `count` moves and chance events have come before; at `longest` of them (`LONGEST` unless told) the game is over.
    """

    def __init__(
        self, position: Position, prefix: tuple[int, ...] = (), count: int = 0, longest: int | None = None
    ) -> None:
        self.position = position
        self.prefix = prefix
        self.count = count
        self.longest = LONGEST if longest is None else longest
        self.alphabet = Alphabet.of(position.game).for_position(position)

    @property
    def kind(self) -> Kind:
        """What comes next; a game of `longest` moves is over."""
        return Kind.TERMINAL if self.count >= self.longest else self.position.kind()

    @cached_property
    def outcomes(self) -> list[tuple[str, float]]:
        """What chance can bring here, as tokens with their probabilities."""
        return list(self.position.chances().items())

    def steps(self) -> list[int]:
        """Return the legal steps, ascending; none where nobody decides."""
        return self.alphabet.steps(self.position, self.prefix) if self.kind is Kind.DECISION else []

    def after(self, step: int) -> Self:
        """Return the node after a step. Raises MoveError if it is not legal."""
        if step not in self.steps():
            raise MoveError(f"step {step} is not legal here")
        prefix = (*self.prefix, step)
        token = self.alphabet.token(self.position, prefix)
        if token is None:
            return type(self)(self.position, prefix, self.count, self.longest)
        return self.played(token)

    def played(self, token: str) -> Self:
        """Return the node after a whole move, or a chance event. Raises MoveError."""
        return type(self)(self.position.play(token), (), self.count + 1, self.longest)

    def observe(self, player: int) -> Vector:
        """Return the node as a vector seen by `player`."""
        return self.alphabet.observe(self.position, self.prefix, player)

    def mask(self) -> npt.NDArray[np.int8]:
        """Return a 1 for each legal step."""
        mask = np.zeros(self.alphabet.size, np.int8)
        mask[self.steps()] = 1
        return mask

    def spell(self, token: str) -> tuple[int, ...]:
        """Return the steps of a whole move from here. Raises MoveError."""
        return self.alphabet.spell(self.position, token)

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __str__(self) -> str:
        made = " ".join(map(self.alphabet.label, self.prefix))
        return f"{self.position.fen()} {made}".rstrip()


def start(game_name: str, options: Options, fen: str = "", longest: int | None = None) -> Node:
    """Return the start of a game under rule options, or the position `fen`. Raises BlockwitError."""
    game = games.get(game_name)
    return Node(game.parse(fen, options) if fen else game.start(options), longest=longest)
