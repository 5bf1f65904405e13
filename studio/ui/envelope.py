"""Long curves as few points: steps where they fit, else the least and largest value of each group.

No peak is ever lost, and what was not recorded stays a gap. Pure numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FACTOR = 4
_STEPS = 3


@dataclass(frozen=True)
class _Level:
    least: NDArray[np.float64]
    most: NDArray[np.float64]


class Envelope:
    """A curve that holds each value until the next time; NaN means not recorded."""

    def __init__(self, times: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        self.times = times
        self.values = values
        self.peak = self._peak()
        """Time and value of the first largest value; None where none is recorded."""
        self._levels: list[_Level] = []
        least = most = values
        while least.size > 64:
            least, most = _grouped(least, np.fmin), _grouped(most, np.fmax)
            self._levels.append(_Level(least, most))

    def points(
        self, start: int, end: int, width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the points of the curve within `[start, end]`, a few per pixel of `width`."""
        first = max(int(np.searchsorted(self.times, start, "right")) - 1, 0)
        stop = min(int(np.searchsorted(self.times, end)) + 1, self.times.size)
        if stop - first <= _STEPS * max(width, 1) or not self._levels:
            times, values = self.times[first:stop], self.values[first:stop]
            return np.repeat(times, 2)[1:], np.repeat(values, 2)[:-1]
        level, size = 0, _FACTOR
        while (stop - first) // size > 2 * width and level + 1 < len(self._levels):
            level, size = level + 1, size * _FACTOR
        low, high = first // size, -(-stop // size)
        begin = np.arange(low, high) * size
        last = np.minimum(begin + size, self.times.size) - 1
        following = np.minimum(last + 1, self.times.size - 1)
        held = self.values[last]
        times = np.stack(
            (self.times[begin], self.times[begin], self.times[last], self.times[following]), 1
        )
        values = np.stack(
            (self._levels[level].least[low:high], self._levels[level].most[low:high], held, held), 1
        )
        return times.ravel(), values.ravel()

    def at(self, time: int) -> float:
        """Return the value that holds at a time; NaN before the first and where none is known."""
        index = int(np.searchsorted(self.times, time, "right")) - 1
        return float(self.values[index]) if index >= 0 else float("nan")

    def largest(self, start: int, end: int) -> tuple[int, float] | None:
        """Return time and value of the largest value within `[start, end]`; None where none is."""
        first = max(int(np.searchsorted(self.times, start, "right")) - 1, 0)
        stop = int(np.searchsorted(self.times, end, "right"))
        part = self.values[first:stop]
        if not part.size or np.isnan(part).all():
            return None
        index = first + int(np.nanargmax(part))
        return int(self.times[index]), float(self.values[index])

    def _peak(self) -> tuple[int, float] | None:
        if not self.times.size:
            return None
        return self.largest(int(self.times[0]), int(self.times[-1]))


def _grouped(values: NDArray[np.float64], choose: np.ufunc) -> NDArray[np.float64]:
    whole = values.size // _FACTOR * _FACTOR
    grouped: NDArray[np.float64] = choose.reduce(values[:whole].reshape(-1, _FACTOR), axis=1)
    if whole < values.size:
        grouped = np.append(grouped, choose.reduce(values[whole:]))
    return grouped
