"""The command `blockwit serve`."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from blockwit.errors import CommandError

HOST = "127.0.0.1"
PORT = 8765


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0: any free one.")] = PORT,
    sessions: Annotated[int, typer.Option(min=1, max=64, help="Pages that may be open at the same time.")] = 8,
    idle: Annotated[float, typer.Option(min=1, help="Seconds after which an unused page loses its engine.")] = 1800,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Answer under this name too, as NAME or NAME:PORT: for a forwarded port."),
    ] = None,
) -> None:
    """Serve the web page to play on, to browsers on this machine only."""
    # A signal is how it ends, and uvicorn hands it on when all is closed.
    with suppress(KeyboardInterrupt):
        run(port, sessions, idle, allow_host or [])


def run(port: int, sessions: int, idle: float, allow: Sequence[str] = ()) -> None:
    """Serve until interrupted.

    Raises:
        CommandError: a library is missing, the port is taken, or what is allowed is no host.
    """
    for library in ("starlette", "uvicorn", "websockets", "markdown_it"):
        if importlib.util.find_spec(library) is None:
            raise CommandError(f"serve needs {library}, install blockwit[web]")
    from blockwit.web.app import Settings
    from blockwit.web.server import listen, make_server

    with listen(HOST, port) as listening:
        server = make_server(listening, Settings(sessions, idle), allow)
        typer.echo(f"http://{HOST}:{listening.getsockname()[1]}/  (Ctrl-C ends it)")
        server.run(sockets=[listening])
