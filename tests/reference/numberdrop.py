"""Number Drop, straight from the rule text: sheets are rows of characters, everything is found by loops.

A cell is (row, column), both counted from 0: row 0 is row 1 of the sheet (the bottom), column 0 is column a.
A sheet's rows hold `.` for an empty cell, a digit, or `X`.

A game goes through phases; each has a function that lists what is legal and one that applies it:
deal (chance), start, then rounds of roll (chance), in the solo game slide and block, else perhaps block,
and drop with claim; at last over.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Literal, get_args

Cell = tuple[int, int]
Cells = tuple[Cell, ...]
Die = tuple[str, ...]
Kind = Literal["I", "S"]
StraightRule = Literal["path", "set"]
DeadLetterRule = Literal["literal", "autocross"]
SoloEndRule = Literal["turn", "now"]
OverRow = Literal[-5, 0]
Phase = Literal["deal", "start", "roll", "slide", "block", "drop", "over"]

COLUMNS = 7
ROWS = 14
LINE = 11  # rows below this index are rows 1..11, the others lie above the game-over line
EMPTY = "."
DIGITS = "0123456789"
WILD = "*"
LETTERS = "ABCDE"
SIZES = range(3, 8)
BONUS_SIZE = 8
BOTTOM_NOTCH = 4
MAX_PLAYERS = 6

SHAPES = "IOTLS"
SHAPE_DIE: Die = ("I", "O", "T", "L", "S", WILD)
DICE: dict[str, tuple[Die, ...]] = {
    "bga": tuple(map(tuple, ("1*3457", "12*456", "234*67", "123567"))),
    "bev": tuple(map(tuple, ("1*3457", "12*456", "234*67", "12357*"))),
}

TILES: dict[str, Cells] = {
    "I4": ((0, 0), (0, 1), (0, 2), (0, 3)),
    "O4": ((0, 0), (0, 1), (1, 0), (1, 1)),
    "T4": ((0, 0), (0, 1), (0, 2), (1, 1)),
    "S4": ((0, 0), (0, 1), (1, 1), (1, 2)),
    "L4": ((0, 0), (0, 1), (0, 2), (1, 0)),
    "I3": ((0, 0), (0, 1), (0, 2)),
    "V3": ((0, 0), (0, 1), (1, 0)),
    "U5": ((0, 0), (0, 2), (1, 0), (1, 1), (1, 2)),
    "X5": ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)),
    "T5": ((0, 0), (0, 1), (0, 2), (1, 1), (2, 1)),
}
UNMARKED = ("I4", "O4", "T4", "S4", "L4")
EXTRA = ("I3", "V3", "U5", "X5", "T5")


@dataclass(frozen=True)
class Options:
    """Players, mode and the rule options, the defaults of the rule text first.

    `dice` is a name or four dice; `tiles` is a name or the five tiles of the letters A to E.
    """

    players: int = 2
    solo: bool = False
    dice: str | tuple[Die, ...] = "bga"
    tiles: str | tuple[str, ...] = "pool10"
    straight: StraightRule = "path"
    over_row: OverRow = -5
    dead_letter: DeadLetterRule = "literal"
    solo_end: SoloEndRule = "turn"

    def __post_init__(self) -> None:
        """Refuse what the rule text does not name."""
        if self.players not in range(1, MAX_PLAYERS + 1) or (self.solo and self.players != 1):
            raise ValueError(f"{self.players} players{' in solo mode' if self.solo else ''}")
        for name, value, choices in [
            ("straight", self.straight, get_args(StraightRule)),
            ("over_row", self.over_row, get_args(OverRow)),
            ("dead_letter", self.dead_letter, get_args(DeadLetterRule)),
            ("solo_end", self.solo_end, get_args(SoloEndRule)),
        ]:
            if value not in choices:
                raise ValueError(f"option {name}: {value!r} is not one of {choices}")
        dice = self.number_dice
        if len(dice) != 4 or not all(dice) or not all(face in (*DIGITS, WILD) for die in dice for face in die):
            raise ValueError(f"option dice: {self.dice!r}")
        if isinstance(self.tiles, str):
            if self.tiles not in ("pool10", "extra5"):
                raise ValueError(f"option tiles: {self.tiles!r}")
        elif len(self.tiles) != len(LETTERS) or not all(tile in TILES for tile in self.tiles):
            raise ValueError(f"option tiles: {self.tiles!r}")

    @property
    def number_dice(self) -> tuple[Die, ...]:
        """The four number dice."""
        return DICE.get(self.dice, ()) if isinstance(self.dice, str) else self.dice


@dataclass(frozen=True)
class Roll:
    """The faces of the number dice, in no order (kept sorted), and of the shape die."""

    numbers: tuple[str, ...]
    shape: str

    def __post_init__(self) -> None:
        """Sort the numbers: which die shows which number plays no role."""
        object.__setattr__(self, "numbers", tuple(sorted(self.numbers)))

    @property
    def has_wild(self) -> bool:
        """Whether "any die, the shape die included, shows *"."""
        return WILD in (*self.numbers, self.shape)


@dataclass(frozen=True)
class Sheet:
    """One player's sheet: rows from the bottom up, used cells, claims made, letters circled and crossed."""

    rows: tuple[str, ...] = (EMPTY * COLUMNS,) * ROWS
    used: frozenset[Cell] = frozenset()
    identical: frozenset[int] = frozenset()
    straights: frozenset[int] = frozenset()
    bonus: bool = False
    circled: frozenset[str] = frozenset()
    crossed: frozenset[str] = frozenset()


