"""Let the engine play a whole game against itself over its stdio protocol.

    python -m bench.stdio_game [--movetime 100] [--seed 1] [--game deblockle]

One engine process is asked for every roll and every move of all sides, as a front end would do it; the moves
and the last position are printed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from blockwit.client import Engine
from blockwit.search import Limits

from bench.report import write_rows


def main() -> None:
    """Play the game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--movetime", type=int, default=100, help="milliseconds a move")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice")
    parser.add_argument("--game", default="deblockle")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with Engine(options={"UCI_Variant": arguments.game, "Seed": arguments.seed}) as engine:
        moves: list[str] = []
        while not engine.game_over():
            if engine.turn() == "chance":
                moves.append(engine.roll())
            else:
                moves.append(str(engine.go(Limits(movetime=arguments.movetime)).move))
            engine.position(moves=moves)
            print(moves[-1], end=" ", flush=True)
        print()
        print(engine.draw())
        row = {"game": arguments.game, "moves and rolls": len(moves), "end": engine.state()["result"]}
    write_rows(arguments.json, [row])


if __name__ == "__main__":
    main()
