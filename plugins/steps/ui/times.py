"""The three published step times side by side, and why they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from plugins.steps.ui.columns import time_columns, with_differences
from studio.i18n import tr
from studio.perf.step_times import meanings
from studio.ui.table import TableView

if TYPE_CHECKING:
    import pandas as pd


class StepTimesPage(QWidget):
    """A note and the table."""

    def __init__(self, times: pd.DataFrame, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = QLabel(note())
        self.table = TableView()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.note.setContentsMargins(12, 10, 12, 6)
        self.table.view.setAccessibleName(tr("Three step times"))
        self.table.set_data(with_differences(times), time_columns(times))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)


def note() -> str:
    """Why three step times of one run differ, and which is which."""
    intro = tr("The vendor's tools publish three times as “step time”. They time different things:")
    return "\n".join((intro, *(f"•  {meaning}" for meaning in meanings().values())))
