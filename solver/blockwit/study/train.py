"""Learning a game's value function by self-play, in rounds that can be stopped, resumed and shared out.

A round plays games with the numbers as they are at its start: each worker (a process, or a machine of a cluster) its
own part of them, several threads a worker on one set of numbers without locks (see ext/search/td.pyx). At its end the
workers' changes are joined: sums of errors and of their sizes add up, as they would in one long run, and a weight moves
by the mean of the changes of those workers that met it, so that a rare feature seen by one worker alone moves by
all that was learned and a common one not too far. After each round a checkpoint is written.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self, cast, runtime_checkable

import numpy as np
import numpy.typing as npt
from pydantic import Field

from blockwit import __version__, _td, games, reading, writing
from blockwit.errors import OptionError, TrainingError, quote
from blockwit.games import weights
from blockwit.jobs import Stop, ended_by, threads, worker_died
from blockwit.models import Sealed, read

Numbers = npt.NDArray[np.float32]
Batch = tuple[npt.NDArray[np.int32], Numbers, list[tuple[int, tuple[float, ...]]]]
"""What a worker sends back: weights met, changes of their three numbers, (kind of game, results) of each game."""

WEIGHT_UNIT = 1000
"""Weights of a file are in 1/WEIGHT_UNIT of the game's unit, 16 bits each."""

TYPICAL_ACTIVE = 80
"""Features that a state shows at a time, about: what the optimism is shared out to."""


@runtime_checkable
class Learned(Protocol):
    """A game whose evaluation can be learned."""

    name: str
    features: str

    def capsule(self) -> object:
        """Return the game's table (ext/include/game.h)."""

    def linear(self) -> object:
        """Return its value function (ext/include/learn.h)."""

    def lessons(self, solo: float) -> list[tuple[str, bytes, float]]:
        """Return the kinds of games to learn from: name, first state, share of the games."""

    def get_weights(self) -> bytes:
        """Return the weights in use."""

    def set_weights(self, values: bytes) -> None:
        """Use other weights."""


def learnable() -> list[str]:
    """Return the names of the games that have something to be learned."""
    return [name for name in games.names() if isinstance(games.get(name), Learned)]


def learned(name: str) -> Learned:
    """Return the game called `name`. Raises OptionError if there is nothing to be learned in it."""
    game = games.get(name)
    if not isinstance(game, Learned):
        raise OptionError(f"{name} has no evaluation that is learned, expected {' or '.join(learnable())}")
    return game


@dataclass(frozen=True)
class Recipe:
    """What decides the course of the training; a checkpoint belongs to one.

    Attributes:
        game: what is played.
        seed: decides all chance.
        round_games: games of a round, over all workers.
        workers: parts of a round.
        threads: of each worker; with 1 the result can be repeated.
        solo: share of the games for one player.
        decay: lambda of the returns.
        rate: factor of all step sizes.
        optimism: the points that a sheet nobody has seen is thought to bring (W. Jaskowski's optimistic start).
    """

    game: str = field(default_factory=lambda: learnable()[0])
    seed: int = 1
    round_games: int = 2000
    workers: int = 1
    threads: int = 1
    solo: float = 0.6
    decay: float = 0.8
    rate: float = 1.0
    optimism: float = 0.0

    def check(self) -> None:
        """Raise OptionError for a number out of range."""
        for name, value, low, high in (
            ("seed", self.seed, 0, 2**63),
            ("games a round", self.round_games, 1, 1_000_000),
            ("workers", self.workers, 1, 4096),
            ("threads", self.threads, 1, 1024),
            ("solo", self.solo, 0, 1),
            ("decay", self.decay, 0, 1),
            ("rate", self.rate, 1e-6, 1),
            ("optimism", self.optimism, -1000, 1000),
        ):
            if not low <= value <= high:
                raise OptionError(f"{name}: expected {low:g} to {high:g}, got {value:g}")


@dataclass
class Progress:
    """How far the training has come: games played, seconds spent in rounds, and each round's figures."""

    games: int = 0
    seconds: float = 0.0
    curve: list[tuple[int, float, tuple[float | None, ...]]] = field(default_factory=list)
    """After each round: games so far, seconds so far, mean points of each kind of game in it (None: not played)."""


CHECKPOINT: Literal["blockwit checkpoint"] = "blockwit checkpoint"


