"""One picture of a slice: coloured cells, a colour bar, a cursor; zoomed by wheel and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from plugins.precision.core.tensors.planes import Window
from plugins.precision.ui.tensor.heatpaint import (
    FOOT,
    HEAD,
    SIDE,
    draw_bar,
    draw_numbers,
    draw_place,
    draw_title,
)
from plugins.precision.ui.tensor.scale import Scale, colours, odd_counts
from plugins.precision.ui.tensor.zoom import panned, zoomed
from studio.i18n import tr
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plugins.precision.core.tensors.planes import Planes

Place = tuple[int, int]

_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class HeatMap(QWidget):
    """Shows cells of one tensor, or of the difference of two."""

    hovered = Signal(object)
    """The element under the pointer or the keyboard's cursor: (row, column) of the slice, None."""
    chosen = Signal(object)
    """An element that was clicked."""
    window_wanted = Signal(object)
    """Another part of the slice, after zooming or moving."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.note = title, ""
        self.window_shown = Window(0, 0, 1, 1)
        self._planes: Planes | None = None
        self._cells: NDArray[np.float64] | None = None
        self._scale = Scale(0.0, signed=True)
        self._image = QImage()
        self._cursor: Place | None = None
        self._marked: Place | None = None
        self._dragged: QPointF | None = None
        self.setMinimumSize(120, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(title)
        self.setAccessibleDescription(
            tr("Arrow keys move the cursor, + and − zoom, Home shows the whole slice")
        )

    # -- what is shown ------------------------------------------------------------------------
    def show_cells(self, planes: Planes, cells: NDArray[np.float64] | None, scale: Scale) -> None:
        """Show a picture; the whole of what was read is in view."""
        self._planes, self._cells, self._scale = planes, cells, scale
        self.window_shown = planes.window
        self._colour()

    def show_window(self, window: Window) -> None:
        """Show another part of the picture that is there, until one of its own arrives."""
        self.window_shown = window
        self.update()

    def set_cursor(self, place: Place | None) -> None:
        """Show where the pointer is in another picture."""
        if place != self._cursor:
            self._cursor = place
            self.update()

    def mark(self, place: Place | None) -> None:
        """Mark an element."""
        self._marked = place
        self.update()

    @property
    def cells(self) -> NDArray[np.float64] | None:
        """The numbers that are shown."""
        return self._cells

    @property
    def scale(self) -> Scale:
        """What the colours mean."""
        return self._scale

    def sizeHint(self) -> QSize:
        """Room for a picture."""
        return QSize(340, 300)

    # -- places -------------------------------------------------------------------------------
    def area(self) -> QRectF:
        """Where the cells are drawn."""
        return QRectF(
            SIDE,
            HEAD,
            max(self.width() - 2 * SIDE, 1),
            max(self.height() - HEAD - FOOT, 1),
        )

    def cells_that_fit(self) -> tuple[int, int]:
        """How many rows and columns of cells can be told apart."""
        area, ratio = self.area(), self.devicePixelRatioF()
        return (
            min(max(int(area.height() * ratio) // 2, 1), 512),
            min(max(int(area.width() * ratio) // 2, 1), 512),
        )

    def place_at(self, point: QPointF) -> Place | None:
        """The element under a point, None outside."""
        area, window = self.area(), self.window_shown
        if self._cells is None or not area.contains(point):
            return None
        down = (point.y() - area.top()) / area.height() * (window.bottom - window.top)
        across = (point.x() - area.left()) / area.width() * (window.right - window.left)
        row, column = window.top + int(down), window.left + int(across)
        return min(row, window.bottom - 1), min(column, window.right - 1)

    def rect_of(self, top: int, left: int, bottom: int, right: int) -> QRectF:
        """Where a part of the slice is drawn."""
        area, window = self.area(), self.window_shown
        high = area.height() / max(window.bottom - window.top, 1)
        wide = area.width() / max(window.right - window.left, 1)
        return QRectF(
            area.left() + (left - window.left) * wide,
            area.top() + (top - window.top) * high,
            (right - left) * wide,
            (bottom - top) * high,
        )

    # -- pointer and keys ---------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose an element; a drag moves the picture."""
        place = self.place_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._dragged = event.position()
            self.chosen.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is under the pointer, or move the picture."""
        if self._dragged is not None and event.buttons() & Qt.MouseButton.LeftButton:
            area, window = self.area(), self.window_shown
            moved = event.position() - self._dragged
            rows = round(-moved.y() / area.height() * (window.bottom - window.top))
            columns = round(-moved.x() / area.width() * (window.right - window.left))
            if rows or columns:
                self._dragged = event.position()
                self.window_wanted.emit(panned(window, rows, columns))
            return
        self.hovered.emit(self.place_at(event.position()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """End a drag."""
        self._dragged = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show the whole slice."""
        self.window_wanted.emit(None)

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer is elsewhere."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer."""
        place = self.place_at(event.position())
        turned = event.angleDelta().y()
        if place is not None and turned:
            self.window_wanted.emit(zoomed(self.window_shown, place, 0.8 if turned > 0 else 1.25))
            event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor; zoom at it."""
        window = self.window_shown
        place = self._cursor or self._marked or (window.top, window.left)
        key = Qt.Key(event.key())
        if key in _STEPS and self._cells is not None:
            down, across = _STEPS[key]
            row = min(max(place[0] + down, window.top), window.bottom - 1)
            column = min(max(place[1] + across, window.left), window.right - 1)
            self.hovered.emit((row, column))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.window_wanted.emit(zoomed(window, place, 0.5))
        elif key == Qt.Key.Key_Minus:
            self.window_wanted.emit(zoomed(window, place, 2.0))
        elif key == Qt.Key.Key_Home:
            self.window_wanted.emit(None)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(place)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_image"):
            self._colour()

    # -- painting -----------------------------------------------------------------------------
    def _colour(self) -> None:
        self._image = QImage()
        if self._cells is not None and self._cells.size:
            pixels = colours(self._cells, self._scale, current_theme())
            high, wide = pixels.shape
            data = np.ascontiguousarray(pixels)
            self._image = QImage(data.data, wide, high, 4 * wide, QImage.Format.Format_RGB32).copy()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw title, cells, cursor and colour bar."""
        theme, area = current_theme(), self.area()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        draw_title(painter, self.width(), self.title, self.note)
        painter.fillRect(area, theme.colour("surface"))
        if self._image.isNull() or self._planes is None or self._cells is None:
            painter.setPen(theme.colour("muted"))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, tr("nothing to show"))
            painter.end()
            return
        painter.save()
        painter.setClipRect(area)
        painter.drawImage(self._rect_of_cells(self._planes), self._image)
        draw_numbers(painter, self._image, self._cells, self._planes, self.rect_of)
        for place, token, wide in ((self._marked, "accent", 2.0), (self._cursor, "text", 1.0)):
            if place is not None:
                rect = self.rect_of(place[0], place[1], place[0] + 1, place[1] + 1)
                draw_place(painter, rect, theme.colour(token), wide)
        painter.restore()
        painter.setPen(theme.colour("accent" if self.hasFocus() else "line"))
        painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))
        bar = QRectF(SIDE, self.height() - FOOT + 7.0, self.width() - 2 * SIDE, FOOT - 7.0)
        draw_bar(painter, bar, self._scale, odd_counts(self._cells))
        painter.end()

    def _rect_of_cells(self, planes: Planes) -> QRectF:
        """Where all cells are drawn; the last ones may stand for less and reach beyond."""
        rows, columns = planes.rows, planes.columns
        top, left = int(rows[0]), int(columns[0])
        high, wide = int(rows[1]) - top, int(columns[1]) - left
        return self.rect_of(
            top, left, top + (len(rows) - 1) * high, left + (len(columns) - 1) * wide
        )
