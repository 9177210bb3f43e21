"""The games under PettingZoo's own tests."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from blockwit.adapters import pettingzoo, steps
from blockwit.errors import BlockwitError, MoveError
from blockwit.games import OptionValue
from pettingzoo.test import api_test, seed_test

SETTINGS: list[tuple[str, dict[str, OptionValue]]] = [("deblockle", {}), ("numberdrop", {"players": 3})]


@pytest.mark.parametrize(("game", "options"), SETTINGS)
# It says so of every observation with a mask, PettingZoo's own chess too.
@pytest.mark.filterwarnings("ignore:Observation")
@pytest.mark.filterwarnings("error")
def test_conforms(game: str, options: dict[str, OptionValue], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "LONGEST", 200)
    api_test(pettingzoo.env(game, options), num_cycles=300)
    seed_test(lambda: pettingzoo.env(game, options), num_cycles=100)


@pytest.mark.parametrize(("game", "options"), SETTINGS)
def test_rewards_add_up_to_the_result(
    game: str, options: dict[str, OptionValue], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "LONGEST", 400)
    raw = pettingzoo.raw_env(game, options)
    raw.reset(seed=3)
    rng = np.random.default_rng(1)
    total = dict.fromkeys(raw.possible_agents, 0.0)
    for agent in raw.agent_iter():
        observation, reward, over, cut, _ = raw.last()
        total[agent] += float(reward)
        assert observation is not None
        raw.step(None if over or cut else rng.choice(np.flatnonzero(observation["action_mask"])))
    assert tuple(total.values()) == pytest.approx(raw.node.position.returns())


def test_winner_gets_one() -> None:
    env = pettingzoo.raw_env("deblockle", {}, "d5CTL e1XLT s")
    env.reset()
    (step,) = env.node.spell("d5d6")
    env.step(step)
    assert env.rewards == {"player_1": 1, "player_2": -1}
    assert all(env.terminations.values())
    assert "South wins" in env.render()


def test_illegal_action() -> None:
    raw = pettingzoo.raw_env("deblockle")
    raw.reset(seed=1)
    with pytest.raises(MoveError):
        raw.step(0)
    env = pettingzoo.env("deblockle")
    env.reset(seed=1)
    env.step(0)
    assert env.rewards["player_1"] == -1


@pytest.mark.parametrize(("game", "options"), [("nmbr9", {}), ("numberdrop", {"solo": True}), ("chess", {})])
def test_games_that_do_not_fit(game: str, options: dict[str, OptionValue]) -> None:
    with pytest.raises(BlockwitError):
        pettingzoo.env(game, options)
