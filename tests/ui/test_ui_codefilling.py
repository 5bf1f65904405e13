"""A long text comes into its editor bit by bit; nobody can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui import codefilling
from studio.ui.code import Tint, make_code_edit
from studio.ui.codetyping import LineChange

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

LINES = [f"line {n} 中{'x' * (n % 7)}\n" for n in range(3_000)]
TEXT = "".join(LINES) + "the end"


@pytest.fixture
def edit(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(codefilling, "_PART", 500)
    found = make_code_edit()
    qtbot.addWidget(found)
    found.resize(400, 300)
    found.show()
    found.set_read_only(True)
    found.set_text(TEXT)
    return found


def loaded(edit: Any) -> int:
    return int(edit.sci.lineCount())


def test_the_beginning_is_there_at_once_and_the_rest_follows(edit: Any, qtbot: QtBot) -> None:
    assert 10 < loaded(edit) < 100
    assert edit.line_text(3) == LINES[2]
    assert loaded(edit) < 100, "what is there needs nothing more"
    qtbot.waitUntil(lambda: loaded(edit) == 3_001)
    assert edit.text() == TEXT
    assert not edit.can_undo()
    assert edit.is_read_only()


OFFSET = len("".join(LINES[:2_000]))
ASKED: dict[str, tuple[Callable[[Any], object], object]] = {
    "text": (lambda edit: edit.text(), TEXT),
    "count": (lambda edit: edit.line_count(), 3_001),
    "line": (lambda edit: edit.line_text(2_001), LINES[2_000]),
    "offset": (lambda edit: edit.offset_at(2_001), OFFSET),
    "place": (lambda edit: edit.place_at(OFFSET + 2), (2_001, 3)),
    "select": (lambda edit: (edit.select(OFFSET, OFFSET + 4), edit.selected_text())[1], "line"),
    "scroll": (lambda edit: (edit.set_first_line(2_001), edit.first_line())[1], 2_001),
    "all": (lambda edit: (edit.select_all(), edit.selection())[1], (0, len(TEXT))),
    "replace": (lambda edit: (edit.replace(OFFSET, OFFSET + 4, "LINE"), edit.line_text(2_001))[1],
                "LINE" + LINES[2_000][4:]),
    "tints": (lambda edit: (edit.set_tints({2_001: Tint.ADDED}), edit.sci.markerGet(2_000) > 0)[1],
              True),
    "notes": (lambda edit: (edit.set_end_notes({2_001: "moved"}),
                            bytes(edit.sci.eOLAnnotationText(2_000).data()))[1], b"moved"),
}  # fmt: skip


@pytest.mark.parametrize("what", ASKED)
def test_whatever_is_asked_for_is_there(edit: Any, what: str) -> None:
    ask, expected = ASKED[what]
    assert loaded(edit) < 100
    assert ask(edit) == expected


def test_another_text_takes_the_place_of_one_that_is_not_all_there(edit: Any, qtbot: QtBot) -> None:
    edit.set_text("short\n")
    QApplication.processEvents()
    qtbot.wait(20)
    assert edit.text() == "short\n"
    edit.set_text(TEXT)
    edit.set_read_only(False)
    assert loaded(edit) == 3_001, "before one may type"


def test_keys_reach_the_end_of_what_is_not_there_yet(edit: Any) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(edit.area(), Qt.Key.Key_End, control)
    assert edit.cursor_offset() == len(TEXT)
    edit.set_text(TEXT)
    assert loaded(edit) < 100
    QTest.keyClick(edit.area(), Qt.Key.Key_A, control)
    assert edit.selected_text() == TEXT


@pytest.fixture
def writable(qtbot: QtBot) -> Any:
    found = make_code_edit()
    qtbot.addWidget(found)
    found.resize(400, 300)
    found.show()
    return found


def long_text() -> str:
    return "".join(f"line {n} of a text that comes bit by bit 中\n" for n in range(40_000))


def test_a_long_text_comes_bit_by_bit_and_is_edited_then(writable: Any, qtbot: QtBot) -> None:
    text = long_text()
    writable.set_text(text)
    assert writable.sci.length() < len(text.encode())
    assert writable.sci.readOnly()
    assert not writable.is_read_only()
    assert writable.line_count() == 40_001
    assert writable.text() == text
    qtbot.waitUntil(lambda: not writable.sci.readOnly())
    assert writable.sci.length() == len(text.encode())
    assert not writable.can_undo()
    assert not writable.sci.modify()
    writable.replace(0, 4, "LINE")
    assert writable.text() == "LINE" + text[4:]
    writable.undo()
    assert writable.text() == text
    assert not writable.can_undo()


def test_a_key_before_a_long_text_is_all_there_is_typed(writable: Any) -> None:
    text = long_text()
    writable.set_text(text)
    QTest.keyClicks(writable.area(), "x")
    assert writable.text() == "x" + text
    assert writable.sci.length() == len(text.encode()) + 1
    assert not writable.sci.readOnly()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_beyond_what_is_there_yet_are_reached(writable: Any, end: str) -> None:
    text = long_text().replace("\n", end)
    writable.set_text(text)
    assert writable.line_count() == 40_001
    writable.go_to(39_000, 3)
    assert writable.cursor_place() == (39_000, 3)
    assert writable.line_text(39_000).startswith("line 38999 of")
    assert writable.line_count() == 40_001
    writable.set_text(text[:2_000_000] + "end")  # another one before the first is forgotten
    assert not writable.is_read_only()
    assert writable.text() == text[:2_000_000] + "end"


def test_a_text_that_is_locked_stays_locked_when_it_is_all_there(
    writable: Any, qtbot: QtBot
) -> None:
    text = long_text()
    writable.set_read_only(True)
    writable.set_text(text)
    assert writable.is_read_only()
    qtbot.waitUntil(lambda: writable.sci.length() == len(text.encode()))
    QTest.keyClicks(writable.area(), "x")
    assert writable.is_read_only()
    assert writable.text() == text


def paste(edit: Any) -> None:
    QApplication.clipboard().setText("paste")
    QTest.keyClick(edit.area(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def move_down(edit: Any) -> None:
    edit.change_lines(LineChange.DOWN)


def two_at_once(edit: Any) -> None:
    with edit.step():
        edit.replace(0, 0, "a")
        edit.replace(40, 41, "bc")


def compose(edit: Any) -> None:
    event = QInputMethodEvent()
    event.setCommitString("中")
    QApplication.sendEvent(edit.area(), event)


LINE = "line 0 of a text that comes bit by bit 中\n"
EARLY: dict[str, tuple[int, Callable[[Any], object], str]] = {
    "typed over": (4, lambda edit: QTest.keyClicks(edit.area(), "x"), "x" + LINE[4:]),
    "deleted": (4, lambda edit: QTest.keyClick(edit.area(), Qt.Key.Key_Backspace), LINE[4:]),
    "indented": (0, lambda edit: QTest.keyClick(edit.area(), Qt.Key.Key_Tab), "    " + LINE),
    "pasted": (4, paste, "paste" + LINE[4:]),
    "moved": (0, move_down, LINE.replace("0", "1") + LINE),
    "two at once": (0, two_at_once, "a" + LINE[:39] + "bc\n"),
    "composed": (0, compose, "中" + LINE),
}


@pytest.mark.parametrize("what", EARLY)
def test_each_step_made_before_all_is_there_is_undone_by_itself(writable: Any, what: str) -> None:
    text = long_text()
    chosen, change, expected = EARLY[what]
    writable.set_text(text)
    writable.select(0, chosen)
    assert writable.sci.readOnly(), "not all is there"
    change(writable)
    changed = writable.text()
    assert changed.startswith(expected)
    assert bytes(writable.sci.textRange(0, writable.sci.length()).data()).decode() == changed
    writable.replace(200, 200, "more")
    writable.undo()
    assert writable.text() == changed
    while writable.can_undo():
        writable.undo()
    assert writable.text() == text
