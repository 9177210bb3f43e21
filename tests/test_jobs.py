"""Executors: in place, in processes, on a cluster."""

from __future__ import annotations

import os

import pytest
from blockwit import jobs
from blockwit.errors import OptionError


def test_inline_works_here_and_hands_errors_on() -> None:
    with jobs.executor() as pool:
        assert pool.submit(os.getpid).result() == os.getpid()
        assert list(pool.map(abs, [-1, 2])) == [1, 2]
        failed = pool.submit(int, "x")
    with pytest.raises(ValueError, match="invalid literal"):
        failed.result()


def test_processes_are_others() -> None:
    with jobs.executor(2) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "tcp://", ""])
def test_cluster_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(jobs, "ANSWER_SECONDS", 0.3)
    with pytest.raises(OptionError, match="no scheduler answers") as caught, jobs.executor(1, address):
        pass
    assert "\n" not in str(caught.value)
