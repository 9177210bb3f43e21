"""Mean results of Number Drop players: random, greedy (one turn by static evaluation), expectimax, tree search.

The rows that think are given milliseconds for each move (a slide is a move of its own); they can be stopped and
resumed with a journal for each row.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from blockwit.arena.simulate import simulate, summarise

from bench.report import write_rows

ROWS: dict[str, tuple[dict[str, bool | int], str, int]] = {
    "solo-random": ({"solo": True}, "random", 20_000),
    "solo-greedy": ({"solo": True}, "greedy", 1000),
    "two-random": ({"players": 2}, "random", 20_000),
    "two-greedy": ({"players": 2}, "greedy", 1000),
    "solo-expectimax": ({"solo": True}, "movetime={ms},algorithm=expectimax", 300),
    "solo-mcts": ({"solo": True}, "movetime={ms},algorithm=mcts", 300),
}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("rows", nargs="*", default=[*ROWS][:4], help=f"some of {', '.join(ROWS)}")
    parser.add_argument("--ms", type=int, default=300, help="milliseconds a move of the rows that think")
    parser.add_argument("--seeds", type=int, default=0, help="games a row, seeds from 0 on; 0: as in the table above")
    parser.add_argument("--journals", type=Path, help="folder for a journal of each row")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    for name in args.rows:
        if name not in ROWS:
            parser.error(f"unknown row {name!r}, expected some of {', '.join(ROWS)}")
    results = []
    # Five tiles are drawn before the first roll.
    print(f"{'row':16} {'games':>6} {'mean':>7} {'error':>6} {'spread':>6} {'best':>5} {'rounds':>6} {'s/game':>7}")
    for name in args.rows:
        options, policy, seeds = ROWS[name]
        started = time.monotonic()
        journal = args.journals / f"{name}-{args.ms}.json" if args.journals else None
        seeds = args.seeds or seeds
        played = summarise(
            list(simulate("numberdrop", options, policy.format(ms=args.ms), range(seeds), journal=journal))
        )
        seconds = (time.monotonic() - started) / seeds
        rounds = played.chances - 5
        print(
            f"{name:16} {played.games:6} {played.mean:7.2f} {played.error:6.2f} {played.deviation:6.2f} "
            f"{played.percentiles[-1]:5.0f} {rounds:6.2f} {seconds:7.3f}",
            flush=True,
        )
        results.append(
            {"row": name, "games": played.games, "mean": played.mean, "mean ±": played.error, "rounds": rounds}
        )
    write_rows(args.json, results)


if __name__ == "__main__":
    main()
