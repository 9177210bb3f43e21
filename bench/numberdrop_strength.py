"""How strong Number Drop is played: 1,000 fixed solo games and 500 games of two, with the dice of the option bga.

All solo rows meet the same tiles and rolls, seed by seed, so that they can be compared game by game. `hindsight` plans
with all rolls known: the best of a beam search, so a lower bound of what was possible. In the rows of two players the
engine plays the greedy player (one ply by the static evaluation, with other weights if `--greedy` names a file) and
sits first in the games of even seeds.

Every row keeps journals in a folder, one for each part; the same call goes on where it stopped, whatever the parts.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from blockwit import _numberdrop
from blockwit.arena.simulate import Journal, Sample, What, read_journal, summarise
from blockwit.client import Engine
from blockwit.errors import BlockwitError
from blockwit.games import weights
from blockwit.games.base import Kind, Options, Position
from blockwit.games.numberdrop import position as numberdrop
from blockwit.jobs import executor
from blockwit.search.plan import plan
from blockwit.search.types import Limits

from bench.report import write_rows

SOLO: Options = {"solo": True}
TWO: Options = {"players": 2}
DROP_TAG = 5
"""In the lowest bits of an action: a drop, whose claim is the next action."""

ROUNDS = 20
"""A solo game is over when five tiles have slid four notches, one at least in each round."""

WIDTHS = {"hindsight-100": 100, "hindsight": 300, "hindsight-2000": 2000}
ROWS = ("one-ply", "300ms", "1000ms", *WIDTHS, "two-one-ply", "two-300ms")
GAMES = {row: 500 if row.startswith("two-") else 1000 for row in ROWS}

Mover = Callable[[Position], str]


@contextmanager
def weights_of(path: Path | None) -> Iterator[None]:
    """Let the static evaluation of this process use the weights of a file, not those of the package."""
    usual = _numberdrop.get_weights()
    if path is not None:
        _numberdrop.set_weights(weights.read(path, _numberdrop.FEATURE_SET, len(usual) // 2).values)
    try:
        yield
    finally:
        _numberdrop.set_weights(usual)


def greedy(position: Position) -> str:
    """Return the move of the best static evaluation, a drop with the best claim after it."""
    raw = position.raw()
    actions = [_numberdrop.best(raw, 1)[0][0]]
    if actions[0] & 7 == DROP_TAG:
        actions.append(_numberdrop.best(_numberdrop.play(raw, actions[0]), 1)[0][0])
    return position.line(actions)[0]


def thinker(milliseconds: int, engine: Engine) -> Mover:
    """Return a player that thinks so long over each move."""

    def move(position: Position) -> str:
        engine.position(position.fen())
        found = engine.go(Limits(movetime=milliseconds)).move
        assert found is not None, "an engine always has a move where one is to be made"
        return found

    return move


@contextmanager
def mover(name: str, options: Options) -> Iterator[Mover]:
    """Provide the player of a row."""
    if name == "one-ply":
        yield greedy
        return
    with Engine(options={"UCI_Variant": "numberdrop"} | dict(options)) as engine:
        yield thinker(int(name.removesuffix("ms")), engine)


def play(seats: Sequence[Mover], options: Options, seed: int) -> Sample:
    """Play one game; chance depends on the seed alone."""
    rng = random.Random(seed)
    position = numberdrop.GAME.start(options)
    chances = decisions = 0
    while position.kind() is not Kind.TERMINAL:
        if position.kind() is Kind.CHANCE:
            position = position.play(position.roll(rng.getrandbits(64)))
            chances += 1
        else:
            position = position.play(seats[position.player()](position))
            decisions += 1
    return Sample(seed, position.returns(), decisions, chances)


def rolls(seed: int) -> list[str]:
    """Return the tiles and rolls that `play` meets in a solo game."""
    rng = random.Random(seed)
    position = numberdrop.GAME.start(SOLO)
    tokens = []
    while position.kind() is Kind.CHANCE:
        tokens.append(position.roll(rng.getrandbits(64)))
        position = position.play(tokens[-1])
    position = position.play(position.tokens()[0])
    return tokens + [position.roll(rng.getrandbits(64)) for _ in range(ROUNDS)]


def sample(row: str, other: Path | None, seed: int) -> Sample:
    """Play one game of a row. The engine's points come first; `other`: weights of the greedy player of two."""
    if row in WIDTHS:
        game = numberdrop.GAME
        found = plan(game, game.start(SOLO), rolls(seed), width=WIDTHS[row], exact_nodes=0)
        return Sample(seed, (found.points,), len(found.tokens) - found.used, found.used)
    if not row.startswith("two-"):
        with mover(row, SOLO) as alone:
            return play([alone], SOLO, seed)
    with weights_of(other), mover(row.removeprefix("two-"), TWO) as engine:
        played = play([engine, greedy] if seed % 2 == 0 else [greedy, engine], TWO, seed)
    return played if seed % 2 == 0 else Sample(seed, played.points[::-1], played.decisions, played.chances)


