"""The table of peaks below the chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.memory.ui.writing import kind_title
from studio.i18n import tr
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.memory.core import Peak


class PeakTable(QWidget):
    """One row per curve; a click shows where its peak is."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._peaks: Sequence[Peak] = ()
        self._origin = 0
        self._unit = "MiB"
        self.table = TableView()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        self.table.view.clicked.connect(
            lambda index: self._choose(self.table.model.source_row(index))
        )
        self.table.row_activated.connect(self._choose)
        self.table.view.setAccessibleName(tr("Peaks of memory"))

    def show_peaks(self, peaks: Sequence[Peak], origin: int) -> None:
        """Show peaks; times count from `origin`."""
        self._peaks, self._origin = peaks, origin
        self._fill()

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        self._unit = unit
        self._fill()

    def idle(self) -> bool:
        """Whether the table is sorted."""
        return self.table.idle()

    def _fill(self) -> None:
        rows = [
            {
                "component": peak.component,
                "device": peak.device or None,
                "kind": kind_title(peak.kind),
                "peak": peak.peak_bytes,
                "at": peak.at_ns - self._origin,
                "first": peak.first_ns - self._origin,
                "last": peak.last_ns - self._origin,
                "records": peak.records,
                "blank": peak.not_recorded,
            }
            for peak in self._peaks
        ]
        since = tr("Since the first record of the file")
        self.table.set_data(
            rows,
            [
                Column("component", tr("Component"), tip=tr("Who manages the memory")),
                Column("device", tr("Device")),
                Column("kind", tr("Memory")),
                Column(
                    "peak",
                    tr("Peak"),
                    self._unit,
                    kind="bytes",
                    digits=8,
                    heat=True,
                    total="largest",
                ),
                Column("at", tr("At"), "ms", kind="ns", digits=7, tip=since, total="alike"),
                Column(
                    "first", tr("First record"), "ms", kind="ns", digits=7, tip=since, total="least"
                ),
                Column(
                    "last", tr("Last record"), "ms", kind="ns", digits=7, tip=since, total="largest"
                ),
                Column("records", tr("Records"), kind="int"),
                Column(
                    "blank",
                    tr("Not recorded"),
                    kind="int",
                    tip=tr("Rows of the file in which this value is blank; they are no zeros"),
                ),
            ],
        )

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self._peaks):
            self.chosen.emit(self._peaks[row])
