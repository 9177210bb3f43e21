"""Runs the registered benches one after the other, keeps their rows in one file, renders and compares such files."""

from __future__ import annotations

import json
import math
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from blockwit import models, reading
from blockwit.errors import BlockwitError
from pydantic import ConfigDict

from bench.nmbr9 import machine
from bench.report import Row, median, show, table

ROOT = Path(__file__).parents[1]
SIZES = ("quick", "full")
FORMAT: Literal[1] = 1
MAX_BYTES = 1 << 26
"""Bytes of the largest file of results."""
PACKAGES = ("numpy", "ortools", "chess", "open_spiel")


class BenchError(BlockwitError):
    """A bench that failed, or a file of results that cannot be used."""


@dataclass(frozen=True)
class Plot:
    """A picture of a bench: `y` over `x`, a curve for each value of `by`; axes in powers of ten or not."""

    x: str
    y: str
    by: str = ""
    log_x: bool = True
    log_y: bool = False


@dataclass(frozen=True)
class Bench:
    """One call of a script of bench/: its arguments for either size, and how to read its rows.

    `keys` name the columns by which rows of two files are matched. A change is marked in columns that are `exact`,
    in `ratios` beyond 10%, in means beyond two standard errors and in repeated values whose ranges do not meet; plain
    times and speeds depend on the machine's other work and are never marked.
    """

    name: str
    question: str
    quick: str
    full: str
    keys: tuple[str, ...]
    exact: tuple[str, ...] = ()
    ratios: tuple[str, ...] = ()
    plot: Plot | None = None

    def command(self, size: str, seed: int, journals: Path) -> list[str]:
        """Return the arguments of Python for a size; journals of long benches lie in a folder."""
        text = self.quick if size == "quick" else self.full
        return ["-m", *shlex.split(text.format(seed=seed, journals=shlex.quote(str(journals))))]


