"""Lets only the page itself talk to the server.

The server listens on the loopback interface, but any web site open in the same browser can send requests there, and a
name that is rebound to 127.0.0.1 can even read the answers. So a request has to name this server as its host, and
whatever says where it comes from has to say the same. Every answer carries a policy that lets the page load nothing
from elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # The files change with the installed version and come from this machine: asking again costs nothing.
    "cache-control": "no-cache",
}


def hosts_of(port: int) -> frozenset[str]:
    """Return the values of the header `Host` that mean a server on this port of this machine."""
    names = {f"{name}:{port}" for name in LOOPBACK}
    return frozenset(names | set(LOOPBACK) if port == 80 else names)


class Guard:
    """Middleware that refuses what does not come from the page, and adds the headers above.

    Args:
        app: what is guarded.
        hosts: the values of the header `Host` that are this server.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = hosts

    def objection(self, headers: Headers, *, websocket: bool) -> str | None:
        """Say why a request is refused, or return None."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return "this server answers only under its own name on this machine"
        origin = headers.get("origin")
        # A browser always sends the origin of a websocket; other clients have no business here.
        if (origin is None and websocket) or (origin is not None and origin != f"http://{host}"):
            return "this server answers only its own page"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "this server answers only its own page"
        return None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        websocket = scope["type"] == "websocket"
        why = self.objection(Headers(scope=scope), websocket=websocket)
        if why is not None and websocket:
            await WebSocketClose(code=1008, reason=why)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self.app if why is None else PlainTextResponse(why, 403)
        await answer(scope, receive, send_with_headers)
