"""A loaded memory record: curves over time with their peaks, and the table of peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QComboBox, QTabWidget, QVBoxLayout, QWidget

from plugins.memory.ui.peaks import PeakTable
from plugins.memory.ui.writing import UNITS, both_units, colour_of, title_of, written
from studio.i18n import tr, trn
from studio.ui.chart import Curve as Line
from studio.ui.chart import LineChart
from studio.ui.chips import Chip, Chips
from studio.ui.parts import OneLine, split
from studio.ui.text import thousands
from studio.ui.theme import current_theme
from studio.ui.timeaxis import exact
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from plugins.memory.core import Memory, Peak
    from plugins.memory.ui.loader import OtherRank
    from studio.ui.envelope import Envelope

_DASHED = "reserved"
_FILLED = "allocated"


class MemoryPane(QWidget):
    """Everything seen of one memory record."""

    range_selected = Signal(object)
    moment_chosen = Signal(object)
    timeline_wanted = Signal()
    ranks_wanted = Signal(bool)
    unit_changed = Signal(str)

    def __init__(
        self,
        memory: Memory,
        envelopes: list[Envelope],
        unit: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.memory = memory
        self._envelopes = envelopes
        self.chips = Chips()
        self.chart = LineChart(name=tr("Memory over time"))
        self.table = PeakTable()
        self.counts = OneLine()
        self.unit = QComboBox()
        self.tabs = QTabWidget()
        self.others: list[OtherRank] = []
        self.tools = ToolBar(tr("Memory"), self)
        self._devices = sorted({curve.device for curve in memory.curves})
        self._origin = min(int(curve.times[0]) for curve in memory.curves)
        self._lay_out()
        self.chart.set_curves(self._lines(), origin=self._origin)
        self.chips.set_chips(self._legend())
        for key in self._hidden_at_first():
            self.chips.set_on(key, False)
        self.table.show_peaks(memory.peaks, self._origin)
        self._tell_counts()
        self.unit.setCurrentText(unit)
        self.set_unit(self.unit.currentText())
        self.setFocusProxy(self.chart)

    def idle(self) -> bool:
        """Whether all is drawn."""
        return self.chart.idle() and self.table.idle()

    def save_state(self) -> dict[str, Any]:
        """Return the time in view, the unit, and what is hidden."""
        return {
            "view": list(self.chart.shown_times()),
            "unit": self.unit.currentText(),
            "hidden": sorted(self.chips.off()),
            "chart": self.chart.extras.saved(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state; what is not in it stays."""
        view = state.get("view")
        if isinstance(view, list) and len(view) == 2 and view[0] < view[1]:
            self.chart.show_times(int(view[0]), int(view[1]))
        if state.get("unit") in UNITS:
            self.unit.setCurrentText(str(state["unit"]))
        if isinstance(state.get("chart"), dict):
            self.chart.extras.restore(state["chart"])
        hidden = state.get("hidden")
        if isinstance(hidden, list):
            for curve in self.memory.curves:
                self.chips.set_on(curve.key, curve.key not in hidden)

    def show_peak(self, number: int = -1) -> None:
        """Zoom to a peak by its number in the table, or to the largest that is shown."""
        peaks = self.memory.peaks
        peak = peaks[number] if number >= 0 else self._largest_shown()
        start, end = self.chart.bounds()
        half = max((end - start) // 40, 1)
        self.chart.show_times(peak.at_ns - half, peak.at_ns + half)

    def set_unit(self, unit: str) -> None:
        """Write sizes in MiB or GiB."""
        self.chart.set_writer(lambda size: written(size, unit), float(UNITS[unit]), unit)
        self.table.set_unit(unit)
        self.unit_changed.emit(unit)

    def origin(self) -> int:
        """The time that all others count from: the first record."""
        return self._origin

    def show_moment(self, time: int) -> None:
        """Mark a moment."""
        self.chart.set_range((time, time + 1))

    def show_others(self, others: list[OtherRank]) -> None:
        """Lay the curves of other ranks over those of this one; none takes them away."""
        self.others = others
        self.chart.set_curves(self._lines(), origin=self._origin)
        self.chips.set_chips(self._legend())
        self._tell_counts()

    # -- what is shown ------------------------------------------------------------------------
    def _largest_shown(self) -> Peak:
        off = self.chips.off()
        pairs = zip(self.memory.curves, self.memory.peaks, strict=True)
        shown = [peak for curve, peak in pairs if curve.key not in off] or self.memory.peaks
        allocated = [peak for peak in shown if peak.kind == _FILLED]
        return max(allocated or shown, key=lambda peak: peak.peak_bytes)

    def _hidden_at_first(self) -> list[str]:
        """Show few curves at first: what is allocated and reserved as a whole."""
        curves = self.memory.curves
        components = {curve.component for curve in curves}
        whole = {"PTA+GE", "APP"} if "PTA+GE" in components else components - {"GE"}
        kept = {c.key for c in curves if c.component in whole and c.kind != "active"}
        return [curve.key for curve in curves if kept and curve.key not in kept]

    def _several(self) -> bool:
        return len(self._devices) > 1

    def _colours(self) -> dict[str, QColor]:
        theme, devices = current_theme(), self._devices
        return {c.key: colour_of(theme, c, devices.index(c.device)) for c in self.memory.curves}

    def _lines(self) -> list[Line]:
        colours = self._colours()
        own = [
            Line(
                curve.key,
                title_of(curve, self._several()),
                envelope,
                colours[curve.key],
                dashed=curve.kind == _DASHED,
                filled=curve.kind == _FILLED,
            )
            for curve, envelope in zip(self.memory.curves, self._envelopes, strict=True)
        ]
        others = (lines_of(other, number) for number, other in enumerate(self.others, 1))
        return own + [line for lines in others for line in lines]

    def _legend(self) -> list[Chip]:
        return [
            Chip(line.key, line.title, line.colour, dashed=line.dashed) for line in self._lines()
        ]

    def _tell_counts(self) -> None:
        memory = self.memory
        start, end = self.chart.bounds()
        peak = max(memory.peaks, key=lambda peak: peak.peak_bytes)
        parts = [
            trn(
                "{count} record", "{count} records", memory.records,
                count=thousands(memory.records),
            ),
            ", ".join(filter(None, self._devices)),
            exact(end - start),
            tr(
                "largest: {name} {size}",
                name=title_of(peak, self._several()), size=both_units(peak.peak_bytes),
            ),
            tr("MB in the file means MiB") if memory.is_text else "",
            "" if memory.timed else tr("no times recorded: each ns is one event"),
            *(
                tr("{rank}: other clock, put at the same beginning", rank=other.title)
                for other in self.others
                if other.moved_ns
            ),
        ]  # fmt: skip
        odd = sum(fault.count for fault in memory.faults)
        if odd:
            parts.append(trn("{count} odd row", "{count} odd rows", odd, count=thousands(odd)))
            self.counts.setToolTip(
                "\n".join(f"{tr(fault.kind)}: {thousands(fault.count)}" for fault in memory.faults)
            )
        self.counts.setText("  ·  ".join(part for part in parts if part))

    def _peak_chosen(self, peak: Peak) -> None:
        self.show_peak(self.memory.peaks.index(peak))
        self.choose_moment(peak.at_ns)

    def choose_moment(self, time: int) -> None:
        """Mark a moment, and tell of it."""
        self.show_moment(time)
        self.range_selected.emit((time, time + 1))
        self.moment_chosen.emit(time)

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self._fill_tool_bar()
        self.counts.setProperty("role", "count")
        self.counts.setContentsMargins(10, 2, 10, 3)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.table, tr("Peaks"))
        self.tabs.setMinimumHeight(120)
        self.chart.setMinimumHeight(120)
        halves = split(Qt.Orientation.Vertical, (400, 320), self.chart, self.tabs)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tools, self.counts, self.chips):
            column.addWidget(widget)
        column.addWidget(halves, 1)
        self.chips.toggled.connect(self.chart.set_shown)
        self.chart.range_selected.connect(self.range_selected)
        self.chart.clicked.connect(self.choose_moment)
        self.table.chosen.connect(self._peak_chosen)

    def _fill_tool_bar(self) -> None:
        self.tools.add("memory", tr("Zoom to the peak"), self.show_peak)
        self.tools.add("fit", tr("Show the whole time"), self.chart.show_all)
        select = self.tools.add(
            "range",
            tr("Drag selects a stretch of time (or hold Shift)"),
            lambda: self.chart.set_selecting(select.isChecked()),
            checkable=True,
        )
        self.tools.add("timeline", tr("Timeline of the same profile"), self.timeline_wanted.emit)
        self.ranks = self.tools.add(
            "group",
            tr("Lay the curves of all ranks over each other"),
            lambda: self.ranks_wanted.emit(self.ranks.isChecked()),
            checkable=True,
        )
        self.tools.add("picture", tr("Save the chart as a picture"), self.chart.ask_and_save)
        self.tools.add_stretch()
        self.unit.addItems(list(UNITS))
        self.unit.setToolTip(
            tr("MB in the files of the Ascend profilers means 1024 × 1024 bytes, which is a MiB")
        )
        self.unit.setAccessibleName(tr("Unit of memory"))
        self.unit.currentTextChanged.connect(self.set_unit)
        self.tools.addWidget(self.unit)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_devices"):
            self.chart.recolour(self._colours())
            self.chips.set_chips(self._legend())


def lines_of(other: OtherRank, number: int) -> list[Line]:
    """The curves of another rank, each rank in a hue of its own."""
    theme = current_theme()
    return [
        Line(
            f"{other.title}|{curve.key}",
            f"{other.title} · {title_of(curve, several_devices=False)}",
            envelope,
            colour_of(theme, curve, number),
            dashed=curve.kind == _DASHED,
        )
        for curve, envelope in zip(other.memory.curves, other.envelopes, strict=True)
    ]
