"""The rules of Deblockle: given cases, the slow reference, and one test for each sentence of the rules."""

from __future__ import annotations

import json
import math
import random
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from blockwit import _deblockle
from blockwit.errors import MoveError, OptionError, PositionError
from blockwit.games.alphabet import Alphabet
from blockwit.games.base import Kind
from blockwit.games.deblockle.position import FACE_NAMES, DeblocklePosition, faces_of, square_index
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from tests.boards import (
    BOTH_BLOCKED,
    FACES,
    GAME,
    OPTIONS,
    ORIENTATIONS,
    SOUTH_BLOCKED,
    SQUARES,
    START,
    STEPS,
    after,
    all_options,
    finals,
    lying,
    parse,
    placement,
    positions,
    rules,
    start,
)
from tests.reference import deblockle as reference

DATA = Path(__file__).parents[1] / "data"
SEEDS = st.integers(0, 2**32 - 1)


def check_one_line(error: Exception) -> None:
    """Check that an error says something, and in one line."""
    assert len(str(error).splitlines()) == 1


def cases(name: str) -> list[Any]:
    """Return the given cases as parameters of a test."""
    loaded = json.loads((DATA / name).read_text())["cases"]
    return [pytest.param(case, id=f"{case['position']} {case['options']}") for case in loaded]


# --- given cases and known counts ---------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("deblockle_moves.json"))
def test_given_move_list(case: dict[str, Any]) -> None:
    position = parse(case["position"], repetition="off", **case["options"])
    assert sorted(position.tokens()) == sorted(case["moves"])
    assert position.count() == len(case["moves"])
    assert [position.perft(depth) for depth in (1, 2)] == case["perft"]


@pytest.mark.parametrize("case", cases("deblockle_perft.json"))
def test_given_perft(case: dict[str, Any]) -> None:
    position = parse(case["position"], **case["options"])
    counts = [position.perft(depth) for depth in range(1, len(case["perft"]) + 1)]
    assert counts == case["perft"]


def test_perft_of_depth_nought_is_one() -> None:
    assert parse(START).perft(0) == 1


# --- against the reference ----------------------------------------------------------------------------------


@settings(max_examples=400)
@given(positions(), OPTIONS)
def test_moves_and_successors_agree_with_the_reference(text: str, options: dict[str, Any]) -> None:
    position, state = parse(text, **options), reference.parse(text)
    assert placement(position) == reference.format_state(state)
    expected = reference.legal_moves(state, rules(options))
    if position.kind() is Kind.TERMINAL:
        assert reference.both_blocked(state, rules(options))
        return
    assert sorted(position.tokens()) == expected
    successors = reference.moves_by_name(state, rules(options))
    for token in position.tokens():
        played = position.play(token)
        reached = successors.get(token) or reference.apply(state, token, rules(options))
        assert placement(played) == reference.format_state(reached)
        assert played.core.key == parse(played.fen(), **options).core.key


@settings(max_examples=80)
@given(positions(), OPTIONS)
def test_perft_agrees_with_the_reference(text: str, options: dict[str, Any]) -> None:
    state = reference.parse(text)
    expected = [reference.perft(state, depth, rules(options)) for depth in (1, 2)]
    assert [parse(text, **options).perft(depth) for depth in (1, 2)] == expected


@settings(max_examples=200)
@given(positions(), OPTIONS)
def test_half_a_turn_with_swapped_colours_is_the_same_position(text: str, options: dict[str, Any]) -> None:
    def turned(square: str) -> str:
        return "gfedcba"["abcdefg".index(square[0])] + str(8 - int(square[1]))

    position = parse(text, **options)
    mirror = parse(reference.format_state(reference.turned(reference.parse(text))), **options)
    swapped = {
        "".join(turned(token[at : at + 2]) for at in range(0, len(token), 2)) if token != "0000" else token
        for token in position.tokens()
    }
    assert swapped == set(mirror.tokens())
    assert position.perft(3) == mirror.perft(3)
    assert position.evaluate() == mirror.evaluate()[::-1]
    assert [position.core.turns_left(side) for side in (0, 1)] == [mirror.core.turns_left(side) for side in (1, 0)]


def test_mirrored_board_is_not_a_symmetry() -> None:
    """Seen in a mirror, every orientation is one that the cube cannot take."""
    for faces in ORIENTATIONS:
        assert faces[:2] + reference.OPPOSITE[faces[2]] not in ORIENTATIONS


def play_both(text: str, options: dict[str, Any], seed: int, plies: int) -> str:
    """Play one game in the engine and the reference side by side; return how it ended.

    Half the time the move is one that goes back to a position seen before, if there is one: else games
    hardly ever repeat.
    """
    rng = random.Random(seed)
    read = rules(options)
    position, states = parse(text, **options), [reference.parse(text)]
    for _ in range(plies):
        outcome = reference.outcome(states, read)
        if outcome:
            assert position.kind() is Kind.TERMINAL
            assert position.tokens() == []
            assert position.count() == 0
            value = {"s": 1.0, "n": -1.0, "draw": 0.0}[outcome]
            assert position.returns() == (value, -value)
            assert position.evaluate() == (value, -value)
            if outcome != "draw":
                expected = f"{'South' if outcome == 's' else 'North'} wins"
            elif reference.both_blocked(states[-1], read):
                expected = "draw: both sides are blocked"
            else:
                expected = "draw: third occurrence of the position"
            assert position.result() == expected
            return expected
        assert position.kind() is Kind.DECISION
        assert position.result() is None
        assert position.returns() == (0.0, 0.0)
        reached = reference.moves_by_name(states[-1], read)
        if not reached:
            reached["0000"] = reference.apply(states[-1], "0000", read)
        assert sorted(position.tokens()) == sorted(reached)
        move = rng.choice(sorted(reached))
        if rng.random() < 0.5:
            back = [token for token, state in sorted(reached.items()) if state in states]
            move = rng.choice(back) if back else move
        states.append(reached[move])
        position = position.play(move)
        assert placement(position) == reference.format_state(states[-1])
        assert position.core.halfmove == len(states) - 1
        assert position.player() == "sn".index(states[-1].side)
    return "unfinished"


@settings(max_examples=40)
@given(positions(), OPTIONS, st.sampled_from(["3", "off"]), SEEDS)
def test_whole_games_agree_with_the_reference(text: str, options: dict[str, Any], repetition: str, seed: int) -> None:
    event(play_both(text, {**options, "repetition": repetition}, seed, 60))


def test_games_of_one_block_each_end_in_every_way() -> None:
    """Both wins and both draws come up among random games, and the reference agrees on all of them."""
    ends: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        squares = rng.sample(["a1", "b1", "a2", "c1", "b2"] if seed % 2 else SQUARES, 2)
        south, north = (square + rng.choice(ORIENTATIONS) for square in squares)
        ends[play_both(f"{south} {north} s", {"no_touch": seed % 4 == 1}, seed, 120)] += 1
    for crowded in (BOTH_BLOCKED, "a1XTH,b1XTH,c1XTH,d1XLT a7XSL,b7XSL,c7XSL,e7XTH n"):
        ends[play_both(crowded, {}, 1, 120)] += 1
    assert set(ends) >= {
        "South wins",
        "North wins",
        "draw: both sides are blocked",
        "draw: third occurrence of the position",
    }


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(1, 4), SEEDS)
def test_set_up_agrees_with_the_reference(south: int, north: int, seed: int) -> None:
    rng = random.Random(seed)
    position, setup = start(south_blocks=south, north_blocks=north), reference.Setup(south, north)
    while setup.roller:
        assert position.player() == "sn".index(setup.roller)
        assert parse(position.fen()) == position
        if reference.is_roll(setup):
            assert position.kind() is Kind.CHANCE
            rolls = {"".join(sorted(token)): chance for token, chance in position.chances().items()}
            expected = {"".join(sorted(token)): chance for token, chance in reference.rolls(setup).items()}
            assert rolls == pytest.approx({token: float(chance) for token, chance in expected.items()})
            token = rng.choice(position.tokens())
            faces = list(token.removeprefix("roll:"))
            rng.shuffle(faces)
            setup = reference.apply_roll(setup, token)
            position = position.play("roll:" + "".join(faces))
        else:
            assert position.kind() is Kind.DECISION
            assert sorted(position.tokens()) == reference.legal_placements(setup)
            token = rng.choice(position.tokens())
            setup = reference.apply_placement(setup, token)
            position = position.play(token)
        assert position.result() is None
    assert placement(position) == reference.format_state(reference.first_state(setup))
    assert position.fen() == parse(placement(position)).fen()
    assert position == parse(placement(position))