@dataclass(frozen=True, order=True)
class Drop:
    """A shape written on the sheet: its cells, bottom row first and from the left, and their digits."""

    cells: Cells
    digits: str


@dataclass(frozen=True)
class Claim:
    """A claim of k cells: identical digits (I) or a straight (S)."""

    kind: Kind
    k: int
    cells: frozenset[Cell]


@dataclass(frozen=True)
class State:
    """A whole game; `pending` are the players who still decide in this phase, the first of them next.

    `letter` is the letter that fires in the block phase; `notches` and `slides` (slides made this round)
    belong to the solo game.
    """

    sheets: tuple[Sheet, ...]
    tiles: tuple[str, ...] = ()
    active: int = 0
    phase: Phase = "deal"
    pending: tuple[int, ...] = ()
    roll: Roll | None = None
    letter: str | None = None
    notches: tuple[int, ...] = (0,) * len(LETTERS)
    slides: int = 0


@dataclass(frozen=True)
class Score:
    """A score, part by part."""

    rows: int
    over_rows: int
    identical: int
    straights: int
    columns: int
    bonus: int

    @property
    def total(self) -> int:
        """The sum of all parts."""
        return self.rows + self.over_rows + self.identical + self.straights + self.columns + self.bonus


# --- notation


def cell_name(cell: Cell) -> str:
    """The name of a cell: "columns a..g, rows 1..14, row 1 at the bottom"."""
    row, column = cell
    return "abcdefg"[column] + str(row + 1)


def parse_rows(text: str) -> tuple[str, ...]:
    """Read 14 rows separated by spaces, the top row first, `.` for an empty cell."""
    rows = tuple(reversed(text.split()))
    if len(rows) != ROWS or not all(len(row) == COLUMNS for row in rows):
        raise ValueError(f"not {ROWS} rows of {COLUMNS} cells: {text!r}")
    if not set("".join(rows)) <= {EMPTY, "X", *DIGITS}:
        raise ValueError(f"a cell is a digit, X or empty: {text!r}")
    return rows


def format_rows(rows: tuple[str, ...]) -> str:
    """Write 14 rows separated by spaces, the top row first."""
    return " ".join(reversed(rows))


def parse_roll(token: str) -> Roll:
    """Read "four number dice, then the shape die", such as `roll:3*56L`."""
    faces = token.removeprefix("roll:")
    if len(faces) != 5 or not token.startswith("roll:"):
        raise ValueError(f"not a roll: {token!r}")
    if not all(face in (*DIGITS, WILD) for face in faces[:4]) or faces[4] not in SHAPE_DIE:
        raise ValueError(f"no such faces: {token!r}")
    return Roll(tuple(faces[:4]), faces[4])


def format_roll(roll: Roll) -> str:
    """Write a roll, the number dice sorted."""
    return "roll:" + "".join(roll.numbers) + roll.shape


# --- one sheet: dropping


def orientations(tile: str) -> list[Cells]:
    """The distinct rotations and mirror images of a tile, each moved to row 0 and column 0."""
    found = set()
    cells = TILES[tile]
    for _ in range(4):
        cells = tuple((column, -row) for row, column in cells)
        for turned in (cells, tuple((row, -column) for row, column in cells)):
            low, left = min(row for row, _ in turned), min(column for _, column in turned)
            found.add(tuple(sorted((row - low, column - left) for row, column in turned)))
    return sorted(found)


