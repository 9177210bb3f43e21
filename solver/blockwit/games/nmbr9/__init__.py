"""All that knows NMBR 9: its position and notation, how it is drawn, what else it brings along."""

from blockwit.games.nmbr9.position import GAME

__all__ = ["GAME"]
