"""The centre view of steps: reads in the background, then shows the pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from studio.i18n import tr, trn
from studio.model.locations import Location
from studio.ui.lazypage import LazyPage
from studio.ui.parts import OneLine
from studio.ui.readpages import ReadPages
from studio.ui.siblings import RankBox
from studio.ui.text import format_ns
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.steps.ranks import RankSteps
    from plugins.steps.ui.loader import Loaded
    from plugins.steps.ui.pane import StepsPane
    from plugins.steps.ui.rankspage import RanksPage
    from studio.api import Studio
    from studio.model.ranges import Ranges
    from studio.model.selection import Selection

_SOURCES = ("computed", "published", "host")


class StepsView(QWidget):
    """The steps of one profile in a tab."""

    title_changed = Signal(str)
    answers_again = True

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = path
        self.pane: StepsPane | None = None
        self._pending: dict[str, Any] = {}
        self.tools = ToolBar(tr("Training steps"), self)
        self.counts = OneLine()
        self.steps = QComboBox()
        self.ranks = RankBox(studio)
        self._pages = ReadPages(studio, "step")
        self.all_ranks: RanksPage | None = None
        self._ranks_page: LazyPage | None = None
        self._lay_out()
        connection = studio.selection_changed.connect(self._selected_elsewhere)
        self.destroyed.connect(connection.disconnect)
        self.load(path)

    # -- what the host asks for ---------------------------------------------------------------
    def title(self) -> str:
        """Name the tab."""
        return tr("Steps · {name}", name=self.path.name)

    def tool_tip(self) -> str:
        """Tell which profile it is."""
        return str(self.path)

    def idle(self) -> bool:
        """Whether the steps are read and shown."""
        shown = self._pages.idle() and (self.pane is None or self.pane.idle())
        page, ranks = self._ranks_page, self.all_ranks
        return shown and (page is None or page.idle()) and (ranks is None or ranks.idle())

    def save_state(self) -> dict[str, Any]:
        """Return the rank, the step, its part and the page."""
        if self.pane is None:
            return self._pending
        pane = self.pane
        return {
            "name": self.path.name,
            "row": pane.row,
            "part": pane.part,
            "tab": pane.tabs.currentIndex(),
        }

    def reopen(self, step: str = "", part: str = "") -> None:
        """Show a part of a step, once read."""
        if step or part:
            self._pending = {"step": step, "chosen": part, "tab": 0}
            self._show_pending()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state."""
        self._pending = dict(state)
        path = self.path.with_name(str(state.get("name") or self.path.name))
        if path != self.path and path.exists():
            self.load(path)
        else:
            self._show_pending()

    # -- loading ------------------------------------------------------------------------------
    def load(self, path: Path) -> None:
        """Read a profile, in a job."""
        self.path = path
        self.pane = self.all_ranks = self._ranks_page = None
        self.counts.setText(path.name)
        self.ranks.show_path(path)
        self.title_changed.emit(self.title())
        self._pages.read("steps:ui.loader.load_steps", {"path": path}, path, self._show)

    def _show(self, loaded: Loaded) -> None:
        from plugins.steps.ui.pane import StepsPane

        table = loaded.breakdown.table
        self._steps_action.setVisible(len(table) > 1)
        if not len(table):
            self._pages.tell(
                "step",
                tr("{name} holds no steps", name=self.path.name),
                tr(
                    "Steps come from kernel_details.csv, step_trace_time.csv, a database or the "
                    "timeline. Call prof.step() at the end of every iteration, so that the "
                    "profiler knows where a step ends."
                ),
            )
            return
        pane = StepsPane(loaded)
        self.pane = pane
        with QSignalBlocker(self.steps):
            self.steps.clear()
            for name in loaded.names:
                self.steps.addItem(tr("step {step}", step=name))
        pane.chosen.connect(self._share)
        pane.timeline_wanted.connect(self._reveal)
        self._add_ranks(pane)
        self._pages.show_page(pane)
        self.setFocusProxy(pane)
        self._tell(loaded)
        chosen = self.studio.selection
        if not self._pending and chosen.step is not None and self._is_mine(chosen.item):
            self._pending = {"step": chosen.step}
        self._show_pending()

    def _add_ranks(self, pane: StepsPane) -> None:
        """Add the page of all ranks where there are several."""
        paths = self.ranks.paths()
        if len(paths) < 2:
            return
        titles = [self.ranks.itemText(row) for row in range(self.ranks.count())]
        asked = {"paths": paths, "titles": titles}
        self._ranks_page = LazyPage(
            self.studio,
            "steps:ui.loader.load_ranks",
            lambda: (self.path, asked),
            self._show_ranks,
            "step",
        )
        pane.tabs.addTab(self._ranks_page, tr("All ranks"))

    def _show_ranks(self, ranks: RankSteps) -> None:
        from plugins.steps.ui.rankspage import RanksPage

        if self._ranks_page is None:
            return
        self.all_ranks = RanksPage(ranks)
        self.all_ranks.step_wanted.connect(self.show_step_of)
        self._ranks_page.show_page(self.all_ranks)

    def show_step_of(self, path: Path, step: str, part: str = "") -> None:
        """Show a step of a rank, and a part of it."""
        self._pending = {"step": step, "chosen": part, "tab": 0}
        if path != self.path:
            self.load(path)
        else:
            self._show_pending()

    def _show_pending(self) -> None:
        if self.pane is None or not self._pending:
            return
        state, self._pending = self._pending, {}
        names = self.pane.loaded.names
        row = names.index(str(state["step"])) if str(state.get("step")) in names else self.pane.row
        if "step" in state:
            self.pane.show_step(row, str(state.get("chosen", "")))
        if isinstance(state.get("row"), int):
            self.pane.show_step(state["row"], str(state.get("part", "")))
        if isinstance(state.get("tab"), int):
            self.pane.tabs.setCurrentIndex(state["tab"])

    def _tell(self, loaded: Loaded) -> None:
        table = loaded.breakdown.table
        count = len(table)
        known = table["stage_ns"].dropna()
        known = known if len(known) else table["span_ns"].dropna()
        parts = [trn("{n} training step", "{n} training steps", count)]
        if len(known):
            parts.append(tr("median {time}", time=format_ns(int(known.median()))))
            least, most = format_ns(int(known.min())), format_ns(int(known.max()))
            if count > 1:
                parts.append(tr("{low} to {high}", low=least, high=most))
        words = {
            "computed": tr("computed from the intervals on the device"),
            "published": tr("as the profiler published them"),
            "host": tr("only timed on the host"),
        }
        parts += [words[name] for name in _SOURCES if (table["source"] == name).any()]
        self.counts.setText("  ·  ".join(parts))

    # -- links --------------------------------------------------------------------------------
    def show_on_timeline(self) -> None:
        """Show what is selected on the timeline."""
        if self.pane is not None:
            self._reveal(self.pane.time())

    def _share(self, row: int, time: tuple[int, int] | None, ranges: Ranges | None) -> None:
        if self.pane is None:
            return
        with QSignalBlocker(self.steps):
            self.steps.setCurrentIndex(row)
        name = self.pane.loaded.names[row]
        start, end = time or (None, None)
        self.studio.select(
            item=self.pane.loaded.trace or self.path,
            step=int(name) if name.isdigit() else None,
            start_ns=start,
            end_ns=end,
            rows=frozenset(),
            ranges=ranges,
        )

    def _selected_elsewhere(self, selection: Selection) -> None:
        """Show the step that another view of the same profile selected, or a time in it."""
        pane, item = self.pane, selection.item
        if pane is None or item is None or selection.origin == self.studio.plugin:
            return
        if not self._is_mine(item):
            return
        if selection.start_ns is not None and selection.end_ns is not None:
            pane.show_moment(selection.start_ns, selection.end_ns)
        elif str(selection.step) in pane.loaded.names:
            with QSignalBlocker(pane):
                pane.show_step(pane.loaded.names.index(str(selection.step)))
        with QSignalBlocker(self.steps):
            self.steps.setCurrentIndex(pane.row)

    def _is_mine(self, item: Path | None) -> bool:
        return item is not None and (item == self.path or item.is_relative_to(self.path))

    def _reveal(self, time: tuple[int, int] | None) -> None:
        trace = self.pane.loaded.trace if self.pane is not None else None
        if trace is None:
            self.studio.notify(tr("{name} has no timeline.", name=self.path.name))
        elif time is None:
            self.studio.notify(tr("When this step ran is not recorded."))
        else:
            self.studio.reveal(Location.time(trace, *time))

    def _step_chosen(self, row: int) -> None:
        if self.pane is not None:
            self.pane.show_step(row)

    def _lay_out(self) -> None:
        self.steps.setAccessibleName(tr("Step"))
        self.steps.setToolTip(tr("The step that is shown"))
        self.steps.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.steps.activated.connect(self._step_chosen)
        self.tools.add_command(self.studio, "steps.timeline", text=True)
        self.tools.add_stretch()
        self._steps_action = self.tools.addWidget(self.steps)
        ranks = self.tools.addWidget(self.ranks)
        self.ranks.listed.connect(lambda count: ranks.setVisible(count > 1))
        self.ranks.chosen.connect(self.load)
        self.counts.setProperty("role", "count")
        self.counts.setContentsMargins(10, 2, 10, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tools, self.counts):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
