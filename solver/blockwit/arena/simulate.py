"""Thousands of seeded games of one player: mean, spread, percentiles, a histogram; can be stopped and resumed."""

from __future__ import annotations

import random
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from pydantic import Field

from blockwit import games, reading, writing
from blockwit._bridge import UNIT
from blockwit.arena.match import MAX_PLIES, Player
from blockwit.errors import OptionError, SolutionError, quote
from blockwit.games.base import Kind, Options, OptionValue
from blockwit.jobs import Stop, ended_by, executor, finished
from blockwit.models import ENGINE, Model, Sealed, read

PERCENTILES = (0, 5, 25, 50, 75, 95, 100)
BUNDLE = 50
"""Games handed to a process at once where a game takes milliseconds."""


@dataclass(frozen=True)
class Sample:
    """One game: its seed, each player's result in the game's unit, decisions made and chance events met."""

    seed: int
    points: tuple[float, ...]
    decisions: int
    chances: int


def check_policy(policy: str) -> None:
    """Raise OptionError unless `policy` is random, greedy or a player's settings like `movetime=300`."""
    if policy not in ("random", "greedy"):
        try:
            Player.parse(policy)
        except OptionError as error:
            raise OptionError(f"{error}; or random, or greedy") from None


def play_one(game_name: str, options: Options, policy: str, seed: int) -> Sample:
    """Play one game, all seats by the same policy.

    `random` makes the game's own playout moves, `greedy` the move of the best static evaluation; anything else
    is read as a player's settings (see `match.Player`).
    """
    game = games.get(game_name)
    position = game.start(options)
    if policy in ("random", "greedy"):
        from blockwit import _expectimax, _mcts

        if policy == "random":
            totals, chances, decisions = _mcts.random_games(game.capsule(), position.raw(), seed, 1)
        else:
            totals, chances, decisions = _expectimax.play_out(game.capsule(), position.raw(), seed)
        return Sample(seed, tuple(total / UNIT for total in totals), decisions, chances)
    player = Player.parse(policy)
    rng = random.Random(seed)
    decisions = chances = 0
    fen = position.fen()
    moves: list[str] = []
    with player.engine(game_name, options) as engine, ended_by(engine.close):
        while position.kind() is not Kind.TERMINAL and len(moves) < MAX_PLIES:
            if position.kind() is Kind.CHANCE:
                moves.append(position.roll(rng.getrandbits(64)))
                chances += 1
            else:
                engine.position(fen, moves)
                moves.append(engine.go(player.limits).move or "(none)")
                decisions += 1
            position = position.play(moves[-1])
    return Sample(seed, position.returns(), decisions, chances)


def _bundle(game_name: str, options: Options, policy: str, seeds: Sequence[int]) -> list[Sample]:
    return [play_one(game_name, options, policy, seed) for seed in seeds]


What = Mapping[str, OptionValue | dict[str, OptionValue]]
"""What a journal belongs to: the game, its options, who plays."""


class JournalHead(Model):
    """The first line of a journal: what is simulated, and by which version of the program."""

    engine: str
    what: dict[str, OptionValue | dict[str, OptionValue]]


class JournalLine(Sealed):
    """Every other line of a journal: a finished game."""

    seed: int = Field(ge=0)
    points: list[float] = Field(min_length=1)
    decisions: int = Field(ge=0)
    chances: int = Field(ge=0)


def read_journal(path: Path, what: What) -> dict[int, Sample]:
    """Return the finished games of a `Journal` by their seeds; none if there is no file.

    Raises:
        SolutionError: the file is something else, or was begun for something else than `what`.
    """
    done: dict[int, Sample] = {}
    head = JournalHead(engine=ENGINE, what=dict(what))
    for number, line, whole in reading.lines(path, SolutionError) if path.exists() else ():
        where = f"{path}: line {number}"
        if number == 1:
            if read(JournalHead, line, SolutionError, where) != head:
                raise SolutionError(f"{path}: begun with other settings: {quote(line, 200)}")
            continue
        try:
            game = read(JournalLine, line, SolutionError, where)
            if not game.whole(what):
                raise SolutionError(f"{where}: not as it was written, its checksum does not fit")
        except SolutionError:
            # A process that is killed may leave half a line behind: that game is played again.
            if whole:
                raise
            continue
        done[game.seed] = Sample(game.seed, tuple(game.points), game.decisions, game.chances)
    return done


