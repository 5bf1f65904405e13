"""Memory from step to step, of parts of CANN, and planned for graphs, each as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.memory.ui.writing import written
from studio.i18n import tr
from studio.ui.parts import note, stacked
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from studio.perf.memory_growth import Growth


class NotedTable(QWidget):
    """A text, and the table it is about; `columns` makes the columns for a unit of memory."""

    def __init__(
        self,
        name: str,
        text: str,
        data: pd.DataFrame,
        columns: Callable[[str], Sequence[Column]],
        unit: str,
    ) -> None:
        super().__init__()
        self.note = note(text)
        self.table = TableView()
        self.table.view.setAccessibleName(name)
        self._data, self._columns, self._unit = data, columns, unit
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(stacked(self.note, self.table))
        self.set_unit(unit)

    def idle(self) -> bool:
        """Whether the table is sorted."""
        return self.table.idle()

    def set_table(self, data: pd.DataFrame, text: str) -> None:
        """Show another table and text."""
        self._data = data
        self.note.setText(text)
        self.set_unit(self._unit)

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        self._unit = unit
        wanted = [column for column in self._columns(unit) if column.key in self._data]
        self.table.set_data(self._data, wanted)


def growth_text(growth: Growth, unit: str) -> str:
    """Whether memory grows from step to step, and what that means."""
    grown = growth.per_step_bytes
    if grown is None:
        return tr("Less than two steps were recorded: nothing can be said about growth.")
    amount = written(grown, unit)
    if growth.looks_like_a_leak:
        return tr(
            "The lowest allocation grows in every step, by {amount} on average: something is kept "
            "from step to step. Look at what is never released, and for losses or outputs that "
            "are collected with their graph (use .item() or .detach()).",
            amount=amount,
        )
    return tr("No growth in every step; on average {amount} per step.", amount=amount)


def growth_columns(unit: str) -> list[Column]:
    """The columns of `studio.perf.memory_growth`."""
    kept = tr("Allocated in the step and never released")
    return [
        Column("step", tr("Step"), kind="int", total="alike"),
        _size("lowest_bytes", tr("Lowest"), unit, tr("The least that was allocated in the step")),
        _size("peak_bytes", tr("Peak"), unit),
        _size("allocated_bytes", tr("At its end"), unit),
        _size("reserved_bytes", tr("Reserved"), unit),
        Column("kept_count", tr("Blocks kept"), kind="int", tip=kept),
        _size("kept_bytes", tr("Kept"), unit, kept),
    ]


def module_columns(unit: str) -> list[Column]:
    """What parts of CANN reserve."""
    return [
        Column("component", tr("Component"), width=160),
        Column("device", tr("Device")),
        _size("peak_bytes", tr("Peak"), unit),
        _size("first_bytes", tr("First"), unit),
        _size("last_bytes", tr("Last"), unit),
        _size("grown_bytes", tr("Growth"), unit),
        Column("count", tr("Records"), kind="int"),
    ]


def static_columns(unit: str) -> list[Column]:
    """Memory that a compiler planned for the nodes of a graph."""
    first, last = tr("Node that needs it first"), tr("Node that needs it last")
    return [
        Column("name", tr("Operator"), width=240),
        _size("bytes", tr("Size"), unit),
        Column("first_node", tr("First node"), kind="int", tip=first, total="least"),
        Column("last_node", tr("Last node"), kind="int", tip=last, total="largest"),
        Column("graph", tr("Graph"), kind="int"),
        Column("model", tr("Model")),
        Column("device", tr("Device")),
    ]


def segment_columns(unit: str) -> list[Column]:
    """The segments of a memory snapshot."""
    active = tr("Also what a stream has not done with")
    return [
        Column("address", tr("Address"), width=150),
        Column("kind", tr("Kind")),
        _size("bytes", tr("Size"), unit),
        _size("allocated_bytes", tr("Allocated"), unit),
        _size("active_bytes", tr("Active"), unit, active),
        _size("requested_bytes", tr("Asked for"), unit),
        _size("unused_bytes", tr("Unused"), unit),
        Column("expandable", tr("Can grow"), kind="int"),
        Column("stream", tr("Stream")),
        Column("device", tr("Device")),
    ]


def _size(key: str, title: str, unit: str, tip: str = "") -> Column:
    return Column(key, title, unit, kind="bytes", digits=8, tip=tip, heat=True)
