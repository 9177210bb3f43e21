"""`blockwit solve`: puzzles and positions of every game, for people and for scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from blockwit.cli.main import app
from blockwit.client import Engine, Engines
from blockwit.errors import EngineDiedError
from blockwit.study import solve
from typer.testing import CliRunner

PUZZLES = Path(__file__).parents[2] / "puzzles"
WIN = PUZZLES / "deblockle" / "win3-01.json"
PLAN = PUZZLES / "numberdrop" / "plan1-01.json"
PAR = PUZZLES / "nmbr9" / "posed" / "par3-01.json"
FORCED = "b5LSC b1TCH,e1TCH s"
FULL = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["solve", *arguments])
    # Without the lines of progress, which come when it takes long.
    return result.exit_code, re.sub(r"(?m)^ +[0-9.]+ s  .*\n", "", result.output)


def objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_puzzles_of_all_games_as_json() -> None:
    status, out = run(str(WIN), str(PLAN), str(PAR), "--prove", "--json")
    assert status == 0
    for path, found in zip((WIN, PLAN, PAR), objects(out), strict=True):
        data = json.loads(path.read_text(encoding="utf-8"))
        assert (found["subject"], found["status"], found["proof"]) == (str(path), "solved", "proven")
        assert (found["game"], found["position"]) == (data["game"], data["position"])
        assert found["value"] == data["answer"].get("points")
        assert found["task"]
        assert found["line"]
    assert objects(out)[0]["mate"] == 3
    assert objects(out)[0]["line"][0] == json.loads(WIN.read_text(encoding="utf-8"))["answer"]["line"][0]


def test_a_forced_win_of_a_position_is_proven() -> None:
    status, out = run(FORCED, "--prove", "--json")
    (found,) = objects(out)
    assert status == 0
    assert (found["mate"], found["proof"], found["score"]) == (5, "proven", "win in 5")
    assert len(found["line"]) == 9
    status, out = run(FORCED)
    assert status == 0
    assert "solved, proven, win in 5: b5c5d4" in out


def test_best_play_without_a_proof_has_its_own_status() -> None:
    for position in (FULL, "2 I4,O4,T4,S4,L4 - 1 drop:1 1234I " + " ".join(["g/g/g/g/g/g/g/g/g/g/g/g/g/1f,-,-,-"] * 2)):
        status, out = run(position, "--time", "0.05", "--json")
        (found,) = objects(out)
        assert status == 3
        assert (found["status"], found["proof"], found["mate"]) == ("open", "not proven", None)
        assert found["line"]
        assert found["value"] is not None


def test_a_plan_that_reaches_its_bound_is_proven() -> None:
    status, out = run("- *0123/4", "--json")
    (found,) = objects(out)
    assert status == 0
    assert found["bound"] == found["value"]
    assert len(found["line"]) == 4
    # A deck in a known order whose position begins with a dash is no option.
    status, out = run("- 31", "--time", "1", "--json")
    assert objects(out)[0]["value"] == 0


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("/nowhere.json", "No such file"),
        ("a b c d e f", "6 fields"),
        ("d1XLT d7XLT x", "side 'x'"),
        ("- d7XLT s", "the game is over (South wins)"),
        ("- - s 0 setup:4v4:-", "a roll or card comes first"),
        ("- ?01", "a roll or card comes first"),
        (str(PUZZLES / "schema.json"), "game: field required"),
    ],
)
def test_what_cannot_be_solved_is_one_line_and_status_2(subject: str, message: str) -> None:
    status, out = run(subject)
    assert status == 2
    assert message in out
    assert out.count("\n") == 1
    status, out = run(subject, "--json")
    assert status == 2
    assert message in objects(out)[0]["remark"]
    assert objects(out)[0]["status"] == "broken"


def test_the_highest_status_counts_and_nothing_stops_the_rest() -> None:
    status, out = run(FULL, "/nowhere.json", str(WIN), "--time", "0.05")
    assert status == 3
    assert len(out.splitlines()) == 3
    assert run("/nowhere.json", str(WIN))[0] == 2


def test_pictures_of_answers(tmp_path: Path) -> None:
    drawing = tmp_path / "a.svg"
    assert run(str(WIN), "--svg", str(drawing))[0] == 0
    move = json.loads(WIN.read_text(encoding="utf-8"))["answer"]["line"][0]
    assert f"{move[:2]} tips" in drawing.read_text(encoding="utf-8")
    assert run(str(PAR), "--svg", str(drawing))[0] == 0
    points = json.loads(PAR.read_text(encoding="utf-8"))["answer"]["points"]
    assert f"{points:g} points" in drawing.read_text(encoding="utf-8")
    status, out = run(str(WIN), str(PAR), "--svg", str(drawing))
    assert status == 2
    assert "expected one puzzle or position" in out
    nothing = solve.Solved("x", solve.Status.WRONG)
    with pytest.raises(ValueError, match="no answer to draw"):
        nothing.picture()


def test_an_engine_that_fails_refutes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(self: Engine, *_: object, **__: object) -> None:
        raise EngineDiedError("'engine' ended with exit code 1")

    monkeypatch.setattr(Engine, "go", die)
    with Engines() as engines:
        for subject in (str(WIN), FULL):
            solved = solve.solve(subject, None, {}, 0.05, engines, prove=False)
            assert solved.status is solve.Status.BROKEN
            assert solved.remark == "'engine' ended with exit code 1"
