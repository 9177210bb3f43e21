"""Known orders of cards: a bound that falls from the first moment on, and the optimum of short decks.

A *pass* looks at all assignments of cards to levels that are worth at least a target, and refutes or builds each.
What it refutes is remembered, so the next pass, with a lower target, meets only what is new. docs/nmbr9-bound.md
explains why a refuted assignment cannot be played.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from blockwit import _known
from blockwit.games.nmbr9.position import SHAPES, Tile
from blockwit.search.cpsat.problem import Problem
from blockwit.search.cpsat.worth import many_prices

SHORT_DECK = 14
"""Decks of at most so many cards are worth a proof before anything else."""

FIRST_EFFORT = 2
MAX_EFFORT = 12
MAX_SPAN = 36
"""Squares between the corners of tiles that lie already."""

SLOW_GROWTH = 0.25
"""A pass that took less than this share of all the work so far is followed by a larger step."""


@dataclass(frozen=True)
class Proof:
    """What a proof consists of so far.

    `nodes` placements and sets looked at; `assignments` refuted by trying all places of all tiles; `bands`: runs of
    levels, or parts of one up to some card, that admit no layout; `layouts` of levels; `passes` that were finished;
    `effort` of the last.
    """

    nodes: int = 0
    assignments: int = 0
    bands: int = 0
    layouts: int = 0
    passes: int = 0
    effort: int = 0

    def __str__(self) -> str:
        return (
            f"{self.assignments} assignments and {self.bands} bands refuted, {self.layouts} layouts, "
            f"{self.nodes} nodes, {self.passes} passes"
        )


def suits(problem: Problem) -> bool:
    """Tell whether the solver takes this problem: a known order without limits, and not spread too wide so far."""
    corners = [(tile.x, tile.y) for tile in problem.start]
    span = max((max(each) - min(each) for each in zip(*corners, strict=True)), default=0)
    return problem.kind == "K" and not problem.limited and span <= MAX_SPAN


class KnownSolver:
    """Bounds and solves one known deck; `run` goes on where it was ended.

    `on_plan` gets the tiles of each stack that is worth at least the target, `on_bound` each new bound.
    """

    def __init__(
        self,
        problem: Problem,
        workers: int,
        on_plan: Callable[[list[Tile]], None],
        on_bound: Callable[[int], None],
        memory_mb: int = 64,
    ) -> None:
        held = [(tile.digit, tile.rotation, tile.x, tile.y, tile.level) for tile in problem.start]
        deck = [*(tile.digit for tile in problem.start), *problem.deck]
        self._held = problem.start
        self._core = _known.Assignments(SHAPES, deck, workers, memory_mb, held)
        self._workers = workers
        if problem.cards > SHORT_DECK - 2:
            # Numbers take a tenth of a second: more than the whole proof of most shorter decks.
            self._core.set_prices(many_prices(deck, [tile.level for tile in problem.start]))
        self._on_plan = on_plan
        self._on_bound = on_bound
        self._effort = FIRST_EFFORT if problem.cards <= SHORT_DECK else 1
        self._step = 1
        self._passes = 0
        self._spent = 0
        self.bound: int | None = None
        self.finished = False

    def stop(self) -> None:
        """End the run under way. From any thread."""
        self._core.stop()

    @property
    def proof(self) -> Proof:
        """What was refuted so far."""
        nodes, assignments, bands, layouts, _ = self._core.counts
        return Proof(nodes, assignments, bands, layouts, self._passes, self._effort)

    def run(self, seconds: float | None, incumbent: Callable[[], int], stopped: Callable[[], bool]) -> None:
        """Work until the bound meets the incumbent, `seconds` are over or it is stopped.

        `incumbent` tells the most points that some plan has; `stopped` is asked once before the work begins, so that
        a stop that came between is not lost.
        """

        def best() -> int:
            # Everything on the table is always possible.
            return max(0, incumbent())

        self._core.arm()
        if stopped():
            return
        if seconds is not None:
            self._core.set_time(max(0, int(1000 * seconds)))
        if self.bound is None:
            bound, done = self._core.by_sets(0)
            if not done:
                return
            self._lower(max(bound, 0))
        while self.bound is not None and self.bound > best():
            if not self._pass(self.bound, best):
                return
        self.finished = True

    def _pass(self, bound: int, incumbent: Callable[[], int]) -> bool:
        """Look at all assignments from the next target on; returns False when it was ended."""
        target = max(bound - self._step + 1, incumbent() + 1)
        self._core.open(target, self._effort)
        if self._workers == 1:
            self._core.work(0)
        else:
            with ThreadPoolExecutor(self._workers) as pool:
                list(pool.map(self._core.work, range(self._workers)))
        finished, most_open, built = self._collect()
        if not finished:
            return False
        effort = self._effort
        while self._core.waiting() >= max(target, incumbent() + 1) and effort < MAX_EFFORT:
            effort += 1
            self._core.settle_waiting(effort)
            finished, most_open, built = self._collect()
            if not finished:
                return False
        most_open = max(most_open, self._core.waiting())
        self._passes += 1
        if most_open >= max(target, incumbent() + 1):
            # Some were too hard: once more, with more patience.
            if self._effort == MAX_EFFORT:
                return False
            self._effort += 1
        else:
            nodes = self._core.counts[0]
            easy = nodes - self._spent < SLOW_GROWTH * nodes + 200_000
            self._step = min(16, 2 * self._step) if easy else max(1, self._step // 2)
            self._spent = nodes
        # A stack that was built, but that the rules refused, would be a fault: then nothing is claimed below it.
        self._lower(max(target - 1, most_open, built, incumbent()))
        return built <= incumbent()

    def _collect(self) -> tuple[bool, int, int]:
        """Hand on the best stack built; returns whether the pass is whole, the most points left open, those built."""
        finished, most_open, points, tiles = self._core.outcome()
        if points >= 0:
            plan = [Tile(*tile) for tile in tiles]
            if self._held:
                # Back from the middle of the window to where the first tile lies.
                dx, dy = self._held[0].x - plan[0].x, self._held[0].y - plan[0].y
                plan = [tile._replace(x=tile.x + dx, y=tile.y + dy) for tile in plan]
            self._on_plan(plan)
        return finished, most_open, points

    def _lower(self, bound: int) -> None:
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self._on_bound(bound)
