"""The commands of NMBR 9."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from blockwit.cli.nmbr9 import app
from typer.testing import CliRunner


def test_optimize_check_and_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run = CliRunner().invoke(app, ["optimize", "F-6-1-5@8x8x3", "--workers", "1", "--out", "best.json"])
    assert run.exit_code == 0
    assert "F-6-1-5@8x8x3: 17 points, proven optimal" in run.output
    kept = tmp_path / "cache" / "blockwit" / "nmbr9" / "F-6-1-5@8x8x3.progress.json"
    assert run.output.splitlines()[-1] == f"progress is kept in {kept}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best.json", "cache"]
    again = CliRunner().invoke(app, ["optimize", "F-6-1-5@8x8x3", "--workers", "1"])
    assert again.output.splitlines()[0] == f"going on from {kept}"
    checked = CliRunner().invoke(app, ["check", "best.json"])
    assert checked.exit_code == 0
    assert "17 points, 5 tiles: correct" in checked.output
    shown = CliRunner().invoke(app, ["show", "best.json", "--svg", "best.svg"])
    assert shown.exit_code == 0
    assert "level 2: 5 x 2 = 10 points" in shown.output
    assert Path("best.svg").read_text(encoding="utf-8").startswith("<svg")


def test_par_is_proven_and_explained() -> None:
    run = CliRunner().invoke(app, ["par", "31415926", "--explain"])
    assert run.exit_code == 0
    lines = run.output.splitlines()
    assert "K:31415926: 30 points, proven optimal" in lines
    explained = next(line for line in lines if line.startswith("assignments of cards to levels: "))
    assert re.search(r"\d+ assignments and \d+ bands refuted, \d+ layouts, \d+ nodes, \d+ passes$", explained)
    assert any(line.startswith("thread seconds: assignments") for line in lines)


@pytest.mark.parametrize(
    "arguments",
    [
        ["optimize", "F-9"],
        ["optimize", "U-9-2-20"],
        ["par", "12x"],
        ["check", "missing.json"],
        ["show", "missing.json"],
    ],
)
def test_bad_input_is_one_clear_line(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 2
    assert run.output.startswith("blockwit: ")
    assert run.output.count("\n") == 1
