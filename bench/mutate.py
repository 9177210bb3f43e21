"""How many small faults would the tests catch? Each mutant is one changed word of the source, tested in a copy.

    python -m bench.mutate [--count 200] [--seed 1] [--only PATH ...] [--folder build/mutants]
    python -m bench.mutate --again TESTS ... [--folder build/mutants]

A mutant swaps a comparison, an arithmetic or a logical operator, negates a condition, moves a small number by one, or
leaves a loop where it should go on. The sample is drawn from all lines of code in ext/ and solver/, each file by its
length; comments, strings, declarations, the layout of drawings and what no test can see (imports, annotations) are left
out. One that does not compile is not counted.

First the tests run once with coverage: a mutant of a Python module meets the tests that run its line, the quickest
first; one of a compiled module meets the tests of its part of the program. A mutant is caught when a test fails, when
the process dies, or when the tests no longer end. What became of each is written to FOLDER/fates.jsonl at once, and a
run that was ended goes on where it was. `--again` shows the survivors of that file to other tests, such as new ones;
the last line about a mutant counts.

Prints each survivor with its line; some change nothing that anybody could see (a heuristic, an order of search), and
only reading tells. Compiled modules are built without optimization: the copy is for counting faults, not for speed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import coverage
import Cython.Build  # noqa: F401 - loaded once, for all processes that are forked from here
import hypothesis.stateful  # noqa: F401
import numpy as np  # noqa: F401
import pydantic  # noqa: F401
import pytest
from ortools.sat.python import cp_model  # noqa: F401

ROOT = Path(__file__).parents[1]
LONGEST = 15.0
"""Seconds that the tests of one mutant took when nothing was changed; what goes beyond is left out."""
MOST = 150
"""Tests of one mutant."""
UNTIMED = ("tests/protocol/test_end.py", "tests/search/cpsat/test_stops.py", "tests/web", "tests/bench", "tests/cli")
"""Tests of whole processes, which fail on a busy machine, or take long."""

TESTS = {
    "ext/games/deblockle.pyx": ["tests/games/test_deblockle.py", "tests/games/test_deblockle_tables.py"],
    "ext/games/numberdrop": [
        "tests/games/test_numberdrop.py",
        "tests/games/test_numberdrop_reference.py",
        "tests/games/test_weights.py",
        "tests/study/test_train.py",
    ],
    "ext/games/nmbr9.pyx": ["tests/games/test_nmbr9.py", "tests/games/test_nmbr9_position.py", "tests/search/cpsat"],
    "ext/games/bridge.pyx": ["tests/games/test_every_game.py", "tests/fourth", "tests/search/test_boundary.py"],
    "ext/search/alphabeta.pyx": ["tests/search/test_alphabeta.py", "tests/search/test_boundary.py"],
    "ext/search/cover.pyx": ["tests/search/cpsat", "tests/search/test_boundary.py"],
    "ext/search/expectimax.pyx": ["tests/search/test_expectimax.py", "tests/search/test_boundary.py"],
    "ext/search/mcts.pyx": ["tests/search/test_mcts.py", "tests/search/test_boundary.py"],
    "ext/search/plan.pyx": ["tests/search/test_plan.py", "tests/search/test_boundary.py"],
    "ext/search/proof.pyx": ["tests/study/test_solve.py", "tests/study/test_puzzles.py"],
    "ext/search/tables.pyx": ["tests/games/test_deblockle_tables.py", "tests/search/test_boundary.py"],
    "ext/search/td.pyx": ["tests/study/test_train.py", "tests/search/test_boundary.py"],
}
"""The tests of each compiled module, by the beginning of its path: no coverage tells which run a line."""

SWAPS = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "//": ("*",),
    "%": ("+",),
    "&": ("|",),
    "|": ("&",),
    "<<": (">>",),
    ">>": ("<<",),
    "+=": ("-=",),
    "-=": ("+=",),
    "|=": ("&=",),
    "&=": ("|=",),
    "and": ("or",),
    "or": ("and",),
    "not": ("",),
    "True": ("False",),
    "False": ("True",),
    "break": ("continue",),
    "continue": ("break",),
    "min": ("max",),
    "max": ("min",),
}
PASSED_OVER = re.compile(
    r"\s*(import|from|cimport|include|cdef extern|ctypedef|@|def |cdef [\w *]+\(.*\)|cpdef |class |cdef class|assert"
    r"|raise|if TYPE_CHECKING|.*noexcept nogil:$)"
)
LAYOUT = re.compile(r".*/(drawing|svg|pictures)\.py")
"""Where a number is a place on the paper."""
UNSEEN = re.compile(
    r"(strict|frozen|slots|kw_only|daemon|indent|encoding|parents|exist_ok|check|timeout|width)\s*=\s*$"
)
"""Arguments that change what a run shows only when something else is wrong."""


@dataclass(frozen=True)
class Mutant:
    """One changed word: where, what stood there, what stands there now, and what became of it."""

    path: str
    line: int
    column: int
    old: str
    new: str
    text: str
    fate: str = ""
    seconds: float = 0.0

    @property
    def compiled(self) -> bool:
        """Whether the compiler has to look at it."""
        return not self.path.endswith(".py")

    @property
    def place(self) -> tuple[str, int, int, str, str]:
        """What tells it from all others of one state of the sources."""
        return self.path, self.line, self.column, self.new, self.text

    def found_again(self) -> Mutant | None:
        """Return it where its line stands now, None if that has changed."""
        path = ROOT / self.path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        places = [number for number, line in enumerate(lines, 1) if line.strip() == self.text]
        return replace(self, line=min(places, key=lambda number: abs(number - self.line))) if places else None

    def source(self) -> str:
        """Return the file with the changed word."""
        lines = (ROOT / self.path).read_text(encoding="utf-8").splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.column] + self.new + line[self.column + len(self.old) :]
        return "".join(lines)


def words(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a source; Cython's few words that Python's tokenizer does not know end a file early."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, IndentationError):
        return


def choices(token: tokenize.TokenInfo, line: str, python: bool) -> tuple[str, ...]:
    """Return what may stand in the place of a word of a line."""
    after, before = line[token.end[1] :], line[: token.start[1]].rstrip()
    if token.type == tokenize.NUMBER:
        size = not python and (line.lstrip().startswith("cdef ") and (before.endswith("[") or "[" not in line))
        small = re.fullmatch(r"[0-9]{1,3}", token.string)
        return (str(int(token.string) + 1),) if small and not size and not UNSEEN.search(before) else ()
    if token.type not in (tokenize.OP, tokenize.NAME):
        return ()
    if token.string in "*-&+" and (not before or before[-1] in "(,=[:<>*+-/%&|" or before.endswith("return")):
        return ()  # a sign, an address, a star of arguments
    if token.string in ("<", ">") and not python and re.search(r"<\s*[\w ]+\**\s*>", line):
        return ()  # a cast
    if token.string == "*" and re.match(r"\s*(\w+\s*[,)=]|\w+$)", after) and line.lstrip().startswith("cdef "):
        return ()  # a pointer
    if token.string == "|" and python and ("->" in line or ": " in before):
        return ()  # a type
    if token.string in ("True", "False") and UNSEEN.search(before):
        return ()
    if token.string in ("min", "max") and not after.startswith("("):
        return ()
    return SWAPS.get(token.string, ())


def mutants(path: Path) -> list[Mutant]:
    """Return all mutants of a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    name = path.relative_to(ROOT).as_posix()
    found = []
    for token in words(source):
        row, column = token.start
        line = lines[row - 1] if row <= len(lines) else ""
        if not PASSED_OVER.match(line):
            found += [
                Mutant(name, row, column, token.string, new, line.strip())
                for new in choices(token, line, path.suffix == ".py")
            ]
    return found


