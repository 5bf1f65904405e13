"""What a timeline shows right now; its widgets paint it and change it through here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from plugins.timeline.ui.layout import Band, Layout, lay_out
from plugins.timeline.ui.palette import Palette, make_palette
from plugins.timeline.ui.viewport import Viewport
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plugins.timeline.ui.scene import Hits, Scene

Range = tuple[int, int]
"""A stretch of time, `[start, end)` in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of time the user wants to keep in sight."""

    start: int
    end: int
    number: int


class TimelineState(QObject):
    """View, selection, folding, marks and search of one timeline."""

    view_changed = Signal()
    layout_changed = Signal()
    scroll_changed = Signal()
    selection_changed = Signal()
    decoration_changed = Signal()
    hover_changed = Signal()
    palette_changed = Signal()

    def __init__(self, scene: Scene, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scene = scene
        self.width = 800
        self.height = 400
        self.viewport = Viewport.over(*scene.first_view, self.width, margin=0.01)
        self.folded = set(scene.folded)
        self.compact = set(scene.compact)
        self.layout_: Layout = lay_out(scene.groups, self.folded, self.compact)
        self.scroll = 0
        self.selected = -1
        self.range: Range | None = None
        self.shared: Range | None = None
        self.marks: tuple[Mark, ...] = ()
        self.hits: Hits | None = None
        self.hover_slice = -1
        self.cursor: int | None = None
        self.muted: frozenset[str] = frozenset()
        self.all_flows = False
        self.bounds: Range = (scene.start, scene.end)
        self.palette: Palette = make_palette(current_theme())
        self.glide: Callable[[Viewport], object] | None = None

    # -- time ---------------------------------------------------------------------------------
    def show_view(self, viewport: Viewport) -> None:
        """Show another part of time, held to the trace's bounds."""
        held = viewport.within(*self.bounds, self.width)
        if held != self.viewport:
            self.viewport = held
            self.view_changed.emit()

    def go(self, viewport: Viewport) -> None:
        """Move to another part of time, gliding there when someone animates the state."""
        held = viewport.within(*self.bounds, self.width)
        if self.glide is None:
            self.show_view(held)
        else:
            self.glide(held)

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
        width, height = max(width, 1), max(height, 1)
        if width != self.width:
            factor = self.width / width
            self.width = width
            self.show_view(self.viewport.zoomed(factor, 0))
        self.height = height
        self.scroll_to(self.scroll)

    # -- lanes --------------------------------------------------------------------------------
    def scroll_to(self, y: int) -> None:
        """Bring the height `y` of the layout to the top."""
        y = max(0, min(y, self.layout_.height - self.height))
        if y != self.scroll:
            self.scroll = y
            self.scroll_changed.emit()

    def fold(self, keys: Iterable[str], folded: bool) -> None:
        """Fold or unfold processes (to their heading) and lanes (to low rows)."""
        chosen = set(keys)
        groups = {group.key for group in self.scene.groups}
        for target, part in ((self.folded, chosen & groups), (self.compact, chosen - groups)):
            if folded:
                target |= part
            else:
                target -= part
        self._lay_out()

    def toggle(self, band: Band) -> None:
        """Fold or unfold one band; the band stays where it is on the screen."""
        self.fold([band.key], not band.folded)

    def show_row(self, row: int) -> None:
        """Unfold what hides a row and scroll it into view."""
        band = self.layout_.band_of_row(row)
        if band is None:
            group = self.layout_.group_of_row(self.scene.groups, row)
            if group is None:
                return
            self.fold([group.key], False)
            band = self.layout_.band_of_row(row)
        if band is not None and band.track is not None:
            top = band.row_top(row)
            if not self.scroll <= top <= self.scroll + self.height - 2 * band.row_height:
                self.scroll_to(top - self.height // 3)

    # -- selection and decoration -------------------------------------------------------------
    def select(self, index: int) -> None:
        """Select one slice (instead of a stretch of time), -1 for none."""
        if index != self.selected:
            self.selected = index
            if index >= 0:
                self.range = None
            self.selection_changed.emit()

    def select_range(self, chosen: Range | None) -> None:
        """Select a stretch of time over all lanes (instead of a slice)."""
        if chosen != self.range:
            self.range = chosen
            if chosen is not None:
                self.selected = -1
            self.selection_changed.emit()

    def set_shared(self, chosen: Range | None) -> None:
        """Show the stretch of time that another view has selected."""
        if chosen != self.shared:
            self.shared = chosen
            self.decoration_changed.emit()

    def add_mark(self, start: int, end: int) -> None:
        """Keep a stretch of time in sight; the same stretch again removes its mark."""
        kept = tuple(mark for mark in self.marks if (mark.start, mark.end) != (start, end))
        if len(kept) == len(self.marks):
            number = max((mark.number for mark in self.marks), default=0) + 1
            kept = (*self.marks, Mark(start, end, number))
        self.marks = kept
        self.decoration_changed.emit()

    def set_hits(self, hits: Hits | None) -> None:
        """Show what a search found; everything else is dimmed."""
        self.hits = hits
        self.decoration_changed.emit()

    def hover(self, index: int, cursor: int | None) -> None:
        """Remember what is under the pointer."""
        if (index, cursor) != (self.hover_slice, self.cursor):
            self.hover_slice, self.cursor = index, cursor
            self.hover_changed.emit()

    def mute(self, kinds: frozenset[str]) -> None:
        """Dim some kinds of work."""
        self.muted = kinds
        self.renew_palette()

    def show_all_flows(self, shown: bool) -> None:
        """Draw all flows in view, not only those of the selected slice."""
        self.all_flows = shown
        self.decoration_changed.emit()

    def renew_palette(self) -> None:
        """Take the colours of the current theme."""
        self.palette = make_palette(current_theme(), self.muted)
        self.palette_changed.emit()

    def _lay_out(self) -> None:
        self.layout_ = lay_out(self.scene.groups, self.folded, self.compact)
        self.layout_changed.emit()
        self.scroll_to(self.scroll)
