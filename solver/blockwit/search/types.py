"""The vocabulary of a search: limits going in, scores and results coming out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from blockwit.games.base import Position


@dataclass(frozen=True)
class Settings:
    """What a searcher is made with.

    `hash_mb` is the size of its tables in MiB; `table_path` is the folder of endgame tables, empty for none; `skill`
    20 is full strength, 1 the weakest (fractions lie between); `seed` decides every random choice; `move_overhead` are
    milliseconds of a clock or a time for a move that are left to the way of the move to the client.
    """

    hash_mb: int = 16
    threads: int = 1
    multipv: int = 1
    seed: int = 0
    show_wdl: bool = False
    table_path: str = ""
    skill: float = 20
    move_overhead: int = 10


@dataclass(frozen=True)
class Limits:
    """When a search has to end; the first limit reached ends it. No limit at all: search until stopped.

    Times are in milliseconds. `clock` and `increment` are those of the player to move; `movestogo` are its moves until
    more time comes, None where the clock is for the whole game.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    clock: int | None = None
    increment: int = 0
    movestogo: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Score:
    """A score from the side of the player to move.

    Exactly one of `cp` (hundredths of the game's unit) and `mate` (own turns to the win, negative: turns of
    the other side to the loss) is set. `bound` is "", "lowerbound" or "upperbound".
    """

    cp: int | None = None
    mate: int | None = None
    bound: str = ""

    def __str__(self) -> str:
        text = f"cp {self.cp}" if self.mate is None else f"mate {self.mate}"
        return f"{text} {self.bound}" if self.bound else text


@dataclass(frozen=True)
class Info:
    """One report of a running search. Times in milliseconds; `hashfull` in thousandths.

    `bound` is an optimizer's proven bound in hundredths of the game's unit; `wdl` are chances in thousandths.
    """

    depth: int = 0
    seldepth: int = 0
    multipv: int = 1
    score: Score | None = None
    bound: int | None = None
    wdl: tuple[int, int, int] | None = None
    nodes: int = 0
    time: int = 0
    hashfull: int | None = None
    tbhits: int | None = None
    pv: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class Result:
    """How a search ended: the best move, the expected reply, and the last report of each line.

    `move` is None when the game is over.
    """

    move: str | None
    ponder: str | None = None
    infos: Sequence[Info] = field(default_factory=tuple)


class Searcher(Protocol):
    """What the protocol drives: an algorithm with its own memory. One search at a time.

    `search` blocks in the caller's thread; `stop` and `ponderhit` may be called from another thread at any
    time after `arm`, also before the search has begun, and answer at once.
    """

    def prepare(self, position: Position) -> None:
        """Load what searches of the game of `position` need, so that the first one does not have to.

        Raises BlockwitError where something is there that cannot be used; a search that needs it says so again.
        """
        ...

    def arm(self) -> None:
        """Get ready for a search: stops asked for until now are void."""
        ...

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search `position` until a limit is reached, calling `report` as the search goes on."""
        ...

    def stop(self) -> None:
        """End the search under way as soon as possible; it still returns its best result."""
        ...

    def ponderhit(self) -> None:
        """The expected move was played: the limits of the search under way count from now."""
        ...

    def clear(self) -> None:
        """Forget everything learned in earlier searches."""
        ...
