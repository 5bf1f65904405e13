"""All slices of a file in one set of columns: complete events, begin/end pairs, async pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.trace.lanes import LaneKey
from studio.trace.pairing import pair_asyncs, pair_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.formats.chrome_columns import ChromeColumns, Rows
    from studio.formats.faults import FaultLog
    from studio.trace.pairing import Pairs

    Columns = dict[str, NDArray[Any]]

TYPES: dict[str, type[np.generic]] = {
    "time": np.int64,
    "duration": np.int64,
    "open": np.bool_,
    "track": np.int32,
    "name": np.int32,
    "category": np.int32,
    "source": np.int64,
}


@dataclass(slots=True)
class Gathered:
    """Slices in any order; `track` is a number in `keys` (threads first, then async lanes)."""

    slices: Columns
    instants: Columns
    keys: list[LaneKey]


def gather(
    columns: ChromeColumns,
    faults: FaultLog,
    arg_names: Sequence[str],
    instant_args: Sequence[str] = (),
) -> Gathered:
    """Collect the slices and instants of a file; the rows in `columns` are used up."""
    keys = [LaneKey.of_thread(*track) for track in columns.tracks.tracks]
    complete = _take(columns.complete, arg_names, "duration", "open")
    spans = _take(columns.spans, arg_names, "phase")
    asyncs = _take(columns.asyncs, arg_names, "phase", "id")
    instants = _take(columns.instants, instant_args)
    last = None
    if complete["open"].any() or len(spans["time"]) or len(asyncs["time"]):
        others = (spans, asyncs, instants)
        last = _last(
            [
                (complete["time"] + complete["duration"])[~complete["open"]],
                complete["time"],
                *(part["time"] for part in others),
                *(np.asarray(samples.times) for samples in columns.counters.values()),
            ]
        )
    parts = [complete]
    if len(spans["time"]):
        pairs = pair_spans(
            spans["phase"], spans["time"], spans["track"], spans["name"], columns.names[""]
        )
        _report(pairs, spans, faults)
        parts.append(_closed(spans, pairs, last or 0))
    if len(asyncs["time"]):
        pairs = pair_asyncs(asyncs["phase"], asyncs["time"], asyncs["id"])
        _report(pairs, asyncs, faults)
        parts.append(_closed(asyncs, pairs, last or 0))
        parts[-1]["track"] = _async_tracks(parts[-1], columns, keys)
    shared = [key for key in parts[0] if key not in ("phase", "id")]
    slices = {key: _joined([part[key] for part in parts]) for key in shared}
    slices["track"] = slices["track"].astype(np.int32)
    if last is not None:
        _end_open_ones(slices, complete, last)
    return Gathered(slices, instants, keys)


def _take(rows: Rows, arg_names: Sequence[str], *more: str) -> Columns:
    names = ["time", "track", "name", "category", "source", *more]
    types = {**TYPES, "phase": np.uint8, "id": np.int32}
    found = {name: rows.take(name, types[name]) for name in names}
    for name in arg_names:
        found[f"arg:{name}"] = rows.take(f"arg:{name}", np.int64)
        found[f"kind:{name}"] = rows.take(f"kind:{name}", np.uint8)
    return found


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _last(parts: list[NDArray[np.int64]]) -> int | None:
    return max((int(part.max()) for part in parts if len(part)), default=None)


def _closed(events: Columns, pairs: Pairs, last: int) -> Columns:
    """The slices of paired events, and of begin events that never end."""
    chosen = np.array(pairs.begins + pairs.never_ended, np.int64)
    closed = {key: values[chosen] for key, values in events.items() if key not in ("phase", "id")}
    ends = np.array(pairs.ends + [last] * len(pairs.never_ended), np.int64)
    closed["duration"] = ends - closed["time"]
    closed["open"] = np.array(pairs.unfinished + [True] * len(pairs.never_ended), np.bool_)
    return closed


def _report(pairs: Pairs, events: Columns, faults: FaultLog) -> None:
    unfinished = [
        index
        for index, is_unfinished in zip(pairs.begins, pairs.unfinished, strict=True)
        if is_unfinished
    ]
    source = events["source"]
    faults.add_all("begin without end", source[unfinished + pairs.never_ended].tolist())
    faults.add_all("end without begin", source[pairs.extra_ends].tolist())


def _async_tracks(
    slices: Columns, columns: ChromeColumns, keys: list[LaneKey]
) -> NDArray[np.int32]:
    """Numbers of the async lanes (process and category) of slices; new lanes join `keys`."""
    known: dict[LaneKey, int] = {}
    numbers = []
    for track, category in zip(slices["track"].tolist(), slices["category"].tolist(), strict=True):
        process = columns.tracks.tracks[track][0]
        key = LaneKey.of_asyncs(process, columns.categories.texts[category])
        if key not in known:
            known[key] = len(keys)
            keys.append(key)
        numbers.append(known[key])
    return np.array(numbers, np.int32)


def _end_open_ones(slices: Columns, complete: Columns, last: int) -> None:
    """Complete events without a duration last to the next event of their thread, or to the end."""
    open_ones = np.flatnonzero(complete["open"])
    time, track = slices["time"], slices["track"]
    for number in np.unique(track[open_ones]).tolist():
        mine = open_ones[track[open_ones] == number]
        starts = np.sort(time[track == number])
        following = np.searchsorted(starts, time[mine], "right")
        until = np.where(
            following < len(starts), starts[np.minimum(following, len(starts) - 1)], last
        )
        slices["duration"][mine] = until - time[mine]
