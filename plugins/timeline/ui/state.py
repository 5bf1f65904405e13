"""What a timeline shows right now; its widgets paint it and change it through here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from plugins.timeline.ui.history import History
from plugins.timeline.ui.lanes import Lanes
from plugins.timeline.ui.marks import Marks
from plugins.timeline.ui.palette import Palette, make_palette
from plugins.timeline.ui.viewport import Viewport
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from plugins.timeline.ui.scene import Hits, Scene
    from studio.model.ranges import Ranges

Range = tuple[int, int]
"""A stretch of time, `[start, end)` in nanoseconds."""

Area = frozenset[str]
"""Keys of the tracks that a selection is limited to."""


class TimelineState(QObject):
    """View, selection, folding, marks and search of one timeline."""

    view_changed = Signal()
    selection_changed = Signal()
    decoration_changed = Signal()
    hits_changed = Signal()
    hover_changed = Signal()
    palette_changed = Signal()
    python_wanted = Signal(bool)

    def __init__(self, scene: Scene, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scene = scene
        self.lanes = Lanes(scene.groups, scene.folded, scene.compact, self)
        self.width = 800
        self.viewport = Viewport.over(*scene.first_view, self.width, margin=0.01)
        self.selected = -1
        self.instant = -1
        self.measured = -1
        self.measure_from = -1
        self.range: Range | None = None
        self.area: Area | None = None
        self.shared: Range | None = None
        self.bands: Ranges | None = None
        self.marks = Marks(self)
        self.history = History()
        self.hits: Hits | None = None
        self.hover_slice = -1
        self.cursor: int | None = None
        self.pointed: int | None = None
        self.muted: frozenset[int] = frozenset()
        self.all_flows = False
        self.flows_off: frozenset[str] = frozenset()
        self.bounds: Range = (scene.start, scene.end)
        self.palette: Palette = make_palette(current_theme())
        self.glide: Callable[[Viewport], object] | None = None
        self.marks.changed.connect(self.decoration_changed)

    # -- time ---------------------------------------------------------------------------------
    def show_view(self, viewport: Viewport) -> None:
        """Show another part of time, held to the trace's bounds; a small step of a movement."""
        held = viewport.within(*self.bounds, self.width)
        if held != self.viewport:
            self.history.leave(self.viewport)
            self.set_view(held)

    def go(self, viewport: Viewport) -> None:
        """Move to another part of time, gliding there when someone animates the state."""
        held = viewport.within(*self.bounds, self.width)
        if held != self.viewport:
            self.history.leave(self.viewport, jump=True)
            self._move(held)

    def go_back(self) -> None:
        """Return to the view before the last movement."""
        view = self.history.back()
        if view is not None:
            self._move(view.within(*self.bounds, self.width))

    def set_view(self, viewport: Viewport) -> None:
        """Show a part of time without remembering the present one."""
        if viewport != self.viewport:
            self.viewport = viewport
            self.view_changed.emit()

    def _move(self, viewport: Viewport) -> None:
        if self.glide is None:
            self.set_view(viewport)
        else:
            self.glide(viewport)

    def shown(self) -> Range:
        """The time that is in view."""
        return self.viewport.start, self.viewport.end(self.width)

    def whole(self) -> Viewport:
        """The view of the whole trace."""
        return Viewport.over(*self.bounds, self.width, margin=0.01)

    def around(self, start: int, end: int, margin: float = 0.1) -> Viewport:
        """The view that shows a stretch of time with some room at its sides."""
        return Viewport.over(start, end, self.width, margin).within(*self.bounds, self.width)

    def include_outliers(self) -> None:
        """Let the view reach the events that lie far from all others."""
        self.bounds = (self.scene.trace.start_ns, self.scene.trace.end_ns)
        self.show_view(self.whole())
        self.view_changed.emit()

    def resize(self, width: int, height: int) -> None:
        """Take the size of the lane area in logical pixels; the time at both edges stays."""
        width = max(width, 1)
        if width != self.width:
            factor = self.width / width
            self.width = width
            self.set_view(self.viewport.zoomed(factor, 0).within(*self.bounds, width))
        self.lanes.resize(height)

    # -- selection and decoration -------------------------------------------------------------
    def select(self, index: int, *, keep_range: bool = False) -> None:
        """Select one slice, -1 for none; instead of a stretch of time, or as one of those in it."""
        dropped = index >= 0 and not keep_range and self.range is not None
        if index != self.selected or dropped or self.instant >= 0:
            self.selected, self.instant = index, -1
            self.measured = self.measure_from if self.measure_from != index >= 0 else -1
            if dropped:
                self.range = self.area = None
            self.selection_changed.emit()

    def select_range(self, chosen: Range | None, area: Area | None = None) -> None:
        """Select a stretch of time (instead of a slice), over some tracks or all."""
        area = None if chosen is None else area
        if (chosen, area) != (self.range, self.area):
            self.range, self.area = chosen, area
            if chosen is not None:
                self.selected = self.instant = self.measured = -1
            self.selection_changed.emit()

    def select_instant(self, number: int) -> None:
        """Select one event without duration (by its place in the trace) instead of all else."""
        if number != self.instant:
            self.instant = number
            self.selected = self.measured = -1
            self.range = self.area = None
            self.selection_changed.emit()

    def has_selection(self) -> bool:
        """Whether a slice, an instant or a stretch of time is selected."""
        return self.selected >= 0 or self.instant >= 0 or self.range is not None

    def measure(self, index: int) -> None:
        """Measure from the selected slice to another; -1 ends it."""
        if index < 0:
            self.measure_from = -1
        if index != self.measured and (index < 0 or index != self.selected >= 0):
            self.measured = index
            self.selection_changed.emit()

    def begin_measure(self) -> None:
        """Measure from the selected slice to whichever is selected next."""
        self.measure_from = self.selected
        self.measured = -1
        self.selection_changed.emit()

    def area_lanes(self) -> list[int] | None:
        """The lanes of slices that the selection is limited to; None for all."""
        if self.area is None:
            return None
        tracks = [track for group in self.scene.groups for track in group.tracks]
        return [t.number for t in tracks if t.key in self.area and t.kind == "slices"]

    def area_counters(self) -> list[int] | None:
        """The counters that the selection is limited to; None for all."""
        if self.area is None:
            return None
        tracks = [track for group in self.scene.groups for track in group.tracks]
        return [t.number for t in tracks if t.key in self.area and t.kind == "counter"]

    def set_shared(self, chosen: Range | None, bands: Ranges | None = None) -> None:
        """Show the stretch of time that another view has selected, and all that belong to it."""
        if (chosen, bands) != (self.shared, self.bands):
            self.shared, self.bands = chosen, bands
            self.decoration_changed.emit()

    def set_hits(self, hits: Hits | None) -> None:
        """Show what a search found; everything else is dimmed."""
        self.hits = hits
        self.decoration_changed.emit()
        self.hits_changed.emit()

    def hover(self, index: int, cursor: int | None) -> None:
        """Remember what is under the pointer."""
        if (index, cursor) != (self.hover_slice, self.cursor):
            self.hover_slice, self.cursor = index, cursor
            self.hover_changed.emit()

    def show_pointed(self, time: int | None) -> None:
        """Remember the time that the pointer is at in another view."""
        if time != self.pointed:
            self.pointed = time
            self.hover_changed.emit()

    def mute(self, slots: frozenset[int]) -> None:
        """Dim the slices that have the colours of some slots."""
        self.muted = slots
        self.renew_palette()

    def show_all_flows(self, shown: bool) -> None:
        """Draw all flows in view, not only those of the selected slice."""
        self.all_flows = shown
        self.decoration_changed.emit()

    def show_flow_category(self, category: str, shown: bool) -> None:
        """Draw the flows of a category, or leave them out."""
        self.flows_off = self.flows_off - {category} if shown else self.flows_off | {category}
        self.decoration_changed.emit()

    def flows_in_view(self) -> NDArray[np.int64]:
        """The flows that are drawn when all are wanted: those that begin in view."""
        flows = self.scene.flows
        return flows.without(flows.starting(*self.shown()), self.flows_off)

    def renew_palette(self) -> None:
        """Take the colours of the current theme."""
        self.palette = make_palette(current_theme(), self.muted)
        self.palette_changed.emit()
