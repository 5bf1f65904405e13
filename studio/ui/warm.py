"""Importing large libraries in the background, before the first view needs them."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.app import App
    from studio.kernel.job_context import JobContext

_FOR_TEXTS = ("pyside6_scintilla", "lexilla")
_FOR_DATA = ("numpy", "pandas", "pyqtgraph")
_TRACES = ("trace", "profile")
_FOR_TRACES = ("studio.trace", "studio.perf.opened", "studio.perf.overview")
_DATA = ("trace", "profile", "memory", "dump", "tensor", "log")


def warm_up(app: App) -> bool:
    """Start to import what views of the open project will need; False while nothing is known."""
    if app.project is None or not app.project.items:
        return False
    names = _FOR_TEXTS + (_FOR_DATA if app.project.items_of(*_DATA) else ())
    if app.project.items_of(*_TRACES):
        names += _FOR_TRACES
        app.jobs.start(
            "studio:trace.prepare.load_kernels",
            {},
            title=tr("Preparing the views"),
            key="warm kernels",
        )
    app.jobs.start(
        "studio:ui.warm.import_libraries",
        {"names": names},
        title=tr("Preparing the views"),
        key="warm",
    )
    return True


def import_libraries(names: tuple[str, ...], job: JobContext) -> None:
    """Import each library that is installed; runs on a thread of its own."""
    for name in names:
        job.check()
        with suppress(ImportError):
            import_module(name)
