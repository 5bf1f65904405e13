"""Line charts over time (pyqtgraph, in the theme's colours), exact to the nanosecond and the value.

Curves hold their value until the next time; what was not recorded is a gap; no peak is lost at any
zoom. Imported only by views that show a chart, since pyqtgraph takes a while to load.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph  # noqa: TID253 - this module is imported only when a chart is shown
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.chartcard import ChartCard
from studio.ui.chartcurves import Curve, Curves
from studio.ui.chartextras import ChartExtras, Points
from studio.ui.chartpart import CountAxis, PeakFlag, TimeAxis, ValueAxis, ViewBox
from studio.ui.chartpens import plot_pen
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QResizeEvent

__all__ = ["CountAxis", "Curve", "LineChart"]

Writer = Callable[[float], str]
"""Writes a value with its unit and all its digits."""

_SNAP = 3
_HEADROOM = 0.14


class LineChart(QWidget):
    """Curves over a shared time axis, with a cursor that tells exact values.

    Drag pans, the wheel zooms time at the pointer, Shift+drag selects a stretch of time, double
    click shows all. Keys: W, S, A, D, arrows, Home, L for logarithms, N for a note.
    """

    range_selected = Signal(object)
    cursor_moved = Signal(object)
    clicked = Signal(object)
    """The time of a plain click, after the selected stretch of time was cleared."""
    view_changed = Signal()

    def __init__(
        self,
        *,
        unit: str = "",
        write: Writer = str,
        name: str = "",
        axis: TimeAxis | None = None,
        from_zero: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._write = write
        self._origin = 0
        self._range: tuple[int, int] | None = None
        self._place: QPointF | None = None
        self._axis = axis or TimeAxis()
        self._from_zero = from_zero
        self._values = ValueAxis()
        self._box = ViewBox()
        self.plot = pyqtgraph.PlotWidget(
            viewBox=self._box, axisItems={"bottom": self._axis, "left": self._values}
        )
        self.curves = Curves(self.plot)
        self._line = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._band = pyqtgraph.LinearRegionItem(movable=False)
        self._flag = PeakFlag()
        self._card = ChartCard(self)
        self._unit = QLabel(unit, self)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.redraw)
        self.extras = ChartExtras(self)
        self.setAccessibleName(name or tr("Chart"))
        self._lay_out()
        self._colour()

    # -- data ---------------------------------------------------------------------------------
    def set_curves(self, curves: Sequence[Curve], *, origin: int = 0) -> None:
        """Show these curves; the time axis counts from `origin`."""
        self._origin = origin
        self._axis.set_origin(origin)
        self.curves.set(curves, origin)
        self.extras.draw()
        start, end = self.bounds()
        rim = max(end - start, 1) * 0.2
        least = min(self._axis.least, end - start + 2 * rim)
        self._box.setLimits(xMin=start - origin - rim, xMax=end - origin + rim, minXRange=least)
        self.show_all()

    def set_shown(self, key: str, shown: bool) -> None:
        """Show or hide one curve."""
        self.curves.set_shown(key, shown)
        self.redraw()

    def set_writer(self, write: Writer, divisor: float, unit: str) -> None:
        """Write values in another unit; the axis shows them divided by `divisor`."""
        self._write = write
        self._values.set_divisor(divisor)
        self._unit.setText(unit)
        self._place_unit()
        self._flag_peak()

    def recolour(self, colours: Mapping[str, QColor]) -> None:
        """Give curves other colours, after the theme changed."""
        self.curves.colour(colours)

    # -- time ---------------------------------------------------------------------------------
    def bounds(self) -> tuple[int, int]:
        """First and last time of all curves."""
        return self.curves.bounds()

    def shown_times(self) -> tuple[int, int]:
        """The time in view."""
        (low, high), _ = self._box.viewRange()
        return self._origin + round(low), self._origin + round(high)

    @property
    def origin(self) -> int:
        """The time that the axis counts from."""
        return self._origin

    @property
    def time_heading(self) -> str:
        """What the times are called in tables."""
        return self._axis.heading

    def exact_time(self, time: int) -> str:
        """A time with all its digits."""
        return self._axis.exact(time)

    def time_at(self, x: int) -> int:
        """The time at a place of the plot, in pixels from its left."""
        place: float = self._box.mapSceneToView(self.plot.mapToScene(QPoint(x, 0))).x()
        return self._origin + round(place)

    def time_of_pixels(self, count: int) -> int:
        """How much time some pixels stand for."""
        wide: float = self._box.viewPixelSize()[0]
        return round(count * wide)

    def show_times(self, start: int, end: int) -> None:
        """Show a stretch of time."""
        self._box.setXRange(start - self._origin, max(end, start + 1) - self._origin, padding=0)

    def show_all(self) -> None:
        """Show everything."""
        start, end = self.bounds()
        rim = max((end - start) // 50, 1)
        self.show_times(start - rim, end + rim)

    def set_range(self, chosen: tuple[int, int] | None) -> None:
        """Mark a stretch of time, without telling of it; scrolls there when it is out of view."""
        self._range = chosen
        self._band.setVisible(chosen is not None)
        if chosen is None:
            return
        start, end = chosen
        self._band.setRegion((start - self._origin, end - self._origin))
        low, high = self.shown_times()
        if end < low or start > high:
            half = max((high - low) // 2, end - start)
            self.show_times((start + end) // 2 - half, (start + end) // 2 + half)

    def show_cursor(self, time: int | None) -> None:
        """Draw the cursor at a time, as when the pointer is there; None takes it away."""
        self._line.setVisible(time is not None)
        if time is not None:
            self._line.setValue(time - self._origin)

    def selected_range(self) -> tuple[int, int] | None:
        """The marked stretch of time."""
        return self._range

    def set_selecting(self, selecting: bool) -> None:
        """Let a plain drag select a stretch of time instead of moving."""
        self._box.selecting = selecting

    # -- painting -----------------------------------------------------------------------------
    def redraw(self) -> None:
        """Draw the curves for the time in view, and fit the value axis to them."""
        found = self.curves.draw(*self.shown_times(), max(int(self._box.width()), 1))
        if found is not None:
            whole = self._from_zero and not self.logarithmic
            low, high = (min(found[0], 0.0) if whole else found[0]), found[1]
            self._box.setYRange(low, high + ((high - low) or 1.0) * _HEADROOM, padding=0)
        self._flag_peak()
        if self._card.isVisible() and self._place is not None:
            self._moved(self._place)

    def idle(self) -> bool:
        """Whether the curves are drawn for what is in view."""
        return not self._soon.isActive()

    def ask_and_save(self) -> None:
        """Ask for a file and save the chart as a picture, or its values as a table."""
        self.extras.ask_and_save()

    @property
    def logarithmic(self) -> bool:
        """Whether values are drawn by their logarithm."""
        return self.curves.logarithmic

    def set_logarithmic(self, on: bool) -> None:
        """Draw values by their logarithm; those of 0 and below are left out then."""
        self.curves.logarithmic = on
        self._values.set_logarithmic(on)
        self.curves.colour({})
        self.redraw()

    def points_in_view(self) -> list[Points]:
        """The recorded points of the curves that are shown, within the time in view."""
        start, end = self.shown_times()
        found = []
        for drawn in self.curves.shown():
            times = drawn.curve.envelope.times
            first, stop = np.searchsorted(times, start), np.searchsorted(times, end, "right")
            values = drawn.curve.envelope.values[first:stop]
            found.append(Points(drawn.curve.title, times[first:stop], values))
        return found

    def _flag_peak(self) -> None:
        highest = self.curves.highest()
        height = None if highest is None else self.curves.height_of_peak(highest)
        self._flag.setVisible(height is not None)
        if highest is not None and highest.peak is not None and height is not None:
            time, value = highest.peak
            text = f"{highest.curve.title}  {self._write(value)}  ·  {self._axis.exact(time)}"
            self._flag.show_peak(time - self._origin, height, text, self._box)

    def _colour(self) -> None:
        theme = current_theme()
        self.plot.setBackground(theme.colour("bg"))
        for axis in (self._axis, self._values):
            axis.setPen(theme.colour("line"))
            axis.setTextPen(theme.colour("muted"))
        self._line.setPen(plot_pen(theme.colour("muted"), self.plot))
        self._flag.set_colours(theme.colour("text"), theme.colour("raised"), theme.colour("line"))
        tint = theme.colour("accent")
        edge = plot_pen(tint, self.plot)
        tint.setAlphaF(0.14)
        self._band.setBrush(tint)
        for line in self._band.lines:
            line.setPen(edge)
        self.curves.colour({})
        self.extras.draw()

    # -- pointer and keys ---------------------------------------------------------------------
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Hide the cursor when the pointer leaves; take the focus on a click."""
        if event.type() == QEvent.Type.Leave:
            self._place = None
            self._card.hide()
            self._line.hide()
            self.cursor_moved.emit(None)
        elif event.type() == QEvent.Type.MouseButtonPress:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        return False

    def _moved(self, place: QPointF) -> None:
        if not self._box.sceneBoundingRect().contains(place):
            return
        self._place = place
        x = self._box.mapSceneToView(place).x()
        time = self._origin + round(x)
        self._line.setValue(x)
        self._line.show()
        self.cursor_moved.emit(time)
        reach = round(_SNAP * self._box.viewPixelSize()[0])
        lines = [
            (curve.colour, curve.title, tr("not recorded") if v is None else self._write(v))
            for curve, v in self.curves.values_near(time, reach)
        ]
        where = self.plot.mapTo(self, self.plot.mapFromScene(place))
        self._card.show_at(where, self._axis.exact(time), lines)

    def _dragged(self, start: float, end: float, finished: bool) -> None:
        low, high = sorted((self._origin + round(start), self._origin + round(end)))
        chosen = (low, high) if low < high else None
        if chosen is None and not finished:
            return
        self.set_range(chosen)
        if finished:
            self.range_selected.emit(chosen)
        if finished and chosen is None:
            self.clicked.emit(low)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move and zoom by keys, as on the timeline."""
        start, end = self.shown_times()
        span = end - start
        match event.key():
            case Qt.Key.Key_A | Qt.Key.Key_Left:
                self.show_times(start - span // 8, end - span // 8)
            case Qt.Key.Key_D | Qt.Key.Key_Right:
                self.show_times(start + span // 8, end + span // 8)
            case Qt.Key.Key_W | Qt.Key.Key_Up | Qt.Key.Key_Plus:
                self.show_times(start + span // 10, end - span // 10)
            case Qt.Key.Key_S | Qt.Key.Key_Down | Qt.Key.Key_Minus:
                self.show_times(start - span // 8, end + span // 8)
            case Qt.Key.Key_Home | Qt.Key.Key_0:
                self.show_all()
            case Qt.Key.Key_L:
                self.set_logarithmic(not self.logarithmic)
            case Qt.Key.Key_N if self._place is not None:
                self.extras.ask_note(self.time_at(round(self._place.x())))
            case Qt.Key.Key_Menu:
                self.extras.open_menu(self.plot.rect().center())
            case Qt.Key.Key_Escape:
                self.set_range(None)
                self.range_selected.emit(None)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Frame the plot while keys reach it."""
        super().focusInEvent(event)
        self._box.setBorder(plot_pen(current_theme().colour("accent"), self.plot, 2))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the frame away."""
        super().focusOutEvent(event)
        self._box.setBorder(None)

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.plot.setFrameShape(self.plot.Shape.NoFrame)
        self.plot.hideButtons()
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._unit.setProperty("role", "muted")
        self._band.setZValue(-10)
        for item in (self._line, self._band, self._flag):
            self.plot.addItem(item, ignoreBounds=True)
            item.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plot)
        self._box.sigXRangeChanged.connect(self._time_changed)
        self._box.dragged.connect(self._dragged)
        self._box.reset_wanted.connect(self.show_all)
        self.plot.scene().sigMouseMoved.connect(self._moved)
        self.plot.viewport().installEventFilter(self)

    def _time_changed(self) -> None:
        self._soon.start()
        self.view_changed.emit()

    def _place_unit(self) -> None:
        self._unit.adjustSize()
        self._unit.move(8, 4)
        self._unit.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw for another width."""
        super().resizeEvent(event)
        self._place_unit()
        self._soon.start()

    def event(self, event: QEvent) -> bool:
        """Draw lines of another width where the window comes to another screen."""
        if event.type() == QEvent.Type.DevicePixelRatioChange and hasattr(self, "_soon"):
            self._colour()
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_soon"):
            self._colour()
