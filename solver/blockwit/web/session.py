"""One open page: answers its requests, and owns the engine process that thinks for it.

Requests and answers are JSON objects. A request has an `id`, which its answers repeat, a verb `do`, and mostly a
`table`: game, rule options, first position (null: the start of the game) and the moves from there. The server keeps no
game: taking back a move is asking about a shorter list.

| do | answers |
| --- | --- |
| `view` | `view`: the position, and every move so far in words |
| `play` (`move`) | `view` after the move, or `illegal` with the reason and the heading of the rule |
| `roll` | `view` after dice or cards drawn at random |
| `claims` (`move`) | `claims`: the sheet after a drop of Number Drop, and what can be claimed |
| `think` (`movetime` or `nodes`, `skill`) | `info` again and again, then `best` |
| `stop` | nothing; the search under way gives its `best` now |

Whatever cannot be answered is answered by `error` with one line.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self

from blockwit import games
from blockwit.client import AsyncEngine
from blockwit.errors import BlockwitError, CommandError, EngineError, MoveError, quote
from blockwit.games.base import OptionValue, Position
from blockwit.models import read
from blockwit.protocol.writer import info_line
from blockwit.search.types import Info, Limits
from blockwit.web import messages, views

ENGINE = (sys.executable, "-P", "-m", "blockwit.web.worker")
MAX_MESSAGE = 1 << 16
"""Characters of the longest request."""
HASH_MB = 16

Json = dict[str, Any]
Send = Callable[[Json], Awaitable[None]]


@dataclass(frozen=True)
class Table:
    """A game as the page knows it: rule options, first position and moves."""

    game: games.Game
    options: tuple[tuple[str, OptionValue], ...]
    start: str | None
    moves: tuple[str, ...]

    @classmethod
    def of(cls, message: messages.TableMessage) -> Self:
        """Return the table of a request. Raises BlockwitError."""
        game = games.get(message.game)
        options = game.read_options(message.options)
        return cls(game, tuple(options.items()), message.start, tuple(message.moves))

    def first(self) -> Position:
        """Return the position before the first move. Raises BlockwitError."""
        options = dict(self.options)
        return self.game.start(options) if self.start is None else self.game.parse(self.start, options)


class Replay:
    """The positions of the line asked about last, so that one more move costs one more move."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._line: list[Position] = []
        self._log: list[Json] = []

    def __call__(self, table: Table) -> tuple[Position, list[Json]]:
        """Return the position of a table and its moves in words. Raises BlockwitError, naming a bad move's number."""
        known = self._table
        if known is None or (known.game, known.options, known.start) != (table.game, table.options, table.start):
            self._line, self._log = [table.first()], []
            known = Table(table.game, table.options, table.start, ())
        same = 0
        for old, new in zip(known.moves, table.moves, strict=False):
            if old != new:
                break
            same += 1
        del self._line[same + 1 :], self._log[same:]
        self._table = Table(table.game, table.options, table.start, table.moves[:same])
        for number, move in enumerate(table.moves[same:], same + 1):
            before = self._line[-1]
            try:
                after = before.play(move)
            except MoveError as error:
                raise MoveError(f"move {number}: {error}", error.rule) from None
            chance = before.kind() is games.Kind.CHANCE
            said = views.words(before, move)
            self._line.append(after)
            self._log.append({"move": move, "words": said, "player": before.player(), "chance": chance})
            self._table = Table(table.game, table.options, table.start, table.moves[:number])
        return self._line[-1], list(self._log)


