"""The whole trace in a narrow strip: how busy it is over time, and the part in view as a brush."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from plugins.timeline.ui.bands import band_columns
from plugins.timeline.ui.overlay import mark_colour
from plugins.timeline.ui.painting import paint, shade
from plugins.timeline.ui.raster import grid
from plugins.timeline.ui.viewport import Viewport
from studio.i18n import tr

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QWheelEvent

    from plugins.timeline.ui.state import TimelineState

HEIGHT = 44
_MOST_ROWS = 14
_GRIP = 6


class Minimap(QWidget):
    """Drag the brush to pan, its edges to zoom; drag elsewhere to choose what to see."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._pixels: NDArray[np.uint32] | None = None
        self._grip = ""
        self._last = 0.0
        self._anchor = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Overview of the whole trace"))
        self.setToolTip(
            tr("The whole trace. Drag the frame to move, its edges to zoom, elsewhere to choose")
        )
        state.view_changed.connect(self._view_changed)
        state.selection_changed.connect(self.update)
        state.decoration_changed.connect(self.update)
        state.palette_changed.connect(self._renew)
        self._bounds = state.bounds

    def sizeHint(self) -> QSize:
        """Take the full width."""
        return QSize(400, HEIGHT)

    def whole(self) -> Viewport:
        """The view of the whole trace over the strip."""
        start, end = self._state.bounds
        return Viewport.over(start, end, self.width(), margin=0.004)

    # -- painting -----------------------------------------------------------------------------
    def prepare(self) -> NDArray[np.uint32]:
        """Draw the strip, unless that was done for this width."""
        if self._pixels is None or self._pixels.shape[1] != self._columns():
            self._pixels = self._draw_rows()
        return self._pixels

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the strip, then the brush."""
        ratio = self.devicePixelRatioF()
        pixels = self.prepare()
        image = QImage(
            pixels.data,
            pixels.shape[1],
            pixels.shape[0],
            pixels.strides[0],
            QImage.Format.Format_RGB32,
        )
        image.setDevicePixelRatio(ratio)
        painter = QPainter(self)
        painter.drawImage(0, 0, image)
        colour = self._state.palette.colour
        left, right = self._brush()
        veil = colour("surface", 0.5)
        painter.fillRect(QRectF(0, 0, left, HEIGHT), veil)
        painter.fillRect(QRectF(right, 0, self.width() - right, HEIGHT), veil)
        whole = self.whole()
        bands = self._state.bands
        for first, stop in () if bands is None else band_columns(bands, whole, self.width()):
            painter.fillRect(QRectF(first, 0, stop - first, 4), colour("info"))
        for chosen, token in ((self._state.shared, "info"), (self._state.range, "accent")):
            if chosen is not None and (bands is None or token == "accent"):
                x, end = whole.x(chosen[0]), whole.x(chosen[1])
                painter.fillRect(QRectF(x, 0, max(end - x, 2), 4), colour(token))
        for mark in self._state.marks.all:
            x, end = whole.x(mark.start), whole.x(mark.end)
            painter.fillRect(QRectF(x, 0, max(end - x, 2), 4), mark_colour(self._state, mark))
        for x in self._hit_columns(whole):
            painter.fillRect(QRectF(x, HEIGHT - 6, 1.5, 5), colour("warn"))
        frame = QRectF(left + 0.5, 0.5, max(right - left - 1, 2), HEIGHT - 2)
        painter.setPen(QPen(colour("accent"), 1))
        painter.drawRect(frame)
        if right - left > 3 * _GRIP:
            painter.setPen(QPen(colour("accent"), 3))
            for x in (frame.left(), frame.right()):
                painter.drawLine(QLineF(x, HEIGHT / 2 - 6, x, HEIGHT / 2 + 6))
        painter.setPen(colour("line"))
        painter.drawLine(0, HEIGHT - 1, self.width(), HEIGHT - 1)
        painter.end()

    def _draw_rows(self) -> NDArray[np.uint32]:
        """Draw the first row of each lane; of many lanes those that are busiest."""
        state, ratio = self._state, self.devicePixelRatioF()
        width, height = self._columns(), round(HEIGHT * ratio)
        ground = np.uint32(state.palette.theme.colour("bg").rgb())
        pixels = np.full((height, width), ground, np.uint32)
        columns = grid(self.whole().scaled(ratio), width)
        tracks = [t for g in state.scene.groups for t in g.tracks if t.kind == "slices"]
        if len(tracks) > _MOST_ROWS:
            rows = state.scene.rows
            busy = [
                int(rows.covered[rows.last[t.first_row]] - rows.covered[rows.first[t.first_row]])
                for t in tracks
            ]
            kept = sorted(np.argsort(busy)[-_MOST_ROWS:].tolist())
            tracks = [tracks[number] for number in kept]
        top, room = 5 * ratio, (HEIGHT - 10) * ratio
        if not tracks:
            return pixels
        rows = state.scene.rows
        picture = paint(rows, [t.first_row for t in tracks], columns, [False] * len(tracks))
        colours = shade(picture, state.palette.table, compiled=rows.cells is not None)
        for number in range(len(tracks)):
            first = round(top + room * number / len(tracks))
            last = max(round(top + room * (number + 1) / len(tracks)) - 1, first + 1)
            np.copyto(pixels[first:last], colours[number], where=picture.slots[number] != 0)
        return pixels

    def _columns(self) -> int:
        return max(round(self.width() * self.devicePixelRatioF()), 1)

    def _hit_columns(self, whole: Viewport) -> list[int]:
        """The pixels in which a search found something."""
        hits = self._state.hits
        if hits is None or not hits.by_time.size:
            return []
        starts = self._state.scene.rows.start[hits.by_time]
        edges = np.array([whole.time(x) for x in range(self.width() + 1)], np.int64)
        places = np.searchsorted(starts, edges)
        return np.flatnonzero(np.diff(places)).tolist()

    def _view_changed(self) -> None:
        if self._bounds != self._state.bounds:
            self._bounds = self._state.bounds
            self._pixels = None
        self.update()

    def _renew(self) -> None:
        self._pixels = None
        self.update()

    # -- pointer ------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the brush, an edge of it, or begin a new one."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._last = event.position().x()
        self._grip = self._grip_at(self._last)
        self._anchor = self.whole().nearest(self._last)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the brush or its edge."""
        x = event.position().x()
        state, whole = self._state, self.whole()
        if not self._grip:
            self.setCursor(_SHAPES[self._grip_at(x)])
            return
        start, end = state.shown()
        time = whole.nearest(x)
        if self._grip == "brush":
            step = (x - self._last) * whole.scale / state.viewport.scale
            state.show_view(state.viewport.panned(step))
        elif self._grip == "left" and time < end:
            state.show_view(state.around(time, end, 0.0))
        elif self._grip == "right" and time > start:
            state.show_view(state.around(start, time, 0.0))
        elif self._grip == "new" and abs(x - self._last) > 2:
            low, high = sorted((self._anchor, time))
            state.show_view(state.around(low, high, 0.0))
            return
        self._last = x

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; a click beside the brush brings it there."""
        if self._grip == "new" and abs(event.position().x() - self._last) <= 2:
            start, end = self._state.shown()
            middle = self.whole().nearest(event.position().x())
            step = (middle - (start + end) / 2) / self._state.viewport.scale
            self._state.show_view(self._state.viewport.panned(step))
        self._grip = ""

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show the whole trace."""
        self._state.show_view(self._state.whole())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer's time."""
        notches = event.angleDelta().y() / 120
        time = self.whole().nearest(event.position().x())
        x = min(max(self._state.viewport.x(time), 0.0), float(self._state.width))
        self._state.show_view(self._state.viewport.zoomed(1.25**-notches, x))

    def _brush(self) -> tuple[float, float]:
        start, end = self._state.shown()
        whole = self.whole()
        left, right = max(whole.x(start), 0.0), min(whole.x(end), float(self.width()))
        return left, max(right, left + 3)

    def _grip_at(self, x: float) -> str:
        left, right = self._brush()
        if right - left > 3 * _GRIP:
            if abs(x - left) <= _GRIP:
                return "left"
            if abs(x - right) <= _GRIP:
                return "right"
        elif left - _GRIP <= x <= right + _GRIP:
            return "brush"
        return "brush" if left < x < right else "new"


_SHAPES = {
    "left": Qt.CursorShape.SizeHorCursor,
    "right": Qt.CursorShape.SizeHorCursor,
    "brush": Qt.CursorShape.OpenHandCursor,
    "new": Qt.CursorShape.CrossCursor,
}
