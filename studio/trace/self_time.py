"""The self time of slices: what the slices below them do not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.trace.intervals import covered_parts, union

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from studio.trace.intervals import Intervals
    from studio.trace.store import Lane

    Times = NDArray[np.int64]


def self_times(start: Times, end: Times, row_bounds: Times, lanes: Iterable[Lane]) -> Times:
    """The self time of every slice.

    It is the duration less the time at which any deeper row of the lane is busy. For nested slices
    these are the children; of two that cross, the one in the upper row loses the common part.
    """
    own = end - start
    for lane in lanes:
        if lane.kind != "slices" or lane.rows < 2:
            continue
        below: Intervals = (start[:0], end[:0])
        for row in range(lane.first_row + lane.rows - 1, lane.first_row - 1, -1):
            part = slice(int(row_bounds[row]), int(row_bounds[row + 1]))
            starts, ends = start[part], end[part]
            inside = covered_parts(starts, ends, below)
            own[part] -= inside
            if int(inside.sum()) == int((below[1] - below[0]).sum()):
                below = union(starts, ends)
            else:
                below = union(np.concatenate((below[0], starts)), np.concatenate((below[1], ends)))
    return own
