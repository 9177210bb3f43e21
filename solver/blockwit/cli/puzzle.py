"""The commands of `blockwit puzzle`: check, new, show, solve, grade.

Exit status of all of them: 0 everything is right; 1 an answer is wrong or not the only one; 2 a file is broken or the
call is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit import writing
from blockwit.cli.console import Commands, progress, save
from blockwit.cli.ending import beside, say
from blockwit.errors import BlockwitError, TwoSolutionsError

if TYPE_CHECKING:
    from blockwit.jobs import Stop
    from blockwit.study.puzzles.base import Puzzle

KINDS = "win, defend, free, drop, claim, plan, par, optimum"
STATUS = "Exit status: 0 all right, 1 an answer is wrong or not the only one, 2 a file or the call is broken."

app = typer.Typer(cls=Commands, help=f"Posed puzzles: check, find, show, solve, grade. {STATUS}", no_args_is_help=True)

Files = Annotated[
    list[Path] | None, typer.Argument(help="Puzzle files, or folders of them; without any, the folder puzzles.")
]
RIGHT, WRONG, BROKEN = range(3)


def _paths(given: list[Path] | None) -> list[Path]:
    """Return the files meant."""
    from blockwit.study import puzzles

    return list(puzzles.paths(given or [Path("puzzles")]))


def _each(given: list[Path] | None, do: Callable[[Path], tuple[int, str]]) -> None:
    """Tell what `do` says of every file, and leave with the highest status; a broken file is named and counts 2."""
    paths = _paths(given)

    def work(stop: Stop) -> int:
        status = RIGHT
        with progress(len(paths)) as tell:
            for number, path in enumerate(paths):
                if stop.is_set():
                    break
                tell(number, str(path))
                try:
                    found, text = do(path)
                except BlockwitError as error:
                    found, text = BROKEN, f"blockwit: {error}"
                if stop.is_set():
                    break  # nobody waits for this one any more
                status = max(status, found)
                if text.startswith("blockwit: "):
                    say(text)
                else:
                    typer.echo(text)
        return status

    # A proof cannot be stopped: whatever it was at when a signal comes is left alone.
    raise typer.Exit(beside(work, patient=False))


@app.command(epilog=STATUS)
def check(files: Files = None) -> None:
    """Prove every puzzle again: one line a file, PROVEN, WRONG ANSWER, TWO SOLUTIONS or BROKEN."""
    counts = {"PROVEN": 0, "WRONG ANSWER": 0, "TWO SOLUTIONS": 0, "BROKEN": 0}

    def do(path: Path) -> tuple[int, str]:
        verdict, remark = _verdict(path)
        counts[verdict] += 1
        return {"PROVEN": RIGHT, "BROKEN": BROKEN}.get(verdict, WRONG), f"{path}: {verdict}{remark}"

    try:
        _each(files, do)
    finally:
        if any(counts.values()):
            typer.echo(", ".join(f"{count} {verdict.lower()}" for verdict, count in counts.items()))


def _verdict(path: Path) -> tuple[str, str]:
    from blockwit.study import puzzles

    try:
        puzzle = puzzles.load(path)
    except BlockwitError as error:
        return "BROKEN", str(error).removeprefix(str(path))
    try:
        grade = puzzle.check().grade
    except TwoSolutionsError as error:
        return "TWO SOLUTIONS", f": {error}"
    except BlockwitError as error:
        return "WRONG ANSWER", f": {error}"
    measured = "" if grade == puzzle.grade else f" (now measured as {grade}: blockwit puzzle grade --write)"
    return "PROVEN", f", grade {puzzle.grade}{measured}"


@app.command(epilog=STATUS)
def new(
    kind: Annotated[str, typer.Argument(help=f"One of {KINDS}.")],
    turns: Annotated[int | None, typer.Option(help="Its length; default: all lengths of the kind in turn.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many.")] = 1,
    of: Annotated[int, typer.Option(help="Find so many, and keep those spread evenly from easy to hard.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Decides what is found; default: something new each time.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write them there as KIND-NUMBER.json; default: print one.")] = None,
) -> None:
    """Find fresh puzzles, each proven and with one solution."""
    import secrets

    from blockwit.study.puzzles import find as finding

    sought = finding.find(kind, turns, secrets.randbits(63) if seed is None else seed)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        writing.check_writable(out / f"{kind}.json")
    found: list[tuple[str, Puzzle]] = []

    def work(_: Stop) -> None:
        with progress(max(count, of)) as tell:
            tell(0, "found")
            for number, each in enumerate(islice(sought, max(count, of)), 1):
                found.append(each)
                tell(number, f"found, the last of grade {each[1].grade}")

    kept = True
    try:
        # The search for the next one cannot be stopped: it is left alone when a signal comes.
        beside(work, patient=False)
    finally:
        for name, puzzle in _spread(list(found), min(count, len(found))):
            if out is None:
                typer.echo(puzzle.to_json(), nl=False)
                continue
            path = next(_fresh(out, name))
            if save(path, puzzle.to_json()):
                typer.echo(f"{path}: grade {puzzle.grade}, {puzzle.nodes} nodes")
            else:
                kept = False
    if not kept:
        raise typer.Exit(BROKEN)


def _spread(found: list[tuple[str, Puzzle]], count: int) -> list[tuple[str, Puzzle]]:
    """Return `count` of them, easiest first, at even steps of rank."""
    ranked = sorted(found, key=lambda pair: pair[1].difficulty())
    steps = max(1, count - 1)
    return [ranked[i * (len(ranked) - 1) // steps] for i in range(count)]


def _fresh(folder: Path, name: str) -> Iterator[Path]:
    """Yield names of files that do not exist, after those that do."""
    taken = [re.fullmatch(rf"{name}-([0-9]+)", path.stem) for path in folder.glob(f"{name}-*.json")]
    number = max((int(match[1]) for match in taken if match), default=0)
    while True:
        number += 1
        yield folder / f"{name}-{number:02d}.json"


@app.command(epilog=STATUS)
def show(
    files: Files = None,
    svg: Annotated[Path | None, typer.Option(help="Also draw the position to this file (of one puzzle).")] = None,
) -> None:
    """Draw the position and state the task, without the answer."""
    from blockwit.study import puzzles

    def do(path: Path) -> tuple[int, str]:
        puzzle = puzzles.load(path)
        if svg is not None:
            writing.write(svg, puzzle.position.svg())
        head = f"{path}: {puzzle.game.title}, grade {puzzle.grade}"
        return RIGHT, f"{head}\n{puzzle.position.text()}\n{puzzle.task()}"

    _each(files, do)


@app.command(epilog=STATUS)
def solve(
    files: Files = None,
    prove: Annotated[bool, typer.Option(help="Also prove the answer again by exhaustive search.")] = False,
) -> None:
    """Solve puzzles without a look at the answer, and compare."""
    from blockwit.client import Engines
    from blockwit.study.solve import HASH_MB, solve_puzzle

    with Engines({"Hash": HASH_MB}) as engines:

        def do(path: Path) -> tuple[int, str]:
            solved = solve_puzzle(path, engines, prove=prove)
            return solved.status, str(solved)

        _each(files, do)


@app.command(epilog=STATUS)
def grade(
    files: Files = None,
    write: Annotated[bool, typer.Option(help="Write what the proof says into the files.")] = False,
) -> None:
    """Measure how hard puzzles are: nodes of the proof, temptation, difficulty, grade from 1 to 5."""
    from blockwit.study import puzzles

    def do(path: Path) -> tuple[int, str]:
        puzzle = puzzles.load(path)
        graded = puzzle.graded(puzzle.prove())
        if write:
            writing.write(path, graded.to_json())
        return RIGHT, (
            f"{path}: {graded.nodes} nodes, temptation {graded.tempting}, difficulty {graded.difficulty():.2f}, "
            f"grade {graded.grade}"
        )

    _each(files, do)
