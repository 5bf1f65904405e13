"""What lies over the lanes: selected slice and time, marks, what others look at, the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from plugins.timeline.ui.bands import draw_bands
from plugins.timeline.ui.layout import PINNED_EDGE, ROW

if TYPE_CHECKING:
    from plugins.timeline.ui.frame import Placed
    from plugins.timeline.ui.layout import Track
    from plugins.timeline.ui.marks import Mark
    from plugins.timeline.ui.state import Area, TimelineState

_FADE = 28.0
_STEP_ROOM = 12


def mark_colour(state: TimelineState, mark: Mark) -> QColor:
    """The colour of a mark."""
    return state.palette.theme.category(mark.number + 7)


def slice_rect(state: TimelineState, index: int) -> QRectF | None:
    """Where a slice is drawn, in pixels of the lane area; None when its process is folded."""
    if index < 0:
        return None
    scene = state.scene
    row = scene.row_of(index)
    band = state.lanes.layout.band_of_row(row)
    if band is None:
        return None
    left = state.viewport.x(int(scene.rows.start[index]))
    width = max(int(scene.rows.duration[index]) / state.viewport.scale, 1.0)
    gap = 1 if band.row_height == ROW else 0
    return QRectF(left, state.lanes.row_y(band, row), width, band.row_height - gap)


def draw_open_ends(painter: QPainter, state: TimelineState, placed: Placed) -> None:
    """Let slices whose end was never written fade out, with a dotted edge."""
    background = state.palette.colour("bg")
    clear = QColor(background)
    clear.setAlpha(0)
    for place in np.flatnonzero(state.scene.trace.open_ended[placed.index]).tolist():
        top, width = int(placed.top[place]), float(placed.width[place])
        if top < placed.clip[place]:
            continue
        right = float(placed.left[place]) + width
        fade = min(_FADE, width)
        gradient = QLinearGradient(right - fade, 0, right, 0)
        gradient.setColorAt(0, clear)
        gradient.setColorAt(1, background)
        painter.fillRect(QRectF(right - fade, top, fade + 1, ROW - 1), gradient)
        painter.setPen(QPen(state.palette.colour("warn"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(right - 0.5, top, right - 0.5, top + ROW - 2))


def draw_selected(painter: QPainter, state: TimelineState) -> None:
    """Outline the selected slice, and the one measured to; or the selected instant."""
    _draw_instant(painter, state)
    for index, token in ((state.measured, "info"), (state.selected, "text")):
        if index < 0:
            continue
        rect = slice_rect(state, index)
        band = state.lanes.layout.band_of_row(state.scene.row_of(index))
        if rect is None or band is None or rect.bottom() < 0 or rect.top() > state.lanes.height:
            continue
        rect.setLeft(max(rect.left(), -4.0))
        rect.setRight(min(rect.right(), state.width + 4.0))
        if rect.width() < 3:
            rect.adjust(-1, 0, 1, 0)
        painter.setClipRect(0, state.lanes.clip(band), state.width, state.lanes.height)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(state.palette.colour("bg"), 4))
        painter.drawRect(rect.adjusted(-1, -1, 0, 0))
        painter.setPen(QPen(state.palette.colour(token), 2))
        painter.drawRect(rect.adjusted(-1, -1, 0, 0))
        painter.setClipping(False)


def _draw_instant(painter: QPainter, state: TimelineState) -> None:
    track = instant_track(state)
    band = state.lanes.layout.band_of(track.key) if track is not None else None
    if band is None:
        return
    y = state.lanes.y(band)
    x = state.viewport.x(int(state.scene.trace.instants.time[state.instant]))
    if -8 <= x <= state.width + 8 and y >= state.lanes.clip(band):
        painter.setBrush(state.palette.colour("text"))
        painter.setPen(QPen(state.palette.colour("bg"), 2))
        painter.drawRoundedRect(QRectF(x - 2.5, y, 6, band.height - 5), 2, 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def instant_track(state: TimelineState) -> Track | None:
    """The track of the selected instant."""
    if state.instant < 0:
        return None
    time = state.scene.trace.instants.time[state.instant]
    for group in state.scene.groups:
        for track in group.tracks:
            if track.kind != "instants":
                continue
            inside = state.scene.instants[track.number]
            place = int(np.searchsorted(inside.times, time))
            until = int(np.searchsorted(inside.times, time, "right"))
            if state.instant in inside.numbers[place:until]:
                return track
    return None


def draw_steps(painter: QPainter, state: TimelineState) -> None:
    """Draw a faint line where a training step begins or ends, unless they are too close."""
    view, height = state.viewport, state.lanes.height
    start, end = state.shown()
    edges = [edge for edge in state.scene.steps.edges if start <= edge <= end]
    if len(edges) * _STEP_ROOM > state.width:
        return
    painter.setPen(QPen(state.palette.colour("muted", 0.35), 1, Qt.PenStyle.DashLine))
    for edge in edges:
        x = view.x(edge)
        painter.drawLine(QLineF(x, 0, x, height))


def draw_marks(painter: QPainter, state: TimelineState) -> None:
    """Tint marked stretches; draw a line at flags and edges."""
    view, height = state.viewport, state.lanes.height
    for mark in state.marks.all:
        tint = mark_colour(state, mark)
        left, right = view.x(mark.start), view.x(mark.end)
        if right < 0 or left > state.width:
            continue
        if not mark.is_flag:
            tint.setAlphaF(0.10)
            painter.fillRect(QRectF(left, 0, right - left, height), tint)
        tint.setAlphaF(0.8)
        painter.setPen(QPen(tint, 1))
        for x in {left, right}:
            painter.drawLine(QLineF(x, 0, x, height))


def draw_ranges(painter: QPainter, state: TimelineState) -> None:
    """Shade what lies outside the selected stretch and lanes, or what another view selected."""
    token, chosen = ("accent", state.range) if state.range else ("info", state.shared)
    if state.bands is not None:
        draw_bands(painter, state, state.bands)
    if chosen is None:
        return
    left, right = state.viewport.x(chosen[0]), state.viewport.x(chosen[1])
    left, right = min(max(left, -2.0), state.width + 2.0), min(max(right, -2.0), state.width + 2.0)
    height = state.lanes.height
    shade = state.palette.colour("bg", 0.55)
    if state.bands is None:
        painter.fillRect(QRectF(0, 0, left, height), shade)
        painter.fillRect(QRectF(right, 0, state.width - right, height), shade)
    painter.setPen(QPen(state.palette.colour(token, 0.9), 1))
    if state.range is None or state.area is None:
        for x in (left, right):
            painter.drawLine(QLineF(x, 0, x, height))
        return
    for top, bottom, inside in _stretches(state, state.area):
        box = QRectF(left, top, right - left, bottom - top)
        if not inside:
            painter.fillRect(box, shade)
        else:
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


def _stretches(state: TimelineState, area: Area) -> list[tuple[int, int, bool]]:
    """Heights on the screen between which all lanes are inside the area, or all outside."""
    found: list[tuple[int, int, bool]] = []
    for band in sorted(state.lanes.shown(), key=state.lanes.y):
        top = max(state.lanes.y(band), state.lanes.clip(band))
        bottom = state.lanes.y(band) + band.height
        keys = [t.key for t in band.group.tracks] if band.track is None else [band.track.key]
        inside = any(key in area for key in keys) and (band.track is not None or band.folded)
        if found and found[-1][2] == inside and found[-1][1] >= top - PINNED_EDGE:
            found[-1] = (found[-1][0], bottom, inside)
        else:
            found.append((top, bottom, inside))
    return found


def draw_cursor(painter: QPainter, state: TimelineState) -> None:
    """Draw the line under the pointer, here or in another view of the profile."""
    for time, token, strength in ((state.cursor, "muted", 0.5), (state.pointed, "info", 0.9)):
        if time is not None:
            x = state.viewport.x(time)
            painter.setPen(QPen(state.palette.colour(token, strength), 1))
            painter.drawLine(QLineF(x, 0, x, state.lanes.height))
