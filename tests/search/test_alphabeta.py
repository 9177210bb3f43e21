"""Alpha-beta: reproducible, within its limits, right about what exact methods know, safe against bad arguments."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from blockwit import _alphabeta, _deblockle, _proof, search
from blockwit._bridge import UNIT
from blockwit.arena.match import opening
from blockwit.errors import MoveError, OptionError
from blockwit.games.base import Kind, Position
from blockwit.games.deblockle import tables as deblockle_tables
from blockwit.games.deblockle.position import DeblocklePosition
from blockwit.search import Info, Limits, Result, Score, Searcher, Settings
from blockwit.search.alphabeta import AlphaBeta
from blockwit.search.compiled import Found
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.boards import (
    BOTH_BLOCKED,
    GAME,
    OPTIONS,
    SOUTH_BLOCKED,
    START,
    after,
    lying,
    parse,
    positions,
    rules,
    start,
)
from tests.reference import deblockle as reference

MIDDLE = "d5CLS,e6TLC c6SLX,d4CTL,d7XHS,f6XLT n"
SHUFFLE = "a4CHT g4CHT s"
ROUND = ("a4a5a6", "g4g5g6", "a6a5a4", "g6g5g4")
"""Four moves after which both blocks lie as before."""
SECONDS = 60
"""How long a thread that should end is waited for; only a hanging search comes near it."""


ANY_MATE = 50
"""A mate in more turns than any found here: a search for it reduces nothing."""


def made(**given_settings: Any) -> Searcher:
    """Return a searcher with empty tables."""
    return search.make(GAME, "alphabeta", Settings(hash_mb=1, **given_settings))


def think(position: DeblocklePosition, searcher: Searcher | None = None, **limits: Any) -> tuple[Result, list[Info]]:
    """Search a position; return the result and all reports."""
    infos: list[Info] = []
    searcher = searcher or made()
    searcher.arm()
    return searcher.search(position, Limits(**limits), infos.append), infos


def raw_search(
    position: DeblocklePosition,
    *,
    depth: int = 0,
    nodes: int = 0,
    multipv: int = 1,
    mate: int = 0,
    roots: list[int] | None = None,
    searcher: _alphabeta.Searcher | None = None,
    report: Callable[..., None] = lambda *_: None,
) -> tuple[list[tuple[int, int, list[int]]], _alphabeta.Searcher]:
    """Search with the compiled searcher itself."""
    searcher = searcher or _alphabeta.Searcher(_deblockle.capsule(), 1)
    lines = searcher.search(position.raw(), list(position.history()), roots or [], depth, nodes, multipv, mate, report)
    return lines, searcher


def rank(score: Score | None) -> float:
    """Return a number that grows as the score gets better for the side to move."""
    assert score is not None
    if score.mate is not None:
        return 1e6 - score.mate if score.mate > 0 else -1e6 - score.mate
    assert score.cp is not None
    return score.cp


def essence(infos: list[Info]) -> list[tuple[Any, ...]]:
    """Return what of the reports must be the same every time.

    That is all but the clock, and without the reminders that come once a second.
    """
    seen: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for info in infos:
        told = (info.depth, info.multipv, info.score, tuple(info.pv))
        seen.setdefault(told, (*told, info.seldepth, info.nodes))
    return list(seen.values())


# --- reproducible -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [START, MIDDLE, SOUTH_BLOCKED, "d1XLT d7XLT s"])
@pytest.mark.parametrize("limits", [{"nodes": 20_000}, {"depth": 4}, {"nodes": 5_000, "depth": 3}])
def test_same_search_twice(text: str, limits: dict[str, Any]) -> None:
    first, infos = think(parse(text), **limits)
    second, again = think(parse(text), **limits)
    assert (first.move, first.ponder) == (second.move, second.ponder)
    assert essence(infos) == essence(again)


def test_node_limited_search_forgets_the_searches_before() -> None:
    searcher = made()
    first, infos = think(parse(MIDDLE), searcher, nodes=20_000)
    think(parse(START), searcher, depth=5)
    think(parse(MIDDLE), searcher, depth=5)
    second, again = think(parse(MIDDLE), searcher, nodes=20_000)
    assert (first.move, first.ponder) == (second.move, second.ponder)
    assert essence(infos) == essence(again)


def test_cleared_searcher_is_as_new() -> None:
    searcher = made()
    _, infos = think(parse(MIDDLE), searcher, depth=5)
    think(parse(START), searcher, depth=5)
    searcher.clear()
    assert essence(think(parse(MIDDLE), searcher, depth=5)[1]) == essence(infos)


def test_same_search_in_fresh_processes() -> None:
    commands = f"position fen {MIDDLE}\ngo nodes 30000\n"
    timed = {"nps", "time", "hashfull"}
    seen = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "blockwit"],
            input=commands + "isready\n" * 3,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=SECONDS,
        )
        kept = []
        for line in done.stdout.splitlines():
            words = line.split()
            for name in timed & set(words):
                at = words.index(name)
                del words[at : at + 2]
            if words != ["readyok"]:
                kept.append(" ".join(words))
        assert kept[-1].startswith("bestmove ")
        seen.add(tuple(kept))
    # End of input is quit: how far the search came differs, but not what it said on the way.
    shorter, longer = sorted(seen, key=len) if len(seen) == 2 else (*seen, *seen)
    assert shorter[:-1] == longer[: len(shorter) - 1]


# --- limits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [1, 2, 3, 47, 100, 1023, 1024, 1025, 4096, 30_001])
def test_node_limit_is_exact(nodes: int) -> None:
    lines, searcher = raw_search(parse(START), nodes=nodes)
    assert searcher.nodes == nodes
    assert lines[0][2][0] in parse(START).core.actions()


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_depth_limit_is_exact(depth: int) -> None:
    _, infos = think(parse(START), depth=depth)
    assert sorted({info.depth for info in infos}) == list(range(1, depth + 1))


def test_first_limit_reached_ends_the_search() -> None:
    assert think(parse(START), depth=2, nodes=10**9)[1][-1].depth == 2
    _, searcher = raw_search(parse(START), depth=50, nodes=3_000)
    assert searcher.nodes == 3_000


def test_mate_limit_ends_at_the_mate_asked_for() -> None:
    winning = parse("d1XLT d7XLT s")
    result, infos = think(winning, depth=12)
    mate = infos[-1].score
    assert mate is not None
    assert mate.mate is not None
    assert mate.mate > 1
    found, reports = think(winning, mate=mate.mate)
    assert reports[-1].score == mate
    assert max(info.depth for info in reports) <= 2 * mate.mate - 1
    _, shallow = think(winning, mate=mate.mate - 1)
    assert max(info.depth for info in shallow) <= 2 * (mate.mate - 1) - 1
    assert found.move in winning.tokens()
    assert result.move in winning.tokens()


@pytest.mark.parametrize("limits", [{"movetime": 0}, {"movetime": -5}, {"clock": 0}, {"clock": -1, "increment": 9}])
def test_no_time_at_all_gives_a_legal_move(limits: dict[str, Any]) -> None:
    result, infos = think(parse(START), **limits)
    assert result.move is not None
    assert result.move in parse(START).tokens()
    assert max((info.depth for info in infos), default=0) <= 1


@pytest.mark.parametrize("limits", [{"movetime": 30}, {"clock": 300}, {"clock": 200, "increment": 10}])
def test_timed_search_ends_by_itself(limits: dict[str, Any]) -> None:
    assert think(parse(START), **limits)[0].move in parse(START).tokens()


def test_proven_result_ends_the_search_without_any_limit() -> None:
    position = parse(f"{lying('d5', 'S', 'north')} g7XLT s")
    lines, _ = raw_search(position)
    assert lines[0][:2] == (UNIT, 1)
    assert position.line(lines[0][2]) == ["d5d6"]


# --- root moves and lines -----------------------------------------------------------------------------------


def test_searchmoves_restrict_the_root() -> None:
    position = parse(START)
    for token in position.tokens()[::9]:
        result, infos = think(position, depth=2, searchmoves=(token,))
        assert result.move == token
        assert {info.pv[0] for info in infos} == {token}
    several = tuple(position.tokens()[3:6])
    assert think(position, depth=3, searchmoves=several)[0].move in several


def test_illegal_searchmove_is_refused() -> None:
    with pytest.raises(MoveError, match="c1c3c4"):
        think(parse(START), depth=2, searchmoves=("c1c3c4",))


def test_searchmove_named_twice_is_one_line() -> None:
    token = parse(START).tokens()[0]
    _, infos = think(parse(START), made(multipv=3), depth=2, searchmoves=(token, token))
    assert {info.multipv for info in infos} == {1}


@pytest.mark.parametrize("text", [START, MIDDLE, "d1CTL d7HSX n", "d3HCS g4THX s"])
@pytest.mark.parametrize("multipv", [2, 5, 200])
def test_multipv_lines_are_distinct_and_ordered(text: str, multipv: int) -> None:
    position = parse(text)
    result, infos = think(position, made(multipv=multipv), depth=4)
    count = min(multipv, position.count())
    last = {info.multipv: info for info in result.infos}
    assert sorted(last) == list(range(1, count + 1))
    assert len({info.pv[0] for info in last.values()}) == count
    ranks = [rank(last[line].score) for line in sorted(last)]
    assert ranks == sorted(ranks, reverse=True)
    assert result.move == last[1].pv[0]
    single, alone = think(position, depth=4)
    assert last[1].score == alone[-1].score
    assert single.move in position.tokens()
    assert {info.multipv for info in infos} == set(last)


@settings(max_examples=40)
@given(positions(), OPTIONS)
def test_every_line_is_legal(text: str, options: dict[str, Any]) -> None:
    position = parse(text, **options)
    assume(position.kind() is Kind.DECISION)
    result, infos = think(position, made(multipv=2), depth=3)
    assert infos
    for info in infos:
        assert info.pv
        after(position, *info.pv)
        assert 1 <= info.multipv <= 2
        assert info.nodes >= 1
        assert info.seldepth >= 1
    assert result.move == result.infos[0].pv[0]
    if result.ponder:
        assert result.ponder in position.play(result.infos[0].pv[0]).tokens()


def test_set_up_placements_are_searched_up_to_the_next_roll() -> None:
    position = start(south_blocks=1, north_blocks=2).play("roll:XL")
    result, infos = think(position, depth=4)
    assert result.move in position.tokens()
    assert len(infos[-1].pv) == 2
    assert after(position, *infos[-1].pv).kind() is Kind.CHANCE


# --- right about what exact methods know --------------------------------------------------------------------


def turns(plies: int) -> int | None:
    """Return own turns to a win in `plies` (other side's turns to a loss: negative), None for a draw."""
    if plies == 0:
        return None
    return (plies + 1) // 2 if plies > 0 else -((1 - plies) // 2)


@settings(max_examples=250)
@given(positions(1, 1), st.sampled_from([(0, False), (1, False), (1, True)]))
def test_one_block_each_agrees_with_the_exact_solution(text: str, rule: tuple[int, bool]) -> None:
    """A win or loss in n plies is found at depth n exactly, and no other mate is ever claimed."""
    slider, no_touch = rule
    options = {"slider": ("free", "full")[slider], "no_touch": no_touch}
    position = parse(text.replace(" n", " s"), **options)
    assume(position.kind() is Kind.DECISION)
    exact = deblockle_tables.oracle(position.core.rules, "").probe(position.raw())
    assert exact is not None
    depth = min(abs(exact) or 7, 9)
    lines, _ = raw_search(position, depth=depth, mate=ANY_MATE)
    value, mate, _ = lines[0]
    if exact and abs(exact) <= depth:
        assert mate == exact
        assert value == (UNIT if exact > 0 else -UNIT)
    elif mate:
        # Forced moves cost no depth, so a longer mate may be seen early, but never a wrong winner.
        assert (mate > 0) == (exact > 0)
        assert abs(mate) >= abs(exact) > depth
    # The driver gives the tables to the search.
    report = think(position, depth=1)[1][-1]
    assert report.score is not None
    assert report.score.mate == turns(exact)


@pytest.mark.parametrize(("text", "plies"), [("f1XHS d7THX s", 9), ("a1SLX g5HTC s", -8)])
def test_no_mate_is_remembered_from_other_rules(text: str, plies: int) -> None:
    """Decided under the default rules and drawn under these: what was learned must not be carried over."""
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 16)
    for position, depth, expected in (
        (parse(text), abs(plies), plies),
        (parse(text, slider="full", no_touch=True), 8, 0),
    ):
        ((_, mate, _),) = searcher.search(position.raw(), [], [], depth, 0, 1, ANY_MATE, lambda *_: None)
        assert mate == expected


