"""The overview of a migration in the real window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from studio.ui.idle import wait_idle
from tests.gui.migration_window.project import click, diff, numbers, overview, panel

if TYPE_CHECKING:
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_the_overview_counts_what_was_found_in_every_way(window: MainWindow) -> None:
    view = overview(window)
    parts = view.breakdown
    assert numbers(parts.statuses) == {"auto": 6, "manual": 2}
    assert numbers(parts.categories) == {"device": 3, "library": 2, "import": 2, "api": 1}
    assert numbers(parts.by_hand) == {"library-manual": 2}
    assert numbers(parts.efforts) == {"hours": 2}
    assert numbers(parts.severities) == {"warning": 8}
    assert view.score.figure.text() == "75 %"
    assert "3 of 4 files" in view.counts.text()
    names = [view.files.files.index(n).data() for n in range(view.files.files.rowCount())]
    assert names[0] == "train.py"
    assert set(names) == {"train.py", "lib/run.py", "requirements.txt"}


def test_the_next_step_leads_from_accepting_to_applying(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.migration.ui.applying import ApplyDialog

    view = overview(window)
    assert view.score.button.text() == "Accept 4 safe changes"
    view.score.button.click()
    wait_idle(window)
    assert view.score.button.text() == "Apply 4 accepted changes…"
    monkeypatch.setattr(ApplyDialog, "exec", lambda _dialog: 1)
    view.score.button.click()
    wait_idle(window)
    assert ".npu()" in (window.app.project.root / "train.py").read_text()
    assert view.score.button.text() == "Show them"
    view.score.button.click()
    wait_idle(window)
    assert panel(window).filter.text() == "status:manual status:unsupported"


def test_a_bar_lists_what_it_counts_and_a_file_opens_its_comparison(window: MainWindow) -> None:
    view = overview(window)
    click(view.breakdown.categories, "device")
    wait_idle(window)
    found = panel(window)
    assert found.filter.text() == "category:device"
    assert sum(len(row.findings) for row in found.tree.list_model.rows()) == 3
    view.files.setCurrentIndex(view.files.files.index(0))
    QTest.keyClick(view.files, Qt.Key.Key_Return)
    assert diff(window).title() == "train.py ↔ migrated"


def test_the_drop_downs_judge_anew_and_the_strategy_is_remembered(window: MainWindow) -> None:
    view = overview(window)
    box = view.context.strategy
    box.setCurrentIndex(box.findData("shim"))
    box.activated.emit(box.currentIndex())
    wait_idle(window)
    assert view._review.strategy == "shim"
    torch = view.context.torch
    torch.setCurrentIndex(torch.findData("2.6"))
    torch.activated.emit(torch.currentIndex())
    wait_idle(window)
    assert window.app.project.context.values.torch_version == "2.6"
    assert panel(window).torch.currentData() == "2.6"
    root = window.app.project.root
    window.app.close_project()
    window.app.open_project(root, live=False)
    wait_idle(window)
    assert view._review.strategy == "shim"


def test_the_overview_of_an_unscanned_project_offers_a_scan(window: MainWindow) -> None:
    window.actions_.run("migration.overview")
    wait_idle(window)
    view: Any = window.app.window.active_view()
    assert view.empty.isVisibleTo(view)
    assert not view.counts.isVisibleTo(view)


def test_every_button_of_the_overview_has_a_tooltip(window: MainWindow) -> None:
    view = overview(window)
    for button in view.findChildren(QToolButton):
        if button.isVisibleTo(view):
            assert button.toolTip(), button
            assert button.accessibleName() or button.text(), button
