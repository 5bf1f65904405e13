"""The headless part of memory blocks: lists them, explains a peak, follows steps. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from studio.formats.chrome_trace import Progress
    from studio.perf.memory_peak import MemoryAt
    from studio.perf.profile import Profile

_LIVE = ("name", "bytes", "allocated_ns", "released_ns", "state", "size_class", "device", "stack")


def blocks(
    path: Path,
    rank: int = -1,
    state: str = "all",
    sort: str = "time",
    job: Progress | None = None,
) -> pd.DataFrame:
    """List memory blocks (columns: `studio.perf.memory_blocks.blocks`).

    Blocks whose duration is not known stand at the end when sorted by it.
    """
    from studio.perf.memory_blocks import blocks as blocks_of

    def of(profile: Profile) -> pd.DataFrame:
        found = blocks_of(profile, job)
        found = found if state == "all" else found[found["state"] == state]
        column = {"time": "allocated_ns", "size": "bytes", "duration": "duration_ns"}[sort]
        return found.sort_values(
            [column, "row"], ascending=[sort == "time", True], na_position="last"
        )

    return _of_ranks(path, rank, of, job)


def growth(path: Path, rank: int = -1, component: str = "", job: Progress | None = None) -> Growths:
    """Follow the memory of the profiles at a path from step to step."""
    from studio.perf.frames import with_rank
    from studio.perf.memory_growth import growth as growth_of
    from studio.perf.several import profiles_at

    leaks = []

    def of(profile: Profile) -> pd.DataFrame:
        found = growth_of(profile, component, job)
        leaks.append(found.looks_like_a_leak)
        return with_rank(found.table, profile.info.rank)

    profiles = profiles_at(path, rank=_wanted(rank), job=job)
    return Growths(_joined([of(profile) for profile in profiles]), any(leaks))


@dataclass(frozen=True)
class Growths:
    """What `studio memory growth` prints; the exit code is 1 when memory grows step by step."""

    table: pd.DataFrame
    leaks: bool

    @property
    def exit_code(self) -> int:
        """1 when any rank looks like a leak."""
        return int(self.leaks)

    def to_json(self) -> object:
        """The steps as plain values."""
        return self.table


def live(
    path: Path,
    rank: int = -1,
    at: int = -1,
    component: str = "",
    top: int = 0,
    job: Progress | None = None,
) -> Live:
    """Explain the memory at a time, by default at its peak."""
    from studio.perf.memory_peak import memory_at
    from studio.perf.several import profiles_at

    found: list[tuple[int | None, MemoryAt]] = []
    problem: StudioError | None = None
    for profile in profiles_at(path, rank=_wanted(rank), job=job):
        try:
            at_ns = at if at >= 0 else None
            found.append(
                (profile.info.rank, memory_at(profile, at_ns, component=component, job=job))
            )
        except StudioError as error:
            problem = error
    if problem is not None and not found:
        raise problem
    return Live(tuple(found), top)


@dataclass(frozen=True)
class Live:
    """What `studio memory live` prints: one object for one rank, a list for several."""

    ranks: tuple[tuple[int | None, MemoryAt], ...]
    top: int = 0

    def to_json(self) -> object:
        """The peaks and live blocks as plain values."""
        pages = [_page(rank, memory, self.top) for rank, memory in self.ranks]
        return pages[0] if len(pages) == 1 else pages

    def to_text(self) -> str:
        """The peaks and what they are made of, for people."""
        return "\n\n".join(_text(rank, memory, self.top or 15) for rank, memory in self.ranks)


def _page(rank: int | None, memory: MemoryAt, top: int) -> dict[str, object]:
    columns = [column for column in _LIVE if column in memory.live]
    live = memory.live[columns]
    return {
        "rank": rank,
        "peak": {
            "component": memory.component,
            "device": memory.device,
            "at_ns": memory.at_ns,
            "bytes": memory.bytes,
            "reserved_bytes": memory.reserved_bytes,
            "process_bytes": memory.process_bytes,
            "held_before_bytes": memory.held_before_bytes,
            "live_bytes": memory.live_bytes,
            "live_count": memory.live_count,
            "is_peak": memory.is_peak,
        },
        "by_name": memory.by("name"),
        "live": live.head(top) if top else live,
    }


def _text(rank: int | None, memory: MemoryAt, top: int) -> str:
    lines = [
        tr("rank {rank}", rank="–" if rank is None else rank) + f" · {memory.device}",
        tr(
            "{component} at {time} ns: {size} MiB = {held} MiB held before + {live} MiB in {n} "
            "blocks",
            component=memory.component,
            time=memory.at_ns,
            size=_mib(memory.bytes),
            held=_mib(memory.held_before_bytes),
            live=_mib(memory.live_bytes),
            n=memory.live_count,
        ),
    ]
    for row in memory.by("name").head(top).itertuples():
        lines.append(f"{_mib(int(str(row.bytes))):>12} MiB  {row.count:>6}  {row.name}")
    return "\n".join(lines)


def _mib(size: int | None) -> str:
    return "–" if size is None else f"{size / 2**20:,.3f}"


def _of_ranks(
    path: Path, rank: int, table_of: Callable[[Profile], pd.DataFrame], job: Progress | None
) -> pd.DataFrame:
    from studio.perf.frames import with_rank
    from studio.perf.several import profiles_at

    profiles = profiles_at(path, rank=_wanted(rank), job=job)
    return _joined([with_rank(table_of(profile), profile.info.rank) for profile in profiles])


def _joined(tables: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    full = [table for table in tables if len(table)]
    return pd.concat(full, ignore_index=True) if full else tables[0]


def _wanted(rank: int) -> int | None:
    return rank if rank >= 0 else None
