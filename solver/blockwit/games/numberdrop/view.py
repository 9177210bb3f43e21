"""Number Drop on a page: where a piece comes to rest, the claims that are possible then, and moves in words."""

from __future__ import annotations

from typing import Any

from blockwit import _numberdrop
from blockwit.errors import MoveError
from blockwit.games.base import Kind, Position
from blockwit.games.facets import View
from blockwit.games.numberdrop.position import PIECES, NumberDropPosition, action_token

FALLEN = "IOTLS"


class NumberDropView(View):
    """A position with the places for the piece in hand."""

    def catalogue(self) -> dict[str, Any]:
        """Return the cells (row, column) of each piece in each orientation, row 0 lowest."""
        return {
            "pieces": {
                name: [
                    list(_numberdrop.orientation_cells(piece, turn))
                    for turn in range(_numberdrop.orientation_count(piece))
                ]
                for piece, name in enumerate(PIECES)
            }
        }

    def extras(self, position: Position) -> dict[str, Any]:
        """Return places and moves."""
        assert isinstance(position, NumberDropPosition)
        return _drops(position)

    def continuations(self, position: Position, head: str) -> dict[str, Any]:
        """Return the rows of the sheet after a drop, and the claims that are possible then, the best first."""
        assert isinstance(position, NumberDropPosition)
        # Played without a claim it may end the round; the rows of this sheet stay.
        rows = position.play(head).state()["sheets"][position.player()]["rows"]
        raw = _numberdrop.play(position.raw(), position.actions(head)[0])
        ordered = _numberdrop.best(raw, _numberdrop.count_actions(raw))
        return {"rows": rows, "claims": [action_token(claim)[1:] for claim, _ in ordered if action_token(claim)]}

    def words(self, before: Position, token: str) -> str:
        """Return a move, a drawn tile or a roll in words."""
        assert isinstance(before, NumberDropPosition)
        who = f"player {before.player() + 1}"
        head, _, rest = token.partition(":")
        if head == "tile":
            return f"tile {rest} drawn for {'ABCDE'[_first_missing(before)]}"
        if head == "write":
            return f"{who} writes in {rest}"
        if head == "roll":
            return f"rolled {' '.join(rest[:4])} and shape {rest[4]}"
        if head == "slide":
            return f"the tile of {rest} slides a notch"
        if token == "x:skip":
            return f"{who}: the tile fits nowhere"
        if head == "x":
            cells = _rest(before, token, token)["cells"]
            return f"{who} drops {rest[:2]} as X on {', '.join(cells)}"
        drop, _, claim = token.partition("+")
        words = f"{who} skips the drop"
        if drop != "skip":
            cells = _rest(before, drop, drop)["cells"]
            filled = ", ".join(f"{digit} on {cell}" for digit, cell in zip(drop[-4:], cells, strict=True))
            words = f"{who} drops {drop[0]}: {filled}"
        if claim:
            kind = "identical" if claim[0] == "I" else "a straight"
            words += f"; claims {kind} of {claim[1]} on {claim[3:].replace(',', ', ')}"
        return words


def _drops(position: NumberDropPosition) -> dict[str, Any]:
    """Return the places for the piece in hand, each with the cells it comes to rest on, or the short list of moves."""
    if position.kind() is not Kind.DECISION:
        return {"moves": [], "places": []}
    state = position.state()
    if state["phase"] == "block":
        tokens = position.tokens()
        return {"moves": tokens, "places": [_rest(position, token, token) for token in tokens if "@" in token]}
    if state["phase"] != "drop":
        return {"moves": position.tokens(), "places": []}
    digits = state["dice"]["numbers"].replace("*", "0")
    shapes = FALLEN if state["dice"]["shape"] == "*" else state["dice"]["shape"]
    places = []
    for shape in shapes:
        piece = next(number for number, name in enumerate(PIECES) if name == shape + "4")
        for turn in range(_numberdrop.orientation_count(piece)):
            for column in range(1, 8):
                head = f"{shape}{turn}@{column}"
                try:
                    places.append(_rest(position, f"{head}:{digits}", head))
                except MoveError:
                    continue  # it does not fit there
    return {"moves": [] if places else ["skip"], "places": places}


def _rest(position: NumberDropPosition, token: str, head: str) -> dict[str, Any]:
    """Return where a piece comes to rest: the cells that are filled after the move and were empty before it."""
    player = position.player()
    after = position.play(token)
    pair = zip(position.parts[-1][player][0], after.parts[-1][player][0], strict=True)
    filled = [index for index, (old, new) in enumerate(pair) if old != new]
    filled.sort(key=lambda index: (-(index // 7), index % 7))
    return {"head": head, "cells": [_numberdrop.cell_name(index) for index in filled]}


def _first_missing(position: NumberDropPosition) -> int:
    return [entry["tile"] for entry in position.state()["letters"]].index(None)


VIEW = NumberDropView()
