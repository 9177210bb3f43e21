"""Files of Deblockle's endgame tables of one block against two.

A file is not believed unchecked: its index has a checksum that is compared when it is opened, and each tile one that is
compared when it is first read. A table that fails is one that is not there, and says so.
"""

from __future__ import annotations

import hashlib
import os
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field

from blockwit import _tables, reading
from blockwit.errors import TableError
from blockwit.games.deblockle.tables import RULES, in_folder, path_of, rules_name
from blockwit.models import Model, read

TILES = int(_tables.TILES)
HEADER = 512
INDEX = 4 * (2 * TILES + 1)
"""Bytes of the index after the header: where each tile begins, where the last one ends, the CRC-32 of each."""
MAGIC: Literal["blockwit endgame table, version 2"] = "blockwit endgame table, version 2"
OLD = "blockwit endgame table, version 1"
KIND: Literal["deblockle 1v2"] = "deblockle 1v2"


class TableHeader(Model):
    """The first HEADER bytes of a file, one line."""

    format: Literal["blockwit endgame table, version 2"]
    kind: Literal["deblockle 1v2"]
    rules: str = Field(description="the reading of the rules, see `rules_name`")
    bytes: int = Field(ge=0, lt=1 << 32, description="of all tiles together")
    index: str = Field(description="SHA-256 of the index")
    sha256: str = Field(description="of the tiles, then the index")


def little_endian(numbers: array[int]) -> bytes:
    """Return numbers as they stand in a file."""
    if sys.byteorder == "big":
        numbers = array("I", numbers)
        numbers.byteswap()
    return numbers.tobytes()


def _from_little_endian(raw: bytes) -> array[int]:
    numbers = array("I", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


@dataclass(frozen=True)
class TableFile:
    """An open file of a table of one block against two: `offsets` of the tiles, and their checksums `sums`."""

    path: Path
    file: BinaryIO
    header: TableHeader
    offsets: array[int]
    sums: array[int]

    @property
    def start(self) -> int:
        """Byte of the file where the tiles begin."""
        return HEADER + INDEX

    def check(self) -> None:
        """Read all of it. Raises TableError where the bytes are not those that were written."""
        digest, left = hashlib.sha256(), self.header.bytes
        try:
            self.file.seek(self.start)
            while left and (chunk := self.file.read(min(left, 1 << 20))):
                digest.update(chunk)
                left -= len(chunk)
        except OSError as error:
            reading.failed(self.path, error, TableError)
        digest.update(little_endian(self.offsets) + little_endian(self.sums))
        if left or digest.hexdigest() != self.header.sha256:
            raise TableError(f"{self.path}: damaged, its checksum does not fit; build it again")

    @property
    def handle(self) -> int:
        """What the compiled tables read by: the descriptor, on Windows the HANDLE."""
        descriptor = self.file.fileno()
        if sys.platform == "win32":
            import msvcrt

            return msvcrt.get_osfhandle(descriptor)
        return descriptor


def read_table(path: Path) -> TableFile:
    """Open a table; its header and index are compared with their checksum, its tiles are not looked at.

    Raises:
        TableError: it cannot be read, is no such table, or not the one that its name says.
    """
    file = reading.open_file(path, TableError)
    try:
        return _read(path, file)
    except BaseException:
        file.close()
        raise


def _read(path: Path, file: BinaryIO) -> TableFile:
    try:
        head, index = file.read(HEADER), file.read(INDEX)
        size = os.fstat(file.fileno()).st_size
    except OSError as error:
        reading.failed(path, error, TableError)
    if OLD.encode() in head:
        raise TableError(f"{path}: version 1 of the format, expected 2: build it again (blockwit tables build)")
    where = f"{path}: expected a file that begins with {MAGIC!r} for {KIND}"
    header = read(TableHeader, reading.decoded(head, where, TableError), TableError, where)
    expected = HEADER + INDEX + header.bytes
    if size != expected:
        raise TableError(f"{path}: {size} bytes, expected {expected}: build it again")
    if hashlib.sha256(index).hexdigest() != header.index:
        raise TableError(f"{path}: damaged, the checksum of its index does not fit; build it again")
    offsets = _from_little_endian(index[: 4 * (TILES + 1)])
    if offsets[-1] != header.bytes:
        raise TableError(f"{path}: its tiles end at byte {offsets[-1]}, expected {header.bytes}; build it again")
    table = TableFile(path, file, header, offsets, _from_little_endian(index[4 * (TILES + 1) :]))
    if path not in {path_of(path.parent, rules) for rules in range(RULES) if rules_name(rules) == header.rules}:
        raise TableError(f"{path}: holds the rules {header.rules}, which its name does not say")
    return table


def found(folder: Path) -> Iterator[TableFile | TableError]:
    """Yield the tables in a folder, and what is wrong with those that cannot be used.

    Raises:
        TableError: there is no such folder.
    """
    for rules in range(RULES):
        path, identity = in_folder(folder, rules)
        if identity is not None:
            try:
                yield read_table(path)
            except TableError as error:
                yield error
