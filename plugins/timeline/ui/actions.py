"""What one can do on a timeline, by name: for keys, tool bar, menus and the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.ui import navigation
from plugins.timeline.ui.pointer import Drag

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.pane import TimelinePane

_STEP = 0.15
_ZOOM = 1.4


def fit(pane: TimelinePane) -> None:
    """Zoom to the selected range, else to the selected slice, else show everything."""
    state = pane.state
    if state.range is not None:
        state.go(state.around(*state.range, 0.04))
    elif state.selected >= 0:
        navigation.show_slice(state, state.selected, zoom=True)
    else:
        state.go(state.whole())


def fit_all(pane: TimelinePane) -> None:
    """Show the whole trace."""
    pane.state.go(pane.state.whole())


def zoom_in(pane: TimelinePane) -> None:
    """Zoom in at the pointer, or in the middle."""
    pane.state.show_view(pane.state.viewport.zoomed(1 / _ZOOM, _focus(pane)))


def zoom_out(pane: TimelinePane) -> None:
    """Zoom out at the pointer, or in the middle."""
    pane.state.show_view(pane.state.viewport.zoomed(_ZOOM, _focus(pane)))


def earlier(pane: TimelinePane) -> None:
    """Move to earlier times."""
    pane.state.show_view(pane.state.viewport.panned(-_STEP * pane.state.width))


def later(pane: TimelinePane) -> None:
    """Move to later times."""
    pane.state.show_view(pane.state.viewport.panned(_STEP * pane.state.width))


def up(pane: TimelinePane) -> None:
    """Scroll to lanes further up; with a selected slice go to the slice around it."""
    pane.state.lanes.scroll_to(pane.state.lanes.scroll - 60)


def down(pane: TimelinePane) -> None:
    """Scroll to lanes further down."""
    pane.state.lanes.scroll_to(pane.state.lanes.scroll + 60)


def page_up(pane: TimelinePane) -> None:
    """Scroll up by the height of the lane area."""
    lanes = pane.state.lanes
    lanes.scroll_to(lanes.scroll - (lanes.height - lanes.sticky) * 9 // 10)


def page_down(pane: TimelinePane) -> None:
    """Scroll down by the height of the lane area."""
    lanes = pane.state.lanes
    lanes.scroll_to(lanes.scroll + (lanes.height - lanes.sticky) * 9 // 10)


def undo_view(pane: TimelinePane) -> None:
    """Return to the view before the last movement or zoom."""
    pane.state.go_back()


def next_slice(pane: TimelinePane) -> None:
    """Select the next slice of the row."""
    navigation.go_to(pane.state, navigation.neighbour(pane.state, 1))


def previous_slice(pane: TimelinePane) -> None:
    """Select the slice before in the row."""
    navigation.go_to(pane.state, navigation.neighbour(pane.state, -1))


def outer_slice(pane: TimelinePane) -> None:
    """Select the slice around the selected one."""
    if pane.state.selected >= 0:
        navigation.go_to(pane.state, navigation.above(pane.state, pane.state.selected))


def inner_slice(pane: TimelinePane) -> None:
    """Select the first slice inside the selected one."""
    if pane.state.selected >= 0:
        navigation.go_to(pane.state, navigation.below(pane.state, pane.state.selected))


def next_step(pane: TimelinePane) -> None:
    """Select the training step after the selected one, or the first in view."""
    navigation.go_to_step(pane.state, 1)


def previous_step(pane: TimelinePane) -> None:
    """Select the training step before the selected one, or the last in view."""
    navigation.go_to_step(pane.state, -1)


def flow_forward(pane: TimelinePane) -> None:
    """Follow the flow that leaves the selected slice."""
    navigation.go_to(pane.state, navigation.flow_partner(pane.state, forward=True))


def flow_back(pane: TimelinePane) -> None:
    """Follow the flow that enters the selected slice back to where it came from."""
    navigation.go_to(pane.state, navigation.flow_partner(pane.state, forward=False))


def mark(pane: TimelinePane) -> None:
    """Mark the selected range or slice; again removes the mark."""
    state = pane.state
    if state.range is not None:
        state.marks.toggle(*state.range)
    elif state.selected >= 0:
        rows = state.scene.rows
        start = int(rows.start[state.selected])
        state.marks.toggle(start, start + max(int(rows.duration[state.selected]), 1))


def flag(pane: TimelinePane) -> None:
    """Put a flag at the pointer, at the selected slice, or in the middle; again removes it."""
    state = pane.state
    time = (state.shown()[0] + state.shown()[1]) // 2
    if state.cursor is not None:
        time = state.cursor
    elif state.selected >= 0:
        time = int(state.scene.rows.start[state.selected])
    state.marks.toggle(time, time)


def pin_lane(pane: TimelinePane) -> None:
    """Pin the lane under the pointer, or that of the selected slice; again puts it back."""
    band = _lane(pane)
    if band is not None:
        pane.state.lanes.pin(band.key, not band.pinned)


def hide_lane(pane: TimelinePane) -> None:
    """Hide the lane under the pointer, or that of the selected slice."""
    band = _lane(pane)
    if band is not None:
        pane.state.lanes.hide([band.key])


def show_hidden(pane: TimelinePane) -> None:
    """Bring back all hidden lanes."""
    pane.state.lanes.show_hidden()


def fold_all(pane: TimelinePane) -> None:
    """Fold all processes to their headings."""
    pane.state.lanes.fold_all(True)


def unfold_all(pane: TimelinePane) -> None:
    """Unfold all processes."""
    pane.state.lanes.fold_all(False)


def python_stacks(pane: TimelinePane) -> None:
    """Leave the frames of Python stacks out, or show them again."""
    pane.state.python_wanted.emit(not pane.state.scene.python)


def filter_lanes(pane: TimelinePane) -> None:
    """Put the cursor into the field that filters lanes."""
    pane.lane_filter.open()


def clear(pane: TimelinePane) -> None:
    """Step back: search first, then what is measured, then the selection."""
    if pane.search.active():
        pane.search.close()
    elif pane.state.measured >= 0:
        pane.state.measure(-1)
    elif pane.state.selected >= 0:
        pane.state.select(-1)
    else:
        pane.state.select_range(None)


def find(pane: TimelinePane) -> None:
    """Put the cursor into the search field."""
    pane.search.open()


def select_mode(pane: TimelinePane) -> None:
    """Switch what a drag does: move, or select a stretch of time."""
    pointer = pane.canvas.pointer
    pointer.set_mode(Drag.PAN if pointer.mode is Drag.RANGE else Drag.RANGE)
    pane.toolbar_state()


def flows(pane: TimelinePane) -> None:
    """Show or hide all flows in view."""
    pane.state.show_all_flows(not pane.state.all_flows)
    pane.toolbar_state()


def _lane(pane: TimelinePane) -> Band | None:
    """The lane that an action is meant for."""
    lanes, place = pane.state.lanes, pane.canvas.pointer.place
    band = lanes.at(place.y()) if place is not None else None
    if (band is None or band.track is None) and pane.state.selected >= 0:
        band = lanes.layout.band_of_row(pane.state.scene.row_of(pane.state.selected))
    return band if band is not None and band.track is not None else None


def _focus(pane: TimelinePane) -> float:
    place = pane.canvas.pointer.place
    return float(place.x()) if place is not None else pane.state.width / 2


ACTIONS: dict[str, Callable[[TimelinePane], None]] = {
    function.__name__: function
    for function in (
        fit,
        fit_all,
        zoom_in,
        zoom_out,
        earlier,
        later,
        up,
        down,
        page_up,
        page_down,
        undo_view,
        next_slice,
        previous_slice,
        outer_slice,
        inner_slice,
        next_step,
        previous_step,
        flow_forward,
        flow_back,
        mark,
        flag,
        pin_lane,
        hide_lane,
        show_hidden,
        fold_all,
        unfold_all,
        python_stacks,
        filter_lanes,
        clear,
        find,
        select_mode,
        flows,
    )
}
"""Every action by its name, which is also the last part of its command's id."""