# --- the board ----------------------------------------------------------------------------------------------


def test_board_is_seven_by_seven() -> None:
    """A free slider on b1 of an empty board reaches all of its rank and file: a to g, 1 to 7."""
    position = parse(f"{lying('a1', 'L', 'east')} {lying('g7', 'C', 'west')} s")
    row = {f"{file}1" for file in "acdefg"}
    assert finals(position, "a1b1") == row | {f"b{rank}" for rank in range(2, 8)}
    for square in ("h1", "a8", "a0"):
        with pytest.raises(PositionError):
            parse(f"{square}SLX d7XLT s")


@pytest.mark.parametrize("square", ["d2", "d6"])
def test_no_block_stands_on_a_star_square(square: str) -> None:
    with pytest.raises(PositionError, match=f"{square} is a star square"):
        parse(f"{square}SLX d7XLT s")
    with pytest.raises(PositionError, match=f"{square} is a star square"):
        parse(f"d7XLT {square}SLX s")


@pytest.mark.parametrize(
    ("south", "north", "southern", "northern"),
    [
        (4, 4, {"c1", "e1", "c3", "e3"}, {"c5", "e5", "c7", "e7"}),
        (3, 2, {"c1", "e1", "d3"}, {"c7", "e7"}),
        (2, 3, {"c1", "e1"}, {"c7", "e7", "d5"}),
        (1, 4, {"d1"}, {"c5", "e5", "c7", "e7"}),
        (4, 1, {"c1", "e1", "c3", "e3"}, {"d7"}),
    ],
)
def test_start_squares_of_every_handicap(south: int, north: int, southern: set[str], northern: set[str]) -> None:
    rolled = start(south_blocks=south, north_blocks=north).play("roll:" + "C" * north)
    assert {token[:2] for token in rolled.tokens()} == northern
    placed = rolled
    while placed.core.phase == rolled.core.phase:
        placed = placed.play(placed.tokens()[0])
    placed = placed.play("roll:" + "C" * south)
    assert {token[:2] for token in placed.tokens()} == southern


def test_starts_turn_into_each_other_by_half_a_turn() -> None:
    for count in range(1, 5):
        south = {reference.parse_square(name) for name in reference.STARTS["s"][count]}
        north = {reference.parse_square(name) for name in reference.STARTS["n"][count]}
        dealt = start(south_blocks=count, north_blocks=count).play("roll:" + "X" * count)
        assert {reference.parse_square(token[:2]) for token in dealt.tokens()} == north
        assert {(6 - file, 6 - rank) for file, rank in south} == north


@pytest.mark.parametrize("square", SQUARES)
def test_own_set_up_may_put_a_block_on_any_square(square: str) -> None:
    opponent = "a7" if square != "a7" else "a6"
    for orientation in ORIENTATIONS:
        text = f"{square}{orientation} {opponent}XLT s 0"
        assert parse(text).fen() == text


# --- the block ----------------------------------------------------------------------------------------------


def test_star_up_and_slider_north() -> None:
    assert faces_of(ORIENTATIONS_BY_NAME["SLX"]) == {
        "up": "S",
        "north": "L",
        "east": "X",
        "south": "H",
        "west": "C",
        "down": "T",
    }


ORIENTATIONS_BY_NAME = {name: index for index, name in enumerate(_deblockle.ORIENTATION_NAMES)}


def test_twenty_four_orientations() -> None:
    assert len(_deblockle.ORIENTATION_NAMES) == 24
    assert set(_deblockle.ORIENTATION_NAMES) == set(ORIENTATIONS)


def test_opposite_pairs() -> None:
    for orientation in range(24):
        faces = faces_of(orientation)
        axes = (("up", "down"), ("north", "south"), ("east", "west"))
        pairs = {frozenset((faces[one], faces[other])) for one, other in axes}
        assert pairs == {frozenset("ST"), frozenset("CX"), frozenset("LH")}


@pytest.mark.parametrize(
    ("direction", "ring"),
    [
        ("north", ("up", "south", "down", "north")),
        ("east", ("up", "west", "down", "east")),
        ("south", ("up", "north", "down", "south")),
        ("west", ("up", "east", "down", "west")),
    ],
)
def test_tipping_rolls_the_faces(direction: str, ring: tuple[str, ...]) -> None:
    """Each face of the ring comes from the next one; the two faces on the axis stay."""
    for orientation in range(24):
        before = faces_of(orientation)
        tipped = faces_of(_deblockle.tip(orientation, list(STEPS).index(direction)))
        sources = {**{face: face for face in before}, **dict(zip(ring, (*ring[1:], ring[0]), strict=True))}
        assert tipped == {face: before[source] for face, source in sources.items()}


def test_four_tips_one_way_bring_a_block_back() -> None:
    for orientation in range(24):
        for direction in range(4):
            turned = orientation
            for _ in range(4):
                turned = _deblockle.tip(turned, direction)
            assert turned == orientation
            assert _deblockle.tip(_deblockle.tip(orientation, direction), (direction + 2) % 4) == orientation


# --- the tip ------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(positions(), OPTIONS)
def test_a_move_tips_an_own_block_one_orthogonal_step_onto_an_unoccupied_square(
    text: str, options: dict[str, Any]
) -> None:
    position = parse(text, **options)
    south, north = ({part[:2] for part in field.split(",")} for field in text.split()[:2])
    own = south if text.endswith("s") else north
    for token in set(position.tokens()) - {"0000"}:
        assert token[:2] in own
        assert token[2:4] not in south | north
        file, rank = ord(token[2]) - ord(token[0]), int(token[3]) - int(token[1])
        assert (file, rank) in STEPS.values()
    assert len(set(position.tokens())) == position.count()


def test_tip_rolls_the_block() -> None:
    """X, L, T up, north and east, tipped north: the face that was south (H) comes up and X looks north."""
    assert placement(parse("d4XLT g7XLT s").play("d4d5c5")).startswith("c5HXT ")


@pytest.mark.parametrize("owner", ["own", "opponent's"])
def test_no_tip_onto_an_occupied_square(owner: str) -> None:
    free = parse(f"{lying('d4', 'C', 'east')} g7XLT s")
    south = lying("d4", "C", "east") + (",e4XLT" if owner == "own" else "")
    blocked = parse(f"{south} {'g7XLT' if owner == 'own' else 'e4XLT'} s")
    assert finals(free, "d4e4")
    assert not finals(blocked, "d4e4")
    with pytest.raises(MoveError, match="e4 is occupied"):
        blocked.play("d4e4f4")


