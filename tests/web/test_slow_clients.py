"""Clients that are slow or hold the line, against a real server: they are cut off, and keep nobody else out."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from blockwit.web.app import IDLE, TOO_MANY, Settings
from blockwit.web.server import listen, make_server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

HOST = "127.0.0.1"
SHORT = 0.2
"""Seconds of patience where a test waits for its end."""
TABLE: dict[str, Any] = {"game": "deblockle", "options": {}, "start": "d1XLT d7XLT s", "moves": []}
VIEW = json.dumps({"id": 1, "do": "view", "table": TABLE})


@contextlib.contextmanager
def serving(settings: Settings) -> Iterator[int]:
    """Run a server; its port."""
    with listen(HOST, 0) as listening:
        server = make_server(listening, settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


def page(port: int) -> ClientConnection:
    """Open the websocket of a page."""
    return connect(f"ws://{HOST}:{port}/talk", origin=Origin(f"http://{HOST}:{port}"))


def asked(port: int) -> int:
    """Ask for a table over a websocket; 0, or the code with which the server refused."""
    with page(port) as websocket:
        try:
            websocket.send(VIEW)
            return 0 if json.loads(websocket.recv(30))["is"] == "view" else -1
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else -1


def answers(port: int) -> bool:
    """Tell whether somebody who comes now gets the page and a table."""
    return httpx.get(f"http://{HOST}:{port}/", timeout=30).status_code == 200 and asked(port) == 0


def handshake(port: int, headers: str = "") -> socket.socket:
    """Open a websocket by hand: what answers by itself, as libraries do, is left out."""
    line = socket.create_connection((HOST, port), timeout=30)
    line.sendall(
        f"GET /talk HTTP/1.1\r\nHost: {HOST}:{port}\r\nOrigin: http://{HOST}:{port}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n".encode()
    )
    assert b"101 Switching Protocols" in line.recv(1 << 12)
    return line


def frame(text: str) -> bytes:
    """Return a text frame as a client sends it, masked with zeros."""
    data = text.encode()
    return b"\x81\xfe" + len(data).to_bytes(2, "big") + bytes(4) + data


def ends(line: socket.socket) -> bool:
    """Read until the server has ended the connection."""
    with contextlib.suppress(ConnectionResetError):
        while line.recv(1 << 16):
            pass
    return True


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: "])
def test_many_half_open_connections_keep_nobody_out(said: bytes) -> None:
    with serving(Settings(patience=600)) as port, contextlib.ExitStack() as lines:
        for _ in range(150):
            line = lines.enter_context(socket.create_connection((HOST, port), timeout=30))
            with contextlib.suppress(OSError):
                line.sendall(said)
        assert answers(port)


def test_half_a_request_has_a_deadline_that_more_of_it_does_not_move() -> None:
    whole = f"GET /static/icon.svg HTTP/1.1\r\nHost: {HOST}:"
    with serving(Settings(patience=SHORT)) as port:
        for said in ("", "GET / HT", f"{whole}{port}\r\n"):
            with socket.create_connection((HOST, port), timeout=30) as line:
                line.sendall(said.encode())
                assert ends(line)
        with socket.create_connection((HOST, port), timeout=0.02) as line:
            line.sendall(b"GET / HTTP/1.1\r\nX: ")
            with contextlib.suppress(ConnectionError):
                for _ in range(1500):
                    line.sendall(b"x")
                    with contextlib.suppress(TimeoutError):
                        assert line.recv(1) == b""
                        break
                else:
                    pytest.fail("still open after 30 s of one letter at a time")


def test_a_second_request_has_a_deadline_too() -> None:
    with serving(Settings(patience=2)) as port, socket.create_connection((HOST, port), timeout=30) as line:
        line.sendall(f"GET /static/icon.svg HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())
        answer = b""
        while b"</svg>" not in answer:
            part = line.recv(1 << 16)
            assert part, "cut off before the answer was complete"
            answer += part
        assert answer.startswith(b"HTTP/1.1 200")
        line.sendall(b"GET / HTTP/1.1\r\n")
        assert ends(line)


def test_answers_that_nobody_takes_have_a_deadline() -> None:
    with serving(Settings(patience=1)) as port, socket.socket() as line:
        line.settimeout(30)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        line.connect((HOST, port))
        request = f"GET /static/main.js HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode()
        with contextlib.suppress(ConnectionError):
            # Sooner or later neither side takes anything any more; only the end of the connection ends this.
            while True:
                line.sendall(request * 100)
        assert answers(port)


def test_a_websocket_without_a_question_has_a_deadline() -> None:
    with serving(Settings(sessions=1, patience=1)) as port:
        with page(port) as websocket, pytest.raises(ConnectionClosed) as closed:
            websocket.recv(30)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == IDLE
        # Half a frame is no question, and who does not say good-bye is gone all the same.
        with handshake(port) as line:
            line.sendall(frame(VIEW)[:20])
            assert ends(line)
        assert answers(port)


def test_a_page_that_takes_no_answers_gives_its_place_to_another() -> None:
    with serving(Settings(sessions=1, patience=1)) as port, handshake(port) as line:
        line.setblocking(False)
        questions = frame(VIEW) * 100
        with contextlib.suppress(OSError):
            while True:  # until nothing more is taken in
                questions = questions[line.send(questions) :] or frame(VIEW) * 100
        while (code := asked(port)) == TOO_MANY:
            pass
        assert code == 0