def forked(work: Callable[[], int], folder: Path, environment: dict[str, str], patience: float) -> int | None:
    """Do work in a process forked from this one, silently; return its status, None if it had to be ended."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setsid()
            os.chdir(folder)
            os.environ.update(environment)
            sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
            sys.path[:] = [
                entry for entry in sys.path if entry and Path(entry).resolve() not in (ROOT, ROOT / "solver")
            ]
            for name in list(sys.modules):
                if name.split(".")[0] in ("bench", "blockwit", "tests"):
                    del sys.modules[name]
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            status = work()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(bool(end.code))
        except BaseException:
            status = 71
        finally:
            os._exit(status)
    latest = time.monotonic() + patience
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid or time.monotonic() > latest:
            break
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # and what it has started
    if not pid:
        os.waitpid(child, 0)
        return None
    return os.waitstatus_to_exitcode(status)


class Copy:
    """A copy of the tracked files, compiled, in which one mutant at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        compiled = [path.relative_to(ROOT).as_posix() for path in (ROOT / "solver/blockwit").glob("*.so")]
        begun = folder.exists()
        for name in [*filter(None, listed.decode().split("\0")), *([] if begun else compiled)]:
            source, target = ROOT / name, folder / name
            if source.is_symlink() and target.is_symlink():
                continue
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
            if begun:
                os.utime(target)  # younger than what was made of a mutant
        if not begun:
            for part in ("cython", *(path.name for path in (ROOT / "build").glob("*.linux*"))):
                shutil.copytree(ROOT / "build" / part, folder / "build" / part, dirs_exist_ok=True)
        self.environment = {
            "PYTHONPATH": os.pathsep.join([str(folder / "solver"), str(folder)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "BLOCKWIT_CFLAGS": "-O0 -w",
        }
        if not self.build():
            raise SystemExit("the program itself does not compile")

    def build(self) -> bool:
        """Compile what has changed; tell whether that went well."""

        def setup() -> int:
            sys.argv[:] = ["setup.py", "-q", "build_ext", "--inplace"]
            runpy.run_path("setup.py", run_name="__main__")
            return 0

        return forked(setup, self.folder, self.environment, 600) == 0

    def write(self, path: str, text: str) -> None:
        """Write a source, younger than all that was made of it before."""
        target = self.folder / path
        target.write_text(text, encoding="utf-8")
        later = time.time() + 2
        os.utime(target, (later, later))

    def passes(self, tests: list[str], patience: float) -> bool:
        """Tell whether tests pass, within patience (in seconds)."""
        options = ["-x", "-q", "-m", "not browser", "--timeout=20"]
        for plugin in ("xdist", "cacheprovider", "pytest_cov"):
            options += ["-p", f"no:{plugin}"]
        return forked(lambda: int(pytest.main([*options, *tests])), self.folder, self.environment, patience) == 0


class Record:
    """Which tests run a line, and for how long, from one run with coverage."""

    def __init__(self, copy: Copy, folder: Path) -> None:
        data, times = folder / "coverage", folder / "junit.xml"
        if not times.exists():
            command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not browser"]
            command += ["--cov=blockwit", "--cov-context=test", "--cov-report=", f"--junitxml={times}", "tests"]
            command += [f"--ignore={path}" for path in UNTIMED]
            environment = {**os.environ, **copy.environment, "COVERAGE_FILE": str(data)}
            subprocess.run(command, cwd=copy.folder, env=environment, check=False)
        self.seconds: dict[str, float] = {}
        for case in ElementTree.parse(times).iter("testcase"):
            module, name = case.get("classname", ""), case.get("name", "")
            parts = module.split(".")
            count = next((n for n in range(len(parts), 0, -1) if (ROOT / ("/".join(parts[:n]) + ".py")).exists()), 0)
            if count and len(case) == 0 and re.fullmatch(r"[ -9;-~]+", name):  # it passed, and its name is plain
                node = "::".join(["/".join(parts[:count]) + ".py", *parts[count:], name])
                self.seconds[node] = float(case.get("time", "0"))
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(dict)
        stored = coverage.CoverageData(str(data))
        stored.read()
        for file in stored.measured_files():
            if Path(file).is_relative_to(copy.folder):
                for line, contexts in stored.contexts_by_lineno(file).items():
                    nodes = {context.rsplit("|", 1)[0] for context in contexts}
                    self.lines[Path(file).relative_to(copy.folder).as_posix()][line] = nodes & self.seconds.keys()

    def tests(self, mutant: Mutant) -> tuple[list[str], float]:
        """Return the tests that a mutant meets, the quickest first, and the seconds they take without it."""
        if mutant.compiled:
            starts = tuple(test for start, tests in TESTS.items() if mutant.path.startswith(start) for test in tests)
            found = [node for node in self.seconds if node.startswith(starts or "tests/games")]
        else:
            lines = self.lines[mutant.path]
            near = (lines[line] for line in range(mutant.line, mutant.line - 5, -1) if lines.get(line))
            # What runs when a module is loaded shows in any test of it.
            found = sorted(next(near, set()) or set().union(*lines.values()))
        chosen: list[str] = []
        total = 0.0
        for node in sorted(found, key=lambda node: self.seconds[node])[:MOST]:
            total += self.seconds[node]
            if total > LONGEST and chosen:
                break
            chosen.append(node)
        return chosen, total


def tried(copy: Copy, mutant: Mutant, tests: list[str], seconds: float) -> Mutant:
    """Return a mutant with its fate. The source of the copy is left changed."""
    begun = time.monotonic()
    copy.write(mutant.path, mutant.source())
    if mutant.compiled and not copy.build():
        fate = "not compiled"
    elif not tests or copy.passes(tests, 30 + 3 * seconds):
        fate = "survived"
    else:
        fate = "caught"
    return replace(mutant, fate=fate, seconds=round(time.monotonic() - begun, 1))


def read_fates(path: Path) -> dict[tuple[str, int, int, str, str], Mutant]:
    """Return what became of the mutants so far, the last line about each."""
    if not path.exists():
        return {}
    read = [Mutant(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return {mutant.place: mutant for mutant in read}


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=["ext", "solver"], help="files whose path begins so")
    parser.add_argument("--again", nargs="+", metavar="TESTS", help="the survivors against these tests")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants")
    args = parser.parse_args()
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / "fates.jsonl"
    fates = read_fates(journal)
    copy = Copy(folder / "copy")
    known: dict[tuple[str, int, int, str, str], Mutant] = {}  # as the journal has it, by where it stands now
    if args.again:
        sample = [mutant for mutant in fates.values() if mutant.fate == "survived"]
        sample = [mutant for mutant in sample if mutant.path.startswith(tuple(args.only))]
        known = {now.place: was for was in sample if (now := was.found_again())}
        sample = [replace(was, line=place[1]) for place, was in known.items()]
    else:
        record = Record(copy, folder)
        files = sorted(path for kind in ("*.py", "*.pyx", "*.pxi") for path in ROOT.glob(f"[es]*/**/{kind}"))
        names = {path: path.relative_to(ROOT).as_posix() for path in files}
        chosen = [path for path in files if names[path].startswith(tuple(args.only)) and not LAYOUT.match(names[path])]
        sample = [mutant for path in chosen for mutant in mutants(path)]
        random.Random(args.seed).shuffle(sample)
        print(f"{len(sample)} mutants in {len(chosen)} files, {min(args.count, len(sample))} of them tried", flush=True)
        sample = [mutant for mutant in sample[: args.count] if mutant.place not in fates]
    # Python first, which needs no compiler; file by file, so that one compilation undoes a mutant and makes the next.
    sample.sort(key=lambda mutant: (mutant.compiled, mutant.path, mutant.line, mutant.column))
    for mutant, following in zip(sample, [*sample[1:], None], strict=True):
        result = tried(copy, mutant, *((args.again, 120.0) if args.again else record.tests(mutant)))
        if mutant.place in known:
            result = replace(result, line=known[mutant.place].line)
        fates[result.place] = result
        with journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        if result.fate == "survived":
            changed = f"{result.old} -> {result.new or 'nothing'}"
            print(f"survived: {result.path}:{result.line}: {changed}: {result.text}", flush=True)
        if following is None or following.path != mutant.path:
            copy.write(mutant.path, (ROOT / mutant.path).read_text(encoding="utf-8"))
            if mutant.compiled and not copy.build():
                raise SystemExit(f"{mutant.path}: the original does not compile")
    counted = [mutant for mutant in fates.values() if mutant.fate != "not compiled"]
    caught = sum(mutant.fate == "caught" for mutant in counted)
    print(f"{caught} of {len(counted)} caught: {100 * caught / max(1, len(counted)):.1f}%")


if __name__ == "__main__":
    main()
