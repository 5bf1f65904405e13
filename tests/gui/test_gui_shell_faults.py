"""Plugins that fail in the window: told in place, named, retried, switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from studio.ui.failure import FailureView
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui

PANEL = """
[[panels]]
id = "bad.panel"
title = "Bad panel"
area = "bottom"
make = "ui:make_panel"
start = true
[[openers]]
id = "bad.view"
title = "Bad view"
make = "ui:make_view"
patterns = ["*.py"]
[[commands]]
id = "bad.run"
title = "Run badly"
run = "ui:run"
"""

BROKEN = """
def make_panel(studio):
    raise ValueError("no panel today")
def make_view(studio, path):
    raise ValueError("no view today")
def run(studio):
    raise KeyError("lost")
"""

MENDED = """
from PySide6.QtWidgets import QLabel
def make_panel(studio):
    return QLabel("works")
def make_view(studio, path):
    return QLabel(path.name)
def run(studio):
    pass
"""


def press(view: FailureView, text: str) -> None:
    button = next(b for b in view.findChildren(QPushButton) if b.text() == text)
    button.click()


def test_a_panel_that_fails_is_told_in_place_and_tried_again(open_window, make_plugin, project):
    folder = make_plugin("bad", PANEL, ui=BROKEN)
    window = open_window(folder)
    window.projects.open(project)
    wait_idle(window)
    dock = window.docks.docks["bad.panel"]
    failure = dock.findChild(FailureView)
    assert "no panel today" in failure.report
    press(failure, "Copy report")
    assert "no panel today" in QApplication.clipboard().text()
    (folder / "bad" / "ui.py").write_text(MENDED, encoding="utf-8")
    press(failure, "Retry")
    wait_idle(window)
    assert dock.content is not None
    assert dock.content.text() == "works"


def test_a_view_that_fails_keeps_its_tab_and_the_rest_works(open_window, make_plugin, project):
    window = open_window(make_plugin("bad", PANEL, ui=BROKEN))
    window.projects.open(project)
    assert window.open(project / "train.py", "", {}) is None
    page = window.centre.active()
    assert page.title() == "train.py"
    assert "no view today" in page.findChild(FailureView).report
    wait_idle(window)
    told = [n for n in window.notices.history if "no view today" in n.message]
    assert told
    assert told[0].source == "Bad"


def test_a_plugin_is_switched_off_from_its_failure(open_window, make_plugin, project: Path):
    window = open_window(make_plugin("bad", PANEL, ui=BROKEN))
    window.projects.open(project)
    window.open(project / "train.py", "", {})
    press(window.centre.active().findChild(FailureView), "Disable plugin")
    assert window.centre.pages() == []
    assert "bad.panel" not in window.docks.docks
    assert window.app.settings.get("studio.disabled_plugins") == ("bad",)
    assert "bad.run" not in {command.id for command in window.actions_.all()}
    window.faults.enable("bad")
    assert "bad.panel" in window.docks.docks


def test_a_command_that_fails_names_its_plugin(open_window, make_plugin):
    window = open_window(make_plugin("bad", PANEL, ui=BROKEN))
    window.actions_.run("bad.run")
    wait_idle(window)
    notice = window.notices.shown[-1]
    assert notice.severity == "error"
    assert "lost" in notice.message
    assert window.notices.history[-1].source == "Bad"
    assert [button.text() for button in notice.buttons] == ["Disable plugin"]


def test_an_error_in_a_slot_is_told_once(open_window, make_plugin):
    manifest = """
[[panels]]
id = "slot.panel"
title = "Slot"
area = "bottom"
make = "ui:make_panel"
"""
    code = """
from PySide6.QtWidgets import QPushButton
def make_panel(studio):
    button = QPushButton("press")
    button.clicked.connect(lambda: 1 / 0)
    return button
"""
    window = open_window(make_plugin("slot", manifest, ui=code))
    window.app.errors.install()
    button = window.show_panel("slot.panel")
    from pytestqt.exceptions import capture_exceptions

    with capture_exceptions():
        window.app.errors.install()
        for _ in range(3):
            button.click()
    wait_idle(window)
    told = [n for n in window.notices.history if "division by zero" in n.message]
    assert [notice.source for notice in told] in ([], ["Slot"])


def test_a_broken_manifest_is_told_and_listed(open_window, make_plugin):
    folder = make_plugin("good", PANEL.replace("bad.", "good."), ui=MENDED)
    make_plugin("torn", "[[panels]]\nid = 3\n")
    window = open_window(folder)
    assert any("torn" in notice.message for notice in window.notices.history)
    window.actions_.run("studio.plugins")
    page = window.centre.active().view
    rows = [page.tree.topLevelItem(i) for i in range(page.tree.topLevelItemCount())]
    assert [row.text(0) for row in rows] == ["torn", "Good"]
    assert rows[0].text(1) == "failed"
    assert "id" in page.details.text()


def test_a_plugin_is_switched_off_and_on_from_the_page(open_window, make_plugin):
    window = open_window(make_plugin("good", PANEL.replace("bad.", "good."), ui=MENDED))
    window.actions_.run("studio.plugins")
    page = window.centre.active().view
    page.toggle()
    assert window.app.plugins.disabled == {"good"}
    assert "good.panel" not in window.docks.docks
    page.toggle()
    assert window.app.plugins.disabled == set()
    assert "good.panel" in window.docks.docks


def test_a_status_item_that_is_no_widget_is_blamed_and_left_out(open_window, make_plugin) -> None:
    manifest = '[[status_items]]\nid = "odd.item"\nmake = "ui:make"\n'
    window = open_window(make_plugin("odd", manifest, ui="def make(studio): return 'text'"))
    assert [n.message for n in window.notices.history] == [
        "The plugin odd failed: ui:make returned str, not a widget"
    ]
    assert window.status.jobs is not None
    assert QApplication.focusWidget() is window.welcome


def test_nothing_that_leaves_ends_the_program(open_window, make_plugin, project: Path) -> None:
    """Modules leave by sys.exit when something is missing; that must not take the window along."""
    manifest = PANEL + '[[status_items]]\nid = "bad.item"\nmake = "ui:make_panel"\n'
    leaving = (
        "import sys\nfrom PySide6.QtWidgets import QWidget\n"
        "def make_panel(studio): sys.exit('torch is missing')\n"
        "def make_view(studio, path): sys.exit(3)\n"
        "def run(studio):\n    studio.project_changed.connect(lambda _: sys.exit(4))\n"
        "    sys.exit(5)\n"
    )
    window = open_window(make_plugin("bad", manifest, ui=leaving))
    window.actions_.run("bad.run")
    window.app.open_project(project, live=False)
    window.show_panel("bad.panel")
    window.open(project / "train.py", "", {})
    assert wait_idle(window, 20)
    assert len(window.findChildren(FailureView)) == 2
    told = " ".join(notice.message for notice in window.notices.history)
    assert "The plugin bad failed" in told
    assert window.isVisible()


def test_a_view_that_fails_at_closing_keeps_no_window_open(open_window, make_plugin, qtbot) -> None:
    failing = (
        "from PySide6.QtWidgets import QWidget\n"
        "class Panel(QWidget):\n    def can_close(self): raise ValueError('never')\n"
        "def make_panel(studio): return Panel()\n"
        "def make_view(studio, path): pass\ndef run(studio): pass\n"
    )
    window = open_window(make_plugin("bad", PANEL, ui=failing))
    window.show_panel("bad.panel")
    assert wait_idle(window)
    assert window.close()
    assert not window.isVisible()
