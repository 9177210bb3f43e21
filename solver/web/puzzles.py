"""The puzzles as the page lists them, read from the files in puzzles/."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from solver.nmbr9.problem import read_problem


@cache
def listed(game: str) -> list[dict[str, Any]]:
    """Return all puzzles of a game: a name, the table to set up, the question, the answer."""
    folder = resources.files("solver.web").joinpath("data", "puzzles", game)
    found = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if not path.name.endswith(".json"):
            continue
        data = json.loads(path.read_text(encoding="utf-8"))
        if game == "nmbr9" and "problem" in data:
            puzzle = _stack(data)
            if puzzle is None:
                continue
        else:
            puzzle = {key: data[key] for key in ("position", "options", "question", "answer")}
            puzzle["nodes"] = data.get("proof", {}).get("nodes", 0)
        found.append({"name": path.name.removesuffix(".json"), **puzzle})
    return found


def _stack(data: dict[str, Any]) -> dict[str, Any] | None:
    """Return a solution file of NMBR 9 as a puzzle: reach its score. None when its grid is limited, as no table is."""
    problem = read_problem(data["problem"], data.get("deck", ()))
    if problem.limited:
        return None
    return {
        "position": problem.position().fen(),
        "options": {},
        "question": {"kind": "stack", "problem": data["problem"]},
        "answer": {"points": data["score"], "proven": data.get("proven", False)},
    }
