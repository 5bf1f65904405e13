"""In Chinese every page, panel and dialog of the window is translated, told and never cut off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QTabBar,
    QToolButton,
    QWidget,
)

from studio.ui.cutoff import cut_texts
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

SIZES = ((1200, 800), (1024, 700))
PAGES = ("studio.settings", "studio.shortcuts", "studio.plugins", "studio.show_log")
PANELS = ("search.replace", "run.show", "problems.show", "editor.show_outline")
ENGLISH = re.compile(r"[^\u4e00-\u9fff]*[a-z]{3,} [a-z]{2,}[^\u4e00-\u9fff]*")
"""Two English words beside each other and no Chinese; names of formats are single words."""


@pytest.fixture
def chinese(open_window: Callable[..., MainWindow], project: Path) -> MainWindow:
    window = open_window(language="zh_CN", own=True)
    window.projects.open(project)
    assert wait_idle(window)
    return window


def texts(root: QWidget) -> Iterator[str]:
    for widget in root.findChildren(QWidget):
        if not widget.isVisible():
            continue
        yield widget.toolTip()
        yield widget.accessibleName()
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QLineEdit):
            yield widget.placeholderText()
        elif isinstance(widget, QComboBox):
            yield from map(widget.itemText, range(widget.count()))
        elif isinstance(widget, QTabBar):
            yield from map(widget.tabText, range(widget.count()))


def faults(root: QWidget) -> list[str]:
    found = [f"cut off: {text}" for text in cut_texts(root)]
    found += [f"English: {text}" for text in texts(root) if ENGLISH.fullmatch(text)]
    for button in root.findChildren(QToolButton):
        if button.isVisible() and not button.text() and not button.toolTip():
            found.append(f"no tip: {button.objectName() or button.parentWidget()}")
    return found


def test_pages_and_panels_fit_and_are_translated(chinese: MainWindow, project: Path) -> None:
    chinese.open(project / "train.py", "", {})
    commands = chinese.app.commands
    for width, height in SIZES:
        chinese.resize(width, height)
        for command in ("editor.replace", *PAGES, *PANELS):
            if command == "editor.replace":
                chinese.open(project / "train.py", "", {})
            commands.start(command, {})
            assert wait_idle(chinese)
            assert faults(chinese) == [], (command, width)


def test_dialogs_fit_and_are_translated(
    chinese: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def show(dialog: QDialog) -> int:
        dialog.show()
        QApplication.processEvents()
        seen.append(type(dialog).__name__)
        assert faults(dialog) == [], seen[-1]
        dialog.hide()
        return 0

    monkeypatch.setattr(QDialog, "exec", show)
    for command in ("run.edit", "studio.about"):
        chinese.app.commands.start(command, {})
        assert wait_idle(chinese)
    for dialog in chinese.findChildren(QDialog):
        if dialog.isVisible():
            show(dialog)
            dialog.close()
    assert {"ConfigurationDialog", "QDialog"} <= set(seen)


def test_no_view_makes_the_window_larger_than_a_small_screen(
    open_window: Callable[..., MainWindow],
) -> None:
    from studio.sample import sample_project

    window = open_window(own=True)
    window.resize(1024, 700)
    window.projects.open(sample_project())
    window.app.commands.start("studio.show_activity", {"activity": "migration"})
    profile = sample_project() / "profiles" / "rank0_ascend_pt"
    for view in ("overview", "steps", "memory", "timeline"):
        window.open(profile, f"{view}.view", {})
        assert wait_idle(window)
        assert (window.width(), window.height()) == (1024, 700), view