def is_free(sheet: Sheet, cell: Cell) -> bool:
    """Whether a shape can pass or fill a cell; above the sheet everything is free."""
    row, column = cell
    return row >= 0 and 0 <= column < COLUMNS and (row >= ROWS or sheet.rows[row][column] == EMPTY)


def landing(sheet: Sheet, shape: Cells, column: int) -> Cells | None:
    """Let a shape fall "straight down to the first contact"; None if it does "not fit within row 14"."""

    def shifted(row: int) -> Cells:
        return tuple((row + cell_row, column + cell_column) for cell_row, cell_column in shape)

    row = ROWS
    while all(is_free(sheet, cell) for cell in shifted(row - 1)):
        row -= 1
    cells = shifted(row)
    inside = all(cell_row < ROWS and cell_column < COLUMNS for cell_row, cell_column in cells)
    return cells if inside else None


def placements(sheet: Sheet, tile: str) -> list[Cells]:
    """Every place that a tile can fall to, each as its cells, bottom row first and from the left."""
    landings = [landing(sheet, shape, column) for shape in orientations(tile) for column in range(COLUMNS)]
    return sorted(cells for cells in landings if cells is not None)


def write(sheet: Sheet, cells: Iterable[Cell], marks: Iterable[str]) -> Sheet:
    """The sheet with marks written in some cells."""
    grid = [list(row) for row in sheet.rows]
    for (row, column), mark in zip(cells, marks, strict=True):
        grid[row][column] = mark
    return replace(sheet, rows=tuple("".join(row) for row in grid))


def is_filling(digits: str, numbers: tuple[str, ...]) -> bool:
    """Whether four digits use "all four numbers", where "a number * is any digit 0..9"."""
    fixed = Counter(number for number in numbers if number != WILD)
    return len(digits) == len(numbers) and fixed <= Counter(digits) and set(digits) <= set(DIGITS)


@cache
def fillings(numbers: tuple[str, ...]) -> tuple[str, ...]:
    """The distinct arrangements of the four numbers on the four cells of a shape."""
    candidates = map("".join, product(DIGITS, repeat=len(numbers)))
    return tuple(digits for digits in candidates if is_filling(digits, numbers))


def drop_placements(sheet: Sheet, shape: str) -> list[Cells]:
    """The places for a face of the shape die: "a shape * any of the five shapes"."""
    shapes = SHAPES if shape == WILD else shape
    return sorted(cells for each in shapes for cells in placements(sheet, each + "4"))


def legal_drops(sheet: Sheet, roll: Roll) -> list[Drop]:
    """The distinct drops: two drops differ when they write different cells or digits."""
    return [Drop(cells, digits) for cells in drop_placements(sheet, roll.shape) for digits in fillings(roll.numbers)]


def count_drops(sheet: Sheet, roll: Roll) -> int:
    """The number of legal drops, without listing them."""
    return len(drop_placements(sheet, roll.shape)) * len(fillings(roll.numbers))


def is_legal_drop(sheet: Sheet, roll: Roll, drop: Drop) -> bool:
    """Whether a drop is one of the legal ones, without listing them."""
    return drop.cells in drop_placements(sheet, roll.shape) and is_filling(drop.digits, roll.numbers)


def apply_drop(sheet: Sheet, drop: Drop) -> Sheet:
    """Write a shape's digits on the sheet."""
    return write(sheet, drop.cells, drop.digits)


def legal_block_drops(sheet: Sheet, tile: str) -> list[Cells]:
    """Where a tile can be dropped as X cells: "any rotation or mirror; placed like a shape"."""
    return placements(sheet, tile)


def apply_block_drop(sheet: Sheet, cells: Cells) -> Sheet:
    """Write a tile's X cells on the sheet."""
    return write(sheet, cells, "X" * len(cells))


# --- one sheet: claiming


def neighbours(cell: Cell) -> list[Cell]:
    """The orthogonally adjacent cells, perhaps off the sheet."""
    row, column = cell
    return [(row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)]


def claimable(sheet: Sheet) -> dict[Cell, int]:
    """The digits that may be claimed: "cells not used before, never X"."""
    return {
        (row, column): int(mark)
        for row, line in enumerate(sheet.rows)
        for column, mark in enumerate(line)
        if mark in DIGITS and (row, column) not in sheet.used
    }


