"""What files of NMBR 9 claim: solution files, progress files, benchmark records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ConfigDict, ValidationError

from blockwit import reading
from blockwit.errors import SolutionError
from blockwit.models import Model
from blockwit.search.cpsat.problem import read_problem
from blockwit.search.cpsat.progress import FORMAT
from blockwit.search.cpsat.verify import Claim, claim_of_progress, claim_of_solution
from blockwit.study import records
from blockwit.study.puzzles.benchmarks import FreeLine, Line, Nmbr9Line


class _Told(Model):
    """The part of a file that says what it is."""

    model_config = ConfigDict(extra="ignore")

    format: str = ""


def claims(path: Path) -> Iterator[tuple[str, Claim]]:
    """Yield what a file claims, each with the name to call it by; all plans are replayed by then.

    Raises:
        WrongClaimError: a plan, a figure or a checksum is wrong.
        SolutionError: it is no such file, or cannot be read.
    """
    first = next((line for _, line, _ in reading.lines(path, SolutionError)), "")
    if records.is_benchmark(first):
        for number, (_, line) in enumerate(records.read_file(path), 1):
            yield f"line {number}, seed {line.seed}", _claim_of(path, line)
        return
    text = reading.text(path, SolutionError)
    try:
        is_progress = _Told.model_validate_json(text).format == FORMAT
    except (ValidationError, UnicodeEncodeError):
        is_progress = False
    try:
        claim = (claim_of_progress if is_progress else claim_of_solution)(text)
    except SolutionError as error:
        raise type(error)(f"{path}: {error}") from None
    yield claim.problem.name, claim


def _claim_of(path: Path, line: Line) -> Claim:
    if isinstance(line, Nmbr9Line):
        name = "K:" + line.position.partition(" ")[2]
    elif isinstance(line, FreeLine):
        name = line.problem
    else:
        raise SolutionError(f"{path}: records of {line.kind}, expected plans of NMBR 9")
    return Claim(read_problem(name), line.value, line.bound)
