"""Endgame tables of Deblockle: which of them holds a position.

One block against one is solved in a fraction of a second whenever it is first needed. One against two is built once
into a file of some 200 MB (`building`), and what is needed of it read from there (`tablefiles`).
docs/tables.md tells how that is done and what more blocks would take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from blockwit import _deblockle, _tables, reading
from blockwit.errors import TableError
from blockwit.games.base import Options

SLIDERS = ("free", "full", "full_or_beside_star")
RULES = 12


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


def in_folder(folder: Path, rules: int) -> tuple[Path, tuple[int, ...] | None]:
    """Return a table's path, and what tells this file from any other or later one of that name; None: no file.

    Raises:
        TableError: there is no such folder, or it cannot be looked at.
    """
    path = path_of(folder, rules)
    try:
        if not folder.is_dir():
            raise TableError(f"{folder}: expected a folder with endgame tables")
        info = path.stat()
    except FileNotFoundError:
        return path, None
    except (OSError, ValueError) as error:
        reading.failed(path, error, TableError)
    return path, (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


@dataclass(frozen=True)
class Tables:
    """All that is known under a reading of the rules: one against one, and what a folder holds of one against two."""

    compiled: _tables.Oracle
    path: Path | None = None
    owner: object = None
    """The open file, which the compiled tables read from."""

    def capsule(self) -> object:
        """Return a PyCapsule of a `bw_oracle` (ext/include/game.h), alive as long as this object."""
        return self.compiled.capsule()

    def probe(self, state: bytes) -> int | None:
        """Return what a state is worth to the player to move, see `Oracle` in ext/search/tables.pyx."""
        return self.compiled.probe(state)

    def trouble(self) -> str:
        """Return what is wrong with the file, empty for nothing: once it has failed it is not looked at any more."""
        tile = self.compiled.failed
        if tile is None:
            return ""
        return f"{self.path}: tile {tile} cannot be read or is damaged; the table is left out, build it again"


def oracle(rules: int, folder: str) -> Tables:
    """Return all that is known under a reading of the rules.

    A file is opened again when it has changed since: its name alone says nothing.

    Args:
        rules: see `rules_number`.
        folder: where files of `build` lie; empty for none.

    Raises:
        TableError: there is no such folder, or its table cannot be used.
    """
    path, identity = in_folder(Path(folder), rules) if folder else (Path(), None)
    if identity is None:
        return _small(rules)
    tables = _opened(rules, path, identity)
    if isinstance(tables, str):
        raise TableError(tables)
    return tables


@cache
def _small(rules: int) -> Tables:
    return Tables(_tables.Oracle(_deblockle.blocks_capsule(), rules, ones(rules)))


@lru_cache(maxsize=RULES)
def _opened(rules: int, path: Path, identity: tuple[int, ...]) -> Tables | str:
    """Return the tables with a file, or what is wrong with it; `identity` tells it from what had its name before."""
    # Here, because one against one needs none of it.
    from blockwit.games.deblockle.tablefiles import read_table

    try:
        table = read_table(path)
        capsule = _deblockle.blocks_capsule()
        compiled = _tables.Oracle(capsule, rules, ones(rules), table.handle, table.start, table.offsets, table.sums)
        return Tables(compiled, path, table.file)
    except TableError as error:
        return str(error)
    except (ValueError, MemoryError) as error:
        return f"{path}: {error}; build it again"
