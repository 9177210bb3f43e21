"""Where work is done: in this process, in several local ones, or on the machines of a cluster."""

from __future__ import annotations

import importlib
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from blockwit.errors import OptionError, quote

ANSWER_SECONDS = 20
"""How long a scheduler may take to answer."""


class Inline(Executor):
    """Does each piece of work at once, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn`; the future is done when it is returned. KeyboardInterrupt is not caught."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def executor(jobs: int = 1, cluster: str | None = None) -> Iterator[Executor]:
    """Yield an executor; what has not begun when the block ends is dropped.

    Args:
        jobs: local processes; 1: no other process, see `Inline`.
        cluster: address of a dask scheduler like tcp://host:8786, whose workers have this package installed;
            `jobs` says nothing then.

    Raises:
        OptionError: the extra `cluster` is not installed, or no scheduler answers.
    """
    if cluster is not None:
        with _cluster(cluster) as pool:
            yield pool
    elif jobs == 1:
        yield Inline()
    else:
        # A fork would take over half of what the parent's threads were doing.
        local = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
        try:
            yield local
        finally:
            local.shutdown(cancel_futures=True)


def startable(wanted: int) -> int:
    """Return how many threads this process can have beside those it has, at most `wanted`.

    A limit of processes or of address space shows only when a thread is asked for; they end at once.
    """
    end = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(wanted):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError):  # "can't start new thread"
        pass
    finally:
        end.set()
        for thread in started:
            thread.join()
    return len(started)


def threads(wanted: int) -> Executor:
    """Return an executor with as many threads as are wanted or can be had; without any it works in the caller's.

    A ThreadPoolExecutor alone raises from the middle of its work, when a thread cannot be had, and keeps what it was
    handed for the others.
    """
    found = startable(wanted)
    return ThreadPoolExecutor(found) if found else Inline()


def worker_died(error: BaseException) -> bool:
    """Return whether a future failed because a process that worked on it died; a cluster has tried others before."""
    # Where no cluster was asked for, nothing of it is loaded.
    distributed = sys.modules.get("distributed")
    kinds = (BrokenExecutor,) if distributed is None else (BrokenExecutor, distributed.KilledWorker)
    return isinstance(error, kinds)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise OptionError("a cluster needs the extra: pip install 'blockwit[cluster]'") from None
    try:
        client = distributed.Client(address, timeout=ANSWER_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise OptionError(f"cluster {quote(address)}: no scheduler answers ({why})") from None
    try:
        pool = client.get_executor()
        try:
            yield pool
        finally:
            # Unlike its namesakes it cancels what is not done when told not to wait.
            pool.shutdown(wait=False)
    finally:
        client.close()
