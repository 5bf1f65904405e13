"""Databases of msMemScope (memscope_dump): memory events with call stacks, as tables of `schema`.

One row per event: ID, Event (MALLOC, FREE, ACCESS, OP_LAUNCH, KERNEL_LAUNCH, MSTX, SYSTEM), Event
Type (the pool: HAL, PTA, MINDSPORE, ATB, HOST_PINNED …), Name, Timestamp(ns), Process Id, Thread
Id, Device Id, Ptr, Attr (JSON: size, and where known total, used, owner), Call Stack(Python) and
Call Stack(C), both from the innermost frame.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.cells import VALUE, state_of
from studio.formats.torch_snapshot import user_frame
from studio.perf.block_pairs import ALLOCATED, RELEASED, pair_blocks
from studio.perf.frames import Known, Recorded, coded, frame, optional
from studio.perf.profile import Info, Profile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.database import Database
    from studio.perf.sources import Sources

    Numbers = NDArray[np.int64]

TABLE: Final = "memscope_dump"
TABLES: Final = ("allocations", "memory", "memory_events")
_ACTIONS: Final = {"MALLOC": ALLOCATED, "FREE": RELEASED}
_PYTHON: Final = "call stack(python)"
_SIZES: Final = ("size", "total", "used")


def is_memscope(database: Database) -> bool:
    """Whether a database is one of msMemScope."""
    return bool(database.find(TABLE))


def memscope_profile(path: Path, sources: Sources, database: Database) -> Profile:
    """Open a database of msMemScope as a profile that has memory and nothing else."""

    def read(job: Progress | None) -> dict[str, Recorded]:
        return memscope_tables(database, job)

    info = Info(form="memscope database")
    return Profile(path, info, sources, dict.fromkeys(TABLES, read))


@dataclass(frozen=True, slots=True)
class _Event:
    action: str
    component: str
    name: str
    time: int
    device: str
    pointer: str
    stack: str
    size: int | None
    reserved: int | None
    allocated: int | None
    owner: str


def memscope_tables(database: Database, job: Progress | None = None) -> dict[str, Recorded]:
    """All tables of the database."""
    events = sorted(_events(database, job), key=lambda event: event.time)
    return {
        "allocations": _allocations(events),
        "memory": _memory(events),
        "memory_events": _all_events(events),
    }


def _events(database: Database, job: Progress | None) -> Iterator[_Event]:
    names = [name.casefold() for name in database.tables[database.find(TABLE)]]
    for number, cells in enumerate(database.pairs(TABLE)):
        if job is not None and number % 65536 == 0:
            job.check()
        row = dict(zip(names, cells, strict=True))
        time = row.get("timestamp(ns)")
        if not isinstance(time, int):
            continue
        attributes = _attributes(row.get("attr"))
        size, total, used = (_whole(attributes.get(name)) for name in _SIZES)
        python, c = _text(row.get(_PYTHON)), _text(row.get("call stack(c)"))
        yield _Event(
            action=_text(row.get("event")),
            component=_text(row.get("event type")),
            name=_text(row.get("name")),
            time=time,
            device=_text(row.get("device id")),
            pointer=_text(row.get("ptr")),
            stack="\n".join(line for line in (python or c).splitlines() if line.strip()),
            size=size,
            reserved=total,
            allocated=used,
            owner=_text(attributes.get("owner")),
        )


def _allocations(events: list[_Event]) -> Recorded:
    pairs = pair_blocks(
        (number, _ACTIONS[event.action], (event.device, event.component, event.pointer))
        for number, event in enumerate(events)
        if event.action in _ACTIONS
    )
    times = np.array([event.time for event in events], np.int64)
    first = [events[place] for place in pairs.first.tolist()]

    def moments(place: Numbers) -> Known:
        known = place >= 0
        found = times[np.maximum(place, 0)] if len(times) else np.zeros(len(place), np.int64)
        return Known(found, known)

    columns: dict[str, Any] = {
        "row": np.arange(len(first)),
        "name": coded(_named_by(event) for event in first),
        "stack": coded(event.stack for event in first),
        "bytes": optional([event.size for event in first]),
        "address": optional([_address(event.pointer) for event in first]),
        "allocated_ns": moments(pairs.allocated),
        "released_ns": moments(pairs.released),
        "device": coded(_device(event.device) for event in first),
        "component": coded(event.component for event in first),
    }
    return Recorded(frame("allocations", columns, len(first)))


def _memory(events: list[_Event]) -> Recorded:
    """The pools over time: as recorded (used, total), else the sum of what was allocated."""
    sizes: dict[tuple[str, str, str], int] = {}
    level: dict[tuple[str, str], int] = {}
    rows: list[tuple[_Event, int, int | None]] = []
    for event in events:
        if event.action not in _ACTIONS:
            continue
        pool, block = (
            (event.device, event.component),
            (event.device, event.component, event.pointer),
        )
        if event.action == "MALLOC":
            sizes[block] = event.size or 0
            change = sizes[block]
        else:
            change = -sizes.pop(block, 0)
        level[pool] = level.get(pool, 0) + change
        used = level[pool] if event.allocated is None else event.allocated
        rows.append((event, used, event.reserved))
    columns: dict[str, Any] = {
        "component": coded(event.component for event, _, _ in rows),
        "time_ns": np.array([event.time for event, _, _ in rows], np.int64),
        "allocated_bytes": np.array([used for _, used, _ in rows], np.int64),
        "reserved_bytes": optional([total for _, _, total in rows]),
        "device": coded(_device(event.device) for event, _, _ in rows),
    }
    return Recorded(frame("memory", columns, len(rows)))


def _all_events(events: list[_Event]) -> Recorded:
    columns: dict[str, Any] = {
        "row": np.arange(len(events)),
        "time_ns": np.array([event.time for event in events], np.int64),
        "action": coded(event.action for event in events),
        "address": optional([_address(event.pointer) for event in events]),
        "bytes": optional([event.size for event in events]),
        "name": coded(event.name for event in events),
        "stack": coded(event.stack for event in events),
        "device": coded(_device(event.device) for event in events),
        "component": coded(event.component for event in events),
    }
    return Recorded(frame("memory_events", columns, len(events)))


def _named_by(event: _Event) -> str:
    """What a block is called: its owner, its name, else the line of the user that allocated it."""
    return event.owner or event.name or user_frame(event.stack.split("\n"))


def _attributes(value: object) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) and value else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        value = int(value)
    return value if isinstance(value, int) and abs(value) < 1 << 62 else None


def _address(text: str) -> int | None:
    try:
        found = int(text, 0)
    except ValueError:
        return None
    return found if found < 1 << 63 else None


def _text(value: object) -> str:
    text = str(value) if value is not None else ""
    return text if state_of(text) == VALUE else ""


def _device(device: str) -> str:
    return f"NPU:{device}" if device.isdecimal() else device
