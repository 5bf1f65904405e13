"""Where a step's time went: computing, communication, idle time by cause.

The window of a step is what its operators and communication span on the device, from the start of
the first to the end of the last. All sums are lengths of unions of intervals in integer
nanoseconds, so that no moment counts twice and, in every window,

    span = computing + not overlapped + free,   communication = overlapped + not overlapped,
    free = the sum of its causes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import constant, integers
from studio.perf.gaps import CAUSES, explain
from studio.perf.sets import difference, intersection
from studio.perf.work import NO_STEP, Work, device_work
from studio.trace.intervals import clip, covered_parts, union

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.perf.work import DeviceWork
    from studio.trace.intervals import Intervals

    Times = NDArray[np.int64]

TIMES: Final = (
    "span_ns",
    "stage_ns",
    "computing_ns",
    "communication_ns",
    "not_overlapped_ns",
    "overlapped_ns",
    "free_ns",
    "copies_ns",
    "preparing_ns",
    "bubble_ns",
    "own_bubble_ns",
)
"""Columns of the breakdown.

    stage_ns       span without what the vendor's profiler calls bubble: its step time
    copies_ns      memory copies, whatever ran beside them
    preparing_ns   from the start of the step on the host to the first work on the device
    bubble_ns      the vendor's definition: the sum of hcom_receive operations (MindSpore's profiler
                   also counts what sends)
    own_bubble_ns  communication between two ranks (send, receive, batchSendRecv) while the device
                   computes nothing: what a pipeline waits for its neighbours
"""
FREE: Final = tuple(f"free_{cause}_ns" for cause in CAUSES)
_PUBLISHED: Final = (
    "stage_ns",
    "computing_ns",
    "communication_ns",
    "not_overlapped_ns",
    "overlapped_ns",
    "free_ns",
    "bubble_ns",
    "preparing_ns",
)


@dataclass(frozen=True)
class StepBreakdown:
    """The table of all steps, and the intervals that its numbers are made of.

    The columns of `table`: rank, step, source ("computed" from intervals; "published" by the
    profiler or only timed on the "host" where nothing else is left), start_ns, end_ns, `TIMES` and
    `FREE`; missing where not recorded. `parts` maps computing, communication, not_overlapped,
    overlapped, free, bubble, own_bubble, all_copies and `CAUSES` to disjoint intervals of the whole
    profile.
    """

    table: pd.DataFrame
    parts: Mapping[str, Intervals]

    def intervals(self, row: int, part: str) -> Intervals:
        """What a number of a step is made of, in time order: a part, preparing, span or stage."""
        window = self.table.iloc[row]
        nothing = np.zeros(0, np.int64), np.zeros(0, np.int64)
        if window["source"] != "computed":
            return nothing
        start, end = int(window["start_ns"]), int(window["end_ns"])
        if part in ("span", "stage"):
            whole = np.array([start]), np.array([end])
            return whole if part == "span" else difference(whole, self.parts["bubble"])
        if part == "preparing" and str(window["preparing_ns"]) != "<NA>":
            return np.array([start - int(window["preparing_ns"])]), np.array([start])
        return clip(self.parts[part], start, end) if part in self.parts else nothing

    def to_json(self) -> object:
        """The steps as plain values."""
        return self.table


def step_breakdown(
    profile: Profile, job: Progress | None = None, *, causes: bool = True
) -> StepBreakdown:
    """Break every step down; without `causes` the host's part of the profile is not read."""
    work = device_work(profile, job)
    windows = _windows(profile, work, job)
    parts = _parts(work, windows)
    if causes and len(windows):
        parts |= explain(profile, parts["free"], parts["all_copies"], job)
    computed = _table(profile, work, windows, parts, job)
    return StepBreakdown(_completed(profile, computed, job), parts)


@dataclass(frozen=True)
class _Windows:
    step: Times
    start: Times
    end: Times

    def __len__(self) -> int:
        return len(self.step)


