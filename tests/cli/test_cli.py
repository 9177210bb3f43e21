"""The command line, called as a user would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from blockwit import __version__
from blockwit.cli.main import app
from typer.testing import CliRunner

FEN = "d1XLT d7XLT s"
PUZZLES = Path(__file__).parents[2] / "puzzles" / "deblockle"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_version_and_help() -> None:
    assert run("--version") == (0, f"blockwit {__version__}\n")
    assert "engine" in run("--help")[1]


def test_perft() -> None:
    status, out = run("perft", "4", "-p", FEN, "-o", "slider=full", "--divide")
    assert status == 0
    assert [line.split()[1] for line in out.splitlines()[:4]] == ["1", "1", "16", "143"]
    assert out.splitlines()[4].endswith(": 143")


def test_show(tmp_path: Path) -> None:
    status, out = run("show", FEN)
    assert status == 0
    assert "South: d1 XLT" in out
    assert run("show", FEN, "--svg", str(tmp_path / "board.svg"))[0] == 0
    assert (tmp_path / "board.svg").read_text(encoding="utf-8").startswith("<svg")


def test_solve_tells_right_from_wrong(tmp_path: Path) -> None:
    good = PUZZLES / "win2-01.json"
    status, out = run("solve", str(good), "--prove")
    assert status == 0
    assert "solved, proven" in out
    text = good.read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.json"
    wrong.write_text(text.replace('"turns": 2', '"turns": 3'), encoding="utf-8")
    status, out = run("solve", str(wrong))
    assert status == 1
    assert "WRONG" in out
    status, out = run("solve", str(wrong), "--prove")
    assert status == 1
    assert "there is a win in fewer than 3 turns" in out


def test_match() -> None:
    status, out = run("match", "depth=2", "depth=1", "--pairs", "2")
    assert status == 0
    assert "4 games" in out
    assert "Elo" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("perft", "2", "-p", "d1XLT s"), "2 fields"),
        (("perft", "2", "-o", "slider"), "expected NAME=VALUE"),
        (("perft", "2", "-o", "color=red"), "unknown option 'color'"),
        (("perft", "2", "--game", "chess"), "unknown game 'chess'"),
        (("perft", "2"), "not of the set-up"),
        (("show", "x"), "1 fields"),
        (("show", FEN, "--svg", "/nowhere/board.svg"), "No such file"),
        (("match", "depth=1", "hash=1"), "expected a limit"),
        (("play", "--side", "7"), "expected seats"),
    ],
)
def test_errors_are_one_line_and_status_2(arguments: tuple[str, ...], message: str) -> None:
    status, out = run(*arguments)
    assert status == 2
    assert message in out
    assert out.startswith("blockwit: ")
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    "command", [("-m", "blockwit"), ("-c", "from blockwit.cli.main import main; main()", "engine")]
)
def test_engine_speaks_the_protocol(command: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, *command], input="isready\n", capture_output=True, text=True, check=True)
    assert done.stdout == "readyok\n"
    assert done.stderr == ""
