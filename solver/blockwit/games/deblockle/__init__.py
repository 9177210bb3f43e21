"""All that knows Deblockle: its position and notation, how it is drawn, what else it brings along."""

from blockwit.games.deblockle.position import GAME

__all__ = ["GAME"]
