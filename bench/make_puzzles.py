"""Find Deblockle puzzles: random positions with one winning first move that simple greed does not find.

    python -m bench.make_puzzles puzzles/deblockle --seed 1 --each 12

Positions are drawn at random, kept when exactly one move forces a win within N own turns and none forces a
faster one (proven by exhaustive search), and when the winner's race alone does not decide: the other side is
as near to its own exits, or the winning move is not among those that gain most on the way out. Among the
candidates the ones with the longest proofs are written.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from solver import _deblockle as core
from solver import games, puzzles
from solver.games.base import Kind
from solver.games.deblockle import STARS, DeblocklePosition, square_name

SQUARES = [rank * 8 + file for rank in range(7) for file in range(7)]
USABLE = [square for square in SQUARES if square_name(square) not in STARS]


def random_position(rng: random.Random, most: int) -> DeblocklePosition:
    """Draw a position of 1 to `most` blocks a side, everything alike."""
    south, north = rng.randint(1, most), rng.randint(1, most)
    squares = rng.sample(USABLE, south + north)
    blocks = [(square, rng.randrange(24)) for square in squares]
    state = core.State().replaced(blocks[:south], blocks[south:], rng.randrange(2), 0)
    return DeblocklePosition(state)


def greedy_moves(position: DeblocklePosition) -> set[str]:
    """Moves after which the mover needs fewest turns to exit all blocks."""
    side = position.player()
    left = {token: position.play(token).core.turns_left(side) for token in position.tokens()}
    return {token for token, turns in left.items() if turns == min(left.values())}


def find(turns: int, candidates: int, rng: random.Random) -> list[puzzles.Puzzle]:
    """Collect puzzles whose only answer wins in exactly `turns` turns."""
    found: list[puzzles.Puzzle] = []
    while len(found) < candidates:
        position = random_position(rng, 4)
        side = position.player()
        if position.kind() is not Kind.DECISION or position.core.turns_left(side) > turns:
            continue
        if turns > 1 and puzzles.prove(position, turns - 1)[0]:
            continue
        won, nodes = puzzles.prove(position, turns)
        if len(won) != 1 or position.count() < 2:
            continue
        race = position.core.turns_left(side ^ 1) <= turns
        if turns > 1 and won[0] in greedy_moves(position) and not race:
            continue
        found.append(
            puzzles.Puzzle(
                games.get("deblockle"), position, {}, turns, tuple(won), "found by bench/make_puzzles.py", nodes
            )
        )
    return found


def main() -> None:
    """Write the puzzles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=12, help="puzzles of each length, 1 to 4 turns")
    parser.add_argument("--candidates", type=int, default=60, help="candidates to choose them from")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(arguments.seed)
    for turns in range(1, 5):
        best = sorted(find(turns, arguments.candidates, rng), key=lambda puzzle: -puzzle.nodes)[: arguments.each]
        for number, puzzle in enumerate(reversed(best), 1):
            puzzles.check(puzzle)
            path = arguments.folder / f"win{turns}-{number:02d}.json"
            path.write_text(puzzle.to_json(), encoding="utf-8")
        print(f"win in {turns}: {len(best)} puzzles, proofs of {best[-1].nodes} to {best[0].nodes} nodes")


if __name__ == "__main__":
    main()