class Checkpoint(Sealed):
    """The first line of a checkpoint; the numbers follow as little-endian floats, compressed by zlib."""

    file: Literal["blockwit checkpoint"]
    format: Literal[1]
    recipe: dict[str, str | int | float]
    features: str
    games: int = Field(ge=0)
    seconds: float = Field(ge=0)
    curve: list[tuple[int, float, list[float | None]]] = Field(strict=False)
    sha256: str = Field(description="of the numbers before they were compressed")


def play_part(recipe: Recipe, numbers: Numbers, first: int, count: int) -> Batch:
    """Play games number `first` to `first + count` with all threads of a worker. Keeps this process's weights."""
    game = learned(recipe.game)
    before = game.get_weights()
    learner = _td.Learner(game.capsule(), game.linear())
    lessons = game.lessons(recipe.solo)
    starts, shares = [start for _, start, _ in lessons], [share for _, _, share in lessons]
    flat = numbers.reshape(-1)
    bounds = [first + count * i // recipe.threads for i in range(recipe.threads + 1)]
    try:
        learner.set(flat)
        # Also a single thread is another one: this one stays free for an interrupt.
        with threads(recipe.threads) as pool, ended_by(learner.stop):
            try:
                running = [
                    pool.submit(
                        learner.play, starts, shares, recipe.seed, low, high - low, decay=recipe.decay, rate=recipe.rate
                    )
                    for low, high in itertools.pairwise(bounds)
                ]
                played = [game for future in running for game in future.result()]
            except BaseException:
                learner.stop()
                raise
        after = np.frombuffer(learner.get(), np.float32).reshape(numbers.shape)
    finally:
        game.set_weights(before)
    met = np.flatnonzero((after != numbers).any(axis=0)).astype(np.int32)
    return met, after[:, met] - numbers[:, met], played


def join(numbers: Numbers, batches: Sequence[Batch]) -> None:
    """Add the workers' changes to `numbers`, see above."""
    times = np.zeros(numbers.shape[1], np.float32)
    total = np.zeros_like(numbers)
    for met, changes, _ in batches:
        times[met] += 1
        total[:, met] += changes
    total[0] /= np.maximum(times, 1)
    numbers += total


class Training:
    """Numbers under training, and how far they have come.

    Args:
        recipe: how to train.
        checkpoint: file to go on from if it is there, and to write after each round; None: nothing is kept.

    The checkpoint is this training's alone until `close`, or the end of its `with`.

    Raises:
        OptionError: a number of the recipe is out of range, or the game cannot be learned.
        BusyFileError: another training is at work on the checkpoint.
        TrainingError: the checkpoint is damaged or belongs to another recipe.
        OSError: the checkpoint's folder cannot be written to.
    """

    def __init__(self, recipe: Recipe, checkpoint: Path | None = None) -> None:
        recipe.check()
        self.recipe = recipe
        self.game = learned(recipe.game)
        self.progress = Progress()
        self._checkpoint = checkpoint
        count = len(self.game.get_weights()) // 2
        # Rows: weights, sums of errors, sums of their sizes (see ext/search/td.pyx).
        self.numbers: Numbers = np.zeros((3, count), np.float32)
        self.numbers[0] = recipe.optimism / TYPICAL_ACTIVE
        self._claim = ExitStack()
        if checkpoint is not None:
            with ExitStack() as claim:
                claim.enter_context(writing.claimed(checkpoint))
                if checkpoint.exists():
                    self._resume(checkpoint)
                self._claim = claim.pop_all()

    def close(self) -> None:
        """Let other processes have the checkpoint. May be called twice."""
        self._claim.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _resume(self, path: Path) -> None:
        line, packed = weights.parts(path, TrainingError)
        where = f"{path}: not a checkpoint of this command, or damaged"
        head = read(Checkpoint, reading.decoded(line, where, TrainingError), TrainingError, where)
        if (head.recipe, head.features) != (asdict(self.recipe), self.game.features):
            found = quote(json.dumps({"recipe": head.recipe, "features": head.features}), 300)
            raise TrainingError(f"{path}: begun with other settings: {found}")
        if not head.whole():
            raise TrainingError(f"{where}: its checksum does not fit")
        raw = weights.unpacked(packed, self.numbers.nbytes, head.sha256, where, TrainingError)
        self.numbers = np.frombuffer(raw, "<f4").reshape(self.numbers.shape).astype(np.float32)
        curve = [(at, seconds, tuple(means)) for at, seconds, means in head.curve]
        self.progress = Progress(head.games, head.seconds, curve)

    def save(self) -> None:
        """Write the checkpoint: the old one or the new, whole, whatever happens meanwhile. Raises OSError."""
        if self._checkpoint is None:
            return
        raw = self.numbers.astype("<f4").tobytes()
        head = Checkpoint(
            file=CHECKPOINT,
            format=1,
            recipe=asdict(self.recipe),
            features=self.game.features,
            games=self.progress.games,
            seconds=self.progress.seconds,
            curve=[(at, seconds, list(means)) for at, seconds, means in self.progress.curve],
            sha256=hashlib.sha256(raw).hexdigest(),
        )
        line = head.sealed().to_line().encode()
        writing.write(self._checkpoint, line + b"\n" + zlib.compress(raw))

    def round(self, pool: Executor, stop: Stop | None = None) -> None:
        """Play one round on `pool`, join what was learned, and write the checkpoint; after a stop it counts as none."""
        stop = stop or Stop()
        recipe, began = self.recipe, time.monotonic()
        first = self.progress.games
        bounds = [first + recipe.round_games * i // recipe.workers for i in range(recipe.workers + 1)]
        futures = [
            pool.submit(play_part, recipe, self.numbers, low, high - low) for low, high in itertools.pairwise(bounds)
        ]
        try:
            batches = [future.result() for future in futures]
        except (Exception, CancelledError) as error:
            if stop.is_set():
                return
            if worker_died(error):
                raise TrainingError(
                    "a process that played has died; the same call goes on from the last round"
                ) from None
            raise
        if stop.is_set():
            return
        join(self.numbers, batches)
        results: list[list[float]] = [[] for _ in self.game.lessons(recipe.solo)]
        for _, _, played in batches:
            for kind, points in played:
                results[kind].append(float(np.mean(points)))
        self.progress.games = bounds[-1]
        self.progress.seconds += time.monotonic() - began
        means = tuple(round(float(np.mean(each)), 3) if each else None for each in results)
        self.progress.curve.append((self.progress.games, round(self.progress.seconds, 1), means))
        self.save()

    def run(
        self,
        pool: Executor,
        total: int,
        seconds: float | None = None,
        told: Callable[[], None] = lambda: None,
        stop: Stop | None = None,
    ) -> None:
        """Play rounds until `total` games are played, `seconds` are over (all sittings together), or a stop comes."""
        stop = stop or Stop()
        while self.progress.games < total and (seconds is None or self.progress.seconds < seconds):
            self.round(pool, stop)
            if stop.is_set():
                return
            told()

    def weights(self) -> weights.Weights:
        """Return the weights as a file holds them; what no game has met is 0, whatever the optimism."""
        values = np.where(self.numbers[2] > 0, self.numbers[0], 0)
        limit = np.iinfo(np.int16).max
        rounded = np.clip(np.rint(values * WEIGHT_UNIT), -limit, limit).astype("<i2")
        names = [name for name, _, _ in self.game.lessons(self.recipe.solo)]
        last = self.progress.curve[-1][2] if self.progress.curve else ()
        record = {
            "blockwit": __version__,
            **asdict(self.recipe),
            "games": self.progress.games,
            "seconds": round(self.progress.seconds),
            "last round": dict(zip(names, last, strict=False)),
        }
        return weights.Weights(self.game.features, rounded.tobytes(), record)


def draw_curve(training: Training, path: Path) -> None:
    """Draw the mean points of each kind of game over the games played, as SVG.

    Raises:
        OptionError: the extra `train` is not installed.
        OSError: the file cannot be written.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError("a learning curve needs the extra: pip install 'blockwit[train]'") from None
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    curve = training.progress.curve
    for number, (name, _, _) in enumerate(training.game.lessons(training.recipe.solo)):
        points = [(at / 1000, means[number]) for at, _, means in curve if means[number] is not None]
        if points:
            axes.plot(*cast("tuple[list[float], list[float]]", zip(*points, strict=True)), label=name)
            axes.legend(loc="lower right")
    axes.set_xlabel(f"thousand games of self-play ({training.progress.seconds / 60:.0f} minutes)")
    axes.set_ylabel("mean points in the round")
    axes.grid(alpha=0.3)
    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "blockwit", "svg.fonttype": "none"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    writing.write(path, drawn.getvalue())
