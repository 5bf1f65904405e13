"""A part of a trace as a Chrome trace: what our reader and Perfetto's read back the same."""

from __future__ import annotations

import gzip
import json
import math
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part
    from studio.formats.chrome_trace import Progress
    from studio.trace import Lane, Trace

_REPORT_EVERY = 20_000
_LARGEST_ID = 2**63
_MOST_DIGITS = 19


def write_chrome(
    trace: Trace,
    part: Part,
    slices: NDArray[np.int64],
    path: Path,
    packed: bool,
    args: bool,
    job: Progress | None,
) -> tuple[int, int, int, int, int]:
    """Write slices with what belongs to them.

    Returns the numbers of slices, flows, flows left out, counter samples and instants.
    """
    lanes = set(range(len(trace.lanes))) if part.lanes is None else set(part.lanes)
    flows, left_out = flows_inside(trace, part, slices, lanes)
    with _opened(path, packed) as out:
        out.write(_head(trace, part))
        counted: dict[str, int] = {}
        written = 0
        for kind, events in (
            ("metadata", _metadata(trace, slices, lanes)),
            ("slices", _slices(trace, slices, args, job)),
            ("flows", _arrows(trace, flows)),
            ("samples", _counters(trace, part, lanes)),
            ("instants", _instants(trace, part, lanes)),
        ):
            before = written
            for event in events:
                out.write(f",\n{event}" if written else event)
                written += 1
            counted[kind] = written - before
        out.write("\n]}\n")
    return len(slices), len(flows), left_out, counted["samples"], counted["instants"]


def _opened(path: Path, packed: bool) -> IO[str]:
    if packed:
        return cast("IO[str]", gzip.open(path, "wt", encoding="ascii"))
    return path.open("w", encoding="ascii")


def _head(trace: Trace, part: Part) -> str:
    head = {
        **{key: value for key, value in trace.metadata.items() if key != "traceEvents"},
        "displayTimeUnit": "ns",
        "partOf": {"file": trace.path.name, "start_ns": part.start, "end_ns": part.end},
    }
    return _text(head)[:-1] + ', "traceEvents": [\n'


def _metadata(trace: Trace, slices: NDArray[np.int64], lanes: set[int]) -> Iterator[str]:
    """Name and order processes and threads as they stand in the trace."""
    used = set(np.unique(trace.lane[slices]).tolist()) | {
        lane for lane in lanes if trace.lanes[lane].count == 0
    }
    seen: dict[str, int] = {}
    for number, lane in enumerate(trace.lanes):
        if lane.id not in used:
            continue
        head = {"ph": "M", "pid": _number(lane.process), "tid": 0}
        if lane.process not in seen:
            seen[lane.process] = len(seen)
            yield _event({**head, "name": "process_name", "args": {"name": lane.process_title}})
            order = {"sort_index": seen[lane.process]}
            yield _event({**head, "name": "process_sort_index", "args": order})
            if lane.labels:
                yield _event({**head, "name": "process_labels", "args": {"labels": lane.labels}})
        if lane.kind == "slices" and not lane.asynchronous:
            head["tid"] = _number(lane.thread)
            yield _event({**head, "name": "thread_name", "args": {"name": lane.title}})
            yield _event({**head, "name": "thread_sort_index", "args": {"sort_index": number}})


def _slices(
    trace: Trace, slices: NDArray[np.int64], args: bool, job: Progress | None
) -> Iterator[str]:
    """Write slices in the order of the file, which is quickest to read their args from."""
    ordered = slices[np.argsort(trace.source[slices], kind="stable")]
    for number, index in enumerate(ordered.tolist()):
        if job is not None and number % _REPORT_EVERY == 0:
            job.check()
            job.report(number / max(len(ordered), 1), "")
        lane = trace.lanes[int(trace.lane[index])]
        category = int(trace.category[index])
        event: dict[str, Any] = {
            "ph": "X",
            "name": trace.names[int(trace.name[index])],
            "pid": _number(lane.process),
            "tid": _number(lane.thread),
        }
        if category >= 0 and trace.categories[category]:
            event["cat"] = trace.categories[category]
        if args:
            found = trace.file.read(int(trace.source[index])).get("args")
            if isinstance(found, dict) and found:
                event["args"] = found
        start, duration = int(trace.start[index]), int(trace.duration[index])
        open_ended = bool(trace.open_ended[index])
        if lane.asynchronous:
            event |= {"ph": "b", "id": f"slice {index}"}
            yield _event(event, ts=start)
            if not open_ended:
                yield _event({**event, "ph": "e", "args": {}}, ts=start + duration)
        elif open_ended:
            yield _event({**event, "ph": "B"}, ts=start)
        else:
            yield _event(event, ts=start, dur=duration)


