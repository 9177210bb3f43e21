"""What the benchmark files of each game hold: how a record comes about, and what of it can be checked."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from blockwit import games
from blockwit.errors import OptionError, SolutionError, TableError, quote
from blockwit.games.base import Kind, Position
from blockwit.jobs import ended_by
from blockwit.models import Sealed

Record = dict[str, Any]
Settings = Mapping[str, Any]


class Line(Sealed):
    """What every record has."""

    engine: str = Field(description="the program that computed it")
    seed: int = Field(ge=0)
    position: str
    proven: bool


class Nmbr9Line(Line):
    """A deck known in advance."""

    value: int | None
    bound: int
    line: list[str]


class NumberDropLine(Line):
    """A solo game with known rolls."""

    chances: list[str]
    value: float
    bound: float | None
    line: list[str]


class DeblockleLine(Line):
    """A position of the endgame tables."""

    value: Literal[-1, 0, 1]
    bound: Literal[-1, 0, 1]
    plies: int | None = Field(ge=1)
    best: list[str] = Field(min_length=1)


class Source(ABC):
    """Where the records of a game come from.

    Attributes:
        usual: what decides a record besides the seed, with the usual values.
        limits: the range of some of these settings.
        line: what a record looks like.
    """

    usual: ClassVar[Mapping[str, Any]]
    limits: ClassVar[Mapping[str, tuple[int, int]]]
    line: ClassVar[type[Line]]

    def settings(self, game: str, asked: Settings) -> dict[str, Any]:
        """Return all settings.

        Raises:
            OptionError: an unknown setting, or a value out of range.
        """
        for name, value in asked.items():
            if name not in self.usual:
                raise OptionError(f"{name} is no setting of {game}, expected {', '.join(self.usual)}")
            low, high = self.limits.get(name, (0, None))
            if value < low or (high is not None and value > high):
                raise OptionError(f"{name} {value}: expected {low}" + (f" to {high}" if high else " or more"))
        return {**self.usual, **asked}

    @abstractmethod
    def record(self, settings: Settings, tables: str, seed: int) -> Record:
        """Return the record of one seed; `tables` is the folder of the endgame tables, empty for none."""

    @abstractmethod
    def fault(self, line: Line, settings: Settings) -> str:
        """Say what a record claims and is not so; empty if nothing. Raises BlockwitError."""


class Nmbr9(Source):
    """Decks known in advance, solved by the optimizer."""

    usual: ClassVar[Mapping[str, Any]] = {"cards": 20, "seconds": 60.0}
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {"cards": (1, 20)}
    line = Nmbr9Line

    @staticmethod
    def deck(seed: int, cards: int) -> list[int]:
        """Return the deck of a seed."""
        return random.Random(seed).sample(sorted([*range(10), *range(10)]), cards)

    def record(self, settings: Settings, tables: str, seed: int) -> Record:
        """Return the deck of a seed with its best plan and bound."""
        from blockwit.games.nmbr9.position import KNOWN, build_position
        from blockwit.search.cpsat.optimize import Optimizer
        from blockwit.search.cpsat.problem import read_problem

        deck = self.deck(seed, settings["cards"])
        optimizer = Optimizer(read_problem("K:" + "".join(map(str, deck))), workers=1, seed=seed)
        with ended_by(optimizer.stop):
            end = optimizer.run(settings["seconds"])
        return {
            "seed": seed,
            "position": build_position([], KNOWN, deck, len(deck)).fen(),
            "value": None if end.plan is None else end.score,
            "bound": end.bound,
            "proven": end.proven,
            "line": [] if end.plan is None else [str(tile) for tile in end.plan.tiles],
        }

    def fault(self, line: Line, settings: Settings) -> str:
        """Draw the deck again and replay the plan."""
        assert isinstance(line, Nmbr9Line)
        deck = "".join(map(str, self.deck(line.seed, settings["cards"])))
        position: Position = games.get("nmbr9").parse(f"- {deck}", {})
        if line.position != position.fen():
            return f"the position of seed {line.seed} is {position.fen()}, not {quote(line.position)}"
        if line.value is None:
            return "no line, and proven" if line.proven or line.line else ""
        return _wrong_end(_played(position, line.line, None), line.value, line.bound, proven=line.proven)


class NumberDrop(Source):
    """Solo games with known rolls, planned."""

    usual: ClassVar[Mapping[str, Any]] = {"rounds": 20, "nodes": 2_000_000}
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {"rounds": (1, 20)}
    line = NumberDropLine

    def record(self, settings: Settings, tables: str, seed: int) -> Record:
        """Return the rolls of a seed with the best line found."""
        from blockwit.search.plan import plan

        game = games.get("numberdrop")
        start = game.start({"solo": True})
        rng = random.Random(seed)
        chances, position = [], start
        while position.kind() is Kind.CHANCE:
            chances.append(position.roll(rng.getrandbits(64)))
            position = position.play(chances[-1])
        # Rolls do not depend on what was played before: any position that waits for one will do.
        position = position.play(position.tokens()[0])
        rolled = sum(token.startswith("roll:") for token in chances)
        chances += [position.roll(rng.getrandbits(64)) for _ in range(settings["rounds"] - rolled)]
        found = plan(game, start, chances, exact_nodes=settings["nodes"])
        return {
            "seed": seed,
            "position": start.fen(),
            "chances": chances,
            "value": found.points,
            "bound": found.points if found.proven else None,
            "proven": found.proven,
            "line": list(found.tokens),
        }

    def fault(self, line: Line, settings: Settings) -> str:
        """Replay the line."""
        assert isinstance(line, NumberDropLine)
        position = games.get("numberdrop").start({"solo": True})
        if line.position != position.fen():
            return f"the position is {position.fen()}, not {quote(line.position)}"
        return _wrong_end(_played(position, line.line, line.chances), line.value, line.bound, proven=line.proven)


class Deblockle(Source):
    """Positions of the endgame tables."""

    usual: ClassVar[Mapping[str, Any]] = {"blocks": 2}
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {"blocks": (2, 3)}
    line = DeblockleLine

    def record(self, settings: Settings, tables: str, seed: int) -> Record:
        """Return a position with its value and all best moves."""
        from blockwit.games.deblockle.position import DeblocklePosition, square_index
        from blockwit.games.deblockle.tables import oracle

        start = games.get("deblockle").start({})
        assert isinstance(start, DeblocklePosition)
        known = oracle(0, tables)
        rng = random.Random(seed)
        usable = [square for square in range(56) if square & 7 < 7 and square not in map(square_index, ("d2", "d6"))]
        while True:
            blocks = [(square, rng.randrange(24)) for square in rng.sample(usable, settings["blocks"])]
            south, north = (blocks[:1], blocks[1:]) if rng.random() < 0.5 else (blocks[1:], blocks[:1])
            position: Position = DeblocklePosition(start.core.replaced(south, north, rng.randrange(2), 0))
            if position.kind() is Kind.DECISION:
                break
        plies = known.probe(position.raw())
        if plies is None:
            raise TableError(f"{position.fen()} is not in the tables, expected a folder with the table of three blocks")
        player = position.player()
        worth = {token: _after(position.play(token), known, player) for token in position.tokens()}
        value = max(worth.values())
        return {
            "seed": seed,
            "position": position.fen(),
            "value": value,
            "bound": value,
            "proven": True,
            "plies": abs(plies) if plies else None,
            "best": [token for token, each in worth.items() if each == value],
        }

    def fault(self, line: Line, settings: Settings) -> str:
        """Look whether the moves are moves."""
        assert isinstance(line, DeblockleLine)
        position = games.get("deblockle").parse(line.position, {})
        tokens = set(position.tokens())
        if not tokens.issuperset(line.best):
            return f"{quote(next(move for move in line.best if move not in tokens))} is no move of the position"
        return "" if line.proven and line.value == line.bound else "what the tables say is always proven"


SOURCES: dict[str, Source] = {"nmbr9": Nmbr9(), "numberdrop": NumberDrop(), "deblockle": Deblockle()}


def source(game: str) -> Source:
    """Return where a game's records come from. Raises OptionError if it has none."""
    if game not in SOURCES:
        raise OptionError(f"unknown game {quote(game)}, expected one of {', '.join(SOURCES)}")
    return SOURCES[game]


