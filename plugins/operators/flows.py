"""What flowed to the device: queues of launches and copies of memory over time. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.perf.copy_bandwidth import bandwidth_summary, copy_bandwidths
from studio.perf.queue_length import queue_lengths, queue_summary

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Series = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True)
class Flows:
    """The tables of `queue_summary` and `bandwidth_summary`, and for each of their rows a curve.

    A curve is times and the values from each on; all have the same first and last time, at which
    nothing is outstanding and nothing is copied.
    """

    queues: pd.DataFrame
    queue_curves: list[Series]
    copies: pd.DataFrame
    copy_curves: list[Series]


def flows(profile: Profile, job: Progress | None = None) -> Flows:
    """Gather the queues and the copies of a profile."""
    lengths, rates = queue_lengths(profile, job), copy_bandwidths(profile, job)
    queues, copies = queue_summary(lengths), bandwidth_summary(profile, job)
    times = np.concatenate([table["time_ns"].to_numpy(np.int64) for table in (lengths, rates)])
    ends = (int(times.min()), int(times.max())) if len(times) else (0, 0)
    by_stream = dict(list(lengths.groupby(["device", "stream"], dropna=False)))
    by_kind = dict(list(rates.groupby("kind", observed=True)))
    streams = zip(queues["device"], queues["stream"], strict=True)
    return Flows(
        queues,
        [_curve(by_stream[stream], "length", ends) for stream in streams],
        copies,
        [_curve(by_kind[kind], "bytes_per_ns", ends) for kind in copies["kind"]],
    )


def _curve(part: pd.DataFrame, column: str, ends: tuple[int, int]) -> Series:
    times, values = part["time_ns"].to_numpy(np.int64), part[column].to_numpy(np.float64)
    return (
        np.concatenate(([ends[0]], times, [ends[1]])),
        np.concatenate(([0.0], values, [0.0])),
    )
