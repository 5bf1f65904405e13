"""The curves of a line chart: their points for what is in view, their peaks, their values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph  # noqa: TID253 - this module is imported only when a chart is shown
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from studio.ui.chartpens import plot_pen
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from studio.ui.envelope import Envelope


_FLOOR = -330.0
"""The logarithm of less than any number."""
_HIGHEST = 1e300
"""What is beyond, infinities among it, cannot be drawn: its difference to others is no number."""


@dataclass(frozen=True)
class Curve:
    """One line: what it is drawn from (long ones are best prepared in a job), and its looks."""

    key: str
    title: str
    envelope: Envelope
    colour: QColor
    dashed: bool = False
    filled: bool = False


@dataclass
class Drawn:
    """A curve, its line and the point of its peak on the plot."""

    curve: Curve
    line: Any
    point: Any
    shown: bool

    @property
    def peak(self) -> tuple[int, float] | None:
        """Time and value of the peak."""
        return self.curve.envelope.peak


class Curves:
    """All curves of a plot."""

    def __init__(self, plot: Any) -> None:  # noqa: ANN401 - a pyqtgraph.PlotWidget
        self._plot = plot
        self._origin = 0
        self.logarithmic = False
        """Whether heights are the logarithms (of base 10) of values."""
        self._drawn: dict[str, Drawn] = {}

    def set(self, curves: Sequence[Curve], origin: int) -> None:
        """Show these curves; those hidden before by the same key stay hidden."""
        hidden = {key for key, drawn in self._drawn.items() if not drawn.shown}
        for drawn in self._drawn.values():
            self._plot.removeItem(drawn.line)
            self._plot.removeItem(drawn.point)
        self._origin = origin
        self._drawn = {}
        for curve in curves:
            line = pyqtgraph.PlotCurveItem(connect="finite", antialias=False)
            point = pyqtgraph.ScatterPlotItem(size=9, pxMode=True)
            self._plot.addItem(line)
            self._plot.addItem(point, ignoreBounds=True)
            self._drawn[curve.key] = Drawn(curve, line, point, True)
            if curve.key in hidden:
                self.set_shown(curve.key, False)
        self.colour({})

    def set_shown(self, key: str, shown: bool) -> None:
        """Show or hide one curve."""
        drawn = self._drawn.get(key)
        if drawn is not None:
            drawn.shown = shown
            drawn.line.setVisible(shown)
            drawn.point.setVisible(shown)

    def shown(self) -> list[Drawn]:
        """The curves that are shown."""
        return [drawn for drawn in self._drawn.values() if drawn.shown]

    def bounds(self) -> tuple[int, int]:
        """First and last time of all curves."""
        filled = [d.curve.envelope.times for d in self._drawn.values()]
        filled = [times for times in filled if times.size]
        if not filled:
            return 0, 1
        return min(int(times[0]) for times in filled), max(int(times[-1]) for times in filled)

    def draw(self, start: int, end: int, width: int) -> tuple[float, float] | None:
        """Draw what lies in `[start, end]`; returns the least and largest value there."""
        low, high = np.inf, -np.inf
        for drawn in self.shown():
            times, values = drawn.curve.envelope.points(start, end, width)
            values = self.height(values)
            values = np.where(np.abs(values) <= _HIGHEST, values, np.nan)
            drawn.line.setData((times - self._origin).astype(np.float64), values)
            finite = values[np.isfinite(values)]
            if finite.size:
                low, high = min(low, float(finite.min())), max(high, float(finite.max()))
        return (low, high) if np.isfinite(high) else None

    def height(self, values: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Where values are drawn; NaN for those that have no logarithm."""
        known = np.asarray(values, np.float64)
        if not self.logarithmic:
            return known
        return np.log10(known, out=np.full(known.shape, np.nan), where=known > 0)

    def height_of_peak(self, drawn: Drawn) -> float | None:
        """Where the peak of a curve is drawn; None where there is none, or no place for it."""
        if drawn.peak is None:
            return None
        high = float(self.height(drawn.peak[1]))
        return high if abs(high) <= _HIGHEST else None

    def highest(self) -> Drawn | None:
        """The curve with the largest peak of those shown, of filled ones if there are any."""
        peaked = [drawn for drawn in self.shown() if drawn.peak is not None]
        chosen = [drawn for drawn in peaked if drawn.curve.filled] or peaked
        return max(chosen, key=lambda d: d.peak[1] if d.peak else 0.0, default=None)

    def values_near(self, time: int, reach: int) -> list[tuple[Curve, float | None]]:
        """The largest value of each shown curve within `reach` of a time, None where none is."""
        found = []
        for drawn in self.shown():
            largest = drawn.curve.envelope.largest(time - reach, time + reach)
            found.append((drawn.curve, largest[1] if largest is not None else None))
        return found

    def colour(self, colours: Mapping[str, QColor]) -> None:
        """Give curves these colours, and their peaks those of the theme."""
        theme = current_theme()
        for key, drawn in self._drawn.items():
            colour = colours.get(key, drawn.curve.colour)
            drawn.curve = replace(drawn.curve, colour=colour)
            style = Qt.PenStyle.DashLine if drawn.curve.dashed else Qt.PenStyle.SolidLine
            drawn.line.setPen(plot_pen(colour, self._plot, style=style))
            if drawn.curve.filled:
                shade = QColor(colour)
                shade.setAlphaF(0.13)
                drawn.line.setBrush(pyqtgraph.mkBrush(shade))
                drawn.line.setFillLevel(_FLOOR if self.logarithmic else 0)
            high = self.height_of_peak(drawn)
            if drawn.peak is None or high is None:
                drawn.point.clear()
            else:
                drawn.point.setData(
                    [drawn.peak[0] - self._origin],
                    [high],
                    symbol="o",
                    pen=plot_pen(theme.colour("bg"), self._plot, 1.5),
                    brush=pyqtgraph.mkBrush(colour),
                )
