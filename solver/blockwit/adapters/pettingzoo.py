"""The games for several players as PettingZoo AEC environments.

    from blockwit.adapters import pettingzoo
    env = pettingzoo.env("numberdrop", {"players": 3})

An action is a step of blockwit/adapters/steps.py; an agent may act several times in a row. Dice and cards come from the
seed of `reset`. The reward of a step is what each agent's result changed by, in the game's unit: in Deblockle 1 and
-1 at the end, in Number Drop points as they are made.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo.utils import AECEnv, wrappers

from blockwit import games
from blockwit.adapters import steps
from blockwit.adapters.steps import Node
from blockwit.errors import OptionError
from blockwit.games.base import Kind, Options

Observation = dict[str, np.ndarray[Any, Any]]


def env(game: str = games.NAMES[0], rules: Options | None = None, position: str = "") -> AECEnv:
    """Return an environment in which an illegal action loses a point and ends the game.

    Args:
        game: its name.
        rules: rule options.
        position: a position string to start from.

    Raises:
        BlockwitError: an option or the position cannot be read, or the game is not for several players.
    """
    wrapped: Any = wrappers.TerminateIllegalWrapper(raw_env(game, rules, position), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  (PettingZoo has no types, and this name for it)
    """The environment itself: an illegal action raises MoveError. Arguments are those of `env`.

    Attributes:
        node: the position and the steps made of the next move.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "blockwit_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        game: str = games.NAMES[0],
        rules: Options | None = None,
        position: str = "",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._start = steps.start(game, rules or {}, position)
        players = len(self._start.position.returns())
        if players < 2:
            raise OptionError(f"{game} is for one player here, expected several (see blockwit.adapters.gymnasium)")
        self.node: Node = self._start
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(1, players + 1)]
        self._random = random.Random()

    @cache  # noqa: B019  (PettingZoo asks for one and the same space each time)
    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations: the vector, and a mask of the legal actions."""
        alphabet = self._start.alphabet
        return spaces.Dict(
            {
                "observation": spaces.Box(-1, 1, (alphabet.length,), np.float32),
                "action_mask": spaces.Box(0, 1, (alphabet.size,), np.int8),
            }
        )

    @cache  # noqa: B019  (see above)
    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions: all steps."""
        return spaces.Discrete(self._start.alphabet.size)

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees; the mask is empty for those who do not act."""
        acts = bool(self.agents) and agent == self.agent_selection
        return {
            "observation": self.node.observe(self.possible_agents.index(agent)),
            "action_mask": self.node.mask() if acts else np.zeros(self._start.alphabet.size, np.int8),
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; without a seed the dice go on as they are."""
        if seed is not None:
            self._random.seed(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.node = self._start
        self._settle()

    def _settle(self) -> None:
        """Let chance act until somebody decides or the game is over."""
        while self.node.kind is Kind.CHANCE:
            self.node = self.node.played(self.node.position.roll(self._random.getrandbits(64)))
        over = self.node.position.kind() is Kind.TERMINAL
        cut = self.node.kind is Kind.TERMINAL and not over
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, cut)
        self.agent_selection = self.possible_agents[self.node.position.player()]

    def step(self, action: int | None) -> None:
        """Make a step for the agent that acts. Raises MoveError if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        before = self.node.position.returns()
        self.node = self.node.after(int(action))
        self._cumulative_rewards[agent] = 0
        self._settle()
        changes = zip(self.possible_agents, self.node.position.returns(), before, strict=True)
        self.rewards = {name: float(now - then) for name, now, then in changes}
        self._accumulate_rewards()

    def render(self) -> str:
        """Return the position drawn as text."""
        return self.node.position.text()
