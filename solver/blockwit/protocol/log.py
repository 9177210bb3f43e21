"""The file that a session writes its conversation to: every line read and written, with its time."""

from __future__ import annotations

import os
import stat
from datetime import datetime

from blockwit.errors import CommandError, quote


def stamped(mark: str, line: str) -> str:
    """Return a line with the local time to the microsecond before it, and `>` (read) or `<` (written)."""
    return f"{datetime.now().isoformat(' ', 'microseconds')} {mark} {line}"


class Log:
    """A file that lines are added to, each at once: what stands in it is what was said, whatever happens next.

    Args:
        path: a file, new or not; what is in it stays.

    Raises:
        CommandError: it cannot be written, or is no file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            # A pipe that nobody reads would keep us waiting: it is refused like any other thing that is no file.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
            self._descriptor = os.open(path, flags, 0o666)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CommandError(f"setoption: Debug Log File {quote(path)}: {reason}") from None
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            self.close()
            raise CommandError(f"setoption: Debug Log File {quote(path)}: not a file")

    def add(self, mark: str, line: str) -> None:
        """Add a line. Raises OSError."""
        os.write(self._descriptor, stamped(mark, line).encode(errors="backslashreplace") + b"\n")

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
