"""The records of one pool on one device, column by column: a recording has millions of them.

Columns are taken piece by piece, and stand in files when they are large, so that memory holds
little of them at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.column_file import kept_in_file, let_go

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Array = NDArray[Any]
    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.int64]

NOT_RECORDED: Final = -1

AT_ONCE: Final = 1 << 20
"""So many rows are looked at together; from there on columns stand in files."""


class Pools:
    """The table "memory" by device and component; "" where one was not recorded."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table
        self._rows: dict[tuple[str, str], Rows] = {}
        device, component = table["device"].cat, table["component"].cat
        wide = len(component.categories) + 1
        owner = (device.codes.to_numpy().astype(np.int16) + 1) * wide
        owner += component.codes.to_numpy().astype(np.int16) + 1
        self._owner = owner
        seen = sorted({int(number) for part in pieces(owner) for number in np.unique(part)})
        names = [["", *map(str, column.categories)] for column in (device, component)]
        self._numbers = {(names[0][n // wide], names[1][n % wide]): n for n in seen}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Device and component of every pool that has records."""
        return iter(self._numbers)

    def rows(self, device: str, component: str) -> Rows:
        """The records of one of them."""
        key = device, component
        if key not in self._rows:
            self._rows[key] = Rows(self._table, self._owner == self._numbers[key])
        return self._rows[key]


def pools_of(profile: Profile, job: Progress | None = None) -> Pools:
    """The pools of a profile, split once."""
    return profile.derived("pools", lambda: Pools(profile.table("memory", job)), job)


class Rows:
    """Some rows of the table "memory" in the order of time; None for `chosen` are all."""

    def __init__(self, table: pd.DataFrame, chosen: Mask | None) -> None:
        if chosen is not None and chosen.all():
            chosen = None
        self._table = table
        self._chosen = chosen
        self.count = len(table) if chosen is None else int(np.count_nonzero(chosen))
        self._order: Numbers | None = None
        self._made: dict[tuple[str, str], Array] = {}
        times = self._taken("time_ns", np.dtype(np.int64), 0)
        if any((part[1:] < part[:-1]).any() for part in pieces(times, overlap=1)):
            self._order = np.argsort(times, kind="stable")
            times = times[self._order]
        self.times: Numbers = times

    def sizes(self, column: str) -> Numbers:
        """A column in bytes, with `NOT_RECORDED` where there are none."""
        return self._arranged(column, np.dtype(np.int64), NOT_RECORDED)

    def recorded(self, column: str) -> Rows:
        """Only those in which a column was recorded."""
        gaps = self._gaps(column)
        if not gaps:
            return self
        known = self._table[column].notna().to_numpy()
        return Rows(self._table, known if self._chosen is None else known & self._chosen)

    def sizes_or_gaps(self, column: str) -> NDArray[np.int64] | NDArray[np.float64] | None:
        """A column in bytes, with NaN where nothing was recorded; None when nothing ever was."""
        gaps = self._gaps(column)
        if gaps == self.count:
            return None
        kind = np.dtype(np.float64 if gaps else np.int64)
        return self._arranged(column, kind, np.nan if gaps else 0)

    def _gaps(self, column: str) -> int:
        return sum(
            int(np.count_nonzero(part.isna()[slice(None) if chosen is None else chosen]))
            for part, chosen in self._parts(column)
        )

    def _taken(self, column: str, kind: np.dtype[Any], missing: float) -> Array:
        whole = self._table[column]
        if self._chosen is None and kind == np.int64 and not whole.isna().any():
            return whole.to_numpy(np.int64)
        parts = (
            part.to_numpy(kind, na_value=missing)[slice(None) if chosen is None else chosen]
            for part, chosen in self._parts(column)
        )
        found = joined(parts, kind, self.count)
        if len(whole) >= AT_ONCE:  # an IntegerArray shows its numbers only as a copy
            let_go(whole.array._data if whole.dtype == "Int64" else whole.to_numpy())
        return found

    def _parts(self, column: str) -> Iterator[tuple[Any, Mask | None]]:
        array = self._table[column].array
        for at in range(0, len(array), AT_ONCE):
            chosen = None if self._chosen is None else self._chosen[at : at + AT_ONCE]
            if chosen is None or chosen.any():
                yield array[at : at + AT_ONCE], chosen

    def _arranged(self, column: str, kind: np.dtype[Any], missing: float) -> Array:
        key = column, str(kind)
        if key not in self._made:
            values = self._taken(column, kind, missing)
            self._made[key] = values if self._order is None else values[self._order]
        return self._made[key]


def pieces(values: Array, overlap: int = 0) -> Iterator[Array]:
    """An array piece by piece, each with some values of the next; of large ones nothing is kept."""
    for at in range(0, len(values), AT_ONCE):
        yield values[at : at + AT_ONCE + overlap]
    if len(values) > AT_ONCE:
        let_go(values)


def owners(table: pd.DataFrame) -> tuple[NDArray[np.int16], dict[tuple[str, str], int]]:
    """Which pool on which device every row is of, and the number of each (device, component)."""
    device, component = table["device"].cat, table["component"].cat
    wide = len(component.categories) + 1
    owner = (device.codes.to_numpy().astype(np.int16) + 1) * wide
    owner += component.codes.to_numpy().astype(np.int16) + 1
    seen = sorted({int(number) for part in pieces(owner) for number in np.unique(part)})
    names = [["", *map(str, column.categories)] for column in (device, component)]
    found = {(names[0][n // wide], names[1][n % wide]): n for n in seen}
    return owner, found


def joined(parts: Iterable[Array], kind: np.dtype[Any], count: int) -> Array:
    """Pieces as one array of a type, in a file when it is large."""
    if count < AT_ONCE:
        return np.concatenate([np.zeros(0, kind), *parts]).astype(kind, copy=False)
    return kept_in_file(parts, kind)


def place_of_largest(parts: Iterable[Array]) -> int | None:
    """The place of the first largest number of an array in pieces; None when all are NaN."""
    found, largest, at = None, -np.inf, 0
    for part in parts:
        if not np.isnan(part).all():
            place = int(np.nanargmax(part))
            if part[place] > largest:
                found, largest = at + place, part[place]
        at += len(part)
    return found
