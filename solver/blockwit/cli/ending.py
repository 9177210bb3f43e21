"""How a command ends: exit statuses, the error line, signals, and what the standard streams cannot take.

The convention is docs/commandline.md. Nothing here loads the command line: the bare engine ends like this as well.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from blockwit import BlockwitError

if TYPE_CHECKING:
    from blockwit.jobs import Stop

DONE, NO, WRONG, INTERRUPTED, NO_READER = 0, 1, 2, 130, 141
"""Exit statuses: all right; the answer is no; wrong use or input; a signal; nobody reads the output any more."""

SAME_REQUEST = 1.0
"""Seconds within which a second signal is the first one's echo: `timeout` tells the process and its group."""

STREAM_ERRORS = {errno.EPIPE, errno.ENOSPC, errno.EBADF, errno.EIO, errno.EISDIR, errno.EFBIG, errno.EDQUOT}
"""What goes wrong with a standard stream, which has no name to tell."""

T = TypeVar("T")


class _Ear:
    """What has been heard, and who wants to know."""

    def __init__(self) -> None:
        self.bell: int | None = None
        self.asked = False
        self.interrupted = False
        self.left: list[threading.Thread] = []


_EAR = _Ear()


def hear() -> None:
    """Let the first SIGINT or SIGTERM ask the command to end with what it has, the next one end it at once."""
    first = 0.0

    def heard(number: int, _: FrameType | None) -> None:
        nonlocal first
        if first == 0.0:
            first = time.monotonic()
            if _EAR.bell is None:
                raise KeyboardInterrupt
            ask()
        elif time.monotonic() - first > SAME_REQUEST:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, heard)


def ask() -> None:
    """Ask the command to end with what it has, as a signal does."""
    _EAR.asked = True
    if _EAR.bell is not None:
        _ring(_EAR.bell)


def _ring(bell: int) -> None:
    with suppress(BlockingIOError):  # it rings already
        os.write(bell, b"!")


def beside(work: Callable[[Stop], T], *, patient: bool = True) -> T:
    """Do long work in a thread of its own while this one hears signals.

    The first signal sets the work's `Stop`; what it returns then is what there is, and the command ends with status
    130 after it has told and saved that. Work that cannot be stopped (`patient` false) is left alone then, and
    KeyboardInterrupt raised.
    """
    from blockwit.jobs import Stop

    stop = Stop()
    done = threading.Event()
    result: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work(stop))
        except BaseException as error:
            failed.append(error)
        done.set()
        _ring(bell)

    thread = threading.Thread(target=run, name="work", daemon=True)
    alarm, bell = os.pipe()
    os.set_blocking(bell, False)
    main = threading.current_thread() is threading.main_thread()
    # Rung as the signal comes, in whatever thread: a lock that is waited for would not notice.
    before = signal.set_wakeup_fd(bell, warn_on_full_buffer=False) if main else -1
    _EAR.bell, _EAR.asked = bell, False
    try:
        thread.start()
        while not done.is_set():
            os.read(alarm, 64)
            if _EAR.asked and not _EAR.interrupted:
                if not patient:
                    stop.set()
                    raise KeyboardInterrupt
                _EAR.interrupted = True
                say("blockwit: interrupted, ending")
                stop.set()
    finally:
        _EAR.bell = None
        if main:
            signal.set_wakeup_fd(before)
        if done.is_set():
            thread.join()
            os.close(alarm)
            os.close(bell)
        else:
            _EAR.left.append(thread)
    if failed:
        raise failed[0]
    return result[0]


def say(line: str) -> None:
    """Write a line for people to standard error; where that fails there is nobody to tell."""
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


def status_of(error: BaseException) -> int:
    """Tell what went wrong in one line, and return the exit status."""
    if isinstance(error, KeyboardInterrupt):
        say("blockwit: interrupted")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return NO_READER
    say(f"blockwit: {line_of(error)}")
    return WRONG


def line_of(error: BaseException) -> str:
    """Return the line that says what went wrong, without the name of the program."""
    if not isinstance(error, OSError) or error.errno is None:
        return str(error) or type(error).__name__
    name = error.filename
    if name is None:
        name = "standard input or output" if error.errno in STREAM_ERRORS else None
    told = name.decode(errors="replace") if isinstance(name, bytes) else name
    return str(error.strerror) if told is None else f"{told}: {error.strerror}"


def closing(status: int) -> int:
    """Return the status of a command that has done what it can: that of an interruption goes before."""
    interrupted, _EAR.interrupted = _EAR.interrupted, False
    return INTERRUPTED if interrupted else status


def leave(command: Callable[[], object]) -> None:
    """Run a whole command as this process, and leave it."""
    prepare_streams()
    status = DONE
    try:
        command()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else DONE
    except (BlockwitError, OSError, KeyboardInterrupt) as error:
        status = status_of(error)
    status = _flush(status)
    if any(thread.is_alive() for thread in _EAR.left):
        # Work that nobody waits for would crash in the middle of the interpreter's end.
        os._exit(status)
    sys.exit(status)


def _flush(status: int) -> int:
    """Write what is buffered; where that fails, nothing is left for the interpreter to fail with once more."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            status = status if status != DONE or stream is sys.stderr else status_of(error)
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


def prepare_streams() -> None:
    """Let all standard streams be there, and let none refuse a character that its encoding lacks.

    A descriptor that is closed would be taken by the next file that is opened. What is written to a closed output
    fails as it does everywhere: its place is held by something that cannot be written.
    """
    modes = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for number, (name, mode, flags) in enumerate(modes):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="replace", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
