"""What Python hands to the compiled modules is checked: a wrong state, action or number is an error, never a crash."""

from __future__ import annotations

import random
import struct
from array import array
from typing import Any

import pytest
from blockwit import (
    _alphabeta,
    _bridge,
    _cover,
    _deblockle,
    _expectimax,
    _mcts,
    _nmbr9,
    _numberdrop,
    _plan,
    _tables,
    _td,
)
from blockwit.games import deblockle, nmbr9, numberdrop

TABLES = {
    "deblockle": _bridge.Table(_deblockle.capsule()),
    "numberdrop": _bridge.Table(_numberdrop.capsule()),
    "nmbr9": _bridge.Table(_nmbr9.capsule()),
}
STARTS = {
    "deblockle": [
        deblockle.GAME.start({}).raw(),
        deblockle.GAME.parse("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", {}).raw(),
    ],
    "numberdrop": [
        numberdrop.GAME.start({"solo": True}).raw(),
        numberdrop.GAME.start({"players": 3, "tiles": "pool10"}).raw(),
    ],
    "nmbr9": [nmbr9.GAME.parse(text, {}).raw() for text in ("- 0123456789", "- *0123456/5", "- ?0123/4")],
}


def walked(name: str, raw: bytes, rng: random.Random, moves: int) -> bytes:
    """Return a state some random moves later."""
    table = TABLES[name]
    for _ in range(moves):
        if table.kind(raw) == 2:
            break
        raw = table.play(raw, table.sample(raw, rng.getrandbits(60)))
    return raw


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """Return a state with a byte or two changed, or some bytes of noise."""
    data = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(data))
        data[at] = rng.choice((data[at] ^ 1 << rng.randrange(8), rng.randrange(256), 0, 1, 255))
    return bytes(data)


def asked(name: str, raw: bytes) -> None:
    """Ask the game all that can be asked of a state."""
    table = TABLES[name]
    for question in (table.players, table.player, table.key, table.repetition, table.count, table.evaluate):
        question(raw)
    if table.kind(raw) != 2:
        for seed in range(2):
            table.play(raw, table.sample(raw, seed))
    _mcts.random_games({"deblockle": _deblockle, "numberdrop": _numberdrop, "nmbr9": _nmbr9}[name].capsule(), raw, 1, 1)


@pytest.mark.parametrize("name", list(TABLES))
def test_states_of_real_games_are_states(name: str) -> None:
    rng = random.Random(5)
    for start in STARTS[name]:
        for _ in range(6):
            raw = start
            while TABLES[name].kind(raw) != 2:
                raw = walked(name, raw, rng, 1)


@pytest.mark.parametrize("name", list(TABLES))
def test_damaged_states_are_refused_or_good_to_play_on(name: str) -> None:
    rng = random.Random(7)
    refused = 0
    for _ in range(700):
        raw = damaged(walked(name, rng.choice(STARTS[name]), rng, rng.randrange(25)), rng)
        try:
            TABLES[name].kind(raw)
        except ValueError:
            refused += 1
        else:
            asked(name, raw)
    assert refused > 400


@pytest.mark.parametrize("name", list(TABLES))
def test_noise_is_no_state(name: str) -> None:
    rng = random.Random(9)
    for _ in range(300):
        with pytest.raises(ValueError, match="no state of"):
            TABLES[name].kind(rng.randbytes(TABLES[name].state_size))


def test_bytes_of_a_state_are_checked_everywhere() -> None:
    """Every function that takes a state refuses noise of the right length, and None."""
    noise = random.Random(3).randbytes
    with pytest.raises(ValueError, match="no state"):
        _deblockle.State.from_raw(noise(TABLES["deblockle"].state_size))
    for raw in (noise(TABLES["numberdrop"].state_size), None):
        for drop in (_numberdrop.unpack, _numberdrop.count_actions, _numberdrop.scores, _numberdrop.state_kind):
            with pytest.raises((ValueError, TypeError)):
                drop(raw)  # type: ignore[arg-type]
    for raw in (noise(TABLES["nmbr9"].state_size), None):
        for stack in (_nmbr9.placed, _nmbr9.actions, _nmbr9.evaluate, _nmbr9.ranked, _nmbr9.key):
            with pytest.raises((ValueError, TypeError)):
                stack(raw)  # type: ignore[arg-type]


