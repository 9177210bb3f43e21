"""NMBR 9, straight from the rule text: tiles are sets of cells, every rule is a loop over cells.

A cell is (column, row) on an unbounded grid, rows growing upward; the level of a tile stands beside it.
A stack is the placements made so far, in playing order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

Cell = tuple[int, int]
Cells = frozenset[Cell]
Kind = Literal["digit", "rotation", "level", "copies", "overlap", "adjacency", "overhang", "support"]

ROTATIONS = "abcd"
COPIES = 2
PRINTED = [
    "### #.# #.# ###",
    "## .# .# .#",
    ".## .## ##. ###",
    "### ..# .## ###",
    ".## .#. ### .##",
    "### ### ..# ###",
    "##. #.. ### ###",
    "### .#. ##. #..",
    ".## .## ##. ##.",
    "### ### ##. ##.",
]


@dataclass(frozen=True, order=True)
class Placement:
    """A tile placed: digit, quarter turns clockwise (a..d), lower left corner of its bounding box, level."""

    digit: int
    rotation: str
    column: int
    row: int
    level: int


Stack = tuple[Placement, ...]


@dataclass(frozen=True)
class Violation:
    """A rule that a placement breaks: its index in the solution, the kind of the rule, and the reason."""

    index: int
    kind: Kind
    reason: str


# --- tiles


def to_corner(cells: Cells) -> Cells:
    """Move cells so that the lower left corner of their bounding box is (0, 0)."""
    left, low = min(column for column, _ in cells), min(row for _, row in cells)
    return frozenset((column - left, row - low) for column, row in cells)


def printed_shape(digit: int) -> Cells:
    """The cells of a tile with its digit upright."""
    lines = reversed(PRINTED[digit].split())
    return frozenset((column, row) for row, line in enumerate(lines) for column, c in enumerate(line) if c == "#")


@cache
def shape(digit: int, rotation: str) -> Cells:
    """The cells of a tile after "quarter turns clockwise from the printed way up"."""
    cells = printed_shape(digit)
    for _ in range(ROTATIONS.index(rotation)):
        cells = to_corner(frozenset((row, -column) for column, row in cells))
    return cells


def distinct_rotations(digit: int) -> list[str]:
    """The first letter of every distinct rotation: "0 and 8 have two distinct rotations, the rest four"."""
    shapes = [shape(digit, rotation) for rotation in ROTATIONS]
    return [
        rotation
        for rotation, cells in zip(ROTATIONS, shapes, strict=True)
        if shapes.index(cells) == ROTATIONS.index(rotation)
    ]


def cells_of(placement: Placement) -> Cells:
    """The cells that a placed tile covers on its level."""
    return frozenset(
        (placement.column + column, placement.row + row) for column, row in shape(placement.digit, placement.rotation)
    )


def recognise(digit: int, cells: Cells, level: int) -> Placement:
    """The placement that covers just these cells: "rotation is free; mirroring is not allowed"."""
    column, row = min(column for column, _ in cells), min(row for _, row in cells)
    for rotation in ROTATIONS:
        if shape(digit, rotation) == to_corner(cells):
            return Placement(digit, rotation, column, row, level)
        if shape(digit, rotation) == to_corner(frozenset((-column, row) for column, row in cells)):
            raise ValueError(f"a mirror image of tile {digit}")
    raise ValueError(f"not the shape of tile {digit}")


# --- notation


def parse_placement(text: str) -> Placement:
    """Read "digit, rotation, column, row, level", such as `7b@3,-4,2`."""
    match = re.fullmatch(r"([0-9])([a-d])@(-?[0-9]+),(-?[0-9]+),([0-9]+)", text)
    if not match:
        raise ValueError(f"not a placement: {text!r}")
    digit, rotation, column, row, level = match.groups()
    return Placement(int(digit), rotation, int(column), int(row), int(level))


def format_placement(placement: Placement) -> str:
    """Write "digit, rotation, column, row, level"."""
    place = f"{placement.column},{placement.row},{placement.level}"
    return f"{placement.digit}{placement.rotation}@{place}"


# --- rules


def neighbours(cell: Cell) -> list[Cell]:
    """The cells that share an edge with a cell."""
    column, row = cell
    return [(column, row + 1), (column + 1, row), (column, row - 1), (column - 1, row)]


def share_edge(one: Cells, two: Cells) -> bool:
    """Whether two sets of cells share an edge."""
    return any(cell in two for each in one for cell in neighbours(each))


def format_cells(cells: Cells) -> str:
    """Name cells in a reason."""
    return " ".join(f"({column},{row})" for column, row in sorted(cells))


def violations(stack: Sequence[Placement], placement: Placement, copies: int = COPIES) -> list[Violation]:
    """Every rule that a placement on a stack breaks, none if it is legal.

    The index of each violation is that of the placement, were it put on the stack.
    """
    index = len(stack)
    if placement.digit not in range(len(PRINTED)):
        return [Violation(index, "digit", f"there is no tile {placement.digit}")]
    if len(placement.rotation) != 1 or placement.rotation not in ROTATIONS:
        return [Violation(index, "rotation", f"rotation {placement.rotation!r} is not one of {ROTATIONS}")]
    if placement.level < 0:
        return [Violation(index, "level", f"level {placement.level} is below the table")]
    found = []
    played = sum(each.digit == placement.digit for each in stack)
    if played >= copies:  # "Twenty cards: digits 0..9 twice."
        found.append(Violation(index, "copies", f"copy {played + 1} of tile {placement.digit}, of {copies}"))
    cells = cells_of(placement)
    beside = [cells_of(each) for each in stack if each.level == placement.level]
    overlap = cells & frozenset().union(*beside)
    if overlap:
        found.append(Violation(index, "overlap", f"cells taken on level {placement.level}: {format_cells(overlap)}"))
    # "On a level that already holds a tile, a new tile must share an edge with a tile of that level."
    if beside and not any(share_edge(cells, each) for each in beside):
        found.append(Violation(index, "adjacency", f"no edge shared with a tile of level {placement.level}"))
    if placement.level > 0:
        beneath = [cells_of(each) for each in stack if each.level == placement.level - 1]
        hanging = cells - frozenset().union(*beneath)
        if hanging:  # "every cell lies on an occupied cell of level n-1"
            found.append(Violation(index, "overhang", f"nothing beneath: {format_cells(hanging)}"))
        if sum(bool(cells & each) for each in beneath) == 1:  # "on at least two different tiles of level n-1"
            found.append(Violation(index, "support", f"only one tile of level {placement.level - 1} beneath"))
    return found


def legal_placements(stack: Sequence[Placement], digit: int, copies: int = COPIES) -> list[Placement]:
    """The legal placements of a digit, each distinct rotation once, sorted.

    "The first tile of level 0 goes anywhere": it is listed at column 0, row 0 only.
    """
    if not stack:
        corners, levels = [(0, 0)], [0]
    else:
        covered = [cell for each in stack for cell in cells_of(each)]
        corners = [
            (column, row)
            for column in range(min(c for c, _ in covered) - 4, max(c for c, _ in covered) + 2)
            for row in range(min(r for _, r in covered) - 4, max(r for _, r in covered) + 2)
        ]
        levels = list(range(max(each.level for each in stack) + 2))
    candidates = (
        Placement(digit, rotation, column, row, level)
        for rotation in distinct_rotations(digit)
        for column, row in corners
        for level in levels
    )
    return sorted(candidate for candidate in candidates if not violations(stack, candidate, copies))


def apply(stack: Stack, placement: Placement, copies: int = COPIES) -> Stack:
    """The stack with one more tile; equal rotations are written with the first letter."""
    broken = violations(stack, placement, copies)
    if broken:
        raise ValueError(f"{format_placement(placement)}: " + "; ".join(each.reason for each in broken))
    rotation = next(r for r in ROTATIONS if shape(placement.digit, r) == shape(placement.digit, placement.rotation))
    return (*stack, replace(placement, rotation=rotation))


def score(stack: Sequence[Placement]) -> int:
    """The "sum of level x digit"."""
    return sum(placement.level * placement.digit for placement in stack)


# --- whole solutions


def check_solution(placements: Sequence[Placement], copies: int = COPIES) -> list[Violation]:
    """Every violation of a solution in playing order: "rules hold at the time of placement".

    A tile that breaks a rule still lies there for those after it, unless it is no tile at all.
    """
    found = []
    stack: list[Placement] = []
    for index, placement in enumerate(placements):
        broken = violations(stack, placement, copies)
        found += [replace(each, index=index) for each in broken]
        if not any(each.kind in ("digit", "rotation", "level") for each in broken):
            stack.append(placement)
    return found


def building_order(placements: Sequence[Placement]) -> list[Placement]:
    """An order for a free solution: "lower levels first, each level grown as a connected set".

    Where a level falls apart the next tile follows all the same, and the check finds it not adjacent.
    """
    order: list[Placement] = []
    for level in sorted({placement.level for placement in placements}):
        waiting = [placement for placement in placements if placement.level == level]
        grown: list[Placement] = []
        while waiting:
            covered = frozenset().union(*map(cells_of, grown))
            following = next((each for each in waiting if share_edge(cells_of(each), covered)), waiting[0])
            waiting.remove(following)
            grown.append(following)
        order += grown
    return order
