"""Statistics of durations per group, vectorised and exact in integer nanoseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_MOST_CELLS: Final = 1 << 20
"""Up to so many combinations are looked up, which needs neither sorting nor its memory."""


def group_rows(table: pd.DataFrame, columns: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Number the distinct combinations of some columns; rows without a text form one as well.

    Returns the group of every row, and one row of each group (its first).
    """
    group, count = np.zeros(len(table), np.int64), 1
    for column in columns:
        codes, distinct = _codes(table[column])
        group *= distinct
        group += codes
        group, count = _numbered(group, count * distinct)
        if count == len(group):  # others tell no more apart
            break
    if not len(group):
        return group, group
    first = np.zeros(count, np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]  # of several rows the last written stays
    return group, first


def sums(group: Numbers, values: Numbers, count: int) -> Numbers:
    """The exact sum of whole numbers per group."""
    found = np.zeros(count, np.int64)
    np.add.at(found, group, values)
    return found


def statistics(group: Numbers, duration: Numbers, count: int) -> dict[str, Numbers]:
    """Count, total, average, least, largest and quantiles of durations per group.

    Quantiles are values that occur: the smallest one that the share of durations does not exceed.
    """
    order = np.lexsort((duration, group))
    ordered = duration[order]
    number = np.bincount(group, minlength=count).astype(np.int64)
    first = np.cumsum(number) - number
    total = sums(group, duration, count)
    return {
        "count": number,
        "total_ns": total,
        "avg_ns": np.rint(total / np.maximum(number, 1)).astype(np.int64),
        "min_ns": ordered[first],
        "max_ns": ordered[first + number - 1],
        "p50_ns": ordered[first + _rank(number, 50)],
        "p99_ns": ordered[first + _rank(number, 99)],
    }


def alone(start: Numbers, end: Numbers) -> Numbers:
    """How long each interval is the only one that runs."""
    order = np.argsort(start, kind="stable")
    begins = start[order]
    reach = np.maximum.accumulate(end[order])
    apart = np.concatenate(([True], begins[1:] >= reach[:-1], [True]))[-len(start) - 1 :]
    among = np.ones(len(start), np.bool_)
    among[order] = ~(apart[:-1] & apart[1:])
    own = end - start
    own[among] = _alone(start[among], end[among])
    return own


def _alone(start: Numbers, end: Numbers) -> Numbers:
    pieces = len(start)
    times = np.concatenate((start, end))
    change = np.concatenate((np.ones(pieces, np.int64), np.full(pieces, -1)))
    owner = np.concatenate((np.arange(pieces), -np.arange(pieces)))
    order = np.lexsort((change, times))
    running, owners = np.cumsum(change[order]), np.cumsum(owner[order])
    length = np.diff(times[order], append=times[order][-1:])
    single = (running == 1) & (length > 0)
    return sums(owners[single], length[single], pieces)


def _rank(count: Numbers, percent: int) -> Numbers:
    return np.maximum(-(-count * percent // 100) - 1, 0)


def _numbered(values: Numbers, limit: int) -> tuple[Numbers, int]:
    """Values below a limit numbered in their order without gaps, and how many there are."""
    if limit > _MOST_CELLS:
        distinct, found = np.unique(values, return_inverse=True)
        return found.astype(np.int64, copy=False), len(distinct)
    used = np.zeros(limit, np.bool_)
    used[values] = True
    number = np.cumsum(used) - 1
    return number[values], int(used.sum())


def _codes(column: pd.Series) -> tuple[NDArray[Any], int]:
    """Numbers of the distinct values, missing ones last, and a number above all."""
    if column.dtype == "category":
        codes, count = column.cat.codes.to_numpy(), len(column.cat.categories)
    else:
        codes, distinct = column.factorize(use_na_sentinel=True)
        count = len(distinct)
    missing = codes < 0
    if missing.any():
        codes = np.where(missing, count, codes.astype(np.int64, copy=False))
    return codes, count + 1