def test_no_tip_over_the_edge() -> None:
    position = parse(f"a1XLT,g7XLT {lying('c4', 'C', 'east')} s")
    assert {token[2:4] for token in position.tokens()} <= {"a2", "b1", "g6", "f7"}


def test_star_up_is_legal_only_onto_the_opponents_home_star() -> None:
    """A star comes up on every square but the opponent's home star: never legal, on the own star neither."""
    for square in SQUARES:
        for direction, (file, rank) in STEPS.items():
            tip = chr(ord(square[0]) + file) + str(int(square[1]) + rank)
            if tip not in [*SQUARES, "d2", "d6"]:
                continue
            other = "a1" if square != "a1" and tip != "a1" else "g7"
            south = parse(f"{lying(square, 'S', direction)} {other}XLT s")
            north = parse(f"{other}XLT {lying(square, 'S', direction)} n")
            assert finals(south, square + tip) == ({"d6"} if tip == "d6" else set())
            assert finals(north, square + tip) == ({"d2"} if tip == "d2" else set())


@pytest.mark.parametrize("side", ["s", "n"])
def test_exit_takes_the_block_off_and_ends_the_turn(side: str) -> None:
    leaving = lying("d5", "S", "north") if side == "s" else lying("d3", "S", "south")
    fields = [f"{leaving},a4XLT", "g4XLT"]
    position = parse(" ".join([*(fields if side == "s" else reversed(fields)), side]))
    played = position.play("d5d6" if side == "s" else "d3d2")
    own = placement(played).split()["sn".index(side)]
    assert own == "a4XLT"
    assert played.player() == "ns".index(side)
    assert played.result() is None


@pytest.mark.parametrize("star", ["d2", "d6"])
@pytest.mark.parametrize("face", list("TCXLH"))
@pytest.mark.parametrize("side", ["s", "n"])
def test_a_star_square_is_entered_by_a_star_only(star: str, face: str, side: str) -> None:
    square = star[0] + str(int(star[1]) - 1)
    fields = [lying(square, face, "north"), "g7XLT"]
    for options in all_options():
        position = parse(" ".join([*(fields if side == "s" else reversed(fields)), side]), **options)
        assert not finals(position, square + star)


# --- the hop ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("face", list("CXLH"))
def test_hop_is_mandatory(face: str) -> None:
    position = parse(f"{lying('d3', face, 'north')} g7XLT s")
    assert finals(position, "d3d4")
    assert "d3d4" not in position.tokens()
    with pytest.raises(MoveError, match="must hop"):
        position.play("d3d4")


@settings(max_examples=100)
@given(positions(), OPTIONS)
def test_hop_does_not_turn_the_block(text: str, options: dict[str, Any]) -> None:
    position = parse(text, **options)
    side = position.player()
    for token in position.tokens():
        if len(token) == 6:
            before, played = dict(position.core.blocks(side)), dict(position.play(token).core.blocks(side))
            step = ord(token[2]) - ord(token[0]), int(token[3]) - int(token[1])
            tipped = _deblockle.tip(before[square_index(token[:2])], list(STEPS.values()).index(step))
            assert played[square_index(token[4:])] == tipped


@settings(max_examples=100)
@given(positions(), OPTIONS)
def test_hop_ends_on_an_open_square_that_is_no_star(text: str, options: dict[str, Any]) -> None:
    position = parse(text, **options)
    occupied = {part[:2] for field in text.split()[:2] for part in field.split(",")}
    for token in position.tokens():
        if len(token) == 6:
            assert token[4:] not in {"d2", "d6"}
            assert token[4:] not in occupied - {token[:2]}


@pytest.mark.parametrize("face", ["C", "L", "H"])
def test_square_just_left_is_open_to_the_hop(face: str) -> None:
    position = parse(f"{lying('d3', face, 'north')} g7XLT s")
    assert "d3" in finals(position, "d3d4")


def test_hop_may_pass_over_star_squares() -> None:
    """A slider on d3 going south passes d2 and stops on d1; hoops on d3 walk over d2 to c1, e1 and d1..."""
    slider = parse(f"{lying('c3', 'L', 'east')} g7XLT s")
    assert {"d1", "d7"} < finals(slider, "c3d3")
    hoops = parse(f"{lying('c3', 'H', 'east')},c2XLT,e2XLT g7XLT s")
    assert {"c1", "e1"} < finals(hoops, "c3d3")


@pytest.mark.parametrize("slider", ["free", "full", "full_or_beside_star"])
@pytest.mark.parametrize("face", list("CXLH"))
def test_hop_never_ends_on_a_star_square(face: str, slider: str) -> None:
    for direction, (file, rank) in STEPS.items():
        for square in SQUARES:
            tip = chr(ord(square[0]) + file) + str(int(square[1]) + rank)
            other = "a1" if square != "a1" and tip != "a1" else "g7"
            position = parse(f"{lying(square, face, direction)} {other}XLT s", slider=slider)
            assert not finals(position, square + tip) & {"d2", "d6"}


def test_stop_stays_and_ends_the_turn() -> None:
    position = parse(f"{lying('d3', 'T', 'north')} g7XLT s")
    assert finals(position, "d3d4") == {"d4"}
    played = position.play("d3d4")
    assert played.player() == 1
    assert placement(played).split()[0].startswith("d4T")


def test_cross_hops_exactly_one_orthogonal_step() -> None:
    position = parse(f"{lying('d3', 'C', 'north')} g7XLT s")
    assert finals(position, "d3d4") == {"d3", "d5", "c4", "e4"}
    hemmed = parse(f"{lying('d3', 'C', 'north')},d5XLT c4XLT,e4XLT s")
    assert finals(hemmed, "d3d4") == {"d3"}


def test_x_hops_exactly_one_diagonal_step() -> None:
    position = parse(f"{lying('d3', 'X', 'north')} g7XLT s")
    assert finals(position, "d3d4") == {"c3", "e3", "c5", "e5"}


def test_x_hops_between_two_blocks() -> None:
    position = parse(f"{lying('d3', 'X', 'north')},c4XLT,e4XLT d5XLT s")
    assert finals(position, "d3d4") == {"c3", "e3", "c5", "e5"}


def test_free_slider_stops_anywhere_on_its_line() -> None:
    position = parse(f"{lying('a4', 'L', 'east')} g1XLT s")
    assert finals(position, "a4b4") == {"a4", "c4", "d4", "e4", "f4", "g4"} | {
        f"b{rank}" for rank in (1, 2, 3, 5, 6, 7)
    }


@pytest.mark.parametrize("slider", ["free", "full", "full_or_beside_star"])
def test_slider_does_not_pass_a_block(slider: str) -> None:
    position = parse(f"{lying('a4', 'L', 'east')},b6XLT e4XLT s", slider=slider)
    reached = finals(position, "a4b4")
    assert reached <= {"a4", "c4", "d4", "b1", "b2", "b3", "b5"}
    assert {"a4", "d4", "b1", "b5"} <= reached


def test_slider_needs_one_square_or_more() -> None:
    for slider in ("free", "full", "full_or_beside_star"):
        assert "b4" not in finals(parse(f"{lying('a4', 'L', 'east')} g1XLT s", slider=slider), "a4b4")


def test_full_slider_goes_until_a_block_or_the_edge() -> None:
    position = parse(f"{lying('a4', 'L', 'east')} e4XLT s", slider="full")
    assert finals(position, "a4b4") == {"a4", "d4", "b1", "b7"}


