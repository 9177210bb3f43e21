"""Two engines in one process share nothing; searchers and positions used from several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from blockwit import _alphabeta, _expectimax, _mcts, _plan, games, search
from blockwit.games.base import Position
from blockwit.search import Limits, Searcher, Settings
from blockwit.search.cpsat.stacks import COVERER

from tests.protocol.conversation import SECONDS, Conversation

DEBLOCKLE = games.get("deblockle").parse("c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s", {})
SETUP = games.get("deblockle").start({}).play("roll:XLCH")
SOLO = games.get("numberdrop").parse(games.get("numberdrop").bench[1][0], {})
CARD = games.get("nmbr9").parse(games.get("nmbr9").bench[2][0], {})
FREE = games.get("nmbr9").parse("- *012345/5", {})

SEARCHES = {
    "alphabeta": (DEBLOCKLE, "alphabeta", 20_000),
    "expectimax, set-up": (SETUP, "expectimax", 3_000),
    "mcts": (DEBLOCKLE, "mcts", 3_000),
    "expectimax": (SOLO, "expectimax", 300),
    "mcts, chance": (SOLO, "mcts", 300),
    "opponent": (CARD, "cpsat", 2_000),
    "mcts, cards": (CARD, "mcts", 300),
    "optimizer": (FREE, "cpsat", 2_000),
}


def found(name: str, report: Callable[[search.Info], None] = lambda info: None) -> tuple[object, ...]:
    """Search with a new searcher; return what does not depend on the clock."""
    position, algorithm, nodes = SEARCHES[name]
    searcher = search.make(position.game, algorithm, Settings(hash_mb=1, seed=5))
    result = searcher.search(position, Limits(nodes=nodes), report)
    return result.move, result.ponder, [(info.depth, info.score, info.nodes, tuple(info.pv)) for info in result.infos]


@pytest.fixture(scope="module")
def alone() -> dict[str, tuple[object, ...]]:
    """Return what each search finds with nothing beside it."""
    return {name: found(name) for name in SEARCHES}


def test_searches_side_by_side_find_what_they_find_alone(alone: dict[str, tuple[object, ...]]) -> None:
    """All of them twice at once, on the same positions."""
    names = [*SEARCHES, *SEARCHES]
    with ThreadPoolExecutor(len(names)) as pool:
        for name, result in zip(names, pool.map(found, names), strict=True):
            assert result == alone[name], name


def test_a_position_is_read_by_many_threads() -> None:
    def read(position: Position) -> tuple[object, ...]:
        tokens = position.tokens(0, 20)
        return position.fen(), position.state(), position.text(), tokens, [position.play(t).fen() for t in tokens]

    everything = [DEBLOCKLE, SETUP, SOLO, CARD, FREE] * 8
    expected = list(map(read, everything))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, everything)) == expected


def test_the_tables_of_tiles_serve_many_threads() -> None:
    sets = [(0, 0, 1, 0, 1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 1, 0, 0, 0, 0), (1, 0, 0, 1, 0, 0, 0, 1, 0, 0)] * 4
    expected = [COVERER.all_layouts(tiles, 2000, 0, 0) for tiles in sets]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda tiles: COVERER.all_layouts(tiles, 2000, 0, 0), sets)) == expected


# --- two sessions -----------------------------------------------------------------------------------------------

FIRST = (
    "setoption name slider value full",
    "setoption name Seed value 3",
    "position startpos",
    "roll",
    "go nodes 300",
    "position fen c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s",
    "go nodes 3000",
    "query state",
    "go depth 3",
    "ucinewgame",
    "roll",
    "d",
)
SECOND = (
    "setoption name UCI_Variant value numberdrop",
    "setoption name Seed value 9",
    "setoption name Algorithm value mcts",
    "position startpos",
    "roll",
    "roll",
    "go nodes 50",
    "setoption name UCI_Variant value deblockle",
    "setoption name no_touch value true",
    "roll",
    "go nodes 200",
    "eval",
)


def steady(lines: list[str]) -> list[str]:
    """Leave out what the clock decides."""
    kept = []
    for line in lines:
        words = line.split()
        for name in ("nps", "time"):
            if name in words:
                del words[words.index(name) : words.index(name) + 2]
        kept.append(" ".join(words))
    return kept


def converse(talk: Conversation, line: str) -> None:
    """Send a line and wait for the move it asks for."""
    if line.startswith("go"):
        talk.go(line.removeprefix("go "))
    else:
        talk.send(line)


def test_two_sessions_in_turn_are_two_sessions() -> None:
    apart = []
    for lines in (FIRST, SECOND):
        talk = Conversation()
        for line in lines:
            converse(talk, line)
        apart.append(steady(talk.lines))
    together = Conversation(), Conversation()
    for pair in zip(FIRST, SECOND, strict=True):
        for talk, line in zip(together, pair, strict=True):
            converse(talk, line)
    assert [steady(talk.lines) for talk in together] == apart


def test_two_sessions_search_at_once() -> None:
    talks = Conversation(), Conversation()
    talks[1].send("setoption name UCI_Variant value numberdrop", f"position fen {SOLO.fen()}")
    talks[0].send(f"position fen {DEBLOCKLE.fen()}")
    for talk in talks:
        talk.send("go infinite")
    talks[0].send("stop")
    talks[0].wait("bestmove")
    talks[1].alive()
    assert talks[1].count("bestmove") == 0
    talks[1].send("stop")
    talks[1].wait("bestmove")


# --- misuse of one searcher ---------------------------------------------------------------------------------------


def searching(searcher: Searcher, position: Position) -> threading.Thread:
    """Begin a search without limits in a thread of its own; return once it reports."""
    reported = threading.Event()
    searcher.arm()
    thread = threading.Thread(
        target=searcher.search, args=(position, Limits(infinite=True), lambda info: reported.set()), daemon=True
    )
    thread.start()
    assert reported.wait(SECONDS)
    return thread


@pytest.mark.parametrize("name", ["alphabeta", "expectimax", "mcts"])
def test_a_second_search_and_clearing_are_refused(name: str) -> None:
    position = SOLO if name == "expectimax" else DEBLOCKLE
    searcher = search.make(position.game, name, Settings(hash_mb=1))
    thread = searching(searcher, position)
    with pytest.raises(RuntimeError, match="under way"):
        searcher.search(position, Limits(nodes=1), lambda info: None)
    if name != "expectimax":
        with pytest.raises(RuntimeError, match="under way"):
            searcher.clear()
    searcher.stop()
    thread.join(SECONDS)
    searcher.clear()
    searcher.arm()
    assert searcher.search(position, Limits(nodes=100), lambda info: None).move in position.tokens()


def test_a_search_from_its_own_report_is_refused() -> None:
    searcher = _alphabeta.Searcher(DEBLOCKLE.game.capsule(), 1)
    tree = _mcts.Searcher(DEBLOCKLE.game.capsule(), 1)
    turns = _expectimax.Searcher(SOLO.game.capsule())

    def again(*_: object) -> None:
        searcher.search(DEBLOCKLE.raw(), [], [], 1, 0, 1, 0, again)

    def grow(*_: object) -> None:
        tree.search(DEBLOCKLE.raw(), [], 10, grow)

    def turn(*_: object) -> None:
        turns.search(SOLO.raw(), [], 2, 10, turn)

    for function in (again, grow, turn):
        with pytest.raises(RuntimeError, match="under way"):
            function()
    with pytest.raises(RuntimeError, match="under way"):
        searcher.search(DEBLOCKLE.raw(), [], [], 1, 0, 1, 0, lambda *_: searcher.resize(2))
    assert searcher.search(DEBLOCKLE.raw(), [], [], 1, 0, 1, 0, lambda *_: None)


def test_a_second_plan_is_refused() -> None:
    planner = _plan.Planner(SOLO.game.capsule())
    outcomes = list(SOLO.outcome_actions(["roll:2345L"] * 3))
    refused = []

    def plan() -> None:
        try:
            planner.exact(SOLO.raw(), outcomes, 300_000)
        except RuntimeError:
            refused.append(1)

    threads = [threading.Thread(target=plan) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert not any(thread.is_alive() for thread in threads)
    plan()
    assert len(refused) <= 2


def test_a_searcher_lives_as_long_as_its_search() -> None:
    searcher = search.make(DEBLOCKLE.game, "mcts", Settings(hash_mb=1))
    thread = searching(searcher, DEBLOCKLE)
    stop = searcher.stop
    del searcher
    stop()
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_stops_from_many_threads() -> None:
    searcher = search.make(DEBLOCKLE.game, "alphabeta", Settings(hash_mb=1))
    for _ in range(20):
        thread = searching(searcher, DEBLOCKLE)
        with ThreadPoolExecutor(4) as pool:
            for _ in range(8):
                pool.submit(searcher.stop)
        thread.join(SECONDS)
        assert not thread.is_alive()
