"""A session with its output caught, for tests."""

from __future__ import annotations

import threading

from blockwit.protocol.session import Session

SECONDS = 60
"""How long an answer is waited for; only a hanging engine comes near it."""


class Conversation:
    """Sends lines to a session and collects its answers."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()
        self.session = Session(self._take)

    def _take(self, line: str) -> None:
        with self._news:
            self.lines.append(line)
            self._news.notify_all()

    def send(self, *commands: str) -> list[str]:
        """Handle commands; return what was answered by the time they were handled."""
        before = len(self.lines)
        for command in commands:
            assert self.session.handle(command)
        return self.lines[before:]

    def wait(self, beginning: str, count: int = 1) -> str:
        """Wait until `count` lines with this beginning have come; return the last of them."""
        found: list[str] = []

        def arrived() -> bool:
            found[:] = [line for line in self.lines if line.startswith(beginning)]
            return len(found) >= count

        with self._news:
            assert self._news.wait_for(arrived, SECONDS), f"no {beginning} in {self.lines[-5:]}"
        return found[count - 1]

    def go(self, limits: str = "") -> tuple[str, list[str]]:
        """Search to the end; return the move and all lines of this search."""
        before = len(self.lines)
        moves = self.count("bestmove")
        self.send(f"go {limits}")
        line = self.wait("bestmove", moves + 1)
        return line.split()[1], self.lines[before:]

    def count(self, beginning: str) -> int:
        """Return how many lines with this beginning have come so far."""
        return sum(line.startswith(beginning) for line in self.lines)

    def alive(self) -> None:
        """Check that the engine still answers."""
        assert self.send("isready")[-1:] == ["readyok"]
