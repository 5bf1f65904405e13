"""The work of opening a trace, done in a job."""

from __future__ import annotations

import importlib
from dataclasses import replace
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
    from plugins.timeline.ui.painting import prepare
    from plugins.timeline.ui.scene import make_scene
    from studio.trace import load

    trace = load(path, job=job)
    job.check()
    scene = make_scene(trace, colouring)
    prepare(scene.rows)
    return scene


def without_python(scene: Scene) -> Scene:
    """Prepare a trace without the Python frames in it; may run in a job."""
    from plugins.timeline.core.partial import keep
    from plugins.timeline.ui.classes import is_python
    from plugins.timeline.ui.scene import make_scene

    made = make_scene(keep(scene.trace, ~is_python(scene.trace)), scene.colouring)
    return replace(made, python=False)
