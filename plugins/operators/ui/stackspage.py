"""The call stacks of a profile: functions with own and total time, and a flame graph of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from plugins.operators.calltree import short
from studio.i18n import tr, trn
from studio.ui.chartflame import FlameGraph
from studio.ui.chartpick import NONE
from studio.ui.parts import OneLine, chooser, scrolled, split, titled
from studio.ui.table import Column, TableView
from studio.ui.text import format_ns

if TYPE_CHECKING:
    import pandas as pd

    from plugins.operators.ui.extraloader import CallStacks


class StacksPage(QWidget):
    """A function marks its boxes and lists the stacks that led to it; a box does the same."""

    source_wanted = Signal(str)
    weight_wanted = Signal(str)

    def __init__(self, stacks: CallStacks, order: str = "left") -> None:
        super().__init__()
        self.stacks = stacks
        self.flame = FlameGraph(tr("Flame graph"), format_ns)
        self.functions = TableView()
        self.callers = TableView()
        self.told = OneLine()
        weights = [(tr("Time on the device"), "device"), (tr("Own time on the host"), "host")]
        orders = [(tr("Left-heavy"), "left"), (tr("In the order of time"), "time")]
        self.weight = chooser(tr("Weight"), tr("What the width of a box means"), weights)
        self.order = chooser(tr("Order"), tr("How the boxes are ordered"), orders)
        self._paths: pd.DataFrame | None = None
        self._node = NONE
        self._lay_out()
        self.weight.setCurrentIndex(self.weight.findData(stacks.weight))
        self.order.setCurrentIndex(max(self.order.findData(order), 0))
        self.functions.set_data(_readable(stacks.functions), _function_columns(stacks.weight))
        self._ordered()
        self.weight.activated.connect(lambda _: self.weight_wanted.emit(self.weight.currentData()))
        self.order.activated.connect(lambda _: self._ordered())
        self.functions.selection_changed.connect(self._function_selected)
        self.flame.chosen.connect(self._box_chosen)
        self.callers.row_activated.connect(lambda _row: self.open_source())
        self.callers.selection_changed.connect(self._stack_selected)
        self._list_stacks(0)

    def idle(self) -> bool:
        """Whether the tables are sorted."""
        return self.functions.idle() and self.callers.idle()

    def select_function(self, name: str) -> bool:
        """Select a function, operator or kernel by its name."""
        rows = self.stacks.functions["name"].eq(name).to_numpy().nonzero()[0]
        return len(rows) > 0 and self.functions.select_row(int(rows[0]))

    def open_source(self) -> None:
        """Ask for the source line of the selected stack, box or function."""
        if self._node != NONE:
            self.source_wanted.emit(self.stacks.tree.source(self._node))

    # -- what is selected -----------------------------------------------------------------------
    def _ordered(self) -> None:
        boxes = self.stacks.boxes[self.order.currentData()]
        self.flame.set_boxes(boxes)
        count = trn("{n} box", "{n} boxes", len(boxes))
        hint = tr("Ctrl + wheel zooms, double click fills the width, Esc shows all")
        self.told.setText(f"{count}  ·  {format_ns(boxes.total)}  ·  {hint}")

    def _function_selected(self, rows: list[int]) -> None:
        if not rows:
            return
        self.flame.mark(frozenset({int(self.stacks.functions["number"].iloc[rows[0]])}))
        self._list_stacks(rows[0])

    def _list_stacks(self, row: int) -> None:
        number = int(self.stacks.functions["number"].iloc[row])
        self._paths = self.stacks.tree.stacks_of(number)
        self.callers.set_data(self._paths, _stack_columns())
        self.callers.select_row(0)

    def _stack_selected(self, rows: list[int]) -> None:
        if rows and self._paths is not None:
            self._node = int(self._paths["node"].iloc[rows[0]])

    def _box_chosen(self, part: int) -> None:
        number = int(self.flame.boxes.name[part])
        rows = self.stacks.functions["number"].eq(number).to_numpy().nonzero()[0]
        if len(rows):
            self.functions.select_row(int(rows[0]))

    # -- looks ----------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.functions.view.setAccessibleName(tr("Functions"))
        self.callers.view.setAccessibleName(tr("Call stacks"))
        self.told.setProperty("role", "muted")
        line = QHBoxLayout()
        line.setContentsMargins(10, 4, 8, 4)
        line.setSpacing(8)
        line.addWidget(self.weight)
        line.addWidget(self.order)
        line.addWidget(self.told)
        line.addStretch()
        area = scrolled(self.flame)
        callers = titled(tr("Stacks that led to it (double click: source)"), self.callers)
        below = split(Qt.Orientation.Horizontal, (520, 480), self.functions, callers)
        halves = split(Qt.Orientation.Vertical, (330, 260), area, below)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(halves, 1)


def kind_word(kind: str) -> str:
    """Name what a box stands for."""
    return {
        "python": tr("Python"),
        "operator": tr("framework operator"),
        "kernel": tr("kernel"),
    }[kind]


def _readable(functions: pd.DataFrame) -> pd.DataFrame:
    return functions.assign(
        name=[short(name) for name in functions["name"].tolist()],
        kind=[kind_word(kind) for kind in functions["kind"].tolist()],
    )


def _function_columns(weight: str) -> list[Column]:
    on = tr("on the device") if weight == "device" else tr("on the host")
    return [
        Column("name", tr("Function, operator, kernel"), width=280),
        Column("kind", tr("Kind")),
        Column("count", tr("Count"), kind="int", tip=tr("Kernels or operators it is part of")),
        Column("self_ns", tr("Self"), "ms", kind="ns", heat=True, tip=on),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True, tip=on),
        Column("share", tr("Share"), kind="percent"),
    ]


def _stack_columns() -> list[Column]:
    return [
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
        Column("stack", tr("Call stack"), width=520),
    ]
