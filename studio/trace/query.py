"""Questions to a trace, asked by the window, the command line and other plugins alike.

Everything returns indices of slices, in time order where not said otherwise. Ranges are half open.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.trace import packed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from studio.trace.store import Lane, Trace

    Indices = NDArray[np.int64]


def slice_lanes(trace: Trace, lanes: Iterable[int] | None = None) -> list[Lane]:
    """The lanes that can hold slices: some of them, or all."""
    chosen = range(len(trace.lanes)) if lanes is None else lanes
    return [trace.lanes[lane] for lane in chosen if trace.lanes[lane].kind == "slices"]


def row_range(trace: Trace, lane: int, depth: int) -> tuple[int, int]:
    """The slices of one row: first index and the one after the last."""
    row = trace.lanes[lane].first_row + depth
    return int(trace.row_bounds[row]), int(trace.row_bounds[row + 1])


def visible(trace: Trace, lane: int, depth: int, t0: int, t1: int) -> tuple[int, int]:
    """The slices of one row that touch `[t0, t1)`: first index and the one after the last."""
    first, last = row_range(trace, lane, depth)
    start = trace.start[first:last]
    begin = first + int(np.searchsorted(start, t0))
    stop = max(begin, first + int(np.searchsorted(start, t1)))
    if begin > first and trace.start[begin - 1] + trace.duration[begin - 1] > t0:
        begin -= 1
    return begin, stop


def in_range(trace: Trace, t0: int, t1: int, lanes: Iterable[int] | None = None) -> Indices:
    """All slices that touch `[t0, t1)`, of some lanes or of all, in the order of the trace."""
    ranges = [
        visible(trace, lane.id, depth, t0, t1)
        for lane in slice_lanes(trace, lanes)
        for depth in range(lane.rows)
    ]
    parts = [np.arange(first, last) for first, last in ranges if first < last]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def slice_at(trace: Trace, lane: int, depth: int, time: int, tolerance: int = 0) -> int:
    """The slice of a row at a time, or the nearest one within `tolerance` ns; -1 if none."""
    first, last = row_range(trace, lane, depth)
    after = first + int(np.searchsorted(trace.start[first:last], time, "right"))
    best, distance = -1, tolerance + 1
    for index in (after - 1, after):
        if not first <= index < last:
            continue
        start, end = int(trace.start[index]), int(trace.start[index] + trace.duration[index])
        if start <= time < end or start == time:
            return index
        gap = start - time if start > time else time - end + 1
        if gap < distance:
            best, distance = index, gap
    return best


def innermost_at(trace: Trace, lane: int, time: int) -> int:
    """The deepest slice of a lane at a time; -1 if none (`studio.trace.hits` asks many at once)."""
    touching = -1
    for depth in range(trace.lanes[lane].rows - 1, -1, -1):
        first, last = row_range(trace, lane, depth)
        index = first + int(np.searchsorted(trace.start[first:last], time, "right")) - 1
        if index < first:
            continue
        start, end = int(trace.start[index]), int(trace.start[index] + trace.duration[index])
        if end > time or start == time:
            return index
        if end == time and touching < 0:
            touching = index
    return touching


def nearest(trace: Trace, lane: int, time: int) -> int:
    """The slice of a lane that is nearest to a time, the deepest one at it; -1 in an empty lane."""
    found = innermost_at(trace, lane, time)
    if found >= 0:
        return found
    best, distance = -1, 0
    for depth in range(trace.lanes[lane].rows):
        index = slice_at(trace, lane, depth, time, tolerance=2**62)
        if index < 0:
            continue
        start = int(trace.start[index])
        gap = start - time if start > time else time - start - int(trace.duration[index])
        if best < 0 or gap < distance:
            best, distance = index, gap
    return best


def neighbour(trace: Trace, index: int, step: int) -> int:
    """The slice before (-1) or after (+1) in the same row; -1 at its ends."""
    first, last = row_range(trace, int(trace.lane[index]), int(trace.depth[index]))
    return index + step if first <= index + step < last else -1


def parent(trace: Trace, index: int) -> int:
    """The slice that holds this one in the nearest row above; -1 if none does."""
    lane, start = int(trace.lane[index]), int(trace.start[index])
    end = start + int(trace.duration[index])
    for depth in range(int(trace.depth[index]) - 1, -1, -1):
        holder = slice_at(trace, lane, depth, start)
        if holder >= 0 and int(trace.start[holder]) + int(trace.duration[holder]) >= end:
            return holder
    return -1


def same_name(trace: Trace, index: int, step: int) -> int:
    """The next (+1) or previous (-1) slice of the same name by time, over all lanes; -1 if none."""
    hits = with_names(trace, [int(trace.name[index])])
    place = int(np.flatnonzero(hits == index)[0]) + step
    return int(hits[place]) if 0 <= place < len(hits) else -1


# -- search -------------------------------------------------------------------------------------
def search(
    trace: Trace, text: str, *, case: bool = False, word: bool = False, regex: bool = False
) -> NDArray[np.int32]:
    """The numbers of the names that contain a text (`with_names` gives their slices).

    Raises `re.error` when `regex` is set and the text is no regular expression.
    """
    if not text:
        return np.zeros(0, np.int32)
    if regex or word:
        source = text if regex else re.escape(text)
        source = rf"(?<!\w)(?:{source})(?!\w)" if word else source
        pattern = re.compile(source, 0 if case else re.IGNORECASE)
        hits = [number for number, name in enumerate(trace.names) if pattern.search(name)]
    elif case:
        hits = [number for number, name in enumerate(trace.names) if text in name]
    else:
        text = text.casefold()
        hits = [number for number, name in enumerate(trace.folded_names) if text in name]
    return np.array(hits, np.int32)


def with_names(trace: Trace, names: Iterable[int]) -> Indices:
    """All slices that have one of these names, by time."""
    indices, bounds = trace.slices_of_name
    parts = [indices[bounds[name] : bounds[name + 1]] for name in names]
    found = np.concatenate(parts) if parts else indices[:0]
    return found[np.argsort(trace.start[found], kind="stable")]


# -- what the file says -------------------------------------------------------------------------
def event(trace: Trace, index: int) -> dict[str, Any]:
    """The whole event of a slice, read from the file.

    In a `.gz` the first look into a new region unpacks up to it, which takes seconds in large
    files: call it in a job. Raises StudioError when the file has changed or is gone.
    """
    if trace.path.suffix == packed.SUFFIX:
        return packed.recorded_event(trace, index)
    return trace.file.read(int(trace.source[index]))


def args(trace: Trace, index: int) -> dict[str, Any]:
    """The args of a slice, read from the file (see `event`)."""
    found = event(trace, index).get("args")
    return found if isinstance(found, dict) else {}


# -- flows --------------------------------------------------------------------------------------
def outgoing(trace: Trace, index: int) -> Indices:
    """The arrows that leave a slice, as indices into `trace.flows`."""
    return np.flatnonzero(trace.flows.source_slice == index)


def incoming(trace: Trace, index: int) -> Indices:
    """The arrows that reach a slice, as indices into `trace.flows`."""
    return np.flatnonzero(trace.flows.target_slice == index)
