"""Known decks: optima against exhaustive play, every test against plans that can be played, stops."""

from __future__ import annotations

import itertools
import random
import threading
import time

import pytest
from blockwit import _known, _nmbr9, _plan
from blockwit.games.nmbr9.position import SHAPES, Tile, read_tile
from blockwit.search.cpsat.known import KnownSolver
from blockwit.search.cpsat.optimize import Optimizer, optimize
from blockwit.search.cpsat.problem import Problem, read_problem
from blockwit.search.cpsat.search import play_beam
from blockwit.search.cpsat.stacks import replay
from blockwit.search.cpsat.worth import draw_worth, many_prices, worth_of_squares
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import nmbr9 as reference
from tests.search.cpsat.exhaustive import places, reaches


def solved(deck: str) -> int:
    """Return the optimum of a deck by the solver alone; its plan is replayed by the slow reference."""
    problem = read_problem(f"K:{deck}")
    plans: list[list[Tile]] = []
    solver = KnownSolver(problem, 1, plans.append, lambda bound: None)
    solver.run(None, lambda: max((score(plan) for plan in plans), default=-1), lambda: False)
    assert solver.finished
    best = max(plans, key=score, default=None)
    if best is None:
        assert solver.bound == 0
        return 0
    placements = [reference.parse_placement(str(tile)) for tile in best]
    assert not reference.check_solution(placements)
    assert [p.digit for p in placements] == list(problem.deck)
    assert reference.score(placements) == solver.bound
    return score(best)


def score(plan: list[Tile]) -> int:
    return sum(tile.level * tile.digit for tile in plan)


@pytest.mark.parametrize(
    ("deck", "best"),
    [
        ("0123456789", 71),
        ("2719304865", 45),
        ("9876543210", 24),
        ("5116926742", 44),
        ("31415926", 30),
        ("6604739232", 43),
        ("1615904778", 66),
        ("7", 0),
        ("42", 0),
        ("421", 1),
        ("9876", 7),
    ],
)
def test_optima(deck: str, best: int) -> None:
    assert solved(deck) == best


@pytest.mark.slow
@pytest.mark.parametrize(("deck", "best"), [("534128918392", 69), ("835096062328", 60), ("395978831251", 56)])
def test_optima_of_twelve_cards(deck: str, best: int) -> None:
    assert solved(deck) == best


def test_exhaustive_play_knows_the_rules() -> None:
    """Its list of places against the slow reference, which is too slow to search with."""
    rng = random.Random(5)
    for _ in range(4):
        stack: tuple[reference.Placement, ...] = ()
        levels: list[list[int]] = [[]]
        for digit in rng.sample(range(10), 5):
            legal = reference.legal_placements(stack, digit)
            ours = places(levels, digit, range(len(levels) if levels[0] else 0, -1, -1))
            assert len(ours) == len(set(ours)) == len(legal)
            assert sorted(level for level, _ in ours) == sorted(p.level for p in legal)
            placement = rng.choice(legal[-4:] if rng.random() < 0.5 else legal)
            stack = reference.apply(stack, placement)
            mask = sum(1 << ((28 + row) * 64 + 28 + column) for column, row in reference.cells_of(placement))
            levels += [[]] * (placement.level == len(levels))
            levels[placement.level] = [*levels[placement.level], mask]


@pytest.mark.parametrize("deck", ["12379", "34617", "98713", "81479", "48179", "93127", "89147", "76318", "41897"])
def test_exhaustive_play_finds_nothing_better(deck: str) -> None:
    assert not reaches([int(c) for c in deck], solved(deck) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("digits", ["12379", "14789", "13678"])
def test_exhaustive_play_finds_nothing_better_in_any_order(digits: str) -> None:
    for deck in itertools.permutations(digits):
        assert not reaches([int(c) for c in deck], solved("".join(deck)) + 1), deck


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.permutations(sorted([*range(10), *range(10)])), st.integers(6, 8))
def test_exhaustive_play_of_longer_decks_finds_nothing_better(cards: list[int], length: int) -> None:
    """Six to eight cards: by all placements where that ends soon, else by playing well."""
    deck = "".join(map(str, cards[:length]))
    best = solved(deck)
    for seed in range(4):
        assert play_beam(read_problem(f"K:{deck}").position().raw(), 300, 64, seed)[1] <= best
    if length == 6 and best >= 15:
        assert not reaches(cards[:length], best + 1)


def test_the_best_order_is_as_good_as_free_choice() -> None:
    """All orders of five cards: the best of them is the optimum where the order is free, another method's result."""
    for digits in ((1, 4, 7, 8, 9), (2, 3, 5, 7, 1)):
        free = optimize(Problem("F", tuple(digits.count(d) for d in range(10)), 5), None)
        assert free.proven
        orders = ["".join(map(str, order)) for order in itertools.permutations(digits)]
        assert max(map(solved, orders[::3] + orders[1::3] + orders[2::3])) == free.score


