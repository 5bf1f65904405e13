"""The panel of problems, its status item and its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from plugins.problems.ui.panel import Problems
from plugins.problems.ui.status import ProblemCount

if TYPE_CHECKING:
    from studio.api import Studio


def make_panel(studio: Studio) -> Problems:
    """The bottom panel."""
    return Problems(studio)


def make_status(studio: Studio) -> ProblemCount:
    """The count in the status bar."""
    return ProblemCount(studio)


def show(studio: Studio) -> None:
    """Bring the panel to the front and give it the focus."""
    panel = _panel(studio)
    if panel is not None:
        panel.list.setFocus(Qt.FocusReason.ShortcutFocusReason)


def next_problem(studio: Studio) -> None:
    """Go to the next problem."""
    panel = _panel(studio)
    if panel is not None:
        panel.step(1)


def previous_problem(studio: Studio) -> None:
    """Go to the previous problem."""
    panel = _panel(studio)
    if panel is not None:
        panel.step(-1)


def copy_all(studio: Studio) -> None:
    """Put the problems that are shown on the clipboard."""
    panel = _panel(studio)
    if panel is not None:
        panel.copy()


def _panel(studio: Studio) -> Problems | None:
    panel = studio.window.show_panel("problems.panel") if studio.window is not None else None
    return panel if isinstance(panel, Problems) else None
