"""A person at the table: scripted input against the engine."""

from __future__ import annotations

import io
from collections.abc import Iterator

from blockwit import games, search
from blockwit.arena.play import Sitting
from blockwit.client import Engine
from blockwit.games.base import Kind, Position
from rich.console import Console

FEN = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"


def sit(start: Position, typed: list[str], person: set[int]) -> tuple[Sitting, str]:
    out = io.StringIO()
    lines: Iterator[str] = iter(typed)

    def ask(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    console = Console(file=out, width=120, highlight=False)
    with Engine() as engine:
        sitting = Sitting(start, frozenset(person), engine, search.Limits(depth=2), console, ask, 7)
        sitting.run()
    return sitting, out.getvalue()


def test_moves_errors_hint_and_undo() -> None:
    start = games.get("deblockle").parse(FEN, {})
    sitting, out = sit(start, ["c3c4", "zz", "hint", "help", "fen", "c1b1c2", "undo"], {0})
    assert "the block must hop" in out
    assert "not a move" in out
    assert "Hint:" in out
    assert "undo, moves" in out
    assert FEN in out
    assert "Engine plays" in out
    assert "c1 west: x" in out
    assert sitting.position == start


def test_undo_at_the_start_changes_nothing() -> None:
    start = games.get("deblockle").parse(FEN, {})
    sitting, out = sit(start, ["undo"], {0})
    assert "Nothing to take back" in out
    assert sitting.position == start


def test_real_dice_and_engine_dice() -> None:
    start = games.get("deblockle").start({})
    sitting, _ = sit(start, ["roll:XLCH"], {0})
    assert sitting.position.fen() == "- - s 0 setup:4v4:CXLH"
    sitting, _ = sit(start, [""], {0})
    assert sitting.position.kind() is Kind.DECISION


def test_engine_alone_plays_to_the_end() -> None:
    start = games.get("deblockle").parse("d1XLT d7XLT s", {})
    sitting, out = sit(start, [], set())
    assert sitting.position.kind() is Kind.TERMINAL
    assert str(sitting.position.result()) in out
