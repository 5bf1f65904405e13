"""Kernels that sum up the slices of a window by name, in the order in which they are kept.

All columns are those of a trace; the slices that touch the window are given as ranges, one per row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.jit import inlined, inner, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.int32]
    Flags = NDArray[np.bool_]

_LARGEST = np.iinfo(np.int64).max
_SMALLEST = np.iinfo(np.int64).min


COUNT, TOTAL, OWN, LEAST, MOST, UNFINISHED, COVERED = range(7)
"""Columns of what `sum_up` returns."""

COLUMNS = 8


@kernel
def touching(
    start: Longs, duration: Longs, row_bounds: Longs, rows: Longs, t0: int, t1: int, found: Longs
) -> None:
    """The slices of some rows that touch `[t0, t1)`: the first and the one after the last of each.

    The slices of a row do not overlap. This is what `studio.trace.query.visible` finds.
    """
    for number in range(rows.size):
        first, last = row_bounds[rows[number]], row_bounds[rows[number] + 1]
        begin = first_from(start, first, last, t0)
        found[1, number] = first_from(start, begin, last, t1)
        if begin > first and start[begin - 1] + duration[begin - 1] > t0:
            begin -= 1
        found[0, number] = begin


@inner
def first_from(start: Longs, low: int, high: int, time: int) -> int:
    """The first of the slices `low` to `high` of a row that does not start before a time."""
    while low < high:
        middle = (low + high) >> 1
        if start[middle] < time:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def sum_up(
    start: Longs,
    duration: Longs,
    name: Numbers,
    is_open: Flags,
    own: Longs,
    fresh: Longs,
    tangled: Flags,
    first: Longs,
    last: Longs,
    t0: int,
    t1: int,
    sums: Longs,
    cut: Longs,
) -> int:
    """Sum up by name: a row each, so that what a slice changes stands together.

    The slices that touch the window are given as ranges, in each of which only the outer ones may
    be cut by it. Self times are those of whole slices; the slices that the window cuts, whose self
    time is not in the sum, are written to `cut`, and how many they are is returned: at most two per
    range. What is covered in all lanes is known by `fresh_of`; where that is empty, the slices that
    overlap others of their name (`tangled`) are left out of what is covered. `sums` has `COLUMNS`
    columns.
    """
    sums[:] = 0
    sums[:, LEAST] = _LARGEST
    cuts = 0
    in_all_lanes = fresh.size > 0
    for row in range(first.size):
        for index in range(first[row] + 1, last[row] - 1):
            number = np.uint32(name[index])
            if is_open[index]:
                sums[number, UNFINISHED] += 1
                continue
            length = duration[index]
            sums[number, COUNT] += 1
            sums[number, TOTAL] += length
            sums[number, OWN] += own[index]
            sums[number, LEAST] = min(sums[number, LEAST], length)
            sums[number, MOST] = max(sums[number, MOST], length)
            if in_all_lanes:
                sums[number, COVERED] += fresh[index]
            elif not tangled[index]:
                sums[number, COVERED] += length
        for index in outer(first[row], last[row]):
            number = np.uint32(name[index])
            if is_open[index]:
                sums[number, UNFINISHED] += 1
                continue
            begin, end = start[index], start[index] + duration[index]
            length = min(end, t1) - max(begin, t0)
            if begin < t0 or end > t1:
                cut[cuts] = index
                cuts += 1
            else:
                sums[number, OWN] += own[index]
            sums[number, COUNT] += 1
            sums[number, TOTAL] += length
            sums[number, LEAST] = min(sums[number, LEAST], length)
            sums[number, MOST] = max(sums[number, MOST], length)
            if in_all_lanes:
                sums[number, COVERED] += max(min(end, t1) - max(end - fresh[index], t0), 0)
            elif not tangled[index]:
                sums[number, COVERED] += length
    return cuts


@inlined
def outer(first: int, last: int) -> Any:  # noqa: ANN401 - a range as numba knows it
    """The first and the last one of a range."""
    return range(first, last, max(last - 1 - first, 1))


@kernel
def fresh_of(
    start: Longs,
    duration: Longs,
    name: Numbers,
    is_open: Flags,
    by_time: Longs,
    reach: Longs,
    found: Longs,
) -> None:
    """How long each slice runs, up to its end, while no earlier one of its name does.

    `reach` has room for a number per name, `found` holds zeros at first.
    """
    reach[:] = _SMALLEST
    for index in by_time:
        if not is_open[index]:
            number = name[index]
            end = start[index] + duration[index]
            found[index] = max(end - max(start[index], reach[number]), 0)
            reach[number] = max(reach[number], end)


@kernel
def self_of_cut(
    start: Longs,
    duration: Longs,
    cut: Longs,
    row: Longs,
    last_row: Longs,
    row_bounds: Longs,
    t0: int,
    t1: int,
    at: Longs,
    found: Longs,
) -> None:
    """The self time inside the window of slices that it cuts.

    `row` is the row of each, `last_row` the last one of its lane; `at` has room for the rows of
    every lane.
    """
    for number in range(cut.size):
        index = cut[number]
        begin = max(start[index], t0)
        end = min(start[index] + duration[index], t1)
        below = covered_below(start, duration, row_bounds, row[number] + 1, last_row[number] + 1,
                              begin, end, at)  # fmt: skip
        found[number] = end - begin - below


@inner
def covered_below(
    start: Longs,
    duration: Longs,
    row_bounds: Longs,
    row: int,
    stop: int,
    begin: int,
    end: int,
    at: Longs,
) -> int:
    """How much of a stretch of time any slice of some rows covers, from the first that does on."""
    if row >= stop:
        return 0
    for number in range(row, stop):
        low, high = row_bounds[number], row_bounds[number + 1]
        while low < high:
            middle = (low + high) >> 1
            if start[middle] + duration[middle] <= begin:
                low = middle + 1
            else:
                high = middle
        at[number - row] = low
    covered, reach = 0, begin
    while True:
        earliest, found = end, -1
        for number in range(row, stop):
            index = at[number - row]
            if index < row_bounds[number + 1] and start[index] < earliest:
                earliest, found = start[index], number
        if found < 0:
            return covered
        index = at[found - row]
        at[found - row] += 1
        until = min(start[index] + duration[index], end)
        if until > reach:
            covered += until - max(start[index], reach)
            reach = until


@kernel
def smallest(values: Longs, bounds: Longs, places: Longs, found: Longs) -> None:
    """The value that would stand at a place of each part if it were sorted; parts are reordered.

    Those of empty parts stay as they are in `found`.
    """
    for part in range(bounds.size - 1):
        low, high = bounds[part], bounds[part + 1] - 1
        wanted = bounds[part] + places[part]
        if high < low:
            continue
        while low < high:
            pivot = values[(low + high) >> 1]
            left, right = low, high
            while left <= right:
                while values[left] < pivot:
                    left += 1
                while values[right] > pivot:
                    right -= 1
                if left <= right:
                    values[left], values[right] = values[right], values[left]
                    left += 1
                    right -= 1
            if wanted <= right:
                high = right
            elif wanted >= left:
                low = left
            else:
                break
        found[part] = values[wanted]
