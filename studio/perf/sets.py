"""Overlap and difference of sets of intervals in little memory: millions of gaps part by part.

The same as in `studio.trace.intervals`, of which each part is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.trace import intervals

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.trace.intervals import Intervals

PART: Final = 1 << 17
"""How many intervals are worked on at a time."""

_BEFORE, _AFTER = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def intersection(first: Intervals, second: Intervals, part: int = PART) -> Intervals:
    """The time that both sets cover."""
    return _by_parts(intervals.intersection, first, second, part)


def difference(first: Intervals, second: Intervals, part: int = PART) -> Intervals:
    """The time that the first set covers and the second does not."""
    return _by_parts(intervals.difference, first, second, part)


def _by_parts(
    work: Callable[[Intervals, Intervals], Intervals],
    first: Intervals,
    second: Intervals,
    part: int,
) -> Intervals:
    """Work on the time between cuts, each with few intervals of either set.

    Time is only cut where an interval begins: what both sets share begins and ends there as well,
    so that nothing has to be joined again.
    """
    if len(first[0]) <= part and len(second[0]) <= part:
        return work(first, second)
    first, second = _long(intervals.union(*first)), _long(intervals.union(*second))
    cuts = np.unique(np.concatenate((first[0][part::part], second[0][part::part])))
    limits = np.concatenate(([_BEFORE], cuts, [_AFTER]))
    starts, ends = [], []
    for begin, end in zip(limits[:-1].tolist(), limits[1:].tolist(), strict=True):
        start, stop = work(_between(first, begin, end), _between(second, begin, end))
        starts.append(start)
        ends.append(stop)
    return np.concatenate(starts), np.concatenate(ends)


def _long(found: Intervals) -> Intervals:
    """Intervals that take any time: others cover nothing, and cut nothing."""
    start, end = found
    kept = start < end
    return found if kept.all() else (start[kept], end[kept])


def _between(found: Intervals, begin: int, end: int) -> Intervals:
    low = np.searchsorted(found[1], begin, "right")
    high = np.searchsorted(found[0], end, "left")
    return intervals.clip((found[0][low:high], found[1][low:high]), begin, end)
