"""The table that all views share: sort, filter, exact copies, CSV, and honest empty cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from studio.i18n import tr, trn
from studio.ui.columns import Column
from studio.ui.exporting import start_export
from studio.ui.field import search_field
from studio.ui.tableactions import TableActions
from studio.ui.tablecells import CellsView, group_width
from studio.ui.tablecolumns import TableColumns
from studio.ui.tableexport import Extract, delimited, markdown, write_table
from studio.ui.tablegroups import group_rows
from studio.ui.tableheader import MARKS, TableHeader
from studio.ui.tablemodel import FrameModel, matching_rows
from studio.ui.tablesummary import SelectionSummary
from studio.ui.text import thousands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.ui.columns import Values
    from studio.ui.tablegroups import Groups

__all__ = ["Column", "FrameModel", "TableView"]

_IN_BACKGROUND = 20_000
_TREND = 120
_WIDEST = 420


class TableView(QWidget):
    """A table with a filter box above it and a line that counts what is shown.

    Rows are told by their number in the data, whatever their place in the view.
    """

    row_activated = Signal(int)
    selection_changed = Signal(object)
    _arranged = Signal(int, object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FrameModel()
        self.view = CellsView(self.model)
        self.filter = search_field(tr("Filter rows"), sign="filter", widest=280)
        self.count = QLabel()
        self.menu_hook: Callable[[QMenu, list[int]], object] | None = None
        self.group = ""
        """The key of the column by whose values the rows are gathered."""
        self.totals: dict[str, str] = {}
        """What stands for the rows of a group, by column, where it is not the usual."""
        self._sort: tuple[int, bool] | None = None
        self._request = 0
        self._waiting = False
        self._typed = QTimer(self, singleShot=True, interval=150)
        self._typed.timeout.connect(self.arrange)
        self._arranged.connect(self._show_rows)
        self._lay_out()
        self.columns = TableColumns(self)
        self.columns.changed.connect(self.arrange)
        self.summary = SelectionSummary(self)
        self.actions_ = TableActions(self)

    # -- data -----------------------------------------------------------------------------------
    def set_data(self, data: Any, columns: Sequence[Column] = ()) -> None:  # noqa: ANN401 - a DataFrame or rows
        """Show a DataFrame, or rows (mappings, sequences, objects) of these columns."""
        self.model.set_data(data, columns)
        for section, values in enumerate(self.model.values):
            self.view.setColumnWidth(section, values.column.width or self.fitting(section))
        if self.group not in [values.column.key for values in self.model.values]:
            self.group = ""
        self.columns.data_changed()
        self.arrange()

    def sort_by(self, key: str, *, descending: bool = False) -> None:
        """Order the rows by a column."""
        for section, values in enumerate(self.model.values):
            if values.column.key == key:
                order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
                self.view.horizontalHeader().setSortIndicator(section, order)

    def selected_rows(self) -> list[int]:
        """The rows of the data that are selected, top to bottom; of a group all of its rows."""
        rows: list[int] = self.selected().tolist()
        return rows

    def selected(self) -> NDArray[np.int64]:
        """The rows of the data that are selected, as an array: there may be millions."""
        return self.model.sources(self._selected())

    def _selected(self) -> NDArray[np.int64]:
        """The selected rows of the view, top to bottom."""
        ranges = self.view.selectionModel().selection().toList()
        parts, end = [np.arange(0)], 0
        for top, bottom in sorted((one.top(), one.bottom()) for one in ranges):
            parts.append(np.arange(max(top, end), bottom + 1))
            end = max(end, bottom + 1)
        return np.concatenate(parts)

    def select_row(self, source_row: int) -> bool:
        """Select a row of the data and scroll to it; False when the filter hides it."""
        groups = self.model.groups
        if groups is not None and source_row in groups.sorted_rows:
            self._open(groups, groups.group_of(source_row), True)
        places = np.flatnonzero(self.model.rows == source_row)
        if not len(places):
            return False
        index = self.model.index(int(places[0]), 0)
        # Not selectRow, which extends the selection while Shift is held (as in Shift+F8).
        flag = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.view.scrollTo(index)
        return True

    def idle(self) -> bool:
        """Whether sorting and filtering are done."""
        return not self._waiting and not self._typed.isActive()

    # -- taking data out ------------------------------------------------------------------------
    def copy(self, *, heading: bool = True) -> str:
        """Put the selected rows (or all) on the clipboard as tab-separated text."""
        text = delimited(self.extract(), "\t", heading=heading)
        QGuiApplication.clipboard().setText(text)
        return text

    def copy_markdown(self) -> str:
        """Put the selected rows (or all) on the clipboard as a Markdown table."""
        text = markdown(self.extract())
        QGuiApplication.clipboard().setText(text)
        return text

    def export(self, path: Path) -> None:
        """Write the rows as shown to a file whose name tells the format; in a job in a window."""
        start_export(self, path, write_table, extract=self._extract(np.arange(0)))

    def shown_columns(self) -> list[Values]:
        """The columns that are shown, left to right."""
        return [self.model.values[section] for section in self._sections()]

    def _sections(self) -> list[int]:
        header = self.view.horizontalHeader()
        order = [header.logicalIndex(i) for i in range(len(self.model.values))]
        return [section for section in order if not self.view.isColumnHidden(section)]

    def extract(self) -> Extract:
        """The selected rows, or all, with the columns that are shown."""
        return self._extract(self._selected())

    def _extract(self, rows: NDArray[np.int64]) -> Extract:
        """These rows of the view (or all) with the columns that are shown."""
        lines, groups = self.model.rows, self.model.groups
        heads = [] if groups is None else [groups.values[at] for at in self._sections()]
        return Extract(self.shown_columns(), lines[rows] if len(rows) else lines, heads)

    # -- order and filter -----------------------------------------------------------------------
    def arrange(self) -> None:
        """Apply the filter and the order, in the background when there are many rows."""
        self._typed.stop()
        self._request += 1
        request, words, sort = self._request, self.filter.text().casefold().split(), self._sort
        values = list(self.model.values)
        mask = self.columns.mask_of(values)

        by = next((n for n, one in enumerate(values) if one.column.key == self.group), -1)
        totals = dict(self.totals)

        def work() -> tuple[NDArray[np.int64], Groups | None]:
            rows = matching_rows(values, words)
            rows = rows if mask is None else rows[mask()[rows]]
            if sort and sort[0] < len(values):
                rows = values[sort[0]].order(rows, sort[1])
            return rows, group_rows(values, by, rows, totals, sort) if by >= 0 else None

        if self.model.total() < _IN_BACKGROUND:
            self._show_rows(request, *work())
            return
        self._waiting = True
        QThreadPool.globalInstance().start(lambda: self._arranged.emit(request, *work()))

    def _show_rows(self, request: int, rows: NDArray[np.int64], groups: Groups | None) -> None:
        if request != self._request:
            return
        self._waiting = False
        self.model.set_rows(rows, groups)
        total, shown = self.model.total(), len(rows)
        text = trn("{count} row", "{count} rows", total, count=thousands(total))
        if shown != total:
            text = tr("{shown} of {total} rows", shown=thousands(shown), total=thousands(total))
        if groups is not None:
            self._widen(groups)
            count = len(groups.order)
            told = trn("{count} group", "{count} groups", count, count=thousands(count))
            text = f"{text}   ·   {told}"
        self.count.setText(text)
        self.summary.refresh()

    def _widen(self, groups: Groups) -> None:
        """Make room for the names of groups, and for headings that say what stands for a group."""
        for section, how in enumerate(groups.hows):
            wide = self.fitting(section) if how else 0
            if section == groups.by:
                names = [groups.label(group) for group in groups.order[:200].tolist()]
                wide = min(group_width(self.view.font(), names), _WIDEST)
            if wide > self.view.columnWidth(section):
                self.view.setColumnWidth(section, wide)

    # -- groups ---------------------------------------------------------------------------------
    def group_by(self, key: str) -> None:
        """Gather the rows by the values of a column; "" shows them one by one."""
        self.group = key
        self.model.opened.clear()
        self.arrange()

    def total_by(self, key: str, how: str) -> None:
        """Choose what stands for the rows of a group in a column, one of `HOWS`."""
        self.totals[key] = how
        self.arrange()

    def open_groups(self, opened: bool) -> None:
        """Open or close all groups."""
        groups = self.model.groups
        if groups is not None:
            names = {groups.name(group) for group in range(len(groups.order))}
            self.model.opened = names if opened else set()
            self.model.set_rows(self.model.rows, groups)

    def _open(self, groups: Groups, group: int, opened: bool) -> None:
        name = groups.name(group)
        if (name in self.model.opened) != opened:
            (self.model.opened.add if opened else self.model.opened.discard)(name)
            self.model.set_rows(self.model.rows, groups)

    def _toggled(self, row: int, opened: object) -> None:
        groups, group = self.model.groups, self.model.group_at(row)
        if groups is not None and group >= 0:
            known = groups.name(group) in self.model.opened
            self._open(groups, group, (not known) if opened is None else bool(opened))

    def _activated(self, index: QModelIndex) -> None:
        if self.model.group_at(index.row()) >= 0:
            self._toggled(index.row(), None)
        else:
            self.row_activated.emit(self.model.source_row(index))

    def _sorted(self, section: int, order: Qt.SortOrder) -> None:
        self._sort = (section, order == Qt.SortOrder.DescendingOrder) if section >= 0 else None
        self.arrange()

    # -- looks ----------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.view.setAccessibleName(tr("Rows"))
        header = TableHeader(self.view)
        self.view.setHorizontalHeader(header)
        header.sortIndicatorChanged.connect(self._sorted)
        self.view.activated.connect(self._activated)
        self.view.toggled.connect(self._toggled)
        self.view.selectionModel().selectionChanged.connect(
            lambda *_: self.selection_changed.emit(self.selected_rows())
        )
        self.filter.textChanged.connect(lambda _: self._typed.start())
        self.count.setProperty("role", "count")
        line = QHBoxLayout()
        line.setContentsMargins(8, 4, 8, 4)
        line.addWidget(self.count)
        line.addStretch()
        line.addWidget(self.filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(self.view)

    def fitting(self, section: int) -> int:
        """The width that suits the first cells and the heading of a column."""
        values = self.model.values[section]
        count = min(len(values.array), 200)
        if values.column.kind == "trend":
            return _TREND
        sample = [cell.text for cell in self.model.sample(section, count)]
        metrics = self.view.fontMetrics()
        widest = max((metrics.horizontalAdvance(text) for text in sample), default=0)
        title = str(self.model.headerData(section, Qt.Orientation.Horizontal))
        heading = metrics.horizontalAdvance(title) + MARKS
        return min(max(round(widest * (1.12 if values.numeric else 1)) + 20, heading, 56), _WIDEST)
