"""The measurement of Number Drop's strength: the same dice in every row, parts that add up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from blockwit.games.base import Kind
from blockwit.games.numberdrop import position as numberdrop

from bench import numberdrop_strength as strength


def test_hindsight_knows_the_dice_that_the_players_meet() -> None:
    met = []

    def watch(position: numberdrop.NumberDropPosition) -> str:
        dice = position.state()["dice"]
        if dice and position.parts[7] == 0 and position.phase == numberdrop.SLIDE:
            met.append(f"roll:{dice['numbers']}{dice['shape']}")
        return strength.greedy(position)

    sample = strength.play([watch], strength.SOLO, 5)  # type: ignore[list-item]
    foreseen = strength.rolls(5)
    assert len(met) == sample.chances - 5
    assert foreseen[5 : 5 + len(met)] == met
    position = numberdrop.GAME.start(strength.SOLO)
    for token in foreseen[:5]:
        position = position.play(token)
    assert position.kind() is Kind.DECISION


def test_parts_add_up_and_are_not_played_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*words: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["strength", "--journals", str(tmp_path), "--seeds", "6", *words])
            strength.main()
        return capsys.readouterr().out

    assert "games 2  of 6" in run("one-ply", "--part", "2/3")
    assert "done: 1 4; missing: 0 2-3 5" in run()
    whole = run("one-ply", "two-one-ply")
    monkeypatch.setattr(strength, "play", None)
    assert run("one-ply", "two-one-ply", "--part", "1/2") == whole
    assert whole.count("done: 0-5\n") == 2
    with pytest.raises(SystemExit):
        run("one-ply", "--part", "3/2")
