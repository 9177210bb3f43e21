"""What docs/map.md and docs/design.md say of who may import and call whom."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockwit import games

ROOT = Path(__file__).parent.parent
SEARCHERS = {"_alphabeta", "_expectimax", "_mcts"}
DRIVERS = {"make", "alphabeta", "expectimax", "mcts", "searcher"}

ALLOWED = {
    "solver/blockwit/search": "the drivers of the compiled searchers",
    "solver/blockwit/protocol/session.py": "the protocol itself",
    "solver/blockwit/arena/simulate.py": "random and greedy games, which are no searches",
    "bench/fuzz_boundary.py": "calls all that is compiled",
    "bench/growth.py": "random games, which are no searches",
    "bench/playouts.py": "random games, which are no searches",
    "bench/tune_deblockle.py": "learns with weights that no engine has",
}


def calls_of(tree: ast.AST) -> Iterator[str]:
    """Yield the searchers that a module gets hold of: compiled ones, their drivers, and what makes them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "blockwit":
            yield from (alias.name for alias in node.names if alias.name in SEARCHERS)
        elif isinstance(node, ast.ImportFrom) and node.module in ("blockwit.search", "blockwit.search.cpsat"):
            yield from (alias.name for alias in node.names if alias.name in DRIVERS)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (name for name in names if name.split(".")[-1] in SEARCHERS | DRIVERS)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "search":
            yield from [f"search.{node.attr}"] if node.attr in DRIVERS else []


def callers() -> dict[str, set[str]]:
    found = {}
    for path in sorted([*(ROOT / "solver").rglob("*.py"), *(ROOT / "bench").glob("*.py")]):
        if names := set(calls_of(ast.parse(path.read_text(encoding="utf-8")))):
            found[path.relative_to(ROOT).as_posix()] = names
    return found


FLOORS = {
    "errors": 0,
    "reading": 1,
    "writing": 1,
    "revision": 1,
    "models": 2,
    "jobs": 1,
    "games": 3,
    "search": 4,
    "protocol": 5,
    "client": 6,
    "arena": 7,
    "study": 7,
    "web": 8,
    "adapters": 8,
    "cli": 9,
}
"""The rooms of the package from the ground up: imports run downward, or stay in their room."""


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of the package that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "blockwit":
            yield from (f"blockwit.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from [node.module or ""]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def upward(room: str, tree: ast.AST) -> list[str]:
    """Return what a module of a room imports from rooms that are not below it."""
    found = []
    for name in imported(tree):
        package, _, rest = name.partition(".")
        other = rest.split(".")[0]
        if package != "blockwit" or other == room or other.startswith("_") or other not in FLOORS:
            continue
        if FLOORS[other] >= FLOORS[room]:
            found.append(name)
    return found


def test_imports_run_downward() -> None:
    package = ROOT / "solver" / "blockwit"
    seen = set()
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        room = parts[0].removesuffix(".py")
        if room in ("__init__", "__main__"):
            continue
        seen.add(room)
        assert room in FLOORS, f"{path}: a room that docs/map.md does not know"
        assert not upward(room, ast.parse(path.read_text(encoding="utf-8"))), path
    assert seen == set(FLOORS)


@pytest.mark.parametrize(
    "text",
    [
        "from blockwit.search import clock",
        "from blockwit import search",
        "import blockwit.study.solve",
        "def f():\n    from blockwit.cli.main import app",
    ],
)
def test_every_import_upward_is_seen(text: str) -> None:
    assert upward("games", ast.parse(text))


def test_searchers_are_reached_through_the_protocol() -> None:
    found = callers()
    assert "solver/blockwit/protocol/session.py" in found
    strangers = {
        path: names for path, names in found.items() if not any(path.startswith(allowed) for allowed in ALLOWED)
    }
    assert not strangers
    assert all(any(path.startswith(allowed) for path in found) for allowed in ALLOWED), "an exception nobody needs"


@pytest.mark.parametrize(
    "text",
    [
        "from blockwit import _alphabeta",
        "from blockwit.search import make",
        "from blockwit.search.expectimax import Expectimax",
        "import blockwit.search.mcts",
        "from blockwit.search.cpsat import searcher",
        "from blockwit import search\nsearch.make(game, 'auto', settings)",
    ],
)
def test_every_way_to_a_searcher_is_seen(text: str) -> None:
    assert list(calls_of(ast.parse(text)))


OWN = {
    "solver/blockwit/games/__init__.py": "the registry",
    "solver/blockwit/search/cpsat": "the optimizer of one game",
    "solver/blockwit/study/puzzles": "the kinds of puzzles and benchmark positions",
    "solver/blockwit/cli/nmbr9.py": "the commands of that optimizer",
    "solver/blockwit/cli/main.py": "mounts these commands",
}
"""Where a game's name may stand beside its folder in games/ and its board script; others ask the registry."""

NAME = re.compile(rf"(?<![a-z])({'|'.join(games.NAMES)})(?![a-z])", re.IGNORECASE)


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield the names of games in the code of a module; docstrings are for people."""
    docs = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        words: list[str] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            words = [node.value]
        elif isinstance(node, ast.Name):
            words = [node.id]
        elif isinstance(node, ast.Attribute):
            words = [node.attr]
        elif isinstance(node, ast.ImportFrom):
            words = [node.module or "", *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            words = [alias.name for alias in node.names]
        yield from (word for word in words if NAME.search(word))


def test_games_are_named_at_home_only() -> None:
    homes = [*OWN, *(f"solver/blockwit/games/{name}/" for name in games.NAMES)]
    strangers = {}
    seen = set()
    for path in sorted((ROOT / "solver" / "blockwit").rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        named = list(names_in(ast.parse(path.read_text(encoding="utf-8"))))
        home = next((home for home in homes if where.startswith(home)), None)
        if named and home is None:
            strangers[where] = named
        elif named:
            seen.add(home)
    assert not strangers
    assert seen == set(homes), "an exception nobody needs"


@pytest.mark.parametrize(
    "script", ["main.js", "dialogs.js", "puzzles.js", "wire.js", "dom.js", "store.js", "choices.js"]
)
def test_the_page_knows_no_game_by_name(script: str) -> None:
    text = (ROOT / "solver" / "blockwit" / "web" / "static" / script).read_text(encoding="utf-8")
    assert not NAME.findall(re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL))


def test_searchers_know_no_game() -> None:
    for name in ("alphabeta", "expectimax", "mcts", "plan", "proof", "td"):
        source = (ROOT / "ext" / "search" / f"{name}.pyx").read_text(encoding="utf-8")
        assert not [line for line in source.splitlines() if "import" in line and NAME.search(line)], name


@pytest.mark.parametrize("text", ["x = 'nmbr9'", "from blockwit import _deblockle", "games.numberdrop", "Deblockle()"])
def test_every_name_is_seen(text: str) -> None:
    assert list(names_in(ast.parse(text)))
    assert not list(names_in(ast.parse('def f():\n    """Of nmbr9 alone."""\n')))
