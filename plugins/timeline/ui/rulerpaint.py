"""How the ruler looks: ticks, steps, marks with the time between them, the selected stretch."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.overlay import mark_colour
from studio.i18n import tr
from studio.ui.timeaxis import Axis, exact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.timeline.ui.marks import Mark
    from plugins.timeline.ui.state import TimelineState

HEIGHT = 34
STRIP = 15
"""Height of the upper part, where marks and steps are."""

_STEP_ROOM = 12
_FLAG = 10.0
_LONGEST_NAME = 150.0


def draw_ticks(painter: QPainter, state: TimelineState, axis: Axis) -> None:
    """Draw ticks with their times."""
    view, colour = state.viewport, state.palette.colour
    start, end = state.shown()
    metrics = QFontMetricsF(painter.font())
    painter.setPen(colour("line"))
    part = axis.step / axis.parts
    for tick in axis.ticks(start - axis.step, end):
        for number in range(1, axis.parts):
            x = view.x(tick) + number * part / view.scale
            painter.drawLine(QPointF(x, HEIGHT - 5), QPointF(x, HEIGHT - 2))
    for tick in axis.ticks(start - axis.step, end):
        x = view.x(tick)
        painter.setPen(colour("muted", 0.7))
        painter.drawLine(QPointF(x, HEIGHT - 10), QPointF(x, HEIGHT - 2))
        painter.setPen(colour("muted"))
        label = axis.label(tick)
        if x >= -4 and x + 4 + metrics.horizontalAdvance(label) <= state.width:
            painter.drawText(QPointF(x + 4, HEIGHT - 7), label)


def draw_steps(painter: QPainter, state: TimelineState) -> None:
    """Name the training steps where there is room, with a hairline where each begins and ends."""
    metrics = QFontMetricsF(painter.font())
    colour = state.palette.colour
    for step in state.scene.steps.all:
        left, right = state.viewport.x(step.start), state.viewport.x(step.end)
        if right < 0 or left > state.width or right - left < 3:
            continue
        painter.setPen(colour("muted", 0.6))
        for x in (left, right):
            painter.drawLine(QPointF(x, 1), QPointF(x, STRIP))
    painter.setPen(colour("muted"))
    for box, name in step_names(state, metrics):
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)


def step_names(state: TimelineState, metrics: QFontMetricsF) -> Iterator[tuple[QRectF, str]]:
    """Where the names of training steps lie; they stay at the left edge while it is in view."""
    for step in state.scene.steps.all:
        left = max(state.viewport.x(step.start), 0.0)
        right = min(state.viewport.x(step.end), float(state.width))
        if right - left <= _STEP_ROOM:
            continue
        name = tr("step {number}", number=step.number)
        wide = metrics.horizontalAdvance(name)
        if right - left > wide + _STEP_ROOM:
            yield QRectF(left + 6, 0, wide + 4, STRIP), name


def mark_box(state: TimelineState, mark: Mark) -> QRectF:
    """Where the flag and name of a mark lie; they stay at the left edge while it is in view."""
    left, right = state.viewport.x(mark.start), state.viewport.x(mark.end)
    text = mark_text(mark)
    wide = QFontMetricsF(label_font()).horizontalAdvance(text) + 6 if text else 0.0
    wide = _FLAG + min(wide, _LONGEST_NAME)
    if left < 0 < right:
        left = min(0.0, right - wide)
    return QRectF(left, 0, wide, STRIP)


def mark_text(mark: Mark) -> str:
    """What stands beside a flag: its name, and how long a stretch is."""
    length = "" if mark.is_flag else exact(mark.end - mark.start)
    return " · ".join(filter(None, (mark.name, length)))


def draw_marks(painter: QPainter, state: TimelineState) -> None:
    """Draw marks with their names, and the time between neighbours where there is room."""
    view = state.viewport
    ground = state.palette.colour("surface")
    metrics = QFontMetricsF(painter.font())
    for mark in state.marks.all:
        colour, box = mark_colour(state, mark), mark_box(state, mark)
        if box.left() > state.width or view.x(mark.end) < -box.width():
            continue
        if not mark.is_flag:
            left, right = view.x(mark.start), view.x(mark.end)
            painter.fillRect(QRectF(left, STRIP - 2, max(right - left, 2), 3), colour)
        painter.fillRect(box, ground)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(_flag(box.left()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(state.palette.colour("text"))
        room = box.width() - _FLAG - 2
        text = metrics.elidedText(mark_text(mark), Qt.TextElideMode.ElideRight, room)
        inside = box.adjusted(_FLAG + 2, 0, 0, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, text)
    for before, after in pairwise(state.marks.all):
        _draw_between(painter, state, before, after, metrics)


def _flag(x: float) -> QPolygonF:
    corners = (
        (0, 1),
        (_FLAG, 1),
        (_FLAG - 3, 5.5),
        (_FLAG, 10),
        (1.5, 10),
        (1.5, STRIP),
        (0, STRIP),
    )
    return QPolygonF([QPointF(x + dx, y) for dx, y in corners])


def _draw_between(
    painter: QPainter, state: TimelineState, before: Mark, after: Mark, metrics: QFontMetricsF
) -> None:
    gap = after.start - before.end
    left = max(mark_box(state, before).right(), state.viewport.x(before.end)) + 4
    right = state.viewport.x(after.start) - 4
    text = exact(gap)
    wide = metrics.horizontalAdvance(text) + 8
    if gap <= 0 or right - left < wide + 16:
        return
    middle, y = (max(left, 0.0) + min(right, float(state.width))) / 2, STRIP / 2
    painter.fillRect(QRectF(left, 0, right - left, STRIP), state.palette.colour("surface"))
    painter.setPen(state.palette.colour("muted", 0.7))
    painter.drawLine(QPointF(left, y), QPointF(middle - wide / 2, y))
    painter.drawLine(QPointF(middle + wide / 2, y), QPointF(right, y))
    painter.setPen(state.palette.colour("muted"))
    inside = QRectF(middle - wide / 2, 0, wide, STRIP)
    painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, text)


def draw_range(painter: QPainter, state: TimelineState) -> None:
    """Draw the selected stretch with its length."""
    if state.range is None:
        return
    colour = state.palette.colour
    start, end = state.range
    left, right = state.viewport.x(start), state.viewport.x(end)
    if right < 0 or left > state.width:
        return
    left, right = max(left, -2.0), min(right, state.width + 2.0)
    band = QRectF(left, 0, right - left, HEIGHT - 1)
    painter.fillRect(band, colour("accent", 0.22))
    painter.setPen(colour("accent"))
    painter.drawLine(band.topLeft(), band.bottomLeft())
    painter.drawLine(band.topRight(), band.bottomRight())
    left, right = max(left, 0.0), min(right, float(state.width))
    _draw_tag(painter, state, exact(end - start), left, right)


def _draw_tag(
    painter: QPainter, state: TimelineState, text: str, left: float, right: float
) -> None:
    """Draw a text on the accent colour."""
    box = tag_box(state, QFontMetricsF(painter.font()), text, left, right)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(state.palette.colour("accent"))
    painter.drawRoundedRect(box, 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(state.palette.colour("on_accent"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def tag_box(
    state: TimelineState, metrics: QFontMetricsF, text: str, left: float, right: float
) -> QRectF:
    """Where a text goes: to the middle of a stretch, or beside names of marks, and of steps."""
    wide = metrics.horizontalAdvance(text) + 12
    boxes = []
    for share in (0.5, 0.25, 0.75, 0.1, 0.9):
        x = left + (right - left) * share - wide / 2
        x = min(max(x, 2.0), max(state.width - wide - 2.0, 2.0))
        boxes.append(QRectF(x, 1, wide, STRIP))
    marks = [mark_box(state, mark) for mark in state.marks.all]
    steps = [box for box, _ in step_names(state, metrics)]

    def covered(box: QRectF) -> tuple[int, int]:
        under = [sum(box.intersects(other) for other in names) for names in (marks, steps)]
        return under[0], under[1]

    return min(boxes, key=covered)


def draw_cursor(painter: QPainter, state: TimelineState) -> None:
    """Draw the time under the pointer."""
    if state.cursor is None:
        return
    colour = state.palette.colour
    x = state.viewport.x(state.cursor)
    text = exact(state.cursor - state.scene.start)
    wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 10
    left = min(max(x - wide / 2, 1), state.width - wide - 1)
    box = QRectF(left, HEIGHT - 18, wide, 16)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(colour("line"))
    painter.setBrush(colour("raised"))
    painter.drawRoundedRect(box, 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(colour("text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
