"""A thin bar that tells how far a job is, at little cost for the job.

The style's own bar of unknown progress is painted sixty times a second, with all that lies behind
it: that took a tenth of the processor while a large file was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QProgressBar

from studio.i18n import tr
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QPaintEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

_WHOLE: Final = 1000
_EVERY_MS: Final = 100
_TURNS: Final = 12
_PART: Final = 0.25
"""While progress is not known, such a part of the bar wanders along in so many turns."""


class JobBar(QProgressBar):
    """Shows a share, or that something goes on while no share is known."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, _WHOLE)
        self.setTextVisible(False)
        self.setFixedWidth(width)
        self.setAccessibleName(tr("Progress"))
        self._known = False
        self._turn = 0
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._go_on)

    @property
    def known(self) -> bool:
        """Whether a share is shown."""
        return self._known

    def show_progress(self, progress: float | None) -> None:
        """Show how much is done (0 to 1, None when that is not known)."""
        before, self._known = self._known, progress is not None
        if progress is not None:
            value = round(progress * _WHOLE)
            if not before or abs(value - self.value()) * self.width() >= _WHOLE:
                self.setValue(value)
        if before != self._known:
            self.update()
        self._move_if_unknown()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the share as the style does, and the part that wanders."""
        if self._known:
            super().paintEvent(event)
            return
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        part = whole.width() * _PART
        left = (whole.width() - part) * abs(2 * self._turn / _TURNS - 1)
        for colour, area in (
            ("line", whole),
            ("accent", QRectF(left, whole.top(), part, whole.height())),
        ):
            painter.setBrush(theme.colour(colour))
            painter.drawRoundedRect(area, 2, 2)

    def showEvent(self, event: QShowEvent) -> None:
        """Move only while somebody sees it."""
        super().showEvent(event)
        self._move_if_unknown()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest."""
        super().hideEvent(event)
        self._timer.stop()

    def _move_if_unknown(self) -> None:
        if self._known or not self.isVisible():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _go_on(self) -> None:
        self._turn = (self._turn + 1) % _TURNS
        self.update()
