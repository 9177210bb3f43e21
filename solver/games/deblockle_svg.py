"""Drawing of a Deblockle board as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

CELL = 72
MARGIN = 30
CAPTION = 34
SIDE = 7 * CELL + 2 * MARGIN

# The sides differ in lightness and in the shape of the block, not in hue alone.
COLOURS = (("#f6e3b4", "#5b4310"), ("#2f4858", "#f1f5f7"))

SYMBOLS = {
    "S": '<polygon points="0,-15 4.4,-4.9 15,-4.9 6.7,2.1 9.6,13 0,6.6 -9.6,13 -6.7,2.1 -15,-4.9 -4.4,-4.9" '
    'fill="currentColor"/>',
    "T": '<polygon points="-6,-14 6,-14 14,-6 14,6 6,14 -6,14 -14,6 -14,-6" fill="currentColor"/>',
    "C": '<path d="M0,-14V14M-14,0H14" stroke="currentColor" stroke-width="7"/>',
    "X": '<path d="M-11,-11L11,11M11,-11L-11,11" stroke="currentColor" stroke-width="7"/>',
    "L": '<path d="M-14,0H14M-8,-6L-14,0L-8,6M8,-6L14,0L8,6" stroke="currentColor" stroke-width="4" fill="none"/>',
    "H": '<g fill="none" stroke="currentColor" stroke-width="3"><circle cx="-9" cy="4" r="6"/>'
    '<circle cx="0" cy="-6" r="6"/><circle cx="9" cy="4" r="6"/></g>',
}
EDGES = {"north": (0, -24), "east": (25, 0), "south": (0, 25), "west": (-25, 0)}


def _centre(square: str) -> tuple[float, float]:
    x = MARGIN + ("abcdefg".index(square[0]) + 0.5) * CELL
    y = MARGIN + (7 - int(square[1]) + 0.5) * CELL
    return x, y


def _block(square: str, side: int, faces: Mapping[str, str]) -> str:
    x, y = _centre(square)
    fill, ink = COLOURS[side]
    letters = "".join(
        f'<text x="{dx}" y="{dy + 4}" font-size="11">{faces[direction]}</text>' for direction, (dx, dy) in EDGES.items()
    )
    return (
        f'<g transform="translate({x:g},{y:g})" color="{ink}">'
        f"<title>{('South', 'North')[side]} {square}: {', '.join(f'{k} {v}' for k, v in faces.items())}</title>"
        f'<rect x="-32" y="-32" width="64" height="64" rx="{(16, 3)[side]}" fill="{fill}" stroke="{COLOURS[0][1]}"'
        f' stroke-width="2"/>{SYMBOLS[faces["up"]]}<g fill="{ink}" text-anchor="middle">{letters}</g></g>'
    )


def board(blocks: Iterable[tuple[str, int, Mapping[str, str]]], caption: str) -> str:
    """Return an SVG document of the board.

    Args:
        blocks: square, side (0 South, 1 North) and the six faces by direction of each block.
        caption: one line below the board.
    """
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE + CAPTION}" '
        f'font-family="sans-serif" role="img" aria-label="Deblockle board, {escape(caption)}">',
        f'<rect width="{SIDE}" height="{SIDE + CAPTION}" fill="#ffffff"/>',
    ]
    for file in range(7):
        for rank in range(7):
            shade = "#e9edf0" if (file + rank) % 2 == 0 else "#dde3e8"
            parts.append(
                f'<rect x="{MARGIN + file * CELL}" y="{MARGIN + rank * CELL}" width="{CELL}" height="{CELL}" '
                f'fill="{shade}" stroke="#b8c2ca"/>'
            )
    for square, side in (("d2", 0), ("d6", 1)):
        x, y = _centre(square)
        parts.append(
            f'<g transform="translate({x:g},{y:g}) scale(1.6)" color="{COLOURS[side][0]}" '
            f'stroke="{COLOURS[0][1]}" stroke-width="0.8">{SYMBOLS["S"]}</g>'
        )
    parts.append('<g font-size="14" fill="#333" text-anchor="middle">')
    for i in range(7):
        along = MARGIN + (i + 0.5) * CELL
        parts.append(f'<text x="{along:g}" y="{SIDE - 10}">{"abcdefg"[i]}</text>')
        parts.append(f'<text x="14" y="{along + 5:g}">{7 - i}</text>')
    parts.append(f'<text x="{SIDE / 2:g}" y="{SIDE + 16}" font-size="16">{escape(caption)}</text></g>')
    parts += [_block(*block) for block in blocks]
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
