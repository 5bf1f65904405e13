"""The window part of the operators: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.operators.ui.view import OperatorsView

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio

VIEW = "operators.view"


def make_view(
    studio: Studio, path: Path, kind: str = "", find: str = "", by: str = ""
) -> OperatorsView:
    """Show the operators of a profile."""
    view = OperatorsView(studio, path)
    view.reopen(kind, find, by)
    return view


def open_operators(studio: Studio, path: Path) -> None:
    """Open the operators of a profile."""
    studio.open(path, opener=VIEW)


def show_time(studio: Studio) -> None:
    """Show the selected operator on the timeline."""
    view = studio.window.active_view() if studio.window is not None else None
    if isinstance(view, OperatorsView) and view.pane is not None:
        view.pane.show_on_timeline()


def demo(studio: Studio, row: int = 0, page: str = "") -> None:
    """Show the operators of the first profile with a row selected, or a page, for the tour."""
    profiles = studio.project.items_of("profile") if studio.project is not None else []
    view = studio.open(profiles[0].path, opener=VIEW) if profiles else None
    if isinstance(view, OperatorsView):
        view.select_when_read(row)
        view.show_page(page)
