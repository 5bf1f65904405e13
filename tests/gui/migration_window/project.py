"""A small project to migrate, and what the tests ask of the window that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from plugins.migration.ui.bars import BarList
    from plugins.migration.ui.diffview import MigrationDiff
    from plugins.migration.ui.overview import Overview
    from plugins.migration.ui.panel import MigrationPanel
    from studio.ui.shell import MainWindow

TRAIN = '''"""Train."""
import torch
from apex.optimizers import FusedAdam

net = torch.nn.Linear(4, 4).cuda()
x = torch.zeros(4, device="cuda")
torch.cuda.synchronize()
'''


def overview(window: MainWindow) -> Overview:
    """Scan by command, which brings the overview."""
    window.actions_.run("migration.find")
    assert wait_idle(window)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "Overview"
    return view


def panel(window: MainWindow) -> MigrationPanel:
    found: Any = window.show_panel("migration.panel")
    wait_idle(window)
    return found


def diff(window: MainWindow) -> MigrationDiff:
    wait_idle(window)
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "MigrationDiff"
    return view


def editor(window: MainWindow, file: str, line: int) -> Any:
    view: Any = window.open(window.app.project.root / file, "editor.text", {})
    wait_idle(window)
    view.edit.go_to(line)
    wait_idle(window)
    return view


def numbers(bars: BarList) -> dict[str, int]:
    return {bar.key: bar.number for bar in bars.bars()}


def click(bars: BarList, key: str) -> None:
    row = [bar.key for bar in bars.bars()].index(key)
    place = bars.rows.visualItemRect(bars.rows.item(row)).center()
    QTest.mouseClick(bars.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
