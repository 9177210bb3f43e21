"""The compiled expectimax searcher (ext/search/expectimax.pyx)."""

from collections.abc import Callable, Sequence

class Searcher:
    def __init__(self, capsule: object) -> None: ...
    def arm(self) -> None: ...
    def stop(self) -> None: ...
    def set_time(self, soft_ms: int, hard_ms: int) -> None: ...
    @property
    def nodes(self) -> int: ...
    def search(
        self,
        state: bytes,
        roots: Sequence[Sequence[int]],
        depth: int,
        nodes: int,
        report: Callable[[int, int, int, float, int, int, list[int], bool], None] | None,
        *,
        multipv: int = 1,
        seed: int = 0,
        width: int = 4,
        others: int = 1,
        root_width: int = 24,
        samples: int = 0,
        inner: int = 8,
        star: int = 2,
        margin: float = 0.0,
    ) -> list[tuple[float, list[int]]]: ...

def play_out(capsule: object, state: bytes, seed: int, width: int = 1) -> tuple[list[int], int, int]: ...
