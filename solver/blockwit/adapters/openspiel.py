"""The games as OpenSpiel games with chance nodes. Importing this module registers them with pyspiel.

    from blockwit.adapters import openspiel
    game = pyspiel.load_game("blockwit_deblockle")

Parameters are the rule options; `position`: a position string to start from, with semicolons for commas (OpenSpiel ends
a parameter at a comma); and `longest`: the moves and chance events after which a game is over with the result so far,
which keeps small what a tool like CFR walks through. An action is a step of blockwit/adapters/steps.py, an outcome of
chance its number in the order of `query legal`. Returns are in the game's unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyspiel

from blockwit import games
from blockwit.adapters import steps
from blockwit.adapters.steps import Node
from blockwit.errors import OptionError
from blockwit.games.alphabet import Alphabet
from blockwit.games.base import Game, Kind, OptionSpec, OptionValue

PREFIX = "blockwit_"


def _numbers(spec: OptionSpec) -> dict[int, str]:
    """Return the choices of an option by number if some are numbers, which OpenSpiel never takes for text; 0: off."""
    if not any(choice.removeprefix("-").isdigit() for choice in spec.choices):
        return {}
    return {int(choice) if choice.removeprefix("-").isdigit() else 0: choice for choice in spec.choices}


def _parameter(spec: OptionSpec) -> OptionValue:
    """Return the default of an option as a parameter."""
    return next((number for number, choice in _numbers(spec).items() if choice == spec.default), spec.default)


def _rules(game: Game, parameters: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return rule options from parameters. Raises OptionError."""
    numbers = {spec.name: _numbers(spec) for spec in game.options}
    return game.read_options(
        {
            name: numbers.get(name, {}).get(value, value) if isinstance(value, int) else value
            for name, value in parameters.items()
        }
    )


def _game_type(game: Game) -> pyspiel.GameType:
    zero_sum = game.table.zero_sum
    return pyspiel.GameType(
        short_name=PREFIX + game.name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=len(game.players),
        min_num_players=2 if zero_sum else 1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "position": "",
            "longest": steps.LONGEST,
            **{spec.name: _parameter(spec) for spec in game.options},
        },
    )


class BlockwitGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """One of the games under fixed rule options."""

    game: Game
    type: pyspiel.GameType

    def __init__(self, params: Mapping[str, OptionValue] | None = None) -> None:
        given = dict(params or {})
        given = {key: value.replace(";", ",") if isinstance(value, str) else value for key, value in given.items()}
        fen = str(given.pop("position", ""))
        longest = int(given.pop("longest", steps.LONGEST))
        if longest < 1:
            raise OptionError(f"parameter longest is {longest}, expected 1 or more")
        self.start = steps.start(self.game.name, _rules(self.game, given), fen, longest)
        low, high = self.start.alphabet.bounds(self.start.position)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.start.alphabet.size,
            max_chance_outcomes=self.start.alphabet.outcomes,
            num_players=len(self.start.position.returns()),
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if self.type.utility == pyspiel.GameType.Utility.ZERO_SUM else None,
            max_game_length=longest * self.start.alphabet.longest,
        )
        super().__init__(self.type, info, dict(params or {}))

    def new_initial_state(self) -> BlockwitState:
        """Return the start of a game."""
        return BlockwitState(self, self.start)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> BlockwitObserver:
        """Return what fills tensors and names what a player knows."""
        return BlockwitObserver(self.start, iig_obs_type is not None and iig_obs_type.perfect_recall)


class BlockwitState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state of a game; `node` is what it stands for."""

    def __init__(self, game: BlockwitGame, node: Node) -> None:
        super().__init__(game)
        self.node = node

    def current_player(self) -> int:
        """Return who acts: a player from 0, chance, or nobody."""
        kind = self.node.kind
        if kind is Kind.TERMINAL:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if kind is Kind.CHANCE else self.node.position.player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.steps()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return numbers and probabilities of what can come up."""
        return [(number, probability) for number, (_, probability) in enumerate(self.node.outcomes)]

    def _outcome(self, number: int) -> str:
        return self.node.outcomes[number][0]

    def _apply_action(self, action: int) -> None:
        chance = self.node.kind is Kind.CHANCE
        self.node = self.node.played(self._outcome(action)) if chance else self.node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._outcome(action) if player == pyspiel.PlayerId.CHANCE else self.node.alphabet.label(action)

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self.node.kind is Kind.TERMINAL

    def returns(self) -> Sequence[float]:
        """Return each player's result, zeros while the game goes on."""
        results = self.node.position.returns()
        return list(results) if self.is_terminal() else [0.0] * len(results)

    def __str__(self) -> str:
        return str(self.node)


class BlockwitObserver:
    """Fills a tensor with what a player sees, which is everything (see `Alphabet.observe`).

    With perfect recall a state is known by its whole history, as in OpenSpiel's own games of perfect information.
    """

    def __init__(self, start: Node, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        self.tensor = np.zeros(start.alphabet.length, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: BlockwitState, player: int) -> None:
        """Fill the tensor."""
        self.tensor[:] = state.node.observe(player)

    def string_from(self, state: BlockwitState, player: int) -> str:
        """Return the actions so far, or the position string and the steps made."""
        return str(state.history_str()) if self._perfect_recall else str(state.node)


class StaticEvaluator:
    """For OpenSpiel's MCTSBot: the engine's static evaluation instead of random games, all priors alike."""

    def evaluate(self, state: BlockwitState) -> Any:
        """Return what each player can expect in the game's unit."""
        return np.array(state.node.position.evaluate())

    def prior(self, state: BlockwitState) -> list[tuple[int, float]]:
        """Return the legal actions, or the outcomes of chance, with probabilities."""
        if state.is_chance_node():
            return state.chance_outcomes()
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


def register() -> None:
    """Register all games with pyspiel."""
    for game in filter(Alphabet.known_to, map(games.get, games.names())):
        described = _game_type(game)
        kind = type(f"{game.title.replace(' ', '')}Game", (BlockwitGame,), {"game": game, "type": described})
        pyspiel.register_game(described, kind)


register()