def _windows(profile: Profile, work: DeviceWork, job: Progress | None) -> _Windows:
    if not work.recorded:
        nothing = np.zeros(0, np.int64)
        return _Windows(nothing, nothing, nothing)
    if work.named:
        runs = [_runs(work.computing), _runs(work.communication)]
    else:  # the overlap analysis also says when nothing ran
        overlap = profile.table("overlap", job)
        start = overlap["start_ns"].to_numpy(np.int64)
        end = start + overlap["duration_ns"].to_numpy(np.int64)
        runs = [_runs(Work(start, end, np.full(len(start), NO_STEP, np.int64)))]
    step, start, end = map(np.concatenate, zip(*runs, strict=True))
    chosen = step != NO_STEP if (step != NO_STEP).any() else np.ones(len(step), np.bool_)
    numbers, place = np.unique(step[chosen], return_inverse=True)
    first = np.full(len(numbers), np.iinfo(np.int64).max)
    last = np.full(len(numbers), np.iinfo(np.int64).min)
    np.minimum.at(first, place, start[chosen])
    np.maximum.at(last, place, end[chosen])
    return _Windows(numbers, first, last)


def _runs(work: Work) -> tuple[Times, Times, Times]:
    """Pieces of the same step behind each other as one: its step, first start and last end."""
    if not len(work):
        return work.step, work.start, work.end
    begin = np.concatenate(([0], 1 + np.flatnonzero(work.step[1:] != work.step[:-1])))
    starts, ends = np.minimum.reduceat(work.start, begin), np.maximum.reduceat(work.end, begin)
    return work.step[begin], starts, ends


def _parts(work: DeviceWork, windows: _Windows) -> dict[str, Intervals]:
    computing = union(*work.computing.intervals)
    communication = union(*work.communication.intervals)
    not_overlapped = difference(communication, computing)
    return {
        "computing": computing,
        "communication": communication,
        "not_overlapped": not_overlapped,
        "overlapped": intersection(communication, computing),
        "free": difference(difference((windows.start, windows.end), computing), not_overlapped),
        "own_bubble": difference(union(*work.bubble.intervals), computing),
        "bubble": union(*work.vendor_bubble.intervals),
        "all_copies": union(*work.copies.intervals),
    }


def _table(
    profile: Profile,
    work: DeviceWork,
    windows: _Windows,
    parts: Mapping[str, Intervals],
    job: Progress | None,
) -> pd.DataFrame:
    import pandas as pd

    def inside(intervals: Intervals) -> Times:
        return covered_parts(windows.start, windows.end, intervals)

    count = len(windows)
    span = windows.end - windows.start
    bubble = _sums(work.vendor_bubble, windows)
    columns: dict[str, Any] = {
        "rank": constant(profile.info.rank, count),
        "step": integers(windows.step, windows.step != NO_STEP),
        "source": pd.array(["computed"] * count, dtype="str"),
        "start_ns": _all(windows.start),
        "end_ns": _all(windows.end),
        "span_ns": _all(span),
        "stage_ns": integers(span - bubble, np.full(count, work.named)),
        "copies_ns": _recorded(inside(parts["all_copies"]), _offers(profile, "copies")),
        "preparing_ns": _preparing(profile, windows, job),
        "bubble_ns": _recorded(bubble, work.named),
        "own_bubble_ns": _recorded(
            inside(parts["own_bubble"]), work.named and work.computing_recorded
        ),
    }
    for part in ("computing", "communication", "not_overlapped", "overlapped", "free"):
        known = work.computing_recorded or part == "communication"
        columns[f"{part}_ns"] = _recorded(inside(parts[part]), known)
    for cause, name in zip(CAUSES, FREE, strict=True):
        told = cause in parts and work.computing_recorded and _tells(profile, cause, job)
        columns[name] = _recorded(inside(parts[cause]) if told else np.zeros(count, int), told)
    order = ["rank", "step", "source", "start_ns", "end_ns", *TIMES, *FREE]
    return pd.DataFrame({name: columns[name] for name in order})


