"""Good stacks: a beam over levels from the top down, a beam over cards, and neighbourhoods of a plan.

The first is for free problems. A stack is built downward: each step puts a whole level under the lowest one,
with little waste (the compiled `Coverer.expand`). What makes or breaks a stack is the area that its lowest
level asks the rest to cover, so the beam keeps an equal number of the best nodes of every area instead of the
best overall: the promising but large ones would crowd out those that can still be finished.
"""

from __future__ import annotations

import contextlib
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import TypeVar

from blockwit import _nmbr9
from blockwit.games.nmbr9.position import Tile
from blockwit.jobs import threads
from blockwit.search.cpsat.model import StackModel
from blockwit.search.cpsat.problem import AREAS, Counts, Problem, contains, minus, points
from blockwit.search.cpsat.solving import Stopped
from blockwit.search.cpsat.stacks import COVERER, Plan, counts_of, tiles_of

Worth = list[list[int]]
"""Worth of a free square of each level, in 1/256 point, after each card."""

MAX_ON_LEVEL = 12
MAX_WASTE = 14
MAX_AREA = 120

SLICE = 256
"""Nodes that are sorted out between two questions whether to stop: a millisecond or two."""

Job = TypeVar("Job")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class BeamSettings:
    """One run of the beam.

    `height` levels; `width` nodes a level; `waste` squares that the levels may waste, from the second highest
    down; `slack` squares that the estimate expects each to waste; `perimeter` cost of an edge of the outline
    in 1/16 point; `noise` in the order of choices; `per_set` and `per_pool`: nodes kept of one set of tiles,
    under one node and in all; `effort` placements tried under one node (ten times as many on level 2, where
    few are left).
    """

    height: int
    width: int
    waste: tuple[int, ...]
    slack: int
    perimeter: int
    noise: int
    per_set: int
    per_pool: int
    effort: int
    seed: int


def draw_settings(rng: random.Random, height: int, width: int) -> BeamSettings:
    """Draw the settings of one run: no single choice is best, so a long search varies them.

    Six squares of waste on every level work best most often.
    """
    same = rng.choice((6, 6, 6, 5, 7))
    waste = tuple(same if rng.random() < 0.75 else rng.choice((5, 6, 7, 8)) for _ in range(height))
    return BeamSettings(
        height,
        width,
        (8, *waste),
        slack=rng.choice((3, 4, 4, 5, 6)),
        perimeter=rng.choice((2, 4, 6)),
        noise=rng.choice((4, 12, 24)),
        per_set=rng.choice((3, 10)),
        per_pool=rng.choice((10, 30)),
        effort=rng.choice((10_000, 30_000)),
        seed=rng.getrandbits(60),
    )


def sketch_settings(height: int, seed: int) -> BeamSettings:
    """Return the settings of a quick look at one number of levels."""
    return BeamSettings(height, 60, (8, *(6,) * height), 4, 4, 12, 10, 5, 2_000, seed)


def first_settings(height: int, seed: int) -> BeamSettings:
    """Return the settings that did best in single short runs of the full game."""
    return BeamSettings(height, 500, (8,) + (6,) * height, 4, 4, 12, 10, 30, 10_000, seed)


