"""Sets of time intervals: union, overlap, difference and length, so that no time counts twice.

An interval set is a pair of arrays (starts, ends) of half-open intervals. Functions take intervals
in any order and overlapping; what they return is disjoint and in time order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Times = NDArray[np.int64]
    Intervals = tuple[Times, Times]


def union(start: Times, end: Times) -> Intervals:
    """The time that at least one interval covers."""
    if len(start) < 2:
        return start, end
    if (start[1:] < start[:-1]).any():
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
    elif (start[1:] > end[:-1]).all() and (start <= end).all():
        return start, end  # they are apart already
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
    last = np.concatenate((first[1:], [len(start)])) - 1
    return start[first], reach[last]


def length(intervals: Intervals) -> int:
    """The time covered, each moment counted once."""
    start, end = union(*intervals)
    return int((end - start).sum())


def intersection(first: Intervals, second: Intervals) -> Intervals:
    """The time that both sets cover."""
    return _sweep(first, second, both=True)


def difference(first: Intervals, second: Intervals) -> Intervals:
    """The time that the first set covers and the second does not."""
    return _sweep(first, second, both=False)


def clip(intervals: Intervals, t0: int, t1: int) -> Intervals:
    """The parts of intervals that lie in `[t0, t1)`."""
    start, end = np.maximum(intervals[0], t0), np.minimum(intervals[1], t1)
    kept = start < end
    return start[kept], end[kept]


def covered_parts(start: Times, end: Times, by: Intervals) -> Times:
    """How much of each interval a disjoint, ordered set covers."""
    begins, ends = by
    if not len(begins):
        return np.zeros(len(start), np.int64)
    before = np.concatenate(([0], np.cumsum(ends - begins)))

    def covered_until(time: Times) -> Times:
        index = np.searchsorted(begins, time, "right")
        last = np.maximum(index - 1, 0)
        missing = np.maximum(ends[last] - time, 0)
        return np.where(index > 0, before[index] - missing, 0)

    return covered_until(end) - covered_until(start)


def _sweep(first: Intervals, second: Intervals, *, both: bool) -> Intervals:
    first, second = union(*first), union(*second)
    times = np.concatenate((*first, *second))
    ones, twos = np.ones(len(first[0]), np.int64), np.full(len(second[0]), 2)
    steps = np.concatenate((ones, -ones, twos, -twos))
    order = np.argsort(times, kind="stable")
    times, level = times[order], np.cumsum(steps[order])
    wanted = np.flatnonzero((level[:-1] == (3 if both else 1)) & (times[1:] > times[:-1]))
    return union(times[wanted], times[wanted + 1])
