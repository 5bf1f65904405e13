"""Views that were left, to come back to: undoing a zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer

if TYPE_CHECKING:
    from plugins.timeline.ui.viewport import Viewport

_MOST = 100
_PAUSE = 600


class History:
    """Steps of one movement (a wheel turned, a key held) count as one."""

    def __init__(self, pause: int = _PAUSE) -> None:
        self._left: list[Viewport] = []
        self._pause = pause
        self._since = QElapsedTimer()

    def leave(self, view: Viewport, *, jump: bool = False) -> None:
        """Remember a view before it changes; small steps in quick succession only once."""
        moving = self._since.isValid() and self._since.elapsed() < self._pause
        self._since.restart()
        if (jump or not moving) and view not in self._left[-1:]:
            self._left = [*self._left[-_MOST:], view]

    def back(self) -> Viewport | None:
        """Take the latest view that was left; None when there is none."""
        self._since.invalidate()
        return self._left.pop() if self._left else None
