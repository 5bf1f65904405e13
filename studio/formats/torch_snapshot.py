"""Memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot, torch_npu.npu.memory likewise).

A pickle of plain data:

    segments        device, address, total_size, allocated_size, active_size, requested_size,
                    stream, segment_type, is_expandable, frames, blocks: [{address, size,
                    requested_size, state, frames}]   what the pool holds when it was dumped
    device_traces   per device the last events: action, addr, size, stream, frames, time_us

Old ones are the list of segments alone; blocks there have no address and follow one another. Sizes
of events are those that were asked for; blocks in segments say both that and their rounded size.
(torch/cuda/_memory_viz.py and c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.1 to 2.7.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.faults import FaultLog
from studio.formats.plain_pickle import load_plain
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.faults import Fault

    Numbers = NDArray[np.int64]

PATTERNS: Final = ("*snapshot*.pickle", "*snapshot*.pkl", "*.pickle")
_HEAD: Final = 4096
_MARKS: Final = (b"segments", b"device_traces", b"total_size")
_NO_NUMBER: Final = -1
_LIBRARIES: Final = ("/torch/", "/torch_npu/", "/mindspore/", "/msmemscope/")


@dataclass
class Rows:
    """Columns of whole numbers and texts that grow row by row; -1 is no number, "" no text."""

    numbers: dict[str, list[int]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.numbers.values()), []))

    def number(self, column: str) -> Numbers:
        """A column of numbers."""
        return np.array(self.numbers.get(column, []), np.int64)


@dataclass(frozen=True)
class Snapshot:
    """A snapshot as columns: segments, the blocks in them, and the events of all devices in order.

    `events` has number, device, address, bytes, stream, time_ns (-1 where the dump has no times)
    and the texts action, name, stack; `blocks` has segment, device, address, bytes,
    requested_bytes, stream and the texts state, name, stack; `segments` device, stream, address,
    bytes, allocated_bytes, active_bytes, requested_bytes, expandable and the texts kind, stack.
    """

    segments: Rows
    blocks: Rows
    events: Rows
    hardware: str
    """NPU or GPU, as the paths in the stacks tell; "" when they do not."""
    faults: tuple[Fault, ...] = ()


def is_snapshot(path: Path) -> bool:
    """Whether a file looks like a memory snapshot; nothing of it is run."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head[:1] in (b"\x80", b"(", b"]", b"}") and any(mark in head for mark in _MARKS)


def read_snapshot(path: Path, job: Progress | None = None) -> Snapshot:
    """Read a snapshot; raises StudioError when it is none. Odd entries are counted as faults."""
    dumped = load_plain(path)
    whole = dumped if isinstance(dumped, dict) else {"segments": dumped}
    segments, traces = whole.get("segments"), whole.get("device_traces", [])
    if not isinstance(segments, list) or not isinstance(traces, list):
        raise StudioError(tr("{name} is no memory snapshot of PyTorch.", name=path.name), path=path)
    faults, frames = FaultLog(), _Frames()
    listed, blocks = _segments(segments, frames, faults)
    events = _events(traces, frames, faults, job)
    return Snapshot(listed, blocks, events, frames.hardware, faults.faults())


def user_frame(lines: Sequence[str]) -> str:
    """The innermost frame of Python that is no library's of the frameworks, else the innermost."""
    for line in lines:
        if ".py(" in line and not any(part in line for part in _LIBRARIES):
            return line
    return lines[0] if lines else ""


