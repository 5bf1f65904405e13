"""Which columns of a table are shown, in which order, and the filters of single ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu

from studio.i18n import tr
from studio.kernel.files import write_atomic
from studio.paths import state_dir
from studio.ui.columnfilter import FilterError, column_mask
from studio.ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from studio.ui.columns import Values
    from studio.ui.table import TableView

_FILE = "tables.json"


class TableColumns(QObject):
    """The menu of the header; hidden columns and their order are kept for all tables alike.

    Tables are alike when they have the same columns, told by their keys.
    """

    changed = Signal()

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        self.filters: dict[str, str] = {}
        header = table.view.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._menu)
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
            self._keep()

    def reset(self) -> None:
        """Show every column, in the order of the data, without filters."""
        view, header = self._table.view, self._table.view.horizontalHeader()
        for section in range(len(self._keys())):
            view.setColumnHidden(section, False)
            header.moveSection(header.visualIndex(section), section)
        self.filters.clear()
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
        }
        _write(kept)

    def _menu(self, place: QPoint) -> None:
        header, values = self._table.view.horizontalHeader(), self._table.model.values
        section = header.logicalIndexAt(place)
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if 0 <= section < len(values):
            key, title = values[section].column.key, values[section].column.heading
            for order, text in (
                (Qt.SortOrder.AscendingOrder, tr("Sort upwards")),
                (Qt.SortOrder.DescendingOrder, tr("Sort downwards")),
            ):
                action = menu.addAction(text)
                action.triggered.connect(
                    lambda _=False, o=order: header.setSortIndicator(section, o)
                )
            menu.addSeparator()
            ask = menu.addAction(icon("filter"), tr("Filter by “{title}”…", title=title))
            ask.triggered.connect(lambda _=False: self._ask(key, title))
            if key in self.filters:
                clear = menu.addAction(icon("close"), tr("No filter by “{title}”", title=title))
                clear.triggered.connect(lambda _=False: self.set_filter(key, ""))
            hide = menu.addAction(tr("Hide “{title}”", title=title))
            hide.triggered.connect(lambda _=False: self.set_shown(key, False))
            menu.addSeparator()
        chooser = menu.addMenu(icon("table"), tr("Columns"))
        for at, one in enumerate(values):
            shown = not self._table.view.isColumnHidden(at)
            action = QAction(one.column.heading, chooser, checkable=True, checked=shown)
            action.toggled.connect(lambda on, k=one.column.key: self.set_shown(k, on))
            chooser.addAction(action)
        reset = menu.addAction(icon("undo"), tr("All columns, no filters"))
        reset.triggered.connect(lambda _=False: self.reset())
        menu.popup(header.mapToGlobal(place))

    def _ask(self, key: str, title: str) -> None:
        dialog = QInputDialog(self._table)
        dialog.setWindowTitle(tr("Filter by “{title}”", title=title))
        hint = tr("Such as > 10, 5..20, != 0; text, =text, !text, /expression/; empty, not empty")
        dialog.setLabelText(hint)
        dialog.setTextValue(self.filters.get(key, ""))
        while dialog.exec():
            try:
                self.set_filter(key, dialog.textValue())
                break
            except FilterError as error:
                dialog.setLabelText(f"{hint}\n{error}")
        dialog.deleteLater()


def _read() -> dict[str, Any]:
    try:
        kept = json.loads((state_dir() / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _write(kept: dict[str, Any]) -> None:
    try:
        write_atomic(state_dir() / _FILE, json.dumps(kept, ensure_ascii=False, indent=1).encode())
    except OSError:
        return  # only an arrangement of columns; the next one is tried again
