"""Work that nobody waits for any more: jobs whose results a closed view would have shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from studio.kernel.jobs import Jobs


def cancel_jobs_of(jobs: Jobs, view: QWidget | None) -> None:
    """Cancel the jobs that would deliver to a method of this view or of a widget in it."""
    if view is None:
        return
    for job in jobs.active():
        for callback in (job.done, job.failed):
            function = callback.func if isinstance(callback, partial) else callback
            owner = getattr(function, "__self__", None)
            if owner is view or (isinstance(owner, QWidget) and view.isAncestorOf(owner)):
                job.cancel()
                break
