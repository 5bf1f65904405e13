"""Putting a long text into a Scintilla widget bit by bit, so that the window goes on meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyside6_scintilla import ScintillaEdit

_PART = 1_000_000
"""Characters put in at a time; this takes some ten milliseconds."""
_ROOM = 1_000_000
"""Bytes that can be typed before Scintilla moves the whole text to a larger place."""


class Filling:
    """What of a text is not in its widget yet, which nobody can type in meanwhile.

    Whoever needs a place that is not there yet calls `need_line` or `need_offset` first, which put
    the rest in at once. `filled` is called when a text that came bit by bit is all there.
    """

    def __init__(self, sci: ScintillaEdit, filled: Callable[[], object]) -> None:
        self._sci = sci
        self._filled = filled
        self._text = ""
        self._at = 0
        self._lines = 0
        self._roomy = False
        self._timer = QTimer(sci, interval=0)
        self._timer.timeout.connect(self._go_on)

    def start(self, text: str) -> None:
        """Put in the beginning of a text, at the end of what is there, and the rest soon."""
        self._text, self._at, self._lines, self._roomy = text, 0, 0, False
        self._put(_PART)
        if self._at < len(text):
            self._timer.start()

    @property
    def under_way(self) -> bool:
        """Whether some of the text is not there yet."""
        return self._timer.isActive()

    def line_count(self) -> int:
        """How many lines there will be."""
        if not self._lines:
            text = self._text
            self._lines = text.count("\n") + 1
            if "\r" in text:
                self._lines += text.count("\r") - text.count("\r\n")
        return self._lines

    def stop(self) -> None:
        """Forget what is not put in yet."""
        self._timer.stop()
        self._text, self._at, self._lines = "", 0, 0

    def finish(self) -> None:
        """Put in all the rest."""
        if self._timer.isActive():
            self._put(len(self._text))
            self.stop()
            self._filled()

    def need_line(self, line: int) -> None:
        """Have a line (from 1) in the widget."""
        if self._timer.isActive() and line >= self._sci.lineCount():
            self.finish()

    def need_offset(self, offset: int) -> None:
        """Have a character of the text in the widget."""
        if self._timer.isActive() and offset >= self._at:
            self.finish()

    def _go_on(self) -> None:
        self._put(_PART)
        if self._at >= len(self._text):
            self.stop()
            self._filled()

    def _put(self, count: int) -> None:
        end = self._at + count
        if end < len(self._text):  # whole lines only, so that those that are there stay as they are
            end = (self._text.rfind("\n", self._at, end) + 1) or end
        part = self._text[self._at : end]
        sci = self._sci
        if self._at and not self._roomy:  # after the beginning is in sight
            sci.allocate(_size(self._text) + _ROOM)
            self._roomy = True
        self._at = end
        locked, mask, collects = sci.readOnly(), sci.modEventMask(), sci.undoCollection()
        sci.setReadOnly(False)
        sci.setModEventMask(0)
        sci.setUndoCollection(False)
        sci.appendText(_size(part), part)
        sci.setUndoCollection(collects)
        sci.setModEventMask(mask)
        sci.setReadOnly(locked)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
