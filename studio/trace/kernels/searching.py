"""The kernel that finds the slice at a time of a lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.formats.jit import inner, kernel

if TYPE_CHECKING:
    import numpy as np
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
    last_found: Longs,
    found: Longs,
) -> None:
    """The deepest slice of each lane at each time, -1 where there is none.

    Most times come in order: the search in a row begins where the last one in it ended, which is
    kept in `last_found`; that holds the first slice of each row at first.
    """
    found[:] = -1
    for query in range(time.size):
        number = lane[query]
        if number < 0:
            continue
        at = time[query]
        touching = -1
        for row in range(first_row[number] + rows[number] - 1, first_row[number] - 1, -1):
            first, last = row_bounds[row], row_bounds[row + 1]
            index = last_not_after(start, first, last, last_found[row], at)
            if index < first:
                continue
            last_found[row] = index
            if end[index] > at or start[index] == at:
                found[query] = index
                break
            if end[index] == at and touching < 0:
                touching = index
        if found[query] < 0:
            found[query] = touching


@inner
def last_not_after(times: Longs, first: int, last: int, guess: int, time: int) -> int:
    """The last of sorted times in a range that is not after a time, `first - 1` if all are.

    It is found fast if it is close to the place `guess` in the range.
    """
    if first == last:
        return first - 1
    step = 1
    if times[guess] <= time:
        first = guess + 1
        while guess + step < last and times[guess + step] <= time:
            first = guess + step + 1
            step *= 2
        last = min(last, guess + step)
    else:
        last = guess
        while guess - step >= first and times[guess - step] > time:
            last = guess - step
            step *= 2
        first = max(first, guess - step)
    while first < last:
        middle = (first + last) >> 1
        if times[middle] <= time:
            first = middle + 1
        else:
            last = middle
    return first - 1
