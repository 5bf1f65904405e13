"""All ranks in one view: a heat map of ranks and steps, and the ranks of one step as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from plugins.steps.ui.columns import part_of_column, source_title, step_columns
from plugins.steps.ui.parts import classes_of, part_meaning, part_title
from plugins.steps.ui.stepbars import StepBars
from studio.i18n import tr
from studio.ui.chartheat import HeatMap
from studio.ui.parts import chooser, note, scrolled, split, titled
from studio.ui.table import Column, TableView
from studio.ui.text import format_ns, format_percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plugins.steps.ranks import RankSteps

_COLUMNS = (
    "span_ns",
    "computing_ns",
    "communication_ns",
    "not_overlapped_ns",
    "overlapped_ns",
    "free_ns",
    "own_bubble_ns",
)
_SLOW = 0.05


class RanksPage(QWidget):
    """A cell, a bar or a row says which rank and step is wanted."""

    step_wanted = Signal(object, str, str)

    def __init__(self, ranks: RankSteps) -> None:
        super().__init__()
        self.ranks = ranks
        self.step = ""
        known = [name for name in _COLUMNS if ranks.table[name].notna().any()]
        entries = [(part_title(name.removesuffix("_ns")), name) for name in known]
        self.part = chooser(tr("Part"), tr("What the colours of the cells mean"), entries)
        whole = [name for name in known if ranks.table[name].notna().all()]
        self.part.setCurrentIndex(max(self.part.findData(next(iter(whole), None)), 0))
        self.heat = HeatMap(tr("Ranks and steps"), tr("No step was recorded."))
        self.bars = StepBars(tr("Ranks of one step"), lambda name: tr("rank {rank}", rank=name))
        self.table = TableView()
        self.told = note("")
        self._rows: list[int] = []
        self._lay_out()
        names = [ranks.titles[number] for number in ranks.owner.tolist()]
        columns = [Column("rank_name", tr("Rank")), *step_columns(ranks.table)]
        sources = [source_title(str(source)) for source in ranks.table["source"]]
        self.table.set_data(ranks.table.assign(rank_name=names, source=sources), columns)
        self._colour()
        self.part.activated.connect(lambda _row: self._colour())
        self.heat.chosen.connect(self._cell_chosen)
        self.heat.opened.connect(lambda _cell: self._open(self._row()))
        self.bars.chosen.connect(lambda place, _part: self._bar_chosen(place))
        self.table.selection_changed.connect(self._row_selected)
        self.table.row_activated.connect(self._open)
        if steps := ranks.steps():
            self.show_step(steps[0])

    def idle(self) -> bool:
        """Whether the table is sorted."""
        return self.table.idle()

    def show_step(self, step: str) -> None:
        """Show the ranks of a step as bars."""
        self.step = step
        self._rows = self.ranks.rows_of(step)
        table = self.ranks.table
        owners = self.ranks.owner[self._rows].tolist()
        names = [self.ranks.titles[number].split(" ")[-1] for number in owners]
        self.bars.set_steps(names, [classes_of(table.iloc[row]) for row in self._rows])
        self.told.setText(self._compared())

    # -- what is chosen -------------------------------------------------------------------------
    def _row(self) -> int:
        rows = self.table.selected_rows()
        return rows[0] if rows else -1

    def _cell_chosen(self, cell: int) -> None:
        rank, step = self.heat.cell(cell)
        self.show_step(self.heat.columns[step])
        self._select(rank)

    def _bar_chosen(self, place: int) -> None:
        self.bars.set_current(place)
        self._select(int(self.ranks.owner[self._rows[place]]))

    def _select(self, rank: int) -> None:
        row = next((r for r in self._rows if self.ranks.owner[r] == rank), -1)
        if row >= 0:
            self.table.select_row(row)

    def _row_selected(self, rows: list[int]) -> None:
        if not rows:
            return
        step = self.ranks.step_of(rows[0])
        if step != self.step:
            self.show_step(step)
        if rows[0] in self._rows:
            self.bars.set_current(self._rows.index(rows[0]))
        rank = int(self.ranks.owner[rows[0]])
        columns = self.ranks.steps()
        self.heat.set_current(rank * len(columns) + columns.index(step))

    def _open(self, row: int) -> None:
        if row >= 0:
            path = self.ranks.paths[int(self.ranks.owner[row])]
            self.step_wanted.emit(path, self.ranks.step_of(row), self._part())

    def _part(self) -> str:
        """The part that the number under the keyboard stands for, else that of the colours."""
        index = self.table.view.currentIndex()
        inside = index.isValid() and self.table.view.hasFocus()
        key = self.table.model.values[index.column()].column.key if inside else ""
        return part_of_column(key or self.part.currentData() or "")

    # -- looks ----------------------------------------------------------------------------------
    def _colour(self) -> None:
        column = self.part.currentData()
        if column is None:
            return
        values: NDArray[np.float64] = self.ranks.grid(column)
        self.heat.set_cells(
            self.ranks.titles, self.ranks.steps(), values, lambda value: format_ns(round(value))
        )
        self.heat.setToolTip(part_meaning(column.removesuffix("_ns")))

    def _compared(self) -> str:
        """Which rank of the step is the slowest, and by what it differs most from the fastest."""
        column = self.ranks.table["computing_ns"]
        own = {row: int(column.iloc[row]) for row in self._rows if column.notna().iloc[row]}
        if len(own) < 2:
            return tr("Less than two ranks have step {step}.", step=self.step)
        slow, fast = max(own, key=own.__getitem__), min(own, key=own.__getitem__)
        apart = (own[slow] - own[fast]) / max(sum(own.values()) / len(own), 1.0)
        names = [self.ranks.titles[int(self.ranks.owner[row])] for row in (slow, fast)]
        text = tr(
            "Step {step}: {slow} computes longest ({most}), {fast} shortest ({least}): "
            "{share} of the mean apart.",
            step=self.step,
            slow=names[0],
            most=format_ns(own[slow]),
            fast=names[1],
            least=format_ns(own[fast]),
            share=format_percent(apart),
        )
        if apart > _SLOW:
            text += " " + tr("The others wait for it in their communication.")
        return text

    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("Steps of all ranks"))
        line = QHBoxLayout()
        line.setContentsMargins(10, 4, 8, 0)
        line.addWidget(self.part)
        line.addWidget(self.told, 1)
        area = scrolled(self.heat)
        heat = titled(tr("Ranks and steps (double click: that rank)"), area)
        bars = titled(tr("Ranks of the step"), self.bars)
        above = split(Qt.Orientation.Horizontal, (600, 420), heat, bars)
        halves = split(Qt.Orientation.Vertical, (230, 200), above, self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(halves, 1)
