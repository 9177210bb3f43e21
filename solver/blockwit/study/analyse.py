"""Judging a recorded game: what each move lost against the best one, and why the worst ones did.

Each decision is searched; where another move than the one played is best, both are searched once more side by side,
which meets them with the same dice. The loss is the difference, so it is as exact as such a search: with short times
differences of a few tenths of a point are noise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from pydantic import Field

from blockwit import games, reading
from blockwit.client import Engine
from blockwit.errors import BlockwitError, CommandError, EngineError, MoveError, OptionError
from blockwit.games.base import Game, Kind, Options, OptionValue, Position
from blockwit.jobs import Stop
from blockwit.models import Model, read
from blockwit.protocol import parser
from blockwit.search.types import Info, Limits

WORST = 3
"""Mistakes that are explained."""

SMALLEST = 0.005
"""A loss below half of a hundredth is none: what a search tells is rounded to hundredths."""

MAX_BYTES = 1 << 24


@dataclass(frozen=True)
class Record:
    """A recorded game: the position before the first move, all moves, draws and rolls as tokens, the rule options."""

    start: Position
    moves: tuple[str, ...]
    rules: Options = field(default_factory=dict[str, OptionValue])


class RecordFile(Model):
    """A recorded game as JSON."""

    game: str
    options: dict[str, OptionValue] = Field(default_factory=dict)
    position: str = Field("startpos", description="startpos, or a position string")
    moves: list[str] | str = Field(description="tokens, as a list or with spaces between")


def read_record(text: str) -> Record:
    """Read a game as JSON or as lines of the protocol.

    JSON is an object with `game`, `options` (rule options by name; may be missing), `position` (`startpos` or a
    position string; default startpos) and `moves` (a list of tokens, or one string with spaces). Lines of the
    protocol are what a front end has sent: `setoption name UCI_Variant value numberdrop`, further `setoption` for the
    rules, and `position`; the last position counts, other commands are passed over.

    Raises:
        BlockwitError: it is neither, or the game, an option or the position is not right. Moves are not yet checked.
    """
    if text.lstrip().startswith("{"):
        return _read_json(text)
    name, rules, command = games.NAMES[0], dict[str, str | int | bool](), None
    for number, line in enumerate(text.splitlines(), 1):
        verb, *words = line.split() or [""]
        try:
            if verb == "position":
                command = parser.read_position(words)
            elif verb == "setoption":
                option, value = parser.read_setoption(words)
                if option.lower() == "uci_variant":
                    name, rules = value or "", {}
                elif option.lower() in {spec.name for spec in games.get(name).options}:
                    rules[option.lower()] = value or ""
        except CommandError as error:
            raise CommandError(f"line {number}: {error}") from None
    if command is None:
        raise CommandError("no game: expected a JSON object or a line like position startpos moves ...")
    return _record(games.get(name), command.fen, rules, command.moves)


def _record(game: Game, fen: str | None, rules: Options, moves: Sequence[str]) -> Record:
    start = game.start(rules) if fen is None else game.parse(fen, rules)
    checked = game.read_options(rules)
    return Record(start, tuple(moves), {name: checked[name] for name in rules})


def _read_json(text: str) -> Record:
    file = read(RecordFile, text, CommandError, "a game in JSON")
    moves = file.moves.split() if isinstance(file.moves, str) else file.moves
    return _record(games.get(file.game), None if file.position == "startpos" else file.position, file.options, moves)


def load_record(path: Path) -> Record:
    """Read a file. Raises BlockwitError."""
    text = reading.text(path, CommandError, MAX_BYTES)
    try:
        return read_record(text)
    except BlockwitError as error:
        raise type(error)(f"{path}: {error}") from None


@dataclass(frozen=True)
class Judged:
    """One decision: number of its token from 1, who decided, and what that was worth to that player.

    `value` and `best_value` are expected results in the game's unit, `loss` their difference, never below 0.
    """

    number: int
    player: int
    before: Position
    move: str
    best: str
    value: float
    best_value: float

    @property
    def loss(self) -> float:
        """Expected result given away."""
        lost = self.best_value - self.value
        return lost if lost > SMALLEST else 0.0


@dataclass(frozen=True)
class Analysis:
    """All decisions of a game."""

    game: Game
    judged: tuple[Judged, ...]
    end: Position = field(repr=False)

    def worst(self, count: int = WORST) -> list[Judged]:
        """Return the decisions that lost most, the worst first; such without a loss are none."""
        lossy = [each for each in self.judged if each.loss > 0]
        return sorted(lossy, key=lambda each: (-each.loss, each.number))[:count]


def _value(info: Info) -> float:
    """Expected result of a line in the game's unit; a forced win counts 1."""
    score = info.score
    assert score is not None, "a finished search has a score"
    return score.cp / 100 if score.cp is not None else (1.0 if (score.mate or 0) > 0 else -1.0)


