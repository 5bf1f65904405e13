"""When an operator ran and how long: a histogram of durations, and counts over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def distribution(rows: pd.DataFrame, bins: int = 40) -> pd.DataFrame:
    """How many of some operators took how long (columns: from_ns, to_ns, count, total_ns).

    Bins are equally wide on a logarithmic scale when the longest takes over ten times as long as
    the shortest, else equally wide; the last one includes its end.
    """
    import pandas as pd

    duration = np.sort(rows["duration_ns"].to_numpy(np.int64))
    if not len(duration):
        return pd.DataFrame({name: np.zeros(0, np.int64) for name in _BINS})
    low, high = max(int(duration[0]), 0), int(duration[-1])
    if high > 10 * max(low, 1):
        edges = np.geomspace(max(low, 1), high + 1, bins + 1)
    else:
        edges = np.linspace(low, high + 1, bins + 1)
    limits = np.unique(np.rint(edges).astype(np.int64))
    limits[0] = low
    place = np.searchsorted(duration, limits)
    sums = np.concatenate(([0], np.cumsum(duration)))
    columns: dict[str, Any] = {
        "from_ns": limits[:-1],
        "to_ns": limits[1:],
        "count": np.diff(place),
        "total_ns": np.diff(sums[place]),
    }
    return pd.DataFrame(columns)


def over_time(rows: pd.DataFrame, bins: int = 200) -> pd.DataFrame:
    """How often some operators ran over time, by start.

    Columns: from_ns, to_ns (equal parts from the first start to the last end), count, total_ns,
    min_ns, max_ns (the shortest and longest that began there; missing where none did).
    """
    import pandas as pd

    start = rows["start_ns"].to_numpy(np.int64)
    duration = rows["duration_ns"].to_numpy(np.int64)
    if not len(start):
        return pd.DataFrame({name: np.zeros(0, np.int64) for name in (*_BINS, "min_ns", "max_ns")})
    first, last = int(start.min()), int((start + duration).max()) + 1
    bins = max(min(bins, last - first), 1)
    edges = first + (np.arange(bins + 1) * (last - first)) // bins
    place = np.searchsorted(edges, start, "right") - 1
    count = np.bincount(place, minlength=bins)
    least, most = np.full(bins, np.iinfo(np.int64).max), np.full(bins, -1)
    np.minimum.at(least, place, duration)
    np.maximum.at(most, place, duration)
    total = np.zeros(bins, np.int64)
    np.add.at(total, place, duration)
    none = count == 0
    columns: dict[str, Any] = {
        "from_ns": edges[:-1],
        "to_ns": edges[1:],
        "count": count,
        "total_ns": total,
        "min_ns": pd.arrays.IntegerArray(np.where(none, 0, least), none),
        "max_ns": pd.arrays.IntegerArray(np.where(none, 0, most), none.copy()),
    }
    return pd.DataFrame(columns)


def trends(rows: pd.DataFrame, group: Numbers, count: int, bins: int = 24) -> NDArray[np.float64]:
    """How long operators of each group took on average in equal parts of the time of all rows.

    `group` says for every row which of `count` groups it belongs to. Returns ns, (count, bins); NaN
    where none of a group began.
    """
    start = rows["start_ns"].to_numpy(np.int64)
    if not len(start) or not count:
        return np.full((count, bins), np.nan)
    first = int(start.min())
    length = int(start.max()) - first + 1
    part = ((start - first).astype(np.float64) / length * bins).astype(np.int64)
    cell = group * bins + np.minimum(part, bins - 1)
    often = np.bincount(cell, minlength=count * bins)
    total = np.bincount(cell, rows["duration_ns"].to_numpy(np.float64), count * bins)
    mean = np.full(count * bins, np.nan)
    np.divide(total, often, out=mean, where=often > 0)
    return mean.reshape(count, bins)


_BINS = ("from_ns", "to_ns", "count", "total_ns")
