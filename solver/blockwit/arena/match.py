"""Matches between engines: paired games with sides swapped, results, Elo with its error bar."""

from __future__ import annotations

import math
import queue
import random
import shlex
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from blockwit import games
from blockwit.client import COMMAND, Engine
from blockwit.errors import EngineError, MoveError, OptionError, quote
from blockwit.games.base import Kind, Options, OptionValue, Position
from blockwit.jobs import Stop, threads
from blockwit.search.types import Limits, Settings

MAX_PLIES = 2000
"""A game that is not over by then counts as a draw."""

Z95 = 1.96


@dataclass(frozen=True)
class Player:
    """An engine and its settings: who plays, and how long it may think."""

    text: str
    algorithm: str = "auto"
    settings: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=lambda: Limits(movetime=100))
    command: tuple[str, ...] = COMMAND

    @classmethod
    def parse(cls, text: str) -> Player:
        """Read `movetime=100,algorithm=alphabeta,hash=16` or `nodes=5000,cmd=../old/venv/bin/blockwit engine`.

        Keys: movetime (ms), depth, nodes, algorithm, hash (MiB), threads, tables (a folder), skill, seed; cmd, the
        command of another engine, comes last: all that follows belongs to it, commas included.

        Raises:
            OptionError: an unknown key, a bad number, or no limit.
        """
        limits = Limits()
        settings = Settings()
        algorithm = "auto"
        command: tuple[str, ...] = COMMAND
        own, with_command, shell = f",{text}".partition(",cmd=")
        if with_command:
            try:
                command = tuple(shlex.split(shell))
            except ValueError as error:
                raise OptionError(f"player {quote(text)}: cmd: {error}") from None
            if not command:
                raise OptionError(f"player {quote(text)}: cmd needs a command")
        for part in filter(None, own.split(",")):
            key, _, value = part.partition("=")
            if key == "algorithm":
                algorithm = value
                continue
            if key == "tables":
                settings = replace(settings, table_path=value)
                continue
            if key not in ("movetime", "depth", "nodes", "hash", "threads", "skill", "seed"):
                raise OptionError(
                    f"player {quote(text)}: unknown key {quote(key)}, expected movetime, depth, nodes, algorithm, "
                    "hash, threads, tables, skill, seed or cmd"
                )
            if not (value.isascii() and value.isdigit() and len(value) < 16):
                raise OptionError(f"player {quote(text)}: {key} needs a whole number, got {quote(value)}")
            changed: dict[str, Any] = {"hash_mb" if key == "hash" else key: int(value)}
            if key in ("movetime", "depth", "nodes"):
                limits = replace(limits, **changed)
            else:
                settings = replace(settings, **changed)
        if limits == Limits():
            raise OptionError(f"player {quote(text)}: expected a limit: movetime, depth or nodes")
        return cls(text, algorithm, settings, limits, command)

    def engine(self, game_name: str, rules: Options) -> Engine:
        """Start the engine with these settings.

        Settings that are not asked for are left as they are: another engine need not have them.

        Raises:
            EngineError: it does not start, or cannot play the game with them.
            OptionError: it lacks an option.
        """
        usual = Settings()
        asked: dict[str, tuple[OptionValue, OptionValue]] = {
            "Algorithm": (self.algorithm, "auto"),
            "Hash": (self.settings.hash_mb, usual.hash_mb),
            "TablePath": (self.settings.table_path, usual.table_path),
            "Threads": (self.settings.threads, usual.threads),
            "Skill": (int(self.settings.skill), int(usual.skill)),
            "Seed": (self.settings.seed, usual.seed),
        }
        options: dict[str, OptionValue] = {"UCI_Variant": game_name}
        options |= {name: value for name, (value, default) in asked.items() if value != default}
        return Engine(self.command, options | dict(rules))


@dataclass
class Tally:
    """Games of the first player against the second, by pairs."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[float] = field(default_factory=list)
    points: tuple[float, float] = (0.0, 0.0)
    plies: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean result of the first player, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def add(self, pair: Sequence[GameRecord]) -> None:
        """Count the games of one pair."""
        for game in pair:
            self.wins += game.result == 1
            self.draws += game.result == 0.5
            self.losses += game.result == 0
            self.plies += game.plies
            self.points = (self.points[0] + game.points[0], self.points[1] + game.points[1])
        self.pairs.append(sum(game.result for game in pair) / len(pair))

    def elo(self) -> tuple[float, float, float]:
        """Return the Elo difference and its 95% interval (low, high), from the spread of the pairs' scores.

        Infinite where every game was won or lost.
        """
        n = len(self.pairs)
        mean = self.score
        variance = sum((x - mean) ** 2 for x in self.pairs) / (n - 1) if n > 1 else 0.25
        margin = Z95 * math.sqrt(variance / n) if n else 0.5
        return elo_of(mean), elo_of(mean - margin), elo_of(mean + margin)


def elo_of(score: float) -> float:
    """Return the Elo difference that a mean result stands for."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


