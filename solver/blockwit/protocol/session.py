"""One session of the protocol: one game at a time, one search at a time.

`Session.handle` takes a line and answers through `write`; it never blocks on a search, which runs in a thread
of its own. docs/protocol.md describes every verb.
"""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from blockwit import games, search
from blockwit.errors import BlockwitError, CommandError, MoveError, PositionError, quote
from blockwit.games.base import Game, Kind, OptionSpec, OptionValue, Position, won_by
from blockwit.protocol import parser, writer
from blockwit.protocol.log import Log, stamped
from blockwit.revision import version
from blockwit.search.strength import ELO, level_of
from blockwit.search.types import Info, Limits, Result, Searcher, Settings

PAGE = 1000
"""Legal moves that `query legal` lists at once."""

PROGRESS = 1.0
"""Seconds between two reports of a long count."""

LONGEST_ECHO = 1000
"""Characters of a line read that `debug on` shows; the log keeps all of it."""

ENGINE_OPTIONS = (
    OptionSpec("UCI_Variant", "combo", games.NAMES[0], games.names()),
    OptionSpec("Algorithm", "combo", "auto", search.ALGORITHMS),
    OptionSpec("Hash", "spin", 16, low=1, high=65536),
    OptionSpec("TablePath", "string", ""),
    OptionSpec("Threads", "spin", 1, low=1, high=64),
    OptionSpec("MultiPV", "spin", 1, low=1, high=256),
    OptionSpec("Seed", "spin", 0, low=0, high=2**63 - 1),
    OptionSpec("Ponder", "check", False),
    OptionSpec("UCI_ShowWDL", "check", False),
    OptionSpec("UCI_LimitStrength", "check", False),
    OptionSpec("UCI_Elo", "spin", ELO[-1], low=ELO[0], high=ELO[-1]),
    OptionSpec("Skill", "spin", 20, low=1, high=20),
    OptionSpec("Move Overhead", "spin", 10, low=0, high=5000),
    OptionSpec("Debug Log File", "string", ""),
)
_ENGINE = {spec.name: spec for spec in ENGINE_OPTIONS}
_SEARCHER_OPTIONS = (
    "Algorithm",
    "Hash",
    "TablePath",
    "Threads",
    "MultiPV",
    "Seed",
    "UCI_ShowWDL",
    "UCI_LimitStrength",
    "UCI_Elo",
    "Skill",
    "Move Overhead",
)

HELP = (
    "uci, isready, setoption name NAME [value V], ucinewgame, quit",
    "position startpos|fen POSITION [moves M ...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [time P MS] [movestogo N] "
    "[infinite] [ponder] [mate N] [searchmoves M ...], go perft N, stop, ponderhit",
    "roll (the engine rolls from Seed)",
    "query players|turn|gameover|result|legal [FROM COUNT]|score|state",
    "d (draw), eval, bench, debug on|off, help",
    "for match managers that speak UGI: ugi, uginewgame, query p1turn, go p1time MS p2time MS p1inc MS p2inc MS",
)


class _Running:
    """A search under way in its own thread."""

    def __init__(self, stop: Callable[[], None], ponderhit: Callable[[], None]) -> None:
        self.stop = stop
        self.ponderhit = ponderhit
        self.stopping = False
        self.thread: threading.Thread | None = None


