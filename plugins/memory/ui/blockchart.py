"""Lifetimes of the blocks that hold most: a bar from allocation to release for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from studio.i18n import tr
from studio.ui.chartpick import NONE, PickChart
from studio.ui.sharebar import ink_on
from studio.ui.text import format_bytes
from studio.ui.theme import current_theme
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

LANE: Final = 14
_LEFT: Final = 64.0
_RIGHT: Final = 8.0
_HUES: Final = 12


class BlockChart(PickChart):
    """Parts are the rows of `plugins.memory.lifetimes.largest_blocks`; wider ones hold longer."""

    def __init__(self) -> None:
        super().__init__(tr("Lifetimes of blocks"), tr("No block with a known beginning."))
        nothing = np.zeros(0, np.int64)
        self.lane: Numbers = nothing
        self.start: Numbers = nothing
        self.end: Numbers = nothing
        self.bytes: Numbers = nothing
        self.names: Sequence[str] = ()
        self._origin = 0
        self._shown = (0, 1)

    def set_blocks(self, largest: pd.DataFrame, names: Sequence[str], origin: int) -> None:
        """Show these blocks; times count from `origin`."""
        self.lane, self.start, self.end, self.bytes = (
            largest[column].to_numpy(np.int64) for column in ("lane", "start_ns", "end_ns", "bytes")
        )
        self.names, self._origin = names, origin
        lanes = int(self.lane.max(initial=0)) + 1
        self.setMinimumHeight(lanes * LANE + 6)
        self.show_times(origin, int(self.end.max(initial=origin + 1)))
        self.set_current(NONE)

    def show_times(self, start: int, end: int) -> None:
        """Show a stretch of time."""
        self._shown = (start, max(end, start + 1))
        self.update()

    def count(self) -> int:
        """How many blocks there are."""
        return len(self.lane)

    def place_of(self, part: int) -> QRectF:
        """Where the bar of a block lies."""
        low, high = self._shown
        scale = (self.width() - _LEFT - _RIGHT) / (high - low)
        left = _LEFT + (int(self.start[part]) - low) * scale
        right = _LEFT + (int(self.end[part]) - low) * scale
        y = 3 + int(self.lane[part]) * LANE
        return QRectF(left, y, max(right - left, 1.5), LANE - 2)

    def part_at(self, place: QPointF) -> int:
        """The block at a place."""
        lane = int((place.y() - 3) // LANE)
        for part in np.flatnonzero(self.lane == lane).tolist():
            if self.place_of(part).adjusted(-1, 0, 1, 2).contains(place):
                return int(part)
        return NONE

    def told(self, part: int) -> str:
        """Operator, size and times of a block."""
        begin, end = int(self.start[part]) - self._origin, int(self.end[part]) - self._origin
        size = format_bytes(int(self.bytes[part]))
        return f"{self.names[part]}\n{size}\n{exact(begin)} – {exact(end)}: {exact(end - begin)}"

    def sizeHint(self) -> QSize:
        """As high as the lanes."""
        return QSize(600, (int(self.lane.max(initial=0)) + 1) * LANE + 6)

    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Draw the bars in view."""
        theme = current_theme()
        frame = QRectF(_LEFT, 0, self.width() - _LEFT - _RIGHT, self.height())
        painter.save()
        painter.setClipRect(frame)
        for part in range(self.count()):
            rect = self.place_of(part)
            if not rect.intersects(within):
                continue
            colour = theme.category(crc32(self.names[part].encode()) % _HUES)
            painter.fillRect(rect, colour)
            if part == self.current:
                painter.setPen(QPen(theme.colour("text"), 2))
                painter.drawRect(rect.adjusted(1, 1, -1, -1))
            room = rect.intersected(frame).adjusted(3, 0, -3, 0)
            if room.width() > 60:
                painter.setPen(ink_on(colour))
                text = f"{self.names[part]}  {format_bytes(int(self.bytes[part]))}"
                shown = painter.fontMetrics().elidedText(
                    text, Qt.TextElideMode.ElideRight, round(room.width())
                )
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()
