"""The work of opening a trace, done in a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.timeline.ui.scene import Scene
    from studio.kernel.job_context import JobContext

_PAINTING = ("pane", "slicepage", "rangepage", "markspage", "sources", "saved", "menu")


def load_scene(path: Path, colouring: str, job: JobContext) -> Scene:
    """Read a trace and prepare it for painting.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    for name in _PAINTING:
        importlib.import_module(f"plugins.timeline.ui.{name}")
    from plugins.timeline.ui.scene import make_scene
    from studio.trace import load

    trace = load(path, job=job)
    job.check()
    return make_scene(trace, colouring)
