"""The work of opening an overview, done in a job."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.job_context import JobContext
    from studio.perf.overview import Overview
    from studio.perf.profile import Info


@dataclass(frozen=True)
class Page:
    """What the overview shows, and where its timeline is (None without one)."""

    path: Path
    info: Info
    overview: Overview
    trace: Path | None


def load_page(path: Path, job: JobContext) -> Page:
    """Read a profile and gather its overview.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.overview.ui.pane")
    from studio.perf.load import load_profile
    from studio.perf.overview import overview

    profile = load_profile(path, job)
    trace = profile.sources.first("trace") or profile.sources.first("timeline")
    return Page(path, profile.info, overview(profile, job), trace)
