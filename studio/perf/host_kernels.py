"""Work of the device beside the operator, call stack and call that launched it, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import integers
from studio.perf.launch_times import UNKNOWN, launch_times
from studio.perf.launched_by import taken
from studio.perf.launches import TABLES, span

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

COLUMNS: Final = (
    "table",
    "index",
    "name",
    "type",
    "start_ns",
    "duration_ns",
    "host_op",
    "operator",
    "stack",
    "thread",
    "operator_start_ns",
    "operator_duration_ns",
    "api",
    "call",
    "call_start_ns",
    "call_duration_ns",
    "launched_ns",
    "launch_delay_ns",
)
"""Columns of `host_kernels`.

    table, index           kernels, communication or copies, and the position of the row in it
    host_op, api           positions in host_ops and api; missing where unknown
    operator … thread      of the operator that launched the row
    call …                 the call of the runtime that did
    launched_ns            the end of the launch
    launch_delay_ns        from there to the start on the device: time in the queue of the device
"""


def host_kernels(
    profile: Profile, *, host_op: int | None = None, job: Progress | None = None
) -> pd.DataFrame:
    """List everything that was launched, by start (columns `COLUMNS`).

    `host_op` keeps what one operator of the host launched, itself or through those inside it.
    """
    import pandas as pd

    launches = profile.table("launches", job)
    if host_op is not None:
        launches = launches[launches["host_op"].isin(_inside(profile, host_op, job))]
    parts = []
    for name in TABLES:
        mine = launches[(launches["table"] == name).to_numpy()]
        rows = profile.table(name, job).iloc[mine["index"].to_numpy(np.int64)]
        kind = rows["type"] if "type" in rows else rows["kind"]
        columns: dict[str, Any] = {
            "table": pd.Categorical([name] * len(mine), categories=list(TABLES)),
            "index": mine["index"].to_numpy(np.int64),
            "name": rows["name"].astype("str").array,
            "type": kind.astype("str").array,
            "start_ns": rows["start_ns"].to_numpy(np.int64),
            "duration_ns": rows["duration_ns"].to_numpy(np.int64),
            "host_op": mine["host_op"].array,
            "api": mine["api"].array,
        }
        parts.append(pd.DataFrame(columns))
    found = pd.concat(parts, ignore_index=True).sort_values(["start_ns", "index"])
    found = found.reset_index(drop=True)
    host, api = profile.table("host_ops", job), profile.table("api", job)
    operators, calls = _places(found["host_op"]), _places(found["api"])
    launched = _launched(profile, found, job)
    known = launched != UNKNOWN
    delay = np.maximum(found["start_ns"].to_numpy(np.int64) - np.where(known, launched, 0), 0)
    found = found.assign(
        operator=taken(host["name"], operators),
        stack=taken(host["stack"], operators),
        thread=taken(host["thread"], operators),
        operator_start_ns=_number(host, "start_ns", operators),
        operator_duration_ns=_number(host, "duration_ns", operators),
        call=taken(api["name"], calls),
        call_start_ns=_number(api, "start_ns", calls),
        call_duration_ns=_number(api, "duration_ns", calls),
        launched_ns=integers(np.where(known, launched, 0), known),
        launch_delay_ns=integers(delay, known),
    )
    return found[list(COLUMNS)]


def _inside(profile: Profile, host_op: int, job: Progress | None) -> Numbers:
    """An operator and all that ran inside it on its thread."""
    host = profile.table("host_ops", job)
    start, end = span(host)
    thread = host["thread"].cat.codes.to_numpy()
    within = (thread == thread[host_op]) & (start >= start[host_op]) & (end <= end[host_op])
    return np.flatnonzero(within)


def _launched(profile: Profile, found: pd.DataFrame, job: Progress | None) -> Numbers:
    """When each row was launched; copies are not followed through the queue of the framework."""
    times = launch_times(profile, job)
    start = found["start_ns"].to_numpy(np.int64)
    result = np.full(len(start), UNKNOWN)
    if len(times.start):
        place = np.minimum(np.searchsorted(times.start, start), len(times.start) - 1)
        same = (times.start[place] == start) & (found["table"] != "copies").to_numpy()
        result[same] = times.launched[place[same]]
    copies = (found["table"] == "copies").to_numpy() & found["api"].notna().to_numpy()
    _, end = span(profile.table("api", job))
    result[copies] = end[_places(found["api"])[copies]]
    return result


def _places(column: pd.Series) -> Numbers:
    return column.to_numpy(np.int64, na_value=-1)


def _number(table: pd.DataFrame, column: str, place: Numbers) -> pd.arrays.IntegerArray:
    values = table[column].to_numpy(np.int64)
    found = values[np.maximum(place, 0)] if len(values) else np.zeros(len(place), np.int64)
    return integers(np.where(place >= 0, found, 0), place >= 0)
