"""The search for the optimum of free problems, against slower ways to the same answers."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from blockwit._freeorder import FreeOrder
from blockwit.games.nmbr9.position import SHAPES, Tile
from blockwit.search.cpsat.free import FreeProof
from blockwit.search.cpsat.optimize import Optimizer, optimize
from blockwit.search.cpsat.problem import AREAS, Counts, Problem, contains, minus, points, read_problem
from blockwit.search.cpsat.search import Beam, play_beam, sketch_settings
from blockwit.search.cpsat.solution import check_solution
from blockwit.search.cpsat.stacks import COVERER, complete, counts_of, replay
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import nmbr9 as reference
from tests.search.cpsat.decomposition import Decomposition, can_carry

Spot = tuple[int, int, int, int]
PUZZLES = Path(__file__).parents[3] / "puzzles" / "nmbr9"
ALL = (2,) * 10


def counts(*digits: int) -> Counts:
    return tuple(digits.count(d) for d in range(10))


def plus(a: Counts, b: Counts) -> Counts:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def solver(pool: Counts, cards: int, columns: int = 0, rows: int = 0, levels: int = 0) -> FreeOrder:
    return FreeOrder(SHAPES, pool, cards, columns, rows, levels)


@cache
def tables(pool: Counts, cards: int) -> FreeOrder:
    """A search whose tables are complete."""
    search = solver(pool, cards)
    assert search.advance() == "bound"
    assert search.ready
    return search


def optimum(problem: Problem, threads: int = 1) -> int:
    """The optimum, and that a stack of it is legal; 0 when nothing is worth more."""
    proof = FreeProof(problem, threads, 10**6)
    bounds: list[int] = []
    tiles = proof.run(None, 0, bounds.append)
    assert proof.done
    assert bounds == sorted(bounds, reverse=True)
    if tiles is None:
        return max(0, bounds[-1])
    plan = complete(problem, tiles)
    assert plan is not None
    assert plan.score == bounds[-1]
    placements = [reference.parse_placement(str(tile)) for tile in plan.tiles]
    assert not reference.check_solution(placements)
    return plan.score


# --- against what was proven in other ways


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("F-0-1-1", 0),
        ("F-1-1-2", 0),
        ("F-2-1-3", 1),
        ("F-2-2-6", 7),
        ("F-3-1-4", 3),
        ("F-3-2-8", 12),
        ("F-4-1-5", 7),
        ("F-4-2-10", 29),
        ("F-5-1-6", 16),
        ("F-6-1-5@5x5x3", 17),
        ("F-6-1-5@7x7x2", 11),
        ("F-6-1-5@8x8x3", 17),
        ("F-6-2-5@8x8x3", 19),
        ("F-6-2-7", 24),
        ("F-7-1-8@8x8x4", 38),
        ("F-9-1-10", 71),
    ],
)
def test_the_optimum_is_that_of_other_proofs(name: str, best: int) -> None:
    assert optimum(read_problem(name)) == best


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PUZZLES.glob("F-*.json")), ids=lambda path: path.stem)
def test_every_shipped_optimum_is_proven_anew(path: Path) -> None:
    solution = check_solution(path.read_text(encoding="utf-8"))
    assert solution.proven
    assert optimum(solution.problem, 2) == solution.score


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_random_small_problems_agree_with_the_decomposition(data: st.DataObject) -> None:
    """Any pool of five or six tiles, a choice of them, with and without limits."""
    tiles = data.draw(st.lists(st.integers(0, 19), min_size=5, max_size=6, unique=True))
    pool = counts(*(tile // 2 for tile in tiles))
    cards = data.draw(st.integers(3, 5))
    limits = data.draw(st.sampled_from([(None, None, None), (6, 7, 3), (9, 5, 2), (8, 8, 3), (7, 7, 9)]))
    problem = Problem("F", pool, cards, (), *limits)
    search = Decomposition(problem, -1, lambda tiles, score: None, lambda bound: None, lambda: False)
    assert search.run()
    # Without room for the tiles of a limited problem there is no stack at all.
    assert optimum(problem) == max(0, search.incumbent)


def test_three_cards_agree_with_all_that_the_rules_allow() -> None:
    """The third card lies on the two others, or the stack is worth nothing: every way to lay two, by the rules."""
    rng = random.Random(17)
    for _ in range(8):
        digits = sorted(rng.sample([d for d in range(1, 10) for _ in range(2)], 3))
        best = 0
        for top in sorted(set(digits), reverse=True):
            low, other = sorted(set(range(3)) - {digits.index(top)})
            first = reference.Placement(digits[low], "a", 0, 0, 0)
            seconds = [p for p in reference.legal_placements([first], digits[other]) if p.level == 0]
            if any(p.level == 1 for q in seconds for p in reference.legal_placements([first, q], top)):
                best = top
                break
        assert optimum(Problem("F", counts(*digits), 3)) == best, digits


# --- the tables


def test_layouts_are_those_of_the_other_enumeration() -> None:
    search = tables(counts(0, 0, 1, 5, 7, 8), 6)
    for digits in ((0,), (0, 0), (1, 7), (0, 8), (1, 5, 7), (0, 0, 8), (0, 7, 8)):
        layouts = search.layouts(counts(*digits))
        others, whole = COVERER.all_layouts(counts(*digits))
        assert whole
        assert len(set(layouts)) == len(layouts)
        assert set(layouts) == {search.canonical(COVERER.spots(raw)) for raw in others}


def test_pairs_are_those_of_the_other_enumeration() -> None:
    search = tables(counts(1, 1, 2, 4, 6, 7, 8), 7)
    for upper, lower in (
        ((1,), (7, 8)),
        ((7,), (1, 2, 8)),
        ((1, 1), (4, 8)),
        ((1, 2), (6, 7, 8)),
        ((1, 1, 7), (2, 6, 8)),
    ):
        lowers = search.layouts(counts(*lower))
        found = {(u, lowers[b]) for u, b in search.pairs(counts(*upper), counts(*lower))}
        wanted = set()
        for index, layout in enumerate(search.layouts(counts(*upper))):
            raw = COVERER.layout([(d, r, x + 25, y + 25) for d, r, x, y in layout])
            below, whole = COVERER.below([raw], counts(*lower))
            assert whole
            wanted |= {(index, search.canonical(COVERER.spots(b))) for b, _ in below}
        assert found == wanted
        assert found or not can_carry(counts(*upper), counts(*lower))


def test_four_tiles_on_three_are_allowed_where_some_layout_bears_them() -> None:
    pool = counts(0, 1, 1, 5, 7, 7, 9, 9)
    search = tables(pool, 8)
    lower = counts(0, 5, 9)
    layouts, whole = COVERER.all_layouts(lower)
    assert whole
    # The other enumeration does not ask for a connected level: what it misses is not there.
    loads = COVERER.carried(layouts, minus(pool, lower))
    areas = {sum(AREAS[d] for d in load) for load in loads if len(load) == 4}
    for digits in ((1, 1, 7, 7), (1, 1, 7, 9), (1, 7, 7, 9)):
        if sum(AREAS[d] for d in digits) not in areas:
            assert not search.may_carry(counts(*digits), lower)
    assert not search.may_carry(counts(1, 1, 7, 7), counts(5, 9))
    some, _ = COVERER.all_layouts(counts(1, 1, 7, 7), cap=100_000)
    found, _ = COVERER.below(some, lower, table=True)
    assert search.may_carry(counts(1, 1, 7, 7), lower) >= bool(found)


def test_no_layout_loses_a_tile() -> None:
    """The number of a tile in the corner is not 0: a key must not forget it."""
    search = tables(counts(0, 0), 2)
    rng = random.Random(4)
    seen: dict[tuple[Spot, ...], set[frozenset[tuple[int, int, int]]]] = {}
    layouts, _ = COVERER.all_layouts(counts(0, 1, 5, 8), cap=3000)
    for raw in layouts:
        spots = list(COVERER.spots(raw))
        rng.shuffle(spots)
        whole = search.canonical(spots)
        assert sorted(d for d, _, _, _ in whole) == [0, 1, 5, 8]
        cells = frozenset((d, x + i, y + j) for d, r, x, y in whole for i, j in SHAPES[d][r])
        seen.setdefault(whole, set()).add(cells)
        left = [spot for spot in spots if spot[0] != 0]
        assert search.canonical(left) != whole
    assert len(seen) > 2900
    assert all(len(cells) == 1 for cells in seen.values())
    lone = ((0, 0, 0, 0),)
    assert search.canonical([(0, 1, 9, 7)]) == search.canonical([(0, 0, 3, 3)]) in (lone, ((0, 1, 0, 0),))


def test_the_canonical_form_is_one_for_all_turns() -> None:
    search = tables(counts(0, 0), 2)
    layouts, _ = COVERER.all_layouts(counts(2, 7, 9), cap=200)

    def turned(spots: Sequence[Spot]) -> list[Spot]:
        """A quarter turn clockwise, cell by cell."""
        out = []
        for d, r, x, y in spots:
            cells = {(y + j, 50 - x - i) for i, j in SHAPES[d][r]}
            low = (min(i for i, _ in cells), min(j for _, j in cells))
            shape = {(i - low[0], j - low[1]) for i, j in cells}
            out.append((d, next(q for q, s in enumerate(SHAPES[d]) if set(s) == shape), *low))
        return out

    for raw in layouts:
        spots: list[Spot] = list(COVERER.spots(raw))
        form = search.canonical(spots)
        for _ in range(4):
            spots = turned(spots)
            assert search.canonical(spots) == form


def test_what_can_come_below_is_the_best_of_all_sequences_of_sets() -> None:
    """G by plain recursion over the sets that may lie under each other."""
    pool = counts(0, 1, 1, 2, 5, 7, 7, 8)
    for cards in (8, 7):
        search = tables(pool, cards)
        every = [s for s in itertools.product(*(range(n + 1) for n in pool)) if sum(s)]

        @cache
        def rest(left: Counts, last: Counts, cards: int = cards, search: FreeOrder = search) -> int:
            used = minus(pool, left)
            t = cards - sum(used)
            best = -1
            for s in every:  # noqa: B023 - the same in each round
                if sum(s) > t or not contains(left, s) or not search.may_carry(last, s):
                    continue
                if sum(s) == t and t >= 2:
                    best = max(best, points(used))
                elif 2 <= sum(s) <= t - 2:
                    below = rest(minus(left, s), s)
                    best = max(best, points(used) + below if below >= 0 else -1)
            return best

        asked = 0
        for used in every:
            for last in every:
                area = sum(n * a for n, a in zip(last, AREAS, strict=True))
                if contains(used, last) and (sum(last) < 4 or 2 * area <= 61) and sum(used) + 2 <= cards:
                    assert search.rest(used, last) >= rest(minus(pool, used), last)
                    if sum(last) < 4:
                        assert search.rest(used, last) == rest(minus(pool, used), last)
                    asked += 1
        assert asked > 300


# --- every stack passes every test


def check_passes(search: FreeOrder, problem: Problem, tiles: Sequence[Tile], score: int) -> None:
    """Check that no test of the search refutes any level of a legal stack, from the top down."""
    height = max(tile.level for tile in tiles)
    levels = [[tile for tile in tiles if tile.level == level] for level in range(height + 1)]
    used: Counts = (0,) * 10
    value = 0
    above: tuple[Counts, tuple[Spot, ...]] | None = None
    for level in range(height, -1, -1):
        own = counts_of(levels[level])
        low_x, low_y = (min(tile[i] for tile in levels[level]) for i in (2, 3))
        form = search.canonical([(t.digit, t.rotation, t.x - low_x, t.y - low_y) for t in levels[level]])
        if above is not None:
            value += points(used)
            assert search.may_carry(above[0], own)
            if sum(own) <= 3 and sum(above[0]) <= 3:
                uppers, lowers = search.layouts(above[0]), search.layouts(own)
                assert (uppers.index(above[1]), lowers.index(form)) in search.pairs(above[0], own)
        used = plus(used, own)
        if level > 0:
            assert value + search.rest(used, own) >= score
        above = (own, form)
    assert value == score


def test_stacks_of_the_beams_pass_every_test() -> None:
    problem = read_problem("F-7-1-8")
    search = tables(problem.pool, problem.cards)
    passed = 0

    def keep(tiles: list[Tile], score: int) -> None:
        nonlocal passed
        plan = complete(problem, tiles)
        assert plan is not None
        check_passes(search, problem, plan.tiles, plan.score)
        passed += 1

    for height in (2, 3, 4):
        Beam(problem, 1, keep, lambda: False).run(sketch_settings(height, 3))
    for seed in range(25):
        tiles, _ = play_beam(problem.position().raw(), 3, 256, seed)
        plan = replay(problem, tiles)
        assert plan is not None
        check_passes(search, problem, plan.tiles, plan.score)
        passed += 1
    assert passed >= 28


@pytest.mark.slow
def test_shipped_stacks_of_all_tiles_pass_every_test() -> None:
    search = tables(ALL, 20)
    for path in [*PUZZLES.glob("*-2-20.json"), *PUZZLES.glob("K-*.json")]:
        solution = check_solution(path.read_text(encoding="utf-8"))
        if solution.problem.pool == ALL:
            check_passes(search, solution.problem, solution.tiles, solution.score)


# --- how it runs


def test_known_orders_and_placed_tiles_are_bounded_by_free_choice() -> None:
    free = FreeProof(read_problem("K:0123456"), 1, 10**6)
    bounds: list[int] = []
    assert free.run(None, -1, bounds.append) is None
    assert bounds[-1] == 22
    placed = (Tile(2, 0, 29, 30, 0), Tile(4, 0, 31, 30, 0))
    start = Problem("F", counts(0, 1, 3, 5, 6), 5, start=placed)
    assert FreeProof(start, 1, 10**6).run(None, -1, bounds.append) is None
    assert bounds[-1] == 22


def test_an_incumbent_ends_the_search_where_it_is() -> None:
    problem = read_problem("F-6-1-7")
    for incumbent, last in ((21, 22), (22, 22), (30, 30)):
        proof = FreeProof(problem, 1, 10**6)
        bounds: list[int] = []
        tiles = proof.run(None, incumbent, bounds.append)
        assert (tiles is not None) == (incumbent < 22)
        assert bounds[-1] == last


def test_slices_and_threads_do_not_change_the_answer() -> None:
    problem = read_problem("F-4-2-10")
    whole = FreeProof(problem, 1, 10**6)
    assert whole.run(None, 0, lambda bound: None) is not None
    again = FreeProof(problem, 1, 10**6)
    again.run(None, 0, lambda bound: None)
    assert again.counts == whole.counts
    for threads in (1, 3):
        parts = FreeProof(problem, threads, 10**6)
        bounds: list[int] = []
        slices = 0
        while not parts.done:
            # A task that is cut short is begun anew: slices grow, so that each gets its time.
            tiles = parts.run(0.02 * 1.2**slices, 0, bounds.append)
            slices += 1
        assert tiles is not None
        assert bounds[-1] == 29
        assert slices > 3
        plan = complete(problem, tiles)
        assert plan is not None
        assert plan.score == 29
        assert {k: parts.counts[k] for k in ("groups", "layouts")} == {
            k: whole.counts[k] for k in ("groups", "layouts")
        }


def test_a_bound_that_was_proven_before_is_taken_over() -> None:
    problem = read_problem("F-6-2-6")
    proof = FreeProof(problem, 1, 23)
    tiles = proof.run(None, 0, lambda bound: None)
    assert tiles is not None
    plan = complete(problem, tiles)
    assert plan is not None
    assert plan.score == 23


class Unsettled:
    """A search whose bound is too low as long as a call of `advance` lasts, until it was looked at or some time."""

    floor = 0
    ready = False
    calls = 0

    def __init__(self, *_: object, **__: object) -> None:
        self.looked = threading.Event()
        self.exact = 31

    @property
    def bound(self) -> int:
        self.looked.set()
        return self.exact

    def advance(self, threads: int, ms: int) -> str:
        self.looked.clear()
        self.ready, before, self.exact = True, self.exact, 0
        self.looked.wait(0.1)
        self.exact = before - 1
        self.calls += 1
        return "bound" if self.calls < 4 else "empty"

    def go(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def refuted(self, points: int) -> None:
        pass


def test_a_bound_is_read_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of one it may be below the optimum: so it was while the first one was made."""
    monkeypatch.setattr("blockwit.search.cpsat.free.FreeOrder", Unsettled)
    proof = FreeProof(read_problem("F-6-1-5"), 1, 10**6)
    bounds: list[int] = []
    assert proof.run(None, 0, bounds.append) is None
    assert bounds[-1] == 27
    assert min(bounds) == 27


