"""Elo and levels of `Skill`: the shipped ladder is the fit of the measured one, and every Elo has its level."""

from __future__ import annotations

import itertools

import pytest
from blockwit.search.strength import ELO, level_of

from bench.skill import elo

MEASURED = (5, 7, 13, 19, 24, 29, 33, 38, 44, 50, 54, 60, 63, 70, 73, 76, 81, 82, 85, 95)
"""Percent of each level against all others, of bench/LONG.md."""


def test_ladder_is_the_fit_of_the_measured_results() -> None:
    assert [round(2000 + rating) for rating in elo([percent / 100 for percent in MEASURED])] == list(ELO)


def test_two_players_differ_by_the_formula() -> None:
    assert elo([10 / 11, 1 / 11])[0] == pytest.approx(400, abs=0.01)
    assert elo([0.5, 0.5, 0.5]) == pytest.approx([0, 0, 0], abs=0.01)


def test_each_level_has_its_elo_and_fractions_lie_between() -> None:
    assert [level_of(rating) for rating in ELO] == list(range(1, 21))
    levels = [level_of(rating) for rating in range(ELO[0], ELO[-1] + 1)]
    assert all(low <= high for low, high in itertools.pairwise(levels))
    assert level_of((ELO[4] + ELO[5]) // 2) == pytest.approx(5.5, abs=0.01)
    assert {level_of(rating) for rating in range(ELO[18], ELO[19] + 1)} == {19, 20}
    assert (level_of(-5), level_of(9999)) == (1, 20)
