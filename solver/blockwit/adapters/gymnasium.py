"""The games for one player as Gymnasium environments. Importing this module registers them.

    import gymnasium
    env = gymnasium.make("blockwit.adapters.gymnasium:blockwit/NMBR9-v0")

An action is a step of blockwit/adapters/steps.py. `info["action_mask"]` tells the legal ones, as an argument of
`action_space.sample`; any other changes nothing and costs a point. The reward is what the score changed by. Dice and
cards come from the seed of `reset`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from blockwit import games
from blockwit.adapters import steps
from blockwit.adapters.steps import Node, Vector
from blockwit.errors import OptionError
from blockwit.games.alphabet import Alphabet
from blockwit.games.base import Kind, Options

PENALTY = -1.0
"""Reward of an illegal action."""


class SoloEnv(gymnasium.Env[Vector, np.int64]):
    """One player, one of the games.

    Args:
        game: its name.
        rules: rule options.
        position: a position string to start from.
        render_mode: None or ansi.

    Attributes:
        node: the position and the steps made of the next move.

    Raises:
        BlockwitError: an option or the position cannot be read, or the game is not for one player.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (declared so by Gymnasium)

    def __init__(
        self, game: str, rules: Options | None = None, position: str = "", render_mode: str | None = None
    ) -> None:
        self._start = steps.start(game, rules or {}, position)
        if len(self._start.position.returns()) > 1:
            raise OptionError(f"{game} has several players here, expected one (see blockwit.adapters.pettingzoo)")
        self.render_mode = render_mode
        self.node: Node = self._start
        self.observation_space = spaces.Box(-1, 1, (self._start.alphabet.length,), np.float32)
        self.action_space = spaces.Discrete(self._start.alphabet.size)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal (the name that sb3-contrib looks for)."""
        return self.node.mask().astype(bool)

    def _seen(self) -> tuple[Vector, dict[str, Any]]:
        return self.node.observe(0), {"action_mask": self.node.mask()}

    def _settle(self) -> None:
        """Let chance act until there is something to decide."""
        while self.node.kind is Kind.CHANCE:
            self.node = self.node.played(self.node.position.roll(int(self.np_random.integers(2**63))))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, dict[str, Any]]:
        """Begin a new game."""
        super().reset(seed=seed)
        self.node = self._start
        self._settle()
        return self._seen()

    def step(self, action: np.int64) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Make a step."""
        if int(action) not in self.node.steps():
            seen, info = self._seen()
            return seen, PENALTY, False, False, info
        before = self.node.position.returns()[0]
        self.node = self.node.after(int(action))
        self._settle()
        over = self.node.position.kind() is Kind.TERMINAL
        cut = self.node.kind is Kind.TERMINAL and not over
        seen, info = self._seen()
        return seen, float(self.node.position.returns()[0] - before), over, cut, info

    def render(self) -> str | None:
        """Return the position drawn as text in the mode ansi."""
        return self.node.position.text() if self.render_mode == "ansi" else None


def register() -> None:
    """Register the games that can be played alone, under their titles."""
    entry = f"{__name__}:{SoloEnv.__name__}"
    for game in map(games.get, games.names()):
        if game.solo is not None and Alphabet.known_to(game):
            name = game.title.replace(" ", "")
            gymnasium.register(f"blockwit/{name}-v0", entry, kwargs={"game": game.name, "rules": dict(game.solo)})


register()
