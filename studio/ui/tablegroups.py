"""Rows of a table gathered by the values of a column, with one value per column for each group."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.ui.columns import Column, Values
from studio.ui.text import NOT_RECORDED, thousands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

HOWS = ("sum", "mean", "median", "least", "largest")
"""What the numbers of a group can be taken together by."""


def how_title(how: str) -> str:
    """The name of one of `HOWS`."""
    titles = {
        "sum": tr("Sum"),
        "mean": tr("Mean"),
        "median": tr("Median"),
        "least": tr("Least"),
        "largest": tr("Largest"),
    }
    return titles[how]


def usual_how(column: Column) -> str:
    """What the numbers of a column are taken together by when nothing else is asked for."""
    return column.total or ("mean" if column.kind == "percent" else "sum")


@dataclass(frozen=True)
class Groups:
    """The groups of rows: for each its rows in order, and its cells, one per column.

    In the rows of a view the group n stands as -1 - n.
    """

    by: int
    values: Sequence[Values]
    hows: Sequence[str]
    order: NDArray[np.int64]
    sorted_rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    def name(self, group: int) -> str:
        """What all rows of a group have in common."""
        return self.values[self.by].shown(group) or NOT_RECORDED

    def rows_of(self, group: int) -> NDArray[np.int64]:
        """The rows of a group, in the order of the view."""
        return self.sorted_rows[self.starts[group] : self.starts[group + 1]]

    def group_of(self, row: int) -> int:
        """The group of a row of the data."""
        place = int(np.flatnonzero(self.sorted_rows == row)[0])
        return int(np.searchsorted(self.starts, place, "right")) - 1

    def count(self, group: int) -> int:
        """How many rows a group has."""
        return int(self.starts[group + 1] - self.starts[group])

    def label(self, group: int) -> str:
        """Name and number of rows."""
        return f"{self.name(group)}  ({thousands(self.count(group))})"

    def lines(self, opened: Callable[[str], bool]) -> NDArray[np.int64]:
        """The rows of the view: each group, followed by its rows where it is open."""
        pieces: list[NDArray[np.int64]] = []
        begun = 0
        for place, group in enumerate(self.order.tolist()):
            if opened(self.name(group)):
                pieces += [-1 - self.order[begun : place + 1], self.rows_of(group)]
                begun = place + 1
        pieces.append(-1 - self.order[begun:])
        return np.concatenate(pieces)


def group_rows(
    values: Sequence[Values],
    by: int,
    rows: NDArray[np.int64],
    hows: Mapping[str, str],
    sort: tuple[int, bool] | None,
) -> Groups:
    """Gather rows (in their order) by a column; groups are ordered by `sort` as rows are.

    `hows` says by key of the column how its numbers are taken together; without it by `usual_how`.
    Texts, and numbers that only name something, are left out where they differ within a group.
    """
    numbers, count = _numbered(values[by], rows)
    # Short numbers are sorted by their digits, ten times as fast.
    place = np.argsort(numbers.astype(np.uint16) if count < 1 << 16 else numbers, kind="stable")
    gathered = rows[place]
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=count), out=starts[1:])
    taken = [
        "" if at == by or not one.numeric else hows.get(one.column.key) or usual_how(one.column)
        for at, one in enumerate(values)
    ]
    taken = ["" if how == "alike" else how for how in taken]
    made = [
        _of_numbers(one, gathered, starts, how)
        if how
        else _of_trends(one, gathered, starts)
        if one.column.kind == "trend"
        else _of_texts(one, gathered, starts)
        for one, how in zip(values, taken, strict=True)
    ]
    order = np.arange(count)
    if sort is not None and sort[0] < len(made):
        order = made[sort[0]].order(order, sort[1])
    return Groups(by, made, taken, order, gathered, starts)


def _numbered(values: Values, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The group of each row, and how many there are; cells without a value make the last one."""
    cells = values.array[rows]
    absent = (values.missing | values.inapplicable)[rows]
    if values.array.dtype == object:
        known = sorted(set(cells[~absent].tolist()), key=str)
        places = {cell: number for number, cell in enumerate(known)}
        numbers = np.fromiter((places.get(cell, 0) for cell in cells.tolist()), np.int64)
    elif values.texts is not None:
        numbers, known = _in_order_of_names(values.texts)[cells], list(values.texts)
    else:
        found, numbers = np.unique(cells, return_inverse=True)
        known = found.tolist()
    numbers = np.where(absent, len(known), numbers)
    used = np.flatnonzero(np.bincount(numbers, minlength=1))
    place = np.zeros(len(known) + 1, np.int64)
    place[used] = np.arange(len(used))
    return place[numbers], len(used)


