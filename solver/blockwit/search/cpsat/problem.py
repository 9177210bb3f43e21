"""Problems of the benchmark family T-m-c-k, and decks in a known order.

The names are those of "Nmbr9 as a Constraint Programming Challenge" (M. Z. Lagerkvist, arXiv 2001.04238):
type (K known, F free, U unknown), highest digit m, copies c of each digit, k cards played. A grid of W x H
columns and rows with L levels is written behind an @, as in `F-6-2-5@8x8x3`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from blockwit.errors import OptionError, quote
from blockwit.games.nmbr9.position import (
    COPIES,
    FREE,
    KNOWN,
    LEVELS,
    SHAPES,
    UNKNOWN,
    Nmbr9Position,
    Tile,
    build_position,
)

AREAS = tuple(len(rotations[0]) for rotations in SHAPES)
"""Squares of each digit's tile."""

Counts = tuple[int, ...]
"""A multiset of tiles: the number of each digit 0..9."""

_NAME = re.compile(r"([KFU])-([0-9])-([12])-([0-9]{1,2})(?:@([0-9]{1,2})x([0-9]{1,2})x([0-9]{1,2}))?")


@dataclass(frozen=True)
class Problem:
    """What is to be optimized.

    `pool` counts the tiles that may be played, `cards` how many will be; `deck` is the order of a known
    problem. `start` are tiles that already lie on the table and stay: neither `pool` nor `cards` nor `deck`
    has them. `columns`, `rows` and `levels` are limits, None for none.
    """

    kind: str
    pool: Counts
    cards: int
    deck: tuple[int, ...] = ()
    columns: int | None = None
    rows: int | None = None
    levels: int | None = None
    start: tuple[Tile, ...] = ()

    @property
    def limited(self) -> bool:
        """Tell whether the grid or the number of levels is limited."""
        return self.columns is not None or self.rows is not None or self.levels is not None

    @property
    def name(self) -> str:
        """The problem's name: T-m-c-k with its limits, or K: and the deck."""
        limits = f"@{self.columns}x{self.rows}x{self.levels}" if self.limited else ""
        if self.kind == "K":
            return "K:" + "".join(map(str, self.deck)) + limits
        highest = max((d for d in range(10) if self.pool[d]), default=0)
        return f"{self.kind}-{highest}-{max(self.pool)}-{self.cards}{limits}"

    def position(self) -> Nmbr9Position:
        """Return the position in which the problem starts (limits are the optimizer's, not the rules')."""
        digits = list(self.deck) if self.kind == "K" else [d for d in range(10) for _ in range(self.pool[d])]
        mode = {"K": KNOWN, "F": FREE, "U": UNKNOWN}[self.kind]
        return build_position(self.start, mode, digits, self.cards)


def read_problem(text: str, deck: Sequence[int] = ()) -> Problem:
    """Read `F-9-2-20`, `U-9-2-20`, `K:0123...` or `K-m-c-k` with its `deck`, each with optional @WxHxL.

    Raises:
        OptionError: it is not of that form, or asks for more cards than there are tiles.
    """
    if text.startswith("K:"):
        order, _, limits = text[2:].partition("@")
        name = f"K-9-2-{len(order)}" + (f"@{limits}" if limits else "")
        return read_problem(name, read_order(order))
    match = _NAME.fullmatch(text)
    if match is None:
        raise OptionError(
            f"problem {quote(text)}: expected type K, F or U, highest digit, copies and cards "
            "as in F-9-2-20, optionally @columns x rows x levels as in F-6-2-5@8x8x3, or K: and a deck"
        )
    kind, highest, copies, cards = match[1], int(match[2]), int(match[3]), int(match[4])
    pool = tuple(copies if digit <= highest else 0 for digit in range(10))
    if not 1 <= cards <= sum(pool):
        raise OptionError(f"problem {quote(text)}: {sum(pool)} tiles, cannot play {cards} cards")
    columns, rows, levels = (None if match[i] is None else int(match[i]) for i in (5, 6, 7))
    if 0 in (columns, rows, levels):
        raise OptionError(f"problem {quote(text)}: columns, rows and levels must be at least 1")
    if kind == "K":
        if len(deck) != cards:
            raise OptionError(f"problem {quote(text)}: a deck of {cards} cards is needed, got {len(deck)}")
        used = Counter(deck)
        for digit, number in sorted(used.items()):
            if number > pool[digit]:
                raise OptionError(
                    f"problem {quote(text)}: {number} cards of digit {digit}, expected at most {pool[digit]}"
                )
        pool = tuple(used[d] for d in range(10))
    return Problem(kind, pool, cards, tuple(deck), columns, rows, levels)


def read_order(text: str) -> tuple[int, ...]:
    """Read a deck in playing order, such as `31459...`.

    Raises:
        OptionError: something else than digits, nothing at all, or more than two cards of one digit.
    """
    if not re.fullmatch("[0-9]+", text):
        raise OptionError(f"deck {quote(text)}: expected digits in playing order")
    deck = tuple(int(c) for c in text)
    for digit, number in sorted(Counter(deck).items()):
        if number > COPIES:
            raise OptionError(f"deck {quote(text)}: {number} cards of digit {digit}, expected at most {COPIES}")
    return deck


def problem_of(position: Nmbr9Position) -> Problem:
    """Return the problem that a position poses: its tiles stay where they are."""
    pool = tuple(position.deck.count(d) for d in range(10))
    if position.mode == KNOWN:
        return Problem("K", pool, position.left, position.deck, start=position.tiles)
    return Problem("F" if position.mode == FREE else "U", pool, position.left, start=position.tiles)


def area(counts: Sequence[int]) -> int:
    """Return the squares of a multiset of tiles."""
    return sum(n * a for n, a in zip(counts, AREAS, strict=True))


def points(counts: Sequence[int]) -> int:
    """Return the sum of the digits of a multiset of tiles."""
    return sum(n * d for d, n in enumerate(counts))


def minus(a: Counts, b: Counts) -> Counts:
    """Return the multiset difference."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def contains(a: Counts, b: Counts) -> bool:
    """Tell whether b is part of a."""
    return all(x >= y for x, y in zip(a, b, strict=True))


def most_levels(problem: Problem) -> int:
    """Return the number of levels that so many cards can have: two lie below any tile, on each level."""
    limit = LEVELS if problem.levels is None else problem.levels
    return max(1, min(limit, (problem.cards + 1) // 2))


def building_order(tiles: Sequence[Tile], start: Sequence[Tile] = ()) -> list[Tile]:
    """Sort tiles so that they can be placed one by one on top of `start`: lower levels first, each grown.

    Tiles that touch no earlier one of their level come last of it, for the rules to refuse.
    """
    out: list[Tile] = []
    for level in sorted({tile.level for tile in tiles}):
        waiting = [tile for tile in tiles if tile.level == level]
        grown = {cell for tile in start if tile.level == level for cell in tile.cells()}
        while waiting:
            index = next((i for i, tile in enumerate(waiting) if not grown or _borders(tile, grown)), 0)
            tile = waiting.pop(index)
            grown |= set(tile.cells())
            out.append(tile)
    return out


def _borders(tile: Tile, cells: set[tuple[int, int]]) -> bool:
    return any((x + dx, y + dy) in cells for x, y in tile.cells() for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))
