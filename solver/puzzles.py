"""Posed puzzles: one JSON file each, with the position, the question, the answer and where it comes from.

The format is described by puzzles/schema.json. A `win` puzzle asks for a forced win within a number of own
turns; its answer lists every first move that forces it and no slower win counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solver import games
from solver.errors import BlockwitError, SolutionError
from solver.games.base import Game, Kind, OptionValue, Position

MAX_TURNS = 8
MAX_FILE = 1 << 20


@dataclass(frozen=True)
class Puzzle:
    """A puzzle: force a win in at most `turns` own turns.

    `answer` holds all first moves that do; `nodes` is what the exhaustive proof visited, a measure of how hard
    the puzzle is.
    """

    game: Game
    position: Position
    options: Mapping[str, OptionValue]
    turns: int
    answer: tuple[str, ...]
    source: str
    nodes: int

    def to_json(self) -> str:
        """Return the file's text."""
        data = {
            "game": self.game.name,
            "position": self.position.fen(),
            "options": dict(self.options),
            "question": {"kind": "win", "turns": self.turns},
            "answer": {"moves": list(self.answer)},
            "proof": {"method": "exhaustive", "plies": 2 * self.turns - 1, "nodes": self.nodes},
            "source": self.source,
        }
        return json.dumps(data, indent=1) + "\n"


def _field(data: Any, path: str, kind: type) -> Any:
    """Return `data` at a dotted path, checked to be of a type."""
    at = data
    for part in path.split("."):
        if not isinstance(at, dict) or part not in at:
            raise SolutionError(f"{path} is missing")
        at = at[part]
    if not isinstance(at, kind) or (kind is int and isinstance(at, bool)):
        raise SolutionError(f"{path}: expected {kind.__name__}, got {type(at).__name__}")
    return at


def parse(text: str) -> Puzzle:
    """Read a puzzle file's text.

    Raises:
        BlockwitError: it is no JSON, lacks a field, or holds a position, option or move that is not legal.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise SolutionError(f"not a JSON file: {error}") from None
    if not isinstance(data, dict):
        raise SolutionError("expected a JSON object")
    game = games.get(_field(data, "game", str))
    options = _field(data, "options", dict)
    position = game.parse(_field(data, "position", str), options)
    if position.kind() is not Kind.DECISION:
        raise SolutionError("position: nothing is to be decided there")
    kind = _field(data, "question.kind", str)
    if kind != "win":
        raise SolutionError(f"question.kind: expected win, got {kind}")
    turns = _field(data, "question.turns", int)
    if not 1 <= turns <= MAX_TURNS:
        raise SolutionError(f"question.turns: expected 1 to {MAX_TURNS}, got {turns}")
    answer = _field(data, "answer.moves", list)
    if not answer or not all(isinstance(move, str) for move in answer):
        raise SolutionError("answer.moves: expected a list of at least one move")
    for move in answer:
        position.actions(move)
    return Puzzle(
        game,
        position,
        options,
        turns,
        tuple(answer),
        _field(data, "source", str),
        _field(data, "proof.nodes", int),
    )


def load(path: Path) -> Puzzle:
    """Read a puzzle file. Raises BlockwitError, the message starting with the file's name."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise SolutionError(f"larger than {MAX_FILE} bytes")
        return parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SolutionError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SolutionError(f"{path}: not UTF-8 text") from None
    except BlockwitError as error:
        raise type(error)(f"{path}: {error}") from None


def prove(position: Position, turns: int) -> tuple[list[str], int]:
    """Find all moves that force a win within `turns` own turns, by exhaustive search; also the nodes visited."""
    from solver import _proof

    actions, nodes = _proof.winning_actions(position.game.capsule(), position.raw(), 2 * turns - 1)
    return [position.line([action])[0] for action in actions], nodes


def check(puzzle: Puzzle) -> None:
    """Prove a puzzle's answer again.

    Raises:
        SolutionError: the win is not there, there is a faster one, or the listed moves are not exactly those
            that force it.
    """
    won, _ = prove(puzzle.position, puzzle.turns)
    if not won:
        raise SolutionError(f"no move forces a win in {puzzle.turns} turns")
    if puzzle.turns > 1 and prove(puzzle.position, puzzle.turns - 1)[0]:
        raise SolutionError(f"there is a win in fewer than {puzzle.turns} turns")
    if set(won) != set(puzzle.answer):
        raise SolutionError(f"the moves that force the win are {', '.join(won)}, not {', '.join(puzzle.answer)}")
