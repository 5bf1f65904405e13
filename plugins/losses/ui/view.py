"""The centre view of training logs: reads them in the background, then shows their curves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QVBoxLayout, QWidget

from plugins.losses.core.compare import TOLERANCE
from plugins.losses.ui.bases import BaseBox
from plugins.losses.ui.pages import LogPages
from plugins.losses.ui.runs import Extra, RunsMenu
from studio.i18n import tr
from studio.model.locations import Location
from studio.ui.field import inset
from studio.ui.listening import listen
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from plugins.losses.core.curves import Logs
    from plugins.losses.ui.pane import LossPane
    from plugins.losses.ui.prepared import Prepared
    from studio.api import Studio
    from studio.kernel.job import Job


_AT_ONCE = 4_000
"""Values that are compared without a job; more would hold the window."""


class LossView(QWidget):
    """One log in a tab, and the log it is compared with."""

    title_changed = Signal()

    def __init__(self, studio: Studio, path: Path, base: str = "") -> None:
        super().__init__()
        self._studio = studio
        self.path = path
        self.pane: LossPane | None = None
        self._job: Job | None = None
        self._state: dict[str, Any] = {}
        self.base = BaseBox(studio, path)
        self.series, self.tolerance = QComboBox(), QDoubleSpinBox()
        self.runs = RunsMenu(path, self, lambda: self.base.base)
        self._pages = LogPages(studio, "chart", self.show_text, self.runs.ask_pattern)
        self._lay_out()
        self._connect()
        self.base.set_base(Path(base) if base else None)
        self.load()

    # -- what the host asks for -----------------------------------------------------------------
    def title(self) -> str:
        """Name the tab."""
        base = self.base.base
        return self.path.name if base is None else f"{base.name} ↔ {self.path.name}"

    def tool_tip(self) -> str:
        """Tell which files are shown."""
        return "\n".join(str(path) for path in (self.base.base, self.path) if path is not None)

    def idle(self) -> bool:
        """Whether the logs are read and drawn."""
        drawn = self.pane is None or self.pane.idle()
        return self._pages.idle() and self._job is None and drawn

    def save_state(self) -> dict[str, Any]:
        """Return the base, what is shown and how."""
        return {
            "base": str(self.base.base or ""),
            "series": self.series.currentText() or self._state.get("series", ""),
            "tolerance": self.tolerance.value(),
            "smooth": self._smooth.isChecked(),
            **self.runs.extra.saved(),
            "chart": self._chart_state(),
        }

    def _chart_state(self) -> dict[str, Any]:
        if self.pane is None:
            kept: dict[str, Any] = self._state.get("chart", {})
            return kept
        return self.pane.charts.values.extras.saved()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state, once loaded."""
        self._state = dict(state)
        with QSignalBlocker(self.tolerance):
            self.tolerance.setValue(float(state.get("tolerance", self.tolerance.value())))
        self._smooth.setChecked(bool(state.get("smooth")))
        base = Path(state["base"]) if state.get("base") else None
        extra = Extra.restored(state)
        if base != self.base.base or extra != self.runs.extra:
            self.base.set_base(base)
            self.runs.set_extra(extra, tell=False)
            self.load()
        elif self.pane is not None:
            self.series.setCurrentText(str(state.get("series", "")))
            self._draw()

    def reopen(self, base: str = "") -> None:
        """Compare with another log."""
        if base and Path(base) not in (self.base.base, self.path):
            self.base.set_base(Path(base))
            self._load_with_base()

    # -- loading --------------------------------------------------------------------------------
    def load(self) -> None:
        """Read the logs, in a job."""
        self.title_changed.emit()
        self.pane = None
        extra = self.runs.extra
        self._pages.read(
            "losses:ui.loader.load_logs",
            {
                "path": str(self.path),
                "base": str(self.base.base or ""),
                "others": extra.others,
                "continued": extra.continued,
                "base_continued": extra.base_continued if self.base.base else (),
                "pattern": extra.pattern,
            },
            self.path,
            self._show,
        )

    def _load_with_base(self) -> None:
        """Read the logs with another base, whose run did not go on in the files of the last one."""
        self.runs.set_extra(replace(self.runs.extra, base_continued=()), tell=False)
        self.load()

    def _show(self, logs: Logs) -> None:
        from plugins.losses.ui.pane import LossPane

        self.pane = LossPane(logs)
        self.pane.step_activated.connect(self.show_line)
        wanted = self._state.pop("series", "") or self.series.currentText()
        with QSignalBlocker(self.series):
            self.series.clear()
            self.series.addItems(logs.series())
            self.series.setCurrentIndex(max(self.series.findText(wanted), 0))
        self._pages.show_page(self.pane)
        self.setFocusProxy(self.pane)
        self._draw()
        self.pane.charts.values.extras.restore(self._state.pop("chart", {}))

    # -- doing ----------------------------------------------------------------------------------
    def show_line(self, step: int) -> None:
        """Open the log at the last line of a step."""
        if self.pane is None:
            return
        place = self.pane.logs.line_of(self.series.currentText(), step)
        if place is not None:
            self._studio.reveal(Location.source(*place))

    def show_text(self) -> None:
        """Open the log as text."""
        self._studio.reveal(Location.source(self.path, 1))

    def _draw(self) -> None:
        """Show the chosen series; that of long logs is prepared in a job."""
        from plugins.losses.ui.prepared import prepare

        pane, name = self.pane, self.series.currentText()
        if pane is None or not name:
            return
        tolerance, smoothed = self.tolerance.value() / 100, self._smooth.isChecked()
        self._stop()
        logs = [log for _, log in pane.logs.runs() if name in log.series]
        if sum(len(log.series[name].steps) for log in logs) <= _AT_ONCE:
            self._prepared(prepare(pane.logs, name, tolerance, smoothed))
            return
        self._job = self._studio.start_job(
            "losses:ui.loader.prepare_series",
            {"logs": pane.logs, "name": name, "tolerance": tolerance, "smoothed": smoothed},
            title=tr("Comparing {name}", name=name),
            key=f"series {id(self)}",
            item=self.path,
            done=self._prepared,
        )

    def _prepared(self, shown: Prepared) -> None:
        self._job = None
        if self.pane is None:
            return
        other = self.pane.shown is None or self.pane.shown.name != shown.name
        self.pane.show_series(shown, self.tolerance.value() / 100)
        if other:
            self.pane.show_first()

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _show_runs(self) -> None:
        button = self._runs_button
        self.runs.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _show_all(self) -> None:
        if self.pane is not None:
            self.pane.charts.show_all()

    def _show_first(self) -> None:
        if self.pane is not None:
            self.pane.show_first()

    def _save_picture(self) -> None:
        if self.pane is not None:
            self.pane.charts.values.ask_and_save()

    def _connect(self) -> None:
        self.base.chosen.connect(self._load_with_base)
        self.runs.changed.connect(self.load)
        self.series.currentIndexChanged.connect(lambda _: self._draw())
        self.tolerance.valueChanged.connect(lambda _: self._draw())
        if self._studio.project is not None:
            refresh = self.base.refresh
            listen(self, self._studio.project.items_changed, lambda _items: refresh())

    def _lay_out(self) -> None:
        bar = ToolBar(tr("Losses"), self)
        bar.add("refresh", tr("Read again"), self.load, keys="F5")
        label = QLabel(tr("Compare with"))
        label.setContentsMargins(6, 0, 6, 0)
        label.setBuddy(self.base)
        bar.addWidget(label)
        bar.addWidget(self.base)
        more = bar.add("add", tr("More runs, resumed runs, other texts"), self._show_runs)
        self._runs_button = bar.widgetForAction(more)
        bar.addSeparator()
        bar.add("flag", tr("First step beyond the tolerance"), self._show_first, keys="F8")
        bar.add("fit", tr("Show all steps"), self._show_all)
        self._smooth = bar.add("training", tr("Smooth the curves"), self._draw, checkable=True)
        bar.add("picture", tr("Save the chart as a picture"), self._save_picture)
        bar.add("text", tr("Show as text"), self.show_text)
        bar.add_stretch()
        inset(self.tolerance)
        self.tolerance.setRange(0.0, 1000.0)
        self.tolerance.setDecimals(3)
        self.tolerance.setSuffix(" %")
        self.tolerance.setValue(TOLERANCE * 100)
        for widget, name in (
            (self.tolerance, tr("Relative difference that is still accepted")),
            (self.series, tr("What is shown")),
        ):
            widget.setAccessibleName(name)
            widget.setToolTip(name)
            bar.addWidget(widget)
        self.series.setMinimumContentsLength(12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self._pages, 1)
