"""The statistics of a stretch of time over some lanes: by name, lane, process or category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from plugins.timeline.core.summary import GROUPINGS
from plugins.timeline.ui.hub import SLICES
from plugins.timeline.ui.rangecolumns import counter_columns, group_columns, name_columns
from plugins.timeline.ui.reading import COUNTERS, read_summary
from studio.i18n import tr, trn
from studio.ui.parts import OneLine
from studio.ui.table import TableView
from studio.ui.text import format_percent, thousands
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    import pandas as pd

    from plugins.timeline.core.summary import Summary
    from plugins.timeline.ui.view import TimelineView

    Wanted = tuple[int, int, tuple[int, ...] | None, str]

_WAIT = 80


class RangePage(QWidget):
    """The page of the details panel for a stretch of time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: TimelineView | None = None
        self._wanted: Wanted | None = None
        self._shown: Wanted | None = None
        self._summary: Summary | None = None
        self._sorted: set[str] = set()
        self.heading = OneLine()
        self.by = QComboBox()
        self.table = TableView()
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._ask)
        self._lay_out()

    def show_range(self, view: TimelineView) -> None:
        """Show what happens in the selected stretch of a timeline."""
        state = view.pane_now().state
        if state.range is None:
            return
        lanes = state.area_lanes()
        only_counters = lanes == [] and bool(state.area_counters())
        no_counters = state.area_counters() == []
        if only_counters or (no_counters and self.by.currentIndex() == len(GROUPINGS)):
            with QSignalBlocker(self.by):
                self.by.setCurrentIndex(len(GROUPINGS) if only_counters else 0)
        by = (*GROUPINGS, COUNTERS)[max(self.by.currentIndex(), 0)]
        wanted = (*state.range, None if lanes is None else tuple(lanes), by)
        if view is self._view and self._wanted == wanted:
            return
        if view is not self._view:
            self._shown = self._summary = None
        self._view, self._wanted = view, wanted
        self.heading.setText(self._where())
        self._soon.start()

    def clear(self) -> None:
        """Forget the timeline."""
        self._view = self._wanted = self._shown = self._summary = None
        self._soon.stop()

    def idle(self) -> bool:
        """Whether the statistics are those of the stretch that is wanted."""
        return self._wanted == self._shown and self.table.idle()

    # -- filling ------------------------------------------------------------------------------
    def _ask(self) -> None:
        view, wanted = self._view, self._wanted
        if view is None or wanted is None:
            return
        start, end, lanes, by = wanted
        chosen = None if lanes is None else list(lanes)
        read_summary(view, start, end, chosen, by, lambda found: self._show(view, wanted, found))

    def _show(self, view: TimelineView, wanted: Wanted, summary: Summary) -> None:
        if view is not self._view or wanted != self._wanted:
            return
        self._shown, self._summary = wanted, summary
        start, end, _, _ = wanted
        if summary.by == COUNTERS:
            count = trn("{n} counter", "{n} counters", len(summary.rows))
            self.heading.setText(f"{self._where()}  ·  {count}")
            self.table.set_data(self._titled(summary), counter_columns())
            return
        slices = summary.slices
        count = trn("{count} slice", "{count} slices", slices, count=thousands(slices))
        busy = tr(
            "busy {time} ({share}), each moment counted once",
            time=exact(summary.covered_ns),
            share=format_percent(summary.covered_ns / max(end - start, 1)),
        )
        self.heading.setText(f"{self._where()}  ·  {count}  ·  {busy}")
        rows = self._titled(summary)
        if summary.by == "name":
            rows = rows.assign(avg_ns=rows["avg_ns"].round().astype("Int64"))
            self.table.set_data(rows, name_columns(summary))
        else:
            self.table.set_data(rows, group_columns(summary))
        if summary.by not in self._sorted:
            self._sorted = {summary.by}
            key = "total_ns" if summary.by == "name" else "covered_ns"
            self.table.sort_by(key, descending=True)

    def _where(self) -> str:
        if self._view is None or self._wanted is None:
            return ""
        start, end, lanes, _ = self._wanted
        origin = self._view.scene.start
        text = tr(
            "{length} from {start} to {end}",
            length=exact(end - start),
            start=exact(start - origin),
            end=exact(end - origin),
        )
        if lanes is None:
            return f"{text}  ·  {tr('all lanes')}"
        if not lanes:
            return text
        return f"{text}  ·  {trn('{n} lane', '{n} lanes', len(lanes))}"

    # -- looks and links ----------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.by.addItems([tr("By name"), tr("By lane"), tr("By process"), tr("By category")])
        self.by.addItem(tr("Counters"))
        self.by.setAccessibleName(tr("What is summed up"))
        self.by.setToolTip(tr("What is summed up"))
        self.by.currentIndexChanged.connect(self._regroup)
        self.heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.heading.setToolTip(
            tr(
                "Slices are cut at the edges. Total adds up slices, also where they overlap; self "
                "is without the slices inside; covered counts each moment once. A double click "
                "lists the slices of a row."
            )
        )
        row = QHBoxLayout()
        row.setContentsMargins(10, 4, 8, 0)
        row.addWidget(self.heading, 1)
        row.addWidget(self.by)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self.table.row_activated.connect(self._list)
        self.table.view.clicked.connect(
            lambda index: self._chosen(self.table.model.source_row(index))
        )

    def _regroup(self) -> None:
        if self._view is not None and self._view.pane is not None:
            self.show_range(self._view)

    def _titled(self, summary: Summary) -> pd.DataFrame:
        """Its rows, with lanes and processes named as in the view."""
        from plugins.timeline.ui.lanetitles import titled

        return titled(summary.rows, self._view.scene.trace) if self._view else summary.rows

    def _list(self, row: int) -> None:
        """List the slices that a row sums up."""
        self._chosen(row)
        if self._view is not None and self._view.studio.window is not None:
            self._view.studio.window.show_panel(SLICES)

    def _chosen(self, row: int) -> None:
        """Light up the slices of a name; show a lane."""
        if self._view is None or self._summary is None or not 0 <= row < len(self._summary.rows):
            return
        found = self._summary.rows.iloc[row]
        if self._summary.by == "name":
            self._view.search_name(str(found["name"]))
        elif self._summary.by == COUNTERS:
            self._view.show_counter(int(found["id"]))
        elif self._summary.by in ("lane", "process"):
            self._view.show_lane(int(found["id"]))
