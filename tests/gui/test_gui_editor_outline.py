"""Where one is in a file: outline, path above the text, marks beside the scroll bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from studio.model.findings import Finding, Severity
from studio.model.locations import Location
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

TEXT = (
    "import os\n\n\nclass Net:\n  def forward(self):\n    return 1\n\n  def back(self):\n    pass\n"
)
TEXT += "".join(f"value{n} = {n}\n" for n in range(90)) + "def last():\n  pass\n"


@pytest.fixture
def editor(window: MainWindow, tmp_path: Path) -> Any:
    """A script in a folder of a project."""
    root = tmp_path / "p"
    (root / "models").mkdir(parents=True)
    path = root / "models" / "net.py"
    path.write_text(TEXT, encoding="utf-8")
    (root / "models" / "other.py").write_text("", encoding="utf-8")
    window.app.open_project(root)
    view: Any = window.open(path, "editor.text", {})
    assert wait_idle(window)
    return view


def settle(window: MainWindow) -> None:
    """Let timers of the view fire."""
    assert wait_idle(window)
    QTest.qWait(80)


def test_the_outline_lists_follows_filters_and_jumps(window: MainWindow, editor: Any) -> None:
    window.app.commands.run("editor.show_outline", {})
    assert wait_idle(window)
    outline: Any = window.docks.docks["editor.outline"].content
    tree = outline.tree
    assert [tree.topLevelItem(n).text(0) for n in range(tree.topLevelItemCount())] == [
        "Net", "last",
    ]  # fmt: skip
    editor.edit.go_to(9)
    settle(window)
    assert tree.currentItem().text(0) == "back"
    outline.filter.setText("la")
    assert [item.text(0) for item in outline._items if not item.isHidden()] == ["last"]
    QTest.keyClick(outline.filter, Qt.Key.Key_Return)
    assert editor.edit.cursor_place()[0] == 100
    outline.filter.clear()
    place = tree.visualItemRect(tree.topLevelItem(0).child(0)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert editor.edit.cursor_place()[0] == 5
    editor.edit.replace(0, 0, "def first(): pass\n")
    QTest.qWait(350)
    assert wait_idle(window)
    assert tree.topLevelItem(0).text(0) == "first"


def test_the_path_above_the_text_names_folders_and_symbols(window: MainWindow, editor: Any) -> None:
    editor.edit.go_to(6)
    settle(window)
    assert editor.crumbs.parts() == ["models", "net.py", "Net", "forward"]
    window.app.commands.run("editor.focus_breadcrumbs", {})
    part: Any = editor.crumbs._parts[-1]
    QTest.keyClick(part, Qt.Key.Key_Down)
    menu = part.findChild(QMenu)
    assert [action.text() for action in menu.actions()] == ["forward", "back"]
    menu.actions()[1].trigger()
    menu.close()
    assert editor.edit.cursor_place()[0] == 8
    editor.edit.go_to(1)
    settle(window)
    assert editor.crumbs.parts() == ["models", "net.py"]
    part = editor.crumbs._parts[-1]
    part.click()
    menu = part.findChild(QMenu)
    assert [action.text() for action in menu.actions()] == ["net.py", "other.py"]
    menu.close()
    window.app.settings.set("editor.breadcrumbs", False)
    assert not editor.crumbs.isVisible()


def test_marks_beside_the_scroll_bar_tell_and_lead(window: MainWindow, editor: Any) -> None:
    path = editor.document.path
    finding = Finding(
        key="k", rule="r", severity=Severity.WARNING, title="Look <here>",
        location=Location.source(path, 60),
    )  # fmt: skip
    window.app.project.findings.replace("test", {path: [finding]})
    settle(window)
    editor.find_bar.start()
    editor.find_bar.what.setText("value1")
    QTest.qWait(150)
    assert wait_idle(window)
    marks = editor.overview.marks()
    assert (60, "warning") in marks
    assert [line for line, kind in marks if kind == "hit"] == [11, *range(20, 30)]
    y = editor.overview.place_of(60)
    assert "Look &lt;here&gt;" in editor.overview.told_at(y)
    QTest.mouseClick(editor.overview, Qt.MouseButton.LeftButton, pos=QPoint(3, round(y) + 1))
    assert editor.edit.cursor_place()[0] == 60
    editor.find_bar.stop()
    assert editor.overview.marks() == [(60, "warning")]


def test_the_indentation_of_the_file_is_kept_shown_and_changed(
    window: MainWindow, editor: Any
) -> None:
    status: Any = next(
        w for w in window.statusBar().findChildren(object) if type(w).__name__ == "EditorStatus"
    )
    assert status.indent.text() == "Spaces: 2"
    editor.set_indent("\t", 8)
    assert status.indent.text() == "Tabs: 8"
    assert editor.edit.indent_unit == "\t"
    state = editor.save_state()
    editor.set_indent("", 0)
    assert status.indent.text() == "Spaces: 2"
    editor.restore_state(state)
    assert status.indent.text() == "Tabs: 8"


def test_columns_are_selected_by_keys_and_by_the_mouse(window: MainWindow, editor: Any) -> None:
    area = editor.edit.area()
    editor.edit.go_to(20)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right):
        QTest.keyClick(
            area, key, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
        )
    QTest.keyClick(area, Qt.Key.Key_X)
    QApplication.processEvents()
    assert [editor.edit.line_text(n)[:5] for n in range(20, 24)] == ["xlue1"] * 3 + ["value"]
    editor.edit.undo()
    assert editor.edit.line_text(20).startswith("value")
    rect = editor.edit.line_rect(20)
    left, height = area.text_left() + 1, rect.height()
    viewport = area.viewport()
    alt = Qt.KeyboardModifier.AltModifier
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, alt, QPoint(left, rect.center().y()))
    QTest.mouseMove(viewport, QPoint(left + 30, rect.center().y() + 2 * height))
    QTest.mouseRelease(
        viewport, Qt.MouseButton.LeftButton, alt, QPoint(left + 30, rect.center().y() + 2 * height)
    )
    QTest.keyClick(area, Qt.Key.Key_Delete)
    changed = [editor.edit.line_text(n) for n in range(20, 23)]
    assert all(not line.startswith("value") for line in changed)
    assert editor.edit.line_text(23).startswith("value")