@settings(max_examples=100)
@given(positions(1, 1), st.sampled_from([(0, False), (1, False), (1, True)]))
def test_reduced_search_never_claims_a_wrong_mate(text: str, rule: tuple[int, bool]) -> None:
    """A search that leaves moves out may see a win late, and a longer one first, but never a false one."""
    slider, no_touch = rule
    position = parse(text.replace(" n", " s"), slider=("free", "full")[slider], no_touch=no_touch)
    assume(position.kind() is Kind.DECISION)
    exact = deblockle_tables.oracle(position.core.rules, "").probe(position.raw())
    assert exact is not None
    claimed: list[int] = []
    raw_search(position, nodes=8_000, report=lambda *told: claimed.append(told[4]))
    for mate in filter(None, claimed):
        assert (mate > 0) == (exact > 0)
        assert abs(mate) >= exact if exact > 0 else True


def test_mates_of_a_reduced_search_are_proven() -> None:
    """Games of two blocks a side: the plain prover agrees with every win in at most three turns that is announced."""
    proven = 0
    for seed in range(10):
        position = opening(start(south_blocks=2, north_blocks=2), random.Random(seed))
        while position.kind() is Kind.DECISION:
            assert isinstance(position, DeblocklePosition)
            ((_, mate, line),), _ = raw_search(position, nodes=3_000)
            if 0 < mate <= 5:
                wins, _ = _proof.winning_actions(_deblockle.capsule(), position.raw(), mate)
                assert line[0] in wins
                proven += 1
            position = position.play(position.line(line)[0])
    assert proven > 10


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_agree_with_one_on_mates(threads: int) -> None:
    for text in ("d1XLT d7XLT s", f"{lying('d5', 'S', 'north')} g7XLT s", SHUFFLE):
        alone, _ = raw_search(parse(text), depth=9, mate=ANY_MATE)
        together, searcher = raw_search(
            parse(text), depth=9, mate=ANY_MATE, searcher=_alphabeta.Searcher(_deblockle.capsule(), 1, threads)
        )
        assert together[0][:2] == alone[0][:2]
        assert searcher.threads == threads


