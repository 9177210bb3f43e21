"""All that knows Number Drop: its position and notation, how it is drawn, what else it brings along."""

from blockwit.games.numberdrop.position import GAME

__all__ = ["GAME"]
