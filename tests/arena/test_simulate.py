"""Simulated games: figures, and stop and resume."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from blockwit.arena import simulate
from blockwit.arena.simulate import Sample
from blockwit.errors import OptionError, SolutionError

SOLO = {"solo": True}


def run(path: Path | None, seeds: range, jobs: int = 1, policy: str = "random") -> list[Sample]:
    return list(simulate.simulate("numberdrop", SOLO, policy, seeds, jobs=jobs, journal=path))


def test_same_seeds_same_games_in_any_number_of_processes() -> None:
    one = run(None, range(120))
    assert one == run(None, range(120))
    assert one == sorted(run(None, range(120), jobs=2), key=lambda sample: sample.seed)
    assert len({sample.points for sample in one}) > 5


def test_engine_plays_every_seat() -> None:
    (sample,) = simulate.simulate("numberdrop", {"players": 2}, "nodes=20,algorithm=mcts", [3])
    assert len(sample.points) == 2
    assert sample.decisions > 4
    assert sample.chances > 4


def test_greedy_beats_random() -> None:
    assert simulate.summarise(run(None, range(20), policy="greedy")).mean > 25
    assert simulate.summarise(run(None, range(20))).mean < 10


def test_stopped_run_resumes_without_playing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    whole = run(None, range(150))
    with contextlib.closing(simulate.simulate("numberdrop", SOLO, "random", range(150), journal=path)) as games:
        first = [next(games) for _ in range(60)]
    with path.open("a", encoding="utf-8") as file:
        file.write('{"seed":99,"po')
    played: list[int] = []
    play_one = simulate.play_one

    def counted(game: str, options: dict[str, object], policy: str, seed: int) -> Sample:
        played.append(seed)
        return play_one(game, options, policy, seed)  # type: ignore[arg-type]

    monkeypatch.setattr(simulate, "play_one", counted)
    assert sorted(run(path, range(150)), key=lambda sample: sample.seed) == whole
    assert not {sample.seed for sample in first} & set(played)
    played.clear()
    assert len(run(path, range(150))) == 150
    assert not played


def test_journal_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(path, range(2))
    before = path.read_bytes()
    with pytest.raises(SolutionError, match="begun with other settings"):
        run(path, range(2), policy="greedy")
    assert path.read_bytes() == before
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SolutionError, match="line 1: not JSON"):
        run(path, range(2))
    for good, bad, words in (
        (b'{"seed":0,', b'x{"seed":0,', "line 2: not JSON"),
        (b'"decisions":', b'"decisions":1', "line 2: not as it was written, its checksum does not fit"),
        (b'"points":[', b'"points":[1e400,', "line 2: points.0: input should be a finite number"),
        (b"blockwit 0.", b"blockwit 9.", "begun with other settings: .*blockwit 9"),
    ):
        assert good in before
        path.write_bytes(before.replace(good, bad))
        with pytest.raises(SolutionError, match=words):
            run(path, range(2))
    lines = before.splitlines(keepends=True)
    path.write_bytes(lines[0].replace(b'"solo":true', b'"solo":false') + lines[1])
    with pytest.raises(SolutionError, match="begun with other settings"):
        run(path, range(2))
    with pytest.raises(FileNotFoundError, match="No such file"):
        run(tmp_path / "none" / "games.jsonl", range(2))


def test_bad_policy_is_named() -> None:
    with pytest.raises(OptionError, match="or random, or greedy"):
        run(None, range(1), policy="clever")


def test_summary_and_histogram() -> None:
    samples = [Sample(i, (float(i), float(i + 2)), 10, 5) for i in range(101)]
    figures = simulate.summarise(samples)
    assert figures.games == 101
    assert figures.mean == pytest.approx(51)
    assert figures.percentiles[3] == pytest.approx(51)
    assert figures.percentiles[0] == 0
    assert figures.percentiles[-1] == 102
    assert figures.error == pytest.approx(29.3 / 101**0.5, rel=0.01)
    lines = simulate.histogram(figures.values)
    assert sum(int(line.split()[-1]) for line in lines) == 202
    assert simulate.histogram([3.0, 3.0])[0].endswith(" 2")
    # As wide as there are bars: they begin at whole numbers.
    assert [line.split()[0] for line in simulate.histogram([0.5, 4.5], bins=4)] == ["0", "1", "2", "3", "4"]
