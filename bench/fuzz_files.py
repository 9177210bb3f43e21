"""Try to break whoever reads a file: files of every kind, mutated, cut and made up, given to all that reads them.

    python -m bench.fuzz files [--count 100000] [--seed 1]

A case is a file (or a pipe, a folder, a device of its name, or nothing) and one way to have it read: a function of the
package, a command in this process, a request of the page, an engine with its tables there, or now and then a process
of its own. What is allowed is an answer, or an error of one line that can be printed; not a traceback, not a second
line, not a wait, not a crash. Case number N depends on the seed and N alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from types import FrameType
from typing import Any

from blockwit import _numberdrop, _tables, games, models, reading
from blockwit.arena.simulate import Journal, Sample, What
from blockwit.cli.main import app
from blockwit.client import AsyncEngine
from blockwit.errors import BlockwitError, EngineError, SolutionError
from blockwit.games import record, weights
from blockwit.games.deblockle import tables as deblockle_tables
from blockwit.games.deblockle.building import write_table
from blockwit.games.deblockle.tablefiles import HEADER, INDEX
from blockwit.games.numberdrop import position as numberdrop
from blockwit.protocol.session import Session
from blockwit.search.cpsat import progress
from blockwit.search.cpsat.optimize import Optimizer
from blockwit.search.cpsat.problem import read_problem
from blockwit.search.cpsat.solution import check_solution
from blockwit.study import analyse, benchmark, puzzles, train
from blockwit.web.session import Session as Page
from blockwit.web.session import Thinker
from typer.testing import CliRunner

from bench import fuzz

ROOT = Path(__file__).parent.parent
HANG = 20
"""Seconds that a case may take; only one that hangs comes near it."""
PROCESSES = 1 / 300
"""Share of the cases that start a process."""
LONGEST = 1000
"""Characters of the longest error line."""


class BrokenFileError(AssertionError):
    """Someone who reads files broke a promise; the text says which."""


# --- right files ----------------------------------------------------------------------------------------------------

BENCHMARKS: dict[str, dict[str, Any]] = {
    "nmbr9": {"cards": 3, "seconds": 5.0},
    "numberdrop": {"rounds": 1, "nodes": 0},
    "deblockle": {},
}
RECIPE = train.Recipe(round_games=1)
WHAT: What = {"game": "numberdrop", "options": numberdrop.GAME.read_options({"solo": True}), "policy": "random"}
PROBLEMS = ("F-4-1-5", "K:0123456789")
DUEL = "d1XLT d7XLT s"
THREE = "a1XLT c7LXS,e7XLT s"
"""One block against two: the tile that every search of it asks for first is in the table."""


def _written(write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path)
        return path.read_bytes()


def _progress(name: str) -> bytes:
    problem = read_problem(name)
    end = Optimizer(problem).run(steps=1)
    saved = progress.Saved(end.plan, end.bound, 3, 1.5)
    return _written(lambda path: progress.write(path, problem, saved))


def _journal(path: Path) -> None:
    with contextlib.closing(Journal(path, WHAT)) as book:
        for seed in range(3):
            book.add(Sample(seed, (seed / 3,), 30, 11))


def _benchmark(game: str) -> bytes:
    return _written(lambda path: list(benchmark.Benchmark(path, game, BENCHMARKS[game]).run(range(2))))


def _table(path: Path) -> None:
    """Write a table in which some tiles hold one value alone, and the others nothing."""
    packed = {tile: _tables.pack(bytes([100 + tile % 50]) * 24**3) for tile in range(0, _tables.TILES, 7)}
    write_table(path, 0, (packed.get(tile, b"") for tile in range(_tables.TILES)))


def _weights(path: Path) -> None:
    weights.write(path, weights.Weights("set-1", bytes(range(200)), {"games": 7}))


def _rolls() -> bytes:
    return b"tile:L4 tile:O4 tile:S4 tile:I4 tile:T4 roll:667*L\nroll:2377*\n"


def _requests() -> list[bytes]:
    solo = games.get("numberdrop").bench[0][0]
    tables: tuple[dict[str, Any], ...] = (
        {"game": "deblockle", "options": {"no_touch": True}, "start": DUEL, "moves": ["d1c1"]},
        {"game": "numberdrop", "options": {"solo": True}, "start": solo, "moves": []},
        {"game": "nmbr9", "options": {}, "start": None, "moves": ["draw:7", "7a@0,0,0"]},
    )
    asked: list[dict[str, Any]]
    asked = [{"do": verb, "table": table} for table in tables for verb in ("view", "picture", "roll")]
    asked += [{"do": "play", "table": table, "move": "c1c2"} for table in tables]
    asked += [{"do": "claims", "table": tables[1], "move": "I0@1:1234"}, {"do": "stop"}]
    asked += [{"do": "think", "table": tables[0], "nodes": 50, "skill": 3}]
    return [json.dumps({"id": number} | each).encode() for number, each in enumerate(asked)]


def _games() -> list[bytes]:
    played = {"game": "deblockle", "position": DUEL, "options": {"slider": "full"}, "moves": ["d1c1", "d7c7"]}
    return [
        json.dumps(played).encode(),
        f"setoption name UCI_Variant value deblockle\nposition fen {DUEL} moves d1c1 d7c7\n".encode(),
    ]


def _record() -> bytes:
    start = games.get("deblockle").parse(DUEL, {}).fen()
    entry = record.Entry("d1c1", "well", 3.5, 0.25)
    return record.write(record.Record("deblockle", (entry,), start=start, players=("a", "b"))).encode()


def corpus() -> dict[str, list[bytes]]:
    """Return right files of each kind."""
    shelf = sorted((ROOT / "puzzles").glob("*/*[0-9].json")) + sorted((ROOT / "puzzles/nmbr9/posed").glob("*-01.json"))
    posed = [path for path in shelf if not path.name.startswith(("F-", "K-"))][::7]
    solutions = [path for path in shelf if path.name.startswith(("F-4-", "F-6-1-5_", "K-"))]
    return {
        "puzzle": [path.read_bytes() for path in posed],
        "solution": [path.read_bytes() for path in solutions],
        "progress": [_progress(name) for name in PROBLEMS],
        "benchmark": [_benchmark(game) for game in BENCHMARKS],
        "journal": [_written(_journal)],
        "checkpoint": [_written(lambda path: train.Training(RECIPE, path).save())],
        "weights": [_written(_weights), numberdrop.SHIPPED.read_bytes()],
        "table": [_written(_table)],
        "rolls": [_rolls()],
        "game": _games(),
        "record": [_record()],
        "request": _requests(),
        "state": [json.dumps(games.get(name).start({}).state()).encode() for name in games.NAMES],
    }


# --- wrong ones -----------------------------------------------------------------------------------------------------

_RAW = "\u2063raw:"
_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1.5,
    2**63,
    "",
    "x",
    "\u0000\n\u202e",
    "é" * 300,
    [],
    {},
    [[]],
    ["x"] * 50,
    {"kind": "win"},
    *(_RAW + text for text in ("1e400", "-1e400", "NaN", "Infinity", "1" * 5000, "[" * 2000, "\\ud800", "1e-400")),
)
_BYTES = (
    *(b"", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n", b"}", b"]", b'"', b"\\u0000"),
    *(b"[" * 100_000, b"1" * 5000),
)


def _nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in JSON as a container and a key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _nodes(value[key])


def _changed_json(text: str, rng: random.Random, seal: Callable[[dict[str, Any]], str] | None) -> str:
    """Return JSON with a change of what it holds; half of the time with a checksum that fits again."""
    value = json.loads(text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = list(_nodes(value))
        if not places:
            break
        where, key = rng.choice(places)
        what = rng.randrange(5)
        if what == 0:
            del where[key]
        elif what == 1:
            where[key] = deepcopy(where[rng.choice(list(where))] if isinstance(where, dict) else rng.choice(where))
        elif what == 2 and isinstance(where[key], int | float):
            where[key] += rng.choice((-1, 1, 0.5, 10**6))
        elif what == 3 and isinstance(where, dict):
            where[rng.choice(("x", "check", "\u0000", "k" * 300))] = deepcopy(rng.choice(_VALUES))
        else:
            where[key] = deepcopy(rng.choice(_VALUES))
    if seal is not None and isinstance(value, dict) and rng.random() < 0.5:
        value["check"] = seal(value)
    dumped = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    for raw in _VALUES:
        if isinstance(raw, str) and raw.startswith(_RAW):
            for quoted in (json.dumps(raw), json.dumps(raw, ensure_ascii=False)):
                dumped = dumped.replace(quoted, raw[len(_RAW) :])
    return dumped


def _changed_bytes(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randint(0, len(changed))
        what = rng.randrange(7)
        if what == 0 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif what == 1 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif what == 2:
            del changed[at:]
        elif what == 3:
            del changed[at : at + rng.choice((1, 2, 10, 1000))]
        elif what == 4:
            changed[at:at] = rng.randbytes(rng.choice((1, 3, 50)))
        elif what == 5:
            changed[at:at] = rng.choice(_BYTES)
        else:
            changed[at:at] = changed[at : at + rng.choice((1, 10, 500))]
    return bytes(changed)


def _changed_words(data: bytes, rng: random.Random) -> bytes:
    """Return text with the words of a line changed, as a line of the protocol would be."""
    lines = data.split(b"\n")
    pick = rng.randrange(len(lines))
    lines[pick] = fuzz.mutated(lines[pick], rng)
    return b"\n".join(lines)


def _changed_table(data: bytes, rng: random.Random) -> bytes:
    """Return a table of the same length with damaged bytes, half of the time with checksums that fit them again."""
    changed = bytearray(data)
    part = rng.choice(((0, HEADER), (HEADER, HEADER + INDEX), (HEADER + INDEX, len(data))))
    for _ in range(rng.choice((1, 10, 1000))):
        changed[rng.randrange(*part)] = rng.randrange(256)
    if rng.random() < 0.5:
        index, tiles = changed[HEADER : HEADER + INDEX], memoryview(changed)[HEADER + INDEX :]
        bounds = struct.unpack_from(f"<{_tables.TILES + 1}I", index)
        for number, (low, high) in enumerate(itertools.pairwise(bounds)):
            if low < high <= len(tiles):
                struct.pack_into("<I", index, 4 * (_tables.TILES + 1 + number), zlib.crc32(tiles[low:high]))
        changed[HEADER : HEADER + INDEX] = index
        old = re.search(rb'"index":"(.{64})"', data[:HEADER])
        assert old
        changed[old.start(1) : old.end(1)] = hashlib.sha256(index).hexdigest().encode()
    return bytes(changed)


def _sealer(kind: str) -> Callable[[dict[str, Any]], str] | None:
    """Return what makes the checksum of a line of a kind, None where it has none."""
    if kind in ("progress", "checkpoint", "benchmark"):
        return models.checksum
    if kind == "journal":
        return lambda fields: models.checksum(fields, of=WHAT)
    return None


def mutated(kind: str, data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return a file that was changed; now and then it is still right, and now and then another one."""
    roll = rng.random()
    if roll < 0.02:
        return data
    if roll < 0.04:
        return rng.choice(others)
    if roll < 0.07:
        return rng.choice((b"", rng.randbytes(rng.choice((1, 100, 5000))), *_BYTES, b" " * (reading.MAX_BYTES + 1)))
    if roll < 0.09:
        return reading.BOM + data
    if roll < 0.10:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode().encode(rng.choice(("utf-16", "utf-16-le", "utf-32")))
    if kind == "table" and roll < 0.8:
        return _changed_table(data, rng)
    if kind in ("game", "record", "puzzle", "solution", "rolls", "request") and roll < 0.3:
        return _changed_words(data, rng)
    if roll < 0.65:
        lines = data.split(b"\n")
        # Whole files in JSON, files of lines, and the first line of the packed ones.
        if kind in ("checkpoint", "weights"):
            lines = [lines[0], b"\n".join(lines[1:])]
        pick = 0 if len(lines) < 3 or kind in ("checkpoint", "weights") else rng.randrange(len(lines) - 1)
        with contextlib.suppress(ValueError, AttributeError, TypeError):
            try:
                return _changed_json(data.decode(), rng, _sealer(kind)).encode(errors="surrogatepass")
            except ValueError:
                lines[pick] = _changed_json(lines[pick].decode(), rng, _sealer(kind)).encode(errors="surrogatepass")
            if kind in ("checkpoint", "weights") and rng.random() < 0.3:
                with contextlib.suppress(zlib.error):
                    lines[1] = zlib.compress(_changed_bytes(zlib.decompress(lines[1]), rng), 1)
            return b"\n".join(lines)
    return _changed_bytes(data, rng)


