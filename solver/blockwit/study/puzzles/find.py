"""Finding puzzles: positions drawn at random or reached by play, kept when the answer is proven and the only one.

Each finder is an endless iterator over one kind, decided by its random generator alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from blockwit import _deblockle, games
from blockwit.errors import SolutionError
from blockwit.games.base import Kind, Position
from blockwit.games.deblockle.position import STARS, DeblocklePosition, square_name
from blockwit.games.nmbr9.position import COPIES
from blockwit.study.puzzles.base import Puzzle
from blockwit.study.puzzles.deblockle import PASS, DefendPuzzle, FreePuzzle, WinPuzzle, blocked, prove
from blockwit.study.puzzles.plans import ClaimPuzzle, DropPuzzle, PlanPuzzle, greedy_move, is_drop

SOURCE = "blockwit puzzle new"
LEAST_MOVES = 4
LEAST_SHORT = 3
"""Points that the greedy player has to fall short of the best plan."""
EXACT_FREE = 4
"""Cards of a free problem: every order is searched."""

_SQUARES = [rank * 8 + file for rank in range(7) for file in range(7)]
_USABLE = [square for square in _SQUARES if square_name(square) not in STARS]


def _blocks(
    rng: random.Random, south: int, north: int, player: int, squares: Sequence[int] = _USABLE
) -> DeblocklePosition:
    """Draw a position with so many blocks, everything alike."""
    places = rng.sample(squares, south + north)
    blocks = [(square, rng.randrange(24)) for square in places]
    return DeblocklePosition(_deblockle.State().replaced(blocks[:south], blocks[south:], player, 0))


def _greedy(position: DeblocklePosition) -> set[str]:
    """Return the moves after which the mover needs fewest turns to exit all blocks."""
    side = position.player()
    left = {token: position.play(token).core.turns_left(side) for token in position.tokens()}
    return {token for token, turns in left.items() if turns == min(left.values())}


def wins(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find wins in `turns` turns that are no mere race.

    Either the other side is as near to its own exits, or the winning move is not among those that gain most.
    """
    # Few blocks at the long ones: the proof grows with the moves of both sides.
    most = 4 if turns < 5 else 2
    while True:
        position = _blocks(rng, rng.randint(1, most), rng.randint(1, most), rng.randrange(2))
        side = position.player()
        if position.kind() is not Kind.DECISION or position.count() < 2 or position.core.turns_left(side) > turns:
            continue
        race = position.core.turns_left(side ^ 1) <= turns
        # The short proofs are the cheap ones: whoever wins sooner is out.
        if any(prove(position, fewer)[0] for fewer in range(1, turns)):
            continue
        won, _ = prove(position, turns)
        if len(won) != 1 or (turns > 1 and not race and won[0] in _greedy(position)):
            continue
        puzzle = WinPuzzle(position.game, position, {}, turns=turns).posed(SOURCE)
        if puzzle:
            yield puzzle


