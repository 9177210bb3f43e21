"""From `stop` to `bestmove`, and how far a move overruns its time, over real pipes.

    python -m bench.latency [--tries 200] [--json FILE]

Each try starts a search of a random opening, waits a random while and sends `stop`; or asks for a move in a
fixed time. Times in milliseconds as the client sees them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import random
import time
from pathlib import Path

from solver import games, match
from solver.client import AsyncEngine
from solver.search import Limits


def percentile(values: list[float], share: float) -> float:
    """Return the value that `share` of all values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def measure(tries: int, movetime: int) -> tuple[list[float], list[float], list[float]]:
    """Return what `stop`, `isready` and a move in a fixed time took, in milliseconds."""
    rng = random.Random(1)
    start = games.get("deblockle").start({})
    stops, ready, overruns = [], [], []
    async with AsyncEngine() as engine:
        for _ in range(tries):
            await engine.position(match.opening(start, rng).fen())
            search = await engine.start(Limits(infinite=True))
            await asyncio.sleep(rng.uniform(0.01, 0.1))
            began = time.perf_counter()
            await engine.ping()
            ready.append(1000 * (time.perf_counter() - began))
            began = time.perf_counter()
            search.stop()
            await search.result()
            stops.append(1000 * (time.perf_counter() - began))
            began = time.perf_counter()
            await engine.go(Limits(movetime=movetime))
            overruns.append(1000 * (time.perf_counter() - began) - movetime)
    return stops, ready, overruns


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--movetime", type=int, default=50)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    stops, ready, overruns = asyncio.run(measure(arguments.tries, arguments.movetime))
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
