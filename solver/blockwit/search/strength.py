"""The levels of `Skill` in Elo: what `UCI_Elo` is turned into."""

from __future__ import annotations

from bisect import bisect_right

ELO = (
    *(420, 485, 643, 773, 869, 957, 1024, 1103, 1193, 1280),
    *(1336, 1418, 1458, 1554, 1595, 1638, 1713, 1728, 1778, 2000),
)
"""Elo of the levels 1 to 20 in Deblockle, fitted to a round-robin of all of them (docs/design.md); level 20 is 2000."""


def level_of(elo: int) -> float:
    """Return the level of skill, with fractions, that plays at an Elo; the lowest or highest one beyond their range.

    There is nothing between 19 and 20: the best level alone misjudges nothing and takes all the time it is given.
    """
    at = bisect_right(ELO, elo)
    if at == 0:
        return 1
    if at == len(ELO):
        return len(ELO)
    share = (elo - ELO[at - 1]) / (ELO[at] - ELO[at - 1])
    return at + (round(share) if at == len(ELO) - 1 else share)
