"""The executors that jobs run on: threads, spawned processes, or any other that is put in place."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from studio.kernel.job_worker import initialise

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableSequence

    from studio.kernel.job_context import Progress

_SLOTS = 1024


class ProcessPool:
    """Spawned worker processes with a line for progress and cancel; started at first use."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or min(4, os.cpu_count() or 1)
        self._executor: Any = None
        self._queue: Any = None
        self._cancelled: MutableSequence[int] = []

    def executor(self) -> Executor:
        """Return the running pool; a pool whose worker died is replaced by a new one."""
        if self._executor is not None and getattr(self._executor, "_broken", False):
            self.close()
        if self._executor is None:
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            context = multiprocessing.get_context("spawn")
            # Written to at once, so that reports arrive before the result.
            self._queue = context.SimpleQueue()
            self._cancelled = context.RawArray("q", _SLOTS)
            self._executor = ProcessPoolExecutor(
                self._workers,
                mp_context=context,
                initializer=initialise,
                initargs=(self._queue, self._cancelled),
            )
        executor: Executor = self._executor
        return executor

    def cancel(self, number: int) -> None:
        """Tell the worker that runs job `number` that its result is not wanted."""
        if self._cancelled:
            self._cancelled[number % _SLOTS] = number

    def progress(self) -> Iterator[tuple[int, Progress]]:
        """Yield what the workers reported since the last call."""
        while self._queue is not None and not self._queue.empty():
            yield self._queue.get()

    def close(self) -> None:
        """End all workers, also those in the middle of something."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        processes = list((executor._processes or {}).values())
        executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(2.0)
        executor.shutdown(wait=True)
        self._queue.close()
        self._queue = None


def thread_pool() -> Executor:
    """Return a pool of threads for numpy and for reading files."""
    return ThreadPoolExecutor(min(8, (os.cpu_count() or 1) + 2), thread_name_prefix="job")
