"""Puzzles of Deblockle: forced wins, the only defence, the only way not to be blocked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from blockwit import _proof
from blockwit.client import Engines
from blockwit.errors import WrongAnswerError
from blockwit.games.base import Kind, Position
from blockwit.search.types import Limits
from blockwit.study.puzzles import files
from blockwit.study.puzzles.base import Attempt, Proof, Puzzle

PASS = "0000"


def prove(position: Position, turns: int) -> tuple[list[str], int]:
    """Find all moves that force a win within `turns` own turns, by exhaustive search; also the nodes visited."""
    # A small table is emptied sooner than a large one, and short proofs need none.
    bits = {1: 10, 2: 14, 3: 18}.get(turns, 20)
    actions, nodes = _proof.winning_actions(position.game.capsule(), position.raw(), 2 * turns - 1, bits)
    return [position.line([action])[0] for action in actions], nodes


def turns_to_win(position: Position, most: int) -> int | None:
    """Return in how many own turns the player to move can force a win, None if not within `most`."""
    return next((turns for turns in range(1, most + 1) if prove(position, turns)[0]), None)


def main_line(position: Position, move: str, turns: int) -> tuple[str, ...]:
    """Return play from a winning move to the win, against the defence that holds out longest."""
    line = [move]
    position = position.play(move)
    while position.kind() is not Kind.TERMINAL:
        turns -= 1
        # Every reply loses within `turns`: the longest, and of equal ones the first.
        lost = {reply: turns_to_win(position.play(reply), turns) or 0 for reply in position.tokens()}
        reply = max(lost, key=lambda token: lost[token])
        position = position.play(reply)
        line.append(reply)
        turns = lost[reply]
        if position.kind() is not Kind.TERMINAL:
            line.append(prove(position, turns)[0][0])
            position = position.play(line[-1])
    return tuple(line)


class DeblocklePuzzle(Puzzle):
    """A question with one move as its answer."""

    def temptation(self, proof: Proof) -> int:
        """Count the moves that leave the mover as well off, by static evaluation, as the best-looking solution."""
        player = self.position.player()
        looks = {token: self.position.play(token).evaluate()[player] for token in self.position.tokens()}
        best = max(looks[move] for move in proof.solutions)
        return sum(look >= best for token, look in looks.items() if token not in proof.solutions)


@dataclass(frozen=True)
class WinPuzzle(DeblocklePuzzle):
    """Force a win in exactly `turns` own turns."""

    turns: int = 1

    @property
    def question(self) -> files.Win:
        """The question of the file."""
        return files.Win(turns=self.turns)

    def task(self) -> str:
        """Return the question as a sentence."""
        who = self.game.players[self.position.player()]
        return f"{who} to move wins in {self.turns} turn{'s' * (self.turns > 1)}, whatever the other side does. How?"

    def prove(self) -> Proof:
        """Find all first moves of the shortest forced win; its length has to be `turns`."""
        fewer = self.turns - 1
        if fewer and prove(self.position, fewer)[0]:
            raise WrongAnswerError(f"there is a win in fewer than {self.turns} turns")
        won, nodes = prove(self.position, self.turns)
        if not won:
            raise WrongAnswerError(f"no move forces a win in {self.turns} turns")
        return Proof(tuple(won), None, main_line(self.position, won[0], self.turns), nodes)

    def attempt(self, engines: Engines) -> Attempt:
        """Search for a mate in `turns`, as in a game."""
        engine = engines.at(self.game.name, self.options, self.position.fen())
        best = engine.go(Limits(mate=self.turns)).infos[0]
        found = best.score is not None and best.score.mate == self.turns
        return Attempt(tuple(best.pv) if found else (), None, "search", best.nodes)

    def check(self) -> Self:
        """Prove the answer again, and that its line is a win of this length."""
        measured = super().check()
        if self.end().returns()[self.position.player()] <= 0 or len(self.line) != 2 * self.turns - 1:
            raise WrongAnswerError(f"the line is no win in {self.turns} turns")
        return measured


@dataclass(frozen=True)
class DefendPuzzle(DeblocklePuzzle):
    """Make the only move after which the opponent cannot force a win within `turns` of its turns."""

    turns: int = 1

    @property
    def question(self) -> files.Defend:
        """The question of the file."""
        return files.Defend(turns=self.turns)

    def task(self) -> str:
        """Return the question as a sentence."""
        who, other = self.game.players[self.position.player()], self.game.players[1 - self.position.player()]
        length = f"{self.turns} turn{'s' * (self.turns > 1)}"
        return f"{other} threatens to win in {length}. Only one move of {who} prevents it. Which?"

    def prove(self) -> Proof:
        """Find all moves after which the opponent has no forced win of this length."""
        held, nodes = [], 1
        player = self.position.player()
        for token in self.position.tokens():
            after = self.position.play(token)
            if after.kind() is Kind.TERMINAL:
                safe = after.returns()[player] >= 0
            else:
                won, more = prove(after, self.turns)
                nodes += more
                safe = not won
            if safe:
                held.append(token)
        if not held:
            raise WrongAnswerError(f"no move prevents a win in {self.turns} turns")
        return Proof(tuple(held), None, (held[0],), nodes)

    def attempt(self, engines: Engines) -> Attempt:
        """Search just deep enough to see the threat."""
        engine = engines.at(self.game.name, self.options, self.position.fen())
        # A search for a mate leaves no move out: one for points might, and miss the only defence.
        result = engine.go(Limits(depth=2 * self.turns, mate=self.turns + 1))
        return Attempt((result.move,) if result.move else (), None, "search", result.infos[0].nodes)


@dataclass(frozen=True)
class FreePuzzle(DeblocklePuzzle):
    """Make the only move after which the opponent can neither win next turn nor leave the mover without a move."""

    @property
    def question(self) -> files.Free:
        """The question of the file."""
        return files.Free()

    def task(self) -> str:
        """Return the question as a sentence."""
        who, other = self.game.players[self.position.player()], self.game.players[1 - self.position.player()]
        return (
            f"{other} threatens to leave {who} without a move (a forced pass), or to win, with its next turn. "
            f"Only one move of {who} prevents both. Which?"
        )

    def prove(self) -> Proof:
        """Try all moves and all replies."""
        free, nodes = [], 1
        for token in self.position.tokens():
            after = self.position.play(token)
            nodes += 1
            caught = False
            for reply in after.tokens():
                nodes += 1
                caught = blocked(after.play(reply), self.position.player()) or loses(after.play(reply), self.position)
                if caught:
                    break
            if not caught:
                free.append(token)
        if not free:
            raise WrongAnswerError("no move keeps free")
        return Proof(tuple(free), None, (free[0],), nodes)


def blocked(position: Position, player: int) -> bool:
    """Tell whether `player`, who is to move, has to pass, or nobody can move at all."""
    if position.kind() is Kind.TERMINAL:
        return position.returns() == (0.0, 0.0)
    return position.player() == player and position.tokens() == [PASS]


def loses(position: Position, before: Position) -> bool:
    """Tell whether the game is over and lost for the player to move in `before`."""
    return position.kind() is Kind.TERMINAL and position.returns()[before.player()] < 0
