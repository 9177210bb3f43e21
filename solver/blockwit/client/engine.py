"""Starts an engine of the protocol as a process of its own and talks to it: `AsyncEngine`, and `Engine` that blocks.

    with Engine(options={"UCI_Variant": "deblockle", "Seed": 7}) as engine:
        engine.position(moves=["roll:XLCH"])
        print(engine.go(Limits(movetime=100)).move)

Every command is followed by `isready`: whatever is answered before `readyok` is the answer, and a command that
has none (`position`, `setoption`) is known to be done, or refused, as well. Commands may be sent while others
still wait for their answers.

Errors are `EngineError`: the engine answered with an error line and goes on. Two kinds of it are final:
`EngineDiedError` (with the exit code and the last lines) and `EngineTimeoutError` (after a time-out it is no longer
known which answer belongs to what, so the engine is killed). A process is never left behind, provided that the
engine is used with `with`, or closed.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import os
import queue
import re
import shlex
import signal
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from blockwit.errors import CommandError, EngineDiedError, EngineError, EngineTimeoutError, OptionError, quote
from blockwit.games.base import OptionSpec, OptionValue
from blockwit.protocol.parser import GoCommand
from blockwit.protocol.writer import go_line
from blockwit.search.types import Info, Limits, Result, Score

COMMAND = (sys.executable, "-P", "-m", "blockwit")
"""How to start the engine of this package."""

TIMEOUT = 10.0
"""Seconds that an answer is waited for, unless told otherwise."""

MAX_LINE = 1 << 24
"""Bytes of the longest line that is read from an engine."""

TAIL = 5
"""Last lines of a dead engine to show."""

ERROR = "info string error: "

PAGE = 1000
"""Legal moves asked for at once."""

T = TypeVar("T")
_COUNT = re.compile(r"\s*(\S+|Nodes searched)\s*:\s*(\d+)\s*", re.ASCII)
LOWEST, HIGHEST = -(2**63), 2**63 - 1
"""What a spin may be whose engine names no bounds."""
NOTHING = ("(none)", "NULL")
"""What engines say where there is no move."""


class Perft(NamedTuple):
    """The number of move sequences, in all and below each move."""

    total: int
    moves: dict[str, int]


def read_option(line: str) -> OptionSpec:
    """Read a line like `option name Hash type spin default 16 min 1 max 65536`.

    What an engine leaves out or gets wrong bounds nothing: a spin without `min` or `max` takes any number on that
    side, and a default that is none of the values that it allows stands as it was announced.

    Raises:
        EngineError: it has no name and type.
    """
    match = re.fullmatch(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<kind>\S+)(?P<rest>(\s.*)?)", line.strip())
    if match is None:
        raise EngineError(f"the engine announced an option that cannot be read: {quote(line)}")
    fields = re.split(r"\s(default|min|max|var)(?=\s|$)", match["rest"])
    values: dict[str, list[str]] = {}
    for key, value in zip(fields[1::2], fields[2::2], strict=True):
        values.setdefault(key, []).append(value.strip())
    default = values.get("default", [""])[0]
    low, high = 0, 0
    if match["kind"] == "spin":
        low = _number(values.get("min", [""])[0], LOWEST)
        high = _number(values.get("max", [""])[0], HIGHEST)
    spec = OptionSpec(match["name"], match["kind"], default, tuple(values.get("var", ())), low, high)
    with contextlib.suppress(OptionError):
        return replace(spec, default=spec.read(default))
    return spec


def _number(text: str, otherwise: int) -> int:
    try:
        return int(text)
    except ValueError:
        return otherwise


_PLAIN = ("depth", "seldepth", "multipv", "nodes", "time", "hashfull", "tbhits")


def read_info(line: str) -> Info:
    """Read an `info` line. What is not known, or is not followed by its value, is passed over."""
    words = line.split()
    fields: dict[str, Any] = {}
    at = 1

    def numbers(start: int, count: int) -> list[int] | None:
        """Return the whole numbers that stand from word `start` on, None unless there are as many."""
        try:
            found = [int(word) for word in words[start : start + count]]
        except ValueError:
            return None
        return found if len(found) == count else None

    while at < len(words):
        word = words[at]
        at += 1
        if word in _PLAIN and (one := numbers(at, 1)):
            (fields[word],) = one
            at += 1
        elif word == "score" and words[at : at + 1] in (["cp"], ["mate"]) and (one := numbers(at + 1, 1)):
            bound = words[at + 2] if words[at + 2 : at + 3] in (["lowerbound"], ["upperbound"]) else ""
            fields["score"] = Score(**{words[at]: one[0]}, bound=bound)
            at += 3 if bound else 2
        elif word == "bound" and words[at : at + 1] == ["cp"] and (one := numbers(at + 1, 1)):
            (fields["bound"],) = one
            at += 2
        elif word == "wdl" and (three := numbers(at, 3)):
            fields["wdl"] = tuple(three)
            at += 3
        elif word == "pv":
            end = words.index("string", at) if "string" in words[at:] else len(words)
            fields["pv"] = tuple(words[at:end])
            at = end
        elif word == "string":
            fields["note"] = " ".join(words[at:])
            break
    return Info(**fields)


def _future() -> asyncio.Future[Any]:
    """Return a future that may fail unheard: whoever did not wait is told by the next command."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future


