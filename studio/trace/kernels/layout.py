"""Kernels that give every slice its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.jit import inner, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.int32]
    Parts = tuple[Longs, Longs, Longs]
    Sorted = tuple[Longs, Numbers, Longs, Longs]

_LAST = np.iinfo(np.int64).max
_NEVER = np.iinfo(np.int64).min


@kernel
def counting_order(keys: Numbers, order: Longs, bounds: Longs, free: Longs) -> None:
    """A stable sort by small numbers: the order, and where each number's part begins.

    `bounds` is one longer than there are numbers; `free` is as long as that.
    """
    bounds[:] = 0
    for place in range(keys.size):
        bounds[keys[place] + 1] += 1
    for key in range(bounds.size - 1):
        bounds[key + 1] += bounds[key]
    for key in range(bounds.size):
        free[key] = bounds[key]
    for place in range(keys.size):
        key = keys[place]
        order[free[key]] = place
        free[key] += 1


@kernel
def by_lanes(
    lane: Numbers, start: Longs, duration: Longs, bounds: Longs, order: Longs, parts: Parts
) -> None:
    """A stable sort by lane: the order, and starts and durations in this order in `parts`.

    `bounds`, one longer than there are lanes, gets where each lane's part begins.
    """
    starts, durations, free = parts
    bounds[:] = 0
    for place in range(lane.size):
        bounds[lane[place] + 1] += 1
    for number in range(bounds.size - 1):
        bounds[number + 1] += bounds[number]
        free[number] = bounds[number]
    for place in range(lane.size):
        number = lane[place]
        to = free[number]
        free[number] = to + 1
        order[to] = place
        starts[to] = start[place]
        durations[to] = duration[place]


@kernel
def unsorted_parts(bounds: Longs, start: Longs, duration: Longs, found: NDArray[np.bool_]) -> None:
    """Which parts are not sorted by start, and longer ones first."""
    for part in range(bounds.size - 1):
        found[part] = False
        for place in range(bounds[part] + 1, bounds[part + 1]):
            if start[place] < start[place - 1] or (
                start[place] == start[place - 1] and duration[place] > duration[place - 1]
            ):
                found[part] = True
                break


@inner
def stack_rows(
    begin: int, stop: int, start: Longs, duration: Longs, row: Numbers, stack: Longs
) -> int:
    """Put every slice of a lane one row below the deepest busy row; returns the number of rows."""
    busy, rows = 0, 0
    for place in range(begin, stop):
        time = start[place]
        while busy > 0 and stack[busy - 1] <= time:
            busy -= 1
        row[place] = busy
        stack[busy] = time + duration[place]
        busy += 1
        rows = max(rows, busy)
    return rows


@inner
def first_fit_rows(
    begin: int, stop: int, start: Longs, duration: Longs, row: Numbers, tree: Longs
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
        time = start[place]
        node = 1
        while node < leaves:
            node *= 2
            if tree[node] > time:
                node += 1
        found = node - leaves
        row[place] = found
        rows = max(rows, found + 1)
        tree[node] = time + duration[place]
        while node > 1:
            node //= 2
            tree[node] = min(tree[2 * node], tree[2 * node + 1])
    return rows


@kernel
def rows_of_lanes(
    bounds: Longs,
    start: Longs,
    duration: Longs,
    first_fit: NDArray[np.bool_],
    row: Numbers,
    rows: Longs,
    stack: Longs,
    tree: Longs,
) -> None:
    """The row of every slice, and the number of rows of every lane.

    `stack` has room for the slices of every lane, `tree` for four times those of every lane that is
    laid out by the first fit, and four more.
    """
    for lane in range(bounds.size - 1):
        begin, stop = bounds[lane], bounds[lane + 1]
        if first_fit[lane]:
            rows[lane] = first_fit_rows(begin, stop, start, duration, row, tree)
        else:
            rows[lane] = stack_rows(begin, stop, start, duration, row, stack)


@kernel
def by_rows(
    bounds: Longs,
    row: Numbers,
    rows: Longs,
    order: Longs,
    parts: Parts,
    final: Sorted,
    counts: Longs,
    free: Longs,
) -> None:
    """Sort every lane by row, and add to `counts` how many slices each row has.

    `order` and what `parts` holds of starts and durations are written in their new order to
    `final`, with the row of every slice. `free` has room for the rows of every lane.
    """
    starts, durations, _ = parts
    sorted_order, sorted_row, sorted_starts, sorted_durations = final
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
            to = free[number]
            free[number] = to + 1
            sorted_order[to] = order[place]
            sorted_row[to] = number
            sorted_starts[to] = starts[place]
            sorted_durations[to] = durations[place]
        first_row += rows[lane]


@kernel
def pick(values: NDArray[Any], order: Longs, into: NDArray[Any]) -> None:
    """Write the values in another order."""
    for place in range(order.size):
        into[place] = values[order[place]]