def test_threads_report_all_their_nodes() -> None:
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1, 3)
    raw_search(parse(START), nodes=30_000, searcher=searcher)
    assert 10_000 < searcher.nodes <= 30_000


@pytest.mark.parametrize("threads", [0, -1, 65])
def test_number_of_threads_out_of_range(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be 1 to 64"):
        _alphabeta.Searcher(_deblockle.capsule(), 1, threads)


class TooManyNodesError(Exception):
    """The plain search would take too long."""


def minimax(
    states: list[reference.State], options: reference.Options, depth: int, budget: list[int]
) -> tuple[int, int]:
    """Return (value, plies to the win or loss) for the side to move, by the reference's moves alone.

    A forced move costs no depth; a position met before on the way from the root is a draw.
    """
    state, ply = states[-1], len(states) - 1
    budget[0] -= 1
    if budget[0] < 0:
        raise TooManyNodesError
    won = reference.winner(state)
    if won:
        return (UNIT, ply) if won == state.side else (-UNIT, ply)
    if reference.both_blocked(state, options) or state in states[:-1]:
        return 0, 0
    if depth <= 0:
        position = parse(
            reference.format_state(state),
            slider=options.slider,
            nohop=options.nohop,
            no_touch=options.no_touch,
        )
        return round(UNIT * position.evaluate()[position.player()]), 0
    reached = list(reference.moves_by_name(state, options).values()) or [reference.apply(state, "0000", options)]
    below = depth if len(reached) == 1 else depth - 1
    values = []
    for child in reached:
        value, plies = minimax([*states, child], options, below, budget)
        values.append((-value, plies))

    def preference(value: tuple[int, int]) -> tuple[int, int]:
        """Win soon, lose late."""
        return value[0], -value[1] if value[0] > 0 else value[1]

    return max(values, key=preference)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_same_value_as_a_plain_minimax_over_the_reference(depth: int) -> None:
    @settings(max_examples=(60, 25, 25)[depth - 1])
    @given(positions(1, (4, 3, 1)[depth - 1]), OPTIONS)
    def check(text: str, options: dict[str, Any]) -> None:
        position = parse(text, **options)
        assume(position.kind() is Kind.DECISION)
        try:
            value, plies = minimax([reference.parse(text)], rules(options), depth, [4000])
        except TooManyNodesError:
            assume(False)
        lines, _ = raw_search(position, depth=depth, mate=ANY_MATE)
        assert lines[0][0] == value
        assert abs(lines[0][1]) == (plies if abs(value) == UNIT else 0)

    check()


def test_exit_in_one_is_mate_in_one() -> None:
    position = parse(f"a1XTH {lying('d3', 'S', 'south')} n")
    result, infos = think(position, depth=1)
    assert result.move == "d3d2"
    assert infos[-1].score == Score(mate=1)


def test_forced_passes_keep_the_sign() -> None:
    """South is blocked and passes twice while North exits: a win for North whoever is to move."""
    south = "a1XTH,b1XTH,c1XTH,d1XLT"
    north = f"{lying('d3', 'S', 'south')},{lying('g7', 'T', 'south')}"
    far = f"{lying('d3', 'S', 'south')},{lying('e2', 'S', 'west')}"
    assert parse(f"{south} {north} s").tokens() == ["0000"]
    lines, _ = raw_search(parse(f"{south} {far} n"), depth=4)
    assert lines[0][0] == UNIT
    winning = lines[0][1]
    waiting, _ = raw_search(parse(f"{south} {far} s"), depth=4)
    assert waiting[0][:2] == (-UNIT, -(winning + 1))
    assert parse(f"{south} {far} s").line(waiting[0][2])[0] == "0000"


def test_evaluation_has_the_sign_of_the_side_to_move() -> None:
    """North is about to be out and South far from it: good for North, bad for South, at every depth."""
    fields = f"a1XTH,b1XTH,g1XTH {lying('d3', 'C', 'south')}"
    for depth in (1, 2, 3, 4, 5):
        for side, sign in (("s", -1), ("n", 1)):
            ((value, _, _),), _ = raw_search(parse(f"{fields} {side}"), depth=depth)
            assert value * sign > 0


def test_third_occurrence_is_seen_through_the_history() -> None:
    position = after(parse(SHUFFLE), *ROUND, *ROUND[:3])
    token = ROUND[3]
    assert position.play(token).kind() is Kind.TERMINAL
    _, infos = think(position, depth=1, searchmoves=(token,))
    assert infos[-1].score == Score(cp=0)
    assert list(infos[-1].pv) == [token]
    fresh = parse(position.fen())
    assert think(fresh, depth=1, searchmoves=(token,))[1][-1].score != Score(cp=0)
    unlimited = after(parse(SHUFFLE, repetition="off"), *ROUND, *ROUND[:3])
    assert think(unlimited, depth=1, searchmoves=(token,))[1][-1].score != Score(cp=0)


def test_second_occurrence_in_the_game_is_no_draw_yet() -> None:
    position = after(parse(SHUFFLE), *ROUND[:3])
    assert think(position, depth=1, searchmoves=(ROUND[3],))[1][-1].score != Score(cp=0)


def test_both_blocked_is_worth_nothing() -> None:
    """North, almost out, may block both sides or go on: the blocking move is a draw, no more."""
    text = "a1XTH,b1XTH,c1XTH,d1XLT a7XSL,b7XSL,c7XSL,d7XLT s"
    assert parse(text).result() == "draw: both sides are blocked"
    for state in (parse(text), parse(text[:-1] + "n")):
        with pytest.raises(ValueError, match="only a decision"):
            raw_search(state, depth=2)


@settings(max_examples=30)
@given(positions(1, 2), OPTIONS, OPTIONS)
def test_other_rules_never_answer_from_the_same_table(text: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    """A searcher that has thought under other rules agrees on mates with one that has not."""
    position = parse(text, **other)
    assume(position.kind() is Kind.DECISION and one != other)
    if parse(text, **one).kind() is Kind.DECISION:
        _, used = raw_search(parse(text, **one), depth=6)
    else:
        used = _alphabeta.Searcher(_deblockle.capsule(), 1)
    assert parse(text, **one).core.key != position.core.key
    stale, _ = raw_search(position, depth=4, searcher=used)
    fresh, _ = raw_search(position, depth=4)
    assert stale[0][:2] == fresh[0][:2]


def test_table_size_changes_neither_value_nor_legality() -> None:
    for size in (1, 2, 16):
        lines, searcher = raw_search(parse(MIDDLE), depth=5, searcher=_alphabeta.Searcher(_deblockle.capsule(), size))
        assert lines[0][:2] == raw_search(parse(MIDDLE), depth=5)[0][0][:2]
        assert searcher.hash_mb == size
        assert 0 <= searcher.hashfull() <= 1000


# --- strength and reports -----------------------------------------------------------------------------------


def test_win_draw_loss_chances_add_up() -> None:
    _, infos = think(parse(START), made(show_wdl=True), depth=3)
    for info in infos:
        assert info.wdl is not None
        assert sum(info.wdl) == 1000
    assert think(parse(START), depth=1)[1][0].wdl is None
    sure = parse(f"{lying('d5', 'S', 'north')} g7XLT s")
    assert think(sure, made(show_wdl=True), depth=1)[1][-1].wdl == (1000, 0, 0)


@pytest.mark.parametrize("skill", [1, 10, 19])
def test_weaker_play_is_legal_and_decided_by_the_seed(skill: int) -> None:
    position = parse(START)
    moves = [think(position, made(skill=skill, seed=seed), depth=3)[0].move for seed in range(6)]
    assert moves == [think(position, made(skill=skill, seed=seed), depth=3)[0].move for seed in range(6)]
    assert set(moves) <= set(position.tokens())


def test_weaker_play_compares_lines_of_one_depth_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[list[float]] = []

    def end(self: AlphaBeta, position: Position, lines: list[Found], found: dict[int, Info]) -> Result:
        compared.append([line.value for line in lines])
        return Result(None, None, list(found.values()))

    monkeypatch.setattr(AlphaBeta, "_end", end)
    cut = think(parse(START), made(skill=12), depth=20)[0]
    depths = {info.depth for info in cut.infos}
    assert len(depths) == 2, "the nodes of this level should end amid an iteration"
    think(parse(START), made(skill=12), depth=min(depths))
    assert compared[0] == compared[1]


def test_lowest_skill_varies_with_the_seed() -> None:
    assert len({think(parse(START), made(skill=1, seed=seed), depth=3)[0].move for seed in range(12)}) > 1


def with_mate_in_one(count: int, blocks: int) -> list[DeblocklePosition]:
    """Return positions in which South, with one block against some, wins by one move of several dozen."""
    rng = random.Random(blocks)
    found: list[DeblocklePosition] = []
    while len(found) < count:
        position = opening(GAME.start({"south_blocks": 1, "north_blocks": blocks}), rng)
        for _ in range(12):
            if position.kind() is not Kind.DECISION:
                break
            wins = [token for token in position.tokens() if position.play(token).returns()[0] > 0]
            if position.player() == 0 and wins:
                assert isinstance(position, DeblocklePosition)
                found.append(position)
                break
            position = position.play(rng.choice(position.tokens()))
    return found


@pytest.mark.parametrize("skill", [5, 5.5, 10, 15, 19])
def test_no_level_from_5_on_misses_a_mate_in_one(skill: float) -> None:
    for blocks in (1, 2, 4):
        for seed, position in enumerate(with_mate_in_one(8, blocks)):
            move = think(position, made(skill=skill, seed=seed), nodes=20_000)[0].move
            assert move is not None
            assert position.play(move).result() == "South wins"


def test_lowest_levels_do_miss_mates_in_one() -> None:
    missed = 0
    for seed, position in enumerate(with_mate_in_one(20, 4)):
        move = think(position, made(skill=1, seed=seed), nodes=20_000)[0].move
        assert move is not None
        missed += position.play(move).result() is None
    assert missed > 0


def judge(skill: float, *lines: Found) -> set[int]:
    """Return the first actions that a level takes for the best with different seeds."""
    position = parse(START)
    searchers = [AlphaBeta(GAME, Settings(hash_mb=1, skill=skill, seed=seed)) for seed in range(60)]
    return {searcher._misjudged(position, lines).actions[0] for searcher in searchers}


def test_levels_see_proven_results_as_far_as_their_sight_goes() -> None:
    near, far, good = Found(10_000, [1], 3), Found(10_000, [2], 21), Found(9_900, [3])
    assert judge(6, far, near, good) == {1}
    assert judge(5, far, near, good) == {1, 2, 3}
    assert judge(12, far, good) == {2}
    assert judge(11, far, good) == {2, 3}
    late, soon = Found(-10_000, [4], -12), Found(-10_000, [5], -2)
    assert judge(9, soon, late) == {4}
    assert judge(5, soon, late) == {4, 5}
    assert judge(6, soon, Found(-9_999, [6])) == {6}


def test_what_is_won_by_the_tables_is_won_from_level_10_on() -> None:
    """One block each, against the full strength: without progress in won positions this was drawn by repetition."""
    rng = random.Random(3)
    played = 0
    while played < 6:
        position = opening(GAME.start({"south_blocks": 1, "north_blocks": 1}), rng)
        tables = GAME.oracle(position, "")
        if position.kind() is not Kind.DECISION or tables is None or (tables.probe(position.raw()) or 0) <= 0:
            continue
        played += 1
        seats = (made(skill=(10, 15, 19)[played % 3], seed=played), made())
        assert isinstance(position, DeblocklePosition)
        while position.kind() is Kind.DECISION:
            move = think(position, seats[position.player()], nodes=2000)[0].move
            assert move is not None
            position = position.play(move)
        assert position.result() == "South wins"


@pytest.mark.parametrize("algorithm", ["cpsat", "nonsense", ""])
def test_algorithm_that_does_not_play_the_game(algorithm: str) -> None:
    with pytest.raises(OptionError, match="algorithm"):
        search.make(GAME, algorithm, Settings())


def test_auto_is_alpha_beta_in_the_play_and_expectimax_in_the_set_up() -> None:
    auto = search.make(GAME, "auto", Settings(hash_mb=1))
    one, two = think(parse(START), auto, depth=4)[0], think(parse(START), depth=4)[0]
    assert (one.move, one.infos[0].nodes, one.infos[0].pv) == (two.move, two.infos[0].nodes, two.infos[0].pv)
    placing = parse("- - s 0 setup:4v4:XLCH")
    dice = search.make(GAME, "expectimax", Settings())
    assert think(placing, auto, nodes=2000)[0].move == think(placing, dice, nodes=2000)[0].move
    assert GAME.algorithm(placing) == "expectimax"


def test_auto_is_stopped_before_it_begins() -> None:
    auto = search.make(GAME, "auto", Settings(hash_mb=1))
    auto.arm()
    auto.stop()
    for position in (parse(START), parse("- - s 0 setup:4v4:XLCH")):
        assert auto.search(position, Limits(infinite=True), lambda info: None).move in position.tokens()


# --- stop and ponder ----------------------------------------------------------------------------------------


class Background:
    """A search in a thread of its own."""

    def __init__(self, searcher: Searcher, position: DeblocklePosition, limits: Limits) -> None:
        self.started = threading.Event()
        self.results: list[Result] = []
        self.thread = threading.Thread(target=self._run, args=(searcher, position, limits), daemon=True)

    def _run(self, searcher: Searcher, position: DeblocklePosition, limits: Limits) -> None:
        self.results.append(searcher.search(position, limits, lambda _: self.started.set()))

    def begin(self) -> Background:
        """Start, and wait for the first report."""
        self.thread.start()
        assert self.started.wait(SECONDS)
        return self

    def end(self) -> Result:
        """Wait for the end."""
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()
        return self.results[0]


def test_stop_before_the_search_begins() -> None:
    searcher = made()
    searcher.arm()
    searcher.stop()
    result = searcher.search(parse(START), Limits(infinite=True), lambda _: None)
    assert result.move in parse(START).tokens()


def test_stop_ends_a_search_without_limits() -> None:
    searcher = made()
    searcher.arm()
    running = Background(searcher, parse(START), Limits(infinite=True)).begin()
    searcher.stop()
    assert running.end().move in parse(START).tokens()


def test_infinite_search_waits_for_stop_even_when_all_is_proven() -> None:
    searcher = made()
    searcher.arm()
    running = Background(searcher, parse(f"{lying('d5', 'S', 'north')} g7XLT s"), Limits(infinite=True)).begin()
    running.thread.join(0.05)
    assert running.thread.is_alive()
    searcher.stop()
    assert running.end().move == "d5d6"


def test_arm_forgets_an_old_stop() -> None:
    searcher = made()
    searcher.stop()
    _, infos = think(parse(START), searcher, depth=4)
    assert infos[-1].depth == 4


def test_ponder_waits_for_ponderhit() -> None:
    searcher = made()
    searcher.arm()
    running = Background(searcher, parse(START), Limits(ponder=True, depth=2)).begin()
    running.thread.join(0.05)
    assert running.thread.is_alive()
    searcher.ponderhit()
    assert running.end().infos[0].depth == 2


def test_ponderhit_starts_the_clock() -> None:
    searcher = made()
    searcher.arm()
    running = Background(searcher, parse(START), Limits(ponder=True, movetime=50)).begin()
    running.thread.join(0.2)
    assert running.thread.is_alive()
    searcher.ponderhit()
    assert running.end().move in parse(START).tokens()


def test_ponderhit_before_the_search_begins() -> None:
    searcher = made()
    searcher.arm()
    searcher.ponderhit()
    result = searcher.search(parse(START), Limits(ponder=True, depth=2), lambda _: None)
    assert result.infos[0].depth == 2


def test_stop_ends_pondering() -> None:
    searcher = made()
    searcher.arm()
    running = Background(searcher, parse(START), Limits(ponder=True, movetime=10**9)).begin()
    searcher.stop()
    assert running.end().move in parse(START).tokens()


def test_error_in_a_report_ends_the_search() -> None:
    def fail(_: Info) -> None:
        raise RuntimeError("the client has gone")

    searcher = made()
    searcher.arm()
    with pytest.raises(RuntimeError, match="the client has gone"):
        searcher.search(parse(START), Limits(infinite=True), fail)
    assert think(parse(START), searcher, depth=2)[0].move in parse(START).tokens()


# --- bad arguments raise ------------------------------------------------------------------------------------


def ignore(*_: object) -> None:
    """Take a report and do nothing."""


@pytest.mark.parametrize("state", [b"", b"\0", bytes(10_000)])
def test_state_of_another_size(state: bytes) -> None:
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1)
    with pytest.raises(ValueError, match="bytes"):
        searcher.search(state, [], [], 1, 0, 1, 0, ignore)
    with pytest.raises(ValueError, match="bytes"):
        _deblockle.State.from_raw(state)


@pytest.mark.parametrize("text", ["- d7XLT s", BOTH_BLOCKED, "- - s 0 setup:4v4:-"])
def test_only_a_decision_is_searched(text: str) -> None:
    with pytest.raises(ValueError, match="only a decision"):
        raw_search(parse(text), depth=1)


@pytest.mark.parametrize("capsule", [None, 1, "capsule", object()])
def test_wrong_capsule(capsule: object) -> None:
    with pytest.raises(ValueError, match="PyCapsule"):
        _alphabeta.Searcher(capsule, 1)


@pytest.mark.parametrize("size", [0, -1, 65537, 2**31 - 1])
def test_table_size_out_of_range(size: int) -> None:
    with pytest.raises(ValueError, match="hash"):
        _alphabeta.Searcher(_deblockle.capsule(), size)
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1)
    with pytest.raises(ValueError, match="hash"):
        searcher.resize(size)
    assert searcher.hash_mb == 1
    assert raw_search(parse(START), depth=2, searcher=searcher)[0]


