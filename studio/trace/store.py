"""A trace in memory: exact columns of slices by lane, counters, flows, instants and faults.

Slices are sorted by lane, then row (depth), then start, so that one row of the picture is one
contiguous, non-overlapping, time-ordered range of every column. Nothing of the file is kept but
these columns; the args of an event are read again at its byte offset (`studio.trace.event_args`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.event_file import EventFile
from studio.trace.layout import grouped
from studio.trace.self_time import self_times

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.formats.archive import Refused
    from studio.formats.byte_source import Text
    from studio.formats.faults import Fault

    Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane of the picture: a thread, an asynchronous track, or the curve of a counter.

    `first` and `last` delimit its slices, `first_row` is the index of its first row in
    `Trace.row_bounds`; a counter lane has neither but names its curve in `Trace.counters`.
    """

    id: int
    process: str
    thread: str
    title: str
    process_title: str
    labels: str = ""
    kind: str = "slices"
    """ "slices" or "counter"."""
    asynchronous: bool = False
    rows: int = 1
    first: int = 0
    last: int = 0
    first_row: int = 0
    counter: int = -1
    order: tuple[object, ...] = ()
    """What lanes are sorted by."""

    @property
    def count(self) -> int:
        """How many slices it holds."""
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Counter:
    """One curve: the samples of one key of a counter, in time order."""

    lane: int
    process: str
    name: str
    id: str
    key: str
    times: Times
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Flows:
    """Paired arrows, by source time: from a time in a lane to a time in a lane.

    The slice columns hold the innermost slice at each end, -1 when there is none; lanes are -1 for
    threads that have neither slices nor instants.
    """

    category: NDArray[np.int32]
    source_time: Times
    source_lane: NDArray[np.int32]
    source_slice: Times
    target_time: Times
    target_lane: NDArray[np.int32]
    target_slice: Times

    def __len__(self) -> int:
        return len(self.category)


@dataclass(frozen=True, slots=True)
class Instants:
    """Events without duration, by time."""

    time: Times
    name: NDArray[np.int32]
    category: NDArray[np.int32]
    lane: NDArray[np.int32]
    source: Times

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True)
class ArgColumn:
    """One arg of all slices or instants: whole numbers as they are, all else numbers of `texts`.

    `kind` is `ARG_MISSING`, `ARG_NUMBER` or `ARG_TEXT` of `studio.formats.chrome_columns`.
    """

    values: Times
    kind: NDArray[np.uint8]
    texts: list[str]

    def get(self, index: int) -> int | str | None:
        """The value of one of them."""
        kind = int(self.kind[index])
        value = int(self.values[index])
        return None if kind == 0 else value if kind == 1 else self.texts[value]


@dataclass(frozen=True, slots=True)
class Tangled:
    """The slices that overlap another one of their name: a flag for every slice of the trace.

    Their own columns, by start, are copies: walking those is many times faster than picking.
    """

    flags: NDArray[np.bool_]
    start: Times
    end: Times
    name: NDArray[np.int32]
    lane: NDArray[np.int32]

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """Start, end, name and lane."""
        return self.start, self.end, self.name, self.lane


