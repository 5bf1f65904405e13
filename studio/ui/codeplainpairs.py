"""Brackets and quotes that close themselves in Qt's plain text widget, at its one caret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from studio.ui.codetyping import BRACKETS, closes_itself

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QPlainTextEdit

_FAR = 1000
_MOST = 100
"""So many closing characters are remembered, the latest ones."""


class PlainPairs:
    """What keys do to brackets and quotes in one text."""

    def __init__(self, edit: QPlainTextEdit) -> None:
        self._edit = edit
        self._closers: list[QTextCursor] = []

    def press(self, event: QKeyEvent, quotes: str) -> bool:
        """Do what the key does to pairs; False leaves all of it to the widget."""
        cursor, char = self._edit.textCursor(), event.text()
        if self._edit.isReadOnly() or self._edit.overwriteMode() or len(char) != 1:
            return False
        at = cursor.positionInBlock()
        line = cursor.block().text()
        before, behind = line[max(at - _FAR, 0) : at], line[at : at + 1]
        closes = BRACKETS.get(char, char if char in quotes else "")
        if cursor.hasSelection():
            return bool(closes) and self._surround(cursor, char, closes)
        known = [one for one in self._closers if one.position() == cursor.position()]
        if known and before and behind:  # a new text leaves what was known at its beginning
            last = before[-1:]
            pair = behind == BRACKETS.get(last, last if last in quotes else "")
            if event.key() == Qt.Key.Key_Backspace and pair:
                cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
                cursor.movePosition(
                    QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor, 2
                )
                cursor.removeSelectedText()
                return self._forget(known)
            if behind == char and (char in quotes or char in BRACKETS.values()):
                self._edit.moveCursor(QTextCursor.MoveOperation.NextCharacter)
                return self._forget(known)
        if not closes or not closes_itself(char, before, behind, quotes):
            return False
        cursor.insertText(char + closes)
        cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        self._edit.setTextCursor(cursor)
        self._closers = [*self._closers[1 - _MOST :], QTextCursor(cursor)]
        return True

    def _surround(self, cursor: QTextCursor, char: str, closes: str) -> bool:
        first, last = cursor.selectionStart(), cursor.selectionEnd()
        cursor.beginEditBlock()
        for place, text in ((last, closes), (first, char)):
            cursor.setPosition(place)
            cursor.insertText(text)
        cursor.endEditBlock()
        cursor.setPosition(first + 1)
        cursor.setPosition(last + 1, QTextCursor.MoveMode.KeepAnchor)
        self._edit.setTextCursor(cursor)
        return True

    def _forget(self, known: list[QTextCursor]) -> bool:
        self._closers = [one for one in self._closers if one not in known]
        return True
