"""The distance between two slices: gap, start to start, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.overlay import slice_rect
from studio.i18n import tr
from studio.ui.text import exact_ns

if TYPE_CHECKING:
    from plugins.timeline.ui.scene import Scene
    from plugins.timeline.ui.state import TimelineState

_ARROW = 5.0
_ROOM = 8.0


@dataclass(frozen=True, slots=True)
class Measure:
    """Two slices in the order of their starts, and the times between them.

    `first_end` is where the first one ends, or its common time with the second one does.
    """

    first: int
    second: int
    first_end: int
    second_start: int
    between_starts: int
    span: int

    @property
    def gap(self) -> int:
        """From the end of the first to the start of the second; less 0: how long both run."""
        return self.second_start - self.first_end

    def text(self) -> str:
        """The gap, or the overlap, in words."""
        if self.gap >= 0:
            return tr("gap {time}", time=exact_ns(self.gap))
        return tr("overlap {time}", time=exact_ns(-self.gap))


def measure(scene: Scene, one: int, other: int) -> Measure:
    """Measure between two slices."""
    rows = scene.rows
    first, second = sorted((one, other), key=lambda index: int(rows.start[index]))
    start, next_start = int(rows.start[first]), int(rows.start[second])
    end = start + int(rows.duration[first])
    next_end = next_start + int(rows.duration[second])
    touching = end if end <= next_start else min(end, next_end)
    span = max(end, next_end) - start
    return Measure(first, second, touching, next_start, next_start - start, span)


def draw_measure(painter: QPainter, state: TimelineState) -> None:
    """Draw the distance between the selected slice and the one measured to."""
    if state.measured < 0 or state.selected < 0:
        return
    found = measure(state.scene, state.selected, state.measured)
    boxes = [slice_rect(state, index) for index in (found.first, found.second)]
    view = state.viewport
    left, right = sorted((view.x(found.first_end), view.x(found.second_start)))
    ys = [box.center().y() for box in boxes if box is not None]
    if not ys or right < 0 or left > state.width:
        return
    y = (min(ys) + max(ys)) / 2
    left, right = max(left, -_ARROW), min(right, state.width + _ARROW)
    colour = state.palette.colour("info")
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
    for x, box in ((view.x(found.first_end), boxes[0]), (view.x(found.second_start), boxes[1])):
        if box is not None:
            painter.drawLine(QLineF(x, box.center().y(), x, y))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.5))
    painter.drawLine(QLineF(left, y, right, y))
    painter.setBrush(colour)
    painter.setPen(Qt.PenStyle.NoPen)
    if right - left > 3 * _ARROW:
        for x, way in ((left, 1), (right, -1)):
            wing = QPointF(way * _ARROW, _ARROW * 0.6)
            mirrored = QPointF(wing.x(), -wing.y())
            tip = QPointF(x, y)
            painter.drawPolygon(QPolygonF([tip, tip + wing, tip + mirrored]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    _draw_text(painter, state, found.text(), (left + right) / 2, y)


def _draw_text(painter: QPainter, state: TimelineState, text: str, x: float, y: float) -> None:
    painter.setFont(label_font())
    wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2 * _ROOM
    box = QRectF(min(max(x - wide / 2, 2.0), max(state.width - wide - 2, 2.0)), y - 8, wide, 16)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(state.palette.colour("info"))
    painter.drawRoundedRect(box, 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(state.palette.colour("on_accent"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
