"""The posed puzzles: every answer proven again, by plain search where that is short, every fault of a file named."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from blockwit import games, reading
from blockwit.cli import puzzle as puzzle_cli
from blockwit.cli.main import app
from blockwit.client import Engines
from blockwit.errors import BlockwitError, SolutionError, TwoSolutionsError, WrongAnswerError
from blockwit.games.base import Kind, Position
from blockwit.study import puzzles
from blockwit.study.puzzles import files, find
from blockwit.study.puzzles.base import Proof
from typer.testing import CliRunner

PUZZLES = Path(__file__).parents[2] / "puzzles"
PATHS = list(puzzles.paths([PUZZLES]))
DATA = {path: json.loads(path.read_text(encoding="utf-8")) for path in PATHS}
WIN = PUZZLES / "deblockle" / "win2-01.json"
PLAN = PUZZLES / "numberdrop" / "plan1-01.json"
DROP = PUZZLES / "numberdrop" / "drop1-01.json"
CLAIM = PUZZLES / "numberdrop" / "claim2-01.json"
PAR = PUZZLES / "nmbr9" / "posed" / "par3-01.json"

TWO_WINS = "c6SCL c3HXT s 0"


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    with Engines({"Hash": 64}) as started:
        yield started


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    # Without the lines of progress, which come when it takes long.
    return result.exit_code, re.sub(r"(?m)^ +[0-9.]+ s  .*\n", "", result.output)


def changed(path: Path, change: dict[str, Any]) -> str:
    return json.dumps({**DATA[path], **change})


# --- the collection --------------------------------------------------------------------------------------------


def test_there_are_puzzles_of_every_kind_length_and_grade() -> None:
    assert len(PATHS) >= 150
    kinds = Counter((data["game"], data["question"]["kind"]) for data in DATA.values())
    assert set(kinds) == {
        ("deblockle", "win"),
        ("deblockle", "defend"),
        ("deblockle", "free"),
        ("numberdrop", "drop"),
        ("numberdrop", "claim"),
        ("numberdrop", "plan"),
        ("nmbr9", "plan"),
    }
    assert min(kinds.values()) >= 8
    wins = Counter(data["question"]["turns"] for data in DATA.values() if data["question"]["kind"] == "win")
    assert set(wins) == {1, 2, 3, 4, 5}
    assert {data["game"] for data in DATA.values() if data["grade"] == 5} == {"deblockle", "numberdrop", "nmbr9"}
    assert min(Counter(data["grade"] for data in DATA.values()).values()) >= 12
    assert len({data["position"] + json.dumps(data["question"]) for data in DATA.values()}) == len(PATHS)


def test_files_fit_the_schema_and_the_schema_fits_the_code() -> None:
    schema = json.loads((PUZZLES / "schema.json").read_text(encoding="utf-8"))
    assert schema == files.schema(), "write blockwit.study.puzzles.files.schema() to puzzles/schema.json"
    validator = jsonschema.Draft202012Validator(schema)
    for path, data in DATA.items():
        assert list(validator.iter_errors(data)) == [], path
    assert list(validator.iter_errors({**DATA[WIN], "grade": 6}))
    assert list(validator.iter_errors({**DATA[WIN], "question": {"kind": "win"}}))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_answer_is_proven_and_its_grade_is_what_the_proof_says(path: Path) -> None:
    assert puzzles.load(path).check().to_json() == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("nodes", "tempting", "difficulty", "grade"),
    [
        (1, 0, 0, 1),
        (99, 0, 1.99563519459755, 1),
        (100, 0, 2, 2),
        (10, 3, 2, 2),
        (1, 15, 2, 2),
        (1000, 1, 3.5, 3),
        (1000, 15, 5, 4),
        (3000, 8, 5.062083755440819, 4),
        (10**6, 1, 6.5, 5),
        (10**6, 0, 6, 4),
        (1, 2**13 - 1, 6.5, 5),
    ],
)
def test_grades_are_read_from_nodes_and_half_the_doublings_of_temptation(
    nodes: int, tempting: int, difficulty: float, grade: int
) -> None:
    """Worked out by hand from docs/puzzles.md: each factor of ten in nodes counts one, each doubling one half."""
    puzzle = puzzles.load(WIN)
    assert replace(puzzle, nodes=nodes, tempting=tempting).difficulty() == pytest.approx(difficulty, abs=1e-12)

    class Measured(puzzles.WinPuzzle):
        def temptation(self, proof: Proof) -> int:
            return tempting

    measured = Measured(puzzle.game, puzzle.position, {}, turns=2).graded(Proof((), None, (), nodes))
    assert (measured.nodes, measured.tempting, measured.grade) == (nodes, tempting, grade)


@pytest.mark.parametrize("path", [p for p in PATHS if p.stem.startswith(("win", "defend"))], ids=lambda path: path.stem)
def test_the_engine_finds_wins_and_defences_by_search(path: Path, engines: Engines) -> None:
    puzzle = puzzles.load(path)
    found = puzzle.attempt(engines)
    assert found.how == "search"
    assert puzzle.right(found), found


# --- the proofs against plain search ---------------------------------------------------------------------------


def wins_within(position: Position, player: int, turns: int) -> bool:
    """Whether `player` wins within so many own turns, by the rules alone."""
    if position.kind() is Kind.TERMINAL:
        return position.returns()[player] > 0
    own = position.player() == player
    if own and turns == 0:
        return False
    replies = (wins_within(position.play(token), player, turns - own) for token in position.tokens())
    return any(replies) if own else all(replies)


def least(paths: list[Path], count: int) -> list[Path]:
    return sorted(paths, key=lambda path: int(DATA[path]["proof"]["nodes"]))[:count]


@pytest.mark.parametrize("path", least([p for p in PATHS if p.stem.startswith("win2")], 3), ids=lambda path: path.stem)
def test_wins_by_plain_search(path: Path) -> None:
    puzzle = puzzles.load(path)
    player = puzzle.position.player()
    tokens = puzzle.position.tokens()
    won = [token for token in tokens if wins_within(puzzle.position.play(token), player, 1)]
    assert won == [puzzle.line[0]]
    assert not any(wins_within(puzzle.position.play(token), player, 0) for token in tokens)


@pytest.mark.parametrize(
    "path", least([p for p in PATHS if p.stem.startswith("defend2")], 3), ids=lambda path: path.stem
)
def test_defences_by_plain_search(path: Path) -> None:
    puzzle = puzzles.load(path)
    other = puzzle.position.player() ^ 1
    held = [token for token in puzzle.position.tokens() if not wins_within(puzzle.position.play(token), other, 2)]
    assert held == [puzzle.line[0]]


@pytest.mark.parametrize("path", least([p for p in PATHS if p.stem.startswith("free")], 12), ids=lambda path: path.stem)
def test_only_one_move_keeps_free(path: Path) -> None:
    """By the words of the question: a reply catches the mover if it wins, or if the mover then has to pass."""
    puzzle = puzzles.load(path)
    free, locked = [], False
    for token in puzzle.position.tokens():
        replies = [puzzle.position.play(token).play(reply) for reply in puzzle.position.play(token).tokens()]
        passes = [reply for reply in replies if reply.tokens() == ["0000"]]
        lost = [reply for reply in replies if (reply.result() or "").endswith(("wins", "blocked"))]
        locked = locked or bool(passes)
        if not passes and not lost:
            free.append(token)
    assert free == [puzzle.line[0]]
    assert locked


def test_best_drop_by_trying_every_turn() -> None:
    puzzle = puzzles.load(
        min((p for p in PATHS if p.stem.startswith("drop1")), key=lambda p: DATA[p]["proof"]["nodes"])
    )
    assert not puzzle.question.model_dump()["rolls"]
    points = {token: puzzle.position.play(token).returns()[0] for token in puzzle.position.tokens()}
    most = max(points.values())
    assert most == puzzle.points
    assert {token.partition("+")[0] for token, score in points.items() if score == most} == {
        puzzle.line[0].partition("+")[0]
    }


def test_best_claim_by_trying_every_claim() -> None:
    """Each claim's best is found anew as the plan of the position behind it."""
    puzzle = puzzles.load(least([p for p in PATHS if p.stem.startswith("claim2")], 1)[0])
    drop, rolls = puzzle.question.model_dump()["drop"], puzzle.question.model_dump()["rolls"]
    best: dict[str, float] = {}
    for token in puzzle.position.tokens():
        if token.partition("+")[0] != drop:
            continue
        after = puzzle.position.play(token)
        proof = puzzles.PlanPuzzle(puzzle.game, after, {}, rolls=tuple(rolls)).prove()
        box = token.partition("+")[2].partition(":")[0]
        best[box] = max(best.get(box, -99), proof.points or 0)
    most = max(best.values())
    assert most == puzzle.points
    assert [box for box, points in best.items() if points == most] == [
        puzzle.line[0].partition("+")[2].partition(":")[0]
    ]