def put(path: Path, kind: str, files: dict[str, list[bytes]], rng: random.Random) -> None:
    """Put a wrong file, or what is none, to `path`."""
    roll = rng.random()
    if roll < 0.01:
        os.mkfifo(path)
    elif roll < 0.02:
        path.mkdir()
    elif roll < 0.03:
        path.symlink_to(rng.choice(("/dev/zero", "/dev/null", "/dev/full", str(path), str(path.parent))))
    elif roll > 0.035:  # or nothing at all
        path.write_bytes(mutated(kind, rng.choice(files[kind]), files[rng.choice(list(files))], rng))


# --- who reads them -------------------------------------------------------------------------------------------------


class _Idle(Thinker):
    """No engine: requests are what is tried here."""

    async def think(self, *_: Any) -> str:
        """Refuse to think."""
        raise EngineError("no engine here")


def _page(path: Path) -> None:
    """Ask the page's session, as if the file were a request."""
    text = reading.text(path, SolutionError)
    answers: list[dict[str, Any]] = []

    async def send(answer: dict[str, Any]) -> None:
        answers.append(answer)

    async def ask() -> None:
        session = Page(send, _Idle())
        await session.receive(text)
        if session.searching is not None:
            await session.searching
        await session.close()

    asyncio.run(ask())
    if len(answers) > 1:
        raise BrokenFileError(f"{len(answers)} answers to one request")
    for answer in answers:
        json.dumps(answer, allow_nan=False).encode()
        if answer["is"] in ("error", "illegal"):
            _check_line(answer["why"])


