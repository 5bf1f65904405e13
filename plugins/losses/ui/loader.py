"""The work of opening training logs, done in a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugins.losses.core.curves import Logs
    from studio.kernel.job_context import JobContext


def load_logs(path: str, base: str, job: JobContext) -> Logs:
    """Read one log or two; also imports the code that will show them, which takes a while."""
    importlib.import_module("plugins.losses.ui.pane")
    from plugins.losses.core.curves import read_logs

    return read_logs(path, base, job)
