"""Random playouts beside OpenSpiel's C++ rollouts, all in one process on one core.

    python -m bench.playouts [--seconds 2] [--rounds 3] [--json FILE]

Counted are decisions a second (chance events are not decisions). OpenSpiel's RandomRolloutEvaluator plays whole games
in C++ and does not count their moves: the mean length of a random game is measured beforehand over 400 games played
from Python. Needs open_spiel (the extra `bench`).
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel
from blockwit import _mcts, games

from bench.report import write_rows

OURS: tuple[tuple[str, str, dict[str, str | int | bool]], ...] = (
    ("numberdrop solo", "numberdrop", {"solo": True}),
    ("numberdrop, 2 players", "numberdrop", {"players": 2}),
    ("deblockle", "deblockle", {}),
)
THEIRS = ("backgammon", "breakthrough")
SAMPLE = 400
ROLLOUTS = 200


def our_rate(name: str, options: dict[str, str | int | bool]) -> Callable[[float, int], tuple[float, float]]:
    """Return a function that plays for some seconds and tells (games, decisions) a second."""
    game = games.get(name)
    raw = game.start(options).raw()

    def measure(seconds: float, seed: int) -> tuple[float, float]:
        began = time.perf_counter()
        played = decided = 0
        while time.perf_counter() - began < seconds:
            _, _, decisions = _mcts.random_games(game.capsule(), raw, seed * 1000 + played, 20)
            played += 20
            decided += decisions
        elapsed = time.perf_counter() - began
        return played / elapsed, decided / elapsed

    return measure


def mean_decisions(game: Any, rng: random.Random) -> float:
    """Mean number of decisions in a random game of OpenSpiel's."""
    total = 0
    for _ in range(SAMPLE):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                total += 1
    return total / SAMPLE


def their_rate(name: str) -> Callable[[float, int], tuple[float, float]]:
    """The same for a game of OpenSpiel's."""
    game = pyspiel.load_game(name)
    length = mean_decisions(game, random.Random(1))

    start = game.new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.chance_outcomes()[0][0])

    def measure(seconds: float, seed: int) -> tuple[float, float]:
        # The evaluator cannot be called from Python: a search of two simulations calls it twice, and hardly more.
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 2, 16, False, seed, False)
        began = time.perf_counter()
        played = 0
        while time.perf_counter() - began < seconds:
            bot.step(start)
            played += 2 * ROLLOUTS
        rate = played / (time.perf_counter() - began)
        return rate, rate * length

    return measure


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    measures = {label: our_rate(name, options) for label, name, options in OURS}
    measures |= {f"OpenSpiel {name}": their_rate(name) for name in THEIRS}
    rates: dict[str, list[tuple[float, float]]] = {label: [] for label in measures}
    for seed in range(arguments.rounds):
        for label, measure in measures.items():
            rates[label].append(measure(arguments.seconds, seed))
    print(f"{'':<26} {'games / s':>12} {'decisions / s':>14}")
    median = {}
    for label, rows in rates.items():
        median[label] = statistics.median(decided for _, decided in rows)
        print(f"{label:<26} {statistics.median(played for played, _ in rows):12,.0f} {median[label]:14,.0f}")
    best = max(median[f"OpenSpiel {name}"] for name in THEIRS)
    for label, _, _ in OURS:
        print(f"{label}: {median[label] / best:.1f} times the faster of OpenSpiel's two")
    faster = max((f"OpenSpiel {name}" for name in THEIRS), key=lambda label: median[label])
    told: list[dict[str, Any]] = []
    for label, rows in rates.items():
        # Round by round: both were measured within the same seconds.
        ratios = [mine[1] / other[1] for mine, other in zip(rows, rates[faster], strict=True)]
        told.append(
            {"game": label, "games a second": [row[0] for row in rows], "decisions a second": [row[1] for row in rows]}
        )
        told[-1][f"times {faster}"] = ratios
    write_rows(arguments.json, told)


if __name__ == "__main__":
    main()
