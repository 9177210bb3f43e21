"""NMBR 9 for the protocol: the optimizer, and in unknown positions the opponent, behind one `Searcher`."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

from blockwit.games.base import Game, Position
from blockwit.games.nmbr9.position import UNKNOWN, Nmbr9Position
from blockwit.search import clock
from blockwit.search.cpsat import model, solving
from blockwit.search.cpsat.optimize import Optimizer, Progress
from blockwit.search.cpsat.problem import problem_of
from blockwit.search.cpsat.unknown import BEAT, Choice, choose
from blockwit.search.types import Info, Limits, Result, Score, Settings


class Nmbr9Searcher:
    """The searcher of the protocol: the optimizer, and in unknown positions the opponent."""

    def __init__(self, settings: Settings) -> None:
        self.threads = settings.threads
        self.seed = settings.seed
        self.overhead = settings.move_overhead
        self._stop = threading.Event()
        self._released = threading.Event()
        self._lock = threading.Lock()
        self._hit = False
        self._pondering = False
        self._seconds: float | None = None
        self._timer: threading.Timer | None = None
        self._optimizer: Optimizer | None = None

    def prepare(self, position: Position) -> None:
        """Load the solver, and what is computed once."""
        solving.loaded(solving.never)
        model.prepare()

    def arm(self) -> None:
        """Get ready for a search: stops asked for until now are void."""
        self._stop.clear()
        self._released.clear()
        self._hit = False

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search an NMBR 9 position. In unknown ones `nodes` counts games played out, and `depth` thousands of them.

        Elsewhere `depth` counts the steps of the optimizer, and `nodes` thousands of them: the first plan is one.

        Raises ValueError for a position of another game, or one that waits for a card.
        """
        if not isinstance(position, Nmbr9Position):
            raise ValueError(f"expected an NMBR 9 position, got one of {position.game.name}")
        if position.left == 0:
            return Result(None)
        with self._lock:
            self._seconds = _seconds(limits, position, self.overhead)
            self._pondering = limits.ponder and not self._hit
            seconds = None if self._pondering else self._seconds
        try:
            if position.mode == UNKNOWN or limits.searchmoves:
                result = self._choose(position, limits, seconds, report)
            else:
                result = self._optimize(position, limits, seconds, report)
            if self._pondering:
                self._released.wait()
            return result
        finally:
            with self._lock:
                self._pondering = False
                # It must not end a later search.
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = None

    def _choose(
        self, position: Nmbr9Position, limits: Limits, seconds: float | None, report: Callable[[Info], None]
    ) -> Result:
        began = time.monotonic()
        last: list[Info] = []

        def tell(choice: Choice) -> None:
            spent = int(1000 * (time.monotonic() - began))
            score = Score(cp=round(100 * choice.mean))
            last[:] = [Info(depth=1, score=score, nodes=choice.games, time=spent, pv=(choice.move,))]
            report(last[0])

        games = _fewest(limits.nodes, limits.depth and 1000 * limits.depth)
        choice = choose(
            position,
            seconds,
            games,
            self.seed,
            self._stop.is_set,
            tell,
            frozenset(limits.searchmoves),
        )
        return Result(choice.move, infos=tuple(last))

    def _optimize(
        self, position: Nmbr9Position, limits: Limits, seconds: float | None, report: Callable[[Info], None]
    ) -> Result:
        problem = problem_of(position)
        held = len(problem.start)
        last: list[Info] = []

        def tell(progress: Progress) -> None:
            if progress.plan is None:
                return
            pv = tuple(str(tile) for tile in progress.plan.tiles[held:])
            score = Score(cp=100 * progress.score)
            last[:] = [
                Info(
                    depth=len(pv),
                    score=score,
                    bound=100 * progress.bound,
                    time=int(1000 * progress.seconds),
                    pv=pv,
                    note=progress.source,
                )
            ]
            report(last[0])

        # More workers than processors find nothing sooner, and are slow to end.
        workers = min(self.threads, os.cpu_count() or 1)
        optimizer = Optimizer(problem, workers=workers, seed=self.seed, report=tell)
        self._optimizer = optimizer
        done = threading.Event()
        ticker = threading.Thread(target=_tick, args=(optimizer, done, tell), daemon=True)
        try:
            if self._stop.is_set():
                optimizer.stop()
            with contextlib.suppress(RuntimeError):  # no thread to be had: nothing is told between improvements
                ticker.start()
            if seconds is not None:
                # What the solver may take longer counts as well.
                seconds -= min(solving.PATIENCE + solving.LOOK, seconds / 3)
            end = optimizer.run(seconds, _fewest(limits.depth, limits.nodes and -(-limits.nodes // 1000)))
        finally:
            done.set()
            self._optimizer = None
        if ticker.ident is not None:
            ticker.join()
        if end.plan is None:
            # Stopped before even the first plan: any legal move is an answer.
            return Result(position.tokens(0, 1)[0])
        tell(end)
        moves = [str(tile) for tile in end.plan.tiles[held:]]
        return Result(moves[0], moves[1] if len(moves) > 1 else None, tuple(last))

    def stop(self) -> None:
        """End the search under way, or the next one if it has not begun."""
        self._stop.set()
        optimizer = self._optimizer
        if optimizer is not None:
            optimizer.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """Let the time of the search under way, or of the next one, count from now."""
        with self._lock:
            self._hit = True
            if not self._pondering:
                return
            self._pondering = False
            if self._seconds is not None:
                self._timer = threading.Timer(self._seconds, self.stop)
                self._timer.daemon = True
                self._timer.start()
        self._released.set()

    def clear(self) -> None:
        """Nothing to forget: each search starts from the position alone."""


def _tick(optimizer: Optimizer, done: threading.Event, tell: Callable[[Progress], None]) -> None:
    """Repeat the last report once a second."""
    while not done.wait(BEAT):
        tell(optimizer.progress())


def _fewest(*limits: int | None) -> int | None:
    """Return the smallest of the limits that are set."""
    return min((limit for limit in limits if limit is not None), default=None)


def _seconds(limits: Limits, position: Nmbr9Position, overhead: int) -> float | None:
    """Return the time for this move, the shortest of a fixed time and a share of the clock; None for no limit."""
    times: list[float] = []
    if limits.movetime is not None:
        times.append(clock.fixed(limits.movetime, overhead))
    if limits.clock is not None:
        # A plan is made once, at the first card; the opponent thinks at every card.
        cards = position.left if position.mode == UNKNOWN else 1
        times.append(clock.share_of(limits, overhead, cards)[0])
    return min(times) / 1000 if times and not limits.infinite else None


def make(game: Game, settings: Settings) -> Nmbr9Searcher:
    """Return a new searcher; `game` is NMBR 9, the only game that names this algorithm."""
    return Nmbr9Searcher(settings)
