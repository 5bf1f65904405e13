"""The window as a user meets it: projects, tabs, panels, palette, keys, notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QToolButton

from studio.ui.idle import wait_idle
from studio.ui.recent import recent_projects
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

CTRL = Qt.KeyboardModifier.ControlModifier

NOTE = """
from PySide6.QtWidgets import QPlainTextEdit
class Note(QPlainTextEdit):
    def __init__(self, path):
        super().__init__(path.read_text())
        self.path = path
    def save_state(self):
        return {"place": self.textCursor().position()}
    def restore_state(self, state):
        cursor = self.textCursor()
        cursor.setPosition(state["place"])
        self.setTextCursor(cursor)
def make_view(studio, path):
    return Note(path)
"""

OPENER = """
[[openers]]
id = "notes.view"
title = "Note"
make = "ui:make_view"
patterns = ["*.py", "*.md", "*.yaml"]
"""


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


# -- palette and keys -----------------------------------------------------------------------------
def welcome_words(window: MainWindow) -> list[str]:
    found = window.welcome.widget().findChildren(QLabel)
    buttons = window.welcome.widget().findChildren(QAbstractButton)
    return [part.text() for part in (*found, *buttons)]


def test_the_welcome_page_shows_what_an_activity_works_on(
    window: MainWindow, project: Path
) -> None:
    assert "Open project folder…" in welcome_words(window)
    window.projects.open(project)
    wait_idle(window)
    window.actions_.run("studio.activity_performance")
    assert any(text.startswith("No profile here yet.") for text in welcome_words(window))
    dump = project / "dump"
    dump.mkdir()
    for name in ("a", "b"):
        np.save(dump / f"{name}.npy", np.zeros(3))
    window.app.project.files_changed.emit(frozenset({dump}))
    wait_idle(window)
    window.actions_.run("studio.activity_precision")
    assert "dump" in welcome_words(window)


def test_the_palette_runs_a_command(window: MainWindow) -> None:
    QTest.keyClick(
        window,
        Qt.Key.Key_P,
        CTRL | Qt.KeyboardModifier.ShiftModifier,
    )
    assert window.palette_.isVisible()
    QTest.keyClicks(window.palette_.box, "abt asc")
    QTest.keyClick(window.palette_.box, Qt.Key.Key_Return)
    assert not window.palette_.isVisible()
    dialogs = [
        w for w in QApplication.topLevelWidgets() if w.windowTitle() == "About Ascent Studio"
    ]
    assert len(dialogs) == 1
    dialogs[0].close()


def test_the_palette_says_why_a_command_cannot_run(window: MainWindow) -> None:
    window.palette_.open(">close project")
    entry = window.palette_.entries()[0]
    assert entry.title == "Close project"
    assert not entry.enabled
    assert entry.detail == "Open a project first."
    QTest.keyClick(window.palette_.box, Qt.Key.Key_Escape)
    assert not window.palette_.isVisible()


def test_quick_open_finds_files_and_lines(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    wait_idle(window)
    window.palette_.open("larg")
    assert window.palette_.entries()[0].title == "large.yaml"
    window.palette_.accept()
    assert window.centre.active().path == project / "config" / "large.yaml"
    window.open(project / "train.py", "", {})
    window.palette_.open(":4")
    assert window.palette_.entries()[0].title == "Go to line 4 of train.py"


def test_a_shared_key_goes_to_the_command_whose_condition_holds(open_window, make_plugin, project):
    manifest = (
        OPENER
        + """
[[commands]]
id = "notes.anywhere"
title = "Anywhere"
run = "ui:anywhere"
keys = ["Ctrl+Y"]
[[commands]]
id = "notes.here"
title = "Here"
run = "ui:here"
keys = ["Ctrl+Y", "K"]
when = "view == 'notes.view'"
"""
    )
    code = (
        NOTE
        + """
ran = []
def anywhere(studio):
    ran.append("anywhere")
def here(studio):
    ran.append("here")
"""
    )
    window = open_window(make_plugin("notes", manifest, ui=code))
    ran = window.app.plugins.resolve("notes", "ui:ran")
    QTest.keyClick(window, Qt.Key.Key_Y, CTRL)
    window.projects.open(project)
    window.open(project / "train.py", "", {})
    window.centre.groups()[0].tabBar().setFocus()
    wait_idle(window)
    QTest.keyClick(window.centre.groups()[0].tabBar(), Qt.Key.Key_Y, CTRL)
    QTest.keyClick(window.centre.groups()[0].tabBar(), Qt.Key.Key_K)
    assert ran == ["anywhere", "here", "here"]
    # A letter is a letter where one types.
    view: Any = window.centre.active().view
    view.setFocus()
    wait_idle(window)
    QTest.keyClick(view, Qt.Key.Key_K)
    assert ran == ["anywhere", "here", "here"]
    assert view.toPlainText().startswith("k")


# -- looks ----------------------------------------------------------------------------------------
def test_another_theme_reaches_palette_and_icons(window: MainWindow) -> None:
    window.app.settings.set("studio.theme", "light")
    assert current_theme().name == "light"
    assert window.palette().window().color() == current_theme().colour("surface")
    window.app.settings.set("studio.theme", "dark")
    assert window.palette().window().color() == current_theme().colour("surface")


def test_every_button_says_what_it_does(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    for panel in window.docks.docks:
        window.show_panel(panel)
    for command in ("studio.settings", "studio.plugins", "studio.shortcuts"):
        window.actions_.run(command)
    window.open(project / "train.py", "", {})
    wait_idle(window)
    for button in window.findChildren(QToolButton):
        name = button.text() or button.accessibleName()
        parents = f"{button.parent()} {button.parent().accessibleName()} {button.objectName()}"
        assert button.toolTip() or button.defaultAction(), f"no tool tip: {name!r} in {parents}"
        assert name, f"no name: {parents}"


def test_every_field_has_a_name_for_screen_readers(window: MainWindow, project: Path) -> None:
    window.projects.open(project)
    for panel in window.docks.docks:
        window.show_panel(panel)
    for command in ("studio.settings", "studio.plugins", "studio.shortcuts"):
        window.actions_.run(command)
    wait_idle(window)
    for field in window.findChildren(QLineEdit):
        if field.objectName() != "qt_spinbox_lineedit":
            assert field.accessibleName() or field.placeholderText(), field.parent()


def test_menus_hold_the_commands_with_their_keys(window: MainWindow) -> None:
    window.menus.fill("File")
    texts = [action.text() for action in window.menus.menus["File"].actions()]
    assert "Open project folder…\tCtrl+O" in texts
    assert "Close tab\tCtrl+W" in texts
    closing = next(
        a for a in window.menus.menus["File"].actions() if a.text().startswith("Close tab")
    )
    assert not closing.isEnabled()


def test_esc_takes_the_newest_notice_away(window: MainWindow) -> None:
    window.notify("", "warn", "first")
    window.notify("", "warn", "second")
    window.notify("", "warn", "second")
    assert [notice.message for notice in window.notices.shown] == ["first", "second"]
    window.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert [notice.message for notice in window.notices.shown] == ["first"]


def test_chinese_words(open_window: Callable[..., MainWindow]) -> None:
    window = open_window(language="zh_CN")
    window.menus.fill("File")
    texts = [action.text() for action in window.menus.menus["File"].actions()]
    assert any("打开" in text for text in texts)
    assert window.activity.actions()[1].text() == "迁移"