def _state(path: Path) -> None:
    """Let the client read the file as an engine's answer to `query state`."""
    text = reading.text(path, SolutionError)

    class Told(AsyncEngine):
        async def query(self, question: str) -> str:
            return text

    state = asyncio.run(Told().state())
    if not isinstance(state["fen"], str):
        raise BrokenFileError("a state without its position")


def _table_oracle(path: Path) -> None:
    known = deblockle_tables.oracle(0, str(path.parent))
    value = known.probe(games.get("deblockle").parse(THREE, {}).raw())
    if known.trouble():
        _check_line(known.trouble())
        if value is not None:
            raise BrokenFileError("a value from a table that has failed")


def _table_engine(path: Path) -> None:
    lines: list[str] = []
    session = Session(lines.append)
    for line in (f"setoption name TablePath value {path.parent}", f"position fen {THREE}", "go depth 2"):
        session.handle(line)
    session.close()
    for line in lines:
        _check_line(line)
        if "internal:" in line:
            raise BrokenFileError(line)
    if [line.startswith("bestmove ") for line in lines].count(True) != 1 or "bestmove (none)" in lines:
        raise BrokenFileError(f"expected one move, got {lines[-3:]}")
    if sum("warning" in line for line in lines) > 1:
        raise BrokenFileError("more than one warning")


