"""Drawing of Number Drop as SVG: the dice, and every sheet with its claims, boxes, letters and tiles.

Identical claims have a solid border, straights a dashed one, the bonus claim a dotted one, each with its box written in
it: nothing depends on telling the colours apart.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blockwit import _numberdrop
from blockwit.games import svg

CELL = 30
COLUMNS = "abcdefg"
ROWS = 14
LINE = 11
LEFT = 34
TOP = 40
DICE_HEIGHT = 52
LETTER_WIDTH = 7.8
SHEET_WIDTH = LEFT + 7 * CELL + 54
SHEET_HEIGHT = TOP + ROWS * CELL + 178
ACROSS = 3
BOXES_LEFT = 82
BOX = 32

RED = "#b3261e"
OUTLINE = {"I": "#175e9c", "S": "#1e7145", "B": "#6a2c91"}
FILL = {"I": "#dcebf8", "S": "#dff2e5", "B": "#efe2f6"}
DASHES = {"I": "", "S": ' stroke-dasharray="5 3.4"', "B": ' stroke-dasharray="0.1 4.4"'}
KINDS = {"I": "identical", "S": "straight"}


@dataclass(frozen=True)
class Mark:
    """What a move changes: the sheet, the cells it fills and what it writes there, the claims, a tile that slides."""

    sheet: int
    cells: Mapping[str, str] = field(default_factory=dict)
    claims: Sequence[Mapping[str, Any]] = ()
    letter: str = ""


def _spot(cell: str) -> tuple[int, int]:
    """Return column and row, downward from the top."""
    return COLUMNS.index(cell[0]), ROWS - int(cell[1:])


def _corner(cell: str) -> tuple[int, int]:
    """Return the upper left corner of a cell within its sheet."""
    column, row = _spot(cell)
    return LEFT + column * CELL, TOP + row * CELL


def _border(cells: Iterable[str], inset: float, stroke: str, width: float, more: str = "") -> str:
    """Return the border around cells, drawn inside of it. Drawn in pixels: a scaled pen would scale its dashes."""
    spots = {_spot(cell) for cell in cells}
    path = svg.outline(spots, inset / CELL)
    return (
        f'<g transform="translate({LEFT},{TOP}) scale({CELL})"><path d="{path}" fill="none" stroke="{stroke}" '
        f'stroke-width="{width / CELL:.4f}" stroke-linecap="round"{_scaled(more)}/></g>'
    )


def _scaled(dashes: str) -> str:
    """Return dashes in units of cells."""
    if not dashes:
        return ""
    lengths = dashes.partition('"')[2].rstrip('"').split()
    return f' stroke-dasharray="{" ".join(f"{float(length) / CELL:.4f}" for length in lengths)}"'


def _claim(claim: Mapping[str, Any]) -> list[str]:
    """Return the ground and border of a claim, and the name of its box in its first cell."""
    kind, cells = claim["box"][0], claim["cells"]
    parts = []
    for cell in cells:
        x, y = _corner(cell)
        parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{FILL[kind]}"/>')
    parts.append(_border(cells, 2.2, OUTLINE[kind], 2.4, DASHES[kind]))
    first = min(cells, key=lambda cell: (_spot(cell)[1], _spot(cell)[0]))
    x, y = _corner(first)
    parts.append(svg.text(x + 4, y + 10, claim["box"], 7, OUTLINE[kind], "start", bold=True))
    return parts


def piece(name: str, size: float, fill: str = svg.INK) -> tuple[str, float]:
    """Return a tile or shape as it lies in orientation 0, upper left corner at the origin, and its width."""
    cells = _numberdrop.orientation_cells(_numberdrop.PIECE_NAMES.index(name), 0)
    high = max(y for _, y in cells)
    path = "".join(f"M{x * size:g} {(high - y) * size:g}h{size - 1:g}v{size - 1:g}h{1 - size:g}z" for x, y in cells)
    return f'<path d="{path}" fill="{fill}"/>', (1 + max(x for x, _ in cells)) * size


def _die(x: float, content: str) -> str:
    return (
        f'<g transform="translate({x:g},10)"><rect width="36" height="36" rx="7" fill="#fbfaf5" stroke="{svg.INK}" '
        f'stroke-width="1.6"/>{content}</g>'
    )


def _dice(dice: Mapping[str, str]) -> list[str]:
    """Return the four number dice and the shape die."""
    parts = []
    for i, number in enumerate(dice["numbers"]):
        parts.append(_die(LEFT + 42 * i, svg.text(18, 26, "★" if number == "*" else number, 21, bold=True)))
    shape = dice["shape"]
    face = svg.text(18, 26, "★", 21, bold=True)
    if shape != "*":
        drawn, width = piece(f"{shape}4", 7.5)
        rows = 1 + max(y for _, y in _numberdrop.orientation_cells(_numberdrop.PIECE_NAMES.index(f"{shape}4"), 0))
        face = f'<g transform="translate({18 - width / 2:g},{18 - rows * 7.5 / 2:g})">{drawn}</g>'
    parts.append(_die(LEFT + 42 * 4 + 8, face))
    return parts


def _boxes(sheet: Mapping[str, Any], y: float) -> list[str]:
    """Return the claim boxes, two rows of five and the bonus box."""
    filled = {claim["box"] for claim in sheet["claims"]}
    parts = []

    def box(x: float, top: float, name: str, label: str) -> None:
        done, color = name in filled, OUTLINE[name[0]]
        parts.append(
            f'<rect x="{x}" y="{top}" width="{BOX - 6}" height="{BOX - 6}" rx="4" fill="{color if done else "none"}" '
            f'stroke="{color}" stroke-width="1.8" stroke-linecap="round"{"" if done else DASHES[name[0]]}/>'
        )
        parts.append(svg.text(x + (BOX - 6) / 2, top + 18.5, label, 14, "#fff" if done else color, bold=done))
        if done:
            parts.append(f'<path d="M{x + 17} {top + 4}l2.4 2.6l4.4 -5" fill="none" stroke="#fff" stroke-width="1.8"/>')

    for line, kind in enumerate("IS"):
        top = y + line * BOX
        parts.append(svg.text(BOXES_LEFT - 8, top + 17, KINDS[kind], 12, OUTLINE[kind], "end"))
        for k in range(3, 8):
            box(BOXES_LEFT + (k - 3) * BOX, top, f"{kind}{k}", str(k))
    box(BOXES_LEFT + 5 * BOX + 10, y + BOX / 2, "B8", "8")
    parts.append(svg.text(BOXES_LEFT + 5 * BOX + 23, y + BOX / 2 + 38, "bonus", 10, OUTLINE["B"]))
    return parts


def _letters(sheet: Mapping[str, Any], letters: Sequence[Mapping[str, Any]], mark: Mark | None, y: float) -> list[str]:
    """Return the letters below their pair of boxes: circled on this sheet, crossed for all; tile and notches below."""
    parts = [svg.text(BOXES_LEFT - 8, y + 17, "letters", 12, svg.PALE, "end")]
    for i, entry in enumerate(letters):
        x = BOXES_LEFT + i * BOX + (BOX - 6) / 2
        if mark and entry["letter"] == mark.letter:
            parts.append(
                f'<rect x="{x - 15}" y="{y - 2}" width="30" height="68" rx="5" fill="none" stroke="{svg.ACCENT}" '
                f'stroke-width="2.4"/>'
            )
        if entry["letter"] in sheet["circled"]:
            parts.append(f'<circle cx="{x:g}" cy="{y + 12}" r="11" fill="none" stroke="{svg.INK}" stroke-width="2"/>')
        parts.append(svg.text(x, y + 17, entry["letter"]))
        if entry["crossed"]:
            parts.append(f'<path d="M{x - 10:g} {y + 2}l20 20m0 -20l-20 20" stroke="{RED}" stroke-width="2.2"/>')
        if entry["tile"]:
            drawn, width = piece(entry["tile"], 6, svg.PALE)
            parts.append(f'<g transform="translate({x - width / 2:g},{y + 29})">{drawn}</g>')
        else:
            parts.append(svg.text(x, y + 42, "?", 12, svg.PALE))
        if entry["notch"] is not None:
            # Four notches, those that the tile has slid past filled.
            for n in range(4):
                fill = svg.INK if n < entry["notch"] else "none"
                spot = f'cx="{x - 9 + 6 * n:g}" cy="{y + 56}" r="2.2"'
                parts.append(f'<circle {spot} fill="{fill}" stroke="{svg.INK}" stroke-width="0.8"/>')
    return parts


def _sheet(number: int, name: str, state: Mapping[str, Any], mark: Mark | None) -> list[str]:
    sheet = state["sheets"][number]
    score = sheet["score"]
    parts = [
        svg.text(LEFT, TOP - 14, name, 15, anchor="start", bold=True),
        svg.text(LEFT + 7 * CELL, TOP - 14, f"{score['total']} points", 15, anchor="end"),
    ]
    parts.append(f'<rect x="{LEFT}" y="{TOP}" width="{7 * CELL}" height="{(ROWS - LINE) * CELL}" fill="#faeceb"/>')
    claims = [*sheet["claims"], *(mark.claims if mark else ())]
    written = dict(mark.cells) if mark else {}
    grid = "".join(f"M{LEFT} {TOP + i * CELL}h{7 * CELL}" for i in range(ROWS + 1))
    grid += "".join(f"M{LEFT + i * CELL} {TOP}v{ROWS * CELL}" for i in range(8))
    for claim in claims:
        parts += _claim(claim)
    for row, digits in zip(range(ROWS, 0, -1), sheet["rows"], strict=True):
        y = TOP + (ROWS - row) * CELL
        parts.append(svg.text(LEFT - 8, y + 19.5, str(row), 11, svg.PALE, "end"))
        note, color = "", svg.INK
        if row <= LINE and "." not in digits:
            note = "+2"
        elif row > LINE and digits != "." * len(COLUMNS) and score["rows_over_the_line"]:
            note, color = "-5", RED
        parts.append(svg.text(LEFT + 7 * CELL + 8, y + 20, note, 13, color, "start", bold=True))
        for column, digit in zip(COLUMNS, digits, strict=True):
            cell = f"{column}{row}"
            x = LEFT + COLUMNS.index(column) * CELL
            shown = written.get(cell, digit)
            if shown == "X":
                parts.append(
                    f'<rect x="{x + 1.5}" y="{y + 1.5}" width="{CELL - 3}" height="{CELL - 3}" fill="#5d666e"/>'
                    f'<path d="M{x + 8} {y + 8}l14 14m0 -14l-14 14" stroke="#fff" stroke-width="2.4"/>'
                )
            elif shown != ".":
                parts.append(svg.text(x + CELL / 2, y + 23, shown, 17, bold=cell in written))
    parts.append(f'<path d="{grid}" stroke="#aab4bc" stroke-width="0.7" fill="none"/>')
    if written:
        parts.append(_border(written, -0.5, "#fff", 6.5))
        parts.append(_border(written, -0.5, svg.ACCENT, 3.2))
    line = TOP + (ROWS - LINE) * CELL
    parts.append(f'<path d="M{LEFT - 6} {line}H{LEFT + 7 * CELL + 6}" stroke="{RED}" stroke-width="3"/>')
    bottom = TOP + ROWS * CELL
    parts += [svg.text(LEFT + CELL * (i + 0.5), bottom + 15, column, 12, svg.PALE) for i, column in enumerate(COLUMNS)]
    parts += _boxes(sheet, bottom + 28)
    return parts + _letters(sheet, state["letters"], mark, bottom + 28 + 2 * BOX + 8)


def sheets(state: Mapping[str, Any], caption: str, description: str, mark: Mark | None = None) -> str:
    """Draw the dice and the sheets of a JSON state (see `Position.state`), three sheets a row.

    Args:
        state: what to draw.
        caption: one line, beside the dice.
        description: the position in words.
        mark: what a move changes, drawn in with a thick border.
    """
    count = len(state["sheets"])
    width = min(count, ACROSS) * SHEET_WIDTH
    parts = _dice(state["dice"]) if state["dice"] else []
    head = DICE_HEIGHT if state["dice"] else 14
    # A long claim may break behind each of its cells.
    for line in textwrap.wrap(caption.replace(",", ", "), int((width - LEFT - 10) / LETTER_WIDTH)):
        head += 19
        parts.append(svg.text(LEFT, head, line, 13, anchor="start"))
    height = head + 12 + -(-count // ACROSS) * SHEET_HEIGHT
    for i in range(count):
        x, y = i % ACROSS * SHEET_WIDTH, head + 12 + i // ACROSS * SHEET_HEIGHT
        name = "Solo" if state["solo"] else f"Player {i + 1}"
        own = mark if mark and mark.sheet == i else None
        parts += [f'<g transform="translate({x},{y})">', *_sheet(i, name, state, own), "</g>"]
    return svg.document(width, height, f"Number Drop. {caption}", description, parts)