def connected_sets(cells: Iterable[Cell], accept: Callable[[frozenset[Cell]], bool]) -> list[frozenset[Cell]]:
    """All connected sets of 3 to 8 cells, grown cell by cell through sets that are accepted."""
    free = set(cells)
    found: list[frozenset[Cell]] = []
    sets = {frozenset([cell]) for cell in free}
    for size in range(2, BONUS_SIZE + 1):
        larger = {part | {cell} for part in sets for each in part for cell in neighbours(each) if cell in free - part}
        sets = {part for part in larger if accept(part)}
        if size in SIZES or size == BONUS_SIZE:
            found += sets
    return found


def identical_sets(digits: dict[Cell, int]) -> list[frozenset[Cell]]:
    """Identical: "any connected set of k equal digits"."""
    return connected_sets(digits, lambda cells: len({digits[cell] for cell in cells}) == 1)


def straight_sets(digits: dict[Cell, int]) -> list[frozenset[Cell]]:
    """Straight, option `set`: "a connected set holding k consecutive digits once each"."""
    parts = connected_sets(digits, lambda cells: len({digits[cell] for cell in cells}) == len(cells))
    return [part for part in parts if max(digits[c] for c in part) - min(digits[c] for c in part) == len(part) - 1]


def straight_paths(digits: dict[Cell, int]) -> list[frozenset[Cell]]:
    """Straight, option `path`: "a path of adjacent cells, +1 each step; may turn; no wrap from 9 to 0"."""
    found = set()
    paths: list[Cells] = [(cell,) for cell in digits]
    for size in range(2, BONUS_SIZE + 1):
        paths = [
            (*path, cell)
            for path in paths
            for cell in neighbours(path[-1])
            if cell in digits and digits[cell] == digits[path[-1]] + 1
        ]
        if size in SIZES or size == BONUS_SIZE:
            found |= {frozenset(path) for path in paths}
    return list(found)


def is_open_box(sheet: Sheet, kind: Kind, k: int) -> bool:
    """Whether a box can be filled: "each (kind, k) once a game"; k = 8 "fills the one bonus box, once"."""
    if k == BONUS_SIZE:
        return not sheet.bonus
    return k not in (sheet.identical if kind == "I" else sheet.straights)


def legal_claims(sheet: Sheet, options: Options) -> list[Claim]:
    """The claims that a sheet allows, without duplicates; not to claim is always allowed too."""
    digits = claimable(sheet)
    straights = straight_paths(digits) if options.straight == "path" else straight_sets(digits)
    claims = [Claim("I", len(cells), cells) for cells in identical_sets(digits)]
    claims += [Claim("S", len(cells), cells) for cells in straights]
    legal = [claim for claim in claims if is_open_box(sheet, claim.kind, claim.k)]
    return sorted(legal, key=lambda claim: (claim.kind, claim.k, sorted(claim.cells)))


def apply_claim(sheet: Sheet, claim: Claim) -> Sheet:
    """Circle a claim and, "when both kinds of the same k are circled", its letter "unless it is crossed"."""
    after = replace(sheet, used=sheet.used | claim.cells)
    if claim.k == BONUS_SIZE:
        return replace(after, bonus=True)
    if claim.kind == "I":
        after = replace(after, identical=sheet.identical | {claim.k})
    else:
        after = replace(after, straights=sheet.straights | {claim.k})
    letter = LETTERS[claim.k - SIZES[0]]
    if claim.k in after.identical & after.straights and letter not in sheet.crossed:
        after = replace(after, circled=sheet.circled | {letter})
    return after


# --- one sheet: scoring


def crosses_line(sheet: Sheet) -> bool:
    """Whether a sheet "has a cell in row 12 or above"."""
    return any(row != EMPTY * COLUMNS for row in sheet.rows[LINE:])


def score(sheet: Sheet, options: Options) -> Score:
    """The score of a sheet; a "complete column" holds all claims 3..7 of one kind."""
    claimed = (sheet.identical, sheet.straights)
    return Score(
        rows=2 * sum(EMPTY not in row for row in sheet.rows[:LINE]),
        over_rows=options.over_row * sum(row != EMPTY * COLUMNS for row in sheet.rows[LINE:]),
        identical=sum(sheet.identical),
        straights=sum(sheet.straights),
        columns=10 * sum(column == set(SIZES) for column in claimed),
        bonus=BONUS_SIZE if sheet.bonus else 0,
    )


