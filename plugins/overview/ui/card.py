"""A card: one figure with its name and what lies behind it; a click leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QEnterEvent

_SIZE = QSize(150, 78)
_EDGE = 3.0


class Card(QAbstractButton):
    """Name, figure and detail under each other, with the colour of the kind of work."""

    def __init__(self, title: str, semantic: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._semantic = semantic
        self._over = False
        self.value = "–"
        self.detail = ""
        self.setText(title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_figure("–")

    def set_figure(self, value: str, detail: str = "", tip: str = "") -> None:
        """Show a figure; the tool tip says what it is."""
        self.value, self.detail = value, detail
        self.setAccessibleName(f"{self.text()} {value} {detail}".strip())
        self.setToolTip(tip or self.accessibleName())
        self.update()

    def sizeHint(self) -> QSize:
        """Cards of one size."""
        return _SIZE

    def minimumSizeHint(self) -> QSize:
        """Cards may become narrower."""
        return QSize(104, _SIZE.height())

    def enterEvent(self, event: QEnterEvent) -> None:
        """Lift under the pointer."""
        super().enterEvent(event)
        self._over = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Lie flat again."""
        super().leaveEvent(event)
        self._over = False
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        rim = theme.colour("accent" if self.hasFocus() else "line")
        painter.setPen(QPen(rim, 1))
        painter.setBrush(theme.colour("hover" if self._over or self.isDown() else "surface"))
        painter.drawRoundedRect(rect, 4, 4)
        if self._semantic:
            painter.fillRect(QRectF(rect.left() + 1, 8, _EDGE, rect.height() - 15), self._colour())
        inside = rect.adjusted(12, 7, -8, -7)
        top, left = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignLeft
        painter.setPen(theme.colour("muted"))
        self._write(painter, inside, self.text(), left | top)
        self._write(painter, inside, self.detail, left | Qt.AlignmentFlag.AlignBottom)
        painter.setPen(theme.colour("text"))
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.55)
        painter.setFont(font)
        self._write(painter, inside, self.value, left | Qt.AlignmentFlag.AlignVCenter)
        painter.end()

    def _colour(self) -> QColor:
        return current_theme().semantic(self._semantic)

    def _write(self, painter: QPainter, rect: QRectF, text: str, place: Qt.AlignmentFlag) -> None:
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, round(rect.width()))
        painter.drawText(rect, place, shown)
