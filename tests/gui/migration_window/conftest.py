"""The window on the small project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gui.migration_window.project import TRAIN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow


@pytest.fixture
def window(open_window: Callable[..., MainWindow], tmp_path: Path) -> MainWindow:
    """The window on a project of two scripts and a requirements file."""
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "train.py").write_text(TRAIN)
    (root / "lib" / "run.py").write_bytes(b"import torch\r\nx = torch.ones(1).cuda()\r\n")
    (root / "requirements.txt").write_text("apex\n")
    (root / "plain.py").write_text("x = 1\n")
    window = open_window()
    window.app.open_project(root, live=False)
    return window
