"""Threads that the system refuses: what was asked for goes on with those that there are, and says so."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from blockwit import jobs
from blockwit.client import Engine
from blockwit.errors import EngineDiedError
from blockwit.protocol.session import Session
from blockwit.search.cpsat import solving

LIMITED = """
import resource, threading
from blockwit import _alphabeta, _deblockle
from blockwit.protocol.session import Session
lines, answered = [], threading.Semaphore(0)
def sink(line):
    lines.append(line)
    if line.startswith("bestmove"):
        answered.release()
session = Session(sink)
for line in ("position fen c1SLX,e1LTX,c3XLT c5XLT,e5CLS,c7THX s", "go depth 2"):
    session.handle(line)
assert answered.acquire(timeout=60)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (160 << 20), size + (160 << 20)))
session.handle("setoption name Hash value 1")
session.handle("setoption name Threads value 64")
for _ in range(3):
    session.handle("go depth 5")
    assert answered.acquire(timeout=60), lines
session.close()
print(*lines, sep="\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a limit of address space that is obeyed")
def test_a_search_runs_with_the_threads_it_gets_and_says_so_once() -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sum(line.startswith("bestmove ") and "(none)" not in line for line in lines) == 4
    notes = [line for line in lines if line.endswith("of 64 threads: the system gives no more")]
    assert len(notes) == 1
    assert notes[0].startswith("info string ")
    assert not [line for line in lines if "error" in line]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let only as many threads live at a time as the list's one number says."""
    most = [0]
    living: list[threading.Thread] = []
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        living[:] = [other for other in living if other.is_alive()]
        if len(living) >= most[0]:
            raise RuntimeError("can't start new thread")
        start(thread)
        living.append(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    return most


@pytest.mark.parametrize(("given", "expected"), [(0, 0), (3, 3), (9, 5)])
def test_threads_that_can_be_had_are_counted(refused: list[int], given: int, expected: int) -> None:
    refused[0] = given
    assert jobs.startable(5) == expected


@pytest.mark.parametrize("given", [0, 2])
def test_work_is_done_by_whoever_is_there(refused: list[int], given: int) -> None:
    refused[0] = given
    with jobs.threads(5) as pool:
        assert list(pool.map(abs, range(-50, 0))) == list(range(50, 0, -1))
        assert isinstance(pool, jobs.Inline) == (given == 0)


def test_no_thread_for_a_search_is_an_answer(refused: list[int]) -> None:
    said: list[str] = []
    session = Session(said.append)
    session.handle("position fen c1SLX,e1LTX c5XLT,e5CLS s")
    session.handle("go infinite")
    assert [line for line in said if "no thread for the search" in line]
    assert said[-1] == "bestmove (none)"
    refused[0] = 5
    session.handle("isready")
    session.handle("setoption name Seed value 2")
    assert not [line for line in said if "is running" in line]
    session.close()


def test_no_thread_for_a_client_is_one_line(refused: list[int]) -> None:
    refused[0] = 0
    with pytest.raises(EngineDiedError, match="needs a thread"):
        Engine()


def test_the_solver_is_not_begun_without_threads(refused: list[int]) -> None:
    assert solving.loaded(solving.never)
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    model.maximize(model.new_int_var(0, 5, "x"))
    refused[0] = 3
    assert not solving.solve(model, 5.0, 2).found
