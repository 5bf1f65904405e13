"""The sums of a stretch of time over some lanes: by name, lane, process or category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from studio.trace import Trace

    Times = NDArray[np.int64]

GROUPINGS = ("name", "lane", "process", "category")
"""What slices can be summed up by."""


@dataclass(frozen=True)
class Summary:
    """The rows, and what holds for all of them: no moment counts twice in `covered_ns`."""

    by: str
    rows: pd.DataFrame
    slices: int
    covered_ns: int


def summarise(
    trace: Trace, start: int, end: int, lanes: Sequence[int] | None = None, by: str = "name"
) -> Summary:
    """Sum up the slices of `[start, end)` in some lanes, or all; slices count with the part inside.

    Rows by name are those of `studio.trace.statistics`; all others have the columns of `grouped`.
    """
    from studio.trace.statistics import covered, statistics

    if by == "name":
        rows = statistics(trace, start, end, lanes)
        count = int(rows["count"].sum() + rows["unfinished"].sum())
    else:
        rows = grouped(trace, start, end, lanes, by)
        count = int(rows["count"].sum())
    return Summary(by, rows, count, covered(trace, start, end, lanes))


def grouped(
    trace: Trace, start: int, end: int, lanes: Sequence[int] | None, by: str
) -> pd.DataFrame:
    """Sum up by lane, process or category, the busiest first.

    Columns: what it is by (lanes with their process), count, total_ns, covered_ns (each moment
    once), share (of the window), id (the lane's or category's number, the process's first lane).
    """
    import pandas as pd

    from studio.trace.query import in_range

    chosen = in_range(trace, start, end, lanes)
    keys, of_lane = _keys(trace, by)
    key = keys[trace.category[chosen] if of_lane is None else of_lane[trace.lane[chosen]]]
    told = ~trace.open_ended[chosen]
    begins = np.maximum(trace.start[chosen], start)
    ends = np.minimum(trace.end[chosen], end)
    listed, place = np.unique(key, return_inverse=True)
    count = np.bincount(place, minlength=listed.size)
    total, covered = _sums(place[told], begins[told], ends[told], listed.size)
    columns: dict[str, Any] = _titles(trace, by, listed.tolist())
    columns |= {
        "count": count,
        "total_ns": total,
        "covered_ns": covered,
        "share": covered / max(end - start, 1),
        "id": listed,
    }
    frame = pd.DataFrame(columns)
    return frame.sort_values("covered_ns", ascending=False, kind="stable", ignore_index=True)


def _keys(trace: Trace, by: str) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """The key of every lane or category, and for lanes which of the keys they have."""
    if by == "category":
        # the last one is that of slices without a category
        return np.append(np.arange(len(trace.categories)), -1), None
    numbers = np.arange(len(trace.lanes))
    if by == "lane":
        return numbers, numbers
    first: dict[str, int] = {}
    for lane in trace.lanes:
        first.setdefault(lane.process, lane.id)
    return numbers, np.array([first[lane.process] for lane in trace.lanes], np.int64)


def _titles(trace: Trace, by: str, listed: list[int]) -> dict[str, list[str]]:
    if by == "category":
        return {"category": [trace.categories[number] if number >= 0 else "" for number in listed]}
    processes = [trace.lanes[number].process_title for number in listed]
    if by == "process":
        return {"process": processes}
    return {"lane": [trace.lanes[number].title for number in listed], "process": processes}


def _sums(group: NDArray[np.int64], start: Times, end: Times, groups: int) -> tuple[Times, Times]:
    """How long the intervals of each group are together, and how long at least one runs."""
    total, covered = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    order = np.lexsort((start, group))
    bounds = np.searchsorted(group[order], np.arange(groups + 1))
    for number in range(groups):
        mine = order[bounds[number] : bounds[number + 1]]
        if mine.size:
            begins, ends = start[mine], end[mine]
            reach = np.maximum.accumulate(ends)
            before = np.concatenate((begins[:1], reach[:-1]))
            total[number] = int((ends - begins).sum())
            covered[number] = int(np.maximum(reach - np.maximum(begins, before), 0).sum())
    return total, covered
