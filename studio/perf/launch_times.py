"""When the work of the device was queued and launched on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.perf.db_cells import match
from studio.perf.launches import span, threads
from studio.perf.nesting import innermost

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Times = NDArray[np.int64]

UNKNOWN = np.iinfo(np.int64).min


@dataclass(frozen=True)
class LaunchTimes:
    """Kernels and communication by start on the device: when each was queued and launched.

    `queued` is the begin of its enqueue, `launched` the end of the call that launched it; `UNKNOWN`
    where the profile does not tell.
    """

    start: Times
    queued: Times
    launched: Times


def launch_times(profile: Profile, job: Progress | None = None) -> LaunchTimes:
    """Gather the launch times of all kernels and communication operators."""
    tables = [profile.table(name, job) for name in ("kernels", "communication")]
    start = np.concatenate([table["start_ns"].to_numpy(np.int64) for table in tables])
    queued, launched = np.full(len(start), UNKNOWN), np.full(len(start), UNKNOWN)
    launches = profile.table("launches", job)
    if len(launches):
        first = 0
        for name, table in zip(("kernels", "communication"), tables, strict=True):
            mine = launches[launches["table"] == name]
            places = first + mine["index"].to_numpy(np.int64)
            queued[places], launched[places] = _of(mine, profile, job)
            first += len(table)
    order = np.argsort(start, kind="stable")
    return LaunchTimes(start[order], queued[order], launched[order])


def _of(launches: pd.DataFrame, profile: Profile, job: Progress | None) -> tuple[Times, Times]:
    api, queue = profile.table("api", job), profile.table("queue", job)
    host_ops = profile.table("host_ops", job)
    call = launches["api"].to_numpy(np.int64, na_value=-1)
    operator = launches["host_op"].to_numpy(np.int64, na_value=-1)
    begin, end = span(api)
    launched = np.where(call >= 0, _at(end, call), UNKNOWN)
    taken, given = queue[queue["kind"] == "dequeue"], queue[queue["kind"] == "enqueue"]
    if not len(taken) or not len(given):
        _, last = span(host_ops)
        without = (call < 0) & (operator >= 0)
        return np.full(len(call), UNKNOWN), np.where(without, _at(last, operator), launched)
    by_call = innermost(threads(taken), *span(taken), _at(threads(api), call), _at(begin, call))
    by_call = np.where(call >= 0, by_call, -1)
    by_operator = _dequeue_of(operator, host_ops, given, taken)
    dequeue = np.where(by_call >= 0, by_call, np.where(call < 0, by_operator, -1))
    _, done = span(taken)
    launched = np.where((call < 0) & (dequeue >= 0), _at(done, dequeue), launched)
    keys = given["correlation"].to_numpy(np.int64, na_value=-1)
    place, found = match(_at(taken["correlation"].to_numpy(np.int64, na_value=-2), dequeue), keys)
    enqueued, _ = span(given)
    return np.where(found & (dequeue >= 0), _at(enqueued, place), UNKNOWN), launched


def _dequeue_of(
    operator: Times, host_ops: pd.DataFrame, given: pd.DataFrame, taken: pd.DataFrame
) -> Times:
    """The dequeue of what each operator enqueued first, -1 without one."""
    begin, end = span(host_ops)
    enqueue, _ = span(given)
    owner = innermost(threads(host_ops), begin, end, threads(given), enqueue)
    keys = taken["correlation"].to_numpy(np.int64, na_value=-2)
    place, found = match(given["correlation"].to_numpy(np.int64, na_value=-1), keys)
    dequeue = np.full(len(host_ops) + 1, -1, np.int64)
    good = np.flatnonzero(found & (owner >= 0))[::-1]
    dequeue[owner[good]] = place[good]
    return np.where(operator >= 0, dequeue[operator], -1)


def _at(values: Times, places: Times) -> Times:
    """Values at places; any value where the place is -1."""
    return values[places] if len(values) else np.zeros(len(places), np.int64)
