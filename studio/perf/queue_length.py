"""How many launches are outstanding on each stream: the length of its queue over time.

A launch is outstanding from the begin of the call of the runtime that made it to the begin of its
work on the device, as HolisticTraceAnalysis counts (`TraceAnalysis.get_queue_length_time_series`).
A queue that is often empty says that the host is too slow, one that is full makes the host wait.
Work whose call is not recorded is left out. Where the two clocks disagree, so that work began
before its call, the call counts as made when the work began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.perf.frames import integers
from studio.perf.launches import TABLES

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

_UNKNOWN = -1


def queue_lengths(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """The queue of each stream after every change: by device and stream, then time.

    Columns: device, stream (missing where not recorded), time_ns, length. At the same time calls
    come before begins of work.
    """
    import pandas as pd

    device, stream, called, begun = _outstanding(profile, job)
    time = np.concatenate((called, begun))
    change = np.repeat(np.array([1, -1]), len(called))
    device, stream = np.tile(device, 2), np.tile(stream, 2)
    order = np.lexsort((-change, time, stream, device))
    device, stream = device[order], stream[order]
    return pd.DataFrame(
        {
            "device": integers(device, device != _UNKNOWN),
            "stream": integers(stream, stream != _UNKNOWN),
            "time_ns": time[order],
            "length": np.cumsum(change[order]),  # each stream ends at 0
        }
    )


def queue_summary(series: pd.DataFrame) -> pd.DataFrame:
    """One row per stream, the most launches first.

    Columns: device, stream, launches, start_ns, end_ns (first and last change), average (weighted
    by time), max_length, max_at_ns (when it first was so), empty_ns (how long nothing was
    outstanding between start and end), empty_share, wait_ns (average time from call to work).
    """
    import pandas as pd

    rows = []
    for (device, stream), part in series.groupby(["device", "stream"], dropna=False, sort=False):
        time = part["time_ns"].to_numpy(np.int64)
        length = part["length"].to_numpy(np.int64)
        lasts, span = np.diff(time), int(time[-1] - time[0])
        outstanding = int((length[:-1] * lasts).sum())
        empty = int(lasts[length[:-1] == 0].sum())
        highest = int(length.argmax())
        rows.append(
            {
                "device": device,
                "stream": stream,
                "launches": len(part) // 2,
                "start_ns": int(time[0]),
                "end_ns": int(time[-1]),
                "average": outstanding / span if span else 0.0,
                "max_length": int(length[highest]),
                "max_at_ns": int(time[highest]),
                "empty_ns": empty,
                "empty_share": empty / span if span else 0.0,
                "wait_ns": outstanding / max(len(part) // 2, 1),
            }
        )
    made = pd.DataFrame(rows, columns=list(SUMMARY))
    made = made.astype({"device": "Int64", "stream": "Int64"})
    return made.sort_values("launches", ascending=False, kind="stable", ignore_index=True)


SUMMARY = (
    "device",
    "stream",
    "launches",
    "start_ns",
    "end_ns",
    "average",
    "max_length",
    "max_at_ns",
    "empty_ns",
    "empty_share",
    "wait_ns",
)
"""The columns of `queue_summary`."""


def _outstanding(
    profile: Profile, job: Progress | None
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Device, stream, call and begin on the device of all work whose call is known."""
    launches, api = profile.table("launches", job), profile.table("api", job)
    calls = api["start_ns"].to_numpy(np.int64)
    known = launches[launches["api"].notna()]
    parts: list[list[Any]] = [[np.zeros(0, np.int64)] for _ in range(4)]
    for name in TABLES:
        mine = known[known["table"] == name]
        if not len(mine):
            continue
        rows = profile.table(name, job).iloc[mine["index"].to_numpy(np.int64)]
        begun = rows["start_ns"].to_numpy(np.int64)
        called = calls[mine["api"].to_numpy(np.int64)]
        for part, values in zip(
            parts,
            (_known(rows["device"]), _known(rows["stream"]), np.minimum(called, begun), begun),
            strict=True,
        ):
            part.append(values)
    device, stream, called, begun = map(np.concatenate, parts)
    return device, stream, called, begun


def _known(column: pd.Series) -> Numbers:
    return column.to_numpy(np.int64, na_value=_UNKNOWN)
