"""One front for all problems with a plan to find: incumbents and bounds, whatever finds them.

A free problem is proven by the search over (tiles used, lowest layout), which finds its plan on the way; as long as
that takes, slices of it alternate with the beam over levels and neighbourhoods of the incumbent. A known order starts
from the beam over cards. No plan is reported that the rules have not replayed.
"""

from __future__ import annotations

import functools
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from blockwit import _nmbr9, writing
from blockwit.games.nmbr9.position import Tile
from blockwit.search.cpsat.free import FreeProof
from blockwit.search.cpsat.known import SHORT_DECK, KnownSolver, Proof, suits
from blockwit.search.cpsat.problem import Problem, most_levels
from blockwit.search.cpsat.search import (
    Beam,
    Worth,
    draw_neighbourhood,
    draw_settings,
    first_settings,
    neighbourhood_model,
    play_beam,
    sketch_settings,
)
from blockwit.search.cpsat.solving import Stopped, loaded
from blockwit.search.cpsat.stacks import Plan, complete, replay
from blockwit.search.cpsat.worth import draw_worth, first_worth

KNOWN_SLICE = 20.0
"""Seconds that the assignments of a known deck get before the other searches have their turn."""

MAX_WIDTH = 16_000
"""Stacks that a beam over cards keeps: some 100 MB of steps."""

SKETCHED = 12
"""Problems of at most so many cards are looked at with every number of levels."""

SHORT = 5.0
"""Seconds within which such a look is worth more than the proof."""

FIRST_PROOF = 30.0
"""Seconds of the proof before anything else than a first plan is looked for."""

FIRST_BOUND = 5.0
"""The same in a known order, which the proof bounds only."""


@dataclass(frozen=True)
class Progress:
    """Where an optimization stands: the incumbent (None before the first), the bound, the seconds spent.

    `source` names what brought the news. Proven optimal when the score reaches the bound.
    """

    plan: Plan | None
    bound: int
    seconds: float
    source: str

    @property
    def score(self) -> int:
        """Points of the incumbent, -1 before the first."""
        return -1 if self.plan is None else self.plan.score

    @property
    def proven(self) -> bool:
        """Tell whether the incumbent is optimal."""
        return self.plan is not None and self.plan.score >= self.bound

    @property
    def gap(self) -> float:
        """The share of the bound that is not reached."""
        return 0.0 if self.bound <= 0 else (self.bound - max(self.score, 0)) / self.bound