class Thinker:
    """The session's engine process, started with the first search and started again if it has died."""

    def __init__(self, command: tuple[str, ...] = ENGINE) -> None:
        self._command = command
        self._engine: AsyncEngine | None = None
        self._set: dict[str, OptionValue] = {}
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """The number of the process while there is one."""
        return self._engine.pid if self._engine else None

    async def close(self) -> None:
        """End the process."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.close()

    def expect(self) -> None:
        """Take the next `stop` for the search that comes next, even while the engine is not yet ready for it."""
        self._stopped = False

    def stop(self) -> None:
        """End the search under way as soon as possible."""
        self._stopped = True
        if self._engine is not None:
            self._engine.stop()

    async def _prepare(self, table: Table, skill: int) -> AsyncEngine:
        if self._engine is None:
            self._engine, self._set = await AsyncEngine(self._command).open(), {}
        wanted: dict[str, OptionValue] = {"UCI_Variant": table.game.name, "Hash": HASH_MB, "Skill": skill}
        if self._set.get("UCI_Variant") != table.game.name:
            self._set = {}  # the rule options of the other game do not matter, those of this one are at their defaults
        for name, value in {**wanted, **dict(table.options)}.items():
            if self._set.get(name) != value:
                await self._engine.set_option(name, value)
                self._set[name] = value
        await self._engine.position(table.start, table.moves)
        return self._engine

    async def think(self, table: Table, limits: Limits, skill: int, tell: Callable[[Info], Awaitable[None]]) -> str:
        """Search, telling every report, and return the move. Raises EngineError; the next search may start anew."""
        try:
            engine = await self._prepare(table, skill)
            search = await engine.start(limits)
            if self._stopped:
                search.stop()
            async for info in search:
                await tell(info)
            result = await search.result()
        except EngineError:
            await self.close()
            raise
        if result.move is None:
            raise EngineError("nothing is to be decided here")
        return result.move


class Session:
    """Answers the requests of one page.

    Args:
        send: sends one answer.
        thinker: the engine process.
    """

    def __init__(self, send: Send, thinker: Thinker | None = None) -> None:
        self._send = send
        self.thinker = thinker or Thinker()
        self._replay = Replay()
        self._search: asyncio.Task[None] | None = None

    @property
    def searching(self) -> asyncio.Task[None] | None:
        """The search under way."""
        return None if self._search is None or self._search.done() else self._search

    async def close(self) -> None:
        """Stop thinking and end the engine process."""
        if self._search is not None:
            self._search.cancel()
            await asyncio.wait([self._search])
        await self.thinker.close()

    async def receive(self, text: str) -> None:
        """Answer one request; nothing that it says ends the session."""
        number: messages.Id = None
        try:
            try:
                asked = read(messages.Request, text, CommandError).root
            except CommandError:
                number = read(messages.Numbered, text, CommandError).id
                raise
            number = asked.id
            await self._answer(number, asked)
        except BlockwitError as error:
            await self._send({"id": number, "is": "error", "why": str(error)})

    async def _answer(self, number: messages.Id, asked: messages.Asked) -> None:
        if isinstance(asked, messages.Stop):
            self.thinker.stop()
            return
        if isinstance(asked, messages.Think):
            await self._think(number, asked)
            return
        # A long line takes seconds to replay; meanwhile the other pages are answered.
        await self._send({"id": number, **await asyncio.to_thread(self._work, asked)})

    def _work(self, asked: messages.Ask | messages.AskMove) -> Json:
        """Return the answer to a question that needs no engine."""
        table = Table.of(asked.table)
        position, log = self._replay(table)
        if asked.do == "picture":
            return {"is": "picture", "svg": position.svg()}
        if isinstance(asked, messages.AskMove) and asked.do == "claims":
            try:
                return {"is": "claims", **views.claims(position, asked.move)}
            except MoveError as error:
                return self._refused(asked.move, error)
        if asked.do != "view":
            move = asked.move if isinstance(asked, messages.AskMove) else position.roll(secrets.randbits(63))
            try:
                position.play(move)
            except MoveError as error:
                return self._refused(move, error)
            table = Table(table.game, table.options, table.start, (*table.moves, move))
            position, log = self._replay(table)
        first = table.first()
        return {
            "is": "view",
            "view": views.view(position),
            "moves": list(table.moves),
            "log": log,
            "start": first.fen(),
        }

    @staticmethod
    def _refused(move: str, error: MoveError) -> Json:
        why = str(error).removeprefix(f"{quote(move)}: ")
        return {"is": "illegal", "move": move, "why": why, "rule": error.rule}

    def _subject(self, asked: messages.Think) -> tuple[Table, Position]:
        """Return what is to be thought about."""
        table = Table.of(asked.table)
        position, _ = self._replay(table)
        if position.kind() is not games.Kind.DECISION:
            raise CommandError("think: nothing is to be decided here")
        return table, position

    async def _think(self, number: messages.Id, asked: messages.Think) -> None:
        movetime, nodes = asked.movetime, asked.nodes
        table, position = await asyncio.to_thread(self._subject, asked)
        limits = Limits(movetime=movetime if movetime or nodes else 1000, nodes=nodes)
        if self._search is not None and not self._search.done():
            # One engine: the page has moved on, so the older question is void.
            self.thinker.stop()
            await asyncio.wait([self._search])
        self.thinker.expect()
        self._search = asyncio.create_task(self._run(number, table, position, limits, asked.skill or 20))

    async def _run(self, number: messages.Id, table: Table, position: Position, limits: Limits, skill: int) -> None:
        async def tell(info: Info) -> None:
            score = None if info.score is None else {"cp": info.score.cp, "mate": info.score.mate}
            shown = {"depth": info.depth, "score": score, "bound": info.bound, "nodes": info.nodes, "time": info.time}
            await self._send({"id": number, "is": "info", **shown, "pv": list(info.pv), "line": info_line(info)})

        try:
            move = await self.thinker.think(table, limits, skill, tell)
            said = views.words(position, move)
            await self._send({"id": number, "is": "best", "move": move, "words": said})
        except BlockwitError as error:
            await self._send({"id": number, "is": "error", "why": str(error)})
