"""All changes of a comparison at a glance, beside its panes."""

from __future__ import annotations

from bisect import bisect_left
from math import floor
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from studio.i18n import tr
from studio.ui.diffgutter import Decision
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent, QWheelEvent

    from studio.ui.difflines import Alignment, Change

_LATER_MS = 250


class Ribbon(QWidget):
    """All changes of a text at a glance, and the part that is in view; click to go there."""

    jumped = Signal(int)
    scrolled = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._alignment: Alignment | None = None
        self._decisions: Sequence[Decision | None] = ()
        self._view = (0, 1)
        self._picture: QPixmap | None = None
        self._drawn: tuple[object, ...] = ()
        self._later = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._later.timeout.connect(self._draw_anew)
        self.current = -1
        self.setFixedWidth(14)
        self.setToolTip(tr("All changes; click to go there"))
        self.setAccessibleName(self.toolTip())

    def show_changes(
        self, alignment: Alignment, decisions: Sequence[Decision | None] | None
    ) -> None:
        """Show these changes."""
        self._alignment = alignment
        self._decisions = decisions or ()
        self._picture = None
        self.update()

    def show_change(self, alignment: Alignment, number: int) -> None:
        """Show that one change is another now, at once; its neighbours may move a little later."""
        self._alignment = alignment
        if self._picture is not None and self._drawn == self._state():
            scale = self._scale()
            change = alignment.changes[number]
            painter = QPainter(self._picture)
            painter.fillRect(self._place(change, scale), self._colour(number, change))
            painter.end()
            self._later.start()
        self.update()

    def _draw_anew(self) -> None:
        self._picture = None
        self.update()

    def show_view(self, first: int, count: int) -> None:
        """Show which rows are in view."""
        self._view = (first, count)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a mark per change, at least two pixels high, and the part in view."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("surface"))
        if self._alignment is not None:
            scale = self._scale()
            top, rows = self._view[0] * scale, self._view[1] * scale
            view = QRectF(0, top, self.width(), max(rows, 4))
            painter.fillRect(view, theme.colour("hover"))
            painter.drawPixmap(0, 0, self._marks())
            if 0 <= self.current < len(self._alignment.changes):
                place = self._place(self._alignment.changes[self.current], scale)
                painter.setPen(theme.colour("text"))
                painter.drawRect(place.adjusted(-2, -1.5, 1, 0.5))
        painter.end()

    def _marks(self) -> QPixmap:
        """All marks as one picture, drawn anew only when they change."""
        ratio = self.devicePixelRatioF()
        state = self._state()
        if self._picture is None or self._drawn != state:
            self._drawn = state
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            scale = self._scale()
            for number, change in self._drawable(scale):
                painter.fillRect(self._place(change, scale), self._colour(number, change))
            painter.end()
            self._picture = picture
        return self._picture

    def _state(self) -> tuple[object, ...]:
        return self.size(), self.devicePixelRatioF(), current_theme().name

    def _drawable(self, scale: float) -> Iterator[tuple[int, Change]]:
        """The changes that make the picture: of those in one pixel's row the first and the last.

        The changes come in order, so that none of the others reaches beyond that pixel.
        """
        changes = self._alignment.changes if self._alignment is not None else ()
        at = 0
        while at < len(changes):
            yield at, changes[at]
            pixel = floor(changes[at].first * scale)
            after = bisect_left(changes, (pixel + 1) / scale, at + 1, key=attrgetter("first"))
            if after - 1 > at:
                yield after - 1, changes[after - 1]
            at = after

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the change at the mouse, or to that part of the text."""
        if self._alignment is None:
            return
        scale = self._scale()
        y = event.position().y()
        for number, change in enumerate(self._alignment.changes):
            if self._place(change, scale).adjusted(0, -2, 0, 2).contains(self.width() / 2, y):
                self.jumped.emit(number)
                return
        self._scroll_to(y)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scroll along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scroll_to(event.position().y())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panes."""
        event.ignore()

    def _scroll_to(self, y: float) -> None:
        self.scrolled.emit(round(y / self._scale() - self._view[1] / 2))

    def _scale(self) -> float:
        """Pixels per row; short texts are not stretched."""
        rows = len(self._alignment.rows) if self._alignment is not None else 1
        return min(self.height() / max(rows, 1), 16.0)

    def _place(self, change: Change, scale: float) -> QRectF:
        rows = change.last - change.first + 1
        return QRectF(4, change.first * scale, self.width() - 7, max(rows * scale - 1, 2))

    def _colour(self, number: int, change: Change) -> QColor:
        theme = current_theme()
        decision = self._decisions[number] if self._decisions else Decision.OPEN
        if decision is Decision.REJECTED:
            return theme.mix("surface", "muted", 0.5)
        return theme.colour({"added": "ok", "removed": "error", "changed": "info"}[change.kind])
