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
import time
from contextlib import ExitStack
from pathlib import Path

from blockwit import games
from blockwit.arena.match import opening
from blockwit.client import Engine
from blockwit.games.base import Kind
from blockwit.search.types import Limits

from bench.report import write_rows


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
    nodes, times, deep = [0, 0], [0, 0], [0.0, 0.0]
    with ExitStack() as stack:
        engines = [
            stack.enter_context(Engine(options={"UCI_Variant": "deblockle", "Hash": 64, "Threads": threads}))
            for threads in (1, args.threads)
        ]
        for _ in range(args.positions):
            position = opening(games.get("deblockle").start({}), rng)
            for _ in range(rng.randint(0, 6)):
                if position.kind() is Kind.DECISION:
                    position = position.play(rng.choice(position.tokens()))
            for which, engine in enumerate(engines):
                for limits in (Limits(movetime=round(1000 * args.seconds)), Limits(depth=args.depth)):
                    engine.new_game()
                    engine.position(position.fen())
                    began = time.perf_counter()
                    last = engine.go(limits).infos[0]
                    if limits.depth:
                        deep[which] += time.perf_counter() - began
                    else:
                        nodes[which] += last.nodes
                        times[which] += last.time
    speeds = [1000 * count / milliseconds for count, milliseconds in zip(nodes, times, strict=True)]
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
