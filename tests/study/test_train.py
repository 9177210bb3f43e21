"""Learning by self-play: it learns, repeats itself, resumes, and can be shared out."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blockwit import _td, games
from blockwit.errors import OptionError, TrainingError
from blockwit.jobs import Inline, executor
from blockwit.study import train

SHORT = train.Recipe(round_games=40, solo=0.7)


def rounds(recipe: train.Recipe, games: int, path: Path | None = None) -> train.Training:
    course = train.Training(recipe, path)
    course.run(Inline(), games)
    return course


def test_learns_from_nothing_and_leaves_the_weights_in_use_alone() -> None:
    game = train.learned("numberdrop")
    before = game.get_weights()
    course = rounds(replace(SHORT, round_games=100), 300)
    assert game.get_weights() == before
    first, last = (course.progress.curve[i][2][0] for i in (0, -1))
    assert first is not None
    assert last is not None
    # Who knows nothing makes about 0 points; who has learned from a few hundred games well over 20.
    assert last > max(20, first)
    learned = course.weights()
    assert learned.training["games"] == 300
    assert len(learned.values) == len(before)


def test_one_thread_repeats_itself_and_resumes_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "state"
    whole = rounds(SHORT, 120)
    rounds(SHORT, 80, path)
    parted = rounds(SHORT, 120, path)
    assert parted.progress.games == 120
    assert parted.numbers.tobytes() == whole.numbers.tobytes()
    assert [means for _, _, means in parted.progress.curve] == [means for _, _, means in whole.progress.curve]
    other = rounds(replace(SHORT, seed=2), 120)
    assert other.numbers.tobytes() != whole.numbers.tobytes()


def test_what_ends_a_round_early_costs_that_round_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state"
    rounds(SHORT, 40, path)
    kept = path.read_bytes()

    def interrupted(*_: Any) -> train.Batch:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(train, "play_part", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rounds(SHORT, 80, path)
    assert path.read_bytes() == kept
    assert train.Training(SHORT, path).progress.games == 40
    assert sorted(each.name for each in tmp_path.iterdir()) == [".state.lock", "state"]


def test_threads_share_their_numbers() -> None:
    course = rounds(replace(SHORT, threads=3), 80)
    assert course.progress.games == 80
    assert np.isfinite(course.numbers).all()
    assert (course.numbers[2] > 0).any()


def test_joining_adds_sums_and_averages_weights_by_who_met_them() -> None:
    numbers = np.zeros((3, 4), np.float32)
    one: train.Batch = np.array([0, 2], np.int32), np.array([[4, 6], [1, 1], [1, 2]], np.float32), []
    two: train.Batch = np.array([2, 3], np.int32), np.array([[2, 8], [3, -1], [3, 1]], np.float32), []
    train.join(numbers, [one, two])
    assert numbers.tolist() == [[4, 0, 4, 8], [1, 0, 4, -1], [1, 0, 5, 1]]


def test_numbers_may_begin_at_any_address() -> None:
    game = train.learned("numberdrop")
    before = game.get_weights()
    learner = _td.Learner(game.capsule(), game.linear())
    numbers = np.random.default_rng(1).random(3 * learner.count, np.float32)
    try:
        learner.set(np.frombuffer(b"?" + numbers.tobytes(), np.float32, offset=1))
    finally:
        game.set_weights(before)
    assert learner.get() == numbers.tobytes()


def test_parts_on_processes_and_on_a_cluster_come_out_the_same() -> None:
    distributed = pytest.importorskip("distributed")
    recipe = replace(SHORT, workers=2)
    here = rounds(recipe, 40)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        there = train.Training(recipe)
        with executor(1, cluster.scheduler_address) as pool:
            there.run(pool, 40)
    assert there.numbers.tobytes() == here.numbers.tobytes()
    local = train.Training(recipe)
    with executor(2) as pool:
        local.run(pool, 40)
    assert local.numbers.tobytes() == here.numbers.tobytes()


def test_optimism_is_for_the_training_alone() -> None:
    course = rounds(replace(SHORT, round_games=5, optimism=50.0), 5)
    values = np.frombuffer(course.weights().values, "<i2")
    never = course.numbers[2] == 0
    assert (course.numbers[0][never] == np.float32(50 / train.TYPICAL_ACTIVE)).all()
    assert not values[never].any()
    assert values.any()


def test_other_checkpoints_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    rounds(replace(SHORT, round_games=2), 2, path)
    with pytest.raises(TrainingError, match="begun with other settings"):
        train.Training(SHORT, path)
    data = path.read_bytes()
    head, _, packed = data.partition(b"\n")
    for bad in (
        data[: len(data) // 2],
        b"",
        b"text",
        head.replace(b'"games":2', b'"games":4') + b"\n" + packed,
        head.replace(b'"seconds":', b'"seconds":1e400,"x":') + b"\n" + packed,
        head + b"\n" + zlib.compress(zlib.decompress(packed)[:-1] + b"\x01"),
        head + b"\n" + zlib.compress(bytes(1 << 24)),
        head + b"\n" + packed[1:],
        b"PK\x03\x04" + data,
    ):
        path.write_bytes(bad)
        with pytest.raises(TrainingError, match="not a checkpoint of this command, or damaged"):
            train.Training(replace(SHORT, round_games=2), path)
    with pytest.raises(FileNotFoundError, match="No such file"):
        rounds(replace(SHORT, round_games=2), 2, tmp_path / "none" / "state")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 0.0}, "rate: expected 1e-06 to 1, got 0"),
        ({"threads": 0}, "threads"),
        ({"decay": float("nan")}, "decay"),
        ({"game": "deblockle"}, "no evaluation that is learned"),
    ],
)
def test_bad_recipes_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        train.Training(replace(SHORT, **change))


def test_the_compiled_learner_trusts_nobody() -> None:
    game = games.get("numberdrop")
    assert isinstance(game, train.Learned)
    learner = _td.Learner(game.capsule(), game.linear())
    start = game.lessons(1)[0][1]
    with pytest.raises(ValueError, match="expected"):
        learner.set(np.zeros(5, np.float32))
    for starts, shares, count, decay, rate in (
        ([], [], 1, 0.5, 1),
        ([start], [], 1, 0.5, 1),
        ([start[:-1]], [1.0], 1, 0.5, 1),
        ([start] * 17, [1.0] * 17, 1, 0.5, 1),
        ([start], [1.0], -1, 0.5, 1),
        ([start], [1.0], 1, 1.5, 1),
        ([start], [1.0], 1, 0.5, 0),
    ):
        with pytest.raises(ValueError, match=r"expected|has|range"):
            learner.play(starts, shares, 1, 0, count, decay=decay, rate=rate)
    with pytest.raises(ValueError, match="expected a PyCapsule named"):
        _td.Learner(game.linear(), game.capsule())
    with pytest.raises(TypeError):
        learner.set(None)  # type: ignore[arg-type]


def test_curve_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    course = rounds(replace(SHORT, round_games=5), 10)
    train.draw_curve(course, tmp_path / "curve.svg")
    drawn = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "mean points in the round" in drawn
    assert "2 players" in drawn
    with pytest.raises(FileNotFoundError, match="No such file"):
        train.draw_curve(course, tmp_path / "none" / "curve.svg")
