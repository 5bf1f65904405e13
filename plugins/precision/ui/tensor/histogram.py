"""Distributions of magnitudes on a logarithmic axis, two of them over each other."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from plugins.precision.core.tensors.histogram import decade_of, decades
from studio.i18n import tr
from studio.ui.pictures import PictureMenu
from studio.ui.text import thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QColor

    from plugins.precision.core.tensors.histogram import Histogram

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 40.0, 24.0
_LEAST_BINS, _MOST_BINS = 14, 140


class HistogramChart(QWidget):
    """Counts on a log scale over powers of two; zeros, NaN and infinities are told in words."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self._series: list[tuple[str, Histogram]] = []
        self.setMinimumSize(240, 150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(title)
        self.pictures = PictureMenu(self, self.table)

    def set_series(self, series: Sequence[tuple[str, Histogram]]) -> None:
        """Show these distributions, the first one filled."""
        self._series = list(series)
        self.setAccessibleDescription("; ".join(self._said(*entry) for entry in self._series))
        self.update()

    def table(self) -> Iterable[Sequence[object]]:
        """How many numbers lie from a power of two to the next, of each distribution and sign."""
        yield "distribution", "exponent_of_2", "negative", "positive"
        for name, bins in self._series:
            pairs = zip(bins.negative.tolist(), bins.positive.tolist(), strict=True)
            for exponent, counts in enumerate(pairs, bins.first):
                yield name, exponent, *counts

    def sizeHint(self) -> QSize:
        """Room for a chart."""
        return QSize(420, 220)

    def range(self) -> tuple[int, int]:
        """The exponents that are shown: the first, and the one after the last."""
        found = [h for _, h in self._series if len(h.positive)]
        if not found:
            return -1, 1
        last = max(h.last for h in found)
        first = max(min(h.first for h in found), last - _MOST_BINS)
        missing = max(_LEAST_BINS - (last - first), 0)
        return first - missing // 2, last + (missing + 1) // 2

    def tip(self, x: float) -> str:
        """What is counted at a place."""
        exponent = self._exponent(x)
        if exponent is None:
            return "\n".join(self._said(*entry) for entry in self._series)
        low, high = 2.0**exponent, 2.0 ** (exponent + 1)
        lines = [tr("{low} to {high} (2^{e})", low=f"{low:.3g}", high=f"{high:.3g}", e=exponent)]
        for name, histogram in self._series:
            place = exponent - histogram.first
            inside = 0 <= place < len(histogram.positive)
            count = int(histogram.counts[place]) if inside else 0
            line = f"{name}: {thousands(count)}"
            if inside and histogram.negative.any():
                below = thousands(int(histogram.negative[place]))
                line += "  " + tr("({n} below zero)", n=below)
            lines.append(line)
        return "\n".join(lines)

    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer."""
        if isinstance(event, QHelpEvent) and self._series:
            QToolTip.showText(event.globalPos(), self.tip(event.pos().x()), self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()

    def _said(self, name: str, histogram: Histogram) -> str:
        parts = [tr("{name}: {n} elements", name=name, n=thousands(histogram.total))]
        odd = (
            (tr("zero"), histogram.zeros),
            ("NaN", histogram.nan),
            ("+inf", histogram.positive_infinity),
            ("-inf", histogram.negative_infinity),
        )
        parts += [f"{word} {thousands(count)}" for word, count in odd if count]
        return ", ".join(parts)

    # -- painting -----------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axes, bars and the counts that stand apart."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.colour("bg"))
        painter.setPen(theme.colour("text"))
        painter.drawText(QPointF(10, 16), self.title)
        if self._series:
            self._draw_legend(painter)
            self._draw_axes(painter)
            for number, (_, histogram) in enumerate(self._series):
                self._draw(painter, number, histogram)
        painter.end()

    def _draw_legend(self, painter: QPainter) -> None:
        theme, metrics = current_theme(), painter.fontMetrics()
        x = 10.0
        for number, entry in enumerate(self._series):
            painter.fillRect(QRectF(x, 24, 8, 8), self._colour(number))
            text = metrics.elidedText(
                self._said(*entry), Qt.TextElideMode.ElideRight, int(self.width() / 2 - 24)
            )
            painter.setPen(theme.colour("muted"))
            painter.drawText(QPointF(x + 13, 32), text)
            x += 13 + metrics.horizontalAdvance(text) + 16

    def _draw_axes(self, painter: QPainter) -> None:
        theme, metrics, frame = current_theme(), painter.fontMetrics(), self._frame()
        first, last = self.range()
        painter.setPen(theme.colour("line"))
        painter.drawLine(frame.bottomLeft(), frame.bottomRight())
        top = self._top()
        for power in range(int(top) + 1):
            y = self._y(10.0**power)
            painter.setPen(theme.colour("line"))
            painter.drawLine(QPointF(frame.left(), y), QPointF(frame.right(), y))
            painter.setPen(theme.colour("muted"))
            text = f"1e{power}"
            painter.drawText(
                QPointF(frame.left() - 8 - metrics.horizontalAdvance(text), y + 4), text
            )
        free = 0.0
        for decade in decades(first, last):
            share = (decade - decade_of(first)) / (decade_of(last) - decade_of(first))
            x = frame.left() + share * frame.width()
            text = f"1e{decade}"
            wide = metrics.horizontalAdvance(text)
            if 0 <= share <= 1 and x - wide / 2 >= max(free, 2.0) and x + wide / 2 <= self.width():
                painter.setPen(theme.colour("line"))
                painter.drawLine(QPointF(x, frame.bottom()), QPointF(x, frame.bottom() + 4))
                painter.setPen(theme.colour("muted"))
                painter.drawText(QPointF(x - wide / 2, self.height() - 7), text)
                free = x + wide / 2 + 10

    def _draw(self, painter: QPainter, number: int, histogram: Histogram) -> None:
        frame = self._frame()
        first, last = self.range()
        wide = frame.width() / max(last - first, 1)
        outline = QPolygonF([frame.bottomLeft()])
        for exponent in range(first, last):
            place = exponent - histogram.first
            inside = 0 <= place < len(histogram.positive)
            y = self._y(int(histogram.counts[place]) if inside else 0)
            x = frame.left() + (exponent - first) * wide
            outline.append(QPointF(x, y))
            outline.append(QPointF(x + wide, y))
        outline.append(frame.bottomRight())
        colour = self._colour(number)
        painter.setPen(QPen(colour, 1.5))
        pale = self._colour(number)
        pale.setAlphaF(0.3)
        painter.setBrush(pale if number == 0 else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(outline)

    def _colour(self, number: int) -> QColor:
        # As in the charts of losses: the base has the second colour, the candidate the first.
        order = (1, 0) if len(self._series) > 1 else (0,)
        return current_theme().category(order[number])

    def _frame(self) -> QRectF:
        return QRectF(
            _LEFT,
            _TOP,
            max(self.width() - _LEFT - _RIGHT, 1.0),
            max(self.height() - _TOP - _BOTTOM, 1.0),
        )

    def _top(self) -> float:
        most = max((int(h.counts.max(initial=0)) for _, h in self._series), default=0)
        return log10(max(most, 10))

    def _y(self, count: float) -> float:
        frame = self._frame()
        if count <= 0:
            return frame.bottom()
        # One element stands a little above the axis, so that it is seen.
        share = (log10(count) + 0.15) / (self._top() + 0.15)
        return frame.bottom() - share * frame.height()

    def _exponent(self, x: float) -> int | None:
        frame = self._frame()
        first, last = self.range()
        share = (x - frame.left()) / frame.width()
        return first + int(share * (last - first)) if 0 <= share < 1 else None
