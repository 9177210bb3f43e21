"""The compiled tree search (ext/search/mcts.pyx)."""

from collections.abc import Callable, Sequence

class Searcher:
    def __init__(self, capsule: object, hash_mb: int = 16) -> None: ...
    def arm(self) -> None: ...
    def stop(self) -> None: ...
    def clear(self) -> None: ...
    def set_time(self, soft_ms: int, hard_ms: int) -> None: ...
    @property
    def nodes(self) -> int: ...
    def hashfull(self) -> int: ...
    def kept(self) -> int: ...
    def search(
        self,
        state: bytes,
        roots: Sequence[int],
        nodes: int,
        report: Callable[[int, int, int, float, int, int, list[int], bool], None] | None,
        *,
        depth: int = 0,
        multipv: int = 1,
        seed: int = 0,
        width: int = 16,
        open_loop: bool = False,
        playouts: bool = False,
        reuse: bool = True,
        explore: float = 0.5,
        trust: float = 2.0,
        widen_base: float = 1.0,
        widen_power: float = 0.5,
        sample_base: float = 1.0,
        sample_power: float = 1.0,
    ) -> list[tuple[float, list[int], bool]]: ...

def random_games(capsule: object, state: bytes, seed: int, games: int) -> tuple[list[int], int, int]: ...
