"""Logs that were read: the finding, the curves, and the steps as a table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from plugins.losses.ui.charts import Charts
from plugins.losses.ui.prepared import CANDIDATE
from plugins.losses.ui.summary import of_another, of_one, of_two
from studio.ui.icons import pixmap
from studio.ui.table import TableView

if TYPE_CHECKING:
    from plugins.losses.core.compare import LossComparison
    from plugins.losses.core.curves import Logs
    from plugins.losses.ui.prepared import Prepared

_LOOK = ("chart", "muted")


class LossPane(QWidget):
    """Shows one series of one log or two."""

    step_activated = Signal(int)
    """A step whose line in the log is wanted."""

    def __init__(self, logs: Logs) -> None:
        super().__init__()
        self.logs = logs
        self.found: LossComparison | None = None
        self.shown: Prepared | None = None
        self._look = _LOOK
        self._icon, self.sentence = QLabel(), QLabel(wordWrap=True)
        self.charts, self.table = Charts(), TableView()
        self._lay_out()

    def show_series(self, shown: Prepared, tolerance: float) -> None:
        """Show another series, or the same otherwise."""
        self.shown, self.found = shown, shown.found
        self.charts.show_series(shown, tolerance)
        self._tell()
        self.table.set_data(shown.values)

    def select_step(self, step: int) -> None:
        """Mark a step in the charts and select its row."""
        if step in self._steps():
            self.table.select_row(self._steps().index(step))
        self.charts.mark(step)

    def show_first(self) -> None:
        """Mark the first step beyond the tolerance."""
        if self.found is not None:
            steps = [self.found.first_beyond, *self.found.not_finite[:1]]
            known = [step for step in steps if step is not None]
            if known:
                self.select_step(min(known))

    def idle(self) -> bool:
        """Whether all is drawn."""
        return self.charts.idle() and self.table.idle()

    def _steps(self) -> list[int]:
        return self.shown.steps if self.shown is not None else []

    def _tell(self) -> None:
        shown = self.shown
        if shown is None:
            return
        self._look = _LOOK
        text = of_one(self.logs.candidate.series[shown.name])
        if shown.problem:
            self._look = ("warn", "warn")
            text = escape(shown.problem)
        elif shown.found is not None:
            self._look, text = of_two(shown.found)
        labels = self.logs.labels()
        more = [
            of_another(labels[key], comparison)
            for key, comparison in shown.comparisons.items()
            if key != CANDIDATE
        ]
        self.sentence.setText("<br>".join([text, *more]))
        self._icon.setPixmap(pixmap(self._look[0], 20, self._look[1], self.devicePixelRatioF()))

    def _selected(self, rows: list[int]) -> None:
        if len(rows) == 1 and rows[0] < len(self._steps()):
            self.charts.mark(self._steps()[rows[0]])

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and getattr(self, "shown", None) is not None:
            self._tell()

    def _lay_out(self) -> None:
        self.sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.sentence.linkActivated.connect(lambda step: self.select_step(int(step)))
        self.table.selection_changed.connect(self._selected)
        self.table.row_activated.connect(lambda row: self.step_activated.emit(self._steps()[row]))
        line = QHBoxLayout()
        line.setContentsMargins(10, 8, 10, 4)
        line.setSpacing(8)
        line.addWidget(self._icon)
        line.addWidget(self.sentence, 1)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.charts)
        halves.addWidget(self.table)
        halves.setStretchFactor(0, 1)
        halves.setSizes([820, 400 if self.logs.base is not None else 240])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(halves, 1)
        self.setFocusProxy(self.charts.values)
