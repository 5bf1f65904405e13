"""Columns of a table: typed arrays with three states per cell, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.ui.decimals import common_decimals
from studio.ui.text import NOT_APPLICABLE, NOT_RECORDED, THIN, format_number, thousands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LARGEST = 2**63 - 1
"""Of an int64; columns with larger integers hold those of Python."""
_NS = {"ns": 1, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "MB": 10**6, "GB": 10**9}


@dataclass(frozen=True)
class Column:
    """How one column is shown.

    `kind` is text, int, float, ns (integer nanoseconds shown in `unit`), bytes (shown in `unit`),
    percent (of one), bool or trend (arrays of numbers drawn as a small line, past each NaN); ""
    finds it out. `heat` draws a bar for the share of the largest. `total` says what stands for the
    rows of a group: sum, mean, median, least or largest, or alike for what names something, as a
    stream does: the number that all rows have; "" takes the mean of shares and the sum of other
    numbers.
    """

    key: str
    title: str = ""
    unit: str = ""
    kind: str = ""
    digits: int = 4
    tip: str = ""
    width: int = 0
    heat: bool = False
    total: str = ""

    @property
    def heading(self) -> str:
        """Title and unit as the header shows them."""
        title = self.title or self.key
        return f"{title} ({self.unit})" if self.unit else title


@dataclass(frozen=True)
class Values:
    """The cells of one column: an array, and which of its cells hold no value and why.

    Where few texts stand in many cells, `texts` has each once and `array` their numbers.
    """

    column: Column
    array: NDArray[Any]
    missing: NDArray[np.bool_]
    inapplicable: NDArray[np.bool_]
    largest: float = field(default=0.0)
    texts: NDArray[np.object_] | None = None

    @property
    def numeric(self) -> bool:
        """Whether the column is right-aligned."""
        return self.column.kind not in ("text", "bool", "trend")

    @property
    def divisor(self) -> float:
        """What a stored number is divided by to be shown in the unit of the column."""
        if self.column.kind in ("ns", "bytes"):
            known = _NS if self.column.kind == "ns" else _BYTES
            return known.get(self.column.unit, 1)
        return 0.01 if self.column.kind == "percent" else 1

    @cached_property
    def decimals(self) -> int | None:
        """How many decimals every number of the column is shown with; None where it varies."""
        if not self.numeric or self.array.dtype.kind not in "iuf":
            return None
        present = self.array[~(self.missing | self.inapplicable)]
        return common_decimals(present / self.divisor, self.column.digits)

    def raw(self, row: int) -> object:
        """The exact value of a cell, or None."""
        if self.missing[row] or self.inapplicable[row]:
            return None
        cell = self.array[row]
        if self.texts is not None:
            return self.texts[cell]
        return cell.item() if isinstance(cell, np.generic) else cell

    def shown(self, row: int) -> str:
        """The cell as the table shows it."""
        if self.inapplicable[row]:
            return NOT_APPLICABLE
        return NOT_RECORDED if self.missing[row] else self._format(self.raw(row), exact=False)

    def exact(self, row: int) -> str:
        """The cell with all its digits, for tool tips, copies and exports; "" without a value."""
        if self.inapplicable[row]:
            return NOT_APPLICABLE
        return "" if self.missing[row] else self._format(self.raw(row), exact=True)

    def written(self, rows: NDArray[np.int64]) -> list[str]:
        """Many cells as the table shows them."""
        if self.column.kind == "trend":
            return [""] * len(rows)
        cells = self.array[rows].tolist()
        if self.texts is not None:
            cells = self.texts[self.array[rows]].tolist()
        absent = self.missing[rows].tolist(), self.inapplicable[rows].tolist()
        return [
            NOT_APPLICABLE if inapplicable
            else NOT_RECORDED if missing
            else self._format(cell, exact=False)
            for cell, missing, inapplicable in zip(cells, *absent, strict=True)
        ]  # fmt: skip

    def order(self, rows: NDArray[np.int64], descending: bool) -> NDArray[np.int64]:
        """These rows sorted by this column; those without a value last in either direction."""
        absent = (self.missing | self.inapplicable)[rows]
        present = rows[~absent]
        keys = self.array[present]
        if self.column.kind == "trend":
            keys = np.array([growth(cell) for cell in keys.tolist()])
        elif self.texts is not None:
            keys = _places(self.texts)[keys]
        elif keys.dtype == object and not self.numeric:
            keys = _places(keys)
        place = np.argsort(keys, kind="stable")
        if descending:
            # Reversed twice, so that equal cells keep their order in both directions.
            place = (len(keys) - 1 - np.argsort(keys[::-1], kind="stable"))[::-1]
        return np.concatenate([present[place], rows[absent]])

    def _format(self, value: object, *, exact: bool) -> str:
        kind = self.column.kind
        if isinstance(value, str):
            return value
        if kind == "bool":
            return tr("yes") if value else tr("no")
        if kind == "trend":
            return " ".join(map(repr, np.asarray(value).tolist())) if exact else ""
        if isinstance(value, int) and kind in ("ns", "bytes"):
            divisor = (_NS if kind == "ns" else _BYTES).get(self.column.unit, 1)
            if exact:
                return _quotient(value, divisor)
            if divisor > 1:
                return self._rounded(value / divisor)
        if isinstance(value, int):
            return str(value) if exact else thousands(value)
        if isinstance(value, float):
            if kind == "percent":
                return repr(value) if exact else f"{value * 100:.1f} %"
            if kind in ("ns", "bytes"):
                value /= self.divisor
            return repr(value) if exact else self._rounded(value)
        return str(value)

    def _rounded(self, value: float) -> str:
        if self.decimals is None or not math.isfinite(value):
            return format_number(value, self.column.digits)
        return f"{value:,.{self.decimals}f}".replace(",", THIN)


def read_columns(data: Any, columns: Sequence[Column] = ()) -> list[Values]:  # noqa: ANN401 - a DataFrame, which may not be imported here
    """Typed columns of a DataFrame or of a list of rows (mappings, sequences or objects).

    Columns that were read before, in a job, are taken as they are.
    """
    if isinstance(data, list) and data and isinstance(data[0], Values):
        return data
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        wanted = list(columns) or [Column(str(name)) for name in data.columns]
        names = {str(name): name for name in data.columns}
        return [_of_series(column, data[names[column.key]]) for column in wanted]
    rows = list(data)
    return [
        _of_list(column, [_cell(row, column.key, index) for row in rows])
        for index, column in enumerate(columns)
    ]


def _cell(row: Any, key: str, index: int) -> object:  # noqa: ANN401 - rows of any shape
    if isinstance(row, dict):
        return row.get(key)
    return row[index] if isinstance(row, list | tuple) else getattr(row, key)


def _of_series(column: Column, series: Any) -> Values:  # noqa: ANN401 - a pandas Series
    if column.kind == "trend":
        return _of_list(column, series.tolist())
    missing = series.isna().to_numpy(dtype=bool)
    if hasattr(series, "cat"):
        return _of_categories(column, series, missing)
    code = getattr(series.dtype, "kind", "O")
    if code in "iu":
        filled = series.fillna(0)
        if code == "u" and len(filled) and int(filled.max()) > _LARGEST:
            return _of_list(column, filled.astype(object).where(~missing, None).tolist())
        filled = filled.to_numpy(dtype=np.int64)
        return _typed(column, filled, missing, "int")
    if code == "f":
        return _typed(column, series.to_numpy(dtype=np.float64, na_value=np.nan), missing, "float")
    if code == "b":
        return _typed(column, series.fillna(False).to_numpy(dtype=bool), missing, "bool")
    return _of_list(column, series.astype(object).where(~series.isna(), None).tolist())


def _of_categories(
    column: Column,
    series: Any,  # noqa: ANN401 - a pandas Series of categories
    missing: NDArray[np.bool_],
) -> Values:
    """Cells of a categorical column keep their numbers: a million cells stay cheap."""
    texts = np.array([str(text) for text in series.cat.categories], dtype=object)
    codes = np.maximum(series.cat.codes.to_numpy(dtype=np.int64), 0)
    absent = np.zeros(len(codes), dtype=bool)
    kind = column.kind or "text"
    return Values(replace(column, kind=kind), codes, missing, absent, texts=texts)


def _places(texts: NDArray[np.object_]) -> NDArray[np.int64]:
    """The place of each text in the order that ignores case."""
    folded = [str(text).casefold() for text in texts]
    _, places = np.unique(np.array(folded, dtype=object), return_inverse=True)
    return np.asarray(places, np.int64)


def growth(cell: Sequence[float]) -> float:
    """By how much the last known number of a trend exceeds the first; 0 where none is known."""
    known = [number for number in cell if number == number]
    return known[-1] - known[0] if known else 0.0


def _of_list(column: Column, cells: list[object]) -> Values:
    if column.kind == "trend":
        array: NDArray[Any] = np.empty(len(cells), dtype=object)
        array[:] = [None if c is None else np.asarray(c, np.float64) for c in cells]
        return _typed(column, array, np.array([c is None for c in cells], dtype=bool), "trend")
    cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    absent = np.array([c is None or c != c for c in cells], dtype=bool)
    inapplicable = np.array([c == NOT_APPLICABLE for c in cells], dtype=bool)
    kept = [c for c, a, n in zip(cells, absent, inapplicable, strict=True) if not (a or n)]
    kind, dtype = _kind_of(kept)
    array = np.empty(len(cells), dtype=dtype)
    blank = "" if kind == "text" else 0
    array[:] = [blank if a or n else c for c, a, n in zip(cells, absent, inapplicable, strict=True)]
    return _typed(column, array, absent, kind, inapplicable)


def _kind_of(cells: list[object]) -> tuple[str, str]:
    kinds = {type(cell) for cell in cells}
    if kinds == {bool}:
        return "bool", "bool"
    if kinds == {int}:
        fits = all(-_LARGEST <= cell <= _LARGEST for cell in cells if isinstance(cell, int))
        return "int", "int64" if fits else "object"
    return ("float", "float64") if kinds and kinds <= {int, float} else ("text", "object")


def _typed(
    column: Column,
    array: NDArray[Any],
    missing: NDArray[np.bool_],
    kind: str,
    inapplicable: NDArray[np.bool_] | None = None,
) -> Values:
    column = replace(column, kind=column.kind or kind)
    absent = np.zeros(len(array), dtype=bool) if inapplicable is None else inapplicable
    largest = 0.0
    if column.heat and kind not in ("text", "trend"):
        present = np.abs(array[~(missing | absent)].astype(np.float64))
        finite = present[np.isfinite(present)]
        largest = float(finite.max()) if len(finite) else 0.0
    return Values(column, array, missing, absent, largest)


def _quotient(value: int, divisor: int) -> str:
    """An integer divided without losing a digit."""
    sign, (whole, rest) = "-" if value < 0 else "", divmod(abs(value), divisor)
    if rest == 0:
        return f"{sign}{whole}"
    if divisor & (divisor - 1) == 0:
        return repr(value / divisor)
    decimals = f"{rest:0{len(str(divisor)) - 1}d}".rstrip("0")
    return f"{sign}{whole}.{decimals}"
