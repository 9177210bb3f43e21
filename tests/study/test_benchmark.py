"""Benchmark files: records that hold, resumed, complete when workers die."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from blockwit import _proof, games
from blockwit.cli.main import app
from blockwit.errors import OptionError, SolutionError, TableError
from blockwit.games.base import Kind
from blockwit.study import benchmark
from blockwit.study.benchmark import Benchmark
from blockwit.study.puzzles.benchmarks import Settings, source
from typer.testing import CliRunner


def record(game: str, seed: int, **asked: Any) -> dict[str, Any]:
    """Compute one record."""
    return source(game).record(source(game).settings(game, asked), "", seed)


def dies(seed: int) -> dict[str, Any]:
    """A unit of work that ends its process."""
    os.kill(os.getpid(), signal.SIGKILL)
    return {"seed": seed}


def slow(seed: int) -> dict[str, Any]:
    """A unit of work that lasts a moment, so that a worker can die in it."""
    time.sleep(0.2)
    return {"seed": seed, "square": seed * seed}


def seeds_of(path: Path) -> list[int]:
    return [json.loads(line)["seed"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_deblockle_agrees_with_forward_search() -> None:
    deblockle = games.get("deblockle")
    short = 0
    for seed in range(40):
        told = record("deblockle", seed)
        position = deblockle.parse(told["position"], {})
        assert told["proven"]
        assert told["value"] == told["bound"]
        assert told["best"]
        assert set(told["best"]) <= set(position.tokens())
        if told["value"] == 1 and told["plies"] <= 7:
            short += 1
            for plies in (told["plies"] - 2, told["plies"]):
                won, _ = _proof.winning_actions(deblockle.capsule(), position.raw(), plies) if plies > 0 else ([], 0)
                assert bool(won) == (plies == told["plies"])
                assert {position.line([action])[0] for action in won} <= set(told["best"])
    assert short >= 5


@pytest.mark.parametrize("rounds", [1, 4])
def test_numberdrop_lines_bring_the_points(rounds: int) -> None:
    told = record("numberdrop", 3, rounds=rounds, nodes=20_000 if rounds == 1 else 0)
    assert [token.startswith("roll:") for token in told["chances"]].count(True) == rounds
    position = games.get("numberdrop").parse(told["position"], {"solo": True})
    chances = iter(told["chances"])
    for token in told["line"]:
        if position.kind() is Kind.CHANCE:
            assert token == next(chances)
        position = position.play(token)
    assert position.returns() == (told["value"],)
    assert told["bound"] == (told["value"] if told["proven"] else None)


def test_nmbr9_lines_bring_the_points() -> None:
    told = record("nmbr9", 1, cards=3, seconds=60.0)
    position = games.get("nmbr9").parse(told["position"], {})
    for token in told["line"]:
        position = position.play(token)
    assert position.kind() is Kind.TERMINAL
    assert position.returns() == (told["value"],)
    assert told["proven"]
    assert told["bound"] == told["value"]


def test_three_blocks_need_the_table() -> None:
    with pytest.raises(TableError, match="not in the tables"):
        record("deblockle", 1, blocks=3)


def test_file_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.jsonl"
    list(Benchmark(path, "deblockle", {}).run(range(5, 8)))
    whole = path.read_bytes()
    # A process that is killed leaves half a line.
    path.write_bytes(whole[:-20])
    begun: list[int] = []
    deblockle = source("deblockle")
    real = deblockle.record

    def counted(settings: Settings, tables: str, seed: int) -> dict[str, Any]:
        begun.append(seed)
        return real(settings, tables, seed)

    monkeypatch.setattr(deblockle, "record", counted)
    list(Benchmark(path, "deblockle", {}).run(range(5, 8)))
    assert begun == [7]
    assert path.read_bytes() == whole
    list(Benchmark(path, "deblockle", {}).run(range(3, 6)))
    assert begun == [7, 3, 4]
    assert seeds_of(path) == [3, 4, 5, 6, 7]
    assert not list(tmp_path.glob("*.part"))


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    list(Benchmark(path, "numberdrop", {"rounds": 1, "nodes": 0}).run([1]))
    with pytest.raises(SolutionError, match="begun for something else"):
        Benchmark(path, "numberdrop", {"rounds": 2, "nodes": 0})
    (line,) = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([line, "{}", line]), encoding="utf-8")
    with pytest.raises(SolutionError, match="line 2: version: field required"):
        Benchmark(path, "numberdrop", {"rounds": 1, "nodes": 0})
    path.write_text(line.replace('"version":3', '"version":4') + "\n", encoding="utf-8")
    with pytest.raises(SolutionError, match="line 1: a benchmark of version 4, expected 3"):
        Benchmark(path, "numberdrop", {"rounds": 1, "nodes": 0})
    path.write_text('{"format":"blockwit-benchmark","version":2,"game":"numberdrop","settings":{}}\n', encoding="utf-8")
    with pytest.raises(SolutionError, match="line 1: a benchmark of version 2, expected 3: make the file anew"):
        Benchmark(path, "numberdrop", {"rounds": 1, "nodes": 0})
    path.write_text("[]\n", encoding="utf-8")
    with pytest.raises(SolutionError):
        Benchmark(path, "numberdrop", {"rounds": 1, "nodes": 0})


@pytest.mark.parametrize("text", ["", "1..", "..2", "3..2", "1...2", "-1..2", "a..b"])
def test_seeds_are_a_range(text: str) -> None:
    with pytest.raises(OptionError, match=r"expected A\.\.B"):
        benchmark.read_seeds(text)
    assert list(benchmark.read_seeds("2..4")) == [2, 3, 4]


def test_settings_belong_to_their_game() -> None:
    with pytest.raises(OptionError, match="unknown game 'chess'"):
        source("chess")
    with pytest.raises(OptionError, match="cards is no setting of deblockle"):
        source("deblockle").settings("deblockle", {"cards": 3})
    with pytest.raises(OptionError, match="cards 21: expected 1 to 20"):
        source("nmbr9").settings("nmbr9", {"cards": 21})


def test_nothing_is_lost_when_a_worker_is_killed() -> None:
    before = set(multiprocessing.active_children())
    found = []
    for told in benchmark.work(slow, range(12), jobs=2):
        found.append(told)
        if len(found) == 3:
            workers = set(multiprocessing.active_children()) - before
            victim = workers.pop()
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
    assert sorted(each["seed"] for each in found) == list(range(12))


def test_work_that_kills_every_worker_ends() -> None:
    with pytest.raises(SolutionError, match="workers died 3 times and finished nothing in between: seeds '4'"):
        list(benchmark.work(dies, [4], jobs=2))


@pytest.mark.slow
def test_nothing_is_lost_when_a_worker_of_a_cluster_is_killed() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
        found = []
        for told in benchmark.work(slow, range(20), cluster=cluster.scheduler_address):
            found.append(told)
            if len(found) == 3:
                os.kill(workers[0], signal.SIGKILL)
    assert sorted(each["seed"] for each in found) == list(range(20))


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    words = ["benchmark", "make", "deblockle", "--seeds", "1..3", "--out", str(path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert done.stdout == f"{path}: 3 positions, 3 proven\n"
    wrong = CliRunner().invoke(app, [*words, "--cards", "3"])
    assert wrong.exit_code == 2
    assert wrong.stderr.splitlines()[-1].startswith("blockwit: cards is no setting of deblockle")


def test_what_a_record_claims_is_checked(tmp_path: Path) -> None:
    """A line with "proven" turned to true was counted as proven."""
    path = tmp_path / "file.jsonl"
    asked: dict[str, dict[str, Any]] = {
        "nmbr9": {"cards": 3, "seconds": 30.0},
        "numberdrop": {"rounds": 2, "nodes": 0},
        "nmbr9-free": {"seconds": 60.0},
        "deblockle": {},
    }
    changes: dict[str, list[tuple[dict[str, Any], str]]] = {
        "nmbr9": [
            ({"position": "- 012"}, "the position of seed 1 is "),
            ({"line": ["0a@0,0,0"]}, "it is not the turn of|the line brings"),
            ({"value": 7}, "the line brings 1, not 7"),
            ({"bound": -1}, "the bound -1 is below the value"),
            ({"bound": 99}, "bound 99, proven True"),
            ({"value": None}, "no line, and proven"),
        ],
        "numberdrop": [
            ({"chances": []}, "is not the next of the chance events"),
            ({"proven": True}, "bound unknown, proven True"),
            ({"value": 1000.0}, "the line brings"),
        ],
        "nmbr9-free": [
            ({"position": "- 012"}, "is not the start of F-1-1-2"),
            ({"problem": "F-2-1-3"}, "the problem of seed 1 is F-1-1-2"),
            ({"line": []}, "no whole plan of F-1-1-2"),
            ({"bound": 5}, "bound 5, proven True"),
        ],
        "deblockle": [
            ({"best": ["a1a2a3"]}, "is no move"),
            ({"proven": False}, "is always proven"),
            ({"plies": 99}, "plies is .* by the tables, not '99'"),
        ],
    }
    for game, settings in asked.items():
        path.unlink(missing_ok=True)
        list(Benchmark(path, game, settings).run([1]))
        (line,) = path.read_text(encoding="utf-8").splitlines()
        written = source(game).line.model_validate_json(line)
        for change, words in changes[game]:
            changed = written.model_copy(update=change)
            path.write_text(f"{changed.to_line()}\n", encoding="utf-8")
            with pytest.raises(SolutionError, match="line 1: seed 1: not as it was written, its checksum does not fit"):
                Benchmark(path, game, settings)
            path.write_text(f"{changed.sealed().to_line()}\n", encoding="utf-8")
            with pytest.raises(SolutionError, match=words):
                Benchmark(path, game, settings)
        path.write_text(f"\ufeff{line}\n", encoding="utf-8")
        assert list(Benchmark(path, game, settings).records) == [1]
