"""The command `blockwit serve`: a real server, and what it says when it cannot start."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from importlib.machinery import ModuleSpec

import httpx
import pytest
from blockwit.cli.main import app
from typer.testing import CliRunner


def test_it_answers_on_the_loopback_interface_only_and_ends_with_an_interrupt(server: str) -> None:
    assert server.startswith("http://127.0.0.1:")
    assert httpx.get(server).status_code == 200
    assert httpx.get(server, headers={"host": "evil.example"}).status_code == 403
    port = int(server.rstrip("/").rsplit(":", 1)[1])
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        # Another address of the same interface: nothing listens there.
        other.connect(("127.0.0.2", port))


def test_a_taken_port_is_named_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        answer = CliRunner().invoke(app, ["serve", "--port", str(port)])
    assert answer.exit_code == 2
    assert answer.output == f"blockwit: port {port}: {os.strerror(98)}, choose another one with --port\n"


def test_a_missing_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "uvicorn" else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    answer = CliRunner().invoke(app, ["serve"])
    assert answer.exit_code == 2
    assert answer.output == "blockwit: serve needs uvicorn, install blockwit[web]\n"


def test_other_commands_do_not_import_the_web_libraries() -> None:
    code = "import sys, blockwit.cli.main; print([name for name in ('starlette', 'uvicorn') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
