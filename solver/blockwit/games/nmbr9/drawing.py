"""Drawing of NMBR 9 as SVG: one panel a level, in the frame of the whole stack.

Every tile shows its digit. What lies one level below is drawn as outlines on grey, so that one sees what carries what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from blockwit.games import svg

SQUARE = 24
HEAD = 34
AXIS = 26
GAP = 18
ACROSS = 4

COLOURS = (
    "#d5d8db", "#c9a68f", "#f3a7a0", "#fbc98a", "#f7e58a",
    "#c5df9b", "#93d3c8", "#9cc9f2", "#bcabe0", "#f2a3c3",
)  # fmt: skip
"""Fill colours of the digits 0..9, all light enough for dark digits."""


class Placed(Protocol):
    """A tile as the drawing sees it."""

    @property
    def digit(self) -> int:
        """Its digit."""

    @property
    def level(self) -> int:
        """Its level."""

    def cells(self) -> Sequence[tuple[int, int]]:
        """Return the squares that it covers."""


class _Frame:
    """Where the squares of the stack are within a panel."""

    def __init__(self, tiles: Sequence[Placed]) -> None:
        cells = [cell for tile in tiles for cell in tile.cells()] or [(0, 0)]
        self.left = min(x for x, _ in cells)
        self.low = min(y for _, y in cells)
        self.columns = 1 + max(x for x, _ in cells) - self.left
        self.rows = 1 + max(y for _, y in cells) - self.low

    @property
    def width(self) -> int:
        """Pixels of a panel."""
        return max(AXIS + self.columns * SQUARE + GAP, 210)

    @property
    def height(self) -> int:
        """Pixels of a panel."""
        return HEAD + self.rows * SQUARE + AXIS + GAP

    def spots(self, tile: Placed) -> set[tuple[int, int]]:
        """Return the squares of a tile, rows downward."""
        return {(x - self.left, self.rows - 1 - (y - self.low)) for x, y in tile.cells()}


def _tile(frame: _Frame, tile: Placed, *, below: bool, new: bool) -> str:
    spots = frame.spots(tile)
    squares = "".join(f"M{x} {y}h1v1h-1z" for x, y in sorted(spots))
    border = svg.outline(spots, 0.03)
    if below:
        return (
            f'<path d="{squares}" fill="#e9ecef"/><path d="{border}" fill="none" stroke="#98a2ab" stroke-width="0.05" '
            f'stroke-dasharray="0.12 0.12"/>'
        )
    drawn = (
        f'<path d="{squares}" fill="{COLOURS[tile.digit]}"/><path d="{border}" fill="none" stroke="{svg.INK}" '
        f'stroke-width="0.09" stroke-linecap="square"/>'
    )
    if new:
        ring = svg.outline(spots, -0.02)
        drawn += (
            f'<path d="{ring}" fill="none" stroke="#fff" stroke-width="0.3" stroke-linecap="square"/>'
            f'<path d="{ring}" fill="none" stroke="{svg.ACCENT}" stroke-width="0.17" stroke-linecap="square"/>'
        )
    # The digit sits on the cell nearest the middle of the tile: the middle of a 0 is a hole.
    mx, my = sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots)
    x, y = min(sorted(spots), key=lambda spot: (spot[0] - mx) ** 2 + (spot[1] - my) ** 2)
    return drawn + svg.text(x + 0.5, y + 0.77, str(tile.digit), 0.78, bold=True)


def _axes(frame: _Frame) -> list[str]:
    """Return the numbers of columns and rows, as moves are written."""
    step = 1 if frame.columns <= 12 else 2
    bottom = HEAD + frame.rows * SQUARE + 13
    parts = [
        svg.text(AXIS + (i + 0.5) * SQUARE, bottom, str(frame.left + i), 9, svg.PALE)
        for i in range(0, frame.columns, step)
    ]
    return parts + [
        svg.text(AXIS - 5, HEAD + (frame.rows - 1 - i) * SQUARE + 15.5, str(frame.low + i), 9, svg.PALE, "end")
        for i in range(0, frame.rows, step)
    ]


def stack(tiles: Sequence[Placed], caption: str, description: str, new: Placed | None = None) -> str:
    """Draw every level as one panel, the table first.

    Args:
        tiles: all tiles, in any order.
        caption: one line above the panels.
        description: the stack in words.
        new: one of `tiles` to stand out.
    """
    frame = _Frame(tiles)
    levels = 1 + max((tile.level for tile in tiles), default=0)
    across = min(ACROSS, levels)
    top = 34
    parts = [svg.text(GAP, 24, caption, 15, anchor="start")]
    for level in range(levels):
        own = [tile for tile in tiles if tile.level == level]
        total = sum(tile.digit for tile in own)
        x, y = GAP / 2 + level % across * frame.width, top + level // across * frame.height
        name = "level 0, the table" if level == 0 else f"level {level}: {total} x {level} = {total * level}"
        grid = "".join(f"M{i} 0v{frame.rows}" for i in range(frame.columns + 1))
        grid += "".join(f"M0 {i}h{frame.columns}" for i in range(frame.rows + 1))
        parts += [
            f'<g transform="translate({x:g},{y:g})">',
            svg.text(AXIS, HEAD - 10, name, 13, anchor="start", bold=True),
            *_axes(frame),
            f'<g transform="translate({AXIS},{HEAD}) scale({SQUARE})">',
            f'<path d="{grid}" stroke="#e3e7ea" stroke-width="0.03"/>',
            *(_tile(frame, tile, below=True, new=False) for tile in tiles if tile.level == level - 1),
            *(_tile(frame, tile, below=False, new=False) for tile in own if tile is not new),
            # Last, so that its ring lies above its neighbours.
            *(_tile(frame, tile, below=False, new=True) for tile in own if tile is new),
            "</g></g>",
        ]
    width = max(across * frame.width + GAP, 8.2 * len(caption) + 2 * GAP)
    height = top + -(-levels // across) * frame.height
    return svg.document(width, height, f"NMBR 9. {caption}", description, parts)
