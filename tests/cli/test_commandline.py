"""docs/commandline.md: statuses, the error line, files, locks and standard streams, tried with real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from blockwit import writing
from blockwit.arena.simulate import Journal
from blockwit.errors import BusyFileError
from blockwit.games.deblockle.building import build
from blockwit.search.cpsat.optimize import Optimizer
from blockwit.search.cpsat.problem import read_problem
from blockwit.study.benchmark import Benchmark
from blockwit.study.train import Recipe, Training

COMMAND = [sys.executable, "-c", "from blockwit.cli import start; start()"]
FEN = "d1XLT d7XLT s"
FULL = Path("/dev/full")
LIMIT = 120
SMALL = "F-6-1-5@8x8x3"
"""A problem that is proven in a moment."""


def run(folder: Path, *arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=os.environ | {"XDG_CACHE_HOME": str(folder / "cache")},
        text=True,
        timeout=LIMIT,
        check=False,
        **({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how),  # type: ignore[call-overload]
    )
    return done


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `blockwit` is the command; its status is that of the first command of a pipe."""
    start = f"blockwit() {{ '{sys.executable}' -c 'from blockwit.cli import start; start()' \"$@\"; }}\n"
    script = f"{start}{line}\nexit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=os.environ | {"XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["perft"], "depth"),
        (["perft", "x"], "depth"),
        (["nmbr9", "nonsense"], "nonsense"),
        (["nmbr9", "par", "12x"], "12x"),
        (["nmbr9", "check", "missing.json"], "missing.json: No such file or directory"),
        (["puzzle", "check", "missing.json"], ""),
        (["puzzle", "new", "nonsense"], "no kind of puzzle"),
        (["tables", "check", "--path", "missing"], "missing"),
        (["benchmark", "make", "chess", "--seeds", "1", "--out", "x"], "unknown game 'chess'"),
        (["analyse", "missing.json"], "missing.json"),
        (["match", "x", "y"], "'x'"),
        (["simulate", "x"], "'x'"),
        (["train", "deblockle", "w"], "deblockle"),
    ],
)
def test_wrong_use_is_status_2_and_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    told = (done.stdout if arguments[:2] == ["puzzle", "check"] else done.stderr).splitlines()[:1]
    assert words.lower() in told[0].lower()
    if arguments[:2] != ["puzzle", "check"]:
        assert done.stdout == ""
        assert done.stderr.startswith("blockwit: ")
        assert done.stderr.count("\n") == 1


