"""Deblockle positions for tests: built by what a tip brings up, or drawn at random by hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import get_args

from blockwit import games
from blockwit.games.base import Options
from blockwit.games.deblockle.position import DeblocklePosition
from hypothesis import strategies as st

from tests.reference import deblockle as reference

GAME = games.get("deblockle")

START = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"
"""Four blocks a side on their start squares, South to move."""
BOTH_BLOCKED = "a1XTH,b1XTH,c1XTH,d1XLT a7XSL,b7XSL,c7XSL,d7XLT s"
SOUTH_BLOCKED = "a1XTH,b1XTH,c1XTH,d1XLT c7THX,e7XLT,c5XLT,e5CLS s"

STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
FACES = "STCXLH"
SQUARES = [reference.square_name(square) for square in reference.SQUARES if square not in reference.STARS]
"""Every square where a block can stand."""
ORIENTATIONS = ["".join(orientation) for orientation in reference.ORIENTATIONS]


def parse(text: str, **options: str | int | bool) -> DeblocklePosition:
    """Read a position string under some options, the others at their defaults."""
    position = GAME.parse(text, options)
    assert isinstance(position, DeblocklePosition)
    return position


def start(**options: str | int | bool) -> DeblocklePosition:
    """Return the position before the first roll."""
    position = GAME.start(options)
    assert isinstance(position, DeblocklePosition)
    return position


def after(position: DeblocklePosition, *tokens: str) -> DeblocklePosition:
    """Play tokens one after the other."""
    for token in tokens:
        position = position.play(token)
    return position


def lying(square: str, face: str, direction: str) -> str:
    """Return a block on `square` that brings `face` up when tipped in `direction`."""
    for orientation in reference.ORIENTATIONS:
        if reference.tip_orientation(orientation, STEPS[direction])[0] == face:
            return square + "".join(orientation)
    raise AssertionError(f"no orientation brings {face} up")


def finals(position: DeblocklePosition, origin_tip: str) -> set[str]:
    """Return the final squares of the moves that begin with this tip (its own square where nothing hops)."""
    return {token[4:] or token[2:4] for token in position.tokens() if token[:4] == origin_tip}


def placement(position: DeblocklePosition) -> str:
    """Return the position string without the move number, which is no part of the reference."""
    return " ".join(position.fen().split()[:3])


def rules(options: Options) -> reference.Options:
    """Return the reference's form of some rule options."""
    given = {name: value for name, value in options.items() if not name.endswith("_blocks")}
    return reference.Options(**given)  # type: ignore[arg-type]


def all_options() -> Iterator[dict[str, str | bool]]:
    """Yield every combination of the options that say which moves are legal."""
    for slider, nohop, no_touch in product(
        get_args(reference.SliderRule), get_args(reference.NohopRule), (False, True)
    ):
        yield {"slider": slider, "nohop": nohop, "no_touch": no_touch}


OPTIONS = st.sampled_from(list(all_options()))


@st.composite
def positions(draw: st.DrawFn, fewest: int = 1, most: int = 4) -> str:
    """Draw a position string: blocks anywhere, or crowded into a corner so that they block each other."""
    counts = draw(st.tuples(st.integers(fewest, most), st.integers(fewest, most)))
    edge = draw(st.sampled_from([3, 4, 7]))
    usable = [square for square in SQUARES if square[0] in "abcdefg"[:edge] and int(square[1]) <= edge]
    squares = draw(st.lists(st.sampled_from(usable), min_size=sum(counts), max_size=sum(counts), unique=True))
    blocks = [square + draw(st.sampled_from(ORIENTATIONS)) for square in squares]
    south, north = blocks[: counts[0]], blocks[counts[0] :]
    return f"{','.join(south)} {','.join(north)} {draw(st.sampled_from('sn'))}"