BENCHES = (
    Bench(
        "perft",
        "Moves of Deblockle generated and counted, beside python-chess in turn in the same process.",
        "bench.perft --rounds 3",
        "bench.perft --rounds 15",
        ("positions",),
        ("nodes",),
    ),
    Bench(
        "playouts",
        "Random games, beside OpenSpiel's C++ rollouts in turn in the same process.",
        "bench.playouts --seconds 0.5 --rounds 3",
        "bench.playouts --seconds 3 --rounds 9",
        ("game",),
    ),
    Bench(
        "tables-counts",
        "Deblockle, one block each from d1 and d7 in all 24 x 24 orientations, solved exactly.",
        "bench.tables counts",
        "bench.tables counts",
        ("rules",),
        ("win", "loss", "draw"),
    ),
    Bench(
        "search-depth",
        "Deblockle: time and nodes to each depth, over fixed positions.",
        "bench.search depth --positions 4 --depth 6 --repeat 3",
        "bench.search depth --positions 12 --depth 9 --repeat 5",
        ("depth",),
        ("nodes",),
        plot=Plot("depth", "seconds", log_x=False, log_y=True),
    ),
    Bench(
        "search-hash",
        "Deblockle: what a larger table brings, to the same depth from the same positions.",
        "bench.search hash --positions 3 --depth 6 --megabytes 1 4 16 64",
        "bench.search hash --positions 8 --depth 9 --megabytes 1 4 16 64 256",
        ("MB",),
        ("nodes",),
        plot=Plot("MB", "nodes"),
    ),
    Bench(
        "search-threads",
        "Deblockle: nodes a second of two threads, in turn with one.",
        "bench.smp --threads 2 --seconds 1 --positions 4",
        "bench.smp --threads 2 --seconds 5 --positions 24",
        ("threads",),
        ratios=("ratio",),
    ),
    Bench(
        "skill",
        "Deblockle: levels of Skill in a round-robin, and each against the next lower one.",
        "bench.skill --levels 1 10 20 --pairs 2 --nodes 5000 --jobs 2 --seed {seed}",
        "bench.skill --levels 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 --pairs 24 --nodes 60000 --jobs 2"
        " --seed {seed}",
        ("level",),
    ),
    Bench(
        "setup-match",
        "Deblockle: games from the first roll, sides that differ in who places their blocks.",
        "bench.setup_match --pairs 2 --movetime 10",
        "bench.setup_match --pairs 200 --movetime 100",
        ("first", "second"),
    ),
    Bench(
        "tables-check",
        "Deblockle's tables of one block each beside exhaustive forward search, on random positions.",
        "bench.tables check --count 200",
        "bench.tables check --count 10000",
        ("rules",),
        ("decided", "disagreements"),
    ),
    Bench(
        "ladder-deblockle",
        "Deblockle: what doubling the time of a move brings.",
        "bench.ladder deblockle --times 5 10 20 --pairs 2 --seed {seed}",
        "bench.ladder deblockle --times 10 20 40 80 160 320 --pairs 200 --seed {seed}",
        ("ms",),
        plot=Plot("ms", "Elo of doubling"),
    ),
    Bench(
        "ladder-numberdrop",
        "Number Drop alone: mean points over the time of a move, on the same seeds.",
        "bench.ladder numberdrop --times 5 20 80 --games 6",
        "bench.ladder numberdrop --times 10 20 40 80 160 320 640 --games 200",
        ("ms",),
        plot=Plot("ms", "mean"),
    ),
    Bench(
        "ladder-nmbr9",
        "NMBR 9, all twenty tiles (F-9-2-20) from nothing: points and bound over time.",
        "bench.ladder nmbr9 --times 2 5 10 20 --workers 1 --seed {seed}",
        "bench.ladder nmbr9 --times 10 30 60 120 300 600 1200 --workers 2 --seed {seed}",
        ("seconds",),
        plot=Plot("seconds", "score"),
    ),
    Bench(
        "numberdrop",
        "Number Drop: mean points of players that do not think.",
        "bench.numberdrop --seeds 300",
        "bench.numberdrop solo-random solo-greedy two-greedy solo-expectimax solo-mcts --journals {journals}",
        ("row",),
    ),
    Bench(
        "numberdrop-strength",
        "Number Drop: fixed seeds for players with time, beside a plan that knows all rolls.",
        "bench.numberdrop_strength one-ply hindsight --seeds 2 --journals {journals}",
        "bench.numberdrop_strength one-ply 300ms 1000ms hindsight two-one-ply two-300ms --jobs 2 --journals {journals}",
        ("row",),
    ),
    Bench(
        "nmbr9-family",
        "NMBR 9: instances optimized from nothing.",
        "bench.nmbr9 family F-5-1-6 F-6-1-5@8x8x3 F-6-2-5@8x8x3 F-9-1-10 K:0123456789 --fresh --time 20 --workers 1"
        " --seed {seed}",
        "bench.nmbr9 family --fresh --time 300 --seed {seed}",
        ("problem",),
    ),
    Bench(
        "nmbr9-decks",
        "NMBR 9: shuffled decks known in advance: greedy play, what is found, the bound.",
        "bench.nmbr9 decks --count 2 --time 5 --workers 1 --seed {seed}",
        "bench.nmbr9 decks --count 20 --time 60 --seed {seed}",
        ("deck",),
        ("greedy",),
    ),
    Bench(
        "nmbr9-table",
        "NMBR 9 at the table: the opponent beside greedy play, same shuffles.",
        "bench.nmbr9 table --count 4 --time 0.1 --seed {seed}",
        "bench.nmbr9 table --count 200 --time 1 --seed {seed}",
        ("player",),
    ),
    Bench(
        "growth-perft",
        "Deblockle: positions counted and time by depth.",
        "bench.growth perft --depth 5",
        "bench.growth perft --depth 7",
        ("depth",),
        ("nodes",),
        plot=Plot("depth", "seconds", log_x=False, log_y=True),
    ),
    Bench(
        "growth-players",
        "Number Drop: a random game by the number of players.",
        "bench.growth players --games 5000",
        "bench.growth players --games 200000",
        ("players",),
        ("decisions a game",),
        plot=Plot("players", "ms a game", log_x=False),
    ),
    Bench(
        "growth-tables",
        "Deblockle: states of the tables by the number of blocks; the smaller one solved.",
        "bench.growth tables",
        "bench.growth tables",
        ("blocks",),
        ("states", "bytes"),
    ),
    Bench(
        "growth-cards",
        "NMBR 9: a known deck by the number of its cards: seconds, or the gap left.",
        "bench.growth cards --time 5 --cards 2 4 6 8",
        "bench.growth cards --time 300 --cards 2 4 6 8 10 12 14 16 18 20",
        ("cards",),
        plot=Plot("cards", "seconds", log_x=False, log_y=True),
    ),
    Bench(
        "startup",
        "From the start of the process to `uciok`, and to the first move of each game; most memory by then.",
        "bench.startup --tries 3",
        "bench.startup --tries 20",
        ("what",),
    ),
    Bench(
        "latency",
        "From `stop` to `bestmove` and beyond the time of a move, in milliseconds over pipes.",
        "bench.latency --minutes 0.3 --only deblockle",
        "bench.latency --minutes 30",
        ("searcher",),
    ),
    Bench(
        "stdio-game",
        "A whole game over the protocol.",
        "bench.stdio_game --movetime 20 --seed {seed}",
        "bench.stdio_game --movetime 1000 --seed {seed}",
        ("game",),
    ),
    Bench(
        "soak",
        "Memory over games of all kinds through one engine.",
        "bench.soak --games 45 --seed {seed}",
        "bench.soak --games 10000 --seed {seed}",
        ("games",),
    ),
    Bench(
        "fuzz-sessions",
        "Random sessions compared with what has to be answered.",
        "bench.fuzz sessions --count 30 --seed {seed}",
        "bench.fuzz sessions --count 10000 --seed {seed}",
        ("what",),
        ("broken",),
    ),
    Bench(
        "fuzz-lines",
        "Mutated lines sent to engines.",
        "bench.fuzz lines --count 5000 --seed {seed}",
        "bench.fuzz lines --count 1000000 --seed {seed}",
        ("what",),
        ("broken",),
    ),
    Bench(
        "killed",
        "Engines ended at random moments: what is left of them.",
        "bench.killed --count 6 --seed {seed}",
        "bench.killed --count 300 --seed {seed}",
        ("way",),
        ("left",),
    ),
)