def test_no_is_status_1(tmp_path: Path) -> None:
    (tmp_path / "wrong.json").write_text(json.dumps({"problem": "F-9-2-20", "score": 1, "moves": []}))
    done = run(tmp_path, "nmbr9", "check", "wrong.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("blockwit: wrong.json: ")
    assert run(tmp_path, "tables", "probe", "d1XLT d7XLT,e7XLT,f7XLT s").returncode in (1, 2)


# --- files ----------------------------------------------------------------------------------------------------------

WRITES = {
    "optimize --out": ["nmbr9", "optimize", SMALL, "--out"],
    "optimize --save": ["nmbr9", "optimize", SMALL, "--save"],
    "benchmark": ["benchmark", "make", "deblockle", "--seeds", "1..2", "--out"],
    "simulate": ["simulate", "random", "--games", "2", "--journal"],
    "train": ["train", "numberdrop", "--games", "1"],
    "show": ["show", FEN, "--svg"],
    "solve": ["solve", FEN, "--svg"],
}


@pytest.mark.parametrize("arguments", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("target", ["missing/file", "folder", "file/below"])
def test_what_cannot_be_written_is_told_before_the_work(tmp_path: Path, arguments: list[str], target: str) -> None:
    (tmp_path / "folder" / "00.svg").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    done = run(tmp_path, *arguments, target)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("blockwit: ")
    assert done.stderr.count("\n") == 1
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "cache") == ["file", "folder"]


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_at_the_end_leaves_the_result_on_standard_output(tmp_path: Path) -> None:
    done = run(tmp_path, "nmbr9", "optimize", SMALL, "--workers", "1", "--out", str(FULL))
    assert done.returncode == 2
    assert "blockwit: /dev/full: No space left on device" in done.stderr.splitlines()
    told = done.stdout.splitlines()
    assert told[0] == f"{SMALL}: 17 points, proven optimal"
    assert json.loads("\n".join(told[2:]))["score"] == 17
    assert done.stderr.splitlines()[-1].startswith("progress is kept in ")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_loses_no_games_and_no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every line but the first finds the disk full.
    class Filling(writing.LineFile):
        def add(self, line: str) -> None:
            if self._path.stat().st_size > 400:
                with writing.naming(self._path), FULL.open("w", buffering=1) as file:
                    file.write(line + "\n")
            super().add(line)

    monkeypatch.setattr(writing, "LineFile", Filling)
    file = Benchmark(tmp_path / "x", "deblockle", {})
    seen = []
    with pytest.raises(OSError, match="No space left on device") as caught:
        seen += list(file.run(range(1, 9)))
    assert caught.value.filename == str(tmp_path / "x")
    assert len(file.records) + len(file.unsaved) >= 1
    assert [record["seed"] for record in file.unsaved] == [len(file.records) + 1]
    again = Benchmark(tmp_path / "x", "deblockle", {})
    assert again.records.keys() == file.records.keys()


def test_devices_are_written_to_and_links_stay(tmp_path: Path) -> None:
    done = shell(tmp_path, f"blockwit show '{FEN}' --svg /dev/stdout | cat")
    assert done.stdout.startswith("<svg")
    null = Path("/dev/null")
    writing.write(null, "x")
    assert null.is_char_device()
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    writing.write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "real"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        writing.write(path, "new")
    assert caught.value.filename == str(path)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


# --- two processes on one file --------------------------------------------------------------------------------------


def test_every_file_of_several_steps_has_one_owner(tmp_path: Path) -> None:
    busy = "another process is writing it"
    problem = read_problem("F-9-2-12")
    with Optimizer(problem, save=tmp_path / "p") as first:
        first.run(steps=1)
        kept = (tmp_path / "p").read_bytes()
        with pytest.raises(BusyFileError, match=busy):
            Optimizer(problem, save=tmp_path / "p")
    with Optimizer(problem, save=tmp_path / "p") as second:
        # One that ends with nothing new overwrites nobody's plan.
        second.run(0.0)
        assert second.plan == first.plan
    assert json.loads((tmp_path / "p").read_bytes())["moves"] == json.loads(kept)["moves"]
    with Training(Recipe(), tmp_path / "c"), pytest.raises(BusyFileError, match=busy):
        Training(Recipe(), tmp_path / "c")
    book = Journal(tmp_path / "j", {"game": "x"})
    with pytest.raises(BusyFileError, match=busy):
        Journal(tmp_path / "j", {"game": "x"})
    book.close()
    Journal(tmp_path / "j", {"game": "x"}).close()
    one, two = (Benchmark(tmp_path / "b", "deblockle", {}) for _ in range(2))
    running = one.run(range(1, 3))
    next(running)
    with pytest.raises(BusyFileError, match=busy):
        next(two.run(range(3, 5)))
    assert len(list(running)) == 1
    # What the other one has written since is kept.
    assert len(list(two.run(range(3, 5)))) == 2
    assert sorted(Benchmark(tmp_path / "b", "deblockle", {}).records) == [1, 2, 3, 4]


def test_a_second_process_is_told_in_one_line(tmp_path: Path) -> None:
    with writing.claimed(tmp_path / "x.jsonl"):
        done = run(tmp_path, "benchmark", "make", "deblockle", "--seeds", "1..2", "--out", "x.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "blockwit: x.jsonl: another process is writing it, wait for its end or choose another file"
    )
    assert not (tmp_path / "x.jsonl").exists()


def test_a_second_build_of_a_table_is_refused(tmp_path: Path) -> None:
    from blockwit.games.deblockle.tables import path_of

    with writing.claimed(path_of(tmp_path, 0)), pytest.raises(BusyFileError):
        build(0, tmp_path, 1, lambda _: None)


# --- standard streams -----------------------------------------------------------------------------------------------


def test_a_reader_that_leaves_ends_the_command_quietly(tmp_path: Path) -> None:
    done = shell(tmp_path, f"blockwit perft 6 -p '{FEN}' --divide | true")
    assert (done.returncode, done.stderr) == (141, "")
    done = shell(tmp_path, "blockwit --help | true")
    assert (done.returncode, done.stderr) == (141, "")


def test_an_optimizer_without_readers_ends_and_keeps_its_plan(tmp_path: Path) -> None:
    # Without an end of its own: it ends because nobody reads its progress any more.
    done = shell(tmp_path, "blockwit nmbr9 optimize F-9-2-20 --save p 2>&1 | head -n 1")
    assert done.returncode in (130, 141)
    assert json.loads((tmp_path / "p").read_text())["score"] > 0


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("blockwit show '{}' > /dev/full", 2, "blockwit: standard input or output: No space left on device\n"),
        ("blockwit show '{}' >&-", 2, "blockwit: standard input or output: Bad file descriptor\n"),
        ("blockwit show '{}' <&- > out", 0, ""),
        ("blockwit show '{}' 2>&- > out", 0, ""),
        ("blockwit show '{}' --svg x.svg >&- 2>&- <&-", 0, ""),
        ("blockwit engine <&-", 0, ""),
        ("blockwit engine <<< isready > /dev/full", 2, "blockwit: standard input or output: No space left on device\n"),
        ("blockwit play --side none --movetime 1 <&- > /dev/full", 2, "No space left on device"),
    ],
)
def test_streams_that_fail_are_one_line(tmp_path: Path, line: str, status: int, words: str) -> None:
    done = shell(tmp_path, line.format(FEN))
    assert words in done.stderr if words else done.stderr == ""
    assert done.stderr.count("\n") <= 1
    assert done.returncode == status
    if " > out" in line:
        assert "South: d1 XLT" in (tmp_path / "out").read_text()
    assert (tmp_path / "x.svg").exists() == ("x.svg" in line)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "random", "--games", "3", "-o", "solo=true"],
        ["show", FEN],
        ["--help"],
        ["nmbr9", "optimize", SMALL],
    ],
)
def test_characters_that_the_encoding_lacks_end_no_command(tmp_path: Path, arguments: list[str], encoding: str) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": encoding, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_optimize_goes_on_without_a_cache_folder(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    done = run(tmp_path, "nmbr9", "optimize", SMALL, "--workers", "1")
    assert done.returncode == 0
    assert done.stderr.startswith("progress is not kept (")
    assert "17 points, proven optimal" in done.stdout
