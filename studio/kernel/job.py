"""One piece of background work, as the window shows it."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.kernel.job_context import Progress
    from studio.kernel.references import Reference

_LOG_LINES = 2000


class JobState(Enum):
    """How far a job has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(eq=False)
class Job:
    """One piece of background work; everything here is read and changed on the main thread."""

    id: int
    title: str
    owner: str
    key: str
    reference: Reference
    item: Path | None = None
    remote: bool = False
    state: JobState = JobState.QUEUED
    progress: float | None = None
    message: str = ""
    log: deque[str] = field(default_factory=lambda: deque(maxlen=_LOG_LINES))
    error: BaseException | None = None
    details: str = ""
    started: float = field(default_factory=time.monotonic)
    finished: float | None = None
    wanted: bool = True
    done: Callable[[Any], object] | None = None
    failed: Callable[[BaseException], object] | None = None
    on_cancel: Callable[[Job], object] | None = None

    @property
    def active(self) -> bool:
        """Whether it is queued or running."""
        return self.state in (JobState.QUEUED, JobState.RUNNING)

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return (self.finished or time.monotonic()) - self.started

    def cancel(self) -> None:
        """Give up the result; the work itself stops at its next `check`."""
        if self.active:
            self.wanted = False
            self.end(JobState.CANCELLED)
            if self.on_cancel is not None:
                self.on_cancel(self)

    def end(self, state: JobState) -> None:
        """Note how it ended."""
        self.state = state
        self.finished = time.monotonic()

    def take(self, progress: Progress) -> None:
        """Note a report of the running function."""
        if progress.line is not None:
            self.log.append(progress.line)
            return
        self.progress = progress.fraction
        if progress.message:
            self.message = progress.message