def test_a_set_up_goes_in_its_order() -> None:
    """South's blocks lie on the board although North's come first: later there would be eight of them."""
    squares = [(square, 0) for square in (2, 4, 18, 20)]
    with pytest.raises(ValueError, match="North are placed first"):
        _deblockle.State().replaced(squares, [], 0, 0, 1, (0,) * 6, (4, 4))


def test_tiles_far_from_each_other_are_no_stack() -> None:
    """The board is as wide as tiles that touch can reach."""
    raw = bytearray(_nmbr9.play(_nmbr9.start(0, [0, 0], 2), _nmbr9.encode_placement(0, 0, 0, 0, 0)))
    struct.pack_into("<hhbbb", raw, 8, 79, -79, 0, 0, 0)
    count, left = len(raw) - 3, len(raw) - 2
    raw[count], raw[left], raw[160] = 2, 0, 0
    with pytest.raises(ValueError, match="rule of building"):
        _nmbr9.evaluate(bytes(raw))


def test_tiles_are_drawn_in_turn() -> None:
    """With E drawn before A the game would look for a sixth letter."""
    raw = bytearray(numberdrop.GAME.start({"tiles": "pool10"}).raw())
    first = raw.index(bytes([15] * 5))
    raw[first + 4] = 3
    with pytest.raises(ValueError, match="out of turn"):
        _numberdrop.draw(bytes(raw), 1)


@pytest.mark.parametrize("index", [-1, 98, 10**6])
def test_names_of_cells_that_do_not_exist(index: int) -> None:
    with pytest.raises(IndexError, match="no cell"):
        _numberdrop.cell_name(index)


class Liar(int):
    """Equal to everything."""

    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Shy(list[Any]):
    """Longer than it says."""

    def __len__(self) -> int:
        return 1


def test_roots_are_legal_whatever_they_say() -> None:
    raw = STARTS["deblockle"][1]
    with pytest.raises(ValueError, match="not legal"):
        _alphabeta.Searcher(_deblockle.capsule(), 1).search(raw, [], [Liar(12345)], 1, 0, 1, 0, lambda *_: None)
    for number in (12345, 0, 1 << 63):
        with pytest.raises(ValueError, match="not legal"):
            _mcts.Searcher(_deblockle.capsule(), 1).search(raw, [number], 10, None)
        with pytest.raises(ValueError, match="not legal"):
            _expectimax.Searcher(_deblockle.capsule()).search(raw, [[number]], 2, 10, None)
    legal = _deblockle.State.from_raw(raw).actions()[0]
    with pytest.raises(ValueError, match="1 to 12 actions"):
        _expectimax.Searcher(_deblockle.capsule()).search(raw, [Shy([legal] * 100)], 2, 10, None)


def test_nobody_calls_a_thread_by_its_address() -> None:
    assert not hasattr(_alphabeta.Searcher, "help")


@pytest.mark.parametrize("outcome", [0, 12345, 1 << 63, -1, 1 << 64])
def test_planned_outcomes_have_to_be_possible(outcome: int) -> None:
    raw = walked("numberdrop", STARTS["numberdrop"][0], random.Random(1), 6)
    assert TABLES["numberdrop"].kind(raw) == 1
    planner = _plan.Planner(_numberdrop.capsule())
    with pytest.raises(ValueError, match=r"not possible|not an action"):
        planner.exact(raw, [outcome], 100)
    with pytest.raises(ValueError, match=r"not possible|not an action"):
        planner.beam(raw, [outcome], 5)


def test_a_moved_stack_is_another_state_to_a_kept_tree() -> None:
    """Its key is the same, its actions lie elsewhere: the tree of the first one is of no use."""
    start = _nmbr9.start(0, [0, 1, 2, 3], 4)
    here, there = (_nmbr9.play(start, _nmbr9.encode_placement(0, 0, x, 0, 0)) for x in (0, 5000))
    assert _nmbr9.key(here) == _nmbr9.key(there)
    searcher = _mcts.Searcher(_nmbr9.capsule(), 1)
    searcher.search(here, [], 60, None)
    (_, line, _), *_ = searcher.search(there, [], 60, None)
    assert line[0] in _nmbr9.actions(there)


def test_a_tree_of_open_loop_is_not_kept() -> None:
    """Its nodes hold actions of whatever chance brought."""
    raw = walked("numberdrop", STARTS["numberdrop"][0], random.Random(1), 7)
    searcher = _mcts.Searcher(_numberdrop.capsule(), 1)
    searcher.search(raw, [], 300, None, open_loop=True)
    searcher.search(raw, [], 1, None)
    assert searcher.kept() == 1


