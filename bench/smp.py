"""Nodes a second and time to a depth of several threads in Deblockle, compared with one.

    python -m bench.smp [--threads 2] [--seconds 2] [--positions 6] [--json FILE]

Positions of games from random set-ups; one thread and several take turns, so that both see the same machine. The
first figure is the ratio of all nodes to all time, the second how much sooner several threads reach a depth. What
that is worth is for a match to say:

    blockwit match movetime=200,threads=2 movetime=200 --pairs 200
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from bench.report import write_rows
from solver import _alphabeta, games
from solver import _deblockle as core
from solver.games.base import Kind
from solver.match import opening


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0, help="time of each search")
    parser.add_argument("--depth", type=int, default=10, help="plies of the searches whose time is taken")
    parser.add_argument("--positions", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1, help="seed of the positions")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    searchers = [_alphabeta.Searcher(core.capsule(), 64, threads) for threads in (1, args.threads)]
    nodes, times, deep = [0, 0], [0, 0], [0, 0]
    for _ in range(args.positions):
        position = opening(games.get("deblockle").start({}), rng)
        for _ in range(rng.randint(0, 6)):
            if position.kind() is Kind.DECISION:
                position = position.play(rng.choice(position.tokens()))
        for which, searcher in enumerate(searchers):
            for milliseconds, depth in ((round(1000 * args.seconds), 0), (-1, args.depth)):
                searcher.clear()
                searcher.arm()
                searcher.set_time(-1, milliseconds)
                searcher.search(position.raw(), [], [], depth, 0, 1, 0, lambda *_: None)
                if depth:
                    deep[which] += searcher.elapsed
                else:
                    nodes[which] += searcher.nodes
                    times[which] += searcher.elapsed
    speeds = [1e9 * count / time for count, time in zip(nodes, times, strict=True)]
    for threads, speed in zip((1, args.threads), speeds, strict=True):
        print(f"{threads:3} threads: {speed:12,.0f} nodes/s")
    sooner = deep[0] / deep[1]
    print(f"ratio {speeds[1] / speeds[0]:.2f}; depth {args.depth} is reached {sooner:.2f} times as fast")
    figures = {
        "threads": args.threads,
        "one": speeds[0],
        "several": speeds[1],
        "ratio": speeds[1] / speeds[0],
        "depth": args.depth,
        "sooner": sooner,
    }
    write_rows(args.json, [figures])


if __name__ == "__main__":
    main()
