"""Solving: puzzle files compared with their answers, and positions of any game. For people and for scripts."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockwit import games
from blockwit.client import Engines
from blockwit.errors import BlockwitError, EngineError, SolutionError
from blockwit.games.base import Kind, Options, Position
from blockwit.jobs import Stop
from blockwit.search.types import Info, Limits
from blockwit.study import puzzles

HASH_MB = 64
"""The option `Hash` of the engines that the commands solve with."""


class Status(enum.IntEnum):
    """How it went; the numbers are the exit statuses of `blockwit solve`."""

    SOLVED = 0
    """A puzzle's answer is found, or a position's best play is proven."""
    WRONG = 1
    """What is found differs from a puzzle's answer, or the proof refutes that answer."""
    BROKEN = 2
    """A file or position that cannot be read, or an engine that fails."""
    OPEN = 3
    """The best play found within the time is not proven to be the best."""


@dataclass(frozen=True)
class Solved:
    """What is known about one puzzle or position.

    `line` is the best play found, `score` its worth in words, `proof` how sure that is (`proven`, `found by search`,
    `bound X`, `not proven`). `value` and `bound` in the game's unit and `mate` in own turns are for
    scripts.
    """

    subject: str
    status: Status
    remark: str = ""
    game: str = ""
    task: str = ""
    start: Position | None = None
    line: tuple[str, ...] = ()
    score: str = ""
    proof: str = ""
    value: float | None = None
    mate: int | None = None
    bound: float | None = None
    nodes: int = 0

    def __str__(self) -> str:
        if self.status is Status.BROKEN:
            return f"blockwit: {self.remark}"
        verdict = {Status.SOLVED: "solved", Status.WRONG: "WRONG", Status.OPEN: "open"}[self.status]
        remark = f" ({self.remark})" if self.remark else ""
        return f"{self.subject}: {verdict}, {self.proof}, {self.score}: {' '.join(self.line) or 'no line'}{remark}"

    def to_json(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "subject": self.subject,
            "status": self.status.name.lower(),
            "remark": self.remark,
            "game": self.game,
            "position": self.start.fen() if self.start else "",
            "task": self.task,
            "line": list(self.line),
            "score": self.score,
            "value": self.value,
            "mate": self.mate,
            "bound": self.bound,
            "proof": self.proof,
            "nodes": self.nodes,
        }

    def picture(self) -> str:
        """Draw the answer: the first move on the board where two play, the end of the line where one builds.

        Raises:
            SolutionError: there is no line to draw.
        """
        if self.start is None or not self.line:
            raise SolutionError(f"{self.subject}: there is no answer to draw")
        if len(self.start.returns()) > 1:
            return self.start.svg(self.line[0])
        position = self.start
        for token in self.line[:-1]:
            position = position.play(token)
        return position.svg(self.line[-1])


def solve(
    subject: str,
    game: str | None,
    options: Options,
    seconds: float,
    engines: Engines,
    *,
    prove: bool,
    stop: Stop | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> Solved:
    """Solve a puzzle file, or a position string if there is no such file.

    Args:
        subject: a path or a position string.
        game: the game of a position string, None to tell it by its form.
        options: the rules of a position string.
        seconds: how long to think about a position.
        engines: who searches.
        prove: prove a puzzle's answer again as well, and a forced win of a position.
        stop: ends the search of a position with the best so far.
        told: called with a line for people on the way.
    """
    told(subject)
    try:
        # A position holds spaces and a deck or sheet; whatever lies on the disk is meant as a file.
        if " " not in subject.strip() or Path(subject).is_file():
            return solve_puzzle(Path(subject), engines, prove=prove)
        named = games.get(game) if game else games.of_position(subject)
        position = named.parse(subject, options)
        return solve_position(position, options, subject, seconds, engines, prove=prove, stop=stop, told=told)
    except (BlockwitError, OSError) as error:
        return Solved(subject, Status.BROKEN, str(error))


def solve_puzzle(path: Path, engines: Engines, *, prove: bool) -> Solved:
    """Solve a puzzle without a look at its answer, and compare. Raises nothing: a broken file is a status."""
    try:
        puzzle = puzzles.load(path)
    except BlockwitError as error:
        return Solved(str(path), Status.BROKEN, str(error))
    status, remark, proof = Status.SOLVED, "", ""
    try:
        found = puzzle.attempt(engines)
        proof = "proven" if found.how == "exhaustive search" else "found by search"
        if prove:
            puzzle.check()
            proof = "proven"
    except EngineError as error:
        return Solved(str(path), Status.BROKEN, str(error))
    except BlockwitError as error:
        return Solved(str(path), Status.WRONG, str(error), puzzle.game.name, puzzle.task(), puzzle.position)
    if not puzzle.right(found):
        expected = puzzle.asked(puzzle.line[0]) if puzzle.points is None else f"{puzzle.points:g} points"
        status, remark = Status.WRONG, f"expected {expected}"
    mate = puzzle.question.turns if puzzle.question.kind == "win" and found.line else None
    score = f"win in {mate}" if mate else puzzle.question.kind if found.points is None else f"{found.points:g} points"
    return Solved(
        str(path),
        status,
        remark,
        puzzle.game.name,
        puzzle.task(),
        puzzle.position,
        found.line,
        score,
        proof,
        found.points,
        mate,
        nodes=found.nodes,
    )


def solve_position(
    position: Position,
    options: Options,
    subject: str,
    seconds: float,
    engines: Engines,
    *,
    prove: bool,
    stop: Stop | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> Solved:
    """Find the best play from a position within `seconds`.

    A forced win or loss is proven by the search itself, which prunes nothing on suspicion; with `prove` a win is proven
    once more by the separate prover, which takes as long as it takes. A plan is proven when it reaches its bound.

    Raises:
        SolutionError: the game is over, a roll or card comes first, or the prover finds no such win.
    """
    if position.kind() is Kind.TERMINAL:
        raise SolutionError(f"nothing to solve: the game is over ({position.result()})")
    if position.kind() is Kind.CHANCE:
        raise SolutionError("nothing to decide: a roll or card comes first")
    engine = engines.at(position.game.name, options, position.fen())
    stop = stop or Stop()

    def news(info: Info) -> None:
        told(f"depth {info.depth}, score {info.score}, {' '.join(info.pv)}")
        # One that came just before the search began was for nobody.
        if stop.is_set():
            engine.stop()

    with stop.calls(engine.stop):
        best = engine.go(Limits(movetime=max(1, round(1000 * seconds))), report=news).infos[0]
    score, value, mate, bound, proof = "", None, None, None, "not proven"
    if best.score is not None and best.score.mate is not None:
        mate = best.score.mate
        score, proof = f"{'win' if mate > 0 else 'loss'} in {abs(mate)}", "proven"
        if prove and mate > 0 and not stop.is_set() and not puzzles.prove(position, mate)[0]:
            raise SolutionError(f"the proof finds no win in {mate} turns")
    elif best.score is not None and best.score.cp is not None:
        value = best.score.cp / 100
        score = f"{value:g} ({position.game.unit})"
        if best.bound is not None:
            bound = best.bound / 100
            proof = "proven" if bound <= value else f"bound {bound:g}"
    return Solved(
        subject,
        Status.SOLVED if proof == "proven" else Status.OPEN,
        "",
        position.game.name,
        "",
        position,
        tuple(best.pv),
        score,
        proof,
        value,
        mate,
        bound,
        best.nodes,
    )
