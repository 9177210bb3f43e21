"""A user's snippet for an installed package: type-checked, then run outside of the repository (.ci/package)."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import assert_type

import blockwit
from blockwit import games, search
from blockwit.client import Engine, Engines
from blockwit.games import Position
from blockwit.search.cpsat.optimize import optimize
from blockwit.search.cpsat.problem import read_problem
from blockwit.study import solve

WIN_IN_ONE = "d1XLT d7XLT s"


def command() -> None:
    """The command stands beside the interpreter and knows its version."""
    script = Path(sys.executable).with_name("blockwit.exe" if sys.platform == "win32" else "blockwit")
    said = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    expect(said == f"blockwit {blockwit.__version__}", said)


def protocol() -> None:
    """An engine process shakes hands and moves in all three games."""
    with Engine() as engine:
        for name in games.NAMES:
            engine.set_option("UCI_Variant", name)
            if name == "nmbr9":
                engine.set_option("Problem", "F-2-1-3")
            engine.new_game()
            moves = []
            while engine.turn() == "chance":
                moves.append(engine.roll())
                engine.position(moves=moves)
            result = engine.go(search.Limits(nodes=100))
            assert_type(result, search.Result)
            expect(result.move is not None, f"{name} has no move")


def library() -> None:
    """Positions, solving, the optimizer and the data files, by import."""
    position = games.get("deblockle").parse(WIN_IN_ONE, {})
    assert_type(position, Position)
    assert_type(position.tokens(), list[str])
    assert_type(position.perft(1), int)
    expect(position.perft(1) == len(position.tokens()), "perft and the moves differ")
    with Engines() as engines:
        solved = solve.solve(WIN_IN_ONE, "deblockle", {}, 1.0, engines, prove=True)
    assert_type(solved, solve.Solved)
    expect(bool(solved.line), str(solved))
    end = optimize(read_problem("F-2-1-3"), 60.0, workers=1, seed=0)
    expect(end.proven, f"F-2-1-3: {end.score}, bound {end.bound}")
    for path in ("games/deblockle/rules.md", "study/puzzles/shipped/deblockle/win3-01.json", "include/game.h"):
        expect((files("blockwit") / path).is_file(), f"no {path}")


def expect(holds: bool, problem: str) -> None:
    """Leave with `problem` unless something holds."""
    if not holds:
        raise SystemExit(f"installed.py: {problem}")


if __name__ == "__main__":
    command()
    protocol()
    library()
    print(f"blockwit {blockwit.__version__} works where it is installed: {Path(blockwit.__file__).parent}")