@pytest.mark.parametrize(
    "position",
    [
        "2a@29,30,0,4a@31,30,0 79",
        "2a@29,30,0,4a@31,30,0 97",
        "2a@29,30,0,4a@31,30,0 *179/1",
        "- *138/2",
        DATA[PUZZLES / "nmbr9" / "posed" / "par2-01.json"]["position"],
    ],
)
def test_par_by_trying_everything(position: str) -> None:
    def most(position: Position) -> float:
        if position.kind() is Kind.TERMINAL:
            return position.returns()[0]
        return max(most(position.play(token)) for token in position.tokens())

    game = games.get("nmbr9")
    start = game.parse(position, {})
    assert puzzles.PlanPuzzle(game, start, {}).prove().points == most(start)


def test_prover_agrees_with_the_exact_solution_of_one_block_each() -> None:
    from blockwit import _deblockle
    from blockwit.games.deblockle import tables as deblockle_tables
    from blockwit.games.deblockle.position import DeblocklePosition

    exact = deblockle_tables.oracle(0, "")
    base = _deblockle.State()
    seen = set()
    for at in range(0, 24 * 24, 7):
        south, north = divmod(at, 24)
        position = DeblocklePosition(base.replaced([(3, south)], [(51, north)], 0, 0))
        plies = exact.probe(position.raw())
        assert plies is not None
        for turns in range(1, 7):
            won = bool(puzzles.prove(position, turns)[0])
            assert won == (0 < plies <= 2 * turns - 1)
            seen.add(won)
    assert seen == {True, False}


