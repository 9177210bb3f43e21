"""All benches: one command, one file of results, one page of tables and pictures.

    python -m bench quick|full [--only NAME ...] [--out FILE] [--seed N]   run, then render bench/RESULTS.md
    python -m bench compare A.json B.json                                  what changed; * beyond the noise
    python -m bench list                                                   the benches and their commands

A run that was ended goes on where it was: finished benches of the same commit, size and seed are kept.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from blockwit.errors import BlockwitError

from bench import runner


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=(*runner.SIZES, "compare", "list"))
    parser.add_argument("files", nargs="*", type=Path, help="two files to compare")
    parser.add_argument("--only", action="append", help="run this bench alone; may be repeated")
    parser.add_argument("--out", type=Path, help="file of results; default: bench/results-SIZE.json")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if (len(args.files) == 2) != (args.what == "compare") or (args.files and args.what != "compare"):
        parser.error("compare needs two files, the others none")
    try:
        if args.what == "compare":
            print("\n".join(runner.compare(runner.read(args.files[0]), runner.read(args.files[1]))) or "no differences")
        elif args.what == "list":
            for bench in runner.BENCHES:
                print(f"{bench.name:20} {bench.question}")
                for size in runner.SIZES:
                    print(f"{'':20} {size}: python {shlex.join(bench.command(size, args.seed, Path('JOURNALS')))}")
        else:
            folder = Path(__file__).parent
            out = args.out or folder / f"results-{args.what}.json"
            try:
                runner.run(args.what, args.seed, out, runner.chosen(args.only))
            finally:
                if out.exists():
                    page = folder / "RESULTS.md" if args.out is None else out.with_suffix(".md")
                    runner.render(runner.read(out), page, page.parent / "plots")
    except BlockwitError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