def what(row: str, other: Path | None) -> What:
    """Return what a journal belongs to: results of other weights are not mixed in."""

    def mark() -> str:
        return hashlib.sha256(_numberdrop.get_weights()).hexdigest()[:16]

    told = {"row": row, "weights": mark()}
    if other is not None and row.startswith("two-"):
        with weights_of(other):
            told["greedy"] = mark()
    return told


def known(folder: Path, row: str, other: Path | None) -> dict[int, Sample]:
    """Return the finished games of all parts of a row."""
    done: dict[int, Sample] = {}
    for path in sorted(folder.glob(f"{row}.*of*.jsonl")):
        done |= read_journal(path, what(row, other))
    return done


def ranges(numbers: Iterable[int]) -> str:
    """Write ascending numbers in short: 0-4 7 9-12."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def figures(row: str, done: dict[int, Sample], first: dict[int, Sample], wanted: int) -> dict[str, Any]:
    """Sum up a row; `first` is the row of one ply, to compare seed by seed."""
    games_done = list(done.values())
    told: dict[str, Any] = {"row": row, "games": len(done), "of": wanted}
    if not games_done:
        return told
    mine = np.array([each.points[0] for each in games_done])
    alone = summarise([Sample(each.seed, each.points[:1], each.decisions, each.chances) for each in games_done])
    told |= {"mean": round(alone.mean, 2), "mean ±": round(alone.error, 2), "best": float(mine.max())}
    if row.startswith("two-"):
        other = np.array([each.points[1] for each in games_done])
        told |= {
            "won": int((mine > other).sum()),
            "shared": int((mine == other).sum()),
            "lost": int((mine < other).sum()),
            "mean of the other": round(float(other.mean()), 2),
        }
    elif both := sorted(done.keys() & first.keys() if first is not done else ()):
        gains = np.array([done[seed].points[0] - first[seed].points[0] for seed in both])
        told["gain on one ply"] = round(float(gains.mean()), 2)
        told["gain on one ply ±"] = round(float(gains.std(ddof=1) / np.sqrt(len(gains))), 2) if len(gains) > 1 else None
    return told


def report(folder: Path, seeds: int, other: Path | None) -> list[dict[str, Any]]:
    """Print the figures of every row that has been begun; returns them."""
    rows = []
    solo: dict[int, float] = {}
    first = known(folder, "one-ply", other)
    for row in ROWS:
        done = {seed: each for seed, each in known(folder, row, other).items() if seed < (seeds or GAMES[row])}
        if not done:
            continue
        wanted = seeds or GAMES[row]
        told = figures(row, done, first if row != "one-ply" else done, wanted)
        rows.append(told)
        if not row.startswith("two-"):
            for seed, each in done.items():
                solo[seed] = max(solo.get(seed, each.points[0]), each.points[0])
        print("  ".join(f"{name} {value}" for name, value in told.items()))
        missing = ranges(seed for seed in range(wanted) if seed not in done)
        print(f"    done: {ranges(sorted(done))}{f'; missing: {missing}' if missing else ''}"[:300])
    planned = sorted({seed for row in WIDTHS for seed in known(folder, row, other)} & solo.keys())
    if planned:
        # Who plays without knowing the rolls may still find what the beam has missed.
        best = np.array([solo[seed] for seed in planned])
        print(f"best of all rows, {len(best)} seeds with hindsight: at least {best.mean():.2f} points were possible")
        rows.append({"row": "best of all", "games": len(best), "mean": round(float(best.mean()), 2)})
    return rows


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("rows", nargs="*", help=f"rows to play, some of {', '.join(ROWS)}; none: report alone")
    parser.add_argument("--journals", type=Path, required=True, help="folder of the journals, made when missing")
    parser.add_argument("--part", default="1/1", help="play part i of n, like 2/4: every n-th seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes; rows that think need a core for each")
    parser.add_argument("--seeds", type=int, default=0, help="games a row from seed 0 on; 0: 1,000 alone, 500 of two")
    parser.add_argument("--greedy", type=Path, help="weights of the greedy player of two; needs journals of its own")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    part, _, parts = args.part.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        parser.error(f"--part {args.part}: expected i/n like 2/4")
    for row in args.rows:
        if row not in ROWS:
            parser.error(f"unknown row {row!r}, expected some of {', '.join(ROWS)}")
    try:
        args.journals.mkdir(parents=True, exist_ok=True)
        for row in args.rows:
            done = known(args.journals, row, args.greedy)
            mine = range(int(part) - 1, args.seeds or GAMES[row], int(parts))
            todo = [seed for seed in mine if seed not in done]
            book = Journal(args.journals / f"{row}.{part}of{parts}.jsonl", what(row, args.greedy))
            try:
                if args.jobs == 1:
                    for seed in todo:
                        book.add(sample(row, args.greedy, seed))
                else:
                    with executor(args.jobs) as pool:
                        for future in as_completed([pool.submit(sample, row, args.greedy, seed) for seed in todo]):
                            book.add(future.result())
            finally:
                book.close()
        rows = report(args.journals, args.seeds, args.greedy)
    except (BlockwitError, OSError) as error:
        parser.error(str(error))
    write_rows(args.json, rows)


if __name__ == "__main__":
    main()
