"""What a function gets to see of the job it runs in: progress, messages, cancel, subprocesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


class Cancelled(Exception):
    """Raised by `JobContext.check` in a job that was cancelled."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One report of a running job; `line` is a line for its log."""

    fraction: float | None = None
    message: str = ""
    line: str | None = None


class JobContext:
    """Handed to a function that has a parameter named `job`; may be used from any thread."""

    def __init__(
        self, tell: Callable[[Progress], object], is_cancelled: Callable[[], bool]
    ) -> None:
        self._tell = tell
        self._is_cancelled = is_cancelled

    def report(self, fraction: float | None = None, message: str = "") -> None:
        """Say how much is done (0 to 1, None when unknown) and what is being done."""
        if fraction is not None:
            fraction = min(max(float(fraction), 0.0), 1.0)
        self._tell(Progress(fraction, message))

    def log(self, line: str) -> None:
        """Add a line to the log of the job."""
        self._tell(Progress(line=line))

    @property
    def cancelled(self) -> bool:
        """Whether the user no longer wants the result."""
        return self._is_cancelled()

    def check(self) -> None:
        """Raise Cancelled when the user no longer wants the result; call it often."""
        if self._is_cancelled():
            raise Cancelled

    def subprocess(
        self,
        arguments: Sequence[str | Path],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Finished:
        """Run a program; its output goes to the log line by line.

        When the job is cancelled or the time is up, the program and everything it started is ended.
        """
        from studio.kernel.process_tree import run_tree

        return run_tree(self, arguments, cwd=cwd, env=env, timeout=timeout)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: its exit code and all it wrote (both streams, in order)."""

    exit_code: int
    output: str
