"""What the plugin computes, for the window and the command line alike. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.findings import Finding, Severity
from studio.model.locations import Location

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.kernel.jobs import JobContext


@dataclass(frozen=True)
class LongLine:
    """One line that is too long; `line` counts from 1."""

    line: int
    length: int


def long_lines(file: Path, limit: int = 100) -> list[LongLine]:
    """List the lines of a text file that have more than `limit` characters."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise StudioError(tr("{file} is not a text file.", file=file), path=file) from error
    return [LongLine(n, len(line)) for n, line in enumerate(lines, 1) if len(line) > limit]


def find_long_lines(
    files: Sequence[Path], limit: int, job: JobContext
) -> dict[Path, list[Finding]]:
    """Look through many files as a job: it says how far it is and can be cancelled."""
    found: dict[Path, list[Finding]] = {}
    for number, file in enumerate(files):
        job.report(number / len(files), file.name)
        job.check()
        try:
            found[file] = [_finding(file, line, limit) for line in long_lines(file, limit)]
        except (StudioError, OSError):
            found[file] = []
    return found


def _finding(file: Path, line: LongLine, limit: int) -> Finding:
    return Finding(
        key=f"{file}:{line.line}",
        rule="long-line",
        severity=Severity.HINT,
        title=tr("{n} characters", n=line.length),
        location=Location.source(file, line.line),
        why=tr("Lines of more than {limit} characters are hard to compare.", limit=limit),
    )
