"""The commands of `blockwit benchmark`: make, score."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit import writing
from blockwit.cli.console import Commands, note, progress, rules_of, save
from blockwit.cli.ending import WRONG, beside
from blockwit.errors import OptionError

if TYPE_CHECKING:
    from blockwit.jobs import Stop


app = typer.Typer(
    cls=Commands, help="Positions with their optimum or bound: files of them, players measured.", no_args_is_help=True
)


@app.command()
def make(
    game: Annotated[str, typer.Argument(help="Which game, or which of its kinds of record (docs/benchmarks.md).")],
    seeds: Annotated[str, typer.Option(help="Seeds of the positions, A..B with both included.")],
    out: Annotated[Path, typer.Option(help="The file (docs/benchmarks.md); one that exists is gone on with.")],
    jobs: Annotated[int, typer.Option(min=1, help="Positions worked on at the same time.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="Address of a dask scheduler that does the work.")] = None,
    cards: Annotated[int | None, typer.Option(help="Known decks: cards of a deck; default 20.")] = None,
    seconds: Annotated[float | None, typer.Option("--time", help="Known decks: seconds for each; default 60.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Known rolls: rounds; default 20.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Known rolls: most nodes of the proof; default 2000000.")] = None,
    blocks: Annotated[int | None, typer.Option(help="Endgames: blocks on the board, 2 or 3; default 2.")] = None,
    critical: Annotated[
        bool, typer.Option("--critical", help="Endgames: only where some move keeps the result and some does not.")
    ] = False,
    tables: Annotated[Path | None, typer.Option(help="Endgames: folder of the tables, for 3 blocks.")] = None,
) -> None:
    """Write positions with their proven optimum, or best-known value and bound, to measure players against."""
    from blockwit.study import benchmark as making

    asked = {"cards": cards, "seconds": seconds, "rounds": rounds, "nodes": nodes, "blocks": blocks}
    asked["critical"] = 1 if critical else None
    wanted = making.read_seeds(seeds)
    given = {name: value for name, value in asked.items() if value is not None}
    file = making.Benchmark(out, game, given, str(tables.resolve()) if tables else "")
    writing.check_writable(out)

    def work(stop: Stop) -> None:
        with progress(len(wanted), begun := sum(seed in file.records for seed in wanted)) as tell:
            tell(begun, "")
            records = file.run(wanted, jobs=jobs, cluster=cluster, stop=stop, told=note)
            for number, record in enumerate(records, begun + 1):
                tell(number, f"seed {record['seed']}: {record['value']}{', proven' if record['proven'] else ''}")

    try:
        beside(work)
    finally:
        for record in file.unsaved:
            typer.echo(json.dumps(record))
    done = [file.records[seed] for seed in wanted if seed in file.records]
    share = "" if len(done) == len(wanted) else f" of {len(wanted)}"
    typer.echo(f"{out}: {len(done)}{share} positions, {sum(bool(record['proven']) for record in done)} proven")
    if share:
        note("the same call goes on")


@app.command()
def score(
    file: Annotated[Path, typer.Argument(help="A benchmark file.")],
    cmd: Annotated[str | None, typer.Option(help="Command of an engine of the protocol.")] = None,
    player: Annotated[
        str | None, typer.Option(help="module:function, a Python function from a position to a move.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the engine as NAME=VALUE; may be repeated.")
    ] = None,
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds for each move; default 100.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes for each move instead.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="So many records from the first on; default: all.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the losses to this file.")] = None,
) -> None:
    """Let a player play the positions of a file: its share of the optimum, its regret."""
    from contextlib import ExitStack

    from blockwit.client import Engine
    from blockwit.search.types import Limits
    from blockwit.study import score as scoring
    from blockwit.study.records import read_file

    if (cmd is None) == (player is None):
        raise OptionError("who plays? expected either --cmd or --player")
    writing.check_writable(svg)
    records = scoring.playable(read_file(file))[:most]
    if not records:
        raise OptionError(f"{file}: no positions to play")
    of = records[0][0]
    scores: list[scoring.Score] = []

    def work(stop: Stop) -> None:
        with ExitStack() as stack:
            if player is not None:
                choose = scoring.python_player(player)
            else:
                options = {"UCI_Variant": of.game, **of.options, **rules_of(setting)}
                engine = stack.enter_context(Engine(_words(cmd or ""), options))
                stack.enter_context(stop.calls(engine.stop))
                limits = Limits(nodes=nodes, movetime=movetime if nodes else movetime or 100)
                choose = scoring.engine_player(engine, limits)
            tell = stack.enter_context(progress(len(records)))
            for each in scoring.score(records, choose, stop):
                scores.append(each)
                tell(len(scores), f"seed {each.seed}: {each.result:g} of {each.value:g}")

    try:
        beside(work)
    finally:
        if scores:
            summary = scoring.summarise(scores, one_move=of.one_move)
            name = player or " ".join([cmd or "", *(setting or ())])
            for line in scoring.table(name, summary):
                typer.echo(line)
    if scores and svg is not None and not save(svg, scoring.drawing(name, scores, summary)):
        raise typer.Exit(WRONG)
    if len(scores) < len(records):
        note(f"{len(scores)} of {len(records)} records")


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"--cmd: {error}") from None
    if not words:
        raise OptionError("--cmd: expected a command")
    return words
