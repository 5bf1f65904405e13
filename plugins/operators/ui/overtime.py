"""When the operators of one group ran, and how long each took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.i18n import tr
from studio.ui.chartpick import NONE, PickChart
from studio.ui.text import format_ns
from studio.ui.theme import current_theme
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_SIDE: Final = 10.0
_FOOT: Final = 20.0
_REACH: Final = 12.0


class OverTime(PickChart):
    """One point per operator: across when it began, up how long it took. Points go by start."""

    def __init__(self) -> None:
        hint = tr("Select an operator to see when it ran.")
        super().__init__(tr("Occurrences over time"), hint)
        self.offset: Numbers = np.zeros(0, np.int64)
        self.duration: Numbers = np.zeros(0, np.int64)
        self._whole = 1
        self.setMinimumHeight(90)

    def set_occurrences(self, offset: Numbers, duration: Numbers, whole: int) -> None:
        """Show operators that begin at these offsets (in order) of a time of `whole` ns."""
        self.offset, self.duration, self._whole = offset, duration, max(whole, 1)
        self.set_current(NONE)

    def count(self) -> int:
        """How many operators there are."""
        return len(self.offset)

    def part_at(self, place: QPointF) -> int:
        """The nearest operator within reach."""
        if not len(self.offset):
            return NONE
        x, y = self._places()
        away = np.hypot(x - place.x(), y - place.y())
        nearest = int(away.argmin())
        return nearest if away[nearest] <= _REACH else NONE

    def place_of(self, part: int) -> QPointF:
        """Where the point of an operator lies."""
        x, y = self._places()
        return QPointF(float(x[part]), float(y[part]))

    def told(self, part: int) -> str:
        """Begin and duration of an operator."""
        begin, length = exact(int(self.offset[part])), exact(int(self.duration[part]))
        return f"{tr('Start')}: {begin}\n{tr('Duration')}: {length}"

    def sizeHint(self) -> QSize:
        """A low strip."""
        return QSize(240, 130)

    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Draw one point per pixel at most, the whole time below."""
        theme = current_theme()
        x, y = self._places()
        pixels = np.unique(np.stack((x.astype(np.int64), y.astype(np.int64)), 1), axis=0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.semantic("computing"), 4, c=Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF([QPointF(a, b) for a, b in pixels.tolist()]))
        if self.current != NONE:
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawEllipse(self.place_of(self.current), 5, 5)
        bottom = self.height() - _FOOT
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(theme.colour("line"))
        painter.drawLine(QPointF(_SIDE, bottom), QPointF(self.width() - _SIDE, bottom))
        painter.setPen(theme.colour("muted"))
        foot = QRectF(_SIDE, bottom, self.width() - 2 * _SIDE, _FOOT)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft | middle, "0")
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | middle, format_ns(self._whole))
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, tr("Time"))
        longest = format_ns(int(self.duration.max()))
        top = QRectF(_SIDE, 0, self.width() - 2 * _SIDE, 16)
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | middle, tr("up to {time}", time=longest))

    def _places(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        wide = max(self.width() - 2 * _SIDE, 1.0)
        high = max(self.height() - _FOOT - 24, 1.0)
        longest = max(int(self.duration.max()), 1)
        x = _SIDE + self.offset.astype(np.float64) * (wide / self._whole)
        y = self.height() - _FOOT - 4 - self.duration.astype(np.float64) * (high / longest)
        return x, y
