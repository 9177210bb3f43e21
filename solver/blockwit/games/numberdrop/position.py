"""Number Drop: notation, position strings, drawing.

The rules are in docs/rules/numberdrop.md, the notation in docs/numberdrop-notation.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from blockwit import _numberdrop
from blockwit._bridge import UNIT
from blockwit.errors import MoveError, OptionError, PositionError, quote
from blockwit.games import weights
from blockwit.games.base import Game, Kind, Options, OptionSpec, OptionValue, Position
from blockwit.games.numberdrop import drawing as numberdrop_svg

COLUMNS = "abcdefg"
ROWS = 14
LINE = 11
CELLS = 98
LETTERS = "ABCDE"
SHAPES = "IOTLS*"
STAR = 10
PIECES = _numberdrop.PIECE_NAMES
SUGGESTIONS = 12

# Numbers of the compiled module.
TILE, WRITE, ROLL, SLIDE, BLOCK, DROP, CLAIM, OVER = range(8)
_TAG_WRITE, _TAG_TILE, _TAG_ROLL, _TAG_SLIDE, _TAG_BLOCK, _TAG_DROP, _TAG_CLAIM = range(7)
_NO_PIECE = 15
_NO_LETTER = 255
_EMPTY = 255
_X = 10

DICE = {
    "bga": "1*3457/12*456/234*67/123567",
    "bev": "1*3457/12*456/234*67/12357*",
}
# The mark of each group of claimed cells in a position string: identical 3..7, straights 3..7, the bonus box.
GROUP_MARKS = "-34567CDEFGB"
BOXES = ("", "I3", "I4", "I5", "I6", "I7", "S3", "S4", "S5", "S6", "S7", "B8")

# Headings of docs/rules/numberdrop.md, as anchors.
_DICE_RULE, _SETUP_RULE, _ROUND_RULE, _SOLO_RULE = "dice", "set-up", "a-round", "alone-option-solo"
_RULES = {TILE: _SETUP_RULE, WRITE: _SETUP_RULE, ROLL: _DICE_RULE, SLIDE: _SOLO_RULE, OVER: _ROUND_RULE}

_DIE = re.compile(r"[0-9*]{6}")
_ROLLED = re.compile(r"([0-9*]{4})([IOTLS*])")
_DROP = re.compile(r"([IOTLS])([0-7])@([1-7]):([0-9]{4})")
_XDROP = re.compile(r"x:([A-Z][345])r([0-7])@([1-7])")
_CLAIMED = re.compile(r"([IS])([3-8]):([a-g][0-9]{1,2}(?:,[a-g][0-9]{1,2})*)")
_PHASE = re.compile(r"(tile|roll|over|slide[01])|(write|drop):([1-6])|block([0-2]):([1-6]):([A-E])")


def cell_index(name: str) -> int:
    """Return the number of a cell, 7 * row + column from 0. Raises ValueError for a cell off the sheet."""
    row = int(name[1:])
    if name[0] not in COLUMNS or not 1 <= row <= ROWS or name[1] == "0":
        raise ValueError(f"{name} is not on the sheet")
    return 7 * (row - 1) + COLUMNS.index(name[0])


def _bit(index: int) -> int:
    return 8 * (index // 7) + index % 7


def _rolled(numbers: Sequence[int], shape: int) -> str:
    return "".join("*" if number == STAR else str(number) for number in numbers) + SHAPES[shape]


def _roll_action(numbers: Sequence[int], shape: int) -> int:
    action = _TAG_ROLL | shape << 19
    for i, number in enumerate(numbers):
        action |= number << (3 + 4 * i)
    return action


def _read_numbers(text: str) -> list[int]:
    return sorted(STAR if face == "*" else int(face) for face in text)


def _read_claim(text: str) -> int:
    """Return the action of a claim such as S4:a1,a2,b2,b3. Raises ValueError saying what is wrong."""
    match = _CLAIMED.fullmatch(text)
    if not match:
        raise ValueError(f"{quote(text)} is no claim, expected a kind, a size and cells like S4:a1,a2,b2,b3")
    size = int(match[2])
    cells = sorted({_bit(cell_index(name)) for name in match[3].split(",")})
    if len(cells) != size or match[3].count(",") != size - 1:
        raise ValueError(f"{text} has not {size} different cells")
    action = _TAG_CLAIM | "IS".index(match[1]) << 3 | size << 4
    for i, cell in enumerate(cells):
        action |= cell << (8 + 7 * i)
    return action


def action_token(action: int) -> str:
    """Write one action of the compiled game: a claim with its leading `+`, no claim as an empty string."""
    tag = action & 7
    if tag == _TAG_WRITE:
        return f"write:{COLUMNS[action >> 3]}1"
    if tag == _TAG_TILE:
        return f"tile:{PIECES[action >> 3]}"
    if tag == _TAG_ROLL:
        return "roll:" + _rolled([action >> (3 + 4 * i) & 15 for i in range(4)], action >> 19 & 15)
    if tag == _TAG_SLIDE:
        return f"slide:{LETTERS[action >> 3]}"
    if tag == _TAG_CLAIM:
        size = action >> 4 & 15
        if not size:
            return ""
        cells = (action >> (8 + 7 * i) & 127 for i in range(size))
        names = ",".join(f"{COLUMNS[cell % 8]}{cell // 8 + 1}" for cell in cells)
        return f"+{'IS'[action >> 3 & 1]}{size}:{names}"
    piece, orientation, column = action >> 3 & 15, action >> 7 & 7, (action >> 10 & 7) + 1
    if tag == _TAG_BLOCK:
        return "x:skip" if piece == _NO_PIECE else f"x:{PIECES[piece]}r{orientation}@{column}"
    if piece == _NO_PIECE:
        return "skip"
    digits = "".join(str(action >> (16 + 4 * i) & 15) for i in range(4))
    return f"{SHAPES[piece]}{orientation}@{column}:{digits}"


def _letters(bits: int) -> str:
    return "".join(letter for i, letter in enumerate(LETTERS) if bits >> i & 1)


def _read_letters(text: str, where: str) -> int:
    if text == "-":
        return 0
    numbers = [LETTERS.find(letter) for letter in text]
    if not numbers or -1 in numbers or numbers != sorted(set(numbers)):
        raise PositionError(f"{where}: expected letters of ABCDE in order or -, got {quote(text)}")
    return sum(1 << number for number in numbers)


def _claims(groups: bytes) -> str:
    """Write the boxes filled, like I345S34B; `-` for none."""
    parts = ("I", 1, 6), ("S", 6, 11)
    text = "".join(
        kind + "".join(BOXES[number][1] for number in range(first, end) if number in groups)
        for kind, first, end in parts
        if any(number in groups for number in range(first, end))
    )
    return (text + ("B" if 11 in groups else "")) or "-"


def _rows(marks: Sequence[str]) -> str:
    """Write 98 cells, row 1 first and empty ones as "", from row 14 down with runs of empty cells as a..g."""
    rows = []
    for row in range(ROWS - 1, -1, -1):
        text, run = "", 0
        for mark in (*marks[7 * row : 7 * row + 7], "end"):
            if not mark:
                run += 1
                continue
            text += (COLUMNS[run - 1] if run else "") + (mark if mark != "end" else "")
            run = 0
        rows.append(text)
    return "/".join(rows)


def _read_rows(text: str, allowed: str, where: str) -> list[str]:
    """Inverse of `_rows`."""
    rows = text.split("/")
    if len(rows) != ROWS:
        raise PositionError(f"{where}: {len(rows)} rows, expected 14 separated by /")
    marks: list[str] = []
    for number, row in zip(range(ROWS, 0, -1), rows, strict=True):
        line: list[str] = []
        for mark in row:
            if mark in COLUMNS:
                line += [""] * (COLUMNS.index(mark) + 1)
            elif mark in allowed:
                line.append(mark)
            else:
                raise PositionError(f"{where}: row {number}: unexpected {quote(mark)} in {quote(row)}")
        if len(line) != len(COLUMNS):
            raise PositionError(f"{where}: row {number}: {quote(row)} has {len(line)} cells, expected 7")
        marks = line + marks
    return marks


def read_dice(value: str) -> bytes:
    """Return the 24 faces of the number dice: bga, bev or a list like 1*3457/12*456/234*67/123567.

    Raises:
        OptionError: it is neither.
    """
    dice = DICE.get(value.lower(), value).split("/")
    if len(dice) != 4 or not all(_DIE.fullmatch(die) for die in dice):
        raise OptionError(
            "option dice: expected bga, bev or four dice of six faces (digits and *) like "
            f"{DICE['bga']}, got {quote(value)}"
        )
    return bytes(STAR if face == "*" else int(face) for die in dice for face in die)


def read_tiles(value: str) -> tuple[str, bytes]:
    """Return how tiles are drawn and, for a custom list, the five pieces.

    Raises:
        OptionError: it is neither pool10, extra5 nor five tiles separated by commas.
    """
    if value.lower() in ("pool10", "extra5"):
        return value.lower(), b""
    names = value.upper().split(",")
    if len(names) != len(LETTERS) or not all(name in PIECES for name in names):
        raise OptionError(
            f"option tiles: expected pool10, extra5 or five of {','.join(PIECES)} separated by commas, "
            f"got {quote(value)}"
        )
    return "given", bytes(PIECES.index(name) for name in names)


class NumberDropPosition(Position):
    """A position of Number Drop between two moves or rolls."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NumberDropPosition):
            return NotImplemented
        return self._raw == other._raw

    def __hash__(self) -> int:
        return hash(self._raw)

    def __repr__(self) -> str:
        return f"<Number Drop {self.fen()}>"

    # --- what the position is ------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> _numberdrop.Parts:
        """The parts of the state, see `_numberdrop.unpack`."""
        return _numberdrop.unpack(self._raw)

    @property
    def phase(self) -> int:
        """One of TILE, WRITE, ROLL, SLIDE, BLOCK, DROP and OVER."""
        return self.parts[3]

    @cached_property
    def solo(self) -> bool:
        """Whether this is the solo game."""
        return _numberdrop.is_solo(self._raw)

    def fen(self) -> str:
        """Return the position string."""
        tiles, notches, crossed, phase, active, turn, fired, slides, numbers, shape, sheets = self.parts
        names = [PIECES[tile] if tile != _NO_PIECE else "-" for tile in tiles]
        if self.solo:
            names = [f"{name}:{notch}" for name, notch in zip(names, notches, strict=True)]
        fields = [
            "solo" if self.solo else str(len(sheets)),
            ",".join(names),
            _letters(crossed) or "-",
            str(active + 1),
            {
                TILE: "tile",
                WRITE: f"write:{turn + 1}",
                ROLL: "roll",
                SLIDE: f"slide{slides}",
                BLOCK: f"block{slides}:{turn + 1}:{LETTERS[fired] if fired != _NO_LETTER else ''}",
                DROP: f"drop:{turn + 1}",
                OVER: "over",
            }[phase],
            _rolled(numbers, shape) if phase in (SLIDE, BLOCK, DROP) else "-",
        ]
        for cells, groups, circled in sheets:
            marks = ["" if cell == _EMPTY else "X" if cell == _X else str(cell) for cell in cells]
            used = [GROUP_MARKS[group] if group else "" for group in groups]
            bitmap = _rows(used) if any(used) else "-"
            fields.append(f"{_rows(marks)},{bitmap},{_claims(groups)},{_letters(circled) or '-'}")
        return " ".join(fields)

    def kind(self) -> Kind:
        """Tell what comes next."""
        return Kind(_numberdrop.state_kind(self._raw))

    def player(self) -> int:
        """Return the index of the player to decide, or for whom the dice are rolled."""
        return self.parts[5]

    def result(self) -> str | None:
        """Return how the game ended, or None."""
        if self.phase != OVER:
            return None
        totals = [parts[-1] for parts in _numberdrop.scores(self._raw)]
        if self.solo or len(totals) == 1:
            return f"ended with {totals[0]} points"
        winners = [str(i + 1) for i, total in enumerate(totals) if total == max(totals)]
        points = " : ".join(map(str, totals))
        if len(winners) == 1:
            return f"player {winners[0]} wins, {points}"
        return f"players {', '.join(winners[:-1])} and {winners[-1]} share the win, {points}"

    def returns(self) -> tuple[float, ...]:
        """Return the points of each sheet as it is."""
        return tuple(float(parts[-1]) for parts in _numberdrop.scores(self._raw))

    def evaluate(self) -> tuple[float, ...]:
        """Return the points that each player is expected to end with."""
        return tuple(value / UNIT for value in _numberdrop.estimates(self._raw))

    # --- moves ---------------------------------------------------------------------------------------------

    @cached_property
    def _drops(self) -> int:
        return _numberdrop.count_actions(self._raw)

    @cached_property
    def _count(self) -> int:
        if self.phase == DROP:
            return _numberdrop.count_turns(self._raw)
        if self.phase in (TILE, ROLL):
            return len(_numberdrop.list_outcomes(self._raw))
        return _numberdrop.count_actions(self._raw)

    def count(self) -> int:
        """Return the number of legal moves (a drop with its claim is one) or outcomes."""
        return self._count

    def tokens(self, start: int = 0, count: int | None = None) -> list[str]:
        """Return the legal moves or outcomes from number `start`, at most `count`; a page costs no full list."""
        if self.phase in (TILE, ROLL):
            outcomes = _numberdrop.list_outcomes(self._raw)
            return [action_token(action) for action, _ in outcomes[start : None if count is None else start + count]]
        if count is None:
            count = max(0, self._count - start)
        if self.phase == DROP:
            pairs = _numberdrop.turns_range(self._raw, start, count)
            return [action_token(drop) + (action_token(claim) if claim else "") for drop, claim in pairs]
        return [action_token(action) for action in _numberdrop.list_range(self._raw, start, count)]

    def chances(self) -> dict[str, float]:
        """Return the probability of each outcome at a chance node."""
        if self.phase not in (TILE, ROLL):
            return {}
        return {action_token(action): chance for action, chance in _numberdrop.list_outcomes(self._raw)}

    def play(self, token: str) -> Self:
        """Return the position after a move or outcome. Raises MoveError."""
        raw = self._raw
        for action in self.actions(token):
            raw = _numberdrop.play(raw, action)
        return type(self)(raw)

    def actions(self, token: str) -> tuple[int, ...]:
        """Return the action of a legal token, or drop and claim. Raises MoveError, saying what forbids it."""
        if self.phase == OVER:
            raise MoveError(f"{quote(token)}: the game is over ({self.result()})", _ROUND_RULE)
        rule = _RULES.get(self.phase, _ROUND_RULE)
        try:
            actions = self._read(token)
        except ValueError as error:
            raise MoveError(f"{quote(token)}: {error}", rule) from None
        raw = self._raw
        for number, action in enumerate(actions):
            why = _numberdrop.fault(raw, action)
            if why:
                raise MoveError(f"{quote(token)}: {'the claim: ' if number else ''}{why}", rule)
            if number + 1 < len(actions):
                raw = _numberdrop.play(raw, action)
        return actions

    def _expected(self) -> str:
        return {
            TILE: "a tile is to be drawn, expected a token like tile:V3",
            WRITE: f"player {self.player() + 1} writes first, expected write:a1 to write:g1",
            ROLL: "the dice are to be rolled, expected a token like roll:3*56L",
            SLIDE: "a tile is to slide, expected slide:A to slide:E",
            BLOCK: "a tile is to be dropped as X, expected a token like x:V3r1@2",
            DROP: "expected a drop, and perhaps a claim, like L2@3:5316 or L2@3:5316+S4:a1,a2,b2,b3",
        }[self.phase]

    def _read(self, token: str) -> tuple[int, ...]:
        """Return the actions that a token writes, legal or not. Raises ValueError."""
        head, _, rest = token.partition(":")
        if self.phase == DROP:
            return self._read_turn(token)
        if self.phase == TILE and head == "tile" and rest in PIECES:
            return (_TAG_TILE | PIECES.index(rest) << 3,)
        if self.phase == WRITE and head == "write" and len(rest) == 2 and rest[0] in COLUMNS and rest[1] == "1":
            return (_TAG_WRITE | COLUMNS.index(rest[0]) << 3,)
        if self.phase == ROLL and head == "roll":
            match = _ROLLED.fullmatch(rest)
            if match:
                return (_roll_action(_read_numbers(match[1]), SHAPES.index(match[2])),)
        if self.phase == SLIDE and head == "slide" and len(rest) == 1 and rest in LETTERS:
            return (_TAG_SLIDE | LETTERS.index(rest) << 3,)
        if self.phase == BLOCK:
            if token == "x:skip":
                return (_TAG_BLOCK | _NO_PIECE << 3,)
            match = _XDROP.fullmatch(token)
            if match and match[1] in PIECES:
                piece = PIECES.index(match[1])
                return (_TAG_BLOCK | piece << 3 | int(match[2]) << 7 | (int(match[3]) - 1) << 10,)
        raise ValueError(self._expected())

    def _read_turn(self, token: str) -> tuple[int, int]:
        text, plus, claim = token.partition("+")
        if text == "skip":
            drop = _TAG_DROP | _NO_PIECE << 3
        else:
            match = _DROP.fullmatch(text)
            if not match:
                raise ValueError(self._expected())
            drop = _TAG_DROP | SHAPES.index(match[1]) << 3 | int(match[2]) << 7 | (int(match[3]) - 1) << 10
            for i, digit in enumerate(match[4]):
                drop |= int(digit) << (16 + 4 * i)
        return drop, _read_claim(claim) if plus else _TAG_CLAIM

    def roll(self, seed: int) -> str:
        """Return the token of an outcome drawn from `seed`. Raises MoveError where nothing is rolled or drawn."""
        if self.phase not in (TILE, ROLL):
            raise MoveError("no dice are to be rolled here")
        return action_token(_numberdrop.draw(self._raw, seed % 2**64))

    def outcome_actions(self, tokens: Sequence[str]) -> list[int]:
        """Return the actions of draws and rolls that come up one after the other. Raises MoveError."""
        actions = []
        position = self
        for number, token in enumerate(tokens):
            if position.phase == TILE:
                position = position.play(token)
                actions.append(_TAG_TILE | PIECES.index(token.removeprefix("tile:")) << 3)
                continue
            match = _ROLLED.fullmatch(token.removeprefix("roll:"))
            if not match or not token.startswith("roll:"):
                raise MoveError(f"chance event {number + 1}: {quote(token)} is no roll like roll:3*56L")
            action = _roll_action(_read_numbers(match[1]), SHAPES.index(match[2]))
            if not _numberdrop.can_roll(self._raw, action):
                raise MoveError(f"chance event {number + 1}: {quote(token)}: the dice cannot show that")
            actions.append(action)
        return actions

    def line(self, actions: Sequence[int]) -> list[str]:
        """Return a line of actions as tokens, a drop and the claim after it as one."""
        tokens: list[str] = []
        for action in actions:
            if action & 7 == _TAG_CLAIM and tokens:
                tokens[-1] += action_token(action)
            else:
                tokens.append(action_token(action))
        return tokens

    def is_setup(self) -> bool:
        """Tell whether a player writes its number."""
        return self.phase == WRITE

    def choices(self) -> list[tuple[str, list[str]]]:
        """Return the legal moves for a person; of the many drops the most promising ones, and all places."""
        if self.phase != DROP:
            return [("", self.tokens())]
        promising = []
        for drop, _ in _numberdrop.best(self._raw, SUGGESTIONS):
            claim = _numberdrop.best(_numberdrop.play(self._raw, drop), 1)[0][0]
            promising.append(self.line([drop, claim])[0])
        places = [action_token(drop).partition(":")[0] for drop in _numberdrop.list_places(self._raw)] or ["skip"]
        numbers = _rolled(self.parts[8], self.parts[9])[:4]
        return [
            ("promising", promising),
            (f"all places, {numbers} in any order after a colon", places),
        ]

    # --- for searchers, front ends and people --------------------------------------------------------------

    def raw(self) -> bytes:
        """Return the compiled state."""
        return self._raw

    def state(self) -> dict[str, Any]:
        """Return sheets, tiles, dice and scores, ready for JSON; rows are listed from row 14 down."""
        tiles, notches, crossed, phase, active, turn, fired, _, numbers, shape, sheets = self.parts
        scores = _numberdrop.scores(self._raw)
        rolled = phase in (SLIDE, BLOCK, DROP)
        return {
            "game": GAME.name,
            "fen": self.fen(),
            "solo": self.solo,
            "players": len(sheets),
            "phase": ("tile", "write", "roll", "slide", "block", "drop", "claim", "over")[phase],
            "kind": self.kind().name.lower(),
            "active": active + 1,
            "turn": turn + 1,
            "dice": {"numbers": _rolled(numbers, shape)[:4], "shape": SHAPES[shape]} if rolled else None,
            "fires": LETTERS[fired] if fired != _NO_LETTER else None,
            "letters": [
                {
                    "letter": letter,
                    "tile": PIECES[tiles[i]] if tiles[i] != _NO_PIECE else None,
                    "notch": notches[i] if self.solo else None,
                    "crossed": bool(crossed >> i & 1),
                }
                for i, letter in enumerate(LETTERS)
            ],
            "sheets": [_sheet_state(sheet, parts) for sheet, parts in zip(sheets, scores, strict=True)],
            "result": self.result(),
            "returns": list(self.returns()),
        }

    def facts(self, player: int) -> dict[str, int | str]:
        """Return points, boxes, rows, holes and what lies on a sheet unclaimed."""
        cells, groups, circled = self.parts[10][player]
        notches = zip(LETTERS, self.parts[1], strict=True)
        full, *_, total = _numberdrop.scores(self._raw)[player]
        free = {i: cells[i] for i in range(CELLS) if cells[i] < 10 and not groups[i]}
        heights = [max((row + 1 for row in range(ROWS) if cells[7 * row + c] != _EMPTY), default=0) for c in range(7)]
        missing = [sum(cell == _EMPTY for cell in cells[7 * row : 7 * row + 7]) for row in range(LINE)]
        facts: dict[str, int | str] = {
            "points": total,
            "boxes": " ".join(box for number, box in enumerate(BOXES) if number and number in groups) or "none",
            "full rows": full // 2,
            "rows over the line": sum(any(c != _EMPTY for c in cells[7 * r : 7 * r + 7]) for r in range(LINE, ROWS)),
            "rows one cell short": missing.count(1),
            "covered empty cells": sum(cells[7 * row + c] == _EMPTY for c in range(7) for row in range(heights[c])),
            "highest column": max(heights),
            "largest unclaimed group": max((len(each) for each in _groups(free)), default=0),
            "unclaimed groups of three or more": sum(len(each) > 2 for each in _groups(free)),
            "longest unclaimed straight": max((_straight(free, i) for i in free), default=0),
            "letters circled": _letters(circled) or "none",
        }
        if self.solo:
            facts["tiles at"] = " ".join(f"{letter}{notch}" for letter, notch in notches)
        return facts

    def text(self) -> str:
        """Draw the sheets; a claimed digit is followed by i (identical), s (straight) or b (the bonus box)."""
        state = self.state()
        letters = []
        for entry in state["letters"]:
            notch = "" if entry["notch"] is None else f" {entry['notch']}/4"
            letters.append(f"{entry['letter']} {entry['tile'] or '?'}{notch}{' crossed' if entry['crossed'] else ''}")
        lines = ["Tiles: " + ", ".join(letters)]
        blocks = [_sheet_text(i, sheet) for i, sheet in enumerate(state["sheets"])]
        for first in range(0, len(blocks), 3):
            lines += ["   ".join(part).rstrip() for part in zip(*blocks[first : first + 3], strict=True)]
        lines.append(self._caption(state))
        lines.append(f"Position: {self.fen()}")
        return "\n".join(lines)

    def _caption(self, state: dict[str, Any]) -> str:
        if state["result"]:
            return f"Over: {state['result']}"
        dice = f"rolled {state['dice']['numbers']} {state['dice']['shape']}, " if state["dice"] else ""
        who = "" if self.solo else f"player {state['turn']} "
        doing = {
            TILE: "a tile is to be drawn",
            WRITE: "to write",
            ROLL: "to roll",
            SLIDE: "to slide a tile",
            BLOCK: f"to drop the tile of {state['fires']} as X",
            DROP: "to drop",
        }[self.phase]
        return f"{dice}{doing if self.phase == TILE else who + doing}"

    def svg(self, move: str | None = None) -> str:
        """Draw dice and sheets as one SVG document; what a move writes, claims or slides stands out."""
        state = self.state()
        caption = self._caption(state)
        if move is None:
            return numberdrop_svg.sheets(state, caption, self.text())
        after = self.play(move).state()
        number = self.player()
        old, new = state["sheets"][number], after["sheets"][number]
        cells = {
            f"{column}{row}": digit
            for row, before, now in zip(range(ROWS, 0, -1), old["rows"], new["rows"], strict=True)
            for column, was, digit in zip(COLUMNS, before, now, strict=True)
            if was != digit
        }
        claims = [claim for claim in new["claims"] if claim not in old["claims"]]
        letter = move.removeprefix("slide:") if move.startswith("slide:") else ""
        mark = numberdrop_svg.Mark(number, cells, claims, letter)
        return numberdrop_svg.sheets(state, move, f"{self.text()}\nThe move: {move}", mark)


