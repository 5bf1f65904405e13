"""The "step times" that the vendor's tools publish for one run, side by side.

They differ because they time different things; `meanings` says which is which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.perf.frames import constant, integers
from studio.perf.steps import step_breakdown
from studio.perf.tasks import NOT_WORK
from studio.perf.work import NO_STEP, device_work

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Times = NDArray[np.int64]


@dataclass(frozen=True)
class StepTimes:
    """The columns of `table`.

    rank, step, stage_ns, whole_run_ns, host_ns, and when each begins: stage_start_ns,
    whole_run_start_ns, host_start_ns.
    """

    table: pd.DataFrame

    def to_json(self) -> object:
        """The times as plain values."""
        return self.table


def meanings() -> dict[str, str]:
    """What each column times, and which tool calls it the step time."""
    return {
        "stage_ns": tr(
            "Stage (step_trace_time.csv): on the device, from the first operator or communication "
            "of the step to the end of the last, or to the next step while the host still is in "
            "this one, without what the profiler calls bubble"
        ),
        "whole_run_ns": tr(
            "E2E (msprof-analyze compare): on the device, from the first to the last task of the "
            "whole recording, whatever steps are in it"
        ),
        "host_ns": tr(
            "Step time (cluster_time_summary): on the host, from the begin to the end of "
            "ProfilerStep, also while the device has not begun or is already done"
        ),
    }


def step_times(profile: Profile, job: Progress | None = None) -> StepTimes:
    """Gather the published step times: Stage, E2E and the host's."""
    import pandas as pd

    breakdown = step_breakdown(profile, job, causes=False).table
    published = profile.table("published_steps", job)
    host = profile.table("host_steps", job)
    steps = sorted(
        {
            int(step)
            for column in (breakdown["step"], published["step"], host["step"])
            for step in column.dropna().tolist()
        }
    )
    numbers = np.array(steps, np.int64) if steps else np.full(1, NO_STEP, np.int64)
    stage = _by_step(published, "stage_ns") or _by_step(breakdown, "stage_ns")
    host = host.assign(host_ns=host["end_ns"] - host["start_ns"])
    whole = whole_run(profile, job)
    count = len(numbers)
    columns: dict[str, Any] = {
        "rank": constant(profile.info.rank, count),
        "step": integers(numbers, numbers != NO_STEP),
        "stage_ns": _values(numbers, stage),
        "whole_run_ns": integers(
            np.full(count, whole[1] - whole[0] if whole else 0), np.full(count, whole is not None)
        ),
        "host_ns": _values(numbers, _by_step(host, "host_ns")),
        "stage_start_ns": _values(numbers, _by_step(breakdown, "start_ns")),
        "whole_run_start_ns": integers(
            np.full(count, whole[0] if whole else 0), np.full(count, whole is not None)
        ),
        "host_start_ns": _values(numbers, _by_step(host, "start_ns")),
    }
    return StepTimes(pd.DataFrame(columns))


def whole_run(profile: Profile, job: Progress | None = None) -> tuple[int, int] | None:
    """Begin and end of everything on the device, as msprof-analyze's comparison takes them.

    From the overlap analysis where the profiler made one, else from all tasks but marks, with
    operators and communication; for GPUs from kernels and copies. None when nothing was recorded.
    """
    overlap = profile.table("overlap", job)
    if len(overlap):
        start = overlap["start_ns"].to_numpy(np.int64)
        end = start + overlap["duration_ns"].to_numpy(np.int64)
        return int(start.min()), int(end.max())
    work = device_work(profile, job)
    parts = [work.computing.intervals, work.communication.intervals]
    if profile.info.hardware == "GPU":
        parts.append(work.copies.intervals)
    tasks = profile.table("tasks", job)
    others = tasks[~tasks["kind"].isin(NOT_WORK)]
    start = others["start_ns"].to_numpy(np.int64)
    parts.append((start, start + others["duration_ns"].to_numpy(np.int64)))
    starts = np.concatenate([begin for begin, _ in parts])
    ends = np.concatenate([end for _, end in parts])
    return (int(starts.min()), int(ends.max())) if len(starts) else None


def _by_step(table: pd.DataFrame, column: str) -> dict[int, int]:
    known = table[table["step"].notna() & table[column].notna()]
    return {int(s): int(v) for s, v in zip(known["step"], known[column], strict=True)}


def _values(steps: Times, values: dict[int, int]) -> pd.arrays.IntegerArray:
    listed = steps.tolist()
    return integers(
        np.array([values.get(step, 0) for step in listed], np.int64),
        np.array([step in values for step in listed], np.bool_),
    )
