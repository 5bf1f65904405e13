"""Curves of straight lines between logged steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.ui.envelope import Envelope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_PER_PIXEL = 3


class Polyline(Envelope):
    """Goes straight from value to value; long ones as least and largest value of each group."""

    def points(
        self, start: int, end: int, width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the points within `[start, end]` and one on either side."""
        first = max(int(np.searchsorted(self.times, start, "right")) - 1, 0)
        stop = min(int(np.searchsorted(self.times, end)) + 1, self.times.size)
        if stop - first <= _PER_PIXEL * max(width, 1):
            return self.times[first:stop], self.values[first:stop].astype(np.float64)
        return super().points(start, end, width)


def polyline(values: Mapping[int, float]) -> Polyline:
    """Make a curve of values by step; what is not finite is a gap, for it has no place."""
    steps = np.fromiter(values.keys(), np.int64, len(values))
    numbers = np.fromiter(values.values(), np.float64, len(values))
    return Polyline(steps, np.where(np.isfinite(numbers), numbers, np.nan))
