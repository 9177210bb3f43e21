"""Building the endgame tables of Deblockle."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blockwit import _deblockle, _tables, writing
from blockwit.errors import TableError
from blockwit.games.base import Options
from blockwit.games.deblockle.tablefiles import HEADER, INDEX, KIND, MAGIC, TILES, TableHeader, found, little_endian
from blockwit.games.deblockle.tables import ones, path_of, rules_name, rules_number
from blockwit.games.facets import Tablebase, TableFile
from blockwit.jobs import Stop, threads

TILE = 24**3
PAIRS = 1081
NEITHER = 128
CHUNKS = 94
"""Parts of a pass: enough to share among threads and to see it move on."""

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Progress:
    """How far a build is: the round, how much of it is done (0 to 1), positions that the last full one changed."""

    round: int
    done: float
    changed: int
    packing: bool = False


def build(
    rules: int, folder: Path, jobs: int, report: Callable[[Progress], None], stop: Stop | None = None
) -> Path | None:
    """Solve one block against two, and write the table; None after a stop.

    Can be killed at any time: the same call goes on with what is in the partial file. About 1.5 GB of memory, 0.7 GB
    of them backed by that file.

    Args:
        rules: the reading of the rules, see `rules_number`.
        folder: where to write.
        jobs: threads.
        report: called often, from this thread.
        stop: ends the build; the same call goes on.

    Raises:
        BusyFileError: another process builds this table.
        TableError: something else stands where the partial file should.
        OSError: the files cannot be written.
    """
    path = path_of(folder, rules)
    partial_path = path.with_suffix(".partial")
    stop = stop or Stop()
    folder.mkdir(parents=True, exist_ok=True)
    with writing.claimed(path):
        writing.check_writable(path)
        if partial_path.exists() and not partial_path.is_file():
            raise TableError(f"{partial_path}: expected a file, or none")
        if not partial_path.exists() or partial_path.stat().st_size != TILES * TILE:
            _begin(partial_path)
        pair_moves = np.memmap(partial_path, np.uint8, "r+")
        try:
            _solve(rules, pair_moves, jobs, report, stop)
            write_table(path, rules, _pack(pair_moves, jobs, report, stop))
        except _StoppedError:
            return None
        partial_path.unlink()
    return path


def _begin(path: Path) -> None:
    """Write all of the file of a build that knows nothing yet, so that no page lacks its place on the disk later."""
    try:
        with writing.naming(path), path.open("wb") as file:
            for _ in range(TILES):
                file.write(bytes([NEITHER]) * TILE)
    except OSError:
        path.unlink(missing_ok=True)
        raise


class _StoppedError(Exception):
    """The build was told to end."""


def _solve(rules: int, pair_moves: Bytes, jobs: int, report: Callable[[Progress], None], stop: Stop) -> None:
    """Make passes over `pair_moves` until one over everything changes nothing."""
    solver = _tables.Solver(_deblockle.blocks_capsule(), rules)
    lone_moves = np.full(TILES * TILE, NEITHER, np.uint8)
    pair_news, lone_news = np.ones(TILES, np.uint8), np.ones(TILES, np.uint8)
    one_one = np.frombuffer(ones(rules), np.uint8)

    def lone(low: int, high: int) -> int:
        return solver.lone_pass(pair_moves, lone_moves, pair_news, lone_news, low, high)

    def pair(low: int, high: int) -> int:
        return solver.pair_pass(lone_moves, pair_moves, lone_news, pair_news, one_one, low, high)

    number, changed, complete = 0, 0, True
    with threads(jobs) as pool:
        while number == 0 or changed or not complete:
            # Where nothing new came of the news, a pass over everything has to confirm it.
            complete = changed == 0
            number += 1
            if complete:
                pair_news[:] = 1
            _passes(pool, lone, PAIRS, stop, partial(_tell, report, number, changed, 0.0))
            if complete:
                lone_news[:] = 1
            changed = _passes(pool, pair, TILES, stop, partial(_tell, report, number, changed, 0.5))


def _tell(report: Callable[[Progress], None], number: int, changed: int, before: float, done: float) -> None:
    report(Progress(number, before + done / 2, changed))


def _passes(
    pool: Executor, work: Callable[[int, int], int], size: int, stop: Stop, report: Callable[[float], None]
) -> int:
    """Cut 0..size into chunks and work on them in parallel; returns the sum of the results."""
    bounds = [size * chunk // CHUNKS for chunk in range(CHUNKS + 1)]

    def unless_stopped(low: int, high: int) -> int:
        # A chunk that is left out is one that the next build makes up for: it begins with everything new.
        if stop.is_set():
            raise _StoppedError
        return work(low, high)

    total = 0
    for number, result in enumerate(pool.map(unless_stopped, bounds[:-1], bounds[1:]), 1):
        total += result
        report(number / CHUNKS)
    return total


def _pack(pair_moves: Bytes, jobs: int, report: Callable[[Progress], None], stop: Stop) -> Iterator[bytes]:
    """Yield each tile packed, in order."""
    tiles = pair_moves.reshape(TILES, TILE)
    with threads(jobs) as pool:
        for low in range(0, TILES, PAIRS):
            if stop.is_set():
                raise _StoppedError
            yield from pool.map(partial(_packed, tiles), range(low, low + PAIRS))
            report(Progress(0, (low + PAIRS) / TILES, 0, packing=True))


def _packed(tiles: Bytes, tile: int) -> bytes:
    lone, pair = divmod(tile, PAIRS)
    second = int((1 + (1 + 8 * pair) ** 0.5) / 2)
    first = pair - second * (second - 1) // 2
    return b"" if lone in (first, second) else _tables.pack(tiles[tile])


def write_table(path: Path, rules: int, tiles: Iterable[bytes]) -> None:
    """Write a table of one block against two from its packed tiles; `path` changes only when all of it is written."""
    temporary = path.with_suffix(".new")
    offsets, sums = array("I", [0]), array("I")
    digest = hashlib.sha256()
    try:
        with writing.naming(path), temporary.open("wb") as file:
            file.seek(HEADER + INDEX)
            for packed in tiles:
                file.write(packed)
                digest.update(packed)
                offsets.append(offsets[-1] + len(packed))
                sums.append(_tables.checksum(packed))
            index = little_endian(offsets) + little_endian(sums)
            digest.update(index)
            header = TableHeader(
                format=MAGIC,
                kind=KIND,
                rules=rules_name(rules),
                bytes=offsets[-1],
                index=hashlib.sha256(index).hexdigest(),
                sha256=digest.hexdigest(),
            )
            file.seek(0)
            file.write(header.model_dump_json().encode().ljust(HEADER - 1) + b"\n" + index)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class DeblockleTablebase(Tablebase):
    """One block against two, for each reading of the rules."""

    def build(
        self, options: Options, folder: Path, jobs: int, report: Callable[[float, str], None], stop: Stop
    ) -> Path | None:
        """Build the table of a reading of the rules."""

        def tell(news: Progress) -> None:
            step = "packing" if news.packing else f"round {news.round}, {news.changed:,} changed by the last"
            report(news.done, step)

        return build(rules_number(options), folder, jobs, tell, stop)

    def found(self, folder: Path) -> Sequence[TableFile | TableError]:
        """Return the tables of a folder."""
        return list(found(folder))

    def example(self) -> str:
        """Return the name of the table for the usual rules."""
        return path_of(Path(), 0).name


TABLEBASE = DeblockleTablebase()
