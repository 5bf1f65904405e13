"""Statistics of slices in a time window.

A slice that the window cuts counts with the part inside. Slices whose end the file does not tell
(`Trace.open_ended`) are counted apart and in no sum. Without a window the main part of the trace is
meant (`view_start_ns` to `view_end_ns`), so that events without a valid time stay out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.engine import kernels_pay
from studio.trace.intervals import clip, length, union
from studio.trace.query import in_range, slice_lanes
from studio.trace.sums import covered_time, sums_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import NDArray

    from studio.trace.intervals import Intervals
    from studio.trace.store import Trace

    Times = NDArray[np.int64]

_LONGEST = 2**62
"""What two such times differ by is still a number of 64 bits."""


def statistics(
    trace: Trace,
    t0: int | None = None,
    t1: int | None = None,
    lanes: Iterable[int] | None = None,
) -> pd.DataFrame:
    """Statistics per name, the largest total first.

    Columns: name, count, total_ns, self_ns (without what deeper slices of the lane cover),
    covered_ns (time at which any slice of the name runs in any of the lanes, each moment once),
    min_ns, avg_ns, p50_ns and p99_ns (the smallest length that 50 and 99 % of the slices do not
    exceed), max_ns, unfinished (slices without an end), name_id (number in `trace.names`).
    """
    import pandas as pd

    sums = sums_by_name(trace, *window(trace, t0, t1), lanes)
    listed = np.flatnonzero(sums.count + sums.unfinished)
    by_total = zip((-sums.total[listed]).tolist(), listed.tolist(), strict=True)
    ordered = sorted((total, trace.names[number], number) for total, number in by_total)
    listed = np.array([number for _, _, number in ordered], np.int64)
    count = sums.count[listed]
    nothing = count == 0
    total = sums.total[listed]

    def known(values: Times) -> Any:  # noqa: ANN401
        return pd.arrays.IntegerArray(values[listed], nothing)

    median, high = sums.percentiles
    return pd.DataFrame(
        {
            "name": [trace.names[number] for number in listed.tolist()],
            "count": count,
            "total_ns": total,
            "self_ns": sums.own[listed],
            "covered_ns": sums.covered[listed],
            "min_ns": known(sums.least),
            "avg_ns": pd.arrays.FloatingArray(total / np.maximum(count, 1), nothing),
            "p50_ns": known(median),
            "p99_ns": known(high),
            "max_ns": known(sums.most),
            "unfinished": sums.unfinished[listed],
            "name_id": listed,
        }
    )


def covered(
    trace: Trace,
    t0: int | None = None,
    t1: int | None = None,
    lanes: Iterable[int] | None = None,
) -> int:
    """How long any slice runs in any of the lanes: at most the length of the window."""
    begin, stop = window(trace, t0, t1)
    if kernels_pay(len(trace)) and stop - begin < _LONGEST:
        return covered_time(trace, begin, stop, lanes)
    return length(busy(trace, begin, stop, lanes))


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
    """The window that is meant, whole; the end of the main part includes what starts at it."""
    begin = trace.view_start_ns if t0 is None else int(t0)
    return begin, max(begin, trace.view_end_ns + 1 if t1 is None else int(t1))