def _own_group() -> dict[str, Any]:
    """Return the arguments that start a process in a group of its own.

    Ctrl-C in a terminal is for the client, who tells the engine. Not in a session: Linux shares the processor by
    sessions, and under load `stop` would take 20 ms instead of a third of one.
    """
    if isinstance(asyncio.get_running_loop(), asyncio.BaseEventLoop):
        return {"process_group": 0}
    # Loops that do not come from asyncio, as uvloop's, know only the arguments that Popen has always had.
    return {"preexec_fn": os.setpgrp}


def _show(command: Sequence[str]) -> str:
    return quote(shlex.join(command))


class Search:
    """A search under way: iterate over its reports as they come, then ask for its `result`.

        search = await engine.start(Limits(infinite=True))
        async for info in search:
            if info.depth >= 8:
                search.stop()
        print((await search.result()).move)

    It goes on until a limit or `stop` ends it, whether or not anybody listens.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._reports: asyncio.Queue[Info | None] = asyncio.Queue()
        self._last: dict[int, Info] = {}
        self.ended: asyncio.Future[Result] = _future()
        self._broken: EngineError | None = None
        self.stopping = False
        """Whether it was told to stop."""

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return self.ended.done()

    def stop(self) -> None:
        """End the search as soon as possible; its result still comes."""
        if not self.done:
            self.stopping = True
            self._send("stop")

    def ponderhit(self) -> None:
        """Tell the engine that the expected move was played."""
        if not self.done:
            self._send("ponderhit")

    async def result(self) -> Result:
        """Wait for the end of the search."""
        await asyncio.wait([self.ended])
        return self.ended.result()

    async def __aiter__(self) -> AsyncIterator[Info]:
        while (info := await self.next()) is not None:
            yield info

    async def next(self) -> Info | None:
        """Wait for the next report; None when the search has ended."""
        if self.done and self._reports.empty():
            return None
        return await self._reports.get()

    def take(self, line: str) -> bool:
        """Take a line of the engine if it belongs to the search."""
        words = line.split(maxsplit=2)
        if words[:1] == ["bestmove"]:
            self._end(line)
            return True
        if words[:1] != ["info"] or words[1:2] == ["string"]:
            return False
        info = read_info(line)
        if info.score is not None or info.pv:
            self._last[info.multipv] = info
        self._reports.put_nowait(info)
        return True

    def _end(self, line: str) -> None:
        words = line.split()
        if len(words) < 2:
            self.fail(EngineError(f"the engine sent a move that cannot be read: {quote(line)}"))
            return
        if self._broken is not None:
            self.fail(self._broken)
            return
        move = None if words[1] in NOTHING else words[1]
        ponder = words[3] if words[2:3] == ["ponder"] and words[3:4] and words[3] not in NOTHING else None
        self.finish(Result(move, ponder, tuple(self._last[key] for key in sorted(self._last))))

    def finish(self, result: Result) -> None:
        """End the search with a result."""
        if not self.ended.done():
            self.ended.set_result(result)
            self._reports.put_nowait(None)

    def blame(self, error: EngineError) -> None:
        """Remember what went wrong; the search still has to end, and then with this error."""
        self._broken = self._broken or error

    def fail(self, error: EngineError) -> None:
        """End the search with an error."""
        if not self.ended.done():
            self.ended.set_exception(error)
            self._reports.put_nowait(None)


class _Counting(Search):
    """A `go perft` under way."""

    def __init__(self, send: Callable[[str], None]) -> None:
        super().__init__(send)
        self.total: int | None = None
        self.moves: dict[str, int] = {}
        self.news = asyncio.Event()
        """Set by every line that belongs to the count."""

    def take(self, line: str) -> bool:
        match = _COUNT.fullmatch(line)
        if match is None:
            taken = super().take(line)
        else:
            taken = True
            if match[1] == "Nodes searched":
                self.total = int(match[2])
            else:
                self.moves[match[1]] = int(match[2])
        if taken:
            self.news.set()
        return taken

    def fail(self, error: EngineError) -> None:
        super().fail(error)
        self.news.set()


@dataclass
class _Request:
    """A command whose answer is complete with the next `readyok`."""

    answer: asyncio.Future[list[str]]
    lines: list[str] = field(default_factory=list)


class AsyncEngine:
    """An engine process, for asyncio. Use it with `async with`, or call `open` and `close`.

    Args:
        command: program and arguments; default: the engine of this package.
        options: set in this order after the handshake; put `UCI_Variant` first.
        timeout: seconds that an answer is waited for.

    Attributes:
        name: as in `id name`.
        author: as in `id author`.
        options: what can be set, by name; it changes with `UCI_Variant`.
    """

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        options: Mapping[str, OptionValue] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self.command = tuple(command)
        self.timeout = timeout
        self.name = ""
        self.author = ""
        self.options: dict[str, OptionSpec] = {}
        self._wanted = dict(options or {})
        self._process: asyncio.subprocess.Process | None = None
        self._error: EngineError | None = EngineDiedError(f"{_show(self.command)} is not started")
        self._requests: deque[_Request] = deque()
        self._search: Search | None = None
        self._tail: deque[str] = deque(maxlen=TAIL)
        self._watching: asyncio.Task[None] | None = None

    # --- the process ---------------------------------------------------------------------------------------

    async def open(self) -> Self:
        """Start the process, shake hands, set the options.

        Raises:
            EngineError: it does not start, is no such engine, or refuses an option.
        """
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command, stdin=pipe, stdout=pipe, stderr=pipe, limit=MAX_LINE, **_own_group()
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise EngineDiedError(f"{_show(self.command)} does not start: {reason}") from None
        self._error = None
        self._watching = asyncio.create_task(self._watch(self._process))
        try:
            await self._handshake()
            for name, value in self._wanted.items():
                await self.set_option(name, value)
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Send `quit`, wait for the process to end, and kill it if it does not. May be called twice."""
        process, watching = self._process, self._watching
        if process is None or watching is None:
            return
        if self._error is None:
            self._error = EngineDiedError(f"{_show(self.command)} is closed")
            self._write("quit")
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait([watching], timeout=self.timeout)
        finally:
            if not watching.done():
                self._kill()
            # Shielded: a cancelled `close` must not leave a process unreaped.
            await asyncio.shield(watching)

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid if self._process else None

    def _kill(self) -> None:
        if self._process is not None:
            # The whole group: the command may be a script that started the engine.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":
                    self._process.kill()
                else:
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _fail(self, error: EngineError) -> None:
        """Kill the process; everything that waits, and all that is asked later, gets `error`."""
        if self._error is None:
            self._error = error
        if self._watching is not None and not self._watching.done():
            self._kill()
        while self._requests:
            self._requests.popleft().answer.set_exception(self._error)
        if self._search is not None:
            self._search.fail(self._error)
            self._search = None

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Read all that the process writes, until it has ended."""
        complaints = asyncio.create_task(self._read_complaints(process))
        await self._read_answers(process)
        exit_code = asyncio.create_task(process.wait())
        ending = (exit_code, complaints)
        if (await asyncio.wait(ending, timeout=self.timeout))[1]:
            # It said good-bye and stayed, or left somebody behind who holds its pipes.
            self._kill()
            await asyncio.wait(ending)
        code = exit_code.result()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._error = self._error or EngineDiedError(f"{_show(self.command)} {how}{self._last_lines()}")
        self._fail(self._error)

    async def _read_answers(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while raw := await process.stdout.readline():
                self._take(raw.decode(errors="replace").rstrip())
        except ValueError:
            self._fail(EngineError(f"{_show(self.command)} sent a line of more than {MAX_LINE} bytes"))

    async def _read_complaints(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while raw := await process.stderr.read(1 << 16):
            lines = raw.decode(errors="replace").splitlines()
            self._tail.extend(line.strip() for line in lines if line.strip())

    def _last_lines(self) -> str:
        return "; last lines: " + ", ".join(quote(line) for line in self._tail) if self._tail else ""

    # --- lines ---------------------------------------------------------------------------------------------

    def _write(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")

    def _send(self, line: str) -> None:
        if self._error is not None:
            raise self._error
        if not line.isprintable():
            raise CommandError(f"a command is one line without control characters, got {quote(line)}")
        self._write(line)

    def _take(self, line: str) -> None:
        self._tail.append(line)
        search = self._search
        if search is not None and search.take(line):
            if search.done:
                self._search = None
        elif self._requests:
            request = self._requests[0]
            if line.strip() != "readyok":
                request.lines.append(line)
                return
            self._requests.popleft().answer.set_result(request.lines)
        elif search is not None and line.startswith(ERROR):
            search.blame(EngineError(line.removeprefix(ERROR)))

    async def _within(self, seconds: float | None, waiting: asyncio.Future[T], command: str) -> T:
        # Unlike `wait_for`, this leaves what is waited for alone: its answer is still on its way.
        if (await asyncio.wait([waiting], timeout=seconds))[0]:
            return waiting.result()
        self._fail(
            EngineTimeoutError(
                f"{_show(self.command)} did not answer {quote(command)} within {seconds:g} s{self._last_lines()}"
            )
        )
        await asyncio.wait([waiting])
        return waiting.result()

    async def ask(self, command: str) -> list[str]:
        """Send any command that is answered at once; return the lines of its answer.

        Raises:
            EngineError: the engine answered with an error line, did not answer in time, or has ended.
        """
        self._send(command)
        if command != "isready":
            self._write("isready")
        request = _Request(_future())
        self._requests.append(request)
        lines = await self._within(self.timeout, request.answer, command)
        for line in lines:
            if line.startswith(ERROR):
                raise EngineError(line.removeprefix(ERROR))
        return lines

    async def _ask_one(self, command: str, beginning: str) -> str:
        """Return what follows `beginning` in the answer."""
        for line in await self.ask(command):
            if line.startswith(beginning):
                return line[len(beginning) :].strip()
        raise EngineError(f"the engine did not answer {quote(command)} with {quote(beginning)}")

    # --- the verbs -----------------------------------------------------------------------------------------

    async def _handshake(self) -> None:
        lines = await self.ask("uci")
        if not any(line.strip() == "uciok" for line in lines):
            raise EngineError(f"{_show(self.command)} did not answer uci with uciok")
        self.options = {}
        for line in lines:
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ")
            elif line.startswith("id author "):
                self.author = line.removeprefix("id author ")
            elif line.startswith("option "):
                # One that cannot be read cannot be set; the engine may be good all the same.
                with contextlib.suppress(EngineError):
                    spec = read_option(line)
                    self.options[spec.name] = spec

    async def ping(self) -> None:
        """Wait until the engine answers `isready`."""
        await self.ask("isready")

    async def set_option(self, name: str, value: OptionValue) -> None:
        """Set an option.

        Raises:
            OptionError: the engine has no such option, or the value is out of its range.
        """
        spec = self.options.get(name)
        if spec is None:
            raise OptionError(f"{self.name} has no option {quote(name)}, expected one of {', '.join(self.options)}")
        value = spec.read(value)
        text = str(value).lower() if isinstance(value, bool) else str(value) or "<empty>"
        await self.ask(f"setoption name {name}" + ("" if spec.kind == "button" else f" value {text}"))
        if name == "UCI_Variant":
            await self._handshake()

    async def new_game(self) -> None:
        """Forget earlier searches; back to `startpos`."""
        await self.ask("ucinewgame")

    async def position(self, fen: str | None = None, moves: Sequence[str] = ()) -> None:
        """Set the position: `startpos` or a position string, and the moves and rolls from there.

        Raises:
            EngineError: it cannot be read or a move is not legal; the engine keeps the former position.
        """
        text = "position startpos" if fen is None else f"position fen {fen}"
        await self.ask(" ".join([text, "moves", *moves] if moves else [text]))

    async def roll(self) -> str:
        """Let the engine roll from its option `Seed`; the roll is made."""
        return await self._ask_one("roll", "info string rolled ")

    async def start(
        self,
        limits: Limits,
        *,
        clocks: Mapping[int, int] | None = None,
        increments: Mapping[int, int] | None = None,
    ) -> Search:
        """Start a search and return while it goes on.

        Args:
            limits: as of `Limits`, but for `clock` and `increment`.
            clocks: milliseconds on the clocks of the players, counted from 0.
            increments: milliseconds that the first two get for each move.

        Raises:
            EngineError: a search is running, or the engine refuses the limits.
        """
        search = Search(self._send)
        await self._begin(search, self._go(limits, clocks, increments))
        return search

    @staticmethod
    def _go(limits: Limits, clocks: Mapping[int, int] | None, increments: Mapping[int, int] | None) -> str:
        if limits.clock is not None or limits.increment:
            raise CommandError("go: give the clocks of all players, not that of the player to move")
        return go_line(GoCommand(limits, dict(clocks or {}), dict(increments or {})))

    async def _begin(self, search: Search, command: str) -> None:
        if self._search is not None and self._search.stopping:
            await self._within(self.timeout, self._search.ended, "stop")
        if self._search is not None:
            raise EngineError("go: a search is running, send stop first")
        self._search = search
        try:
            await self.ask(command)
        except EngineError:
            # Refused: no bestmove will end it.
            if self._search is search:
                self._search = None
            raise
        except asyncio.CancelledError:
            await self._abandon(search)
            raise

    async def go(
        self,
        limits: Limits,
        *,
        clocks: Mapping[int, int] | None = None,
        increments: Mapping[int, int] | None = None,
        report: Callable[[Info], None] | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Search and wait for the result: the move, and the last report of each line.

        A cancelled call stops the search and waits for its end, so that the engine can be used again.

        Args:
            limits: see `start`.
            clocks: see `start`.
            increments: see `start`.
            report: called with each report as it comes; if it raises, the search is stopped.
            timeout: seconds; without one there is none, except with `movetime`: that and the engine's `timeout`.
        """
        if timeout is None and limits.movetime is not None and not limits.ponder:
            timeout = max(limits.movetime, 0) / 1000 + self.timeout
        search = await self.start(limits, clocks=clocks, increments=increments)

        async def follow() -> Result:
            async for info in search:
                if report is not None:
                    report(info)
            return await search.result()

        following = asyncio.ensure_future(follow())
        try:
            return await self._within(timeout, following, self._go(limits, clocks, increments))
        except BaseException:
            following.cancel()
            await self._abandon(search)
            raise

    async def _abandon(self, search: Search) -> None:
        """Stop a search whose result nobody wants, and wait for its end."""
        if search.done:
            return
        with contextlib.suppress(EngineError):
            search.stop()
            await self._within(self.timeout, search.ended, "stop")

    def stop(self) -> None:
        """End the search under way as soon as possible; without one, nothing."""
        if self._search is not None:
            self._search.stop()

    def ponderhit(self) -> None:
        """The expected move was played: the limits of a search with `ponder` count from now."""
        if self._search is not None:
            self._search.ponderhit()

    async def perft(self, depth: int, timeout: float | None = None) -> Perft:
        """Count the move sequences of `depth` plies.

        Args:
            depth: how many.
            timeout: seconds; without one, an engine that is silent for as long as `self.timeout` is given up.

        Raises:
            EngineError: the engine does not count.
        """
        search = _Counting(self._send)
        command = f"go perft {depth}"
        await self._begin(search, command)
        counting = asyncio.ensure_future(self._count(search, self.timeout if timeout is None else None, command))
        try:
            await self._within(timeout, counting, command)
        except BaseException:
            counting.cancel()
            await self._abandon(search)
            raise
        await search.result()
        if search.total is None:
            raise EngineError(f"{self.name} answered {quote(command)} without a count")
        return Perft(search.total, search.moves)

    async def _count(self, search: _Counting, patience: float | None, command: str) -> None:
        """Wait for the end of a count; an engine that says nothing of it for `patience` seconds is given up."""
        while not search.done and search.total is None:
            search.news.clear()
            await self._within(patience, asyncio.ensure_future(search.news.wait()), command)
        if not search.done:
            # Not every engine ends a count with a bestmove. One that comes is there before the answer to this.
            await self.ask("isready")
            search.finish(Result(None))
            if self._search is search:
                self._search = None

    # --- questions -----------------------------------------------------------------------------------------

    async def query(self, what: str) -> str:
        """Ask a question of the protocol page; return the answer as it is."""
        return await self._ask_one(f"query {what}", "response")

    async def players(self) -> int:
        """Return the number of players."""
        return int(await self.query("players"))

    async def turn(self) -> str:
        """Return who is to move: a player as in the position string, `chance`, or `none`."""
        return await self.query("turn")

    async def game_over(self) -> bool:
        """Tell whether the game is over."""
        return await self.query("gameover") == "true"

    async def result(self) -> str:
        """Return `none` while the game goes on, else `p1win`, `p1p3win` where two share the win, or `draw`."""
        return await self.query("result")

    async def score(self) -> tuple[float, ...]:
        """Return each player's result so far in the game's unit."""
        return tuple(map(float, (await self.query("score")).split()))

    async def count_legal(self) -> int:
        """Return the number of legal moves, or of rolls."""
        return int((await self.query("legal 0 0")).split()[0])

    async def legal(self, start: int = 0, count: int | None = None) -> list[str]:
        """Return the legal moves (or rolls) from number `start` on, all or `count` of them."""
        found: list[str] = []
        while count is None or len(found) < count:
            size = PAGE if count is None else min(PAGE, count - len(found))
            page = (await self.query(f"legal {start + len(found)} {size}")).split()[1:]
            found += page
            if len(page) < size:
                break
        return found

    async def state(self) -> dict[str, Any]:
        """Return the position as JSON for a front end to draw."""
        # Here, because a client need not load the models unless it asks.
        from blockwit.models import State, read

        return read(State, await self.query("state"), EngineError, "query state").model_dump()

    async def fen(self) -> str:
        """Return the position string."""
        return str((await self.state())["fen"])

    async def draw(self) -> str:
        """Return the position drawn as text."""
        return "\n".join(await self.ask("d"))

    async def evaluate(self) -> str:
        """Return the static evaluation as the engine words it."""
        return await self._ask_one("eval", "info string eval ")


