"""Counts as a list of bars: an icon, a name, a bar, a number; a click asks for what is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.ui.icons import icon
from studio.ui.lines import paint_focus
from studio.ui.text import thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QColor, QFocusEvent, QPainter

Index = QModelIndex | QPersistentModelIndex
_BAR = Qt.ItemDataRole.UserRole
_LARGEST = Qt.ItemDataRole.UserRole + 1
_ROW = 24
_NUMBER = 52


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: `icon` is a drawing and its colour token, `colour` that of the bar."""

    key: str
    title: str
    number: int
    colour: QColor
    icon: tuple[str, str] = ("", "")
    tip: str = ""


class BarList(QWidget):
    """A title and its bars; the longest one takes all the room."""

    chosen = Signal(str)

    def __init__(self, title: str, *, name_width: int = 128) -> None:
        super().__init__()
        self.title = QLabel(title)
        self.title.setProperty("role", "muted")
        self.rows = _Rows()
        self.rows.setAccessibleName(title)
        self.rows.setItemDelegate(_Painter(name_width, self.rows))
        self.rows.itemClicked.connect(self._choose)
        self.rows.itemActivated.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.rows)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """Show other counts."""
        current = self.rows.currentRow()
        self.rows.clear()
        largest = max((bar.number for bar in bars), default=1)
        for bar in bars:
            item = QListWidgetItem(bar.title)
            item.setData(_BAR, bar)
            item.setData(_LARGEST, largest)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{bar.title}: {bar.number}")
            item.setToolTip(bar.tip or f"{bar.title}: {bar.number}")
            self.rows.addItem(item)
        self.rows.setFixedHeight(len(bars) * _ROW)
        self.rows.setCurrentRow(current)
        self.setVisible(bool(bars))

    def bars(self) -> list[Bar]:
        """What is shown."""
        return [self.rows.item(row).data(_BAR) for row in range(self.rows.count())]

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(_BAR).key)


class _Rows(QListWidget):
    """The current row shows only while the keys go here."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.viewport().setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return QSize(240, self.count() * _ROW)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.currentRow() < 0 and event.reason() is not Qt.FocusReason.MouseFocusReason:
            self.setCurrentRow(0)


class _Painter(QStyledItemDelegate):
    def __init__(self, name_width: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._name_width = name_width

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        bar: Bar = index.data(_BAR)
        row: QRect = option.rect
        state: QStyle.StateFlag = option.state
        focused = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus
        painter.save()
        painter.setFont(option.font)
        if state & focused == focused:
            painter.fillRect(row, theme.colour("selected"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, theme.colour("hover"))
        paint_focus(painter, row, state)
        left = row.left() + 4
        if bar.icon[0]:
            icon(*bar.icon).paint(painter, QRect(left, row.top() + (_ROW - 14) // 2, 14, 14))
            left += 20
        metrics = option.fontMetrics
        room = min(self._name_width, row.width() // 2) - (left - row.left())
        name = metrics.elidedText(bar.title, Qt.TextElideMode.ElideRight, room)
        painter.setPen(theme.colour("text"))
        painter.drawText(QRect(left, row.top(), room, _ROW), _LEFT, name)
        left += room + 8
        right = row.right() - _NUMBER
        track = QRectF(left, row.top() + _ROW / 2 - 4, max(right - left, 8), 8)
        painter.fillRect(track, theme.mix("bg", "line", 0.55))
        width = track.width() * bar.number / max(index.data(_LARGEST), 1)
        painter.fillRect(QRectF(track.left(), track.top(), max(width, 2.0), 8), bar.colour)
        number = QRect(right, row.top(), _NUMBER - 6, _ROW)
        painter.drawText(number, _RIGHT, thousands(bar.number))
        painter.restore()


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