def _command(*words: str) -> Callable[[Path], None]:
    """Return what gives the file to a command, in this process; {} stands for its path."""

    def run(path: Path) -> None:
        given = [word.replace("{}", str(path)).replace("FOLDER", str(path.parent)) for word in words]
        done = CliRunner().invoke(app, given)
        _check_end(done.exit_code, done.stderr, done.stdout, done.exception)

    return run


def _process(*words: str) -> Callable[[Path], None]:
    """Return what gives the file to a command, in a process of its own."""

    def run(path: Path) -> None:
        given = [word.replace("{}", str(path)).replace("FOLDER", str(path.parent)) for word in words]
        env = os.environ | ({numberdrop.OTHER_WEIGHTS: str(path)} if "{weights}" in words else {})
        given = [word for word in given if word != "{weights}"]
        command = [sys.executable, "-c", "from blockwit.cli.main import main; main()", *given]
        try:
            done = subprocess.run(command, capture_output=True, timeout=3 * HANG, env=env, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise BrokenFileError("the process hangs") from None
        _check_end(done.returncode, done.stderr.decode(), done.stdout.decode(), None)

    return run


def _if_refused(run: Callable[[Path], None]) -> Callable[[Path], None]:
    """Return the same for files alone that are no puzzles: of some that are, the proof takes as long as it takes."""

    def only(path: Path) -> None:
        try:
            puzzles.load(path)
        except BlockwitError:
            run(path)

    return only


def _check_line(text: str) -> None:
    if not text.isprintable() or len(text) > LONGEST or "Traceback" in text:
        raise BrokenFileError(f"no one line that can be read: {text[:300]!r}")


def _check_end(code: int, said: str, answered: str, raised: BaseException | None) -> None:
    if raised is not None and not isinstance(raised, SystemExit):
        raise BrokenFileError(f"{type(raised).__name__}: {raised}") from raised
    if code not in (0, 1, 2, 3):
        raise BrokenFileError(f"exit status {code}, {said[-300:]!r}")
    if "Traceback" in said or (code == 2 and not (said + answered).strip()):
        raise BrokenFileError(f"exit status 2, standard error {said[-300:]!r}")
    for line in said.splitlines():
        _check_line(line)


@dataclass(frozen=True)
class Reader:
    """A kind of file and ways to have one read: in this process, and by one of its own."""

    name: str
    here: tuple[Callable[[Path], object], ...]
    there: tuple[Callable[[Path], None], ...] = ()


def _go_on(path: Path) -> None:
    """Go on with a benchmark file, as the game it most likely is."""
    begin = path.read_bytes()[:500] if path.is_file() and path.stat().st_size else b""
    game = next((name for name in BENCHMARKS if f'"{name}"'.encode() in begin), "deblockle")
    list(benchmark.Benchmark(path, game, BENCHMARKS[game]).run([]))


_PLAN = ("plan", "{}", "-o", "solo=true", "--width", "2", "--branch", "2", "--exact-nodes", "0")
_JOURNAL = ("simulate", "random", "-o", "solo=true", "--games", "1", "--journal", "{}")

READERS: dict[str, Reader] = {
    "puzzle": Reader(
        "file.json",
        (
            puzzles.load,
            puzzles.load,
            _command("puzzle", "show", "{}"),
            *(_if_refused(_command("puzzle", verb, "{}")) for verb in ("check", "grade")),
        ),
        (_process("puzzle", "show", "{}"), _if_refused(_process("solve", "{}")), _process("puzzle", "show", "FOLDER")),
    ),
    "solution": Reader(
        "file.json",
        (
            lambda path: check_solution(reading.text(path, SolutionError)),
            _command("nmbr9", "check", "{}"),
            _command("nmbr9", "show", "{}"),
        ),
        (_process("nmbr9", "check", "{}"),),
    ),
    "progress": Reader(
        "file.json",
        (
            *((lambda path, name=name: Optimizer(read_problem(name), save=path)) for name in PROBLEMS),
            _command("nmbr9", "optimize", PROBLEMS[0], "--time", "0", "--save", "{}"),
        ),
        (_process("nmbr9", "optimize", PROBLEMS[0], "--time", "0", "--save", "{}"),),
    ),
    "benchmark": Reader(
        "file.jsonl",
        (
            _go_on,
            _go_on,
            _command("benchmark", "make", "deblockle", "--seeds", "0..1", "--out", "{}"),
        ),
        (_process("benchmark", "make", "deblockle", "--seeds", "0..1", "--out", "{}"),),
    ),
    "journal": Reader(
        "file.jsonl", (lambda path: Journal(path, WHAT).close(), _command(*_JOURNAL)), (_process(*_JOURNAL),)
    ),
    "checkpoint": Reader(
        "file",
        (lambda path: train.Training(RECIPE, path),),
        (_process("train", "numberdrop", "FOLDER/w", "--games", "1", "--threads", "1", "--checkpoint", "{}"),),
    ),
    "weights": Reader(
        "file",
        (
            lambda path: weights.read(path, "set-1", 100),
            lambda path: weights.read(path, _numberdrop.FEATURE_SET, _numberdrop.WEIGHT_COUNT),
        ),
        (_process("show", "-g", "numberdrop", "{weights}"),),
    ),
    "table": Reader(
        deblockle_tables.path_of(Path(), 0).name,
        (
            _table_oracle,
            _table_engine,
            _command("tables", "check", "--path", "FOLDER"),
            _command("tables", "probe", THREE, "--path", "FOLDER"),
        ),
        (_process("tables", "probe", THREE, "--path", "FOLDER"),),
    ),
    "rolls": Reader("file", (_command(*_PLAN),), (_process(*_PLAN),)),
    "game": Reader("file", (analyse.load_record,), (_process("analyse", "{}", "--nodes", "1"),)),
    "record": Reader("file", (record.read,)),
    "request": Reader("file", (_page,)),
    "state": Reader("file", (_state,)),
}


# --- cases ----------------------------------------------------------------------------------------------------------


def _hangs(_signal: int, _frame: FrameType | None) -> None:
    raise BrokenFileError(f"no end within {HANG} seconds")


def case(files: dict[str, list[bytes]], seed: str, share: float = PROCESSES) -> str:
    """Try one case; returns the kind of the file. Raises BrokenFileError."""
    rng = random.Random(seed)
    kind = rng.choice(list(READERS))
    reader = READERS[kind]
    there = bool(reader.there) and rng.random() < share
    read = rng.choice(reader.there if there else reader.here)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / reader.name
        put(path, kind, files, rng)
        before = signal.signal(signal.SIGALRM, _hangs)
        signal.alarm(4 * HANG if there else HANG)
        try:
            read(path)
        except BrokenFileError as failure:
            raise BrokenFileError(f"{kind}: {failure}") from failure
        except BlockwitError as error:
            _check_line(str(error))
        except Exception as error:
            raise BrokenFileError(f"{kind}: {type(error).__name__}: {error}") from error
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
    return kind


def _cases(seed: int, first: int, count: int, at: Synchronized[int], told: Any) -> None:
    """Try cases in a process of its own: a crash ends it, and `at` tells of which."""
    faulthandler.enable()
    files = corpus()
    seen: Counter[str] = Counter()
    for number in range(first, first + count):
        at.value = number
        try:
            seen[case(files, f"{seed} {number}")] += 1
        except BrokenFileError as failure:
            told.send(str(failure))
            raise SystemExit(1) from failure
    told.send(dict(seen))


def run(seed: int, first: int, count: int) -> Counter[str]:
    """Try cases; returns how many there were of each kind of file. Raises BrokenFileError."""
    context = multiprocessing.get_context("spawn")
    at = context.Value("q", first)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_cases, args=(seed, first, count, at, sender))
    process.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        found = "the process ended"
    process.join()
    if isinstance(found, str):
        again = f"python -m bench.fuzz files --seed {seed} --first {at.value} --count 1"
        raise BrokenFileError(f"{again}\n{found}, exit status {process.exitcode}")
    return Counter(found)
