"""The network in the order of the run as a ribbon: how large errors are, and where they arise."""

from __future__ import annotations

from math import inf, isfinite, log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from plugins.precision.core.align.change import Change
from plugins.precision.core.words import change_word, word
from plugins.precision.ui.rows import look
from studio.i18n import tr
from studio.ui.text import format_number
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.precision.core.network import Point

_HEIGHT = 84
_CAPTION = 20
_SIDE = 10
_LEAST = -8.0
_STRUCTURE = frozenset((Change.INSERTED, Change.REMOVED, Change.REORDERED, Change.REPLACED))


class Ribbon(QWidget):
    """One bar per call: pale what comes out wrong, full what the call adds itself, on a log scale.

    A click or the arrow keys choose a call; `chosen` tells its row.
    """

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: Sequence[Point] = ()
        self._now = -1
        self._picture: QPixmap | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Error along the network"))
        self.setAccessibleDescription(
            tr("Bars in the order of the run; arrow keys go from call to call")
        )

    def set_points(self, points: Sequence[Point]) -> None:
        """Show the calls of a run."""
        self._points, self._now, self._picture = points, -1, None
        self.update()

    def mark(self, row: int) -> None:
        """Mark the call whose row this is, or the last one before it."""
        before = [n for n, point in enumerate(self._points) if point.row <= row]
        self._now = before[-1] if before else -1
        self.update()

    def marked(self) -> Point | None:
        """The call that is marked."""
        return self._points[self._now] if 0 <= self._now < len(self._points) else None

    def sizeHint(self) -> QSize:
        """A flat strip."""
        return QSize(400, _HEIGHT)

    def place_of(self, number: int) -> float:
        """Where the middle of a call's bar is."""
        return _SIDE + (number + 0.5) * self._step()

    def tip(self, number: int) -> str:
        """What is said about a call."""
        point = self._points[number]
        lines = [point.call]
        if point.module:
            lines.append(tr("in {module}", module=point.module))
        verdict = word(point.status)
        if point.change is not Change.SAME:
            verdict = f"{verdict} · {change_word(point.change)}"
        lines.append(verdict)
        lines.append(tr("Relative error {error}", error=format_number(point.error)))
        lines.append(tr("of which added here {error}", error=format_number(point.added)))
        return "\n".join(lines)

    # -- pointer and keys -------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer."""
        if isinstance(event, QHelpEvent):
            number = self._at(event.pos().x())
            if number >= 0:
                QToolTip.showText(event.globalPos(), self.tip(number), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a call."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from call to call."""
        last = len(self._points) - 1
        match event.key():
            case Qt.Key.Key_Left:
                self._choose(max(self._now - 1, 0))
            case Qt.Key.Key_Right:
                self._choose(min(self._now + 1, last))
            case Qt.Key.Key_Home:
                self._choose(0)
            case Qt.Key.Key_End:
                self._choose(last)
            case _:
                super().keyPressEvent(event)

    def _choose(self, number: int) -> None:
        if 0 <= number < len(self._points):
            self._now = number
            self.update()
            self.chosen.emit(self._points[number].row)

    def _at(self, x: float) -> int:
        """The call at a place; where several share a pixel, the one that adds most."""
        if not self._points:
            return -1
        step = self._step()
        first = min(max(int((x - _SIDE) / step), 0), len(self._points) - 1)
        last = max(min(int((x + 1 - _SIDE) / step), len(self._points) - 1), first)
        if last == first or step >= 1:
            return first
        return max(range(first, last + 1), key=lambda n: self._points[n].added)

    def _step(self) -> float:
        return (self.width() - 2 * _SIDE) / max(len(self._points), 1)

    # -- painting -----------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bars, from a picture that is kept, and the mark on them."""
        theme = current_theme()
        ratio = self.devicePixelRatioF()
        if self._picture is None:
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            with QPainter(self._picture) as kept:
                kept.setFont(self.font())
                self._draw_bars(kept)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        if 0 <= self._now < len(self._points):
            x = self.place_of(self._now)
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawLine(round(x), _CAPTION - 2, round(x), self.height() - 1)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw for another width."""
        super().resizeEvent(event)
        self._picture = None

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._picture = None
            self.update()

    def _draw_bars(self, painter: QPainter) -> None:
        theme = current_theme()
        painter.fillRect(self.rect(), theme.colour("surface"))
        self._draw_caption(painter)
        floor = self.height() - 9.0
        step = self._step()
        wide = max(step - (1.0 if step >= 4 else 0.0), 1.0)
        highest = max((point.error for point in self._points if isfinite(point.error)), default=1)
        top = max(log10(highest) if highest > 0 else 0.0, -2.0)
        for number, point in enumerate(self._points):
            x = _SIDE + number * step
            colour = theme.colour(look(point.status)[1])
            base = theme.colour("line") if not point.error else colour
            painter.fillRect(QRectF(x, floor, wide, 2), base)
            pale = theme.colour(look(point.status)[1])
            pale.setAlphaF(0.38)
            for value, brush in ((point.error, pale), (point.added, colour)):
                high = _share(value, top) * (floor - _CAPTION)
                if high:
                    painter.fillRect(QRectF(x, floor - high, wide, high), brush)
            if point.change in _STRUCTURE:
                painter.fillRect(QRectF(x, floor + 3, max(wide, 3.0), 4), theme.colour("info"))

    def _draw_caption(self, painter: QPainter) -> None:
        """Say what the bars mean."""
        theme = current_theme()
        metrics = painter.fontMetrics()
        x = float(_SIDE)
        parts = [(tr("Error along the network"), "", 1.0), (tr("added by the call"), "error", 1.0)]
        parts.append((tr("carried in"), "error", 0.38))
        if any(point.change in _STRUCTURE for point in self._points):
            parts.append((tr("inserted, removed, moved or replaced call"), "info", 1.0))
        for text, token, alpha in parts:
            if token:
                colour = theme.colour(token)
                colour.setAlphaF(alpha)
                painter.fillRect(QRectF(x, 6, 8, 8), colour)
                x += 13
            painter.setPen(theme.colour("muted"))
            painter.drawText(QPointF(x, 14.0), text)
            x += metrics.horizontalAdvance(text) + 18


def _share(value: float, top: float) -> float:
    """How high a value stands between 1e-8 and the highest."""
    if value == inf or value != value:
        return 1.0
    if value <= 0:
        return 0.0
    return min(max((log10(value) - _LEAST) / (top - _LEAST), 0.03), 1.0)
