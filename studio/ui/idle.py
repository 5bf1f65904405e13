"""Waiting until the window has nothing left to do: no job, no event, no view still loading."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.shell import MainWindow

_QUIET_ROUNDS = 3


def busy(window: MainWindow) -> list[str]:
    """What still works: titles of jobs, and views and panels that do not yet show all."""
    jobs = [job.title for job in window.app.jobs.active()]
    if not jobs and not window.app.jobs.idle():
        jobs = ["jobs"]
    if window.docks.pending():
        jobs.append("panels")
    parts = (*window.views(), *window.panel_widgets())
    return jobs + [type(part).__name__ for part in parts if not _view_idle(part)]


def is_idle(window: MainWindow) -> bool:
    """Whether no job runs or waits, and every view and panel says that all is shown."""
    return not busy(window)


def wait_idle(window: MainWindow, timeout: float = 30.0) -> bool:
    """Run the event loop until the window was idle for a few rounds; False after `timeout` s."""
    end = time.monotonic() + timeout
    quiet = 0
    while time.monotonic() < end:
        window.pump()
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        quiet = quiet + 1 if is_idle(window) else 0
        if quiet >= _QUIET_ROUNDS:
            return True
        if quiet == 0:
            time.sleep(0.005)
    return False


def _view_idle(view: object) -> bool:
    idle: Callable[[], bool] | None = getattr(view, "idle", None)
    return True if idle is None else bool(idle())
