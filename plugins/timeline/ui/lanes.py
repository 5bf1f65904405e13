"""The lanes of a timeline from top to bottom: where they are, folded, pinned, hidden, filtered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from plugins.timeline.ui.arrangement import Arranged, Arrangement, arrange
from plugins.timeline.ui.layout import Band, Layout, group_of_row, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from plugins.timeline.ui.layout import Group

_MOST_PINNED = 0.7
"""Pinned lanes stay in place as long as they leave some of the height to the others."""


class Lanes(QObject):
    """Turns heights on the screen into bands and back; pinned lanes do not scroll."""

    layout_changed = Signal()
    scroll_changed = Signal()

    def __init__(
        self,
        groups: Sequence[Group],
        folded: AbstractSet[str],
        compact: AbstractSet[str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.groups = groups
        self.folded = set(folded)
        self.compact = set(compact)
        self._folded_among_filtered: set[str] = set()
        self.arrangement = Arrangement()
        self.scroll = 0
        self.height = 400
        self.arranged: Arranged
        self.layout: Layout
        self._lay_out()

    # -- where things are ---------------------------------------------------------------------
    @property
    def sticky(self) -> int:
        """The height of the pinned lanes, which stay at the top."""
        pinned = self.layout.pinned_height
        return pinned if pinned <= self.height * _MOST_PINNED else 0

    def y(self, band: Band) -> int:
        """The height on the screen at which a band begins."""
        return band.top - (0 if band.pinned and self.sticky else self.scroll)

    def row_y(self, band: Band, row: int) -> int:
        """The height on the screen at which a row of a band begins."""
        return self.y(band) + band.row_top(row) - band.top

    def at(self, y: int) -> Band | None:
        """The band at a height on the screen."""
        return self.layout.at(y if y < self.sticky else y + self.scroll)

    def row_at(self, y: int) -> int:
        """The row at a height on the screen; -1 for none."""
        band = self.at(y)
        return -1 if band is None else band.row_at(y - self.y(band) + band.top)

    def shown(self) -> Iterator[Band]:
        """The bands on the screen: first those that scroll, then the pinned ones over them."""
        sticky = self.sticky
        yield from (
            band
            for band in self.layout.between(self.scroll + sticky, self.scroll + self.height)
            if not (band.pinned and sticky)
        )
        if sticky:
            yield from self.layout.between(0, sticky)

    def clip(self, band: Band) -> int:
        """The height on the screen above which nothing of a band may be drawn."""
        return 0 if band.pinned else self.sticky

    # -- scrolling ----------------------------------------------------------------------------
    def scroll_to(self, y: int) -> None:
        """Bring the height `y` of the layout to the top."""
        y = max(0, min(y, self.layout.height - self.height))
        if y != self.scroll:
            self.scroll = y
            self.scroll_changed.emit()

    def resize(self, height: int) -> None:
        """Take the height of the lane area."""
        self.height = max(height, 1)
        self.scroll_to(self.scroll)

    def show_band(self, band: Band) -> None:
        """Scroll a band into view."""
        top = self.y(band)
        if not band.pinned and (top < self.sticky or top + min(band.height, 60) > self.height):
            self.scroll_to(band.top - self.sticky - (self.height - self.sticky) // 3)

    def show_row(self, row: int) -> None:
        """Unfold and bring back what hides a row, and scroll it into view."""
        band = self.layout.band_of_row(row)
        if band is None:
            found = group_of_row(self.groups, row)
            if found is None:
                return
            group, track = found
            if {group.key, track.key} & self.arrangement.hidden or self.arrangement.text:
                self.rearrange(self.arrangement.show([group.key, track.key]))
            self.fold([group.key], False)
            band = self.layout.band_of_row(row)
        if band is not None and not (band.pinned and self.sticky):
            top = self.row_y(band, row)
            if not self.sticky <= top <= self.height - 2 * band.row_height:
                room = self.height - self.sticky
                self.scroll_to(top + self.scroll - self.sticky - room // 3)

    def show_track(self, kind: str, number: int) -> None:
        """Unfold and bring back what hides a track, and scroll it into view."""
        for group in self.groups:
            for track in group.tracks:
                if (track.kind, track.number) == (kind, number):
                    self.rearrange(self.arrangement.show([group.key, track.key]))
                    self.fold([group.key], False)
                    band = self.layout.band_of(track.key)
                    if band is not None:
                        self.show_band(band)

    # -- folding ------------------------------------------------------------------------------
    def fold(self, keys: Iterable[str], folded: bool) -> None:
        """Fold or unfold processes (to their heading) and lanes (to low rows)."""
        chosen = set(keys)
        groups = {group.key for group in self.groups}
        headings = self._headings()
        for target, part in ((headings, chosen & groups), (self.compact, chosen - groups)):
            if folded:
                target |= part
            else:
                target -= part
        self._lay_out()

    def toggle(self, band: Band) -> None:
        """Fold or unfold one band; the band stays where it is on the screen."""
        self.fold([band.key], not band.folded)

    def fold_all(self, folded: bool) -> None:
        """Fold all processes to their headings, or unfold them."""
        self.fold([group.key for group in self.groups], folded)

    def low_rows(self, low: bool) -> None:
        """Give all lanes of several rows low rows, or full ones."""
        self.fold((t.key for g in self.groups for t in g.tracks if t.rows > 1), low)

    # -- arranging ----------------------------------------------------------------------------
    def rearrange(self, arrangement: Arrangement) -> None:
        """Pin, hide, move and filter as wanted."""
        if arrangement != self.arrangement:
            if arrangement.text != self.arrangement.text:
                self._folded_among_filtered = set()
            self.arrangement = arrangement
            self._lay_out()

    def pin(self, key: str, on: bool) -> None:
        """Keep a lane in sight at the top, or put it back."""
        self.rearrange(self.arrangement.pin(key, on))

    def hide(self, keys: Iterable[str]) -> None:
        """Take lanes or processes out of sight."""
        self.rearrange(self.arrangement.hide(keys))

    def show_hidden(self) -> None:
        """Bring back all that was hidden."""
        self.rearrange(replace(self.arrangement, hidden=frozenset()))

    def filter(self, text: str) -> None:
        """Show only lanes that contain all words of a text."""
        self.rearrange(replace(self.arrangement, text=text.strip()))

    def move(self, key: str, before: str) -> None:
        """Put a lane or process before another of its kind; "" puts it last."""
        self.rearrange(self.arrangement.move(self.groups, key, before))

    def step(self, band: Band, down: bool) -> None:
        """Move a lane or process one place up or down among its siblings."""
        keys = self.siblings(band)
        place = keys.index(band.key) + (1 if down else -1)
        if 0 <= place < len(keys):
            after = keys[place + 1] if place + 1 < len(keys) else ""
            self.move(band.key, after if down else keys[place])

    def siblings(self, band: Band) -> list[str]:
        """The keys of the bands among which one can be moved, as they stand."""
        if band.pinned:
            return [track.key for _, track in self.arranged.pinned]
        if band.track is None:
            return [group.key for group in self.arranged.groups]
        return [track.key for track in band.group.tracks]

    def drop_before(self, band: Band, y: int) -> str:
        """The key of the sibling above which a lane dropped at a height lands; "" at the end."""
        for key in self.siblings(band):
            other = self.layout.band_of(key)
            if other is not None and y < (self.y(other) + self._bottom(other)) / 2:
                return key
        return ""

    def reset(self) -> None:
        """Let all lanes stand as in the trace; a filter stays."""
        self.rearrange(Arrangement(text=self.arrangement.text))

    def _bottom(self, band: Band) -> int:
        """Where a band ends on the screen; for a heading, where its process does."""
        if band.track is not None:
            return self.y(band) + band.height
        inside = (b for b in self.layout.bands if b.group.key == band.key and not b.pinned)
        return max(self.y(b) + b.height for b in inside)

    def _headings(self) -> set[str]:
        """The folded processes; a filter shows what it finds in folded ones, too."""
        return self._folded_among_filtered if self.arrangement.text else self.folded

    def _lay_out(self) -> None:
        arranged = self.arranged = arrange(self.groups, self.arrangement)
        self.layout = lay_out(arranged.groups, self._headings(), self.compact, arranged.pinned)
        self.layout_changed.emit()
        self.scroll_to(self.scroll)
