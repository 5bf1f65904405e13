"""Logs to look at, and the views that have read them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plugins.losses.ui import make_view
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.losses.ui.view import LossView
    from studio.app import App


def open_project(app: App, folder: Path) -> None:
    """Open a project and wait until its items are known."""
    project = app.open_project(folder)
    end = time.monotonic() + 20
    while not project.items_of("training_log") and time.monotonic() < end:
        app.jobs.pump()
        time.sleep(0.002)


def opened(app: App, qtbot: QtBot, path: Path, base: Path | str = "") -> LossView:
    """A view that has read its logs."""
    view = make_view(app.studio("losses"), path, str(base))
    qtbot.addWidget(view)
    view.resize(1200, 600)
    view.show()
    settle(app, view)
    return view


def log(folder: Path, name: str, values: dict[int, float]) -> Path:
    """A log of a loss by step."""
    path = folder / name
    path.write_text("".join(f"step {step} loss: {value}\n" for step, value in values.items()))
    return path
