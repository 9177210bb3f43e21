"""Positions of NMBR 9: notation, limits of the board, keys, drawings, forged input. The rules: test_nmbr9.py."""

from __future__ import annotations

import contextlib
import random

import pytest
from blockwit import _nmbr9
from blockwit.errors import MoveError, PositionError
from blockwit.games.base import Kind
from blockwit.games.nmbr9.position import (
    FAR,
    FREE,
    GAME,
    KNOWN,
    SHAPES,
    Nmbr9Position,
    Tile,
    build_position,
    read_tile,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import nmbr9 as reference


def stack(*moves: str, deck: str = "0123456789") -> Nmbr9Position:
    """Play moves in a free game with these digits left over."""
    tiles = [read_tile(move) for move in moves]
    return build_position(tiles, FREE, [int(d) for d in deck], len(deck))


def test_corners_do_not_connect() -> None:
    # 1b is four columns wide; its cells begin right above and beside the corner of the other tile.
    base = stack("9a@0,0,0")
    corner = next(
        tile
        for tile in (Tile(1, r, x, y, 0) for r in range(4) for x in range(-5, 6) for y in range(-5, 6))
        if _only_corner(tile, read_tile("9a@0,0,0"))
    )
    with pytest.raises(MoveError, match="not adjacent"):
        base.play(str(corner))


def _only_corner(tile: Tile, other: Tile) -> bool:
    pairs = [(abs(a - c), abs(b - d)) for a, b in tile.cells() for c, d in other.cells()]
    return (1, 1) in pairs and (0, 0) not in pairs and (0, 1) not in pairs and (1, 0) not in pairs


def _carrying_base() -> Nmbr9Position:
    """Two tiles side by side that carry something."""
    base = stack("9a@0,0,0")
    for token in base.tokens():
        after = base.play(token)
        if token.startswith("5") and any(t.endswith(",1") for t in after.tokens()):
            return after
    raise AssertionError("no pair of tiles carries anything")


def test_a_hole_beneath_is_not_allowed() -> None:
    # A 0 has a hole of two cells: whatever covers it hangs over nothing.
    base = stack("0a@0,0,0", "9a@3,0,0")
    with pytest.raises(MoveError, match="overhang: nothing lies beneath its square 1,1"):
        base.play("5b@1,0,1")


def test_an_unknown_deck_draws_first() -> None:
    position = GAME.start({})
    assert position.kind() is Kind.CHANCE
    with pytest.raises(MoveError, match="a card has to be drawn first"):
        position.play("3a@0,0,0")
    held = position.play("draw:3")
    assert held.fen() == "- 3?0011223445566778899"
    assert held.kind() is Kind.DECISION
    assert GAME.parse(held.fen(), {}) == held
    assert held.play("3a@0,0,0").kind() is Kind.CHANCE


def test_a_card_is_drawn_twice_at_most() -> None:
    position = GAME.start({}).play("draw:3").play("3a@0,0,0").play("draw:3")
    position = position.play(position.tokens(0, 1)[0])
    with pytest.raises(MoveError, match="no 3 is left"):
        position.play("draw:3")


def test_a_third_copy_is_refused() -> None:
    with pytest.raises(PositionError, match="3 tiles of digit 9"):
        GAME.parse("9a@0,0,0,9a@3,0,0 9", {})


def test_half_turns_of_0_and_8_are_the_same_tile() -> None:
    assert str(read_tile("8c@1,2,3")) == "8a@1,2,3"
    assert str(read_tile("0d@1,2,3")) == "0b@1,2,3"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "- 3 4",
        "- x",
        "- */3",
        "- *12/3",
        "- 3*1/1",
        "7e@0,0,0 1",
        "7a@0,0,0,7a@0,0,0 1",
        "- ?/0/1",
        "- /3",
    ],
)
def test_bad_positions_are_one_clear_line(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.parse(text, {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "7", "7b@", "7b@1,2", "7e@1,2,0", "7b@99999,0,0", "draw:7", "7b@0,0,0 "])
def test_bad_moves_are_one_clear_line(token: str) -> None:
    with pytest.raises(MoveError) as caught:
        GAME.parse("- 71", {}).play(token)
    assert "\n" not in str(caught.value)


def test_free_start_counts() -> None:
    position = GAME.start({"Problem": "F-9-2-20"})
    assert position.count() == 36
    assert position.perft(2) == sum(position.play(token).count() for token in position.tokens())


def test_wide_stacks_keep_all_their_bits() -> None:
    # A row of tiles wider than 64 columns: every rule still holds at its far end.
    tiles: list[Tile] = []
    x = 0
    for digit in [0, 0, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8, 9, 9]:
        rotation = next(r for r, cells in enumerate(SHAPES[digit]) if max(c for c, _ in cells) == 3)
        row = min(
            y
            for y in range(-4, 5)
            if not tiles or reference.share_edge(_cells(Tile(digit, rotation, x, y, 0)), _cells(tiles[-1]))
        )
        tiles.append(Tile(digit, rotation, x, row, 0))
        x += 4
    position = build_position(tiles, KNOWN, [7], 1)
    ours = set(position.tokens())
    theirs = {
        reference.format_placement(p)
        for p in reference.legal_placements([reference.parse_placement(str(t)) for t in tiles], 7)
    }
    assert ours == theirs
    assert max(read_tile(t).x for t in ours) > 60


def _cells(tile: Tile) -> frozenset[tuple[int, int]]:
    return frozenset(tile.cells())


def test_keys_do_not_depend_on_place_or_order() -> None:
    one = stack("9a@0,0,0", "0a@3,0,0")
    moved = stack("9a@7,-5,0", "0a@10,-5,0")
    other_order = stack("0a@3,0,0", "9a@0,0,0")
    assert one.key() == moved.key() == other_order.key()
    assert one.key() != stack("9a@0,0,0", "0a@3,1,0").key()


def test_drawings_show_every_level() -> None:
    base = _carrying_base()
    after = base.play(next(token for token in base.tokens() if token.endswith(",1")))
    assert "level 0: " in after.text()
    assert "level 1: " in after.text()
    assert "level 0, the table" in after.svg()
    assert "level 1: 7 x 1 = 7" in after.svg()
    assert "level 2" not in after.svg()
    state = after.state()
    assert state["score"] == after.score
    assert [p["move"] for p in state["placed"]] == [str(tile) for tile in after.tiles]


@pytest.mark.parametrize("raw", [b"", b"x" * 10, b"\xff" * 204])
def test_compiled_rules_refuse_forged_states(raw: bytes) -> None:
    with pytest.raises(ValueError, match="state"):
        _nmbr9.score(raw)


def test_compiled_rules_refuse_placements_out_of_range() -> None:
    raw = GAME.start({"Problem": "F-9-2-20"}).raw()
    for fields in [
        (10, 0, 0, 0, 0),
        (0, 2, 0, 0, 0),
        (1, 4, 0, 0, 0),
        (1, 0, 20_000, 0, 0),
        (1, 0, 0, 0, 10),
    ]:
        with pytest.raises(ValueError, match="out of range"):
            _nmbr9.legal(raw, *fields)
    with pytest.raises(ValueError, match="not"):
        _nmbr9.play(raw, 2**63)


EDGES = st.sampled_from((-FAR, -FAR + 3, 0, FAR - 2, FAR))


def accepted(position: Nmbr9Position, digit: int) -> set[str]:
    """Return the placements of a digit that are accepted, of all near the stack."""
    columns, rows = ([getattr(tile, name) for tile in position.tiles] for name in ("x", "y"))
    found = set()
    for x in range(min(columns) - 5, max(columns) + 6):
        for y in range(min(rows) - 5, max(rows) + 6):
            for rotation in range(len(SHAPES[digit])):
                for level in range(2 + max(tile.level for tile in position.tiles)):
                    token = str(Tile(digit, rotation, x, y, level))
                    with contextlib.suppress(MoveError):
                        position.play(token)
                        found.add(token)
    return found


@given(EDGES, EDGES, st.integers(-1, 1), st.integers(-1, 1), st.permutations([0, 1, 2, 3, 4, 5, 6, 7]), st.integers())
@settings(max_examples=15, deadline=None)
def test_what_is_listed_is_what_is_accepted_at_the_edges_too(
    x: int, y: int, right: int, up: int, deck: list[int], seed: int
) -> None:
    """Stacks that begin at a corner of what the first tile may, and grow outward: listed, accepted and read alike."""
    rng = random.Random(seed)
    first, *others = deck
    position = GAME.parse(f"{first}a@{x},{y},0 {''.join(map(str, others))}", {})
    while position.kind() is Kind.DECISION:
        tokens = position.tokens()
        for token in tokens:
            position.actions(token)
        if position.left in (4, 7):
            assert accepted(position, position.deck[0]) == set(tokens)
        tiles = [read_tile(token) for token in rng.sample(tokens, min(9, len(tokens)))]
        outermost = max(tiles, key=lambda tile: (tile.x * right + tile.y * up, tile.level))
        position = position.play(str(outermost))
        assert GAME.parse(position.fen(), {}) == position


@pytest.mark.parametrize("token", [f"3a@{FAR + 1},0,0", f"3a@0,{-FAR - 1},0"])
def test_first_tile_beyond_the_edge_is_refused_everywhere(token: str) -> None:
    position = GAME.parse("- 31", {})
    with pytest.raises(MoveError, match="the first tile lies too far out, expected columns and rows from -10000"):
        position.play(token)
    with pytest.raises(PositionError, match="the first tile lies too far out"):
        GAME.parse(f"{token} 1", {})
    tile = read_tile(token)
    assert not _nmbr9.legal(position.raw(), *tile)
    with pytest.raises(ValueError, match="not legal here"):
        _nmbr9.play(position.raw(), _nmbr9.encode_placement(*tile))


def test_states_whose_first_tile_is_beyond_the_edge_are_refused() -> None:
    raw = bytearray(GAME.parse(f"3a@{FAR},0,0 1", {}).raw())
    assert int.from_bytes(raw[:2], "little") == FAR
    raw[:2] = (FAR + 1).to_bytes(2, "little")
    with pytest.raises(ValueError, match="a placed tile is out of range"):
        _nmbr9.score(bytes(raw))


@pytest.mark.parametrize("start", ["- ?0011223344556677889", "- *00112233445/9", "- 9081726354", "- 5?0011223344/8"])
def test_bounds_hold_on_the_way_and_close_at_the_end(start: str) -> None:
    """However the game goes on, its result lies between the bounds of every position before."""
    rng = random.Random(start)
    for _ in range(10):
        position = GAME.parse(start, {})
        bounds = [_nmbr9.bounds(position.raw())]
        while position.kind() is not Kind.TERMINAL:
            # The highest placement, half of the time: random ones hardly leave the table.
            tokens = position.tokens()
            position = position.play(max(tokens, key=lambda t: t[-1]) if rng.random() < 0.7 else rng.choice(tokens))
            bounds.append(_nmbr9.bounds(position.raw()))
        points = position.returns()[0]
        assert all(low <= points <= high for low, high in bounds)
        assert bounds[-1] == (points, points)
        assert [high for _, high in bounds] == sorted((high for _, high in bounds), reverse=True)
