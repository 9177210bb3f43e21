"""Deblockle in steps: each move is one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blockwit import _deblockle
from blockwit.games.alphabet import Spelt, Vector, one_hot
from blockwit.games.base import Position
from blockwit.games.deblockle import position as deblockle


class DeblockleAlphabet(Spelt):
    """A move is one step: origin, direction of the tip, final square; a placement: square, orientation."""

    SQUARES = 49
    DIRECTIONS = (8, 1, -8, -1)  # north, east, south, west, as differences of compiled squares
    FINALS = SQUARES + 1  # the last one: the block stays on its tip square or exits there
    PLACE = SQUARES * 4 * FINALS
    PASS = PLACE + SQUARES * 24

    size = PASS + 1
    outcomes = 126
    longest = 1
    length = 2 * SQUARES * 18 + 6 + 3 + 2 + 3

    @staticmethod
    def _index(square: int) -> int:
        return square // 8 * 7 + square % 8

    def bounds(self, position: Position) -> tuple[float, float]:
        """Return loss and win."""
        return -1, 1

    def legal(self, position: Position) -> list[int]:
        """Return the legal moves or placements."""
        assert isinstance(position, deblockle.DeblocklePosition)
        return position.core.actions()

    def write(self, position: Position, action: int) -> tuple[int, ...]:
        """Return the step of a legal move."""
        assert isinstance(position, deblockle.DeblocklePosition)
        origin = self._index(action & 63)
        if position.is_setup():
            return (self.PLACE + origin * 24 + (action >> 6 & 31),)
        if deblockle.move_token(action) == "0000":
            return (self.PASS,)
        tip, final = action >> 6 & 63, action >> 12 & 63
        direction = self.DIRECTIONS.index(tip - (action & 63))
        last = self._index(final) if final != tip else self.SQUARES
        return ((origin * 4 + direction) * self.FINALS + last,)

    @staticmethod
    def _square(index: int) -> str:
        return "abcdefg"[index % 7] + str(index // 7 + 1)

    def label(self, step: int) -> str:
        """Return the move itself."""
        if step == self.PASS:
            return "0000"
        if step >= self.PLACE:
            square, orientation = divmod(step - self.PLACE, 24)
            return self._square(square) + _deblockle.ORIENTATION_NAMES[orientation]
        way, final = divmod(step, self.FINALS)
        origin, direction = divmod(way, 4)
        tip = deblockle.square_index(self._square(origin)) + self.DIRECTIONS[direction]
        last = self._square(final) if final < self.SQUARES else ""
        return self._square(origin) + deblockle.square_name(tip) + last

    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return the three visible faces of each block by side and square, what is to be placed, who acts."""
        assert isinstance(position, deblockle.DeblocklePosition)
        state = position.core
        faces = np.zeros((2, self.SQUARES, 3, 6), np.float32)
        for side in (0, 1):
            for square, orientation in state.blocks(side):
                for i, face in enumerate(_deblockle.ORIENTATION_NAMES[orientation]):
                    faces[side, self._index(square), i, deblockle.FACES.index(face)] = 1
        unplaced = np.array(state.unplaced, np.float32) / 4
        occurrences = one_hot(3, (min(position.occurrences, 3) - 1,))
        return np.concatenate(
            [faces.ravel(), unplaced, one_hot(3, (state.phase,)), one_hot(2, (state.side,)), occurrences]
        )


ALPHABET = DeblockleAlphabet()
