"""A trace as a folder: columns as `.npy` files that are mapped, all else in a manifest.

The manifest is written last and tells the checksum of every file and of itself, so that a folder is
either whole or refused.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
from isal import isal_zlib

from studio.formats.faults import Fault
from studio.trace.store import ArgColumn, Counter, Flows, Instants, Lane, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

FORMAT: Final = 1
"""To be raised whenever a reader of another version would understand a folder differently."""

MANIFEST: Final = "manifest.json"

_SLICES: Final = (
    "start", "duration", "name", "category", "lane", "depth", "source", "open_ended", "row_bounds",
)  # fmt: skip
_NUMBERS: Final = (
    "start_ns", "end_ns", "view_start_ns", "view_end_ns", "outside", "events", "counter_events",
)  # fmt: skip
_TEXTS: Final = "texts.json"


class NotWholeError(ValueError):
    """The folder is damaged, or was written by another version."""


def write_folder(trace: Trace, folder: Path, about: Mapping[str, object]) -> int:
    """Write a trace to an empty folder, with notes about it; returns the bytes written."""
    files: dict[str, list[object]] = {}
    size = 0
    for name, values in _arrays(trace).items():
        path = folder / f"{name}.npy"
        values = np.ascontiguousarray(values)
        with path.open("wb") as file:
            np.save(file, values)
        files[name] = [values.dtype.str, len(values), _checksum(values)]
        size += path.stat().st_size
    texts = _texts(trace)
    (folder / _TEXTS).write_bytes(texts)
    body = json.dumps(
        {
            "about": about,
            "files": files,
            "texts": _checksum(texts),
            "numbers": {name: getattr(trace, name) for name in _NUMBERS},
            "lanes": [asdict(lane) for lane in trace.lanes],
            "counters": [
                [each.lane, each.process, each.name, each.id, each.key] for each in trace.counters
            ],
            "faults": [asdict(fault) for fault in trace.faults],
            "args": list(trace.arg_columns),
            "metadata": trace.metadata,
        }
    ).encode()
    head = f"{FORMAT} {_checksum(body)}\n".encode()
    (folder / MANIFEST).write_bytes(head + body)
    return size + len(texts) + len(head) + len(body)


def read_about(folder: Path) -> dict[str, Any]:
    """The whole manifest; raises NotWholeError."""
    head, _, body = (folder / MANIFEST).read_bytes().partition(b"\n")
    if head != f"{FORMAT} {_checksum(body)}".encode():
        raise NotWholeError("another format, or not the manifest that was written")
    manifest: dict[str, Any] = json.loads(body)
    return manifest


def read_folder(folder: Path, manifest: Mapping[str, Any], path: Path) -> Trace:
    """Map the trace in a folder; raises NotWholeError. `path` is the file it was read from."""
    arrays = {name: _mapped(folder, name, *about) for name, about in manifest["files"].items()}
    data = (folder / _TEXTS).read_bytes()
    if _checksum(data) != manifest["texts"]:
        raise NotWholeError(_TEXTS)
    columns: dict[str, Any] = {name: arrays[name] for name in _SLICES}
    names, categories, texts = msgspec.json.decode(data, type=list[list[str]])
    return Trace(
        path=path,
        **columns,
        **manifest["numbers"],
        names=names,
        categories=categories,
        lanes=tuple(
            Lane(**{**lane, "order": _tuples(lane["order"])}) for lane in manifest["lanes"]
        ),
        counters=tuple(_counters(manifest["counters"], arrays)),
        flows=Flows(*(arrays[f"flows.{field.name}"] for field in fields(Flows))),
        instants=Instants(*(arrays[f"instants.{field.name}"] for field in fields(Instants))),
        faults=tuple(
            Fault(**{**each, "places": tuple(each["places"])}) for each in manifest["faults"]
        ),
        arg_columns={
            name: ArgColumn(arrays[f"arg.{number}"], arrays[f"kind.{number}"], texts)
            for number, name in enumerate(manifest["args"])
        },
        metadata=manifest["metadata"],
        stamp=tuple(manifest["about"]["stamp"]),
    )


def _arrays(trace: Trace) -> Arrays:
    found: Arrays = {name: getattr(trace, name) for name in _SLICES}
    for group, rows in (("flows", trace.flows), ("instants", trace.instants)):
        found |= {f"{group}.{field.name}": getattr(rows, field.name) for field in fields(rows)}
    nothing = np.zeros(0, np.int64)
    found["counters.times"] = np.concatenate([nothing, *(each.times for each in trace.counters)])
    found["counters.values"] = np.concatenate(
        [nothing.astype(np.float64), *(each.values for each in trace.counters)]
    )
    found["counters.sizes"] = np.array([len(each.times) for each in trace.counters], np.int64)
    for number, column in enumerate(trace.arg_columns.values()):
        found[f"arg.{number}"], found[f"kind.{number}"] = column.values, column.kind
    return found


def _texts(trace: Trace) -> bytes:
    args: list[str] = []
    for column in trace.arg_columns.values():
        args = column.texts
    return msgspec.json.encode([trace.names, trace.categories, args])


def _counters(about: Iterable[list[Any]], arrays: Arrays) -> Iterable[Counter]:
    bounds = np.concatenate(([0], np.cumsum(arrays["counters.sizes"]))).tolist()
    times, values = arrays["counters.times"], arrays["counters.values"]
    for number, each in enumerate(about):
        part = slice(bounds[number], bounds[number + 1])
        lane, process, name, identity, key = each
        yield Counter(lane, process, name, identity, key, times[part], values[part])


def _mapped(folder: Path, name: str, kind: str, count: int, checksum: int) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    try:
        mapped = np.load(path, mmap_mode="r" if count else None)
    except (ValueError, EOFError) as error:
        raise NotWholeError(f"{path.name}: {error}") from error
    values: NDArray[Any] = mapped.view(np.ndarray)
    if values.dtype.str != kind or values.shape != (count,) or _checksum(values) != checksum:
        raise NotWholeError(path.name)
    return values


def _checksum(data: NDArray[Any] | bytes) -> int:
    view = data.data if isinstance(data, np.ndarray) else memoryview(data)
    return int(isal_zlib.crc32(view.cast("B") if len(data) else b""))


def _tuples(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
