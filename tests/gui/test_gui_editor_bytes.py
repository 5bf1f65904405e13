"""Files that are no text are shown as bytes, and opened as text only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

DATA = bytes(range(256)) * 4096  # what A30's script makes: a megabyte


@pytest.fixture
def view(window: MainWindow, project: Path) -> Any:
    (project / "weights.xyz").write_bytes(DATA)
    window.app.open_project(project, live=False)
    found: Any = window.open(project / "weights.xyz", "", {})
    wait_idle(window)
    assert type(found).__name__ == "BytesView"
    return found


def test_the_user_is_asked_before_bytes_become_text(window: MainWindow, view: Any) -> None:
    assert "weights.xyz is no text" in view.bar.text()
    assert window.app.project.documents.all() == []
    view.bar.buttons()["Open as text"].click()
    wait_idle(window, 20)
    text: Any = window.app.window.active_view()
    assert type(text).__name__ == "EditorView"
    assert text.document.path.read_bytes() == DATA


def test_keys_move_and_select(view: Any) -> None:
    area = view.area
    QTest.keyClick(area, Qt.Key.Key_Down)
    QTest.keyClick(area, Qt.Key.Key_Right)
    assert area.selection() == (17, 18)
    assert view.place.text().startswith("Offset 0x11 (17)")
    assert "int8\u00a017" in view.place.text()
    QTest.keyClick(area, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(area, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "11 12"
    QTest.keyClick(area, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert area.selection() == (len(DATA) - 1, len(DATA))
    assert area.verticalScrollBar().value() == area.verticalScrollBar().maximum()


def test_offsets_and_bytes_are_gone_to(window: MainWindow, view: Any) -> None:
    view.field.setText("@0x500")
    view.search()
    assert view.area.selection() == (0x500, 0x501)
    view.field.setText("fe ff 00")
    view.search()
    assert wait_idle(window)
    assert view.area.selection() == (0x5FE, 0x601)
    view.field.setText("not there")
    view.search()
    assert wait_idle(window)
    assert view.place.text() == "Not found"
    state = view.save_state()
    view.area.select(0, 1)
    view.restore_state(state)
    assert view.area.selection() == (0x5FE, 0x601)


def test_copying_from_a_file_that_is_gone_is_told(view: Any) -> None:
    QApplication.clipboard().setText("before")
    view._path.unlink()
    QTest.keyClick(view.area, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "before"
    assert "weights.xyz" in view.place.text()


def test_a_cancelled_search_is_over(window: MainWindow, view: Any) -> None:
    view.field.setText("not there")
    view.search()
    assert not view.idle()
    window.app.jobs.cancel_all()
    assert view.idle()


def test_a_click_selects_the_byte_under_the_pointer(view: Any) -> None:
    area = view.area
    area.select(0, 1)
    for left in (area._left_of_digits(5), area._left_of_signs(5)):
        place = area.viewport().rect().topLeft()
        place.setX(int(left + 2))
        place.setY(int(area._height * 2.5))
        QTest.mouseClick(area.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert area.selection() == (37, 38)