def _near(cell: int) -> list[int]:
    """Return the cells side by side with a cell."""
    row, column = divmod(cell, 7)
    around = (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)
    return [7 * r + c for r, c in around if 0 <= r < ROWS and 0 <= c < 7]


def _groups(free: Mapping[int, int]) -> list[set[int]]:
    """Return the connected groups of equal digits."""
    found, left = [], set(free)
    while left:
        group, edge = set[int](), {left.pop()}
        while edge:
            cell = edge.pop()
            group.add(cell)
            edge |= {other for other in _near(cell) if other in left and free[other] == free[cell]}
            left -= edge
        found.append(group)
    return found


def _straight(free: Mapping[int, int], cell: int) -> int:
    """Return the length of the longest path of rising digits that begins in a cell."""
    following = [other for other in _near(cell) if free.get(other) == free[cell] + 1]
    return 1 + max((_straight(free, other) for other in following), default=0)


def _sheet_state(sheet: tuple[bytes, bytes, int], parts: tuple[int, ...]) -> dict[str, Any]:
    cells, groups, circled = sheet
    marks = ["." if cell == _EMPTY else "X" if cell == _X else str(cell) for cell in cells]
    full, over, identical, straights, columns, bonus, total = parts
    return {
        "rows": ["".join(marks[7 * row : 7 * row + 7]) for row in range(ROWS - 1, -1, -1)],
        "claims": [
            {
                "box": box,
                "cells": [_numberdrop.cell_name(i) for i in range(CELLS) if groups[i] == number],
            }
            for number, box in enumerate(BOXES)
            if number and number in groups
        ],
        "circled": _letters(circled),
        "score": {
            "full_rows": full,
            "rows_over_the_line": over,
            "identical": identical,
            "straights": straights,
            "columns": columns,
            "bonus": bonus,
            "total": total,
        },
    }


