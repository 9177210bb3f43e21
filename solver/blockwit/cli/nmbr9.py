"""The commands of `blockwit nmbr9`: optimize, par, check, show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit.errors import BlockwitError, SolutionError, quote

if TYPE_CHECKING:
    # The engine starts through the same command line: what loads the optimizer waits until it is needed.
    from rich.table import Table

    from blockwit.search.cpsat.optimize import Optimizer, Progress
    from blockwit.search.cpsat.problem import Problem
    from blockwit.search.cpsat.solution import Solution

app = typer.Typer(help="NMBR 9: the best plan, bounds and proofs, solution files.", no_args_is_help=True)

Seconds = Annotated[float | None, typer.Option("--time", min=0.0, help="Seconds; without it, until proven.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Threads.")]
Seed = Annotated[int, typer.Option(help="Seed of every random choice.")]


def _fail(error: BlockwitError) -> typer.Exit:
    typer.echo(f"error: {error}", err=True)
    return typer.Exit(1)


def _row(progress: Progress) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 3))
    score = "none yet" if progress.plan is None else str(progress.score)
    table.add_row(
        f"incumbent {score}",
        f"bound {progress.bound}",
        f"gap {progress.gap:.1%}",
        f"{progress.seconds:.1f} s",
        "proven" if progress.proven else progress.source,
    )
    return table


def _line(progress: Progress) -> str:
    state = "proven" if progress.proven else progress.source
    return (
        f"{progress.seconds:9.1f} s  incumbent {progress.score}  bound {progress.bound}  "
        f"gap {progress.gap:.1%}  {state}"
    )


def _run(problem: Problem, seconds: float | None, workers: int, seed: int, save: Path | None) -> Progress:
    """Run the optimizer with a live line on a terminal, and one line for each news elsewhere."""
    from rich.console import Console
    from rich.live import Live

    from blockwit.search.cpsat.optimize import Optimizer

    console = Console(stderr=True)
    if not console.is_terminal:

        def tell(progress: Progress) -> None:
            typer.echo(_line(progress), err=True)

        return Optimizer(problem, workers=workers, seed=seed, report=tell, save=save).run(seconds)
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def tell_live(progress: Progress) -> None:
            live.console.print(_line(progress))

        optimizer = Optimizer(problem, workers=workers, seed=seed, report=tell_live, save=save)
        live.update(_Status(optimizer))
        return optimizer.run(seconds)


class _Status:
    """What the live line shows: rendered anew at each refresh, so that the seconds run."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    def __rich__(self) -> Table:
        return _row(self.optimizer.progress())


def _show(progress: Progress, problem: Problem, out: Path | None) -> None:
    if progress.plan is None:
        typer.echo("no plan found in this time")
        return
    typer.echo(
        f"{problem.name}: {progress.score} points"
        + (", proven optimal" if progress.proven else f", bound {progress.bound}, gap {progress.gap:.1%}")
    )
    typer.echo(" ".join(str(tile) for tile in progress.plan.tiles))
    if out is not None:
        from blockwit.search.cpsat.solution import write_solution

        text = write_solution(
            problem,
            progress.plan.tiles,
            progress.score,
            bound=progress.bound,
            seconds=round(progress.seconds, 1),
        )
        out.write_text(text, encoding="utf-8")


@app.command()
def optimize(
    problem: Annotated[str, typer.Argument(help="T-m-c-k as in F-9-2-20 or F-6-2-5@8x8x3, or K: and a deck.")],
    seconds: Seconds = None,
    workers: Workers = 2,
    seed: Seed = 0,
    save: Annotated[
        Path | None, typer.Option(help="Progress file, by default NAME.progress.json: a run that was ended goes on.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the best solution there as JSON.")] = None,
) -> None:
    """Find the best plan of a problem, with a bound; ends by itself when it is proven optimal."""
    from blockwit.search.cpsat.problem import read_problem

    try:
        asked = read_problem(problem)
        if asked.kind == "U":
            raise SolutionError(f"{quote(problem)} has an unknown order: no plan exists, play it instead")
        save = save or Path(f"{asked.name.replace(':', '-')}.progress.json")
        typer.echo(f"{'going on from' if save.exists() else 'progress is kept in'} {save}", err=True)
        _show(_run(asked, seconds, workers, seed, save), asked, out)
    except BlockwitError as error:
        raise _fail(error) from None


@app.command()
def par(
    deck: Annotated[str, typer.Argument(help="The cards in the order in which they came, such as 3141592.")],
    seconds: Seconds = 60.0,
    workers: Workers = 2,
    seed: Seed = 0,
) -> None:
    """Tell what was possible with a known order of cards: the best plan found and a bound."""
    from blockwit.search.cpsat.problem import read_order, read_problem

    try:
        order = read_order(deck)
        problem = read_problem(f"K:{''.join(map(str, order))}")
        _show(_run(problem, seconds, workers, seed, None), problem, None)
    except BlockwitError as error:
        raise _fail(error) from None


def _read(path: Path) -> Solution:
    from blockwit import reading
    from blockwit.search.cpsat.solution import check_solution

    text = reading.text(path, SolutionError)
    try:
        return check_solution(text)
    except SolutionError as error:
        raise SolutionError(f"{path}: {error}") from None


@app.command()
def check(file: Annotated[Path, typer.Argument(help="A solution file.")]) -> None:
    """Verify a solution file by the rules; exit status 1 and one line if anything is wrong."""
    try:
        solution = _read(file)
    except BlockwitError as error:
        raise _fail(error) from None
    typer.echo(f"{file}: {solution.problem.name}, {solution.score} points, {len(solution.tiles)} tiles: correct")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A solution file.")],
    svg: Annotated[Path | None, typer.Option(help="Write the drawing there as SVG.")] = None,
) -> None:
    """Draw every level of a solution."""
    from blockwit.games.nmbr9.position import FREE, build_position

    try:
        solution = _read(file)
    except BlockwitError as error:
        raise _fail(error) from None
    position = build_position(solution.tiles, FREE, [], 0)
    if svg is not None:
        svg.write_text(position.svg(), encoding="utf-8")
    typer.echo(position.text())
