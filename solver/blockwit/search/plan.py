"""Perfect information: the best score reachable, and the moves, when every roll is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from blockwit import _plan
from blockwit._bridge import UNIT
from blockwit.errors import MoveError, OptionError
from blockwit.games.base import Game, Kind, Position
from blockwit.jobs import Stop

WIDTH = 300
BRANCH = 32
EXACT_NODES = 2_000_000
"""Nodes that the proof may take before the result of the beam has to do."""


@dataclass(frozen=True)
class Plan:
    """Moves and chance events in order, and the points they bring.

    `proven` says that no other moves bring more; else the plan is the best of a beam of `width` states. `used` is
    the number of chance events that were met before the game was over.
    """

    tokens: tuple[str, ...]
    points: float
    proven: bool
    width: int
    used: int
    nodes: int


def plan(
    game: Game,
    position: Position,
    chances: Sequence[str],
    *,
    width: int = WIDTH,
    branch: int = BRANCH,
    exact_nodes: int = EXACT_NODES,
    stop: Stop | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> Plan:
    """Plan one player's game for a list of chance events.

    Beam searches of the width and of a quarter and a sixteenth of it find a plan; an exhaustive one, if it ends
    within `exact_nodes` nodes (0: it is left out), proves it or finds a better one. Where the list ends before the
    game does, the points are those of the sheet then.

    Args:
        game: the game of `position`.
        position: where to begin; a game of one player.
        chances: tokens of draws and rolls in order.
        width: states that the beam keeps after each decision, 1 to 100,000.
        branch: moves that the beam tries in each, 1 to 256.
        exact_nodes: the most nodes of the proof.
        stop: ends the search with the best plan so far.
        told: called with a line for people before and after each part of the search.

    Raises:
        OptionError: several players, or a number out of range.
        MoveError: a token is no chance event, or cannot come up.
    """
    if len(position.returns()) != 1:
        raise OptionError(f"a plan needs a game of one player, got {len(position.returns())}")
    if not 1 <= width <= 100_000 or not 1 <= branch <= 256 or exact_nodes < 0:
        raise OptionError("a plan needs a width of 1 to 100000, 1 to 256 branches and no negative number of nodes")
    outcomes = list(position.outcome_actions(chances))
    planner = _plan.Planner(game.capsule())
    # A wider beam is not always the better one: what the static evaluation likes may crowd out the rest.
    value, line, nodes = -(2**31), list[int](), 0
    stop = stop or Stop()
    proven = False
    with stop.calls(planner.stop):
        for narrow in sorted({width, max(1, width // 4), max(1, width // 16)}):
            if line and stop.is_set():
                break
            told(f"beam of width {narrow}")
            found, its_line = planner.beam(position.raw(), outcomes, narrow, branch)
            nodes += planner.nodes
            if found > value:
                value, line = found, its_line
            told(f"{value / UNIT:g} points, {nodes} nodes")
        if exact_nodes and not stop.is_set():
            told(f"proof of at most {exact_nodes} nodes")
            better, better_line, proven = planner.exact(position.raw(), outcomes, exact_nodes, value)
            nodes += planner.nodes
            if better is not None:
                value, line = better, better_line
    tokens = tuple(position.line(line))
    # Played through the rules once more: what is told has been checked.
    used = 0
    for token in tokens:
        used += position.kind() is Kind.CHANCE
        position = position.play(token)
    if position.returns()[0] * UNIT != value:
        raise MoveError(f"the plan brings {position.returns()[0]:g} points, not {value / UNIT:g}")
    return Plan(tokens, value / UNIT, proven, width, used, nodes)
