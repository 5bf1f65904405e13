"""The panel that searches and replaces in files, and its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.search.ui.panel import SearchPanel

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio


def make_panel(studio: Studio) -> SearchPanel:
    """The bottom panel."""
    return SearchPanel(studio)


def find(studio: Studio) -> None:
    """Ask what to find, beginning with the text selected in the view in front."""
    panel = _panel(studio)
    if panel is not None:
        panel.start(_selected(studio))


def replace(studio: Studio, text: str = "", by: str = "") -> None:
    """Ask what to find and what to put in its place, beginning with what is given."""
    panel = _panel(studio)
    if panel is not None:
        panel.start(text or _selected(studio), replacing=True)
        if by:
            panel.form.by.setText(by)


def find_in_folder(studio: Studio, path: Path) -> None:
    """Search below one folder of the project only."""
    panel = _panel(studio)
    project = studio.project
    if panel is not None and project is not None:
        folder = path if path.is_dir() else path.parent
        inside = folder.is_relative_to(project.root) and folder != project.root
        panel.start(include=f"/{project.relative(folder)}/" if inside else "")


def next_hit(studio: Studio) -> None:
    """Go to the next hit."""
    panel = _panel(studio)
    if panel is not None:
        panel.step(1)


def previous_hit(studio: Studio) -> None:
    """Go to the hit before."""
    panel = _panel(studio)
    if panel is not None:
        panel.step(-1)


def _panel(studio: Studio) -> SearchPanel | None:
    panel = studio.window.show_panel("search.panel") if studio.window is not None else None
    return panel if isinstance(panel, SearchPanel) else None


def _selected(studio: Studio) -> str:
    view = studio.window.active_view() if studio.window is not None else None
    selected = getattr(view, "selected_text", None)
    text = str(selected()) if callable(selected) else ""
    return "" if "\n" in text or "\r" in text else text
