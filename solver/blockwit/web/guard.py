"""Lets only the page itself talk to the server.

The server listens on the loopback interface, but any web site open in the same browser can send requests there, and a
name that is rebound to 127.0.0.1 can even read the answers. So a request has to name this server as its host, and
whatever says where it comes from has to say the same. One thing is let through from elsewhere: a link to the page that
somebody follows, which shows the page and tells the other site nothing. Every answer carries a policy that lets the
page load nothing from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from blockwit.errors import CommandError, quote

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


@dataclass(frozen=True)
class Hosts:
    """The values of the header `Host` that mean this server.

    Attributes:
        own: as a browser on this machine sends them.
        allowed: names under which the server is reached by forwarding, with a port or, for any port, without.
    """

    own: frozenset[str]
    allowed: frozenset[str] = frozenset()

    def origins(self, host: str) -> tuple[str, ...]:
        """Return the origins that the page has when it is loaded from `host`; none if that is not this server."""
        if host in self.own:
            return (f"http://{host}",)
        # What forwards may speak TLS to the browser.
        known = host in self.allowed or re.sub(r":\d+$", "", host) in self.allowed
        return (f"http://{host}", f"https://{host}") if known else ()


def hosts_of(port: int, allowed: Collection[str] = ()) -> Hosts:
    """Return the hosts that mean a server on this port of this machine, and others that were allowed.

    Raises:
        CommandError: what is allowed is no host.
    """
    for host in allowed:
        match = re.fullmatch(r"(?:[\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?", host, re.ASCII | re.IGNORECASE)
        if match is None or not 0 < int(match[1] or 1) < 1 << 16:
            raise CommandError(f"--allow-host: expected NAME or NAME:PORT, got {quote(host)}")
    names = {f"{name}:{port}" for name in LOOPBACK}
    own = frozenset(names | set(LOOPBACK) if port == 80 else names)
    return Hosts(own, frozenset(host.lower() for host in allowed))


class Guard:
    """Middleware that refuses what does not come from the page, and adds the headers above.

    Args:
        app: what is guarded.
        hosts: the hosts that are this server.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self.app = app
        self.hosts = hosts

    def objection(self, scope: Scope) -> str | None:
        """Say why a request is refused, or return None."""
        headers = Headers(scope=scope)
        origins = self.hosts.origins(headers.get("host", ""))
        if not origins:
            return "this server answers only under its own name on this machine, or one given with --allow-host"
        origin = headers.get("origin")
        # A browser always sends the origin of a websocket; other clients have no business here.
        if (origin is None and scope["type"] == "websocket") or (origin is not None and origin not in origins):
            return "this server answers only its own page"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not _shows_the_page(scope, headers):
            return "this server answers only its own page"
        return None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        why = self.objection(scope)
        if why is not None and scope["type"] == "websocket":
            await WebSocketClose(code=1008, reason=why)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self.app if why is None else PlainTextResponse(why, 403)
        await answer(scope, receive, send_with_headers)


def _shows_the_page(scope: Scope, headers: Headers) -> bool:
    """Tell whether a browser asks for the page itself, to show it in a window: a link was followed, or loaded again."""
    return (
        scope["type"] == "http"
        and (scope["method"], scope["path"]) == ("GET", "/")
        and (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    )
