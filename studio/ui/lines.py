"""Lines of trees and lists: icon, name, quieter detail, and a badge at the right end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

DETAIL_ROLE = Qt.ItemDataRole.UserRole + 11
"""Quieter text after the name."""

BADGE_ROLE = Qt.ItemDataRole.UserRole + 12
"""Text and colour token at the right end, as a pair."""

ROW_HEIGHT = 22


def paint_focus(painter: QPainter, row: QRect, state: QStyle.StateFlag) -> None:
    """Frame a row that its delegate paints itself, when it is the one that the keys are at."""
    if state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(current_theme().colour("accent"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(row.adjusted(0, 0, -1, -1))


class RowDelegate(QStyledItemDelegate):
    """Plain rows of the one height, for trees with several columns."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Rows of one height."""
        return QSize(super().sizeHint(option, index).width() + 12, ROW_HEIGHT)


class LineDelegate(QStyledItemDelegate):
    """Draws what `DisplayRole`, `DecorationRole`, `DETAIL_ROLE` and `BADGE_ROLE` give."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Rows of one height."""
        return QSize(120, ROW_HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw one line; the name is shortened last."""
        given: Any = QStyleOptionViewItem(option)
        given.text, given.icon = "", QIcon()
        widget: QWidget | None = given.widget
        style = widget.style() if widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, given, painter, widget)
        rect = given.rect.adjusted(4, 0, -8, 0)
        theme = current_theme()
        painter.save()
        painter.setFont(given.font)
        badge = index.data(BADGE_ROLE)
        if badge:
            text, token = badge
            width = given.fontMetrics.horizontalAdvance(text)
            painter.setPen(theme.colour(token))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect, right, text)
            rect.adjust(0, 0, -width - 8, 0)
        picture = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(picture, QIcon) and not picture.isNull():
            top = rect.top() + (rect.height() - 16) // 2
            picture.paint(painter, rect.left(), top, 16, 16)
            rect.adjust(22, 0, 0, 0)
        name, detail = str(index.data() or ""), str(index.data(DETAIL_ROLE) or "")
        brush = index.data(Qt.ItemDataRole.ForegroundRole)
        ink = brush if brush is not None else given.palette.color(QPalette.ColorRole.Text)
        painter.setPen(ink)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        shown = given.fontMetrics.elidedText(name, Qt.TextElideMode.ElideMiddle, rect.width())
        painter.drawText(rect, left, shown)
        used = given.fontMetrics.horizontalAdvance(shown) + 10
        if detail and rect.width() - used > 24:
            rect.adjust(used, 0, 0, 0)
            painter.setPen(theme.colour("muted"))
            detail = given.fontMetrics.elidedText(detail, Qt.TextElideMode.ElideRight, rect.width())
            painter.drawText(rect, left, detail)
        painter.restore()
