"""The centre view of a profile: reads it in the background, then shows the page about it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.model.locations import Location
from studio.ui.parts import OneLine
from studio.ui.readpages import ReadPages
from studio.ui.siblings import RankBox
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.overview.ui.loader import Page
    from plugins.overview.ui.pane import OverviewPane
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.selection import Selection

TIMELINE, MEMORY = "timeline.view", "memory.view"
OPERATORS, STEPS = "operators.view", "steps.view"
_CHOOSERS = ("operators", "steps")
"""Plugins that also choose all steps: elsewhere a selection without a step says nothing of it."""


class OverviewView(QWidget):
    """The overview of one profile in a tab; the rank can be changed."""

    title_changed = Signal(str)

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = path
        self.pane: OverviewPane | None = None
        self.tools = ToolBar(tr("Overview"), self)
        self.counts = OneLine()
        self.ranks = RankBox(studio)
        self.steps = QComboBox()
        self._whole: Page | None = None
        self._doctor: Job | None = None
        self._pages = ReadPages(studio, "profile")
        self._lay_out()
        followed = studio.selection_changed.connect(self._selected_elsewhere)
        self.destroyed.connect(followed.disconnect)
        if studio.project is not None:
            changed = studio.project.findings.changed
            connection = changed.connect(lambda _paths: self._findings_changed())
            self.destroyed.connect(connection.disconnect)
        self.load(path)

    # -- what the host asks for ---------------------------------------------------------------
    def title(self) -> str:
        """Name the tab."""
        return tr("Overview · {name}", name=self.path.name)

    def tool_tip(self) -> str:
        """Tell which profile it is."""
        return str(self.path)

    def idle(self) -> bool:
        """Whether the profile is read and shown."""
        return self._pages.idle() and self._doctor is None

    def save_state(self) -> dict[str, Any]:
        """Return which rank is shown."""
        return {"profile": str(self.path)}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to the rank that was shown."""
        profile = self.path.with_name(
            str(state.get("profile", "")).replace("\\", "/").split("/")[-1]
        )
        if profile != self.path and profile.exists():
            self.load(profile)

    # -- loading ------------------------------------------------------------------------------
    def load(self, path: Path) -> None:
        """Read a profile, in a job."""
        self.path = path
        self.pane = None
        self._whole = None
        if self._doctor is not None:
            self._doctor.cancel()
            self._doctor = None
        self._steps_action.setVisible(False)
        self.counts.setText(path.name)
        self.ranks.show_path(path)
        self.title_changed.emit(self.title())
        self._pages.read("overview:ui.loader.load_page", {"path": path}, path, self._show)

    def _show(self, page: Page) -> None:
        if self._whole is None or self._whole.path != page.path:
            self._whole = page
            self._fill_steps(page)
            self._examine(page)
        from plugins.overview.ui.findings import findings_of
        from plugins.overview.ui.pane import OverviewPane

        pane = OverviewPane(page, findings_of(self.studio, page.path))
        self.pane = pane
        pane.steps_wanted.connect(self.open_steps)
        pane.memory_wanted.connect(lambda: self.open_view(MEMORY))
        pane.operator_wanted.connect(
            lambda kind, name: self.open_view(OPERATORS, kind=kind, find=name)
        )
        pane.time_wanted.connect(lambda time: self.show_time(*time))
        pane.finding_wanted.connect(lambda finding: self.studio.reveal(finding.location))
        self._pages.show_page(pane)
        self.setFocusProxy(pane)
        self._tell(page)

    def _examine(self, page: Page) -> None:
        """Let the doctor look at what is shown already: it reads all tables."""
        self._doctor = self.studio.start_job(
            "overview:ui.loader.examine_page",
            {"page": page},
            title=tr("Looking over {name}", name=page.path.name),
            key=f"examine {id(self)}",
            item=page.path,
            done=self._examined,
            failed=self._not_examined,
        )

    def _examined(self, page: Page) -> None:
        self._doctor = None
        self._whole = page
        pane = self.pane
        if pane is not None and pane.page.path == page.path:
            diagnosis = page.overview.diagnosis
            shown = replace(pane.page.overview, diagnosis=diagnosis)
            pane.page = replace(pane.page, overview=shown, examined=True)
            pane.doctor.show_diagnosis(diagnosis)

    def _not_examined(self, error: BaseException) -> None:
        self._doctor = None
        if self.pane is not None:
            text = error.message if isinstance(error, StudioError) else str(error)
            self.pane.doctor.fail(text)

    def _findings_changed(self) -> None:
        from plugins.overview.ui.findings import findings_of

        pane = self.pane
        if pane is not None and findings_of(self.studio, self.path) != pane.listed:
            self._show(pane.page)

    def _fill_steps(self, page: Page) -> None:
        with QSignalBlocker(self.steps):
            self.steps.clear()
            self.steps.addItem(tr("All steps"), None)
            for step in page.steps:
                self.steps.addItem(tr("step {step}", step=step), step)
        self._steps_action.setVisible(len(page.steps) > 1)
        self._selected_elsewhere(self.studio.selection)

    def _step_chosen(self, row: int) -> None:
        step = self.steps.itemData(row)
        self.studio.select(item=self.path, step=step, start_ns=None, end_ns=None, rows=frozenset())
        self._show_step(step)

    def _selected_elsewhere(self, selection: Selection) -> None:
        """Be about the step that another view of the same profile shows."""
        item, step = selection.item, selection.step
        if item is None or selection.origin == self.studio.plugin:
            return
        row = self.steps.findData(step)
        known = row > 0 or (selection.origin in _CHOOSERS and selection.start_ns is None)
        mine = item == self.path or item.is_relative_to(self.path)
        if mine and known and row not in (-1, self.steps.currentIndex()):
            self.steps.setCurrentIndex(row)
            self._show_step(step)

    def _show_step(self, step: int | None) -> None:
        whole = self._whole
        if whole is None:
            return
        if step is None:
            self._show(whole)
            return
        asked = {"page": whole, "step": step}
        self._pages.read("overview:ui.loader.page_of_step", asked, self.path, self._show)

    def _tell(self, page: Page) -> None:
        info, count = page.profile.info, len(page.overview.steps)
        parts = [
            page.path.name,
            info.framework,
            info.chip or info.hardware,
            info.level,
            tr("rank {rank}", rank=info.rank) if info.rank is not None else None,
            tr("{n} ranks", n=info.world_size) if (info.world_size or 1) > 1 else None,
            trn("{n} training step", "{n} training steps", count)
            if page.step is None
            else tr("step {step}", step=page.step),
        ]
        self.counts.setText("  ·  ".join(part for part in parts if part))

    # -- links --------------------------------------------------------------------------------
    def open_view(self, opener: str, **arguments: object) -> None:
        """Open another view of the same profile."""
        self.studio.select(item=self.path)
        self.studio.open(self.path, opener=opener, **arguments)

    def open_steps(self, part: str = "") -> None:
        """Open the steps, at a part of the shown one."""
        step = self.pane.page.step if self.pane is not None else None
        asked = {"step": "" if step is None else str(step), "part": part} if part else {}
        self.open_view(STEPS, **asked)

    def show_time(self, start: int, end: int) -> None:
        """Select a stretch of time and show it on the timeline."""
        trace = self.pane.page.trace if self.pane is not None else None
        self.studio.select(item=trace or self.path, start_ns=start, end_ns=end, rows=frozenset())
        if trace is None:
            self.studio.notify(
                tr("{name} has no timeline: trace_view.json was not recorded.", name=self.path.name)
            )
        else:
            self.studio.reveal(Location.time(trace, start, end))

    def _lay_out(self) -> None:
        for icon, title, opener in (
            ("timeline", tr("Timeline"), TIMELINE),
            ("step", tr("Training steps"), STEPS),
            ("operator", tr("Operators"), OPERATORS),
            ("memory", tr("Memory"), MEMORY),
        ):
            action = self.tools.add(icon, title, partial(self.open_view, opener), text=True)
            action.setToolTip(tr("Open this profile: {view}", view=title))
        self.tools.add_stretch()
        self.steps.setAccessibleName(tr("Step"))
        self.steps.setToolTip(tr("The step that the page is about"))
        self.steps.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.steps.activated.connect(self._step_chosen)
        self._steps_action = self.tools.addWidget(self.steps)
        self._ranks_action = self.tools.addWidget(self.ranks)
        self.tools.add("refresh", tr("Read again"), lambda: self.load(self.path))
        self.ranks.chosen.connect(self.load)
        self.ranks.listed.connect(lambda count: self._ranks_action.setVisible(count > 1))
        self.counts.setProperty("role", "count")
        self.counts.setContentsMargins(10, 2, 10, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tools)
        column.addWidget(self.counts)
        column.addWidget(self._pages, 1)