def _in_order_of_names(texts: NDArray[np.object_]) -> NDArray[np.int64]:
    """The place of each text among all of them."""
    places = np.zeros(len(texts), np.int64)
    places[sorted(range(len(texts)), key=lambda n: str(texts[n]))] = np.arange(len(texts))
    return places


def _of_texts(values: Values, rows: NDArray[np.int64], starts: NDArray[np.int64]) -> Values:
    """The cell that all rows of a group share; nothing where they differ."""
    same = np.ones(len(rows), dtype=bool)
    for states in (values.array, values.missing, values.inapplicable):
        if states.dtype != bool or states.any():
            cells = states[rows]
            same[1:] &= cells[1:] == cells[:-1]
    same[starts[:-1]] = True
    alike = _reduced(np.logical_and, same, starts)
    first = rows[starts[:-1]]
    shared: NDArray[np.object_] = np.full(len(first), "", dtype=object)
    for number in np.flatnonzero(alike).tolist():
        shared[number] = values.raw(int(first[number]))
    gone, never = values.missing[first] & alike, values.inapplicable[first] & alike
    return Values(values.column, shared, gone, never)


def _of_trends(values: Values, rows: NDArray[np.int64], starts: NDArray[np.int64]) -> Values:
    """The mean of the trends of each group, point by point, of those that are equally long."""
    made: NDArray[np.object_] = np.empty(len(starts) - 1, dtype=object)
    for number, (start, end) in enumerate(pairwise(starts.tolist())):
        lines = [values.array[row] for row in rows[start:end].tolist() if not values.missing[row]]
        known = np.array([line for line in lines if len(line) == len(lines[0])])
        if known.size:
            counts = np.maximum(np.isfinite(known).sum(axis=0), 1)
            mean = np.nansum(known, axis=0) / counts
            made[number] = np.where(np.isfinite(known).any(axis=0), mean, np.nan)
    missing = np.array([line is None for line in made.tolist()], dtype=bool)
    return Values(values.column, made, missing, np.zeros(len(made), dtype=bool))


def _of_numbers(
    values: Values, rows: NDArray[np.int64], starts: NDArray[np.int64], how: str
) -> Values:
    """The numbers of each group taken together; groups without any number have none."""
    cells, counts = values.array[rows], np.diff(starts)
    absent = None
    if values.missing.any() or values.inapplicable.any():
        absent = (values.missing | values.inapplicable)[rows]
        counts = counts - _reduced(np.add, absent.astype(np.int64), starts)
        cells[absent] = _filler(cells.dtype, how)
    nothing = counts == 0
    if how in ("least", "largest"):
        made = _reduced(np.minimum if how == "least" else np.maximum, cells, starts)
    elif how == "median":
        made = _medians(cells, counts, starts)
    else:
        made = _sums(cells, starts)
        if how == "mean":
            made = made / np.maximum(counts, 1)
    largest = float(np.abs(made[~nothing]).max()) if values.largest and not nothing.all() else 0.0
    return Values(values.column, made, nothing, np.zeros(len(made), dtype=bool), largest)


def _filler(dtype: np.dtype[Any], how: str) -> float:
    """What stands for a cell without a number: nothing in a sum, otherwise beyond all numbers."""
    if how in ("sum", "mean"):
        return 0
    if dtype.kind not in "iu":
        return -np.inf if how == "largest" else np.inf
    ends = np.iinfo(dtype)
    return int(ends.min if how == "largest" else ends.max)


def _sums(cells: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """Sums of groups; whole numbers are added exactly, as floats only beyond 64 bits."""
    made = _reduced(np.add, cells, starts)
    if cells.dtype.kind not in "iu" or not len(cells):
        return made  # those of Python have no largest one
    farthest = max(int(cells.max()), -int(cells.min()))
    if farthest * int(np.diff(starts).max()) < 1 << 63:
        return made  # no group can turn around
    near = _reduced(np.add, cells.astype(np.float64), starts)
    return near if np.abs(near).max(initial=0) >= 2.0**63 else made


def _medians(
    cells: NDArray[Any], counts: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Medians of groups, as NumPy has them: `counts` numbers in each, behind them what is absent.

    Sorts the cells of each group where they are.
    """
    for start, end in pairwise(starts.tolist()):
        if end - start > 1:
            cells[start:end].sort()
    known = np.flatnonzero(counts)
    first, count = starts[known], counts[known]
    lower, upper = cells[first + (count - 1) // 2], cells[first + count // 2]
    if cells.dtype != object:
        lower, upper = lower.astype(np.float64), upper.astype(np.float64)
    made = np.zeros(len(counts))
    made[known] = np.where(lower == upper, upper, (lower + upper) / 2)
    return made


def _reduced(how: np.ufunc, cells: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    if len(starts) < 2:
        return cells[:0]
    reduced: NDArray[Any] = how.reduceat(cells, starts[:-1])
    return reduced
