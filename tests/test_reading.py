"""Files are read within limits, wherever they are read: one line for whatever they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from blockwit import models, reading
from blockwit.arena.simulate import read_journal
from blockwit.cli.main import app
from blockwit.errors import BlockwitError, SolutionError
from blockwit.games import weights
from blockwit.search.cpsat.optimize import Optimizer
from blockwit.search.cpsat.problem import read_problem
from blockwit.study import analyse, puzzles, train
from blockwit.study.benchmark import Benchmark
from typer.testing import CliRunner

READERS: dict[str, Callable[[Path], object]] = {
    "puzzle": puzzles.load,
    "record": analyse.load_record,
    "progress": lambda path: Optimizer(read_problem("F-4-1-5"), save=path),
    "benchmark": lambda path: Benchmark(path, "deblockle", {}),
    "journal": lambda path: read_journal(path, {"game": "deblockle"}),
    "checkpoint": lambda path: train.Training(train.Recipe(), path),
    "weights": lambda path: weights.read(path, "set", 3),
    "text": lambda path: reading.text(path, SolutionError),
}

CONTENTS = {
    "nothing": b"",
    "nested": b"[" * 100_000,
    "nested objects": b'{"game":' * 100_000,
    "infinite": b'{"bound":1e400}\n',
    "no number": b'{"bound":NaN}\n',
    "long number": b'{"bound":' + b"1" * 5000 + b"}\n",
    "no UTF-8": b'{"problem":"\xff"}\n',
    "UTF-16": '{"problem":"x"}\n'.encode("utf-16"),
    "half a pair": b'{"problem":"\\ud800"}\n',
    "long line": b"x" * (reading.MAX_BYTES + 2),
    "line ends in names": b'{"a\\u0000\\n\\u2028' + b"b" * 500 + b'":1}\n',
    "a number for a list": b'{"game":"deblockle","moves":5}\n',
    "null": b"null\n",
}


@pytest.mark.parametrize("reader", [name for name in READERS if name != "text"])
@pytest.mark.parametrize("content", CONTENTS)
def test_every_reader_refuses_in_one_line(tmp_path: Path, reader: str, content: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENTS[content])
    if content == "nothing" and reader in ("benchmark", "journal"):
        # A file of lines that nothing has been written to yet.
        READERS[reader](path)
        return
    with pytest.raises(BlockwitError) as caught:
        READERS[reader](path)
    assert str(caught.value).isprintable()
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("reader", READERS)
def test_only_regular_files_are_read_and_none_is_waited_for(tmp_path: Path, reader: str) -> None:
    pipe, folder, none = tmp_path / "pipe", tmp_path / "folder", tmp_path / "none"
    os.mkfifo(pipe)
    folder.mkdir()
    for path, words in (
        (pipe, "a pipe, not"),
        (folder, "a folder, not a file"),
        (Path("/dev/zero"), "a device"),
    ):
        with pytest.raises(BlockwitError, match=words):
            READERS[reader](path)
    if reader not in ("progress", "benchmark", "journal", "checkpoint"):
        with pytest.raises(BlockwitError, match="No such file"):
            READERS[reader](none)


def test_a_mark_before_the_text_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(reading.BOM + "é\nx".encode())
    assert reading.text(path, SolutionError) == "é\nx"
    assert list(reading.lines(path, SolutionError)) == [(1, "é", True), (2, "x", False)]
    puzzle = Path(__file__).parent.parent / "puzzles" / "deblockle" / "win1-01.json"
    path.write_bytes(reading.BOM + puzzle.read_bytes())
    assert puzzles.load(path) == puzzles.load(puzzle)
    path.write_bytes(reading.BOM + b"tile:V3")
    assert "\\ufeff" not in CliRunner().invoke(app, ["plan", str(path)]).stderr


def test_the_engine_passes_over_a_mark_before_its_first_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "blockwit"],
        input=reading.BOM + b"isready\n" + reading.BOM + b"isready\n",
        capture_output=True,
        check=True,
        timeout=60,
    )
    first, second = done.stdout.decode().splitlines()
    assert first == "readyok"
    assert second.startswith("info string error: unknown command")


def test_rolls_that_are_no_text_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rolls"
    path.write_bytes(b"roll:3*56L \xff")
    for words, stdin in (([str(path)], None), (["-"], b"roll:\xff")):
        said = CliRunner().invoke(app, ["plan", *words], input=stdin)
        assert said.exit_code == 2
        assert "is not UTF-8" in said.stderr
        assert said.stderr.count("\n") == 1


def test_a_closed_standard_input_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SolutionError, match="standard input is closed"):
        reading.standard_input(SolutionError)


def test_a_checksum_belongs_to_its_fields_and_to_what_they_belong_to() -> None:
    fields = {"a": 1, "b": [0.1, "é"], "check": "whatever"}
    known = models.checksum(fields)
    assert known == models.checksum(json.loads(json.dumps({"b": [0.1, "é"], "a": 1})))
    assert known != models.checksum({"a": 2, "b": [0.1, "é"]})
    assert known != models.checksum(fields, of={"game": "x"})