@pytest.mark.parametrize("slider", ["full", "full_or_beside_star"])
def test_full_slide_whose_last_open_square_is_a_star_is_illegal(slider: str) -> None:
    """South from d4 with a block on d1 the last open square is the star d2: no hop that way."""
    text = f"{lying('c4', 'L', 'east')} d1XLT s"
    southward = {"d1", "d2", "d3"} & finals(parse(text, slider=slider), "c4d4")
    assert southward == (set() if slider == "full" else {"d3"})
    assert {"d3"} == {"d1", "d2", "d3"} & finals(parse(text), "c4d4")


def test_full_or_beside_star_also_stops_orthogonally_next_to_a_star() -> None:
    position = parse(f"{lying('b1', 'L', 'north')} g7XLT s", slider="full_or_beside_star")
    assert finals(position, "b1b2") == {"a2", "c2", "e2", "g2", "b1", "b7"}
    crossing = parse(f"{lying('a3', 'L', 'east')} g7XLT s", slider="full_or_beside_star")
    assert finals(crossing, "a3b3") == {"a3", "d3", "g3", "b1", "b7"}


def test_hoops_reach_what_three_single_steps_reach() -> None:
    """On an open board: all squares an odd distance of at most three away."""
    position = parse(f"{lying('d3', 'H', 'north')} g7XLT s")
    expected = {square for square in SQUARES if abs(ord(square[0]) - ord("d")) + abs(int(square[1]) - 4) in (1, 3)}
    assert finals(position, "d3d4") == expected


def test_hoops_may_revisit_squares() -> None:
    """In a dead end of two squares the walk goes to and fro: it ends on the one it just left."""
    position = parse(f"{lying('a1', 'H', 'north')},b1XLT,b2XLT a3XLT s")
    assert finals(position, "a1a2") == {"a1"}


def test_every_step_of_hoops_is_onto_an_open_square() -> None:
    """A wall of blocks on rank 2 with one gap at the edge: nothing beyond it is near enough."""
    wall = "b2XLT,b3XLT,a4XLT"
    position = parse(f"{lying('a2', 'H', 'north')},{wall} b1XLT s")
    assert finals(position, "a2a3") == {"a2"}


def test_paths_to_one_square_are_one_move() -> None:
    position = parse(f"{lying('d3', 'H', 'north')} g7XLT s")
    assert len(position.tokens()) == len(set(position.tokens())) == position.count() == position.perft(1)


NO_TARGET = f"{lying('a1', 'X', 'north')},b1XLT b3XLT,g7XLT s"
"""X comes up on a2, and both its diagonal neighbours are occupied."""


def test_tip_whose_hop_has_no_target_is_illegal_by_default() -> None:
    assert not finals(parse(NO_TARGET), "a1a2")
    with pytest.raises(MoveError, match="no square to hop to"):
        parse(NO_TARGET).play("a1a2")


def test_tip_whose_hop_has_no_target_ends_the_turn_by_option() -> None:
    position = parse(NO_TARGET, nohop="end_turn")
    assert finals(position, "a1a2") == {"a2"}
    assert position.play("a1a2").player() == 1


def test_end_turn_holds_for_a_slider_as_well() -> None:
    """A full slider on d4: east and west blocked, both other directions end on a star."""
    text = f"{lying('d3', 'L', 'north')},c4XLT,e4XLT d1XLT,d7XLT s"
    assert not finals(parse(text, slider="full"), "d3d4")
    assert finals(parse(text, slider="full", nohop="end_turn"), "d3d4") == {"d4"}


def test_a_cross_or_hoops_always_has_a_target() -> None:
    """The square just left is one, or leads to one: a surrounded block still hops back."""
    for face in "CH":
        text = f"{lying('d3', face, 'north')},c4XLT,e4XLT,d5XLT c3XLT,e3XLT s"
        assert "d3" in finals(parse(text), "d3d4")


# --- the set-up ---------------------------------------------------------------------------------------------


def test_south_rolls_the_north_blocks_first() -> None:
    position = start()
    assert (position.kind(), position.player()) == (Kind.CHANCE, 0)
    rolled = position.play("roll:XLCH")
    assert (rolled.kind(), rolled.player()) == (Kind.DECISION, 0)
    placed = after(rolled, "c5XLT", "e5LTX", "c7CTL", "e7HTC")
    assert placement(placed).split()[0] == "-"
    assert placement(placed).split()[1] == "c5XLT,e5LTX,c7CTL,e7HTC"


def test_north_rolls_the_south_blocks_then_south_moves() -> None:
    placed = after(start(), "roll:XXXX", "c5XLT", "e5XLT", "c7XLT", "e7XLT")
    assert (placed.kind(), placed.player()) == (Kind.CHANCE, 1)
    rolled = placed.play("roll:XXXX")
    assert (rolled.kind(), rolled.player()) == (Kind.DECISION, 1)
    ready = after(rolled, "c1XLT", "e1XLT", "c3XLT", "e3XLT")
    assert (ready.kind(), ready.player()) == (Kind.DECISION, 0)
    assert ready.fen() == "c1XLT,e1XLT,c3XLT,e3XLT c5XLT,e5XLT,c7XLT,e7XLT s 0"


def test_rolled_symbol_stays_up_with_four_yaws() -> None:
    rolled = start(north_blocks=1).play("roll:L")
    expected = {f"d7{orientation}" for orientation in ORIENTATIONS if orientation[0] == "L"}
    assert len(expected) == 4
    assert set(rolled.tokens()) == expected


def test_any_start_square_takes_any_rolled_face() -> None:
    rolled = start().play("roll:STCX")
    assert {(token[:2], token[2]) for token in rolled.tokens()} == {
        (square, face) for square in ("c5", "e5", "c7", "e7") for face in "STCX"
    }


def test_placed_faces_leave_the_roll_and_squares_fill_up() -> None:
    placed = start().play("roll:XXLC").play("c5XLT")
    assert {token[2] for token in placed.tokens()} == set("XLC")
    assert "c5" not in {token[:2] for token in placed.tokens()}
    assert {token[2] for token in placed.play("e5XLT").tokens()} == set("LC")


def test_order_of_placements_does_not_matter() -> None:
    rolled = start().play("roll:XLCH")
    one = after(rolled, "c5XLT", "e5LTX", "c7CTL", "e7HTC")
    other = after(rolled, "e7HTC", "c7CTL", "e5LTX", "c5XLT")
    assert one == other
    assert one.fen() == other.fen()
    assert one.core.key == other.core.key


def test_star_rolled_up_is_allowed() -> None:
    rolled = start(north_blocks=1, south_blocks=1).play("roll:S")
    assert after(rolled, "d7SLX", "roll:S", "d1SLX").fen() == "d1SLX d7SLX s 0"


def test_rolls_are_those_of_fair_dice() -> None:
    chances = start().chances()
    assert len(chances) == 126
    assert sum(chances.values()) == pytest.approx(1)
    assert chances["roll:XXXX"] == pytest.approx(float(Fraction(1, 1296)))
    assert chances["roll:CXLH"] == pytest.approx(float(Fraction(24, 1296)))
    assert chances["roll:SSTT"] == pytest.approx(float(Fraction(6, 1296)))


def test_roll_is_decided_by_the_seed_and_follows_the_dice() -> None:
    position = start()
    rolls = [position.roll(seed) for seed in range(3000)]
    assert rolls == [position.roll(seed) for seed in range(3000)]
    assert set(rolls) <= set(position.tokens())
    faces = Counter("".join(token.removeprefix("roll:") for token in rolls))
    assert set(faces) == set(FACES)
    # 12,000 dice: 2000 of each face expected, standard deviation 41.
    assert all(abs(count - 2000) < 250 for count in faces.values())


