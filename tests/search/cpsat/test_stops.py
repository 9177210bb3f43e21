"""Every part of the optimizer looks at the clock and at a stop; CP-SAT does so when it likes, and is not waited for."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from blockwit.games.nmbr9.position import GAME
from blockwit.search.cpsat import model, optimize, solving
from blockwit.search.cpsat.model import Outcome, StackModel
from blockwit.search.cpsat.optimize import Optimizer, Progress
from blockwit.search.cpsat.problem import read_problem
from blockwit.search.cpsat.search import Beam, first_settings
from blockwit.search.cpsat.searcher import Nmbr9Searcher
from blockwit.search.cpsat.solving import Stopped
from blockwit.search.cpsat.stacks import COVERER
from blockwit.search.types import Limits, Settings
from ortools.sat.python import cp_model

HANG = 60.0
"""Seconds after which a test is given up."""


class Asked:
    """Counts how often it is asked whether to stop; says so from the `limit`th time on."""

    def __init__(self, limit: int = 10**9) -> None:
        self.limit = limit
        self.times = 0

    def __call__(self) -> bool:
        self.times += 1
        return self.times >= self.limit


def known(cards: str = "31415926") -> StackModel:
    """Return the model of a known deck in which nothing is placed yet, on three levels."""
    problem = read_problem(f"K:{cards}")
    ranks = range(len(cards))
    return StackModel(problem.pool, problem.cards, range(3), (0, 0, 11, 11), deck=problem.deck, ranks=ranks)


def built(spec: StackModel, over: Callable[[], bool]) -> model._Build:
    """Build a model without a limit of time."""
    return model._Build(spec, time.monotonic() + 1000, over)


def test_a_model_is_built_in_slices() -> None:
    asked = Asked()
    whole = built(known(), asked)
    places = len(whole.places)
    assert places > 2000
    # Each place is listed, supported and compared with those below.
    assert asked.times >= 3 * places / model.SLICE
    for limit in (2, asked.times // 2, asked.times):
        early = Asked(limit)
        with pytest.raises(Stopped):
            built(known(), early)
        assert early.times == limit


def test_a_model_of_a_known_order_grows_with_its_places() -> None:
    """Not with their square: a statement of its own for each pair on a level made millions of constraints."""
    whole = built(known(), solving.never)
    cells = sum(len(tile.cells()) for tile, _ in whole.places)
    assert len(whole.model.proto.constraints) < 4 * cells


def test_a_model_that_would_not_be_ready_in_time_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    begun: list[str] = []
    monkeypatch.setattr(model._Build, "_use_the_cards", lambda self: begun.append("constraints"))
    spec = known()
    # The list of places alone asks for the time some hundred times.
    assert spec.solve(500, 1) == Outcome(None, model.NO_BOUND, False)
    assert not begun
    taken = next(now)
    assert taken < 500


class Stubborn:
    """A solver in the place of CP-SAT's that hears no stop until `release` is set."""

    release = threading.Event()
    running = 0
    stops = 0

    def __init__(self) -> None:
        self.parameters = SimpleNamespace(catch_sigint_signal=True)
        self.best_bound_callback: Callable[[float], None] = lambda value: None

    def solve(self, _: cp_model.CpModel) -> object:
        assert not self.parameters.catch_sigint_signal
        Stubborn.running += 1
        assert Stubborn.release.wait(HANG)
        self.best_bound_callback(1.0)
        Stubborn.running -= 1
        return cp_model.UNKNOWN

    def stop_search(self) -> None:
        Stubborn.stops += 1


@pytest.fixture
def stubborn(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Stubborn]]:
    """Put the stubborn solver in the place of CP-SAT's, and let it go at the end."""
    Stubborn.release.clear()
    Stubborn.stops = 0
    monkeypatch.setattr(cp_model, "CpSolver", Stubborn)
    yield Stubborn
    Stubborn.release.set()
    for thread in threading.enumerate():
        if thread.name.startswith("cp-sat"):
            thread.join(HANG)


def test_a_solver_that_does_not_end_is_not_waited_for(stubborn: type[Stubborn]) -> None:
    bounds: list[float] = []
    solved = solving.solve(cp_model.CpModel(), HANG, 1, Asked(3), on_bound=bounds.append)
    assert not solved.found
    assert stubborn.running == 1
    assert stubborn.stops
    # One winds down at most: the next waits for it, and looks at the control meanwhile.
    asked = Asked(5)
    assert not solving.solve(cp_model.CpModel(), HANG, 1, asked).found
    assert asked.times == 5
    assert stubborn.running == 1
    stubborn.release.set()
    deadline = time.monotonic() + HANG
    while stubborn.running and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not stubborn.running
    assert not bounds


