"""From `stop` to `bestmove`, and how far a move overruns its time, over real pipes, for every game and algorithm.

    python -m bench.latency [--minutes 1] [--longest 60] [--tries N] [--threads 1,2,64] [--only WORD] [--json FILE]

Each try starts a search of a position of random play, or of a deck of 5 to 20 cards in known, free or unknown order,
and sends `stop` at a moment drawn from its whole course: as often in its first millisecond as in its last half minute
(evenly in the logarithm, up to `--longest` seconds). Then it asks for a move in a fixed time of 20 to 300 ms, and for
one with 100 to 1,000 ms on the clock and the default `Move Overhead`. The minutes are shared out to all rows; a row
also ends after `--tries`. The last row is about all tries together.

Times in milliseconds as the client sees them; `over` is the time beyond a fixed one, `clock` what a move took beyond
all of its clock (below 0: it was in time), `flags` the number of clocks overstepped. The plan for known dice is no
part of the protocol: it is stopped from a second thread. The load of the machine and the niceness stand with the
result: both decide it. What the engine does by itself, whatever else runs, is `work`: the time on a processor of all
its threads from `stop` to `bestmove`. Stops and moves of more than 200 ms are told with their position.
"""

from __future__ import annotations

import argparse
import asyncio
import math
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
    """A searcher to measure: its game, algorithm, and what positions it is given."""

    name: str
    game: str
    algorithm: str
    position: Callable[[random.Random], str]
    threaded: bool = False
    """Whether it searches with several threads if it may."""


