"""What the selected rows of a table add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject

from studio.i18n import tr, trn
from studio.ui.text import format_number, thousands

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.ui.columns import Values
    from studio.ui.table import TableView

_MOST = 2_000_000


class SelectionSummary(QObject):
    """Adds sum, mean, least and largest of the current column to the line that counts rows."""

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        self._plain = ""
        chosen = table.view.selectionModel()
        chosen.selectionChanged.connect(lambda *_: self._show())
        chosen.currentColumnChanged.connect(lambda *_: self._show())

    def refresh(self) -> None:
        """Take the text of the line as it is without a selection."""
        self._plain = self._table.count.text()
        self._show()

    def _show(self) -> None:
        table = self._table
        rows = table.selected()
        text = self._plain
        if len(rows) > 1:
            said = trn(
                "{count} selected", "{count} selected", len(rows), count=thousands(len(rows))
            )
            column = table.view.currentIndex().column()
            values = table.model.values[column] if 0 <= column < len(table.model.values) else None
            sums = summary_of(values, rows) if values is not None else ""
            text = "   ·   ".join(filter(None, (self._plain, said, sums)))
        table.count.setText(text)


def summary_of(values: Values, rows: NDArray[np.int64]) -> str:
    """Sum, mean, least and largest of some cells in words; "" for texts or without any value."""
    if not values.numeric or len(rows) > _MOST:
        return ""
    kept = rows[~(values.missing | values.inapplicable)[rows]]
    if not len(kept):
        return ""
    cells = values.array[kept]
    if values.column.kind == "int" and cells.dtype.kind != "f":
        total = _sum(cells)
        sums, least, largest = map(thousands, (total, int(cells.min()), int(cells.max())))
        mean = format_number(total / len(kept), values.column.digits)
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            added = float(_sum(cells) if cells.dtype.kind in "iu" else np.sum(cells))
        shown = [added, added / len(kept), float(cells.min()), float(cells.max())]
        sums, mean, least, largest = (
            format_number(value / values.divisor, values.column.digits) for value in shown
        )
    return tr(
        "{title}: sum {sums}, mean {mean}, {least} to {largest}",
        title=values.column.heading,
        sums=sums,
        mean=mean,
        least=least,
        largest=largest,
    )


def _sum(cells: NDArray[Any]) -> int:
    """Whole numbers added exactly, whatever their size."""
    if cells.dtype == object:
        return int(sum(cells.tolist()))
    largest = max(abs(int(cells.min())), abs(int(cells.max())))
    return int(cells.sum()) if largest * len(cells) < 2**63 else sum(cells.tolist())
