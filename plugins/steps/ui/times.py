"""The three published step times side by side, and why they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from plugins.steps.ui.columns import time_columns, with_differences
from studio.i18n import tr
from studio.perf.step_times import meanings
from studio.ui.table import TableView

if TYPE_CHECKING:
    import pandas as pd


_START = {"stage_ns": "stage_start_ns", "whole_run_ns": "whole_run_start_ns"}


class StepTimesPage(QWidget):
    """A note and the table; a number is a stretch of time."""

    chosen = Signal(object)
    timeline_wanted = Signal(object)

    def __init__(self, times: pd.DataFrame, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = QLabel(note())
        self.table = TableView()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.note.setContentsMargins(12, 10, 12, 6)
        self.table.view.setAccessibleName(tr("Three step times"))
        self._times = times
        self.table.set_data(with_differences(times), time_columns(times))
        self.table.view.clicked.connect(lambda _index: self._choose())
        self.table.row_activated.connect(lambda _row: self.timeline_wanted.emit(self.time()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)

    def time(self) -> tuple[int, int] | None:
        """What the current number times; None where it is not recorded when that was."""
        index, rows = self.table.view.currentIndex(), self.table.selected_rows()
        if not rows or not index.isValid():
            return None
        key = self.table.model.values[index.column()].column.key
        row = self._times.iloc[rows[0]]
        key = key if key in _START else "host_ns"
        start, length = row[_START.get(key, "host_start_ns")], row[key]
        if "<NA>" in (str(start), str(length)):
            return None
        return int(start), int(start) + int(length)

    def _choose(self) -> None:
        time = self.time()
        if time is not None:
            self.chosen.emit(time)


def note() -> str:
    """Why three step times of one run differ, and which is which."""
    intro = tr("The vendor's tools publish three times as “step time”. They time different things:")
    return "\n".join((intro, *(f"•  {meaning}" for meaning in meanings().values())))
