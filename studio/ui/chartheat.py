"""A heat map: one coloured cell per row and column, with the value where it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.chartpick import NONE, PickChart
from studio.ui.sharebar import ink_on
from studio.ui.text import NOT_RECORDED
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

_LEFT = 84.0
_FOOT = 20.0
_HIGHEST = 34.0
_LEAST = 14.0


class HeatMap(PickChart):
    """Rows and columns of numbers; a cell without a number was not recorded.

    Parts are numbered row by row.
    """

    def __init__(self, name: str, empty: str = "") -> None:
        super().__init__(name, empty)
        self.rows: Sequence[str] = ()
        self.columns: Sequence[str] = ()
        self.values: NDArray[np.float64] = np.zeros((0, 0))
        self._write: Callable[[float], str] = str
        self._span = (0.0, 1.0)

    def set_cells(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        values: NDArray[np.float64],
        write: Callable[[float], str],
    ) -> None:
        """Show values (one line per row, NaN where none is recorded), written by `write`."""
        self.rows, self.columns, self.values, self._write = rows, columns, values, write
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        self._span = (low, high)
        self.setMinimumHeight(round(len(rows) * _LEAST + _FOOT + 4))
        self.set_current(NONE)

    def count(self) -> int:
        """How many cells there are."""
        return int(self.values.size)

    def cell(self, part: int) -> tuple[int, int]:
        """Row and column of a cell."""
        return divmod(part, max(len(self.columns), 1))

    def place_of(self, part: int) -> QRectF:
        """Where a cell lies."""
        row, column = self.cell(part)
        wide, high = self._size()
        return QRectF(_LEFT + column * wide, 2 + row * high, wide, high)

    def table(self) -> Iterable[Sequence[object]]:
        """A line per row, headed by the columns."""
        yield self.accessibleName(), *self.columns
        for name, line in zip(self.rows, self.values.tolist(), strict=True):
            yield name, *line

    def part_at(self, place: QPointF) -> int:
        """The cell at a place."""
        wide, high = self._size()
        row, column = int((place.y() - 2) // high), int((place.x() - _LEFT) // wide)
        inside = 0 <= row < len(self.rows) and 0 <= column < len(self.columns)
        return row * len(self.columns) + column if inside else NONE

    def told(self, part: int) -> str:
        """Row, column and value of a cell."""
        row, column = self.cell(part)
        value = float(self.values[row, column])
        written = NOT_RECORDED if np.isnan(value) else self._write(value)
        return f"{self.rows[row]} · {self.columns[column]}: {written}"

    def next_by(self, key: int) -> int:
        """The cell beside the current one."""
        if key == Qt.Key.Key_Up:
            return self.current - len(self.columns)
        if key == Qt.Key.Key_Down:
            return self.current + len(self.columns)
        return super().next_by(key)

    def sizeHint(self) -> QSize:
        """Cells of a comfortable size."""
        return QSize(480, round(len(self.rows) * 24 + _FOOT + 4))

    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Draw names and cells."""
        theme = current_theme()
        wide, high = self._size()
        metrics = painter.fontMetrics()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        centre = Qt.AlignmentFlag.AlignCenter
        painter.setPen(theme.colour("muted"))
        for row, name in enumerate(self.rows):
            rect = QRectF(0, 2 + row * high, _LEFT - 8, high)
            painter.drawText(rect, right, metrics.elidedText(name, Qt.TextElideMode.ElideLeft, 76))
        every = max(round(52 / wide), 1)
        for column in range(0, len(self.columns), every):
            rect = QRectF(_LEFT + (column + 0.5) * wide - 40, 2 + len(self.rows) * high, 80, _FOOT)
            painter.drawText(rect, centre, self.columns[column])
        low, high_value = self._span
        span = float(np.clip(high_value - low, 0, np.finfo(float).max)) or 1.0
        for part, value in enumerate(self.values.ravel().tolist()):
            rect = self.place_of(part)
            if not rect.intersects(within):
                continue
            known = value == value
            share = min(max((value - low) / span, 0.0), 1.0)
            colour = theme.sequential(share) if known else theme.colour("surface")
            painter.fillRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), colour)
            text = self._write(value) if known else NOT_RECORDED
            if metrics.horizontalAdvance(text) + 6 < rect.width() and rect.height() >= _LEAST:
                painter.setPen(ink_on(colour))
                painter.drawText(rect, centre, text)
            if part == self.current:
                painter.setPen(QPen(theme.colour("text"), 2))
                painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def _size(self) -> tuple[float, float]:
        wide = (self.width() - _LEFT - 6) / max(len(self.columns), 1)
        high = (self.height() - _FOOT - 4) / max(len(self.rows), 1)
        return max(wide, 3.0), min(max(high, _LEAST), _HIGHEST)
