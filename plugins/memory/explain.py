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
    step: int = -1,
    by: str = "name",
    job: Progress | None = None,
) -> Live:
    """Explain the memory at a time, by default at its peak (or that of a step)."""
    from studio.perf.memory_peak import memory_at
    from studio.perf.several import profiles_at

    found: list[tuple[int | None, MemoryAt]] = []
    problem: StudioError | None = None
    for profile in profiles_at(path, rank=_wanted(rank), job=job):
        try:
            at_ns = at if at >= 0 else None
            between = _span_of(profile, step, job) if step >= 0 else None
            memory = memory_at(profile, at_ns, component=component, between=between, job=job)
            found.append((profile.info.rank, memory))
        except StudioError as error:
            problem = error
    if problem is not None and not found:
        raise problem
    return Live(tuple(found), top, by)


def _span_of(profile: Profile, step: int, job: Progress | None) -> tuple[int, int]:
    """When a step was; raises StudioError when the profile has no such step."""
    from studio.perf.memory_growth import steps_of_memory

    spans = {number: (start, end) for number, start, end in steps_of_memory(profile, job)}
    if step not in spans:
        listed = ", ".join(map(str, sorted(spans))) or "–"
        raise StudioError(
            tr(
                "{path} has no step {step}; there are {steps}.",
                path=profile.path,
                step=step,
                steps=listed,
            ),
            path=profile.path,
        )
    return spans[step]


@dataclass(frozen=True)
class Live:
    """What `studio memory live` prints: one object for one rank, a list for several."""

    ranks: tuple[tuple[int | None, MemoryAt], ...]
    top: int = 0
    by: str = "name"

    def to_json(self) -> object:
        """The peaks and live blocks as plain values."""
        pages = [_page(rank, memory, self.top, self.by) for rank, memory in self.ranks]
        return pages[0] if len(pages) == 1 else pages

    def to_csv(self) -> str:
        """The live blocks of all ranks, one line each."""
        from studio.kernel.render import to_csv
        from studio.perf.frames import with_rank

        return to_csv(_joined([with_rank(_live(m, self.top), rank) for rank, m in self.ranks]))

    def to_text(self) -> str:
        """The peaks and what they are made of, for people."""
        top = self.top or 15
        return "\n\n".join(_text(rank, memory, top, self.by) for rank, memory in self.ranks)


def _live(memory: MemoryAt, top: int) -> pd.DataFrame:
    columns = [column for column in _LIVE if column in memory.live]
    live: pd.DataFrame = memory.live[columns]
    return live.head(top) if top else live


def _page(rank: int | None, memory: MemoryAt, top: int, by: str) -> dict[str, object]:
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
        f"by_{by}": memory.by(by),
        "live": _live(memory, top),
    }


def _text(rank: int | None, memory: MemoryAt, top: int, by: str) -> str:
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
    for row in memory.by(by).head(top).to_dict("records"):
        name = str(row[by]).partition("\n")[0]
        lines.append(f"{_mib(int(row['bytes'])):>12} MiB  {row['count']:>6}  {name}")
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
