"""The columns that a Chrome trace is read into: one row per event, texts interned."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

_PLAIN: Final = frozenset({int, str})
"""Types whose values are the same only if their texts are (1, 1.0 and True are not)."""

ARG_MISSING: Final = 0
ARG_NUMBER: Final = 1
ARG_TEXT: Final = 2


class Interner(dict[Any, int]):
    """Texts and their numbers in order of first appearance; looks up anything that has a text."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def __missing__(self, key: object) -> int:
        text = text_of(key)
        number = self.get(text)
        if number is None:
            number = self[text] = len(self.texts)
            self.texts.append(text)
        if not isinstance(key, str):
            self[key] = number
        return number

    def numbers(self, keys: Sequence[object]) -> NDArray[np.int32]:
        """The number of each text."""
        if not set(map(type, keys)) <= _PLAIN:
            keys = [text_of(key) for key in keys]
        return np.fromiter(map(self.__getitem__, keys), np.int32, len(keys))


class TrackInterner(dict[Any, int]):
    """Pairs of process and thread and their numbers in order of first appearance."""

    def __init__(self) -> None:
        super().__init__()
        self.tracks: list[tuple[str, str]] = []

    def __missing__(self, key: tuple[object, object]) -> int:
        track = (text_of(key[0]), text_of(key[1]))
        number = self.get(track)
        if number is None:
            number = self[track] = len(self.tracks)
            self.tracks.append(track)
        if key != track:
            self[key] = number
        return number

    def numbers(self, keys: Sequence[tuple[object, object]]) -> NDArray[np.int32]:
        """The number of each track."""
        if not set(map(type, chain.from_iterable(keys))) <= _PLAIN:
            keys = [(text_of(process), text_of(thread)) for process, thread in keys]
        return np.fromiter(map(self.__getitem__, keys), np.int32, len(keys))


def text_of(value: object) -> str:
    """The text that identifies a name, a process or an id: 7 and "7" are the same."""
    if isinstance(value, str):
        return value
    return "" if value is None else str(value)


class Rows:
    """Rows that grow, column by column.

    Arrays are made larger than what they hold; memory that is never written costs nothing, and a
    good `expect` saves copying.
    """

    def __init__(self) -> None:
        self._columns: dict[str, Array] = {}
        self._count = 0
        self._expected = 0

    def __len__(self) -> int:
        return self._count

    def expect(self, count: int) -> None:
        """Tell how many rows there will be, roughly."""
        self._expected = count

    def add(self, **columns: Array) -> None:
        """Append rows; every call names the same columns."""
        count = len(next(iter(columns.values())))
        kinds = {name: values.dtype for name, values in columns.items()}
        for name, column in self.room(count, kinds).items():
            column[:] = columns[name]
        self.wrote(count)

    def room(self, count: int, kinds: Mapping[str, np.dtype[Any]]) -> dict[str, Array]:
        """Columns for so many more rows, to be written; `wrote` then tells how many there are."""
        needed = self._count + count
        found = {}
        for name, kind in kinds.items():
            column = self._columns.get(name)
            if column is None or needed > len(column):
                column = self._columns[name] = self._grown(column, needed, kind)
            found[name] = column[self._count : needed]
        return found

    def wrote(self, count: int) -> None:
        """Take in rows that were written to `room`."""
        self._count += count

    def take(self, name: str, kind: type[np.generic]) -> Array:
        """Return one column and forget it."""
        column = self._columns.pop(name, None)
        return np.zeros(0, kind) if column is None else column[: self._count]

    def _grown(self, column: Array | None, count: int, kind: np.dtype[Any]) -> Array:
        grown = np.empty(max(count, self._expected, 2 * self._count), kind)
        if column is not None:
            grown[: self._count] = column[: self._count]
        return grown


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """What makes one curve: process, counter name, id (or accelerator) and the key in args."""

    process: str
    name: str
    id: str
    key: str


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of one curve in the order of the file."""

    times: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


@dataclass(slots=True)
class TrackNames:
    """What metadata events say about processes and threads."""

    processes: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    process_order: dict[str, float] = field(default_factory=dict)
    threads: dict[tuple[str, str], str] = field(default_factory=dict)
    thread_order: dict[tuple[str, str], float] = field(default_factory=dict)


@dataclass(slots=True)
class ChromeColumns:
    """Everything read from one Chrome trace, in the order of the file.

    Rows have `time` (int64 ns), `track`, `name`, `category` (numbers of texts), `source` (byte
    offset) and by group: `complete` also `duration` and `open` (no duration in the file); `spans`
    `phase` (B, E); `asyncs` `phase` (b, e) and `id`; `flows` `phase` (s, t, f), `id` and `text_id`
    (the id is the number of a text). All but `flows` also have `arg:…` and `kind:…` for each arg
    that was asked for.
    """

    complete: Rows = field(default_factory=Rows)
    spans: Rows = field(default_factory=Rows)
    asyncs: Rows = field(default_factory=Rows)
    flows: Rows = field(default_factory=Rows)
    instants: Rows = field(default_factory=Rows)
    counters: dict[SeriesKey, Samples] = field(default_factory=dict)
    counter_events: int = 0
    events: int = 0
    names: Interner = field(default_factory=Interner)
    categories: Interner = field(default_factory=Interner)
    tracks: TrackInterner = field(default_factory=TrackInterner)
    track_names: TrackNames = field(default_factory=TrackNames)
    arg_texts: Interner = field(default_factory=Interner)
    metadata: Mapping[str, object] = field(default_factory=dict)
