"""The work of opening and grouping operators, done in jobs."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.kernel.job_context import JobContext
    from studio.perf.chips import Chip
    from studio.perf.operators import Operators
    from studio.perf.profile import Profile

_MOST_TRENDS = 10_000


@dataclass(frozen=True)
class Grouped:
    """Operators as they were asked for, of a profile that stays open for the next question."""

    profile: Profile
    operators: Operators
    kind: str
    step: int | None
    steps: tuple[int, ...]
    """The steps there are to choose from."""
    trace: Path | None
    groupings: tuple[str, ...]
    """What can be grouped by, as far as it was recorded."""
    trends: NDArray[np.float64] | None = None
    """How long those of each group took over time, see `studio.perf.occurrences.trends`."""


def load_first(
    path: Path, by: str, kind: str, step: int | None, chip: Chip | None, job: JobContext
) -> tuple[Grouped, bool]:
    """The operators of a profile, or the first ones singly where it takes long to read them all.

    The second value says whether it is all.
    """
    from studio.perf.sample import large_file, sample_of

    file = large_file(path, "kernels")
    if file is None:
        return load_operators(path, by, kind, step, chip, job), True
    importlib.import_module("plugins.operators.ui.pane")
    profile, _ = sample_of(file, "kernels", spread=False)
    return group_operators(profile, "kernel", kind, None, chip, job, counters=False), False


def load_operators(
    path: Path, by: str, kind: str, step: int | None, chip: Chip | None, job: JobContext
) -> Grouped:
    """Open a profile and group its operators.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.operators.ui.pane")
    from studio.perf.opened import open_profile

    return group_operators(open_profile(path, job), by, kind, step, chip, job)


def group_operators(
    profile: Profile,
    by: str,
    kind: str,
    step: int | None,
    chip: Chip | None,
    job: JobContext,
    *,
    counters: bool = True,
) -> Grouped:
    """Group the operators of an open profile in another way; `counters` are read from its files."""
    from studio.perf.frames import let_go_of
    from studio.perf.occurrences import trends
    from studio.perf.operators import operators
    from studio.perf.work import NO_STEP, Steps

    groupings = _groupings(profile, kind, job)
    by = by if by in groupings else groupings[0]
    found = operators(profile, by, kind=kind, step=step, chip=chip, counters=counters, job=job)
    numbers: set[int] = set()
    for table in ("kernels", "communication"):
        rows = profile.table(table, job)
        if len(rows):
            numbers |= set(np.unique(Steps(profile, job).of(table, rows)).tolist())
            let_go_of(rows)
    trace = profile.sources.first("trace") or profile.sources.first("timeline")
    steps = tuple(sorted(numbers - {NO_STEP}))
    count, several = len(found.table), by != "kernel" and 0 < len(found.table) <= _MOST_TRENDS
    over = trends(found.rows, found.group, count) if several else None
    let_go_of(found.rows)
    return Grouped(profile, found, kind, step, steps, trace, groupings, over)


def _groupings(profile: Profile, kind: str, job: JobContext) -> tuple[str, ...]:
    from studio.perf.frames import let_go_of
    from studio.perf.operators import GROUPINGS

    kernels = profile.table("kernels", job)
    host = profile.has("host_ops", job)
    needs_host = ("operator", "stack", "module", "category")

    def recorded(by: str) -> bool:
        if by in ("state", "core", "shape", "category") and kind == "communication":
            return False
        if by in needs_host:
            return host
        column = {"shape": "input_shapes", "kernel": "row"}.get(by, by)
        return column not in kernels or by == "step" or bool(kernels[column].notna().any())

    known = tuple(by for by in GROUPINGS if recorded(by))
    let_go_of(kernels)
    return known if len(kernels) else ("type", "name", "step", "kernel")
