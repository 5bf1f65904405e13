"""The scanner: kernels, the rows they fill, and the way from there to the columns of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.chrome_builder import async_key
from studio.formats.chrome_columns import Samples, SeriesKey, text_of
from studio.formats.chrome_event import EVENT_LIST
from studio.formats.flow_ids import flow_ids
from studio.formats.scan import board as place
from studio.formats.scan.bits import BLOCK
from studio.formats.scan.board import LONG
from studio.formats.scan.events import MAKE_ROOM, scan
from studio.formats.scan.tables import FIRST_SLOTS, TextTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.formats.chrome_builder import ColumnBuilder
    from studio.formats.chrome_columns import Rows
    from studio.formats.faults import FaultLog

ROWS: Final = 1 << 12
"""How many rows are filled before they become columns: few enough to stay in the fast memory."""


class Scanner:
    """Reads plain JSON events into the columns of a builder."""

    def __init__(
        self, builder: ColumnBuilder, faults: FaultLog, arg_columns: Sequence[str], rows: int = ROWS
    ) -> None:
        self.fraction = 1.0
        self._builder = builder
        self._columns = builder.columns
        self._faults = faults
        self._arg_names = tuple(arg_columns)
        self._arg_kinds: list[int] = []
        self._flow_id_is_text: list[bool] = []
        self._series: list[Samples] = []
        self._board = np.zeros(place.BOARD_SIZE // LONG, np.int64)
        self._named = self._rows(place.NAMED, place.NAMED_ROW, rows)
        self._room = place.MOST_SERIES * rows
        self._open_columns: list[tuple[int, Rows, dict[str, NDArray[Any]]]] = []
        self._samples = self._rows(place.SAMPLES, place.SAMPLE_ROW, rows)
        self._events = self._rows(place.EVENTS, place.EVENT_ROW, rows)
        self._faulty = self._rows(place.FAULTS, place.FAULT_ROW, rows)
        self._args = np.zeros((rows, 2 * len(arg_columns)), np.int64)
        self._set(place.NAMED_ARGS, self._args.ctypes.data)
        self._texts = self._write_texts()
        self._slots = min(rows, FIRST_SLOTS)
        self._names = self._table(place.NAME_TABLE, 1, self._find_names)
        self._categories = self._table(place.CATEGORY_TABLE, 1, self._find_categories)
        self._tracks = self._table(place.TRACK_TABLE, 2, self._find_tracks)
        self._asyncs = self._table(place.ASYNC_TABLE, 2, self._find_asyncs)
        self._flow_ids = self._table(place.FLOW_TABLE, 1, self._find_flow_ids)
        self._curves = self._table(place.SERIES_TABLE, place.KEY_PARTS, self._find_series)
        self._values = self._table(place.ARG_TABLE, 1, self._find_args)
        self._tables = (
            self._names, self._categories, self._tracks, self._asyncs, self._flow_ids,
            self._curves, self._values,
        )  # fmt: skip

    def scan(self, buffer: NDArray[np.uint8], size: int, base: int) -> tuple[int, int]:
        """Read events from the start of a buffer of `size` bytes (and zeros after them).

        `base` is the place of the buffer in the file. Returns how many bytes were used up and why
        the kernel stopped.
        """
        at = 0
        if not self._open_columns:
            self._open()
        while True:
            address = buffer.ctypes.data + at
            counted = self._get(place.COUNTER_EVENTS)
            samples = self._get(place.SAMPLES + place.USED)
            used, status = scan(address, size - at, base + at, self._board.ctypes.data)
            if self._get(place.SLOW_COUNTERS):
                self._set(place.SAMPLES + place.USED, samples)
                self._set(place.COUNTER_EVENTS, counted)
                self._read_events(buffer[at:], place.COUNTER, base + at)
                self._set(place.SLOW_COUNTERS, 0)
            if self._get(place.EVENTS + place.USED):
                self._read_events(buffer[at:], place.METADATA, base + at)
                self._set(place.EVENTS + place.USED, 0)
            at += used
            if status != MAKE_ROOM:
                return at, status
            self._flush_rows()
            self._open()
            if self._get(place.SAMPLES + place.USED) > len(self._samples) // 2 - place.MOST_SERIES:
                self._flush_samples()
            for table in self._tables:
                table.make_room(size - at)

    def flush(self) -> None:
        """Turn all rows into columns."""
        self._flush_rows()
        self._flush_samples()

    def _flush_rows(self) -> None:
        """Turn all rows into columns but those of counters, which are few."""
        self._flush_named()
        self._close()
        faulty = self._taken(place.FAULTS, self._faulty)
        for number, kind in enumerate(place.FAULT_KINDS):
            self._faults.add_all(kind, faulty["place"][faulty["fault"] == number].tolist())
        self._columns.events += self._get(place.ALL_EVENTS)
        self._set(place.ALL_EVENTS, 0)

    # -- the board ------------------------------------------------------------------------------
    def _get(self, at: int) -> int:
        return int(self._board[at // LONG])

    def _set(self, at: int, value: int) -> None:
        self._board[at // LONG] = value

    def _rows(self, at: int, row: np.dtype[np.void], count: int) -> NDArray[Any]:
        rows = np.zeros(count, row)
        self._set(at, rows.ctypes.data)
        self._set(at + place.ROOM, count)
        return rows

    def _taken(self, at: int, rows: NDArray[Any]) -> NDArray[Any]:
        count = self._get(at + place.USED)
        self._set(at + place.USED, 0)
        return rows[:count]

    def _write_texts(self) -> NDArray[np.uint8]:
        names = [name.encode() + b'"' for name in self._arg_names]
        texts = np.frombuffer(place.DEFAULTS + b"".join(names) + bytes(BLOCK), np.uint8).copy()
        self._set(place.TEXTS, texts.ctypes.data)
        self._set(place.CHOSEN_COUNT, len(names))
        for number, name in enumerate(names):
            self._set(place.CHOSEN_SIZES + LONG * number, len(name))
        return texts

    def _table(self, at: int, parts: int, find: Any) -> TextTable:  # noqa: ANN401
        return TextTable(self._board, at, parts, find, self._slots)

    # -- rows to columns --------------------------------------------------------------------------
    def _flush_named(self) -> None:
        rows = self._taken(place.NAMED, self._named)
        if not len(rows):
            return
        columns: dict[str, NDArray[Any]] = {
            "time": rows["time"],
            "track": _mapped(self._tracks, rows["track"]),
            "name": _mapped(self._names, rows["name"]),
            "category": _mapped(self._categories, rows["category"]),
            "source": rows["source"],
            **self._arg_columns(len(rows)),
        }
        kinds = rows["kind"]
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            own = columns
            if kind == place.COMPLETE:
                own = columns | {"duration": rows["duration"], "open": rows["open"]}
            elif kind == place.SPAN:
                own = columns | {"phase": rows["phase"]}
            elif kind == place.ASYNC:
                number = np.where(kinds == kind, rows["id"], 0)
                own = columns | {"phase": rows["phase"], "id": _mapped(self._asyncs, number)}
            mask = kinds == kind
            group = getattr(self._columns, place.KIND_GROUPS[kind - 1])
            self._expect(group, int(mask.sum()))
            group.add(**(own if mask.all() else {key: part[mask] for key, part in own.items()}))

    def _arg_columns(self, count: int) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {}
        numbers = self._values.numbers()
        for number, name in enumerate(self._arg_names):
            values = self._args[:count, 2 * number].copy()
            kinds = self._args[:count, 2 * number + 1].astype(np.uint8)
            tokens = np.flatnonzero(kinds == place.ARG_TOKEN)
            kinds[tokens] = np.array(self._arg_kinds, np.uint8)[values[tokens]]
            values[tokens] = numbers[values[tokens]]
            columns[f"arg:{name}"], columns[f"kind:{name}"] = values, kinds
        return columns

    def _open(self) -> None:
        """Let kernels write complete events and flows to their columns, as far as there is room.

        Complete events of which args are asked for are written as rows.
        """
        columns = self._columns
        direct = [(place.FLOWS, columns.flows, place.FLOW_COLUMNS)]
        if not self._arg_names:
            direct.append((place.COMPLETES, columns.complete, place.COMPLETE_COLUMNS))
        for at, rows, kinds in direct:
            self._expect(rows, self._room)
            opened = rows.room(self._room, kinds)
            for number, column in enumerate(opened.values()):
                self._set(at + LONG * number, column.ctypes.data)
            self._set(at + place.COLUMNS_ROOM, self._room)
            self._set(at + place.COLUMNS_USED, 0)
            self._open_columns.append((at, rows, opened))

    def _close(self) -> None:
        """Take in what was written to columns."""
        for at, rows, opened in self._open_columns:
            used = self._get(at + place.COLUMNS_USED)
            written = {name: column[:used] for name, column in opened.items()}
            _map(self._tracks, written["track"])
            _map(self._categories, written["category"])
            if at == place.FLOWS:
                self._find_ids(written["id"], written["text_id"])
            else:
                _map(self._names, written["name"])
            rows.wrote(used)
        self._open_columns.clear()

    def _find_ids(self, ids: NDArray[np.int64], text_id: NDArray[np.bool_]) -> None:
        """Put the final ids of arrows in place of their numbers in the table."""
        odd = np.flatnonzero(text_id)
        if len(odd):
            numbers = self._flow_ids.numbers()
            text_id[odd] = np.array(self._flow_id_is_text, np.bool_)[ids[odd]]
            ids[odd] = numbers[ids[odd]]

    def _flush_samples(self) -> None:
        self._columns.counter_events += self._get(place.COUNTER_EVENTS)
        self._set(place.COUNTER_EVENTS, 0)
        rows = self._taken(place.SAMPLES, self._samples)
        if not len(rows):
            return
        series = self._curves.numbers()[rows["series"]]
        order = np.argsort(series, kind="stable")
        times, values = rows["time"][order], rows["value"][order]
        bounds = np.searchsorted(series[order], np.arange(len(self._series) + 1))
        for number in np.flatnonzero(np.diff(bounds)).tolist():
            part = slice(bounds[number], bounds[number + 1])
            self._series[number].times.frombytes(times[part].tobytes())
            self._series[number].values.frombytes(values[part].tobytes())

    def _expect(self, rows: Any, more: int) -> None:  # noqa: ANN401
        count = len(rows) + more
        rows.expect(min(int(count / max(self.fraction, 1e-6) * 1.03), 100 * count) + ROWS)

    # -- what is left to Python -------------------------------------------------------------------
    def _read_events(self, buffer: NDArray[np.uint8], kind: int, base: int) -> None:
        """Read events as the portable reader does."""
        rows = self._events[: self._get(place.EVENTS + place.USED)]
        rows = rows[rows["kind"] == kind]
        if not len(rows):
            return
        if kind == place.COUNTER:
            self._flush_samples()
        bounds = zip(rows["begin"].tolist(), rows["end"].tolist(), strict=True)
        texts = [buffer[begin:end].tobytes() for begin, end in bounds]
        events = EVENT_LIST.decode(b"[%b]" % b",".join(texts))
        self._builder.add_some(place.KIND_GROUPS[kind - 1], events, rows["begin"] + base)

    # -- final numbers of texts -------------------------------------------------------------------
    def _find_names(self, keys: list[list[Any]]) -> NDArray[Any]:
        return self._columns.names.numbers([name for (name,) in keys])

    def _find_categories(self, keys: list[list[Any]]) -> NDArray[Any]:
        return self._columns.categories.numbers([category for (category,) in keys])

    def _find_tracks(self, keys: list[list[Any]]) -> NDArray[Any]:
        return self._columns.tracks.numbers([(process, thread) for process, thread in keys])

    def _find_asyncs(self, keys: list[list[Any]]) -> NDArray[Any]:
        return self._columns.arg_texts.numbers([async_key(*key) for key in keys])

    def _find_flow_ids(self, keys: list[list[Any]]) -> NDArray[Any]:
        numbers, are_texts = flow_ids([own for (own,) in keys], self._columns.arg_texts)
        self._flow_id_is_text += are_texts.tolist()
        return numbers

    def _find_series(self, keys: list[list[Any]]) -> NDArray[Any]:
        known = {id(samples): number for number, samples in enumerate(self._series)}
        numbers = []
        for process, name, own, accelerator, key in keys:
            other = "" if accelerator is None else str(accelerator)
            identity = text_of(own) if own is not None else other
            series = SeriesKey(text_of(process), text_of(name), identity, key)
            samples = self._columns.counters.setdefault(series, Samples())
            if id(samples) not in known:
                known[id(samples)] = len(self._series)
                self._series.append(samples)
            numbers.append(known[id(samples)])
        return np.array(numbers, np.int64)

    def _find_args(self, keys: list[list[Any]]) -> NDArray[Any]:
        coded = [self._builder.args.coded(value) for (value,) in keys]
        self._arg_kinds += [kind for _, kind in coded]
        return np.array([number for number, _ in coded], np.int64)


def _map(table: TextTable, numbers: NDArray[np.int32]) -> None:
    """Put the final numbers of texts in the place of those of a table."""
    final = table.numbers()
    if not table.in_order:
        numbers[:] = final[numbers]


def _mapped(table: TextTable, numbers: NDArray[Any]) -> NDArray[Any]:
    """The final numbers of texts."""
    final = table.numbers()
    return numbers if table.in_order else final[numbers].astype(np.int32)
