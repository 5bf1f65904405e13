"""Kernels that tell how long slices cover time, each moment counted once.

Slices of one name that overlap no other one of it, as most do, cover what they last. The others are
walked in time order. For the time that any slice covers, rows are merged, a stretch at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from studio.formats.jit import inner, kernel
from studio.trace.kernels.sums import first_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.int32]
    Flags = NDArray[np.bool_]

_STRETCH = 32_768
"""About how many slices are merged at a time: what the processor keeps at hand."""

_PER_ROW = 8
_SMALLEST = np.iinfo(np.int64).min
_MOST_RUNS = 64


class Room(NamedTuple):
    """Arrays that `covered_by_rows` works with: two per row, two pairs per stretch, one of runs."""

    at: Longs
    stop: Longs
    begins: Longs
    ends: Longs
    bounds: Longs

    @classmethod
    def for_rows(cls, rows: int) -> Self:
        """Make them."""
        longest = 4 * max(_STRETCH, _PER_ROW * rows)
        shapes = rows, rows, (2, longest), (2, longest), _MOST_RUNS + 2
        return cls(*(np.empty(shape, np.int64) for shape in shapes))


@kernel
def tangled_of(
    start: Longs,
    duration: Longs,
    name: Numbers,
    is_open: Flags,
    by_time: Longs,
    reach: Longs,
    holder: Longs,
    found: Flags,
) -> None:
    """Which slices overlap another one of their name: `found` is none at first.

    `reach` and `holder` have room for a number per name.
    """
    reach[:] = _SMALLEST
    for index in by_time:
        if is_open[index]:
            continue
        number = name[index]
        end = start[index] + duration[index]
        if start[index] < reach[number]:
            found[index] = found[holder[number]] = True
        if end > reach[number]:
            reach[number], holder[number] = end, index


@kernel
def cover(
    start: Longs,
    end: Longs,
    name: Numbers,
    lane: Numbers,
    chosen: Flags,
    t1: int,
    reach: Longs,
    covered: Longs,
) -> None:
    """Add the time that slices of each name cover in the chosen lanes; they come by start.

    `reach` tells up to when each name is covered already; both are kept up.
    """
    for index in range(start.size):
        if chosen[lane[index]]:
            number = np.uint32(name[index])
            until = min(end[index], t1)
            begin = max(start[index], reach[number])
            if until > begin:
                covered[number] += until - begin
                reach[number] = until


@kernel
def covered_by_rows(
    start: Longs,
    duration: Longs,
    is_open: Flags,
    first: Longs,
    last: Longs,
    t0: int,
    t1: int,
    at: Longs,
    stop: Longs,
    begins: Longs,
    ends: Longs,
    bounds: Longs,
) -> int:
    """The time that any slice covers; those that touch the window are given as ranges, one per row.

    Rows are merged by stretches of time; one that is covered from end to end needs no more rows.
    The last five arrays are a `Room`.
    """
    wanted = begins.shape[1] >> 2
    slices = 0
    for row in range(first.size):
        at[row] = first[row]
        slices += last[row] - first[row]
    span = max((t1 - t0) // (slices // wanted + 1), 1)
    covered, begin = 0, t0
    while begin < t1:
        while True:
            end = t1 if t1 - begin <= span else begin + span
            count = 0
            for row in range(first.size):
                stop[row] = first_from(start, at[row], last[row], end)
                count += stop[row] - at[row]
            if count <= 4 * wanted or end - begin < 2:
                break
            span = (end - begin) >> 1
        if count <= 4 * wanted:
            covered += _covered_in_stretch(
                start, duration, is_open, at, stop, begin, end, begins, ends, bounds
            )
        elif _is_covered(start, duration, is_open, at, stop, begin):
            covered += 1
        for row in range(first.size):
            at[row] = stop[row]
            if stop[row] > first[row] and start[stop[row] - 1] + duration[stop[row] - 1] > end:
                at[row] -= 1
        begin = end
        if count < wanted >> 1 and span <= (t1 - t0) >> 1:
            span *= 2
    return covered


@inner
def _covered_in_stretch(
    start: Longs,
    duration: Longs,
    is_open: Flags,
    at: Longs,
    stop: Longs,
    t0: int,
    t1: int,
    begins: Longs,
    ends: Longs,
    bounds: Longs,
) -> int:
    """The time that slices `at` to `stop` of each row cover in a stretch.

    What rows cover stands as runs of intervals one after the other, each less than half as long as
    the one before: a new one that is longer is merged with that.
    """
    bounds[0] = runs = 0
    for row in range(at.size):
        free = bounds[runs]
        for index in range(at[row], stop[row]):
            begin, end = max(start[index], t0), min(start[index] + duration[index], t1)
            if is_open[index] or begin >= end:
                continue
            if free > bounds[runs] and ends[0, free - 1] == begin:
                ends[0, free - 1] = end
            else:
                begins[0, free], ends[0, free] = begin, end
                free += 1
        if free == bounds[runs]:
            continue
        runs += 1
        bounds[runs] = free
        while runs > 1 and 2 * (bounds[runs] - bounds[runs - 1]) > (
            bounds[runs - 1] - bounds[runs - 2]
        ):
            bounds[runs - 1] = _merge(
                begins, ends, bounds[runs - 2], bounds[runs - 1], bounds[runs]
            )
            runs -= 1
        if begins[0, 0] == t0 and ends[0, 0] == t1:
            return t1 - t0
    while runs > 1:
        runs -= 1
        bounds[runs] = _merge(begins, ends, bounds[runs - 1], bounds[runs], bounds[runs + 1])
    covered = 0
    for place in range(bounds[runs]):
        covered += ends[0, place] - begins[0, place]
    return covered


@inner
def _is_covered(
    start: Longs, duration: Longs, is_open: Flags, at: Longs, stop: Longs, time: int
) -> bool:
    """Whether one of the slices `at` to `stop` of any row runs at a time."""
    for row in range(at.size):
        for index in range(at[row], stop[row]):
            if not is_open[index] and start[index] <= time < start[index] + duration[index]:
                return True
    return False


@inner
def _merge(begins: Longs, ends: Longs, first: int, middle: int, last: int) -> int:
    """Merge two runs that follow each other, in their place; returns where the merged one ends."""
    one, other, free = first, middle, first - 1
    reach = _SMALLEST
    while one < middle or other < last:
        if other >= last or (one < middle and begins[0, one] <= begins[0, other]):
            begin, end = begins[0, one], ends[0, one]
            one += 1
        else:
            begin, end = begins[0, other], ends[0, other]
            other += 1
        if begin > reach:
            free += 1
            begins[1, free], ends[1, free] = begin, end
            reach = end
        elif end > reach:
            ends[1, free] = reach = end
    for place in range(first, free + 1):
        begins[0, place], ends[0, place] = begins[1, place], ends[1, place]
    return free + 1
