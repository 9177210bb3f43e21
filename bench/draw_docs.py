"""Draws the pictures of the README and the documentation, with the drawing code of the package.

    python -m bench.draw_docs

A test compares what this would write with what lies in docs/.
"""

from __future__ import annotations

from pathlib import Path

from blockwit import games
from blockwit.games.nmbr9.position import FREE, build_position
from blockwit.search.cpsat.solution import check_solution
from blockwit.study import puzzles

ROOT = Path(__file__).parents[1]
BOARD = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"
STACK = "puzzles/nmbr9/F-9-2-20.json"
LINE = "puzzles/deblockle/win5-06.json"
DROP = "puzzles/numberdrop/drop1-06.json"


def pictures() -> dict[str, str]:
    """Return the drawings by the names of their files in docs/."""
    board = games.get("deblockle").parse(BOARD, {})
    stack = check_solution((ROOT / STACK).read_text(encoding="utf-8"))
    line, drop = puzzles.load(ROOT / LINE), puzzles.load(ROOT / DROP)
    return {
        "board.svg": board.svg(),
        "move.svg": board.svg("c1b1c2"),
        "line.svg": line.position.animation(line.line),
        "sheet.svg": drop.position.svg(drop.line[0]),
        "nmbr9.svg": build_position(stack.tiles, FREE, [], 0).svg(),
    }


def main() -> None:
    """Write them."""
    for name, picture in pictures().items():
        (ROOT / "docs" / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
