"""NMBR 9 from Python: notation, positions, drawing, and the reason why a placement is illegal.

The rules are compiled (`blockwit._nmbr9`); this module gives them words. Coordinates are those of the lower
left corner of a tile's bounding box, columns to the right and rows upward, in unit squares; level 0 is the
table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from blockwit import _nmbr9
from blockwit.errors import MoveError, OptionError, PositionError, quote
from blockwit.games.base import Game, Kind, Options, OptionSpec, Position
from blockwit.games.nmbr9 import drawing as nmbr9_svg

SHAPES = _nmbr9.shapes()
"""SHAPES[digit][rotation]: the cells (x, y) of a tile, lower left corner of its bounding box at (0, 0)."""

COPIES = 2
TILES = 20
LEVELS = 10
FAR = 10_000
"""Largest column and row of the first tile."""
REACH = 80
"""How far from the first tile another can lie: the others reach at most 19 times 4 squares."""
MODES = "KFU"
KNOWN, FREE, UNKNOWN = range(3)

# Headings of docs/rules/nmbr9.md, as anchors.
_CARDS_RULE, _PLACING_RULE = "cards", "placing"

_MOVE = re.compile(r"([0-9])([a-d])@(-?[0-9]{1,5}),(-?[0-9]{1,5}),([0-9])")
_DECK = re.compile(r"(?:(?P<hand>[0-9])?(?P<mark>[*?]))?(?P<digits>[0-9]*)(?:/(?P<left>[0-9]{1,2}))?")


class Tile(NamedTuple):
    """A placed tile: digit, quarter turns clockwise, lower left corner, level."""

    digit: int
    rotation: int
    x: int
    y: int
    level: int

    def cells(self) -> tuple[tuple[int, int], ...]:
        """Return the squares that the tile covers on its level."""
        return tuple((self.x + dx, self.y + dy) for dx, dy in SHAPES[self.digit][self.rotation])

    def __str__(self) -> str:
        return f"{self.digit}{'abcd'[self.rotation]}@{self.x},{self.y},{self.level}"


def read_tile(token: str) -> Tile:
    """Read a placement such as `7b@3,-4,2`. A half turn of 0 or 8 is the same tile: `c` reads as `a`.

    Raises:
        MoveError: it is not of that form, or lies too far out.
    """
    match = _MOVE.fullmatch(token)
    if match is None:
        raise MoveError(
            f"{quote(token)} is not a placement, expected digit, rotation a-d, @column,row,level as in 7b@3,-4,2"
        )
    digit = int(match[1])
    rotation = "abcd".index(match[2]) % len(SHAPES[digit])
    x, y = int(match[3]), int(match[4])
    most = FAR + REACH
    if max(abs(x), abs(y)) > most:
        raise MoveError(f"{quote(token)} lies too far out, expected columns and rows from -{most} to {most}")
    return Tile(digit, rotation, x, y, int(match[5]))


def _near(tile: Tile) -> set[tuple[int, int]]:
    own = set(tile.cells())
    return {(x + dx, y + dy) for x, y in own for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))} - own


def explain(tile: Tile, placed: Sequence[Tile], later: Iterable[Tile] = ()) -> str | None:
    """Say which rule of building `tile` breaks on top of `placed`, or None if it breaks none.

    `later` are tiles that come after it in the same list: when they would make it legal, the order is what is
    wrong, and the message says so. This is the plain wording of the rules; the compiled rules decide.
    """
    if not placed:
        if max(abs(tile.x), abs(tile.y)) > FAR:
            return f"the first tile lies too far out, expected columns and rows from -{FAR} to {FAR}"
        return None if tile.level == 0 else f"overhang: level {tile.level - 1} under it is empty"
    own = [t for t in placed if t.level == tile.level]
    cells = set(tile.cells())
    for other in own:
        shared = sorted(cells & set(other.cells()))
        if shared:
            return f"overlap: it shares the square {shared[0][0]},{shared[0][1]} with {other}"
    if tile.level > 0:
        below = [t for t in placed if t.level == tile.level - 1]
        covered = {cell for t in below for cell in t.cells()}
        missing = sorted(cells - covered)
        future = [t for t in later if t.level == tile.level - 1]
        if missing:
            hole = f"nothing lies beneath its square {missing[0][0]},{missing[0][1]} on level {tile.level - 1}"
            if set(missing) <= {cell for t in future for cell in t.cells()}:
                return f"wrong order: {hole} until later tiles are placed"
            return f"overhang: {hole}"
        carriers = [t for t in below if cells & set(t.cells())]
        if len(carriers) < 2:
            return f"single-tile support: it rests on {carriers[0]} alone, expected two different tiles"
    if own and not any(_near(tile) & set(t.cells()) for t in own):
        level = [t for t in later if t.level == tile.level]
        if any(_near(tile) & set(t.cells()) for t in level):
            return f"wrong order: it touches no tile of level {tile.level} until later tiles are placed"
        return f"cut: it is not adjacent to any tile of level {tile.level}, expected an edge shared with one of them"
    return None


@dataclass(frozen=True)
class Nmbr9Position(Position):
    """One stack and what is still to come; `_raw` is the compiled state."""

    game: ClassVar[Game]
    _raw: bytes

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """The placed tiles in playing order."""
        return tuple(Tile(*item) for item in _nmbr9.placed(self._raw))

    @property
    def mode(self) -> int:
        """One of KNOWN, FREE, UNKNOWN."""
        return _nmbr9.coming(self._raw)[0]

    @property
    def deck(self) -> tuple[int, ...]:
        """The digits to come: in order when known, else the pool, sorted."""
        return _nmbr9.coming(self._raw)[1]

    @property
    def left(self) -> int:
        """Cards still to be played, the one in hand included."""
        return _nmbr9.coming(self._raw)[2]

    @property
    def hand(self) -> int | None:
        """The digit drawn and not yet placed."""
        hand = _nmbr9.coming(self._raw)[3]
        return None if hand < 0 else hand

    @property
    def score(self) -> int:
        """Points so far: the sum of level times digit."""
        return _nmbr9.score(self._raw)

    def fen(self) -> str:
        """Return `<placed> <deck>`."""
        mode, deck, left, hand = _nmbr9.coming(self._raw)
        placed = ",".join(str(tile) for tile in self.tiles) or "-"
        digits = "".join(map(str, deck))
        if mode == KNOWN:
            return f"{placed} {digits or '-'}"
        if mode == FREE:
            return f"{placed} *{digits}/{left}"
        held = "" if hand < 0 else str(hand)
        cut = "" if left == len(deck) + len(held) else f"/{left}"
        return f"{placed} {held}?{digits}{cut}"

    def kind(self) -> Kind:
        """Return what comes next: a placement, a card to be drawn, or nothing."""
        return Kind(_nmbr9.kind(self._raw))

    def player(self) -> int:
        """Return 0: everyone builds alone."""
        return 0

    def count(self) -> int:
        """Return the number of placements, or of digits that may be drawn."""
        return _nmbr9.count(self._raw)

    def tokens(self, start: int = 0, count: int | None = None) -> list[str]:
        """Return placements or draws number `start` to `start + count`."""
        stop = None if count is None else start + count
        return [_token(action) for action in _nmbr9.actions(self._raw)[start:stop]]

    def chances(self) -> dict[str, float]:
        """Return the cards that may be drawn with their probabilities."""
        if self.kind() is not Kind.CHANCE:
            return {}
        return {f"draw:{digit}": count / len(self.deck) for digit, count in sorted(Counter(self.deck).items())}

    def play(self, token: str) -> Nmbr9Position:
        """Return the position after a placement or a drawn card. Raises MoveError."""
        (action,) = self.actions(token)
        return Nmbr9Position(_nmbr9.play(self._raw, action))

    def actions(self, token: str) -> tuple[int, ...]:
        """Return the one action behind a legal token. Raises MoveError, naming the broken rule."""
        mode, deck, left, hand = _nmbr9.coming(self._raw)
        if left == 0:
            raise MoveError(f"{quote(token)}: the game is over, no card is left", _CARDS_RULE)
        if token.startswith("draw:"):
            if mode != UNKNOWN or hand >= 0:
                raise MoveError(f"{quote(token)}: no card is drawn here, expected a placement", _CARDS_RULE)
            text = token.removeprefix("draw:")
            if not re.fullmatch("[0-9]", text):
                raise MoveError(f"{quote(token)} is not a card, expected draw: and one digit", _CARDS_RULE)
            if int(text) not in deck:
                raise MoveError(f"{quote(token)}: no {text} is left among {''.join(map(str, deck))}", _CARDS_RULE)
            return (_nmbr9.encode_draw(int(text)),)
        tile = read_tile(token)
        if mode == UNKNOWN and hand < 0:
            raise MoveError(f"{quote(token)}: a card has to be drawn first, expected draw: and a digit", _CARDS_RULE)
        allowed = {KNOWN: deck[:1], FREE: deck, UNKNOWN: (hand,)}[mode]
        if tile.digit not in allowed:
            raise MoveError(
                f"{quote(token)}: it is not the turn of a {tile.digit}, "
                f"expected {' or '.join(str(d) for d in sorted(set(allowed)))}",
                _CARDS_RULE,
            )
        reason = explain(tile, self.tiles)
        if reason is not None or not _nmbr9.legal(self._raw, *tile):
            raise MoveError(f"{quote(token)}: {reason or 'not legal here'}", _PLACING_RULE)
        return (_nmbr9.encode_placement(*tile),)

    def roll(self, seed: int) -> str:
        """Return a card drawn at random. Raises MoveError where none is drawn."""
        if self.kind() is not Kind.CHANCE:
            raise MoveError("no card is drawn here, expected a placement")
        return _token(_nmbr9.roll(self._raw, seed % 2**64))

    def result(self) -> str | None:
        """Return the final points, or None while cards are left."""
        return f"{self.score} points" if self.left == 0 else None

    def returns(self) -> tuple[float, ...]:
        """Return the points so far."""
        return (float(self.score),)

    def evaluate(self) -> tuple[float, ...]:
        """Return the points so far and what the platforms promise."""
        return (_nmbr9.evaluate(self._raw),)

    def key(self) -> int:
        """Return the hash of the stack, up to translation, and of what is to come."""
        return _nmbr9.key(self._raw)

    def text(self) -> str:
        """Draw every level, the table first."""
        lines = []
        for level in range(1 + max((t.level for t in self.tiles), default=-1)):
            tiles = [t for t in self.tiles if t.level == level]
            total = sum(t.digit for t in tiles)
            lines.append(f"level {level}: {total} x {level} = {total * level} points")
            lines += _draw_level(self.tiles, level)
        mode, deck, left, hand = _nmbr9.coming(self._raw)
        digits = "".join(map(str, deck)) or "none"
        coming = {
            KNOWN: f"deck {digits}",
            FREE: f"any {left} of {digits}",
            UNKNOWN: f"unknown order {digits}",
        }
        held = f", in hand {hand}" if hand >= 0 else ""
        lines.append(f"score {self.score}, to come: {coming[mode]}{held}")
        return "\n".join(lines)

    def svg(self, move: str | None = None) -> str:
        """Draw every level as one SVG document; a placement is drawn as placed, with a ring around it."""
        after = self if move is None else self.play(move)
        new = after.tiles[-1] if len(after.tiles) > len(self.tiles) else None
        caption = after.result() or after.text().splitlines()[-1]
        if move is not None:
            caption = f"{move}: {caption}"
        return nmbr9_svg.stack(after.tiles, caption, ", ".join(map(str, after.tiles)) or "nothing is placed", new)

    def state(self) -> dict[str, Any]:
        """Return tiles with their cells, deck, hand, score and turn."""
        mode, deck, left, hand = _nmbr9.coming(self._raw)
        return {
            "game": "nmbr9",
            "mode": MODES[mode],
            "placed": [
                {**tile._asdict(), "move": str(tile), "cells": [list(c) for c in tile.cells()]} for tile in self.tiles
            ],
            "deck": list(deck),
            "left": left,
            "hand": None if hand < 0 else hand,
            "turn": self.kind().name.lower(),
            "score": self.score,
            "fen": self.fen(),
        }

    def raw(self) -> bytes:
        """Return the compiled state."""
        return self._raw

    def line(self, actions: Sequence[int]) -> list[str]:
        """Return actions as tokens."""
        return [_token(action) for action in actions]


def _token(action: int) -> str:
    fields = _nmbr9.decode_action(action)
    return f"draw:{fields[0]}" if len(fields) == 1 else str(Tile(*fields))


def _draw_level(tiles: Sequence[Tile], level: int) -> list[str]:
    """Draw one level in the frame of the whole stack: digits, and `.` where a lower level shows."""
    cells = {cell: tile for tile in tiles if tile.level == level for cell in tile.cells()}
    below = {cell for tile in tiles if tile.level == level - 1 for cell in tile.cells()}
    frame = [cell for tile in tiles for cell in tile.cells()]
    left, right = min(x for x, _ in frame), max(x for x, _ in frame)
    low, high = min(y for _, y in frame), max(y for _, y in frame)
    rows = []
    for y in range(high, low - 1, -1):
        row = "".join(
            str(cells[x, y].digit) if (x, y) in cells else "." if (x, y) in below else " "
            for x in range(left, right + 1)
        )
        rows.append(f"{y:4d} |{row}|")
    return rows


class Nmbr9Game(Game):
    """NMBR 9 for one player: unknown order (the table game), known order, or free choice."""

    name = "nmbr9"
    title = "NMBR 9"
    players = ("Player",)
    unit = "point"
    options = (
        OptionSpec(
            "Problem",
            "string",
            "U-9-2-20",
            help="what startpos means: U or F, highest digit, copies of each, cards played",
        ),
    )

    form = "<placed> <deck>"
    solo: ClassVar[Options | None] = {}
    algorithms = ("cpsat", "mcts")
    facets: ClassVar[Mapping[str, str]] = {
        "alphabet": "blockwit.games.nmbr9.alphabet:ALPHABET",
        "view": "blockwit.games.nmbr9.view:VIEW",
    }
    bench = (
        ("- 7?0011223344556678899", 1),
        ("9a@0,0,0,5c@0,4,0,7c@0,-3,0 6?0011223344567889", 1),
        ("2a@29,30,0,4a@31,30,0,6d@29,30,1 5?00113", 1),
    )

    def fits(self, fields: Sequence[str]) -> bool:
        """Tell whether a position string has two fields, the first one of tiles."""
        return len(fields) == 2 and (fields[0] == "-" or "@" in fields[0])

    def start(self, options: Options) -> Nmbr9Position:
        """Return the empty table of the option Problem. Raises OptionError."""
        text = str(self.read_options(options)["Problem"])
        match = re.fullmatch(r"([UF])-([0-9])-([12])-([0-9]{1,2})", text)
        if match is None:
            raise OptionError(
                f"option Problem: expected U or F, highest digit 0-9, copies 1-2 and cards, as in U-9-2-20, "
                f"got {quote(text)} (a known order comes with 'position fen')"
            )
        deck = sorted(list(range(int(match[2]) + 1)) * int(match[3]))
        left = int(match[4])
        if not 1 <= left <= len(deck):
            raise OptionError(f"option Problem: {quote(text)} has {len(deck)} tiles, cannot play {left} cards")
        return Nmbr9Position(_nmbr9.start(MODES.index(match[1]), deck, left))

    def parse(self, text: str, options: Options) -> Nmbr9Position:
        """Read `<placed> <deck>`. Raises PositionError."""
        self.read_options(options)
        fields = text.split()
        if len(fields) != 2:
            raise PositionError(f"{quote(text)} has {len(fields)} fields, expected 2: the placed tiles and the deck")
        return build_position(_read_placed(fields[0]), *read_deck(fields[1]))

    def capsule(self) -> object:
        """Return the compiled table of the game."""
        return _nmbr9.capsule()


def _read_placed(text: str) -> list[Tile]:
    if text == "-":
        return []
    parts = re.sub(r",(?=[0-9][a-d]@)", " ", text).split(" ")
    tiles = []
    for index, part in enumerate(parts):
        try:
            tiles.append(read_tile(part))
        except MoveError as error:
            raise PositionError(f"placed tile {index + 1}: {error}") from None
    return tiles


def read_deck(text: str) -> tuple[int, list[int], int, int | None]:
    """Read the deck field of a position: (mode, digits, cards left to play, card in hand).

    Raises:
        PositionError: the field is malformed.
    """
    if text == "-":
        return KNOWN, [], 0, None
    match = _DECK.fullmatch(text)
    if match is None or not text or (match["mark"] is None and match["left"] is not None):
        raise PositionError(
            f"deck {quote(text)}: expected digits in order, '?' and digits (a card in hand before the '?'), "
            "or '*' and digits and /cards; '-' when none is left"
        )
    hand = None if match["hand"] is None else int(match["hand"])
    digits = [int(d) for d in match["digits"]]
    mode = {None: KNOWN, "*": FREE, "?": UNKNOWN}[match["mark"]]
    if hand is not None and mode != UNKNOWN:
        raise PositionError(f"deck {quote(text)}: only an unknown deck '?' has a card in hand before it")
    available = len(digits) + (hand is not None)
    left = available if match["left"] is None else int(match["left"])
    if left > available or (hand is not None and left == 0):
        raise PositionError(f"deck {quote(text)}: {left} cards to play, but {available} tiles")
    return mode, digits if mode == KNOWN else sorted(digits), left, hand


def build_position(
    tiles: Sequence[Tile], mode: int, digits: Sequence[int], left: int, hand: int | None = None
) -> Nmbr9Position:
    """Build the position in which `tiles` were placed in this order and `digits` are still to come.

    Raises:
        PositionError: more than two tiles of a digit, or a placement that the rules forbid.
    """
    used = [tile.digit for tile in tiles]
    held = [] if hand is None else [hand]
    for digit, copies in sorted(Counter([*used, *digits, *held]).items()):
        if copies > COPIES:
            raise PositionError(f"{copies} tiles of digit {digit}, expected at most {COPIES}")
    raw = _nmbr9.start(mode, [*used, *held, *digits], len(used) + left)
    for index, tile in enumerate(tiles):
        if mode == UNKNOWN:
            raw = _nmbr9.play(raw, _nmbr9.encode_draw(tile.digit))
        reason = explain(tile, tiles[:index], tiles[index + 1 :])
        if reason is not None or not _nmbr9.legal(raw, *tile):
            raise PositionError(f"placed tile {index + 1} {tile}: {reason or 'not legal'}")
        raw = _nmbr9.play(raw, _nmbr9.encode_placement(*tile))
    if hand is not None:
        raw = _nmbr9.play(raw, _nmbr9.encode_draw(hand))
    return Nmbr9Position(raw)


GAME = Nmbr9Game()
Nmbr9Position.game = GAME
