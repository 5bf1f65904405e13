"""When the device computed, communicated and copied, and in which step, as arrays of intervals.

Kernels and communication operators are taken where they were recorded; else the overlap analysis
of the profiler, which has the same times without their owners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.perf.communication import (
    is_all_to_all,
    is_hidden_communication,
    is_point_to_point,
    is_vendor_bubble,
)
from studio.perf.frames import let_go_of
from studio.perf.host_calls import named
from studio.perf.launched_by import host_positions

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.trace.intervals import Intervals

    Times = NDArray[np.int64]

NO_STEP = -1
_KEPT_KERNELS = 500_000


@dataclass(frozen=True)
class Work:
    """What one kind of work did: starts, ends and step of each piece (`NO_STEP` where unknown)."""

    start: Times
    end: Times
    step: Times

    def __len__(self) -> int:
        return len(self.start)

    @property
    def intervals(self) -> Intervals:
        """All pieces, as they are."""
        return self.start, self.end

    def where(self, chosen: NDArray[np.bool_]) -> Work:
        """Some of the pieces."""
        if chosen.all():
            return self
        return Work(self.start[chosen], self.end[chosen], self.step[chosen])


@dataclass(frozen=True)
class DeviceWork:
    """All work of the device that step times are made of.

    `bubble` is communication between two ranks, `vendor_bubble` the part of it that the vendor's
    profiler calls so. `recorded` is False when neither operators nor an overlap analysis is there.
    """

    computing: Work
    communication: Work
    copies: Work
    bubble: Work
    vendor_bubble: Work
    recorded: bool
    named: bool
    """Whether communication has names, so that bubbles can be told."""
    computing_recorded: bool = True
    """False where only communication was recorded."""


def device_work(profile: Profile, job: Progress | None = None) -> DeviceWork:
    """Gather the work of the device with its steps; once, unless it is so much that it weighs."""
    if len(profile.table("kernels", job)) > _KEPT_KERNELS:
        return _gathered(profile, job)
    return profile.derived("device work", lambda: _gathered(profile, job), job)


def _gathered(profile: Profile, job: Progress | None) -> DeviceWork:
    kernels = profile.table("kernels", job)
    communication = profile.table("communication", job)
    copies = profile.table("copies", job)
    nothing = _work(kernels.iloc[:0], np.zeros(0, np.int64))
    if not len(kernels) and not len(communication):
        overlap = profile.table("overlap", job)
        return DeviceWork(
            _unowned(overlap, "Computing"),
            _unowned(overlap, "Communication"),
            _work(copies, np.full(len(copies), NO_STEP)),
            nothing,
            nothing,
            recorded=len(overlap) > 0,
            named=False,
        )
    steps = Steps(profile, job)
    computing = _work(kernels, steps.of("kernels", kernels))
    computing = computing.where(~named(kernels, is_hidden_communication))
    sent = _work(communication, steps.of("communication", communication))
    framework = profile.info.framework
    for table in (kernels, communication, copies):
        let_go_of(table)
    return DeviceWork(
        computing,
        sent,
        _work(copies, steps.of("copies", copies)),
        sent.where(_neighbours(profile, communication, job)),
        sent.where(named(communication, lambda name: is_vendor_bubble(name, framework))),
        recorded=True,
        named=True,
        computing_recorded="kernels" in profile.offered,
    )


class Steps:
    """Finds the step of device work.

    As recorded (Step Id); else the host step in which the operator that launched it began, or the
    call that did; else, for work that nothing is known to have launched, the step whose work on the
    device is around it; else, when nothing at all is linked, the host step it began in.
    """

    def __init__(self, profile: Profile, job: Progress | None = None) -> None:
        self._profile = profile
        self._job = job
        steps = profile.table("host_steps", job)
        known = steps[steps["step"].notna()].sort_values("start_ns")
        self.number = known["step"].to_numpy(np.int64)
        self.start = known["start_ns"].to_numpy(np.int64)
        self.end = known["end_ns"].to_numpy(np.int64)

    def of(self, name: str, table: pd.DataFrame) -> Times:
        """The step of every row of kernels, communication or copies."""
        found = np.full(len(table), NO_STEP, np.int64)
        if "step" in table:
            recorded = table["step"].notna().to_numpy()
            found[recorded] = table["step"].to_numpy(np.int64, na_value=NO_STEP)[recorded]
        if not len(self.number) or not len(table) or (found != NO_STEP).any():
            return found
        start = table["start_ns"].to_numpy(np.int64)
        launched = self.launched(name, len(table))
        found[launched >= 0] = self._at(launched[launched >= 0])
        linked = found != NO_STEP
        if not linked.any():
            return self._at(start)
        self._by_neighbours(start, found, launched)
        return found

    def launched(self, name: str, rows: int) -> Times:
        """When the host began to launch each row of a table, -1 where that is not known."""
        launches = self._profile.table("launches", self._job)
        mine = launches[launches["table"] == name] if len(launches) else launches
        times = np.full(rows, -1, np.int64)
        for column, source in (("api", "api"), ("host_op", "host_ops")):
            known = mine[mine[column].notna()]
            starts = self._profile.table(source, self._job)["start_ns"].to_numpy(np.int64)
            if len(known):
                places = known["index"].to_numpy(np.int64)
                times[places] = starts[known[column].to_numpy(np.int64)]
        return times

    def _at(self, times: Times) -> Times:
        place = np.searchsorted(self.start, times, "right") - 1
        inside = (place >= 0) & (times < self.end[np.maximum(place, 0)])
        return np.where(inside, self.number[np.maximum(place, 0)], NO_STEP)

    def _by_neighbours(self, start: Times, found: Times, launched: Times) -> None:
        """Give work of unknown origin the step whose work on the device is around it."""
        unknown = np.flatnonzero((found == NO_STEP) & (launched < 0))
        for number in np.unique(found[found != NO_STEP]).tolist():
            mine = start[found == number]
            within = (start[unknown] >= mine.min()) & (start[unknown] <= mine.max())
            found[unknown[within]] = number


def _neighbours(
    profile: Profile, communication: pd.DataFrame, job: Progress | None
) -> NDArray[np.bool_]:
    """Which communication sends or receives between two ranks.

    NCCL carries out all_to_all with kernels called SendRecv: what called them tells the two apart.
    """
    found = named(communication, is_point_to_point)
    if profile.info.hardware == "NPU" or not found.any():
        return found
    host_ops = profile.table("host_ops", job)
    if not len(host_ops):
        return found
    place = host_positions("communication", len(communication), profile, job)
    to_all = named(host_ops, is_all_to_all)
    return found & ~((place >= 0) & to_all[place])


def _work(table: pd.DataFrame, step: Times) -> Work:
    start = table["start_ns"].to_numpy(np.int64)
    return Work(start, start + table["duration_ns"].to_numpy(np.int64), step)


def _unowned(overlap: pd.DataFrame, kind: str) -> Work:
    rows = overlap[overlap["kind"] == kind]
    return _work(rows, np.full(len(rows), NO_STEP, np.int64))
