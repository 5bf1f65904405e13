"""Between the two panes of a comparison: the changes joined, and what was decided about each."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from studio.i18n import tr
from studio.ui.icons import icon
from studio.ui.text import with_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from studio.ui.difflines import Alignment

_BUTTON = 20


class Decision(Enum):
    """What a user said about a change. MIXED: its parts were decided differently."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    MIXED = "mixed"


class Gutter(QWidget):
    """Joins the two sides of each change, and holds its two buttons."""

    decided = Signal(int, Decision)
    clicked = Signal(int)
    linked = Signal(int)
    """The row of the other end of a move was asked for."""

    def __init__(self, row_rect: Callable[[int], QRect], parent: QWidget) -> None:
        super().__init__(parent)
        self._row_rect = row_rect
        self._alignment: Alignment | None = None
        self._decisions: Sequence[Decision | None] = ()
        self._hovered: tuple[int, Decision] | None = None
        self._links: Mapping[int, tuple[int, str]] = {}
        self.current = -1
        self.notes = 0
        """So many lines of notes stand between the rows."""
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Changes, side by side"))
        self.setFixedWidth(12)

    def show_changes(
        self, alignment: Alignment, decisions: Sequence[Decision | None] | None
    ) -> None:
        """Show these changes; without decisions there are no buttons."""
        self._alignment = alignment
        self._decisions = decisions or ()
        self._fit()

    def set_links(self, links: Mapping[int, tuple[int, str]]) -> None:
        """Offer to go from these rows to others, with a text each."""
        self._links = links
        self._fit()

    def _fit(self) -> None:
        wide = 2 * _BUTTON + 6 if self._decisions else 12
        self.setFixedWidth(max(wide, _BUTTON + 4) if self._links else wide)
        self.update()

    def visible_changes(self) -> list[tuple[int, QRect]]:
        """The changes in view with the place of each."""
        if self._alignment is None:
            return []
        height = max(self._row_rect(1).height(), 1)
        first = max(-self._row_rect(1).top() // height - self.notes, 0)
        last = first + self.notes + self.height() // height + 1
        seen = {row.change for row in self._alignment.rows[first : last + 1]} - {-1}
        found: list[tuple[int, QRect]] = []
        for number in sorted(seen):
            change = self._alignment.changes[number]
            top = self._row_rect(change.first + 1).top()
            bottom = self._row_rect(change.last + 1).top() + height
            if bottom > 0 and top < self.height():
                found.append((number, QRect(0, top, self.width(), bottom - top)))
        return found

    def sizeHint(self) -> QSize:
        """As wide as two buttons."""
        return QSize(self.width(), 100)

    # -- painting -------------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a band per change, and its buttons."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        for number, place in self.visible_changes():
            decision = self._decisions[number] if self._decisions else Decision.OPEN
            rejected = decision is Decision.REJECTED
            band = theme.tokens["raised"] if rejected else theme.diff[self._kind(number)]
            painter.fillRect(place, QColor(band))
            if number == self.current:
                painter.fillRect(QRect(0, place.top(), 2, place.height()), theme.colour("accent"))
                right = QRect(self.width() - 2, place.top(), 2, place.height())
                painter.fillRect(right, theme.colour("accent"))
            if decision is not None and self._decisions:
                self._paint_buttons(painter, number, place, decision)
        for _, place in self._visible_links():
            icon("swap", "text").paint(painter, place)
        painter.end()

    def _paint_buttons(
        self, painter: QPainter, number: int, place: QRect, decision: Decision
    ) -> None:
        theme = current_theme()
        height = max(self._row_rect(1).height(), 1)
        for which, name, token in (
            (Decision.ACCEPTED, "accept", "ok"),
            (Decision.REJECTED, "reject", "error"),
        ):
            box = self._button(place, which, height)
            on = decision in (which, Decision.MIXED)
            if on or self._hovered == (number, which):
                painter.setPen(Qt.PenStyle.NoPen)
                fill = theme.colour(token) if on else theme.colour("hover")
                fill.setAlphaF(0.25 if on else 1.0)
                painter.setBrush(fill)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.drawRoundedRect(QRectF(box).adjusted(1, 0.5, -1, -0.5), 3, 3)
            edge = min(box.height() - 2, 14)
            middle = QRect(0, 0, edge, edge)
            middle.moveCenter(box.center())
            icon(name, token if on else "muted").paint(painter, middle)

    def _visible_links(self) -> list[tuple[int, QRect]]:
        found: list[tuple[int, QRect]] = []
        for row in self._links:
            line = self._row_rect(row + 1)
            if -line.height() < line.top() < self.height():
                edge = min(line.height(), 16)
                place = QRect(0, 0, edge, edge)
                place.moveCenter(QRect(0, line.top(), self.width(), line.height()).center())
                found.append((row, place))
        return found

    def _button(self, place: QRect, which: Decision, height: int) -> QRect:
        left = 3 if which is Decision.ACCEPTED else 3 + _BUTTON
        return QRect(left, place.top(), _BUTTON, height)

    def _kind(self, number: int) -> str:
        assert self._alignment is not None
        return self._alignment.changes[number].kind

    # -- mouse ----------------------------------------------------------------------------------
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up the button under the mouse."""
        hovered = self._at(event.position().toPoint().x(), event.position().toPoint().y())
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def leaveEvent(self, _event: QEvent) -> None:
        """Nothing is under the mouse any more."""
        self._hovered = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Decide, or take a decision back; elsewhere in a band, go to the change."""
        place = event.position().toPoint()
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if found := self._at(place.x(), place.y()):
            number, which = found
            again = self._decisions[number] is which
            self.decided.emit(number, Decision.OPEN if again else which)
            return
        for row, box in self._visible_links():
            if box.contains(place):
                self.linked.emit(self._links[row][0])
                return
        for number, band in self.visible_changes():
            if band.contains(place):
                self.clicked.emit(number)

    def event(self, event: QEvent) -> bool:
        """Explain the button under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self._at(event.pos().x(), event.pos().y())
            if found:
                accept = found[1] is Decision.ACCEPTED
                text = with_keys(tr("Accept"), "A") if accept else with_keys(tr("Reject"), "R")
                QToolTip.showText(event.globalPos(), text, self)
            elif said := [t for t in self._visible_links() if t[1].contains(event.pos())]:
                text = with_keys(self._links[said[0][0]][1], "M")
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _at(self, x: int, y: int) -> tuple[int, Decision] | None:
        if not self._decisions:
            return None
        height = max(self._row_rect(1).height(), 1)
        for number, place in self.visible_changes():
            if self._decisions[number] is None:
                continue
            for which in (Decision.ACCEPTED, Decision.REJECTED):
                if self._button(place, which, height).contains(x, y):
                    return number, which
        return None
