"""Back to where one was, and forth again, over tabs and places in them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from shiboken6 import isValid

if TYPE_CHECKING:
    from studio.ui.page import Page
    from studio.ui.shell import MainWindow

_LONGEST = 100

Place = dict[str, Any]
"""What brings a tab back, see `Page.saved`."""


class Trail(QObject):
    """Notes the place one leaves: at a jump, and when another tab comes to the front.

    A place is a tab with its state, so each kind of view comes back as it was: cursor, scroll,
    zoom.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._behind: list[Place] = []
        self._ahead: list[Place] = []
        self._front: Page | None = None
        self._going = False
        window.centre.active_changed.connect(self._tab_changed)
        jumping = window.app.jumping.connect(lambda _location: self.leave())
        window.destroyed.connect(lambda: jumping.disconnect())
        closed = window.app.project_changed.connect(lambda _project: self.clear())
        window.destroyed.connect(lambda: closed.disconnect())

    def clear(self) -> None:
        """Forget all places; another project is opened."""
        self._behind.clear()
        self._ahead.clear()
        self._front = None

    def leave(self) -> None:
        """Note where one is, since one is about to jump away."""
        page = self._window.centre.active()
        if page is not None and not self._going:
            self._note(page)

    def back(self) -> bool:
        """Go to the place before; False at the first one."""
        return self._go(self._behind, self._ahead)

    def forward(self) -> bool:
        """Go to the place one came back from; False at the last one."""
        return self._go(self._ahead, self._behind)

    def pressed(self, button: Qt.MouseButton) -> bool:
        """Go where a button of a mouse leads; False for any other button."""
        if button == Qt.MouseButton.BackButton:
            return self.back() or True
        return button == Qt.MouseButton.ForwardButton and (self.forward() or True)

    # -- inside -----------------------------------------------------------------------------------
    def _tab_changed(self) -> None:
        page, before = self._window.centre.active(), self._front
        self._front = page
        if before is None or before is page or self._going or not isValid(before):
            return
        self._note(before)

    def _note(self, page: Page) -> None:
        place = _place(page)
        if place is not None and (not self._behind or self._behind[-1] != place):
            self._behind = [*self._behind, place][-_LONGEST:]
            self._ahead.clear()

    def _go(self, source: list[Place], other: list[Place]) -> bool:
        page = self._window.centre.active()
        here = _place(page) if page is not None else None
        while source and source[-1] == here:
            source.pop()
        while source:
            place = source.pop()
            if self._show(place):
                if here is not None:
                    other.append(here)
                return True
        return False

    def _show(self, place: Place) -> bool:
        """Bring a place back; False when its file or its plugin is gone."""
        found = self._window.opener(place["opener"])
        path = Path(place["path"])
        if found is None or (path.is_absolute() and not path.exists()):
            return False
        self._going = True
        try:
            page = self._window.centre.open(*found, path, place["arguments"], place["state"])
            restore = getattr(page.view, "restore_state", None)
            if callable(restore) and place["state"]:
                with suppress(Exception):  # a stale state still leaves the tab in front
                    restore(place["state"])
            self._front = page
        finally:
            self._going = False
        return True


def _place(page: Page) -> Place | None:
    with suppress(Exception):  # a view that cannot say where it is has no place to go back to
        return page.saved()
    return None
