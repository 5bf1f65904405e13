"""Curves of training logs as a view draws them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from studio.formats.training_log import LOSS, TrainingLog, read_training_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Logs:
    """The log of a run, and that of the run it is compared with if there is one."""

    candidate: TrainingLog
    base: TrainingLog | None

    def series(self) -> list[str]:
        """The names of what the candidate logged, the loss first."""
        return sorted(self.candidate.series, key=lambda name: (name != LOSS, name))


def read_logs(path: str | Path, base: str | Path = "", job: JobContext | None = None) -> Logs:
    """Read one log or two; raises StudioError when one cannot be read."""
    candidate = read_training_log(Path(path))
    if job is not None:
        job.check()
    return Logs(candidate, read_training_log(Path(base)) if base else None)


def smooth(values: Sequence[float], weight: float) -> list[float]:
    """Return the exponential moving average, unbiased at the start; what is not finite stays."""
    shown, total, share = [], 0.0, 0.0
    for value in values:
        if not isfinite(value):
            shown.append(value)
            continue
        total = weight * total + (1 - weight) * value
        share = weight * share + (1 - weight)
        shown.append(total / share)
    return shown
