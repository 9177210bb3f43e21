"""The posed puzzles: every answer proven again, every fault of a file named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver import puzzles
from solver.errors import BlockwitError, SolutionError

PUZZLES = Path(__file__).parent.parent / "puzzles"
FOLDER = PUZZLES / "deblockle"
WINS = sorted(FOLDER.glob("*.json"))
PLANS = sorted((PUZZLES / "numberdrop").glob("*.json"))


def data_of(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_there_are_puzzles_of_every_length() -> None:
    lengths = [json.loads(path.read_text(encoding="utf-8"))["question"]["turns"] for path in WINS]
    assert len(lengths) >= 30
    assert {1, 2, 3, 4} <= set(lengths)
    assert len(PLANS) >= 6


@pytest.mark.parametrize("path", [*WINS, *PLANS], ids=lambda path: path.stem)
def test_answer_is_proven_and_found(path: Path) -> None:
    puzzle = puzzles.load(path)
    puzzle.check()
    found = puzzle.attempt()
    assert found.right, found
    if isinstance(puzzle, puzzles.WinPuzzle):
        assert len(puzzle.moves) == 1


def test_file_round_trips() -> None:
    for path in (WINS[0], PLANS[0]):
        text = path.read_text(encoding="utf-8")
        assert puzzles.parse(text).to_json() == text


def test_prover_agrees_with_the_exact_solution_of_one_block_each() -> None:
    from solver import _deblockle as core
    from solver.games import deblockle_tables
    from solver.games.deblockle import DeblocklePosition

    exact = deblockle_tables.oracle(0, "")
    base = core.State()
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"position": "d2XLT d7XLT s"}, "star square"),
        ({"position": "- d7XLT s"}, "nothing is to be decided"),
        ({"options": {"slider": "half"}}, "option slider"),
        ({"options": {"colour": "red"}}, "unknown option 'colour'"),
        ({"options": 3}, "options: expected dict"),
        ({"question": {"kind": "draw", "turns": 1}}, "question.kind"),
        ({"question": {"kind": "win"}}, "question.turns is missing"),
        ({"question": {"kind": "win", "turns": 0}}, "question.turns"),
        ({"question": {"kind": "win", "turns": True}}, "question.turns"),
        ({"answer": {"moves": []}}, "answer.moves"),
        ({"answer": {"moves": ["a1a2"]}}, "has no block on a1"),
        ({"source": None}, "source: expected str"),
        ({"proof": {}}, "proof.nodes is missing"),
    ],
)
def test_faulty_file_is_named(change: dict[str, Any], message: str) -> None:
    data = data_of(FOLDER / "win2-01.json")
    assert "a1" not in data["position"].split()[0 if data["position"].split()[2] == "s" else 1]
    with pytest.raises(BlockwitError, match=r"^[^\n]*$") as caught:
        puzzles.parse(json.dumps({**data, **change}))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '"x"', "[" * 100_000])
def test_broken_json_is_named(text: str) -> None:
    with pytest.raises(SolutionError):
        puzzles.parse(text)


def test_missing_folder_and_binary_files_are_named(tmp_path: Path) -> None:
    for name, content in (("bin", b"\xff\xfe\x00"), ("big", b" " * (puzzles.MAX_FILE + 1))):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(SolutionError, match=name):
            puzzles.load(path)
    with pytest.raises(SolutionError, match="none"):
        puzzles.load(tmp_path / "none")


def test_false_claims_of_a_win_are_named() -> None:
    puzzle = puzzles.load(FOLDER / "win3-01.json")
    assert isinstance(puzzle, puzzles.WinPuzzle)
    moves = puzzle.moves
    other = next(move for move in puzzle.position.tokens() if move not in moves)
    with pytest.raises(SolutionError, match="no move forces a win in 2 turns"):
        replace(puzzle, turns=2).check()
    with pytest.raises(SolutionError, match="fewer than 4"):
        replace(puzzle, turns=4).check()
    for claimed in ((other,), (*moves, other)):
        with pytest.raises(SolutionError, match="the moves that force the win are"):
            replace(puzzle, moves=claimed).check()
    assert not replace(puzzle, moves=(other,)).attempt().right


def test_false_claims_of_a_plan_are_named() -> None:
    puzzle = puzzles.load(PLANS[0])
    assert isinstance(puzzle, puzzles.PlanPuzzle)
    for points in (puzzle.points - 1, puzzle.points + 1):
        with pytest.raises(SolutionError, match="the most points are"):
            replace(puzzle, points=points).check()
        assert not replace(puzzle, points=points).attempt().right
