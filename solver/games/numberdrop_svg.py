"""Number Drop sheets as SVG: digits, claims outlined, X cells, the line, boxes, letters and scores."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

CELL = 26
COLUMNS = "abcdefg"
ROWS = 14
LINE = 11
SHEET_WIDTH = 9 * CELL + 20
SHEET_HEIGHT = (ROWS + 6) * CELL + 10
TOP = 2 * CELL
ACROSS = 3

INK, PALE, RED = "#222", "#999", "#c0392b"
OUTLINE = {"I": "#1f6fb2", "S": "#2e8b57", "B": "#8e44ad"}
FILL = {"I": "#e3eff9", "S": "#e3f4e9", "B": "#f1e5f7"}


def _text(x: float, y: float, text: str, size: int = 14, color: str = INK, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" text-anchor="{anchor}">{escape(text)}</text>'


def _corner(cell: str) -> tuple[int, int]:
    """Return the upper left corner of a cell within its sheet."""
    return CELL + COLUMNS.index(cell[0]) * CELL, TOP + (ROWS - int(cell[1:])) * CELL


def _outline(cells: Iterable[str], color: str) -> str:
    """Return the border between the cells of a claim and all others, drawn just inside it."""
    corners = {_corner(cell) for cell in cells}
    inset = 2
    lines = []
    for x, y in sorted(corners):
        left, right = (x - CELL, y) not in corners, (x + CELL, y) not in corners
        above, below = (x, y - CELL) not in corners, (x, y + CELL) not in corners
        x0, x1 = x + inset * left, x + CELL - inset * right
        y0, y1 = y + inset * above, y + CELL - inset * below
        if left:
            lines.append(f"M{x0} {y0}V{y1}")
        if right:
            lines.append(f"M{x1} {y0}V{y1}")
        if above:
            lines.append(f"M{x0} {y0}H{x1}")
        if below:
            lines.append(f"M{x0} {y1}H{x1}")
    return f'<path d="{"".join(lines)}" fill="none" stroke="{color}" stroke-width="2.5" stroke-linecap="round"/>'


def _boxes(sheet: dict[str, Any], y: int) -> list[str]:
    """Return the claim boxes, two rows of five and the bonus box."""
    filled = {claim["box"] for claim in sheet["claims"]}
    parts = []
    for line, kind in enumerate("IS"):
        top = y + line * CELL
        parts.append(_text(CELL - 6, top + 18, "=" if kind == "I" else "+1", 13, OUTLINE[kind], "end"))
        for k in range(3, 8):
            x = CELL + (k - 3) * CELL
            done = f"{kind}{k}" in filled
            parts.append(
                f'<rect x="{x + 2}" y="{top + 2}" width="{CELL - 4}" height="{CELL - 4}" rx="3" '
                f'fill="{OUTLINE[kind] if done else "none"}" stroke="{OUTLINE[kind]}"/>'
            )
            parts.append(_text(x + CELL / 2, top + 18, str(k), 13, "#fff" if done else OUTLINE[kind]))
    done = "B8" in filled
    x = CELL + 5 * CELL + 8
    parts.append(
        f'<rect x="{x}" y="{y + CELL // 2}" width="{CELL}" height="{CELL}" rx="3" '
        f'fill="{OUTLINE["B"] if done else "none"}" stroke="{OUTLINE["B"]}"/>'
    )
    parts.append(_text(x + CELL / 2, y + CELL // 2 + 18, "8", 13, "#fff" if done else OUTLINE["B"]))
    return parts


def _letters(sheet: dict[str, Any], letters: list[dict[str, Any]], y: int) -> list[str]:
    """Return the letters with their tiles: circled on this sheet, crossed for all."""
    parts = []
    for i, entry in enumerate(letters):
        x = CELL + i * CELL * 1.45 + CELL / 2
        if entry["letter"] in sheet["circled"]:
            parts.append(f'<circle cx="{x:g}" cy="{y + 9}" r="10" fill="none" stroke="{INK}" stroke-width="2"/>')
        parts.append(_text(x, y + 14, entry["letter"]))
        if entry["crossed"]:
            parts.append(f'<path d="M{x - 8:g} {y + 1}l16 16m0 -16l-16 16" stroke="{RED}" stroke-width="2"/>')
        notch = "" if entry["notch"] is None else f" {entry['notch']}/4"
        parts.append(_text(x, y + 34, f"{entry['tile'] or '?'}{notch}", 10, PALE))
    return parts


def _sheet(number: int, sheet: dict[str, Any], letters: list[dict[str, Any]]) -> list[str]:
    score = sheet["score"]
    parts = [_text(CELL, CELL, f"Sheet {number + 1}: {score['total']} points", 15, INK, "start")]
    for claim in sheet["claims"]:
        for cell in claim["cells"]:
            x, y = _corner(cell)
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{FILL[claim["box"][0]]}"/>')
    for row, digits in zip(range(ROWS, 0, -1), sheet["rows"], strict=True):
        y = TOP + (ROWS - row) * CELL
        parts.append(_text(CELL - 6, y + 18, str(row), 11, PALE, "end"))
        if row > LINE:
            color, note = RED, "over" if digits != "." * len(COLUMNS) and score["rows_over_the_line"] else ""
        else:
            color, note = INK, "+2" if "." not in digits else ""
        parts.append(_text(CELL * 8 + 5, y + 18, note, 12, color, "start"))
        for column, digit in zip(COLUMNS, digits, strict=True):
            x = CELL + COLUMNS.index(column) * CELL
            fill = PALE if digit == "X" else "none"
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#ccc"/>')
            if digit != ".":
                parts.append(_text(x + CELL / 2, y + 19, digit, 16, "#fff" if digit == "X" else INK))
    parts += [_outline(claim["cells"], OUTLINE[claim["box"][0]]) for claim in sheet["claims"]]
    line = TOP + (ROWS - LINE) * CELL
    parts.append(f'<path d="M{CELL - 4} {line}H{CELL * 8 + 4}" stroke="{RED}" stroke-width="3"/>')
    parts += [_text(CELL * (i + 1.5), TOP + ROWS * CELL + 14, column, 11, PALE) for i, column in enumerate(COLUMNS)]
    bottom = TOP + ROWS * CELL + 22
    return parts + _boxes(sheet, bottom) + _letters(sheet, letters, bottom + 2 * CELL + 8)


def sheets(state: dict[str, Any], caption: str) -> str:
    """Draw the sheets of a JSON state (see `Position.state`), three a row, with a caption below."""
    count = len(state["sheets"])
    width = min(count, ACROSS) * SHEET_WIDTH
    height = -(-count // ACROSS) * SHEET_HEIGHT + 2 * CELL
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for i, sheet in enumerate(state["sheets"]):
        x, y = i % ACROSS * SHEET_WIDTH, i // ACROSS * SHEET_HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *_sheet(i, sheet, state["letters"]), "</g>"]
    parts.append(_text(CELL, height - CELL / 2, caption, 14, INK, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"
