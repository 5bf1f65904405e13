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

    if by == "category":
        found = _of_categories(trace, start, end, lanes)
    else:
        found = _of_lanes(trace, start, end, lanes, by)
    columns: dict[str, Any] = _titles(trace, by, found.listed.tolist())
    columns |= {
        "count": found.count,
        "total_ns": found.total,
        "covered_ns": found.covered,
        "share": found.covered / max(end - start, 1),
        "id": found.listed,
    }
    frame = pd.DataFrame(columns)
    return frame.sort_values("covered_ns", ascending=False, kind="stable", ignore_index=True)


@dataclass(frozen=True, slots=True)
class _Groups:
    """What was found: the key of each group, its slices, and their times."""

    listed: NDArray[np.int64]
    count: NDArray[np.int64]
    total: Times
    covered: Times


def _of_lanes(trace: Trace, start: int, end: int, lanes: Sequence[int] | None, by: str) -> _Groups:
    """Sum up by lane or process, without looking at slices one by one."""
    from studio.trace.lane_totals import totals_of_lanes
    from studio.trace.statistics import covered

    numbers, counts, totals = totals_of_lanes(trace, start, end, lanes)
    first: dict[str, int] = {}
    for lane in trace.lanes:
        first.setdefault(lane.process, lane.id)
    groups: dict[int, list[int]] = {}
    for place, number in enumerate(numbers.tolist()):
        key = number if by == "lane" else first[trace.lanes[number].process]
        groups.setdefault(key, []).append(place)
    listed = sorted(groups)
    found = _Groups(np.array(listed, np.int64), *np.zeros((3, len(listed)), np.int64))
    for row, key in enumerate(listed):
        places = groups[key]
        found.count[row], found.total[row] = counts[places].sum(), totals[places].sum()
        single = len(places) == 1 and trace.lanes[int(numbers[places[0]])].rows == 1
        # slices of one row do not overlap
        found.covered[row] = (
            found.total[row] if single else covered(trace, start, end, numbers[places].tolist())
        )
    return found


def _of_categories(trace: Trace, start: int, end: int, lanes: Sequence[int] | None) -> _Groups:
    """Sum up by category; -1 stands for slices without one."""
    from studio.trace.query import in_range

    chosen = in_range(trace, start, end, lanes)
    told = ~trace.open_ended[chosen]
    begins = np.maximum(trace.start[chosen], start)
    ends = np.minimum(trace.end[chosen], end)
    listed, place = np.unique(trace.category[chosen], return_inverse=True)
    count = np.bincount(place, minlength=listed.size)
    total, covered = _sums(place[told], begins[told], ends[told], listed.size)
    return _Groups(listed.astype(np.int64), count, total, covered)


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
