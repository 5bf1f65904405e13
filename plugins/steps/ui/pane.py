"""Loaded steps: stacked bars, the waterfall of one with its intervals, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QLabel,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from plugins.steps.ui.columns import interval_columns, part_of_column, source_title, step_columns
from plugins.steps.ui.parts import classes_of, intervals_of, part_title, parts_of, span_of
from plugins.steps.ui.stepbars import StepBars
from plugins.steps.ui.times import StepTimesPage
from plugins.steps.ui.waterfall import Waterfall
from studio.i18n import tr
from studio.model.ranges import Ranges
from studio.ui.parts import scrolled, split, stacked
from studio.ui.table import TableView
from studio.ui.text import format_ns
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plugins.steps.ui.loader import Loaded
    from plugins.steps.ui.parts import Part

    Intervals = tuple[NDArray[np.int64], NDArray[np.int64]]


class StepsPane(QWidget):
    """Says which step, time and stretches of it are chosen, and when the timeline is wanted."""

    chosen = Signal(int, object, object)
    timeline_wanted = Signal(object)

    def __init__(self, loaded: Loaded, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.loaded = loaded
        self.row = -1
        self.part = ""
        self.bars = StepBars()
        self.legend = QLabel(textFormat=Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.waterfall = Waterfall()
        self.heading = QLabel()
        self.intervals = TableView()
        self.table = TableView()
        self.tabs = QTabWidget()
        self.times = StepTimesPage(loaded.times)
        self._shown: Ranges | None = None
        table = loaded.breakdown.table
        self._classes = [classes_of(table.iloc[row]) for row in range(len(table))]
        self.bars.set_steps(loaded.names, self._classes)
        sources = [source_title(str(source)) for source in table["source"]]
        self.table.set_data(table.assign(source=sources), step_columns(table))
        self._lay_out()
        self._connect()
        self.show_step(0)

    def idle(self) -> bool:
        """Whether the tables are sorted."""
        return self.table.idle() and self.intervals.idle()

    def show_step(self, row: int, part: str = "") -> None:
        """Show one step, and one part of it (the largest when none is given)."""
        table = self.loaded.breakdown.table
        if not 0 <= row < len(table):
            return
        if row != self.row:
            self.row = row
            self.bars.set_current(row)
            parts = parts_of(table.iloc[row])
            self.waterfall.set_parts(parts, span_of(table.iloc[row]), self._strips(parts))
            if self.table.selected_rows() != [row]:
                self.table.select_row(row)
            self.chosen.emit(row, self.step_time(), None)
        self._show_part(part or self._kept_part())
        if part:
            self._choose()

    def step_time(self) -> tuple[int, int] | None:
        """The window of the shown step on the device; None when it is not recorded."""
        row = self.loaded.breakdown.table.iloc[self.row]
        if row["source"] == "published":
            return None
        return int(row["start_ns"]), int(row["end_ns"])

    def time(self) -> tuple[int, int] | None:
        """The selected interval of the shown part, else all of them, else the step."""
        ranges, rows = self.ranges(), self.intervals.selected_rows()
        if ranges is None:
            return self.step_time()
        if not rows:
            return ranges.extent()
        return int(ranges.start[rows[0]]), int(ranges.end[rows[0]])

    def ranges(self) -> Ranges | None:
        """All intervals that the shown part is made of; None where they are not recorded."""
        return self._shown

    def show_moment(self, start: int, end: int) -> bool:
        """Show the step that a stretch of time lies in, without telling of it."""
        table = self.loaded.breakdown.table
        known = table["start_ns"].notna() & table["end_ns"].notna()
        inside = known & (table["start_ns"] <= start) & (table["end_ns"] >= end)
        rows = np.flatnonzero(inside.fillna(False).to_numpy(np.bool_))
        if not len(rows):
            return False
        with QSignalBlocker(self):
            self.show_step(int(rows[0]))
        return True

    # -- what is shown ------------------------------------------------------------------------
    def _kept_part(self) -> str:
        keys = [part.key for part in self.waterfall.parts]
        if self.part in keys:
            return self.part
        own = [part for part in self.waterfall.parts if not part.inside]
        return max(own, key=lambda part: part.ns).key if own else ""

    def _show_part(self, key: str) -> None:
        self.part = key
        self.waterfall.set_current(key)
        start, end = intervals_of(self.loaded.breakdown, self.row, key)
        self._shown = Ranges.over(start, end)
        window = self.step_time()
        origin = window[0] if window else 0
        rows = [
            {"offset_ns": begin - origin, "duration_ns": finish - begin}
            for begin, finish in zip(start.tolist(), end.tolist(), strict=True)
        ]
        self.intervals.set_data(rows, interval_columns())
        self.intervals.sort_by("duration_ns", descending=True)
        total = format_ns(int((end - start).sum()))
        name = part_title(key) if key else ""
        if len(start):
            self.heading.setText(tr("Intervals of: {part} · {time}", part=name, time=total))
        else:
            self.heading.setText(tr("{part}: when it happened is not recorded", part=name))

    def _strips(self, parts: list[Part]) -> list[Intervals]:
        window = self.step_time()
        origin = window[0] if window else 0
        found = [intervals_of(self.loaded.breakdown, self.row, part.key) for part in parts]
        return [(start - origin, end - origin) for start, end in found]

    def _rows_selected(self, rows: list[int]) -> None:
        if rows:
            self.show_step(rows[0])

    def _cell_clicked(self, section: int) -> None:
        part = part_of_column(self.table.model.values[section].column.key)
        if part:
            self.show_step(self.row, part)

    def _choose(self) -> None:
        self.chosen.emit(self.row, self.time(), self.ranges())

    # -- looks --------------------------------------------------------------------------------
    def _connect(self) -> None:
        self.bars.chosen.connect(self.show_step)
        self.waterfall.chosen.connect(lambda key: self.show_step(self.row, key))
        self.waterfall.opened.connect(lambda _key: self.timeline_wanted.emit(self.time()))
        self.table.selection_changed.connect(self._rows_selected)
        self.table.view.clicked.connect(lambda index: self._cell_clicked(index.column()))
        self.table.row_activated.connect(lambda _: self.timeline_wanted.emit(self.step_time()))
        self.intervals.selection_changed.connect(lambda rows: self._choose() if rows else None)
        self.times.chosen.connect(lambda time: self.chosen.emit(self.row, time, None))
        self.times.timeline_wanted.connect(self.timeline_wanted)
        self.intervals.row_activated.connect(lambda _: self.timeline_wanted.emit(self.time()))

    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("Training steps"))
        self.intervals.view.setAccessibleName(tr("Intervals"))
        self.heading.setProperty("role", "muted")
        self.heading.setContentsMargins(10, 6, 8, 0)
        self.legend.setContentsMargins(10, 2, 8, 4)
        self._draw_legend()
        parts = (scrolled(self.waterfall), stacked(self.heading, self.intervals))
        step = split(Qt.Orientation.Horizontal, (720, 300), *parts)
        step.setStretchFactor(0, 1)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(step, tr("One step"))
        self.tabs.addTab(self.table, tr("All steps"))
        self.tabs.addTab(self.times, tr("Three step times"))
        bars = stacked(self.legend, scrolled(self.bars))
        halves = split(Qt.Orientation.Vertical, (190, 380), bars, self.tabs)
        halves.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(halves)
        self.setFocusProxy(self.bars)

    def _draw_legend(self) -> None:
        theme = current_theme()
        kinds = {part.key: part for bar in self._classes for part in bar if part.ns}
        self.legend.setText(
            "&nbsp;&nbsp; ".join(
                f'<span style="color:{theme.semantic(part.semantic).name()}">■</span> {part.title}'
                for part in kinds.values()
            )
        )

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_classes"):
            self._draw_legend()
