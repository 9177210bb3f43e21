"""Files of positions with their proven optimum, or best-known value and bound, to measure other players against.

The format is described in docs/benchmarks.md. A file grows by one line for each finished seed, whoever computes it:
this process, several, or the workers of a cluster; those that die cost no more than what they were at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockwit import reading, writing
from blockwit.errors import OptionError, SolutionError, quote
from blockwit.jobs import Stop, executor, finished, worker_died
from blockwit.study import records as files
from blockwit.study.puzzles.benchmarks import Record, Settings, source

RESTARTS = 3
"""How often in a row workers may die before anything is finished."""


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


# --- many seeds -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Units:
    """The work of a file, as it is sent to whoever does it."""

    kind: str
    settings: dict[str, Any]
    tables: str = ""

    def __call__(self, seed: int) -> Record:
        """Do the work of one seed."""
        return source(self.kind).record(self.settings, self.tables, seed)


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
        kind: one of `SOURCES`.
        asked: the settings that are not the usual ones.
        tables: folder of the endgame tables.

    Raises:
        OptionError: see `Source.settings`.
        SolutionError: the file is something else, or was begun with other settings.
    """

    def __init__(self, path: Path, kind: str, asked: Settings, tables: str = "") -> None:
        self.path = path
        self.units = Units(kind, source(kind).settings(kind, asked), tables)
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
        """Compute the seeds that the file lacks; each is in the file before it is yielded.

        At the end the file is sorted, and gets its card.

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
            self._write_card(self._command())

    def put(self, records: Iterable[Record], made: str) -> None:
        """Add records that were computed elsewhere, and write file and card; `made` says how they came about.

        Raises:
            BusyFileError: another process is at work on the file.
            OSError: the file cannot be written.
        """
        with writing.claimed(self.path):
            self._read()
            self.records.update((record["seed"], record) for record in records)
            self._write_all()
            self._write_card(made)

    def _command(self) -> str:
        """Return the call that makes such a file."""
        given = " ".join(f"--{'time' if name == 'seconds' else name} {n:g}" for name, n in self.units.settings.items())
        seeds = f"{min(self.records, default=0)}..{max(self.records, default=0)}"
        return f"blockwit benchmark make {self.units.kind} --seeds {seeds} {given} --out {self.path.name}"

    def _write_card(self, made: str) -> None:
        if self.path.is_file():
            records = [self.records[seed] for seed in sorted(self.records)]
            files.write_card(self.path, self.units.kind, self.units.settings, records, made)

    def _line(self, record: Record) -> str:
        return files.record_line(self.units.kind, self.units.settings, record)

    def _read(self) -> None:
        if not self.path.exists():
            return
        kind, settings = self.units.kind, self.units.settings
        for number, line, whole in reading.lines(self.path, SolutionError):
            try:
                record = files.read_record(line, kind, settings)
                self.records[record["seed"]] = record
            except SolutionError as error:
                if number > 1 and not whole:
                    continue
                raise SolutionError(f"{self.path}: line {number}: {error}") from None

    def _write_all(self) -> None:
        lines = (self._line(self.records[seed]) for seed in sorted(self.records))
        writing.write(self.path, "".join(f"{line}\n" for line in lines))
