"""Tic-tac-toe: a game that blockwit does not know, brought by this package alone (docs/adding-a-game.md)."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from blockwit._bridge import Table
from blockwit.errors import PositionError, quote
from blockwit.games.base import Game, Options, OptionSpec
from blockwit.games.bridge import CompiledPosition

MARKS = ".xo"


def capsule() -> object:
    """Return the table of the compiled game in a capsule, as an extension module would."""
    library = ctypes.CDLL(os.environ["TICTACTOE_LIBRARY"])
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    made: object = new(ctypes.addressof(ctypes.c_char.in_dll(library, "TICTACTOE")), b"blockwit.game", None)
    return made


CAPSULE = capsule()


class TicTacToePosition(CompiledPosition):
    """Nine squares and whose turn it is, written `x.o/.x./..o x`."""

    table = Table(CAPSULE)

    def write(self, action: int) -> str:
        """Return a square: `a3` is the upper left one."""
        return f"{'abc'[action % 3]}{3 - action // 3}"

    def fen(self) -> str:
        """Return the rows from the top, and who moves."""
        rows = "".join(MARKS[square] for square in self.raw()[:9])
        return f"{rows[:3]}/{rows[3:6]}/{rows[6:]} {'xo'[self.player()]}"

    def result(self) -> str | None:
        """Return who has won."""
        if self.table.kind(self.raw()) != 2:
            return None
        first, second = self.returns()
        return "a draw" if first == second else f"{'x' if first > second else 'o'} wins"

    def text(self) -> str:
        """Draw the squares."""
        return self.fen().split()[0].replace("/", "\n")

    def svg(self, move: str | None = None) -> str:
        """Draw the squares, after a move if one is given."""
        rows = (self if move is None else self.play(move)).text().split("\n")
        lines = (f'<text x="10" y="{30 * y + 30}">{row}</text>' for y, row in enumerate(rows))
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 110">{"".join(lines)}</svg>'

    def state(self) -> dict[str, Any]:
        """Return the rows, ready for JSON."""
        return {**super().state(), "rows": self.text().split("\n")}


class TicTacToe(Game):
    """The game."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    players = ("x", "o")
    unit = "result"
    options: ClassVar[tuple[OptionSpec, ...]] = ()
    algorithms = ("alphabeta", "mcts")
    form = "<row>/<row>/<row> <x or o>"
    bench = (("x../.o./... x", 4),)
    facets: ClassVar[Mapping[str, str]] = {
        "alphabet": "tictactoe.facets:ALPHABET",
        "view": "tictactoe.facets:VIEW",
    }

    def fits(self, fields: Sequence[str]) -> bool:
        """Tell whether the first field is three rows."""
        return len(fields) == 2 and re.fullmatch("[.xo]{3}(/[.xo]{3}){2}", fields[0]) is not None

    def start(self, options: Options) -> TicTacToePosition:
        """Return the empty board."""
        self.read_options(options)
        return TicTacToePosition(bytes(10))

    def parse(self, text: str, options: Options) -> TicTacToePosition:
        """Read a position string. Raises PositionError."""
        self.read_options(options)
        fields = text.split()
        if not self.fits(fields):
            raise PositionError(f"{quote(text)}: expected {self.form}, as in x.o/.x./..o x")
        squares = bytes(MARKS.index(mark) for mark in fields[0].replace("/", ""))
        raw = squares + bytes([9 - squares.count(0)])
        try:
            position = TicTacToePosition(raw)
            mover = position.player()
        except ValueError as error:
            raise PositionError(f"{quote(text)}: {error}") from None
        if fields[1] != "xo"[mover]:
            raise PositionError(f"{quote(text)}: it is the turn of {'xo'[mover]}, got {quote(fields[1])}")
        return position

    def capsule(self) -> object:
        """Return the compiled game."""
        return CAPSULE


GAME = TicTacToe()
TicTacToePosition.game = GAME
