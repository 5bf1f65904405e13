"""A page that reads only once it is shown, and anew when what is asked changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.ui.readpages import ReadPages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QShowEvent

    from studio.api import Studio

    Asked = dict[str, Any]


class LazyPage(ReadPages):
    """Calls `ask` for the path and the arguments of a job, and `show` with its result."""

    def __init__(
        self,
        studio: Studio,
        function: str,
        ask: Callable[[], tuple[Path, Asked]],
        show: Callable[[Any], object],
        icon: str = "operator",
    ) -> None:
        super().__init__(studio, icon)
        self._function = function
        self._ask = ask
        self._shows = show
        self._stale = True

    def refresh(self) -> None:
        """Read again, now when the page is seen, else once it is."""
        self._stale = True
        if self.isVisible():
            self._read_now()

    def showEvent(self, event: QShowEvent) -> None:
        """Read what was not read yet."""
        super().showEvent(event)
        if self._stale:
            self._read_now()

    def _read_now(self) -> None:
        self._stale = False
        path, asked = self._ask()
        self.read(self._function, {"path": path, **asked}, path, self._shows)
