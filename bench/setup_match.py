"""Does the set-up matter: Deblockle games from the first roll, the searchers differing only in the set-up.

    python -m bench.setup_match [--pairs 50] [--movetime 100] [--first expectimax] [--second alphabeta]

Both sides play the game itself with alpha-beta at the same time a move; while blocks are placed each uses its own
algorithm (`random` places at random). Dice are the same in both games of a pair, the seats are swapped.
"""

from __future__ import annotations

import argparse
import random

from solver import games, search
from solver.games.base import Kind
from solver.match import GameRecord, Tally
from solver.search.types import Limits, Searcher, Settings


def play(placers: tuple[Searcher | None, Searcher | None], mover: Searcher, limits: Limits, seed: int) -> float:
    """Play one game; returns South's result."""
    rng = random.Random(seed)
    dice = random.Random(seed + 1)
    position = games.get("deblockle").start({})
    while position.kind() is not Kind.TERMINAL:
        if position.kind() is Kind.CHANCE:
            position = position.play(position.roll(dice.getrandbits(64)))
            continue
        searcher = placers[position.player()] if position.is_setup() else mover
        if searcher is None:
            position = position.play(rng.choice(position.tokens()))
            continue
        searcher.arm()
        move = searcher.search(position, limits, lambda info: None).move
        assert move is not None
        position = position.play(move)
    return position.returns()[0]


def main() -> None:
    """Print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--movetime", type=int, default=100)
    parser.add_argument("--first", default="expectimax")
    parser.add_argument("--second", default="alphabeta")
    arguments = parser.parse_args()
    game = games.get("deblockle")
    limits = Limits(movetime=arguments.movetime)

    def placer(name: str) -> Searcher | None:
        return None if name == "random" else search.make(game, name, Settings())

    one, two = placer(arguments.first), placer(arguments.second)
    mover = search.make(game, "alphabeta", Settings())
    tally = Tally()
    for seed in range(arguments.pairs):
        results = (play((one, two), mover, limits, 2 * seed), -play((two, one), mover, limits, 2 * seed))
        tally.add([GameRecord((result + 1) / 2, (result, -result), 0, "", ()) for result in results])
    elo, low, high = tally.elo()
    print(f"set-up by {arguments.first} against {arguments.second}: +{tally.wins} ={tally.draws} -{tally.losses}")
    print(f"score {100 * tally.score:.1f}%, Elo {elo:+.0f} (95%: {low:+.0f} to {high:+.0f})")


if __name__ == "__main__":
    main()
