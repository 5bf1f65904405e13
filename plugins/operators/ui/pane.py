"""Loaded operators: the longest as bars, the table, and the single ones of the selected row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from plugins.operators.category_texts import category_name, with_category_titles
from plugins.operators.ui.histogram import Histogram
from plugins.operators.ui.overtime import OverTime
from plugins.operators.ui.texts import columns_of, grouping_title, occurrence_columns
from studio.i18n import tr
from studio.model.ranges import Ranges
from studio.perf.launched_by import host_positions
from studio.trace.intervals import union
from studio.ui.barlist import Bar, BarList
from studio.ui.parts import titled
from studio.ui.table import TableView
from studio.ui.text import format_ns, format_percent, thousands
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    import pandas as pd
    from PySide6.QtWidgets import QMenu

    from plugins.operators.ui.loader import Grouped

TOP: Final = 20
_SPLIT: Final = " ← "
_ROUNDED_NS: Final = 1
"""Tables and timelines round times differently."""


class OperatorsPane(QWidget):
    """Says which time and stretches of it are chosen, and when they are wanted on the timeline."""

    chosen = Signal(object, object)
    timeline_wanted = Signal(object)
    source_wanted = Signal(str)
    memory_wanted = Signal(str)

    def __init__(self, grouped: Grouped, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grouped = grouped
        self.bars = BarList(tr("Longest operators"))
        self.histogram = Histogram()
        self.over_time = OverTime()
        self.table = TableView()
        self.occurrences = TableView()
        self._origin, self._end = grouped.operators.extent()
        self._singles: pd.DataFrame | None = None
        self._ranges: Ranges | None = None
        self._row = -1
        self._lay_out()
        self.bars.set_bars(bars_of(grouped))
        table = _with_trends(_readable(grouped.operators.table), grouped)
        self.table.set_data(table, columns_of(table))
        self.bars.chosen.connect(self.select_row)
        self.table.selection_changed.connect(self._selected)
        self.table.view.clicked.connect(lambda _index: self._choose_all())
        self.table.row_activated.connect(lambda _row: self.show_on_timeline())
        self.table.menu_hook = self._fill_menu
        self.over_time.chosen.connect(self.occurrences.select_row)
        self.over_time.opened.connect(lambda _part: self.show_on_timeline())
        self.occurrences.selection_changed.connect(self._single_selected)
        self.occurrences.row_activated.connect(lambda _row: self.show_on_timeline())
        self.table.select_row(0)

    def idle(self) -> bool:
        """Whether the tables are sorted."""
        return self.table.idle() and self.occurrences.idle()

    def select_row(self, row: int) -> None:
        """Select a row of the table."""
        if 0 <= row < len(self.grouped.operators.table) and not self.table.select_row(row):
            self.table.filter.clear()
            self.table.arrange()
            self.table.select_row(row)
        self._choose()

    def look_for(self, text: str) -> bool:
        """Select the first row that has a text in one of its columns of names."""
        table = self.grouped.operators.table
        for column in ("type", "name", "operator"):
            if column in table:
                rows = (table[column].astype("str") == text).to_numpy().nonzero()[0]
                if len(rows):
                    self.select_row(int(rows[0]))
                    return True
        return False

    def show_moment(self, start: int) -> bool:
        """Select the single operator that begins at a time, without telling of it."""
        found = self.grouped.operators
        near = np.abs(found.rows["start_ns"].to_numpy(np.int64) - start) <= _ROUNDED_NS
        places = np.flatnonzero(near)
        if not len(places):
            return False
        with QSignalBlocker(self):
            self.table.select_row(int(found.group[places[0]]))
            begin = int(found.rows["start_ns"].iloc[places[0]])
            if self._singles is not None:
                at = np.flatnonzero(self._singles["start_ns"].to_numpy(np.int64) == begin)
                self.occurrences.select_row(int(at[0]) if len(at) else 0)
        return True

    def time(self) -> tuple[int, int] | None:
        """The time of the selected single operator, else from the first of the row to the last."""
        singles = self._singles
        chosen = self.occurrences.selected_rows()
        if singles is None or not chosen:
            return None if self._ranges is None else self._ranges.extent()
        start = int(singles["start_ns"].iloc[chosen[0]])
        return start, start + int(singles["duration_ns"].iloc[chosen[0]])

    def ranges(self) -> Ranges | None:
        """When the single operators of the selected row ran."""
        return self._ranges

    def show_on_timeline(self) -> None:
        """Ask for the timeline at the selected operator."""
        if self.time() is None and len(self.grouped.operators.table):
            self.select_row(0)
        self.timeline_wanted.emit(self.time())

    # -- selection ----------------------------------------------------------------------------
    def _selected(self, rows: list[int]) -> None:
        if not rows or rows[0] == self._row:
            return
        self._row = rows[0]
        if self._row < self.bars.count():
            self.bars.setCurrentRow(self._row)
        else:
            self.bars.clearSelection()
        singles = self.grouped.operators.rows_of(self._row)
        singles = singles.assign(offset_ns=singles["start_ns"] - self._origin)
        self._singles = singles
        self.histogram.set_rows(singles)
        offset, duration, start = (
            singles[n].to_numpy(np.int64) for n in ("offset_ns", "duration_ns", "start_ns")
        )
        self._ranges = Ranges.over(*union(start, start + duration))
        self.over_time.set_occurrences(offset, duration, self._end - self._origin)
        self.occurrences.set_data(singles, occurrence_columns(singles))
        self._choose()

    def _single_selected(self, rows: list[int]) -> None:
        if rows:
            self.over_time.set_current(rows[0])
            self._choose()

    def _choose_all(self) -> None:
        """Choose the whole row again, after one of its operators."""
        self.occurrences.view.clearSelection()
        self._choose()

    def _choose(self) -> None:
        self.chosen.emit(self.time(), self.ranges())

    def _fill_menu(self, menu: QMenu, rows: list[int]) -> None:
        if not rows:
            return
        menu.addAction(tr("Show on the timeline"), self.show_on_timeline)
        table = self.grouped.operators.table
        name = self.operator_of(rows[0])
        if name:
            menu.addAction(tr("Show its memory"), lambda: self.memory_wanted.emit(name))
        stack = table["stack"].iloc[rows[0]] if "stack" in table else self.stack_of(rows[0])
        if isinstance(stack, str) and stack:
            menu.addAction(tr("Go to the source line"), lambda: self.source_wanted.emit(stack))

    def operator_of(self, row: int) -> str:
        """The framework's operator that launched most of a row; "" where that is not known."""
        return self._mostly(row, "name")

    def stack_of(self, row: int) -> str:
        """The call stack that most of a row was launched from; "" where none was recorded."""
        return self._mostly(row, "stack")

    def _mostly(self, row: int, column: str) -> str:
        profile, singles = self.grouped.profile, self.grouped.operators.rows_of(row)
        found: Counter[str] = Counter()
        for table in singles["source"].unique().tolist():
            rows = profile.table(table)
            mine = singles.loc[singles["source"] == table, "row"].to_numpy(np.int64)
            at = host_positions(table, len(rows), profile)
            place = at[np.flatnonzero(rows["row"].isin(mine).to_numpy())]
            cells = profile.table("host_ops")[column].iloc[place[place >= 0]]
            found.update(cells.dropna().astype("str").tolist())
        return found.most_common(1)[0][0] if found else ""

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("Operators"))
        self.occurrences.view.setAccessibleName(tr("Single operators"))
        by = grouping_title(self.grouped.operators.by)
        left = QSplitter(Qt.Orientation.Vertical)
        when = QTabWidget(documentMode=True)
        when.addTab(self.histogram, tr("Distribution of durations"))
        when.addTab(self.over_time, tr("Over time"))
        left.addWidget(titled(tr("Longest by total · {by}", by=by), self.bars))
        left.addWidget(when)
        left.setSizes([420, 170])
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self.table)
        right.addWidget(titled(tr("Single operators of the selected row"), self.occurrences))
        right.setSizes([420, 170])
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.addWidget(left)
        halves.addWidget(right)
        halves.setStretchFactor(1, 1)
        halves.setSizes([330, 700])
        for splitter in (left, right, halves):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(halves)
        self.setFocusProxy(self.table.view)


