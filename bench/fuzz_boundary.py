"""Calls everything that Python can call in the compiled modules with right, wrong and damaged arguments.

`boundary` of bench.fuzz: see there. A case makes an object or takes a module, and calls some of its functions, at times
from two threads at once. Arguments go by the names of the parameters: most often something of the right kind, states
also with a few bytes changed, else anything. A case may only end well or by one of the errors in ALLOWED.
"""

from __future__ import annotations

import inspect
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blockwit import (
    _alphabeta,
    _bridge,
    _cover,
    _deblockle,
    _expectimax,
    _mcts,
    _nmbr9,
    _numberdrop,
    _plan,
    _proof,
    _tables,
    _td,
)
from blockwit.games import deblockle, nmbr9, numberdrop

MODULES = (
    *(_alphabeta, _bridge, _cover, _deblockle, _expectimax, _mcts),
    *(_nmbr9, _numberdrop, _plan, _proof, _tables, _td),
)
ALLOWED = (TypeError, ValueError, OverflowError, IndexError, MemoryError, BufferError)
"""MemoryError for a size that nobody has, BufferError for a buffer that must not be written to."""
BUSY = "under way"
"""The end of a RuntimeError that a second thread gets."""
PATIENCE = 120.0
"""Seconds that a batch may hang without beginning another case."""
BATCH = 2000
CHILD = ["-m", "bench.fuzz_boundary"]

LONG = {"one_against_one", "lone_pass", "pair_pass"}
"""What works on whole tables: seconds, and gigabytes of arguments. tests/games/test_deblockle_tables.py calls it."""

CONSTRUCTORS = {
    "_alphabeta.Searcher": ("capsule", "hash_mb", "threads"),
    "_mcts.Searcher": ("capsule", "hash_mb"),
    "_deblockle.State": ("rules", "rules", "rules", "rules"),
    "_cover.Coverer": ("shapes",),
    "_tables.Solver": ("capsule", "rules"),
    "_tables.Oracle": ("capsule", "rules", "ones"),
    "_td.Learner": ("capsule", "linear"),
}
"""Parameters of the constructors, which do not tell them; of the others: a capsule."""

COMPILED = {"deblockle": _deblockle, "numberdrop": _numberdrop, "nmbr9": _nmbr9}
STARTS = {
    "deblockle": [
        deblockle.GAME.start({}).raw(),
        deblockle.GAME.parse("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", {}).raw(),
        deblockle.GAME.parse("c1SLX c5XLT,e5CLS n", {}).raw(),
    ],
    "numberdrop": [
        numberdrop.GAME.start({"solo": True}).raw(),
        numberdrop.GAME.start({"players": 3, "tiles": "pool10"}).raw(),
    ],
    "nmbr9": [nmbr9.GAME.parse(text, {}).raw() for text in ("- 01234567", "- *0123456/5", "- ?0123/4")],
}
ONES = bytes([128]) * _tables.ONES_SIZE
COVERER = _cover.Coverer(_nmbr9.shapes())
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 7, 255, 256, 65536, -(1 << 31), (1 << 31) - 1, 1 << 31, (1 << 63) - 1, 1 << 63),
    *((1 << 64) - 1, 1 << 64, -(1 << 63), 1 << 200, 1.5, float("nan"), float("inf"), "x", "", b"", bytes(8), bytes(64)),
    *(
        [],
        [None],
        [-1],
        [1 << 64],
        (),
        {},
        object(),
        bytearray(1),
        memoryview(b"abc"),
        array("f", [1.0, 2.0]),
        ["x"] * 9,
    ),
)
# A large number of these is an honest order of much work, and no fault.
WORK = {
    "games",
    "limit",
    "count",
    "depth",
    "nodes",
    "width",
    "plies",
    "table_bits",
    "hash_mb",
    "cap",
    "max_nodes",
    "k",
    "stopped",
}


class BadEndError(Exception):
    """A case ended as none may."""


