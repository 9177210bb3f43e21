"""Time management: from the limits of a `go` to how long to think."""

from __future__ import annotations

from blockwit.search.types import Limits

OVERHEAD = 3
"""Milliseconds kept back for getting the move out of the process."""

MOVES_TO_GO = 24
"""Own moves that the rest of the clock is shared out to, unless fewer are left until more time comes."""


def budget(limits: Limits) -> tuple[int, int]:
    """Return (soft, hard) in milliseconds, -1 for no limit.

    After `soft` no new iteration is worth starting; at `hard` the search has to end.
    """
    soft = hard = -1
    if limits.movetime is not None:
        hard = max(limits.movetime - OVERHEAD, 0)
    if limits.clock is not None:
        left = max(limits.clock - OVERHEAD, 0)
        moves = min(limits.movestogo or MOVES_TO_GO, MOVES_TO_GO)
        share = min(left / moves + 0.75 * limits.increment, 0.8 * left)
        # A new iteration costs several times the one before: it will not end in the second half of the share.
        soft = int(share / 2)
        longest = int(min(3 * share, 0.8 * left))
        hard = longest if hard < 0 else min(hard, longest)
    return soft, hard


def at_once(limits: Limits) -> bool:
    """Tell whether there is no time at all: any legal move will do."""
    return (limits.movetime is not None and limits.movetime <= 0) or (limits.clock is not None and limits.clock <= 0)
