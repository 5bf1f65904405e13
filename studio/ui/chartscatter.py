"""Points on two logarithmic axes, with lines that bound them: a roofline and the like."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.ui.chartpick import NONE, PickChart
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LEFT, _RIGHT, _TOP, _FOOT = 74.0, 16.0, 12.0, 40.0
_REACH = 9.0
_LEAST, _MOST = 3.5, 12.0
_TICKS = 2
"""An axis with fewer whole decades than this is divided more finely."""


@dataclass(frozen=True)
class Point:
    """One point: its place (both over 0), how heavy it is (0 to 1), its colour and words."""

    text: str
    x: float
    y: float
    weight: float
    colour: int
    tip: str = ""


@dataclass(frozen=True)
class Bound:
    """A line through points (both coordinates over 0), with its name at the end."""

    text: str
    points: Sequence[tuple[float, float]]


class LogScatter(PickChart):
    """Points and lines over logarithmic axes; both axes are in decades."""

    def __init__(self, name: str, across: str, up: str, empty: str = "") -> None:
        super().__init__(name, empty)
        self.points: Sequence[Point] = ()
        self.bounds: Sequence[Bound] = ()
        self._titles = (across, up)
        self._write: tuple[Callable[[float], str], Callable[[float], str]] = (str, str)
        self._x, self._y = (0.0, 1.0), (0.0, 1.0)
        self.setMinimumSize(260, 160)

    def set_points(
        self,
        points: Sequence[Point],
        bounds: Sequence[Bound],
        write: tuple[Callable[[float], str], Callable[[float], str]],
    ) -> None:
        """Show points and lines; `write` writes the ticks of both axes."""
        self.points, self.bounds, self._write = points, bounds, write
        xs = [p.x for p in points]
        ys = [p.y for p in points]
        corners = [place for bound in bounds for place in bound.points[1:-1]]
        self._x = _decades(xs + [x for x, _ in corners])
        self._y = _decades(ys + [y for _, y in corners])
        self.set_current(NONE)

    def count(self) -> int:
        """How many points there are."""
        return len(self.points)

    def place_of(self, part: int) -> QPointF:
        """Where a point lies."""
        point = self.points[part]
        return self._place(point.x, point.y)

    def part_at(self, place: QPointF) -> int:
        """The nearest point within reach."""
        best, found = _REACH, NONE
        for number, point in enumerate(self.points):
            at = self._place(point.x, point.y)
            away = math.hypot(at.x() - place.x(), at.y() - place.y())
            if away <= max(best, _radius(point)) and away < best + _MOST:
                best, found = away, number
        return found

    def told(self, part: int) -> str:
        """What a point stands for."""
        return self.points[part].tip or self.points[part].text

    def table(self) -> Iterable[Sequence[object]]:
        """Name and place of every point."""
        yield "name", *self._titles
        for point in self.points:
            yield point.text, point.x, point.y

    def sizeHint(self) -> QSize:
        """Wider than high."""
        return QSize(560, 360)

    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Draw axes, lines, points, and the names of the heaviest ones."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_axes(painter)
        self._draw_bounds(painter)
        theme = current_theme()
        taken: list[QRectF] = []
        order = sorted(range(len(self.points)), key=lambda n: self.points[n].weight)
        for number in order:
            point, at = self.points[number], self.place_of(number)
            colour = theme.category(point.colour)
            chosen = number == self.current
            painter.setPen(QPen(theme.colour("text" if chosen else "bg"), 2 if chosen else 1))
            colour.setAlphaF(1.0 if chosen else 0.85)
            painter.setBrush(colour)
            painter.drawEllipse(at, _radius(point), _radius(point))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number in reversed(order):
            self._draw_name(painter, number, taken)

    def _draw_name(self, painter: QPainter, number: int, taken: list[QRectF]) -> None:
        point, at = self.points[number], self.place_of(number)
        text = painter.fontMetrics().elidedText(point.text, Qt.TextElideMode.ElideMiddle, 170)
        wide = painter.fontMetrics().horizontalAdvance(text) + 4
        rect = QRectF(at.x() + _radius(point) + 3, at.y() - 9, wide, 18)
        if rect.right() > self.width() - _RIGHT:
            rect.moveRight(at.x() - _radius(point) - 3)
        if any(rect.intersects(other) for other in taken) and number != self.current:
            return
        taken.append(rect)
        painter.setPen(current_theme().colour("text" if number == self.current else "muted"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | middle, text)

    def _draw_axes(self, painter: QPainter) -> None:
        theme = current_theme()
        room = self._room()
        quiet = theme.mix("bg", "line", 0.6)
        centre = Qt.AlignmentFlag.AlignCenter
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for value in log_ticks(*self._x):
            x = self._place(value, 1.0).x()
            painter.setPen(quiet)
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
            painter.setPen(theme.colour("muted"))
            place = QRectF(x - 45, room.bottom() + 2, 90, 16)
            painter.drawText(place, centre, self._write[0](value))
        for value in log_ticks(*self._y):
            y = self._place(1.0, value).y()
            painter.setPen(quiet)
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(theme.colour("muted"))
            painter.drawText(QRectF(0, y - 8, _LEFT - 6, 16), right, self._write[1](value))
        painter.setPen(theme.colour("muted"))
        below = QRectF(room.left(), room.bottom() + 18, room.width(), 18)
        painter.drawText(below, centre, self._titles[0])
        painter.save()
        painter.translate(10, room.center().y())
        painter.rotate(-90)
        painter.drawText(QRectF(-room.height() / 2, -8, room.height(), 16), centre, self._titles[1])
        painter.restore()

    def _draw_bounds(self, painter: QPainter) -> None:
        theme, room = current_theme(), self._room()
        painter.save()
        painter.setClipRect(room)
        for bound in self.bounds:
            line = QPolygonF([self._place(x, y) for x, y in bound.points])
            painter.setPen(QPen(theme.colour("accent"), 1.6))
            painter.drawPolyline(line)
            if bound.points:
                end = self._place(*bound.points[-1])
                y = min(max(end.y() - 19, room.top()), room.bottom() - 18)
                place = QRectF(room.right() - 320, y, 314, 18)
                flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.setPen(theme.colour("accent"))
                painter.drawText(place, flags, bound.text)
        painter.restore()

    def _room(self) -> QRectF:
        return QRectF(
            _LEFT,
            _TOP,
            max(self.width() - _LEFT - _RIGHT, 1),
            max(self.height() - _TOP - _FOOT, 1),
        )

    def _place(self, x: float, y: float) -> QPointF:
        room = self._room()
        across = (math.log10(x) - self._x[0]) / (self._x[1] - self._x[0])
        up = (math.log10(y) - self._y[0]) / (self._y[1] - self._y[0])
        return QPointF(room.left() + across * room.width(), room.bottom() - up * room.height())


def log_ticks(low: float, high: float) -> list[float]:
    """Round values between two decimal logarithms: whole decades, or finer where those are few."""
    found: list[float] = []
    for steps in ((1,), (1, 2, 5), range(1, 10)):
        powers = range(math.floor(low), math.floor(high) + 1)
        values = (step * 10.0**power for power in powers for step in steps)
        found = [value for value in values if low <= math.log10(value) <= high]
        if len(found) >= _TICKS:
            break
    return found


def _radius(point: Point) -> float:
    return _LEAST + (_MOST - _LEAST) * math.sqrt(min(max(point.weight, 0.0), 1.0))


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """The decimal logarithms that all values lie between, with some room."""
    logs = [math.log10(value) for value in values if value > 0]
    if not logs:
        return 0.0, 1.0
    low, high = min(logs), max(logs)
    rim = max((high - low) * 0.08, 0.25)
    return low - rim, high + rim
