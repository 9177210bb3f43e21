"""Number Drop against the plain reference: random games through both, state by state."""

from __future__ import annotations

import random
from typing import Any

import pytest
from blockwit import _numberdrop
from blockwit.games.base import Kind
from blockwit.games.numberdrop.position import (
    BLOCK,
    DROP,
    GAME,
    LETTERS,
    PIECES,
    ROLL,
    SLIDE,
    TILE,
    WRITE,
    NumberDropPosition,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import numberdrop as ref

PHASES = {TILE: "deal", WRITE: "start", ROLL: "roll", SLIDE: "slide", BLOCK: "block", DROP: "drop", 7: "over"}


def reference_options(options: dict[str, Any]) -> ref.Options:
    given = dict(options)
    if given.get("solo"):
        given["players"] = 1
    if "over_row" in given:
        given["over_row"] = int(given["over_row"])
    if "," in given.get("tiles", ""):
        given["tiles"] = tuple(given["tiles"].split(","))
    return ref.Options(**given)


def cell_of(name: str) -> ref.Cell:
    return int(name[1:]) - 1, "abcdefg".index(name[0])


def assert_same(position: NumberDropPosition, state: ref.State, options: ref.Options) -> None:
    seen = position.state()
    assert PHASES[position.phase] == state.phase
    assert seen["active"] == state.active + 1
    if state.phase in ("slide", "block", "drop", "start"):
        assert seen["turn"] == state.pending[0] + 1
    if state.roll is not None:
        assert seen["dice"] is not None
        assert sorted(seen["dice"]["numbers"]) == list(state.roll.numbers)
        assert seen["dice"]["shape"] == state.roll.shape
    assert seen["fires"] == (state.letter if state.phase == "block" else None)
    if options.solo and state.tiles:
        assert tuple(entry["notch"] for entry in seen["letters"]) == state.notches
    for sheet, want in zip(seen["sheets"], state.sheets, strict=True):
        assert tuple(reversed(sheet["rows"])) == want.rows
        assert {cell_of(name) for claim in sheet["claims"] for name in claim["cells"]} == want.used
        boxes = {claim["box"] for claim in sheet["claims"]}
        assert boxes == (
            {f"I{k}" for k in want.identical} | {f"S{k}" for k in want.straights} | ({"B8"} if want.bonus else set())
        )
        assert set(sheet["circled"]) == want.circled
        crossed = {entry["letter"] for entry in seen["letters"] if entry["crossed"]}
        # The reference crosses a letter when it fires, the engine once its tiles have dropped.
        assert crossed | ({seen["fires"]} if seen["fires"] else set()) == want.crossed
        score = ref.score(want, options)
        got = sheet["score"]
        assert got == {
            "full_rows": score.rows,
            "rows_over_the_line": score.over_rows,
            "identical": score.identical,
            "straights": score.straights,
            "columns": score.columns,
            "bonus": score.bonus,
            "total": score.total,
        }
        assert got["total"] == sum(points for part, points in got.items() if part != "total")


def placed(action: int, base: NumberDropPosition) -> tuple[ref.Cells, str]:
    """Return the cells, bottom row first, that a drop or block action writes, and the digits in that order."""
    before = _numberdrop.unpack(base.raw())
    after = _numberdrop.unpack(_numberdrop.play(base.raw(), action))
    player = before[5]
    old, new = before[-1][player][0], after[-1][player][0]
    written = [i for i in range(98) if old[i] != new[i]]
    digits = "".join("X" if new[i] == 10 else str(new[i]) for i in written)
    return tuple((i // 7, i % 7) for i in written), digits


def check_drops(position: NumberDropPosition, state: ref.State, rng: random.Random) -> None:
    assert state.roll is not None
    sheet = state.sheets[state.pending[0]]
    count = _numberdrop.count_actions(position.raw())
    assert count == max(1, ref.count_drops(sheet, state.roll))
    if ref.count_drops(sheet, state.roll) == 0:
        return
    if count <= 300:
        ours = [placed(action, position) for action in _numberdrop.list_range(position.raw(), 0, count)]
        assert sorted(ours) == sorted((drop.cells, drop.digits) for drop in ref.legal_drops(sheet, state.roll))
        return
    for _ in range(5):
        (action,) = _numberdrop.list_range(position.raw(), rng.randrange(count), 1)
        assert ref.is_legal_drop(sheet, state.roll, ref.Drop(*placed(action, position)))


def claim_of(action: int) -> ref.Claim:
    size = action >> 4 & 15
    cells = frozenset(divmod(action >> (8 + 7 * i) & 127, 8) for i in range(size))
    return ref.Claim("I" if not action >> 3 & 1 else "S", size, cells)


def step(
    position: NumberDropPosition, state: ref.State, options: ref.Options, rng: random.Random, skill: int
) -> tuple[NumberDropPosition, ref.State]:
    """Make one move or roll in both; `skill` is how often in ten a good move is made instead of any."""
    good = rng.randrange(10) < skill
    if state.phase == "deal":
        tiles = []
        for _ in LETTERS:
            token = position.roll(rng.getrandbits(60))
            position = position.play(token)
            tiles.append(token.removeprefix("tile:"))
        return position, ref.apply_deal(state, tuple(tiles), options)
    if state.phase == "roll":
        token = position.roll(rng.getrandbits(60))
        return position.play(token), ref.apply_roll(state, ref.parse_roll(token), options)
    if state.phase == "start":
        token = rng.choice(position.tokens())
        return position.play(token), ref.apply_start(state, cell_of(token.removeprefix("write:"))[1])
    if state.phase == "slide":
        tokens = position.tokens()
        assert sorted(tokens) == [f"slide:{letter}" for letter in ref.legal_slides(state)]
        token = rng.choice(tokens)
        return position.play(token), ref.apply_slide(state, token[-1], options)
    if state.phase == "block":
        actions = _numberdrop.list_range(position.raw(), 0, 1000)
        choices = ref.block_choices(state)
        if not choices:
            return position.play("x:skip"), ref.apply_block(state, None, options)
        assert sorted(placed(action, position)[0] for action in actions) == choices
        action = _numberdrop.best(position.raw(), 1)[0][0] if good else rng.choice(actions)
        (token,) = position.line([action])
        return position.play(token), ref.apply_block(state, placed(action, position)[0], options)
    check_drops(position, state, rng)
    count = _numberdrop.count_actions(position.raw())
    if good:
        drop = rng.choice(_numberdrop.best(position.raw(), 3))[0]
    else:
        (drop,) = _numberdrop.list_range(position.raw(), rng.randrange(count), 1)
    sheet = state.sheets[state.pending[0]]
    move = None if position.line([drop]) == ["skip"] else ref.Drop(*placed(drop, position))
    after = sheet if move is None else ref.apply_drop(sheet, move)
    dropped = _numberdrop.play(position.raw(), drop)
    claims = _numberdrop.list_range(dropped, 0, 1_000_000)
    listed = [claim_of(action) for action in claims if action >> 4 & 15]
    wanted = ref.legal_claims(after, options)
    assert len(claims) == len(listed) + 1
    assert len(listed) == len(set(listed)) == len(wanted)
    assert set(listed) == set(wanted)
    claim = _numberdrop.best(dropped, 1)[0][0] if good else rng.choice(claims)
    (token,) = position.line([drop, claim])
    made = claim_of(claim) if claim >> 4 & 15 else None
    return position.play(token), ref.apply_turn(state, move, made, options)


def run(options: dict[str, Any], seed: int, skill: int) -> None:
    rng = random.Random(seed)
    position = GAME.start(options)
    reference = reference_options(options)
    state = ref.new_game(reference)
    bounds: list[list[tuple[int, int]]] = []
    for _ in range(1000):
        assert_same(position, state, reference)
        assert GAME.parse(position.fen(), options) == position
        bounds.append([_numberdrop.limits(position.raw(), player) for player in range(len(state.sheets))])
        if position.kind() is Kind.TERMINAL:
            assert state.phase == "over"
            for player, points in enumerate(position.returns()):
                assert bounds[-1][player] == (points * 10_000, points * 10_000)
                assert all(low[player][0] <= points * 10_000 <= low[player][1] for low in bounds)
            return
        position, state = step(position, state, reference, rng, skill)
    raise AssertionError("the game does not end")


SETTINGS = settings(max_examples=6, deadline=None, derandomize=True)
SEEDS = st.integers(min_value=0, max_value=2**32)
SKILLS = st.sampled_from([0, 5, 9, 10, 10])


@pytest.mark.parametrize("players", [1, 2, 4, 6])
@SETTINGS
@given(
    seed=SEEDS,
    skill=SKILLS,
    dead_letter=st.sampled_from(["literal", "autocross"]),
    straight=st.sampled_from(["path", "set"]),
    tiles=st.sampled_from(["pool10", "extra5", "X5,U5,I4,V3,T5"]),
)
def test_random_games(players: int, seed: int, skill: int, dead_letter: str, straight: str, tiles: str) -> None:
    run(
        {"players": players, "dead_letter": dead_letter, "straight": straight, "tiles": tiles},
        seed,
        skill,
    )


@SETTINGS
@given(
    seed=SEEDS,
    skill=SKILLS,
    solo_end=st.sampled_from(["turn", "now"]),
    dice=st.sampled_from(["bga", "bev"]),
    over_row=st.sampled_from(["-5", "0"]),
)
def test_random_solo_games(seed: int, skill: int, solo_end: str, dice: str, over_row: str) -> None:
    run({"solo": True, "solo_end": solo_end, "dice": dice, "over_row": over_row}, seed, skill)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [{"players": 1}, {"players": 2}, {"players": 4}, {"players": 6}, {"solo": True}])
def test_many_random_games(mode: dict[str, Any]) -> None:
    for seed in range(24):
        extra = {
            "dice": ("bga", "bev")[seed % 2],
            "straight": ("path", "set")[seed // 2 % 2],
            "dead_letter": ("literal", "autocross")[seed // 4 % 2],
            "solo_end": ("turn", "now")[seed // 4 % 2],
        }
        run({**mode, **extra}, seed, (0, 8, 10)[seed % 3])


@pytest.mark.parametrize("dice", ["bga", "bev"])
def test_rolls(dice: str) -> None:
    position = GAME.start({"dice": dice, "tiles": "I4,I4,O4,T4,V3"})
    position = position.play("write:a1").play("write:g1")
    options = ref.Options(dice=dice)
    chances = position.chances()
    wanted = ref.roll_outcomes(options)
    assert {ref.parse_roll(token) for token in chances} == set(wanted)
    for token, chance in chances.items():
        assert chance == pytest.approx(float(wanted[ref.parse_roll(token)]))


def test_orientations() -> None:
    for number, name in enumerate(PIECES):
        ours = {
            tuple(sorted(_numberdrop.orientation_cells(number, i)))
            for i in range(_numberdrop.orientation_count(number))
        }
        assert ours == set(ref.orientations(name))


def digit_sheets() -> st.SearchStrategy[list[str]]:
    row = st.text(alphabet="1122334X.", min_size=7, max_size=7)
    return st.lists(row, min_size=1, max_size=5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(rows=digit_sheets(), straight=st.sampled_from(["path", "set"]))
def test_claims_of_any_sheet(rows: list[str], straight: str) -> None:
    """Dense sheets of few digits: groups and runs of every form."""
    grid = [list(row) for row in rows]
    # Fill what hangs in the air or would leave row 1 empty: only positions that rules allow can be read.
    for r, row in enumerate(grid):
        for c, mark in enumerate(row):
            if mark == "." and (r == 0 or any(grid[up][c] != "." for up in range(r, len(grid)))):
                row[c] = "X"
    lines = ["".join(row) for row in grid] + ["......."] * (14 - len(grid))
    cells = "/".join(line.replace(".......", "g") for line in reversed(lines))
    for width in range(7, 0, -1):
        cells = cells.replace("." * width, "abcdefg"[width - 1])
    fen = f"1 I4,O4,T4,S4,L4 - 1 drop:1 1234I {cells},-,-,-"
    options = {"straight": straight}
    position = GAME.parse(fen, options)
    raw = _numberdrop.play(position.raw(), _numberdrop.list_range(position.raw(), 0, 1)[0])
    written = _numberdrop.unpack(raw)[-1][0][0]
    marks = "".join("." if mark == 255 else "X" if mark == 10 else str(mark) for mark in written)
    sheet = ref.Sheet(rows=tuple(marks[7 * row : 7 * row + 7] for row in range(14)))
    wanted = ref.legal_claims(sheet, ref.Options(players=1, straight=straight))  # type: ignore[arg-type]
    listed = [claim_of(a) for a in _numberdrop.list_range(raw, 0, 10**6) if a >> 4 & 15]
    assert sorted(map(repr, listed)) == sorted(map(repr, set(listed)))
    assert set(listed) == set(wanted)
