"""The text of one run: coloured, following its end, with places in sources as links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit

from plugins.run.core.links import Link, links_in
from plugins.run.core.screen import PLAIN, Run, Screen, Style
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
    """Shows a `Screen`; a click on a link, or Enter in its line, emits `link_opened`."""

    link_opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.terminal = Screen()
        self._shown = 0
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

    def note(self, text: str, *, token: str = "muted") -> None:
        """Add a line of the program itself, such as the command or the exit code."""
        if self.terminal.lines[-1]:
            self.feed("\r\n")
        self.feed(f"\x1b[0;{_SAYS[token]}m{text}\x1b[0m\r\n")

    def set_wrap(self, on: bool) -> None:
        """Break lines that are wider than the panel, or not."""
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if on else mode.NoWrap)

    def clear_all(self) -> None:
        """Empty it."""
        self.terminal = Screen()
        self._shown = 0
        self.clear()

    def links_at(self, block: QTextBlock) -> list[Link]:
        """The places that a line names."""
        return list(links_in(block.text()))

    def changeEvent(self, event: QEvent) -> None:
        """Colour everything anew in another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._shown:
            self.terminal.changed_from = self.terminal.dropped
            self._redraw()

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
        for text, look in _runs(lines):
            cursor.insertText(text, look)
        cursor.endEditBlock()
        self._shown = terminal.count
        terminal.changed_from = terminal.count

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
        for link in self.links_at(block):
            if link.start <= column < link.end:
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
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + link.start)
        cursor.setPosition(block.position() + link.end, QTextCursor.MoveMode.KeepAnchor)
        marked.format, marked.cursor = look, cursor
        self.setExtraSelections([marked])


def _runs(lines: Sequence[list[Run]]) -> list[tuple[str, QTextCharFormat]]:
    """The pieces to insert: lines joined, neighbours of one style made one."""
    pieces: list[tuple[list[str], Style]] = [([], PLAIN)]
    for number, line in enumerate(lines):
        if number:
            pieces[-1][0].append("\n")
        for text, style in line:
            if pieces[-1][1] != style:
                pieces.append(([], style))
            pieces[-1][0].append(text)
    return [("".join(texts), format_of(style)) for texts, style in pieces if texts]
