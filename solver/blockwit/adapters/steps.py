"""The games as small decisions numbered from 0, and as vectors of numbers: what libraries for learning expect.

A move of the protocol is spelt in one or several *steps*. The number of a step means the same throughout a game
(docs/adapters.md lists them), so a network can learn it, and there are few of them: a turn of Number Drop with up to
361,095 drops, each with its claims, is spelt with 471. Steps that have been made of a move are its *prefix*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from blockwit import _deblockle, _nmbr9, games
from blockwit import _numberdrop as core
from blockwit.errors import MoveError
from blockwit.games.base import Kind, Options, Position
from blockwit.games.deblockle import position as deblockle
from blockwit.games.nmbr9 import position as nmbr9
from blockwit.games.numberdrop import position as numberdrop

Vector = npt.NDArray[np.float32]

LONGEST = 2000
"""Moves and chance events after which a game ends with what the players have by then: random play of Deblockle moves
to and fro for thousands of moves."""


class Alphabet(ABC):
    """The steps of one game, numbered from 0 to `size`.

    Attributes:
        size: how many different steps there are.
        outcomes: the most outcomes that a chance event can have.
        longest: the most steps of one move.
        length: of the vectors of `observe`.
    """

    size: int
    outcomes: int
    longest: int
    length: int

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
    def name(self, step: int) -> str:
        """Return what a step stands for, in a few characters."""

    @abstractmethod
    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return all that decides the future as numbers from -1 to 1, seen by `player`."""

    @abstractmethod
    def bounds(self, position: Position) -> tuple[float, float]:
        """Return the least and the most that a player can end with."""


def _one_hot(length: int, hot: Iterable[int]) -> Vector:
    """Return zeros with ones at the places in `hot`."""
    vector = np.zeros(length, np.float32)
    vector[list(hot)] = 1
    return vector


class _Spelt(Alphabet):
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


class _Deblockle(_Spelt):
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

    def name(self, step: int) -> str:
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
        occurrences = _one_hot(3, (min(position.occurrences, 3) - 1,))
        return np.concatenate(
            [faces.ravel(), unplaced, _one_hot(3, (state.phase,)), _one_hot(2, (state.side,)), occurrences]
        )


