"""Blocks of memory from the `[memory]` events of Kineto: allocations matched with releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.chrome_columns import ARG_NUMBER
from studio.formats.kineto_memory import ARGS, MEMORY, MemoryEvents, read_memory_events
from studio.perf.frames import Coded, Known, Recorded, coded, frame
from studio.perf.launches import span, threads
from studio.perf.nesting import innermost

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.trace import Trace

    Numbers = NDArray[np.int64]

_DEVICES: Final = {0: "CPU", 1: "CUDA", 6: "HIP", 20: "NPU"}


def memory_events(trace: Trace, path: Path, job: Progress | None = None) -> MemoryEvents | None:
    """The memory events of a trace, None without any; read again where their args were left out."""
    if MEMORY not in trace.names:
        return None
    if trace.instant_args.keys() < set(ARGS):
        return read_memory_events(path, job=job)
    rows = trace.instants
    chosen = np.flatnonzero(rows.name == trace.names.index(MEMORY))
    columns = {name: trace.instant_args[name] for name in ARGS}
    return MemoryEvents(
        time=rows.time[chosen],
        source=rows.source[chosen],
        track=rows.lane[chosen],
        tracks=[(lane.process, lane.thread) for lane in trace.lanes],
        args={
            name: (column.values[chosen], column.kind[chosen] == ARG_NUMBER)
            for name, column in columns.items()
        },
    )


def blocks_of(events: MemoryEvents, host_ops: pd.DataFrame) -> Recorded:
    """The table "allocations" of a Kineto trace.

    An allocation carries an address that its release names again; traces of old versions have none,
    and so no rows. The name of a block is that of the operator that was running on the thread when
    it was allocated.
    """
    time, track = events.time, events.track
    args = {name: Known(*sizes) for name, sizes in events.args.items()}
    if not args["Addr"].known.any():
        return Recorded(frame("allocations", {}, 0))
    begin, end = _paired(args)
    first = np.where(begin >= 0, begin, end)
    names = _running(events.tracks, track[first], time[first], begin >= 0, host_ops)
    total = args["Total Allocated"]
    made: dict[str, Any] = {
        "row": np.arange(len(first)),
        "name": names,
        "bytes": np.where(begin >= 0, args["Bytes"].values[first], args["Bytes"].values[end]),
        "allocated_ns": Known(time[begin], begin >= 0),
        "released_ns": Known(time[end], end >= 0),
        "total_allocated_bytes": Known(total.values[begin], (begin >= 0) & total.known[begin]),
        "device": _devices(args, first),
    }
    return Recorded(frame("allocations", made, len(first)))


def _paired(args: dict[str, Known]) -> tuple[Numbers, Numbers]:
    """Events of each block: its allocation and its release, -1 where one is missing."""
    open_blocks: dict[tuple[int, int, int], int] = {}
    begin: list[int] = []
    end: list[int] = []
    keys = zip(
        args["Device Type"].values.tolist(),
        args["Device Id"].values.tolist(),
        args["Addr"].values.tolist(),
        strict=True,
    )
    for event, (key, size) in enumerate(zip(keys, args["Bytes"].values.tolist(), strict=True)):
        if size > 0:
            open_blocks[key] = len(begin)
            begin.append(event)
            end.append(-1)
        elif size < 0 and (block := open_blocks.pop(key, -1)) >= 0:
            end[block] = event
        elif size < 0:
            begin.append(-1)
            end.append(event)
    return np.array(begin, np.int64), np.array(end, np.int64)


def _running(
    tracks: list[tuple[str, str]],
    track: NDArray[np.int32],
    at: Numbers,
    known: NDArray[np.bool_],
    host_ops: pd.DataFrame,
) -> Coded:
    numbers = [int(thread) if thread.isdecimal() else -1 for _, thread in tracks] or [-1]
    place = innermost(threads(host_ops), *span(host_ops), np.array(numbers)[track], at)
    names = host_ops["name"].cat
    codes = names.codes.to_numpy().astype(np.int32)
    if not len(codes):
        return coded([""] * len(at))
    found = np.where((place >= 0) & known, codes[np.maximum(place, 0)], -1)
    return Coded(found.astype(np.int32), names.categories.tolist())


def _devices(args: dict[str, Known], chosen: Numbers) -> Coded:
    kinds = args["Device Type"].values[chosen].tolist()
    pairs = list(zip(kinds, args["Device Id"].values[chosen].tolist(), strict=True))
    names = {pair: _device(*pair) for pair in set(pairs)}
    return coded([names[pair] for pair in pairs])


def _device(kind: int, number: int) -> str:
    name = _DEVICES.get(kind, f"device type {kind}")
    return name if number < 0 else f"{name}:{number}"
