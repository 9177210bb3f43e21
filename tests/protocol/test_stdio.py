"""The engine as a process: real pipes, hostile bytes, the end of input, a client that hangs up."""

from __future__ import annotations

import queue
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import BytesIO

import pytest
from blockwit.protocol import stdio

from tests.boards import START, lying, parse
from tests.protocol.conversation import SECONDS

ENGINE = [sys.executable, "-m", "blockwit"]
POSITION = f"position fen {START}\n".encode()


def run(data: bytes) -> list[str]:
    """Give the engine all input at once; return its lines after checking that it ended well and said no more."""
    done = subprocess.run(ENGINE, input=data, capture_output=True, check=False, timeout=SECONDS)
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout == b"" or done.stdout.endswith(b"\n")
    return done.stdout.decode().splitlines()


class Engine:
    """A running engine process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines: list[str] = []
        self._queue: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queue.put(line)

    def send(self, *lines: str | bytes) -> None:
        """Write lines to the engine."""
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()

    def until(self, beginning: str) -> str:
        """Read until a line with this beginning; return it."""
        while True:
            line = self._queue.get(timeout=SECONDS).decode().rstrip("\n")
            self.lines.append(line)
            if line.startswith(beginning):
                return line

    def end(self) -> tuple[int, bytes]:
        """Wait for the process to end; return its exit code and what it said on standard error."""
        code = self.process.wait(SECONDS)
        self._reader.join(SECONDS)
        while not self._queue.empty():
            self.lines.append(self._queue.get().decode().rstrip("\n"))
        assert self.process.stderr is not None
        return code, self.process.stderr.read()

    def close(self) -> None:
        """End the process, whatever it does, and its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Yield a running engine."""
    running = Engine()
    yield running
    running.close()


def moves_of(lines: list[str]) -> list[str]:
    """Return the moves of all bestmove lines."""
    return [line.split()[1] for line in lines if line.startswith("bestmove")]


# --- hostile input ------------------------------------------------------------------------------------------

HOSTILE = [
    (b"\xff\xfe\x00\x01\n", 1),
    (b"\x80\n", 1),
    (b"isready\xc3\n", 1),
    (b"\xed\xa0\x80\n", 1),
    (b"\xf4\x90\x80\x80\n", 1),
    (b"\x00\n", 1),
    (b"\x00" * 1000 + b"\n", 1),
    (b"go\x00depth 1\n", 1),
    (b"x" * (1 << 20) + b"\n", 1),
    (b"\xff" * (1 << 20) + b"\n", 1),
    (b"position fen " + b"d1XLT," * 200_000 + b"\n", 1),
    (b"\x1b[2J\x07\x7f\n", 1),
    ("go depth ٣\n".encode(), 1),
    ("setoption name Hash value \uff11\uff16\n".encode(), 1),
    ("position fen d\uff11XLT d7XLT s\n".encode(), 1),
    ("\u202eisready\n".encode(), 1),
    ("\ufeffisready\n".encode(), 1),
    (b"go depth 99999999999999999999999999999999999999999\n", 1),
    (b"go depth " + b"9" * 100_000 + b"\n", 1),
    (b"setoption name Hash value " + b"9" * 100_000 + b"\n", 1),
    (b"setoption name Seed value 0x10\n", 1),
    (b"query legal 1e9 1\n", 1),
    (b"\n\n\n", 0),
    (b"\r\n \r\n\t\n", 0),
    ("\u00a0\u2003\n".encode(), 0),
]


@pytest.mark.parametrize(("data", "count"), HOSTILE, ids=[f"{n} {data[:20]!r}" for n, (data, _) in enumerate(HOSTILE)])
def test_hostile_line_is_one_error_line(data: bytes, count: int) -> None:
    lines = run(POSITION + data + b"isready\nd\n")
    errors = [line for line in lines if line.startswith("info string error: ")]
    assert len(errors) == count
    assert all(len(line) < 1000 and line.isprintable() for line in errors)
    assert lines[:count] == errors
    answered = sum(line.startswith(b"go ") for line in data.splitlines())
    assert lines[count : count + answered] == ["bestmove (none)"] * answered
    assert lines[count + answered] == "readyok"
    assert lines[-1] == f"Position: {START} 0"


def test_random_bytes_never_end_the_engine() -> None:
    rng = random.Random(2)
    data = b"".join(rng.randbytes(rng.randrange(200)) + b"\n" for _ in range(2000))
    lines = run(data + b"\nisready\n")
    assert lines[-1] == "readyok"
    assert all(line.startswith(("info string error: ", "readyok")) for line in lines)


def test_line_just_short_enough_is_read_and_one_byte_more_is_not() -> None:
    for more, refused in ((0, False), (1, True)):
        word = b"isready" + b" " * (stdio.MAX_LINE - len(b"isready") + more)
        lines = run(word + b"\nisready\n")
        assert lines[-1] == "readyok"
        assert len(lines) == 2
        assert (lines[0] != "readyok") == refused


def test_line_without_end_at_the_end_of_input() -> None:
    assert run(b"isready") == ["readyok"]
    assert run(b"isready\nquit") == ["readyok"]
    assert len(run(b"x" * (1 << 20))) == 1
    assert run(b"") == []


def test_carriage_returns_and_tabs() -> None:
    assert run(b"isready\r\n\tisready\t\r\nposition\tstartpos\r\nquery  turn\r\n") == [
        "readyok",
        "readyok",
        "response chance",
    ]


def test_output_is_ascii_lines_whatever_comes_in() -> None:
    lines = run("go depth \u00e9\n\u4e2d\u6587\n".encode())
    assert lines.pop(1) == "bestmove (none)"
    assert len(lines) == 2
    assert all(line.startswith("info string error: ") for line in lines)


def test_table_too_large_for_the_memory_is_an_error() -> None:
    """In a process with 2 GB of address space: the engine says so and plays on with the one it has."""
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 2000000; exec "$0" -m blockwit', sys.executable],
        input=b"setoption name Hash value 65536\n" + POSITION + b"go depth 2\nstop\nisready\n",
        capture_output=True,
        check=True,
        timeout=SECONDS,
    )
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "info string error: setoption: no room for a hash of 65536 MiB, it stays at 16"
    assert "readyok" in lines
    assert len(moves_of(lines)) == 1


# --- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("go", ["go infinite", "go", "go movetime 1000000", "go ponder", "go depth 60", "go perft 50"])
@pytest.mark.parametrize("last", [b"quit\n", b"stop\nquit\n", b"quit", b""])
def test_end_in_mid_search_gives_one_bestmove(go: str, last: bytes) -> None:
    lines = run(POSITION + go.encode() + b"\n" + last)
    moves = moves_of(lines)
    assert len(moves) == 1
    assert moves[0] in [*parse(START).tokens(), "(none)"]
    assert (moves[0] == "(none)") == ("perft" in go)


def test_nothing_is_read_after_quit() -> None:
    assert run(b"isready\nquit\nisready\n") == ["readyok"]


def test_quit_without_a_search() -> None:
    assert run(b"quit\n") == []


def test_client_that_hangs_up_ends_the_engine(engine: Engine) -> None:
    engine.send(POSITION, "go infinite")
    engine.until("info depth 3")
    assert engine.process.stdout is not None
    assert engine.process.stdin is not None
    engine.process.stdin.close()
    code, said = engine.end()
    assert (code, said) == (0, b"")
    assert len(moves_of(engine.lines)) == 1


def test_closed_output_ends_the_engine_quietly() -> None:
    """The reader goes away in mid-search, then the writer: the engine ends and complains to nobody."""
    with subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(POSITION + b"go infinite\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.close()
        said = process.stderr.read()
        assert process.wait(SECONDS) == 0
        assert said == b""


# --- a conversation -----------------------------------------------------------------------------------------


def test_answers_come_at_once_and_one_by_one(engine: Engine) -> None:
    """Nothing waits in a buffer: every answer is there before the next command is sent."""
    engine.send("uci")
    assert engine.until("uciok") == "uciok"
    engine.send("isready")
    assert engine.until("") == "readyok"
    engine.send(POSITION, "go infinite")
    engine.until("info depth 2")
    engine.send("isready")
    engine.until("readyok")
    engine.send("go depth 1")
    assert "a search is running" in engine.until("info string error: ")
    engine.send("stop")
    assert engine.until("bestmove").split()[1] in parse(START).tokens()
    engine.send("stop", "isready")
    assert engine.until("") == "readyok"
    engine.send("quit")
    assert engine.end() == (0, b"")
    assert len(moves_of(engine.lines)) == 1


def test_ponder_over_pipes(engine: Engine) -> None:
    engine.send(POSITION, "go ponder movetime 20")
    engine.until("info depth 3")
    engine.send("isready")
    engine.until("readyok")
    assert not moves_of(engine.lines)
    engine.send("ponderhit")
    engine.until("bestmove")
    engine.send("go ponder", "stop")
    engine.until("bestmove")
    engine.send("quit")
    assert engine.end() == (0, b"")
    assert len(moves_of(engine.lines)) == 2


def test_many_short_searches(engine: Engine) -> None:
    for _ in range(50):
        engine.send(POSITION, "go infinite", "stop")
        engine.until("bestmove")
        engine.send("go movetime 0")
        engine.until("bestmove")
    engine.send("quit")
    assert engine.end() == (0, b"")
    assert len(moves_of(engine.lines)) == 100


def test_two_engines_play_a_game() -> None:
    """South's engine against North's, each told the moves of both, from a set-up to the end."""
    engines = [Engine(), Engine()]
    try:
        text = f"{lying('c1', 'C', 'north')},e1LTX c7THX,e7XLT s"
        position, moves = parse(text), list[str]()
        while position.result() is None and len(moves) < 120:
            engine = engines[position.player()]
            engine.send(" ".join([f"position fen {text} moves", *moves]), "go nodes 2000")
            moves.append(engine.until("bestmove").split()[1])
            position = position.play(moves[-1])
        assert position.result() is not None
        engines[0].send(" ".join([f"position fen {text} moves", *moves]), "query gameover")
        assert engines[0].until("response") == "response true"
    finally:
        for engine in engines:
            engine.close()


# --- without a process --------------------------------------------------------------------------------------


class Hanging(BytesIO):
    """An output that breaks at the first write."""

    def write(self, _: object) -> int:
        raise BrokenPipeError


def test_broken_output_ends_the_loop() -> None:
    source = BytesIO(b"isready\nisready\n")
    stdio.run(source, Hanging())
    assert source.read() == b"isready\n"


def test_every_line_is_flushed() -> None:
    class Counting(BytesIO):
        flushed = 0

        def flush(self) -> None:
            Counting.flushed += 1

    sink = Counting()
    stdio.run(BytesIO(b"uci\nisready\n"), sink)
    assert Counting.flushed >= sink.getvalue().count(b"\n")
