"""NMBR 9 on a page: the shapes, the legal placements, and moves in words."""

from __future__ import annotations

from typing import Any

from blockwit.games.base import Kind, Position
from blockwit.games.facets import View
from blockwit.games.nmbr9.position import SHAPES, UNKNOWN, Nmbr9Position, read_tile


class Nmbr9View(View):
    """A stack with the placements of the card in hand."""

    def catalogue(self) -> dict[str, Any]:
        """Return the cells (x, y) of each tile in each rotation."""
        return {"shapes": [[list(map(list, cells)) for cells in turns] for turns in SHAPES]}

    def extras(self, position: Position) -> dict[str, Any]:
        """Return the legal placements, and whether the order of the cards is known."""
        assert isinstance(position, Nmbr9Position)
        return {
            "legal": position.tokens() if position.kind() is Kind.DECISION else [],
            "known": position.mode != UNKNOWN,
        }

    def words(self, before: Position, token: str) -> str:
        """Return a placement or a drawn card in words."""
        if token.startswith("draw:"):
            return f"the card {token[5:]} is drawn"
        tile = read_tile(token)
        turned = ("", ", a quarter turn", ", half a turn", ", three quarter turns")[tile.rotation]
        points = tile.digit * tile.level
        return f"{tile.digit}{turned} at column {tile.x}, row {tile.y} on level {tile.level}: {points} points"


VIEW = Nmbr9View()
