"""The command `blockwit benchmark`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blockwit.cli.console import fail, progress_bar
from blockwit.errors import BlockwitError


def benchmark(
    game: Annotated[str, typer.Argument(help="nmbr9, numberdrop or deblockle.")],
    seeds: Annotated[str, typer.Option(help="Seeds of the positions, A..B with both included.")],
    out: Annotated[Path, typer.Option(help="The file (docs/benchmarks.md); one that exists is gone on with.")],
    jobs: Annotated[int, typer.Option(min=1, help="Positions worked on at the same time.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="Address of a dask scheduler that does the work.")] = None,
    cards: Annotated[int | None, typer.Option(help="nmbr9: cards of a deck; default 20.")] = None,
    seconds: Annotated[float | None, typer.Option("--time", help="nmbr9: seconds a deck; default 60.")] = None,
    rounds: Annotated[int | None, typer.Option(help="numberdrop: rounds whose rolls are known; default 20.")] = None,
    nodes: Annotated[int | None, typer.Option(help="numberdrop: most nodes of the proof; default 2000000.")] = None,
    blocks: Annotated[int | None, typer.Option(help="deblockle: blocks on the board, 2 or 3; default 2.")] = None,
    tables: Annotated[Path | None, typer.Option(help="deblockle: folder of the tables, for 3 blocks.")] = None,
) -> None:
    """Write positions with their proven optimum, or best-known value and bound, to measure players against."""
    from blockwit.study import benchmark as making

    asked = {"cards": cards, "seconds": seconds, "rounds": rounds, "nodes": nodes, "blocks": blocks}
    try:
        wanted = making.read_seeds(seeds)
        given = {name: value for name, value in asked.items() if value is not None}
        file = making.Benchmark(out, game, given, str(tables.resolve()) if tables else "")
        with progress_bar() as progress:
            done = sum(seed in file.records for seed in wanted)
            task = progress.add_task("", total=len(wanted), completed=done)
            for _ in file.run(wanted, jobs=jobs, cluster=cluster):
                progress.update(task, advance=1)
    except BlockwitError as error:
        fail(error)
    except KeyboardInterrupt:
        typer.echo("stopped; the same call goes on", err=True)
        raise typer.Exit(1) from None
    proven = sum(bool(file.records[seed]["proven"]) for seed in wanted)
    typer.echo(f"{out}: {len(wanted)} positions, {proven} proven")
