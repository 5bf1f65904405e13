"""The column of titles left of the lanes: folds, pins, hides, moves and selects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from plugins.timeline.ui.guttermenu import gutter_menu
from plugins.timeline.ui.gutterpaint import EDGE, Look, draw_bands, explain, part_at
from studio.i18n import tr

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QContextMenuEvent,
        QHelpEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QWheelEvent,
    )

    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.state import TimelineState

WIDTH = 216
NARROWEST, WIDEST = 90, 560
_DRAG = 5

_KEYS = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Left: "fold",
    Qt.Key.Key_Right: "unfold",
    Qt.Key.Key_Space: "toggle",
    Qt.Key.Key_Return: "toggle",
    Qt.Key.Key_Delete: "hide",
}
"""What keys do while the titles have the focus; Alt with up and down moves a lane.

The keys that pin and hide lanes everywhere mean the title that has the focus here.
"""


class Gutter(QWidget):
    """Names processes and lanes, and arranges them."""

    width_wanted = Signal(int)

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._held: int | None = None
        self._pressed: tuple[Band, QPoint] | None = None
        self.look = Look()
        self.setFixedWidth(WIDTH)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Processes and lanes"))
        for signal in (
            state.lanes.layout_changed,
            state.lanes.scroll_changed,
            state.view_changed,
            state.palette_changed,
            state.selection_changed,
        ):
            signal.connect(self.update)

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key is for the titles, not for the timeline as a whole."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        moving = event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down)
        allowed = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier)
        return event.key() in _KEYS and (plain in allowed[: 1 + moving])

    def current(self) -> Band | None:
        """The lane or process whose title keys are meant for."""
        return self._state.lanes.layout.band_of(self.look.current)

    # -- painting -----------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the titles of what is in view; that of a tall lane stays visible."""
        painter = QPainter(self)
        self.look.focused = self.hasFocus()
        draw_bands(painter, self._state, self.look, self.width())
        painter.end()

    # -- pointer ------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the edge or of a title, or press a button of a lane."""
        place = event.position().toPoint()
        band = self._state.lanes.at(place.y())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if place.x() >= self.width() - EDGE:
            self._held = self.width() - place.x()
        elif band is not None:
            self._set_current(band)
            part = part_at(self._state, band, place, self.width())
            if part == "title":
                self._pressed = (band, place)
            else:
                self._do(part, band)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the edge or a lane, or show what can be pressed here."""
        place = event.position().toPoint()
        if self._held is not None:
            self.width_wanted.emit(max(NARROWEST, min(place.x() + self._held, WIDEST)))
            return
        if self._pressed is not None:
            if self.look.dragged or (place - self._pressed[1]).manhattanLength() > _DRAG:
                self.look.dragged = self._pressed[0].key
                self.look.drop = place.y()
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.update()
            return
        on_edge = place.x() >= self.width() - EDGE
        self.setCursor(
            Qt.CursorShape.SplitHCursor if on_edge else Qt.CursorShape.PointingHandCursor
        )
        band = self._state.lanes.at(place.y())
        self._hover(band.key if band is not None else "")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Drop a lane at its new place; a plain click folds, one with Ctrl selects."""
        pressed, self._pressed, self._held = self._pressed, None, None
        dragged, self.look.dragged = self.look.dragged, ""
        if pressed is None:
            return
        band = pressed[0]
        if dragged:
            self._drop(band, event.position().toPoint().y())
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._do("select", band)
        else:
            self._do("toggle", band)
        self.update()

    def leaveEvent(self, _event: QEvent) -> None:
        """Hide the buttons."""
        self._hover("")

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the lanes."""
        lanes = self._state.lanes
        lanes.scroll_to(lanes.scroll - event.angleDelta().y() // 2)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer all that can be done with a lane, and with all lanes."""
        by_keys = event.reason() == event.Reason.Keyboard
        band = self.current() if by_keys else self._state.lanes.at(event.pos().y())
        menu = gutter_menu(self, self._state, band)
        menu.exec(event.globalPos())
        menu.deleteLater()

    # -- keys ---------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the lanes and arrange them."""
        if not self.wants(event):
            super().keyPressEvent(event)
            return
        action = _KEYS[Qt.Key(event.key())]
        band = self.current()
        if action in ("up", "down"):
            if event.modifiers() & Qt.KeyboardModifier.AltModifier and band is not None:
                self._state.lanes.step(band, action == "down")
                self._show_current()
            else:
                self._walk(1 if action == "down" else -1)
        elif band is not None:
            if action in ("fold", "unfold"):
                if band.folded == (action == "unfold"):
                    self._do("toggle", band)
            else:
                self._do(action, band)

    # -- helpers ------------------------------------------------------------------------------
    def _do(self, action: str, band: Band) -> None:
        lanes = self._state.lanes
        if action == "toggle" and (band.track is None or band.track.rows > 1):
            lanes.toggle(band)
        elif action == "pin" and band.track is not None:
            lanes.pin(band.key, not band.pinned)
        elif action == "hide":
            lanes.hide([band.key])
        elif action == "select":
            self._select(band)

    def _select(self, band: Band) -> None:
        """Take a lane into the selection of time, or out of it."""
        state = self._state
        keys = {band.key} if band.track is not None else {t.key for t in band.group.tracks}
        area = set(state.area or ())
        area = area - keys if keys <= area else area | keys
        chosen = state.range or state.shown()
        state.select_range(chosen if area else None, frozenset(area) if area else None)

    def _drop(self, band: Band, y: int) -> None:
        lanes = self._state.lanes
        over_pinned = y < lanes.sticky
        if band.track is not None and over_pinned != band.pinned and lanes.layout.pinned_height:
            lanes.pin(band.key, over_pinned)
            return
        lanes.move(band.key, lanes.drop_before(band, y))

    def _hover(self, key: str) -> None:
        if key != self.look.hovered:
            self.look.hovered = key
            self.update()

    def _walk(self, step: int) -> None:
        bands = self._state.lanes.layout.bands
        current = self.current()
        place = bands.index(current) + step if current is not None else 0
        if 0 <= place < len(bands):
            self._set_current(bands[place])
            self._show_current()

    def _show_current(self) -> None:
        band = self.current()
        if band is not None:
            self._state.lanes.show_band(band)
        self.update()

    def _set_current(self, band: Band) -> None:
        self.look.current = band.key
        self.setAccessibleDescription(explain(self._state, band))
        QAccessible.updateAccessibility(
            QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        )

    def event(self, event: QEvent) -> bool:
        """Tell all about what is under the pointer."""
        if event.type() != QEvent.Type.ToolTip:
            return super().event(event)
        asked: QHelpEvent = event  # type: ignore[assignment]
        band = self._state.lanes.at(asked.pos().y())
        text = explain(self._state, band, hints=True) if band else ""
        QToolTip.showText(asked.globalPos(), text, self)
        return True
