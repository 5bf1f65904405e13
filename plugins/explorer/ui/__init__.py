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


def _panel(studio: Studio) -> Explorer | None:
    panel = studio.window.show_panel("explorer.panel") if studio.window is not None else None
    return panel if isinstance(panel, Explorer) else None
