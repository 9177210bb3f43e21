"""Puzzles in which all chance is known: the best plan, the best drop, the best claim."""

from __future__ import annotations

from dataclasses import dataclass

from blockwit import _nmbr9, _numberdrop, _plan
from blockwit._bridge import UNIT
from blockwit.errors import MoveError, SolutionError
from blockwit.games.base import Kind, Position
from blockwit.games.nmbr9.position import FREE, UNKNOWN, Nmbr9Position
from blockwit.search.cpsat.optimize import Optimizer
from blockwit.search.cpsat.problem import problem_of
from blockwit.search.cpsat.search import play_beam
from blockwit.study.puzzles import files
from blockwit.study.puzzles.base import Proof, Puzzle, require_decision

MAX_NODES = {"numberdrop": 4_000_000, "nmbr9": 120_000}
"""Larger proofs than this, some seconds, are given up."""
MAX_DROPS = 20_000
BEAM = 300
LOOKED_AT = 64


class Exact:
    """Exhaustive search from positions of one puzzle, counting the nodes of all searches together."""

    def __init__(self, position: Position, rolls: tuple[str, ...]) -> None:
        self.position = position
        self.outcomes = position.outcome_actions(rolls) if rolls else []
        self.planner = _plan.Planner(position.game.capsule())
        self.nodes = 0
        self.most_nodes = MAX_NODES[position.game.name]

    def above(self, raw: bytes, value: int) -> tuple[int | None, list[int]]:
        """Return the best value above `value` from a state, with its actions; None if there is none.

        Raises:
            SolutionError: the search is too large.
        """
        best, line, whole = self.planner.exact(raw, self.outcomes, self.most_nodes, value)
        self.nodes += self.planner.nodes
        if not whole or self.nodes > self.most_nodes:
            raise SolutionError(f"not proven within {self.most_nodes} nodes")
        return best, line

    def most(self, raw: bytes, incumbent: int, line: list[int]) -> tuple[int, list[int]]:
        """Return the best value from a state and its actions; `line` reaches `incumbent`."""
        best, better = self.above(raw, incumbent)
        return (incumbent, line) if best is None else (best, better)


def greedy_points(position: Position, rolls: tuple[str, ...]) -> float:
    """Return the points of a player who always takes what looks best at once."""
    left = list(rolls)
    while position.kind() is not Kind.TERMINAL and (left or position.kind() is Kind.DECISION):
        position = position.play(left.pop(0) if position.kind() is Kind.CHANCE else greedy_move(position))
    return position.returns()[0]


def greedy_move(position: Position) -> str:
    """Return the move with the best static evaluation; a drop first, then its claim."""
    if isinstance(position, Nmbr9Position):
        return position.line([_nmbr9.ranked(position.raw())[0][0]])[0]
    actions, raw = [], position.raw()
    while True:
        actions.append(_numberdrop.best(raw, 1)[0][0])
        line = position.line(actions)[0]
        if len(actions) == 2 or not is_drop(line):
            return line
        raw = _numberdrop.play(raw, actions[0])


def is_drop(token: str) -> bool:
    """Tell whether a token is a drop, after which a claim is due."""
    return token[0] in "IOTLS" or token.startswith("skip")


@dataclass(frozen=True)
class PlanPuzzle(Puzzle):
    """Reach the most points when `rolls` come in this order, or with the cards of the position."""

    rolls: tuple[str, ...] = ()

    @property
    def question(self) -> files.Plan:
        """The question of the file."""
        return files.Plan(rolls=self.rolls)

    def task(self) -> str:
        """Return the question as a sentence."""
        if isinstance(self.position, Nmbr9Position):
            digits = " ".join(map(str, self.position.deck))
            order = f"The cards {digits} come in this order."
            if self.position.mode == FREE:
                order = f"Choose {self.position.left} of the tiles {digits} and their order."
            return f"{order} What is the highest score, and how is it built?"
        return f"The coming rolls are known: {told(self.rolls)}. What is the highest score at the end of the last one?"

    def prove(self) -> Proof:
        """Find the most points by exhaustive search, from a plan that is found first."""
        if isinstance(self.position, Nmbr9Position):
            return self._prove_stack(self.position)
        exact = Exact(self.position, self.rolls)
        raw = self.position.raw()
        value, actions = exact.planner.beam(raw, exact.outcomes, BEAM)
        value, actions = exact.most(raw, value, actions)
        return Proof((), value / UNIT, tuple(self.position.line(actions)), exact.nodes)

    def _prove_stack(self, position: Nmbr9Position) -> Proof:
        plan = None
        if position.mode == FREE:
            # With a free order the optimizer is much quicker to find the best plan; the proof is the search below.
            plan = Optimizer(problem_of(position)).run(20.0).plan
        tiles = plan.tiles if plan else play_beam(position.raw(), BEAM, 0, 0)[0]
        line = [_nmbr9.encode_placement(*tile) for tile in tiles[len(position.tiles) :]]
        exact = Exact(position, ())
        points = sum(tile.digit * tile.level for tile in tiles)
        value, actions = exact.most(position.raw(), points * UNIT, line)
        return Proof((), value / UNIT, tuple(position.line(actions)), exact.nodes)

    def temptation(self, proof: Proof) -> int:
        """Return the points that the greedy player falls short of the best."""
        return round((proof.points or 0) - greedy_points(self.position, self.rolls))


