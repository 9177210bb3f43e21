"""Learn the weights of Deblockle's static evaluation, and write ext/games/deblockle_weights.h.

    python -m bench.tune_deblockle --games 20000 --nodes 500 [--rounds 2] [--jobs 2] [--slider 0] [--no-touch]
        [--fresh]

Games from random set-ups, the first moves at random, then each side plays the best move of a search of a fixed number
of nodes with the weights so far. A game ends when a search proves who wins. Every position met gets the result of its
game, and the weights are the logistic regression of the results on the features (`State.features`): the probability
of a win is 1 / (1 + exp(-sum of the weights)), a draw counts as half a win. This is how evaluations of chess engines
are tuned from games (P. Osterlund, Texel's tuning method, 2014). The descent is Adam (Kingma and Ba, 2015) with a
penalty on large steps from the weights at the beginning.

`--slider` and `--no-touch` choose the reading of the rules whose weights are learned; the others stay.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from blockwit import _alphabeta, _deblockle

HEADER = Path(__file__).resolve().parent.parent / "ext" / "deblockle_weights.h"
SLIDERS, TOUCH = 3, 2
LONGEST = 200
"""Plies after which a game counts as a draw."""

STRAY = 0.08
"""Share of the moves that are made at random."""

WIDTH = 36
"""Room for the features of a position; unused places hold the index behind the last feature, whose weight is 0."""

Games = tuple[npt.NDArray[np.uint16], npt.NDArray[np.float32], int]


def start(rng: random.Random, rules: _deblockle.State) -> _deblockle.State:
    """Return a position after a random set-up, mostly of four blocks a side, and a few random moves."""
    counts = (4, 4) if rng.random() < 0.85 else (rng.randint(1, 4), rng.randint(1, 4))
    state = rules.set_up(*counts)
    while state.phase != 0:
        actions = [state.roll(rng.getrandbits(60))] if state.kind == 1 else state.actions()
        state = state.apply(rng.choice(actions))
    for _ in range(rng.choice((0, 0, 1, 2, 3, 4, 6, 8))):
        if state.kind != 0:
            break
        state = state.apply(rng.choice(state.actions()))
    return state


def play(job: tuple[int, int, int, int, bool, list[int]]) -> Games:
    """Play games; returns the features of the positions, the results for their sides to move, and the games' number."""
    seed, games, nodes, slider, no_touch, weights = job
    np.asarray(_deblockle.weights(slider, no_touch))[:] = weights
    rng = random.Random(seed)
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 4)
    rows: list[list[int]] = []
    results: list[float] = []
    for _ in range(games):
        state = start(rng, _deblockle.State(slider, False, no_touch, 3))
        sides: list[int] = []
        keys: list[int] = []
        south = 0.5
        while state.kind == 0 and keys.count(state.key) < 2 and len(keys) < LONGEST:
            lines = searcher.search(state.raw(), keys, [], 0, nodes, 1, 0, lambda *_: None)
            value, mate, actions = lines[0]
            if mate:
                south = float((value > 0) == (state.side == 0))
                break
            row = state.features()
            rows.append(row + [_deblockle.feature_count()] * (WIDTH - len(row)))
            sides.append(state.side)
            keys.append(state.key)
            # Some moves at random: else no position would show what a wasted turn costs.
            state = state.apply(rng.choice(state.actions()) if rng.random() < STRAY else actions[0])
        results += [south if side == 0 else 1 - south for side in sides]
    return np.array(rows, np.uint16).reshape(-1, WIDTH), np.array(results, np.float32), games


