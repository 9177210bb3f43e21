"""Solve one block each exactly and count the results from d1 and d7 over all 24 x 24 orientations.

    python -m bench.solve_pair

Retrograde over all 1.2 million positions with one side to move, for each reading of the rules.
"""

from __future__ import annotations

import time

import numpy as np

from solver import _deblockle as core
from solver.games.deblockle import square_index

READINGS = (
    ("free", 0, False),
    ("full", 1, False),
    ("full_or_beside_star", 2, False),
    ("free, no_touch", 0, True),
    ("full, no_touch", 1, True),
)


def main() -> None:
    """Print the table."""
    print(f"{'slider':<22} {'win':>5} {'loss':>5} {'draw':>5} {'longest':>8} {'seconds':>8}")
    for name, slider, no_touch in READINGS:
        began = time.perf_counter()
        raw = core.solve_pair(slider, False, no_touch)
        seconds = time.perf_counter() - began
        value = np.frombuffer(raw, dtype=np.int8).reshape(56, 24, 56, 24)
        start = value[square_index("d1"), :, square_index("d7"), :]
        win, loss, draw = (start > 0).sum(), (start < 0).sum(), (start == 0).sum()
        print(f"{name:<22} {win:5} {loss:5} {draw:5} {np.abs(value).max():8} {seconds:8.2f}")


if __name__ == "__main__":
    main()
