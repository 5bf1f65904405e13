"""Everything one can do on a timeline, by name: for keys, tool bar, menus and the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from plugins.timeline.ui import navigation
from plugins.timeline.ui.pointer import Drag

if TYPE_CHECKING:
    from collections.abc import Callable

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
    pane.state.scroll_to(pane.state.scroll - 60)


def down(pane: TimelinePane) -> None:
    """Scroll to lanes further down."""
    pane.state.scroll_to(pane.state.scroll + 60)


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
        state.add_mark(*state.range)
    elif state.selected >= 0:
        rows = state.scene.rows
        start = int(rows.start[state.selected])
        state.add_mark(start, start + max(int(rows.duration[state.selected]), 1))


def clear(pane: TimelinePane) -> None:
    """Step back: search first, then range and slice."""
    if pane.search.active():
        pane.search.close()
    elif pane.state.range is not None:
        pane.state.select_range(None)
    else:
        pane.state.select(-1)


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
        next_slice,
        previous_slice,
        outer_slice,
        inner_slice,
        flow_forward,
        flow_back,
        mark,
        clear,
        find,
        select_mode,
        flows,
    )
}
"""Every action by its name, which is also the last part of its command's id."""

KEYS: dict[tuple[Qt.Key, bool], str] = {
    (Qt.Key.Key_W, False): "zoom_in",
    (Qt.Key.Key_S, False): "zoom_out",
    (Qt.Key.Key_A, False): "earlier",
    (Qt.Key.Key_D, False): "later",
    (Qt.Key.Key_Plus, False): "zoom_in",
    (Qt.Key.Key_Equal, False): "zoom_in",
    (Qt.Key.Key_Minus, False): "zoom_out",
    (Qt.Key.Key_Left, False): "earlier",
    (Qt.Key.Key_Right, False): "later",
    (Qt.Key.Key_Up, False): "up",
    (Qt.Key.Key_Down, False): "down",
    (Qt.Key.Key_Up, True): "outer_slice",
    (Qt.Key.Key_Down, True): "inner_slice",
    (Qt.Key.Key_Left, True): "previous_slice",
    (Qt.Key.Key_Right, True): "next_slice",
    (Qt.Key.Key_F, False): "fit",
    (Qt.Key.Key_0, False): "fit_all",
    (Qt.Key.Key_Home, False): "fit_all",
    (Qt.Key.Key_M, False): "mark",
    (Qt.Key.Key_Comma, False): "previous_slice",
    (Qt.Key.Key_Period, False): "next_slice",
    (Qt.Key.Key_BracketLeft, False): "flow_back",
    (Qt.Key.Key_BracketRight, False): "flow_forward",
    (Qt.Key.Key_Slash, False): "find",
    (Qt.Key.Key_Escape, False): "clear",
    (Qt.Key.Key_Q, False): "clear",
}
"""Keys on the lanes, without and with Shift."""
