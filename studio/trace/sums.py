"""Sums of the slices of a window by name; compiled where that pays, with the same results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from studio.formats.engine import kernels_loaded, kernels_pay
from studio.trace.halves import at_once, halves_of, parts_of
from studio.trace.intervals import clip, length
from studio.trace.percentiles import PERCENTILES, percentiles_in, places
from studio.trace.query import slice_lanes, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from studio.trace.store import Trace

    Times = NDArray[np.int64]

_LARGEST = 2**62
_FEW_NAMES = 20_000


@dataclass(frozen=True, slots=True)
class Sums:
    """One entry per name of the trace; `least`, `most` and `percentiles` mean nothing at count 0.

    A percentile is the smallest length that so many percent of the slices do not exceed.
    """

    count: Times
    total: Times
    own: Times
    covered: Times
    least: Times
    most: Times
    unfinished: Times
    percentiles: tuple[Times, ...]


def sums_by_name(trace: Trace, t0: int, t1: int, lanes: Iterable[int] | None = None) -> Sums:
    """Sum up the slices that touch `[t0, t1)` with the part of each that lies inside."""
    chosen = [lane.id for lane in slice_lanes(trace, lanes)]
    if kernels_pay(len(trace)):
        return _compiled(trace, t0, t1, chosen)
    return _portable(trace, t0, t1, *_ranges(trace, t0, t1, chosen))


def ranges(trace: Trace, t0: int, t1: int, lanes: Sequence[int]) -> tuple[Times, Times]:
    """The slices of every row of some lanes that touch a window: first, and one after the last."""
    found = _touching if kernels_pay(len(trace)) else _ranges
    return found(trace, t0, t1, lanes)


def _touching(trace: Trace, t0: int, t1: int, lanes: Sequence[int]) -> tuple[Times, Times]:
    """The same as `_ranges`, by a kernel."""
    from studio.trace.kernels import sums as kernels

    parts = [
        np.arange(lane.first_row, lane.first_row + lane.rows)
        for lane in (trace.lanes[number] for number in lanes)
    ]
    rows = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    columns = trace.start, trace.duration, trace.row_bounds
    found = np.empty((2, rows.size), np.int64)
    kernels.touching(*columns, rows, t0, t1, found)
    return found[0], found[1]


def _ranges(trace: Trace, t0: int, t1: int, lanes: Sequence[int]) -> tuple[Times, Times]:
    """The slices of every row that touch a window."""
    found = [
        visible(trace, lane, depth, t0, t1)
        for lane in lanes
        for depth in range(trace.lanes[lane].rows)
    ]
    bounds = np.array(found, np.int64).reshape(-1, 2)
    return np.ascontiguousarray(bounds[:, 0]), np.ascontiguousarray(bounds[:, 1])


def time_below(trace: Trace, index: int) -> int:
    """How much of a slice any deeper slice of its lane covers, each moment once."""
    place = trace.lanes[int(trace.lane[index])]
    depth, start, end = int(trace.depth[index]), int(trace.start[index]), int(trace.end[index])
    if kernels_loaded():
        from studio.trace.kernels import sums as kernels

        row = np.array([place.first_row + depth])
        columns = trace.start, trace.duration, np.array([index]), row
        last_row = np.array([place.first_row + place.rows - 1])
        at, own = np.empty(place.rows, np.int64), np.empty(1, np.int64)
        kernels.self_of_cut(*columns, last_row, trace.row_bounds, start, end, at, own)
        return end - start - int(own[0])
    return _covered_below(trace, place.id, depth, start, end)


# -- portable -----------------------------------------------------------------------------------
def _portable(trace: Trace, t0: int, t1: int, first: Times, last: Times) -> Sums:
    names = len(trace.names)
    parts = [np.arange(low, high) for low, high in zip(first.tolist(), last.tolist(), strict=True)]
    chosen = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    is_open = trace.open_ended[chosen]
    unfinished = np.bincount(trace.name[chosen[is_open]], minlength=names)
    picked = _by_name(trace, chosen[~is_open])
    start = np.maximum(trace.start[picked], t0)
    end = np.minimum(trace.end[picked], t1)
    count = np.bincount(trace.name[picked], minlength=names)
    groups = np.flatnonzero(count)
    begins = np.cumsum(count[groups]) - count[groups]

    def dense(values: Times, rule: np.ufunc = np.add) -> Times:
        found = np.zeros(names, np.int64)
        found[groups] = rule.reduceat(values, begins) if len(begins) else 0
        return found

    group = np.repeat(np.arange(len(groups)), count[groups])
    lengths = end - start
    return Sums(
        count=count,
        total=dense(lengths),
        own=dense(_self_inside(trace, picked, start, end)),
        covered=dense(_newly_covered(group, start, end)),
        least=dense(lengths, np.minimum),
        most=dense(lengths, np.maximum),
        unfinished=unfinished,
        percentiles=_percentiles(lengths, count),
    )


def _percentiles(lengths: Times, count: Times) -> tuple[Times, ...]:
    """Of lengths that stand name after name."""
    bounds = np.concatenate(([0], np.cumsum(count)))
    groups = np.flatnonzero(count > 2)
    if len(groups) > _FEW_NAMES:
        ordered = lengths[np.lexsort((lengths, np.repeat(np.arange(len(count)), count)))]
    else:
        ordered = lengths.copy()
        for group in np.flatnonzero(count == 2).tolist():
            ordered[bounds[group] : bounds[group + 1]].sort()
        for group in groups.tolist():
            part = ordered[bounds[group] : bounds[group + 1]]
            part.partition([int(places(count[group], percent)) for percent in PERCENTILES])
    found = []
    for percent in PERCENTILES:
        values = np.zeros(len(count), np.int64)
        some = np.flatnonzero(count)
        values[some] = ordered[bounds[some] + places(count[some], percent)]
        found.append(values)
    return tuple(found)


def _by_name(trace: Trace, chosen: Times) -> Times:
    """Slices by name, then start."""
    order, _ = trace.slices_of_name
    if len(chosen) * 8 > len(trace):
        marked = np.zeros(len(trace), np.bool_)
        marked[chosen] = True
        found: Times = order[marked[order]]
        return found
    return chosen[np.lexsort((trace.start[chosen], trace.name[chosen]))]


def _newly_covered(group: Times, start: Times, end: Times) -> Times:
    """What each interval adds to the time covered by those before it in its group."""
    if not len(start):
        return end - start
    base = int(start.min())
    span = int(end.max()) - base + 1
    if span * (int(group[-1]) + 1) >= _LARGEST:
        parts = np.split(np.arange(len(start)), np.flatnonzero(group[1:] != group[:-1]) + 1)
        return np.concatenate([_newly_covered(group[p] * 0, start[p], end[p]) for p in parts])
    # one long axis on which the groups stand one after the other
    start, end = start - base + group * span, end - base + group * span
    reach = np.concatenate((start[:1], np.maximum.accumulate(end)[:-1]))
    added: Times = np.maximum(end - np.maximum(start, reach), 0)
    return added


def _self_inside(trace: Trace, picked: Times, start: Times, end: Times) -> Times:
    """The self time of slices inside the window; only those that it cuts need work."""
    own: Times = trace.self_ns[picked].copy()
    cut = (trace.start[picked] < start) | (trace.end[picked] > end)
    for place in np.flatnonzero(cut).tolist():
        index, begin, stop = int(picked[place]), int(start[place]), int(end[place])
        lane, depth = int(trace.lane[index]), int(trace.depth[index])
        own[place] = stop - begin - _covered_below(trace, lane, depth, begin, stop)
    return own


def _covered_below(trace: Trace, lane: int, depth: int, begin: int, stop: int) -> int:
    """How much of a stretch of time slices of a lane cover that are deeper than a depth."""
    deeper = [
        np.arange(*visible(trace, lane, row, begin, stop))
        for row in range(depth + 1, trace.lanes[lane].rows)
    ]
    below = np.concatenate(deeper) if deeper else np.zeros(0, np.int64)
    return length(clip((trace.start[below], trace.end[below]), begin, stop))


# -- compiled -----------------------------------------------------------------------------------
def _compiled(trace: Trace, t0: int, t1: int, lanes: Sequence[int]) -> Sums:
    from studio.trace.kernels import sums as kernels

    names = len(trace.names)
    first, last = _touching(trace, t0, t1, lanes)
    start, duration, name = (trace.start, trace.duration, trace.name)
    is_open = trace.open_ended
    everywhere = len(lanes) == sum(each.kind == "slices" for each in trace.lanes)
    fresh = trace.fresh_ns if everywhere else np.zeros(0, np.int64)
    tangled = np.zeros(0, np.bool_) if everywhere else trace.tangled.flags
    own_time = trace.self_ns
    columns = start, duration, name, is_open, own_time, fresh, tangled
    parts = parts_of(first, last)
    summed = [np.empty((names, kernels.COLUMNS), np.int64) for _ in parts]
    cuts = [np.empty(2 * part[0].size, np.int64) for part in parts]
    used = at_once(
        [
            partial(kernels.sum_up, *columns, *part, t0, t1, *into)
            for part, *into in zip(parts, summed, cuts, strict=True)
        ]
    )
    cut = np.concatenate([own[:count] for own, count in zip(cuts, used, strict=True)])
    sums = np.sum(summed, axis=0)
    sums[:, kernels.LEAST] = np.min([part[:, kernels.LEAST] for part in summed], axis=0)
    sums[:, kernels.MOST] = np.max([part[:, kernels.MOST] for part in summed], axis=0)
    count, total, own, least, most, unfinished, covered, _ = np.ascontiguousarray(sums.T)
    first_row = np.array([lane.first_row for lane in trace.lanes], np.int64)
    rows = np.array([lane.rows for lane in trace.lanes], np.int64)
    lane = trace.lane[cut]
    inside, at = np.empty(cut.size, np.int64), np.empty(int(rows.max(initial=0)), np.int64)
    kernels.self_of_cut(
        start, duration, cut, first_row[lane] + trace.depth[cut], first_row[lane] + rows[lane] - 1,
        trace.row_bounds, t0, t1, at, inside,
    )  # fmt: skip
    np.add.at(own, trace.name[cut], inside)
    if not everywhere:
        _cover_tangled(trace, t0, t1, lanes, first, covered)
    whole = np.ones(names, np.bool_)
    whole[trace.name[cut]] = False
    known = whole & (count == trace.name_counts)
    if known.all():
        percentiles = trace.name_percentiles
    else:
        percentiles = percentiles_in(trace, first, last, t0, t1)
    least[count == 0] = 0
    return Sums(count, total, own, covered, least, most, unfinished, percentiles)


def _cover_tangled(
    trace: Trace, t0: int, t1: int, lanes: Sequence[int], first: Times, covered: Times
) -> None:
    """Add what slices cover that overlap others of their name, in some lanes."""
    from studio.trace.kernels import covering as kernels

    tangled = trace.tangled
    early = np.unique(first[first < len(trace)])
    early = early[(trace.start[early] < t0) & tangled.flags[early]]
    early = early[np.argsort(trace.start[early], kind="stable")]
    begin, stop = np.searchsorted(tangled.start, (t0, t1)).tolist()
    chosen = np.isin(np.arange(len(trace.lanes)), lanes)
    reach = np.full(len(covered), t0, np.int64)
    before = trace.start[early], trace.end[early], trace.name[early], trace.lane[early]
    inside = tuple(column[begin:stop] for column in tangled.columns)
    for start, end, name, lane in (before, inside):
        columns = start, end, name, lane
        kernels.cover(*columns, chosen, t1, reach, covered)


def covered_time(trace: Trace, t0: int, t1: int, lanes: Iterable[int] | None) -> int:
    """How long any slice runs in any of the lanes, by a kernel."""
    from studio.trace.kernels import covering as kernels

    chosen = [lane.id for lane in slice_lanes(trace, lanes)]
    columns = trace.start, trace.duration, trace.open_ended
    calls = []
    for begin, stop in halves_of(t0, t1, len(trace)):
        rows = _touching(trace, begin, stop, chosen)
        room = kernels.Room.for_rows(len(rows[0]))
        calls.append(partial(kernels.covered_by_rows, *columns, *rows, begin, stop, *room))
    return sum(at_once(calls))