class Engine:
    """An engine process for code that blocks. Arguments and methods are those of `AsyncEngine`.

    It may be shared by threads: `stop` from another one ends the search that a first one waits for.
    """

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        options: Mapping[str, OptionValue] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._core = AsyncEngine(command, options, timeout)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="engine client", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._loop.close()
            raise EngineDiedError(f"{_show(command)} needs a thread: {error}") from None
        self._closing = threading.Lock()
        try:
            self._run(self._core.open())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process; see `AsyncEngine.close`."""
        with self._closing:
            if self._loop.is_closed():
                return
            self._run(self._finish())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _finish(self) -> None:
        await self._core.close()
        # Calls of other threads get their errors before the loop ends.
        others = asyncio.all_tasks() - {task for task in (asyncio.current_task(),) if task}
        if others:
            await asyncio.wait(others)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise EngineDiedError(f"{_show(self._core.command)} is closed") from None

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        future = self._submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    @property
    def name(self) -> str:
        """As in `id name`."""
        return self._core.name

    @property
    def author(self) -> str:
        """As in `id author`."""
        return self._core.author

    @property
    def options(self) -> dict[str, OptionSpec]:
        """What can be set, by name; it changes with `UCI_Variant`."""
        return self._core.options

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._core.pid

    def ask(self, command: str) -> list[str]:
        """See `AsyncEngine.ask`."""
        return self._run(self._core.ask(command))

    def ping(self) -> None:
        """See `AsyncEngine.ping`."""
        self._run(self._core.ping())

    def set_option(self, name: str, value: OptionValue) -> None:
        """See `AsyncEngine.set_option`."""
        self._run(self._core.set_option(name, value))

    def new_game(self) -> None:
        """See `AsyncEngine.new_game`."""
        self._run(self._core.new_game())

    def position(self, fen: str | None = None, moves: Sequence[str] = ()) -> None:
        """See `AsyncEngine.position`."""
        self._run(self._core.position(fen, moves))

    def roll(self) -> str:
        """See `AsyncEngine.roll`."""
        return self._run(self._core.roll())

    def go(
        self,
        limits: Limits,
        *,
        clocks: Mapping[int, int] | None = None,
        increments: Mapping[int, int] | None = None,
        report: Callable[[Info], None] | None = None,
        timeout: float | None = None,
    ) -> Result:
        """See `AsyncEngine.go`; `report` is called in the thread of the caller and may call `stop`."""
        reports: queue.SimpleQueue[Info | None] = queue.SimpleQueue()
        work = self._core.go(limits, clocks=clocks, increments=increments, report=reports.put, timeout=timeout)
        future = self._submit(work)
        future.add_done_callback(lambda _: reports.put(None))
        try:
            while (info := reports.get()) is not None:
                if report is not None:
                    report(info)
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """See `AsyncEngine.stop`."""
        self._run(_called(self._core.stop))

    def ponderhit(self) -> None:
        """See `AsyncEngine.ponderhit`."""
        self._run(_called(self._core.ponderhit))

    def perft(self, depth: int, timeout: float | None = None) -> Perft:
        """See `AsyncEngine.perft`."""
        return self._run(self._core.perft(depth, timeout))

    def query(self, what: str) -> str:
        """See `AsyncEngine.query`."""
        return self._run(self._core.query(what))

    def players(self) -> int:
        """See `AsyncEngine.players`."""
        return self._run(self._core.players())

    def turn(self) -> str:
        """See `AsyncEngine.turn`."""
        return self._run(self._core.turn())

    def game_over(self) -> bool:
        """See `AsyncEngine.game_over`."""
        return self._run(self._core.game_over())

    def result(self) -> str:
        """See `AsyncEngine.result`."""
        return self._run(self._core.result())

    def score(self) -> tuple[float, ...]:
        """See `AsyncEngine.score`."""
        return self._run(self._core.score())

    def count_legal(self) -> int:
        """See `AsyncEngine.count_legal`."""
        return self._run(self._core.count_legal())

    def legal(self, start: int = 0, count: int | None = None) -> list[str]:
        """See `AsyncEngine.legal`."""
        return self._run(self._core.legal(start, count))

    def state(self) -> dict[str, Any]:
        """See `AsyncEngine.state`."""
        return self._run(self._core.state())

    def fen(self) -> str:
        """See `AsyncEngine.fen`."""
        return self._run(self._core.fen())

    def draw(self) -> str:
        """See `AsyncEngine.draw`."""
        return self._run(self._core.draw())

    def evaluate(self) -> str:
        """See `AsyncEngine.evaluate`."""
        return self._run(self._core.evaluate())


async def _called(call: Callable[[], None]) -> None:
    call()


class Engines:
    """Engines of this package, one for each game and its rules: started when first asked for, kept until `close`.

    Args:
        options: set in every one of them, by name.
    """

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        self._options = dict(options or {})
        self._started: dict[tuple[str, str], Engine] = {}

    def at(self, game: str, rules: Mapping[str, OptionValue], fen: str) -> Engine:
        """Return an engine that stands at a position and remembers no search.

        Raises:
            EngineError: it does not start, or refuses the position.
            OptionError: the game has no such rule.
        """
        key = game, json.dumps(dict(rules), sort_keys=True)
        if key not in self._started:
            self._started[key] = Engine(options={"UCI_Variant": game} | self._options | dict(rules))
        engine = self._started[key]
        engine.new_game()
        engine.position(fen)
        return engine

    def close(self) -> None:
        """End all processes. May be called twice."""
        while self._started:
            self._started.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()
