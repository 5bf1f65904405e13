"""Builds the tables of `schema` from arrays, with missing columns and values, texts coded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.column_file import let_go
from studio.perf.schema import INTEGER, NUMBER, SMALL, TABLES, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.faults import Fault

    Array = NDArray[Any]
    Mask = NDArray[np.bool_]

_PART: Final = 1 << 20
_KINDS: Mapping[str, type[np.generic]] = {SMALL: np.int32, NUMBER: np.float64, TEXT: np.int32}


@dataclass(frozen=True)
class Recorded:
    """One table as it was read, which of its cells make no sense, and what was wrong."""

    frame: pd.DataFrame
    not_applicable: Mapping[str, Mask] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Coded:
    """Texts as numbers of distinct texts; -1 where there is none.

    In codes of less than 32 bits all texts occur.
    """

    codes: NDArray[np.signedinteger[Any]]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Known:
    """Numbers, and where there is one."""

    values: Array
    known: Mask


def frame(
    table: str, columns: Mapping[str, Any], rows: int, *, only: Sequence[str] = ()
) -> pd.DataFrame:
    """Make a frame of a table from arrays, `Known` and `Coded`; what is not given is missing.

    `only` names the columns to make, all when empty.
    """
    import pandas as pd

    made = {
        column.name: _column(columns.get(column.name), column.dtype, rows)
        for column in TABLES[table].columns
        if not only or column.name in only
    }
    return pd.DataFrame(made, copy=False)


def empty(table: str) -> pd.DataFrame:
    """A frame of a table without rows."""
    return frame(table, {}, 0)


def coded(texts: Iterable[str | None]) -> Coded:
    """Number texts in order of first appearance; None and "" are no text."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) if text else -1 for text in texts]
    return Coded(np.array(codes, np.int32), list(numbers))


def integers(values: Array, known: Mask) -> pd.arrays.IntegerArray:
    """Whole numbers, some of them missing, as pandas keeps them."""
    import pandas as pd

    return pd.arrays.IntegerArray(values, ~known)


def optional(values: Sequence[int | None]) -> Known:
    """Whole numbers of which some are missing."""
    known = np.array([value is not None for value in values], np.bool_)
    return Known(np.array([value or 0 for value in values], np.int64), known)


def category(texts: Coded) -> pd.Categorical:
    """Texts as pandas keeps them; those that do not occur stay categories."""
    import pandas as pd

    known = pd.Index(list(texts.texts), dtype="str")
    return pd.Categorical.from_codes(texts.codes, categories=known, validate=False)


def constant(value: int | None, rows: int) -> pd.arrays.IntegerArray:
    """The same whole number, or none, in every row."""
    return integers(np.full(rows, value or 0), np.full(rows, value is not None))


def stacked(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Tables of the same columns below each other; texts stay coded."""
    import pandas as pd

    made: dict[str, Any] = {}
    for name in tables[0].columns:
        columns = [table[name] for table in tables]
        is_text = columns[0].dtype == TEXT
        made[name] = (
            pd.api.types.union_categoricals(columns)
            if is_text
            else pd.concat(columns, ignore_index=True)
        )
    return pd.DataFrame(made)


def let_go_of(table: pd.DataFrame) -> None:
    """Take large columns that stand in files out of memory; they are read again when needed."""
    for name in table.columns:
        array = table[name].array
        # only these show their numbers without a copy
        held = getattr(array, "_data", getattr(array, "_ndarray", None))
        if isinstance(held, np.ndarray):
            let_go(held)


def with_rank(table: pd.DataFrame, rank: int | None) -> pd.DataFrame:
    """The table with the rank as its first column."""
    return table.assign(rank=constant(rank, len(table)))[["rank", *table.columns]]


def _column(values: Any, dtype: str, rows: int) -> Any:  # noqa: ANN401 - arrays of pandas
    if dtype == TEXT:
        return _texts(values, rows)
    if dtype == INTEGER:
        plain = values.values if isinstance(values, Known) else values
        return np.zeros(rows, np.int64) if plain is None else np.asarray(plain, np.int64)
    kind = _KINDS.get(dtype, np.int64)
    if values is None:
        return _numbers(_same(kind(0), rows), _same(np.True_, rows), dtype)
    if not isinstance(values, Known):
        return _numbers(np.asarray(values).astype(kind, copy=False), _same(np.False_, rows), dtype)
    return _numbers(values.values.astype(kind, copy=False), ~values.known, dtype)


def _numbers(values: Array, missing: Mask, dtype: str) -> Any:  # noqa: ANN401 - arrays of pandas
    import pandas as pd

    kind = pd.arrays.FloatingArray if dtype == NUMBER else pd.arrays.IntegerArray
    return kind(values, missing)


def _same(value: Any, rows: int) -> Array:  # noqa: ANN401 - a scalar of numpy
    """The same value in every row, without taking memory for it: millions of rows miss columns."""
    return np.broadcast_to(value, (rows,))


def _texts(values: Any, rows: int) -> pd.Categorical:  # noqa: ANN401 - texts or Coded
    """A column of texts; its categories are only those that occur."""
    import pandas as pd

    if values is None:
        values = Coded(np.full(rows, -1, np.int32), ())
    elif not isinstance(values, Coded):
        values = coded(values)
    codes, texts = values.codes, values.texts
    if codes.dtype != np.int32:  # `gather` has done it already
        known = pd.Index(list(texts), dtype="str")
        return pd.Categorical.from_codes(codes, categories=known, validate=False)
    used = np.zeros(len(texts) + 1, np.bool_)
    for first in range(0, len(codes), _PART):
        used[codes[first : first + _PART]] = True
    if not (used := used[:-1]).all():
        number = np.append(np.cumsum(used) - 1, -1)
        codes, texts = number[codes], [t for t, is_used in zip(texts, used, strict=True) if is_used]
    known = pd.Index(list(texts), dtype="str")
    return pd.Categorical.from_codes(codes, categories=known, validate=False)
