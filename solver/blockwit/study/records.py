"""The lines of a benchmark file, and the card beside it. docs/benchmarks.md has the format.

A record is not believed for its checksum alone: its position is drawn from the seed again, its line is replayed by the
rules, and what it says of value, bound and proof has to agree with that. What cannot be checked without computing the
record anew is the bound of a long search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, ValidationError

from blockwit import reading, writing
from blockwit.errors import BlockwitError, OptionError, SolutionError, WrongClaimError
from blockwit.models import ENGINE, Model, read
from blockwit.study.puzzles.benchmarks import VERSION, Line, Record, Source, source

MOST_BYTES = 1 << 28
"""Bytes of the longest file that is compared with its card."""


class _Named(Model):
    """The part of a line that says what the rest of it is."""

    model_config = ConfigDict(extra="ignore")

    version: int
    kind: str = ""
    format: str = ""


class Card(Model):
    """What stands beside a file of records, in `FILE.card.json`."""

    format: Literal["blockwit-benchmark-card"]
    version: Literal[3]
    file: str
    kind: str
    settings: dict[str, int | float]
    records: int
    proven: int
    engines: list[str]
    sha256: str
    made: str


def record_line(kind: str, settings: Mapping[str, Any], record: Record) -> str:
    """Return the line of a record; one that was not read from a file is by this program."""
    fields = {"version": VERSION, "kind": kind, "engine": ENGINE, **settings, **record}
    return source(kind).line(**fields).sealed().to_line()


def read_line(text: str) -> tuple[Source, Line]:
    """Read and check the line of a record of any kind. Raises SolutionError."""
    named = read(_Named, text, SolutionError)
    if named.version != VERSION:
        raise SolutionError(f"a benchmark of version {named.version}, expected {VERSION}: make the file anew")
    try:
        of = source(named.kind)
    except OptionError as error:
        raise SolutionError(f"kind: {error}") from None
    line = read(of.line, text, SolutionError)
    if not line.whole():
        raise WrongClaimError(f"seed {line.seed}: not as it was written, its checksum does not fit")
    try:
        why = of.fault(line, of.settings(named.kind, of.settings_of(line)))
    except BlockwitError as error:
        why = str(error)
    if why:
        raise WrongClaimError(f"seed {line.seed}: {why}")
    return of, line


def read_record(text: str, kind: str, settings: Mapping[str, Any]) -> Record:
    """Read and check the line of a record with these settings. Raises SolutionError."""
    of, line = read_line(text)
    if (line.kind, of.settings_of(line)) != (kind, settings):
        was = ", ".join(f"{name} {value}" for name, value in of.settings_of(line).items())
        raise SolutionError(f"begun for something else: {line.kind}, {was}")
    record = line.fields()
    del record["check"]
    return record


def read_file(path: Path) -> list[tuple[Source, Line]]:
    """Read and check a finished file: all of its records, and what its card says if it has one.

    Raises:
        SolutionError: anything that is not so, with the number of the line.
    """
    check_card(path)
    return list(_lines(path))


def _lines(path: Path) -> Iterator[tuple[Source, Line]]:
    kinds = set()
    for number, text, _ in reading.lines(path, SolutionError):
        try:
            of, line = read_line(text)
            kinds.add((line.kind, *of.settings_of(line).values()))
            if len(kinds) > 1:
                raise SolutionError(f"seed {line.seed}: of another kind or other settings than the lines before")
        except SolutionError as error:
            raise type(error)(f"{path}: line {number}: {error}") from None
        yield of, line


def is_benchmark(text: str) -> bool:
    """Tell whether the first line of a file is one of a benchmark, of whatever version."""
    try:
        named = _Named.model_validate_json(text)
    except (ValidationError, UnicodeEncodeError):
        return False
    return bool(named.kind) or named.format == "blockwit-benchmark"


def card_path(path: Path) -> Path:
    """Return where the card of a file lies."""
    return path.with_name(f"{path.stem}.card.json")


def write_card(path: Path, kind: str, settings: Mapping[str, Any], records: list[Record], made: str) -> None:
    """Write the card of a file. Raises OSError."""
    card = Card(
        format="blockwit-benchmark-card",
        version=VERSION,
        file=path.name,
        kind=kind,
        settings=dict(settings),
        records=len(records),
        proven=sum(record["proven"] for record in records),
        engines=sorted({record.get("engine", ENGINE) for record in records}),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        made=made,
    )
    writing.write(card_path(path), card.model_dump_json(indent=1) + "\n")


def check_card(path: Path) -> None:
    """Compare a file with its card, if it has one. Raises SolutionError."""
    beside = card_path(path)
    if not beside.exists():
        return
    card = read(Card, reading.text(beside, SolutionError), SolutionError, str(beside))
    if card.sha256 != hashlib.sha256(reading.data(path, SolutionError, MOST_BYTES)).hexdigest():
        for _ in _lines(path):
            """A record that is not right is named first."""
        raise WrongClaimError(f"{path}: not the file that {beside.name} describes, its checksum does not fit")
