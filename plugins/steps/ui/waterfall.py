"""The waterfall of one step: part by part where its time went, and below each when it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.text import format_ns, format_percent
from studio.ui.theme import current_theme
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from plugins.steps.ui.parts import Part

    Times = NDArray[np.int64]

ROW: Final = 30
_LABEL: Final = 216
_LEAST: Final = 60
_VALUE: Final = 148
_STRIP: Final = 4


class Waterfall(QWidget):
    """A click or the arrow keys choose a part; double click or Enter want the timeline."""

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts: Sequence[Part] = ()
        self._span = 1
        self._strips: Sequence[tuple[Times, Times]] = ()
        self.current = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Where the time of the step went"))

    def set_parts(
        self, parts: Sequence[Part], span: int, strips: Sequence[tuple[Times, Times]]
    ) -> None:
        """Show the parts of a step; `strips` are their intervals since its beginning."""
        self.parts, self._span, self._strips = parts, max(span, 1), strips
        self.setFixedHeight(max(len(parts), 1) * ROW + 4)
        self.update()

    def set_current(self, key: str) -> None:
        """Mark a part."""
        self.current = key
        self.setAccessibleDescription(next((p.title for p in self.parts if p.key == key), ""))
        self.update()

    def sizeHint(self) -> QSize:
        """One row per part."""
        return QSize(600, len(self.parts) * ROW + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw label, bar, strip and value of every part."""
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        before = 0
        middle = Qt.AlignmentFlag.AlignVCenter
        for number, part in enumerate(self.parts):
            row = QRectF(0, number * ROW, self.width(), ROW)
            if part.key == self.current:
                painter.fillRect(row, theme.colour("selected"))
            label = QRectF(12 + (14 if part.inside else 0), row.top(), self._label() - 20, ROW)
            painter.setFont(self.font())
            painter.setPen(theme.colour("muted" if part.inside else "text"))
            title = painter.fontMetrics().elidedText(
                part.title, Qt.TextElideMode.ElideRight, round(label.width())
            )
            painter.drawText(label, Qt.AlignmentFlag.AlignLeft | middle, title)
            self._draw_bar(painter, row, part, 0 if part.inside else before)
            self._draw_strip(painter, row, number, part)
            painter.setFont(mono_font())
            painter.setPen(theme.colour("text"))
            value = f"{format_ns(part.ns)} {format_percent(part.ns / self._span):>7}"
            room = QRectF(self.width() - _VALUE, row.top(), _VALUE - 10, ROW)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, value)
            before += 0 if part.inside else part.ns
        if self.hasFocus():
            painter.setPen(theme.colour("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell the part under the pointer."""
        if isinstance(event, QHelpEvent):
            part = self._part_at(event.pos().y())
            text = f"{part.title}: {exact(part.ns)}\n{part.meaning}" if part else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a part."""
        if part := self._part_at(event.position().y()):
            self.chosen.emit(part.key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Want the part on the timeline."""
        if part := self._part_at(event.position().y()):
            self.opened.emit(part.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go up and down; Enter wants the timeline."""
        keys = [part.key for part in self.parts]
        place = keys.index(self.current) if self.current in keys else -1
        match event.key():
            case Qt.Key.Key_Down if place + 1 < len(keys):
                self.chosen.emit(keys[place + 1])
            case Qt.Key.Key_Up if place > 0:
                self.chosen.emit(keys[place - 1])
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if place >= 0:
                self.opened.emit(self.current)
            case _:
                super().keyPressEvent(event)

    def _label(self) -> int:
        """The room of the titles: less in a narrow view, so that bars stay beside them."""
        return max(min(_LABEL, round((self.width() - _VALUE) * 0.6)), _LEAST)

    def _draw_bar(self, painter: QPainter, row: QRectF, part: Part, before: int) -> None:
        colour = current_theme().semantic(part.semantic)
        if part.inside:
            colour.setAlphaF(0.5)
        left = self._label() + self._room() * before / self._span
        wide = max(self._room() * part.ns / self._span, 1.0)
        painter.fillRect(QRectF(left, row.top() + 5, wide, 14), colour)

    def _draw_strip(self, painter: QPainter, row: QRectF, number: int, part: Part) -> None:
        """When it happened, one line per pixel at most."""
        if number >= len(self._strips):
            return
        start, end = self._strips[number]
        scale = self._room() / self._span
        if not len(start):
            return
        first = np.floor(start * scale).astype(np.int64)
        last = np.maximum(np.ceil(end * scale).astype(np.int64), first + 1)
        marks = np.zeros(max(int(last.max()), 1) + 1, np.int64)
        np.add.at(marks, first, 1)
        np.add.at(marks, last, -1)
        edges = np.flatnonzero(np.diff(np.concatenate(([0], np.cumsum(marks) > 0, [0]))))
        colour, y = current_theme().semantic(part.semantic), row.bottom() - _STRIP - 4
        for low, high in edges.reshape(-1, 2).tolist():
            painter.fillRect(QRectF(self._label() + low, y, high - low, _STRIP), colour)

    def _part_at(self, y: float) -> Part | None:
        row = int(y // ROW)
        return self.parts[row] if 0 <= row < len(self.parts) else None

    def _room(self) -> float:
        return max(self.width() - self._label() - _VALUE, 1)
