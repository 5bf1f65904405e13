"""Lines of a selection, several carets and whole lines on the clipboard, as in other editors."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.model.linediff import split_lines
from studio.ui.code import CodeEdit, make_code_edit
from studio.ui.codelanguages import language_by_title, language_of, languages
from studio.ui.codeplain import PlainCode
from studio.ui.codetyping import LineChange, changed_lines, toggle_comment

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(params=["scintilla", "plain"])
def edit(request: pytest.FixtureRequest, qtbot: QtBot) -> CodeEdit:
    make: Callable[[], CodeEdit] = make_code_edit if request.param == "scintilla" else PlainCode
    return shown(make(), qtbot)


@pytest.fixture
def scintilla(qtbot: QtBot) -> CodeEdit:
    return shown(make_code_edit(), qtbot)


def shown(widget: CodeEdit, qtbot: QtBot) -> CodeEdit:
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    return widget


@pytest.mark.parametrize(
    ("lines", "first", "last", "expected"),
    [
        (["a\n", "b\n", "c"], 1, 1, ["a b\n", "c"]),
        (["if x:  \r\n", "\t    y()\r\n", "z\r\n"], 1, 2, ["if x: y()\r\n", "z\r\n"]),
        (["a\n", "\n", "b\n"], 1, 3, ["a b\n"]),
        (["\n", "  b\n"], 1, 1, ["b\n"]),
        (["a\n", "b"], 1, 2, ["a b"]),
        (["a\n", "b"], 2, 2, ["a\n", "b"]),
    ],
)
def test_lines_are_joined(lines: list[str], first: int, last: int, expected: list[str]) -> None:
    assert changed_lines(lines, first, last, "join")[0] == expected


@pytest.mark.parametrize(
    "change", [LineChange.UP, LineChange.DOWN, LineChange.DELETE, LineChange.JOIN]
)
def test_lines_of_any_selection_change_as_lists_of_lines_do(
    edit: CodeEdit, change: LineChange
) -> None:
    draw = random.Random(change.value)
    for _ in range(60):
        text = draw.choice(["\n", "\r\n"]).join(draw.choices(["a", "bb", "", "  c", "中😀"], k=5))
        start, end = sorted(draw.choices(range(len(text) + 1), k=2))
        if "\r\n" in (text[start - 1 : start + 1], text[end - 1 : end + 1]):
            continue  # nobody can put a cursor there
        edit.set_text(text)
        edit.set_line_end("\r\n" if "\r" in text else "\n")
        edit.select(start, end)
        first, last = edit.place_at(start)[0], edit.place_at(max(start, end - 1))[0]
        edit.change_lines(change)
        expected = "".join(changed_lines(split_lines(text), first, last, change.value)[0])
        assert edit.text() == expected, (text, start, end)
        if edit.text() != text:
            edit.undo()
        assert edit.text() == text


def test_carets_in_lines_above_and_below_type_together(scintilla: CodeEdit) -> None:
    scintilla.set_text("ab\nc\nabc\nxyz\n")
    scintilla.select(1, 1)
    for _ in range(3):
        scintilla.change_lines(LineChange.CARET_BELOW)
    QTest.keyClicks(scintilla.area(), "#")
    assert scintilla.text() == "a#b\nc#\na#bc\nx#yz\n"
    scintilla.undo()
    scintilla.select(4, 4)
    scintilla.change_lines(LineChange.CARET_ABOVE)
    scintilla.change_lines(LineChange.CARET_ABOVE)  # there is no line above the first
    QTest.keyClicks(scintilla.area(), "!")
    assert scintilla.text() == "a!b\nc!\nabc\nxyz\n"


def test_every_occurrence_is_selected_and_changed_as_one_step(scintilla: CodeEdit) -> None:
    scintilla.set_text("loss = Loss + loss\nx.loss\n")
    scintilla.select(2, 2)
    scintilla.change_lines(LineChange.SELECT_EVERY)
    QTest.keyClicks(scintilla.area(), "y")
    assert scintilla.text() == "y = Loss + y\nx.y\n"


def test_lines_of_all_carets_are_deleted_and_commented(scintilla: CodeEdit) -> None:
    scintilla.set_language(language_of("a.py"))
    scintilla.set_text("a\n  b\nc\nd\n")
    scintilla.select(0, 0)
    for _ in range(2):
        scintilla.change_lines(LineChange.CARET_BELOW)
    scintilla.toggle_comment()
    assert scintilla.text() == "# a\n#   b\n# c\nd\n"
    scintilla.toggle_comment()
    assert scintilla.text() == "a\n  b\nc\nd\n"
    QTest.keyClicks(scintilla.area(), "!")
    assert scintilla.text() == "!a\n!  b\n!c\nd\n"
    scintilla.change_lines(LineChange.DELETE)
    assert scintilla.text() == "d\n"
    scintilla.undo()
    assert scintilla.text() == "!a\n!  b\n!c\nd\n"


def test_enter_indents_the_line_of_each_caret(scintilla: CodeEdit) -> None:
    scintilla.set_language(language_of("a.py"))
    scintilla.set_text("if a:\n    b:\n")
    scintilla.select(5, 5)
    scintilla.change_lines(LineChange.CARET_BELOW)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_End)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_Return)
    QTest.keyClicks(scintilla.area(), "x")
    assert scintilla.text() == "if a:\n    x\n    b:\n        x\n"


def test_a_proposal_is_taken_at_each_caret_that_wrote_the_same(scintilla: CodeEdit) -> None:
    scintilla.set_text("中al\nal\nxy\nal\n")
    scintilla.select(3, 3)
    for _ in range(3):
        scintilla.change_lines(LineChange.CARET_BELOW)
    scintilla.complete("al", "alpha")
    assert scintilla.text() == "中alpha\nalpha\nxy\nalpha\n"
    QTest.keyClicks(scintilla.area(), "!")
    assert scintilla.text() == "中alpha!\nalpha!\nxy!\nalpha!\n"
    scintilla.undo()
    scintilla.undo()
    assert scintilla.text() == "中al\nal\nxy\nal\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_is_copied_and_cut_without_a_selection(edit: CodeEdit, end: str) -> None:
    edit.set_text(f"one{end}two{end}")
    edit.set_line_end(end)
    edit.go_to(1, 2)
    edit.copy()
    assert edit.selected_text() == ""
    edit.go_to(2, 1)
    edit.paste()
    assert edit.text() == f"one{end}one{end}two{end}"
    assert edit.cursor_place() == (3, 1)
    edit.cut()
    assert edit.text() == f"one{end}one{end}"


def test_a_copied_line_goes_above_the_line_of_the_caret(scintilla: CodeEdit) -> None:
    scintilla.set_text("one\ntwo\n")
    scintilla.go_to(1, 2)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_C, CTRL)
    scintilla.go_to(2, 3)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_V, CTRL)
    assert scintilla.text() == "one\none\ntwo\n"
    assert scintilla.cursor_place() == (3, 3)
    scintilla.select(1, 3)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_C, CTRL)
    scintilla.go_to(3, 4)
    QTest.keyClick(scintilla.area(), Qt.Key.Key_V, CTRL)
    assert scintilla.text() == "one\none\ntwone\n"


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.xml"])
def test_languages_without_a_sign_for_a_line_comment_a_block(edit: CodeEdit, name: str) -> None:
    text = "x\n  <b>\n\n  y</b>  \n"
    edit.set_language(language_of(name))
    edit.set_text(text)
    edit.select(4, len(text) - 1)
    edit.toggle_comment()
    assert edit.text() == "x\n  <!-- <b>\n\n  y</b> -->  \n"
    edit.toggle_comment()
    assert edit.text() == text
    edit.go_to(2, 4)
    edit.toggle_comment()
    assert edit.text() == "x\n  <!-- <b> -->\n\n  y</b>  \n"
    assert edit.cursor_place() == (2, 9)


@pytest.mark.parametrize("language", [one for one in languages() if one.comment or one.around])
@pytest.mark.parametrize("seed", range(5))
def test_commenting_twice_gives_the_same_lines_in_every_language(language, seed) -> None:
    draw = random.Random(seed)
    for _ in range(40):
        ends = draw.choices(["\n", "\r\n", "\r"], k=6)
        starts = draw.choices(["", "\t", "    ", "  \t", " "], k=6)
        texts = draw.choices(["x", "", "a b ", "中"], k=6)
        lines = [start + text + end for start, text, end in zip(starts, texts, ends, strict=True)]
        commented = toggle_comment(lines, language.comment, language.around)
        assert toggle_comment(commented, language.comment, language.around) == lines


def test_json_with_comments_has_them() -> None:
    assert language_of("tsconfig.json") is language_by_title("JSON with comments")
    assert language_of("a.json").comment == ""
