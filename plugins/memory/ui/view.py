"""The centre view of a memory record: reads it in the background, then shows the chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.loading import LoadingPage
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.memory.ui.loader import Prepared
    from plugins.memory.ui.pane import MemoryPane
    from studio.api import Studio
    from studio.kernel.jobs import Job
    from studio.model.selection import Selection


class MemoryView(QWidget):
    """One memory record in a tab."""

    title_changed = Signal(str)

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = path
        self.pane: MemoryPane | None = None
        self._pending: dict[str, Any] = {}
        self._job: Job | None = None
        self._loading = LoadingPage(path.name, self._cancel)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._loading)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        connection = studio.selection_changed.connect(self._selected_elsewhere)
        self.destroyed.connect(connection.disconnect)
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
        return self._job is None and (self.pane is None or self.pane.idle())

    def save_state(self) -> dict[str, Any]:
        """Return the time in view, the unit, and what is hidden."""
        return self._pending if self.pane is None else self.pane.save_state()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state, once loaded."""
        self._pending = dict(state)
        if self.pane is not None:
            self.pane.restore_state(self._pending)

    # -- loading ------------------------------------------------------------------------------
    def load(self) -> None:
        """Read the file, in a job."""
        self._pages.setCurrentWidget(self._loading)
        self._job = self.studio.start_job(
            "memory:ui.loader.load_memory",
            {"path": self.path},
            title=tr("Reading {name}", name=self.path.name),
            key=f"load {self.path} {id(self)}",
            item=self.path,
            done=self._show,
            failed=self._fail,
        )
        self._loading.follow(self._job)

    def _show(self, prepared: Prepared) -> None:
        memory, envelopes = prepared
        self._job = None
        self._loading.finish()
        if not memory.curves:
            self._message(
                "memory",
                tr("{name} holds no memory values", name=self.path.name),
                tr("Record with profile_memory=True; the table of this run is empty."),
            )
            return
        from plugins.memory.ui.pane import MemoryPane

        self.pane = MemoryPane(memory, envelopes, str(self.studio.setting("memory.unit")))
        self.pane.range_selected.connect(self._range_selected)
        self.pane.timeline_wanted.connect(self.show_timeline)
        self._replace(self.pane)
        self.setFocusProxy(self.pane)
        self.pane.restore_state(self._pending)
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
        again = Action(tr("Read again"), self.load, "refresh")
        self._replace(EmptyState(icon, title, text, [again]))

    def _replace(self, page: QWidget) -> None:
        while (old := self._pages.widget(1)) is not None:
            self._pages.removeWidget(old)
            old.deleteLater()
        self._pages.addWidget(page)
        self._pages.setCurrentWidget(page)

    # -- links --------------------------------------------------------------------------------
    def show_timeline(self) -> None:
        """Open the timeline of the same profile."""
        trace = self.path.with_name("trace_view.json")
        if trace.exists():
            self.studio.open(trace)
        else:
            self.studio.notify(
                tr("There is no trace_view.json beside {name}.", name=self.path.name)
            )

    def _range_selected(self, chosen: tuple[int, int] | None) -> None:
        start, end = chosen or (None, None)
        self.studio.select(item=self.path, start_ns=start, end_ns=end, rows=frozenset())

    def _selected_elsewhere(self, selection: Selection) -> None:
        """Show the stretch of time that another view of the same profile selected."""
        if self.pane is None or selection.origin == self.studio.plugin:
            return
        same = selection.item is not None and selection.item.parent == self.path.parent
        if same and selection.start_ns is not None and selection.end_ns is not None:
            self.pane.chart.set_range((selection.start_ns, selection.end_ns))
        else:
            self.pane.chart.set_range(None)
