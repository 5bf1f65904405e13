"""Spread the comparison of many files over the machine's processors."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from types import TracebackType

    from studio.kernel.job_worker import Outcome

T = TypeVar("T")
R = TypeVar("R")
C = TypeVar("C")

_WORTH_IT = 1500
"""Pairs below which starting processes takes longer than it saves."""

_BATCH = 100
_OFTEN = 20
_MOST_PROCESSES = 8
_TRIM_THRESHOLD, _MAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h


class Workers:
    """Processes that start at once when so many items are worth it, and end with the block.

    They load what they need while the program still finds out what there is to do.
    """

    def __init__(self, expected: int) -> None:
        workers = min(os.cpu_count() or 1, _MOST_PROCESSES, expected // _BATCH)
        self._pool = _Pool(workers) if workers > 1 and expected >= _WORTH_IT else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.end()

    def run(
        self,
        function: Callable[[T, C], R],
        items: Sequence[T],
        common: C,
        report: Callable[[float], object],
    ) -> Iterator[R]:
        """Yield `function(item, common)` of all items in order; `report` may raise to end it."""
        if self._pool is None:
            for place, item in enumerate(items):
                if place % _OFTEN == 0:
                    report(place / len(items))
                yield function(item, common)
            return
        starts = range(0, len(items), _BATCH)
        waiting = [
            self._pool.submit(function, items[start : start + _BATCH], common) for start in starts
        ]
        for start, future in zip(starts, waiting, strict=True):
            outcome = future.result()
            if outcome.error is not None:
                raise outcome.error
            yield from outcome.result
            report(min(1.0, (start + _BATCH) / len(items)))


class _Pool:
    """Processes that can run functions of this plugin."""

    def __init__(self, workers: int) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        from studio.i18n import language
        from studio.kernel.job_worker import Bootstrap
        from studio.kernel.references import Reference

        self._bootstrap = Bootstrap((Path(__file__).parents[2],), language())
        self._reference = Reference("precision", "core.parallel", "run_batch")
        self._pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
        for _ in range(workers):
            self.submit(_load, (0,), None)

    def submit(
        self, function: Callable[[T, C], R], batch: Sequence[T], common: C
    ) -> Future[Outcome]:
        """Have one batch worked on."""
        from studio.kernel.job_worker import Task, run_task

        arguments = {"function": function, "batch": batch, "common": common}
        return self._pool.submit(run_task, Task(0, self._reference, arguments, self._bootstrap))

    def end(self) -> None:
        """End the processes; what waits is no longer done."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _load(_item: int, _common: None) -> None:
    """Load what comparing needs."""
    from plugins.precision.core import measuring  # noqa: F401


def run_batch(function: Callable[[Any, Any], R], batch: Sequence[Any], common: object) -> list[R]:
    """Run one batch in a worker process, which finds this function by its name."""
    from studio.tensors.dumps.collecting import without_collection

    _keep_memory()
    with without_collection():
        return [function(item, common) for item in batch]


@cache
def _keep_memory() -> None:
    """Let this process keep the memory of arrays that it will need again.

    The C library of Linux gives the memory of each array back and asks for it anew, which takes
    twice as long as computing with it.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        tune = ctypes.CDLL(None).mallopt
        tune(_TRIM_THRESHOLD, 256 << 20)
        tune(_MAP_THRESHOLD, 32 << 20)
