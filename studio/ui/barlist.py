"""A list whose rows carry a bar: what takes how much, the largest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ui.fonts import mono_font
from studio.ui.lines import paint_focus
from studio.ui.pictures import PictureMenu
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QKeyEvent, QPainter

ROW = 24
_BAR = Qt.ItemDataRole.UserRole
PALE = 0.24
"""How opaque a bar is under its texts."""
QUIET = 0.5
"""How far the ink of a detail goes from muted to text: it stands on bars of every colour."""

_SIDE = 8
_NARROW = 0.34


@dataclass(frozen=True)
class Bar:
    """One row: its name, how much as a text, and as a share of the longest bar.

    `semantic` is the colour of its kind of work, or a token of the theme.
    """

    text: str
    value: str
    share: float
    semantic: str = "computing"
    detail: str = ""
    tip: str = ""


class BarList(QListWidget):
    """Bars under each other; a click or Enter chooses one."""

    chosen = Signal(int)

    def __init__(self, name: str, *, fitting: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fitting = fitting
        self.bars: tuple[Bar, ...] = ()
        self.setAccessibleName(name)
        self.setItemDelegate(_BarDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        if fitting:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pictures = PictureMenu(self, self.table)
        self.itemClicked.connect(lambda item: self.chosen.emit(self.row(item)))

    def set_bars(self, bars: Sequence[Bar]) -> None:
        """Show these rows."""
        self.clear()
        self.bars = tuple(bars)
        for bar in bars:
            item = QListWidgetItem(self)
            item.setData(_BAR, bar)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{bar.text} {bar.value} {bar.detail}")
            item.setToolTip(bar.tip or f"{bar.text}\n{bar.value}  {bar.detail}".rstrip())
        if self._fitting:
            self.setFixedHeight(ROW * max(len(bars), 1))

    def table(self) -> Iterable[Sequence[object]]:
        """What stands in every row."""
        yield "name", "value", "detail"
        for bar in self.bars:
            yield bar.text, bar.value, bar.detail

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the current row with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentRow() >= 0:
            self.chosen.emit(self.currentRow())
            return
        super().keyPressEvent(event)


class _BarDelegate(QStyledItemDelegate):
    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Rows of one height."""
        return QSize(160, ROW)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the bar, the name and detail over it, and the value at the right end."""
        bar: Bar = index.data(_BAR)
        theme, rect = current_theme(), QRect(option.rect)
        state = option.state
        painter.save()
        ground = "bg"
        if state & QStyle.StateFlag.State_Selected:
            ground = "selected"
        elif state & QStyle.StateFlag.State_MouseOver:
            ground = "hover"
        if ground != "bg":
            painter.fillRect(rect, theme.colour(ground))
        inside = QRectF(rect).adjusted(0, 2, 0, -2)
        known = bar.semantic in theme.semantics
        colour = theme.semantic(bar.semantic) if known else theme.colour(bar.semantic)
        edge = QRectF(inside.left(), inside.top(), 3, inside.height())
        fill = QRectF(inside)
        fill.setWidth(max(inside.width() * min(max(bar.share, 0.0), 1.0), 3))
        pale = type(colour)(colour)
        pale.setAlphaF(PALE)
        painter.fillRect(fill, pale)
        painter.fillRect(edge, colour)
        paint_focus(painter, rect, state)
        _texts(painter, option, rect.adjusted(_SIDE + 2, 0, -_SIDE, 0), bar)
        painter.restore()


def _texts(painter: QPainter, option: QStyleOptionViewItem, rect: QRect, bar: Bar) -> None:
    theme = current_theme()
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.setFont(mono_font())
    wide = painter.fontMetrics().horizontalAdvance(bar.value)
    painter.setPen(theme.colour("text"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignRight | middle, bar.value)
    rect.adjust(0, 0, -wide - 12, 0)
    painter.setFont(option.font)
    metrics = painter.fontMetrics()
    need = metrics.horizontalAdvance(bar.detail) if bar.detail else 0
    room = rect.width() - min(need + 12, round(rect.width() * _NARROW)) if need else rect.width()
    text = metrics.elidedText(bar.text, Qt.TextElideMode.ElideMiddle, room)
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | middle, text)
    used = metrics.horizontalAdvance(text) + 10
    if need and rect.width() - used > 24:
        rect.adjust(used, 0, 0, 0)
        painter.setPen(theme.mix("muted", "text", QUIET))
        detail = metrics.elidedText(bar.detail, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | middle, detail)
