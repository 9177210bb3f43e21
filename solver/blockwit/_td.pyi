"""Learning a linear value function by temporal differences, compiled (ext/search/td.pyx)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class Learner:
    def __init__(self, capsule: object, linear: object) -> None: ...
    @property
    def count(self) -> int: ...
    def get(self) -> bytes: ...
    def set(self, numbers: npt.NDArray[np.float32]) -> None: ...
    def stop(self) -> None: ...
    def play(
        self,
        starts: Sequence[bytes],
        shares: Sequence[float],
        seed: int,
        first: int,
        count: int,
        *,
        decay: float,
        rate: float,
    ) -> list[tuple[int, tuple[float, ...]]]: ...
