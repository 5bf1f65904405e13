"""The time range that a first view should show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_GAP_NS = 60_000_000_000
"""Events are only ever left outside when more than a minute lies between."""
GAP_OF_SPAN = 100
"""… and more than this many times the length of what is shown."""


def main_range(start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[int, int]:
    """The range of the main group of events.

    A lone event at time 0 beside times since 1970 would squash everything else into one pixel.
    Groups are what lies between long gaps; the main one has the most events that last, and takes in
    its neighbours as long as the gap between is in proportion to its length.
    """
    low, high = int(start.min()), int(end.max())
    if high - low <= SMALLEST_GAP_NS:
        return low, high
    sorted_starts = np.sort(start)
    if np.diff(sorted_starts).max(initial=0) <= SMALLEST_GAP_NS:
        return low, high
    order = np.argsort(start, kind="stable")
    starts, ends = start[order], np.maximum.accumulate(end[order])
    cuts = np.flatnonzero(starts[1:] - ends[:-1] > SMALLEST_GAP_NS) + 1
    bounds = np.concatenate(([0], cuts, [len(starts)]))
    lasting = np.add.reduceat((end > start)[order].astype(np.int64), bounds[:-1])
    events = np.diff(bounds)
    main = int(np.lexsort((bounds[:-1], events, lasting))[-1])
    first = last = main
    low, high = int(starts[bounds[main]]), int(ends[bounds[main + 1] - 1])
    grown = True
    while grown:
        grown = False
        span = max(high - low, 1)
        if first > 0:
            before = int(ends[bounds[first] - 1])
            if low - before <= GAP_OF_SPAN * span:
                first -= 1
                low = int(starts[bounds[first]])
                grown = True
        if last + 1 < len(events):
            after = int(starts[bounds[last + 1]])
            if after - high <= GAP_OF_SPAN * span:
                last += 1
                high = int(ends[bounds[last + 1] - 1])
                grown = True
    return low, high