def winners(state: State, options: Options) -> list[int]:
    """The players with the highest score: "highest wins, ties share"."""
    totals = [score(sheet, options).total for sheet in state.sheets]
    return [player for player, total in enumerate(totals) if total == max(totals)]


# --- the game: set-up


def new_game(options: Options) -> State:
    """The game before the tiles are dealt; a custom list of tiles needs no deal."""
    state = State(sheets=(Sheet(),) * options.players)
    return state if len(deals(options)) > 1 else apply_deal(state, deals(options)[0], options)


def deals(options: Options) -> list[tuple[str, ...]]:
    """The tiles of the letters A to E, all equally likely."""
    if options.solo:  # "Tiles I4, O4, T4, S4, L4 are dealt at random to A..E"
        return list(permutations(UNMARKED))
    if options.tiles == "pool10":  # "5 of the 10 below at random"
        return list(permutations(TILES, len(LETTERS)))
    if options.tiles == "extra5":  # "the five unmarked ones shuffled"
        return list(permutations(EXTRA))
    return [tuple(options.tiles)]


def apply_deal(state: State, tiles: tuple[str, ...], options: Options) -> State:
    """Lay the tiles out; then every player writes its own number."""
    if state.phase != "deal" or tiles not in deals(options):
        raise ValueError(f"illegal deal: {tiles}")
    return replace(state, tiles=tiles, phase="start", pending=tuple(range(options.players)))


def legal_starts(state: State) -> list[int]:
    """The columns in which the next player may write its number."""
    return list(range(COLUMNS)) if state.phase == "start" else []


def apply_start(state: State, column: int) -> State:
    """Write the number: "player k writes k in a cell of row 1, own choice of column"."""
    if column not in legal_starts(state):
        raise ValueError(f"illegal start: {column}")
    player = state.pending[0]
    after = set_sheet(state, player, write(state.sheets[player], [(0, column)], str(player + 1)))
    return replace(after, pending=state.pending[1:], phase="start" if state.pending[1:] else "roll")


def set_sheet(state: State, player: int, sheet: Sheet) -> State:
    """The state with another sheet for one player."""
    return replace(state, sheets=(*state.sheets[:player], sheet, *state.sheets[player + 1 :]))


# --- the game: a round


def roll_outcomes(options: Options) -> dict[Roll, Fraction]:
    """The distinct rolls and their probabilities."""
    throws = Counter(Roll(faces[:-1], faces[-1]) for faces in product(*options.number_dice, SHAPE_DIE))
    return {roll: Fraction(count, throws.total()) for roll, count in throws.items()}


def turn_order(state: State) -> tuple[int, ...]:
    """The players from the active one on."""
    count = len(state.sheets)
    return tuple((state.active + offset) % count for offset in range(count))


def firing_letter(state: State, roll: Roll) -> str | None:
    """The letter that fires at this roll.

    "If any die, the shape die included, shows * and some sheet has a circled letter that is not crossed:
    the first such letter (A before B ...) fires."
    """
    if not roll.has_wild:
        return None
    return next((x for x in LETTERS if any(x in sheet.circled - sheet.crossed for sheet in state.sheets)), None)


def apply_roll(state: State, roll: Roll, options: Options) -> State:
    """Roll the dice: a slide follows in the solo game, else a block if a letter fires, else the drops."""
    if state.phase != "roll" or roll not in roll_outcomes(options):
        raise ValueError(f"illegal roll: {roll}")
    rolled = replace(state, roll=roll)
    if options.solo:
        return replace(rolled, phase="slide", pending=turn_order(state), slides=0)
    letter = firing_letter(state, roll)
    return to_drop(rolled) if letter is None else to_block(rolled, letter, options)


def to_block(state: State, letter: str, options: Options) -> State:
    """Fire a letter: "every player who has not circled X drops its tile", "all cross X"."""
    hit = tuple(player for player in turn_order(state) if letter not in state.sheets[player].circled)
    sheets = tuple(replace(sheet, crossed=sheet.crossed | {letter}) for sheet in state.sheets)
    crossed = replace(state, sheets=sheets, phase="block", letter=letter, pending=hit)
    return crossed if hit else after_block(crossed, options)


def to_drop(state: State) -> State:
    """Let all players drop and claim."""
    return replace(state, phase="drop", letter=None, pending=turn_order(state))


def block_choices(state: State) -> list[Cells]:
    """Where the next player may drop the tile of the letter that fires; empty if it fits nowhere."""
    if state.phase != "block" or state.letter is None:
        return []
    return legal_block_drops(state.sheets[state.pending[0]], state.tiles[LETTERS.index(state.letter)])


