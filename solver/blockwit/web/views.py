"""What the page draws: a position with all that the rules say about it, ready for JSON, and moves in words.

The page knows no rules. Where a tip leads, where a shape comes to rest and which tiles may be placed is worked out here
from the compiled games.
"""

from __future__ import annotations

from typing import Any

from blockwit import _deblockle, _numberdrop, games
from blockwit.errors import MoveError
from blockwit.games.base import Kind, Position
from blockwit.games.deblockle.position import DIRECTIONS, FACE_NAMES, ORIENTATION, SIDES, DeblocklePosition, faces_of
from blockwit.games.nmbr9.position import SHAPES, UNKNOWN, Nmbr9Position, read_tile
from blockwit.games.numberdrop.position import PIECES, NumberDropPosition, action_token

STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
FALLEN = "IOTLS"


def catalogue() -> dict[str, Any]:
    """Return what never changes: the games, their rule options, and the shapes of their pieces."""
    listed: dict[str, dict[str, Any]] = {}
    for name in games.NAMES:
        game = games.get(name)
        listed[name] = {
            "title": game.title,
            "options": [
                {
                    "name": spec.name,
                    "kind": spec.kind,
                    "default": spec.default,
                    "choices": list(spec.choices),
                    "low": spec.low,
                    "high": spec.high,
                    "help": spec.help,
                }
                for spec in game.options
            ],
        }
    listed["deblockle"]["orientations"] = list(_deblockle.ORIENTATION_NAMES)
    listed["numberdrop"]["pieces"] = {
        # (row, column), row 0 lowest
        name: [list(_numberdrop.orientation_cells(PIECES.index(name), turn)) for turn in range(_turns(name))]
        for name in PIECES
    }
    listed["nmbr9"]["shapes"] = [[list(map(list, cells)) for cells in turns] for turns in SHAPES]
    return listed


def _turns(piece: str) -> int:
    return _numberdrop.orientation_count(PIECES.index(piece))


def view(position: Position) -> dict[str, Any]:
    """Return all that the page needs to draw a position and to offer its moves."""
    shown = position.state()
    shown.update(
        kind=position.kind().name.lower(),
        player=position.player(),
        seats=len(position.returns()),
        setup=position.is_setup(),
        result=position.result(),
        returns=list(position.returns()),
    )
    if isinstance(position, DeblocklePosition):
        shown["tips"] = tips(position)
    elif isinstance(position, NumberDropPosition):
        shown.update(_drops(position))
    elif isinstance(position, Nmbr9Position):
        shown["legal"] = position.tokens() if position.kind() is Kind.DECISION else []
        shown["known"] = position.mode != UNKNOWN
    return shown


# --- Deblockle ---------------------------------------------------------------------------------------------------


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


def _deblockle_words(before: DeblocklePosition, token: str) -> str:
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


# --- Number Drop -------------------------------------------------------------------------------------------------


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


def claims(position: Position, drop: str) -> dict[str, Any]:
    """Return the rows of the sheet after a drop, and the claims that are possible then, the most promising first.

    Raises:
        MoveError: the drop is not legal, or the game has none.
    """
    if not isinstance(position, NumberDropPosition):
        raise MoveError(f"{position.game.title} has no claims")
    # Played without a claim it may end the round; the rows of this sheet stay.
    rows = position.play(drop).state()["sheets"][position.player()]["rows"]
    raw = _numberdrop.play(position.raw(), position.actions(drop)[0])
    ordered = _numberdrop.best(raw, _numberdrop.count_actions(raw))
    return {"rows": rows, "claims": [action_token(claim)[1:] for claim, _ in ordered if action_token(claim)]}


def _numberdrop_words(before: NumberDropPosition, token: str) -> str:
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


def _first_missing(position: NumberDropPosition) -> int:
    return [entry["tile"] for entry in position.state()["letters"]].index(None)


# --- NMBR 9 ------------------------------------------------------------------------------------------------------


def _nmbr9_words(token: str) -> str:
    if token.startswith("draw:"):
        return f"the card {token[5:]} is drawn"
    tile = read_tile(token)
    turned = ("", ", a quarter turn", ", half a turn", ", three quarter turns")[tile.rotation]
    points = tile.digit * tile.level
    return f"{tile.digit}{turned} at column {tile.x}, row {tile.y} on level {tile.level}: {points} points"


def words(before: Position, token: str) -> str:
    """Return a legal move or roll in words, for the list of moves and for a screen reader."""
    if isinstance(before, DeblocklePosition):
        return _deblockle_words(before, token)
    if isinstance(before, NumberDropPosition):
        return _numberdrop_words(before, token)
    return _nmbr9_words(token)
