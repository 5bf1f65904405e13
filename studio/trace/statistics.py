"""Statistics of slices in a time window.

A slice that the window cuts counts with the part inside. Slices whose end the file does not tell
(`Trace.open_ended`) are counted apart and in no sum. Without a window the main part of the trace is
meant (`view_start_ns` to `view_end_ns`), so that events without a valid time stay out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.trace.intervals import clip, length, union
from studio.trace.query import in_range, slice_lanes, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import NDArray

    from studio.trace.intervals import Intervals
    from studio.trace.store import Trace

    Times = NDArray[np.int64]

_LARGEST = 2**62


def statistics(
    trace: Trace,
    t0: int | None = None,
    t1: int | None = None,
    lanes: Iterable[int] | None = None,
) -> pd.DataFrame:
    """Statistics per name, the largest total first.

    Columns: name, count, total_ns, self_ns (without what deeper slices of the lane cover),
    covered_ns (time at which any slice of the name runs in any of the lanes, each moment once),
    min_ns, avg_ns, max_ns, unfinished (slices without an end), name_id (number in `trace.names`).
    """
    import pandas as pd

    begin, stop = window(trace, t0, t1)
    chosen = in_range(trace, begin, stop, lanes)
    is_open = trace.open_ended[chosen]
    unfinished = np.bincount(trace.name[chosen[is_open]], minlength=len(trace.names))
    picked = _by_name(trace, chosen[~is_open])
    names = trace.name[picked]
    start = np.maximum(trace.start[picked], begin)
    end = np.minimum(trace.end[picked], stop)
    own = _self_inside(trace, picked, start, end)

    count = np.bincount(names, minlength=len(trace.names))
    groups = np.flatnonzero(count)
    first = np.cumsum(count[groups]) - count[groups]
    sums = {
        "total_ns": (np.add, end - start),
        "self_ns": (np.add, own),
        "covered_ns": (
            np.add,
            _newly_covered(np.repeat(np.arange(len(groups)), count[groups]), start, end),
        ),
        "min_ns": (np.minimum, end - start),
        "max_ns": (np.maximum, end - start),
    }
    listed = np.flatnonzero(count + unfinished)
    columns: dict[str, Any] = {
        "name": [trace.names[number] for number in listed.tolist()],
        "count": count[listed],
    }
    for column, (rule, values) in sums.items():
        dense = np.zeros(len(trace.names), np.int64)
        dense[groups] = rule.reduceat(values, first) if len(first) else 0
        columns[column] = dense[listed]
    nothing = count[listed] == 0
    average = columns["total_ns"] / np.maximum(count[listed], 1)
    columns["min_ns"] = pd.arrays.IntegerArray(columns["min_ns"], nothing)
    columns["avg_ns"] = pd.arrays.FloatingArray(average, nothing)
    columns["max_ns"] = pd.arrays.IntegerArray(columns.pop("max_ns"), nothing)
    columns["unfinished"] = unfinished[listed]
    columns["name_id"] = listed
    frame = pd.DataFrame(columns)
    return frame.sort_values(["total_ns", "name"], ascending=[False, True], ignore_index=True)


def covered(
    trace: Trace,
    t0: int | None = None,
    t1: int | None = None,
    lanes: Iterable[int] | None = None,
) -> int:
    """How long any slice runs in any of the lanes: at most the length of the window."""
    return length(busy(trace, t0, t1, lanes))


def busy(
    trace: Trace,
    t0: int | None = None,
    t1: int | None = None,
    lanes: Iterable[int] | None = None,
) -> Intervals:
    """When any slice runs in any of the lanes, as disjoint intervals inside the window."""
    begin, stop = window(trace, t0, t1)
    chosen = in_range(trace, begin, stop, lanes)
    chosen = chosen[~trace.open_ended[chosen]]
    return union(*clip((trace.start[chosen], trace.end[chosen]), begin, stop))


def coverage(
    trace: Trace,
    t0: int | None = None,
    t1: int | None = None,
    lanes: Iterable[int] | None = None,
) -> pd.DataFrame:
    """How busy each lane is: lane, title, process, slices, covered_ns, share of the window."""
    import pandas as pd

    begin, stop = window(trace, t0, t1)
    rows = [
        {
            "lane": lane.id,
            "title": lane.title,
            "process": lane.process_title,
            "slices": len(in_range(trace, begin, stop, [lane.id])),
            "covered_ns": covered(trace, begin, stop, [lane.id]),
        }
        for lane in slice_lanes(trace, lanes)
    ]
    frame = pd.DataFrame(rows, columns=["lane", "title", "process", "slices", "covered_ns"])
    shown = (trace.view_end_ns if t1 is None else stop) - begin
    frame["share"] = frame["covered_ns"] / max(shown, 1)
    return frame


def window(trace: Trace, t0: int | None, t1: int | None) -> tuple[int, int]:
    """The window that is meant; the end of the main part includes what starts at it."""
    begin = trace.view_start_ns if t0 is None else t0
    return begin, max(begin, trace.view_end_ns + 1 if t1 is None else t1)


def _by_name(trace: Trace, chosen: Times) -> Times:
    """Slices by name, then start."""
    order, _ = trace.slices_of_name
    if len(chosen) * 8 > len(trace):
        marked = np.zeros(len(trace), np.bool_)
        marked[chosen] = True
        found: Times = order[marked[order]]
        return found
    return chosen[np.lexsort((trace.start[chosen], trace.name[chosen]))]


def _newly_covered(group: Times, start: Times, end: Times) -> Times:
    """What each interval adds to the time covered by those before it in its group."""
    if not len(start):
        return end - start
    base = int(start.min())
    span = int(end.max()) - base + 1
    if span * (int(group[-1]) + 1) >= _LARGEST:
        parts = np.split(np.arange(len(start)), np.flatnonzero(group[1:] != group[:-1]) + 1)
        return np.concatenate([_newly_covered(group[p] * 0, start[p], end[p]) for p in parts])
    # one long axis on which the groups stand one after the other
    start, end = start - base + group * span, end - base + group * span
    reach = np.concatenate((start[:1], np.maximum.accumulate(end)[:-1]))
    added: Times = np.maximum(end - np.maximum(start, reach), 0)
    return added


def _self_inside(trace: Trace, picked: Times, start: Times, end: Times) -> Times:
    """The self time of slices inside the window; only those that it cuts need work."""
    own: Times = trace.self_ns[picked].copy()
    cut = (trace.start[picked] < start) | (trace.end[picked] > end)
    for place in np.flatnonzero(cut).tolist():
        index, begin, stop = int(picked[place]), int(start[place]), int(end[place])
        lane, depth = int(trace.lane[index]), int(trace.depth[index])
        deeper = [
            np.arange(*visible(trace, lane, row, begin, stop))
            for row in range(depth + 1, trace.lanes[lane].rows)
        ]
        below = np.concatenate(deeper) if deeper else picked[:0]
        inside = clip((trace.start[below], trace.end[below]), begin, stop)
        own[place] = stop - begin - length(inside)
    return own
