"""The games under OpenSpiel's own tests and searchers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blockwit.errors import OptionError, PositionError

from tests.boards import START

pyspiel = pytest.importorskip("pyspiel")
from blockwit.adapters import openspiel, steps  # noqa: E402
from open_spiel.python.algorithms import cfr, external_sampling_mccfr, mcts, outcome_sampling_mccfr  # noqa: E402

PUZZLES = Path(__file__).parents[2] / "puzzles"

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
    for parameters, error in (
        ({"nohop": "x"}, OptionError),
        ({"position": "x"}, PositionError),
        ({"longest": 0}, OptionError),
    ):
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


def test_a_game_is_as_long_as_told() -> None:
    game = pyspiel.load_game(f"blockwit_deblockle(position={ONE_TURN},longest=2)")
    assert game.max_game_length() == 2
    state = game.new_initial_state()
    for _ in range(2):
        assert not state.is_terminal()
        state.apply_action(next(a for a in state.legal_actions() if state.action_to_string(a) != "d5d6"))
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_what_a_player_knows_is_the_history() -> None:
    state = pyspiel.load_game(f"blockwit_deblockle(position={ONE_TURN})").new_initial_state()
    assert state.information_state_string(0) == ""
    state.apply_action(state.legal_actions()[3])
    assert state.information_state_string(0) == state.information_state_string(1) == state.history_str() != ""


SHORT = (
    f"blockwit_deblockle(position={ONE_TURN},longest=4)",
    "blockwit_deblockle(south_blocks=2,north_blocks=2,longest=6)",
    "blockwit_numberdrop(solo=true,longest=5)",
    "blockwit_numberdrop(players=2,longest=6)",
    "blockwit_nmbr9(Problem=F-2-2-4)",
    "blockwit_nmbr9(Problem=U-3-2-4)",
)
"""A random game of these is over soon."""


@pytest.mark.parametrize("text", SHORT)
def test_mcts_of_openspiel_plays_every_game(text: str) -> None:
    game = pyspiel.load_game(text)
    randomness = np.random.RandomState(2)
    bot = mcts.MCTSBot(game, 2, 4, mcts.RandomRolloutEvaluator(random_state=randomness), random_state=randomness)
    _play(game, bot.step)


@pytest.mark.parametrize("text", SHORT)
def test_compiled_mcts_of_openspiel_plays_every_game(text: str) -> None:
    game = pyspiel.load_game(text)
    bot = _compiled_mcts(game, 20)
    _play(game, lambda state: bot.mcts_search(state).best_child().action)


def test_compiled_mcts_of_openspiel_finds_the_win() -> None:
    game = pyspiel.load_game(SHORT[0])
    state = game.new_initial_state()
    assert state.action_to_string(_compiled_mcts(game, 300).mcts_search(state).best_child().action) == "d5d6"


def _compiled_mcts(game: Any, simulations: int) -> Any:
    """Return OpenSpiel's bot in C++. Its `step` crashes with every Python game, OpenSpiel's own included."""
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 5), 2.0, simulations, 100, True, 5, False)


def _play(game: Any, choose: Any) -> None:
    """Play a game, checking that every choice is legal."""
    state, rng = game.new_initial_state(), random.Random(4)
    while not state.is_terminal():
        legal = state.legal_actions()
        action = rng.choice(legal) if state.is_chance_node() else choose(state)
        assert action in legal
        state.apply_action(action)


SOLVERS = {
    "CFR": (pyspiel.CFRSolver, "evaluate_and_update_policy", 1),
    "CFR, Python": (cfr.CFRSolver, "evaluate_and_update_policy", 1),
    "external sampling": (lambda game: pyspiel.ExternalSamplingMCCFRSolver(game, 1), "run_iteration", 1),
    "external sampling, Python": (external_sampling_mccfr.ExternalSamplingSolver, "iteration", 1),
    "outcome sampling": (lambda game: pyspiel.OutcomeSamplingMCCFRSolver(game, seed=1), "run_iteration", 50),
    "outcome sampling, Python": (outcome_sampling_mccfr.OutcomeSamplingSolver, "iteration", 50),
}
"""What makes a tool of OpenSpiel's, its method for one iteration, and how many of them do the work of one of CFR."""


def _solved(game: Any, name: str, iterations: int) -> Any:
    """Return a tool of OpenSpiel's after so many iterations. Its policy does not outlive it."""
    np.random.seed(1)
    make, iterate, times = SOLVERS[name]
    solver = make(game)
    for _ in range(iterations * times):
        getattr(solver, iterate)()
    return solver


def _preferred(solver: Any, state: Any) -> str:
    """Return the move that a tool's average policy prefers step by step."""
    policy, state = solver.average_policy(), state.clone()
    node, moves = state.node, []
    while not state.is_terminal() and state.node.count == node.count:
        probabilities = policy.action_probabilities(state)
        moves.append(max(probabilities, key=probabilities.__getitem__))
        state.apply_action(moves[-1])
    return str(node.alphabet.token(node.position, moves))


@pytest.mark.parametrize("name", SOLVERS)
def test_cfr_of_openspiel_finds_the_win(name: str) -> None:
    game = pyspiel.load_game(f"blockwit_deblockle(position={ONE_TURN},longest=2)")
    assert _preferred(_solved(game, name, 10), game.new_initial_state()) == "d5d6"


@pytest.mark.parametrize("name", ["CFR", "external sampling", "external sampling, Python"])
@pytest.mark.parametrize(("puzzle", "longest"), [("deblockle/win2-02", 3), ("numberdrop/drop1-01", 1)])
def test_cfr_of_openspiel_prefers_the_proven_move(puzzle: str, longest: int, name: str) -> None:
    """The first wins by one move only, in two turns; of the second one drop with one claim brings the most points."""
    data = json.loads((PUZZLES / f"{puzzle}.json").read_text(encoding="utf-8"))
    parameters = {"position": data["position"].replace(",", ";"), "longest": longest}
    game = pyspiel.load_game(f"blockwit_{data['game']}", parameters)
    assert _preferred(_solved(game, name, 15), game.new_initial_state()) == data["answer"]["line"][0]


def test_cfr_of_openspiel_comes_close_to_an_equilibrium() -> None:
    game = pyspiel.load_game(f"blockwit_deblockle(position={ONE_TURN},longest=2)")
    solver = _solved(game, "CFR", 40)
    assert pyspiel.exploitability(game, solver.average_policy()) < 0.02


@pytest.mark.parametrize("name", ["CFR", "external sampling", "outcome sampling"])
def test_cfr_of_openspiel_places_every_card_best(name: str) -> None:
    """A card of an unknown deck, 7 or 9, is drawn; only one of some 110 placements of each is on level 1 and counts."""
    game = pyspiel.load_game("blockwit_nmbr9(position=0a@0;0;0;2a@2;-2;0 ?79/1)")
    solver = _solved(game, name, 30)
    start = game.new_initial_state()
    for number, probability in start.chance_outcomes():
        assert probability == 0.5
        position = start.child(number).node.position
        best = max(position.play(token).returns() for token in position.tokens())
        assert best[0] == position.hand
        assert position.play(_preferred(solver, start.child(number))).returns() == best
