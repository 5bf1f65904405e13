"""The headless part of the operators: tables by any grouping, the host, queues and copies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from studio.api import Studio
    from studio.formats.chrome_trace import Progress
    from studio.perf.chips import Chip
    from studio.perf.profile import Profile

CHIP_SETTINGS: Final = ("operators.chip", "operators.peak_tflops", "operators.bandwidth_gbs")
"""What says which chip it is, and what it can do."""
_TERA, _GIGA = 1e12, 1e9


def table(
    path: Path,
    by: str = "type",
    kind: str = "compute",
    rank: int = -1,
    step: int = -1,
    chip: str = "",
    plain: bool = False,
    studio: Studio | None = None,
    job: Progress | None = None,
) -> pd.DataFrame:
    """Group the operators of all profiles at a path (columns: `studio.perf.operators`)."""
    from studio.perf.operators import operators

    known = chosen_chip(chip, studio)

    def of(profile: Profile) -> pd.DataFrame:
        wanted = step if step >= 0 else None
        return operators(
            profile, by, kind=kind, step=wanted, chip=known, counters=not plain, job=job
        ).table

    return _of_ranks(path, rank, of, job)


def host(path: Path, by: str = "name", rank: int = -1, job: Progress | None = None) -> pd.DataFrame:
    """List operators on the host (columns: `studio.perf.host_operators`)."""
    from studio.perf.host_operators import host_operators

    return _of_ranks(path, rank, lambda profile: host_operators(profile, by, job), job)


def api(path: Path, rank: int = -1, job: Progress | None = None) -> pd.DataFrame:
    """List calls of the runtime (columns: `studio.perf.host_operators.api_calls`)."""
    from studio.perf.host_operators import api_calls

    return _of_ranks(path, rank, lambda profile: api_calls(profile, job), job)


def queue(
    path: Path, rank: int = -1, summary: bool = False, job: Progress | None = None
) -> pd.DataFrame:
    """List the queue lengths of streams, or sum them up (columns: `studio.perf.queue_length`)."""
    from studio.perf.queue_length import queue_lengths, queue_summary

    def of(profile: Profile) -> pd.DataFrame:
        series = queue_lengths(profile, job)
        return queue_summary(series) if summary else series

    return _of_ranks(path, rank, of, job)


def bandwidth(
    path: Path, rank: int = -1, summary: bool = False, job: Progress | None = None
) -> pd.DataFrame:
    """List the bandwidth of copies, or sum it up (columns: `studio.perf.copy_bandwidth`)."""
    from studio.perf.copy_bandwidth import bandwidth_summary, copy_bandwidths

    of = bandwidth_summary if summary else copy_bandwidths
    return _of_ranks(path, rank, lambda profile: of(profile, job), job)


def chosen_chip(name: str, studio: Studio | None) -> Chip | None:
    """The chip that was named, else the one of the settings; None leaves it to the profile.

    Its peak and its bandwidth are those of the settings where these are set. Raises StudioError for
    a name that the table of chips does not have.
    """
    from studio.perf.chips import Chip, chip_of, chips

    settings: dict[str, Any] = dict.fromkeys(CHIP_SETTINGS)
    if studio is not None:
        settings = {key: studio.setting(key) for key in settings}
    name = name or str(settings["operators.chip"] or "")
    found = chip_of(name) if name else None
    if name and found is None:
        listed = ", ".join(chip.name for _, chip in chips())
        raise StudioError(
            tr("“{name}” is no known chip; known are {names}.", name=name, names=listed)
        )
    peak = float(settings["operators.peak_tflops"] or 0) * _TERA or None
    bandwidth = float(settings["operators.bandwidth_gbs"] or 0) * _GIGA or None
    if peak is None and bandwidth is None:
        return found
    if found is None:
        return Chip(tr("own setting"), peak, None, None, bandwidth)
    return replace(
        found,
        name=f"{found.name} · {tr('own setting')}",
        fp16=peak or found.fp16,
        bandwidth=bandwidth or found.bandwidth,
    )


def _of_ranks(
    path: Path, rank: int, table_of: Callable[[Profile], pd.DataFrame], job: Progress | None
) -> pd.DataFrame:
    import pandas as pd

    from studio.perf.frames import with_rank
    from studio.perf.several import profiles_at

    profiles = profiles_at(path, rank=rank if rank >= 0 else None, job=job)
    tables = [with_rank(table_of(profile), profile.info.rank) for profile in profiles]
    full = [found for found in tables if len(found)]
    return pd.concat(full, ignore_index=True) if full else tables[0]