def defences(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find positions in which all moves but one lose within `turns` turns, and none wins at once."""
    while True:
        position = _blocks(rng, rng.randint(1, 3), rng.randint(1, 3), rng.randrange(2))
        other = position.player() ^ 1
        if position.kind() is not Kind.DECISION or position.count() < LEAST_MOVES:
            continue
        if position.core.turns_left(other) > turns or prove(position, 1)[0]:
            continue
        puzzle = DefendPuzzle(position.game, position, {}, turns=turns).posed(SOURCE)
        # A threat that a shorter look sees is posed as the shorter one.
        if puzzle and (
            turns == 1 or len(DefendPuzzle(position.game, position, {}, turns=turns - 1).prove().solutions) > 1
        ):
            yield puzzle


def frees(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find positions in which all moves but one let the opponent block the mover (or win), and some the former.

    One or two blocks of the mover stand at the edge among more of the other side: elsewhere nobody is ever blocked.
    """
    while True:
        file, rank = rng.choice((0, 4)), rng.choice((0, 1, 3, 4))
        close = [square for square in _USABLE if file <= square % 8 < file + 3 and rank <= square // 8 < rank + 3]
        few, many = rng.choice(((1, 3), (1, 4), (2, 4)))
        player = rng.randrange(2)
        position = _blocks(rng, *((few, many), (many, few))[player], player, close)
        if position.kind() is not Kind.DECISION or not 3 <= position.count() <= 14:
            continue
        puzzle = FreePuzzle(position.game, position, {}).posed(SOURCE)
        if puzzle and any(_can_block(position.play(token), player) for token in position.tokens()):
            yield puzzle


def _can_block(position: Position, player: int) -> bool:
    return any(blocked(position.play(reply), player) for reply in position.tokens() if reply != PASS)


def _solo_game(rng: random.Random, rounds: int) -> Position:
    """Play a solo game of Number Drop by looks until the roll after `rounds` rounds, or to its end."""
    position: Position = games.get("numberdrop").start({"solo": True})
    while position.kind() is not Kind.TERMINAL:
        if position.kind() is Kind.CHANCE:
            token = position.roll(rng.getrandbits(64))
            if token.startswith("roll:"):
                if rounds == 0:
                    break
                rounds -= 1
            position = position.play(token)
        else:
            position = position.play(greedy_move(position))
    return position


def _rolls(rng: random.Random, position: Position, count: int) -> tuple[str, ...]:
    """Draw rolls without stars, so that people can overlook what they allow."""
    drawn: list[str] = []
    while len(drawn) < count:
        roll = position.roll(rng.getrandbits(64))
        if "*" not in roll:
            drawn.append(roll)
    return tuple(drawn)


def _before_drop(rng: random.Random) -> tuple[Position, Position]:
    """Return a position before a roll and, after a roll without stars and looks-alone slides, before its drop."""
    while True:
        start = _solo_game(rng, rng.randint(5, 14))
        if start.kind() is Kind.TERMINAL:
            continue
        position = start.play(_rolls(rng, start, 1)[0])
        while position.kind() is Kind.DECISION and not is_drop(position.tokens(0, 1)[0]):
            position = position.play(greedy_move(position))
        if position.kind() is Kind.DECISION:
            return start, position


def drops(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find rolls with one best drop, which the greedy player misses, for `turns` turns (this one and known rolls)."""
    while True:
        start, position = _before_drop(rng)
        rolls = _rolls(rng, start, turns - 1)
        puzzle = DropPuzzle(position.game, position, {}, rolls=rolls).posed(SOURCE)
        if puzzle and puzzle.asked(greedy_move(position)) != puzzle.asked(puzzle.line[0]):
            yield puzzle


def claims(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find claims of which the largest is not the best, for the `turns` - 1 rolls that follow."""
    while True:
        start, position = _before_drop(rng)
        rolls = _rolls(rng, start, max(1, turns - 1))
        drop, _, claimed = greedy_move(position).partition("+")
        if not claimed:
            continue
        puzzle = ClaimPuzzle(position.game, position, {}, drop=drop, rolls=rolls).posed(SOURCE)
        if puzzle and puzzle.tempting:
            yield puzzle


def plans(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find games with `turns` known rolls in which the greedy player falls short."""
    while True:
        position = _solo_game(rng, rng.randint(5, 14))
        if position.kind() is Kind.TERMINAL:
            continue
        puzzle = PlanPuzzle(position.game, position, {}, rolls=_rolls(rng, position, turns)).posed(SOURCE)
        if puzzle and puzzle.tempting >= LEAST_SHORT and all(roll in puzzle.line for roll in puzzle.rolls):
            yield puzzle


def pars(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find decks of which `turns` cards are to come: alone, or after a game played by looks."""
    box = [digit for digit in range(10) for _ in range(COPIES)]
    while True:
        before = rng.choice((0, 0, 4, 8, 12))
        deck = rng.sample(box, before + turns)
        position = games.get("nmbr9").parse(f"- {''.join(map(str, deck))}", {})
        for _ in range(before):
            position = position.play(greedy_move(position))
        puzzle = PlanPuzzle(position.game, position, {}).posed(SOURCE)
        if puzzle and puzzle.tempting:
            yield puzzle


def optima(rng: random.Random, turns: int) -> Iterator[Puzzle]:
    """Find pools of tiles of which `turns` are to be chosen and ordered."""
    while True:
        pool = sorted(rng.sample([digit for digit in range(10) for _ in range(COPIES)], turns + rng.randint(0, 3)))
        position = games.get("nmbr9").parse(f"- *{''.join(map(str, pool))}/{turns}", {})
        puzzle = PlanPuzzle(position.game, position, {}).posed(SOURCE)
        if puzzle and puzzle.tempting:
            yield puzzle


FINDERS: dict[str, tuple[Callable[[random.Random, int], Iterator[Puzzle]], int, int]] = {
    "win": (wins, 1, 5),
    "defend": (defences, 2, 4),
    "free": (frees, 1, 1),
    "drop": (drops, 1, 2),
    "claim": (claims, 2, 3),
    "plan": (plans, 1, 3),
    "par": (pars, 2, 6),
    "optimum": (optima, 3, EXACT_FREE),
}
"""What can be found, by name: the finder, the fewest and the most turns."""


def find(kind: str, turns: int | None, seed: int) -> Iterator[tuple[str, Puzzle]]:
    """Yield new puzzles of a kind with a name for their files, without end and without repeats.

    Args:
        kind: one of FINDERS.
        turns: their length; None: the lengths of the kind in turn.
        seed: decides everything.

    Raises:
        SolutionError: there is no such kind, or not of this length.
    """
    if kind not in FINDERS:
        raise SolutionError(f"no kind of puzzle: {kind}, expected one of {', '.join(FINDERS)}")
    finder, fewest, most = FINDERS[kind]
    if turns is not None and not fewest <= turns <= most:
        raise SolutionError(f"{kind}: expected {fewest} to {most} turns, got {turns}")
    return _alternating(kind, finder, range(fewest, most + 1) if turns is None else (turns,), seed)


def _alternating(
    kind: str, finder: Callable[[random.Random, int], Iterator[Puzzle]], lengths: Sequence[int], seed: int
) -> Iterator[tuple[str, Puzzle]]:
    """Yield puzzles of each length in turn, none twice."""
    _, fewest, most = FINDERS[kind]
    sources = [(length, finder(random.Random(f"{kind} {length} {seed}"), length)) for length in lengths]
    seen: set[str] = set()
    while True:
        for length, source in sources:
            puzzle = next(found for found in source if found.position.fen() not in seen)
            seen.add(puzzle.position.fen())
            yield (kind if fewest == most else f"{kind}{length}"), puzzle
