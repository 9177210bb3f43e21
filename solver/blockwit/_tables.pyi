from typing import Any

import numpy.typing as npt
from _typeshed import ReadableBuffer

Bytes = ReadableBuffer | npt.NDArray[Any]

ONES_SIZE: int
TWOS_SIZE: int
TILES: int

class Solver:
    def __init__(self, capsule: object, rules: int) -> None: ...
    def one_against_one(self) -> bytes: ...
    def lone_pass(
        self,
        pair_moves: Bytes,
        lone_moves: Bytes,
        pair_news: Bytes,
        lone_news: Bytes,
        low: int,
        high: int,
    ) -> int: ...
    def pair_pass(
        self,
        lone_moves: Bytes,
        pair_moves: Bytes,
        lone_news: Bytes,
        pair_news: Bytes,
        ones: Bytes,
        low: int,
        high: int,
    ) -> int: ...

class Oracle:
    def __init__(
        self,
        capsule: object,
        rules: int,
        ones: Bytes,
        handle: int = -1,
        start: int = 0,
        offsets: Bytes | None = None,
        sums: Bytes | None = None,
    ) -> None: ...
    @property
    def failed(self) -> int | None: ...
    def capsule(self) -> object: ...
    def probe(self, state: bytes) -> int | None: ...

def pack(tile: Bytes) -> bytes: ...
def checksum(data: Bytes) -> int: ...