@pytest.mark.parametrize("root", [0, 1, 2**63, 2**64, -1, 3 << 20])
def test_illegal_root(root: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        raw_search(parse(START), depth=1, roots=[root])


@pytest.mark.parametrize("history", [[-1], [2**64], ["x"], [None]])
def test_history_of_no_keys(history: list[Any]) -> None:
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1)
    with pytest.raises((ValueError, OverflowError, TypeError)):
        searcher.search(parse(START).raw(), history, [], 1, 0, 1, 0, ignore)
    assert raw_search(parse(START), depth=2, searcher=searcher)[0]


def test_long_history() -> None:
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1)
    assert searcher.search(parse(START).raw(), list(range(100_000)), [], 2, 0, 1, 0, ignore)


@pytest.mark.parametrize(("depth", "nodes", "multipv", "mate"), [(-3, 50, -2, -1), (10**6, 50, 10**6, 10**6)])
def test_limits_out_of_range_are_clamped(depth: int, nodes: int, multipv: int, mate: int) -> None:
    lines, searcher = raw_search(parse(START), depth=depth, nodes=nodes, multipv=multipv, mate=mate)
    assert searcher.nodes == 50
    assert len(lines) == min(max(multipv, 1), parse(START).count())


SQUARE_OF_A1, SQUARE_OF_D2, UNUSED_FILE = 0, 11, 7


