"""Posed puzzles: one JSON file each, with the position, the question, the answer and its proof.

The format and the kinds of questions are described in docs/puzzles.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from blockwit import games, reading
from blockwit.errors import BlockwitError, SolutionError
from blockwit.study.puzzles import files
from blockwit.study.puzzles.base import Attempt, Proof, Puzzle, require_decision
from blockwit.study.puzzles.deblockle import DefendPuzzle, FreePuzzle, WinPuzzle, prove
from blockwit.study.puzzles.plans import (
    ClaimPuzzle,
    DropPuzzle,
    PlanPuzzle,
    require_drop,
    require_drop_token,
    require_plan,
)

__all__ = [
    "Attempt",
    "ClaimPuzzle",
    "DefendPuzzle",
    "DropPuzzle",
    "FreePuzzle",
    "PlanPuzzle",
    "Proof",
    "Puzzle",
    "WinPuzzle",
    "load",
    "parse",
    "paths",
    "prove",
]

FOLDERS = ("deblockle", "numberdrop", "nmbr9/posed")
"""Where the project's puzzles lie, below puzzles/. (Beside `posed` lie benchmark instances, which are no puzzles.)"""

_GAMES = {
    "win": ("deblockle",),
    "defend": ("deblockle",),
    "free": ("deblockle",),
    "drop": ("numberdrop",),
    "claim": ("numberdrop",),
    "plan": ("numberdrop", "nmbr9"),
}


def parse(text: str) -> Puzzle:
    """Read a puzzle file's text.

    Raises:
        BlockwitError: it is no JSON, lacks a field, or holds a position, option, move or roll that is not legal.
    """
    record = files.read(text)
    question = record.question
    if record.game not in _GAMES[question.kind]:
        raise SolutionError(f"question.kind: {question.kind} is no question of {record.game}")
    game = games.get(record.game)
    position = game.parse(record.position, record.options)
    common = (
        game,
        position,
        record.options,
        record.answer.line,
        record.answer.points,
        record.proof.nodes,
        record.proof.tempting,
        record.grade,
        record.source,
    )
    if record.answer.points is None and question.kind in ("plan", "drop", "claim"):
        raise SolutionError("answer.points is missing")
    if record.answer.points is not None and record.game == "deblockle":
        raise SolutionError("answer.points: no points are asked for")
    puzzle: Puzzle
    match question:
        case files.Win(turns=turns):
            require_decision(position)
            puzzle = WinPuzzle(*common, turns)
        case files.Defend(turns=turns):
            require_decision(position)
            puzzle = DefendPuzzle(*common, turns)
        case files.Free():
            require_decision(position)
            puzzle = FreePuzzle(*common)
        case files.Drop(rolls=rolls):
            require_drop(position)
            puzzle = DropPuzzle(*common, rolls)
        case files.Claim(drop=drop, rolls=rolls):
            require_drop(position)
            require_drop_token(position, drop)
            puzzle = ClaimPuzzle(*common, drop, rolls)
        case files.Plan(rolls=rolls):
            require_plan(position, rolls)
            puzzle = PlanPuzzle(*common, rolls)
    points = puzzle.end().returns()[0]
    if puzzle.points is not None and points != puzzle.points:
        raise SolutionError(f"answer.points: the line brings {points:g} points, not {puzzle.points:g}")
    return puzzle


def load(path: Path) -> Puzzle:
    """Read a puzzle file. Raises BlockwitError, the message starting with the file's name."""
    text = reading.text(path, SolutionError)
    try:
        return parse(text)
    except BlockwitError as error:
        raise type(error)(f"{path}: {error}") from None


def paths(given: Iterable[Path]) -> Iterator[Path]:
    """Yield the puzzle files meant by files and folders: all of a folder, and of `puzzles` those of its FOLDERS.

    Raises:
        SolutionError: there are none in a folder.
    """
    for path in given:
        if not path.is_dir():
            yield path
            continue
        parts = [path / name for name in FOLDERS if (path / name).is_dir()] or [path]
        found = sorted(file for part in parts for file in part.glob("*.json"))
        if not found:
            raise SolutionError(f"{path}: no puzzle files there")
        yield from found
