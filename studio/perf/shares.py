"""How the time of a run divides, over the whole recording and over its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.work import Steps, device_work
from studio.trace.intervals import difference, intersection, length, union

if TYPE_CHECKING:
    import pandas as pd

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.trace.intervals import Intervals


_SUMMED: Final = ("span", "computing", "not_overlapped", "free", "free_copies", "free_memory_api")


@dataclass(frozen=True, slots=True)
class RunShares:
    """The device over the whole recording, from its first kernel or copy to its last.

    `other_ns` is communication and copies while nothing computed: idle + computing + other is span.
    `overlap_share` is the part of communication that computing hides; None without communication.
    These are the temporal breakdown and the overlap of Holistic Trace Analysis.
    """

    span_ns: int
    idle_ns: int
    computing_ns: int
    other_ns: int
    overlap_share: float | None


@dataclass(frozen=True, slots=True)
class StepShares:
    """The four shares of all steps, which add up to 1.

    `memory` is copies and memory calls while the device was idle, None where neither was recorded;
    `scheduling` is the rest of the idle time: the device waits for the host, for a launch, or for
    another stream.
    """

    span_ns: int
    computing: float
    communication: float
    memory: float | None
    scheduling: float


def run_shares(
    profile: Profile, job: Progress | None = None, *, without_last_step: bool = False
) -> RunShares | None:
    """Divide the whole recording; None when nothing of the device was recorded.

    `without_last_step` leaves out what was launched from the last of several steps on, since the
    recording may have ended before it was done: so does Holistic Trace Analysis.
    """
    work = device_work(profile, job)
    parts = {
        "kernels": work.computing,
        "communication": work.communication,
        "copies": work.copies,
    }
    host = profile.table("host_steps", job)
    if without_last_step and len(host) > 1:
        last, steps = int(host["start_ns"].max()), Steps(profile, job)
        for name, part in parts.items():
            launched = steps.launched(name, len(part))
            parts[name] = part.where((launched >= 0) & (launched < last))
    computing, communication, copies = (union(*part.intervals) for part in parts.values())
    busy = _joined(computing, communication, copies)
    if not len(busy[0]):
        return None
    span = int(busy[1][-1] - busy[0][0])
    sent = length(communication)
    hidden = length(intersection(communication, computing))
    return RunShares(
        span_ns=span,
        idle_ns=span - length(busy),
        computing_ns=length(computing),
        other_ns=length(difference(busy, computing)),
        overlap_share=hidden / sent if sent else None,
    )


def step_shares(table: pd.DataFrame) -> StepShares | None:
    """Divide the steps of a breakdown; None when none was computed from intervals."""
    known = table[table["span_ns"].notna() & table["computing_ns"].notna()]
    if not len(known):
        return None
    total = {
        name: int(known[f"{name}_ns"].fillna(0).sum())
        for name in (
            "span",
            "computing",
            "not_overlapped",
            "free_copies",
            "free_memory_api",
            "free",
        )
    }
    span = total["span"] or 1
    memory = total["free_copies"] + total["free_memory_api"]
    recorded = known[["free_copies_ns", "free_memory_api_ns"]].notna().to_numpy().any()
    return StepShares(
        span_ns=total["span"],
        computing=total["computing"] / span,
        communication=total["not_overlapped"] / span,
        memory=memory / span if recorded else None,
        scheduling=(total["free"] - memory) / span,
    )


def _joined(*sets: Intervals) -> Intervals:
    return union(
        np.concatenate([start for start, _ in sets]), np.concatenate([end for _, end in sets])
    )
