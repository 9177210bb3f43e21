"""NMBR 9: the benchmark family, known decks, and the table game.

    python -m bench.nmbr9 family [--time S] [--workers N] [--fresh] [NAME ...]  updates puzzles/nmbr9
    python -m bench.nmbr9 file                                         makes benchmarks/nmbr9-free.jsonl of it
    python -m bench.nmbr9 decks [--count N] [--time S]                 K: shuffled decks against greedy and bound
    python -m bench.nmbr9 exact --cards C [--count N] [--time S]       K: how many short decks are proven, how fast
    python -m bench.nmbr9 profile [--count N] [--time S]               K: what the work of `par` is made of
    python -m bench.nmbr9 table [--count N] [--time S]                 U: the opponent against greedy

bench/README.md says what each number means.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import time
from pathlib import Path
from typing import Any

from blockwit import reading
from blockwit.client import Engine
from blockwit.errors import SolutionError
from blockwit.games.nmbr9.position import UNKNOWN, build_position, read_tile
from blockwit.search.cpsat.optimize import Optimizer, Progress, optimize
from blockwit.search.cpsat.problem import read_problem
from blockwit.search.cpsat.solution import check_solution
from blockwit.search.cpsat.stacks import replay
from blockwit.search.types import Limits
from blockwit.study import benchmark
from blockwit.study.puzzles import benchmarks

from bench.report import Row, write_rows

FOLDER = Path(__file__).parents[1] / "puzzles" / "nmbr9"

FAMILY = (
    *benchmarks.FAMILY,
    *("K:0123456789", "K:9876543210", "K:2719304865", "K:00112233445566778899", "K:99887766554433221100"),
    "K:31415926890724635087",
)


def path_of(name: str) -> Path:
    """Return the file of an instance."""
    return FOLDER / (name.replace(":", "-").replace("@", "_") + ".json")


def machine() -> str:
    """Return the processor and its number of threads in use here."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if _linux() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _linux() -> bool:
    return platform.system() == "Linux"


def fresh_instance(name: str, seconds: float, workers: int, seed: int) -> dict[str, Any] | None:
    """Optimize one instance from nothing; no file is read or written."""
    end = optimize(read_problem(name), seconds, workers=workers, seed=seed)
    if end.plan is None:
        return None
    return {"score": end.score, "bound": end.bound, "proven": end.proven, "seconds": round(end.seconds, 1)}


def run_instance(name: str, seconds: float, workers: int, seed: int) -> dict[str, Any] | None:
    """Optimize one instance from what its file knows, and write the file if that got better.

    Returns what is known then, None if no plan was found in this time.
    """
    problem = read_problem(name)
    path = path_of(name)
    old: dict[str, Any] = {}
    sources: list[str] = []
    news: list[Progress] = []
    optimizer = Optimizer(problem, workers=workers, seed=seed, report=news.append)
    if path.exists():
        text = reading.text(path, SolutionError)
        optimizer.plan = replay(problem, check_solution(text).tiles)
        old = json.loads(text)
        optimizer.bound = min(optimizer.bound, old["bound"])
    if old.get("proven"):
        # Proven before: from scratch, to time the proof again.
        optimizer = Optimizer(problem, workers=workers, seed=seed, report=news.append)
    end = optimizer.run(seconds)
    sources = [p.source for p in news if p.source not in ("bound", "saved", "end")]
    if end.plan is None:
        return None
    if old and end.score < old["score"]:
        # A proof timed again may not have got as far.
        return {**old, "seconds": round(end.seconds, 1)}
    data = {
        "problem": problem.name,
        "score": end.score,
        "bound": end.bound,
        "proven": end.proven,
        "seconds": round(end.seconds, 1) + (0 if end.proven else old.get("seconds", 0)),
        "machine": f"{machine()}, {workers} threads",
        "how": sources[-1] if sources else old.get("how", ""),
        "moves": [str(tile) for tile in end.plan.tiles],
    }
    text = json.dumps(data, indent=1) + "\n"
    check_solution(text)
    path.write_text(text, encoding="utf-8")
    return data


