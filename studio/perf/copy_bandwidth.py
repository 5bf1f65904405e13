"""How fast memory is copied and set: the bandwidth of each kind of copy over time.

A copy moves its bytes evenly while it lasts, so that its bandwidth is bytes divided by duration;
those of copies of one kind that run at the same time add up. HolisticTraceAnalysis counts so as
well (`TraceAnalysis.get_memory_bw_time_series`). 1 byte per ns is 1 GB/s (10⁹ bytes per second).
Copies without a recorded size (or with a negative one) or without a duration have no bandwidth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.perf.frames import Coded, category
from studio.trace.intervals import length, union

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

SUMMARY = (
    "kind",
    "copies",
    "bytes",
    "busy_ns",
    "bytes_per_ns",
    "max_bytes_per_ns",
    "max_at_ns",
)
"""The columns of `bandwidth_summary`."""


def copy_bandwidths(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """The bandwidth of each kind of copy after every begin and end: by kind, then time.

    Columns: kind ("Memcpy HtoD", "Memset"; for Ascend the direction as written), time_ns,
    bytes_per_ns. At the same time ends come before begins.
    """
    import pandas as pd

    kind, kinds, start, duration, size = _copies(profile, job)
    rate = size / duration
    time = np.concatenate((start, start + duration))
    change = np.concatenate((rate, -rate))
    running = np.repeat(np.array([1, -1]), len(start))
    kind = np.tile(kind, 2)
    order = np.lexsort((running, time, kind))
    kind, running = kind[order], np.cumsum(running[order])
    idle = running == 0  # each kind ends so
    busy_part = np.cumsum(idle) - idle
    # summed up anew after every idle time, so that no rounding is carried on
    values = pd.Series(change[order]).groupby(busy_part).cumsum().to_numpy()
    return pd.DataFrame(
        {
            "kind": category(Coded(kind.astype(np.int32), kinds)),
            "time_ns": time[order],
            "bytes_per_ns": np.where(idle, 0.0, np.maximum(values, 0.0)),
        }
    )


def bandwidth_summary(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """One row per kind of copy, the most bytes first.

    Columns: kind, copies, bytes, busy_ns (while at least one ran), bytes_per_ns (bytes by busy
    time), max_bytes_per_ns, max_at_ns (when it first was so).
    """
    import pandas as pd

    series = copy_bandwidths(profile, job)
    kind, kinds, start, duration, size = _copies(profile, job)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(kinds):
        mine = kind == number
        if not mine.any():
            continue
        part = series[series["kind"] == name]
        highest = int(part["bytes_per_ns"].to_numpy().argmax())
        busy = length(union(start[mine], start[mine] + duration[mine]))
        moved = int(size[mine].sum())
        rows.append(
            {
                "kind": name,
                "copies": int(mine.sum()),
                "bytes": moved,
                "busy_ns": busy,
                "bytes_per_ns": moved / busy,
                "max_bytes_per_ns": float(part["bytes_per_ns"].iloc[highest]),
                "max_at_ns": int(part["time_ns"].iloc[highest]),
            }
        )
    made = pd.DataFrame(rows, columns=list(SUMMARY))
    return made.sort_values("bytes", ascending=False, kind="stable", ignore_index=True)


def _copies(
    profile: Profile, job: Progress | None
) -> tuple[Numbers, list[str], Numbers, Numbers, Numbers]:
    """Kind, kinds, start, duration and bytes of the copies that have a bandwidth."""
    copies = profile.table("copies", job)
    sized = (copies["bytes"] >= 0).fillna(False)
    copies = copies[sized & (copies["duration_ns"] > 0)]
    pairs = zip(
        copies["name"].astype("str").fillna("").tolist(),
        copies["direction"].astype("str").fillna("").tolist(),
        strict=True,
    )
    found = [_kind(name, direction) for name, direction in pairs]
    kinds = sorted(set(found))
    numbers = {text: number for number, text in enumerate(kinds)}
    kind = np.array([numbers[text] for text in found], np.int64)
    start: Numbers = copies["start_ns"].to_numpy(np.int64)
    duration: Numbers = copies["duration_ns"].to_numpy(np.int64)
    size: Numbers = copies["bytes"].to_numpy(np.int64)
    return kind, kinds, start, duration, size


def _kind(name: str, direction: str) -> str:
    """What a copy counts as: the name in traces of Kineto has the places in brackets."""
    head = name.split(" (")[0]
    return head if head.startswith(("Memcpy", "Memset")) else direction or head
