"""Drives the compiled expectimax searcher for the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blockwit import _expectimax
from blockwit._bridge import UNIT
from blockwit.games.base import Game, Position
from blockwit.search import clock
from blockwit.search.compiled import FULL_SKILL, Compiled, Found
from blockwit.search.types import Info, Limits, Result, Settings

ROOT_WIDTH = 24
"""Turns that are compared at the root."""

MARGIN = 3 * UNIT
"""A turn whose static evaluation is so far below the best is not looked at (never in a win-or-lose game)."""


@dataclass(frozen=True)
class Plan:
    """The rest of a turn that was searched as a whole: where it goes on, and what was found."""

    state: bytes
    value: float
    actions: list[int]
    depth: int
    budget: int  # milliseconds that were given to it


class Expectimax(Compiled):
    """A `Searcher` over blockwit._expectimax.

    A turn is searched as a whole, whatever its number of moves. Where time alone limits the search, the later moves of
    a turn are played as they were planned, at once.
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self._searcher = _expectimax.Searcher(game.capsule())
        self._plan: Plan | None = None
        super().__init__(self._searcher, settings)

    def clear(self) -> None:
        """Forget what was planned."""
        self._plan = None

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search a decision of `position`; see `Searcher`. Raises MoveError for an illegal searchmove."""
        plan, self._plan = self._plan, None
        if plan and plan.state == position.raw() and self._timed(limits) and self._budget(limits)[1] <= plan.budget:
            lines = [Found(plan.value, plan.actions)]
            return self._finish(position, limits, lines, self._planned(plan, position, report))
        roots = [list(position.actions(token)) for token in dict.fromkeys(limits.searchmoves)]
        self._begin(limits)
        depth = 1 if clock.at_once(limits) else limits.depth or 0
        found: dict[int, Info] = {}
        found_lines = self._searcher.search(
            position.raw(),
            roots,
            depth,
            limits.nodes or 0,
            self._teller(position, report, found),
            multipv=self._lines,
            seed=self._settings.seed,
            root_width=ROOT_WIDTH,
            margin=MARGIN,
        )
        return self._finish(position, limits, [Found(*line) for line in found_lines], found)

    def _timed(self, limits: Limits) -> bool:
        """Tell whether time alone limits a search for the best move."""
        return (
            self._budget(limits)[1] > 0
            and not (limits.infinite or limits.ponder or limits.searchmoves)
            and limits.depth is limits.nodes is None
            and self._settings.multipv == 1
            and self._settings.skill == FULL_SKILL
        )

    def _planned(self, plan: Plan, position: Position, report: Callable[[Info], None]) -> dict[int, Info]:
        """Report what was found when the turn was planned."""
        found: dict[int, Info] = {}
        self._teller(position, report, found)(plan.depth, plan.depth, 1, plan.value, 0, 0, plan.actions, True)
        return found

    def _finish(self, position: Position, limits: Limits, lines: list[Found], found: dict[int, Info]) -> Result:
        """Return the result; keep the rest of the turn unless it was chosen before its time."""
        result = self._end(position, lines, found)
        if result.move and result.ponder and self._timed(limits) and not self._released.is_set():
            value, actions, _ = lines[0]
            rest = actions[len(position.actions(result.move)) :]
            budget = self._budget(limits)[1]
            self._plan = Plan(position.play(result.move).raw(), value, rest, found[1].depth, budget)
        return result


def make(game: Game, settings: Settings) -> Expectimax:
    """Return a new searcher of `game`."""
    return Expectimax(game, settings)
