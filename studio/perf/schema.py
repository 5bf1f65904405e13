"""The tables of a profile: what each is, its columns with type and unit, in whatever form it came.

Times and durations are integer nanoseconds, times on the clock of the profile; sizes are bytes;
shares are 0 to 1. Texts are categories. A missing value (`<NA>`) was not recorded, it is never
zero; `Recorded.not_applicable` tells cells apart that a file marks as making no sense ("N/A").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INTEGER: Final = "int64"
"""A whole number that every row has."""
WHOLE: Final = "Int64"
SMALL: Final = "Int32"
NUMBER: Final = "Float64"
TEXT: Final = "category"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its pandas type, unit ("ns", "bytes", "share" or "") and what it says."""

    name: str
    dtype: str
    unit: str
    help: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a profile."""

    name: str
    help: str
    columns: tuple[Column, ...]

    def __getitem__(self, column: str) -> Column:
        return next(entry for entry in self.columns if entry.name == column)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(column.name for column in self.columns)


def _table(name: str, about: str, *columns: tuple[str, str, str]) -> Table:
    return Table(name, about, tuple(Column(n, kind, _unit(n), what) for n, kind, what in columns))


def _unit(name: str) -> str:
    for ending in ("ns", "bytes", "share"):
        if name == ending or name.endswith(f"_{ending}"):
            return ending
    return ""


_PLACE: Final = (
    ("start_ns", INTEGER, "when it begins"),
    ("duration_ns", INTEGER, "how long it takes"),
)
_DEVICE: Final = (
    ("device", SMALL, "number of the card in its node"),
    ("stream", WHOLE, "device queue"),
    ("task", WHOLE, "number of the task in its stream"),
)
_ROW: Final = ("row", INTEGER, "number of the row in its source, from 0: a stable key")
_STEP: Final = ("step", WHOLE, "training iteration, where the profiler says so")
_CONNECTION: Final = ("connection", WHOLE, "joins device tasks with the calls that launched them")

_TABLES: Final = (
    _table(
        "kernels",
        "Operators on the device, without communication",
        _ROW,
        _STEP,
        *_DEVICE,
        ("model", WHOLE, "graph it belongs to; none outside graph mode"),
        ("context", WHOLE, "number inside a mixed task"),
        ("name", TEXT, "name of the kernel"),
        ("type", TEXT, "type of the operator (MatMulV2); for GPUs the function without templates"),
        ("state", TEXT, "dynamic or static"),
        ("core", TEXT, "AI_CORE, AI_VECTOR_CORE, MIX_AIC, MIX_AIV, AI_CPU, DSA_SQE …"),
        *_PLACE,
        ("wait_ns", WHOLE, "time since the end of the operator before, as the profiler counts it"),
        ("blocks", SMALL, "cores it runs on"),
        ("mix_blocks", SMALL, "cores of the other kind in a mixed operator"),
        ("hf32", TEXT, "whether HF32 was eligible"),
        ("input_shapes", TEXT, "as written: 4,8;8,16"),
        ("input_types", TEXT, "as written: DT_BF16;DT_BF16"),
        ("input_formats", TEXT, "as written: ND;ND"),
        ("output_shapes", TEXT, ""),
        ("output_types", TEXT, ""),
        ("output_formats", TEXT, ""),
        _CONNECTION,
    ),
    _table(
        "communication",
        "Communication operators on the device",
        _ROW,
        _STEP,
        ("device", SMALL, "number of the card in its node"),
        ("stream", WHOLE, "device queue"),
        ("name", TEXT, "name of the operation (hcom_allReduce__271_0_1)"),
        ("type", TEXT, "kind of operation (hcom_allReduce_, ncclKernel_AllReduce…)"),
        ("group", TEXT, "communication domain"),
        *_PLACE,
        ("data_type", TEXT, ""),
        ("algorithm", TEXT, ""),
        ("count", WHOLE, "elements"),
        _CONNECTION,
    ),
    _table(
        "tasks",
        "Everything that ran on the device: kernels, copies, waits, records",
        *_DEVICE,
        ("kind", TEXT, "type of the task (EVENT_WAIT, MEMCPY_ASYNC, KERNEL_AICORE …)"),
        ("name", TEXT, "name, where the profile has one"),
        *_PLACE,
        _CONNECTION,
    ),
    _table(
        "copies",
        "Memory copies and sets on the device",
        ("device", SMALL, ""),
        ("stream", WHOLE, ""),
        ("name", TEXT, ""),
        ("kind", TEXT, "copy or set"),
        ("direction", TEXT, "as written: host to device"),
        *_PLACE,
        ("bytes", WHOLE, ""),
        _CONNECTION,
    ),
    _table(
        "host_ops",
        "Operators of the framework on the host",
        ("thread", TEXT, "process/thread"),
        ("name", TEXT, "aten::mm …"),
        *_PLACE,
        ("input_shapes", TEXT, ""),
        ("input_types", TEXT, ""),
        ("stack", TEXT, "frames from the innermost, one per line"),
        ("sequence", WHOLE, "joins forward and backward"),
        ("forward_thread", WHOLE, ""),
        ("key", WHOLE, "what launched work names it by (External id of Kineto)"),
    ),
    _table(
        "api",
        "Calls of the runtime on the host (CANN, CUDA)",
        ("thread", TEXT, ""),
        ("level", TEXT, "acl, node, runtime, hccl, cuda_runtime …"),
        ("name", TEXT, ""),
        *_PLACE,
        _CONNECTION,
    ),
    _table(
        "queue",
        "The framework's own queue between Python and the runtime",
        ("kind", TEXT, "enqueue or dequeue"),
        ("thread", TEXT, ""),
        ("name", TEXT, ""),
        *_PLACE,
        ("correlation", WHOLE, "joins an enqueue with its dequeue"),
    ),
    _table("gc", "Garbage collections of Python", ("thread", TEXT, ""), *_PLACE),
    _table(
        "launches",
        "Which host operator and which call launched a kernel, copy or communication",
        ("table", TEXT, "kernels, communication or copies"),
        ("index", INTEGER, "position in that table"),
        ("host_op", WHOLE, "position in host_ops"),
        ("api", WHOLE, "position in api"),
    ),
    _table(
        "host_steps",
        "Training iterations as the host saw them (ProfilerStep#N, STEP_TIME)",
        _STEP,
        ("start_ns", INTEGER, ""),
        ("end_ns", INTEGER, ""),
    ),
    _table(
        "host_view",
        "Step times of GPU runs as TensorBoard's profiler plugin defines them",
        _STEP,
        ("start_ns", INTEGER, ""),
        ("end_ns", INTEGER, ""),
        ("step_ns", INTEGER, ""),
        ("kernel_ns", INTEGER, ""),
        ("memcpy_ns", INTEGER, ""),
        ("memset_ns", INTEGER, ""),
        ("communication_ns", INTEGER, ""),
        ("runtime_ns", INTEGER, ""),
        ("data_loader_ns", INTEGER, ""),
        ("cpu_ns", INTEGER, ""),
        ("other_ns", INTEGER, ""),
    ),
    _table(
        "overlap",
        "Overlap analysis of the profiler",
        ("kind", TEXT, "Computing, Communication, Communication(Not Overlapped) or Free"),
        *_PLACE,
    ),
    _table(
        "published_steps",
        "Step times as the profiler published them (step_trace_time.csv, StepTraceTime)",
        _STEP,
        ("device", SMALL, ""),
        ("computing_ns", WHOLE, ""),
        ("not_overlapped_ns", WHOLE, ""),
        ("overlapped_ns", WHOLE, ""),
        ("communication_ns", WHOLE, ""),
        ("free_ns", WHOLE, ""),
        ("stage_ns", WHOLE, ""),
        ("bubble_ns", WHOLE, ""),
        ("not_received_ns", WHOLE, "communication neither overlapped nor receiving"),
        ("preparing_ns", WHOLE, ""),
    ),
    _table(
        "communication_times",
        "Communication operations as communication.json and analysis.db describe them",
        _STEP,
        ("kind", TEXT, "collective or p2p"),
        ("name", TEXT, ""),
        ("group", TEXT, ""),
        ("start_ns", WHOLE, ""),
        ("elapse_ns", WHOLE, ""),
        ("transit_ns", WHOLE, ""),
        ("wait_ns", WHOLE, ""),
        ("synchronisation_ns", WHOLE, ""),
        ("idle_ns", WHOLE, ""),
    ),
    _table(
        "operator_statistic",
        "op_statistic.csv as published",
        ("device", SMALL, ""),
        ("type", TEXT, ""),
        ("core", TEXT, ""),
        ("count", WHOLE, ""),
        ("total_ns", WHOLE, ""),
        ("min_ns", WHOLE, ""),
        ("avg_ns", WHOLE, ""),
        ("max_ns", WHOLE, ""),
        ("share", NUMBER, ""),
    ),
    _table(
        "api_statistic",
        "api_statistic.csv as published",
        ("device", TEXT, ""),
        ("level", TEXT, ""),
        ("name", TEXT, ""),
        ("total_ns", WHOLE, ""),
        ("count", WHOLE, ""),
        ("avg_ns", WHOLE, ""),
        ("min_ns", WHOLE, ""),
        ("max_ns", WHOLE, ""),
        ("variance", NUMBER, "as published"),
    ),
    _table(
        "operator_details",
        "operator_details.csv as published: host operators with their stacks",
        ("name", TEXT, ""),
        ("input_shapes", TEXT, ""),
        ("stack", TEXT, ""),
        ("host_self_ns", WHOLE, ""),
        ("host_total_ns", WHOLE, ""),
        ("device_self_ns", WHOLE, ""),
        ("device_total_ns", WHOLE, ""),
        ("device_self_core_ns", WHOLE, "on AI cores"),
        ("device_total_core_ns", WHOLE, "on AI cores"),
    ),
    _table(
        "allocations",
        "Blocks of device memory that operators allocated and released",
        _ROW,
        ("name", TEXT, "operator; aten:: is PyTorch's pool, cann:: the graph engine's"),
        ("bytes", WHOLE, "size; negative for a release whose allocation was before the recording"),
        ("allocated_ns", WHOLE, ""),
        ("released_ns", WHOLE, ""),
        ("active_released_ns", WHOLE, "when the last stream that used it was done with it"),
        ("total_allocated_bytes", WHOLE, "of the pool, after the allocation"),
        ("total_reserved_bytes", WHOLE, ""),
        ("total_active_bytes", WHOLE, ""),
        ("released_total_allocated_bytes", WHOLE, "of the pool, after the release"),
        ("released_total_reserved_bytes", WHOLE, ""),
        ("released_total_active_bytes", WHOLE, ""),
        ("stream", TEXT, ""),
        ("device", TEXT, ""),
        ("address", WHOLE, "where the recording says it"),
        ("component", TEXT, "the pool, where the recording says it (snapshots, memscope)"),
        ("stack", TEXT, "frames from the innermost, one per line, where recorded with the block"),
    ),
    _table(
        "segments",
        "Memory that PyTorch's pool had taken from the device (memory snapshots)",
        ("device", TEXT, ""),
        ("stream", TEXT, ""),
        ("address", WHOLE, ""),
        ("bytes", WHOLE, "size"),
        ("allocated_bytes", WHOLE, "in blocks that are in use, rounded up as the pool does"),
        ("active_bytes", WHOLE, "as well as in blocks that a stream has not done with"),
        ("requested_bytes", WHOLE, "what was asked for, without rounding"),
        ("kind", TEXT, "small or large"),
        ("expandable", WHOLE, "1 when it can grow"),
        ("stack", TEXT, ""),
    ),
    _table(
        "segment_blocks",
        "Blocks in the segments of a memory snapshot, also free ones, by address",
        ("segment", INTEGER, "position in segments"),
        ("address", WHOLE, ""),
        ("bytes", WHOLE, "size, rounded up as the pool does"),
        ("requested_bytes", WHOLE, "size as asked for"),
        ("state", TEXT, "active_allocated, active_pending_free or inactive"),
        ("name", TEXT, "what allocated it"),
        ("stack", TEXT, ""),
    ),
    _table(
        "memory_events",
        "What happened to memory, in order (memory snapshots, memscope)",
        _ROW,
        ("time_ns", INTEGER, "numbers of events where a snapshot has no times"),
        (
            "action",
            TEXT,
            "alloc, free_requested, free_completed, segment_alloc …; MALLOC, FREE",
        ),
        ("component", TEXT, "the pool"),
        ("address", WHOLE, ""),
        ("bytes", WHOLE, ""),
        ("stream", TEXT, ""),
        ("device", TEXT, ""),
        ("name", TEXT, ""),
        ("stack", TEXT, ""),
    ),
    _table(
        "memory",
        "Memory over time by component (memory_record.csv, MEMORY_RECORD, [memory] of Kineto)",
        ("component", TEXT, "APP, PTA, GE, PTA+GE, WORKSPACE; PyTorch"),
        ("time_ns", INTEGER, ""),
        ("allocated_bytes", WHOLE, ""),
        ("reserved_bytes", WHOLE, ""),
        ("active_bytes", WHOLE, ""),
        ("stream", TEXT, ""),
        ("device", TEXT, ""),
    ),
    _table(
        "module_memory",
        "Memory that parts of CANN reserve (npu_module_mem.csv, NPU_MODULE_MEM)",
        ("component", TEXT, ""),
        ("time_ns", INTEGER, ""),
        ("reserved_bytes", WHOLE, ""),
        ("device", TEXT, ""),
    ),
    _table(
        "static_memory",
        "Memory planned for a graph (static_op_mem.csv)",
        ("device", TEXT, ""),
        ("name", TEXT, ""),
        ("model", TEXT, ""),
        ("graph", WHOLE, ""),
        ("first_node", WHOLE, "node that needs it first"),
        ("last_node", WHOLE, "node that needs it last; none to the end"),
        ("bytes", WHOLE, ""),
    ),
    _table(
        "cache",
        "L2 cache (l2_cache.csv)",
        ("device", SMALL, ""),
        ("stream", WHOLE, ""),
        ("task", WHOLE, ""),
        ("name", TEXT, ""),
        ("hit_share", NUMBER, ""),
        ("victim_share", NUMBER, ""),
    ),
)

TABLES: Final[Mapping[str, Table]] = {table.name: table for table in _TABLES}
"""All tables by name. One more, "counters", has the columns that the chosen metrics have: `row` of
the kernel, then counters such as `aic_mac_ns`, `aic_mac_ratio`, `cube_utilization` as Float64."""


def problems(table: str, names: Iterable[str], dtypes: Iterable[str]) -> list[str]:
    """What about a frame does not fit its table: unknown, missing or differently typed columns."""
    found = dict(zip(names, dtypes, strict=True))
    spec = TABLES[table]
    wrong = [f"missing {name}" for name in spec.names if name not in found]
    wrong += [f"unknown {name}" for name in found if name not in spec.names]
    wrong += [
        f"{column.name} is {found[column.name]}, not {column.dtype}"
        for column in spec.columns
        if column.name in found and found[column.name] != column.dtype
    ]
    return wrong
