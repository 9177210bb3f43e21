"""From `stop` to `bestmove`, and how far a move overruns its time, over real pipes.

    python -m bench.latency [--tries 200] [--json FILE]

Each try starts a search of a random opening, waits a random while and sends `stop`; or asks for a move in a
fixed time. Times in milliseconds as the client sees them.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import time
from pathlib import Path

from bench.stdio_game import Engine
from solver import games, match


def percentile(values: list[float], share: float) -> float:
    """Return the value that `share` of all values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--movetime", type=int, default=50)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rng = random.Random(1)
    engine = Engine()
    engine.ask("uci", "uciok")
    game = games.get("deblockle")
    stops, ready, overruns = [], [], []
    for _ in range(arguments.tries):
        fen = match.opening(game.start({}), rng).fen()
        engine.send(f"position fen {fen}")
        engine.send("go infinite")
        time.sleep(rng.uniform(0.01, 0.1))
        began = time.perf_counter()
        engine.ask("isready", "readyok")
        ready.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        engine.ask("stop", "bestmove")
        stops.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        engine.ask(f"go movetime {arguments.movetime}", "bestmove")
        overruns.append(1000 * (time.perf_counter() - began) - arguments.movetime)
    engine.send("quit")
    engine.process.wait()
    result: dict[str, object] = {"tries": arguments.tries, "machine": platform.platform()}
    rows = (("stop to bestmove", stops), ("isready in search", ready), ("movetime overrun", overruns))
    print(f"{'ms':<20} {'median':>8} {'p99':>8} {'max':>8}")
    for name, values in rows:
        figures = percentile(values, 0.5), percentile(values, 0.99), max(values)
        result[name] = figures
        print(f"{name:<20} {figures[0]:8.2f} {figures[1]:8.2f} {figures[2]:8.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
