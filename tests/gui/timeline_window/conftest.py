"""The real window on the small trace of `small`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from studio.app import App
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_window
from tests.gui.timeline_window.small import EVENTS, MEMORY, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    output = root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "trace_view.json").write_text(json.dumps(EVENTS))
    (output / "memory_record.csv").write_text(MEMORY)
    (root / "pkg").mkdir()
    (root / "pkg" / "model.py").write_text("import torch\ndef forward(): ...\n")
    return root


@pytest.fixture
def window(qtbot: QtBot, project: Path) -> Iterator[MainWindow]:
    app = App.start(language="en")
    dress(app)
    window = make_window(app)
    window.resize(1400, 900)
    window.show()
    app.open_project(project)
    window.start()
    wait_idle(window)
    yield window
    window.shut()
    window.close()
    app.close()
    for _ in range(3):
        QApplication.sendPostedEvents(None, 0)
        QApplication.processEvents()


@pytest.fixture
def view(window: MainWindow) -> TimelineView:
    view = opened(window)
    view.pane_now().canvas.setFocus()
    return view