def test_an_optimizer_answers_with_its_incumbent_while_a_solver_winds_down(
    stubborn: type[Stubborn], monkeypatch: pytest.MonkeyPatch
) -> None:
    # CP-SAT has its turn after the assignments and the beams.
    monkeypatch.setattr(optimize, "KNOWN_SLICE", 0.05)
    optimizer = Optimizer(read_problem("K:0123456789012"))
    ends: list[Progress] = []
    run = threading.Thread(target=lambda: ends.append(optimizer.run()), daemon=True)
    run.start()
    deadline = time.monotonic() + HANG
    while not stubborn.running and run.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stubborn.running
    optimizer.stop()
    run.join(HANG)
    assert not run.is_alive()
    assert ends[0].plan is not None


def test_the_enumeration_asks_within_one_question() -> None:
    counts = (0, 1, 0, 0, 0, 1, 0, 1, 0, 0)
    asked = Asked()
    layouts, complete = COVERER.all_layouts(counts, stopped=asked)
    assert complete
    assert asked.times > 10
    part, complete = COVERER.all_layouts(counts, stopped=Asked(3))
    assert not complete
    assert len(part) < len(layouts)
    above = COVERER.layout([(8, 0, 20, 20), (9, 0, 23, 20)])
    asked = Asked()
    COVERER.below([above], (1, 1, 1, 1, 1, 0, 0, 0, 0, 0), stopped=asked)
    assert asked.times > 10
    ended = Asked(3)
    assert not COVERER.below([above], (1, 1, 1, 1, 1, 0, 0, 0, 0, 0), stopped=ended)[1]
    assert ended.times == 3

    def fail() -> bool:
        raise RuntimeError("asked")

    with pytest.raises(RuntimeError, match="asked"):
        COVERER.all_layouts(counts, stopped=fail)
    with pytest.raises(RuntimeError, match="asked"):
        COVERER.below([above], counts, stopped=fail)


def test_a_beam_that_is_stopped_hands_out_no_more_work(monkeypatch: pytest.MonkeyPatch) -> None:
    handed = 0
    submit = ThreadPoolExecutor.submit

    def counted(*arguments: object, **named: object) -> object:
        nonlocal handed
        handed += 1
        return submit(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
    stop = threading.Event()
    beam = Beam(read_problem("F-9-2-20"), 2, lambda tiles, score: None, stop.is_set)

    def expand(*_: object) -> list[bytes]:
        stop.set()
        return []

    monkeypatch.setattr(beam, "_expand", expand)
    assert beam.run(first_settings(6, 1)) == 0
    assert 0 < handed < 20


@pytest.mark.parametrize(
    ("fen", "limits", "most"),
    [
        ("- 31415926", Limits(movetime=3000, clock=300), 0.29),
        ("- 31415926", Limits(movetime=200, clock=30_000), 0.19),
        ("- 31415926", Limits(clock=1000, movestogo=4), 0.99),
        # What the solver may take longer is left to it.
        ("- *00112233445566778899/20", Limits(clock=100), 0.05),
        ("- 3?0123", Limits(movetime=3000, clock=300), 0.12),
        ("- 3?0123", Limits(clock=300, movestogo=1), 0.29),
    ],
)
def test_the_first_limit_reached_ends_a_search(
    fen: str, limits: Limits, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def run(self: Optimizer, seconds: float, steps: int | None) -> Progress:
        given.append(seconds)
        return self.progress()

    def choose(position: object, seconds: float, *_: object) -> object:
        given.append(seconds)
        raise InterruptedError

    monkeypatch.setattr(Optimizer, "run", run)
    monkeypatch.setattr("blockwit.search.cpsat.searcher.choose", choose)
    with contextlib.suppress(InterruptedError):
        Nmbr9Searcher(Settings()).search(GAME.parse(fen, {}), limits, lambda info: None)
    assert 0 < given[0] <= most


def test_nothing_is_repeated_once_the_move_is_told() -> None:
    """A bound that CP-SAT reports late comes after `bestmove` no more."""
    told: list[str] = []
    searcher = Nmbr9Searcher(Settings())
    searcher.arm()
    timer = threading.Timer(0.5, searcher.stop)
    timer.start()
    searcher.search(GAME.parse("- 0123456", {}), Limits(infinite=True), lambda info: told.append(info.note))
    count = len(told)
    time.sleep(0.3)
    assert len(told) == count
    assert told[-1] == "end"
