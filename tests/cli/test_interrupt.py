"""What a signal leaves of a long command: real processes, told to end when they have said that they are at work."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from blockwit import games
from blockwit.arena.match import opening
from blockwit.games.base import Kind

COMMAND = [sys.executable, "-c", "from blockwit.cli import start; start()"]
LIMIT = 40
"""Seconds after which a command that does not end is killed: no more than a way out of a test that has failed."""
PUZZLE = "puzzles/deblockle/win2-01.json"
ROOT = Path(__file__).parent.parent.parent


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONUNBUFFERED": "1"}


class Running:
    """A command under way; what it says is read as it comes."""

    def __init__(self, folder: Path, *arguments: str, group: bool = False) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
        )
        self.group = group
        self.said: list[str] = []
        self.limit = threading.Timer(LIMIT, self.process.kill)
        self.limit.daemon = True
        self.limit.start()

    def until(self, word: str, *, errors: bool = True) -> None:
        """Read lines until one holds a word."""
        stream = self.process.stderr if errors else self.process.stdout
        assert stream is not None
        for line in stream:
            self.said.append(line)
            if word in line:
                return
        raise AssertionError(f"ended without {word!r}: {''.join(self.said)}")

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Send a signal (to the group: as a terminal does); return the status and what was said after it."""
        if self.group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        try:
            out, errors = self.process.communicate()
        finally:
            self.limit.cancel()
        return self.process.returncode, out, errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_perft_keeps_the_depths_that_are_counted(tmp_path: Path, number: signal.Signals) -> None:
    running = Running(tmp_path, "perft", "40", "-p", "d1XLT d7XLT s")
    running.until("  6 ", errors=False)
    status, out, errors = running.end(number)
    assert status == 130
    assert all(line.endswith(" s") for line in out.splitlines())
    assert errors.splitlines()[-1] == "blockwit: interrupted, ending"
    assert "Traceback" not in errors


def test_generic_perft_is_interrupted_too(tmp_path: Path) -> None:
    running = Running(tmp_path, "perft", "9", "-g", "numberdrop", "-o", "solo=true")
    running.until("tile:")
    status, _, errors = running.end()
    assert status == 130
    assert "Traceback" not in errors


def test_par_tells_its_best_plan(tmp_path: Path) -> None:
    running = Running(tmp_path, "nmbr9", "par", "01234567890123456789", "--time", "600")
    running.until("incumbent")
    status, out, errors = running.end()
    assert status == 130
    assert " points, bound " in out
    assert len(out.splitlines()[1].split()) == 20
    assert "blockwit: interrupted, ending" in errors.splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_optimize_saves_its_best_plan_and_names_the_file(tmp_path: Path, number: signal.Signals) -> None:
    running = Running(tmp_path, "nmbr9", "optimize", "F-9-2-20", "--out", "best.json")
    running.until("beam")
    status, out, errors = running.end(number)
    assert status == 130
    assert out.startswith("F-9-2-20: ")
    kept = tmp_path / "cache" / "blockwit" / "nmbr9" / "F-9-2-20.progress.json"
    assert errors.splitlines()[-1] == f"progress is kept in {kept}"
    points = int(out.split()[1])
    assert json.loads(kept.read_text())["score"] == json.loads((tmp_path / "best.json").read_text())["score"] == points
    assert sorted(each.name for each in tmp_path.iterdir()) == ["best.json", "cache"]


def test_match_sums_up_the_pairs_played(tmp_path: Path) -> None:
    running = Running(tmp_path, "match", "depth=1", "depth=1", "--pairs", "100000", group=True)
    running.until("pairs +")
    status, out, errors = running.end()
    assert status == 130
    assert out.startswith("depth=1 against depth=1: ")
    assert int(out.split()[3]) % 2 == 0
    assert "Traceback" not in errors


def test_match_ends_searches_under_way(tmp_path: Path) -> None:
    running = Running(tmp_path, "match", "movetime=3600000", "movetime=3600000", "--jobs", "2")
    running.until("0/50")
    status, out, errors = running.end()
    assert (status, out) == (130, "")
    assert "Traceback" not in errors


def test_solve_tells_the_best_so_far(tmp_path: Path) -> None:
    position = opening(games.get("deblockle").start({}), random.Random(1)).fen()
    running = Running(tmp_path, "solve", position, position, "--time", "3600")
    running.until("0/2")
    status, out, _ = running.end()
    assert status == 130
    # The second one was not begun.
    assert out.count("\n") == 1
    assert out.startswith(f"{position}: open, not proven, ")