@dataclass(frozen=True)
class Trace:
    """A trace, ready to be painted and asked.

    Times are integer nanoseconds as in the file (`metadata["baseTimeNanoseconds"]` of newer Kineto
    files must be added to get Unix time). `start_ns` and `end_ns` span everything, `view_start_ns`
    and `view_end_ns` the main part: events far away from all others (an event at time 0 beside
    epoch times) are left outside and counted in `outside`.
    """

    path: Path
    start: Times
    duration: Times
    name: NDArray[np.int32]
    category: NDArray[np.int32]
    lane: NDArray[np.int32]
    depth: NDArray[np.int32]
    source: Times
    open_ended: NDArray[np.bool_]
    """Slices whose end the file does not tell; they are drawn to the next event or the end."""
    names: list[str]
    categories: list[str]
    lanes: tuple[Lane, ...]
    row_bounds: Times
    """Row r holds the slices `row_bounds[r]` to `row_bounds[r + 1]`."""
    counters: tuple[Counter, ...]
    flows: Flows
    instants: Instants
    faults: tuple[Fault, ...]
    start_ns: int
    end_ns: int
    view_start_ns: int
    view_end_ns: int
    outside: int = 0
    events: int = 0
    counter_events: int = 0
    arg_columns: Mapping[str, ArgColumn] = field(default_factory=dict)
    instant_args: Mapping[str, ArgColumn] = field(default_factory=dict)
    """Args of every instant, where they were asked for and came along; see `studio.trace.load`."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    stamp: tuple[int, int] = (0, 0)
    """Size and modification time (ns) of the file when it was read."""
    text: Text | None = None
    """Where the trace stands: in a file, perhaps packed, perhaps a member of an archive."""
    refused: tuple[Refused, ...] = ()
    """Members of that archive that were not looked at, and why."""

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def end(self) -> Times:
        """The end of every slice."""
        return self.start + self.duration

    @cached_property
    def row_lane(self) -> NDArray[np.int32]:
        """The lane of every row."""
        lanes = [lane for lane in self.lanes if lane.kind == "slices"]
        ids = np.array([lane.id for lane in lanes], np.int32)
        return np.repeat(ids, [lane.rows for lane in lanes])

    @cached_property
    def by_time(self) -> Times:
        """All slices by start."""
        return np.argsort(self.start, kind="stable")

    @cached_property
    def name_counts(self) -> Times:
        """How many slices each name has, without those that have no end."""
        return np.bincount(self.name[~self.open_ended], minlength=len(self.names))

    @cached_property
    def name_percentiles(self) -> tuple[Times, ...]:
        """The percentiles of each name's slices (`studio.trace.percentiles.PERCENTILES`)."""
        from studio.trace.percentiles import percentiles_of_names

        return percentiles_of_names(self)

    @cached_property
    def length_steps(self) -> tuple[Times, NDArray[np.uint8]]:
        """What percentiles are found with (`studio.trace.percentiles.length_steps`)."""
        from studio.trace.percentiles import length_steps

        return length_steps(self)

    @cached_property
    def fresh_ns(self) -> Times:
        """How long each slice runs, up to its end, while no earlier one of its name does."""
        from studio.trace.kernels import sums as kernels

        start, duration, name = self.start, self.duration, self.name
        is_open = self.open_ended
        reach, found = np.empty(len(self.names), np.int64), np.zeros(len(self), np.int64)
        kernels.fresh_of(start, duration, name, is_open, self.by_time, reach, found)
        return found

    @cached_property
    def tangled(self) -> Tangled:
        """The slices that overlap another one of their name."""
        from studio.trace.kernels import covering as kernels

        start, duration, name = self.start, self.duration, self.name
        is_open = self.open_ended
        reach, holder = (np.empty(len(self.names), np.int64) for _ in range(2))
        flags = np.zeros(len(self), np.bool_)
        kernels.tangled_of(start, duration, name, is_open, self.by_time, reach, holder, flags)
        order = self.by_time[flags[self.by_time]]
        start = self.start[order]
        return Tangled(flags, start, start + self.duration[order], name[order], self.lane[order])

    @cached_property
    def slices_of_name(self) -> tuple[Times, Times]:
        """Slices by name, then start: `indices[bounds[n]:bounds[n + 1]]` are those of name n."""
        by_time = self.by_time
        indices = by_time[grouped(self.name[by_time])]
        bounds = np.searchsorted(self.name[indices], np.arange(len(self.names) + 1))
        return indices, bounds

    @cached_property
    def self_ns(self) -> Times:
        """The self time of every slice."""
        return self_times(self.start, self.end, self.row_bounds, self.lanes)

    @cached_property
    def folded_names(self) -> list[str]:
        """The names as a search that ignores case compares them."""
        return [name.casefold() for name in self.names]

    @cached_property
    def file(self) -> EventFile:
        """Reads single events again."""
        return EventFile(self.path, self.stamp, self.text)

    @property
    def complete(self) -> bool:
        """Whether the file was read to its proper end."""
        return not any(fault.kind in _CUT for fault in self.faults)


_CUT = frozenset(
    {"file ended early", "incomplete event", "cut archive", "damaged archive", "empty file"}
)
