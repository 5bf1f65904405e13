"""Rows of slices prepared for painting: prefix sums and the longest slice of each group.

A row is one depth of one lane; its slices never overlap and lie together, ordered by start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from studio.formats.engine import kernels_pay

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 4096
"""Rows of fewer slices need no cells: each slice can be looked at."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Stretches of equal length of the dense rows, for kernels (`plugins.timeline.ui.kernels`)."""

    shift: NDArray[np.int64]
    offset: NDArray[np.int64]
    busy: NDArray[np.float32]
    colour: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Rows:
    """Slices of many rows, row after row.

    `covered[i]` is the time that all slices before `i` cover; `longest[k][g]` is the longest slice
    among the `2 ** (k + 2)` slices of group `g`. Row `r` holds the slices `first[r]` to `last[r]`.
    """

    start: NDArray[np.int64]
    duration: NDArray[np.int64]
    slot: NDArray[np.uint8]
    covered: NDArray[np.int64]
    longest: tuple[NDArray[np.int32], ...]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    cells: Cells | None = None
    """What kernels paint dense rows by; None where numpy paints."""


def build_rows(
    start: NDArray[np.int64],
    duration: NDArray[np.int64],
    slot: NDArray[np.uint8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> Rows:
    """Prepare slices, ordered by row and start, for painting."""
    covered = np.zeros(start.size + 1, np.int64)
    np.cumsum(duration, out=covered[1:])
    if kernels_pay(start.size):
        rows = Rows(start, duration, slot, covered, (), first, last)
        return replace(rows, cells=make_cells(rows))
    return Rows(start, duration, slot, covered, _longest(duration), first, last)


def recolour(rows: Rows, slot: NDArray[np.uint8]) -> Rows:
    """Give the slices other colours."""
    coloured = replace(rows, slot=slot)
    return coloured if rows.cells is None else replace(coloured, cells=make_cells(coloured))


def make_cells(rows: Rows) -> Cells:
    """Sum up the dense rows in cells."""
    from plugins.timeline.ui import kernels

    start, duration = rows.start, rows.duration
    first, last = rows.first, rows.last
    shift, offset = np.zeros(first.size, np.int64), np.empty(first.size + 1, np.int64)
    most = kernels.plan_cells(start, duration, first, last, LEAST, shift, offset)
    total = int(offset[-1])
    cells = Cells(shift, offset, np.empty(total, np.float32), np.empty(total, np.uint8))
    kernels.fill_cells(
        start, duration, rows.slot, first, last, shift, offset, cells.busy, cells.colour,
        np.empty(most, np.float32),
    )  # fmt: skip
    return cells


def subset(rows: Rows, chosen: NDArray[np.int64]) -> Rows:
    """Prepare a part of the slices (ordered indices), with the same rows: used for search hits."""
    return build_rows(
        rows.start[chosen],
        rows.duration[chosen],
        rows.slot[chosen],
        np.searchsorted(chosen, rows.first).astype(np.int64),
        np.searchsorted(chosen, rows.last).astype(np.int64),
    )


def _longest(duration: NDArray[np.int64]) -> tuple[NDArray[np.int32], ...]:
    """Build the levels of groups of 4, 8, 16 … slices; each entry names the longest slice."""
    levels: list[NDArray[np.int32]] = []
    pairs = _longer_of_pairs(np.arange(duration.size, dtype=np.int32), duration)
    while pairs.size > 1:
        pairs = _longer_of_pairs(pairs, duration)
        levels.append(pairs)
    return tuple(levels)


def _longer_of_pairs(index: NDArray[np.int32], duration: NDArray[np.int64]) -> NDArray[np.int32]:
    left, right = index[0::2], index[1::2]
    whole = right.size
    longer = left.copy()
    swap = duration[right] > duration[left[:whole]]
    longer[:whole][swap] = right[swap]
    return longer
