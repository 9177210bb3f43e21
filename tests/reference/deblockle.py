"""Deblockle, straight from the rule text: lists, loops and face letters, no tables and no bitboards.

Squares are (file, rank), both counted from 0, so a1 is (0, 0) and g7 is (6, 6).
An orientation is the faces (up, north, east); the other three faces lie opposite to these.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Literal, get_args

Square = tuple[int, int]
Orientation = tuple[str, str, str]
Side = Literal["s", "n"]
SliderRule = Literal["free", "full", "full_or_beside_star"]
NohopRule = Literal["illegal", "end_turn"]
RepetitionRule = Literal["3", "off"]

SIZE = 7
SQUARES: list[Square] = [(file, rank) for rank in range(SIZE) for file in range(SIZE)]
ORTHOGONAL: list[Square] = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL: list[Square] = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
SIDES: list[Side] = ["s", "n"]
HOME: dict[Side, Square] = {"s": (3, 1), "n": (3, 5)}
STARS: list[Square] = list(HOME.values())
PASS = "0000"
MAX_BLOCKS = 4

FACES = "STCXLH"
OPPOSITE = {"S": "T", "T": "S", "C": "X", "X": "C", "L": "H", "H": "L"}
# "With S up, seen from above, clockwise from north: L, X, H, C."
REFERENCE: Orientation = ("S", "L", "X")

# "Suggested starts: 1: d1 / d7. 2: c1 e1 / c7 e7. 3: c1 e1 d3 / c7 e7 d5", and all four.
STARTS: dict[Side, dict[int, list[str]]] = {
    "s": {1: ["d1"], 2: ["c1", "e1"], 3: ["c1", "e1", "d3"], 4: ["c1", "e1", "c3", "e3"]},
    "n": {1: ["d7"], 2: ["c7", "e7"], 3: ["c7", "e7", "d5"], 4: ["c5", "e5", "c7", "e7"]},
}


@dataclass(frozen=True)
class Options:
    """The rule options, the defaults of the rule text first."""

    slider: SliderRule = "free"
    nohop: NohopRule = "illegal"
    repetition: RepetitionRule = "3"
    no_touch: bool = False

    def __post_init__(self) -> None:
        """Refuse a value that the rule text does not name."""
        for name, value, choices in [
            ("slider", self.slider, get_args(SliderRule)),
            ("nohop", self.nohop, get_args(NohopRule)),
            ("repetition", self.repetition, get_args(RepetitionRule)),
            ("no_touch", self.no_touch, (False, True)),
        ]:
            if value not in choices:
                raise ValueError(f"option {name}: {value!r} is not one of {choices}")


DEFAULT_OPTIONS = Options()


@dataclass(frozen=True, order=True)
class Block:
    """One block: where it stands and how it lies."""

    square: Square
    orientation: Orientation


@dataclass(frozen=True)
class State:
    """The blocks of both sides and the side to move; blocks are kept in order of squares."""

    south: tuple[Block, ...]
    north: tuple[Block, ...]
    side: Side

    def __post_init__(self) -> None:
        """Sort the blocks, so that the same position is the same value; refuse what is no position."""
        object.__setattr__(self, "south", tuple(sorted(self.south, key=reading_order)))
        object.__setattr__(self, "north", tuple(sorted(self.north, key=reading_order)))
        squares = [block.square for block in self.south + self.north]
        if len(set(squares)) < len(squares):
            raise ValueError("two blocks on one square")
        if max(len(self.south), len(self.north)) > MAX_BLOCKS:
            raise ValueError(f"more than {MAX_BLOCKS} blocks on one side")
        if not squares:
            raise ValueError("no blocks at all")

    def blocks(self, side: Side) -> tuple[Block, ...]:
        """Return the blocks that a side owns."""
        return self.south if side == "s" else self.north

    def with_blocks(self, side: Side, blocks: tuple[Block, ...]) -> "State":
        """Return the same state with other blocks for one side."""
        return replace(self, south=blocks) if side == "s" else replace(self, north=blocks)


# --- squares, orientations, notation


def reading_order(block: Block) -> tuple[int, int]:
    """Return the order in which positions list blocks: rank by rank from the south, then from the west."""
    file, rank = block.square
    return rank, file


def other(side: Side) -> Side:
    """Return the opponent of a side."""
    return "n" if side == "s" else "s"


def add(square: Square, step: Square) -> Square:
    """Return the square one step away, perhaps off the board."""
    return square[0] + step[0], square[1] + step[1]


def on_board(square: Square) -> bool:
    """Whether a square is one of the 7x7."""
    return square in SQUARES


def square_name(square: Square) -> str:
    """Return the name of a square: a file letter and a rank digit."""
    return "abcdefg"[square[0]] + str(square[1] + 1)


def parse_square(text: str) -> Square:
    """Return the square with a name."""
    for square in SQUARES:
        if square_name(square) == text:
            return square
    raise ValueError(f"no such square: {text!r}")


def tip_orientation(orientation: Orientation, step: Square) -> Orientation:
    """Roll a cube one step.

    "Tipping north: up<-south, north<-up ... East: up<-west, east<-up ... And so on."
    """
    up, north, east = orientation
    if step == (0, 1):
        return OPPOSITE[north], up, east
    if step == (0, -1):
        return north, OPPOSITE[up], east
    if step == (1, 0):
        return OPPOSITE[east], north, up
    return east, north, OPPOSITE[up]


def all_orientations() -> list[Orientation]:
    """Every orientation that a cube can be rolled into: "24 orientations, no mirror symmetry"."""
    found = [REFERENCE]
    for orientation in found:
        for step in ORTHOGONAL:
            rolled = tip_orientation(orientation, step)
            if rolled not in found:
                found.append(rolled)
    return sorted(found)


ORIENTATIONS = all_orientations()


def parse_block(text: str) -> Block:
    """Read "square + up + north + east"."""
    if len(text) != 5:
        raise ValueError(f"a block is a square and three faces, not {text!r}")
    orientation = (text[2], text[3], text[4])
    if orientation not in ORIENTATIONS:
        raise ValueError(f"a block cannot lie like this: {text!r}")
    return Block(parse_square(text[:2]), orientation)


def format_block(block: Block) -> str:
    """Write "square + up + north + east"."""
    return square_name(block.square) + "".join(block.orientation)


def parse(text: str) -> State:
    """Read a position, "<south> <north> <side> [<halfmove>]"; the half-move count is dropped."""
    fields = text.split()
    if len(fields) not in (3, 4):
        raise ValueError(f"a position has three or four fields, not {len(fields)}")
    if len(fields) == 4 and not (fields[3].isascii() and fields[3].isdigit()):
        raise ValueError(f"the half-move count is not a number: {fields[3]!r}")
    south, north = (
        () if field == "-" else tuple(parse_block(token) for token in field.split(",")) for field in fields[:2]
    )
    for side in SIDES:
        if fields[2] == side:
            return State(south, north, side)
    raise ValueError(f"the side to move is s or n, not {fields[2]!r}")


def format_blocks(blocks: Sequence[Block]) -> str:
    """Write the blocks of one side, `-` for none."""
    return ",".join(format_block(block) for block in blocks) or "-"


def format_state(state: State) -> str:
    """Write a position, without the half-move count."""
    return f"{format_blocks(state.south)} {format_blocks(state.north)} {state.side}"


# --- the turn: tip, then hop the same block


def hop_targets(square: Square, face: str, open_squares: Sequence[Square], slider: SliderRule) -> list[Square]:
    """Where a block with this face up may hop: "may pass over star squares, never ends on one".

    The open squares are those without a block; the square that the hopping block stands on is one of them.
    """
    if face == "C":
        ends = one_step(square, ORTHOGONAL, open_squares)
    elif face == "X":
        ends = one_step(square, DIAGONAL, open_squares)
    elif face == "L":
        ends = slide_ends(square, open_squares, slider)
    else:
        ends = hoops_ends(square, open_squares)
    return [end for end in ends if end not in STARS]


def one_step(square: Square, steps: Sequence[Square], open_squares: Sequence[Square]) -> list[Square]:
    """Cross and X: "exactly one orthogonal step", "exactly one diagonal step (also between two blocks)"."""
    return [add(square, step) for step in steps if add(square, step) in open_squares]


def slide_ends(square: Square, open_squares: Sequence[Square], slider: SliderRule) -> list[Square]:
    """Slider: "orthogonal, one square or more, not through blocks", and the option `slider`."""
    ends = []
    for step in ORTHOGONAL:
        path = []
        reached = add(square, step)
        while reached in open_squares:
            path.append(reached)
            reached = add(reached, step)
        if slider == "free":
            ends += path
        else:
            ends += path[-1:]
        if slider == "full_or_beside_star":
            ends += [stop for stop in path[:-1] if any(add(stop, side) in STARS for side in ORTHOGONAL)]
    return ends


def hoops_ends(square: Square, open_squares: Sequence[Square]) -> list[Square]:
    """Hoops: "exactly three orthogonal single steps, each onto an open square, revisits allowed"."""
    reached = {square}
    for _ in range(3):
        reached = {end for start in reached for end in one_step(start, ORTHOGONAL, open_squares)}
    return sorted(reached)


def touches_opponent(square: Square, opponents: Sequence[Block]) -> bool:
    """Variant `no_touch`: "no move may end orthogonally next to an opponent's block"."""
    return any(add(square, step) == block.square for step in ORTHOGONAL for block in opponents)


def turn_ends(state: State, block: Block, step: Square, options: Options) -> list[Square]:
    """Return the final squares of a block tipped one step; its own tip square when it stays or exits."""
    tip = add(block.square, step)
    others = [each.square for each in state.south + state.north if each != block]
    if not on_board(tip) or tip in others:
        return []
    up = tip_orientation(block.orientation, step)[0]
    exits = tip == HOME[other(state.side)]
    if up == "S":  # "legal only onto the opponent's home star; the block leaves the board and the turn ends"
        return [tip] if exits else []
    if tip in STARS:  # "Anything else comes up: neither star square may be entered."
        return []
    if up == "T":  # "no hop, the turn ends"
        ends = [tip]
    else:
        open_squares = [square for square in SQUARES if square not in others]
        ends = hop_targets(tip, up, open_squares, options.slider)
        if not ends and options.nohop == "end_turn":
            ends = [tip]
    if options.no_touch:
        ends = [end for end in ends if not touches_opponent(end, state.blocks(other(state.side)))]
    return ends


def moves_by_name(state: State, options: Options) -> dict[str, State]:
    """Every move of a block and the state after it: "a move is (block, tip direction, final square)"."""
    moves: dict[str, State] = {}
    own = state.blocks(state.side)
    for block in own:
        rest = tuple(each for each in own if each != block)
        for step in ORTHOGONAL:
            tip = add(block.square, step)
            orientation = tip_orientation(block.orientation, step)
            for end in turn_ends(state, block, step, options):
                name = square_name(block.square) + square_name(tip)
                if end != tip:
                    name += square_name(end)
                left = rest if orientation[0] == "S" else (*rest, Block(end, orientation))
                moves[name] = replace(state.with_blocks(state.side, left), side=other(state.side))
    return moves


def winner(state: State) -> Side | None:
    """Return the winner, if any: "first to remove all own blocks wins at once"."""
    for side in SIDES:
        if not state.blocks(side):
            return side
    return None


def legal_moves(state: State, options: Options = DEFAULT_OPTIONS) -> list[str]:
    """Return the legal moves, sorted: none in a finished game, the pass of a deblockle'd player."""
    if winner(state):
        return []
    return sorted(moves_by_name(state, options)) or [PASS]


