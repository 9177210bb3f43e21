"""Learn the weights of Number Drop's static evaluation, and write ext/numberdrop_weights.h.

Greedy self-play; after every game each sheet's values between rounds move towards their lambda-returns. Step
sizes are those of temporal coherence learning (D. F. Beal and M. C. Smith, Temporal coherence and prediction
decay in TD learning, IJCAI 1999), as used for 2048 by W. Jaskowski (Mastering 2048 with delayed temporal
coherence learning, 2017). Half of the games are solo, half have several players.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np

from solver import _numberdrop as nd

HEADER = Path(__file__).resolve().parent.parent / "ext" / "numberdrop_weights.h"
UNIT = 10_000
BGA = bytes([1, 10, 3, 4, 5, 7, 1, 2, 10, 4, 5, 6, 2, 3, 4, 10, 6, 7, 1, 2, 3, 5, 6, 7])
ROLL, OVER = 2, 7


class Learner:
    """Weights with their step sizes."""

    def __init__(self, decay: float, rate: float) -> None:
        self.view = np.asarray(nd.weights())
        self.weight = self.view.astype(float)
        self.errors = np.zeros(self.weight.size)
        self.sizes = np.zeros(self.weight.size)
        self.decay = decay
        self.rate = rate

    def learn(self, steps: list[tuple[list[int], int]], final: int) -> None:
        """Move one sheet's values towards their returns: steps are (active weights, score) between rounds."""
        ahead = float(final)  # the lambda-return of the step after, as a final score
        for active, score in reversed(steps):
            index = np.array(active)
            value = score + self.weight[index].sum() / UNIT
            delta = ahead - value
            size = self.sizes[index]
            step = np.where(size > 0, np.abs(self.errors[index]) / np.maximum(size, 1e-9), 1.0)
            self.weight[index] += UNIT * self.rate * step * delta / len(active)
            self.errors[index] += delta
            self.sizes[index] += abs(delta)
            self.view[index] = np.rint(self.weight[index])
            ahead = self.decay * ahead + (1 - self.decay) * value

    def write(self) -> None:
        """Write the header."""
        rows = self.view.tolist()
        lines = [", ".join(map(str, rows[i : i + 16])) for i in range(0, len(rows), 16)]
        HEADER.write_text(
            "/* The weights of Number Drop's static evaluation in 1/10000 point, learned by\n"
            " * bench/tune_numberdrop.py. Made by that script: not to be edited. */\n"
            "#ifndef BLOCKWIT_NUMBERDROP_WEIGHTS_H\n#define BLOCKWIT_NUMBERDROP_WEIGHTS_H\n\n"
            "#include <stdint.h>\n\n"
            f"#define ND_WEIGHT_COUNT {len(rows)}\n"
            f"static const int32_t ND_WEIGHTS[ND_WEIGHT_COUNT] = {{\n    " + ",\n    ".join(lines) + "};\n\n#endif\n"
        )


def play(players: int, seed: int, learner: Learner | None, width: int) -> list[int]:
    """Play one greedy game, 0 players for solo; returns the scores."""
    rng = random.Random(seed)
    solo = players == 0
    state = nd.new_state(players or 1, solo, 5, False, False, False, "shapes" if solo else "pool10", BGA, b"")
    steps: list[list[tuple[list[int], int]]] = [[] for _ in range(players or 1)]
    while (kind := nd.state_kind(state)) != 2:
        if kind == 1:
            if learner and nd.unpack(state)[3] == ROLL:
                for player, parts in enumerate(nd.scores(state)):
                    steps[player].append((nd.active_features(state, player), parts[-1]))
            action = nd.draw(state, rng.getrandbits(63))
        else:
            action = nd.best(state, width)[0][0]
        state = nd.play(state, action)
    finals = [parts[-1] for parts in nd.scores(state)]
    if learner:
        for player, final in enumerate(finals):
            learner.learn(steps[player], final)
    return finals


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decay", type=float, default=0.8, help="lambda")
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--width", type=int, default=1)
    parser.add_argument("--solo-share", type=float, default=0.7)
    parser.add_argument("--save", default="", help="also keep the float weights in this .npz file")
    parser.add_argument("--load", default="")
    args = parser.parse_args()
    learner = Learner(args.decay, args.rate)
    if args.load:
        stored = np.load(args.load)
        learner.weight[:], learner.errors[:], learner.sizes[:] = (
            stored["weight"],
            stored["errors"],
            stored["sizes"],
        )
        learner.view[:] = np.rint(learner.weight)
    rng = random.Random(args.seed)
    begun = said = time.monotonic()
    solo: list[int] = []
    several: list[int] = []
    games = 0
    while time.monotonic() - begun < args.seconds:
        games += 1
        if rng.random() < args.solo_share:
            solo += play(0, rng.getrandbits(63), learner, args.width)
        else:
            several += play(rng.choice((2, 2, 2, 3, 4)), rng.getrandbits(63), learner, args.width)
        if time.monotonic() - said > 20:
            said = time.monotonic()
            print(
                f"{said - begun:6.0f} s {games:6d} games  solo {np.mean(solo[-1000:] or [0]):6.2f}"
                f"  several {np.mean(several[-1000:] or [0]):6.2f}",
                flush=True,
            )
            if args.save:
                np.savez(args.save, weight=learner.weight, errors=learner.errors, sizes=learner.sizes)
    learner.write()


if __name__ == "__main__":
    main()
