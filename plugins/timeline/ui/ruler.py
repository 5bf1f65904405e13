"""The time ruler above the lanes: selects stretches of time, holds marks, tells the unit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QPainter
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from plugins.timeline.ui import rulerpaint
from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.markmenu import NameField, fill_mark_menu
from plugins.timeline.ui.rulerpaint import HEIGHT, mark_box, mark_text
from plugins.timeline.ui.snap import snapped
from studio.i18n import tr
from studio.ui.timeaxis import UNITS, Axis, exact, make_axis

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPaintEvent

    from plugins.timeline.ui.marks import Mark
    from plugins.timeline.ui.state import TimelineState

_EDGE = 5
_DRAG = 3


class Ruler(QWidget):
    """Shows the time axis; dragging on it selects a stretch of time over all lanes."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._anchor: int | None = None
        self._held: tuple[Mark, float] | None = None
        self._moved = False
        self.naming: NameField | None = None
        self.unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName(tr("Time ruler"))
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

    def rename(self, mark: Mark) -> None:
        """Let the user write the name of a mark in its place."""
        box = mark_box(self._state, mark).toRect()
        left = max(0, min(box.left(), self.width() - NameField.WIDTH))
        place = QRect(left, 0, NameField.WIDTH, HEIGHT - 12)
        self.naming = NameField(self, self._state.marks, mark, place)

    def mark_at(self, place: QPoint) -> Mark | None:
        """The mark whose flag or name is at a place."""
        for mark in reversed(self._state.marks.all):
            if mark_box(self._state, mark).contains(place):
                return mark
        return None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ruler."""
        state = self._state
        painter = QPainter(self)
        painter.setFont(label_font())
        painter.fillRect(self.rect(), state.palette.colour("surface"))
        rulerpaint.draw_ticks(painter, state, self.axis())
        rulerpaint.draw_steps(painter, state)
        rulerpaint.draw_marks(painter, state)
        rulerpaint.draw_range(painter, state)
        painter.setPen(state.palette.colour("line"))
        painter.drawLine(0, HEIGHT - 1, self.width(), HEIGHT - 1)
        if self._anchor is None:
            rulerpaint.draw_cursor(painter, state)
        painter.end()

    # -- pointer ------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a range, or take hold of a mark or an edge of the present range."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        mark = self.mark_at(event.position().toPoint())
        if mark is not None:
            self._held, self._moved = (mark, x - self._state.viewport.x(mark.start)), False
            return
        held = self._edge_at(x)
        if held is not None and self._state.range is not None:
            start, end = self._state.range
            self._anchor = end if held == start else start
            return
        self._anchor = self._time(event)
        self._state.select_range(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move a mark, draw the range out, or follow the pointer."""
        x = event.position().x()
        self._state.hover(-1, self._state.viewport.nearest(x))
        if self._held is not None:
            self._drag_mark(event)
        elif self._anchor is None:
            self._show_what_is_here(event.position().toPoint())
        else:
            time = self._time(event)
            if time != self._anchor:
                chosen = (min(time, self._anchor), max(time, self._anchor))
                self._state.select_range(chosen, self._state.area)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Keep the range; a click on a marked stretch selects it."""
        held, self._held, self._anchor = self._held, None, None
        if held is not None and not self._moved and not held[0].is_flag:
            self._state.select_range((held[0].start, held[0].end))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Name a mark, else select the training step that runs here and show all of it."""
        mark = self.mark_at(event.position().toPoint())
        time = self._state.viewport.nearest(event.position().x())
        step = self._state.scene.steps.at(time)
        if mark is not None:
            self.rename(mark)
        elif step is not None:
            self._state.select_range((step.start, step.end), self._state.area)
            self._state.go(self._state.around(step.start, step.end, 0.04))

    def leaveEvent(self, _event: QEvent) -> None:
        """Forget the pointer."""
        self._state.hover(-1, None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with a mark, and the units."""
        menu = QMenu(self)
        mark = self.mark_at(event.pos())
        if mark is not None:
            fill_mark_menu(menu, self._state, mark, lambda: self.rename(mark))
            menu.addSeparator()
        group = QActionGroup(menu)
        for unit, title in (("", tr("Unit that suits")), *((u, u) for u, _ in reversed(UNITS))):
            action = QAction(title, menu, checkable=True, checked=unit == self.unit)
            action.triggered.connect(lambda _checked, unit=unit: self.set_unit(unit))
            group.addAction(action)
            menu.addAction(action)
        menu.exec(event.globalPos())
        menu.deleteLater()

    # -- helpers ------------------------------------------------------------------------------
    def _time(self, event: QMouseEvent) -> int:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return self._state.viewport.nearest(event.position().x())
        return snapped(self._state, event.position().x())

    def _drag_mark(self, event: QMouseEvent) -> None:
        if self._held is None:
            return
        mark, offset = self._held
        wanted = event.position().x() - offset
        if not self._moved and abs(wanted - self._state.viewport.x(mark.start)) <= _DRAG:
            return
        self._moved = True
        free = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        marks, view = self._state.marks, self._state.viewport
        marks.remove(mark)
        start = view.nearest(wanted) if free else snapped(self._state, wanted)
        mark = replace(mark, start=start, end=start + mark.end - mark.start)
        marks.set_all([*marks.all, mark])
        self._held = (mark, offset)

    def _show_what_is_here(self, place: QPoint) -> None:
        mark = self.mark_at(place)
        if mark is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            text = mark_text(mark) or exact(mark.start - self._state.scene.start)
            hint = tr("Drag to move, double click to name, right click for more")
            QToolTip.showText(self.mapToGlobal(place + QPoint(12, 16)), f"{text}\n{hint}", self)
            return
        on_edge = self._edge_at(place.x()) is not None
        self.setCursor(Qt.CursorShape.SizeHorCursor if on_edge else Qt.CursorShape.IBeamCursor)

    def _edge_at(self, x: float) -> int | None:
        for edge in self._state.range or ():
            if abs(self._state.viewport.x(edge) - x) <= _EDGE:
                return edge
        return None
