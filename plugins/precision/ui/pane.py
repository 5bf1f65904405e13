"""The result of a comparison: the finding, the ribbon of the network, its modules, its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSplitter, QVBoxLayout, QWidget

from plugins.precision.core.align.change import Change
from plugins.precision.core.network import module_of_row
from plugins.precision.ui.headline import Headline
from plugins.precision.ui.ribbon import Ribbon
from plugins.precision.ui.rows import (
    CHANGE,
    ERROR,
    MAX_ABS,
    MAX_REL,
    VERDICT,
    MaximumDelegate,
    VerdictDelegate,
    cells,
    change_word,
    columns,
    word,
)
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
    from plugins.precision.core.network import Overview, Point
    from studio.api import Studio

_ALL, _DEVIATING, _CHANGED = "", "deviating", "changed"
_BESIDE_WORD = 44  # icon and margins of a verdict


class ResultPane(QWidget):
    """Everything seen of a comparison that is done; `selected` tells the name of a value."""

    selected = Signal(str)
    tensors_wanted = Signal()
    """The tensors of the selected row shall be shown."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.overview: Overview | None = None
        self._rows: list[DumpRow] = []
        self._numbers: list[int] = []
        self._wanted: str | None = None
        self.part_action: QAction | None = None
        self.headline, self.ribbon, self.scatter = Headline(), Ribbon(), Scatter()
        self.tree, self.table = ModuleTree(), TableView()
        self.status, self.part = QComboBox(), QComboBox()
        self._lay_out()
        self._connect()

    # -- what is shown ------------------------------------------------------------------------
    def show_overview(self, overview: Overview) -> None:
        """Show a comparison, at its first deviation."""
        self.overview = overview
        self._rows = list(overview.result.dump_rows())
        self.headline.set_result(overview.result, overview.diagnosis)
        self.tree.show_modules(overview.modules)
        self._fill_filters(overview)
        self._part_chosen()
        self.show_first()

    def want_status(self, status: str | None) -> None:
        """Filter by this verdict once there is a result."""
        self._wanted = status

    def show_first(self, link: str = "") -> None:
        """Show the operator of a link, or the first one that deviates."""
        if self.overview is None:
            return
        part, _, name = link.rpartition("|")
        first = self.overview.diagnosis.first
        if not link and first and first.first:
            part, name = first.label, first.first.operator
        point = next((p for p in self._points(part) if p.call == name), None)
        if point is not None:
            self.show_row(point.row)
        elif (row := self.overview.result.first) is not None:
            self.select(row.name)

    def show_row(self, number: int) -> bool:
        """Select a row, taking away filters that hide it."""
        row = self._rows[number]
        if row.part and row.part != self.part.currentData():
            self.part.setCurrentIndex(max(self.part.findData(row.part), 0))
        if number not in self._numbers:
            self.status.setCurrentIndex(0)
            self.tree.choose_all()
        if number not in self._numbers:
            return False
        place = self._numbers.index(number)
        if not self.table.select_row(place):
            self.table.filter.clear()
            self.table.arrange()
            return self.table.select_row(place)
        return True

    def select(self, name: str) -> bool:
        """Select a value by its name, among those that are listed."""
        for place, number in enumerate(self._numbers):
            if self._rows[number].name == name:
                return self.table.select_row(place)
        return False

    def step(self, by: int) -> None:
        """Select the next or previous value that deviates."""
        order = [int(row) for row in self.table.model.rows]
        places = [at for at, row in enumerate(order) if self._rows[self._numbers[row]].deviates]
        selected = self.table.selected_rows()
        now = order.index(selected[0]) if selected else (-1 if by > 0 else len(order))
        further = [p for p in places if (p > now if by > 0 else p < now)]
        if further:
            self.table.select_row(order[further[0 if by > 0 else -1]])

    def selected_row(self) -> DumpRow | None:
        """The row that is selected, if it is just one."""
        selected = self.table.selected_rows()
        if len(selected) != 1 or selected[0] >= len(self._numbers):
            return None
        return self._rows[self._numbers[selected[0]]]

    def show_source(self) -> None:
        """Open the line of the program that made the selected value."""
        selected = self.table.selected_rows()
        if selected:
            self._open_source(selected[0])

    # -- inside -------------------------------------------------------------------------------
    def _points(self, part: str) -> list[Point]:
        points = self.overview.points if self.overview else ()
        return [point for point in points if not part or point.part == part]

    def _fill_filters(self, overview: Overview) -> None:
        wanted = self._wanted or self.status.currentData()
        self._wanted = None
        result = overview.result
        for box in (self.status, self.part):
            box.blockSignals(True)
            box.clear()
        self.status.addItem(tr("All tensors"), _ALL)
        self.status.addItem(tr("Deviating"), _DEVIATING)
        if set(result.changes()) - {Change.SAME}:
            self.status.addItem(tr("Changed calls"), _CHANGED)
        for status in result.counts():
            self.status.addItem(word(status), status.value)
        for change in result.changes():
            if change is not Change.SAME:
                self.status.addItem(change_word(change), f"{_CHANGED} {change.value}")
        self.status.setCurrentIndex(max(self.status.findData(wanted), 0))
        for part in result.parts:
            self.part.addItem(part.label or tr("All"), part.label)
        first = overview.diagnosis.first
        self.part.setCurrentIndex(max(self.part.findData(first.label if first else ""), 0))
        for box in (self.status, self.part):
            box.blockSignals(False)
        if self.part_action is not None:
            self.part_action.setVisible(len(result.parts) > 1)

    def _part_chosen(self) -> None:
        points = self._points(self.part.currentData() or "")
        self.ribbon.set_points(points)
        self.scatter.set_points(points)
        self._fill()

    def _fill(self) -> None:
        if self.overview is None:
            return
        wanted, part = self.status.currentData(), self.part.currentData()
        module = self.tree.chosen()
        several = len(self.overview.result.parts) > 1
        self._numbers = [
            number
            for number, row in enumerate(self._rows)
            if _passes(row, wanted or "")
            and (not several or row.part == part)
            and (not module or f"{module_of_row(row)}.".startswith(f"{module}."))
        ]
        added = self.overview.added
        self.table.set_data([cells(self._rows[n], added[n]) for n in self._numbers], columns())
        view = self.table.view
        metrics = view.fontMetrics()
        words = [metrics.horizontalAdvance(word(s)) for s in self.overview.result.counts()]
        view.setColumnWidth(VERDICT, max(words, default=0) + _BESIDE_WORD)
        keys = [column.key for column in columns()]
        has = {
            "change": bool(set(self.overview.result.changes()) - {Change.SAME}),
            "noise": any(row.noise is not None for row in self._rows),
            "source": any(row.source for row in self._rows),
        }
        for key, present in has.items():
            view.setColumnHidden(keys.index(key), not present)

    def _selected(self, rows: list[int]) -> None:
        if len(rows) != 1 or rows[0] >= len(self._numbers):
            return
        number = self._numbers[rows[0]]
        self.ribbon.mark(number)
        self.scatter.mark(number)
        self.selected.emit(self._rows[number].name)

    def row_of(self, index: Any) -> DumpRow | None:  # noqa: ANN401 - a model index of two kinds
        """The value that a row of the table shows."""
        place = self.table.model.source_row(index)
        return self._rows[self._numbers[place]] if place < len(self._numbers) else None

    def _open_source(self, place: int) -> None:
        if place < len(self._numbers):
            show_source(self._studio, self._rows[self._numbers[place]].source)

    def _menu(self, menu: QMenu, rows: list[int]) -> None:
        tensors = menu.addAction(tr("Show tensors"))
        set_icon(tensors, "tensor")
        tensors.setEnabled(len(rows) == 1)
        tensors.triggered.connect(self.tensors_wanted.emit)
        action = menu.addAction(tr("Go to the source line"))
        set_icon(action, "goto")
        action.setEnabled(len(rows) == 1 and bool(self._rows[self._numbers[rows[0]]].source))
        action.triggered.connect(lambda: self._open_source(rows[0]))

    def changeEvent(self, event: QEvent) -> None:
        """Draw the verdicts anew in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "table"):
            self.table.view.viewport().update()

    def _connect(self) -> None:
        self.status.currentIndexChanged.connect(lambda _: self._fill())
        self.part.currentIndexChanged.connect(lambda _: self._part_chosen())
        self.tree.module_chosen.connect(lambda _: self._fill())
        self.headline.link.connect(self.show_first)
        self.ribbon.chosen.connect(self.show_row)
        self.scatter.chosen.connect(self.show_row)
        self.table.selection_changed.connect(self._selected)
        self.table.row_activated.connect(self._open_source)
        self.table.menu_hook = self._menu

    def _lay_out(self) -> None:
        view = self.table.view
        view.setItemDelegateForColumn(VERDICT, VerdictDelegate(self.row_of, view))
        for section in (MAX_ABS, MAX_REL, ERROR):
            view.setItemDelegateForColumn(section, MaximumDelegate(self.row_of, view))
        view.setColumnHidden(CHANGE, False)
        for box, name in ((self.status, tr("Verdicts to show")), (self.part, tr("Step and rank"))):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setMinimumContentsLength(12)
        self.scatter.hide()
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self.table)
        right.addWidget(self.scatter)
        right.setSizes([500, 260])
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.addWidget(self.tree)
        halves.addWidget(right)
        halves.setStretchFactor(1, 1)
        halves.setSizes([220, 900])
        halves.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.headline)
        column.addWidget(self.ribbon)
        column.addWidget(halves, 1)


def _passes(row: DumpRow, wanted: str) -> bool:
    if wanted == _DEVIATING:
        return row.deviates
    if wanted == _CHANGED:
        return row.change is not Change.SAME
    if wanted.startswith(f"{_CHANGED} "):
        return row.change.value == wanted.split(" ", 1)[1]
    return wanted in (_ALL, row.status.value)
