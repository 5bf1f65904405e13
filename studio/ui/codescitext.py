# ruff: noqa: D102 - the methods are described in CodeEdit
"""A text held by Scintilla: characters to its UTF-8 bytes and back, places, and plain commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication
from pyside6_scintilla import Scintilla as S  # noqa: TID253 - imported with the first editor

from studio.model.pieces import Pieces
from studio.ui.code import CodeEdit
from studio.ui.codecanvas import Canvas
from studio.ui.codecarets import (
    add_caret,
    complete_carets,
    delete_lines,
    line_spans,
    select_every,
)
from studio.ui.codefilling import Filling
from studio.ui.codepairs import Pairs
from studio.ui.codetyping import LineChange, changed_lines

if TYPE_CHECKING:
    from PySide6.QtCore import QByteArray, QMimeData
    from PySide6.QtWidgets import QWidget

WHOLE_LINE = "application/x-studio-line"
"""Marks what was copied without a selection: the line of the caret."""
CHARACTERS = S.LineCharacterIndexType.Utf32
MODIFIED = S.ModificationFlags.InsertText | S.ModificationFlags.DeleteText


class ScintillaText(CodeEdit):
    """The part of `ScintillaCode` that is about the text, not about its looks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sci = Canvas(self)
        self.sci.setModEventMask(MODIFIED)
        self._filling = Filling(self.sci, self._on_filled)
        self._opens = False  # once all of the text is there
        self.sci.modifyAttemptReadOnly.connect(self._filling.finish)  # who types waits for it
        self.sci.end_wanted.connect(self._filling.finish)
        self.sci.change_wanted.connect(self._open)
        self.sci.cut_wanted.connect(self.cut)
        self.sci.copy_wanted.connect(self.copy)
        self.sci.paste_wanted.connect(self.paste)
        self._known: Pieces | None = None
        self._kept: tuple[int, int] | None = None
        self._ascii = True
        self._counted = self._joins = False
        self._whole_line = False
        self._pairs = Pairs(self)
        self.sci.take_key = self._pairs.press
        self.sci.aboutToCopy.connect(self._mark_whole_line)
        self.sci.modified.connect(self._note_change)
        self._put(self.sci)

    # -- text -----------------------------------------------------------------------------------
    def area(self) -> Canvas:
        return self.sci

    def text(self) -> str:
        return self.pieces().text

    def pieces(self) -> Pieces:
        """Reads no more than what changed since the last time: a long text takes its time."""
        if self._known is None:
            self._filling.finish()
            self._known = Pieces.of(self._part(0, int(self.sci.length())))
        elif self._kept is not None:
            length, (head, tail) = int(self.sci.length()), self._kept
            changed = self._part(head, length - tail)
            if not self._ascii:
                head, tail = self._char(head), self._char(length) - self._char(length - tail)
            self._known = self._known.replaced(head, len(self._known) - tail, changed)
        self._kept = None
        return self._known

    def set_text(self, text: str) -> None:
        locked = self.is_read_only()
        self.sci.setReadOnly(False)
        self.sci.setModEventMask(0)
        self.sci.setChangeHistory(S.ChangeHistoryOption.Disabled)
        self.sci.setUndoCollection(False)
        self.sci.clearAll()
        self._uncount()
        self._filling.stop()
        self._filling.start(text)
        self._opens = not locked and self._filling.under_way
        self._known = (
            None if locked else Pieces.of(text)
        )  # one that nobody changes is read when asked for
        self._kept, self._ascii = None, text.isascii()
        self.sci.setUndoCollection(True)
        self.sci.emptyUndoBuffer()
        self.sci.setSavePoint()
        if not locked and not self._opens:
            self._note_history()
        self.sci.setModEventMask(MODIFIED)
        self.sci.gotoPos(0)
        self.sci.setXOffset(0)
        self.sci.setScrollWidth(1)
        self.sci.setReadOnly(locked or self._opens)

    def is_read_only(self) -> bool:
        return bool(self.sci.readOnly()) and not self._opens

    def mark_saved(self) -> None:
        self.sci.setSavePoint()

    def replace(self, start: int, end: int, text: str) -> None:
        self._filling.finish()
        locked = self.sci.readOnly()
        self.sci.setReadOnly(False)
        self.sci.setTargetRange(self._byte(start), self._byte(end))
        self.sci.replaceTarget(len(text.encode()), text)
        self.sci.setReadOnly(locked)

    def begin_step(self) -> None:
        self._filling.finish()
        self.sci.beginUndoAction()

    def end_step(self) -> None:
        self.sci.endUndoAction()

    # -- places ---------------------------------------------------------------------------------
    def selection(self) -> tuple[int, int]:
        return self._char(self.sci.selectionStart()), self._char(self.sci.selectionEnd())

    def select(self, start: int, end: int) -> None:
        first, last = self._byte(start), self._byte(end)
        line = self.sci.lineFromPosition(first)
        self.sci.ensureVisible(line)
        self.sci.setSel(first, last)
        self._scroll_to(line)

    def cursor_offset(self) -> int:
        return self._char(self.sci.currentPos())

    def cursor_rect(self) -> QRect:
        at = self.sci.currentPos()
        place = QPoint(self.sci.pointXFromPosition(at), self.sci.pointYFromPosition(at))
        return QRect(self.sci.viewport().mapTo(self, place), QSize(2, self.sci.textHeight(0)))

    def change_lines(self, change: LineChange) -> None:
        self._filling.finish()
        match change:
            case LineChange.UP:
                self.sci.moveSelectedLinesUp()
            case LineChange.DOWN:
                self.sci.moveSelectedLinesDown()
            case LineChange.COPY:
                self.sci.selectionDuplicate()
            case LineChange.DELETE:
                delete_lines(self.sci)
            case LineChange.JOIN:
                self._join_lines()
            case LineChange.SELECT_NEXT:
                self.sci.setSearchFlags(S.FindOption.MatchCase)
                self.sci.targetWholeDocument()
                self.sci.multipleSelectAddNext()
            case LineChange.SELECT_EVERY:
                select_every(self.sci)
            case LineChange.CARET_ABOVE:
                add_caret(self.sci, -1)
            case LineChange.CARET_BELOW:
                add_caret(self.sci, 1)

    def complete(self, written: str, name: str) -> None:
        self._filling.finish()
        complete_carets(self.sci, written, name)

    def line_spans(self) -> list[tuple[int, int]]:
        return [(first + 1, last + 1) for first, last in line_spans(self.sci)]

    def _join_lines(self) -> None:
        """Join the lines of each selection, a single one with the next."""
        with self.step():
            for first, last in self.line_spans()[::-1]:
                last = min(max(last, first + 1), self.line_count())
                lines = [self.line_text(line) for line in range(first, last + 1)]
                at = self.offset_at(first)
                joined = changed_lines(lines, 1, len(lines), LineChange.JOIN.value)[0][0]
                start, end, text = Pieces.of("".join(lines)).changed_span(Pieces.of(joined))
                if last > first:
                    self.replace(at + start, at + end, text)

    def place_at(self, offset: int) -> tuple[int, int]:
        self._filling.need_offset(offset)
        if self._ascii:
            line = self.sci.lineFromPosition(self._byte(offset))
            return line + 1, offset - self.sci.positionFromLine(line) + 1
        self._count()
        line = self.sci.lineFromIndexPosition(max(offset, 0), CHARACTERS)
        return line + 1, offset - self.sci.indexPositionFromLine(line, CHARACTERS) + 1

    def offset_at(self, line: int, column: int = 1) -> int:
        self._filling.need_line(line)
        row = min(max(line, 1), self.sci.lineCount()) - 1
        first = self.sci.positionFromLine(row)
        length = self.sci.countCharacters(first, self.sci.lineEndPosition(row))
        beyond = line > self.sci.lineCount()
        extra = length if beyond else min(max(column, 1) - 1, length)
        return self._char(first) + extra

    def line_count(self) -> int:
        if self._filling.under_way:
            return self._filling.line_count()
        return int(self.sci.lineCount())

    def line_text(self, line: int) -> str:
        self._filling.need_line(line)
        first = self.sci.positionFromLine(line - 1)
        return self._part(first, first + self.sci.lineLength(line - 1))

    def first_line(self) -> int:
        return int(self.sci.docLineFromVisible(self.sci.firstVisibleLine())) + 1

    def set_first_line(self, line: int) -> None:
        self._filling.need_line(line + int(self.sci.linesOnScreen()))
        self.sci.setFirstVisibleLine(self.sci.visibleFromDocLine(line - 1))

    def line_rect(self, line: int) -> QRect:
        height = self.sci.textHeight(0)
        top = self.sci.visibleFromDocLine(line - 1) - self.sci.firstVisibleLine()
        place = self.sci.viewport().mapTo(self, QPoint(0, top * height))
        return QRect(0, place.y(), self.width(), height)

    # -- commands -------------------------------------------------------------------------------
    def undo(self) -> None:
        self.sci.undo()

    def redo(self) -> None:
        self.sci.redo()

    def can_undo(self) -> bool:
        return bool(self.sci.canUndo())

    def can_redo(self) -> bool:
        return bool(self.sci.canRedo())

    def cut(self) -> None:
        self._open()
        self._whole_line = bool(self.sci.selectionEmpty())
        self.sci.send(S.Message.CutAllowLine, 0, 0)

    def copy(self) -> None:
        self._whole_line = bool(self.sci.selectionEmpty())
        self.sci.copyAllowLine()

    def paste(self) -> None:
        # Scintilla ends the program when the platform has no clipboard content at all.
        data = QGuiApplication.clipboard().mimeData()
        if data is not None:
            self._open()
            self._paste(data)

    def _paste(self, data: QMimeData) -> None:
        single = self.sci.selections() == 1 and self.sci.selectionEmpty()
        if single and data.hasFormat(WHOLE_LINE) and not self.sci.readOnly():
            self._paste_line(data.text())
        else:
            self.sci.paste()

    def _mark_whole_line(self, data: QMimeData) -> None:
        if self._whole_line:
            data.setData(WHOLE_LINE, b"1")
        self._whole_line = False

    def _paste_line(self, text: str) -> None:
        """Put a line that was copied as a whole above the one of the caret."""
        caret = int(self.sci.currentPos())
        first = int(self.sci.positionFromLine(self.sci.lineFromPosition(caret)))
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", self.line_end)
        self.sci.insertText(first, text)
        after = caret + len(text.encode())
        self.sci.setSel(after, after)

    def select_all(self) -> None:
        self._filling.finish()
        self.sci.selectAll()

    def _open(self) -> None:
        """Have all of the text before a change that is of several steps begins.

        Filling within one would make Scintilla forget where it ends: one undo would take all back.
        """
        if self._opens:
            self._filling.finish()

    def _on_filled(self) -> None:
        """Take into account that all lines are there now: they can be edited."""
        if self._opens:
            self._opens = False
            self.sci.emptyUndoBuffer()
            self.sci.setSavePoint()
            self.sci.setReadOnly(False)
            self._note_history()

    def _note_history(self) -> None:
        self.sci.setChangeHistory(S.ChangeHistoryOption.Enabled | S.ChangeHistoryOption.Markers)

    # -- helpers --------------------------------------------------------------------------------
    def _note_change(
        self, kind: int, at: int, size: int, _lines: int, text: QByteArray, *_rest: object
    ) -> None:
        """Note how many bytes at the beginning and the end no change has touched."""
        if not kind & 3:
            return
        if kind & 1:
            self._pairs.note_inserted(at, size)
        end = at + (size if kind & 1 else 0)
        self._ascii = self._ascii and (not kind & 1 or bytes(text.data()).isascii())
        self._joins |= _meet(self.sci.charAt(at - 1), text, self.sci.charAt(end))
        tail = int(self.sci.length()) - end
        if self._kept is not None:
            at, tail = min(at, self._kept[0]), min(tail, self._kept[1])
        self._kept = at, tail

    def _part(self, first: int, last: int) -> str:
        return bytes(self.sci.textRange(first, last).data()).decode() if last > first else ""

    def _scroll_to(self, line: int) -> None:
        """Bring a line into the middle unless it is well in view."""
        row = self.sci.visibleFromDocLine(line)
        first, shown = self.sci.firstVisibleLine(), self.sci.linesOnScreen()
        if not first + 2 <= row < first + shown - 2:
            self.sci.setFirstVisibleLine(max(row - shown // 2, 0))

    def _count(self) -> None:
        """Have Scintilla count the characters of lines, and anew where it lost count.

        It does when a change joins or parts a carriage return and its line feed. Counted after a
        text was put in, it costs half as much.
        """
        if self._joins:
            self._uncount()
        if not self._counted:
            self.sci.allocateLineCharacterIndex(CHARACTERS)
            self._counted = True

    def _uncount(self) -> None:
        if self._counted:
            self.sci.releaseLineCharacterIndex(CHARACTERS)
        self._counted = self._joins = False

    def _byte(self, offset: int) -> int:
        self._filling.need_offset(offset)
        if self._ascii:
            return min(max(offset, 0), int(self.sci.length()))
        self._count()
        line = self.sci.lineFromIndexPosition(max(offset, 0), CHARACTERS)
        within = offset - self.sci.indexPositionFromLine(line, CHARACTERS)
        first = int(self.sci.positionFromLine(line))
        place = int(self.sci.positionRelative(first, within)) if within else first
        return place if place or not first + within else int(self.sci.length())

    def _char(self, position: int) -> int:
        if self._ascii:
            return position
        self._count()
        line = self.sci.lineFromPosition(position)
        first = self.sci.positionFromLine(line)
        within = int(self.sci.countCharacters(first, position))
        return int(self.sci.indexPositionFromLine(line, CHARACTERS)) + within


def _meet(before: int, text: QByteArray, after: int) -> bool:
    """Whether a carriage return meets a line feed at an end of a text put in or taken away."""
    data = text.data()
    first, last = data[:1], data[-1:]
    return (before == 13 and (after == 10 or first == b"\n")) or (last == b"\r" and after == 10)
