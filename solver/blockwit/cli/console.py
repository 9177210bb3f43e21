"""What the modules of the command line share: options, errors and their statuses, progress, files for results."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from blockwit import writing
from blockwit.cli import ending
from blockwit.errors import BlockwitError

GameName = Annotated[str, typer.Option("--game", "-g", help="Which game.")]
RuleOptions = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="A rule option as NAME=VALUE; may be repeated.")
]
Position = Annotated[str | None, typer.Option("--position", "-p", help="Position string; default: the start.")]

Tell = Callable[[float, str], None]
"""Tells how much is done, and a remark."""


class Commands(TyperGroup):
    """Commands that all end alike: the one place where what they raise becomes a line and an exit status."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the arguments before the command's name."""
        with _told():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _told():
            done = super().invoke(ctx)
            sys.stdout.flush()
        if status := ending.closing(ending.DONE):
            raise typer.Exit(status)
        return done


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except typer.Exit as left:
        raise typer.Exit(ending.closing(left.exit_code)) from None
    except (BlockwitError, OSError, KeyboardInterrupt) as error:
        raise typer.Exit(ending.closing(ending.status_of(error))) from None
    except SystemExit as left:
        # Rich's way to end where nobody reads.
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        raise typer.Exit(ending.closing(ending.NO_READER)) from None
    except Exception as error:
        # Wrong use: typer's class for that has moved from one package to another.
        if not hasattr(error, "format_message"):
            raise
        ending.say(_usage(error))
        raise typer.Exit(ending.WRONG) from None


def _usage(error: Any) -> str:
    """Return the line for a command that cannot be read; without any arguments, its help."""
    text: str = error.format_message().strip()
    if type(error).__name__ == "NoArgsIsHelpError":
        return text
    context = getattr(error, "ctx", None)
    where = f" (see {context.command_path} --help)" if context else ""
    return f"blockwit: {' '.join(text.split()).rstrip('.')}{where}"


def rules_of(options: list[str] | None) -> dict[str, str | int | bool]:
    """Read NAME=VALUE pairs."""
    read: dict[str, str | int | bool] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BlockwitError(f"--option {text}: expected NAME=VALUE")
        read[name] = value
    return read


def note(line: str) -> None:
    """Write a line on the way to standard error. When nobody reads it any more, the command is asked to end."""
    try:
        print(line, file=sys.stderr, flush=True)
    except BrokenPipeError:
        ending.ask()
    except (OSError, ValueError):
        # The result is what counts.
        pass


class _Lines:
    """Progress where no terminal is: none in the first second, then lines at growing distances until `close`."""

    def __init__(self, total: float | None) -> None:
        self._total = total
        self._began = time.monotonic()
        self._state = (0.0, "")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, done: float, remark: str = "") -> None:
        """Tell how much is done."""
        self._state = done, remark

    def _run(self) -> None:
        while not self._over.wait(max(1.0, 0.05 * (time.monotonic() - self._began))):
            done, remark = self._state
            share = "" if self._total is None else f"{done:.7g}/{self._total:.7g}"
            note(" ".join(filter(None, (f"{time.monotonic() - self._began:9.1f} s ", share, remark))))

    def close(self) -> None:
        """Tell no more."""
        self._over.set()
        self._thread.join()


@contextmanager
def progress(total: float | None, begun: float = 0.0) -> Iterator[Tell]:
    """Show on standard error how much of `total` (None: not known) is done: a bar on a terminal, else lines."""
    if not sys.stderr.isatty():
        with closing(_Lines(total)) as lines:
            yield lines
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    text = TextColumn("{task.description}", markup=False)
    counts = (MofNCompleteColumn(), TimeRemainingColumn()) if total is not None else ()
    with Progress(BarColumn(), *counts, TimeElapsedColumn(), text, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, completed=begun)  # type: ignore[arg-type]

        def tell(done: float, remark: str = "") -> None:
            bar.update(task, completed=done, description=remark)

        yield tell


def save(path: Path, data: str | bytes) -> bool:
    """Write a result to its file; where that fails say so, and write text to standard output instead."""
    try:
        writing.write(path, data)
    except OSError as error:
        ending.say(f"blockwit: {ending.line_of(error)}")
        if isinstance(data, str):
            typer.echo(data, nl=not data.endswith("\n"))
        return False
    return True