@dataclass
class Times:
    """What was measured, in milliseconds; `late` are the positions and times of what took too long."""

    stops: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    over: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    late: list[dict[str, object]] = field(default_factory=list)

    def add(self, other: Times) -> None:
        """Take in what was measured elsewhere."""
        for name, values in vars(other).items():
            getattr(self, name).extend(values)

    def note(self, what: str, taken: float, position: str, **more: object) -> None:
        """Remember what took too long."""
        if taken > LATE:
            self.late.append({"what": what, "ms": round(taken, 1), "position": position, **more})

    def row(self, name: str) -> dict[str, object]:
        """Return the columns of the table."""
        row: dict[str, object] = {"searcher": name, "tries": len(self.stops)}
        for what in ("stops", "work", "ready", "over", "clock"):
            values: list[float] = getattr(self, what)
            if values:
                shares = (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
                row |= {f"{what} {each}": percentile(values, share) for each, share in shares}
        if self.clock:
            row["flags"] = sum(taken > 0 for taken in self.clock)
        return row


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


def _deck(rng: random.Random) -> list[str]:
    cards = list("00112233445566778899")
    rng.shuffle(cards)
    return cards[: rng.randint(5, 20)]


def _known(rng: random.Random) -> str:
    return f"- {''.join(_deck(rng))}"


def _free(rng: random.Random) -> str:
    cards = _deck(rng)
    return f"- *{''.join(sorted(cards))}/{rng.randint(5, len(cards))}"


def _unknown(rng: random.Random) -> str:
    cards = _deck(rng)
    start = games.get("nmbr9").parse(f"- ?{''.join(sorted(cards))}", {})
    return wander(start, rng, rng.randrange(2 * len(cards) - 1)).fen()


CASES = (
    Case("deblockle alphabeta", "deblockle", "alphabeta", _opening, threaded=True),
    Case("deblockle expectimax", "deblockle", "expectimax", _opening),
    Case("deblockle mcts", "deblockle", "mcts", _opening),
    Case("deblockle set-up expectimax", "deblockle", "expectimax", _setup),
    Case("deblockle set-up mcts", "deblockle", "mcts", _setup),
    Case("numberdrop solo expectimax", "numberdrop", "expectimax", _sheets(1)),
    Case("numberdrop solo mcts", "numberdrop", "mcts", _sheets(1)),
    Case("numberdrop 3 expectimax", "numberdrop", "expectimax", _sheets(3)),
    Case("numberdrop 3 mcts", "numberdrop", "mcts", _sheets(3)),
    Case("nmbr9 known", "nmbr9", "cpsat", _known, threaded=True),
    Case("nmbr9 free", "nmbr9", "cpsat", _free, threaded=True),
    Case("nmbr9 unknown", "nmbr9", "cpsat", _unknown),
    Case("nmbr9 known mcts", "nmbr9", "mcts", _known),
    Case("nmbr9 unknown mcts", "nmbr9", "mcts", _unknown),
)
PLAN = "numberdrop plan"
LATE = 200.0


def on_processor(pid: int) -> float:
    """Return the milliseconds that a process has run so far, ended threads included."""
    # The clock of another process, as clock_getcpuclockid(3) makes its number.
    return 1000 * time.clock_gettime(~pid << 3 | 2)


async def measure(case: Case, threads: int, seconds: float, longest: float, tries: int) -> Times:
    """Measure one searcher for so many seconds, or tries; at least one."""
    rng = random.Random(f"{case.name} {threads}")
    times = Times()
    options: dict[str, OptionValue] = {
        "UCI_Variant": case.game,
        "Algorithm": case.algorithm,
        "Threads": threads,
    }
    end = time.monotonic() + seconds
    async with AsyncEngine(options=options, timeout=60.0) as engine:
        while not times.stops or (len(times.stops) < tries and time.monotonic() < end):
            position = case.position(rng)
            await engine.position(position)
            drawn = math.exp(rng.uniform(math.log(0.001), math.log(longest)))
            await _stop_one(engine, position, min(drawn, max(1.0, end - time.monotonic())), times)
            players = len(games.get(case.game).parse(position, {}).returns())
            await _time_one(engine, position, players, rng, times)
    return times


async def _stop_one(engine: AsyncEngine, position: str, wait: float, times: Times) -> None:
    """Stop a search after so many seconds."""
    assert engine.pid is not None
    search = await engine.start(Limits(infinite=True))
    await asyncio.sleep(wait)
    began = time.perf_counter()
    await engine.ping()
    times.ready.append(1000 * (time.perf_counter() - began))
    before = on_processor(engine.pid)
    began = time.perf_counter()
    search.stop()
    await search.result()
    taken = 1000 * (time.perf_counter() - began)
    times.stops.append(taken)
    times.work.append(on_processor(engine.pid) - before)
    times.note("stop", taken, position, wait=round(wait, 3), work=round(times.work[-1], 1))


async def _time_one(engine: AsyncEngine, position: str, players: int, rng: random.Random, times: Times) -> None:
    """Ask for a move in a fixed time, and for one with little on the clock."""
    movetime = rng.randint(20, 300)
    began = time.perf_counter()
    await engine.go(Limits(movetime=movetime))
    times.over.append(1000 * (time.perf_counter() - began) - movetime)
    times.note("movetime", times.over[-1], position, movetime=movetime)
    left = rng.randint(100, 1000)
    limits = Limits(movestogo=rng.choice((1, 2, 10, None)))
    began = time.perf_counter()
    await engine.go(limits, clocks=dict.fromkeys(range(players), left))
    times.clock.append(1000 * (time.perf_counter() - began) - left)
    times.note("clock", times.clock[-1] + LATE, position, clock=left, movestogo=limits.movestogo)


def measure_plan(seconds: float, tries: int) -> Times:
    """Measure how soon a plan for known dice hears a stop: the beam and the exhaustive search."""
    rng = random.Random("plan")
    game = games.get("numberdrop")
    times = Times()
    planner = _plan.Planner(game.capsule())
    start = wander(game.start({"players": 1, "solo": True}), rng, 3)
    outcomes = list(start.outcome_actions(["roll:2345L"] * 30))
    end = time.monotonic() + seconds
    for number in range(tries):
        if number and time.monotonic() >= end:
            break
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
    parser.add_argument("--minutes", type=float, default=1.0, help="for all rows together")
    parser.add_argument("--longest", type=float, default=60.0, help="seconds of the longest search")
    parser.add_argument("--tries", type=int, default=100_000, help="at most so many for a row")
    parser.add_argument("--threads", default="1,2,64")
    parser.add_argument("--only", default="", help="measure only rows with this in their names")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    threads = [int(number) for number in arguments.threads.split(",")]
    jobs: list[tuple[str, Case | None, int]] = []
    for case in CASES:
        numbers = threads if case.threaded else [1]
        jobs += [(case.name + (f", {number} threads" if number > 1 else ""), case, number) for number in numbers]
    jobs = [job for job in [*jobs, (PLAN, None, 1)] if arguments.only in job[0]]
    about = {"minutes": arguments.minutes, "load": os.getloadavg(), "nice": os.nice(0)}
    rows: list[dict[str, object]] = []
    total = Times()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, nice {os.nice(0)}; p50 / p99 / max in ms")
    headings = ("stop to bestmove", "work", "isready in search", "over movetime", "over the clock")
    print(f"{'':<34} {'tries':>5}", *(f"{heading:>24}" for heading in headings), "flags")
    for name, job, number in jobs:
        seconds = 60 * arguments.minutes / len(jobs)
        if job is None:
            times = measure_plan(seconds, arguments.tries)
        else:
            times = asyncio.run(measure(job, number, seconds, arguments.longest, arguments.tries))
            total.add(times)
        rows.append(times.row(name))
        _show(rows[-1])
        for late in times.late:
            print("    late:", *(f"{what} {value}" for what, value in late.items()), flush=True)
    if total.stops:
        rows.append(total.row("all of the protocol"))
        _show(rows[-1])
    write_rows(arguments.json, rows, **about, late=total.late)


def _show(row: dict[str, object]) -> None:
    figures = []
    for what in ("stops", "work", "ready", "over", "clock"):
        values = [row.get(f"{what} {each}") for each in ("p50", "p99", "max")]
        figures.append(" ".join("       " if value is None else f"{value:7.1f}" for value in values))
    print(
        f"{row['searcher']:<34} {row['tries']:5}",
        *(f" {figure}" for figure in figures),
        row.get("flags", ""),
        flush=True,
    )


if __name__ == "__main__":
    main()
