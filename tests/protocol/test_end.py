"""The end of the engine process: every way to go, in the middle of every kind of search, leaves nothing behind."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest
from blockwit.protocol import stdio

from bench.killed import SEARCHES, WAYS, LeftError, end_engine
from tests.protocol.conversation import SECONDS

SLOW = ("optimizer", "known deck")
"""It takes them seconds to get to CP-SAT."""


@pytest.mark.parametrize("search", [name for name in SEARCHES if name not in SLOW])
def test_every_search_ends_with_its_client(search: str, tmp_path: Path) -> None:
    rng = random.Random(search)
    for way in rng.sample(WAYS, 3):
        assert end_engine(search, way, 0.05, tmp_path)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_ends_a_search(way: str, tmp_path: Path) -> None:
    assert end_engine("alphabeta", way, 0.1, tmp_path)


def test_an_optimizer_in_cp_sat_ends_with_its_client(tmp_path: Path) -> None:
    assert end_engine("optimizer", "output", 4.0, tmp_path)


def test_an_opponent_that_goes_on_thinking_ends_with_its_client(tmp_path: Path) -> None:
    """It is down to the last two placements by then, and has nothing new to say."""
    assert end_engine("opponent", "output", 0.5, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("search", SLOW)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_ends_an_optimizer(search: str, way: str, tmp_path: Path) -> None:
    assert end_engine(search, way, 8.0, tmp_path)


def test_engines_ended_before_they_speak_leave_nothing(tmp_path: Path) -> None:
    rng = random.Random(1)
    for way in WAYS:
        end_engine("alphabeta", way, -0.2 * rng.random(), tmp_path)


def test_what_is_left_is_found(tmp_path: Path) -> None:
    (tmp_path / "forgotten").touch()
    with pytest.raises(LeftError, match="forgotten"):
        end_engine("nothing", "quit", 0, tmp_path)


@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM"])
def test_a_signal_is_a_quit(signal_name: str) -> None:
    """The search that is under way still gives its move."""
    with subprocess.Popen(
        [sys.executable, "-m", "blockwit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{SEARCHES['alphabeta']}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"info depth 1")
        process.send_signal(signal.Signals[signal_name])
        rest = process.stdout.read().splitlines()
        assert process.wait(SECONDS) == 0
        assert [line.split()[0] for line in rest].count(b"bestmove") == 1


@pytest.mark.parametrize("wait", [0.3, 3.0])
def test_an_interrupt_ends_a_search_in_cp_sat_with_its_move(wait: float) -> None:
    """The solver has a handler of its own for it, which is switched off; it is not left running at the end either."""
    with subprocess.Popen(
        [sys.executable, "-m", "blockwit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        lines = (
            "setoption name UCI_Variant value nmbr9",
            "isready",
            "position fen - 0123456789012",
            "go infinite",
            "isready",
        )
        process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        process.stdin.flush()
        while not process.stdout.readline().endswith(b"string beam\n"):
            assert process.poll() is None
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().splitlines()
        assert process.wait(SECONDS) == 0
        assert process.stderr.read() == b""
        assert [line.split()[0] for line in rest].count(b"bestmove") == 1


@pytest.mark.parametrize("lines", [f"{SEARCHES['alphabeta']}\n", "help\n" * 50], ids=["search", "command"])
@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM"])
def test_a_signal_ends_an_engine_that_nobody_reads(lines: str, signal_name: str) -> None:
    """Its pipe is full, and the thread that writes sleeps on it: at the first signal it gives up."""
    with subprocess.Popen(
        [sys.executable, "-m", "blockwit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pipesize=4096,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(lines.encode())
        process.stdin.flush()
        filled, still = 0, 0
        while still < 10:
            time.sleep(0.1)
            (now,) = struct.unpack("i", fcntl.ioctl(process.stdout, termios.FIONREAD, b"\0" * 4))
            filled, still = now, still + 1 if now and now == filled else 0
            assert process.poll() is None
        process.send_signal(signal.Signals[signal_name])
        assert process.wait(SECONDS) == 0
        assert process.stderr.read() == b""


def test_a_client_that_reads_late_gets_all() -> None:
    reading, writing = os.pipe()
    bell, ring = os.pipe()
    output = stdio._Output(writing, bell)
    data = bytes(range(256)) * 2000
    got = bytearray()

    def read() -> None:
        time.sleep(0.2)
        while len(got) < len(data):
            got.extend(os.read(reading, 10_000))

    reader = threading.Thread(target=read)
    reader.start()
    os.write(ring, b"!")
    output.write(data)
    reader.join(SECONDS)
    assert got == data
    with pytest.raises(BrokenPipeError):
        output.write(data)
    for descriptor in (reading, writing, bell, ring):
        os.close(descriptor)


@pytest.mark.parametrize("sent", [b"", b"half a li", b"one\ntwo\n"])
def test_an_end_before_the_wait_for_a_line_is_heard(sent: bytes) -> None:
    reading, writing = os.pipe()
    os.write(writing, sent)
    source = stdio._Input(reading)
    if b"\n" in sent:
        assert source.readline(100) == b"one\n"
    source.end()
    source.end()
    assert source.readline(100) == b""
    os.close(writing)
    os.close(reading)


def test_lines_come_whole_or_as_long_as_asked_for() -> None:
    reading, writing = os.pipe()
    source = stdio._Input(reading)
    os.write(writing, b"one\n\nlonger\nlast")
    os.close(writing)
    assert [source.readline(4) for _ in range(7)] == [b"one\n", b"\n", b"long", b"er\n", b"last", b"", b""]
    os.close(reading)
