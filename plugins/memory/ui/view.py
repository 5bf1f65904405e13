"""The centre view of memory: reads it in the background, then shows chart and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.memory.core import profile_of
from studio.i18n import tr
from studio.model.locations import Location
from studio.ui.bar import NoticeBar
from studio.ui.parts import stacked
from studio.ui.readpages import ReadPages
from studio.ui.siblings import RankBox
from studio.ui.text import format_percent

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.memory.ui.details import Details
    from plugins.memory.ui.loader import OtherRank, Prepared
    from plugins.memory.ui.pane import MemoryPane
    from studio.api import Studio
    from studio.model.selection import Pointed, Selection


class MemoryView(QWidget):
    """The memory of one profile, of a record alone, or of a trace, in a tab."""

    title_changed = Signal(str)
    answers_again = True

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = profile_of(path)
        self.pane: MemoryPane | None = None
        self.details: Details | None = None
        self._pending: dict[str, Any] = {}
        self._find = ""
        self.ranks: RankBox | None = None
        self._pages = ReadPages(studio, "memory")
        self._others = ReadPages(studio, "memory")
        self._others.setParent(self)
        self._others.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        connection = studio.selection_changed.connect(self._selected_elsewhere)
        pointed = studio.pointed.connect(self._pointed_elsewhere)
        for each in (connection, pointed):
            self.destroyed.connect(each.disconnect)
        self.load(self.path)

    # -- what the host asks for ---------------------------------------------------------------
    def title(self) -> str:
        """Name the tab."""
        return tr("Memory · {name}", name=self.path.name)

    def tool_tip(self) -> str:
        """Tell which profile it is."""
        return str(self.path)

    def idle(self) -> bool:
        """Whether all is read and drawn."""
        read = self._pages.idle() and self._others.idle()
        shown = self.pane is None or self.pane.idle()
        return read and shown and (self.details is None or self.details.idle())

    def save_state(self) -> dict[str, Any]:
        """Return the rank, the time in view, the unit, what is hidden, and the page."""
        if self.pane is None or self.details is None:
            return self._pending
        page = {"name": self.path.name, "page": self.details.current()}
        return {**self.pane.save_state(), **page}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state, once loaded."""
        self._pending = dict(state)
        path = self.path.with_name(str(state.get("name") or self.path.name))
        if path != self.path and path.exists():
            self.load(path)
        elif self.pane is not None:
            self._show_pending()

    def reopen(self, find: str = "") -> None:
        """Show the blocks of an operator, once read."""
        self._find = find
        if self.details is not None:
            self._show_pending()

    # -- loading ------------------------------------------------------------------------------
    def load(self, path: Path) -> None:
        """Read the memory of a profile, in a job."""
        self.path = path
        self.pane = self.details = self.ranks = None
        self.title_changed.emit(self.title())
        self._pages.read("memory:ui.loader.load_first", {"path": path}, path, self._show_first)

    def _show_first(self, first: tuple[Prepared, float | None]) -> None:
        """Show all there is, or a part of it until the rest is read."""
        prepared, share = first
        if share is None:
            self._show(prepared)
            return
        from plugins.memory.ui.pane import MemoryPane

        memory, envelopes = prepared
        if memory.curves:
            pane = MemoryPane(memory, envelopes, str(self.studio.setting("memory.unit")))
            pane.tabs.hide()
            bar = NoticeBar()
            text = tr(
                "{share} of the records, from all over the time: peaks between them are missing "
                "until the rest is read.",
                share=format_percent(share),
            )
            bar.tell("info", text, closable=False)
            self._pages.show_page(stacked(bar, pane))
        path = self.path
        self._pages.read_on("memory:ui.loader.load_memory", {"path": path}, path, self._show)

    def _show(self, prepared: Prepared) -> None:
        memory, envelopes = prepared
        if not memory.curves:
            self._pages.tell(
                "memory",
                tr("{name} holds no memory values", name=self.path.name),
                tr("Record with profile_memory=True; the table of this run is empty."),
            )
            return
        from plugins.memory.ui.details import Details
        from plugins.memory.ui.pane import MemoryPane

        pane = MemoryPane(memory, envelopes, str(self.studio.setting("memory.unit")))
        self.pane = pane
        self.details = Details(self, pane)
        pane.range_selected.connect(self.share)
        pane.chart.cursor_moved.connect(lambda time: self.studio.point(self.path, time))
        pane.timeline_wanted.connect(self.show_timeline)
        pane.ranks_wanted.connect(self._overlay)
        self._add_ranks(pane)
        self._pages.show_page(pane)
        self.setFocusProxy(pane)
        self._show_pending()
        self._selected_elsewhere(self.studio.selection)

    def _add_ranks(self, pane: MemoryPane) -> None:
        self.ranks = RankBox(self.studio)
        self.ranks.chosen.connect(self.load)
        self.ranks.show_path(self.path)
        action = pane.tools.addWidget(self.ranks)
        several = self.ranks.count() > 1
        action.setVisible(several)
        pane.ranks.setVisible(several)

    def _show_pending(self) -> None:
        if self.pane is None or self.details is None:
            return
        state, self._pending = self._pending, {}
        self.pane.restore_state(state)
        if isinstance(state.get("page"), str):
            self.details.open(state["page"])
        if self._find:
            self.details.look_for(self._find)
            self._find = ""

    def _overlay(self, wanted: bool) -> None:
        """Show the curves of all ranks, or only those of this one."""
        pane, ranks = self.pane, self.ranks
        if pane is None or ranks is None:
            return
        if not wanted:
            pane.show_others([])
            return
        paths = [path for path in ranks.paths() if path != self.path]
        rows = [row for row in range(ranks.count()) if ranks.itemData(row) != self.path]
        titles = [ranks.itemText(row) for row in rows]
        start, end = pane.chart.bounds()
        asked = {"paths": paths, "titles": titles, "start": start, "end": end}
        self._others.read("memory:ui.loader.load_ranks", asked, self.path, self._overlaid)

    def _overlaid(self, others: list[OtherRank]) -> None:
        if self.pane is not None:
            self.pane.show_others(others)

    # -- links --------------------------------------------------------------------------------
    def trace(self) -> Path | None:
        """The timeline of the same profile; None without one."""
        from studio.perf.sources import find_sources

        sources = find_sources(self.path)
        return sources.first("trace") or sources.first("timeline")

    def show_timeline(self, time: tuple[int, int] | None = None) -> None:
        """Open the timeline of the same profile, at a stretch of time if one is given."""
        trace = self.trace()
        if trace is None:
            self.studio.notify(tr("{name} has no timeline.", name=self.path.name))
        elif time is None:
            self.studio.open(trace)
        else:
            self.studio.reveal(Location.time(trace, *time))

    def open_source(self, stack: str) -> None:
        """Open the innermost frame of a call stack that lies in the project."""
        from studio.model.frames import parse_stack

        project = self.studio.project
        for frame in parse_stack(stack) if project is not None else ():
            files = project.paths.resolve(frame.path) if project is not None else []
            if files:
                self.studio.reveal(Location.source(files[0], frame.line))
                return
        place = stack.split("\n", 1)[0]
        self.studio.notify(
            tr("No file of the project matches {place}.", place=place), severity="warn"
        )

    def share(self, chosen: tuple[int, int] | None) -> None:
        """Make a stretch of time the shared selection."""
        start, end = chosen or (None, None)
        item = self.trace() or self.path
        self.studio.select(item=item, start_ns=start, end_ns=end, rows=frozenset())
        if self.details is not None:
            self.details.set_range(chosen)

    def _pointed_elsewhere(self, pointed: Pointed) -> None:
        """Draw the cursor at the time that the pointer is at on the timeline."""
        if self.pane is not None and pointed.origin != self.studio.plugin:
            self.pane.chart.show_cursor(pointed.time_ns if self._is_mine(pointed.item) else None)

    def _is_mine(self, item: Path) -> bool:
        folder = self.path if self.path.is_dir() else self.path.parent
        return item == folder or item.is_relative_to(folder)

    def _selected_elsewhere(self, selection: Selection) -> None:
        """Show the stretch of time that another view of the same profile selected."""
        if self.pane is None or selection.origin == self.studio.plugin:
            return
        item = selection.item
        same = item is not None and self._is_mine(item)
        if same and selection.start_ns is not None and selection.end_ns is not None:
            chosen = (selection.start_ns, selection.end_ns)
            self.pane.chart.set_range(chosen)
            if self.details is not None:
                self.details.set_range(chosen)
                if not selection.is_sum:
                    self.details.show_moment(selection.start_ns)
        else:
            self.pane.chart.set_range(None)
