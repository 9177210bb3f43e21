"""The solo games under Gymnasium's own checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from blockwit.adapters import gymnasium as adapter  # noqa: E402
from blockwit.adapters import steps  # noqa: E402
from blockwit.errors import OptionError  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

NAMES = ["blockwit/NumberDrop-v0", "blockwit/NMBR9-v0"]


def made(name: str, **arguments: Any) -> Any:
    return gymnasium.make(f"{adapter.__name__}:{name}", **arguments)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("error")
def test_conforms(name: str) -> None:
    check_env(made(name, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_observations_lie_between_minus_one_and_one(name: str) -> None:
    space = made(name).observation_space
    assert (space.low == -1).all()
    assert (space.high == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_masked_random_games_are_reproducible_and_rewards_add_up(name: str) -> None:
    ends = []
    for _ in range(2):
        env = made(name, render_mode="ansi")
        _, info = env.reset(seed=5)
        env.action_space.seed(6)
        total, over, cut = 0.0, False, False
        while not (over or cut):
            assert (env.unwrapped.action_masks() == info["action_mask"]).all()
            _, reward, over, cut, info = env.step(env.action_space.sample(info["action_mask"]))
            total += reward
        assert not cut
        assert total == env.unwrapped.node.position.returns()[0]
        ends.append(env.render())
    assert ends[0] == ends[1]


def test_illegal_action_changes_nothing_and_costs_a_point() -> None:
    env = made("blockwit/NMBR9-v0", rules={"Problem": "U-1-2-2"})
    seen, info = env.reset(seed=1)
    assert not info["action_mask"][0]
    again, reward, over, cut, _ = env.step(0)
    assert np.array_equal(seen, again)
    assert (reward, over, cut) == (adapter.PENALTY, False, False)


def test_endless_game_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "LONGEST", 3)
    env = made("blockwit/NMBR9-v0")
    _, info = env.reset(seed=1)
    over = cut = False
    while not (over or cut):
        _, _, over, cut, info = env.step(env.action_space.sample(info["action_mask"]))
    assert (over, cut) == (False, True)


def test_game_of_several_players_is_refused() -> None:
    with pytest.raises(OptionError, match="several players"):
        adapter.SoloEnv("deblockle")
