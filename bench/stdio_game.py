"""Let the engine play a whole game against itself over its stdio protocol.

    python -m bench.stdio_game [--movetime 100] [--seed 1]

One engine process is asked for every roll and every move of both sides, as a front end would do it; the moves
and the last position are printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator


class Engine:
    """An engine process and its lines."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "solver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, line: str) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def lines(self) -> Iterator[str]:
        """Yield the lines of the engine as they come."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield line.rstrip("\n")

    def ask(self, line: str, answer: str) -> str:
        """Send a line and return what follows `answer` in the line that begins with it."""
        self.send(line)
        for reply in self.lines():
            if reply.startswith("info string error"):
                raise SystemExit(reply)
            if reply.startswith(answer):
                return reply[len(answer) :].strip()
        raise SystemExit(f"the engine ended without an answer to {line!r}")


def main() -> None:
    """Play the game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--movetime", type=int, default=100, help="milliseconds a move")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice")
    arguments = parser.parse_args()
    engine = Engine()
    engine.ask("uci", "uciok")
    engine.send(f"setoption name Seed value {arguments.seed}")
    engine.ask("isready", "readyok")
    moves: list[str] = []
    while True:
        played = " moves " + " ".join(moves) if moves else ""
        engine.send(f"position startpos{played}")
        if engine.ask("query gameover", "response") == "true":
            break
        if engine.ask("query turn", "response") == "chance":
            moves.append(engine.ask("roll", "info string rolled"))
        else:
            moves.append(engine.ask(f"go movetime {arguments.movetime}", "bestmove").split()[0])
        print(moves[-1], end=" ", flush=True)
    print()
    engine.send("d")
    engine.send("isready")
    for line in engine.lines():
        if line == "readyok":
            break
        print(line)
    engine.send("quit")
    engine.process.wait()


if __name__ == "__main__":
    main()
