# ruff: noqa: D102 - the methods are described in CodeEdit
"""The editor where Scintilla's binding cannot be loaded: no colours, but all else works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from studio.model.linediff import split_lines
from studio.ui.code import CodeEdit, Mark, Squiggle, Tint, Word
from studio.ui.codeplainpairs import PlainPairs
from studio.ui.codetyping import LineChange, changed_lines, indent_for_new_line
from studio.ui.fonts import mono_font
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from studio.ui.codelanguages import Language

_COLOURS = {Mark.ERROR: "error", Mark.WARNING: "warn", Mark.INFO: "info", Mark.HINT: "muted"}


class PlainCode(CodeEdit):
    """`CodeEdit` on Qt's plain text widget.

    Qt ends lines by LF alone; the text's own line ends are kept beside and put back in `text`.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ends: list[str] = []
        self._line_end = "\n"
        self._labels: Callable[[int], str] | None = None
        self._marks: Sequence[Squiggle] = ()
        self._hits: list[QTextEdit.ExtraSelection] = []
        self._tints: Mapping[int, Tint] = {}
        self._words: Sequence[tuple[int, int, Word]] = ()
        self._flash: tuple[int, int] | None = None
        self._zoom = 0
        self._edit = _Edit(self)
        self._put(self._edit)
        self._edit.blockCountChanged.connect(self._on_blocks)
        self._edit.textChanged.connect(self.text_changed)
        self._edit.cursorPositionChanged.connect(self.cursor_moved)
        self._edit.verticalScrollBar().valueChanged.connect(lambda _: self.scrolled.emit())
        self._edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._edit.customContextMenuRequested.connect(
            lambda place: self.menu_requested.emit(self._edit.mapToGlobal(place))
        )
        self.refresh_theme()

    def area(self) -> QPlainTextEdit:
        return self._edit

    # -- text -----------------------------------------------------------------------------------
    def text(self) -> str:
        lines = self._edit.toPlainText().split("\n")
        ends = [*self._ends, *[self._line_end] * (len(lines) - len(self._ends))]
        return "".join(line + end for line, end in zip(lines[:-1], ends, strict=False)) + lines[-1]

    def set_text(self, text: str) -> None:
        lines = split_lines(text)
        self._ends = [line[len(line.rstrip("\r\n")) :] for line in lines[:-1]]
        self._marks, self._hits, self._tints, self._words = (), [], {}, ()
        self._edit.blockSignals(True)
        self._edit.setPlainText("\n".join(line.rstrip("\r\n") for line in lines))
        self._edit.blockSignals(False)
        self._show()

    def replace(self, start: int, end: int, text: str) -> None:
        cursor = self._cursor(start, end)
        cursor.insertText(text.replace("\r\n", "\n").replace("\r", "\n"))

    def begin_step(self) -> None:
        self._edit.textCursor().beginEditBlock()

    def end_step(self) -> None:
        self._edit.textCursor().endEditBlock()

    # -- places ---------------------------------------------------------------------------------
    def selection(self) -> tuple[int, int]:
        cursor = self._edit.textCursor()
        return self._offset(cursor.selectionStart()), self._offset(cursor.selectionEnd())

    def select(self, start: int, end: int) -> None:
        self._edit.setTextCursor(self._cursor(start, end))
        self._edit.centerCursor()

    def cursor_offset(self) -> int:
        return self._offset(self._edit.textCursor().position())

    def cursor_rect(self) -> QRect:
        rect = self._edit.cursorRect()
        return QRect(self._edit.viewport().mapTo(self, rect.topLeft()), rect.size())

    def change_lines(self, change: LineChange) -> None:
        if change.only_selects or self.is_read_only():
            return  # one selection is all that this widget has
        start, end = self.selection()
        first, last = self.place_at(start)[0], self.place_at(max(start, end - 1))[0]
        lines = [self.line_text(line) for line in range(1, self.line_count() + 1)]
        changed, shift = changed_lines(lines, first, last, change.value)
        self.replace_text("".join(changed))
        line, column = min(first + shift, self.line_count()), 1
        self.select(self.offset_at(line, column), self.offset_at(line, column))

    def place_at(self, offset: int) -> tuple[int, int]:
        before = split_lines(self.text()[: max(offset, 0)])
        return len(before), len(before[-1]) + 1

    def offset_at(self, line: int, column: int = 1) -> int:
        lines = split_lines(self.text())
        row = min(max(line, 1), len(lines)) - 1
        length = len(lines[row].rstrip("\r\n"))
        extra = length if line > len(lines) else min(max(column, 1) - 1, length)
        return sum(map(len, lines[:row])) + extra

    def line_count(self) -> int:
        return self._edit.blockCount()

    def line_text(self, line: int) -> str:
        return split_lines(self.text())[line - 1]

    def first_line(self) -> int:
        return self._edit.firstVisibleBlock().blockNumber() + 1

    def set_first_line(self, line: int) -> None:
        self._edit.verticalScrollBar().setValue(line - 1)

    def line_rect(self, line: int) -> QRect:
        height = self._edit.fontMetrics().lineSpacing()
        top = (line - self.first_line()) * height + 4
        place = self._edit.viewport().mapTo(self, QPoint(0, top))
        return QRect(0, place.y(), self.width(), height)

    # -- commands -------------------------------------------------------------------------------
    def undo(self) -> None:
        self._edit.undo()

    def redo(self) -> None:
        self._edit.redo()

    def can_undo(self) -> bool:
        return self._edit.document().isUndoAvailable()

    def can_redo(self) -> bool:
        return self._edit.document().isRedoAvailable()

    def cut(self) -> None:
        self._select_line()
        self._edit.cut()

    def copy(self) -> None:
        before = self.selection()
        self._select_line()
        self._edit.copy()
        self.select(*before)

    def _select_line(self) -> None:
        """Select the line of the cursor, with its end, unless something is selected."""
        start, end = self.selection()
        if start == end:
            line = self.place_at(start)[0]
            first = self.offset_at(line)
            self.select(first, first + len(self.line_text(line)))

    def paste(self) -> None:
        self._edit.paste()

    def select_all(self) -> None:
        self._edit.selectAll()

    # -- looks ----------------------------------------------------------------------------------
    def is_read_only(self) -> bool:
        return self._edit.isReadOnly()

    def set_read_only(self, on: bool) -> None:
        self._edit.setReadOnly(on)

    def set_language(self, language: Language) -> None:
        self.language = language

    def set_line_end(self, line_end: str) -> None:
        self.line_end = line_end
        self._line_end = line_end

    def set_tab_width(self, width: int) -> None:
        self._edit.setTabStopDistance(width * self._edit.fontMetrics().horizontalAdvance(" "))

    def set_wrap(self, on: bool) -> None:
        mode = QPlainTextEdit.LineWrapMode
        self._edit.setLineWrapMode(mode.WidgetWidth if on else mode.NoWrap)

    def set_white_space(self, on: bool) -> None:
        option = self._edit.document().defaultTextOption()
        flag = option.Flag.ShowTabsAndSpaces
        option.setFlags(flag if on else option.Flag(0))
        self._edit.document().setDefaultTextOption(option)

    def set_current_line(self, on: bool) -> None:
        pass

    def zoom(self) -> int:
        return self._zoom

    def set_zoom(self, points: int) -> None:
        self._zoom = points
        self.refresh_theme()
        self.zoomed.emit(points)

    def refresh_theme(self) -> None:
        font = mono_font()
        font.setPointSizeF(max(font.pointSizeF() + self._zoom, 2.0))
        self._edit.setFont(font)
        self._show()

    # -- marks ----------------------------------------------------------------------------------
    def set_marks(self, squiggles: Sequence[Squiggle]) -> None:
        self._marks = squiggles
        self._show()

    def set_hits(self, spans: Sequence[tuple[int, int]], current: int = -1) -> None:
        warn = current_theme().colour("warn")
        self._hits = []
        for number, span in enumerate(spans[:500]):
            colour = QColor(warn)
            colour.setAlpha(130 if number == current else 60)
            self._hits.append(self._extra(*span, background=colour))
        self._show()

    def set_tints(self, tints: Mapping[int, Tint], lines: range | None = None) -> None:
        kept = {} if lines is None else {n: t for n, t in self._tints.items() if n not in lines}
        self._tints = {**kept, **tints}
        self._edit.viewport().update()

    def set_words(self, words: Sequence[tuple[int, int, Word]], lines: range | None = None) -> None:
        kept: list[tuple[int, int, Word]] = []
        if lines is not None:
            first, last = self.offset_at(lines.start), self.offset_at(lines.stop)
            kept = [word for word in self._words if not first <= word[0] < last]
        self._words = [*kept, *words]
        self._show()

    def set_line_labels(self, labels: Callable[[int], str] | None, longest: str = "") -> None:
        self._labels = labels

    def set_note(self, line: int, text: str) -> None:
        pass

    def hover_at(self, offset: int) -> str:
        said = (mark.hover for mark in self._marks if mark.start <= offset < mark.end)
        return "<hr>".join(text for text in said if text)

    def flash(self, start: int, end: int) -> None:
        self._flash = (start, max(end, start + 1))
        self._show()
        QTimer.singleShot(900, self, self._unflash)

    # -- helpers --------------------------------------------------------------------------------
    def _unflash(self) -> None:
        self._flash = None
        self._show()

    def _show(self) -> None:
        theme = current_theme()
        extras = [
            self._extra(mark.start, mark.end, underline=theme.colour(_COLOURS[mark.mark]))
            for mark in self._marks[:500]
        ]
        colours = {Word.OLD: "removed_word", Word.NEW: "added_word"}
        for start, end, word in self._words:
            if word in colours:
                extras.append(self._extra(start, end, background=QColor(theme.diff[colours[word]])))
        if self._flash:
            extras.append(self._extra(*self._flash, background=theme.mix("bg", "accent", 0.35)))
        self._edit.setExtraSelections([*extras, *self._hits])

    def _extra(
        self, start: int, end: int, *, background: QColor | None = None,
        underline: QColor | None = None,
    ) -> QTextEdit.ExtraSelection:  # fmt: skip
        extra = QTextEdit.ExtraSelection()
        look = QTextCharFormat()
        if background is not None:
            look.setBackground(background)
        if underline is not None:
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            look.setUnderlineColor(underline)
        extra.format = look
        extra.cursor = self._cursor(start, end)
        return extra

    def _on_blocks(self, count: int) -> None:
        row = self._edit.textCursor().blockNumber()
        missing = count - 1 - len(self._ends)
        if missing > 0:
            at = max(row - missing, 0)
            self._ends[at:at] = [self._line_end] * missing
        elif missing < 0:
            del self._ends[row : row - missing]

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(self._position(start))
        cursor.setPosition(self._position(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _position(self, offset: int) -> int:
        """From characters with the text's line ends to Qt's UTF-16 units with one per line end."""
        before = self.text()[:offset].replace("\r\n", "\n")
        return len(before) + sum(ord(char) > 0xFFFF for char in before)

    def _offset(self, position: int) -> int:
        shown = self._edit.toPlainText().encode("utf-16-le")[: position * 2].decode("utf-16-le")
        return len(shown) + sum(len(end) - 1 for end in self._ends[: shown.count("\n")])


class _Edit(QPlainTextEdit):
    """Qt's widget with line numbers and backgrounds of lines."""

    def __init__(self, owner: PlainCode) -> None:
        super().__init__(owner)
        self._owner = owner
        self._numbers = _Numbers(self)
        self._pairs = PlainPairs(self)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(self.Shape.NoFrame)
        self.setViewportMargins(48, 0, 0, 0)
        self.updateRequest.connect(lambda _rect, _dy: self._numbers.update())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent a new line as the one before."""
        if self._owner.close_brackets and self._pairs.press(event, self._owner.language.quotes):
            return
        before = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.isReadOnly():
            owner = self._owner
            self.insertPlainText(indent_for_new_line(before, owner.language, owner.indent_unit))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the numbers at the left."""
        super().resizeEvent(event)
        self._numbers.setGeometry(0, 0, 48, self.contentsRect().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the backgrounds of lines, then the text."""
        theme = current_theme()
        painter = QPainter(self.viewport())
        for line, rect in self.visible_lines():
            tint = self._owner._tints.get(line)
            if tint is not None and tint.value in theme.diff:
                painter.fillRect(rect, QColor(theme.diff[tint.value]))
            if tint is Tint.FILLER:
                hatch = QBrush(theme.mix("surface", "muted", 0.38), Qt.BrushStyle.BDiagPattern)
                painter.fillRect(rect, hatch)
        painter.end()
        super().paintEvent(event)

    def visible_lines(self) -> list[tuple[int, QRectF]]:
        """The lines in view with where they are."""
        found: list[tuple[int, QRectF]] = []
        block = self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if rect.top() > self.viewport().height():
                break
            rect.setRight(max(rect.right(), self.viewport().width()))
            found.append((block.blockNumber() + 1, rect))
            block = block.next()
        return found

    def label(self, line: int) -> str:
        """What stands beside a line."""
        return str(line) if self._owner._labels is None else self._owner._labels(line)


class _Numbers(QWidget):
    def __init__(self, edit: _Edit) -> None:
        super().__init__(edit)
        self._edit = edit

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        painter.setPen(QColor(theme.syntax["line_number"]))
        painter.setFont(self._edit.font())
        for line, rect in self._edit.visible_lines():
            place = QRectF(0, rect.top(), 40, rect.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, self._edit.label(line))
        painter.end()
