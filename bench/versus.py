r"""Let two builds of the engine play each other in Deblockle: a match of processes, with a sequential test.

    python -m bench.versus 'cd /old && PYTHONPATH=/old exec python -m solver' 'exec python -m solver' \
        --go 'movetime 50' --pairs 100 [--sprt 0 10] [--jobs 2] [--set1 Threads=2] [--rule slider=full]

The two arguments are shell commands that start an engine; results are those of the first. Openings are random set-ups,
each played twice with the sides swapped. Both engines get the same `go`, after `ucinewgame`; both speak the protocol
and nothing else is asked of them, so that any two states of the project can be compared.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from solver import games
from solver.games.base import Kind, Position
from solver.match import MOST_PLIES, GameRecord, Tally, opening
from solver.sprt import Sprt


class Engine:
    """An engine process."""

    def __init__(self, command: str, options: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for name, value in options.items():
            self.send(f"setoption name {name} value {value}")
        self.ask("isready", "readyok")

    def send(self, line: str) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")

    def ask(self, line: str, answer: str) -> str:
        """Send a line and return what follows `answer` in the line that begins with it."""
        self.send(line)
        assert self.process.stdout is not None
        for reply in self.process.stdout:
            if reply.startswith("info string error"):
                raise SystemExit(reply)
            if reply.startswith(answer):
                return reply[len(answer) :].strip()
        raise SystemExit(f"an engine ended without an answer to {line!r}")


def play(start: Position, seats: tuple[Engine, Engine], goes: tuple[str, str]) -> tuple[Position, list[str]]:
    """Play one game; returns its last position and the moves."""
    for engine in seats:
        engine.ask("ucinewgame\nisready", "readyok")
    position, moves = start, list[str]()
    while position.kind() is not Kind.TERMINAL and len(moves) < MOST_PLIES:
        seat = position.player()
        seats[seat].send(
            f"position fen {start.fen()} moves {' '.join(moves)}" if moves else f"position fen {start.fen()}"
        )
        moves.append(seats[seat].ask(f"go {goes[seat]}", "bestmove").split()[0])
        position = position.play(moves[-1])
    return position, moves


def pairs_of(text: list[str]) -> dict[str, str]:
    """Read NAME=VALUE words."""
    return dict(word.split("=", 1) for word in text)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", help="shell command of an engine")
    parser.add_argument("second")
    parser.add_argument("--go", default="movetime 100", help="limits of every move")
    parser.add_argument("--go2", default="", help="other limits for the second engine")
    parser.add_argument("--pairs", type=int, default=50, help="the most pairs of games")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"))
    parser.add_argument("--seed", type=int, default=0, help="seed of the openings")
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    parser.add_argument("--set1", nargs="*", default=[], help="options of the first engine, NAME=VALUE")
    parser.add_argument("--set2", nargs="*", default=[], help="options of the second engine")
    parser.add_argument("--rule", nargs="*", default=[], help="rule options, NAME=VALUE")
    parser.add_argument("--json", type=Path, help="also write the result to this file")
    args = parser.parse_args()
    rules = pairs_of(args.rule)
    base = games.get("deblockle").start(dict(rules))
    test = Sprt(*args.sprt) if args.sprt else None
    goes = args.go, args.go2 or args.go
    local = threading.local()

    def pair(index: int) -> list[GameRecord]:
        if not hasattr(local, "engines"):
            local.engines = (
                Engine(args.first, rules | pairs_of(args.set1)),
                Engine(args.second, rules | pairs_of(args.set2)),
            )
        one, two = local.engines
        start = opening(base, random.Random(args.seed * 1_000_003 + index))
        records = []
        for swapped in (False, True):
            end, moves = play(start, (two, one) if swapped else (one, two), goes[::-1] if swapped else goes)
            returns = end.returns()[::-1] if swapped else end.returns()
            result = (returns[0] + 1) / 2 if end.kind() is Kind.TERMINAL else 0.5
            records.append(GameRecord(result, (returns[0], returns[1]), len(moves), start.fen(), tuple(moves)))
        return records

    tally = Tally()
    with ThreadPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(pair, index) for index in range(args.pairs)]
        # In the order of the openings, not of their ends: short games must not be counted first.
        for future in waiting:
            tally.add(future.result())
            if tally.games % 20 == 0:
                state = test.line(tally.pairs) if test else ""
                print(f"+{tally.wins} ={tally.draws} -{tally.losses} {state}", flush=True)
            if test and test.verdict(test.ratio(tally.pairs)):
                pool.shutdown(wait=False, cancel_futures=True)
                break
    elo, low, high = tally.elo()
    print(
        f"{tally.games} games +{tally.wins} ={tally.draws} -{tally.losses} score {100 * tally.score:.1f}% "
        f"Elo {elo:+.0f} ({low:+.0f} to {high:+.0f}) plies a game {tally.plies / tally.games:.1f}"
    )
    if test:
        print(test.line(tally.pairs))
    if args.json:
        figures = {"games": tally.games, "score": tally.score, "elo": elo, "low": low, "high": high}
        args.json.write_text(json.dumps(figures | {"go": goes, "pairs": tally.pairs}) + "\n")


if __name__ == "__main__":
    main()
