"""Reads trace_view.json of the Ascend profilers into the tables of `schema`.

Processes and threads are told by the names that the profilers have given them over time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.communication import is_communication_name, operation_of
from studio.perf.frames import Recorded, coded, frame
from studio.perf.tasks import is_copy, is_kernel_task, is_memory_set
from studio.perf.trace_slices import SliceTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Reader
    from studio.trace import Lane, Trace

ARGS: Final = (
    "connection_id",
    "Task Type",
    "Task Id",
    "data size(Byte)",
    "memcpy direction",
    "correlation_id",
    "Input Dims",
    "Input type",
    "Call stack",
    "Sequence number",
    "Fwd thread id",
    "data_type",
    "alg_type",
    "count",
)
"""The args that the tables need of every slice."""

PYTHON: Final = ("python", "mindspore")
HARDWARE: Final = ("ascend hardware",)
CANN: Final = ("cann",)
COMMUNICATION: Final = ("communication", "hccl")
OVERLAP: Final = ("overlap analysis",)
COLLECTION: Final = ("python gc",)
"""Names of processes in small letters, newest first."""

_NUMBER: Final = re.compile(r"(?<!\d)(\d{1,18})(?!\d)")
_STEP: Final = re.compile(r"ProfilerStep#(\d{1,18})(?!\d)")
_BREAKS: Final = re.compile(r";?\r?\n|;(?=/)")
_LEVELS: Final = {"AscendCL": "acl", "Node": "node", "Runtime": "runtime", "HCCL": "hccl"}


def trace_readers(load: Callable[[Progress | None], Trace]) -> dict[str, Reader]:
    """How to read each table that a trace of an Ascend profiler may have."""
    readers: dict[str, Callable[[SliceTable], Recorded]] = {
        "kernels": _kernels,
        "communication": communication_of,
        "tasks": _tasks,
        "copies": _copies,
        "api": _api,
        "host_ops": _host_ops,
        "queue": _queue,
        "gc": _collections,
        "host_steps": _host_steps,
        "overlap": _overlap,
    }
    return {table: _one(table, load, read) for table, read in readers.items()}


def steps_of(table: SliceTable, chosen: Any) -> Recorded:  # noqa: ANN401 - indices
    """The training iterations among slices named ProfilerStep#N, by start."""
    chosen = chosen[table.where(chosen, lambda name: _STEP.match(name) is not None)]
    trace = table.trace
    steps = [
        int(match.group(1))
        for number in trace.name[chosen].tolist()
        if (match := _STEP.match(trace.names[number])) is not None
    ]
    columns = {
        "step": np.array(steps, np.int64),
        "start_ns": trace.start[chosen],
        "end_ns": trace.end[chosen],
    }
    return Recorded(frame("host_steps", columns, len(chosen)))


def lines_of(stack: str) -> str:
    """A call stack with one frame per line, however the profiler separated them."""
    return "\n".join(line.strip() for line in _BREAKS.split(stack) if line.strip())


def shapes_of(text: str) -> str:
    """Shapes of operators on the host as those of kernels: "2,3;2" for "2,3;CRLF2"."""
    return text.replace("\r\n", "").replace("\n", "").strip()


def _one(
    target: str,
    load: Callable[[Progress | None], Trace],
    read: Callable[[SliceTable], Recorded],
) -> Reader:
    return lambda job: {target: read(SliceTable(load(job)))}


def _of(*titles: str) -> Callable[[Lane], bool]:
    return lambda lane: lane.process_title.strip().casefold() in titles


def _streams(table: SliceTable) -> dict[int, int]:
    found: dict[int, int] = {}
    for lane in table.lanes(_of(*HARDWARE)):
        if lane.title.startswith("Stream") and (match := _NUMBER.search(lane.title)):
            found[lane.id] = int(match.group(1))
    return found


def _hardware(table: SliceTable) -> Any:  # noqa: ANN401 - indices
    is_hardware = _of(*HARDWARE)
    lanes = table.lanes(lambda lane: is_hardware(lane) and lane.title.startswith("Stream"))
    return table.of_lanes(lanes)


def _tasks(table: SliceTable) -> Recorded:
    chosen = _hardware(table)
    return Recorded(frame("tasks", _task_columns(table, chosen), len(chosen)))


def _task_columns(table: SliceTable, chosen: Any) -> dict[str, Any]:  # noqa: ANN401 - indices
    return {
        **table.interval(chosen),
        "stream": table.lane_number(chosen, _streams(table)),
        "task": table.number(chosen, "Task Id"),
        "kind": table.text(chosen, "Task Type"),
        "name": table.name(chosen),
        "connection": table.number(chosen, "connection_id"),
    }


