"""Files of positions with their proven optimum, or best-known value and bound, to measure other players against.

The format is described in docs/benchmarks.md. A file grows by one line for each finished seed, whoever computes it:
this process, several, or the workers of a cluster; those that die cost no more than what they were at.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockwit import games, reading, writing
from blockwit.errors import OptionError, SolutionError, TableError, quote
from blockwit.games.base import Kind, Position
from blockwit.jobs import Stop, ended_by, executor, finished, worker_died
from blockwit.study import records as files
from blockwit.study.records import Record

Settings = Mapping[str, Any]

SETTINGS: dict[str, dict[str, Any]] = {
    "nmbr9": {"cards": 20, "seconds": 60.0},
    "numberdrop": {"rounds": 20, "nodes": 2_000_000},
    "deblockle": {"blocks": 2},
}
"""What decides a game's records besides the seed, with the usual values."""

LIMITS = {"cards": (1, 20), "rounds": (1, 20), "blocks": (2, 3)}

RESTARTS = 3
"""How often in a row workers may die before anything is finished."""


def settings_of(game: str, asked: Settings) -> dict[str, Any]:
    """Return all settings of a game.

    Raises:
        OptionError: an unknown game or setting, or a value out of range.
    """
    usual = SETTINGS.get(game)
    if usual is None:
        raise OptionError(f"unknown game {quote(game)}, expected one of {', '.join(SETTINGS)}")
    for name, value in asked.items():
        if name not in usual:
            raise OptionError(f"{name} is no setting of {game}, expected {', '.join(usual)}")
        low, high = LIMITS.get(name, (0, None))
        if value < low or (high is not None and value > high):
            raise OptionError(f"{name} {value}: expected {low}" + (f" to {high}" if high else " or more"))
    return {**usual, **asked}


def read_seeds(text: str) -> range:
    """Read `A..B`, both of them included, or one number.

    Raises:
        OptionError: it is neither.
    """
    first, dots, last = text.partition("..")
    last = last if dots else first
    numbers = all(part.isascii() and part.isdigit() and len(part) < 16 for part in (first, last))
    if not numbers or int(last) < int(first):
        raise OptionError(f"seeds {quote(text)}: expected A..B with A not above B, such as 1..100")
    return range(int(first), int(last) + 1)


# --- one seed -------------------------------------------------------------------------------------------------------


def solve(game: str, settings: Settings, tables: str, seed: int) -> Record:
    """Return the record of one seed: a unit of work, for any process that has the package.

    Args:
        game: one of `SETTINGS`.
        settings: all of the game's settings.
        tables: folder of the endgame tables on the machine that does the work; empty for none.
        seed: what the position is drawn with.

    Raises:
        TableError: three blocks are asked for, and the table of them is not there.
    """
    if game == "nmbr9":
        return _nmbr9(settings, seed)
    if game == "numberdrop":
        return _numberdrop(settings, seed)
    return _deblockle(settings, tables, seed)


def _nmbr9(settings: Settings, seed: int) -> Record:
    from blockwit.games.nmbr9.position import KNOWN, build_position
    from blockwit.search.cpsat.optimize import Optimizer
    from blockwit.search.cpsat.problem import read_problem

    deck = files.nmbr9_deck(seed, settings["cards"])
    optimizer = Optimizer(read_problem("K:" + "".join(map(str, deck))), workers=1, seed=seed)
    with ended_by(optimizer.stop):
        end = optimizer.run(settings["seconds"])
    return {
        "seed": seed,
        "position": build_position([], KNOWN, deck, len(deck)).fen(),
        "value": None if end.plan is None else end.score,
        "bound": end.bound,
        "proven": end.proven,
        "line": [] if end.plan is None else [str(tile) for tile in end.plan.tiles],
    }


def _numberdrop(settings: Settings, seed: int) -> Record:
    from blockwit.search.plan import plan

    game = games.get("numberdrop")
    start = game.start({"solo": True})
    rng = random.Random(seed)
    chances, position = [], start
    while position.kind() is Kind.CHANCE:
        chances.append(position.roll(rng.getrandbits(64)))
        position = position.play(chances[-1])
    # Rolls do not depend on what was played before: any position that waits for one will do.
    position = position.play(position.tokens()[0])
    rolled = sum(token.startswith("roll:") for token in chances)
    chances += [position.roll(rng.getrandbits(64)) for _ in range(settings["rounds"] - rolled)]
    found = plan(game, start, chances, exact_nodes=settings["nodes"])
    return {
        "seed": seed,
        "position": start.fen(),
        "chances": chances,
        "value": found.points,
        "bound": found.points if found.proven else None,
        "proven": found.proven,
        "line": list(found.tokens),
    }


