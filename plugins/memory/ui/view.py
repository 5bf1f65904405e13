"""The memory view: curves over time with their peaks, and the table of peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from plugins.memory.ui.peaks import PeakTable
from plugins.memory.ui.writing import UNITS, both_units, colour_of, title_of, written
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.ui.chart import Curve as Line
from studio.ui.chart import LineChart
from studio.ui.chips import Chip, Chips
from studio.ui.loading import LoadingPage
from studio.ui.text import thousands
from studio.ui.theme import current_theme
from studio.ui.timeaxis import exact
from studio.ui.toolbar import ToolBar
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QColor

    from plugins.memory.core import Curve, Memory, Peak
    from studio.api import Studio
    from studio.kernel.jobs import Job
    from studio.model.selection import Selection

_DASHED = "reserved"


class MemoryView(QWidget):
    """One memory record in a tab."""

    title_changed = Signal(str)

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = path
        self.memory: Memory | None = None
        self._pending: dict[str, Any] = {}
        self._job: Job | None = None
        self._loading = LoadingPage(path.name, self._cancel)
        self._pages = QStackedWidget()
        self.chips = Chips()
        self.chart = LineChart(name=tr("Memory over time"))
        self.table = PeakTable()
        self.counts = QLabel()
        self.unit = QComboBox()
        self.tools = ToolBar(tr("Memory"), self)
        self._content = self._make_content()
        self._pages.addWidget(self._loading)
        self._pages.addWidget(self._content)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        connection = studio.selection_changed.connect(self._selected_elsewhere)
        self.destroyed.connect(connection.disconnect)
        self.setFocusProxy(self.chart)
        self.load()

    # -- what the host asks for ---------------------------------------------------------------
    def title(self) -> str:
        """Name the tab."""
        return self.path.name

    def tool_tip(self) -> str:
        """Tell which file it is."""
        return str(self.path)

    def idle(self) -> bool:
        """Whether the file is read and drawn."""
        return self._job is None and self.chart.idle() and self.table.idle()

    def save_state(self) -> dict[str, Any]:
        """Return the time in view, the unit, and what is hidden."""
        if self.memory is None:
            return self._pending
        return {
            "view": list(self.chart.shown_times()),
            "unit": self.unit.currentText(),
            "hidden": sorted(self.chips.off()),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state, once loaded."""
        self._pending = dict(state)
        if self.memory is not None:
            self._restore()

    # -- loading ------------------------------------------------------------------------------
    def load(self) -> None:
        """Read the file, in a job."""
        self._pages.setCurrentWidget(self._loading)
        self._job = self.studio.start_job(
            "memory:core.load",
            {"path": self.path},
            title=tr("Reading {name}", name=self.path.name),
            key=f"load {self.path} {id(self)}",
            item=self.path,
            done=self._show,
            failed=self._fail,
        )
        self._loading.follow(self._job)

    def _show(self, memory: Memory) -> None:
        self._job = None
        self._loading.finish()
        self.memory = memory
        if not memory.curves:
            self._message(
                "memory",
                tr("{name} holds no memory values", name=self.path.name),
                tr("Record with profile_memory=True; the table of this run is empty."),
            )
            return
        self._pages.setCurrentWidget(self._content)
        self.chart.set_curves(self._lines(), origin=self._origin())
        self.chips.set_chips(self._legend())
        at_first = self._pending.get("hidden", self._hidden_at_first())
        for key in at_first:
            self.chips.set_on(str(key), False)
        self.table.show_peaks(memory.peaks, self._origin(), self._several())
        self._tell_counts()
        self._restore()
        self._selected_elsewhere(self.studio.selection)

    def _fail(self, error: BaseException) -> None:
        self._job = None
        self._loading.finish()
        text = error.message if isinstance(error, StudioError) else str(error)
        self._message("error", tr("{name} cannot be shown", name=self.path.name), text)

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self._loading.finish()
        self._message("memory", tr("Reading was cancelled"), str(self.path))

    def _message(self, icon: str, title: str, text: str) -> None:
        while (old := self._pages.widget(2)) is not None:
            self._pages.removeWidget(old)
            old.deleteLater()
        again = Action(tr("Read again"), self.load, "refresh")
        self._pages.addWidget(EmptyState(icon, title, text, [again]))
        self._pages.setCurrentIndex(2)

    # -- what is shown ------------------------------------------------------------------------
    def show_peak(self, number: int = -1) -> None:
        """Zoom to a peak by its number in the table, or to the largest that is shown."""
        if self.memory is None:
            return
        off = self.chips.off()
        pairs = zip(self.memory.curves, self.memory.peaks, strict=True)
        shown = [peak for curve, peak in pairs if curve.key not in off] or self.memory.peaks
        allocated = [peak for peak in shown if peak.kind == "allocated"]
        largest = max(allocated or shown, key=lambda p: p.peak_bytes)
        peak = self.memory.peaks[number] if number >= 0 else largest
        start, end = self.chart.bounds()
        half = max((end - start) // 40, 1)
        self.chart.show_times(peak.at_ns - half, peak.at_ns + half)

    def show_timeline(self) -> None:
        """Open the timeline of the same profile."""
        trace = self.path.with_name("trace_view.json")
        if trace.exists():
            self.studio.open(trace)
        else:
            self.studio.notify(
                tr("There is no trace_view.json beside {name}.", name=self.path.name)
            )

    def set_unit(self, unit: str) -> None:
        """Write sizes in MiB or GiB."""
        self.chart.set_writer(lambda size: written(size, unit), float(UNITS[unit]), unit)
        self.table.set_unit(unit)

    def _origin(self) -> int:
        return min((int(c.times[0]) for c in self._curves()), default=0)

    def _curves(self) -> tuple[Curve, ...]:
        return self.memory.curves if self.memory is not None else ()

    def _devices(self) -> list[str]:
        return sorted({curve.device for curve in self._curves()})

    def _several(self) -> bool:
        return len(self._devices()) > 1

    def _hidden_at_first(self) -> list[str]:
        """Show few curves at first: what is allocated and reserved as a whole."""
        components = {curve.component for curve in self._curves()}
        whole = {"PTA+GE", "APP"} if "PTA+GE" in components else components - {"GE"}
        kept = [c for c in self._curves() if c.component in whole and c.kind != "active"]
        return [c.key for c in self._curves() if kept and c not in kept]

    def _colours(self) -> dict[str, QColor]:
        theme, devices = current_theme(), self._devices()
        return {c.key: colour_of(theme, c, devices.index(c.device)) for c in self._curves()}

    def _lines(self) -> list[Line]:
        colours, several = self._colours(), self._several()
        return [
            Line(
                c.key,
                title_of(c, several),
                c.times,
                c.values,
                colours[c.key],
                dashed=c.kind == _DASHED,
                filled=c.kind == "allocated",
            )
            for c in self._curves()
        ]

    def _legend(self) -> list[Chip]:
        colours, several = self._colours(), self._several()
        return [
            Chip(c.key, title_of(c, several), colours[c.key], dashed=c.kind == _DASHED)
            for c in self._curves()
        ]

    def _tell_counts(self) -> None:
        memory = self.memory
        if memory is None:
            return
        start, end = self.chart.bounds()
        records = trn(
            "{count} record", "{count} records", memory.records, count=thousands(memory.records)
        )
        parts = [records, ", ".join(filter(None, self._devices())), exact(end - start)]
        peak = max(memory.peaks, key=lambda p: p.peak_bytes)
        parts.append(
            tr(
                "largest: {name} {size}",
                name=title_of(peak, self._several()),
                size=both_units(peak.peak_bytes),
            )
        )
        parts.append(tr("MB in the file means MiB"))
        odd = sum(fault.count for fault in memory.faults)
        if odd:
            parts.append(trn("{count} odd row", "{count} odd rows", odd, count=thousands(odd)))
            self.counts.setToolTip(
                "\n".join(f"{tr(f.kind)}: {thousands(f.count)}" for f in memory.faults)
            )
        self.counts.setText("  ·  ".join(part for part in parts if part))

    def _restore(self) -> None:
        view = self._pending.get("view")
        if isinstance(view, list) and len(view) == 2 and view[0] < view[1]:
            self.chart.show_times(int(view[0]), int(view[1]))
        unit = self._pending.get("unit")
        if unit in UNITS:
            self.unit.setCurrentText(unit)
        self._pending = {}

    # -- selection ----------------------------------------------------------------------------
    def _range_selected(self, chosen: tuple[int, int] | None) -> None:
        start, end = chosen or (None, None)
        self.studio.select(item=self.path, start_ns=start, end_ns=end, rows=frozenset())

    def _selected_elsewhere(self, selection: Selection) -> None:
        if self.memory is None or selection.origin == self.studio.plugin:
            return
        same = selection.item is not None and selection.item.parent == self.path.parent
        if same and selection.start_ns is not None and selection.end_ns is not None:
            self.chart.set_range((selection.start_ns, selection.end_ns))
        else:
            self.chart.set_range(None)

    def _peak_chosen(self, peak: Peak) -> None:
        self.show_peak(self.memory.peaks.index(peak) if self.memory is not None else -1)
        self.studio.select(
            item=self.path, start_ns=peak.at_ns, end_ns=peak.at_ns + 1, rows=frozenset()
        )

    # -- looks --------------------------------------------------------------------------------
    def _make_content(self) -> QWidget:
        self.tools.add("memory", tr("Zoom to the peak"), self.show_peak)
        self.tools.add("fit", tr("Show the whole time"), self.chart.show_all)
        self._select = self.tools.add(
            "range",
            tr("Drag selects a stretch of time (or hold Shift)"),
            lambda: self.chart.set_selecting(self._select.isChecked()),
            checkable=True,
        )
        self.tools.add("timeline", tr("Timeline of the same profile"), self.show_timeline)
        self.tools.add("picture", tr("Save the chart as a picture"), self.chart.ask_and_save)
        self.tools.add_stretch()
        self.unit.addItems(list(UNITS))
        self.unit.setToolTip(
            tr("MB in the files of the Ascend profilers means 1024 × 1024 bytes, which is a MiB")
        )
        self.unit.setAccessibleName(tr("Unit of memory"))
        self.unit.currentTextChanged.connect(self.set_unit)
        self.tools.addWidget(self.unit)
        self.unit.setCurrentText(str(self.studio.setting("memory.unit")))
        self.set_unit(self.unit.currentText())
        self.counts.setProperty("role", "count")
        self.counts.setContentsMargins(10, 2, 10, 3)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.chart)
        halves.addWidget(self.table)
        halves.setStretchFactor(0, 3)
        halves.setStretchFactor(1, 1)
        halves.setSizes([520, 200])
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tools, self.counts, self.chips):
            column.addWidget(widget)
        column.addWidget(halves, 1)
        self.chips.toggled.connect(self.chart.set_shown)
        self.chart.range_selected.connect(self._range_selected)
        self.table.chosen.connect(self._peak_chosen)
        return content

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and getattr(self, "memory", None):
            self.chart.recolour(self._colours())
            self.chips.set_chips(self._legend())
