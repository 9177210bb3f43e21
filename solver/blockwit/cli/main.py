"""The command line. Thin: each command reads its arguments and makes one call."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockwit import __version__, games, writing
from blockwit.cli import ending
from blockwit.cli.benchmark import app as benchmark
from blockwit.cli.console import Commands, GameName, Position, RuleOptions, note, progress, rules_of, save
from blockwit.cli.ending import WRONG, beside
from blockwit.cli.nmbr9 import app as nmbr9
from blockwit.cli.puzzle import app as puzzle
from blockwit.cli.serve import serve
from blockwit.cli.tables import app as tables
from blockwit.errors import BlockwitError

if TYPE_CHECKING:
    from blockwit.jobs import Stop

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="An engine that plays and solves Deblockle, Number Drop and NMBR 9.",
)

app.add_typer(benchmark, name="benchmark")
app.add_typer(nmbr9, name="nmbr9")
app.add_typer(puzzle, name="puzzle")
app.add_typer(tables, name="tables")
app.command()(serve)

AnyGame = Annotated[
    str | None, typer.Option("--game", "-g", help="Which game; default: told by the form of the position.")
]
ChanceGame = Annotated[
    str | None, typer.Option("--game", "-g", help="Which game; default: the first whose rolls can be given beforehand.")
]
# A position may begin with a dash, like that of an empty table: what is no option is an argument.
DASHES = {"ignore_unknown_options": True}
FOLDER = "A folder (its name ends in /) gets every position of the line, each with the move that comes next."


@app.command()
def engine() -> None:
    """Speak the protocol on standard input and output (docs/protocol.md)."""
    from blockwit.protocol import stdio

    stdio.serve()


@app.command()
def play(
    game: GameName = games.NAMES[0],
    side: Annotated[str, typer.Option(help="Seats the person takes, like 1, 2 or 1,2; none: watch the engine.")] = "1",
    movetime: Annotated[int, typer.Option(min=1, help="Milliseconds the engine thinks.")] = 1000,
    skill: Annotated[int, typer.Option(min=1, max=20, help="Strength of the engine.")] = 20,
    seed: Annotated[int | None, typer.Option(help="Seed of the dice; default: a new one each time.")] = None,
    position: Position = None,
    option: RuleOptions = None,
) -> None:
    """Play against the engine in the terminal."""
    import secrets

    from rich.console import Console

    from blockwit import search
    from blockwit.arena.match import Player
    from blockwit.arena.play import Sitting

    console = Console(highlight=False)
    chosen = games.get(game)
    rules = rules_of(option)
    start = chosen.start(rules) if position is None else chosen.parse(position, rules)
    seats = len(start.returns())
    person = set()
    for text in () if side == "none" else side.split(","):
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= seats):
            raise BlockwitError(f"--side {side}: expected seats from 1 to {seats}, or none")
        person.add(int(text) - 1)
    limits = search.Limits(movetime=movetime)
    opponent = Player("the engine", settings=search.Settings(skill=skill, hash_mb=64), limits=limits)
    dice = secrets.randbits(63) if seed is None else seed
    with opponent.engine(game, rules) as engine:
        Sitting(start, frozenset(person), engine, limits, console, input, dice, skill).run()


@app.command(context_settings=DASHES)
def show(
    position: Annotated[str | None, typer.Argument(help="Position string; default: the start.")] = None,
    game: AnyGame = None,
    moves: Annotated[str, typer.Option(help="Moves, rolls and cards to play from there, separated by spaces.")] = "",
    svg: Annotated[str | None, typer.Option(help=f"Write the drawing there as SVG. {FOLDER}")] = None,
    png: Annotated[str | None, typer.Option(help="The same as PNG (needs the extra png).")] = None,
    animate: Annotated[Path | None, typer.Option(help="Write all moves as one animated SVG to this file.")] = None,
    option: RuleOptions = None,
) -> None:
    """Draw a position, or a line of play, as text, SVG or PNG; the game is told by the form of the position."""
    from blockwit.study import pictures

    chosen = games.of_position(position) if position and not game else games.get(game or games.NAMES[0])
    rules = rules_of(option)
    drawn = chosen.start(rules) if position is None else chosen.parse(position, rules)
    line = moves.split()
    for target, suffix in ((svg, "svg"), (png, "png")):
        if target is not None:
            pictures.write_line(target, drawn, line, suffix)
    if animate is not None:
        pictures.write(animate, drawn.animation(line))
    if svg is None and png is None and animate is None:
        for token in line:
            drawn = drawn.play(token)
        typer.echo(drawn.text())


@app.command()
def perft(
    depth: Annotated[int, typer.Argument(min=0, max=50)],
    game: GameName = games.NAMES[0],
    position: Position = None,
    divide: Annotated[bool, typer.Option(help="Also count below each move.")] = False,
    option: RuleOptions = None,
) -> None:
    """Count move sequences by the rules alone, for each depth up to DEPTH."""
    import time

    chosen = games.get(game)
    rules = rules_of(option)
    start = chosen.start(rules) if position is None else chosen.parse(position, rules)

    def work(stop: Stop) -> None:
        flag = bytearray(1)

        def end() -> None:
            flag[0] = 1

        with stop.calls(end), progress(None) as tell:
            for level in range(1, depth + 1):
                began = time.perf_counter()
                counts = {}
                # Move by move: what has been counted can be told.
                for token, count in start.divide(level, flag):
                    counts[token] = count
                    tell(0, f"depth {level}, {token}: {count}")
                if flag[0]:
                    return
                seconds = time.perf_counter() - began
                typer.echo(f"{level:3} {sum(counts.values()):20,} {seconds:10.3f} s")
        if divide and depth:
            for token, count in counts.items():
                typer.echo(f"{token}: {count}")

    beside(work)


@app.command(
    context_settings=DASHES,
    epilog="Exit status: 0 all solved (a puzzle's answer found, a position's best play proven), 1 an answer differs or "
    "is refuted, 2 a file or position cannot be read, 3 the best play of a position is not proven. The highest counts.",
)
def solve(
    subjects: Annotated[list[str], typer.Argument(help="Puzzle files or position strings.", show_default=False)],
    prove: Annotated[bool, typer.Option(help="Also prove the answer again by exhaustive search.")] = False,
    game: AnyGame = None,
    seconds: Annotated[float, typer.Option("--time", min=0.0, help="Seconds to think about each position.")] = 5.0,
    svg: Annotated[Path | None, typer.Option(help="Draw the answer to this file (of one subject).")] = None,
    png: Annotated[Path | None, typer.Option(help="The same as PNG (needs the extra png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    option: RuleOptions = None,
) -> None:
    """Solve puzzles, and compare with their answers, or positions: line, score, and whether that is proven."""
    import json

    from blockwit.client import Engines
    from blockwit.study import pictures
    from blockwit.study import solve as solving

    if len(subjects) > 1 and (svg or png):
        raise BlockwitError("--svg and --png draw one answer, expected one puzzle or position")
    rules = rules_of(option)
    writing.check_writable(svg, png)

    def work(stop: Stop) -> int:
        status = 0
        with Engines({"Hash": solving.HASH_MB}) as engines, progress(len(subjects)) as tell:
            for number, subject in enumerate(subjects):
                if stop.is_set():
                    break
                solved = solving.solve(
                    subject, game, rules, seconds, engines, prove=prove, stop=stop, told=partial(tell, number)
                )
                status = max(status, solved.status)
                broken = solved.status is solving.Status.BROKEN
                line = json.dumps(solved.to_json()) if as_json else str(solved)
                if broken and not as_json:
                    ending.say(line)
                else:
                    typer.echo(line)
                for path in (svg, png):
                    if path and not broken:
                        pictures.write(path, solved.picture())
        return status

    raise typer.Exit(beside(work))


@app.command()
def plan(
    rolls: Annotated[Path, typer.Argument(help="A file of all draws and rolls in order, like roll:3*56L; -: input.")],
    game: ChanceGame = None,
    option: RuleOptions = None,
    position: Position = None,
    width: Annotated[int, typer.Option(help="States that the beam keeps.")] = 300,
    branch: Annotated[int, typer.Option(help="Moves that it tries in each.")] = 32,
    exact_nodes: Annotated[int, typer.Option(help="Most nodes of the exhaustive proof; 0: none.")] = 2_000_000,
) -> None:
    """Find the best game of one player when all rolls are known beforehand."""
    from blockwit import reading
    from blockwit.errors import SolutionError
    from blockwit.search import plan as planning

    rules = rules_of(option)
    played = games.get(game or games.planned())
    start = played.parse(position, rules) if position else played.start(rules)
    read = reading.standard_input(SolutionError) if str(rolls) == "-" else reading.text(rolls, SolutionError)

    def work(stop: Stop) -> planning.Plan:
        with progress(None) as tell:
            return planning.plan(
                played,
                start,
                read.split(),
                width=width,
                branch=branch,
                exact_nodes=exact_nodes,
                stop=stop,
                told=partial(tell, 0),
            )

    found = beside(work)
    how = "proven best" if found.proven else f"best of a beam of width {found.width}"
    typer.echo(f"{found.points:g} points, {how}, {found.used} chance events met, {found.nodes} nodes")
    typer.echo(" ".join(found.tokens))


@app.command()
def match(
    first: Annotated[
        str,
        typer.Argument(
            help="Settings like movetime=100,algorithm=alphabeta,hash=16,skill=20; "
            "another engine's command comes last: nodes=5000,cmd=old/bin/blockwit engine."
        ),
    ],
    second: Annotated[str, typer.Argument(help="The other player's settings.")],
    pairs: Annotated[
        int | None, typer.Option(min=1, help="Pairs of games, seats swapped within a pair; default 50, tests 50000.")
    ] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="ELO0 ELO1", help="Stop once the games decide which Elo lead of the first is the truth."),
    ] = None,
    game: GameName = games.NAMES[0],
    seed: Annotated[int, typer.Option(help="Seed of openings and dice.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Games played at the same time.")] = 1,
    position: Position = None,
    option: RuleOptions = None,
) -> None:
    """Let two engines play each other: wins, draws, losses, Elo with its 95% interval."""
    from contextlib import closing

    from blockwit.arena import match as matches
    from blockwit.arena.sprt import Sprt

    tally = matches.Tally()
    one, two = matches.Player.parse(first), matches.Player.parse(second)
    test = Sprt(*sprt) if sprt else None
    most = pairs or (50_000 if test else 50)
    rules = rules_of(option)

    def work(stop: Stop) -> None:
        played = matches.play_match(game, rules, one, two, most, start=position, seed=seed, jobs=jobs, stop=stop)
        with progress(most) as tell, closing(played):
            tell(0, "pairs")
            for number, pair in enumerate(played, 1):
                tally.add(pair)
                remark = f"pairs +{tally.wins} ={tally.draws} -{tally.losses}"
                if test:
                    remark += f" {test.line(tally.pairs)}"
                tell(number, remark)
                if test and test.verdict(test.ratio(tally.pairs)):
                    break

    try:
        beside(work)
    finally:
        # Also when an engine has failed: what was played counts.
        if tally.games:
            elo, low, high = tally.elo()
            typer.echo(f"{one.text} against {two.text}: {tally.games} games")
            typer.echo(f"+{tally.wins} ={tally.draws} -{tally.losses}  score {100 * tally.score:.1f}%")
            typer.echo(f"Elo {elo:+.0f} (95%: {low:+.0f} to {high:+.0f})  plies a game {tally.plies / tally.games:.1f}")
            typer.echo(f"points a game {tally.points[0] / tally.games:.2f} : {tally.points[1] / tally.games:.2f}")
            if test:
                typer.echo(test.line(tally.pairs))


@app.command()
def simulate(
    policy: Annotated[str, typer.Argument(help="random, greedy, or settings like movetime=300,algorithm=mcts.")],
    count: Annotated[int, typer.Option("--games", min=1, help="Number of games.")] = 1000,
    game: ChanceGame = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first game; the next one has the next.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Games played at the same time.")] = 1,
    journal: Annotated[
        Path | None, typer.Option(help="Keep every finished game here; the same call goes on where it stopped.")
    ] = None,
    option: RuleOptions = None,
) -> None:
    """Play many seeded games: mean, spread, percentiles and a histogram of the points."""
    from blockwit.arena import simulate as simulation

    samples: list[simulation.Sample] = []
    chosen, rules = game or games.planned(), rules_of(option)
    simulation.check_policy(policy)
    writing.check_writable(journal)

    def work(stop: Stop) -> None:
        total = 0.0
        with progress(count) as tell:
            tell(0, "")
            played = simulation.simulate(
                chosen, rules, policy, range(seed, seed + count), jobs=jobs, journal=journal, stop=stop
            )
            for sample in played:
                samples.append(sample)
                total += sum(sample.points) / len(sample.points)
                tell(len(samples), f"mean {total / len(samples):.2f}")

    try:
        beside(work)
    finally:
        # Also when the journal could not be written: what was played counts.
        if samples:
            figures = simulation.summarise(samples)
            error = f"{figures.mean:.2f} ± {figures.error:.2f} (standard error)"
            typer.echo(f"{figures.games} games of {policy}: mean {error}")
            typer.echo(
                f"deviation {figures.deviation:.2f}, decisions {figures.decisions:.1f}, rolls {figures.chances:.1f}"
            )
            shares = zip(simulation.PERCENTILES, figures.percentiles, strict=True)
            typer.echo("percentiles " + "  ".join(f"{share}%: {value:g}" for share, value in shares))
            for line in simulation.histogram(figures.values):
                typer.echo(line)


@app.command()
def analyse(
    file: Annotated[Path, typer.Argument(help="A recorded game: JSON, or lines of the protocol (docs/analysis.md).")],
    movetime: Annotated[int, typer.Option(min=1, help="Milliseconds for each search, one or two a move.")] = 300,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes instead of a time: can be repeated.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw losses and the worst mistakes to this SVG file.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures to this file.")] = None,
) -> None:
    """Judge a recorded game: the loss of each move against the best one, the worst mistakes explained."""
    import json

    from rich.console import Console
    from rich.table import Table

    from blockwit.search import Limits
    from blockwit.study import analyse as analysis

    limits = Limits(nodes=nodes) if nodes else Limits(movetime=movetime)
    record = analysis.load_record(file)
    writing.check_writable(svg, json_file)

    def work(stop: Stop) -> analysis.Analysis:
        with progress(len(record.moves)) as tell:
            tell(0, "moves")
            return analysis.analyse(record, limits, lambda done: tell(done, "moves"), stop)

    found = beside(work)
    table = Table(title=f"{found.game.title}: expected {found.game.unit}")
    for name in ("no.", "player", "move", "best", "worth", "loss"):
        table.add_column(name, justify="left" if name in ("move", "best") else "right", overflow="fold")
    for row in analysis.rows(found):
        table.add_row(*row)
    Console().print(table)
    for player, (count, lost) in sorted(analysis.totals(found).items()):
        typer.echo(f"player {player + 1}: {lost:.2f} {found.game.unit} lost in {count} moves")
    for each in found.worst():
        typer.echo(analysis.explanation(each, found.game.unit))
    kept = svg is None or save(svg, analysis.svg(found))
    kept &= json_file is None or save(json_file, json.dumps(analysis.as_json(found), indent=1) + "\n")
    if not kept:
        raise typer.Exit(WRONG)


@app.command()
def train(
    game: Annotated[str, typer.Argument(help="Which game; one whose evaluation is learned.")],
    weights: Annotated[Path, typer.Argument(help="Write the learned weights to this file.")],
    total: Annotated[int, typer.Option("--games", min=1, help="Games to play in all.")] = 1_000_000,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so long, all sittings together.")] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Keep the state here; the same call goes on where it stopped. Default: WEIGHTS.checkpoint."),
    ] = None,
    curve: Annotated[Path | None, typer.Option(help="Draw the learning curve to this SVG file.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Parts of a round, each in a process of its own.")] = 1,
    threads: Annotated[int, typer.Option(min=0, help="Threads of each; 0: one a core. 1 can be repeated.")] = 0,
    cluster: Annotated[str | None, typer.Option(help="Address of a dask scheduler that runs the parts.")] = None,
    round_games: Annotated[int, typer.Option(min=1, help="Games between two checkpoints.")] = 2000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    solo: Annotated[float, typer.Option(min=0, max=1, help="Share of the games for one player.")] = 0.6,
    decay: Annotated[float, typer.Option(min=0, max=1, help="Lambda of the returns.")] = 0.8,
    rate: Annotated[float, typer.Option(help="Factor of all step sizes, up to 1.")] = 1.0,
    optimism: Annotated[float, typer.Option(help="Points that an unknown sheet is thought to bring.")] = 0.0,
) -> None:
    """Learn a game's evaluation by self-play from nothing; can be stopped and resumed at any time."""
    import os

    from blockwit.games import weights as learned
    from blockwit.jobs import executor
    from blockwit.study import train as training

    recipe = training.Recipe(game, seed, round_games, jobs, threads or os.cpu_count() or 1, solo, decay, rate, optimism)
    kept = checkpoint or weights.with_name(f"{weights.name}.checkpoint")
    writing.check_writable(weights, kept, curve)
    with training.Training(recipe, kept) as course:

        def work(stop: Stop) -> None:
            with executor(jobs, cluster, stop, note) as pool, progress(total, course.progress.games) as tell:
                tell(course.progress.games, "games")

                def told() -> None:
                    figures = " ".join("-" if mean is None else f"{mean:.1f}" for mean in course.progress.curve[-1][2])
                    tell(course.progress.games, f"games, points {figures}")
                    if curve is not None:
                        training.draw_curve(course, curve)

                course.run(pool, total, None if minutes is None else 60 * minutes, told, stop)

        try:
            beside(work)
        finally:
            # Also when the checkpoint could not be written: what was learned counts.
            if course.progress.games:
                learned.write(weights, course.weights())
    typer.echo(f"{course.progress.games} games in {course.progress.seconds / 60:.1f} minutes: {weights}")
    if course.progress.games < total and minutes is None:
        note(f"the same call goes on from {kept}")


def version(value: bool) -> None:
    """Print the version and leave."""
    if value:
        typer.echo(f"blockwit {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of every command."""


def main() -> None:
    """Be the command `blockwit`."""
    ending.hear()
    ending.leave(app)
