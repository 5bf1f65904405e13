"""The commands of the window: each does one action on the timeline in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.ui.hub import SLICES, Hub
from plugins.timeline.ui.view import TimelineView
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.api import Studio
    from studio.model.locations import Location


def _action(name: str) -> Callable[[Studio], None]:
    """Make the command for an action of `plugins.timeline.ui.actions`."""

    def run(studio: Studio) -> None:
        view = studio.window.active_view() if studio.window is not None else None
        if isinstance(view, TimelineView):
            view.run(name)

    run.__doc__ = f"Do what the action {name} does."
    return run


fit = _action("fit")
fit_all = _action("fit_all")
zoom_in = _action("zoom_in")
zoom_out = _action("zoom_out")
earlier = _action("earlier")
later = _action("later")
up = _action("up")
down = _action("down")
page_up = _action("page_up")
page_down = _action("page_down")
shortcuts = _action("shortcuts")
undo_view = _action("undo_view")
next_slice = _action("next_slice")
previous_slice = _action("previous_slice")
outer_slice = _action("outer_slice")
inner_slice = _action("inner_slice")
next_step = _action("next_step")
previous_step = _action("previous_step")
flow_forward = _action("flow_forward")
flow_back = _action("flow_back")
flows = _action("flows")
mark = _action("mark")
select_time = _action("select_time")
range_longer = _action("range_longer")
range_shorter = _action("range_shorter")
measure = _action("measure")
flag = _action("flag")
clear = _action("clear")
find = _action("find")
select_mode = _action("select_mode")
pin_lane = _action("pin_lane")
hide_lane = _action("hide_lane")
show_hidden = _action("show_hidden")
fold_all = _action("fold_all")
unfold_all = _action("unfold_all")
low_rows = _action("low_rows")
full_rows = _action("full_rows")
python_stacks = _action("python_stacks")
filter_lanes = _action("filter_lanes")


def list_slices(studio: Studio) -> None:
    """Show the panel that lists slices."""
    if studio.window is not None:
        studio.window.show_panel(SLICES)


def export_slices(studio: Studio) -> None:
    """Save the selected or visible part as a trace or a table."""
    view = _view(studio)
    if view is not None:
        from plugins.timeline.ui.exporting import export_part, shown_part

        export_part(view, shown_part(view), view)


def save_picture(studio: Studio) -> None:
    """Save the picture of the timeline."""
    view = _view(studio)
    if view is not None:
        from plugins.timeline.ui.exporting import export_picture

        export_picture(view, view)


def copy_picture(studio: Studio) -> None:
    """Put the picture of the timeline on the clipboard."""
    view = _view(studio)
    if view is not None:
        from plugins.timeline.ui.exporting import copy_picture as copy

        copy(view.pane_now())


def find_source(studio: Studio, location: Location) -> None:
    """Light up the slices of the function that a source line lies in."""
    view = _any_timeline(studio)
    if view is None:
        studio.notify(tr("Open a trace of the project first."))
    else:
        from plugins.timeline.ui.sources import find_line

        view.when_loaded(lambda: find_line(view, location))


def _any_timeline(studio: Studio) -> TimelineView | None:
    """The timeline used last, else any that is open, else that of the project's first trace."""
    followed = studio.shared(Hub).view
    if followed is not None:
        return followed
    if studio.window is None or studio.project is None:
        return None
    for view in studio.window.views():
        if isinstance(view, TimelineView):
            return view
    trace = next((item for item in studio.project.items if item.kind == "trace"), None)
    opened = studio.open(trace.path, opener="timeline.view") if trace is not None else None
    return opened if isinstance(opened, TimelineView) else None


def _view(studio: Studio) -> TimelineView | None:
    """The timeline in front, once loaded."""
    view = studio.window.active_view() if studio.window is not None else None
    return view if isinstance(view, TimelineView) and view.pane is not None else None


def source(studio: Studio) -> None:
    """Open the source line of the selected slice."""
    view = studio.window.active_view() if studio.window is not None else None
    if isinstance(view, TimelineView):
        view.go_to_source()
