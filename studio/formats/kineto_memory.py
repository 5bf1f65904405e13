"""The `[memory]` events of Kineto traces, as the table of `memory_table`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.formats.byte_source import text_of_file, unpacked_size
from studio.formats.chrome_columns import ARG_NUMBER
from studio.formats.chrome_trace import read_trace
from studio.formats.engine import use_kernels
from studio.formats.faults import FaultLog
from studio.formats.memory_table import MemoryRecord, memory_frame
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_columns import Rows
    from studio.formats.chrome_trace import Progress
    from studio.formats.memory_table import Sizes

MEMORY: Final = "[memory]"
"""The name of the events."""

ARGS: Final = ("Addr", "Bytes", "Device Type", "Device Id", "Total Allocated", "Total Reserved")
"""The args of the events."""

# c10/core/DeviceType.h; NPUs register as PrivateUse1
_DEVICES: Final = {0: "CPU", 1: "CUDA", 6: "HIP", 12: "XPU", 13: "MPS", 19: "MTIA", 20: "NPU"}


@dataclass(frozen=True, slots=True)
class MemoryEvents:
    """The `[memory]` events of a trace in the order of time.

    `track` numbers `tracks`, which are pairs of process and thread. `args` has the whole numbers of
    every arg that they may have, and which of the events have it.
    """

    time: NDArray[np.int64]
    source: NDArray[np.int64]
    track: NDArray[np.int32]
    tracks: list[tuple[str, str]]
    args: dict[str, Sizes]

    def __len__(self) -> int:
        return len(self.time)


def read_memory_events(path: Path, *, job: Progress | None = None) -> MemoryEvents:
    """Read the events of a Kineto trace; none when it was recorded without them."""
    size = 0
    with suppress(OSError):  # reading tells what is wrong
        size = unpacked_size(text_of_file(path), path.stat().st_size)
    columns = read_trace(
        path, FaultLog(), arg_columns=ARGS, job=job, compiled=use_kernels(size), only=MEMORY
    )
    rows = columns.instants
    chosen = np.flatnonzero(rows.take("name", np.int32) == columns.names.get(MEMORY, -1))
    time = rows.take("time", np.int64)[chosen]
    order = np.argsort(time, kind="stable")
    chosen = chosen[order]
    return MemoryEvents(
        time=time[order],
        source=rows.take("source", np.int64)[chosen],
        track=rows.take("track", np.int32)[chosen],
        tracks=columns.tracks.tracks,
        args={name: _whole_numbers(rows, name, chosen) for name in ARGS},
    )


def read_kineto_memory(path: Path, *, job: Progress | None = None) -> MemoryRecord:
    """Read the `[memory]` events of a Kineto trace (recorded with `profile_memory=True`).

    Old versions record only the size of each allocation: `allocated_bytes` then counts from 0 at
    the first event of a device, and a fault says so. Raises StudioError when the trace has none.
    """
    events = read_memory_events(path, job=job)
    if not len(events):
        raise StudioError(
            tr("{name} holds no memory events; record with profile_memory=True.", name=path.name),
            path=path,
        )
    return memory_record(events)


def memory_record(events: MemoryEvents) -> MemoryRecord:
    """The memory in use after each event."""
    faults = FaultLog()
    time, source, args = events.time, events.source, events.args
    device = _devices(args["Device Type"][0], args["Device Id"][0])
    allocated, known = args["Total Allocated"]
    if not known.all():
        running = _running_sums(args["Bytes"][0], device)
        faults.add(
            "counted from the first event", int(source[np.argmin(known)]), int((~known).sum())
        )
        allocated = np.where(known, allocated, running)
    return MemoryRecord(
        memory_frame(
            component=["PyTorch"] * len(time),
            time=time,
            sizes={
                "allocated": (allocated, np.ones(len(time), np.bool_)),
                "reserved": args["Total Reserved"],
            },
            stream=[""] * len(time),
            device=device,
        ),
        faults.faults(),
    )


def _whole_numbers(rows: Rows, name: str, chosen: NDArray[np.int64]) -> Sizes:
    values = rows.take(f"arg:{name}", np.int64)[chosen]
    return values, rows.take(f"kind:{name}", np.uint8)[chosen] == ARG_NUMBER


def _devices(kinds: NDArray[np.int64], numbers: NDArray[np.int64]) -> list[str]:
    pairs = list(zip(kinds.tolist(), numbers.tolist(), strict=True))
    names = {pair: _device(*pair) for pair in set(pairs)}
    return [names[pair] for pair in pairs]


def _device(kind: int, number: int) -> str:
    name = _DEVICES.get(kind, f"device type {kind}")
    return name if number < 0 else f"{name}:{number}"


def _running_sums(sizes: NDArray[np.int64], device: list[str]) -> NDArray[np.int64]:
    sums = np.zeros(len(sizes), np.int64)
    names = np.array(device)
    for name in set(device):
        mine = names == name
        sums[mine] = np.cumsum(sizes[mine])
    return sums
