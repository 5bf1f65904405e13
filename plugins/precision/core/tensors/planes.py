"""Two-dimensional slices of tensors as pictures of at most so many cells.

A cell stands for a block of elements and shows the one of largest magnitude, so that a single large
value in a million is seen; NaN comes before infinity, infinity before any number. Where a slice has
more elements than are read at a time, whole rows (then columns) are left out evenly, and the
result says how many. A part of the slice (`Window`) that is small enough is always read in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.tensors.distance import distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from plugins.precision.core.tensors.opened import Opened, OpenedPair

    Floats = NDArray[np.float64]

READ_LIMIT = 1 << 22
"""Elements of a slice that are read at most, for each side."""

_AT_ONCE = 1 << 21


@dataclass(frozen=True, slots=True)
class Slice:
    """Which two axes are shown, and where the others stand.

    `rows` or `columns` is None for a tensor with fewer than two axes.
    """

    rows: int | None
    columns: int | None
    index: tuple[int, ...]
    """The place on every axis; those of the shown axes do not matter."""

    def lengths(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """How many rows and columns the slice of a shape has."""
        return (
            1 if self.rows is None else shape[self.rows],
            1 if self.columns is None else shape[self.columns],
        )

    def element(self, row: int, column: int) -> tuple[int, ...]:
        """The index in the tensor of a place in the slice."""
        found = list(self.index)
        if self.rows is not None:
            found[self.rows] = row
        if self.columns is not None:
            found[self.columns] = column
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a slice that is shown: the first row and column, and those after the last."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class Planes:
    """One slice of one or two tensors: cells of float64 (moduli of complex numbers)."""

    window: Window
    rows: NDArray[np.int64]
    """The first row of each row of cells, and the row after the last."""
    columns: NDArray[np.int64]
    base: Floats | None
    candidate: Floats | None
    difference: Floats | None
    """candidate - base, signed; NaN or infinite where only one side is."""
    relative: Floats | None
    """|candidate - base| / |base|; infinite where the base is 0 and the candidate is not."""
    step: tuple[int, int] = (1, 1)
    """Every how manieth row and column was read."""


def first_slice(shape: tuple[int, ...]) -> Slice:
    """Return the slice that is shown first: the last two axes, at the first place of the others."""
    axes = len(shape)
    return Slice(
        axes - 2 if axes > 1 else None, axes - 1 if axes else None, tuple(0 for _ in shape)
    )


def planes_of(
    pair: OpenedPair,
    where: Slice,
    window: Window | None = None,
    cells: tuple[int, int] = (256, 256),
    check: Callable[[], object] = lambda: None,
) -> Planes:
    """Return the pictures of a slice with at most `cells` rows and columns.

    `check()` is called between reads and may raise. Raises TensorError when a file cannot be read.
    """
    high, wide = where.lengths(pair.shape)
    if window is None:
        window = Window(0, 0, high, wide)
    rows = _edges(window.top, window.bottom, cells[0])
    columns = _edges(window.left, window.right, cells[1])
    step = _step(window, rows, columns)
    block = _block(rows, step[0]), _block(columns, step[1])
    found = _Cells(len(rows) - 1, len(columns) - 1, block)
    across = slice(window.left, window.right, step[1])
    for low, last in _bands(rows, window.right - window.left, step):
        check()
        # A step is a part of a block, so that each block begins with an element that is read.
        span = slice(int(rows[low]), int(rows[last]), step[0])
        found.add(slice(low, last), pair, where, (span, across))
    return Planes(
        window, rows, columns, found.base, found.candidate, found.difference, found.relative, step
    )


def cut(side: Opened, where: Slice, rows: slice, columns: slice) -> NDArray[Any]:
    """Return a part of a slice as numbers, rows first."""
    part: list[slice | int] = [
        min(place, max(length - 1, 0))
        for place, length in zip(where.index, side.shape, strict=False)
    ]
    if where.rows is not None:
        part[where.rows] = rows
    if where.columns is not None:
        part[where.columns] = columns
    found = side.numbers(tuple(part))
    if where.rows is None:
        return found.reshape(1, -1)
    return found.T if where.columns is not None and where.rows > where.columns else found


def signed_difference(base: NDArray[Any], candidate: NDArray[Any]) -> Floats:
    """Return candidate - base as float64: 0 for equal values, NaN and infinities included.

    The size is exact for integers; complex numbers give the modulus of the difference.
    """
    with np.errstate(all="ignore"):
        size = distance(base, candidate).astype(np.float64)
        size[_same(base, candidate)] = 0.0
        if np.iscomplexobj(base) or np.iscomplexobj(candidate):
            return size
        return np.where(candidate < base, -size, size)


def relative_difference(base: NDArray[Any], size: Floats) -> Floats:
    """Return |candidate - base| / |base| from the size of the difference; 0/0 is 0."""
    with np.errstate(all="ignore"):
        scale = np.abs(base.astype(np.complex128 if np.iscomplexobj(base) else np.float64))
        found: Floats = np.abs(size) / scale
        # An infinity against a number is infinitely far off, not undefined.
        found[np.isinf(size)] = np.inf
        found[size == 0] = 0.0
    return found


def real(values: NDArray[Any]) -> Floats:
    """Return values as float64, complex numbers by their modulus."""
    if np.iscomplexobj(values):
        with np.errstate(all="ignore"):
            moduli: Floats = np.abs(values)
        return moduli
    return values.astype(np.float64, copy=False)


class _Cells:
    """The pictures that are being filled."""

    def __init__(self, rows: int, columns: int, block: tuple[int, int]) -> None:
        self._shape, self._block = (rows, columns), block
        self.base: Floats | None = None
        self.candidate: Floats | None = None
        self.difference: Floats | None = None
        self.relative: Floats | None = None

    def add(
        self,
        band: slice,
        pair: OpenedPair,
        where: Slice,
        part: tuple[slice, slice],
    ) -> None:
        base = candidate = None
        if pair.base is not None and (pair.comparable or pair.candidate is None):
            base = cut(pair.base, where, *part)
            self.base = self._filled(self.base, band, real(base))
        if pair.candidate is not None:
            candidate = cut(pair.candidate, where, *part)
            self.candidate = self._filled(self.candidate, band, real(candidate))
        if base is None or candidate is None:
            return
        size = signed_difference(base, candidate)
        self.difference = self._filled(self.difference, band, size)
        apart = relative_difference(base, size)
        self.relative = self._filled(self.relative, band, apart)

    def _filled(self, cells: Floats | None, band: slice, values: Floats) -> Floats:
        if cells is None:
            cells = np.zeros(self._shape)
        cells[band] = _extremes(values, *self._block)
        return cells


def _same(base: NDArray[Any], candidate: NDArray[Any]) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = base == candidate
    if base.dtype.kind in "fc" and candidate.dtype.kind in "fc":
        same |= np.isnan(base) & np.isnan(candidate)
    return same


def _edges(first: int, last: int, cells: int) -> NDArray[np.int64]:
    """Blocks of one size, of which the last may be smaller."""
    size = max(-(-(last - first) // max(cells, 1)), 1)
    return np.append(np.arange(first, last, size, dtype=np.int64), max(first, last))


def _step(window: Window, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[int, int]:
    """Leave out rows, then columns, but never all of a cell; a step divides the cell's size."""
    high, wide = window.bottom - window.top, window.right - window.left
    if high * wide <= READ_LIMIT or not high * wide:
        return 1, 1
    down = _divisor(int(rows[1] - rows[0]), high * wide / READ_LIMIT)
    left = -(-high // down) * wide
    return down, _divisor(int(columns[1] - columns[0]), left / READ_LIMIT)


def _divisor(size: int, wanted: float) -> int:
    """The least divisor of a size that is not below what is wanted; the size itself at most."""
    return next((n for n in range(1, size) if size % n == 0 and n >= wanted), size)


def _block(edges: NDArray[np.int64], step: int) -> int:
    """How many elements that are read make one cell, along one axis."""
    return -(-int(edges[1] - edges[0]) // step) if len(edges) > 1 else 1


def _bands(rows: NDArray[np.int64], wide: int, step: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Group rows of cells so that not too much is read at once."""
    low = 0
    while low < len(rows) - 1:
        last = low + 1
        while (
            last < len(rows) - 1
            and (rows[last + 1] - rows[low]) // step[0] * (wide // step[1] + 1) <= _AT_ONCE
        ):
            last += 1
        yield low, last
        low = last


def _extremes(values: Floats, high: int, wide: int) -> Floats:
    """Reduce blocks of that size to their element of largest magnitude; NaN wins over all."""
    if high == wide == 1 or not values.size:
        return values
    most = _reduced(np.maximum, _reduced(np.maximum, values, high, 0), wide, 1)
    least = _reduced(np.minimum, _reduced(np.minimum, values, high, 0), wide, 1)
    found: Floats = np.where(np.abs(most) >= np.abs(least), most, least)
    return found


def _reduced(reduce: np.ufunc, values: Floats, size: int, axis: int) -> Floats:
    """Reduce along an axis by blocks, whole arrays at a time: much faster than reduceat."""
    if size == 1:
        return values
    values = values if axis == 0 else values.T
    found: Floats = values[::size].copy()
    for place in range(1, size):
        part = values[place::size]
        reduce(found[: len(part)], part, out=found[: len(part)])
    return found if axis == 0 else found.T
