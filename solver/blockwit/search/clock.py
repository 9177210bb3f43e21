"""Time management: from the limits of a `go` to how long to think."""

from __future__ import annotations

from blockwit.search.types import Limits

OVERHEAD = 10
"""Milliseconds kept back, unless told otherwise, for the way of the move to the client and his clock."""

MOVES_TO_GO = 24
"""Own moves that the rest of the clock is shared out to, unless fewer are left until more time comes."""


def share_of(limits: Limits, overhead: int = OVERHEAD, moves: int = MOVES_TO_GO) -> tuple[float, float]:
    """Return (share, most) in milliseconds: what one of `moves` own moves may take of the clock, and what it never may.

    Raises ValueError if the limits have no clock.
    """
    if limits.clock is None:
        raise ValueError("no clock to share out")
    most = 0.8 * max(limits.clock - overhead, 0)
    moves = min(limits.movestogo or moves, moves)
    return min(most / 0.8 / moves + 0.75 * limits.increment, most), most


def fixed(movetime: int, overhead: int = OVERHEAD) -> int:
    """Return how many milliseconds to search where a move may take `movetime`: of a short time half, whatever comes."""
    return max(movetime - overhead, movetime // 2, 0)


def budget(limits: Limits, overhead: int = OVERHEAD) -> tuple[int, int]:
    """Return (soft, hard) in milliseconds, -1 for no limit; `overhead` of them are kept back.

    After `soft` no new iteration is worth starting; at `hard` the search has to end.
    """
    soft = hard = -1
    if limits.movetime is not None:
        hard = fixed(limits.movetime, overhead)
    if limits.clock is not None:
        share, most = share_of(limits, overhead)
        # A new iteration costs several times the one before: it will not end in the second half of the share.
        soft = int(share / 2)
        longest = int(min(3 * share, most))
        hard = longest if hard < 0 else min(hard, longest)
    return soft, hard


def at_once(limits: Limits) -> bool:
    """Tell whether there is no time at all: any legal move will do."""
    return (limits.movetime is not None and limits.movetime <= 0) or (limits.clock is not None and limits.clock <= 0)