def flows_inside(
    trace: Trace, part: Part, slices: NDArray[np.int64], lanes: set[int]
) -> tuple[NDArray[np.int64], int]:
    """The flows with both ends in the part, and how many have only one there."""
    chosen = np.zeros(len(trace) + 1, np.bool_)
    chosen[slices] = True
    kept_lanes = np.zeros(len(trace.lanes) + 1, np.bool_)
    kept_lanes[list(lanes)] = part.names is None
    flows = trace.flows
    inside = []
    for index, lane, time in (
        (flows.source_slice, flows.source_lane, flows.source_time),
        (flows.target_slice, flows.target_lane, flows.target_time),
    ):
        bare = (index < 0) & kept_lanes[lane] & (time >= part.start) & (time < part.end)
        inside.append(chosen[index] | bare)
    begins, ends = inside
    return np.flatnonzero(begins & ends), int(np.count_nonzero(begins ^ ends))


def _arrows(trace: Trace, flows: NDArray[np.int64]) -> Iterator[str]:
    table = trace.flows
    for number in flows.tolist():
        category = trace.categories[int(table.category[number])]
        event = {"name": category or "flow", "cat": category, "id": f"flow {number}"}
        for phase, lane, time in (
            ("s", table.source_lane, table.source_time),
            ("f", table.target_lane, table.target_time),
        ):
            place = _place(trace.lanes[int(lane[number])])
            binding = {"bp": "e"} if phase == "f" else {}
            yield _event({"ph": phase, **event, **place, **binding}, ts=int(time[number]))


def _counters(trace: Trace, part: Part, lanes: set[int]) -> Iterator[str]:
    """Write the samples of the window, and the one before that still holds at its beginning."""
    if part.names is not None:
        return
    for counter in trace.counters:
        if counter.lane not in lanes:
            continue
        low, high = np.searchsorted(counter.times, (part.start, part.end)).tolist()
        for place in range(max(low - 1, 0), high):
            value = float(counter.values[place])
            event: dict[str, Any] = {"ph": "C", "name": counter.name, "tid": 0}
            event["pid"] = _number(counter.process)
            if counter.id:
                event["id"] = counter.id
            event["args"] = {counter.key: int(value) if value.is_integer() else value}
            yield _event(event, ts=int(counter.times[place]))


def _instants(trace: Trace, part: Part, lanes: set[int]) -> Iterator[str]:
    table = trace.instants
    low, high = np.searchsorted(table.time, (part.start, part.end)).tolist()
    for number in range(low, high):
        lane, name = int(table.lane[number]), int(table.name[number])
        if lane not in lanes or (part.names is not None and name not in part.names):
            continue
        event = {"ph": "i", "s": "t", "name": trace.names[name], **_place(trace.lanes[lane])}
        yield _event(event, ts=int(table.time[number]))


def _place(lane: Lane) -> dict[str, Any]:
    return {"pid": _number(lane.process), "tid": _number(lane.thread)}


def _event(event: dict[str, Any], **times: int) -> str:
    """Write one event; times are exact microseconds, never through a float."""
    written = "".join(f', "{key}": {_microseconds(value)}' for key, value in times.items())
    return _text(event)[:-1] + written + "}"


def _text(value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False)


def _finite(value: object) -> object:
    """Write NaN and infinity, which JSON lacks, as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _finite(entry) for key, entry in value.items()}
    return [_finite(entry) for entry in value] if isinstance(value, list) else value


def _microseconds(nanoseconds: int) -> str:
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), 1000)
    return f"{sign}{whole}.{rest:03d}" if rest else f"{sign}{whole}"


def _number(text: str) -> int | str:
    """A process or thread id as the number it was, if it was one."""
    plain = text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0")
    plain = plain and len(text) <= _MOST_DIGITS
    return int(text) if plain and int(text) < _LARGEST_ID else text
