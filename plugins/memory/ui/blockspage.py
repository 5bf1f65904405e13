"""All blocks of memory: which were released, which never, which lie in the selected time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from plugins.memory.ui.blockchart import BlockChart
from plugins.memory.ui.words import size_class_word, state_word
from studio.i18n import tr
from studio.perf.memory_blocks import BEFORE, HELD, RELEASED, UNTIMED, lifetimes
from studio.ui.parts import chooser, scrolled, split, titled
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from PySide6.QtWidgets import QMenu

    from plugins.memory.ui.loader import Blocks

_SPLIT: Final = " ← "
_MISSING: Final = ("<NA>", "nan", "None")


class BlocksPage(QWidget):
    """A block is a stretch of time; its row leads to its source line and to the timeline."""

    chosen = Signal(object)
    timeline_wanted = Signal(object)
    source_wanted = Signal(str)

    def __init__(self, blocks: Blocks, unit: str) -> None:
        super().__init__()
        self.blocks = blocks
        self.unit = unit
        self._range: tuple[int, int] | None = None
        self._rows: NDArray[np.int64] = np.arange(len(blocks.table))
        entries = [(tr("All blocks"), ""), *((state_word(s), s) for s in _states(blocks.table))]
        self.states = chooser(tr("State"), tr("Which blocks are listed"), entries)
        self.inside = QCheckBox(tr("Only in the selected time"))
        self.inside.setToolTip(tr("Blocks that were live in the stretch selected in the chart"))
        self.chart = BlockChart()
        self.table = TableView()
        self._lay_out()
        places = blocks.largest["place"].to_numpy(np.int64)
        names = blocks.table["name"].astype("str").fillna("").to_numpy(object)[places].tolist()
        self.chart.set_blocks(blocks.largest, names, blocks.origin)
        self._fill()
        self.states.activated.connect(lambda _row: self._fill())
        self.inside.toggled.connect(lambda _on: self._fill())
        self.chart.chosen.connect(self._bar_chosen)
        self.chart.opened.connect(lambda _part: self.timeline_wanted.emit(self.time()))
        self.table.selection_changed.connect(self._row_selected)
        self.table.row_activated.connect(lambda _row: self.timeline_wanted.emit(self.time()))
        self.table.menu_hook = self._fill_menu

    def idle(self) -> bool:
        """Whether the table is sorted."""
        return self.table.idle()

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        self.unit = unit
        self._fill()

    def set_range(self, chosen: tuple[int, int] | None) -> None:
        """Take over the stretch of time selected in the chart."""
        self._range = chosen
        if self.inside.isChecked():
            self._fill()

    def look_for(self, text: str) -> None:
        """List the blocks of an operator."""
        self.table.filter.setText(text)
        self.table.arrange()

    def time(self) -> tuple[int, int] | None:
        """From the allocation to the release of the selected block; None without a beginning."""
        rows = self.table.selected_rows()
        if not rows:
            return None
        block = self.blocks.table.iloc[int(self._rows[rows[0]])]
        begin, end = block["allocated_ns"], block["released_ns"]
        if str(begin) in _MISSING:
            return None
        until = int(begin) + 1 if str(end) in _MISSING else int(end)
        return int(begin), max(until, int(begin) + 1)

    # -- what is shown --------------------------------------------------------------------------
    def _fill(self) -> None:
        table = self.blocks.table
        chosen = np.ones(len(table), np.bool_)
        if state := self.states.currentData():
            chosen &= (table["state"] == state).fillna(value=False).to_numpy(np.bool_)
        if self.inside.isChecked() and self._range is not None:
            start, end, timed = lifetimes(table)
            chosen &= timed & (start < self._range[1]) & (end > self._range[0])
        self._rows = np.flatnonzero(chosen)
        shown = table.iloc[self._rows]
        shown = shown.assign(
            offset_ns=shown["allocated_ns"] - self.blocks.origin,
            freed_ns=shown["released_ns"] - self.blocks.origin,
            state=shown["state"].cat.rename_categories(state_word),
            size_class=shown["size_class"].cat.rename_categories(size_class_word),
        )
        if shown["stack"].notna().any():
            stacks = shown["stack"].cat.rename_categories(lambda text: text.replace("\n", _SPLIT))
            shown = shown.assign(stack=stacks)
        columns = [c for c in _columns(self.unit) if c.key in shown and shown[c.key].notna().any()]
        self.table.set_data(shown, columns or _columns(self.unit)[:2])

    def _bar_chosen(self, part: int) -> None:
        place = int(self.blocks.largest["place"].iloc[part])
        rows = np.flatnonzero(self._rows == place)
        if len(rows) and not self.table.select_row(int(rows[0])):
            self.table.filter.clear()
            self.table.arrange()
            self.table.select_row(int(rows[0]))

    def _row_selected(self, rows: list[int]) -> None:
        if not rows:
            return
        place = int(self._rows[rows[0]])
        parts = np.flatnonzero(self.blocks.largest["place"].to_numpy(np.int64) == place)
        self.chart.set_current(int(parts[0]) if len(parts) else -1)
        self.chosen.emit(self.time())

    def _fill_menu(self, menu: QMenu, rows: list[int]) -> None:
        if not rows:
            return
        menu.addAction(tr("Show on the timeline"), lambda: self.timeline_wanted.emit(self.time()))
        stack = self.blocks.table["stack"].iloc[int(self._rows[rows[0]])]
        if isinstance(stack, str) and stack:
            menu.addAction(tr("Go to the source line"), lambda: self.source_wanted.emit(stack))

    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("Blocks"))
        area = scrolled(self.chart)
        line = QHBoxLayout()
        line.setContentsMargins(10, 4, 8, 0)
        line.setSpacing(10)
        line.addWidget(self.states)
        line.addWidget(self.inside)
        line.addStretch()
        bars = titled(tr("Lifetimes of the blocks that hold most for longest"), area)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(split(Qt.Orientation.Horizontal, (560, 420), self.table, bars), 1)


def _states(table: pd.DataFrame) -> list[str]:
    there = set(table["state"].dropna().astype("str").unique().tolist())
    return [state for state in (RELEASED, HELD, BEFORE, UNTIMED) if state in there]


def _columns(unit: str) -> list[Column]:
    since = tr("Since the first record")
    last = tr("Until the last stream that used it was done with it")
    return [
        Column("name", tr("Operator"), width=200),
        Column("bytes", tr("Size"), unit, kind="bytes", digits=8, heat=True),
        Column("offset_ns", tr("Allocated"), "ms", kind="ns", digits=7, tip=since, total="least"),
        Column("freed_ns", tr("Released"), "ms", kind="ns", digits=7, tip=since, total="largest"),
        Column("duration_ns", tr("Lifetime"), "ms", kind="ns", digits=7, heat=True),
        Column("active_ns", tr("Active"), "ms", kind="ns", digits=7, tip=last, total="largest"),
        Column("state", tr("State")),
        Column("size_class", tr("Size class")),
        Column("component", tr("Component")),
        Column("device", tr("Device")),
        Column("stream", tr("Stream")),
        Column("stack", tr("Call stack"), width=320),
    ]
