"""Thousands of games through one engine: the memory has to stay flat.

    python -m bench.soak [--games 10000] [--seed 1] [--warm 0.1] [--json FILE]

One engine process plays whole games of all three kinds in turn, with all searchers, few nodes a move and ever other
options, asked for every roll and move as by a front end. Its resident memory is sampled after each game. Printed are
the growth after the warm-up (a share of the games) and the slope of a straight line through the samples.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from pathlib import Path

from blockwit.client import Engine
from blockwit.search import Limits

from bench.report import write_rows

MAX_PLIES = 400

KINDS = (
    ("deblockle", "alphabeta", 30, ()),
    ("deblockle", "mcts", 30, ()),
    ("deblockle", "auto", 30, (("slider", "full"), ("nohop", "end_turn"))),
    ("numberdrop", "auto", 1, (("solo", "true"),)),
    ("numberdrop", "mcts", 5, (("solo", "true"),)),
    ("numberdrop", "auto", 1, (("players", "3"),)),
    ("nmbr9", "auto", 20, (("Problem", "U-9-2-20"),)),
    ("nmbr9", "mcts", 10, (("Problem", "U-9-2-20"),)),
    ("nmbr9", "auto", 1, (("Problem", "F-6-1-5"),)),
)
"""Game, searcher, nodes a move, rule options."""

DEFAULTS = {"slider": "free", "nohop": "illegal", "solo": "false", "players": "2"}


def resident(pid: int | None) -> float:
    """Return the resident memory of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def play(engine: Engine, kind: int, rng: random.Random) -> int:
    """Play one game; returns its plies."""
    game, algorithm, nodes, options = KINDS[kind]
    engine.set_option("UCI_Variant", game)
    engine.set_option("Algorithm", algorithm)
    engine.set_option("Hash", rng.choice((1, 4)))
    engine.set_option("Seed", rng.randrange(1000))
    for name, value in options:
        engine.set_option(name, value)
    engine.new_game()
    moves: list[str] = []
    while len(moves) < MAX_PLIES:
        engine.position(moves=moves)
        turn = engine.turn()
        if turn == "none":
            break
        moves.append(engine.roll() if turn == "chance" else str(engine.go(Limits(nodes=nodes)).move))
    engine.state()
    for name, _ in options:
        if name in DEFAULTS:
            engine.set_option(name, DEFAULTS[name])
    return len(moves)


def slope(samples: list[float]) -> float:
    """Return the slope of the straight line through samples at 0, 1, 2 ... (least squares)."""
    middle, mean = (len(samples) - 1) / 2, sum(samples) / len(samples)
    spread = sum((number - middle) ** 2 for number in range(len(samples)))
    return sum((number - middle) * (sample - mean) for number, sample in enumerate(samples)) / max(spread, 1)


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warm", type=float, default=0.1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    samples: list[float] = []
    plies = 0
    began = told = time.monotonic()
    with Engine() as engine:
        for number in range(arguments.games):
            plies += play(engine, number % len(KINDS), rng)
            samples.append(resident(engine.pid))
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"{number + 1} games, {plies} plies, {told - began:.0f} s, {samples[-1]:.1f} MiB", flush=True)
    steady = samples[int(arguments.warm * len(samples)) :]
    result = {
        "games": len(samples),
        "plies": plies,
        "seconds": round(time.monotonic() - began),
        "MiB after the warm-up": round(steady[0], 1),
        "MiB most": round(max(steady), 1),
        "MiB at the end": round(steady[-1], 1),
        "KiB slope a game": round(1024 * slope(steady), 3),
    }
    for name, value in result.items():
        print(f"{name:<24} {value}")
    write_rows(arguments.json, [result])


if __name__ == "__main__":
    main()
