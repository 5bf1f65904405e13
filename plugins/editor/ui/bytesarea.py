"""Draws the bytes of a file as digits and as signs; only what is in sight is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from plugins.editor.core.hexdump import ROW, hex_of, read_part, signs_of
from studio.kernel.errors import StudioError
from studio.ui.fonts import mono_font

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

_MARGIN = 8
_MOST_COPIED = 1 << 20


class BytesArea(QAbstractScrollArea):
    """Rows of sixteen bytes with a cursor and a selection; `moved` tells of another selection."""

    moved = Signal()

    def __init__(self, path: Path, size: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._size = size
        self._anchor = self._cursor = 0
        self.setFont(mono_font())
        metrics = QFontMetricsF(self.font())
        self._sign = metrics.horizontalAdvance("0")
        self._height = metrics.height() + 2
        self._digits = max(8, len(f"{size:x}"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._fit()

    # -- what is selected -----------------------------------------------------------------------
    def selection(self) -> tuple[int, int]:
        """The selected bytes `[start, end)`, at least the one at the cursor."""
        first, last = sorted((self._anchor, self._cursor))
        return first, min(last + 1, self._size)

    def select(self, start: int, end: int) -> None:
        """Select bytes and show the first of them."""
        self._anchor = min(max(start, 0), max(self._size - 1, 0))
        self._cursor = min(max(end - 1, self._anchor), max(self._size - 1, 0))
        self._show(self._anchor)

    def selected(self) -> bytes:
        """The selected bytes, a million of them at most."""
        start, end = self.selection()
        return read_part(self._path, start, min(end - start, _MOST_COPIED))

    def copy(self, *, signs: bool = False) -> None:
        """Copy the selected bytes, as digits or as text; the view tells when they are gone."""
        try:
            data = self.selected()
        except StudioError:
            self.moved.emit()
            return
        text = data.decode(errors="replace") if signs else hex_of(data)
        QApplication.clipboard().setText(text)

    # -- events ---------------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Read and draw the rows in sight."""
        painter = QPainter(self.viewport())
        palette = self.palette()
        painter.fillRect(self.viewport().rect(), palette.color(QPalette.ColorRole.Base))
        first = self.verticalScrollBar().value()
        try:
            data = read_part(self._path, first * ROW, (self._rows() + 1) * ROW)
        except StudioError as error:
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.drawText(QPointF(_MARGIN, self._height), error.message)
            return
        chosen = range(*self.selection())
        for row in range((len(data) + ROW - 1) // ROW):
            self._draw(painter, row, (first + row) * ROW, data[row * ROW : (row + 1) * ROW], chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scroll by what is in sight now."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by bytes, rows and pages; Shift selects."""
        page = max(self._rows() - 1, 1) * ROW
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        row = self._cursor - self._cursor % ROW
        places = {
            Qt.Key.Key_Left: self._cursor - 1,
            Qt.Key.Key_Right: self._cursor + 1,
            Qt.Key.Key_Up: self._cursor - ROW,
            Qt.Key.Key_Down: self._cursor + ROW,
            Qt.Key.Key_PageUp: self._cursor - page,
            Qt.Key.Key_PageDown: self._cursor + page,
            Qt.Key.Key_Home: 0 if control else row,
            Qt.Key.Key_End: self._size - 1 if control else row + ROW - 1,
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select(0, self._size)
        elif (place := places.get(Qt.Key(event.key()))) is not None:
            self._go(place, keep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the cursor on a byte, of which a selection may begin."""
        place = self._byte_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._go(place, keep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select up to the byte under the pointer."""
        place = self._byte_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and place is not None:
            self._go(place, keep=True)

    # -- helpers --------------------------------------------------------------------------------
    def _rows(self) -> int:
        return max(int(self.viewport().height() / self._height), 1)

    def _fit(self) -> None:
        rows = (self._size + ROW - 1) // ROW
        bar = self.verticalScrollBar()
        bar.setRange(0, max(min(rows - self._rows(), 2**31 - 1), 0))
        bar.setPageStep(self._rows())
        width = self._left_of_signs(ROW) + _MARGIN
        across = self.horizontalScrollBar()
        across.setRange(0, max(int(width) - self.viewport().width(), 0))
        across.setPageStep(self.viewport().width())

    def _go(self, place: int, *, keep: bool) -> None:
        self._cursor = min(max(place, 0), max(self._size - 1, 0))
        if not keep:
            self._anchor = self._cursor
        self._show(self._cursor)

    def _show(self, place: int) -> None:
        bar, row = self.verticalScrollBar(), place // ROW
        if not bar.value() <= row < bar.value() + self._rows():
            bar.setValue(row if row < bar.value() else row - self._rows() + 1)
        self.viewport().update()
        self.moved.emit()

    def _left_of_digits(self, column: int) -> float:
        return _MARGIN + self._sign * (self._digits + 2 + column * 3 + (column >= ROW // 2))

    def _left_of_signs(self, column: int) -> float:
        return self._left_of_digits(ROW) + self._sign * (1 + column)

    def _byte_at(self, point: QPointF) -> int | None:
        x = point.x() + self.horizontalScrollBar().value()
        row = self.verticalScrollBar().value() + int(point.y() / self._height)
        if x >= self._left_of_signs(0) - self._sign / 2:
            column = int((x - self._left_of_signs(0)) / self._sign)
        else:
            lefts = [self._left_of_digits(column) - self._sign / 2 for column in range(ROW)]
            column = sum(x >= left for left in lefts) - 1
        place = row * ROW + min(max(column, 0), ROW - 1)
        return place if place < self._size else None

    def _draw(self, painter: QPainter, row: int, offset: int, data: bytes, chosen: range) -> None:
        palette, top = self.palette(), row * self._height
        base = top + self._height - QFontMetricsF(self.font()).descent() - 1
        shift = self.horizontalScrollBar().value()
        first = min(max(chosen.start - offset, 0), len(data))
        last = min(max(chosen.stop - offset, 0), len(data))
        painter.save()
        painter.translate(-shift, 0)
        if last > first:
            marked = palette.color(QPalette.ColorRole.Highlight)
            left, right = self._left_of_digits(first), self._left_of_digits(last - 1)
            width = right - left + 2 * self._sign
            painter.fillRect(QRectF(left, top, width, self._height), marked)
            left, width = self._left_of_signs(first), (last - first) * self._sign
            painter.fillRect(QRectF(left, top, width, self._height), marked)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(QPointF(_MARGIN, base), f"{offset:0{self._digits}x}")
        signs = signs_of(data)
        for column, byte in enumerate(data):
            inside = first <= column < last
            role = QPalette.ColorRole.HighlightedText if inside else QPalette.ColorRole.Text
            painter.setPen(palette.color(role))
            painter.drawText(QPointF(self._left_of_digits(column), base), f"{byte:02x}")
            painter.drawText(QPointF(self._left_of_signs(column), base), signs[column])
        painter.restore()
