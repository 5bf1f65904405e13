"""Why the device was idle: splits free time into causes, as far as the host was recorded.

A gap ends with the operator that begins after it. Until that was launched the gap is the host's,
after that it is the device's:

    before the launch                          after the launch
    data_loading   fetching the next batch     device_wait   the stream waits for another one
    gc             Python collects garbage     launch_delay  launched inside the gap, not begun yet
    memory_api     allocating device memory    scheduling    launched before the gap: what the
    synchronisation waiting for the device                   device needs between two operators
    queue_empty    nothing queued yet
    host_bound     queued, not launched yet

Memory copies inside a gap come first (`copies`). What is left because no launch is known is
`unexplained`. The parts of a gap add up to it exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.host_calls import is_data_loading, is_memory_call, is_wait, named
from studio.perf.launch_times import UNKNOWN, launch_times
from studio.perf.launches import span, threads
from studio.perf.sets import difference, intersection
from studio.perf.tasks import is_wait as is_waiting_task
from studio.trace.intervals import union

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.trace.intervals import Intervals

    Times = NDArray[np.int64]

CAUSES: Final = (
    "copies",
    "data_loading",
    "gc",
    "memory_api",
    "synchronisation",
    "queue_empty",
    "host_bound",
    "device_wait",
    "launch_delay",
    "scheduling",
    "unexplained",
)
"""Every cause, in the order in which they claim time."""


def explain(
    profile: Profile, free: Intervals, copies: Intervals, job: Progress | None = None
) -> dict[str, Intervals]:
    """Split disjoint, ordered gaps into the intervals of each cause."""
    start, end = free
    found: dict[str, Intervals] = {}
    if not len(profile.table("launches", job)):  # then all that is left is unexplained
        nothing = start[:0], end[:0]
        found = dict.fromkeys(CAUSES, nothing)
        found["copies"] = intersection(free, copies)
        found["unexplained"] = difference(free, copies)
        return found
    times = launch_times(profile, job)
    place = np.searchsorted(times.start, end)
    last = max(len(times.start) - 1, 0)
    place = np.minimum(place, last)
    launched = times.launched[place] if len(times.start) else np.full(len(end), UNKNOWN)
    queued = times.queued[place] if len(times.start) else launched
    known = launched != UNKNOWN
    border = np.clip(launched, start, end)
    queue_border = np.where(queued == UNKNOWN, start, np.clip(queued, start, border))

    left = difference(free, copies)
    found["copies"] = intersection(free, copies)
    host = _some(start, border, known)
    for cause, calls in _host_causes(profile, job).items():
        found[cause] = intersection(intersection(left, host), calls)
        left = difference(left, found[cause])
    found["queue_empty"] = intersection(left, _some(start, queue_border, known))
    found["host_bound"] = intersection(left, _some(queue_border, border, known))
    device = intersection(left, _some(border, end, known))
    found["device_wait"] = intersection(device, _device_waits(profile, job))
    device = difference(device, found["device_wait"])
    found["launch_delay"] = intersection(device, _some(border, end, known & (launched > start)))
    found["scheduling"] = intersection(device, _some(border, end, known & (launched <= start)))
    found["unexplained"] = intersection(left, _some(start, end, ~known))
    return {cause: found[cause] for cause in CAUSES}


def _host_causes(profile: Profile, job: Progress | None) -> dict[str, Intervals]:
    """When the threads that launch work did something else."""
    host_ops, api = profile.table("host_ops", job), profile.table("api", job)
    launching = _launching_threads(profile, job)
    mine = np.isin(threads(api), launching) if len(api) else np.zeros(0, np.bool_)
    return {
        "data_loading": _calls(host_ops, is_data_loading),
        "gc": union(*span(profile.table("gc", job))),
        "memory_api": _calls(api, is_memory_call, mine),
        "synchronisation": _calls(api, is_wait, mine),
    }


def _launching_threads(profile: Profile, job: Progress | None) -> Times:
    launches, api = profile.table("launches", job), profile.table("api", job)
    calls = launches["api"].dropna().to_numpy(np.int64)
    operators = threads(profile.table("host_ops", job))
    return np.union1d(threads(api)[calls], operators)


def _calls(
    table: pd.DataFrame, rule: Callable[[str], bool], mine: NDArray[np.bool_] | None = None
) -> Intervals:
    chosen = named(table, rule) if mine is None else named(table, rule) & mine
    start, end = span(table)
    return union(start[chosen], end[chosen])


def _device_waits(profile: Profile, job: Progress | None) -> Intervals:
    tasks = profile.table("tasks", job)
    kinds = tasks["kind"].cat
    fits = np.array([is_waiting_task(str(kind)) for kind in kinds.categories] + [False], np.bool_)
    chosen = fits[kinds.codes.to_numpy()]
    start, end = span(tasks)
    return union(start[chosen], end[chosen])


def _some(start: Times, end: Times, chosen: NDArray[np.bool_]) -> Intervals:
    kept = chosen & (start < end)
    return start[kept], end[kept]
