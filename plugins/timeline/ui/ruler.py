"""The time ruler above the lanes: ticks, the selected range with its length, marks, the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QPainter, QPolygonF
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.overlay import mark_colour
from studio.i18n import tr
from studio.ui.timeaxis import UNITS, Axis, exact, make_axis

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPaintEvent

    from plugins.timeline.ui.state import TimelineState

HEIGHT = 34
_EDGE = 5


class Ruler(QWidget):
    """Shows the time axis; dragging on it selects a stretch of time."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._anchor: int | None = None
        self.unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName(tr("Time ruler"))
        self.setToolTip(
            tr("Drag to select a stretch of time; click to clear it; right click for the unit")
        )
        for signal in (
            state.view_changed,
            state.selection_changed,
            state.decoration_changed,
            state.hover_changed,
            state.palette_changed,
        ):
            signal.connect(self.update)

    def sizeHint(self) -> QSize:
        """Take the full width."""
        return QSize(400, HEIGHT)

    def axis(self) -> Axis:
        """The ticks for what is shown."""
        start, end = self._state.shown()
        return make_axis(self._state.scene.start, start, end, self._state.width, self.unit)

    def set_unit(self, unit: str) -> None:
        """Write times in one unit ("ns", "µs", "ms", "s"), or in the one that suits ("")."""
        self.unit = unit
        self.update()

    # -- painting -----------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ruler."""
        painter = QPainter(self)
        painter.setFont(label_font())
        colour = self._state.palette.colour
        painter.fillRect(self.rect(), colour("surface"))
        self._draw_ticks(painter, self.axis())
        self._draw_ranges(painter)
        painter.setPen(colour("line"))
        painter.drawLine(0, HEIGHT - 1, self.width(), HEIGHT - 1)
        self._draw_cursor(painter)
        painter.end()

    def _draw_ticks(self, painter: QPainter, axis: Axis) -> None:
        view, colour = self._state.viewport, self._state.palette.colour
        start, end = self._state.shown()
        painter.setPen(colour("line"))
        part = axis.step / axis.parts
        for tick in axis.ticks(start - axis.step, end):
            for number in range(1, axis.parts):
                x = view.x(tick) + number * part / view.scale
                painter.drawLine(QPointF(x, HEIGHT - 5), QPointF(x, HEIGHT - 2))
        for tick in axis.ticks(start - axis.step, end):
            x = view.x(tick)
            painter.setPen(colour("muted", 0.7))
            painter.drawLine(QPointF(x, HEIGHT - 10), QPointF(x, HEIGHT - 2))
            painter.setPen(colour("muted"))
            painter.drawText(QPointF(x + 4, HEIGHT - 7), axis.label(tick))

    def _draw_ranges(self, painter: QPainter) -> None:
        state = self._state
        for mark in state.marks:
            colour = mark_colour(state, mark)
            left, right = state.viewport.x(mark.start), state.viewport.x(mark.end)
            painter.fillRect(QRectF(left, 0, max(right - left, 2), 4), colour)
            flag = QPolygonF(
                [
                    QPointF(left, 0),
                    QPointF(left + 9, 0),
                    QPointF(left + 6, 4.5),
                    QPointF(left + 9, 9),
                    QPointF(left, 9),
                ]
            )
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon(flag)
        chosen = state.range
        if chosen is not None:
            self._draw_range(painter, *chosen)

    def _draw_range(self, painter: QPainter, start: int, end: int) -> None:
        state, colour = self._state, self._state.palette.colour
        left, right = state.viewport.x(start), state.viewport.x(end)
        band = QRectF(left, 0, right - left, HEIGHT - 1)
        painter.fillRect(band, colour("accent", 0.22))
        painter.setPen(colour("accent"))
        painter.drawLine(band.topLeft(), band.bottomLeft())
        painter.drawLine(band.topRight(), band.bottomRight())
        text = exact(end - start)
        wide = QFontMetrics(painter.font()).horizontalAdvance(text) + 12
        middle = (max(left, 0.0) + min(right, self.width())) / 2
        if right < 0 or left > self.width():
            return
        x = min(max(middle - wide / 2, 2.0), max(self.width() - wide - 2.0, 2.0))
        box = QRectF(x, 1, wide, 15)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("accent"))
        painter.drawRoundedRect(box, 3, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(colour("on_accent"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_cursor(self, painter: QPainter) -> None:
        state, colour = self._state, self._state.palette.colour
        if state.cursor is None or self._anchor is not None:
            return
        x = state.viewport.x(state.cursor)
        text = exact(state.cursor - state.scene.start)
        wide = QFontMetrics(painter.font()).horizontalAdvance(text) + 10
        box = QRectF(min(max(x - wide / 2, 1), self.width() - wide - 1), HEIGHT - 18, wide, 16)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colour("line"))
        painter.setBrush(colour("raised"))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(colour("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    # -- pointer ------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a range, or take hold of an edge of the present one."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        held = self._edge_at(x)
        if held is not None and self._state.range is not None:
            start, end = self._state.range
            self._anchor = end if held == start else start
            return
        self._anchor = self._state.viewport.nearest(x)
        self._state.select_range(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the range out, or follow the pointer."""
        x = event.position().x()
        time = self._state.viewport.nearest(x)
        self._state.hover(-1, time)
        if self._anchor is None:
            on_edge = self._edge_at(x) is not None
            self.setCursor(Qt.CursorShape.SizeHorCursor if on_edge else Qt.CursorShape.IBeamCursor)
        elif time != self._anchor:
            self._state.select_range((min(time, self._anchor), max(time, self._anchor)))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Keep the range."""
        self._anchor = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Zoom to the range."""
        if self._state.range is not None:
            self._state.show_view(self._state.around(*self._state.range))

    def leaveEvent(self, event: object) -> None:
        """Forget the pointer."""
        self._state.hover(-1, None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the units."""
        menu = QMenu(self)
        group = QActionGroup(menu)
        for unit, title in (("", tr("Unit that suits")), *((u, u) for u, _ in reversed(UNITS))):
            action = QAction(title, menu, checkable=True, checked=unit == self.unit)
            action.triggered.connect(lambda _checked, unit=unit: self.set_unit(unit))
            group.addAction(action)
            menu.addAction(action)
        menu.exec(event.globalPos())
        menu.deleteLater()

    def _edge_at(self, x: float) -> int | None:
        for edge in self._state.range or ():
            if abs(self._state.viewport.x(edge) - x) <= _EDGE:
                return edge
        return None
