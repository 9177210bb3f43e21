"""The commands of `blockwit nmbr9`: optimize, par, check, verify, show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit import writing
from blockwit.cli.console import Commands, note, progress, save
from blockwit.cli.ending import NO, WRONG, beside, line_of, say
from blockwit.errors import SolutionError, WrongClaimError, quote

if TYPE_CHECKING:
    # The engine starts through the same command line: what loads the optimizer waits until it is needed.
    from rich.table import Table

    from blockwit.jobs import Stop
    from blockwit.search.cpsat.optimize import Optimizer, Progress
    from blockwit.search.cpsat.problem import Problem
    from blockwit.search.cpsat.solution import Solution

app = typer.Typer(
    cls=Commands, help="NMBR 9: the best plan, bounds and proofs, solution writing.", no_args_is_help=True
)

Seconds = Annotated[float | None, typer.Option("--time", min=0.0, help="Seconds; without it, until proven.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Threads.")]
Explain = Annotated[bool, typer.Option("--explain", help="Tell what the bound rests on and what took how long.")]
Seed = Annotated[int, typer.Option(help="Seed of every random choice.")]


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


def _run(problem: Problem, seconds: float | None, workers: int, seed: int, save: Path | None) -> Optimizer:
    """Run the optimizer until its end or a signal, with a live line on a terminal, and one for each news elsewhere."""
    from rich.console import Console
    from rich.live import Live

    from blockwit.search.cpsat.optimize import Optimizer

    def tell(progress: Progress) -> None:
        note(_line(progress))

    optimizer = Optimizer(problem, workers=workers, seed=seed, report=tell, save=save)

    def work(stop: Stop) -> None:
        with stop.calls(optimizer.stop):
            optimizer.run(seconds)

    with optimizer:
        if sys.stderr.isatty():
            # Notes are redirected, and stand above it.
            with Live(_Status(optimizer), console=Console(stderr=True), refresh_per_second=4, transient=True):
                beside(work)
        else:
            beside(work)
    return optimizer


class _Status:
    """What the live line shows: rendered anew at each refresh, so that the seconds run."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    def __rich__(self) -> Table:
        return _row(self.optimizer.progress())


def _explain(optimizer: Optimizer) -> None:
    """Tell what the bound rests on, and which part of the work took how long."""
    if optimizer.proof is not None:
        typer.echo(f"assignments of cards to levels: {optimizer.proof}")
    parts = sorted(optimizer.worked.items(), key=lambda part: -part[1])
    if parts:
        typer.echo("thread seconds: " + ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts))


def _show(optimizer: Optimizer, out: Path | None) -> None:
    """Tell the result and write it; the exit status tells where there is none, or where it could not be written."""
    progress, problem = optimizer.progress(), optimizer.problem
    if progress.plan is None:
        typer.echo("no plan found in this time")
        raise typer.Exit(NO)
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
        if not save(out, text):
            raise typer.Exit(WRONG)


def _kept(name: str) -> Path | None:
    """Return the file for a problem's progress in the platform's folder for such, None where nothing can be written."""
    import platformdirs

    path = platformdirs.user_cache_path("blockwit") / "nmbr9" / f"{name.replace(':', '-')}.progress.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writing.check_writable(path)
    except OSError as error:
        note(f"progress is not kept ({line_of(error)}), --save names another file")
        return None
    return path


