"""The jobs of the window that a widget stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from studio.kernel.jobs import Jobs


def jobs_above(widget: QObject) -> Jobs | None:
    """The jobs of the program whose window holds a widget; None outside of a window."""
    above: QObject | None = widget
    while above is not None and not hasattr(above, "app"):
        above = above.parent()
    jobs: Jobs | None = None if above is None else above.app.jobs
    return jobs
