"""The result of a comparison: the finding, the ribbon of the network, its modules, its values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from plugins.precision.core.align.change import Change
from plugins.precision.core.words import word
from plugins.precision.ui.filters import Filters
from plugins.precision.ui.headline import Headline
from plugins.precision.ui.links import (
    find_operator,
    findings_of,
    first_profile,
    operator_of,
    rows_of_line,
    show_finding,
)
from plugins.precision.ui.partsmap import PartsMap
from plugins.precision.ui.ribbon import Ribbon
from plugins.precision.ui.rows import CHANGE, MAXIMA, VERDICT, maximum_mark, verdict_mark
from plugins.precision.ui.scatter import Scatter
from plugins.precision.ui.source import show_source
from plugins.precision.ui.tree import ModuleTree
from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.table import TableView

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMenu

    from plugins.precision.core.dump_row import DumpRow
    from plugins.precision.core.network import Point
    from plugins.precision.ui.prepared import Prepared
    from studio.api import Studio
    from studio.model.locations import Location
    from studio.ui.tablemodel import Mark

_BESIDE_WORD = 44  # icon and margins of a verdict


class ResultPane(QWidget):
    """Everything seen of a comparison that is done; `selected` tells the number of a row."""

    selected = Signal(int)
    tensors_wanted = Signal()
    """The tensors of the selected row shall be shown."""

    def __init__(self, studio: Studio, parent: QWidget) -> None:
        super().__init__(parent)
        self._studio = studio
        self.found: Prepared | None = None
        self._numbers = np.arange(0)
        self.part_action: QAction | None = None
        self.headline, self.ribbon, self.scatter = Headline(), Ribbon(), Scatter()
        self.tree, self.table, self.parts = ModuleTree(), TableView(), PartsMap()
        self.filters = Filters()
        self.status, self.part = self.filters.status, self.filters.part
        self._lay_out()
        self._connect()

    # -- what is shown ------------------------------------------------------------------------
    def show_result(self, found: Prepared) -> None:
        """Show a comparison, at its first deviation."""
        self.found = found
        overview = found.overview
        self.headline.set_result(overview.result, overview.diagnosis, found.counts)
        self.tree.show_modules(overview.modules)
        self.parts.set_parts(found.parts)
        self.filters.fill(found)
        if self.part_action is not None:
            self.part_action.setVisible(len(found.parts) > 1)
        self._part_chosen()
        self.show_first()

    def show_first(self, link: str = "") -> None:
        """Show the operator of a link, or the first one that deviates."""
        if self.found is None:
            return
        part, _, name = link.rpartition("|")
        first = self.found.overview.diagnosis.first
        if not link and first and first.first:
            part, name = first.label, first.first.operator
        point = next((p for p in self._points(part) if p.call == name), None)
        if point is not None:
            self.show_row(point.row)
        elif (row := self.found.overview.result.first) is not None:
            self.select(row.name)

    def show_part(self, step: int | None, rank: int | None) -> bool:
        """Show a step and rank, as far as they are given; False when the comparison has none."""
        parts = self.found.parts if self.found is not None else ()
        for part in parts if len(parts) > 1 else ():
            if step in (None, part.step) and rank in (None, part.rank):
                self.filters.show_part(part.label)
                return True
        return False

    def show_row(self, number: int) -> bool:
        """Select a row, taking away filters that hide it."""
        if self.found is None:
            return False
        row = self.found.rows[number]
        if row.part and row.part != self.part.currentData():
            self.filters.show_part(row.part)
        if number not in self._numbers:
            self.status.setCurrentIndex(0)
            self.tree.choose_all()
        places = np.flatnonzero(self._numbers == number)
        if not len(places):
            return False
        if not self.table.select_row(int(places[0])):
            self.table.filter.clear()
            self.table.arrange()
            return self.table.select_row(int(places[0]))
        return True

    def select(self, name: str) -> bool:
        """Select a value by its name in either run, among those that are listed."""
        if self.found is None:
            return False
        listed = (n for n, number in enumerate(self._numbers) if self._has(int(number), name))
        place = next(listed, None) if name in self.found.places else None
        return place is not None and self.table.select_row(place)

    def show_line(self, location: Location) -> bool:
        """Select the first value that a line of the program made, deviating ones first."""
        if self.found is None:
            return False
        number = next(rows_of_line(self._studio, self.found.rows, location), None)
        return number is not None and self.show_row(number)

    def step(self, by: int) -> None:
        """Select the next or previous value that deviates."""
        if self.found is None:
            return
        order = self.table.model.rows
        places = np.flatnonzero(self.found.deviates[self._numbers[order]])
        selected = self.table.selected_rows()
        now = -1 if by > 0 else len(order)
        if selected:
            now = int(np.flatnonzero(order == selected[0])[0])
        further = places[places > now] if by > 0 else places[places < now][::-1]
        if len(further):
            self.table.select_row(int(order[further[0]]))

    def selected_row(self) -> DumpRow | None:
        """The row that is selected, if it is just one."""
        selected = self.table.selected_rows()
        return self._row(selected[0]) if len(selected) == 1 else None

    def show_source(self) -> None:
        """Open the line of the program that made the selected value."""
        row = self.selected_row()
        if row is not None:
            show_source(self._studio, row.source)

    # -- inside -------------------------------------------------------------------------------
    def _row(self, place: int) -> DumpRow | None:
        if self.found is None or place >= len(self._numbers):
            return None
        return self.found.rows[int(self._numbers[place])]

    def _maximum_mark(self, name: str, place: int) -> Mark | None:
        return maximum_mark(name, self._row(place))

    def _has(self, number: int, name: str) -> bool:
        row = self.found.rows[number] if self.found is not None else None
        return row is not None and name in (row.name, row.base_name, row.candidate_name)

    def _points(self, part: str) -> list[Point]:
        points = self.found.overview.points if self.found else ()
        return [point for point in points if not part or point.part == part]

    def _part_chosen(self) -> None:
        label = self.part.currentData() or ""
        points = self._points(label)
        self.ribbon.set_points(points)
        self.scatter.set_points(points)
        self.parts.mark(label)
        self._fill()

    def _fill(self) -> None:
        found = self.found
        if found is None:
            return
        wanted, part = self.filters.chosen()
        self._numbers = found.matching(wanted, part, self.tree.chosen())
        self.table.set_data(found.cells_of(self._numbers))
        view = self.table.view
        metrics = view.fontMetrics()
        words = [metrics.horizontalAdvance(word(s)) for s in found.counts]
        view.setColumnWidth(VERDICT, max(words, default=0) + _BESIDE_WORD)
        keys = [values.column.key for values in found.values]
        has = {
            "change": bool(set(found.changes) - {Change.SAME}),
            "noise": self._any("noise"),
            "source": self._any("source"),
        }
        for key, present in has.items():
            view.setColumnHidden(keys.index(key), not present)

    def _any(self, key: str) -> bool:
        values = self.found.values if self.found is not None else []
        return any(not bool(v.missing.all()) for v in values if v.column.key == key)

    def _selected(self, rows: list[int]) -> None:
        if len(rows) != 1 or rows[0] >= len(self._numbers):
            return
        number = int(self._numbers[rows[0]])
        self.ribbon.mark(number)
        self.scatter.mark(number)
        self.selected.emit(number)

    def _open_source(self, place: int) -> None:
        row = self._row(place)
        if row is not None:
            show_source(self._studio, row.source)

    def _menu(self, menu: QMenu, rows: list[int]) -> None:
        row = self._row(rows[0]) if len(rows) == 1 else None
        tensors = menu.addAction(tr("Show tensors"))
        set_icon(tensors, "tensor")
        tensors.setEnabled(row is not None)
        tensors.triggered.connect(self.tensors_wanted.emit)
        action = menu.addAction(tr("Go to the source line"))
        set_icon(action, "goto")
        action.setEnabled(row is not None and bool(row.source))
        action.triggered.connect(lambda: self._open_source(rows[0]))
        if row is not None and operator_of(row) and first_profile(self._studio) is not None:
            profile = menu.addAction(tr("Find “{name}” in the profile", name=operator_of(row)))
            set_icon(profile, "operator")
            profile.triggered.connect(partial(find_operator, self._studio, row))
        for finding in findings_of(self._studio, row.source) if row is not None else ():
            about = menu.addAction(tr("Go to: {finding}", finding=finding.title))
            set_icon(about, "hint")
            about.triggered.connect(partial(show_finding, self._studio, finding))

    def changeEvent(self, event: QEvent) -> None:
        """Draw the verdicts anew in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "table"):
            self.table.view.viewport().update()

    def _connect(self) -> None:
        self.status.currentIndexChanged.connect(lambda _: self._fill())
        self.part.currentIndexChanged.connect(lambda _: self._part_chosen())
        self.parts.chosen.connect(self.filters.show_part)
        self.tree.module_chosen.connect(lambda _: self._fill())
        self.headline.link.connect(self.show_first)
        self.ribbon.chosen.connect(self.show_row)
        self.scatter.chosen.connect(self.show_row)
        self.table.selection_changed.connect(self._selected)
        self.table.row_activated.connect(self._open_source)
        self.table.menu_hook = self._menu

    def _lay_out(self) -> None:
        view = self.table.view
        marks = self.table.model.marks
        marks["verdict"] = lambda place: verdict_mark(self._row(place))
        for key, name in MAXIMA.items():
            marks[key] = partial(self._maximum_mark, name)
        view.setColumnHidden(CHANGE, False)
        self.scatter.hide()
        self.parts.hide()
        halves = QSplitter(Qt.Orientation.Horizontal, self)
        right = QSplitter(Qt.Orientation.Vertical, halves)
        right.addWidget(self.table)
        right.addWidget(self.scatter)
        right.setSizes([500, 260])
        halves.addWidget(self.tree)
        halves.addWidget(right)
        halves.setStretchFactor(1, 1)
        halves.setSizes([220, 900])
        halves.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.headline, self.parts, self.ribbon):
            column.addWidget(widget)
        column.addWidget(halves, 1)
