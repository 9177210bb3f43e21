"""Proofs, bounds, searches, resuming."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from blockwit import _nmbr9
from blockwit.errors import OptionError, SolutionError
from blockwit.games.nmbr9.position import GAME, SHAPES, Nmbr9Position, Tile
from blockwit.search.cpsat.model import StackModel
from blockwit.search.cpsat.optimize import Optimizer, Progress, optimize
from blockwit.search.cpsat.problem import problem_of, read_problem
from blockwit.search.cpsat.progress import ProgressFile
from blockwit.search.cpsat.search import Beam, draw_neighbourhood, first_settings, neighbourhood_model, play_beam
from blockwit.search.cpsat.searcher import Nmbr9Searcher
from blockwit.search.cpsat.solution import check_solution, write_solution
from blockwit.search.cpsat.stacks import COVERER, Plan, complete, replay
from blockwit.search.cpsat.unknown import choose
from blockwit.search.types import Info, Limits, Settings

from tests.reference import nmbr9 as reference
from tests.search.cpsat.decomposition import Decomposition, can_carry


def counts(*digits: int) -> tuple[int, ...]:
    return tuple(digits.count(d) for d in range(10))


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("F-6-1-5", 17),
        ("F-6-2-5", 19),
        ("F-6-1-5@8x8x3", 17),
        ("F-6-2-5@8x8x3", 19),
        ("F-3-1-4", 3),
        ("F-4-1-5", 7),
        ("F-5-1-6", 16),
        ("F-6-1-7", 22),
        ("F-7-1-8", 38),
        ("F-2-1-2", 0),
        ("F-0-1-1", 0),
    ],
)
def test_small_problems_are_proven(name: str, best: int) -> None:
    news: list[Progress] = []
    problem = read_problem(name)
    end = optimize(problem, None, report=news.append)
    assert end.proven
    assert end.score == best == end.bound
    assert end.plan is not None
    check_solution(write_solution(problem, end.plan.tiles, end.score))
    placements = [reference.parse_placement(str(tile)) for tile in end.plan.tiles]
    assert not reference.check_solution(placements)
    scores = [p.score for p in news]
    bounds = [p.bound for p in news]
    assert scores == sorted(scores)
    assert bounds == sorted(bounds, reverse=True)


def test_a_proof_without_an_incumbent_and_with_one_agree() -> None:
    problem = read_problem("F-6-1-5")
    for incumbent in (-1, 16, 17):
        search = Decomposition(problem, incumbent, lambda tiles, score: None, lambda bound: None, lambda: False)
        assert search.run()
        assert search.incumbent == 17


def test_exhaustive_play_agrees_with_the_proof() -> None:
    """Every game of three cards, by the rules alone."""
    position = GAME.start({"Problem": "F-4-1-3"})

    def best(at: Nmbr9Position, depth: int) -> int:
        if depth == 1:
            return max((int(t[0]) * int(t[-1]) for t in at.tokens()), default=0)
        return max(best(at.play(t), depth - 1) for t in at.tokens()) if at.tokens() else 0

    assert optimize(read_problem("F-4-1-3"), None).score == best(position, 3)


def test_a_stopped_proof_claims_nothing() -> None:
    search = Decomposition(read_problem("F-9-1-10"), -1, lambda tiles, score: None, lambda bound: None, lambda: True)
    assert not search.run()


def test_layouts_are_all_connected_and_all_there() -> None:
    layouts, complete_ = COVERER.all_layouts(counts(1, 7))
    assert complete_
    tiles = {tuple(COVERER.spots(raw)) for raw in layouts}
    assert len(tiles) == len(layouts)
    # Counted by the reference: the 1 upright, the 7 next to it in every way.
    first = reference.parse_placement("1a@0,0,0")
    assert len(layouts) == len([p for p in reference.legal_placements([first], 7) if p.level == 0])


def test_what_a_pair_carries_agrees_with_the_reference() -> None:
    first = reference.parse_placement("9a@0,0,0")
    carried = set()
    for second in reference.legal_placements([first], 8):
        for digit in (1, 3, 7):
            if any(p.level == 1 for p in reference.legal_placements([first, second], digit)):
                carried.add(digit)
    for digit in (1, 3, 7):
        assert can_carry(counts(digit), counts(8, 9)) == (digit in carried)
    layouts, _ = COVERER.all_layouts(counts(8, 9))
    found = COVERER.carried(layouts, (2,) * 10)
    assert {load[0] for load in found if len(load) == 1} & {1, 3, 7} == carried


def test_the_enumeration_refuses_bad_input() -> None:
    with pytest.raises(ValueError, match="counts"):
        COVERER.all_layouts((1, 2))
    with pytest.raises(ValueError, match="counts"):
        COVERER.all_layouts((0,) * 10)
    with pytest.raises(ValueError, match="bytes"):
        COVERER.spots(b"x")
    with pytest.raises(ValueError, match="out of range"):
        COVERER.layout([(3, 9, 0, 0)])


def test_the_constraint_model_finds_the_optimum_of_a_small_grid() -> None:
    problem = read_problem("F-6-1-3@7x7x2")
    model = StackModel(problem.pool, problem.cards, range(2), (0, 0, 7, 7))
    outcome = model.solve(60, 1)
    assert outcome.exhausted
    assert outcome.tiles is not None
    plan = replay(problem, outcome.tiles)
    assert plan is not None
    assert plan.score == outcome.bound == optimize(problem, None).score


def test_the_constraint_model_keeps_a_known_order() -> None:
    problem = read_problem("K:596")
    model = StackModel(problem.pool, 3, range(2), (0, 0, 7, 7), deck=problem.deck, ranks=range(3))
    outcome = model.solve(60, 1)
    assert outcome.exhausted
    assert outcome.tiles is not None
    plan = replay(problem, outcome.tiles)
    assert plan is not None
    assert plan.score == outcome.bound == 6
    assert [tile.digit for tile in plan.tiles] == [5, 9, 6]


def test_neighbourhoods_never_lose() -> None:
    import random

    problem = read_problem("K:359026")
    tiles, score = play_beam(problem.position().raw(), 5, 0, 1)
    plan = replay(problem, tiles)
    assert plan is not None
    assert plan.score == score
    rng = random.Random(4)
    for _ in range(3):
        where = draw_neighbourhood(rng, plan, 0, 2)
        outcome = neighbourhood_model(problem, plan, where, rng.getrandbits(20)).solve(20, 1)
        assert outcome.tiles is not None
        better = replay(problem, outcome.tiles)
        assert better is not None
        assert better.score >= plan.score
        plan = better


def test_a_beam_over_cards_is_stopped_in_mid_step() -> None:
    """The widest step takes a tenth of a second: a stop does not wait for it."""
    start = read_problem("K:0123456789").position().raw()
    states = [start]
    for card in range(6):
        states = _nmbr9.beam_step(states, 500, 0, card)
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked == limit

    limit = 0
    further = _nmbr9.beam_step(states, 500, 0, 7, stopped)
    assert further == _nmbr9.beam_step(states, 500, 0, 7)
    assert asked >= 500 // 20
    limit = asked // 2
    asked = 0
    assert not _nmbr9.beam_step(states, 500, 0, 7, stopped)
    assert asked == limit
    limit = 40
    asked = 0
    tiles, _ = play_beam(start, 200, 0, 1, stopped)
    assert 0 < len(tiles) < 10

    def fail() -> bool:
        raise RuntimeError("asked")

    with pytest.raises(RuntimeError, match="asked"):
        _nmbr9.beam_step(states, 500, 0, 7, fail)


def test_a_beam_step_keeps_the_best_of_all_placements_in_order() -> None:
    states = [read_problem("K:9753").position().raw()]
    for card in range(2):
        states = _nmbr9.beam_step(states, 30, 0, card)
    ways = [(-value, parent, action) for parent, raw in enumerate(states) for action, value in _nmbr9.ranked(raw)]
    wanted: dict[int, bytes] = {}
    for _, parent, action in sorted(ways):
        after = _nmbr9.play(states[parent], action)
        wanted.setdefault(_nmbr9.key(after), after)
    assert _nmbr9.beam_step(states, 50, 0, 1) == list(wanted.values())[:50]


def test_the_beam_builds_legal_stacks() -> None:
    problem = read_problem("F-9-1-10")
    plans: list[Plan] = []

    def keep(tiles: list[Tile], score: int) -> None:
        plan = complete(problem, tiles)
        assert plan is not None
        assert plan.score >= score
        plans.append(plan)

    Beam(problem, 2, keep, lambda: False).run(first_settings(4, 1))
    assert 60 <= max(plan.score for plan in plans) <= 71


def test_a_beam_over_levels_is_stopped_within_a_node() -> None:
    pool = counts(*range(10), *range(10))
    layout, _ = COVERER.all_layouts(counts(8, 9))
    top = COVERER.make_node(layout[0], pool, 0)
    limit = asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked == limit

    def nodes(ask: Callable[[], bool] | None) -> tuple[list[bytes], int]:
        before = COVERER.nodes
        found = COVERER.expand(top, 0, 1, 4, 20, 0, 0, 0, 9, 100_000, 1, ask)
        return found, COVERER.nodes - before

    whole = nodes(None)
    assert whole[1] > 60_000
    assert nodes(stopped) == whole
    assert asked >= 6
    limit, asked = 2, 0
    part = nodes(stopped)
    assert part[1] < whole[1] // 2
    assert asked == 2

    def fail() -> bool:
        raise RuntimeError("asked")

    with pytest.raises(RuntimeError, match="asked"):
        nodes(fail)


def test_what_layouts_carry_is_told_whole_or_not_at_all() -> None:
    pool = counts(*range(10))
    layouts, _ = COVERER.all_layouts(counts(1, 7, 8))
    whole = COVERER.carried(layouts, pool)
    assert whole
    assert COVERER.carried(layouts, pool, lambda: False) == whole
    asked = iter([False, True])
    assert COVERER.carried(layouts, pool, lambda: next(asked)) is None


def test_known_orders_stay_below_free_choice() -> None:
    free = optimize(read_problem("F-6-1-7"), None).score
    for deck in ("0123456", "6543210", "3061524"):
        # A first plan, then the proof.
        end = Optimizer(read_problem(f"K:{deck}")).run(steps=2)
        assert end.plan is not None
        assert [tile.digit for tile in end.plan.tiles] == [int(d) for d in deck]
        assert end.score <= end.bound <= free


def test_a_killed_run_resumes(tmp_path: Path) -> None:
    save = tmp_path / "progress.json"
    problem = read_problem("F-9-2-12")
    with Optimizer(problem, save=save, seed=5) as first:
        threading.Timer(3.0, first.stop).start()
        first.run()
    saved = json.loads(save.read_text(encoding="utf-8"))
    assert saved["score"] >= 0
    news: list[Progress] = []
    second = Optimizer(problem, save=save, report=news.append)
    assert second.plan is not None
    assert second.plan.score == saved["score"]
    assert second.bound == saved["bound"]
    assert second.progress().seconds >= saved["seconds"]
    second.stop()
    assert second.run().score == saved["score"]
    assert news[0].source == "saved"


def test_progress_of_another_problem_is_refused(tmp_path: Path) -> None:
    save = tmp_path / "progress.json"
    optimize(read_problem("F-6-1-5"), None, save=save)
    with pytest.raises(SolutionError, match="is of problem 'F-6-1-5', expected F-6-2-5"):
        Optimizer(read_problem("F-6-2-5"), save=save)
    save.write_text("{", encoding="utf-8")
    with pytest.raises(SolutionError, match="cut short"):
        Optimizer(read_problem("F-6-1-5"), save=save)


def test_progress_that_nobody_wrote_is_not_believed(tmp_path: Path) -> None:
    """A bound of -5 made any plan "proven optimal"; a plan and a bound were whatever the file said."""
    save = tmp_path / "progress.json"
    problem = read_problem("F-4-1-5")
    Optimizer(problem, save=save).run()
    written = json.loads(save.read_text(encoding="utf-8"))
    assert (written["score"], written["bound"]) == (7, 7)
    sealed = ProgressFile.model_validate(written)

    def refused(words: str) -> None:
        with pytest.raises(SolutionError, match=words) as caught:
            Optimizer(problem, save=save)
        assert str(caught.value).startswith(f"progress file {save}")
        assert "\n" not in str(caught.value)

    for text, words in (
        ('{"problem":"F-4-1-5","moves":[],"bound":-5,"rounds":1,"seconds":1}', "field required|bound: input should"),
        (json.dumps(written | {"moves": 5}), "moves: input should be a valid"),
        (json.dumps(written | {"bound": 4}), "its checksum does not fit"),
        (json.dumps(written | {"moves": [], "score": -1}), "its checksum does not fit"),
        (json.dumps(written).replace('"rounds": ', '"rounds": ' + "1" * 5000), "not JSON"),
        (json.dumps(written).replace('"seconds": ', '"seconds": 1e400, "x": '), "seconds: input should be a finite"),
        ("[" * 100_000, "not JSON"),
    ):
        save.write_text(text, encoding="utf-8")
        refused(words)
    # With a right checksum, what the rules can tell is told.
    for change, words in (
        ({"bound": 6}, "its bound 6 is below the 7 points of its plan"),
        ({"score": 8}, "its plan scores 7, not 8"),
        ({"moves": written["moves"][:-1]}, "its plan breaks the rules"),
        ({"moves": ["7z@0,0,0"]}, "is not a placement"),
        ({"engine": "blockwit 0.1.0"}, "was written by 'blockwit 0.1.0'"),
    ):
        save.write_text(sealed.model_copy(update=change).sealed().model_dump_json(), encoding="utf-8")
        refused(words)
    save.write_bytes(b"\xef\xbb\xbf" + sealed.model_dump_json().encode())
    assert Optimizer(problem, save=save).bound == 7


@pytest.mark.parametrize(
    "text", ["", "F", "F-9-2", "G-9-2-20", "F-9-3-20", "F-9-2-21", "F-9-2-20@0x3x3", "K:123x", "K:111"]
)
def test_bad_problems_are_one_clear_line(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_problem(text)
    assert "\n" not in str(caught.value)


def test_the_searcher_optimizes_a_free_position() -> None:
    infos: list[Info] = []
    result = Nmbr9Searcher(Settings()).search(GAME.start({"Problem": "F-6-1-5"}), Limits(), infos.append)
    assert result.move == infos[-1].pv[0]
    assert len(infos[-1].pv) == 5
    assert infos[-1].score is not None
    assert infos[-1].score.cp == infos[-1].bound == 1700


def test_the_searcher_goes_on_from_placed_tiles() -> None:
    position = GAME.parse("2a@29,30,0,4a@31,30,0 *01356/3", {})
    problem = problem_of(position)
    assert len(problem.start) == 2
    result = Nmbr9Searcher(Settings()).search(position, Limits(movetime=1500), lambda info: None)
    assert result.move is not None
    for move in result.infos[-1].pv:
        position = position.play(move)
    assert position.result() is not None


def test_the_searcher_plays_the_card_in_hand() -> None:
    position = GAME.start({}).play("draw:4")
    result = Nmbr9Searcher(Settings(seed=3)).search(position, Limits(nodes=200), lambda info: None)
    assert result.move is not None
    assert result.move.startswith("4")
    again = Nmbr9Searcher(Settings(seed=3)).search(position, Limits(nodes=200), lambda info: None)
    assert again.move == result.move


def test_the_searcher_answers_at_once() -> None:
    for text in ("- *00112233445566778899/20", "- 31415926", "- 3?0123"):
        position = GAME.parse(text, {})
        result = Nmbr9Searcher(Settings()).search(position, Limits(movetime=0), lambda info: None)
        assert result.move is not None
        position.play(result.move)
    over = GAME.parse("- -", {})
    assert Nmbr9Searcher(Settings()).search(over, Limits(), lambda info: None).move is None


def test_the_searcher_stops() -> None:
    searcher = Nmbr9Searcher(Settings())
    threading.Timer(1.0, searcher.stop).start()
    result = searcher.search(GAME.start({"Problem": "F-9-2-20"}), Limits(infinite=True), lambda info: None)
    assert result.move is not None


def test_the_opponent_obeys_searchmoves() -> None:
    position = GAME.start({}).play("draw:4")
    choice = choose(position, None, 100, 1, only=frozenset({"4c@0,0,0"}))
    assert choice.move == "4c@0,0,0"


def test_the_opponent_finishes_a_game() -> None:
    end = GAME.parse("- ?0123456789", {})
    for digit in range(10):
        end = end.play(f"draw:{digit}")
        end = end.play(choose(end, None, 100, digit).move)
    assert end.result() is not None
    assert not reference.check_solution([reference.parse_placement(str(tile)) for tile in end.tiles])


def test_shapes_reach_the_enumeration_unchanged() -> None:
    raw = COVERER.layout([(digit, 0, 5 * digit, 0) for digit in range(10)])
    assert {d for d, _, _, _ in COVERER.spots(raw)} == set(range(len(SHAPES)))


def test_depth_counts_the_steps_of_the_optimizer() -> None:
    optimizer = Optimizer(read_problem("F-9-2-20"))
    end = optimizer.run(steps=1)
    assert end.plan is not None
    assert not end.proven
    assert optimizer.rounds == 0
    result = Nmbr9Searcher(Settings()).search(GAME.parse("- 0123456789", {}), Limits(nodes=10), lambda info: None)
    assert result.move is not None


def test_a_bestmove_waits_for_ponderhit() -> None:
    searcher = Nmbr9Searcher(Settings())
    position = GAME.start({"Problem": "F-3-1-4"})
    searcher.arm()
    told: list[str | None] = []
    thread = threading.Thread(
        target=lambda: told.append(searcher.search(position, Limits(ponder=True), lambda info: None).move), daemon=True
    )
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    searcher.ponderhit()
    thread.join(60)
    assert len(told) == 1


def test_a_ponderhit_may_come_before_the_search_has_begun() -> None:
    searcher = Nmbr9Searcher(Settings())
    position = GAME.parse("- 7?0011223344556678899", {})
    searcher.arm()
    searcher.ponderhit()
    result = searcher.search(position, Limits(ponder=True, movetime=20), lambda info: None)
    assert result.move in position.tokens()


def test_the_time_of_a_ponderhit_ends_no_later_search() -> None:
    searcher = Nmbr9Searcher(Settings())
    position = GAME.parse("- 7?0011223344556678899", {})
    searcher.arm()
    pondered = threading.Thread(
        target=searcher.search, args=(position, Limits(ponder=True, movetime=300), lambda info: None), daemon=True
    )
    pondered.start()
    pondered.join(0.1)
    searcher.ponderhit()
    searcher.stop()
    pondered.join(60)
    searcher.arm()
    later = threading.Thread(
        target=searcher.search, args=(position, Limits(infinite=True), lambda info: None), daemon=True
    )
    later.start()
    later.join(0.6)
    assert later.is_alive()
    searcher.stop()
    later.join(60)
    assert not later.is_alive()