class Session:
    """The state of one engine process: options, position, searcher.

    Args:
        write: called with each line of output, without its end; called from two threads, one at a time.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._sink = write
        self._output = threading.Lock()
        self._values: dict[str, OptionValue] = {spec.name: spec.default for spec in ENGINE_OPTIONS}
        self._game: Game = games.get(games.NAMES[0])
        self._rules: dict[str, OptionValue] = self._game.read_options({})
        self._position: Position = self._game.start(self._rules)
        self._untouched = True
        self._searcher: Searcher | None = None
        self._running: _Running | None = None
        self._dice = random.Random(0)
        self._ugi = False
        self._debug = False
        self._log: Log | None = None
        self._verbs: dict[str, Callable[[list[str]], None]] = {
            "uci": self._greet,
            "ugi": self._greet_ugi,
            "isready": lambda _: self._ready(),
            "setoption": self._setoption,
            "ucinewgame": self._newgame,
            "uginewgame": self._newgame,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "ponderhit": self._ponderhit,
            "roll": self._roll,
            "query": self._query,
            "d": lambda _: self._write(*self._position.text().splitlines()),
            "eval": self._eval,
            "bench": self._bench,
            "debug": self._set_debug,
            "help": lambda _: self._write(*(f"info string {line}" for line in HELP)),
        }

    # --- lines in, lines out -------------------------------------------------------------------------------

    def handle(self, line: str) -> bool:
        """Carry out one line; return False when it asks to quit. Never raises for bad input."""
        words = line.split()
        if not words:
            return True
        self._note_read(line.strip())
        if words[0] == "quit":
            self.close()
            return False
        try:
            verb = self._verbs.get(words[0])
            if verb is None:
                raise CommandError(f"unknown command {quote(words[0])}, try help")
            verb(words[1:])
        except BlockwitError as error:
            self._write(writer.error_line(error))
        except Exception as error:  # a bug: the client is told, and the session goes on
            self._write(writer.bug_line(error))
        return True

    def error(self, text: str) -> None:
        """Report input that is not even a line."""
        self._note_read("(not a line)")
        self._write(writer.error_line(CommandError(text)))

    def close(self) -> None:
        """End the search under way, as `quit` does."""
        self._stop()
        self._join()
        # A search that has just ended by itself may still be writing its last lines.
        with self._output:
            if self._log is not None:
                self._log.close()
                self._log = None

    def _write(self, *lines: str) -> None:
        with self._output:
            self._put(*lines)

    def _put(self, *lines: str) -> None:
        """Write lines; the caller holds the lock of the output."""
        for line in lines:
            self._keep("<", line)
            self._sink(line)

    def _note_read(self, line: str) -> None:
        with self._output:
            self._keep(">", line)
            if self._debug:
                self._put(f"info string debug {stamped('>', quote(line, LONGEST_ECHO))}")

    def _keep(self, mark: str, line: str) -> None:
        """Write a line to the log. One that fails is closed, and no command fails with it: a note says so."""
        log = self._log
        if log is None:
            return
        try:
            log.add(mark, line)
        except OSError as error:
            self._log = None
            with contextlib.suppress(OSError):
                log.close()
            self._put(f"info string note: Debug Log File {quote(log.path)}: {error.strerror}, closed")

    # --- options -------------------------------------------------------------------------------------------

    def _greet(self, _: Sequence[str]) -> None:
        self._ugi = False
        self._introduce("uciok")

    def _greet_ugi(self, _: Sequence[str]) -> None:
        self._ugi = True
        self._introduce("ugiok")

    def _introduce(self, end: str) -> None:
        self._write(
            f"id name blockwit {version()}",
            "id author the blockwit authors",
            *(f"option {spec.uci()}" for spec in (*ENGINE_OPTIONS, *self._game.options)),
            end,
        )

    def _set_debug(self, words: Sequence[str]) -> None:
        if list(words) not in (["on"], ["off"]):
            raise CommandError(f"debug: expected on or off, got {quote(' '.join(words))}")
        self._debug = words[0] == "on"

    def _set_log(self, path: str) -> None:
        log = Log(path) if path else None
        with self._output:
            if self._log is not None:
                self._log.close()
            self._log = log

    def _setoption(self, words: Sequence[str]) -> None:
        name, text = parser.read_setoption(words)
        specs = {spec.name.lower(): spec for spec in (*ENGINE_OPTIONS, *self._game.options)}
        spec = specs.get(name.lower())
        if spec is None:
            known = ", ".join(s.name for s in specs.values())
            raise CommandError(f"setoption: unknown option {quote(name)}, expected one of {known}")
        if text is None:
            raise CommandError(f"setoption: {spec.name} needs a value")
        value = spec.read(text)
        self._settle("setoption")
        if spec.name not in _ENGINE:
            rules = self._game.read_options({**self._rules, spec.name: value})
            # Some values show only here that they mean nothing: a refused one changes nothing.
            start = self._game.start(rules)
            self._rules = rules
            if self._untouched:
                self._position = start
            return
        if spec.name == "Algorithm":
            search.make(self._game, str(value), Settings(hash_mb=1))
        if spec.name == "TablePath" and value:
            names, wrong = self._game.tables(str(value))
            self._write(
                f"info string {len(names)} endgame tables in {quote(str(value))}: {' '.join(names)}",
                *(f"info string left out: {why}" for why in wrong),
            )
        if spec.name == "Debug Log File":
            self._set_log(str(value))
        searcher = self._resized(int(value)) if spec.name == "Hash" else None
        self._values[spec.name] = value
        if spec.name == "UCI_Variant":
            self._change_game(str(value))
        elif spec.name == "Seed":
            self._dice = random.Random(int(value))
        if spec.name in _SEARCHER_OPTIONS:
            self._searcher = searcher

    def _resized(self, hash_mb: int) -> Searcher:
        """Return a searcher with tables of this size: if there is no room for them, the present one stays."""
        settings = replace(self._settings(), hash_mb=hash_mb)
        try:
            return search.make(self._game, str(self._values["Algorithm"]), settings)
        except MemoryError as error:
            raise CommandError(f"setoption: {error}, it stays at {self._values['Hash']}") from None

    def _change_game(self, name: str) -> None:
        if name == self._game.name:
            return
        self._game = games.get(name)
        self._rules = self._game.read_options({})
        self._position = self._game.start(self._rules)
        self._untouched = True
        self._searcher = None
        self._values["Algorithm"] = "auto"

    def _settings(self) -> Settings:
        values = self._values
        return Settings(
            hash_mb=int(values["Hash"]),
            threads=int(values["Threads"]),
            multipv=int(values["MultiPV"]),
            seed=int(values["Seed"]),
            show_wdl=bool(values["UCI_ShowWDL"]),
            table_path=str(values["TablePath"]),
            skill=min(int(values["Skill"]), level_of(int(values["UCI_Elo"])) if values["UCI_LimitStrength"] else 20),
            move_overhead=int(values["Move Overhead"]),
        )

    def _made_searcher(self) -> Searcher:
        if self._searcher is None:
            try:
                self._searcher = search.make(self._game, str(self._values["Algorithm"]), self._settings())
            except MemoryError as error:
                raise CommandError(f"go: {error}") from None
        return self._searcher

    def _ready(self) -> None:
        """Answer when what a search needs is loaded; while one is running, at once."""
        if self._running is None:
            # What cannot be had or used is told by the search that needs it.
            with contextlib.suppress(BlockwitError):
                self._made_searcher().prepare(self._position)
        self._write("readyok")

    # --- positions -----------------------------------------------------------------------------------------

    def _newgame(self, _: Sequence[str]) -> None:
        self._settle("ucinewgame")
        if self._searcher is not None:
            self._searcher.clear()
        self._position = self._game.start(self._rules)
        self._untouched = True
        self._dice = random.Random(int(self._values["Seed"]))

    def _set_position(self, words: Sequence[str]) -> None:
        command = parser.read_position(words)
        self._settle("position")
        try:
            position = (
                self._game.start(self._rules) if command.fen is None else self._game.parse(command.fen, self._rules)
            )
        except PositionError as error:
            raise PositionError(f"position: {error}") from None
        for index, token in enumerate(command.moves, 1):
            try:
                position = position.play(token)
            except MoveError as error:
                raise MoveError(f"position: move {index}: {error}") from None
        self._position = position
        self._untouched = command.fen is None and not command.moves

    def _roll(self, _: Sequence[str]) -> None:
        self._settle("roll")
        try:
            token = self._position.roll(self._dice.getrandbits(64))
        except MoveError as error:
            raise MoveError(f"roll: {error}") from None
        self._position = self._position.play(token)
        self._untouched = False
        self._write(f"info string rolled {token}")

    # --- searching -----------------------------------------------------------------------------------------

    def _settle(self, verb: str) -> None:
        """Wait for a search that was told to stop; refuse `verb` while one goes on."""
        running = self._running
        if running is not None and not running.stopping:
            raise CommandError(f"{verb}: a search is running, send stop first")
        self._join()

    def _join(self) -> None:
        running = self._running
        if running is not None and running.thread is not None:
            running.thread.join()

    def _stop(self) -> None:
        running = self._running
        if running is not None:
            running.stopping = True
            running.stop()

    def _ponderhit(self, _: Sequence[str]) -> None:
        if self._running is not None:
            self._running.ponderhit()

    def _start(self, running: _Running, work: Callable[[], list[str]]) -> None:
        def run() -> None:
            try:
                lines = work()
            except Exception as error:  # the client waits for an answer: it gets one whatever happened
                lines = self._given_up(error)
            with self._output:
                # Finished before the last line is out: the next command may come at once.
                self._running = None
                self._put(*lines)

        running.thread = threading.Thread(target=run, name="search", daemon=True)
        self._running = running
        try:
            running.thread.start()
        except RuntimeError as error:
            self._running = None
            raise CommandError(f"no thread for the search: {error}") from None

    @staticmethod
    def _given_up(error: Exception) -> list[str]:
        """Return what answers a `go` that cannot be carried out."""
        line = writer.error_line(error) if isinstance(error, BlockwitError) else writer.bug_line(error)
        return [line, "bestmove (none)"]

    def _go(self, words: Sequence[str]) -> None:
        self._settle("go")
        try:
            self._begin(words)
        except Exception as error:  # here too the client waits
            self._write(*self._given_up(error))

    def _begin(self, words: Sequence[str]) -> None:
        position = self._position
        command = parser.read_go(words, len(position.returns()))
        if command.unknown:
            self._write(writer.note_line(command.unknown))
        if command.perft is not None:
            self._perft(position, command.perft)
            return
        kind = position.kind()
        if kind is Kind.CHANCE and self._ugi:
            # A match manager knows no dice: whoever is asked for a move there rolls.
            self._write(f"bestmove {position.roll(self._dice.getrandbits(64))}")
            return
        if kind is not Kind.DECISION:
            why = f"the game is over: {position.result()}" if kind is Kind.TERMINAL else "a roll comes next"
            self._write(f"info string {why}", "bestmove (none)")
            return
        player = position.player()
        limits = replace(
            command.limits,
            clock=command.clocks.get(player),
            increment=max(command.increments.get(player, 0), 0),
            infinite=self._has_no_limit(command, player),
        )
        try:
            for token in limits.searchmoves:
                position.actions(token)
        except MoveError as error:
            raise MoveError(f"go searchmoves: {error}") from None
        searcher = self._made_searcher()
        searcher.arm()
        ugi = self._ugi

        def work() -> list[str]:
            result = searcher.search(position, limits, lambda info: self._write(writer.info_line(info)))
            return [writer.bestmove_line(replace(result, ponder=None) if ugi else result)]

        ponderhit = searcher.ponderhit if limits.ponder else lambda: None
        self._start(_Running(searcher.stop, ponderhit), work)

    @staticmethod
    def _has_no_limit(command: parser.GoCommand, player: int) -> bool:
        limits = command.limits
        counted = (limits.depth, limits.nodes, limits.movetime, limits.mate, command.clocks.get(player))
        return all(value is None for value in counted) and not limits.ponder

    def _perft(self, position: Position, depth: int) -> None:
        stop = bytearray(1)

        def work() -> list[str]:
            started = time.monotonic()
            total = 0

            def told(note: str = "") -> str:
                elapsed = round(1000 * (time.monotonic() - started))
                return writer.info_line(Info(depth=depth, nodes=total, time=elapsed, note=note))

            def tick() -> None:
                while not done.wait(PROGRESS):
                    self._write(told())

            done = threading.Event()
            ticking = threading.Thread(target=tick, name="progress", daemon=True)
            ticking.start()
            try:
                for token, count in position.divide(depth, stop) if depth else ():
                    if stop[0]:
                        break
                    total += count
                    self._write(f"{token}: {count}")
            finally:
                done.set()
                ticking.join()
            total = total if depth else 1
            last = told("stopped: the count is not complete" if stop[0] else "")
            return [last, f"Nodes searched: {total}", "bestmove (none)"]

        def end() -> None:
            stop[0] = 1

        self._start(_Running(end, lambda: None), work)

    def _bench(self, _: Sequence[str]) -> None:
        self._settle("bench")
        game = self._game
        searcher = search.make(game, "auto", Settings())
        searcher.arm()
        stopped = threading.Event()

        def end() -> None:
            stopped.set()
            searcher.stop()

        def work() -> list[str]:
            total = 0
            started = time.monotonic()
            for fen, depth in game.bench:
                if stopped.is_set():
                    return ["info string bench stopped"]
                searcher.clear()
                last = Info()

                def note(info: Info) -> None:
                    nonlocal last
                    last = info

                result: Result = searcher.search(game.parse(fen, {}), Limits(depth=depth), note)
                total += last.nodes
                self._write(f"info string bench {fen} depth {depth} bestmove {result.move} nodes {last.nodes}")
            seconds = time.monotonic() - started
            return [f"Nodes searched: {total}", f"Nodes/second: {round(total / max(seconds, 1e-9))}"]

        self._start(_Running(end, lambda: None), work)

    # --- questions -----------------------------------------------------------------------------------------

    def _eval(self, _: Sequence[str]) -> None:
        values = " ".join(
            f"{name} {value:+.2f}" for name, value in zip(self._game.players, self._position.evaluate(), strict=False)
        )
        self._write(f"info string eval {values} ({self._game.unit})")

    def _query(self, words: Sequence[str]) -> None:
        position = self._position
        what = words[0] if words else ""
        if what == "legal":
            self._write(self._legal(words[1:]))
            return
        returns = position.returns()
        answers: dict[str, Callable[[], str]] = {
            "players": lambda: str(len(returns)),
            "turn": lambda: self._turn(position),
            **{f"p{number}turn": self._asks_turn(position, number - 1) for number in range(1, len(returns) + 1)},
            "gameover": lambda: str(position.kind() is Kind.TERMINAL).lower(),
            "result": lambda: self._result(position),
            "score": lambda: " ".join(f"{value:g}" for value in returns),
            "state": lambda: json.dumps(position.state(), separators=(",", ":")),
        }
        if what not in answers:
            raise CommandError(f"query: unknown question {quote(what)}, expected {', '.join(answers)} or legal")
        if len(words) > 1:
            raise CommandError(f"query {what}: takes nothing more, got {quote(words[1])}")
        self._write(f"response {answers[what]()}")

    def _turn(self, position: Position) -> str:
        if position.kind() is Kind.TERMINAL:
            return "none"
        return "chance" if position.kind() is Kind.CHANCE else self._game.turn(position.player())

    @staticmethod
    def _asks_turn(position: Position, player: int) -> Callable[[], str]:
        """Return the answer to UGI's question whose turn it is; whoever rolls has the turn."""
        return lambda: str(position.kind() is not Kind.TERMINAL and position.player() == player).lower()

    @staticmethod
    def _result(position: Position) -> str:
        return won_by(position.returns()) if position.kind() is Kind.TERMINAL else "none"

    def _legal(self, words: Sequence[str]) -> str:
        position = self._position
        if not words and position.count() <= PAGE:
            return " ".join(["response", *position.tokens()])
        if words and len(words) != 2:
            raise CommandError("query legal: expected nothing, or FROM COUNT")
        start = parser.number("query legal FROM", words[0], 0) if words else 0
        count = parser.number("query legal COUNT", words[1], 0) if words else PAGE
        return " ".join(["response", str(position.count()), *position.tokens(start, min(count, PAGE))])
