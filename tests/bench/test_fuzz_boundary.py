"""A small dose of `python -m bench.fuzz boundary`, and that it would find what is broken."""

from __future__ import annotations

import pytest

from bench import fuzz_boundary
from bench.fuzz_boundary import BadEndError, Case, boundary


def test_a_dose() -> None:
    said: list[str] = []
    boundary(1, 0, 1500, said.append)
    assert said[-1].endswith("nothing broke")


def test_a_case_comes_out_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        told = []
        for _ in range(2):
            case = Case(f"3 {number}")
            monkeypatch.setattr(case, "call", lambda *call, case=case: case.told.append(str((call[:2], case.state()))))
            case.run()
            told.append(case.told)
        assert told[0] == told[1]


def test_a_crash_is_told_with_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        fuzz_boundary, "CHILD", ["-c", "import os, sys; open(sys.argv[4], 'r+').write('17'); os.abort()"]
    )
    with pytest.raises(BadEndError, match=r"--seed 1 --first 17 --count 1\nexit code -6"):
        boundary(1, 10, 20)


def test_a_hang_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_boundary, "CHILD", ["-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(fuzz_boundary, "PATIENCE", 0.5)
    with pytest.raises(BadEndError, match="it hangs"):
        boundary(1, 10, 20)
