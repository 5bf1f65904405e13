"""How many slices each lane has in a window, and how long they are together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.trace.query import slice_lanes
from studio.trace.sums import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from studio.trace.store import Trace

    Times = NDArray[np.int64]


def totals_of_lanes(
    trace: Trace, t0: int, t1: int, lanes: Iterable[int] | None = None
) -> tuple[Times, Times, Times]:
    """The lanes that have slices which touch `[t0, t1)`: numbers, how many, and how long together.

    Slices count with the part inside; those without an end count, but with no time.
    """
    chosen = [lane.id for lane in slice_lanes(trace, lanes)]
    first, last = ranges(trace, t0, t1, chosen)
    count, total = np.zeros((2, len(trace.lanes)), np.int64)
    row = 0
    for lane in chosen:
        for _ in range(trace.lanes[lane].rows):
            part = slice(int(first[row]), int(last[row]))
            row += 1
            if part.start < part.stop:
                count[lane] += part.stop - part.start
                total[lane] += _total_inside(trace, part, t0, t1)
    found = np.flatnonzero(count)
    return found, count[found], total[found]


def _total_inside(trace: Trace, part: slice, t0: int, t1: int) -> int:
    """How long slices of one row are together inside a window that cuts the outer ones at most."""
    duration, is_open = trace.duration[part], trace.open_ended[part]
    if is_open.any():
        told = ~is_open
        starts = trace.start[part][told]
        inside = np.minimum(starts + duration[told], t1) - np.maximum(starts, t0)
        return int(inside.sum())
    first, last = int(trace.start[part.start]), int(trace.start[part.stop - 1] + duration[-1])
    return int(duration.sum()) - max(t0 - first, 0) - max(last - t1, 0)
