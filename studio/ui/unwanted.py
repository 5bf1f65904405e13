"""Work that nobody waits for any more: jobs whose results a closed view would have shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from studio.kernel.jobs import Jobs


def cancel_jobs_of(jobs: Jobs, view: QWidget | None) -> None:
    """Cancel the jobs that would deliver to a method of this view or of a widget in it."""
    if view is None:
        return
    for job in jobs.active():
        for callback in (job.done, job.failed):
            function = callback.func if isinstance(callback, partial) else callback
            owner = getattr(function, "__self__", None)
            if _belongs(owner, view):
                job.cancel()
                break


def _belongs(owner: object, view: QWidget) -> bool:
    """Whether a view, something in it, or something that is gone would take the result."""
    if not isinstance(owner, QObject):
        return owner is view
    if not isValid(owner):
        return True
    while owner is not None and owner is not view:
        owner = owner.parent()  # helpers of a view are no widgets, but its children as well
    return owner is view
