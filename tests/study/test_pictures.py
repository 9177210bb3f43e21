"""Drawings: readable documents that show the position and what a move changes, in every game; files and animations."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from blockwit import games
from blockwit.cli.main import app
from blockwit.errors import BlockwitError, MoveError
from blockwit.games import svg
from blockwit.games.deblockle import drawing as deblockle_svg
from blockwit.study import pictures
from typer.testing import CliRunner

from bench import draw_docs

SVG = "{http://www.w3.org/2000/svg}"
BOARD = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"
WIN = "b5LSC b1TCH,e1TCH s 0"
WINNING = "b5c5d4 e1e2d1 d4e4f6 d1e1e6 f6f7 b1b2a1 f7f6d7 a1b1a1 d7d6"
SOLO = (
    "solo L4:3,I4:2,S4:2,O4:1,T4:2 - 1 slide0 2345S g/g/g/g/g/f5/f7/f4/d465/d465/a1a1333/a765314/a234223/6763271,"
    "g/g/g/g/g/g/g/fC/eCC/g/d444/d4b/d33a/d3b,I34S3,A"
)
DROPPED = "slide:E S3@3:5342+S6:b2,c2,d2,b3,c3,d3"
STACK = "2a@29,30,0,4a@31,30,0,6d@29,30,1 50"
LINES = [
    ("deblockle", WIN, WINNING),
    ("deblockle", "- - s", "roll:XLCH c5XLT"),
    ("numberdrop", SOLO, DROPPED),
    (
        "numberdrop",
        "2 -,-,-,-,- - 1 tile - g/g/g/g/g/g/g/g/g/g/g/g/g/g,-,-,-" + " g/g/g/g/g/g/g/g/g/g/g/g/g/g,-,-,-",
        "",
    ),
    ("nmbr9", STACK, "5a@27,26,0 0a@25,22,0"),
    ("nmbr9", "- ?01", "draw:1 1a@0,0,0"),
]


def texts(document: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(document).iter(f"{SVG}text")]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def start_of(game: str, position: str) -> games.Position:
    played = games.get(game)
    return played.start({}) if position == "- - s" else played.parse(position, {})


@pytest.mark.parametrize(("game", "position", "line"), LINES)
def test_every_picture_of_a_line_has_a_title_and_stands_alone(game: str, position: str, line: str) -> None:
    start = start_of(game, position)
    drawn = start.frames(line.split())
    assert len(drawn) == len(line.split()) + 1
    assert len(set(drawn)) == len(drawn)
    for document in [*drawn, start.animation(line.split())]:
        root = ElementTree.fromstring(document)
        assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
        assert all((child.text or "").strip() for child in list(root)[:2])
        # Neither references nor style sheets: several drawings may stand in one page.
        assert not any("id" in element.attrib or element.tag == f"{SVG}style" for element in root.iter())


@pytest.mark.parametrize(("game", "position"), [("deblockle", BOARD), ("numberdrop", SOLO), ("nmbr9", STACK)])
def test_an_illegal_move_is_not_drawn(game: str, position: str) -> None:
    start = games.get(game).parse(position, {})
    assert svg.ACCENT not in start.svg()
    with pytest.raises(MoveError):
        start.svg("a1a2")
    with pytest.raises(MoveError):
        start.animation(["a1a2"])


def test_board_shows_every_face_by_its_shape_and_a_move_in_words() -> None:
    position = games.get("deblockle").parse(BOARD, {})
    titles = [element.text or "" for element in ElementTree.fromstring(position.svg()).iter(f"{SVG}title")]
    assert "South c1: up star, north slider, east x, south hoops, west cross, down stop" in titles
    assert len(titles) == 9
    assert "South c1 tips west to b1: x, hops to c2" in texts(position.svg("c1b1c2"))
    assert svg.ACCENT in position.svg("c1b1c2")
    assert len({deblockle_svg.symbol(face, "#000") for face in "STCXLH"}) == 6


def test_sheet_shows_dice_claims_by_name_and_what_a_move_writes() -> None:
    position = games.get("numberdrop").parse(SOLO, {}).play("slide:E")
    before, after = texts(position.svg()), texts(position.svg(DROPPED.split()[1]))
    assert before[:4] == list("2345")
    assert {"I3", "I4", "S3"} <= set(before)
    assert "S6" not in before
    assert "S6" in after
    assert len(after) == len(before) + 4 + 1 or len(after) == len(before) + 4 + 2
    for digit in "5342":
        assert after.count(digit) > before.count(digit)


def test_stack_shows_digits_levels_and_the_new_tile() -> None:
    position = games.get("nmbr9").parse(STACK, {})
    shown = texts(position.svg("5a@27,26,0"))
    assert {"2", "4", "6", "5"} <= set(shown)
    assert "level 1: 6 x 1 = 6" in shown
    assert svg.ACCENT in position.svg("5a@27,26,0")


def test_outline_encloses_what_it_should() -> None:
    """Summed with their direction the border pieces of a shape without holes have its perimeter, inset all around."""
    ell = {(0, 0), (0, 1), (0, 2), (1, 2)}
    for inset in (0.0, 0.1, -0.1):
        pieces = re.findall(r"M([-0-9.]+) ([-0-9.]+)L([-0-9.]+) ([-0-9.]+)", svg.outline(ell, inset))
        length = sum(abs(float(x1) - float(x0)) + abs(float(y1) - float(y0)) for x0, y0, x1, y1 in pieces)
        assert length == pytest.approx(10 - 8 * inset)
        ends = [point for x0, y0, x1, y1 in pieces for point in ((x0, y0), (x1, y1))]
        corners = set(ends)
        assert all(ends.count(point) == 2 for point in corners)


# --- animation -------------------------------------------------------------------------------------------------


def test_a_tipping_cube_turns_its_old_face_away_and_ends_on_the_next_square() -> None:
    for direction, (dx, dy) in deblockle_svg.DIRECTIONS.items():
        for progress in (0.0, 0.3, 0.5, 1.0):
            (old_at, old_scale), (new_at, new_scale) = deblockle_svg.tipped(direction, progress)
            along = 0 if dx else 1
            old, new = float(old_scale.split(",")[along]), float(new_scale.split(",")[along])
            assert old**2 + new**2 == pytest.approx(1, abs=0.01)
            assert float(old_scale.split(",")[1 - along]) == 1
            ahead = [float(o) - float(n) for o, n in zip(old_at.split(","), new_at.split(","), strict=True)]
            # The face that was up goes ahead, the one that comes up follows.
            assert ahead[0] * dx + ahead[1] * dy > 0
        assert [float(x) for x in new_at.split(",")] == pytest.approx([72 * dx, 72 * dy])


def _visible_at(group: ElementTree.Element, share: float) -> bool:
    animate = next(
        child for child in group if child.tag == f"{SVG}animate" and child.get("attributeName") == "visibility"
    )
    times = [float(time) for time in str(animate.get("keyTimes")).split(";")]
    values = str(animate.get("values")).split(";")
    return [value for time, value in zip(times, values, strict=True) if time <= share][-1] == "visible"


@pytest.mark.parametrize("plies", range(10))
def test_animation_agrees_with_the_game_after_every_move(plies: int) -> None:
    """What is visible in the pause after a move are the blocks of that position, where they are."""
    line = WINNING.split()
    start = games.get("deblockle").parse(WIN, {})
    root = ElementTree.fromstring(start.animation(line))
    timed = [element for element in root.iter() if element.get("keyTimes")]
    for element in timed:
        times = [float(time) for time in str(element.get("keyTimes")).split(";")]
        assert times[0] == 0
        assert times == sorted(times)
        assert times[-1] <= 1
        assert element.get("calcMode") == "discrete" or times[-1] == 1
        assert len(times) == len(str(element.get("values")).split(";"))
    total = float(str(timed[0].get("dur"))[:-1])
    captions = [child for child in root if child.tag == f"{SVG}g" and child.find(f"{SVG}text") is not None]
    begins = [
        float(time) * total
        for group in captions
        for time, value in zip(
            str(group[0].get("keyTimes")).split(";"), str(group[0].get("values")).split(";"), strict=True
        )
        if value == "visible"
    ]
    moment = (begins[plies + 1] - 0.1) / total
    position = start
    for token in line[:plies]:
        position = position.play(token)
    seen = set()
    for group in root:
        inner = group.find(f"{SVG}g")
        if group.tag != f"{SVG}g" or group in captions or inner is None or not group.findall(f"{SVG}animate"):
            continue
        if not _visible_at(group, moment):
            continue
        moved = inner.find(f"{SVG}animateTransform")
        where = str(inner.get("transform"))[10:-1]
        seen.add(str(moved.get("values")).split(";")[-1] if moved is not None else where)
    expected = {"{:g},{:g}".format(*deblockle_svg.centre(block["square"])) for block in position.state()["blocks"]}
    assert seen == expected


# --- files -----------------------------------------------------------------------------------------------------


def test_show_writes_a_file_or_a_folder_of_a_line(tmp_path: Path) -> None:
    one, folder, animated = tmp_path / "one.svg", tmp_path / "all", tmp_path / "line.svg"
    assert run("show", WIN, "--moves", WINNING, "--svg", str(one), "--animate", str(animated)) == (0, "")
    assert "South wins" in one.read_text(encoding="utf-8")
    assert "animateTransform" in animated.read_text(encoding="utf-8")
    assert run("show", WIN, "--moves", WINNING, "--svg", f"{folder}/") == (0, "")
    assert [path.name for path in sorted(folder.iterdir())] == [f"{n:02d}.svg" for n in range(10)]
    assert run("show", WIN, "--moves", WINNING)[1].count("Over: South wins") == 1


def test_show_tells_the_game_by_the_position() -> None:
    for _, position, line in LINES[2:]:
        assert run("show", position, "--moves", line)[0] == 0
    status, out = run("show", "a b c d e f")
    assert status == 2
    assert "6 fields" in out
    status, out = run("show", WIN, "--moves", "b5b4")
    assert status == 2
    assert out.count("\n") == 1


def test_png(tmp_path: Path) -> None:
    try:
        import cairosvg  # noqa: F401
    except (ImportError, OSError):
        pytest.skip("cairosvg or its library is not installed")
    for name, (_, position, line) in zip("abc", (LINES[0], LINES[2], LINES[4]), strict=True):
        path = tmp_path / f"{name}.png"
        assert run("show", position, "--moves", line, "--png", str(path)) == (0, "")
        assert path.read_bytes().startswith(b"\x89PNG")


def test_png_without_its_package_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cairosvg", None)
    with pytest.raises(BlockwitError, match=r"^PNG needs the optional package cairosvg[^\n]*$"):
        pictures.png("<svg/>")


@pytest.mark.parametrize("name", ["board.svg", "move.svg", "line.svg", "sheet.svg", "nmbr9.svg"])
def test_pictures_of_the_documentation_are_up_to_date(name: str) -> None:
    path = draw_docs.ROOT / "docs" / name
    assert path.read_text(encoding="utf-8") == draw_docs.pictures()[name], "run python -m bench.draw_docs"
