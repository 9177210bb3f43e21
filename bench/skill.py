"""A round-robin of the levels of `Skill` in Deblockle: does strength grow from each to the next.

    python -m bench.skill [--levels 1 4 7 10 13 16 19 20] [--pairs 10] [--nodes 20000] [--jobs 2] [--json FILE]

Every level plays every other one: pairs of games from one random set-up with the seats swapped. The ladder shows each
level's mean result against all others with the half-width of its 95% interval, its Elo by these results with the best
level at 0, and the result against the next lower level alone.
Levels are made with a seed, so the same call gives the same ladder.

    python -m bench.skill --won 40 [--levels 1 5 10 15 19]

How often a level wins what is won: one block each, South to move and to win by the endgame table, against level 20.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
from collections.abc import Sequence
from pathlib import Path

from blockwit import games
from blockwit.arena.match import Z95, Player, Tally, opening, play_game, play_match
from blockwit.games.base import Kind, Position

from bench.report import write_rows


def error(pairs: list[float]) -> float:
    """Return the half-width of the 95% interval of a mean result."""
    mean = sum(pairs) / len(pairs)
    variance = sum((x - mean) ** 2 for x in pairs) / max(len(pairs) - 1, 1)
    return Z95 * math.sqrt(variance / len(pairs))


def elo(scores: Sequence[float]) -> list[float]:
    """Return the Elo of players, the last at 0, whose mean results against all others in a round-robin these are.

    The model is that of Elo itself (Bradley and Terry); what reproduces the totals is its likeliest fit. A player that
    won or lost everything has none: its result counts as half a percent away from that.
    """
    wanted = [min(max(score, 0.005), 0.995) for score in scores]
    ratings = [0.0] * len(wanted)

    def expected(player: int) -> float:
        others = [rating for other, rating in enumerate(ratings) if other != player]
        return sum(1 / (1 + 10 ** ((rating - ratings[player]) / 400)) for rating in others) / len(others)

    for _ in range(3000):
        for player, score in enumerate(wanted):
            ratings[player] += 400 * (score - expected(player))
    return [rating - ratings[-1] for rating in ratings]


def won_positions(count: int, seed: int) -> list[Position]:
    """Return positions of one block each in which South, to move, wins however North plays."""
    game = games.get("deblockle")
    rng = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = opening(game.start({"south_blocks": 1, "north_blocks": 1}), rng)
        oracle = game.oracle(position, "")
        if position.kind() is Kind.DECISION and oracle is not None and (oracle.probe(position.raw()) or 0) > 0:
            found.append(position)
    return found


def won_games(levels: list[int], count: int, seed: int) -> list[dict[str, float]]:
    """Let each level play won positions against level 20, and print how they end."""
    rows: list[dict[str, float]] = []
    print("level   won  drawn  lost   plies of a game")
    starts = won_positions(count, seed)
    best = Player.parse("nodes=20000,hash=4")
    with best.engine("deblockle", {}) as other:
        for level in levels:
            player = Player.parse(f"nodes=20000,skill={level},seed={seed + level},hash=4")
            results, plies = [], 0
            with player.engine("deblockle", {}) as engine:
                for number, start in enumerate(starts):
                    moves = play_game(start, (engine, other), (player.limits, best.limits), seed + number)
                    end = start
                    for move in moves:
                        end = end.play(move)
                    results.append(end.returns()[0])
                    plies += len(moves)
            row: dict[str, float] = {"level": level}
            row |= {"won": results.count(1), "drawn": results.count(0), "lost": results.count(-1)}
            print(f"{level:5}  {row['won']:4}  {row['drawn']:5}  {row['lost']:4}   {plies / len(starts):.1f}")
            rows.append(row)
    return rows


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 4, 7, 10, 13, 16, 19, 20])
    parser.add_argument("--pairs", type=int, default=10, help="pairs of games of each two levels")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes a move of the strongest levels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    parser.add_argument("--won", type=int, metavar="N", help="instead: N positions with one block each that are won")
    parser.add_argument("--json", type=Path, help="also write the ladder to this file")
    args = parser.parse_args()
    levels = sorted(args.levels)
    if args.won:
        write_rows(args.json, won_games(levels, args.won, args.seed), won=args.won)
        return
    players = {n: Player.parse(f"nodes={args.nodes},skill={n},seed={args.seed + n},hash=4") for n in levels}
    met: dict[tuple[int, int], list[float]] = {}
    for low, high in itertools.combinations(levels, 2):
        tally = Tally()
        seed = args.seed + 100 * low + high
        for pair in play_match("deblockle", {}, players[high], players[low], args.pairs, seed=seed, jobs=args.jobs):
            tally.add(pair)
        met[high, low] = tally.pairs
        met[low, high] = [1 - result for result in tally.pairs]
    ladder: list[dict[str, float]] = []
    means = [
        sum(every) / len(every)
        for level in levels
        for every in [[result for (one, _), results in met.items() if one == level for result in results]]
    ]
    ratings = elo(means)
    print("level   against all     Elo   against the level below")
    for number, level in enumerate(levels):
        every = [result for (one, _), results in met.items() if one == level for result in results]
        mean = means[number]
        row = {"level": level, "score": mean, "score ±": error(every) / Z95, "elo": round(ratings[number])}
        text = f"{level:5}   {100 * mean:4.1f}% ± {100 * error(every):4.1f}   {ratings[number]:5.0f}"
        if number:
            below = met[level, levels[number - 1]]
            row |= {"below": sum(below) / len(below), "below ±": error(below) / Z95}
            text += f"   {100 * sum(below) / len(below):4.1f}% ± {100 * error(below):4.1f}"
        print(text)
        ladder.append(row)
    print("monotone" if all(a["score"] < b["score"] for a, b in itertools.pairwise(ladder)) else "NOT monotone")
    write_rows(args.json, ladder, nodes=args.nodes, pairs=args.pairs)


if __name__ == "__main__":
    main()
