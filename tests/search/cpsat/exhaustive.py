"""The best score of a known deck by trying every placement: shapes of the slow reference, boards as plain integers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tests.reference import nmbr9 as reference

WIDE = 64
ROOM = 4


@cache
def shapes(digit: int) -> list[tuple[int, int, int]]:
    """The masks of a tile in its distinct rotations, each with its width and height."""
    found = []
    for rotation in reference.distinct_rotations(digit):
        cells = reference.shape(digit, rotation)
        mask = sum(1 << (row * WIDE + column) for column, row in cells)
        found.append((mask, 1 + max(c for c, _ in cells), 1 + max(r for _, r in cells)))
    return found


def beside(mask: int) -> int:
    """The squares that share an edge with those of a mask, and some of its own."""
    return mask << 1 | mask >> 1 | mask << WIDE | mask >> WIDE


def places(levels: Sequence[Sequence[int]], digit: int, wanted: Sequence[int]) -> list[tuple[int, int]]:
    """Every legal place of a tile on the wanted levels as (level, mask); each level is a list of masks."""
    covered = 0
    for mask in levels[0]:
        covered |= mask
    if not covered:
        return [(0, mask << (28 * WIDE + 28)) for mask, _, _ in shapes(digit)]
    rows = [row for row in range(WIDE) if covered >> row * WIDE & ((1 << WIDE) - 1)]
    columns = [c for c in range(WIDE) if any(covered >> (row * WIDE + c) & 1 for row in rows)]
    found = []
    for level in wanted:
        own = levels[level] if level < len(levels) else []
        if level and len(levels[level - 1]) < 2:
            continue
        full = near = base = 0
        for mask in own:
            full |= mask
            near |= beside(mask)
        for mask in levels[level - 1] if level else []:
            base |= mask
        for shape, width, height in shapes(digit):
            for row in range(min(rows) - height, max(rows) + 2):
                for column in range(min(columns) - width, max(columns) + 2):
                    mask = shape << (row * WIDE + column)
                    if mask & full or (own and not mask & near) or (level and mask & ~base):
                        continue
                    if level and sum(1 for each in levels[level - 1] if mask & each) < 2:
                        continue
                    found.append((level, mask))
    return found


def reaches(deck: Sequence[int], target: int) -> bool:
    """Whether some legal way to play the deck scores at least `target`, by trying all."""
    seen: set[tuple[tuple[int, ...], ...]] = set()

    def most(sizes: Sequence[int], rest: Sequence[int]) -> int:
        # Two tiles of each level carry the next one, and those may come one after the other.
        top, count = len(sizes) - 1, sizes[-1]
        total = 0
        for digit in rest:
            if count >= 2:
                top, count = top + 1, 0
            count += 1
            total += digit * top
        return total

    def search(levels: tuple[tuple[int, ...], ...], at: int, score: int) -> bool:
        if score >= target:
            return True
        if at == len(deck):
            return False
        wanted = []
        for level in range(len(levels), -1, -1):
            sizes = [len(each) for each in levels] + [0] * (level == len(levels))
            sizes[level] += 1
            if score + level * deck[at] + most(sizes, deck[at + 1 :]) >= target:
                wanted.append(level)
        key = (*(tuple(sorted(level)) for level in levels), (at,))
        if key in seen:
            return False
        seen.add(key)
        for level, mask in places(levels, deck[at], wanted):
            grown = [list(each) for each in levels] + [[]] * (level == len(levels))
            grown[level] = [*grown[level], mask]
            if search(tuple(map(tuple, grown)), at + 1, score + level * deck[at]):
                return True
        return False

    return search(((),), 0, 0)
