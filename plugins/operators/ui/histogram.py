"""How the durations of one group of operators are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.i18n import tr, trn
from studio.perf.occurrences import distribution
from studio.ui.pictures import PictureMenu
from studio.ui.text import format_ns, thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

_MOST: Final = 32
_SIDE: Final = 10
_FOOT: Final = 20


class Histogram(QWidget):
    """Counts of durations in bins; hovering tells a bin's range and count."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.counts: NDArray[np.int64] = np.zeros(0, np.int64)
        self.edges: NDArray[np.float64] = np.zeros(0, np.float64)
        self._logarithmic = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(90)
        self.setAccessibleName(tr("Distribution of durations"))
        self.pictures = PictureMenu(self, self.table)

    def set_rows(self, rows: pd.DataFrame) -> None:
        """Show how long these operators took, in bins of `studio.perf.occurrences`."""
        if len(rows):
            bins = min(_MOST, max(int(np.sqrt(len(rows)) * 2), 4))
            table = distribution(rows, bins)
            self.counts = table["count"].to_numpy(np.int64)
            low, high = int(rows["duration_ns"].min()), int(rows["duration_ns"].max())
            self._logarithmic = high > 10 * max(low, 1)
            begin = table["from_ns"].to_numpy(np.float64)
            self.edges = np.append(begin, table["to_ns"].to_numpy(np.float64)[-1:])
            told = tr("{low} to {high}", low=format_ns(low), high=format_ns(high))
            self.setAccessibleName(f"{tr('Distribution of durations')}: {told}")
        else:
            self.counts, self.edges = np.zeros(0, np.int64), np.zeros(0, np.float64)
        self.update()

    def table(self) -> Iterable[Sequence[object]]:
        """The edges of every bin, in nanoseconds, and how many operators lie in it."""
        yield "from_ns", "to_ns", "count"
        edges = self.edges.tolist()
        yield from zip(edges[:-1], edges[1:], self.counts.tolist(), strict=True)

    def sizeHint(self) -> QSize:
        """A low strip."""
        return QSize(240, 130)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bins, and below them the shortest and longest duration."""
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        painter.setPen(theme.colour("muted"))
        if not len(self.counts):
            hint = tr("Select an operator to see how its durations are distributed.")
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(12, 0, -12, 0), flags, hint)
            painter.end()
            return
        foot = QRectF(_SIDE, self.height() - _FOOT, self.width() - 2 * _SIDE, _FOOT)
        middle = Qt.AlignmentFlag.AlignVCenter
        low, high = format_ns(round(self.edges[0])), format_ns(round(self.edges[-1]))
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft | middle, low)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | middle, high)
        painter.drawText(
            foot,
            Qt.AlignmentFlag.AlignCenter,
            tr("Duration (logarithmic)") if self._logarithmic else tr("Duration"),
        )
        for number in range(len(self.counts)):
            painter.fillRect(self._bin(number), theme.semantic("computing"))
        painter.setPen(theme.colour("line"))
        painter.drawLine(_SIDE, self.height() - _FOOT, self.width() - _SIDE, self.height() - _FOOT)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell the bin under the pointer."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._told(event.pos().x()), self)
            return True
        return super().event(event)

    def _told(self, x: float) -> str:
        if not len(self.counts):
            return ""
        wide = max(self.width() - 2 * _SIDE, 1)
        number = min(max(int((x - _SIDE) / wide * len(self.counts)), 0), len(self.counts) - 1)
        count = int(self.counts[number])
        low, high = (format_ns(round(edge)) for edge in self.edges[number : number + 2])
        times = trn("{count} operator", "{count} operators", count, count=thousands(count))
        return f"{tr('{low} to {high}', low=low, high=high)}: {times}"

    def _bin(self, number: int) -> QRectF:
        wide = (self.width() - 2 * _SIDE) / len(self.counts)
        room = self.height() - _FOOT - 8
        count = int(self.counts[number])
        high = max(room * count / max(int(self.counts.max()), 1), 1.0 if count else 0.0)
        return QRectF(_SIDE + number * wide, 8 + room - high, max(wide - 1, 1), high)
