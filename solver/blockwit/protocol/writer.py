"""Writes the lines of the protocol, answers and `go`. Pure: dataclasses in, lines out."""

from __future__ import annotations

from collections.abc import Sequence

from blockwit.errors import quote
from blockwit.protocol.parser import GoCommand
from blockwit.search.types import Info, Result

SHOWN = 5
"""Unknown words that a note names."""


def info_line(info: Info) -> str:
    """Return the `info` line of a report."""
    if info.note and info == Info(note=info.note):
        return f"info string {info.note}"
    parts = ["info"]
    if info.depth:
        parts.append(f"depth {info.depth}")
    if info.seldepth:
        parts.append(f"seldepth {info.seldepth}")
    if info.score is not None or info.pv:
        parts.append(f"multipv {info.multipv}")
    if info.score is not None:
        parts.append(f"score {info.score}")
    if info.bound is not None:
        parts.append(f"bound cp {info.bound}")
    if info.wdl is not None:
        parts.append("wdl {} {} {}".format(*info.wdl))
    parts.append(f"nodes {info.nodes} nps {info.nodes * 1000 // max(info.time, 1)} time {info.time}")
    if info.hashfull is not None:
        parts.append(f"hashfull {info.hashfull}")
    if info.tbhits is not None:
        parts.append(f"tbhits {info.tbhits}")
    if info.pv:
        parts.append("pv " + " ".join(info.pv))
    if info.note:
        parts.append(f"string {info.note}")
    return " ".join(parts)


def bestmove_line(result: Result) -> str:
    """Return the `bestmove` line of a result."""
    if result.move is None:
        return "bestmove (none)"
    return f"bestmove {result.move}" + (f" ponder {result.ponder}" if result.ponder else "")


def note_line(unknown: Sequence[str]) -> str:
    """Return the line that names the words of a `go` that were passed over."""
    shown = ", ".join(quote(word) for word in unknown[:SHOWN])
    more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
    return f"info string note: go: passed over {shown}{more}"


def error_line(error: Exception) -> str:
    """Return the one line that reports an error."""
    return "info string error: " + " ".join(str(error).split())


def go_line(command: GoCommand) -> str:
    """Return the `go` line that `parser.read_go` reads as `command`."""
    if command.perft is not None:
        return f"go perft {command.perft}"
    limits = command.limits
    parts = ["go"]
    for name in ("depth", "nodes", "movetime", "movestogo", "mate"):
        value = getattr(limits, name)
        if value is not None:
            parts.append(f"{name} {value}")
    parts += [f"time {player + 1} {clock}" for player, clock in sorted(command.clocks.items())]
    for player, increment in sorted(command.increments.items()):
        # UCI has words for two players only.
        parts.append(f"{('winc', 'binc')[player] if player < 2 else f'p{player + 1}inc'} {increment}")
    parts += [flag for flag in ("infinite", "ponder") if getattr(limits, flag)]
    if limits.searchmoves:
        parts.append("searchmoves " + " ".join(limits.searchmoves))
    return " ".join(parts)


def bug_line(error: Exception) -> str:
    """Return the one line that reports what should not have happened."""
    return f"info string error: internal: {type(error).__name__}: " + " ".join(str(error).split())
