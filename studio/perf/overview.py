"""One page about a profile: is it whole, how long is a step, where does it go, what stands out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from studio.kernel.errors import StudioError
from studio.perf.doctor import Diagnosis, examine
from studio.perf.idle import top_gaps
from studio.perf.memory_growth import steps_of_memory
from studio.perf.memory_peak import memory_at
from studio.perf.operators import operators
from studio.perf.shares import step_shares
from studio.perf.step_times import step_times
from studio.perf.steps import step_breakdown

if TYPE_CHECKING:
    import pandas as pd

    from studio.formats.chrome_trace import Progress
    from studio.perf.memory_peak import MemoryAt
    from studio.perf.profile import Profile
    from studio.perf.shares import StepShares

MOST: Final = 10
_GAPS: Final = 500
"""So many of the longest gaps of a profile are looked at for those of one step."""
_OPERATOR: Final = ("type", "name", "core", "count", "total_ns", "share", "bound", "flops_share")
_GAP: Final = (
    "step",
    "start_ns",
    "end_ns",
    "duration_ns",
    "cause",
    "before",
    "after",
    "launched_by",
)


@dataclass(frozen=True)
class Overview:
    """What the overview page shows; None where the profile does not say."""

    diagnosis: Diagnosis
    steps: pd.DataFrame
    times: pd.DataFrame
    shares: StepShares | None
    peak: MemoryAt | None
    operators: pd.DataFrame
    communication: pd.DataFrame
    gaps: pd.DataFrame

    @property
    def step_ns(self) -> int | None:
        """The median step time: Stage where there is one, else the span on device or host."""
        for column in ("stage_ns", "span_ns"):
            known = self.steps[column].dropna()
            if len(known):
                return int(known.median())
        return None

    def to_json(self) -> dict[str, Any]:
        """The page as plain values."""
        peak = self.peak
        return {
            "doctor": {
                "headline": self.diagnosis.headline(),
                "remarks": [remark.to_json() for remark in self.diagnosis.remarks],
            },
            "step_ns": self.step_ns,
            "step_count": len(self.steps),
            "shares": asdict(self.shares) if self.shares else None,
            "step_times": self.times,
            "peak": None
            if peak is None
            else {
                "component": peak.component,
                "device": peak.device,
                "at_ns": peak.at_ns,
                "bytes": peak.bytes,
                "reserved_bytes": peak.reserved_bytes,
                "held_before_bytes": peak.held_before_bytes,
                "live_bytes": peak.live_bytes,
                "live_count": peak.live_count,
            },
            "operators": self.operators,
            "communication": self.communication,
            "gaps": self.gaps,
        }


def overview(
    profile: Profile, job: Progress | None = None, *, diagnosis: Diagnosis | None = None
) -> Overview:
    """Gather the overview of a profile; the doctor reads every table unless one is given."""
    breakdown = step_breakdown(profile, job)
    by = "type" if profile.table("kernels", job)["type"].notna().any() else "name"
    computing = operators(profile, by, counters=profile.has_counters, job=job).table
    sent = operators(profile, "type", kind="communication", counters=False, job=job).table
    return Overview(
        diagnosis=diagnosis or examine(profile, job),
        steps=breakdown.table,
        times=step_times(profile, job).table,
        shares=step_shares(breakdown.table),
        peak=_peak(profile, job),
        operators=_first(computing, _OPERATOR),
        communication=_first(sent, _OPERATOR),
        gaps=_first(top_gaps(profile, MOST, breakdown=breakdown, job=job), _GAP),
    )


def overview_of_step(
    profile: Profile, whole: Overview, step: int, job: Progress | None = None
) -> Overview:
    """The overview of a profile narrowed to one step; tables are empty when it has no such step."""
    mine = whole.steps["step"].eq(step).fillna(False)
    steps = whole.steps[mine].reset_index(drop=True)
    times = whole.times[whole.times["step"].eq(step).fillna(False)].reset_index(drop=True)
    by = "type" if "type" in whole.operators else "name"
    computing = operators(profile, by, step=step, counters=profile.has_counters, job=job).table
    sent = operators(
        profile, "type", kind="communication", step=step, counters=False, job=job
    ).table
    gaps = top_gaps(profile, _GAPS, job=job)
    gaps = gaps[gaps["step"].eq(step).fillna(False)].reset_index(drop=True)
    return replace(
        whole,
        steps=steps,
        times=times,
        shares=step_shares(steps),
        peak=_peak(profile, job, step),
        operators=_first(computing, _OPERATOR),
        communication=_first(sent, _OPERATOR),
        gaps=_first(gaps, _GAP),
    )


def _peak(profile: Profile, job: Progress | None, step: int | None = None) -> MemoryAt | None:
    between = None
    if step is not None:
        known = {number: (start, end) for number, start, end in steps_of_memory(profile, job)}
        between = known.get(step)
    try:
        return memory_at(profile, between=between, job=job)
    except StudioError:  # no memory was recorded, which is no fault
        return None


def _first(table: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    return table[[column for column in columns if column in table]].head(MOST)
