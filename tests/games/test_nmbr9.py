"""NMBR 9: each rule, the notation, and random games through the compiled rules and the slow reference."""

from __future__ import annotations

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from blockwit.errors import BlockwitError, MoveError, PositionError
from blockwit.games.base import Kind
from blockwit.games.nmbr9.position import GAME, SHAPES, Nmbr9Position
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import nmbr9 as reference

TILES = Path(__file__).parent.parent / "data" / "nmbr9_tiles.txt"
AREAS = [10, 5, 9, 9, 8, 10, 9, 7, 8, 10]


def parse(text: str) -> Nmbr9Position:
    return GAME.parse(text, {})


def given_shapes() -> list[list[str]]:
    shapes: list[list[str]] = []
    for line in TILES.read_text(encoding="utf-8").splitlines():
        if line.startswith("tile"):
            shapes.append([])
        elif line and not line.startswith("#" + " ") and shapes:
            shapes[-1].append(line)
    return shapes


def cells_of(rows: list[str]) -> set[tuple[int, int]]:
    return {(x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "#"}


def why(text: str, token: str) -> str:
    with pytest.raises(MoveError, match=r"^[^\n]+$") as caught:
        parse(text).play(token)
    return str(caught.value)


# --- tiles


def test_tiles_are_those_of_the_given_listing() -> None:
    shapes = given_shapes()
    assert len(shapes) == 10
    for digit, rows in enumerate(shapes):
        assert set(SHAPES[digit][0]) == cells_of(rows)
        assert len(SHAPES[digit][0]) == AREAS[digit]


def test_rotations_are_quarter_turns_clockwise_and_0_and_8_have_two() -> None:
    for digit in range(10):
        cells = set(SHAPES[digit][0])
        for rotation in range(4):
            expected = SHAPES[digit][rotation % len(SHAPES[digit])]
            assert set(expected) == cells, (digit, rotation)
            turned = {(y, -x) for x, y in cells}
            low = min(y for _, y in turned)
            cells = {(x, y - low) for x, y in turned}
        assert len(SHAPES[digit]) == (2 if digit in (0, 8) else 4)


def test_no_tile_is_mirrored() -> None:
    for digit in set(range(10)) - {0}:
        mirrored = {(-x, y) for x, y in SHAPES[digit][0]}
        left = min(x for x, _ in mirrored)
        assert {(x - left, y) for x, y in mirrored} not in [set(shape) for shape in SHAPES[digit]]


# --- placement


def test_first_tile_goes_anywhere_on_the_table_only() -> None:
    for token in ("7a@0,0,0", "7b@3,-4,0", "7d@-50,90,0"):
        assert str(parse("- 7").play(token).tiles[0]) == token
    assert "overhang" in why("- 7", "7a@0,0,1")


def test_tile_beside_another_shares_an_edge() -> None:
    assert parse("1a@0,0,0 1").play("1a@2,0,0").score == 0
    assert "cut" in why("1a@0,0,0 1", "1a@3,0,0")
    # A corner is no edge.
    assert "cut" in why("1a@0,0,0 1", "1a@2,-4,0")
    assert parse("1a@0,0,0 1").play("1a@0,-4,0")


def test_tiles_do_not_overlap() -> None:
    assert "overlap" in why("1a@0,0,0 1", "1a@0,1,0")


def test_no_cell_hangs_over_a_hole_or_the_edge() -> None:
    flat = "9a@0,0,0,9a@3,0,0"
    assert parse(f"{flat} 1").play("1b@1,2,1").score == 1
    assert "overhang" in why(f"{flat} 1", "1b@4,2,1")
    # Over the hole of a 0, with two tiles beneath.
    assert "beneath its square 1,2" in why("0a@0,0,0,9a@3,0,0 1", "1b@0,2,1")


def test_a_tile_rests_on_two_different_tiles() -> None:
    assert "single-tile support" in why("9a@0,0,0,9a@3,0,0 1", "1a@0,0,1")


def test_two_copies_of_a_digit_are_two_tiles() -> None:
    assert parse("9a@0,0,0,9a@3,0,0 7").play("7b@1,1,1").score == 7


def test_first_tile_of_a_level_needs_no_neighbour_and_the_next_one_does() -> None:
    base = "9a@0,0,0,9a@3,0,0,5a@0,4,0,5a@3,4,0"
    everywhere = {token for token in parse(f"{base} 1").tokens() if token.endswith(",1")}
    assert {"1b@0,2,1", "1b@1,6,1"} <= everywhere
    beside = {token for token in parse(f"{base},1b@0,2,1 1").tokens() if token.endswith(",1")}
    assert beside < everywhere
    assert beside
    assert "cut" in why(f"{base},1b@0,2,1 1", "1b@1,6,1")


def test_a_level_grows_after_tiles_lie_above_it() -> None:
    stack = parse("9a@0,0,0,9a@3,0,0,7b@1,1,1 5")
    assert any(token.endswith(",0") for token in stack.tokens())


@given(st.integers(0, 2**32), st.integers(1, 19))
def test_every_tile_can_be_placed_on_the_table(seed: int, length: int) -> None:
    rng = random.Random(seed)
    deck = rng.sample([digit for digit in range(10) for _ in range(2)], length + 1)
    position = parse("- " + "".join(map(str, deck)))
    for _ in range(length):
        position = position.play(rng.choice(position.tokens()))
    assert any(token.endswith(",0") for token in position.tokens())


def test_score_is_the_sum_of_level_times_digit() -> None:
    position = parse("9a@0,0,0,9a@3,0,0,7b@1,1,1,8b@0,4,0 -")
    assert position.score == 7
    assert position.returns() == (7.0,)
    assert position.kind() is Kind.TERMINAL
    assert position.result() == "7 points"


def test_later_tiles_do_not_make_an_earlier_placement_legal() -> None:
    with pytest.raises(PositionError, match="wrong order"):
        parse("9a@0,0,0,7b@1,1,1,9a@3,0,0 -")


# --- decks


def test_known_deck_is_played_in_order() -> None:
    position = parse("- 31")
    assert {token[0] for token in position.tokens()} == {"3"}
    assert "not the turn of a 1" in why("- 31", "1a@0,0,0")
    assert position.play("3a@0,0,0").fen() == "3a@0,0,0 1"


def test_free_deck_lets_the_player_choose() -> None:
    position = parse("- *0123/2")
    assert {token[0] for token in position.tokens()} == set("0123")
    after = position.play("2a@0,0,0")
    assert after.fen() == "2a@0,0,0 *013/1"
    assert after.play(after.tokens()[0]).kind() is Kind.TERMINAL


def test_unknown_deck_is_drawn() -> None:
    position = parse("- ?11237")
    assert position.kind() is Kind.CHANCE
    assert set(position.tokens()) == {"draw:1", "draw:2", "draw:3", "draw:7"}
    assert position.roll(5) == position.roll(5)
    assert {position.roll(seed) for seed in range(100)} == set(position.tokens())
    drawn = position.play("draw:7")
    assert drawn.kind() is Kind.DECISION
    assert drawn.hand == 7
    assert parse(drawn.fen()) == drawn
    assert "has to be drawn" in why("- ?11237", "7a@0,0,0")
    assert "no 5 is left" in why("- ?11237", "draw:5")


def test_start_of_the_table_game_holds_twenty_cards() -> None:
    start = GAME.start({})
    assert start.fen() == "- ?00112233445566778899"


# --- notation and front ends


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("7e@0,0,0", "is not a placement"),
        ("7a@0,0", "is not a placement"),
        ("7a@0,0,٣", "is not a placement"),
        ("7a@99999,0,0", "too far out"),
        ("", "is not a placement"),
        ("draw:7", "no card is drawn here"),
    ],
)
def test_bad_moves_are_named(token: str, message: str) -> None:
    assert message in why("- 7", token)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-", "1 fields, expected 2"),
        ("- - -", "3 fields"),
        ("- 777", "3 tiles of digit 7"),
        ("7a@0,0,0,7a@3,0,0 7", "3 tiles of digit 7"),
        ("7a@0,0,0,7a@0,0,0 1", "placed tile 2 7a@0,0,0: overlap"),
        ("7a@0,0,0,7x@0,0,0 1", "is not a placement"),
        ("- *012/4", "4 cards to play, but 3 tiles"),
        ("- 3*012", "only an unknown deck"),
        ("- 01a", "deck '01a'"),
        ("- 01/2", "deck '01/2'"),
    ],
)
def test_bad_positions_are_named(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=r"^[^\n]+$") as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("problem", ["U-9-2-21", "K-9-2-20", "F-9-3-20", "", "F-0-1-2", "U-9-2-0"])
def test_bad_problem_is_named(problem: str) -> None:
    with pytest.raises(BlockwitError, match=r"^[^\n]+$"):
        GAME.start({"Problem": problem})


