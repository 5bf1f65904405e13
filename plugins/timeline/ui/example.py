"""A readable picture of any trace: a slice with a story, and its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.ui.classes import COMPUTING, kinds_of
from plugins.timeline.ui.navigation import go_to
from studio.trace import query

if TYPE_CHECKING:
    from plugins.timeline.ui.scene import Scene
    from plugins.timeline.ui.view import TimelineView

_AROUND = 30


def show_slice(view: TimelineView, search: str) -> None:
    """Select a slice with flows, if there is one, and show about thirty times its length."""
    state = view.state
    if state is None or not len(state.scene.trace):
        return
    scene = state.scene
    index = choose(scene, search)
    start, duration = int(scene.trace.start[index]), int(scene.trace.duration[index])
    times = [start, start + max(duration, 1)]
    links = scene.flows.of_slice(index)
    for partner in (*links.preceding[:1], *links.following[:1]):
        times.append(int(scene.trace.start[partner]))
    span = max(times) - min(times)
    room = max(span // 2, duration * _AROUND // 2 if span < duration * 3 else span // 2)
    state.show_view(state.around(min(times) - room, max(times) + room, 0.0))
    go_to(state, index)
    band = state.layout_.band_of_row(scene.row_of(index))
    if band is not None and band.folded:
        state.toggle(band)
        state.show_row(scene.row_of(index))
    view.pane_now().glide.finish()


def show_range(view: TimelineView) -> None:
    """Select the middle half of the time that slices take, and show all of it."""
    state = view.state
    if state is None:
        return
    start, end = state.scene.first_view
    quarter = (end - start) // 4
    state.scroll_to(0)
    state.show_view(state.around(start, end, 0.02))
    state.select_range((start + quarter, end - quarter))


def choose(scene: Scene, search: str) -> int:
    """Choose a slice: of the searched name, with a flow, of typical length."""
    trace = scene.trace
    candidates = np.unique(scene.flows.target)
    if search:
        named = query.with_names(trace, query.search(trace, search).tolist())
        both = np.intersect1d(candidates, named)
        candidates = both if both.size else named
    else:
        computing = candidates[kinds_of(scene.rows.slot[candidates]) == COMPUTING]
        candidates = computing if computing.size else candidates
    if not candidates.size:
        candidates = np.arange(len(trace))
    durations = trace.duration[candidates]
    order = np.argsort(durations, kind="stable")
    return int(candidates[order[int(candidates.size * 0.9)]])
