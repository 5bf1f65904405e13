"""Brackets and quotes that close themselves, by keys, beside a plain model of the rules."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.code import CodeEdit, make_code_edit
from studio.ui.codelanguages import language_of
from studio.ui.codeplain import PlainCode

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui

OPENING, CLOSING = "([{", ")]}"
BACK, ENTER, LEFT, RIGHT = "back", "enter", "left", "right"
KEYS = {
    BACK: Qt.Key.Key_Backspace,
    ENTER: Qt.Key.Key_Return,
    LEFT: Qt.Key.Key_Left,
    RIGHT: Qt.Key.Key_Right,
}
NAMES = {BACK: "⌫", ENTER: "⏎", LEFT: "←", RIGHT: "→"}
SIGNS = {sign: key for key, sign in NAMES.items()}


@pytest.fixture
def edit(qtbot: QtBot) -> CodeEdit:
    widget = make_code_edit()
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.close_brackets = True
    return widget


def press(edit: CodeEdit, keys: str) -> None:
    """Type characters; the signs of `NAMES` are keys."""
    for sign in keys:
        if sign in SIGNS:
            QTest.keyClick(edit.area(), KEYS[SIGNS[sign]])
        else:
            QTest.keyClick(edit.area(), sign)


def start(edit: CodeEdit, marked: str, name: str = "a.py") -> None:
    """Show a text with the caret at |, or a selection between two of them."""
    parts = marked.split("|")
    edit.set_language(language_of(name))
    edit.set_text("".join(parts))
    first = len(parts[0])
    edit.select(first, first + (len(parts[1]) if len(parts) > 2 else 0))


def shown(edit: CodeEdit) -> str:
    text, (first, last) = edit.text(), edit.selection()
    if first != last:
        text = text[:last] + "|" + text[last:]
    return text[:first] + "|" + text[first:]


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("|", "(", "(|)"),
        ("|", "f(a[1]);", "f(a[1]);|"),
        ("|x", "(", "(|x"),
        ("|\tx", "{", "{|}\tx"),
        ("f(|)", "[", "f([|])"),
        ("a|, b", "(", "a(|), b"),
        ("|中", "(", "(|中"),
        ("中|", "(", "中(|)"),
        ('a = |', '"', 'a = "|"'),
        ("don|", "'t", "don't|"),
        ("x_|", '"', 'x_"|'),
        ("中|", '"', '中"|'),
        ('a = "b|', '"', 'a = "b"|'),
        ('a = "it|', "'", 'a = "it\'|'),
        ("|", '"""', '"""|'),
        ("|", '"""a."""', '"""a."""|'),
        ("|", '""', '""|'),
        ("|", "()", "()|"),
        ("(|)", ")", "()|)"),
        ("|", "(a→)", "(a))|"),
        ("|", "(⌫", "|"),
        ("|", "([⌫", "(|)"),
        ("(|)", "⌫", "|)"),
        ("|", "(a⌫⌫", "|"),
        ("|", "(()⌫", "((|)"),
        ("|", '"⌫', "|"),
        ("  f(|)", "⏎", "  f(\n      |\n  )"),
        ("if x: {|}", "⏎", "if x: {\n    |\n}"),
        ("[|) ", "⏎", "[\n    |) "),
        ("a |b c| d", "(", "a (|b c|) d"),
        ("a |b c| d", '"', 'a "|b c|" d'),
        ("|a\nb|", "{", "{|a\nb|}"),
        ("a |b| c", "])", "a ])| c"),
        ("a |b| c", "[{", "a [{|b|}] c"),
        ("|", "`", "`|"),
    ],
)  # fmt: skip
def test_keys_close_what_they_open(edit: CodeEdit, before: str, keys: str, after: str) -> None:
    start(edit, before)
    press(edit, keys)
    assert shown(edit) == after


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("|", "f(a[1]);", "f(a[1]);|"),
        ("|x", "(", "(|x"),
        ("f(|)", "[", "f([|])"),
        ("don|", "'t", "don't|"),
        ("|", '"""', '"""|'),
        ("(|)", ")", "()|)"),
        ("(|)", "⌫", "|)"),
        ("|", "([⌫", "(|)"),
        ("|", "(()⌫", "((|)"),
        ("|", "(a⌫⌫", "|"),
        ("a |b c| d", "(", "a (|b c|) d"),
    ],
)
def test_the_plain_editor_closes_them_too(qtbot: QtBot, before: str, keys: str, after: str) -> None:
    plain = PlainCode()
    qtbot.addWidget(plain)
    plain.close_brackets = True
    start(plain, before)
    press(plain, keys)
    assert shown(plain) == after
    while plain.can_undo():
        plain.undo()
    assert plain.text() == before.replace("|", "")


def test_back_ticks_quote_in_markdown(edit: CodeEdit) -> None:
    start(edit, "see |", "a.md")
    press(edit, "`a`")
    assert shown(edit) == "see `a`|"
    start(edit, "|", "a.md")
    press(edit, "```")
    assert shown(edit) == "```|"


def test_line_ends_and_indentation_of_the_file_stand_between_brackets(edit: CodeEdit) -> None:
    for name in ("a.toml", "a.txt", "a.cpp"):
        start(edit, "x\r\n\ta = [|]\r\ny", name)
        edit.set_line_end("\r\n")
        edit.set_indent("\t", 4)
        press(edit, "⏎")
        assert shown(edit) == "x\r\n\ta = [\r\n\t\t|\r\n\t]\r\ny"
        edit.undo()
        assert edit.text() == "x\r\n\ta = [|]\r\ny".replace("|", "")


def test_a_pair_is_undone_and_done_again_as_one(edit: CodeEdit) -> None:
    start(edit, "f|")
    press(edit, "(")
    edit.undo()
    assert shown(edit) == "f|"
    edit.redo()
    assert edit.text() == "f()"
    start(edit, "|")
    press(edit, "(⌫")
    edit.undo()
    assert edit.text() == "()"
    start(edit, "a |b| c")
    press(edit, "(")
    edit.undo()
    assert shown(edit) in ("a |b| c", "a b| c", "a |b c")


def test_every_selection_is_closed_or_surrounded(edit: CodeEdit) -> None:
    start(edit, "|a bb c)\nd")
    put_carets(edit, [(0, 1), (2, 4), (6, 6)])
    press(edit, "[")
    assert edit.text() == "[a] [bb] c[])\nd"
    press(edit, "(")
    assert edit.text() == "[(a)] [(bb)] c[()])\nd"
    press(edit, ")")
    assert edit.text() == "[())] [())] c[()])\nd"
    for text in ("[(a)] [(bb)] c[()])\nd", "[a] [bb] c[])\nd", "a bb c)\nd"):
        edit.undo()
        assert edit.text() == text


def test_stepping_over_keeps_what_can_be_done_again(edit: CodeEdit) -> None:
    start(edit, "|")
    press(edit, "(x")
    edit.undo()
    assert shown(edit) == "(|)"
    press(edit, ")")
    assert edit.can_redo()


def test_what_is_no_typing_closes_nothing(edit: CodeEdit) -> None:
    start(edit, "|")
    edit.replace(0, 0, "(")
    assert edit.text() == "("
    QGuiApplication.clipboard().setText("[")
    edit.paste()
    assert sorted(edit.text()) == ["(", "["]
    start(edit, "|")
    composed = QInputMethodEvent()
    composed.setCommitString("（(")
    QApplication.sendEvent(edit.area(), composed)
    assert edit.text() == "（("
    start(edit, "|")
    edit.set_read_only(True)
    press(edit, "(")
    assert edit.text() == ""
    edit.set_read_only(False)
    edit.close_brackets = False
    press(edit, "(⌫[{")
    assert edit.text() == "[{"


def test_columns_are_typed_into_as_they_are(edit: CodeEdit) -> None:
    start(edit, "|a\nb\n")
    held = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(edit.area(), Qt.Key.Key_Down, held)
    press(edit, "(")
    assert edit.text() == "(a\n(b\n"


def test_little_of_a_long_line_is_looked_at(edit: CodeEdit) -> None:
    start(edit, '"' + "x " * 5000 + "|")
    press(edit, '"')
    assert edit.text().endswith('x ""')


# -- the model ------------------------------------------------------------------------------------


class Model:
    """A text, its carets in order, and the places of the closing characters put in."""

    def __init__(self, text: str, carets: list[int], quotes: str) -> None:
        self.text, self.carets, self.quotes = text, sorted(carets), quotes
        self.deepens = "`" not in quotes
        self.closers: set[int] = set()

    def put(self, at: int, gone: int, text: str) -> None:
        """Replace characters; a caret at `at` stands behind the new text."""
        shift = len(text) - gone
        self.text = self.text[:at] + text + self.text[at + gone :]
        kept = (c for c in self.closers if not at <= c < at + gone)
        self.closers = {c + shift if c >= at + gone else c for c in kept}
        self.carets = [max(c + shift, at + len(text)) if c >= at else c for c in self.carets]

    def press(self, key: str) -> None:
        if key in (LEFT, RIGHT):
            step = 1 if key == RIGHT else -1
            self.carets = [min(max(c + step, 0), len(self.text)) for c in self.carets]
        else:
            deeds = [self._deed(key, at) for at in self.carets]
            indents = [self._indent(at) for at in self.carets]
            for number, deed in enumerate(deeds):
                self._do(key, number, deed, indents[number])
        self.carets = sorted(set(self.carets))

    def _deed(self, key: str, at: int) -> str:
        """Said of the text before the key: all carets see the same."""
        left = self.text[:at].rpartition("\n")[2]
        right = self.text[at : at + 1]
        pair = left[-1:] != "" and self._closes(left[-1:]) == right
        if key in (BACK, ENTER):
            known = at in self.closers if key == BACK else left[-1:] in (*OPENING,)
            return "pair" if pair and known else "plain"
        if right == key and at in self.closers:
            return "step"
        if right and right not in " \t\n)]},:;.":
            return "plain"
        if key in self.quotes:
            word = left[-1:].isalnum() or left[-1:] == "_"
            odd = left.count(key) % 2
            return "plain" if word or odd or left[-1:] == key else "pair"
        return "pair" if key in OPENING else "plain"

    def _closes(self, char: str) -> str:
        if char in OPENING:
            return CLOSING[OPENING.index(char)]
        return char if char in self.quotes else ""

    def _indent(self, at: int) -> str:
        left = self.text[:at].rpartition("\n")[2]
        return left[: len(left) - len(left.lstrip(" "))]

    def _do(self, key: str, number: int, deed: str, indent: str) -> None:
        at = self.carets[number]
        if deed == "step":
            self.closers.discard(at)
            self.carets[number] += 1
        elif key == BACK:
            self._back(number, deed)
        elif key == ENTER:
            left = self.text[:at].rpartition("\n")[2].rstrip(" ")
            if deed == "pair":
                self.put(at, 0, "\n" + indent + "    \n" + indent)
                self.carets[number] = at + len(indent) + 5
            else:
                deeper = self.deepens and left.endswith((*OPENING,))
                self.put(at, 0, "\n" + self._indent(at) + "    " * deeper)
        elif deed == "pair":
            self.put(at, 0, key + self._closes(key))
            self.closers.add(at + 1)
            self.carets[number] = at + 1
        else:
            self.put(at, 0, key)

    def _back(self, number: int, deed: str) -> None:
        at = self.carets[number]
        if not at:
            return
        if deed == "pair":
            self.put(at - 1, 2, "")
            return
        first = self.text.rfind("\n", 0, at) + 1
        line = self.text[first:].partition("\n")[0]
        indent = len(line) - len(line.lstrip(" "))
        if first < at <= first + indent:  # Backspace takes a level of indentation
            gone = indent % 4 or 4
            self.put(first, gone, "")
            self.carets[number] = first + indent - gone
        else:
            self.put(at - 1, 1, "")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_random_keys_do_what_the_model_says(edit: CodeEdit, count: int) -> None:
    draw = random.Random(count)
    keys = [*"()[]{}\"'`", *"a ,.", BACK, BACK, ENTER, LEFT, RIGHT, *"(\"'{"]
    for _ in range(60):
        name = draw.choice(["a.cpp", "a.md"] if count == 1 else ["a.cpp"])
        text = "\n".join("".join(draw.choices('ab ()中,"', k=5)) for _ in range(3))
        text = text.replace("\n ", "\nx")
        carets = sorted(draw.sample(range(len(text) + 1), count))
        edit.set_language(language_of(name))
        edit.set_text(text)
        put_carets(edit, [(at, at) for at in carets])
        model = Model(text, carets, "\"'`" if name == "a.md" else "\"'")
        seen, typed = [text], ""
        for key in draw.choices(keys, k=25):
            typed += NAMES.get(key, key)
            press(edit, NAMES.get(key, key))
            model.press(key)
            assert edit.text() == model.text, (text, carets, typed)
            assert carets_of(edit) == model.carets, (text, carets, typed)
            seen.append(model.text)
        while edit.can_undo():
            edit.undo()
            bare = edit.text().replace(" ", "")  # indentation may be a step of its own
            assert bare in [one.replace(" ", "") for one in seen], (text, carets, typed)
        assert edit.text() == text
        while edit.can_redo():
            edit.redo()
        assert edit.text() == seen[-1]


def put_carets(edit: CodeEdit, spans: list[tuple[int, int]]) -> None:
    sci, text = edit.area(), edit.text()
    for number, span in enumerate(spans):
        first, last = (len(text[:at].encode()) for at in span)
        (sci.addSelection if number else sci.setSelection)(last, first)


def carets_of(edit: CodeEdit) -> list[int]:
    sci = edit.area()
    text = edit.text().encode()
    places = [int(sci.selectionNCaret(number)) for number in range(int(sci.selections()))]
    return sorted(len(text[:place].decode()) for place in places)
