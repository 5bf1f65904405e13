"""The real window on a copy of the sample's profiles."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from studio.app import App
from studio.paths import resource
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_window

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from studio.ui.shell import MainWindow


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Rank 0 of the sample, beside rank 1."""
    root = tmp_path / "project"
    for name in ("rank0_ascend_pt", "rank1_ascend_pt"):
        shutil.copytree(resource("sample", "profiles", name), root / name)
    return root / "rank0_ascend_pt"


@pytest.fixture
def window(qapp: QApplication, profile: Path) -> Iterator[MainWindow]:
    """The window with that project open."""
    app = App.start(language="en")
    dress(app)
    window = make_window(app)
    window.resize(1400, 900)
    window.show()
    app.open_project(profile.parent)
    window.start()
    wait_idle(window)
    yield window
    window.shut()
    window.close()
    app.close()
    for _ in range(3):
        QApplication.sendPostedEvents(None, 0)
        QApplication.processEvents()
