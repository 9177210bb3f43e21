"""Connects a session to byte streams: lines in, flushed lines out."""

from __future__ import annotations

from typing import BinaryIO

from solver.protocol.session import Session

MAX_LINE = 1 << 18
"""Bytes of the longest line that is read; a longer one is refused whole."""


def run(source: BinaryIO, sink: BinaryIO) -> None:
    """Serve until `quit` or the end of input; a client that hangs up ends it as well."""

    def write(line: str) -> None:
        sink.write(line.encode() + b"\n")
        sink.flush()

    session = Session(write)
    try:
        while raw := source.readline(MAX_LINE + 1):
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
    except BrokenPipeError:
        return
