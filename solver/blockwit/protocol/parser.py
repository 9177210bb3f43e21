"""Reads the commands of the protocol. Pure: text in, dataclasses out, CommandError for what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from blockwit.errors import CommandError, quote
from blockwit.search.types import Limits

MAX_NUMBER = 10**15
MAX_TIME = 10**12
"""Milliseconds; more is read as this much (32 years)."""
MAX_PERFT = 50
MAX_DEPTH = 1000
"""Plies or turns; more is read as this many."""
MAX_MOVES = 10_000
"""Moves after a position: bounds the work that one line can ask for."""
MAX_SEARCHMOVES = 1000
"""As many as `query legal` lists at once."""


@dataclass(frozen=True)
class PositionCommand:
    """`position startpos|fen ... [moves ...]`; `fen` is None for startpos."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True)
class GoCommand:
    """`go ...`. Clocks by 0-based player; `perft` excludes everything else; `unknown` are the words passed over."""

    limits: Limits
    clocks: dict[int, int]
    increments: dict[int, int]
    perft: int | None = None
    unknown: tuple[str, ...] = ()


def number(name: str, text: str | None, low: int, high: int = MAX_NUMBER) -> int:
    """Read a whole number. Raises CommandError with the name of the parameter and the range."""
    if text is None:
        raise CommandError(f"{name}: a number is missing")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and low <= int(text) <= high):
        raise CommandError(f"{name}: expected a whole number from {low} to {high}, got {quote(text)}")
    return int(text)


def read_position(words: Sequence[str]) -> PositionCommand:
    """Read the words after `position`."""
    if not words:
        raise CommandError("position: expected startpos or fen")
    split = words.index("moves") if "moves" in words else len(words)
    moves = tuple(words[split + 1 :])
    if len(moves) > MAX_MOVES:
        raise CommandError(f"position: expected at most {MAX_MOVES} moves, got {len(moves)}")
    if words[0] == "startpos":
        if split > 1:
            raise CommandError(f"position: expected moves after startpos, got {quote(words[1])}")
        return PositionCommand(None, moves)
    if words[0] == "fen":
        if split == 1:
            raise CommandError("position: a position string is missing after fen")
        return PositionCommand(" ".join(words[1:split]), moves)
    raise CommandError(f"position: expected startpos or fen, got {quote(words[0])}")


def read_setoption(words: Sequence[str]) -> tuple[str, str | None]:
    """Read the words after `setoption`; names and values may hold spaces."""
    if not words or words[0] != "name":
        raise CommandError("setoption: expected name NAME [value VALUE]")
    split = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:split])
    if not name:
        raise CommandError("setoption: the name is missing")
    return name, " ".join(words[split + 1 :]) if split < len(words) else None


_CLOCKS = {"wtime": ("time", 0), "btime": ("time", 1), "winc": ("inc", 0), "binc": ("inc", 1)}
_CLOCK = re.compile(r"p([1-9])(time|inc)")
_LOWEST = {"depth": 1, "nodes": 1, "mate": 1, "movetime": -MAX_NUMBER, "movestogo": -MAX_NUMBER, "perft": 0}
_HIGHEST = {"movetime": MAX_TIME, "nodes": MAX_NUMBER}


def _clock(word: str, players: int) -> tuple[str, int] | None:
    """Return whether a word names a player's `time` or `inc`, and whose: UCI's wtime, UGI's p1time and their like."""
    match = _CLOCK.fullmatch(word)
    if match is not None and int(match[1]) <= players:
        return match[2], int(match[1]) - 1
    return _CLOCKS.get(word)


def read_go(words: Sequence[str], players: int) -> GoCommand:
    """Read the words after `go`. With no limit at all the search is infinite; `infinite` beside a limit adds none.

    Words that mean nothing here are passed over, as UCI has it. `movestogo` below 1 says nothing: some front ends
    write 0 where the clock is for the whole game.
    """
    values: dict[str, int] = {}
    clocks: dict[int, int] = {}
    increments: dict[int, int] = {}
    flags: set[str] = set()
    unknown: list[str] = []
    searchmoves: tuple[str, ...] = ()
    at = 0

    def argument() -> str | None:
        nonlocal at
        at += 1
        return words[at] if at < len(words) else None

    while at < len(words):
        word = words[at]
        clock = _clock(word, players)
        if word in ("infinite", "ponder"):
            flags.add(word)
        elif word in _LOWEST:
            values[word] = min(number(f"go {word}", argument(), _LOWEST[word]), _HIGHEST.get(word, MAX_DEPTH))
        elif clock is not None:
            kind, player = clock
            value = min(number(f"go {word}", argument(), -MAX_NUMBER), MAX_TIME)
            (clocks if kind == "time" else increments)[player] = value
        elif word == "time":
            player = number("go time", argument(), 1, players) - 1
            clocks[player] = min(number("go time", argument(), -MAX_NUMBER), MAX_TIME)
        elif word == "searchmoves":
            searchmoves = tuple(words[at + 1 :])
            if not searchmoves:
                raise CommandError("go searchmoves: a move is missing")
            if len(searchmoves) > MAX_SEARCHMOVES:
                raise CommandError(f"go searchmoves: expected at most {MAX_SEARCHMOVES}, got {len(searchmoves)}")
            break
        else:
            unknown.append(word)
        at += 1
    movestogo = values.pop("movestogo", 0)
    if "perft" in values:
        if len(values) > 1 or clocks or increments or flags or searchmoves or movestogo > 0:
            raise CommandError("go perft: takes no other limit")
        depth = number("go perft", str(values["perft"]), 0, MAX_PERFT)
        return GoCommand(Limits(), {}, {}, depth, tuple(unknown))
    limited = values or clocks or "ponder" in flags
    limits = Limits(
        depth=values.get("depth"),
        nodes=values.get("nodes"),
        movetime=values.get("movetime"),
        movestogo=movestogo if movestogo > 0 else None,
        mate=values.get("mate"),
        infinite=not limited,
        ponder="ponder" in flags,
        searchmoves=searchmoves,
    )
    return GoCommand(limits, clocks, increments, None, tuple(unknown))
