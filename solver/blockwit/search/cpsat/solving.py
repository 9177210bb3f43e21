"""The only place that runs CP-SAT: in a thread of its own, so that neither a stop nor a signal waits for it.

The solver looks at its clock and at a stop when it suits it, and in the middle of simplifying a large model that can
take a while. Then the search goes on without the result, and the solver winds down aside. One at most does: the next
solve waits for it.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blockwit.jobs import startable

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

LOOK = 0.005
"""Seconds between two questions whether to stop."""

PATIENCE = 0.02
"""Seconds that a solver gets to end by itself once the search is over."""

MARGIN = 0.15
"""Seconds that a solver may need to end by itself, with what it has found, when its own time is over."""

SPARE_THREADS = 4
"""Threads for the solve itself, its winding down, and what the solver needs beside its workers."""

MODULE = "ortools.sat.python.cp_model"


class Stopped(Exception):  # noqa: N818 - not an error: the caller asked for it
    """The work was interrupted."""


def never() -> bool:
    """Tell that there is no reason to stop."""
    return False


def loaded(over: Callable[[], bool]) -> bool:
    """Import CP-SAT, which takes most of a second, aside: a stop does not wait for it. Returns whether it is there."""
    if MODULE in sys.modules and not _loading():
        return True
    thread = threading.Thread(target=importlib.import_module, args=(MODULE,), daemon=False)
    try:
        thread.start()
    except RuntimeError:  # no thread to be had
        importlib.import_module(MODULE)
        return True
    while thread.is_alive():
        if over():
            return False
        thread.join(LOOK)
    return True


def _loading() -> bool:
    """Tell whether another thread is in the middle of importing CP-SAT."""
    spec = getattr(sys.modules[MODULE], "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


@dataclass(frozen=True)
class Solved:
    """How a solve ended: with a solution or not, proven to be the best or not, or with the proof that there is none."""

    solver: Any
    found: bool = False
    optimal: bool = False
    refuted: bool = False


_winding: threading.Thread | None = None


def solve(
    model: cp_model.CpModel,
    seconds: float,
    workers: int,
    over: Callable[[], bool] = never,
    *,
    seed: int | None = None,
    on_bound: Callable[[float], None] | None = None,
) -> Solved:
    """Solve a model within `seconds`, or until `over()` says so.

    A model that was not solved to its end must not be changed any more: the solver may still be reading it.
    `on_bound` is told of better bounds of the objective, from another thread, and never once this has returned.
    """
    from ortools.sat.python import cp_model

    global _winding
    end = time.monotonic() + seconds
    while _winding is not None and _winding.is_alive():
        if over() or time.monotonic() >= end:
            return Solved(None)
        _winding.join(LOOK)
    seconds = end - time.monotonic()
    if seconds <= 0 or over():
        return Solved(None)
    solver = cp_model.CpSolver()
    # A thread that it cannot have ends the process: it gets what there are beside these.
    found = startable(workers + SPARE_THREADS) - SPARE_THREADS
    if found < 1:
        return Solved(None)
    solver.parameters.num_workers = found
    solver.parameters.max_time_in_seconds = seconds - min(MARGIN, seconds / 10)
    # Signals are heard by the program alone.
    solver.parameters.catch_sigint_signal = False
    if seed is not None:
        solver.parameters.random_seed = seed % 2**31
    lock = threading.Lock()
    left = False

    def tell(value: float) -> None:
        with lock:
            if not left and on_bound is not None:
                on_bound(value)

    if on_bound is not None:
        solver.best_bound_callback = tell
    statuses: list[Any] = []
    ended = threading.Event()

    def run() -> None:
        try:
            statuses.append(solver.solve(model))
        finally:
            ended.set()

    # No daemons: a program that ends under a running solver is aborted, so it waits for it.
    threading.Thread(target=run, name="cp-sat", daemon=False).start()
    try:
        while not ended.wait(LOOK) and not over():
            # Again and again: a stop that comes just before the solver begins is not heard.
            if time.monotonic() >= end:
                solver.stop_search()
        given_up = time.monotonic() + PATIENCE
        while not ended.wait(LOOK / 5) and time.monotonic() < given_up:
            solver.stop_search()
    finally:
        with lock:
            left = True
        if not ended.is_set():
            _winding = threading.Thread(target=_wind_down, args=(solver, ended), name="cp-sat ends", daemon=False)
            _winding.start()
    if not statuses:
        return Solved(None)
    status = statuses[0]
    return Solved(
        solver,
        status in (cp_model.OPTIMAL, cp_model.FEASIBLE),
        status == cp_model.OPTIMAL,
        status == cp_model.INFEASIBLE,
    )


def _wind_down(solver: cp_model.CpSolver, ended: threading.Event) -> None:
    while not ended.wait(LOOK):
        solver.stop_search()
