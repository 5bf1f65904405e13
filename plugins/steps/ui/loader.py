"""The work of breaking the steps of a profile down, done in a job."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from plugins.steps.ranks import RankSteps
    from studio.kernel.job_context import JobContext
    from studio.perf.steps import StepBreakdown


@dataclass(frozen=True)
class Loaded:
    """The steps of one profile, the published step times, and where its timeline is."""

    breakdown: StepBreakdown
    times: pd.DataFrame
    trace: Path | None
    names: tuple[str, ...]
    """The name of the step in every row of the breakdown."""


def load_steps(path: Path, job: JobContext) -> Loaded:
    """Open a profile and break its steps down.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.steps.ui.pane")
    from studio.perf.opened import open_profile
    from studio.perf.step_times import step_times
    from studio.perf.steps import step_breakdown

    profile = open_profile(path, job)
    breakdown = step_breakdown(profile, job)
    steps = breakdown.table["step"].astype("Int64")
    names = tuple("–" if step is None else str(step) for step in steps.astype(object).tolist())
    names = tuple("–" if name == "<NA>" else name for name in names)
    trace = profile.sources.first("trace") or profile.sources.first("timeline")
    return Loaded(breakdown, step_times(profile, job).table, trace, names)


def load_ranks(
    path: Path, paths: Sequence[Path], titles: Sequence[str], job: JobContext
) -> RankSteps:
    """Break the steps of all ranks beside a profile down."""
    importlib.import_module("plugins.steps.ui.rankspage")
    from plugins.steps.ranks import steps_of_ranks

    return steps_of_ranks(paths or [path], titles or [path.name], job)
