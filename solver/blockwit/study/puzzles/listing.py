"""The puzzles as the page lists them, read from the files in puzzles/."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from blockwit import reading
from blockwit.errors import SolutionError
from blockwit.search.cpsat.solution import check_solution
from blockwit.study import puzzles
from blockwit.study.puzzles.base import Puzzle

FOLDER = Path(str(resources.files("blockwit.study.puzzles"))) / "shipped"


@cache
def listed(game: str) -> list[dict[str, Any]]:
    """Return all puzzles of a game: names, the table to set up, the question in words, the answer."""
    found = []
    if game == "nmbr9":
        found += [_stack(path) for path in sorted((FOLDER / game).glob("*.json"))]
    for folder in puzzles.FOLDERS:
        if folder.split("/")[0] == game:
            found += [_posed(path.stem, puzzles.load(path)) for path in sorted((FOLDER / folder).glob("*.json"))]
    return [puzzle for puzzle in found if puzzle is not None]


def _posed(name: str, puzzle: Puzzle) -> dict[str, Any]:
    question = puzzle.question.model_dump()
    return {
        "name": name,
        "kind": question["kind"],
        "position": puzzle.position.fen(),
        "options": dict(puzzle.options),
        "task": puzzle.task(),
        "grade": puzzle.grade,
        "drop": question.get("drop"),
        "rolls": list(question.get("rolls", ())),
        "line": list(puzzle.line),
        "points": puzzle.points,
    }


def _stack(path: Path) -> dict[str, Any] | None:
    """Return a solution file of NMBR 9 as a puzzle: reach its score. None when its grid is limited, as no table is."""
    solution = check_solution(reading.text(path, SolutionError))
    problem = solution.problem
    if problem.limited:
        return None
    most = "The most is" if solution.proven else "The best known is"
    return {
        "name": path.stem,
        "kind": "stack",
        "position": problem.position().fen(),
        "options": {},
        "task": f"Build the best stack of {problem.name}. {most} {solution.score} points.",
        "grade": 0,
        "drop": None,
        "rolls": [],
        "line": [str(tile) for tile in solution.tiles],
        "points": float(solution.score),
    }
