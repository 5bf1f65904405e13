"""The timeline's part in the shared selection, and what its panels follow."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from plugins.timeline.ui.hub import DETAILS, Hub
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from plugins.timeline.core.steps import Steps
    from plugins.timeline.ui.scene import Hits
    from plugins.timeline.ui.view import TimelineView
    from studio.model.locations import Location
    from studio.model.ranges import Ranges
    from studio.model.selection import Pointed, Selection

_WAIT = 30


class Sharing(QObject):
    """Tells others of the selection in a view, and the view of theirs."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self._view = view
        self._source: Location | None = None
        self._lit: Hits | None = None
        self._told: int | None = None
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._tell)
        connection = view.studio.selection_changed.connect(self.hear)
        pointed = view.studio.pointed.connect(self._point)
        for each in (connection, pointed):
            view.destroyed.connect(each.disconnect)

    def hovered(self) -> None:
        """Another time is under the pointer."""
        state = self._view.state
        if state is not None and state.cursor != self._told:
            self._told = state.cursor
            self._view.studio.point(self._view.path, state.cursor)

    def changed(self) -> None:
        """The selection in the view changed; others are told a moment later, once."""
        self._soon.start()

    def idle(self) -> bool:
        """Whether others were told."""
        return not self._soon.isActive()

    def hear(self, selection: Selection) -> None:
        """Show the stretch of time that another view of the same profile selected."""
        view = self._view
        state = view.state
        if state is None or selection.origin == view.studio.plugin:
            return
        if selection.source is not None and selection.source != self._source:
            self._show_source(selection.source)
        self._source = selection.source
        chosen = _time_of(selection, state.scene.steps) if self._is_meant(selection) else None
        if chosen is None:
            state.set_shared(None)
            return
        state.set_shared(chosen, selection.ranges)
        start, end = state.shown()
        if chosen[1] < start or chosen[0] > end:
            state.go(state.around(*chosen, 1.0))

    def _point(self, pointed: Pointed) -> None:
        """Draw a line at the time that the pointer is at in another view of the same profile."""
        view = self._view
        if view.state is not None and pointed.origin != view.studio.plugin:
            mine = pointed.item in (view.path, *view.path.parents)
            view.state.show_pointed(pointed.time_ns if mine else None)

    def _is_meant(self, selection: Selection) -> bool:
        """Whether it is of the same profile, or of a folder of profiles and names this rank."""
        item, path = selection.item, self._view.path
        if item is None:
            return False
        if item.parent == path.parent:
            return True
        ranks = selection.ranks
        return path.is_relative_to(item) and (not ranks or bool(ranks & self._ranks))

    def _show_source(self, source: Location) -> None:
        """Light up what a line that was selected elsewhere did, unless the user searches."""
        from plugins.timeline.ui.sources import hits_of_line

        pane = self._view.pane_now()
        hits = hits_of_line(self._view, source)
        if hits is not None and (not pane.search.active() or pane.state.hits is self._lit):
            self._lit = hits
            pane.search.show_found(hits)

    @cached_property
    def _ranks(self) -> frozenset[int]:
        """The rank of the trace, if the profile tells it."""
        from studio.formats.profile_info import rank_of

        try:
            rank = rank_of(self._view.path)
        except (StudioError, OSError):
            rank = None
        return frozenset() if rank is None else frozenset({rank})

    def _tell(self) -> None:
        from plugins.timeline.ui.sources import line_of_slice

        view, state = self._view, self._view.state
        if state is None:
            return
        time: tuple[int, int] | tuple[None, None] = (None, None)
        rows: frozenset[str] = frozenset()
        source = None
        if state.selected >= 0:
            source = line_of_slice(view, state.selected)
            start = int(state.scene.trace.start[state.selected])
            time = (start, start + int(state.scene.trace.duration[state.selected]))
            rows = frozenset({state.scene.key_of(state.selected)})
        if state.instant >= 0:
            at = int(state.scene.trace.instants.time[state.instant])
            time = (at, at)
        if state.range is not None:
            time = state.range
        bands = self._bands(time)
        state.set_shared(None, bands)
        step = next((s for s in state.scene.steps.all if (s.start, s.end) == time), None)
        view.studio.select(
            item=view.path,
            start_ns=time[0],
            end_ns=time[1],
            rows=rows,
            step=None if step is None else step.number,
            ranks=self._ranks,
            source=source,
            ranges=bands,
        )
        self._source = source
        self._show_details()

    def _bands(self, time: tuple[int | None, int | None]) -> Ranges | None:
        """What another view selected together, while one of those or the whole is selected here."""
        state = self._view.state
        bands = None if state is None else state.bands
        start, end = time
        if bands is None or start is None or end is None:
            return None
        return bands if bands.hold(start, end) else None

    def _show_details(self) -> None:
        window, state = self._view.studio.window, self._view.state
        hub = self._view.studio.shared(Hub)
        chosen = state is not None and state.has_selection()
        seen = any(panel.isVisible() for panel in hub.panels)
        if window is not None and chosen and not seen:
            window.show_panel(DETAILS)
        hub.follow(self._view)


def _time_of(selection: Selection, steps: Steps) -> tuple[int, int] | None:
    """The stretch of time that a selection means: its own, else that of its step."""
    if selection.start_ns is not None and selection.end_ns is not None:
        return selection.start_ns, max(selection.end_ns, selection.start_ns + 1)
    step = next((step for step in steps.all if step.number == selection.step), None)
    return None if step is None else (step.start, step.end)
