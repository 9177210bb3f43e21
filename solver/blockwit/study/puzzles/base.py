"""What every puzzle can do: state its task, be solved, be proven, be graded."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from blockwit.client import Engines
from blockwit.errors import BlockwitError, SolutionError, TwoSolutionsError, WrongAnswerError
from blockwit.games.base import Game, Kind, OptionValue, Position
from blockwit.study.puzzles import files

GRADES = (2.0, 3.5, 5.0, 6.5)
"""The difficulties from which a puzzle of any kind has grade 2, 3, 4 and 5."""


@dataclass(frozen=True)
class Proof:
    """What exhaustive search finds out about a question.

    `solutions` are all answers, empty where only points are asked; `points` the most that can be reached, None where
    none are asked; `line` is play that shows the first solution; `nodes` are the positions visited.
    """

    solutions: tuple[str, ...]
    points: float | None
    line: tuple[str, ...]
    nodes: int


@dataclass(frozen=True)
class Attempt:
    """What the engine answers to a puzzle: a line and its points, by `how` (search or exhaustive search)."""

    line: tuple[str, ...]
    points: float | None
    how: str
    nodes: int


@dataclass(frozen=True)
class Puzzle(ABC):
    """A position, a question about it, and the answer.

    `line` is the answer as play, `points` what it brings where points are asked. `nodes`, `tempting` and `grade` say
    how hard it is.
    """

    game: Game
    position: Position
    options: Mapping[str, OptionValue]
    line: tuple[str, ...] = ()
    points: float | None = None
    nodes: int = 0
    tempting: int = 0
    grade: int = 0
    source: str = ""

    @property
    @abstractmethod
    def question(self) -> files.Question:
        """The question of the file."""

    @abstractmethod
    def task(self) -> str:
        """Return the question as a sentence."""

    @abstractmethod
    def prove(self) -> Proof:
        """Answer the question by exhaustive search, without a look at the answer.

        Raises:
            SolutionError: the question has no answer, or it cannot be found within reasonable time.
        """

    @abstractmethod
    def temptation(self, proof: Proof) -> int:
        """Return how much looks better at first sight than it is, as docs/puzzles.md defines for each kind."""

    def asked(self, move: str) -> str:
        """Return the part of a first move that the question asks for."""
        return move

    def attempt(self, engines: Engines) -> Attempt:
        """Solve the puzzle without a look at the answer, as it is done best: by a proof, or by one of `engines`."""
        proof = self.prove()
        return Attempt(proof.line, proof.points, "exhaustive search", proof.nodes)

    def right(self, attempt: Attempt) -> bool:
        """Tell whether an attempt agrees with the answer."""
        if self.points is not None:
            return attempt.points == self.points
        return bool(attempt.line) and self.asked(attempt.line[0]) == self.asked(self.line[0])

    def end(self) -> Position:
        """Return the position at the end of the answer's line. Raises MoveError, naming the move that is illegal."""
        position = self.position
        for number, token in enumerate(self.line):
            try:
                position = position.play(token)
            except BlockwitError as error:
                raise type(error)(f"answer.line: number {number + 1}: {error}") from None
        return position

    def check(self) -> Self:
        """Prove the answer again; returns the puzzle with the measures and grade of this proof.

        They may differ from those of the file where a static evaluation or a prover has changed since: that makes no
        answer wrong.

        Raises:
            WrongAnswerError: the answer or its points are not what the proof says.
            TwoSolutionsError: the answer is right, but not the only one.
            SolutionError: the question has no answer.
        """
        proof = self.prove()
        if proof.points != self.points:
            raise WrongAnswerError(f"the most points are {proof.points:g}, not {self.points or 0:g}")
        if proof.points is not None and self.end().returns()[0] != self.points:
            raise WrongAnswerError(f"the line brings {self.end().returns()[0]:g} points, not {self.points:g}")
        if proof.solutions:
            own = self.asked(self.line[0])
            if own not in proof.solutions:
                raise WrongAnswerError(f"{own} does not solve it, {' or '.join(proof.solutions[:3])} does")
            if len(proof.solutions) > 1:
                raise TwoSolutionsError(f"{len(proof.solutions)} solutions: {', '.join(proof.solutions[:8])}")
        return self.graded(proof)

    def posed(self, source: str) -> Self | None:
        """Return this question with its answer and grade, or None if it has not exactly one solution."""
        try:
            proof = self.prove()
        except SolutionError:
            return None
        if len(proof.solutions) > 1:
            return None
        return replace(self.graded(proof), line=proof.line, points=proof.points, source=source)

    def graded(self, proof: Proof) -> Self:
        """Return this puzzle with the measures of a proof and the grade that follows from them."""
        measured = replace(self, nodes=proof.nodes, tempting=self.temptation(proof))
        return replace(measured, grade=1 + bisect_right(GRADES, measured.difficulty()))

    def difficulty(self) -> float:
        """Return the number that the grade is read from: large proofs and tempting mistakes make it grow."""
        return math.log10(self.nodes) + 0.5 * math.log2(1 + self.tempting)

    def answer(self) -> files.Answer:
        """Return the answer of the file."""
        return files.Answer(line=self.line, points=self.points)

    def to_json(self) -> str:
        """Return the file's text."""
        return files.PuzzleFile(
            game=self.game.name,  # type: ignore[arg-type]
            position=self.position.fen(),
            options=dict(self.options),
            question=self.question,
            answer=self.answer(),
            proof=files.ProofRecord(nodes=self.nodes, tempting=self.tempting),
            grade=self.grade,
            source=self.source,
        ).text()


def require_decision(position: Position) -> None:
    """Raise SolutionError unless a move is to be chosen."""
    if position.kind() is not Kind.DECISION:
        raise SolutionError("position: nothing is to be decided there")
