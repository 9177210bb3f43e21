"""Expectimax: its values against plain sums in Python, its pruning against none, limits and repeatability."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest
from blockwit import _expectimax, _numberdrop, games, search
from blockwit._bridge import UNIT
from blockwit.games.base import Kind, Position
from blockwit.search.types import Info, Limits, Result, Settings


def solo_position(moves: int) -> Position:
    """Return a decision of a solo game some greedy moves after the start."""
    position = games.get("numberdrop").start({"solo": True})
    made = 0
    while made < moves or position.kind() is not Kind.DECISION:
        if position.kind() is Kind.CHANCE:
            position = position.play(position.roll(made + 1))
            continue
        raw, actions = position.raw(), []
        for _ in range(2 if position.state()["phase"] == "drop" else 1):
            actions.append(_numberdrop.best(raw, 1)[0][0])
            raw = _numberdrop.play(raw, actions[-1])
        position = position.play(position.line(actions)[0])
        made += 1
    return position


def greedy_turn(raw: bytes) -> int:
    """Return the static value after the best turn by static evaluation."""
    while _numberdrop.state_kind(raw) == 0:
        raw = _numberdrop.play(raw, _numberdrop.best(raw, 1)[0][0])
    return _numberdrop.estimates(raw)[0]


def test_two_turns_against_a_plain_sum() -> None:
    position = solo_position(16)
    found = _expectimax.Searcher(_numberdrop.capsule()).search(
        position.raw(), [], 2, 0, None, multipv=2, root_width=2, samples=2000
    )
    assert len(found) == 2
    for value, actions in found:
        raw = position.raw()
        for action in actions:
            raw = _numberdrop.play(raw, action)
        assert _numberdrop.state_kind(raw) == 1
        wanted = sum(p * greedy_turn(_numberdrop.play(raw, roll)) for roll, p in _numberdrop.list_outcomes(raw))
        assert value == pytest.approx(wanted)


def test_samples_come_near_the_full_sum() -> None:
    position = solo_position(10)
    searcher = _expectimax.Searcher(_numberdrop.capsule())
    (full, actions), *_ = searcher.search(position.raw(), [], 2, 0, None, root_width=1, samples=2000)
    ((sampled, _),) = searcher.search(position.raw(), [actions], 2, 0, None, samples=300)
    assert abs(full - sampled) < UNIT


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("depth", [2, 3])
def test_star1_and_star2_find_the_value_of_plain_expectimax(blocks: int, depth: int) -> None:
    game = games.get("deblockle")
    position = game.start({"south_blocks": blocks, "north_blocks": blocks})
    for seed in range(3):
        start = position.play(position.roll(seed))
        while start.kind() is Kind.DECISION and start.player() == 0:
            searcher = _expectimax.Searcher(game.capsule())
            found, nodes = [], []
            for star in (0, 1, 2):
                lines = searcher.search(
                    start.raw(), [], depth, 0, None, star=star, samples=10_000, inner=10_000, root_width=8
                )
                found.append(lines[0][0])
                nodes.append(searcher.nodes)
            assert found[1] == pytest.approx(found[0])
            assert found[2] == pytest.approx(found[0])
            assert nodes[1] <= nodes[0]
            start = start.play(start.tokens()[0])


def test_star_bounds_save_nodes() -> None:
    start = games.get("deblockle").start({})
    searcher = _expectimax.Searcher(start.game.capsule())
    total = [0, 0, 0]
    for seed in range(6):
        position = start.play(start.roll(seed))
        nodes = []
        for star in (0, 1, 2):
            searcher.search(position.raw(), [], 3, 0, None, star=star, samples=100, inner=100)
            nodes.append(searcher.nodes)
            total[star] += searcher.nodes
        # The probes of Star2 cost nodes of their own, so that after a single roll it may lose to Star1.
        assert max(nodes[1:]) < nodes[0]
    assert total[2] < total[1]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_values_are_those_of_the_player_to_move(depth: int) -> None:
    """The board turned by half with the sides changed is the same game."""
    game = games.get("deblockle")
    searcher = _expectimax.Searcher(game.capsule())
    south = searcher.search(game.parse("c3XLT e5CLS s", {}).raw(), [], depth, 0, None)[0][0]
    north = searcher.search(game.parse("c3CHT e5XHS n", {}).raw(), [], depth, 0, None)[0][0]
    assert south == north


def test_several_players_take_what_is_best_for_themselves() -> None:
    position = games.get("numberdrop").start({"players": 3, "tiles": "I4,O4,T4,S4,L4"})
    for token in ("write:a1", "write:b1", "write:c1", "roll:1234I"):
        position = position.play(token)
    found = _expectimax.Searcher(_numberdrop.capsule()).search(position.raw(), [], 2, 0, None, multipv=3)
    assert len(found) == 3
    assert found[0][0] >= found[1][0] >= found[2][0]
    assert position.line(found[0][1])[0].startswith("I")


def test_the_same_search_twice() -> None:
    position = solo_position(8)
    runs = []
    for _ in range(2):
        searcher = _expectimax.Searcher(_numberdrop.capsule())
        runs.append((searcher.search(position.raw(), [], 0, 3000, None, seed=5), searcher.nodes))
    assert runs[0] == runs[1]
    assert runs[0][1] == 3000


def test_root_lines() -> None:
    position = solo_position(9)
    tokens = position.tokens(0, 3)
    roots = [list(position.actions(token)) for token in tokens]
    found = _expectimax.Searcher(_numberdrop.capsule()).search(position.raw(), roots, 2, 0, None, multipv=9)
    assert sorted(position.line(actions)[0] for _, actions in found) == sorted(tokens)


@pytest.mark.parametrize(
    "change", [{"width": 0}, {"width": 17}, {"root_width": 65}, {"star": 3}, {"inner": 0}, {"multipv": 0}]
)
def test_numbers_out_of_range(change: dict[str, int]) -> None:
    position = solo_position(5)
    with pytest.raises(ValueError, match=r"expected|out of range"):
        _expectimax.Searcher(_numberdrop.capsule()).search(position.raw(), [], 1, 0, None, **change)


def test_bad_states_and_capsules() -> None:
    searcher = _expectimax.Searcher(_numberdrop.capsule())
    with pytest.raises(ValueError, match="bytes"):
        searcher.search(b"short", [], 1, 0, None)
    with pytest.raises(ValueError, match="only a decision"):
        searcher.search(games.get("numberdrop").start({}).raw(), [], 1, 0, None)
    with pytest.raises(ValueError, match="PyCapsule"):
        _expectimax.Searcher(object())


@pytest.mark.parametrize("algorithm", ["expectimax", "mcts"])
def test_through_the_driver(algorithm: str) -> None:
    position = solo_position(11)
    searcher = search.make(games.get("numberdrop"), algorithm, Settings(multipv=2))
    infos: list[Info] = []
    searcher.arm()
    result = searcher.search(position, Limits(nodes=500), infos.append)
    assert result.move is not None
    position.play(result.move)
    assert [info.multipv for info in result.infos] == [1, 2]
    assert infos[-1].nodes <= 500
    assert infos[-1].pv[0] in {token for info in result.infos for token in info.pv}
    at_once = searcher.search(position, Limits(movetime=0), infos.append)
    assert at_once.move is not None


@pytest.mark.parametrize("algorithm", ["expectimax", "mcts"])
def test_stop_ponder_and_infinite(algorithm: str) -> None:
    position = solo_position(3)
    for limits, end in ((Limits(infinite=True), "stop"), (Limits(ponder=True, movetime=1), "ponderhit")):
        searcher = search.make(games.get("numberdrop"), algorithm, Settings())
        searcher.arm()
        done: list[str | None] = []
        thread = threading.Thread(
            target=lambda s=searcher, m=limits, d=done: d.append(s.search(position, m, lambda _: None).move)
        )
        thread.start()
        time.sleep(0.05)
        assert not done
        getattr(searcher, end)()
        thread.join(timeout=10)
        assert len(done) == 1


def thought(searcher: search.Searcher, position: Position, limits: Limits) -> tuple[Result, int]:
    """Return what a search found, and the nodes that it told of last."""
    infos: list[Info] = []
    searcher.arm()
    return searcher.search(position, limits, infos.append), infos[-1].nodes


def test_the_rest_of_a_turn_is_played_as_planned() -> None:
    position = solo_position(10)
    searcher = search.make(games.get("numberdrop"), "expectimax", Settings())
    first, nodes = thought(searcher, position, Limits(movetime=60))
    assert nodes
    assert first.move
    assert first.ponder, "the turn has more than one move here"
    after = position.play(first.move)
    second, nodes = thought(searcher, after, Limits(movetime=60))
    assert (second.move, nodes) == (first.ponder, 0)
    assert second.infos[0].score == first.infos[0].score
    assert second.infos[0].pv == first.infos[0].pv[1:]


@pytest.mark.parametrize(
    "limits",
    [
        Limits(movetime=400),
        Limits(movetime=60, nodes=200),
        Limits(movetime=60, depth=2),
        Limits(movetime=60, searchmoves=("x",)),
    ],
)
def test_a_plan_does_not_stand_for_a_search_that_asks_for_more(limits: Limits) -> None:
    position = solo_position(10)
    searcher = search.make(games.get("numberdrop"), "expectimax", Settings())
    first, _ = thought(searcher, position, Limits(movetime=60))
    assert first.move
    after = position.play(first.move)
    if limits.searchmoves:
        limits = replace(limits, searchmoves=tuple(after.tokens(0, 2)))
    assert thought(searcher, after, limits)[1] > 0


@pytest.mark.parametrize("forget", ["clear", "stop", "elsewhere"])
def test_a_plan_is_forgotten(forget: str) -> None:
    position = solo_position(10)
    searcher = search.make(games.get("numberdrop"), "expectimax", Settings())
    if forget == "stop":
        searcher.arm()
        threading.Timer(0.05, searcher.stop).start()
        move = searcher.search(position, Limits(movetime=20_000), lambda _: None).move
    else:
        move = thought(searcher, position, Limits(movetime=60))[0].move
    assert move
    if forget == "clear":
        searcher.clear()
    elif forget == "elsewhere":
        thought(searcher, solo_position(5), Limits(nodes=100))
    assert thought(searcher, position.play(move), Limits(movetime=60))[1] > 0


@pytest.mark.parametrize("algorithm", ["expectimax", "mcts"])
def test_low_skill_still_plays_legal_moves(algorithm: str) -> None:
    position = solo_position(7)
    searcher = search.make(games.get("numberdrop"), algorithm, Settings(skill=1))
    searcher.arm()
    result = searcher.search(position, Limits(nodes=300), lambda _: None)
    assert result.move is not None
    position.play(result.move)
