"""The work of breaking the steps of a profile down, done in a job."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from studio.kernel.job_context import JobContext
    from studio.kernel.kept import Kept
    from studio.perf.steps import StepBreakdown


@dataclass(frozen=True)
class Loaded:
    """The steps of one profile, the published step times, and where its timeline is."""

    breakdown: StepBreakdown
    times: pd.DataFrame
    trace: Path | None
    names: tuple[str, ...]
    """The name of the step in every row of the breakdown."""


def load_steps(path: Path, kept: Kept, job: JobContext) -> Loaded:
    """Open a profile and break its steps down.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.steps.ui.pane")
    from studio.perf.shared import shared_profile, shared_steps
    from studio.perf.step_times import step_times

    profile = shared_profile(path, kept, job)
    breakdown = shared_steps(profile, kept, job)
    steps = breakdown.table["step"].astype("Int64")
    names = tuple("–" if step is None else str(step) for step in steps.astype(object).tolist())
    names = tuple("–" if name == "<NA>" else name for name in names)
    trace = profile.sources.first("trace") or profile.sources.first("timeline")
    return Loaded(breakdown, step_times(profile, job).table, trace, names)
