"""How many small faults would the tests catch? Each mutant is one changed word of the source, tested in a copy.

    python -m bench.mutate [--count 200] [--seed 1] [--only PATH] [--rest] [--json FILE]

A mutant swaps a comparison, an arithmetic or a logical operator, negates a condition, moves a small number by one, or
leaves a loop where it should go on. The sample is drawn from all lines of code in ext/ and solver/, each file by its
length; comments, strings, declarations and what no test can see (imports, annotations) are left out. Each runs against
the tests of its own part of the program first; with `--rest` those that survive meet the whole suite but the browser's.
A mutant is caught when a test fails, or when the tests no longer end. One that does not compile is drawn again.

Prints each survivor with its line; some change nothing that anybody could see (a heuristic, an order of search), and
only reading tells. Compiled modules are built without optimization: the copy is for counting faults, not for speed.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.report import write_rows

ROOT = Path(__file__).parents[1]
PATIENCE = 900.0
"""Seconds after which tests that have not ended count as failed."""

TESTS = {
    "ext/games/deblockle.pyx": ["tests/games/test_deblockle.py", "tests/games/test_deblockle_tables.py"],
    "ext/games/numberdrop": ["tests/games"],
    "ext/games/nmbr9.pyx": ["tests/games", "tests/search"],
    "ext/search/tables.pyx": ["tests/games/test_deblockle_tables.py"],
    "ext/search/td.pyx": ["tests/study/test_train.py"],
    "ext/search": ["tests/search"],
    "ext": ["tests/games"],
    "solver/blockwit/adapters": ["tests/adapters"],
    "solver/blockwit/arena": ["tests/arena"],
    "solver/blockwit/cli": ["tests/cli"],
    "solver/blockwit/client": ["tests/client"],
    "solver/blockwit/games": ["tests/games", "tests/adapters"],
    "solver/blockwit/protocol": ["tests/protocol"],
    "solver/blockwit/search": ["tests/search"],
    "solver/blockwit/study": ["tests/study"],
    "solver/blockwit/web": ["tests/web"],
    "solver/blockwit": ["tests"],
}
"""The tests of each part, by the longest beginning of the path that stands here."""

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
    r"\s*(import|from|cimport|include|cdef extern|ctypedef|@|def |cdef [\w ]+\(.*\)|cpdef |class |cdef class|assert"
    r"|raise|if TYPE_CHECKING)"
)


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


def words(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a source; Cython's few words that Python's tokenizer does not know end a file early."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, IndentationError):
        return


def mutants(path: Path) -> list[Mutant]:
    """Return all mutants of a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    name = path.relative_to(ROOT).as_posix()
    found = []
    for token in words(source):
        row, column = token.start
        line = lines[row - 1] if row <= len(lines) else ""
        if PASSED_OVER.match(line):
            continue
        choices: tuple[str, ...] = ()
        if token.type in (tokenize.OP, tokenize.NAME):
            choices = SWAPS.get(token.string, ())
            after = line[token.end[1] :]
            before = line[:column].rstrip()
            if token.string in "*-&+" and (not before or before[-1] in "(,=[:<>*+-/%&|" or before.endswith("return")):
                choices = ()  # a sign, an address, a star of arguments
            if token.string in ("<", ">") and re.match(r"\s*\w+[ \w*]*>|\s*\w", after) and "<" in line and ">" in line:
                choices = ()  # a cast
            if token.string == "|" and path.suffix == ".py" and ("->" in line or ": " in line[:column]):
                choices = ()  # a type
            if token.string in ("min", "max") and not after.startswith("("):
                choices = ()
        elif (
            token.type == tokenize.NUMBER and re.fullmatch(r"[0-9]{1,3}", token.string) and not line.startswith("cdef")
        ):
            choices = (str(int(token.string) + 1),)
        found += [Mutant(name, row, column, token.string, new, line.strip()) for new in choices]
    return found


def tests_of(path: str) -> list[str]:
    """Return the tests that a part of the program has to itself."""
    best = max((start for start in TESTS if path.startswith(start)), key=len)
    return [test for test in TESTS[best] if (ROOT / test).exists()] or ["tests"]


class Copy:
    """A copy of the tracked files, compiled, in which one mutant at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder / "solver"), str(folder)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "BLOCKWIT_CFLAGS": "-O0 -w",
        }
        if not self.build():
            raise SystemExit("the program itself does not compile")

    def build(self) -> bool:
        """Compile what has changed; tell whether that went well."""
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, check=False)
        return done.returncode == 0

    def write(self, path: str, text: str) -> None:
        """Write a source, younger than all that was made of it before."""
        target = self.folder / path
        target.write_text(text, encoding="utf-8")
        later = time.time() + 2
        os.utime(target, (later, later))

    def passes(self, tests: list[str]) -> bool:
        """Tell whether tests pass, within patience."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not browser", *tests]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=self.environment, capture_output=True, check=False, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def tried(copy: Copy, mutant: Mutant, rest: bool) -> Mutant | None:
    """Return a mutant with its fate, None for one that does not compile. The source of the copy is left changed."""
    source = (ROOT / mutant.path).read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    line = lines[mutant.line - 1]
    lines[mutant.line - 1] = line[: mutant.column] + mutant.new + line[mutant.column + len(mutant.old) :]
    compiled = mutant.path.endswith((".pyx", ".pxd", ".h"))
    begun = time.monotonic()
    copy.write(mutant.path, "".join(lines))
    if compiled and not copy.build():
        return None
    fate = "survived"
    if not copy.passes(tests_of(mutant.path)):
        fate = "caught"
    elif rest and not copy.passes(["tests"]):
        fate = "caught by other tests"
    return Mutant(**{**asdict(mutant), "fate": fate, "seconds": round(time.monotonic() - begun, 1)})


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path begins so")
    parser.add_argument("--rest", action="store_true", help="survivors meet the whole suite")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    files = sorted([*(ROOT / "ext").rglob("*.pyx"), *(ROOT / "solver").rglob("*.py")])
    chosen = [path for path in files if path.relative_to(ROOT).as_posix().startswith(args.only)]
    all_mutants = [mutant for path in chosen for mutant in mutants(path)]
    random.Random(args.seed).shuffle(all_mutants)
    print(f"{len(all_mutants)} mutants in {len(chosen)} files, {min(args.count, len(all_mutants))} of them tried")
    # File by file, so that one compilation undoes a mutant and makes the next; a few spare ones may not compile.
    spare = args.count // 10 + 2
    sample = sorted(all_mutants[: args.count + spare], key=lambda mutant: mutant.path)
    done: list[Mutant] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        for before, mutant in zip([None, *sample], sample, strict=False):
            if len(done) >= args.count:
                break
            if before is not None and before.path != mutant.path:
                copy.write(before.path, (ROOT / before.path).read_text(encoding="utf-8"))
                if not before.path.endswith(".py"):
                    copy.build()
            result = tried(copy, mutant, args.rest)
            if result is None:
                continue
            done.append(result)
            if result.fate == "survived":
                print(
                    f"survived: {result.path}:{result.line}: {result.old} -> {result.new or 'nothing'}: {result.text}"
                )
            elif len(done) % 20 == 0:
                print(f"{len(done)} tried, {sum(m.fate != 'survived' for m in done)} caught", flush=True)
    caught = sum(mutant.fate != "survived" for mutant in done)
    print(f"{caught} of {len(done)} caught: {100 * caught / max(1, len(done)):.1f}%")
    if args.json:
        write_rows(args.json, [asdict(mutant) for mutant in done])


if __name__ == "__main__":
    main()
