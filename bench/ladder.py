"""Does more time bring more? Strength over the time of a move, for each game.

    python -m bench.ladder deblockle [--times 10 20 40 80] [--pairs 20]     each time against half of it: Elo
    python -m bench.ladder numberdrop [--times 10 20 40 80] [--games 50]    mean points alone, the same seeds for all
    python -m bench.ladder nmbr9 [--times 10 60 300] [--problem F-9-2-20]   points and bound after so many seconds

Times are milliseconds a move; for NMBR 9, seconds of one run from nothing.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from blockwit.arena.match import Player, Tally, play_match
from blockwit.arena.simulate import simulate, summarise
from blockwit.search.cpsat.optimize import Optimizer, Progress
from blockwit.search.cpsat.problem import read_problem

from bench.report import Row, table, write_rows


def deblockle(times: list[int], pairs: int, seed: int, jobs: int) -> list[Row]:
    """Play each time against the one before it; the error of the Elo is half a 95% interval by 1.96."""
    rows: list[Row] = []
    for less, more in itertools.pairwise(times):
        tally = Tally()
        one, two = Player.parse(f"movetime={more}"), Player.parse(f"movetime={less}")
        for pair in play_match("deblockle", {}, one, two, pairs, seed=seed, jobs=jobs):
            tally.add(pair)
        elo, low, high = tally.elo()
        row: dict[str, object] = {"ms": more, "against": less, "games": tally.games, "score": tally.score}
        # Without a loss or a win there is no finite Elo.
        if abs(elo) < float("inf"):
            row |= {"Elo of doubling": elo}
        if high - low < float("inf"):
            row |= {"Elo of doubling ±": (high - low) / 2 / 1.96}
        rows.append(row)
    return rows


def numberdrop(times: list[int], count: int, jobs: int) -> list[Row]:
    """Play the same seeds alone with each time."""
    rows: list[Row] = []
    for time in times:
        played = summarise(list(simulate("numberdrop", {"solo": True}, f"movetime={time}", range(count), jobs=jobs)))
        rows.append({"ms": time, "games": played.games, "mean": played.mean, "mean ±": played.error})
    return rows


def nmbr9(times: list[int], name: str, workers: int, seed: int) -> list[Row]:
    """Optimize once for the longest time; what was known after each."""
    news: list[Progress] = []
    end = Optimizer(read_problem(name), workers=workers, seed=seed, report=news.append).run(float(max(times)))
    news.append(end)
    rows: list[Row] = []
    for time in times:
        known = [each for each in news if each.seconds <= time or (each is end and end.proven)]
        row: dict[str, object] = {"problem": name, "seconds": time}
        if known:
            last = max(known, key=lambda each: each.seconds)
            row |= {"score": last.score, "bound": last.bound}
        rows.append(row)
    return rows


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("deblockle", "numberdrop", "nmbr9"))
    parser.add_argument("--times", type=int, nargs="+", default=[10, 20, 40, 80])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--problem", default="F-9-2-20")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    times = sorted(args.times)
    if args.what == "deblockle":
        rows = deblockle(times, args.pairs, args.seed, args.jobs)
    elif args.what == "numberdrop":
        rows = numberdrop(times, args.games, args.jobs)
    else:
        rows = nmbr9(times, args.problem, args.workers, args.seed)
    print("\n".join(table(rows)))
    write_rows(args.json, rows)


if __name__ == "__main__":
    main()
