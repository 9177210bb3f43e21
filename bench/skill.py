"""A round-robin of the levels of `Skill` in Deblockle: does strength grow from each to the next.

    python -m bench.skill [--levels 1 4 7 10 13 16 19 20] [--pairs 10] [--nodes 20000] [--jobs 2] [--json FILE]

Every level plays every other one: pairs of games from one random set-up with the seats swapped. The ladder shows each
level's mean result against all others with the half-width of its 95% interval, and against the next lower level alone.
Levels are made with a seed, so the same call gives the same ladder.
"""

from __future__ import annotations

import argparse
import itertools
import math
from pathlib import Path

from blockwit.arena.match import Z95, Player, Tally, play_match

from bench.report import write_rows


def error(pairs: list[float]) -> float:
    """Return the half-width of the 95% interval of a mean result."""
    mean = sum(pairs) / len(pairs)
    variance = sum((x - mean) ** 2 for x in pairs) / max(len(pairs) - 1, 1)
    return Z95 * math.sqrt(variance / len(pairs))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 4, 7, 10, 13, 16, 19, 20])
    parser.add_argument("--pairs", type=int, default=10, help="pairs of games of each two levels")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes a move of the strongest levels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    parser.add_argument("--json", type=Path, help="also write the ladder to this file")
    args = parser.parse_args()
    levels = sorted(args.levels)
    players = {n: Player.parse(f"nodes={args.nodes},skill={n},seed={args.seed + n},hash=4") for n in levels}
    met: dict[tuple[int, int], list[float]] = {}
    for low, high in itertools.combinations(levels, 2):
        tally = Tally()
        seed = args.seed + 100 * low + high
        for pair in play_match("deblockle", {}, players[high], players[low], args.pairs, seed=seed, jobs=args.jobs):
            tally.add(pair)
        met[high, low] = tally.pairs
        met[low, high] = [1 - result for result in tally.pairs]
    ladder: list[dict[str, float]] = []
    print("level   against all   against the level below")
    for number, level in enumerate(levels):
        every = [result for (one, _), results in met.items() if one == level for result in results]
        mean = sum(every) / len(every)
        row = {"level": level, "score": mean, "score ±": error(every) / Z95}
        text = f"{level:5}   {100 * mean:4.1f}% ± {100 * error(every):4.1f}"
        if number:
            below = met[level, levels[number - 1]]
            row |= {"below": sum(below) / len(below), "below ±": error(below) / Z95}
            text += f"   {100 * sum(below) / len(below):4.1f}% ± {100 * error(below):4.1f}"
        print(text)
        ladder.append(row)
    print("monotone" if all(a["score"] < b["score"] for a, b in itertools.pairwise(ladder)) else "NOT monotone")
    write_rows(args.json, ladder, nodes=args.nodes, pairs=args.pairs)


if __name__ == "__main__":
    main()
