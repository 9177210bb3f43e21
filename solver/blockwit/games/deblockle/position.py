"""Deblockle: notation, position strings, drawing. The rules are in docs/rules/deblockle.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from blockwit import _deblockle
from blockwit.errors import MoveError, PositionError, quote
from blockwit.games.base import Game, Kind, Options, OptionSpec, OptionValue, Oracle, Position
from blockwit.games.deblockle import drawing as deblockle_svg

if TYPE_CHECKING:
    from rich.console import RenderableType

FACES = _deblockle.FACE_LETTERS
ORIENTATION_NAMES = _deblockle.ORIENTATION_NAMES
FACE_NAMES = {"S": "star", "T": "stop", "C": "cross", "X": "x", "L": "slider", "H": "hoops"}
HOPS = {
    "C": "a cross hops exactly one step orthogonally",
    "X": "an x hops exactly one step diagonally",
    "L": "a slider hops in a straight line, not through blocks",
    "H": "hoops make exactly three orthogonal single steps",
}
OPPOSITE = {"S": "T", "T": "S", "C": "X", "X": "C", "L": "H", "H": "L"}
SIDES = ("South", "North")
STARS = ("d2", "d6")
DIRECTIONS = ("north", "east", "south", "west")
MAX_HALFMOVE = 65535
MAX_BLOCKS_FOR_TABLES = 6
"""With more of them on the board a search hardly ever gets down to what the endgame tables hold."""

ORIENTATION = {name: index for index, name in enumerate(ORIENTATION_NAMES)}
SLIDERS = ("free", "full", "full_or_beside_star")

# Headings of docs/rules/deblockle.md, as anchors.
TURN, SETUP, END, NO_TOUCH = "the-turn-tip-then-hop", "set-up", "the-end", "variant-no-touching"

_PLAY, _ROLL, _PLACE = range(3)
_STEPS = (8, 1, -8, -1)
_TYPE_SHIFT = 20
_PASS = 3 << _TYPE_SHIFT

_BLOCK = re.compile(r"([a-g][1-7])([STCXLH]{3})")
_MOVE = re.compile(r"([a-g][1-7])([a-g][1-7])([a-g][1-7])?")
_SETUP = re.compile(r"setup:([1-4])v([1-4]):(-|[STCXLH]{1,4})")


def square_index(name: str) -> int:
    """Return the compiled index of a square, `rank * 8 + file` from 0."""
    return (int(name[1]) - 1) * 8 + ord(name[0]) - ord("a")


def square_name(index: int) -> str:
    """Inverse of `square_index`."""
    return "abcdefg"[index & 7] + str((index >> 3) + 1)


def faces_of(orientation: int) -> dict[str, str]:
    """Return the six faces of an orientation by the direction they look to."""
    up, north, east = tuple(ORIENTATION_NAMES[orientation])
    return {
        "up": up,
        "north": north,
        "east": east,
        "south": OPPOSITE[north],
        "west": OPPOSITE[east],
        "down": OPPOSITE[up],
    }


def move_token(action: int) -> str:
    """Write an action of the compiled game in the protocol's notation."""
    kind = action >> _TYPE_SHIFT
    if action == _PASS:
        return "0000"
    if kind == 1:
        return square_name(action & 63) + ORIENTATION_NAMES[action >> 6 & 31]
    if kind == 2:
        return "roll:" + "".join(face * (action >> 3 * i & 7) for i, face in enumerate(FACES))
    origin, tip, final = action & 63, action >> 6 & 63, action >> 12 & 63
    return square_name(origin) + square_name(tip) + (square_name(final) if final != tip else "")


