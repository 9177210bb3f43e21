"""How costs grow with the work.

python -m bench.growth perft [--depth 6]                  Deblockle: positions and seconds by depth
python -m bench.growth players [--games 500]              Number Drop: a random game by the number of players
python -m bench.growth tables                             Deblockle's endgame tables by the number of blocks
python -m bench.growth cards [--cards 2 4 6] [--time 60]  NMBR 9: a known deck by its length
"""

from __future__ import annotations

import argparse
import time
from math import comb
from pathlib import Path

from blockwit import _mcts, games
from blockwit.games.deblockle.tables import ones
from blockwit.search.cpsat.optimize import optimize
from blockwit.search.cpsat.problem import read_problem

from bench.nmbr9 import shuffles
from bench.perft import POSITION
from bench.report import Row, table, write_rows

SQUARES = 47
"""Where a block can stand in the tables, see docs/tables.md."""
ORIENTATIONS = 24
REPEATS = 3


def perft(depth: int) -> list[Row]:
    """Count from one position."""
    position = games.get("deblockle").parse(POSITION, {"repetition": "off"})
    rows: list[Row] = []
    for plies in range(1, depth + 1):
        began = time.perf_counter()
        nodes = position.perft(plies)
        rows.append({"depth": plies, "nodes": nodes, "seconds": time.perf_counter() - began})
    return rows


def players(count: int) -> list[Row]:
    """Play random games."""
    game = games.get("numberdrop")
    rows: list[Row] = []
    for seats in range(1, 7):
        start = game.start({"players": seats, "solo": seats == 1}).raw()
        milliseconds = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            _, _, decisions = _mcts.random_games(game.capsule(), start, 1, count)
            milliseconds.append(1000 * (time.perf_counter() - began) / count)
        rows.append({"players": seats, "decisions a game": decisions / count, "ms a game": milliseconds})
    return rows


def tables() -> list[Row]:
    """Solve one block against one; the states of one against two are arithmetic."""
    began = time.perf_counter()
    values = ones(0)
    seconds = time.perf_counter() - began
    # Either side may be to move; the two blocks of one side are alike.
    placed = 2 * ORIENTATIONS**2 * SQUARES * (SQUARES - 1)
    one = {"blocks": "1 v 1", "states": placed, "bytes": len(values), "seconds": seconds}
    two = {"blocks": "1 v 2", "states": 2 * ORIENTATIONS**3 * SQUARES * comb(SQUARES - 1, 2)}
    return [one, two]


def cards(lengths: list[int], seconds: float, workers: int, seed: int) -> list[Row]:
    """Optimize the first cards of one shuffled deck."""
    (deck,) = shuffles(1, seed)
    rows: list[Row] = []
    for length in lengths:
        end = optimize(read_problem("K:" + "".join(map(str, deck[:length]))), seconds, workers=workers, seed=seed)
        known = {"score": end.score, "bound": end.bound, "proven": end.proven, "gap": end.gap}
        rows.append({"cards": length, "seconds": end.seconds} | known)
    return rows


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("perft", "players", "tables", "cards"))
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--cards", type=int, nargs="+", default=[2, 4, 6])
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if args.what == "perft":
        rows = perft(args.depth)
    elif args.what == "players":
        rows = players(args.games)
    elif args.what == "tables":
        rows = tables()
    else:
        rows = cards(args.cards, args.time, args.workers, args.seed)
    print("\n".join(table(rows)))
    write_rows(args.json, rows)


if __name__ == "__main__":
    main()
