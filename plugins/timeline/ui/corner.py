"""The corner left of the ruler: the time that ticks count from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.rulerpaint import HEIGHT
from studio.i18n import tr
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from plugins.timeline.ui.ruler import Ruler
    from plugins.timeline.ui.state import TimelineState


class Corner(QWidget):
    """Tells the time that the ruler's labels with a plus count from, else that of the left edge."""

    def __init__(self, state: TimelineState, ruler_: Ruler, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._ruler = ruler_
        self.setFixedHeight(HEIGHT)
        self.setToolTip(tr("Times count from the beginning of the trace"))
        self.setAccessibleName(tr("Time at the left edge"))
        state.view_changed.connect(self.update)
        state.palette_changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the time."""
        painter = QPainter(self)
        colour = self._state.palette.colour
        painter.fillRect(self.rect(), colour("surface"))
        painter.setFont(label_font())
        base = self._ruler.axis().base_label
        text = base
        if not base:
            text = exact(self._state.viewport.start - self._state.scene.start)
            painter.setPen(colour("muted"))
        else:
            painter.setPen(colour("text"))
        inside = QRect(8, 0, self.width() - 16, self.height() - 2)
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, text)
        painter.setPen(colour("line"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        painter.end()
