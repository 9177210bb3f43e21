"""The sequential test: its likelihoods, its bounds, and how often it errs."""

from __future__ import annotations

import math
import random

import pytest
from blockwit.arena.sprt import ERROR, SCORES, Sprt, classes, expected, likeliest
from blockwit.cli.main import app
from blockwit.errors import OptionError
from typer.testing import CliRunner


def test_pairs_are_counted_by_their_five_scores() -> None:
    assert classes([0, 0.25, 0.25, 0.5, 0.75, 1, 1, 1]) == (1, 2, 1, 1, 3)


@pytest.mark.parametrize("mean", [0.2, 0.5, 0.503, 0.9])
def test_likeliest_chances_have_the_mean_and_no_neighbour_is_better(mean: float) -> None:
    shares = [0.1, 0.2, 0.3, 0.25, 0.15]
    chances = likeliest(shares, mean)
    assert sum(chances) == pytest.approx(1)
    assert sum(p * a for p, a in zip(chances, SCORES, strict=True)) == pytest.approx(mean)

    def likelihood(of: list[float]) -> float:
        return sum(share * math.log(p) for share, p in zip(shares, of, strict=True))

    # Steps that keep both the sum and the mean.
    for i in range(3):
        for step in (1e-3, -1e-3):
            other = list(chances)
            other[i] += step
            other[i + 1] -= 2 * step
            other[i + 2] += step
            assert likelihood(other) < likelihood(chances)


def test_two_classes_alone_give_the_classic_ratio() -> None:
    """Only pairs won or lost twice: the ratio is Wald's for a coin."""
    test = Sprt(0, 100)
    p = expected(100)
    exact = 30 * math.log(p / 0.5) + 20 * math.log((1 - p) / 0.5)
    assert test.ratio([1.0] * 30 + [0.0] * 20) == pytest.approx(exact, abs=0.01)


def test_pairs_that_vary_less_weigh_more() -> None:
    test = Sprt(0, 20)
    wild = test.ratio([1.0] * 55 + [0.0] * 45)
    calm = test.ratio([0.75] * 55 + [0.5] * 5 + [0.25] * 40)
    assert 0 < wild < calm


def test_mirrored_hypotheses_and_scores_give_the_opposite_ratio() -> None:
    pairs = [1.0] * 7 + [0.75] * 20 + [0.5] * 30 + [0.25] * 12 + [0.0] * 4
    assert Sprt(-5, 15).ratio([1 - score for score in pairs]) == pytest.approx(-Sprt(-15, 5).ratio(pairs), abs=1e-6)
    assert Sprt(-5, 15).ratio([]) == 0


@pytest.mark.parametrize(("elo", "right"), [(0, "H0"), (80, "H1")])
def test_decides_for_the_truth_nearly_always(elo: float, right: str) -> None:
    rng = random.Random(7)
    test = Sprt(0, 80)
    verdicts = []
    for _ in range(60):
        pairs: list[float] = []
        verdict = ""
        while not verdict:
            pairs.append(((rng.random() < expected(elo)) + (rng.random() < expected(elo))) / 2)
            verdict = test.verdict(test.ratio(pairs)) if len(pairs) % 4 == 0 else ""
        verdicts.append(verdict)
    # Twice the error allowed, and a few: the chance of more is below one in a hundred.
    assert verdicts.count(right) >= 60 * (1 - 2 * ERROR) - 1


@pytest.mark.parametrize("elos", [(5, 5), (5, 0), (math.nan, 5), (0, math.inf), (-3000, 0)])
def test_hypotheses_have_to_rise(elos: tuple[float, float]) -> None:
    with pytest.raises(OptionError, match="rising Elo"):
        Sprt(*elos)


def test_match_stops_when_decided() -> None:
    done = CliRunner().invoke(app, ["match", "depth=3", "depth=1", "--sprt", "0", "300", "--seed", "2"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].endswith("H1 accepted")
    assert "LLR +" in done.stdout


def test_match_says_so_when_undecided() -> None:
    done = CliRunner().invoke(app, ["match", "depth=1", "depth=1", "--sprt", "0", "5", "--pairs", "1"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].startswith("LLR ")
    assert "accepted" not in done.stdout


def test_match_refuses_falling_hypotheses() -> None:
    done = CliRunner().invoke(app, ["match", "depth=1", "depth=1", "--sprt", "5", "0"])
    assert done.exit_code == 2
    assert "rising Elo" in done.stderr
