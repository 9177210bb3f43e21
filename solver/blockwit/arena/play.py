"""A person against the engine in the terminal."""

from __future__ import annotations

import random
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from blockwit.client import Engine
from blockwit.errors import BlockwitError
from blockwit.games.base import Kind, Position
from blockwit.search.types import Limits

FULL = 20
"""The level of Skill without misjudgement."""

HELP = "a move, roll:FACES for real dice (empty: the engine rolls), hint, undo, moves, fen, help, quit"


class QuitError(Exception):
    """The person has had enough."""


class Sitting:
    """One game at a table: who sits where, and what has been played.

    Args:
        start: the first position.
        person: seats (0-based) that the person plays.
        engine: plays all other seats; its rule options are those of `start`.
        limits: of each of its searches.
        console: where to draw.
        ask: returns what the person types after a prompt.
        seed: of the dice.
        skill: the level of the engine.
    """

    def __init__(
        self,
        start: Position,
        person: frozenset[int],
        engine: Engine,
        limits: Limits,
        console: Console,
        ask: Callable[[str], str],
        seed: int,
        skill: int = FULL,
    ) -> None:
        self.line = [start]
        self.person = person
        self.moves: list[str] = []
        self.engine = engine
        self.limits = limits
        self.console = console
        self.ask = ask
        self.rng = random.Random(seed)
        self.skill = skill

    @property
    def position(self) -> Position:
        """The position on the table."""
        return self.line[-1]

    def run(self) -> Position:
        """Play to the end or until the person quits; returns the last position. KeyboardInterrupt is passed on."""
        try:
            while self.position.kind() is not Kind.TERMINAL:
                self.step()
        except (QuitError, EOFError, KeyboardInterrupt) as why:
            self.console.print("Good bye. The position was", self.position.fen(), style="dim", markup=False)
            if isinstance(why, KeyboardInterrupt):
                raise
            return self.position
        self.console.print(self.position.picture())
        self.console.print(f"[bold]{self.position.result()}[/]")
        return self.position

    def step(self) -> None:
        """Carry out one roll, engine move or command."""
        position = self.position
        if position.kind() is Kind.CHANCE:
            typed = self.ask("roll (Enter: the engine rolls)> ").strip() if self.person else ""
            self.command(typed or position.roll(self.rng.getrandbits(64)))
        elif position.player() in self.person:
            self.console.print(position.picture())
            self.list_moves()
            self.command(self.ask("move> ").strip())
        else:
            best = self.think()
            self.console.print(f"Engine plays [bold]{best}[/]")
            self.play(best)

    def think(self) -> str:
        """Return the engine's move here."""
        self.engine.position(self.line[0].fen(), self.moves)
        with self.console.status("thinking"):
            result = self.engine.go(self.limits)
        if result.infos:
            last = result.infos[0]
            self.console.print(f"depth {last.depth}, score {last.score}, {' '.join(last.pv)}", style="dim")
        return str(result.move)

    def hint(self) -> None:
        """Tell what the engine at full strength would play, however weak the one at the table is."""
        if self.position.kind() is not Kind.DECISION:
            self.console.print("No hint: the roll decides", style="red")
            return
        self.engine.set_option("Skill", FULL)
        try:
            self.console.print(f"Hint: [bold]{self.think()}[/]")
        finally:
            self.engine.set_option("Skill", self.skill)

    def play(self, token: str) -> None:
        """Put a move or roll on the table."""
        self.line.append(self.position.play(token))
        self.moves.append(token)

    def list_moves(self) -> None:
        """List the legal moves by group."""
        grid = Table.grid(padding=(0, 2))
        for heading, tokens in self.position.choices():
            grid.add_row(heading, " ".join(tokens))
        self.console.print(grid)

    def command(self, typed: str) -> None:
        """Carry out what the person typed."""
        if typed == "quit":
            raise QuitError
        if typed == "undo":
            self.undo()
        elif typed == "hint":
            self.hint()
        elif typed == "moves":
            self.list_moves()
        elif typed == "fen":
            self.console.print(self.position.fen(), markup=False)
        elif typed in ("help", "?", ""):
            self.console.print(HELP)
        else:
            try:
                self.play(typed)
            except BlockwitError as error:
                self.console.print(str(error), style="red", markup=False)
                return
            self.console.print(f"Played {typed}", style="dim", markup=False)

    def undo(self) -> None:
        """Take back to the person's decision before this one."""
        for index in range(len(self.line) - 2, -1, -1):
            earlier = self.line[index]
            if earlier.kind() is Kind.DECISION and earlier.player() in self.person:
                del self.line[index + 1 :]
                del self.moves[index:]
                return
        self.console.print("Nothing to take back", style="red")
