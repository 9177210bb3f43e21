"""What a search needs is loaded before `readyok`, and nothing else: no `go` imports code on the client's time."""

from __future__ import annotations

import subprocess
import sys
import threading
from io import BytesIO

import pytest
from blockwit.errors import TableError
from blockwit.protocol import stdio
from blockwit.protocol.session import Session
from blockwit.search.alphabeta import AlphaBeta

from tests.boards import START
from tests.protocol.conversation import SECONDS

SCRIPT = """
import sys, threading
from blockwit.protocol.session import Session
told = threading.Event()
lines = []
def write(line):
    lines.append(line)
    if line.startswith("bestmove"):
        told.set()
session = Session(write)
*before, go = sys.argv[1:]
for line in before:
    session.handle(line)
loaded = set(sys.modules)
session.handle(go)
assert told.wait(60)
session.close()
assert lines[-1] != "bestmove (none)", lines
print(*sorted(set(sys.modules) - loaded))
print("ortools" in sys.modules)
"""


def loads(*lines: str) -> tuple[list[str], bool]:
    """Return the modules that the last line loads in a process of its own, and whether CP-SAT is there."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *lines], capture_output=True, check=True, text=True, timeout=SECONDS
    )
    late, solver = done.stdout.splitlines()
    return late.split(), solver == "True"


@pytest.mark.parametrize(
    ("position", "go"),
    [
        (f"position fen {START}", "go depth 2"),
        ("position startpos moves roll:XLCH", "go depth 1"),
        ("position fen c1SLX c5XLT s", "go depth 2"),
    ],
)
def test_a_search_of_deblockle_imports_nothing(position: str, go: str) -> None:
    assert loads("uci", "isready", position, go) == ([], False)


@pytest.mark.parametrize(
    ("position", "go"),
    [
        ("position fen - 0123456789012", "go movetime 300"),
        ("position fen - *00112233445566778899/20", "go movetime 300"),
        ("position fen - 3?0123", "go nodes 10"),
    ],
)
def test_a_search_of_nmbr9_imports_nothing(position: str, go: str) -> None:
    assert loads("uci", "setoption name UCI_Variant value nmbr9", "isready", position, go) == ([], True)


def test_another_algorithm_needs_no_solver() -> None:
    chosen = ("setoption name UCI_Variant value nmbr9", "setoption name Algorithm value mcts")
    assert loads(*chosen, "isready", "position fen - 3?0123", "go nodes 10") == ([], False)


def test_a_search_of_number_drop_imports_nothing() -> None:
    chosen = ("setoption name UCI_Variant value numberdrop", "setoption name solo value true")
    assert loads(*chosen, "isready", *["roll"] * 12, "go depth 1") == ([], False)


def test_readyok_comes_at_once_in_mid_search(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    ended = threading.Event()

    def write(line: str) -> None:
        lines.append(line)
        if line.startswith("bestmove"):
            ended.set()

    prepared = 0

    def prepare(*_: object) -> None:
        nonlocal prepared
        prepared += 1

    monkeypatch.setattr(AlphaBeta, "prepare", prepare)
    session = Session(write)
    session.handle("isready")
    assert prepared == 1
    session.handle(f"position fen {START}")
    session.handle("go infinite")
    session.handle("isready")
    assert prepared == 1
    assert lines.count("readyok") == 2
    session.handle("stop")
    assert ended.wait(SECONDS)
    session.close()


def test_readyok_comes_whatever_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(*_: object) -> None:
        raise TableError("damaged")

    monkeypatch.setattr(AlphaBeta, "prepare", prepare)
    sink = BytesIO()
    stdio.run(BytesIO(b"isready\n"), sink)
    assert sink.getvalue() == b"readyok\n"