def _sheet_text(number: int, sheet: dict[str, Any]) -> list[str]:
    """Draw one sheet, all lines of one width."""
    marks = {cell: claim["box"][0].lower() for claim in sheet["claims"] for cell in claim["cells"]}
    boxes = {claim["box"] for claim in sheet["claims"]}
    lines = [f"Sheet {number + 1}: {sheet['score']['total']} points"]
    for row, digits in zip(range(ROWS, 0, -1), sheet["rows"], strict=True):
        cells = "".join(digit + marks.get(f"{column}{row}", " ") for column, digit in zip(COLUMNS, digits, strict=True))
        full = "+2" if row <= LINE and "." not in digits else "  "
        lines.append(f"{row:2} |{cells}|{full}")
        if row == LINE + 1:
            lines.append("   +--------------+ line")
    lines.append("    " + " ".join(COLUMNS))
    for kind, name in (("I", "identical"), ("S", "straights")):
        filled = " ".join(str(k) if f"{kind}{k}" in boxes else "." for k in range(3, 8))
        lines.append(f"{name} {filled}" + (f"  bonus {'8' if 'B8' in boxes else '.'}" if kind == "S" else ""))
    lines.append(f"letters circled: {sheet['circled'] or '-'}")
    width = 32
    return [line.ljust(width) for line in lines]


