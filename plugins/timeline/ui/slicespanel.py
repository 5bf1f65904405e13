"""The panel that lists slices: found by a search, of a selected stretch, or of one name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from studio.i18n import tr, trn
from studio.ui.icons import set_icon
from studio.ui.text import thousands
from studio.ui.timeaxis import exact
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from plugins.timeline.core.part import Part
    from plugins.timeline.ui.hub import Hub
    from plugins.timeline.ui.reading import Table
    from plugins.timeline.ui.view import TimelineView
    from studio.ui.table import Column, TableView

_WAIT = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which slices are to be listed, and in which words."""

    title: str
    start: int
    end: int
    lanes: tuple[int, ...] | None
    names: tuple[int, ...] | None

    def part(self) -> Part:
        """The part of the trace that holds them."""
        import numpy as np

        from plugins.timeline.core.part import Part

        names = None if self.names is None else np.array(self.names, np.int32)
        return Part(self.start, self.end, None if self.lanes is None else list(self.lanes), names)


def wanted_of(view: TimelineView) -> Wanted | None:
    """Choose what to list: hits of a search, else the selected stretch, else slices of a name."""
    state = view.state
    if state is None:
        return None
    trace = state.scene.trace
    start, end = trace.start_ns, trace.end_ns + 1
    lanes: tuple[int, ...] | None = None
    where = ""
    if state.range is not None:
        start, end = state.range
        found = state.area_lanes()
        lanes = None if found is None else tuple(found)
        where = tr("in the selected {time}", time=exact(end - start))
    names: tuple[int, ...] | None = None
    if state.hits is not None:
        names = tuple(sorted(set(trace.name[state.hits.indices].tolist())))
        title = tr("Slices found by “{text}”", text=state.hits.text)
    elif state.range is not None:
        title = tr("Slices")
    elif state.selected >= 0:
        number = int(trace.name[state.selected])
        names = (number,)
        title = tr("Slices named {name}", name=trace.names[number])
    else:
        return None
    return Wanted(" ".join(filter(None, (title, where))), start, end, lanes, names)


class SlicesPanel(QWidget):
    """Follows the timeline that was used last; a row leads to its slice."""

    def __init__(self, hub: Hub, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hub = hub
        self._view: TimelineView | None = None
        self._wanted: Wanted | None = None
        self._shown: Wanted | None = None
        self._listed: Table | None = None
        self._going = False
        self.table: TableView | None = None
        self.heading = QLabel()
        self.export = QToolButton()
        self.empty = EmptyState(
            "table",
            tr("No slices to list"),
            tr(
                "Search a timeline, select a stretch of time or a slice: its slices are listed "
                "here, to be sorted, filtered, copied and exported."
            ),
        )
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._ask)
        self._lay_out()
        hub.add(self, self.follow)
        self.follow(hub.view)

    def follow(self, view: TimelineView | None) -> None:
        """List what a timeline has selected; nothing of one that was closed."""
        if not isValid(self.heading):
            return
        wanted = None if view is None else wanted_of(view)
        if view is self._view and wanted == self._wanted:
            return
        if view is not self._view or wanted is None:  # slices have other numbers in each trace
            self._shown = self._listed = None
            self._soon.stop()
        self._view, self._wanted = view, wanted
        self._show_parts()
        if wanted is not None and self.isVisible():
            self._soon.start()

    def idle(self) -> bool:
        """Whether the slices are those that are wanted."""
        if not self.isVisible():
            return True
        return self._wanted == self._shown and (self.table is None or self.table.idle())

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was selected meanwhile."""
        super().showEvent(event)
        if self._wanted != self._shown:
            self._soon.start()

    # -- filling ------------------------------------------------------------------------------
    def _ask(self) -> None:
        from plugins.timeline.ui.reading import read_slices

        view, wanted = self._view, self._wanted
        if view is not None and wanted is not None:
            read_slices(
                view, wanted.part(), columns(), lambda listed: self._show(view, wanted, listed)
            )

    def _show(self, view: TimelineView, wanted: Wanted, listed: Table) -> None:
        if view is not self._view or wanted != self._wanted:
            return
        self._shown, self._listed = wanted, listed
        self._tell([])
        table = self._table()
        table.set_data(listed.columns)
        self._show_parts()

    def _tell(self, rows: list[int]) -> None:
        """Say what is listed, and how long the selected slices are together."""
        if self._wanted is None or self._listed is None:
            return
        count = len(self._listed.indices)
        found = trn("{count} slice", "{count} slices", count, count=thousands(count))
        text = f"{self._wanted.title}  ·  {found}"
        if len(rows) > 1:
            text += "  ·  " + self._sum(rows)
        self.heading.setText(text)
        self.heading.setToolTip(text)

    def _sum(self, rows: list[int]) -> str:
        """How long the selected slices are together, and without counting any moment twice."""
        if self._listed is None or self._view is None:
            return ""
        from studio.trace.intervals import length

        trace, chosen = self._view.scene.trace, self._listed.indices[rows]
        total = exact(int(trace.duration[chosen].sum()))
        busy = exact(length((trace.start[chosen], trace.end[chosen])))
        n = thousands(len(rows))
        if busy == total:
            return tr("{n} selected, {time} together", n=n, time=total)
        return tr(
            "{n} selected, {time} together; busy {busy}, each moment counted once",
            n=n,
            time=total,
            busy=busy,
        )

    def _table(self) -> TableView:
        """Make the table when first needed."""
        if self.table is None:
            from studio.ui.table import TableView

            self.table = TableView()
            self.table.selection_changed.connect(self._chosen)
            self.table.row_activated.connect(self._zoom)
            layout = self.layout()
            if layout is not None:
                layout.addWidget(self.table)
        return self.table

    def _show_parts(self) -> None:
        listing = self._wanted is not None
        self.empty.setVisible(not listing)
        self.heading.setVisible(listing)
        self.export.setVisible(listing)
        if self.table is not None:
            self.table.setVisible(listing)

    # -- links --------------------------------------------------------------------------------
    def _chosen(self, rows: list[int]) -> None:
        self._tell(rows)
        if self._view is not None and self._listed is not None and rows:
            self._view.go_to(int(self._listed.indices[rows[-1]]), keep_range=True)

    def _zoom(self, row: int) -> None:
        if self._view is not None and self._listed is not None:
            self._view.zoom_to(int(self._listed.indices[row]))

    def _export(self) -> None:
        from plugins.timeline.ui.exporting import export_part

        if self._view is not None and self._wanted is not None:
            export_part(self._view, self._wanted.part(), self)

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.setAccessibleName(tr("Slices"))
        self.heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        set_icon(self.export, "export")
        self.export.setToolTip(tr("Export these slices as a trace or a table"))
        self.export.setAccessibleName(tr("Export these slices as a trace or a table"))
        self.export.clicked.connect(lambda _checked=False: self._export())
        row = QHBoxLayout()
        row.setContentsMargins(10, 4, 8, 0)
        row.addWidget(self.heading, 1)
        row.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.empty, 1)


def columns() -> list[Column]:
    """The columns of a list of slices."""
    from studio.ui.table import Column

    return [
        Column("name", tr("Name"), width=320),
        Column("start_ns", tr("Start"), "ms", kind="ns", digits=10, width=110, total="least"),
        Column("duration_ns", tr("Duration"), "µs", kind="ns", digits=7, heat=True, width=110),
        Column("self_ns", tr("Self"), "µs", kind="ns", digits=7, width=110),
        Column("process", tr("Process"), width=150),
        Column("lane", tr("Lane"), width=150),
        Column("category", tr("Category"), width=110),
    ]
