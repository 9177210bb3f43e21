"""Upper bounds that hold for the whole problem, from a master over the sets of tiles on the levels."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from solver.nmbr9.problem import AREAS, Problem

LEVELS = 10


def most_levels(problem: Problem) -> int:
    """Return the number of levels that so many cards can have: two tiles lie below any tile, on each level."""
    limit = LEVELS if problem.levels is None else problem.levels
    return min(limit, (problem.cards + 1) // 2)


class Master:
    """Which tiles lie on which level: counts by digit, two tiles under any tile, areas that do not grow upward."""

    def __init__(self, problem: Problem) -> None:
        from ortools.sat.python import cp_model

        self._cp = cp_model
        self.problem = problem
        self.model = cp_model.CpModel()
        self.levels = most_levels(problem)
        self.counts = [
            [self.model.new_int_var(0, problem.pool[d], f"n{level}_{d}") for d in range(10)]
            for level in range(self.levels)
        ]
        self.used = [self.model.new_bool_var(f"used{level}") for level in range(self.levels)]
        self.model.add(sum(n for level in self.counts for n in level) == problem.cards)
        for d in range(10):
            self.model.add(sum(level[d] for level in self.counts) <= problem.pool[d])
        self.tiles = [sum(level) for level in self.counts]
        self.areas = [sum(a * n for a, n in zip(AREAS, level, strict=True)) for level in self.counts]
        for level in range(self.levels):
            for d in range(10):
                self.model.add(self.counts[level][d] <= problem.pool[d] * self.used[level])
            self.model.add(self.tiles[level] >= self.used[level])
            if level > 0:
                self.model.add(self.tiles[level - 1] >= 2 * self.used[level])
                self.model.add(self.areas[level] <= self.areas[level - 1])
        self.model.maximize(sum(level * d * self.counts[level][d] for level in range(self.levels) for d in range(10)))
        self._solver: Any = None

    def stop(self) -> None:
        """End the solve under way, from any thread."""
        if self._solver is not None:
            self._solver.stop_search()

    def bound(self, seconds: float, workers: int, on_bound: Callable[[int], None], stopped: Callable[[], bool]) -> int:
        """Return a valid upper bound on the score, the best that `seconds` bring; reports each on the way."""
        end = time.monotonic() + seconds
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = workers
        solver.parameters.max_time_in_seconds = max(0.1, end - time.monotonic())
        solver.best_bound_callback = lambda value: on_bound(int(value + 1e-6))
        self._solver = solver
        if stopped():
            return self._trivial()
        status = solver.Solve(self.model)
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            return int(solver.best_objective_bound + 1e-6)
        return self._trivial()

    def _trivial(self) -> int:
        """Every card as high as the number of cards allows."""
        digits = sorted((d for d in range(10) for _ in range(self.problem.pool[d])), reverse=True)
        return (self.levels - 1) * sum(digits[: self.problem.cards])
