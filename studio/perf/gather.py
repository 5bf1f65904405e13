"""Collects the rows of a table part by part, in little memory: millions of them fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.cells import NOT_APPLICABLE, VALUE
from studio.perf.frames import Coded, Known, Recorded, frame
from studio.perf.schema import INTEGER, NUMBER, TABLES, TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from studio.formats.ascend_csv import Part
    from studio.formats.faults import Fault

    Array = NDArray[Any]
    Mask = NDArray[np.bool_]

_LOOSE: Final = 8
"""How many parts wait until they are joined into one block of the smallest type that holds them."""


class Gather:
    """Collects the rows of one table; `finish` makes it."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.rows = 0
        self._values: dict[str, _Blocks] = {}
        self._missing: dict[str, _Blocks] = {}
        self._senseless: dict[str, list[tuple[int, Mask]]] = {}

    def add(self, part: Part, chosen: Mask | None = None) -> None:
        """Append the chosen rows of a part of a CSV table."""
        count = part.rows if chosen is None else int(chosen.sum())
        if not count:
            return
        for column in TABLES[self.table].columns:
            if column.name not in part.values:
                continue
            values, states = part.values[column.name], part.states[column.name]
            if chosen is not None:
                values, states = values[chosen], states[chosen]
            self._blocks(self._values, column.name).add(values)
            if column.dtype not in (INTEGER, TEXT):
                self._blocks(self._missing, column.name).add(states != VALUE)
            if (senseless := states == NOT_APPLICABLE).any():
                self._senseless.setdefault(column.name, []).append((self.rows, senseless))
        self.rows += count

    def finish(
        self, texts: Mapping[str, Sequence[str]], faults: tuple[Fault, ...] = ()
    ) -> Recorded:
        """Make the table, giving up what was collected column by column."""
        import pandas as pd

        made: dict[str, Any] = {}
        for column in TABLES[self.table].columns:
            values = self._taken(column.name, column.dtype, texts.get(column.name, ()))
            one = frame(self.table, {column.name: values}, self.rows, only=(column.name,))
            made[column.name] = one[column.name].array
        return Recorded(pd.DataFrame(made, copy=False), self._not_applicable(), faults)

    def _taken(self, column: str, dtype: str, texts: Sequence[str]) -> Array | Coded | Known | None:
        blocks = self._values.pop(column, None)
        if blocks is None:
            return None
        if dtype == TEXT:
            return Coded(blocks.joined(), texts)
        missing = self._missing.pop(column).joined() if column in self._missing else None
        if missing is None:
            return blocks.joined()
        if missing.all():
            return None
        return Known(blocks.joined(np.float64 if dtype == NUMBER else np.int64), ~missing)

    def _blocks(self, store: dict[str, _Blocks], column: str) -> _Blocks:
        if column not in store:
            store[column] = _Blocks(self.rows)
        return store[column]

    def _not_applicable(self) -> dict[str, Mask]:
        found: dict[str, Mask] = {}
        for column, parts in self._senseless.items():
            mask = found[column] = np.zeros(self.rows, np.bool_)
            for first, cells in parts:
                mask[first : first + len(cells)] = cells
        return found


class _Blocks:
    """One column as blocks, each of the smallest type that holds its numbers exactly."""

    def __init__(self, before: int) -> None:
        self._blocks: list[Array] = [np.zeros(before, np.int8)] if before else []
        self._loose: list[Array] = []

    def add(self, values: Array) -> None:
        self._loose.append(values)
        if len(self._loose) == _LOOSE:
            self._join()

    def joined(self, kind: type[np.generic] | None = None) -> Array:
        self._join()
        blocks, self._blocks = self._blocks, []
        if not blocks:
            return np.zeros(0, kind or np.int64)
        found: Array = np.concatenate(blocks)
        return found if kind is None else found.astype(kind, copy=False)

    def _join(self) -> None:
        if self._loose:
            self._blocks.append(_smallest(np.concatenate(self._loose)))
            self._loose = []


def _smallest(values: Array) -> Array:
    if values.dtype != np.int64 and values.dtype != np.int32:
        return values
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values
