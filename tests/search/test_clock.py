"""Time management: never more than the clock holds, nothing where nothing is asked for."""

from __future__ import annotations

from blockwit.search import Limits, clock
from hypothesis import given
from hypothesis import strategies as st

TIMES = st.integers(-(10**12), 10**12)


def test_no_clock_no_limit() -> None:
    assert clock.budget(Limits(depth=3)) == (-1, -1)
    assert not clock.at_once(Limits(depth=3))


@given(TIMES)
def test_movetime_is_the_hard_limit(movetime: int) -> None:
    soft, hard = clock.budget(Limits(movetime=movetime))
    assert soft == -1
    assert 0 <= hard <= max(movetime, 0)
    assert clock.at_once(Limits(movetime=movetime)) == (movetime <= 0)


@given(TIMES, st.integers(0, 10**12), st.none() | TIMES, st.none() | st.integers(1, 100))
def test_never_more_than_the_clock_holds(
    left: int, increment: int, movetime: int | None, movestogo: int | None
) -> None:
    soft, hard = clock.budget(Limits(clock=left, increment=increment, movetime=movetime, movestogo=movestogo))
    assert 0 <= soft <= max(left, 0)
    assert 0 <= hard <= max(left, 0)
    if movetime is not None:
        assert hard <= max(movetime, 0)
    if left <= 0:
        assert clock.at_once(Limits(clock=left, increment=increment))


def test_fewer_moves_to_go_get_more_time_each() -> None:
    budgets = [clock.budget(Limits(clock=60_000, movestogo=moves)) for moves in (1, 2, 5, 10, 20)]
    assert budgets == sorted(budgets, reverse=True)
    assert len({soft for soft, _ in budgets}) == len(budgets)
    assert clock.budget(Limits(clock=60_000, movestogo=1))[1] < 60_000
    assert clock.budget(Limits(clock=60_000, movestogo=10**6)) == clock.budget(Limits(clock=60_000))


def test_more_time_is_not_used_worse() -> None:
    budgets = [clock.budget(Limits(clock=left, increment=100)) for left in range(0, 100_000, 500)]
    assert budgets == sorted(budgets)


@given(st.integers(1, 10**7), st.integers(0, 5000), st.none() | st.integers(1, 100), st.integers(0, 10**4))
def test_the_overhead_is_kept_back(left: int, overhead: int, movestogo: int | None, increment: int) -> None:
    limits = Limits(clock=left, movestogo=movestogo, increment=increment)
    assert clock.budget(limits, overhead)[1] <= max(left - overhead, 0)
    assert clock.share_of(limits, overhead, 1)[0] <= max(left - overhead, 0)
    # A time for the move is there to be used: half of a short one at least.
    assert left // 2 <= clock.fixed(left, overhead) <= left
    assert clock.fixed(left, overhead) <= max(left - overhead, left // 2)