def test_every_plan_passes_every_test_at_every_prefix() -> None:
    rng = random.Random(3)
    for cards in (6, 9, 12):
        deck = rng.sample(sorted([*range(10), *range(10)]), cards)
        problem = read_problem("K:" + "".join(map(str, deck)))
        core = _known.Assignments(SHAPES, deck)
        for seed in range(3):
            tiles, points = play_beam(problem.position().raw(), 20, 300, seed)
            assert replay(problem, tiles) is not None
            levels = [tile.level for tile in tiles]
            for length in range(1, cards + 1):
                assert core.refuted_by(levels[:length], 0) == "", (deck[:length], levels[:length])
            bound, finished = core.by_sets(0, points)
            assert finished
            assert bound >= points


def test_levels_that_cannot_be_are_refuted() -> None:
    core = _known.Assignments(SHAPES, [9, 8, 6, 5, 7, 4])
    assert core.refuted_by([0, 1], 0) == "levels"
    assert core.refuted_by([0, 0, 1, 1, 0, 0], 0) == "areas"
    with pytest.raises(ValueError, match="levels of 1 to 6"):
        core.refuted_by([], 0)
    with pytest.raises(ValueError, match="levels of 1 to 6"):
        core.refuted_by([0, 0, 11], 0)


def test_pairs_that_carry_nothing_are_those_that_play_finds_none_on() -> None:
    for a, b in itertools.permutations(range(10), 2):
        core = _known.Assignments(SHAPES, [a, b, 9])
        refuted = core.refuted_by([0, 0, 1], 2) if core.most_levels[2] else "levels"
        assert bool(refuted) != reaches([a, b, 9], 9), (a, b, refuted)


def test_bad_input_is_refused() -> None:
    for deck, words in (([], "1 to 20 cards"), ([1] * 21, "1 to 20 cards"), ([10], "digit must be"), ([-1], "digit")):
        with pytest.raises(ValueError, match=words):
            _known.Assignments(SHAPES, deck)
    with pytest.raises(ValueError, match="threads"):
        _known.Assignments(SHAPES, [1, 2], 0)
    with pytest.raises(ValueError, match="shapes of 10 digits"):
        _known.Assignments(SHAPES[:9], [1, 2])
    core = _known.Assignments(SHAPES, [1, 2, 3])
    for refused in (lambda: core.open(0, 1), lambda: core.open(1, 13), lambda: core.work(1), lambda: core.by_sets(-1)):
        with pytest.raises(ValueError, match=r"target|effort|thread"):
            refused()


def test_one_thread_always_does_the_same() -> None:
    problem = read_problem("K:835096062328")

    def counts() -> tuple[str, list[int]]:
        bounds: list[int] = []
        solver = KnownSolver(problem, 1, lambda tiles: None, bounds.append)
        solver.run(None, lambda: 62, lambda: False)
        return str(solver.proof), bounds

    assert counts() == counts()


def test_threads_agree() -> None:
    deck = "7840095365"
    problem = read_problem(f"K:{deck}")
    end = Optimizer(problem, workers=3).run()
    assert end.proven
    assert end.score == solved(deck) == 39


def test_a_stop_ends_every_part() -> None:
    """Each part of a long search hears a stop: those over sets, over layouts, over the assignments that wait."""
    problem = read_problem("K:23904386515068214977")
    solver = KnownSolver(problem, 2, lambda tiles: None, lambda bound: None)
    thread = threading.Thread(target=solver.run, args=(None, lambda: 0, lambda: False), daemon=True)
    for wait in (0.05, 0.4, 1.2):
        thread = threading.Thread(target=solver.run, args=(None, lambda: 0, lambda: False), daemon=True)
        thread.start()
        time.sleep(wait)
        solver.stop()
        thread.join(30)
        assert not thread.is_alive()
    assert solver.bound is not None
    assert not solver.finished
    # One that came before is not lost either.
    solver.run(None, lambda: 0, lambda: True)


def test_bounds_only_fall_and_hold() -> None:
    news: list[tuple[int, int]] = []
    problem = read_problem("K:2466109152")
    end = optimize(problem, None, report=lambda p: news.append((p.score, p.bound)))
    assert end.proven
    assert end.score == 35
    assert [bound for _, bound in news] == sorted((bound for _, bound in news), reverse=True)
    assert all(bound >= 35 for _, bound in news)


def test_multipliers_change_no_bound() -> None:
    deck = [5, 3, 4, 1, 2, 8, 9, 1, 8, 3, 9, 2]
    plain = _known.Assignments(SHAPES, deck)
    helped = _known.Assignments(SHAPES, deck)
    helped.set_prices(many_prices(deck))
    assert plain.by_sets(1) == helped.by_sets(1)
    assert helped.counts[0] < plain.counts[0]
    odd = _known.Assignments(SHAPES, deck)
    odd.set_prices([[[0.25] * 12] * 11, [[0.0, 3.0] * 6] * 11])
    assert odd.by_sets(1) == plain.by_sets(1)
    for refused in ([[[0.0] * 12] * 10], [[[0.0] * 11] * 11], [[[-1.0] * 12] * 11], [[[0.0] * 12] * 11] * 13):
        with pytest.raises(ValueError, match="multipliers"):
            helped.set_prices(refused)


