"""Spread the comparison of many files over the machine's processors."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
R = TypeVar("R")
C = TypeVar("C")

_WORTH_IT = 1500
"""Pairs below which starting processes takes longer than it saves."""

_BATCH = 250
_MOST_PROCESSES = 8
_TRIM_THRESHOLD, _MAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h


def run_all(
    function: Callable[[T, C], R],
    items: Sequence[T],
    common: C,
    report: Callable[[float], object],
) -> list[R]:
    """Return `function(item, common)` of all items in order; `report` may raise to end it."""
    workers = min(os.cpu_count() or 1, _MOST_PROCESSES, len(items) // _BATCH)
    if workers < 2 or len(items) < _WORTH_IT:
        results = []
        for place, item in enumerate(items):
            if place % 20 == 0:
                report(place / len(items))
            results.append(function(item, common))
        return results
    return _spread(function, items, common, report, workers)


def _spread(
    function: Callable[[T, C], R],
    items: Sequence[T],
    common: C,
    report: Callable[[float], object],
    workers: int,
) -> list[R]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    from studio.i18n import language
    from studio.kernel.job_worker import Bootstrap, Task, run_task
    from studio.kernel.references import Reference

    bootstrap = Bootstrap((Path(__file__).parents[2],), language())
    reference = Reference("precision", "core.parallel", "run_batch")
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    results: list[R] = []
    try:
        futures = []
        for start in range(0, len(items), _BATCH):
            batch = items[start : start + _BATCH]
            arguments = {"function": function, "batch": batch, "common": common}
            futures.append(pool.submit(run_task, Task(0, reference, arguments, bootstrap)))
        for future in futures:
            outcome = future.result()
            if outcome.error is not None:
                raise outcome.error
            results += outcome.result
            report(len(results) / len(items))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return results


def run_batch(function: Callable[[Any, Any], R], batch: Sequence[Any], common: object) -> list[R]:
    """Run one batch in a worker process, which finds this function by its name."""
    _keep_memory()
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
