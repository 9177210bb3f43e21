"""The commands of `blockwit tables`: build, check, probe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit.cli.console import Commands, RuleOptions, note, progress, rules_of
from blockwit.cli.ending import NO, beside
from blockwit.errors import TableError

if TYPE_CHECKING:
    from blockwit.games.base import Game
    from blockwit.jobs import Stop

app = typer.Typer(
    cls=Commands, help="Endgame tables: positions with few pieces left, solved exactly.", no_args_is_help=True
)

GameName = Annotated[
    str | None, typer.Option("--game", "-g", help="Which game; default: the first that has such tables.")
]
Folder = Annotated[
    Path, typer.Option("--path", help="Folder of the tables; the engine finds them by its option TablePath.")
]


@app.command("build")
def build_command(
    path: Folder,
    game: GameName = None,
    option: RuleOptions = None,
    jobs: Annotated[int, typer.Option(min=1, help="Threads.")] = os.cpu_count() or 1,
) -> None:
    """Solve the positions that are worth a file, and write the table. A killed build goes on where it was."""
    from blockwit.games.facets import Tablebase

    chosen = _game(game)
    rules = chosen.read_options(rules_of(option))

    def work(stop: Stop) -> Path | None:
        with progress(100) as tell:
            tell(0, "% of the first round")

            def report(done: float, step: str) -> None:
                tell(round(100 * done), f"% of {step}")

            return Tablebase.of(chosen).build(rules, path, jobs, report, stop)

    written = beside(work)
    if written is None:
        note("the same call goes on")
    else:
        typer.echo(f"{written}  {written.stat().st_size:,} bytes")


@app.command("check")
def check_command(path: Folder, game: GameName = None) -> None:
    """Read every table of a folder whole, and compare its checksum."""
    from blockwit.games.facets import Tablebase

    tablebase = Tablebase.of(_game(game))
    tables = tablebase.found(path)
    if not tables:
        raise TableError(f"{path}: no table here, expected files like {tablebase.example()}")

    def work(stop: Stop) -> None:
        sound = 0
        with progress(len(tables)) as tell:
            for number, table in enumerate(tables):
                tell(number, "tables")
                try:
                    if isinstance(table, TableError):
                        raise table
                    table.check()
                    line = f"{table.path}: sound, {table.path.stat().st_size:,} bytes"
                    sound += 1
                except TableError as error:
                    line = str(error)
                if stop.is_set():
                    return  # nobody waits for it any more
                typer.echo(line)
        if sound < len(tables):
            raise TableError(f"{len(tables) - sound} of {len(tables)} tables cannot be used")

    beside(work, patient=False)


@app.command("probe")
def probe_command(
    position: Annotated[str, typer.Argument(help="A position string.")],
    path: Annotated[Path | None, typer.Option("--path", help="Folder of the tables.")] = None,
    option: RuleOptions = None,
) -> None:
    """Tell what the tables know of a position and of each of its moves, in turns to the win or loss."""
    from blockwit import games
    from blockwit.games.base import Kind

    game = games.of_position(position)
    start = game.parse(position, game.read_options(rules_of(option)))
    oracle = game.oracle(start, str(path) if path else "")
    lines = []
    for token in ("", *start.tokens()):
        after = start.play(token) if token else start
        value = oracle.probe(after.raw()) if oracle and after.kind() is not Kind.TERMINAL else None
        if oracle and oracle.trouble():
            raise TableError(oracle.trouble())
        lines.append((token, value, after.result()))
    for token, value, result in lines:
        known = result or "not in the tables" if value is None else outcome_of(value)
        typer.echo(f"{token or start.fen()}  {known}")
    if lines[0][1] is None:
        raise typer.Exit(NO)


def outcome_of(plies: int) -> str:
    """Return what a value of the tables means for the side to move."""
    if plies == 0:
        return "neither can force a win"
    turns = (abs(plies) + 1) // 2
    return f"the side to move {'wins' if plies > 0 else 'loses'} in {turns} turn{'s' * (turns > 1)}"


def _game(name: str | None) -> Game:
    from blockwit import games
    from blockwit.games.facets import Tablebase

    return games.get(name) if name else Tablebase.games()[0]
