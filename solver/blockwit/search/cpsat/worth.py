"""What a free square of each level is worth while a known deck is played: multipliers of the areas.

Leave out all shapes: a card is played on one level, for level x digit points, and at every moment the tiles of a level
take no more room than the level below gives. With a multiplier for each of these limits, a card takes the level where
its points and the room it makes outweigh the room it takes; the multipliers that make the sum of these least are
the prices of room, level by level and card by card. A beam that adds the worth of the room it leaves builds wide what
later cards need, where counting squares alone builds what looks wide.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blockwit.search.cpsat.problem import AREAS, Problem
from blockwit.search.cpsat.search import Worth

LEVELS = 10
STEPS = 400
MAX_WORTH = 60_000
"""The beam takes no more, in 1/256 point."""


def prices(levels: Sequence[int], deck: Sequence[int], waste: float, top: int = LEVELS - 1) -> npt.NDArray[np.float64]:
    """Return multipliers [level, card] of the limits on areas, in points a square, for stacks of levels 0 to `top`.

    That of (level, card): when the card has been played, the cards up to it on `level` take, `waste` times, no more
    room than the cards before it on the level below. `levels` are those of the tiles that lie already, whose digits
    `deck` begins with. Found by subgradients; the mean of the second half of the steps.
    """
    cards = len(deck)
    digits = np.array(deck, dtype=float)
    areas = np.array([AREAS[digit] for digit in deck], dtype=float)
    numbers = np.arange(LEVELS)[None, :]
    # Two tiles below any, on every level.
    allowed = numbers <= np.minimum(np.arange(cards)[:, None] // 2, top)
    for card, level in enumerate(levels):
        allowed[card] = numbers[0] == level
    found = np.zeros((LEVELS + 1, cards))
    mean = np.zeros_like(found)
    every = np.arange(cards)
    for step in range(STEPS):
        taken = np.cumsum(found[:, ::-1], axis=1)[:, ::-1]
        given = np.concatenate([taken[:, 1:], np.zeros((LEVELS + 1, 1))], axis=1)
        value = numbers * digits[:, None] + areas[:, None] * (given[1:].T - waste * taken[:LEVELS].T * (numbers > 0))
        chosen = np.where(allowed, value, -np.inf).argmax(axis=1)
        room = np.zeros((LEVELS, cards))
        room[chosen, every] = areas
        room = np.cumsum(room, axis=1)
        excess = np.zeros_like(found)
        excess[1:LEVELS] = waste * room[1:]
        excess[1:LEVELS, 1:] -= room[:-1, :-1]
        found = np.maximum(0.0, found + 0.09 / (1 + step / 30) * excess / max(1.0, float(np.abs(excess).max())))
        if 2 * step >= STEPS:
            mean += found
    return mean / (STEPS - STEPS // 2)


def worth_of_squares(levels: Sequence[int], deck: Sequence[int], waste: float, scale: float) -> Worth:
    """Return what free squares are worth after each card of `deck` that is still to come (see `prices`).

    `scale` turns squares of room into free squares, as the beam counts them (those of 2 x 2).
    """
    cards, held = len(deck), len(levels)
    taken = np.cumsum(prices(levels, deck, waste)[:, ::-1], axis=1)[:, ::-1]
    out: Worth = []
    for card in range(held, cards):
        after = taken[:, card + 1] if card + 1 < cards else np.zeros(LEVELS + 1)
        # The highest level carries nothing.
        out.append([*(min(MAX_WORTH, int(256 * scale * after[level + 1])) for level in range(LEVELS - 1)), 0])
    return out


def many_prices(deck: Sequence[int], levels: Sequence[int] = ()) -> list[list[list[float]]]:
    """Return multipliers for stacks of every likely height, for bounds: no room is wasted. See `prices`."""
    highest = min(LEVELS, (len(deck) + 1) // 2) - 1
    return [prices(levels, deck, 1.0, top).tolist() for top in range(max(2, *levels, 0), highest + 1)]


def first_worth(problem: Problem) -> Worth:
    """Return what did best in single short runs of full decks."""
    return _of_problem(problem, 1.5, 0.7)


def draw_worth(rng: random.Random, problem: Problem) -> Worth | None:
    """Draw what squares are worth: no single choice is best, so a long search varies them. None: by evaluation."""
    if rng.random() < 0.1:
        return None
    return _of_problem(problem, rng.choice((1.3, 1.5, 1.7, 2.0)), rng.uniform(0.4, 1.0))


def _of_problem(problem: Problem, waste: float, scale: float) -> Worth:
    deck = [*(tile.digit for tile in problem.start), *problem.deck]
    return worth_of_squares([tile.level for tile in problem.start], deck, waste, scale)