def family(names: list[str], seconds: float, workers: int, seed: int, *, fresh: bool) -> list[Row]:
    """Run the instances and print the table; returns its rows."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    print(f"{'problem':28} {'score':>6} {'bound':>6} {'proven':>7} {'seconds':>8} {'published':>9}")
    for name in names or FAMILY:
        d = (fresh_instance if fresh else run_instance)(name, seconds, workers, seed)
        if d is None:
            rows.append({"problem": name})
            print(f"{name:28} no plan in {seconds} s", flush=True)
            continue
        row: dict[str, Any] = {"problem": name} | {key: d[key] for key in ("score", "bound", "proven", "seconds")}
        published = benchmarks.PUBLISHED.get(name)
        print(f"{name:28} {d['score']:6} {d['bound']:6} {d['proven']!s:>7} {d['seconds']:8.1f} {published or '':>9}")
        rows.append(row | ({"published seconds": published} if published else {}))
    return rows


def make_file(path: Path) -> None:
    """Write what is known of the free problems as a benchmark file."""
    free = benchmarks.Free()
    records = []
    for seed, name in enumerate(benchmarks.FAMILY, 1):
        known = json.loads(reading.text(path_of(name), SolutionError))
        records.append(free.told(seed, known["moves"], known["bound"], known["seconds"]))
    path.unlink(missing_ok=True)
    file = benchmark.Benchmark(path, "nmbr9-free", {"seconds": 3600.0})
    file.put(records, "python -m bench.nmbr9 file, from puzzles/nmbr9")
    print(f"{path}: {len(records)} problems, {sum(record['proven'] for record in records)} proven")


def greedy(deck: tuple[int, ...]) -> int:
    """Return the points of plain greedy play: the most points now, then the most edges shared, then the first."""
    position = build_position([], UNKNOWN, sorted(deck), len(deck))
    for digit in deck:
        position = position.play(f"draw:{digit}")
        beside = [
            {(x + dx, y + dy) for tile in position.tiles if tile.level == level for x, y in tile.cells()}
            for level in range(10)
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ]

        def worth(token: str, beside: list[set[tuple[int, int]]] = beside) -> tuple[int, int]:
            tile = read_tile(token)
            near = beside[4 * tile.level : 4 * tile.level + 4]
            return tile.digit * tile.level, sum(cell in cells for cell in tile.cells() for cells in near)

        position = position.play(max(position.tokens(), key=worth))
    return position.score


def shuffles(count: int, seed: int) -> list[tuple[int, ...]]:
    """Return full decks in random orders."""
    rng = random.Random(seed)
    return [tuple(rng.sample(sorted(list(range(10)) * 2), 20)) for _ in range(count)]


def played(deck: tuple[int, ...], engine: Engine, limits: Limits) -> int:
    """Return the points of a table game with this order of cards; the engine sees a card when it is drawn."""
    start = build_position([], UNKNOWN, sorted(deck), len(deck)).fen()
    moves: list[str] = []
    for digit in deck:
        moves.append(f"draw:{digit}")
        engine.position(start, moves)
        moves.append(engine.go(limits).move or "(none)")
    engine.position(start, moves)
    return round(engine.score()[0])


def decks(count: int, seconds: float, workers: int, seed: int) -> list[Row]:
    """Known orders: what is found in `seconds` against greedy play and the bound."""
    rows = []
    told: list[Row] = []
    for deck in shuffles(count, seed):
        name = "K:" + "".join(map(str, deck))
        end = optimize(read_problem(name), seconds, workers=workers, seed=seed)
        rows.append((greedy(deck), end.score, end.bound))
        told.append({"deck": name, "greedy": rows[-1][0], "found": end.score, "bound": end.bound})
        print(f"{name}  greedy {rows[-1][0]:4}  found {end.score:4}  bound {end.bound:4}", flush=True)
    means = [statistics.mean(column) for column in zip(*rows, strict=True)]
    print(f"mean of {count}: greedy {means[0]:.1f}, found {means[1]:.1f}, bound {means[2]:.1f}")
    return [*told, {"deck": "mean", "greedy": means[0], "found": means[1], "bound": means[2]}]


def short_decks(cards: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """Return the first cards of full decks in random orders."""
    rng = random.Random(seed)
    return [tuple(rng.sample(sorted(list(range(10)) * 2), cards)) for _ in range(count)]


def exact(cards: int, count: int, seconds: float, workers: int, seed: int) -> list[Row]:
    """Known orders of few cards: how many are proven within `seconds`, and how soon."""
    told: list[Row] = []
    for deck in short_decks(cards, count, seed):
        name = "K:" + "".join(map(str, deck))
        cpu = time.process_time()
        optimizer = Optimizer(read_problem(name), workers=workers, seed=seed)
        end = optimizer.run(seconds)
        cpu = time.process_time() - cpu
        row: dict[str, Any] = {"deck": name, "score": end.score, "bound": end.bound, "seconds": end.seconds, "cpu": cpu}
        told.append(row)
        print(f"{name}  {end.score:4} / {end.bound:4}  {end.seconds:7.2f} s  {cpu:7.2f} s of processor", flush=True)
    proven = [row for row in told if row["score"] == row["bound"]]
    times, work = ([float(row[key]) for row in told] for key in ("seconds", "cpu"))
    print(f"{cards} cards: {len(proven)} of {count} proven within {seconds} s")
    for what, numbers in (("seconds", times), ("seconds of processor", work)):
        print(f"{what}: median {statistics.median(numbers):.2f}, most {max(numbers):.2f}")
    return [*told, {"deck": f"{cards} cards", "proven": len(proven), "median seconds": statistics.median(times)}]


def profile(count: int, seconds: float, workers: int, seed: int) -> list[Row]:
    """Say what the work of `par` on full decks is made of: assignments, beams, CP-SAT."""
    total: dict[str, float] = {}
    for deck in shuffles(count, seed):
        optimizer = Optimizer(read_problem("K:" + "".join(map(str, deck))), workers=workers, seed=seed)
        end = optimizer.run(seconds)
        print(f"{optimizer.problem.name}  {end.score} / {end.bound}", flush=True)
        for part, spent in optimizer.worked.items():
            total[part] = total.get(part, 0.0) + spent
    rows: list[Row] = []
    for part, spent in sorted(total.items(), key=lambda item: -item[1]):
        share = spent / sum(total.values())
        print(f"{part:16} {spent:8.1f} s of threads  {share:6.1%}")
        rows.append({"part": part, "seconds": spent, "share": share})
    return rows


def table(count: int, seconds: float, seed: int) -> list[Row]:
    """The table game: the opponent at `seconds` a card against greedy play, on the same shuffles."""
    ours: list[int] = []
    theirs: list[int] = []
    limits = Limits(movetime=max(1, round(1000 * seconds)))
    with Engine(options={"UCI_Variant": "nmbr9", "Seed": seed}) as engine:
        for number, deck in enumerate(shuffles(count, seed)):
            began = time.perf_counter()
            ours.append(played(deck, engine, limits))
            theirs.append(greedy(deck))
            spent = time.perf_counter() - began
            print(f"{number + 1:4}  opponent {ours[-1]:4}  greedy {theirs[-1]:4}  {spent:6.1f} s", flush=True)
    error = statistics.stdev(ours) / count**0.5 if count > 1 else 0.0
    print(f"mean of {count}: opponent {statistics.mean(ours):.1f} +- {error:.1f}, greedy {statistics.mean(theirs):.1f}")
    spread = statistics.stdev(theirs) / count**0.5 if count > 1 else 0.0
    return [
        {"player": "opponent", "games": count, "mean": statistics.mean(ours), "mean ±": error},
        {"player": "greedy", "games": count, "mean": statistics.mean(theirs), "mean ±": spread},
    ]


def main() -> None:
    """Read the command line and run one of them."""
    parser = argparse.ArgumentParser(description="NMBR 9 benchmarks")
    parser.add_argument("what", choices=("family", "file", "decks", "exact", "profile", "table"))
    parser.add_argument("names", nargs="*", help="instances of the family (all if none)")
    parser.add_argument("--time", type=float, default=None, help="seconds an instance, deck or card")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--count", type=int, default=None, help="decks")
    parser.add_argument("--cards", type=int, default=10, help="cards of a deck (exact)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fresh", action="store_true", help="family from nothing, files are left alone")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows: list[Row] = []
    if args.what == "file":
        make_file(FOLDER.parents[1] / "benchmarks" / "nmbr9-free.jsonl")
    elif args.what == "family":
        rows = family(args.names, args.time or 60.0, args.workers, args.seed, fresh=args.fresh)
    elif args.what == "decks":
        rows = decks(args.count or 20, args.time or 60.0, args.workers, args.seed)
    elif args.what == "exact":
        rows = exact(args.cards, args.count or 100, args.time or 60.0, args.workers, args.seed)
    elif args.what == "profile":
        rows = profile(args.count or 5, args.time or 60.0, args.workers, args.seed)
    else:
        rows = table(args.count or 200, args.time or 1.0, args.seed)
    write_rows(args.json, rows)


if __name__ == "__main__":
    main()