def judge(engine: Engine, number: int, position: Position, move: str, limits: Limits) -> Judged:
    """Compare one move with the best one; the engine stands at the position. Raises MoveError if it is not legal."""
    played = tuple(position.actions(move))

    def values(wanted: Limits) -> dict[str, float]:
        return {info.pv[0]: _value(info) for info in engine.go(wanted).infos if info.pv}

    found = values(limits)
    best, value = max(found.items(), key=lambda each: each[1])
    if tuple(position.actions(best)) == played:
        return Judged(number, position.player(), position, move, best, value, value)
    both = values(replace(limits, searchmoves=(best, move)))
    by_actions = {tuple(position.actions(token)): worth for token, worth in both.items()}
    mine, other = by_actions[played], by_actions[tuple(position.actions(best))]
    if mine >= other:
        return Judged(number, position.player(), position, move, move, mine, mine)
    return Judged(number, position.player(), position, move, best, mine, other)


def analyse(
    record: Record, limits: Limits, told: Callable[[int], None] = lambda done: None, stop: Stop | None = None
) -> Analysis:
    """Judge all decisions of a game, each within `limits`, or after a stop those that were done by then.

    `told` is called with the number of moves done.

    Raises:
        MoveError: a move is not legal; the message has its number.
        OptionError: a game that no such searcher plays.
        EngineError: the engine does not start or fails.
    """
    game = record.start.game
    if "expectimax" not in game.algorithms:
        able = [name for name in games.names() if "expectimax" in games.get(name).algorithms]
        raise OptionError(f"{game.name} cannot be analysed, expected {' or '.join(able)}")
    positions = [record.start]
    for number, move in enumerate(record.moves, 1):
        try:
            positions.append(positions[-1].play(move))
        except MoveError as error:
            raise MoveError(f"move {number}: {error}") from None
    judged = []
    fen = record.start.fen()
    options: dict[str, OptionValue] = {"UCI_Variant": game.name, "MultiPV": 2}
    stop = stop or Stop()
    with Engine(options=options | dict(record.rules)) as engine, stop.calls(engine.close):
        for number, (position, move) in enumerate(zip(positions, record.moves, strict=False), 1):
            if position.kind() is Kind.DECISION and position.count() > 1:
                try:
                    engine.position(fen, record.moves[: number - 1])
                    judged.append(judge(engine, number, position, move, limits))
                except EngineError:
                    if stop.is_set():
                        break
                    raise
            told(number)
    return Analysis(game, tuple(judged), positions[-1])


def reasons(one: Judged) -> list[str]:
    """Tell in short how the position after the best move differs from the one after the move that was played."""
    mine, best = (one.before.play(move).facts(one.player) for move in (one.move, one.best))
    return [f"{name} {best[name]} instead of {mine[name]}" for name in best if best[name] != mine[name]]


