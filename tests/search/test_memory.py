"""Hash is what a searcher takes, and no more; a size that cannot be had changes nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.protocol.conversation import SECONDS, Conversation

BEGIN = """
import resource
from blockwit import games, search
from blockwit.search import Limits, Settings

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20

game = games.get("deblockle")
position = game.parse("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", {})
quiet = lambda info: None
small = search.make(game, ALGORITHM, Settings(hash_mb=1))
small.search(position, Limits(nodes=2000), quiet)
before = resident()
searcher = search.make(game, ALGORITHM, Settings(hash_mb=HASH))
"""


def measured(algorithm: str, hash_mb: int, script: str) -> list[float]:
    """Run a script in a process of its own; return the MiB it prints: growth since before the searcher was made."""
    code = f"ALGORITHM, HASH = {algorithm!r}, {hash_mb}\n{BEGIN}{script}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=SECONDS)
    return [float(word) for word in done.stdout.split()]


FILL = """
print(resident() - before)
searcher.search(position, Limits(nodes=NODES, depth=1000), quiet)
print(resident() - before)
searcher.search(position.play(position.tokens()[0]), Limits(nodes=NODES, depth=1000), quiet)
print(resident() - before)
searcher.clear()
print(resident() - before)
"""


@pytest.mark.parametrize(("algorithm", "hash_mb", "nodes"), [("alphabeta", 64, 150_000), ("mcts", 32, 60_000)])
def test_hash_is_obeyed(algorithm: str, hash_mb: int, nodes: int) -> None:
    made, once, twice, _ = measured(algorithm, hash_mb, FILL.replace("NODES", str(nodes)))
    assert made < 0.1 * hash_mb
    assert once <= 1.1 * hash_mb
    assert 0.4 * hash_mb < twice <= 1.1 * hash_mb


def test_a_huge_table_costs_what_is_touched() -> None:
    """Neither making nor clearing it touches what no search has touched."""
    made, once, _, cleared = measured("alphabeta", 4096, FILL.replace("NODES", "2000"))
    assert made < 10
    assert once < 100
    assert cleared < 10


def test_a_size_that_cannot_be_had_leaves_the_old_table(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation()
    talk.send("position fen c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", "setoption name Hash value 3")
    talk.go("depth 3")

    def refuse(*_: object) -> None:
        raise MemoryError("no room for a hash of 60000 MiB")

    monkeypatch.setattr("blockwit.search.alphabeta.AlphaBeta.__init__", refuse)
    assert talk.send("setoption name Hash value 60000") == [
        "info string error: setoption: no room for a hash of 60000 MiB, it stays at 3"
    ]
    assert talk.go("depth 3")[0] != "(none)"
