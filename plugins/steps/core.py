"""The headless part of the steps: the breakdown, the step times, gaps, idle streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile


def breakdown(
    path: Path,
    rank: int = -1,
    step: int = -1,
    quick: bool = False,
    job: Progress | None = None,
) -> pd.DataFrame:
    """Break the steps of all profiles at a path down (columns: `studio.perf.steps`)."""
    from studio.perf.steps import step_breakdown

    return _of_ranks(
        path, rank, step, lambda p: step_breakdown(p, job, causes=not quick).table, job
    )


def times(path: Path, rank: int = -1, step: int = -1, job: Progress | None = None) -> pd.DataFrame:
    """List the published step times side by side (columns: `studio.perf.step_times`)."""
    from studio.perf.step_times import step_times

    return _of_ranks(path, rank, step, lambda p: step_times(p, job).table, job)


def gaps(
    path: Path,
    rank: int = -1,
    step: int = -1,
    top: int = 20,
    job: Progress | None = None,
) -> pd.DataFrame:
    """List the longest gaps with what was around them and why (columns: `studio.perf.idle`)."""
    from studio.perf.frames import with_rank
    from studio.perf.idle import top_gaps

    def of(profile: Profile) -> pd.DataFrame:
        return with_rank(top_gaps(profile, top, job=job), profile.info.rank)

    return _of_ranks(path, rank, step, of, job)


def streams(path: Path, rank: int = -1, job: Progress | None = None) -> pd.DataFrame:
    """List why every stream was idle (columns: rank, then `studio.perf.stream_idle`)."""
    from studio.perf.frames import with_rank
    from studio.perf.stream_idle import stream_idle

    def of(profile: Profile) -> pd.DataFrame:
        return with_rank(stream_idle(profile, job), profile.info.rank)

    return _of_ranks(path, rank, -1, of, job)


def _of_ranks(
    path: Path,
    rank: int,
    step: int,
    table_of: Callable[[Profile], pd.DataFrame],
    job: Progress | None,
) -> pd.DataFrame:
    import pandas as pd

    from studio.perf.several import profiles_at

    profiles = profiles_at(path, rank=rank if rank >= 0 else None, job=job)
    tables = [table_of(profile) for profile in profiles]
    full = [table for table in tables if len(table)]
    found = pd.concat(full, ignore_index=True) if full else tables[0]
    return found[found["step"] == step].reset_index(drop=True) if step >= 0 else found
