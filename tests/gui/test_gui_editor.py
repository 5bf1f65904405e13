"""The editor in the real window: opening, typing, saving, encodings, changes from outside."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from studio.model.findings import Finding, Severity
from studio.model.locations import Location
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.editor.ui.status import EditorStatus
    from plugins.editor.ui.view import EditorView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def window(open_window: Callable[..., MainWindow], tmp_path: Path, cases: Path) -> MainWindow:
    """The window on a project that holds the files of the encodings case."""
    root = tmp_path / "project"
    shutil.copytree(cases / "A29-encodings-round-trip" / "input", root)
    window = open_window()
    window.app.open_project(root, live=False)
    return window


def opened(window: MainWindow, name: str) -> EditorView:
    """Open a file of the project in the editor."""
    view: Any = window.open(window.app.project.root / name, "", {})
    assert type(view).__name__ == "EditorView"
    wait_idle(window)
    return view


def answer(window: MainWindow, monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Answer questions in order; returns the list of what was asked."""
    asked: list[str] = []
    left = list(answers)

    def ask(title: str, question: str, _choices: object, _default: str) -> str:
        asked.append(f"{title}: {question}")
        return left.pop(0) if left else ""

    monkeypatch.setattr(window.app.window, "ask", ask)
    return asked


NAMES = [
    "gbk.py", "gbk_cookie.py", "gb18030.py", "big5.txt", "utf16.txt", "utf8_nobom.py",
    "utf8_bom_crlf.py",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_one_replacement_changes_only_its_bytes(window: MainWindow, cases: Path, name: str) -> None:
    view = opened(window, name)
    path = window.app.project.root / name
    before = path.read_bytes()
    window.actions_.run("studio.save")
    assert wait_idle(window)
    assert path.read_bytes() == before
    window.actions_.run("editor.replace")
    view.find_bar.what.setText("old")
    view.find_bar.by.setText("new")
    view.find_bar.case.setChecked(True)
    start = view.edit.text().index("old")
    view.edit.select(start, start + 3)
    view.find_bar.replace()
    assert view.is_dirty()
    window.actions_.run("studio.save")
    assert wait_idle(window)
    expected = cases / "A29-encodings-round-trip" / "expected" / name
    assert path.read_bytes() == expected.read_bytes()
    assert not view.is_dirty()


def test_a_file_with_odd_bytes_is_told_and_never_rewritten(window: MainWindow) -> None:
    path = window.app.project.root / "odd.py"
    before = path.read_bytes()
    view = opened(window, "odd.py")
    if view.document.lossy:
        assert view.edit.is_read_only()
        assert view.bars.file.text()
        assert "Reopen with encoding…" in view.bars.file.buttons()
    QTest.keyClicks(view.edit.area(), "x")
    window.actions_.run("studio.save")
    assert wait_idle(window)
    assert path.read_bytes() == before


def test_odd_bytes_can_be_edited_in_an_encoding_that_has_them(
    window: MainWindow, cases: Path
) -> None:
    from plugins.editor.ui.encodings import reopen

    view = opened(window, "odd.py")
    reopen(view, "latin-1")
    assert not view.edit.is_read_only()
    assert view.bars.file.text() == ""
    view.edit.replace_text(view.edit.text().replace("old", "new", 1))
    assert view.save_now()
    expected = cases / "A29-encodings-round-trip" / "expected" / "odd.py"
    assert view.document.path.read_bytes() == expected.read_bytes()


def test_the_status_bar_names_encoding_and_line_end(window: MainWindow) -> None:
    status: EditorStatus = next(
        w for w in window.status.findChildren(QWidget) if type(w).__name__ == "EditorStatus"
    )
    view = opened(window, "utf8_bom_crlf.py")
    assert status.encoding.text() == "UTF-8 BOM"
    assert status.line_end.text() == "CRLF"
    assert status.language.text() == "Python"
    view.edit.go_to(2, 3)
    QApplication.processEvents()
    assert status.place.text().startswith("Ln 2, Col 3")
    opened(window, "gbk_cookie.py")
    assert status.encoding.text() == "GBK"


def test_a_character_the_encoding_lacks_asks_before_the_encoding_changes(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened(window, "gbk_cookie.py")
    path = view.document.path
    view.edit.replace(len(view.edit.text()), len(view.edit.text()), "# 😀\n")
    view.binding.flush()
    assert "U+1F600" in view.bars.characters.text()
    before = path.read_bytes()
    asked = answer(window, monkeypatch, "")
    assert not view.save_now()
    assert len(asked) == 1
    assert path.read_bytes() == before
    view.bars.characters.buttons()["Save as UTF-8"].click()
    assert wait_idle(window)
    assert view.document.encoding == "utf-8"
    text = path.read_bytes().decode()
    assert "😀" in text
    assert "gbk" not in text.split("\n")[0]
    assert view.bars.characters.text() == ""


def test_reopening_and_saving_with_another_encoding(window: MainWindow) -> None:
    from plugins.editor.ui.encodings import reopen

    view = opened(window, "big5.txt")
    right = view.edit.text()
    reopen(view, "gb18030")
    assert view.document.encoding == "gb18030"
    reopen(view, "big5")
    assert view.edit.text() == right
    view.saver.save_with("utf-8")
    assert wait_idle(window)
    assert view.document.path.read_bytes() == right.encode()


def test_line_ends_are_converted_as_one_step(window: MainWindow) -> None:
    from plugins.editor.ui.encodings import convert_line_ends

    view = opened(window, "utf8_bom_crlf.py")
    text = view.edit.text()
    convert_line_ends(view, "\n")
    assert view.edit.text() == text.replace("\r\n", "\n")
    view.edit.undo()
    assert view.edit.text() == text


def test_outside_changes_show_at_once_in_a_clean_editor(window: MainWindow) -> None:
    view = opened(window, "utf8_nobom.py")
    path = view.document.path
    path.write_text("v = 1\n")
    window.app.project.documents.look_outside([path])
    assert view.edit.text() == "v = 1\n"
    assert view.bars.outside.text() == ""
    view.edit.undo()
    assert view.edit.text() != "v = 1\n"


def test_unsaved_work_is_never_overwritten_from_outside(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened(window, "utf8_nobom.py")
    path = view.document.path
    view.edit.replace(0, 0, "# mine\n")
    view.binding.flush()
    mine = view.edit.text()
    path.write_text("v = 1\n")
    window.app.project.documents.look_outside([path])
    assert view.edit.text() == mine
    assert set(view.bars.outside.buttons()) == {"Merge", "Compare", "Reload", "Keep mine"}
    view.bars.outside.buttons()["Keep mine"].click()
    assert view.bars.outside.text() == ""
    assert view.is_dirty()
    asked = answer(window, monkeypatch, "", "Overwrite")
    assert not view.save_now()
    assert path.read_text() == "v = 1\n"
    assert view.save_now()
    assert path.read_text() == mine
    assert len(asked) == 2


def test_reload_takes_the_file_and_compare_shows_both(window: MainWindow) -> None:
    view = opened(window, "utf8_nobom.py")
    path = view.document.path
    view.edit.replace(0, 0, "# mine\n")
    view.binding.flush()
    path.write_text("v = 1\n")
    window.app.project.documents.look_outside([path])
    view.bars.outside.buttons()["Compare"].click()
    wait_idle(window)
    compared: Any = window.app.window.active_view()
    assert type(compared).__name__ == "CompareView"
    assert "".join(compared.diff.alignment().left) == "v = 1\n"
    assert "".join(compared.diff.alignment().right) == view.edit.text()
    view.bars.outside.buttons()["Reload"].click()
    assert view.edit.text() == "v = 1\n"
    assert not view.is_dirty()


def test_a_deleted_file_is_told_and_saving_writes_it_again(window: MainWindow) -> None:
    view = opened(window, "utf8_nobom.py")
    path = view.document.path
    text = path.read_bytes()
    path.unlink()
    window.app.project.documents.look_outside([path])
    assert "deleted" in view.bars.outside.text()
    view.edit.replace(0, 0, "#")
    view.bars.outside.buttons()["Save"].click()
    assert path.read_bytes() == b"#" + text
    assert view.bars.outside.text() == ""


def test_closing_asks_about_unsaved_work(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened(window, "utf8_nobom.py")
    path = view.document.path
    view.edit.replace(0, 0, "# mine\n")
    page = window.centre.page_of(view)
    assert page is not None
    asked = answer(window, monkeypatch, "", "Save")
    assert not window.centre.close_page(page)
    assert window.centre.close_page(page)
    assert len(asked) == 2
    assert path.read_text().startswith("# mine\n")
    wait_idle(window)
    assert window.app.project.documents.get(path) is None


def test_two_tabs_on_one_file_share_the_text(window: MainWindow) -> None:
    view = opened(window, "utf8_nobom.py")
    window.centre.split()
    wait_idle(window)
    twin: Any = window.app.window.active_view()
    assert type(twin).__name__ == "EditorView"
    assert twin is not view
    assert twin.document is view.document
    view.edit.replace(0, 0, "# both\n")
    view.binding.flush()
    assert twin.edit.text().startswith("# both\n")
    assert twin.can_close()


def test_typing_keys_and_saving_by_key(window: MainWindow, qtbot: QtBot) -> None:
    view = opened(window, "utf8_nobom.py")
    window.activateWindow()
    view.edit.setFocus()
    qtbot.waitUntil(view.edit.area().hasFocus)
    QTest.keyClicks(view.edit.area(), "# f")
    wait_idle(window)
    assert view.document.text.startswith("# f")
    assert view.is_dirty()
    QTest.keyClick(view.edit.area(), Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    wait_idle(window)
    assert not view.is_dirty()
    QTest.keyClick(view.edit.area(), Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    wait_idle(window)
    assert view.is_dirty()


def finding(path: Path, line: int, column: int, end: int, title: str) -> Finding:
    """A finding in one line."""
    place = Location.source(path, line, column, line, end)
    return Finding(f"k{line}", "rule", Severity.WARNING, title, place, why="because")


def test_findings_are_marked_and_stepped_through(window: MainWindow) -> None:
    view = opened(window, "utf8_nobom.py")
    path = view.document.path
    found = [finding(path, 1, 1, 3, "first"), finding(path, 2, 1, 3, "second")]
    window.app.project.findings.replace("test", {path: found})
    wait_idle(window)
    assert "first" in view.edit.hover_at(0)
    assert "because" in view.edit.hover_at(0)
    window.actions_.run("editor.next_finding")
    assert view.edit.cursor_place()[0] == 2
    window.actions_.run("editor.next_finding")
    assert view.edit.selection() == (0, 2)
    window.app.project.findings.replace("test", {path: []})
    wait_idle(window)
    assert view.edit.hover_at(0) == ""


def test_a_source_location_opens_its_file_there(window: MainWindow) -> None:
    path = window.app.project.root / "utf8_bom_crlf.py"
    assert window.app.reveal(Location.source(path, 2, 2, 2, 4))
    view: Any = window.app.window.active_view()
    assert type(view).__name__ == "EditorView"
    assert view.edit.cursor_place() == (2, 4)
    assert window.app.selection.value.source == Location.source(path, 2, 2, 2, 4)
    assert not window.app.reveal(Location.source(path.with_name("gone.py"), 1))


def test_a_view_comes_back_where_it_was(window: MainWindow) -> None:
    view = opened(window, "utf8_bom_crlf.py")
    view.edit.go_to(2, 4)
    page = window.centre.page_of(view)
    assert page is not None
    window.centre.close_page(page)
    window.centre.reopen()
    again: Any = window.app.window.active_view()
    assert type(again).__name__ == "EditorView"
    assert again.edit.cursor_place() == (2, 4)


def test_a_file_of_one_very_long_line_is_only_shown(window: MainWindow) -> None:
    path = window.app.project.root / "one.json"
    path.write_text("[" + "1, " * 60_000 + "1]")
    view: Any = window.open(path, "editor.text", {})
    assert type(view).__name__ == "ExcerptView"
    assert view.edit.is_read_only()
    window.actions_.run("editor.find")
    assert not view.find_bar.isHidden()
