"""Operators of the framework on the host, and calls of the runtime, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.grouping import group_rows, statistics, sums
from studio.perf.launched_by import host_positions
from studio.perf.launches import TABLES, span, threads
from studio.perf.nesting import enclosing

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

GROUPINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "name": ("name",),
    "shape": ("name", "input_shapes"),
    "stack": ("name", "stack"),
}


def host_operators(profile: Profile, by: str = "name", job: Progress | None = None) -> pd.DataFrame:
    """Operators on the host, the longest device time first.

    Columns: those of the grouping (name, shape or stack), count, host_total_ns, host_self_ns
    (without the operators called inside), device_self_ns (of the kernels, communication and copies
    it launched itself), device_total_ns (also of those launched inside).
    """
    import pandas as pd

    table = profile.table("host_ops", job)
    columns = list(GROUPINGS[by])
    group, first = group_rows(table, columns)
    count = len(first)
    outer = outer_operators(table)
    start, end = span(table)
    duration = end - start
    inside = outer >= 0
    own = duration - sums(outer[inside], duration[inside], len(table))
    device = _device_time(profile, len(table), job)
    total = _with_inner(device, outer)
    top = _outermost_of_group(group, outer)
    made: dict[str, Any] = {column: table[column].iloc[first].array for column in columns}
    made |= {
        "count": np.bincount(group, minlength=count),
        "host_total_ns": sums(group[top], duration[top], count),
        "host_self_ns": sums(group, own, count),
        "device_self_ns": sums(group, device, count),
        "device_total_ns": sums(group[top], total[top], count),
    }
    found = pd.DataFrame(made)
    order = ["device_total_ns", "host_total_ns", "name"]
    return found.sort_values(order, ascending=[False, False, True], ignore_index=True)


def api_calls(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """Calls of the runtime by level and name: count, total_ns, avg, min, max, p50, p99.

    From the calls themselves; the published statistics where only those are left.
    """
    import pandas as pd

    table = profile.table("api", job)
    if not len(table):
        published = profile.table("api_statistic", job)
        names = ["level", "name", "count", "total_ns", "avg_ns", "min_ns", "max_ns"]
        return published[names].sort_values("total_ns", ascending=False, ignore_index=True)
    group, first = group_rows(table, ["level", "name"])
    found = statistics(group, table["duration_ns"].to_numpy(np.int64), len(first))
    columns = {name: table[name].iloc[first].array for name in ("level", "name")}
    made = pd.DataFrame({**columns, **found})
    return made.sort_values(["total_ns", "name"], ascending=[False, True], ignore_index=True)


def outer_operators(table: pd.DataFrame) -> Numbers:
    """The position of the operator around each one on its thread, -1 where there is none."""
    return enclosing(threads(table), *span(table))


def _device_time(profile: Profile, operators: int, job: Progress | None) -> Numbers:
    found = np.zeros(operators, np.int64)
    for name in TABLES:
        rows = profile.table(name, job)
        place = host_positions(name, len(rows), profile, job)
        known = place >= 0
        np.add.at(found, place[known], rows["duration_ns"].to_numpy(np.int64)[known])
    return found


def _with_inner(values: Numbers, outer: Numbers) -> Numbers:
    """Each operator's value with those of all operators inside it."""
    total = values.copy()
    for place in _inside_out(outer).tolist():
        total[outer[place]] += total[place]
    return total


def _inside_out(outer: Numbers) -> Numbers:
    """Operators that have one around them, the deepest first."""
    depth = np.zeros(len(outer), np.int64)
    above = outer.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, outer[np.maximum(above, 0)], -1)
    order = np.argsort(-depth, kind="stable")
    return order[outer[order] >= 0]


def _outermost_of_group(group: Numbers, outer: Numbers) -> Numbers:
    """Operators that are not inside another one of their group, so that nothing counts twice."""
    inside = np.zeros(len(group), np.bool_)
    above = outer.copy()
    while (above >= 0).any():
        inside |= (above >= 0) & (group[np.maximum(above, 0)] == group)
        above = np.where(above >= 0, outer[np.maximum(above, 0)], -1)
    return np.flatnonzero(~inside)
