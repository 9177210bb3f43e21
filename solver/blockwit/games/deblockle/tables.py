"""Endgame tables of Deblockle: their files, and which of them holds a position.

One block against one is solved in a fraction of a second whenever it is first needed. One against two is built once
into a file of some 200 MB (`blockwit.study.tables`) and mapped into memory from there. docs/tables.md tells how that
is done and what more blocks would take.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from blockwit import _deblockle, _tables
from blockwit.errors import TableError
from blockwit.games.base import Options

SLIDERS = ("free", "full", "full_or_beside_star")
RULES = 12
TILES = int(_tables.TILES)
SPARE = 8
HEADER = 512
MAGIC = "blockwit endgame table, version 1"
KIND = "deblockle 1v2"


def rules_number(options: Options) -> int:
    """Return the number that the compiled tables give to a reading of the rules."""
    return SLIDERS.index(str(options["slider"])) + 3 * (options["nohop"] == "end_turn") + 6 * bool(options["no_touch"])


def rules_name(rules: int) -> str:
    """Return a reading of the rules as it stands in file names, like `full-no_touch`."""
    return SLIDERS[rules % 3] + "-end_turn" * (rules // 3 % 2) + "-no_touch" * (rules // 6)


def path_of(folder: Path, rules: int) -> Path:
    """Return the file of a table in a folder."""
    return folder / f"deblockle-1v2-{rules_name(rules)}.table"


@cache
def ones(rules: int) -> bytes:
    """Return the table of one block against one; solved at the first call."""
    return _tables.Solver(_deblockle.blocks_capsule(), rules).one_against_one()


# --- files --------------------------------------------------------------------------------------------------


def little_endian(offsets: array[int]) -> bytes:
    """Return offsets as they stand in a file."""
    if sys.byteorder == "big":
        offsets = array("I", offsets)
        offsets.byteswap()
    return offsets.tobytes()


@dataclass(frozen=True)
class TableFile:
    """A table of one block against two, mapped into memory."""

    path: Path
    header: dict[str, Any]
    offsets: array[int]
    tiles: memoryview

    def check(self) -> None:
        """Read all of it. Raises TableError where the bytes are not those that were written."""
        digest = hashlib.sha256(self.tiles[:-SPARE])
        digest.update(little_endian(self.offsets))
        if digest.hexdigest() != self.header["sha256"]:
            raise TableError(f"{self.path}: damaged, its checksum does not fit; build it again")


def read_table(path: Path) -> TableFile:
    """Map a table into memory; only its header is looked at.

    Raises:
        TableError: it cannot be read, or is no such table.
    """
    start = HEADER + 4 * (TILES + 1)
    try:
        with path.open("rb") as file:
            head = file.read(HEADER)
            size = os.fstat(file.fileno()).st_size
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size > start else None
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from None
    try:
        header = json.loads(head)
        if header["format"] != MAGIC or header["kind"] != KIND:
            raise ValueError
        expected = start + int(header["bytes"]) + SPARE
        str(header["sha256"])
    except (ValueError, KeyError, TypeError):
        raise TableError(f"{path}: expected a file that begins with {MAGIC!r} for {KIND}") from None
    if mapped is None or size != expected:
        raise TableError(f"{path}: {size} bytes, expected {expected}: build it again")
    offsets = array("I", mapped[HEADER:start])
    if sys.byteorder == "big":
        offsets.byteswap()
    return TableFile(path, header, offsets, memoryview(mapped)[start:])


def found(folder: Path) -> Iterator[TableFile]:
    """Yield the tables in a folder. Raises TableError for no folder, or the first table that cannot be used."""
    if not folder.is_dir():
        raise TableError(f"{folder}: expected a folder with endgame tables")
    for rules in range(RULES):
        path = path_of(folder, rules)
        if path.exists():
            table = read_table(path)
            if table.header["rules"] != rules_name(rules):
                raise TableError(f"{path}: holds the rules {table.header['rules']}, expected {rules_name(rules)}")
            yield table


# --- lookup -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=RULES)
def oracle(rules: int, folder: str) -> _tables.Oracle:
    """Return all that is known under a reading of the rules: one against one, and what the folder holds.

    Args:
        rules: see `rules_number`.
        folder: where files of `build` lie; empty for none.

    Raises:
        TableError: the folder's table cannot be used.
    """
    path = path_of(Path(folder), rules)
    if not folder or not path.exists():
        return _tables.Oracle(_deblockle.blocks_capsule(), rules, ones(rules))
    table = read_table(path)
    try:
        return _tables.Oracle(_deblockle.blocks_capsule(), rules, ones(rules), table.tiles, table.offsets)
    except ValueError as error:
        raise TableError(f"{path}: {error}; build it again") from None
