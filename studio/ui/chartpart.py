"""The parts of a line chart: axes that write exact times and values, and what the pointer does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyqtgraph  # noqa: TID253 - this module is imported only when a chart is shown
from PySide6.QtCore import Qt, Signal

from studio.ui.text import format_number, thousands
from studio.ui.timeaxis import exact, make_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QColor

_ZOOM = 1.25


class TimeAxis(pyqtgraph.AxisItem):  # type: ignore[misc]  # no types
    """Time in round steps; plot positions are nanoseconds from an origin."""

    heading = "time_ns"
    """What the times are called in tables."""

    least = 10
    """How much has to be in view at least."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, autoExpandTextSpace=False)
        self.setHeight(24)
        self._zero = 0

    def set_origin(self, origin: int) -> None:
        """Say which time stands at position zero."""
        self._zero = origin

    def exact(self, time: int) -> str:
        """Write a time with all its digits, counted from the origin."""
        return exact(time - self._zero)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the positions of the ticks."""
        axis = make_axis(0, round(low), max(round(high), round(low) + 1), size)
        return [(float(axis.step), [float(t) for t in axis.ticks(round(low), round(high))])]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        """Write the ticks."""
        low, high = self.range
        axis = make_axis(0, round(low), max(round(high), round(low) + 1), self.width())
        return [axis.label(round(value)) for value in values]


class CountAxis(TimeAxis):
    """Whole numbers, such as training steps, in place of times; `write` names one in words."""

    heading = "step"

    least = 2

    def __init__(self, write: Callable[[int], str]) -> None:
        super().__init__()
        self._write = write

    def exact(self, time: int) -> str:
        """Write a number in words."""
        return self._write(time)

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        """Write the ticks."""
        return [thousands(round(value)) for value in values]


class ValueAxis(pyqtgraph.AxisItem):  # type: ignore[misc]  # no types
    """Values in one unit."""

    def __init__(self) -> None:
        super().__init__("left")
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4)
        self.setWidth(64)
        self.setGrid(36)
        self._divisor = 1.0
        self._logarithmic = False

    def set_logarithmic(self, on: bool) -> None:
        """Take positions for logarithms (of base 10) of values."""
        self._logarithmic = on
        self.picture = None
        self.update()

    def set_divisor(self, divisor: float) -> None:
        """Write values divided by `divisor`, with ticks that are round numbers then."""
        self._divisor = divisor
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return ticks that are round numbers in the unit shown."""
        if self._logarithmic:
            return [(1.0, self._decades(low, high, size))]
        found = super().tickValues(low / self._divisor, high / self._divisor, size)
        return [
            (spacing * self._divisor, [value * self._divisor for value in values])
            for spacing, values in found[:1]
        ]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        """Write the ticks."""
        if self._logarithmic:
            values = [10.0**value for value in values]
        return [format_number(value / self._divisor) for value in values]

    def _decades(self, low: float, high: float, size: float) -> list[float]:
        """Positions of 1, 10, 100 in the unit shown; of 2 and 5 as well when there are few."""
        shift = math.log10(self._divisor)
        first, last = math.floor(low - shift), math.ceil(high - shift)
        if high - low < 0.6:
            bottom, top = 10 ** (low - shift), 10 ** (high - shift)
            found = super().tickValues(bottom, top, size)[0][1]
            places = [math.log10(value) for value in found if value > 0]
        else:
            every = max((last - first) // 8, 1)
            signs = (1, 2, 5) if last - first <= 3 else (1,)
            tens = range(first, last + 1, every)
            places = [math.log10(sign) + ten for ten in tens for sign in signs]
        return [place + shift for place in places if low <= place + shift <= high]


_FLAG_HIGH = 24.0


class PeakFlag(pyqtgraph.TextItem):  # type: ignore[misc]  # no types
    """The value and time of a peak, written beside its point on the side with more room."""

    def __init__(self) -> None:
        super().__init__("", anchor=(0, 1))
        self.setZValue(10)

    def set_colours(self, text: QColor, fill: QColor, border: QColor) -> None:
        """Take colours."""
        self.setColor(text)
        self.fill = pyqtgraph.mkBrush(fill)
        self.border = pyqtgraph.mkPen(border)

    def show_peak(self, x: float, y: float, text: str, box: ViewBox) -> None:
        """Write a text beside a point."""
        self.setPlainText(text)
        (low, high), (bottom, top) = box.viewRange()
        above = (top - y) / ((top - bottom) or 1.0) * box.height()
        # Above the point, or beside it where the text would be cut off.
        upright = min(above / _FLAG_HIGH, 1.15)
        self.setAnchor((1.03 if x > (low + high) / 2 else -0.03, upright))
        self.setPos(x, y)


class ViewBox(pyqtgraph.ViewBox):  # type: ignore[misc]  # no types
    """The plot area: drag pans time, Shift+drag selects a stretch, the wheel zooms time."""

    dragged = Signal(float, float, bool)
    reset_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, defaultPadding=0)
        self.setMouseEnabled(x=True, y=False)
        self.disableAutoRange()
        self.selecting = False

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - pyqtgraph's
        """Zoom time at the pointer; with Shift move through it."""
        notches = event.delta() / 120
        (low, high), _ = self.viewRange()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            step = -notches * (high - low) / 12
            self.setXRange(low + step, high + step, padding=0)
        else:
            at = self.mapSceneToView(event.scenePos()).x()
            factor = _ZOOM**-notches
            self.setXRange(at + (low - at) * factor, at + (high - at) * factor, padding=0)
        event.accept()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - pyqtgraph's
        """Pan, or select with Shift (or in selecting mode)."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.button() != Qt.MouseButton.LeftButton or shift == self.selecting:
            super().mouseDragEvent(event, 0)
            return
        event.accept()
        begin = self.mapSceneToView(event.buttonDownScenePos()).x()
        here = self.mapSceneToView(event.scenePos()).x()
        self.dragged.emit(begin, here, event.isFinish())

    def mouseClickEvent(self, event: Any) -> None:  # noqa: ANN401 - pyqtgraph's
        """Clear the selected stretch, or show all on a double click."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        if event.double():
            self.reset_wanted.emit()
            return
        here = self.mapSceneToView(event.scenePos()).x()
        self.dragged.emit(here, here, True)
