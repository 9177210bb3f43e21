"""The Starlette application: the page's files, the rules, the puzzles, and one websocket a page."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from blockwit import games
from blockwit.study.puzzles import listing
from blockwit.web import views
from blockwit.web.guard import Guard, Hosts
from blockwit.web.rulebook import rules_html
from blockwit.web.session import MAX_MESSAGE, Session, Thinker

STATIC = Path(str(resources.files("blockwit.web"))) / "static"

TOO_MANY, IDLE, TOO_LONG = 4001, 4002, 1009
"""Codes with which the server closes a websocket."""


@dataclass
class Settings:
    """Limits of a server.

    Attributes:
        sessions: pages that may be open at once, each with its engine process.
        idle: seconds without a request or a search after which a page loses its session; it gets a new one with its
            next request.
        patience: seconds for the first request of a page, which opens no session before it has one, and for an answer
            to be taken.
    """

    sessions: int = 8
    idle: float = 1800.0
    patience: float = 10.0


class Sessions:
    """The open sessions."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.open: set[Session] = set()
        self._closing: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Run with the server: it does not end before the engine processes have."""
        # No session waits until the long work of another one is done.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self.settings.sessions, "session"))
        yield
        if self._closing:
            await asyncio.wait(self._closing)

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one page until it leaves, is idle for too long, sends too much at once or takes no answers."""
        await websocket.accept()
        if len(self.open) >= self.settings.sessions:
            await websocket.close(TOO_MANY, f"{self.settings.sessions} pages are open already, close one first")
            return
        deaf = asyncio.get_running_loop().create_future()

        async def send(answer: dict[str, Any]) -> None:
            text = json.dumps(answer, separators=(",", ":"))
            try:
                await asyncio.wait_for(websocket.send_text(text), self.settings.patience)
            except (WebSocketDisconnect, RuntimeError):
                pass  # the page may leave in the middle of an answer
            except TimeoutError:
                if not deaf.done():
                    deaf.set_result(None)

        session = Session(send, Thinker())
        self.open.add(session)
        try:
            await self._talk(websocket, session, deaf)
        except (WebSocketDisconnect, KeyError):
            pass  # the page has left, or sent bytes where text was expected
        finally:
            self.open.discard(session)
            # A task of its own: the server may cancel this one while the engine process is ending.
            closing = asyncio.create_task(session.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            await asyncio.shield(closing)

    async def _talk(self, websocket: WebSocket, session: Session, deaf: asyncio.Future[None]) -> None:
        seconds = self.settings.patience
        while True:
            receiving = asyncio.ensure_future(websocket.receive_text())
            try:
                while not receiving.done() and not deaf.done():
                    searching = session.searching
                    waiting = [receiving, deaf, *((searching,) if searching else ())]
                    limit = None if searching else seconds
                    if not (await asyncio.wait(waiting, timeout=limit, return_when=asyncio.FIRST_COMPLETED))[0]:
                        await websocket.close(IDLE, "nothing was asked for a long time")
                        return
            finally:
                receiving.cancel()
            if not receiving.done():
                return
            text = receiving.result()
            if len(text) > MAX_MESSAGE:
                await websocket.close(TOO_LONG, f"a request is longer than {MAX_MESSAGE} characters")
                return
            await session.receive(text)
            seconds = self.settings.idle


def _game(request: Request) -> str:
    name = str(request.path_params["game"])
    if name not in games.names():
        raise HTTPException(404, "no such game")
    return name


def _index(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


def _games(request: Request) -> Response:
    return JSONResponse(views.catalogue())


def _rules(request: Request) -> Response:
    return HTMLResponse(rules_html(_game(request)))


def _puzzles(request: Request) -> Response:
    return JSONResponse(listing.listed(_game(request)))


def make_app(hosts: Hosts, settings: Settings | None = None) -> Starlette:
    """Return the application.

    Args:
        hosts: what to answer to, see `guard.hosts_of`.
        settings: limits.
    """
    sessions = Sessions(settings or Settings())
    app = Starlette(
        routes=[
            Route("/", _index),
            Route("/games.json", _games),
            Route("/rules/{game}", _rules),
            Route("/puzzles/{game}", _puzzles),
            WebSocketRoute("/talk", sessions.serve),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        lifespan=sessions.lifespan,
    )
    app.state.sessions = sessions
    return app
