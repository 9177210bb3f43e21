"""What the drivers of the compiled searchers share: clocks, stops, weakening."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from blockwit._bridge import UNIT
from blockwit.games.base import Position
from blockwit.search import clock
from blockwit.search.types import Info, Limits, Result, Score, Settings

FULL_SKILL = 20
SKILL_LINES = 8
SKILL_SPREAD = 0.4
"""What the lowest level misjudges a line by (standard deviation), in units of the game or of the best line's value."""

SKILL_SEES = 5
"""The lowest level that never misjudges a win or loss proven for its very next move."""
SKILL_SIGHT = 3
"""Plies that each further level sees of proven wins and losses."""
SKILL_PLY = 0.002 * UNIT
"""What one ply until a proven win or loss counts where it is too far away to be seen."""


class Found(NamedTuple):
    """A line that a compiled searcher found.

    `value` is in 1/UNIT for the player to move; `mate` are the plies of a proven win (of a loss: negative), else 0.
    """

    value: float
    actions: list[int]
    mate: int = 0


class CompiledSearcher(Protocol):
    """What every compiled searcher has."""

    def arm(self) -> None:
        """Forget a stop that came too late for the search before."""

    def stop(self) -> None:
        """End the search under way. From any thread."""

    def set_time(self, soft_ms: int, hard_ms: int) -> None:
        """Set limits from now on in milliseconds, -1 for none. From any thread."""


class Compiled:
    """The part of a `Searcher` that does not depend on the algorithm."""

    def __init__(self, searcher: CompiledSearcher, settings: Settings) -> None:
        self._compiled = searcher
        self._settings = settings
        self._limits = Limits()
        self._pondering = False
        self._hit = False
        self._released = threading.Event()
        self._lock = threading.Lock()

    def arm(self) -> None:
        """Forget earlier stops."""
        self._compiled.arm()
        self._released.clear()
        self._hit = False

    def stop(self) -> None:
        """End the search under way."""
        self._compiled.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """Start the clock of a search that pondered."""
        with self._lock:
            self._hit = True
            self._pondering = False
            self._compiled.set_time(*self._budget(self._limits))
        if not self._limits.infinite:
            self._released.set()

    def clear(self) -> None:
        """Forget earlier searches."""

    def prepare(self, position: Position) -> None:
        """Load the table of the game, which says what its values are."""
        _ = position.game.table

    def _budget(self, limits: Limits) -> tuple[int, int]:
        return clock.budget(limits, self._settings.move_overhead)

    def _begin(self, limits: Limits) -> None:
        with self._lock:
            self._limits = limits
            self._pondering = limits.ponder and not self._hit
            untimed = self._pondering or limits.infinite
            self._compiled.set_time(*(-1, -1) if untimed else self._budget(limits))

    def _end(self, position: Position, lines: Sequence[Found], found: dict[int, Info]) -> Result:
        """Wait until the move may be told, and choose it: the best line, or another one if skill is low."""
        if self._limits.infinite or self._pondering:
            self._released.wait()
        line = self._misjudged(position, lines) if self._settings.skill < FULL_SKILL else lines[0]
        tokens = position.line(line.actions)
        infos = [found[number] for number in sorted(found)]
        return Result(tokens[0], tokens[1] if len(tokens) > 1 else None, infos)

    def _misjudged(self, position: Position, lines: Sequence[Found]) -> Found:
        """Return the line that a weaker level takes for the best; of proven wins and losses it sees those close by."""
        skill = self._settings.skill
        rng = random.Random(f"{self._settings.seed} {position.fen()}")
        # Equal ratios from level to level: equal steps would be lost in the largest of them.
        spread = SKILL_SPREAD * 0.7 ** ((skill - 1) / 2) * max(abs(lines[0].value), UNIT)
        sight = 1 + SKILL_SIGHT * (skill - SKILL_SEES)

        def judged(line: Found) -> tuple[int, float]:
            # Drawn for every line: the others are misjudged alike whether this one is seen or not.
            noise = rng.gauss(0, spread)
            sign = (line.mate > 0) - (line.mate < 0)
            if sign and abs(line.mate) <= sight:
                return sign, -line.mate
            return 0, line.value - sign * SKILL_PLY * abs(line.mate) + noise

        return max(lines, key=judged)

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