def apply(state: State, move: str, options: Options = DEFAULT_OPTIONS) -> State:
    """Return the state after a legal move."""
    if move not in legal_moves(state, options):
        raise ValueError(f"illegal move: {move!r}")
    if move == PASS:
        return replace(state, side=other(state.side))
    return moves_by_name(state, options)[move]


def both_blocked(state: State, options: Options = DEFAULT_OPTIONS) -> bool:
    """Whether neither side has a move, whoever is to move: "both blocked: draw"."""
    return all(legal_moves(replace(state, side=side), options) == [PASS] for side in SIDES)


def is_repetition(states: Sequence[State], options: Options = DEFAULT_OPTIONS) -> bool:
    """Whether the last state is the "third occurrence of the same position with the same side to move"."""
    return options.repetition == "3" and states.count(states[-1]) >= 3


def outcome(states: Sequence[State], options: Options = DEFAULT_OPTIONS) -> Literal["s", "n", "draw"] | None:
    """How the game stands after these states: who has won, a draw, or not finished."""
    won = winner(states[-1])
    if won:
        return won
    return "draw" if both_blocked(states[-1], options) or is_repetition(states, options) else None


def perft(state: State, depth: int, options: Options = DEFAULT_OPTIONS) -> int:
    """Count the lines of `depth` plies: "a forced pass counts as one move", no draw rules."""
    if depth == 0:
        return 1
    if winner(state):
        return 0
    successors = list(moves_by_name(state, options).values()) or [replace(state, side=other(state.side))]
    if depth == 1:
        return len(successors)
    return sum(perft(after, depth - 1, options) for after in successors)


