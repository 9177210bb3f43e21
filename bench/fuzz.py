"""Try to break the engine: random sessions in this process, mutated lines through a real one, files for all readers.

    python -m bench.fuzz sessions [--count 10000] [--seed 1]
    python -m bench.fuzz lines [--count 1000000] [--seed 1]
    python -m bench.fuzz files [--count 100000] [--seed 1]        see fuzz_files.py
    python -m bench.fuzz boundary [--count 100000] [--seed 1]     see fuzz_boundary.py

Every `go` has to be answered by exactly one `bestmove` that is legal, every `isready` by `readyok`, no line by more
than one error, none by an internal one; nothing may hang, and a process has to end well and say nothing on standard
error. Session number N of `sessions` and engine number N of `lines` depend on the seed and N alone: a failure prints
the command that repeats it.
"""

from __future__ import annotations

import argparse
import queue
import random
import resource
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from blockwit import games
from blockwit.games.base import OptionSpec
from blockwit.protocol.session import ENGINE_OPTIONS, Session
from blockwit.protocol.stdio import MAX_LINE

from bench.report import write_rows

PATIENCE = 60.0
"""Seconds that an answer may take; only a hanging engine comes near it."""

ERROR = "info string error: "
ECHO = "info string debug "
INTERNAL = ERROR + "internal: "

ROOM = 8 << 30
"""Bytes of address space that an engine under test may have: a huge Hash must fail instead of filling the machine."""


class BrokenError(AssertionError):
    """The engine broke a promise; the text says which."""


