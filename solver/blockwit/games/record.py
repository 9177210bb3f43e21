"""Records of games: one text format for all of them, in the shape of chess's PGN (docs/records.md).

A file holds any number of games. Each is a block of tags, an empty line, and its moves with dice, draws and rolls as
the protocol writes them; comments stand in braces, what might have been played instead in parentheses, the result
last. Reading checks every move against the rules.
"""

from __future__ import annotations

import datetime
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blockwit import games, reading
from blockwit.errors import BlockwitError, RecordError, quote
from blockwit.games.base import Kind, OptionValue, Position, won_by

MAX_BYTES = 64 << 20
"""Of a file of records: some fifty thousand games."""

MAX_DEPTH = 20
"""Parentheses within parentheses."""

WIDTH = 100
OPEN = "*"
"""The result of a game that is not over."""

_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*')
_PARTS = re.compile(r"\{(?P<comment>[^}]*)\}|(?P<open>\()|(?P<close>\))|(?P<word>[^\s(){}]+)")
_NUMBER = re.compile(r"\d+\.+")
_ANNOTATION = re.compile(r"\[%(\w+)\s+([^\]]*)\]")
_CLOCK = re.compile(r"(\d{1,5}):(\d\d):(\d\d(?:\.\d{1,3})?)")
_RESULT = re.compile(r"\*|draw|(?:p[1-6])+win")


@dataclass(frozen=True)
class Entry:
    """One move or event of chance.

    Attributes:
        token: as in the protocol.
        comment: for people.
        clock: seconds that its player had left after it, None where no clock ran.
        score: what an engine thought of the position after it, in the game's unit, for the first player.
        variations: lines that might have been played instead of it.
    """

    token: str
    comment: str = ""
    clock: float | None = None
    score: float | None = None
    variations: tuple[tuple[Entry, ...], ...] = ()


@dataclass(frozen=True)
class Record:
    """One game.

    Attributes:
        game: its name.
        rules: the rule options that are not at their defaults.
        start: the position string it began with, empty for the usual start.
        players: their names, with the settings of engines.
        entries: what was played, in order.
        result: `p1win`, `draw`, `p1p3win`..., `*` for a game that is not over.
        tags: all others, in order (`Date`, `Event`, `Seed`...).
    """

    game: str
    entries: tuple[Entry, ...]
    result: str = OPEN
    rules: Mapping[str, OptionValue] = field(default_factory=dict)
    start: str = ""
    players: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def moves(self) -> tuple[str, ...]:
        """The tokens of what was played."""
        return tuple(entry.token for entry in self.entries)

    def first(self) -> Position:
        """Return the position it began with. Raises BlockwitError."""
        game = games.get(self.game)
        return game.parse(self.start, self.rules) if self.start else game.start(self.rules)

    def positions(self) -> Iterator[Position]:
        """Yield the position before each move, and the last one.

        Raises:
            RecordError: a move that is not legal where it comes, or one after the end.
        """
        position = self.first()
        yield position
        for number, entry in enumerate(self.entries, 1):
            try:
                position = position.play(entry.token)
            except BlockwitError as error:
                raise RecordError(f"move {number}: {error}") from None
            yield position


def result_of(position: Position) -> str:
    """Return how a game stands: `p1win`, `draw` when all share, the winners joined, `*` while it goes on."""
    return won_by(position.returns()) if position.kind() is Kind.TERMINAL else OPEN


def today() -> str:
    """Return the date as the tag `Date` has it."""
    return datetime.datetime.now(datetime.UTC).date().strftime("%Y.%m.%d")


# --- writing --------------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """Return a record as text: tags, an empty line, moves, an empty line."""
    tags = {"Game": record.game}
    if record.rules:
        tags["Rules"] = " ".join(f"{name}={_option(value)}" for name, value in record.rules.items())
    if record.start:
        tags["Position"] = record.start
    tags |= {f"Player{number}": name for number, name in enumerate(record.players, 1)}
    tags |= {name: value for name, value in record.tags.items() if name not in tags}
    tags["Result"] = record.result
    head = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())
    words = [*_line(record.entries, 1), record.result]
    body = "\n".join(textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False))
    return f"{head}\n{body}\n\n"


