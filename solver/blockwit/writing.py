"""Files that are written: whole or not at all, by one process at a time, and looked at before long work begins."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blockwit.errors import BusyFileError


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let every OSError of the block name this file: that of a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise  # none of the system's, such as a lock that is held
        # The name of a file that is written beside would only puzzle; that of its folder tells more.
        named = error.filename == str(path.parent)
        raise OSError(error.errno, error.strerror, error.filename if named else str(path)) from None


def _is_special(path: Path) -> bool:
    """Tell whether there is something to write to that must not be replaced: a device, a pipe, an open descriptor."""
    return path.exists() and (not path.is_file() or path.is_relative_to("/dev") or path.is_relative_to("/proc"))


def write(path: Path, data: bytes | str) -> None:
    """Write a file so that whoever looks, also after a crash, finds the old content or the new, whole.

    Args:
        path: the file; a link stays one, a device or pipe is written to.
        data: text is written as UTF-8.

    Raises:
        OSError: it cannot be written.
    """
    raw = data.encode() if isinstance(data, str) else data
    with naming(path):
        if _is_special(path):
            with path.open("wb") as file:
                file.write(raw)
            return
        target = Path(os.path.realpath(path))
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        beside = target.with_name(f".{os.getpid()}-{threading.get_ident()}.part")
        try:
            with beside.open("wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)


class LineFile:
    """A file that grows line by line; each is written when `add` returns.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with naming(path):
            # Without a buffer, whose rest would fail once more when the file is closed.
            self._file = path.open("ab", buffering=0)

    def add(self, line: str) -> None:
        """Write a line. Raises OSError; part of the line may then be there."""
        raw = line.encode() + b"\n"
        with naming(self._path):
            while raw:
                raw = raw[self._file.write(raw) :]

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()


def check_writable(*paths: Path | None) -> None:
    """Look whether files can be written, without a trace: before the work whose result they shall get.

    Raises:
        OSError: the folder is missing, read-only or on a full disk, or the file is a folder or read-only.
    """
    for path in filter(None, paths):
        with naming(path):
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            if path.exists() and not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            if _is_special(path):
                continue
            folder = Path(os.path.realpath(path)).parent
            if not folder.is_dir():
                number = errno.ENOTDIR if folder.exists() else errno.ENOENT
                raise OSError(number, os.strerror(number), str(path.parent))
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(bytes(1 << 12))


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Keep other processes off a file that is written in several steps; its lock, an empty `.NAME.lock`, stays beside.

    Raises:
        BusyFileError: another process has claimed it.
        OSError: no lock can be made there.
    """
    # The engine starts through the same package and claims nothing.
    import filelock

    if _is_special(path):
        yield
        return
    target = Path(os.path.realpath(path))
    lock = filelock.FileLock(target.with_name(f".{target.name}.lock"), timeout=0, thread_local=False)
    try:
        with naming(path):
            if not target.parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
            lock.acquire()
    except filelock.Timeout:
        raise BusyFileError(f"{path}: another process is writing it, wait for its end or choose another file") from None
    try:
        yield
    finally:
        lock.release()
