"""Drives the compiled alpha-beta searcher for the protocol."""

from __future__ import annotations

from collections.abc import Callable

from blockwit import _alphabeta
from blockwit._bridge import UNIT
from blockwit.errors import TableError
from blockwit.games.base import Game, Oracle, Position
from blockwit.search import clock
from blockwit.search.compiled import FULL_SKILL, Compiled, Found
from blockwit.search.types import Info, Limits, Result, Score, Settings

SKILL_NODES = 100
"""Nodes of the lowest level of skill; they double with every second level. Some 400 end one ply of all lines."""


def score_of(value: int, mate: int) -> Score:
    """Return the score for a value in 1/UNIT, or for a forced win (loss: negative) in `mate` plies."""
    if mate:
        turns = (abs(mate) + 1) // 2
        return Score(mate=turns if mate > 0 else -turns)
    return Score(cp=round(value * 100 / UNIT))


def wdl_of(value: int) -> tuple[int, int, int]:
    """Return chances of win, draw and loss in thousandths; a value is the expected result, draws are rare."""
    win = round(500 * (1 + value / UNIT))
    return win, 0, 1000 - win


class AlphaBeta(Compiled):
    """A `Searcher` over blockwit._alphabeta."""

    def __init__(self, game: Game, settings: Settings) -> None:
        # A weaker level has to come out the same for a seed, which several threads never do.
        threads = settings.threads if settings.skill == FULL_SKILL else 1
        self._searcher = _alphabeta.Searcher(game.capsule(), settings.hash_mb, threads)
        found = self._searcher.threads
        self._note = "" if found == threads else f"{found} of {threads} threads: the system gives no more"
        super().__init__(self._searcher, settings)
        self._warned: set[str] = set()

    def _tables(self, position: Position, report: Callable[[Info], None]) -> Oracle | None:
        """Return the endgame tables to look into; those of the option TablePath that fail are left out."""
        game = position.game
        try:
            tables = game.oracle(position, self._settings.table_path)
        except TableError as error:
            self._warn(str(error), report)
            return game.oracle(position, "")
        if tables is not None:
            self._warn(tables.trouble(), report)
        return tables

    def _warn(self, text: str, report: Callable[[Info], None]) -> None:
        """Report a text once, unless it is empty."""
        if text and text not in self._warned:
            self._warned.add(text)
            report(Info(note=f"warning: {text}"))

    def clear(self) -> None:
        """Forget the transposition table."""
        self._searcher.clear()

    def prepare(self, position: Position) -> None:
        """Load the endgame tables."""
        super().prepare(position)
        position.game.prepare(position, self._settings.table_path)

    def search(self, position: Position, limits: Limits, report: Callable[[Info], None]) -> Result:
        """Search a decision of `position`; see `Searcher`. Raises MoveError for an illegal searchmove."""
        settings = self._settings
        if self._note:
            report(Info(note=self._note))
            self._note = ""
        # Before the clock starts: a small table may have to be made first.
        tables = self._tables(position, report)
        self._searcher.consult(tables)
        roots = [action for token in dict.fromkeys(limits.searchmoves) for action in position.actions(token)]
        self._begin(limits)
        depth, nodes, mate = limits.depth or 0, limits.nodes or 0, limits.mate or 0
        if clock.at_once(limits):
            depth = 1
        if mate:
            depth = min(depth or 2 * mate - 1, 2 * mate - 1)
        if nodes and limits.movetime is None and limits.clock is None:
            # With only nodes to count, the same search has to come out whatever was searched before.
            self._searcher.clear()
        if settings.skill < FULL_SKILL:
            allowed = round(SKILL_NODES * 2 ** ((settings.skill - 1) / 2))
            nodes = min(nodes or allowed, allowed)
        found: dict[int, Info] = {}
        by_depth: dict[int, dict[int, Found]] = {}

        def tell(
            depth: int,
            seldepth: int,
            line: int,
            value: int,
            mate: int,
            nodes: int,
            nanoseconds: int,
            actions: list[int],
            final: bool,
        ) -> None:
            info = Info(
                depth=depth,
                seldepth=seldepth,
                multipv=line,
                score=score_of(value, mate),
                wdl=wdl_of(value) if settings.show_wdl else None,
                nodes=nodes,
                time=nanoseconds // 1_000_000,
                hashfull=self._searcher.hashfull(),
                tbhits=self._searcher.tbhits if tables else None,
                pv=position.line(actions),
            )
            if final:
                found[line] = info
                by_depth.setdefault(depth, {})[line] = Found(value, actions, mate)
            if line <= settings.multipv:
                report(info)

        lines = self._searcher.search(
            position.raw(), list(position.history()), roots, depth, nodes, self._lines, mate, tell
        )
        if tables is not None:
            self._warn(tables.trouble(), report)
        chosen = [Found(value, actions, mate) for value, mate, actions in lines]
        whole = [depth for depth, reached in by_depth.items() if len(reached) == len(lines)]
        if settings.skill < FULL_SKILL and whole:
            # Values of two depths do not compare: what one side's turn more is worth would decide. The lowest levels
            # end no ply at all, and take what they have seen.
            # What is proven holds at any depth.
            proven = {line.actions[0]: line for line in chosen if line.mate}
            compared = {line.actions[0]: line for _, line in sorted(by_depth[max(whole)].items())}
            chosen = list((compared | proven).values())
        return self._end(position, chosen, found)


def make(game: Game, settings: Settings) -> AlphaBeta:
    """Return a new searcher of `game`."""
    return AlphaBeta(game, settings)
