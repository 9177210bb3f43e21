"""The connections of a server, of which none may keep others out by being slow.

The HTTP server below waits as long as it takes for the headers of a request, for an answer to be taken, and for the end
of a websocket. Here every connection has a deadline for whatever it does; only an open websocket has none, for that the
session has its own. And of those that have asked for nothing yet there are never more than `MAX_WAITING`: one more, and
the one that has waited longest is cut off. So whoever asks at once is answered, however many hold the line.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_WAITING = 32
"""Connections without a request under way."""

Client = tuple[str, int]
"""Address and port of the other end: there is one connection for each at a time."""


@dataclass
class _Connection:
    transport: asyncio.Transport
    deadline: asyncio.TimerHandle | None = None
    requests: int = 0


class Connections:
    """Middleware that gives every connection its deadlines, around the application.

    Args:
        app: answers the requests.
        patience: seconds for the headers of a request to come, for an answer to be taken, for a websocket to end.
    """

    def __init__(self, app: ASGIApp, patience: float = 10.0) -> None:
        self.app = app
        self.patience = patience
        self._open: dict[Client, _Connection] = {}
        self._waiting: dict[Client, None] = {}

    def protocol(self) -> type[asyncio.Protocol]:
        """Return the HTTP protocol for the server, which tells when a connection is made and lost."""
        connections = self

        class Watched(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                if self.client is not None:
                    connections.made(self.client, transport)

            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                if self.client is not None:
                    connections.lost(self.client, self.transport)

        return Watched

    def made(self, client: Client, transport: asyncio.Transport) -> None:
        """Take note of a new connection, and cut off the one that has waited longest if there are too many."""
        old = self._open.get(client)
        if old is not None:  # a websocket, whose end nobody tells
            self.lost(client, old.transport)
        self._open[client] = _Connection(transport)
        self._wait(client)
        if len(self._waiting) > MAX_WAITING:
            self._cut(next(iter(self._waiting)))

    def lost(self, client: Client, transport: asyncio.Transport) -> None:
        """Forget a connection that has ended."""
        connection = self._open.get(client)
        if connection is not None and connection.transport is transport:
            if connection.deadline is not None:
                connection.deadline.cancel()
            del self._open[client]
            self._waiting.pop(client, None)

    def _wait(self, client: Client) -> None:
        self._waiting[client] = None
        self._limit(client, self.patience)

    def _limit(self, client: Client, seconds: float | None) -> None:
        connection = self._open[client]
        if connection.deadline is not None:
            connection.deadline.cancel()
        loop = asyncio.get_running_loop()
        connection.deadline = None if seconds is None else loop.call_later(seconds, self._cut, client)

    def _cut(self, client: Client) -> None:
        connection = self._open[client]
        self.lost(client, connection.transport)
        # Not `close`: that waits until the other end has taken what was written to it.
        connection.transport.abort()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request within its deadline."""
        client: Any = scope.get("client")
        connection = self._open.get(tuple(client)) if client else None
        if connection is None:
            await self.app(scope, receive, send)
            return
        client = tuple(client)
        connection.requests += 1
        self._waiting.pop(client, None)
        self._limit(client, self.patience if scope["type"] == "http" else None)
        try:
            await self.app(scope, receive, send)
        finally:
            connection.requests -= 1
            if self._open.get(client) is connection and not connection.requests:
                self._wait(client)
