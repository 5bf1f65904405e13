"""One profile for all views that show it, so that none of its tables is read twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.perf.load import load_profile
from studio.perf.sources import find_sources
from studio.perf.steps import step_breakdown

if TYPE_CHECKING:
    from pathlib import Path

    from studio.formats.chrome_trace import Progress
    from studio.kernel.kept import Kept
    from studio.perf.profile import Profile
    from studio.perf.steps import StepBreakdown

    Stamp = tuple[tuple[str, int, int], ...]


def shared_profile(path: Path, kept: Kept | None, job: Progress | None = None) -> Profile:
    """The profile at a path; the one that others hold, unless a file changed since.

    Raises StudioError when there is no profile.
    """
    if kept is None:
        return load_profile(path, job)
    key = ("profile", str(path), stamp_of(path))
    return kept.get(key, lambda: load_profile(path, job))


def shared_steps(profile: Profile, kept: Kept | None, job: Progress | None = None) -> StepBreakdown:
    """The breakdown of a profile into steps, made once for all that hold it."""
    if kept is None:
        return step_breakdown(profile, job)
    key = ("steps", str(profile.path), stamp_of(profile.path))
    return kept.get(key, lambda: step_breakdown(profile, job))


def stamp_of(path: Path) -> Stamp:
    """Name, size and time of change of every file of a profile: changes when one of them does."""
    sources = find_sources(path)
    files = sorted({file for files in sources.files.values() for file in files})
    found = []
    for file in files:
        status = file.stat()
        found.append((str(file), status.st_size, status.st_mtime_ns))
    return tuple(found)
