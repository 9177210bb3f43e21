"""What the benchmark files of each game hold: how a record comes about, and what of it can be checked."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from blockwit import games
from blockwit.errors import OptionError, SolutionError, TableError, quote
from blockwit.games.base import Kind, OptionValue, Position
from blockwit.jobs import ended_by
from blockwit.models import Sealed

Record = dict[str, Any]
Settings = Mapping[str, Any]

SMALL = 2
"""Blocks on the board that the tables know without a file."""

FAMILY = (
    *(f"F-{m}-1-{m + 1}" for m in range(1, 10)),
    *(f"F-9-1-{k}" for k in range(3, 10)),
    *(f"F-{m}-1-5" for m in (5, 6, 7, 8)),
    *(f"F-{m}-2-5" for m in (3, 4, 5, 6, 7)),
    *(f"F-{m}-2-{k}" for m, k in ((2, 6), (3, 8), (4, 6), (5, 6), (6, 6), (6, 7))),
    *("F-6-1-5@8x8x3", "F-6-2-5@8x8x3", "F-6-1-5@7x7x2", "F-6-1-5@5x5x3", "F-7-1-8@8x8x4", "F-9-1-10@8x8x4"),
    *(f"F-{m}-2-{2 * m + 2}" for m in (4, 5, 6, 7, 8, 9)),
    *(f"F-9-2-{k}" for k in (10, 12, 15)),
)
"""The free problems of "Nmbr9 as a Constraint Programming Challenge" (arXiv 2001.04238)."""

PUBLISHED: Mapping[str, float] = {"F-6-1-5@8x8x3": 5, "F-6-2-5@8x8x3": 105}
"""Seconds to the proof of the solver of that paper, repaired."""


VERSION: Literal[3] = 3
"""Of the format of records."""


class Line(Sealed):
    """What every record has; below come the settings of its kind, each a field, and what is known."""

    version: Literal[3]
    kind: str = Field(description="one of `SOURCES`")
    engine: str = Field(description="the program that computed it")
    seed: int = Field(ge=0)
    position: str = Field(description="the position string; empty where there is none")
    proven: bool


class Nmbr9Line(Line):
    """A deck known in advance."""

    cards: int
    seconds: float
    value: int | None
    bound: int
    line: list[str]


class FreeLine(Line):
    """A problem of the family F-T-m-c-k; without a position where the rules do not know its limits."""

    seconds: float
    problem: str
    value: int | None
    bound: int
    took: float = Field(ge=0, description="seconds")
    published: float | None = Field(ge=0, description="seconds of the proof in arXiv 2001.04238, where it tells them")
    line: list[str]


class NumberDropLine(Line):
    """A solo game with known rolls."""

    rounds: int
    nodes: int
    chances: list[str]
    value: float
    bound: float | None
    line: list[str]


class DeblockleLine(Line):
    """A position of the endgame tables."""

    blocks: int
    critical: int
    value: Literal[-1, 0, 1]
    bound: Literal[-1, 0, 1]
    plies: int | None = Field(ge=1)
    best: list[str] = Field(min_length=1)


class Source(ABC):
    """Where the records of a kind come from.

    Attributes:
        game: the name of the game.
        options: the rule options of its positions.
        one_move: whether a player is measured by one move of it instead of play to the end.
        usual: what decides a record besides the seed, with the usual values.
        limits: the range of some of these settings.
        line: what a record looks like.
    """

    game: ClassVar[str]
    options: ClassVar[Mapping[str, OptionValue]] = {}
    one_move: ClassVar[bool] = False
    usual: ClassVar[Mapping[str, Any]]
    limits: ClassVar[Mapping[str, tuple[int, int]]]
    line: ClassVar[type[Line]]

    def settings(self, kind: str, asked: Settings) -> dict[str, Any]:
        """Return all settings.

        Raises:
            OptionError: an unknown setting, or a value out of range.
        """
        for name, value in asked.items():
            if name not in self.usual:
                raise OptionError(f"{name} is no setting of {kind}, expected {', '.join(self.usual)}")
            low, high = self.limits.get(name, (0, None))
            if value < low or (high is not None and value > high):
                raise OptionError(f"{name} {value}: expected {low}" + (f" to {high}" if high else " or more"))
        return {**self.usual, **asked}

    def settings_of(self, line: Line) -> dict[str, Any]:
        """Return the settings that a record was made with."""
        return {name: getattr(line, name) for name in self.usual}

    def loss(self, line: Line, move: str) -> float:
        """Return what a legal move of the record's position loses, in the game's unit; of `one_move` sources."""
        raise NotImplementedError

    @abstractmethod
    def record(self, settings: Settings, tables: str, seed: int) -> Record:
        """Return the record of one seed; `tables` is the folder of the endgame tables, empty for none."""

    @abstractmethod
    def fault(self, line: Line, settings: Settings) -> str:
        """Say what a record claims and is not so; empty if nothing. Raises BlockwitError."""


class Nmbr9(Source):
    """Decks known in advance, solved by the optimizer."""

    game = "nmbr9"
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


class Free(Source):
    """The problems of a family, a seed each: free choice of the cards, solved by the optimizer."""

    game = "nmbr9"
    usual: ClassVar[Mapping[str, Any]] = {"seconds": 600.0}
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {}
    line = FreeLine

    def record(self, settings: Settings, tables: str, seed: int) -> Record:
        """Return a problem with its best plan and bound."""
        from blockwit.search.cpsat.optimize import Optimizer
        from blockwit.search.cpsat.problem import read_problem

        optimizer = Optimizer(read_problem(self.problem(seed)), workers=1, seed=0)
        with ended_by(optimizer.stop):
            end = optimizer.run(settings["seconds"])
        tiles = [] if end.plan is None else [str(tile) for tile in end.plan.tiles]
        return self.told(seed, tiles, end.bound, end.seconds)

    def told(self, seed: int, tiles: Sequence[str], bound: int, took: float) -> Record:
        """Return the record of a problem whose best plan has these tiles."""
        from blockwit.games.nmbr9.position import read_tile

        name = self.problem(seed)
        value = sum(tile.digit * tile.level for tile in map(read_tile, tiles)) if tiles else None
        return {
            "seed": seed,
            "position": self._position(name),
            "problem": name,
            "value": value,
            "bound": bound,
            "proven": value == bound,
            "took": round(took, 1),
            "published": PUBLISHED.get(name),
            "line": list(tiles),
        }

    @staticmethod
    def problem(seed: int) -> str:
        """Return the problem of a seed. Raises OptionError if there are not as many."""
        if not 1 <= seed <= len(FAMILY):
            raise OptionError(f"seed {seed}: expected 1 to {len(FAMILY)}, the problems of the family")
        return FAMILY[seed - 1]

    @staticmethod
    def _position(name: str) -> str:
        from blockwit.search.cpsat.problem import read_problem

        problem = read_problem(name)
        return "" if problem.limited else problem.position().fen()

    def fault(self, line: Line, settings: Settings) -> str:
        """Replay the plan."""
        from blockwit.games.nmbr9.position import read_tile
        from blockwit.search.cpsat.problem import read_problem
        from blockwit.search.cpsat.stacks import replay

        assert isinstance(line, FreeLine)
        name = self.problem(line.seed)
        if line.problem != name:
            return f"the problem of seed {line.seed} is {name}, not {quote(line.problem)}"
        if line.position != self._position(name):
            return f"{quote(line.position)} is not the start of {name}"
        if line.value is None:
            return "no line, and proven" if line.proven or line.line else ""
        plan = replay(read_problem(name), [read_tile(token) for token in line.line])
        if plan is None:
            return f"the line breaks the rules, or is no whole plan of {name}"
        return _wrong_value(plan.score, line.value, line.bound, proven=line.proven)


class NumberDrop(Source):
    """Solo games with known rolls, planned."""

    game = "numberdrop"
    options: ClassVar[Mapping[str, OptionValue]] = {"solo": True}
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
    """Positions of the endgame tables; critical ones if asked: some move keeps the result, and some does not."""

    game = "deblockle"
    one_move = True
    usual: ClassVar[Mapping[str, Any]] = {"blocks": 2, "critical": 0}
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {"blocks": (2, 3), "critical": (0, 1)}
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
            position = DeblocklePosition(start.core.replaced(south, north, rng.randrange(2), 0))
            if position.kind() is not Kind.DECISION:
                continue
            told = self._told(position, known)
            if not settings["critical"] or len(told["best"]) < position.count():
                return {"seed": seed, **told}

    @staticmethod
    def _told(position: Position, known: Any) -> Record:
        """Return what the tables say of a position."""
        plies = known.probe(position.raw())
        if plies is None:
            raise TableError(f"{position.fen()} is not in the tables, expected a folder with the table of three blocks")
        player = position.player()
        worth = {token: _after(position.play(token), known, player) for token in position.tokens()}
        value = max(worth.values())
        return {
            "position": position.fen(),
            "value": value,
            "bound": value,
            "proven": True,
            "plies": abs(plies) if plies else None,
            "best": [token for token, each in worth.items() if each == value],
        }

    def loss(self, line: Line, move: str) -> float:
        """Return what a move loses: exact where the tables are at hand, else a point for one that is not the best."""
        from blockwit.games.deblockle.tables import oracle

        assert isinstance(line, DeblockleLine)
        if move in line.best:
            return 0
        if line.blocks > SMALL:
            return 1
        position = games.get(self.game).parse(line.position, {})
        return line.value - _after(position.play(move), oracle(0, ""), position.player())

    def fault(self, line: Line, settings: Settings) -> str:
        """Ask the tables again, where no file is needed for that; else look whether the moves are moves."""
        from blockwit.games.deblockle.tables import oracle

        assert isinstance(line, DeblockleLine)
        position = games.get(self.game).parse(line.position, {})
        tokens = set(position.tokens())
        if not tokens.issuperset(line.best):
            return f"{quote(next(move for move in line.best if move not in tokens))} is no move of the position"
        if not line.proven or line.value != line.bound:
            return "what the tables say is always proven"
        if line.critical and len(line.best) == len(tokens):
            return "critical, but every move is among the best"
        if line.blocks == SMALL:
            told = self._told(position, oracle(0, ""))
            for name in ("value", "plies", "best"):
                if getattr(line, name) != told[name]:
                    return f"{name} is {told[name]} by the tables, not {quote(str(getattr(line, name)))}"
        return ""


SOURCES: dict[str, Source] = {
    "nmbr9": Nmbr9(),
    "nmbr9-free": Free(),
    "numberdrop": NumberDrop(),
    "deblockle": Deblockle(),
}


def source(kind: str) -> Source:
    """Return where the records of a kind come from. Raises OptionError if there is none such."""
    if kind not in SOURCES:
        raise OptionError(f"unknown game {quote(kind)}, expected one of {', '.join(SOURCES)}")
    return SOURCES[kind]


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
    return _wrong_value(points, value, bound, proven=proven)


def _wrong_value(points: float, value: float, bound: float | None, *, proven: bool) -> str:
    if points != value:
        return f"the line brings {points:g}, not {value:g}"
    if bound is not None and bound < value:
        return f"the bound {bound:g} is below the value {value:g}"
    if proven != (bound == value):
        return f"value {value:g} and bound {'unknown' if bound is None else format(bound, 'g')}, proven {proven}"
    return ""
