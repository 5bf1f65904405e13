"""Moving on a timeline: in time, over lanes, from slice to slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.ui import navigation

if TYPE_CHECKING:
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
    _step(pane, 1)


def previous_slice(pane: TimelinePane) -> None:
    """Select the slice before in the row."""
    _step(pane, -1)


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


def _step(pane: TimelinePane, way: int) -> None:
    if pane.state.instant >= 0:
        navigation.step_instant(pane.state, way)
    else:
        navigation.go_to(pane.state, navigation.neighbour(pane.state, way))


def _focus(pane: TimelinePane) -> float:
    place = pane.canvas.pointer.place
    return float(place.x()) if place is not None else pane.state.width / 2
