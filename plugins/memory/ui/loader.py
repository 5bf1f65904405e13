"""The work of opening the memory of a profile, done in jobs."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from plugins.memory.core import Curve, Memory
    from plugins.memory.fragments import Fragments
    from studio.kernel.job_context import JobContext
    from studio.perf.memory_growth import Growth
    from studio.perf.memory_peak import MemoryAt
    from studio.perf.static_memory import StaticMemory
    from studio.ui.envelope import Envelope

    Prepared = tuple[Memory, list[Envelope]]


@dataclass(frozen=True)
class Blocks:
    """All blocks of a profile, and the largest of them in lanes (`plugins.memory.lifetimes`)."""

    table: pd.DataFrame
    largest: pd.DataFrame
    origin: int


@dataclass(frozen=True)
class Unused:
    """What was reserved and not allocated, by pool, each with its curve."""

    found: tuple[Fragments, ...]
    envelopes: tuple[Envelope, ...]


@dataclass(frozen=True)
class Others:
    """Memory beside the pools.

    `modules` are the parts of CANN (component, device, count of records, first_bytes, last_bytes,
    peak_bytes, grown_bytes), `plans` graphs with a curve over nodes each, `segments` those of a
    snapshot, those with most unused bytes first.
    """

    modules: pd.DataFrame
    plans: tuple[StaticMemory, ...]
    envelopes: tuple[Envelope, ...]
    segments: pd.DataFrame


@dataclass(frozen=True)
class OtherRank:
    """The main curves of another rank, moved in time where its clock is another one."""

    title: str
    memory: Memory
    envelopes: tuple[Envelope, ...]
    moved_ns: int


def load_first(path: Path, job: JobContext) -> tuple[Prepared, float | None]:
    """The memory of a profile, or some of it where it takes long to read: what share of its file.

    None says that it is all.
    """
    from plugins.memory.core import memory_of
    from studio.perf.sample import large_file, sample_of

    file = large_file(path, "memory")
    if file is None:
        return load_memory(path, job), None
    importlib.import_module("plugins.memory.ui.pane")
    profile, share = sample_of(file, "memory", spread=True)
    return _prepared(memory_of(profile, path, job)), share


def load_memory(path: Path, job: JobContext) -> Prepared:
    """Read the memory of a profile and prepare its curves for drawing.

    Also imports the code that will show it: on the thread of the window that would be felt.
    """
    importlib.import_module("plugins.memory.ui.pane")
    from plugins.memory.core import load

    return _prepared(load(path, job=job))


def _prepared(memory: Memory) -> Prepared:
    from studio.formats.column_file import let_go
    from studio.ui.envelope import Envelope

    envelopes = []
    for curve in memory.curves:
        envelopes.append(Envelope(curve.times, curve.values))
        for column in (curve.times, curve.values):
            let_go(column)
    return memory, envelopes


def load_live(path: Path, at: int | None, component: str, job: JobContext) -> MemoryAt | None:
    """What is live at a time (None: at the peak); None when no memory of it was recorded."""
    importlib.import_module("plugins.memory.ui.livepage")
    from plugins.memory.lifetimes import with_lifetimes
    from studio.kernel.errors import StudioError
    from studio.perf.memory_peak import memory_at
    from studio.perf.opened import open_profile

    try:
        found = memory_at(open_profile(path, job), at, component=component, job=job)
    except StudioError:
        return None
    return with_lifetimes(found)


def load_blocks(path: Path, job: JobContext) -> Blocks:
    """All blocks of a profile, with call stacks where they are known."""
    importlib.import_module("plugins.memory.ui.blockspage")
    from plugins.memory.lifetimes import largest_blocks
    from studio.perf.memory_blocks import blocks, with_stacks
    from studio.perf.opened import open_profile

    profile = open_profile(path, job)
    table = with_stacks(blocks(profile, job), profile, job)
    times = profile.table("memory", job)["time_ns"]
    columns = (table["allocated_ns"], table["released_ns"], times)
    known = [column for column in columns if column.notna().any()]
    origin = min((int(column.min()) for column in known), default=0)
    end = max((int(column.max()) for column in known), default=0)
    return Blocks(table, largest_blocks(table, end), origin)


def load_growth(path: Path, component: str, job: JobContext) -> Growth:
    """Memory from step to step."""
    importlib.import_module("plugins.memory.ui.tables")
    from studio.perf.memory_growth import growth
    from studio.perf.opened import open_profile

    return growth(open_profile(path, job), component, job)


def load_unused(path: Path, job: JobContext) -> Unused:
    """What every pool had reserved and not allocated."""
    importlib.import_module("plugins.memory.ui.unusedpage")
    from plugins.memory.fragments import fragments_of
    from studio.perf.memory_records import COMPONENTS, curve_of
    from studio.perf.memory_rows import pools_of
    from studio.perf.opened import open_profile
    from studio.ui.envelope import Envelope

    table = pools_of(open_profile(path, job), job)
    curves = [curve_of(table, component) for component in COMPONENTS]
    pools = [fragments_of(curve) for curve in curves if curve is not None]
    found = tuple(pool for pool in pools if pool is not None)
    return Unused(found, tuple(Envelope(pool.times, pool.unused) for pool in found))


def load_others(path: Path, job: JobContext) -> Others:
    """What parts of CANN reserve, what was planned for graphs, and segments of a snapshot."""
    importlib.import_module("plugins.memory.ui.otherspage")
    from studio.perf.opened import open_profile
    from studio.perf.static_memory import static_memory
    from studio.ui.envelope import Envelope

    profile = open_profile(path, job)
    modules = profile.table("module_memory", job).sort_values("time_ns", kind="stable")
    grouped = modules.groupby(["component", "device"], observed=True, dropna=False)
    made = grouped["reserved_bytes"].agg(["count", "first", "last", "max"]).reset_index()
    made = made.rename(columns={"first": "first_bytes", "last": "last_bytes", "max": "peak_bytes"})
    made["grown_bytes"] = made["last_bytes"] - made["first_bytes"]
    made = made.sort_values("peak_bytes", ascending=False, ignore_index=True)
    plans = tuple(static_memory(profile, job))
    envelopes = tuple(
        Envelope(plan.curve["node"].to_numpy(np.int64), plan.curve["bytes"].to_numpy(np.float64))
        for plan in plans
    )
    segments = profile.table("segments", job)
    segments = segments.assign(unused_bytes=segments["bytes"] - segments["allocated_bytes"])
    order = segments.sort_values("unused_bytes", ascending=False, ignore_index=True)
    return Others(made, plans, envelopes, order)


def load_ranks(
    paths: Sequence[Path], titles: Sequence[str], start: int, end: int, job: JobContext
) -> list[OtherRank]:
    """The main curves of other ranks.

    A rank whose times do not meet `start` to `end` has another clock: its first record is put at
    `start`.
    """
    from plugins.memory.core import load
    from studio.kernel.errors import StudioError
    from studio.ui.envelope import Envelope

    found = []
    for number, (path, title) in enumerate(zip(paths, titles, strict=True)):
        job.report(number / len(paths), title)
        try:
            memory = load(path, job=job)
        except StudioError:  # a rank without memory leaves the others to be compared
            continue
        curves = main_curves(memory)
        if not curves:
            continue
        first = min(int(curve.times[0]) for curve in curves)
        last = max(int(curve.times[-1]) for curve in curves)
        moved = 0 if first <= end and last >= start else start - first
        envelopes = tuple(Envelope(curve.times + moved, curve.values) for curve in curves)
        kept = type(memory)(memory.path, tuple(curves), memory.peaks, (), memory.records)
        found.append(OtherRank(title, kept, envelopes, moved))
    return found


def main_curves(memory: Memory) -> list[Curve]:
    """What the pool as a whole had allocated and reserved."""
    for component in ("PTA+GE", "PTA", "PyTorch", "GE"):
        chosen = [c for c in memory.curves if c.component == component and c.kind != "active"]
        if chosen:
            return chosen
    return list(memory.curves[:1])
