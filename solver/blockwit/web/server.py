"""The HTTP server around the application: its socket, its protocols, its limits."""

from __future__ import annotations

import socket
from collections.abc import Collection

import uvicorn

from blockwit.errors import CommandError
from blockwit.web.app import Settings, make_app
from blockwit.web.connections import MAX_WAITING, Connections
from blockwit.web.guard import hosts_of
from blockwit.web.session import MAX_MESSAGE


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens already: whoever reads its address may connect at once.

    Raises:
        CommandError: the port is taken.
    """
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise CommandError(f"port {port}: {error.strerror}, choose another one with --port") from None
    return listening


def make_server(listening: socket.socket, settings: Settings, allow: Collection[str] = ()) -> uvicorn.Server:
    """Return the server, to be run with this socket.

    Args:
        listening: its socket, which tells the port.
        settings: limits.
        allow: further hosts to answer to, see `guard.hosts_of`.

    Raises:
        CommandError: what is allowed is no host.
    """
    hosts = hosts_of(listening.getsockname()[1], allow)
    connections = Connections(make_app(hosts, settings), settings.patience)
    config = uvicorn.Config(
        connections,
        # Always the same, whatever else is installed: `connections` knows this protocol.
        loop="asyncio",
        http=connections.protocol(),
        log_level="warning",
        # A longer frame is refused before it is read; four bytes make the longest character.
        ws_max_size=4 * MAX_MESSAGE,
        limit_concurrency=4 * settings.sessions + 2 * MAX_WAITING,
        timeout_graceful_shutdown=3,
        proxy_headers=False,
        server_header=False,
    )
    return uvicorn.Server(config)
