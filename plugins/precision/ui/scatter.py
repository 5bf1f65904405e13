"""Errors against depth: one column per module in the order of the network, one point per call."""

from __future__ import annotations

from math import floor, inf, isfinite, log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from plugins.precision.ui.rows import look
from studio.i18n import tr
from studio.ui.text import format_number
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.precision.core.network import Point

_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 22, 22
_REACH = 9.0
_DECADES = 12


class Scatter(QWidget):
    """Relative error on a log scale over the modules; a click chooses a call."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: list[Point] = []
        self._modules: list[str] = []
        self._row = -1
        self._low, self._high = -8, 0
        self.setMinimumHeight(120)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(tr("Error against depth"))

    def sizeHint(self) -> QSize:
        """Room for a few decades."""
        return QSize(600, 240)

    def set_points(self, points: Sequence[Point]) -> None:
        """Show the calls that have an error."""
        self._points = [point for point in points if point.error > 0]
        self._modules = list(dict.fromkeys(point.module for point in points))
        found = [log10(p.error) for p in self._points if isfinite(p.error)]
        self._high = floor(max(found, default=-1.0)) + 1
        self._low = max(floor(min(found, default=-8.0)), self._high - _DECADES)
        self._row = -1
        self.update()

    def mark(self, row: int) -> None:
        """Mark the call that a row belongs to."""
        self._row = row
        self.update()

    def place_of(self, point: Point) -> QPointF:
        """Where a point is drawn."""
        wide, high = self.width() - _LEFT - _RIGHT, self.height() - _TOP - _BOTTOM
        x = (self._modules.index(point.module) + 0.5) / max(len(self._modules), 1)
        size = log10(point.error) if point.error not in (inf, 0) else float(self._high)
        y = (size - self._low) / max(self._high - self._low, 1)
        return QPointF(_LEFT + x * wide, _TOP + (1 - min(max(y, 0.0), 1.0)) * high)

    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer."""
        if isinstance(event, QHelpEvent):
            point = self._near(QPointF(event.pos()))
            if point is not None:
                error = tr("Relative error {error}", error=format_number(point.error))
                text = "\n".join(filter(None, (point.call, point.module, error)))
                QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the call nearest to the pointer."""
        point = self._near(event.position())
        if point is not None:
            self.chosen.emit(point.row)

    def _near(self, place: QPointF) -> Point | None:
        apart = {
            number: (self.place_of(point) - place).manhattanLength()
            for number, point in enumerate(self._points)
        }
        best = min(apart, key=apart.__getitem__, default=-1)
        return self._points[best] if best >= 0 and apart[best] <= _REACH else None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axes and points."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.colour("bg"))
        metrics = painter.fontMetrics()
        high = self.height() - _TOP - _BOTTOM
        every = max(1, -(-(self._high - self._low) * 24 // max(high, 1)))
        for decade in range(self._low, self._high + 1, every):
            y = _TOP + (1 - (decade - self._low) / max(self._high - self._low, 1)) * high
            painter.setPen(theme.colour("line"))
            painter.drawLine(QPointF(_LEFT, y), QPointF(self.width() - _RIGHT, y))
            painter.setPen(theme.colour("muted"))
            text = f"1e{decade}"
            painter.drawText(
                QPointF(_LEFT - 6 - metrics.horizontalAdvance(text), y + metrics.ascent() / 2), text
            )
        painter.drawText(QPointF(8, 15), tr("Relative error over the depth of the network"))
        self._draw_modules(painter)
        for point in self._points:
            colour = theme.colour(look(point.status)[1])
            colour.setAlphaF(0.75)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(self.place_of(point), 3.5, 3.5)
        marked = [point for point in self._points if point.row == self._row]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("accent"), 2))
        for point in marked:
            painter.drawEllipse(self.place_of(point), 6.5, 6.5)
        painter.end()

    def _draw_modules(self, painter: QPainter) -> None:
        """Write the names of modules below the axis, where there is room."""
        painter.setPen(current_theme().colour("muted"))
        metrics = painter.fontMetrics()
        wide = self.width() - _LEFT - _RIGHT
        free = 0.0
        for number, name in enumerate(self._modules):
            middle = _LEFT + (number + 0.5) / len(self._modules) * wide
            size = metrics.horizontalAdvance(name)
            start = max(middle - size / 2, 0.0)
            if name and start >= free and start + size <= self.width():
                painter.drawText(QPointF(start, self.height() - 6), name)
                free = start + size + 12
