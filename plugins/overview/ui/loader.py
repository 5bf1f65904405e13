"""The work of opening an overview, done in a job."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.job_context import JobContext
    from studio.perf.doctor import Diagnosis
    from studio.perf.overview import Overview
    from studio.perf.profile import Profile


@dataclass(frozen=True)
class Page:
    """What the overview shows, and where its timeline is (None without one)."""

    path: Path
    profile: Profile
    overview: Overview
    trace: Path | None
    steps: tuple[int, ...]
    """The steps there are to choose from."""
    step: int | None = None
    examined: bool = False
    """Whether the doctor has looked at it; until then its remarks are missing."""


def load_page(path: Path, job: JobContext) -> Page:
    """Read a profile and gather its overview.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.overview.ui.pane")
    from studio.perf.opened import open_profile
    from studio.perf.overview import overview

    profile = open_profile(path, job)
    trace = profile.sources.first("trace") or profile.sources.first("timeline")
    found = overview(profile, job, diagnosis=_not_examined(profile))
    steps = tuple(int(step) for step in found.steps["step"].dropna().tolist())
    return Page(path, profile, with_shares(found), trace, steps)


def examine_page(page: Page, job: JobContext) -> Page:
    """The same page with what the doctor says, which has to read every table."""
    from studio.perf.doctor import examine

    found = replace(page.overview, diagnosis=examine(page.profile, job))
    return replace(page, overview=found, examined=True)


def _not_examined(profile: Profile) -> Diagnosis:
    from studio.perf.doctor import Diagnosis

    info = profile.info
    return Diagnosis(profile.path, info.form, info.framework, info.level, info.rank, (), ())


def page_of_step(page: Page, step: int, job: JobContext) -> Page:
    """The page about one step of a profile that was read."""
    from studio.perf.overview import overview_of_step

    found = overview_of_step(page.profile, page.overview, step, job)
    return replace(page, overview=with_shares(found), step=step)


def with_shares(found: Overview) -> Overview:
    """Take the shares that the profiler published where none can be computed.

    Its step table does not tell copies from other idle time: all of that is scheduling.
    """
    from studio.perf.shares import StepShares

    names = ["computing_ns", "not_overlapped_ns", "free_ns"]
    table = found.steps[names].dropna()
    if found.shares is not None or not len(table):
        return found
    computing, sent, free = (int(table[name].sum()) for name in names)
    span = max(computing + sent + free, 1)
    shares = StepShares(span, computing / span, sent / span, None, free / span)
    return replace(found, shares=shares)
