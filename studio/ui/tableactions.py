"""What one does with a table by keys and by its menu: copy, export, filter, ask about a column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu

from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.jobsabove import jobs_above
from studio.ui.tableexport import written
from studio.ui.tablemenu import open_menu

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.table import TableView

_AT_ONCE = 10_000
"""More lines than this are written in the background."""


class TableActions(QObject):
    """The actions of a table; all of them are in its menu, those for rows below the plugin's."""

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        standard = QKeySequence.StandardKey
        self._find = self._make("filter", tr("Filter rows"), self._focus_filter)
        self._find.setShortcut(standard.Find)
        self.column = self._make("table", tr("Menu of the column"), self.open_column_menu)
        self.column.setShortcut(QKeySequence("Alt+Down"))
        self.copy = self._make("copy", tr("Copy rows"), lambda: self._copy("tsv"))
        self.copy.setShortcut(standard.Copy)
        self.offered = [
            self.copy,
            self._make("copy", tr("Copy as CSV"), lambda: self._copy("csv")),
            self._make("copy", tr("Copy as Markdown"), lambda: self._copy("md")),
            self._make("copy", tr("Copy the cell"), self.copy_cell),
            self._make("export", tr("Export…"), self._ask_and_export),
        ]
        table.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.view.customContextMenuRequested.connect(self.open_menu)

    def open_menu(self, place: QPoint) -> QMenu:
        """Open the menu of the selected rows."""
        table = self._table
        menu = QMenu(table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if table.menu_hook is not None:
            table.menu_hook(menu, table.selected_rows())
            menu.addSeparator()
        menu.addActions(self.offered)
        menu.addSeparator()
        menu.addAction(self.column)
        menu.popup(table.view.viewport().mapToGlobal(place))
        return menu

    def open_column_menu(self) -> QMenu:
        """Open the menu of the heading above the current cell."""
        header = self._table.view.horizontalHeader()
        section = max(self._table.view.currentIndex().column(), 0)
        self._table.view.scrollTo(self._table.view.currentIndex())
        place = QPoint(header.sectionViewportPosition(section) + 4, header.height())
        return open_menu(self._table, header, place)

    def copy_cell(self) -> str:
        """Put the current cell on the clipboard, with all its digits."""
        index, model = self._table.view.currentIndex(), self._table.model
        if not index.isValid():
            return ""
        text = model.exact(int(model.rows[index.row()]), index.column())
        QGuiApplication.clipboard().setText(text)
        return text

    def _copy(self, form: str) -> None:
        extract, jobs = self._table.extract(), jobs_above(self)
        take = QGuiApplication.clipboard().setText
        if jobs is None or len(extract.lines) <= _AT_ONCE:
            take(written(extract, form))
            return
        jobs.start(
            "studio:ui.tableexport.written",
            {"extract": extract, "form": form},
            title=tr("Copying {n} rows", n=len(extract.lines)),
            key="copy rows",
            done=take,
        )

    def _focus_filter(self) -> None:
        self._table.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _ask_and_export(self) -> None:
        kinds = {"CSV (*.csv)": ".csv", "Excel (*.xlsx)": ".xlsx", "TSV (*.tsv)": ".tsv"}
        kinds["Markdown (*.md)"] = ".md"
        name, kind = QFileDialog.getSaveFileName(
            self._table, tr("Export the table"), "table.csv", ";;".join(kinds)
        )
        if name:
            path = Path(name)
            known = path.suffix.lower() in kinds.values()
            suffix = kinds.get(kind, ".csv")
            self._table.export(path if known else path.with_name(path.name + suffix))

    def _make(self, sign: str, text: str, act: Callable[[], object]) -> QAction:
        action = QAction(text, self._table)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _=False: act())
        set_icon(action, sign)
        self._table.addAction(action)
        return action