def _read_blocks(text: str, side: str) -> list[tuple[int, int]]:
    if text == "-":
        return []
    blocks = []
    parts = text.split(",")
    if len(parts) > 4:
        raise PositionError(f"{side}: {len(parts)} blocks, expected at most 4")
    for part in parts:
        match = _BLOCK.fullmatch(part)
        if not match:
            raise PositionError(
                f"{side}: {quote(part)} is no block, expected square + up + north + east face like c1SLX"
            )
        square, faces = match.groups()
        if faces not in ORIENTATION:
            up, north, east = tuple(faces)
            if len({up, north, east, OPPOSITE[up], OPPOSITE[north], OPPOSITE[east]}) < 6:
                why = "these three faces do not meet in a corner (opposite pairs: S-T, C-X, L-H)"
            else:
                why = f"a mirror image of the cube; with {up} up and {north} north, east is {OPPOSITE[east]}"
            raise PositionError(f"{side}: block {part}: {why}")
        if square in STARS:
            raise PositionError(f"{side}: block {part}: {square} is a star square, no block can stand there")
        blocks.append((square_index(square), ORIENTATION[faces]))
    return blocks


def _restored(raw: bytes, past: tuple[int, ...]) -> DeblocklePosition:
    """Make a position from what it is pickled as."""
    return DeblocklePosition(_deblockle.State.from_raw(raw), past)


