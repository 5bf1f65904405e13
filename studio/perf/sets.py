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
    if len(first[0]) <= part and len(second[0]) <= part:
        return work(first, second)
    (start, end), (begins, ends) = intervals.union(*first), intervals.union(*second)
    done = []
    for place in range(0, len(start), part):
        mine = start[place : place + part], end[place : place + part]
        low = np.searchsorted(ends, mine[0][0], "right")
        high = np.searchsorted(begins, mine[1][-1], "left")
        done.append(work(mine, (begins[low:high], ends[low:high])))
    if not done:
        return start, end
    starts, stops = zip(*done, strict=True)
    return np.concatenate(starts), np.concatenate(stops)
