"""Perfect information: plans against everything tried in Python, legality, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest
from blockwit import _numberdrop, _plan, games
from blockwit.cli.main import app
from blockwit.errors import MoveError, OptionError
from blockwit.games.base import Kind, Position
from blockwit.search.plan import plan
from typer.testing import CliRunner

GAME = games.get("numberdrop")
DICE = "1*3457/12*456/234*67/123567"


def before_roll(options: dict[str, str | int | bool], seed: int = 3, rounds: int = 4) -> Position:
    """Return a position whose next event is a roll, some greedy rounds after the start."""
    position = GAME.start(options)
    done = 0
    while done < rounds or position.kind() is not Kind.CHANCE:
        if position.kind() is Kind.CHANCE:
            position = position.play(position.roll(seed + done))
            continue
        raw, actions = position.raw(), []
        is_drop = position.state()["phase"] == "drop"
        for _ in range(2 if is_drop else 1):
            actions.append(_numberdrop.best(raw, 1)[0][0])
            raw = _numberdrop.play(raw, actions[-1])
        position = position.play(position.line(actions)[0])
        done += is_drop
    return position


def best_by_trying(position: Position, rolls: list[str]) -> float:
    if position.kind() is Kind.TERMINAL or (position.kind() is Kind.CHANCE and not rolls):
        return position.returns()[0]
    if position.kind() is Kind.CHANCE:
        return best_by_trying(position.play(rolls[0]), rolls[1:])
    return max(best_by_trying(position.play(token), rolls) for token in position.tokens())


@pytest.mark.parametrize("roll", ["roll:1122I", "roll:1234O", "roll:2346I", "roll:1335O"])
@pytest.mark.parametrize("options", [{"players": 1, "tiles": "I4,O4,T4,S4,L4"}, {"solo": True}])
def test_one_roll_is_exact(options: dict[str, str | int | bool], roll: str) -> None:
    position = before_roll(options, rounds=8)
    found = plan(GAME, position, [roll])
    assert found.proven
    assert found.points == best_by_trying(position, [roll])
    assert found.used == 1
    for token in found.tokens:
        position = position.play(token)
    assert position.returns()[0] == found.points


def test_two_rolls_are_exact() -> None:
    position = before_roll({"players": 1, "tiles": "I4,O4,T4,S4,L4", "dice": DICE}, rounds=9)
    rolls = ["roll:1122O", "roll:2233O"]
    found = plan(GAME, position, rolls)
    assert found.proven
    assert found.points == best_by_trying(position, rolls)


def test_a_whole_game() -> None:
    position = GAME.start({"solo": True})
    chances = ["tile:I4", "tile:O4", "tile:T4", "tile:S4", "tile:L4"]
    chances += [before_roll({"solo": True}, rounds=1).roll(seed) for seed in range(20)]
    found = plan(GAME, position, chances, width=16, exact_nodes=0)
    assert not found.proven
    assert found.points > 40
    assert found.tokens[:5] == tuple(chances[:5])
    for token in found.tokens:
        position = position.play(token)
    assert position.kind() is Kind.TERMINAL
    assert position.returns()[0] == found.points
    again = plan(GAME, GAME.start({"solo": True}), chances, width=16, exact_nodes=0)
    assert again == found


def test_bad_lists() -> None:
    position = before_roll({"solo": True}, rounds=1)
    with pytest.raises(MoveError, match="chance event 2: 'roll:88' is no roll"):
        plan(GAME, position, ["roll:1234I", "roll:88"])
    with pytest.raises(MoveError, match="the dice cannot show that"):
        plan(GAME, position, ["roll:8888I"])
    with pytest.raises(OptionError, match="one player"):
        plan(GAME, GAME.start({"players": 2}), [])
    with pytest.raises(OptionError, match="width"):
        plan(GAME, position, [], width=0)
    with pytest.raises(MoveError, match="takes no list"):
        games.get("deblockle").start({}).outcome_actions([])


def test_planner_checks_what_it_is_given() -> None:
    planner = _plan.Planner(_numberdrop.capsule())
    with pytest.raises(ValueError, match="bytes"):
        planner.beam(b"", [], 1)
    with pytest.raises(ValueError, match="one player"):
        planner.exact(GAME.start({"players": 2}).raw(), [])
    with pytest.raises(ValueError, match="width"):
        planner.beam(GAME.start({"solo": True}).raw(), [], 0)
    stack = games.get("nmbr9")
    with pytest.raises(ValueError, match="top"):
        _plan.Planner(stack.capsule()).beam(stack.parse("- 31", {}).raw(), [], 1)


def test_command(tmp_path: Path) -> None:
    rolls = tmp_path / "rolls.txt"
    rolls.write_text("roll:1234I\n")
    position = before_roll({"solo": True}, rounds=1).fen()
    result = CliRunner().invoke(app, ["plan", str(rolls), "-p", position])
    assert result.exit_code == 0, result.output
    assert "proven best" in result.output
    rolls.write_text("roll:12\n")
    result = CliRunner().invoke(app, ["plan", str(rolls), "-p", position])
    assert result.exit_code == 2
