"""What tic-tac-toe brings beside its rules: its moves in steps, and in words."""

from __future__ import annotations

from collections.abc import Sequence

from blockwit.games.alphabet import Spelt, Vector, one_hot
from blockwit.games.base import Position
from blockwit.games.facets import View

from . import TicTacToePosition


class TicTacToeAlphabet(Spelt):
    """A step is a square."""

    size = 9
    outcomes = 1
    longest = 1
    length = 28

    def legal(self, position: Position) -> list[int]:
        """Return the empty squares."""
        assert isinstance(position, TicTacToePosition)
        return position.table.actions(position.raw())

    def write(self, position: Position, action: int) -> tuple[int, ...]:
        """Return the square."""
        return (action,)

    def label(self, step: int) -> str:
        """Return the name of the square."""
        return f"{'abc'[step % 3]}{3 - step // 3}"

    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return what stands on each square, and who moves."""
        squares = position.raw()[:9]
        hot = [3 * index + mark for index, mark in enumerate(squares)]
        return one_hot(28, [*hot, 27] if position.player() else hot)

    def bounds(self, position: Position) -> tuple[float, float]:
        """Return loss and win."""
        return -1, 1


class TicTacToeView(View):
    """The rows are in the state already."""

    def words(self, before: Position, token: str) -> str:
        """Return a move in words."""
        before.actions(token)
        return f"{before.game.players[before.player()]} takes {token}"


ALPHABET = TicTacToeAlphabet()
VIEW = TicTacToeView()
