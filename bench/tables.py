"""Deblockle's endgame tables: counts, agreement with a forward search, and what building one costs.

    python -m bench.tables counts                                  one block each from d1 and d7, every reading
    python -m bench.tables check [--path DIR] [--count N] [-o ...]  tables against exhaustive forward search
    python -m bench.tables build --path DIR [--jobs N] [-o ...]     build one against two: seconds, memory, bytes

`check` draws random positions of one block against one, or with --path of one against two. The forward search is
ext/search/proof.pyx, which knows no tables: what the tables call a win or loss in at most --plies plies has to be one
in just so many, and nothing else may be decided within --plies.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

from blockwit import _deblockle, _proof, games
from blockwit.cli.console import rules_of
from blockwit.games.base import Kind
from blockwit.games.deblockle.building import Progress, build
from blockwit.games.deblockle.position import DeblocklePosition, square_index
from blockwit.games.deblockle.tables import RULES, oracle, rules_name, rules_number

from bench.report import Row, write_rows

GAME = games.get("deblockle")


def start(option: list[str] | None) -> DeblocklePosition:
    """Return a position with the rule options asked for."""
    position = GAME.start(GAME.read_options(rules_of(option)))
    assert isinstance(position, DeblocklePosition)
    return position


def counts() -> list[Row]:
    """Print and return who wins from d1 and d7 over all 24 x 24 orientations, for each reading of the rules."""
    rows: list[Row] = []
    print(f"{'rules':<36} {'win':>5} {'loss':>5} {'draw':>5} {'seconds':>8}")
    for rules in range(RULES):
        name = rules_name(rules)
        began = time.perf_counter()
        known = oracle(rules, "")
        seconds = time.perf_counter() - began
        options = [f"slider={name.split('-')[0]}", f"nohop={'end_turn' if 'end_turn' in name else 'illegal'}"]
        empty = start([*options, f"no_touch={'no_touch' in name}"]).core
        values = [
            known.probe(empty.replaced([(square_index("d1"), own)], [(square_index("d7"), other)], 0, 0).raw())
            for own in range(24)
            for other in range(24)
        ]
        win, loss = sum(v is not None and v > 0 for v in values), sum(v is not None and v < 0 for v in values)
        print(f"{name:<36} {win:5} {loss:5} {values.count(0):5} {seconds:8.2f}")
        rows.append({"rules": name, "win": win, "loss": loss, "draw": values.count(0), "seconds": seconds})
    return rows


def decided_in(state: DeblocklePosition, plies: int) -> int:
    """Return n > 0 for a forced win in n plies, n < 0 for a loss in -n, 0 for neither within `plies`."""
    if state.kind() is Kind.TERMINAL:
        return 0
    for n in range(1, plies + 1):
        if n % 2 and _proof.winning_actions(GAME.capsule(), state.core.raw(), n)[0]:
            return n
        if n % 2 == 0 and all(wins(state.core.apply(action), n - 1) for action in state.core.actions()):
            return -n
    return 0


def wins(after: _deblockle.State, plies: int) -> bool:
    """Return whether the side to move after a move wins in `plies`."""
    return after.kind == int(Kind.DECISION) and bool(_proof.winning_actions(GAME.capsule(), after.raw(), plies)[0])


def check(path: Path | None, count: int, plies: int, seed: int, option: list[str] | None) -> dict[str, Any]:
    """Compare tables and search on random positions; returns a row with the number of disagreements."""
    base = start(option)
    known = oracle(rules_number(GAME.read_options(rules_of(option))), str(path or ""))
    rng = random.Random(seed)
    usable = [q for q in range(56) if q & 7 < 7 and q not in (square_index("d2"), square_index("d6"))]
    wrong = decided = 0
    for number in range(count):
        squares = rng.sample(usable, 3 if path else 2)
        blocks = [(square, rng.randrange(24)) for square in squares]
        lone, others = (blocks[:1], blocks[1:]) if rng.random() < 0.5 else (blocks[1:], blocks[:1])
        position = DeblocklePosition(base.core.replaced(lone, others, rng.randrange(2), 0))
        if position.kind() is Kind.TERMINAL:
            continue
        said = known.probe(position.raw())
        found = decided_in(position, plies)
        decided += found != 0
        if said is None or (said if abs(said) <= plies else 0) != found:
            wrong += 1
            print(f"{position.fen()}: the tables say {said}, the search {found}")
        if sys.stderr.isatty() and number % 50 == 0:
            print(f"\r{number}", end="", file=sys.stderr)
    print(f"{count} positions, {decided} of them decided within {plies} plies, {wrong} disagreements")
    rules = " ".join(option or ()) or "default"
    return {"rules": rules, "positions": count, "plies": plies, "decided": decided, "disagreements": wrong}


def build_table(path: Path, jobs: int, option: list[str] | None) -> None:
    """Build a table and print what it took."""
    began = time.perf_counter()

    def report(news: Progress) -> None:
        if sys.stderr.isatty():
            print(f"\rround {news.round} {news.done:4.0%} {news.changed:>12,}", end="", file=sys.stderr)

    written = build(rules_number(GAME.read_options(rules_of(option))), path, jobs, report)
    assert written is not None, "nobody has stopped it"
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    size = written.stat().st_size
    print(f"{written.name}: {seconds:.0f} s on {jobs} threads, {memory:.1f} GiB at most, {size:,} bytes")


def main() -> None:
    """Read the command line and run one of the three."""
    parser = argparse.ArgumentParser(description="Endgame tables of Deblockle")
    parser.add_argument("what", choices=("counts", "check", "build"))
    parser.add_argument("--path", type=Path, help="folder of the tables")
    parser.add_argument("--count", type=int, default=1000, help="random positions")
    parser.add_argument("--plies", type=int, default=9, help="horizon of the forward search")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the rows of counts or check to this file")
    parser.add_argument("-o", "--option", action="append", help="a rule option as NAME=VALUE")
    args = parser.parse_args()
    if args.what == "counts":
        write_rows(args.json, counts())
    elif args.what == "check":
        row = check(args.path, args.count, args.plies, args.seed, args.option)
        write_rows(args.json, [row])
        raise SystemExit(row["disagreements"] > 0)
    elif args.path is None:
        parser.error("build needs --path")
    else:
        build_table(args.path, args.jobs, args.option)


if __name__ == "__main__":
    main()
