"""Memory that is reserved and not allocated, over time, with what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.memory.fragments import advice
from plugins.memory.ui.writing import UNITS, both_units, written
from studio.i18n import tr
from studio.ui.chart import Curve, LineChart
from studio.ui.parts import note, stacked
from studio.ui.text import format_percent
from studio.ui.theme import current_theme
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from plugins.memory.fragments import Fragments
    from plugins.memory.ui.loader import Unused


class UnusedPage(QWidget):
    """A text with figures and advice, and the curve of each pool."""

    def __init__(self, unused: Unused, origin: int, unit: str) -> None:
        super().__init__()
        self.unused = unused
        main = unused.found[0] if unused.found else None
        self.note = note(about(main, origin) if main else nothing())
        self.chart = LineChart(name=tr("Unused memory over time"))
        theme = current_theme()
        pairs = zip(unused.found, unused.envelopes, strict=True)
        curves = [
            Curve(
                pool.component,
                tr("{component} unused", component=pool.component),
                envelope,
                theme.category(number * 3 + 1),
                filled=True,
            )
            for number, (pool, envelope) in enumerate(pairs)
        ]
        self.chart.set_curves(curves, origin=origin)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(stacked(self.note, self.chart))
        self.set_unit(unit)

    def idle(self) -> bool:
        """Whether the chart is drawn."""
        return self.chart.idle()

    def set_unit(self, unit: str) -> None:
        """Write sizes in another unit."""
        self.chart.set_writer(lambda size: written(size, unit), float(UNITS[unit]), unit)


def about(found: Fragments, origin: int) -> str:
    """How much of a pool was unused, and what can be done."""
    figures = [
        tr(
            "{component}: {size} of {reserved} reserved were unused at the peak ({share})",
            component=found.component,
            size=both_units(found.at_peak_bytes),
            reserved=both_units(found.reserved_bytes),
            share=format_percent(found.peak_share),
        ),
        tr(
            "at most {size} at {time}, on average {share} of what is reserved",
            size=both_units(found.most_bytes),
            time=exact(found.most_ns - origin),
            share=format_percent(found.mean_share),
        ),
    ]
    return "\n".join(("  ·  ".join(figures), *(f"•  {line}" for line in advice(found))))


def nothing() -> str:
    """Why there is nothing to tell."""
    return tr("What the pools reserved is not recorded: memory_record.csv or a database has it.")
