"""Code and reasons side by side, or one below the other where both do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from plugins.migration.ui.why import WhyPane

_NARROW = 1_180
_BESIDE, _BELOW = 300, 168


class ReasonSplit(QSplitter):
    """Turns when it becomes narrow or wide; the reasons can be dragged shut."""

    def __init__(self, code: QWidget, reasons: WhyPane) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._reasons = reasons
        self.setHandleWidth(1)
        self.addWidget(code)
        self.addWidget(reasons)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self.setSizes([4 * _BESIDE, _BESIDE])
        self.setCollapsible(0, False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the reasons below the code where both do not fit side by side."""
        super().resizeEvent(event)
        below = self.width() < _NARROW
        wanted = Qt.Orientation.Vertical if below else Qt.Orientation.Horizontal
        if self.orientation() is not wanted:
            self.setOrientation(wanted)
            self._reasons.set_below(below=below)
            room = self.height() if below else self.width()
            size = min(_BELOW, room * 2 // 5) if below else _BESIDE
            self.setSizes([max(room - size, size), size])
