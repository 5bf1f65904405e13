"""Proposals, definitions and moving lines in the real editor."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio.ui.idle import wait_idle
from studio.ui.quickopen import QuickOpen

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.editor.ui.view import EditorView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def opened(window: MainWindow, project: Path, name: str, text: str | None = None) -> EditorView:
    if text is not None:
        (project / name).write_text(text, encoding="utf-8")
    window.app.open_project(project, live=False)
    view: Any = window.open(project / name, "", {})
    assert wait_idle(window)
    QWidget.setFocus(view.edit.area())
    return view


def type_in(view: EditorView, text: str) -> None:
    QTest.keyClicks(view.edit.area(), text)


@pytest.mark.parametrize("drawn_by", ["ScintillaCode", "PlainCode"])
def test_words_are_proposed_while_typing_and_taken_by_tab(window, project, drawn_by, monkeypatch):
    if drawn_by == "PlainCode":
        monkeypatch.setitem(sys.modules, "studio.ui.codescintilla", None)
    view = opened(window, project, "notes.md", "allreduce allgather alpha\n")
    assert type(view.edit).__name__ == drawn_by
    view.edit.go_to(2)
    type_in(view, "allr")
    assert wait_idle(window)
    QTest.qWait(200)
    assert view.assist.popup.isVisible()
    assert view.assist.popup.names() == ["allreduce"]
    QTest.keyClick(view.edit.area(), Qt.Key.Key_Tab)
    assert view.edit.text().endswith("\nallreduce")
    assert not view.assist.popup.isVisible()
    view.edit.undo()
    assert view.edit.text().endswith("\nallr")


def test_words_of_files_that_are_not_open_are_proposed(window, project):
    (project / "far.py").write_text("gradient_accumulation = 4\n", encoding="utf-8")
    view = opened(window, project, "notes.md", "# Notes\n")
    view.edit.go_to(2)
    type_in(view, "gradi")
    QTest.qWait(200)
    assert wait_idle(window)
    type_in(view, "e")
    QTest.qWait(200)
    assert view.assist.popup.names() == ["gradient_accumulation"]


def test_a_search_for_a_definition_that_fails_is_told(window, project, monkeypatch):
    told: list[str] = []
    view = opened(window, project, "use.py", "from model import Net\nnet = Net()\n")
    monkeypatch.setattr(view.studio, "notify", lambda text, **_: told.append(text), raising=False)
    view.edit.go_to(2, 8)
    monkeypatch.setattr(
        type(view.studio), "start_job", lambda *_a, failed, **_k: failed(OSError("it died"))
    )
    view.assist.go_to_definition()
    assert told == ["it died"]


def test_escape_and_the_arrows_belong_to_the_list(window, project):
    view = opened(window, project, "notes.md", "alpha almost already\n")
    view.edit.go_to(2)
    type_in(view, "al")
    QTest.qWait(200)
    names = view.assist.popup.names()
    assert sorted(names) == ["almost", "alpha", "already"]
    QTest.keyClick(view.edit.area(), Qt.Key.Key_Down)
    QTest.keyClick(view.edit.area(), Qt.Key.Key_Return)
    assert view.edit.text().endswith(f"\n{names[1]}")
    type_in(view, " al")
    QTest.qWait(200)
    QTest.keyClick(view.edit.area(), Qt.Key.Key_Escape)
    assert not view.assist.popup.isVisible()


def test_python_names_are_proposed_after_a_dot(window, project):
    view = opened(window, project, "use.py", "from model import Net\nnet = Net()\n")
    view.edit.go_to(3)
    type_in(view, "net.cu")
    QTest.qWait(150)
    assert wait_idle(window, 120)
    assert "cuda" in view.assist.popup.names()
    QTest.keyClick(view.edit.area(), Qt.Key.Key_Return)
    assert view.edit.text().endswith("net.cuda")


def test_a_definition_in_another_file_is_one_key_away(window, project):
    view = opened(window, project, "train.py")
    view.edit.go_to(4, 14)
    window.app.commands.run("editor.go_to_definition", {})
    assert wait_idle(window, 120)
    front: Any = window.app.window.active_view()
    assert front.title() == "model.py"
    assert front.edit.cursor_place()[0] == 2
    window.trail.back()
    assert wait_idle(window)
    assert window.app.window.active_view().title() == "train.py"


def test_symbols_are_found_in_quick_open(window, project):
    opened(window, project, "model.py")
    _, entries = QuickOpen(window).entries("@cu")
    assert [entry.title for entry in entries] == ["Net.cuda"]
    entries[0].run()
    assert wait_idle(window)
    view: Any = window.app.window.active_view()
    assert view.edit.cursor_place()[0] == 2


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("editor.lines_up", "b\na\nc\n"),
        ("editor.lines_down", "a\nc\nb\n"),
        ("editor.delete_lines", "a\nc\n"),
        ("editor.copy_lines", "a\nb\nb\nc\n"),
    ],
)
def test_lines_are_moved_copied_and_deleted(window, project, command, expected):
    view = opened(window, project, "lines.txt", "a\nb\nc\n")
    view.edit.go_to(2)
    window.app.commands.run(command, {})
    assert view.edit.text() == expected
    view.edit.undo()
    assert view.edit.text() == "a\nb\nc\n"


def test_the_next_occurrence_is_selected_as_well(window, project):
    view = opened(window, project, "lines.txt", "loss = loss + loss\n")
    view.edit.go_to(1, 1, 1, 5)
    window.app.commands.run("editor.select_next", {})
    window.app.commands.run("editor.select_next", {})
    type_in(view, "x")
    assert view.edit.text() == "x = x + x\n"


def test_replacing_in_the_selection_only_and_with_its_case(window, project):
    view = opened(window, project, "lines.txt", "Cuda cuda\nCUDA cuda\ncuda\n")
    view.edit.go_to(1, 1, 2, 10)
    bar = view.find_bar
    bar.show()
    bar.set_replacing(True)
    bar.what.setText("cuda")
    bar.by.setText("npu")
    bar.inside.click()
    bar.keep_case.click()
    assert len(bar._hits.spans) == 4
    bar.replace_all()
    assert view.edit.text() == "Npu npu\nNPU npu\ncuda\n"
    bar.inside.click()
    assert len(bar._hits.spans) == 1


def test_brackets_close_themselves_unless_one_does_not_want_it(window, project):
    view = opened(window, project, "close.py", "")
    type_in(view, "print(")
    assert view.edit.text() == "print()"
    type_in(view, ")")
    assert view.edit.text() == "print()"
    view.studio.set_setting("editor.close_brackets", False)
    type_in(view, "[")
    assert view.edit.text() == "print()["


def test_the_parameters_of_a_call_are_shown_within_a_pair(window, project):
    view = opened(window, project, "call.py", "def scale(value, factor):\n    return value\n\n\n")
    view.edit.go_to(4)
    type_in(view, "scale(")
    QTest.qWait(200)
    assert wait_idle(window)
    assert view.edit.line_text(4) == "scale()\n"
    assert view.assist.tip.isVisible()
    assert "value" in view.assist.tip.text()
    type_in(view, ")")
    QTest.qWait(50)
    assert view.edit.line_text(4) == "scale()\n"
    assert not view.assist.tip.isVisible()
