"""Matches between engine settings: paired games with sides swapped, results, Elo with its error bar."""

from __future__ import annotations

import math
import multiprocessing
import random
from collections.abc import Generator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from solver import games, search
from solver.errors import OptionError, quote
from solver.games.base import Game, Kind, Options, Position
from solver.search.types import Limits, Searcher, Settings

MOST_PLIES = 2000
"""A game that is not over by then counts as a draw."""

Z95 = 1.96


@dataclass(frozen=True)
class Player:
    """An engine's settings: who plays, and how long it may think."""

    text: str
    algorithm: str = "auto"
    settings: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=lambda: Limits(movetime=100))

    @classmethod
    def parse(cls, text: str) -> Player:
        """Read `movetime=100,algorithm=alphabeta,hash=16`.

        Keys: movetime (ms), depth, nodes, algorithm, hash (MiB), threads, skill, seed.

        Raises:
            OptionError: an unknown key, a bad number, or no limit.
        """
        limits = Limits()
        settings = Settings()
        algorithm = "auto"
        for part in filter(None, text.split(",")):
            key, _, value = part.partition("=")
            if key == "algorithm":
                algorithm = value
                continue
            if key not in ("movetime", "depth", "nodes", "hash", "threads", "skill", "seed"):
                raise OptionError(
                    f"player {quote(text)}: unknown key {quote(key)}, expected movetime, depth, nodes, algorithm, "
                    "hash, threads, skill or seed"
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
        return cls(text, algorithm, settings, limits)

    def searcher(self, game: Game) -> Searcher:
        """Return a new searcher with these settings."""
        return search.make(game, self.algorithm, self.settings)


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


def play_game(start: Position, seats: Sequence[Searcher], limits: Sequence[Limits], seed: int) -> list[str]:
    """Let the searcher in each seat play from `start` to the end; returns the moves and rolls."""
    rng = random.Random(seed)
    position = start
    moves: list[str] = []
    for searcher in seats:
        searcher.clear()
    while position.kind() is not Kind.TERMINAL and len(moves) < MOST_PLIES:
        if position.kind() is Kind.CHANCE:
            token: str | None = position.roll(rng.getrandbits(64))
        else:
            seat = position.player()
            seats[seat].arm()
            token = seats[seat].search(position, limits[seat], lambda info: None).move
        assert token is not None, "a searcher always has a move where the game is not over"
        moves.append(token)
        position = position.play(token)
    return moves


def play_pair(
    game_name: str, options: Options, first: Player, second: Player, start: str | None, seed: int
) -> list[GameRecord]:
    """Play two games from one opening with the seats swapped (both with the same dice)."""
    game = games.get(game_name)
    base = game.start(options) if start is None else game.parse(start, options)
    position = opening(base, random.Random(seed))
    searchers = first.searcher(game), second.searcher(game)
    records = []
    for swapped in (False, True):
        seats = searchers[::-1] if swapped else searchers
        limits = (second.limits, first.limits) if swapped else (first.limits, second.limits)
        moves = play_game(position, seats, limits, seed)
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
) -> Generator[list[GameRecord]]:
    """Play `pairs` pairs of games, `jobs` at a time; yields each pair in the order of its seed.

    Raises:
        OptionError: settings that cannot play the game, or a game not for two players.
    """
    game = games.get(game_name)
    base = game.start(options) if start is None else game.parse(start, options)
    if len(base.returns()) != 2:
        raise OptionError(f"a match needs two players, {game.name} has {len(base.returns())} here")
    for player in (first, second):
        search.make(game, player.algorithm, Settings(hash_mb=1))
    work = partial(play_pair, game_name, dict(options), first, second, start)
    seeds = [seed * 1_000_003 + index for index in range(pairs)]
    if jobs == 1:
        yield from map(work, seeds)
        return
    pool: Executor
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, seeds)
