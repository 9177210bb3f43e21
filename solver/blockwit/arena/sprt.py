"""A sequential probability ratio test for matches, which stops as soon as one of two Elo differences is ruled out.

The test is Wald's (A. Wald, Sequential tests of statistical hypotheses, 1945). Its observations are pairs of games
from one opening with the seats swapped, each with one of five scores: the two games of a pair depend on each other,
so games counted alone would have the wrong spread. As the chances of the five scores are not known, both hypotheses
take the ones most likely among those with the mean that their Elo stands for: the generalized ratio test, as used in
chess testing (M. Van den Bergh, A practical introduction to the GSPRT, 2019, for fishtest).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from blockwit.errors import OptionError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Mean results of a pair: the five classes of a pentanomial count."""

UNSEEN = 1e-3
"""What a class without a pair counts as: with chances of nothing a likelihood would have no logarithm."""

ERROR = 0.05
"""Chance of accepting either hypothesis where the other one holds (Wald's alpha and beta)."""


def expected(elo: float) -> float:
    """Return the mean result that a (logistic) Elo difference stands for, 0 to 1."""
    return 1 / (1 + 10 ** (-elo / 400))


def classes(pairs: Sequence[float]) -> tuple[int, int, int, int, int]:
    """Count pairs, given as mean results, by their five classes."""
    counts = [0] * 5
    for score in pairs:
        counts[round(4 * score)] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def likeliest(shares: Sequence[float], mean: float) -> list[float]:
    """Return the chances of the five classes that explain the shares seen best, among those with this mean.

    By Lagrange multipliers they are share / (1 + x (score - mean)), with x such that the mean comes out; the sum
    that has to vanish falls as x grows, so halving the interval finds it.
    """
    low, high = -1 / (SCORES[-1] - mean), 1 / (mean - SCORES[0])
    for _ in range(100):
        x = (low + high) / 2
        slope = sum(p * (a - mean) / (1 + x * (a - mean)) for p, a in zip(shares, SCORES, strict=True))
        low, high = (x, high) if slope > 0 else (low, x)
    return [p / (1 + x * (a - mean)) for p, a in zip(shares, SCORES, strict=True)]


@dataclass(frozen=True)
class Sprt:
    """The test of `elo1` against `elo0` (the first player's lead), both errors being `ERROR`.

    Raises:
        OptionError: the two differences are not finite and rising, or beyond 2000.
    """

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        if not -2000 <= self.elo0 < self.elo1 <= 2000:
            raise OptionError(
                f"a ratio test needs two rising Elo differences from -2000 to 2000, got {self.elo0:g} {self.elo1:g}"
            )

    @property
    def bound(self) -> float:
        """The log-likelihood ratio that decides for `elo1`; its negative decides for `elo0`."""
        return math.log((1 - ERROR) / ERROR)

    def ratio(self, pairs: Sequence[float]) -> float:
        """Return the log-likelihood ratio of `elo1` to `elo0` after these pairs' mean results."""
        if not pairs:
            return 0.0
        counts = [count or UNSEEN for count in classes(pairs)]
        total = sum(counts)
        shares = [count / total for count in counts]
        chances0 = likeliest(shares, expected(self.elo0))
        chances1 = likeliest(shares, expected(self.elo1))
        return sum(n * math.log(p1 / p0) for n, p0, p1 in zip(counts, chances0, chances1, strict=True))

    def verdict(self, ratio: float) -> str:
        """Say which hypothesis a ratio decides for: `H1` (elo1), `H0` (elo0), or nothing yet."""
        return "H1" if ratio >= self.bound else "H0" if ratio <= -self.bound else ""

    def line(self, pairs: Sequence[float]) -> str:
        """Return the state of the test on one line."""
        ratio = self.ratio(pairs)
        verdict = {"H1": ", H1 accepted", "H0": ", H0 accepted", "": ""}[self.verdict(ratio)]
        return f"LLR {ratio:+.2f} ({-self.bound:.2f}, {self.bound:.2f}) [{self.elo0:g}, {self.elo1:g}]{verdict}"
