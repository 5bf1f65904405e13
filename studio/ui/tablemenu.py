"""The menu of the heading of a table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu

from studio.i18n import tr
from studio.ui.columnfilter import FilterError
from studio.ui.icons import icon
from studio.ui.tablegroups import HOWS, how_title, usual_how

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QHeaderView

    from studio.ui.columns import Values
    from studio.ui.table import TableView


def open_menu(table: TableView, header: QHeaderView, place: QPoint) -> QMenu:
    """Open the menu of the column at a place of a heading."""
    values, section = table.model.values, header.logicalIndexAt(place)
    menu = QMenu(table)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if 0 <= section < len(values):
        _of_order(menu, table, section)
        _of_column(menu, table, values[section])
        _of_groups(menu, table, values[section])
        menu.addSeparator()
    chooser = menu.addMenu(icon("table"), tr("Columns"))
    for at, one in enumerate(values):
        shown = not table.view.isColumnHidden(at)
        action = QAction(one.column.heading, chooser, checkable=True, checked=shown)
        action.toggled.connect(lambda on, k=one.column.key: table.columns.set_shown(k, on))
        chooser.addAction(action)
    reset = menu.addAction(icon("undo"), tr("All columns, no filters"))
    reset.triggered.connect(lambda _=False: table.columns.reset())
    menu.popup(header.mapToGlobal(place))
    return menu


def _add(menu: QMenu, text: str, act: Callable[[], object], sign: str = "") -> QAction:
    action = menu.addAction(icon(sign), text) if sign else menu.addAction(text)
    action.triggered.connect(lambda _=False: act())
    return action


def _of_order(menu: QMenu, table: TableView, section: int) -> None:
    order = Qt.SortOrder
    sort = table.view.horizontalHeader().setSortIndicator
    _add(menu, tr("Sort upwards"), partial(sort, section, order.AscendingOrder))
    _add(menu, tr("Sort downwards"), partial(sort, section, order.DescendingOrder))
    menu.addSeparator()


def _of_column(menu: QMenu, table: TableView, values: Values) -> None:
    columns, key, title = table.columns, values.column.key, values.column.heading
    ask = partial(_ask_filter, table, key, title)
    _add(menu, tr("Filter by “{title}”…", title=title), ask, "filter")
    if key in columns.filters:
        none = partial(columns.set_filter, key, "")
        _add(menu, tr("No filter by “{title}”", title=title), none, "close")
    _add(menu, tr("Hide “{title}”", title=title), partial(columns.set_shown, key, False))
    if columns.frozen.count:
        _add(menu, tr("Let all columns scroll"), partial(columns.freeze, ""))
    _add(menu, tr("Keep in sight up to “{title}”", title=title), partial(columns.freeze, key))
    others = [
        one.column
        for one in table.model.values
        if one.numeric and one.column.key != key and one.column.kind == values.column.kind
    ]
    if not values.numeric or not others:
        return
    compared = menu.addMenu(tr("Compare “{title}” with", title=title))
    now = table.model.baselines.get(key, "")
    for other in others:
        action = _add(compared, other.heading, partial(columns.compare, key, other.key))
        action.setCheckable(True)
        action.setChecked(now == other.key)
    if now:
        compared.addSeparator()
        _add(compared, tr("Nothing"), partial(columns.compare, key, ""))


def _of_groups(menu: QMenu, table: TableView, values: Values) -> None:
    menu.addSeparator()
    key, title = values.column.key, values.column.heading
    if values.column.kind != "trend" and key != table.group:
        _add(menu, tr("Group by “{title}”", title=title), partial(table.group_by, key), "group")
    if not table.group:
        return
    _add(menu, tr("No groups"), partial(table.group_by, ""), "close")
    _add(menu, tr("Open all groups"), partial(table.open_groups, True))
    _add(menu, tr("Close all groups"), partial(table.open_groups, False))
    if values.numeric and key != table.group:
        taken = menu.addMenu(tr("“{title}” of a group", title=title))
        for how in HOWS:
            action = _add(taken, how_title(how), partial(table.total_by, key, how))
            action.setCheckable(True)
            action.setChecked(how == (table.totals.get(key) or usual_how(values.column)))


def _ask_filter(table: TableView, key: str, title: str) -> None:
    dialog = QInputDialog(table)
    dialog.setWindowTitle(tr("Filter by “{title}”", title=title))
    hint = tr("Such as > 10, 5..20, != 0; text, =text, !text, /expression/; empty, not empty")
    dialog.setLabelText(hint)
    dialog.setTextValue(table.columns.filters.get(key, ""))
    while dialog.exec():
        try:
            table.columns.set_filter(key, dialog.textValue())
            break
        except FilterError as error:
            dialog.setLabelText(f"{hint}\n{error}")
    dialog.deleteLater()