def bars_of(grouped: Grouped) -> list[Bar]:
    """The longest groups as bars."""
    table = _readable(grouped.operators.table.head(TOP))
    if not len(table):
        return []
    largest = max(int(table["total_ns"].iloc[0]), 1)
    key = next(str(column) for column in table.columns)
    semantic = "communication" if grouped.kind == "communication" else "computing"
    return [_bar(row, key, largest, semantic) for row in table.to_dict("records")]


def _bar(row: dict[Any, Any], key: str, largest: int, semantic: str) -> Bar:
    total, count = int(row["total_ns"]), int(row["count"])
    cell = row.get("name") if key == "row" else row[key]
    missing = cell is None or cell != cell or str(cell) == "<NA>"
    name = tr("(not recorded)") if missing else str(cell).split("\n", 1)[0]
    if key == "category":
        name = category_name(cell, row["part"])
    value = f"{format_ns(total, zeros=True)}  {format_percent(float(row['share'])):>6}"
    detail = f"{thousands(count)} ×" if count > 1 else ""
    tip = "\n".join((name, exact(total), f"{thousands(count)} × {format_ns(int(row['avg_ns']))}"))
    return Bar(name, value, total / largest, semantic, detail, tip)


def _with_trends(table: pd.DataFrame, grouped: Grouped) -> pd.DataFrame:
    """How long those of each group took over time, beside their number."""
    if grouped.trends is None:
        return table
    place = list(table.columns).index("share") + 1
    trends = dict(enumerate(grouped.trends))
    table = table.copy(deep=False)
    table.insert(place, "trend", table.index.map(trends.get))
    return table


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    """Call stacks in one line, categories by their titles."""
    if "category" in table:
        return with_category_titles(table)
    if "stack" not in table:
        return table
    return table.assign(stack=table["stack"].astype("str").str.replace("\n", _SPLIT))
