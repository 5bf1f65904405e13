"""The work of opening a memory record, done in a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.memory.core import Memory
    from studio.kernel.job_context import JobContext
    from studio.ui.envelope import Envelope

    Prepared = tuple[Memory, list[Envelope]]


def load_memory(path: Path, job: JobContext) -> Prepared:
    """Read a memory record and prepare its curves for drawing.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.memory.ui.pane")
    from plugins.memory.core import load
    from studio.ui.envelope import Envelope

    memory = load(path, job=job)
    return memory, [Envelope(curve.times, curve.values) for curve in memory.curves]
