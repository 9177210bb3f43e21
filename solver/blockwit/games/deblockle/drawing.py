"""Drawing of Deblockle as SVG: boards, a move on a board, and a line of moves as an animation of tipping cubes.

A block is seen from above: the plate in its middle shows the face that is up, its four edges show the side faces.
South's blocks are light with a round plate, North's dark with a square one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blockwit.games import svg

CELL = 72
MARGIN = 34
SIDE = 7 * CELL + 2 * MARGIN
CAPTION = 62
HALF = 33
PLATE = 19.5

FACES = {"S": "star", "T": "stop", "C": "cross", "X": "x", "L": "slider", "H": "hoops"}
SIDES = ("South", "North")
DIRECTIONS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
STARS = {"d2": 0, "d6": 1}


@dataclass(frozen=True)
class Look:
    """The colours of a side: edge faces, plate, symbols."""

    body: str
    plate: str
    ink: str


LOOKS = (Look("#f0d594", "#fdf4dc", "#5a3e09"), Look("#33506b", "#22384c", "#f4f8fb"))
BORDER = "#3a2c0c"


@dataclass(frozen=True)
class Block:
    """One block: square, side (0 South, 1 North) and its six faces by direction."""

    square: str
    side: int
    faces: Mapping[str, str]


@dataclass(frozen=True)
class Move:
    """One move: the block as it is, its tip and what that brings up, and where it ends (None: it leaves the board)."""

    token: str
    block: Block
    direction: str
    tip: str
    final: str | None
    after: Mapping[str, str]

    @property
    def caption(self) -> str:
        """The move in words."""
        block = self.block
        way = f"{SIDES[block.side]} {block.square} tips {self.direction} to {self.tip}: {FACES[self.after['up']]}"
        if self.final is None:
            return f"{way}, and leaves the board"
        return way if self.final == self.tip else f"{way}, hops to {self.final}"


def centre(square: str) -> tuple[float, float]:
    """Return the middle of a square."""
    x = MARGIN + ("abcdefg".index(square[0]) + 0.5) * CELL
    y = MARGIN + (7 - int(square[1]) + 0.5) * CELL
    return x, y


def _star(radius: float) -> str:
    spokes = ((radius if i % 2 == 0 else 0.42 * radius, math.pi * (i / 5 - 0.5)) for i in range(10))
    return " ".join(f"{r * math.cos(angle):.2f},{r * math.sin(angle):.2f}" for r, angle in spokes)


def symbol(face: str, ink: str, scale: float = 1.0) -> str:
    """Return the symbol of a face, 30 units wide at scale 1, centred on the origin."""
    line = f'fill="none" stroke="{ink}" stroke-linecap="round" stroke-linejoin="round"'
    drawn = {
        "S": f'<polygon points="{_star(16)}" fill="{ink}"/>',
        "T": f'<polygon points="-5.6,-13.5 5.6,-13.5 13.5,-5.6 13.5,5.6 5.6,13.5 -5.6,13.5 -13.5,5.6 -13.5,-5.6" '
        f'fill="{ink}"/>',
        "C": f'<path d="M0-12V12M-12 0H12" stroke-width="7" {line}/>',
        "X": f'<path d="M-10-10L10 10M10-10L-10 10" stroke-width="7" {line}/>',
        "L": f'<path d="M-13 0H13M-6.5-6.5L-13 0L-6.5 6.5M6.5-6.5L13 0L6.5 6.5" stroke-width="4.5" {line}/>',
        "H": f'<g stroke-width="3.4" {line}><circle cx="-8" cy="4.5" r="6"/><circle cy="-6" r="6"/>'
        f'<circle cx="8" cy="4.5" r="6"/></g>',
    }[face]
    return drawn if scale == 1 else f'<g transform="scale({scale:g})">{drawn}</g>'


def _plate(side: int, face: str) -> str:
    look = LOOKS[side]
    shape = (
        f'<circle r="{PLATE}"'
        if side == 0
        else f'<rect x="{-PLATE}" y="{-PLATE}" width="{2 * PLATE}" height="{2 * PLATE}"'
    )
    return f'{shape} fill="{look.plate}"/>{symbol(face, look.ink)}'


def _body(side: int) -> str:
    return (
        f'<rect x="{-HALF}" y="{-HALF}" width="{2 * HALF}" height="{2 * HALF}" rx="{(9, 2)[side]}" '
        f'fill="{LOOKS[side].body}" stroke="{BORDER}" stroke-width="1.6"/>'
    )


def _resting(side: int, faces: Mapping[str, str]) -> str:
    """Return a block at rest around the origin."""
    look = LOOKS[side]
    inner = PLATE * (0.71 if side == 0 else 1)
    edges = "".join(
        f'<g transform="translate({dx * 26.4:g},{dy * 26.4:g})">{symbol(faces[direction], look.ink, 0.36)}</g>'
        for direction, (dx, dy) in DIRECTIONS.items()
    )
    corners = "".join(
        f"M{sx * (HALF - 2)} {sy * (HALF - 2)}L{sx * inner:g} {sy * inner:g}" for sx in (-1, 1) for sy in (-1, 1)
    )
    return (
        f'{_body(side)}<path d="{corners}" stroke="{look.ink}" stroke-width="1" opacity="0.55"/>'
        f"{_plate(side, faces['up'])}{edges}"
    )


def _block(block: Block) -> str:
    x, y = centre(block.square)
    told = ", ".join(f"{direction} {FACES[face]}" for direction, face in block.faces.items())
    return (
        f'<g transform="translate({x:g},{y:g})"><title>{SIDES[block.side]} {block.square}: {told}</title>'
        f"{_resting(block.side, block.faces)}</g>"
    )


def _ground() -> list[str]:
    """Return squares, stars, coordinates and the key of the symbols."""
    parts = []
    for file in range(7):
        for rank in range(7):
            shade = "#e6ebef" if (file + rank) % 2 == 0 else "#f3f6f8"
            parts.append(
                f'<rect x="{MARGIN + file * CELL}" y="{MARGIN + rank * CELL}" width="{CELL}" height="{CELL}" '
                f'fill="{shade}" stroke="#c3ccd4"/>'
            )
    for square, side in STARS.items():
        x, y = centre(square)
        parts.append(
            f'<polygon transform="translate({x:g},{y - 4:g})" points="{_star(25)}" fill="{LOOKS[side].body}" '
            f'stroke="{BORDER}" stroke-width="1.4"/>'
        )
        parts.append(svg.text(x, y + 31, f"{SIDES[1 - side]}'s exit", 10.5))
    for i in range(7):
        along = MARGIN + (i + 0.5) * CELL
        parts.append(svg.text(along, SIDE - 12, "abcdefg"[i], 14, svg.PALE))
        parts.append(svg.text(17, along + 5, str(7 - i), 14, svg.PALE))
    for i, (face, name) in enumerate(FACES.items()):
        x = MARGIN + 12 + i * (7 * CELL / 6)
        parts.append(f'<g transform="translate({x:g},{SIDE + CAPTION - 20})">{symbol(face, svg.INK, 0.6)}</g>')
        parts.append(svg.text(x + 14, SIDE + CAPTION - 15.5, f"{name} ({face})", 11.5, svg.PALE, "start"))
    return parts


def _caption(words: str) -> str:
    return svg.text(SIDE / 2, SIDE + 14, words, 16)


def _arrow(points: Sequence[tuple[float, float]], dashed: bool) -> str:
    """Return an arrow through points, its head at the last one."""
    (x0, y0), (x1, y1) = points[-2:]
    length = math.hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    neck = (x1 - 13 * ux, y1 - 13 * uy)
    head = f"M{x1:g} {y1:g}L{neck[0] - 8 * uy:g} {neck[1] + 8 * ux:g}L{neck[0] + 8 * uy:g} {neck[1] - 8 * ux:g}Z"
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in [*points[:-1], neck])
    dashes = ' stroke-dasharray="9 6"' if dashed else ""
    return (
        f'<path d="{path}" fill="none" stroke="#fff" stroke-width="9"/>'
        f'<path d="{head}" fill="{svg.ACCENT}" stroke="#fff" stroke-width="2.5"/>'
        f'<path d="{path}" fill="none" stroke="{svg.ACCENT}" stroke-width="5"{dashes}/>'
    )


def _move(move: Move) -> str:
    """Return what marks a move: the tipped block as a ghost, an arrow for the tip and a dashed one for the hop."""
    x0, y0 = centre(move.block.square)
    x1, y1 = centre(move.tip)
    ghost = (
        f'<g transform="translate({x1:g},{y1:g})" opacity="0.55">{_resting(move.block.side, move.after)}</g>'
        f'<rect x="{x1 - HALF:g}" y="{y1 - HALF:g}" width="{2 * HALF}" height="{2 * HALF}" fill="none" '
        f'stroke="{svg.ACCENT}" stroke-width="2.5" stroke-dasharray="4 4"/>'
    )
    dx, dy = (x1 - x0) / CELL, (y1 - y0) / CELL
    parts = [ghost, _arrow([(x0 + 18 * dx, y0 + 18 * dy), (x1 - 21 * dx, y1 - 21 * dy)], dashed=False)]
    if move.final is not None and move.final != move.tip:
        x2, y2 = centre(move.final)
        parts.append(
            f'<rect x="{x2 - HALF:g}" y="{y2 - HALF:g}" width="{2 * HALF}" height="{2 * HALF}" fill="none" '
            f'stroke="{svg.ACCENT}" stroke-width="4"/>'
        )
        length = math.hypot(x2 - x1, y2 - y1)
        # From the rim of the ghost, and bowed if it leads back over the block itself.
        start = (x1 + 24 * (x2 - x1) / length, y1 + 24 * (y2 - y1) / length)
        bow = 16 if move.final == move.block.square else 0
        middle = ((x1 + x2) / 2 + bow * dy, (y1 + y2) / 2 - bow * dx)
        end = (x2 - 6 * (x2 - x1) / length, y2 - 6 * (y2 - y1) / length)
        parts.append(_arrow([start, middle, end] if bow else [start, end], dashed=True))
    return "".join(parts)


def board(blocks: Sequence[Block], caption: str, description: str, move: Move | None = None) -> str:
    """Return an SVG document of the board, with a move drawn in it if one is given.

    Args:
        blocks: all blocks on the board.
        caption: one line below the board.
        description: the position in words, for those who do not see it.
        move: the move to show.
    """
    words = f"{caption}: {move.caption}" if move else caption
    parts = [*_ground(), *(_block(block) for block in blocks)]
    if move:
        parts.append(_move(move))
        caption = move.caption
    return svg.document(SIDE, SIDE + CAPTION, f"Deblockle board. {words}", description, [*parts, _caption(caption)])


# --- a line as an animation ------------------------------------------------------------------------------------

BEFORE, TIP, HOLD, HOP, AFTER, END = 1.2, 0.9, 0.35, 0.7, 0.8, 2.0
"""Seconds: before the first move, of a tip, of the look at what came up, of a hop, after a move, at the end."""

STEPS = 12


@dataclass
class Stay:
    """A block at rest from `begin` to `end`: it lies on `origin`, hops from `hop` on, and then lies on `square`."""

    block: Block
    origin: str
    square: str
    begin: float
    hop: float = 0.0
    gone: float | None = None
    end: float = 0.0


def animation(blocks: Sequence[Block], moves: Sequence[Move | None], captions: Sequence[str], description: str) -> str:
    """Return an SVG document in which the moves are played over and over, the cubes tipping over their edges.

    Args:
        blocks: all blocks on the board at the beginning.
        moves: the moves in order, None for a forced pass.
        captions: the words below the board: at the beginning, at every move, at the end.
        description: the line in words.
    """
    stays = [Stay(block, block.square, block.square, 0.0) for block in blocks]
    lying = {block.square: stay for block, stay in zip(blocks, stays, strict=True)}
    tips: list[tuple[Move, float]] = []
    spoken = [0.0]
    now = BEFORE
    for move in moves:
        spoken.append(now)
        if move is None:
            now += HOLD + HOP + AFTER
            continue
        lying.pop(move.block.square).end = now
        tips.append((move, now))
        now += TIP
        target = move.final or move.tip
        stay = Stay(Block(target, move.block.side, move.after), move.tip, target, now, now + HOLD)
        if move.final is None:
            stay.gone = now + HOLD
        else:
            lying[target] = stay
        stays.append(stay)
        now += HOLD + (HOP if target != move.tip or move.final is None else 0.0)
        if move.final is None:
            stay.end = now
        now += AFTER
    spoken.append(now)
    total = now + END
    clock = svg.Clock(total)
    parts = _ground()
    for number, words in enumerate(captions):
        until = spoken[number + 1] if number + 1 < len(captions) else total
        hidden = ' visibility="hidden"' if number else ""
        parts.append(f"<g{hidden}>{clock.shown(spoken[number], until)}{_caption(words)}</g>")
    parts += [_animated_stay(clock, stay, stay.end or total) for stay in stays]
    parts += [_animated_tip(clock, move, begin) for move, begin in tips]
    return svg.document(SIDE, SIDE + CAPTION, f"Deblockle: {len(moves)} moves, animated", description, parts)


def _animated_stay(clock: svg.Clock, stay: Stay, end: float) -> str:
    x0, y0 = centre(stay.origin)
    x1, y1 = centre(stay.square)
    moving = ""
    if (x0, y0) != (x1, y1):
        here, there = f"{x0:g},{y0:g}", f"{x1:g},{y1:g}"
        moving = clock.moved("translate", [(stay.hop, here), (stay.hop + HOP, there)])
    fading = clock.faded(stay.gone, stay.gone + HOP) if stay.gone is not None else ""
    hidden = ' visibility="hidden"' if stay.begin else ""
    return (
        f'<g{hidden}>{clock.shown(stay.begin, end)}<g transform="translate({x0:g},{y0:g})">{moving}{fading}'
        f"{_resting(stay.block.side, stay.block.faces)}</g></g>"
    )


def tipped(direction: str, progress: float) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return (translate, scale) of the old upper face and of the one that comes up, in the middle of a tip.

    The cube turns about its lower edge, seen from straight above: the old face narrows towards that edge, the new
    one grows behind it. Blocks are a little smaller than squares, so the edge slides on by the difference.
    """
    dx, dy = DIRECTIONS[direction]
    angle = progress * math.pi / 2
    cosine, sine = math.cos(angle), math.sin(angle)
    slide = (CELL - 2 * HALF) * progress
    back = HALF - 2 * HALF * cosine + slide
    seam = back + 2 * HALF * sine
    front = HALF + 2 * HALF * sine + slide

    def placed(low: float, high: float) -> tuple[str, str]:
        # Never quite flat: a scale of 0 cannot be inverted, and some viewers then drop the whole drawing.
        at, scale = (low + high) / 2, max(0.001, (high - low) / (2 * HALF))
        return f"{dx * at:.2f},{dy * at:.2f}", f"{scale if dx else 1:.4f},{scale if dy else 1:.4f}"

    return placed(seam, front), placed(back, seam)


def _eased(progress: float) -> float:
    """Slow at first, then falling over."""
    return progress * progress * (3 - 2 * progress)


def _animated_tip(clock: svg.Clock, move: Move, begin: float) -> str:
    x, y = centre(move.block.square)
    times = [begin + TIP * i / STEPS for i in range(STEPS + 1)]
    frames = [tipped(move.direction, _eased(i / STEPS)) for i in range(STEPS + 1)]
    faces = []
    for which, up in enumerate((move.block.faces["up"], move.after["up"])):
        places = [(time, frame[which][0]) for time, frame in zip(times, frames, strict=True)]
        scales = [(time, frame[which][1]) for time, frame in zip(times, frames, strict=True)]
        faces.append(
            f"<g>{clock.moved('translate', places)}<g>{clock.moved('scale', scales)}"
            f"{_body(move.block.side)}{_plate(move.block.side, up)}</g></g>"
        )
    return (
        f'<g visibility="hidden">{clock.shown(begin, begin + TIP)}<g transform="translate({x:g},{y:g})">'
        f"{''.join(faces)}</g></g>"
    )
