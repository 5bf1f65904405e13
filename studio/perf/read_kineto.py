"""Reads traces of PyTorch's Kineto (CUDA, ROCm, MTIA) into the tables of `schema`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.communication import is_nccl
from studio.perf.frames import Recorded, frame
from studio.perf.read_trace import lines_of, shapes_of, steps_of
from studio.perf.tasks import is_memory_set
from studio.perf.trace_slices import SliceTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Reader
    from studio.trace import Trace

ARGS: Final = (
    "correlation",
    "External id",
    "external id",
    "device",
    "stream",
    "bytes",
    "Input Dims",
    "Input dims",
    "Input type",
    "Call stack",
    "Sequence number",
    "Fwd thread id",
    "Process Group Name",
    "dtype",
)
"""The args that the tables need of every slice."""

KERNEL: Final = ("kernel", "mtia_ccp_events")
COPY: Final = ("gpu_memcpy", "memcpy", "gpu_memset", "memset")
RUNTIME: Final = ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "mtia_runtime")
OPERATOR: Final = ("cpu_op", "operator")
ANNOTATION: Final = ("user_annotation",)
"""Categories in small letters, newest first."""

_COPY_NAME: Final = re.compile(r"Memcpy|Memset|dma")
_DIRECTION: Final = re.compile(r"\(([^)]*)\)")
_TEMPLATE: Final = re.compile(r"<[^<>]*>|\([^()]*\)")


def kineto_readers(load: Callable[[Progress | None], Trace]) -> dict[str, Reader]:
    """How to read each table that a Kineto trace may have."""
    readers: dict[str, Callable[[SliceTable], Recorded]] = {
        "kernels": _kernels,
        "communication": _communication,
        "copies": _copies,
        "api": _api,
        "host_ops": _host_ops,
        "host_steps": _host_steps,
    }
    return {table: _one(table, load, read) for table, read in readers.items()}


def function_of(name: str) -> str:
    """The function that a GPU kernel runs: its name without return type, templates, arguments."""
    text = name.removeprefix("void ").replace("(anonymous namespace)::", "")
    for _ in range(50):
        shorter = _TEMPLATE.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text.split("(")[0].split("<")[0].strip() or name


def dims_of(text: str) -> str:
    """Shapes of Kineto as those of kernels: "4,8;8" for "[[4, 8], [8]]"."""
    if not text.startswith("["):
        return shapes_of(text)
    try:
        shapes = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return ";".join(_shape(shape) for shape in shapes)


def _shape(shape: object) -> str:
    if isinstance(shape, list):
        return ",".join(_shape(entry) for entry in shape)
    return str(shape)


def _one(
    target: str,
    load: Callable[[Progress | None], Trace],
    read: Callable[[SliceTable], Recorded],
) -> Reader:
    return lambda job: {target: read(SliceTable(load(job)))}


def device_work(table: SliceTable) -> tuple[Any, Any, Any]:
    """Slices of computing, communication and copies, by category and name."""
    chosen = table.of_category(*KERNEL)
    is_copy = table.where(chosen, lambda name: _COPY_NAME.match(name) is not None)
    is_sent = table.where(chosen, is_nccl) & ~is_copy
    copies = table.in_order(np.concatenate((chosen[is_copy], table.of_category(*COPY))))
    return chosen[~is_copy & ~is_sent], chosen[is_sent], copies


def _columns(table: SliceTable, chosen: Any) -> dict[str, Any]:  # noqa: ANN401 - indices
    return {
        **table.interval(chosen),
        "row": np.arange(len(chosen)),
        "name": table.name(chosen),
        "device": table.number(chosen, "device"),
        "stream": table.number(chosen, "stream"),
        "connection": table.number(chosen, "correlation"),
    }


def _kernels(table: SliceTable) -> Recorded:
    chosen, _, _ = device_work(table)
    columns = {**_columns(table, chosen), "type": table.name(chosen, function_of)}
    return Recorded(frame("kernels", columns, len(chosen)))


def _communication(table: SliceTable) -> Recorded:
    _, chosen, _ = device_work(table)
    columns = {
        **_columns(table, chosen),
        "type": table.name(chosen, lambda name: function_of(name).rpartition("::")[2]),
        "group": table.text(chosen, "Process Group Name"),
        "data_type": table.text(chosen, "dtype"),
    }
    return Recorded(frame("communication", columns, len(chosen)))


def _copies(table: SliceTable) -> Recorded:
    _, _, chosen = device_work(table)
    columns = {
        **_columns(table, chosen),
        "kind": table.name(chosen, lambda name: "set" if is_memory_set(name) else "copy"),
        "direction": table.name(chosen, _direction),
        "bytes": table.number(chosen, "bytes"),
    }
    return Recorded(frame("copies", columns, len(chosen)))


def _direction(name: str) -> str:
    match = _DIRECTION.search(name)
    return match.group(1) if match else ""


def _api(table: SliceTable) -> Recorded:
    chosen = table.of_category(*RUNTIME)
    columns = {
        **table.interval(chosen),
        "thread": table.thread(chosen),
        "level": table.category(chosen),
        "name": table.name(chosen),
        "connection": table.number(chosen, "correlation"),
    }
    return Recorded(frame("api", columns, len(chosen)))


def _host_ops(table: SliceTable) -> Recorded:
    chosen = table.of_category(*OPERATOR, *ANNOTATION)
    shapes = table.text(chosen, "Input Dims", dims_of) or table.text(chosen, "Input dims", dims_of)
    columns = {
        **table.interval(chosen),
        "thread": table.thread(chosen),
        "name": table.name(chosen),
        "input_shapes": shapes,
        "input_types": table.text(chosen, "Input type", dims_of),
        "stack": table.text(chosen, "Call stack", lines_of),
        "sequence": table.number(chosen, "Sequence number"),
        "forward_thread": table.number(chosen, "Fwd thread id"),
        "key": table.number(chosen, "External id", "external id"),
    }
    return Recorded(frame("host_ops", columns, len(chosen)))


def _host_steps(table: SliceTable) -> Recorded:
    return steps_of(table, table.of_category(*ANNOTATION, *OPERATOR))
