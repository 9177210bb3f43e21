"""What the drawings of all games share: documents with a title and a description, text, animation.

Drawings use plain attributes only (no style sheets, no references), so that every viewer and converter shows them
alike and several of them can stand in one page. Nothing is told by colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

INK = "#1f2933"
PALE = "#6b7680"
PAPER = "#ffffff"
ACCENT = "#c2185b"
"""For what moves: always drawn with a white edge and a shape of its own."""

FONT = "DejaVu Sans, Verdana, sans-serif"
FRAME_SECONDS = 1.6

_SIZE = re.compile(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def document(width: float, height: float, title: str, description: str, parts: Sequence[str]) -> str:
    """Return an SVG document on white ground."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="{FONT}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def text(
    x: float,
    y: float,
    content: str,
    size: float = 14,
    fill: str = INK,
    anchor: str = "middle",
    *,
    bold: bool = False,
) -> str:
    """Return one line of text; (x, y) is on its base line."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{weight}>'
        f"{escape(content)}</text>"
    )


def outline(cells: set[tuple[int, int]], inset: float) -> str:
    """Return path data of the border of a set of unit cells (column, row downward), drawn `inset` inside of it."""
    path = []
    for x, y in sorted(cells):
        for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (x + dx, y + dy) in cells:
                continue
            # The edge towards (dx, dy), from one end to the other: (ax, ay) points along it.
            ax, ay = abs(dy), abs(dx)
            ends = []
            for sign in (-1, 1):
                along = (x + sign * ax, y + sign * ay)
                diagonal = (along[0] + dx, along[1] + dy)
                # Short of the corner where the border turns away, beyond it where it turns towards the outside.
                reach = 0.5 - inset if along not in cells else 0.5 + inset * (diagonal in cells)
                across = 0.5 - inset
                ends.append((x + 0.5 + dx * across + sign * ax * reach, y + 0.5 + dy * across + sign * ay * reach))
            (x0, y0), (x1, y1) = ends
            path.append(f"M{x0:g} {y0:g}L{x1:g} {y1:g}")
    return "".join(path)


class Clock:
    """Writes SMIL animations that run together over `seconds` and begin anew."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def _times(self, times: Sequence[float]) -> str:
        shares = ";".join(f"{min(1.0, max(0.0, time / self.seconds)):.4f}" for time in times)
        return f'keyTimes="{shares}" dur="{self.seconds:.2f}s" repeatCount="indefinite"'

    def shown(self, begin: float, end: float) -> str:
        """Return an animation that shows its parent from `begin` to `end` only."""
        steps = [(begin, "visible"), (end, "hidden")] if end < self.seconds else [(begin, "visible")]
        if begin > 0:
            steps.insert(0, (0.0, "hidden"))
        values = ";".join(value for _, value in steps)
        return (
            f'<animate attributeName="visibility" calcMode="discrete" values="{values}" '
            f"{self._times([time for time, _ in steps])}/>"
        )

    def moved(self, kind: str, steps: Sequence[tuple[float, str]]) -> str:
        """Return an animation of the parent's transform (translate or scale) through values at times."""
        whole = [(0.0, steps[0][1]), *steps, (self.seconds, steps[-1][1])]
        values = ";".join(value for _, value in whole)
        return (
            f'<animateTransform attributeName="transform" type="{kind}" values="{values}" '
            f"{self._times([time for time, _ in whole])}/>"
        )

    def faded(self, begin: float, end: float) -> str:
        """Return an animation that lets its parent vanish between two times."""
        return f'<animate attributeName="opacity" values="1;1;0;0" {self._times([0.0, begin, end, self.seconds])}/>'


def slides(pictures: Sequence[str], title: str) -> str:
    """Return one document that shows documents one after the other, over and over."""
    sizes = [tuple(map(float, _SIZE.search(picture).groups())) for picture in pictures]  # type: ignore[union-attr]
    clock = Clock(FRAME_SECONDS * (len(pictures) + 1))
    parts = []
    for number, picture in enumerate(pictures):
        end = clock.seconds if number + 1 == len(pictures) else FRAME_SECONDS * (number + 1)
        hidden = ' visibility="hidden"' if number else ""
        parts.append(f"<g{hidden}>{clock.shown(FRAME_SECONDS * number, end)}{picture}</g>")
    return document(
        max(w for w, _ in sizes), max(h for _, h in sizes), title, f"{len(pictures)} pictures in turn", parts
    )
