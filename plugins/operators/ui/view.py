"""The centre view of operators: reads and groups in the background, then shows the pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from plugins.operators.core import CHIP_SETTINGS, chosen_chip
from plugins.operators.ui.extrapages import ExtraPages
from plugins.operators.ui.texts import grouping_title, kind_title, where_from
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.model.locations import Location
from studio.ui.bar import NoticeBar
from studio.ui.parts import OneLine, chooser, fill, stacked
from studio.ui.readpages import ReadPages
from studio.ui.siblings import RankBox
from studio.ui.text import format_ns, thousands
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.operators.ui.loader import Grouped
    from plugins.operators.ui.pane import OperatorsPane
    from studio.api import Studio
    from studio.model.ranges import Ranges
    from studio.model.selection import Selection
    from studio.perf.chips import Chip

_KINDS: Final = ("compute", "communication", "all")
_CHOOSERS: Final = ("overview", "steps")
"""Plugins whose choice of a step is one for all views of the profile."""
MEMORY: Final = "memory.view"


class OperatorsView(QWidget):
    """The operators of one profile in a tab."""

    title_changed = Signal(str)
    answers_again = True

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = path
        self.pane: OperatorsPane | None = None
        self.form = ""
        self._by, self._kind, self._step = "type", "compute", -1
        self._find = ""
        self._select = -1
        self.tools = ToolBar(tr("Operators"), self)
        self.counts = OneLine()
        self.grouping = chooser(tr("Group by"), tr("What operators are grouped by"))
        self.kinds = chooser(tr("Which operators"), tr("Which operators are shown"))
        self.steps = chooser(tr("Step"), tr("The step whose operators are shown"))
        self.ranks = RankBox(studio)
        self.tabs = QTabWidget()
        self._pages = ReadPages(studio, "operator")
        self.extra = ExtraPages(self)
        self._lay_out()
        connection = studio.selection_changed.connect(self._selected_elsewhere)
        changed = studio.setting_changed.connect(self._setting_changed)
        for each in (connection, changed):
            self.destroyed.connect(each.disconnect)
        if (chosen := studio.selection.step) is not None and self._is_mine(studio.selection.item):
            self._step = chosen
        self.load(path)

    # -- what the host asks for ---------------------------------------------------------------
    def title(self) -> str:
        """Name the tab."""
        return tr("Operators · {name}", name=self.path.name)

    def tool_tip(self) -> str:
        """Tell which profile it is."""
        return str(self.path)

    def idle(self) -> bool:
        """Whether the operators are read and shown."""
        shown = self._pages.idle() and (self.pane is None or self.pane.idle())
        return shown and self.extra.idle()

    def save_state(self) -> dict[str, Any]:
        """Return the rank and what is grouped how."""
        return {
            "name": self.path.name,
            "by": self._by,
            "kind": self._kind,
            "step": self._step,
            "tab": self.tabs.currentIndex(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state."""
        self._by = str(state.get("by", self._by))
        if state.get("kind") in _KINDS:
            self._kind = str(state["kind"])
        if isinstance(state.get("step"), int):
            self._step = int(state["step"])
        if isinstance(state.get("tab"), int):
            self.tabs.setCurrentIndex(state["tab"])
        path = self.path.with_name(str(state.get("name") or self.path.name))
        self.load(path if path.exists() else self.path)

    def reopen(self, kind: str = "", find: str = "", by: str = "") -> None:
        """Show an operator by its type or name in the table, once read."""
        if find or by:
            self.tabs.setCurrentIndex(0)
        self._find = find
        if (kind in _KINDS and kind != self._kind) or (by and by != self._by):
            self._kind, self._by = kind or self._kind, by or self._by
            self._group()
        else:
            self._show_wanted()

    def select_when_read(self, row: int) -> None:
        """Select a row of the table, now or once read."""
        self._select = row
        self._show_wanted()

    # -- loading ------------------------------------------------------------------------------
    def load(self, path: Path) -> None:
        """Read a profile, in a job."""
        self.path = path
        self.pane = None
        self.counts.setText(path.name)
        self.ranks.show_path(path)
        self.title_changed.emit(self.title())
        asked = {"path": path, **self.asked()}
        self._pages.read("operators:ui.loader.load_first", asked, path, self._show_first)
        self.extra.refresh()

    def _show_first(self, first: tuple[Grouped, bool]) -> None:
        """Show all operators, or the first ones until the rest is read."""
        grouped, is_all = first
        if is_all:
            self._show(grouped)
            return
        from plugins.operators.ui.pane import OperatorsPane

        bar = NoticeBar()
        count = len(grouped.operators.table)
        text = trn(
            "The first {count} operator; the rest is being read.",
            "The first {count} operators; the rest is being read.",
            count,
            count=thousands(count),
        )
        bar.tell("info", text, closable=False)
        self._pages.show_page(stacked(bar, OperatorsPane(grouped)))
        asked = {"path": self.path, **self.asked()}
        self._pages.read_on("operators:ui.loader.load_operators", asked, self.path, self._show)

    def _group(self) -> None:
        if self.pane is None:
            self.load(self.path)
            return
        profile = self.pane.grouped.profile
        self.pane = None
        self._pages.read(
            "operators:ui.loader.group_operators",
            {"profile": profile, **self.asked()},
            self.path,
            self._show,
        )
        self.extra.refresh()

    def asked(self) -> dict[str, Any]:
        """What is grouped how, of which step, for which chip."""
        step = self._step if self._step >= 0 else None
        return {"by": self._by, "kind": self._kind, "step": step, "chip": self._chip()}

    def _chip(self) -> Chip | None:
        try:
            return chosen_chip("", self.studio)
        except StudioError as error:
            self.studio.notify(error.message, severity="warn")
            return None

    def _setting_changed(self, key: str) -> None:
        if key in CHIP_SETTINGS:
            self._group()

    def _show(self, grouped: Grouped) -> None:
        from plugins.operators.ui.pane import OperatorsPane

        self._by = grouped.operators.by
        self.form = grouped.profile.info.form
        self._fill_boxes(grouped)
        self._tell(grouped)
        if not len(grouped.operators.table):
            self._pages.tell(
                "operator",
                tr("{name} holds no such operators", name=self.path.name),
                where_from(self.form),
            )
            return
        pane = OperatorsPane(grouped)
        self.pane = pane
        pane.chosen.connect(self.share)
        pane.timeline_wanted.connect(self.show_time)
        pane.source_wanted.connect(self.open_source)
        pane.memory_wanted.connect(self.open_memory)
        self._pages.show_page(pane)
        self.setFocusProxy(pane)
        self._show_wanted()

    def _show_wanted(self) -> None:
        if self.pane is None:
            return
        if self._find:
            self.pane.look_for(self._find)
            self._find = ""
        if self._select >= 0:
            self.pane.select_row(self._select)
            self._select = -1

    def _tell(self, grouped: Grouped) -> None:
        found = grouped.operators
        groups, rows = len(found.table), len(found.rows)
        total = int(found.rows["duration_ns"].sum())
        parts = [
            trn("{count} group", "{count} groups", groups, count=thousands(groups)),
            trn("{count} operator", "{count} operators", rows, count=thousands(rows)),
            tr("{time} in all", time=format_ns(total)),
            found.chip.name if found.chip is not None else tr("chip not known: no MFU"),
        ]
        if not grouped.profile.has_counters:
            parts.append(tr("no performance counters recorded"))
        self.counts.setText("  ·  ".join(parts))

    def _fill_boxes(self, grouped: Grouped) -> None:
        fill(self.grouping, [(grouping_title(by), by) for by in grouped.groupings], self._by)
        fill(self.kinds, [(kind_title(kind), kind) for kind in _KINDS], self._kind)
        steps = [(tr("All steps"), -1), *((tr("step {step}", step=n), n) for n in grouped.steps)]
        fill(self.steps, steps, self._step)
        self._steps_action.setVisible(len(grouped.steps) > 1)

    # -- links --------------------------------------------------------------------------------
    def share(self, time: tuple[int, int] | None, ranges: Ranges | None) -> None:
        """Make a stretch of time, and all that belong to it, the shared selection."""
        if time is not None and self.pane is not None:
            start, end = time
            self.studio.select(
                item=self.pane.grouped.trace or self.path,
                start_ns=start,
                end_ns=end,
                rows=frozenset(),
                ranges=ranges,
            )

    def _selected_elsewhere(self, selection: Selection) -> None:
        """Select the operator that another view of the same profile selected."""
        pane, item = self.pane, selection.item
        if pane is None or item is None or selection.origin == self.studio.plugin:
            return
        if not self._is_mine(item):
            return
        if selection.start_ns is not None and not selection.is_sum:
            pane.show_moment(selection.start_ns)
            self.extra.show_moment(selection.start_ns, selection.end_ns or selection.start_ns)
        step = -1 if selection.step is None else selection.step
        if selection.origin in _CHOOSERS and step != self._step and self.steps.findData(step) >= 0:
            self._step = step
            self._group()

    def _is_mine(self, item: Path | None) -> bool:
        return item is not None and (item == self.path or item.is_relative_to(self.path))

    def show_operator(self, row: int) -> None:
        """Show a row of the table, in front."""
        if self.pane is not None:
            self.tabs.setCurrentIndex(0)
            self.pane.select_row(row)

    def show_page(self, page: str) -> None:
        """Bring a page to the front by its key ("" is the table)."""
        if page:
            self.extra.open(page)
        else:
            self.tabs.setCurrentIndex(0)

    def open_memory(self, name: str) -> None:
        """Show the memory that an operator of the framework allocated."""
        self.studio.open(self.path, opener=MEMORY, find=name)

    def show_time(self, time: tuple[int, int] | None) -> None:
        """Show a stretch of time on the timeline."""
        trace = self.pane.grouped.trace if self.pane is not None else None
        if trace is None:
            self.studio.notify(tr("{name} has no timeline.", name=self.path.name))
        elif time is not None:
            self.studio.reveal(Location.time(trace, *time))

    def open_source(self, stack: str) -> None:
        """Open the innermost frame of a call stack that lies in the project."""
        from plugins.operators.ui.source import open_source

        open_source(self.studio, stack)

    def _chosen(self) -> None:
        by, kind, step = (box.currentData() for box in (self.grouping, self.kinds, self.steps))
        if (by, kind, step) != (self._by, self._kind, self._step):
            if step != self._step:
                chosen = step if step >= 0 else None
                self.studio.select(item=self.path, step=chosen, start_ns=None, end_ns=None)
            self._by, self._kind, self._step = by, kind, step
            self._group()

    def _lay_out(self) -> None:
        self.tools.add_command(self.studio, "operators.timeline", text=True)
        self.tools.add_stretch()
        self.tools.addWidget(self.grouping)
        self.tools.addWidget(self.kinds)
        self._steps_action = self.tools.addWidget(self.steps)
        ranks = self.tools.addWidget(self.ranks)
        for box in (self.grouping, self.kinds, self.steps):
            box.activated.connect(lambda _row: self._chosen())
        self.ranks.listed.connect(lambda count: ranks.setVisible(count > 1))
        self.ranks.chosen.connect(self.load)
        self.counts.setProperty("role", "count")
        self.counts.setContentsMargins(10, 2, 10, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tools, self.counts):
            column.addWidget(widget)
        self.tabs.setDocumentMode(True)
        self.tabs.setMinimumSize(240, 160)
        self.tabs.addTab(self._pages, tr("Table"))
        self.extra.add_to(self.tabs)
        column.addWidget(self.tabs, 1)
