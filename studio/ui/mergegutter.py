"""Between two panes of a merge: an arrow per change that takes one side's lines."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from studio.model.merge import Choice
from studio.ui.icons import icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from studio.ui.mergerows import Part


_first = attrgetter("first")


class MergeGutter(QWidget):
    """Takes the lines of one side at a click; lit where they are taken."""

    taken = Signal(int)

    def __init__(
        self, side: Choice, arrow: str, tip: str, row_rect: Callable[[int], QRect], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._side = side
        self._arrow = arrow
        self._tip = tip
        self._row_rect = row_rect
        self._parts: Sequence[Part] = ()
        self.current = -1
        self.setFixedWidth(26)
        self.setAccessibleName(tip)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show these changes."""
        self._parts = parts
        self.update()

    def buttons(self) -> list[tuple[int, QRect]]:
        """The changes in view, each with the place of its arrow."""
        found: list[tuple[int, QRect]] = []
        start = self.mapTo(self.window(), QRect().topLeft()).y()
        top_line = self._row_rect(1)
        row = (start - top_line.top()) // max(top_line.height(), 1)
        for number in range(bisect_left(self._parts, row, key=_first), len(self._parts)):
            line = self._row_rect(self._parts[number].first + 1)
            top = line.top() - start
            if top >= self.height():
                break
            if -line.height() < top < self.height():
                found.append((number, QRect(3, top, self.width() - 6, line.height())))
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the arrows."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, place in self.buttons():
            taken = self._parts[number].choice in (self._side, Choice.BOTH)
            if taken or number == self.current:
                fill = theme.colour("ok" if taken else "accent")
                fill.setAlphaF(0.3)
                painter.setBrush(fill)
                painter.drawRoundedRect(QRectF(place), 3, 3)
            edge = min(place.height(), 16)
            box = QRect(0, 0, edge, edge)
            box.moveCenter(place.center())
            icon(self._arrow, "ok" if taken else "muted").paint(painter, box)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the lines of this side."""
        for number, place in self.buttons():
            if place.contains(event.position().toPoint()):
                self.taken.emit(number)
                return

    def event(self, event: QEvent) -> bool:
        """Explain the arrow under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            if any(place.contains(event.pos()) for _, place in self.buttons()):
                QToolTip.showText(event.globalPos(), self._tip, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)