def _kernels(table: SliceTable) -> Recorded:
    """Kernels as far as a trace alone tells: names, times and the kind of core."""
    chosen = _hardware(table)
    kinds = table.text(chosen, "Task Type")
    if kinds is None:
        return Recorded(frame("kernels", {}, 0))
    fits = np.array([is_kernel_task(text) for text in kinds.texts] + [False], np.bool_)
    named = table.where(chosen, lambda name: not is_copy(name) and not is_communication_name(name))
    chosen = chosen[fits[kinds.codes] & named]
    columns = _task_columns(table, chosen)
    columns["core"] = columns.pop("kind")
    columns["row"] = np.arange(len(chosen))
    return Recorded(frame("kernels", columns, len(chosen)))


def _copies(table: SliceTable) -> Recorded:
    chosen = _hardware(table)
    chosen = chosen[table.where(chosen, is_copy)]
    kinds = table.text(chosen, "Task Type")
    if kinds is not None:  # kernels can set memory as well
        on_core = np.array([is_kernel_task(text) for text in kinds.texts] + [False], np.bool_)
        chosen = chosen[~on_core[kinds.codes]]
    columns = _task_columns(table, chosen)
    columns["kind"] = table.name(chosen, lambda name: "set" if is_memory_set(name) else "copy")
    columns["bytes"] = table.number(chosen, "data size(Byte)")
    columns["direction"] = table.text(chosen, "memcpy direction")
    return Recorded(frame("copies", columns, len(chosen)))


def communication_of(table: SliceTable) -> Recorded:
    """Communication operators, as the lanes of their groups show them."""
    lanes = table.lanes(lambda lane: _of(*COMMUNICATION)(lane) and lane.title.startswith("Group"))
    chosen = table.of_lanes(lanes)
    groups = {lane.id: lane.title for lane in lanes}
    columns = {
        **table.interval(chosen),
        "row": np.arange(len(chosen)),
        "name": table.name(chosen),
        "type": table.name(chosen, operation_of),
        "group": coded([groups[lane] for lane in table.trace.lane[chosen].tolist()]),
        "data_type": table.text(chosen, "data_type"),
        "algorithm": table.text(chosen, "alg_type"),
        "count": table.number(chosen, "count"),
        "connection": table.number(chosen, "connection_id"),
    }
    return Recorded(frame("communication", columns, len(chosen)))


def _api(table: SliceTable) -> Recorded:
    chosen = table.of_lanes(table.lanes(_of(*CANN)))
    columns = {
        **table.interval(chosen),
        "thread": table.thread(chosen),
        "level": table.name(chosen, lambda name: _level(name.partition("@")[0])),
        "name": table.name(chosen, lambda name: name.partition("@")[2] or name),
        "connection": table.number(chosen, "connection_id"),
    }
    return Recorded(frame("api", columns, len(chosen)))


def _level(prefix: str) -> str:
    return _LEVELS.get(prefix, prefix.casefold())


def _host_ops(table: SliceTable) -> Recorded:
    chosen = table.of_category("cpu_op")
    columns = {
        **table.interval(chosen),
        "thread": table.thread(chosen),
        "name": table.name(chosen),
        "input_shapes": table.text(chosen, "Input Dims", shapes_of),
        "input_types": table.text(chosen, "Input type", shapes_of),
        "stack": table.text(chosen, "Call stack", lines_of),
        "sequence": table.number(chosen, "Sequence number"),
        "forward_thread": table.number(chosen, "Fwd thread id"),
    }
    return Recorded(frame("host_ops", columns, len(chosen)))


def _queue(table: SliceTable) -> Recorded:
    chosen = table.of_category("enqueue", "dequeue")
    columns = {
        **table.interval(chosen),
        "kind": table.category(chosen),
        "thread": table.thread(chosen),
        "name": table.name(chosen),
        "correlation": table.number(chosen, "correlation_id"),
    }
    return Recorded(frame("queue", columns, len(chosen)))


def _collections(table: SliceTable) -> Recorded:
    chosen = table.of_lanes(table.lanes(_of(*COLLECTION)))
    columns = {**table.interval(chosen), "thread": table.thread(chosen)}
    return Recorded(frame("gc", columns, len(chosen)))


def _host_steps(table: SliceTable) -> Recorded:
    return steps_of(table, table.of_category("cpu_op", "user_annotation"))


def _overlap(table: SliceTable) -> Recorded:
    chosen = table.of_lanes(table.lanes(_of(*OVERLAP)))
    columns = {**table.interval(chosen), "kind": table.name(chosen)}
    return Recorded(frame("overlap", columns, len(chosen)))