def _segments(segments: Sequence[Any], frames: _Frames, faults: FaultLog) -> tuple[Rows, Rows]:
    found, inside = Rows(), Rows()
    for number, segment in enumerate(segments):
        if not isinstance(segment, dict):
            faults.add("entry is no segment", number)
            continue
        sizes = {name: _number(segment.get(f"{name}_size")) for name in _SIZES}
        address, stream = _number(segment.get("address")), _number(segment.get("stream"))
        device = _number(segment.get("device"))
        blocks = [block for block in _list(segment.get("blocks")) if isinstance(block, dict)]
        at, place = address, len(found)
        for block in blocks:
            size = _number(block.get("size"))
            at = _number(block.get("address"), at)
            name, stack = frames.of(_frames_of(block))
            _add(
                inside,
                {"segment": place, "device": device, "address": at, "bytes": size}
                | {"requested_bytes": _number(block.get("requested_size"), size), "stream": stream},
                {"state": _text(block.get("state")), "name": name, "stack": stack},
            )
            at += max(size, 0)
        numbers = {"device": device, "stream": stream, "address": address, "bytes": sizes["total"]}
        numbers |= {f"{name}_bytes": sizes[name] for name in _SIZES[1:]}
        numbers["expandable"] = int(bool(segment.get("is_expandable")))
        texts = {"kind": _text(segment.get("segment_type"))}
        _add(found, numbers, texts | {"stack": frames.of(_list(segment.get("frames")))[1]})
    return found, inside


_SIZES: Final = ("total", "allocated", "active", "requested")


def _frames_of(block: dict[str, Any]) -> list[Any]:
    """The frames of a block; old dumps keep them in its history."""
    if frames := _list(block.get("frames")):
        return frames
    history = _list(block.get("history"))
    return _list(history[0].get("frames")) if history and isinstance(history[0], dict) else []


def _events(traces: Sequence[Any], frames: _Frames, faults: FaultLog, job: Progress | None) -> Rows:
    found = Rows()
    number = 0
    for device, trace in enumerate(traces):
        for event in _list(trace):
            number += 1
            if job is not None and number % 65536 == 0:
                job.check()
                job.report(None, tr("{n} events", n=f"{number:,}"))
            if not isinstance(event, dict) or not isinstance(event.get("action"), str):
                faults.add("entry is no event", number)
                continue
            name, stack = frames.of(_list(event.get("frames")))
            time = _number(event.get("time_us"))
            numbers = {
                "number": len(found),
                "device": device,
                "address": _number(event.get("addr"), _number(event.get("device_free"))),
                "bytes": _number(event.get("size")),
                "stream": _number(event.get("stream")),
                "time_ns": time * 1000 if time >= 0 else _NO_NUMBER,
            }
            _add(found, numbers, {"action": event["action"], "name": name, "stack": stack})
    return found


class _Frames:
    """Names and stacks of lists of frames, made once for every list that the pickle shares."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, str]] = {}
        self._kept: list[Any] = []
        self._texts: dict[str, str] = {}
        self.hardware = ""

    def of(self, frames: list[Any]) -> tuple[str, str]:
        """What allocated (the innermost frame of the user), and the stack from the innermost."""
        if not frames:
            return "", ""
        known = self._known.get(id(frames))
        if known is None:
            lines = [self._line(frame) for frame in frames if isinstance(frame, dict)]
            text = "\n".join(lines)
            text = self._texts.setdefault(text, text)
            known = self._known[id(frames)] = (user_frame(lines), text)
            self._kept.append(frames)  # else another list might get the same id
        return known

    def _line(self, frame: dict[str, Any]) -> str:
        file, name = _text(frame.get("filename")), _text(frame.get("name"))
        if not self.hardware and "torch_npu" in file:
            self.hardware = "NPU"
        elif not self.hardware and ("/torch/cuda/" in file or "CUDACachingAllocator" in file):
            self.hardware = "GPU"
        return f"{file}({_number(frame.get('line'))}): {name}"


def _add(rows: Rows, numbers: dict[str, int], texts: dict[str, str]) -> None:
    for column, number in numbers.items():
        rows.numbers.setdefault(column, []).append(number)
    for column, text in texts.items():
        rows.texts.setdefault(column, []).append(text)


def _number(value: object, missing: int = _NO_NUMBER) -> int:
    fits = isinstance(value, int) and -(1 << 63) <= value < 1 << 63
    return int(value) if fits else missing  # type: ignore[call-overload]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
