"""What the pointer does on the lanes: click, pan, select a range, box zoom, wheel."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal

from plugins.timeline.ui.navigation import nearest_slice, show_slice
from plugins.timeline.ui.snap import snapped

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QWheelEvent

    from plugins.timeline.ui.lanes import Lanes
    from plugins.timeline.ui.state import TimelineState

_CLICK = 4
_WHEEL_ZOOM = 1.25
_NOTCH = 120
_CTRL = Qt.KeyboardModifier.ControlModifier


class Drag(Enum):
    """What a drag does."""

    PAN = "pan"
    RANGE = "range"
    BOX = "box"


class Pointer(QObject):
    """Turns pointer events into changes of the state."""

    changed = Signal()

    def __init__(self, state: TimelineState) -> None:
        super().__init__(state)
        self.mode = Drag.PAN
        self.place: QPoint | None = None
        self.dragging = False
        self._state = state
        self._drag: Drag | None = None
        self._from = QPoint()
        self._last = QPoint()
        self._anchor = 0

    @property
    def box(self) -> QRect | None:
        """The box being drawn for a zoom."""
        if not self.dragging or self._drag is not Drag.BOX:
            return None
        return QRect(self._from, self._last).normalized()

    def shape(self) -> Qt.CursorShape:
        """The shape of the pointer."""
        if self.dragging and self._drag is Drag.PAN:
            return Qt.CursorShape.ClosedHandCursor
        if Drag.BOX in (self._drag, self.mode):
            return Qt.CursorShape.CrossCursor
        return Qt.CursorShape.IBeamCursor if self.mode is Drag.RANGE else Qt.CursorShape.ArrowCursor

    def set_mode(self, mode: Drag) -> None:
        """Choose what a plain drag does."""
        self.mode = mode
        self.changed.emit()

    def slice_at(self, x: int, y: int) -> int:
        """Return the slice at a place, or one at most three pixels aside; -1 for none."""
        row = self._state.lanes.row_at(y)
        return nearest_slice(self._state, row, x) if row >= 0 else -1

    # -- events -------------------------------------------------------------------------------
    def press(self, event: QMouseEvent) -> None:
        """Begin a click or drag; Shift selects, Alt zooms to a box, the middle button pans."""
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        keys = event.modifiers()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._drag = Drag.PAN
        elif keys & Qt.KeyboardModifier.AltModifier:
            self._drag = Drag.BOX
        elif keys & Qt.KeyboardModifier.ShiftModifier:
            self._drag = Drag.PAN if self.mode is Drag.RANGE else Drag.RANGE
        else:
            self._drag = self.mode
        self._from = self._last = event.position().toPoint()
        self._anchor = self._time(self._from, keys)

    def move(self, event: QMouseEvent) -> None:
        """Drag, or hover."""
        place = event.position().toPoint()
        if self._drag is None:
            self._hover(place)
            return
        if not self.dragging:
            if (place - self._from).manhattanLength() < _CLICK:
                return
            self.dragging = True
        step = place - self._last
        self._last = place
        if self._drag is Drag.PAN:
            self._state.show_view(self._state.viewport.panned(-step.x()))
            self._state.lanes.scroll_to(self._state.lanes.scroll - step.y())
        elif self._drag is Drag.RANGE:
            time = self._time(place, event.modifiers())
            chosen = (min(time, self._anchor), max(time, self._anchor))
            tracks = tracks_between(self._state.lanes, self._from.y(), place.y())
            self._state.select_range(chosen if chosen[0] < chosen[1] else None, tracks)
        self.changed.emit()

    def release(self, event: QMouseEvent) -> None:
        """End the drag; without one, select the slice that was clicked."""
        drag, self._drag = self._drag, None
        box, moved = None, self.dragging
        if moved and drag is Drag.BOX:
            box = QRect(self._from, self._last).normalized()
        self.dragging = False
        place = event.position().toPoint()
        if not moved and drag is not None and event.button() == Qt.MouseButton.LeftButton:
            self._click(place, measure=bool(event.modifiers() & _CTRL))
        elif box is not None and box.width() >= _CLICK:
            view = self._state.viewport
            start, end = view.nearest(box.left()), view.nearest(box.right() + 1)
            self._state.go(self._state.around(start, end, 0.0))
            top = self._state.lanes.at(box.top())
            if top is not None and box.height() > 3 * _CLICK:
                self._state.lanes.scroll_to(top.top - self._state.lanes.sticky)
        self.changed.emit()

    def double_click(self, event: QMouseEvent) -> None:
        """Zoom to a slice; fold or unfold a heading."""
        place = event.position().toPoint()
        index = self.slice_at(place.x(), place.y())
        if index >= 0:
            self._state.select(index)
            show_slice(self._state, index, zoom=True)

    def wheel(self, event: QWheelEvent) -> None:
        """Ctrl zooms at the pointer, Shift pans, a plain wheel scrolls the lanes."""
        turned, fine = event.angleDelta(), event.pixelDelta()
        keys = event.modifiers()
        x = event.position().x()
        notches = (turned.y() or turned.x()) / _NOTCH
        if keys & Qt.KeyboardModifier.ControlModifier:
            self._state.show_view(self._state.viewport.zoomed(_WHEEL_ZOOM**-notches, x))
        elif keys & Qt.KeyboardModifier.ShiftModifier:
            self._state.show_view(self._state.viewport.panned(-notches * self._state.width / 12))
        else:
            if fine.x() or turned.x():
                sideways = fine.x() or turned.x() / 2
                self._state.show_view(self._state.viewport.panned(-sideways))
            lanes = self._state.lanes
            lanes.scroll_to(lanes.scroll - round(fine.y() or turned.y() / 2))
        self._hover(event.position().toPoint())
        event.accept()

    def refresh(self) -> None:
        """Look anew at what is under the pointer, after the view moved below it."""
        if self.place is not None and self._drag is None:
            self._hover(self.place)

    def leave(self) -> None:
        """Forget the place."""
        self.place = None
        self._state.hover(-1, None)
        self.changed.emit()

    # -- helpers ------------------------------------------------------------------------------
    def _time(self, place: QPoint, keys: Qt.KeyboardModifier) -> int:
        """The time of an edge that is dragged: it snaps to slices unless Ctrl is held."""
        if keys & _CTRL:
            return self._state.viewport.nearest(place.x())
        return snapped(self._state, place.x(), self._state.lanes.row_at(place.y()))

    def _click(self, place: QPoint, *, measure: bool) -> None:
        band = self._state.lanes.at(place.y())
        if band is not None and band.kind == "process":
            self._state.lanes.toggle(band)
            return
        index = self.slice_at(place.x(), place.y())
        if measure and index >= 0 and self._state.selected >= 0:
            self._state.measure(-1 if index == self._state.measured else index)
            return
        if index < 0 and band is not None and band.track is not None and band.kind == "instants":
            instants = self._state.scene.instants[band.track.number]
            number = instants.nearest(self._state.viewport, place.x())
            if number >= 0:
                self._state.select_instant(number)
                return
        if index < 0:
            self._state.select_range(None)
        self._state.select(index)

    def _hover(self, place: QPoint) -> None:
        self.place = place
        self._state.hover(self.slice_at(place.x(), place.y()), self._state.viewport.time(place.x()))
        self.changed.emit()


def tracks_between(lanes: Lanes, top: int, bottom: int) -> frozenset[str]:
    """Return the keys of the tracks between two heights; a heading stands for all its tracks."""
    top, bottom = sorted((top, bottom))
    touched = [
        band
        for band in lanes.shown()
        if lanes.y(band) <= bottom and max(lanes.y(band), lanes.clip(band)) + band.height > top
    ]
    if any(band.track is not None for band in touched):
        touched = [band for band in touched if band.track is not None or band.folded]
    return frozenset(
        track.key
        for band in touched
        for track in ((band.track,) if band.track is not None else band.group.tracks)
    )
