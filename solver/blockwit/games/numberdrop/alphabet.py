"""Number Drop in steps: a drop is a place and four digits, a claim its box and its cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from blockwit import _numberdrop
from blockwit._bridge import UNIT
from blockwit.errors import MoveError
from blockwit.games.alphabet import Alphabet, Vector, one_hot
from blockwit.games.base import Position
from blockwit.games.numberdrop import position as numberdrop


class NumberDropAlphabet(Alphabet):
    """A drop is a place and its four digits; a claim its box and its cells, from the lowest row up."""

    WRITE = 0
    SLIDE = WRITE + 7
    BLOCK = SLIDE + 5  # orientation * 7 + column
    BLOCK_SKIP = BLOCK + 56
    DROP = BLOCK_SKIP + 1  # (shape * 8 + orientation) * 7 + column
    DROP_SKIP = DROP + 280
    DIGIT = DROP_SKIP + 1
    NO_CLAIM = DIGIT + 10
    CLAIM = NO_CLAIM + 1  # kind * 6 + size - 3
    CELL = CLAIM + 12

    size = CELL + 98
    outcomes = 6006
    """1,001 multisets of four faces, 6 faces of the shape die."""
    longest = 1 + 4 + 1 + 8

    SHEET = 98 * 12 + 12 + 5

    def __init__(self, players: int) -> None:
        self.players = players
        self.length = players * self.SHEET + 5 * (11 + 1 + 1) + 8 + 6 + 6 + 6 + 1 + 11 + 7 + self.size + 40

    def for_position(self, position: Position) -> Alphabet:
        """Return the alphabet for as many players; the vectors are longer with more of them."""
        return _for_players(len(position.returns()))

    # --- spelling ------------------------------------------------------------------------------------------

    def spell(self, position: Position, token: str) -> tuple[int, ...]:
        """Return the steps of a move."""
        actions = position.actions(token)
        if len(actions) == 1:
            return (self._single(actions[0]),)
        drop, claim = actions
        if token.startswith("skip"):
            return (self.DROP_SKIP, *self._claim_steps(claim))
        digits = (self.DIGIT + (drop >> (16 + 4 * i) & 15) for i in range(4))
        return (self._place(drop), *digits, *self._claim_steps(claim))

    def _single(self, action: int) -> int:
        head, _, rest = numberdrop.action_token(action).partition(":")
        if head == "write":
            return self.WRITE + numberdrop.COLUMNS.index(rest[0])
        if head == "slide":
            return self.SLIDE + numberdrop.LETTERS.index(rest)
        if rest == "skip":
            return self.BLOCK_SKIP
        return self.BLOCK + (action >> 7 & 7) * 7 + (action >> 10 & 7)

    def _place(self, drop: int) -> int:
        return self.DROP + ((drop >> 3 & 15) * 8 + (drop >> 7 & 7)) * 7 + (drop >> 10 & 7)

    def _claim_steps(self, claim: int) -> tuple[int, ...]:
        size = claim >> 4 & 15
        if not size:
            return (self.NO_CLAIM,)
        cells = sorted(claim >> (8 + 7 * i) & 127 for i in range(size))
        return (
            self.CLAIM + (claim >> 3 & 1) * 6 + size - 3,
            *(self.CELL + cell // 8 * 7 + cell % 8 for cell in cells),
        )

    @lru_cache(maxsize=64)  # noqa: B019  (alphabets live as long as the program)
    def _claims(self, dropped: bytes) -> dict[tuple[int, ...], int]:
        claims = _numberdrop.list_range(dropped, 0, _numberdrop.count_actions(dropped))
        return {self._claim_steps(claim): claim for claim in claims}

    def _drop(self, position: Position, prefix: Sequence[int]) -> tuple[int, Sequence[int]] | None:
        """Return the drop at the beginning of `prefix` and the steps after it, None if it is not complete."""
        if not prefix:
            return None
        if prefix[0] == self.DROP_SKIP:
            return position.actions("skip")[0], prefix[1:]
        if len(prefix) < 5:
            return None
        for place in _numberdrop.list_places(position.raw()):
            if self._place(place) == prefix[0]:
                for i, step in enumerate(prefix[1:5]):
                    place |= (step - self.DIGIT) << (16 + 4 * i)
                return place, prefix[5:]
        raise MoveError(f"{self.label(prefix[0])} is no place for the shape")

    def steps(self, position: Position, prefix: Sequence[int]) -> list[int]:
        """Return the steps that can follow."""
        assert isinstance(position, numberdrop.NumberDropPosition)
        raw = position.raw()
        if position.phase != numberdrop.DROP:
            return sorted(map(self._single, _numberdrop.list_range(raw, 0, _numberdrop.count_actions(raw))))
        if not prefix:
            return sorted(map(self._place, _numberdrop.list_places(raw))) or [self.DROP_SKIP]
        dropped = self._drop(position, prefix)
        if dropped is None:
            return [self.DIGIT + digit for digit in self._digits(position, prefix[1:])]
        drop, made = dropped
        words = self._claims(_numberdrop.play(raw, drop))
        return sorted({word[len(made)] for word in words if word[: len(made)] == tuple(made)})

    def _digits(self, position: numberdrop.NumberDropPosition, made: Sequence[int]) -> list[int]:
        """Return the digits that the dice still offer: each taken from a die that shows it before a star is used."""
        left = list(position.parts[8])
        for step in made:
            digit = step - self.DIGIT
            left.remove(digit if digit in left else numberdrop.STAR)
        return list(range(10)) if numberdrop.STAR in left else sorted(set(left))

    def token(self, position: Position, prefix: Sequence[int]) -> str | None:
        """Return the move spelt."""
        assert isinstance(position, numberdrop.NumberDropPosition)
        raw = position.raw()
        if position.phase != numberdrop.DROP:
            actions = {
                self._single(action): action
                for action in _numberdrop.list_range(raw, 0, _numberdrop.count_actions(raw))
            }
            return numberdrop.action_token(actions[prefix[0]]) if prefix else None
        dropped = self._drop(position, prefix)
        if dropped is None:
            return None
        drop, made = dropped
        claim = self._claims(_numberdrop.play(raw, drop)).get(tuple(made))
        return None if claim is None else position.line([drop, claim])[0]

    def label(self, step: int) -> str:
        """Return the part of a move that the step stands for."""
        if step < self.SLIDE:
            return f"write:{numberdrop.COLUMNS[step]}1"
        if step < self.BLOCK:
            return f"slide:{numberdrop.LETTERS[step - self.SLIDE]}"
        if step < self.BLOCK_SKIP:
            orientation, column = divmod(step - self.BLOCK, 7)
            return f"x:r{orientation}@{column + 1}"
        if step < self.DROP:
            return "x:skip"
        if step < self.DROP_SKIP:
            turned, column = divmod(step - self.DROP, 7)
            return f"{numberdrop.SHAPES[turned // 8]}{turned % 8}@{column + 1}"
        if step < self.DIGIT:
            return "skip"
        if step < self.NO_CLAIM:
            return str(step - self.DIGIT)
        if step < self.CLAIM:
            return "-"
        if step < self.CELL:
            kind, size = divmod(step - self.CLAIM, 6)
            return f"+{'IS'[kind]}{size + 3}"
        row, column = divmod(step - self.CELL, 7)
        return f"{numberdrop.COLUMNS[column]}{row + 1}"

    def bounds(self, position: Position) -> tuple[float, float]:
        """Return the points that no sheet can leave."""
        limits = [_numberdrop.limits(position.raw(), player) for player in range(self.players)]
        return min(low for low, _ in limits) / UNIT, max(high for _, high in limits) / UNIT

    # --- vectors -------------------------------------------------------------------------------------------

    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return the sheets from `player` on, the letters, the phase, who acts, the dice, the steps made."""
        assert isinstance(position, numberdrop.NumberDropPosition)
        tiles, notches, crossed, phase, active, turn, fired, slides, numbers, shape, sheets = position.parts
        none = 10  # no piece: one past the pieces
        parts = [self._sheet(*sheets[(player + i) % self.players]) for i in range(self.players)]
        for i in range(5):
            parts.append(one_hot(11, (min(tiles[i], none),)))
            parts.append(np.array([notches[i] / 4 if position.solo else 0, crossed >> i & 1], np.float32))
        parts.append(one_hot(8, (phase,)))
        parts += [one_hot(6, ((seat - player) % self.players,)) for seat in (active, turn)]
        parts.append(one_hot(6, (min(fired, 5),)))
        rolled = phase in (numberdrop.SLIDE, numberdrop.BLOCK, numberdrop.DROP)
        dice = np.zeros(1 + 11 + 7, np.float32)
        dice[0] = slides / 2
        if rolled:
            for number in numbers:
                dice[1 + number] += 0.25
        dice[12 + (shape if rolled else 6)] = 1
        digits = [step - self.DIGIT for step in prefix[1:5] if self.DIGIT <= step < self.NO_CLAIM]
        parts += [dice, one_hot(self.size, prefix), one_hot(40, (10 * i + digit for i, digit in enumerate(digits)))]
        return np.concatenate(parts)

    @staticmethod
    def _sheet(cells: bytes, groups: bytes, circled: int) -> Vector:
        marks = np.zeros((98, 12), np.float32)
        for i, cell in enumerate(cells):
            if cell <= numberdrop.STAR:
                marks[i, cell] = 1
        claimed = np.frombuffer(groups, np.uint8)
        marks[:, 11] = claimed > 0
        boxes = one_hot(12, set(groups))
        letters = np.array([circled >> i & 1 for i in range(5)], np.float32)
        return np.concatenate([marks.ravel(), boxes, letters])


_for_players = lru_cache(NumberDropAlphabet)
ALPHABET = _for_players(1)