def test_a_search_of_some_actions_does_not_narrow_the_next_one() -> None:
    raw = STARTS["deblockle"][1]
    searcher = _mcts.Searcher(_deblockle.capsule(), 1)
    legal = _deblockle.State.from_raw(raw).actions()
    searcher.search(raw, legal[:1], 50, None)
    assert len(searcher.search(raw, [], 500, None, multipv=1000)) == len(legal)


def test_more_games_than_there_is_room_for() -> None:
    learner = _td.Learner(_numberdrop.capsule(), _numberdrop.linear())
    for first, count in ((0, 1 << 60), (-1, 1), ((1 << 63) - 1, 5)):
        with pytest.raises(ValueError, match="games"):
            learner.play([STARTS["numberdrop"][0]], [1.0], 1, first, count, decay=0.5, rate=0.5)
    with pytest.raises(ValueError, match="not finite"):
        learner.set(array("f", [float("nan")] * (3 * learner.count)))  # type: ignore[arg-type]


def test_layouts_of_tiles_that_lie_on_each_other() -> None:
    """To cover such a layout would mean to look for squares that do not exist."""
    coverer = _cover.Coverer(_nmbr9.shapes())
    with pytest.raises(ValueError, match="lies on another"):
        coverer.layout([(0, 0, 30, 30), (1, 0, 30, 30)])
    layout = bytearray(coverer.layout([(0, 0, 30, 30), (1, 0, 40, 40)]))
    layout[4:6] = layout[1:3]
    counts = [2] * 10
    with pytest.raises(ValueError, match="lies on another"):
        coverer.below([bytes(layout)], [0, 0, 1, 1, 1, 1, 0, 0, 0, 0])
    node = bytearray(coverer.make_node(coverer.layout([(0, 0, 30, 30), (1, 0, 40, 40)]), counts, 5))
    node[: len(layout)] = layout
    with pytest.raises(ValueError, match="lies on another"):
        coverer.expand(bytes(node), 0, 1, 4, 10, 5, 1, 0, 2, 1000, 1)
    rng = random.Random(2)
    for _ in range(200):
        with pytest.raises(ValueError, match=r"layout|node|counts"):
            coverer.expand(rng.randbytes(len(node)), 0, 1, 4, 10, 5, 1, 0, 2, 1000, 1)


@pytest.mark.parametrize("cells", [[(0, 0), (0, 0)], [(1, 1)], [(0, 4)], []])
def test_shapes_that_are_none(cells: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="shape 0"):
        _cover.Coverer([[cells]])


def test_offsets_without_a_table() -> None:
    ones = bytes([128]) * _tables.ONES_SIZE
    offsets = array("I", bytes(4 * (_tables.TILES + 1)))
    oracle = _tables.Oracle(_deblockle.blocks_capsule(), 0, ones, offsets=offsets)
    state = _deblockle.State().replaced([(2, 0)], [(50, 0), (52, 0)], 0, 0)
    assert oracle.probe(state.raw()) is None
    with pytest.raises(ValueError, match="no state"):
        oracle.probe(random.Random(1).randbytes(len(state.raw())))
    with pytest.raises(ValueError, match="bytes"):
        oracle.probe(b"")


def test_a_capsule_keeps_its_tables() -> None:
    class Tables:
        def capsule(self) -> object:
            """Return the capsule of an object that nobody else holds."""
            return _tables.Oracle(_deblockle.blocks_capsule(), 0, bytes([128]) * _tables.ONES_SIZE).capsule()

    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1)
    searcher.consult(Tables())  # type: ignore[arg-type]
    state = _deblockle.State().replaced([(2, 0)], [(50, 0)], 0, 0)
    searcher.search(state.raw(), [], [], 2, 0, 1, 0, lambda *_: None)
    assert searcher.tbhits > 0


def test_capsules_of_another_name() -> None:
    raw = STARTS["deblockle"][1]
    for wrong in (_deblockle.blocks_capsule(), _numberdrop.linear(), None, 1, "blockwit.game"):
        for use in (
            lambda c: _alphabeta.Searcher(c, 1),
            lambda c: _mcts.Searcher(c, 1),
            _expectimax.Searcher,
            _plan.Planner,
            _bridge.Table,
            lambda c: _mcts.random_games(c, raw, 1, 1),
            lambda c: _expectimax.play_out(c, raw, 1),
        ):
            with pytest.raises(ValueError, match=r"expected a PyCapsule named blockwit\.game"):
                use(wrong)
