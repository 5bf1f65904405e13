"""The window part of the steps: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.steps.ui.view import StepsView

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio

VIEW = "steps.view"


def make_view(studio: Studio, path: Path, step: str = "", part: str = "") -> StepsView:
    """Show the steps of a profile, perhaps a part of one."""
    view = StepsView(studio, path)
    view.reopen(step, part)
    return view


def open_steps(studio: Studio, path: Path) -> None:
    """Open the steps of a profile."""
    studio.open(path, opener=VIEW)


def show_time(studio: Studio) -> None:
    """Show what is selected on the timeline."""
    view = studio.window.active_view() if studio.window is not None else None
    if isinstance(view, StepsView):
        view.show_on_timeline()


def demo(studio: Studio, tab: int = 0) -> None:
    """Show the steps of the first profile, one of the pages, for the tour."""
    profiles = studio.project.items_of("profile") if studio.project is not None else []
    view = studio.open(profiles[0].path, opener=VIEW) if profiles else None
    if isinstance(view, StepsView):
        view.restore_state({"tab": tab})