class Optimizer:
    """Optimizes one problem; `report` is called at each improvement. One `run` at a time.

    `stop` may be called from any thread. With `save` the state is kept in that file: a new optimizer with the
    same file goes on where the last one was ended, however it was ended. The file is the optimizer's alone until
    `close`, or the end of its `with`. A full disk does not end the run: `unsaved` is then why the state is not in it.

    Raises:
        BusyFileError: another one is at work on the file.
        SolutionError: the file is none of this problem's.
        OSError: it cannot be read, or its folder not be written to.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        workers: int = 1,
        seed: int = 0,
        report: Callable[[Progress], None] = lambda progress: None,
        save: Path | None = None,
    ) -> None:
        if problem.kind == "U":
            raise ValueError("an unknown order has no plan to optimize")
        self.problem = problem
        self.workers = workers
        self.seed = seed
        self.report = report
        self.save = save
        self.plan: Plan | None = None
        self.bound = _nmbr9.bounds(problem.position().raw())[1]
        self.rounds = 0
        self.spent = 0.0
        self._stop = threading.Event()
        self._proof: FreeProof | None = None
        self._known: KnownSolver | None = None
        self._aside: threading.Thread | None = None
        self.worked: dict[str, float] = {}
        """Seconds that each part of the work took, times the threads it had."""
        self._failure: BaseException | None = None
        self._news = threading.RLock()
        self._end: float | None = None
        self._began = time.monotonic()
        self.unsaved: OSError | None = None
        self._claim = ExitStack()
        if save is not None:
            with ExitStack() as claim:
                claim.enter_context(writing.claimed(save))
                if save.exists():
                    self._load(save)
                self._claim = claim.pop_all()

    def close(self) -> None:
        """Let other processes have the file. May be called twice."""
        self._claim.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def stop(self) -> None:
        """End the run as soon as possible."""
        self._stop.set()
        known = self._known
        if known is not None:
            known.stop()

    def progress(self, source: str = "") -> Progress:
        """Return where the optimization stands."""
        return Progress(self.plan, self.bound, self.spent + time.monotonic() - self._began, source)

    def run(self, seconds: float | None = None, steps: int | None = None) -> Progress:
        """Optimize until proven, stopped, `seconds` are over or so many steps done; returns where it stands then."""
        self._began = time.monotonic()
        self._end = None if seconds is None else self._began + seconds
        if self.plan is not None:
            self._tell("saved")
        for step in itertools.islice(self._steps(), steps):
            if self._over():
                break
            try:
                step()
            except Stopped:
                break
        self._await_aside()
        result = self.progress("end")
        self.spent = result.seconds
        self._began = time.monotonic()
        self._write()
        return result

    # --- the parts ---

    def _steps(self) -> Iterator[Callable[[], None]]:
        """Yield what to do, one after the other, without end."""
        yield self._start
        short = self._end is not None and self._end - self._began < SHORT
        if short and self.problem.kind == "F" and self.problem.cards <= SKETCHED and not self.problem.start:
            yield self._sketch
        if self.problem.kind == "K":
            yield from self._known_steps()
        rng = random.Random(self.seed * 1_000_003 + self.rounds)
        if self.problem.cards > SKETCHED and not self.problem.start and not self.rounds:
            yield lambda: self._first_beam(rng)
        yield lambda: self._prove(FIRST_PROOF if self.problem.kind == "F" else FIRST_BOUND)
        while True:
            yield lambda: self._round(rng)

    def _first_beam(self, rng: random.Random) -> None:
        """Find a good plan before the proof, which has one only at its end and takes a while with many cards."""
        self.rounds = 1
        self._beam(rng)

    def _round(self, rng: random.Random) -> None:
        self.rounds += 1
        if self.rounds % 4 == 1:
            self._beam(rng)
        elif self.rounds % 4 == 2:
            self._prove(60.0)
        else:
            self._improve(rng)
        self._write()

    def _start(self) -> None:
        """Find a first plan at once: the beam over cards, narrow."""
        tiles, _ = play_beam(self.problem.position().raw(), 1, 0, self.seed)
        self._offer(tiles, "greedy")
        if self.plan is None:
            return
        tiles, _ = play_beam(self.problem.position().raw(), 30, 0, self.seed, self._over)
        self._offer(tiles, "beam")
        if self.problem.kind == "K" and not self._over():
            worth = first_worth(self.problem)
            tiles, _ = play_beam(self.problem.position().raw(), 200, 0, self.seed, self._over, worth)
            self._offer(tiles, "beam")

    def _sketch(self) -> None:
        """Look quickly at every number of levels: which tiles to play is half of the question in small problems."""
        for height in range(2, most_levels(self.problem) + 1):
            if self._over():
                return
            Beam(self.problem, self.workers, self._stack, self._over).run(sketch_settings(height, self.seed))

    def _known_steps(self) -> Iterator[Callable[[], None]]:
        """Yield the steps of a known order: the beam all the time, and beside it the bound and the proof.

        A short deck is proven sooner than any beam ends. In a long one each has half of the workers; a single worker
        does them in turn. What CP-SAT finds in a neighbourhood comes after many beams.
        """
        rng = random.Random(self.seed * 1_000_003 + self.rounds)
        alone = suits(self.problem) and (self.workers == 1 or self.problem.cards <= SHORT_DECK)
        seconds = KNOWN_SLICE if self.problem.cards <= SHORT_DECK else 1.0
        if suits(self.problem) and not alone:
            yield self._assign_aside
        for turn in itertools.count(1):
            if alone:
                # A pass that was cut short begins anew: each gets more time than the last.
                yield functools.partial(self._assign, seconds)
                seconds = 1.5 * seconds
            for _ in range(min(8, turn)):
                yield lambda: self._beam_round(rng)
            if not suits(self.problem) and turn == 1:
                yield lambda: self._prove(FIRST_BOUND)
            if turn % 4 == 0:
                yield lambda: self._improve(rng)

    def _assign_aside(self) -> None:
        """Go through the assignments in threads of their own until the run is over."""

        def work() -> None:
            try:
                self._assign(None, max(1, self.workers // 2))
            except BaseException as error:
                # What a report raises ends the run, whichever thread it was told in.
                self._failure = error
                self._stop.set()

        self._aside = threading.Thread(target=work, daemon=True)
        self._aside.start()

    def _await_aside(self) -> None:
        if self._aside is not None:
            if self._known is not None:
                self._known.stop()
            self._aside.join()
            self._aside = None
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _beam_round(self, rng: random.Random) -> None:
        """Run beams over cards with other weights, as many as workers are free, wider from round to round."""
        self.rounds += 1
        aside = self._aside is not None and self._aside.is_alive()
        number = self.workers - max(1, self.workers // 2) if aside else self.workers
        width = min(MAX_WIDTH, 1000 * 2 ** (self.rounds // 6))
        start = self.problem.position().raw()
        runs = [(rng.choice((0, 128, 512)), rng.getrandbits(60), draw_worth(rng, self.problem)) for _ in range(number)]

        def play(run: tuple[int, int, Worth | None]) -> list[Tile]:
            noise, seed, worth = run
            return play_beam(start, width, noise, seed, self._over, worth)[0]

        with self._timed("beam", number), ThreadPoolExecutor(number) as pool:
            for tiles in pool.map(play, runs):
                self._offer(tiles, "beam")
        self._write()

    def _assign(self, seconds: float | None, workers: int | None = None) -> None:
        """Go through the assignments of a known deck to levels, for about so long."""
        if self._known is None:
            self._known = KnownSolver(self.problem, workers or self.workers, self._offer_assigned, self._lower_bound)
        if self._end is not None:
            left = max(0.0, self._end - time.monotonic())
            seconds = left if seconds is None else min(seconds, left)
        with self._timed("assignments", workers or self.workers):
            self._known.run(seconds, lambda: self.progress().score, self._over)

    def _offer_assigned(self, tiles: list[Tile]) -> None:
        self._offer(tiles, "assignments")

    @property
    def proof(self) -> Proof | None:
        """What the proof of a known deck consists of, None for other problems."""
        return None if self._known is None else self._known.proof

    def _prove(self, seconds: float) -> None:
        """Work for about so long on the proof: the bound falls, and a free problem gets its best plan at the end."""
        if self._proof is None:
            self._proof = FreeProof(self.problem, self.workers, self.bound)
        proof = self._proof
        if self._end is not None:
            seconds = min(seconds, max(0.0, self._end - time.monotonic()))
        tiles = proof.run(seconds, self.progress().score, self._lower_bound, self._over)
        plan = None if tiles is None else complete(self.problem, tiles)
        if plan is not None:
            self._accept(plan, "proof")

    def _beam(self, rng: random.Random) -> None:
        width = 50 * 2 ** min(6, self.rounds // 8)
        if self.problem.kind == "K" or self.problem.start:
            # A free deck has ten times the placements: the memory for them is bounded.
            most = 3200 if self.problem.kind == "K" else 400
            noise, seed = rng.choice((0, 64, 256)), rng.getrandbits(60)
            start = self.problem.position().raw()
            tiles, _ = play_beam(start, min(most, 4 * width), noise, seed, self._over)
            self._offer(tiles, "beam")
            return
        beam = Beam(self.problem, self.workers, self._stack, self._over)
        likely = max(2, min(most_levels(self.problem), round(0.37 * self.problem.cards)))
        if self.rounds == 1:
            # One level too many cannot be finished at all: go down to the first number that can.
            for height in range(likely, 1, -1):
                if beam.run(first_settings(height, self.seed)) or self._over():
                    return
        height = max(2, min(most_levels(self.problem), likely + rng.choice((-1, -1, 0, 0, 0, 1))))
        beam.run(draw_settings(rng, height, 4 * width))

    def _stack(self, tiles: list[Tile], score: int) -> None:
        plan = complete(self.problem, tiles)
        if plan is not None:
            self._accept(plan, "beam")

    def _improve(self, rng: random.Random) -> None:
        """Free part of the incumbent and place it anew, for about twenty seconds."""
        if not loaded(self._over):
            return
        end = time.monotonic() + 20.0
        while time.monotonic() < end:
            plan = self.plan
            if plan is None or self._over():
                return
            size = rng.choice((6, 8, 10, 12))
            where = draw_neighbourhood(rng, plan, len(self.problem.start), size)
            if not where.free:
                # The tiles that lie already are all of this level, and stay.
                continue
            model = neighbourhood_model(self.problem, plan, where, rng.getrandbits(30))
            left = 4.0 if self._end is None else min(4.0, self._end - time.monotonic())
            with self._timed("neighbourhoods", self.workers):
                outcome = model.solve(left, self.workers, self._over)
            if outcome.tiles is not None:
                self._offer(outcome.tiles, "neighbourhood", sideways=True)

    @contextmanager
    def _timed(self, part: str, threads: int) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.worked[part] = self.worked.get(part, 0.0) + threads * (time.monotonic() - began)

    # --- the state ---

    def _over(self) -> bool:
        late = self._end is not None and time.monotonic() >= self._end
        return late or self._stop.is_set() or self.progress().proven

    def _offer(self, tiles: Sequence[Tile], source: str, *, sideways: bool = False) -> None:
        plan = replay(self.problem, tiles)
        if plan is not None:
            self._accept(plan, source, sideways=sideways)

    def _accept(self, plan: Plan, source: str, *, sideways: bool = False) -> None:
        with self._news:
            if self.plan is None or plan.score > self.plan.score:
                self.plan = plan
                self._tell(source)
                self._write()
            elif sideways and plan.score == self.plan.score:
                self.plan = plan

    def _lower_bound(self, bound: int) -> None:
        with self._news:
            bound = max(bound, -1 if self.plan is None else self.plan.score)
            if bound < self.bound:
                self.bound = bound
                self._tell("bound")

    def _tell(self, source: str) -> None:
        self.report(self.progress(source))

    def _write(self) -> None:
        if self.save is None:
            return
        from blockwit.search.cpsat import progress as files

        seconds = self.progress().seconds
        try:
            files.write(self.save, self.problem, files.Saved(self.plan, self.bound, self.rounds, seconds))
        except OSError as error:
            self.unsaved = error
        else:
            self.unsaved = None

    def _load(self, path: Path) -> None:
        # Here, because an engine, which keeps no file, need not load the models.
        from blockwit.search.cpsat import progress as files

        saved = files.load(path, self.problem)
        self.plan, self.rounds, self.spent = saved.plan, saved.rounds, saved.seconds
        self.bound = min(self.bound, saved.bound)


def optimize(
    problem: Problem,
    seconds: float | None,
    *,
    workers: int = 1,
    seed: int = 0,
    report: Callable[[Progress], None] = lambda progress: None,
    save: Path | None = None,
) -> Progress:
    """Optimize a problem until proven or until `seconds` are over, and return where it stands."""
    with Optimizer(problem, workers=workers, seed=seed, report=report, save=save) as optimizer:
        return optimizer.run(seconds)
