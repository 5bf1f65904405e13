"""The pages below the chart: what is live, blocks, steps, unused memory, parts of CANN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from studio.i18n import tr
from studio.ui.lazypage import LazyPage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from plugins.memory.ui.loader import Blocks, Others, Unused
    from plugins.memory.ui.pane import MemoryPane
    from plugins.memory.ui.view import MemoryView
    from studio.perf.memory_growth import Growth
    from studio.perf.memory_peak import MemoryAt

    Asked = tuple[Path, dict[str, Any]]

_SOON = 60


class Details:
    """Each page reads once it is shown; what is live is read anew for every chosen moment."""

    def __init__(self, view: MemoryView, pane: MemoryPane) -> None:
        self._view = view
        self._pane = pane
        self._at: int | None = None
        self._range: tuple[int, int] | None = None
        self._by = "name"
        self._find = ""
        made: dict[str, tuple[str, Callable[[], Asked], Callable[[Any], object]]] = {
            "live": (tr("What is live"), self._asked_live, self._show_live),
            "blocks": (tr("Blocks"), self._asked_plain, self._show_blocks),
            "growth": (tr("From step to step"), self._asked_growth, self._show_growth),
            "unused": (tr("Fragmentation"), self._asked_plain, self._show_unused),
            "others": (tr("CANN, graphs, segments"), self._asked_plain, self._show_others),
        }
        self.pages = {
            key: LazyPage(view.studio, f"memory:ui.loader.load_{key}", ask, show, "memory")
            for key, (_, ask, show) in made.items()
        }
        for key, (title, _, _) in made.items():
            pane.tabs.addTab(self.pages[key], title)
        self.shown: dict[str, Any] = {}
        self._soon = QTimer(pane, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(lambda: self.refresh("live"))
        pane.moment_chosen.connect(self.show_moment)
        pane.unit_changed.connect(self._set_unit)
        pane.chart.view_changed.connect(self._show_times)

    def idle(self) -> bool:
        """Whether nothing is being read, sorted or drawn."""
        pages = all(page.idle() for page in self.pages.values())
        shown = all(page.idle() for page in self.shown.values())
        return pages and shown and not self._soon.isActive()

    def open(self, key: str) -> None:
        """Bring a page to the front; "" is the table of peaks."""
        self._pane.tabs.setCurrentWidget(self.pages.get(key, self._pane.table))

    def current(self) -> str:
        """The key of the page in front."""
        front = self._pane.tabs.currentWidget()
        return next((key for key, page in self.pages.items() if page is front), "")

    def refresh(self, key: str) -> None:
        """Read a page anew, now when it is seen."""
        self.shown.pop(key, None)
        self.pages[key].refresh()

    def show_moment(self, time: int) -> None:
        """Show what was live at a time, a moment later."""
        if time != self._at:
            self._at = time
            self._soon.start()

    def set_range(self, chosen: tuple[int, int] | None) -> None:
        """Take over the stretch of time selected in the chart."""
        self._range = chosen
        if "blocks" in self.shown:
            self.shown["blocks"].set_range(chosen)

    def look_for(self, text: str) -> None:
        """Show the blocks of an operator."""
        self._find = text
        self.open("blocks")
        if "blocks" in self.shown:
            self.shown["blocks"].look_for(text)

    # -- what is asked --------------------------------------------------------------------------
    def _asked_live(self) -> Asked:
        return self._view.path, {"at": self._at, "component": ""}

    def _asked_growth(self) -> Asked:
        return self._view.path, {"component": ""}

    def _asked_plain(self) -> Asked:
        return self._view.path, {}

    # -- what is shown --------------------------------------------------------------------------
    def _show_live(self, memory: MemoryAt | None) -> None:
        from plugins.memory.ui.livepage import LivePage

        if memory is None:
            self.pages["live"].tell(
                "memory",
                tr("Nothing is known of what was live"),
                tr(
                    "operator_memory.csv, a database or a memory snapshot tells which blocks "
                    "operators allocated. Record with profile_memory=True."
                ),
            )
            return
        page = LivePage(memory, self._pane.origin(), self._pane.unit.currentText(), self._by)
        page.blocks_wanted.connect(self.look_for)
        page.source_wanted.connect(self._view.open_source)
        page.by_changed.connect(self._remember_grouping)
        self._put("live", page)

    def _remember_grouping(self, by: str) -> None:
        self._by = by

    def _show_blocks(self, blocks: Blocks) -> None:
        from plugins.memory.ui.blockspage import BlocksPage

        if not len(blocks.table):
            self.pages["blocks"].tell(
                "memory",
                tr("No blocks were recorded"),
                tr("operator_memory.csv or a database has them: record with profile_memory=True."),
            )
            return
        page = BlocksPage(blocks, self._pane.unit.currentText())
        page.set_range(self._range)
        page.source_wanted.connect(self._view.open_source)
        page.timeline_wanted.connect(self._view.show_timeline)
        page.chosen.connect(self._block_chosen)
        self._put("blocks", page)
        self._show_times()
        if self._find:
            page.look_for(self._find)
            self._find = ""

    def _block_chosen(self, time: tuple[int, int] | None) -> None:
        if time is not None:
            self._pane.chart.set_range(time)
            self._view.studio.select(
                item=self._view.trace() or self._view.path,
                start_ns=time[0],
                end_ns=time[1],
                rows=frozenset(),
            )

    def _show_growth(self, growth: Growth) -> None:
        from plugins.memory.ui.tables import NotedTable, growth_columns, growth_text

        unit = self._pane.unit.currentText()
        text = growth_text(growth, unit)
        page = NotedTable(tr("From step to step"), text, growth.table, growth_columns, unit)
        self._put("growth", page)

    def _show_unused(self, unused: Unused) -> None:
        from plugins.memory.ui.unusedpage import UnusedPage

        page = UnusedPage(unused, self._pane.origin(), self._pane.unit.currentText())
        self._put("unused", page)

    def _show_others(self, others: Others) -> None:
        from plugins.memory.ui.otherspage import OthersPage

        page = OthersPage(others, self._pane.unit.currentText())
        if page.tabs.count():
            self._put("others", page)
            return
        page.deleteLater()
        self.pages["others"].tell(
            "memory",
            tr("Nothing of this kind was recorded"),
            tr(
                "Here stand what parts of CANN reserve (npu_module_mem.csv), what was planned for "
                "graphs (static_op_mem.csv) and the segments of a memory snapshot of PyTorch."
            ),
        )

    def _put(self, key: str, page: QWidget) -> None:
        self.shown[key] = page
        self.pages[key].show_page(page)

    def _set_unit(self, unit: str) -> None:
        for page in self.shown.values():
            page.set_unit(unit)

    def _show_times(self) -> None:
        """Bars of blocks show the same time as the chart."""
        if "blocks" in self.shown:
            self.shown["blocks"].chart.show_times(*self._pane.chart.shown_times())
