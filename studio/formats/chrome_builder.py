"""Turns batches of decoded events into columns, kind by kind."""

from __future__ import annotations

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

_GROUPS: Final = {
    "complete": "X",
    "spans": "BE",
    "asyncs": "beSF",
    "instants": "iIRnTp",
    "flows": "stf",
    "counters": "C",
    "metadata": "M",
}
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

    def __init__(self, faults: FaultLog, arg_columns: Sequence[str] = ()) -> None:
        self.columns = ChromeColumns()
        self._faults = faults
        self._args = ArgColumns(arg_columns, self.columns.arg_texts)

    def add(self, events: list[Event], places: Places) -> None:
        """Add one batch."""
        self.columns.events += len(events)
        phases = _phases(events)
        known = np.zeros(len(events), np.bool_)
        for group, letters in _GROUPS.items():
            mask = np.isin(phases, np.frombuffer(letters.encode(), np.uint8))
            if not mask.any():
                continue
            known |= mask
            chosen = events if mask.all() else list(compress(events, mask.tolist()))
            getattr(self, f"_add_{group}")(chosen, places[mask], phases[mask])
        self._faults.add_all("unknown phase", places[~known].tolist())

    # -- kinds of events ----------------------------------------------------------------------
    def _add_complete(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        times, good = self._times(events, places)
        durations, states = exact_time.nanoseconds([event.dur for event in events])
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
        self._append(
            self.columns.complete, events, places, times, good, duration=durations, open=missing
        )

    def _add_spans(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        times, good = self._times(events, places)
        self._append(self.columns.spans, events, places, times, good, phase=phases)

    def _add_asyncs(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        times, good = self._times(events, places)
        for letter, modern in _LEGACY_ASYNC.items():
            phases[phases == letter] = modern
        ids = np.fromiter(map(self._async_id, events), np.int32, len(events))
        self._append(self.columns.asyncs, events, places, times, good, phase=phases, id=ids)

    def _async_id(self, event: Event) -> int:
        own = event.id
        scope = ""
        if isinstance(event.id2, dict):
            own = event.id2.get("global", event.id2.get("local"))
            scope = text_of(event.pid) if "local" in event.id2 else ""
        return self.columns.arg_texts[f"{scope}\0{text_of(event.cat)}\0{text_of(own)}"]

    def _add_instants(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        times, good = self._times(events, places)
        self._append(self.columns.instants, events, places, times, good)

    def _add_flows(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        times, good = self._times(events, places)
        ids, text_ids = flow_ids([event.id for event in events], self.columns.arg_texts)
        self.columns.flows.add(
            time=times[good],
            phase=phases[good],
            id=ids[good],
            text_id=text_ids[good],
            track=self._tracks(events)[good],
            category=self._categories(events)[good],
            source=places[good],
        )

    def _add_counters(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        times, good = self._times(events, places)
        self.columns.counter_events += int(good.sum())
        series = self.columns.counters
        for event, time, place, args in compress(
            zip(events, times.tolist(), places.tolist(), _all_args(events), strict=True),
            good.tolist(),
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

    def _add_metadata(self, events: list[Event], places: Places, phases: NDArray[np.uint8]) -> None:
        names = self.columns.track_names
        for event, args in zip(events, _all_args(events), strict=True):
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
    def _times(self, events: list[Event], places: Places) -> tuple[Places, NDArray[np.bool_]]:
        times, states = exact_time.nanoseconds([event.ts for event in events])
        for state, kind in _TIME_FAULTS.items():
            self._faults.add_all(kind, places[states == state].tolist())
        return times, states == exact_time.OK

    def _append(
        self,
        rows: Rows,
        events: list[Event],
        places: Places,
        times: Places,
        good: NDArray[np.bool_],
        **columns: NDArray[Any],
    ) -> None:
        """Append what all named events have, leaving out those that are not good."""
        named: dict[str, NDArray[Any]] = {
            "time": times,
            "track": self._tracks(events),
            "name": self.columns.names.numbers([event.name for event in events]),
            "category": self._categories(events),
            "source": places,
            **columns,
            **self._args.columns(events),
        }
        rows.add(**(named if good.all() else {key: part[good] for key, part in named.items()}))

    def _tracks(self, events: list[Event]) -> NDArray[np.int32]:
        return self.columns.tracks.numbers([(event.pid, event.tid) for event in events])

    def _categories(self, events: list[Event]) -> NDArray[np.int32]:
        return self.columns.categories.numbers([event.cat for event in events])


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
    except msgspec.DecodeError:
        return [_args(event) for event in events]


def _args(event: Event) -> dict[str, Any]:
    try:
        args = _ONE_ARGS.decode(event.args)
    except msgspec.DecodeError:
        return {}
    return args if isinstance(args, dict) else {}


def _order(args: dict[str, Any]) -> float:
    try:
        return float(args.get("sort_index", 0))
    except (TypeError, ValueError):
        return 0.0
