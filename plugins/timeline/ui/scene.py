"""A trace made ready for the eye: rows for painting, lanes in groups, counters, instants, flows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.core.steps import Steps, find_steps
from plugins.timeline.ui.area import Series
from plugins.timeline.ui.classes import coloured
from plugins.timeline.ui.flows import Flows
from plugins.timeline.ui.lanetitles import lane_title, process_title
from plugins.timeline.ui.layout import Group, Track
from plugins.timeline.ui.rows import Rows, build_rows, recolour, subset
from plugins.timeline.ui.utilisation import Utilisation, utilisation
from studio.i18n import tr
from studio.trace import query

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from plugins.timeline.core.colouring import Entry
    from plugins.timeline.ui.viewport import Viewport
    from studio.formats.event_file import EventFile
    from studio.trace import Lane, Trace

_TALL, _MANY = 14, 44
"""Lanes with more than `_TALL` rows begin with low ones, when there are more than `_MANY` rows."""

_REACH = 4.0


@dataclass(frozen=True)
class Instants:
    """Events without duration in one lane, by time."""

    times: NDArray[np.int64]
    numbers: NDArray[np.int64]
    """Their places among all instants of the trace."""

    def nearest(self, view: Viewport, x: float) -> int:
        """Return the number of the event closest to a pixel; -1 when none is near."""
        place = int(np.searchsorted(self.times, view.time(x)))
        around = [i for i in (place - 1, place) if 0 <= i < self.times.size]
        if not around:
            return -1
        best = min(around, key=lambda i: abs(view.x(int(self.times[i])) - x))
        near = abs(view.x(int(self.times[best])) - x) <= _REACH
        return int(self.numbers[best]) if near else -1

    def step(self, number: int, way: int) -> int:
        """Return the event before (-1) or after (1) one of the lane; -1 at the ends."""
        place = int(np.flatnonzero(self.numbers == number)[0]) + way
        return int(self.numbers[place]) if 0 <= place < self.numbers.size else -1


@dataclass(frozen=True)
class Hits:
    """Slices that a search found, in the order of the trace."""

    text: str
    indices: NDArray[np.int64]
    by_time: NDArray[np.int64]
    rows: Rows

    def hold(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of some slices was found."""
        places = np.minimum(np.searchsorted(self.indices, indices), max(self.indices.size - 1, 0))
        if not self.indices.size:
            return np.zeros(indices.size, np.bool_)
        return np.asarray(self.indices[places] == indices)


@dataclass(frozen=True)
class Scene:
    """Everything that does not change while one looks around."""

    trace: Trace
    rows: Rows
    groups: tuple[Group, ...]
    counters: tuple[Series, ...]
    instants: tuple[Instants, ...]
    flows: Flows
    folded: frozenset[str]
    compact: frozenset[str]
    start: int
    end: int
    first_view: tuple[int, int]
    events: EventFile
    steps: Steps
    utilisation: Utilisation
    legend: tuple[Entry, ...]
    colouring: str
    python: bool = True
    """Whether the frames of Python stacks are among the slices."""

    def row_of(self, index: int) -> int:
        """Return the row that a slice lies in."""
        lane = self.trace.lanes[int(self.trace.lane[index])]
        return lane.first_row + int(self.trace.depth[index])

    def lane_of_row(self, row: int) -> int:
        """Return the lane that a row belongs to."""
        return int(self.trace.row_lane[row])

    def parent(self, index: int) -> int:
        """Return the slice that encloses this one; -1 at the top."""
        return query.parent(self.trace, index)

    def ancestors(self, index: int) -> list[int]:
        """Return the enclosing slices, innermost first."""
        found = []
        while (index := self.parent(index)) >= 0:
            found.append(index)
        return found

    def hits(self, text: str, indices: NDArray[np.int64]) -> Hits:
        """Prepare the slices that a search found; they come by time."""
        return Hits(text, np.sort(indices), indices, subset(self.rows, np.sort(indices)))

    def key_of(self, index: int) -> str:
        """Return a key for a slice that stays the same when the file is opened again."""
        return f"{int(self.trace.source[index])}"

    def find_key(self, key: str) -> int:
        """Return the slice of a key, -1 when there is none."""
        if not key.isdigit():
            return -1
        found = np.flatnonzero(self.trace.source == np.int64(int(key)))
        return int(found[0]) if found.size else -1


