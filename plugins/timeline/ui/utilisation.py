"""How busy each lane is in any window, without counting any moment twice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from studio.formats.engine import kernels_pay
from studio.trace.intervals import union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from studio.trace import Lane, Trace

    Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Busy:
    """When a lane is busy: disjoint intervals by time, and what they cover up to each."""

    start: Times
    end: Times
    covered: Times
    nested: bool
    """Whether the slices of each row lie inside those of the row above: none cross."""

    def within(self, start: int, end: int) -> int:
        """Return how long the lane is busy in `[start, end)`."""
        return max(self._until(end) - self._until(start), 0)

    def _until(self, time: int) -> int:
        place = int(np.searchsorted(self.start, time, "right"))
        if not place:
            return 0
        missing = max(int(self.end[place - 1]) - time, 0)
        return int(self.covered[place]) - missing


@dataclass(frozen=True, slots=True)
class Utilisation:
    """The busy time of every lane of slices; slices without an end count for nothing."""

    lanes: Mapping[int, Busy]

    def nested(self, lane: int) -> bool:
        """Whether no slices of a lane cross."""
        busy = self.lanes.get(lane)
        return busy is not None and busy.nested

    def within(self, lane: int, start: int, end: int) -> int:
        """Return how long a lane is busy in `[start, end)`."""
        busy = self.lanes.get(lane)
        return 0 if busy is None else busy.within(start, end)


def utilisation(trace: Trace) -> Utilisation:
    """Prepare the lanes of a trace."""
    return Utilisation({lane.id: _busy(trace, lane) for lane in trace.lanes if lane.count})


def _busy(trace: Trace, lane: Lane) -> Busy:
    part = slice(lane.first, lane.last)
    start, end, told = trace.start[part], trace.end[part], ~trace.open_ended[part]
    bounds = trace.row_bounds[lane.first_row : lane.first_row + lane.rows + 1].astype(np.int64)
    nested = _nested(trace, bounds)
    if told.all() and nested:
        top = int(bounds[1]) - lane.first
        start, end = start[:top], end[:top]
    else:
        start, end = union(start[told], end[told])
    covered = np.zeros(start.size + 1, np.int64)
    np.cumsum(end - start, out=covered[1:])
    return Busy(start, end, covered, nested)


def _nested(trace: Trace, bounds: Times) -> bool:
    """Whether all slices below the first row lie inside one of the row above."""
    if bounds[0] == bounds[1]:
        return False
    if kernels_pay(len(trace)):
        from plugins.timeline.ui.scenekernels import nested

        return bool(nested(trace.start, trace.duration, bounds))
    rows = [slice(first, last) for first, last in pairwise(bounds.tolist())]
    for above, row in pairwise(rows):
        start, end = trace.start[above], trace.end[above]
        holder = np.searchsorted(start, trace.start[row], "right") - 1
        if not ((holder >= 0) & (end[holder] >= trace.end[row])).all():
            return False
    return True