@dataclass(frozen=True)
class DropPuzzle(Puzzle):
    """Make the only drop with which the most points can be reached when `rolls` follow."""

    rolls: tuple[str, ...] = ()

    @property
    def question(self) -> files.Drop:
        """The question of the file."""
        return files.Drop(rolls=self.rolls)

    def task(self) -> str:
        """Return the question as a sentence."""
        return f"{when(self.rolls)} One drop alone leads to the highest score. Which, and what is the score?"

    def asked(self, move: str) -> str:
        """Return the drop without its claim."""
        return move.partition("+")[0]

    def prove(self) -> Proof:
        """Find the most points, then search behind every drop for as many."""
        exact = Exact(self.position, self.rolls)
        raw = self.position.raw()
        drops = _numberdrop.count_actions(raw)
        if drops > MAX_DROPS:
            raise SolutionError(f"{drops} drops, expected at most {MAX_DROPS}")
        value, actions = exact.planner.beam(raw, exact.outcomes, BEAM)
        value, actions = exact.most(raw, value, actions)
        solutions, line = [], tuple(self.position.line(actions))
        for drop in _numberdrop.list_range(raw, 0, drops):
            found, _ = exact.above(_numberdrop.play(raw, drop), value - 1)
            if found is not None:
                solutions.append(self.asked(self.position.line([drop])[0]))
        return Proof(tuple(solutions), value / UNIT, line, exact.nodes)

    def temptation(self, proof: Proof) -> int:
        """Count the drops, of the 64 best-looking ones, that look better than every solution."""
        looks = [self.position.line([drop])[0] for drop, _ in _numberdrop.best(self.position.raw(), LOOKED_AT)]
        return min((looks.index(drop) for drop in proof.solutions if drop in looks), default=LOOKED_AT)


@dataclass(frozen=True)
class ClaimPuzzle(Puzzle):
    """After `drop`, fill the only box (or none) with which the most points can be reached when `rolls` follow."""

    drop: str = ""
    rolls: tuple[str, ...] = ()

    @property
    def question(self) -> files.Claim:
        """The question of the file."""
        return files.Claim(drop=self.drop, rolls=self.rolls)

    def task(self) -> str:
        """Return the question as a sentence."""
        follow = f"The coming rolls are known: {told(self.rolls)}. " if self.rolls else ""
        return (
            f"The roll is dropped as {self.drop}. {follow}One box alone (or no claim) leads to the highest score. "
            "Which is to be filled now, and what is the score?"
        )

    def asked(self, move: str) -> str:
        """Return the box that a claim fills, like S5, or `none`."""
        return move.partition("+")[2].partition(":")[0] or "none"

    def prove(self) -> Proof:
        """Search behind every claim."""
        (drop, _) = self.position.actions(self.drop)
        exact = Exact(self.position, self.rolls)
        raw = _numberdrop.play(self.position.raw(), drop)
        value, actions = exact.planner.beam(raw, exact.outcomes, BEAM)
        value, actions = exact.most(raw, value, actions)
        solutions = []
        for claim in _numberdrop.list_range(raw, 0, _numberdrop.count_actions(raw)):
            box = self.asked(self.position.line([drop, claim])[0])
            if box not in solutions and exact.above(_numberdrop.play(raw, claim), value - 1)[0] is not None:
                solutions.append(box)
        return Proof(tuple(solutions), value / UNIT, tuple(self.position.line([drop, *actions])), exact.nodes)

    def temptation(self, proof: Proof) -> int:
        """Count the boxes that bring as many points at once as the largest solution, or more, and are none."""
        (drop, _) = self.position.actions(self.drop)
        raw = _numberdrop.play(self.position.raw(), drop)
        boxes = {
            self.asked(self.position.line([drop, claim])[0])
            for claim in _numberdrop.list_range(raw, 0, _numberdrop.count_actions(raw))
        }
        worth = {box: 0 if box == "none" else int(box[1:]) for box in boxes}
        best = max(worth[box] for box in proof.solutions)
        return sum(points >= best for box, points in worth.items() if box not in proof.solutions)


def told(rolls: tuple[str, ...]) -> str:
    """Write rolls for people, like `1356 L, then 2247 T`."""
    shown = (roll.partition(":")[2] for roll in rolls)
    return ", then ".join(f"{roll[:-1]} {roll[-1]}" if len(roll) == 5 else roll for roll in shown)


def when(rolls: tuple[str, ...]) -> str:
    """Say when the points are counted."""
    return f"The coming rolls are known: {told(rolls)}." if rolls else "Points are counted when this turn is over."


def require_plan(position: Position, rolls: tuple[str, ...]) -> None:
    """Raise SolutionError unless one player decides, and all chance on the way is known."""
    if len(position.returns()) != 1:
        raise SolutionError("position: expected a game of one player")
    if not rolls:
        require_decision(position)
    if isinstance(position, Nmbr9Position):
        if position.mode == UNKNOWN:
            raise SolutionError("position: the order of the cards is unknown, expected a known or a free deck")
        if rolls:
            raise SolutionError("question.rolls: the cards are part of the position")
    elif position.kind() is Kind.TERMINAL:
        raise SolutionError("position: the game is over there")


def require_drop(position: Position) -> None:
    """Raise SolutionError unless one player plays and its drop is due."""
    require_plan(position, ())
    if not is_drop(position.tokens(0, 1)[0]):
        raise SolutionError("position: expected one in which the dice are rolled and a drop is due")


def require_drop_token(position: Position, drop: str) -> None:
    """Raise MoveError unless `drop` is a legal drop without a claim."""
    if "+" in drop:
        raise MoveError(f"question.drop: {drop}: expected a drop without its claim")
    position.actions(drop)
