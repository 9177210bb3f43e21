"""The table game: place the card in hand without knowing the order of the rest.

Flat Monte Carlo with common random numbers and sequential halving (Karnin, Koren and Somekh 2013): the best
placements by static evaluation are all played out on the same shuffles of the remaining cards, each card
going to its best valued place, and the worse half is dropped again and again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from blockwit import _nmbr9
from blockwit.games.base import Kind
from blockwit.games.nmbr9.position import Nmbr9Position

CANDIDATES = 24
BLOCK = 4
"""Shuffles that are always dealt together, unless time is up."""

BEAT = 0.9
"""Seconds after which it reports again, however little has changed: a client that is gone is noticed by that."""


@dataclass(frozen=True)
class Choice:
    """A placement, the points it leads to on average, and how many games were played out for all of them."""

    move: str
    mean: float
    games: int


def choose(
    position: Nmbr9Position,
    seconds: float | None,
    games: int | None,
    seed: int,
    stopped: Callable[[], bool] = lambda: False,
    report: Callable[[Choice], None] = lambda choice: None,
    only: frozenset[str] = frozenset(),
) -> Choice:
    """Choose a placement at a decision of an unknown (or known) deck.

    Ends after `seconds`, after `games` played out, or when `stopped()`; with no limit, when told to stop. The
    number of games alone makes the choice repeatable. `only` restricts the moves looked at.
    """
    if position.kind() is not Kind.DECISION:
        raise ValueError("no card is in hand")
    start = time.monotonic()
    ranked = _nmbr9.ranked(position.raw())
    if only:
        ranked = [(a, v) for a, v in ranked if position.line([a])[0] in only]
    field = [action for action, _ in ranked[:CANDIDATES]]
    best = Choice(position.line(field[:1])[0], ranked[0][1], 0)
    rng = random.Random(seed)
    totals = dict.fromkeys(field, 0)
    shuffles = played = 0
    told = start
    stages = max(1, (len(field) - 1).bit_length())
    for stage in range(stages):
        share = (stage + 1) / stages
        end = None if seconds is None else start + seconds * share

        def over(end: float | None = end) -> bool:
            return stopped() or (end is not None and time.monotonic() >= end)

        while not over():
            if games is not None and played >= games * share:
                break
            if seconds is None and games is None and stage + 1 < stages and shuffles >= 64 << stage:
                break
            for _ in range(BLOCK):
                shuffle = rng.getrandbits(63)
                points = []
                for action in field:
                    # One game takes long enough to look at the clock; a shuffle counts when all have played it.
                    if over():
                        break
                    points.append(_nmbr9.deal_out(position.raw(), action, shuffle))
                else:
                    for action, result in zip(field, points, strict=True):
                        totals[action] += result
                    shuffles += 1
                    played += len(field)
            if shuffles and time.monotonic() - told >= BEAT:
                told = time.monotonic()
                leader = max(field, key=totals.__getitem__)
                report(Choice(position.line([leader])[0], totals[leader] / shuffles, played))
        if shuffles:
            field.sort(key=lambda action: -totals[action])
            best = Choice(position.line(field[:1])[0], totals[field[0]] / shuffles, played)
            report(best)
        if stage + 1 < stages:
            field = field[: max(2, (len(field) + 1) // 2)]
    return best
