"""The editor widget: both drawings of it give the same answers."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.model.documents import Documents
from studio.ui.code import CodeEdit, Mark, Squiggle, Word, make_code_edit
from studio.ui.codebinding import Binding
from studio.ui.codefind import FindBar
from studio.ui.codelanguages import language_of, languages
from studio.ui.codeplain import PlainCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from studio.model.document import Document

pytestmark = pytest.mark.gui

TEXT = "a😀b = 1\r\n你好 = x.cuda()\rlast\n"


@pytest.fixture(params=["scintilla", "plain"])
def edit(request: pytest.FixtureRequest, qtbot: QtBot) -> CodeEdit:
    make: Callable[[], CodeEdit] = make_code_edit if request.param == "scintilla" else PlainCode
    widget = make()
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    return widget


@pytest.fixture
def scintilla(qtbot: QtBot) -> CodeEdit:
    widget = make_code_edit()
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    return widget


def test_text_comes_back_as_it_was_set(edit: CodeEdit) -> None:
    edit.set_text(TEXT)
    assert edit.text() == TEXT
    assert not edit.can_undo()


@pytest.mark.parametrize("seed", range(5))
def test_the_text_is_known_after_any_number_of_changes(scintilla: CodeEdit, seed: int) -> None:
    draw = random.Random(seed)
    expected = TEXT * 3
    scintilla.set_text(expected)
    for _ in range(120):
        start = draw.randrange(len(expected) + 1)
        end = min(start + draw.choice((0, 0, 1, 5)), len(expected))
        new = draw.choice(("", "é", "😀x", "\r\n", "你"))
        scintilla.replace(start, end, new)
        expected = expected[:start] + new + expected[end:]
        if not draw.randrange(4):
            assert scintilla.text() == expected
    while scintilla.can_undo():
        scintilla.undo()
    assert scintilla.text() == TEXT * 3
    while scintilla.can_redo():
        scintilla.redo()
    assert scintilla.text() == expected
    scintilla.select_all()
    scintilla.cut()
    assert scintilla.text() == ""


def test_a_nul_does_not_cut_the_text(scintilla: CodeEdit) -> None:
    scintilla.set_text("a\0b\n")
    assert scintilla.text() == "a\0b\n"


def test_offsets_count_characters_and_places_count_from_one(edit: CodeEdit) -> None:
    edit.set_text(TEXT)
    assert edit.offset_at(2, 1) == 9
    assert edit.place_at(14) == (2, 6)
    assert edit.offset_at(2, 6) == 14
    assert edit.offset_at(1, 99) == 7
    assert edit.offset_at(99) == len(TEXT)
    assert edit.line_text(1) == "a😀b = 1\r\n"


def test_every_offset_and_place_agree(edit: CodeEdit) -> None:
    draw = random.Random(5)
    text = "".join(draw.choice(["a", "é", "好", "😀", "\n", "\r\n", " "]) for _ in range(300))
    edit.set_text(text)
    for offset in range(len(text) + 1):
        if text[max(offset - 1, 0) : offset + 1] != "\r\n":
            assert edit.offset_at(*edit.place_at(offset)) == offset


def test_replacing_is_one_step_and_undo_restores(edit: CodeEdit) -> None:
    edit.set_text(TEXT)
    start = TEXT.index("cuda")
    edit.replace(start, start + 4, "npu")
    assert edit.text() == TEXT.replace("cuda", "npu")
    edit.undo()
    assert edit.text() == TEXT
    assert edit.can_redo()


def test_replacing_a_whole_text_touches_only_what_differs(edit: CodeEdit) -> None:
    edit.set_text(TEXT)
    edit.select(1, 1)
    edit.replace_text(TEXT.replace("cuda", "npu"))
    assert edit.text() == TEXT.replace("cuda", "npu")
    assert edit.selection() == (1, 1)


def test_selecting_and_going(edit: CodeEdit) -> None:
    edit.set_text(TEXT)
    edit.go_to(2, 6, 2, 12, flash=True)
    assert edit.selected_text() == "x.cuda"
    assert edit.cursor_place() == (2, 12)


def test_commenting_keeps_line_ends(edit: CodeEdit) -> None:
    edit.set_language(language_of("a.py"))
    edit.set_text("x = 1\r\ny = 2\n")
    edit.select(0, 9)
    edit.toggle_comment()
    assert edit.text() == "# x = 1\r\n# y = 2\n"
    edit.toggle_comment()
    assert edit.text() == "x = 1\r\ny = 2\n"


def test_hovering_a_mark_says_why(edit: CodeEdit) -> None:
    edit.set_text(TEXT)
    start = TEXT.index("cuda")
    edit.set_marks([Squiggle(start, start + 4, Mark.WARNING, "bound to CUDA")])
    assert edit.hover_at(start + 1) == "bound to CUDA"
    assert edit.hover_at(0) == ""


def test_marks_move_with_the_text(scintilla: CodeEdit) -> None:
    scintilla.set_text(TEXT)
    start = TEXT.index("cuda")
    scintilla.set_marks([Squiggle(start, start + 4, Mark.ERROR, "here")])
    scintilla.replace(0, 0, "# 新\n")
    assert scintilla.hover_at(start + 4) == "here"
    assert scintilla.hover_at(start) == ""


def test_state_survives(edit: CodeEdit) -> None:
    edit.set_text("\n".join(f"line {n}" for n in range(200)))
    edit.set_zoom(2)
    edit.go_to(150, 3)
    state = edit.state()
    edit.set_zoom(0)
    edit.go_to(1)
    edit.restore_state(state)
    assert edit.cursor_place() == (150, 3)
    assert edit.zoom() == 2
    assert edit.state() == state


def test_folds_are_part_of_the_state(scintilla: CodeEdit, qtbot: QtBot) -> None:
    scintilla.set_language(language_of("a.py"))
    scintilla.set_text("def f():\n    a = 1\n    b = 2\n\ndef g():\n    c = 3\n")
    scintilla.show()
    qtbot.waitExposed(scintilla)
    scintilla.set_folds([5])
    assert scintilla.state()["folds"] == [5]


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.title)
def test_every_language_can_be_drawn(scintilla: CodeEdit, language: object) -> None:
    scintilla.set_language(language)  # type: ignore[arg-type]
    scintilla.set_text("x: 1  # note\n[a]\n{'b': \"c\"}\n")
    scintilla.show()
    assert not scintilla.grab().isNull()


def test_enter_indents(scintilla: CodeEdit, qtbot: QtBot) -> None:
    scintilla.set_language(language_of("a.py"))
    scintilla.set_text("def f():")
    scintilla.show()
    scintilla.select(8, 8)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_Return)
    QTest.keyClicks(scintilla.area(), "x")
    assert scintilla.text() == "def f():\n    x"


def test_typing_keys_are_claimed_from_shortcuts(scintilla: CodeEdit) -> None:
    def claims(key: Qt.Key, modifiers: Qt.KeyboardModifier, text: str = "") -> bool:
        event = QKeyEvent(QKeyEvent.Type.ShortcutOverride, key, modifiers, text)
        event.ignore()
        QApplication.sendEvent(scintilla.area(), event)
        return event.isAccepted()

    plain, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    assert claims(Qt.Key.Key_F, plain, "f")
    assert claims(Qt.Key.Key_Z, control)
    assert not claims(Qt.Key.Key_F3, plain)
    assert not claims(Qt.Key.Key_S, control)
    assert not claims(Qt.Key.Key_A, control | Qt.KeyboardModifier.ShiftModifier)
    scintilla.set_read_only(True)
    assert not claims(Qt.Key.Key_A, plain, "a")
    assert claims(Qt.Key.Key_Down, plain)


def test_undo_and_redo_by_key(scintilla: CodeEdit) -> None:
    scintilla.set_text("a\n")
    scintilla.show()
    QTest.keyClicks(scintilla.area(), "x")
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    for key, modifiers, text in (
        (Qt.Key.Key_Z, control, "a\n"),
        (Qt.Key.Key_Z, control | shift, "xa\n"),
        (Qt.Key.Key_Z, control, "a\n"),
        (Qt.Key.Key_Y, control, "xa\n"),
    ):
        QTest.keyClick(scintilla.area(), key, modifiers)
        assert scintilla.text() == text


def test_our_menu_is_asked_for(scintilla: CodeEdit, qtbot: QtBot) -> None:
    scintilla.show()
    with qtbot.waitSignal(scintilla.menu_requested):
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(90, 9), QPoint(90, 9))
        QApplication.sendEvent(scintilla.area().viewport(), event)


def test_gaps_are_left_out_when_copied(scintilla: CodeEdit) -> None:
    scintilla.set_text("one\n\n\ntwo\n")
    scintilla.set_line_labels(lambda line: {1: "1", 4: "2"}.get(line, ""), "9")
    scintilla.set_words([(0, 3, Word.NEW)])
    scintilla.select_all()
    scintilla.copy()
    assert QApplication.clipboard().text() == "one\ntwo\n"


def test_find_bar_steps_and_replaces(edit: CodeEdit, qtbot: QtBot) -> None:
    edit.set_text("cuda\nCuda\nbarracuda\n")
    bar = FindBar(edit)
    qtbot.addWidget(bar)
    bar.start(replacing=True)
    bar.what.setText("cuda")
    bar.word.setChecked(True)
    bar.next()
    first = edit.selection()
    bar.next()
    assert {first, edit.selection()} == {(0, 4), (5, 9)}
    bar.by.setText("npu")
    bar.replace()
    bar.replace_all()
    assert edit.text() == "npu\nnpu\nbarracuda\n"
    bar.stop()
    assert bar.isHidden()


def test_a_missing_group_in_a_replacement_is_told(edit: CodeEdit, qtbot: QtBot) -> None:
    edit.set_text("cuda\n")
    bar = FindBar(edit)
    qtbot.addWidget(bar)
    bar.start(replacing=True)
    bar.regex.setChecked(True)
    bar.what.setText("(cuda)")
    bar.by.setText(r"\4")
    bar.replace_all()
    assert edit.text() == "cuda\n"


def bar_for(edit: CodeEdit, qtbot: QtBot, what: str) -> FindBar:
    bar = FindBar(edit)
    qtbot.addWidget(bar)
    bar.start(replacing=True)
    bar.regex.setChecked(True)
    bar.what.setText(what)
    return bar


@pytest.mark.parametrize(
    ("what", "places"), [("^", [0, 2, 3, 5]), ("$", [1, 2, 4, 5]), ("^$", [2, 5])]
)
def test_beginnings_and_ends_of_lines_are_stepped_through_and_replaced(
    edit: CodeEdit, qtbot: QtBot, what: str, places: list[int]
) -> None:
    text = "a\n\nb\n"
    edit.set_text(text)
    bar = bar_for(edit, qtbot, what)
    found = []
    for _ in range(len(places) + 1):
        bar.next()
        found.append(edit.selection())
    assert sorted(set(found)) == [(place, place) for place in places]
    assert found[0] == found[-1]
    bar.previous()
    assert edit.selection() == found[-2]
    edit.select(0, 0)
    bar.by.setText("# ")
    for _ in range(len(places) + (0 not in places)):  # then the first press only goes there
        bar.replace()
    expected = "".join("# " * (n in places) + (text + " ")[n] for n in range(len(text) + 1))[:-1]
    assert edit.text() == expected
    edit.set_text(text)
    bar.replace_all()
    assert edit.text() == expected


def test_the_range_to_search_in_goes_along_with_the_text(edit: CodeEdit, qtbot: QtBot) -> None:
    edit.set_text("x x\nx x x\nx x\n")
    edit.select(4, 9)
    bar = FindBar(edit)
    qtbot.addWidget(bar)
    bar.show()
    bar.inside.setChecked(True)
    bar.by.setText("yyy")
    bar.what.setText("x")
    edit.replace(0, 0, "# ")
    edit.replace(len(edit.text()), len(edit.text()), "x")
    edit.replace(8, 8, "x")
    bar.replace_all()
    assert edit.text() == "# x x\nyyy yyyyyy yyy\nx x\nx"
    bar.what.setText("y+")
    bar.regex.click()
    bar.by.setText("z")
    bar.next()
    for _ in range(5):
        bar.replace()
    assert edit.text() == "# x x\nz z z\nx x\nx"


def test_an_expression_without_end_is_given_up_and_told(
    scintilla: CodeEdit, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.ui.codefind._SECONDS", 0.1)
    scintilla.set_text("a" * 40 + "b\nfoo\n")
    bar = bar_for(scintilla, qtbot, "(a+)+$")
    began = time.process_time()
    for _ in range(3):
        bar.next()
        bar.replace_all()
    assert time.process_time() - began < 3
    assert bar._count.text() == "Takes too long"
    bar.what.setText("fo+")
    bar.next()
    assert scintilla.selected_text() == "foo"


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\r\n")
    return Documents().open(path)


def test_typing_reaches_the_document_once(
    scintilla: CodeEdit, document: Document, qtbot: QtBot
) -> None:
    binding = Binding(scintilla, document)
    heard: list[int] = []
    document.changed.connect(lambda changed: heard.append(changed.version))
    scintilla.show()
    QTest.keyClicks(scintilla.area(), "y")
    assert binding.is_pending()
    qtbot.waitUntil(lambda: not binding.is_pending())
    assert document.text == "yx = 1\r\n"
    assert heard == [1]
    assert document.dirty


def test_a_change_of_the_document_is_one_undoable_step(edit: CodeEdit, document: Document) -> None:
    Binding(edit, document)
    document.set_text("x = 2\r\nz = 3\r\n")
    assert edit.text() == "x = 2\r\nz = 3\r\n"
    assert document.version == 1
    edit.undo()
    assert edit.text() == "x = 1\r\n"


@pytest.mark.parametrize(
    ("typed", "changed", "both"),
    [
        ((7, 7, "# é\r\n"), "x = 😀\r\n", "x = 😀\r\n# é\r\n"),
        ((0, 0, "# é\r\n"), "x = 😀2\r\n", "# é\r\nx = 😀2\r\n"),
        ((0, 1, "long"), "x = 1\r\nz\r\n", "long = 1\r\nz\r\n"),
        ((4, 5, ""), "# top\r\nx = 1\r\n", "# top\r\nx = \r\n"),
    ],
)
def test_what_is_typed_while_a_change_is_on_its_way_stays(
    edit: CodeEdit, document: Document, typed: tuple[int, int, str], changed: str, both: str
) -> None:
    binding = Binding(edit, document)
    edit.replace(*typed)
    assert binding.is_pending()
    document.set_text(changed)
    assert edit.text() == both
    assert document.text == changed
    binding.flush()
    assert document.text == both
    document.set_text("")
    assert edit.text() == ""


def test_a_change_where_one_typed_leaves_the_typed_text_to_undo(
    edit: CodeEdit, document: Document
) -> None:
    binding = Binding(edit, document)
    edit.replace(4, 5, "typed")
    document.set_text("x = 22\r\n")
    assert edit.text() == "x = 22\r\n"
    assert not binding.is_pending()
    edit.undo()
    assert edit.text() == "x = typed\r\n"


def test_a_second_editor_on_a_document_follows(
    scintilla: CodeEdit, document: Document, qtbot: QtBot
) -> None:
    other = make_code_edit()
    qtbot.addWidget(other)
    first, second = Binding(scintilla, document), Binding(other, document)
    scintilla.replace(0, 0, "# ")
    first.flush()
    assert other.text() == "# x = 1\r\n"
    assert not second.is_pending()


def test_odd_bytes_are_shown_and_never_typed_over(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_bytes(b"x = '\xff'\n" + "中文\n".encode())
    document = Documents().open(path)
    edit = make_code_edit()
    qtbot.addWidget(edit)
    Binding(edit, document)
    if document.lossy:
        assert edit.is_read_only()
    assert len(edit.text()) == len(document.text)
