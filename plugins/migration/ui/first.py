"""The first scan: what the views need is imported in the background before they are made."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.kernel.job_context import JobContext

_PARTS = ("ui.commands", "ui.panel", "ui.overview", "ui.jobs", "core.registry")


def find(studio: Studio) -> None:
    """Show the panel and scan the project; the window stays usable while modules are read."""
    if _names()[-1] in sys.modules:
        _find(studio)
        return
    studio.start_job(
        "migration:ui.first.import_parts",
        {},
        title=tr("Preparing the views"),
        key="parts",
        done=lambda _nothing: _find(studio),
    )


def import_parts(job: JobContext) -> None:
    """Import what a scan and its views need; runs on a thread of its own."""
    for name in _names():
        job.check()
        import_module(name)


def _names() -> list[str]:
    package = __package__.rpartition(".")[0]
    return [f"{package}.{part}" for part in _PARTS]


def _find(studio: Studio) -> None:
    from plugins.migration.ui.commands import find

    find(studio)
