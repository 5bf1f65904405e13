"""The heading of a table: titles that never lie under the arrow of the order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QHeaderView

from studio.ui.icons import icon
from studio.ui.tablemodel import FILTERED_ROLE
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_MARGIN = 6
_ARROW = 13
_FUNNEL = 15
MARKS = 2 * _MARGIN + _ARROW + 4
"""What a heading needs beside its text."""


class TableHeader(QHeaderView):
    """Clickable, movable sections; arrow and funnel have their own room beside the title."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsMovable(True)
        self.setHighlightSections(False)
        self.setSortIndicatorShown(True)
        self.setSortIndicatorClearable(True)
        self.setSectionsClickable(True)
        self.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Paint ground, funnel, title and arrow of one column."""
        theme, model = current_theme(), self.model()
        painter.save()
        painter.fillRect(rect, theme.colour("surface"))
        painter.setPen(theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.drawLine(rect.topRight(), rect.bottomRight())
        room = rect.adjusted(_MARGIN, 0, -_MARGIN, -1)
        ordered = self.sortIndicatorSection() == logicalIndex
        if ordered:
            self._arrow(painter, room)
            room.setRight(room.right() - _ARROW)
        if model.headerData(logicalIndex, self.orientation(), FILTERED_ROLE):
            funnel = icon("filter", "accent")
            top = room.top() + (room.height() - 12) // 2
            funnel.paint(painter, QRect(room.left(), top, 12, 12))
            room.setLeft(room.left() + _FUNNEL)
        side = model.headerData(logicalIndex, self.orientation(), Qt.ItemDataRole.TextAlignmentRole)
        title = str(model.headerData(logicalIndex, self.orientation()) or "")
        painter.setPen(theme.colour("text" if ordered else "muted"))
        shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, side or Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def _arrow(self, painter: QPainter, room: QRect) -> None:
        sign = 1 if self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder else -1
        middle = QPointF(room.right() - 4, room.center().y() + 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().colour("accent"), 1.5))
        tips = ((-3, -2), (0, 2), (3, -2))
        painter.drawPolyline([middle + QPointF(x, y * sign) for x, y in tips])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
