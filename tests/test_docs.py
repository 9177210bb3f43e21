"""The examples of docs/frontends.md and docs/adapters.md, taken from the pages and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.boards import START, parse

DOCS = Path(__file__).parents[1] / "docs"
SECONDS = 120
"""How long an example may take; only one that hangs comes near it."""


def examples(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(command: list[str], tmp_path: Path) -> str:
    """Run an example with `blockwit` on the path; it must end well and complain about nothing."""
    script = tmp_path / "blockwit"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from blockwit.cli.main import main; main()" "$@"\n')
    script.chmod(0o755)
    root = str(DOCS.parent)
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def python(example: str, tmp_path: Path) -> list[str]:
    return run([sys.executable, "-W", "ignore", "-c", example], tmp_path).splitlines()


def test_python_clients(tmp_path: Path) -> None:
    blocking, asynchronous = examples("frontends.md", "python")
    lines = python(blocking, tmp_path)
    assert len(lines[0].split()) == 12
    assert lines[0].startswith("roll:SSTC ")
    assert lines[-1].startswith("Position: ")
    lines = python(asynchronous, tmp_path)
    # A depth that takes more than a second is reported more than once.
    assert list(dict.fromkeys(line.split()[0] for line in lines[:-1]))[:3] == ["1", "2", "3"]
    assert lines[-1].removeprefix("plays ") in parse(START).tokens()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_javascript(tmp_path: Path) -> None:
    (example,) = examples("frontends.md", "js")
    # The same seed and the same searches: the same game as from Python.
    blocking = python(examples("frontends.md", "python")[0], tmp_path)
    moves, fen = run(["node", "-e", example], tmp_path).splitlines()
    assert moves == blocking[0]
    assert f"Position: {fen}" == blocking[-1]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_shell(tmp_path: Path) -> None:
    piped, coprocess = (run(["bash", "-c", example], tmp_path) for example in examples("frontends.md", "sh"))
    word, move = piped.split()
    assert word == "bestmove"
    assert move in parse("d5CTL e1XLT s").tokens()
    assert coprocess.removeprefix("the engine plays ").strip() in parse(START).tokens()


@pytest.mark.parametrize(("number", "module"), [(0, "pyspiel"), (1, "pyspiel"), (2, "pettingzoo"), (3, "gymnasium")])
def test_adapters(number: int, module: str, tmp_path: Path) -> None:
    """The comment behind a `print` is what it prints, `...` for what may be anything."""
    pytest.importorskip(module)
    example = examples("adapters.md", "python")[number]
    promised = re.findall(r"^print\(.*  # (.*)$", example, re.MULTILINE)
    assert promised
    said = python(example, tmp_path)[-len(promised) :]
    for line, promise in zip(said, promised, strict=True):
        assert re.fullmatch(".*".join(map(re.escape, promise.split("..."))), line), line