def make_scene(trace: Trace, colouring: str = "kind") -> Scene:
    """Prepare a trace for painting."""
    colours = coloured(trace, colouring)
    bounds = trace.row_bounds.astype(np.int64)
    rows = build_rows(trace.start, trace.duration, colours.slots, bounds[:-1], bounds[1:])
    instants = _instants(trace)
    groups = tuple(_groups(trace, instants, _categories(trace)))
    flows = trace.flows
    return Scene(
        trace,
        rows,
        groups,
        tuple(Series.of(counter.times, counter.values) for counter in trace.counters),
        tuple(instants.values()),
        Flows.of(flows, trace.categories),
        frozenset(_quiet(groups)),
        frozenset(_tall(groups)),
        trace.view_start_ns,
        max(trace.view_end_ns, trace.view_start_ns + 1),
        _first_view(trace),
        trace.file,
        find_steps(trace),
        utilisation(trace),
        colours.legend,
        colouring,
    )


def recoloured(scene: Scene, colouring: str) -> Scene:
    """Return the scene with slices coloured in another way."""
    colours = coloured(scene.trace, colouring)
    rows = recolour(scene.rows, colours.slots)
    return replace(scene, rows=rows, legend=colours.legend, colouring=colouring)


def _first_view(trace: Trace) -> tuple[int, int]:
    """Return the time from the first to the last slice: counters often run on long after."""
    low, high = trace.view_start_ns, max(trace.view_end_ns, trace.view_start_ns + 1)
    if not trace.outside and len(trace):
        return int(trace.start.min()), max(int(trace.end.max()), low + 1)
    inside = (trace.start >= low) & (trace.end <= high)
    if not inside.any():
        return low, high
    return int(trace.start[inside].min()), max(int(trace.end[inside].max()), low + 1)


def _instants(trace: Trace) -> dict[int, Instants]:
    order = np.lexsort((trace.instants.time, trace.instants.lane))
    lanes, begins = np.unique(trace.instants.lane[order], return_index=True)
    return {
        lane: Instants(trace.instants.time[inside], inside)
        for lane, inside in zip(lanes.tolist(), np.split(order, begins)[1:], strict=True)
    }


def _categories(trace: Trace) -> dict[int, str]:
    """The categories of the slices of each lane, in one text."""
    kinds = len(trace.categories) + 1
    pairs = np.bincount(trace.lane.astype(np.int64) * kinds + trace.category + 1)
    found: dict[int, list[str]] = {}
    for pair in np.flatnonzero(pairs).tolist():
        lane, category = divmod(pair, kinds)
        found.setdefault(lane, []).append(trace.categories[category - 1] if category else "")
    return {lane: " ".join(filter(None, names)) for lane, names in found.items()}


def _groups(
    trace: Trace, instants: dict[int, Instants], categories: dict[int, str]
) -> Iterable[Group]:
    numbers = {lane: number for number, lane in enumerate(instants)}
    for process, lanes in groupby(trace.lanes, key=lambda lane: lane.process):
        members = list(lanes)
        tracks = [track for lane in members for track in _tracks(lane, numbers, categories)]
        if tracks:
            title = process_title(members[0])
            yield Group(f"process {process}", title, members[0].labels, tuple(tracks))


def _tracks(lane: Lane, instants: dict[int, int], categories: dict[int, str]) -> Iterable[Track]:
    if lane.kind == "counter":
        yield Track("counter", lane.counter, f"counter {lane.id}", lane.title)
        return
    key = f"lane {lane.process} {lane.thread}{' async' if lane.asynchronous else ''} {lane.title}"
    if lane.id in instants:
        title = tr("{lane}: instants", lane=lane_title(lane))
        yield Track("instants", instants[lane.id], f"{key} instants", title)
    if lane.count:
        words = categories.get(lane.id, "")
        yield Track("slices", lane.id, key, lane_title(lane), lane.first_row, lane.rows, words)


def _tall(groups: Sequence[Group]) -> Iterable[str]:
    tracks = [track for group in groups for track in group.tracks if track.kind == "slices"]
    if sum(track.rows for track in tracks) <= _MANY:
        return ()
    return [track.key for track in tracks if track.rows > _TALL]


def _quiet(groups: Sequence[Group]) -> Iterable[str]:
    """Fold processes without slices when there are others to look at first."""
    silent = [g.key for g in groups if all(t.kind != "slices" for t in g.tracks)]
    return silent if len(silent) < len(groups) else ()
