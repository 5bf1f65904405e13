"""The window as plugins get it, see `studio.api.Window`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QMessageBox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from studio.ui.shell import MainWindow


_NARROWEST = 380
"""A question is this wide at least, in pixels: paths in it break less."""


class HostWindow:
    """Passes on to the main window what plugins may ask of it."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def open(self, target: Path, opener: str, arguments: Mapping[str, Any]) -> object | None:
        """Show `target` in a centre tab and return the view, or None when nothing can show it."""
        return self._window.open(target, opener, arguments)

    def close(self, view: object) -> None:
        """Close the centre tab of a view (asks about unsaved work)."""
        page = self._window.centre.page_of(view)
        if page is not None:
            self._window.centre.close_page(page)

    def active_view(self) -> object | None:
        """The view in the current centre tab."""
        page = self._window.centre.active()
        return page.view if page is not None else None

    def active_opener(self) -> str:
        """The id of the opener of the current centre tab, "" without one."""
        page = self._window.centre.active()
        return page.opener.id if page is not None else ""

    def views(self) -> Sequence[object]:
        """Every open centre view."""
        return self._window.views()

    def show_panel(self, panel: str) -> object | None:
        """Bring a panel to the front by its id and return its widget."""
        return self._window.show_panel(panel)

    def notify(
        self, plugin: str, severity: str, message: str, details: str, actions: Mapping[str, Any]
    ) -> None:
        """Show a notice."""
        self._window.notify(plugin, severity, message, details, actions)

    def withdraw(self, message: str) -> None:
        """Take notices with this text away, whose actions mean nothing any more."""
        for notice in [n for n in self._window.notices.shown if n.message == message]:
            self._window.notices.dismiss(notice)

    def ask(self, title: str, question: str, choices: Sequence[str], default: str) -> str:
        """Ask a question with named answers; returns the answer, "" when dismissed.

        Enter gives the `default`; with "" it dismisses the question.
        """
        box = QMessageBox(self._window)
        box.setWindowTitle(title)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(title)
        box.setInformativeText(question)
        box.setIcon(QMessageBox.Icon.NoIcon)
        buttons = {
            box.addButton(choice, QMessageBox.ButtonRole.AcceptRole): choice for choice in choices
        }
        for button, choice in buttons.items():
            if choice == default:
                box.setDefaultButton(button)
        # A role of its own, so that Esc means none of the answers.
        escape = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setEscapeButton(escape)
        if default not in choices:  # else Qt takes the first of them
            box.setDefaultButton(escape)
        _arrange(box)
        box.exec()
        clicked = box.clickedButton()
        answer = next((choice for button, choice in buttons.items() if button is clicked), "")
        box.deleteLater()
        return answer

    def parent(self) -> MainWindow:
        """The QMainWindow, as parent for dialogs."""
        return self._window


def _arrange(box: QMessageBox) -> None:
    """Let title and question begin where the buttons do, with room for a path."""
    question = box.findChild(QLabel, "qt_msgbox_informativelabel")
    if isinstance(question, QLabel):
        question.setMinimumWidth(_NARROWEST)
    grid = box.layout()
    if not isinstance(grid, QGridLayout):
        return
    grid.setContentsMargins(16, 16, 16, 12)
    for at in range(grid.count()):
        item = grid.itemAt(at)
        room = item.spacerItem() if item is not None else None
        if room is not None and grid.columnCount() > 1:  # what keeps free of the icon
            room.changeSize(0, 0)
    grid.setHorizontalSpacing(0)
    grid.invalidate()
