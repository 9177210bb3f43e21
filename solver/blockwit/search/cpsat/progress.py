"""Progress files of the optimizer: what a run that was ended goes on from.

Nothing of them is believed unchecked: the plan is replayed, and a bound counts only under a checksum, for the same
problem and from the same version of the program, whose bounds may have been mended since.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from blockwit import reading, writing
from blockwit.errors import MoveError, SolutionError, quote
from blockwit.games.nmbr9.position import TILES, read_tile
from blockwit.models import ENGINE, Sealed, read
from blockwit.search.cpsat.problem import Problem
from blockwit.search.cpsat.stacks import Plan, replay

FORMAT: Literal["blockwit progress"] = "blockwit progress"


class ProgressFile(Sealed):
    """A progress file."""

    format: Literal["blockwit progress"]
    engine: str = Field(description="the program and its version")
    problem: str
    score: int = Field(ge=-1, lt=1 << 32, description="of the moves; -1 without any")
    bound: int = Field(ge=0, lt=1 << 32, description="no plan brings more")
    moves: list[str] = Field(max_length=TILES)
    rounds: int = Field(ge=0, lt=1 << 53)
    seconds: float = Field(ge=0)


@dataclass(frozen=True)
class Saved:
    """What a progress file says, checked: the plan (None: none was found), the bound, the rounds and seconds spent."""

    plan: Plan | None
    bound: int
    rounds: int
    seconds: float


def write(path: Path, problem: Problem, saved: Saved) -> None:
    """Write a progress file. Raises OSError."""
    plan = saved.plan
    file = ProgressFile(
        format=FORMAT,
        engine=ENGINE,
        problem=problem.name,
        score=-1 if plan is None else plan.score,
        bound=saved.bound,
        moves=[] if plan is None else [str(tile) for tile in plan.tiles],
        rounds=saved.rounds,
        seconds=round(saved.seconds, 1),
    )
    writing.write(path, file.sealed().model_dump_json(indent=1) + "\n")


def load(path: Path, problem: Problem) -> Saved:
    """Read a progress file.

    Raises:
        SolutionError: it cannot be read, is damaged, of another problem or version, or its plan breaks the rules.
    """
    where = f"progress file {path}"
    file = read(ProgressFile, reading.text(path, SolutionError), SolutionError, where)
    if file.problem != problem.name:
        raise SolutionError(f"{where} is of problem {quote(file.problem)}, expected {problem.name}")
    if file.engine != ENGINE:
        raise SolutionError(f"{where} was written by {quote(file.engine)}, whose bound {ENGINE} does not take over")
    if not file.whole():
        raise SolutionError(f"{where} is not as it was written, its checksum does not fit")
    plan = None
    if file.moves:
        try:
            plan = replay(problem, [read_tile(move) for move in file.moves])
        except MoveError as error:
            raise SolutionError(f"{where}: {error}") from None
        if plan is None:
            raise SolutionError(f"{where}: its plan breaks the rules")
    score = -1 if plan is None else plan.score
    if score != file.score:
        raise SolutionError(f"{where}: its plan scores {score}, not {file.score}")
    if file.bound < score:
        raise SolutionError(f"{where}: its bound {file.bound} is below the {score} points of its plan")
    return Saved(plan, file.bound, file.rounds, file.seconds)
