"""The client: against the real engine, and against engines that hang, die or print nonsense."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from blockwit.client import AsyncEngine, Engine, Engines, Perft
from blockwit.client import engine as client
from blockwit.errors import CommandError, EngineDiedError, EngineError, EngineTimeoutError, OptionError
from blockwit.games.base import OptionSpec
from blockwit.protocol.parser import GoCommand, read_go
from blockwit.protocol.session import ENGINE_OPTIONS
from blockwit.protocol.writer import go_line, info_line
from blockwit.search.types import Info, Limits, Score
from hypothesis import given
from hypothesis import strategies as st

from tests.boards import START, parse
from tests.protocol.conversation import SECONDS

SOLO = "solo -:0,-:0,-:0,-:0,-:0 - 1 tile - g/g/g/g/g/g/g/g/g/g/g/g/g/g,-,-,-"
QUICK = 0.4
"""Seconds after which a fake engine that hangs is given up."""

UCI = 'print("id name fake\\nid author nobody\\nuciok", flush=True)'


def fake(body: str) -> list[str]:
    """Return the command of an engine that shakes hands, then runs `body` for each further line `line`."""
    script = (
        "import os, sys, time\n"
        "def say(text): print(text, flush=True)\n"
        "for line in sys.stdin:\n"
        "    line = line.strip()\n"
        f"    if line == 'uci': {UCI}\n"
        "    elif line == 'quit': break\n"
        + "".join(f"    {part}\n" for part in body.splitlines())
        + "    elif line == 'isready': say('readyok')\n"
    )
    return [sys.executable, "-c", script]


def runs(pid: int) -> bool:
    """Tell whether a process has not ended; one that nobody has asked about its end yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def alive(pid: int | None) -> bool:
    assert pid is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def run(
    work: Callable[[AsyncEngine], Coroutine[Any, Any, None]],
    command: Sequence[str] = client.COMMAND,
    *,
    hangs: bool = False,
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Run `work` with an engine; nothing is left behind, whatever it does. One that `hangs` is soon given up."""

    async def main() -> None:
        engine = AsyncEngine(command)
        try:
            async with engine:
                engine.timeout = QUICK if hangs else client.TIMEOUT
                await work(engine)
        finally:
            assert not alive(engine.pid)

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(main())


# --- the real engine ----------------------------------------------------------------------------------------


def test_a_conversation() -> None:
    with Engine(options={"UCI_Variant": "deblockle", "south_blocks": 2, "Seed": 5}) as engine:
        assert engine.name.startswith("blockwit ")
        assert engine.author
        assert engine.options["south_blocks"].default == 4
        assert (engine.players(), engine.turn(), engine.game_over(), engine.result()) == (2, "chance", False, "none")
        rolled = engine.roll()
        assert engine.state()["kind"] == "decision"
        assert engine.fen().startswith("- - s 0 setup:2v4:")
        assert engine.count_legal() == len(engine.legal())
        assert engine.legal(3, 2) == engine.legal()[3:5]
        assert engine.legal(count=0) == []
        engine.position(moves=[rolled, engine.legal()[0]])
        engine.position(START)
        assert engine.draw().endswith(f"Position: {START} 0")
        assert engine.score() == (0, 0)
        assert "South" in engine.evaluate()
        assert engine.perft(2) == Perft(parse(START).perft(2), dict(parse(START).divide(2)))
        reports: list[Info] = []
        result = engine.go(Limits(depth=3), report=reports.append)
        assert result.move in parse(START).tokens()
        assert list(dict.fromkeys(info.depth for info in reports)) == [1, 2, 3]
        assert result.infos == (reports[-1],)
        engine.new_game()
        assert engine.turn() == "chance"
        assert engine.go(Limits(depth=1)).move is None
        engine.ping()
        pid = engine.pid
    assert not alive(pid)
    with pytest.raises(EngineDiedError, match="is closed"):
        engine.ping()
    engine.close()


def test_engine_errors_leave_it_usable() -> None:
    with Engine() as engine:
        engine.position(START)
        with pytest.raises(EngineError, match="move 1"):
            engine.position(START, ["c1c9"])
        assert engine.fen() == f"{START} 0"
        with pytest.raises(EngineError, match="searchmoves"):
            engine.go(Limits(searchmoves=("a1",)))
        with pytest.raises(EngineError, match="unknown question"):
            engine.query("nonsense")
        with pytest.raises(EngineError, match="perft"):
            engine.perft(99)
        with pytest.raises(OptionError, match="no option 'Hsah'"):
            engine.set_option("Hsah", 3)
        with pytest.raises(OptionError, match="Hash"):
            engine.set_option("Hash", 0)
        with pytest.raises(CommandError, match="one line"):
            engine.position(START + "\nquit")
        with pytest.raises(CommandError, match="clocks"):
            engine.go(Limits(clock=5))
        assert engine.go(Limits(depth=1)).move


def test_options_change_with_the_game_and_pages_are_joined() -> None:
    with Engine() as engine:
        assert "solo" not in engine.options
        engine.set_option("UCI_Variant", "numberdrop")
        assert "slider" not in engine.options
        engine.set_option("solo", True)
        engine.position("solo L4:1,T4:0,S4:0,O4:0,I4:1 - 1 drop:1 1***I g/g/g/g/g/g/g/g/g/g/g/g/g/1f,-,-,-")
        count = engine.count_legal()
        assert count > 2 * client.PAGE
        legal = engine.legal(count - 2 * client.PAGE - 1)
        assert len(legal) == len(set(legal)) == 2 * client.PAGE + 1


def test_clocks_and_zero_time() -> None:
    with Engine() as engine:
        engine.position(START)
        for clocks in ({0: 0, 1: 10**9}, {0: -5}):
            assert engine.go(Limits(), clocks=clocks, increments={0: 10**6}).move
        assert engine.go(Limits(movetime=0)).move


def test_report_may_stop_the_search_and_raise() -> None:
    with Engine() as engine:
        engine.position(START)
        depths: list[int] = []

        def report(info: Info) -> None:
            depths.append(info.depth)
            if info.depth == 2:
                engine.stop()

        assert engine.go(Limits(infinite=True), report=report).move
        assert list(dict.fromkeys(depths))[:2] == [1, 2]

        def fail(info: Info) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            engine.go(Limits(infinite=True), report=fail)
        assert engine.go(Limits(depth=1)).move
        engine.stop()
        engine.ponderhit()


def test_another_thread_stops_and_closes() -> None:
    with Engine() as engine:
        engine.position(START)
        started = threading.Event()
        caught: list[object] = []

        def search() -> None:
            try:
                caught.append(engine.go(Limits(infinite=True), report=lambda info: started.set()).move)
            except EngineError as error:
                caught.append(error)

        for end in (engine.stop, engine.close):
            thread = threading.Thread(target=search)
            started.clear()
            thread.start()
            assert started.wait(client.TIMEOUT)
            end()
            thread.join()
    assert caught[0] in parse(START).tokens()
    # `quit` lets the search answer before the engine ends.
    assert caught[1] in parse(START).tokens() or isinstance(caught[1], EngineDiedError)


def test_search_as_an_iterator_with_questions_in_between() -> None:
    async def work(engine: AsyncEngine) -> None:
        await engine.position(START)
        search = await engine.start(Limits(infinite=True))
        depths = []
        async for info in search:
            depths.append(info.depth)
            if info.depth == 2:
                assert await engine.turn() == "s"
                with pytest.raises(EngineError, match="a search is running"):
                    await engine.position()
                with pytest.raises(EngineError, match="a search is running"):
                    await engine.start(Limits(depth=1))
                search.stop()
                search.stop()
                assert search.stopping
        assert list(dict.fromkeys(depths))[:2] == [1, 2]
        assert (await search.result()).move in parse(START).tokens()
        assert search.done
        search.stop()
        assert await search.next() is None
        ponder = await engine.start(Limits(depth=2, ponder=True))
        engine.ponderhit()
        assert (await ponder.result()).move

    run(work)


def test_commands_may_overlap() -> None:
    async def work(engine: AsyncEngine) -> None:
        answers = await asyncio.gather(
            *(engine.query(what) for what in ("players", "turn", "gameover") * 20), engine.position(START)
        )
        assert answers == ["2", "chance", "false"] * 20 + [None]
        # A stopped search need not be waited for.
        for _ in range(5):
            await engine.start(Limits(infinite=True))
            engine.stop()
        assert (await engine.go(Limits(depth=1))).move

    run(work)


def test_cancelled_call_stops_the_search() -> None:
    async def work(engine: AsyncEngine) -> None:
        await engine.position(START)
        for limits in (Limits(infinite=True), Limits(ponder=True)):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await engine.go(limits)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await engine.perft(30)
        question = asyncio.ensure_future(engine.turn())
        await asyncio.sleep(0)
        question.cancel()
        assert await engine.players() == 2
        assert (await engine.go(Limits(depth=1))).move

    run(work)


# --- engines that do not behave -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["/no/such/engine"], "'/no/such/engine' does not start: No such file"),
        ([sys.executable, "-c", "import no_such_module"], "exit code 1; last lines: .*no_such_module"),
        ([sys.executable, "-c", ""], "ended with exit code 0"),
        ([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], "was ended by signal 9"),
        ([sys.executable, "-c", "for _ in range(2): print('readyok', flush=True); input(); input()"], "with uciok"),
    ],
)
def test_what_is_no_engine_is_named(command: list[str], message: str) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        Engine(command)
    assert "\n" not in str(caught.value)


def test_engine_that_hangs_from_the_start() -> None:
    with pytest.raises(EngineTimeoutError, match=r"did not answer 'uci' within 0.4 s"):
        Engine([sys.executable, "-c", "import time; time.sleep(1000)"], timeout=QUICK)


def test_engine_that_hangs_is_killed_and_stays_dead() -> None:
    async def work(engine: AsyncEngine) -> None:
        waiting = asyncio.ensure_future(engine.ask("d"))
        with pytest.raises(EngineTimeoutError, match="did not answer 'd' within"):
            await waiting
        with pytest.raises(EngineTimeoutError):
            await engine.ping()

    run(work, fake("elif line == 'd': time.sleep(1000)"), hangs=True)


def test_search_that_never_ends_is_given_up() -> None:
    """Neither its time nor `stop` ends it."""

    async def work(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTimeoutError, match="did not answer 'go movetime 1' within"):
            await engine.go(Limits(movetime=1))

    run(work, fake("elif line.startswith('go'): say('info depth 1')"), hangs=True)

    async def patient(engine: AsyncEngine) -> None:
        going = asyncio.ensure_future(engine.go(Limits(infinite=True)))
        await asyncio.sleep(0.1)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        with pytest.raises(EngineTimeoutError, match="did not answer 'stop' within"):
            await engine.ping()

    run(patient, fake("elif line.startswith('go'): pass"), hangs=True)


def test_engine_that_dies_in_a_search() -> None:
    async def work(engine: AsyncEngine) -> None:
        search = await engine.start(Limits(infinite=True))
        assert [info.depth async for info in search] == [1]
        with pytest.raises(EngineDiedError, match=r"exit code 7; last lines: .*'boom'"):
            await search.result()
        with pytest.raises(EngineDiedError, match="exit code 7"):
            await engine.go(Limits(depth=1))

    body = "elif line.startswith('go'):\n    say('info depth 1')\n    go = True\n"
    dying = "elif line == 'isready' and 'go' in globals():\n    say('readyok')\n    print('boom', file=sys.stderr)\n"
    run(work, fake(body + dying + "    os._exit(7)"))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("bestmove", "a move that cannot be read: 'bestmove'"),
        ("bestmove  ", "a move that cannot be read"),
        ("info string error: gone wrong\\nbestmove (none)", "gone wrong"),
    ],
)
def test_search_with_garbage_is_an_error_and_the_engine_lives(said: str, message: str) -> None:
    async def work(engine: AsyncEngine) -> None:
        with pytest.raises(EngineError, match=message):
            await engine.go(Limits(depth=1))
        await engine.ping()

    run(work, fake(f"elif line.startswith('go'): say('{said}')"))


@pytest.mark.parametrize(
    ("said", "move", "ponder"),
    [
        ("bestmove a1 ", "a1", None),
        ("bestmove a1\\t", "a1", None),
        ("bestmove  a1  ponder  b1 ", "a1", "b1"),
        ("bestmove a1 ponder", "a1", None),
        ("bestmove a1 ponder ", "a1", None),
        ("bestmove a1 ponder (none)", "a1", None),
        ("bestmove a1 ponder NULL", "a1", None),
        ("bestmove a1 b1 c1", "a1", None),
        ("bestmove (none) ", None, None),
        ("bestmove NULL", None, None),
        ("info depth\\ninfo depth x\\ninfo\\ninfo \\ninfo score\\ninfo pv\\nbestmove a1", "a1", None),
    ],
)
def test_habits_of_other_engines_are_read(said: str, move: str | None, ponder: str | None) -> None:
    async def work(engine: AsyncEngine) -> None:
        result = await engine.go(Limits(depth=1))
        assert (result.move, result.ponder) == (move, ponder)
        await engine.ping()

    run(work, fake(f"elif line.startswith('go'): say('{said}')"))


@pytest.mark.parametrize("command", ["uciok ", "  uciok", "uciok\\t"])
def test_handshake_with_blanks_and_an_option_that_cannot_be_read(command: str) -> None:
    lines = f"id name fake\\noption name Odd\\noption name Depth type spin default 3 \\n{command}"
    script = (
        "for line in iter(input, 'quit'):\n"
        f"    print({{'uci': '{lines}', 'isready': ' readyok  '}}.get(line, ''), flush=True)\n"
    )

    async def work(engine: AsyncEngine) -> None:
        assert list(engine.options) == ["Depth"]
        await engine.set_option("Depth", 10**9)

    run(work, [sys.executable, "-c", script])


@pytest.mark.parametrize("answer", ["pass", "say('info string thinking')", "say('bestmove a1')", "say('info depth 1')"])
def test_perft_of_an_engine_that_does_not_know_it_is_an_error_each_time(answer: str) -> None:
    """It may say nothing, search until it is told to stop, or just play: nobody waits for ever."""

    async def work(engine: AsyncEngine) -> None:
        for _ in range(3):
            with pytest.raises(EngineError, match="'go perft 2'"):
                await engine.perft(2)

    run(work, fake(f"elif line.startswith('go'): {answer}"), hangs=True)


def test_the_last_report_with_a_score_or_a_line_is_kept() -> None:
    """A report that tells neither takes the place of none that does."""

    async def work(engine: AsyncEngine) -> None:
        result = await engine.go(Limits(depth=1))
        assert [(info.depth, info.multipv) for info in result.infos] == [(2, 1), (4, 2)]

    lines = ["depth 1 pv a1", "depth 2 score cp 30", "depth 3 nodes 9", "depth 4 multipv 2 pv b1", "nodes 10"]
    said = "\\n".join([*(f"info {line}" for line in lines), "bestmove a1"])
    run(work, fake(f"elif line.startswith('go'): say('{said}')"))


def test_count_without_a_bestmove_is_whole() -> None:
    async def work(engine: AsyncEngine) -> None:
        for _ in range(3):
            assert await engine.perft(1) == Perft(5, {"a1b1": 2, "a1c1": 3})
        assert (await engine.go(Limits(depth=1))).move == "a1b1"

    counted = "elif line == 'go perft 1': say('a1b1: 2\\na1c1: 3\\n\\nNodes searched: 5\\n')\n"
    run(work, fake(counted + "elif line.startswith('go'): say('bestmove a1b1')"))


def test_perft_with_a_time_out_of_its_own() -> None:
    async def work(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTimeoutError, match=r"'go perft 2' within 0.2 s"):
            await engine.perft(2, timeout=0.2)

    slow = "elif line.startswith('go'):\n    for n in range(40): say(f'm{n}: 1'); time.sleep(0.05)\n"
    run(work, fake(slow))


def test_garbage_between_the_lines_is_passed_over() -> None:
    async def work(engine: AsyncEngine) -> None:
        result = await engine.go(Limits(depth=1))
        assert (result.move, result.ponder) == ("a1b1", "c1d1")
        assert result.infos == (Info(depth=3, score=Score(cp=5, bound="lowerbound"), pv=("a", "b"), note="x y"),)
        assert await engine.query("turn") == "s"
        with pytest.raises(EngineError, match="did not answer 'roll' with 'info string rolled '"):
            await engine.roll()

    noise = "os.write(1, bytes(range(128, 256)) + b'\\n\\n\\x1b[2J\\r\\n' + b'~' * 100000 + b'\\n')"
    info = "info depth 3 currmove 17 score cp 5 lowerbound pv a b string x y"
    body = (
        f"elif line.startswith('go'):\n    {noise}\n    say('{info}\\nbestmove a1b1 ponder c1d1')\n    {noise}\n"
        f"elif line.startswith('query'):\n    {noise}\n    say('response s')\n    {noise}"
    )
    run(work, fake(body))


def test_endless_line_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_LINE", 1000)

    async def work(engine: AsyncEngine) -> None:
        with pytest.raises(EngineError, match="a line of more than 1000 bytes"):
            await engine.ask("d")

    run(work, fake("elif line == 'd': say('x' * 10000)"))


def test_engine_that_ignores_quit_is_killed_with_its_children(tmp_path: Path) -> None:
    number = tmp_path / "pid"
    inner = f"import os, pathlib; pathlib.Path({str(number)!r}).write_text(str(os.getpid()));" + (
        "print('id name fake\\nuciok\\nreadyok', flush=True); import time; time.sleep(1000)"
    )
    command = ["sh", "-c", '"$0" -c "$1"; true', sys.executable, inner]
    with Engine(command, timeout=2) as engine:
        assert engine.name == "fake"
    child = int(number.read_text())
    # The orphan dies and is reaped by the system, which may take a moment.
    deadline = time.monotonic() + SECONDS
    while runs(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- reading and writing lines ------------------------------------------------------------------------------


def test_options_are_read_as_announced() -> None:
    for spec in ENGINE_OPTIONS:
        assert client.read_option(f"option {spec.uci()}") == spec
    spaced = client.read_option("option name Clear All Hash type button")
    assert spaced == OptionSpec("Clear All Hash", "button", "")
    assert client.read_option("option name Path type string default <empty>").default == ""
    for line in ("option name Hash", "option", "option name type spin"):
        with pytest.raises(EngineError, match="cannot be read"):
            client.read_option(line)


@pytest.mark.parametrize(
    ("line", "spec"),
    [
        ("name A type spin default 3", OptionSpec("A", "spin", 3, low=-(2**63), high=2**63 - 1)),
        ("name A type spin default 3 min 1", OptionSpec("A", "spin", 3, low=1, high=2**63 - 1)),
        ("name A type spin default 3 max 9", OptionSpec("A", "spin", 3, low=-(2**63), high=9)),
        ("name A type spin min 1 max 9", OptionSpec("A", "spin", "", low=1, high=9)),
        ("name A type spin default x min 1 max 9", OptionSpec("A", "spin", "x", low=1, high=9)),
        ("name A type spin default 12 min 1 max 9 ", OptionSpec("A", "spin", "12", low=1, high=9)),
        ("  name A   type spin   default 3 min 1 max 9", OptionSpec("A", "spin", 3, low=1, high=9)),
        ("name A type check default", OptionSpec("A", "check", "")),
        ("name A type combo default C var B", OptionSpec("A", "combo", "C", ("B",))),
        ("name A type string", OptionSpec("A", "string", "")),
        ("name A type string default   ", OptionSpec("A", "string", "")),
        ("name Max min x type string default min d", OptionSpec("Max min x", "string", "")),
    ],
)
def test_options_of_other_engines_are_read(line: str, spec: OptionSpec) -> None:
    assert client.read_option(f"option {line}") == spec


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info depth", Info()),
        ("info depth seldepth 4", Info(seldepth=4)),
        ("info depth x nodes 5", Info(nodes=5)),
        ("info  depth   3 ", Info(depth=3)),
        ("info score cp", Info()),
        ("info score great depth 3", Info(depth=3)),
        ("info score mate x depth 3 score cp +7", Info(depth=3, score=Score(cp=7))),
        ("info wdl 1 2 pv a b", Info(pv=("a", "b"))),
        ("info bound x time 1.5 nodes 2", Info(nodes=2)),
        ("info nodes " + "9" * 5000 + " depth 2", Info(depth=2)),
        ("info currmove c1 currmovenumber 2 depth 2 string depth 9", Info(depth=2, note="depth 9")),
        ("info", Info()),
    ],
)
def test_reports_of_other_engines_are_read(line: str, info: Info) -> None:
    assert client.read_info(line) == info


@given(
    st.lists(
        st.sampled_from(
            [
                "info",
                "depth",
                "score",
                "cp",
                "mate",
                "3",
                "-1",
                "x",
                "wdl",
                "pv",
                "string",
                "bound",
                "lowerbound",
                "time",
            ]
        )
        | st.text()
    )
)
def test_no_report_is_refused(words: list[str]) -> None:
    assert client.read_info(" ".join(["info", *words])) is not None


NUMBERS = st.integers(0, 10**12)
SCORES = st.one_of(
    st.builds(Score, cp=st.integers(-(10**6), 10**6), bound=st.sampled_from(["", "lowerbound", "upperbound"])),
    st.builds(Score, mate=st.integers(-99, 99)),
)
MOVES = st.lists(st.sampled_from(["c1c2", "roll:XLCH", "L2@3:5316+S4:a1,a2,b2,b3", "0000"]), min_size=1, max_size=3)


@given(
    st.builds(
        Info,
        depth=NUMBERS,
        seldepth=NUMBERS,
        multipv=st.integers(1, 256),
        score=SCORES,
        bound=st.none() | st.integers(-100, 100),
        wdl=st.none() | st.tuples(NUMBERS, NUMBERS, NUMBERS),
        nodes=NUMBERS,
        time=NUMBERS,
        hashfull=st.none() | NUMBERS,
        tbhits=st.none() | NUMBERS,
        pv=MOVES.map(tuple),
        note=st.sampled_from(["", "some words"]),
    )
)
def test_reports_are_read_as_written(info: Info) -> None:
    assert client.read_info(info_line(info)) == info


@given(
    st.builds(
        Limits,
        depth=st.none() | st.integers(1, 1000),
        nodes=st.none() | st.integers(1, 10**15),
        movetime=st.none() | st.integers(-100, 10**12),
        mate=st.none() | st.integers(1, 1000),
        movestogo=st.none() | st.integers(1, 1000),
        ponder=st.booleans(),
        searchmoves=st.just(()) | MOVES.map(tuple),
    ),
    st.dictionaries(st.integers(0, 5), st.integers(-1000, 10**12)),
    st.dictionaries(st.integers(0, 5), st.integers(0, 10**12)),
)
def test_go_is_read_as_written(limits: Limits, clocks: dict[int, int], increments: dict[int, int]) -> None:
    command = GoCommand(limits, clocks, increments)
    read = read_go(go_line(command).split()[1:], 6)
    assert (read.clocks, read.increments) == (clocks, increments)
    endless = not (clocks or limits.ponder or {limits.depth, limits.nodes, limits.movetime, limits.mate} != {None})
    assert read.limits == Limits(**{**vars(limits), "infinite": endless})
    counting = GoCommand(Limits(), {}, {}, 3)
    assert read_go(go_line(counting).split()[1:], 2) == counting


# --- several of them -------------------------------------------------------------------------------------------


def test_engines_are_kept_for_each_game_and_its_rules_and_remember_nothing() -> None:
    with Engines({"Hash": 1, "Seed": 3}) as engines:
        first = engines.at("deblockle", {}, START)
        assert first.fen() == parse(START).fen()
        nodes = [first.go(Limits(depth=4)).infos[0].nodes]
        again = engines.at("deblockle", {}, START)
        assert again is first
        nodes.append(again.go(Limits(depth=4)).infos[0].nodes)
        assert nodes[0] == nodes[1]
        others = [engines.at("deblockle", {"no_touch": True}, START), engines.at("numberdrop", {"solo": True}, SOLO)]
        assert len({engine.pid for engine in (first, *others)}) == 3
        assert len(others[0].legal()) != len(first.legal())
        with pytest.raises(EngineError, match="2 fields"):
            engines.at("deblockle", {}, "a b")
        with pytest.raises(OptionError, match="no option 'moon'"):
            engines.at("deblockle", {"moon": 1}, START)
        pids = [engine.pid for engine in (first, *others)]
    engines.close()
    assert not any(alive(pid) for pid in pids)


# --- other event loops --------------------------------------------------------------------------------------

LOOPS = [asyncio.new_event_loop]
if importlib.util.find_spec("uvloop") is not None:
    import uvloop

    LOOPS.append(uvloop.new_event_loop)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__module__)
def test_an_engine_talks_searches_and_stops_on_every_loop(loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    async def work(engine: AsyncEngine) -> None:
        await engine.position(START)
        # A group of its own, in the session of the client.
        assert engine.pid is not None
        assert (os.getpgid(engine.pid), os.getsid(engine.pid)) == (engine.pid, os.getsid(0))
        search = await engine.start(Limits(infinite=True))
        async for info in search:
            if info.depth >= 3:
                search.stop()
        assert (await search.result()).move in parse(START).tokens()

    run(work, loop=loop)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__module__)
def test_an_engine_that_hangs_or_dies_or_is_missing_is_named_on_every_loop(
    loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    async def hangs(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTimeoutError, match="did not answer 'd'"):
            await engine.draw()

    run(hangs, fake("elif line == 'd': time.sleep(1000)"), hangs=True, loop=loop)

    async def dies(engine: AsyncEngine) -> None:
        with pytest.raises(EngineDiedError, match="ended with exit code 3"):
            await engine.draw()

    run(dies, fake("elif line == 'd': os._exit(3)"), loop=loop)

    async def missing() -> None:
        with pytest.raises(EngineDiedError, match="does not start: No such file"):
            await AsyncEngine(["/nowhere/engine"]).open()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(missing())
