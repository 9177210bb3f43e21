"""Where work is done: in this process, in several local ones, or on the machines of a cluster; and how it is ended."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from multiprocessing.connection import Connection
from typing import Any

from blockwit.errors import BlockwitError, OptionError, quote

ANSWER_SECONDS = 20
"""How long a scheduler may take to answer."""


class Stop:
    """Asks work to end, from any thread and once for all."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._set = threading.Event()
        self._calls: dict[object, Callable[[], object]] = {}

    def set(self) -> None:
        """Ask, and call what `calls` has been given."""
        with self._lock:
            self._set.set()
            for function in list(self._calls.values()):
                self._call(function)

    def is_set(self) -> bool:
        """Tell whether the work has to end."""
        return self._set.is_set()

    @contextmanager
    def calls(self, function: Callable[[], object]) -> Iterator[None]:
        """Let `set` call a function as long as the block runs; where it came before, that is at once."""
        key = object()
        with self._lock:
            self._calls[key] = function
            if self._set.is_set():
                self._call(function)
        try:
            yield
        finally:
            with self._lock:
                del self._calls[key]

    @staticmethod
    def _call(function: Callable[[], object]) -> None:
        # An engine that has died need not be stopped.
        with suppress(BlockwitError):
            function()


_CURRENT: ContextVar[Stop | None] = ContextVar("stop of the work under way", default=None)


@contextmanager
def ended_by(function: Callable[[], object]) -> Iterator[None]:
    """Let the stop of the executor whose work this is call a function; in other processes there is none to come."""
    stop = _CURRENT.get()
    if stop is None:
        yield
    else:
        with stop.calls(function):
            yield


class Inline(Executor):
    """Does each piece of work at once, in the caller's thread."""

    def __init__(self, stop: Stop | None = None) -> None:
        self._stop = stop

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call `fn`; the future is done when it is returned. KeyboardInterrupt is not caught."""
        future: Future[Any] = Future()
        token = _CURRENT.set(self._stop)
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        finally:
            _CURRENT.reset(token)
        return future


class _Processes(ProcessPoolExecutor):
    """Local processes that end with this one, however it ends, and when they are told to; Ctrl-C is not for them."""

    def __init__(self, count: int) -> None:
        # A fork would take over half of what the parent's threads were doing.
        context = multiprocessing.get_context("spawn")
        heard, self._life = context.Pipe(duplex=False)
        super().__init__(count, mp_context=context, initializer=_live, initargs=(heard,))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor.submit`."""
        if sys.platform == "win32":
            return super().submit(fn, *args, **kwargs)
        # The processes start here, and begin with what this thread does not hear: also while they still import.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def end(self) -> None:
        """End the processes in the middle of their work."""
        self._life.close()


def _live(heard: Connection) -> None:
    """Begin a worker process that ends when the other end of the pipe is closed."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            heard.recv()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def _mute(line: str) -> None:
    """Tell nobody."""


@contextmanager
def executor(
    jobs: int = 1, cluster: str | None = None, stop: Stop | None = None, told: Callable[[str], None] = _mute
) -> Iterator[Executor]:
    """Yield an executor; what has not begun when the block ends is dropped, what is not done when it fails is ended.

    Args:
        jobs: local processes; 1: no other process, see `Inline`.
        cluster: address of a dask scheduler like tcp://host:8786, whose workers have this package installed;
            `jobs` says nothing then.
        stop: ends the work; its futures fail.
        told: called with a line for people when there is something to wait for.

    Raises:
        OptionError: the extra `cluster` is not installed, or no scheduler answers or goes on answering.
    """
    stop = stop or Stop()
    if cluster is not None:
        with _cluster(cluster, stop, told) as pool:
            yield pool
    elif jobs == 1:
        yield Inline(stop)
    else:
        local = _Processes(jobs)
        try:
            with stop.calls(local.end):
                yield local
        except BaseException:
            local.end()
            raise
        finally:
            if stop.is_set():
                local.end()
            local.shutdown(cancel_futures=True)
            local.end()


def finished(pool: Executor, work: Callable[[Any], Any], items: Iterable[Any], stop: Stop) -> Iterator[Future[Any]]:
    """Yield a future for each item's work as it is done; after a stop no more."""
    if isinstance(pool, Inline):
        for item in items:
            future = pool.submit(work, item)
            if stop.is_set():
                return
            yield future
        return
    done: queue.SimpleQueue[Future[Any] | None] = queue.SimpleQueue()
    futures = [pool.submit(work, item) for item in items]
    with stop.calls(lambda: done.put(None)):
        for future in futures:
            future.add_done_callback(done.put)
        for _ in futures:
            one = done.get()
            if one is None or stop.is_set():
                return
            yield one


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
def _cluster(address: str, stop: Stop, told: Callable[[str], None]) -> Iterator[Executor]:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise OptionError("a cluster needs the extra: pip install 'blockwit[cluster]'") from None
    # What goes wrong is said here, in one line; its loggers say it in pages.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        client = distributed.Client(address, timeout=ANSWER_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise OptionError(f"cluster {quote(address)}: no scheduler answers ({why})") from None
    try:
        if not client.scheduler_info()["workers"]:
            told(f"cluster {quote(address)}: the scheduler has no workers yet, waiting for them")
        pool = client.get_executor()
        try:
            # Unlike its namesakes it cancels what is not done when told not to wait.
            with stop.calls(lambda: pool.shutdown(wait=False)):
                yield pool
        finally:
            pool.shutdown(wait=False)
    except (CancelledError, distributed.CancelledError, OSError) as error:
        if stop.is_set() or (isinstance(error, OSError) and error.filename is not None):
            raise
        raise OptionError(f"cluster {quote(address)}: the scheduler is gone; what was not finished is lost") from None
    finally:
        client.close()
