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

from blockwit.errors import BlockwitError, TwoSolutionsError

if TYPE_CHECKING:
    from blockwit.study.puzzles.base import Puzzle

KINDS = "win, defend, free (Deblockle), drop, claim, plan (Number Drop), par, optimum (NMBR 9)"
STATUS = "Exit status: 0 all right, 1 an answer is wrong or not the only one, 2 a file or the call is broken."

app = typer.Typer(help=f"Posed puzzles: check, find, show, solve, grade. {STATUS}", no_args_is_help=True)

Files = Annotated[
    list[Path] | None, typer.Argument(help="Puzzle files, or folders of them; without any, the folder puzzles.")
]
RIGHT, WRONG, BROKEN = range(3)


def _paths(given: list[Path] | None) -> list[Path]:
    """Return the files meant, or leave with status 2."""
    from blockwit.study import puzzles

    try:
        return list(puzzles.paths(given or [Path("puzzles")]))
    except BlockwitError as error:
        typer.echo(f"blockwit: {error}", err=True)
        raise typer.Exit(BROKEN) from None


def _each(given: list[Path] | None, do: Callable[[Path, Puzzle], None]) -> None:
    """Do something with every puzzle; broken files are named and skipped, and the exit status tells of them."""
    from blockwit.study import puzzles

    status = RIGHT
    for path in _paths(given):
        try:
            do(path, puzzles.load(path))
        except (BlockwitError, OSError) as error:
            typer.echo(f"blockwit: {error}", err=True)
            status = BROKEN
    raise typer.Exit(status)


@app.command(epilog=STATUS)
def check(files: Files = None) -> None:
    """Prove every puzzle again: one line a file, PROVEN, WRONG ANSWER, TWO SOLUTIONS or BROKEN."""
    counts = {"PROVEN": 0, "WRONG ANSWER": 0, "TWO SOLUTIONS": 0, "BROKEN": 0}
    for path in _paths(files):
        verdict, remark = _verdict(path)
        counts[verdict] += 1
        typer.echo(f"{path}: {verdict}{remark}")
    typer.echo(", ".join(f"{count} {verdict.lower()}" for verdict, count in counts.items()))
    if counts["BROKEN"]:
        raise typer.Exit(BROKEN)
    raise typer.Exit(WRONG if counts["WRONG ANSWER"] or counts["TWO SOLUTIONS"] else RIGHT)


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

    try:
        found = finding.find(kind, turns, secrets.randbits(63) if seed is None else seed)
        chosen = _spread(list(islice(found, max(count, of))), count)
        for name, puzzle in chosen:
            if out is None:
                typer.echo(puzzle.to_json(), nl=False)
                continue
            out.mkdir(parents=True, exist_ok=True)
            path = next(_fresh(out, name))
            path.write_text(puzzle.to_json(), encoding="utf-8")
            typer.echo(f"{path}: grade {puzzle.grade}, {puzzle.nodes} nodes")
    except (BlockwitError, OSError) as error:
        typer.echo(f"blockwit: {error}", err=True)
        raise typer.Exit(BROKEN) from None


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

    def do(path: Path, puzzle: Puzzle) -> None:
        typer.echo(f"{path}: {puzzle.game.title}, grade {puzzle.grade}")
        typer.echo(puzzle.position.text())
        typer.echo(puzzle.task())
        if svg is not None:
            svg.write_text(puzzle.position.svg(), encoding="utf-8")

    _each(files, do)


@app.command(epilog=STATUS)
def solve(
    files: Files = None,
    prove: Annotated[bool, typer.Option(help="Also prove the answer again by exhaustive search.")] = False,
) -> None:
    """Solve puzzles without a look at the answer, and compare."""
    from blockwit.client import Engines
    from blockwit.study.solve import HASH_MB, solve_puzzle

    status = RIGHT
    with Engines({"Hash": HASH_MB}) as engines:
        for path in _paths(files):
            solved = solve_puzzle(path, engines, prove=prove)
            typer.echo(str(solved), err=solved.status == BROKEN)
            status = max(status, solved.status)
    raise typer.Exit(status)


@app.command(epilog=STATUS)
def grade(
    files: Files = None,
    write: Annotated[bool, typer.Option(help="Write what the proof says into the files.")] = False,
) -> None:
    """Measure how hard puzzles are: nodes of the proof, temptation, difficulty, grade from 1 to 5."""

    def do(path: Path, puzzle: Puzzle) -> None:
        graded = puzzle.graded(puzzle.prove())
        typer.echo(
            f"{path}: {graded.nodes} nodes, temptation {graded.tempting}, difficulty {graded.difficulty():.2f}, "
            f"grade {graded.grade}"
        )
        if write:
            path.write_text(graded.to_json(), encoding="utf-8")

    _each(files, do)
