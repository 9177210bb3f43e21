"""Claims are verified without trust: right ones hold, wrong plans and wrong bounds are found out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from blockwit.cli.main import app
from blockwit.errors import SolutionError, WrongClaimError
from blockwit.search.cpsat import progress
from blockwit.search.cpsat.optimize import Optimizer
from blockwit.search.cpsat.problem import read_problem
from blockwit.search.cpsat.verify import Claim, claim_of_progress, claim_of_solution, prove
from blockwit.study.benchmark import Benchmark
from typer.testing import CliRunner

PUZZLES = Path(__file__).parents[3] / "puzzles" / "nmbr9"


def never() -> bool:
    return False


def changed(path: Path, name: str, **fields: object) -> Path:
    """Write a solution file with other fields."""
    path.write_text(json.dumps(json.loads((PUZZLES / name).read_text(encoding="utf-8")) | fields), encoding="utf-8")
    return path


def verify(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["nmbr9", "verify", "--workers", "1", *words])
    return done.exit_code, done.output


@pytest.mark.parametrize("name", ["F-5-2-6", "F-6-1-5_8x8x3", "F-6-1-5_5x5x3", "K-2719304865"])
def test_a_right_file_is_verified(name: str) -> None:
    path = PUZZLES / f"{name}.json"
    status, told = verify(str(path))
    assert status == 0
    assert "points, replayed; bound " in told
    assert told.splitlines()[-1] == f"{path}: verified"


@pytest.mark.parametrize(("name", "best"), [("F-5-2-6", None), ("K-2719304865", 45)])
def test_a_bound_that_is_too_low_is_found_out(tmp_path: Path, name: str, best: int | None) -> None:
    """A worse plan that claims to be the best one: every check but the proof passes."""
    known = json.loads((PUZZLES / f"{name}.json").read_text(encoding="utf-8"))
    best = best or known["score"]
    problem = read_problem(known["problem"])
    for bound in (best - 1, best // 2):
        verdict = prove(Claim(problem, None, bound), None, 1, never)
        assert verdict.held is False
        assert int(verdict.why.split()[3]) > bound
    assert prove(Claim(problem, None, best), None, 1, never).held is True
    poor = Optimizer(problem)
    poor.run(steps=1)
    assert poor.plan is not None
    if poor.plan.score < best:
        tiles = [str(tile) for tile in poor.plan.tiles]
        path = changed(tmp_path / "x", f"{name}.json", score=poor.plan.score, bound=poor.plan.score, moves=tiles)
        status, told = verify(str(path))
        assert status == 1
        assert f"bound {poor.plan.score} is wrong: a plan of " in told


def test_a_wrong_plan_is_found_out(tmp_path: Path) -> None:
    moves = json.loads((PUZZLES / "F-5-2-6.json").read_text(encoding="utf-8"))["moves"]
    for change, words in (
        ({"moves": moves[::-1]}, "move 1"),
        ({"score": 99, "bound": 99}, "but the file claims 99"),
        ({"bound": 0}, "the bound 0 is below"),
    ):
        path = changed(tmp_path / "x", "F-5-2-6.json", **change)
        status, told = verify(str(path))
        assert status == 1
        assert told.startswith(f"blockwit: {path}: ")
        assert words in told
        with pytest.raises(WrongClaimError, match=words):
            claim_of_solution(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"problem":"F-0-9-99","score":1,"moves":[]}'])
def test_what_is_no_such_file_is_wrong_use(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")
    status, told = verify(str(path))
    assert status == 2
    assert told.startswith(f"blockwit: {path}: ")
    assert told.count("\n") == 1


def test_a_bound_without_the_time_for_it_is_taken_on_trust() -> None:
    status, told = verify(str(PUZZLES / "F-9-2-20.json"), "--time", "0")
    assert status == 1
    assert "is taken on trust: not proven in this time" in told
    assert told.splitlines()[-1].endswith(": 0 of 1 verified")


def test_limits_of_a_known_deck_are_bounded_by_a_free_choice() -> None:
    """That bound is no proof of what a known order allows within limits, and is told as what it is."""
    problem = read_problem("K:0123@8x8x4")
    free = prove(Claim(problem, None, 6), None, 1, never)
    assert free.held is True
    low = prove(Claim(problem, None, 0), None, 1, never)
    assert low.held is not True


def test_progress_files_are_verified_whichever_version_wrote_them(tmp_path: Path) -> None:
    path = tmp_path / "x"
    problem = read_problem("F-5-2-6")
    with Optimizer(problem, save=path) as optimizer:
        end = optimizer.run()
    assert end.proven
    assert verify(str(path))[0] == 0
    text = path.read_text(encoding="utf-8")
    file = progress.ProgressFile.model_validate_json(text)
    older = file.model_copy(update={"engine": "blockwit 0.0"})
    path.write_text(older.sealed().model_dump_json(), encoding="utf-8")
    assert verify(str(path))[0] == 0
    with pytest.raises(WrongClaimError, match="checksum"):
        claim_of_progress(older.model_dump_json())
    for change, words in (
        ({"score": 1}, "its plan scores"),
        ({"moves": file.moves[:-1]}, "no whole plan"),
        ({"bound": 1}, "is below the"),
    ):
        with pytest.raises(WrongClaimError, match=words):
            claim_of_progress(file.model_copy(update=change).sealed().model_dump_json())
    with pytest.raises(SolutionError, match="problem"):
        claim_of_progress(file.model_copy(update={"problem": "x"}).sealed().model_dump_json())


def test_benchmark_records_are_verified(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    list(Benchmark(path, "nmbr9", {"cards": 4, "seconds": 60.0}).run(range(1, 4)))
    assert verify(str(path)) == (0, f"{path}: verified, 3 claims\n")
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace('"bound":', '"bound":1')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    status, told = verify(str(path))
    assert status == 1
    assert told == f"blockwit: {path}: line 2: seed 2: not as it was written, its checksum does not fit\n"
    other = tmp_path / "y.jsonl"
    list(Benchmark(other, "deblockle", {}).run([1]))
    status, told = verify(str(other))
    assert status == 2
    assert "records of deblockle, expected plans of NMBR 9" in told
