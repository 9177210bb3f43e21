"""Types of the compiled enumeration of levels. Layouts and nodes are opaque `bytes`."""

from collections.abc import Callable, Sequence
from typing import overload

Spot = tuple[int, int, int, int]
"""(digit, rotation, x, y)."""

class Coverer:
    nodes: int
    overflow: int
    def __init__(self, shapes: Sequence[Sequence[Sequence[tuple[int, int]]]]) -> None: ...
    def layout(self, spots: Sequence[Spot]) -> bytes: ...
    def spots(self, raw: bytes) -> tuple[Spot, ...]: ...
    def all_layouts(
        self,
        counts: Sequence[int],
        cap: int = 1_000_000,
        columns: int = 0,
        rows: int = 0,
        stopped: Callable[[], bool] | None = None,
    ) -> tuple[list[bytes], bool]: ...
    def below(
        self,
        layouts: Sequence[bytes],
        counts: Sequence[int],
        table: bool = False,
        cap: int = 100_000,
        max_nodes: int = ...,
        columns: int = 0,
        rows: int = 0,
        stopped: Callable[[], bool] | None = None,
    ) -> tuple[list[tuple[bytes, int]], bool]: ...
    @overload
    def carried(self, layouts: Sequence[bytes], counts: Sequence[int]) -> set[tuple[int, ...]]: ...
    @overload
    def carried(
        self, layouts: Sequence[bytes], counts: Sequence[int], stopped: Callable[[], bool]
    ) -> set[tuple[int, ...]] | None: ...
    def make_node(self, layout: bytes, counts: Sequence[int], score: int) -> bytes: ...
    def node(self, raw: bytes) -> tuple[bytes, tuple[int, ...], int, int, int, int]: ...
    def expand(
        self,
        raw: bytes,
        index: int,
        level: int,
        tiles: int,
        waste: int,
        slack: int,
        perimeter: int,
        noise: int,
        per_set: int,
        max_nodes: int,
        seed: int,
        stopped: Callable[[], bool] | None = None,
    ) -> list[bytes]: ...
