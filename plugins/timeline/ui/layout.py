"""Where everything lies from top to bottom: pinned lanes, headings, lanes, counters."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

HEADING = 26
ROW = 18
COMPACT_ROW = 4
COUNTER = 40
TICKS = 16
GAP = 5
PINNED_EDGE = 4
"""Room under the pinned lanes, for the line that sets them off."""

BandKind = Literal["process", "slices", "counter", "instants"]


@dataclass(frozen=True, slots=True)
class Track:
    """One lane as the trace has it: what kind, which number there, and its rows.

    `words` is what a filter looks at, beside the title: the categories of its slices.
    """

    kind: BandKind
    number: int
    key: str
    title: str
    first_row: int = 0
    rows: int = 1
    words: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """One process with its tracks."""

    key: str
    title: str
    labels: str
    tracks: tuple[Track, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """One stretch of the picture from `top` on; a heading or a track."""

    kind: BandKind
    top: int
    height: int
    group: Group
    track: Track | None = None
    row_height: int = ROW
    folded: bool = False
    pinned: bool = False

    @property
    def bottom(self) -> int:
        """The first pixel below."""
        return self.top + self.height

    @property
    def key(self) -> str:
        """What is folded when this band is."""
        return self.group.key if self.track is None else self.track.key

    @property
    def title(self) -> str:
        """The name of the lane, with its process where that is not told by a heading above."""
        if self.track is None:
            return self.group.title
        return f"{self.group.title} · {self.track.title}" if self.pinned else self.track.title

    @property
    def first(self) -> bool:
        """Whether it follows right after its heading."""
        return self.track is not None and not self.pinned and self.track is self.group.tracks[0]

    def row_at(self, y: int) -> int:
        """Return the row (of all rows) at a height within the band, or -1 in its gap."""
        if self.track is None or self.kind != "slices":
            return -1
        depth = (y - self.top) // self.row_height
        return self.track.first_row + depth if 0 <= depth < self.track.rows else -1

    def row_top(self, row: int) -> int:
        """Return the height at which a row of this band begins."""
        first = self.track.first_row if self.track else 0
        return self.top + (row - first) * self.row_height


@dataclass(frozen=True)
class Layout:
    """All bands, in order; heights in logical pixels from the top of the first.

    The first `pinned_height` pixels are the pinned lanes.
    """

    bands: tuple[Band, ...]
    height: int
    pinned_height: int
    _tops: list[int] = field(repr=False)
    _by_row: list[tuple[int, Band]] = field(repr=False)

    def at(self, y: int) -> Band | None:
        """Return the band at a height."""
        if not self.bands or y < 0 or y >= self.height:
            return None
        return self.bands[bisect_right(self._tops, y) - 1]

    def between(self, top: int, bottom: int) -> Iterator[Band]:
        """Give the bands that reach into `[top, bottom)`."""
        index = max(bisect_right(self._tops, top) - 1, 0)
        while index < len(self.bands) and self.bands[index].top < bottom:
            if self.bands[index].bottom > top:
                yield self.bands[index]
            index += 1

    def band_of_row(self, row: int) -> Band | None:
        """Return the band that shows a row; None when its process is folded."""
        place = bisect_right(self._by_row, row, key=lambda entry: entry[0]) - 1
        if place < 0:
            return None
        band = self._by_row[place][1]
        track = band.track
        return band if track and row < track.first_row + track.rows else None

    def band_of(self, key: str) -> Band | None:
        """Return the band of a track or process."""
        return next((band for band in self.bands if band.key == key), None)


def group_of_row(groups: Sequence[Group], row: int) -> tuple[Group, Track] | None:
    """Return the process and track a row belongs to, shown or not."""
    for group in groups:
        for track in group.tracks:
            if track.kind == "slices" and 0 <= row - track.first_row < track.rows:
                return group, track
    return None


def lay_out(
    groups: Sequence[Group],
    folded: AbstractSet[str],
    compact: AbstractSet[str],
    pinned: Sequence[tuple[Group, Track]] = (),
) -> Layout:
    """Stack the pinned tracks, then the groups.

    Groups in `folded` are headings only, tracks in `compact` have low rows.
    """
    bands: list[Band] = []
    top = 0
    for group, track in pinned:
        bands.append(_band(top, group, track, compact, pinned=True))
        top += bands[-1].height
    top += PINNED_EDGE if pinned else 0
    pinned_height = top
    for group in groups:
        hidden = group.key in folded
        bands.append(Band("process", top, HEADING, group, folded=hidden))
        top += HEADING
        for track in () if hidden else group.tracks:
            bands.append(_band(top, group, track, compact))
            top += bands[-1].height
    by_row = [(b.track.first_row, b) for b in bands if b.track and b.kind == "slices"]
    by_row.sort(key=lambda entry: entry[0])
    return Layout(tuple(bands), top, pinned_height, [band.top for band in bands], by_row)


def _band(
    top: int, group: Group, track: Track, compact: AbstractSet[str], *, pinned: bool = False
) -> Band:
    low = track.key in compact
    row_height = COMPACT_ROW if low and track.rows > 1 else ROW
    return Band(track.kind, top, _height(track, row_height), group, track, row_height, low, pinned)


def _height(track: Track, row_height: int) -> int:
    if track.kind == "counter":
        return COUNTER
    if track.kind == "instants":
        return TICKS + GAP
    return max(track.rows * row_height, ROW) + GAP
