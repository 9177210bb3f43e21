"""Pictures as files: a position or every move of a line, as SVG or PNG, and animated lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from blockwit import writing
from blockwit.errors import BlockwitError
from blockwit.games.base import Position

SCALE = 2.0
"""Pixels of a PNG for one unit of the drawing."""


def png(svg: str) -> bytes:
    """Return a drawing as PNG.

    Raises:
        BlockwitError: the optional package for it is not installed.
    """
    try:
        import cairosvg
    except (ImportError, OSError) as error:
        # OSError: the package is there, but not the Cairo library of the system.
        raise BlockwitError(f"PNG needs the optional package cairosvg (pip install 'blockwit[png]'): {error}") from None
    drawn: bytes = cairosvg.svg2png(bytestring=svg.encode(), scale=SCALE)
    return drawn


def write(path: Path, svg: str) -> None:
    """Write a drawing; a name that ends in .png gets a PNG, every other one SVG. Raises BlockwitError and OSError."""
    writing.write(path, png(svg) if path.suffix.lower() == ".png" else svg)


def write_line(target: str, start: Position, line: Sequence[str], suffix: str) -> list[Path]:
    """Write pictures of a line of play and return their files.

    Args:
        target: a folder (one that exists, or a name that ends in a slash) gets a picture of every position, each with
            the move that comes next; any other name one picture of the last position.
        start: where the line begins.
        line: moves and outcomes.
        suffix: of the files in a folder, svg or png.

    Raises:
        BlockwitError: an illegal move, or PNG is not available.
        OSError: a file cannot be written.
    """
    path = Path(target)
    if not (target.endswith(("/", os.sep)) or path.is_dir()):
        for token in line:
            start = start.play(token)
        write(path, start.svg())
        return [path]
    pictures = start.frames(line)
    path.mkdir(parents=True, exist_ok=True)
    width = max(2, len(str(len(line))))
    pictured = [path / f"{number:0{width}d}.{suffix}" for number in range(len(pictures))]
    for file, picture in zip(pictured, pictures, strict=True):
        write(file, picture)
    return pictured
