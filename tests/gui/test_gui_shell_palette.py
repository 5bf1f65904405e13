"""The window as a user meets it: palette, keys, looks, notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QToolButton

from studio.ui.idle import wait_idle
from studio.ui.theme import current_theme
from tests.gui.notes_plugin import NOTE, OPENER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

CTRL = Qt.KeyboardModifier.ControlModifier


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


def test_one_theme_colours_the_code_and_the_system_is_followed(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.projects.open(project)
    view: Any = window.open(project / "train.py", "", {})
    hints, chosen = QApplication.styleHints(), [Qt.ColorScheme.Light]
    monkeypatch.setattr(type(hints), "colorScheme", lambda _hints: chosen[0])
    window.app.settings.set("studio.theme", "system")
    assert wait_idle(window)
    for scheme, name in ((Qt.ColorScheme.Dark, "dark"), (Qt.ColorScheme.Light, "light")):
        chosen[0] = scheme
        hints.colorSchemeChanged.emit(scheme)
        assert wait_idle(window)
        assert current_theme().name == name
        ground = current_theme().colour("bg")
        shown = view.edit.sci.styleBack(32)  # 0xBBGGRR of the default style
        assert (shown & 255, shown >> 8 & 255, shown >> 16) == ground.getRgb()[:3]


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
