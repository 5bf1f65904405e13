"""Turns batches of decoded events into columns, kind by kind.

Texts are numbered in the order of the file, whatever the batches, so that every engine that reads a
file gives the same numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from studio.formats import exact_time
from studio.formats.chrome_args import ArgColumns, numbers_of
from studio.formats.chrome_columns import ChromeColumns, Samples, SeriesKey, text_of
from studio.formats.flow_ids import flow_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.formats.chrome_columns import Rows
    from studio.formats.chrome_event import Event
    from studio.formats.faults import FaultLog

    Places = NDArray[np.int64]

GROUPS: Final = {
    "complete": "X",
    "spans": "BE",
    "asyncs": "beSF",
    "instants": "iIRnTp",
    "flows": "stf",
    "counters": "C",
    "metadata": "M",
}
_GROUP_OF_LETTER: Final = np.array(
    [next((n for n, own in enumerate(GROUPS.values(), 1) if chr(i) in own), 0) for i in range(256)],
    np.uint8,
)
"""The number of each letter's group, from 1; 0 for letters that mean nothing."""

_LEGACY_ASYNC: Final = {ord("S"): ord("b"), ord("F"): ord("e")}
_ARGS: Final = msgspec.json.Decoder(list[dict[str, Any]])
_ONE_ARGS: Final = msgspec.json.Decoder()
_TIME_FAULTS: Final = {
    exact_time.MISSING: "event without time",
    exact_time.NOT_A_NUMBER: "time is not a number",
    exact_time.NOT_FINITE: "time is not a number",
    exact_time.OUT_OF_RANGE: "time out of range",
}
_LATEST = 2**62


class ColumnBuilder:
    """Collects the columns of one trace."""

    def __init__(
        self,
        faults: FaultLog,
        arg_columns: Sequence[str] = (),
        instant_args: Sequence[str] | None = None,
    ) -> None:
        self.columns = ChromeColumns()
        self._faults = faults
        self.args: Final = ArgColumns(arg_columns, self.columns.arg_texts)
        self._instant_args: Final = (
            self.args if instant_args is None else ArgColumns(instant_args, self.columns.arg_texts)
        )

    def add(self, events: list[Event], places: Places) -> None:
        """Add one batch of events, in the order of the file."""
        self.columns.events += len(events)
        phases = _phases(events)
        groups = _GROUP_OF_LETTER[phases]
        kinds = {group: groups == number for number, group in enumerate(GROUPS, 1)}
        batch = self._numbered(events, places, phases, kinds)
        for group, mask in kinds.items():
            if mask.any():
                getattr(self, f"_add_{group}")(batch if mask.all() else batch.part(mask))
        self._faults.add_all("unknown phase", places[groups == 0].tolist())

    def add_some(self, group: str, events: list[Event], places: Places) -> None:
        """Add counters or metadata whose events were counted already."""
        nothing = np.zeros(len(events), np.int32)
        getattr(self, f"_add_{group}")(
            _Batch(events, places, nothing.astype(np.uint8), nothing, nothing, nothing)
        )

    def _numbered(
        self,
        events: list[Event],
        places: Places,
        phases: NDArray[np.uint8],
        kinds: dict[str, NDArray[np.bool_]],
    ) -> _Batch:
        """The batch with the numbers of its texts; counters and metadata have none."""
        named = kinds["complete"] | kinds["spans"] | kinds["asyncs"] | kinds["instants"]
        placed = named | kinds["flows"]
        columns = self.columns
        chosen = list(compress(events, placed.tolist()))
        track = _spread(columns.tracks.numbers([(each.pid, each.tid) for each in chosen]), placed)
        category = _spread(columns.categories.numbers([each.cat for each in chosen]), placed)
        chosen = list(compress(events, named.tolist()))
        name = _spread(columns.names.numbers([each.name for each in chosen]), named)
        return _Batch(events, places, phases, track, name, category)

    # -- kinds of events ----------------------------------------------------------------------
    def _add_complete(self, batch: _Batch) -> None:
        times, good = self._times(batch)
        places = batch.places
        durations, states = exact_time.nanoseconds([event.dur for event in batch.events])
        odd = (states == exact_time.NOT_A_NUMBER) | (states == exact_time.NOT_FINITE)
        late = (states == exact_time.OUT_OF_RANGE) | (durations > _LATEST - times)
        for kind, bad in (
            ("duration is not a number", odd),
            ("duration out of range", late),
            ("negative duration", durations < 0),
        ):
            self._faults.add_all(kind, places[bad & good].tolist())
            good &= ~bad
        missing = states == exact_time.MISSING
        self._faults.add_all("missing duration", places[missing & good].tolist())
        self._append(self.columns.complete, batch, times, good, duration=durations, open=missing)

    def _add_spans(self, batch: _Batch) -> None:
        times, good = self._times(batch)
        self._append(self.columns.spans, batch, times, good, phase=batch.phases)

    def _add_asyncs(self, batch: _Batch) -> None:
        times, good = self._times(batch)
        phases = batch.phases.copy()
        for letter, modern in _LEGACY_ASYNC.items():
            phases[phases == letter] = modern
        ids = np.fromiter(map(self._async_id, batch.events), np.int32, len(batch.events))
        self._append(self.columns.asyncs, batch, times, good, phase=phases, id=ids)

    def _async_id(self, event: Event) -> int:
        own = event.id
        scope = ""
        if isinstance(event.id2, dict):
            own = event.id2.get("global", event.id2.get("local"))
            scope = text_of(event.pid) if "local" in event.id2 else ""
        return self.columns.arg_texts[async_key(event.cat, own, scope)]

    def _add_instants(self, batch: _Batch) -> None:
        times, good = self._times(batch)
        self._append(self.columns.instants, batch, times, good, self._instant_args)

    def _add_flows(self, batch: _Batch) -> None:
        times, good = self._times(batch)
        ids, text_ids = flow_ids([event.id for event in batch.events], self.columns.arg_texts)
        self.columns.flows.add(
            time=times[good],
            phase=batch.phases[good],
            id=ids[good],
            text_id=text_ids[good],
            track=batch.track[good],
            category=batch.category[good],
            source=batch.places[good],
        )

    def _add_counters(self, batch: _Batch) -> None:
        times, good = self._times(batch)
        self.columns.counter_events += int(good.sum())
        series = self.columns.counters
        events, places = batch.events, batch.places.tolist()
        for event, time, place, args in compress(
            zip(events, times.tolist(), places, _all_args(events), strict=True), good.tolist()
        ):
            numbers, accelerator = numbers_of(args)
            if not numbers:
                self._faults.add("counter without number", place)
            identity = text_of(event.id) if event.id is not None else accelerator
            for name, value in numbers:
                key = SeriesKey(text_of(event.pid), text_of(event.name), identity, name)
                samples = series.get(key)
                if samples is None:
                    samples = series[key] = Samples()
                samples.times.append(time)
                samples.values.append(value)

    def _add_metadata(self, batch: _Batch) -> None:
        names = self.columns.track_names
        for event, args in zip(batch.events, _all_args(batch.events), strict=True):
            process = text_of(event.pid)
            thread = (process, text_of(event.tid))
            match event.name:
                case "process_name":
                    names.processes[process] = text_of(args.get("name"))
                case "process_labels":
                    names.labels[process] = text_of(args.get("labels"))
                case "thread_name":
                    names.threads[thread] = text_of(args.get("name"))
                case "process_sort_index":
                    names.process_order[process] = _order(args)
                case "thread_sort_index":
                    names.thread_order[thread] = _order(args)

    # -- columns they share -------------------------------------------------------------------
    def _times(self, batch: _Batch) -> tuple[Places, NDArray[np.bool_]]:
        times, states = exact_time.nanoseconds([event.ts for event in batch.events])
        for state, kind in _TIME_FAULTS.items():
            self._faults.add_all(kind, batch.places[states == state].tolist())
        return times, states == exact_time.OK

    def _append(
        self,
        rows: Rows,
        batch: _Batch,
        times: Places,
        good: NDArray[np.bool_],
        args: ArgColumns | None = None,
        **columns: NDArray[Any],
    ) -> None:
        """Append what all named events have, leaving out those that are not good."""
        named: dict[str, NDArray[Any]] = {
            "time": times,
            "track": batch.track,
            "name": batch.name,
            "category": batch.category,
            "source": batch.places,
            **columns,
            **(args or self.args).columns(batch.events),
        }
        rows.add(**(named if good.all() else {key: part[good] for key, part in named.items()}))


