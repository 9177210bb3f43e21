"""Claims about plans and bounds, verified without trust: the plan is replayed, the bound is proven anew.

A free problem (F) goes through the search over (tiles used, lowest layout) from the top, a known deck (K) through the
assignments of its cards to levels. Each begins with nothing but the claimed bound as what has to be beaten: where
nothing beats it, it holds. docs/nmbr9-bound.md says why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from blockwit import _nmbr9
from blockwit.errors import MoveError, OptionError, SolutionError, WrongClaimError
from blockwit.games.nmbr9.position import Tile, read_tile
from blockwit.models import read
from blockwit.search.cpsat.free import FreeProof
from blockwit.search.cpsat.known import KnownSolver, suits
from blockwit.search.cpsat.problem import Problem, read_order, read_problem
from blockwit.search.cpsat.progress import ProgressFile
from blockwit.search.cpsat.solution import SolutionFile, check_solution
from blockwit.search.cpsat.stacks import complete, replay


@dataclass(frozen=True)
class Claim:
    """What is claimed of a problem.

    Some plan brings `score` points (None: none is told), and none brings more than `bound` (None: none is claimed).
    """

    problem: Problem
    score: int | None
    bound: int | None


@dataclass(frozen=True)
class Verdict:
    """What came of a bound: `held` None where it could not be told; `why` in words."""

    held: bool | None
    why: str


def claim_of_solution(text: str) -> Claim:
    """Return what a solution file claims, its plan replayed.

    Raises:
        WrongClaimError: its plan or its figures are wrong.
        SolutionError: it is no solution file.
    """
    file = read(SolutionFile, text, SolutionError)
    _problem(file.problem, file.deck)
    try:
        solution = check_solution(text)
    except SolutionError as error:
        raise WrongClaimError(str(error)) from None
    bound = solution.score if file.bound is None and file.proven else file.bound
    return Claim(solution.problem, solution.score, bound)


def claim_of_progress(text: str) -> Claim:
    """Return what a progress file claims, whichever version wrote it: nothing is taken over here.

    Raises:
        WrongClaimError: its plan, its figures or its checksum are wrong.
        SolutionError: it is no progress file.
    """
    file = read(ProgressFile, text, SolutionError)
    problem = _problem(file.problem)
    if not file.whole():
        raise WrongClaimError("not as it was written, its checksum does not fit")
    score = None
    if file.moves:
        score = replayed(problem, file.moves)
    if (-1 if score is None else score) != file.score:
        raise WrongClaimError(f"its plan scores {-1 if score is None else score}, not {file.score}")
    if file.bound < file.score:
        raise WrongClaimError(f"its bound {file.bound} is below the {file.score} points of its plan")
    return Claim(problem, score, file.bound)


def _problem(name: str, deck: str = "") -> Problem:
    try:
        return read_problem(name, read_order(deck) if deck else ())
    except OptionError as error:
        raise SolutionError(str(error)) from None


def replayed(problem: Problem, moves: Sequence[str]) -> int:
    """Return the points of a plan by the rules. Raises WrongClaimError."""
    try:
        plan = replay(problem, [read_tile(move) for move in moves])
    except MoveError as error:
        raise WrongClaimError(str(error)) from None
    if plan is None:
        raise WrongClaimError(f"the plan breaks the rules, or is no whole plan of {problem.name}")
    return plan.score


def prove(claim: Claim, seconds: float | None, workers: int, over: Callable[[], bool]) -> Verdict:
    """Prove the bound of a claim anew, for at most so long or until `over()`."""
    if claim.bound is None:
        return Verdict(True, "no bound is claimed")
    if claim.problem.kind == "U":
        return Verdict(None, "the order is unknown")
    top = _nmbr9.bounds(claim.problem.position().raw())[1]
    if top <= claim.bound:
        return Verdict(True, "by the digits alone")
    if suits(claim.problem):
        return _known(claim.problem, claim.bound, seconds, workers, over)
    return _free(claim.problem, claim.bound, top, seconds, workers, over)


def _known(problem: Problem, bound: int, seconds: float | None, workers: int, over: Callable[[], bool]) -> Verdict:
    better: list[int] = []

    def found(tiles: list[Tile]) -> None:
        plan = replay(problem, tiles)
        if plan is not None and plan.score > bound:
            better.append(plan.score)

    solver = KnownSolver(problem, workers, found, lambda _: None)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            # A plan that beats the claim settles it: the optimum is not asked for.
            if better or over():
                solver.stop()
                return

    watching = threading.Thread(target=watch, name="watch", daemon=True)
    watching.start()
    try:
        solver.run(seconds, lambda: max([bound, *better]), over)
    finally:
        ended.set()
        watching.join()
    if better:
        return Verdict(False, f"a plan of {max(better)} points exists")
    if solver.finished:
        return Verdict(True, f"proven anew: {solver.proof}")
    reached = "no bound" if solver.bound is None else f"bound {solver.bound}"
    return Verdict(None, f"not proven in this time, {reached} was")


def _free(
    problem: Problem, bound: int, top: int, seconds: float | None, workers: int, over: Callable[[], bool]
) -> Verdict:
    reached = [top]
    proof = FreeProof(problem, workers, top)
    began = time.monotonic()
    tiles = proof.run(seconds, bound, reached.append, over)
    plan = None if tiles is None else complete(problem, tiles)
    if plan is not None and plan.score > bound:
        return Verdict(False, f"a plan of {plan.score} points exists")
    if reached[-1] <= bound:
        return Verdict(True, f"proven anew in {time.monotonic() - began:.1f} s, {proof.counts['nodes']} nodes")
    if proof.done and not proof.exact:
        return Verdict(None, f"a free choice of the same tiles is bounded by {reached[-1]}, more is not tried")
    return Verdict(None, f"not proven in this time, bound {reached[-1]} was")
