"""Does the set-up matter: Deblockle games from the first roll, the sides differing only in the set-up.

    python -m bench.setup_match [--pairs 50] [--movetime 100] [--first expectimax] [--second alphabeta] [--json FILE]

Both sides play the game itself with alpha-beta at the same time a move; while blocks are placed each uses its own
algorithm (`random` places at random). Dice are the same in both games of a pair, the seats are swapped. Each algorithm
is an engine process, asked over the protocol.
"""

from __future__ import annotations

import argparse
import random
from contextlib import ExitStack
from pathlib import Path

from blockwit import games
from blockwit.arena.match import GameRecord, Tally
from blockwit.client import Engine
from blockwit.games.base import Kind
from blockwit.search import Limits

from bench.report import write_rows


def play(placers: tuple[Engine | None, Engine | None], mover: Engine, limits: Limits, seed: int) -> float:
    """Play one game; returns South's result."""
    rng = random.Random(seed)
    dice = random.Random(seed + 1)
    position = games.get("deblockle").start({})
    moves: list[str] = []
    for engine in (mover, *placers):
        if engine is not None:
            engine.new_game()
    while position.kind() is not Kind.TERMINAL:
        if position.kind() is Kind.CHANCE:
            token = position.roll(dice.getrandbits(64))
        else:
            engine = placers[position.player()] if position.is_setup() else mover
            if engine is None:
                token = rng.choice(position.tokens())
            else:
                engine.position(moves=moves)
                token = engine.go(limits).move or "(none)"
        moves.append(token)
        position = position.play(token)
    return position.returns()[0]


def main() -> None:
    """Print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--movetime", type=int, default=100)
    parser.add_argument("--first", default="expectimax")
    parser.add_argument("--second", default="alphabeta")
    parser.add_argument("--json", type=Path, help="also write the result to this file")
    arguments = parser.parse_args()
    limits = Limits(movetime=arguments.movetime)
    tally = Tally()
    with ExitStack() as stack:

        def start(algorithm: str) -> Engine:
            return stack.enter_context(Engine(options={"UCI_Variant": "deblockle", "Algorithm": algorithm}))

        one, two = (None if name == "random" else start(name) for name in (arguments.first, arguments.second))
        mover = start("alphabeta")
        for seed in range(arguments.pairs):
            results = (play((one, two), mover, limits, 2 * seed), -play((two, one), mover, limits, 2 * seed))
            tally.add([GameRecord((result + 1) / 2, (result, -result), 0, "", ()) for result in results])
    elo, low, high = tally.elo()
    print(f"set-up by {arguments.first} against {arguments.second}: +{tally.wins} ={tally.draws} -{tally.losses}")
    print(f"score {100 * tally.score:.1f}%, Elo {elo:+.0f} (95%: {low:+.0f} to {high:+.0f})")
    row = {"first": arguments.first, "second": arguments.second, "games": 2 * arguments.pairs, "score": tally.score}
    write_rows(arguments.json, [row])


if __name__ == "__main__":
    main()
