"""Long curves as few points: steps where they fit, else the least and largest value of each group.

No peak is ever lost, and what was not recorded stays a gap. Pure numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Values = NDArray[np.float64] | NDArray[np.int64]

_FACTOR = 4
_FINEST = 64
"""Values in a group of the finest level that is kept; smaller groups are made to be drawn."""

_STEPS = 3
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class _Level:
    least: NDArray[np.float64]
    most: NDArray[np.float64]


class Envelope:
    """A curve that holds each value until the next time; NaN means not recorded.

    It takes no memory to speak of beside its arrays, which may stand in files.
    """

    def __init__(self, times: NDArray[np.int64], values: Values) -> None:
        self.times = times
        self.values = values
        self._levels = list(_levels(values))
        ends = np.minimum(np.arange(_FINEST, times.size + _FINEST, _FINEST), times.size) - 1
        self._first, self._last, self._held = times[::_FINEST].copy(), times[ends], values[ends]
        self.peak = self._peak()
        """Time and value of the first largest value; None where none is recorded."""

    def points(
        self, start: int, end: int, width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the points of the curve within `[start, end]`, a few per pixel of `width`."""
        first = self._from(start)
        stop = int(np.searchsorted(self.times, end, "right"))
        if stop == np.searchsorted(self.times, end):  # up to what follows, unless it is at the end
            stop = min(stop + 1, self.times.size)
        if stop - first <= _STEPS * max(width, 1):
            times, values = self.times[first:stop], self.values[first:stop].astype(np.float64)
            return np.repeat(times, 2)[1:], np.repeat(values, 2)[:-1]
        size, coarsest = _FACTOR, _FINEST * _FACTOR ** (len(self._levels) - 1)
        while (stop - first) // size > 2 * width and size < coarsest:
            size *= _FACTOR
        low, high = first // size, -(-stop // size)
        begin, last, held = self._edges(low, high, size)
        following = np.append(begin[1:], self.times[min(high * size, self.times.size - 1)])
        least, most = self._groups(low, high, size)
        times = np.stack((begin, begin, last, following), 1)
        values = np.stack((least, most, held, held), 1)
        return times.ravel(), values.ravel()

    def at(self, time: int) -> float:
        """Return the value that holds at a time; NaN before the first and where none is known."""
        index = int(np.searchsorted(self.times, time, "right")) - 1
        return float(self.values[index]) if index >= 0 else float("nan")

    def largest(self, start: int, end: int) -> tuple[int, float] | None:
        """Return time and value of the largest value within `[start, end]`; None where none is."""
        first, stop = self._from(start), int(np.searchsorted(self.times, end, "right"))
        found = self._largest(first, stop)
        return None if found is None else (int(self.times[found]), float(self.values[found]))

    def _from(self, start: int) -> int:
        """The place of the value that holds at a time; of several at that time, of the first."""
        place = int(np.searchsorted(self.times, start))
        there = place < self.times.size and self.times[place] == start
        return place if there else max(place - 1, 0)

    def _largest(self, first: int, stop: int) -> int | None:
        """The place of the first largest value: among whole groups by what is known of them."""
        low, high = -(-first // _FINEST), stop // _FINEST
        if high - low < _FACTOR:
            return _place_of_largest(self.values, first, stop)
        most = self._levels[0].most[low:high]
        within = low + (0 if np.isnan(most).all() else int(np.nanargmax(most)))
        candidates = ((first, low * _FINEST), (within * _FINEST, (within + 1) * _FINEST))
        places = [
            place
            for begin, end in (*candidates, (high * _FINEST, stop))
            if (place := _place_of_largest(self.values, begin, end)) is not None
        ]
        return max(places, key=lambda place: (self.values[place], -place), default=None)

    def _edges(
        self, low: int, high: int, size: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Values]:
        """When some groups of a size begin, when their last values do, and those."""
        if size >= _FINEST:
            every = size // _FINEST
            last = np.minimum(np.arange(low + 1, high + 1) * every, self._last.size) - 1
            return (
                self._first[low * every : high * every : every],
                self._last[last],
                self._held[last],
            )
        last = np.minimum(np.arange(low + 1, high + 1) * size, self.times.size) - 1
        return self.times[low * size : high * size : size], self.times[last], self.values[last]

    def _groups(
        self, low: int, high: int, size: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and largest value of some groups of a size."""
        if size >= _FINEST:
            level = self._levels[(size // _FINEST).bit_length() // 2]
            return level.least[low:high], level.most[low:high]
        part = self.values[low * size : high * size].astype(np.float64)
        return _grouped(part, np.fmin, size), _grouped(part, np.fmax, size)

    def _peak(self) -> tuple[int, float] | None:
        if not self.times.size:
            return None
        return self.largest(int(self.times[0]), int(self.times[-1]))


def _levels(values: Values) -> Iterator[_Level]:
    """Groups of `_FINEST` values, then of four times as many, and so on."""
    parts = [values[at : at + _AT_ONCE] for at in range(0, values.size, _AT_ONCE)]
    both = [[_grouped(part, choose, _FINEST) for part in parts] for choose in (np.fmin, np.fmax)]
    least, most = (np.concatenate(each or [np.zeros(0)]).astype(np.float64) for each in both)
    yield _Level(least, most)
    while least.size > _FINEST:
        least, most = _grouped(least, np.fmin, _FACTOR), _grouped(most, np.fmax, _FACTOR)
        yield _Level(least, most)


def _grouped(values: Values, choose: np.ufunc, size: int) -> NDArray[np.float64]:
    whole = values.size // size * size
    grouped: NDArray[np.float64] = choose.reduce(values[:whole].reshape(-1, size), axis=1)
    if whole < values.size:
        grouped = np.append(grouped, choose.reduce(values[whole:]))
    return grouped


def _place_of_largest(values: Values, first: int, stop: int) -> int | None:
    part = values[first:stop]
    if not part.size or np.isnan(part).all():
        return None
    return first + int(np.nanargmax(part))