def test_a_stop_ends_it_and_the_next_run_goes_on() -> None:
    proof = FreeProof(read_problem("F-9-2-20"), 2, 10**6)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    assert proof.run(None, 0, lambda bound: None, stop.is_set) is None
    assert not proof.done

    class InterruptedByQuestionError(Exception):
        pass

    def fail() -> bool:
        raise InterruptedByQuestionError

    with pytest.raises(InterruptedByQuestionError):
        proof.run(None, 0, lambda bound: None, fail)
    assert threading.active_count() == len([t for t in threading.enumerate() if t.name != "proof"])
    assert not proof.done
    small = FreeProof(read_problem("F-6-1-5"), 1, 10**6)
    assert small.run(None, 0, lambda bound: None, lambda: True) is None
    tiles = small.run(None, 0, lambda bound: None)
    assert tiles is not None
    assert max(tile.level for tile in tiles) == 2


def test_without_threads_it_works_in_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockwit.search.cpsat.free.startable", lambda wanted: 0)
    started: list[object] = []
    monkeypatch.setattr(threading.Thread, "start", started.append)
    assert optimum(read_problem("F-5-1-6")) == 16
    assert not started


def test_the_memory_is_bounded() -> None:
    search = FreeOrder(SHAPES, counts(*range(6), *range(6)), 12, memory=200_000)
    events = []
    while (event := search.advance()) == "bound":
        events.append(event)
    assert event == "full"
    assert search.bound >= 44
    assert search.advance() == "full"


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="counts"):
        FreeOrder(SHAPES, (3,) * 10, 5)
    with pytest.raises(ValueError, match="cards"):
        FreeOrder(SHAPES, ALL, 21)
    with pytest.raises(ValueError, match="limits"):
        FreeOrder(SHAPES, ALL, 20, columns=5)
    with pytest.raises(ValueError, match="quarter turn"):
        FreeOrder([shape[:1] for shape in SHAPES], ALL, 20)
    search = solver(counts(1, 2, 3), 3)
    with pytest.raises(ValueError, match="threads"):
        search.advance(0)
    with pytest.raises(ValueError, match="tables"):
        search.layouts(counts(1))
    with pytest.raises(ValueError, match="within the pool"):
        search.rest(counts(4), counts(4))
    with pytest.raises(ValueError, match="no stack"):
        search.stack()
    with pytest.raises(ValueError, match="out of range"):
        search.canonical([(1, 7, 0, 0)])