def test_plan_tells_the_best_so_far(tmp_path: Path) -> None:
    position, rolls = games.get("numberdrop").start({"solo": True}), list[str]()
    while position.kind() is Kind.CHANCE:
        rolls.append(position.roll(len(rolls)))
        position = position.play(rolls[-1])
    rolls += ["roll:1234L"] * 20
    (tmp_path / "rolls").write_text(" ".join(rolls))
    running = Running(tmp_path, "plan", "rolls", "-o", "solo=true", "--width", "300", "--exact-nodes", str(10**15))
    running.until("beam of width")
    status, out, errors = running.end()
    assert status == 130, errors
    assert "best of a beam" in out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_simulate_sums_up_and_no_worker_complains(tmp_path: Path, jobs: str) -> None:
    running = Running(tmp_path, "simulate", "greedy", "--games", "100000", "--jobs", jobs, "--journal", "j", group=True)
    running.until("mean")
    status, out, errors = running.end()
    assert status == 130
    assert "games of greedy: mean" in out
    assert int(out.split()[0]) <= len((tmp_path / "j").read_text().splitlines()) - 1
    assert "Traceback" not in errors
    assert "KeyboardInterrupt" not in errors


def test_benchmark_writes_and_shows_each_record_as_it_is_done(tmp_path: Path) -> None:
    running = Running(
        tmp_path, "benchmark", "make", "nmbr9", "--seeds", "1..1000", "--out", "x.jsonl", "--time", "1", "--cards", "6"
    )
    # One process: the first record comes long before the last.
    running.until(" seed ")
    seed = running.said[-1].partition(" seed ")[2].partition(":")[0]
    assert f'"seed":{seed},' in (tmp_path / "x.jsonl").read_text().replace(" ", "")
    status, out, errors = running.end()
    assert status == 130
    assert out.startswith("x.jsonl: ")
    assert " of 1000 positions, " in out
    assert errors.splitlines()[-1] == "the same call goes on"
    assert len((tmp_path / "x.jsonl").read_text().splitlines()) == int(out.split()[1])


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_benchmark_ends_in_the_middle_of_a_seed(tmp_path: Path, jobs: str) -> None:
    arguments = ("--seeds", "1..3", "--out", "x.jsonl", "--time", "1e6", "--jobs", jobs)
    running = Running(tmp_path, "benchmark", "make", "nmbr9", *arguments, group=True)
    running.until("0/3")
    status, out, errors = running.end()
    assert status == 130
    assert out == "x.jsonl: 0 of 3 positions, 0 proven\n"
    assert "Traceback" not in errors


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_train_writes_what_was_learned(tmp_path: Path, jobs: str) -> None:
    running = Running(tmp_path, "train", "numberdrop", "w", "--round-games", "20", "--jobs", jobs, "--threads", "1")
    running.until("/1000000")
    status, out, errors = running.end(signal.SIGTERM)
    assert status == 130
    assert out.endswith(" minutes: w\n") or "0 games" in out
    assert "Traceback" not in errors


def test_analyse_judges_the_moves_it_came_to(tmp_path: Path) -> None:
    position = opening(games.get("deblockle").start({}), random.Random(1))
    move = position.tokens()[0]
    record = {"game": "deblockle", "position": position.fen(), "moves": [move, position.play(move).tokens()[0]]}
    (tmp_path / "game.json").write_text(json.dumps(record))
    running = Running(tmp_path, "analyse", "game.json", "--movetime", "3600000", "--json", "found.json")
    running.until("0/2 moves")
    status, out, errors = running.end()
    assert status == 130, errors
    assert "expected" in out
    assert json.loads((tmp_path / "found.json").read_text())["moves"] == []


def test_puzzle_new_keeps_what_was_found(tmp_path: Path) -> None:
    running = Running(
        tmp_path, "puzzle", "new", "win", "--turns", "1", "--seed", "1", "--count", "100000", "--out", "p"
    )
    running.until("found, the last")
    status, out, errors = running.end()
    assert status == 130
    found = sorted((tmp_path / "p").glob("*.json"))
    assert found
    assert len(out.splitlines()) == len(found)
    assert errors.splitlines()[-1] == "blockwit: interrupted"


def test_puzzle_check_counts_what_was_checked(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    for number in range(20_000):
        (tmp_path / "p" / f"{number}.json").symlink_to(ROOT / PUZZLE)
    running = Running(tmp_path, "puzzle", "check", "p")
    running.until("PROVEN", errors=False)
    status, out, _ = running.end()
    assert status == 130
    assert out.splitlines()[-1].endswith(" proven, 0 wrong answer, 0 two solutions, 0 broken")


def test_tables_build_goes_on(tmp_path: Path) -> None:
    running = Running(tmp_path, "tables", "build", "--path", "t", "--jobs", "1")
    running.until("0/100")
    status, out, errors = running.end()
    assert (status, out) == (130, "")
    assert errors.splitlines()[-1] == "the same call goes on"


def test_an_engine_of_the_command_line_ends_by_a_signal_as_by_quit(tmp_path: Path) -> None:
    process = subprocess.Popen([*COMMAND, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("isready\n")
    process.stdin.flush()
    assert process.stdout.readline() == "readyok\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LIMIT)
    assert process.returncode == 0