@dataclass(frozen=True)
class GameRecord:
    """One game seen by the first player: 1, 0.5 or 0, both players' points in the game's unit, and the line."""

    result: float
    points: tuple[float, float]
    plies: int
    start: str
    moves: tuple[str, ...]


def opening(position: Position, rng: random.Random) -> Position:
    """Return `position` after a random set-up: rolls by their chances, placements all alike."""
    while position.kind() is Kind.CHANCE or (position.kind() is Kind.DECISION and position.is_setup()):
        if position.kind() is Kind.CHANCE:
            position = position.play(position.roll(rng.getrandbits(64)))
        else:
            position = position.play(rng.choice(position.tokens()))
    return position


def play_game(start: Position, seats: Sequence[Engine], limits: Sequence[Limits], seed: int) -> list[str]:
    """Let the engine in each seat play from `start` to the end; returns the moves and rolls.

    Raises:
        EngineError: an engine failed, or played a move that is not legal.
    """
    rng = random.Random(seed)
    fen = start.fen()
    position = start
    moves: list[str] = []
    for engine in seats:
        engine.new_game()
    while position.kind() is not Kind.TERMINAL and len(moves) < MAX_PLIES:
        if position.kind() is Kind.CHANCE:
            token = position.roll(rng.getrandbits(64))
            position = position.play(token)
        else:
            seat = position.player()
            engine = seats[seat]
            engine.position(fen, moves)
            token = engine.go(limits[seat]).move or "(none)"
            try:
                position = position.play(token)
            except MoveError as error:
                raise EngineError(f"{engine.name}: its move {len(moves) + 1} from {fen}: {error}") from None
        moves.append(token)
    return moves


def play_pair(
    position: Position, engines: tuple[Engine, Engine], limits: tuple[Limits, Limits], seed: int
) -> list[GameRecord]:
    """Play two games from `position` with the seats swapped (both with the same dice)."""
    records = []
    for swapped in (False, True):
        order = -1 if swapped else 1
        moves = play_game(position, engines[::order], limits[::order], seed)
        end = position
        for move in moves:
            end = end.play(move)
        returns = end.returns() if end.kind() is Kind.TERMINAL else (0.0, 0.0)
        mine, other = (returns[1], returns[0]) if swapped else (returns[0], returns[1])
        result = 1.0 if mine > other else 0.0 if mine < other else 0.5
        records.append(GameRecord(result, (mine, other), len(moves), position.fen(), tuple(moves)))
    return records


def play_match(
    game_name: str,
    options: Options,
    first: Player,
    second: Player,
    pairs: int,
    *,
    start: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    stop: Stop | None = None,
) -> Generator[list[GameRecord], None, None]:
    """Play `pairs` pairs of games, `jobs` at a time; yields each pair in the order of its seed.

    Each pair of games has an opening of its own. A stop, or closing the generator early, ends the games under way;
    after a stop those pairs that are whole still come.

    Raises:
        OptionError: settings that cannot play the game, or a game not for two players.
        EngineError: an engine does not start or fails.
    """
    game = games.get(game_name)
    base = game.start(options) if start is None else game.parse(start, options)
    if len(base.returns()) != 2:
        raise OptionError(f"a match needs two players, {game.name} has {len(base.returns())} here")
    stop = stop or Stop()
    # The engines are processes of their own: a thread is enough to wait for each.
    with threads(jobs) as pool, ExitStack() as engines:
        tables: queue.SimpleQueue[tuple[Engine, Engine]] = queue.SimpleQueue()
        started: list[Engine] = []
        for _ in range(min(jobs, pairs)):
            one = engines.enter_context(first.engine(game_name, options))
            other = engines.enter_context(second.engine(game_name, options))
            tables.put((one, other))
            started += [one, other]

        def end() -> None:
            # An engine that is gone ends its game, whatever it was at.
            for engine in started:
                engine.close()

        def play(pair_seed: int) -> list[GameRecord] | None:
            if stop.is_set():
                return None
            table = tables.get()
            try:
                position = opening(base, random.Random(pair_seed))
                return play_pair(position, table, (first.limits, second.limits), pair_seed)
            except EngineError:
                if stop.is_set():
                    return None
                raise
            finally:
                tables.put(table)

        with stop.calls(end):
            try:
                for pair in pool.map(play, [seed * 1_000_003 + index for index in range(pairs)]):
                    if pair is not None:
                        yield pair
            except BaseException:
                stop.set()
                raise