def chosen(names: Sequence[str] | None, benches: Sequence[Bench] = BENCHES) -> list[Bench]:
    """Return the benches of these names, all without names.

    Raises:
        BenchError: there is no such bench.
    """
    known = {bench.name: bench for bench in benches}
    for name in names or ():
        if name not in known:
            raise BenchError(f"no bench {name!r}, expected some of {', '.join(known)}")
    return [bench for bench in benches if not names or bench.name in names]


def commit() -> str:
    """Return the commit at work, with -dirty behind it where the code differs from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "ext", "solver", "setup.py", "bench/*.py")
        return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def surroundings() -> dict[str, Any]:
    """Return what the figures depend on besides the code."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {"system": platform.platform(), "cpu": machine(), "cores": os.cpu_count(), "versions": versions}


class ResultsFile(models.Model):
    """A file of results; what else it has is written by `run`, and only shown."""

    model_config = ConfigDict(extra="allow")

    format: Literal[1]
    benches: dict[str, dict[str, Any]]


def read(path: Path) -> dict[str, Any]:
    """Read a file of results.

    Raises:
        BenchError: it is none.
    """
    where = f"{path}: not a file of results of format {FORMAT}"
    return models.read(ResultsFile, reading.text(path, BenchError, MAX_BYTES), BenchError, where).model_dump()


