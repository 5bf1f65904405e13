"""Memory beside the pools: parts of CANN, plans of graphs, segments of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from plugins.memory.ui.tables import NotedTable, module_columns, segment_columns, static_columns
from plugins.memory.ui.writing import UNITS, both_units, written
from studio.i18n import tr, trn
from studio.ui.chart import CountAxis, Curve, LineChart
from studio.ui.parts import split
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.memory.ui.loader import Others
    from studio.perf.static_memory import StaticMemory
    from studio.ui.envelope import Envelope


class OthersPage(QWidget):
    """One tab per kind of data there is."""

    def __init__(self, others: Others, unit: str) -> None:
        super().__init__()
        self.tabs = QTabWidget(documentMode=True)
        self.parts: list[NotedTable | PlanPage] = []
        if len(others.modules):
            text = tr("What parts of CANN reserve on the device (npu_module_mem.csv).")
            title = tr("Parts of CANN")
            self._add(title, NotedTable(title, text, others.modules, module_columns, unit))
        for plan, envelope in zip(others.plans, others.envelopes, strict=True):
            self._add(plan_title(plan), PlanPage(plan, envelope, unit))
        if len(others.segments):
            text = segments_text(others)
            title = tr("Segments")
            table = others.segments.assign(address=others.segments["address"].map(hex))
            self._add(title, NotedTable(title, text, table, segment_columns, unit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)

    def idle(self) -> bool:
        """Whether all is sorted and drawn."""
        return all(part.idle() for part in self.parts)

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        for part in self.parts:
            part.set_unit(unit)

    def _add(self, title: str, page: NotedTable | PlanPage) -> None:
        self.parts.append(page)
        self.tabs.addTab(page, title)


class PlanPage(QWidget):
    """What a graph needs over its nodes, and what is needed at a node; a click chooses one."""

    def __init__(self, plan: StaticMemory, envelope: Envelope, unit: str) -> None:
        super().__init__()
        self.plan = plan
        self.node = plan.peak_node
        axis = CountAxis(lambda node: tr("node {n}", n=node))
        self.chart = LineChart(name=plan_title(plan), axis=axis)
        colour = current_theme().category(0)
        self.chart.set_curves([Curve("plan", tr("needed"), envelope, colour, filled=True)])
        self.table = NotedTable(plan_title(plan), self._text(), plan.live(), static_columns, unit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split(Qt.Orientation.Horizontal, (480, 480), self.chart, self.table))
        self.chart.clicked.connect(self.show_node)
        self.set_unit(unit)

    def idle(self) -> bool:
        """Whether all is sorted and drawn."""
        return self.chart.idle() and self.table.idle()

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        self.chart.set_writer(lambda size: written(size, unit), float(UNITS[unit]), unit)
        self.table.set_unit(unit)

    def show_node(self, node: int) -> None:
        """List what is needed at a node."""
        self.node = node
        self.table.set_table(self.plan.live(node), self._text())

    def _text(self) -> str:
        node = self.node if self.node is not None else 0
        live = self.plan.live(node)
        size = both_units(int(live["bytes"].sum()))
        blocks = trn("{size} in {n} block", "{size} in {n} blocks", len(live), size=size)
        head = tr("Planned before the graph ran. At node {n}: {blocks}", n=node, blocks=blocks)
        if node == self.plan.peak_node:
            head += "  ·  " + tr("its peak")
        return head


def plan_title(plan: StaticMemory) -> str:
    """Name the plan of a graph."""
    graph = "–" if plan.graph is None else plan.graph
    return tr("Graph {graph} · device {device}", graph=graph, device=plan.device)


def segments_text(others: Others) -> str:
    """How much of all segments is unused, and in how many."""
    table = others.segments
    size, unused = int(table["bytes"].sum()), int(table["unused_bytes"].sum())
    return trn(
        "{n} segment of {size}, {unused} of it unused. A segment can only be given back to the "
        "device when all of it is unused.",
        "{n} segments of {size}, {unused} of it unused. A segment can only be given back to the "
        "device when all of it is unused.",
        len(table),
        size=both_units(size),
        unused=both_units(unused),
    )
