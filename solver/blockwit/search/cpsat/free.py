"""The proof of a problem: the compiled search over (tiles used, lowest layout), driven slice by slice.

For a free problem it finds the optimum. A known order, or tiles that lie already, allow no stack that a free choice of
the same tiles does not allow: there it bounds only. docs/nmbr9-bound.md says why the bound holds at any time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from blockwit._freeorder import FreeOrder
from blockwit.games.nmbr9.position import SHAPES, Tile
from blockwit.jobs import startable
from blockwit.search.cpsat.problem import Problem
from blockwit.search.cpsat.solving import LOOK, never

if TYPE_CHECKING:
    from blockwit._freeorder import Event

ALONE = 250
"""Milliseconds between two questions whether to stop where no thread is to be had."""

FAR = 10**6
"""Columns or rows that limit nothing."""


class FreeProof:
    """The search for the best stack of one problem; `run` goes on where it was ended.

    `done` when there is nothing left to search: the bound is final, or memory or a window did not suffice. No stack
    worth more than `known` is looked for.
    """

    def __init__(self, problem: Problem, threads: int, known: int) -> None:
        laid = [tile.digit for tile in problem.start]
        limited = problem.columns is not None or problem.rows is not None
        self.exact = problem.kind == "F" and not laid
        self.threads = threads
        self.done = False
        self._search = FreeOrder(
            SHAPES,
            tuple(n + laid.count(digit) for digit, n in enumerate(problem.pool)),
            problem.cards + len(laid),
            columns=(problem.columns or FAR) if limited else 0,
            rows=(problem.rows or FAR) if limited else 0,
            levels=problem.levels or 0,
        )
        self._search.refuted(known)

    @property
    def counts(self) -> dict[str, int]:
        """How much was searched."""
        return self._search.counts

    def run(
        self,
        seconds: float | None,
        incumbent: int,
        on_bound: Callable[[int], None],
        over: Callable[[], bool] = never,
    ) -> list[Tile] | None:
        """Search for about so long, or until `over()` says so; reports each new bound.

        Stacks of no more than `incumbent` points are not looked for. Returns the levels of an optimal stack when
        one is found and this is a free problem: tiles that may lie anywhere on the table are not among them.
        """
        search = self._search
        end = None if seconds is None else time.monotonic() + seconds
        search.floor = max(0, incumbent)
        search.go()
        threads = startable(self.threads)
        told = 10**9
        # Of the last call that has ended: in the middle of one the search is about to change it.
        bounds = [search.bound if search.ready else told]
        ended = threading.Event()
        events: list[Event | BaseException] = []

        def advance(threads: int, ms: int = -1) -> Event:
            event = search.advance(threads, ms)
            if search.ready:
                bounds.append(search.bound)
            return event

        def work() -> None:
            try:
                while (event := advance(threads)) == "bound":
                    pass
                events.append(event)
            except BaseException as error:
                events.append(error)
            finally:
                ended.set()

        # In a thread of its own, so that neither a question nor a signal waits for it; without any, bit by bit.
        thread = threading.Thread(target=work, name="proof", daemon=True)
        if not self.done and threads:
            thread.start()
        try:
            while not self.done and not ended.wait(LOOK) and not over():
                if end is not None and time.monotonic() >= end:
                    break
                if not threads and (news := advance(1, ALONE)) not in ("bound", "over"):
                    events.append(news)
                    ended.set()
                if bounds[-1] < told:
                    told = bounds[-1]
                    on_bound(told)
        finally:
            search.stop()
            if thread.ident is not None:
                thread.join()
        if not events:
            return None
        event = events[0]
        if isinstance(event, BaseException):
            raise event
        if bounds[-1] < told:
            on_bound(bounds[-1])
        if event == "over":
            return None
        self.done = True
        if event == "found" and self.exact:
            return [Tile(*spot, level) for level, spots in enumerate(search.stack()) for spot in spots]
        return None