def _write(path: Path, results: Mapping[str, Any]) -> None:
    # In one step, so that whoever ends the run leaves a whole file behind.
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def run(
    size: str,
    seed: int,
    path: Path,
    benches: Sequence[Bench],
    tell: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Run benches and keep each one's rows in the file at once.

    What the file holds of the same commit, size and seed is kept and not run again, unless the code was changed since
    its commit. A bench that fails is told, the others go on.

    Raises:
        BenchError: the file is something else or of another machine, or a bench failed.
    """
    here = surroundings()
    results: dict[str, Any] = {"format": FORMAT, **here, "benches": {}}
    if path.exists():
        old = read(path)
        if any(old.get(name) != here[name] for name in ("cpu", "cores")):
            raise BenchError(f"{path}: results of another machine ({old.get('cpu')}), expected another --out")
        results["benches"] = old["benches"]
    at, failed = commit(), []
    for bench in benches:
        old = results["benches"].get(bench.name)
        about = {"commit": at, "size": size, "seed": seed}
        if old and not at.endswith("-dirty") and all(old.get(name) == value for name, value in about.items()):
            tell(f"{bench.name}: kept")
            continue
        journals = path.parent / f"{path.stem}.journals" / f"{at}-{size}-{bench.name}"
        words = bench.command(size, seed, journals)
        tell(f"{bench.name}: python {shlex.join(words)}")
        if str(journals) in words:
            journals.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "rows.json"
            began = time.perf_counter()
            ended = subprocess.run(
                [sys.executable, *words, "--json", str(out)], cwd=ROOT, capture_output=True, text=True, check=False
            )
            seconds = time.perf_counter() - began
            if ended.returncode or not out.exists():
                last = ended.stderr.strip().splitlines()[-1:] or ended.stdout.strip().splitlines()[-1:] or ["no rows"]
                failed.append(bench.name)
                tell(f"{bench.name}: FAILED: {last[0]}")
                continue
            rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
        shown = bench.command(size, seed, Path("JOURNALS"))
        load = round(os.getloadavg()[0], 1)
        results["benches"][bench.name] = {
            **about,
            "command": f"python {shlex.join(shown)}",
            "seconds": round(seconds, 1),
            "load": load,
            "rows": rows,
        }
        _write(path, results)
        tell(f"{bench.name}: {len(rows)} rows in {seconds:.1f} s")
    if failed:
        raise BenchError(f"failed: {', '.join(failed)}")
    return results


# --- rendering ----------------------------------------------------------------------------------------------------


def render(results: Mapping[str, Any], page: Path, plots: Path, benches: Sequence[Bench] = BENCHES) -> None:
    """Write all tables to a page of Markdown and the pictures to a folder beside it.

    Raises:
        BenchError: the extra `bench` is not installed.
    """
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    lines = [
        "# Results",
        "",
        "Made by `python -m bench`; do not edit. Each table stands under the command that makes it. Repeated figures:",
        "median (least to most); `±`: standard error. Times are those of a shared machine under the load told.",
        "",
        f"{results['cpu']}, {results['cores']} cores, {results['system']}; {versions}.",
    ]
    for bench in benches:
        found = results["benches"].get(bench.name)
        if found is None:
            continue
        lines += ["", f"## {bench.name}", "", bench.question, "", f"    {found['command']}", ""]
        lines += table(found["rows"])
        lines += ["", f"{found['seconds']:g} s at {found['commit']}, size {found['size']}, load {found['load']:g}."]
        if bench.plot is not None:
            plots.mkdir(parents=True, exist_ok=True)
            picture = plots / f"{bench.name}.svg"
            if draw(bench, bench.plot, found["rows"], picture):
                where = picture.relative_to(page.parent).as_posix()
                lines += ["", f"![{bench.name}: {bench.plot.y} over {bench.plot.x}]({where})"]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def draw(bench: Bench, plot: Plot, rows: Sequence[Row], path: Path) -> bool:
    """Draw a bench as SVG, the same bytes for the same rows; returns whether there were points to draw."""
    try:
        import matplotlib
    except ImportError:
        raise BenchError("pictures need the extra: pip install 'blockwit[bench]'") from None
    from matplotlib.figure import Figure

    curves: dict[str, list[tuple[float, float, float]]] = {}
    for row in rows:
        x, y = _number(row.get(plot.x)), _number(row.get(plot.y))
        if x is not None and y is not None:
            error = _number(row.get(f"{plot.y} ±")) or 0.0
            curves.setdefault(str(row.get(plot.by, "")), []).append((x, y, error))
    if not curves:
        return False
    with matplotlib.rc_context({"svg.hashsalt": bench.name, "svg.fonttype": "none"}):
        figure = Figure(figsize=(6, 3.6), layout="constrained")
        axes = figure.subplots()
        for label, points in curves.items():
            xs, ys, errors = zip(*points, strict=True)
            axes.errorbar(xs, ys, yerr=errors if any(errors) else None, marker="o", capsize=3, label=label)
        axes.set(xlabel=plot.x, ylabel=plot.y, title=bench.name)
        if plot.log_x:
            axes.set_xscale("log")
        if plot.log_y:
            axes.set_yscale("log")
        if plot.by:
            axes.legend()
        axes.grid(alpha=0.3)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    return True


def _number(value: object) -> float | None:
    if isinstance(value, list):
        return median(value) if value else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


# --- comparing ----------------------------------------------------------------------------------------------------

RATIO_NOISE = 0.1
"""Share by which a ratio measured within one run may change without a mark."""


def differs(name: str, one: Row, two: Row, bench: Bench) -> bool:
    """Return whether a column differs by more than the noise."""
    a, b = one[name], two[name]
    if isinstance(a, list) and isinstance(b, list):
        return len(a) > 1 and len(b) > 1 and (max(a) < min(b) or max(b) < min(a))
    if name in bench.exact or isinstance(a, (str, bool)) or isinstance(b, (str, bool)):
        return bool(a != b)
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return False
    errors = _number(one.get(f"{name} ±")), _number(two.get(f"{name} ±"))
    if errors[0] is not None and errors[1] is not None:
        return abs(a - b) > 2 * math.hypot(errors[0], errors[1])
    return name in bench.ratios and abs(a - b) > RATIO_NOISE * max(abs(a), abs(b))


def compare(one: Mapping[str, Any], two: Mapping[str, Any], benches: Sequence[Bench] = BENCHES) -> list[str]:
    """Return a line for each figure that changed, with * where it did by more than the noise."""
    lines = []
    for bench in benches:
        a, b = one["benches"].get(bench.name), two["benches"].get(bench.name)
        if a is None or b is None:
            if a or b:
                lines.append(f"  {bench.name}: only in the {'first' if a else 'second'}")
            continue
        if a["command"] != b["command"]:
            lines.append(f"  {bench.name}: not comparable, {a['command']} against {b['command']}")
            continue
        others = {_key(row, bench): row for row in b["rows"]}
        for row in a["rows"]:
            key = _key(row, bench)
            other = others.pop(key, None)
            where = f"{bench.name} {' '.join(map(show, key))}"
            if other is None:
                lines.append(f"* {where}: only in the first")
                continue
            for name in row.keys() & other.keys():
                if row[name] != other[name] and not name.endswith(" ±"):
                    mark = "*" if differs(name, row, other, bench) else " "
                    lines.append(
                        f"{mark} {where}: {name} {show(row[name])} -> {show(other[name])}{_times(row, other, name)}"
                    )
        lines += [f"* {bench.name} {' '.join(map(show, key))}: only in the second" for key in others]
    return lines


def _key(row: Row, bench: Bench) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in bench.keys)


def _times(one: Row, two: Row, name: str) -> str:
    a, b = _number(one[name]), _number(two[name])
    return f" ({b / a:.2f} times)" if a and b and a > 0 and b > 0 else ""