class Talk:
    """A session in this process: sends lines and checks everything that comes back."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.base = "startpos"
        self.moves: list[str] = []
        self.game = games.NAMES[0]
        self._direct: list[str] = []
        self._best: list[str] = []
        self._gone = 0
        self._broken = ""
        self._main = threading.get_ident()
        self._news = threading.Condition()
        self._session = Session(self._take)

    def _take(self, line: str) -> None:
        with self._news:
            own = threading.get_ident() == self._main
            if not line.isprintable():
                self._broken = f"unprintable output {line!r}"
            if line.startswith(INTERNAL):
                self._broken = line
            if line.startswith("bestmove "):
                self._best.append(line.split()[1])
            if own and not line.startswith(ECHO):
                self._direct.append(line)
            self._news.notify_all()

    def send(self, line: str) -> list[str]:
        """Send a line (not `quit`); return what was answered by the time it was handled, search reports left out."""
        self.sent.append(line)
        self._direct = []
        if not self._session.handle(line):
            raise BrokenError("the session ended")
        if self._broken:
            raise BrokenError(self._broken)
        direct, words = self._direct, line.split()
        errors = [each for each in direct if each.startswith(ERROR)]
        refused = bool(errors) and "a search is running" in errors[0]
        rest = ["bestmove (none)"] if words[:1] == ["go"] and not refused else []
        if len(errors) > 1 or (errors and direct[1:] != rest):
            raise BrokenError(f"more or less than one error line and its end: {direct[:3]}")
        if words[:1] == ["go"] and not refused:
            self._gone += 1
        if words[:1] == ["isready"] and direct != ["readyok"]:
            raise BrokenError(f"isready was answered by {direct[:3]}")
        if len(self._best) > self._gone:
            raise BrokenError("more bestmoves than searches")
        return direct

    def wait(self) -> str:
        """Wait for the answer to every `go`; return the last one."""

        def answered() -> bool:
            return bool(self._broken) or len(self._best) >= self._gone

        with self._news:
            if not self._news.wait_for(answered, PATIENCE):
                raise BrokenError("an unanswered go")
        if self._broken:
            raise BrokenError(self._broken)
        return self._best[-1] if self._best else ""

    def stop(self) -> str:
        """Stop what is running and wait for the answer."""
        self.send("stop")
        return self.wait()

    def end(self) -> None:
        """End as a client would, and check that the engine was still there."""
        self.stop()
        self.send("isready")
        self._session.close()
        if len(self._best) != self._gone:
            raise BrokenError(f"{self._gone} searches, {len(self._best)} bestmoves")

    # --- what a front end does ---

    def variant(self, name: str) -> None:
        """Change the game."""
        self.send(f"setoption name UCI_Variant value {name}")
        self.game, self.base, self.moves = name, "startpos", []
        self.send("position startpos")

    def place(self, base: str) -> bool:
        """Set up a position; returns whether the rules in force admit it."""
        if self.send(f"position {base}"):
            return False
        self.base, self.moves = base, []
        return True

    def play(self, token: str) -> None:
        """Add a move that is legal."""
        self.moves.append(token)
        answer = self.send(f"position {self.base} moves {' '.join(self.moves)}")
        if answer:
            raise BrokenError(f"{token} is not legal: {answer[0]}")

    def ask(self, what: str) -> str:
        """Return the answer to a question."""
        (line,) = self.send(f"query {what}")
        return line.removeprefix("response").strip()

    def advance(self, choose: Callable[[int], int]) -> bool:
        """Play one random move, or roll; returns whether the game goes on. `choose` returns a number below its own."""
        turn = self.ask("turn")
        if turn == "none":
            return False
        if turn == "chance" and choose(2):
            (line,) = self.send("roll")
            self.moves.append(line.split()[-1])
            return True
        count = int(self.ask("legal 0 0"))
        self.play(self.ask(f"legal {choose(count)} 1").split()[1])
        return True

    def reset(self) -> None:
        """Begin again at the start, under whatever options hold."""
        if not self.place("startpos"):
            raise BrokenError("startpos was refused")


# --- random sessions ----------------------------------------------------------------------------------------------

PROBLEMS = ("U-9-2-20", "U-3-1-4", "U-4-1-5", "F-6-1-5", "F-3-1-4", "F-9-2-20")
DICE = ("bga", "bev", "1*3457/12*456/234*67/123567", "111111/222222/333333/444444")


def positions(game: str) -> list[str]:
    """Return position strings of a game."""
    more = {"nmbr9": ["- 0123", "- *0123456/5", "0a@0,0,0 11223"]}
    return [fen for fen, _ in games.get(game).bench] + more.get(game, [])


def value_of(spec: OptionSpec, rng: random.Random) -> str:
    """Return a value for an option, most often a right one; a Hash stays small."""
    if rng.random() < 0.1:
        return rng.choice(("", "-1", "x", "true", "99999999999999999999", "0", "٣"))
    if spec.kind == "check":
        return rng.choice(("true", "false"))
    if spec.kind == "combo":
        return rng.choice(spec.choices)
    if spec.kind == "spin":
        return str(rng.randint(spec.low, min(spec.high, spec.low + (7 if spec.name == "Hash" else 300))))
    texts = {"Problem": PROBLEMS, "dice": DICE, "tiles": ("pool10", "bga", "I:2,L:2")}
    return rng.choice(texts.get(spec.name, ("x",)))


def limits(rng: random.Random) -> str:
    """Return limits that end a search soon."""
    return rng.choice(
        (
            f"nodes {rng.randint(1, 200)}",
            f"nodes {rng.randint(1, 20)} depth {rng.randint(1, 3)}",
            "depth 1",
            f"movetime {rng.randint(-5, 10)}",
            f"wtime {rng.randint(-5, 200)} btime {rng.randint(-5, 200)} winc {rng.randint(0, 5)} movetime 5",
            f"time 1 {rng.randint(0, 100)} nodes 10",
            f"mate {rng.randint(1, 3)} nodes 50",
            "movetime 5 infinite nodes 5",
            f"p1time {rng.randint(-5, 100)} p2time {rng.randint(-5, 100)} p1inc 1 p2inc 1",
            f"wtime {rng.randint(-5, 100)} btime {rng.randint(-5, 100)} movestogo {rng.randint(-1, 9)} foo",
        )
    )


def during(talk: Talk, rng: random.Random) -> None:
    """Send a few lines while a search is under way, then stop it."""
    for _ in range(rng.randint(0, 5)):
        talk.send(
            rng.choice(
                (
                    "isready",
                    "query legal 0 3",
                    "query state",
                    "d",
                    "eval",
                    "go nodes 3",
                    "position startpos",
                    "setoption name Hash value 2",
                    "ucinewgame",
                    "ponderhit",
                    "uci",
                    "roll",
                    "bench",
                    mutated(rng.choice(corpus(talk.game)).encode(), rng).decode(errors="replace"),
                )
            ).replace("quit", "quiet")
        )
        if rng.random() < 0.2:
            time.sleep(rng.random() / 200)
    talk.stop()
    # The search may have been over before: then some of these lines have changed the state.
    talk.variant(talk.game)


def step(talk: Talk, rng: random.Random) -> None:
    """Do one of the things that front ends, people and broken clients do."""
    roll = rng.random()
    if roll < 0.05:
        talk.variant(rng.choice(games.NAMES))
    elif roll < 0.15:
        # A log would be written wherever chance says.
        own = [spec for spec in ENGINE_OPTIONS[1:] if spec.name != "Debug Log File"]
        spec = rng.choice((*own, *games.get(talk.game).options))
        talk.send(f"setoption name {spec.name} value {value_of(spec, rng)}")
        # A rule option may have changed what startpos is, and what moves are legal.
        talk.reset()
    elif roll < 0.20:
        talk.place(f"fen {rng.choice(positions(talk.game))}")
    elif roll < 0.30:
        for _ in range(rng.choice((1, 3, 10, 40))):
            if not talk.advance(rng.randrange):
                talk.reset()
                break
    elif roll < 0.55:
        searchmoves = ""
        if rng.random() < 0.15 and talk.ask("turn") not in ("none", "chance"):
            listed = talk.ask(f"legal {rng.randrange(int(talk.ask('legal 0 0')))} {rng.choice((1, 3, 100))}")
            searchmoves = " searchmoves " + " ".join(listed.split()[1:])
        errors = talk.send(f"go {limits(rng)}{searchmoves}")
        if not any(line.startswith(ERROR) for line in errors):
            move = talk.wait()
            if move != "(none)":
                talk.play(move)
            elif talk.ask("turn") not in ("none", "chance"):
                raise BrokenError("no bestmove where a move is possible")
    elif roll < 0.70:
        talk.send(rng.choice(("go", "go infinite", "go ponder", "go ponder movetime 5", "go mate 2", "go depth 40")))
        during(talk, rng)
    elif roll < 0.73:
        talk.send(f"go perft {rng.randint(0, 3)}")
        during(talk, rng)
    elif roll < 0.74:
        talk.send("bench")
        during(talk, rng)
    elif roll < 0.85:
        asked = ("players", "turn", "gameover", "result", "legal", "legal 1 2", "score", "state", "x")
        talk.send(
            rng.choice(("isready", "uci", "d", "eval", "help", "stop", "ponderhit", *(f"query {q}" for q in asked)))
        )
    elif roll < 0.87:
        talk.send("ucinewgame")
        talk.reset()
    else:
        line = mutated(rng.choice(corpus(talk.game)).encode(), rng).decode(errors="replace")
        if line.split()[:1] != ["quit"]:
            talk.send(line)
            # It may have been a right line after all: then the state is not known any more.
            talk.stop()
            talk.variant(talk.game)


def session(seed: str, steps: int) -> Talk:
    """Run one random session; raises BrokenError."""
    rng = random.Random(seed)
    talk = Talk()
    try:
        talk.variant(rng.choice(games.NAMES))
        for _ in range(steps):
            step(talk, rng)
        talk.end()
    except Exception as error:
        last = "\n  ".join(line[:300] for line in talk.sent[-12:])
        raise BrokenError(f"{type(error).__name__}: {error}; the last lines sent:\n  {last}") from error
    return talk


# --- mutated lines ------------------------------------------------------------------------------------------------

_COMMON = (
    "uci",
    "isready",
    "stop",
    "ponderhit",
    "ucinewgame",
    "position startpos",
    "go nodes 20",
    "go depth 1",
    "go movetime 3",
    "go wtime 30 btime 30 winc 1 binc 1",
    "go time 1 20",
    "go infinite",
    "go ponder movetime 5",
    "go mate 2 nodes 30",
    "go perft 1",
    "go",
    "roll",
    "query players",
    "query turn",
    "query gameover",
    "query result",
    "query legal",
    "query legal 3 5",
    "query score",
    "query state",
    "d",
    "eval",
    "bench",
    "help",
    "debug on",
    "debug off",
    "ugi",
    "uginewgame",
    "query p1turn",
    "query p2turn",
    "go p1time 20 p2time 20 p1inc 1 p2inc 1",
    "go wtime 20 btime 20 movestogo 3",
    "go depth 1 foo",
    "setoption name Hash value 4",
    "setoption name Threads value 1",
    "setoption name MultiPV value 3",
    "setoption name Seed value 7",
    "setoption name UCI_ShowWDL value true",
    "setoption name Skill value 5",
    "setoption name Algorithm value mcts",
    "setoption name Algorithm value auto",
)


def corpus(game: str) -> list[str]:
    """Return right lines of a game."""
    lines = [*_COMMON, *(f"position fen {fen}" for fen in positions(game))]
    lines += [f"setoption name {spec.name} value {spec.default}" for spec in games.get(game).options]
    moves = {
        "deblockle": (
            "position startpos moves roll:XLCH c5XLT",
            "position fen c1SLX,e1LTX c5XLT,e5CLS s moves c1c2",
            "go nodes 20 searchmoves c1c2 e1e2",
        ),
        "numberdrop": (
            "position startpos moves tiles:ITSOL",
            "setoption name players value 3",
            "setoption name solo value true",
        ),
        "nmbr9": (
            "position startpos moves draw:7 7a@0,0,0 draw:3",
            "position fen - *0123456/5",
            "position fen 0a@0,0,0 11223",
            "go nodes 50 searchmoves 7a@0,0,0",
            "setoption name Problem value F-3-1-4",
        ),
    }
    return lines + list(moves[game])


_ODD = (
    *(b"0 -1 99999999999999999999 1e9 NaN ' %s / moves fen value name searchmoves".split()),
    *("٣ \u202e é \U0001f3b2".encode().split()),
    b"\x00",
    b"\xff",
    b"\xc3",
)


def mutated(line: bytes, rng: random.Random) -> bytes:
    """Return a line with a few random changes (sometimes none), never with an end of line in it."""
    data = bytearray(line)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 8))):
        kind = rng.randrange(8)
        at = rng.randint(0, len(data))
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.randbytes(rng.choice((1, 1, 2, 10)))
        elif kind == 2:
            del data[at : at + rng.choice((1, 1, 3, 20))]
        elif kind == 3:
            end = rng.randint(at, len(data))
            data[at:at] = data[at:end] * rng.choice((1, 1, 2, 5))
        elif kind == 4:
            words = bytes(data).split(b" ")
            words[rng.randrange(len(words))] = rng.choice(_ODD)
            data = bytearray(b" ".join(words))
        elif kind == 5:
            words = bytes(data).split(b" ")
            rng.shuffle(words)
            data = bytearray(b" ".join(words))
        elif kind == 6:
            data[at:at] = rng.choice(_ODD)
        elif kind == 7 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
    return bytes(data).replace(b"\n", b" ")


def any_line(game: str, rng: random.Random) -> bytes:
    """Return one line of input for a process: most often a mutated right one, rarely noise or a very long one."""
    roll = rng.random()
    if roll < 0.0005:
        word = rng.choice((b"x", b"\xff", b"position startpos moves ", b"go searchmoves ", b"query legal ", b" "))
        return (word * (rng.randrange(1, 2 * MAX_LINE) // len(word) + 1)).replace(b"\n", b" ")
    if roll < 0.03:
        return rng.randbytes(rng.randrange(80)).replace(b"\n", b" ")
    if roll < 0.12:
        return b"stop"
    if roll < 0.125:
        return f"setoption name UCI_Variant value {rng.choice(games.NAMES)}".encode()
    return mutated(rng.choice(corpus(game)).encode(), rng)


def first_word(line: bytes) -> str:
    """Return the first word as the engine reads it: none of a line that is too long or not UTF-8."""
    if len(line) >= MAX_LINE:
        return ""
    try:
        return (line.decode().split(maxsplit=1) or [""])[0]
    except UnicodeDecodeError:
        return ""


class Process:
    """An engine process; counts what it prints."""

    def __init__(self) -> None:
        # In bounds, so that a mutated Hash cannot fill the machine.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "blockwit"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM)),
        )
        self.printed: Counter[str] = Counter()
        self._synced: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for raw in self.process.stdout:
            line = raw.decode()
            if line.startswith(ECHO):
                continue
            if line.startswith(("bestmove ", ERROR + "go: a search is running")):
                self.printed["go"] += 1
            elif line.startswith("readyok"):
                self.printed["isready"] += 1
            elif line.startswith(INTERNAL):
                self._synced.put(line)
            elif "'synchronize-" in line:
                self._synced.put("")
        self._synced.put("the process ended")

    def send(self, data: bytes, mark: int) -> None:
        """Send lines and wait until all of them are dealt with; raises BrokenError."""
        assert self.process.stdin is not None
        # The option waits for the bestmove of the search that was stopped.
        end = f"stop\nsetoption name Ponder value false\nsynchronize-{mark}\n"
        try:
            self.process.stdin.write(data + end.encode())
            self.process.stdin.flush()
            problem = self._synced.get(timeout=PATIENCE)
        except BrokenPipeError:
            problem = "the process ended"
        except queue.Empty:
            problem = "the process hangs"
        if problem:
            raise BrokenError(problem.strip())

    def end(self) -> None:
        """Let the process end by `quit` and check how it did."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.write(b"go infinite\nquit\n")
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        said = self.process.stderr.read()
        if code or said:
            raise BrokenError(f"exit code {code}, standard error {said[-500:]!r}")

    def close(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        self._reader.join()


FILES = 1000
"""Files that one process is given."""

LINES = 5000
"""Lines that one engine process is sent."""
BATCH = 100


def engine_lines(seed: str, count: int) -> None:
    """Send mutated lines to a new engine process; raises BrokenError."""
    rng = random.Random(seed)
    game = rng.choice(games.NAMES)
    expected: Counter[str] = Counter()
    process = Process()
    batch: list[bytes] = []
    try:
        process.send(f"setoption name UCI_Variant value {game}\n".encode(), 0)
        for mark in range(1, count // BATCH + 1):
            batch = [any_line(game, rng) for _ in range(BATCH)]
            batch = [line for line in batch if first_word(line) != "quit"]
            expected.update(map(first_word, batch))
            process.send(b"\n".join(batch) + b"\n", mark)
            for verb in ("go", "isready"):
                if process.printed[verb] != expected[verb]:
                    raise BrokenError(f"{expected[verb]} times {verb}, {process.printed[verb]} answers")
        process.end()
    except BrokenError as failure:
        last = "\n  ".join(repr(line[:200]) for line in batch)
        raise BrokenError(f"{failure}; the last batch:\n  {last}") from None
    finally:
        process.close()


# --- the script ---------------------------------------------------------------------------------------------------


def files(seed: int, first: int, count: int, path: Path | None) -> None:
    """Give files to all that reads them, a thousand a process."""
    # Here, because it loads all of the package.
    from bench import fuzz_files

    began = time.monotonic()
    seen: Counter[str] = Counter()
    for number in range(first, first + count, FILES):
        try:
            seen += fuzz_files.run(seed, number, min(FILES, first + count - number))
        except fuzz_files.BrokenFileError as failure:
            raise SystemExit(f"FAILED: {failure}") from None
        print(f"{seen.total()} of {count} files, {time.monotonic() - began:.0f} s", flush=True)
    write_rows(path, [{"what": "files", "kind": kind, "count": number, "broken": 0} for kind, number in seen.items()])
    print(f"{count} files ({', '.join(f'{kind} {number}' for kind, number in sorted(seen.items()))}): nothing broke")


def main() -> None:
    """Run as many cases as asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sessions", "lines", "files", "boundary"))
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first session or engine")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--steps", type=int, default=20, help="steps of a session")
    arguments = parser.parse_args()
    if arguments.what == "files":
        files(arguments.seed, arguments.first, arguments.count or 100_000, arguments.json)
        return
    if arguments.what == "boundary":
        from bench.fuzz_boundary import BadEndError, boundary

        count = arguments.count or 100_000
        try:
            boundary(arguments.seed, arguments.first, count)
        except BadEndError as failure:
            raise SystemExit(str(failure)) from None
        write_rows(arguments.json, [{"what": "boundary", "count": count, "broken": 0}])
        return
    size = 1 if arguments.what == "sessions" else LINES
    count = arguments.count or (10_000 if arguments.what == "sessions" else 1_000_000)
    began = told = time.monotonic()
    sent = 0
    for number in range(arguments.first, arguments.first + -(-count // size)):
        seed = f"{arguments.seed} {number}"
        try:
            if arguments.what == "sessions":
                sent += len(session(seed, arguments.steps).sent)
            else:
                engine_lines(seed, LINES)
                sent += LINES
        except BrokenError as failure:
            again = f"python -m bench.fuzz {arguments.what} --seed {arguments.seed} --first {number} --count 1"
            raise SystemExit(f"FAILED: {again}\n{failure}") from None
        now = time.monotonic()
        if now - told > 10:
            told = now
            done = number + 1 - arguments.first
            print(f"{done * size} of {count} {arguments.what}, {sent} lines, {now - began:.0f} s", flush=True)
    # Anything broken would have ended the script.
    row = {"what": arguments.what, "count": count, "lines": sent, "broken": 0}
    write_rows(arguments.json, [row])
    print(f"{count} {arguments.what}, {sent} lines, {time.monotonic() - began:.0f} s: nothing broke")


if __name__ == "__main__":
    main()
