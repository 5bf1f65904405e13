"""Scanning many files in several processes, since Python parses with one core only."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.core.sizes import total_size
from studio.i18n import language
from studio.kernel.job_worker import Bootstrap, Task, run_task
from studio.kernel.references import Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.migration.core.model import (
        Export,
        Extension,
        FileResult,
        ScanContext,
        Source,
        Strategy,
    )
    from studio.kernel.job_context import JobContext

_BATCH = 1_000_000
_MOST_PROCESSES = 16


def scan_in_processes(
    paths: Sequence[Path], context: ScanContext, job: JobContext | None
) -> dict[Path, FileResult]:
    """Scan files in batches; the results come in the order of the paths."""
    batches = _batches(paths)
    workers = min(len(batches), os.cpu_count() or 1, _MOST_PROCESSES)
    bootstrap = Bootstrap((Path(__file__).parents[2],), language())
    function = Reference("migration", "core.parallel", "scan_batch")
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    found: dict[Path, FileResult] = {}
    try:
        waiting = []
        for batch in batches:
            arguments = {"paths": batch, **asdict(context)}
            waiting.append(pool.submit(run_task, Task(0, function, arguments, bootstrap)))
        for number, done in enumerate(as_completed(waiting), 1):
            outcome = done.result()
            if outcome.error is not None:
                raise outcome.error
            found.update((result.path, result) for result in outcome.result)
            if job is not None:
                job.check()
                job.report(number / len(batches))
    finally:
        pool.shutdown(cancel_futures=True)
    return {path: found[path] for path in paths}


def scan_batch(
    paths: Sequence[Path],
    torch: str,
    chip: str,
    strategy: Strategy,
    rules: tuple[Source, ...],
    exports: tuple[Export, ...],
    own: tuple[str, ...],
    extensions: tuple[Extension, ...],
) -> list[FileResult]:
    """Scan some files in a worker process, which finds this function by its name."""
    from plugins.migration.core.analyses import Analyses
    from plugins.migration.core.model import ScanContext
    from plugins.migration.core.scan import scan_file

    _watch_parent()
    context = ScanContext(torch, chip, strategy, rules, exports, own, extensions)
    with Analyses(context) as kept:
        return [scan_file(path, context, kept) for path in paths]


@cache
def _watch_parent() -> None:
    """End this process with the program, however that ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _batches(paths: Sequence[Path]) -> list[list[Path]]:
    batches: list[list[Path]] = [[]]
    size = 0
    for path in paths:
        if size > _BATCH:
            batches.append([])
            size = 0
        batches[-1].append(path)
        size += total_size([path])
    return batches
