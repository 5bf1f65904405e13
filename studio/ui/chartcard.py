"""The card beside the pointer of a chart: the time, and the value of each curve there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

Line = tuple[QColor, str, str]
"""Colour, name and value of one curve."""

_ROW = 17.0
_PADDING = 8.0
_SWATCH = 14.0
_AWAY = 14


class ChartCard(QWidget):
    """Painted over the chart; lets the pointer through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self.heading = ""
        self.lines: Sequence[Line] = ()

    def show_at(self, place: QPoint, heading: str, lines: Sequence[Line]) -> None:
        """Show the values beside a place of the parent."""
        self.heading, self.lines = heading, lines
        metrics = QFontMetricsF(self.font())
        names = max((metrics.horizontalAdvance(name) for _, name, _ in lines), default=0.0)
        values = max((metrics.horizontalAdvance(value) for _, _, value in lines), default=0.0)
        wide = max(metrics.horizontalAdvance(heading), _SWATCH + names + 16 + values)
        self.resize(round(wide + 2 * _PADDING) + 2, round(_ROW * (1 + len(lines)) + 2 * _PADDING))
        parent = self.parentWidget()
        frame = parent.rect() if parent is not None else self.rect()
        x, y = place.x() + _AWAY, place.y() + _AWAY
        if x + self.width() > frame.right():
            x = max(place.x() - _AWAY - self.width(), 0)
        y = max(min(y, frame.bottom() - self.height()), 0)
        self.move(x, y)
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = theme.colour("raised")
        ground.setAlphaF(0.97)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        metrics = QFontMetricsF(self.font())
        baseline = _PADDING + (_ROW + metrics.ascent() - metrics.descent()) / 2
        painter.setPen(theme.colour("muted"))
        painter.drawText(round(_PADDING), round(baseline), self.heading)
        for number, (colour, name, value) in enumerate(self.lines, 1):
            y = baseline + number * _ROW
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(_PADDING, y - 8, 8, 8), 2, 2)
            painter.setPen(theme.colour("text"))
            painter.drawText(round(_PADDING + _SWATCH), round(y), name)
            right = self.width() - _PADDING - metrics.horizontalAdvance(value)
            painter.drawText(round(right), round(y), value)
        painter.end()
