"""The tree search: certain results, chance, the pool, what is kept between moves."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from blockwit import _deblockle, _mcts, _numberdrop, _proof, games
from blockwit._bridge import UNIT
from blockwit.errors import PositionError
from blockwit.games.base import Kind, Position

from tests.search.test_expectimax import solo_position


def last_turn() -> Position:
    """Return the drop of a solo game after which nothing else comes."""
    rows = "/".join(["g"] * 10 + ["c2c", "a23455a", "1234556", "7715566"])
    fen = f"solo I4:4,O4:4,T4:4,L4:4,S4:4 ABCDE 1 drop:1 3456O {rows},-,-,-"
    return games.get("numberdrop").parse(fen, {})


def test_the_last_turn_is_solved() -> None:
    position = last_turn()
    best = max(position.play(token).returns()[0] for token in position.tokens())
    value, actions, certain = _mcts.Searcher(_numberdrop.capsule()).search(
        position.raw(), [], 10**6, None, width=1024, widen_base=1000.0
    )[0]
    (token,) = position.line(actions)
    assert position.play(token).returns()[0] == best
    assert certain
    assert value == best * UNIT


def test_a_win_in_one_is_certain() -> None:
    game = games.get("deblockle")
    wins = 0
    for up, north, east in itertools.permutations("STCXLH", 3):
        for square in ("d5", "e6", "c6", "d7"):
            try:
                position = game.parse(f"{square}{up}{north}{east} a1XTH s", {})
            except PositionError:
                continue  # not the faces of one corner
            winning = [token for token in position.tokens() if position.play(token).result() == "South wins"]
            searcher = _mcts.Searcher(game.capsule(), 1)
            value, actions, certain = searcher.search(position.raw(), [], 2000, None)[0]
            if winning:
                wins += 1
                assert certain
                assert value == UNIT
                assert position.line(actions)[0] in winning
    assert wins == 16


def test_a_loss_is_certain() -> None:
    """South, far from home, to move against a block that exits at its next turn whatever South does."""
    game = games.get("deblockle")
    losses = 0
    for up, north, east in itertools.permutations("STCXLH", 3):
        try:
            position = game.parse(f"a7XTH d3{up}{north}{east} s", {})
        except PositionError:
            continue  # not the faces of one corner
        after = [position.play(token) for token in position.tokens()]
        if all(any(p.play(reply).result() == "North wins" for reply in p.tokens()) for p in after):
            losses += 1
            value, _, certain = _mcts.Searcher(game.capsule(), 1).search(position.raw(), [], 20_000, None)[0]
            assert certain
            assert value == -UNIT
    assert losses


def test_chance_nodes_with_few_outcomes_are_listed() -> None:
    game = games.get("deblockle")
    position = game.start({"south_blocks": 1, "north_blocks": 1})
    position = position.play(position.roll(1))
    value, _, _ = _mcts.Searcher(game.capsule()).search(position.raw(), [], 3000, None)[0]
    assert -UNIT <= value <= UNIT


@pytest.mark.parametrize("mode", [{}, {"open_loop": True}, {"playouts": True}])
def test_all_modes_play_legal_moves(mode: dict[str, bool]) -> None:
    for players in (2, 3):
        position: Position = games.get("numberdrop").start({"players": players})
        for number in range(24):
            if position.kind() is Kind.CHANCE:
                position = position.play(position.roll(number))
                continue
            found = _mcts.Searcher(_numberdrop.capsule(), 1).search(position.raw(), [], 60, None, **mode)
            position = position.play(position.line(found[0][1])[0])


def test_the_same_search_twice() -> None:
    position = solo_position(8)
    runs = [
        _mcts.Searcher(_numberdrop.capsule()).search(position.raw(), [], 200, None, seed=9, multipv=3) for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_a_full_pool_ends_growth_and_not_the_search() -> None:
    game = games.get("deblockle")
    position = game.parse("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", {})
    searcher = _mcts.Searcher(game.capsule(), 1)
    searcher.search(position.raw(), [], 20_000, None)
    assert searcher.hashfull() > 900
    assert searcher.nodes == 20_000


def test_the_tree_below_the_next_position_is_kept() -> None:
    game = games.get("deblockle")
    position = game.parse("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", {})
    searcher = _mcts.Searcher(game.capsule(), 64)
    line = searcher.search(position.raw(), [], 3000, None)[0][1]
    after = position.play(position.line(line)[0]).play(position.line(line)[1])
    searcher.search(after.raw(), [], 1, None)
    kept = searcher.kept()
    assert kept > 1
    searcher.search(after.raw(), [], 1, None, reuse=False)
    assert searcher.kept() < kept
    searcher.clear()
    searcher.search(after.raw(), [], 1, None)
    assert searcher.kept() < kept


def test_root_actions() -> None:
    position = solo_position(9)
    roots = [position.actions(token)[0] for token in position.tokens(0, 2)]
    found = _mcts.Searcher(_numberdrop.capsule()).search(position.raw(), roots, 50, None, multipv=9)
    assert {line[1][0] for line in found} == set(roots)


@pytest.mark.parametrize("change", [{"width": 0}, {"multipv": 0}, {"trust": 0.0}, {"depth": -1}])
def test_numbers_out_of_range(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="out of range"):
        _mcts.Searcher(_numberdrop.capsule()).search(solo_position(5).raw(), [], 10, None, **change)


def test_random_games_are_repeatable_and_near_the_known_mean() -> None:
    start = games.get("numberdrop").start({"solo": True}).raw()
    totals, chances, decisions = _mcts.random_games(_numberdrop.capsule(), start, 1, 3000)
    assert (totals, chances, decisions) == _mcts.random_games(_numberdrop.capsule(), start, 1, 3000)
    assert abs(totals[0] / 3000 / UNIT + 5.0) < 0.5
    # Five tiles are drawn before the first roll.
    assert abs((chances - 5 * 3000) / 3000 - 7.65) < 0.3


def forced_plies(raw: bytes, most: int) -> int | None:
    """Return the plies of the forced win of the player to move, by exhaustive proof; None for none in `most`."""
    for plies in range(1, most + 1, 2):
        if _proof.winning_actions(_deblockle.capsule(), raw, plies, 16)[0]:
            return plies
    return None


def lost_within(state: _deblockle.State, most: int) -> bool:
    """Return whether the player to move loses by force within `most` plies, by exhaustive proof."""
    if state.kind == 2:
        return False
    children = [state.apply(action) for action in state.actions()]
    return all(
        (child.kind == 2 and state.side != child.side and child.evaluate()[state.side] < 0)
        or (child.kind == 0 and forced_plies(child.raw(), most - 1) is not None)
        for child in children
    )


def test_what_the_tree_is_certain_of_is_proven() -> None:
    """Small positions, against exhaustive search: a certain line is a win or a loss for whom it says."""
    rng = random.Random(4)
    certain = {1: 0, -1: 0}
    state = _deblockle.State()
    squares = [square for square in range(56) if square & 7 < 7 and square not in (11, 43)]
    while min(certain.values()) < 12:
        where = rng.sample(squares, 2)
        small = state.replaced([(where[0], rng.randrange(24))], [(where[1], rng.randrange(24))], rng.randrange(2), 0)
        if small.kind:
            continue
        (value, line, proven), *_ = _mcts.Searcher(_deblockle.capsule(), 1).search(small.raw(), [], 400, None)
        if not proven:
            continue
        assert value in (-UNIT, 0, UNIT)
        if value > 0:
            won, _ = _proof.winning_actions(_deblockle.capsule(), small.raw(), 9, 16)
            assert line[0] in won
        elif value < 0:
            assert lost_within(small, 8)
        if value:
            certain[1 if value > 0 else -1] += 1
