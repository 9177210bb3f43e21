"""The command `blockwit benchmark`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit import writing
from blockwit.cli.console import note, progress
from blockwit.cli.ending import beside

if TYPE_CHECKING:
    from blockwit.jobs import Stop


def benchmark(
    game: Annotated[str, typer.Argument(help="Which game.")],
    seeds: Annotated[str, typer.Option(help="Seeds of the positions, A..B with both included.")],
    out: Annotated[Path, typer.Option(help="The file (docs/benchmarks.md); one that exists is gone on with.")],
    jobs: Annotated[int, typer.Option(min=1, help="Positions worked on at the same time.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="Address of a dask scheduler that does the work.")] = None,
    cards: Annotated[int | None, typer.Option(help="Known decks: cards of a deck; default 20.")] = None,
    seconds: Annotated[float | None, typer.Option("--time", help="Known decks: seconds for each; default 60.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Known rolls: rounds; default 20.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Known rolls: most nodes of the proof; default 2000000.")] = None,
    blocks: Annotated[int | None, typer.Option(help="Endgames: blocks on the board, 2 or 3; default 2.")] = None,
    tables: Annotated[Path | None, typer.Option(help="Endgames: folder of the tables, for 3 blocks.")] = None,
) -> None:
    """Write positions with their proven optimum, or best-known value and bound, to measure players against."""
    from blockwit.study import benchmark as making

    asked = {"cards": cards, "seconds": seconds, "rounds": rounds, "nodes": nodes, "blocks": blocks}
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