# --- faults ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        (WIN, {"game": "chess"}, "game: input should be 'deblockle'"),
        (WIN, {"position": "d2XLT d7XLT s"}, "star square"),
        (WIN, {"position": "- d7XLT s"}, "nothing is to be decided"),
        (WIN, {"position": "- - s"}, "neither side has a block left"),
        (WIN, {"options": {"slider": "half"}}, "option slider"),
        (WIN, {"options": {"colour": "red"}}, "unknown option 'colour'"),
        (WIN, {"options": 3}, "options: input should be"),
        (WIN, {"question": {"kind": "draw", "turns": 1}}, "question: input tag 'draw'"),
        (WIN, {"question": {"kind": "win"}}, "question.win.turns: field required"),
        (WIN, {"question": {"kind": "win", "turns": 0}}, "question.win.turns"),
        (WIN, {"question": {"kind": "win", "turns": True}}, "question.win.turns"),
        (WIN, {"question": {"kind": "plan"}}, "plan is no question of deblockle"),
        (WIN, {"answer": {"line": []}}, "answer.line"),
        (WIN, {"answer": {"line": ["a1a2"]}}, "answer.line: number 1: 'a1a2': "),
        (WIN, {"answer": {**DATA[WIN]["answer"], "points": 3}}, "no points are asked for"),
        (WIN, {"source": None}, "source: input should be"),
        (WIN, {"proof": {}}, "proof.nodes: field required"),
        (WIN, {"grade": 6}, "grade: input should be"),
        (WIN, {"colour": "red"}, "colour: extra inputs"),
        (PLAN, {"answer": {"line": DATA[PLAN]["answer"]["line"]}}, "answer.points is missing"),
        (PLAN, {"answer": {**DATA[PLAN]["answer"], "line": ["roll:9999I"]}}, "answer.line: number 1"),
        (DROP, {"position": DATA[PLAN]["position"]}, "nothing is to be decided"),
        (CLAIM, {"question": {**DATA[CLAIM]["question"], "drop": "I0@7:1111"}}, "I0@7:1111"),
        (
            CLAIM,
            {"question": {**DATA[CLAIM]["question"], "drop": DATA[DROP]["answer"]["line"][0]}},
            "without its claim",
        ),
        (PAR, {"position": "- ?123"}, "nothing is to be decided"),
        (PAR, {"position": "- 1?23"}, "the order of the cards is unknown"),
        (PAR, {"question": {"kind": "plan", "rolls": ["draw:1"]}}, "the cards are part of the position"),
    ],
)
def test_faulty_file_is_named(path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(BlockwitError, match=r"^[^\n]*$") as caught:
        puzzles.parse(changed(path, change))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '"x"', "[" * 100_000])