class NumberDrop(Game):
    """The game Number Drop."""

    name: ClassVar[str] = "numberdrop"
    title: ClassVar[str] = "Number Drop"
    players: ClassVar[tuple[str, ...]] = tuple(f"player {k}" for k in range(1, 7))
    unit: ClassVar[str] = "points"
    options: ClassVar[tuple[OptionSpec, ...]] = (
        OptionSpec("players", "spin", 2, low=1, high=6, help="number of players, without solo"),
        OptionSpec("solo", "check", False, help="the solo game with sliding tiles"),
        OptionSpec("dice", "string", "bga", help="number dice: bga, bev or four dice like 1*3457/..."),
        OptionSpec("tiles", "string", "pool10", help="pool10, extra5 or five tiles like V3,I4,U5,X5,T5"),
        OptionSpec("straight", "combo", "path", ("path", "set"), help="what a straight is"),
        OptionSpec("over_row", "combo", "-5", ("-5", "0"), help="points for a row touched above the line"),
        OptionSpec("dead_letter", "combo", "literal", ("literal", "autocross"), help="a letter that all have circled"),
        OptionSpec("solo_end", "combo", "turn", ("turn", "now"), help="when all tiles are at the bottom"),
    )
    form: ClassVar[str] = "<mode> <tiles> <crossed> <active> <phase> <dice> <sheet> ..."
    solo: ClassVar[Options | None] = {"solo": True}
    planned: ClassVar[bool] = True
    algorithms: ClassVar[tuple[str, ...]] = ("expectimax", "mcts")
    facets: ClassVar[Mapping[str, str]] = {
        "alphabet": "blockwit.games.numberdrop.alphabet:ALPHABET",
        "view": "blockwit.games.numberdrop.view:VIEW",
    }
    bench: ClassVar[tuple[tuple[str, int], ...]] = (
        (
            "solo L4:2,I4:1,S4:0,O4:0,T4:0 - 1 slide0 2367S g/g/g/g/g/g/g/g/g/g/g/g/c4223/b63271,-,-,-",
            2,
        ),
        (
            "solo L4:3,I4:2,S4:2,O4:1,T4:2 - 1 slide0 125*T "
            "g/g/g/g/g/f5/f7/f4/d465/d465/a1a1333/a765314/a234223/6763271,"
            "g/g/g/g/g/g/g/fC/eCC/g/d444/d4b/d33a/d3b,I34S3,A",
            2,
        ),
        (
            "2 I4,O4,T4,S4,L4 A 1 block0:1:B 124*S "
            "g/g/g/g/g/g/g/25e/34e/23a773a/5475627/1234736/1155345/1276127,"
            "g/g/g/g/g/g/g/g/g/DDe/DDaGGFF/GGGGGFF/33aCaFF/3aCCc,I3S3467,A "
            "g/g/g/g/g/g/g/e23/e54/a777623/56a3354/4321367/2101324/2715557,"
            "g/g/g/g/g/g/g/eDD/eDD/aGcFF/GGa44FF/GGGG4FF/CCCa4b/c333a,I34S3467,AB",
            2,
        ),
    )

    def read_options(self, values: Options) -> dict[str, OptionValue]:
        """Check `values`, the free-form ones too, and return all options. Raises OptionError."""
        read = super().read_options(values)
        read_dice(str(read["dice"]))
        read_tiles(str(read["tiles"]))
        return read

    def _empty(self, read: dict[str, OptionValue]) -> bytes:
        """Return the first state under checked options."""
        solo = bool(read["solo"])
        drawn, given = ("shapes", b"") if solo else read_tiles(str(read["tiles"]))
        return _numberdrop.new_state(
            1 if solo else int(read["players"]),
            solo,
            5 if read["over_row"] == "-5" else 0,
            read["dead_letter"] == "autocross",
            read["straight"] == "set",
            read["solo_end"] == "now",
            drawn,
            read_dice(str(read["dice"])),
            given,
        )

    def fits(self, fields: Sequence[str]) -> bool:
        """Tell whether a position string has as many fields as this game's."""
        return len(fields) >= 7

    def start(self, options: Options) -> NumberDropPosition:
        """Return the position before the tiles are drawn, or before the first number if a list gives them."""
        return NumberDropPosition(self._empty(self.read_options(options)))

    def parse(self, text: str, options: Options) -> NumberDropPosition:
        """Read a position string; players and solo come from it, the other options apply. Raises PositionError."""
        fields = text.split()
        if len(fields) < 7:
            raise PositionError(
                f"{len(fields)} fields, expected mode, tiles, crossed letters, active player, phase, dice and "
                "one sheet a player"
            )
        mode, tiles, crossed, active, phase, dice, *sheets = fields
        if mode != "solo" and mode not in ("1", "2", "3", "4", "5", "6"):
            raise PositionError(f"mode: expected solo or a number of players 1 to 6, got {quote(mode)}")
        players = 1 if mode == "solo" else int(mode)
        if len(sheets) != players:
            raise PositionError(f"{len(sheets)} sheets, expected {players}")
        read = self.read_options({**options, "players": players, "solo": mode == "solo"})
        pieces, notches = _read_tile_field(tiles, mode == "solo")
        number, turn, fired, slides = _read_phase(phase)
        if active not in ("1", "2", "3", "4", "5", "6") or int(active) > players:
            raise PositionError(f"active player: expected 1 to {players}, got {quote(active)}")
        if turn is None:
            turn = int(active) - 1
        if turn >= players:
            raise PositionError(f"phase: {quote(phase)} names a player who does not play")
        numbers, shape = _read_dice_field(dice, number in (SLIDE, BLOCK, DROP))
        try:
            raw = _numberdrop.pack(
                self._empty(read),
                pieces,
                notches,
                _read_letters(crossed, "crossed letters"),
                number,
                int(active) - 1,
                turn,
                fired,
                slides,
                numbers,
                shape,
                [_read_sheet(sheet, f"sheet {i + 1}") for i, sheet in enumerate(sheets)],
            )
        except PositionError:
            raise
        except ValueError as error:
            raise PositionError(str(error)) from None
        return NumberDropPosition(raw)

    def capsule(self) -> object:
        """Return the compiled table."""
        return _numberdrop.capsule()

    # --- what learning needs, see blockwit.study.train ---------------------------------------------------------------

    features: ClassVar[str] = _numberdrop.FEATURE_SET

    def linear(self) -> object:
        """Return the value function for a learner."""
        return _numberdrop.linear()

    def lessons(self, solo: float) -> list[tuple[str, bytes, float]]:
        """Return the kinds of games to learn from: name, first state, share of the games (`solo` of them alone)."""
        several = ((2, 0.6), (3, 0.25), (4, 0.15))
        return [("solo", self._empty(self.read_options({"solo": True})), solo)] + [
            (f"{players} players", self._empty(self.read_options({"players": players})), (1 - solo) * share)
            for players, share in several
        ]

    def get_weights(self) -> bytes:
        """Return the weights in use, as in a file of weights."""
        return _numberdrop.get_weights()

    def set_weights(self, values: bytes) -> None:
        """Let the evaluation use other weights. Raises ValueError for another number of them."""
        _numberdrop.set_weights(values)