def test_squares_are_worth_most_where_later_cards_need_them() -> None:
    deck = [2, 3, 9, 0, 4, 3, 8, 6, 5, 1, 5, 0, 6, 8, 2, 1, 4, 9, 7, 7]
    worth = worth_of_squares([], deck, 1.5, 0.5)
    assert len(worth) == 20
    assert all(len(each) == 10 and min(each) >= 0 for each in worth)
    # Room on the table is worth less and less; after the last card nothing is worth anything.
    assert worth[2][0] >= worth[10][0] >= worth[18][0]
    assert worth[-1] == [0] * 10
    # In the middle of a game only what is to come counts.
    assert len(worth_of_squares([0, 0, 1], deck, 1.5, 0.7)) == 17
    problem = read_problem("K:" + "".join(map(str, deck)))
    start = problem.position().raw()
    _, plain = play_beam(start, 300, 0, 1)
    rng = random.Random(2)
    found = [play_beam(start, 300, 0, 1, worth=draw_worth(rng, problem)) for _ in range(8)]
    assert all(score(tiles) == points for tiles, points in found)
    assert max(points for _, points in found) > plain
    with pytest.raises(ValueError, match="worth of a square on 10 levels"):
        _nmbr9.beam_step([start], 5, 0, 1, None, [1, 2])


def best_from(stack: tuple[reference.Placement, ...], rest: list[int]) -> int:
    """The best score that the slow reference reaches with the cards to come, by all of its placements."""
    if not rest:
        return reference.score(stack)
    last = len(rest) == 1
    found = reference.legal_placements(stack, rest[0])
    if last:
        return reference.score(stack) + max(p.level for p in found) * rest[0]
    return max(best_from((*stack, p), rest[1:]) for p in found)


def test_par_in_the_middle_of_a_game_is_that_of_the_reference() -> None:
    """Two cards to come after games played at random, rather high; every placement of the slow reference is tried."""
    rng = random.Random(11)
    for length in (2, 4):
        deck = rng.sample(sorted([*range(10), *range(10)]), length + 2)
        stack: tuple[reference.Placement, ...] = ()
        for digit in deck[:length]:
            legal = reference.legal_placements(stack, digit)
            high = [p for p in legal if p.level == max(each.level for each in legal)]
            stack = reference.apply(stack, rng.choice(high if rng.random() < 0.7 else legal))
        start = tuple(read_tile(reference.format_placement(p)) for p in stack)
        rest = tuple(deck[length:])
        problem = Problem("K", tuple(rest.count(d) for d in range(10)), 2, rest, start=start)
        end = optimize(problem, None)
        assert end.proven
        assert end.plan is not None
        assert end.plan.tiles[:length] == start
        assert end.score == best_from(stack, list(rest))


def test_par_in_the_middle_of_a_game_is_that_of_the_rules() -> None:
    """Three cards to come: all placements by the compiled rules, another program than this one."""
    rng = random.Random(4)
    for _ in range(2):
        deck = rng.sample(sorted([*range(10), *range(10)]), 11)
        start, _ = play_beam(
            read_problem("K:" + "".join(map(str, deck[:7]))).position().raw(), 3, 800, rng.getrandbits(20)
        )
        rest = tuple(deck[7:])
        problem = Problem("K", tuple(rest.count(d) for d in range(10)), 4, rest, start=tuple(start))
        end = optimize(problem, None)
        assert end.proven
        position = problem.position()
        planner = _plan.Planner(_nmbr9.capsule())
        better, _, whole = planner.exact(position.raw(), [], 0, 10_000 * end.score)
        assert whole
        assert better is None
        assert score(list(end.plan.tiles if end.plan else ())) == end.score


def test_a_middle_game_knows_its_own_optimum() -> None:
    """From a position on the way of an optimal plan the optimum stays; a bad first move costs."""
    end = optimize(read_problem("K:31415926"), None)
    assert end.plan is not None
    for held in (1, 3, 5, 7):
        start = end.plan.tiles[:held]
        rest = tuple(int(c) for c in "31415926"[held:])
        problem = Problem("K", tuple(rest.count(d) for d in range(10)), 8 - held, rest, start=start)
        middle = optimize(problem, None)
        assert middle.proven
        assert middle.score == 30
    with pytest.raises(ValueError, match="tile 1 that lies already"):
        _known.Assignments(SHAPES, [3, 1, 4], 1, 1, [(3, 0, 0, 0, 0), (1, 0, 99, 0, 0)])
