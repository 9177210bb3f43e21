"""Measuring a player by a benchmark file: what it reaches of the optimum, and what it loses."""

from __future__ import annotations

import importlib
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from blockwit import games
from blockwit.client import Engine
from blockwit.errors import BlockwitError, OptionError, SolutionError, quote
from blockwit.games import svg
from blockwit.games.base import Kind, Position
from blockwit.jobs import Stop
from blockwit.search.types import Limits
from blockwit.study.puzzles.benchmarks import Line, Source

Choose = Callable[[str, Sequence[str], Position], str]
"""Returns the move of a player: of a position string, the moves since, and the position that comes of both."""

SHOWN = 12
"""Bars of the drawing."""


@dataclass(frozen=True)
class Score:
    """What a player made of one record: its result, the best that is known, what it lost."""

    seed: int
    result: float
    value: float
    proven: bool

    @property
    def regret(self) -> float:
        """What the result falls short of the value by; below 0 where it beats one that is not proven."""
        return self.value - self.result


@dataclass(frozen=True)
class Summary:
    """Figures of many records. `share` is what was reached of the optimum, in all; `best` counts those without loss."""

    records: int
    proven: int
    share: float
    best: int
    regret: float
    worst: float


def engine_player(engine: Engine, limits: Limits) -> Choose:
    """Return the player that is this engine, with the options that it has been given."""

    def choose(start: str, moves: Sequence[str], position: Position) -> str:
        engine.position(start, moves)
        return engine.go(limits).move or "(none)"

    return choose


def python_player(name: str) -> Choose:
    """Return the player that is a Python function from a position to a move, named as `module:function`.

    Modules of the folder in which the program runs are found as well.

    Raises:
        OptionError: there is no such function.
    """
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise OptionError(f"player {quote(name)}: expected module:function")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        called = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise OptionError(f"player {quote(name)}: {error}") from None
    if not callable(called):
        raise OptionError(f"player {quote(name)}: no function")

    def choose(start: str, moves: Sequence[str], position: Position) -> str:
        try:
            return str(called(position))
        except Exception as error:
            # Whatever a stranger's function raises is told in one line.
            raise SolutionError(f"player {name}: {type(error).__name__}: {error}") from error

    return choose


def random_move(position: Position) -> str:
    """Play any move, the same one in the same position."""
    return random.Random(position.fen()).choice(position.tokens())


def greedy_move(position: Position) -> str:
    """Play the move with the best static evaluation after it, the first of several."""
    player = position.player()

    def worth(token: str) -> float:
        after = position.play(token)
        return (after.returns() if after.kind() is Kind.TERMINAL else after.evaluate())[player]

    return max(position.tokens(), key=worth)


def score(records: Sequence[tuple[Source, Line]], choose: Choose, stop: Stop | None = None) -> Iterator[Score]:
    """Yield what a player makes of the records, one after the other; after a stop no more.

    Records without a position, or without a value, are passed over: see `playable`.

    Raises:
        SolutionError: the player makes a move that is not legal.
    """
    for of, line in records:
        try:
            result = _move(of, line, choose) if of.one_move else _played(of, line, choose, stop)
        except BlockwitError as error:
            raise SolutionError(f"seed {line.seed}: {error}") from None
        if result is None or (stop is not None and stop.is_set()):
            # A search that was stopped is no measure.
            return
        yield Score(line.seed, result, _value(line), line.proven)


def playable(records: Sequence[tuple[Source, Line]]) -> list[tuple[Source, Line]]:
    """Return the records that a player can be measured by."""
    return [(of, line) for of, line in records if line.position and getattr(line, "value", None) is not None]


def _value(line: Line) -> float:
    value: float = line.fields()["value"]
    return value


def _move(of: Source, line: Line, choose: Choose) -> float:
    position = games.get(of.game).parse(line.position, of.options)
    token = choose(line.position, (), position)
    position.play(token)
    return _value(line) - of.loss(line, token)


def _played(of: Source, line: Line, choose: Choose, stop: Stop | None) -> float | None:
    """Return the result of a game from a record's position, with the chance events that it tells."""
    position = games.get(of.game).parse(line.position, of.options)
    chances = iter(line.fields().get("chances", ()))
    moves: list[str] = []
    while position.kind() is not Kind.TERMINAL:
        if stop is not None and stop.is_set():
            return None
        if position.kind() is Kind.CHANCE:
            token = next(chances, None)
            if token is None:
                break
        else:
            token = choose(line.position, moves, position)
        position = position.play(token)
        moves.append(token)
    return position.returns()[0]


def summarise(scores: Sequence[Score], *, one_move: bool) -> Summary:
    """Return the figures of at least one record; with `one_move` the share is that of the moves without loss."""
    best = sum(each.regret <= 0 for each in scores)
    values = sum(each.value for each in scores)
    share = sum(each.result for each in scores) / values if values else 1.0
    return Summary(
        len(scores),
        sum(each.proven for each in scores),
        best / len(scores) if one_move else share,
        best,
        sum(each.regret for each in scores) / len(scores),
        max(each.regret for each in scores),
    )


def table(name: str, summary: Summary) -> list[str]:
    """Return the lines of a small table."""
    return [
        f"{'player':24} {'records':>7} {'proven':>6} {'share':>7} {'no loss':>7} {'regret':>7} {'worst':>7}",
        f"{name[:24]:24} {summary.records:7} {summary.proven:6} {summary.share:7.1%} {summary.best:7} "
        f"{summary.regret:7.2f} {summary.worst:7.2f}",
    ]


def drawing(name: str, scores: Sequence[Score], summary: Summary) -> str:
    """Draw how many records were lost by how much as SVG."""
    width = max(1, -(-int(max(each.regret for each in scores) + 1) // SHOWN))
    bars = Counter(max(0, int(each.regret // width)) for each in scores)
    most, last = max(bars.values()), max(bars)
    title = f"{name}: {summary.share:.1%} of the optimum, regret {summary.regret:.2f}"
    parts = [svg.text(20, 30, title, anchor="start", bold=True)]
    for number in range(last + 1):
        y = 50 + 24 * number
        low, high = number * width, number * width + width - 1
        parts.append(svg.text(90, y + 14, f"{low}" if low == high else f"{low} to {high}", 12, anchor="end"))
        parts.append(f'<rect x="100" y="{y}" width="{300 * bars[number] / most:.1f}" height="18" fill="{svg.PALE}"/>')
        parts.append(svg.text(106 + 300 * bars[number] / most, y + 14, str(bars[number]), 12, anchor="start"))
    height = 50 + 24 * (last + 1) + 30
    parts.append(svg.text(20, height - 12, f"records by regret, {len(scores)} in all", 12, svg.PALE, "start"))
    return svg.document(480, height, title, "How many records were lost by how much.", parts)