class Journal:
    """A file with a line of JSON for what is simulated and one for each finished game; its own until `close`.

    Args:
        path: the file; made when missing.
        what: what is simulated; a file that was begun for something else is refused.

    Raises:
        BusyFileError: another process is at work on the file.
        SolutionError: see `read_journal`.
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, what: What) -> None:
        self.what = what
        with ExitStack() as claim:
            claim.enter_context(writing.claimed(path))
            self.done = read_journal(path, what)
            # Without the half of a line that a killed process may have left.
            head = JournalHead(engine=ENGINE, what=dict(what)).model_dump_json()
            writing.write(path, "".join(f"{line}\n" for line in (head, *map(self._line, self.done.values()))))
            self._file = writing.LineFile(path)
            claim.callback(self._file.close)
            self._claim = claim.pop_all()

    def _line(self, sample: Sample) -> str:
        line = JournalLine(
            seed=sample.seed, points=list(sample.points), decisions=sample.decisions, chances=sample.chances
        )
        return line.sealed(self.what).to_line()

    def add(self, sample: Sample) -> None:
        """Write one finished game at once. Raises OSError."""
        self.done[sample.seed] = sample
        self._file.add(self._line(sample))

    def close(self) -> None:
        """Close the file, and let other processes have it. May be called twice."""
        self._claim.close()


def simulate(
    game_name: str,
    options: Options,
    policy: str,
    seeds: Sequence[int],
    *,
    jobs: int = 1,
    journal: Path | None = None,
    stop: Stop | None = None,
) -> Generator[Sample, None, None]:
    """Play a game for each seed, `jobs` at a time; yields them as they finish, those of the journal first.

    After a stop no more come; the games under way are dropped.

    Raises:
        OptionError: an unknown policy, or rule options that the game does not have.
        BusyFileError: another process is at work on the journal.
        SolutionError: the journal cannot be used.
        OSError: the journal cannot be written.
    """
    check_policy(policy)
    stop = stop or Stop()
    rules = games.get(game_name).read_options(options)
    what: What = {"game": game_name, "options": rules, "policy": policy}
    book = Journal(journal, what) if journal is not None else None
    try:
        wanted = dict.fromkeys(seeds)
        known = book.done if book is not None else {}
        yield from [known[seed] for seed in wanted if seed in known]
        todo = [seed for seed in wanted if seed not in known]
        size = BUNDLE if policy in ("random", "greedy") and jobs > 1 else 1
        bundles = [todo[at : at + size] for at in range(0, len(todo), size)]
        with executor(jobs, stop=stop) as pool:
            try:
                for future in finished(pool, partial(_bundle, game_name, rules, policy), bundles, stop):
                    for sample in future.result():
                        failed = None
                        try:
                            if book is not None:
                                book.add(sample)
                        except OSError as error:
                            failed = error
                        yield sample
                        if failed is not None:
                            raise failed
            except BrokenExecutor:
                raise SolutionError("a process that played has died; those games are not counted") from None
    finally:
        if book is not None:
            book.close()


@dataclass(frozen=True)
class Summary:
    """Figures over all seats of all games: points in the game's unit."""

    games: int
    mean: float
    error: float
    """Standard error of the mean; the seats of one game count as one observation."""
    deviation: float
    percentiles: tuple[float, ...]
    decisions: float
    chances: float
    values: tuple[float, ...]


def summarise(samples: Sequence[Sample]) -> Summary:
    """Sum up at least one game."""
    values = np.array([point for sample in samples for point in sample.points])
    means = np.array([np.mean(sample.points) for sample in samples])
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")
    return Summary(
        len(samples),
        float(values.mean()),
        error,
        float(values.std()),
        tuple(float(x) for x in np.percentile(values, PERCENTILES)),
        float(np.mean([sample.decisions for sample in samples])),
        float(np.mean([sample.chances for sample in samples])),
        tuple(values.tolist()),
    )


def histogram(values: Sequence[float], width: int = 50, bins: int = 16) -> list[str]:
    """Draw a histogram as lines of text with whole-numbered bounds where the range allows it."""
    low, high = min(values), max(values)
    step = max((high - low) / bins, 1e-9)
    if high - low >= bins:
        step = float(np.ceil(step))
        low = float(np.floor(low / step) * step)
    counts = [0] * (bins + 1)
    for value in values:
        counts[min(int((value - low) / step), bins)] += 1
    while len(counts) > 1 and counts[-1] == 0:
        counts.pop()
    most = max(counts)
    return [
        f"{low + i * step:8.4g}  {'█' * round(width * count / most):<{width}} {count}" for i, count in enumerate(counts)
    ]
