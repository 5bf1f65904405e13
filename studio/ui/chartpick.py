"""The base of painted charts whose parts can be chosen: pointer, keys, tool tips, focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.ui.pictures import PictureMenu
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NONE = -1


class PickChart(QWidget):
    """A click or the arrow keys choose a part, double click or Enter open it.

    Parts are told by their number. A subclass paints them, says which one is at a place, describes
    one in words, and which one a key leads to.
    """

    chosen = Signal(int)
    opened = Signal(int)

    def __init__(self, name: str, empty: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.current = NONE
        self.empty = empty
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self.pictures = PictureMenu(self, lambda: self.table())

    # -- what a chart is made of --------------------------------------------------------------
    def count(self) -> int:
        """How many parts there are."""
        return 0

    def part_at(self, place: QPointF) -> int:
        """The part at a place, `NONE` where there is none."""
        return NONE

    def told(self, part: int) -> str:
        """A part in words."""
        return ""

    def next_by(self, key: int) -> int:
        """The part that a key leads to from the current one: by default the neighbours in order."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        match key:
            case Qt.Key.Key_Home:
                return 0
            case Qt.Key.Key_End:
                return self.count() - 1
        move = step.get(Qt.Key(key), 0)
        return self.current + move if move else NONE

    def table(self) -> Iterable[Sequence[object]]:
        """A heading and the numbers of every part, for files: by default the parts in words."""
        yield ("part",)
        for part in range(self.count()):
            yield (" · ".join(self.told(part).splitlines()),)

    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Paint the parts that touch a rectangle."""

    # -- what all have in common --------------------------------------------------------------
    def set_current(self, part: int) -> None:
        """Mark a part, without telling of it."""
        self.current = part if 0 <= part < self.count() else NONE
        known = self.current != NONE
        self.setAccessibleDescription(self.told(part) if known else "")
        self.update()

    def choose(self, part: int) -> None:
        """Mark a part and tell of it."""
        if 0 <= part < self.count():
            self.set_current(part)
            self.chosen.emit(part)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chart, or what would fill it, and a frame while it has the focus."""
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(event.rect(), theme.colour("bg"))
        if self.count():
            self.draw(painter, QRectF(event.rect()))
        else:
            painter.setPen(theme.colour("muted"))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(14, 4, -14, -4), flags, self.empty)
        if self.hasFocus():
            painter.setPen(theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell the part under the pointer."""
        if isinstance(event, QHelpEvent):
            part = self.part_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self.told(part) if part != NONE else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a part."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.choose(self.part_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open a part."""
        part = self.part_at(event.position())
        if part != NONE and event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit(part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from part to part; Enter opens the current one."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current != NONE:
            self.opened.emit(self.current)
            return
        following = self.next_by(event.key())
        if 0 <= following < self.count():
            self.choose(following)
        else:
            super().keyPressEvent(event)
