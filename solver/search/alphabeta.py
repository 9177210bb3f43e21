"""Drives the compiled alpha-beta searcher for the protocol."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from solver import _alphabeta
from solver.games.base import Game, Position
from solver.search import clock
from solver.search.types import Info, Limits, Result, Score, Settings

UNIT = 10_000
"""Values of the compiled games are in 1/UNIT of the game's unit."""

FULL_SKILL = 20
SKILL_LINES = 8


def score_of(value: int, mate: int) -> Score:
    """Return the score for a value in 1/UNIT, or for a forced win (loss: negative) in `mate` plies."""
    if mate:
        turns = (abs(mate) + 1) // 2
        return Score(mate=turns if mate > 0 else -turns)
    return Score(cp=round(value * 100 / UNIT))


def wdl_of(value: int) -> tuple[int, int, int]:
    """Return chances of win, draw and loss in thousandths; a value is the expected result, draws are rare."""
    win = round(500 * (1 + value / UNIT))
    return win, 0, 1000 - win


class AlphaBeta:
    """A `Searcher` over solver._alphabeta."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._core = _alphabeta.Searcher(game.capsule(), settings.hash_mb)
        self._settings = settings
        self._limits = Limits()
        self._pondering = False
        self._hit = False
        self._released = threading.Event()
        self._lock = threading.Lock()

    def arm(self) -> None:
        """Forget earlier stops."""
        self._core.arm()
        self._released.clear()
        self._hit = False

    def stop(self) -> None:
        """End the search under way."""
        self._core.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """Start the clock of a search that pondered."""
        with self._lock:
            self._hit = True
            self._pondering = False
            self._core.set_time(*clock.budget(self._limits))
        if not self._limits.infinite:
            self._released.set()

    def clear(self) -> None:
        """Forget the transposition table."""
        self._core.clear()

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search a decision of `position`; see `Searcher`. Raises MoveError for an illegal searchmove."""
        settings = self._settings
        roots = [action for token in dict.fromkeys(limits.searchmoves) for action in position.actions(token)]
        with self._lock:
            self._limits = limits
            self._pondering = limits.ponder and not self._hit
            untimed = self._pondering or limits.infinite
            self._core.set_time(*(-1, -1) if untimed else clock.budget(limits))
        weak = settings.skill < FULL_SKILL
        depth, nodes, mate = limits.depth or 0, limits.nodes or 0, limits.mate or 0
        if clock.at_once(limits):
            depth = 1
        if mate:
            depth = min(depth or 2 * mate - 1, 2 * mate - 1)
        if nodes and limits.movetime is None and limits.clock is None:
            # With only nodes to count, the same search has to come out whatever was searched before.
            self._core.clear()
        if weak:
            allowed = round(30 * 1.5**settings.skill)
            nodes = min(nodes or allowed, allowed)
        found: dict[int, Info] = {}

        def tell(
            depth: int,
            seldepth: int,
            line: int,
            value: int,
            mate: int,
            nodes: int,
            nanoseconds: int,
            actions: list[int],
            final: bool,
        ) -> None:
            info = Info(
                depth=depth,
                seldepth=seldepth,
                multipv=line,
                score=score_of(value, mate),
                wdl=wdl_of(value) if settings.show_wdl else None,
                nodes=nodes,
                time=nanoseconds // 1_000_000,
                hashfull=self._core.hashfull(),
                pv=position.line(actions),
            )
            if final:
                found[line] = info
            if line <= settings.multipv:
                report(info)

        lines = self._core.search(
            position.raw(),
            list(position.history()),
            roots,
            depth,
            nodes,
            max(settings.multipv, SKILL_LINES) if weak else settings.multipv,
            mate,
            tell,
        )
        if limits.infinite or self._pondering:
            self._released.wait()
        chosen = self._weakened(position, lines) if weak else lines[0]
        tokens = position.line(chosen[2])
        return Result(tokens[0], tokens[1] if len(tokens) > 1 else None, [found[line] for line in sorted(found)])

    def _weakened(self, position: Position, lines: list[tuple[int, int, list[int]]]) -> tuple[int, int, list[int]]:
        """Choose a line after adding noise to its value, the more the lower the skill."""
        rng = random.Random(f"{self._settings.seed} {position.fen()}")
        spread = 250 * (FULL_SKILL - self._settings.skill)
        return max(lines, key=lambda line: line[0] + rng.gauss(0, spread))


def make(game: Game, settings: Settings) -> AlphaBeta:
    """Return a new searcher of `game`."""
    return AlphaBeta(game, settings)
