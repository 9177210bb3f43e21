"""Connects a session to byte streams: lines in, flushed lines out."""

from __future__ import annotations

import contextlib
import io
import os
import threading
from typing import BinaryIO

from solver.protocol.session import Session

MAX_LINE = 1 << 18
"""Bytes of the longest line that is read; a longer one is refused whole."""


def run(source: BinaryIO, sink: BinaryIO) -> None:
    """Serve until `quit` or the end of input; a client that hangs up ends it as well."""
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

    session = Session(write)
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
    session.close()