def fit(
    rows: npt.NDArray[np.uint16],
    results: npt.NDArray[np.float32],
    weight: npt.NDArray[np.float64],
    epochs: int,
    penalty: float,
) -> npt.NDArray[np.float64]:
    """Return the weights (logarithms of odds) that explain the results; tells the loss on a tenth held back."""
    count = weight.size
    weight = np.append(weight, 0.0)
    begin = weight.copy()
    held = len(rows) // 10
    order = np.random.default_rng(1)
    first, second = np.zeros_like(weight), np.zeros_like(weight)
    step = 0
    batch = 16_384
    for epoch in range(epochs):
        rate = 0.02 * (1 - epoch / epochs)
        chosen = held + order.permutation(len(rows) - held)
        for at in range(0, len(chosen), batch):
            some = chosen[at : at + batch]
            index = rows[some].astype(np.int64)
            error = 1 / (1 + np.exp(-weight[index].sum(axis=1))) - results[some]
            gradient = np.bincount(index.ravel(), np.repeat(error, WIDTH), count + 1) / len(some)
            gradient += penalty * (weight - begin)
            gradient[count] = 0
            step += 1
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            weight -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        if epoch % 5 == 4 or epoch == epochs - 1:
            loss = [
                float(np.mean(np.logaddexp(0, logit) - results[part] * logit))
                for part in (slice(0, held), slice(held, None, 9))
                for logit in [weight[rows[part].astype(np.int64)].sum(axis=1)]
            ]
            print(f"  epoch {epoch + 1}: loss {loss[0]:.4f} held back, {loss[1]:.4f} learned", flush=True)
    return weight[:count]


def write(tables: list[list[list[int]]]) -> None:
    """Write the header."""
    count = _deblockle.feature_count()
    text = (
        "/* The weights of Deblockle's static evaluation in 1/1024 of the logarithm of the odds, by slider and\n"
        " * no_touch, learned by bench/tune_deblockle.py. Made by that script: not to be edited. */\n"
        "#ifndef BLOCKWIT_DEBLOCKLE_WEIGHTS_H\n#define BLOCKWIT_DEBLOCKLE_WEIGHTS_H\n\n#include <stdint.h>\n\n"
        f"#define DB_FEATURES {count}\n"
        f"static const int16_t DB_WEIGHTS[{SLIDERS}][{TOUCH}][DB_FEATURES] = {{\n"
    )
    for slider in tables:
        text += "{\n"
        for row in slider:
            lines = [", ".join(map(str, row[i : i + 20])) for i in range(0, count, 20)]
            text += "{" + ",\n".join(lines) + "},\n"
        text += "},\n"
    HEADER.write_text(text + "};\n\n#endif\n")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games a round")
    parser.add_argument("--rounds", type=int, default=1, help="each plays with the weights of the one before")
    parser.add_argument("--nodes", type=int, default=500, help="nodes of every search")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--penalty", type=float, default=1e-3, help="on the squares of the weights' steps, a position")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slider", type=int, default=0, help="0 free, 1 full, 2 full or beside a star")
    parser.add_argument("--no-touch", action="store_true")
    parser.add_argument("--fresh", action="store_true", help="begin with the race alone, not with the weights in use")
    parser.add_argument("--keep", type=Path, help="keep positions and results in this .npz file, and begin with it")
    args = parser.parse_args()
    mine = np.asarray(_deblockle.weights(args.slider, args.no_touch))
    if args.fresh:
        mine[:] = _deblockle.race_weights()
    begin = mine.copy()
    kept: list[Any] = []
    if args.keep and args.keep.exists():
        stored = np.load(args.keep)
        kept.append((stored["rows"], stored["results"]))
    for number in range(args.rounds):
        begun = time.monotonic()
        chunk = 50
        jobs = [
            (args.seed * 1_000_003 + number * 10_007 + i, chunk, args.nodes, args.slider, args.no_touch, mine.tolist())
            for i in range(math.ceil(args.games / chunk))
        ]
        with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
            for rows, results, _ in pool.imap_unordered(play, jobs):
                kept.append((rows, results))
        rows = np.concatenate([rows for rows, _ in kept])
        results = np.concatenate([results for _, results in kept])
        print(f"round {number + 1}: {len(rows)} positions, {time.monotonic() - begun:.0f} s", flush=True)
        if args.keep:
            np.savez(args.keep, rows=rows, results=results)
        weight = fit(rows, results, begin / 1024, args.epochs, args.penalty)
        mine[:] = np.clip(np.rint(weight * 1024), -32767, 32767)
        write([[list(_deblockle.weights(slider, bool(touch))) for touch in range(TOUCH)] for slider in range(SLIDERS)])


if __name__ == "__main__":
    main()
