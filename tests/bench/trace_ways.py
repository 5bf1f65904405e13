"""The ways to read a trace that are measured, each to be run in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _load(path: Path) -> dict[str, Any]:
    from studio.trace import load

    trace = load(path, keep=False)
    return {"events": f"{trace.events:,}", "peak": _peak()}


def _again(path: Path) -> dict[str, Any]:
    from studio.trace import load

    begin = time.process_time()
    trace = load(path)
    opened = time.process_time() - begin
    return {
        "events": f"{trace.events:,}", "peak": _peak(), "questions": {"opening alone": opened},
    }  # fmt: skip


def _window(path: Path) -> dict[str, Any]:
    """The process ends once the trace is kept, but what is told is up to the first frame."""
    told = _in_window(path)
    gaps = {key: told[key] / 1e3 for key in ("gap_cpu_ms", "gap_wall_ms")}
    return {"cpu": told["frame_cpu"], "peak": told["frame_peak"], "questions": gaps}


def _stop(path: Path) -> dict[str, Any]:
    """Esc is pressed while the trace is read."""
    told = _in_window(path, "--escape")
    stopped = {"from Esc until idle": told["stopped_ms"] / 1e3}
    return {"cpu": told["stopped_cpu"], "peak": told["stopped_peak"], "questions": stopped}


def _in_window(path: Path, *more: str) -> dict[str, Any]:
    program = Path(__file__).with_name("trace_window.py")
    words = [sys.executable, str(program), str(path), *more]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _args(path: Path) -> dict[str, Any]:
    from studio.trace import load

    trace = load(path, arg_columns=("connection_id", "id"), keep=False)
    return {"events": f"{trace.events:,}", "peak": _peak()}


def _ask(path: Path) -> dict[str, Any]:
    from studio.trace import load, query
    from studio.trace.statistics import coverage, covered, statistics

    trace = load(path, keep=False)
    span = trace.view_end_ns - trace.view_start_ns
    middle, tenth = trace.view_start_ns + span // 2, span // 10
    lane = max(trace.lanes, key=lambda lane: lane.count).id
    some = [lane.id for lane in trace.lanes if lane.kind == "slices"][::2]
    found: dict[str, float] = {}

    def timed(title: str, action: Callable[[], object], times: int = 3) -> None:
        best = float("inf")
        for _ in range(times):
            begin = time.process_time()
            action()
            best = min(best, time.process_time() - begin)
        found[title] = best

    timed("statistics, first time", lambda: statistics(trace), 1)
    timed("statistics, whole trace", lambda: statistics(trace))
    timed("statistics, a tenth", lambda: statistics(trace, middle, middle + tenth))
    timed(
        "statistics, a tenth, half of the lanes",
        lambda: statistics(trace, middle, middle + tenth, some),
    )
    timed("covered time", lambda: covered(trace))
    timed("how busy each lane is", lambda: coverage(trace))
    timed("search in the names", lambda: query.search(trace, "matmul"))
    timed("all hits by time", lambda: query.with_names(trace, query.search(trace, "matmul")))
    timed("hit test", lambda: query.slice_at(trace, lane, 0, middle, 1000))
    timed("nearest slice", lambda: query.nearest(trace, lane, middle))
    names = [f"{name}_{number}" for name in trace.names for number in range(60)][:100_000]
    folded = [name.casefold() for name in names]
    timed(
        f"search in {len(names):,} names",
        lambda: [n for n, name in enumerate(folded) if "matmul" in name],
    )
    return {"events": f"{trace.events:,}", "peak": _peak(), "questions": found}


def _dense(path: Path) -> dict[str, Any]:
    """Ten million slices that are generated, in 50 rows."""
    from bench_paint import dense_trace

    from studio.trace import query
    from studio.trace.statistics import statistics

    trace = dense_trace(10_000_000, 5, 10)
    span = trace.end_ns - trace.start_ns
    windows = {"all of it": (None, None), "a half": (trace.start_ns, trace.start_ns + span // 2)}
    statistics(trace)
    found = {}
    for title, window in windows.items():
        best = float("inf")
        for _ in range(5):
            begin = time.process_time()
            statistics(trace, *window)
            best = min(best, time.process_time() - begin)
        found[f"box statistics, {title}"] = best
    begin = time.process_time()
    for number in range(1000):
        query.slice_at(trace, 2, number % 10, trace.start_ns + span * number // 1000)
    found["hit test"] = (time.process_time() - begin) / 1000
    return {"events": f"{len(trace):,}", "peak": _peak(), "questions": found}


def _json_pandas(path: Path) -> dict[str, Any]:
    import pandas as pd

    frame = pd.DataFrame(_events(json.loads(path.read_bytes())))
    return {"events": f"{len(frame):,}", "peak": _peak()}


def _json_columns(path: Path) -> dict[str, Any]:
    return _columns(_events(json.loads(path.read_bytes())))


def _orjson(path: Path) -> dict[str, Any]:
    import orjson

    return _columns(_events(orjson.loads(path.read_bytes())))


def _msgspec(path: Path) -> dict[str, Any]:
    import msgspec

    return _columns(_events(msgspec.json.decode(path.read_bytes())))


def _columns(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What a hurried reader does: times through floats, names numbered."""
    import numpy as np

    names: dict[str, int] = {}
    count = len(events)
    np.fromiter((float(event.get("ts", 0)) for event in events), np.float64, count)
    np.fromiter((float(event.get("dur", 0)) for event in events), np.float64, count)
    np.fromiter((names.setdefault(event["name"], len(names)) for event in events), np.int32, count)
    return {"events": f"{count:,}", "peak": _peak()}


def _events(document: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = (
        document["traceEvents"] if isinstance(document, dict) else document
    )
    return events


WAYS = {
    "load": _load, "window": _window, "large": _window, "stop": _stop, "again": _again,
    "args": _args, "ask": _ask,
    "dense": _dense,
    "json_pandas": _json_pandas, "json_columns": _json_columns, "orjson": _orjson,
    "msgspec": _msgspec,
}  # fmt: skip


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