def test_a_handicap_may_differ_by_side() -> None:
    position = after(start(south_blocks=2, north_blocks=1), "roll:C", "d7CTL", "roll:XL", "c1XLT", "e1LTX")
    assert position.fen() == "c1XLT,e1LTX d7CTL s 0"


# --- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "move", "result", "returns"),
    [
        (f"{lying('d5', 'S', 'north')} a7XLT,g7XLT s", "d5d6", "South wins", (1.0, -1.0)),
        (f"a1XLT,g1XLT {lying('c2', 'S', 'east')} n", "c2d2", "North wins", (-1.0, 1.0)),
    ],
)
def test_first_to_remove_all_own_blocks_wins_at_once(
    text: str, move: str, result: str, returns: tuple[float, float]
) -> None:
    position = parse(text)
    assert position.result() is None
    played = position.play(move)
    assert (played.kind(), played.result(), played.returns()) == (Kind.TERMINAL, result, returns)
    assert played.tokens() == []
    assert played.perft(1) == 0
    with pytest.raises(MoveError, match="the game is over"):
        played.play("0000")


def test_a_side_without_blocks_has_won_already() -> None:
    assert parse("- d7XLT s").result() == "South wins"
    assert parse("d1XLT - s").result() == "North wins"


def test_a_deblockled_player_passes() -> None:
    position = parse(SOUTH_BLOCKED)
    assert position.kind() is Kind.DECISION
    assert position.tokens() == ["0000"]
    passed = position.play("0000")
    assert passed.player() == 1
    assert placement(passed).split()[:2] == placement(position).split()[:2]


def test_the_opponent_goes_on_moving_until_the_player_has_a_move() -> None:
    position = parse(SOUTH_BLOCKED)
    for _ in range(3):
        position = position.play("0000")
        quiet = [token for token in position.tokens() if position.play(token).tokens() == ["0000"]]
        assert quiet
        position = position.play(quiet[0])
        assert position.player() == 0
        assert position.tokens() == ["0000"]
    freed = parse(f"a1XTH {lying('c3', 'C', 'west')},b2XLT s")
    assert freed.tokens() != ["0000"]


def test_a_blocked_players_opponent_may_exit() -> None:
    """South is blocked; North takes its last blocks off one after the other and wins."""
    south = "a1XTH,b1XTH,c1XTH,d1XLT"
    north = f"{lying('d3', 'S', 'south')},{lying('c2', 'S', 'east')}"
    position = parse(f"{south} {north} s")
    assert position.tokens() == ["0000"]
    position = after(position, "0000", "d3d2")
    assert position.result() is None
    position = position.play(position.tokens()[0])
    assert position.play("c2d2").result() == "North wins"


@settings(max_examples=150)
@given(positions(), OPTIONS)
def test_no_voluntary_pass(text: str, options: dict[str, Any]) -> None:
    position = parse(text, **options)
    assume(position.kind() is Kind.DECISION)
    tokens = position.tokens()
    assert ("0000" in tokens) == (tokens == ["0000"]) == (not position.core.can_move(position.player()))
    if tokens != ["0000"]:
        with pytest.raises(MoveError, match="a pass is legal only when no other move is"):
            position.play("0000")


@pytest.mark.parametrize("repetition", ["3", "off"])
@pytest.mark.parametrize("side", ["s", "n"])
def test_both_blocked_is_a_draw(side: str, repetition: str) -> None:
    position = parse(BOTH_BLOCKED[:-1] + side, repetition=repetition)
    assert position.kind() is Kind.TERMINAL
    assert position.result() == "draw: both sides are blocked"
    assert position.returns() == (0.0, 0.0)
    assert position.tokens() == []


def test_one_side_blocked_is_no_draw() -> None:
    assert parse(SOUTH_BLOCKED).result() is None
    assert parse(SOUTH_BLOCKED[:-1] + "n").result() is None


SHUFFLE = "a4CHT g4CHT s"
ROUND = ("a4a5a6", "g4g5g6", "a6a5a4", "g6g5g4")
"""Four moves after which both blocks lie as before."""


def test_third_occurrence_is_a_draw() -> None:
    position = parse(SHUFFLE)
    twice = after(position, *ROUND)
    assert twice.core.key == position.core.key
    assert twice.kind() is Kind.DECISION
    assert twice.state()["occurrences"] == 2
    last = after(twice, *ROUND[:3])
    assert last.kind() is Kind.DECISION
    thrice = last.play(ROUND[3])
    assert (thrice.kind(), thrice.result()) == (Kind.TERMINAL, "draw: third occurrence of the position")
    assert thrice.returns() == (0.0, 0.0)
    assert thrice.tokens() == []
    assert thrice.perft(1) == position.perft(1)


def test_repetition_off_goes_on() -> None:
    position = after(parse(SHUFFLE, repetition="off"), *ROUND * 5)
    assert position.kind() is Kind.DECISION
    assert position.result() is None
    # How often it stood there is told all the same; a search needs no history for it.
    assert position.state()["occurrences"] == 6
    # What a learner sees stops at three.
    observed = Alphabet.of(position.game).observe(position, (), 0)
    assert observed[-3:].tolist() == [0, 0, 1]
    assert position.history() == ()


def test_same_blocks_with_the_other_side_to_move_are_another_position() -> None:
    """South passes: the blocks lie as before, but it is North's turn."""
    south, north = (parse(SHUFFLE[:-1] + side) for side in "sn")
    assert south.core.key != north.core.key
    assert south != north
    blocked = "a1XTH,b1XTH,c1XTH,d1XLT g4CHT "
    position = after(parse(blocked + "s"), "0000", "g4g5g6", "0000", "g6g5g4", "0000", "g4g5g6", "0000")
    assert position.result() is None
    assert position.play("g6g5g4").result() == "draw: third occurrence of the position"


def test_no_position_from_before_an_exit_recurs() -> None:
    fields = f"a4CHT,{lying('d5', 'S', 'north')}"
    position = after(parse(f"{fields} g4CHT s"), *ROUND, "d5d6", "g4g5g6")
    exited = parse(f"{fields} g4CHT s").play("d5d6")
    assert exited.history() == ()
    assert list(position.history()) == [exited.core.key]


def test_two_positions_of_one_string_and_history_are_equal() -> None:
    assert parse(START) == parse(START)
    assert hash(parse(START)) == hash(parse(START))
    assert parse(SHUFFLE) != after(parse(SHUFFLE), *ROUND)
    assert parse(SHUFFLE) != SHUFFLE


# --- no_touch -----------------------------------------------------------------------------------------------


def test_no_move_ends_orthogonally_next_to_an_opponents_block() -> None:
    text = f"{lying('c3', 'C', 'north')} d5XLT s"
    assert finals(parse(text), "c3c4") == {"c3", "b4", "d4", "c5"}
    assert finals(parse(text, no_touch=True), "c3c4") == {"c3", "b4"}


def test_a_stop_may_not_touch_either() -> None:
    text = f"{lying('c4', 'T', 'north')} d5XLT s"
    assert finals(parse(text), "c4c5") == {"c5"}
    assert not finals(parse(text, no_touch=True), "c4c5")
    with pytest.raises(MoveError, match="touch an opponent's block"):
        parse(text, no_touch=True).play("c4c5")


def test_a_stay_by_end_turn_may_not_touch_either() -> None:
    """X comes up on a2, hemmed in; with North on a3 the block may not stay there."""
    text = f"{lying('a1', 'X', 'north')},b1XLT,b3XLT"
    assert finals(parse(f"{text} g7XLT s", nohop="end_turn", no_touch=True), "a1a2") == {"a2"}
    assert finals(parse(f"{text} a3XLT s", nohop="end_turn"), "a1a2") == {"a2"}
    assert not finals(parse(f"{text} a3XLT s", nohop="end_turn", no_touch=True), "a1a2")


