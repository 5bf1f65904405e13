"""What lies over the lanes: selected slice and time, marks, what others look at, the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from plugins.timeline.ui.layout import ROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.timeline.ui.frame import Placed
    from plugins.timeline.ui.state import Mark, TimelineState

_FADE = 28.0


def mark_colour(state: TimelineState, mark: Mark) -> QColor:
    """The colour of a mark."""
    return state.palette.theme.category(mark.number + 7)


def slice_rect(state: TimelineState, index: int) -> QRectF | None:
    """Where a slice is drawn, in pixels of the lane area; None when its process is folded."""
    scene = state.scene
    row = scene.row_of(index)
    band = state.layout_.band_of_row(row)
    if band is None:
        return None
    left = state.viewport.x(int(scene.rows.start[index]))
    width = max(int(scene.rows.duration[index]) / state.viewport.scale, 1.0)
    gap = 1 if band.row_height == ROW else 0
    return QRectF(left, band.row_top(row) - state.scroll, width, band.row_height - gap)


def draw_open_ends(painter: QPainter, state: TimelineState, placed: Sequence[Placed]) -> None:
    """Let slices whose end was never written fade out, with a dotted edge."""
    open_ended = state.scene.trace.open_ended
    background = state.palette.colour("bg")
    clear = QColor(background)
    clear.setAlpha(0)
    for place in placed:
        if not open_ended[place.index]:
            continue
        right = place.left + place.width
        fade = min(_FADE, place.width)
        gradient = QLinearGradient(right - fade, 0, right, 0)
        gradient.setColorAt(0, clear)
        gradient.setColorAt(1, background)
        box = QRectF(right - fade, place.top, fade + 1, place.height - 1)
        painter.fillRect(box, gradient)
        painter.setPen(QPen(state.palette.colour("warn"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(right - 0.5, place.top, right - 0.5, place.top + place.height - 2))


def draw_selected(painter: QPainter, state: TimelineState) -> None:
    """Outline the selected slice."""
    if state.selected < 0:
        return
    rect = slice_rect(state, state.selected)
    if rect is None or rect.bottom() < 0 or rect.top() > state.height:
        return
    rect.setLeft(max(rect.left(), -4.0))
    rect.setRight(min(rect.right(), state.width + 4.0))
    if rect.width() < 3:
        rect.adjust(-1, 0, 1, 0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(state.palette.colour("bg"), 4))
    painter.drawRect(rect.adjusted(-1, -1, 0, 0))
    painter.setPen(QPen(state.palette.colour("text"), 2))
    painter.drawRect(rect.adjusted(-1, -1, 0, 0))


def draw_ranges(painter: QPainter, state: TimelineState) -> None:
    """Shade what lies outside the selected range; draw marks and the pointer's line."""
    view, colour = state.viewport, state.palette.colour
    for mark in state.marks:
        tint = mark_colour(state, mark)
        tint.setAlphaF(0.10)
        left, right = view.x(mark.start), view.x(mark.end)
        painter.fillRect(QRectF(left, 0, right - left, state.height), tint)
        tint.setAlphaF(0.8)
        painter.setPen(QPen(tint, 1))
        for x in (left, right):
            painter.drawLine(QLineF(x, 0, x, state.height))
    for chosen, token in ((state.shared, "info"), (state.range, "accent")):
        if chosen is None or (token == "info" and state.range is not None):
            continue
        left, right = view.x(chosen[0]), view.x(chosen[1])
        shade = colour("bg", 0.55)
        painter.fillRect(QRectF(0, 0, max(left, 0), state.height), shade)
        painter.fillRect(
            QRectF(min(right, state.width), 0, max(state.width - right, 0), state.height), shade
        )
        painter.setPen(QPen(colour(token, 0.9), 1))
        for x in (left, right):
            painter.drawLine(QLineF(x, 0, x, state.height))


def draw_cursor(painter: QPainter, state: TimelineState) -> None:
    """Draw the line under the pointer."""
    if state.cursor is not None:
        x = state.viewport.x(state.cursor)
        painter.setPen(QPen(state.palette.colour("muted", 0.5), 1))
        painter.drawLine(QLineF(x, 0, x, state.height))
