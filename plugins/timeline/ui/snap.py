"""Edges that a dragged time snaps to: of slices under the pointer, of the selection, of marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugins.timeline.ui.state import TimelineState

REACH = 6.0
"""Pixels within which a time snaps."""


def snapped(state: TimelineState, x: float, row: int = -1) -> int:
    """Return the time at a pixel, or that of an edge close by."""
    view = state.viewport
    time = view.nearest(x)
    edges = [*_of_marks(state), *_of_selection(state), *_of_row(state, x, row)]
    best = min(edges, key=lambda edge: abs(edge - time), default=time)
    return best if abs(view.x(best) - x) <= REACH else time


def _of_marks(state: TimelineState) -> Iterable[int]:
    for mark in state.marks.all:
        yield from (mark.start, mark.end)
    yield from state.scene.steps.edges


def _of_selection(state: TimelineState) -> Iterable[int]:
    rows = state.scene.rows
    for index in (state.selected, state.measured):
        if index >= 0:
            start = int(rows.start[index])
            yield from (start, start + int(rows.duration[index]))
    if state.shared is not None:
        yield from state.shared


def _of_row(state: TimelineState, x: float, row: int) -> Iterable[int]:
    """Give the edges of the slices next to a pixel in a row."""
    if row < 0:
        return
    rows, view = state.scene.rows, state.viewport
    first, last = int(rows.first[row]), int(rows.last[row])
    place = first + int(np.searchsorted(rows.start[first:last], view.nearest(x)))
    for index in range(max(place - 1, first), min(place + 1, last)):
        start = int(rows.start[index])
        yield from (start, start + int(rows.duration[index]))
