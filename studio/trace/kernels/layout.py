"""Kernels that give every slice its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.int32]

_LAST = np.iinfo(np.int64).max
_NEVER = np.iinfo(np.int64).min


@kernel
def counting_order(keys: Numbers, count: int) -> tuple[Longs, Longs]:
    """A stable sort by numbers below `count`: the order, and where each number's part begins."""
    bounds = np.zeros(count + 1, np.int64)
    for place in range(keys.size):
        bounds[keys[place] + 1] += 1
    for key in range(count):
        bounds[key + 1] += bounds[key]
    free = bounds[:-1].copy()
    order = np.empty(keys.size, np.int64)
    for place in range(keys.size):
        key = keys[place]
        order[free[key]] = place
        free[key] += 1
    return order, bounds


@kernel
def unsorted_parts(order: Longs, bounds: Longs, start: Longs, duration: Longs) -> NDArray[np.bool_]:
    """Which parts are not sorted by start, and longer ones first."""
    found = np.zeros(bounds.size - 1, np.bool_)
    for part in range(bounds.size - 1):
        for place in range(bounds[part] + 1, bounds[part + 1]):
            one, other = order[place - 1], order[place]
            if start[other] < start[one] or (
                start[other] == start[one] and duration[other] > duration[one]
            ):
                found[part] = True
                break
    return found


@kernel
def stack_rows(
    order: Longs, begin: int, stop: int, start: Longs, duration: Longs, row: Numbers, stack: Longs
) -> int:
    """Put every slice of a lane one row below the deepest busy row; returns the number of rows."""
    busy, rows = 0, 0
    for place in range(begin, stop):
        index = order[place]
        time = start[index]
        while busy > 0 and stack[busy - 1] <= time:
            busy -= 1
        row[place] = busy
        stack[busy] = time + duration[index]
        busy += 1
        rows = max(rows, busy)
    return rows


@kernel
def first_fit_rows(
    order: Longs, begin: int, stop: int, start: Longs, duration: Longs, row: Numbers, tree: Longs
) -> int:
    """Put every slice of a lane in the lowest free row; returns the number of rows.

    `tree` holds the ends of rows as leaves, and above two nodes the earlier of their ends.
    """
    leaves = 1
    while leaves < stop - begin:
        leaves *= 2
    tree[: 2 * leaves] = _NEVER
    rows = 0
    for place in range(begin, stop):
        index = order[place]
        time = start[index]
        node = 1
        while node < leaves:
            node *= 2
            if tree[node] > time:
                node += 1
        found = node - leaves
        row[place] = found
        rows = max(rows, found + 1)
        tree[node] = time + duration[index]
        while node > 1:
            node //= 2
            tree[node] = min(tree[2 * node], tree[2 * node + 1])
    return rows


@kernel
def rows_of_lanes(
    order: Longs, bounds: Longs, start: Longs, duration: Longs, first_fit: NDArray[np.bool_]
) -> tuple[Numbers, Longs]:
    """The row of every slice in `order`, and the number of rows of every lane."""
    largest, largest_fit = 0, 0
    for lane in range(bounds.size - 1):
        count = bounds[lane + 1] - bounds[lane]
        if first_fit[lane]:
            largest_fit = max(largest_fit, count)
        else:
            largest = max(largest, count)
    stack = np.empty(largest + 1, np.int64)
    tree = np.empty(4 * largest_fit + 4, np.int64)
    row = np.empty(order.size, np.int32)
    rows = np.zeros(bounds.size - 1, np.int64)
    for lane in range(bounds.size - 1):
        begin, stop = bounds[lane], bounds[lane + 1]
        if first_fit[lane]:
            rows[lane] = first_fit_rows(order, begin, stop, start, duration, row, tree)
        else:
            rows[lane] = stack_rows(order, begin, stop, start, duration, row, stack)
    return row, rows


@kernel
def by_rows(order: Longs, bounds: Longs, row: Numbers, rows: Longs) -> tuple[Longs, Numbers, Longs]:
    """Sort every lane by row: the order, the row of every slice, and the slices of every row."""
    counts = np.zeros(rows.sum(), np.int64)
    sorted_order = np.empty_like(order)
    sorted_row = np.empty_like(row)
    free = np.empty(rows.max() + 1 if rows.size else 1, np.int64)
    first_row = 0
    for lane in range(rows.size):
        begin, stop = bounds[lane], bounds[lane + 1]
        own = counts[first_row : first_row + rows[lane]]
        for place in range(begin, stop):
            own[row[place]] += 1
        at = begin
        for number in range(rows[lane]):
            free[number] = at
            at += own[number]
        for place in range(begin, stop):
            number = row[place]
            sorted_order[free[number]] = order[place]
            sorted_row[free[number]] = number
            free[number] += 1
        first_row += rows[lane]
    return sorted_order, sorted_row, counts


@kernel
def picked(values: NDArray[Any], order: Longs) -> NDArray[Any]:
    """The values in another order."""
    found = np.empty(order.size, values.dtype)
    for place in range(order.size):
        found[place] = values[order[place]]
    return found
