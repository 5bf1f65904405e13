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

    Array = NDArray[Any]
    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.int64]

AT_ONCE: Final = 1 << 20
"""So many rows are looked at together; from there on columns stand in files."""


class Rows:
    """Some rows of the table "memory" in the order of time; None for `chosen` are all."""

    def __init__(self, table: pd.DataFrame, chosen: Mask | None) -> None:
        if chosen is not None and chosen.all():
            chosen = None
        self._table = table
        self._chosen = chosen
        self.count = len(table) if chosen is None else int(np.count_nonzero(chosen))
        self._order: Numbers | None = None
        times = self._taken("time_ns", np.dtype(np.int64), 0)
        if any((part[1:] < part[:-1]).any() for part in pieces(times, overlap=1)):
            self._order = np.argsort(times, kind="stable")
            times = times[self._order]
        self.times: Numbers = times

    def sizes(self, column: str, missing: int) -> Numbers:
        """A column in bytes, with a number where nothing was recorded."""
        found: Numbers = self._arranged(self._taken(column, np.dtype(np.int64), missing))
        return found

    def sizes_or_gaps(self, column: str) -> NDArray[np.int64] | NDArray[np.float64] | None:
        """A column in bytes, with NaN where nothing was recorded; None when nothing ever was."""
        gaps = known = 0
        for part, chosen in self._parts(column):
            missing = part.isna()[slice(None) if chosen is None else chosen]
            gaps += int(np.count_nonzero(missing))
            known += len(missing)
        if gaps == known:
            return None
        kind = np.dtype(np.float64 if gaps else np.int64)
        return self._arranged(self._taken(column, kind, np.nan if gaps else 0))

    def _taken(self, column: str, kind: np.dtype[Any], missing: float) -> Array:
        whole = self._table[column]
        if self._chosen is None and kind == np.int64 and not whole.isna().any():
            return whole.to_numpy(np.int64)
        parts = (
            part.to_numpy(kind, na_value=missing)[slice(None) if chosen is None else chosen]
            for part, chosen in self._parts(column)
        )
        found = joined(parts, kind, self.count)
        if self.count >= AT_ONCE:
            # an IntegerArray shows its numbers only as a copy
            let_go(getattr(whole.array, "_data", found))
        return found

    def _parts(self, column: str) -> Iterator[tuple[Any, Mask | None]]:
        array = self._table[column].array
        for at in range(0, len(array), AT_ONCE):
            chosen = None if self._chosen is None else self._chosen[at : at + AT_ONCE]
            if chosen is None or chosen.any():
                yield array[at : at + AT_ONCE], chosen

    def _arranged(self, values: Array) -> Array:
        return values if self._order is None else values[self._order]


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