def turned(state: State) -> State:
    """Return the one symmetry: "the 180-degree rotation with swapped colours"."""

    def turn(block: Block) -> Block:
        (file, rank), (up, north, east) = block.square, block.orientation
        return Block((SIZE - 1 - file, SIZE - 1 - rank), (up, OPPOSITE[north], OPPOSITE[east]))

    return State(tuple(map(turn, state.north)), tuple(map(turn, state.south)), other(state.side))


# --- the set-up, "the only dice"


@dataclass(frozen=True)
class Setup:
    """The set-up so far: how many blocks each side gets, the blocks that lie, the rolled faces in hand.

    South rolls and places the north blocks first, then North (seeing them) the south blocks.
    """

    south_count: int = MAX_BLOCKS
    north_count: int = MAX_BLOCKS
    south: tuple[Block, ...] = ()
    north: tuple[Block, ...] = ()
    faces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Sort blocks and faces: "the order of the four placements does not matter for the position"."""
        for count in (self.south_count, self.north_count):
            if count not in range(1, MAX_BLOCKS + 1):
                raise ValueError(f"a side has 1 to {MAX_BLOCKS} blocks, not {count}")
        object.__setattr__(self, "south", tuple(sorted(self.south, key=reading_order)))
        object.__setattr__(self, "north", tuple(sorted(self.north, key=reading_order)))
        object.__setattr__(self, "faces", tuple(sorted(self.faces)))

    @property
    def roller(self) -> Side | None:
        """Who rolls or places now; None when all blocks lie."""
        if len(self.north) < self.north_count:
            return "s"
        return "n" if len(self.south) < self.south_count else None


def is_roll(setup: Setup) -> bool:
    """Whether the next event is a roll (chance) and not a placement."""
    return setup.roller is not None and not setup.faces


def rolls(setup: Setup) -> dict[str, Fraction]:
    """Return the roll tokens (faces in alphabetical order) with their probabilities.

    "Each player rolls the opponent's blocks."
    """
    if not is_roll(setup):
        raise ValueError("no roll is due")
    dice = setup.north_count if setup.roller == "s" else setup.south_count
    outcomes = {}
    for faces in combinations_with_replacement(sorted(FACES), dice):
        ways = factorial(dice) // prod(factorial(count) for count in Counter(faces).values())
        outcomes["roll:" + "".join(faces)] = Fraction(ways, len(FACES) ** dice)
    return outcomes


def apply_roll(setup: Setup, token: str) -> Setup:
    """Return the set-up after a roll; the token may name the faces in any order."""
    faces = tuple(sorted(token.removeprefix("roll:")))
    if "roll:" + "".join(faces) not in rolls(setup) or not token.startswith("roll:"):
        raise ValueError(f"no such roll: {token!r}")
    return replace(setup, faces=faces)


def legal_placements(setup: Setup) -> list[str]:
    """Return the placements, sorted.

    "The rolled symbol must stay up; the roller places them on the opponent's start squares, any square,
    any yaw."
    """
    if setup.roller is None or is_roll(setup):
        return []
    blocks, count = (setup.north, setup.north_count) if setup.roller == "s" else (setup.south, setup.south_count)
    taken = [square_name(block.square) for block in blocks]
    return sorted(
        start + "".join(orientation)
        for start in STARTS[other(setup.roller)][count]
        for orientation in ORIENTATIONS
        if start not in taken and orientation[0] in setup.faces
    )


def apply_placement(setup: Setup, placement: str) -> Setup:
    """Return the set-up after a placement: "faces already placed leave the roll"."""
    if placement not in legal_placements(setup):
        raise ValueError(f"illegal placement: {placement!r}")
    block = parse_block(placement)
    faces = list(setup.faces)
    faces.remove(block.orientation[0])
    if setup.roller == "s":
        return replace(setup, north=(*setup.north, block), faces=tuple(faces))
    return replace(setup, south=(*setup.south, block), faces=tuple(faces))


def first_state(setup: Setup) -> State:
    """Return the position in which South moves, once all blocks lie."""
    if setup.roller is not None:
        raise ValueError("the set-up is not finished")
    return State(setup.south, setup.north, "s")
