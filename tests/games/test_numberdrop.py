"""Number Drop, rule by rule. A test's name says which sentence of docs/rules/numberdrop.md it holds."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from blockwit import _numberdrop
from blockwit.errors import MoveError, OptionError, PositionError
from blockwit.games.base import Kind
from blockwit.games.numberdrop import drawing as numberdrop_svg
from blockwit.games.numberdrop.position import GAME, NumberDropPosition

TILES = "I4,O4,T4,S4,L4"


def rows(text: str) -> str:
    """Return the rows of a position string for dotted rows, the top one first; empty rows on top are left out."""
    lines = text.split()
    field = "/".join(["......."] * (14 - len(lines)) + lines)
    for width in range(7, 0, -1):
        field = field.replace("." * width, "abcdefg"[width - 1])
    return field


def sheet(cells: str, claims: str = "", circled: str = "-") -> str:
    kinds = {kind: "".join(k for k in marks if k in claims) for kind, marks in (("I", "34567"), ("S", "CDEFG"))}
    straights = kinds["S"].translate(str.maketrans("CDEFG", "34567"))
    boxes = (f"I{kinds['I']}" if kinds["I"] else "") + (f"S{straights}" if straights else "")
    boxes += "B" if "B" in claims else ""
    return f"{rows(cells)},{rows(claims) if claims else '-'},{boxes or '-'},{circled}"


def at(
    *sheets: str,
    phase: str = "drop:1",
    rolled: str = "1234I",
    tiles: str = TILES,
    notches: str = "",
    crossed: str = "-",
    active: int = 1,
    **options: Any,
) -> NumberDropPosition:
    """Return a position; five notches make it a solo game."""
    if notches:
        tiles = ",".join(f"{tile}:{notch}" for tile, notch in zip(tiles.split(","), notches, strict=True))
    mode = "solo" if notches else str(len(sheets))
    dice = rolled if phase[:4] in ("drop", "slid", "bloc") else "-"
    return GAME.parse(f"{mode} {tiles} {crossed} {active} {phase} {dice} {' '.join(sheets)}", options)


def claims_after(position: NumberDropPosition, drop: str) -> set[str]:
    """Return the claims that may follow a drop."""
    (action, _) = position.actions(drop)
    dropped = _numberdrop.play(position.raw(), action)
    listed = _numberdrop.list_range(dropped, 0, _numberdrop.count_actions(dropped))
    return {token.removeprefix("+") for token in position.line([action, *listed])[0].split("+")[1:]}


def marked(position: NumberDropPosition, key: str) -> str:
    return "".join(entry["letter"] for entry in position.state()["letters"] if entry[key])


def score(position: NumberDropPosition, player: int = 1) -> dict[str, int]:
    parts: dict[str, int] = position.state()["sheets"][player - 1]["score"]
    return parts


# --- sheet and score -----------------------------------------------------------------------------------------

CHECK = (
    "....... ....... .....43 .....66 4412666 5441471 6446777 123X322 44XXX12 455X.22 5556422 5275.56 XXX2341 X.X123."
)
CHECK_CLAIMS = (
    "....... ....... ....... .....55 ....555 .....4. ..D.444 DDD..77 33....7 366..77 666..77 6....FF ...FFF. ...F..."
)
FIRST = "1......"
COLUMN_10 = " ".join(["1......"] * 10)
COLUMN_11 = " ".join(["1......"] * 11)


def test_the_54_point_sheet() -> None:
    position = at(sheet(CHECK, CHECK_CLAIMS, "BD"), phase="over")
    assert score(position) == {
        "full_rows": 14,
        "rows_over_the_line": -5,
        "identical": 25,
        "straights": 10,
        "columns": 10,
        "bonus": 0,
        "total": 54,
    }
    assert position.returns() == (54.0,)
    assert position.result() == "ended with 54 points"


def test_the_maximum_is_100() -> None:
    assert _numberdrop.limits(GAME.start({"tiles": TILES}).raw(), 0)[1] == 100 * 10_000


def test_full_rows_count_two_and_x_cells_count() -> None:
    assert at(sheet("123456. XXX1234"), phase="roll").returns() == (2.0,)
    assert at(sheet("1234567 XXX1234"), phase="roll").returns() == (4.0,)


def test_rows_above_the_line_bring_no_points_but_cost_five_each() -> None:
    cells = f"1...... 1X1X1X1 1X1X1X1 {COLUMN_11}"
    assert at(sheet(cells), phase="over").returns() == (-15.0,)
    assert at(sheet(cells), phase="over", over_row="0").returns() == (0.0,)


def test_a_shape_must_fit_within_row_14() -> None:
    # Column a is 11 high: an upright I would reach row 15, a lying one comes to rest on row 12.
    position = at(sheet(COLUMN_11))
    drops = {token.partition(":")[0] for token in position.tokens()}
    assert "I1@1" not in drops
    assert "I0@1" in drops
    with pytest.raises(MoveError, match="does not fit below the top"):
        position.play("I1@1:1234")


def test_a_shape_partly_above_the_line_is_legal_and_crosses() -> None:
    after = at(sheet(COLUMN_10)).play("I1@1:1234")
    assert after.kind() is Kind.TERMINAL
    assert score(after)["rows_over_the_line"] == -15
    assert after.returns() == (-15.0,)
    free = at(sheet(COLUMN_10), over_row="0").play("I1@1:1234")
    assert score(free)["rows_over_the_line"] == 0
    assert ">-5<" in after.svg()
    assert ">-5<" not in free.svg()
    assert [position.facts(0)["rows over the line"] for position in (after, free)] == [3, 3]


def test_highest_wins_and_ties_share() -> None:
    high, low = sheet(f"1...... 1...... {COLUMN_10} 1111111"), sheet("1234567")
    assert at(high, low, phase="over").result() == "player 2 wins, -8 : 2"
    tied = at(high, low, low, phase="over")
    assert tied.result() == "players 2 and 3 share the win, -8 : 2 : 2"


# --- dice ----------------------------------------------------------------------------------------------------


def to_roll(dice: str = "bga") -> NumberDropPosition:
    return at(sheet(FIRST), phase="roll", dice=dice)


@pytest.mark.parametrize(("dice", "distinct"), [("bga", 1860), ("bev", 1836)])
def test_distinct_rolls(dice: str, distinct: int) -> None:
    chances = to_roll(dice).chances()
    assert len(chances) == to_roll(dice).count() == distinct
    assert sum(chances.values()) == pytest.approx(1)


def test_chances_of_stars() -> None:
    stars = [0.0] * 5
    for token, chance in to_roll().chances().items():
        stars[token[5:9].count("*")] += chance
    assert [round(chance, 3) for chance in stars] == [0.579, 0.347, 0.069, 0.005, 0]


def test_rolls_are_drawn_by_their_chances() -> None:
    drawn = [to_roll().roll(seed) for seed in range(4000)]
    assert set(drawn) <= set(to_roll().chances())
    starless = sum("*" not in token[5:9] for token in drawn)
    assert abs(starless / 4000 - 0.579) < 0.03
    assert to_roll().roll(7) == to_roll().roll(7)


def test_custom_dice() -> None:
    position = to_roll("111111/222222/333333/444444")
    assert len(position.chances()) == 6
    with pytest.raises(MoveError, match="the dice cannot show that"):
        position.play("roll:1235I")
    assert position.play("roll:4321I") == position.play("roll:1234I")


@pytest.mark.parametrize(
    ("rolled", "fillings"), [("1234", 24), ("123*", 204), ("12**", 974), ("1***", 3439), ("****", 10000)]
)
def test_a_star_is_any_digit(rolled: str, fillings: int) -> None:
    position = at(sheet(FIRST), rolled=f"{rolled}O", dice="1*****/2*****/3*****/4*****")
    assert _numberdrop.count_actions(position.raw()) == 6 * fillings


@pytest.mark.parametrize(("shape", "count"), [("I", 11), ("O", 6), ("T", 22), ("S", 22), ("L", 44), ("*", 105)])
def test_orientations_and_mirrors_times_columns(shape: str, count: int) -> None:
    # Four equal digits can be arranged in one way only.
    position = at(sheet(FIRST), rolled=f"1111{shape}", dice="111111/111111/111111/111111")
    assert _numberdrop.count_actions(position.raw()) == count


def test_pages_of_many_moves() -> None:
    position = at(sheet(FIRST), rolled="****I", dice="1*****/2*****/3*****/4*****")
    everything = position.tokens(0, 2500)
    assert position.tokens(1000, 500) == everything[1000:1500]
    assert position.tokens(2499, 1) == everything[2499:]
    count = position.count()
    assert position.tokens(count - 1, 10) == position.tokens(count - 1, 1)
    assert position.tokens(count, 10) == []


# --- set-up --------------------------------------------------------------------------------------------------


def test_player_k_writes_k_in_row_1() -> None:
    position = GAME.start({"players": 3, "tiles": TILES})
    for k, column in enumerate("cga"):
        assert position.player() == k
        assert position.count() == 7
        position = position.play(f"write:{column}1")
    bottom = [entry["rows"][-1] for entry in position.state()["sheets"]]
    assert bottom == ["..1....", "......2", "3......"]
    assert position.kind() is Kind.CHANCE
    assert position.player() == 0


def test_solo_writes_1() -> None:
    position = GAME.start({"solo": True})
    while position.kind() is Kind.CHANCE:
        position = position.play(position.roll(1))
    assert position.play("write:d1").state()["sheets"][0]["rows"][-1] == "...1..."


@pytest.mark.parametrize(
    ("options", "pool"),
    [
        ({}, {"I4", "O4", "T4", "S4", "L4", "I3", "V3", "U5", "X5", "T5"}),
        ({"tiles": "extra5"}, {"I3", "V3", "U5", "X5", "T5"}),
        ({"solo": True}, {"I4", "O4", "T4", "S4", "L4"}),
    ],
)
def test_tiles_are_drawn_without_repeats(options: dict[str, Any], pool: set[str]) -> None:
    position = GAME.start(options)
    drawn: set[str] = set()
    for _ in range(5):
        assert {token.removeprefix("tile:") for token in position.chances()} == pool - drawn
        token = position.roll(3)
        drawn.add(token.removeprefix("tile:"))
        with pytest.raises(MoveError):
            position.play("tile:Z9")
        position = position.play(token)
    assert len(drawn) == 5
    assert position.kind() is Kind.DECISION


def test_custom_tiles() -> None:
    position = GAME.start({"tiles": "X5,X5,V3,U5,I3"})
    assert [entry["tile"] for entry in position.state()["letters"]] == ["X5", "X5", "V3", "U5", "I3"]
    assert position.kind() is Kind.DECISION


# --- drop ----------------------------------------------------------------------------------------------------


def test_a_drop_falls_to_the_first_contact_and_leaves_holes() -> None:
    after = at(sheet("1...... 1......")).play("I0@1:1234")
    assert after.state()["sheets"][0]["rows"][-3:] == ["1234...", "1......", "1......"]


def test_a_drop_does_not_slide_under_an_overhang() -> None:
    # Row 1 is open at b..g below the lying I of row 2: what comes from above rests on row 2.
    after = at(sheet("1234... 1......")).play("I1@2:1234")
    column = [row[1] for row in after.state()["sheets"][0]["rows"]]
    assert column[-6:] == ["1", "2", "3", "4", "2", "."]


def test_digits_are_written_in_reading_order() -> None:
    after = at(sheet("......1"), rolled="1234L").play("L0@1:1234")
    assert after.state()["sheets"][0]["rows"][-2:] == ["1......", "234...1"]


@pytest.mark.parametrize("drop", ["I0@1:1235", "I0@1:1244", "O0@1:1234"])
def test_all_four_numbers_and_the_shape_rolled(drop: str) -> None:
    with pytest.raises(MoveError, match="rolled"):
        at(sheet(FIRST)).play(drop)


def test_a_star_shape_is_any_of_the_five() -> None:
    position = at(sheet(FIRST), rolled="1234*")
    for drop in ("I0@1:1234", "O0@1:1234", "T0@1:1234", "L0@1:1234", "S0@1:1234"):
        position.play(drop)


def test_players_decide_in_turn_order_from_the_active_one() -> None:
    position = at(sheet(FIRST), sheet(FIRST), sheet(FIRST), phase="drop:2", active=2)
    seen = []
    while position.kind() is Kind.DECISION:
        seen.append(position.player())
        position = position.play("I0@1:1234")
    assert seen == [1, 2, 0]
    assert position.state()["active"] == 3


def test_no_drop_depends_on_the_other_sheets_of_the_round() -> None:
    # Player 1 crosses the line: player 2 still drops and claims before the game ends.
    position = at(sheet(COLUMN_10), sheet(FIRST)).play("I1@1:1234")
    assert position.kind() is Kind.DECISION
    after = position.play("I0@2:1234+S3:b1,c1,d1")
    assert after.kind() is Kind.TERMINAL
    assert after.returns() == (-15.0, 3.0)


# --- claim ---------------------------------------------------------------------------------------------------


def test_claims_are_optional_and_one_a_turn() -> None:
    position = at(sheet("5555555"))
    assert position.play("I0@1:1234").returns() == (2.0,)
    assert position.play("I0@1:1234+I3:a1,b1,c1").returns() == (5.0,)
    with pytest.raises(MoveError):
        position.play("I0@1:1234+I3:a1,b1,c1+I4:d1,e1,f1,g1")


def test_part_of_a_larger_group_may_be_claimed() -> None:
    found = claims_after(at(sheet("55555.. 1234444")), "I0@1:1234")
    threes = {claim for claim in found if claim.startswith("I3")}
    assert threes == {"I3:a2,b2,c2", "I3:b2,c2,d2", "I3:c2,d2,e2", "I3:d1,e1,f1", "I3:e1,f1,g1"}


def test_identical_sets_are_orthogonally_connected() -> None:
    position = at(sheet("5.5.... 4545444"))
    with pytest.raises(MoveError, match="the cells are not connected"):
        position.play("I0@4:1234+I3:a2,b1,c2")
    with pytest.raises(MoveError, match="the digits are not equal"):
        position.play("I0@4:1234+I3:a1,b1,c1")


def test_cells_are_claimed_once() -> None:
    position = at(sheet("5555555", "333...."))
    assert {claim for claim in claims_after(position, "I0@1:1234") if claim[0] == "I"} == {"I4:d1,e1,f1,g1"}
    with pytest.raises(MoveError, match="belongs to another claim"):
        position.play("I0@1:1234+I4:c1,d1,e1,f1")


def test_x_is_never_claimed() -> None:
    position = at(sheet("XXX5555"))
    with pytest.raises(MoveError, match="holds no digit"):
        position.play("I0@1:1234+I3:a1,b1,c1")


def test_each_box_is_filled_once() -> None:
    position = at(sheet("555.444 1234567", "333.... ......."))
    with pytest.raises(MoveError, match="that box is filled"):
        position.play("I0@1:1234+I3:e2,f2,g2")


def test_claims_anywhere_on_the_sheet_even_long_after() -> None:
    position = at(sheet("7775666 1237777"))
    assert "S3:a1,b1,c1" in claims_after(position, "I0@1:1234")


def test_a_straight_may_turn() -> None:
    # 1 2 3 along row 1, 4 above the 3, 5 to its left. The drop fills row 1: two points more.
    position = at(sheet(".54.... 123...."))
    assert position.play("I0@4:1234+S5:a1,b1,c1,c2,b2").returns() == (2 + 5.0,)


def test_a_straight_steps_by_one_between_neighbours_without_repeats() -> None:
    position = at(sheet("1243... 5555555"))
    with pytest.raises(MoveError, match="the cells are not connected"):
        position.play("I0@1:1234+S4:a2,b2,c2,d2")
    repeated = at(sheet("1223... 5555555"))
    with pytest.raises(MoveError, match="do not follow one another"):
        repeated.play("I0@4:1234+S4:a2,b2,c2,d2")


def test_no_straight_wraps_from_9_to_0() -> None:
    position = at(sheet("8901... 5555555"))
    assert not any(claim.startswith("S") and "a2" in claim for claim in claims_after(position, "I0@4:1234"))
    with pytest.raises(MoveError, match="do not follow one another"):
        position.play("I0@4:1234+S3:a2,b2,c2")


def test_option_straight_set_needs_no_path() -> None:
    # A plus-like set 2 1 3 with 4 on top of the 1: connected, but no path of rising digits.
    cells = ".4..... 213...."
    with pytest.raises(MoveError, match="the cells are not connected"):
        at(sheet(cells)).play("I0@4:1234+S4:a1,b1,c1,b2")
    assert at(sheet(cells), straight="set").play("I0@4:1234+S4:a1,b1,c1,b2").returns() == (2 + 4.0,)
    with pytest.raises(MoveError, match="do not follow one another"):
        at(sheet(".5..... 213...."), straight="set").play("I0@4:1234+S4:a1,b1,c1,b2")


@pytest.mark.parametrize("kind", "IS")
def test_the_bonus_box_takes_eight_of_either_kind_once(kind: str) -> None:
    cells = "8...... 8888888" if kind == "I" else "8...... 7654321"
    position = at(sheet(cells))
    names = "a1,b1,c1,d1,e1,f1,g1,a2"
    after = position.play(f"I0@4:1234+{kind}8:{names}")
    assert score(after)["bonus"] == 8
    assert after.returns() == (10.0,)
    again = at(sheet(f"9...... 9999999 {cells}", f"....... ....... B...... {'B' * 7}"))
    with pytest.raises(MoveError, match="that box is filled"):
        again.play("I0@4:1234+I8:a3,b3,c3,d3,e3,f3,g3,a4")


def test_a_complete_column_brings_ten() -> None:
    # Identical 3 to 6 are claimed, 7 completes the column.
    position = at(
        sheet(
            "7777777 333.... 1444422 5555566 6666662",
            "....... 333.... .4444.. 55555.. 666666.",
        )
    )
    assert score(position)["identical"] == 18
    after = position.play("I0@4:1234+I7:a5,b5,c5,d5,e5,f5,g5")
    assert score(after)["identical"] == 25
    assert score(after)["columns"] == 10


BOTH_3 = ("555123. 6666661", "333CCC. .......")


def test_both_kinds_of_one_size_circle_the_letter() -> None:
    position = at(sheet("555.... 1231266", "333.... ......."))
    after = position.play("I0@4:1234+S3:a1,b1,c1")
    assert after.state()["sheets"][0]["circled"] == "A"
    other = at(sheet("555.... 1231266", "333.... ......."), crossed="A").play("I0@4:1234+S3:a1,b1,c1")
    assert other.state()["sheets"][0]["circled"] == ""


def test_different_sizes_circle_nothing() -> None:
    position = at(sheet("5555... 1231266", "4444... ......."))
    assert position.play("I0@4:1234+S3:a1,b1,c1").state()["sheets"][0]["circled"] == ""


@pytest.mark.parametrize(("size", "letter"), [(3, "A"), (4, "B"), (5, "C"), (6, "D"), (7, "E")])
def test_letters_a_to_e_belong_to_sizes_3_to_7(size: int, letter: str) -> None:
    mark = str(size)
    same = "8" * size + "." * (7 - size)
    line = "1234567"
    position = at(sheet(f"{same} {line}", f"{mark * size + '.' * (7 - size)} ......."), rolled="1234I")
    names = ",".join(f"{column}1" for column in "abcdefg"[:size])
    after = position.play(f"I0@4:1234+S{size}:{names}")
    assert after.state()["sheets"][0]["circled"] == letter


# --- block ---------------------------------------------------------------------------------------------------

CIRCLED_A = sheet(*BOTH_3, circled="A")
CIRCLED_AB = sheet("5556666 1231234", "3334444 CCCDDDD", circled="AB")
PLAIN = sheet("1234561")


def test_a_star_fires_the_first_circled_letter_only() -> None:
    after = at(CIRCLED_AB, PLAIN, phase="roll").play("roll:123*I")
    assert after.state()["fires"] == "A"
    assert after.player() == 1
    after = after.play(after.tokens()[0])
    assert marked(after, "crossed") == "A"
    assert after.kind() is Kind.CHANCE
    again = after.play("roll:123*I")
    assert again.state()["fires"] == "B"


def test_a_star_on_the_shape_die_fires_too() -> None:
    assert at(CIRCLED_A, PLAIN, phase="roll").play("roll:1234*").state()["fires"] == "A"


def test_without_a_star_or_a_circled_letter_nothing_fires() -> None:
    assert at(CIRCLED_A, PLAIN, phase="roll").play("roll:1234I").state()["phase"] == "drop"
    assert at(PLAIN, PLAIN, phase="roll").play("roll:123*I").state()["phase"] == "drop"


def test_a_crossed_letter_does_not_fire() -> None:
    assert at(CIRCLED_A, PLAIN, phase="roll", crossed="A").play("roll:123*I").state()["phase"] == "drop"
    assert at(CIRCLED_AB, PLAIN, phase="roll", crossed="A").play("roll:123*I").state()["fires"] == "B"


def test_who_circled_the_letter_is_immune_and_the_others_drop_its_tile() -> None:
    position = at(PLAIN, CIRCLED_A, PLAIN, phase="roll", tiles="U5,O4,T4,S4,L4").play("roll:123*I")
    assert position.player() == 0
    assert {token.partition("r")[0] for token in position.tokens()} == {"x:U5"}
    assert position.count() == 22
    with pytest.raises(MoveError):
        position.play("x:O4r0@1")
    position = position.play("x:U5r0@1")
    assert position.player() == 2
    position = position.play("x:U5r0@5")
    counts = ["".join(entry["rows"]).count("X") for entry in position.state()["sheets"]]
    assert counts == [5, 0, 5]


def test_after_a_block_there_is_no_drop_and_no_claim() -> None:
    position = at(CIRCLED_A, PLAIN, phase="roll").play("roll:123*I").play("x:I4r0@1")
    assert position.kind() is Kind.CHANCE
    assert position.state()["active"] == 2
    assert position.parts[3] == 2


def test_the_game_ends_after_a_block_that_crosses_the_line() -> None:
    position = at(CIRCLED_A, sheet(COLUMN_10), phase="roll").play("roll:123*I").play("x:I4r1@1")
    assert position.kind() is Kind.TERMINAL


def test_a_letter_circled_in_a_round_fires_from_the_next() -> None:
    # The roll of this round shows a star: nothing fires for the letter circled by its claim.
    position = at(sheet("555.... 1231266", "333.... ......."), PLAIN, rolled="123*I")
    position = position.play("I0@4:1234+S3:a1,b1,c1").play("I0@1:1234")
    assert marked(position, "crossed") == ""
    assert position.play("roll:123*I").state()["fires"] == "A"


def test_dead_letter_fires_and_hits_nobody() -> None:
    both = at(CIRCLED_AB, CIRCLED_AB, phase="roll")
    after = both.play("roll:123*I")
    assert after.kind() is Kind.CHANCE
    assert marked(after, "crossed") == "A"
    assert after.state()["active"] == 2


def test_dead_letter_autocross_crosses_at_the_end_of_the_round() -> None:
    # Player 1 has A, player 2 circles it in this round.
    second = sheet("555.... 1231266", "333.... .......")
    for option, crossed in (("literal", ""), ("autocross", "A")):
        position = at(CIRCLED_A, second, phase="drop:1", dead_letter=option).play("I0@1:1234")
        assert marked(position, "crossed") == ""
        position = position.play("I0@4:1234+S3:a1,b1,c1")
        assert marked(position, "crossed") == crossed


# --- end -----------------------------------------------------------------------------------------------------


def test_the_game_goes_on_below_the_line() -> None:
    after = at(sheet(" ".join(["1......"] * 7)), PLAIN).play("I1@1:1234").play("I0@1:1234")
    assert after.kind() is Kind.CHANCE
    assert after.state()["active"] == 2


def test_one_sheet_above_the_line_ends_the_game_for_all() -> None:
    after = at(sheet(" ".join(["1......"] * 8)), PLAIN).play("I1@1:1234").play("I0@1:1234")
    assert after.kind() is Kind.TERMINAL
    assert after.result() == "player 2 wins, -5 : 2"


# --- solo ----------------------------------------------------------------------------------------------------


def solo(cells: str, notches: str, **more: Any) -> NumberDropPosition:
    return at(cells, notches=notches, **more)


def notches_of(position: NumberDropPosition) -> str:
    return "".join(str(entry["notch"]) for entry in position.state()["letters"])


def test_solo_a_slide_is_due_in_each_round() -> None:
    position = solo(PLAIN, "00400", phase="roll", crossed="C").play("roll:1234I")
    assert position.tokens() == ["slide:A", "slide:B", "slide:D", "slide:E"]
    after = position.play("slide:B")
    assert notches_of(after) == "01400"
    assert after.state()["phase"] == "drop"
    with pytest.raises(MoveError, match="may not slide"):
        position.play("slide:C")


@pytest.mark.parametrize("rolled", ["123*T", "**2*T"])
def test_solo_a_star_slides_the_tile_of_the_shape_once_more(rolled: str) -> None:
    position = solo(PLAIN, "00000", phase="roll").play(f"roll:{rolled}").play("slide:A")
    assert position.tokens() == ["slide:C"]
    assert notches_of(position.play("slide:C")) == "10100"


def test_solo_a_star_shape_slides_any_tile_once_more() -> None:
    position = solo(PLAIN, "00400", phase="roll", crossed="C").play("roll:1234*").play("slide:A")
    assert position.tokens() == ["slide:A", "slide:B", "slide:D", "slide:E"]


def test_solo_no_second_slide_when_the_tile_of_the_shape_is_at_the_bottom() -> None:
    position = solo(PLAIN, "00400", phase="roll", crossed="C").play("roll:123*T").play("slide:A")
    assert position.state()["phase"] == "drop"


def test_solo_a_tile_at_the_bottom_drops_now_and_is_crossed() -> None:
    position = solo(PLAIN, "30000", phase="slide0").play("slide:A")
    assert position.state()["fires"] == "A"
    position = position.play("x:I4r0@1")
    assert marked(position, "crossed") == "A"
    # The drop is not cancelled.
    assert position.state()["phase"] == "drop"
    assert position.state()["dice"] == {"numbers": "1234", "shape": "I"}


def test_solo_a_circled_letter_at_the_bottom_does_nothing() -> None:
    position = solo(CIRCLED_A, "30000", phase="slide0").play("slide:A")
    assert position.state()["phase"] == "drop"
    assert marked(position, "crossed") == ""


def test_solo_a_circled_letter_does_not_fire_at_a_star() -> None:
    assert solo(CIRCLED_A, "00000", phase="roll").play("roll:123*I").state()["phase"] == "slide"


def test_solo_the_block_of_the_first_slide_comes_before_the_second_slide() -> None:
    position = solo(PLAIN, "30000", phase="slide0", rolled="123*T").play("slide:A").play("x:I4r0@1")
    assert position.tokens() == ["slide:C"]


def test_solo_ends_when_all_tiles_are_at_the_bottom() -> None:
    turn = solo(PLAIN, "34444", phase="slide0", crossed="BCDE").play("slide:A").play("x:I4r0@1")
    assert turn.state()["phase"] == "drop"
    assert turn.play("I0@1:1234").kind() is Kind.TERMINAL
    now = solo(PLAIN, "34444", phase="slide0", crossed="BCDE", solo_end="now").play("slide:A").play("x:I4r0@1")
    assert now.kind() is Kind.TERMINAL
    assert now.returns() == (2.0,)


def test_solo_ends_when_the_line_is_crossed() -> None:
    position = solo(sheet(COLUMN_10), "00000").play("I1@1:1234")
    assert position.kind() is Kind.TERMINAL


def test_solo_a_shape_that_cannot_be_placed_is_skipped() -> None:
    # X tiles have reached row 14 in every column, and the number drop is still due.
    full = " ".join(["X1XXXXX"] * 14)
    position = solo(sheet(full), "40000", crossed="A")
    assert {token.partition("+")[0] for token in position.tokens()} == {"skip"}
    assert position.play("skip").kind() is Kind.TERMINAL
    with pytest.raises(MoveError, match="may not be skipped"):
        solo(PLAIN, "00000").play("skip")


def test_solo_a_tile_that_cannot_be_placed_is_skipped() -> None:
    full = " ".join(["X1XXXXX"] * 14)
    position = solo(sheet(full), "40000", phase="block1:1:A")
    assert position.tokens() == ["x:skip"]
    after = position.play("x:skip")
    assert marked(after, "crossed") == "A"
    assert after.state()["phase"] == "drop"


# --- notation ------------------------------------------------------------------------------------------------

GOOD = f"2 {TILES} - 1 drop:1 1234I {PLAIN} {PLAIN}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("2 I4", "7 I4"), "mode: expected solo or a number of players 1 to 6, got '7'"),
        ((f" {PLAIN} {PLAIN}", f" {PLAIN}"), "1 sheets, expected 2"),
        (("I4,O4,", "I4,"), "tiles: 4 entries, expected five separated by commas"),
        (("O4,", "Q4,"), "tile of B: expected one of I4, O4, T4, L4, S4, I3, V3, U5, X5, T5 or -, got 'Q4'"),
        (("O4,", "O4:1,"), "tile of B: expected no notch outside the solo game, got 'O4:1'"),
        ((" - 1 ", " BA 1 "), "crossed letters: expected letters of ABCDE in order or -, got 'BA'"),
        ((" 1 drop", " 3 drop"), "active player: expected 1 to 2, got '3'"),
        (("drop:1", "drop:3"), "phase: 'drop:3' names a player who does not play"),
        (("drop:1", "throw"), "phase: expected tile, write:P, roll"),
        (("1234I", "12I"), "dice: expected four numbers and a shape like 3*56L, got '12I'"),
        (("1234I", "8234I"), "the dice cannot show that roll"),
        (("g/1234561", "g/12345"), "sheet 1, cells: row 1: '12345' has 5 cells, expected 7"),
        (("g/1234561", "g/12z4561"), "sheet 1, cells: row 1: unexpected 'z' in '12z4561'"),
        (("g/g/1234561", "g/1234561"), "sheet 1, cells: 13 rows, expected 14 separated by /"),
        (("g/1234561", "a1e/1g"), "sheet 1, cells: row 1: '1g' has 8 cells, expected 7"),
        (("g/1234561", "c1c/1f"), "sheet 1: a cell is written that nothing holds up"),
        (("1234561,-,-,-", "1234561,-,-,A"), "sheet 1: a letter is circled whose two boxes are not both filled"),
        (("1234561,-,-,-", "1234561,-,I3,-"), "sheet 1, claims: the used cells say -, got 'I3'"),
        (("1234561,-,-,-", "1234561,-,-"), "sheet 1: expected cells, used cells, claims and circled letters"),
        (("drop:1 1234I", "over -"), "the game is not over: no sheet crosses the line"),
        (("drop:1 1234I", "block0:1:A 1234I"), "no letter fires without a star"),
        (("drop:1 1234I", "block0:1:A 123*I"), "no sheet has circled letter A"),
        (("drop:1 1234I", "slide0 1234I"), "no slide is due"),
    ],
)
def test_bad_positions_say_what_is_wrong(change: tuple[str, str], message: str) -> None:
    old, new = change
    assert old in GOOD
    with pytest.raises(PositionError) as caught:
        GAME.parse(GOOD.replace(old, new, 1), {})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


X4 = sheet("XXXX... 1......")
CROSSED_A = sheet(*BOTH_3)


@pytest.mark.parametrize(
    ("sheets", "options", "message"),
    [
        # Letters with both boxes.
        ((CROSSED_A,), {}, "sheet 1: both boxes of letter A are filled, so it is circled or crossed"),
        ((PLAIN, CROSSED_A), {"crossed": "B"}, "sheet 2: both boxes of letter A are filled"),
        ((CROSSED_A,), {"notches": "00000"}, "sheet 1: both boxes of letter A are filled"),
        # Tiles of a draw.
        ((PLAIN,), {"tiles": "I3,V3,I3,X5,T5"}, "letter C cannot have got that tile"),
        ((PLAIN,), {"tiles": "I4,I4,T4,S4,L4"}, "letter B cannot have got that tile"),
        ((PLAIN,), {"tiles": "I4,O4,T4,S4,S4", "notches": "00000"}, "letter E cannot have got that tile"),
        ((PLAIN,), {"tiles": "I4,O4,T4,S4,I3", "notches": "00000"}, "letter E cannot have got that tile"),
        # Whose turn it is in a block, and whether one is due.
        (
            (PLAIN, PLAIN, CIRCLED_A),
            {"phase": "block0:2:A", "rolled": "123*I"},
            "it is player 1 who drops the tile of A first",
        ),
        (
            (PLAIN, X4, CIRCLED_A),
            {"phase": "block0:1:A", "rolled": "123*I", "active": 2, "tiles": "T5,O4,T4,S4,L4"},
            "it is player 2 who drops the tile of A first",
        ),
        ((CIRCLED_A,), {"phase": "drop:1", "rolled": "123*I"}, "letter A fires at this roll, so nobody drops a shape"),
        (
            (PLAIN, CIRCLED_A),
            {"phase": "drop:1", "rolled": "1234*"},
            "letter A fires at this roll, so nobody drops a shape",
        ),
        (
            (PLAIN,),
            {"notches": "00400", "phase": "block2:1:C", "rolled": "1234T"},
            "letter C fires in a second slide that the dice do not give",
        ),
        (
            (PLAIN,),
            {"notches": "00400", "phase": "block2:1:C", "rolled": "123*I"},
            "letter C fires in a second slide that the dice do not give",
        ),
    ],
)
def test_what_no_game_leaves_is_refused(sheets: tuple[str, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        at(*sheets, **{"phase": "roll", **options})


@pytest.mark.parametrize(
    ("sheets", "options"),
    [
        ((CROSSED_A,), {"crossed": "A"}),
        ((CIRCLED_A,), {}),
        ((CIRCLED_A,), {"crossed": "A"}),
        ((X4, PLAIN, CIRCLED_A), {"phase": "block0:2:A", "rolled": "123*I"}),
        ((PLAIN, X4, CIRCLED_A), {"phase": "block0:1:A", "rolled": "123*I", "active": 2}),
        ((CIRCLED_A, PLAIN), {"phase": "block0:2:A", "rolled": "123*I"}),
        ((CIRCLED_A,), {"crossed": "A", "phase": "drop:1", "rolled": "123*I"}),
        # The first player has circled it in this round.
        ((CIRCLED_A, PLAIN), {"phase": "drop:2", "rolled": "123*I"}),
        ((PLAIN,), {"notches": "00400", "phase": "block2:1:C", "rolled": "123*T"}),
        ((PLAIN,), {"notches": "00400", "phase": "block2:1:C", "rolled": "1234*"}),
        ((PLAIN,), {"notches": "00400", "phase": "block1:1:C", "rolled": "1234I"}),
    ],
)
def test_what_a_game_may_leave_is_read(sheets: tuple[str, ...], options: dict[str, Any]) -> None:
    position = at(*sheets, **{"phase": "roll", **options})
    assert GAME.parse(position.fen(), {}) == position


def test_a_given_list_may_hold_a_tile_twice() -> None:
    twice = "I4,I4,T4,S4,L4"
    fen = f"1 {twice} - 1 roll - {PLAIN}"
    assert GAME.parse(fen, {"tiles": twice}).fen() == fen
    with pytest.raises(PositionError, match="letter B cannot have got that tile"):
        GAME.parse(fen, {})


def test_a_false_claim_in_a_position() -> None:
    with pytest.raises(PositionError, match="sheet 1: the claim I3 is not one: the digits are not equal"):
        at(sheet("1233333", "333...."), phase="roll")
    with pytest.raises(PositionError, match="sheet 1: the claim of size 4 has 3 cells"):
        at(sheet("1113333", "...444."), phase="roll")


@pytest.mark.parametrize(
    "token",
    ["", "L2", "L2@9:5316", "roll:1234I", "I0@1:1234+", "I0@1:1234+S4:a1", "I0@1:1234+S4:a1,a1,a1,a1"],
)
def test_bad_moves_are_one_line(token: str) -> None:
    with pytest.raises(MoveError) as caught:
        at(PLAIN).play(token)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("dice", "1*3457"), ("tiles", "I4,O4"), ("players", "7"), ("straight", "line"), ("x", 1)],
)
def test_bad_options(name: str, value: str) -> None:
    with pytest.raises(OptionError):
        GAME.start({name: value})


def test_a_drawing_marks_what_a_move_writes_and_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    marks: list[numberdrop_svg.Mark] = []

    def sheets(_state: object, _caption: str, _text: str, mark: numberdrop_svg.Mark) -> str:
        marks.append(mark)
        return ""

    monkeypatch.setattr(numberdrop_svg, "sheets", sheets)
    position = at(sheet("11....."), rolled="1122I", notches="00000")
    position.svg("I0@3:1122+I3:a1,b1,c1")
    (mark,) = marks
    after = position.play("I0@3:1122+I3:a1,b1,c1").state()["sheets"][0]["rows"][-1]
    assert mark.cells == {f"{column}1": digit for column, digit in zip("cdef", after[2:6], strict=True)}
    assert [claim["box"] for claim in mark.claims] == ["I3"]


def test_boxes_in_the_text() -> None:
    lines = at(sheet("1......")).text().splitlines()
    assert [line.rstrip() for line in lines[-5:-2]] == [
        "identical . . . . .",
        "straights . . . . .  bonus .",
        "letters circled: -",
    ]


def test_only_the_first_number_is_set_up() -> None:
    position = GAME.start({})
    seen: dict[str, bool] = {}
    while "drop" not in seen:
        assert isinstance(position, NumberDropPosition)
        seen[position.state()["phase"]] = position.is_setup()
        position = position.play(
            position.roll(len(seen)) if position.kind() is Kind.CHANCE else position.tokens(0, 1)[0]
        )
    assert seen.pop("write")
    assert not any(seen.values())


def test_drawings_and_json() -> None:
    position = at(sheet(CHECK, CHECK_CLAIMS, "BD"), phase="over")
    text = position.text()
    assert "Sheet 1: 54 points" in text
    assert "identical 3 4 5 6 7" in text
    assert "straights . 4 . 6 ." in text
    state = json.loads(json.dumps(position.state()))
    assert state["sheets"][0]["rows"][2] == ".....43"
    assert {claim["box"] for claim in state["sheets"][0]["claims"]} == {
        "I3",
        "I4",
        "I5",
        "I6",
        "I7",
        "S4",
        "S6",
    }
    drawing = ElementTree.fromstring(position.svg())
    assert drawing.tag.endswith("svg")
    assert position.svg().count("<path") >= 7


def test_choices_for_a_person() -> None:
    position = at(PLAIN, rolled="12**O", dice="1*****/2*****/3*****/4*****")
    (promising, moves), (_, places) = position.choices()
    assert promising == "promising"
    for move in moves:
        position.play(move)
    assert places == ["O0@1", "O0@2", "O0@3", "O0@4", "O0@5", "O0@6"]


def test_bytes_that_are_no_state_are_refused() -> None:
    with pytest.raises(ValueError, match="bytes"):
        _numberdrop.state_kind(b"")
    with pytest.raises(ValueError, match="no state"):
        _numberdrop.state_kind(b"\xff" * _numberdrop.STATE_SIZE)
    sound = at(PLAIN).raw()
    for number in range(_numberdrop.STATE_SIZE):
        # What gets through the check must be harmless.
        bent = sound[:number] + b"\xee" + sound[number + 1 :]
        try:
            _numberdrop.state_kind(bent)
        except ValueError:
            continue
        _numberdrop.best(bent, 2)
        _numberdrop.estimates(bent)
        _numberdrop.limits(bent, 0)


def test_keys_tell_positions_apart() -> None:
    seen: dict[int, bytes] = {}
    for seed in range(30):
        variants: list[dict[str, str | int | bool]] = [{"solo": True}, {"players": 2}, {"straight": "set"}]
        for options in variants:
            position: NumberDropPosition = GAME.start(options)
            number = seed
            while position.kind() is not Kind.TERMINAL:
                raw = position.raw()
                assert seen.setdefault(_numberdrop.state_key(raw), raw) == raw
                number += 1
                if position.kind() is Kind.CHANCE:
                    position = position.play(position.roll(number))
                else:
                    position = position.play(position.tokens(number % position.count(), 1)[0])


def test_used_cells_are_part_of_the_key() -> None:

    one = at(sheet("1111111 2222222 5555555", "333.... 4444... ......."), phase="roll")
    assert _numberdrop.state_key(one.raw()) == _numberdrop.state_key(GAME.parse(one.fen(), {}).raw())
    other = at(sheet("1111111 2222222 5555555", "4444... 333.... ......."), phase="roll")
    assert _numberdrop.state_key(one.raw()) != _numberdrop.state_key(other.raw())


def test_top_is_sorted_and_legal() -> None:
    position = at(PLAIN, rolled="**2*O")
    ranked = _numberdrop.best(position.raw(), 20)
    assert len(ranked) == 20
    values = [value for _, value in ranked]
    assert values == sorted(values, reverse=True)
    assert all(_numberdrop.fault(position.raw(), action) == "" for action, _ in ranked)
