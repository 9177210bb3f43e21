"""The command `blockwit serve`."""

from __future__ import annotations

import importlib.util
import socket
from typing import Annotated

import typer

from blockwit.cli.console import fail
from blockwit.errors import CommandError

HOST = "127.0.0.1"
PORT = 8765


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0: any free one.")] = PORT,
    sessions: Annotated[int, typer.Option(min=1, max=64, help="Pages that may be open at the same time.")] = 8,
    idle: Annotated[float, typer.Option(min=1, help="Seconds after which an unused page loses its engine.")] = 1800,
) -> None:
    """Serve the web page to play on, to browsers on this machine only."""
    try:
        run(port, sessions, idle)
    except CommandError as error:
        fail(error)


def run(port: int, sessions: int, idle: float) -> None:
    """Serve until interrupted.

    Raises:
        CommandError: a library is missing, or the port is taken.
    """
    for library in ("starlette", "uvicorn", "websockets", "markdown_it"):
        if importlib.util.find_spec(library) is None:
            raise CommandError(f"serve needs {library}, install blockwit[web]")
    import uvicorn

    from blockwit.web.app import Settings, make_app
    from blockwit.web.guard import hosts_of
    from blockwit.web.session import MAX_MESSAGE

    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with listening:
        try:
            listening.bind((HOST, port))
            # Now, and not when uvicorn gets to it: whoever reads the address below may connect at once.
            listening.listen(128)
        except OSError as error:
            raise CommandError(f"port {port}: {error.strerror}, choose another one with --port") from None
        # From here on a browser waits for the server instead of being refused.
        listening.listen()
        port = listening.getsockname()[1]
        app = make_app(hosts_of(port), Settings(sessions, idle))
        config = uvicorn.Config(
            app,
            log_level="warning",
            # A longer frame is refused before it is read; four bytes make the longest character.
            ws_max_size=4 * MAX_MESSAGE,
            limit_concurrency=4 * sessions + 32,
            timeout_graceful_shutdown=3,
            server_header=False,
        )
        typer.echo(f"http://{HOST}:{port}/  (Ctrl-C ends it)")
        uvicorn.Server(config).run(sockets=[listening])
