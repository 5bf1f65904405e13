"""Memory snapshots of PyTorch as the tables of `schema`: blocks, curves, segments, events.

The snapshot says what is there at its end, and the last events before. So what the pool had at
any event follows backwards from the end. Where a snapshot has no times, the numbers of the events
take their place: one nanosecond each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.torch_snapshot import read_snapshot
from studio.perf.block_pairs import ALLOCATED, DONE, RELEASED, pair_blocks
from studio.perf.frames import Coded, Known, Recorded, coded, frame
from studio.perf.profile import EVENT_NUMBERS, SNAPSHOT, Info, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.torch_snapshot import Rows, Snapshot
    from studio.perf.sources import Sources

    Numbers = NDArray[np.int64]

TABLES: Final = ("allocations", "memory", "segments", "segment_blocks", "memory_events")
COMPONENT: Final = "PyTorch"
RECORDED: Final = "recorded"
_ACTIONS: Final = {"alloc": ALLOCATED, "free_requested": RELEASED, "free_completed": DONE}
_CHANGES: Final[Mapping[str, Mapping[str, int]]] = {
    "allocated": {"alloc": 1, "free_requested": -1, "free": -1},
    "active": {"alloc": 1, "free_completed": -1, "free": -1},
    "reserved": {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1},
}
_THERE: Final = ("active_allocated",)
_ACTIVE: Final = ("active_allocated", "active_pending_free", "active_awaiting_free")


def snapshot_profile(path: Path, sources: Sources, job: Progress | None = None) -> Profile:
    """Open a snapshot as a profile that has memory and nothing else."""
    snapshot = read_snapshot(path, job)
    timed = bool((snapshot.events.number("time_ns") >= 0).any())
    info = Info(
        form=SNAPSHOT,
        framework="PyTorch",
        hardware=snapshot.hardware or "CPU or other",
        settings={"times": RECORDED if timed else EVENT_NUMBERS},
    )

    def read(_job: Progress | None) -> dict[str, Recorded]:
        return snapshot_tables(snapshot)

    return Profile(path, info, sources, dict.fromkeys(TABLES, read))


def snapshot_tables(snapshot: Snapshot) -> dict[str, Recorded]:
    """All tables of a snapshot."""
    times = _times(snapshot.events)
    return {
        "allocations": _allocations(snapshot, times),
        "memory": _memory(snapshot, times),
        "segments": _segments(snapshot),
        "segment_blocks": _blocks(snapshot),
        "memory_events": _events(snapshot, times),
    }


def _times(events: Rows) -> Numbers:
    """The time of every event; their numbers when the snapshot has no times."""
    recorded = events.number("time_ns")
    if len(recorded) and (recorded >= 0).any():
        return np.maximum.accumulate(np.maximum(recorded, 0)) if _ordered(events) else recorded
    return np.arange(len(events))


def _ordered(events: Rows) -> bool:
    return len(set(events.numbers["device"])) == 1


def _allocations(snapshot: Snapshot, times: Numbers) -> Recorded:
    events, blocks = snapshot.events, snapshot.blocks
    actions = events.texts.get("action", [])
    pairs = pair_blocks(
        (number, _ACTIONS.get(action, RELEASED), (device, address))
        for number, (action, device, address) in enumerate(
            zip(actions, events.numbers.get("device", []), events.numbers["address"], strict=True)
            if actions
            else ()
        )
        if action in _ACTIONS or action == "free"
    )
    # blocks that are there at the end, and that no event allocated
    held = pairs.first[pairs.released < 0]
    seen = set(zip(*(events.number(c)[held].tolist() for c in ("device", "address")), strict=True))
    before = [
        row
        for row, state in enumerate(blocks.texts.get("state", []))
        if state in _THERE
        and (blocks.numbers["device"][row], blocks.numbers["address"][row]) not in seen
    ]
    first = pairs.first
    count = len(first) + len(before)

    def numbers(column: str, of_block: str) -> Numbers:
        found = events.number(column)[first] if len(first) else np.zeros(0, np.int64)
        return np.concatenate((found, blocks.number(of_block)[before]))

    def texts(column: str) -> Coded:
        found = [events.texts[column][place] for place in first.tolist()]
        return coded(found + [blocks.texts[column][row] for row in before])

    def moments(place: Numbers) -> Known:
        known = np.concatenate((place >= 0, np.zeros(len(before), np.bool_)))
        found = times[np.maximum(place, 0)] if len(times) else np.zeros(len(place), np.int64)
        return Known(np.concatenate((found, np.zeros(len(before), np.int64))), known)

    columns: dict[str, Any] = {
        "row": np.arange(count),
        "name": texts("name"),
        "stack": texts("stack"),
        "bytes": numbers("bytes", "requested_bytes"),
        "address": numbers("address", "address"),
        "allocated_ns": moments(pairs.allocated),
        "released_ns": moments(pairs.released),
        "active_released_ns": moments(pairs.done),
        "stream": coded(str(n) for n in numbers("stream", "stream").tolist()),
        "device": _devices(snapshot, numbers("device", "device")),
        "component": coded([COMPONENT] * count),
    }
    return Recorded(frame("allocations", columns, count), {}, snapshot.faults)


def _memory(snapshot: Snapshot, times: Numbers) -> Recorded:
    events = snapshot.events
    devices = events.number("device")
    actions = np.array(events.texts.get("action", []), object)
    size = np.maximum(events.number("bytes"), 0)
    changing = {action for change in _CHANGES.values() for action in change}
    parts: list[dict[str, Numbers]] = []
    for device in np.unique(devices).tolist():
        mine = np.flatnonzero((devices == device) & np.isin(actions, list(changing)))
        curves = {"place": mine}
        for kind, change in _CHANGES.items():
            steps = np.array([change.get(action, 0) for action in actions[mine]], np.int64)
            level = np.cumsum(steps * size[mine])
            last = int(level[-1]) if len(level) else 0
            curves[kind] = level + _at_end(snapshot, device, kind) - last
        parts.append(curves)
    place = np.concatenate([part["place"] for part in parts] or [np.zeros(0, np.int64)])
    columns: dict[str, Any] = {
        "component": coded([COMPONENT] * len(place)),
        "time_ns": times[place] if len(place) else place,
        "device": _devices(snapshot, devices[place]),
    }
    for kind in _CHANGES:
        levels = [part[kind] for part in parts]
        columns[f"{kind}_bytes"] = np.concatenate(levels) if levels else place
    return Recorded(frame("memory", columns, len(place)))


def _at_end(snapshot: Snapshot, device: int, kind: str) -> int:
    """What the pool of a device had when the snapshot was taken; blocks as they were asked for."""
    if kind == "reserved":
        mine = snapshot.segments.number("device") == device
        return int(snapshot.segments.number("bytes")[mine].sum())
    states = _THERE if kind == "allocated" else _ACTIVE
    there = np.array(
        [state in states for state in snapshot.blocks.texts.get("state", [])], np.bool_
    )
    mine = (snapshot.blocks.number("device") == device) & there
    return int(snapshot.blocks.number("requested_bytes")[mine].sum())


def _segments(snapshot: Snapshot) -> Recorded:
    rows = snapshot.segments
    columns: dict[str, Any] = {
        name: Known(rows.number(name), rows.number(name) >= 0)
        for name in ("address", "bytes", "allocated_bytes", "active_bytes", "requested_bytes")
    }
    columns |= {
        "device": _devices(snapshot, rows.number("device")),
        "stream": coded(str(number) for number in rows.numbers.get("stream", [])),
        "kind": coded(rows.texts.get("kind", [])),
        "stack": coded(rows.texts.get("stack", [])),
        "expandable": rows.number("expandable"),
    }
    return Recorded(frame("segments", columns, len(rows)))


def _blocks(snapshot: Snapshot) -> Recorded:
    rows = snapshot.blocks
    columns: dict[str, Any] = {
        name: rows.number(name) for name in ("segment", "address", "bytes", "requested_bytes")
    }
    columns |= {name: coded(rows.texts.get(name, [])) for name in ("state", "name", "stack")}
    return Recorded(frame("segment_blocks", columns, len(rows)))


def _events(snapshot: Snapshot, times: Numbers) -> Recorded:
    rows = snapshot.events
    columns: dict[str, Any] = {"row": np.arange(len(rows)), "time_ns": times}
    for name in ("address", "bytes"):
        columns[name] = Known(rows.number(name), rows.number(name) >= 0)
    columns |= {
        "action": coded(rows.texts.get("action", [])),
        "name": coded(rows.texts.get("name", [])),
        "stack": coded(rows.texts.get("stack", [])),
        "stream": coded(str(number) for number in rows.numbers.get("stream", [])),
        "device": _devices(snapshot, rows.number("device")),
        "component": coded([COMPONENT] * len(rows)),
    }
    return Recorded(frame("memory_events", columns, len(rows)))


def _devices(snapshot: Snapshot, numbers: Numbers) -> Coded:
    shape = {"NPU": "NPU:{}", "GPU": "CUDA:{}"}.get(snapshot.hardware, "device {}")
    distinct, codes = np.unique(numbers, return_inverse=True)
    return Coded(codes.astype(np.int32), [shape.format(number) for number in distinct.tolist()])
