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


def sit(start: Position, typed: list[str], person: set[int], skill: int = 20) -> tuple[Sitting, str]:
    out = io.StringIO()
    lines: Iterator[str] = iter(typed)

    def ask(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    console = Console(file=out, width=120, highlight=False)
    with Engine(options={"Skill": skill, "Seed": 2}) as engine:
        sitting = Sitting(start, frozenset(person), engine, search.Limits(depth=2), console, ask, 7, skill)
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


def test_hint_is_the_full_engines_and_the_opponent_stays_weak() -> None:
    start = games.get("deblockle").parse(FEN, {})
    with Engine() as engine:
        engine.position(FEN)
        best = engine.go(search.Limits(depth=2)).move
        engine.set_option("Skill", 1)
        engine.set_option("Seed", 2)
        weak = engine.go(search.Limits(depth=2)).move
        engine.position(FEN, ["c1b1c2"])
        reply = engine.go(search.Limits(depth=2)).move
        engine.set_option("Skill", 20)
        assert engine.go(search.Limits(depth=2)).move != reply
    assert best != weak
    _, out = sit(start, ["hint", "c1b1c2"], {0}, skill=1)
    assert f"Hint: {best}" in out
    assert f"Engine plays {reply}" in out


def test_no_hint_at_a_roll() -> None:
    start = games.get("deblockle").start({})
    sitting, out = sit(start, ["hint"], {0})
    assert "No hint: the roll decides" in out
    assert "None" not in out
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
