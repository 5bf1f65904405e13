"""What all elements say: the worst ones, the distributions, figures along an axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from plugins.precision.ui.tensor.histogram import HistogramChart
from studio.i18n import tr
from studio.ui.columns import Column, Values
from studio.ui.table import TableView
from studio.ui.text import thousands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.precision.core.tensors.figures import Figures
    from plugins.precision.core.tensors.worst import Element

_AXES = (
    ("elements", "int"),
    ("base_mean", "float"),
    ("base_rms", "float"),
    ("base_peak", "float"),
    ("candidate_mean", "float"),
    ("candidate_rms", "float"),
    ("candidate_peak", "float"),
    ("error_peak", "float"),
    ("rmse", "float"),
    ("relative_error", "float"),
    ("base_odd", "int"),
    ("candidate_odd", "int"),
    ("mismatched", "int"),
)


class Details(QTabWidget):
    """Three tabs; `element_chosen` tells the index of an element, `place_chosen` axis and place."""

    element_chosen = Signal(object)
    place_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: Figures | None = None
        self._elements: Sequence[Element] = ()
        self.order, self.axis = QComboBox(), QComboBox()
        self.worst, self.along = TableView(), TableView()
        self.values = HistogramChart(tr("Values by magnitude"))
        self.errors = HistogramChart(tr("Relative errors"))
        self._lay_out()

    def show_figures(self, figures: Figures) -> None:
        """Show what one pass over all elements found."""
        self._figures = figures
        sides = ((tr("base"), figures.base), (tr("candidate"), figures.candidate))
        there = [(name, h) for name, h in sides if h is not None]
        if len(there) == 1:
            there = [(tr("values"), there[0][1])]
        self.values.set_series(there)
        self.errors.setVisible(figures.relative is not None)
        if figures.relative is not None:
            self.errors.set_series([(tr("relative error"), figures.relative)])
        self.axis.clear()
        for found in figures.axes:
            length = thousands(len(found.elements))
            self.axis.addItem(tr("axis {n} ({length})", n=found.axis, length=length), found.axis)
        long = (n for n, found in enumerate(figures.axes) if len(found.elements) > 1)
        self.axis.setCurrentIndex(next(long, 0))
        self.setTabVisible(0, figures.relative is not None)
        self.setTabVisible(2, bool(figures.axes))
        self._show_worst()
        self._show_axis()

    def idle(self) -> bool:
        """Whether the tables are arranged."""
        return self.worst.idle() and self.along.idle()

    def _show_worst(self) -> None:
        figures = self._figures
        if figures is None:
            return
        self._elements = figures.by_relative if self.order.currentData() else figures.by_difference
        elements = self._elements
        names = (
            ("base", tr("Base"), ""),
            ("candidate", tr("Candidate"), ""),
            ("difference", tr("Difference"), tr("candidate − base")),
            ("relative", tr("Relative error"), tr("|c − b| / |b|")),
        )
        places = [f"[{', '.join(map(str, element.index))}]" for element in elements]
        self.worst.set_data(
            [
                _cells(Column("index", tr("Index"), width=150), places),
                *(
                    _cells(
                        Column(key, title, kind="float", digits=9, width=150, tip=tip),
                        [getattr(element, key) for element in elements],
                    )
                    for key, title, tip in names
                ),
            ]
        )

    def _show_axis(self) -> None:
        axis = self.axis.currentData()
        if self._figures is None or axis is None:
            return
        figures = self._figures.axes[axis]
        titles = _titles()
        columns = [_cells(Column("place", tr("Place")), np.arange(len(figures.elements)))]
        for name, kind in _AXES:
            values = getattr(figures, name)
            if values is None or (kind == "int" and name != "elements" and not values.any()):
                continue
            title, tip = titles[name]
            heat = name in ("relative_error", "mismatched")
            columns.append(_cells(Column(name, title, kind=kind, tip=tip, heat=heat), values))
        self.along.set_data(columns)

    def _element(self, rows: list[int]) -> None:
        if len(rows) == 1 and rows[0] < len(self._elements):
            self.element_chosen.emit(self._elements[rows[0]].index)

    def _place(self, rows: list[int]) -> None:
        axis = self.axis.currentData()
        if len(rows) == 1 and axis is not None:
            self.place_chosen.emit(axis, rows[0])

    def _lay_out(self) -> None:
        self.setDocumentMode(True)
        self.order.addItem(tr("by difference"), False)
        self.order.addItem(tr("by relative error"), True)
        self.order.activated.connect(lambda _: self._show_worst())
        self.axis.activated.connect(lambda _: self._show_axis())
        self.worst.selection_changed.connect(self._element)
        self.along.selection_changed.connect(self._place)
        charts = QSplitter(Qt.Orientation.Horizontal)
        charts.setChildrenCollapsible(False)
        charts.addWidget(self.values)
        charts.addWidget(self.errors)
        self.addTab(_under(tr("Worst elements"), self.order, self.worst), tr("Worst elements"))
        self.addTab(charts, tr("Distribution"))
        self.addTab(_under(tr("Along"), self.axis, self.along), tr("Along an axis"))


def _under(title: str, box: QComboBox, table: TableView) -> QWidget:
    """A table below the choice of what it shows."""
    page = QWidget()
    label = QLabel(title)
    label.setBuddy(box)
    box.setAccessibleName(title)
    box.setToolTip(title)
    line = QHBoxLayout()
    line.setContentsMargins(10, 6, 10, 0)
    line.setSpacing(8)
    line.addWidget(label)
    line.addWidget(box)
    line.addStretch()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(line)
    column.addWidget(table, 1)
    return page


def _cells(column: Column, values: Any) -> Values:  # noqa: ANN401 - an array or a list
    """A column in which NaN is a value, where tables take it for a missing one elsewhere."""
    array = np.asarray(values)
    if array.dtype.kind not in "if":
        array = np.array([str(value).strip("()") for value in values], object)
        column = replace(column, kind="text")
    nothing = np.zeros(len(array), bool)
    finite = np.abs(array[np.isfinite(array)]) if array.dtype.kind == "f" else array
    largest = float(finite.max()) if column.heat and len(finite) else 0.0
    return Values(column, array, nothing, nothing, largest)


def _titles() -> dict[str, tuple[str, str]]:
    """Titles and definitions of the figures along an axis."""
    finite = tr("over the finite elements")
    return {
        "elements": (tr("Elements"), tr("Elements at this place")),
        "base_mean": (tr("Base mean"), finite),
        "base_rms": (tr("Base RMS"), finite),
        "base_peak": (tr("Base max"), "max |b|"),
        "candidate_mean": (tr("Candidate mean"), finite),
        "candidate_rms": (tr("Candidate RMS"), finite),
        "candidate_peak": (tr("Candidate max"), "max |c|"),
        "error_peak": (tr("Max abs"), "max |c − b|"),
        "rmse": (tr("RMSE"), "√(Σ (c − b)² / n)"),
        "relative_error": (tr("Relative error"), tr("RMSE in units of the base's RMS")),
        "base_odd": (tr("Base not finite"), tr("NaN and infinities")),
        "candidate_odd": (tr("Candidate not finite"), tr("NaN and infinities")),
        "mismatched": (tr("Mismatched"), tr("Not finite on one side, or not the same there")),
    }