def test_a_hop_that_touches_does_not_become_a_stay() -> None:
    """The hop has a target (b3), only a forbidden one: the tip is illegal, also where a stay is allowed."""
    text = f"{lying('a1', 'X', 'north')},b1XLT b4XLT s"
    assert finals(parse(text, nohop="end_turn"), "a1a2") == {"b3"}
    assert not finals(parse(text, nohop="end_turn", no_touch=True), "a1a2")


def test_own_neighbours_are_fine() -> None:
    text = f"{lying('c3', 'C', 'north')},d5XLT g7XLT s"
    assert finals(parse(text, no_touch=True), "c3c4") == {"c3", "b4", "d4", "c5"}


def test_diagonal_neighbours_are_fine() -> None:
    text = f"{lying('c3', 'C', 'north')} e5XLT s"
    assert finals(parse(text, no_touch=True), "c3c4") == {"c3", "b4", "d4", "c5"}


def test_passing_by_an_opponent_is_fine() -> None:
    """A slider on b4 runs along rank 4 below the block on d5: it may not stop on d4, but beyond it."""
    text = f"{lying('a4', 'L', 'east')} d5XLT s"
    assert finals(parse(text), "a4b4") - finals(parse(text, no_touch=True), "a4b4") == {"d4"}


def test_an_exit_beside_an_opponent_is_fine() -> None:
    text = f"{lying('d5', 'S', 'north')},a1XLT c6XLT,e6XLT,d7XLT s"
    assert finals(parse(text, no_touch=True), "d5d6") == {"d6"}


def test_no_touch_is_off_by_default() -> None:
    assert GAME.read_options({})["no_touch"] is False


# --- facts --------------------------------------------------------------------------------------------------


def test_a_lone_block_needs_at_most_five_turns() -> None:
    """Breadth first by the reference; the compiled table of turns says the same for every block."""
    turns: dict[reference.Block, int] = {}
    successors: dict[reference.Block, set[reference.Block]] = {}
    for name in (square + orientation for square in SQUARES for orientation in ORIENTATIONS):
        block = reference.parse_block(name)
        lone = reference.State((block,), (), "s")
        successors[block] = set()
        for step in reference.ORTHOGONAL:
            tipped = reference.tip_orientation(block.orientation, step)
            ends = reference.turn_ends(lone, block, step, reference.Options())
            if ends and tipped[0] == "S":
                turns[block] = 1
            successors[block] |= {reference.Block(end, tipped) for end in ends}
    for turn in range(2, 8):
        found = [block for block in successors.keys() - turns.keys() if turns.keys() & successors[block]]
        turns.update(dict.fromkeys(found, turn))
    assert len(turns) == len(SQUARES) * 24
    assert max(turns.values()) == 5
    for block, expected in turns.items():
        name = reference.format_block(block)
        other = "a1" if name[:2] != "a1" else "g7"
        assert parse(f"{name} {other}XLT s").core.turns_left(0) == expected


def test_chances_and_keys_of_every_handicap() -> None:
    """Chances add up to 1 however many dice are rolled; no two set-ups share a key."""
    keys = set()
    for south in range(1, 5):
        for north in range(1, 5):
            position = start(south_blocks=south, north_blocks=north)
            keys.add(position.game.table.key(position.raw()))
            assert sum(position.chances().values()) == pytest.approx(1)
            outcomes = position.game.table.outcomes(position.raw())
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
    assert len(keys) == 16


def test_a_state_with_the_key_of_another_is_refused() -> None:
    position = parse("d7CSH a1CHT s")
    raw = position.raw()
    key = raw.index(position.core.key.to_bytes(8, sys.byteorder))
    for at in range(key, key + 8):
        with pytest.raises(ValueError, match="the key is not that of the blocks"):
            position.game.table.kind(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])


def test_state_tells_the_turns_left_of_both_sides() -> None:
    position = parse("d7CSH a1CHT s")
    south, north = (position.core.turns_left(side) for side in (0, 1))
    assert south != north
    assert position.state()["turns_left"] == [south, north]


def test_defaults_of_the_options() -> None:
    assert GAME.read_options({}) == {
        "slider": "free",
        "nohop": "illegal",
        "repetition": "3",
        "no_touch": False,
        "south_blocks": 4,
        "north_blocks": 4,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slider", "short"),
        ("nohop", ""),
        ("repetition", "2"),
        ("no_touch", "yes"),
        ("south_blocks", 0),
        ("south_blocks", 5),
        ("north_blocks", "four"),
        ("north_blocks", "-1"),
        ("north_blocks", "٤"),
        ("north_blocks", "1" * 400),
        ("colour", "red"),
    ],
)
def test_option_values_out_of_range(name: str, value: str | int) -> None:
    with pytest.raises(OptionError, match=name) as caught:
        GAME.start({name: value})
    assert len(str(caught.value).splitlines()) == 1


# --- position strings ---------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(positions(), OPTIONS, st.integers(0, 65535))
def test_position_string_round_trip(text: str, options: dict[str, Any], halfmove: int) -> None:
    position = parse(f"{text} {halfmove}", **options)
    again = parse(position.fen(), **options)
    assert again == position
    assert again.fen() == position.fen()
    assert position.fen() == f"{reference.format_state(reference.parse(text))} {halfmove}"
    assert parse(text, **options).fen().endswith(" 0")