@app.command()
def optimize(
    problem: Annotated[str, typer.Argument(help="T-m-c-k as in F-9-2-20 or F-6-2-5@8x8x3, or K: and a deck.")],
    seconds: Seconds = None,
    workers: Workers = 2,
    seed: Seed = 0,
    kept_in: Annotated[
        Path | None,
        typer.Option(
            "--save", help="Progress file; default: one in the user's cache folder. A run that was ended goes on."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the best solution there as JSON.")] = None,
    explain: Explain = False,
) -> None:
    """Find the best plan of a problem, with a bound; ends by itself when it is proven optimal."""
    from blockwit.search.cpsat.problem import read_problem

    asked = read_problem(problem)
    if asked.kind == "U":
        raise SolutionError(f"{quote(problem)} has an unknown order: no plan exists, play it instead")
    writing.check_writable(kept_in, out)
    kept = kept_in or _kept(asked.name)
    if kept is not None and kept.exists():
        note(f"going on from {kept}")
    optimizer = _run(asked, seconds, workers, seed, kept)
    try:
        if explain:
            _explain(optimizer)
        _show(optimizer, out)
    finally:
        if optimizer.unsaved is None and kept is not None:
            note(f"progress is kept in {kept}")
    if optimizer.unsaved is not None:
        raise optimizer.unsaved


@app.command()
def par(
    deck: Annotated[str, typer.Argument(help="The cards in the order in which they came, such as 3141592.")],
    seconds: Seconds = 60.0,
    workers: Workers = 2,
    seed: Seed = 0,
    explain: Explain = False,
) -> None:
    """Tell what was possible with a known order of cards: the best plan found and a bound."""
    from blockwit.search.cpsat.problem import read_order, read_problem

    order = read_order(deck)
    optimizer = _run(read_problem(f"K:{''.join(map(str, order))}"), seconds, workers, seed, None)
    if explain:
        _explain(optimizer)
    _show(optimizer, None)


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
    """Verify a solution file by the rules; exit status 1 and one line if anything is wrong with what it holds."""
    from blockwit import reading
    from blockwit.search.cpsat.solution import check_solution

    text = reading.text(file, SolutionError)
    try:
        solution = check_solution(text)
    except SolutionError as error:
        say(f"blockwit: {file}: {error}")
        raise typer.Exit(NO) from None
    typer.echo(f"{file}: {solution.problem.name}, {solution.score} points, {len(solution.tiles)} tiles: correct")


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A solution file, a progress file or a benchmark file.")],
    seconds: Annotated[float, typer.Option("--time", min=0.0, help="Most seconds for the proof of each bound.")] = 3600,
    workers: Workers = 2,
) -> None:
    """Verify plans by the rules and prove bounds anew; exit status 1 if anything is wrong, or taken on trust."""
    from blockwit.search.cpsat.verify import Claim, Verdict, prove
    from blockwit.study.puzzles.claims import claims

    try:
        told = list(claims(file))
    except WrongClaimError as error:
        say(f"blockwit: {error}")
        raise typer.Exit(NO) from None
    if not told:
        raise SolutionError(f"{file}: nothing is claimed in it")

    def line(name: str, claim: Claim, verdict: Verdict) -> str:
        plan = "no plan" if claim.score is None else f"{claim.score} points, replayed"
        if claim.bound is None:
            return f"{name}: {plan}; {verdict.why}"
        state = {True: "holds", False: "is wrong", None: "is taken on trust"}[verdict.held]
        return f"{name}: {plan}; bound {claim.bound} {state}: {verdict.why}"

    verdicts: list[Verdict] = []

    def work(stop: Stop) -> None:
        with progress(len(told)) as tell:
            for name, claim in told:
                verdict = prove(claim, seconds, workers, stop.is_set)
                if stop.is_set():
                    return
                verdicts.append(verdict)
                tell(len(verdicts), name)
                if len(told) == 1 or not verdict.held:
                    typer.echo(line(name, claim, verdict))

    beside(work)
    held = sum(verdict.held is True for verdict in verdicts)
    what = "verified" if held == len(told) else f"{held} of {len(told)} verified"
    typer.echo(f"{file}: {what}" + (f", {held} claims" if held == len(told) > 1 else ""))
    if held < len(told):
        raise typer.Exit(NO)


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A solution file.")],
    svg: Annotated[Path | None, typer.Option(help="Write the drawing there as SVG.")] = None,
) -> None:
    """Draw every level of a solution."""
    from blockwit.games.nmbr9.position import FREE, build_position

    position = build_position(_read(file).tiles, FREE, [], 0)
    typer.echo(position.text())
    if svg is not None:
        writing.write(svg, position.svg())
