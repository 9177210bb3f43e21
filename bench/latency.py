"""From `stop` to `bestmove`, and how far a move overruns its time, over real pipes, for every game and algorithm.

    python -m bench.latency [--tries 200] [--movetime 50] [--only WORD] [--json FILE]

Each try starts a search of a position of random play, waits a random while and sends `stop`; then asks for a move in
a fixed time. Times in milliseconds as the client sees them. The plan for known dice is no part of the protocol: it is
stopped from a second thread. The load of the machine and the niceness stand with the result: both decide it. What the
engine does by itself, whatever else runs, is `work`: the time on a processor of all its threads from `stop` to
`bestmove`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from blockwit import _plan, games
from blockwit.arena import match
from blockwit.client import AsyncEngine
from blockwit.games.base import Kind, OptionValue, Position
from blockwit.search import Limits

from bench.report import write_rows


@dataclass(frozen=True)
class Case:
    """A searcher to measure: its game, options, and what positions it is given."""

    name: str
    game: str
    position: Callable[[random.Random], str]
    options: tuple[tuple[str, str], ...] = ()
    longest: float = 0.1
    """Seconds of the longest wait before `stop`."""


@dataclass
class Times:
    """What was measured, in milliseconds."""

    stops: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    overruns: list[float] = field(default_factory=list)


def percentile(values: list[float], share: float) -> float:
    """Return the value that `share` of all values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def wander(position: Position, rng: random.Random, plies: int) -> Position:
    """Play so many moves or rolls by chance, then on to a decision; stays where the game is not over."""
    wandered = position
    while plies > 0 or wandered.kind() is Kind.CHANCE:
        count = wandered.count()
        if not count:
            return wander(position, rng, rng.randrange(8))
        wandered = wandered.play(wandered.tokens(rng.randrange(count), 1)[0])
        plies -= 1
    return wandered if wandered.kind() is Kind.DECISION else wander(position, rng, rng.randrange(8))


def _opening(rng: random.Random) -> str:
    return match.opening(games.get("deblockle").start({}), rng).fen()


def _setup(rng: random.Random) -> str:
    return wander(games.get("deblockle").start({}), rng, rng.randrange(8)).fen()


def _sheets(players: int) -> Callable[[random.Random], str]:
    def draw(rng: random.Random) -> str:
        start = games.get("numberdrop").start({"players": players, "solo": players == 1})
        return wander(start, rng, rng.randrange(20 * players)).fen()

    return draw


def _cards(rng: random.Random) -> str:
    return wander(games.get("nmbr9").start({"Problem": "U-9-2-20"}), rng, rng.randrange(30)).fen()


def _problem(fen: str) -> Callable[[random.Random], str]:
    return lambda rng: fen


TREE = (("Algorithm", "mcts"),)
FREE = "- *00112233445566778899/20"
CASES = (
    Case("deblockle alphabeta", "deblockle", _opening),
    Case("deblockle set-up expectimax", "deblockle", _setup),
    Case("deblockle mcts", "deblockle", _opening, TREE),
    Case("numberdrop solo expectimax", "numberdrop", _sheets(1)),
    Case("numberdrop 3 expectimax", "numberdrop", _sheets(3)),
    Case("numberdrop solo mcts", "numberdrop", _sheets(1), TREE),
    Case("numberdrop 3 mcts", "numberdrop", _sheets(3), TREE),
    Case("nmbr9 opponent", "nmbr9", _cards),
    Case("nmbr9 mcts", "nmbr9", _cards, TREE),
    Case("nmbr9 optimizer, small", "nmbr9", _problem("- *001122334455/8"), (), 3.0),
    Case("nmbr9 optimizer, full", "nmbr9", _problem(FREE), (), 10.0),
    Case("nmbr9 known deck", "nmbr9", _problem("- 70123456789012345689"), (), 10.0),
)


def on_processor(pid: int) -> float:
    """Return the milliseconds that a process has run so far, ended threads included."""
    # The clock of another process, as clock_getcpuclockid(3) makes its number.
    return 1000 * time.clock_gettime(~pid << 3 | 2)


async def measure(case: Case, tries: int, movetime: int) -> Times:
    """Measure one searcher."""
    rng = random.Random(case.name)
    times = Times()
    options: dict[str, OptionValue] = {"UCI_Variant": case.game, **dict(case.options)}
    async with AsyncEngine(options=options) as engine:
        assert engine.pid is not None
        for _ in range(tries):
            await engine.position(case.position(rng))
            search = await engine.start(Limits(infinite=True))
            await asyncio.sleep(rng.uniform(0.01, case.longest))
            began = time.perf_counter()
            await engine.ping()
            times.ready.append(1000 * (time.perf_counter() - began))
            before = on_processor(engine.pid)
            began = time.perf_counter()
            search.stop()
            await search.result()
            times.stops.append(1000 * (time.perf_counter() - began))
            times.work.append(on_processor(engine.pid) - before)
            began = time.perf_counter()
            await engine.go(Limits(movetime=movetime))
            times.overruns.append(1000 * (time.perf_counter() - began) - movetime)
    return times


def measure_plan(tries: int) -> Times:
    """Measure how soon a plan for known dice hears a stop: the beam and the exhaustive search."""
    rng = random.Random("plan")
    game = games.get("numberdrop")
    times = Times()
    planner = _plan.Planner(game.capsule())
    start = wander(game.start({"players": 1, "solo": True}), rng, 3)
    outcomes = list(start.outcome_actions(["roll:2345L"] * 30))
    for number in range(tries):
        if number % 2:
            search = threading.Thread(target=planner.beam, args=(start.raw(), outcomes, 300, 32))
        else:
            search = threading.Thread(target=planner.exact, args=(start.raw(), outcomes))
        search.start()
        time.sleep(rng.uniform(0.01, 0.3))
        before = on_processor(os.getpid())
        began = time.perf_counter()
        planner.stop()
        search.join()
        times.stops.append(1000 * (time.perf_counter() - began))
        times.work.append(on_processor(os.getpid()) - before)
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--movetime", type=int, default=50)
    parser.add_argument("--only", default="", help="measure only searchers with this in their names")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    about = {"tries": arguments.tries, "movetime": arguments.movetime, "load": os.getloadavg(), "nice": os.nice(0)}
    rows: list[dict[str, object]] = []
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, nice {os.nice(0)}; median / p99 / max in ms")
    print(f"{'':<28} {'stop to bestmove':>24} {'work':>24} {'isready in search':>24} {'movetime overrun':>24}")
    for name in (*(case.name for case in CASES), "numberdrop plan"):
        if arguments.only not in name:
            continue
        case = next((case for case in CASES if case.name == name), None)
        times = (
            asyncio.run(measure(case, arguments.tries, arguments.movetime)) if case else measure_plan(arguments.tries)
        )
        row = {
            what: (percentile(values, 0.5), percentile(values, 0.99), max(values))
            for what, values in vars(times).items()
            if values
        }
        rows.append({"searcher": name})
        for what, told in row.items():
            rows[-1] |= dict(zip((f"{what} p50", f"{what} p99", f"{what} max"), told, strict=True))
        print(f"{name:<28}", *(" {:7.1f} {:7.1f} {:7.1f}".format(*figures) for figures in row.values()), flush=True)
    write_rows(arguments.json, rows, **about)


if __name__ == "__main__":
    main()
