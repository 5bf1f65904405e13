"""The Qt model of a table: sorted and filtered by a permutation of rows, never by moving data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from studio.ui.columns import Column, Values, read_columns
from studio.ui.fonts import mono_font
from studio.ui.icons import icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Index = QModelIndex | QPersistentModelIndex
RAW_ROLE = Qt.ItemDataRole.UserRole + 1
HEAT_ROLE = Qt.ItemDataRole.UserRole + 2
_ROOT = QModelIndex()


class FrameModel(QAbstractTableModel):
    """Rows of a DataFrame or list, with the order and the filter of the view applied."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[Values] = []
        self.rows: NDArray[np.int64] = np.arange(0)
        self._mono = mono_font()
        self._filtered: frozenset[int] = frozenset()

    def set_data(self, data: Any, columns: Sequence[Column] = ()) -> None:  # noqa: ANN401 - a DataFrame or rows
        """Show other data; order and filter begin anew."""
        self.beginResetModel()
        self.values = read_columns(data, columns)
        self.rows = np.arange(self.total())
        self.endResetModel()

    def total(self) -> int:
        """How many rows there are without the filter."""
        return len(self.values[0].array) if self.values else 0

    def set_rows(self, rows: NDArray[np.int64]) -> None:
        """Show these source rows in this order."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        place = np.full(self.total() if old else 0, -1)
        if old:
            place[rows] = np.arange(len(rows))
        kept = [int(place[self.source_row(index)]) for index in old]
        columns = [index.column() for index in old]
        self.rows = rows
        moved = [
            self.index(row, column) if row >= 0 else QModelIndex()
            for row, column in zip(kept, columns, strict=True)
        ]
        self.changePersistentIndexList(old, moved)
        self.layoutChanged.emit()

    def set_filtered(self, columns: Iterable[int]) -> None:
        """Mark the headings of columns that have a filter of their own."""
        filtered = frozenset(columns)
        if filtered != self._filtered:
            self._filtered = filtered
            last = max(self.columnCount() - 1, 0)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def source_row(self, index: Index) -> int:
        """The row of the data that an index shows."""
        return int(self.rows[index.row()])

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many rows the filter lets through."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """How many columns there are."""
        return 0 if parent.isValid() else len(self.values)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - as Qt has it
        """One cell for one role."""
        if not index.isValid():
            return None
        values, row = self.values[index.column()], int(self.rows[index.row()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return values.shown(row)
            case Qt.ItemDataRole.ToolTipRole:
                return values.exact(row) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if values.numeric else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole:
                absent = values.missing[row] or values.inapplicable[row]
                return current_theme().colour("muted") if absent else None
            case Qt.ItemDataRole.FontRole:
                return self._mono if values.numeric else None
            case _ if role == RAW_ROLE:
                return values.raw(row)
            case _ if role == HEAT_ROLE:
                return _share(values, row)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401 - as Qt has it
        """The heading of a column."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.values):
            return None
        values = self.values[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return values.column.heading
        if role == Qt.ItemDataRole.DecorationRole and section in self._filtered:
            return icon("filter", "accent")
        if role == Qt.ItemDataRole.ToolTipRole:
            return values.column.tip or values.column.heading
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if values.numeric else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def matching_rows(values: Sequence[Values], words: Sequence[str]) -> NDArray[np.int64]:
    """The source rows in which each word stands in some cell, whatever its case."""
    total = len(values[0].array) if values else 0
    kept = np.ones(total, dtype=bool)
    texts = [v for v in values if v.texts is not None or v.array.dtype == object] or list(values)
    for word in words:
        found = np.zeros(total, dtype=bool)
        for column in texts:
            rest = np.flatnonzero(kept & ~found)
            cells = column.array[rest] if column.texts is None else column.texts
            holds = np.array([word in str(cell).casefold() for cell in cells], dtype=bool)
            found[rest] = holds if column.texts is None else holds[column.array[rest]]
        kept &= found
    return np.flatnonzero(kept)


def _share(values: Values, row: int) -> float | None:
    value = values.raw(row)
    if not values.largest or not isinstance(value, int | float):
        return None
    return min(abs(value) / values.largest, 1.0)