def apply_block(state: State, cells: Cells | None, options: Options) -> State:
    """Drop a tile as X cells; None when it fits nowhere: "a shape that cannot be placed is skipped"."""
    choices = block_choices(state)
    if state.phase != "block" or (cells not in choices if choices else cells is not None):
        raise ValueError(f"illegal block drop: {cells}")
    player = state.pending[0]
    after = state if cells is None else set_sheet(state, player, apply_block_drop(state.sheets[player], cells))
    after = replace(after, pending=state.pending[1:])
    return after if after.pending else after_block(after, options)


def after_block(state: State, options: Options) -> State:
    """Go on after a block: "phases 3 and 4 are skipped", but in the solo game "the drop is not cancelled"."""
    return after_slide(state, options) if options.solo else end_round(state, options)


def apply_turn(state: State, drop: Drop | None, claim: Claim | None, options: Options) -> State:
    """Drop and claim for the next player; no drop only if none is possible, at most one claim."""
    if state.phase != "drop" or state.roll is None:
        raise ValueError("no drop is due")
    player = state.pending[0]
    sheet = state.sheets[player]
    if drop is not None:
        if not is_legal_drop(sheet, state.roll, drop):
            raise ValueError(f"illegal drop: {drop}")
        sheet = apply_drop(sheet, drop)
    elif drop_placements(sheet, state.roll.shape):
        raise ValueError("a drop is possible")
    if claim is not None:
        if claim not in legal_claims(sheet, options):
            raise ValueError(f"illegal claim: {claim}")
        sheet = apply_claim(sheet, claim)
    after = replace(set_sheet(state, player, sheet), pending=state.pending[1:])
    return after if after.pending else end_round(after, options)


def end_round(state: State, options: Options) -> State:
    """Phase 5: "if any player has a cell in row 12 or above the game ends; otherwise the next player"."""
    ended = replace(state, roll=None, letter=None, slides=0, pending=())
    if options.dead_letter == "autocross" and not options.solo:
        dead = frozenset.intersection(*(sheet.circled for sheet in state.sheets))
        ended = replace(ended, sheets=tuple(replace(s, crossed=s.crossed | dead) for s in state.sheets))
    if any(crosses_line(sheet) for sheet in state.sheets) or (options.solo and all_at_bottom(state)):
        return replace(ended, phase="over")
    return replace(ended, phase="roll", active=(state.active + 1) % options.players)


# --- the solo game


def all_at_bottom(state: State) -> bool:
    """Whether "all five tiles are at the bottom"."""
    return all(notch == BOTTOM_NOTCH for notch in state.notches)


def legal_slides(state: State) -> list[str]:
    """The letters whose tile may slide now.

    "Slide any one tile one notch (mandatory); then, if any die shows *, slide once more the tile that
    matches the shape die (any tile if that die is *; nothing if it is at the bottom)."
    """
    if state.phase != "slide" or state.roll is None:
        return []
    above = [letter for letter, notch in zip(LETTERS, state.notches, strict=True) if notch < BOTTOM_NOTCH]
    if state.slides == 0 or state.roll.shape == WILD:
        return above
    matching = [letter for letter in above if state.tiles[LETTERS.index(letter)] == state.roll.shape + "4"]
    return matching if state.roll.has_wild else []


def apply_slide(state: State, letter: str, options: Options) -> State:
    """Slide a tile one notch.

    "A tile that reaches notch 4: letter not circled: drop it now as X and cross the letter; circled:
    nothing."
    """
    if letter not in legal_slides(state):
        raise ValueError(f"illegal slide: {letter!r}")
    notches = tuple(notch + (each == letter) for each, notch in zip(LETTERS, state.notches, strict=True))
    after = replace(state, notches=notches, slides=state.slides + 1)
    reached = notches[LETTERS.index(letter)] == BOTTOM_NOTCH
    if reached and letter not in state.sheets[0].circled:
        return to_block(after, letter, options)
    return after_slide(after, options)


def after_slide(state: State, options: Options) -> State:
    """Go on after a slide and what it fired: the end at once, a second slide, or the drop."""
    if all_at_bottom(state) and options.solo_end == "now":
        return replace(end_round(state, options), phase="over")
    again = replace(state, phase="slide", letter=None, pending=turn_order(state))
    return again if state.slides == 1 and legal_slides(again) else to_drop(state)
