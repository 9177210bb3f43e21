"""The lines of a benchmark file: what they hold, and that it is true. docs/benchmarks.md has the format.

A record is not believed for its checksum alone: its position is drawn from the seed again, its line is replayed by the
rules, and what it says of value, bound and proof has to agree with that. What cannot be checked without computing the
record anew is the bound of a long search.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from blockwit import games
from blockwit.errors import BlockwitError, SolutionError, quote
from blockwit.games.base import Kind, Position
from blockwit.models import ENGINE, Model, Sealed, read

FORMAT: Literal["blockwit-benchmark"] = "blockwit-benchmark"
VERSION: Literal[2] = 2

Record = dict[str, Any]


class Head(Model):
    """The first line."""

    format: Literal["blockwit-benchmark"]
    version: Literal[2]
    game: str
    settings: dict[str, int | float]
    engine: str = Field(description="the program that wrote the file last")


class _Line(Sealed):
    engine: str = Field(description="the program that computed it")
    seed: int = Field(ge=0)
    position: str
    proven: bool


class Nmbr9Line(_Line):
    """A deck known in advance."""

    value: int | None
    bound: int
    line: list[str]


class NumberDropLine(_Line):
    """A solo game with known rolls."""

    chances: list[str]
    value: float
    bound: float | None
    line: list[str]


class DeblockleLine(_Line):
    """A position of the endgame tables."""

    value: Literal[-1, 0, 1]
    bound: Literal[-1, 0, 1]
    plies: int | None = Field(ge=1)
    best: list[str] = Field(min_length=1)


LINES: dict[str, type[_Line]] = {"nmbr9": Nmbr9Line, "numberdrop": NumberDropLine, "deblockle": DeblockleLine}
"""The record of each game."""


def head_line(game: str, settings: Mapping[str, Any]) -> str:
    """Return the first line of a file."""
    return Head(format=FORMAT, version=VERSION, game=game, settings=dict(settings), engine=ENGINE).model_dump_json()


def record_line(game: str, settings: Mapping[str, Any], record: Record) -> str:
    """Return the line of a record; one that was not read from a file is by this program."""
    line = LINES[game](**{"engine": ENGINE, **record})
    return line.sealed({"game": game, "settings": settings}).to_line()


def read_head(text: str, game: str, settings: Mapping[str, Any]) -> None:
    """Check the first line of a file. Raises SolutionError; another version of the program may have written it."""
    head = read(Head, text, SolutionError)
    if (head.game, head.settings) != (game, settings):
        raise SolutionError(f"begun for something else: {quote(text, 200)}")


def read_record(text: str, game: str, settings: Mapping[str, Any]) -> Record:
    """Read and check the line of a record. Raises SolutionError."""
    line = read(LINES[game], text, SolutionError)
    if not line.whole({"game": game, "settings": settings}):
        raise SolutionError("not as it was written, its checksum does not fit")
    try:
        why = _false(line, settings)
    except BlockwitError as error:
        why = str(error)
    if why:
        raise SolutionError(why)
    record = line.fields()
    del record["check"]
    return record


def nmbr9_deck(seed: int, cards: int) -> list[int]:
    """Return the deck of a seed."""
    return random.Random(seed).sample(sorted([*range(10), *range(10)]), cards)


def _false(line: _Line, settings: Mapping[str, Any]) -> str:
    """Say what a record claims and is not so; empty if nothing."""
    if isinstance(line, Nmbr9Line):
        deck = "".join(map(str, nmbr9_deck(line.seed, settings["cards"])))
        position: Position = games.get("nmbr9").parse(f"- {deck}", {})
        if line.position != position.fen():
            return f"the position of seed {line.seed} is {position.fen()}, not {quote(line.position)}"
        if line.value is None:
            return "no line, and proven" if line.proven or line.line else ""
        return _wrong_end(_played(position, line.line, None), line.value, line.bound, proven=line.proven)
    if isinstance(line, NumberDropLine):
        position = games.get("numberdrop").start({"solo": True})
        if line.position != position.fen():
            return f"the position is {position.fen()}, not {quote(line.position)}"
        return _wrong_end(_played(position, line.line, line.chances), line.value, line.bound, proven=line.proven)
    assert isinstance(line, DeblockleLine)
    position = games.get("deblockle").parse(line.position, {})
    tokens = set(position.tokens())
    if not tokens.issuperset(line.best):
        return f"{quote(next(move for move in line.best if move not in tokens))} is no move of the position"
    return "" if line.proven and line.value == line.bound else "what the tables say is always proven"


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
