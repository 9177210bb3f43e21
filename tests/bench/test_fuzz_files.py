"""A small dose of `python -m bench.fuzz files`, and that it would find what is broken."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from blockwit import reading
from blockwit.errors import SolutionError

from bench import fuzz_files
from bench.fuzz_files import READERS, BrokenFileError, Reader, case, corpus, mutated


@pytest.fixture(scope="module")
def files() -> dict[str, list[bytes]]:
    return corpus()


def test_right_files_are_read(files: dict[str, list[bytes]], tmp_path: Path) -> None:
    path = tmp_path / READERS["table"].name
    for kind in ("puzzle", "solution", "journal", "checkpoint", "game", "record", "request", "state", "table", "rolls"):
        for data in files[kind]:
            for read in READERS[kind].here[:1]:
                target = path if kind == "table" else tmp_path / "file"
                target.write_bytes(data)
                read(target)


def test_a_small_dose(files: dict[str, list[bytes]]) -> None:
    kinds = {case(files, f"test {number}", 0) for number in range(130)}
    assert kinds == set(READERS)


def test_processes_of_their_own(files: dict[str, list[bytes]]) -> None:
    for number in range(4):
        case(files, f"processes {number}", 1)


def test_cases_can_be_repeated(files: dict[str, list[bytes]]) -> None:
    for kind, right in files.items():
        wrong = [mutated(kind, right[0], right, random.Random(seed)) for seed in range(20)]
        assert wrong == [mutated(kind, right[0], right, random.Random(seed)) for seed in range(20)]
        assert len(set(wrong)) > 8


def test_what_is_broken_is_found(files: dict[str, list[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: object) -> str:
        raise RecursionError("deep")

    def two_lines(path: Path) -> None:
        raise SolutionError("one\ntwo")

    def hanging(path: Path) -> None:
        while True:
            time.sleep(0.01)

    def command(path: Path) -> None:
        monkeypatch.setattr(reading, "text", raising)
        fuzz_files._command("nmbr9", "check", "{}")(path)

    monkeypatch.setattr(fuzz_files, "HANG", 1)
    for read, words in (
        (raising, "RecursionError: deep"),
        (two_lines, "no one line"),
        (hanging, "no end within 1 seconds"),
        (command, "RecursionError: deep"),
    ):
        monkeypatch.setattr(fuzz_files, "READERS", {"solution": Reader("file", (read,))})
        with pytest.raises(BrokenFileError, match=words):
            case(files, "test 1", 0)
