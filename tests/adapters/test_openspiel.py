"""The games under OpenSpiel's own tests and searchers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solver.errors import OptionError, PositionError
from tests.boards import START

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import mcts  # noqa: E402

from solver.adapters import openspiel, steps  # noqa: E402

ONE_TURN = "d5CTL e1XLT s"
"""South moves d5 out and wins."""


@pytest.mark.parametrize(
    "text",
    [
        "blockwit_deblockle(south_blocks=1,north_blocks=1,repetition=0)",
        "blockwit_numberdrop(solo=true,straight=set)",
        "blockwit_numberdrop(players=3,over_row=0)",
        "blockwit_nmbr9",
    ],
)
def test_random_games_of_openspiel(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "LONGEST", 300)
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize(
    "text",
    [
        f"blockwit_deblockle(position={ONE_TURN})",
        "blockwit_nmbr9(Problem=F-2-2-4)",
        "blockwit_nmbr9(position=7b@3;-4;0 012)",
        "blockwit_numberdrop(tiles=I4;O4;T4;L4;S4)",
    ],
)
def test_random_games_with_serialization(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "LONGEST", 15)
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=2, serialize=True, verbose=False)


def test_chance_actions_strings_and_returns() -> None:
    state = pyspiel.load_game("blockwit_deblockle").new_initial_state()
    assert state.is_chance_node()
    assert len(state.chance_outcomes()) == 126
    assert sum(probability for _, probability in state.chance_outcomes()) == pytest.approx(1)
    assert state.action_to_string(0) == "roll:HHHH"
    state.apply_action(0)
    assert str(state) == state.observation_string(0) == "- - s 0 setup:4v4:HHHH"
    assert state.current_player() == 0
    assert state.returns() == [0, 0]
    assert np.array(state.observation_tensor(1)).shape == (steps.start("deblockle", {}).alphabet.length,)
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[0])
    assert str(clone) != str(state)


def test_options_and_positions_are_parameters() -> None:
    game = pyspiel.load_game("blockwit_deblockle", {"position": START.replace(",", ";"), "nohop": "end_turn"})
    assert str(game.new_initial_state()) == f"{START} 0"
    assert str(pyspiel.load_game(str(game)).new_initial_state()) == f"{START} 0"
    for parameters, error in (({"nohop": "x"}, OptionError), ({"position": "x"}, PositionError)):
        with pytest.raises(error):
            pyspiel.load_game("blockwit_deblockle", parameters)


def test_mcts_of_openspiel_finds_the_win() -> None:
    game = pyspiel.load_game("blockwit_deblockle", {"position": ONE_TURN})
    state = game.new_initial_state()
    bot = mcts.MCTSBot(game, 2, 100, openspiel.StaticEvaluator(), random_state=np.random.RandomState(1))
    action = bot.step(state)
    state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [1, -1]


def test_mcts_of_openspiel_plays_a_solo_game() -> None:
    game = pyspiel.load_game("blockwit_nmbr9(Problem=U-3-2-5)")
    randomness = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 5, mcts.RandomRolloutEvaluator(random_state=randomness), random_state=randomness)
    state, rng = game.new_initial_state(), random.Random(4)
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(bot.step(state))
    assert len(state.node.position.tiles) == 5
