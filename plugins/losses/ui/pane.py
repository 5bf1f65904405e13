"""Logs that were read: the finding, the curves, and the steps as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from plugins.losses.core.compare import LossComparison, compare_logs
from plugins.losses.ui.charts import Charts
from plugins.losses.ui.summary import of_one, of_two
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.icons import pixmap
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    from plugins.losses.core.curves import Logs

_LOOK = ("chart", "muted")


class LossPane(QWidget):
    """Shows one series of one log or two."""

    step_activated = Signal(int)
    """A step whose line in the log is wanted."""

    def __init__(self, logs: Logs) -> None:
        super().__init__()
        self.logs = logs
        self.found: LossComparison | None = None
        self._steps: list[int] = []
        self._look = _LOOK
        self._icon, self.sentence = QLabel(), QLabel(wordWrap=True)
        self.charts, self.table = Charts(), TableView()
        self._last = ("", 0.0, False)
        self._lay_out()

    def show_series(self, name: str, tolerance: float, smoothed: bool) -> None:
        """Show another series, or the same otherwise."""
        self._last = (name, tolerance, smoothed)
        candidate, base = self.logs.candidate, self.logs.base
        self.found = None
        problem = ""
        if base is not None:
            try:
                self.found = compare_logs(base, candidate, name, tolerance)
            except StudioError as error:
                problem = error.message
        other = base.series[name].latest() if base is not None and name in base.series else None
        names = _names(self.logs)
        values = candidate.series[name].latest()
        self.charts.show_values(values, other, names, smoothed)
        self.charts.show_errors(self.found)
        self._tell(problem)
        self._fill(name)

    def select_step(self, step: int) -> None:
        """Mark a step in the charts and select its row."""
        if step in self._steps:
            self.table.select_row(self._steps.index(step))
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

    def _tell(self, problem: str) -> None:
        name = self._last[0]
        self._look = _LOOK
        text = of_one(self.logs.candidate.series[name])
        if problem:
            self._look = ("warn", "warn")
            text = problem
        elif self.found is not None:
            self._look, text = of_two(self.found)
        self.sentence.setText(text)
        self._icon.setPixmap(pixmap(self._look[0], 20, self._look[1], self.devicePixelRatioF()))

    def _fill(self, name: str) -> None:
        if self.found is not None:
            rows = [
                {
                    "step": row.step,
                    "base": row.base,
                    "candidate": row.candidate,
                    "error": row.relative_error,
                    "note": row.note or None,
                }
                for row in self.found.rows
            ]
            columns = [
                Column("step", tr("Step")),
                Column("base", tr("Base"), kind="float", digits=6),
                Column("candidate", tr("Candidate"), kind="float", digits=6),
                Column(
                    "error",
                    tr("Difference"),
                    kind="percent",
                    tip=tr("|candidate − base| / |base|"),
                    heat=True,
                ),
                Column("note", tr("Note")),
            ]
        else:
            latest = self.logs.candidate.series[name].latest()
            rows = [{"step": step, "value": value} for step, value in latest.items()]
            columns = [Column("step", tr("Step")), Column("value", name, kind="float", digits=6)]
        self._steps = [int(str(row["step"])) for row in rows]
        self.table.set_data(rows, columns)

    def _selected(self, rows: list[int]) -> None:
        if len(rows) == 1 and rows[0] < len(self._steps):
            self.charts.mark(self._steps[rows[0]])

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_last") and self._last[0]:
            self._tell(self.sentence.text() if self._look == ("warn", "warn") else "")

    def _lay_out(self) -> None:
        self.sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.sentence.linkActivated.connect(lambda step: self.select_step(int(step)))
        self.table.selection_changed.connect(self._selected)
        self.table.row_activated.connect(lambda row: self.step_activated.emit(self._steps[row]))
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


def _names(logs: Logs) -> tuple[str, str]:
    """The names of candidate and base; with their folders where the files are called the same."""
    paths = (logs.candidate.path, logs.base.path if logs.base else logs.candidate.path)
    if logs.base is not None and paths[0].name == paths[1].name:
        return (
            f"{paths[0].parent.name}/{paths[0].name}",
            f"{paths[1].parent.name}/{paths[1].name}",
        )
    return paths[0].name, paths[1].name