def test_broken_json_is_named(text: str) -> None:
    with pytest.raises(SolutionError):
        puzzles.parse(text)


def test_missing_folder_and_binary_files_are_named(tmp_path: Path) -> None:
    for name, content in (("bin", b"\xff\xfe\x00"), ("big", b" " * (reading.MAX_BYTES + 1))):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(SolutionError, match=name):
            puzzles.load(path)
    with pytest.raises(SolutionError, match="none"):
        puzzles.load(tmp_path / "none")
    with pytest.raises(SolutionError, match="no puzzle files"):
        list(puzzles.paths([tmp_path / "..", tmp_path]))


def test_false_claims_of_a_win_are_named(engines: Engines) -> None:
    puzzle = puzzles.load(PUZZLES / "deblockle" / "win3-01.json")
    assert isinstance(puzzle, puzzles.WinPuzzle)
    other = next(move for move in puzzle.position.tokens() if move != puzzle.line[0])
    with pytest.raises(WrongAnswerError, match="no move forces a win in 2 turns"):
        replace(puzzle, turns=2).check()
    with pytest.raises(WrongAnswerError, match="fewer than 4"):
        replace(puzzle, turns=4).check()
    with pytest.raises(WrongAnswerError, match=f"{other} does not solve it, {puzzle.line[0]} does"):
        replace(puzzle, line=(other,)).check()
    with pytest.raises(WrongAnswerError, match="the line is no win in 3 turns"):
        replace(puzzle, line=puzzle.line[:3]).check()
    assert replace(puzzle, nodes=1, tempting=99, grade=1).check() == puzzle
    assert not replace(puzzle, line=(other,)).right(puzzle.attempt(engines))


@pytest.mark.parametrize("path", [PLAN, DROP, CLAIM, PAR], ids=lambda path: path.stem)
def test_false_points_are_named(path: Path, engines: Engines) -> None:
    puzzle = puzzles.load(path)
    assert puzzle.points is not None
    for points in (puzzle.points - 1, puzzle.points + 1):
        with pytest.raises(WrongAnswerError, match="the most points are"):
            replace(puzzle, points=points).check()
        assert not replace(puzzle, points=points).right(puzzle.attempt(engines))
    with pytest.raises(WrongAnswerError, match="the line brings"):
        replace(puzzle, line=puzzle.line[:-1]).check()


def test_two_solutions_are_named() -> None:
    position = puzzles.load(WIN).game.parse(TWO_WINS, {})
    won, _ = puzzles.prove(position, 2)
    assert len(won) == 2
    puzzle = puzzles.WinPuzzle(position.game, position, {}, (won[1],), turns=2)
    with pytest.raises(TwoSolutionsError, match=f"2 solutions: {won[0]}, {won[1]}"):
        puzzle.check()
    assert puzzle.posed("test") is None


# --- the commands ----------------------------------------------------------------------------------------------


