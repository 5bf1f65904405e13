"""A trace without some of its slices: the others close up, as if those had not been recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from studio.trace.layout import depths, grouped, lane_order
from studio.trace.store import ArgColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.trace import Lane, Trace


def keep(trace: Trace, kept: NDArray[np.bool_]) -> Trace:
    """Return a trace of the slices that `kept` marks, laid out anew; all else stays as it is.

    Lanes keep their numbers. An arrow that ends at a slice that is gone has no slice there.
    """
    first_fit = frozenset(lane.id for lane in trace.lanes if lane.asynchronous)
    chosen = np.flatnonzero(kept)
    chosen = chosen[lane_order(trace.lane[chosen], trace.start[chosen], trace.duration[chosen])]
    lane = trace.lane[chosen]
    depth = depths(lane, trace.start[chosen], trace.end[chosen], first_fit)
    rows = np.zeros(len(trace.lanes), np.int64)
    begins = np.flatnonzero(np.diff(lane, prepend=-1))
    if begins.size:
        rows[lane[begins]] = np.maximum.reduceat(depth, begins) + 1
    rows = np.maximum(rows, [place.kind != "counter" for place in trace.lanes])
    first_row = np.cumsum(rows) - rows
    row = first_row[lane] + depth
    order = grouped(row)
    chosen, depth = chosen[order], depth[order]
    row_bounds = np.searchsorted(row[order], np.arange(int(rows.sum()) + 1)).astype(np.int64)
    place = np.full(len(trace) + 1, -1, np.int64)
    place[chosen] = np.arange(chosen.size)
    return replace(
        trace,
        start=trace.start[chosen],
        duration=trace.duration[chosen],
        name=trace.name[chosen],
        category=trace.category[chosen],
        lane=trace.lane[chosen],
        depth=depth,
        source=trace.source[chosen],
        open_ended=trace.open_ended[chosen],
        lanes=tuple(
            _lane(lane, int(rows[lane.id]), int(first_row[lane.id]), row_bounds)
            for lane in trace.lanes
        ),
        row_bounds=row_bounds,
        flows=replace(
            trace.flows,
            source_slice=place[trace.flows.source_slice],
            target_slice=place[trace.flows.target_slice],
        ),
        arg_columns={
            name: ArgColumn(column.values[chosen], column.kind[chosen], column.texts)
            for name, column in trace.arg_columns.items()
        },
    )


def _lane(lane: Lane, rows: int, first_row: int, row_bounds: NDArray[np.int64]) -> Lane:
    first, last = int(row_bounds[first_row]), int(row_bounds[first_row + rows])
    return replace(lane, rows=rows, first=first, last=last, first_row=first_row)
