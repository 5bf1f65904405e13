"""Which columns of a table are shown, in which order, which stay in sight, and their filters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from studio.kernel.files import write_atomic
from studio.paths import state_dir
from studio.ui.columnfilter import column_mask
from studio.ui.tablefrozen import FrozenColumns
from studio.ui.tablemenu import open_menu

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from studio.ui.columns import Values
    from studio.ui.table import TableView

_FILE = "tables.json"


class TableColumns(QObject):
    """What is done with columns; which are hidden, their order and which stay in sight is kept.

    It is kept for all tables alike, which are those with the same columns, told by their keys.
    """

    changed = Signal()

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        self.filters: dict[str, str] = {}
        self.frozen = FrozenColumns(table)
        header = table.view.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(lambda at: open_menu(table, header, at))
        header.sectionMoved.connect(lambda *_: self._keep())

    def data_changed(self) -> None:
        """Arrange the columns of other data as they were."""
        keys = self._keys()
        self.filters = {key: text for key, text in self.filters.items() if key in keys}
        self._mark()
        kept = _read().get(self._name(), {})
        hidden, order = kept.get("hidden", []), kept.get("order", [])
        view, header = self._table.view, self._table.view.horizontalHeader()
        header.blockSignals(True)
        for section, key in enumerate(keys):
            view.setColumnHidden(section, key in hidden)
        for place, key in enumerate(key for key in order if key in keys):
            header.moveSection(header.visualIndex(keys.index(key)), place)
        header.blockSignals(False)
        self._table.model.baselines.clear()
        frozen = kept.get("frozen", 0)
        self.frozen.freeze(frozen if isinstance(frozen, int) and 0 < frozen < len(keys) else 0)

    # -- filters of columns -----------------------------------------------------------------------
    def set_filter(self, key: str, text: str) -> None:
        """Filter by one column, or no longer with ""; raises FilterError."""
        values = {v.column.key: v for v in self._table.model.values}[key]
        if text.strip():
            column_mask(values, text)
            self.filters[key] = text.strip()
        else:
            self.filters.pop(key, None)
        self._mark()
        self.changed.emit()

    def mask_of(self, values: Sequence[Values]) -> Callable[[], NDArray[np.bool_]] | None:
        """What works out the rows that all filters let through; None without any filter."""
        filters = dict(self.filters)
        if not filters:
            return None

        def work() -> NDArray[np.bool_]:
            mask = np.ones(len(values[0].array) if values else 0, dtype=bool)
            for one in values:
                if one.column.key in filters:
                    mask &= column_mask(one, filters[one.column.key])
            return mask

        return work

    # -- columns ----------------------------------------------------------------------------------
    def set_shown(self, key: str, on: bool) -> None:
        """Show or hide a column; the last one that is shown stays."""
        view, keys = self._table.view, self._keys()
        shown = [k for at, k in enumerate(keys) if not view.isColumnHidden(at)]
        if on or shown != [key]:
            view.setColumnHidden(keys.index(key), not on)
            self.frozen.place()
            self._keep()

    def freeze(self, key: str) -> None:
        """Keep the columns up to this one in sight while others are scrolled; "" lets all go."""
        shown = [values.column.key for values in self._table.shown_columns()]
        self.frozen.freeze(shown.index(key) + 1 if key in shown else 0)
        self._keep()

    def compare(self, key: str, other: str) -> None:
        """Show in one column by how much its numbers exceed those of another; "" ends that."""
        model, view = self._table.model, self._table.view
        if other:
            model.baselines[key] = other
        else:
            model.baselines.pop(key, None)
        section = self._keys().index(key)
        view.setColumnWidth(section, max(view.columnWidth(section), self._table.fitting(section)))
        last = max(self._table.model.columnCount() - 1, 0)
        model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        view.viewport().update()

    def reset(self) -> None:
        """Show every column, in the order of the data, without filters."""
        view, header = self._table.view, self._table.view.horizontalHeader()
        for section in range(len(self._keys())):
            view.setColumnHidden(section, False)
            header.moveSection(header.visualIndex(section), section)
        self.filters.clear()
        self.frozen.freeze(0)
        self._mark()
        self._keep()
        self.changed.emit()

    # -- inside -----------------------------------------------------------------------------------
    def _keys(self) -> list[str]:
        return [values.column.key for values in self._table.model.values]

    def _name(self) -> str:
        return " ".join(sorted(self._keys()))

    def _mark(self) -> None:
        """Let the headers say which columns are filtered."""
        filtered = {at for at, key in enumerate(self._keys()) if key in self.filters}
        self._table.model.set_filtered(filtered)

    def _keep(self) -> None:
        view, header, keys = self._table.view, self._table.view.horizontalHeader(), self._keys()
        kept = _read()
        kept[self._name()] = {
            "hidden": [key for at, key in enumerate(keys) if view.isColumnHidden(at)],
            "order": [keys[header.logicalIndex(at)] for at in range(len(keys))],
            "frozen": self.frozen.count,
        }
        _write(kept)


def _read() -> dict[str, Any]:
    try:
        kept = json.loads((state_dir() / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _write(kept: dict[str, Any]) -> None:
    try:
        write_atomic(state_dir() / _FILE, json.dumps(kept, ensure_ascii=False, indent=1).encode())
    except OSError:
        return  # only an arrangement of columns; the next one is tried again