def explanation(one: Judged, unit: str) -> str:
    """Tell what the engine would have done, and why."""
    why = reasons(one)
    return (
        f"move {one.number}, player {one.player + 1}: {one.best} was worth {one.best_value:.2f} {unit}, "
        f"{one.move} {one.value:.2f}: {one.loss:.2f} lost. "
        + ("After it: " + "; ".join(why) + "." if why else "Both leave the same to see; the difference lies ahead.")
    )


def as_json(analysis: Analysis) -> dict[str, Any]:
    """Return all figures, ready for JSON."""
    return {
        "game": analysis.game.name,
        "unit": analysis.game.unit,
        "moves": [
            {
                "number": each.number,
                "player": each.player + 1,
                "position": each.before.fen(),
                "move": each.move,
                "best": each.best,
                "value": round(each.value, 4),
                "best_value": round(each.best_value, 4),
                "loss": round(each.loss, 4),
            }
            for each in analysis.judged
        ],
        "worst": [{"number": each.number, "reasons": reasons(each)} for each in analysis.worst()],
        "returns": list(analysis.end.returns()),
    }


# --- drawing ------------------------------------------------------------------------------------------------------

_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
BAR, GAP, CHART, MARGIN = 14, 4, 140, 40
COLORS = ("#1f6fb2", "#2e8b57", "#8e44ad", "#c77f1a", "#c0392b", "#444")


def _text(x: float, y: float, text: str, size: int = 13, color: str = "#222") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}">{escape(text)}</text>'


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def _placed(drawing: str, x: int, y: int) -> tuple[str, int, int]:
    """Return a whole drawing as a part of another one, with its width and height."""
    found = _SIZE.search(drawing)
    assert found, "every drawing of a position begins with its size"
    return drawing.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1), int(found[1]), int(found[2])


def svg(analysis: Analysis) -> str:
    """Draw the losses as bars, and below the worst mistakes: as it was played on the left, the best on the right."""
    judged = analysis.judged
    most = max((each.loss for each in judged), default=0.0) or 1.0
    width, y = max(900, 2 * MARGIN + len(judged) * (BAR + GAP)), MARGIN + CHART
    parts = [_text(MARGIN, 24, f"Loss of each move in {analysis.game.unit}, the largest {most:.2f}", 15)]
    for i, each in enumerate(judged):
        x, height = MARGIN + i * (BAR + GAP), each.loss / most * (CHART - 20)
        color = COLORS[each.player % len(COLORS)]
        parts.append(
            f'<rect x="{x}" y="{y - height:.1f}" width="{BAR}" height="{height + 1:.1f}" fill="{color}">'
            f"<title>{escape(f'{each.number}: {each.move} {each.loss:.2f}')}</title></rect>"
        )
        if i % 5 == 0:
            parts.append(_text(x, y + 16, str(each.number), 10, "#777"))
    y += 40
    for each in analysis.worst():
        for line in _wrapped(explanation(each, analysis.game.unit), 120):
            parts.append(_text(MARGIN, y, line))
            y += 18
        left, wide, high = _placed(each.before.play(each.move).svg(), MARGIN, y)
        right, _, _ = _placed(each.before.play(each.best).svg(), MARGIN + wide + 30, y)
        parts += [left, right]
        width, y = max(width, 2 * wide + 2 * MARGIN + 30), y + high + 30
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" '
        f'font-family="sans-serif">\n<rect width="{width}" height="{y}" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def totals(analysis: Analysis) -> Mapping[int, tuple[int, float]]:
    """Return for each player how many decisions were judged, and their loss in all."""
    found: dict[int, tuple[int, float]] = {}
    for each in analysis.judged:
        count, lost = found.get(each.player, (0, 0.0))
        found[each.player] = count + 1, lost + each.loss
    return found


def rows(analysis: Analysis) -> Sequence[tuple[str, ...]]:
    """Return the cells of the table: number, player, move, best, worth, loss."""
    return [
        (
            str(each.number),
            str(each.player + 1),
            each.move,
            each.best if each.loss else "",
            f"{each.value:.2f}",
            f"{each.loss:.2f}" if each.loss else "",
        )
        for each in analysis.judged
    ]