class Beam:
    """Runs beams for one free problem; `on_stack(tiles, score)` gets each that beats the last."""

    def __init__(
        self,
        problem: Problem,
        workers: int,
        on_stack: Callable[[list[Tile], int], None],
        stopped: Callable[[], bool],
    ) -> None:
        self.problem = problem
        self.workers = workers
        self.on_stack = on_stack
        self.stopped = stopped
        self._best = 0
        self._given_up = False

    def _over(self) -> bool:
        return self._given_up or self.stopped()

    def _in_turn(self, pool: Executor, work: Callable[[Job], Answer], jobs: Iterable[Job]) -> Iterator[Answer]:
        """Yield the results of `work` in the order of the jobs, a few of which are handed out at a time.

        Raises Stopped when it is time; then, and when an interrupt comes, no job is left waiting.
        """
        waiting: deque[Future[Answer]] = deque()
        try:
            for job in jobs:
                waiting.append(pool.submit(work, job))
                if len(waiting) > 4 * self.workers:
                    yield waiting.popleft().result()
                if self._over():
                    raise Stopped
            while waiting:
                yield waiting.popleft().result()
                if self._over():
                    raise Stopped
        except BaseException:
            self._given_up = True
            raise
        finally:
            for future in waiting:
                future.cancel()

    def tops(self, height: int) -> list[bytes]:
        """Return a node for each single tile and each pair that could be the whole top level."""
        pool = self.problem.pool
        singles = [tuple(int(e == d) for e in range(10)) for d in range(10)]
        pairs = [tuple(x + y for x, y in zip(a, b, strict=True)) for a in singles for b in singles if a <= b]
        nodes = []
        for top in (*singles, *pairs):
            if self._over():
                raise Stopped
            if contains(pool, top) and sum(top) + 2 * (height - 1) <= self.problem.cards:
                layouts, _ = COVERER.all_layouts(top)
                left = minus(pool, top)
                nodes += [COVERER.make_node(raw, left, (height - 1) * points(top)) for raw in layouts]
        return nodes

    def run(self, settings: BeamSettings) -> int:
        """Run one beam to the table; returns the best score found, 0 if no stack was finished.

        The two lowest levels are not left to the beam: few nodes get there, and their area leaves so little
        room that all ways to finish them can be tried.
        """
        self._best = 0
        self._given_up = False
        with contextlib.suppress(Stopped):
            self._run(settings)
        return self._best

    def _run(self, settings: BeamSettings) -> None:
        history = [self._select(self.tops(settings.height), settings)]
        with threads(self.workers) as pool:
            for level in range(settings.height - 2, 1, -1):
                children: list[bytes] = []
                for found in self._in_turn(
                    pool, lambda job: self._expand(settings, *job), self._jobs(history[-1], level)
                ):
                    children += found
                history.append(self._select(children, settings))
            last = history[-1]
            order = sorted(range(len(last)), key=lambda i: -COVERER.node(last[i])[2])
            finish = self._finish if settings.height > 2 else self._lay_table
            for _ in self._in_turn(pool, lambda index: finish(history, last[index], index, settings), order):
                pass

    def _cards(self, left: Counts) -> int:
        """Return how many of the tiles left may still be played."""
        return self.problem.cards - (sum(self.problem.pool) - sum(left))

    def _finish(self, history: list[list[bytes]], raw: bytes, index: int, settings: BeamSettings) -> None:
        """Try everything for levels 1 and 0 under a node of level 2."""
        layout, left, score, _, _, _ = COVERER.node(raw)
        cards = self._cards(left)
        own = sum(AREAS[digit] for digit, _, _, _ in COVERER.spots(layout))
        digits = sorted((d for d in range(10) for _ in range(left[d])), reverse=True)
        spare = sum(sorted((AREAS[d] for d in digits), reverse=True)[:cards]) - 2 * own
        if self._over() or cards < 4 or spare < 0 or score + sum(digits[: cards - 2]) <= self._best:
            return
        children = COVERER.expand(
            raw,
            index,
            1,
            min(cards - 2, MAX_ON_LEVEL),
            min(spare // 2 + 1, MAX_WASTE),
            settings.slack,
            settings.perimeter,
            settings.noise,
            200,
            3_000_000,
            settings.seed,
            self._over,
        )
        children.sort(key=lambda child: -COVERER.node(child)[2])
        for child in children[:400]:
            if self._over() or COVERER.node(child)[2] <= self._best:
                return
            self._lay_table([*history, [child]], child, 0, settings)

    def _lay_table(self, history: list[list[bytes]], raw: bytes, index: int, settings: BeamSettings) -> None:
        """Lay the tiles left over under a node of level 1."""
        layout, left, score, _, _, _ = COVERER.node(raw)
        if score <= self._best or self._over():
            return
        cards = min(self._cards(left), MAX_ON_LEVEL)
        if sum(left) > cards:
            # Which of the tiles to take is open: any cover will do.
            covers = COVERER.expand(raw, 0, 0, cards, MAX_AREA, 0, 0, 0, 1, 200_000, settings.seed, self._over)
            found = [COVERER.node(cover)[0] for cover in covers[:1]]
        else:
            laid, _ = COVERER.below([layout], left, table=True, max_nodes=200_000, stopped=self._over)
            found = [layout for layout, _ in laid]
        if found and score > self._best:
            self._best = score
            chain = self._chain(history, index)
            self.on_stack(tiles_of([found[0], *chain]), score)

    def _jobs(self, nodes: list[bytes], level: int) -> Iterator[tuple[int, bytes, int]]:
        return ((index, raw, level) for index, raw in enumerate(nodes))

    def _expand(self, settings: BeamSettings, index: int, raw: bytes, level: int) -> list[bytes]:
        if self._over():
            return []
        _, left, _, _, _, _ = COVERER.node(raw)
        cards = self.problem.cards - (sum(self.problem.pool) - sum(left))
        depth = settings.height - 2 - level
        return COVERER.expand(
            raw,
            index,
            level,
            max(1, min(2 + (depth + 2) // 2, cards - 2 * level, MAX_ON_LEVEL)),
            settings.waste[depth],
            settings.slack,
            settings.perimeter,
            settings.noise,
            settings.per_set,
            settings.effort * (10 if level == 2 else 1),
            (settings.seed + 0x9E3779B97F4A7C15 * (index + 1)) % 2**64,
            self._over,
        )

    def _select(self, children: list[bytes], settings: BeamSettings) -> list[bytes]:
        """Keep `width` nodes: round by round the next best of every area."""
        groups: dict[int, list[tuple[int, int, Counts, bytes]]] = {}
        looked = 0
        for raw in children:
            looked += 1
            if looked % SLICE == 0 and self._over():
                raise Stopped
            layout, left, _, value, _, key = COVERER.node(raw)
            size = sum(AREAS[digit] for digit, _, _, _ in COVERER.spots(layout))
            groups.setdefault(size, []).append((-value, key, left, raw))
        seen: set[int] = set()
        picks: list[tuple[int, int, int, bytes]] = []
        for group in groups.values():
            group.sort()
            alike: dict[Counts, int] = {}
            rank = 0
            for value, key, left, raw in group:
                looked += 1
                if looked % SLICE == 0 and self._over():
                    raise Stopped
                if key in seen or alike.get(left, 0) >= settings.per_pool:
                    continue
                seen.add(key)
                alike[left] = alike.get(left, 0) + 1
                picks.append((rank, value, key, raw))
                rank += 1
        picks.sort()
        return [raw for _, _, _, raw in picks[: settings.width]]

    def _chain(self, history: list[list[bytes]], index: int) -> list[bytes]:
        """Return the levels of one node, its own first and the top last."""
        chain = []
        for nodes in reversed(history):
            layout, _, _, _, parent, _ = COVERER.node(nodes[index])
            chain.append(layout)
            index = parent
        return chain


def play_beam(
    start: bytes,
    width: int,
    noise: int,
    seed: int,
    stopped: Callable[[], bool] = lambda: False,
    worth: Worth | None = None,
) -> tuple[list[Tile], int]:
    """Place the cards one by one, keeping the `width` best stacks by static evaluation.

    `start` is the compiled state to begin with, of a known or free deck; `worth` says what free squares count for after
    each card. Returns the tiles of the best stack in playing order and its points; if it was stopped, in mid-step
    even, not all cards are placed.
    """
    states = [start]
    for card in range(_nmbr9.coming(start)[2]):
        squares = None if worth is None else worth[card]
        further = _nmbr9.beam_step(states, width, noise, (seed + card) % 2**64, stopped, squares)
        if not further:
            break
        states = further
    best = max(states, key=_nmbr9.score)
    return [Tile(*item) for item in _nmbr9.placed(best)], _nmbr9.score(best)


@dataclass(frozen=True)
class Neighbourhood:
    """Tiles to free from a plan, by their index, and the levels where they may go."""

    free: tuple[int, ...]
    levels: tuple[int, ...]


def draw_neighbourhood(rng: random.Random, plan: Plan, held: int, size: int) -> Neighbourhood:
    """Draw a neighbourhood of about `size` tiles; the first `held` tiles of the plan never move.

    Either some levels in a row are freed as a whole (an inner level has to suit both neighbours, so only
    together do they change), or one level and single tiles of others that may trade places with it.
    """
    movable = range(held, len(plan.tiles))
    top = max(tile.level for tile in plan.tiles)
    if rng.random() < 0.7:
        low = rng.randrange(top + 1)
        free: list[int] = []
        levels: list[int] = []
        for level in range(low, top + 1):
            more = [i for i in movable if plan.tiles[i].level == level]
            if free and len(free) + len(more) > size:
                break
            free += more
            levels.append(level)
    else:
        level = rng.randrange(top + 1)
        free = [i for i in movable if plan.tiles[i].level == level]
        others = [i for i in movable if plan.tiles[i].level != level]
        free += rng.sample(others, min(len(others), max(1, size - len(free))))
        levels = sorted({plan.tiles[i].level for i in free})
    if top in levels:
        levels.append(top + 1)
    return Neighbourhood(tuple(sorted(free)), tuple(levels))


def neighbourhood_model(problem: Problem, plan: Plan, where: Neighbourhood, seed: int) -> StackModel:
    """Return the model that looks for a plan at least as good with the freed tiles placed anew."""
    free = [plan.tiles[i] for i in where.free]
    kept = [i for i in range(len(plan.tiles)) if i not in set(where.free)]
    cells = [cell for tile in plan.tiles for cell in tile.cells()]
    left, right = min(x for x, _ in cells), max(x for x, _ in cells) + 1
    low, high = min(y for _, y in cells), max(y for _, y in cells) + 1
    margin_x = 1 if problem.columns is None else min(1, max(0, problem.columns - (right - left)))
    margin_y = 1 if problem.rows is None else min(1, max(0, problem.rows - (high - low)))
    known = problem.kind == "K"
    return StackModel(
        counts_of(free),
        len(free),
        [level for level in where.levels if problem.levels is None or level < problem.levels],
        (left - margin_x, low - margin_y, right + margin_x, high + margin_y),
        fixed=[plan.tiles[i] for i in kept],
        deck=[tile.digit for tile in free] if known else None,
        ranks=where.free if known else (),
        fixed_ranks=kept if known else (),
        at_least=plan.score,
        hint=free,
        seed=seed,
    )
