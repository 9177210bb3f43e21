"""Connects a session to byte streams: lines in, flushed lines out."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Protocol

from blockwit.protocol.session import Session
from blockwit.reading import BOM

MAX_LINE = 1 << 18
"""Bytes of the longest line that is read; a longer one is refused whole."""

PATIENCE = 0.5
"""Seconds that a client which reads nothing is waited for after a signal."""


class Readable(Protocol):
    """Where lines come from."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes; nothing at the end."""
        ...


class _Input:
    """Lines of a file descriptor, until its end or until `end` is called: from any thread, or by a signal.

    A signal interrupts nothing: it may come in the middle of anything, the start of a search say. It ends the wait
    for the next line, however close before that wait it comes.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._bell, False)

    @property
    def alarm(self) -> int:
        """A descriptor that can be read from once the input has ended by `end` or a signal."""
        return self._alarm

    def end(self) -> None:
        """Let the next `readline` return nothing."""
        with contextlib.suppress(BlockingIOError):  # it rings already
            os.write(self._bell, b"!")

    def end_by(self, signals: Sequence[signal.Signals]) -> None:
        """Let the first of these signals end it; the next one ends the process at once."""

        def first(_signal: int, _frame: FrameType | None) -> None:
            for number in signals:
                signal.signal(number, signal.SIG_DFL)

        # Rung as the signal comes: the function above has to wait for its turn in the main thread.
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        for number in signals:
            signal.signal(number, first)

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes; nothing at the end."""
        while True:
            cut = self._buffer.find(b"\n", 0, size) + 1
            whole = cut > 0 or len(self._buffer) >= size
            ready, _, _ = select.select([self._descriptor, self._alarm], [], [], 0 if whole else None)
            if self._alarm in ready:
                return b""
            if whole:
                break
            chunk = os.read(self._descriptor, 1 << 16)
            if not chunk:
                break
            self._buffer += chunk
        cut = cut or min(size, len(self._buffer))
        line = bytes(self._buffer[:cut])
        del self._buffer[:cut]
        return line


class Writable(Protocol):
    """Where lines go."""

    def write(self, data: bytes, /) -> object:
        """Write all of `data`. Raises BrokenPipeError when nobody reads any more."""
        ...

    def flush(self) -> None:
        """Keep nothing back."""
        ...

    def fileno(self) -> int:
        """Return the file descriptor. Raises io.UnsupportedOperation where there is none."""
        ...


class _Output:
    """Writes to a file descriptor; once `alarm` rings, a reader that does not read is no longer waited for.

    Else a client that sleeps on a full pipe would keep the engine alive, whatever signal it gets.
    """

    def __init__(self, descriptor: int, alarm: int) -> None:
        self._descriptor = descriptor
        self._alarm = alarm

    def write(self, data: bytes, /) -> None:
        """Write all of `data`. Raises BrokenPipeError when nobody reads any more."""
        while data:
            _, ready, _ = select.select([self._alarm], [self._descriptor], [])
            if not ready and not select.select([], [self._descriptor], [], PATIENCE)[1]:
                raise BrokenPipeError
            # A pipe that can be written to has room for so much.
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._descriptor, data[: select.PIPE_BUF]) :]

    def flush(self) -> None:
        """Do nothing: nothing is kept back."""

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._descriptor


def serve() -> None:
    """Be the engine process: `run` on standard input and output until they end, or a signal does.

    SIGINT and SIGTERM are `quit`; a second one ends the process at once. A client that closes the output ends it
    too, even in mid-search and with the input still open.
    """
    source = _Input(sys.stdin.fileno())
    # In this order: a process that hears SIGINT and not SIGTERM has not come to us yet (bench/killed.py).
    source.end_by((signal.SIGTERM, signal.SIGINT))
    run(source, _Output(sys.stdout.fileno(), source.alarm), source.end)


def run(source: Readable, sink: Writable, on_hang_up: Callable[[], None] = lambda: None) -> None:
    """Serve until `quit` or the end of input; `on_hang_up` is called, in any thread, when nobody reads any more.

    Raises:
        OSError: the output cannot be written, for another reason than that; or the input cannot be read.
    """
    hung_up = threading.Event()
    failed: list[OSError] = []

    def write(line: str) -> None:
        if hung_up.is_set():
            return
        try:
            sink.write(line.encode() + b"\n")
            sink.flush()
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                failed.append(error)
            hung_up.set()
            # What is still buffered has no reader: without this, closing the stream would fail once more.
            with contextlib.suppress(io.UnsupportedOperation):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sink.fileno())
            on_hang_up()

    session = Session(write)
    try:
        _read(session, source, hung_up)
    finally:
        session.close()
    if failed:
        raise failed[0]


def _read(session: Session, source: Readable, hung_up: threading.Event) -> None:
    first = True
    while not hung_up.is_set() and (raw := source.readline(MAX_LINE + 1)):
        if len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            while (rest := source.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            session.error(f"a line of more than {MAX_LINE} bytes, none of it was read")
            continue
        if first:
            raw, first = raw.removeprefix(BOM), False
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            session.error(f"byte {error.start + 1} of the line is not UTF-8")
            continue
        if not session.handle(line):
            return
