"""Posed puzzles: one JSON file each, with the position, the question, the answer and where it comes from.

The format is described by puzzles/schema.json. A `win` puzzle asks for a forced win within a number of own
turns; its answer lists every first move that forces it, and no faster win exists. A `plan` puzzle gives all rolls
to come and asks for the most points that can be reached with them.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any

from solver import games, search
from solver.errors import BlockwitError, SolutionError
from solver.games.base import Game, Kind, OptionValue, Position
from solver.search import plan as planning

MAX_TURNS = 8
MAX_FILE = 1 << 20
HASH_MB = 64


@dataclass(frozen=True)
class Attempt:
    """What the engine answers to a puzzle: its line, whether that is right, and a remark."""

    line: str
    right: bool
    remark: str


@dataclass(frozen=True)
class Puzzle(ABC):
    """A position and a question about it.

    `nodes` is what the exhaustive proof visited: a measure of how hard the puzzle is.
    """

    game: Game
    position: Position
    options: Mapping[str, OptionValue]
    source: str
    nodes: int

    @abstractmethod
    def attempt(self) -> Attempt:
        """Let the engine solve the puzzle as it would in a game, without a look at the answer."""

    @abstractmethod
    def check(self) -> None:
        """Prove the answer again by exhaustive search. Raises SolutionError when it is false."""

    @abstractmethod
    def question(self) -> dict[str, Any]:
        """Return the file's `question`."""

    @abstractmethod
    def answer(self) -> dict[str, Any]:
        """Return the file's `answer`."""

    def to_json(self) -> str:
        """Return the file's text."""
        data = {
            "game": self.game.name,
            "position": self.position.fen(),
            "options": dict(self.options),
            "question": self.question(),
            "answer": self.answer(),
            "proof": {"method": "exhaustive", "nodes": self.nodes},
            "source": self.source,
        }
        return json.dumps(data, indent=1) + "\n"


@dataclass(frozen=True)
class WinPuzzle(Puzzle):
    """Force a win in at most `turns` own turns; `moves` holds all first moves that do."""

    turns: int
    moves: tuple[str, ...]

    def attempt(self) -> Attempt:
        """Search for a mate in `turns`."""
        searcher = search.make(self.game, "auto", search.Settings(hash_mb=HASH_MB))
        searcher.arm()
        result = searcher.search(self.position, search.Limits(mate=self.turns), lambda info: None)
        best = result.infos[0]
        right = best.score == search.Score(mate=self.turns) and result.move in self.moves
        remark = f"{best.nodes} nodes" if right else f"expected {' or '.join(self.moves)}"
        return Attempt(f"win in {self.turns}: {' '.join(best.pv)}", right, remark)

    def check(self) -> None:
        """Prove that exactly the listed moves force the win and that there is no faster one."""
        won, _ = prove(self.position, self.turns)
        if not won:
            raise SolutionError(f"no move forces a win in {self.turns} turns")
        if self.turns > 1 and prove(self.position, self.turns - 1)[0]:
            raise SolutionError(f"there is a win in fewer than {self.turns} turns")
        if set(won) != set(self.moves):
            raise SolutionError(f"the moves that force the win are {', '.join(won)}, not {', '.join(self.moves)}")

    def question(self) -> dict[str, Any]:
        """Return kind and turns."""
        return {"kind": "win", "turns": self.turns}

    def answer(self) -> dict[str, Any]:
        """Return the winning first moves."""
        return {"moves": list(self.moves)}


@dataclass(frozen=True)
class PlanPuzzle(Puzzle):
    """Reach the most `points` when `rolls` come in this order."""

    rolls: tuple[str, ...]
    points: float

    def attempt(self) -> Attempt:
        """Plan with a beam, then try to prove the plan."""
        found = planning.plan(self.game, self.position, self.rolls)
        right = found.points == self.points
        remark = f"{found.nodes} nodes" if right else f"expected {self.points:g} points"
        return Attempt(f"{found.points:g} points: {' '.join(found.tokens)}", right, remark)

    def check(self) -> None:
        """Prove that `points` can be reached and no more."""
        found = planning.plan(self.game, self.position, self.rolls, exact_nodes=max(4 * self.nodes, 1_000_000))
        if not found.proven:
            raise SolutionError(f"not proven within {found.nodes} nodes")
        if found.points != self.points:
            raise SolutionError(f"the most points are {found.points:g}, not {self.points:g}")

    def question(self) -> dict[str, Any]:
        """Return kind and rolls."""
        return {"kind": "plan", "rolls": list(self.rolls)}

    def answer(self) -> dict[str, Any]:
        """Return the points."""
        return {"points": self.points}


def _field(data: Any, path: str, kind: type | UnionType) -> Any:
    """Return `data` at a dotted path, checked to be of a type."""
    at = data
    for part in path.split("."):
        if not isinstance(at, dict) or part not in at:
            raise SolutionError(f"{path} is missing")
        at = at[part]
    if not isinstance(at, kind) or isinstance(at, bool):
        raise SolutionError(f"{path}: expected {getattr(kind, '__name__', 'a number')}, got {type(at).__name__}")
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
    common = game, position, options, _field(data, "source", str), _field(data, "proof.nodes", int)
    kind = _field(data, "question.kind", str)
    waits = position.kind()
    if waits is Kind.TERMINAL or (kind == "win" and waits is Kind.CHANCE):
        raise SolutionError("position: nothing is to be decided there")
    if kind == "win":
        turns = _field(data, "question.turns", int)
        if not 1 <= turns <= MAX_TURNS:
            raise SolutionError(f"question.turns: expected 1 to {MAX_TURNS}, got {turns}")
        moves = _strings(data, "answer.moves")
        for move in moves:
            position.actions(move)
        return WinPuzzle(*common, turns, moves)
    if kind == "plan":
        points = _field(data, "answer.points", float | int)
        return PlanPuzzle(*common, _strings(data, "question.rolls"), points)
    raise SolutionError(f"question.kind: expected win or plan, got {kind}")


def _strings(data: Any, path: str) -> tuple[str, ...]:
    values = _field(data, path, list)
    if not values or not all(isinstance(value, str) for value in values):
        raise SolutionError(f"{path}: expected a list of at least one move")
    return tuple(values)


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
