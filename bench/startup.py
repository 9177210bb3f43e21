"""What starting costs: from the start of the process to `uciok`, and to the first move of each game; memory by then.

    python -m bench.startup [--tries 5] [--json FILE]

Seconds as a client sees them depend on the machine's load; `processor` is the time that the engine itself has run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench.report import Row, table, write_rows

ENGINES = {
    "blockwit engine": [str(shutil.which("blockwit") or Path(sys.executable).with_name("blockwit")), "engine"],
    "python -m blockwit": [sys.executable, "-m", "blockwit"],
}
NOTHING = {"python -c pass, for comparison": [sys.executable, "-c", "pass"]}
FIRST = {
    "deblockle": "position startpos moves roll:XLCH",
    "numberdrop": "setoption name UCI_Variant value numberdrop\nposition fen solo L4:2,I4:1,S4:0,O4:0,T4:0 - 1 slide0 "
    "2367S g/g/g/g/g/g/g/g/g/g/g/g/c4223/b63271,-,-,-",
    "nmbr9": "setoption name UCI_Variant value nmbr9\nposition fen - 7?0011223344556678899",
}


def once(command: list[str], lines: str, last: bytes) -> tuple[float, float, float]:
    """Start a process, send lines, wait for a line that begins with `last`; seconds, its processor time and MiB."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines.encode())
    process.stdin.flush()
    while (line := process.stdout.readline()) and not line.startswith(last):
        pass
    seconds = time.perf_counter() - began
    process.stdin.close()
    process.stdout.read()
    # Popen.wait would throw the usage away.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode or (last and not line):
        raise SystemExit(f"{command}: exit code {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    engine = ENGINES["python -m blockwit"]
    cases = {name: (command, "", b"") for name, command in NOTHING.items()}
    cases |= {f"{name}: uciok": (command, "uci\n", b"uciok") for name, command in ENGINES.items()}
    cases |= {f"{game}: first move": (engine, f"{lines}\ngo nodes 100\n", b"bestmove") for game, lines in FIRST.items()}
    rows: list[Row] = []
    for name, case in cases.items():
        seconds, processor, memory = (
            list(each) for each in zip(*(once(*case) for _ in range(args.tries)), strict=True)
        )
        rows.append({"what": name, "seconds": seconds, "processor": processor, "most MiB": max(memory)})
    print("\n".join(table(rows)))
    write_rows(args.json, rows)


if __name__ == "__main__":
    main()