def test_check_names_every_fault_as_such(tmp_path: Path) -> None:
    position = puzzles.load(WIN).game.parse(TWO_WINS, {})
    won, _ = puzzles.prove(position, 2)
    two = puzzles.WinPuzzle(position.game, position, {}, (won[0],), nodes=1, grade=1, source="test", turns=2).to_json()
    wrong = changed(WIN, {"question": {"kind": "win", "turns": 3}})
    right = WIN.read_text(encoding="utf-8")
    names = {"right": right, "two": two, "wrong": wrong, "broken": right[:-20]}
    for name, text in names.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    status, out = run("puzzle", "check", str(tmp_path))
    lines = {Path(line.partition(": ")[0]).stem: line.partition(": ")[2] for line in out.splitlines()[:-1]}
    assert lines["right"].startswith("PROVEN, grade")
    assert lines["two"].startswith("TWO SOLUTIONS: 2 solutions")
    assert lines["wrong"].startswith("WRONG ANSWER: there is a win in fewer than 3 turns")
    assert lines["broken"].startswith("BROKEN: cut short")
    assert out.splitlines()[-1] == "1 proven, 1 wrong answer, 1 two solutions, 1 broken"
    assert status == 2
    (tmp_path / "broken.json").unlink()
    assert run("puzzle", "check", str(tmp_path))[0] == 1
    assert run("puzzle", "check", str(tmp_path / "right.json"))[0] == 0
    assert run("puzzle", "check", str(tmp_path / "none.json"))[0] == 2


def test_show_states_the_task_and_keeps_the_answer(tmp_path: Path) -> None:
    drawing = tmp_path / "board.svg"
    status, out = run("puzzle", "show", str(WIN), "--svg", str(drawing))
    assert status == 0
    assert "wins in 2 turns" in out
    assert DATA[WIN]["answer"]["line"][0] not in out
    assert "</svg>" in drawing.read_text(encoding="utf-8")
    for path in (DROP, CLAIM, PLAN, PAR):
        status, out = run("puzzle", "show", str(path))
        assert status == 0
        assert "highest score" in out
        assert DATA[path]["answer"]["line"][-1] not in out
    assert run("puzzle", "show", str(PUZZLES / "schema.json"))[0] == 2


def test_grade_measures_and_writes(tmp_path: Path) -> None:
    path = tmp_path / "win.json"
    path.write_text(changed(WIN, {"grade": 6 - DATA[WIN]["grade"]}), encoding="utf-8")
    status, out = run("puzzle", "grade", str(path), "--write")
    assert status == 0
    assert f"{DATA[WIN]['proof']['nodes']} nodes" in out
    assert path.read_text(encoding="utf-8") == WIN.read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "turns"), [("win", 2), ("defend", 2), ("free", 1), ("plan", 1), ("par", 3)])
def test_new_puzzles_are_proven_and_repeatable(kind: str, turns: int, tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        arguments = ("--turns", str(turns), "--seed", "7", "--count", "2", "--out", str(folder))
        assert run("puzzle", "new", kind, *arguments)[0] == 0
        texts.append([path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())])
    assert texts[0] == texts[1]
    assert len(set(texts[0])) == 2
    assert run("puzzle", "check", str(tmp_path / "one"))[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(find.FINDERS))
def test_every_kind_is_found(kind: str) -> None:
    for _, puzzle in islice(find.find(kind, None, 11), 2):
        puzzle.check()


def test_new_names_what_it_does_not_know() -> None:
    assert set(puzzle_cli.KINDS.replace(",", " ").split()) >= set(find.FINDERS)
    for arguments in (("mate",), ("win", "--turns", "9")):
        status, out = run("puzzle", "new", *arguments)
        assert status == 2
        assert out.count("\n") == 1


def test_new_numbers_on_and_prints(tmp_path: Path) -> None:
    for _ in range(2):
        assert run("puzzle", "new", "free", "--seed", "3", "--out", str(tmp_path))[0] == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["free-01.json", "free-02.json"]
    status, out = run("puzzle", "new", "win", "--turns", "1")
    assert status == 0
    puzzles.parse(out).check()
