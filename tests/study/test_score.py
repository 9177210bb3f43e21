"""Players are measured by benchmark files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from blockwit.cli.main import app
from blockwit.errors import OptionError, SolutionError
from blockwit.games.base import Position
from blockwit.jobs import Stop
from blockwit.study import score as scoring
from blockwit.study.benchmark import Benchmark
from blockwit.study.records import read_file
from typer.testing import CliRunner

ENGINE = f"{sys.executable} -P -m blockwit"


@pytest.fixture
def endgames(tmp_path: Path) -> Path:
    path = tmp_path / "endgames.jsonl"
    list(Benchmark(path, "deblockle", {"critical": 1}).run(range(1, 13)))
    return path


@pytest.fixture
def decks(tmp_path: Path) -> Path:
    path = tmp_path / "decks.jsonl"
    list(Benchmark(path, "nmbr9", {"cards": 5, "seconds": 60.0}).run(range(1, 5)))
    return path


def score(*words: str) -> tuple[int, list[str]]:
    done = CliRunner().invoke(app, ["benchmark", "score", *words])
    return done.exit_code, done.output.splitlines()


def raises(position: Position) -> str:
    """A player with a fault."""
    raise ValueError("no idea")


def illegal(position: Position) -> str:
    """A player that does not know the rules."""
    return "9a@50,50,9"


def test_the_best_moves_lose_nothing_and_others_what_the_tables_say(endgames: Path) -> None:
    records = scoring.playable(read_file(endgames))
    best = {line.position: line.fields()["best"] for _, line in records}
    perfect = list(scoring.score(records, lambda start, moves, position: best[start][0]))
    assert [each.regret for each in perfect] == [0] * 12
    bad = list(
        scoring.score(
            records,
            lambda start, moves, position: next(token for token in position.tokens() if token not in best[start]),
        )
    )
    # Critical: there is such a move everywhere.
    assert all(each.regret in (1, 2) for each in bad)
    summary = scoring.summarise(perfect[:6] + bad[6:], one_move=True)
    assert (summary.share, summary.best, summary.records) == (0.5, 6, 12)


def test_plans_of_the_file_reach_the_optimum(decks: Path) -> None:
    records = scoring.playable(read_file(decks))
    lines = {line.position: line.fields()["line"] for _, line in records}
    ends = list(scoring.score(records, lambda start, moves, position: lines[start][len(moves)]))
    assert all(each.regret == 0 and each.proven for each in ends)
    assert scoring.summarise(ends, one_move=False).share == 1


def test_chance_events_are_those_of_the_record(tmp_path: Path) -> None:
    path = tmp_path / "rolls.jsonl"
    list(Benchmark(path, "numberdrop", {"rounds": 2, "nodes": 0}).run([1]))
    ((_, line),) = records = read_file(path)
    planned = line.fields()["line"]
    (end,) = scoring.score(records, lambda start, moves, position: planned[len(moves)])
    assert end.regret == 0


def test_commands(endgames: Path, decks: Path, tmp_path: Path) -> None:
    status, told = score(str(decks), "--player", "blockwit.study.score:greedy_move", "--svg", str(tmp_path / "x.svg"))
    assert status == 0
    assert told[0].split() == ["player", "records", "proven", "share", "no", "loss", "regret", "worst"]
    assert told[1].split()[1:3] == ["4", "4"]
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert score(str(decks), "--player", "blockwit.study.score:random_move", "--most", "2")[1][1].split()[1] == "2"
    status, told = score(str(endgames), "--cmd", ENGINE, "--nodes", "20000", "--set", "Algorithm=alphabeta")
    assert status == 0
    assert told[-1].split()[-5] == "12"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "who plays? expected either --cmd or --player"),
        (["--cmd", "x", "--player", "y:z"], "who plays?"),
        (["--player", "nothing"], "expected module:function"),
        (["--player", "no.such:thing"], "No module named"),
        (["--player", "blockwit.study.score:nothing"], "has no attribute 'nothing'"),
        (["--player", "blockwit.study.score:SHOWN"], "no function"),
        (["--player", "tests.study.test_score:raises"], "seed 1: player tests.study.test_score:raises: ValueError: no"),
        (["--player", "tests.study.test_score:illegal"], "seed 1: "),
        (["--cmd", "'"], "--cmd: No closing quotation"),
        (["--cmd", "no-such-engine"], "does not start"),
    ],
)
def test_wrong_use_is_one_line(decks: Path, words: list[str], said: str) -> None:
    status, told = score(str(decks), *words)
    assert status == 2
    assert len(told) == 1
    assert told[0].startswith("blockwit: ")
    assert said in told[0]


def test_files_that_are_changed_are_not_played(decks: Path) -> None:
    lines = decks.read_text(encoding="utf-8").splitlines(keepends=True)
    decks.write_text("".join(lines[:3]), encoding="utf-8")
    status, told = score(str(decks), "--player", "blockwit.study.score:random_move")
    assert status == 2
    assert "not the file that decks.card.json describes, its checksum does not fit" in told[0]
    decks.write_text("".join([*lines[:3], lines[3].replace('"bound":', '"bound":1')]), encoding="utf-8")
    with pytest.raises(SolutionError, match="line 4: seed 4: not as it was written"):
        read_file(decks)


def test_a_stop_ends_the_measuring(decks: Path) -> None:
    stop = Stop()
    stop.set()
    assert not list(scoring.score(read_file(decks), scoring.python_player("blockwit.study.score:random_move"), stop))
    with pytest.raises(OptionError):
        scoring.python_player(":")
