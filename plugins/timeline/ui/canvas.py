"""The area of the lanes: paints the frame and what lies over it; pointer and keys act on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QNativeGestureEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from plugins.timeline.ui import overlay
from plugins.timeline.ui.flows import draw_flows
from plugins.timeline.ui.frame import Frame, make_frame
from plugins.timeline.ui.hover import draw_card, instant_card, slice_card
from plugins.timeline.ui.labels import Labels
from plugins.timeline.ui.measure import draw_measure
from plugins.timeline.ui.pointer import Pointer
from studio.i18n import tr
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QContextMenuEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from plugins.timeline.ui.state import TimelineState


class Canvas(QWidget):
    """Lanes of slices, counters and instants over time."""

    menu_requested = Signal(QPoint)

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.pointer = Pointer(state)
        self.labels = Labels()
        self._frame: Frame | None = None
        self.complete = True
        self.vector = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 60)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Timeline"))
        self._keys = tr(
            "Arrow keys or W, A, S, D move and zoom; comma and full stop step through slices"
        )
        self.setAccessibleDescription(self._keys)
        state.selection_changed.connect(self._tell_selection)
        for signal in (
            state.view_changed,
            state.lanes.layout_changed,
            state.lanes.scroll_changed,
            state.palette_changed,
        ):
            signal.connect(self._renew)
        for signal in (state.selection_changed, state.hover_changed, state.decoration_changed):
            signal.connect(self.update)
        state.hits_changed.connect(self._renew)
        self.pointer.changed.connect(self._pointed)

    # -- painting -----------------------------------------------------------------------------
    def prepare(self) -> None:
        """Make the frame before it is to be shown, in the size that the widget has."""
        self.state.resize(self.width(), self.height())
        self._frame = self._frame or make_frame(self.state, self.devicePixelRatioF())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the visible lanes; the frame is kept while only the pointer moves."""
        if self.vector:
            self._paint_vector()
            return
        ratio = self.devicePixelRatioF()
        if self._frame is None or self._frame.image.devicePixelRatio() != ratio:
            self._frame = make_frame(self.state, ratio)
        state, frame = self.state, self._frame
        painter = QPainter(self)
        painter.drawImage(0, 0, frame.image)
        overlay.draw_open_ends(painter, state, frame.placed)
        self.complete = self.labels.draw(painter, state, frame.placed, ratio)
        if not self.complete:
            self.update()
        self._draw_over(painter)
        self._draw_box(painter)
        if self.pointer.place is not None and not self.pointer.dragging:
            draw_card(painter, state, self.pointer.place)
        if self.hasFocus():
            painter.setPen(QPen(state.palette.colour("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_vector(self) -> None:
        """Paint without pictures, for a drawing that can be scaled."""
        from plugins.timeline.ui.vector import draw_frame

        painter = QPainter(self)
        frame = make_frame(self.state, 1.0)
        draw_frame(painter, self.state, frame)
        overlay.draw_open_ends(painter, self.state, frame.placed)
        self._draw_over(painter)
        painter.end()

    def _draw_over(self, painter: QPainter) -> None:
        state = self.state
        overlay.draw_steps(painter, state)
        overlay.draw_marks(painter, state)
        overlay.draw_ranges(painter, state)
        draw_flows(painter, state)
        overlay.draw_selected(painter, state)
        draw_measure(painter, state)
        overlay.draw_cursor(painter, state)

    def _draw_box(self, painter: QPainter) -> None:
        box = self.pointer.box
        if box is None:
            return
        colour = self.state.palette.colour
        painter.fillRect(box, colour("accent", 0.16))
        painter.setPen(QPen(colour("accent"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the time at both edges."""
        state, size = self.state, event.size()
        if (size.width(), size.height()) != (state.width, state.lanes.height):
            self._frame = None
        state.resize(size.width(), size.height())

    def changeEvent(self, event: QEvent) -> None:
        """Paint anew on another screen."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.DevicePixelRatioChange, QEvent.Type.FontChange):
            self._frame, self.labels = None, Labels()

    # -- pointer ------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self.pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show what is under the pointer."""
        self.pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a click or a drag."""
        self.pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom to the slice."""
        self.pointer.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, pan (Shift) or zoom (Ctrl)."""
        self.pointer.wheel(event)

    def leaveEvent(self, _event: QEvent) -> None:
        """Forget the pointer."""
        self.pointer.leave()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done here, or by the menu key with the selected slice."""
        if event.reason() == event.Reason.Keyboard:
            rect = overlay.slice_rect(self.state, self.state.selected)
            inside = QRectF(self.rect()).adjusted(0, 0, -1, -1)
            place = rect.intersected(inside) if rect is not None else inside
            self.menu_requested.emit(self.mapToGlobal(place.center().toPoint()))
            return
        place_ = event.pos()
        index = self.pointer.slice_at(place_.x(), place_.y())
        if index >= 0 and index != self.state.selected:
            self.state.select(index, keep_range=True)
        self.menu_requested.emit(event.globalPos())

    def event(self, event: QEvent) -> bool:
        """Zoom by pinching on a touch pad."""
        if isinstance(event, QNativeGestureEvent) and (
            event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        ):
            factor = max(1 + event.value(), 0.2)
            x = event.position().x()
            self.state.show_view(self.state.viewport.zoomed(1 / factor, x))
            return True
        return super().event(event)

    def _tell_selection(self) -> None:
        """Let screen readers say what is selected."""
        state = self.state
        text = self._keys
        if state.selected >= 0:
            card = slice_card(state, state.selected)
            text = ", ".join((card.heading, *card.lines))
        elif state.instant >= 0:
            card = instant_card(state, state.instant)
            text = ", ".join((card.heading, *card.lines))
        elif state.range is not None:
            text = tr("{time} selected", time=exact(state.range[1] - state.range[0]))
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(
            QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        )

    def _pointed(self) -> None:
        self.setCursor(self.pointer.shape())
        self.update()

    def _renew(self) -> None:
        self._frame = None
        self.pointer.refresh()
        self.update()
