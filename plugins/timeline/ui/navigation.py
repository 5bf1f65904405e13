"""Moving through a timeline: to slices, their neighbours, and along flows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.ui.overlay import instant_track
from studio.trace import query

if TYPE_CHECKING:
    from plugins.timeline.ui.state import TimelineState
    from studio.model.locations import Location

_REACH = 3.0
_ONE_BY_ONE = 12
_FILLED = 0.35


def nearest_slice(state: TimelineState, row: int, x: float, reach: float = _REACH) -> int:
    """Return the slice of a row at a pixel, else the closest within `reach` pixels, else -1.

    Among slices that share the pixel the longest wins, as in the picture.
    """
    rows, view = state.scene.rows, state.viewport
    first, last = int(rows.first[row]), int(rows.last[row])
    if first >= last:
        return -1
    low = view.time(x - reach)
    high = view.time(x + reach) + 1
    begin = max(int(np.searchsorted(rows.start[first:last], low)) + first - 1, first)
    stop = int(np.searchsorted(rows.start[first:last], high)) + first
    if begin >= stop:
        return -1
    if stop - begin <= _ONE_BY_ONE:
        return _nearest_of_few(state, begin, stop, x, reach)
    starts, durations = rows.start[begin:stop], rows.duration[begin:stop]
    left = view.xs(starts)
    right = np.maximum(left + durations / view.scale, left + 1.0)
    distance = np.maximum(np.maximum(left - x, x - right), 0.0)
    here = (np.floor(left) <= x) & (x < np.maximum(np.ceil(right), np.floor(left) + 1))
    if here.any():
        durations = np.where(here, durations, -1)
        return begin + int(np.argmax(durations))
    best = int(np.argmin(distance))
    return begin + best if distance[best] <= reach else -1


def _nearest_of_few(state: TimelineState, begin: int, stop: int, x: float, reach: float) -> int:
    """The same, slice by slice: arrays would cost more than they hold."""
    rows, view = state.scene.rows, state.viewport
    longest, found, near, closest = -1, -1, reach, -1
    for index in range(begin, stop):
        duration = int(rows.duration[index])
        left = view.x(int(rows.start[index]))
        right = max(left + duration / view.scale, left + 1.0)
        if math.floor(left) <= x < max(math.ceil(right), math.floor(left) + 1):
            if duration > longest:
                longest, found = duration, index
        elif (distance := max(left - x, x - right, 0.0)) <= near and (
            closest < 0 or distance < near
        ):
            near, closest = distance, index
    return found if found >= 0 else closest


def neighbour(state: TimelineState, step: int) -> int:
    """Return the slice before (-1) or after (+1) the selected one in its row; -1 at the ends."""
    if state.selected < 0:
        return _first_in_view(state)
    return query.neighbour(state.scene.trace, state.selected, step)


def step_instant(state: TimelineState, way: int) -> None:
    """Select the event before (-1) or after (1) the selected one of its lane, and show it."""
    track = instant_track(state)
    number = -1 if track is None else state.scene.instants[track.number].step(state.instant, way)
    if number >= 0:
        state.select_instant(number)
        x = state.viewport.x(int(state.scene.trace.instants.time[number]))
        if not 0 <= x <= state.width:
            state.go(state.viewport.panned(x - state.width / 2))


def above(state: TimelineState, index: int) -> int:
    """Return the slice that encloses this one, one depth up; -1 at the top."""
    return state.scene.parent(index)


def below(state: TimelineState, index: int) -> int:
    """Return the first slice inside this one, one depth down; -1 when there is none."""
    scene = state.scene
    row = scene.row_of(index) + 1
    rows = scene.rows
    if row >= rows.first.size or scene.lane_of_row(row) != int(scene.trace.lane[index]):
        return -1
    first, last = int(rows.first[row]), int(rows.last[row])
    found = first + int(np.searchsorted(rows.start[first:last], rows.start[index]))
    end = int(rows.start[index] + rows.duration[index])
    return found if found < last and int(rows.start[found]) < max(end, 1) else -1


def go_to(state: TimelineState, index: int, *, keep_range: bool = False) -> None:
    """Select a slice and bring it into view."""
    if index >= 0:
        state.select(index, keep_range=keep_range)
        show_slice(state, index)


def show_slice(state: TimelineState, index: int, *, zoom: bool = False) -> None:
    """Bring a slice into view; with `zoom` so that it fills most of it."""
    rows = state.scene.rows
    start, duration = int(rows.start[index]), int(rows.duration[index])
    state.lanes.show_row(state.scene.row_of(index))
    left, right = state.viewport.x(start), state.viewport.x(start + duration)
    if zoom:
        state.go(state.around(start, start + max(duration, 1), 0.15))
    elif left >= state.width - 8 or right <= 8:
        wide = (right - left) / state.width
        if wide > _FILLED:
            state.go(state.around(start, start + duration, 0.5))
        else:
            state.go(state.viewport.panned((left + right) / 2 - state.width / 2))


def show_location(state: TimelineState, wanted: Location) -> None:
    """Select the slice that a location names, else its stretch of time, and zoom there."""
    index = state.scene.find_key(wanted.row) if wanted.row else -1
    if index >= 0:
        state.select(index)
        show_slice(state, index, zoom=True)
    elif wanted.start_ns is not None and wanted.end_ns is not None:
        chosen = (wanted.start_ns, max(wanted.end_ns, wanted.start_ns + 1))
        state.select_range(chosen)
        state.go(state.around(*chosen, 0.2))


def go_to_step(state: TimelineState, way: int) -> bool:
    """Select the step after (1) or before (-1) the selected time, else one in view."""
    steps = state.scene.steps.all
    begin, end = state.range or state.shown()
    if state.range is None:
        around = [step for step in steps if begin <= step.start < end]
    elif way > 0:
        around = [step for step in steps if step.start > begin]
    else:
        around = [step for step in steps if step.start < begin]
    if not around:
        return False
    step = around[0 if way > 0 else -1]
    state.select_range((step.start, step.end), state.area)
    left, right = state.viewport.x(step.start), state.viewport.x(step.end)
    if left < 0 or right > state.width:
        state.go(state.around(step.start, step.end, 0.1))
    return True


def flow_partner(state: TimelineState, forward: bool) -> int:
    """Return the slice that a flow leads to from the selected one (or comes from); -1 for none."""
    if state.selected < 0:
        return -1
    links = state.scene.flows.of_slice(state.selected)
    partners = links.following if forward else links.preceding
    return partners[0] if partners else -1


def _first_in_view(state: TimelineState) -> int:
    middle = state.width / 2
    for band in state.lanes.shown():
        if band.kind == "slices" and band.track is not None:
            found = nearest_slice(state, band.track.first_row, middle, reach=middle)
            if found >= 0:
                return found
    return -1
