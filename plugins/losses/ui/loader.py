"""The work of opening training logs, done in a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.losses.core.curves import Logs
    from plugins.losses.ui.prepared import Prepared
    from studio.kernel.job_context import JobContext


def load_logs(
    path: str,
    base: str,
    job: JobContext,
    others: Sequence[str] = (),
    continued: Sequence[str] = (),
    base_continued: Sequence[str] = (),
    pattern: str = "",
) -> Logs:
    """Read the logs; also imports the code that will show them, which takes a while."""
    importlib.import_module("plugins.losses.ui.pane")
    from plugins.losses.core.curves import read_logs

    return read_logs(
        path,
        base,
        job,
        others=others,
        continued=continued,
        base_continued=base_continued,
        pattern=pattern,
    )


def prepare_series(
    logs: Logs, name: str, tolerance: float, smoothed: bool, job: JobContext
) -> Prepared:
    """Prepare a series of long logs for showing."""
    from plugins.losses.ui.prepared import prepare

    return prepare(logs, name, tolerance, smoothed, job)
