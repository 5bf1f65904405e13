"""In Chinese every page, panel and dialog of the window is translated, told and never cut off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QHeaderView,
    QInputDialog,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QMenuBar,
    QMessageBox,
    QPlainTextEdit,
    QTabBar,
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
FIELDS = (QLineEdit, QComboBox, QPlainTextEdit, QAbstractItemView, QAbstractSpinBox)
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
    for button in root.findChildren(QAbstractButton):
        inside = isinstance(button.parentWidget(), QAbstractItemView | QMenuBar)
        if button.isVisible() and not button.text() and not inside and not button.toolTip():
            found.append(f"no tip: {button.objectName() or button.parentWidget()}")
    for field in root.findChildren(QWidget):
        if field.isVisible() and isinstance(field, FIELDS) and not named(field):
            found.append(f"no name: {type(field).__name__} in {field.parentWidget()}")
    return found


def named(field: QWidget) -> bool:
    """Whether a screen reader can say what a field or list is for."""
    if field.accessibleName() or (isinstance(field, QLineEdit) and field.placeholderText()):
        return True
    outer = field.parentWidget()
    if (
        isinstance(field, QHeaderView)
        or isinstance(outer, QComboBox | QAbstractSpinBox | QKeySequenceEdit)
        or (isinstance(outer, QFrame) and type(outer).__name__ == "QComboBoxPrivateContainer")
    ):
        return True  # the outer one has the name
    labels = field.window().findChildren(QLabel)
    return any(label.buddy() is field for label in labels)


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


def test_questions_and_small_dialogs_fit_and_are_translated(
    chinese: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.ui.columns import Column
    from studio.ui.key_dialog import KeyDialog
    from studio.ui.table import TableView
    from studio.ui.tablemenu import _ask_filter

    seen: list[QDialog] = []

    def show(dialog: QDialog) -> int:
        dialog.show()
        QApplication.processEvents()
        assert faults(dialog) == [], dialog.windowTitle()
        seen.append(dialog)
        dialog.hide()
        return 0

    monkeypatch.setattr(QDialog, "exec", show)
    monkeypatch.setattr(QMessageBox, "exec", show)
    path = "/data/experiments/2026-11/llama/checkpoints/rank_0/train_distributed.py"
    assert chinese.app.window.ask("磁盘上的文件较新", path, ("合并", "对比", "覆盖"), "合并") == ""
    box = seen[-1]
    title, first = box.findChild(QLabel, "qt_msgbox_label"), box.buttons()[0]
    assert box.width() >= 380
    assert title.font().bold()
    assert (
        title.mapTo(box, title.rect().topLeft()).x() <= first.mapTo(box, first.rect().topLeft()).x()
    )
    table = TableView(chinese)
    table.set_data([{"time": 1}], [Column("time", "时间")])
    _ask_filter(table, "time", "时间")
    assert isinstance(seen[-1], QInputDialog)
    commands = chinese.actions_.all()
    saving = next(one for one in commands if one.command.id == "studio.save")
    keys = KeyDialog(chinese, saving, commands)
    keys.fields[0].setKeySequence(QKeySequence("Ctrl+P"))
    show(keys)
    assert keys.note.text()


def test_the_file_dialog_of_qt_is_translated(chinese: MainWindow) -> None:
    dialog = QFileDialog(chinese)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    labels = [label.text() for label in dialog.findChildren(QLabel)]
    assert "查找范围(&I)：" in labels
    assert "文件类型(&T)：" in labels
    dialog.deleteLater()


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