def _option(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def _line(entries: Iterable[Entry], number: int) -> Iterator[str]:
    for at, entry in enumerate(entries, number):
        yield f"{at}. {entry.token}"
        notes = []
        if entry.clock is not None:
            # Rounded first: 59.96 seconds are a minute, not sixty seconds.
            tenths = round(entry.clock * 10)
            minutes, left = divmod(tenths, 600)
            notes.append(f"[%clk {minutes // 60}:{minutes % 60:02d}:{left / 10:04.1f}]")
        if entry.score is not None:
            notes.append(f"[%eval {entry.score:g}]")
        if entry.comment:
            notes.append(" ".join(entry.comment.split()).replace("{", "(").replace("}", ")"))
        if notes:
            yield "{" + " ".join(notes) + "}"
        for variation in entry.variations:
            yield f"({' '.join(_line(variation, at))})"


# --- reading --------------------------------------------------------------------------------------------------------


def read(path: Path) -> list[Record]:
    """Read a file of records, every move checked.

    Raises:
        RecordError: it cannot be read; the line names the file, the game, the move and the reason.
    """
    try:
        return list(parse(reading.text(path, RecordError, MAX_BYTES)))
    except RecordError as error:
        text = str(error)
        raise error if text.startswith(str(path)) else RecordError(f"{path}: {text}") from None


def parse(text: str) -> Iterator[Record]:
    """Yield the records of a text, every move checked. Raises RecordError that names game, move and reason."""
    at, number = _skipped(text, 0), 0
    while at < len(text):
        number += 1
        try:
            record, at = _record(text, at)
        except BlockwitError as error:
            raise RecordError(f"game {number}: {error}") from None
        yield record
        at = _skipped(text, at)


def _record(text: str, at: int) -> tuple[Record, int]:
    """Read one game from `at` on; returns it and where the next one begins."""
    tags: dict[str, str] = {}
    while match := _TAG.match(text, at):
        tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        at = match.end()
    if text.startswith("[", at):
        raise RecordError(f'{quote(text[at:].partition(chr(10))[0])} is no tag, expected [Name "value"]')
    if "Game" not in tags:
        raise RecordError(f"no tag Game, expected one of {', '.join(games.names())}")
    entries, result, at = _moves(text, at)
    declared = tags.get("Result", result)
    if declared != result:
        raise RecordError(f"the tag Result says {quote(declared)}, the moves end with {quote(result)}")
    players: list[str] = []
    while f"Player{len(players) + 1}" in tags:
        players.append(tags[f"Player{len(players) + 1}"])
    own = {"Game", "Rules", "Position", "Result", *(f"Player{n}" for n in range(1, len(players) + 1))}
    game = games.get(tags["Game"])
    options = _options(tags.get("Rules", ""))
    game.read_options(options)
    record = Record(
        game.name,
        tuple(entries),
        result,
        options,
        tags.get("Position", ""),
        tuple(players),
        {name: value for name, value in tags.items() if name not in own},
    )
    _check(record)
    return record, at


def _options(text: str) -> dict[str, OptionValue]:
    options: dict[str, OptionValue] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise RecordError(f"tag Rules: {quote(word)}, expected NAME=VALUE")
        options[name] = value
    return options


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _moves(text: str, at: int) -> tuple[list[Entry], str, int]:
    """Read moves up to the result; returns them, the result, and where the next game begins."""
    # One list for the main line, and one more for each parenthesis that is open.
    lines: list[list[Entry]] = [[]]
    while True:
        at = _skipped(text, at)
        match = _PARTS.match(text, at)
        if match is None:
            where = f"after move {len(lines[0])}"
            if at >= len(text):
                raise RecordError(f"{where}: the result is missing, expected *, draw, p1win or the like")
            raise RecordError(f"{where}: {quote(text[at])} without its partner")
        at = match.end()
        line = lines[-1]
        if match["comment"] is not None:
            if line:
                line[-1] = _annotated(line[-1], match["comment"])
        elif match["open"]:
            if not line or len(lines) > MAX_DEPTH:
                raise RecordError(f"after move {len(lines[0])}: a parenthesis where no line can begin")
            lines.append([])
        elif match["close"]:
            if len(lines) == 1 or not line:
                raise RecordError(f"after move {len(lines[0])}: a parenthesis that ends no line")
            lines.pop()
            entry = lines[-1][-1]
            lines[-1][-1] = _with(entry, variations=(*entry.variations, tuple(line)))
        elif _RESULT.fullmatch(match["word"]) and len(lines) == 1:
            return lines[0], match["word"], at
        elif not _NUMBER.fullmatch(match["word"]):
            line.append(Entry(match["word"]))


def _with(entry: Entry, **changes: object) -> Entry:
    return Entry(**{**vars(entry), **changes})


def _annotated(entry: Entry, comment: str) -> Entry:
    """Return an entry with what a comment says: clock and score as PGN files have them, the rest for people."""
    changes: dict[str, object] = {}
    for name, value in _ANNOTATION.findall(comment):
        if name == "clk" and (match := _CLOCK.fullmatch(value.strip())):
            changes["clock"] = int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])
        elif name == "eval" and re.fullmatch(r"-?\d{1,6}(\.\d{1,6})?", value.strip()):
            changes["score"] = float(value)
    said = " ".join(_ANNOTATION.sub("", comment).split())
    if said:
        changes["comment"] = f"{entry.comment} {said}".strip()
    return _with(entry, **changes)


def _check(record: Record) -> None:
    """Play a record through, its variations too. Raises RecordError."""
    positions = list(record.positions())
    for number, (position, entry) in enumerate(zip(positions, record.entries, strict=False), 1):
        _check_variations(position, entry, number)
    reached = result_of(positions[-1])
    if reached not in (OPEN, record.result):
        raise RecordError(f"after move {len(record.entries)}: the game is {reached} by the rules, not {record.result}")


def _check_variations(position: Position, entry: Entry, number: int) -> None:
    for variation in entry.variations:
        at = position
        for offset, other in enumerate(variation):
            _check_variations(at, other, number + offset)
            try:
                at = at.play(other.token)
            except BlockwitError as error:
                raise RecordError(f"move {number}, a variation, its move {offset + 1}: {error}") from None
