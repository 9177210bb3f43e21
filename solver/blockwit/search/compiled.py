"""What the drivers of the compiled searchers share: clocks, stops, weakening."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from blockwit.games.base import Position
from blockwit.search import clock
from blockwit.search.types import Info, Limits, Result, Score, Settings

UNIT = 10_000
"""Values of the compiled games are in 1/UNIT of the game's unit."""

FULL_SKILL = 20
SKILL_LINES = 8
SKILL_SPREAD = 0.4
"""What the lowest level misjudges a line by (standard deviation), in units of the game or of the best line's value."""

Found = tuple[float, list[int]]
"""A line that a compiled searcher found: its value in 1/UNIT for the player to move, and its actions."""


class Core(Protocol):
    """What every compiled searcher has."""

    def arm(self) -> None:
        """Forget a stop that came too late for the search before."""

    def stop(self) -> None:
        """End the search under way. From any thread."""

    def set_time(self, soft_ms: int, hard_ms: int) -> None:
        """Set limits from now on in milliseconds, -1 for none. From any thread."""


class Compiled:
    """The part of a `Searcher` that does not depend on the algorithm."""

    def __init__(self, core: Core, settings: Settings) -> None:
        self._core = core
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
            self._core.set_time(*self._budget(self._limits))
        if not self._limits.infinite:
            self._released.set()

    def clear(self) -> None:
        """Forget earlier searches."""

    def prepare(self, position: Position) -> None:
        """Do nothing: all is there."""

    def _budget(self, limits: Limits) -> tuple[int, int]:
        return clock.budget(limits, self._settings.move_overhead)

    def _begin(self, limits: Limits) -> None:
        with self._lock:
            self._limits = limits
            self._pondering = limits.ponder and not self._hit
            untimed = self._pondering or limits.infinite
            self._core.set_time(*(-1, -1) if untimed else self._budget(limits))

    def _end(self, position: Position, lines: Sequence[Found], found: dict[int, Info]) -> Result:
        """Wait until the move may be told, and choose it: the best line, or another one if skill is low."""
        if self._limits.infinite or self._pondering:
            self._released.wait()
        line = lines[0]
        if self._settings.skill < FULL_SKILL:
            rng = random.Random(f"{self._settings.seed} {position.fen()}")
            # Equal ratios from level to level: equal steps would be lost in the largest of them.
            spread = SKILL_SPREAD * 0.7 ** ((self._settings.skill - 1) / 2) * max(abs(line[0]), UNIT)
            line = max(lines, key=lambda each: each[0] + rng.gauss(0, spread))
        tokens = position.line(line[1])
        infos = [found[number] for number in sorted(found)]
        return Result(tokens[0], tokens[1] if len(tokens) > 1 else None, infos)

    @property
    def _lines(self) -> int:
        return max(self._settings.multipv, SKILL_LINES if self._settings.skill < FULL_SKILL else 1)

    def _teller(
        self, position: Position, report: Callable[[Info], None], found: dict[int, Info]
    ) -> Callable[[int, int, int, float, int, int, list[int], bool], None]:
        """Return the function that a compiled searcher reports to."""

        def tell(
            depth: int,
            seldepth: int,
            line: int,
            value: float,
            nodes: int,
            nanoseconds: int,
            actions: list[int],
            final: bool,
        ) -> None:
            info = Info(
                depth=depth,
                seldepth=seldepth,
                multipv=line,
                score=Score(cp=round(value * 100 / UNIT)),
                nodes=nodes,
                time=nanoseconds // 1_000_000,
                pv=position.line(actions),
            )
            if final:
                found[line] = info
            if line <= self._settings.multipv:
                report(info)

        return tell
