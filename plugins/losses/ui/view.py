"""The centre view of training logs: reads them in the background, then shows their curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from plugins.losses.core.compare import TOLERANCE
from plugins.losses.ui.bases import BaseBox
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.locations import Location
from studio.ui.loading import LoadingPage
from studio.ui.toolbar import ToolBar
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from plugins.losses.core.curves import Logs
    from plugins.losses.ui.pane import LossPane
    from studio.api import Studio
    from studio.kernel.job import Job


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
        self._loading = LoadingPage(path.name, self._cancel)
        self._pages = QStackedWidget()
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
        return self._job is None and (self.pane is None or self.pane.idle())

    def save_state(self) -> dict[str, Any]:
        """Return the base, what is shown and how."""
        return {
            "base": str(self.base.base or ""),
            "series": self.series.currentText() or self._state.get("series", ""),
            "tolerance": self.tolerance.value(),
            "smooth": self._smooth.isChecked(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state, once loaded."""
        self._state = dict(state)
        with QSignalBlocker(self.tolerance):
            self.tolerance.setValue(float(state.get("tolerance", self.tolerance.value())))
        self._smooth.setChecked(bool(state.get("smooth")))
        base = Path(state["base"]) if state.get("base") else None
        if base != self.base.base:
            self.base.set_base(base)
            self.load()
        elif self.pane is not None:
            self.series.setCurrentText(str(state.get("series", "")))
            self._draw()

    def reopen(self, base: str = "") -> None:
        """Compare with another log."""
        if base and Path(base) not in (self.base.base, self.path):
            self.base.set_base(Path(base))
            self.load()

    # -- loading --------------------------------------------------------------------------------
    def load(self) -> None:
        """Read the logs, in a job."""
        self.title_changed.emit()
        self._pages.setCurrentWidget(self._loading)
        self._job = self._studio.start_job(
            "losses:ui.loader.load_logs",
            {"path": str(self.path), "base": str(self.base.base or "")},
            title=tr("Reading {name}", name=self.path.name),
            key=f"load {id(self)}",
            item=self.path,
            done=self._show,
            failed=self._fail,
        )
        self._loading.follow(self._job)

    def _show(self, logs: Logs) -> None:
        from plugins.losses.ui.pane import LossPane

        self._job = None
        self._loading.finish()
        self.pane = LossPane(logs)
        self.pane.step_activated.connect(self.show_line)
        wanted = self._state.pop("series", "") or self.series.currentText()
        with QSignalBlocker(self.series):
            self.series.clear()
            self.series.addItems(logs.series())
            self.series.setCurrentIndex(max(self.series.findText(wanted), 0))
        self._replace(self.pane)
        self.setFocusProxy(self.pane)
        self._draw()
        self.pane.show_first()

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
        self._message("chart", tr("Reading was cancelled"), str(self.path))

    def _message(self, icon: str, title: str, text: str) -> None:
        again = Action(tr("Read again"), self.load, "refresh")
        as_text = Action(tr("Show as text"), self.show_text, "text")
        self.pane = None
        self._replace(EmptyState(icon, title, text, [again, as_text]))

    def _replace(self, page: QWidget) -> None:
        while (old := self._pages.widget(1)) is not None:
            self._pages.removeWidget(old)
            old.deleteLater()
        self._pages.addWidget(page)
        self._pages.setCurrentWidget(page)

    # -- doing ----------------------------------------------------------------------------------
    def show_line(self, step: int) -> None:
        """Open the log at the last line of a step."""
        if self.pane is None:
            return
        series = self.pane.logs.candidate.series[self.series.currentText()]
        lines = dict(zip(series.steps, series.lines, strict=True))
        if step in lines:
            self._studio.reveal(Location.source(self.path, lines[step]))

    def show_text(self) -> None:
        """Open the log as text."""
        self._studio.reveal(Location.source(self.path, 1))

    def _draw(self) -> None:
        if self.pane is not None and self.series.currentText():
            share = self.tolerance.value() / 100
            self.pane.show_series(self.series.currentText(), share, self._smooth.isChecked())

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
        self.base.chosen.connect(self.load)
        self.series.currentIndexChanged.connect(lambda _: self._draw())
        self.tolerance.valueChanged.connect(lambda _: self._draw())
        if self._studio.project is not None:
            refresh = self.base.refresh
            listed = self._studio.project.items_changed.connect(lambda _items: refresh())
            self.destroyed.connect(listed.disconnect)

    def _lay_out(self) -> None:
        bar = ToolBar(tr("Losses"), self)
        bar.add("refresh", tr("Read again"), self.load, keys="F5")
        label = QLabel(tr("Compare with"))
        label.setContentsMargins(6, 0, 6, 0)
        label.setBuddy(self.base)
        bar.addWidget(label)
        bar.addWidget(self.base)
        bar.addSeparator()
        bar.add("flag", tr("First step beyond the tolerance"), self._show_first, keys="F8")
        bar.add("fit", tr("Show all steps"), self._show_all)
        self._smooth = bar.add("training", tr("Smooth the curves"), self._draw, checkable=True)
        bar.add("picture", tr("Save the chart as a picture"), self._save_picture)
        bar.add("text", tr("Show as text"), self.show_text)
        bar.add_stretch()
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
        self._pages.addWidget(self._loading)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self._pages, 1)
