"""What memory is made of at a moment, by default at its peak.

At any time, what a pool has allocated is

    held before + live,

where live are the blocks that were allocated during the recording and not yet released, and held
before is what the pool had when the recording began and has kept until then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf.memory_blocks import BEFORE, UNTIMED, blocks, live_at, live_curve, with_stacks
from studio.perf.memory_records import curve_of, last_process_bytes
from studio.perf.memory_rows import NOT_RECORDED, pieces, place_of_largest, pools_of
from studio.perf.profile import SNAPSHOT

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class MemoryAt:
    """Memory of one component of one device at a time; None where it was not recorded."""

    component: str
    device: str
    at_ns: int
    bytes: int
    """What the pool had allocated."""
    reserved_bytes: int | None
    """What the pool had taken from the device; the rest of it is unused or fragmented."""
    process_bytes: int | None
    """What the whole process had (APP), as last sampled before."""
    held_before_bytes: int | None
    live_bytes: int
    live_count: int
    is_peak: bool
    live: pd.DataFrame
    """The live blocks, the largest first (columns of `blocks`, and `stack`)."""
    held: pd.DataFrame
    """Those of the blocks held before that are known one by one, likewise."""

    @property
    def unused_bytes(self) -> int | None:
        """What is reserved and not allocated."""
        return None if self.reserved_bytes is None else self.reserved_bytes - self.bytes

    def by(self, column: str) -> pd.DataFrame:
        """The live blocks grouped by a column: name, stack, size_class, component."""
        grouped = self.live.groupby(column, observed=True, dropna=False)["bytes"]
        table = grouped.agg(["sum", "count", "max"]).reset_index()
        table = table.rename(columns={"sum": "bytes", "max": "largest_bytes"})
        table["share"] = table["bytes"].astype("Float64") / max(self.live_bytes, 1)
        order = ["bytes", column]
        return table.sort_values(order, ascending=[False, True], ignore_index=True)


def memory_at(
    profile: Profile,
    at_ns: int | None = None,
    *,
    component: str = "",
    device: str = "",
    between: tuple[int, int] | None = None,
    job: Progress | None = None,
) -> MemoryAt:
    """Explain the memory at a time (default: at the first moment of the largest allocation).

    `between` looks for that moment from one time to another, such as in a step. Raises StudioError
    when the profile recorded no memory of the component.
    """
    pools = pools_of(profile, job)
    curve = curve_of(pools, component, device)
    found = blocks(profile, job)
    if curve is None:
        default = "PyTorch" if profile.info.form == "Kineto trace" else "PTA+GE"
        return _of_blocks(profile, found, at_ns, component or default, device, job)
    component, device = curve.component, curve.device
    sizes = curve.allocated
    peak = place = place_of_largest(pieces(sizes)) or 0
    if between is not None and at_ns is None:
        place = _peak_between(curve.times, sizes, between)
        at_ns = None if place == peak else int(curve.times[place])
    if at_ns is not None and between is None:
        place = max(int(np.searchsorted(curve.times, at_ns, "right")) - 1, 0)
    at = int(curve.times[place]) if at_ns is None else at_ns
    reserved = int(curve.reserved[place])
    mine = found[_of_component(found, component) & _of_device(found, device)]
    live = _live(mine, at, profile, job)
    live_bytes = int(live["bytes"].sum())
    held = int(sizes[place]) - live_bytes if len(found) else None
    return MemoryAt(
        component=component,
        device=device,
        at_ns=at,
        bytes=int(sizes[place]),
        reserved_bytes=None if reserved == NOT_RECORDED else reserved,
        process_bytes=last_process_bytes(pools, device, at),
        held_before_bytes=held,
        live_bytes=live_bytes,
        live_count=len(live),
        is_peak=int(sizes[place]) == int(sizes[peak]),
        live=live,
        held=_held(mine, at, profile),
    )


def _peak_between(times: Numbers, sizes: Numbers, between: tuple[int, int]) -> int:
    """Where most is allocated from one time to another; the record before when there is none."""
    first, last = (int(place) for place in np.searchsorted(times, between))
    if first == last:
        return max(first - 1, 0)
    return first + int(np.argmax(sizes[first:last]))


def _of_blocks(
    profile: Profile,
    found: pd.DataFrame,
    at_ns: int | None,
    component: str,
    device: str,
    job: Progress | None,
) -> MemoryAt:
    """Without records of the pool: as far as blocks alone tell."""
    mine = found[_of_component(found, component) & _of_device(found, device)]
    times, sizes = live_curve(mine)
    if not len(times):
        raise StudioError(
            tr(
                "{path} recorded no device memory of {component}; record with profile_memory=True.",
                path=profile.path,
                component=component,
            ),
            path=profile.path,
        )
    peak = int(np.argmax(sizes))
    at = int(times[peak]) if at_ns is None else at_ns
    live = _live(mine, at, profile, job)
    total = int(live["bytes"].sum())
    return MemoryAt(
        component=component,
        device=device or (str(mine["device"].iloc[0]) if len(mine) else ""),
        at_ns=at,
        bytes=total,
        reserved_bytes=None,
        process_bytes=None,
        held_before_bytes=None,
        live_bytes=total,
        live_count=len(live),
        is_peak=total == int(sizes[peak]),
        live=live,
        held=_held(mine, at, profile),
    )


def _live(found: pd.DataFrame, at: int, profile: Profile, job: Progress | None) -> pd.DataFrame:
    live = found[live_at(found, at)].sort_values(["bytes", "row"], ascending=[False, True])
    return with_stacks(live.reset_index(drop=True), profile, job)


def _held(found: pd.DataFrame, at: int, profile: Profile) -> pd.DataFrame:
    """Blocks from before the recording that are there at a time.

    A row of operator_memory.csv without times says nothing, but a snapshot lists what is there at
    its end, and all that has come since.
    """
    ended = found["released_ns"].to_numpy(np.int64, na_value=at)
    there = (found["state"] == BEFORE).to_numpy() & (ended > at)
    if profile.info.form == SNAPSHOT:
        there |= (found["state"] == UNTIMED).to_numpy()
    held = found[there].sort_values(["bytes", "row"], ascending=[False, True])
    return held.reset_index(drop=True)


def _of_component(found: pd.DataFrame, component: str) -> pd.Series:
    if component == "PTA+GE":
        return found["component"].isin(["PTA", "GE"])
    return found["component"] == component


def _of_device(found: pd.DataFrame, device: str) -> pd.Series:
    """Blocks of a device; where blocks name none they belong to the only one there is."""
    return (found["device"] == device) | found["device"].isna() if device else found["row"] >= 0
