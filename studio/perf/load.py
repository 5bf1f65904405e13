"""Opens a profile in whatever form a profiler left it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from studio.formats.byte_source import open_bytes
from studio.formats.chrome_sniff import fields_before_events
from studio.formats.chrome_trace import outer_fields
from studio.formats.database import Database
from studio.formats.kineto_memory import ARGS as MEMORY_ARGS
from studio.formats.kineto_memory import memory_record
from studio.perf import frames, launches, read_kineto, read_trace
from studio.perf.frames import Recorded, empty
from studio.perf.host_view import host_view
from studio.perf.info import read_info
from studio.perf.kineto_blocks import blocks_of, memory_events
from studio.perf.profile import Profile
from studio.perf.read_analysis import analysis_readers, read_communication_json
from studio.perf.read_db import db_readers
from studio.perf.read_db_device import counter_parts as counters_of_database
from studio.perf.read_mindinsight import mindinsight_readers
from studio.perf.read_text import counter_parts, has_counters, text_readers
from studio.perf.schema import TABLES, TEXT
from studio.perf.sources import find_sources
from studio.perf.trace_slices import SliceTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Reader
    from studio.perf.sources import Sources
    from studio.trace import Trace

_ROUNDED_NS = 1


def load_profile(path: Path | str, job: Progress | None = None) -> Profile:
    """Open the profile of one rank: a folder of a profiler, a trace, a database or a pack.

    Its tables are read when they are asked for. A database comes before text, and tables before
    what a trace can tell. Raises StudioError when there is no profile.
    """
    sources = find_sources(Path(path))
    if pack := sources.first("pack"):
        from studio.perf.pack import read_pack

        return read_pack(pack)
    if (alone := _memory_alone(sources, job)) is not None:
        return alone
    file = sources.first("database")
    database = Database(file) if file is not None else None
    head = _kineto_head(sources.first("trace"))
    info = read_info(sources, database, head)
    readers: dict[str, Reader] = {}
    trace: Callable[[Progress | None], Trace] | None = None
    made: list[ref[Profile]] = []

    def whole() -> Profile:
        """The profile that asks its own readers; held weakly, so that it goes once it is let go."""
        profile = made[0]()
        assert profile is not None  # it is asking
        return profile

    def slices(job: Progress | None) -> Trace:
        loaded = whole().trace(job)
        assert loaded is not None  # only asked for when there is one
        return loaded

    if found := sources.first("trace") or sources.first("timeline"):
        trace = _trace_loader(
            found, read_kineto.ARGS if head else read_trace.ARGS, MEMORY_ARGS if head else ()
        )
        of_trace = read_kineto.kineto_readers if head else read_trace.trace_readers
        readers |= of_trace(slices)
        if head:
            kineto = found
            readers["memory"] = readers["allocations"] = lambda job: _kineto_memory(
                kineto, whole(), job
            )
            readers["host_view"] = lambda job: {"host_view": host_view(SliceTable(slices(job)))}
    readers |= mindinsight_readers(sources)
    if analysis := sources.first("analysis"):
        readers |= analysis_readers(Database(analysis))
    readers |= text_readers(sources)
    if published := sources.first("communication_times"):
        report = published
        readers["communication_times"] = lambda job: {
            "communication_times": read_communication_json(report)
        }
    if database is not None:
        readers |= db_readers(database)
    counters = _counters(sources, database)
    if {"kernels", "host_ops"} <= readers.keys():
        readers["launches"] = lambda job: {"launches": _launches(whole(), database, head, job)}
    profile = Profile(sources.path, info, sources, readers, counters=counters, trace=trace)
    made.append(ref(profile))
    if job is not None:
        job.check()
    return profile


def _memory_alone(sources: Sources, job: Progress | None) -> Profile | None:
    """A recording of memory and nothing else: a snapshot of PyTorch, a database of msMemScope."""
    kinds = sources.files.keys()
    if kinds == {"snapshot"}:
        from studio.perf.read_snapshot import snapshot_profile

        return snapshot_profile(sources.files["snapshot"][0], sources, job)
    if kinds == {"memscope"}:
        from studio.perf.read_memscope import memscope_profile

        found = sources.files["memscope"][0]
        return memscope_profile(found, sources, Database(found))
    return None


def _trace_loader(
    path: Path, args: tuple[str, ...], instant_args: tuple[str, ...]
) -> Callable[[Progress | None], Trace]:
    def load(job: Progress | None) -> Trace:
        from studio.trace import load as load_trace

        return load_trace(path, arg_columns=args, instant_args=instant_args, job=job)

    return load


def _counters(
    sources: Sources, database: Database | None
) -> Callable[[Progress | None], Iterator[pd.DataFrame]] | None:
    if database is not None and database.find("COMPUTE_TASK_INFO"):
        if not database.find("TASK_PMU_INFO"):
            return None
        known = database
        return lambda job: counters_of_database(known, job)
    files = sources.get("kernels")
    if files and has_counters(files):
        return lambda job: counter_parts(files, job)
    return None


def _launches(
    profile: Profile, database: Database | None, head: Mapping[str, Any], job: Progress | None
) -> Recorded:
    host_ops = profile.table("host_ops", job)
    tables = {name: profile.table(name, job) for name in launches.TABLES}
    host = {name: profile.table(name, job) for name in ("api", "queue", "host_ops")}
    if database is not None and database.find("PYTORCH_API"):
        host_of = launches.by_connection_ids(database, host_ops)
    else:
        trace = profile.trace(job)
        if trace is None:
            return Recorded(empty("launches"))
        slices = SliceTable(trace)
        if head:
            host_of = launches.by_external_id(slices, host_ops)
        else:
            host_of = launches.by_arrows(slices, host_ops)
            tables["kernels"] = _with_connections(tables["kernels"], profile.table("tasks", job))
            groups = read_trace.communication_of(slices).frame
            tables["communication"] = _with_connections(tables["communication"], groups)
    return launches.launches(tables, host, host_of)


def _with_connections(table: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Kernel tables name no connections: those of the slices that begin at the same time.

    The two round times differently, so that they may differ by a nanosecond.
    """
    known = slices[slices["connection"].notna()].sort_values("start_ns")
    if not len(table) or not len(known) or table["connection"].notna().any():
        return table
    starts = known["start_ns"].to_numpy(np.int64)
    wanted = table["start_ns"].to_numpy(np.int64)
    place = np.minimum(np.searchsorted(starts, wanted - _ROUNDED_NS), len(starts) - 1)
    found = np.abs(starts[place] - wanted) <= _ROUNDED_NS
    connection = known["connection"].to_numpy(np.int64)[place]
    return table.assign(connection=frames.integers(connection, found))


def _kineto_memory(path: Path, profile: Profile, job: Progress | None) -> dict[str, Recorded]:
    """The tables that are made of memory events, which the trace tells whether there are."""
    trace = profile.trace(job)
    events = memory_events(trace, path, job) if trace is not None else None
    if not events:
        return {}
    read = memory_record(events)
    columns = {str(name): values for name, values in read.frame.items()}
    for column in TABLES["memory"].columns:
        if column.dtype == TEXT:
            columns[column.name] = read.frame[column.name].replace("", None).astype(TEXT)
    return {
        "memory": Recorded(read.frame.assign(**columns), {}, read.faults),
        "allocations": blocks_of(events, profile.table("host_ops", job)),
    }


def _kineto_head(path: Path | None) -> dict[str, Any]:
    """The fields before the events of a Kineto trace; nothing for a trace of another profiler."""
    if path is None:
        return {}
    try:
        with open_bytes(path) as source:
            before = fields_before_events(source)
    except OSError:
        return {}
    if before is None:
        return {}
    return {"schemaVersion": None, **outer_fields(before.rstrip().rstrip(b","), b"")}
