"""The text of one run: coloured, following its end, with places in sources as links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit

from plugins.run.core.links import Link, links_in
from plugins.run.core.screen import PLAIN, Run, Screen
from plugins.run.ui.looks import format_of
from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

LINE_LIMIT = 100_000
"""Older lines are dropped."""

_SAYS = {"muted": 30, "error": 31, "ok": 32, "warn": 33}
"""The colour of terminals that stands for a token of the theme."""


class OutputText(QPlainTextEdit):
    """Shows a `Screen`; a click on a link, or Enter in its line, emits `link_opened`.

    The text is put in plain, and only the lines in sight are coloured: a program may write far more
    than anybody can see.
    """

    link_opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.terminal = Screen()
        self._shown = 0
        self._coloured: set[int] = set()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.set_wrap(False)
        self.setUndoRedoEnabled(False)
        self.setFont(mono_font())
        self.setAccessibleName(tr("Output"))
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setMaximumBlockCount(LINE_LIMIT)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.verticalScrollBar().valueChanged.connect(lambda _at: self._colour())

    def feed(self, text: str) -> None:
        """Show more of what the program writes; scrolls along while one is at the end."""
        if not text:
            return
        self.terminal.feed(text)
        bar = self.verticalScrollBar()
        follow = bar.value() >= bar.maximum() - 1
        self._redraw()
        self.terminal.drop(LINE_LIMIT)
        if follow:
            bar.setValue(bar.maximum())
        self._colour()

    def note(self, text: str, *, token: str = "muted") -> None:
        """Add a line of the program itself, such as the command or the exit code."""
        self.terminal.to_end()
        self.feed(f"\x1b[0;{_SAYS[token]}m{text}\x1b[0m\r\n")

    def set_wrap(self, on: bool) -> None:
        """Break lines that are wider than the panel, or not."""
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if on else mode.NoWrap)

    def clear_all(self) -> None:
        """Empty it."""
        self.terminal = Screen()
        self._shown = 0
        self._coloured.clear()
        self.clear()

    def links_at(self, block: QTextBlock) -> list[Link]:
        """The places that a line names."""
        return list(links_in(block.text()))

    def changeEvent(self, event: QEvent) -> None:
        """Colour everything anew in another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._shown:
            self._coloured.clear()
            self._colour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Colour the lines that come into sight."""
        super().resizeEvent(event)
        self._colour()

    # -- drawing ----------------------------------------------------------------------------------
    def _redraw(self) -> None:
        """Write the lines from the first changed one anew; nearly always that is the last one."""
        terminal = self.terminal
        first = max(min(terminal.changed_from, self._shown - 1), terminal.dropped, 0)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        behind = self._shown - 1 - first
        if self._shown:
            cursor.movePosition(
                QTextCursor.MoveOperation.PreviousBlock, QTextCursor.MoveMode.MoveAnchor, behind
            )
            cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        lines = terminal.lines[first - terminal.dropped :]
        cursor.insertText("\n".join(map(_text, lines)), QTextCharFormat())
        cursor.endEditBlock()
        self._coloured = {row for row in self._coloured if terminal.dropped <= row < first}
        self._shown = terminal.count
        terminal.changed_from = terminal.count

    def _colour(self) -> None:
        """Colour the lines in sight that are not coloured yet."""
        terminal, block = self.terminal, self.firstVisibleBlock()
        row = self._shown - self.blockCount() + block.blockNumber()
        height, top = self.viewport().height(), 0.0
        while block.isValid() and top <= height and 0 <= row - terminal.dropped < self._shown:
            if row not in self._coloured and row < terminal.count:
                self._coloured.add(row)
                looks = _looks(terminal.lines[row - terminal.dropped])
                if looks or block.layout().formats():
                    block.layout().setFormats(looks)
            top += self.blockBoundingRect(block).height()
            block, row = block.next(), row + 1

    # -- links ------------------------------------------------------------------------------------
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Underline the link under the pointer."""
        super().mouseMoveEvent(event)
        found = self._link_at(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
        self._underline(found)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the link that was clicked."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            found = self._link_at(event.position().toPoint())
            if found:
                self.link_opened.emit(found[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the first link of the line at Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            links = self.links_at(self.textCursor().block())
            if links:
                self.link_opened.emit(links[0])
            return
        super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the link that was under the pointer."""
        super().leaveEvent(event)
        self._underline(None)

    def _link_at(self, place: QPoint) -> tuple[QTextBlock, Link] | None:
        cursor = self.cursorForPosition(place)
        block, column = cursor.block(), cursor.positionInBlock()
        text = block.text()
        for link in self.links_at(block):
            if _units(text[: link.start]) <= column < _units(text[: link.end]):
                return block, link
        return None

    def _underline(self, found: tuple[QTextBlock, Link] | None) -> None:
        if found is None:
            self.setExtraSelections([])
            return
        block, link = found
        marked = QTextEdit.ExtraSelection()
        look = QTextCharFormat()
        look.setFontUnderline(True)
        look.setForeground(current_theme().colour("accent"))
        text, begin = block.text(), block.position()
        cursor = QTextCursor(block)
        cursor.setPosition(begin + _units(text[: link.start]))
        cursor.setPosition(begin + _units(text[: link.end]), QTextCursor.MoveMode.KeepAnchor)
        marked.format, marked.cursor = look, cursor
        self.setExtraSelections([marked])


def _text(line: Sequence[Run]) -> str:
    return "".join([text for text, _ in line])


def _looks(line: Sequence[Run]) -> list[QTextLayout.FormatRange]:
    """What of a line does not look like plain text."""
    found, at = [], 0
    for text, style in line:
        length = _units(text)
        if style != PLAIN:
            look = QTextLayout.FormatRange()
            look.start, look.length = at, length
            look.format = format_of(style)
            found.append(look)
        at += length
    return found


def _units(text: str) -> int:
    """The length as Qt counts it, where rare characters are two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
