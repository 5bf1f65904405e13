"""The roofline: what operators reached, under what the chip allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.operators.ui.texts import formula_title
from studio.i18n import tr, trn
from studio.ui.chartscatter import Bound, LogScatter, Point
from studio.ui.parts import note, split, stacked
from studio.ui.table import Column, TableView
from studio.ui.text import format_ns, format_number, format_percent

if TYPE_CHECKING:
    import pandas as pd

    from plugins.operators.roofs import Roofs

_TERA, _GIGA = 1e12, 1e9
_COLOURS = {
    "matmul": 0,
    "grouped matmul": 1,
    "convolution": 2,
    "attention": 3,
    "attention gradient": 4,
}


class RooflinePage(QWidget):
    """A point and its row choose each other; both say which row of the operators it is."""

    chosen = Signal(int)

    def __init__(self, roofs: Roofs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.roofs = roofs
        across, up = tr("Intensity: operations per byte"), tr("TFLOPS (10¹² per second)")
        empty = tr("No operator has shapes that tell its operations: record at Level1 or above.")
        self.plot = LogScatter(tr("Roofline"), across, up, empty)
        self.note = note(about(roofs))
        self.table = TableView()
        self._lay_out()
        table = roofs.line.points
        self.plot.set_points(points_of(roofs), bounds_of(roofs), (format_number, _tera))
        self.table.set_data(_in_units(table), _columns())
        self.plot.chosen.connect(self.table.select_row)
        self.plot.opened.connect(self._opened)
        self.table.selection_changed.connect(self._selected)
        self.table.row_activated.connect(self._opened)

    def idle(self) -> bool:
        """Whether the table is sorted."""
        return self.table.idle()

    def _selected(self, rows: list[int]) -> None:
        if rows:
            self.plot.set_current(rows[0])

    def _opened(self, row: int) -> None:
        self.chosen.emit(int(self.roofs.line.points["place"].iloc[row]))

    def _lay_out(self) -> None:
        self.table.view.setAccessibleName(tr("Operators under the roofline"))
        halves = split(Qt.Orientation.Vertical, (380, 200), self.plot, self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(stacked(self.note, halves))


def points_of(roofs: Roofs) -> list[Point]:
    """One point per group, as heavy as its time."""
    table = roofs.line.points
    longest = max(int(table["total_ns"].max()), 1) if len(table) else 1
    found = []
    for row, kind in zip(table.to_dict("records"), roofs.kinds, strict=True):
        total = int(row["total_ns"])
        share = row["roof_share"]
        lines = [
            str(row["name"]),
            tr("{rate} attained", rate=_rate(float(row["flops_per_s"]))),
            tr("{n} operations per byte", n=format_number(float(row["intensity"]))),
            format_ns(total),
        ]
        if isinstance(share, float) and share == share:
            lines.append(tr("{share} of the roof", share=format_percent(share)))
        found.append(
            Point(
                str(row["name"]),
                float(row["intensity"]),
                float(row["flops_per_s"]),
                total / longest,
                _COLOURS.get(kind, 6),
                "\n".join(lines),
            )
        )
    return found


def bounds_of(roofs: Roofs) -> list[Bound]:
    """The peaks of the chip and its slope; the slope that was seen where it is not known."""
    slope = roofs.line.bandwidth or roofs.seen
    found = []
    for name, peak in roofs.line.peaks.items():
        ridge = peak / slope if slope else 1e-3
        text = tr("{type} peak {rate}", type=name.upper(), rate=_rate(peak))
        left = (1e-6, slope * 1e-6) if slope else (1e-6, peak)
        found.append(Bound(text, [left, (ridge, peak), (1e9, peak)]))
    return found


def about(roofs: Roofs) -> str:
    """The chip, its limits with where they come from, and the formulas."""
    chip, line = roofs.line.chip, roofs.line
    lines = []
    if chip is None:
        lines.append(
            tr(
                "The chip is not known, so that there is no roof: choose it in the settings "
                "(operators.chip), or give its peak there."
            )
        )
    else:
        told = [chip.name]
        told += [
            tr("{type} peak {rate}", type=name.upper(), rate=_rate(peak))
            for name, peak in line.peaks.items()
        ]
        if line.bandwidth is not None:
            told.append(tr("bandwidth {rate}", rate=_bandwidth(line.bandwidth)))
        if chip.verdict:
            told.append(tr("a guess"))
        lines.append("  ·  ".join(told) + (f"  ({chip.source})" if chip.source else ""))
    if chip is not None and line.bandwidth is None and roofs.seen is not None:
        lines.append(
            tr(
                "The bandwidth of the chip is not in the table of chips. The slope is the most "
                "that an operator of this profile moved: {rate}.",
                rate=_bandwidth(roofs.seen),
            )
        )
    formulas = "   ".join(
        f"{formula_title(kind)}: {text}" for kind, text in roofs.formulas().items()
    )
    lines.append(
        tr("roof = min(peak, bandwidth × operations per byte); attained = operations / time")
    )
    if formulas:
        lines.append(tr("Operations: {formulas}", formulas=formulas))
    if roofs.left_out:
        lines.append(
            trn(
                "{n} group is left out: its shapes do not tell its operations.",
                "{n} groups are left out: their shapes do not tell their operations.",
                roofs.left_out,
            )
        )
    return "\n".join(lines)


def _in_units(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(
        flops_per_s=table["flops_per_s"] / _TERA,
        roof_flops_per_s=table["roof_flops_per_s"] / _TERA,
        limit=table["limit"].astype("object").map(limit_word),
    )


def limit_word(limit: object) -> str | None:
    """Say what limits an operator; None where that is not known."""
    words = {"bandwidth": tr("bandwidth"), "compute": tr("computing")}
    return words.get(limit) if isinstance(limit, str) else None


def _columns() -> list[Column]:
    return [
        Column("name", tr("Name"), width=300),
        Column("total_ns", tr("Total"), "ms", kind="ns", heat=True),
        Column("share", tr("Share"), kind="percent"),
        Column("intensity", tr("Intensity"), kind="float", tip=tr("Operations per byte")),
        Column("flops_per_s", tr("Attained"), "TFLOPS", kind="float", heat=True),
        Column("roof_flops_per_s", tr("Roof"), "TFLOPS", kind="float"),
        Column("roof_share", tr("Of the roof"), kind="percent"),
        Column("limit", tr("Limited by"), tip=tr("Left of the ridge bandwidth, right of it peak")),
    ]


def _tera(value: float) -> str:
    return format_number(value / _TERA)


def _rate(value: float) -> str:
    return f"{format_number(value / _TERA)} TFLOPS"


def _bandwidth(value: float) -> str:
    return f"{format_number(value / _GIGA)} GB/s"