class Case:
    """One case: all its choices come from one seed."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.game = self.rng.choice(list(COMPILED))
        self.told: list[str] = []

    # --- arguments -------------------------------------------------------------------------------------------

    def state(self) -> bytes:
        """Return a state some random moves from a start; at times damaged, or of another game than that in hand."""
        rng = self.rng
        name = self.game if rng.random() < 0.95 else rng.choice(list(COMPILED))
        table = _bridge.Table(COMPILED[name].capsule())
        raw = rng.choice(STARTS[name])
        for _ in range(rng.choice((0, 1, 5, 6, 7, 8, 20, 60))):
            if table.kind(raw) == 2:
                break
            raw = table.play(raw, table.sample(raw, rng.getrandbits(60)))
        if rng.random() < 0.35:
            data = bytearray(raw)
            for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
                at = rng.randrange(len(data))
                data[at] = rng.choice((data[at] ^ 1 << rng.randrange(8), rng.randrange(256), 0, 1, 255))
            raw = bytes(data)
        if rng.random() < 0.03:
            raw = rng.randbytes(len(raw)) if rng.random() < 0.5 else raw[: rng.randrange(len(raw))]
        return raw

    def action(self) -> int:
        """Return an action of some state of the game, or any number."""
        table = _bridge.Table(COMPILED[self.game].capsule())
        if self.rng.random() < 0.7:
            try:
                return table.sample(self.state(), self.rng.getrandbits(60))
            except ValueError:
                pass
        return self.rng.choice((0, 1, self.rng.getrandbits(20), self.rng.getrandbits(60), self.rng.getrandbits(64)))

    def capsule(self) -> object:
        """Return a capsule, most often that of the game in hand."""
        if self.rng.random() < 0.9:
            return COMPILED[self.game].capsule()
        return self.rng.choice((_deblockle.blocks_capsule(), _numberdrop.linear(), _numberdrop.capsule()))

    def layout(self) -> bytes:
        """Return a layout of levels, right or wrong."""
        rng = self.rng
        try:
            raw = COVERER.layout(
                [
                    (rng.randrange(10), rng.randrange(4), 20 + 4 * rng.randrange(4), 20 + 4 * n)
                    for n in range(rng.randint(1, 4))
                ]
            )
        except ValueError:
            raw = rng.randbytes(40)
        data = bytearray(raw)
        if rng.random() < 0.3:
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)

    def counts(self) -> list[int]:
        """Return some tiles of each digit."""
        return [self.rng.choice((0, 0, 0, 1, 1, 2)) for _ in range(10)]

    def node(self) -> bytes:
        """Return a node of the beam over levels, right or wrong."""
        try:
            raw = bytearray(COVERER.make_node(self.layout(), self.counts(), self.rng.randrange(50)))
        except ValueError:
            return self.rng.randbytes(80)
        if self.rng.random() < 0.3:
            raw[self.rng.randrange(len(raw))] = self.rng.randrange(256)
        return bytes(raw)

    def number(self) -> int:
        """Return a number that is likely to mean something."""
        return self.rng.choice((0, 1, 2, 3, 4, 5, 8, 10, 15, 24, 50, -1))

    def right(self, module: str, name: str) -> Any:
        """Return what a parameter of this name might be given."""
        rng = self.rng
        few = rng.randint(0, 3)
        made: dict[str, Callable[[], Any]] = {
            "capsule": lambda: _deblockle.blocks_capsule() if module == "_tables" else self.capsule(),
            "linear": _numberdrop.linear,
            "state": self.state,
            "start": self.state if module == "_numberdrop" else self.number,
            "raw": {"_cover": rng.choice((self.layout, self.node))}.get(module, self.state),
            "layout": self.layout,
            "layouts": lambda: [self.layout() for _ in range(few)],
            "raws": lambda: [self.state() for _ in range(few)],
            "counts": self.counts,
            "action": self.action,
            "move": self.action,
            "roots": lambda: [[self.action()] if module == "_expectimax" else self.action() for _ in range(few)],
            "outcomes": lambda: [self.action() for _ in range(few)],
            "history": lambda: [rng.getrandbits(64) for _ in range(few)],
            "starts": lambda: [self.state() for _ in range(few)],
            "shares": lambda: [1.0] * few,
            "report": lambda: rng.choice((lambda *_: None, None, lambda *_: 1 / rng.randint(1, 2))),
            "stopped": lambda: soon(rng.randint(0, 20)),
            "stop": lambda: rng.choice((bytearray(1), bytearray(b"\1"), bytearray(0))),
            "ones": lambda: ONES,
            "handle": lambda: -1,
            "rules": lambda: rng.randint(0, 12),
            "tile": lambda: rng.choice((bytes([rng.randint(1, 254)]) * 24**3, rng.randbytes(24**3))),
            "tiles": lambda: rng.choice(("given", "pool10", bytes(rng.randrange(16) for _ in range(5)), 5)),
            "notches": lambda: bytes(rng.randrange(5) for _ in range(5)),
            "numbers": lambda: bytes(sorted(rng.randrange(11) for _ in range(4))),
            "dice": lambda: bytes(rng.randrange(11) for _ in range(24)),
            "given": lambda: rng.choice((b"", bytes(rng.randrange(10) for _ in range(5)))),
            "sheets": lambda: [(bytes([255]) * 98, bytes(98), 0) for _ in range(rng.choice((1, 1, 3)))],
            "shapes": lambda: rng.choice((_nmbr9.shapes(), _nmbr9.shapes()[:3], [[[(0, 0)] * 2]], [[[(3, 3)]]])),
            "spots": lambda: [(rng.randrange(11), rng.randrange(4), 20 + 4 * n, rng.randrange(64)) for n in range(few)],
            "deck": lambda: [rng.randrange(11) for _ in range(few)],
            "south": lambda: [(rng.randrange(56), rng.randrange(24)) for _ in range(few)],
            "north": lambda: [(rng.randrange(56), rng.randrange(24)) for _ in range(few)],
            "unplaced": lambda: [rng.choice((0, 0, 1, 2)) for _ in range(6)],
            "handicap": lambda: (rng.randint(0, 4), rng.randint(0, 4)),
            "values": lambda: rng.choice((_numberdrop.get_weights(), bytes(2 * _numberdrop.WEIGHT_COUNT))),
            "tables": lambda: rng.choice((None, _tables.Oracle(_deblockle.blocks_capsule(), 0, ONES))),
            "hash_mb": lambda: rng.choice((1, 2, 0)),
            "threads": lambda: rng.choice((1, 2, 4, 0)),
            "depth": lambda: rng.choice((1, 2, 2, 0)),
            "plies": lambda: rng.randint(1, 2),
            "table_bits": lambda: rng.randint(9, 12),
            "nodes": lambda: rng.randint(1, 300),
            "limit": lambda: rng.randint(1, 300),
            "games": lambda: rng.randint(0, 2),
            "count": lambda: rng.randint(0, 2),
            "max_nodes": lambda: rng.randint(0, 3000),
            "cap": lambda: rng.randint(1, 300),
            "width": lambda: rng.randint(1, 16),
            "decay": lambda: 0.5,
            "rate": lambda: 0.5,
        }
        return made.get(name, self.number)()

    def argument(self, module: str, name: str) -> Any:
        """Return an argument for a parameter."""
        value = self.right(module, name) if self.rng.random() < 0.93 else self.rng.choice(ODD)
        if name in WORK and isinstance(value, int) and value > 5000:
            return -value
        if name == "depth" and isinstance(value, int) and 4 < value <= 64:
            return value % 4  # deeper is work for minutes, and right
        if name == "limit" and value == 0:
            return 1  # 0 stands for none, and nobody says stop
        if name == "stopped" and value is None:
            return soon(5)
        return value

    # --- calls -----------------------------------------------------------------------------------------------

    def call(self, module: str, name: str, function: Callable[..., Any]) -> Any:
        """Call something once; returns what it returns, None where it raised what it may."""
        keywords: dict[str, Any] = {}
        positional = []
        if isinstance(function, type):
            parameters = [
                inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY)
                for each in dict.fromkeys(CONSTRUCTORS.get(f"{module}.{name}", ("capsule",)))
            ]
        else:
            parameters = list(inspect.signature(function).parameters.values())
        for parameter in parameters:
            if parameter.name == "self" or (self.rng.random() < 0.01 and parameter.name not in WORK):
                continue
            if parameter.default is not parameter.empty and self.rng.random() < 0.4 and parameter.name not in WORK:
                continue
            value = self.argument(module, parameter.name)
            if parameter.kind is parameter.KEYWORD_ONLY or keywords or parameter.default is not parameter.empty:
                keywords[parameter.name] = value
            else:
                positional.append(value)
        self.told.append(
            f"{module}.{name}({', '.join([*map(show, positional), *(f'{k}={show(v)}' for k, v in keywords.items())])})"
        )
        try:
            return function(*positional, **keywords)
        except ALLOWED:
            return None
        except RuntimeError as error:
            if not str(error).endswith(BUSY):
                raise
            return None
        except ZeroDivisionError:  # of the report, which was handed on as it should be
            return None

    def made(self, module: str, name: str, kind: type) -> Any:
        """Return an object of a class: with right arguments mostly, so that its methods can be called."""
        if self.rng.random() < 0.3:
            return self.call(module, name, kind)
        if kind is _td.Learner:
            return kind(_numberdrop.capsule(), _numberdrop.linear())
        if kind is _tables.Solver:
            return kind(_deblockle.blocks_capsule(), 0)
        if kind is _tables.Oracle:
            return kind(_deblockle.blocks_capsule(), 0, ONES)
        if kind is _cover.Coverer:
            return kind(_nmbr9.shapes())
        if kind is _deblockle.State:
            try:
                self.game = "deblockle"
                return _deblockle.State.from_raw(self.state())
            except ValueError:
                return kind()
        if kind is _alphabeta.Searcher:
            self.game = "deblockle"
            return kind(_deblockle.capsule(), 1, self.rng.choice((1, 1, 2, 3)))
        rest = [1] if kind is _mcts.Searcher else []
        return kind(COMPILED[self.game].capsule(), *rest)

    def run(self) -> None:
        """Do what the seed says."""
        rng = self.rng
        module = rng.choice(MODULES)
        short = module.__name__.rpartition(".")[2]
        own = {f"_{name}": name for name in COMPILED}
        self.game = own.get(short, self.game)
        names = [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith("__")]
        names = [name for name in names if getattr(getattr(module, name), "__module__", "") == module.__name__]
        classes = [name for name in names if isinstance(getattr(module, name), type)]
        name = rng.choice(classes if classes and rng.random() < 0.7 else names)
        subject = getattr(module, name)
        if not isinstance(subject, type):
            for _ in range(rng.choice((1, 1, 2))):
                self.call(short, name, subject)
            return
        methods = [each for each in dir(subject) if not each.startswith("__") and each not in LONG]
        thing = self.made(short, name, subject)
        if thing is None or not methods:
            return

        def some() -> None:
            for _ in range(rng.choice((1, 2, 4))):
                method = rng.choice(methods)
                if method == "search":
                    # Whatever the limits are: it ends soon.
                    thing.arm()
                    thing.set_time(10, 10)
                attribute = getattr(thing, method)
                if callable(attribute):
                    self.call(short, f"{name}.{method}", attribute)

        if rng.random() < 0.1:
            two_at_once(some)
        else:
            some()


def soon(times: int) -> Callable[[], bool]:
    """Return what says to stop when it has been asked so often."""
    left = iter(range(times))
    return lambda: next(left, None) is None


def two_at_once(work: Callable[[], None]) -> None:
    """Do the same work in two threads; raises what either of them raised."""
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def show(value: object) -> str:
    """Return an argument as text, long ones cut."""
    text = repr(value)
    return text if len(text) < 400 else f"{text[:400]}..."


def child(seed: int, first: int, count: int, note: Path) -> None:
    """Run cases in this process; the number of the one under way stands in `note`."""
    descriptor = os.open(note, os.O_WRONLY)
    for number in range(first, first + count):
        os.pwrite(descriptor, b"%20d" % number, 0)
        case = Case(f"{seed} {number}")
        try:
            case.run()
        except Exception as error:
            last = "\n  ".join(case.told[-4:])
            raise SystemExit(f"{type(error).__name__}: {error}; the last calls:\n  {last}") from error


def batch(seed: int, first: int, count: int) -> None:
    """Run cases in a child; raises BadEndError with the number of the one that broke it."""
    with tempfile.NamedTemporaryFile() as note:
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", *CHILD, str(seed), str(first), str(count), note.name],
            stderr=subprocess.PIPE,
            text=True,
        )
        errors: list[str] = []
        reader = threading.Thread(target=lambda: errors.append(process.stderr.read() if process.stderr else ""))
        reader.start()
        at, since = b"", time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            now = os.pread(note.fileno(), 20, 0)
            if now != at:
                at, since = now, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                process.kill()
                errors.append("it hangs")
                break
        code = process.wait()
        reader.join()
        if code:
            number = int(os.pread(note.fileno(), 20, 0) or first)
            again = f"python -m bench.fuzz boundary --seed {seed} --first {number} --count 1"
            text = "".join(errors)
            raise BadEndError(f"FAILED: {again}\nexit code {code}\n{text[-6000:]}")


def boundary(seed: int, first: int, count: int, told: Callable[[str], None] = print) -> None:
    """Run cases number `first` to `first + count` in child processes; raises BadEndError for the first that fails."""
    began = last = time.monotonic()
    for at in range(first, first + count, BATCH):
        batch(seed, at, min(BATCH, first + count - at))
        if time.monotonic() - last > 10:
            last = time.monotonic()
            told(f"{at + BATCH - first} of {count} cases, {last - began:.0f} s")
    told(f"{count} cases, {time.monotonic() - began:.0f} s: nothing broke")


if __name__ == "__main__":
    child(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