@dataclass(frozen=True, slots=True)
class _Batch:
    """Events with their places, phases and the numbers of their texts."""

    events: list[Event]
    places: Places
    phases: NDArray[np.uint8]
    track: NDArray[np.int32]
    name: NDArray[np.int32]
    category: NDArray[np.int32]

    def part(self, mask: NDArray[np.bool_]) -> _Batch:
        """Some of the events."""
        return _Batch(
            list(compress(self.events, mask.tolist())),
            self.places[mask],
            self.phases[mask],
            self.track[mask],
            self.name[mask],
            self.category[mask],
        )


def async_key(category: object, own: object, scope: str = "") -> str:
    """The text that tells one asynchronous event from others."""
    return f"{scope}\0{text_of(category)}\0{text_of(own)}"


def _spread(numbers: NDArray[np.int32], mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Put numbers where the mask is set."""
    found = np.full(len(mask), -1, np.int32)
    found[mask] = numbers
    return found


def _phases(events: list[Event]) -> NDArray[np.uint8]:
    letters = [event.ph for event in events]
    try:
        text = "".join(letters).encode("ascii")
    except (TypeError, UnicodeEncodeError):
        text = b""
    if len(text) != len(letters) or "" in letters:
        plain = (
            letter if isinstance(letter, str) and len(letter) == 1 and letter.isascii() else "?"
            for letter in letters
        )
        text = "".join(plain).encode("ascii")
    return np.frombuffer(text, np.uint8).copy()


def _all_args(events: list[Event]) -> list[dict[str, Any]]:
    try:
        return _ARGS.decode(b"[%b]" % b",".join([event.args for event in events]))
    except (msgspec.DecodeError, RecursionError):
        return [_args(event) for event in events]


def _args(event: Event) -> dict[str, Any]:
    try:
        args = _ONE_ARGS.decode(event.args)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return args if isinstance(args, dict) else {}


def _order(args: dict[str, Any]) -> float:
    try:
        order = float(args.get("sort_index", 0))
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return 0.0 if math.isnan(order) else order
