"""Matches: pairs, results, Elo."""

from __future__ import annotations

import math
import random
import statistics
import sys
import threading
from dataclasses import replace

import pytest
from blockwit import games
from blockwit.arena import match
from blockwit.arena.match import GameRecord, Player, Tally
from blockwit.errors import EngineDiedError, EngineError, OptionError
from blockwit.games.base import Kind


def record(result: float) -> GameRecord:
    return GameRecord(result, (0.0, 0.0), 10, "", ())


def test_pair_swaps_sides_from_the_same_set_up() -> None:
    first, second = Player.parse("depth=2"), Player.parse("nodes=50")
    ((one, two),) = match.play_match("deblockle", {}, first, second, 1, seed=5)
    assert one.start == two.start
    game = games.get("deblockle")
    for rec, swapped in ((one, False), (two, True)):
        position = game.parse(rec.start, {})
        for move in rec.moves:
            position = position.play(move)
        assert position.kind() is Kind.TERMINAL
        south = position.returns()[0]
        assert rec.result == {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}[-south if swapped else south]


def test_match_is_reproducible_and_the_same_in_processes() -> None:
    first, second = Player.parse("depth=2"), Player.parse("depth=1")
    one = list(match.play_match("deblockle", {}, first, second, 2, seed=3))
    two = list(match.play_match("deblockle", {}, first, second, 2, seed=3, jobs=2))
    assert one == two
    assert one[0][0].start != one[1][0].start


def test_deeper_search_scores_more() -> None:
    tally = Tally()
    for pair in match.play_match("deblockle", {}, Player.parse("depth=4"), Player.parse("depth=1"), 6, seed=1):
        tally.add(pair)
    assert tally.games == 12
    assert tally.score > 0.7


def test_opening_ends_with_the_set_up() -> None:
    position = match.opening(games.get("deblockle").start({"south_blocks": 2}), random.Random(4))
    assert position.kind() is Kind.DECISION
    assert not position.is_setup()
    assert len(position.state()["blocks"]) == 6


def test_tally_counts_and_elo() -> None:
    tally = Tally()
    for results in ((1, 1), (1, 0.5), (0, 0.5), (1, 0)):
        tally.add([record(result) for result in results])
    assert (tally.wins, tally.draws, tally.losses) == (4, 2, 2)
    assert tally.score == pytest.approx(5 / 8)
    elo, low, high = tally.elo()
    assert elo == pytest.approx(400 * math.log10(5 / 3))
    assert low < elo < high
    assert match.elo_of(0.5) == 0
    assert match.elo_of(1) == math.inf
    assert match.elo_of(0) == -math.inf


def test_the_interval_of_elo_is_that_of_the_sample_mean_of_pairs() -> None:
    """Against the standard library's sample variance, and against figures worked out by hand."""
    tally = Tally()
    pairs = [(1, 1), (1, 0.5), (0, 0.5), (1, 0), (0.5, 0.5), (0, 0), (1, 1)]
    for results in pairs:
        tally.add([record(result) for result in results])
    means = [sum(pair) / 2 for pair in pairs]
    error = 1.96 * math.sqrt(statistics.variance(means) / len(pairs))
    assert tally.elo() == pytest.approx(
        tuple(match.elo_of(statistics.fmean(means) + by) for by in (0, -error, error)), rel=1e-12
    )
    # Pairs of 1 and 0 by turns: a mean of 1/2, squares of 1/4 each, over n - 1 = 3: a variance of 1/3, an error of
    # 1.96 sqrt(1/12) = 0.5658, which is more than the scale holds.
    swings = Tally()
    for result in (1, 0, 1, 0):
        swings.add([record(result)] * 2)
    assert swings.elo() == (0, -math.inf, math.inf)
    # Pairs of 3/4 and 1/2 by turns, four of each: a mean of 5/8, squares of 1/64, over 7: a variance of 1/56 and an
    # error of 1.96 sqrt(1/448) = 0.092601.
    calm = Tally()
    for _ in range(4):
        calm.add([record(1), record(0.5)])
        calm.add([record(1), record(0)])
    assert calm.elo() == pytest.approx((88.73950, 22.54451, 162.00821), abs=1e-5)
    # One pair says nothing of the spread: the widest that there is, a half, is taken.
    one = Tally()
    one.add([record(1), record(0.5)])
    assert one.elo()[1] == -math.inf
    assert Tally().elo() == (0, -math.inf, math.inf)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth=1,cmd=", "cmd needs a command"),
        ("depth=1,cmd='", "cmd: No closing quotation"),
        ("", "expected a limit"),
        ("hash=4", "expected a limit"),
        ("depth=x", "depth needs a whole number"),
        ("depth=²", "depth needs a whole number"),
        ("speed=3", "unknown key 'speed'"),
    ],
)
def test_bad_player_is_named(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Player.parse(text)


def test_player_that_cannot_play_the_game_is_named() -> None:
    with pytest.raises(EngineError, match="cpsat"):
        next(match.play_match("deblockle", {}, Player.parse("depth=1,algorithm=cpsat"), Player.parse("depth=1"), 1))


def test_player_of_another_command() -> None:
    command = f'{sys.executable} -c \'import sys, runpy; runpy.run_module("blockwit", run_name="__main__")\''
    other = Player.parse(f"nodes=50,hash=1,cmd={command}")
    assert other.command[:2] == (sys.executable, "-c")
    assert other.limits.nodes == 50
    own = Player.parse("nodes=50,hash=1")
    assert list(match.play_match("deblockle", {}, own, other, 1)) == list(
        match.play_match("deblockle", {}, own, own, 1)
    )
    with pytest.raises(EngineDiedError, match="exit code 3"):
        next(match.play_match("deblockle", {}, own, Player.parse("nodes=50,cmd=sh -c 'exit 3'"), 1))


def test_illegal_move_of_an_engine_is_named() -> None:
    script = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    answers = {'uci': 'id name Cheat\\noption name UCI_Variant type string default x\\nuciok',"
        " 'isready': 'readyok', 'go': 'bestmove a1a9'}\n"
        "    if word in answers: print(answers[word], flush=True)\n"
    )
    cheat = replace(Player.parse("depth=1"), command=(sys.executable, "-c", script))
    with pytest.raises(EngineError, match=r"Cheat: its move 1 from .*a1a9"):
        next(match.play_match("deblockle", {}, cheat, Player.parse("depth=1"), 1))


def test_closing_the_match_early_ends_its_games() -> None:
    played = match.play_match("deblockle", {}, Player.parse("depth=1"), Player.parse("depth=1"), 500, jobs=2)
    next(played)
    played.close()
    left = [thread.name for thread in threading.enumerate()]
    assert not [name for name in left if name.startswith(("engine client", "ThreadPool"))]
