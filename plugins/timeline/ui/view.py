"""The centre view of a trace: loads it in the background, then shows the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from plugins.timeline.ui import emptypages
from plugins.timeline.ui.hub import Hub
from plugins.timeline.ui.sharing import Sharing
from plugins.timeline.ui.warming import draw_icons
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.loading import LoadingPage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QColor, QShowEvent

    from plugins.timeline.ui.opening import Opening
    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.scene import Scene
    from plugins.timeline.ui.state import TimelineState
    from studio.api import Studio
    from studio.kernel.jobs import Job
    from studio.model.frames import Frame
    from studio.model.locations import Location


_USUAL = "trace_view.json"
_OUTPUT = "ASCEND_PROFILER_OUTPUT"


class TimelineView(QWidget):
    """One trace in a tab."""

    title_changed = Signal(str)
    loaded = Signal()

    def __init__(self, studio: Studio, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.studio = studio
        self.path = path
        self.pane: TimelinePane | None = None
        self._pending: dict[str, Any] | None = None
        self._wanted: Location | None = None
        self._after: list[Callable[[], object]] = []
        self._job: Job | None = None
        self._opening: Opening | None = None
        self._whole: Scene | None = None
        self._loading = LoadingPage(path.name, self._cancel)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._loading)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._sharing = Sharing(self)
        self.load()

    # -- what the host asks for ---------------------------------------------------------------
    def title(self) -> str:
        """Name the tab: traces of a profile have all one name, so its folder stands beside."""
        if self.path.name != _USUAL:
            return self.path.name
        folder = self.path.parents[self.path.parent.name == _OUTPUT]
        return tr("{folder} · trace", folder=folder.name)

    def tool_tip(self) -> str:
        """Tell which file it is."""
        return str(self.path)

    def idle(self) -> bool:
        """Whether the trace is loaded and nothing moves."""
        if self._job or self._opening or not self._sharing.idle():
            return False
        return self.pane is None or self.pane.idle()

    def save_state(self) -> dict[str, Any]:
        """Return place, zoom, folding, marks and selection."""
        if self.pane is None:
            return self._pending or {}
        from plugins.timeline.ui.saved import keep, saved

        values = {**saved(self.pane), "python": self._whole is None}
        keep(self, values)
        return values

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state, once loaded."""
        self._pending = state
        if self.pane is not None:
            from plugins.timeline.ui.saved import restore

            restore(self.pane, state)
            self.show_python(bool(state.get("python", True)))

    def reveal(self, location: Location) -> bool:
        """Show a slice or a stretch of time, once loaded."""
        if location.kind != "slice" or location.path != self.path:
            return False
        self._wanted = location
        if self.pane is not None:
            self._show_wanted()
        return True

    def showEvent(self, event: QShowEvent) -> None:
        """Let panels follow the timeline that came to the front."""
        super().showEvent(event)
        self.studio.shared(Hub).follow(self)

    # -- loading ------------------------------------------------------------------------------
    def load(self) -> None:
        """Read the file, in a job."""
        self._pages.setCurrentWidget(self._loading)
        draw_icons(self)
        self._job = self.studio.start_job(
            "timeline:ui.loader.load_scene",
            {"path": self.path, "colouring": str(self.studio.setting("timeline.colours"))},
            title=tr("Reading {name}", name=self.path.name),
            key=f"load {self.path} {id(self)}",
            item=self.path,
            done=self._show,
            failed=self._fail,
        )
        self._loading.follow(self._job)

    def _show(self, scene: Scene) -> None:
        from plugins.timeline.ui.opening import Opening

        self._job = None
        if scene.groups:
            self._opening = Opening(self, scene)
            return
        self._loading.finish()
        self._replace(emptypages.nothing_read(self.path, scene.trace, self.load))

    def kept(self) -> dict[str, Any]:
        """What is to be shown again, once loaded."""
        from plugins.timeline.ui.saved import kept_lanes

        return {**kept_lanes(self), **(self._pending or {})}

    def show_pane(self, pane: TimelinePane) -> None:
        """Show a timeline that was made ready, instead of the page for loading."""
        from plugins.timeline.ui.saved import keep_lanes

        values, state = self.kept(), pane.state
        self._opening = self._pending = None
        self._loading.finish()
        self.studio.shared(Hub).forget(self)
        self.pane = pane
        self._replace(pane)
        self.setFocusProxy(pane)
        for signal in (state.selection_changed, state.hits_changed, state.marks.changed):
            signal.connect(self._sharing.changed)
        state.hover_changed.connect(self._sharing.hovered)
        if state.has_selection():
            self._sharing.changed()
        state.python_wanted.connect(self.show_python)
        if self._whole is None and values.get("python") is False:
            QTimer.singleShot(0, self, lambda: self.show_python(False))
        state.lanes.layout_changed.connect(lambda: keep_lanes(self))
        self._show_wanted()
        self._sharing.hear(self.studio.selection)
        for run in self._after:
            run()
        self._after = []
        self.loaded.emit()

    def show_python(self, shown: bool) -> None:
        """Show the frames of Python stacks among the slices, or leave them out."""
        if self.pane is None or shown == (self._whole is None):
            return
        self._pending = {**self.save_state(), "python": shown}
        if self._whole is not None:
            whole, self._whole = self._whole, None
            self._show(whole)
            return
        whole = self.scene

        def hidden(scene: Scene) -> None:
            self._whole = whole
            self._show(scene)

        self._job = self.studio.start_job(
            "timeline:ui.loader.without_python",
            {"scene": whole},
            title=tr("Leaving out Python stacks"),
            key=f"python {id(self)}",
            done=hidden,
        )

    def _fail(self, error: BaseException) -> None:
        self._job = None
        self._loading.finish()
        self._replace(emptypages.failed(self.studio, self.path, error, self.load))

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self._loading.finish()
        self._replace(emptypages.cancelled(self.path, self.load))

    def _replace(self, page: QWidget) -> None:
        while (old := self._pages.widget(1)) is not None:
            self._pages.removeWidget(old)
            old.deleteLater()
        self._pages.addWidget(page)
        self._pages.setCurrentWidget(page)

    # -- for details and commands -------------------------------------------------------------
    @property
    def state(self) -> TimelineState | None:
        """What is shown; None while loading."""
        return self.pane.state if self.pane is not None else None

    @property
    def scene(self) -> Scene:
        """The loaded trace, made ready; only once loaded."""
        return self.pane_now().state.scene

    def colour_of(self, slot: int) -> QColor:
        """Return the colour that slices of a slot have."""
        return self.pane_now().state.palette.fills[slot]

    def pane_now(self) -> TimelinePane:
        """Return what is shown; raises StudioError while the trace is being read."""
        if self.pane is None:
            raise StudioError(tr("{name} is still being read", name=self.path.name))
        return self.pane

    def when_loaded(self, run: Callable[[], object]) -> None:
        """Do something now, or once the trace is loaded."""
        if self.pane is not None:
            run()
        else:
            self._after.append(run)

    def run(self, action: str) -> None:
        """Do something by the name of its action; to step back from reading is to cancel it."""
        if self.pane is not None:
            self.pane.run(action)
        elif action == "clear" and self._job is not None:
            self._cancel()

    def go_to(self, index: int, *, keep_range: bool = False) -> None:
        """Select a slice and bring it into view."""
        if self.pane is not None:
            from plugins.timeline.ui.navigation import go_to

            go_to(self.pane.state, index, keep_range=keep_range)

    def zoom_to(self, index: int) -> None:
        """Let a slice fill most of the view."""
        if self.pane is not None and index >= 0:
            from plugins.timeline.ui.navigation import show_slice

            show_slice(self.pane.state, index, zoom=True)

    def show_lane(self, lane: int) -> None:
        """Scroll a lane into view."""
        if self.pane is not None:
            lanes = self.pane.state.lanes
            lanes.show_row(self.scene.trace.lanes[lane].first_row)

    def show_counter(self, number: int) -> None:
        """Bring the lane of a counter into view."""
        if self.pane is not None:
            self.pane.state.lanes.show_track("counter", number)

    def search_name(self, name: str) -> None:
        """Search all slices of a name."""
        if self.pane is not None:
            self.pane.search.look_for(name)

    def go_to_source(self) -> None:
        """Open the source line that the selected slice comes from."""
        if self.pane is None or self.pane.state.selected < 0:
            self.studio.notify(tr("Select a slice first"))
            return
        from plugins.timeline.ui.sources import Sources

        Sources(self.studio).open_for(self, self.pane.state.selected)

    def open_frame(self, frame: Frame) -> bool:
        """Open the source line of one frame."""
        from plugins.timeline.ui.sources import Sources

        return Sources(self.studio).open_frame(frame)

    def start_search(
        self, function: str, arguments: dict[str, object], done: Callable[[Any], object]
    ) -> object:
        """Start a job that a newer one of this view replaces."""
        return self.studio.start_job(
            function, arguments, title=tr("Searching"), key=f"search {id(self)}", done=done
        )

    def _show_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None or self.pane is None:
            return
        from plugins.timeline.ui.navigation import show_location

        show_location(self.pane.state, wanted)
