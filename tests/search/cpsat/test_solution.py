"""Solution files: what is wrong is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from blockwit.errors import SolutionError
from blockwit.games.nmbr9.position import read_tile
from blockwit.search.cpsat.problem import building_order, read_problem
from blockwit.search.cpsat.solution import check_solution, write_solution

GOOD = ["2a@29,30,0", "4a@31,30,0", "6d@29,30,1", "1d@30,32,1", "5a@30,30,2"]


def text(moves: list[str], problem: str = "F-6-1-5", score: int = 17, **more: object) -> str:
    return json.dumps({"problem": problem, "score": score, "moves": moves, **more})


def test_a_correct_file() -> None:
    solution = check_solution(text(GOOD))
    assert solution.score == 17
    again = check_solution(write_solution(solution.problem, solution.tiles, solution.score, how="by hand"))
    assert again == solution


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (text(GOOD)[:-20], r"cut short .* line 1 column 96"),
        (text(GOOD[:-1]), "4 of 5 tiles"),
        (text(["2a@29,30,0", "4a@30,30,0", *GOOD[2:]]), "move 2 4a@30,30,0: overlap: it shares the square"),
        (text([*GOOD[:2], "6d@28,30,1", *GOOD[3:]]), "move 3 6d@28,30,1: overhang: nothing lies beneath"),
        (text([*GOOD[:2], "4a@40,40,0"], "F-6-2-3"), "move 3 4a@40,40,0: cut: it is not adjacent"),
        (text([*GOOD[:2], "6d@29,30,1", "6d@30,33,1"], "F-6-2-4"), "move 4 6d@30,33,1: ov"),
        (text(["9a@0,0,0", "0a@3,0,0", "1c@0,0,1"], "F-9-2-3", 1), "move 3 1c@0,0,1: single-tile support"),
        (text(["2a@0,0,0", "2a@3,0,0", "2a@6,0,0"], "F-6-2-3"), "move 3 2a@6,0,0: a third copy of digit 2"),
        (text(["2a@0,0,0", "2a@3,0,0"], "F-6-1-2"), "a second copy of digit 2"),
        (text(["9a@0,0,0"], "F-6-1-1"), "not in the box of digit 9"),
        (text(["2e@0,0,0", *GOOD[1:]]), "move 1 '2e@0,0,0': wrong rotation 'e'"),
        (text([GOOD[2], *GOOD[:2], *GOOD[3:]]), "move 1 6d@29,30,1: overhang"),
        (
            text([GOOD[0], GOOD[2], GOOD[1], *GOOD[3:]]),
            "move 2 6d@29,30,1: wrong order: nothing lies beneath",
        ),
        (text(GOOD, bound=16), "the bound 16 is below the 17 points of the moves"),
        (text(GOOD, bound=18, proven=True), "proven, but the bound 18 is above the 17 points"),
        (text(GOOD, bound=1e3), "bound: input should be a valid integer"),
        (text(GOOD, score=18), "the moves score 17, but the file claims 18"),
        (text(GOOD, "K-6-1-5", deck="42615"), "move 1 2a@29,30,0: wrong order, card 1 of the deck is 4"),
        (text(GOOD, "K-6-1-5"), "a deck of 5 cards is needed"),
        (text(GOOD, "F-6-1-5@3x3x3"), "limits"),
        (text(GOOD, "F-6-1"), "problem 'F-6-1'"),
        ("[]", "input should be an object"),
        ("{}", "problem: field required"),
        (json.dumps({"problem": "F-6-1-5", "score": True, "moves": []}), "score: input should be a valid integer"),
        (json.dumps({"problem": "F-6-1-1", "score": 0, "moves": [3]}), "moves.0: input should be a valid string"),
    ],
)
def test_what_is_wrong_is_named(file: str, words: str) -> None:
    with pytest.raises(SolutionError, match=words) as caught:
        check_solution(file)
    assert "\n" not in str(caught.value)


def test_every_puzzle_file_is_correct() -> None:
    folder = Path(__file__).parents[3] / "puzzles" / "nmbr9"
    files = sorted(folder.glob("*.json"))
    for path in files:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["moves"]:
            assert check_solution(path.read_text(encoding="utf-8")).score == data["score"] <= data["bound"]
        assert data["proven"] == (data["score"] == data["bound"])
    assert len(files) >= 40


def test_building_order_restores_a_legal_order() -> None:
    tiles = [read_tile(move) for move in GOOD]
    ordered = building_order(tiles[::-1])
    assert check_solution(text([str(tile) for tile in ordered])).score == 17
    assert read_problem("F-6-1-5").cards == len(ordered)


def test_the_puzzle_table_agrees_with_itself() -> None:
    folder = Path(__file__).parents[3] / "puzzles" / "nmbr9"
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    known = [(read_problem(row["problem"]), row) for row in rows]
    for problem, row in known:
        for other, more in known:
            # Whatever is built in the smaller problem is built in the larger one, more cards on the table.
            if (
                other.kind == "F"
                and not other.limited
                and problem.cards <= other.cards
                and all(n <= m for n, m in zip(problem.pool, other.pool, strict=True))
            ):
                assert row["score"] <= more["score"], (row["problem"], more["problem"])
                assert row["score"] <= more["bound"], (row["problem"], more["problem"])
