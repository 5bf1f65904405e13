"""The kernel that finds the slice at a time of a lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.formats.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]


@kernel
def innermost(
    start: Longs,
    end: Longs,
    row_bounds: Longs,
    first_row: Longs,
    rows: Longs,
    lane: NDArray[np.int32],
    time: Longs,
) -> Longs:
    """The deepest slice of each lane at each time, -1 where there is none."""
    found = np.full(time.size, -1, np.int64)
    for query in range(time.size):
        number = lane[query]
        if number < 0:
            continue
        at = time[query]
        touching = -1
        for row in range(first_row[number] + rows[number] - 1, first_row[number] - 1, -1):
            index = last_not_after(start, row_bounds[row], row_bounds[row + 1], at)
            if index < row_bounds[row]:
                continue
            if end[index] > at or start[index] == at:
                found[query] = index
                break
            if end[index] == at and touching < 0:
                touching = index
        if found[query] < 0:
            found[query] = touching
    return found


@kernel
def last_not_after(times: Longs, first: int, last: int, time: int) -> int:
    """The last of sorted times in a range that is not after a time, `first - 1` if all are."""
    while first < last:
        middle = (first + last) >> 1
        if times[middle] <= time:
            first = middle + 1
        else:
            last = middle
    return first - 1
