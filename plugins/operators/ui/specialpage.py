"""Operators on the AI CPU, with changing shapes, and compiled while the model ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.parts import note, stacked
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from plugins.operators.ui.extraloader import Special


class SpecialPage(QWidget):
    """Three tables, each with what to do about its rows; a row opens the operator by its type."""

    operator_wanted = Signal(str)

    def __init__(self, special: Special, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tabs = QTabWidget(documentMode=True)
        self.tables: list[TableView] = []
        self._add(tr("AI CPU"), special.ai_cpu, _ai_cpu(), ai_cpu_note())
        self._add(tr("Changing shapes"), special.shapes, _shapes(), shapes_note())
        self._add(tr("Compiled while running"), special.compiled, _compiled(), compiled_note())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)

    def idle(self) -> bool:
        """Whether the tables are sorted."""
        return all(table.idle() for table in self.tables)

    def _add(self, title: str, data: pd.DataFrame, columns: Sequence[Column], text: str) -> None:
        table = TableView()
        table.view.setAccessibleName(title)
        table.set_data(data, [c for c in columns if c.key in data])
        if "type" in data:
            kinds = data["type"].astype("str").tolist()
            table.row_activated.connect(lambda row: self.operator_wanted.emit(kinds[row]))
        self.tables.append(table)
        told = text if len(data) else f"{nothing_note()}\n{text}"
        self.tabs.addTab(stacked(note(told), table), f"{title} ({len(data)})")


def nothing_note() -> str:
    """That there is no such operator, which is good."""
    return tr("There is none in this profile.")


def ai_cpu_note() -> str:
    """What an operator on the AI CPU costs, and what to do."""
    return tr(
        "Operators that run on the AI CPU are slow and often let the cores wait. Convert float64 "
        "inputs to float32 where the digits are not needed, or take another operator; from 20 µs "
        "on it is worth it."
    )


def shapes_note() -> str:
    """What changing shapes cost, and what to do."""
    return tr(
        "Shapes that change from call to call keep operators from being prepared once: pad batches "
        "and sequences to a few sizes, drop the last incomplete batch."
    )


def compiled_note() -> str:
    """What compiling while running costs, and what to do."""
    return tr(
        "Operators were compiled while the model ran: take the compiled ones "
        "(torch_npu.npu.set_compile_mode(jit_compile=False)), and leave the first steps out of a "
        "measurement."
    )


def _ai_cpu() -> list[Column]:
    long = tr("Calls that took 20 µs or more")
    return [
        Column("name", tr("Name"), width=220),
        Column("type", tr("Type")),
        Column("input_types", tr("Input types"), width=140),
        *_times(),
        Column("long_count", tr("Long ones"), kind="int", tip=long),
        Column("has_double", "float64", kind="bool", tip=tr("Has inputs of float64")),
    ]


def _shapes() -> list[Column]:
    return [
        Column("type", tr("Type"), width=200),
        Column("core", tr("Core type")),
        Column("count", tr("Count"), kind="int"),
        Column("shapes", tr("Sets of shapes"), kind="int", heat=True),
        Column("dynamic_count", tr("Dynamic"), kind="int", tip=tr("Calls marked as dynamic")),
        Column("changes", tr("Changes"), kind="int", tip=tr("Calls with other shapes than before")),
        Column("steps", tr("Other steps"), kind="int", tip=tr("Steps with other shapes")),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
        Column("share", tr("Share"), kind="percent"),
    ]


def _compiled() -> list[Column]:
    return [
        Column("name", tr("Call"), width=260),
        Column("count", tr("Count"), kind="int"),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
    ]


def _times() -> list[Column]:
    return [
        Column("count", tr("Count"), kind="int"),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
        Column("share", tr("Share"), kind="percent"),
        Column("avg_ns", tr("Average"), "µs", kind="ns"),
        Column("max_ns", tr("Longest"), "µs", kind="ns"),
    ]
