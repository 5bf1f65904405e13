"""The window part of the timeline: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.ui.emptypages import no_trace
from plugins.timeline.ui.hub import Hub
from plugins.timeline.ui.view import TimelineView
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from studio.api import Studio
    from studio.model.locations import Location

VIEW = "timeline.view"


def make_view(studio: Studio, path: Path) -> QWidget:
    """Open a trace file, or the trace of a profile folder."""
    if path.is_file():
        return TimelineView(studio, path)
    from studio.formats.profile_info import find_trace

    try:
        return TimelineView(studio, find_trace(path))
    except StudioError as error:
        return no_trace(path, error)


def make_details(studio: Studio) -> QWidget:
    """Make the details panel."""
    from plugins.timeline.ui.details import DetailsPanel

    return DetailsPanel(studio.shared(Hub))


def make_slices(studio: Studio) -> QWidget:
    """Make the panel that lists slices."""
    from plugins.timeline.ui.slicespanel import SlicesPanel

    return SlicesPanel(studio.shared(Hub))


def reveal(studio: Studio, location: Location) -> bool:
    """Show a slice or a stretch of time of a trace."""
    view = studio.open(location.path, opener=VIEW)
    return isinstance(view, TimelineView) and view.reveal(location)


def open_timeline(studio: Studio, path: Path) -> None:
    """Open a trace, or the trace of a profile folder."""
    studio.open(path, opener=VIEW)


def demo(studio: Studio, search: str = "", select: bool = False) -> None:
    """Bring a readable part of the trace into view, for the tour."""
    view = studio.window.active_view() if studio.window is not None else None
    if isinstance(view, TimelineView):
        view.when_loaded(lambda: _show_example(view, search, select))


def _show_example(view: TimelineView, search: str, select: bool) -> None:
    from plugins.timeline.ui.example import show_range, show_slice

    if select:
        show_range(view)
    else:
        show_slice(view, search)
