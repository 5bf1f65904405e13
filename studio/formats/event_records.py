"""Scalars in event files of TensorBoard and in summaries of MindSpore.

Both are records of the TFRecord format (length, checksum, data, checksum) with a protocol buffer in
each: https://www.tensorflow.org/tutorials/load_data/tfrecord, event.proto and summary.proto. A file
that is still being written may end in the middle of a record.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from studio.formats.training_lines import Record, canonical

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MARKS: Final = ("tfevents", ".summary.", "_MS")
_LIMIT: Final = 64 << 20
_STEP, _SUMMARY, _VALUE = 2, 5, 1
_TAG, _SIMPLE, _SCALAR, _TENSOR, _FLOATS = 1, 2, 3, 8, 5


def is_event_file(path: Path) -> bool:
    """Tell by name and first record whether a file holds events."""
    if not any(mark in path.name for mark in _MARKS):
        return False
    with path.open("rb") as file:
        head = file.read(12)
        if len(head) < 12:
            return False
        size = struct.unpack("<Q", head[:8])[0]
        return bool(0 < size < 1 << 20 and file.read(1) == b"\t")


def read_scalars(path: Path) -> Iterator[Record]:
    """Yield the scalars of each event."""
    for place, data in enumerate(_records(path), 1):
        try:
            step, values = _event(data)
        except (ValueError, IndexError, struct.error, UnicodeDecodeError):
            continue
        if values:
            yield Record(place, step, values)


def _records(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while len(head := file.read(12)) == 12:
            size = struct.unpack("<Q", head[:8])[0]
            if size > _LIMIT:
                return
            data = file.read(size)
            if len(data) < size or len(file.read(4)) < 4:
                return
            yield data


def _event(data: bytes) -> tuple[int, dict[str, float]]:
    step, values = 0, {}
    for field, value in _fields(data):
        if field == _STEP and isinstance(value, int):
            step = value
        elif field == _SUMMARY and isinstance(value, bytes):
            for inner, entry in _fields(value):
                if inner == _VALUE and isinstance(entry, bytes):
                    tag, number = _scalar(entry)
                    if tag and number is not None:
                        values[canonical(tag)] = number
    return step, values


def _scalar(data: bytes) -> tuple[str, float | None]:
    tag, number = "", None
    for field, value in _fields(data):
        if field == _TAG:
            tag = value.decode()
        elif field in (_SIMPLE, _SCALAR) and isinstance(value, float):
            number = value
        elif field == _TENSOR and isinstance(value, bytes):
            number = _tensor(value)
    return tag, number


def _tensor(data: bytes) -> float | None:
    for field, value in _fields(data):
        if field == _FLOATS:
            if isinstance(value, bytes) and len(value) == 4:
                return float(struct.unpack("<f", value)[0])
            if isinstance(value, float):
                return value
    return None


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Walk the fields of a protocol buffer: integers, floats, and bytes of everything else."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(kind, 0)
        if kind == 2:
            size, at = _varint(data, at)
        elif not size:
            raise ValueError(kind)
        raw = data[at : at + size]
        at += size
        if len(raw) < size:
            raise ValueError(size)
        yield key >> 3, struct.unpack("<f", raw)[0] if kind == 5 else raw


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError(at)
