"""Judging recorded games: what is read, what a mistake costs, and how it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from blockwit import games
from blockwit.cli.main import app
from blockwit.errors import BlockwitError
from blockwit.search import Limits
from blockwit.study import analyse
from typer.testing import CliRunner

NUMBERDROP = games.get("numberdrop")
FEN = (
    "solo L4:3,I4:2,S4:2,O4:1,T4:2 - 1 drop:1 125*T "
    "g/g/g/g/g/f5/f7/f4/d465/d465/a1a1333/a765314/a234223/6763271,"
    "g/g/g/g/g/g/g/fC/eCC/g/d444/d4b/d33a/d3b,I34S3,A"
)
QUICK = Limits(nodes=150)


def mistake() -> list[str]:
    """Return a drop with the worst of many ends, a roll, and another drop, as tokens."""
    position = NUMBERDROP.parse(FEN, {})
    poor = min(position.tokens(0, 300), key=lambda token: (position.play(token).evaluate()[0], token))
    return [poor, "roll:1234I", "slide:A"]


def analysed(moves: list[str]) -> analyse.Analysis:
    return analyse.analyse(analyse.Record(NUMBERDROP.parse(FEN, {}), tuple(moves)), QUICK)


def test_a_mistake_is_found_measured_and_explained() -> None:
    moves = mistake()
    seen: list[int] = []
    record = analyse.Record(NUMBERDROP.parse(FEN, {}), tuple(moves))
    found = analyse.analyse(record, QUICK, seen.append)
    assert seen == [1, 2, 3]
    assert [each.number for each in found.judged] == [1, 3]
    first = found.judged[0]
    assert first.move == moves[0]
    assert first.loss > 2
    assert first.loss == pytest.approx(first.best_value - first.value)
    assert found.worst()[0] == first
    told = analyse.explanation(first, "points")
    assert f"{first.loss:.2f} lost" in told
    assert first.best in told
    mine, best = (record.start.play(move).facts(0) for move in (first.move, first.best))
    changed = [name for name in mine if mine[name] != best[name]]
    assert changed
    assert all(f"{name} {best[name]} instead of {mine[name]}" in told for name in changed)


def test_the_best_move_loses_nothing() -> None:
    best = analysed(mistake()).judged[0].best
    again = analysed([best]).judged[0]
    assert again.loss == 0
    assert again.best == best
    assert analysed([best]).worst() == []


def test_facts_are_those_of_the_sheet() -> None:
    facts = NUMBERDROP.parse(FEN, {}).facts(0)
    assert facts["boxes"] == "I3 I4 S3"
    assert facts["letters circled"] == "A"
    assert facts["highest column"] == 9
    assert facts["covered empty cells"] == 0
    # The fours e5 and e6; 2 to 7 from b2 over c2, d2, d3 and c3 to b3.
    assert facts["largest unclaimed group"] == 2
    assert facts["longest unclaimed straight"] == 6
    position = NUMBERDROP.parse("solo L4:0,I4:0,S4:0,O4:0,T4:0 - 1 roll - " + "g/" * 12 + "6e3/2345b1,-,-,-", {})
    assert position.facts(0)["longest unclaimed straight"] == 4


def test_deblockle_too() -> None:
    fen = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"
    move = games.get("deblockle").parse(fen, {}).tokens()[0]
    record = analyse.read_record(f"position fen {fen} moves {move}\ngo movetime 5\n")
    found = analyse.analyse(record, Limits(depth=2))
    assert found.game.name == "deblockle"
    assert len(found.judged) == 1
    assert 0 <= found.judged[0].loss <= 2


def test_both_forms_are_read_alike() -> None:
    moves = ["tile:T4", "tile:I4", "tile:S4", "tile:L4", "tile:O4", "write:d1", "roll:1335L"]
    lines = (
        "uci\nsetoption name UCI_Variant value numberdrop\nsetoption name Hash value 16\n"
        f"setoption name Solo value true\nposition startpos\nposition startpos moves {' '.join(moves)}\ngo infinite\n"
    )
    value: dict[str, Any] = {"game": "numberdrop", "options": {"solo": True}, "moves": moves}
    record = analyse.read_record(lines)
    assert record.start.state()["solo"]
    assert record == analyse.read_record(json.dumps(value))
    assert record == analyse.read_record(json.dumps(value | {"moves": " ".join(moves), "position": "startpos"}))


def test_the_engine_plays_by_the_rules_of_the_record() -> None:
    fen = "2 I4,O4,T4,S4,L4 - 1 roll - " + " ".join(["g/g/g/g/g/g/g/g/g/g/g/g/g/1f,-,-,-"] * 2)
    usual, other = (set(NUMBERDROP.parse(fen, {"dice": dice}).tokens()) for dice in ("bga", "bev"))
    roll = min(other - usual)
    start = NUMBERDROP.parse(fen, {"dice": "bev"})
    moves = [roll, start.play(roll).tokens(0, 1)[0]]
    record = analyse.read_record(
        json.dumps({"game": "numberdrop", "options": {"dice": "bev"}, "position": fen, "moves": moves})
    )
    assert [each.number for each in analyse.analyse(record, QUICK).judged] == [2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game: expected a JSON object"),
        ("go infinite", "no game"),
        ("position somewhere", "line 1: position: expected startpos"),
        ("\nsetoption Hash 3", "line 2: setoption: expected name"),
        ("setoption name UCI_Variant value chess\nposition startpos", "unknown game 'chess'"),
        ("position fen x", "1 fields"),
        ("{", "a game in JSON"),
        ("{" + '"a":{' * 100_000, "a game in JSON"),
        ('{"game": "numberdrop", "moves": [], "rules": 1}', "rules: extra inputs are not permitted"),
        ('{"game": 1, "moves": []}', "game: input should be a valid string"),
        ('{"game": "numberdrop"}', "moves: field required"),
        ('{"game": "numberdrop", "moves": [1]}', "moves.*: input should be a valid string"),
        ('{"game": "numberdrop", "moves": 5}', "moves.*: input should be a valid array"),
        ('{"game": "numberdrop", "moves": [], "options": {"solo": null}}', "options.solo.*: input should be"),
        ('{"game": "numberdrop", "moves": [], "options": {"color": 1}}', "unknown option 'color'"),
        ('{"game": "numberdrop", "moves": ["tile:V3", "tile:V3"]}', "move 2: 'tile:V3': that tile may not be drawn"),
        ('{"game": "nmbr9", "moves": []}', "nmbr9 cannot be analysed"),
    ],
)
def test_bad_records_are_one_line(text: str, message: str) -> None:
    with pytest.raises(BlockwitError, match=message) as caught:
        analyse.analyse(analyse.read_record(text), QUICK)
    assert "\n" not in str(caught.value)


def test_command_writes_table_drawing_and_figures(tmp_path: Path) -> None:
    path, svg, figures = tmp_path / "game.json", tmp_path / "game.svg", tmp_path / "figures.json"
    path.write_text(json.dumps({"game": "numberdrop", "position": FEN, "moves": mistake()}), encoding="utf-8")
    result = CliRunner().invoke(
        app, ["analyse", str(path), "--nodes", "150", "--svg", str(svg), "--json", str(figures)]
    )
    assert result.exit_code == 0, result.output
    told = json.loads(figures.read_text(encoding="utf-8"))
    assert [each["number"] for each in told["moves"]] == [1, 3]
    assert f"{told['moves'][0]['loss']:.2f} lost" in result.output
    drawn = ElementTree.parse(svg).getroot()
    # The drawing, and two sheets for each mistake.
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}svg"))) == 1 + 2 * len(told["worst"])
    missing = CliRunner().invoke(app, ["analyse", str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert "No such file" in missing.output
