"""Deblockle on a page: every tip of every block with the faces after it, and moves in words."""

from __future__ import annotations

from typing import Any

from blockwit import _deblockle
from blockwit.errors import MoveError
from blockwit.games.base import Kind, Position
from blockwit.games.deblockle.position import DIRECTIONS, FACE_NAMES, ORIENTATION, SIDES, DeblocklePosition, faces_of
from blockwit.games.facets import View

STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


class DeblockleView(View):
    """A position with its tips."""

    def catalogue(self) -> dict[str, Any]:
        """Return the orientations of a block."""
        return {"orientations": list(_deblockle.ORIENTATION_NAMES)}

    def extras(self, position: Position) -> dict[str, Any]:
        """Return the tips."""
        assert isinstance(position, DeblocklePosition)
        return {"tips": tips(position)}

    def words(self, before: Position, token: str) -> str:
        """Return a move, a placement or a roll in words."""
        assert isinstance(before, DeblocklePosition)
        side = SIDES[before.player()]
        if token.startswith("roll:"):
            return f"{side} rolls " + ", ".join(FACE_NAMES[face] for face in token[5:])
        if before.is_setup():
            up, north = FACE_NAMES[token[2]], FACE_NAMES[token[3]]
            return f"{side} places a block on {token[:2]}, {up} up, {north} to the north"
        if token == "0000":
            return f"{side} has no move and passes"
        for tip in tips(before):
            if token in tip["moves"]:
                face = tip["faces"]["up"]
                words = f"{side} {tip['from']} tips {tip['direction']}, {FACE_NAMES[face]} up"
                if len(token) == 6:
                    return f"{words}, and hops to {token[4:]}"
                return f"{words}, and leaves the board" if face == "S" else f"{words}, and stays on {tip['to']}"
        raise MoveError(f"{token} is not legal here")


def tips(position: DeblocklePosition) -> list[dict[str, Any]]:
    """Return every tip of every own block: the square, the faces after it, the final squares, or why it is illegal."""
    if position.kind() is not Kind.DECISION or position.is_setup():
        return []
    legal = position.tokens()
    found = []
    for block in position.state()["blocks"]:
        if block["side"] != "sn"[position.player()]:
            continue
        file, rank = "abcdefg".index(block["square"][0]), int(block["square"][1])
        turned = ORIENTATION[block["up"] + block["north"] + block["east"]]
        for number, direction in enumerate(DIRECTIONS):
            east, north = STEPS[direction]
            if not (0 <= file + east < 7 and 1 <= rank + north <= 7):
                continue
            to = f"{'abcdefg'[file + east]}{rank + north}"
            moves = [token for token in legal if token[:4] == block["square"] + to]
            faces = faces_of(_deblockle.tip(turned, number))
            tip = {"from": block["square"], "to": to, "direction": direction, "faces": faces, "moves": moves}
            if not moves:
                tip["why"], tip["rule"] = position.why_illegal(block["square"] + to)
            found.append(tip)
    return found


VIEW = DeblockleView()