def _read_tile_field(text: str, solo: bool) -> tuple[bytes, bytes]:
    entries = text.split(",")
    if len(entries) != len(LETTERS):
        raise PositionError(f"tiles: {len(entries)} entries, expected five separated by commas")
    pieces, notches = [], []
    for letter, entry in zip(LETTERS, entries, strict=True):
        name, colon, notch = entry.partition(":")
        if name != "-" and name not in PIECES:
            raise PositionError(f"tile of {letter}: expected one of {', '.join(PIECES)} or -, got {quote(name)}")
        if bool(colon) != solo or (solo and notch not in ("0", "1", "2", "3", "4")):
            want = "a notch like T4:0 in the solo game" if solo else "no notch outside the solo game"
            raise PositionError(f"tile of {letter}: expected {want}, got {quote(entry)}")
        pieces.append(_NO_PIECE if name == "-" else PIECES.index(name))
        notches.append(int(notch) if solo else 0)
    return bytes(pieces), bytes(notches)


def _read_phase(text: str) -> tuple[int, int | None, int, int]:
    """Return phase, deciding player if named, letter that fires, slides made."""
    match = _PHASE.fullmatch(text)
    if not match:
        raise PositionError(
            f"phase: expected tile, write:P, roll, slide0, slide1, blockN:P:LETTER, drop:P or over, got {quote(text)}"
        )
    plain, named, player, slides, blocked, letter = match.groups()
    if named:
        return {"write": WRITE, "drop": DROP}[named], int(player) - 1, _NO_LETTER, 0
    if blocked:
        return BLOCK, int(blocked) - 1, LETTERS.index(letter), int(slides)
    if plain.startswith("slide"):
        return SLIDE, None, _NO_LETTER, int(plain[-1])
    return {"tile": TILE, "roll": ROLL, "over": OVER}[plain], None, _NO_LETTER, 0