@given(positions(), SEEDS)
def test_order_of_blocks_in_the_string_does_not_matter(text: str, seed: int) -> None:
    south, north, side = text.split()
    rng = random.Random(seed)
    shuffled = [",".join(rng.sample(field.split(","), field.count(",") + 1)) for field in (south, north)]
    assert parse(" ".join([*shuffled, side])) == parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 fields"),
        ("d1XLT d7XLT", "2 fields"),
        ("d1XLT d7XLT s 0 setup:1v1:X more", "6 fields"),
        ("d1XLT d7XLT w", "side 'w', expected s or n"),
        ("d1XLT d7XLT S", "side 'S', expected s or n"),
        ("d1XLT d7XLT s -1", "halfmove '-1', expected a whole number"),
        ("d1XLT d7XLT s 65536", "halfmove '65536', expected a whole number up to 65535"),
        ("d1XLT d7XLT s 99999999999999999999", "halfmove"),
        ("d1XLT d7XLT s ٣", "halfmove '٣'"),
        ("d1XLT d7XLT s x", "halfmove 'x'"),
        ("- - s", "neither side has a block left"),
        ("a1XLT,b1XLT,c1XLT,e1XLT,f1XLT d7XLT s", "south: 5 blocks, expected at most 4"),
        ("d1XLT a1XLT,b1XLT,c1XLT,e1XLT,f1XLT s", "north: 5 blocks, expected at most 4"),
        ("d1XL d7XLT s", "south: 'd1XL' is no block"),
        ("d1XLT d7XLTS s", "north: 'd7XLTS' is no block"),
        ("h1XLT d7XLT s", "south: 'h1XLT' is no block"),
        ("a8XLT d7XLT s", "south: 'a8XLT' is no block"),
        ("a0XLT d7XLT s", "south: 'a0XLT' is no block"),
        ("D1XLT d7XLT s", "south: 'D1XLT' is no block"),
        ("d1QLT d7XLT s", "south: 'd1QLT' is no block"),
        ("d1XLT, d7XLT s", "south: '' is no block"),
        ("d1xlt d7XLT s", "south: 'd1xlt' is no block"),
        ("d\uff11XLT d7XLT s", "is no block"),
        ("d1XXT d7XLT s", "south: block d1XXT: these three faces do not meet"),
        ("d1XCL d7XLT s", "south: block d1XCL: these three faces do not meet"),
        ("d1SLC d7XLT s", "south: block d1SLC: a mirror image"),
        ("d2XLT d7XLT s", "south: block d2XLT: d2 is a star square"),
        ("d1XLT d6XLT s", "north: block d6XLT: d6 is a star square"),
        ("d1XLT d1XLT s", "two blocks stand on d1"),
        ("d1XLT,d1CTL d7XLT s", "two blocks stand on d1"),
        ("- - s 0 setup:5v4:XXXX", "setup"),
        ("- - s 0 setup:0v4:XXXX", "setup"),
        ("- - s 0 setup:4v4:", "setup"),
        ("- - s 0 setup:4v4:XXXXX", "setup"),
        ("- - s 0 nonsense", "'nonsense'"),
        ("- - s 0 setup:4v4:XXX", "do not add up"),
        ("- c5XLT s 0 setup:4v4:XXXX", "do not add up"),
        ("- c5XLT s 0 setup:4v4:-", "before the first of them is placed"),
        ("- d7XLT s 0 setup:4v4:XXX", "start square"),
        ("c1XLT - s 0 setup:4v4:XXXX", "South places all north blocks first"),
        ("- - n 0 setup:4v4:XXXX", "South places all north blocks first"),
        ("- c5XLT n 0 setup:4v4:XXXX", "South places all north blocks first"),
        ("- d7XLT n 0 setup:2v2:XX", "South places all north blocks first"),
        ("d1XLT c7XLT,e7XLT n 0 setup:2v2:X", "start square"),
    ],
)
def test_position_error(text: str, words: str) -> None:
    with pytest.raises(PositionError) as caught:
        parse(text)
    message = str(caught.value)
    assert words in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "- c1XLT,e1XLT,c3XLT,e3XLT n 0 setup:4v4:XXXX",
        "- a1XLT,b1XLT,c4XLT,d4XLT n 0 setup:4v4:-",
        "- d1XLT n 0 setup:1v1:-",
    ],
)
def test_set_up_wants_the_blocks_already_placed_on_start_squares(text: str) -> None:
    """Else the blocks that come next could land on top of them."""
    with pytest.raises(PositionError, match="start square"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "- - s 0 setup:4v4:-",
        "- - s 0 setup:1v3:CLH",
        "- c5XLT s 0 setup:4v4:CLH",
        "- d7XLT n 0 setup:2v1:-",
        "c1XLT d7XLT n 0 setup:2v1:S",
    ],
)
def test_set_up_position_round_trip(text: str) -> None:
    position = parse(text)
    assert position.fen() == text
    assert parse(position.fen()) == position


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        position = parse(text)
    except PositionError as error:
        check_one_line(error)
    else:
        assert parse(position.fen()) == position


@settings(max_examples=200)
@given(
    st.text(alphabet="abcdefgh0123456789STCXLHsn,- v:", max_size=60)
    | st.from_regex(
        r"([a-h][1-8][STCXLH]{3},?){0,5} ([a-h][1-8][STCXLH]{3},?){0,5} [snw]"
        r"( [0-9]{1,6})?( setup:[1-5]v[1-4]:[STCXLH-]{1,4})?",
        fullmatch=True,
    )
)
def test_nearly_right_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        position = parse(text)
    except PositionError as error:
        check_one_line(error)
    else:
        assert parse(position.fen()) == position


# --- moves --------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(positions(), OPTIONS)
def test_move_round_trip(text: str, options: dict[str, Any]) -> None:
    position = parse(text, **options)
    for token in position.tokens():
        (action,) = position.actions(token)
        assert position.line([action]) == [token]
        assert action in position.core.actions()
    half = position.count() // 2
    assert position.tokens(0, half) + position.tokens(half) == position.tokens()


ONE_EACH = f"{lying('d3', 'C', 'north')},a1XLT g7XLT,a2XLT s"


@pytest.mark.parametrize(
    ("text", "token", "words"),
    [
        (START, "", "not a move"),
        (START, "c1", "not a move"),
        (START, "c1c2c3c4", "not a move"),
        (START, "C1C2C3", "not a move"),
        (START, "c1c2h3", "not a move"),
        (START, "c1c2c3 ", "not a move"),
        (START, "\x00", "not a move"),
        (START, "roll:XXXX", "no dice are to be rolled here"),
        (START, "0000", "a pass is legal only when no other move is"),
        (START, "d4d5d6", "South has no block on d4"),
        (START, "c7c6c5", "South has no block on c7"),
        (START, "c1c3c4", "c3 is not one orthogonal step from c1"),
        (START, "c1d2d3", "d2 is not one orthogonal step from c1"),
        (START, "c1c1c2", "c1 is not one orthogonal step from c1"),
        (ONE_EACH, "a1a2a3", "a2 is occupied"),
        (ONE_EACH, "d3d4", "the tip brings up cross and the block must hop, expected one of"),
        (ONE_EACH, "d3d4d6", "the tip brings up cross, and no hop ends on a star square"),
        (f"{lying('d3', 'S', 'north')} g7XLT s", "d3d4", "star, which is legal only onto d6"),
        (
            f"{lying('d5', 'S', 'north')} g7XLT s",
            "d5d6d7",
            "star and the block leaves the board, expected d5d6",
        ),
        (f"{lying('d5', 'C', 'north')} g7XLT s", "d5d6d7", "only a star may be tipped onto a star square"),
        (f"{lying('d3', 'T', 'north')} g7XLT s", "d3d4d5", "stop and the block stays, expected d3d4"),
        (NO_TARGET, "a1a2b3", "x and the block has no square to hop to"),
        (SOUTH_BLOCKED, "d1d2", "no move is possible, expected the forced pass 0000"),
        (BOTH_BLOCKED, "0000", "the game is over (draw: both sides are blocked)"),
        ("- d7XLT s", "d7d6", "the game is over (South wins)"),
        ("- - s 0 setup:4v4:-", "c5XLT", "South rolls first, expected roll: and 4 of the faces STCXLH"),
        ("- - s 0 setup:4v4:-", "roll:XXX", "expected roll: and 4 of the faces STCXLH"),
        ("- - s 0 setup:4v4:-", "roll:XXXQ", "expected roll: and 4 of the faces STCXLH"),
        ("- - s 0 setup:4v2:-", "roll:XXXX", "expected roll: and 2 of the faces STCXLH"),
        ("- - s 0 setup:4v4:-", "roll:", "expected roll: and 4 of the faces STCXLH"),
        ("- - s 0 setup:4v4:XXXC", "roll:XXXC", "no dice are to be rolled here"),
        ("- - s 0 setup:4v4:XXXC", "c1c2c3", "not a placement"),
        ("- - s 0 setup:4v4:XXXC", "c5XLC", "XLC is no orientation of the cube"),
        ("- - s 0 setup:4v4:XXXC", "c5SLX", "face S is not left to place, expected one of CXXX"),
        ("- - s 0 setup:4v4:XXXC", "d4XLT", "d4 is not a free start square, expected one of c5, c7, e5, e7"),
        ("- c5XLT s 0 setup:4v4:XXC", "c5XLT", "c5 is not a free start square, expected one of c7, e5, e7"),
    ],
)
def test_move_error(text: str, token: str, words: str) -> None:
    position = parse(text)
    before = position.fen()
    with pytest.raises(MoveError) as caught:
        position.play(token)
    message = str(caught.value)
    assert words in message
    assert len(message.splitlines()) == 1
    assert position.fen() == before


