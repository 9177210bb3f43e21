"""NMBR 9 in steps: a placement is a rotation, a column and a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blockwit import _nmbr9
from blockwit.games.alphabet import Spelt, Vector, one_hot
from blockwit.games.base import Position
from blockwit.games.nmbr9 import position as nmbr9


class Nmbr9Alphabet(Spelt):
    """A placement is rotation, column and row, with a free deck the digit before them; the level follows.

    Columns and rows count from the first tile: 19 more tiles, none longer than 4, stay within 80 of it.
    """

    REACH = 80
    ROTATION = 10
    COLUMN = ROTATION + 4
    ROW = COLUMN + 2 * REACH + 1

    size = ROW + 2 * REACH + 1
    outcomes = 10
    longest = 4
    length = 20 * 18 + 3 + 1 + 10 + 10 + 20 * 10 + size

    @staticmethod
    def _origin(position: Position) -> tuple[int, int]:
        assert isinstance(position, nmbr9.Nmbr9Position)
        return (position.tiles[0].x, position.tiles[0].y) if position.tiles else (0, 0)

    def bounds(self, position: Position) -> tuple[float, float]:
        """Return the points so far, and a rough bound."""
        return _nmbr9.bounds(position.raw())

    def legal(self, position: Position) -> list[int]:
        """Return the legal placements."""
        return _nmbr9.actions(position.raw())

    def write(self, position: Position, action: int) -> tuple[int, ...]:
        """Return the steps of a legal placement."""
        assert isinstance(position, nmbr9.Nmbr9Position)
        tile = nmbr9.Tile(*_nmbr9.decode_action(action))
        left, low = self._origin(position)
        digit = (tile.digit,) if position.mode == nmbr9.FREE else ()
        column, row = tile.x - left + self.REACH, tile.y - low + self.REACH
        return (*digit, self.ROTATION + tile.rotation, self.COLUMN + column, self.ROW + row)

    def label(self, step: int) -> str:
        """Return digit, rotation, column or row."""
        if step < self.ROTATION:
            return str(step)
        if step < self.COLUMN:
            return "abcd"[step - self.ROTATION]
        if step < self.ROW:
            return f"x{step - self.COLUMN - self.REACH:+d}"
        return f"y{step - self.ROW - self.REACH:+d}"

    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return the tiles in playing order, what is in hand and to come, the steps made."""
        assert isinstance(position, nmbr9.Nmbr9Position)
        left, low = self._origin(position)
        placed = np.zeros((20, 18), np.float32)
        for row, tile in zip(placed, position.tiles, strict=False):
            row[[tile.digit, 10 + tile.rotation]] = 1
            row[14:] = (tile.x - left) / self.REACH, (tile.y - low) / self.REACH, tile.level / 20, 1
        mode, deck, cards, hand = _nmbr9.coming(position.raw())
        coming = np.bincount(np.array(deck, np.int64), minlength=10).astype(np.float32) / 2
        order = np.zeros((20, 10), np.float32)
        if mode == nmbr9.KNOWN:
            order[range(len(deck)), deck] = 1
        return np.concatenate(
            [
                placed.ravel(),
                one_hot(3, (mode,)),
                np.array([cards / 20], np.float32),
                one_hot(10, () if hand < 0 else (hand,)),
                coming,
                order.ravel(),
                one_hot(self.size, prefix),
            ]
        )


ALPHABET = Nmbr9Alphabet()
