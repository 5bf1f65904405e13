"""What stands in the tab of a long file until it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.loading import LoadingPage
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.editor.core.reading import ReadFile
    from studio.api import Studio
    from studio.model.locations import Location


class WaitingView(QWidget):
    """Reads a file in the background and becomes the view that `make` makes of it."""

    became = Signal(object)

    def __init__(self, studio: Studio, path: Path, make: Callable[[ReadFile], QWidget]) -> None:
        super().__init__()
        self._make = make
        self._state: dict[str, Any] = {}
        self._wanted: Location | None = None
        self._done = False
        self._column = QVBoxLayout(self)
        self._page = LoadingPage(path.name, self._stop, self)
        self._column.addWidget(self._page)
        self._job = studio.start_job(
            "editor:core.reading.read_file",
            {"path": path},
            title=tr("Reading {name}", name=path.name),
            key=f"read {id(self)}",
            done=self._take,
            failed=self._fail,
        )
        self._page.follow(self._job)

    def idle(self) -> bool:
        """Whether the file is read."""
        return self._done

    def save_state(self) -> dict[str, Any]:
        """What the view will return to."""
        return self._state

    def restore_state(self, state: dict[str, Any]) -> None:
        """Keep a state for the view."""
        self._state = state

    def reveal(self, location: Location) -> bool:
        """Go to a place as soon as it is there."""
        self._wanted = location
        return True

    def _take(self, found: ReadFile) -> None:
        self._done = True
        self._page.finish()
        view = self._make(found)
        self.became.emit(view)
        reveal = getattr(view, "reveal", None)
        if self._wanted is not None and callable(reveal):
            reveal(self._wanted)

    def _stop(self) -> None:
        self._job.cancel()
        self._tell(tr("Reading was cancelled"), "")

    def _fail(self, error: BaseException) -> None:
        self._tell(
            tr("The file could not be read"),
            error.message if isinstance(error, StudioError) else str(error),
        )

    def _tell(self, title: str, text: str) -> None:
        self._done = True
        self._page.finish()
        self._page.hide()
        self._column.addWidget(EmptyState("warn", title, text))
