"""What a reader makes of a trace, as plain values that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from studio.formats.chrome_builder import ColumnBuilder
from studio.formats.chrome_columns import ARG_TEXT
from studio.formats.chrome_events import EventReader, NotATraceError
from studio.formats.faults import FaultLog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.formats.chrome_columns import ChromeColumns


ARGS = ("connection_id", "id", "External id", "stream")
Reading = dict[str, Any]
GROUPS = ("complete", "spans", "asyncs", "flows", "instants")


class Bytes:
    """A source in memory that gives few bytes at a time."""

    def __init__(self, data: bytes, step: int = 1 << 20) -> None:
        self.size = len(data)
        self.consumed = 0
        self.damage = ""
        self._data = data
        self._step = step

    def read(self, size: int) -> bytes:
        block = self._data[self.consumed : self.consumed + min(size, self._step)]
        self.consumed += len(block)
        return block

    def fill(self, buffer: memoryview) -> int:
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def read_portable(data: bytes, chunk: int = 1 << 20, args: Sequence[str] = ARGS) -> Reading:
    """Read with msgspec."""
    faults = FaultLog()
    builder = ColumnBuilder(faults, args)
    reader = EventReader(Bytes(data), faults, chunk)
    try:
        for events, places in reader.batches():
            builder.add(events, places)
    except NotATraceError:
        return {"no trace": True}
    return reading(builder.columns, faults, reader)


def read_compiled(
    data: bytes, buffer: int = 1 << 14, chunk: int = 1 << 19, args: Sequence[str] = ARGS
) -> Reading:
    """Read with kernels."""
    from studio.formats.scan.reader import PlainReader

    faults = FaultLog()
    builder = ColumnBuilder(faults, args)
    source = Bytes(data, max(buffer // 2, 1))
    rows = max(64, buffer >> 6)
    reader = EventReader(source, faults, chunk)
    try:
        for _ in PlainReader(source, reader, builder, faults, args, buffer, rows).parts():
            pass
    except NotATraceError:
        return {"no trace": True}
    return reading(builder.columns, faults, reader)


def reading(columns: ChromeColumns, faults: FaultLog, reader: EventReader) -> Reading:
    """All that was read, texts in place of their numbers."""
    found: Reading = {
        "no trace": False,
        "events": columns.events,
        "faults": faults.faults(),
        "names": columns.names.texts,
        "categories": columns.categories.texts,
        "tracks": columns.tracks.tracks,
        "metadata": columns.track_names,
        "counter events": columns.counter_events,
        "counters": [
            (key, samples.times.tolist(), list(map(repr, samples.values)))
            for key, samples in columns.counters.items()
        ],
        "outside": (reader.head, reader.tail),
    }
    for group in GROUPS:
        found |= _rows(columns, group)
    return found


def _rows(columns: ChromeColumns, group: str) -> Reading:
    rows, texts = getattr(columns, group), columns.arg_texts.texts
    found: Reading = {f"rows of {group}": len(rows)}
    if not len(rows):
        return found
    names = sorted(rows._columns)
    taken = {name: rows.take(name, np.int64) for name in names}
    found[f"columns of {group}"] = [(name, taken[name].dtype.num) for name in names]
    for name, values in taken.items():
        if (group == "flows" and name == "id") or name.startswith("arg:"):
            kind = name.replace("arg:", "kind:")
            in_texts = taken["text_id"] if kind == "id" else taken[kind] == ARG_TEXT
        elif group == "asyncs" and name == "id":
            in_texts = np.ones(len(values), np.bool_)
        else:
            found[f"{group}.{name}"] = values.tolist()
            continue
        pairs = zip(values.tolist(), in_texts.tolist(), strict=True)
        found[f"{group}.{name}"] = [texts[value] if text else value for value, text in pairs]
    return found
