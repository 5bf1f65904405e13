"""Finding and replacing in files, in the real window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.search.ui.panel import SearchPanel
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def panel(window: MainWindow, project: Path) -> SearchPanel:
    """The search panel of a window on the small project."""
    window.app.open_project(project, live=False)
    window.app.commands.run("search.find", {})
    found: Any = window.show_panel("search.panel")
    return found


def shown(panel: SearchPanel) -> list[str]:
    return [
        f"{row.path.name}:{row.hit.line}:{row.hit.column}"
        for group in panel.model.groups
        for row in group.rows
    ]


def test_typing_finds_and_the_keys_go_there(panel, window):
    QTest.keyClicks(panel.form.what, "cuda")
    assert wait_idle(window, 20)
    assert shown(panel) == ["model.py:2:9", "train.py:4:13"]
    assert "2 hits in 2 files" in panel.summary.text()
    QTest.keyClick(panel.form.what, Qt.Key.Key_Return)
    assert wait_idle(window, 20)
    view = window.app.window.active_view()
    assert view.title() == "model.py"
    assert view.selected_text() == "cuda"
    window.app.commands.run("search.next", {})
    assert wait_idle(window, 20)
    assert window.app.window.active_view().title() == "train.py"


def test_the_switches_and_patterns_narrow_the_search(panel, window):
    panel.form.what.setText(r"steps:\s10+")
    assert wait_idle(window, 20)
    assert shown(panel) == []
    panel.form.regex.click()
    assert wait_idle(window, 20)
    assert shown(panel) == ["base.yaml:1:1", "large.yaml:1:1"]
    panel.form.exclude.setText("large.*")
    assert wait_idle(window, 20)
    assert shown(panel) == ["base.yaml:1:1"]
    panel.form.what.setText("(")
    assert wait_idle(window, 20)
    assert panel.list.isHidden() or not panel.list.isVisible()


def test_replacing_shows_what_comes_and_can_be_undone(panel, window, project):
    window.app.commands.run("search.replace", {})
    panel.form.what.setText("cuda")
    panel.form.by.setText("npu")
    assert wait_idle(window, 20)
    assert [r.hit.after for g in panel.model.groups for r in g.rows] == ["npu", "npu"]
    panel.list.setCurrentIndex(panel.model.index(0, 0))
    panel.dismiss()
    assert shown(panel) == ["train.py:4:13"]
    panel.form.button.click()
    assert wait_idle(window, 20)
    assert "Net().npu()" in (project / "train.py").read_text()
    assert "def cuda" in (project / "model.py").read_text()
    window.app.project.history[-1].undo()
    assert "Net().cuda()" in (project / "train.py").read_text()


def test_work_that_is_not_saved_is_searched(panel, window, project):
    window.open(project / "train.py", "", {})
    window.app.project.documents.get(project / "train.py").set_text("npu\n")
    panel.form.what.setText("npu")
    assert wait_idle(window, 20)
    assert shown(panel) == ["train.py:1:1"]


def test_fields_come_back_with_the_project(panel, window, project):
    panel.form.what.setText("cuda")
    panel.form.include.setText("*.py")
    assert wait_idle(window, 20)
    window.app.close_project()
    window.app.open_project(project, live=False)
    assert panel.form.include.text() == "*.py"