def test_the_optimizer_goes_on_from_a_proven_bound(tmp_path: Path) -> None:
    problem = read_problem("F-6-2-6")
    with Optimizer(problem, save=tmp_path / "p") as first:
        first.run(steps=1)
        first.bound = 23
        first.run(0.0)
    with Optimizer(problem, save=tmp_path / "p") as second:
        assert second.bound == 23
        end = second.run()
    assert end.proven
    assert end.score == 23


# --- the whole game


@pytest.mark.slow
def test_the_optimum_of_the_whole_game() -> None:
    end = optimize(read_problem("F-9-2-20"), None, workers=2)
    assert end.proven
    assert end.score == end.bound == 262


@pytest.mark.slow
def test_the_whole_game_by_the_other_enumeration() -> None:
    """No stack of 263 points: the same search in Python, every level laid by `Coverer.below`.

    G alone is shared; `test_what_can_come_below_is_the_best_of_all_sequences_of_sets` checks it.
    """
    search = tables(ALL, 20)
    target = 263
    waiting: dict[int, dict[tuple[Counts, Counts], dict[int, set[bytes]]]] = {n: {} for n in range(21)}
    sets = [
        s
        for n in range(1, 9)
        for c in itertools.combinations_with_replacement(range(10), n)
        if max(s := counts(*c)) <= 2
    ]
    for own in sets:
        if search.rest(own, own) >= target:
            layouts, whole = COVERER.all_layouts(own)
            assert whole
            waiting[sum(own)].setdefault((own, own), {}).setdefault(0, set()).update(layouts)
    table = np.array(sets)
    areas = table @ np.array(AREAS)
    several = table.sum(axis=1) >= 2
    asked = 0
    for size in range(1, 19):
        for (used, own), by_value in sorted(waiting.pop(size).items()):
            left = minus(ALL, used)
            fits = (table <= np.array(left)).all(axis=1) & (areas >= np.dot(own, AREAS)) & several
            lowers = [sets[i] for i in np.flatnonzero(fits)]
            for value, layouts_ in by_value.items():
                lifted = value + points(used)
                raws = sorted(layouts_)
                if lifted >= target:
                    found, whole = COVERER.below(raws, left, table=True)
                    assert whole
                    assert not found
                for lower in lowers:
                    now = plus(used, lower)
                    if sum(now) > 18 or 0 <= lifted + search.rest(now, lower) < target:
                        continue
                    if search.rest(now, lower) < 0 or not search.may_carry(own, lower):
                        continue
                    found, whole = COVERER.below(raws, lower, cap=1_000_000)
                    assert whole
                    asked += 1
                    if found:
                        kept = waiting[sum(now)].setdefault((now, lower), {}).setdefault(lifted, set())
                        kept.update(raw for raw, _ in found)
    assert asked > 1000
