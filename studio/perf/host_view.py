"""The step times of GPU runs as TensorBoard's profiler plugin defines them.

Every moment of a step goes to the first kind of work that happens in it: kernel, memcpy, memset,
communication, runtime, data loader, CPU operator, other. Steps begin and end on the host, moved so
that the device work they launched is inside (torch-tb-profiler 0.4.3: event_parser.py,
overall_parser.py). Both for comparison with what users know from there, and because it also says
something about runs without any device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import Recorded, frame
from studio.perf.read_kineto import OPERATOR
from studio.perf.read_trace import steps_of
from studio.trace.intervals import covered_parts, difference, intersection, union

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from studio.perf.trace_slices import SliceTable
    from studio.trace.intervals import Intervals

    Times = NDArray[np.int64]

ROLES: Final = (
    "kernel",
    "memcpy",
    "memset",
    "communication",
    "runtime",
    "data_loader",
    "cpu",
    "other",
)
"""Kinds of work in the order in which they claim time."""

_OPERATIONS: Final = ("broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter")
_COMMUNICATION: Final = frozenset(f"{lib}:{op}" for lib in ("nccl", "gloo") for op in _OPERATIONS)
_FEWER: Final = 0.8


def host_view(slices: SliceTable) -> Recorded:
    """The table "host_view" of a Kineto trace."""
    roles = _roles(slices)
    number, start, end = _steps(slices)
    columns: dict[str, Any] = {
        "step": number,
        "start_ns": start,
        "end_ns": end,
        "step_ns": end - start,
    }
    left = union(start, end)
    for role in ROLES:
        taken = left if role == "other" else intersection(left, roles[role])
        columns[f"{role}_ns"] = covered_parts(start, end, taken)
        left = difference(left, taken)
    return Recorded(frame("host_view", columns, len(number)))


@dataclass(frozen=True)
class _Pieces:
    start: Times
    end: Times


def _roles(slices: SliceTable) -> dict[str, Intervals]:
    trace = slices.trace

    def of(chosen: Times) -> Intervals:
        return union(trace.start[chosen], trace.end[chosen])

    operators = slices.of_category(*OPERATOR, "python")
    annotations = slices.of_category("user_annotation")
    sends = _named(slices, operators, _COMMUNICATION.__contains__)
    annotated = _named(slices, annotations, _COMMUNICATION.__contains__)
    owners = np.concatenate((operators[sends], annotations[annotated]))
    keys = slices.number(owners, "External id", "external id")
    kernels = slices.of_category("kernel")
    mine = slices.number(kernels, "External id", "external id")
    sent = mine.known & np.isin(mine.values, keys.values[keys.known])
    loads = _named(slices, operators, _is_loading)
    steps = _named(slices, operators, lambda name: name.startswith("ProfilerStep#"))
    return {
        "kernel": of(kernels[~sent]),
        "memcpy": of(slices.of_category("gpu_memcpy", "memcpy")),
        "memset": of(slices.of_category("gpu_memset", "memset")),
        "communication": of(slices.in_order(np.concatenate((kernels[sent], owners)))),
        "runtime": of(slices.of_category("runtime")),
        "data_loader": of(operators[loads]),
        "cpu": of(operators[~sends & ~loads & ~steps]),
    }


def _named(slices: SliceTable, chosen: Times, rule: Callable[[str], bool]) -> NDArray[np.bool_]:
    return slices.where(chosen, rule)


def _is_loading(name: str) -> bool:
    return (
        name.startswith("enumerate(DataLoader)#") and name.endswith(".__next__")
    ) or name.startswith("enumerate(DataPipe)#")


def _steps(slices: SliceTable) -> tuple[Times, Times, Times]:
    """Steps moved to the device: numbers, starts and ends."""
    trace = slices.trace
    found = steps_of(slices, slices.of_category("user_annotation", *OPERATOR)).frame
    number = found["step"].to_numpy(np.int64, na_value=0)
    start = found["start_ns"].to_numpy(np.int64, copy=True)
    end = found["end_ns"].to_numpy(np.int64, copy=True)
    if not len(number):
        host = slices.of_category(*OPERATOR, "python")
        if not len(host):
            return number, start, end
        return np.zeros(1, np.int64), trace.start[host][:1], np.array([trace.end[host].max()])
    device = slices.of_category("kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset")
    calls = slices.of_category("runtime")
    work = _Pieces(trace.start[device], trace.end[device])
    owner = _owners(slices, device, calls, start, end)
    first, last, count = _spans(owner, work, len(number))
    if not count.sum():
        return number, start, end
    before = start[0]
    if count[0]:
        early = work.end[(owner < 0) & (work.end < first[0])]
        before = max(before, int(early.max(initial=before)))
    for step in range(len(number)):
        start[step] = max(before, start[step])
        end[step] = max(end[step], last[step] if count[step] else start[step], start[step])
        before = end[step]
    kept = _kept(count)
    return number[:kept], start[:kept], end[:kept]


def _owners(slices: SliceTable, device: Times, calls: Times, start: Times, end: Times) -> Times:
    """The step of each piece of device work: the one that its launching call lies in, else -1."""
    trace = slices.trace
    place = np.searchsorted(start, trace.start[calls], "right") - 1
    inside = (place >= 0) & (trace.end[calls] <= end[np.maximum(place, 0)])
    calling = slices.number(calls, "correlation")
    keys = calling.values[calling.known].tolist()
    step_of = dict(zip(keys, np.where(inside, place, -1)[calling.known].tolist(), strict=True))
    called = slices.number(device, "correlation")
    pairs = zip(called.values.tolist(), called.known.tolist(), strict=True)
    return np.array([step_of.get(key, -1) if known else -1 for key, known in pairs], np.int64)


def _spans(owner: Times, work: _Pieces, steps: int) -> tuple[Times, Times, Times]:
    first = np.full(steps, np.iinfo(np.int64).max)
    last = np.full(steps, np.iinfo(np.int64).min)
    mine = owner >= 0
    np.minimum.at(first, owner[mine], work.start[mine])
    np.maximum.at(last, owner[mine], work.end[mine])
    return first, last, np.bincount(owner[mine], minlength=steps)


def _kept(count: Times) -> int:
    """Steps at the end that launched nothing, or much less than the one before, are cut off."""
    if len(count) < 2:
        return len(count)
    last = int(np.flatnonzero(count)[-1])
    cut = last > 0 and count[last - 1] * _FEWER > count[last]
    return last if cut else last + 1