_TOLD_BY: Final = {
    "copies": ("copies",),
    "data_loading": ("host_ops",),
    "gc": ("gc",),
    "memory_api": ("api",),
    "synchronisation": ("api",),
    "queue_empty": ("queue",),
    "device_wait": ("tasks",),
    "host_bound": ("launches",),
    "launch_delay": ("launches",),
    "scheduling": ("launches",),
    "unexplained": (),
}


def _tells(profile: Profile, cause: str, job: Progress | None) -> bool:
    """Whether the tables that a cause is seen in were recorded."""
    if cause == "copies":
        return _offers(profile, "copies")
    if cause == "gc" and profile.info.settings.get("_gc_detect_threshold") is not None:
        return True
    return all(profile.has(table, job) for table in _TOLD_BY[cause])


def _offers(profile: Profile, table: str) -> bool:
    return table in profile.offered


def _preparing(profile: Profile, windows: _Windows, job: Progress | None) -> Any:  # noqa: ANN401
    steps = profile.table("host_steps", job)
    if profile.info.form == "MindInsight":  # its iterations are those of the device
        steps = steps.iloc[:0]
    host = {
        int(step): int(start)
        for step, start in zip(steps["step"].fillna(NO_STEP), steps["start_ns"], strict=True)
    }
    begin = np.array([host.get(step, -1) for step in windows.step.tolist()], np.int64)
    known = np.array([step in host for step in windows.step.tolist()], np.bool_)
    return integers(np.where(known, windows.start - begin, 0), known)


def _sums(work: Work, windows: _Windows) -> Times:
    """The sum of durations per step, each piece in the step it begins in."""
    place = np.searchsorted(windows.start, work.start, "right") - 1
    inside = place >= 0
    sums = np.zeros(len(windows), np.int64)
    np.add.at(sums, place[inside], (work.end - work.start)[inside])
    return sums


def _completed(profile: Profile, table: pd.DataFrame, job: Progress | None) -> pd.DataFrame:
    """Add what only the profiler published, and steps of which only the host is known."""
    import pandas as pd

    published = profile.table("published_steps", job)
    for row in range(len(table)):
        match = published[published["step"].eq(table["step"].iloc[row]).fillna(False)]
        for name in ("preparing_ns", "bubble_ns"):
            if len(match) and table[name].isna().iloc[row]:
                table.loc[row, name] = match[name].iloc[0]
    known = set(table["step"].dropna().tolist())
    if len(table) and not known:
        return table
    missing = published[~published["step"].isin(known)]
    parts = [table, _rows(profile, missing, "published", _PUBLISHED)]
    if not len(table) and not len(missing):
        host = profile.table("host_steps", job)
        host = host.assign(span_ns=host["end_ns"] - host["start_ns"])
        parts.append(_rows(profile, host, "host", ("start_ns", "end_ns", "span_ns")))
    return pd.concat([part for part in parts if len(part)] or [table], ignore_index=True)


def _rows(
    profile: Profile, found: pd.DataFrame, source: str, columns: tuple[str, ...]
) -> pd.DataFrame:
    import pandas as pd

    count = len(found)
    made: dict[str, Any] = {
        name: integers(np.zeros(count, np.int64), np.zeros(count, np.bool_))
        for name in ("rank", "step", "source", "start_ns", "end_ns", *TIMES, *FREE)
    }
    made["rank"] = constant(profile.info.rank, count)
    made["step"] = found["step"].array
    made["source"] = pd.array([source] * count, dtype="str")
    made |= {name: pd.array(found[name].tolist(), dtype="Int64") for name in columns}
    return pd.DataFrame(made)


def _all(values: Times) -> pd.arrays.IntegerArray:
    return integers(values, np.ones(len(values), np.bool_))


def _recorded(values: Times, recorded: bool) -> pd.arrays.IntegerArray:
    return integers(values, np.full(len(values), recorded))
