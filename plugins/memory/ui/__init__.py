"""The window part of memory: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.memory.ui.view import MemoryView
from studio.i18n import tr
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from studio.api import Studio

VIEW = "memory.view"


def make_view(studio: Studio, path: Path) -> QWidget:
    """Show the memory of a record, of a profile folder, or of a PyTorch trace."""
    from plugins.memory.core import find_record

    record = find_record(path)
    if record is None:
        return EmptyState(
            "memory",
            tr("{name} holds no memory record", name=path.name),
            tr(
                "Expected ASCEND_PROFILER_OUTPUT/memory_record.csv. Record it with "
                "torch_npu.profiler.profile(..., profile_memory=True)."
            ),
        )
    return MemoryView(studio, record)


def open_memory(studio: Studio, path: Path) -> None:
    """Open the memory that belongs to a path: of a trace in a profile, the record beside it."""
    if path.is_file() and ".json" in path.suffixes:
        from plugins.memory.core import find_record

        path = find_record(path.parent) or path
    studio.open(path, opener=VIEW)


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
