"""Waiting until the window has nothing left to do: no job, no event, no view still loading."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.shell import MainWindow

_QUIET_ROUNDS = 3


def is_idle(window: MainWindow) -> bool:
    """Whether no job runs or waits, and every view and panel says that all is shown."""
    if not window.app.jobs.idle():
        return False
    return all(_view_idle(view) for view in (*window.views(), *window.panel_widgets()))


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
