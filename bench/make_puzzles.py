"""Find puzzles: wins that greed does not find, and short games with all rolls known.

    python -m bench.make_puzzles puzzles --seed 1 --each 12

Deblockle: positions are drawn at random, kept when exactly one move forces a win within N own turns and none forces a
faster one (proven by exhaustive search), and when the winner's race alone does not decide: the other side is
as near to its own exits, or the winning move is not among those that gain most on the way out. Among the
candidates the ones with the longest proofs are written.

Number Drop: greedy solo games are played for a while; from there the next rolls are given, and the most points that
can be reached are proven by exhaustive search. Kept are those where the greedy player falls short.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from solver import _deblockle as core
from solver import games, puzzles, search
from solver.games.base import Kind, Position
from solver.games.deblockle import STARS, DeblocklePosition, square_name
from solver.games.numberdrop import NumberDropPosition
from solver.search import plan as planning

SQUARES = [rank * 8 + file for rank in range(7) for file in range(7)]
SOURCE = "found by bench/make_puzzles.py"
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


def find_wins(turns: int, candidates: int, rng: random.Random) -> list[puzzles.Puzzle]:
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
        found.append(puzzles.WinPuzzle(games.get("deblockle"), position, {}, SOURCE, nodes, turns, tuple(won)))
    return found


def greedy_game(rng: random.Random, rounds: int) -> NumberDropPosition:
    """Play a solo game by the best static evaluation until the roll after `rounds` rounds, or to its end."""
    game = games.get("numberdrop")
    position = game.start({"solo": True})
    while position.kind() is not Kind.TERMINAL:
        if position.kind() is Kind.CHANCE:
            token = position.roll(rng.getrandbits(64))
            if token.startswith("roll:"):
                if rounds == 0:
                    break
                rounds -= 1
            position = position.play(token)
        else:
            position = position.play(greedy_move(position))
    assert isinstance(position, NumberDropPosition)
    return position


def greedy_move(position: Position) -> str:
    """Return the move of the best static evaluation."""
    searcher = search.make(position.game, "expectimax", search.Settings())
    searcher.arm()
    return str(searcher.search(position, search.Limits(depth=1), lambda info: None).move)


def greedy_points(position: Position, rolls: list[str]) -> float:
    """Points of the greedy player with these rolls."""
    left = list(rolls)
    while position.kind() is not Kind.TERMINAL and (left or position.kind() is Kind.DECISION):
        chance = position.kind() is Kind.CHANCE
        position = position.play(left.pop(0) if chance else greedy_move(position))
    return position.returns()[0]


def find_plans(count: int, rng: random.Random) -> list[puzzles.Puzzle]:
    """Collect puzzles of two known rolls without wilds among the numbers, late in a game."""
    found: list[puzzles.Puzzle] = []
    while len(found) < count:
        position = greedy_game(rng, rng.randint(6, 14))
        if position.kind() is Kind.TERMINAL:
            continue
        rolls = [position.roll(rng.getrandbits(64)) for _ in range(2)]
        if any("*" in roll for roll in rolls):
            continue
        best = planning.plan(position.game, position, rolls, exact_nodes=400_000)
        if best.proven and best.used == 2 and best.points >= greedy_points(position, rolls) + 3:
            options = {"solo": True}
            found.append(
                puzzles.PlanPuzzle(position.game, position, options, SOURCE, best.nodes, tuple(rolls), best.points)
            )
    return found


def write(folder: Path, name: str, chosen: list[puzzles.Puzzle]) -> None:
    """Check the puzzles and write them, the easiest first."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, puzzle in enumerate(sorted(chosen, key=lambda puzzle: puzzle.nodes), 1):
        puzzle.check()
        (folder / f"{name}-{number:02d}.json").write_text(puzzle.to_json(), encoding="utf-8")
    nodes = [puzzle.nodes for puzzle in chosen]
    print(f"{name}: {len(chosen)} puzzles, proofs of {min(nodes)} to {max(nodes)} nodes")


def main() -> None:
    """Write the puzzles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=12, help="puzzles of each length, 1 to 4 turns, and plans")
    parser.add_argument("--candidates", type=int, default=60, help="candidates to choose the wins from")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    for turns in range(1, 5):
        best = sorted(find_wins(turns, arguments.candidates, rng), key=lambda puzzle: -puzzle.nodes)
        write(arguments.folder / "deblockle", f"win{turns}", best[: arguments.each])
    write(arguments.folder / "numberdrop", "plan", find_plans(arguments.each, rng))


if __name__ == "__main__":
    main()
