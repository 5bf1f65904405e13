"""The explorer's panel and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from plugins.explorer.ui.panel import Explorer

if TYPE_CHECKING:
    from studio.api import Studio


def make_panel(studio: Studio) -> Explorer:
    """The left panel."""
    return Explorer(studio)


def show(studio: Studio) -> None:
    """Bring the panel to the front and give it the focus."""
    panel = _panel(studio)
    if panel is not None:
        panel.files.setFocus(Qt.FocusReason.ShortcutFocusReason)


def reveal_active(studio: Studio) -> None:
    """Select the file in front in the tree."""
    panel = _panel(studio)
    if panel is not None:
        panel.reveal_active(focus=True)


def focus_filter(studio: Studio) -> None:
    """Begin to type a filter."""
    panel = _panel(studio)
    if panel is not None:
        panel.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)


def refresh(studio: Studio) -> None:
    """Scan and list everything anew."""
    panel = _panel(studio)
    if panel is not None:
        panel.refresh()


def new_file(studio: Studio) -> None:
    """Make a file in the selected folder."""
    _change(studio, "new_file")


def new_folder(studio: Studio) -> None:
    """Make a folder in the selected one."""
    _change(studio, "new_folder")


def rename(studio: Studio) -> None:
    """Rename the selected entry."""
    _change(studio, "rename")


def duplicate(studio: Studio) -> None:
    """Copy the selected entry."""
    _change(studio, "duplicate")


def delete(studio: Studio) -> None:
    """Move the selected entry to the trash."""
    _change(studio, "delete")


def open_terminal(studio: Studio) -> None:
    """Open a terminal in the selected folder."""
    panel = _panel(studio)
    path = panel.current_path() if panel is not None else None
    if panel is not None and path is not None:
        panel.file_actions.open_terminal(path if path.is_dir() else path.parent)


def _change(studio: Studio, how: str) -> None:
    panel = _panel(studio)
    if panel is not None:
        panel.change(how)


def _panel(studio: Studio) -> Explorer | None:
    panel = studio.window.show_panel("explorer.panel") if studio.window is not None else None
    return panel if isinstance(panel, Explorer) else None
