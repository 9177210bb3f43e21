"""Connects a session to byte streams: lines in, flushed lines out."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import BinaryIO, Protocol

from solver.protocol.session import Session

MAX_LINE = 1 << 18
"""Bytes of the longest line that is read; a longer one is refused whole."""


class Readable(Protocol):
    """Where lines come from."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes; nothing at the end."""
        ...


class _Ended(BaseException):
    """A signal asks the process to end."""


class _Input:
    """Input that a signal brings to its end.

    A signal may come at any moment: it interrupts the wait for a line, and nothing else. What is being done then, the
    start of a search say, is done to its end.
    """

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._waiting = False
        self.ended = False

    def end(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle the signal."""
        self.ended = True
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        if self._waiting:
            raise _Ended

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or nothing once a signal has come."""
        try:
            self._waiting = True
            return b"" if self.ended else self._source.readline(size)
        finally:
            self._waiting = False


def serve() -> None:
    """Be the engine process: `run` on standard input and output until they end, or a signal does.

    SIGINT and SIGTERM are `quit`; a second one ends the process at once. A client that closes the output ends it
    too, even in mid-search and with the input still open.
    """
    source = _Input(sys.stdin.buffer)
    main = threading.get_ident()

    def wake() -> None:
        # The main thread waits for input in a system call: only a signal gets it out of there. Windows cannot send it;
        # there the process ends with the next line or the end of its input.
        if sys.platform != "win32" and not source.ended:
            signal.pthread_kill(main, signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, source.end)
    with contextlib.suppress(_Ended):
        run(source, sys.stdout.buffer, wake)


def run(source: Readable, sink: BinaryIO, on_hang_up: Callable[[], None] = lambda: None) -> None:
    """Serve until `quit` or the end of input; `on_hang_up` is called, in any thread, when nobody reads any more."""
    hung_up = threading.Event()

    def write(line: str) -> None:
        if hung_up.is_set():
            return
        try:
            sink.write(line.encode() + b"\n")
            sink.flush()
        except BrokenPipeError:
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


def _read(session: Session, source: Readable, hung_up: threading.Event) -> None:
    while not hung_up.is_set() and (raw := source.readline(MAX_LINE + 1)):
        if len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            while (rest := source.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            session.error(f"a line of more than {MAX_LINE} bytes, none of it was read")
            continue
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            session.error(f"byte {error.start + 1} of the line is not UTF-8")
            continue
        if not session.handle(line):
            return
