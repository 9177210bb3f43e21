"""The lines of a benchmark file: what they hold, and that it is true. docs/benchmarks.md has the format.

A record is not believed for its checksum alone: its position is drawn from the seed again, its line is replayed by the
rules, and what it says of value, bound and proof has to agree with that. What cannot be checked without computing the
record anew is the bound of a long search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from blockwit.errors import BlockwitError, SolutionError, quote
from blockwit.models import ENGINE, Model, read
from blockwit.study.puzzles.benchmarks import Record, source

FORMAT: Literal["blockwit-benchmark"] = "blockwit-benchmark"
VERSION: Literal[2] = 2


class Head(Model):
    """The first line."""

    format: Literal["blockwit-benchmark"]
    version: Literal[2]
    game: str
    settings: dict[str, int | float]
    engine: str = Field(description="the program that wrote the file last")


def head_line(game: str, settings: Mapping[str, Any]) -> str:
    """Return the first line of a file."""
    return Head(format=FORMAT, version=VERSION, game=game, settings=dict(settings), engine=ENGINE).model_dump_json()


def record_line(game: str, settings: Mapping[str, Any], record: Record) -> str:
    """Return the line of a record; one that was not read from a file is by this program."""
    line = source(game).line(**{"engine": ENGINE, **record})
    return line.sealed({"game": game, "settings": settings}).to_line()


def read_head(text: str, game: str, settings: Mapping[str, Any]) -> None:
    """Check the first line of a file. Raises SolutionError; another version of the program may have written it."""
    head = read(Head, text, SolutionError)
    if (head.game, head.settings) != (game, settings):
        raise SolutionError(f"begun for something else: {quote(text, 200)}")


def read_record(text: str, game: str, settings: Mapping[str, Any]) -> Record:
    """Read and check the line of a record. Raises SolutionError."""
    line = read(source(game).line, text, SolutionError)
    if not line.whole({"game": game, "settings": settings}):
        raise SolutionError("not as it was written, its checksum does not fit")
    try:
        why = source(game).fault(line, settings)
    except BlockwitError as error:
        why = str(error)
    if why:
        raise SolutionError(why)
    record = line.fields()
    del record["check"]
    return record
