"""A readable picture of any trace: a slice with a story, and its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.ui.classes import COMPUTING, kinds_of
from plugins.timeline.ui.navigation import go_to
from studio.trace import query

if TYPE_CHECKING:
    from plugins.timeline.ui.scene import Scene
    from plugins.timeline.ui.state import TimelineState
    from plugins.timeline.ui.view import TimelineView

_LEAST_ROOM = 9
_HEAD = 60


def show_slice(view: TimelineView, search: str) -> None:
    """Select a slice with a flow that came soon before it, and show both."""
    state = view.state
    if state is None or not len(state.scene.trace):
        return
    scene = state.scene
    index = choose(scene, search)
    start, duration = int(scene.trace.start[index]), int(scene.trace.duration[index])
    before = [int(scene.trace.start[i]) for i in scene.flows.of_slice(index).preceding]
    first = max((time for time in before if time <= start), default=start)
    span = max(start - first + duration, duration * _LEAST_ROOM, 1000)
    middle = (first + start + duration) // 2
    state.show_view(state.around(middle - span * 3 // 4, middle + span * 3 // 4, 0.0))
    _unfold(state, index)
    go_to(state, index)
    _show_both(state, index)
    view.pane_now().glide.finish()


def show_range(view: TimelineView) -> None:
    """Select the middle half of the time that slices take, and show all of it."""
    state = view.state
    if state is None:
        return
    start, end = state.scene.first_view
    quarter = (end - start) // 4
    state.lanes.scroll_to(0)
    state.show_view(state.around(start, end, 0.02))
    state.select_range((start + quarter, end - quarter))


def choose(scene: Scene, search: str) -> int:
    """Choose a slice: of the searched name, computing, long, and soon after what launched it."""
    trace, flows = scene.trace, scene.flows
    pairs = np.arange(flows.target.size)
    if search:
        named = query.with_names(trace, query.search(trace, search).tolist())
        if not named.size:
            return 0
        pairs = np.flatnonzero(np.isin(flows.target, named))
        if not pairs.size:
            return int(named[0])
    computing = pairs[kinds_of(scene.rows.slot[flows.target[pairs]]) == COMPUTING]
    pairs = computing if computing.size else pairs
    if not pairs.size:
        return int(np.argmax(trace.duration * (trace.depth > 0)))
    target = flows.target[pairs]
    wait = np.maximum(trace.start[target] - trace.start[flows.source[pairs]], 1)
    long = trace.duration[target] >= np.quantile(trace.duration[target], 0.8)
    score = np.where(long, trace.duration[target] / wait, 0.0)
    return int(target[int(np.argmax(score))])


def _unfold(state: TimelineState, index: int) -> None:
    band = state.lanes.layout.band_of_row(state.scene.row_of(index))
    if band is not None and band.folded:
        state.lanes.toggle(band)


def _show_both(state: TimelineState, index: int) -> None:
    """Scroll so that the slice is in view with what its flows come from, as far as both fit."""
    tops = []
    for number in (index, *state.scene.flows.of_slice(index).preceding):
        row = state.scene.row_of(number)
        band = state.lanes.layout.band_of_row(row)
        if band is not None:
            tops.append(band.row_top(row))
    if tops and max(tops) - min(tops) < state.lanes.height - _HEAD * 2:
        state.lanes.scroll_to(min(tops) - _HEAD)
