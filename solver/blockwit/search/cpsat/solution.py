"""Solution files: one JSON object with a problem, its claimed score and the moves in playing order."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from pydantic import ConfigDict

from blockwit.errors import MoveError, OptionError, SolutionError, quote
from blockwit.games.nmbr9.position import Tile, explain, read_tile
from blockwit.models import Model, read
from blockwit.search.cpsat.problem import Problem, read_order, read_problem
from blockwit.search.cpsat.stacks import within


class SolutionFile(Model):
    """A solution file. It may have further fields, such as how the solution was found."""

    model_config = ConfigDict(extra="ignore")

    problem: str
    score: int
    moves: list[str]
    deck: str = ""
    bound: int | None = None
    proven: bool = False


@dataclass(frozen=True)
class Solution:
    """A solution that obeys every rule: the problem, the tiles in playing order, the points."""

    problem: Problem
    tiles: tuple[Tile, ...]
    score: int
    proven: bool = False
    """What the file says, without a proof."""


def write_solution(problem: Problem, tiles: tuple[Tile, ...], score: int, **more: object) -> str:
    """Return the text of a solution file; `more` are further fields, such as how it was found."""
    data = {"problem": problem.name, "score": score, "moves": [str(tile) for tile in tiles], **more}
    return json.dumps(data, indent=1) + "\n"


def check_solution(text: str) -> Solution:
    """Check the text of a solution file against every rule, in the order in which it plays.

    Raises:
        SolutionError: the first thing that is wrong: the file cut short or malformed, a wrong number of
        tiles, a
            digit or rotation that does not exist, a third copy, an overlap, an overhang, a single-tile
            support, a tile not adjacent to its level, an order in which it is not yet legal, a false score.
    """
    file = read(SolutionFile, text, SolutionError)
    try:
        problem = read_problem(file.problem, read_order(file.deck) if file.deck else ())
    except OptionError as error:
        raise SolutionError(str(error)) from None
    tiles = [_read_move(index, move) for index, move in enumerate(file.moves)]
    _check_cards(problem, tiles)
    for index, tile in enumerate(tiles):
        reason = explain(tile, tiles[:index], tiles[index + 1 :])
        if reason is not None:
            raise SolutionError(f"move {index + 1} {tile}: {reason}")
    if not within(problem, tiles):
        raise SolutionError(f"the stack does not keep the limits of {problem.name}")
    score = sum(tile.digit * tile.level for tile in tiles)
    if score != file.score:
        raise SolutionError(f"the moves score {score}, but the file claims {file.score}")
    if file.bound is not None and file.bound < score:
        raise SolutionError(f"the bound {file.bound} is below the {score} points of the moves")
    if file.proven and file.bound not in (None, score):
        raise SolutionError(f"proven, but the bound {file.bound} is above the {score} points of the moves")
    return Solution(problem, tuple(tiles), score, file.proven)


def _read_move(index: int, move: str) -> Tile:
    if len(move) > 1 and move[0].isdigit() and move[1] not in "abcd":
        raise SolutionError(
            f"move {index + 1} {quote(move)}: wrong rotation {quote(move[1])}, expected one of a, b, c, d"
        )
    try:
        return read_tile(move)
    except MoveError as error:
        raise SolutionError(f"move {index + 1}: {error}") from None


def _check_cards(problem: Problem, tiles: list[Tile]) -> None:
    """Check which tiles are played, and in a known order that they come in that order."""
    names = {2: "a second copy", 3: "a third copy"}
    used: Counter[int] = Counter()
    for index, tile in enumerate(tiles):
        used[tile.digit] += 1
        allowed = problem.pool[tile.digit]
        if used[tile.digit] > allowed:
            what = names.get(used[tile.digit], f"copy {used[tile.digit]}") if allowed else "a tile not in the box"
            raise SolutionError(f"move {index + 1} {tile}: {what} of digit {tile.digit}, {problem.name} has {allowed}")
        if problem.kind == "K" and index < len(problem.deck) and tile.digit != problem.deck[index]:
            raise SolutionError(
                f"move {index + 1} {tile}: wrong order, card {index + 1} of the deck is {problem.deck[index]}"
            )
    if len(tiles) != problem.cards:
        raise SolutionError(f"{len(tiles)} of {problem.cards} tiles are placed, expected all of them")
