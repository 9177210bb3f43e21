"""The commands of `blockwit tables`: build, check, probe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from blockwit.cli.console import RuleOptions, fail, progress_bar, rules_of
from blockwit.errors import BlockwitError, TableError

app = typer.Typer(help="Endgame tables of Deblockle: one block against two, solved exactly.", no_args_is_help=True)

Folder = Annotated[
    Path, typer.Option("--path", help="Folder of the tables; the engine finds them by its option TablePath.")
]


@app.command("build")
def build_command(
    path: Folder,
    option: RuleOptions = None,
    jobs: Annotated[int, typer.Option(min=1, help="Threads.")] = os.cpu_count() or 1,
) -> None:
    """Solve one block against two and write the table. A killed build goes on where it was."""
    from blockwit.study.tables import Progress, build

    try:
        rules = _rules_of(option)
        with progress_bar() as progress:
            task = progress.add_task("", total=1.0)

            def report(news: Progress) -> None:
                text = "packing" if news.packing else f"round {news.round}, {news.changed:,} changed by the last"
                progress.update(task, completed=news.done, description=text)

            written = build(rules, path, jobs, report)
    except BlockwitError as error:
        fail(error)
    typer.echo(f"{written}  {written.stat().st_size:,} bytes")


@app.command("check")
def check_command(path: Folder) -> None:
    """Read every table of a folder whole, and compare its checksum."""
    from blockwit.games.deblockle.tablefiles import TableFile, found
    from blockwit.games.deblockle.tables import path_of

    sound = 0
    try:
        tables = list(found(path))
        if not tables:
            raise TableError(f"{path}: no table here, expected files like {path_of(path, 0).name}")
        for table in tables:
            try:
                if not isinstance(table, TableFile):
                    raise table
                table.check()
            except TableError as error:
                typer.echo(str(error))
            else:
                sound += 1
                typer.echo(f"{table.path}: sound, {table.path.stat().st_size:,} bytes")
        if sound < len(tables):
            raise TableError(f"{len(tables) - sound} of {len(tables)} tables cannot be used")
    except BlockwitError as error:
        fail(error)


@app.command("probe")
def probe_command(
    position: Annotated[str, typer.Argument(help="A position string of Deblockle, three blocks at most.")],
    path: Annotated[Path | None, typer.Option("--path", help="Folder of the tables.")] = None,
    option: RuleOptions = None,
) -> None:
    """Tell what the tables know of a position and of each of its moves, in turns to the win or loss."""
    from blockwit import games
    from blockwit.games.base import Kind

    try:
        game = games.get("deblockle")
        start = game.parse(position, game.read_options(rules_of(option)))
        oracle = game.oracle(start, str(path) if path else "")
        lines = []
        for token in ("", *start.tokens()):
            after = start.play(token) if token else start
            value = oracle.probe(after.raw()) if oracle and after.kind() is not Kind.TERMINAL else None
            if oracle and oracle.trouble():
                raise TableError(oracle.trouble())
            lines.append((token, value, after.result()))
    except BlockwitError as error:
        fail(error)
    for token, value, result in lines:
        known = result or "not in the tables" if value is None else outcome_of(value)
        typer.echo(f"{token or start.fen()}  {known}")
    if lines[0][1] is None:
        raise typer.Exit(1)


def outcome_of(plies: int) -> str:
    """Return what a value of the tables means for the side to move."""
    if plies == 0:
        return "neither can force a win"
    turns = (abs(plies) + 1) // 2
    return f"the side to move {'wins' if plies > 0 else 'loses'} in {turns} turn{'s' * (turns > 1)}"


def _rules_of(option: list[str] | None) -> int:
    from blockwit import games
    from blockwit.games.deblockle.tables import rules_number

    return rules_number(games.get("deblockle").read_options(rules_of(option)))
