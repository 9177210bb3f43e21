"""The one place where the package reads files: regular ones, within limits, and whatever is wrong is told in one line.

Nothing heavy is imported here, because the engine's start comes this way; what JSON has to look like is said by
`blockwit.models`. Every function takes the class of the error that it raises, so that callers keep the ones they name.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

from blockwit.errors import BlockwitError

BOM = b"\xef\xbb\xbf"
"""What some programs put before UTF-8 text: passed over at the beginning of a file, and nowhere else."""

MAX_BYTES = 1 << 20
"""Bytes of the longest file, or line of a file of records, unless the caller says otherwise."""

_MODES = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def failed(path: Path, problem: Exception, error: type[BlockwitError]) -> NoReturn:
    """Raise the one line for a file that cannot be opened or read."""
    why = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    raise error(f"{path}: {why}") from None


def open_file(path: Path, error: type[BlockwitError]) -> BinaryIO:
    """Open a regular file for reading. A pipe or device is refused at once instead of being waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError) as problem:
        failed(path, problem, error)
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise error(f"{path}: {_MODES.get(stat.S_IFMT(mode), 'a device')}, not a file")
    return open(descriptor, "rb")


def data(path: Path, error: type[BlockwitError], most: int = MAX_BYTES) -> bytes:
    """Return what a file holds, at most `most` bytes."""
    with open_file(path, error) as file:
        try:
            found = file.read(most + 1)
        except OSError as problem:
            failed(path, problem, error)
    if len(found) > most:
        raise error(f"{path}: more than {most} bytes")
    return found


def text(path: Path, error: type[BlockwitError], most: int = MAX_BYTES) -> str:
    """Return a file of at most `most` bytes as text."""
    return decoded(data(path, error, most), str(path), error)


def standard_input(error: type[BlockwitError], most: int = MAX_BYTES) -> str:
    """Return all of standard input as text."""
    if sys.stdin is None:
        raise error("standard input is closed")
    try:
        found = sys.stdin.buffer.read(most + 1)
    except OSError as problem:
        failed(Path("standard input"), problem, error)
    if len(found) > most:
        raise error(f"standard input: more than {most} bytes")
    return decoded(found, "standard input", error)


def decoded(raw: bytes, where: str, error: type[BlockwitError]) -> str:
    """Return UTF-8 as text, without the mark that may stand before it; `where` is its name in the error."""
    try:
        return raw.removeprefix(BOM).decode()
    except UnicodeDecodeError as problem:
        raise error(f"{where}: byte {problem.start + 1} is not UTF-8") from None


def lines(path: Path, error: type[BlockwitError], most: int = MAX_BYTES) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines of a file: number from 1, text without its end, whether it has an end.

    A line without its end is the last one: what a process that was killed in mid-write leaves behind.

    Args:
        path: the file.
        error: what to raise.
        most: bytes of the longest line; the file may have any number of them.
    """
    with open_file(path, error) as file:
        number = 0
        while True:
            try:
                raw = file.readline(most + 1)
            except OSError as problem:
                failed(path, problem, error)
            if not raw:
                return
            number += 1
            if len(raw) > most:
                raise error(f"{path}: line {number}: more than {most} bytes")
            whole = raw.endswith(b"\n")
            try:
                line = (raw.removeprefix(BOM) if number == 1 else raw).decode()
            except UnicodeDecodeError as problem:
                if whole:
                    raise error(f"{path}: line {number}: byte {problem.start + 1} is not UTF-8") from None
                line = raw.decode(errors="replace")
            yield number, line.rstrip("\r\n"), whole