def _after(position: Position, known: Any, player: int) -> int:
    """Return what a position is worth to a player: 1, 0 or -1."""
    if position.kind() is Kind.TERMINAL:
        return round(position.returns()[player])
    plies = known.probe(position.raw())
    if plies is None:
        raise TableError(f"{position.fen()} is not in the tables")
    won: int = (plies > 0) - (plies < 0)
    return won if position.player() == player else -won


def _played(position: Position, moves: Sequence[str], chances: Sequence[str] | None) -> Position:
    """Return the end of a line; what chance does in it comes from `chances`, in order, unless that is None."""
    coming = iter(chances or ())
    for token in moves:
        if chances is not None and position.kind() is Kind.CHANCE and next(coming, None) != token:
            raise SolutionError(f"{quote(token)} is not the next of the chance events")
        position = position.play(token)
    return position


def _wrong_end(end: Position, value: float, bound: float | None, *, proven: bool) -> str:
    (points,) = end.returns()
    if points != value:
        return f"the line brings {points:g}, not {value:g}"
    if bound is not None and bound < value:
        return f"the bound {bound:g} is below the value {value:g}"
    if proven != (bound == value):
        return f"value {value:g} and bound {'unknown' if bound is None else format(bound, 'g')}, proven {proven}"
    return ""