def _deblockle(settings: Settings, tables: str, seed: int) -> Record:
    from blockwit.games.deblockle.position import DeblocklePosition, square_index
    from blockwit.games.deblockle.tables import oracle

    start = games.get("deblockle").start({})
    assert isinstance(start, DeblocklePosition)
    known = oracle(0, tables)
    rng = random.Random(seed)
    usable = [square for square in range(56) if square & 7 < 7 and square not in map(square_index, ("d2", "d6"))]
    while True:
        blocks = [(square, rng.randrange(24)) for square in rng.sample(usable, settings["blocks"])]
        south, north = (blocks[:1], blocks[1:]) if rng.random() < 0.5 else (blocks[1:], blocks[:1])
        position: Position = DeblocklePosition(start.core.replaced(south, north, rng.randrange(2), 0))
        if position.kind() is Kind.DECISION:
            break
    plies = known.probe(position.raw())
    if plies is None:
        raise TableError(f"{position.fen()} is not in the tables, expected a folder with the table of three blocks")
    player = position.player()
    worth = {token: _after(position.play(token), known, player) for token in position.tokens()}
    value = max(worth.values())
    return {
        "seed": seed,
        "position": position.fen(),
        "value": value,
        "bound": value,
        "proven": True,
        "plies": abs(plies) if plies else None,
        "best": [token for token, each in worth.items() if each == value],
    }


def _after(position: Position, known: Any, player: int) -> int:
    """Return what a position is worth to a player: 1, 0 or -1."""
    if position.kind() is Kind.TERMINAL:
        return round(position.returns()[player])
    plies = known.probe(position.raw())
    if plies is None:
        raise TableError(f"{position.fen()} is not in the tables")
    won: int = (plies > 0) - (plies < 0)
    return won if position.player() == player else -won


# --- many seeds -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Units:
    """The work of a file, as it is sent to whoever does it."""

    game: str
    settings: dict[str, Any]
    tables: str = ""

    def __call__(self, seed: int) -> Record:
        """Do the work of one seed."""
        return solve(self.game, self.settings, self.tables, seed)


def work(
    units: Callable[[int], Record],
    seeds: Iterable[int],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    stop: Stop | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> Iterator[Record]:
    """Yield the records of the seeds as they are finished, each once; after a stop no more.

    Where a worker dies, those that were not finished are begun again in new ones. `told` is given a line for people
    when a cluster has no workers.

    Raises:
        SolutionError: workers died several times and nothing was finished in between.
    """
    left = dict.fromkeys(seeds)
    deaths = 0
    stop = stop or Stop()
    while left and not stop.is_set():
        before = len(left)
        with executor(jobs, cluster, stop, told) as pool:
            try:
                for future in finished(pool, units, list(left), stop):
                    record = future.result()
                    del left[record["seed"]]
                    yield record
            except Exception as error:
                if not worker_died(error):
                    raise
        deaths = deaths + 1 if len(left) == before else 0
        if left and deaths >= RESTARTS:
            raise SolutionError(
                f"workers died {deaths} times and finished nothing in between: seeds {quote(' '.join(map(str, left)))}"
            )


class Benchmark:
    """A file of records that grows; see docs/benchmarks.md.

    Args:
        path: the file; made when missing, gone on with otherwise.
        game: one of `SETTINGS`.
        asked: the settings that are not the usual ones.
        tables: folder of the endgame tables.

    Raises:
        OptionError: see `settings_of`.
        SolutionError: the file is something else, or was begun with other settings.
    """

    def __init__(self, path: Path, game: str, asked: Settings, tables: str = "") -> None:
        self.path = path
        self.units = Units(game, settings_of(game, asked), tables)
        self.records: dict[int, Record] = {}
        self.unsaved: list[Record] = []
        self._read()

    def run(
        self,
        seeds: Sequence[int],
        *,
        jobs: int = 1,
        cluster: str | None = None,
        stop: Stop | None = None,
        told: Callable[[str], None] = lambda line: None,
    ) -> Iterator[Record]:
        """Compute the seeds that the file lacks; each is in the file before it is yielded. Sorts the file at the end.

        The file is this process's alone meanwhile. For `stop` and `told` see `work`.

        Raises:
            BusyFileError: another process is at work on the file.
            OSError: the file cannot be written; `unsaved` are then the records that are not in it.
            SolutionError: see `work`.
            OptionError: no cluster answers.
        """
        with writing.claimed(self.path):
            # As it is now: another process may have gone on with it since.
            self._read()
            # What a process that was killed left of its last line goes; nothing else is lost at any moment.
            self._write_all()
            missing = [seed for seed in seeds if seed not in self.records]
            with closing(writing.LineFile(self.path)) as file:
                for record in work(self.units, missing, jobs=jobs, cluster=cluster, stop=stop, told=told):
                    self.unsaved.append(record)
                    file.add(self._line(record))
                    self.unsaved.clear()
                    self.records[record["seed"]] = record
                    yield record
            self._write_all()

    def _line(self, record: Record) -> str:
        return files.record_line(self.units.game, self.units.settings, record)

    def _read(self) -> None:
        if not self.path.exists():
            return
        game, settings = self.units.game, self.units.settings
        for number, line, whole in reading.lines(self.path, SolutionError):
            try:
                if number == 1:
                    files.read_head(line, game, settings)
                else:
                    record = files.read_record(line, game, settings)
                    self.records[record["seed"]] = record
            except SolutionError as error:
                if number > 1 and not whole:
                    continue
                raise SolutionError(f"{self.path}: line {number}: {error}") from None

    def _write_all(self) -> None:
        head = files.head_line(self.units.game, self.units.settings)
        lines = (head, *(self._line(self.records[seed]) for seed in sorted(self.records)))
        writing.write(self.path, "".join(f"{line}\n" for line in lines))
