"""Waiting for views that work in jobs, without a window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import pytest
from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from studio.app import App


class Waiting(Protocol):
    """A view that tells when it is done."""

    def idle(self) -> bool:
        """Whether all is shown."""


def settle(app: App, view: Waiting) -> None:
    """Let jobs and events run until the view is idle."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        app.jobs.pump()
        QCoreApplication.processEvents()
        if view.idle() and app.jobs.idle():
            return
        time.sleep(0.002)
    pytest.fail("the view did not become idle")