@pytest.mark.parametrize("square", [-1, UNUSED_FILE, SQUARE_OF_D2, 56, 63, 64, 2**31, 2**70, "a1", None])
def test_bad_square(square: Any) -> None:
    with pytest.raises((ValueError, OverflowError, TypeError)):
        _deblockle.State().replaced([(square, 0)], [], 0, 0)


@pytest.mark.parametrize("orientation", [-1, 24, 255, 2**31, 2**70, "SLX", None])
def test_bad_orientation(orientation: Any) -> None:
    with pytest.raises((ValueError, OverflowError, TypeError)):
        _deblockle.State().replaced([(SQUARE_OF_A1, orientation)], [], 0, 0)
    with pytest.raises((ValueError, OverflowError, TypeError)):
        _deblockle.tip(orientation, 0)


@pytest.mark.parametrize("direction", [-1, 4, 2**40])
def test_bad_direction(direction: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        _deblockle.tip(0, direction)


@pytest.mark.parametrize(
    ("south", "side", "halfmove", "phase", "unplaced", "handicap"),
    [
        ([(0, 0), (0, 1)], 0, 0, 0, (0,) * 6, (0, 0)),
        ([(n, 0) for n in range(5)], 0, 0, 0, (0,) * 6, (0, 0)),
        ([(0, 0)], 2, 0, 0, (0,) * 6, (0, 0)),
        ([(0, 0)], -1, 0, 0, (0,) * 6, (0, 0)),
        ([(0, 0)], 0, -1, 0, (0,) * 6, (0, 0)),
        ([(0, 0)], 0, 65536, 0, (0,) * 6, (0, 0)),
        ([(0, 0)], 0, 0, 3, (0,) * 6, (0, 0)),
        ([(0, 0)], 0, 0, -1, (0,) * 6, (0, 0)),
        ([], 0, 0, 2, (0,) * 5, (4, 4)),
        ([], 0, 0, 2, (5, 0, 0, 0, 0, 0), (4, 4)),
        ([], 0, 0, 2, (-1, 0, 0, 0, 0, 5), (4, 4)),
        ([], 0, 0, 1, (0,) * 6, (0, 0)),
        ([], 0, 0, 1, (0,) * 6, (5, 4)),
        ([], 0, 0, 1, (0,) * 6, (4, 5)),
        ([], 0, 0, 1, (0,) * 6, (0, 4)),
        ([], 0, 0, 1, (0,) * 6, (4,)),
    ],
)
def test_bad_contents_of_a_state(
    south: list[tuple[int, int]], side: int, halfmove: int, phase: int, unplaced: Any, handicap: Any
) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        _deblockle.State().replaced(south, [], side, halfmove, phase, unplaced, handicap)


@pytest.mark.parametrize("counts", [(0, 4), (4, 0), (5, 1), (1, -1)])
def test_bad_handicap(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="1 to 4"):
        _deblockle.State().set_up(*counts)


@pytest.mark.parametrize("rule", [(3, False, False, 3), (-1, False, False, 3), (0, False, False, 256)])
def test_bad_rules(rule: tuple[int, bool, bool, int]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        _deblockle.State(*rule)


@pytest.mark.parametrize("action", [-1, 0, 2**20, 2**63, 2**64, 2**80])
def test_illegal_action(action: int) -> None:
    with pytest.raises(ValueError, match="action"):
        parse(START).core.apply(action)


@pytest.mark.parametrize("side", [-1, 2, 1000])
def test_bad_side(side: int) -> None:
    state = parse(START).core
    for ask in (state.blocks, state.can_move, state.turns_left):
        with pytest.raises(ValueError, match="side is 0 or 1"):
            ask(side)


def test_perft_deeper_than_any_stack_raises() -> None:
    """In a process of its own: an overflowing stack would take this one with it."""
    script = (
        "from blockwit import _deblockle\n"
        "try:\n"
        "    _deblockle.State().replaced([(0, 0)], [(54, 0)], 0, 0).perft(100_000)\n"
        "except ValueError as error:\n"
        "    print('refused:', error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.stdout.startswith("refused: ")
    assert done.returncode == 0


def test_states_compare_and_hash_by_contents() -> None:
    state = parse(START).core
    assert state == _deblockle.State.from_raw(state.raw())
    assert hash(state) == hash(_deblockle.State.from_raw(state.raw()))
    assert state != parse(MIDDLE).core
    assert state != START
