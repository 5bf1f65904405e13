"""The window part of the overview: what the manifest names as `ui:…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.overview.ui.view import OverviewView

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio

VIEW = "overview.view"


def make_view(studio: Studio, path: Path) -> OverviewView:
    """Show the overview of a profile folder, a packed profile or a database."""
    return OverviewView(studio, path)


def open_overview(studio: Studio, path: Path) -> None:
    """Open the overview of a profile."""
    studio.open(path, opener=VIEW)