class _NumberDrop(Alphabet):
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
        claims = core.list_range(dropped, 0, core.count_actions(dropped))
        return {self._claim_steps(claim): claim for claim in claims}

    def _drop(self, position: Position, prefix: Sequence[int]) -> tuple[int, Sequence[int]] | None:
        """Return the drop at the beginning of `prefix` and the steps after it, None if it is not complete."""
        if not prefix:
            return None
        if prefix[0] == self.DROP_SKIP:
            return position.actions("skip")[0], prefix[1:]
        if len(prefix) < 5:
            return None
        for place in core.list_places(position.raw()):
            if self._place(place) == prefix[0]:
                for i, step in enumerate(prefix[1:5]):
                    place |= (step - self.DIGIT) << (16 + 4 * i)
                return place, prefix[5:]
        raise MoveError(f"{self.name(prefix[0])} is no place for the shape")

    def steps(self, position: Position, prefix: Sequence[int]) -> list[int]:
        """Return the steps that can follow."""
        assert isinstance(position, numberdrop.NumberDropPosition)
        raw = position.raw()
        if position.phase != numberdrop.DROP:
            return sorted(self._single(action) for action in core.list_range(raw, 0, core.count_actions(raw)))
        if not prefix:
            return sorted(map(self._place, core.list_places(raw))) or [self.DROP_SKIP]
        dropped = self._drop(position, prefix)
        if dropped is None:
            return [self.DIGIT + digit for digit in self._digits(position, prefix[1:])]
        drop, made = dropped
        words = self._claims(core.play(raw, drop))
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
            actions = {self._single(action): action for action in core.list_range(raw, 0, core.count_actions(raw))}
            return numberdrop.action_token(actions[prefix[0]]) if prefix else None
        dropped = self._drop(position, prefix)
        if dropped is None:
            return None
        drop, made = dropped
        claim = self._claims(core.play(raw, drop)).get(tuple(made))
        return None if claim is None else position.line([drop, claim])[0]

    def name(self, step: int) -> str:
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
        limits = [core.limits(position.raw(), player) for player in range(self.players)]
        return min(low for low, _ in limits) / numberdrop.UNIT, max(high for _, high in limits) / numberdrop.UNIT

    # --- vectors -------------------------------------------------------------------------------------------

    def observe(self, position: Position, prefix: Sequence[int], player: int) -> Vector:
        """Return the sheets from `player` on, the letters, the phase, who acts, the dice, the steps made."""
        assert isinstance(position, numberdrop.NumberDropPosition)
        tiles, notches, crossed, phase, active, turn, fired, slides, numbers, shape, sheets = position.parts
        none = 10  # no piece: one past the pieces
        parts = [self._sheet(*sheets[(player + i) % self.players]) for i in range(self.players)]
        for i in range(5):
            parts.append(_one_hot(11, (min(tiles[i], none),)))
            parts.append(np.array([notches[i] / 4 if position.solo else 0, crossed >> i & 1], np.float32))
        parts.append(_one_hot(8, (phase,)))
        parts += [_one_hot(6, ((seat - player) % self.players,)) for seat in (active, turn)]
        parts.append(_one_hot(6, (min(fired, 5),)))
        rolled = phase in (numberdrop.SLIDE, numberdrop.BLOCK, numberdrop.DROP)
        dice = np.zeros(1 + 11 + 7, np.float32)
        dice[0] = slides / 2
        if rolled:
            for number in numbers:
                dice[1 + number] += 0.25
        dice[12 + (shape if rolled else 6)] = 1
        digits = [step - self.DIGIT for step in prefix[1:5] if self.DIGIT <= step < self.NO_CLAIM]
        parts += [dice, _one_hot(self.size, prefix), _one_hot(40, (10 * i + digit for i, digit in enumerate(digits)))]
        return np.concatenate(parts)

    @staticmethod
    def _sheet(cells: bytes, groups: bytes, circled: int) -> Vector:
        marks = np.zeros((98, 12), np.float32)
        for i, cell in enumerate(cells):
            if cell <= numberdrop.STAR:
                marks[i, cell] = 1
        claimed = np.frombuffer(groups, np.uint8)
        marks[:, 11] = claimed > 0
        boxes = _one_hot(12, set(groups))
        letters = np.array([circled >> i & 1 for i in range(5)], np.float32)
        return np.concatenate([marks.ravel(), boxes, letters])


class _Nmbr9(_Spelt):
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

    def name(self, step: int) -> str:
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
                _one_hot(3, (mode,)),
                np.array([cards / 20], np.float32),
                _one_hot(10, () if hand < 0 else (hand,)),
                coming,
                order.ravel(),
                _one_hot(self.size, prefix),
            ]
        )


def alphabet_of(position: Position) -> Alphabet:
    """Return the steps of the game of `position`."""
    if isinstance(position, numberdrop.NumberDropPosition):
        return _number_drop(len(position.returns()))
    return _DEBLOCKLE if isinstance(position, deblockle.DeblocklePosition) else _NMBR9


_DEBLOCKLE = _Deblockle()
_NMBR9 = _Nmbr9()
_number_drop = lru_cache(_NumberDrop)


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
        self.alphabet = alphabet_of(position)

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
        made = " ".join(map(self.alphabet.name, self.prefix))
        return f"{self.position.fen()} {made}".rstrip()


def start(game_name: str, options: Options, fen: str = "", longest: int | None = None) -> Node:
    """Return the start of a game under rule options, or the position `fen`. Raises BlockwitError."""
    game = games.get(game_name)
    return Node(game.parse(fen, options) if fen else game.start(options), longest=longest)
