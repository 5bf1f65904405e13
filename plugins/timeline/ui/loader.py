"""The work of opening a trace, done in a job."""

from __future__ import annotations

import gc
import importlib
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from studio.formats.engine import kernels_loaded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugins.timeline.ui.scene import Scene
    from studio.kernel.job_context import JobContext

_PAINTING = ("pane", "slicepage", "rangepage", "markspage", "sources", "saved", "menu")


def load_scene(path: Path, colouring: str, job: JobContext) -> Scene:
    """Read a trace and prepare it for painting.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    with _collector_resting():
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


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Keep Python from looking for garbage meanwhile: that stops the window's thread, too.

    The compiler of kernels leaves so many objects behind that a look at all of them takes longer
    than a picture may; once it is there, they are left out of all later looks.
    """
    loaded, enabled = kernels_loaded(), gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if kernels_loaded() and not loaded:
            gc.freeze()
        if enabled:
            gc.enable()


def without_python(scene: Scene) -> Scene:
    """Prepare a trace without the Python frames in it; may run in a job."""
    from plugins.timeline.core.partial import keep
    from plugins.timeline.ui.classes import is_python
    from plugins.timeline.ui.scene import make_scene

    made = make_scene(keep(scene.trace, ~is_python(scene.trace)), scene.colouring)
    return replace(made, python=False)
