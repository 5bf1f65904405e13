"""Brackets and quotes that close themselves while one types into a text held by Scintilla.

Only keys do that: what is pasted, composed by an input method or put in by the program stays as it
is. A closing character put in here is remembered by a hidden indicator, which follows the text.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from studio.ui.codecarets import around, char_at, lone_carets, put_selections
from studio.ui.codemarks import CLOSER
from studio.ui.codetyping import BRACKETS, closes_itself, indent_of

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from studio.ui.codescitext import ScintillaText

_FAR = 1000
"""No more bytes of a line are looked at before a caret."""
_STREAM = 0
"""SC_SEL_STREAM: not a selection of columns or of lines."""
_M = Qt.KeyboardModifier
_PLAIN = _M.ShiftModifier | _M.KeypadModifier | _M.GroupSwitchModifier
_ALT_GR = _M.ControlModifier | _M.AltModifier


class _Deed(Enum):
    """What a typed character does at one caret."""

    PUT = "put in alone"
    PAIR = "put in with what closes it"
    STEP = "step over the one that is there"
    SURROUND = "surround the selection"


class Pairs:
    """What keys do to brackets and quotes in one text."""

    def __init__(self, edit: ScintillaText) -> None:
        self._edit = edit
        self._sci = edit.sci
        self._remembers = False
        self.deeper: dict[int, str] = {}
        """How lines (from 0) are indented that come to stand between brackets just now."""

    def press(self, event: QKeyEvent) -> bool:
        """Do what the key does to pairs; False leaves all of it to Scintilla."""
        sci = self._sci
        held = event.modifiers() & ~_PLAIN
        if not self._edit.close_brackets or held not in (_M.NoModifier, _ALT_GR) or sci.readOnly():
            return False
        if sci.overtype() or int(sci.selectionMode()) != _STREAM:
            return False
        if event.key() == Qt.Key.Key_Backspace:
            return held == _M.NoModifier and self._delete()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return held == _M.NoModifier and self._part_lines()
        char = event.text()
        return len(char) == 1 and char in self._characters() and self._type(char)

    def note_inserted(self, at: int, size: int) -> None:
        """Forget text that came to stand within what is remembered."""
        if self._remembers and self._is_remembered(at):
            self._sci.setIndicatorCurrent(CLOSER)
            self._sci.indicatorClearRange(at, size)

    # -- what the keys do -----------------------------------------------------------------------
    def _type(self, char: str) -> bool:
        sci = self._sci
        numbers = range(int(sci.selections()))
        spans = [(int(sci.selectionNStart(n)), int(sci.selectionNEnd(n))) for n in numbers]
        main = spans[int(sci.mainSelection())]
        spans.sort()
        deeds = [self._deed(start, end, char) for start, end in spans]
        kinds, shift = set(deeds), 0
        there: list[tuple[int, int]] = []
        if kinds == {_Deed.PUT}:
            return False
        if kinds != {_Deed.STEP}:  # an empty step would take away what can be done again
            sci.beginUndoAction()
        for (start, end), deed in zip(spans, deeds, strict=True):
            first, last = start + shift, end + shift
            there.append((first + 1, last + 1 if deed is _Deed.SURROUND else first + 1))
            self._do(deed, first, last, char)
            if deed is not _Deed.STEP:
                shift += 1 - (end - start) if deed is _Deed.PUT else 2
        if kinds != {_Deed.STEP}:
            sci.endUndoAction()
        put_selections(sci, there, spans.index(main))
        return True

    def _do(self, deed: _Deed, first: int, last: int, char: str) -> None:
        """Do one deed; in all but the last two nothing is selected."""
        sci = self._sci
        if deed is _Deed.STEP:
            sci.setIndicatorCurrent(CLOSER)
            sci.indicatorClearRange(first, 1)
        elif deed is _Deed.PAIR:
            sci.insertText(first, char + BRACKETS.get(char, char))
            self._remembers = True
            sci.setIndicatorCurrent(CLOSER)
            sci.setIndicatorValue(1)
            sci.indicatorFillRange(first + 1, 1)
        elif deed is _Deed.PUT:
            sci.setTargetRange(first, last)
            sci.replaceTarget(1, char)
        else:
            sci.insertText(last, BRACKETS.get(char, char))
            sci.insertText(first, char)

    def _delete(self) -> bool:
        """Delete with each opening character what closes it and was put in with it."""
        sci = self._sci
        both = [at for at in lone_carets(sci) if self._is_remembered(at) and self._between(at)]
        if both:
            sci.beginUndoAction()
            for at in reversed(both):
                sci.deleteRange(at, 1)
            sci.deleteBack()
            sci.endUndoAction()
        return bool(both)

    def _part_lines(self) -> bool:
        """Put what closes a bracket on a line of its own, the caret on one between."""
        sci, edit = self._sci, self._edit
        apart: list[tuple[int, str]] = []
        for number, at in enumerate(lone_carets(sci), 1):
            before = around(sci, at, _FAR)[0]
            if before[-1:] in BRACKETS and len(before) < _FAR and self._between(at):
                line = int(sci.lineFromPosition(at)) + number + len(apart)
                self.deeper[line] = indent_of(before) + edit.indent_unit
                apart.append((at, edit.line_end + indent_of(before)))
        if apart:
            sci.beginUndoAction()
            for at, text in reversed(apart):  # `insertText` would leave one caret
                sci.setTargetRange(at, at)
                sci.replaceTarget(len(text.encode()), text)
            sci.newLine()
            sci.endUndoAction()
        self.deeper.clear()
        return bool(apart)

    # -- what is there --------------------------------------------------------------------------
    def _deed(self, start: int, end: int, char: str) -> _Deed:
        quotes = self._edit.language.quotes
        if start != end:
            return _Deed.SURROUND if char in BRACKETS or char in quotes else _Deed.PUT
        if self._is_remembered(start) and char_at(self._sci, start) == char:
            return _Deed.STEP
        return (
            _Deed.PAIR
            if closes_itself(char, *around(self._sci, start, _FAR), quotes)
            else _Deed.PUT
        )

    def _characters(self) -> str:
        return "".join(BRACKETS) + "".join(BRACKETS.values()) + self._edit.language.quotes

    def _between(self, at: int) -> bool:
        """Whether the character behind closes the one before."""
        before = char_at(self._sci, at - 1)
        quote = before if before in self._edit.language.quotes else ""
        return char_at(self._sci, at) == BRACKETS.get(before, quote)

    def _is_remembered(self, at: int) -> bool:
        return self._remembers and bool(self._sci.indicatorValueAt(CLOSER, at))