class DeblocklePosition(Position):
    """A position of Deblockle with the keys of the positions that may recur."""

    def __init__(self, core_state: _deblockle.State, past: tuple[int, ...] = ()) -> None:
        self.core = core_state
        self._past = past

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeblocklePosition):
            return NotImplemented
        return self.core == other.core and self._past == other._past

    def __hash__(self) -> int:
        return hash(self.core)

    def __repr__(self) -> str:
        return f"<Deblockle {self.fen()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.core.raw(), self._past)

    # --- what the position is ------------------------------------------------------------------------------

    def fen(self) -> str:
        """Return the position string, blocks by rising rank and file."""
        fields = [
            ",".join(square_name(at) + ORIENTATION_NAMES[turned] for at, turned in self.core.blocks(side)) or "-"
            for side in (0, 1)
        ]
        fields += ["sn"[self.core.side], str(self.core.halfmove)]
        if self.core.phase != _PLAY:
            south, north = self.core.handicap
            fields.append(f"setup:{south}v{north}:{self._unplaced() or '-'}")
        return " ".join(fields)

    def _unplaced(self) -> str:
        return "".join(face * count for face, count in zip(FACES, self.core.unplaced, strict=True))

    @cached_property
    def occurrences(self) -> int:
        """How often this position has stood on the board, counting now."""
        return 1 + self._past.count(self.core.key)

    @cached_property
    def _kind(self) -> Kind:
        limit = self._repetition
        if self.core.phase == _PLAY and limit and self.occurrences >= limit:
            return Kind.TERMINAL
        return Kind(self.core.kind)

    @property
    def _repetition(self) -> int:
        return self.core.repetition

    def kind(self) -> Kind:
        """Tell what comes next; a third occurrence ends the game."""
        return self._kind

    def player(self) -> int:
        """Return 0 for South, 1 for North: whose turn, roll or placement it is."""
        return self.core.side

    def result(self) -> str | None:
        """Return how the game ended, or None."""
        if self._kind is not Kind.TERMINAL:
            return None
        for side in (0, 1):
            if not self.core.blocks(side):
                return f"{SIDES[side]} wins"
        if self.core.kind == Kind.TERMINAL:
            return "draw: both sides are blocked"
        return "draw: third occurrence of the position"

    def returns(self) -> tuple[float, ...]:
        """Return 1 for a win, -1 for a loss, 0 for a draw or an unfinished game."""
        result = self.result()
        if result is None or result.startswith("draw"):
            return 0.0, 0.0
        return (1.0, -1.0) if result == "South wins" else (-1.0, 1.0)

    def evaluate(self) -> tuple[float, ...]:
        """Return the expected result of South and North as the static evaluation sees it."""
        return self.core.evaluate() if self._kind is not Kind.TERMINAL else self.returns()

    # --- moves ---------------------------------------------------------------------------------------------

    @cached_property
    def _legal(self) -> dict[str, int]:
        """Legal moves or outcomes by token, in the generator's order."""
        if self._kind is Kind.TERMINAL:
            return {}
        actions = self.core.actions() or [outcome for outcome, _ in self.core.outcomes()]
        return {move_token(action): action for action in actions}

    def count(self) -> int:
        """Return the number of legal moves or outcomes."""
        return len(self._legal)

    def tokens(self, start: int = 0, count: int | None = None) -> list[str]:
        """Return the legal moves or outcomes from number `start`, at most `count`."""
        return list(self._legal)[start : None if count is None else start + count]

    def chances(self) -> dict[str, float]:
        """Return the probability of each outcome at a chance node."""
        return {move_token(outcome): chance for outcome, chance in self.core.outcomes()}

    def play(self, token: str) -> Self:
        """Return the position after a move, placement or roll. Raises MoveError."""
        (action,) = self.actions(token)
        after = self.core.apply(action)
        # Exits and the set-up cannot be taken back: nothing before them can recur.
        reversible = self.core.phase == _PLAY and len(after.blocks(self.core.side)) == len(
            self.core.blocks(self.core.side)
        )
        return type(self)(after, (*self._past, self.core.key) if reversible else ())

    def actions(self, token: str) -> tuple[int, ...]:
        """Return the compiled action of a legal token. Raises MoveError, naming the rule that forbids it."""
        if token.startswith("roll:") and self._kind is Kind.CHANCE:
            token = self._checked_roll(token)
        action = self._legal.get(token)
        if action is None:
            why, rule = self.why_illegal(token)
            raise MoveError(f"{quote(token)}: {why}", rule)
        return (action,)

    def _checked_roll(self, token: str) -> str:
        faces = token.removeprefix("roll:")
        dice = self.core.handicap[self.core.side ^ 1]
        if len(faces) != dice or any(face not in FACES for face in faces):
            raise MoveError(f"{quote(token)}: expected roll: and {dice} of the faces {FACES}", SETUP)
        return "roll:" + "".join(sorted(faces, key=FACES.index))

    def why_illegal(self, token: str) -> tuple[str, str]:
        """Say which rule an illegal token breaks here, and under which heading of the rules it stands."""
        if self._kind is Kind.TERMINAL:
            return f"the game is over ({self.result()})", END
        if self._kind is Kind.CHANCE:
            dice = self.core.handicap[self.core.side ^ 1]
            return f"{SIDES[self.core.side]} rolls first, expected roll: and {dice} of the faces {FACES}", SETUP
        if token.startswith("roll:"):
            return "no dice are to be rolled here", SETUP
        if self.core.phase == _PLACE:
            return self._why_no_placement(token), SETUP
        if "0000" in self._legal:
            return "no move is possible, expected the forced pass 0000", END
        if token == "0000":
            return "a pass is legal only when no other move is", END
        match = _MOVE.fullmatch(token)
        if not match:
            return "not a move, expected from, tip and final square like c1c2e4 (or c1c2), or 0000", ""
        return self._why_no_move(*match.groups())

    def _why_no_placement(self, token: str) -> str:
        match = _BLOCK.fullmatch(token)
        if not match:
            return "not a placement, expected square + up + north + east face like c5XLT"
        square, faces = match.groups()
        if faces not in ORIENTATION:
            return f"{faces} is no orientation of the cube"
        if faces[0] not in self._unplaced():
            return f"face {faces[0]} is not left to place, expected one of {self._unplaced()}"
        free = sorted({name[:2] for name in self._legal})
        return f"{square} is not a free start square, expected one of {', '.join(free)}"

    def _why_no_move(self, origin: str, tip: str, final: str | None) -> tuple[str, str]:
        side = self.core.side
        own, other = dict(self.core.blocks(side)), dict(self.core.blocks(side ^ 1))
        start, tipped = square_index(origin), square_index(tip)
        if start not in own:
            return f"{SIDES[side]} has no block on {origin}", TURN
        if tipped - start not in _STEPS:
            return f"{tip} is not one orthogonal step from {origin}", TURN
        if tipped in own or tipped in other:
            return f"{tip} is occupied", TURN
        face = ORIENTATION_NAMES[_deblockle.tip(own[start], _STEPS.index(tipped - start))][0]
        comes_up = f"the tip brings up {FACE_NAMES[face]}"
        if face == "S":
            goal = STARS[side ^ 1]
            if tip != goal:
                return f"{comes_up}, which is legal only onto {goal}", TURN
            return f"{comes_up} and the block leaves the board, expected {origin}{tip}", TURN
        if tip in STARS:
            return f"{comes_up}, and only a star may be tipped onto a star square", TURN
        finals = [token[4:6] or tip for token in self._legal if token[:4] == origin + tip]
        if face == "T":
            if finals:
                return f"{comes_up} and the block stays, expected {origin}{tip}", TURN
            return f"{comes_up} and the block stays; there it would touch an opponent's block", NO_TOUCH
        if not finals:
            return f"{comes_up} and the block has no square to hop to", TURN
        if final is None:
            return f"{comes_up} and the block must hop, expected one of {', '.join(finals)} after the tip", TURN
        hops = f"{HOPS[face]}, from {tip} the block can hop to {', '.join(finals)}"
        if final in STARS:
            return f"{comes_up}, and no hop ends on a star square: {hops}", TURN
        landed = square_index(final)
        if landed in other or (landed in own and landed != start):
            return f"{comes_up}, and {final} is occupied: {hops}", TURN
        return f"{comes_up}, and {hops}", TURN

    def roll(self, seed: int) -> str:
        """Return the token of a roll drawn from `seed`. Raises MoveError where nothing is rolled."""
        if self._kind is not Kind.CHANCE:
            raise MoveError("no dice are to be rolled here", SETUP)
        return move_token(self.core.roll(seed % 2**64))

    def line(self, actions: Sequence[int]) -> list[str]:
        """Return a line of actions as tokens."""
        return [move_token(action) for action in actions]

    def perft(self, depth: int, stop: bytearray | None = None) -> int:
        """Count move sequences by the rules alone (no draws); `stop[0] = 1` from another thread ends it.

        Raises:
            PositionError: during the set-up, or a depth outside 0 to 64.
        """
        try:
            return self.core.perft(depth, stop if stop is not None else bytearray(1))
        except ValueError as error:
            raise PositionError(str(error)) from None

    def divide(self, depth: int, stop: bytearray | None = None) -> Iterator[tuple[str, int]]:
        """Yield each move with the number of sequences that begin with it; raises like `perft`."""
        flag = stop if stop is not None else bytearray(1)
        try:
            for move in self.core.moves():
                yield move_token(move), self.core.perft(depth - 1, flag, move)
        except ValueError as error:
            raise PositionError(str(error)) from None

    # --- for searchers, front ends and people --------------------------------------------------------------

    def raw(self) -> bytes:
        """Return the compiled state."""
        return self.core.raw()

    def history(self) -> Sequence[int]:
        """Return the keys of the positions since the last exit; none where no repetition draws."""
        return self._past if self._repetition else ()

    def state(self) -> dict[str, Any]:
        """Return the board, blocks with all six faces, legal moves and result, ready for JSON."""
        blocks = [
            {"square": square_name(at), "side": "sn"[side], **faces_of(turned)}
            for side in (0, 1)
            for at, turned in self.core.blocks(side)
        ]
        return {
            "game": GAME.name,
            "fen": self.fen(),
            "phase": ("play", "roll", "place")[self.core.phase],
            "turn": "sn"[self.core.side],
            "kind": self._kind.name.lower(),
            "files": "abcdefg",
            "ranks": 7,
            "stars": {"s": STARS[0], "n": STARS[1]},
            "blocks": blocks,
            "unplaced": self._unplaced(),
            "halfmove": self.core.halfmove,
            "occurrences": self.occurrences,
            "turns_left": [self.core.turns_left(0), self.core.turns_left(1)],
            "legal": self.tokens() if self._kind is Kind.DECISION else [],
            "result": self.result(),
            "returns": list(self.returns()),
        }

    def text(self) -> str:
        """Draw the board with the face up of each block, South's as `X`, North's as `(X)`."""
        cells = dict.fromkeys(STARS, " * ")
        for side, frame in enumerate((" {} ", "({})")):
            for at, turned in self.core.blocks(side):
                cells[square_name(at)] = frame.format(ORIENTATION_NAMES[turned][0])
        lines = ["     " + "   ".join("abcdefg")]
        for rank in range(7, 0, -1):
            row = " ".join(cells.get(f"{file}{rank}", " . ") for file in "abcdefg")
            lines.append(f" {rank}  {row}  {rank}")
        lines.append(lines[0])
        for side, name in enumerate(SIDES):
            shown = (square_name(at) + " " + ORIENTATION_NAMES[turned] for at, turned in self.core.blocks(side))
            lines.append(f"{name}: " + (", ".join(shown) or "none left"))
        if self._kind is Kind.TERMINAL:
            lines.append(f"Over: {self.result()}")
        else:
            doing = ("to move", "to roll", f"to place {self._unplaced()}")[self.core.phase]
            lines.append(f"{SIDES[self.core.side]} {doing}")
        lines.append(f"Position: {self.fen()}")
        return "\n".join(lines)

    def is_setup(self) -> bool:
        """Tell whether blocks are still being placed."""
        return self.core.phase != _PLAY

    def choices(self) -> list[tuple[str, list[str]]]:
        """Group the legal moves by block and tip, each with the face that comes up."""
        if self.core.phase != _PLAY or "0000" in self._legal:
            return super().choices()
        groups: dict[str, list[str]] = {}
        own = dict(self.core.blocks(self.core.side))
        for token in self._legal:
            origin, tip = square_index(token[:2]), square_index(token[2:4])
            direction = _STEPS.index(tip - origin)
            face = ORIENTATION_NAMES[_deblockle.tip(own[origin], direction)][0]
            heading = f"{token[:2]} {DIRECTIONS[direction]}: {FACE_NAMES[face]}"
            groups.setdefault(heading, []).append(token)
        return list(groups.items())

    def picture(self) -> RenderableType:
        """Draw the board in colours, each block with its faces up, north, east, south and west."""
        # Rich is slow to import, and the stdio engine never draws with it.
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        shown: dict[str, Text] = {}
        for star in STARS:
            shown[star] = Text("\n★\n", style="yellow", justify="center")
        for side, style in enumerate(("black on bright_yellow", "bright_white on blue")):
            for at, turned in self.core.blocks(side):
                f = faces_of(turned)
                shown[square_name(at)] = Text(
                    f"  {f['north']}  \n{f['west']} {f['up']} {f['east']}\n  {f['south']}  ", style=style
                )
        table = Table(show_header=True, show_lines=True, box=box.SQUARE, padding=(0, 0), pad_edge=False)
        table.add_column("")
        for file in "abcdefg":
            table.add_column(file, width=5, justify="center")
        for rank in range(7, 0, -1):
            row = [shown.get(f"{file}{rank}", Text("\n\n")) for file in "abcdefg"]
            table.add_row(f"\n{rank}", *row)
        return Group(table, Text(f"South yellow, North blue. {self.text().splitlines()[-2]}."))

    def svg(self, move: str | None = None) -> str:
        """Draw the board as SVG, each block with the face up and the four side faces, and a move if one is given."""
        *_, south, north, doing, _ = self.text().splitlines()
        drawn = None
        if move is not None:
            self.actions(move)
            drawn = self._drawn(move) if self.core.phase == _PLAY else None
        return deblockle_svg.board(self._blocks(), doing, f"{south}. {north}.", drawn)

    def animation(self, line: Sequence[str]) -> str:
        """Draw the line as one animated SVG, the cubes tipping over their edges; see `Position.animation`."""
        if self.core.phase != _PLAY:
            return super().animation(line)
        moves: list[deblockle_svg.Move | None] = []
        captions = [self.text().splitlines()[-2]]
        position = self
        for number, token in enumerate(line, 1):
            position.actions(token)
            move = position._drawn(token)
            moves.append(move)
            passes = f"{SIDES[position.player()]} has no move and passes"
            captions.append(f"{number}. {move.caption if move else passes}")
            position = position.play(token)
        captions.append(position.text().splitlines()[-2])
        return deblockle_svg.animation(self._blocks(), moves, captions, ". ".join(captions))

    def _blocks(self) -> list[deblockle_svg.Block]:
        return [
            deblockle_svg.Block(square_name(at), side, faces_of(turned))
            for side in (0, 1)
            for at, turned in self.core.blocks(side)
        ]

    def _drawn(self, token: str) -> deblockle_svg.Move | None:
        """Return what a drawing shows of a legal move, None of a pass."""
        if token == "0000":
            return None
        origin, tip, final = token[:2], token[2:4], token[4:] or token[2:4]
        side, start, tipped = self.core.side, square_index(origin), square_index(tip)
        turned = dict(self.core.blocks(side))[start]
        direction = _STEPS.index(tipped - start)
        block = deblockle_svg.Block(origin, side, faces_of(turned))
        after = faces_of(_deblockle.tip(turned, direction))
        stays = None if after["up"] == "S" else final
        return deblockle_svg.Move(token, block, DIRECTIONS[direction], tip, stays, after)


