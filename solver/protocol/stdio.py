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
from typing import BinaryIO

from solver.protocol.session import Session

MAX_LINE = 1 << 18
"""Bytes of the longest line that is read; a longer one is refused whole."""


class _Ended(BaseException):
    """A signal asks the process to end."""


def serve() -> None:
    """Be the engine process: `run` on standard input and output until they end, or a signal does.

    SIGINT and SIGTERM are `quit`; a second one ends the process at once. A client that closes the output ends it
    too, even in mid-search and with the input still open.
    """
    ending = threading.Event()
    main = threading.get_ident()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ending.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        raise _Ended

    def wake() -> None:
        # The main thread waits for input in a system call: only a signal gets it out of there. Windows cannot send it;
        # there the process ends with the next line or the end of its input.
        if sys.platform != "win32" and not ending.is_set():
            signal.pthread_kill(main, signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with contextlib.suppress(_Ended):
        run(sys.stdin.buffer, sys.stdout.buffer, wake)


def run(source: BinaryIO, sink: BinaryIO, on_hang_up: Callable[[], None] = lambda: None) -> None:
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


def _read(session: Session, source: BinaryIO, hung_up: threading.Event) -> None:
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