def _read_dice_field(text: str, due: bool) -> tuple[bytes, int]:
    if not due:
        if text != "-":
            raise PositionError(f"dice: expected - in this phase, got {quote(text)}")
        return bytes(4), 0
    match = _ROLLED.fullmatch(text)
    if not match:
        raise PositionError(f"dice: expected four numbers and a shape like 3*56L, got {quote(text)}")
    return bytes(_read_numbers(match[1])), SHAPES.index(match[2])


def _read_sheet(text: str, where: str) -> tuple[bytes, bytes, int]:
    parts = text.split(",")
    if len(parts) != 4:
        raise PositionError(
            f"{where}: expected cells, used cells, claims and circled letters separated by commas, "
            f"got {len(parts)} parts"
        )
    marks = _read_rows(parts[0], "0123456789X", f"{where}, cells")
    used = [""] * CELLS if parts[1] == "-" else _read_rows(parts[1], GROUP_MARKS[1:], f"{where}, used cells")
    cells = bytes(_EMPTY if not mark else _X if mark == "X" else int(mark) for mark in marks)
    groups = bytes(GROUP_MARKS.index(mark) if mark else 0 for mark in used)
    if parts[2] != _claims(groups):
        raise PositionError(f"{where}, claims: the used cells say {_claims(groups)}, got {quote(parts[2])}")
    return cells, groups, _read_letters(parts[3], f"{where}, circled letters")


SHIPPED = Path(__file__).parent / "data" / "numberdrop-2.weights"
"""The weights of the evaluation that come with the package."""

OTHER_WEIGHTS = "BLOCKWIT_NUMBERDROP_WEIGHTS"
"""Environment variable with the path of other weights, for measuring them; child processes inherit it."""


def load_weights(path: Path) -> weights.Weights:
    """Let the evaluation use the weights of a file. Raises WeightsError and keeps the present ones."""
    loaded = weights.read(path, _numberdrop.FEATURE_SET, _numberdrop.WEIGHT_COUNT)
    _numberdrop.set_weights(loaded.values)
    return loaded


load_weights(Path(os.environ.get(OTHER_WEIGHTS) or SHIPPED))

GAME = NumberDrop()
NumberDropPosition.game = GAME
