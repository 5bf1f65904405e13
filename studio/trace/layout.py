"""Rows for slices: which slice is drawn in which row of its lane so that none is lost.

Pure functions on arrays; `studio.trace.kernels.layout` has compiled ones with the same results.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.int64]
    Depths = NDArray[np.int32]

_FEW = 48


@dataclass(frozen=True, slots=True)
class Laid:
    """Slices in the order of the picture: by lane, row and start."""

    order: Array
    row: Depths
    """The row of each slice in its lane, in the new order."""
    rows: Array
    """How many rows each lane has; 0 where it has no slices."""
    slices_of_row: Array
    """How many slices each of these rows has, lane after lane."""
    start: Array
    duration: Array
    """When each slice starts and how long it lasts, in the new order."""


def lay_out(
    lane: NDArray[np.int32],
    start: Array,
    duration: Array,
    lanes: int,
    first_fit: frozenset[int],
    *,
    compiled: bool = False,
) -> Laid:
    """Give every slice its row; `lanes` is how many lanes there are."""
    if compiled:
        return _lay_out_compiled(lane, start, duration, lanes, first_fit)
    order = lane_order(lane, start, duration)
    lane, start, duration = lane[order], start[order], duration[order]
    row = depths(lane, start, start + duration, first_fit)
    rows = np.zeros(lanes, np.int64)
    for number, first, last in lane_ranges(lane):
        rows[number] = int(row[first:last].max()) + 1
    place = (np.cumsum(rows) - rows)[lane] + row
    by_row = grouped(place)
    counts = np.bincount(place, minlength=int(rows.sum()))
    return Laid(order[by_row], row[by_row], rows, counts, start[by_row], duration[by_row])


def _lay_out_compiled(
    lane: NDArray[np.int32], start: Array, duration: Array, lanes: int, first_fit: frozenset[int]
) -> Laid:
    from studio.trace.kernels import layout as kernels

    size = len(lane)
    # large arrays are made here and not by kernels: numpy asks the system for large pages
    order, starts, durations = (np.empty(size, kind) for kind in (_index(size), np.int64, np.int64))
    bounds = np.empty(lanes + 1, np.int64)
    parts = starts, durations, np.empty(lanes, np.int64)
    kernels.by_lanes(lane, start, duration, bounds, order, parts)
    unsorted = np.empty(lanes, np.bool_)
    kernels.unsorted_parts(bounds, starts, durations, unsorted)
    for number in np.flatnonzero(unsorted).tolist():
        own = slice(bounds[number], bounds[number + 1])
        sorting = np.lexsort((-durations[own], starts[own]))
        for part in (order, starts, durations):
            part[own] = part[own][sorting]
    fitted = np.isin(np.arange(lanes), list(first_fit))
    row, rows = np.empty(size, np.int32), np.empty(lanes, np.int64)
    counts = np.diff(bounds)
    stack, tree = (
        np.empty(times * int(counts.max(initial=0, where=where)) + 4, np.int64)
        for times, where in ((1, ~fitted), (4, fitted))
    )
    kernels.rows_of_lanes(bounds, starts, durations, fitted, row, rows, stack, tree)
    final = np.empty_like(order), np.empty_like(row), np.empty_like(starts), np.empty_like(starts)
    counts, free = np.zeros(int(rows.sum()), np.int64), np.empty(int(rows.max(initial=0)), np.int64)
    kernels.by_rows(bounds, row, rows, order, parts, final, counts, free)
    return Laid(final[0], final[1], rows, counts, final[2], final[3])


def _index(size: int) -> type[np.signedinteger[Any]]:
    return np.int32 if size < 1 << 31 else np.int64


def picked(values: NDArray[Any], order: Array, *, compiled: bool = False) -> NDArray[Any]:
    """The values in another order."""
    if compiled:
        from studio.trace.kernels import layout as kernels

        found = np.empty(len(order), values.dtype)
        kernels.pick(values, order, found)
        return found
    chosen: NDArray[Any] = values[order]
    return chosen


def lane_order(lane: NDArray[np.int32], start: Array, duration: Array) -> Array:
    """Sort slices by lane, start, and longer ones first."""
    order = grouped(lane)
    lanes, starts, durations = lane[order], start[order], duration[order]
    same = lanes[1:] == lanes[:-1]
    earlier = starts[1:] < starts[:-1]
    longer = (starts[1:] == starts[:-1]) & (durations[1:] > durations[:-1])
    unsorted = np.unique(lanes[1:][same & (earlier | longer)])
    for number in unsorted.tolist():
        first, last = np.searchsorted(lanes, [number, number + 1])
        part = order[first:last]
        order[first:last] = part[np.lexsort((-duration[part], start[part]))]
    return order


def grouped(keys: NDArray[Any]) -> Array:
    """A stable sort by small whole numbers (numpy sorts 16-bit ones by counting)."""
    if len(keys) and keys.max() < 1 << 16:
        keys = keys.astype(np.uint16)
    return np.argsort(keys, kind="stable")


def depths(
    lane: NDArray[np.int32], start: Array, end: Array, first_fit: frozenset[int] = frozenset()
) -> Depths:
    """The row of every slice; slices come in `lane_order`.

    A slice goes one row below the deepest row that is still busy when it starts. For nested slices
    that is their depth; one that crosses another falls one row lower, and rows never overlap. Lanes
    in `first_fit` (asynchronous tracks) use the lowest free row instead.
    """
    found = np.zeros(len(start), np.int32)
    for number, first, last in lane_ranges(lane):
        part = slice(first, last)
        rule = first_fit_depths if number in first_fit else stack_depths
        found[part] = rule(start[part], end[part])
    return found


def lane_ranges(lane: NDArray[np.int32]) -> Iterator[tuple[int, int, int]]:
    """Each lane number with its range of indices, for slices sorted by lane."""
    if not len(lane):
        return
    cuts = np.flatnonzero(lane[1:] != lane[:-1]) + 1
    bounds = [0, *cuts.tolist(), len(lane)]
    for first, last in pairwise(bounds):
        yield int(lane[first]), first, last


def stack_depths(start: Array, end: Array) -> Depths:
    """Rows of one lane by the rule of the deepest busy row.

    Where slices nest, the row is the number of slices still open, which numpy counts at once; only
    stretches in which slices cross are walked one by one.
    """
    count = len(start)
    if count <= _FEW:
        return _walk_stack(start, end)
    open_now = np.arange(count) - _finished_before(start, end)
    depth = open_now.astype(np.int32)
    crossing = _crossings(depth, start, end)
    if len(crossing):
        # everything has ended where a slice starts after all earlier ends: the stack is empty there
        busy_until = np.maximum.accumulate(end)
        fresh = np.flatnonzero(start[1:] >= busy_until[:-1]) + 1
        bounds = np.concatenate(([0], fresh, [count]))
        for stretch in np.unique(np.searchsorted(bounds, crossing, "right") - 1).tolist():
            part = slice(int(bounds[stretch]), int(bounds[stretch + 1]))
            depth[part] = _walk_stack(start[part], end[part])
    return depth


def first_fit_depths(start: Array, end: Array) -> Depths:
    """Rows of one lane, each slice in the lowest row that is free when it starts."""
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    rows = 0
    found = []
    for begin, finish in zip(start.tolist(), end.tolist(), strict=True):
        while busy and busy[0][0] <= begin:
            heappush(free, heappop(busy)[1])
        if free:
            row = heappop(free)
        else:
            row = rows
            rows += 1
        found.append(row)
        heappush(busy, (finish, row))
    return np.array(found, np.int32)


def _walk_stack(start: Array, end: Array) -> Depths:
    busy: list[int] = []
    found = []
    for begin, finish in zip(start.tolist(), end.tolist(), strict=True):
        while busy and busy[-1] <= begin:
            busy.pop()
        found.append(len(busy))
        busy.append(finish)
    return np.array(found, np.int32)


def _finished_before(start: Array, end: Array) -> Array:
    """How many earlier slices of a sorted lane have ended when each one starts."""
    finished = np.searchsorted(np.sort(end), start, "right")
    # slices without duration that start at the same time and come later have "ended" as well
    empty = np.concatenate(([0], np.cumsum(end == start)))
    if empty[-1]:
        group_end = np.searchsorted(start, start, "right")
        finished = finished - (empty[group_end] - empty[:-1])
    return finished


def _crossings(depth: Depths, start: Array, end: Array) -> Array:
    """Slices that outlive the slice they would lie in, or overlap the one before in their row."""
    order = grouped(depth)
    bounds = np.searchsorted(depth[order], np.arange(int(depth.max()) + 2))
    found = []
    above = order[:0]
    for level in range(len(bounds) - 1):
        row = order[bounds[level] : bounds[level + 1]]
        found.append(row[1:][start[row[1:]] < end[row[:-1]]])
        if level:
            holder = np.searchsorted(above, row) - 1
            outside = (holder < 0) | (end[row] > end[above[np.maximum(holder, 0)]])
            found.append(row[outside])
        above = row
    return np.concatenate(found)
