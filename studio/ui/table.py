"""The table that all views share: sort, filter, exact copies, CSV, and honest empty cells."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRectF,
    Qt,
    QThreadPool,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr, trn
from studio.kernel.files import write_atomic
from studio.ui.columns import Column
from studio.ui.field import search_field
from studio.ui.icons import set_icon
from studio.ui.tablecolumns import TableColumns
from studio.ui.tablemodel import HEAT_ROLE, FrameModel, matching_rows
from studio.ui.tablesummary import SelectionSummary, markdown
from studio.ui.text import thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray
    from PySide6.QtCore import QPersistentModelIndex

    from studio.ui.columns import Values

__all__ = ["Column", "FrameModel", "TableView"]

_ROW_HEIGHT = 22
_IN_BACKGROUND = 20_000


class TableView(QWidget):
    """A table with a filter box above it and a line that counts what is shown.

    Rows are told by their number in the data, whatever their place in the view.
    """

    row_activated = Signal(int)
    selection_changed = Signal(list)
    _arranged = Signal(int, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FrameModel()
        self.view = QTableView()
        self.filter = search_field(tr("Filter rows"), sign="filter", widest=280)
        self.count = QLabel()
        self.menu_hook: Callable[[QMenu, list[int]], object] | None = None
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

    # -- data -----------------------------------------------------------------------------------
    def set_data(self, data: Any, columns: Sequence[Column] = ()) -> None:  # noqa: ANN401 - a DataFrame or rows
        """Show a DataFrame, or rows (mappings, sequences, objects) of these columns."""
        self.model.set_data(data, columns)
        for section, values in enumerate(self.model.values):
            self.view.setColumnWidth(section, values.column.width or self._fitting_width(section))
        self.columns.data_changed()
        self.arrange()

    def sort_by(self, key: str, *, descending: bool = False) -> None:
        """Order the rows by a column."""
        for section, values in enumerate(self.model.values):
            if values.column.key == key:
                order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
                self.view.horizontalHeader().setSortIndicator(section, order)

    def selected_rows(self) -> list[int]:
        """The rows of the data that are selected, top to bottom."""
        rows = sorted({index.row() for index in self.view.selectionModel().selectedIndexes()})
        return [int(self.model.rows[row]) for row in rows]

    def select_row(self, source_row: int) -> bool:
        """Select a row of the data and scroll to it; False when the filter hides it."""
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
        rows = self.selected_rows() or [int(row) for row in self.model.rows]
        text = self._delimited(rows, "\t", heading)
        QGuiApplication.clipboard().setText(text)
        return text

    def export_csv(self, path: Path) -> None:
        """Write the rows as shown, with all digits, to a CSV file that Excel also reads."""
        text = self._delimited((int(row) for row in self.model.rows), ",", True)
        write_atomic(path, text.encode("utf-8-sig"))

    def copy_markdown(self) -> str:
        """Put the selected rows (or all) on the clipboard as a Markdown table."""
        rows = self.selected_rows() or [int(row) for row in self.model.rows]
        text = markdown(self.shown_columns(), rows)
        QGuiApplication.clipboard().setText(text)
        return text

    def shown_columns(self) -> list[Values]:
        """The columns that are shown, left to right."""
        header = self.view.horizontalHeader()
        order = [header.logicalIndex(i) for i in range(len(self.model.values))]
        return [self.model.values[i] for i in order if not self.view.isColumnHidden(i)]

    def _delimited(self, rows: Iterable[int], delimiter: str, heading: bool) -> str:
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
        columns = self.shown_columns()
        if heading:
            writer.writerow([values.column.heading for values in columns])
        writer.writerows([values.exact(row) for values in columns] for row in rows)
        return buffer.getvalue()

    # -- order and filter -----------------------------------------------------------------------
    def arrange(self) -> None:
        """Apply the filter and the order, in the background when there are many rows."""
        self._typed.stop()
        self._request += 1
        request, words, sort = self._request, self.filter.text().casefold().split(), self._sort
        values = list(self.model.values)
        mask = self.columns.mask_of(values)

        def work() -> NDArray[np.int64]:
            rows = matching_rows(values, words)
            rows = rows if mask is None else rows[mask()[rows]]
            return values[sort[0]].order(rows, sort[1]) if sort and sort[0] < len(values) else rows

        if self.model.total() < _IN_BACKGROUND:
            self._show_rows(request, work())
            return
        self._waiting = True
        QThreadPool.globalInstance().start(lambda: self._arranged.emit(request, work()))

    def _show_rows(self, request: int, rows: NDArray[np.int64]) -> None:
        if request != self._request:
            return
        self._waiting = False
        self.model.set_rows(rows)
        total, shown = self.model.total(), len(rows)
        everything = trn("{count} row", "{count} rows", total, count=thousands(total))
        some = tr("{shown} of {total} rows", shown=thousands(shown), total=thousands(total))
        self.count.setText(everything if shown == total else some)
        self.summary.refresh()

    def _sorted(self, section: int, order: Qt.SortOrder) -> None:
        self._sort = (section, order == Qt.SortOrder.DescendingOrder) if section >= 0 else None
        self.arrange()

    # -- looks ----------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.view.setModel(self.model)
        self.view.setAccessibleName(tr("Rows"))
        self.view.setItemDelegate(_HeatDelegate(self.view))
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setWordWrap(False)
        self.view.setShowGrid(False)
        self.view.setTabKeyNavigation(False)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        header = self.view.horizontalHeader()
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSectionsClickable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self._sorted)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._menu)
        self.view.activated.connect(
            lambda index: self.row_activated.emit(self.model.source_row(index))
        )
        self.view.selectionModel().selectionChanged.connect(
            lambda *_: self.selection_changed.emit(self.selected_rows())
        )
        self.filter.textChanged.connect(lambda _: self._typed.start())
        self.count.setProperty("role", "count")
        self._add_keys()
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

    def _add_keys(self) -> None:
        self._copy = QAction(tr("Copy rows"), self)
        self._copy.setShortcut(QKeySequence.StandardKey.Copy)
        self._copy.triggered.connect(lambda: self.copy())
        self._markdown = QAction(tr("Copy as Markdown"), self)
        self._markdown.triggered.connect(lambda: self.copy_markdown())
        set_icon(self._markdown, "copy")
        self._export = QAction(tr("Export as CSV…"), self)
        self._export.triggered.connect(self._ask_and_export)
        find = QAction(tr("Filter rows"), self)
        find.setShortcut(QKeySequence.StandardKey.Find)
        find.triggered.connect(lambda: self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason))
        for action, name in ((self._copy, "copy"), (self._export, "export"), (find, "filter")):
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            set_icon(action, name)
            self.addAction(action)

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.menu_hook is not None:
            self.menu_hook(menu, self.selected_rows())
            menu.addSeparator()
        menu.addActions([self._copy, self._markdown, self._export])
        menu.popup(self.view.viewport().mapToGlobal(place))

    def _ask_and_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, tr("Export as CSV"), "table.csv", "CSV (*.csv)")
        if name:
            self.export_csv(Path(name))

    def _fitting_width(self, section: int) -> int:
        values = self.model.values[section]
        sample = [values.shown(row) for row in range(min(len(values.array), 200))]
        metrics = self.view.fontMetrics()
        widest = max((metrics.horizontalAdvance(text) for text in sample), default=0)
        heading = metrics.horizontalAdvance(values.column.heading) + 28
        return min(max(round(widest * (1.12 if values.numeric else 1)) + 20, heading, 56), 420)


class _HeatDelegate(QStyledItemDelegate):
    """Draws a quiet bar behind numbers of columns with `heat`."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        share = index.data(HEAT_ROLE)
        if share is not None:
            rect = QRectF(option.rect).adjusted(2, 3, -2, -3)
            rect.setLeft(rect.right() - rect.width() * share)
            painter.fillRect(rect, current_theme().mix("bg", "accent", 0.28))
        super().paint(painter, option, index)
