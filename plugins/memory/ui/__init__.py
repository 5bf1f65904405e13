"""The window part of memory: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.memory.ui.view import MemoryView

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio

VIEW = "memory.view"


def make_view(studio: Studio, path: Path, find: str = "") -> MemoryView:
    """Show the memory of a profile, of a record alone, or of a PyTorch trace."""
    view = MemoryView(studio, path)
    view.reopen(find)
    return view


def open_memory(studio: Studio, path: Path) -> None:
    """Open the memory that belongs to a path: of a trace in a profile, that of the profile."""
    from plugins.memory.core import profile_of

    studio.open(profile_of(path), opener=VIEW)


def show_all(studio: Studio) -> None:
    """Show the whole time."""
    if (view := _view(studio)) and view.pane:
        view.pane.chart.show_all()


def show_peak(studio: Studio) -> None:
    """Zoom to the largest peak that is shown."""
    if (view := _view(studio)) and view.pane:
        view.pane.show_peak()


def show_timeline(studio: Studio) -> None:
    """Open the timeline of the same profile."""
    if view := _view(studio):
        view.show_timeline()


def _view(studio: Studio) -> MemoryView | None:
    view = studio.window.active_view() if studio.window is not None else None
    return view if isinstance(view, MemoryView) else None


def demo(studio: Studio, page: str = "") -> None:
    """Show a page of the memory of the first profile, for the tour."""
    profiles = studio.project.items_of("profile") if studio.project is not None else []
    view = studio.open(profiles[0].path, opener=VIEW) if profiles else None
    if isinstance(view, MemoryView):
        view.restore_state({"page": page})