class Deblockle(Game):
    """The game Deblockle."""

    name: ClassVar[str] = "deblockle"
    title: ClassVar[str] = "Deblockle"
    players: ClassVar[tuple[str, ...]] = SIDES
    unit: ClassVar[str] = "result"
    options: ClassVar[tuple[OptionSpec, ...]] = (
        OptionSpec("slider", "combo", "free", SLIDERS, help="where a slider may stop"),
        OptionSpec("nohop", "combo", "illegal", ("illegal", "end_turn"), help="a tip whose hop has no target"),
        OptionSpec("repetition", "combo", "3", ("3", "off"), help="occurrences of a position that draw"),
        OptionSpec("no_touch", "check", False, help="no move may end beside an opponent's block"),
        OptionSpec("south_blocks", "spin", 4, low=1, high=4, help="blocks South starts with"),
        OptionSpec("north_blocks", "spin", 4, low=1, high=4, help="blocks North starts with"),
    )
    form: ClassVar[str] = "<south> <north> <side> [<halfmove> [setup:...]]"
    algorithms: ClassVar[tuple[str, ...]] = ("alphabeta", "expectimax", "mcts")
    facets: ClassVar[Mapping[str, str]] = {
        "alphabet": "blockwit.games.deblockle.alphabet:ALPHABET",
        "tablebase": "blockwit.games.deblockle.building:TABLEBASE",
        "view": "blockwit.games.deblockle.view:VIEW",
    }
    bench: ClassVar[tuple[tuple[str, int], ...]] = (
        ("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", 4),
        ("c1XLT,e1XLT,c3XLT,e3XLT c5XHS,c7XHS,e5XHS,e7XHS n", 4),
        ("d5CLS,e6TLC c6SLX,d4CTL,d7XHS,f6XLT n", 5),
        ("c4XTH,f1LCT a3XTH,b6LXS,e3SCL,e4XTH n", 5),
        ("a1XTH,b1XTH,c1XTH,d1XLT c7THX,e7XLT,c5XLT,e5CLS s", 3),
        ("d1XLT d7XLT s", 9),
        ("d1CTL d7HSX n", 9),
        ("c1SLX,e1LTX,c3XLT c5XLT,e5CLS,c7THX,e7XLT n 0 setup:4v4:X", 3),
    )

    def _empty(self, options: dict[str, OptionValue]) -> _deblockle.State:
        return _deblockle.State(
            SLIDERS.index(str(options["slider"])),
            options["nohop"] == "end_turn",
            bool(options["no_touch"]),
            3 if options["repetition"] == "3" else 0,
        )

    def fits(self, fields: Sequence[str]) -> bool:
        """Tell whether a position string has as many fields as this game's."""
        return 3 <= len(fields) <= 5

    def start(self, options: Options) -> DeblocklePosition:
        """Return the position before South's roll for the north blocks."""
        read = self.read_options(options)
        return DeblocklePosition(self._empty(read).set_up(int(read["south_blocks"]), int(read["north_blocks"])))

    def parse(self, text: str, options: Options) -> DeblocklePosition:
        """Read `<south> <north> <side> [<halfmove> [setup:...]]`; see docs/protocol.md. Raises PositionError."""
        read = self.read_options(options)
        fields = text.split()
        if not 3 <= len(fields) <= 5:
            raise PositionError(
                f"{len(fields)} fields, expected <south> <north> <side> and at most <halfmove> and setup:..."
            )
        if fields[2] not in ("s", "n"):
            raise PositionError(f"side {quote(fields[2])}, expected s or n")
        halfmove = fields[3] if len(fields) > 3 else "0"
        if not (halfmove.isascii() and halfmove.isdigit() and len(halfmove) < 6 and int(halfmove) <= MAX_HALFMOVE):
            raise PositionError(f"halfmove {quote(halfmove)}, expected a whole number up to {MAX_HALFMOVE}")
        south, north = _read_blocks(fields[0], "south"), _read_blocks(fields[1], "north")
        twice = [at for at, number in Counter(at for at, _ in south + north).items() if number > 1]
        if twice:
            raise PositionError(f"two blocks stand on {square_name(twice[0])}")
        side = "sn".index(fields[2])
        empty = self._empty(read)
        if len(fields) == 5:
            return DeblocklePosition(self._parse_setup(empty, south, north, side, int(halfmove), fields[4]))
        if not south and not north:
            raise PositionError("neither side has a block left, expected at least one")
        return DeblocklePosition(empty.replaced(south, north, side, int(halfmove)))

    @staticmethod
    def _parse_setup(
        empty: _deblockle.State,
        south: list[tuple[int, int]],
        north: list[tuple[int, int]],
        side: int,
        halfmove: int,
        field: str,
    ) -> _deblockle.State:
        match = _SETUP.fullmatch(field)
        if not match:
            raise PositionError(f"{quote(field)}, expected setup: blocks v blocks : faces left, like setup:4v4:XLCH")
        handicap = int(match[1]), int(match[2])
        faces = "" if match[3] == "-" else match[3]
        done = len(north) if side == 1 else 0
        if (south and side == 0) or (side == 1 and done != handicap[1]):
            raise PositionError("South places all north blocks first, then North the south blocks")
        try:
            return empty.replaced(
                south, north, side, halfmove, _PLACE if faces else _ROLL, [faces.count(f) for f in FACES], handicap
            )
        except ValueError as error:
            raise PositionError(f"{field}: {error}") from None

    def algorithm(self, position: Position) -> str:
        """Return expectimax for the set-up with its dice, alpha-beta for the play."""
        return "expectimax" if position.is_setup() else "alphabeta"

    def oracle(self, position: Position, folder: str) -> Oracle | None:
        """Return the endgame tables for the rules of `position` where few blocks are left."""
        from blockwit.games.deblockle import tables as deblockle_tables

        assert isinstance(position, DeblocklePosition)
        blocks = sum(len(position.core.blocks(side)) for side in (0, 1))
        if position.is_setup() or blocks > MAX_BLOCKS_FOR_TABLES:
            return None
        return deblockle_tables.oracle(position.core.rules, folder)

    def prepare(self, position: Position, folder: str) -> None:
        """Load or make the endgame tables for the rules of `position`."""
        from blockwit.games.deblockle import tables as deblockle_tables

        assert isinstance(position, DeblocklePosition)
        deblockle_tables.oracle(position.core.rules, folder)

    def tables(self, folder: str) -> tuple[list[str], list[str]]:
        """Return the tables of one block against two in a folder, and what is wrong with others."""
        from blockwit.games.deblockle import tablefiles

        names, wrong = [], []
        for table in tablefiles.found(Path(folder)):
            if isinstance(table, tablefiles.TableFile):
                names.append(table.path.name)
                table.file.close()
            else:
                wrong.append(str(table))
        return names, wrong

    def turn(self, player: int) -> str:
        """Return s or n."""
        return "sn"[player]

    def capsule(self) -> object:
        """Return the compiled game."""
        return _deblockle.capsule()


GAME = Deblockle()
DeblocklePosition.game = GAME
