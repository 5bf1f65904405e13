"""What one can do on a timeline, by name: for keys, tool bar, menus and the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.ui import moves
from plugins.timeline.ui.pointer import Drag

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.pane import TimelinePane

_NUDGE = 0.02


def mark(pane: TimelinePane) -> None:
    """Mark the selected range or slice; again removes the mark."""
    state = pane.state
    if state.range is not None:
        state.marks.toggle(*state.range)
    elif state.selected >= 0:
        rows = state.scene.rows
        start = int(rows.start[state.selected])
        state.marks.toggle(start, start + max(int(rows.duration[state.selected]), 1))


def select_time(pane: TimelinePane) -> None:
    """Select the time of the selected slice, or all that is in view."""
    state = pane.state
    if state.selected >= 0:
        rows = state.scene.rows
        start = int(rows.start[state.selected])
        state.select_range((start, start + max(int(rows.duration[state.selected]), 1)))
    else:
        state.select_range(state.shown(), state.area)


def range_longer(pane: TimelinePane) -> None:
    """Move the end of the selected time to the right."""
    _move_end(pane, _NUDGE)


def range_shorter(pane: TimelinePane) -> None:
    """Move the end of the selected time to the left."""
    _move_end(pane, -_NUDGE)


def measure(pane: TimelinePane) -> None:
    """Measure from the selected slice to the one that is selected next."""
    if pane.state.selected >= 0:
        pane.state.begin_measure()


def flag(pane: TimelinePane) -> None:
    """Put a flag at the pointer, at the selected slice, or in the middle; again removes it."""
    state = pane.state
    time = (state.shown()[0] + state.shown()[1]) // 2
    if state.cursor is not None:
        time = state.cursor
    elif state.selected >= 0:
        time = int(state.scene.rows.start[state.selected])
    elif state.instant >= 0:
        time = int(state.scene.trace.instants.time[state.instant])
    state.marks.toggle(time, time)


def pin_lane(pane: TimelinePane) -> None:
    """Pin the lane of the title with the focus, under the pointer, or of the selected slice.

    Again puts it back.
    """
    band = _lane(pane)
    if band is not None and band.track is not None:
        pane.state.lanes.pin(band.key, not band.pinned)


def hide_lane(pane: TimelinePane) -> None:
    """Hide the lane of the title with the focus, under the pointer, or of the selected slice."""
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


def low_rows(pane: TimelinePane) -> None:
    """Give all lanes of several rows low rows, so that more of them fit."""
    pane.state.lanes.low_rows(True)


def full_rows(pane: TimelinePane) -> None:
    """Give all lanes rows that have room for names."""
    pane.state.lanes.low_rows(False)


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
    elif pane.state.measured >= 0 or pane.state.measure_from >= 0:
        pane.state.measure(-1)
    elif pane.state.selected >= 0 or pane.state.instant >= 0:
        pane.state.select(-1)
    else:
        pane.state.select_range(None)


def find(pane: TimelinePane) -> None:
    """Put the cursor into the search field."""
    pane.search.open()


def shortcuts(pane: TimelinePane) -> None:
    """Show the list of all keys."""
    pane.shortcuts_wanted.emit()


def select_mode(pane: TimelinePane) -> None:
    """Switch what a drag does: move, or select a stretch of time."""
    pointer = pane.canvas.pointer
    pointer.set_mode(Drag.PAN if pointer.mode is Drag.RANGE else Drag.RANGE)
    pane.toolbar_state()


def flows(pane: TimelinePane) -> None:
    """Show or hide all flows in view."""
    pane.state.show_all_flows(not pane.state.all_flows)
    pane.toolbar_state()


def _move_end(pane: TimelinePane, share: float) -> None:
    state = pane.state
    if state.range is not None:
        start, end = state.range
        moved = end + round(share * (state.shown()[1] - state.shown()[0]))
        state.select_range((start, max(moved, start + 1)), state.area)


def _lane(pane: TimelinePane) -> Band | None:
    """The lane that an action is meant for; a whole process only where its title has the focus."""
    if pane.window().focusWidget() is pane.gutter:
        return pane.gutter.current()
    lanes, place = pane.state.lanes, pane.canvas.pointer.place
    band = lanes.at(place.y()) if place is not None else None
    if (band is None or band.track is None) and pane.state.selected >= 0:
        band = lanes.layout.band_of_row(pane.state.scene.row_of(pane.state.selected))
    return band if band is not None and band.track is not None else None


ACTIONS: dict[str, Callable[[TimelinePane], None]] = {
    function.__name__: function
    for function in (
        moves.fit,
        moves.fit_all,
        moves.zoom_in,
        moves.zoom_out,
        moves.earlier,
        moves.later,
        moves.up,
        moves.down,
        moves.page_up,
        moves.page_down,
        moves.undo_view,
        moves.next_slice,
        moves.previous_slice,
        moves.outer_slice,
        moves.inner_slice,
        moves.next_step,
        moves.previous_step,
        moves.flow_forward,
        moves.flow_back,
        select_time,
        range_longer,
        range_shorter,
        measure,
        mark,
        flag,
        pin_lane,
        hide_lane,
        show_hidden,
        fold_all,
        unfold_all,
        low_rows,
        full_rows,
        python_stacks,
        filter_lanes,
        clear,
        find,
        shortcuts,
        select_mode,
        flows,
    )
}
"""Every action by its name, which is also the last part of its command's id."""