def test_drawings_and_state() -> None:
    position = parse("9a@0,0,0,9a@3,0,0,7b@1,1,1 12")
    root = ElementTree.fromstring(position.svg())
    assert root.tag.endswith("svg")
    assert "level 1: 7 x 1 = 7 points" in position.text()
    state = json.loads(json.dumps(position.state()))
    assert state["score"] == 7
    assert [tile["move"] for tile in state["placed"]] == ["9a@0,0,0", "9a@3,0,0", "7b@1,1,1"]
    assert sorted(state["placed"][0]["cells"]) == sorted(list(cell) for cell in SHAPES[9][0])
    assert parse(state["fen"]) == position


# --- the slow reference


def test_a_known_deck_has_no_card_in_hand() -> None:
    """Not the 0 either: -1 is no card."""
    position = GAME.parse("- 123", {})
    raw = position.raw()
    hands = [at for at, byte in enumerate(raw) if byte == 255]
    assert hands
    refused = []
    for at in hands:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - which one is asked below
            position.game.table.kind(raw[:at] + b"\0" + raw[at + 1 :])
        refused.append(str(caught.value))
    assert any("a card in hand belongs to a deck that nobody knows" in why for why in refused)


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_random_games_agree_with_the_reference(seed: int) -> None:
    rng = random.Random(seed)
    deck = rng.sample([digit for digit in range(10) for _ in range(2)], 9)
    position = parse("- " + "".join(map(str, deck)))
    stack: reference.Stack = ()
    for digit in deck:
        tokens = position.tokens()
        expected = reference.legal_placements(stack, digit)
        assert sorted(tokens) == sorted(reference.format_placement(each) for each in expected)
        assert position.count() == len(tokens)
        # High levels are what random placements seldom reach.
        level = max(token.rsplit(",", 1)[1] for token in tokens)
        high = [token for token in tokens if token.endswith(f",{level}")]
        token = rng.choice(high if rng.random() < 0.7 else tokens)
        position = position.play(token)
        stack = reference.apply(stack, reference.parse_placement(token))
        assert position.score == reference.score(stack)
        assert parse(position.fen()) == position


@given(st.integers(0, 2**32))
def test_random_placements_are_judged_alike(seed: int) -> None:
    rng = random.Random(seed)
    position = parse("- 98877665")
    stack: reference.Stack = ()
    for _ in range(5):
        token = rng.choice(position.tokens())
        position = position.play(token)
        stack = reference.apply(stack, reference.parse_placement(token))
    digit = position.deck[0]
    for _ in range(40):
        tried = f"{digit}{rng.choice('abcd')}@{rng.randint(-6, 8)},{rng.randint(-6, 8)},{rng.randint(0, 3)}"
        legal = not reference.violations(stack, reference.parse_placement(tried))
        try:
            position.play(tried)
            played = True
        except MoveError:
            played = False
        assert played == legal, tried
