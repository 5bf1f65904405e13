"""The window as a user meets it: projects, tabs, panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.idle import wait_idle
from studio.ui.recent import recent_projects
from tests.gui.notes_plugin import NOTE, OPENER

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def notes(open_window, make_plugin) -> MainWindow:
    """A window whose only plugin shows text files."""
    return open_window(make_plugin("notes", OPENER, ui=NOTE))


def titles(window: MainWindow) -> list[list[str]]:
    return [[page.title() for page in group.pages()] for group in window.centre.groups()]


# -- projects -------------------------------------------------------------------------------------
def test_a_project_opens_and_is_remembered(window: MainWindow, project: Path) -> None:
    assert window.projects.open(project)
    assert wait_idle(window)
    assert window.app.project is not None
    assert window.windowTitle() == "project — Ascent Studio"
    assert window.status.project.text() == "project"
    assert recent_projects() == [project]
    assert {item.path.name for item in window.app.project.items} >= {"train.py", "base.yaml"}


def test_a_folder_that_is_none_is_told(window: MainWindow, tmp_path: Path) -> None:
    assert not window.projects.open(tmp_path / "nowhere")
    assert window.notices.shown[-1].severity == "error"
    assert "nowhere" in window.notices.shown[-1].message
    assert window.app.project is None


def test_a_dropped_folder_and_file_open(notes: MainWindow, project: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(project)), QUrl.fromLocalFile(str(project / "model.py"))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(notes.rect().center(), copy, data, left, none)
    QApplication.sendEvent(notes, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(notes, QDropEvent(QPointF(400, 300), copy, data, left, none))
    assert notes.app.project is not None
    assert notes.app.project.root == project
    assert titles(notes) == [["model.py"]]


def test_a_file_given_at_start_opens_in_its_folder(notes: MainWindow, project: Path) -> None:
    assert notes.projects.open(project / "README.md")
    assert notes.app.project is not None
    assert notes.app.project.root == project
    assert titles(notes) == [["README.md"]]


# -- tabs -----------------------------------------------------------------------------------------
def test_tabs_open_once_close_and_come_back(notes: MainWindow, project: Path) -> None:
    notes.projects.open(project)
    for name in ("train.py", "model.py", "train.py"):
        notes.open(project / name, "", {})
    assert titles(notes) == [["train.py", "model.py"]]
    assert notes.windowTitle() == "train.py — project — Ascent Studio"
    bar = notes.centre.groups()[0].tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(1).center())
    assert titles(notes) == [["train.py"]]
    notes.actions_.run("studio.reopen_tab")
    assert titles(notes) == [["train.py", "model.py"]]
    notes.actions_.run("studio.close_tabs")
    assert titles(notes) == [[]]
    assert notes.centre.welcome.isVisible()


def test_the_centre_splits_and_joins_again(notes: MainWindow, project: Path) -> None:
    notes.projects.open(project)
    notes.open(project / "train.py", "", {})
    notes.actions_.run("studio.split")
    assert titles(notes) == [["train.py"], ["train.py"]]
    notes.open(project / "model.py", "", {})
    assert titles(notes) == [["train.py"], ["train.py", "model.py"]]
    notes.actions_.run("studio.move_tab")
    assert titles(notes) == [["train.py", "model.py"], ["train.py"]]
    notes.centre.activate(notes.centre.groups()[1].pages()[0])
    notes.actions_.run("studio.close_tab")
    assert titles(notes) == [["train.py", "model.py"]]


def test_what_nothing_can_show_is_said(notes: MainWindow, project: Path) -> None:
    strange = project / "weights.xyz"
    strange.write_bytes(b"\0")
    assert notes.open(strange, "", {}) is None
    assert "weights.xyz" in notes.notices.shown[-1].message


def test_the_session_comes_back(open_window, make_plugin, project: Path) -> None:
    plugins = make_plugin("notes", OPENER, ui=NOTE)
    window = open_window(plugins)
    window.projects.open(project)
    window.open(project / "train.py", "", {})
    view: Any = window.open(project / "model.py", "", {})
    cursor = view.textCursor()
    cursor.setPosition(7)
    view.setTextCursor(cursor)
    window.actions_.run("studio.split")
    window.shut()
    window.close()
    window.app.close()
    again = open_window(plugins)
    again.projects.open(project)
    assert titles(again) == [["train.py", "model.py"], ["model.py"]]
    front: Any = again.centre.active().view
    assert front.path == project / "model.py"
    assert front.textCursor().position() == 7
    hidden = again.centre.groups()[0].pages()[0]
    assert hidden.view is None  # made when it is shown
    again.centre.activate(hidden)
    assert hidden.view is not None


def test_a_closed_view_is_no_longer_worked_for(open_window, make_plugin, project: Path) -> None:
    core = """
import time
def work(job=None):
    while True:
        job.check()
        time.sleep(0.005)
"""
    code = """
from PySide6.QtWidgets import QLabel
class View(QLabel):
    def __init__(self, studio):
        super().__init__("loading")
        self.job = studio.start_job("notes:core.work", {}, title="Work", done=self.show_result)
    def show_result(self, result):
        self.setText("done")
def make_view(studio, path):
    return View(studio)
"""
    window = open_window(make_plugin("notes", OPENER, ui=code, core=core))
    window.projects.open(project)
    view: Any = window.open(project / "train.py", "", {})
    assert view.job.active
    window.actions_.run("studio.close_tab")
    assert not view.job.active
    assert wait_idle(window)


# -- panels ---------------------------------------------------------------------------------------
def test_panels_hide_show_and_reset(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    wait_idle(window)
    left = window.docks.docks["explorer.panel"]
    assert left.isVisible()
    window.actions_.run("studio.toggle_left")
    assert not left.isVisible()
    window.actions_.run("studio.toggle_left")
    assert left.isVisible()
    left.setFloating(True)
    window.actions_.run("studio.toggle_bottom")
    assert not window.docks.shown("bottom")
    window.actions_.run("studio.reset_layout")
    assert left.isVisible()
    assert not left.isFloating()
    assert window.docks.shown("bottom")


def test_the_layout_is_kept_per_project(window: MainWindow, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    window.projects.open(project)
    window.actions_.run("studio.toggle_bottom")
    window.projects.open(other)
    assert window.docks.shown("bottom")
    window.projects.open(project)
    assert not window.docks.shown("bottom")


def test_an_activity_changes_the_left_panel(open_window, make_plugin, project: Path) -> None:
    panels = """
[[panels]]
id = "work.list"
title = "List"
area = "left"
activity = "training"
make = "ui:make_list"
"""
    code = """
from PySide6.QtWidgets import QListWidget
def make_list(studio):
    return QListWidget()
"""
    window = open_window(make_plugin("work", panels, ui=code), own=True)
    window.projects.open(project)
    own, explorer = window.docks.docks["work.list"], window.docks.docks["explorer.panel"]
    assert (own.isVisible(), explorer.isVisible()) == (False, True)
    assert own.content is None
    window.actions_.run("studio.activity_training")
    wait_idle(window)
    assert (own.isVisible(), explorer.isVisible()) == (True, False)
    assert own.content is not None
    window.actions_.run("studio.activity_files")
    assert (own.isVisible(), explorer.isVisible()) == (False, True)
