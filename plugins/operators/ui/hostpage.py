"""Operators on the host with the kernels that they launched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.model.ranges import Ranges
from studio.trace.intervals import union
from studio.ui.parts import chooser, split, titled
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    import pandas as pd
    from PySide6.QtWidgets import QMenu

    from plugins.operators.hostside import HostSide

_SPLIT = " ← "


class HostPage(QWidget):
    """A row lists the kernels it launched; a kernel is a stretch of time."""

    by_wanted = Signal(str)
    chosen = Signal(object, object)
    timeline_wanted = Signal(object)
    source_wanted = Signal(str)
    memory_wanted = Signal(str)

    def __init__(self, side: HostSide, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        entries = [
            (tr("Name"), "name"),
            (tr("Name and shape"), "shape"),
            (tr("Name and call stack"), "stack"),
        ]
        self.by = chooser(tr("Group by"), tr("What operators are grouped by"), entries)
        self.by.setCurrentIndex(max(self.by.findData(side.by), 0))
        self.table = TableView()
        self.kernels = TableView()
        self.singles = TableView()
        self._launched: pd.DataFrame | None = None
        self._ranges: Ranges | None = None
        self._lay_out()
        table = side.table
        if "stack" in table:
            table = table.assign(stack=table["stack"].astype("str").str.replace("\n", _SPLIT))
        self.table.set_data(table, _columns(table))
        self.table.menu_hook = self._fill_menu
        self.by.activated.connect(lambda _: self.by_wanted.emit(self.by.currentData()))
        self.table.selection_changed.connect(self._selected)
        self.singles.selection_changed.connect(lambda rows: self._choose() if rows else None)
        self.singles.row_activated.connect(lambda _row: self.timeline_wanted.emit(self.time()))
        self.table.select_row(0)

    def idle(self) -> bool:
        """Whether the tables are sorted."""
        return self.table.idle() and self.kernels.idle() and self.singles.idle()

    def time(self) -> tuple[int, int] | None:
        """The time of the selected kernel, else from the first to the last that were launched."""
        launched, rows = self._launched, self.singles.selected_rows()
        if launched is None or not rows:
            return None if self._ranges is None else self._ranges.extent()
        start = int(launched["start_ns"].iloc[rows[0]])
        return start, start + int(launched["duration_ns"].iloc[rows[0]])

    def _choose(self) -> None:
        self.chosen.emit(self.time(), self._ranges)

    def _selected(self, rows: list[int]) -> None:
        if not rows:
            return
        self.kernels.set_data(self.side.kernels_of(rows[0]), _kernel_columns())
        launched = self.side.launched_by(rows[0])
        origin = int(self.side.launched["start_ns"].min()) if len(launched) else 0
        self._launched = launched.assign(offset_ns=launched["start_ns"] - origin)
        self.singles.set_data(self._launched, _single_columns())
        start, duration = (launched[n].to_numpy(np.int64) for n in ("start_ns", "duration_ns"))
        self._ranges = Ranges.over(*union(start, start + duration))
        if self._ranges is not None:
            self._choose()

    def _fill_menu(self, menu: QMenu, rows: list[int]) -> None:
        if not rows:
            return
        name = str(self.side.table["name"].iloc[rows[0]])
        menu.addAction(tr("Show on the timeline"), lambda: self.timeline_wanted.emit(self.time()))
        menu.addAction(tr("Show its memory"), lambda: self.memory_wanted.emit(name))
        if "stack" in self.side.table:
            stack = self.side.table["stack"].iloc[rows[0]]
            if isinstance(stack, str) and stack:
                menu.addAction(tr("Go to the source line"), lambda: self.source_wanted.emit(stack))

    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("Operators on the host"))
        self.kernels.view.setAccessibleName(tr("Kernels by type"))
        self.singles.view.setAccessibleName(tr("Single kernels"))
        tabs = QTabWidget(documentMode=True)
        tabs.addTab(self.kernels, tr("Kernels by type"))
        tabs.addTab(self.singles, tr("Single kernels"))
        launched = titled(tr("Launched by the selected row"), tabs)
        halves = split(Qt.Orientation.Vertical, (340, 240), self.table, launched)
        line = QHBoxLayout()
        line.setContentsMargins(10, 4, 8, 0)
        line.addWidget(self.by)
        line.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(halves, 1)


def call_columns(table: pd.DataFrame) -> list[Column]:
    """The columns of the calls of the runtime."""
    wanted = [
        Column("level", tr("Level"), tip=tr("acl, node, runtime, hccl, cuda_runtime …")),
        Column("name", tr("Call"), width=280),
        Column("count", tr("Count"), kind="int"),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
        Column("share", tr("Share"), kind="percent"),
        Column("avg_ns", tr("Average"), "µs", kind="ns", heat=True, total="mean"),
        Column("min_ns", tr("Shortest"), "µs", kind="ns", total="least"),
        Column("max_ns", tr("Longest"), "µs", kind="ns", total="largest"),
        Column("p50_ns", tr("Median"), "µs", kind="ns", total="alike"),
        Column(
            "p99_ns",
            "p99",
            "µs",
            kind="ns",
            tip=tr("99 of 100 take at most this long"),
            total="alike",
        ),
    ]
    return [column for column in wanted if column.key in table]


def _columns(table: pd.DataFrame) -> list[Column]:
    inside = tr("With the operators called inside")
    own = tr("Without the operators called inside")
    wanted = [
        Column("name", tr("Name"), width=240),
        Column("input_shapes", tr("Input shapes"), width=200),
        Column("stack", tr("Call stack"), width=320),
        Column("count", tr("Count"), kind="int"),
        Column("device_total_ns", tr("Device total"), "ms", kind="ns", heat=True, tip=inside),
        Column("device_self_ns", tr("Device self"), "ms", kind="ns", heat=True, tip=own),
        Column("host_total_ns", tr("Host total"), "ms", kind="ns", heat=True, tip=inside),
        Column("host_self_ns", tr("Host self"), "ms", kind="ns", heat=True, tip=own),
    ]
    return [column for column in wanted if column.key in table]


def _kernel_columns() -> list[Column]:
    return [
        Column("type", tr("Type")),
        Column("name", tr("Name"), width=320),
        Column("count", tr("Count"), kind="int"),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
    ]


def _single_columns() -> list[Column]:
    since = tr("Since the first one")
    queue = tr("From the end of its launch to its start on the device")
    return [
        Column("offset_ns", tr("Start"), "ms", kind="ns", digits=7, tip=since, total="least"),
        Column("duration_ns", tr("Duration"), "µs", kind="ns", heat=True),
        Column("type", tr("Type")),
        Column("name", tr("Name"), width=280),
        Column("operator", tr("Framework operator"), width=160),
        Column("call", tr("Call"), width=180, tip=tr("The call of the runtime that launched it")),
        Column("launch_delay_ns", tr("In the queue"), "µs", kind="ns", tip=queue),
    ]
