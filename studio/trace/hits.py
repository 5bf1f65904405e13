"""Which slice is at a time of a lane, for many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.trace.store import Lane

    Times = NDArray[np.int64]


def innermost(
    start: Times,
    end: Times,
    row_bounds: Times,
    lanes: Sequence[Lane],
    lane: NDArray[np.int32],
    time: Times,
    *,
    compiled: bool = False,
) -> Times:
    """The deepest slice of each lane at each time, -1 where there is none.

    A slice holds its start; it holds its end only where no other slice is.
    """
    if compiled:
        from studio.trace.kernels import searching as kernels

        first_row = np.array([place.first_row for place in lanes], np.int64)
        rows = np.array([place.rows for place in lanes], np.int64)
        last_found, found = row_bounds[:-1].copy(), np.empty(len(time), np.int64)
        columns = start, end, row_bounds, first_row, rows
        kernels.innermost(*columns, lane, time, last_found, found)
        return found
    found = np.full(len(time), -1, np.int64)
    for number in np.unique(lane[lane >= 0]).tolist():
        mine = np.flatnonzero(lane == number)
        times = time[mine]
        inside = np.full(len(mine), -1, np.int64)
        touching = inside.copy()
        place = lanes[number]
        for row in range(place.first_row, place.first_row + place.rows):
            first, last = int(row_bounds[row]), int(row_bounds[row + 1])
            if first == last:
                continue
            index = np.searchsorted(start[first:last], times, "right") - 1 + first
            known = np.maximum(index, first)
            before = index >= first
            holds = before & ((end[known] > times) | (start[known] == times))
            inside[holds] = index[holds]
            touches = before & (end[known] == times)
            touching[touches] = index[touches]
        found[mine] = np.where(inside >= 0, inside, touching)
    return found
