"""Where everything lies from top to bottom: headings of processes, lanes with rows, counters."""

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

BandKind = Literal["process", "slices", "counter", "instants"]


@dataclass(frozen=True, slots=True)
class Track:
    """One lane as the trace has it: what kind, which number there, and its rows."""

    kind: BandKind
    number: int
    key: str
    title: str
    first_row: int = 0
    rows: int = 1


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

    @property
    def bottom(self) -> int:
        """The first pixel below."""
        return self.top + self.height

    @property
    def key(self) -> str:
        """What is folded when this band is."""
        return self.group.key if self.track is None else self.track.key

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
    """All bands, in order; heights in logical pixels from the top of the first."""

    bands: tuple[Band, ...]
    height: int
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

    def group_of_row(self, groups: Sequence[Group], row: int) -> Group | None:
        """Return the process a row belongs to, shown or not."""
        for group in groups:
            for track in group.tracks:
                if track.kind == "slices" and 0 <= row - track.first_row < track.rows:
                    return group
        return None


def lay_out(groups: Sequence[Group], folded: AbstractSet[str], compact: AbstractSet[str]) -> Layout:
    """Stack the groups: those in `folded` as headings only, tracks in `compact` with low rows."""
    bands: list[Band] = []
    top = 0
    for group in groups:
        hidden = group.key in folded
        bands.append(Band("process", top, HEADING, group, folded=hidden))
        top += HEADING
        for track in () if hidden else group.tracks:
            low = track.key in compact
            row_height = COMPACT_ROW if low and track.rows > 1 else ROW
            height = _height(track, row_height)
            bands.append(Band(track.kind, top, height, group, track, row_height, low))
            top += height
    by_row = [(b.track.first_row, b) for b in bands if b.track and b.kind == "slices"]
    by_row.sort(key=lambda entry: entry[0])
    return Layout(tuple(bands), top, [band.top for band in bands], by_row)


def _height(track: Track, row_height: int) -> int:
    if track.kind == "counter":
        return COUNTER
    if track.kind == "instants":
        return TICKS + GAP
    return max(track.rows * row_height, ROW) + GAP
