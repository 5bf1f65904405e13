"""Collects the rows of a table part by part, in little memory: millions of them fit.

Large tables end up in files (`column_file`), so that columns that nobody looks at take no memory.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.cells import BLANK, NOT_APPLICABLE, VALUE
from studio.formats.column_file import Spill, kept_in_file
from studio.perf.frames import Coded, Known, Recorded, frame
from studio.perf.schema import INTEGER, NUMBER, SMALL, TABLES, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from studio.formats.ascend_csv import Part
    from studio.formats.faults import Fault

    Array = NDArray[Any]
    Mask = NDArray[np.bool_]

_Cells = dict[str, list[tuple[int, "Mask"]]]

LARGE: Final = 1 << 20
"""From this many rows on the columns of a table stand in files."""

_LOOSE: Final = 8
"""How many parts wait until they are joined into one block of the smallest type that holds them."""

_MOST_BLOCKS: Final = 4
"""So many blocks of a column stay in memory while it grows."""


class Gather:
    """Collects the rows of one table; `finish` makes it."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.rows = 0
        self._values: dict[str, _Blocks] = {}
        self._missing: _Cells = {}
        self._senseless: _Cells = {}

    def add(self, part: Part, chosen: Mask | None = None) -> None:
        """Append the chosen rows of a part of a CSV table."""
        count = part.rows if chosen is None else int(chosen.sum())
        if not count:
            return
        if count == part.rows:
            chosen = None
        for column in TABLES[self.table].columns:
            name = column.name
            if name in part.values:
                values, states = part.values[name], part.states[name]
                if chosen is not None:
                    values, states = values[chosen], states[chosen]
            elif name in self._values:  # another file has it
                values, states = self._nothing(column.dtype, count), np.full(count, BLANK, np.uint8)
            else:
                continue
            if name not in self._values:
                self._begin(name, column.dtype)
            self._values[name].add(values)
            if not states.any():  # all are values
                continue
            if column.dtype not in (INTEGER, TEXT) and (missing := states != VALUE).any():
                self._missing.setdefault(name, []).append((self.rows, missing))
            if (senseless := states == NOT_APPLICABLE).any():
                self._senseless.setdefault(name, []).append((self.rows, senseless))
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
            return self._coded(blocks, texts)
        missing = self._mask(self._missing.pop(column, []))
        if missing is not None and missing.all():
            return None
        kind = {NUMBER: np.float64, SMALL: np.int32}.get(dtype, np.int64)
        values = blocks.joined(np.dtype(kind), in_file=self.rows >= LARGE)
        if missing is None:
            return values
        return Known(values, np.logical_not(missing, out=missing))

    def _coded(self, blocks: _Blocks, texts: Sequence[str]) -> Coded:
        """Texts with only those that occur, in the smallest type that pandas keeps them in."""
        used = blocks.used(len(texts))
        if not used.all():
            number = np.append(np.cumsum(used) - 1, -1)
            blocks.change(number)
            texts = [text for text, is_used in zip(texts, used.tolist(), strict=True) if is_used]
        kind = next(k for k in (np.int8, np.int16, np.int32) if len(texts) < np.iinfo(k).max)
        return Coded(blocks.joined(np.dtype(kind), in_file=self.rows >= LARGE), texts)

    def _begin(self, column: str, dtype: str) -> None:
        """Begin a column; the rows of files before do not have it."""
        self._values[column] = _Blocks()
        if self.rows:
            self._values[column].add(self._nothing(dtype, self.rows))
            self._missing[column] = [(0, np.ones(self.rows, np.bool_))]

    @staticmethod
    def _nothing(dtype: str, rows: int) -> Array:
        return np.full(rows, -1, np.int32) if dtype == TEXT else np.zeros(rows, np.int64)

    def _not_applicable(self) -> dict[str, Mask]:
        made = {column: self._mask(parts) for column, parts in self._senseless.items()}
        return {column: mask for column, mask in made.items() if mask is not None}

    def _mask(self, parts: list[tuple[int, Mask]]) -> Mask | None:
        if not parts:
            return None
        mask = np.zeros(self.rows, np.bool_)
        for first, cells in parts:
            mask[first : first + len(cells)] = cells
        return mask


class _Blocks:
    """One column as blocks, each of the smallest type that holds its numbers exactly.

    When there are many of them they go to a file.
    """

    def __init__(self) -> None:
        self._blocks: list[Array] = []
        self._loose: list[Array] = []
        self._spilled: Spill | None = None
        self._numbers: Array | None = None

    def add(self, values: Array) -> None:
        self._loose.append(values)
        if len(self._loose) == _LOOSE:
            self._join()

    def used(self, count: int) -> Mask:
        """Which of the numbers from 0 to `count` occur."""
        found = np.zeros(count + 1, np.bool_)  # the last place is that of -1
        for block in self._all():
            found[block] = True
        return found[:-1]

    def change(self, numbers: Array) -> None:
        """Replace every number by the one that stands in its place."""
        self._numbers = numbers

    def joined(self, kind: np.dtype[Any], *, in_file: bool) -> Array:
        """All values, giving the blocks up."""
        if in_file:
            found = kept_in_file(self._all(), kind)
        else:
            parts = [part.astype(kind, copy=False) for part in self._all()]
            found = np.concatenate(parts) if parts else np.zeros(0, kind)
        self._blocks = []
        if self._spilled is not None:
            self._spilled.close()
        return found

    def _all(self) -> Iterator[Array]:
        self._join()
        for block in chain(self._spilled or (), self._blocks):
            yield block if self._numbers is None else self._numbers[block]

    def _join(self) -> None:
        if self._loose:
            self._blocks.append(_smallest(np.concatenate(self._loose)))
            self._loose = []
        if len(self._blocks) > _MOST_BLOCKS:
            self._spilled = self._spilled or Spill()
            for block in self._blocks:
                self._spilled.add(block)
            self._blocks = []


def _smallest(values: Array) -> Array:
    if values.dtype != np.int64 and values.dtype != np.int32:
        return values
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values
