"""Alpha-beta in Deblockle over fixed positions: time to each depth, and what a larger table brings.

    python -m bench.search depth [--positions 6] [--depth 8] [--repeat 3] [--json FILE]
    python -m bench.search hash [--positions 6] [--depth 8] [--megabytes 1 4 16 64] [--json FILE]

One thread, so that the nodes are the same in every run; times are those of a front end, pipes
included. Several threads: `python -m bench.smp`.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from blockwit import games
from blockwit.arena.match import opening
from blockwit.client import Engine
from blockwit.games.base import Position
from blockwit.search.types import Info, Limits

from bench.report import Row, table, write_rows


def positions(count: int) -> list[Position]:
    """Return positions after random set-ups, always the same ones."""
    rng = random.Random("bench.search")
    return [opening(games.get("deblockle").start({}), rng) for _ in range(count)]


def engine_of(megabytes: int) -> Engine:
    """Start an engine with a table of this size."""
    return Engine(options={"UCI_Variant": "deblockle", "Algorithm": "alphabeta", "Hash": megabytes})


def depths(chosen: list[Position], depth: int, repeat: int) -> list[Row]:
    """Search all positions to a depth from an empty table; sums over them, for every depth on the way."""
    reached: dict[int, list[float]] = {level: [0.0] * repeat for level in range(1, depth + 1)}
    nodes = dict.fromkeys(reached, 0)
    with engine_of(64) as engine:
        for turn in range(repeat):
            for position in chosen:
                engine.new_game()
                engine.position(position.fen())
                ends: dict[int, tuple[float, int]] = {}
                began = time.perf_counter()

                def report(info: Info, began: float = began, ends: dict[int, tuple[float, int]] = ends) -> None:
                    ends[info.depth] = (time.perf_counter() - began, info.nodes)

                engine.go(Limits(depth=depth), report=report)
                end = 0.0, 0
                for level in reached:
                    # A position that is decided earlier needs no more.
                    end = ends.get(level, end)
                    reached[level][turn] += end[0]
                    nodes[level] += end[1] if turn == 0 else 0
    rows: list[Row] = []
    for level, seconds in reached.items():
        speeds = [nodes[level] / each for each in seconds if each > 0]
        rows.append({"depth": level, "nodes": nodes[level], "seconds": seconds, "nodes a second": speeds})
    return rows


def hashes(chosen: list[Position], depth: int, megabytes: list[int]) -> list[Row]:
    """Search all positions to a depth with tables of several sizes."""
    rows: list[Row] = []
    for size in megabytes:
        with engine_of(size) as engine:
            nodes, began = 0, time.perf_counter()
            for position in chosen:
                engine.new_game()
                engine.position(position.fen())
                nodes += engine.go(Limits(depth=depth)).infos[0].nodes
            rows.append({"MB": size, "depth": depth, "nodes": nodes, "seconds": time.perf_counter() - began})
    return rows


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("depth", "hash"))
    parser.add_argument("--positions", type=int, default=6)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    chosen = positions(args.positions)
    if args.what == "depth":
        rows = depths(chosen, args.depth, args.repeat)
    else:
        rows = hashes(chosen, args.depth, args.megabytes)
    print("\n".join(table(rows)))
    write_rows(args.json, rows)


if __name__ == "__main__":
    main()
