"""From the columns of a file to a trace: lanes, rows, curves, arrows, time range."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.trace.gather import gather
from studio.trace.hits import innermost
from studio.trace.lanes import LaneKey, make_lanes
from studio.trace.layout import lay_out, picked
from studio.trace.pairing import pair_flows
from studio.trace.store import ArgColumn, Counter, Flows, Instants, Trace
from studio.trace.time_range import SMALLEST_GAP_NS, main_range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.chrome_columns import ChromeColumns
    from studio.formats.faults import FaultLog
    from studio.trace.gather import Gathered
    from studio.trace.store import Lane

    Columns = dict[str, NDArray[Any]]


def build_trace(
    path: Path,
    columns: ChromeColumns,
    faults: FaultLog,
    *,
    arg_columns: Sequence[str] = (),
    instant_args: Sequence[str] = (),
    stamp: tuple[int, int] = (0, 0),
    compiled: bool = False,
) -> Trace:
    """Make a trace of what was read; the rows in `columns` are used up.

    With `compiled` kernels do the long work; the result is the same.
    """
    gathered = gather(columns, faults, arg_columns, instant_args)
    lanes, lane_of_track = _lanes(gathered, columns)
    table = _lay_out(gathered.slices, lanes, lane_of_track, compiled=compiled)
    slices = table.slices
    end = slices["time"] + slices["duration"]
    order = np.argsort(gathered.instants["time"], kind="stable")
    by_time = {name: values[order] for name, values in gathered.instants.items()}
    instants = _instants(by_time, lane_of_track)
    counters = _counters(columns, lanes)
    flows = _flows(columns, faults, table, end, lane_of_track, compiled=compiled)
    shown = _range(slices, end, instants, counters)
    outside = _outside(slices["time"], shown)
    faults.add_all("far from the rest", np.sort(slices["source"][outside]).tolist())
    return Trace(
        path=path,
        start=slices["time"],
        duration=slices["duration"],
        name=slices["name"],
        category=slices["category"],
        lane=slices["lane"],
        depth=slices["depth"],
        source=slices["source"],
        open_ended=slices["open"],
        names=columns.names.texts,
        categories=columns.categories.texts,
        lanes=table.lanes,
        row_bounds=table.row_bounds,
        counters=counters,
        flows=flows,
        instants=instants,
        faults=faults.faults(),
        start_ns=shown.start_ns,
        end_ns=shown.end_ns,
        view_start_ns=shown.view_start_ns,
        view_end_ns=shown.view_end_ns,
        outside=len(outside),
        events=columns.events,
        counter_events=columns.counter_events,
        arg_columns=_args(slices, arg_columns, columns),
        instant_args=_args(by_time, instant_args, columns),
        metadata=columns.metadata,
        stamp=stamp,
    )


def _lanes(
    gathered: Gathered, columns: ChromeColumns
) -> tuple[dict[LaneKey, Lane], NDArray[np.int32]]:
    """The lanes that have something to show, and the lane of every track (-1: none)."""
    used = np.zeros(len(gathered.keys), np.bool_)
    used[gathered.slices["track"]] = True
    used[gathered.instants["track"]] = True
    threads = [gathered.keys[number] for number in np.flatnonzero(used).tolist()]
    curves = [LaneKey.of_series(series) for series in columns.counters]
    lanes = make_lanes([*threads, *curves], columns.track_names)
    lane_of_track = np.array(
        [lanes[key].id if key in lanes else -1 for key in gathered.keys], np.int32
    )
    return lanes, lane_of_track


@dataclass(frozen=True, slots=True)
class _Table:
    """Slices in their final order, with the lanes that know their ranges."""

    slices: Columns
    lanes: tuple[Lane, ...]
    row_bounds: NDArray[np.int64]


def _lay_out(
    slices: Columns,
    lanes: Mapping[LaneKey, Lane],
    lane_of_track: NDArray[np.int32],
    *,
    compiled: bool,
) -> _Table:
    ordered = sorted(lanes.values(), key=lambda place: place.id)
    first_fit = frozenset(place.id for place in ordered if place.asynchronous)
    lane = lane_of_track[slices.pop("track")]
    laid = lay_out(
        lane, slices["time"], slices["duration"], len(ordered), first_fit, compiled=compiled
    )
    # a lane that only has instants is drawn as one empty row, a curve has no rows
    empty = np.array([place.kind != "counter" for place in ordered], np.int64)
    rows = np.maximum(laid.rows, empty)
    first_row = np.cumsum(rows) - rows
    counts = np.zeros(int(rows.sum()), np.int64)
    counts[np.repeat(first_row - (np.cumsum(laid.rows) - laid.rows), laid.rows)
           + np.arange(len(laid.slices_of_row))] = laid.slices_of_row  # fmt: skip
    row_bounds = np.concatenate(([0], np.cumsum(counts)))
    bounds = row_bounds[np.append(first_row, len(counts))].tolist()

    del slices["time"], slices["duration"]
    table = {key: picked(slices.pop(key), laid.order, compiled=compiled) for key in tuple(slices)}
    table |= {"time": laid.start, "duration": laid.duration}
    table["lane"] = np.repeat(np.arange(len(ordered), dtype=np.int32), np.diff(bounds))
    table["depth"] = laid.row
    curve = itertools.count()
    finished = tuple(
        replace(
            place,
            rows=int(rows[place.id]),
            first_row=int(first_row[place.id]),
            first=bounds[place.id],
            last=bounds[place.id + 1],
            counter=next(curve) if place.kind == "counter" else -1,
        )
        for place in ordered
    )
    return _Table(table, finished, row_bounds)


def _instants(by_time: Columns, lane_of_track: NDArray[np.int32]) -> Instants:
    return Instants(
        time=by_time["time"],
        name=by_time["name"],
        category=by_time["category"],
        lane=lane_of_track[by_time["track"]],
        source=by_time["source"],
    )


def _args(rows: Columns, names: Sequence[str], columns: ChromeColumns) -> dict[str, ArgColumn]:
    texts = columns.arg_texts.texts
    return {name: ArgColumn(rows[f"arg:{name}"], rows[f"kind:{name}"], texts) for name in names}


def _counters(columns: ChromeColumns, lanes: Mapping[LaneKey, Lane]) -> tuple[Counter, ...]:
    """The curves in the order of their lanes."""
    found = []
    for series, samples in columns.counters.items():
        times = np.array(samples.times, np.int64)
        order = np.argsort(times, kind="stable")
        found.append(
            Counter(
                lane=lanes[LaneKey.of_series(series)].id,
                process=series.process,
                name=series.name,
                id=series.id,
                key=series.key,
                times=times[order],
                values=np.array(samples.values, np.float64)[order],
            )
        )
    return tuple(sorted(found, key=lambda counter: counter.lane))


def _flows(
    columns: ChromeColumns,
    faults: FaultLog,
    table: _Table,
    end: NDArray[np.int64],
    lane_of_track: NDArray[np.int32],
    *,
    compiled: bool,
) -> Flows:
    rows = columns.flows
    time = rows.take("time", np.int64)
    category = rows.take("category", np.int32)
    lane = lane_of_track[rows.take("track", np.int32)]
    source = rows.take("source", np.int64)
    starts, ends, lone_starts, lone_ends = pair_flows(
        rows.take("phase", np.uint8),
        time,
        category,
        rows.take("id", np.int64),
        rows.take("text_id", np.bool_),
        compiled=compiled,
    )
    faults.add_all("flow start without end", np.sort(source[lone_starts]).tolist())
    faults.add_all("flow end without start", np.sort(source[lone_ends]).tolist())
    order = np.argsort(time[starts], kind="stable")
    starts, ends = starts[order], ends[order]
    start = table.slices["time"]
    where = (start, end, table.row_bounds, table.lanes)
    return Flows(
        category=category[starts],
        source_time=time[starts],
        source_lane=lane[starts],
        source_slice=innermost(*where, lane[starts], time[starts], compiled=compiled),
        target_time=time[ends],
        target_lane=lane[ends],
        target_slice=innermost(*where, lane[ends], time[ends], compiled=compiled),
    )


@dataclass(frozen=True, slots=True)
class _Range:
    start_ns: int = 0
    end_ns: int = 0
    view_start_ns: int = 0
    view_end_ns: int = 0


def _range(
    slices: Columns,
    end: NDArray[np.int64],
    instants: Instants,
    counters: tuple[Counter, ...],
) -> _Range:
    begins = [slices["time"], instants.time, *(counter.times for counter in counters)]
    # an end that the file does not tell must not bridge the gap to an outlier
    told = np.where(slices["open"], slices["time"], end) if slices["open"].any() else end
    begins, ends = (
        [part for part in parts if len(part)] for parts in (begins, [told, *begins[1:]])
    )
    if not begins:
        return _Range()
    first = min(int(part.min()) for part in begins)
    last = max(int(part.max()) for part in ends)
    latest = max(last, int(end.max(initial=last)))
    view_start, view_end = first, last
    if last - first > SMALLEST_GAP_NS:
        view_start, view_end = main_range(np.concatenate(begins), np.concatenate(ends))
    return _Range(first, latest, view_start, latest if view_end == last else view_end)


def _outside(time: NDArray[np.int64], shown: _Range) -> NDArray[np.int64]:
    """The slices that begin outside of what is shown."""
    if (
        shown.start_ns == shown.view_start_ns
        and time.max(initial=shown.end_ns) <= shown.view_end_ns
    ):
        return np.zeros(0, np.int64)
    return np.flatnonzero((time < shown.view_start_ns) | (time > shown.view_end_ns))
