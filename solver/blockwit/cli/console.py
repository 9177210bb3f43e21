"""What the modules of the command line share: options, error lines, progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from blockwit.errors import BlockwitError

if TYPE_CHECKING:
    from rich.progress import Progress

GameName = Annotated[str, typer.Option("--game", "-g", help="Which game.")]
RuleOptions = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="A rule option as NAME=VALUE; may be repeated.")
]
Position = Annotated[str | None, typer.Option("--position", "-p", help="Position string; default: the start.")]


def fail(error: Exception) -> NoReturn:
    """Print one line and leave with status 2."""
    typer.echo(f"blockwit: {error}", err=True)
    raise typer.Exit(2)


def rules_of(options: list[str] | None) -> dict[str, str | int | bool]:
    """Read NAME=VALUE pairs."""
    read: dict[str, str | int | bool] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BlockwitError(f"--option {text}: expected NAME=VALUE")
        read[name] = value
    return read


def progress_bar() -> Progress:
    """Return a progress bar on standard error: how many of how many, the time left, and a remark."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    return Progress(*columns, console=Console(stderr=True))