@settings(max_examples=150)
@given(
    positions(),
    OPTIONS,
    st.text(max_size=12) | st.from_regex(r"([a-g][1-7]){1,4}|roll:[STCXLH]{0,5}|[a-g][1-7][STCXLH]{3}", fullmatch=True),
)
def test_any_token_is_played_or_refused_in_one_line(text: str, options: dict[str, Any], token: str) -> None:
    position = parse(text, **options)
    try:
        played = position.play(token)
    except MoveError as error:
        check_one_line(error)
        refused = token not in position.tokens()
        assert refused
    else:
        assert token in position.tokens()
        assert played.core.halfmove == position.core.halfmove + 1


def test_every_illegal_tip_and_final_square_is_refused_with_a_reason() -> None:
    """All 49 x 49 x 50 readings of a move of one position, the legal ones left out."""
    position = parse(ONE_EACH, no_touch=True)
    squares = [*SQUARES, "d2", "d6"]
    legal = set(position.tokens())
    for origin in ("d3", "a1", "g7", "b4"):
        for tip in squares:
            for final in ["", *squares]:
                token = origin + tip + final
                if token not in legal:
                    assert all(position.why_illegal(token))
                    with pytest.raises(MoveError):
                        position.actions(token)


def test_dice_are_refused_where_nothing_is_rolled() -> None:
    with pytest.raises(MoveError, match="no dice are to be rolled here"):
        parse(START).roll(1)


def test_perft_is_refused_during_the_set_up() -> None:
    with pytest.raises(PositionError, match="not of the set-up"):
        start().perft(1)


def test_move_number_counts_every_turn_and_stays_at_its_greatest() -> None:
    position = parse(SHUFFLE + " 65534", repetition="off")
    assert [after(position, *ROUND[:plies]).core.halfmove for plies in range(4)] == [
        65534,
        65535,
        65535,
        65535,
    ]
    assert parse(after(position, *ROUND).fen()).core.halfmove == 65535
    assert parse(SOUTH_BLOCKED).play("0000").core.halfmove == 1


def test_a_long_game_goes_on() -> None:
    position = after(parse(SHUFFLE, repetition="off"), *ROUND * 300)
    assert position.core.halfmove == 1200
    assert position.history() == ()


# --- drawing and state --------------------------------------------------------------------------------------

SHOWN = [
    START,
    BOTH_BLOCKED,
    "- d7XLT s",
    "- - s 0 setup:4v4:-",
    "- c5XLT s 0 setup:4v4:CLH",
    "a1SLX g7THX n 65535",
]


@pytest.mark.parametrize("text", SHOWN)
def test_svg_is_well_formed_and_shows_every_block(text: str) -> None:
    position = parse(text)
    root = ElementTree.fromstring(position.svg())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    whole, *titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert whole.startswith("Deblockle board")
    blocks = position.state()["blocks"]
    for title, block in zip(titles, blocks, strict=True):
        assert title.startswith(f"{'South' if block['side'] == 's' else 'North'} {block['square']}: ")
        assert f"up {FACE_NAMES[block['up']]}, " in title


@pytest.mark.parametrize("text", SHOWN)
def test_text_drawing_shows_board_blocks_and_position(text: str) -> None:
    position = parse(text)
    lines = position.text().splitlines()
    assert lines[0].split() == list("abcdefg")
    for rank in range(7, 0, -1):
        row = lines[8 - rank]
        assert row.split()[0] == row.split()[-1] == str(rank)
        for block in position.state()["blocks"]:
            if block["square"][1] == str(rank):
                at = 4 + 4 * "abcdefg".index(block["square"][0])
                assert row[at : at + 3] == (f" {block['up']} " if block["side"] == "s" else f"({block['up']})")
    assert lines[-1] == f"Position: {position.fen()}"


def test_text_drawing_says_who_does_what() -> None:
    def line(text: str) -> str:
        return parse(text).text().splitlines()[-2]

    assert line(START) == "South to move"
    assert line("- - s 0 setup:4v4:-") == "South to roll"
    assert line("- - s 0 setup:4v4:XXXC") == "South to place CXXX"
    assert line("- d7XLT s") == "Over: South wins"
    assert line(BOTH_BLOCKED) == "Over: draw: both sides are blocked"


def consistent(position: DeblocklePosition) -> None:
    """Check the JSON state of a position against the position itself."""
    state = json.loads(json.dumps(position.state()))
    assert state == position.state()
    assert state["fen"] == position.fen()
    assert state["turn"] == "sn"[position.player()]
    assert state["kind"] == position.kind().name.lower()
    assert state["legal"] == (position.tokens() if position.kind() is Kind.DECISION else [])
    assert state["result"] == position.result()
    assert tuple(state["returns"]) == position.returns()
    assert state["stars"] == {"s": "d2", "n": "d6"}
    assert (state["files"], state["ranks"]) == ("abcdefg", 7)
    for side, field in zip("sn", position.fen().split(), strict=False):
        shown = [
            block["square"] + block["up"] + block["north"] + block["east"]
            for block in state["blocks"]
            if block["side"] == side
        ]
        assert (",".join(shown) or "-") == field
    for block in state["blocks"]:
        for one, other in (("up", "down"), ("north", "south"), ("east", "west")):
            assert reference.OPPOSITE[block[one]] == block[other]


@settings(max_examples=60)
@given(positions(), OPTIONS)
def test_state_is_consistent(text: str, options: dict[str, Any]) -> None:
    consistent(parse(text, **options))


@pytest.mark.parametrize("text", SHOWN)
def test_state_of_unusual_positions_is_consistent(text: str) -> None:
    consistent(parse(text))


def test_state_names_the_phase_of_the_set_up() -> None:
    assert start().state()["phase"] == "roll"
    placing = start().play("roll:XXLC").state()
    assert (placing["phase"], placing["unplaced"]) == ("place", "CXXL")
    assert parse(START).state()["phase"] == "play"


# --- static evaluation --------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(positions(), OPTIONS)
def test_evaluation_is_the_sum_of_the_weights_and_alike_for_both_colours(text: str, options: dict[str, Any]) -> None:
    """What a position shows does not change when the board is turned and the colours are swapped."""
    opposite = dict(zip("STCXLH", "TSXCHL", strict=True))
    names = _deblockle.ORIENTATION_NAMES
    half = [names.index(name[0] + opposite[name[1]] + opposite[name[2]]) for name in names]
    state = parse(text, **options).core
    turned = [[(54 - square, half[lies]) for square, lies in state.blocks(side)] for side in (0, 1)]
    other = state.replaced(turned[1], turned[0], 1 - state.side, 0)
    assert sorted(state.features()) == sorted(other.features())
    slider = ("free", "full", "full_or_beside_star").index(options["slider"])
    weights = _deblockle.weights(slider, options["no_touch"])
    total = sum(weights[index] for index in state.features())
    expected = math.tanh(max(min(total / 1024, 8), -8) / 2)
    assert state.evaluate()[state.side] == pytest.approx(expected, abs=0.003)
    assert state.evaluate()[0] == -state.evaluate()[1]


def test_features_are_those_of_a_position_in_play() -> None:
    for text in ("- d7XLT s", "- - s 0 setup:4v4:-"):
        with pytest.raises(ValueError, match="in play"):
            parse(text).core.features()
    with pytest.raises(ValueError, match="slider"):
        _deblockle.weights(3, False)
