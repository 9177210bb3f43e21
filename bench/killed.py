"""Start engines, let them search, and end them at random moments: nothing may be left of them.

    python -m bench.killed [--count 100] [--seed 1]

An engine ends because its client goes away (closes the input, the output or both), asks for it (`quit`), or sends
SIGINT, SIGTERM or SIGKILL. Afterwards no process of its group is alive and its folder for temporary files is empty;
and unless it was killed, or had not yet come to speak, it has ended well and said nothing on standard error.

One thing is not the engine's to decide. From its first milliseconds until the first line of blockwit/__main__.py (at
15 ms or so) a SIGINT is Python's KeyboardInterrupt, and Python does not always end by it: of 4,000 engines interrupted
4 to 40 ms after their start 4 went on. Three had lost it in a callback of importlib ("Exception ignored in: <function
_get_module_lock.<locals>.cb>"), one in `site` ("Error processing line 1 of ....pth": functools had made it a
RuntimeError). Such an engine has to end with its input instead. Whether a SIGINT found Python's handler is read from
the kernel while the engine stands still; the moment after, and the moment before, it has to be obeyed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from bench.report import write_rows

SECONDS = 60.0
"""How long an end may take; only a hanging engine comes near it."""

_DEBLOCKLE = "position fen c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"
_SETUP = "position startpos moves roll:XLCH"
_DROP = (
    "setoption name UCI_Variant value numberdrop\nposition fen solo L4:2,I4:1,S4:0,O4:0,T4:0 - 1 slide0 2367S "
    "g/g/g/g/g/g/g/g/g/g/g/g/c4223/b63271,-,-,-"
)
_NMBR9 = "setoption name UCI_Variant value nmbr9\nposition fen"

SEARCHES = {
    "alphabeta": f"{_DEBLOCKLE}\ngo infinite",
    "expectimax, set-up": f"{_SETUP}\ngo infinite",
    "expectimax": f"{_DROP}\ngo infinite",
    "mcts": f"setoption name Algorithm value mcts\n{_DEBLOCKLE}\ngo infinite",
    "mcts, chance": f"{_DROP}\nsetoption name Algorithm value mcts\ngo infinite",
    "perft": f"{_DEBLOCKLE}\ngo perft 50",
    "ponder": f"{_DEBLOCKLE}\ngo ponder movetime 10",
    "bench": "bench",
    "opponent": f"{_NMBR9} - 7?0011223344556678899\ngo infinite",
    "optimizer": f"{_NMBR9} - *00112233445566778899/20\ngo infinite",
    "known deck": f"{_NMBR9} - 70123456789012345689\ngo infinite",
    "nothing": "isready",
}
"""What an engine is sent before it is ended."""

SILENT = ("nothing", "perft", "bench")
"""An engine that has nothing to say, or has said it all, cannot notice that nobody reads."""

WAYS = ("quit", "input", "output", "both", "SIGINT", "SIGTERM", "SIGKILL")


class LeftError(AssertionError):
    """Something is left of an engine, or it ended badly."""


def _send_interrupt(process: subprocess.Popen[bytes]) -> bool:
    """Send SIGINT; returns whether it is the engine's to obey, not one that Python takes before the engine's code."""
    if sys.platform != "linux":
        process.send_signal(signal.SIGINT)
        return False
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    interrupt, terminate = (caught >> (number - 1) & 1 for number in (signal.SIGINT, signal.SIGTERM))
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    # Python by itself listens to SIGINT alone; the engine listens to SIGTERM first.
    return not interrupt or terminate == 1


def _restore_interrupt() -> None:
    """Let SIGINT end the process to be: what a shell starts in the background has it ignored, and hands that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_engine(search: str, way: str, moment: float, folder: Path) -> bool:
    """Start an engine, send it what `SEARCHES` says, and end it `moment` seconds after it has begun to speak.

    A negative moment counts from the start of the process, spoken or not. Returns whether it had spoken.

    Raises:
        LeftError: a process or file is left, or it ended badly.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "blockwit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
        start_new_session=True,
        preexec_fn=_restore_interrupt,
    )
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert stdout is not None
    assert stderr is not None
    try:
        stdin.write(f"isready\n{SEARCHES[search]}\n".encode())
        stdin.flush()
        spoken = moment >= 0
        if spoken and stdout.readline() != b"readyok\n":
            raise LeftError("no readyok")
        time.sleep(abs(moment))
        if way == "quit":
            stdin.write(b"quit\n")
            stdin.flush()
        elif way in ("input", "both"):
            stdin.close()
        if way in ("output", "both"):
            stdout.close()
            if way == "output" and search in SILENT:
                stdin.write(b"isready\n")
                stdin.flush()
        elif way == "SIGINT" and not spoken:
            if not _send_interrupt(process):
                stdin.close()
        elif way.startswith("SIG"):
            process.send_signal(signal.Signals[way])
        hanging = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        hanging.start()
        # Whoever reads on keeps the engine from waiting for a full pipe.
        rest = stdout.read() if not stdout.closed else b""
        said = stderr.read()
        code = process.wait()
        if not hanging.is_alive():
            raise LeftError(f"it went on; standard error {said[-500:]!r}, last output {rest[-200:]!r}")
        hanging.cancel()
        if _group_lives(process.pid):
            raise LeftError("a process is left")
        left = sorted(path.name for path in folder.iterdir())
        if left:
            raise LeftError(f"files are left: {left}")
        if spoken and way != "SIGKILL" and (code or said):
            raise LeftError(f"exit code {code}, standard error {said[-500:]!r}, last output {rest[-200:]!r}")
        return spoken
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (stdin, stdout, stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                continue


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    """End as many engines as asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    began = time.monotonic()
    spoken: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for number in range(arguments.count):
            search, way = rng.choice(list(SEARCHES)), rng.choice(WAYS)
            moment = rng.choice((1, 1, 1, -1)) * rng.choice((0.05, 0.5, 2.0)) * rng.random()
            try:
                spoken[way] += end_engine(search, way, moment, Path(name))
            except LeftError as error:
                raise SystemExit(f"FAILED: engine {number}, {search}, {way} after {moment:.3f} s: {error}") from None
    ways = ", ".join(f"{way} {spoken[way]}" for way in WAYS)
    # Anything left would have ended the script.
    write_rows(arguments.json, [{"way": way, "had spoken": spoken[way], "left": 0} for way in WAYS])
    print(f"{arguments.count} engines, {time.monotonic() - began:.0f} s, nothing left; had spoken: {ways}")


if __name__ == "__main__":
    main()
